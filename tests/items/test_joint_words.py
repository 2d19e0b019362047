"""Short words on joints: limits stand for stops, in Python, text and sub-assemblies."""
import numpy as np
import pytest

import pliant as pl
from pliant.items.base import matrix_of
from pliant.text.model_text import from_text, to_text

TILTED = (0.3, -0.5, 0.8)


def cart(**joint) -> pl.Model:
    m = pl.Model("cart")
    m.parameter("L", "0.1 m")
    m.add(pl.RigidBody("b", 2.0, (1, 1, 1), position=(0, 0, 0)))
    m.add(pl.Prismatic("P", m.ground, "b", axis=TILTED, displacement_rate=1.0, **joint))
    return m


def test_limits_are_those_of_a_stop():
    """Contacts of a stop whose stiffness is left out last a millisecond: v T/pi deep; other words are its fields. In text too."""
    m = cart(limits={"lower": "-100 mm", "upper": "=L", "restitution": 1})
    m.add(pl.Variable("seen", "1000*P.limits.depth"))
    for model in (m, from_text(to_text(m))):
        sol = model.simulate(0.4, accuracy=1e-9, output_step=1e-5)
        assert [e.what for e in sol.events] == ["touches upper", "leaves upper", "touches lower", "leaves lower"]
        assert np.diff([e.t for e in sol.events]) == pytest.approx([1e-3, 0.2, 1e-3], rel=1e-7)
        assert sol["P.limits.depth"].max() == pytest.approx(1e-3 / np.pi, rel=1e-4)
        assert sol["seen"] == pytest.approx(1000 * sol["P.limits.depth"], abs=1e-12)
    assert cart(limits=(None, 0.2))["P"].limits == {"upper": 0.2}
    given = cart(limits={"upper": 0.1, "stiffness": "10 N/mm", "restitution": 0.7}).simulate(0.2, accuracy=1e-8)
    assert given["P.displacement_rate"][-1] == pytest.approx(-0.7, abs=1e-7)
    with pytest.raises(ValueError, match=r"'P.limits' .*'P'"):
        m.add(pl.Stop("P.limits", "P", "displacement", 0, 1))


def test_both_bodies_of_a_joint_count():
    """Moments of inertia about the axis, 1/I = 1/I_a + 1/I_b, of bodies that are turned and off it: half a period of their spring alone."""
    m = pl.Model("free")
    turn = pl.rotation((1, 2, 3), 0.7)
    m.add(pl.RigidBody("a", 2.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0), rotation=turn, position=(0, 0, 0)))
    m.add(pl.RigidBody("b", 1.0, (0.3, 0.2, 0.4), (0.1, 0, 0), position=(0.2, 0, 0.1)))
    m.add(pl.Revolute("A", "a", "b", at=(0, 0, 0), axis=TILTED, limits=(-0.1, 0.1)))
    Ra = matrix_of(m["a"].rotation)
    axis = np.array(TILTED) / np.linalg.norm(TILTED)
    inertia = []
    for body, turned, com in (("a", Ra, Ra @ (0.1, 0.2, 0)), ("b", np.eye(3), np.array([0.3, 0, 0.1]))):
        arm = com - axis * (axis @ com)
        inertia.append(axis @ turned @ np.diag(m[body].inertia) @ turned.T @ axis + m[body].mass * arm @ arm)
    m["A"].angle = 0.1 + 1e-3
    m["A"].limits = {"upper": 0.1, "restitution": 1}
    torque = m.simulate(1e-6, output_step=1e-6)["A.limits.effort"][0]
    assert torque == pytest.approx(-1e-3 * (np.pi / 1e-3)**2 / sum(1 / i for i in inertia), rel=1e-9)


def test_the_mirror_image_of_a_stop():
    """On a coordinate that has the opposite sign there, limits change places."""
    part = pl.Model("part")
    part.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.3), position=(0, 0, 0)))
    part.add(pl.Cylindrical("C", part.ground, "b", axis=TILTED, angle_rate=2.0, displacement_rate=-0.5))
    part.add(pl.Stop("turn", "C", "angle", upper="10 deg", stiffness=1e4))
    part.add(pl.Stop("slide", "C", "displacement", -0.05, 0.2, stiffness=1e4, restitution=0.8))
    whole = pl.Model("whole")
    whole.add(part, name="left")
    whole.add(part, name="right", mirror="y", position=(0, 3, 0))
    assert whole["right.turn"].lower == -whole["left.turn"].upper and whole["right.turn"].upper is None
    sol = whole.simulate(0.3, accuracy=1e-9)
    assert sol["left.C.angle_rate"][-1] == pytest.approx(-1.0, abs=1e-7)
    for name, sign in (("angle", -1), ("angle_rate", -1), ("displacement", 1)):
        assert sol[f"right.C.{name}"] == pytest.approx(sign * sol[f"left.C.{name}"], abs=1e-8)


@pytest.mark.parametrize(("limits", "told"), [
    ((1,), r"limits: \(1\) must be two numbers, the lower and the upper limit"), ((0.2, 0.1), "limits.lower: 0.2 must be below upper"),
    ({"lower": 0.1, "bounce": 2}, "limits.bounce: unknown key"), (("1 kg", 2), "limits.lower: '1 kg' is a mass"),
    ({"lower": 0, "coordinate": "angle"}, "limits.coordinate: unknown key"), (0.3, "limits: 0.3 must be two numbers"),
    ({"upper": 0, "restitution": 2}, "limits.restitution: 2 must be"), ({"upper": 0, "exponent": 1.5}, "limits.stiffness: is missing")])
def test_wrong_words_are_told(limits, told):
    with pytest.raises(pl.ItemError, match=f"prismatic 'P': {told}"):
        cart(limits=limits)


def test_bodies_without_inertia_are_told():
    m = pl.Model("point")
    m.add(pl.RigidBody.point_mass("p", 1.0, position=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "p", axis="z", limits=(-1, 1)))
    with pytest.raises(pl.ModelError, match=r"stop 'A.limits': stiffness: is missing; the bodies of joint 'A' have no inertia"):
        m.compile()
