"""Springs, dampers and bushings: forces that push back."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.formula import Formula, of
from ..functions.units import MOST, must, shown
from .base import Angle, Frame, Item, JointName, Length, Pair
from .declarations import UNLOADED, Channel, CoordinateUse, Law, Output, Stiffness
from .force_channels import POWER
from .function_fields import ForceLaw
from .quantities import FRAME_A, numbers_with_units
from .references import NO_DIRECTION

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement


def _constant(law: Any) -> float:
    """A stiffness or damping that is a number; of functions nothing."""
    return float(law) if isinstance(law, (int, float)) else 0.0


def _add_rows(layout: ModelCompiler, item: Any, frames: tuple[int, int], coordinate: tuple[int, int, int], zero: float,
              rest: float) -> None:
    """The rows of a spring along a coordinate: one, or one for every function."""
    from ..families import signals, springs  # families are imported when a model uses them: it saves time at the start
    b = layout.builder
    laws = [(which, f) for which in ("stiffness", "damping") if not isinstance(f := getattr(item, which), (int, float))]
    constant = [_constant(item.stiffness), _constant(item.damping)]
    for k, (which, law) in enumerate(laws or [("", None)]):
        code = None if law is None else b.function(law, ("t", "x", "v"), f"spring {item.name!r}: {which}")
        codes = (-1, -1, -1) if code is None else (code.value, code.by_x, code.by_v)
        ints, reals = (*coordinate, *codes), (zero, *(constant if k == 0 else (0.0, 0.0)), rest)
        layout.add_force(item.name, springs.SPRING, *frames, ints, reals, velocity=True)
        for slot, derivative in code.by_signal if code else ():
            layout.add_answer(signals.SPRING_ANSWER, item.name, frames, ints, slot, derivative, reals)


def _law(item: Any, x: Formula, v: Formula) -> Law:
    """What a spring exerts from its stretch and rate."""
    laws = tuple(f for f in (item.stiffness, item.damping) if not isinstance(f, (int, float)))
    return Law(x.node, v.node, _constant(item.stiffness), _constant(item.damping), laws)


def _length(observer: Any, name: str) -> np.ndarray:
    r = observer.record(name)
    return np.linalg.norm(observer.position(r.b) - observer.position(r.a), axis=1)


def _direction(observer: Any, name: str) -> np.ndarray:
    r = observer.record(name)
    return (observer.position(r.b) - observer.position(r.a)) / _length(observer, name)[:, None]


def _rate(observer: Any, name: str) -> np.ndarray:
    r = observer.record(name)
    return np.einsum("ni,ni->n", _direction(observer, name), observer.velocity(r.b) - observer.velocity(r.a))


def _pull(observer: Any, name: str) -> np.ndarray:
    return -np.einsum("ni,ni->n", _direction(observer, name), observer.effort(name)[:, :3])


class SpringDamper(Pair):
    """Spring and damper along the line of two points. ``stiffness`` [N/m] and ``damping`` [N s/m] are numbers, or functions
    f(t, x, v) that give the force [N] from the stretch x [m] and its rate v [m/s]; positive forces pull the points together.
    ``length`` [m] is the unloaded one, as modelled if left out."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "spring_damper"
    mirrors: ClassVar[bool] = True
    symbol: ClassVar[str] = "spring"
    listed: ClassVar[int] = 4
    apart: ClassVar[bool] = True
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "stiffness", "damping", "length")
    laws: ClassVar[dict[str, str]] = {"stiffness": "N/m", "damping": "N*s/m"}  # units, where they are numbers
    stiffness: ForceLaw = 0.0
    damping: ForceLaw = 0.0
    length: Length | None = None

    @model_validator(mode="before")
    @classmethod
    def _units(cls, value: Any) -> Any:
        return numbers_with_units(value, cls.laws)

    def units(self) -> dict[str, str]:
        return super().units() | self.laws

    @model_validator(mode="after")
    def _check(self) -> SpringDamper:
        if self.length is not None and self.length < 0:
            raise FieldError("length", f"{self.length:g} m must be at least 0")
        return self

    def build(self, layout: ModelCompiler) -> None:
        item = f"spring {self.name!r}"
        frames = layout.frame(self.a, item), layout.frame(self.b, item)
        distance = float(np.linalg.norm(layout.world(self.b, item)[0] - layout.world(self.a, item)[0]))
        if distance == 0:
            raise ValueError(f"{item}: {NO_DIRECTION}")
        _add_rows(layout, self, frames, layout.distance, 0.0, distance if self.length is None else self.length)
        layout.directory.forces[self.name].spans = True

    def channels(self) -> Iterable[Channel]:
        return Channel("length", "m", 1, _length), Channel("rate", "m/s", 1, _rate), Channel("force", "N", 1, _pull), POWER

    def spans(self) -> tuple[Frame, Frame]:
        return self.a, self.b

    def derived(self) -> Iterable[Output]:
        length = of(f"{self.name}.distance")
        force = _law(self, length - of(f"{self.name}.{UNLOADED}"), of(f"{self.name}.rate"))
        return Output("length", "m", length.node), Output("force", "N", force)

    def stiffnesses(self, at: Any) -> Iterable[Stiffness]:
        r, u = at.record(self.name), np.zeros(6)
        u[:3] = at.position(r.b) - at.position(r.a)
        yield Stiffness(u / np.linalg.norm(u), _constant(self.stiffness), _constant(self.damping))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("F", a, b, 30.0, 4.0, 0.3)]


class JointSpring(Item):
    """Spring and damper on a coordinate of a joint."""
    section: ClassVar[str] = "forces"
    mirrors: ClassVar[bool] = True
    listed: ClassVar[int] = 4
    coordinate: ClassVar[str]
    laws: ClassVar[dict[str, str]]  # units of stiffness and damping, where they are numbers
    unit: ClassVar[str]  # of the coordinate
    effort: ClassVar[tuple[str, str, int]]  # channel, unit, and where it begins in a wrench
    joint: JointName
    stiffness: ForceLaw = 0.0
    damping: ForceLaw = 0.0

    @model_validator(mode="before")
    @classmethod
    def _units(cls, value: Any) -> Any:
        return numbers_with_units(value, cls.laws)

    def units(self) -> dict[str, str]:
        return super().units() | self.laws

    def build(self, layout: ModelCompiler) -> None:
        c = layout.coordinate(self.joint, self.coordinate, f"spring {self.name!r}")
        _add_rows(layout, self, c.frames, c.place, c.zero, getattr(self, self.coordinate))

    def uses(self) -> Iterable[CoordinateUse]:
        return (CoordinateUse(self.joint, self.coordinate),)

    def derived(self) -> Iterable[Output]:
        x, v = of(f"{self.joint}.{self.coordinate}") - getattr(self, self.coordinate), of(f"{self.joint}.{self.coordinate}_rate")
        return (Output(self.effort[0], self.effort[1], _law(self, x, v)),)

    def _along_axis(self, observer: Any, name: str) -> np.ndarray:
        """What it exerts along or about the axis of its joint."""
        first, axes = self.effort[2], observer.axes(observer.record(name).a)
        return -np.einsum("ni,ni->n", observer.effort(name)[:, first:first + 3], axes[:, :, 2])

    def channels(self) -> Iterable[Channel]:
        which, (effort, unit, _) = self.coordinate, self.effort
        return (Channel(which, self.unit, 1, lambda observer, name: observer(f"{self.joint}.{which}")),
                Channel("rate", f"{self.unit}/s", 1, lambda observer, name: observer(f"{self.joint}.{which}_rate")),
                Channel(effort, unit, 1, self._along_axis), POWER)

    def stiffnesses(self, at: Any) -> Iterable[Stiffness]:
        u, first = np.zeros(6), self.effort[2]
        u[first:first + 3] = at.axes(at.record(self.name).a)[:, 2]
        yield Stiffness(u, _constant(self.stiffness), _constant(self.damping))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Cylindrical
        return [Cylindrical("J", a, b, axis=(0.3, -0.5, 0.8)), cls("F", "J", 30.0, "2*v + v^3", 0.3)]


class TorsionSpring(JointSpring):
    """Spring and damper on the angle of a joint. ``stiffness`` [N m/rad] and ``damping`` [N m s/rad] are numbers, or functions
    f(t, x, v) that give the torque from the twist x [rad] and its rate; positive ones turn b back. ``angle``: unloaded [rad]."""
    kind: ClassVar[str] = "torsion_spring"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "stiffness", "damping", "angle")
    coordinate: ClassVar[str] = "angle"
    laws: ClassVar[dict[str, str]] = {"stiffness": "N*m", "damping": "N*m*s"}
    unit: ClassVar[str] = "rad"
    effort: ClassVar[tuple[str, str, int]] = ("torque", "N*m", 3)
    angle: Angle = 0.0


class AxialSpring(JointSpring):
    """Spring and damper on the displacement of a joint, along its axis or its line. ``stiffness`` [N/m] and ``damping`` [N s/m] are
    numbers, or functions f(t, x, v) that give the force from the stretch x [m] and its rate; positive ones push b back.
    ``displacement``: unloaded [m]."""
    kind: ClassVar[str] = "axial_spring"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "stiffness", "damping", "displacement")
    coordinate: ClassVar[str] = "displacement"
    laws: ClassVar[dict[str, str]] = {"stiffness": "N/m", "damping": "N*s/m"}
    unit: ClassVar[str] = "m"
    effort: ClassVar[tuple[str, str, int]] = ("force", "N", 0)
    displacement: Length = 0.0


class Bushing(Pair):
    """Linear spring and damper in all six directions, in the axes of frame ``a``: x y z [m], then the rotation vector [rad] of b
    against a, continued along the motion; the run stops next to a whole turn, where it has no direction. ``stiffness``, ``damping``:
    six numbers (a diagonal) or 6x6, SI units. Unloaded in the pose as modelled."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "bushing"
    mirrors: ClassVar[bool] = True
    symbol: ClassVar[str] = "bushing"
    stiffness: Annotated[Any, FRAME_A]
    damping: Annotated[Any, FRAME_A] = (0.0,) * 6

    @model_validator(mode="after")
    def _matrices(self) -> Bushing:
        for field in ("stiffness", "damping"):
            given = getattr(self, field)
            try:
                m = np.array(given, float)
            except (TypeError, ValueError, OverflowError):
                m = np.zeros(0)
            if m.shape not in ((6,), (6, 6)) or not (abs(m) <= MOST).all():
                raise FieldError(field, must(given, f"must be six numbers or a 6x6 matrix in SI units, all within {MOST:g}"))
            object.__setattr__(self, field, tuple(m.tolist()) if m.ndim == 1 else tuple(map(tuple, m.tolist())))
        K = self.matrix("stiffness")
        if not np.allclose(K, K.T, atol=1e-9 * max(1e-300, abs(K).max())):
            raise FieldError("stiffness", f"{shown(self.stiffness)} must be symmetric")
        return self

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        """K' = S K S with S = diag(M, -M)."""
        out = super().placed(fields, by)
        S = np.array([*by.signs, *(by.handed * s for s in by.signs)])
        for name in ("stiffness", "damping"):
            if by.mirror and np.ndim(getattr(self, name)) == 2:
                out[name] = tuple(tuple(by.opposite(x) if S[i] * S[j] < 0 else x for j, x in enumerate(row))
                                  for i, row in enumerate(fields[name]))
        return out

    def matrix(self, field: str) -> np.ndarray:
        m = np.array(getattr(self, field), float)
        return np.diag(m) if m.ndim == 1 else m

    def build(self, layout: ModelCompiler) -> None:
        from ..families import bushing
        item = f"bushing {self.name!r}"
        (p_a, R_a), (p_b, _) = layout.world(self.a, item), layout.world(self.b, item)
        frames = layout.frame(self.a, item), layout.frame(self.b, item, R_a)  # no relative rotation as modelled
        pool = layout.builder.pool(self.matrix("stiffness"), self.matrix("damping"), R_a.T @ (p_b - p_a), np.zeros(3))
        layout.add_force(self.name, bushing.BUSHING, *frames, (pool, layout.builder.history(3)), velocity=True)

    def channels(self) -> Iterable[Channel]:
        return (Channel("force", "N", 3, lambda observer, name: observer.effort(name)[:, :3].copy()),
                Channel("torque", "N*m", 3, lambda observer, name: observer.effort(name)[:, 3:].copy()), POWER)

    def stiffnesses(self, at: Any) -> Iterable[Stiffness]:
        K, C, R = self.matrix("stiffness"), self.matrix("damping"), at.axes(at.record(self.name).a)
        for i in range(6):
            u = np.zeros(6)
            u[3 * (i // 3):3 * (i // 3) + 3] = R[:, i % 3]
            yield Stiffness(u, K[i, i], C[i, i])

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("F", a, b, stiffness=[1e2, 2e2, 3e2, 10, 20, 30], damping=[1, 2, 3, 4, 5, 6])]
