"""Hydraulics with lumped volumes: ports are nodes with a pressure, what lies between them lets oil flow. Equations: docs/theory/drives.md

A port has the signals PORT.pressure [Pa] and PORT.inflow [m^3/s], the sum of all flows into it; one that nothing is connected to is
closed. Losses of what lies between ports are counted at the ports: each loses what flows out of it, and gets what flows in.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.formula import Formula, clipped, function, of, where
from .base import Item, number
from .blocks import Computes
from .declarations import Collected, Energies, Inflow, Output, State
from .function_fields import TimeFunction
from .names import PortName
from .ports import BAR, Connection, Supply
from .quantities import numbers_with_units

if TYPE_CHECKING:
    Pressure = float
    Air = float
    Exponent = float
    Volume_ = float
    Flow = float
    Conductance = float
    Displacement = float
    Time = float
    Frequency = float
    Share = float
    Cracking = float
else:
    Pressure, Air, Exponent = number("Pa", positive=True), number("", least=0.0), number("", least=1.0)
    Volume_, Flow, Conductance = number("m^3", positive=True), number("m^3/s", positive=True), number("m^3/s/Pa", least=0.0)
    Displacement, Time, Frequency = number("m^3/rad", positive=True), number("s", positive=True), number("Hz", positive=True)
    Share, Cracking = number("", least=0.0), number("Pa", least=0.0)

MAKE_UP = 0.1        # s: in which a volume is filled that has no pressure left
SMOOTH = 2 * BAR     # below this difference of pressures the flow through an orifice is a cubic of it


def root(dp: Formula, least: float = SMOOTH) -> Formula:
    """sign(dp) sqrt(|dp|); below ``least`` the cubic sqrt(least) (5/4 r - 1/4 r^3), r = dp / least, with the same slope there. [oil-3]"""
    r = clipped(dp / least, -1.0, 1.0)
    outside = function("sqrt", function("max", dp, least)) - function("sqrt", function("max", -dp, least))
    return outside + np.sqrt(least) * (1.25 * r - 0.25 * r**3)


def pressure(port: str) -> Formula:
    return of(f"{port}.pressure")


class Oil(Computes):
    """What is filled with oil: ``bulk_modulus`` [Pa]; ``air``: its volume per volume of oil at ``ambient`` pressure [Pa], which is
    compressed with the exponent ``polytropic``. Below the pressure ``floor`` [Pa] oil cavitates: more of it comes in, ``make_up``."""
    section: ClassVar[str] = "blocks"
    bulk_modulus: Pressure = 1.5e9
    air: Air = 0.0
    ambient: Pressure = 101325.0
    polytropic: Exponent = 1.4
    floor: Pressure = 0.1 * BAR

    def _volume(self, p: Formula) -> tuple[Formula, Formula, Formula]:
        """Of oil with air, per volume of oil at ambient pressure: w(p), -w'(p), and the work that compressed it there."""
        p0, n, B = self.ambient, self.polytropic, self.bulk_modulus
        p = function("max", p, self.floor / 2)
        bubbles = self.air * (p0 / p) ** (1 / n)
        work = p0 * function("log", p / p0) if n == 1 else p0 ** (1 / n) / (n - 1) * (p ** (1 - 1 / n) - p0 ** (1 - 1 / n))
        return 1 - (p - p0) / B + bubbles, 1 / B + bubbles / (n * p), (p**2 - p0**2) / (2 * B) + self.air * work

    def modulus(self, p: Formula) -> Formula | float:
        """B = -V / V'(p); without air the number                                                     [oil-2]"""
        if self.air == 0:
            return self.bulk_modulus
        volume, softness, _ = self._volume(p)
        return volume / softness

    def stored(self, p: Formula) -> Formula:
        """Energy per volume phi(p), with phi' = (phi + p) / B                                         [oil-4]"""
        if self.air == 0:
            return self.bulk_modulus * (function("exp", p / self.bulk_modulus) - 1) - p
        volume, _, work = self._volume(p)
        return work / volume

    def head(self, p: Formula) -> Formula:
        """Energy that a unit of volume brings along as it flows in: p + phi(p)"""
        return p + self.stored(p)

    def make_up(self, p: Formula, volume: Formula | float) -> Formula:
        """Flow into a volume below the floor of pressure."""
        return volume / MAKE_UP * function("max", 1 - p / self.floor, 0.0)


class HydraulicVolume(Oil):
    """A port: oil in a ``volume`` [m^3] with a pressure, ``pressure`` [Pa] at the start."""
    kind: ClassVar[str] = "hydraulic_volume"
    positional: ClassVar[tuple[str, ...]] = ("name", "volume", "pressure")
    volume: Volume_
    pressure: Pressure = 101325.0

    def states(self) -> Iterable[State]:
        rate = self.modulus(self.own("pressure")) / self.volume * (self.own("inflow") + self.own("make_up"))
        return (State("pressure", "Pa", rate.node, self.pressure, BAR),)

    def computed(self) -> Iterable[Output]:
        return (Output("inflow", "m^3/s", Collected()),
                Output("make_up", "m^3/s", self.make_up(self.own("pressure"), self.volume).node))

    def energies(self) -> Energies:
        p = self.own("pressure")
        return Energies((self.volume * self.stored(p)).node, (-self.head(p) * (self.own("inflow") + self.own("make_up"))).node)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [HydraulicSupply("S", "2e6 + 1e5*t"), HydraulicOrifice("O", "S", "F", 1e-3, 1e6), cls("F", 1e-3, 1e6, air=0.01)]


class HydraulicSupply(Supply, Oil):
    """A port whose ``pressure`` [Pa] is given: a number, an expression of t and channels, a Table of t, or f(t). A pump with a pressure
    regulator; with the pressure of the surroundings a tank."""
    kind: ClassVar[str] = "hydraulic_supply"

    def computed(self) -> Iterable[Output]:
        return Output("pressure", "Pa", self.pressure), Output("inflow", "m^3/s", Collected())

    def energies(self) -> Energies:
        power = (-self.head(self.own("pressure")) * self.own("inflow")).node
        return Energies(None, power, power)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [HydraulicVolume("V", 1e-3, 1e6), HydraulicOrifice("O", "V", "F", 1e-3, 1e6), cls("F", "2e6 + 1e5*t")]


class Accumulator(Oil):
    """A port: oil and gas in one bottle of ``volume`` [m^3], gas of ``precharge`` [Pa] behind a bladder, p V^n constant with n
    ``exponent``; below the precharge only the oil in its neck, ``neck`` [m^3], is left. ``pressure`` [Pa] at the start."""
    kind: ClassVar[str] = "accumulator"
    positional: ClassVar[tuple[str, ...]] = ("name", "volume", "precharge", "pressure")
    volume: Volume_
    precharge: Pressure
    pressure: Pressure
    exponent: Exponent = 1.4
    neck: Volume_ = 1e-5

    def gas(self) -> Formula:
        """Its volume; below the precharge it fills the bottle."""
        return self.volume * (self.precharge / function("max", self.own("pressure"), self.precharge)) ** (1 / self.exponent)

    def softness(self) -> tuple[Formula | float, Formula]:
        """dV/dp of the oil in the neck and of the gas."""
        p = self.own("pressure")
        return self.neck / self.modulus(p), where(p > self.precharge, self.gas() / (self.exponent * p), 0.0)

    def states(self) -> Iterable[State]:
        neck, gas = self.softness()
        return (State("pressure", "Pa", (self.own("inflow") / (neck + gas)).node, self.pressure, BAR),)

    def computed(self) -> Iterable[Output]:
        return Output("inflow", "m^3/s", Collected()), Output("oil", "m^3", (self.volume - self.gas()).node)

    def energies(self) -> Energies:
        p, n, (neck, gas) = self.own("pressure"), self.exponent, self.softness()
        loaded, empty = function("max", p, self.precharge), self.precharge * self.volume
        work = empty * function("log", loaded / self.precharge) if n == 1 else (loaded * self.gas() - empty) / (n - 1)
        brought = (self.head(p) * neck + p * gas) / (neck + gas)
        return Energies((work + self.neck * self.stored(p)).node, (-brought * self.own("inflow")).node)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [HydraulicSupply("S", "3e6 + 1e5*t"), HydraulicOrifice("O", "S", "F", 1e-3, 1e6), cls("F", 1e-3, 1e6, 2e6)]


class Passage(Connection):
    """With a ``flow`` of oil from a to b."""

    def drop(self) -> Formula:
        return pressure(self.a) - pressure(self.b)

    def law(self) -> Formula:
        """Its flow."""
        raise NotImplementedError

    def computed(self) -> Iterable[Output]:
        return (Output("flow", "m^3/s", self.law().node),)

    def inflows(self) -> Iterable[Inflow]:
        return Inflow(self.a, "inflow", (-self.own("flow")).node, "a"), Inflow(self.b, "inflow", self.own("flow").node, "b")

    @classmethod
    def _among(cls, *own: Any, **more: Any) -> list[Item]:
        return [HydraulicSupply("S", "3e6 + 1e5*t"), HydraulicVolume("V", 1e-3, 1e6), cls("F", "S", "V", *own, **more)]


class HydraulicOrifice(Passage):
    """An orifice: ``rated_flow`` [m^3/s] at ``rated_drop`` [Pa], with the root of the difference of pressures. ``opening``: a factor,
    which may be an expression of t and channels."""
    kind: ClassVar[str] = "hydraulic_orifice"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "rated_flow", "rated_drop", "opening")
    rated_flow: Flow
    rated_drop: Pressure
    opening: TimeFunction = 1.0

    def law(self) -> Formula:
        return self.rated_flow / np.sqrt(self.rated_drop) * self.own("opening") * root(self.drop())

    def computed(self) -> Iterable[Output]:
        yield Output("opening", "", self.opening)
        yield from super().computed()

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return cls._among(1e-3, 1e6, "0.5 + 0.1*sin(t)")


class CheckValve(Passage):
    """Flow from a to b alone, from the ``cracking`` pressure [Pa] on: ``rated_flow`` [m^3/s] at ``rated_drop`` [Pa] beyond it."""
    kind: ClassVar[str] = "check_valve"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "rated_flow", "rated_drop", "cracking")
    rated_flow: Flow
    rated_drop: Pressure
    cracking: Cracking = 0.0

    def law(self) -> Formula:
        return self.rated_flow / np.sqrt(self.rated_drop) * root(function("max", self.drop() - self.cracking, 0.0))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return cls._among(1e-3, 1e6, 5e4)


class ReliefValve(Passage):
    """Opens from a to b where the difference of pressures is beyond ``setting`` [Pa]: ``conductance`` [m^3/s/Pa] times the rest."""
    kind: ClassVar[str] = "relief_valve"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "setting", "conductance")
    setting: Pressure
    conductance: Conductance

    def law(self) -> Formula:
        return self.conductance * function("max", self.drop() - self.setting, 0.0)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return cls._among(1.5e6, 1e-9)


class HydraulicLeakage(Passage):
    """Laminar flow through a gap: ``conductance`` [m^3/s/Pa] times the difference of pressures."""
    kind: ClassVar[str] = "hydraulic_leakage"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "conductance")
    conductance: Conductance

    def law(self) -> Formula:
        return self.conductance * self.drop()

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return cls._among(1e-10)


class Pump(Passage, Oil):
    """From a to b: ``displacement`` [m^3/rad] times ``speed`` [rad/s] (a number, an expression of t and channels, a Table or f(t)), less
    ``leakage`` [m^3/s/Pa] times the difference of pressures. The torque on its shaft is not modelled."""
    kind: ClassVar[str] = "hydraulic_pump"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "displacement", "speed", "leakage")
    displacement: Displacement
    speed: TimeFunction
    leakage: Conductance = 0.0

    @model_validator(mode="before")
    @classmethod
    def _units(cls, value: Any) -> Any:
        return numbers_with_units(value, {"speed": "rad/s"})

    def law(self) -> Formula:
        return self.displacement * self.own("speed") + self.leakage * self.drop()

    def computed(self) -> Iterable[Output]:
        yield Output("speed", "rad/s", self.speed)
        yield from super().computed()

    def energies(self) -> Energies:
        raised = self.head(pressure(self.b)) - self.head(pressure(self.a))
        power = (raised * self.displacement * self.own("speed")).node
        return Energies(None, power, power)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return cls._among(1e-6, "150 + 10*sin(t)", 1e-11)


class DirectionalValve(Computes):
    """A proportional or servo valve 4/3: ``input`` (from -1 to 1, an expression of t and channels) moves its spool, a positive one connects
    ``supply`` with ``a`` and ``b`` with ``tank``, a negative one the other way round. ``rated_flow`` [m^3/s] at ``rated_drop`` [Pa] per
    edge at full opening. The spool follows with ``time_constant`` [s], or as an oscillator of ``frequency`` [Hz] and ``damping_ratio``.
    ``overlap``: part of its way in which it stays closed."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "directional_valve"
    positional: ClassVar[tuple[str, ...]] = ("name", "input")
    input: TimeFunction
    supply: PortName
    tank: PortName
    a: PortName
    b: PortName
    rated_flow: Flow
    rated_drop: Pressure
    time_constant: Time | None = None
    frequency: Frequency | None = None
    damping_ratio: Share = 0.7
    overlap: Share = 0.0

    @model_validator(mode="after")
    def _check(self) -> DirectionalValve:
        if (self.time_constant is None) == (self.frequency is None):
            raise FieldError("time_constant", "give either time_constant or frequency: the spool is of first or of second order")
        if self.overlap >= 1:
            raise FieldError("overlap", f"{self.overlap:g} must be less than 1")
        return self

    def states(self) -> Iterable[State]:
        behind = clipped(self.own("input"), -1.0, 1.0) - self.own("spool")
        if self.time_constant is not None:
            yield State("spool", "", (behind / self.time_constant).node)
        elif self.frequency is not None:
            w = 2 * np.pi * self.frequency
            yield State("spool", "", self.own("spool_rate").node)
            yield State("spool_rate", "1/s", (w**2 * behind - 2 * self.damping_ratio * w * self.own("spool_rate")).node, 0.0, float(w))

    def computed(self) -> Iterable[Output]:
        K = self.rated_flow / np.sqrt(self.rated_drop) / (1 - self.overlap)
        ways = {"forward": self.own("spool"), "backward": -self.own("spool")}
        edges = {"supply_to_a": ("forward", self.supply, self.a), "b_to_tank": ("forward", self.b, self.tank),
                 "supply_to_b": ("backward", self.supply, self.b), "a_to_tank": ("backward", self.a, self.tank)}
        yield Output("input", "", self.input)
        for edge, (way, start, end) in edges.items():
            opening = function("max", ways[way] - self.overlap, 0.0)
            yield Output(edge, "m^3/s", (K * opening * root(pressure(start) - pressure(end))).node)

    def inflows(self) -> Iterable[Inflow]:
        def flow(edge: str) -> Formula:
            return self.own(edge)
        sums = {"supply": -flow("supply_to_a") - flow("supply_to_b"), "tank": flow("a_to_tank") + flow("b_to_tank"),
                "a": flow("supply_to_a") - flow("a_to_tank"), "b": flow("supply_to_b") - flow("b_to_tank")}
        return [Inflow(getattr(self, field), "inflow", value.node, field) for field, value in sums.items()]

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [HydraulicSupply("S", 1e7), HydraulicSupply("T"), HydraulicVolume("V", 1e-3, 2e6), HydraulicVolume("W", 1e-3, 3e6),
                cls("F", "0.3*sin(t)", supply="S", tank="T", a="V", b="W", rated_flow=1e-3, rated_drop=1e6, frequency=40.0)]
