"""What a class outside the package can say of its kind, and what it gains: the checks that the package's own kinds have."""
from typing import Any, ClassVar

import numpy as np
import pytest
from outsider.attraction import Attraction

import pliant as pl
from pliant.families import rigid
from pliant.items.base import KINDS, Frame, Item, JointName, Pair
from pliant.items.bodies import RigidBody
from pliant.items.declarations import ConstantLoad, CoordinateUse
from pliant.items.function_fields import TimeFunction
from pliant.items.joints import ON_Z, PARALLEL_Z, Connection, Cylindrical
from pliant.kernels.contract import Family
from pliant.text.model_text import from_text

RING = Family("ring", act=rigid.BODY.act)
TEXT = """
pliant: 1
bodies:
  disc: {kind: rigid, mass: 1.0, inertia: [1, 1, 1], position: [0, 0, 0]}
joints:
  A: {kind: %s, between: [ground, disc], axis: z}
forces:
  own: {%s}
"""


class Drag(Item):
    """Needs the angle of a joint, under a name of its own; its function is of t alone."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "drag"
    positional: ClassVar[tuple[str, ...]] = ("name", "wheel", "law")
    senses: ClassVar[bool] = False
    wheel: JointName
    law: TimeFunction = 0.0

    def uses(self):
        return (CoordinateUse(self.wheel, "angle", ("wheel",)),)


class Push(Item):
    """A load that is no Load."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "push"
    positional: ClassVar[tuple[str, ...]] = ("name", "at")
    at: Frame

    def build(self, layout):
        layout.frame(self.at, self.name)

    def loads(self):
        return (ConstantLoad(self.at, (0.0, 3.0, 4.0), turns=True),)


class Motor(Item):
    """A drive that is no Drive."""
    section: ClassVar[str] = "drives"
    kind: ClassVar[str] = "motor"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "coordinate")
    joint: JointName
    coordinate: str = "angle"

    def uses(self):
        return (CoordinateUse(self.joint, self.coordinate),)

    def build(self, layout):
        pass

    def equations(self):
        return 1


class Rope(Connection):
    """Keeps the distance that the points have as modelled."""
    kind: ClassVar[str] = "rope"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (("distance", None),)


class Worm(Cylindrical):
    """Slides as it turns."""
    kind: ClassVar[str] = "worm"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (*ON_Z, *PARALLEL_Z)

    def build(self, layout):
        super().build(layout)
        layout.add_coupling(self.name, [(self.name, "displacement", 1.0), (self.name, "angle", -0.1)], shared=self.name)


class Ring(RigidBody):
    """A body with a family of its own."""
    kind: ClassVar[str] = "ring"

    def build(self, layout):
        element = layout.builder.element
        layout.builder.element = lambda family, *rest, **more: element({rigid.BODY: RING}.get(family, family), *rest, **more)
        super().build(layout)
        layout.builder.element = element


OWN = Drag, Push, Motor, Rope, Worm, Ring
for made in OWN:
    del KINDS[made.section][made.kind]  # known in the tests of this file alone


@pytest.fixture(autouse=True)
def known(monkeypatch):
    for cls in OWN:
        monkeypatch.setitem(KINDS[cls.section], cls.kind, cls)


def model_with(*items, **options) -> pl.Model:
    m = pl.Model("outside", **options)
    m.add(pl.RigidBody("disc", 1.0, (1, 1, 1), position=(0, 0, 0)))
    for item in items:
        m.add(item)
    return m


def told(joint: str, own: str) -> str:
    with pytest.raises(pl.ModelError) as error:
        from_text(TEXT % (joint, own))
    return str(error.value)


def findings(m: pl.Model, code: str) -> list[Any]:
    return [f for f in m.check().findings if f.code == code]


def test_a_field_that_names_a_joint():
    assert "there is no joint 'B'; there is A" in told("revolute", "kind: drag, wheel: B")
    assert "forces.own.wheel: 3 must be the name of a joint, such as A" in told("revolute", "kind: drag, wheel: 3")
    assert Drag("own", pl.Revolute("A", "ground", "disc")).wheel == "A"


def test_a_coordinate_that_the_joint_does_not_have():
    wrong = told("prismatic", "kind: drag, wheel: A")
    assert "forces.own.wheel: joint 'A' has no coordinate 'angle'; it has displacement" in wrong


def test_functions_of_t_alone():
    assert "its function must depend on t alone" in told("revolute", "kind: drag, wheel: A, law: 2 * A.angle")


def test_a_law_along_a_line_of_two_points():
    assert "its two points coincide" in told("revolute", "kind: attraction, between: [ground, disc], strength: 1.0")
    found, = findings(model_with(Attraction("own", "ground", "disc", strength=1.0)), "spring-zero-length")
    assert found.items == ("own",)


def test_a_joint_with_a_length_as_modelled():
    text = TEXT.replace("A: {kind: %s, between: [ground, disc], axis: z}", "A: {kind: rope, between: [ground, disc]}")
    with pytest.raises(pl.ModelError, match="its length is zero"):
        from_text(text.replace("  own: {%s}\n", "").replace("forces:\n", ""))
    m = pl.Model("hung")
    m.add(pl.RigidBody("disc", 1.0, (1, 1, 1)))
    m.add(Rope("A", m.ground.frame((0, 0, 1)), "disc"))
    assert m.compile().directory.joints["A"].length == 1.0  # it places no body, for its length comes from the place


def test_a_load_acts_on_a_body_and_may_point_out_of_the_plane():
    m = model_with(Push("own", "disc"), planar="z", gravity=(0, -9.81, 0))
    m["disc"].rotation = pl.rotation("x", "90 deg")
    assert not findings(m, "unconnected-body")
    found, = findings(m, "out-of-plane")
    assert "push 'own': its part (0, 0, 3) N acts across the planes (planar=z)" in found.message


def test_drives_of_one_coordinate_and_out_of_the_plane():
    joint = pl.Cylindrical("A", "ground", "disc", axis="z")
    first, second = findings(model_with(joint, Motor("m", "A"), Motor("n", "A")), "conflicting-drives")[0].items
    assert (first, second) == ("m", "n")
    own = [model_with(pl.Cylindrical("A", "ground", "disc", axis="z"), Motor("m", "A", c), planar="z")
           for c in ("angle", "displacement")]
    assert [[f.items for f in findings(m, "out-of-plane")] for m in own] == [[], [("m",)]]


def test_a_joint_that_slides_as_it_turns_is_in_no_plane():
    found, = findings(model_with(Worm("A", "ground", "disc", axis="z"), planar="z"), "out-of-plane")
    assert found.items == ("A",)


def test_a_joint_on_a_line_has_a_place_there():
    class Probe(Pair):
        section: ClassVar[str] = "joints"
        on_line: ClassVar[bool] = True

        def build(self, layout):
            seen.update(layout.sliding)

    seen: dict[str, list[int]] = {}
    model_with(Probe("p", "disc", "ground"), Probe("q", "disc", "ground")).compile()
    assert seen == {"disc": [0, 1]}  # of its places, in the order of the joints


def test_the_mass_of_a_body_with_its_own_family():
    m = pl.Model("ring", gravity=(0, 0, -9.81))
    ring = m.add(Ring("ring", 3.0, (1, 2, 3)))
    m.add(pl.Revolute("A", "ground", ring.frame((0, 0.3, 0.4)), axis="x"))
    assert m.compile().heaviest == 3.0
    np.testing.assert_allclose(np.linalg.norm(m.static()["ring.position"]), 0.5, atol=1e-9)
