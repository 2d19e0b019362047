"""Steady motions: the axes, turning at a constant rate, in which the linearised equations do not change with time."""
from __future__ import annotations

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..compile.consistency import POSITION
from ..items.base import matrix_of, quaternion_of
from ..kernels.state_row import parts
from .tangent import Tangent, cross_matrix

SMALL = 1e-7     # relative: equal
ROUNDING = 1e-13 # relative to what stiffness and gravity give: zero
ANGLE = 0.37     # rad, how far a motion is followed to see whether it is steady


def axes_of(tangent: Tangent) -> tuple[np.ndarray, bool]:
    """The rate W [rad/s] of the axes, and whether the equations are constant in them; fixed axes where they are in none. Axes that do
    not turn come first. With nodes of slopes only those at rest are looked for.                          [linear-4]"""
    if _at_rest(tangent):
        return np.zeros(3), True
    if tangent.d.system.slopes:
        return np.zeros(3), False
    for W in _candidates(tangent, least(tangent)):
        if _steady(tangent, W):
            return W, True
    return np.zeros(3), False


def _at_rest(t: Tangent) -> bool:
    return t.speed**2 <= ROUNDING * t.natural and t.accelerations(np.zeros(3)).max(initial=0.0) <= ROUNDING * t.natural


def is_steady(t: Tangent, W: np.ndarray) -> bool:
    """Whether accelerations are those of axes that turn with W."""
    return float(t.accelerations(W).max(initial=0.0)) <= SMALL * max(t.speed**2, t.d.gravity / t.d.length) + ROUNDING * t.natural


def least(t: Tangent) -> np.ndarray:
    """The smallest W with v' = W x v and w' = W x w as nearly as possible."""
    L = t.d.length
    A = np.vstack([-cross_matrix(u) for u in (*(t.v / L), *t.w, *t.rates)])
    b = np.concatenate([(t.dv / L).ravel(), t.dw.ravel(), t.changes.ravel()])
    W = np.linalg.lstsq(A, b, rcond=1e-9)[0]
    return np.asarray(W) if np.linalg.norm(W) > 1e-9 * t.speed else np.zeros(3)


def _candidates(t: Tangent, first: np.ndarray) -> list[np.ndarray]:
    """That rate, and where bodies spin about one axis without being carried round it, those with the rates of the bodies."""
    L = t.d.length
    A = np.vstack([-cross_matrix(u) for u in (*(t.v / L), *t.w)])
    _, S, V = np.linalg.svd(A)
    if S[0] == 0 or S[2] > 1e-9 * S[0]:
        return [first]
    u, found = V[2], [first]
    for rate in t.w @ u:
        W = first + (rate - first @ u) * u
        if all(np.linalg.norm(W - other) > SMALL * np.linalg.norm(W) for other in found):
            found.append(W)
    return found


def _steady(t: Tangent, W: np.ndarray) -> bool:
    """Whether the motion goes on as seen now, and the equations are the same a while later."""
    later = _later(t, W) if is_steady(t, W) else None
    return later is not None and _same(t, later, W, turned(W * _while(t, W)))


def why_not(t: Tangent, W: np.ndarray) -> str:
    """What keeps the motion from going on in axes that turn with W, a sentence; empty if it does."""
    if not is_steady(t, W):
        body, size = fastest(t, W)
        return f"body {body!r} accelerates at {size:.3g} m/s^2 against the turning axes, so that the rotation does not go on"
    later = _later(t, W)
    if later is None:
        return "joints or drives do not let it go on at the same rate"
    if not is_steady(later, W):
        body, size = fastest(later, W)
        return (f"a moment later body {body!r} accelerates at {size:.3g} m/s^2 against the turning axes: what acts on it changes as it "
                "turns. Gravity must be along the axis of rotation, and loads must turn with the bodies and not change with time")
    return ""


def fastest(t: Tangent, W: np.ndarray) -> tuple[str, float]:
    """The body whose acceleration is farthest from that of axes that turn with W, and by how much [m/s^2]."""
    left = t.accelerations(W)
    k = int(np.argmax(left))
    return t.named(k), float(left[k]) * t.d.length


def _while(t: Tangent, W: np.ndarray) -> float:
    return ANGLE / max(t.speed, float(np.linalg.norm(W)), 1e-300)


def _later(t: Tangent, W: np.ndarray) -> Tangent | None:
    """The motion a while later, if joints and drives let it go on; at once what does not move."""
    drift = t.v - np.cross(W, t.p)           # of the axes' origin: the same for all bodies
    if abs(drift - drift[0]).max() > SMALL * t.speed * t.d.length:
        return None
    if not t.speed:
        return t
    later = _carried(t, W, drift[0], _while(t, W))
    d = t.d
    report = d.refine(later[None, :], project=False)[1]
    return Tangent(d, later) if report[0, POSITION] <= SMALL * max(1.0, d.length) else None


def _carried(t: Tangent, W: np.ndarray, drift: np.ndarray, after: float) -> np.ndarray:
    """The row that the motion comes to: axes turn with W and move with drift + W x p, bodies turn in them."""
    d, row = t.d, t.row.copy()
    s, Q = d.system, turned(W * after)
    p = parts(row[None, :], s.q0.size, s.n)
    size = float(W @ W)
    foot = np.cross(W, drift) / size if size > 0 else np.zeros(3)    # a point of the axis, which moves along it
    along = drift - np.cross(foot, W) if size > 0 else drift
    row[0] += after
    for k, (iv, iq) in enumerate(s.data.rotations):
        p["q"][0, iq - 3:iq] = foot + Q @ (t.p[k] - foot) + after * along
        R = Q @ turned((t.w[k] - W) * after) @ matrix_of(p["q"][0, iq:iq + 4].tolist())
        q = np.array(quaternion_of(R))
        p["q"][0, iq:iq + 4] = q if q @ p["q"][0, iq:iq + 4] >= 0 else -q
        p["v"][0, iv - 3:iv] = Q @ t.v[k]
        p["v"][0, iv:iv + 3] = R.T @ (Q @ t.w[k])
    return row


def turned(r: np.ndarray) -> np.ndarray:
    """The matrix of a rotation vector."""
    angle = float(np.linalg.norm(r))
    return matrix_of([np.cos(angle / 2), *(np.sinc(angle / (2 * np.pi)) / 2 * r)])


def _same(now: Tangent, later: Tangent, W: np.ndarray, Q: np.ndarray) -> bool:
    """Whether free motions and projected coefficients agree, in the axes that turned by Q meanwhile."""
    turn = _turned(now.d, Q)
    N = turn @ now.freedom.N
    if later.freedom.N.shape != N.shape:
        return False
    if N.shape[1] == 0:
        return True
    by = np.where(now.freedom.by > 0, now.freedom.by, 1.0)[:, None]
    if abs(later.freedom.Q.T @ (N / by)).max(initial=0.0) > SMALL:
        return False
    pairs = zip(now.rotating(W), later.rotating(W), strict=True)
    matrices = [(now.freedom.N.T @ a @ now.freedom.N, N.T @ b @ N) for a, b in pairs]
    rate = max(float(np.linalg.norm(W)), now.speed)
    scale = abs(matrices[0][0]).max()
    sizes = [scale, max(scale * rate, abs(matrices[1][0]).max()), max(scale * rate**2, abs(matrices[2][0]).max())]
    return all(abs(a - b).max() <= SMALL * size for (a, b), size in zip(matrices, sizes, strict=True))


def _turned(d: CompiledModel, Q: np.ndarray) -> np.ndarray:
    """Block matrix that turns displacements and rotation vectors of all bodies by Q."""
    out = np.eye(d.system.n_v)
    for iv, _ in d.system.data.rotations:
        out[iv - 3:iv, iv - 3:iv] = out[iv:iv + 3, iv:iv + 3] = Q
    return out
