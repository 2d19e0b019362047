"""Friction with stick: closed forms, SciPy from event to event, no creep, clutches, tangents, runs that go on."""
import numpy as np
import pytest
from derivatives import ComplexStep
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.text.model_text import from_text, to_text

TILTED = np.array((0.3, -0.5, 0.8)) / np.linalg.norm((0.3, -0.5, 0.8))
MOMENTS = np.array((0.1, 0.2, 0.3))
METHODS = {"explicit": {"accuracy": 1e-9, "coordinates": "absolute"}, "joint": {"accuracy": 1e-9, "coordinates": "joint"},
           "radau": {"accuracy": 1e-8, "integrator": pl.RadauIIA5()}}


def wheel(friction, rate=5.0) -> pl.Model:
    m = pl.Model("wheel")
    m.add(pl.RigidBody("w", 2.0, tuple(MOMENTS), position=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "w", axis=tuple(TILTED), angle_rate=rate, friction=friction))
    return m


@pytest.mark.parametrize("method", METHODS)
def test_a_wheel_comes_to_rest_in_its_bearing(method):
    """I w' = -T - d w: at t = I/d ln(1 + d w0/T); the heat is its energy."""
    m, inertia = wheel({"torque": 0.4, "viscous": "0.02 N*m*s/rad"}), TILTED**2 @ MOMENTS
    sol = m.simulate(6.0, **METHODS[method])
    rest = inertia / 0.02 * np.log(1 + 0.02 * 5 / 0.4)
    assert [e.what for e in sol.events] == ["slips forward", "sticks"] and sol.events[1].t == pytest.approx(rest, rel=1e-9)
    assert abs(sol["A.angle_rate"][-1]) < 1e-9 and sol.energy.dissipated[-1] == pytest.approx(12.5 * inertia, rel=1e-9)
    assert abs(sol.energy.balance - sol.energy.balance[0]).max() < 1e-9 and sol["A.friction.state"][-1] == 0
    assert sol["A.power"] == pytest.approx(sol["A.friction.power"], abs=1e-12)


def slope(ratio, mu=0.3) -> pl.Model:
    angle = np.arctan(ratio * mu)
    m = pl.Model("slope", gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)))
    m.add(pl.RigidBody("b", 2.0, (1, 1, 1), position=(0, 0, 0)))
    m.add(pl.Prismatic("P", m.ground, "b", axis="x"))
    m.add(pl.JointFriction("f", "P", mu, force=2 * 9.81 * np.cos(angle)))
    return m


def test_a_slider_on_a_slope():
    """Below the angle of friction it settles by a part of presliding, and then does not creep; above it it goes."""
    for options in ({"accuracy": 1e-8}, {"accuracy": 1e-8, "integrator": pl.RadauIIA5()}):
        sol = slope(0.99).simulate(100.0, output_step=0.1, **options)
        x = sol["P.displacement"]
        assert x[-1] == pytest.approx(0.99e-6, rel=1e-9) and np.ptp(x[10:]) < 1e-12 and len(sol.events) == 1
    sol = slope(1.01).simulate(2.0, accuracy=1e-9)
    away = sol.events[1]
    assert away.what == "slips forward" and away.t < 0.02
    a, t, start = 0.01 * 0.3 * 9.81 * np.cos(np.arctan(0.303)), 2.0 - away.t, np.interp(away.t, sol.t, sol["P.displacement_rate"])
    assert sol["P.displacement"][-1] == pytest.approx(1e-6 + start * t + a * t**2 / 2, abs=2e-4 * t)
    assert sol["P.displacement_rate"][-1] == pytest.approx(start + a * t, abs=1e-4)


def by_scipy(inertia, weight, f, end, angle):
    """I w' = -weight sin q + F from event to event; f: torque, coefficients at rest and sliding, speed, presliding, damping, viscous."""
    T, ms, mk, vs, zs, d, viscous = f
    def mu(u):
        return mk + (ms - mk) * np.exp(-(u / vs) ** 2)
    t, y, slips, root, log = 0.0, np.array([angle, 0.0]), 0, angle, []
    while t < end:
        def rate(t, y, slips=slips, root=root):
            F = -slips * T * mu(y[1]) if slips else -T * ms / zs * (y[0] - root) - d * y[1]
            return [y[1], (-weight * np.sin(y[0]) + F - viscous * y[1]) / inertia]
        happens = [lambda t, y: y[1]] if slips else [lambda t, y, root=root: y[0] - root - zs, lambda t, y, root=root: y[0] - root + zs]
        for k, event in enumerate(happens):
            event.terminal, event.direction = True, -slips if slips else 1 - 2 * k
        sol = solve_ivp(rate, (t, end), y, events=happens, rtol=1e-12, atol=1e-14, method="DOP853")
        t, y = sol.t[-1], sol.y[:, -1]
        if t < end:
            slips, root = (0, y[0] - slips * 0.999 * zs) if slips else (1 if len(sol.t_events[0]) else -1, root)
            log.append(t)
    return y, log


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_against_scipy(method):
    """With Stribeck's curve, swing by swing until it hangs where friction holds it: every instant and the end."""
    m = pl.Model("pendulum", gravity=tuple(-9.81 * np.array([0.8, 0, 0.3]) / np.hypot(0.8, 0.3)))  # across the axis
    m.add(pl.RigidBody("b", 2.0, tuple(MOMENTS), com=(0, 0, -0.5), position=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "b", axis="y", angle=2.0))
    m.add(pl.JointFriction("f", "A", 0.5, static=0.7, stribeck=0.2, torque=2.0, viscous=0.05, presliding=1e-3))
    inertia, hangs = 0.2 + 2 * 0.25, np.arctan2(0.8, 0.3)
    d = 2 * np.sqrt(inertia * 2.0 * 0.7 / 1e-3)
    end, log = by_scipy(inertia, 2 * 9.81 * 0.5, (2.0, 0.7, 0.5, 0.2, 1e-3, d, 0.05), 6.0, 2.0 - hangs)
    sol = m.simulate(6.0, **METHODS[method], output_step=0.01)
    assert len(log) > 5 and sol["f.state"][-1] == 0
    assert sol.events.t[1:] == pytest.approx(log, abs=1e-7)
    assert (sol["A.angle"][-1] - hangs, sol["A.angle_rate"][-1]) == pytest.approx(tuple(end), abs=1e-7)
    assert abs(sol.energy.balance - sol.energy.balance[0]).max() < (1e-8 if method == "radau" else 1e-9)


def clutch(**more) -> pl.Model:
    m = pl.Model("clutch")
    m.add(pl.RigidBody("a", 1.0, (1, 1, 0.2), position=(0, 0, 0)))
    m.add(pl.RigidBody("b", 1.0, (1, 1, 0.5), position=(0, 0, 1)))
    m.add(pl.Revolute("A", m.ground, "a", at=(0, 0, 0), axis="z", angle_rate=30.0))
    m.add(pl.Revolute("B", m.ground, "b", at=(0, 0, 1), axis="z"))
    m.add(pl.Clutch("c", "A", "B", **more))
    return m


@pytest.mark.parametrize("method", METHODS)
def test_a_clutch_that_engages(method):
    """At a constant torque, and with a pressure that grows with t: time, speed, and heat; then it holds."""
    inertia, speed = 0.2 * 0.5 / 0.7, 30 * 0.2 / 0.7
    constant, ramp = {"force": "200 N", "faces": 2}, {"pressure": "1 bar / s * t", "area": "4e3 mm^2", "faces": 1}
    for more, t in ((constant, 30 * inertia / 12), (ramp, np.sqrt(2 * 30 * inertia / 12))):
        m = clutch(coefficient=0.3, radius="100 mm", **more)
        sol = from_text(to_text(m)).simulate(1.2, **METHODS[method])
        assert sol.events[1].what == "sticks" and sol.events[1].t == pytest.approx(t, rel=1e-9)
        assert [sol["A.angle_rate"][-1], sol["B.angle_rate"][-1]] == pytest.approx([speed, speed], rel=1e-8)
        assert sol.energy.dissipated[-1] == pytest.approx(450 * inertia, rel=1e-8)
        assert np.ptp((sol["A.angle"] - sol["B.angle"])[sol.t > t + 0.01]) < 1e-10
        assert sol["A.power"] + sol["B.power"] == pytest.approx(sol["c.power"], abs=1e-8)


def test_a_brake_lets_go_as_its_pressure_falls():
    """It holds 0.3 N m until 0.4 p A r is that; then I w' = 0.3 - 0.4 (1 - t/2), and after t = 2 nothing holds."""
    m = pl.Model("release")
    m.add(pl.RigidBody("w", 2.0, tuple(MOMENTS), position=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "w", axis="z"))
    m.add(pl.JointTorque("drive", "A", 0.3))
    m.add(pl.Brake("f", "A", 0.4, pressure="1e4*(1 - t/2)", area=1e-3, radius=0.1, presliding=1e-8))
    fixed = [{"step": 5e-5, "integrator": method} for method in (pl.RungeKutta4(), pl.GeneralizedAlpha(0.9))]
    for options in (*METHODS.values(), *fixed):
        sol = m.simulate(3.0, **options, output_step=0.1)
        assert sol.events[1].t == pytest.approx(0.5, abs=1e-3) and abs(sol["A.angle"][4]) < 1e-8
        assert sol["A.angle_rate"][-1] == pytest.approx((0.3 * 2.5 - 0.4 * 0.75**2) / 0.3, rel=1e-5)


@pytest.mark.parametrize("state", [0.0, 1.0, 2.0])
def test_tangents_are_exact(state):
    """Sticking and slipping, of friction whose load depends on the motion, off all axes, spinning."""
    m = pl.Model("friction", gravity=(1, -2, 3))
    a = m.add(pl.RigidBody("a", 1.0, (0.1, 0.2, 0.25), com=(0.1, 0.05, -0.1), position=(0.1, 0.2, 0.3), angular_velocity=(1, 2, 3)))
    m.add(pl.RigidBody("b", 2.0, tuple(MOMENTS), position=(0.3, -0.2, 0.5), rotation=pl.rotation((1, 2, 3), 0.7)))
    m.add(pl.Cylindrical("C", a, "b", at=(0.3, -0.2, 0.5), axis=tuple(TILTED), angle_rate=0.6, displacement_rate=0.05))
    m.add(pl.Revolute("H", m.ground, a, at=(0.1, 0.2, 0.3), axis=(1, 0.2, 0.1)))
    m.add(pl.JointFriction("f", "C", 0.3, static=0.5, stribeck=0.1, force="5 + C.displacement^2 + H.angle_rate", viscous=0.5))
    m.add(pl.Clutch("g", "H", "C", 0.3, static=0.5, stribeck=0.3, force="5 + C.displacement", radius=0.2))
    c = ComplexStep(m.compile(exact=True).system, seed=3)
    places = np.flatnonzero(c.system.h0 == 3)
    assert len(places) == 2
    c.real.H[places] = state
    rng = np.random.default_rng(3)
    c.real.v[:] = 0.1 * rng.normal(size=c.real.v.size)
    expected = c.reference(0.7, 0.5, 0.3)
    assert abs(c.tangent(0.7, 0.5, 0.3) - expected).max() < 1e-12 * abs(expected).max()


@pytest.mark.parametrize("options", [{"accuracy": 1e-7, "coordinates": "joint", "integrator": pl.DOP853()},
                                     {"accuracy": 1e-6, "integrator": pl.RadauIIA5(), "coordinates": "absolute"}],
                         ids=["explicit", "implicit"])
def test_a_run_that_goes_on_in_stick_has_the_same_bits(options, tmp_path):
    m = clutch(coefficient=0.3, force=200.0, radius=0.1, faces=2)
    m.add(pl.JointTorque("load", "B", "-5*sin(9*t)"))
    whole = m.simulate(2.0, output_step=0.05, **options)
    out = tmp_path / "run.h5"
    with pytest.raises(Stop):
        m.simulate(2.0, output_step=0.05, progress=stopping(0.7), out=out, **options)
    sol = pl.load(out)
    assert not sol.complete and sol["c.state"][-1] == 0 and equal(sol.resume(), whole) and len(whole.events) == 2


@pytest.mark.parametrize(("fields", "told"), [
    ({"torque": 1, "force": 2}, "torque: force is given as well"),
    ({"torque": -1}, "torque: -1 must be greater"), ({"torque": "3 N"}, "torque: '3 N' is a force"),
    ({"torque": 1, "static": 0.5}, "static: 0.5 must be at least the coefficient of sliding, 1"),
    ({"torque": 1, "stribeck": 0.5}, "stribeck: is the speed"), ({"torque": 1, "coefficient": 0}, "coefficient: 0 makes no dry friction"),
    ({"torque": 1, "coordinate": "displacement"}, "torque: acts on an angle"), ({"torque": 1, "presliding": "1 mm"}, "presliding: '1 mm'")])
def test_wrong_friction_is_told(fields, told):
    with pytest.raises(pl.ItemError, match=f"joint_friction 'f': {told}"):
        pl.JointFriction("f", "A", **fields)
    word = {key: value for key, value in fields.items() if key != "coordinate"}
    if len(word) == len(fields) and fields:
        with pytest.raises(pl.ItemError, match="revolute 'A': friction"):
            wheel(word)


def test_what_is_wrong_elsewhere_is_told():
    with pytest.raises(pl.ItemError, match=r"revolute 'A': friction.force: acts on a displacement"):
        wheel({"force": 2})
    with pytest.raises(pl.ItemError, match=r"friction.torque: must be a number or an expression; a table or function needs"):
        wheel({"torque": pl.Table([0, 1], [1, 2])})
    with pytest.raises(pl.ItemError, match="brake 'f': area: is what the pressure acts on"):
        pl.Brake("f", "A", 0.3, pressure=1e5, radius=0.1)
    with pytest.raises(pl.ItemError, match="clutch 'c': force: give either force or pressure"):
        pl.Clutch("c", "A", "B", 0.3, radius=0.1)
    with pytest.raises(pl.ItemError, match=r"clutch 'c': between: both joints are 'A'"):
        pl.Clutch("c", "A", "A", 0.3, force=1, radius=0.1)
    m = wheel(None)
    m.add(pl.JointFriction("f", "A", force=2.0))
    with pytest.raises(pl.ModelError, match="joint 'A' has no coordinate 'displacement'"):
        m.compile()
