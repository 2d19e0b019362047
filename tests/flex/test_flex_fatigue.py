"""Rainflow by the example of ASTM E1049, S-N curves, and the choice of modes for loads."""
import json
import re

import numpy as np
import pytest
from meshes import box, fe_of

import pliant as pl
from pliant.cli import execute
from pliant.flex.fatigue import SN, damage, rainflow, turning_points
from pliant.flex.reduction import shapes_of
from pliant.flex.selection import _vector, enrich, load_error
from pliant.items.base import matrix_of

MAT = pl.Material(210e9, 0.3, 7850)


def test_the_example_of_the_standard():
    """ASTM E1049-85, figure 6: -2, 1, -3, 5, -1, 3, -4, 4, -2."""
    c = rainflow([-2, 1, -3, 5, -1, 3, -4, 4, -2])
    assert c.table() == {3: 0.5, 4: 1.5, 6: 0.5, 8: 1.0, 9: 0.5}
    assert c.ranges.tolist() == [3, 4, 4, 8, 9, 8, 6] and c.means.tolist() == [-0.5, -1, 1, 1, 0.5, 0, 1]
    assert c.counts.tolist() == [0.5, 0.5, 1, 0.5, 0.5, 0.5, 0.5]


def test_counts_do_not_depend_on_points_between():
    corners = np.random.default_rng(1).normal(size=60)
    fine = np.interp(np.linspace(0, 59, 59 * 7 + 1), np.arange(60), corners)
    assert np.allclose(rainflow(fine).ranges, rainflow(corners).ranges)
    assert np.allclose(rainflow(np.repeat(corners, 3)).ranges, rainflow(corners).ranges)
    assert np.isclose((2 * rainflow(corners).counts).sum(), len(turning_points(corners)) - 1)
    assert rainflow([]).ranges.size == 0 and rainflow([1.0, 1.0]).ranges.size == 0


def test_damage_of_a_sine():
    """1000 cycles of amplitude 200 MPa, N = 1e6 (150/200)^5; below the knee nothing, or the second slope; Goodman's correction."""
    t = np.linspace(0, 1000, 40_001)
    history = 200e6 * np.sin(2 * np.pi * t)
    curve = SN("150 MPa", 1e6, 5)
    assert damage(history, curve) == pytest.approx(1000 / (1e6 * (150 / 200) ** 5), rel=2e-3)
    assert damage(0.5 * history, curve) == 0
    assert damage(0.5 * history, SN(150e6, 1e6, 5, below=9)) == pytest.approx(1000 / (1e6 * 1.5**9), rel=2e-3)
    corrected = damage(history + 100e6, SN(150e6, 1e6, 5, strength=500e6))
    assert corrected == pytest.approx(1000 / (1e6 * (150 / 250) ** 5), rel=5e-3)
    with pytest.raises(ValueError, match="SN: slope: -1 must be greater than zero"):
        SN(1e6, 1e6, -1)


def test_damage_at_points_of_a_part():
    """A bar that is pulled: stress q at every point, so the damage is that of q."""
    fe = pl.flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.rectangle(0.01, 0.01), MAT, 2)
    part = pl.flex.reduce(fe, {"a": 0, "b": 2}, modes=0, stress=True)
    pull = np.linalg.solve(part.Kqq, part.nodes["b"].psi_R.T @ [1e4, 0, 0])  # 100 MPa
    q = np.outer([0, 2, -1, 3, 0], pull)
    curve = SN(50e6, 1e6, 3)
    assert part.stress.damage(q, curve, [0, 5]) == pytest.approx([damage(np.array([0, 2, -1, 3, 0]) * 100e6, curve)] * 2, rel=1e-6)


# -- selection
def solid():
    return fe_of(box("tet10", (3, 1, 1), bend=0.2))


ENDS = {"a": "left", "b": {"group": "right", "coupling": "average"}}


@pytest.mark.parametrize("options", [{"modes": 2}, {"modes": 4, "method": "static-correction", "frame": "mean-axis"},
                                     {"modes": 5, "method": "free", "frame": "body-fixed"}])
def test_the_error_bound_is_above_the_error_and_near_it(options):
    """Against the full mesh, solved at every frequency, across resonances."""
    fe, load, eta = solid(), {("force", "b", 1): 10.0, ("acceleration", 2): 3.0}, 0.03
    found = load_error(fe, ENDS, load=load, frequencies=(0, 6000), damping=eta, points=6, **options)
    c = shapes_of(fe, ENDS, **options)
    s, V, f = c.s, c.V, _vector(c, load)
    from scipy.linalg import null_space
    Z = null_space(s.rows[0].toarray()) if c.frame == "body-fixed" else null_space((s.M @ s.R).T)
    K, M = (a.toarray() for a in (s.K, s.M))
    for frequency, bound in zip(found.frequencies, found.bound, strict=True):
        w = 2 * np.pi * frequency
        D = K * (1 + 1j * eta) - w**2 * M
        u = Z @ np.linalg.solve(Z.T @ D @ Z, Z.T @ f)
        x = np.linalg.solve(V.T @ D @ V, V.T @ f)
        e = u - V @ x
        error = np.sqrt((e.conj() @ K @ e).real / ((V @ x).conj() @ K @ (V @ x)).real)
        assert error <= bound * (1 + 1e-6) + 1e-7 and bound <= 1.5 * error + 1e-6
    assert found.worst == found.bound.max()


ROD = """pliant: 1
material: {E: 210 GPa, nu: 0.3, rho: 7850 kg/m^3}
mesh: {beam: {points: [[0, 0, 0], [0.6, 0, 0]], section: {rectangle: {width: 20 mm, height: 10 mm}}, elements: 12}}
interfaces: {root: 0}
frames: {middle: 4, off: 8}
reduce: {modes: 1, stress: true}
"""
PRESSED = """pliant: 1
name: pressed rod
bodies:
  rod: {kind: modal, reduced: PART, damping: 0.7, rotation: {axis: [1, 2, 3], angle: 40 deg}}
joints:
  clamp: {kind: fixed, between: [ground, rod.root]}
forces:
  push: {kind: force, frame: rod.middle, vector: ["0", "0", "if(t < 0.05, 20*sin(10*pi*t)^2, 20)"], axes: frame}
  turn: {kind: torque, frame: rod.off, vector: [0, 0, 2], axes: frame}
simulate: {duration: 0.3, output_step: 0.01}
"""


def test_a_poor_part_is_told_and_enriched_by_one_command(tmp_path, capsys):
    """A cantilever with one mode, a force and a moment inside its span: the summary names what it cannot follow; after enrichment it rests
    at the deflections of beam theory, F a^3 / 3 E I and M b^2 / 2 E I, with the moments F (a - x) and M in its sections."""
    E, b, h, a, c, F, M = 210e9, 0.02, 0.01, 0.2, 0.4, 20.0, 2.0
    (tmp_path / "rod.yaml").write_text(ROD)
    (tmp_path / "poor.yaml").write_text(PRESSED.replace("PART", "poor.h5"))
    (tmp_path / "good.yaml").write_text(PRESSED.replace("PART", "good.h5"))
    assert execute(["flex", "reduce", str(tmp_path / "rod.yaml"), "-o", str(tmp_path / "poor.h5")]) == 0
    capsys.readouterr()

    def rest(name):
        assert execute(["run", str(tmp_path / f"{name}.yaml"), "-o", str(tmp_path / f"{name}_run.h5"), "--no-progress"]) == 0
        sol = pl.load(tmp_path / f"{name}_run.h5")
        at = {k: sol[f"rod.{k}.position"][-1] @ matrix_of(sol["rod.rotation"][-1].tolist()) for k in ("middle", "off")}
        return sol, at, capsys.readouterr().out
    sol, at, told = rest("poor")
    z, y = F * a**3 / (3 * E * b * h**3 / 12), M * c**2 / (2 * E * h * b**3 / 12)
    assert abs(at["middle"][2] / z - 1) > 0.05
    assert re.search(r"of 'rod' cannot follow \d\d % of its largest load, at t = 0\.\d+ s, mostly of the moment at 'off' about z;", told)
    assert execute(["flex", "enrich", str(tmp_path / "poor_run.h5"), str(tmp_path / "rod.yaml"), "-o", str(tmp_path / "good.h5"),
                    "--missed", "1e-4"]) == 0
    told = capsys.readouterr().out
    assert "of the load cannot be followed by the modes, mostly of the moment at 'off' about z" in told and "now, with 4 coord" in told
    sol, at, told = rest("good")
    assert at["middle"][2] == pytest.approx(z, rel=1e-3) and at["off"][1] == pytest.approx(y, rel=1e-3)
    assert "of 'rod' follow its loads" in told
    forces = sol.stress("rod").forces(0.3)
    assert np.allclose(forces[:4, 0, 4], -F * (a - 0.05 * np.arange(4)), rtol=2e-3)
    assert np.allclose(forces[:8, :, 5], M, rtol=2e-3) and abs(forces[8:, :, 5]).max() < 2e-3 * M
    assert execute(["flex", "stress", str(tmp_path / "good_run.h5"), "--from", "0.2", "--curve", "100 MPa, 1e6, 5", "--json", "-o",
                    str(tmp_path / "rod.png")]) == 0
    spot = json.loads(capsys.readouterr().out)["hot_spots"][0]
    assert spot["von_mises"] == pytest.approx(F * a / (b * h**2 / 6) + M / (h * b**2 / 6), rel=2e-3) and abs(spot["position"][0]) < 1e-9
    found = pl.load(tmp_path / "good_run.h5").stress("rod").between(0.2, 1.0)
    assert spot["time"] == found.hot_spots(1)[0].time >= 0.2 and found.hot_spots(1)[0].time in found.t
    assert spot["damage"] < 1e-12 and (tmp_path / "rod.png").stat().st_size > 1000
    assert execute(["flex", "stress", str(tmp_path / "good_run.h5"), "--curve", "100 MPa, 5"]) == 1
    assert "must be three values" in capsys.readouterr().err
    assert execute(["flex", "enrich", str(tmp_path / "poor_run.h5"), str(tmp_path / "rod.yaml"), "--body", "rid"]) == 1
    assert "there are rod; name one with --body" in capsys.readouterr().err


def test_recorded_loads_hold_the_body_in_equilibrium():
    """In 3-D, tumbling: forces and moments at all frames, with the inertia of the whole, add to zero."""
    fe = pl.flex.mesh_beam([(0, 0, 0), (0.4, 0.1, 0)], pl.Section.rectangle(0.03, 0.02), pl.STEEL, 6)
    part = pl.flex.reduce(fe, {"a": 0, "b": 6}, modes=1, frames={"c": 3})
    m = pl.Model("tumbling", gravity=(1, -2, -9.81))
    m.add(pl.ModalBody("rod", part, rotation={"axis": (1, -2, 0.5), "angle": 1.1}, damping=0.9))
    m.add(pl.Spherical("ball", m.ground, "rod.a"))
    m.add(pl.SpringDamper("spring", m.ground.frame((0.5, 0.5, 0.5)), "rod.b", stiffness=300, damping=1))
    m.add(pl.Force("push", "rod.c", (0.1, 0.2, 0.3), axes="frame"))
    m.add(pl.Torque("turn", "rod.b", (0.02, 0.01, -0.03)))
    sol = m.simulate(0.3, step=5e-4, integrator="generalized-alpha", progress=False)
    loads, i = sol.loads("rod"), part.integrals
    three = {k: np.stack([loads[*k, a] for a in range(3)], axis=1) for k in (("acceleration",), ("angular",), ("force", "a"),
             ("force", "b"), ("force", "c"), ("moment", "a"), ("moment", "b"))}
    w, alpha = sol["rod.angular_velocity"], three["angular",]
    acc = i.m * three["acceleration",] + np.cross(alpha, i.c0) + np.cross(w, np.cross(w, i.c0))
    total = sum(three["force", k] for k in "abc") - acc
    late = sol.t > 0.1  # the vibration of the start has died away
    assert abs(total[late]).max() < 1e-3 * abs(acc[late]).max()
    arm = {k: part.nodes[k].u0 for k in "abc"}
    moment = sum(np.cross(arm[k], three["force", k]) for k in "abc") + three["moment", "a"] + three["moment", "b"]
    spin = np.cross(i.c0, three["acceleration",]) + alpha @ i.J0.T + np.cross(w, w @ i.J0.T)
    assert abs(moment - spin)[late].max() < 1e-3 * abs(spin[late]).max()


def test_loads_that_slide_are_shared_by_the_nodes_beside_them():
    """A trolley at rest between two nodes of a cantilever: its weight on the rail, with the resultant where it is."""
    mesh = pl.flex.mesh_beam([(0, 0, 0), (3, 1, 0)], pl.Section.rectangle(0.1, 0.15), pl.STEEL, elements=8)
    boom = pl.flex.reduce(mesh, {"root": 0, "tip": 8}, modes=4, lines={"rail": {"from": (0, 0, 0), "to": (3, 1, 0)}})
    m = pl.Model("boom", gravity=(0, 0, -10))
    m.add(pl.ModalBody("boom", boom, position=(1, 2, 3), damping=0.5))
    m.add(pl.RigidBody.box("trolley", (0.2, 0.2, 0.2), mass=50))
    m.add(pl.Fixed("tower", m.ground.frame((1, 2, 3)), "boom.root"))
    m.add(pl.SlidingOnBeam("wheels", "boom.rail", "trolley", turning="none", displacement=1.7))
    m.add(pl.Drive("wheels", "displacement", 1.7, name="brake"))
    sol = m.simulate(0.01, start="static", progress=False)
    loads, nodes = sol.loads("boom"), boom.lines["rail"]
    F = np.array([[loads["force", n, a][-1] for a in range(3)] for n in nodes])
    assert np.allclose(F.sum(axis=0), [0, 0, -500], atol=1.0) and (abs(F[:, 2]) > 1).sum() == 2
    x = np.array([boom.nodes[n].u0 for n in nodes])
    assert np.allclose((F[:, 2] @ x) / F[:, 2].sum(), 1.7 * np.array([3, 1, 0]) / np.sqrt(10), atol=1e-3)
    assert "of 'boom'" in sol.summary()


def test_loads_that_modes_cannot_follow_are_named_and_enriched():
    """A force inside the span is no interface load; one static shape of it makes it exact, and stress with it."""
    fe = solid()
    x = fe.nodes
    middle = np.flatnonzero((abs(x[:, 0] - 0.1) < 0.04) & (x[:, 2] > 0.02 - 1e-9))
    options = {"modes": 0, "frames": {"middle": {"nodes": middle.tolist(), "coupling": "average"}}}
    part = pl.flex.reduce(fe, ENDS, **options)
    assert all(v < 1e-5 for (kind, place, *_), v in part.represented.missed().items() if place == "b")
    t = np.linspace(0, 1, 50)
    recorded = {("force", "middle", 2): 100 * np.sin(7 * t), ("force", "b", 0): 50 * np.cos(t)}
    told = part.represented.of(recorded)
    assert told.load == ("force", "middle", 2) and 0.02 < told.worst < 1 and "force at 'middle' along z" in str(told)
    assert told.missed[0] < 1e-4 < told.missed[30]
    assert "loads that the shapes cannot follow:" in str(part.report()) and part.report().data["missed"]["force at 'middle' along z"] > 0.02
    better = enrich(fe, ENDS, recorded=recorded, missed=0.01, **options)
    assert better.n == part.n + 1 and better.represented.of(recorded).worst < 1e-4
    inertia = {("centrifugal", 2, 2): np.ones(3), ("acceleration", 0): np.arange(3.0)}
    assert enrich(fe, ENDS, recorded=inertia, missed=1e-3, **options).represented.of(inertia).worst < 1e-3
    with pytest.raises(ValueError, match="is none of this part"):
        part.represented.of({("force", "nowhere", 0): [1.0]})
