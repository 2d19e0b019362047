"""What laws do in time is known before the run: no pulse is passed over, however thin, also in laws that read channels, x or v; and
only steps next to it are short. Impulses in closed form: m v = integral of F."""
import math
import random

import hunt_laws
import numpy as np
import pytest
from closed_forms import ALONG, N, along, block

import pliant as pl
from pliant.functions.enclosures import Enclosure
from pliant.methods.integrators.time_loop.time_functions import enclosed, jumps_of

DRAG = " - 0.01*(b.velocity.x + 2*b.velocity.y + 2*b.velocity.z)/3"
BELL = np.sqrt(np.pi)


def lasting(impulse, since):
    """Speed of 2 kg long after an impulse, with that drag."""
    return impulse / 2 * np.exp(-0.005 * since)


PULSES = [
    ("if(t > 7.77 and t < 7.8, 32.6, 0)", 0.978, 7.785),
    ("step(t, 7.77, 0, 7.775, 40) - step(t, 7.795, 0, 7.8, 40)", 1.0, 7.785),
    ("1000*exp(-((t - 5)/0.001)^2)", BELL, 5.0),
    ("1e9*exp(-((t - 5)/1e-9)^2)", BELL, 5.0),
    ("1e4/cosh((t - 3)/1e-4)", np.pi, 3.0),
    ("1e3*(tanh((t - 3)/1e-4) - tanh((t - 3.001)/1e-4))", 2.0, 3.0005),
    ("1e5/(1 + ((t - 5)/1e-6)^2)^2", 0.1 * np.pi / 2, 5.0),
    ("step(t*7, 20, 0, 20.00007, 1e5) - step(t*7, 20.00007, 0, 20.00014, 1e5)", 1.0, 20 / 7),
    ("if(abs(mod(3*t, 29) - 20) < 3e-6, 1e5, 0)", 0.2, 20 / 3),
    ("if(t - 4 < 1e-9, 0, if(t < 4.00001, 1e5, 0))", 0.9999, 4.0),
    ("1e5*max(0, 1 - abs(t - 6)/1e-5)", 1.0, 6.0)]


@pytest.mark.parametrize("drag", ["", DRAG])
@pytest.mark.parametrize(("pulse", "impulse", "at"), PULSES, ids=[p[0] for p in PULSES])
def test_pulses_however_thin(pulse, impulse, at, drag):
    sol = block(pulse + drag).simulate(10.0)
    exact = lasting(impulse, 10 - at) if drag else impulse / 2
    assert along(sol)[1][-1] == pytest.approx(exact, rel=1e-5)
    assert sol.quality.steps < 400, "steps are short next to the pulse only"


@pytest.mark.parametrize("integrator", [pl.GeneralizedAlpha(0.8), pl.RadauIIA5(), pl.BDF()], ids=lambda x: x.kind)
def test_other_methods_see_them_too(integrator):
    for pulse, impulse, at in (PULSES[0], PULSES[2], PULSES[7]):
        sol = block(pulse + DRAG).simulate(10.0, integrator=integrator)
        assert along(sol)[1][-1] == pytest.approx(lasting(impulse, 10 - at), rel=1e-3)  # 10 x accuracy x duration


@pytest.mark.parametrize(("kind", "width"), [("linear", 2e-5), ("cubic", 2e-5), ("linear", 1e-8)])
def test_knots_of_tables(kind, width):
    """Data with one spike between two samples of anything."""
    x = 5.0003 + width * np.arange(-4.0, 5.0)
    table = pl.Table([0.0, *x, 10.0], [0, 0, 0, 0, 0, 1 / width, 0, 0, 0, 0, 0], kind)
    if kind == "linear":
        exact = 0.5
    else:
        c, h = table.coefficients, np.diff(table.x)
        exact = sum(float((c[:, k] * h ** (k + 1)).sum()) / (k + 1) for k in range(4)) / 2
    sol = block(table).simulate(10.0)
    assert along(sol)[1][-1] == pytest.approx(exact, rel=1e-5, abs=1e-5 * abs(along(sol)[1]).max())
    assert sol.quality.steps < 800


def test_long_tables_of_slow_data_cost_no_steps():
    t = np.linspace(0, 10, 20_001)
    sol = block(pl.Table(t, np.sin(t))).simulate(10.0)
    np.testing.assert_allclose(along(sol)[1], (1 - np.cos(sol.t)) / 2, atol=1e-5)
    assert sol.quality.steps < 200


def test_every_switch_is_found():
    """Also where periods fit any samples: 2 jumps in each of 20 000, and 300 in a run."""
    system = block("if(sin(2*pi*2000*t) > 0.5, 10, 0)").compile().system
    stops = jumps_of(system, system.timed[0], 0.0, 10.0, enclosed(system.timed[0]))[0]
    k = np.arange(20_000)[:, None]
    np.testing.assert_allclose(stops[:, 0], ((k + np.array([1, 5]) / 12) / 2000).ravel(), atol=1e-12)
    sol = block("if(sin(2*pi*2000*t) > 0.5, 10, 0) - 1e-9*b.position.x").simulate(0.075)
    assert along(sol)[1][-1] == pytest.approx(10 * 0.075 / 3 / 2, rel=1e-8)


@pytest.mark.parametrize("law", ["if(mod(t, 0.01) < 0.005, 1, 0)", "if(sign(sin(2*pi*100*t)) > 0, 1, 0)*floor(t/0.1)",
                                 "if(mod(t, 0.01) < 0.005, mod(t, 0.02), floor(1 - t/0.07))"])
def test_few_intervals_are_looked_at(law, monkeypatch):
    """What hangs on a jump is not known around it: an interval is cut there, not divided down to the last digit."""
    looks, known = [], Enclosure.undecided

    def counted(self, begin, end):
        looks.append(begin.size)
        return known(self, begin, end)
    monkeypatch.setattr(Enclosure, "undecided", counted)
    system = block(law).compile().system
    stops = jumps_of(system, system.timed[0], 0.0, 10.0, enclosed(system.timed[0]))[0]
    assert len(stops) >= 1999
    assert sum(looks) < 12 * len(stops) and len(looks) < 12


@pytest.mark.parametrize("law", ["-(1000*exp(-((t-5)/0.001)^2) + 1e-12*x)", "-1000*exp(-((t-5)/0.001)^2) + 1e-12*v"])
def test_laws_of_springs(law):
    m = pl.Model("spring")
    b = m.add(pl.RigidBody.box("b", size=(0.1, 0.2, 0.3), mass=2.0))
    m.add(pl.Prismatic("P", m.ground, b, axis=tuple(N)))
    m.add(pl.SpringDamper("s", m.ground.frame(tuple(-N)), b, stiffness=law, length=1.0))
    sol = m.simulate(10.0)
    assert along(sol)[1][-1] == pytest.approx(BELL / 2, rel=1e-6)
    assert sol.quality.steps < 200


def test_python_laws_of_springs():
    m = pl.Model("spring")
    b = m.add(pl.RigidBody.box("b", size=(0.1, 0.2, 0.3), mass=2.0))
    m.add(pl.Prismatic("P", m.ground, b, axis=tuple(N)))
    m.add(pl.SpringDamper("s", m.ground.frame(tuple(-N)), b, stiffness=lambda t, x, v: -32.6 if 7.77 < t < 7.8 else 0.01 * v, length=1.0))
    assert along(m.simulate(10.0))[1][-1] == pytest.approx(lasting(0.978, 10 - 7.8), rel=1e-6)


def test_a_pulse_whose_time_depends_on_the_motion():
    """u = t - x / 10 grows with 1 - v / 10: d(v - v^2 / 20)/du = F(u) / 2."""
    u = f"(t - 0.1*({ALONG}))"
    sol = block(f"step({u}, 5, 0, 5.005, 100) - step({u}, 5.005, 0, 5.01, 100)").simulate(10.0)
    v = along(sol)[1][-1]
    assert v - v * v / 20 == pytest.approx(0.25, rel=1e-5)


def test_bursts():
    """Where a fast part is multiplied by zero, it costs nothing."""
    window = "(step(t, 4, 0, 4.001, 1) - step(t, 4.009, 0, 4.01, 1))"
    sol = block(f"{window}*100*sin(2*pi*1000*(t - 4))^2").simulate(10.0)
    t = np.linspace(4, 4.01, 200_001)
    s = np.clip((t - 4) / 0.001, 0, 1), np.clip((t - 4.009) / 0.001, 0, 1)
    f = (s[0]**2 * (3 - 2 * s[0]) - s[1]**2 * (3 - 2 * s[1])) * 100 * np.sin(2000 * np.pi * (t - 4))**2
    assert along(sol)[1][-1] == pytest.approx(np.trapezoid(f, t) / 2, rel=1e-5)
    assert sol.quality.steps < 500


def turned(function, joint=pl.Revolute, **more):
    m = pl.Model("turned")
    m.add(joint("A", m.ground, m.add(pl.RigidBody.box("b", (0.1, 0.2, 0.1), mass=2.0)), axis=tuple(N), **more))
    m.add(pl.Drive("A", "angle", function, name="motor"))
    return m


@pytest.mark.parametrize("options", [{}, {"step": 1e-3}], ids=["chosen", "fixed"])
@pytest.mark.parametrize("function", ["t + if(t > 0.5, 2*pi, 0)", "t + 2*pi*floor(2*t)",
                                      lambda t: t - (4 * np.pi if t > 0.5 else 0.0)], ids=["if", "floor", "python"])
def test_a_drive_that_jumps_by_whole_turns_is_named(function, options):
    for m in (turned(function), turned(function, pl.Screw, lead=0.1)):
        with pytest.raises(pl.SimulationError, match=r"at t = 0.5 s: drive 'motor' jumps .*step\(t, t0, y0, t1, y1\)") as stopped:
            m.simulate(1.0, **options)
        assert stopped.value.code == "drive-jump"


def test_functions_with_a_memory_are_refused():
    """A controller that remembers the last time it was asked: times come in any order."""
    class Controller:
        last = total = 0.0

        def __call__(self, t):
            self.total += (t - self.last) * (1.0 - self.total)
            self.last = t
            return self.total
    for options in ({}, {"step": 1e-2}):
        with pytest.raises(pl.ModelError, match=r"force 'f': vector: its Python function gave .* depend on its arguments alone"):
            block(Controller()).simulate(1.0, **options)


def test_python_functions_are_asked_sparingly():
    asked = []
    sol = block(lambda t: [asked.append(t), np.sin(t)][1]).simulate(1.0, output_step=0.1)
    assert along(sol)[1][-1] == pytest.approx((1 - np.cos(1)) / 2, rel=1e-5)
    assert len(asked) < 2000 + 100 + 30 * sol.quality.steps


@pytest.mark.parametrize(("frequency", "end"), [(200, 0.05), (200, 2.0), (500, 0.05), (500, 1.0), (0.2, 5.0)])
def test_rates_of_drives_by_python_functions(frequency, end):
    """Velocity and acceleration of a driven slide, to ten times the accuracy; once they were differences over up to 1 ms."""
    w = 2 * np.pi * frequency
    for f in (lambda t: 0.01 * np.sin(w * t), Unjittable(w)):
        m = pl.Model("shaker")
        m.add(pl.Prismatic("P", m.ground, m.add(pl.RigidBody.box("b", (0.1, 0.2, 0.1), mass=2.0)), axis=tuple(N)))
        m.add(pl.Drive("P", "displacement", f, name="motor"))
        sol = m.simulate(end, output_step=end / 53)
        x, v, a = 0.01 * np.sin(w * sol.t), 0.01 * w * np.cos(w * sol.t), -0.01 * w * w * np.sin(w * sol.t)
        assert abs(sol["P.displacement"] - x).max() < 1e-12
        assert abs(sol["P.displacement_rate"] - v).max() < 1e-8 * 0.01 * w
        assert abs(sol["motor.effort"] - 2.0 * a).max() < 1e-6 * 0.02 * w * w
        if frequency == 500:
            break


def shaker(f):
    m = pl.Model("shaker")
    m.add(pl.Prismatic("P", m.ground, m.add(pl.RigidBody.box("b", (0.1, 0.2, 0.1), mass=2.0)), axis=tuple(N)))
    m.add(pl.Drive("P", "displacement", f, name="motor"))
    return m


@pytest.mark.parametrize("digits", [5, 6, 8, 10])
def test_rates_that_do_not_belong_to_their_function_are_told(digits):
    """Values in whole counts: the derivative is zero or enormous, that of the motion is cos(t)."""
    m = shaker(lambda t: round(math.sin(t), digits))
    sol = m.simulate(1.0, output_step=0.1)
    assert abs(sol["P.displacement_rate"] - np.cos(sol.t)).max() > 1e-3
    assert "the velocities of drive 'motor', derivatives of its Python function, are uncertain by" in sol.quality.doubt
    m.settings = {"duration": 1.0}
    assert [f.items for f in m.check().findings if f.code == "drive-rates"] == [("motor",)]


@pytest.mark.parametrize(("f", "finest"), [
    (lambda t: 0.01 * math.sin(3 * t), 1e-7), (lambda t: 0.01 * np.sin(3 * t), 1e-10), (lambda t: 3 * t + 1, 1e-10),
    (lambda t: math.exp(-t), 1e-7), (lambda t: 0.01 * math.sin(500 * t), 1e-8), (lambda t: np.exp(-t), 1e-10), ("sin(3*t)", 1e-10)])
def test_rates_of_smooth_functions_are_not_doubted(f, finest):
    """Differences have an error of 1e-6 in accelerations; complex steps have none."""
    for accuracy in (1e-5, finest):
        sol = shaker(f).simulate(1.0, output_step=0.1, accuracy=accuracy)
        assert "derivatives" not in sol.quality.doubt


class Unjittable:
    def __init__(self, w):
        self.w = w

    def __call__(self, t):
        return 0.01 * float(np.sin(self.w * t))


def test_random_laws():
    """Sixty of the hunt (hunt_laws.py)."""
    found = [hunt_laws.judge(random.Random(k)) for k in range(60)]
    assert [law for error, law in found if not error <= 1] == []
    assert sum("TOLD" in law for _, law in found) == 0
