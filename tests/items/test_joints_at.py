"""Joints made at one point of the world: ``at``."""
import numpy as np
import pytest
from flexible_models import rod as reduced_rod

import pliant as pl
from pliant.items.base import matrix_of
from pliant.items.errors import ItemError, ModelError
from pliant.text.model_text import from_text, to_text

KINDS = {"revolute": pl.Revolute, "cylindrical": pl.Cylindrical, "universal": pl.Universal, "spherical": pl.Spherical, "joint": pl.Joint}
POINT, AXIS, OTHER = np.array([0.4, 0.1, -0.2]), np.array([0.6, 0.0, 0.8]), np.array([-0.8, 0.0, 0.6])


def directions(kind: str) -> dict:
    """World axes."""
    if kind == "spherical":
        return {}
    more = {"universal": {"axis_b": OTHER}, "joint": {"axis_x": OTHER, "primitives": ["coincident", ("d1", "x", "y")]}}
    return {"axis": AXIS} | more.get(kind, {})


def bodies() -> pl.Model:
    m = pl.Model("two", gravity=(1.0, 2.0, -9.81))
    m.add(pl.RigidBody("a", 2.0, (0.1, 0.2, 0.3), com=(0.1, 0, 0), position=(0.1, -0.3, 0.2), rotation=pl.rotation((1, 2, 3), 0.9),
                       angular_velocity=(0.3, 1.0, 2.0)))
    m.add(pl.RigidBody("b", 1.0, (0.03, 0.02, 0.01), position=(0.5, 0.1, 0), rotation=pl.rotation((1, 1, 0), -0.7)))
    return m


def by_hand(kind: str) -> pl.Model:
    """The same with two frames, in the axes of the bodies."""
    m = bodies()
    ends = [m[k].frame(matrix_of(m[k].rotation).T @ (POINT - m[k].position)) for k in "ab"]
    R = matrix_of(m["a"].rotation)
    m.add(KINDS[kind]("J", *ends, **{k: R.T @ v if k.startswith("axis") else v for k, v in directions(kind).items()}))
    return m


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("formulation", [pl.Index1(), pl.Recursion()])
def test_one_point_is_two_frames(kind, formulation):
    m = bodies()
    m.add(KINDS[kind]("J", "a", m["b"], at=POINT, **directions(kind)))
    one, other = (x.simulate(0.5, accuracy=1e-9, formulation=formulation, integrator=pl.DOP853()) for x in (m, by_hand(kind)))
    for channel in ("a.position", "b.position", "b.rotation", "J.force", "J.torque"):
        np.testing.assert_allclose(one[channel], other[channel], atol=1e-8 * max(1.0, abs(other[channel]).max()))


def test_on_the_ground_and_moved_bodies():
    """The point stays where it is in the world, wherever the body is put afterwards."""
    m = bodies()
    m.add(pl.Prismatic("G", m["a"], m.ground, at=(1, 2, 3), axis="x"))
    m["a"].position = (5, 5, 5)
    d = m.compile()
    point, axes = m["a"].place_of(m["G"].a)
    R = matrix_of(m["a"].rotation)
    np.testing.assert_allclose(np.array(m["a"].position) + R @ point, (1, 2, 3), atol=1e-14)
    np.testing.assert_allclose(R @ axes, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(d.directory.joints["G"].offset, 0, atol=1e-14)
    assert "a at world (1, 2, 3)" in m.summary()


def test_a_flexible_body_is_held_at_its_node():
    m = pl.Model("flexible", gravity=(0, 0, -9.81))
    body = m.add(pl.ModalBody("beam", reduced_rod(), position=(0.2, 0.3, 0.1), rotation=pl.rotation("z", 0.5)))
    node = next(iter(body.reduced.nodes))
    at = np.array(body.position) + matrix_of(body.rotation) @ body.reduced.nodes[node].u0
    m.add(pl.Revolute("A", m.ground, body, at=at, axis="y"))
    assert body.node_of(m["A"].b) == node
    assert m.check().ok and m.simulate(0.01, step=1e-3).t[-1] == 0.01
    m["A"].at = at + [0.01, 0, 0]
    with pytest.raises(ModelError, match="joint 'A': body 'beam' has no node at"):
        m.compile()


def test_round_trip_and_text():
    m = bodies()
    m.add(pl.Universal("J", "a", "b", at=("40 cm", 0.1, -0.2), axis=AXIS, axis_b=OTHER))
    m.add(pl.SpringDamper("S", m.ground, m["b"].frame(at=(0.9, 0, 0)), 30.0))
    text = to_text(m)
    assert "between: [a, b], at: [0.4, 0.1, -0.2]" in text
    again = from_text(text)
    assert again["J"] == m["J"] and again["S"] == m["S"] and to_text(again) == text
    copy = m.copy()
    copy["J"].at = (0, 0, 0)
    assert m["J"].a.at == (0.4, 0.1, -0.2) and copy["J"].b.at == (0, 0, 0)
    copy["J"].at = None
    assert copy["J"].a == pl.Universal("J", "a", "b").a


def test_pictures_and_services_know_the_place(tmp_path):
    m = bodies()
    m["a"].angular_velocity = None
    m.add(pl.Revolute("G", m.ground, "a", at=(0, 0, 0), axis="y"))
    m.add(pl.Revolute("J", "a", "b", at=POINT, axis=AXIS))
    arm = m.joint_space()
    np.testing.assert_allclose(arm.frame(m["b"].frame(at=(0.3, 0.2, 0.1))).position, (0.3, 0.2, 0.1), atol=1e-12)
    sol = m.simulate(0.01, step=1e-3)
    sol.snapshot(tmp_path / "pose.png")
    sol.to_html(tmp_path / "page.html")
    sol.save(tmp_path / "run.h5")
    np.testing.assert_array_equal(pl.load(tmp_path / "run.h5")["J.angle"], sol["J.angle"])


def test_what_is_refused_changes_nothing():
    joint = pl.Revolute("A", "a", "b", at=(1, 0, 0))
    for field, wrong in (("at", "here"), ("a", "a.end"), ("hold", ["displacement"]), ("axis", (0, 0, 0))):
        with pytest.raises(ItemError):
            setattr(joint, field, wrong)
        assert joint == pl.Revolute("A", "a", "b", at=(1, 0, 0))
    drive = pl.Drive("A", "angle", "t")
    with pytest.raises(ItemError):
        drive.speed = 3
    assert drive == pl.Drive("A", "angle", "t")


def test_wrong_use_is_told():
    with pytest.raises(ItemError, match=r"revolute 'A': between\[0\]: 'a\.end' is a frame, but at makes both frames; name the body 'a'"):
        pl.Revolute("A", "a.end", "b", at=(0, 0, 0))
    with pytest.raises(ItemError, match="distance 'A': at: a distance joint has two points"):
        pl.Distance("A", "a", "b", at=(0, 0, 0))
    with pytest.raises(ItemError, match="at: '3 kg' is a mass"):
        pl.Revolute("A", "a", "b", at=("3 kg", 0, 0))
    m = pl.Model("m")
    m.add(pl.RigidBody("a", 1.0, (1, 1, 1)))
    m.add(pl.Revolute("A", m.ground, "a", at=(0.1, 0, 0)))
    with pytest.raises(ModelError, match=r"joint 'A': body 'a' has no stated position, so the point \(0\.1, 0, 0\) of the world"):
        m.compile()
    assert "no stated position" in str(m.check())
