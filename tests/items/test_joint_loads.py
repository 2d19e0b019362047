"""Torques and forces between the two bodies of a joint."""
import numpy as np
import pytest

import pliant as pl
from pliant.items.errors import ItemError, ModelError
from pliant.text.model_text import from_text, to_text

AXIS = (0.3, -0.5, 0.8)


def pair(joint) -> pl.Model:
    """Two free bodies in space that spin, with a joint off their centres."""
    m = pl.Model("pair")
    a = m.add(pl.RigidBody("a", 2.0, (0.1, 0.2, 0.3), position=(0, 0, 0), angular_velocity=(0.3, 1.0, 2.0)))
    b = m.add(pl.RigidBody("b", 1.0, (0.03, 0.02, 0.01), position=(0.5, 0.1, 0), rotation=pl.rotation((1, 1, 0), 0.7)))
    m.add(joint("A", a.frame((0.5, 0.1, 0)), b, axis=AXIS))
    return m


def test_a_positive_torque_turns_b_forward():
    """Free disc on the ground: angle = T t^2 / (2 I)."""
    for swapped in (False, True):
        m = pl.Model("disc")
        disc = m.add(pl.RigidBody("disc", 1.0, (0.1, 0.1, 0.2), position=(0, 0, 0)))
        ends = (disc, m.ground) if swapped else (m.ground, disc)
        m.add(pl.Revolute("A", *ends, axis="z"))
        m.add(pl.JointTorque("T", "A", "0.4 N*m"))
        sol = m.simulate(2.0, accuracy=1e-9)
        assert sol["A.angle"][-1] == pytest.approx(0.4 * 2**2 / 2 / 0.2, rel=1e-9)
        np.testing.assert_allclose(sol["T.torque"], 0.4, rtol=1e-12)
        np.testing.assert_allclose(sol["T.power"], 0.4 * sol["A.angle_rate"], rtol=1e-12)
        assert sol.energy.work[-1] == pytest.approx(0.4 * sol["A.angle"][-1], rel=1e-9)


@pytest.mark.parametrize("formulation", [pl.Index1(), pl.Recursion()])
def test_it_is_the_opposite_of_a_spring_law(formulation):
    law = "3*sin(5*t) - 0.2*A.angle_rate*A.angle"
    loaded, sprung = pair(pl.Revolute), pair(pl.Revolute)
    loaded.add(pl.JointTorque("T", "A", law))
    sprung.add(pl.TorsionSpring("T", "A", f"-({law})"))
    one, other = (m.simulate(1.0, accuracy=1e-10, formulation=formulation, integrator=pl.DOP853()) for m in (loaded, sprung))
    np.testing.assert_allclose(one["b.position"], other["b.position"], atol=1e-12)
    np.testing.assert_allclose(one["T.torque"], -other["T.torque"], atol=1e-12)


def test_both_coordinates_agree_and_momentum_is_kept():
    m = pair(pl.Cylindrical)
    m.add(pl.JointTorque("T", "A", "2*sin(5*t) - 0.2*A.angle_rate*A.displacement"))
    m.add(pl.JointForce("F", "A", pl.Table([0, 0.3, 0.7, 1.0], [0, 4, -3, 0])))
    m.add(pl.JointForce("G", "A", lambda t: 0.3 * np.cos(7 * t)))
    runs = [m.simulate(1.0, accuracy=1e-11, formulation=f, integrator=pl.DOP853(), output_step=0.01) for f in (pl.Index1(), pl.Recursion())]
    for channel in ("b.position", "A.angle", "A.displacement", "T.power", "F.power"):
        np.testing.assert_allclose(runs[0][channel], runs[1][channel], atol=1e-8)
    sol = runs[0]
    balance = sol.energy.balance
    assert abs(balance - balance[0]).max() < 1e-9
    momentum = 2 * sol["a.velocity"] + sol["b.velocity"]
    np.testing.assert_allclose(momentum, momentum[:1] + np.zeros_like(momentum), atol=1e-9)
    work = np.array([np.trapezoid(sol["T.power"] + sol["F.power"] + sol["G.power"], sol.t), sol.energy.work[-1]])
    assert work[0] == pytest.approx(work[1], abs=1e-3)


def test_text_and_python_give_the_same_model():
    m = pair(pl.Cylindrical)
    m.add(pl.JointTorque("T", m["A"], "-0.5*A.angle_rate"))
    m.add(pl.JointForce("F", "A", "3 kN"))
    text = to_text(m)
    assert "kind: joint_torque" in text and "force: 3000" in text
    again = from_text(text)
    assert again["T"] == m["T"] and again["F"] == m["F"] and to_text(again) == text


def test_wrong_use_is_told():
    with pytest.raises(ItemError, match=r"joint_torque 'T': torque: '5 N' is a force \[N\]"):
        pl.JointTorque("T", "A", "5 N")
    m = pair(pl.Revolute)
    m.add(pl.Torque("T", "A", (0, 0, 1)))
    with pytest.raises(ModelError, match="torque 'T': there is no body 'A'; there is a joint of this name"):
        m.compile()
    m = pair(pl.Revolute)
    m.add(pl.JointForce("F", "A", 3.0))
    with pytest.raises(ModelError, match="joint_force 'F': joint 'A' has no coordinate 'displacement'; it has angle"):
        m.compile()
