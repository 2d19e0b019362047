"""Nastran OUTPUT4 matrices (.op4): text and binary, dense and sparse (BIGMAT or not), real. Rows are all unknowns of all nodes, six
for each by rising number (the g-set). Written after the manual; no licensed program has checked it."""
from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

from ...functions.units import shown
from .matrices import Labelled
from .registry import reads_matrices
from .source import FileError, Source

BIG = 65536


@reads_matrices(".op4", rank=3)
def read_op4_pair(path: str | Path) -> Labelled:
    """Stiffness and mass: the matrices whose names begin with K and M."""
    found = read_op4(path)
    chosen = []
    for letter, what in (("K", "stiffness"), ("M", "mass")):
        names = [n for n in found if n.upper().startswith(letter)]
        if len(names) != 1:
            raise FileError(f"{path}: one matrix whose name begins with {letter} is needed as the {what}; there are {', '.join(found)}")
        chosen.append(found[names[0]])
    return Labelled(f"OP4 matrices of {Path(path).name}", None, *chosen)


def read_op4(path: str | Path) -> dict[str, Any]:
    """All matrices of a file by name, sparse."""
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    data = file.read_bytes() if file.stat().st_size else b""
    if len(data) < 24:
        raise FileError(f"{path}: is too short to hold a matrix")
    return _Binary(file, data).matrices() if b"\0" in data[:8] else _Text(file).matrices()


def unlikely(rows: int, columns: int, size: int) -> str:
    """A sentence if a stiffness or mass matrix of that size cannot be in a file of so many bytes."""
    if columns == abs(rows) and 1 <= columns <= size:
        return ""
    return f"has {abs(rows)} rows and {columns} columns; a square matrix with entries in every row is read, in a file of {size} bytes"


class _Triplets:
    """Entries of one matrix on their way."""

    def __init__(self, rows: int, columns: int) -> None:
        self.shape = (abs(rows), columns)
        self.i: list[np.ndarray] = []
        self.j: list[np.ndarray] = []
        self.v: list[np.ndarray] = []

    def add(self, row: int, column: int, values: np.ndarray) -> str:
        """Values from a row (from 1) on; a sentence if they do not fit."""
        if row < 1 or row - 1 + len(values) > self.shape[0] or not 1 <= column <= self.shape[1]:
            return f"entries from row {row} to {row - 1 + len(values)} in column {column} are outside a matrix of {self.shape}"
        if not np.isfinite(values).all():
            return f"column {column} holds numbers that are not finite"
        self.i.append(np.arange(row - 1, row - 1 + len(values)))
        self.j.append(np.full(len(values), column - 1))
        self.v.append(values)
        return ""

    def matrix(self) -> Any:
        import scipy.sparse as sp
        if not self.v:
            return sp.csr_matrix(self.shape)
        a = sp.csr_matrix((np.concatenate(self.v), (np.concatenate(self.i), np.concatenate(self.j))), shape=self.shape)
        a.eliminate_zeros()
        return a


class _Text:
    def __init__(self, path: Path) -> None:
        self.source, self.at = Source(path), 0

    def next(self, what: str) -> str:
        if self.at >= len(self.source.lines):
            raise self.source.fail(len(self.source.lines), f"the file ends where {what} should follow; it is cut off")
        self.at += 1
        return self.source.lines[self.at - 1]

    def wholes(self, text: str, width: int, count: int, what: str) -> list[int]:
        words = [text[width * k:width * (k + 1)] for k in range(count)]
        if len(text.split()) == count and not all(w.strip() for w in words):
            words = text.split()
        return [self.source.whole(w, self.at, what) for w in words]

    def matrices(self) -> dict[str, Any]:
        found = {}
        while self.at < len(self.source.lines):
            head = self.next("a matrix")
            if not head.strip():
                continue
            columns, rows, _, kind = self.wholes(head, 8, 4, "a number of columns, rows, form or type")
            name, form = head[32:40].strip(), head[40:].strip()
            width = self.width(form)
            if kind not in (1, 2):
                raise self.source.fail(self.at, f"{name} has numbers of type {kind}; real ones (1, 2) are read")
            if told := unlikely(rows, columns, sum(map(len, self.source.lines))):
                raise self.source.fail(self.at, f"{name} {told}")
            found[name] = self.one(rows, columns, kind, width)
        return found

    def width(self, form: str) -> int:
        import re
        match = re.search(r"(\d+)[EDF](\d+)\.(\d+)", form.upper())
        if form and not match:
            raise self.source.fail(self.at, f"the format {shown(form)} of the numbers is not understood")
        return int(match[2]) if match else 16

    def one(self, rows: int, columns: int, kind: int, width: int) -> Any:
        t = _Triplets(rows, columns)
        while True:
            column, row, words = self.wholes(self.next("a column"), 8, 3, "a column, row or count")
            if column > columns:
                self.numbers(max(words, 1), width)
                return t.matrix()
            if row > 0:
                self.put(t, row, column, self.numbers(words, width))
                continue
            while words > 0:
                text = self.next("a string")
                if rows < 0:
                    count, row = self.wholes(text, 8, 2, "a length or row")
                    count -= 1
                    words -= 2
                else:
                    (head,) = self.wholes(text, max(len(text), 8), 1, "the head of a string")
                    count, row = head // BIG - 1, head % BIG
                    words -= 1
                if count < 1 or count > words:
                    raise self.source.fail(self.at, f"the string has {count} words, {words} are left in its column")
                words -= count
                self.put(t, row, column, self.numbers(count // kind, width))

    def put(self, t: _Triplets, row: int, column: int, values: np.ndarray) -> None:
        if told := t.add(row, column, values):
            raise self.source.fail(self.at, told)

    def numbers(self, count: int, width: int) -> np.ndarray:
        if count < 0 or count > 10**9:
            raise self.source.fail(self.at, f"{count} is no count of numbers")
        found: list[float] = []
        while len(found) < count:
            text = self.next("numbers").rstrip()
            found += [self.source.real(text[k:k + width], self.at) for k in range(0, len(text), width)]
            if not text:
                raise self.source.fail(self.at, "is empty, numbers should follow")
        if len(found) > count:
            raise self.source.fail(self.at, f"has more numbers than its column says ({count})")
        return np.array(found)


class _Binary:
    def __init__(self, path: Path, data: bytes) -> None:
        self.path, self.data, self.at = path, data, 0
        self.order = "<" if struct.unpack_from("<i", data)[0] == 24 else ">"
        if struct.unpack_from(self.order + "i", data)[0] != 24:
            raise FileError(f"{path}: is not an OP4 file of 32-bit integers; write it with BIGMAT or as text")

    def record(self) -> bytes:
        def whole(at: int) -> int:
            if at + 4 > len(self.data):
                raise FileError(f"{self.path}: byte {at}: the file is cut off")
            return int(struct.unpack_from(self.order + "i", self.data, at)[0])
        size = whole(self.at)
        if size < 0 or self.at + 8 + size > len(self.data):
            raise FileError(f"{self.path}: byte {self.at}: a record of {size} bytes does not end in the file; it is cut off")
        if whole(self.at + 4 + size) != size:
            raise FileError(f"{self.path}: byte {self.at}: the ends of a record do not agree")
        found = self.data[self.at + 4:self.at + 4 + size]
        self.at += 8 + size
        return found

    def wholes(self, record: bytes, count: int) -> tuple[int, ...]:
        if len(record) < 4 * count:
            raise FileError(f"{self.path}: byte {self.at}: a record of {len(record)} bytes is too short")
        return struct.unpack_from(f"{self.order}{count}i", record)

    def matrices(self) -> dict[str, Any]:
        found = {}
        while self.at < len(self.data):
            record = self.record()
            if len(record) != 24:
                raise FileError(f"{self.path}: byte {self.at}: a record of {len(record)} bytes is no head of a matrix")
            columns, rows, _, kind = self.wholes(record, 4)
            name = record[16:].decode("latin-1").strip()
            if kind not in (1, 2):
                raise FileError(f"{self.path}: {name} has numbers of type {kind}; real ones (1, 2) are read")
            if told := unlikely(rows, columns, len(self.data)):
                raise FileError(f"{self.path}: byte {self.at}: {name} {told}")
            found[name] = self.one(rows, columns, kind)
        return found

    def one(self, rows: int, columns: int, kind: int) -> Any:
        t = _Triplets(rows, columns)
        while True:
            record = self.record()
            column, row, words = self.wholes(record, 3)
            if column > columns:
                return t.matrix()
            body = record[12:12 + 4 * max(words, 0)]
            if len(body) != 4 * words:
                raise FileError(f"{self.path}: byte {self.at}: column {column} says {words} words and has {(len(record) - 12) // 4}")
            if row > 0:
                self.put(t, row, column, body, kind)
                continue
            at = 0
            while at < len(body):
                if rows < 0:
                    count, row = self.wholes(body[at:], 2)
                    count, at = count - 1, at + 8
                else:
                    (head,) = self.wholes(body[at:], 1)
                    count, row, at = head // BIG - 1, head % BIG, at + 4
                if count < 1 or at + 4 * count > len(body):
                    raise FileError(f"{self.path}: byte {self.at}: a string of {count} words does not end in its column")
                self.put(t, row, column, body[at:at + 4 * count], kind)
                at += 4 * count

    def put(self, t: _Triplets, row: int, column: int, body: bytes, kind: int) -> None:
        if len(body) % (4 * kind):
            raise FileError(f"{self.path}: byte {self.at}: {len(body)} bytes are no whole number of values")
        if told := t.add(row, column, np.frombuffer(body, f"{self.order}f{4 * kind}").astype(float)):
            raise FileError(f"{self.path}: byte {self.at}: {told}")
