"""Hydraulic lines: hoses and pipes in which oil has mass. Equations: docs/theory/drives.md"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..functions.expression import ZERO
from ..functions.field_error import FieldError
from ..functions.formula import Formula
from .base import Item, number
from .declarations import Energies, Inflow, Output, State
from .hydraulics import BAR, HydraulicSupply, HydraulicVolume, Oil, Passage, pressure

if TYPE_CHECKING:
    Length = float
    Density = float
    Viscosity = float
    Pressure = float
    Count = float
else:
    Length, Density, Viscosity = number("m", positive=True), number("kg/m^3", positive=True), number("Pa*s", least=0.0)
    Pressure, Count = number("Pa", positive=True), number("", positive=True)

CLOSED = "closed"  # in place of a port: an end that is
MOST = 100         # lumps


class HydraulicLine(Passage, Oil):
    """A hose or pipe between two ports, either of which may be ``closed``: ``length`` [m], ``diameter`` [m], ``density`` [kg/m^3] and
    ``viscosity`` [Pa s] of the oil (laminar flow), in so many ``lumps``; ``pressure`` [Pa] at the start, all over."""
    kind: ClassVar[str] = "hydraulic_line"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "length", "diameter")
    length: Length
    diameter: Length
    lumps: Count = 5.0
    density: Density = 870.0
    viscosity: Viscosity = 0.0
    pressure: Pressure = 101325.0

    @model_validator(mode="after")
    def _check(self) -> HydraulicLine:
        if self.lumps != int(self.lumps) or self.lumps > MOST:
            raise FieldError("lumps", f"{self.lumps:g} must be a whole number of at most {MOST}")
        return self

    @property
    def n(self) -> int:
        return int(self.lumps)

    def parts(self) -> tuple[float, float, float]:
        """Of the whole line: volume, inertia rho l / A, resistance 128 mu l / (pi d^4)."""
        area = np.pi / 4 * self.diameter**2
        return area * self.length, self.density * self.length / area, 128 * self.viscosity * self.length / (np.pi * self.diameter**4)

    def columns(self) -> list[tuple[int, Formula, Formula, float]]:
        """Of flows between lumps: number, pressures before and behind, part of the line; the outer ones are half as long."""
        found = [(k, self.own(f"pressure_{k}"), self.own(f"pressure_{k + 1}"), 1 / self.n) for k in range(1, self.n)]
        if self.a != CLOSED:
            found.insert(0, (0, pressure(self.a), self.own("pressure_1"), 0.5 / self.n))
        if self.b != CLOSED:
            found.append((self.n, self.own(f"pressure_{self.n}"), pressure(self.b), 0.5 / self.n))
        return found

    def net(self, k: int) -> Formula:
        """Flow into lump k."""
        there = {number for number, *_ in self.columns()}
        into = self.own(f"flow_{k - 1}") if k - 1 in there else 0.0
        return into - (self.own(f"flow_{k}") if k in there else Formula(ZERO))

    def states(self) -> Iterable[State]:
        """p_k' = B / V_k (Q_k-1 - Q_k),  Q_k' = (p_k - p_k+1 - R_k Q_k) / I_k                          [hose-1]"""
        volume, inertia, resistance = self.parts()
        for k in range(1, self.n + 1):
            p = self.own(f"pressure_{k}")
            yield State(f"pressure_{k}", "Pa", (self.modulus(p) * self.n / volume * self.net(k)).node, self.pressure, BAR)
        for k, before, behind, part in self.columns():
            Q = self.own(f"flow_{k}")
            yield State(f"flow_{k}", "m^3/s", ((before - behind - resistance * part * Q) / (inertia * part)).node, 0.0, 1e-4)

    def computed(self) -> Iterable[Output]:
        return ()

    def inflows(self) -> Iterable[Inflow]:
        if self.a != CLOSED:
            yield Inflow(self.a, "inflow", (-self.own("flow_0")).node, "a")
        if self.b != CLOSED:
            yield Inflow(self.b, "inflow", self.own(f"flow_{self.n}").node, "b")

    def energies(self) -> Energies:
        """What its lumps and columns have stored; what they do not get from the ports is lost."""
        volume, inertia, resistance = self.parts()
        stored, gained = Formula(ZERO), Formula(ZERO)
        for k in range(1, self.n + 1):
            p = self.own(f"pressure_{k}")
            stored, gained = stored + volume / self.n * self.stored(p), gained + self.head(p) * self.net(k)
        for k, before, behind, part in self.columns():
            Q = self.own(f"flow_{k}")
            stored, gained = stored + inertia * part / 2 * Q**2, gained + Q * (before - behind - resistance * part * Q)
        return Energies(stored.node, (-gained).node)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [HydraulicSupply("S", "3e6 + 1e5*t"), HydraulicVolume("V", 1e-3, 1e6),
                cls("F", "S", "V", 2.0, 0.01, lumps=2, viscosity=0.04, air=0.01)]
