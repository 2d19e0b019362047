"""Of which elementary pairs two shapes consist: kernels by their modules, and their sizes. Plain Python; docs/theory/gaps.md has the table.

A shape is at the origin of its frame and about its z axis; a plane is z = 0 with its body below.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

MOST = 2000  # elementary pairs of two shapes


class Part(NamedTuple):
    """One elementary pair. ``swapped``: frame A of the kernel is that of the second shape. ``sizes``: what stands in val from `at` on."""
    kernel: str
    swapped: bool
    sizes: tuple[float, ...]


class Sphere(NamedTuple):
    radius: float


class HollowSphere(NamedTuple):
    """The room inside of it is free."""
    radius: float


class Plane(NamedTuple):
    pass


class Capsule(NamedTuple):
    """``length`` of its middle line, without the round ends."""
    radius: float
    length: float


class Cylinder(NamedTuple):
    """``rounding``: radius of its edges. ``crown``: height of its ends over their edge, see [gap-4]; both only matter on a plane."""
    radius: float
    length: float
    rounding: float = 0.0
    crown: float = 0.0


class Bore(NamedTuple):
    """The room inside of a hollow cylinder is free. ``length`` may be infinite."""
    radius: float
    length: float


class Box(NamedTuple):
    """Whole lengths."""
    x: float
    y: float
    z: float


class Convex(NamedTuple):
    """The convex hull of points, at least four that are not in a plane."""
    points: tuple[tuple[float, float, float], ...]


class HeightField(NamedTuple):
    """z over x and y, cubic: numbers of a table of two variables (`kernels.tables`). Bodies with corners would pass bulges between them:
    they are refused unless ``touched_by`` is "vertices"; then only vertices, and ends of capsules, touch it."""
    numbers: tuple[float, ...]
    touched_by: str = "spheres"


class Tube(NamedTuple):
    """About a line of a flexible body, with round ends: a sphere about the place of the line that is next to what touches it."""
    radius: float


Shape = Sphere | HollowSphere | Plane | Capsule | Cylinder | Bore | Box | Convex | HeightField | Tube


class Polytope(NamedTuple):
    vertices: np.ndarray  # (n, 3)
    faces: np.ndarray     # (m, 4): outer normal, distance of the plane from the origin
    edges: np.ndarray     # (k, 4): two vertices, two faces

    @property
    def numbers(self) -> tuple[float, ...]:
        return (*map(len, self), *(float(x) for part in self for x in part.ravel()))

    @property
    def lines(self) -> np.ndarray:
        """Unit vectors of the directions that edges have."""
        found: list[np.ndarray] = []
        for u in np.diff(self.vertices[self.edges[:, :2]], axis=1)[:, 0]:
            unit = u / np.linalg.norm(u)
            if not any(np.linalg.norm(np.cross(unit, other)) < 1e-9 for other in found):
                found.append(unit)
        return np.array(found)

    def edge(self, k: int) -> tuple[float, ...]:
        """As `kernels.gaps.crossings` reads it: ends, normals of its faces, the body."""
        ends, normals = self.vertices[self.edges[k, :2]], self.faces[self.edges[k, 2:], :3]
        body = (*map(len, (self.faces, self.vertices, self.lines)), *self.faces.ravel(), *self.vertices.ravel(), *self.lines.ravel())
        return tuple(map(float, (*ends.ravel(), *normals.ravel(), *body)))

    def directions(self, k: int) -> np.ndarray:
        """Unit vectors along the edges of a vertex, away from it."""
        at = [(e[1] if e[0] == k else e[0]) for e in self.edges[:, :2] if k in e]
        d = self.vertices[at] - self.vertices[k]
        return np.asarray(d / np.linalg.norm(d, axis=1)[:, None])


@lru_cache
def polytope(shape: Box | Convex) -> Polytope:
    """Vertices, faces and edges of a body with flat faces; triangles in one plane are one face."""
    from scipy.spatial import ConvexHull, QhullError
    points = np.array(shape.points if isinstance(shape, Convex) else list(product(*((-s / 2, s / 2) for s in shape))))
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise ValueError(f"convex body: {len(points)} points, must be at least 4 that are not in a plane") from error
    size = np.ptp(points, axis=0).max()
    planes: list[np.ndarray] = []
    for normal in hull.equations:
        if not any(np.allclose(normal, p, rtol=0, atol=1e-9 * np.array([1, 1, 1, size])) for p in planes):
            planes.append(normal)
    vertices, faces = points[hull.vertices], np.array(planes) * [1, 1, 1, -1]
    on = abs(vertices @ faces[:, :3].T - faces[:, 3]) < 1e-9 * size
    edges = []
    for f, g in zip(*np.triu_indices(len(faces), 1), strict=True):
        shared = np.nonzero(on[:, f] & on[:, g])[0]
        if len(shared) > 1:
            along = vertices[shared] @ np.cross(faces[f, :3], faces[g, :3])
            edges.append((shared[along.argmin()], shared[along.argmax()], f, g))
    return Polytope(vertices, faces, np.array(edges))


def ends(shape: Capsule) -> tuple[tuple[float, float, float], ...]:
    return (0.0, 0.0, -shape.length / 2), (0.0, 0.0, shape.length / 2)


def points_of(shape: Any) -> list[tuple[float, ...]]:
    """Points with radius that touch smooth and hollow surfaces for a shape, four numbers each."""
    if isinstance(shape, Sphere):
        return [(0.0, 0.0, 0.0, shape.radius)]
    if isinstance(shape, Capsule):
        return [(*end, shape.radius) for end in ends(shape)]
    return [(*map(float, x), 0.0) for x in polytope(shape).vertices]


def surface_of(shape: Any) -> tuple[str, tuple[float, ...]]:
    """Kernel of a point against a shape, and the sizes of that."""
    match shape:
        case Plane():
            return "point_plane", ()
        case Sphere() | Tube():
            return "point_sphere", (shape.radius,)
        case HollowSphere():
            return "point_in_sphere", (shape.radius,)
        case Capsule():
            return "point_capsule", (shape.radius, shape.length / 2)
        case Cylinder():
            return "point_cylinder", (shape.radius, shape.length / 2)
        case Bore():
            return "point_in_cylinder", (shape.radius, shape.length / 2)
        case Box():
            return "point_box", (shape.x / 2, shape.y / 2, shape.z / 2)
        case HeightField():
            return "point_field", (5.0, *shape.numbers)
    return "point_convex", polytope(shape).numbers


def points(a: Any, b: Any, swapped: bool = False) -> Iterator[Part]:
    kernel, sizes = surface_of(b)
    yield from (Part(kernel, swapped, (*point, *sizes)) for point in points_of(a))


def two_capsules(a: Capsule, b: Capsule) -> Iterator[Part]:
    yield Part("segments", False, (*ends(a)[0], *ends(a)[1], a.radius, *ends(b)[0], *ends(b)[1], b.radius))


def two_rims(a: Cylinder, b: Plane) -> Iterator[Part]:
    """Rounded edges lie further inside."""
    r = a.rounding
    for side in (-1.0, 1.0):
        yield Part("rim_plane", False, (0.0, 0.0, side * (a.length / 2 - r), a.radius - r, r, a.crown, side))


def capsule_on_flat(a: Capsule, b: Box | Convex) -> Iterator[Part]:
    """Its ends against the body, its side against vertices and edges."""
    yield from points(a, b)
    body, line = polytope(b), (*ends(a)[0], *ends(a)[1], a.radius)
    for k in range(len(body.vertices)):
        d = body.directions(k)
        yield Part("vertex_segment", True, (*map(float, body.vertices[k]), float(len(d)), *map(float, d.ravel()), *line))
    yield from (Part("segment_edge", False, (*line, 0.0, 0.0, 1.0, *body.edge(k))) for k in range(len(body.edges)))


def two_flat(a: Box | Convex, b: Box | Convex) -> Iterator[Part]:
    """Vertices of each in the other, edges against edges."""
    one, two = polytope(a), polytope(b)
    if len(one.edges) * len(two.edges) > MOST:
        raise ValueError(f"bodies with {len(one.edges)} and {len(two.edges)} edges have {len(one.edges) * len(two.edges)} pairs of edges, "
                         f"must be at most {MOST}; take fewer points")
    yield from points(a, b)
    yield from points(b, a, True)
    own, other = ([body.edge(k) for k in range(len(body.edges))] for body in (one, two))
    yield from (Part("edges", False, (*e, *f)) for e, f in product(own, other))


def on_field(a: Any, b: HeightField) -> Iterator[Part]:
    if b.numbers[2] >= 2:
        raise ValueError("a height field: it is linear between its points, with a kink at each; must be cubic")
    if not isinstance(a, Sphere) and b.touched_by != "vertices":
        raise ValueError(f"{NAMES[type(a)]} on a height field: only its {'ends' if isinstance(a, Capsule) else 'vertices'} can touch, a "
                         "bulge between them would go through it; allow that by touched_by: vertices, or take spheres")
    yield from points(a, b)


def in_bore(a: Any, b: Bore) -> Iterator[Part]:
    if not isinstance(a, Sphere) and b.length < float("inf"):
        raise ValueError(f"{NAMES[type(a)]} in a bore of length {b.length:g}: the edge of the bore could touch between its "
                         f"{'ends' if isinstance(a, Capsule) else 'vertices'}; make it infinite, or take spheres")
    yield from points(a, b)


NAMES = {Sphere: "a sphere", HollowSphere: "a hollow sphere", Plane: "a plane", Capsule: "a capsule", Cylinder: "a cylinder",
         Bore: "a bore", Box: "a box", Convex: "a convex body", HeightField: "a height field", Tube: "a tube"}

ROUND = "edges of a cylinder against curved or other edges have no closed form; take a capsule or a convex body instead of it"
HOLLOW = "both are walls: neither is a body that could be inside of the other"
FIXED = "both are ground: neither is a body that could move against the other"
ON_LINE = "only spheres touch a line of a flexible body; take spheres where the other body touches it, or contacts at nodes of the line"
IN_BORE = "its edges touch the wall along curves; take a sphere at each end of the shaft"

PAIRS: dict[tuple[type, type], Callable[[Any, Any], Iterator[Part]] | str] = {
    (Sphere, Sphere): points, (Sphere, HollowSphere): points, (Sphere, Plane): points, (Sphere, Capsule): points,
    (Sphere, Cylinder): points, (Sphere, Bore): in_bore, (Sphere, Box): points, (Sphere, Convex): points, (Sphere, HeightField): on_field,
    (Capsule, Plane): points, (Capsule, HollowSphere): points, (Capsule, Capsule): two_capsules, (Capsule, Cylinder): ROUND,
    (Capsule, Bore): in_bore, (Capsule, Box): capsule_on_flat, (Capsule, Convex): capsule_on_flat, (Capsule, HeightField): on_field,
    (Cylinder, Plane): two_rims, (Cylinder, HollowSphere): ROUND, (Cylinder, Cylinder): ROUND, (Cylinder, Bore): IN_BORE,
    (Cylinder, Box): ROUND, (Cylinder, Convex): ROUND, (Cylinder, HeightField): ROUND,
    (Box, Plane): points, (Box, HollowSphere): points, (Box, Bore): in_bore, (Box, Box): two_flat, (Box, Convex): two_flat,
    (Box, HeightField): on_field,
    (Convex, Plane): points, (Convex, HollowSphere): points, (Convex, Bore): in_bore, (Convex, Convex): two_flat,
    (Convex, HeightField): on_field,
    (Plane, Plane): FIXED, (Plane, HeightField): FIXED, (HeightField, HeightField): FIXED, (Plane, HollowSphere): HOLLOW,
    (Plane, Bore): HOLLOW, (HollowSphere, HollowSphere): HOLLOW, (HollowSphere, Bore): HOLLOW, (HollowSphere, HeightField): HOLLOW,
    (Bore, Bore): HOLLOW, (Bore, HeightField): HOLLOW,
    (Sphere, Tube): points, (HollowSphere, Tube): ON_LINE, (Plane, Tube): ON_LINE, (Capsule, Tube): ON_LINE, (Cylinder, Tube): ON_LINE,
    (Bore, Tube): ON_LINE, (Box, Tube): ON_LINE, (Convex, Tube): ON_LINE, (HeightField, Tube): ON_LINE, (Tube, Tube): ON_LINE,
}


def parts(a: Shape, b: Shape) -> list[Part]:
    """Elementary pairs of shapes a and b; ValueError with the reason for two that cannot touch."""
    made = PAIRS.get((type(a), type(b)))
    swapped = made is None
    one, two = (b, a) if swapped else (a, b)
    made = made or PAIRS[type(one), type(two)]
    if isinstance(made, str):
        raise ValueError(f"{NAMES[type(a)]} and {NAMES[type(b)]}: {made}")
    return [part._replace(swapped=part.swapped != swapped) for part in made(one, two)]
