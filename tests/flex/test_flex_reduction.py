"""Reduction: every method against the full mesh, frames, selection, user shapes, the report, files, and what is refused at import."""
import json

import h5py
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh

import pliant as pl
from pliant.flex import Interface, Node, Reduced, from_integrals, from_matrices, mesh_beam, mesh_box, reduce

MAT = pl.STEEL
POINTS = [(0.1, -0.2, 0.3), (0.9, 0.3, 0.5), (1.1, 0.4, 1.2)]
UP = (0.3, -0.5, 0.8)
SECTION = pl.Section.rectangle(0.05, 0.03)
METHODS = ["craig-bampton", "static-correction", "krylov", "free"]


@pytest.fixture(scope="module")
def bent():
    return mesh_beam(POINTS, SECTION, MAT, 16, "timoshenko", up=UP)


@pytest.fixture(scope="module")
def block():
    return mesh_box((0.4, 0.1, 0.06), (8, 2, 2), MAT, "hex20", origin=(0.1, 0.2, -0.3))


ENDS = {"start": 0, "end": POINTS[-1]}
FACES = {"start": {"plane": "x = 0.1"}, "end": {"plane": "x = 500 mm"}}


def full(fe, held=()):
    """Frequencies [Hz] of the whole mesh, rigid ones left out."""
    free = np.setdiff1d(np.arange(fe.K.shape[0]), held)
    K, M = (a.toarray()[np.ix_(free, free)] for a in (fe.K, fe.M))
    values = np.sqrt(abs(eigh(K, M, eigvals_only=True))) / (2 * np.pi)
    return values[0 if len(held) else 6:]


def on_mean_axes(r):
    """Frequencies of the free part: of M and K on all motions, with the six rigid ones."""
    i = r.integrals
    C = np.array([[0, -i.c0[2], i.c0[1]], [i.c0[2], 0, -i.c0[0]], [-i.c0[1], i.c0[0], 0]])
    M = np.block([[i.m * np.eye(3), -C, i.S], [C, i.J0, i.B0], [i.S.T, i.B0.T, i.Mqq]])
    K = np.zeros_like(M)
    K[6:, 6:] = r.Kqq
    return np.sqrt(abs(eigh(K, M, eigvals_only=True)))[6:] / (2 * np.pi)


@pytest.mark.parametrize("frame", ["body-fixed", "mean-axis"])
@pytest.mark.parametrize("method", METHODS)
def test_frequencies_below_the_limit(bent, method, frame):
    """Free and, where loads at the interface are exact, held; within 0.1 %, whatever the frame."""
    limit = 1500.0
    if method == "free":
        r = reduce(bent, ENDS, modes=20, method=method, frame=frame)
    else:
        r = reduce(bent, ENDS, frequency_limit=limit, method=method, frame=frame)
    exact = full(bent)
    exact = exact[exact < limit]
    assert len(exact) >= 4 and np.allclose(on_mean_axes(r)[:len(exact)], exact, rtol=1e-3)
    if frame == "body-fixed" and method != "free":
        exact = full(bent, range(6))
        exact = exact[exact < limit]
        assert np.allclose(r.frequencies[:len(exact)], exact, rtol=1e-3)


def test_solid_below_the_limit(block):
    r = reduce(block, FACES, frequency_limit="9 kHz", coupling="average")
    exact = full(block)
    exact = exact[exact < 9000]
    assert len(exact) >= 4 and np.allclose(on_mean_axes(r)[:len(exact)], exact, rtol=1e-3)
    assert r.n < 60


@pytest.mark.parametrize("frame", ["body-fixed", "mean-axis"])
def test_all_modes_are_the_whole_mesh(frame):
    fe = mesh_beam(POINTS, SECTION, MAT, 4, up=UP)
    r = reduce(fe, ENDS, modes=6 * 5 - 12, frame=frame)
    assert r.n == 6 * 5 - 6
    assert np.allclose(on_mean_axes(r)[:12], full(fe)[:12], rtol=1e-9) and np.allclose(on_mean_axes(r), full(fe), rtol=1e-6)
    if frame == "body-fixed":
        assert np.allclose(r.frequencies, full(fe, range(6)), rtol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_frames(bent, method):
    held, mean = (reduce(bent, ENDS, modes=5, method=method, frame=f) for f in ("body-fixed", "mean-axis"))
    size = abs(mean.nodes["end"].psi_R).max()
    assert not held.nodes["start"].psi_R.any() and not held.nodes["start"].psi_theta.any()
    i = mean.integrals
    assert abs(i.S).max() < 1e-9 * i.m * size and abs(i.B0).max() < 1e-9 * i.m * size
    assert np.allclose(on_mean_axes(held), on_mean_axes(mean), rtol=1e-8)
    for r in (held, mean):
        assert np.allclose(r.integrals.Mqq, np.eye(r.n), atol=1e-9)
        assert np.allclose(r.Kqq, np.diag(np.diag(r.Kqq)), rtol=0, atol=1e-9 * abs(r.Kqq).max())


@pytest.mark.parametrize("method", METHODS[:3])
def test_unit_loads_are_exact(bent, method):
    """Displacement and rotation of the end under any wrench there, by the full stiffness matrix."""
    r = reduce(bent, ENDS, modes=2, method=method)
    f = np.array([1.0, -2, 3, 0.2, 0.5, -0.4])
    K = bent.K.toarray()[6:, 6:]
    due = np.linalg.solve(K, np.concatenate((np.zeros(len(K) - 6), f)))[-6:]
    node = r.nodes["end"]
    psi = np.vstack((node.psi_R, node.psi_theta))
    assert psi @ np.linalg.solve(r.Kqq, psi.T @ f) == pytest.approx(due, rel=1e-7)
    assert max(abs(e) for e in r.report().data["unit_loads"]["error"]) < 1e-8


def test_sparse_and_full_solutions_agree(block, monkeypatch):
    import pliant.flex.modes as fm
    whole = [reduce(block, FACES, modes=6, method=m) for m in ("craig-bampton", "free")]
    monkeypatch.setattr(fm, "DENSE", 10)
    for r, m in zip(whole, ("craig-bampton", "free"), strict=True):
        assert np.allclose(reduce(block, FACES, modes=6, method=m).frequencies, r.frequencies, rtol=1e-8)


def test_interfaces_are_found(block):
    beam = mesh_beam([(0, 0, 0), (1, 0, 0)], SECTION, MAT, 4)
    r = reduce(beam, {"a": 0, "b": {"point": (1, 0, 0), "position": (1.2, 0.1, 0)}, "c": (0.5, 0, 0)}, modes=1)
    psi = r.nodes["b"]
    tip = reduce(beam, {"a": 0, "b": 4, "c": 2}, modes=1).nodes["b"]
    arm = np.cross(tip.psi_theta.T, (0.2, 0.1, 0)).T
    gram = lambda p: p @ np.linalg.solve(r.Kqq, p.T)  # noqa: E731 - independent of signs
    assert np.allclose(gram(psi.psi_R), gram(tip.psi_R + arm), rtol=1e-9) and psi.u0 == pytest.approx((1.2, 0.1, 0))
    by_nodes = set(np.flatnonzero(abs(block.nodes[:, 0] - 0.5) < 1e-9).tolist())
    ways = [{"plane": "x = 0.5"}, {"plane": {"point": (0.5, 0, 0), "normal": (-2, 0, 0)}}, {"box": [(0.5, 1, 1), (0.5, 0, -1)]}, by_nodes,
            Interface(nodes=sorted(by_nodes))]
    found = [reduce(block, {"start": {"plane": "x = 0.1"}, "end": way}, modes=1) for way in ways]
    assert all(np.allclose(r.Kqq, found[0].Kqq) and r.nodes["end"].u0 == pytest.approx((0.5, 0.25, -0.27)) for r in found)


def test_shapes_of_the_user(bent):
    """Measured modes: the free ones, given from outside, with some rigid motion left in them."""
    free = reduce(bent, ENDS, modes=4, method="free")
    vectors = eigh(bent.K.toarray(), bent.M.toarray())[1][:, 6:10] + bent.rigid() @ np.random.default_rng(0).normal(size=(6, 4))
    given = reduce(bent, ENDS, shapes=vectors)
    assert np.allclose(given.frequencies, free.frequencies, rtol=1e-7)
    assert given.report().data["kinds"] == {"given": 4}


def test_names_of_plain_shapes(bent):
    r = reduce(bent, {"start": 0, "end": 16, "knee": POINTS[1]}, modes=2, orthonormal=False)
    assert r.names == [f"{n}.{k}" for n in ("end", "knee") for k in ("x", "y", "z", "rx", "ry", "rz")] + ["normal 1", "normal 2"]
    for k, name in enumerate(("end", "knee")):
        psi = np.vstack((r.nodes[name].psi_R, r.nodes[name].psi_theta))
        assert np.allclose(psi[:, 6 * k:6 * k + 6], np.eye(6), atol=1e-9) and np.allclose(psi[:, 12:], 0, atol=1e-9)


def test_matrices_from_outside(bent):
    """With rotations: the same as the mesh, up to lumping in what is of second order; without elements no stiffening."""
    r, own = (reduce(fe, ENDS, modes=4) for fe in (from_matrices(bent.nodes, bent.K, bent.M.toarray()), bent))
    a, b = r.integrals, own.integrals
    for name in ("m", "c0", "J0", "Mqq"):
        assert np.allclose(getattr(a, name), getattr(b, name), rtol=1e-8, atol=1e-8)
    assert np.allclose(abs(a.S), abs(b.S), atol=1e-8) and np.allclose(abs(a.B0), abs(b.B0), atol=1e-8)
    for name in ("G0", "J2", "B1"):
        x, y = abs(getattr(a, name))[:3], abs(getattr(b, name))[:3]
        x, y = (x[:, :3], y[:, :3]) if name == "J2" else (x[..., :3], y[..., :3])
        assert abs(x - y).max() < 0.02 * y.max(), name
    twice = a.G0 - np.swapaxes(a.G0, 1, 2)
    assert np.allclose(-np.stack([twice[:, 2, 1], twice[:, 0, 2], twice[:, 1, 0]]), 2 * a.B0 / 2, atol=1e-12)
    assert r.stiffening is None and "without elements" in str(r.report())


def test_report(bent):
    r = reduce(bent, ENDS, modes=4, frames={"knee": POINTS[1]})
    text, data = str(r.report()), r.report().data
    assert data["kinds"] == {"static": 6, "normal": 4} and data["removed"] == {"rigid": 6, "dependent": 0}
    assert data["free"]["full"][:3] == pytest.approx(full(bent)[:3].tolist(), rel=1e-8)
    assert data["held"]["full"][:3] == pytest.approx(full(bent, range(6))[:3].tolist(), rel=1e-8)
    assert all(e > -1e-9 for e in data["free"]["error"] + data["held"]["error"])  # a part is never softer than its mesh
    assert "10 elastic coordinates" in text and "knee at (0.9, 0.3, 0.5) m (not joined)" in text and "effective mass" in text
    everything = reduce(mesh_beam(POINTS, SECTION, MAT, 4, up=UP), ENDS, modes=18)
    moving = everything.report().data["effective_mass"]
    lost = 1 - np.array(moving)  # what the held node carries itself is not moved
    assert (lost > 0).all() and (lost < 0.15).all()
    json.dumps(data)


def test_files(bent, tmp_path):
    r = reduce(bent, ENDS, modes=3, frames={"knee": POINTS[1]})
    r.save(tmp_path / "part.h5")
    s = Reduced.load(tmp_path / "part.h5")
    assert s.names == r.names and s.stiffening.loads == r.stiffening.loads and s.report() == r.report()
    for a, b in [*zip(s.integrals, r.integrals, strict=True), (s.Kqq, r.Kqq), (s.stiffening.K, r.stiffening.K), (s.skin.psi, r.skin.psi),
                 *((x, y) for n in r.nodes for x, y in zip(s.nodes[n], r.nodes[n], strict=True))]:
        assert np.array_equal(a, b)
    data = bytearray((tmp_path / "part.h5").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "bad.h5").write_bytes(data)
    with pytest.raises(ValueError, match=r"bad.h5' is damaged: its bytes are not those"):
        Reduced.load(tmp_path / "bad.h5")
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["x"] = 1.0
    with pytest.raises(ValueError, match="not of a reduced part"):
        Reduced.load(tmp_path / "other.h5")
    with h5py.File(tmp_path / "part.h5", "r+") as f:
        del f["integrals/J2"]
    with pytest.raises(ValueError, match=r"'J2' is missing; take the file that Reduced\.save wrote"):
        Reduced.load(tmp_path / "part.h5")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        Reduced.load(tmp_path / "none.h5")


def test_from_integrals(tmp_path):
    one = reduce(mesh_beam(POINTS, SECTION, MAT, 4, up=UP), ENDS, modes=1)
    nodes = {"start": (one.nodes["start"].u0, one.nodes["start"].psi_R, one.nodes["start"].psi_theta), "end": one.nodes["end"]}
    r = from_integrals(*one.integrals, one.Kqq, nodes=nodes, Dqq=1e-4 * one.Kqq)
    r.save(tmp_path / "r.h5")
    again = Reduced.load(tmp_path / "r.h5")
    assert again.n == one.n and np.allclose(again.Dqq, 1e-4 * one.Kqq) and isinstance(again.nodes["start"], Node)
    assert "elastic coordinates" in str(again.report())
    for change, words in (({"m": -1.0}, "mass -1 kg"), ({"S": np.zeros((3, 2))}, r"S: its shape \(3, 2\) must be \(3, 7\)"),
                          ({"Mqq": -np.eye(7)}, "Mqq: must be positive definite"), ({"J0": np.full((3, 3), np.nan)}, "J0: holds numbers")):
        with pytest.raises(ValueError, match=words):
            from_integrals(*one.integrals._replace(**change), one.Kqq, nodes=nodes)
    with pytest.raises(ValueError, match="Kqq: must be symmetric"):
        from_integrals(*one.integrals, np.triu(np.ones((7, 7))), nodes=nodes)


# -- what is refused
def chain(n=4, dofs=6):
    fe = mesh_beam([(0, 0, 0), (1, 0, 0)], SECTION, MAT, n) if dofs == 6 else mesh_box((1, 0.1, 0.1), (n, 1, 1), MAT, "hex8")
    return fe.nodes, fe.K.tolil(), fe.M.tolil()


def loose_node():
    nodes, K, M = chain()
    return from_matrices(np.vstack((nodes, [[2, 0, 0]])), sp.block_diag((K, sp.csc_matrix((6, 6)))), sp.block_diag((M, np.eye(6))))


def grounded():
    nodes, K, M = chain()
    K[1, 1] += 1e6
    return from_matrices(nodes, K, M)


def negative_mass():
    nodes, K, M = chain()
    M[6, 6] = -1
    return from_matrices(nodes, K, M)


def hinged():
    """Two boxes that share an edge: they turn about it."""
    a, b = (mesh_box((1, 1, 1), (1, 1, 1), MAT, "hex8", origin=o) for o in ((0, 0, 0), (1, 1, 0)))
    nodes, K, M = list(a.nodes), sp.lil_matrix((42, 42)), sp.lil_matrix((42, 42))
    number = []
    for x in b.nodes:
        same = [k for k, y in enumerate(a.nodes) if np.allclose(x, y)]
        number.append(same[0] if same else len(nodes))
        nodes += [] if same else [x]
    for fe, at in ((a, range(8)), (b, number)):
        dofs = np.array([3 * k + j for k in at for j in range(3)])
        K[np.ix_(dofs, dofs)] += fe.K.toarray()
        M[np.ix_(dofs, dofs)] += fe.M.toarray()
    return reduce(from_matrices(nodes, K, M), modes=1)


def negative_stiffness():
    nodes, K, M = chain(3, 3)
    fe = mesh_box((1, 0.1, 0.1), (3, 1, 1), MAT, "hex8")
    w, v = eigh(fe.K.toarray())
    K = fe.K.toarray() - 2 * w[8] * np.outer(v[:, 8], v[:, 8])
    return reduce(from_matrices(nodes, K, M), modes=1)


def asymmetric():
    nodes, K, M = chain()
    return from_matrices(nodes, sp.triu(K), M)


BEAM = lambda: mesh_beam([(0, 0, 0), (1, 0, 0)], SECTION, MAT, 4)  # noqa: E731
BOX = lambda: mesh_box((1, 0.1, 0.1), (4, 1, 1), MAT, "hex8")      # noqa: E731
REFUSED = [
    (loose_node, r"K: node 5 at \(2, 0, 0\) is not attached to the rest"),
    (grounded, r"K: resists rigid motion \(displacement along y and rotation about z\)|K: resists rigid motion \(displacement along y\)"),
    (negative_mass, r"M: the mass at node 1 at \(0.25, 0, 0\) is -1; masses must not be negative"),
    (hinged, "K: is singular: something moves without resistance near node"),
    (negative_stiffness, "K: is negative: a deformation gives energy near node"),
    (asymmetric, r"K: must be symmetric, but entry .* one triangle"),
    (lambda: from_matrices([(0, 0, 0), (1, 0, 0)], np.eye(5), np.eye(5)), "K: 5 rows for 2 nodes; there must be 6 .* or 12"),
    (lambda: reduce(BOX(), {"a": (0, 0, 0)}, modes=1), "interface 'a': it has one node, which cannot hold a rotation"),
    (lambda: reduce(BOX(), {"a": {"box": [[0, 0, 0], [1, 0, 0]]}}, modes=1), "interface 'a': it has 5 nodes in a line"),
    (lambda: reduce(BOX(), {"a": {"plane": "x = 0.1"}}, modes=1), r"'a': no node is in the plane; the mesh lies between \[0, 0, 0\]"),
    (lambda: reduce(BOX(), {"a": {"box": [[2, 2, 2], [3, 3, 3]]}}, modes=1), "interface 'a': no node is in the box"),
    (lambda: reduce(BEAM(), {"a": set()}, modes=1), "interface 'a': nodes: the list is empty"),
    (lambda: reduce(BEAM(), {"a": 7}, modes=1), r"interface 'a': nodes: \[7\] must be whole numbers from 0 to 4"),
    (lambda: reduce(BEAM(), {"a": (0.3, 0, 0)}, modes=1), r"'a': point .* is not on a node; the nearest is node 1 at \(0.25, 0, 0\)"),
    (lambda: reduce(BEAM(), {"a": {"node": 0, "nodes": [1]}}, modes=1), "interface 'a': give one of node, .*; node and nodes are given"),
    (lambda: reduce(BEAM(), {"a": {"nodes": [0, 1]}, "b": {"nodes": [1, 2]}}, modes=1), "'a' and 'b' both hold node 1 rigidly"),
    (lambda: reduce(BEAM(), {"a": 0}, modes=99), "modes: 99 are asked for, there are 24"),
    (lambda: reduce(BEAM(), {"a": 0}), "modes: give either modes .* none is given"),
    (lambda: reduce(BEAM(), {"a": 0}, modes=1, frequency_limit=3), "both are given"),
    (lambda: reduce(BEAM(), {"a": 0}, modes=1, method="guyan"), "method: 'guyan' must be one of craig-bampton"),
    (lambda: reduce(BEAM(), modes=1, method="craig-bampton"), "interfaces: method='craig-bampton' needs at least one"),
    (lambda: reduce(BEAM(), {"a": 0}, shapes=np.zeros((3, 1))), r"shapes: an array of shape \(3, 1\) must be \(30, number\)"),
    (lambda: reduce(mesh_beam([(0, 0, 0), (1, 0, 0)], SECTION, MAT, 60), {"a": 0, "b": 60}, frequency_limit=100, method="free", error=1e-9),
     "frequency_limit: with 300 modes the error is still .* more than 1e-09; take method='craig-bampton'"),
    (lambda: mesh_beam([(0, 0, 0), (0, 0, 0)], SECTION, MAT), "points: the points 0 and 1 are the same"),
    (lambda: mesh_beam([(0, 0, 0), (1, 0, 0)], SECTION, MAT, 0), "elements: 0 must be a whole number of at least 1"),
    (lambda: mesh_beam([(0, 0, 0), (1, 0, 0)], SECTION, MAT, up=(1, 0, 0)), "up: .* must be a direction that is not along the beam"),
    (lambda: mesh_box((1, 0, 1), (1, 1, 1), MAT), "size: .* must be three lengths"),
    (lambda: mesh_box((1, 1, 1), (1, 1.5, 1), MAT), "divisions: .* must be three whole numbers"),
    (lambda: mesh_beam([(0, 0, 0), (1, 0, 0)], SECTION, pl.Material(1e9, 0.3, 0.0)), "M: all its entries are zero; give the material"),
    (lambda: pl.Material(1e9, 0.5, 1e3), "nu: 0.5 must be between -1 and 0.5"),
    (lambda: pl.Material("1 kg", 0.3, 1e3), "material: E: '1 kg' is a mass"),
    (lambda: pl.Section.rectangle(-1, 1), "section: width: -1 must be greater than zero"),
    (lambda: pl.Section.general(1, 1, 1, 1, Iyz=1.5), "section: Iyz: 1.5 is larger than"),
]


@pytest.mark.parametrize("make, words", REFUSED, ids=range(len(REFUSED)))
def test_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_millimetres_are_suspected():
    with pytest.warns(UserWarning, match="if its nodes are in mm"):
        mesh_box((300, 20, 20), (4, 1, 1), MAT, "hex8")
    fe = mesh_box((0.3, 0.02, 0.02), (4, 1, 1), MAT, "hex8")
    with pytest.warns(UserWarning, match="cannot vibrate at"):
        reduce(from_matrices(80 * fe.nodes, fe.K, fe.M), modes=1)
    with pytest.warns(UserWarning, match="make sound 5.17 m/s fast"):
        pl.Material(210e3, 0.3, 7850)
