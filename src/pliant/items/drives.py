"""Drives: they prescribe coordinates of joints."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from .base import Item, JointName, Name, joint_name
from .declarations import Channel, CoordinateUse
from .function_fields import TimeFunction
from .joints import Revolute
from .quantities import numbers_with_units
from .references import TIME_ALONE

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler


class Drive(Item):
    """Prescribes a coordinate of a joint: ``function`` of t [rad or m], a number, an expression, a Table, or a callable f(t)."""
    section: ClassVar[str] = "drives"
    kind: ClassVar[str] = "drive"
    mirrors: ClassVar[bool] = True
    listed: ClassVar[int] = 2
    senses: ClassVar[bool] = False
    positional: ClassVar[tuple[str, ...]] = ("joint", "coordinate", "function", "name")
    name: Name = Field(default="", validate_default=False)
    joint: JointName
    coordinate: Literal["angle", "displacement"]
    function: TimeFunction

    @model_validator(mode="before")
    @classmethod
    def _named_by_joint(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("name") is None and "joint" in value:
            value = {**value, "name": f"{joint_name(value['joint'])}_drive"}
        if isinstance(value, dict) and value.get("coordinate") in ("angle", "displacement"):  # 30 mm is no angle
            numbers_with_units(value, {"function": "rad" if value["coordinate"] == "angle" else "m"})
        return value

    def units(self) -> dict[str, str]:
        return {"function": "rad" if self.coordinate == "angle" else "m"}

    def build(self, layout: ModelCompiler) -> None:
        from ..families import constraints
        b, item = layout.builder, f"drive {self.name!r}"
        c = layout.coordinate(self.joint, self.coordinate, item)
        code = b.function(self.function, ("t",), f"{item}: function", kinks=True)
        if code.by_signal:
            raise ValueError(f"{item}: {TIME_ALONE}")
        record = layout.directory.joints[self.joint]
        equations = record.equations if c.frames == (record.a, record.b) else b.equations(self.name, c.frames)
        row = equations.take()
        b.pair(constraints.DRIVE, self.name, *c.frames, (*c.place, code.value, code.by_t, code.by_tt),
               (c.zero, 1.0, 0.0), joint=equations, row=row)
        layout.directory.drives[self.name] = row, 1.0, self.joint, self.coordinate
        layout.directory.codes[self.name] = code.value
        if callable(self.function):
            layout.directory.rates[self.name] = code.value, code.by_t, code.by_tt

    def channels(self) -> Iterable[Channel]:
        unit = "N*m" if self.coordinate == "angle" else "N"
        return Channel("effort", unit, 1, _effort), Channel("power", "W", 1, _power)

    def equations(self) -> int:
        return 1

    def uses(self) -> Iterable[CoordinateUse]:
        return (CoordinateUse(self.joint, self.coordinate, ("coordinate",)),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("J", "angle", "0.3*sin(2*t)")]

    def plain(self) -> dict[str, Any]:
        data = super().plain()
        data.pop("kind")
        return data


def _effort(observer: Any, name: str) -> np.ndarray:
    row, factor, *_ = observer.directory.drives[name]
    return np.asarray(-factor * observer.parts["lam"][:, row])


def _power(observer: Any, name: str) -> np.ndarray:
    *_, joint, coordinate = observer.directory.drives[name]
    return np.asarray(_effort(observer, name) * observer(f"{joint}.{coordinate}_rate"))
