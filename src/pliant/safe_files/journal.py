"""The journal of a run: its rows on disk while it goes on, so that whatever ends it loses nothing. Layout: docs/results.md

A file RUN.part beside the file of results, only appended to. Records carry their length and a checksum; one that was cut off is
ignored. The run holds a lock on it, which the system releases however the process ends. Where an earlier run left such a file, the
new one is written to RUN.part.new and takes the name at its first checkpoint.
"""
from __future__ import annotations

import json
import os
import struct
import time
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np

from .hdf5 import hold

MAGIC = b"pliant journal 1\n"
PREFIX = struct.Struct("<4sQI")  # kind, length of what follows, CRC-32 of kind and what follows
HEAD, ROWS, MARK, EVENTS = b"HEAD", b"ROWS", b"MARK", b"EVNT"
SYNC = 10.0                      # s: checkpoints reach the disk itself so often; until then they survive all but a power cut
ROOM, PAUSE = 16 * 2**20, 10.0   # bytes that checkpoints may take beyond those of rows; if they do, one is written every so many s
Content = tuple[dict[str, Any], dict[str, np.ndarray]]


def part_of(target: Path) -> Path:
    """The journal that belongs to a file of results."""
    return target.with_name(f"{target.name}.part")


class Journal:
    """Of one run with ``out=target``. Nothing of an earlier journal is lost before this one has a checkpoint of its own."""

    def __init__(self, target: Path, record: list[str] | None = None) -> None:
        self.target, self.path, self.record = target, part_of(target), record
        self.lock = self._locked(self.path, "ab")
        self.file: BinaryIO | None = None
        self.own = self.path     # where this run is written
        self.rows = self.good = 0  # rows and bytes written
        self.marked, self.synced = 0.0, time.monotonic()
        self.broken = False
        if os.fstat(self.lock.fileno()).st_size and not is_journal(self.path):
            self.lock.close()
            raise ValueError(f"cannot write {str(target)!r}: {self.path.name!r} beside it is not a journal of pliant; move it away")

    def _locked(self, path: Path, mode: str) -> BinaryIO:
        """The file, held by this process alone."""
        while True:
            file: BinaryIO = open(path, mode, buffering=0)  # type: ignore[assignment]  # noqa: SIM115
            try:
                hold(file, exclusive=True)
                if os.path.samestat(os.stat(path), os.fstat(file.fileno())):
                    return file
            except FileNotFoundError:  # removed by its owner just now
                pass
            except BlockingIOError:
                file.close()
                raise BlockingIOError(f"cannot write {str(self.target)!r}: another run is writing it{_writer(path)}; wait for its end or "
                                      "choose another name") from None
            file.close()

    # -- writing
    def begin(self, facts: dict[str, Any], least: int = 0, attached: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """A run starts; several passes of one may follow each other. ``least``: rows in the earlier journal, if the run goes on with it;
        ``attached``: bytes by name, which `attached` gives back."""
        if self.file:
            self.file.close()
        self.own = self.path.with_name(f"{self.path.name}.new") if has_rows(self.path) else self.path
        self.file = open(self.own, "wb", buffering=0)  # noqa: SIM115
        self.rows, self.good, self.least, self.marked, self.marks = 0, 0, least, 0.0, 0
        self._write(MAGIC)
        lengths = {name: len(data) for name, data in attached.items()}
        padded = {name: np.frombuffer(data + bytes(-len(data) % 8), "<f8") for name, data in attached.items()}
        self._record(HEAD, facts | {"record": self.record, "process": os.getpid(), "attached": lengths}, padded)

    def add(self, states: np.ndarray, energies: np.ndarray, report: np.ndarray, counts: dict[str, int]) -> None:
        """Rows as they came, and what the run cost so far."""
        self._record(ROWS, {"counts": counts}, {"states": states, "energies": energies, "report": report})
        self.rows += len(states)
        if self.least:
            self._take_over()

    def note_events(self, log: np.ndarray, omitted: int) -> None:
        """What happened, as it came; ``omitted``: how much of it was too much to be kept, so far."""
        self._record(EVENTS, {"omitted": omitted}, {"events": log})

    def mark(self, memory: dict[str, np.ndarray], first: bool = False) -> None:
        """A checkpoint. ``first``: that from which the run starts."""
        now = time.monotonic()
        if 2 * self.marks > self.good + ROOM and self.own == self.path and now - self.marked < PAUSE:
            return
        before = self.good
        self._record(MARK, {}, memory)
        self.marks += self.good - before
        if self.least or not first:
            self._take_over()
        self.marked = now
        if now - self.synced > SYNC:
            os.fsync(self._open().fileno())
            self.synced = now

    @property
    def safe(self) -> bool:
        """Whether the rows so far will outlast the process."""
        return self.own == self.path and self.rows > 0

    def _open(self) -> BinaryIO:
        assert self.file is not None
        return self.file

    def _record(self, kind: bytes, head: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        pieces = {name: np.ascontiguousarray(array, "<f8") for name, array in arrays.items()}
        text = json.dumps(head | {"arrays": {name: array.shape for name, array in pieces.items()}}).encode()
        parts: list[Any] = [struct.pack("<I", len(text)), text, *(a.reshape(-1).view(np.uint8).data for a in pieces.values())]
        length, crc = 0, zlib.crc32(kind)
        for part in parts:
            length, crc = length + len(part), zlib.crc32(part, crc)
        self._write(PREFIX.pack(kind, length, crc), *parts)

    def _write(self, *parts: Any) -> None:
        """Append; what a full disk takes of a record is ignored by readers."""
        file = self._open()
        try:
            for part in parts:
                rest = memoryview(part)
                while rest:
                    rest = rest[file.write(rest):]
        except OSError:
            self.broken = True
            raise
        self.good += sum(len(part) for part in parts)

    def _take_over(self) -> None:
        """The new journal takes the place of the earlier one, unless that one is its own first part and still longer."""
        if self.own == self.path or not self.marks or self.rows < self.least:
            return
        lock = self._locked(self.own, "ab")
        self._open().close()
        os.replace(self.own, self.path)
        self.lock.close()
        self.lock, self.own = lock, self.path
        self.file = open(self.path, "ab", buffering=0)  # noqa: SIM115

    # -- the end
    def remove(self, earlier: bool) -> None:
        """The rows are in the file of results now; ``earlier``: what an earlier run left is out of date as well."""
        self._shut()
        self.own.unlink(missing_ok=True)
        if earlier:
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Leave the journal there, if it has a checkpoint or nothing else is lost for it."""
        self._shut()
        if self.own != self.path:
            self.own.unlink(missing_ok=True)
        elif self.rows == 0 and self.path.exists() and os.path.samestat(now := os.stat(self.path), os.fstat(self.lock.fileno())):
            if now.st_size == 0 or self.good:  # nothing of an earlier run, and the new one had not begun
                self.path.unlink()
        self.lock.close()

    def _shut(self) -> None:
        if self.file:
            self.file.close()
            self.file = None


# -- reading
def is_journal(path: Path) -> bool:
    """Whether a file is one, to go by how it begins."""
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def has_rows(path: Path) -> bool:
    """Whether there is something of a run in a journal."""
    try:
        return any(kind == ROWS for kind, *_ in records(path))
    except (ValueError, OSError):
        return False


def is_written(path: Path) -> bool:
    """Whether a process is writing the journal at this moment."""
    with open(path, "rb") as file:
        try:
            hold(file, exclusive=False)
        except BlockingIOError:
            return True
    return False


def _writer(path: Path) -> str:
    try:
        number = next(head.get("process") for kind, head, _ in records(path) if kind == HEAD)
    except (ValueError, OSError, StopIteration):
        return ""
    return f" (process {number})"


def records(path: Path) -> Iterator[tuple[bytes, dict[str, Any], dict[str, np.ndarray]]]:
    """Kind, head and arrays of all records up to the end or the first that is cut off or damaged."""
    with open(path, "rb") as file:
        for kind, head, arrays, _ in records_from(file, 0, os.fstat(file.fileno()).st_size):
            yield kind, head, arrays


def records_from(file: BinaryIO, start: int, size: int) -> Iterator[tuple[bytes, dict[str, Any], dict[str, np.ndarray], int]]:
    """The same from the byte ``start``, 0 or where a record ended, with the byte at which each ends: for files that grow."""
    file.seek(0)
    if file.read(len(MAGIC)) != MAGIC:
        return
    file.seek(max(start, len(MAGIC)))
    while len(prefix := file.read(PREFIX.size)) == PREFIX.size:
        kind, length, crc = PREFIX.unpack(prefix)
        if length > size - file.tell():
            return
        payload = file.read(length)
        if len(payload) != length or zlib.crc32(payload, zlib.crc32(kind)) != crc:
            return
        yield kind, *_decoded(payload), file.tell()


def attached(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, bytes]:
    """What was attached to the beginning of a journal; ValueError if that contradicts itself."""
    try:
        lengths = {str(name): int(length) for name, length in (head.get("attached") or {}).items()}
        data = {name: arrays[name].tobytes() for name in lengths}
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ValueError(f"what is attached to it cannot be read: {error}") from error
    if any(not 0 <= lengths[name] <= len(whole) for name, whole in data.items()):
        raise ValueError("what is attached to it is longer than it is")
    return {name: whole[:lengths[name]] for name, whole in data.items()}


def _decoded(payload: bytes) -> Content:
    """Head and arrays of a record; ValueError if it contradicts itself."""
    start = 4 + int.from_bytes(payload[:4], "little")
    try:
        head = json.loads(payload[4:start])
        shapes = {str(name): tuple(int(n) for n in shape) for name, shape in head.pop("arrays").items()}
        arrays = {}
        for name, shape in shapes.items():
            if len(shape) not in (1, 2) or min(shape) < 0:
                raise ValueError(f"shape {shape}")
            count = shape[0] * (shape[1] if len(shape) == 2 else 1)
            arrays[name] = np.frombuffer(payload, "<f8", count, start).reshape(shape)
            start += 8 * count
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"a record of it cannot be read: {error}") from error
    return head, arrays
