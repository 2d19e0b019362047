"""Loads and measures: what acts at a frame, and what is only looked at. Springs are in `springs`."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.units import must
from . import springs as _springs  # noqa: F401 - fills KINDS in its order
from .base import Frame, Item, Pair
from .declarations import Channel, ConstantLoad
from .function_fields import TimeFunction
from .quantities import with_unit

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement


class Load(Item):
    """A vector of three functions of t (and of channels such as A.angle_rate) on a frame."""
    positional: ClassVar[tuple[str, ...]] = ("name", "frame", "vector")
    unit: ClassVar[str] = "N"
    part: ClassVar[int] = 0
    mirrors: ClassVar[bool] = True
    frame: Frame
    vector: tuple[TimeFunction, TimeFunction, TimeFunction]
    axes: Literal["world", "frame"] = "world"

    @model_validator(mode="before")
    @classmethod
    def _three(cls, value: Any) -> Any:
        if isinstance(value, dict) and "vector" in value:
            v = value["vector"]
            if not isinstance(v, (list, tuple, np.ndarray)) or len(v) != 3:
                raise FieldError("vector", f"{must(v, f'must be three functions [{cls.unit}]')}, "
                                 "such as ['10 N * sin(t)', 0, 0]")
            return {**value, "vector": tuple(with_unit(x, cls.unit, "vector", k) for k, x in enumerate(v))}
        return value

    def units(self) -> dict[str, str]:
        return {"vector": self.unit}

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        vector = by.functions(fields["vector"], axial=self.part == 3, own=self.axes == "frame")
        return {**super().placed(fields, by), "vector": vector}

    def build(self, layout: ModelCompiler) -> None:
        from ..families import loads, signals
        b, item = layout.builder, f"{self.kind} {self.name!r}"
        f, ground = layout.frame(self.frame, item), b.frame(b.ground, (0, 0, 0))
        ((_, constant, *_),) = self.loads()
        codes = [None if isinstance(v, (int, float)) else b.function(v, ("t",), f"{item}: vector") for v in self.vector]
        ints = (self.part, int(self.axes == "frame"), *(-1 if c is None else c.value for c in codes))
        layout.add_force(self.name, loads.LOAD, f, ground, ints, constant)
        for k, code in enumerate(codes):
            for slot, derivative in code.by_signal if code else ():
                layout.add_answer(signals.LOAD_ANSWER, self.name, (f, ground), (*ints, k), slot, derivative)

    def loads(self) -> Iterable[ConstantLoad]:
        constant = tuple(float(x) if isinstance(x, (int, float)) else 0.0 for x in self.vector)
        return (ConstantLoad(self.frame, constant, self.part == 3, self.axes == "frame"),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        own = cls("F", b, ("3 * cos(2*t)", "-5*J.angle_rate", 1.0), axes="frame")
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), own]


class Force(Load):
    """A force [N] at the origin of a frame; ``axes="frame"``: it turns with the frame."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "force"
    symbol: ClassVar[str] = "force"


class Torque(Load):
    """A torque [N m] on a frame; ``axes="frame"``: it turns with the frame."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "torque"
    symbol: ClassVar[str] = "torque"
    unit: ClassVar[str] = "N*m"
    part: ClassVar[int] = 3


class Measure(Pair):
    """Distance of two frames, its rate, and the rotation of b against a (angle of the rotation vector)."""
    section: ClassVar[str] = "measures"
    kind: ClassVar[str] = "measure"
    mirrors: ClassVar[bool] = True
    listed: ClassVar[int] = 6

    def build(self, layout: ModelCompiler) -> None:
        item = f"measure {self.name!r}"
        layout.measured[self.name] = self.a, self.b
        layout.directory.measures[self.name] = layout.marker(self.a, item), layout.marker(self.b, item)

    def channels(self) -> Iterable[Channel]:
        return (Channel("distance", "m", 1, _distance), Channel("rate", "m/s", 1, _rate),
                Channel("angle", "rad", 1, _angle))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("M", a, b)]


def _between(observer: Any, name: str) -> np.ndarray:
    a, b = observer.directory.measures[name]
    return np.asarray(observer.position(b) - observer.position(a))


def _distance(observer: Any, name: str) -> np.ndarray:
    return np.linalg.norm(_between(observer, name), axis=1)


def _rate(observer: Any, name: str) -> np.ndarray:
    a, b = observer.directory.measures[name]
    distance = _distance(observer, name)
    safe = np.where(distance > 0, distance, 1.0)
    return np.einsum("ni,ni->n", _between(observer, name), observer.velocity(b) - observer.velocity(a)) / safe


def _angle(observer: Any, name: str) -> np.ndarray:
    """Of the rotation vector of b against a."""
    a, b = observer.directory.measures[name]
    R = np.einsum("nji,njk->nik", observer.axes(a), observer.axes(b))
    u = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1) / 2
    return np.arctan2(np.linalg.norm(u, axis=1), (np.trace(R, axis1=1, axis2=2) - 1) / 2)
