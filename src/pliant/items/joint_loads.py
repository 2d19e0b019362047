"""Loads between the two bodies of a joint, along its coordinate."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from .base import Item, JointName
from .declarations import Channel, CoordinateUse, Output
from .function_fields import TimeFunction
from .quantities import numbers_with_units

if TYPE_CHECKING:
    from ..compile.model_compiler import Coordinate, ModelCompiler


def add_joint_load(layout: ModelCompiler, item: str, name: str, c: Coordinate, load: Any, field: str) -> None:
    """A load along a coordinate of two frames: positive on b, with its opposite on a."""
    from ..families import joint_loads
    code = layout.builder.function(load, ("t",), f"{item}: {field}")
    ints, reals = (*c.place, code.value, -1, -1), (c.zero,)
    layout.add_force(name, joint_loads.JOINT_LOAD, *c.frames, ints, reals)
    for slot, derivative in code.by_signal:
        layout.add_answer(joint_loads.JOINT_LOAD_ANSWER, name, c.frames, ints, slot, derivative, reals)


class JointLoad(Item):
    """A function of t and channels along a coordinate of a joint: positive on b, with its opposite on a."""
    section: ClassVar[str] = "forces"
    listed: ClassVar[int] = 4
    coordinate: ClassVar[str]
    effort: ClassVar[tuple[str, str, int]]  # its field and channel, unit, and where it begins in a wrench
    mirrors: ClassVar[bool] = True
    joint: JointName

    @model_validator(mode="before")
    @classmethod
    def _units(cls, value: Any) -> Any:
        return numbers_with_units(value, {cls.effort[0]: cls.effort[1]})

    def units(self) -> dict[str, str]:
        return {self.effort[0]: self.effort[1]}

    def build(self, layout: ModelCompiler) -> None:
        item, field = f"{self.kind} {self.name!r}", self.effort[0]
        add_joint_load(layout, item, self.name, layout.coordinate(self.joint, self.coordinate, item), getattr(self, field), field)

    def uses(self) -> Iterable[CoordinateUse]:
        return (CoordinateUse(self.joint, self.coordinate),)

    def derived(self) -> Iterable[Output]:
        return (Output(self.effort[0], self.effort[1], getattr(self, self.effort[0])),)

    def _on_b(self, observer: Any, name: str) -> np.ndarray:
        """What it exerts on b along or about the axis of its joint."""
        first, axes = self.effort[2], observer.axes(observer.record(name).a)
        return np.einsum("ni,ni->n", observer.effort(name)[:, first:first + 3], axes[:, :, 2])

    def channels(self) -> Iterable[Channel]:
        effort, unit, _ = self.effort
        rate = f"{self.joint}.{self.coordinate}_rate"
        return (Channel(effort, unit, 1, self._on_b),
                Channel("power", "W", 1, lambda observer, name: self._on_b(observer, name) * observer(rate)))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Cylindrical
        return [Cylindrical("J", a, b, axis=(0.3, -0.5, 0.8)), cls("F", "J", "3*cos(2*t) - J.displacement_rate*J.angle")]


class JointTorque(JointLoad):
    """A torque between the two bodies of a joint, about its axis: ``torque`` [N m] is a number, an expression of t and of channels
    such as A.angle_rate, a Table of t, or a callable f(t). A positive one turns b so that the angle of the joint grows."""
    kind: ClassVar[str] = "joint_torque"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "torque")
    coordinate: ClassVar[str] = "angle"
    effort: ClassVar[tuple[str, str, int]] = ("torque", "N*m", 3)
    torque: TimeFunction


class JointForce(JointLoad):
    """A force between the two bodies of a joint, along its axis: ``force`` [N] is a number, an expression of t and of channels such as
    A.displacement_rate, a Table of t, or a callable f(t). A positive one pushes b so that the displacement of the joint grows."""
    kind: ClassVar[str] = "joint_force"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "force")
    coordinate: ClassVar[str] = "displacement"
    effort: ClassVar[tuple[str, str, int]] = ("force", "N", 0)
    force: TimeFunction
