"""Directions and rotations as users give them, and their quaternions and matrices."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..functions.units import quantity, shown

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
AXES |= {f"-{k}": (-a[0], -a[1], -a[2]) for k, a in list(AXES.items())}
ROUNDING = 1e-15  # a length this near to one is one: what was made a unit vector once stays as it is
IDENTITY = (1.0, 0.0, 0.0, 0.0)
Vec3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
WAYS = "{axis: z, angle: 30 deg}, {cardan: [a, b, c], sequence: xyz}, {euler: [a, b, c], sequence: zxz}"


class ManyTurns(Quaternion):
    """A quaternion that was written as more than a turn in plain numbers, ``angle`` [rad]: `check` names it."""
    angle: float


def written_as(q: Quaternion, *given: Any) -> Quaternion:
    """``q``, with the many turns by which one of the given rotations, of which it was made, was written."""
    many = next((g for g in given if isinstance(g, ManyTurns)), None)
    if many is not None:
        q = ManyTurns(q)
        q.angle = many.angle
    return q


def _array(value: Any) -> np.ndarray:
    """As numbers, or an empty array where that is not possible."""
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        return np.zeros(0)


def axis_of(value: Any) -> Vec3:
    if isinstance(value, str) and value in AXES:
        return AXES[value]
    a = _array(value)
    if a.shape != (3,) or not np.isfinite(a).all():
        raise ValueError(f"axis {shown(value)} must be one of {', '.join(AXES)} or three numbers")
    largest = float(abs(a).max())
    if largest == 0:
        raise ValueError("axis (0, 0, 0) has no direction; give at least one component")
    if not 1e-100 < largest < 1e100:  # squares must be numbers
        a = a / largest
    size = float(np.linalg.norm(a))
    a = a / size if abs(size - 1) > ROUNDING else a
    return float(a[0]), float(a[1]), float(a[2])


def rotation(axis: Any = None, angle: float | str | None = None, *, euler: Any = None, cardan: Any = None, sequence: str | None = None,
             about: str = "moving") -> Quaternion:
    """Unit quaternion (scalar first) of a turn by ``angle`` [rad, or a text such as "30 deg"] about ``axis``; or of three turns one
    after the other, ``euler`` angles about the axes of ``sequence`` (zxz if left out) or ``cardan`` angles (xyz). ``about``: the axes
    that the turns before have carried along ("moving", intrinsic), or those that stay ("fixed", extrinsic)."""
    given = {"axis": axis, "angle": angle, "euler": euler, "cardan": cardan, "sequence": sequence}
    return rotation_of({k: v for k, v in given.items() if v is not None} | ({} if about == "moving" else {"about": about}))


def _turn(axis: Any, angle: Any) -> Quaternion:
    half = quantity(angle, "rad") / 2
    many = not isinstance(angle, str) and abs(half) > np.pi
    if many:
        warnings.warn(f"rotation: angle = {angle:g} rad is {abs(half) / np.pi:.3g} turns; write '{angle:g} deg' if degrees are meant, "
                      f"'{angle:g} rad' if not", stacklevel=4)
    u = np.sin(half) * np.asarray(axis_of(axis))
    q = float(np.cos(half)), float(u[0]), float(u[1]), float(u[2])
    if many:
        q = ManyTurns(q)
        q.angle = float(angle)
    return q


def _successive(kind: str, angles: Any, sequence: Any, about: Any) -> Quaternion:
    """Three turns: ``kind`` euler (first and last axis are the same letter) or cardan (all differ)."""
    axes = sequence if isinstance(sequence, str) and len(sequence) == 3 and set(sequence) <= set("xyz") else "xxx"
    if axes[0] == axes[1] or axes[1] == axes[2] or (axes[0] == axes[2]) != (kind == "euler"):
        rule = "two letters, the first and last the same, such as zxz" if kind == "euler" else "the three letters x, y, z in some order"
        raise ValueError(f"rotation: sequence {shown(sequence)} of {kind} angles must be {rule}")
    if about not in ("moving", "fixed"):
        raise ValueError(f"rotation: about {shown(about)} must be 'moving' (axes that are carried along) or 'fixed' (axes that stay)")
    if isinstance(angles, (str, dict)) or not isinstance(angles, (Sequence, np.ndarray)) or len(angles) != 3:
        raise ValueError(f"rotation: {kind} {shown(angles)} must be three angles, such as [10 deg, 20 deg, 30 deg]")
    turns = [_turn(axis, angle) for axis, angle in zip(axes, angles, strict=True)]
    q = IDENTITY
    for turn in turns if about == "moving" else turns[::-1]:
        q = product(q, turn)
    return q


def product(p: Quaternion, q: Quaternion) -> Quaternion:
    """First q, then p, both in fixed axes; or first p, then q in the axes that p has turned."""
    (a, *u), (b, *w) = p, q
    r = np.array([a * b - np.dot(u, w), *(a * np.array(w) + b * np.array(u) + np.cross(u, w))])
    r /= np.linalg.norm(r)
    return written_as((float(r[0]), float(r[1]), float(r[2]), float(r[3])), p, q)


def quaternion_of(matrix: np.ndarray) -> Quaternion:
    """Unit quaternion (scalar first, scalar >= 0) of a rotation matrix."""
    R = np.asarray(matrix, float)
    k = int(np.argmax([np.trace(R), R[0, 0], R[1, 1], R[2, 2]]))
    if k == 0:
        q = np.array([1 + np.trace(R), R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, l = k - 1, k % 3, (k + 1) % 3
        q = np.zeros(4)
        q[0], q[1 + i] = R[l, j] - R[j, l], 1 + R[i, i] - R[j, j] - R[l, l]
        q[1 + j], q[1 + l] = R[j, i] + R[i, j], R[l, i] + R[i, l]
    q /= np.linalg.norm(q) * (1 if q[0] >= 0 else -1)
    return float(q[0]), float(q[1]), float(q[2]), float(q[3])


def matrix_of(q: Sequence[float]) -> np.ndarray:
    """Rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def rotation_of(value: Any) -> Quaternion:
    """Unit quaternion of what a user gives as a rotation."""
    if isinstance(value, ManyTurns):
        return value
    if isinstance(value, dict):
        if set(value) == {"axis", "angle"}:
            return _turn(value["axis"], value["angle"])
        for kind, usual in (("euler", "zxz"), ("cardan", "xyz")):
            if kind in value and set(value) <= {kind, "sequence", "about"}:
                return _successive(kind, value[kind], value.get("sequence", usual), value.get("about", "moving"))
        if {"axis", "angle"} & set(value) and not {"euler", "cardan"} & set(value):
            raise ValueError(f"rotation {shown(value)} must have the two entries axis and angle, such as {{axis: z, angle: 30 deg}}")
        raise ValueError(f"rotation {shown(value)} must be one of {WAYS}")
    a = _array(value)
    if a.shape == (3, 3):
        if not (abs(a) <= 1.1).all() or not np.allclose(a @ a.T, np.eye(3), atol=1e-6) or np.linalg.det(a) < 0:
            raise ValueError(f"rotation matrix {shown(value)} must be orthonormal and right-handed (R R^T = 1, det R = 1)")
        return quaternion_of(a)
    if a.shape != (4,) or not (abs(a) <= 1.1).all() or abs(np.linalg.norm(a) - 1) > 1e-6:
        raise ValueError(f"rotation {shown(value)} must be {WAYS}, a unit quaternion [w, x, y, z], or a 3x3 matrix")
    if abs(np.linalg.norm(a) - 1) > ROUNDING:
        a = a / np.linalg.norm(a)
    return float(a[0]), float(a[1]), float(a[2]), float(a[3])
