"""Tables of two variables: values on a grid, joined by straight lines or by cubic splines in both directions."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from .table import Table, check_increase, check_words, column
from .units import MOST, shown

LARGEST = 1_000_000  # values


@dataclass(frozen=True, eq=False)
class Table2:
    """z over x and y: ``z[i][j]`` at ``x[i]``, ``y[j]``. Numbers in SI units; x and y strictly increasing.

    ``kind`` "linear" is bilinear, "cubic" a spline in both directions. ``beyond`` the edges it is "held" at its last value, or
    "extrapolated" along its last slope.
    """
    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    kind: Literal["cubic", "linear"] = "cubic"
    beyond: Literal["held", "extrapolated"] = "held"
    variables: ClassVar[int] = 2

    def __init__(self, x: Any, y: Any, z: Any, kind: Literal["cubic", "linear"] = "cubic",
                 beyond: Literal["held", "extrapolated"] = "held") -> None:
        check_words(kind, beyond)
        for name, values in (("x", x), ("y", y)):
            made = column(name, values)
            if made.size < 2:
                raise ValueError(f"table: {name} has {made.size} values, must be at least 2; a table of one variable has x and y only")
            check_increase(name, made)
            object.__setattr__(self, name, made)
        object.__setattr__(self, "z", _grid(z, self.x.size, self.y.size))
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "beyond", beyond)
        if not np.isfinite(self.coefficients).all():
            raise ValueError("table: x or y values lie too close together for the height of z; drop some")

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Table2) and (self.kind, self.beyond) == (other.kind, other.beyond)
                and all(np.array_equal(getattr(self, k), getattr(other, k)) for k in "xyz"))

    def __hash__(self) -> int:
        return hash((self.kind, self.beyond, self.x.tobytes(), self.y.tobytes(), self.z.tobytes()))

    @cached_property
    def coefficients(self) -> np.ndarray:
        """Of powers a of the distance from x[i] and b of that from y[j], shape (cells in x, cells in y, 4, 4): splines in y of all rows,
        then splines in x of their coefficients."""
        along = np.stack([self._curve(self.y, row) for row in self.z])                  # (nx, cells in y, 4)
        flat = along.reshape(self.x.size, -1)
        both = np.stack([self._curve(self.x, values) for values in flat.T], axis=-1)    # (cells in x, 4, cells in y * 4)
        return np.ascontiguousarray(both.reshape(self.x.size - 1, 4, self.y.size - 1, 4).transpose(0, 2, 1, 3))

    def _curve(self, x: np.ndarray, values: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            try:
                return Table(x, values, self.kind).coefficients
            except ValueError:  # too steep, or numbers that are too large on the way
                return np.full((x.size - 1, 4), np.nan)

    def slice_x(self, at: float) -> Table:
        """The table of y at one x."""
        return Table(self.y, [float(self.evaluate(at, v)) for v in self.y], self.kind, self.beyond)

    def slice_y(self, at: float) -> Table:
        """The table of x at one y."""
        return Table(self.x, [float(self.evaluate(v, at)) for v in self.x], self.kind, self.beyond)

    def evaluate(self, x: Any, y: Any, by: tuple[int, int] = (0, 0)) -> np.ndarray:
        """z at ``x`` and ``y``, numbers or arrays; or a derivative of it, by each so many times."""
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        u, v = np.clip(x, self.x[0], self.x[-1]), np.clip(y, self.y[0], self.y[-1])
        i, j = (np.clip(np.searchsorted(k, w, side="right") - 1, 0, k.size - 2) for k, w in ((self.x, u), (self.y, v)))
        c = self.coefficients[i, j]
        rows = [self._row(d, outside, order) for d, outside, order in ((u - self.x[i], x - u, by[0]), (v - self.y[j], y - v, by[1]))]
        return np.asarray(np.einsum("...a,...ab,...b->...", rows[0], c, rows[1]))

    def _row(self, d: np.ndarray, outside: np.ndarray, order: int) -> np.ndarray:
        """Powers of the distance from the edge of a cell, or a derivative of them, that go on beyond the last edge as the table does."""
        on = float(self.beyond == "extrapolated")
        inner, slope = _powers(d, order), _powers(d, order + 1)
        if order == 0:
            return inner + on * outside[..., None] * slope
        return np.asarray(np.where(outside[..., None] != 0, on * inner if order == 1 else 0.0, inner))

    @cached_property
    def phases(self) -> tuple[np.ndarray, np.ndarray]:
        """As those of a table, along x and along y: of the row or column that changes most."""
        rows = [Table(self.x, values, self.kind).phases for values in self.z.T]
        columns = [Table(self.y, values, self.kind).phases for values in self.z]
        return tuple(np.concatenate([[0.0], np.cumsum(np.max([np.diff(p) for p in all_], axis=0))]) for all_ in (rows, columns))  # type: ignore[return-value]

    def bounds(self, by: tuple[int, int]) -> np.ndarray:
        """Least and largest value of a derivative in each cell, by Bernstein's form, shape (2, cells in x, cells in y)."""
        c, h, k = self.coefficients, np.diff(self.x)[:, None], np.diff(self.y)[None, :]
        for axis, order in ((2, by[0]), (3, by[1])):
            for _ in range(order):
                c = np.moveaxis(c, axis, -1)
                c = np.moveaxis(np.concatenate([c[..., 1:] * np.array([1, 2, 3]), 0 * c[..., :1]], -1), -1, axis)
        scale_x, scale_y = (np.stack([w**p for p in range(4)], -1) for w in (h + 0 * k, k + 0 * h))
        control = np.einsum("pa,ijab,qb->ijpq", BERNSTEIN, c * scale_x[..., :, None] * scale_y[..., None, :], BERNSTEIN)
        return np.stack([control.min((2, 3)), control.max((2, 3))])

    @staticmethod
    def from_csv(path: Any, units: Any = ("", "", ""), kind: Literal["cubic", "linear"] = "cubic",
                 beyond: Literal["held", "extrapolated"] = "held") -> Table2:
        """From a file with y in its first line, x in its first column and z in the others; ``units`` of x, y and z in the file."""
        from .table_files import grid_from_file
        return grid_from_file(path, units, kind=kind, beyond=beyond)

    def plain(self) -> dict[str, Any]:
        """As written in a text model."""
        more = {"beyond": self.beyond} if self.beyond != "held" else {}
        return {"x": self.x.tolist(), "y": self.y.tolist(), "z": self.z.tolist(), "kind": self.kind, **more}


BERNSTEIN = np.array([[1, 0, 0, 0], [1, 1 / 3, 0, 0], [1, 2 / 3, 1 / 3, 0], [1, 1, 1, 1]])  # control points from coefficients


def _powers(d: np.ndarray, order: int) -> np.ndarray:
    """Derivative ``order`` of 1, d, d^2, d^3."""
    one, zero = np.ones_like(d), np.zeros_like(d)
    all_of = ((one, d, d * d, d**3), (zero, one, 2 * d, 3 * d * d), (zero, zero, 2 * one, 6 * d), (zero, zero, zero, 6 * one))
    return np.stack(all_of[order] if order < 4 else (zero,) * 4, -1)


def _grid(z: Any, rows: int, columns: int) -> np.ndarray:
    try:
        made = np.array(z)
    except ValueError:
        made = np.array(None)
    if made.ndim != 2 or made.dtype.kind not in "iuf":
        raise ValueError(f"table: z = {shown(z)}, must be a list of rows of numbers in SI units, one row for each x")
    if made.shape != (rows, columns):
        raise ValueError(f"table: z has {made.shape[0]} rows of {made.shape[1]}, must be {rows} rows (one for each x) of {columns}")
    if made.size > LARGEST:
        raise ValueError(f"table: z has {made.size} values, must be at most {LARGEST}")
    made = made.astype(float)
    if not (abs(made) <= MOST).all():
        raise ValueError(f"table: z must be finite and within {MOST:g}")
    made.flags.writeable = False
    return made
