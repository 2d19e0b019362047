"""Loads that are spread over a part: resultants, static shapes, stiffening, pressure on every kind of element, files, texts, refusals."""
import h5py
import numpy as np
import pytest
from meshes import KINDS, box, fe_of
from scipy.linalg import eigh
from scipy.sparse.linalg import spsolve

import pliant as pl
from pliant import flex
from pliant.cli import execute
from pliant.flex.distributed import spread_loads
from pliant.flex.files import image
from pliant.flex.reduced import PartLoad

B, H = 0.02, 0.01
EI = 210e9 * B * H**3 / 12
SECTION = pl.Section.rectangle(B, H)


def beam(points=((0, 0, 0), (1, 0, 0)), elements=10, **more) -> flex.FE:
    return flex.mesh_beam(list(points), SECTION, pl.STEEL, elements=elements, **more)


def one(fe, **load):
    return spread_loads(fe, {"load": load})["load"]


def held(part: flex.Reduced, load: str) -> np.ndarray:
    return np.linalg.solve(part.Kqq, part.loads[load].modal)


# -- beams
@pytest.mark.parametrize("mass", ["consistent", "lumped"])
def test_a_cantilever_under_line_loads(mass):
    """Uniform w L^4 / 8 EI, and w0 x / L that grows to its end 11 w0 L^4 / 120 EI: exact at the nodes."""
    part = flex.reduce(beam(mass=mass), {"root": 0, "tip": (1, 0, 0)}, modes=1,
                       loads={"even": {"line": (0, 0, "3 N/m")}, "growing": {"line": (0, 0, "3*x")}})
    tip = part.nodes["tip"].psi_R[2]
    assert tip @ held(part, "even") == pytest.approx(3 / (8 * EI), rel=1e-9)
    assert tip @ held(part, "growing") == pytest.approx(3 * 11 / (120 * EI), rel=1e-9)
    np.testing.assert_allclose(part.loads["growing"].force, (0, 0, 1.5), atol=1e-14)
    np.testing.assert_allclose(part.loads["growing"].moment, (0, -1.0, 0), atol=1e-14)


def test_a_beam_on_two_supports():
    """5 w L^4 / 384 EI in the middle, from the shapes of the part; without that of the load the modes miss some of it."""
    ends = {"left": (0, 0, 0), "right": (1, 0, 0), "middle": (0.5, 0, 0)}
    sag = {}
    for shape in (True, False):
        part = flex.reduce(beam(), {k: ends[k] for k in ("left", "right")}, modes=0, frames={"middle": ends["middle"]},
                           loads={"snow": {"line": (0, 0, "-2 N/m"), "shape": shape}})
        A = np.vstack([part.nodes["left"].psi_R, part.nodes["right"].psi_R[1:], part.nodes["left"].psi_theta[:1]])
        K = np.block([[part.Kqq, np.zeros((part.n, 6))], [np.zeros((6, part.n)), np.zeros((6, 6))]])
        # displacement of the part, and a rigid motion of its frame (t, r), held at the supports
        R = np.vstack([_motion(ends["left"])[:3], _motion(ends["right"])[1:3], _motion(ends["left"])[3:4]])
        C = np.hstack([A, R])
        f = np.concatenate([part.loads["snow"].modal, part.loads["snow"].force, part.loads["snow"].moment])
        x = np.linalg.lstsq(np.block([[K, C.T], [C, np.zeros((6, 6))]]), np.concatenate([f, np.zeros(6)]), rcond=None)[0]
        sag[shape] = part.nodes["middle"].psi_R[2] @ x[:part.n] + _motion(ends["middle"])[2] @ x[part.n:part.n + 6]
        missed = part.represented.missed()["load", "snow"]
        assert (missed < 1e-6) is shape
    assert sag[True] == pytest.approx(-5 * 2 / (384 * EI), rel=1e-9)
    assert sag[False] != pytest.approx(sag[True], rel=0.01)


def _motion(x) -> np.ndarray:
    x, y, z = x
    return np.block([[np.eye(3), np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])], [np.zeros((3, 3)), np.eye(3)]])


def test_a_column_buckles_under_a_load_along_it():
    """Greenhill: w L^3 / EI = 7.8373."""
    part = flex.reduce(beam(elements=20), {"foot": 0}, modes=12, loads={"weight": {"line": ("-1 N/m", 0, 0)}})
    critical = 1 / eigh(-part.stiffening.of("load", "weight"), part.Kqq, eigvals_only=True)[-1]
    assert critical / EI == pytest.approx(7.8373, rel=1e-4)


def test_lines_on_some_elements_of_a_bent_beam():
    """On elements between chosen nodes alone, by length; resultants against an integral by hand."""
    fe = beam(((0, 0, 0), (0.6, 0, 0), (0.6, 0.8, 0)), elements=[6, 8])
    load = one(fe, line=(0, "2*y", "1 N/m"), box=[(0.6, 0, 0), (0.6, 0.8, 0)])
    assert load.f.sum(axis=0) == pytest.approx([0, 0.8**2, 0.8])
    assert np.cross(load.x, load.f).sum(axis=0) == pytest.approx([0.8**2 / 2, -0.6 * 0.8, 0.6 * 0.8**2])


def test_forces_on_the_mass_and_at_nodes():
    """On the mass: the static shape of an acceleration; at a node: that of a unit force there."""
    for fe in (beam(), flex.mesh_box((0.3, 0.05, 0.02), (4, 1, 1), pl.STEEL, "hex20")):
        ends = {"root": {"plane": "x = 0"}}
        part = flex.reduce(fe, ends, modes=3, loads={"pull": {"per_mass": (0, "3 N/kg", "-2 m/s^2")}}, method="krylov")
        loads = part.represented.loads
        C = part.represented.full
        pull, a = C[loads.index(("load", "pull"))], [C[loads.index(("acceleration", k))] for k in range(3)]
        np.testing.assert_allclose(pull, -3 * a[1] + 2 * a[2], atol=1e-12 * abs(pull).max())
        np.testing.assert_allclose(part.loads["pull"].force, part.integrals.m * np.array([0, 3, -2]), atol=1e-12)
    part = flex.reduce(beam(), {"root": 0, "tip": (1, 0, 0)}, modes=1, loads={"push": {"forces": {10: (0, 1, "2 N")}}})
    np.testing.assert_allclose(part.loads["push"].modal, (0, 1, 2) @ part.nodes["tip"].psi_R, atol=1e-12)
    K = part.stiffening.of("load", "push") - part.stiffening.of("force", "tip", 1) - 2 * part.stiffening.of("force", "tip", 2)
    assert abs(K).max() < 1e-9 * abs(part.Kqq).max()


# -- pressure
@pytest.mark.parametrize("kind", KINDS)
def test_pressure_on_every_kind_of_element(kind):
    """Total on a face; a fluid lifts by its weight (Archimedes); it follows the surface: to first order as on the displaced mesh."""
    fe = fe_of(box(kind, (2, 2, 2)))
    face = one(fe, pressure="2 bar", plane="x = 0.2")
    assert face.f.sum(axis=0) == pytest.approx([-2e5 * 0.04 * 0.02, 0, 0], abs=1e-9)
    fe = fe_of(box(kind, (2, 2, 2), bend=0.3))
    rng = np.random.default_rng(3)
    assert one(fe, pressure="1000*9.81*(1 - z)").f.sum(axis=0) == pytest.approx([0, 0, 9810 * fe.mass / 7850], abs=1e-9)
    load, d, x = one(fe, pressure="1e5 Pa"), 1e-3 * rng.normal(size=fe.K.shape[0]), fe.nodes.copy()
    moved = []
    for sign in (1, -1):
        fe.nodes[:] = x + sign * d.reshape(-1, 3)
        moved.append(one(fe, pressure="1e5 Pa").f)
    np.testing.assert_allclose((load.D @ d).reshape(-1, 3), (moved[0] - moved[1]) / 2, atol=1e-9)


def test_a_solid_cantilever_under_pressure():
    """Against the mesh solved directly, and a beam with shear, w L^4 / 8 EI + w L^2 / 2 kGA, as far as a clamp that does not hinder
    contraction across (nu = 0) allows."""
    size, p, metal = (0.4, 0.02, 0.02), 1e4, pl.Material(210e9, 0.0, 7850)
    fe = flex.mesh_box(size, (16, 1, 2), metal, "hex20")
    part = flex.reduce(fe, {"root": {"plane": "x = 0"}}, modes=1, frames={"tip": {"plane": "x = 0.4", "coupling": "average"}},
                       loads={"wind": {"pressure": p, "plane": "z = 0.02"}})
    tip = (part.nodes["tip"].psi_R @ held(part, "wind"))[2]
    free = np.repeat(fe.nodes[:, 0] > 1e-9, 3)
    d = np.zeros(len(free))
    d[free] = spsolve(fe.K[free][:, free], one(fe, pressure=p, plane="z = 0.02").vector()[free])
    last = np.flatnonzero(fe.nodes[:, 0] > 0.4 - 1e-9)
    assert tip == pytest.approx(d.reshape(-1, 3)[last, 2].mean(), rel=1e-9)
    w, I, A = p * size[1], size[1] * size[2]**3 / 12, size[1] * size[2]
    beam = w * 0.4**4 / (8 * 210e9 * I) + w * 0.4**2 / (2 * 5 / 6 * metal.G * A)
    assert -tip == pytest.approx(beam, rel=1e-3)


def test_pressure_on_a_group_of_a_mesh_that_was_read():
    fe = fe_of(box("hex20", (2, 2, 2)))
    assert one(fe, pressure="3 MPa", group="left").f.sum(axis=0) == pytest.approx([3e6 * 0.04 * 0.02, 0, 0], abs=1e-6)


# -- files, texts
def test_files_with_and_without_loads(tmp_path):
    loads = {"wind": {"line": (0, "x", 1), "follows": True}, "pull": {"per_mass": (1, 0, 0)}}
    part = flex.reduce(beam(), {"root": 0}, modes=2, loads=loads)
    part.save(tmp_path / "new.h5")
    back = flex.Reduced.load(tmp_path / "new.h5")
    assert back.same_as(part) and list(back.loads) == ["wind", "pull"]
    for name, load in part.loads.items():
        assert all(np.array_equal(a, b) for a, b in zip(load, back.loads[name], strict=True)) and len(load) == len(PartLoad._fields)
    (tmp_path / "old.h5").write_bytes(image(part))
    with h5py.File(tmp_path / "old.h5", "r+") as f:  # as they were written before there were loads
        del f["loads"]
    assert flex.Reduced.load(tmp_path / "old.h5").loads == {}


TEXT = """\
pliant: 1
material: steel
mesh: {beam: {points: [[0, 0, 0], [1, 0, 0]], section: {rectangle: {width: 20 mm, height: 10 mm}}, elements: 10}}
interfaces: {root: 0}
loads:
  wind: {line: [0, 20 N/m * x, 1 N/m], follows: true}
  weight: {per_mass: [0, 0, -9.81 N/kg], shape: false}
  push: {forces: {10: [0, 0, 2 kN]}}
reduce: {modes: 2}
"""


def test_the_text_of_a_part(tmp_path, capsys):
    (tmp_path / "part.yaml").write_text(TEXT)
    assert execute(["flex", "reduce", str(tmp_path / "part.yaml"), "-o", str(tmp_path / "part.h5")]) == 0
    told = capsys.readouterr().out
    assert "2 normal, 2 load" in told and "load 'wind': force (0, 10, 1) N, moment (0, -0.5, 6.66667) N m about the origin" in told
    made = flex.reduce(beam(), {"root": 0}, modes=2, loads={
        "wind": {"line": (0, "20*x", 1.0), "follows": True}, "weight": {"per_mass": (0, 0, -9.81), "shape": False},
        "push": {"forces": {10: (0, 0, 2000)}}})
    back = flex.Reduced.load(tmp_path / "part.h5")
    for name in made.loads:
        for a, b in zip(made.loads[name], back.loads[name], strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12 * max(1.0, abs(a).max(initial=0.0)))


WRONG = {  # a load: what is said, with the line of the text
    "{line: [0, 0, 20 N]}": "6: loads.wind.line: '20 N' is a force [N], a stiffness [N/m] is due",
    "{line: 20 N/m}": "6: loads.wind.line: '20 N/m' must be three numbers or expressions of x, y, z [N/m]",
    "{line: [0, 0, 2*t]}": "6: loads.wind.line: ***unknown name 't'; known are x, y, z",
    "{line: [0, 0, x*A.angle]}": "6: loads.wind.line: ***'A.angle' is a channel; a load of a part is a function of x, y and z",
    "{line: [0, 0, 1/x/0]}": "6: loads.wind.line: ***'1/x/0' is not a finite number at",
    "{line: [0, 0, 0]}": "6: loads.wind.line: [0, 0, 0] is zero everywhere; leave the load out",
    "{line: [0, 0, 1], plane: x = 0.5}": "6: loads.wind: none of the elements has both its ends there; choose more nodes",
    "{line: [0, 0, 1], plane: x = 0.55}": "6: loads.wind: no node is in the plane",
    "{line: [0, 0, 1], box: [[0, 0, 0], [1, 0, 0]], nodes: [1, 2]}":
        "6: loads.wind: give one of nodes, box, plane, group; nodes and box are given",
    "{pressure: 1 bar}": "6: loads.wind.pressure: it is for meshes of solids; this is beam, euler-bernoulli. Take line",
    "{line: [0, 0, 1], pressure: 1}": "6: loads.wind: give one of line, pressure, per_mass, forces; line and pressure are given",
    "{}": "6: loads.wind: give one of line, pressure, per_mass, forces; none is given",
    "{presure: 1 bar}": "6: loads.wind: unknown entry 'presure'; did you mean 'pressure'?",
    "20 N/m": "6: loads.wind: '20 N/m' must be a mapping with one of line, pressure, per_mass, forces",
    "{per_mass: [0, 0, 1 N]}": "6: loads.wind.per_mass: '1 N' is a force [N], an acceleration [N/kg] is due",
    "{per_mass: [0, 0, 1], nodes: [1]}": "6: loads.wind.nodes: per_mass is not about some nodes; leave it out",
    "{per_mass: [0, 0, 1], follows: true}": "6: loads.wind.follows: it is for line loads and forces on meshes with rotations",
    "{line: [0, 0, 1], follows: 1}": "6: loads.wind.follows: 1 must be true or false",
    "{forces: {11: [0, 0, 1]}}": "6: loads.wind.forces: 11 is no node; nodes are numbered from 0 to 10",
    "{forces: [1, 2]}": "6: loads.wind.forces: ***must be a mapping of nodes to forces, such as {4: [0, 0, -10 N]}",
}


@pytest.mark.parametrize("load", WRONG)
def test_wrong_loads_are_told_with_their_line(load, tmp_path, capsys):
    (tmp_path / "part.yaml").write_text(TEXT.replace("{line: [0, 20 N/m * x, 1 N/m], follows: true}", load))
    assert execute(["flex", "reduce", str(tmp_path / "part.yaml")]) == 1
    told, due = capsys.readouterr().err, WRONG[load]
    assert all(piece in told for piece in f"part.yaml:{due}".split("***")), told


def test_wrong_loads_in_python():
    with pytest.raises(ValueError, match=r"loads: .* must be a mapping of names to loads.*static shapes of further loads are load_shapes"):
        flex.reduce(beam(), {"root": 0}, modes=1, loads=[{("force", "root", 0): 1.0}])
    cube, root = flex.mesh_box((1, 1, 1), (1, 1, 1), pl.STEEL), {"root": {"plane": "x = 0"}}
    with pytest.raises(ValueError, match="load 'wind': line: a line load is for beams; this is solid, hex20"):
        flex.reduce(cube, root, modes=1, loads={"wind": {"line": (0, 0, 1)}})
    with pytest.raises(ValueError, match="no face of the surface has all its nodes there"):
        flex.reduce(cube, root, modes=1, loads={"wind": {"pressure": 1.0, "nodes": [0, 1, 2]}})
    with pytest.raises(ValueError, match="load '2': its name must be a word"):
        flex.reduce(beam(), {"root": 0}, modes=1, loads={"2": {"line": (0, 0, 1)}})
    with pytest.raises(ValueError, match=r"load_shapes: .* is none"):
        flex.reduce(beam(), {"root": 0}, modes=1, load_shapes=[{("force", "tip", 0): 1.0}])
