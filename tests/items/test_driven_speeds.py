"""Drives by speed and acceleration: integrated in closed form."""
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import pliant as pl
from pliant.functions.antiderivative import Sum
from pliant.functions.compile import Assembler
from pliant.functions.expression import Lookup
from pliant.functions.function import _Trial
from pliant.functions.parser import parse
from pliant.functions.piecewise import T
from pliant.items.errors import ItemError
from pliant.kernels.expression_vm import SCRATCH, value_at
from pliant.text.model_text import from_text, to_text

BREAKS = (0.3, 0.5, 1.0, 1.5, 2.0, 3.3)
CUBIC = pl.Table([-0.4, *BREAKS], [1.0, -2.0, 0.5, 4.0, 3.0, -1.0, 0.0])
LINEAR = pl.Table(BREAKS, [1.0, -2.0, 4.0, 0.0, 1.0, 7.0], kind="linear")
LAWS = ["20", "3*t^2 - 1", "(t - 1)^3*(t + 2)", "sin(3*t) + 8*cos(t/2 - 1)", "exp(-2*t)", "step(t, 0.5, 0, 1.5, 20)",
        "step(t, 1.5, 0, 0.5, 20)",
        "ramp(t, 1, 2)*t", "if(t < 1, 5*t, 5)", "if(t < 1 and t > 0.5, t^2, -t)", "if(t < 0.3 or t >= 2, 1, 3)", "abs(t - 1)*t",
        "min(t, 1) + max(2 - t, 0.5)", "sign(t - 2)", "sinh(t) - cosh(0.3*t)", "if(not (t >= 2), 1, 3)", "2*step(t, 1, 0, 2, 1)^2",
        "720 deg * t", CUBIC, LINEAR]


def evaluated(node):
    pool = _Trial()
    code = Assembler(pool).program(node)
    tab, val = np.array(pool.tab, np.int64), np.array([*pool.val, 0.0])
    return lambda t: value_at(float(t), np.zeros(1), tab, val, code, np.zeros(SCRATCH + len(tab) + 1))


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_integrals(law):
    """Against quadrature between the breaks."""
    once = Sum.of(law).integral()
    f, F, G = (evaluated(x) for x in (parse(law) if isinstance(law, str) else Lookup(law, T), once.node(), once.integral().node()))
    for t in (0.0, 0.21, 0.9, 1.7, 2.8, 5.1):
        ends = [0.0, *(x for x in BREAKS if x < t), t]
        for integral, of in ((F, f), (G, F)):
            exact = sum(quad(of, a, b, epsabs=1e-14, epsrel=1e-13)[0] for a, b in pairwise(ends))
            assert integral(t) == pytest.approx(exact, rel=1e-13, abs=1e-13)


def wheel(**law) -> pl.Model:
    m = pl.Model("wheel", gravity=(0, 0, -9.81))
    disc = m.add(pl.RigidBody("disc", 2.0, (0.1, 0.2, 0.3), com=(0.1, 0, 0), position=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground, disc, axis=(0.6, 0, 0.8)))
    m.add(pl.Drive("A", "angle", name="motor", **law))
    return m


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_speed_is_its_integral(coordinates):
    """A speed that jumps and has kinks; the same motion as by its position."""
    speed = "if(t < 0.5, 4, 4 - 6*(t - 0.5)) + step(t, 0.2, 0, 0.4, 3)"
    position = Sum.of(speed).integral().node()
    sol = wheel(speed=speed).simulate(1.0, accuracy=1e-9, coordinates=coordinates, output_step=0.05)
    np.testing.assert_allclose(sol["A.angle"], [evaluated(position)(t) for t in sol.t], atol=1e-12)
    np.testing.assert_allclose(sol["A.angle_rate"], [evaluated(parse(speed))(t) for t in sol.t], atol=1e-9)
    balance = sol.energy.balance
    assert abs(balance - balance[0]).max() < 1e-7
    polynomial = wheel(function="4*t + t^3"), wheel(speed="4 + 3*t^2"), wheel(acceleration="6*t")
    polynomial[2]["A"].angle_rate = 4.0
    runs = [m.simulate(1.0, accuracy=1e-9, coordinates=coordinates, output_step=0.1) for m in polynomial]
    for other in runs[1:]:
        for channel in ("disc.position", "A.angle_rate", "motor.effort", "A.torque"):
            np.testing.assert_allclose(other[channel], runs[0][channel], atol=1e-8)


def test_it_begins_where_the_joint_is():
    m = wheel(speed=pl.Table([0, 1, 2], [0, 3, 3]))
    m["A"].angle = "30 deg"
    sol = m.simulate(0.5, accuracy=1e-8)
    assert sol["A.angle"][0] == pytest.approx(np.pi / 6, abs=1e-12)
    other = wheel(acceleration="5 rad/s^2")
    other["A"].zero = 0.2
    sol = other.simulate(0.5, accuracy=1e-8)
    np.testing.assert_allclose(sol["A.angle"], 0.2 + 2.5 * sol.t**2, atol=1e-10)
    m["A"].angle_rate = 1.0
    with pytest.raises(pl.ModelError):
        m.simulate(0.5)


def test_round_trip_and_reports():
    m = wheel(speed="150 rpm")
    text = to_text(m)
    assert "speed: 150 rpm" in text and from_text(text)["motor"] == m["motor"] and to_text(from_text(text)) == text
    assert "speed 150 rpm" in m.summary()
    sol = m.simulate(0.1, accuracy=1e-8)
    np.testing.assert_allclose(sol["A.angle"], 5 * np.pi * sol.t, atol=1e-10)
    assert m.check().ok


WRONG = [({}, "function: is missing; a drive needs it, or speed or acceleration"),
         ({"function": "t", "speed": "1"}, "speed: is given beside function; a drive has one of"),
         ({"speed": "t*sin(t)"}, "speed: its integral is not known in closed form: sin is multiplied by a function of t"),
         ({"speed": "mod(t, 1)"}, "mod is not among what is integrated"),
         ({"acceleration": "1/t"}, "acceleration: its integral is not known in closed form: it divides by a function of t"),
         ({"speed": "A.angle"}, "it must depend on t alone"),
         ({"speed": "(t - t)^1e9"}, "it has a power that is no whole number up to 24"),
         ({"speed": lambda t: t}, "a Python function cannot be integrated in closed form; use function= with the position"),
         ({"speed": "3 m/s"}, "speed: '3 m/s' is a velocity"),
         ({"acceleration": "3 rad/s"}, "acceleration: '3 rad/s' is")]


@pytest.mark.parametrize(("law", "told"), WRONG)
def test_wrong_use_is_told(law, told):
    with pytest.raises(ItemError) as caught:
        pl.Drive("A", "angle", **law)
    assert told in str(caught.value)
