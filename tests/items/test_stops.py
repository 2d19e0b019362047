"""Stops of joint coordinates: the restitution that is asked for, impacts of a pendulum, rest, energy."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.items.contact_damping import damping_of
from pliant.text.model_text import from_text, to_text

TILTED = (0.3, -0.5, 0.8)
HIT = 0.483333713593, 1.343434013717  # of a uniform rod of 1 m from the horizontal, rigid stop at the lowest position, e = 0.6


def cart(**more) -> pl.Model:
    m = pl.Model("cart")
    m.add(pl.RigidBody("b", 2.0, (1, 1, 1), position=(0, 0, 0)))
    m.add(pl.Prismatic("P", m.ground, "b", axis=TILTED, displacement_rate=1.0))
    m.add(pl.Stop("s", "P", "displacement", **{"upper": 0.1, "stiffness": 1e4} | more))
    return m


def test_the_damping_of_a_restitution():
    found = [damping_of(e) for e in (0.9, 0.7, 0.5, 0.3)]
    assert found == pytest.approx([0.166482, 0.634828, 1.432751, 3.087082], abs=1e-6)
    assert damping_of(1.0) == 0 and damping_of(0.01) == pytest.approx(100, rel=1e-6)


def deepest(e: float, p: float, k: float, mass: float = 2.0, v: float = 1.0) -> float:
    """d_max^(p+1) = (p+1) (m/k) (a v - ln(1 + a v)) / a^2"""
    x = damping_of(e)
    return float(((p + 1) * mass / k * v**2 * ((x - np.log1p(x)) / x**2 if x else 0.5)) ** (1 / (p + 1)))


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("exponent", [1.0, 1.5])
@pytest.mark.parametrize("e", [1.0, 0.7, 0.05])
def test_what_is_asked_for_is_given_back(e, exponent, coordinates):
    """To the accuracy, whatever the stiffness; as deep as the law says; nothing is gained or lost beside."""
    T = 0.16 + 0.12 / e
    for k, integrator, within in ((1e4, None, 1e-7 * T), (1e8, None, 1e-7 * T), (1e4, pl.RadauIIA5(), 1e-5)):
        m = cart(restitution=e, exponent=exponent, stiffness=k)
        sol = m.simulate(T, accuracy=1e-8, coordinates=coordinates, integrator=integrator, output_step=1e-3)
        assert sol["P.displacement_rate"][-1] == pytest.approx(-e, abs=1e-7)
        depth = sol["s.depth"].max() / deepest(e, exponent, k)
        assert depth < 1 + 1e-7 and (depth > 0.99 or k > 1e4) and sol["s.upper_force"].min() >= 0
        balance = sol.energy.balance
        assert abs(balance - balance[0]).max() < within


def test_it_comes_back_from_the_other_side():
    sol = cart(restitution=0.8, stiffness=1e8, lower=-0.2).simulate(0.9, accuracy=1e-9)
    assert sol["P.displacement_rate"][-1] == pytest.approx(0.8**2, abs=1e-7)


def pendulum(k: float) -> pl.Model:
    m = pl.Model("rod", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, m["rod"]["start"], axis="y"))
    m.add(pl.Stop("s", "A", "angle", upper="90 deg", stiffness=k, restitution=0.6))
    return m


def test_a_pendulum_on_a_stop_comes_to_the_rigid_one():
    """At the rate of the duration of the contact, 1/sqrt(k); the rigid one by SciPy between impacts at known times."""
    def swing(angle, rate, T):
        sol = solve_ivp(lambda t, y: [y[1], 1.5 * 9.81 * np.cos(y[0])], (0, T), [angle, rate], rtol=1e-12, atol=1e-12)
        return sol.y[:, -1]
    first = swing(0.0, 0.0, HIT[0])
    assert first == pytest.approx([np.pi / 2, 5.424942396], abs=1e-9)
    second = swing(np.pi / 2, -0.6 * first[1], HIT[1] - HIT[0])
    rigid = np.array([swing(np.pi / 2, -0.6 * first[1], 0.7 - HIT[0]), swing(np.pi / 2, -0.6 * second[1], 1.5 - HIT[1])])
    errors = []
    for k in (1e6, 1e8):
        sol = pendulum(k).simulate(1.5, accuracy=1e-9, output_times=[0.7, 1.5])
        errors.append(abs(np.column_stack([sol["A.angle"], sol["A.angle_rate"]])[-2:] - rigid).max())
    assert errors[1] < 1e-2 and errors[0] / errors[1] == pytest.approx(10, rel=0.2)


def test_what_rests_on_a_stop():
    """Weight times arm is carried, in statics and at the end of bouncing; text gives the same model."""
    m = pendulum(1e5)
    m["s"].upper = 0.5
    st = m.static()
    depth = st["s.depth"]
    assert 1e5 * depth == pytest.approx(0.5 * 9.81 * np.cos(0.5 + depth), rel=1e-9)
    again = from_text(to_text(m))
    for model in (m, again):
        sol = model.simulate(6.0, accuracy=1e-6, output_times=[6.0])
        assert sol["A.angle"][-1] == pytest.approx(0.5 + depth, abs=1e-6) and abs(sol["A.angle_rate"][-1]) < 1e-4
    whole, half = (m.simulate(T, output_step=0.05) for T in (2.0, 1.0))
    assert half.resume(1.0)["A.angle"][-1] == pytest.approx(whole["A.angle"][-1], abs=1e-5)


@pytest.mark.parametrize(("fields", "told"), [
    ({"upper": None}, "lower: is missing; a stop needs it, or upper"), ({"lower": 0.2}, r"lower: 0.2 must be below upper, 0.1"),
    ({"restitution": 1.1}, "restitution: 1.1 must be from 0.01 to 1"), ({"exponent": 0.5}, "exponent: 0.5 must be from 1"),
    ({"stiffness": -1}, "stiffness"), ({"upper": "30 deg"}, "upper.*deg")])
def test_wrong_stops_are_told(fields, told):
    with pytest.raises(pl.ItemError, match=rf"stop 's': .*{told}"):
        cart(**fields)
