"""Steep laws of the motion: a body that meets a force at some place, however thin, gains its work. v^2 = v0^2 + 2 W / m in closed form;
what travels with the speed u does the same work in its own frame. Off-axis, 2 kg."""
from itertools import pairwise

import numpy as np
import pytest
from closed_forms import N
from hunt_laws import ACROSS, travelling
from scipy.integrate import quad

import pliant as pl

MASS, WORK, PLACE = 2.0, 0.3, 5.0
EXACT = np.sqrt(1 + 2 * WORK / MASS)
X = f"(P.displacement - {PLACE})"
WIDTHS = [1e-1, 1e-3, 1e-6]
ALPHA = pl.GeneralizedAlpha(0.8)


def model(law, speed=1.0):
    """A body on a slide, pushed along it by a law of its place: an expression of channels, or a function of x, v."""
    m = pl.Model("slide")
    b = m.add(pl.RigidBody.box("b", (0.1, 0.2, 0.3), mass=MASS, velocity=tuple(speed * N)))
    m.add(pl.Prismatic("P", m.ground, b, axis=tuple(N)))
    if isinstance(law, str):
        m.add(pl.Force("f", b.frame((0, 0, 0), rotation=ACROSS), (law, 0, 0), axes="frame"))
    else:
        m.add(pl.SpringDamper("f", m.ground.frame(tuple(-N)), b, stiffness=law, length=1.0))
    return m


def end_speed(sol):
    return sol["P.displacement_rate"][-1]


def forms(w):
    """Laws whose integral over the place is WORK; of those with tails the part up to the end."""
    f, two = WORK / w, f"({X} - {w})"
    return {"bell": f"{f / np.sqrt(np.pi)}*exp(-({X}/{w})^2)", "steps": f"step({X}, 0, 0, {w}, {f}) - step({X}, {w}, 0, {2 * w}, {f})",
            "tanh": f"{f / 2}*(tanh({X}/{w}) - tanh({two}/{w}))",
            "power": f"{2 * f / np.pi}*(1 + ({X}/{w})^2)^(-2)", "waves": f"if(abs({X}) < {w}, {f / 2}*(1 + sin(20*pi*{X}/{w})), 0)"}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("form", forms(1.0))
def test_nothing_is_passed_over(form, width):
    sol = model(forms(width)[form]).simulate(10.0, accuracy=1e-5)
    assert end_speed(sol) == pytest.approx(EXACT, abs=1e-4)
    assert sol.quality.steps < 200, "steps are short next to it only"


@pytest.mark.parametrize("width", WIDTHS)
def test_spikes_of_tables(width):
    """Linear, a small one in a table with a large range; and a cubic bell."""
    x = PLACE + width * np.arange(-3.0, 4.0)
    spike = pl.Table([0.0, *x, 30.0, 40.0], [0, 0, 0, 0, -WORK / width, 0, 0, 0, 0, 20 * WORK / width], "linear")
    z = np.linspace(-4, 4, 33)
    bell = pl.Table(PLACE + width * z, -WORK / width / np.sqrt(np.pi) * (np.exp(-z * z) - np.exp(-16)))
    for table in (spike, bell):
        work = -sum(quad(table.evaluate, a, b)[0] for a, b in pairwise(table.x[table.x < 10]))
        assert end_speed(model(table).simulate(8.0, accuracy=1e-5)) == pytest.approx(np.sqrt(1 + 2 * work / MASS), abs=1e-4)


@pytest.mark.parametrize("options", [{"integrator": ALPHA}, {"integrator": ALPHA, "coordinates": "joint"}, {"integrator": pl.RadauIIA5()},
                                     {"integrator": pl.BDF()}, {"coordinates": "joint"},
                                     {"integrator": pl.RadauIIA5(), "coordinates": "joint"}], ids=str)
@pytest.mark.parametrize("width", WIDTHS)
def test_other_methods(options, width):
    for form in ("bell", "steps", "power"):
        sol = model(forms(width)[form]).simulate(10.0, accuracy=1e-5, **options)
        assert end_speed(sol) == pytest.approx(EXACT, rel=1e-3)  # 10 x accuracy x duration


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("part", [0.5, -2.0, 1.5])
def test_what_travels(part, width):
    """A bell that comes along with the speed u does the work W = part m u^2 / 2 in its frame; it throws the body before it if that is more
    than m u^2 / 2."""
    law, speed = travelling(1.5, part, width, -7.0)
    sol = model(law, 0.0).simulate(10.0, accuracy=1e-5)
    assert end_speed(sol) == pytest.approx(speed, abs=3e-4 * (1 + abs(speed))) and sol.quality.steps < 250


def test_close_encounters():
    """A comet that falls almost straight into a small softened centre and out again keeps its energy and its time:
    x'' = -x / (x^2 + e^2)^1.5 has the first integral v^2 / 2 - 1 / sqrt(x^2 + e^2)."""
    e = 1e-4
    m = model(f"-{MASS}*(P.displacement - 3)*((P.displacement - 3)^2 + {e * e})^(-1.5)", 0.0)
    sol = m.simulate(8.0, accuracy=1e-7)
    x, v = sol["P.displacement"] - 3, sol["P.displacement_rate"]
    energy = v**2 / 2 - 1 / np.sqrt(x**2 + e * e)
    assert x.max() > 2, "through the centre, to the other side"
    assert energy == pytest.approx(energy[0], abs=1e-3)


def test_python_functions_are_sampled_along_the_way():
    """Compiled: a bell of a thousandth of the way; interpreted, a jump of two thousandths."""
    w, wide = 0.01, 0.02

    def bell(t, x, v):
        return -WORK / w / np.sqrt(np.pi) * np.exp(-((x - PLACE) / w) ** 2)

    class Box:  # an object: not compiled
        def __call__(self, t, x, v):
            return -WORK / wide if 0 < x - PLACE < wide else 0.0
    for law in (bell, Box()):
        assert end_speed(model(law).simulate(10.0, accuracy=1e-5)) == pytest.approx(EXACT, abs=1e-4)


def test_what_is_steep_everywhere_still_runs():
    """Regularised friction, and sign(v) written as a fraction: a body on a spring comes to rest, E = E0 - friction x way."""
    for law in ("-5*tanh(P.displacement_rate/1e-3)", "-5*P.displacement_rate/sqrt(P.displacement_rate^2 + 1e-9)",
                "-5*(2/pi)*atan(P.displacement_rate/1e-4)"):
        m = model(f"{law} - 200*P.displacement", 2.0)
        sol = m.simulate(0.25, accuracy=1e-5)
        x, v = sol["P.displacement"], sol["P.displacement_rate"]
        way = np.where(v > 0, x, 2 * x.max() - x)  # out and back
        assert v**2 + 100 * x**2 + 5 * way == pytest.approx(4.0, abs=0.02)
        assert sol.quality.steps < 400


def test_a_resumed_run_is_the_same(tmp_path):
    m = model(forms(1e-3)["bell"])
    whole = m.simulate(10.0, accuracy=1e-5)
    part = m.simulate(4.0, accuracy=1e-5, output_step=0.01, out=tmp_path / "a.h5")
    assert end_speed(part.resume(6.0)) == pytest.approx(end_speed(whole), abs=1e-5)
