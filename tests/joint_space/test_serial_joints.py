"""Joints that their classes declare as moves one after the other: joint coordinates carry them, as built-in ones."""
from typing import ClassVar

import numpy as np
import pytest
from flexible_trees import flexible_tree
from joint_models import tree
from outsider.slot_joint import PinInSlot
from recursive import STEP, State

import pliant as pl
from pliant.items.declarations import TreeJoint, fault, moved
from pliant.items.joints import COINCIDENT, AxisJoint
from pliant.joint_space import serial
from pliant.joint_space.joint_states import joint_state
from pliant.joint_space.topology import masses_of, spanning_forest
from pliant.kernels import link_tables as rc


class Gimbal(AxisJoint):
    """A ball in three rings."""
    kind: ClassVar[str] = "gimbal"
    constraints: ClassVar = (COINCIDENT,)
    tree: ClassVar[TreeJoint | None] = TreeJoint(("rz", "rx", "ry"), ("yaw", "roll", "pitch"))


class Skate(AxisJoint):
    """A point on a plane, turned by Cardan's angles."""
    kind: ClassVar[str] = "skate"
    constraints: ClassVar = (("d2", 2),)
    tree: ClassVar[TreeJoint | None] = TreeJoint(("x", "y", "rz", "rx", "ry"), ("x", "y", "yaw", "roll", "pitch"))


class Crossbeam(AxisJoint):
    """Slides across its axis."""
    kind: ClassVar[str] = "crossbeam"
    constraints: ClassVar = (("d2", 1), ("d2", 2), ("d1", 0, 1), ("d1", 1, 2), ("d1", 2, 0))
    tree: ClassVar[TreeJoint | None] = TreeJoint(("x",), ("x",))


KINDS = ("pin_in_slot", "gimbal", "skate", "crossbeam")


def close(a, b, tolerance: float = 1e-11) -> bool:
    return bool(abs(a - b).max(initial=0.0) <= tolerance * max(1.0, abs(b).max(initial=0.0)))


@pytest.mark.parametrize("kind", KINDS)
def test_they_carry_bodies(kind):
    d = tree([kind, kind], springs=False).compile()
    found = spanning_forest(d.directory, masses_of(d.system))
    assert [link.kind for link in found.links] == [kind, kind] and not found.cut
    assert [link.reversed for link in found.links] == [False, True]
    assert found.freedom == 2 * pl.items.base.KINDS["joints"][kind].tree.freedom


@pytest.mark.parametrize("kind", KINDS)
def test_coordinates_and_rates_are_found_from_poses_and_velocities(kind):
    """The other way round than the recursion, from either side of the joint."""
    state = State(tree([kind] * 3, seed=1), seed=2)
    state.rates()
    row = state.absolute()
    whole = state.row.copy()
    n = row["q"].size
    whole[3:3 + n], whole[3 + n:3 + n + row["v"].size] = row["q"], row["v"]
    q, u = joint_state(state.space, whole)
    assert (state.space.tree.ip[:, rc.KIND] == rc.SERIAL).all()
    assert close(q, state.q, 1e-12) and close(u, state.u, 1e-11)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_accelerations(kind, floating):
    """Against absolute coordinates, where the joint is equations."""
    state = State(tree([kind] * 3, seed=1, floating=floating), seed=2)
    state.rates()
    assert close(state.x.a, state.absolute()["a"], 1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_accelerations_with_flexible_bodies_on_both_sides(kind):
    state = State(flexible_tree(["spherical", kind, kind], seed=4, every=1), seed=5)
    state.rates()
    assert close(state.x.a, state.absolute()["a"], 1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_velocities_and_accelerations_are_derivatives_of_positions(kind):
    state = State(tree(["revolute", kind, kind], seed=4), seed=5)
    accelerations = state.rates().copy()
    x, real = state.along(state.u, accelerations), state.x
    linear = state.system.data.linear
    assert close((x.q.imag / STEP)[linear[:, 1]], real.v[linear[:, 0]], 1e-13)
    assert close(x.v.imag / STEP, real.a, 1e-12)


def slot(coordinates: str, **options) -> pl.Solution:
    """A pin in an inclined slot, with a pendulum that hangs on it; the slot of the second one is on the moving body."""
    m = pl.Model("slots", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("pin", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0.1, 0.0, -0.2)))
    m.add(PinInSlot("slot", m.ground, "pin", axis=(0.8, 0, -0.6)))
    m.add(pl.RigidBody("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.2, 0, -0.5)))
    m.add(PinInSlot("other", m["bob"].frame((0, 0, 0.5)), m["pin"].frame((0.2, 0, 0)), axis=(0.6, 0.8, 0)))
    m.add(pl.AxialSpring("back", "other", 30.0, 0.5, 0.1))
    for change in options.pop("items", ()):
        m.add(change)
    return m.simulate(1.0, output_step=0.02, coordinates=coordinates, progress=False, **options)


@pytest.mark.parametrize("method", [pl.DOP853(), pl.RadauIIA5()], ids=lambda x: x.kind)
def test_runs_agree_with_absolute_coordinates(method):
    joint = slot("joint", integrator=method, accuracy=1e-8)
    absolute = slot("absolute", integrator=pl.DOP853(), accuracy=1e-9)
    assert joint.formulation.kind == "recursion"
    displacements, forces = ("slot.displacement", "other.displacement"), ("slot.force", "back.force")
    for channel in ("pin.position", "bob.position", *displacements, *forces):
        assert close(joint[channel], absolute[channel], 1e-5), channel


def test_their_coordinate_can_be_driven():
    drives = [pl.Drive("slot", "displacement", "0.1*sin(3*t)"), pl.Drive("other", "displacement", "0.05*t")]
    joint = slot("joint", items=drives, integrator=pl.DOP853(), accuracy=1e-8)
    assert close(joint["slot.displacement"], 0.1 * np.sin(3 * joint.t), 1e-9)
    assert close(joint["other.displacement"], 0.05 * joint.t, 1e-9)
    absolute = slot("absolute", items=drives, integrator=pl.DOP853(), accuracy=1e-9)
    assert close(joint["slot_drive.effort"], absolute["slot_drive.effort"], 1e-5)


def test_coordinates_have_the_names_of_the_class():
    m = pl.Model("named")
    m.add(pl.RigidBody("a", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1)))
    m.add(PinInSlot("first", m.ground, "a"))
    m.add(PinInSlot("second", "b", "a"))
    arm = m.joint_space()
    outward = ["first.displacement", "first.turn", "second.turn", "second.displacement"]
    assert arm.coordinates == outward
    assert "a  (first, pin_in_slot)" in arm.topology.text()


@pytest.mark.parametrize("moves", [("rx",), ("x", "ry"), ("rz", "x", "ry", "z"), ("rx", "ry", "rz"), ("ry", "rx"),
                                   ("ry", "z", "rx", "x", "rz")])
def test_moves_and_back(moves):
    q = np.array([0.3, -0.5, 0.7, 0.2, -0.4, 0.6])[:len(moves)]
    way, R = moved(TreeJoint(moves, moves), q)
    np.testing.assert_allclose(serial.coordinates(moves, way, R), q, atol=1e-14)


@pytest.mark.parametrize("joint, constraints, told", [
    (TreeJoint(("z", "rx"), ("a", "b")), PinInSlot.constraints, "break the equation"),
    (TreeJoint(("z",), ("a",)), PinInSlot.constraints, "1 moves and 4 equations are not six together"),
    (TreeJoint(("z", "ry"), ("a",)), PinInSlot.constraints, "2 moves and 1 names"),
    (TreeJoint(("z", "turn"), ("a", "b")), PinInSlot.constraints, "the move 'turn' is not known"),
    (TreeJoint(("rz", "rx", "rz"), ("a", "b", "c")), (COINCIDENT,), "about different axes"),
    (TreeJoint(("z", "ball"), ("a", "w", "x", "y", "z")), (("d2", 0), ("d2", 1)), "a ball must be its only move")])
def test_wrong_declarations_are_refused(joint, constraints, told):
    assert told in fault(joint, constraints)


def test_a_class_with_a_wrong_declaration_is_refused():
    with pytest.raises(TypeError, match="joint Wrong: tree: its moves break the equation"):
        class Wrong(PinInSlot):
            tree: ClassVar[TreeJoint | None] = TreeJoint(("z", "rz"), ("displacement", "turn"))


def test_a_joint_with_more_equations_than_its_kind_is_cut():
    class Tied(pl.Cylindrical):
        def build(self, layout):
            super().build(layout)
            layout.add_coupling(self.name, [(self.name, "displacement", 1.0), (self.name, "angle", 0.1)], shared=self.name)
    m = pl.Model("tied")
    m.add(pl.RigidBody("a", mass=1.0, inertia=(1, 1, 1)))
    m.add(Tied("joint", m.ground, "a"))
    d = m.compile()
    found = spanning_forest(d.directory, masses_of(d.system))
    assert [link.kind for link in found.links] == ["free"] and list(found.cut) == ["joint"]


def test_kinds_of_others_change_nothing_for_those_of_the_package():
    """A skate has the equations of a point on a plane, which is cut."""
    m = pl.Model("plane")
    m.add(pl.RigidBody("a", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.PointOnPlane("joint", m.ground, "a"))
    d = m.compile()
    assert Skate.constraints == pl.PointOnPlane.constraints
    assert list(spanning_forest(d.directory, masses_of(d.system)).cut) == ["joint"]


def test_other_equations_need_a_declaration_of_their_own():
    class Locked(PinInSlot):
        constraints: ClassVar = (*PinInSlot.constraints, ("d1", 0, 2))
    assert Locked.tree is None and PinInSlot.tree is not None
