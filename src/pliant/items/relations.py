"""Couplings of joint coordinates by a function: cam laws, differentials, planetary sets."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import model_validator

from ..functions.channels import channels
from ..functions.derivative import derivative
from ..functions.expression import ZERO, Node, Signal, binary, parse
from ..functions.field_error import FieldError
from ..functions.units import shown
from .base import Item
from .couplings import JointEquation, effort_of
from .declarations import Channel, CoordinateUse
from .function_fields import TimeFunction
from .joints import Cylindrical

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler

MOST = 12  # coordinates in one coupling


class Coupling(JointEquation):
    """A coordinate of a joint follows others: ``coordinate``, such as B.displacement, is ``function``, an expression of coordinates of
    joints and of t: "0.02*(1 - cos(A.angle))", "2*A.angle - 0.5*C.angle". As with gears the pose as modelled is kept: their difference
    stays what it is there at t = 0. The slope of the function must not jump; where it does, so do velocities."""
    kind: ClassVar[str] = "coupling"
    positional: ClassVar[tuple[str, ...]] = ("name", "coordinate", "function")
    coordinate: TimeFunction
    function: TimeFunction

    @model_validator(mode="after")
    def _check(self) -> Coupling:
        lead = _parsed(self.coordinate) if isinstance(self.coordinate, str) else None
        if not isinstance(lead, Signal) or not _is_coordinate(lead.reference):
            raise FieldError("coordinate", f"{shown(self.coordinate)} must be one coordinate of a joint, such as B.angle or B.displacement")
        if not isinstance(self.function, str):
            raise FieldError("function", f"{shown(self.function)} must be an expression of coordinates of joints, such as '2 * A.angle'")
        used = channels(_parsed(self.function))
        if wrong := [reference for reference in used if not _is_coordinate(reference)]:
            raise FieldError("function", f"channel {shown(wrong[0])} is no coordinate of a joint; a coupling is a function of JOINT.angle, "
                             "JOINT.displacement and t. For other channels use a force")
        if not set(used) - {lead.reference}:
            raise FieldError("function", f"{shown(self.function)} has no other coordinate of a joint in it; use a drive for a function "
                             "of t alone, or hold of the joint")
        if len(used) > MOST:
            raise FieldError("function", f"it uses {len(used)} coordinates, must be at most {MOST}; split it over several couplings")
        if derivative(self.node(), lead) == ZERO:
            raise FieldError("function", f"it takes {lead.reference} away again, so that nothing is left to be coupled")
        return self

    def node(self) -> Node:
        """g = coordinate - function"""
        return binary("-", _parsed(self.coordinate), _parsed(self.function))

    def build(self, layout: ModelCompiler) -> None:
        joint, _, which = self.coordinate.rpartition(".")
        layout.add_relation(self.name, self.node(), joint, which)

    def uses(self) -> Iterable[CoordinateUse]:
        for field in ("coordinate", "function"):
            for reference in channels(_parsed(getattr(self, field))):
                joint, _, which = reference.rpartition(".")
                yield CoordinateUse(joint, which, (field,))

    def channels(self) -> Iterable[Channel]:
        unit = "N*m" if self.coordinate.endswith(".angle") else "N"
        return (Channel("effort", unit, 1, effort_of),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        joints = [Cylindrical("J", a, b, axis=(0.3, -0.5, 0.8)), Cylindrical("K", "ground", b, axis="x")]
        return [*joints, cls("G", "K.displacement", "0.3*sin(J.angle)*J.displacement + 0.2*K.angle^2 - 0.1*K.displacement^3")]


def _parsed(text: str) -> Node:
    return parse(text, ("t",))


def _is_coordinate(reference: str) -> bool:
    joint, _, which = reference.rpartition(".")
    return bool(joint) and which in ("angle", "displacement")
