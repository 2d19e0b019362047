"""Stops: limits of joint coordinates that push back, with a restitution that is kept. docs/theory/contact.md"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from ..functions.expression import ZERO
from ..functions.field_error import FieldError
from ..functions.formula import Formula, function, of, where
from .base import Item, JointName, number
from .blocks import Computes
from .contact_damping import LEAST, damping_of
from .declarations import Channel, CoordinateUse, Energies, Held, Lag, Latch, Memory, Output, Play
from .joint_loads import add_joint_load
from .quantities import numbers_with_units
from .reduced_inertia import usual_stiffness
from .rigid_limits import RIGID, add_rigid_limit

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement

    Plain = float
    Positive = float
    Restitution = float
else:
    Plain, Positive, Restitution = number(""), number("", positive=True), number("", least=0.0)

TINY = 1e-24    # square of a depth that is none: the power of a depth has a slope there
SIDES = {"lower": -1.0, "upper": 1.0}
UNITS = {"angle": ("rad", "N*m", "rad/s"), "displacement": ("m", "N", "m/s")}


def _units(coordinate: str, exponent: Any) -> dict[str, str]:
    """Of fields of a stop; of its stiffness if it is linear."""
    length, effort, speed = UNITS[coordinate]
    linear = {"stiffness": f"{effort}/{length}"} if exponent == 1 else {}
    return {"lower": length, "upper": length, "slow": speed, **linear}


class Stop(Computes):
    """Limits ``lower`` and ``upper`` of a ``coordinate`` of a joint [rad or m], one of them at least. Beyond a limit by the depth d it
    pushes back with k d^p (1 + a d'), never pulls: ``stiffness`` k [N m/rad^p or N/m^p], ``exponent`` p; a such that a body that comes
    with a speed above ``slow`` [rad/s or m/s] leaves with ``restitution`` times that, whatever its mass, if nothing else acts on it
    meanwhile. A linear ``stiffness`` may be left out: the two bodies of the joint by themselves then touch for a millisecond.
    With ``law`` "rigid" an impact takes no time and gives back ``restitution`` times the speed, from 0 to 1; what comes to rest at a limit
    is held there by a force that never pulls."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "stop"
    listed: ClassVar[int] = 4
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "coordinate", "lower", "upper")
    joint: JointName
    coordinate: Literal["angle", "displacement"]
    lower: Plain | None = None
    upper: Plain | None = None
    stiffness: Positive | None = None
    restitution: Restitution = 0.5
    exponent: Positive = 1.0
    slow: Positive = 0.01
    law: Literal["compliant", "rigid"] = "compliant"

    @model_validator(mode="before")
    @classmethod
    def _units(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("coordinate") in UNITS:  # 30 mm is no angle
            return numbers_with_units(value, _units(value["coordinate"], value.get("exponent", 1)))
        return value

    @model_validator(mode="after")
    def _check(self) -> Stop:
        low, high = -inf if self.lower is None else self.lower, inf if self.upper is None else self.upper
        if self.lower is None and self.upper is None:
            raise FieldError("lower", "is missing; a stop needs it, or upper")
        if not low < high:
            raise FieldError("lower", f"{low:g} must be below upper, {high:g}")
        if self.law == RIGID and (given := {"stiffness", "exponent", "slow"} & self.model_fields_set):
            raise FieldError(min(given), 'is of a compliant stop; leave it out, or law="rigid"')
        least = 0.0 if self.law == RIGID else LEAST
        if not least <= self.restitution <= 1:
            more = "" if self.law == RIGID else '; with law="rigid" it may be 0'
            raise FieldError("restitution", f"{self.restitution:g} must be from {least:g} to 1{more}")
        if not 1 <= self.exponent <= 3:
            raise FieldError("exponent", f"{self.exponent:g} must be from 1, a linear spring, to 3")
        if self.stiffness is None and self.exponent != 1:
            raise FieldError("stiffness", "is missing; only that of a linear spring, exponent 1, can be left out")
        return self

    def completed(self, layout: ModelCompiler, items: Mapping[str, Item]) -> Stop:
        """With the stiffness that its bodies give."""
        if self.law == RIGID or self.stiffness is not None or self.joint not in items:
            return self
        if self.coordinate not in getattr(items[self.joint], "coordinates", ()):
            return self
        stiffness = usual_stiffness(layout, items[self.joint], self.coordinate, f"{self.kind} {self.name!r}")
        return self.model_copy(update={"stiffness": stiffness})

    def reversed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        ends = {"lower": fields.get("upper"), "upper": fields.get("lower")}
        rest = {key: value for key, value in fields.items() if key not in ends}
        return rest | {side: by.opposite(limit) for side, limit in ends.items() if limit is not None}

    def units(self) -> dict[str, str]:
        return _units(self.coordinate, self.exponent)

    def relative(self) -> tuple[Formula, Formula]:
        """The coordinate and its rate."""
        return of(f"{self.joint}.{self.coordinate}"), of(f"{self.joint}.{self.coordinate}_rate")

    def _sides(self) -> Iterable[tuple[str, float, Formula, Formula]]:
        """Of every limit: its name, its side, how far the coordinate is beyond it, and how fast it goes there."""
        c, rate = self.relative()
        for name, side in SIDES.items():
            if (limit := getattr(self, name)) is not None:
                yield name, side, side * (c - limit), side * rate

    def _damping(self, name: str) -> Formula:
        return damping_of(self.restitution) / function("max", self.own(f"{name}_speed"), self.slow)

    def _spring(self, depth: Formula) -> Formula:
        """k d^p, of which the force is made [law-1]; an odd function where steps look beyond the limit."""
        k = 1.0 if self.stiffness is None else self.stiffness  # None: not completed, only its names count
        return k * (depth if self.exponent == 1 else depth * (depth**2 + TINY) ** ((self.exponent - 1) / 2))

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag | Play]:
        """The speed with which a limit was met; zero where it is not touched."""
        if self.law == RIGID:
            return
        for name, _, depth, rate in self._sides():
            met = self.own(f"{name}_speed")
            value = where(depth > 0, where(met > 0, met, function("max", rate, self.slow)), 0.0)
            tells = f"leaves {name}", f"touches {name}"
            yield Latch(f"{name}_speed", UNITS[self.coordinate][2], value.node, tells=tells)

    def computed(self) -> Iterable[Output]:
        return self._compliant() if self.law != RIGID else ()

    def _compliant(self) -> Iterable[Output]:
        length, effort, _ = UNITS[self.coordinate]
        pushed, beyond = Formula(ZERO), Formula(ZERO)
        for name, side, depth, rate in self._sides():
            factor = function("max", 1 + self._damping(name) * rate, 0.0)
            yield Output(f"{name}_force", effort, where(depth > 0, self._spring(depth) * factor, 0.0).node)
            pushed = pushed - side * self.own(f"{name}_force")
            beyond = beyond + where(depth > 0, depth, 0.0)
        yield Output("depth", length, beyond.node)
        yield Output("effort", effort, pushed.node)
        yield Output("power", "W", (self.own("effort") * self.relative()[1]).node)

    def energies(self) -> Energies:
        """The effort is a load on the joint, and counts as work there: its spring keeps k d^(p+1) / (p+1), the rest is lost."""
        if self.law == RIGID:
            return Energies()
        stored, lost, p = Formula(ZERO), Formula(ZERO), self.exponent
        for name, _, depth, rate in self._sides():
            spring = where(depth > 0, self._spring(depth), 0.0)
            stored = stored + where(depth > 0, spring * depth / (p + 1), 0.0)
            lost = lost + (self.own(f"{name}_force") - spring) * rate
        return Energies(stored.node, lost.node, (-self.own("power")).node)

    def build(self, layout: ModelCompiler) -> None:
        item = f"{self.kind} {self.name!r}"
        if self.law == RIGID:
            for name, side in SIDES.items():
                if (limit := getattr(self, name)) is not None:
                    add_rigid_limit(layout, item, self, name, -side, -side * limit)
            return
        add_joint_load(layout, item, self.name, layout.coordinate(self.joint, self.coordinate, item), self.own("effort").node, "effort")

    def channels(self) -> Iterable[Channel]:
        if self.law != RIGID:
            return super().channels()
        return (Channel("effort", UNITS[self.coordinate][1], 1, self._effort),)

    def _effort(self, observer: Any, name: str) -> np.ndarray:
        """Along the coordinate, on b."""
        rows = [p.rows[0] for p in observer.dynamics.system.rigid if p.item == name]
        factors = [-side for limit, side in SIDES.items() if getattr(self, limit) is not None]
        return sum((-f * observer.parts["lam"][:, row] for f, row in zip(factors, rows, strict=True)), np.zeros(len(observer.rows)))

    def uses(self) -> Iterable[CoordinateUse]:
        return (CoordinateUse(self.joint, self.coordinate),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Cylindrical
        return [Cylindrical("J", a, b, axis=(0.3, -0.5, 0.8)),
                cls("F", "J", "displacement", -0.3, 0.4, stiffness=5e3, restitution=0.6, exponent=1.5)]
