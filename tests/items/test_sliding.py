"""Joints that slide along a line of a flexible body: moving loads, curvature forces, conservation, every method, and wrong input."""
from functools import cache

import numpy as np
import pytest
from flexible_models import bridge
from scipy.integrate import solve_ivp
from sliding_models import SOFT, STEEL, B, H, L, crane, floating, geared

import pliant as pl
from pliant.kernels import evaluation
from pliant.kernels.contract import V
from pliant.start.assembly import start_row


# -- a load that moves over a bridge
def series(mass, speed, modes=12):
    """The mass and the sine series of an Euler beam, as one set of equations: deflections of the middle and under the mass at times t."""
    k = np.arange(1, modes + 1) * np.pi / L
    M, K = STEEL.rho * B * H * L / 2, STEEL.E * B * H**3 / 12 * k**4 * L / 2

    def rates(t, y):
        q, v = y[:modes], y[modes:]
        p, p1, p2 = np.sin(k * speed * t), k * np.cos(k * speed * t), -k**2 * np.sin(k * speed * t)
        force = -mass * p * (9.81 + 2 * speed * p1 @ v + speed**2 * p2 @ q) - K * q
        return np.concatenate([v, np.linalg.solve(M * np.eye(modes) + mass * np.outer(p, p), force)])
    found = solve_ivp(rates, (0, L / speed), np.zeros(2 * modes), rtol=1e-9, atol=1e-12, dense_output=True, method="DOP853").sol

    def at(t):
        q = found(t)[:modes]
        return q.T @ np.sin(k * L / 2), np.einsum("kt,kt->t", q, np.sin(k[:, None] * speed * t))
    return at


@pytest.mark.parametrize(("mass", "speed", "rolled"), [(30.0, 20.0, 0.0), (75.0, 40.0, 0.7)])
def test_a_mass_that_crosses_a_bridge(mass, speed, rolled):
    """``rolled``: the whole about x, so that nothing is along an axis."""
    turn = pl.rotation("x", rolled)
    up = np.array([0, -np.sin(rolled), np.cos(rolled)])
    m = pl.Model("bridge")
    beam = m.add(pl.ModalBody("beam", bridge(), position=(0, 0, 0), rotation=turn))
    load = m.add(pl.RigidBody.sphere("load", 0.05, mass=mass))
    m.add(pl.Revolute("A", m.ground.frame((0, 0, 0), turn), beam["start"], axis="y"))
    m.add(pl.PointOnLine("C", m.ground.frame((L, 0, 0)), beam["end"], axis="x"))
    m.add(pl.SlidingOnBeam("S", beam["rail"], load))
    m.add(pl.Drive("S", "displacement", f"{speed}*t", name="wheel"))
    m.add(pl.Force("weight", load, tuple(-9.81 * mass * up)))
    sol = m.simulate(L / speed, output_step=L / speed / 200)
    middle, under = series(mass, speed)(sol.t)
    assert abs(sol["beam.middle.position"] @ up - middle).max() < 0.003 * abs(middle).max()  # 0.01 asked for; shear is a part of it
    assert abs(sol["load.position"] @ up - under).max() < 0.003 * abs(under).max()
    np.testing.assert_allclose(sol["load.position.x"], speed * sol.t, atol=1e-5)  # a bent beam is shorter
    np.testing.assert_allclose(sol["S.displacement"], speed * sol.t, atol=1e-12)
    force = sol["S.force"] - mass * (sol["load.acceleration"] + 9.81 * up)  # Newton's law of the mass, with its drive
    along = sol["wheel.effort"]
    assert np.linalg.norm(force, axis=1).max() < np.abs(along).max() + 1e-6 * 9.81 * mass


@pytest.mark.parametrize("turning", ["free", "axis", "none"])
def test_nothing_jumps_where_nodes_are_passed(turning):
    """A state at a node, and the same with the frame 1e-11 m before and behind it: velocities and accelerations."""
    m = floating(turning)
    d = m.compile()
    start_row(d)
    s, x = d.system, d.x
    name, iq, _, _ = s.lines[0]
    rng = np.random.default_rng(1)
    x.v[:s.n_v], x.a[:s.n_v] = rng.normal(size=(2, s.n_v))
    record = d.directory.joints[name]

    def frame(at):
        x.q[iq] = at
        evaluation.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        return x.X[record.a].copy()
    part = m["beam"].reduced
    nodes = np.array([part.nodes[n].u0 for n in part.lines["rail"]])
    places = np.cumsum(np.linalg.norm(np.diff(nodes, axis=0), axis=1))[:-1]
    assert len(places) == 15
    for place in places:
        jump = abs(frame(place - 1e-11) - frame(place + 1e-11))
        assert jump[V:V + 6].max() < 1e-8 and jump.max() < 1e-6  # accelerations change by 1e3 a metre


# -- curvature
@pytest.mark.parametrize("turning", ["free", "none"])
def test_a_fast_slider_on_an_arc_pushes_with_m_v2_over_r(turning):
    radius, n = 2.0, 24
    a = np.linspace(-0.9, 0.9, n + 1)
    points = np.column_stack([radius * np.sin(a), 0 * a, radius * (1 - np.cos(a))]) @ pl_matrix(np.array((0.5, -0.1, 0.7, 0.5))).T
    mesh = pl.flex.mesh_beam(points, pl.Section.rectangle(0.2, 0.2), STEEL, elements=n)
    m = pl.Model("arc")
    arc = m.add(pl.ModalBody("arc", pl.flex.reduce(mesh, {"start": points[0], "end": points[-1]}, modes=2, lines={"rail": range(n + 1)}),
                             position=(0, 0, 0)))
    m.add(pl.RigidBody.sphere("bead", 0.01, mass=0.3))
    for end, p in (("start", points[0]), ("end", points[-1])):
        m.add(pl.Fixed(end, m.ground.frame(p), arc[end]))
    m.add(pl.SlidingOnBeam("S", arc["rail"], "bead", turning=turning, displacement=1.0, displacement_rate=10.0))
    sol = m.simulate(0.1)
    np.testing.assert_allclose(np.linalg.norm(sol["S.force"], axis=1), 0.3 * 100 / radius, rtol=0.01)
    assert np.ptp(sol["S.displacement_rate"]) < 1e-3


def test_a_fast_slider_on_a_bent_beam_pushes_with_m_v2_kappa():
    """A bridge bent by a static load in its middle, a light slider: the curvature is that of the bending moment."""
    def bent(**start):
        m = pl.Model("bent")
        beam = m.add(pl.ModalBody("beam", bridge(), position=(0, 0, 0), **start))
        m.add(pl.Revolute("A", m.ground, beam["start"], axis="y"))
        m.add(pl.PointOnLine("C", m.ground.frame((L, 0, 0)), beam["end"], axis="x"))
        m.add(pl.Force("pull", beam["middle"], (0, 0, -2000.0)))
        return m
    st = bent().static()
    m = bent(modal=st["beam.modal"], modal_rate=0 * st["beam.modal"], rotation=st["beam.rotation"])
    m.add(pl.RigidBody.sphere("bead", 0.01, mass=1e-4))
    m.add(pl.SlidingOnBeam("S", "beam.rail", "bead", displacement=0.4, displacement_rate=60.0))
    sol = m.simulate(0.02)
    x = sol["S.displacement"]
    inside = (x > 0.5) & (x < 1.5)
    assert inside.sum() > 20
    kappa = 1000.0 * x / (STEEL.E * B * H**3 / 12)
    np.testing.assert_allclose(sol["S.force"][inside, 2], 1e-4 * 60.0**2 * kappa[inside], rtol=0.01)


@pytest.mark.parametrize("turning", ["free", "none"])
def test_a_bead_in_a_hanging_arc_swings_as_a_pendulum(turning):
    """Its equilibrium is the lowest point, and the curvature of the line alone holds it there: omega^2 = g / r."""
    radius, n = 2.0, 24
    a = np.linspace(-0.9, 0.9, n + 1)
    points = np.column_stack([radius * np.sin(a), 0 * a, radius * (1 - np.cos(a))])
    mesh = pl.flex.mesh_beam(points, pl.Section.rectangle(0.2, 0.2), STEEL, elements=n)
    m = pl.Model("arc", gravity=(0, 0, -9.81))
    arc = m.add(pl.ModalBody("arc", pl.flex.reduce(mesh, {"start": points[0], "end": points[-1]}, modes=2, lines={"rail": range(n + 1)}),
                             position=(0, 0, 0)))
    m.add(pl.RigidBody("bead", 0.5, (1e-9, 1e-9, 1e-9)))
    for end, p in (("start", points[0]), ("end", points[-1])):
        m.add(pl.Fixed(end, m.ground.frame(p), arc[end]))
    m.add(pl.SlidingOnBeam("S", "arc.rail", "bead", turning=turning, displacement=1.75))
    st = m.static()
    assert abs(st["bead.position"][0]) < 1e-6 and st["S.force"][2] == pytest.approx(0.5 * 9.81, rel=1e-9)
    frequencies = m.modes(state="static").frequencies
    assert min(abs(frequencies / (np.sqrt(9.81 / radius) / (2 * np.pi)) - 1)) < 1e-3


# -- conservation
@pytest.mark.parametrize("turning", ["free", "axis", "none"])
def test_energy_of_a_free_slider_on_a_vibrating_beam(turning):
    m = floating(turning)
    sol = m.simulate(0.5, accuracy=1e-10, integrator=pl.DOP853())
    assert np.ptp(sol["S.displacement"]) > 0.3 and sol.energy.elastic.max() > 0.01 * sol.energy.kinetic.max()
    assert sol.energy.drift < 1e-9 * sol.energy.kinetic.max()


@pytest.mark.parametrize(("method", "order"), [(pl.RungeKutta4(), 4), (pl.GeneralizedAlpha(0.8), 2)])
def test_the_order_of_the_energy(method, order):
    """With steps that pass many nodes."""
    m = floating("axis")
    reference = m.simulate(0.2, accuracy=1e-11, integrator=pl.DOP853())
    errors = [np.linalg.norm(m.simulate(0.2, step=h, integrator=method)["load.position"][-1] - reference["load.position"][-1])
              for h in (2e-4, 1e-4)]
    assert np.log2(errors[0] / errors[1]) > order - 0.2


@pytest.mark.parametrize("turning", ["free", "axis", "none"])
def test_reactions_do_no_work_on_rigid_motions(turning):
    """Momentum and angular momentum are conserved: a common velocity and a common turning do not change the equations of the joint."""
    m = floating(turning)
    d = m.compile(exact=True)
    start_row(d)
    s, x = d.system, d.x
    x.D[:] = 0
    evaluation.run(s.program("tangent"), s.data, x, 0.0, 1.0, 0.0, 0.0)
    C = s.dense(x.D)[s.n_v:, :s.n_v]
    for k in range(6):
        v = np.zeros(s.n_v)
        for iv, iq in s.data.rotations:  # of the two bodies
            w = np.eye(3)[k - 3] if k >= 3 else np.zeros(3)
            v[iv - 3:iv] = np.eye(3)[k] if k < 3 else np.cross(w, x.q[iq - 3:iq])
            v[iv:iv + 3] = pl_matrix(x.q[iq:iq + 4]).T @ w
        assert abs(C @ v).max() < 1e-12


def pl_matrix(q):
    from pliant.items.base import matrix_of
    return np.array(matrix_of(tuple(q / np.linalg.norm(q))))


# -- methods
EXPLICIT = [pl.Index1(), pl.Index1(stabilization=pl.Baumgarte()), pl.AugmentedLagrangian(), pl.CoordinatePartitioning(), pl.NullSpace()]


@cache
def exact():
    return crane().simulate(0.3, accuracy=1e-9, integrator=pl.DOP853())


@pytest.mark.parametrize("formulation", EXPLICIT, ids=str)
def test_every_formulation_gives_the_same_motion(formulation):
    sol = crane().simulate(0.3, accuracy=1e-7, integrator=pl.DOP853(), formulation=formulation)
    np.testing.assert_allclose(sol["load.position"], exact()["load.position"], atol=1e-6)
    np.testing.assert_allclose(sol["S.force"], exact()["S.force"], atol=1e-3 * abs(exact()["S.force"]).max())
    assert sol.quality.fallbacks == 0


@pytest.mark.parametrize("integrator", [pl.GeneralizedAlpha(0.8), pl.HHT(), pl.DormandPrince54(), pl.AdamsBashforthMoulton(),
                                        pl.RadauIIA5(), pl.BDF(), pl.IDA()], ids=lambda x: x.kind)
def test_every_integrator_gives_the_same_motion(integrator):
    sol = crane().simulate(0.3, accuracy=1e-5, integrator=integrator)
    np.testing.assert_allclose(sol["load.position"], exact()["load.position"], atol=1e-5)
    assert sol.quality.fallbacks == 0


def test_it_goes_on_from_a_file(tmp_path):
    m = crane()
    whole = m.simulate(0.3, out=tmp_path / "whole.h5")
    m.simulate(0.1, out=tmp_path / "run.h5")
    sol = pl.load(tmp_path / "whole.h5")
    np.testing.assert_array_equal(sol["S.displacement"], whole["S.displacement"])
    np.testing.assert_array_equal(sol["K.force"], whole["K.force"])
    np.testing.assert_allclose(whole["K.force"], 20 * (whole["S.displacement"] - 0.9) + 0.1 * whole["S.displacement_rate"], atol=1e-9)


def test_two_sliders_and_a_gear():
    """On one line: a rack moves one, a spring the other, the pinion is turned by a motor; angles and places by their relation."""
    m = pl.Model("two", gravity=(0, 0, -9.81))
    beam = m.add(pl.ModalBody("beam", bridge(4), position=(0, 0, 0), damping=0.05))
    m.add(pl.Fixed("A", m.ground, beam["start"]))
    for name, at in (("near", 1.0), ("far", 3.0)):
        m.add(pl.RigidBody.box(name, (0.1, 0.1, 0.1), mass=2.0, position=(at, 0, 0)))
        m.add(pl.SlidingOnBeam(f"S_{name}", "beam.rail", name, turning="none"))
    m.add(pl.RigidBody("pinion", 1.0, (0.02, 0.02, 0.02), position=(0, 2.0, 0)))
    m.add(pl.Revolute("P", m.ground.frame((0, 2.0, 0)), "pinion", axis="z"))
    m.add(pl.RackPinion("G", "S_near", "P", radius=0.2))
    m.add(pl.Drive("P", "angle", "2*sin(3*t)", name="motor"))
    m.add(pl.AxialSpring("K", "S_far", 200.0, 10.0, 3.2))
    sol = m.simulate(0.5)
    np.testing.assert_allclose(sol["S_near.displacement"], 1.0 + 0.2 * 2 * np.sin(3 * sol.t), atol=1e-9)
    assert np.ptp(sol["S_far.displacement"]) > 0.2 and sol.quality.fallbacks == 0


def test_telescope():
    """Two soft tubes: the root of the inner one runs in the outer, the mouth of the outer one on the inner. Pushed out slowly, the tip
    sinks as that of the tubes at rest at the same extension."""
    out = telescope("0.3 + ramp(t, 0, 4)*0.6", 0.3).simulate(6.0, accuracy=1e-5)
    st = telescope("0.9", 0.9).static()
    assert out["tip.position"][-1, 2] == pytest.approx(st["tip.position"][2], abs=2e-4) and st["tip.position"][2] < -0.01
    assert out["push.displacement"][-1] == pytest.approx(0.9, abs=1e-9)


def telescope(law, start):
    def tube(radius):
        mesh = pl.flex.mesh_beam([(0, 0, 0), (2, 0, 0)], pl.Section.tube(radius, 0.9 * radius), SOFT, elements=20)
        return pl.flex.reduce(mesh, {"root": (0, 0, 0), "tip": (2, 0, 0)}, modes=3, lines={"rail": {"from": (0, 0, 0), "to": (2, 0, 0)}})
    m = pl.Model("telescope", gravity=(0, 0, -9.81))
    outer = m.add(pl.ModalBody("outer", tube(0.05), position=(0, 0, 0), damping=0.5))
    inner = m.add(pl.ModalBody("inner", tube(0.04), damping=0.5))
    tip = m.add(pl.RigidBody.sphere("tip", 0.05, mass=0.5))
    m.add(pl.Fixed("A", m.ground, outer["root"]))
    m.add(pl.SlidingOnBeam("push", "outer.rail", inner["root"], turning="axis", displacement=start, angle=0.0))
    m.add(pl.SlidingOnBeam("mouth", "inner.rail", outer["tip"], displacement=2.0 - start))
    m.add(pl.Drive("push", "displacement", law, name="piston"))
    m.add(pl.Drive("push", "angle", "0", name="roll"))
    m.add(pl.Fixed("T", inner["tip"], tip))
    return m


def test_solids_have_lines_too():
    """A load held on the line of a solid bends it as one on a frame of the same layer, and as beam theory says."""
    box = pl.flex.mesh_box((L, B, H), (24, 1, 1), STEEL)
    middle = (0, B / 2, H / 2), (L, B / 2, H / 2)
    part = pl.flex.reduce(box, {"start": {"plane": "x = 0"}, "end": {"plane": f"x = {L}"}}, modes=8,
                          frames={"layer": {"plane": "x = 2.5", "coupling": "average"}},
                          lines={"rail": {"from": middle[0], "to": middle[1]}})
    assert len(part.lines["rail"]) == 49
    sag = []
    for slides in (True, False):
        m = pl.Model("load")
        m.add(pl.ModalBody("beam", part, position=tuple(-np.array(middle[0]))))
        m.add(pl.Fixed("A", m.ground, "beam.start"))
        if slides:
            m.add(pl.RigidBody.sphere("load", 0.05, mass=1e-3))
            m.add(pl.SlidingOnBeam("S", "beam.rail", "load", displacement=2.5))
            m.add(pl.Drive("S", "displacement", "2.5", name="hold"))
        m.add(pl.Force("weight", "load" if slides else "beam.layer", (0, 0, -100.0)))
        sag.append(m.static()["beam.layer.position"][2])
    assert sag[0] == pytest.approx(sag[1], rel=1e-7)
    assert sag[1] == pytest.approx(-100 * 2.5**3 / (3 * STEEL.E * B * H**3 / 12), rel=0.015)  # the clamped face holds it a little


# -- joint coordinates
@pytest.mark.parametrize("make", [lambda: crane("free"), lambda: crane("axis"), lambda: crane("none"), lambda: floating("axis"), geared],
                         ids=["free", "axis", "none", "floating", "geared"])
def test_joint_coordinates_give_the_same_motion(make):
    a, b = (make().simulate(0.2, accuracy=1e-9, integrator=pl.DOP853(), coordinates=c) for c in ("absolute", "joint"))
    assert b.formulation.kind == "recursion"
    for channel, size in (("load.position", 1.0), ("S.displacement", 1.0), ("S.displacement_rate", 1.0), ("S.force", 10.0),
                          ("S.torque", 10.0)):
        np.testing.assert_allclose(b[channel], a[channel], rtol=0, atol=1e-7 * size * max(1, abs(a[channel]).max()))
    assert b.quality.position_violation < 1e-10


def test_implicit_methods_in_joint_coordinates():
    sol = crane("axis").simulate(0.3, accuracy=1e-5, integrator=pl.RadauIIA5(), coordinates="joint")
    np.testing.assert_allclose(sol["load.position"], exact()["load.position"], atol=1e-5)
