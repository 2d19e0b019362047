"""Drives: they prescribe coordinates of joints."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from ..functions.antiderivative import Sum
from ..functions.field_error import FieldError
from ..functions.parser import KNOWN, names_in
from ..functions.piecewise import Piecewise
from .base import Item, JointName, Name, joint_name
from .declarations import Channel, CoordinateUse
from .function_fields import TimeFunction
from .joint_channels import held_by
from .joints import Revolute
from .quantities import numbers_with_units
from .references import TIME_ALONE, held

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from ..functions.expression import Node
    from ..functions.function import Code

UNITS_BEHIND = {"function": "", "speed": "/s", "acceleration": "/s^2"}  # fields of which one is given, and their units behind rad or m


class Drive(Item):
    """Prescribes a coordinate of a joint by its ``function`` of t [rad or m], its ``speed`` or its ``acceleration``: a number, an
    expression, a Table, or (function only) a callable f(t). A speed begins at the coordinate that the joint has at the start, an
    acceleration also at its rate there (zero if not stated); they are integrated in closed form."""
    section: ClassVar[str] = "drives"
    kind: ClassVar[str] = "drive"
    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [field]} for field in UNITS_BEHIND]})
    mirrors: ClassVar[bool] = True
    listed: ClassVar[int] = 2
    senses: ClassVar[bool] = False
    positional: ClassVar[tuple[str, ...]] = ("joint", "coordinate", "function", "name")
    name: Name = Field(default="", validate_default=False)
    joint: JointName
    coordinate: Literal["angle", "displacement"]
    function: TimeFunction = None
    speed: TimeFunction = None
    acceleration: TimeFunction = None

    @model_validator(mode="before")
    @classmethod
    def _named_by_joint(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("name") is None and "joint" in value:
            value = {**value, "name": f"{joint_name(value['joint'])}_drive"}
        if isinstance(value, dict) and value.get("coordinate") in ("angle", "displacement"):  # 30 mm is no angle
            numbers_with_units(value, _units(value["coordinate"]))
        return value

    @model_validator(mode="after")
    def _one_law(self) -> Drive:
        given = [field for field in UNITS_BEHIND if getattr(self, field) is not None]
        if not given:
            raise FieldError("function", "is missing; a drive needs it, or speed or acceleration")
        if len(given) > 1:
            raise FieldError(given[1], f"is given beside {given[0]}; a drive has one of function, speed and acceleration")
        if given[0] != "function":
            known, law = KNOWN.get(), getattr(self, given[0])
            if known.open and isinstance(law, str) and names_in(law):  # parameters, which a model knows
                return self
            try:
                Sum.of(law, known)
            except ValueError as error:
                raise FieldError(given[0], str(error)) from None
        return self

    @property
    def law(self) -> str:
        """Which of its fields is given."""
        return next(field for field in UNITS_BEHIND if getattr(self, field) is not None)

    def units(self) -> dict[str, str]:
        return _units(self.coordinate)

    def build(self, layout: ModelCompiler) -> None:
        item, field = f"drive {self.name!r}", self.law
        layout.coordinate(self.joint, self.coordinate, item)
        if held_by(self.joint, self.coordinate) in layout.directory.drives:
            raise ValueError(f"{item}: {held(self.joint, self.coordinate)}")
        code = layout.builder.function(getattr(self, field), ("t",), f"{item}: {field}", kinks=field != "acceleration")
        if code.by_signal:
            raise ValueError(f"{item}: {TIME_ALONE}")
        layout.add_drive(self.name, self.joint, self.coordinate, code if field == "function" else self._integrated(layout, code))
        if callable(self.function):
            layout.directory.rates[self.name] = code.value, code.by_t, code.by_tt

    def _integrated(self, layout: ModelCompiler, code: Code) -> Code:
        """Programs of the position and its rates, from that of the speed or acceleration."""
        from ..functions.compile import Assembler
        assembler, record = Assembler(layout.builder), layout.directory.joints[self.joint]
        start = record.stated.get(self.coordinate, record.start[self.coordinate])
        try:
            law = Sum.of(getattr(self, self.law), layout.builder.known).integral()
        except ValueError as error:
            raise ValueError(f"drive {self.name!r}: {self.law}: {error}") from None
        if self.law == "speed":
            return code._replace(value=assembler.program(_from(start, law)), by_t=code.value, by_tt=code.by_t)
        rate = Sum(Piecewise.polynomial(record.stated.get(f"{self.coordinate}_rate", 0.0))).plus(law)
        return code._replace(value=assembler.program(_from(start, rate.integral())), by_t=assembler.program(rate.node()), by_tt=code.value)

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


def _units(coordinate: str) -> dict[str, str]:
    return {field: ("rad" if coordinate == "angle" else "m") + behind for field, behind in UNITS_BEHIND.items()}


def _from(start: float, law: Sum) -> Node:
    return Sum(Piecewise.polynomial(start)).plus(law).node()
