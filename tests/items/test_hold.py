"""Coordinates of joints that are held: ``hold``."""
import numpy as np
import pytest

import pliant as pl
from pliant.items.errors import ItemError, ModelError
from pliant.text.model_text import from_text, to_text

AXIS = (0.3, -0.5, 0.8)
FORMS = [pl.Index1(), pl.Recursion()]


def arm(make) -> pl.Model:
    """Two bodies in space on a hinge in the ground, off their centres; ``make`` adds the joint between them."""
    m = pl.Model("arm", gravity=(1.0, 2.0, -9.81))
    m.add(pl.RigidBody("a", 2.0, (0.1, 0.2, 0.3), com=(0.1, 0, 0), position=(0.1, -0.3, 0.2), rotation=pl.rotation((1, 2, 3), 0.9)))
    m.add(pl.RigidBody("b", 1.0, (0.03, 0.02, 0.01), position=(0.5, 0.1, 0), rotation=pl.rotation((1, 1, 0), -0.7)))
    m.add(pl.Revolute("G", m.ground, "a", at=(0, 0, 0), axis=(1, 1, 0), angle_rate=2.0))
    make(m)
    return m


def run(m, formulation, **options):
    return m.simulate(0.5, accuracy=1e-10, formulation=formulation, integrator=pl.DOP853(), output_step=0.01, **options)


@pytest.mark.parametrize("formulation", FORMS)
def test_a_held_hinge_is_fixed(formulation):
    held = arm(lambda m: m.add(pl.Revolute("J", "a", "b", at=(0.4, 0, 0.1), axis=AXIS, hold=["angle"])))
    fixed = arm(lambda m: m.add(pl.Fixed("J", "a", "b", at=(0.4, 0, 0.1), axis=AXIS)))
    one, other = run(held, formulation), run(fixed, pl.Index1())
    np.testing.assert_allclose(one["b.position"], other["b.position"], atol=1e-9)
    np.testing.assert_allclose(one["b.rotation"], other["b.rotation"], atol=1e-9)
    axis = one["J.torque_joint"] * 0 + np.array(AXIS) / np.linalg.norm(AXIS)
    about = np.einsum("ni,ni->n", other["J.torque_joint"], axis)  # frame a has world axes as modelled
    np.testing.assert_allclose(one["J.angle_effort"], about, atol=1e-6)
    np.testing.assert_allclose(one["J.angle"], 0, atol=1e-9)
    assert held.check().degrees_of_freedom == 1 and held.check().drives == 0


@pytest.mark.parametrize("formulation", FORMS)
def test_one_of_two_coordinates(formulation):
    held = arm(lambda m: m.add(pl.Cylindrical("J", "a", "b", at=(0.4, 0, 0.1), axis=AXIS, hold=["displacement"])))
    hinge = arm(lambda m: m.add(pl.Revolute("J", "a", "b", at=(0.4, 0, 0.1), axis=AXIS)))
    one, other = run(held, formulation), run(hinge, pl.Index1())
    np.testing.assert_allclose(one["J.angle"], other["J.angle"], atol=1e-8)
    np.testing.assert_allclose(one["b.position"], other["b.position"], atol=1e-8)
    assert held.check().degrees_of_freedom == 2


@pytest.mark.parametrize("formulation", FORMS)
def test_it_keeps_the_stated_value(formulation):
    m = arm(lambda m: m.add(pl.Revolute("J", "a", "b", at=(0.4, 0, 0.1), axis=AXIS, angle="200 deg", hold=["angle"])))
    sol = run(m, formulation)
    np.testing.assert_allclose(sol["J.angle"], np.radians(200), atol=1e-9)
    balance = sol.energy.balance
    assert abs(balance - balance[0]).max() < 1e-8


def test_in_a_loop_and_with_zero():
    """A four-bar whose first joint is held does not move."""
    m = pl.Model("four-bar", gravity=(0, -9.81, 0))
    points = [(0, 0, 0), (0, 0.3, 0), (0.6, 0.5, 0), (0.7, 0, 0)]
    bars = [m.add(pl.RigidBody.rod(f"bar{k}", start=points[k], end=points[k + 1], mass=1.0)) for k in range(3)]
    ends = [m.ground, *bars, m.ground]
    for k in range(4):
        m.add(pl.Revolute(f"J{k}", ends[k], ends[k + 1], at=points[k], axis="z", **({"hold": ["angle"], "zero": 0.3} if k == 0 else {})))
    assert m.check().degrees_of_freedom == 0
    for formulation in FORMS:
        sol = m.simulate(0.3, accuracy=1e-8, formulation=formulation)
        np.testing.assert_allclose(sol["bar1.position"], sol["bar1.position"][:1].repeat(len(sol.t), 0), atol=1e-9)
        np.testing.assert_allclose(sol["J0.angle"], 0.3, atol=1e-9)


def test_round_trip():
    m = arm(lambda m: m.add(pl.Cylindrical("J", "a", "b", at=(0.4, 0, 0.1), hold=["displacement", "angle"])))
    text = to_text(m)
    assert "hold: [displacement, angle]" in text
    assert from_text(text)["J"] == m["J"] and to_text(from_text(text)) == text


def test_wrong_use_is_told():
    with pytest.raises(ItemError, match=r"revolute 'A': hold\[0\]: joint 'A' has no coordinate 'displacement'; it has angle"):
        pl.Revolute("A", "a", "b", hold=["displacement"])
    with pytest.raises(ItemError, match=r"hold\[0\]: 'angle' is held, but angle_rate says that it moves"):
        pl.Revolute("A", "a", "b", hold=["angle"], angle_rate=1)
    m = arm(lambda m: m.add(pl.Revolute("J", "a", "b", at=(0.4, 0, 0.1), hold=["angle"])))
    m.add(pl.Drive("J", "angle", "t"))
    with pytest.raises(ModelError, match="drive 'J_drive': joint 'J' holds its angle; leave out hold or the drive"):
        m.compile()
