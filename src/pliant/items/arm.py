"""A rigid arm as numbers, and its inverse dynamics as formulas of its coordinates: what a controller knows of an arm.

In the home position, where all coordinates are zero, every body's axes are those of the world, with their origin on the joint's axis.
Outward, from the body p that carries the joint (R: from its axes to those of the body; e: axis; r: way between the origins; c: coordinate):

    w = R^T w_p + e c',   w' = R^T w_p' + R^T w_p x e c' + e c'',   a = R^T (a_p + w_p' x r + w_p x (w_p x r)),   a_ground = -g

where the joint turns; where it slides R = 1, r grows by e c, and a by 2 w x e c' + e c''. Inward, with the centre of mass at s:

    f = m (a + w' x s + w x (w x s)) + sum R f_q,   n = J w' + w x J w + s x m a_s + sum (R n_q + r x R f_q),   tau = e.n or e.f    [arm-1]
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BeforeValidator, WithJsonSchema

from ..functions.formula import Formula, function
from ..functions.units import must, quantity, shown
from .base import did_you_mean, plain
from .declarations import Output

if TYPE_CHECKING:
    from .placing import Placement

AXIS = {"parent": 0, "slides": False, "axis": None, "point": (0.0, 0.0, 0.0), "mass": 0.0, "com": (0.0, 0.0, 0.0),
        "inertia": ((0.0,) * 3,) * 3, "rotor": 0.0}
UNITS = {"axis": "", "point": "m", "mass": "kg", "com": "m", "inertia": "kg*m^2", "rotor": ""}
SHAPES = {"axis": (3,), "point": (3,), "mass": (), "com": (3,), "inertia": (3, 3), "rotor": ()}
Vector = list[Any]


# -- numbers
def _numbers(value: Any, unit: str, shape: tuple[int, ...], what: str) -> Any:
    """Nested tuples of this shape."""
    if not shape:
        return quantity(plain(value), unit)
    if isinstance(value, str) or not isinstance(value, (Sequence, np.ndarray)) or len(value) != shape[0]:
        raise ValueError(f"{what}: {must(value, f'must be {shape[0]} entries')}")
    return tuple(_numbers(x, unit, shape[1:], what) for x in value)


def _axis(k: int, given: Any, count: int) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ValueError(f"axes[{k}] {must(given, 'must be entries such as parent, axis, point, mass, com, inertia')}")
    for name in given:
        if name not in AXIS:
            raise ValueError(f"axes[{k}]: unknown entry {shown(name)}{did_you_mean(str(name), AXIS)}")
    found = {**AXIS, **{name: plain(value) for name, value in given.items()}}
    if found["axis"] is None:
        raise ValueError(f"axes[{k}]: axis is missing, the direction of the joint in world axes where all coordinates are zero")
    parent = found["parent"]
    if isinstance(parent, bool) or not isinstance(parent, int) or not 0 <= parent <= count or parent == k + 1:
        raise ValueError(f"axes[{k}]: parent {must(parent, 'must be the number of the axis that carries it, from 1, or 0: ground')}")
    if not isinstance(found["slides"], bool):
        raise ValueError(f"axes[{k}]: slides {must(found['slides'], 'must be true or false')}")
    for name, unit in UNITS.items():
        found[name] = _numbers(found[name], unit, SHAPES[name], f"axes[{k}].{name}")
    size = float(np.linalg.norm(found["axis"]))
    if not size > 0:
        raise ValueError(f"axes[{k}].axis must not be zero")
    found["axis"] = tuple(float(x) / size for x in found["axis"])
    return found


def _arm(value: Any) -> Any:
    """{gravity, axes} from a model, or from numbers."""
    if value is None:
        return None
    if hasattr(value, "joint_space"):
        value = value.joint_space().arm()
    if not isinstance(value, Mapping) or not {"axes"} <= set(value) <= {"gravity", "axes", "coordinates"}:
        raise ValueError(must(value, "must be a model of the arm, or its numbers: {gravity: [0, 0, -9.81], axes: [{axis: …}, …]}"))
    axes = value["axes"]
    if not isinstance(axes, (list, tuple)) or not axes:
        raise ValueError(f"axes {must(axes, 'must be a list of axes with at least one')}")
    found = [_axis(k, axis, len(axes)) for k, axis in enumerate(axes)]
    arm = {"gravity": _numbers(value.get("gravity", (0.0, 0.0, 0.0)), "m/s^2", (3,), "gravity"), "axes": tuple(found)}
    outward(arm)
    return arm


def outward(arm: Mapping[str, Any]) -> list[int]:
    """Its axes, each after the one that carries it."""
    order, left = list[int](), dict(enumerate(arm["axes"]))
    while left:
        ready = [k for k, axis in left.items() if axis["parent"] == 0 or axis["parent"] - 1 in order]
        if not ready:
            raise ValueError(f"axes {', '.join(str(k + 1) for k in left)} carry each other in a ring; one of them must be on the ground")
        order += ready
        left = {k: axis for k, axis in left.items() if k not in ready}
    return order


def placed(arm: Mapping[str, Any], by: Placement) -> dict[str, Any]:
    """The arm moved and turned; gravity stays."""
    R = by.matrix
    axes = [{**axis, "axis": by.vector(axis["axis"], "", not axis["slides"]),
             "point": by.point(axis["point"]), "com": by.point(axis["com"]),
             "inertia": (R @ np.array(axis["inertia"]) @ R.T).tolist()} for axis in arm["axes"]]
    return {**arm, "axes": axes}


_NUMBERS = {"type": "array", "items": {"type": ["number", "string"]}, "minItems": 3, "maxItems": 3}
_ONE = {"parent": {"type": "integer", "minimum": 0}, "slides": {"type": "boolean"}, "axis": _NUMBERS, "point": _NUMBERS, "com": _NUMBERS,
        "mass": {"type": ["number", "string"]}, "inertia": {"type": "array", "items": _NUMBERS, "minItems": 3, "maxItems": 3},
        "rotor": {"type": ["number", "string"]}}
_SCHEMA = {"type": ["object", "null"], "required": ["axes"], "additionalProperties": False, "properties": {
    "gravity": _NUMBERS, "axes": {"type": "array", "minItems": 1, "items": {
        "type": "object", "required": ["axis"], "additionalProperties": False, "properties": _ONE}}}}
if TYPE_CHECKING:
    Arm = dict[str, Any]
else:
    Arm = Annotated[Any, BeforeValidator(_arm), WithJsonSchema(_SCHEMA)]


# -- formulas
def _plus(*terms: Vector) -> Vector:
    out = list(terms[0])
    for term in terms[1:]:
        out = [a + b for a, b in zip(out, term, strict=True)]
    return out


def _times(a: Any, v: Vector) -> Vector:
    return [a * x for x in v]


def _cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _rows(R: list[Vector], v: Vector) -> Vector:
    """R v"""
    return [_dot(row, v) for row in R]


class Efforts:
    """The formulas; what is used again becomes a ``signals`` of its own, named by the axis and what it is."""

    def __init__(self, arm: Mapping[str, Any], own: Callable[[str], Formula], c: Sequence[Formula], rates: Sequence[Formula],
                 accelerations: Sequence[Formula]) -> None:
        self.arm, self.own, self.signals = arm, own, list[Output]()
        self.c, self.rates, self.accelerations = c, rates, accelerations
        axes = arm["axes"]
        self.tau: list[Any] = [0.0] * len(axes)
        self.R: dict[int, list[Vector]] = {}
        self.motion: dict[int, tuple[Vector, Vector, Vector]] = {0: ([0.0] * 3, [0.0] * 3, [-x for x in arm["gravity"]])}
        self.load = {k: ([0.0] * 3, [0.0] * 3) for k in range(len(axes) + 1)}
        order = outward(arm)
        for k in order:
            self._outward(k, axes[k])
        for k in reversed(order):
            self._inward(k, axes[k])

    def _kept(self, name: str, value: Any) -> Any:
        if not isinstance(value, Formula):
            return value
        self.signals.append(Output(name, "", value.node))
        return self.own(name)

    def _vector(self, name: str, value: Vector) -> Vector:
        return [self._kept(f"{name}_{c}", x) for c, x in zip("xyz", value, strict=True)]

    def _way(self, axis: Mapping[str, Any], k: int) -> Vector:
        """From the origin of the parent to that of the body, in axes of the parent."""
        at = self.arm["axes"][axis["parent"] - 1]["point"] if axis["parent"] else (0.0, 0.0, 0.0)
        way: Vector = [a - b for a, b in zip(axis["point"], at, strict=True)]
        return _plus(way, _times(self.c[k], list(axis["axis"]))) if axis["slides"] else way

    def _rotation(self, name: str, e: Vector, c: Formula) -> list[Vector]:
        """R = e e^T + (1 - e e^T) cos c + e~ sin c"""
        cos, sin = self._kept(f"{name}_cos", function("cos", c)), self._kept(f"{name}_sin", function("sin", c))
        along, turn = np.outer(e, e), np.array([[0.0, -e[2], e[1]], [e[2], 0.0, -e[0]], [-e[1], e[0], 0.0]])
        across = np.eye(3) - along
        entries = [[float(along[i, j]) + float(across[i, j]) * cos + float(turn[i, j]) * sin for j in range(3)] for i in range(3)]
        return [self._vector(f"{name}_R{i}", row) for i, row in enumerate(entries)]

    def _outward(self, k: int, axis: Mapping[str, Any]) -> None:
        e, (w0, dw0, a0), r, name = list(axis["axis"]), self.motion[axis["parent"]], self._way(axis, k), f"arm_{k + 1}"
        v, b = self.rates[k], self.accelerations[k]
        a = _plus(a0, _cross(dw0, r), _cross(w0, _cross(w0, r)))
        if axis["slides"]:
            w, dw = w0, dw0
            a = _plus(a, _times(2.0 * v, _cross(w0, e)), _times(b, e))
        else:
            self.R[k] = self._rotation(name, e, self.c[k])
            back = [list(column) for column in zip(*self.R[k], strict=True)]
            w = self._vector(f"{name}_w", _plus(_rows(back, w0), _times(v, e)))
            dw = self._vector(f"{name}_dw", _plus(_rows(back, dw0), _times(v, _cross(w, e)), _times(b, e)))
            a = _rows(back, self._vector(f"{name}_a0", a))
        self.motion[k + 1] = w, dw, self._vector(f"{name}_a", a)

    def _inward(self, k: int, axis: Mapping[str, Any]) -> None:
        e, (w, dw, a), name, m = list(axis["axis"]), self.motion[k + 1], f"arm_{k + 1}", axis["mass"]
        s: Vector = [x - y for x, y in zip(axis["com"], axis["point"], strict=True)] if m else [0.0] * 3
        J = [list(row) for row in axis["inertia"]]
        force = self._vector(f"{name}_ma", _times(m, _plus(a, _cross(dw, s), _cross(w, _cross(w, s)))))
        spin = self._vector(f"{name}_Jw", _rows(J, w))
        f = self._vector(f"{name}_f", _plus(force, self.load[k + 1][0]))
        n = self._vector(f"{name}_n", _plus(_rows(J, dw), _cross(w, spin), _cross(s, force), self.load[k + 1][1]))
        self.tau[k] = _dot(e, f if axis["slides"] else n) + axis["rotor"] * self.accelerations[k]
        if axis["parent"]:
            if not axis["slides"]:
                f, n = self._vector(f"{name}_Rf", _rows(self.R[k], f)), _rows(self.R[k], n)
            before = self.load[axis["parent"]]
            self.load[axis["parent"]] = _plus(before[0], f), _plus(before[1], n, _cross(self._way(axis, k), f))
