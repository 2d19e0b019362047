"""What the stiffness of the free motions says of an equilibrium. docs/theory/linearisation.md, docs/theory/statics.md"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..items.base import matrix_of
from .loading import EVEN, Loading
from .settling import LEVEL, Balance
from .tangent import largest_motion, motion_in_words

SOFTEST = 8      # motions that are looked at in large models, besides those that fall
IDLE = 1e-14     # relative to the largest: no stiffness, of symmetric matrices


class Stability(NamedTuple):
    """``stiffness``: the smallest one [J]; motions in words that nothing resists (``free``) and that a push starts (``falls``);
    ``unbalanced``: part of the largest force."""
    degrees_of_freedom: int
    stiffness: float | None
    free: list[str]
    falls: list[str]
    unbalanced: float

    @property
    def stable(self) -> bool | None:
        return False if self.falls else None if self.free else True


def by_all_motions(d: CompiledModel, b: Balance) -> Stability:
    even = abs(b.H - b.H.T).max(initial=0.0) <= EVEN * abs(b.H).max(initial=0.0)
    values, vectors = np.linalg.eigh((b.H + b.H.T) / 2) if even else np.linalg.eig(b.H)
    small = max((IDLE if even else LEVEL) * float(abs(values).max(initial=0.0)), b.none)
    unbalanced = float(abs(b.f).max(initial=0.0)) / max(b.size, 1e-300)
    return _told(d, values, b.freedom.N @ vectors, np.linalg.norm(vectors, axis=0), small, int(values.size), unbalanced)


def by_softest_motions(d: CompiledModel, at: Loading, size: float) -> Stability:
    """Of large models: the motions of least stiffness alone, by the sparse matrix; ``size`` of the forces that act."""
    from scipy.sparse.linalg import LinearOperator, eigs, eigsh
    s = d.system
    n, few = int(at.bodies.sum()), SOFTEST + at.negative()
    solve, shift = at.shifted(IDLE / 10)
    inverse = LinearOperator((n, n), matvec=solve, dtype=float)
    found, motions = (eigs if at.uneven() > EVEN else eigsh)(inverse, k=min(few, n - 2), which="LM", v0=np.ones(n))
    values = 1 / found - shift
    eta = np.zeros((s.n_v, len(values)), motions.dtype)
    eta[s.active[at.bodies]] = at.by[at.bodies, None] * motions  # in body axes
    left = at.left[s.active][at.bodies] * at.by[at.bodies]
    freedom = s.moving.size - (s.active.size - n - d.redundant())
    return _told(d, values, turned(d, eta), np.linalg.norm(motions, axis=0), IDLE * at.stiffest, freedom,
                 float(abs(left).max(initial=0.0)) / max(size, 1e-300))


def turned(d: CompiledModel, eta: np.ndarray) -> np.ndarray:
    """Motions (n_v, k) from body axes to world axes."""
    out = eta.copy()
    for iv, iq in d.system.data.rotations:
        out[iv:iv + 3] = matrix_of(d.x.q[iq:iq + 4].tolist()) @ eta[iv:iv + 3]
    return out


def _told(d: CompiledModel, values: np.ndarray, eta: np.ndarray, norms: np.ndarray, small: float, freedom: int,
          unbalanced: float) -> Stability:
    def words(which: np.ndarray) -> list[str]:
        return list(dict.fromkeys(": ".join(motion_in_words(d, eta[:, k].real)) for k in np.flatnonzero(which)))
    stiffness = None
    if values.size:
        k = int(np.argmin(values.real))
        stiffness = float(values[k].real * norms[k] ** 2 / largest_motion(d, eta[:, k]) ** 2)
    return Stability(freedom, stiffness, words(abs(values) <= small), words(values.real < -small), unbalanced)
