"""Couplings: equations between the coordinates of joints."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.units import shown
from .base import Between, Item, JointName, Length
from .declarations import Channel, CoordinateUse
from .joints import Cylindrical, Prismatic, Revolute
from .teeth import Meshing, Term

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler


class JointEquation(Item):
    """An equation between coordinates of joints."""
    section: ClassVar[str] = "joints"
    listed: ClassVar[int] = 3

    def coupled_joints(self) -> list[str]:
        """The joints whose coordinates it couples."""
        return list(dict.fromkeys(use.joint for use in self.uses()))

    def equations(self) -> int:
        return 1


def effort_of(observer: Any, name: str) -> np.ndarray:
    """The torque or force on its first coordinate."""
    return np.asarray(-observer.parts["lam"][:, observer.directory.couplings[name][0]])


class JointPair(Meshing, JointEquation, Between):
    """An item between the coordinates of two joints ``a`` and ``b``, given by name or object."""
    coupled: ClassVar[tuple[str, str]] = ("angle", "angle")  # which coordinate of a and of b
    unit: ClassVar[str] = "N*m"  # of its effort
    ends: ClassVar[str] = "two joints"
    a: JointName
    b: JointName

    def uses(self) -> Iterable[CoordinateUse]:
        for k, joint in enumerate((self.a, self.b)):
            yield CoordinateUse(joint, self.coupled[k], ("between", k))

    def channels(self) -> Iterable[Channel]:
        return (Channel("effort", self.unit, 1, self._effort),)

    def _effort(self, observer: Any, name: str) -> np.ndarray:
        return effort_of(observer, name) if self.backlash is None else np.asarray(observer(f"{name}.teeth.effort"))

    def power_on(self, observer: Any, use: CoordinateUse) -> np.ndarray:
        """What it takes from one joint it supplies to the other."""
        factor = {(joint, coordinate): factor for joint, coordinate, factor in self.terms()}[use.joint, use.coordinate]
        return np.asarray(factor * self._effort(observer, self.name) * observer(f"{use.joint}.{use.coordinate}_rate"))

    def equations(self) -> int:
        return int(self.backlash is None)

    def build(self, layout: ModelCompiler) -> None:
        if self.backlash is None:
            layout.add_coupling(self.name, self.terms())


class Gear(JointPair):
    """Couples the angles of two joints: angle_b = ratio * angle_a (a pair of outer gears has a negative ratio). Instead of
    ``ratio`` give ``teeth`` (of a, of b): ratio = -teeth_a / teeth_b. Both joints turn against the same carrier. ``backlash`` [rad, at b]
    between teeth of ``stiffness`` [N m/rad] that give back ``restitution`` of their speed."""
    kind: ClassVar[str] = "gear"
    mirrors: ClassVar[bool] = True
    ratio: float | None = None
    teeth: tuple[int, int] | None = None

    @model_validator(mode="after")
    def _check(self) -> Gear:
        if (self.ratio is None) == (self.teeth is None):
            raise ValueError(f"give either ratio or teeth, {'none is' if self.teeth is None else 'both are'} given")
        if self.a == self.b:
            raise FieldError("between", f"both joints are {self.a!r}; a gear couples two joints")
        if self.ratio is not None and not (np.isfinite(self.ratio) and self.ratio != 0):
            raise FieldError("ratio", f"{self.ratio:g} must be a finite number other than zero")
        if self.teeth is not None and min(self.teeth) < 1:
            raise FieldError("teeth", f"{shown(self.teeth)} must be at least 1 each")
        return self

    def terms(self) -> list[Term]:
        ratio = self.ratio if self.teeth is None else -self.teeth[0] / self.teeth[1]
        return [(self.b, self.coupled[1], 1.0), (self.a, self.coupled[0], -(ratio or 1.0))]

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        joints = [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), Cylindrical("K", "ground", b, axis="x")]
        return [*joints, cls("G", "J", "K", ratio=-0.7)]


class RackPinion(JointPair):
    """Couples the displacement of joint ``a`` (the rack) to the angle of joint ``b`` (the pinion): displacement = radius * angle.
    ``backlash`` [m] between teeth of ``stiffness`` [N/m] that give back ``restitution`` of their speed."""
    kind: ClassVar[str] = "rack_pinion"
    mirrors: ClassVar[bool] = True
    coupled: ClassVar[tuple[str, str]] = ("displacement", "angle")
    unit: ClassVar[str] = "N"
    residual: ClassVar[str] = "displacement"
    radius: Length

    def terms(self) -> list[Term]:
        return [(self.a, self.coupled[0], 1.0), (self.b, self.coupled[1], -self.radius)]

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        joints = [Prismatic("J", a, b, axis=(0.3, -0.5, 0.8)), Revolute("K", "ground", b, axis="x")]
        return [*joints, cls("G", "J", "K", radius=0.3)]
