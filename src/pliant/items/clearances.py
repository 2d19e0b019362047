"""Joints with clearance: a journal that moves within its bearing, a ball within its socket. docs/theory/contact.md"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import PrivateAttr, model_validator

from ..functions.expression import ZERO
from ..functions.field_error import FieldError
from ..functions.formula import Formula, function, where
from .base import Axis, Frame, Item, Pair, number
from .blocks import Computes
from .declarations import Energies, Gauge, Held, Lag, Latch, Memory, Output, Play
from .joint_loads import add_joint_load
from .joints import perpendicular_frame
from .quantities import FRAME_A
from .stops import LEAST, TINY, damping_of

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement

    Distance = float
    Reach = float
    Stiffness = float
    Speed = float
    Ratio = float
else:
    Distance, Reach, Speed = number("m", positive=True), number("m", least=0.0), number("m/s", positive=True)
    Stiffness, Ratio = number("", positive=True), number("", least=0.0)

CENTRED = 1e-30  # m^2: of an eccentricity that is none, whose direction is not defined


class Clearance(Computes, Pair):
    """Of frame b against a: where the eccentricity is beyond ``clearance`` [m] by the depth d they push with k d^p (1 + a d'), never pull.
    ``stiffness`` k [N/m^p], ``exponent`` p; a of the ``law``: "restitution", such that a touch above the speed ``slow`` [m/s] gives back
    ``restitution`` times its speed, or "lankarani-nikravesh", 3 (1 - e^2) / (4 v)."""
    section: ClassVar[str] = "forces"
    listed: ClassVar[int] = 4
    symbol: ClassVar[str] = "bushing"
    clearance: Distance
    stiffness: Stiffness
    restitution: Ratio = 0.5
    exponent: Ratio = 1.5
    law: Literal["restitution", "lankarani-nikravesh"] = "restitution"
    slow: Speed = 0.01
    _frames: dict[str, tuple[int, int]] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> Clearance:
        if self.a.body == self.b.body:
            raise FieldError("b", f"both frames are on {self.a.body!r}; a clearance is between two bodies")
        if not LEAST <= self.restitution <= 1:
            raise FieldError("restitution", f"{self.restitution:g} must be from {LEAST:g} to 1")
        if not 1 <= self.exponent <= 3:
            raise FieldError("exponent", f"{self.exponent:g} must be from 1, a linear spring, to 3")
        return self

    def planes(self) -> dict[str, float]:
        """Suffix of their names, and where they are along the axis [m]."""
        return {"": 0.0}

    def directions(self) -> tuple[int, ...]:
        """Axes of the frame on a along which there is clearance."""
        raise NotImplementedError

    def bearing_axes(self) -> np.ndarray:
        """Of that frame, in those of frame a."""
        return np.eye(3)

    def gauges(self, layout: ModelCompiler) -> Iterable[Gauge]:
        """Components of the eccentricity of every plane."""
        where_ = f"{self.kind} {self.name!r}"
        axes = layout.world(self.a, where_)[1] @ self.bearing_axes()
        bearing, p, (origin, turn) = layout.frame(self.a, where_, axes), layout.world(self.b, where_)[0], layout.poses[self.b.body]
        for suffix, at in self.planes().items():
            place = self.b if at == 0 else Frame(body=self.b.body, point=tuple(turn.T @ (p + at * axes[:, 2] - origin)))
            self._frames[suffix] = bearing, layout.frame(place, where_)
            for k in self.directions():
                yield Gauge(f"e{k}{suffix}", self._frames[suffix], k)

    def _parts(self, suffix: str) -> list[tuple[int, Formula, Formula]]:
        """Of the eccentricity: direction, value and rate."""
        return [(k, self.own(f"e{k}{suffix}"), self.own(f"e{k}{suffix}_rate")) for k in self.directions()]

    def _depth(self, suffix: str) -> tuple[Formula, Formula, Formula]:
        """Eccentricity, depth and its rate."""
        square, change = Formula(ZERO) + CENTRED, Formula(ZERO)
        for _, x, v in self._parts(suffix):
            square, change = square + x * x, change + x * v
        r = function("sqrt", square)
        return r, r - self.clearance, change / r

    def _spring(self, depth: Formula) -> Formula:
        return self.stiffness * (depth if self.exponent == 1 else depth * (depth**2 + TINY) ** ((self.exponent - 1) / 2))

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag | Play]:
        """The speed with which they touched; zero where they do not."""
        for suffix in self.planes():
            _, depth, rate = self._depth(suffix)
            met = self.own(f"speed{suffix}")
            value = where(depth > 0, where(met > 0, met, function("max", rate, self.slow)), 0.0)
            at = suffix.replace("_", " at end ")
            yield Latch(f"speed{suffix}", "m/s", value.node, tells=(f"leaves{at}", f"touches{at}"))

    def computed(self) -> Iterable[Output]:
        e, supplied = self.restitution, Formula(ZERO)
        factor = damping_of(e) if self.law == "restitution" else 0.75 * (1 - e**2)
        for suffix in self.planes():
            r, depth, rate = self._depth(suffix)
            damped = function("max", 1 + factor / function("max", self.own(f"speed{suffix}"), self.slow) * rate, 0.0)
            yield Output(f"eccentricity{suffix}", "m", r.node)
            yield Output(f"force{suffix}", "N", where(depth > 0, self._spring(depth) * damped, 0.0).node)
            for k, x, _ in self._parts(suffix):
                yield Output(f"push{k}{suffix}", "N", (-self.own(f"force{suffix}") * x / r).node)
            supplied = supplied - self.own(f"force{suffix}") * rate
        yield Output("power", "W", supplied.node)

    def energies(self) -> Energies:
        """As of a `Stop`."""
        stored, lost, p = Formula(ZERO), Formula(ZERO), self.exponent
        for suffix in self.planes():
            _, depth, rate = self._depth(suffix)
            spring = where(depth > 0, self._spring(depth), 0.0)
            stored = stored + where(depth > 0, spring * depth / (p + 1), 0.0)
            lost = lost + (self.own(f"force{suffix}") - spring) * rate
        return Energies(stored.node, lost.node, (-self.own("power")).node)

    def build(self, layout: ModelCompiler) -> None:
        item, first = f"{self.kind} {self.name!r}", True
        for suffix, frames in self._frames.items():
            for k in self.directions():
                name = self.name if first else f"{self.name}.{k}{suffix}"
                add_joint_load(layout, item, name, layout.component(frames, k), self.own(f"push{k}{suffix}").node, "force")
                first = False


class RevoluteClearance(Clearance):
    """A journal, frame b, in a bearing, frame a, whose ``axis`` is given in the axes of frame a. With a ``length`` [m] of the bearing it
    touches in two planes, at both ends, so that it can tilt and jam; along the axis it is free."""
    kind: ClassVar[str] = "revolute_clearance"
    axis: Annotated[Axis, FRAME_A] = (0.0, 0.0, 1.0)
    length: Reach = 0.0

    def planes(self) -> dict[str, float]:
        return {"": 0.0} if self.length == 0 else {"_1": -self.length / 2, "_2": self.length / 2}

    def directions(self) -> tuple[int, ...]:
        return 0, 1

    def bearing_axes(self) -> np.ndarray:
        return perpendicular_frame(np.array(self.axis))

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        out = super().placed(fields, by)
        return {**out, "axis": by.local(self.axis, axial=True)} if by.mirror else out

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("F", a, b, clearance=0.05, stiffness=1e4, axis=(0.3, -0.5, 0.8))]


class SphericalClearance(Clearance):
    """A ball, frame b, in a socket, frame a."""
    kind: ClassVar[str] = "spherical_clearance"

    def directions(self) -> tuple[int, ...]:
        return 0, 1, 2

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("F", a, b, clearance=0.05, stiffness=1e4)]
