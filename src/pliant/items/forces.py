"""Loads and measures: what acts at a frame, and what is only looked at. Springs are in `springs`."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.units import must
from . import springs as _springs  # noqa: F401 - fills KINDS in its order
from .base import Frame, Item, Pair
from .declarations import Channel, ConstantLoad, Output
from .force_channels import load_channels
from .function_fields import TimeFunction
from .quantities import Axes, with_unit

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement


SAME_BODY = "is the body of frame itself; name the other body, or leave it out"


class Load(Item):
    """A vector of three functions of t (and of channels such as A.angle_rate) on a frame."""
    positional: ClassVar[tuple[str, ...]] = ("name", "frame", "vector")
    unit: ClassVar[str] = "N"
    part: ClassVar[int] = 0
    mirrors: ClassVar[bool] = True
    on_points: ClassVar[bool] = True
    frame: Frame
    vector: Annotated[tuple[TimeFunction, TimeFunction, TimeFunction], Axes("world axes, or with axes: frame those of its frame")]
    axes: Literal["world", "frame"] = "world"
    reaction: Frame | None = None

    @model_validator(mode="after")
    def _two_bodies(self) -> Load:
        a, b = self.frame, self.reaction
        if b is not None and a.body == b.body and not (a.frame and b.frame):  # of left.a and left.b the model knows what they are
            raise FieldError("reaction", f"{b.body!r} {SAME_BODY}")
        return self

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
        if self.reaction is not None and self.reaction.body == self.frame.body:
            raise ValueError(f"{item}: reaction: {self.reaction.body!r} {SAME_BODY}")
        layout.check_load(self)
        f = layout.frame(self.frame, item)
        other = b.frame(b.ground, (0, 0, 0)) if self.reaction is None else layout.frame(self.reaction, item)
        ((_, constant, *_),) = self.loads()
        codes = [None if isinstance(v, (int, float)) else b.function(v, ("t",), f"{item}: vector") for v in self.vector]
        ints = (self.part, int(self.axes == "frame"), *(-1 if c is None else c.value for c in codes))
        layout.add_force(self.name, loads.LOAD, f, other, ints, constant)
        for k, code in enumerate(codes):
            for slot, derivative in code.by_signal if code else ():
                layout.add_answer(signals.LOAD_ANSWER, self.name, (f, other), (*ints, k), slot, derivative)

    def channels(self) -> tuple[Channel, ...]:
        return load_channels(self.part)

    def derived(self) -> Iterable[Output]:
        """Where it does not turn with its frame."""
        what = "torque" if self.part == 3 else "force"
        return () if self.axes == "frame" else tuple(Output(f"{what}.{c}", self.unit, f) for c, f in zip("xyz", self.vector, strict=True))

    def loads(self) -> Iterable[ConstantLoad]:
        constant = tuple(float(x) if isinstance(x, (int, float)) else 0.0 for x in self.vector)
        return (ConstantLoad(self.frame, constant, self.part == 3, self.axes == "frame"),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        own = cls("F", b, ("3 * cos(2*t)", "-5*J.angle_rate", 1.0), axes="frame")
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), own]


class Force(Load):
    """A force [N] at the origin of a frame; ``axes="frame"``: it turns with the frame. ``reaction``: a frame of another body, which gets
    the opposite force, at the same point."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "force"
    symbol: ClassVar[str] = "force"


class Torque(Load):
    """A torque [N m] on a frame; ``axes="frame"``: it turns with the frame. ``reaction``: a frame of another body, which gets the
    opposite torque."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "torque"
    symbol: ClassVar[str] = "torque"
    unit: ClassVar[str] = "N*m"
    part: ClassVar[int] = 3


class Measure(Pair):
    """Motion of frame b against frame a. ``distance`` and its ``rate``; ``angle`` of the rotation vector of b against a. In the axes of
    the frame ``axes`` (of the world if it is left out): ``position`` from a to b; ``velocity``, the rate of its components, as an observer
    sees it who turns with these axes; ``angular_velocity`` of b against a; ``rotation_vector`` of b against a, of at most half a turn,
    whose length is ``angle``."""
    section: ClassVar[str] = "measures"
    kind: ClassVar[str] = "measure"
    mirrors: ClassVar[bool] = True
    listed: ClassVar[int] = 6
    axes: Frame | None = None

    def build(self, layout: ModelCompiler) -> None:
        item = f"measure {self.name!r}"
        layout.measured[self.name] = self.a, self.b
        frames = self.a, self.b, self.axes or Frame(body="ground")
        layout.directory.measures[self.name] = tuple(layout.marker(frame, item) for frame in frames)

    def channels(self) -> Iterable[Channel]:
        return (Channel("distance", "m", 1, _distance), Channel("rate", "m/s", 1, _rate), Channel("angle", "rad", 1, _angle),
                Channel("position", "m", 3, _position), Channel("velocity", "m/s", 3, _velocity),
                Channel("angular_velocity", "rad/s", 3, _angular_velocity), Channel("rotation_vector", "rad", 3, _rotation_vector))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("M", a, b)]


def _between(observer: Any, name: str) -> np.ndarray:
    a, b, _ = observer.directory.measures[name]
    return np.asarray(observer.position(b) - observer.position(a))


def _distance(observer: Any, name: str) -> np.ndarray:
    return np.linalg.norm(_between(observer, name), axis=1)


def _rate(observer: Any, name: str) -> np.ndarray:
    a, b, _ = observer.directory.measures[name]
    distance = _distance(observer, name)
    safe = np.where(distance > 0, distance, 1.0)
    return np.einsum("ni,ni->n", _between(observer, name), observer.velocity(b) - observer.velocity(a)) / safe


def _turned(observer: Any, name: str) -> np.ndarray:
    """R_AB"""
    a, b, _ = observer.directory.measures[name]
    return np.einsum("nji,njk->nik", observer.axes(a), observer.axes(b))


def _angle(observer: Any, name: str) -> np.ndarray:
    """Of the rotation vector of b against a."""
    R = _turned(observer, name)
    u = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1) / 2
    return np.arctan2(np.linalg.norm(u, axis=1), (np.trace(R, axis1=1, axis2=2) - 1) / 2)


def _in_axes(observer: Any, name: str, vector: np.ndarray) -> np.ndarray:
    """World components in the axes of the measure."""
    return np.einsum("nji,nj->ni", observer.axes(observer.directory.measures[name][2]), vector)


def _position(observer: Any, name: str) -> np.ndarray:
    """p_AB_C = R_WC^T (p_B - p_A)                                                                                  [measure-1]"""
    return _in_axes(observer, name, _between(observer, name))


def _velocity(observer: Any, name: str) -> np.ndarray:
    """d/dt p_AB_C = R_WC^T (v_B - v_A - w_C x (p_B - p_A))                                                         [measure-2]"""
    a, b, axes = observer.directory.measures[name]
    turning = np.cross(observer.angular_velocity(axes), _between(observer, name))
    return _in_axes(observer, name, observer.velocity(b) - observer.velocity(a) - turning)


def _angular_velocity(observer: Any, name: str) -> np.ndarray:
    """R_WC^T (w_B - w_A)                                                                                          [measure-3]"""
    a, b, _ = observer.directory.measures[name]
    return _in_axes(observer, name, observer.angular_velocity(b) - observer.angular_velocity(a))


def _rotation_vector(observer: Any, name: str) -> np.ndarray:
    """R_WC^T R_WA theta with exp[theta] = R_AB: from the quaternion (w, u) of R_AB, theta = 2 atan2(|u|, w) u / |u|   [measure-4]"""
    q = observer.quaternions(_turned(observer, name))
    q = np.where(q[:, :1] < 0, -q, q)
    size = np.linalg.norm(q[:, 1:], axis=1)
    theta = q[:, 1:] * np.where(size > 0, 2 * np.arctan2(size, q[:, 0]) / np.where(size > 0, size, 1.0), 2.0)[:, None]
    return _in_axes(observer, name, np.einsum("nij,nj->ni", observer.axes(observer.directory.measures[name][0]), theta))
