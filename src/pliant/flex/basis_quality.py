"""How good a reduced part is, measured on the mesh it came from: frequencies, effective mass, unit loads."""
from __future__ import annotations

from typing import Any

import numpy as np

from .modes import Modes, hertz
from .structure import Structure

COMPARED = 10  # frequencies compared when no limit was given


def measure(s: Structure, V: np.ndarray, frame: str, limit: float | None) -> dict[str, Any]:
    """Facts for the report. Shapes V in y, in either frame: free and held frequencies do not depend on it."""
    facts: dict[str, Any] = {"limit": limit, "interfaces": [i.name for i in s.joined]}
    if V.shape[1] == 0:
        return facts
    facts["free"] = _compared(s, V, None, limit)
    if s.joined:
        facts["held"] = _compared(s, V, s.rows[0], limit)
        facts["effective_mass"] = effective_mass(s, V).tolist()
        facts["unit_loads"] = unit_loads(s, V)
    return facts


def frequency_error(s: Structure, W: np.ndarray, A: Any, full: np.ndarray) -> float:
    """Largest error of the frequencies of the part, free or with A held."""
    found = hertz(ritz(s, W, A))
    if len(found) < len(full):
        return 1.0
    exact = hertz(full)
    return float(abs(found[:len(full)] / np.maximum(exact, 1e-300) - 1).max(initial=0.0))


def ritz(s: Structure, W: np.ndarray, A: Any) -> np.ndarray:
    """Squared circular frequencies of the part with shapes W, free (W has no rigid part) or with A held."""
    from scipy.linalg import eigh
    if A is not None:
        W = W - s.R @ np.linalg.solve(A @ s.R, A @ W)
    K, M = (W.T @ (a @ W) for a in (s.K, s.M))
    return np.asarray(eigh((K + K.T) / 2, (M + M.T) / 2, eigvals_only=True)) if W.shape[1] else np.zeros(0)


def _compared(s: Structure, V: np.ndarray, A: Any, limit: float | None) -> dict[str, Any]:
    if A is None:
        MR, inverse = s.relief
        V = V - s.R @ (inverse @ (MR.T @ V))
    reduced = hertz(ritz(s, V, A))
    m = Modes(s, A)
    count = min(COMPARED, len(reduced), m.available // 2 + 1) if limit is None else m.below(limit)
    full = hertz(m.lowest(count)[0])
    return {"full": full.tolist(), "reduced": reduced[:len(full)].tolist(),
            "error": (reduced[:len(full)] / np.maximum(full, 1e-300) - 1)[:len(reduced)].tolist()}


def _held(s: Structure, V: np.ndarray) -> np.ndarray:
    A = s.rows[0]
    return np.asarray(V - s.R @ np.linalg.solve(A @ s.R, A @ V))


def effective_mass(s: Structure, V: np.ndarray) -> np.ndarray:
    """Part of the mass, along x, y, z, that the shapes move when the first interface is shaken: diag(S M^-1 S^T) / m."""
    W = _held(s, V)
    t = s.R[:, :3]
    S = t.T @ (s.M @ W)
    M = W.T @ (s.M @ W)
    m = np.trace(t.T @ (s.M @ t)) / 3
    return np.asarray(np.einsum("ai,ia->a", S, np.linalg.solve(M, S.T)) / m)


def compliances(s: Structure, V: np.ndarray) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Displacements under unit loads where they act, by the full mesh and by the part: with the first interface held, or, if there is no
    other, of the free part balanced by its inertia. Names, full (loads), reduced (loads)."""
    from .bases import LOADS
    if len(s.joined) > 1:
        A, W = s.A[6:], _held(s, V)
        names = [f"{i.name}.{w}" for i in s.joined[1:] for w in LOADS]
        full = s.constrained(s.rows[0]).solve(A.T.toarray())
    else:
        MR, inverse = s.relief
        A, W = s.A, V - s.R @ (inverse @ (MR.T @ V))
        names = [f"{i.name}.{w}" for i in s.joined for w in LOADS]
        full = s.balanced(A.T.toarray())
    psi, K = A @ W, W.T @ (s.K @ W)
    found = np.einsum("ij,ji->i", psi, np.linalg.lstsq((K + K.T) / 2, psi.T, rcond=None)[0])
    return names, np.einsum("ij,ji->i", A.toarray(), full), found


def unit_loads(s: Structure, V: np.ndarray) -> dict[str, Any]:
    names, full, reduced = compliances(s, V)
    return {"held": s.joined[0].name if len(s.joined) > 1 else None, "loads": names, "full": full.tolist(), "reduced": reduced.tolist(),
            "error": (reduced / np.where(full == 0, 1e-300, full) - 1).tolist()}


def static_error(s: Structure, V: np.ndarray) -> float:
    """Largest error of the unit loads."""
    if not s.joined:
        return 0.0
    return float(abs(np.array(unit_loads(s, V)["error"])).max())
