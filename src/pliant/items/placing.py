"""A sub-assembly put elsewhere: moved by p, turned by R, and mirrored before that by M = I - 2 n n^T. Numbers may be expressions of
parameters: a sum of them is an expression again.

A place r becomes p + R M r, a velocity or force v becomes R M v, an angular velocity or torque R (det M) M w. Axes of a body are
R M R_b M, so that its own vectors become M u, and turning ones (det M) M w.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from ..functions.field_error import FieldError
from ..functions.parameters import MARK, has_expressions, is_expression
from ..functions.table import Table
from ..functions.units import parse_unit, quantity, shown, unit_in
from .base import AXES, IDENTITY, Frame, Place, Rotation, Vec3, matrix_of
from .rotations import Quaternion, product, written_as

EXACT = 1e-15  # cosines this near to 0 or 1 are meant to be


@dataclass(frozen=True)
class Placement:
    """``mirror``: an axis, x, y or z; the plane across it is the mirror."""
    name: str                    # of the sub-assembly
    position: tuple[Any, Any, Any] = (0.0, 0.0, 0.0)
    rotation: Quaternion = IDENTITY
    mirror: str = ""

    @property
    def signs(self) -> Vec3:
        """The diagonal of M."""
        return -1.0 if self.mirror == "x" else 1.0, -1.0 if self.mirror == "y" else 1.0, -1.0 if self.mirror == "z" else 1.0

    @property
    def turns(self) -> bool:
        return bool(self.mirror) or self.rotation != IDENTITY

    @property
    def matrix(self) -> np.ndarray:
        """R M."""
        R = matrix_of(self.rotation)
        R[abs(R) < EXACT] = 0.0
        R[abs(abs(R) - 1) < EXACT] = np.sign(R[abs(abs(R) - 1) < EXACT])
        return np.asarray(R * self.signs)

    @property
    def handed(self) -> float:
        """det M"""
        return -1.0 if self.mirror else 1.0

    # -- vectors of three entries in world axes
    def point(self, r: Sequence[Any]) -> tuple[Any, ...]:
        moved = tuple(r) if not self.turns else tuple(summed(list(zip(row, r, strict=True)), "m") for row in self.matrix)
        return tuple(summed([(1.0, x), (1.0, p)], "m") for x, p in zip(moved, self.position, strict=True))

    def vector(self, v: Sequence[Any], unit: str = "", axial: bool = False) -> tuple[Any, ...]:
        if not self.turns:
            return tuple(v)
        return tuple(summed(list(zip(row, v, strict=True)), unit) for row in self.matrix * (self.handed if axial else 1.0))

    def functions(self, v: Sequence[Any], axial: bool = False, own: bool = False) -> tuple[Any, ...]:
        """Three functions: expressions, numbers, tables. ``own``: in axes that are turned with the sub-assembly."""
        if not self.turns or (own and not self.mirror):
            return tuple(v)
        matrix = (np.diag(self.signs) if own else self.matrix) * (self.handed if axial else 1.0)
        return tuple(_function([(float(c), x) for c, x in zip(row, v, strict=True) if c]) for row in matrix)

    # -- in axes that are turned with the sub-assembly
    def local(self, u: Any, axial: bool = False) -> Any:
        """Three numbers; a letter is an axis."""
        if not self.mirror or u is None:
            return u
        entries = AXES[u] if isinstance(u, str) and u in AXES else u
        return tuple(_times(s * (self.handed if axial else 1.0), x) for s, x in zip(self.signs, entries, strict=True))

    @staticmethod
    def opposite(x: Any) -> Any:
        """-x of a number, a text with a unit, or an expression of parameters."""
        return _times(-1.0, x)

    def turned(self, rotation: Any) -> Any:
        """Axes in the world: R M R_b M. FieldError if they are of parameters."""
        if not self.turns:
            return rotation
        mirrored = self.local_turn(rotation)
        if self.rotation == IDENTITY:
            return mirrored
        if has_expressions(mirrored):
            raise FieldError("rotation", f"{shown(rotation)} is of parameters, and cannot be turned once more; put the sub-assembly there "
                             "without a rotation, or give numbers")
        return product(self.rotation, TypeAdapter(Rotation).validate_python(mirrored))

    def local_turn(self, rotation: Any) -> Any:
        """M R M, which turns about -M u by the same angle."""
        if not self.mirror or rotation is None:
            return rotation
        if isinstance(rotation, Mapping):
            return {**rotation, "axis": self.local(rotation["axis"], axial=True)} if "axis" in rotation else rotation
        w, *u = q = TypeAdapter(Rotation).validate_python(rotation)
        return written_as((w, *self.local(u, axial=True)), q)

    def place(self, place: Any) -> Any:
        """A frame of a body, or of the ground, as it is written."""
        if isinstance(place, Place):
            return Place(point=self.local(place.point), rotation=self.local_turn(place.rotation))
        if isinstance(place, Mapping):
            return {k: self.local(v) if k == "point" else self.local_turn(v) for k, v in place.items()}
        return self.local(place)

    def ground_place(self, place: Any) -> dict[str, Any]:
        given = place.model_dump() if isinstance(place, Place) else place if isinstance(place, Mapping) else {"point": place}
        rotation = self.turned(given.get("rotation") or IDENTITY)
        return {"point": self.point(given.get("point") or (0.0, 0.0, 0.0)), **({} if rotation == IDENTITY else {"rotation": rotation})}

    def frame(self, frame: Frame) -> Frame:
        if frame.at is not None:
            if self.turns:
                raise FieldError("at", "a frame at a point of the world has axes parallel to the world, which a sub-assembly that is "
                                 "turned or mirrored cannot keep; give the frame in the axes of its body, or at to the joint")
            return Frame(body=frame.body, at=self.point(frame.at))
        if frame.body != "ground":
            return Frame(body=frame.body, frame=frame.frame, point=self.local(frame.point), rotation=self.local_turn(frame.rotation),
                         s=frame.s)
        if frame.frame:  # what is given beside it stands in its place
            return Frame(body="ground", frame=f"{self.name}.{frame.frame}", point=None if frame.point is None else self.point(frame.point),
                         rotation=None if frame.rotation is None else self.turned(frame.rotation))
        moved = self.ground_place({"point": frame.point, "rotation": frame.rotation})
        return Frame(body="ground") if moved == {"point": (0.0, 0.0, 0.0)} else Frame(body="ground", **moved)

    def seen(self, place: str, quantity: str, axis: str) -> str:
        """A component of the position or velocity of a place, in the axes of the sub-assembly: r = (R M)^T (r' - p)."""
        column, moved = self.matrix[:, "xyz".index(axis)], quantity == "position" and any(self.position)
        terms = []
        for k in (k for k in range(3) if column[k]):
            channel = f"{place}.{quantity}.{'xyz'[k]}"
            p = self.position[k]
            away = f"({channel} - {_inner(p)})" if moved and p else channel
            terms.append(away if column[k] == 1 else f"-{away}" if column[k] == -1 else f"{float(column[k])!r}*{away}")
        return terms[0] if len(terms) == 1 and not terms[0].startswith("-") else f"({' + '.join(terms)})"


def summed(terms: Sequence[tuple[float, Any]], unit: str) -> Any:
    """sum c x: a number, or an expression where one of the x is."""
    terms = [(float(c), x) for c, x in terms if c and (is_expression(x) or _number(x, unit))]
    if len(terms) == 1 and terms[0][0] == 1:
        return terms[0][1]
    if not any(is_expression(x) for _, x in terms):
        return sum(c * _number(x, unit) for c, x in terms) + 0.0
    return MARK + " + ".join(_times(c, x)[len(MARK):] if is_expression(x) else f"{c * _number(x, unit)!r} {unit}" for c, x in terms)


def _number(x: Any, unit: str) -> float:
    return float(quantity(x, unit))


def _inner(x: Any) -> str:
    """A number or an expression of parameters inside an expression."""
    return f"({x.lstrip()[len(MARK):]})" if is_expression(x) else f"({x})" if isinstance(x, str) else repr(float(x))


def _times(c: float, x: Any) -> Any:
    """c x of a number, a text with a unit, or an expression of parameters."""
    if c == 1:
        return x
    if is_expression(x):
        return f"{MARK}{'-' if c == -1 else f'{c!r}*'}{_inner(x)}"
    if isinstance(x, str):
        unit = unit_in(x)
        return c * quantity(x, unit) * 1.0 if unit and parse_unit(unit) else c * quantity(x, "")
    return c * float(x) + 0.0


def _function(terms: list[tuple[float, Any]]) -> Any:
    """sum c f: a function of the same kind if there is one term, else an expression; FieldError where there is none."""
    if all(isinstance(f, (int, float)) for _, f in terms):
        return sum(c * f for c, f in terms) + 0.0
    terms = [(c, f) for c, f in terms if not isinstance(f, (int, float)) or f]
    (c, f), alone = terms[0], len(terms) == 1
    if alone and (c == 1 or is_expression(f)):
        return _times(c, f)
    if alone and isinstance(f, Table):
        return Table(**{**f.plain(), "y": [c * y for y in f.plain()["y"]]})
    for _, f in terms:
        if not isinstance(f, (int, float, str)):
            what = "a Table" if isinstance(f, Table) else "a Python function"
            raise FieldError("vector", f"{what} cannot be turned with a sub-assembly; name the table, m.table(...), and write an "
                             "expression of it, or take axes='frame'")
    return " + ".join(f"{'-' if c == -1 else '' if c == 1 else f'{c!r}*'}{_inner(f)}" for c, f in terms)
