"""Variables: expressions with a name, which other expressions use, and channels."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import field_validator

from ..functions.units import must, parse_unit
from .base import Item
from .declarations import Channel
from .function_fields import Expression

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler


class Variable(Item):
    """An expression of t, channels, parameters, tables and other variables. Its name stands for it in all expressions, and is a channel;
    ``unit`` is what plots and tables show."""
    section: ClassVar[str] = "variables"
    kind: ClassVar[str] = "variable"
    mirrors: ClassVar[bool] = True
    listed: ClassVar[int] = 7
    positional: ClassVar[tuple[str, ...]] = ("name", "expression", "unit")
    expression: Expression
    unit: str = ""

    @field_validator("unit", mode="before")
    @classmethod
    def _unit(cls, value: Any) -> Any:
        if not isinstance(value, str):
            raise ValueError(must(value, "must be a unit such as m/s"))
        parse_unit(value)
        return value

    def build(self, layout: ModelCompiler) -> None:
        layout.add_variable(self.name, self.expression)

    def channels(self) -> Iterable[Channel]:
        return (Channel("", self.unit, 1, _values),)

    def plain(self) -> dict[str, Any]:
        data = super().plain()
        data.pop("kind")
        return data

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("w", "2*J.angle_rate + sin(t)", "rad/s")]


def _values(observer: Any, name: str) -> np.ndarray:
    return np.asarray(observer.variable(name))
