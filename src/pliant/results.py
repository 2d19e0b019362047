"""Files of results: a run as HDF5, written in one piece, read channel by channel. Layout: docs/results.md"""
from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .solution import Quality, Recorded, Solution, Stored

if TYPE_CHECKING:
    from .channels import Observer
    from .model import Model

FORMAT = 1      # version of the layout
COLUMNS = 4000  # of channels written when the user does not say which
CHUNK = 4096    # rows


# -- writing
def save(sol: Solution, path: str | Path, record: list[str] | None = None) -> None:
    """Write a run to an HDF5 file: states, the model as text, and the channels that match ``record``.

    Without ``record`` all channels are written if they have at most 4000 columns, else those of bodies, joints and forces up
    to that number. The file appears under its name when it is complete; an older one stays until then.
    """
    target = check_target(path)
    chosen, note = _choose(sol, record)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with _Disk(part, "w+") as disk:
            _write(sol, disk, chosen, note)
            if disk.error:
                raise disk.error
            os.fsync(disk.fileno())
        os.replace(part, target)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(f"cannot write {str(path)!r}: {reason}; make room or choose another folder") from error
    finally:
        part.unlink(missing_ok=True)


class _Disk(io.FileIO):
    """A file that keeps its first fault and swallows what comes after: HDF5 does not survive a write that fails."""
    error: OSError | None = None

    def write(self, data: Any) -> int:
        rest = memoryview(data).cast("B")
        size = len(rest)
        try:
            while rest and not self.error:
                rest = rest[super().write(rest) or 0:]
        except OSError as error:
            self.error = error
        return size

    def truncate(self, size: int | None = None) -> int:
        try:
            return self.tell() if self.error else super().truncate(size)
        except OSError as error:
            self.error = error
            return self.tell()


def check_target(path: str | Path) -> Path:
    """The path as absolute, if a file can be written there; a sentence if not."""
    target = Path(path).absolute()
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {str(path)!r}: it is a folder; give the name of a file, such as run.h5")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot write {str(path)!r}: there is no folder {str(Path(path).parent)!r}; "
                                "make it or choose another")
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"cannot write {str(path)!r}: its folder is read-only; choose another")
    return target


def _choose(sol: Solution, record: list[str] | None) -> tuple[list[str], str]:
    """The channels to write, and a note if they are fewer than the user may expect."""
    if record is not None:
        return sol.select(*([record] if isinstance(record, str) else record)), ""
    if sol.stored:
        return list(sol.recorded), ""
    observer = sol._observer
    assert observer is not None  # a run in memory has its compiled model
    columns = {name: n for name, (_, n) in observer.catalogue.items()}
    if sum(columns.values()) <= COLUMNS:
        return list(columns), ""
    ranks = {name: _rank(observer, name) for name in columns}
    chosen, left = set(), COLUMNS
    for name in sorted((n for n in columns if ranks[n] is not None), key=lambda n: ranks[n] or 0):
        if columns[name] > left:
            break
        left -= columns[name]
        chosen.add(name)
    note = f"{len(chosen)} of {len(columns)} channels, by default at most {COLUMNS} columns; record=[...] chooses others"
    return [n for n in columns if n in chosen], note


def _rank(observer: Observer, channel: str) -> int | None:
    """Which channels come first when there are too many: forces, then poses of bodies, then joints; None: frames."""
    head, _, quantity = channel.rpartition(".")
    if head in observer.directory.joints:
        return 3
    if head not in observer.directory.frames:
        return 0
    if "." in head:
        return None
    return 1 if quantity in ("position", "rotation") else 2


def _write(sol: Solution, disk: _Disk, chosen: list[str], note: str) -> None:
    import h5py

    from . import __version__
    model, why = _model_text(sol)
    with h5py.File(disk, "w") as f:
        root = {"pliant": FORMAT, "version": __version__, "name": sol.name, "complete": bool(sol.complete),
                "step": float(sol.step), "stride": int(sol.stride),
                "method": json.dumps({"kind": sol.method.kind, **asdict(sol.method)}),
                "quality": json.dumps(asdict(sol.quality)), "model": model, "id": _identity(sol.rows)}
        for name, value in root.items():
            f.attrs[name] = value
        if why:
            f.attrs["model_note"] = why
        _dataset(f, "t", sol.t).attrs["unit"] = "s"
        _dataset(f, "states", sol.rows)
        _dataset(f, "energies", sol.energies).attrs["unit"] = "J"
        memory = f.create_group("memory")
        for name, array in sol.memory.items():
            memory.create_dataset(name, data=np.asarray(array, np.float64), dtype="<f8")
        channels = f.create_group("channels", track_order=True)
        for name in chosen:
            if disk.error:
                return
            _dataset(channels, name, sol[name]).attrs["unit"] = sol.unit(name)
        kept = set(chosen)
        channels.attrs["others"] = json.dumps({n: u for n, u in sol.units.items() if n not in kept} if model else {})
        if note:
            channels.attrs["note"] = note


def _dataset(group: Any, name: str, value: np.ndarray) -> Any:
    value = np.asarray(value, np.float64)
    chunks = (max(1, min(CHUNK, len(value))), *value.shape[1:])
    return group.create_dataset(name, data=value, dtype="<f8", chunks=chunks, maxshape=(None, *value.shape[1:]))


def _model_text(sol: Solution) -> tuple[str, str]:
    """The model as YAML, or nothing and why."""
    if sol.model is None:
        return "", (sol.stored.note if sol.stored else "") or "the run has no model"
    names = [f"{item.kind} {item.name!r}" for item in sol.model if any(map(_is_python, item.__dict__.values()))]
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return "", f"{names[0]}{more} uses a Python function, which cannot be written to a file; use an expression or a Table"
    from .text import to_text
    try:
        return to_text(sol.model), ""
    except ValueError as error:
        return "", f"the model cannot be written as text: {error}"


def _is_python(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_python, value))
    return callable(value) and type(value).__name__ != "Table"


def _identity(rows: np.ndarray) -> str:
    """Tells whether two files hold the same run."""
    return hashlib.blake2b(np.ascontiguousarray(rows).data, digest_size=16).hexdigest()


# -- reading
def load(path: str | Path) -> Solution:
    """Read a run from a file written by `save`. Channels are read when they are asked for; those that were not recorded are
    computed from the states by the model in the file."""
    from .simulation import integrator_of
    absolute = Path(path).absolute()
    with _opened(absolute, str(path)) as f:
        try:
            states, energies = f["states"][()], f["energies"][()]
            memory = {name: array[()] for name, array in f["memory"].items()}
            units = {name: str(dataset.attrs["unit"]) for name, dataset in f["channels"].items()}
            others = json.loads(f["channels"].attrs["others"])
            a = dict(f.attrs)
            method, quality = integrator_of(json.loads(a["method"])), _quality(json.loads(a["quality"]))
            recorded: Recorded = {name: (unit, _reader(absolute, name, str(a["id"]))) for name, unit in units.items()}
            make: Callable[[], Model] | None = partial(_from_text, str(a["model"])) if a["model"] else None
            stored = Stored(str(a["name"]), recorded, others, make, str(a.get("model_note", "")))
            return Solution(None, None, states, energies, quality, complete=bool(a["complete"]), method=method,
                            step=float(a["step"]), stride=int(a["stride"]), memory=memory, stored=stored)
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise ValueError(f"{str(path)!r} is damaged: {error}; write it again with sol.save") from error


def _from_text(text: str) -> Model:
    from .text import from_text
    return from_text(text)


def _quality(values: dict[str, Any]) -> Quality:
    return Quality(**{f.name: values[f.name] for f in fields(Quality) if f.name in values})


def _reader(path: Path, channel: str, identity: str) -> Callable[[], np.ndarray]:
    def read() -> np.ndarray:
        with _opened(path, str(path)) as f:
            if f.attrs["id"] != identity:
                raise ValueError(f"{str(path)!r} holds another run than when it was loaded; load it again")
            return np.asarray(f["channels"][channel][()], np.float64)
    return read


@contextmanager
def _opened(path: Path, shown: str) -> Iterator[Any]:
    """The open file, if it is one of ours; closed as soon as it was read."""
    import h5py
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {shown!r}; sol.save(path) and 'pliant run MODEL -o path' write results")
    try:
        file = h5py.File(path, "r")
    except PermissionError:
        raise PermissionError(f"{shown!r} may not be read; change its permissions") from None
    except OSError as error:
        truncated = "truncated" in str(error)
        what = "is truncated: it was not copied completely" if truncated else "is not an HDF5 file, so not one of results"
        raise ValueError(f"{shown!r} {what}; take the file that sol.save wrote") from error
    with file as f:
        version = f.attrs.get("pliant")
        if not isinstance(version, (int, np.integer)) or "states" not in f:
            raise ValueError(f"{shown!r} is an HDF5 file, but not of results of pliant; take the file that sol.save wrote")
        if version > FORMAT:
            raise ValueError(f"{shown!r} has format {version}, this version of pliant reads up to {FORMAT}: "
                             "pip install --upgrade pliant")
        yield f
