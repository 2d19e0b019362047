"""Dry friction along coordinates of joints, with stick that is a state: in a joint, a brake, a clutch. docs/theory/friction.md"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from ..functions.expression import Number
from ..functions.field_error import FieldError
from ..functions.formula import Formula, function, of, where
from .base import Between, Item, JointName, number
from .block_fields import Count
from .blocks import Computes
from .declarations import Bearing, CoordinateUse, Energies, Held, Lag, Latch, Memory, Output, Play
from .errors import ModelError
from .function_fields import TimeFunction
from .joint_loads import add_joint_load
from .quantities import numbers_with_units
from .reduced_inertia import reduced_inertia

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement

    Positive = float
    NotNegative = float
    Area = float
    Radius = float
else:
    Positive, NotNegative = number("", positive=True), number("", least=0.0)
    Area, Radius = number("m^2", positive=True), number("m", positive=True)

STICKS, FORWARD, BACKWARD, BEGINS = 0.0, 1.0, 2.0, 3.0
TELLS = "sticks", "slips forward", "slips backward", "begins"
AT_REST = 0.999    # of the deflection at which it breaks away, at most: what has just come to rest does not slip by rounding
TINY = 1e-24       # square of a load that is none: its root has a slope there
UNITS = {"angle": ("rad", "N*m", "rad/s", "N*m*s/rad"), "displacement": ("m", "N", "m/s", "N*s/m")}
PRESLIDING = 1e-6  # rad or m
MISSING_RADIUS = "no load is given: give the radius of the bearing [m], with which the joint's own force makes the load, or a torque"


class Friction(Computes):
    """Dry friction of a relative coordinate c with the rate u, under a load N [N m or N], which a subclass gives."""
    section: ClassVar[str] = "forces"
    listed: ClassVar[int] = 4
    coefficient: NotNegative = 1.0
    static: NotNegative | None = None
    stribeck: Positive | None = None
    viscous: NotNegative = 0.0
    presliding: Positive | None = None
    damping: NotNegative = 1.0
    _inertia: float = 0.0

    @model_validator(mode="before")
    @classmethod
    def _with_units(cls, value: Any) -> Any:
        return numbers_with_units(value, cls._units(value)) if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _coefficients(self) -> Friction:
        if self.static is not None and self.static < self.coefficient:
            raise FieldError("static", f"{self.static:g} must be at least the coefficient of sliding, {self.coefficient:g}")
        if self.stribeck is not None and self.static is None:
            raise FieldError("stribeck", "is the speed at which friction falls from static to coefficient; give static as well")
        if self.at_rest == 0:
            raise FieldError("coefficient", "0 makes no dry friction; take a damper")
        return self

    @classmethod
    def _units(cls, given: Mapping[str, Any]) -> dict[str, str]:
        """Of its fields; of an angle where nothing says else."""
        length, _, speed, viscous = UNITS[cls._along(given)]
        return {"presliding": length, "stribeck": speed, "viscous": viscous}

    @classmethod
    def _along(cls, given: Mapping[str, Any]) -> str:
        """Its coordinate."""
        return "angle"

    @property
    def along(self) -> str:
        return self._along(self.__dict__)

    def units(self) -> dict[str, str]:
        return super().units() | self._units(self.__dict__)

    @property
    def at_rest(self) -> float:
        """The coefficient that holds."""
        return self.coefficient if self.static is None else self.static

    @property
    def deflection(self) -> float:
        """Of the bristle where it breaks away."""
        return PRESLIDING if self.presliding is None else self.presliding

    def relative(self) -> tuple[Formula, Formula]:
        """c and u."""
        raise NotImplementedError

    def load(self) -> Any:
        """N: a signal, or a function of t and channels, which counts where it is positive."""
        raise NotImplementedError

    def rubbing(self, items: Mapping[str, Item]) -> list[Item]:
        """Joints whose bodies rub."""
        return [items[use.joint] for use in self.uses() if use.joint in items]

    def completed(self, layout: ModelCompiler, items: Mapping[str, Item]) -> Friction:
        """With the inertia of its bodies, of which the damping of the bristle is made."""
        yielding = sum(1 / own for joint in self.rubbing(items) if self.along in getattr(joint, "coordinates", ())
                       and 0 < (own := reduced_inertia(layout, joint, self.along, f"{self.kind} {self.name!r}")) < inf)
        found = self.model_copy()
        found._inertia = 1 / yielding if yielding > 0 else 0.0
        return found

    def _is(self, state: float) -> Formula:
        return (self.own("state") > state - 0.5) & (self.own("state") < state + 0.5)

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag | Play]:
        """Whether it sticks or slips, and where the bristle is rooted: that moves as the bodies come to rest, before they stick
        [friction-3]."""
        c, u = self.relative()
        state, anchor = self.own("state"), self.own("anchor")
        rest = self.deflection * (AT_REST if self.stribeck is not None else min(AT_REST, self.coefficient / self.at_rest))
        stays = where(state > 0.5, where(u < 0, c - rest, anchor), anchor)
        rooted = where(state > 2.5, c, where(state > 1.5, where(u > 0, c + rest, anchor), stays))
        yield Latch("anchor", UNITS[self.along][0], rooted.node)
        z, most = c - anchor, self.deflection
        sticking = where(z > most, FORWARD, where(z < -most, BACKWARD, STICKS))
        forward, backward = where(u < 0, STICKS, FORWARD), where(u > 0, STICKS, BACKWARD)
        first = where(u > 0, FORWARD, where(u < 0, BACKWARD, STICKS))
        value = where(state > 2.5, first, where(state > 1.5, backward, where(state > 0.5, forward, sticking)))
        yield Latch("state", "", value.node, BEGINS, tells=TELLS)

    def computed(self) -> Iterable[Output]:
        """What it exerts, slipping [friction-1] and sticking [friction-2], with the damping of the bristle [friction-4]."""
        c, u = self.relative()
        _, effort, speed, _ = UNITS[self.along]
        given = self.load()
        if isinstance(given, Formula):  # never negative
            yield Output("load", effort, given.node)
        elif isinstance(given, (int, float)):
            yield Output("load", effort, Number(float(given)))
        else:
            yield Output("load_given", effort, given)
            yield Output("load", effort, function("max", self.own("load_given"), 0.0).node)
        N, state = self.own("load"), self.own("state")
        yield Output("slip_rate", speed, where(state < 0.5, 0.0, u).node)
        coefficient: Any = self.coefficient
        if self.stribeck is not None:
            coefficient = self.coefficient + (self.at_rest - self.coefficient) * function("exp", -(u / self.stribeck) ** 2)
        bristle = self.at_rest / self.deflection
        stick = N * bristle * (c - self.own("anchor"))
        if self.damping and self._inertia:
            stick = stick + 2 * self.damping * (self._inertia * bristle) ** 0.5 * (N**2 + TINY) ** 0.25 * u
        slip = where(state < 1.5, N * coefficient, where(state < 2.5, -N * coefficient, 0.0))
        yield Output("effort", effort, (-where(state < 0.5, stick, slip) - self.viscous * u).node)
        yield Output("power", "W", (self.own("effort") * u).node)

    def energies(self) -> Energies:
        """All its work is lost, also the little that the bristle gives back; as a load on joints it counts as work there."""
        lost = -self.own("power")
        return Energies(None, lost.node, lost.node)

    def reversed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        return fields


class JointFriction(Friction):
    """Dry friction in a joint. Slipping it is ``coefficient`` times a load; up to ``static`` times the load it holds, by a bristle that
    bends by ``presliding`` [1e-6 rad or m], without creep. ``stribeck`` [rad/s or m/s]: friction falls from static to coefficient with
    exp(-(u/stribeck)^2); ``viscous`` [N m s/rad or N s/m]; ``damping`` of the bristle: a ratio.

    The load is what the joint itself bears, and ``preload``. In a bearing of ``radius`` [m] it is the force across the axis times that,
    the force along the axis times ``axial_radius`` [m], and the moment times 2 radius / ``length`` [m]; on a guideway (without a radius)
    the force across the axis, and the moment times 2 / length. What is not given does not count. Or it is given in place of that:
    ``torque`` [N m] about the axis or ``force`` [N] along it, a number or a function of t and channels."""
    kind: ClassVar[str] = "joint_friction"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "coefficient")
    joint: JointName
    coordinate: Literal["angle", "displacement"] | None = None
    radius: Radius | None = None
    axial_radius: Radius | None = None
    length: Radius | None = None
    preload: NotNegative | None = None
    torque: TimeFunction | None = None
    force: TimeFunction | None = None

    @model_validator(mode="after")
    def _one_load(self) -> JointFriction:
        given = [field for field in ("torque", "force") if getattr(self, field) is not None]
        if len(given) > 1:
            raise FieldError("torque", "force is given as well; leave one of them out")
        for field in given:
            if isinstance(load := getattr(self, field), (int, float)) and not load > 0:
                raise FieldError(field, f"{load:g} must be greater than zero")
            if extra := [f for f in ("radius", "axial_radius", "length", "preload") if getattr(self, f) is not None]:
                raise FieldError(extra[0], f"belongs to a load by what the joint bears, but {field} is given; leave one of them out")
            own = "angle" if field == "torque" else "displacement"
            if self.coordinate not in (None, own):
                raise FieldError(field, f"acts on an {own}" if own == "angle" else f"acts on a {own}")
        if not given and self.radius is None:
            if self.coordinate == "angle":
                raise FieldError("radius", MISSING_RADIUS)
            if self.axial_radius is not None:
                raise FieldError("axial_radius", "is of a bearing; give its radius as well")
        if self.radius is not None and self.coordinate == "displacement":
            raise FieldError("radius", "is of a bearing; friction of a displacement needs none")
        return self

    @classmethod
    def _along(cls, given: Mapping[str, Any]) -> str:
        if given.get("force") is not None or given.get("coordinate") == "displacement":
            return "displacement"
        turns = any(given.get(field) is not None for field in ("torque", "radius", "axial_radius")) or given.get("coordinate") == "angle"
        return "angle" if turns else "displacement"

    @classmethod
    def _units(cls, given: Mapping[str, Any]) -> dict[str, str]:
        return super()._units(given) | {"torque": "N*m", "force": "N", "preload": UNITS[cls._along(given)][1]}

    def relative(self) -> tuple[Formula, Formula]:
        return of(f"{self.joint}.{self.along}"), of(f"{self.joint}.{self.along}_rate")

    @property
    def borne(self) -> bool:
        """Whether the joint's own reaction is its load."""
        return self.torque is None and self.force is None

    def completed(self, layout: ModelCompiler, items: Mapping[str, Item]) -> JointFriction:
        has = getattr(items.get(self.joint), "coordinates", (self.along,))
        if self.borne and self.radius is None and self.coordinate is None and self.along not in has and "angle" in has:
            raise ModelError(f"joint_friction {self.name!r}: joint {self.joint!r} turns, and {MISSING_RADIUS}", (self.name,))
        found = super().completed(layout, items)
        assert isinstance(found, JointFriction)
        return found

    def gauges(self, layout: ModelCompiler) -> Iterable[Bearing]:
        if self.borne:
            radius = 1.0 if self.radius is None else self.radius
            levers = radius, self.axial_radius or 0.0, 0.0 if self.length is None else 2 * radius / self.length
            yield Bearing(self.name, "borne", self.joint, levers, self.preload or 0.0)

    def load(self) -> Any:
        return self.own("borne") if self.borne else self.torque if self.force is None else self.force

    def uses(self) -> Iterable[CoordinateUse]:
        return (CoordinateUse(self.joint, self.along),)

    def build(self, layout: ModelCompiler) -> None:
        item = f"{self.kind} {self.name!r}"
        add_joint_load(layout, item, self.name, layout.coordinate(self.joint, self.along, item), self.own("effort").node, "effort")

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Cylindrical
        return [Cylindrical("J", a, b, axis=(0.3, -0.5, 0.8)),
                cls("F", "J", 0.3, static=0.4, stribeck=0.1, force="5 + J.displacement^2", viscous=0.5)]


class Pressed(Friction):
    """Faces that are pressed together: by ``force`` [N], or by a ``pressure`` [Pa] on an ``area`` [m^2]."""
    force: TimeFunction | None = None
    pressure: TimeFunction | None = None
    area: Area | None = None
    radius: Radius
    faces: Count = 1

    @model_validator(mode="after")
    def _one_load(self) -> Pressed:
        if (self.force is None) == (self.pressure is None):
            raise FieldError("force", f"give either force or pressure, {'none is' if self.force is None else 'both are'} given")
        if (self.pressure is None) != (self.area is None):
            raise FieldError("area", "is what the pressure acts on; give both or none of them")
        for field in ("force", "pressure"):
            if isinstance(load := getattr(self, field), (int, float)) and not load > 0:
                raise FieldError(field, f"{load:g} must be greater than zero")
        return self

    @classmethod
    def _units(cls, given: Mapping[str, Any]) -> dict[str, str]:
        return super()._units(given) | {"force": "N", "pressure": "Pa"}

    def load(self) -> Any:
        factor = self.radius * self.faces * (1.0 if self.area is None else self.area)
        pressed = self.force if self.pressure is None else self.pressure
        return factor * pressed if isinstance(pressed, (int, float)) else (factor * self.own("pressed")).node

    def computed(self) -> Iterable[Output]:
        pressed, unit = (self.force, "N") if self.pressure is None else (self.pressure, "Pa")
        if pressed is not None and not isinstance(pressed, (int, float)):
            yield Output("pressed", unit, pressed)
        yield from super().computed()


class Brake(Pressed):
    """Friction about the axis of a ``joint``: ``coefficient`` times the force between the faces, at the mean ``radius`` [m], on so many
    ``faces``. ``force`` [N] or ``pressure`` [Pa], with its ``area`` [m^2], are functions of t and channels; negative ones count as none.
    ``static``, ``stribeck``, ``viscous``, ``presliding``, ``damping``: as of `JointFriction`."""
    kind: ClassVar[str] = "brake"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "coefficient")
    joint: JointName

    def relative(self) -> tuple[Formula, Formula]:
        return of(f"{self.joint}.angle"), of(f"{self.joint}.angle_rate")

    def uses(self) -> Iterable[CoordinateUse]:
        return (CoordinateUse(self.joint, "angle"),)

    def build(self, layout: ModelCompiler) -> None:
        item = f"{self.kind} {self.name!r}"
        add_joint_load(layout, item, self.name, layout.coordinate(self.joint, "angle", item), self.own("effort").node, "effort")

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Cylindrical
        return [Cylindrical("J", a, b, axis=(0.3, -0.5, 0.8)), cls("F", "J", 0.4, pressure="1e4*(1 + sin(t))", area=1e-3, radius=0.1)]


class Clutch(Pressed, Between):
    """Friction between the angles of two joints, shafts in the same housing: it turns b as a turns, by ``coefficient`` times the force
    between the faces at the mean ``radius`` [m], on so many ``faces``. Everything else as of `Brake`; ``effort`` is what it exerts on
    b, and its opposite acts on a."""
    kind: ClassVar[str] = "clutch"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "coefficient")
    ends: ClassVar[str] = "two joints"
    a: JointName
    b: JointName

    @model_validator(mode="after")
    def _two(self) -> Clutch:
        if self.a == self.b:
            raise FieldError("between", f"both joints are {self.a!r}; a clutch connects two shafts")
        return self

    def relative(self) -> tuple[Formula, Formula]:
        return of(f"{self.b}.angle") - of(f"{self.a}.angle"), of(f"{self.b}.angle_rate") - of(f"{self.a}.angle_rate")

    def uses(self) -> Iterable[CoordinateUse]:
        return CoordinateUse(self.a, "angle", ("between", 0)), CoordinateUse(self.b, "angle", ("between", 1))

    def power_on(self, observer: Any, use: CoordinateUse) -> np.ndarray:
        """What it takes from one shaft it supplies to the other, or loses."""
        sign = 1.0 if use.joint == self.b else -1.0
        return np.asarray(sign * observer(f"{self.name}.effort") * observer(f"{use.joint}.angle_rate"))

    def build(self, layout: ModelCompiler) -> None:
        item = f"{self.kind} {self.name!r}"
        for joint, name, effort in ((self.b, self.name, self.own("effort")), (self.a, f"{self.name}.a", -self.own("effort"))):
            add_joint_load(layout, item, name, layout.coordinate(joint, "angle", item), effort.node, "effort")

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Cylindrical, Revolute
        joints = [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), Cylindrical("K", "ground", b, axis="x")]
        return [*joints, cls("F", "J", "K", 0.4, force="100*(1 + sin(t))", radius=0.1, faces=2)]
