"""Choice of modes for a load: a bound of the error over a range of frequencies, and enrichment with recorded loads [stress-6]."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import quantity
from .fe import FE
from .load_participation import Represented
from .modes import Modes
from .reduced import Reduced
from .reduction import Chosen, _places, reduce, shapes_of
from .stiffening import unit_loads_of

BEYOND = 2.0   # modes of the full mesh are used up to this multiple of the highest frequency


class LoadError(NamedTuple):
    """``bound``: upper bound of the error of the vibration, by frequency [Hz], of the square root of the elastic energy."""
    frequencies: np.ndarray
    bound: np.ndarray

    @property
    def worst(self) -> float:
        return float(self.bound.max())


def load_error(fe: FE, interfaces: Mapping[str, Any] | None = None, *, load: Mapping[tuple[Any, ...], float], frequencies: Any,
               damping: float = 0.02, points: int = 101, **options: Any) -> LoadError:
    """Bound of the error that the shapes `reduce` would take with the same ``options`` make under a harmonic ``load``, a mapping as in
    `Stiffening` such as {("force", "tip", 2): 1.0}, in the range ``frequencies`` (lowest, highest) [Hz]. ``damping``: loss factor of the
    material, the same for part and mesh (0.02 is a damping ratio of 1 %)."""
    low, high = (quantity(f, "Hz") for f in frequencies)
    if not 0 <= low < high:
        raise FieldError("frequencies", f"{low:g} to {high:g} Hz must rise from at least 0")
    chosen = shapes_of(fe, interfaces, **options)
    grid = np.linspace(low, high, points)
    f = _vector(chosen, load)
    return LoadError(grid, _bounds(chosen, f, 2 * np.pi * grid, damping))


def _vector(chosen: Chosen, load: Mapping[tuple[Any, ...], float]) -> np.ndarray:
    unit = unit_loads_of(chosen.s, chosen.frame, _places(chosen.s, chosen.others), chosen.spread)
    f = np.zeros(chosen.s.K.shape[0])
    for name, factor in load.items():
        if name not in unit.loads:
            raise FieldError("load", f"{name} is none; there are {', '.join(str(other) for other in unit.loads)}")
        f += factor * unit.f[:, unit.loads.index(name)]
    if not abs(f).max() > 0:
        raise FieldError("load", "it is zero")
    return f


def _bounds(chosen: Chosen, f: np.ndarray, omega: np.ndarray, eta: float) -> np.ndarray:
    """Residual r of the part's answer on the mesh; its error is known along the lowest modes of the mesh, and bounded beyond them."""
    s, V = chosen.s, chosen.V
    held = s.rows[0] if chosen.frame == "body-fixed" else None
    modes = Modes(s, held)
    if held is None:
        MR, inverse = s.relief
        f = f - MR @ (inverse @ (s.R.T @ f))
    solve = modes.solve
    count = min(modes.below(BEYOND * omega[-1] / (2 * np.pi), most=modes.available - 1), modes.available - 1)
    values, phi = modes.lowest(count + 1)
    beyond, values, phi = values[-1], values[:-1], phi[:, :-1]
    KV, MV = s.K @ V, s.M @ V
    Kq, Mq, g = V.T @ KV, V.T @ MV, V.T @ f
    W, Y = np.column_stack((f, KV, MV)), np.column_stack((solve(f), V, solve(MV)))
    gram, along = W.T @ Y, phi.T @ W
    found = np.zeros(len(omega))
    for k, w in enumerate(omega):
        x = np.linalg.solve(Kq * (1 + 1j * eta) - w**2 * Mq, g)
        c = np.concatenate(([1], -(1 + 1j * eta) * x, w**2 * x))
        r2 = max(0.0, float((c.conj() @ gram @ c).real))
        parts = abs(along @ c) ** 2 / values
        factor = abs(values / (values * (1 + 1j * eta) - w**2)) ** 2
        rest = max(0.0, r2 - float(parts.sum())) * abs(beyond / (beyond * (1 + 1j * eta) - w**2)) ** 2
        size = float((x.conj() @ Kq @ x).real)
        found[k] = np.sqrt((float(parts @ factor) + rest) / max(size, 1e-300))
    return found


def enrich(fe: FE, interfaces: Mapping[str, Any] | None = None, *, recorded: Mapping[tuple[Any, ...], Any], missed: float = 0.01,
           most: int = 20, **options: Any) -> Reduced:
    """Reduce again, with as few static shapes of the recorded loads (name to array over time, as `Solution.loads` gives them) as leave at
    most the part ``missed`` of the largest unrepresented. Other ``options`` are those of `reduce`."""
    given = list(options.pop("load_shapes", None) or [])
    before = len(given)
    part = reduce(fe, interfaces, load_shapes=given or None, **options)
    while True:
        if part.represented is None:
            raise FieldError("recorded", "the part has no shapes; ask for modes")
        told = part.represented.of(recorded)
        if told.worst <= missed:
            return part
        if len(given) - before >= most:
            raise FieldError("recorded", f"with {most} shapes of loads {told}; allow more, or record fewer loads")
        given += _combinations(part.represented, recorded, missed, most - len(given) + before)
        part = reduce(fe, interfaces, load_shapes=given, **options)


def _combinations(represented: Represented, recorded: Mapping[tuple[Any, ...], Any], missed: float,
                  most: int) -> list[dict[tuple[Any, ...], float]]:
    """Combinations of loads whose static shapes are missing most, one after the other: each takes its share from C - C_r, as a shape more
    in a Ritz basis does [stress-5]."""
    P, R = represented.matrix(recorded), represented.full - represented.reduced
    scale = np.sqrt(np.einsum("ti,ij,tj->t", P, represented.full, P, optimize=True).max())
    found: list[dict[tuple[Any, ...], float]] = []
    while len(found) < most:
        values, vectors = np.linalg.eigh((R + R.T) / 2)
        L = vectors * np.sqrt(np.maximum(values, 0.0))
        left = P @ L / scale
        if found and np.linalg.norm(left, axis=1).max() <= missed:
            break
        c = np.linalg.lstsq(L.T, np.linalg.svd(left, full_matrices=False)[2][0], rcond=1e-10)[0]
        Rc = R @ c
        R = R - np.outer(Rc, Rc) / (c @ Rc)
        found.append({load: float(x) for load, x in zip(represented.loads, c, strict=True) if x})
    return found
