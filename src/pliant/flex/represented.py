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
    """By time the part of the load that the shapes cannot follow (0 to 1, of the square root of the static energy); ``worst``: its largest
    value; ``time``: number of that time; ``load``: the load that contributes most to it."""
    missed: np.ndarray
    worst: float
    time: int
    load: tuple[Any, ...]

    def __str__(self) -> str:
        where = " ".join(str(x) for x in self.load)
        return f"{100 * self.worst:.2g} % of the load cannot be followed by the modes, mostly of {where!r}"


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
        part[missed <= NONE * max(energy.max(initial=0.0), 1e-300)] = 0.0
        at = int(np.argmax(part))
        return Indicator(part, float(part[at]), at, self.loads[int(np.argmax(P[at] ** 2 * np.diag(R)))])

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
