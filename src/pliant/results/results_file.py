"""Files of results: a run as HDF5, written in one piece, read channel by channel; and what is left of a run that was cut off.
Layout: docs/results.md"""
from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable
from dataclasses import asdict, fields
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..channel_values.components import VECTORS
from ..channel_values.observer import rank
from ..compile.compiled_model import CompiledModel
from ..functions.printable import printable
from ..items.errors import SimulationError
from ..kernels.state_row import row_width
from ..safe_files import journal as jn
from ..safe_files.hdf5 import (
    Abandoned,
    Disk,
    Foreign,
    check_results,
    check_seal,
    member,
    number,
    numbers,
    opened,
    text,
    uninterrupted,
    write_whole,
)
from ..solution import Quality, Recorded, Solution, Stored
from .events import checked, told_as_text, told_from
from .kept_models import differences, kept_model, model_from, other_motion, parts_from, parts_of_file, refuse_model, write_part

if TYPE_CHECKING:
    from ..model import Model

FORMAT = 1      # version of the layout
COLUMNS = 4000  # of channels written when the user does not say which
CHUNK, BYTES = 4096, 2**22  # rows written in one piece, and how large these may be
NEVER = 10**9   # interrupts: what is nowhere else is written


# -- writing
def save(sol: Solution, path: str | Path, record: list[str] | None = None, report: Callable[[float, float], None] | None = None,
         enough: int = 2) -> None:
    """Write a run to an HDF5 file: states, the model as text, and the channels that match ``record``.

    Without ``record`` all channels are written if they have at most 4000 columns, else those of bodies, joints and forces up
    to that number. The file appears under its name when it is complete; an older one stays until then. ``report`` and ``enough`` as in
    `write_whole`: Ctrl-C waits for the end of the file, a second one leaves it.
    """
    target = check_results(path)
    chosen, note = _choose(sol, record)
    write_whole(path, target, lambda disk: _write(sol, disk, chosen, note), report, enough)


def conclude(sol: Solution, journal: jn.Journal, before: Solution | None, report: Callable[[float, float], None] | None = None,
             interrupted: bool = False) -> Path | None:
    """A run with ``out`` has ended, complete or not: its file is written and the journal is not needed any more.

    A file that is there already is replaced by a complete run, or by one that goes on with what it holds (``before``); another that
    stopped early stays in the journal, as it does if the disk is full, or if the user asks again to end (``interrupted``: has asked
    once) while the file is written. Returns where the rows are.
    """
    source = before.stored.file if before and before.stored else None
    if before and source and not sol.complete and len(sol.t) < len(before.t):  # stopped before it was as far as the first part
        journal.remove(earlier=False)
        return source
    continues = source is not None and journal.target.exists() and journal.target.samefile(source)
    if not journal.broken and (sol.complete or continues or not journal.target.exists()):
        try:
            with uninterrupted():
                save(sol, journal.target, sol.record, report, (1 if interrupted else 2) if journal.safe else NEVER)
                journal.remove(earlier=sol.complete)
            return journal.target
        except Abandoned as error:
            if sol.complete:
                error.solution, error.file = sol, journal.path  # type: ignore[attr-defined]
                raise
        except OSError as error:
            if sol.complete:
                raise _not_written(sol, journal, error) from error
    return journal.path if journal.safe else source


def _not_written(sol: Solution, journal: jn.Journal, error: OSError) -> SimulationError:
    safe = f"All {journal.rows} rows are safe in {journal.path.name!r}; resume from it when there is room" if journal.safe else \
        "In Python the error has them in its 'solution'"
    told = SimulationError(f"the run is complete, but {error}. {safe}", "not-written")
    told.solution, told.file = sol, journal.path if journal.safe else None
    return told


def describe(sol: Solution) -> dict[str, Any]:
    """What a file says of a run beside its numbers."""
    from .. import __version__
    kept = kept_model(sol)
    return {"version": __version__, "name": sol.name, "step": float(sol.step), "stride": int(sol.stride), "end": float(sol.end),
            "accuracy": sol.accuracy or 0.0, "method": sol.method.plain(), "why": sol.why,
            "formulation": sol.formulation.plain() if sol.formulation else None,
            "model": "" if kept.note else kept.text, "shown": kept.text if kept.note else "", "model_note": kept.note,
            "bodies": kept.bodies, "record": sol.record, "told": told_as_text(sol.told),
            "layout": layout(sol.model, sol.dynamics) if sol.model and sol.dynamics else sol.stored.layout if sol.stored else {}}


def layout(model: Model, dynamics: CompiledModel) -> dict[str, Any]:
    """By which a model given back to a file is recognised: its items, and the sizes of its state."""
    s = dynamics.system
    return {"coordinates": s.q0.size, "unknowns": s.n, "histories": s.histories, "items": [f"{item.kind} {item.name!r}" for item in model]}


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
    ranks = {name: rank(observer, name) for name in columns}
    chosen, left = set(), COLUMNS
    for name in sorted((n for n in columns if ranks[n] is not None), key=lambda n: ranks[n] or 0):
        if columns[name] > left:
            break
        left -= columns[name]
        chosen.add(name)
    note = f"{len(chosen)} of {len(columns)} channels, by default at most {COLUMNS} columns; record=[...] chooses others"
    return [n for n in columns if n in chosen], note


def _write(sol: Solution, disk: Disk, chosen: list[str], note: str) -> None:
    import h5py
    facts = describe(sol)
    with h5py.File(disk, "w") as f:
        f.attrs["pliant"], f.attrs["complete"], f.attrs["id"] = FORMAT, bool(sol.complete), _identity(sol.rows)
        for name, value in {**facts, "quality": asdict(sol.quality)}.items():
            f.attrs[name] = json.dumps(value) if value is None or isinstance(value, (dict, list)) else value
        done, total = sol.rows.shape[1], sol.rows.shape[1] + 3.5 * len(chosen) + 1  # columns, more or less
        disk.step(0, total)
        _dataset(f, "t", sol.t).attrs["unit"] = "s"
        _dataset(f, "states", sol.rows)
        _dataset(f, "energies", sol.energies).attrs["unit"] = "J"
        if len(sol.happened):
            _dataset(f, "events", sol.happened).attrs["omitted"] = sol.omitted
        memory = f.create_group("memory")
        for name, array in sol.memory.items():
            memory.create_dataset(name, data=np.asarray(array, np.float64), dtype="<f8")
        channels = f.create_group("channels", track_order=True)
        for k, name in enumerate(chosen):
            if disk.error:
                return
            disk.step(done + 3.5 * k, total)
            _dataset(channels, name, sol[name]).attrs["unit"] = sol.unit(name)
        kept = set(chosen)
        channels.attrs["others"] = json.dumps({n: u for n, u in sol.units.items() if n not in kept} if facts["model"] else {})
        if note:
            channels.attrs["note"] = note
        parts = f.create_group("parts")
        for name, part in kept_model(sol).parts.items():
            write_part(part, parts.create_group(name))


def _dataset(group: Any, name: str, value: np.ndarray) -> Any:
    value = np.asarray(value, np.float64)
    row = value.nbytes // max(1, len(value))
    chunks = (max(1, min(CHUNK, len(value), BYTES // max(1, row))), *value.shape[1:])
    return group.create_dataset(name, data=value, dtype="<f8", chunks=chunks, maxshape=(None, *value.shape[1:]))


def _identity(rows: np.ndarray) -> str:
    """Tells whether two files hold the same run."""
    return hashlib.blake2b(np.ascontiguousarray(rows).data, digest_size=16).hexdigest()


# -- reading
def load(path: str | Path, model: Model | None = None) -> Solution:
    """Read a run from a file written by `save`, or from the journal (.part) of a run that was cut off or is still going.

    Channels are read when they are asked for; those that were not recorded are computed from the states by the model in the file,
    or by ``model``, which must be the one of the run: for models with Python functions, which no file can hold.
    """
    shown, file = str(path), Path(path).absolute()
    part = jn.part_of(Path(os.path.realpath(file)))
    if not file.is_file() and part.is_file():
        return _from_journal(part, part.name, model)
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {shown!r}; sol.save(path) and 'pliant run MODEL -o path' write results")
    try:
        if jn.is_journal(file):
            return _from_journal(file, shown, model)
    except PermissionError:
        raise PermissionError(f"{shown!r} may not be read; change its permissions") from None
    refuse_model(file, shown)
    sol = _from_hdf5(file, shown, model)
    if part.is_file() and part.stat().st_mtime_ns > file.stat().st_mtime_ns and jn.has_rows(part):
        state = "is going on" if jn.is_written(part) else "was cut off"
        warnings.warn(f"{shown!r} holds an earlier run: a later one {state} and is in {part.name!r}, which can be loaded as well",
                      stacklevel=2)
    return sol


def _from_hdf5(file: Path, shown: str, given: Model | None) -> Solution:
    try:
        sealed = check_seal(file)
    except ValueError as error:
        raise ValueError(f"{shown!r} is damaged: {error}") from None
    with opened(file, shown) as f:
        _check_format(f, shown)
        states = numbers(f, "states", None, None)[()]
        identity, n = text(f, "id"), len(states)
        if not sealed and _identity(states) != identity:
            raise ValueError("its states are not those that were written")
        energies, kept = numbers(f, "energies", n, 3)[()], member(f, "memory", "group")
        memory = {name: numbers(kept, name, None)[()] for name in kept}
        facts: dict[str, Any] = {name: text(f, name, "") for name in ("version", "name", "model", "shown", "model_note", "why", "told")}
        facts |= {name: json.loads(text(f, name, "null")) for name in ("method", "formulation", "layout", "record", "quality", "bodies")}
        facts |= {name: number(f, name) for name in ("step", "stride")}
        facts["accuracy"] = number(f, "accuracy", 0.0)
        facts["end"] = number(f, "end", float(states[-1, 0]) if states.size else 0.0)
        channels = member(f, "channels", "group")
        recorded = {name: (printable(text(_channel(channels, name, n), "unit")), _reader(file, name, identity)) for name in channels}
        others = json.loads(text(channels, "others"))
        sol = _solution(facts, states, energies, memory, recorded, others, bool(number(f, "complete")), given,
                        partial(parts_of_file, file, identity))
        if f.id.links.exists(b"events"):
            found = numbers(f, "events", None, 4)
            sol.happened, sol.omitted = checked(found[()], sol.told), int(number(found, "omitted"))
        assert sol.stored is not None
        sol.stored.file = file
        return sol


def _check_format(f: Any, shown: str) -> None:
    version = f.attrs.get("pliant")
    if not isinstance(version, (int, np.integer)) or not f.id.links.exists(b"states"):
        raise Foreign(f"{shown!r} is an HDF5 file, but not of results of pliant; take the file that sol.save wrote")
    if version > FORMAT:
        raise Foreign(f"{shown!r} has format {version}, this version of pliant reads up to {FORMAT}: pip install --upgrade pliant")


def _channel(group: Any, name: str, n: int) -> Any:
    """The dataset of a channel: a number, or a vector of three, or a quaternion for every row."""
    wide = len(member(group, name, "dataset").shape or ()) == 2
    if not name.isprintable():
        raise ValueError(f"the name {name!r} of a channel has control characters")
    found = numbers(group, name, n, None) if wide else numbers(group, name, n)
    due = VECTORS.get(name.rpartition(".")[2])
    if wide and due not in (None, found.shape[1]):
        raise ValueError(f"{name!r} has {found.shape[1]} columns, must have {due}")
    return found


def _reader(path: Path, channel: str, identity: str) -> Callable[[], np.ndarray]:
    def read() -> np.ndarray:
        if not path.is_file():
            raise FileNotFoundError(f"the file {str(path)!r} is not there any more")
        with opened(path, str(path)) as f:
            _check_format(f, str(path))
            if text(f, "id") != identity:
                raise Foreign(f"{str(path)!r} holds another run than when it was loaded; load it again")
            return np.asarray(_channel(member(f, "channels", "group"), channel, len(numbers(f, "t", None)))[()], np.float64)
    return read


def _from_journal(file: Path, shown: str, given: Model | None) -> Solution:
    """What is on disk of a run that did not come to its end."""
    facts: dict[str, Any] = {}
    memory: dict[str, np.ndarray] = {}
    images: dict[str, bytes] = {}
    blocks: dict[str, list[np.ndarray]] = {"states": [], "energies": [], "report": []}
    counts: dict[str, Any] = {}
    happened, omitted = [np.zeros((0, 4))], 0
    try:
        for kind, head, arrays in jn.records(file):
            if kind == jn.HEAD:
                facts, images = head, jn.attached(head, arrays)
            elif kind == jn.ROWS:
                counts = head["counts"]
                for name, block in blocks.items():
                    block.append(arrays[name])
            elif kind == jn.MARK:
                memory = arrays
            elif kind == jn.EVENTS:
                happened.append(arrays["events"])
                omitted = int(head["omitted"])
        if not blocks["states"]:
            raise Foreign(f"{shown!r} holds no rows: the run was cut off before its first; run it again")
        states, energies, report = (np.concatenate(block) for block in blocks.values())
        if energies.shape != (len(states), 3) or report.shape != (len(states), 4):
            raise ValueError("its tables do not fit each other")
        facts["quality"] = dict(zip(VIOLATIONS, report.max(0)[:3].tolist(), strict=True)) | counts
        facts["quality"]["unique_reactions"] = facts.get("unique_reactions", True)
        sol = _solution(facts, states, energies, memory, {}, facts.get("units"), False, given, partial(parts_from, images))
        assert sol.stored is not None
        sol.stored.file, sol.stored.journal = file, True
        sol.happened, sol.omitted = checked(np.concatenate(happened), sol.told), omitted
        return sol
    except Foreign:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        told = f"{str(error.args[0])!r} is missing" if isinstance(error, KeyError) else error
        raise ValueError(f"{shown!r} is damaged: {told}; run the model again") from error


VIOLATIONS = ("position_violation", "velocity_violation", "acceleration_violation")


def _solution(facts: dict[str, Any], states: np.ndarray, energies: np.ndarray, memory: dict[str, np.ndarray], recorded: Recorded,
              others: Any, complete: bool, given: Model | None, parts: Callable[[], dict[str, Any]]) -> Solution:
    """A Solution from what a file holds, if that makes sense."""
    from ..methods.selection import chosen
    _check_facts(facts, others)
    others = {printable(str(name)): printable(str(unit)) for name, unit in others.items()}
    _check_rows(states, energies, memory)
    accuracy = facts.get("accuracy") or 0.0  # 0: the step is fixed
    (method, form), quality = chosen(facts.get("method") or {}, facts.get("formulation"), not accuracy), _quality(facts.get("quality"))
    words, parts = facts["model"] or facts.get("shown") or "", cache(parts)
    make, note, described = partial(model_from, words, parts), str(facts.get("model_note") or ""), facts.get("layout") or {}
    stored = Stored(facts["name"], recorded, others if facts["model"] else {}, make if facts["model"] else None, note, described,
                    make_shown=make if words and not facts["model"] else None, parts=parts, bodies=facts.get("bodies") or {}, text=words)
    sol = Solution(None, None, states, energies, quality, complete=complete, method=method, formulation=form,
                   step=float(facts["step"]), stride=int(facts["stride"]), memory=memory, end=float(facts["end"]),
                   accuracy=accuracy or None, stored=stored)
    sol.why, sol.told = str(facts.get("why") or ""), told_from(facts.get("told") or "[]")
    sol.record = facts.get("record") if _is(list, facts.get("record")) else None
    return sol if given is None else _with_model(sol, stored, given)


def _check_facts(facts: dict[str, Any], others: Any) -> None:
    """What a file says of its run; ``others``: units of channels that it does not hold."""
    bodies = facts.get("bodies") or {}
    mappings = _is(dict, others) and _is(dict, facts.get("layout") or {}) and _is(dict, bodies) and _is(list, list(bodies.values()))
    texts = [facts.get("name"), facts.get("model"), facts.get("shown", "")]
    facts |= {key: printable(facts[key]) for key in ("name", "model_note", "why") if isinstance(facts.get(key), str)}
    if not all(isinstance(x, str) for x in texts) or not mappings:
        raise ValueError("its name, model or list of channels is not what it must be")
    steps: list[Any] = [facts.get(k) for k in ("step", "stride", "end")]
    are_numbers = all(isinstance(x, (int, float)) for x in steps)
    if not are_numbers or not (steps[0] > 0 and steps[1] >= 1 and steps[1] == int(steps[1])):
        raise ValueError("its step, stride or end is not what it must be")
    accuracy = facts.get("accuracy") or 0.0
    if not (isinstance(accuracy, float) and accuracy >= 0):
        raise ValueError("its accuracy is not what it must be")


def _check_rows(states: np.ndarray, energies: np.ndarray, memory: dict[str, np.ndarray]) -> None:
    if states.ndim != 2 or not len(states) or states.shape[1] < 4:
        raise ValueError("it has no states")
    bad = ~(np.isfinite(states).all(1) & np.isfinite(energies).all(1))
    if bad.any():
        raise ValueError(f"row {int(bad.argmax())} has numbers that are not finite")
    if (np.diff(states[:, 0]) < 0).any():
        raise ValueError("its times do not increase")
    if "rows" in memory and not 1 <= memory["rows"][0] <= len(states):
        raise ValueError("its checkpoint is not among its rows")


def _is(kind: Any, value: Any) -> bool:
    """Whether a value from JSON is a list of texts, or a dictionary."""
    return isinstance(value, kind) and (kind is dict or all(isinstance(x, str) for x in value))


def _with_model(sol: Solution, stored: Stored, given: Model) -> Solution:
    """The run with the model that its file does not hold."""
    from ..channel_values.observer import catalogue
    model = given.copy()
    dynamics = model.compile()
    s, own = dynamics.system, layout(model, dynamics)
    width, due = row_width(s.q0.size, s.n, s.histories), sol.rows.shape[1]
    missing = [x for x in stored.layout.get("items", []) if x not in own["items"]]
    told = f"it has no {missing[0]}" if missing else f"its states have {width} numbers, those of the run {due}" if width != due else \
        "it has other items, or in another order" if stored.layout and own != stored.layout else ""
    told = told or "; ".join(differences(stored.text, stored.parts, model)[:5])
    if told := told or other_motion(dynamics, sol.rows, sol.quality.position_violation):
        raise Foreign(f"the model given is not the one of run {sol.name!r}: {told}. Build it as it was, or simulate the changed model anew")
    sol._model, sol.dynamics, stored.make_model, stored.note = model, dynamics, None, ""
    stored.others = {name: unit for name, (unit, _) in catalogue(dynamics).items() if name not in sol.recorded}
    return sol


def _quality(values: Any) -> Quality:
    if not isinstance(values, dict):
        raise ValueError("its quality is not what it must be")
    known = {f.name: values[f.name] for f in fields(Quality) if f.name in values}
    words = {f.name for f in fields(Quality) if f.type == "str"}
    if not all(isinstance(x, str) if name in words else isinstance(x, (int, float)) or x is None for name, x in known.items()):
        raise ValueError("its quality is not made of numbers")
    return Quality(**known)
