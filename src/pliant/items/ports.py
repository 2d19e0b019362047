"""What hydraulics and pneumatics share: ports whose pressure is given, and what lies between two ports."""
from __future__ import annotations

from typing import Any, ClassVar

from pydantic import model_validator

from .base import Between
from .blocks import Computes
from .function_fields import TimeFunction
from .names import PortName
from .quantities import numbers_with_units

BAR = 1e5  # Pa


class Supply(Computes):
    """A port whose ``pressure`` [Pa] is given: a number, an expression of t and channels, a Table of t, or f(t)."""
    positional: ClassVar[tuple[str, ...]] = ("name", "pressure")
    pressure: TimeFunction = 101325.0

    @model_validator(mode="before")
    @classmethod
    def _units(cls, value: Any) -> Any:
        return numbers_with_units(value, {"pressure": "Pa"})

    def units(self) -> dict[str, str]:
        return super().units() | {"pressure": "Pa"}


class Connection(Between, Computes):
    """What lies between two ports."""
    section: ClassVar[str] = "blocks"
    ends: ClassVar[str] = "two ports, such as [supply, cylinder.cap]"
    a: PortName
    b: PortName
