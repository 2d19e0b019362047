"""Cylinders: two chambers and a piston between two points or along a joint. Equations: docs/theory/drives.md

Ports are CYLINDER.cap, without the rod, and CYLINDER.rod. A positive force pushes the points apart, or the displacement up.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.formula import Formula, function, of
from .base import Frame, Item, JointName, Length, Pair, number
from .blocks import Computes
from .declarations import Collected, CoordinateUse, Energies, Output, State
from .hydraulics import BAR, Oil
from .joint_loads import add_joint_load
from .pneumatics import Gas

if TYPE_CHECKING:
    from ..compile.model_compiler import Coordinate, ModelCompiler

    Diameter = float
    Rod = float
    Room = float
    Damping = float
    Force = float
    Speed = float
    Stiffness = float
    Pressure = float
    Conductance = float
else:
    Diameter, Rod, Room = number("m", positive=True), number("m", least=0.0), number("m^3", positive=True)
    Damping, Force, Speed = number("N*s/m", least=0.0), number("N", least=0.0), number("m/s", positive=True)
    Stiffness, Pressure, Conductance = number("N/m", least=0.0), number("Pa", positive=True), number("m^3/s/Pa", least=0.0)


class Cylinder(Computes):
    """What all cylinders share. ``bore`` [m] of the piston and ``rod_diameter`` [m] (0: none), ``stroke`` [m]; ``cap_volume`` and
    ``rod_volume`` [m^3]: what is left in the chambers at the ends of the stroke, with hoses; ``cap_pressure``, ``rod_pressure`` [Pa] at
    the start. Seals: ``viscous_friction`` [N s/m], and ``friction`` [N], which changes its sign within ``creep`` [m/s] of rest. Beyond
    the stroke an end stop pushes back with ``stop_stiffness`` [N/m]."""
    section: ClassVar[str] = "forces"
    listed: ClassVar[int] = 4
    surroundings: ClassVar[float] = 0.0  # Pa, on the area of the rod
    bore: Diameter
    rod_diameter: Rod = 0.0
    stroke: Diameter
    cap_volume: Room
    rod_volume: Room
    cap_pressure: Pressure = 101325.0
    rod_pressure: Pressure = 101325.0
    viscous_friction: Damping = 0.0
    friction: Force = 0.0
    creep: Speed = 1e-3
    stop_stiffness: Stiffness = 1e8

    @model_validator(mode="after")
    def _check(self) -> Cylinder:
        if self.rod_diameter >= self.bore:
            raise FieldError("rod_diameter", f"{self.rod_diameter:g} m must be less than the bore, {self.bore:g} m")
        return self

    def areas(self) -> tuple[float, float]:
        """Of the piston on the two sides."""
        return np.pi / 4 * self.bore**2, np.pi / 4 * (self.bore**2 - self.rod_diameter**2)

    def coordinate(self, layout: ModelCompiler, item: str) -> Coordinate:
        """Along which it pushes."""
        raise NotImplementedError

    def motion(self) -> tuple[Formula, Formula]:
        """How far it is out, and its rate."""
        raise NotImplementedError

    def volumes(self) -> tuple[Formula, Formula]:
        """V_1 = V_01 + A_1 s, V_2 = V_02 + A_2 (l - s)                                                 [cylinder-1]"""
        A1, A2 = self.areas()
        return self.cap_volume + A1 * self.own("position"), self.rod_volume + A2 * (self.stroke - self.own("position"))

    def build(self, layout: ModelCompiler) -> None:
        item = f"{self.kind} {self.name!r}"
        add_joint_load(layout, item, self.name, self.coordinate(layout, item), self.own("force").node, "force")

    def resistance(self) -> Formula:
        """Of its seals."""
        v = self.own("speed")
        return self.viscous_friction * v + (self.friction * function("tanh", v / self.creep) if self.friction > 0 else 0.0)

    def stops(self) -> tuple[Formula, Formula]:
        """How far it is beyond its ends: out, in."""
        s = self.own("position")
        return function("max", s - self.stroke, 0.0), function("max", -s, 0.0)

    def computed(self) -> Iterable[Output]:
        (A1, A2), (s, v), (out, inside) = self.areas(), self.motion(), self.stops()
        push = self.own("cap.pressure") * A1 - self.own("rod.pressure") * A2 - self.surroundings * (A1 - A2)
        yield Output("position", "m", s.node)
        yield Output("speed", "m/s", v.node)
        yield Output("force", "N", (push - self.resistance() - self.stop_stiffness * (out - inside)).node)
        yield Output("power", "W", (self.own("force") * self.own("speed")).node)

    def balance(self, stored: Formula, brought: Formula) -> Energies:
        """With what the flows bring. Its force is a load and counts as work there, so that it is taken off here; and the surroundings take
        what the rod displaces."""
        (A1, A2), (out, inside), v = self.areas(), self.stops(), self.own("speed")
        lost = self.resistance() * v - brought + self.surroundings * (A1 - A2) * v
        return Energies((stored + self.stop_stiffness / 2 * (out**2 + inside**2)).node, lost.node, (-self.own("power")).node)


class Spanning(Cylinder, Pair):
    """Between two points, along their line. ``closed`` [m]: their distance where it is all in."""
    symbol: ClassVar[str] = "rod"
    apart: ClassVar[bool] = True
    closed: Length

    def spans(self) -> tuple[Frame, Frame]:
        return self.a, self.b

    def coordinate(self, layout: ModelCompiler, item: str) -> Coordinate:
        return layout.distance_of(self.a, self.b, item)

    def build(self, layout: ModelCompiler) -> None:
        super().build(layout)
        layout.directory.forces[self.name].spans = True

    def motion(self) -> tuple[Formula, Formula]:
        return self.own("distance") - self.closed, self.own("rate")

    @classmethod
    def _between(cls, a: Any, b: Any, **more: Any) -> list[Item]:
        return [cls("F", a, b, bore=0.05, rod_diameter=0.03, stroke=0.4, closed=0.2, cap_volume=1e-4, rod_volume=2e-4,
                    viscous_friction=50.0, friction=20.0, creep=0.1, **more)]


class Sliding(Cylinder):
    """Along the displacement of a joint; ``closed`` [m]: the displacement where it is all in."""
    positional: ClassVar[tuple[str, ...]] = ("name", "joint")
    joint: JointName
    closed: Length = 0.0

    def uses(self) -> Iterable[CoordinateUse]:
        return (CoordinateUse(self.joint, "displacement"),)

    def coordinate(self, layout: ModelCompiler, item: str) -> Coordinate:
        return layout.coordinate(self.joint, "displacement", item)

    def motion(self) -> tuple[Formula, Formula]:
        return of(f"{self.joint}.displacement") - self.closed, of(f"{self.joint}.displacement_rate")

    @classmethod
    def _along(cls, a: Any, b: Any, **more: Any) -> list[Item]:
        from .joints import Cylindrical
        return [Cylindrical("J", a, b, axis=(0.3, -0.5, 0.8)),
                cls("F", "J", bore=0.05, rod_diameter=0.03, stroke=0.4, closed=-0.2, cap_volume=1e-4, rod_volume=2e-4, **more)]


class OilChambers(Cylinder, Oil):
    """Of a hydraulic cylinder. ``leakage`` [m^3/s/Pa] past the piston."""
    section: ClassVar[str] = "forces"
    leakage: Conductance = 0.0

    def flows(self) -> tuple[Formula, Formula]:
        """Into the chambers."""
        past = self.leakage * (self.own("cap.pressure") - self.own("rod.pressure"))
        return (self.own("cap.inflow") + self.own("cap.make_up") - past, self.own("rod.inflow") + self.own("rod.make_up") + past)

    def states(self) -> Iterable[State]:
        """p' = B / V (Q - V')                                                                        [oil-1]"""
        (A1, A2), (V1, V2), (Q1, Q2), v = self.areas(), self.volumes(), self.flows(), self.own("speed")
        for side, start, V, flow in (("cap", self.cap_pressure, V1, Q1 - A1 * v), ("rod", self.rod_pressure, V2, Q2 + A2 * v)):
            yield State(f"{side}.pressure", "Pa", (self.modulus(self.own(f"{side}.pressure")) / V * flow).node, start, BAR)

    def computed(self) -> Iterable[Output]:
        yield from super().computed()
        for side, V in zip(("cap", "rod"), self.volumes(), strict=True):
            yield Output(f"{side}.inflow", "m^3/s", Collected())
            yield Output(f"{side}.make_up", "m^3/s", self.make_up(self.own(f"{side}.pressure"), V).node)

    def energies(self) -> Energies:
        (V1, V2), (Q1, Q2), p1, p2 = self.volumes(), self.flows(), self.own("cap.pressure"), self.own("rod.pressure")
        return self.balance(V1 * self.stored(p1) + V2 * self.stored(p2), self.head(p1) * Q1 + self.head(p2) * Q2)


class HydraulicCylinder(OilChambers, Spanning):
    """A hydraulic cylinder between two points, along their line."""
    kind: ClassVar[str] = "hydraulic_cylinder"

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return cls._between(a, b, air=0.01, leakage=1e-12, cap_pressure=2e6, rod_pressure=1e6)


class HydraulicJointCylinder(OilChambers, Sliding):
    """A hydraulic cylinder along the displacement of a joint."""
    kind: ClassVar[str] = "hydraulic_joint_cylinder"

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return cls._along(a, b, leakage=1e-12, cap_pressure=2e6, rod_pressure=1e6)


class GasChambers(Cylinder, Gas):
    """Of a pneumatic cylinder; the surroundings push on the rod."""
    section: ClassVar[str] = "forces"
    surroundings: ClassVar[float] = 101325.0

    def sides(self) -> list[tuple[str, float, Formula, Formula]]:
        """Names of the chambers, pressures at the start, volumes and their rates."""
        (A1, A2), (V1, V2), v = self.areas(), self.volumes(), self.own("speed")
        return [("cap.", self.cap_pressure, V1, A1 * v), ("rod.", self.rod_pressure, V2, -A2 * v)]

    def states(self) -> Iterable[State]:
        for side, start, V, rate in self.sides():
            yield from self.chamber(side, start, V, rate)

    def computed(self) -> Iterable[Output]:
        yield from super().computed()
        for side, *_ in self.sides():
            yield from self.port(side)

    def energies(self) -> Energies:
        (side1, _, V1, _), (side2, _, V2, _) = self.sides()
        return self.balance(self.stored(side1, V1) + self.stored(side2, V2), self.brought(side1) + self.brought(side2))


class PneumaticCylinder(GasChambers, Spanning):
    """A pneumatic cylinder between two points, along their line."""
    kind: ClassVar[str] = "pneumatic_cylinder"

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return cls._between(a, b, exponent=1.2, cap_pressure=4e5, rod_pressure=3e5)


class PneumaticJointCylinder(GasChambers, Sliding):
    """A pneumatic cylinder along the displacement of a joint."""
    kind: ClassVar[str] = "pneumatic_joint_cylinder"

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return cls._along(a, b, exponent=1.4, heat_transfer=2.0, cap_pressure=4e5, rod_pressure=3e5)
