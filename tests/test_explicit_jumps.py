"""The scenarios of `test_jumps` with explicit methods: those that end, in the digits that the accuracy asks for."""
import numpy as np
import pytest
from closed_forms import ALONG, N, U, along, block, pulses
from test_jumps import (  # noqa: F401
    ball,
    test_a_drive_that_jumps_is_named,
    test_a_jump_next_to_joints,
    test_a_kink_of_a_drive_is_an_impact,
    test_bounces_of_a_spring,
    test_drives_that_turn_back,
    test_jumps_in_python_functions_on_a_pendulum,
    test_kinks_of_forces,
    test_two_walls,
)

import pliant as pl
from pliant import methods


@pytest.fixture(autouse=True, params=[pl.DOP853(), pl.DormandPrince54(), pl.AdamsBashforthMoulton()], ids=lambda x: x.kind)
def explicit(request, monkeypatch):
    def chosen(integrator, formulation, fixed):
        return methods.chosen(integrator or request.param, formulation, fixed)
    monkeypatch.setattr("pliant.simulation.chosen", chosen)


@pytest.mark.parametrize(("force", "given"), [
    ("if(t > 0.3 and t < 0.302, 400, 0)", [(0.3, 0.302, 400)]), ("if(t > 0.3 and t < 0.3000001, 4e7, 0)", [(0.3, 0.3000001, 4e7)]),
    ("if(t > 0, 4, 0)", [(0, 2, 4)]), ("if(mod(t, 0.1) < 0.05, 4, 0)", [(0.1 * k, 0.1 * k + 0.05, 4) for k in range(20)]),
    (lambda t: 4.0 if 0.3137 < t < 0.71 else 0.0, [(0.3137, 0.71, 4)])], ids=range(5))
def test_pulses(force, given):
    sol = block(force).simulate(2.0)
    (x, v), (x0, v0) = along(sol), pulses(*given)(sol.t)
    close = 1e-5 if callable(force) else 1e-8
    assert abs(x - x0).max() < close * abs(x0).max() and abs(v - v0).max() < close * abs(v0).max()


@pytest.mark.parametrize(("stiffness", "accuracy"), [(1e4, 1e-5), (1e8, 1e-3)])
def test_a_bouncing_ball(stiffness, accuracy):
    """Free fall, contact on one side, free fall, in closed form."""
    sol = ball(f"if({ALONG} < 0, -{stiffness}*{ALONG}, 0)").simulate(4.0, accuracy=accuracy)
    (z, v), g, w = along(sol), 9.81, np.sqrt(stiffness)
    fall, speed = np.sqrt(2 * 0.2 / g), np.sqrt(2 * g * 0.2)
    period = 2 * fall + 2 * (np.pi - np.arctan(speed * w / g)) / w
    since = (sol.t + fall) % period
    flying = since < 2 * fall
    assert abs(z - speed * since + g * since**2 / 2)[flying].max() < 4 * accuracy
    energy = v**2 / 2 + g * z + np.where(z < 0, stiffness * z**2 / 2, 0)
    assert abs(energy / energy[0] - 1)[flying].max() < accuracy


def test_a_torque_that_depends_on_the_angle():
    m = pl.Model("rotor")
    rotor = m.add(pl.RigidBody("b", 2.0, (0.1, 0.1, 0.1)))
    m.add(pl.Revolute("A", m.ground, rotor, axis=tuple(N)))
    frame = rotor.frame((0, 0, 0), rotation=np.stack([N, U, np.cross(N, U)], 1))
    m.add(pl.Torque("T", frame, ("if(A.angle > 0.3, -0.05, 0.2)", 0, 0), axes="frame"))
    sol = m.simulate(1.5)
    on = np.sqrt(2 * 0.3 / 2.0)
    u = np.clip(sol.t - on, 0, None)
    np.testing.assert_allclose(sol["A.angle"], np.where(sol.t < on, sol.t**2, 0.3 + 2.0 * on * u - 0.25 * u**2), atol=1e-5)


def test_a_grazing_contact():
    top = 2.0**2 / (2 * 9.81)
    for ceiling in (top - 1e-9, top + 1e-9):
        sol = ball(f"if({ALONG} > {ceiling:.17g}, -1e4*({ALONG} - {ceiling:.17g}), 0)", 0.0, 2.0).simulate(0.4)
        np.testing.assert_allclose(sol["b.position"] @ N, 2.0 * sol.t - 4.905 * sol.t**2, atol=1e-8)


def test_dry_friction_that_stops_ends_in_a_sentence():
    m = pl.Model("friction")
    b = m.add(pl.RigidBody.box("b", size=(0.1, 0.1, 0.1), mass=2.0, velocity=(1.0, 0, 0)))
    m.add(pl.Prismatic("P", m.ground, b, axis="x"))
    m.add(pl.Force("f", b, ("-4*sign(b.velocity.x)", 0, 0)))
    with pytest.raises(pl.SimulationError, match=r"tanh\(v / 0.01\) instead of sign") as stopped:
        m.simulate(3.0)
    assert stopped.value.code in ("chattering", "step-underflow") and stopped.value.solution.t[-1] > 0.4
