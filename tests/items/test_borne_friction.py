"""Friction by what its joint bears: closed forms off all axes, all methods, tangents, what cannot be."""
import numpy as np
import pytest
from derivatives import ComplexStep
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import pliant as pl
from pliant.items.base import matrix_of
from pliant.text.model_text import from_text, to_text

G = 9.81
TURN = pl.rotation((0.3, -0.5, 0.8), 1.1)
R = matrix_of(TURN)
METHODS = {"explicit": ({"accuracy": 1e-9}, 1e-9), "adams": ({"accuracy": 1e-9, "integrator": pl.AdamsBashforthMoulton()}, 1e-9),
           "radau": ({"accuracy": 1e-8, "integrator": pl.RadauIIA5()}, 1e-8), "bdf": ({"accuracy": 1e-8, "integrator": pl.BDF()}, 1e-8),
           "alpha": ({"accuracy": 1e-6, "integrator": pl.GeneralizedAlpha(0.9)}, 1e-6),
           "augmented": ({"accuracy": 1e-8, "formulation": pl.AugmentedLagrangian()}, 1e-8)}


def turned(x, y, z):
    return tuple(R @ (x, y, z))


def pendulum(com=(0, 0, -0.5), gravity=(0, 0, -G), **friction) -> pl.Model:
    """About the axis y of turned axes."""
    m = pl.Model("pendulum", gravity=turned(*gravity))
    m.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.1), com=com, position=(0, 0, 0), rotation=TURN))
    m.add(pl.Revolute("A", m.ground, "b", at=(0, 0, 0), axis=turned(0, 1, 0), angle=2.0, angle_rate=-1.0))
    m.add(pl.JointFriction("f", "A", 0.3, **friction))
    return m


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_whose_bearing_bears_its_swing(method):
    """I w' = -m g l sin q + mu r |F|, F = m (a - g), which contains w' itself; backward, before it turns back."""
    options, error = METHODS[method]

    def rate(t, y):
        def left(a):
            F = 2 * np.hypot(0.5 * a + G * np.sin(y[0]), 0.5 * y[1] ** 2 + G * np.cos(y[0]))
            return 0.7 * a + 2 * G * 0.5 * np.sin(y[0]) - 0.3 * 0.05 * F
        return y[1], brentq(left, -1e3, 1e3, xtol=1e-14, rtol=1e-15)
    end = solve_ivp(rate, (0, 0.5), (2.0, -1.0), rtol=1e-12, atol=1e-14, method="DOP853").y[:, -1]
    sol = from_text(to_text(pendulum(radius="50 mm"))).simulate(0.5, output_step=0.1, **options)
    assert (sol["A.angle"][-1], sol["A.angle_rate"][-1]) == pytest.approx(tuple(end), abs=error)
    assert sol["f.load"] == pytest.approx(0.05 * np.linalg.norm(sol["A.force"], axis=1), rel=1e-12)
    assert np.ptp(sol.energy.balance) < 5 * error


@pytest.mark.parametrize(("gravity", "com", "fields", "load"), [
    ((0, -G, 0), (0, 0, 0), {"radius": 0.05, "axial_radius": 0.03}, 0.03 * 2 * G),                   # a shaft that stands
    ((0, 0, -G), (0, 0.2, 0), {"radius": 0.05, "length": 0.1}, (0.05 + 0.2 * 2 * 0.05 / 0.1) * 2 * G),  # an overhung disc
    ((0, -3.0, -4.0), (0, -0.1, 0), {"radius": 0.05, "axial_radius": 0.02, "length": 0.2, "preload": 0.7},
     0.05 * 8 + 0.02 * 6 + 0.1 * 8 * 0.5 + 0.7)])
def test_a_balanced_rotor_slows_down_at_a_constant_rate(gravity, com, fields, load):
    """Side force, end force, moment and preload, each with its lever; it rests at w I / (mu N), and all its energy is lost."""
    sol = pendulum(com, gravity, viscous=0.0, **fields).simulate(0.2 / (0.3 * load) + 0.5, accuracy=1e-9)
    slips = sol["f.state"] > 0.5
    assert sol["f.load"][slips] == pytest.approx(load, rel=1e-9)
    assert [e.what for e in sol.events] == ["slips backward", "sticks"] and sol.events[1].t == pytest.approx(0.2 / (0.3 * load), rel=1e-9)
    assert sol.energy.dissipated[-1] == pytest.approx(0.1, rel=1e-8)


def slider(ratio=1.2, height=0.05, **more) -> pl.Model:
    """A slide on a slope of tan = ratio mu, its centre of mass above the rail."""
    slope = np.arctan(ratio * 0.3)
    m = pl.Model("slider", gravity=turned(G * np.sin(slope), 0, -G * np.cos(slope)))
    m.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.3), com=(0, 0, height), position=(0, 0, 0), rotation=TURN))
    m.add(pl.Prismatic("P", m.ground, "b", at=(0, 0, 0), axis=turned(1, 0, 0), displacement_rate=0.1))
    m.add(pl.JointFriction("f", "P", 0.3, length=0.2, **more))
    return m


@pytest.mark.parametrize("method", METHODS)
def test_a_slide_that_tips_on_its_guideway(method):
    """f = mu (W cos + 2/L M) and M = h f: f = mu W cos / (1 - 2 mu h/L), without a bristle in it."""
    options, error = METHODS[method]
    slope, f = np.arctan(0.36), 0.3 * 2 * G * np.cos(np.arctan(0.36)) / (1 - 2 * 0.3 * 0.05 / 0.2)
    m = slider()
    sol = m.simulate(1.0, output_step=0.5, **options)
    a = G * np.sin(slope) - f / 2
    assert sol["P.displacement"] == pytest.approx([0.1 * t + a * t**2 / 2 for t in (0, 0.5, 1)], abs=error)
    assert sol["f.effort"] == pytest.approx(-f, rel=1e-8)


def test_a_slide_holds_where_friction_holds_it():
    """At rest on the slope, below the angle of friction and above it: tipping holds it beyond."""
    for ratio, height, stays in ((0.9, 0.0, True), (1.1, 0.0, False), (1.1, 0.05, True)):
        m = slider(ratio, height)
        m["P"].displacement_rate = 0.0
        sol = m.simulate(2.0, accuracy=1e-8)
        moved = sol["P.displacement"]
        assert (abs(moved[-1]) < 1e-6 and np.ptp(moved[len(moved) // 2:]) < 1e-12) if stays else moved[-1] > 0.1


def test_a_drawer_that_jams_is_told():
    """With 2 mu h / L > 1 the load grows faster than the friction it makes: there is no force with which it slides on."""
    with pytest.raises(pl.SimulationError, match="friction jams: there is no force of 'f' with which its joint could slide on"):
        slider(1.2, 0.5).simulate(1.0, accuracy=1e-8)


def chain(**more) -> pl.Model:
    """Off all axes, spinning; two joints rub, one of them along two coordinates."""
    m = pl.Model("chain", gravity=(1, -2, 3))
    a = m.add(pl.RigidBody("a", 1.0, (0.1, 0.2, 0.25), com=(0.1, 0.05, -0.1), position=(0.1, 0.2, 0.3)))
    b = m.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.3), position=(0.3, -0.2, 0.5), rotation=TURN))
    m.add(pl.Cylindrical("C", a, b, at=(0.3, -0.2, 0.5), axis=(0.3, -0.5, 0.8), angle_rate=0.6, displacement_rate=0.05))
    m.add(pl.Revolute("H", m.ground, a, at=(0.1, 0.2, 0.3), axis=(1, 0.2, 0.1), angle_rate=2.0))
    m.add(pl.JointFriction("f", "C", 0.2, static=0.3, stribeck=0.1, radius=0.05, axial_radius=0.02, length=0.2, viscous=0.5))
    m.add(pl.JointFriction("g", "C", 0.15, coordinate="displacement", length=0.3, preload=2))
    m.add(pl.JointFriction("h", "H", 0.1, radius=0.04, length=0.1, axial_radius=0.03))
    return m


@pytest.mark.parametrize("state", [0.0, 1.0, 2.0])
def test_tangents_are_exact(state):
    """By positions, velocities and multipliers, sticking and slipping; a state integrates a load."""
    m = chain()
    m.add(pl.Integral("i", "f.load * C.angle + h.effort", unit="N*m*s"))
    c = ComplexStep(m.compile(exact=True).system, seed=3)
    places = np.flatnonzero(c.system.h0 == 3)
    assert len(places) == 3
    c.real.H[places] = state
    rng = np.random.default_rng(3)
    c.real.v[:] = 0.1 * rng.normal(size=c.real.v.size)
    c.real.lam[:] = rng.normal(size=c.real.lam.size)
    expected = c.reference(0.7, 0.5, 0.3)
    assert abs(c.tangent(0.7, 0.5, 0.3) - expected).max() < 1e-12 * abs(expected).max()


def test_methods_agree_on_a_chain_off_all_axes():
    """Newton's equations in accelerations and multipliers, or those of a step: the same motion."""
    ends = [chain().simulate(0.4, output_step=0.4, **METHODS[method][0]) for method in ("explicit", "radau", "bdf")]
    for sol in ends[1:]:
        assert sol["b.position"][-1] == pytest.approx(ends[0]["b.position"][-1], abs=1e-8)
    assert [e.what for e in ends[0].events] == [e.what for e in ends[1].events]
    assert np.ptp(ends[0].energy.balance) < 1e-8


def test_others_see_the_load():
    """An event at a load, located; a state that integrates it."""
    m = pendulum(radius=0.05)
    m.add(pl.Discrete("seen", 0))
    m.add(pl.Event("much", "f.load > 1.2", [pl.Set("seen.output", 1)]))
    m.add(pl.Integral("i", "f.load", unit="N*m*s"))
    sol = m.simulate(0.5, accuracy=1e-9, output_step=1e-3)
    fired = [e.t for e in sol.events if e.item == "much"]
    k = np.flatnonzero(sol["f.load"] > 1.2)[0]
    assert len(fired) == 1 and sol.t[k - 1] < fired[0] < sol.t[k]
    exact = m.simulate(0.5, accuracy=1e-9, output_times=[0.0, fired[0], 0.5])
    assert exact["f.load"][1] == pytest.approx(1.2, rel=1e-9)
    assert sol["i.output"][-1] == pytest.approx(np.trapezoid(sol["f.load"], sol.t), rel=1e-5)


@pytest.mark.parametrize("options", [{"accuracy": 1e-8}, {"accuracy": 1e-8, "integrator": pl.RadauIIA5()}], ids=["explicit", "implicit"])
def test_a_run_that_goes_on_has_the_same_bits(options, tmp_path):
    m = pendulum(radius=0.3)
    whole = m.simulate(2.0, output_step=0.05, **options)
    out = tmp_path / "run.h5"
    with pytest.raises(Stop):
        m.simulate(2.0, output_step=0.05, progress=stopping(0.4), out=out, **options)
    assert not pl.load(out).complete and equal(pl.load(out).resume(), whole) and len(whole.events) > 2


@pytest.mark.parametrize(("options", "told"), [
    ({"coordinates": "joint"}, "coordinates: the load of the friction 'f' is what its joint bears"),
    ({"formulation": pl.NullSpace()}, "formulation null-space: the load of the friction 'f'"),
    ({"formulation": pl.CoordinatePartitioning()}, "formulation coordinate-partitioning: the load"),
    ({"integrator": pl.EnergyMomentum(), "step": 1e-3}, "integrator energy-momentum: the load"),
    ({"integrator": pl.DIMCD(), "step": 1e-3}, "integrator dimcd: the load")])
def test_what_does_not_know_it_says_so(options, told):
    with pytest.raises(pl.ModelError, match=told):
        pendulum(radius=0.05).simulate(0.1, **options)


@pytest.mark.parametrize(("fields", "told"), [
    ({"radius": 0.1, "torque": 1}, "radius: belongs to a load by what the joint bears"),
    ({"preload": 1, "force": 1}, "preload: belongs to a load by what the joint bears"),
    ({"radius": -1}, "radius: -1 must be greater"), ({"radius": 0.1, "preload": -2}, "preload: -2 must"),
    ({"radius": 0.1, "preload": "3 N"}, r"preload: '3 N' is a force"),
    ({"coordinate": "displacement", "radius": 0.1}, "radius: is of a bearing"),
    ({"axial_radius": 0.1}, "axial_radius: is of a bearing; give its radius as well"),
    ({"coordinate": "angle"}, "radius: no load is given: give the radius")])
def test_wrong_friction_is_told(fields, told):
    with pytest.raises(pl.ItemError, match=f"joint_friction 'f': {told}"):
        pl.JointFriction("f", "A", 0.3, **fields)


def test_joints_whose_load_is_not_known():
    m = pendulum(radius=0.05)
    m["f"].radius = None
    with pytest.raises(pl.ModelError, match="joint_friction 'f': joint 'A' turns, and no load is given: give the radius"):
        m.compile()
    m = pendulum(radius=0.05)
    m.add(pl.Delay("d", "f.load", 0.1))
    with pytest.raises(pl.ModelError, match=r"delay 'd': 'd.input' depends on what a joint exerts"):
        m.compile()
