"""Small meshes of every kind of solid element, as `Mesh`, and their text in the formats of FE programs: sample files are made by this."""
from __future__ import annotations

from collections import Counter

import numpy as np

from pliant.flex.readers.build import fe_of_mesh
from pliant.flex.readers.mesh import CORNERS, EDGES, Block, Mesh

KINDS = ("tet4", "tet10", "hex8", "hex20", "wedge6", "wedge15")
SPLIT = {6: [(0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)], 8: [(0, 1, 2, 3, 4, 5, 6, 7)]}
TETS = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]  # along one diagonal: neighbours fit
SIZE = (0.2, 0.04, 0.02)


def box(kind="hex20", divisions=(2, 1, 1), size=SIZE, bend=0.0, seed=5):
    """A box with groups left and right (x = 0, x = largest); nodes not on its surface, or with ``bend`` mid-side nodes, are moved."""
    counts = np.array(divisions)
    grid = {}
    x = []

    def node(place):
        key = tuple(np.round(place, 9))
        if key not in grid:
            grid[key] = len(x)
            x.append(np.array(place, float))
        return grid[key]

    h = np.array(size) / counts
    corners = CORNERS[kind]
    cells = TETS if corners == 4 else SPLIT[corners]
    rows = []
    for i in np.ndindex(*counts):
        eight = [(np.array(i) + c) * h for c in ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))]
        for cell in cells:
            p = [eight[k] for k in cell]
            mids = [(p[a] + p[b]) / 2 for a, b in EDGES[corners]] if kind not in ("tet4", "hex8", "wedge6") else []
            rows.append([node(y) for y in (*p, *mids)])
    x, rows = np.array(x), np.array(rows)
    left, right = np.flatnonzero(x[:, 0] < 1e-9), np.flatnonzero(x[:, 0] > size[0] - 1e-9)
    if bend:
        move = np.random.default_rng(seed).normal(scale=bend * h.min() / 4, size=x.shape)
        surface = (x < 1e-9).any(axis=1) | (x > np.array(size) - 1e-9).any(axis=1)
        x = x + np.where(surface[:, None], 0, move)
        x[:, 1] += bend * x[:, 0] ** 2   # straight edges along x become curved
    return Mesh("made", "made", np.arange(1, len(x) + 1), x, [Block(kind, "STEEL", np.arange(1, len(rows) + 1), rows)],
                {"left": left, "right": right}, {"STEEL": (210e9, 0.3, 7850.0)}, Counter(), [])


def fe_of(mesh, material=None):
    return fe_of_mesh(mesh, material, "m, kg, s", "consistent", False)


# -- text of FE programs
GMSH = {"hex20": (17, [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14]), "hex8": (5, None), "tet4": (4, None),
        "tet10": (11, [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]), "wedge6": (6, None),
        "wedge15": (18, [0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10])}
ABAQUS = {"tet4": "C3D4", "tet10": "C3D10", "hex8": "C3D8I", "hex20": "C3D20", "wedge6": "C3D6", "wedge15": "C3D15"}
NASTRAN = {"hex20": ("CHEXA", [*range(12), *range(16, 20), *range(12, 16)]), "hex8": ("CHEXA", None), "tet4": ("CTETRA", None),
           "tet10": ("CTETRA", None), "wedge6": ("CPENTA", None), "wedge15": ("CPENTA", [*range(9), *range(12, 15), *range(9, 12)])}


def reordered(rows, order):
    return rows if order is None else rows[:, order]


def msh22(mesh):
    b = mesh.blocks[0]
    number, order = GMSH[b.kind]
    points = [(k, n) for k, name in ((1, "left"), (2, "right")) for n in mesh.groups[name]]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "3", '0 1 "left"', '0 2 "right"', '3 3 "STEEL"',
             "$EndPhysicalNames", "$Nodes", str(len(mesh.x)),
             *(f"{i} {x[0]!r} {x[1]!r} {x[2]!r}" for i, x in zip(mesh.ids, mesh.x.tolist(), strict=True)),
             "$EndNodes", "$Elements", str(len(b.nodes) + len(points))]
    lines += [f"{k + 1} 15 2 {tag} {tag} {mesh.ids[n]}" for k, (tag, n) in enumerate(points)]
    for k, row in enumerate(mesh.ids[reordered(b.nodes, order)]):
        lines.append(f"{len(points) + k + 1} {number} 2 3 1 {' '.join(map(str, row))}")
    return "\n".join([*lines, "$EndElements", ""])


def msh41(mesh):
    b = mesh.blocks[0]
    number, order = GMSH[b.kind]
    groups = [mesh.groups["left"], mesh.groups["right"]]
    p, e = len(mesh.x), len(b.nodes)
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$PhysicalNames", "3", '0 1 "left"', '0 2 "right"', '3 3 "STEEL"',
             "$EndPhysicalNames", "$Entities", "2 0 0 1", "1 0 0 0 1 1", "2 0 0 0 1 2", "1 0 0 0 1 1 1 1 3 0", "$EndEntities", "$Nodes",
             f"1 {p} 1 {p}",
             f"3 1 0 {p}", *(str(i) for i in mesh.ids), *(f"{x[0]!r} {x[1]!r} {x[2]!r}" for x in mesh.x.tolist()), "$EndNodes", "$Elements",
             f"3 {e + sum(map(len, groups))} 1 {e + sum(map(len, groups))}"]
    count = 0
    for k, nodes in enumerate(groups):
        lines.append(f"0 {k + 1} 15 {len(nodes)}")
        for n in nodes:
            count += 1
            lines.append(f"{count} {mesh.ids[n]}")
    lines.append(f"3 1 {number} {e}")
    for k, row in enumerate(mesh.ids[reordered(b.nodes, order)]):
        lines.append(f"{count + k + 1} {' '.join(map(str, row))}")
    return "\n".join([*lines, "$EndElements", ""])


def inp(mesh, scale=1.0, E="210e9", rho="7850."):
    b = mesh.blocks[0]
    lines = ["*HEADING", "a box", "** made for tests", "*NODE, NSET=ALL",
             *(f"{i}, {x[0] * scale!r}, {x[1] * scale!r}, {x[2] * scale!r}" for i, x in zip(mesh.ids, mesh.x.tolist(), strict=True)),
             f"*ELEMENT, TYPE={ABAQUS[b.kind]}, ELSET=Body"]
    for k, row in enumerate(mesh.ids[b.nodes]):
        words = [str(k + 1), *map(str, row)]
        lines += [", ".join(words[:11]) + ("," if len(words) > 11 else ""), *([", ".join(words[11:])] if len(words) > 11 else [])]
    for name, nodes in mesh.groups.items():
        ids = mesh.ids[nodes]
        lines += [f"*NSET, NSET={name}", *(", ".join(map(str, ids[k:k + 8])) for k in range(0, len(ids), 8))]
    lines += ["*MATERIAL, NAME=Steel", "*ELASTIC", f"{E}, 0.3", "*DENSITY", rho, "*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL", ""]
    return "\n".join(lines)


def fortran(x):
    """As Nastran writes: an exponent without E, in 16 characters."""
    mantissa, exponent = f"{x:.9e}".split("e")
    return f"{mantissa}{int(exponent):+d}"


def bdf(mesh, form="large", matrices=None):
    b = mesh.blocks[0]
    name, order = NASTRAN[b.kind]
    lines = ["$ a box made for tests", "BEGIN BULK"]
    for i, x in zip(mesh.ids, mesh.x, strict=True):
        if form == "free":
            lines.append(f"GRID,{i},,{x[0]:.12g},{x[1]:.12g},{x[2]:.12g}".replace("e", ""))
        elif form == "small":
            lines.append(f"{'GRID':8}{i:<8d}{'':8}" + "".join(f"{c:<8.5f}" for c in x))
        else:
            lines += [f"{'GRID*':8}{i:<16d}{'':16}{fortran(x[0]):<16}{fortran(x[1]):<16}*G{i}", f"{f'*G{i}':8}{fortran(x[2]):<16}"]
    if matrices is None:
        for k, row in enumerate(mesh.ids[reordered(b.nodes, order)]):
            words = [str(k + 1), "7", *map(str, row)]
            if form == "free":
                parts = [words[j:j + 8] for j in range(0, len(words), 8)]
                lines += [f"{name if j == 0 else '+'},{','.join(p)}" for j, p in enumerate(parts)]
            else:
                lines += [f"{name if j == 0 else '+':8}" + "".join(f"{w:8}" for w in words[j:j + 8]) for j in range(0, len(words), 8)]
        lines += ["PSOLID  7       3", "MAT1    3       2.1+11          0.3     7850."]
    else:
        for matrix_name, a in zip(("KAAX", "MAAX"), matrices, strict=True):
            lines += [f"DMIG    {matrix_name:8}0       6       2       0"]
            for j in range(a.shape[1]):
                rows = [i for i in range(j, a.shape[0]) if a[i, j]]
                lines += [f"{'DMIG*':8}{matrix_name:16}{mesh.ids[j // 3]:<16d}{j % 3 + 1:<16d}{'':16}",
                          *(f"{'*':8}{mesh.ids[i // 3]:<16d}{i % 3 + 1:<16d}{fortran(a[i, j]):<16}" for i in rows)]
    return "\n".join([*lines, "ENDDATA", ""])


def mtx(mesh, a, form="labels"):
    lines = ["** matrix made for tests"]
    for i, j in np.argwhere(np.tril(a) != 0):
        place = f"{i + 1},{j + 1}" if form == "coordinate" else f"{mesh.ids[i // 3]},{i % 3 + 1},{mesh.ids[j // 3]},{j % 3 + 1}"
        lines.append(f"{place}, {a[i, j]:.16e}")
    return "\n".join([*lines, ""])


def six_rows(a):
    """With rotations that nothing resists, as the g-set of Nastran has them."""
    p = len(a) // 3
    rows = (6 * np.arange(p)[:, None] + np.arange(3)).ravel()
    found = np.zeros((6 * p, 6 * p))
    found[np.ix_(rows, rows)] = a
    return found


def op4_text(matrices):
    lines = []
    for name, a in matrices.items():
        lines.append(f"{a.shape[1]:8d}{a.shape[0]:8d}{6:8d}{2:8d}{name:8}1P,3E23.16")
        for j in range(a.shape[1]):
            used = np.flatnonzero(a[:, j])
            if len(used):
                values = [f"{v:23.16E}" for v in a[used[0]:used[-1] + 1, j]]
                lines += [f"{j + 1:8d}{used[0] + 1:8d}{len(values):8d}", *("".join(values[k:k + 3]) for k in range(0, len(values), 3))]
        lines += [f"{a.shape[1] + 1:8d}{1:8d}{1:8d}", f"{1.0:23.16E}"]
    return "\n".join([*lines, ""])


def op4_binary(matrices, order="<", big=True):
    """Sparse, in strings of one column."""
    import struct
    out = b""

    def record(data):
        return struct.pack(order + "i", len(data)) + data + struct.pack(order + "i", len(data))

    for name, a in matrices.items():
        out += record(struct.pack(order + "4i", a.shape[1], -a.shape[0] if big else a.shape[0], 6, 2) + f"{name:8}".encode())
        for j in range(a.shape[1]):
            used = np.flatnonzero(a[:, j])
            body = b""
            for run in np.split(used, np.flatnonzero(np.diff(used) > 1) + 1) if len(used) else []:
                words = 2 * len(run)
                head = (struct.pack(order + "2i", words + 1, run[0] + 1) if big else
                        struct.pack(order + "i", (words + 1) * 65536 + run[0] + 1))
                body += head + a[run, j].astype(order + "f8").tobytes()
            if body:
                out += record(struct.pack(order + "3i", j + 1, 0, len(body) // 4) + body)
        out += record(struct.pack(order + "3i", a.shape[1] + 1, 1, 2) + struct.pack(order + "d", 1.0))
    return out


def sample():
    """The part of the sample files: one skewed brick with 20 nodes, with decimal coordinates."""
    mesh = box("hex20", (1, 1, 1))
    mesh.x[:, 1] = np.round(mesh.x[:, 1] + 0.25 * mesh.x[:, 0], 6)
    mesh.x[:, 0] = np.round(mesh.x[:, 0], 6)
    return mesh


def write_samples(folder):
    """All sample files but those of CalculiX, which ``pliant flex run-calculix box.inp`` writes."""
    mesh = sample()
    fe = fe_of(mesh)
    K, M = fe.K.toarray(), fe.M.toarray()
    K[abs(K) < 1e-9 * abs(K).max()], M[abs(M) < 1e-12 * abs(M).max()] = 0, 0
    both = {"KGG": six_rows(K), "MGG": six_rows(M)}
    texts = {"box22.msh": msh22(mesh), "box41.msh": msh41(mesh), "box.inp": inp(mesh),
             "box_mm.inp": inp(mesh, 1000.0, "210000.", "7.85e-9"),
             "box.bdf": bdf(mesh), "box_free.bdf": bdf(mesh, "free"), "box_small.bdf": bdf(mesh, "small"),
             "box_dmig.bdf": bdf(mesh, matrices=(K, M)), "box_STIF1.mtx": mtx(mesh, K), "box_MASS1.mtx": mtx(mesh, M),
             "box.op4": op4_text({"KAA": K, "MAA": M})}
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "box_binary.op4").write_bytes(op4_binary(both))


if __name__ == "__main__":
    from pathlib import Path
    write_samples(Path(__file__).parent / "samples")
