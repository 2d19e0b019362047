"""Tables from files: columns of numbers, separated by commas, semicolons, tabs or blanks, perhaps under a line of names."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .suggestions import did_you_mean
from .table import Table
from .table2 import Table2
from .units import parse_unit, shown

LARGEST = 50 * 2**20  # bytes
SEPARATORS = (";", "\t", ",")


class Columns:
    """The columns of a file. ValueError says what is wrong with it, with the line."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        lines = [(k, line) for k, line in enumerate(self._text().splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")]
        if not lines:
            raise ValueError(f"file {shown(str(path))} has no lines with numbers")
        self.separator = next((mark for mark in SEPARATORS if mark in lines[0][1]), None)
        first = self._split(lines[0][1])
        self.names = None if all(map(_is_number, first)) else [word.strip().strip('"') for word in first]
        rows = lines if self.names is None else lines[1:]
        self.values = np.array([self._row(k, line, len(first)) for k, line in rows], float).reshape(len(rows), len(first))

    def _text(self) -> str:
        try:
            if not self.path.is_file():
                raise ValueError(f"file {shown(str(self.path))} {'is not a file' if self.path.exists() else 'not found'}")
            if self.path.stat().st_size > LARGEST:
                raise ValueError(f"file {shown(str(self.path))} has {self.path.stat().st_size / 2**20:.0f} MB, must be at most "
                                 f"{LARGEST // 2**20}")
            if self.path.stat().st_size == 0:  # also what the system makes up while it is read, and may never end
                raise ValueError(f"file {shown(str(self.path))} is empty")
            return self.path.read_text("utf-8-sig")
        except UnicodeDecodeError:
            raise ValueError(f"file {shown(str(self.path))} is not a text in UTF-8") from None
        except OSError as error:
            raise ValueError(f"file {shown(str(self.path))} cannot be read: {error.strerror}") from None

    def _split(self, line: str) -> list[str]:
        return line.split(self.separator) if self.separator else line.split()

    def _row(self, number: int, line: str, count: int) -> list[float]:
        words = self._split(line)
        if len(words) != count:
            raise ValueError(f"file {shown(str(self.path))}, line {number}: {len(words)} entries, must be {count} as in the first line")
        bad = next((word for word in words if not _is_number(word)), None)
        if bad is not None:
            raise ValueError(f"file {shown(str(self.path))}, line {number}: {shown(bad.strip())} is not a number")
        return [float(word) for word in words]

    def column(self, which: Any, unit: str) -> np.ndarray:
        """By its name, or its number from 0 on; in SI units, given in ``unit``."""
        count = self.values.shape[1]
        if isinstance(which, str) and self.names and which in self.names:
            k = self.names.index(which)
        elif isinstance(which, int) and not isinstance(which, bool) and 0 <= which < count:
            k = which
        else:
            there = did_you_mean(str(which), self.names) if self.names else f"; there are columns 0 to {count - 1}"
            raise ValueError(f"file {shown(str(self.path))} has no column {shown(which)}{there}")
        return np.asarray(self.values[:, k] * parse_unit(unit).factor)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def from_file(path: str | Path, x: Any = 0, y: Any = 1, units: Any = ("", ""), **more: Any) -> Table:
    """A table of two columns of a file, each by its name or its number, in these units."""
    units = _units(units, 2)
    columns = Columns(path)
    return Table(columns.column(x, units[0]), columns.column(y, units[1]), **more)


def grid_from_file(path: str | Path, units: Any = ("", "", ""), **more: Any) -> Table2:
    """A table of two variables: y in the first line, x in the first column, z in the others. What stands first in the first line is not
    used."""
    units = _units(units, 3)
    text = Columns(path)
    if text.names is None:
        y, rest = text.values[0, 1:], text.values[1:]
    else:
        try:
            y, rest = np.array([float(word) for word in text.names[1:]]), text.values
        except ValueError:
            raise ValueError(f"file {shown(str(path))}: the first line must have the values of y, after one entry") from None
    factors = [parse_unit(unit).factor for unit in units]
    return Table2(rest[:, 0] * factors[0], y * factors[1], rest[:, 1:] * factors[2], **more)


def _units(units: Any, count: int) -> list[str]:
    if not isinstance(units, (list, tuple)) or len(units) != count or not all(isinstance(unit, str) for unit in units):
        raise ValueError(f"units {shown(units)} must be {count} units, such as {['deg', 'bar', 'N'][:count]}")
    return list(units)
