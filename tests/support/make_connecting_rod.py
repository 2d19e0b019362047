"""Makes examples/connecting_rod.inp with gmsh (pip install gmsh): a connecting rod of bricks with 20 nodes, in mm, t, s.

    python tests/support/make_connecting_rod.py [FILE]

Big end at the origin, small end at x = LENGTH, pins along z; the shank is a bar of constant width with fillets to both ends."""
import sys
from math import sqrt
from pathlib import Path

LENGTH, DEPTH, WIDTH, FILLET = 150.0, 16.0, 16.0, 20.0
ENDS = {"BIG": (0.0, 34.0, 24.0), "SMALL": (LENGTH, 19.0, 11.0)}  # x, outer radius, radius of the bore
STEEL = """*MATERIAL, NAME=STEEL
*ELASTIC
210000., 0.3
*DENSITY
7.85e-9
*SOLID SECTION, ELSET=ROD, MATERIAL=STEEL
"""


def corners(x, radius, side):
    """End of the straight part of the shank and end of the fillet on the ring, above the axis; ``side``: towards the shank."""
    across = sqrt((radius + FILLET)**2 - (WIDTH / 2 + FILLET)**2)
    ratio = radius / (radius + FILLET)
    return (x + side * across, WIDTH / 2), (x + side * across * ratio, (WIDTH / 2 + FILLET) * ratio)


def outline(occ):
    """The plane face with its two bores."""
    (xb, rb, _), (xs, rs, _) = ENDS["BIG"], ENDS["SMALL"]
    (b1, b2), (s1, s2) = corners(xb, rb, 1), corners(xs, rs, -1)

    def point(x, y):
        return occ.addPoint(x, y, 0)
    up = [point(*p) for p in (b2, b1, s1, s2)]
    down = [point(x, -y) for x, y in (b2, b1, s1, s2)]
    middle = {+1: [point(b1[0], WIDTH / 2 + FILLET), point(s1[0], WIDTH / 2 + FILLET)],
              -1: [point(b1[0], -WIDTH / 2 - FILLET), point(s1[0], -WIDTH / 2 - FILLET)]}
    big, small, left, right = point(xb, 0), point(xs, 0), point(xb - rb, 0), point(xs + rs, 0)
    curves = [occ.addCircleArc(up[0], middle[1][0], up[1]), occ.addLine(up[1], up[2]), occ.addCircleArc(up[2], middle[1][1], up[3]),
              occ.addCircleArc(up[3], small, right), occ.addCircleArc(right, small, down[3]),
              occ.addCircleArc(down[3], middle[-1][1], down[2]), occ.addLine(down[2], down[1]),
              occ.addCircleArc(down[1], middle[-1][0], down[0]), occ.addCircleArc(down[0], big, left), occ.addCircleArc(left, big, up[0])]
    bores = [occ.addCurveLoop([occ.addCircle(x, 0, 0, r)]) for x, _, r in ENDS.values()]
    return occ.addPlaneSurface([occ.addCurveLoop(curves), *bores])


def make(path, size=6.0, layers=2):
    import gmsh
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    occ = gmsh.model.occ
    face = outline(occ)
    occ.translate([(2, face)], 0, 0, -DEPTH / 2)
    occ.extrude([(2, face)], 0, 0, DEPTH, [layers], recombine=True)
    occ.synchronize()
    for name, (x, _, r) in ENDS.items():
        near = gmsh.model.getEntitiesInBoundingBox(x - r - 0.1, -r - 0.1, -DEPTH, x + r + 0.1, r + 0.1, DEPTH, 2)
        gmsh.model.addPhysicalGroup(2, [tag for _, tag in near], name=name)
    gmsh.model.addPhysicalGroup(3, [tag for _, tag in gmsh.model.getEntities(3)], name="ROD")
    for option, value in (("MeshSizeMax", size), ("MeshSizeMin", 0.5 * size), ("MeshSizeFromCurvature", 16), ("Algorithm", 8),
                          ("RecombineAll", 1), ("RecombinationAlgorithm", 3), ("SecondOrderIncomplete", 1), ("ElementOrder", 2),
                          ("SaveGroupsOfNodes", 1)):
        gmsh.option.setNumber(f"Mesh.{option}", value)
    gmsh.model.mesh.generate(3)
    gmsh.write(str(path))
    gmsh.finalize()
    head = "*HEADING\n connecting rod, mm t s, made by tests/make_connecting_rod.py\n"
    Path(path).write_text(head + cleaned(Path(path).read_text()) + STEEL)


def cleaned(text):
    """Without the heading of gmsh, with six digits behind the point at most."""
    import re
    body = "\n".join(line for line in text.splitlines()[2:] if not line.startswith("***"))
    body = body[:body.index("*NSET,NSET=ROD")]  # all nodes
    return re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda m: f"{float(m[0]):.6g}" if abs(float(m[0])) > 1e-9 else "0", body) + "\n"


if __name__ == "__main__":
    make(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2] / "examples" / "connecting_rod.inp")
