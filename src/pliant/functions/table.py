"""Tables: functions of one variable given by points. Those of two are in `table2`."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from .units import MOST, shown

FEW = 500   # points: steps pass two of them at most
FINE = 8    # parts of an interval in which a cubic is followed


@dataclass(frozen=True, eq=False)
class Table:
    """y over x. Numbers in SI units; x strictly increasing.

    ``kind`` "cubic" is a spline with continuous curvature (not-a-knot; natural for three points, a line for two). ``beyond`` the ends it
    is "held" at its last value, or "extrapolated" along its last slope.
    """
    x: np.ndarray
    y: np.ndarray
    kind: Literal["cubic", "linear"] = "cubic"
    beyond: Literal["held", "extrapolated"] = "held"
    variables: ClassVar[int] = 1

    def __init__(self, x: Any, y: Any, kind: Literal["cubic", "linear"] = "cubic",
                 beyond: Literal["held", "extrapolated"] = "held") -> None:
        for name, values in (("x", x), ("y", y)):
            object.__setattr__(self, name, column(name, values))
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "beyond", beyond)
        check_words(kind, beyond)
        if len(self.x) != len(self.y):
            raise ValueError(f"table: x has {len(self.x)} values and y has {len(self.y)}, must be as many")
        if len(self.x) < 2:
            raise ValueError(f"table: {len(self.x)} points, must be at least 2; "
                             "a constant needs no table, give the number")
        check_increase("x", self.x)
        with np.errstate(all="ignore"):
            slopes = np.diff(self.y) / np.diff(self.x)
        if not (np.isfinite(slopes).all() and np.isfinite(self.coefficients).all()):
            raise ValueError("table: x values lie too close together for the height of y; drop some")

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Table) and (self.kind, self.beyond) == (other.kind, other.beyond)
                and np.array_equal(self.x, other.x) and np.array_equal(self.y, other.y))

    def __hash__(self) -> int:
        return hash((self.kind, self.beyond, self.x.tobytes(), self.y.tobytes()))

    @cached_property
    def coefficients(self) -> np.ndarray:
        """Of the powers 0 to 3 of the distance from the left end of the interval, shape (n - 1, 4)."""
        if self.kind == "linear" or len(self.x) == 2:
            slope = np.diff(self.y) / np.diff(self.x)
            return np.column_stack([self.y[:-1], slope, 0 * self.x[1:], 0 * self.x[1:]])
        from scipy.interpolate import CubicSpline
        try:
            with np.errstate(all="ignore"):
                spline = CubicSpline(self.x, self.y, bc_type="natural" if len(self.x) == 3 else "not-a-knot")
        except ValueError:  # numbers beyond 1e308 on the way
            return np.full((len(self.x) - 1, 4), np.nan)
        return np.ascontiguousarray(spline.c[::-1].T)

    @cached_property
    def phases(self) -> np.ndarray:
        """Growing with x, by one where a step of error control is to see the table: it has passed a quarter of its range, or, where there
        are not very many points, two of them. At all x."""
        with np.errstate(all="ignore"):
            inside = np.linspace(self.x[:-1], self.x[1:], FINE + 1, axis=1)
            passed = abs(np.diff(self.evaluate(inside), axis=1)).sum(1) / max(np.ptp(self.y) / 4, 1e-300)
        return np.concatenate([[0.0], np.cumsum(np.maximum(passed, 0.5 if len(self.x) <= FEW else 0.0))])

    def evaluate(self, x: Any, order: int = 0) -> np.ndarray:
        """y at ``x``, a number or an array; or a derivative of it."""
        given = np.asarray(x, dtype=float)
        inside = np.clip(given, self.x[0], self.x[-1])
        k = np.clip(np.searchsorted(self.x, inside, side="right") - 1, 0, len(self.x) - 2)
        d, c = inside - self.x[k], self.coefficients[k]
        slope = np.where(given < inside, self.end_slopes[0], self.end_slopes[1])
        if order == 0:
            found = c[..., 0] + d * (c[..., 1] + d * (c[..., 2] + d * c[..., 3]))
            return np.where(given != inside, found + (given - inside) * slope, found)
        curve = (c[..., 1] + d * (2 * c[..., 2] + 3 * d * c[..., 3]), 2 * c[..., 2] + 6 * d * c[..., 3], 6 * c[..., 3])[order - 1]
        return np.where(given != inside, slope if order == 1 else 0.0, curve)

    @cached_property
    def end_slopes(self) -> tuple[float, float]:
        """Beyond the first and the last point."""
        if self.beyond == "held":
            return 0.0, 0.0
        (_, first, _, _), (_, b, c, d), h = self.coefficients[0], self.coefficients[-1], self.x[-1] - self.x[-2]
        return float(first), float(b + h * (2 * c + 3 * h * d))

    @staticmethod
    def from_csv(path: Any, x: Any = 0, y: Any = 1, units: Any = ("", ""), kind: Literal["cubic", "linear"] = "cubic",
                 beyond: Literal["held", "extrapolated"] = "held") -> Table:
        """From two columns of a file, each by its name or its number from 0 on; ``units``: those of the file."""
        from .table_files import from_file
        return from_file(path, x, y, units, kind=kind, beyond=beyond)

    def plain(self) -> dict[str, Any]:
        """As written in a text model."""
        more = {"beyond": self.beyond} if self.beyond != "held" else {}
        return {"x": self.x.tolist(), "y": self.y.tolist(), "kind": self.kind, **more}


def check_words(kind: Any, beyond: Any) -> None:
    """How points are joined, and what is beyond them."""
    if kind not in ("cubic", "linear"):
        raise ValueError(f"table: kind = {shown(kind)}, must be 'cubic' or 'linear'")
    if beyond not in ("held", "extrapolated"):
        raise ValueError(f"table: beyond = {shown(beyond)}, must be 'held' or 'extrapolated'")


def check_increase(name: str, x: np.ndarray) -> None:
    for i in np.flatnonzero(np.diff(x) <= 0)[:1]:
        raise ValueError(f"table: {name}[{i + 1}] = {x[i + 1]:g} follows {name}[{i}] = {x[i]:g}, "
                         f"{name} must increase strictly; sort the points and drop double ones")


def column(name: str, values: Any) -> np.ndarray:
    try:
        column = np.array(values)
    except ValueError:
        column = np.array(None)
    if column.ndim != 1 or column.dtype.kind not in "iuf":
        raise ValueError(f"table: {name} = {shown(values)}, must be a list of numbers in SI units")
    column = column.astype(float)
    for i in np.flatnonzero(~(abs(column) <= MOST))[:1]:
        raise ValueError(f"table: {name}[{i}] = {column[i]:g}, must be finite and within {MOST:g}")
    column.flags.writeable = False
    return column
