"""Text files of FE programs: lines with their numbers, numbers as Fortran writes them, and errors that name file and line."""
from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...functions.units import shown

FORTRAN = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[dDeE]([+-]?\d+)|([+-]\d+))")


class FileError(ValueError):
    """What is wrong in a file, with its line."""


@contextmanager
def about(path: str | Path) -> Iterator[None]:
    """What is wrong inside is about a file."""
    try:
        yield
    except FileError:
        raise
    except ValueError as error:
        raise FileError(f"{path}: {error}") from None


class Source:
    """The lines of a file, numbered from 1. Any line ends are read; bytes that are not UTF-8 count as Latin-1 (names and comments)."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"there is no file {str(path)!r}")
        data = self.path.read_bytes() if self.path.stat().st_size else b""  # files in /proc seem empty, and may never end
        if (at := data[:4096].find(b"\0")) >= 0:
            raise FileError(f"{path}: byte {at}: is a binary file or UTF-16 text; this format is read as plain text, export it so")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        self.ended = text.endswith(("\n", "\r"))
        self.lines = re.split(r"\r\n|\n|\r", text)
        if self.lines and not self.lines[-1]:
            self.lines.pop()
        if not any(line.strip() for line in self.lines):
            raise FileError(f"{path}: is empty")

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return enumerate(self.lines, start=1)

    def fail(self, line: int, message: str) -> FileError:
        """For ``raise``."""
        return FileError(f"{self.path}:{line}: {message}")

    def included(self, name: str, line: int) -> Source:
        """Another file that a line names, seen from the folder of this one."""
        path = self.path.parent / name
        try:
            there = path.is_file()
        except (OSError, ValueError):  # a name that no file can have
            there = False
        if not there:
            raise self.fail(line, f"the included file {shown(name)} does not exist beside {self.path.name}")
        return Source(path)

    def real(self, text: str, line: int, what: str = "a number") -> float:
        """A number, also 1.5D-3 and 1.5-3."""
        found = real(text)
        if found is None:
            raise self.fail(line, f"{shown(text.strip())} must be {what}")
        return found

    def whole(self, text: str, line: int, what: str = "a whole number") -> int:
        found = whole(text)
        if found is None:
            raise self.fail(line, f"{shown(text.strip())} must be {what}")
        return found


def real(text: str) -> float | None:
    """A finite number as Fortran or C writes it; None if it is none."""
    text = text.strip()
    if not text.isascii() or "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        found = FORTRAN.fullmatch(text)
        if not found:
            return None
        value = float(f"{found[1]}e{found[2] or found[3]}")
    return value if math.isfinite(value) else None


def whole(text: str) -> int | None:
    """A whole number, also written as 12. or 12.0; None if it is none."""
    text = text.strip()
    if text.isdigit() and text.isascii() and len(text) < 19:
        return int(text)
    if re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII):
        return int(text)
    value = real(text) if re.fullmatch(r"[+-]?\d+\.0*", text, re.ASCII) else None
    return None if value is None or abs(value) > 2**53 else int(value)
