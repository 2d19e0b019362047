"""Mass that leaves or enters a rigid body: rockets, tanks, carts of sand. docs/theory/mass_flow.md"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..functions.derivative import derivative
from ..functions.evaluation import values
from ..functions.expression import External, Lookup, Node, Number, Signal, Variable, binary, bottom_up
from ..functions.field_error import FieldError
from ..functions.parser import NO_NAMES, Names, parse
from ..functions.table import Table
from ..functions.units import must
from .base import Frame, Item, Point, quaternion_of
from .blocks import Computes
from .declarations import Output
from .function_fields import TimeFunction
from .quantities import BODY, Axes, with_unit

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler

SAME = 1e-9      # relative: the mass at the start is that of the body
SPANS = (1.0, 10.0, 100.0, 1000.0)  # s: in which jumps of the mass are looked for
OWN = {"mass": "kg", "com": "m", "inertia": "kg*m^2", "velocity": "m/s"}
SIXFOLD = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # in the order that moments and products are given in
T = Variable("t")


class MassFlow(Computes):
    """Mass of a rigid ``body`` that leaves it, or enters: ``mass`` [kg] as a function of t, that of the body at t = 0. ``at``: points in
    body axes [m] through which it goes, all alike; the centre of mass if left out. ``velocity`` [m/s]: three functions of t, with which it
    leaves, or comes, relative to the body at these points, body axes; zero: what drops off keeps the velocity that it has there.

    ``com`` [m]: three functions of t, centre of mass in body axes, that of the body if left out. ``inertia`` [kg m^2]: three functions of
    t, or six (xx, yy, zz, xy, xz, yz), about the centre of mass in body axes; in proportion to the mass if left out."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "mass_flow"
    listed: ClassVar[int] = 4
    mirrors: ClassVar[bool] = False
    positional: ClassVar[tuple[str, ...]] = ("name", "body", "mass")
    body: Frame
    mass: TimeFunction
    at: Annotated[tuple[Point, ...], BODY] = ()
    velocity: Annotated[tuple[TimeFunction, TimeFunction, TimeFunction], Axes("body axes")] = (0.0, 0.0, 0.0)
    com: Annotated[tuple[TimeFunction, TimeFunction, TimeFunction] | None, Axes("body axes")] = None
    inertia: Annotated[tuple[TimeFunction, ...] | None, Axes("body axes, about the centre of mass")] = None

    @model_validator(mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        out = dict(value)
        for field, counts in (("velocity", (3,)), ("com", (3,)), ("inertia", (3, 6))):
            given = value.get(field)
            if given is None:
                continue
            if not isinstance(given, (list, tuple, np.ndarray)) or len(given) not in counts:
                raise FieldError(field, must(given, f"must be {' or '.join(map(str, counts))} functions of t [{OWN[field]}]"))
            out[field] = tuple(with_unit(x, OWN[field], field, k) for k, x in enumerate(given))
        if "mass" in value:
            out["mass"] = with_unit(value["mass"], "kg", "mass")
        points = value.get("at")
        if isinstance(points, (list, tuple, np.ndarray)) and len(points) == 3 and not any(np.ndim(x) for x in points):
            out["at"] = (tuple(points),)
        return out

    @model_validator(mode="after")
    def _whole_body(self) -> MassFlow:
        if self.body.frame is not None or self.body.point is not None or self.body.at is not None:
            raise FieldError("body", f"is a frame of {self.body.body!r}; name the body itself, and give places in its axes by at")
        return self

    def tree(self, function: Any, field: str, names: Names = NO_NAMES) -> Node:
        """A function of t alone, as a tree."""
        if isinstance(function, Table):
            return Lookup(function, T)
        if callable(function):
            raise FieldError(field, "is a Python function, whose second derivative is not exact; give an expression or a Table")
        tree = Number(float(function)) if isinstance(function, (int, float)) else parse(function, ("t",), names)
        for node in bottom_up(tree):
            if isinstance(node, (Signal, External)):
                what = node.reference if isinstance(node, Signal) else "a Python function"
                raise FieldError(field, f"depends on {what}; it must be a function of t alone")
        return tree

    def computed(self) -> Iterable[Output]:
        """The mass, what enters per second, and the force of the relative velocity on the body, m' u, in its axes."""
        mass = self.tree(self.mass, "mass")
        flow = derivative(mass, T)
        yield Output("mass", "kg", mass)
        yield Output("flow", "kg/s", flow)
        for axis, u in zip("xyz", self.velocity, strict=True):
            yield Output(f"thrust_{axis}", "N", binary("*", flow, self.tree(u, "velocity")))

    def build(self, layout: ModelCompiler) -> None:
        from ..families.mass_flow import FLOW
        from .bodies import RigidBody
        b, item = layout.builder, f"{self.kind} {self.name!r}"
        body = layout.owner(self.body, item)
        if not isinstance(body, RigidBody):
            what = "does not move" if body.name == "ground" else "is flexible"
            raise ValueError(f"{item}: body: {body.name!r} {what}; mass flows from and to rigid bodies")
        if any(other.body == self.body for other in layout.items if isinstance(other, MassFlow)):
            raise ValueError(f"{item}: body: there is a mass_flow of {body.name!r} already; give the sum of both")
        try:
            codes, place = self._codes(layout, body, item), layout.places[body.name]
        except FieldError as error:
            raise ValueError(f"{item}: {error}") from None
        com = np.array(body.com, float)
        exits = np.array(self.at or (body.com,), float) - com
        spread = np.mean([x @ x * np.eye(3) - np.outer(x, x) for x in exits], axis=0)
        pool = b.pool([body.mass], body.inertia_matrix, spread, exits.mean(axis=0))
        start = len(b.tab)
        b.tab += codes
        b.element(FLOW, self.name, (place.iq, place.iv, start, pool), tiles=place.tiles)

    def _codes(self, layout: ModelCompiler, body: Any, item: str) -> list[int]:
        """Where the programs of its functions and their derivatives start, as the kernels have them."""
        names, out = layout.builder.known, list[int]()
        mass = self.tree(self.mass, "mass", names)
        self._check_start(mass, float(body.mass))
        com = [self.tree(x, "com", names) for x in self.com or body.com]
        if self.inertia is None:
            part = binary("/", mass, Number(float(body.mass)))
            own = body.inertia_matrix
            inertia = [binary("*", part, Number(float(own[i, j]))) for i, j in SIXFOLD]
        else:
            inertia = [self.tree(x, "inertia", names) for x in self.inertia]
            inertia += [Number(0.0)] * (6 - len(inertia))

        def add(tree: Node, field: str, derivatives: int) -> None:
            code = layout.builder.function(tree, ("t",), f"{item}: {field}")
            out.extend((code.value, code.by_t, code.by_tt)[:1 + derivatives])
        add(mass, "mass", 2)
        for x, x0 in zip(com, body.com, strict=True):
            add(binary("-", x, Number(float(x0))), "com", 2)
        for moment in inertia:
            add(moment, "inertia", 1)
        for u in self.velocity:
            add(self.tree(u, "velocity", names), "velocity", 0)
        return out

    def _check_start(self, mass: Node, own: float) -> None:
        def at(t: np.ndarray) -> np.ndarray:
            return np.asarray(values(mass, t, lambda reference: np.zeros(1)))
        first = float(at(np.zeros(1))[0])
        if not first > 0:
            raise FieldError("mass", f"is {first:g} kg at t = 0, must be greater than zero")
        if abs(first - own) > SAME * own:
            raise FieldError("mass", f"is {first:g} kg at t = 0, where the body has {own:g} kg; let them agree")
        if all(u == 0 for u in self.velocity):
            return  # what drops off at once takes its own velocity along
        if (t := jump_of(at)) is not None:
            raise FieldError("mass", f"jumps at t = {t:.6g} s while mass leaves with a velocity, which would be a blow; let it change "
                             "within a short time, with step(t, …) or a Table")

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .bodies import RigidBody
        inertia = (3.0, 0.1, 0.2), (0.1, 4.0, 0.3), (0.2, 0.3, 5.0)
        tank = RigidBody("tank", 2.0, inertia, (0.1, -0.2, 0.3), rotation=quaternion_of(np.eye(3)), angular_velocity=(1.0, 2.0, 3.0),
                         velocity=(0.3, -0.2, 0.5))
        return [tank, cls("F", tank, "2 - 0.4*t - 0.1*t^2", at=[(0.5, 0.2, -1.0), (-0.3, 0.1, -0.8)], velocity=("30*t", -20.0, "-50 + t^2"),
                          com=("0.1 + 0.2*t", "-0.2 + 0.1*t^2", "0.3 - 0.3*sin(t)"),
                          inertia=("3 - t", "4 - 0.5*t^2", "5 - t", "0.1 + 0.2*t", 0.2, "0.3*cos(t)"))]


def jump_of(f: Any) -> float | None:
    """When a function of t jumps, as far as it can be seen."""
    for span in SPANS:
        t = np.linspace(0.0, span, 2001)
        y = f(t)
        size = float(np.nanmax(abs(y)))
        for k in np.argsort(abs(np.diff(y)))[-3:]:
            low, high = float(t[k]), float(t[k + 1])
            while high - low > 1e-12 * span:
                middle = (low + high) / 2
                ends = f(np.array([low, middle, high]))
                low, high = (low, middle) if abs(ends[1] - ends[0]) > abs(ends[2] - ends[1]) else (middle, high)
            if abs(np.diff(f(np.array([low, high])))[0]) > 1e-6 * size:
                return high
    return None

