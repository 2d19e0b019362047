"""In whose axes every vector is given: said by the type of its field, in the documentation, the schema and the errors of its item."""
from typing import get_args, get_origin

import pytest
from every_kind import every_kind

import pliant as pl
from pliant.items.base import Frame, Item, Place
from pliant.items.quantities import axes_of
from pliant.items.shapes import KINDS as SHAPES
from pliant.items.shapes import Shape
from pliant.items.style import Style
from pliant.text.model_text import from_text
from pliant.text.schema import schema

MATRICES = "inertia", "stiffness", "damping"  # fields of any type that may be given as matrices
LAWS = ("spring_damper", "torsion_spring", "axial_spring", "modal", "stop", "contact", "joint_friction", "brake", "clutch", "gear",
        "rack_pinion", "screw", "beam", "revolute_clearance", "spherical_clearance")  # where they are numbers or functions


def vectors(cls):
    """Fields with three or more numbers: vectors, axes, rotations, matrices."""
    kind = getattr(cls, "kind", "")
    for name, field in cls.model_fields.items():
        kinds = [field.annotation]
        for k in kinds:
            kinds += get_args(k) if get_origin(k) is not dict else ()
        if any(get_origin(k) is tuple and len(get_args(k)) >= 3 for k in kinds) or (name in MATRICES and kind not in LAWS):
            yield name


CLASSES = [cls for _, cls in every_kind()] + [Place, Frame, Shape, Style, *SHAPES.values()]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_vector_says_its_axes(cls):
    found, known = list(vectors(cls)), schema()["$defs"][cls.__name__]
    properties = known["properties"] if "properties" in known else known["anyOf"][1].get("properties", {})
    for name in found:
        axes = axes_of(cls.model_fields[name])
        assert axes, f"{cls.__name__}.{name}: give its type axes, such as Annotated[Point, BODY]"
        assert properties[name]["description"].endswith(f"in {axes}")
        if issubclass(cls, Item):
            assert f"``{name}``" in cls.__doc__.split("Axes:")[1] and axes in cls.__doc__ and cls.__doc__.count("Axes:") == 1


def test_there_are_some():
    counted = {cls.__name__: len(list(vectors(cls))) for cls in CLASSES}
    assert counted["RigidBody"] == 6 and counted["Universal"] == 3 and counted["Bushing"] == 2 and counted["Force"] == 1
    assert counted["Gyrostat"] == 7 and counted["Rod"] == 5 and counted["Spherical"] == 1 and counted["Place"] == 2


TWO = "pliant: 1\nbodies:\n  a: {mass: 1}\n"


@pytest.mark.parametrize(("make", "end"), [
    (lambda: pl.RigidBody("a", 1.0, com=5), r"rigid 'a': com: 5 must be a list of three numbers \[m\] \(body axes\)"),
    (lambda: pl.RigidBody("a", 1.0, velocity=(1, 2)), r"three numbers \[m/s\] \(world axes\)"),
    (lambda: pl.RigidBody("a", 1.0, angular_velocity="1 rad/s"), r"\(body axes\)"),
    (lambda: pl.RigidBody("a", 1.0, inertia=3), r"\(body axes, about the centre of mass\)"),
    (lambda: pl.RigidBody("a", 1.0, rotation=(1, 1)), r"\(world axes\)"),
    (lambda: pl.RigidBody("a", 1.0, frames={"f": {"point": 3}}), r"\(body axes\)"),
    (lambda: pl.Revolute("A", "a", "b", axis="w"), r"axis: axis 'w' must be .* three numbers \(axes of frame a\)"),
    (lambda: pl.Universal("A", "a", "b", axis="z", axis_b=(0, 0, 0)), r"\(axes of frame a, in the pose as modelled\)"),
    (lambda: pl.Universal("A", "a", "b", axis="z", axis_b=(0, 1, 1)),
     r"in the pose as modelled \(axes of frame a, in the pose as modelled\)"),
    (lambda: pl.Force("F", "a", (1, 2)), r"\(world axes, or with axes: frame those of its frame\)"),
    (lambda: pl.Bushing("B", "a", "b", stiffness=(1, 2)), r"\(axes of frame a\)"),
    (lambda: from_text(TWO + "  b: {mass: 1, rod: {start: 1, end: [0, 0, 1]}}\n"), r"b\.rod\.start: 1 must .* \[m\] \(world axes\)"),
    (lambda: from_text(TWO + "joints:\n  A: {kind: fixed, between: [a, {body: ground, point: 3}]}\n"),
     r"between\[1\]\.point: .* \(body axes\)"),
], ids=range(13))
def test_errors_say_it(make, end):
    with pytest.raises(ValueError, match=end):
        make()


def test_not_where_no_value_is_wrong():
    with pytest.raises(pl.ItemError, match=r"unknown key 'comm'; did you mean 'com'\?$"):
        pl.RigidBody("a", 1.0, comm=(0, 0, 0))
