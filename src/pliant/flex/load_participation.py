"""How much of a load the shapes of a part can follow: compliances of the full mesh and of the part for all unit loads [stress-5]."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..functions.units import shown

if TYPE_CHECKING:
    from .stiffening import Unit

NONE = 1e-12  # of the energy: rounding


class Indicator(NamedTuple):
    """What the shapes cannot follow of loads, by the square root of the static energy. ``missed``: by time, as a part of the load at that
    time (0 to 1); ``worst``: the largest, as a part of the largest load; ``time``: number of that time; ``load``: the load that
    contributes most to it."""
    missed: np.ndarray
    worst: float
    time: int
    load: tuple[Any, ...]

    @property
    def name(self) -> str:
        return load_name(self.load)

    def __str__(self) -> str:
        if not self.worst:
            return "the modes follow the loads"
        return f"{percent(self.worst)} of the load cannot be followed by the modes, mostly of the {self.name}"


def percent(x: float) -> str:
    return f"{100 * x:.{3 if x > 0.995 else 2}g} %"


def load_name(load: tuple[Any, ...]) -> str:
    """A load in words."""
    kind, *rest = load
    if kind in ("force", "moment"):
        return f"{kind} at {rest[0]!r} {'along' if kind == 'force' else 'about'} {'xyz'[rest[1]]}"
    if kind == "load":
        return f"load {rest[0]!r}"
    if kind == "centrifugal":
        i, j = ("xyz"[k] for k in rest)
        return f"rotation about {i}" if i == j else f"rotation about {i} and {j}"
    return f"{'angular acceleration about' if kind == 'angular' else 'acceleration along'} {'xyz'[rest[0]]}"


class Represented(NamedTuple):
    """Compliances (loads, loads) for loads as in `Stiffening`: displacement in load i under unit load k, static."""
    loads: list[tuple[Any, ...]]
    full: np.ndarray
    reduced: np.ndarray

    def missed(self) -> dict[tuple[Any, ...], float]:
        """Of each unit load alone."""
        difference, whole = np.diag(self.full - self.reduced), np.diag(self.full)
        found = np.sqrt(np.clip(difference / np.maximum(whole, 1e-300), 0, 1))
        return {load: float(x) if w > NONE * whole.max() else 0.0 for load, x, w in zip(self.loads, found, whole, strict=True)}

    def of(self, recorded: Mapping[tuple[Any, ...], Any]) -> Indicator:
        """Of recorded loads (times) by name: sqrt(p (C - C_r) p / p C p)."""
        P = self.matrix(recorded)
        R = self.full - self.reduced
        energy = np.einsum("ti,ij,tj->t", P, self.full, P, optimize=True)
        missed = np.einsum("ti,ij,tj->t", P, R, P, optimize=True)
        part = np.where(energy > 0, np.sqrt(np.clip(missed / np.maximum(energy, 1e-300), 0, 1)), 0.0)
        largest = max(energy.max(initial=0.0), 1e-300)
        part[missed <= NONE * largest] = 0.0
        at = int(np.argmax(missed))
        worst = float(np.sqrt(missed[at] / largest)) if missed[at] > NONE * largest else 0.0
        return Indicator(part, worst, at, self.loads[int(np.argmax(P[at] ** 2 * np.diag(R)))])

    def matrix(self, recorded: Mapping[tuple[Any, ...], Any]) -> np.ndarray:
        """Recorded loads (times, loads)."""
        lengths = {len(np.atleast_1d(v)) for v in recorded.values()}
        if len(lengths) != 1:
            raise ValueError(f"recorded loads must be a mapping of loads to arrays of one length; lengths are {sorted(lengths)}")
        P = np.zeros((lengths.pop(), len(self.loads)))
        for load, values in recorded.items():
            if load not in self.loads:
                raise ValueError(f"the load {shown(load)} is none of this part; there are {', '.join(str(other) for other in self.loads)}")
            P[:, self.loads.index(load)] = values
        return P


def represented_by(unit: Unit, V: np.ndarray, K: np.ndarray) -> Represented:
    """From unit loads and their solutions, and shapes V with stiffness K."""
    C = unit.f.T @ unit.d
    g = V.T @ unit.f
    Cr = g.T @ np.linalg.lstsq((K + K.T) / 2, g, rcond=None)[0]
    return Represented(unit.loads, (C + C.T) / 2, (Cr + Cr.T) / 2)
