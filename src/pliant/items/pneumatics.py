"""Pneumatics: chambers of gas are ports with a pressure, orifices after ISO 6358 between them. Equations: docs/theory/drives.md

A port has the signals PORT.pressure [Pa], PORT.temperature [K], PORT.mass_flow [kg/s], the sum of all flows into it, and PORT.warmth
[kg K/s], the same times the temperature that they come with. One that nothing is connected to is closed.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..functions.expression import Number
from ..functions.field_error import FieldError
from ..functions.formula import Formula, clipped, function, of
from .base import Item, number
from .blocks import Computes
from .declarations import Collected, Energies, Inflow, Output, State
from .function_fields import TimeFunction
from .ports import BAR, Connection, Supply

if TYPE_CHECKING:
    Pressure = float
    Temperature = float
    Constant = float
    Exponent = float
    Room = float
    Conductance = float
    Ratio = float
    Heat = float
else:
    Pressure, Temperature, Constant = number("Pa", positive=True), number("K", positive=True), number("J/(kg*K)", positive=True)
    Exponent, Room, Conductance = number("", least=1.0), number("m^3", positive=True), number("m^3/s/Pa", positive=True)
    Ratio, Heat = number("", least=0.0), number("W/K", least=0.0)

DENSITY, REFERENCE = 1.185, 293.15   # kg/m^3 and K of the reference atmosphere of ISO 8778, at 1 bar
LINEAR = 0.999                       # ratio of pressures from which on the flow is linear


def flow_function(r: Formula, b: float) -> Formula:
    """psi = 1 for r <= b, else sqrt(1 - ((r - b) / (1 - b))^2), linear from r = 0.999 to zero at 1     [gas-2]"""
    edge = (LINEAR - b) / (1 - b)
    curve = function("sqrt", 1 - clipped((r - b) / (1 - b), 0.0, edge) ** 2)
    return curve - np.sqrt(1 - edge**2) * clipped((r - LINEAR) / (1 - LINEAR), 0.0, 1.0)


class Gas(Computes):
    """What is filled with gas: ``gas_constant`` R [J/(kg K)], ``temperature`` T [K], ``exponent`` n of a change of state with T of all that
    flows (1: isothermal). With ``heat_transfer`` [W/K] to the surroundings of that temperature T is a state, from the balance of energy,
    and n is the ratio of specific heats, which must be above 1."""
    section: ClassVar[str] = "blocks"
    gas_constant: Constant = 287.0
    temperature: Temperature = REFERENCE
    exponent: Exponent = 1.0
    heat_transfer: Heat | None = None

    @model_validator(mode="after")
    def _heated(self) -> Gas:
        if self.heat_transfer is not None and self.exponent <= 1:
            raise FieldError("exponent", f"{self.exponent:g} must be above 1 where the temperature is a state: the ratio of specific "
                             "heats, 1.4 of air")
        return self

    def heat(self, side: str) -> Formula:
        """From the surroundings."""
        return (self.heat_transfer or 0.0) * (self.temperature - self.own(f"{side}temperature"))

    def chamber(self, side: str, start: float, V: Formula | float, growth: Formula | float) -> Iterable[State]:
        """p' V = n (R T m' - p V'), or with the temperature n (R sum(T m') - p V') + (n - 1) Q'        [gas-1]"""
        n, R, p, T, m = self.exponent, self.gas_constant, *(self.own(f"{side}{x}") for x in ("pressure", "temperature", "mass_flow"))
        if self.heat_transfer is None:
            yield State(f"{side}pressure", "Pa", (n * (R * self.temperature * m - p * growth) / V).node, start, BAR)
            return
        rate = (n * (R * self.own(f"{side}warmth") - p * growth) + (n - 1) * self.heat(side)) / V
        yield State(f"{side}pressure", "Pa", rate.node, start, BAR)
        yield State(f"{side}temperature", "K", (T * (rate / p + growth / V) - R * T**2 * m / (p * V)).node, self.temperature, 100.0)

    def port(self, side: str) -> Iterable[Output]:
        yield Output(f"{side}mass_flow", "kg/s", Collected())
        if self.heat_transfer is None:
            yield Output(f"{side}temperature", "K", Number(self.temperature))
        yield Output(f"{side}warmth", "kg*K/s", Collected())

    def stored(self, side: str, V: Formula | float) -> Formula:
        """Energy; of an isothermal gas what it can do against a pressure of 1 bar                      [gas-3]"""
        p, n = self.own(f"{side}pressure"), self.exponent
        return p * V * function("log", p / BAR) if n == 1 else p * V / (n - 1)

    def brought(self, side: str) -> Formula:
        """Energy that flows bring along, and heat."""
        p, n, R = self.own(f"{side}pressure"), self.exponent, self.gas_constant
        if self.heat_transfer is not None:
            return n / (n - 1) * R * self.own(f"{side}warmth") + self.heat(side)
        worth = 1 + function("log", p / BAR) if n == 1 else n / (n - 1)
        return worth * R * self.temperature * self.own(f"{side}mass_flow")


class PneumaticVolume(Gas):
    """A port: gas in a ``volume`` [m^3], with ``pressure`` [Pa] at the start."""
    kind: ClassVar[str] = "pneumatic_volume"
    positional: ClassVar[tuple[str, ...]] = ("name", "volume", "pressure")
    volume: Room
    pressure: Pressure = 101325.0

    def states(self) -> Iterable[State]:
        return self.chamber("", self.pressure, self.volume, 0.0)

    def computed(self) -> Iterable[Output]:
        return self.port("")

    def energies(self) -> Energies:
        return Energies(self.stored("", self.volume).node, (-self.brought("")).node)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [PneumaticSupply("S", "6e5 + 1e4*t"), PneumaticOrifice("O", "S", "F", 1e-8, 0.3),
                cls("F", 1e-2, 3e5, exponent=1.4, heat_transfer=2.0)]


class PneumaticSupply(Supply, Gas):
    """A port whose ``pressure`` [Pa] is given, a number or an expression of t and channels: a network, or the surroundings."""
    kind: ClassVar[str] = "pneumatic_supply"

    @model_validator(mode="after")
    def _given(self) -> PneumaticSupply:
        if self.heat_transfer is not None:
            raise FieldError("heat_transfer", "the temperature of a supply is given; leave it out")
        return self

    def computed(self) -> Iterable[Output]:
        yield Output("pressure", "Pa", self.pressure)
        yield from self.port("")

    def energies(self) -> Energies:
        power = (-self.brought("")).node
        return Energies(None, power, power)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [PneumaticVolume("V", 1e-2, 3e5), PneumaticOrifice("O", "V", "F", 1e-8, 0.3), cls("F", "6e5 + 1e4*t")]


class PneumaticOrifice(Connection):
    """A restriction after ISO 6358 between two ports, ``flow`` from a to b: ``conductance`` C [m^3/s/Pa], ``critical_ratio`` b of pressures
    below which the flow is choked. ``opening``: a factor, which may be an expression of t and channels."""
    kind: ClassVar[str] = "pneumatic_orifice"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "conductance", "critical_ratio", "opening")
    conductance: Conductance
    critical_ratio: Ratio = 0.3
    opening: TimeFunction = 1.0

    @model_validator(mode="after")
    def _check(self) -> PneumaticOrifice:
        if self.critical_ratio >= LINEAR:
            raise FieldError("critical_ratio", f"{self.critical_ratio:g} must be less than {LINEAR}")
        return self

    def computed(self) -> Iterable[Output]:
        """m' = C rho_0 p_u sqrt(T_0 / T_u) psi(p_d / p_u), from the side of the higher pressure"""
        p1, p2 = of(f"{self.a}.pressure"), of(f"{self.b}.pressure")
        warm1, warm2 = (function("sqrt", REFERENCE / of(f"{port}.temperature")) for port in (self.a, self.b))
        there, back = (flow_function(r, self.critical_ratio) for r in (p2 / p1, p1 / p2))
        yield Output("opening", "", self.opening)
        yield Output("flow", "kg/s", (self.conductance * DENSITY * self.own("opening") * (p1 * warm1 * there - p2 * warm2 * back)).node)
        forth, back = function("max", self.own("flow"), 0.0), function("min", self.own("flow"), 0.0)
        yield Output("warmth", "kg*K/s", (forth * of(f"{self.a}.temperature") + back * of(f"{self.b}.temperature")).node)

    def inflows(self) -> Iterable[Inflow]:
        for port, field, sign in ((self.a, "a", -1.0), (self.b, "b", 1.0)):
            yield Inflow(port, "mass_flow", (sign * self.own("flow")).node, field)
            yield Inflow(port, "warmth", (sign * self.own("warmth")).node, field)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [PneumaticSupply("S", "6e5 + 1e4*t"), PneumaticVolume("V", 1e-2, 3e5), cls("F", "S", "V", 1e-8, 0.3, "0.5 + 0.1*sin(t)")]
