"""Couplings of joint coordinates by a function: cam laws, differentials, planetary sets."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..functions.channels import channels
from ..functions.derivative import derivative
from ..functions.evaluation import values
from ..functions.expression import ZERO, Node, Signal, Variable, binary, bottom_up
from ..functions.field_error import FieldError
from ..functions.parser import KNOWN, Names, parse
from ..functions.units import shown
from .base import Item
from .couplings import JointEquation, effort_of
from .declarations import Channel, CoordinateUse
from .function_fields import TimeFunction
from .joints import Cylindrical

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler

MOST = 12  # coordinates in one coupling
COORDINATES = "a coupling is a function of JOINT.angle, JOINT.displacement and t. For other channels use a force"
ALONE = "has no other coordinate of a joint in it; use a drive for a function of t alone, or hold of the joint"


class Coupling(JointEquation):
    """A coordinate of a joint follows others: ``coordinate``, such as B.displacement, is ``function``, an expression of coordinates of
    joints and of t: "0.02*(1 - cos(A.angle))", "2*A.angle - 0.5*C.angle". As with gears the pose as modelled is kept: their difference
    stays what it is there at t = 0. The slope of the function must not jump; where it does, so do velocities."""
    kind: ClassVar[str] = "coupling"
    positional: ClassVar[tuple[str, ...]] = ("name", "coordinate", "function")
    mirrors: ClassVar[bool] = True
    coordinate: TimeFunction
    function: TimeFunction

    @model_validator(mode="after")
    def _check(self) -> Coupling:
        known = KNOWN.get()
        lead = parse(self.coordinate, names=known) if isinstance(self.coordinate, str) else None
        if not isinstance(lead, Signal) or not _is_coordinate(lead.reference):
            raise FieldError("coordinate", f"{shown(self.coordinate)} must be one coordinate of a joint, such as B.angle or B.displacement")
        if not isinstance(self.function, str):
            raise FieldError("function", f"{shown(self.function)} must be an expression of coordinates of joints, such as '2 * A.angle'")
        node = parse(self.function, names=known)
        used = channels(node)
        if wrong := [reference for reference in used if not _is_coordinate(reference)]:
            raise FieldError("function", f"channel {shown(wrong[0])} is no coordinate of a joint; {COORDINATES}")
        if any(isinstance(n, Variable) and n.name != "t" for n in bottom_up(node)):  # variables, which the model looks into
            return self
        if not set(used) - {lead.reference}:
            raise FieldError("function", f"{shown(self.function)} {ALONE}")
        if len(used) > MOST:
            raise FieldError("function", f"it uses {len(used)} coordinates, must be at most {MOST}; split it over several couplings")
        if derivative(self.node(known), lead) == ZERO:
            raise FieldError("function", f"it takes {lead.reference} away again, so that nothing is left to be coupled")
        return self

    def node(self, known: Names) -> Node:
        """g = coordinate - function"""
        return binary("-", parse(self.coordinate, names=known), parse(self.function, names=known))

    def build(self, layout: ModelCompiler) -> None:
        joint, _, which = self.coordinate.rpartition(".")
        node = layout.directory.relations[self.name] = self.node(layout.builder.known)
        others = set(channels(node)) - {self.coordinate}
        if wrong := [reference for reference in others if not _is_coordinate(reference)]:
            raise ValueError(f"coupling {self.name!r}: function: channel {shown(wrong[0])} is no coordinate of a joint; {COORDINATES}")
        if not others:
            raise ValueError(f"coupling {self.name!r}: function: {shown(self.function)} {ALONE}")
        layout.add_relation(self.name, node, joint, which)

    def uses(self) -> Iterable[CoordinateUse]:
        for field in ("coordinate", "function"):
            for reference in channels(parse(getattr(self, field), names=KNOWN.get())):
                joint, _, which = reference.rpartition(".")
                yield CoordinateUse(joint, which, (field,))

    def power_on(self, observer: Any, use: CoordinateUse) -> np.ndarray:
        """What it supplies along one of its coordinates c: effort dg/dc c'. Together with the others it is what the change with t does."""
        coordinate = f"{use.joint}.{use.coordinate}"
        slope = values(derivative(observer.directory.relations[self.name], Signal(coordinate)), observer.parts["t"], observer)
        return np.asarray(effort_of(observer, self.name) * slope * observer(f"{coordinate}_rate"))

    def channels(self) -> Iterable[Channel]:
        unit = "N*m" if self.coordinate.endswith(".angle") else "N"
        return (Channel("effort", unit, 1, effort_of),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        joints = [Cylindrical("J", a, b, axis=(0.3, -0.5, 0.8)), Cylindrical("K", "ground", b, axis="x")]
        return [*joints, cls("G", "K.displacement", "0.3*sin(J.angle)*J.displacement + 0.2*K.angle^2 - 0.1*K.displacement^3")]


def _is_coordinate(reference: str) -> bool:
    joint, _, which = reference.rpartition(".")
    return bool(joint) and which in ("angle", "displacement")
