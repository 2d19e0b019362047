"""Where the rows of a run come from: a Solution, a file of results read piece by piece, or the journal of a run that goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..channel_values.components import ENERGIES, FRAME, components
from ..items.groups import MODEL, TOGETHER
from ..kernels.state_row import row_width
from ..results.events import EventTable, checked, told_from
from ..results.kept_models import drawn, model_from, parts_from, parts_in
from ..safe_files import journal as jn
from ..safe_files.hdf5 import check_seal, member, number, numbers, opened, text
from .item_facts import shown, with_unit

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel
    from ..items.declarations import Told
    from ..model import Model
    from ..solution import Solution

NEAR = 32  # steps below are small
AT_ONCE = 256 * 2**20  # bytes: larger files are checked while they are shown


class Source:
    """Rows of one run. ``units`` lists the channels; ``read`` gives some of them over some rows."""

    name = "run"
    model: Model | None = None
    complete = True
    live = False  # rows may be added
    note = ""  # what the user should know about the run
    version = 0  # changes when everything must be read again
    damage = ""  # what was found wrong with the file after it was opened
    units: dict[str, str]
    findings: list[dict[str, Any]] | None = None  # of a model that was checked

    def count(self) -> int:
        raise NotImplementedError

    def times(self, rows: slice) -> np.ndarray:
        raise NotImplementedError

    def read(self, names: Iterable[str], rows: slice) -> dict[str, np.ndarray]:
        """Channels (not components) over rows, (n) or (n, k)."""
        raise NotImplementedError

    def knows(self, name: str) -> bool:
        """Whether there is such a channel to read."""
        return name in self.units

    def channels(self) -> list[dict[str, Any]]:
        """All of them, as the page lists them."""
        sizes = self._sizes()
        return [{"name": c, "unit": unit, "parts": list(components(c, sizes[c]))} for c, unit in self.units.items()]

    def _sizes(self) -> dict[str, int]:
        """Numbers of components: of frames and energies, what items of the model declare; what is not known then is looked at."""
        own = {f"{item.name}.{c.name}": c.size for item in self.model or () for c in item.channels()}
        own |= {f"energy.{name}": 1 for name in ENERGIES} | {f"{MODEL}.{c.name}": c.size for c in TOGETHER}
        found = {name: own.get(name) or FRAME.get(name.rpartition(".")[2], ("", 0))[1] for name in self.units}
        unknown = self.read([name for name, size in found.items() if not size], slice(0, 1))
        return found | {name: value.shape[1] if value.ndim == 2 else 1 for name, value in unknown.items()}

    def events(self) -> EventTable:
        """What happened in the run, so far."""
        return EventTable(np.zeros((0, 4)), ())

    def poll(self) -> None:
        """Look whether there is something new."""

    def facts(self) -> list[tuple[str, str]]:
        """What is told of the run: label and text."""
        return []


class SolutionSource(Source):
    """A run in memory, or one that `load` has read."""

    def __init__(self, sol: Solution) -> None:
        self.sol = sol
        self.name, self.complete, self.units = sol.name, sol.complete, sol.units
        self.model = sol.model or drawn(sol.shown, sol.units)
        self.note = sol.stored.note if sol.stored else ""

    def count(self) -> int:
        return len(self.sol.t)

    def times(self, rows: slice) -> np.ndarray:
        return self.sol.t[rows]

    def read(self, names: Iterable[str], rows: slice) -> dict[str, np.ndarray]:
        if self.sol.stored is None and self.sol.dynamics is not None:
            from ..channel_values.observer import Observer

            observer = Observer(self.sol.dynamics, self.sol.rows[rows], self.sol.energies[rows])
            return {name: observer(name) for name in names}
        return {name: self.sol[name][rows] for name in names}

    def events(self) -> EventTable:
        return EventTable(self.sol.happened, self.sol.told, self.sol.omitted)

    def facts(self) -> list[tuple[str, str]]:
        from ..report.summaries import run_data

        return told(run_data(self.sol))


UNITS = {"start": "s", "end": "s", "duration": "s", "step": "s", "energy_drift": "J", "position_violation": "m or rad",
         "velocity_violation": "m/s or rad/s", "acceleration_violation": "m/s² or rad/s²", "estimate": "per second"}


def told(data: dict[str, Any]) -> list[tuple[str, str]]:
    """Facts of a run as pairs of texts."""
    out: list[tuple[str, str]] = []
    for key, value in data.items():
        if isinstance(value, dict) and "kind" in value:  # a method
            more = {k: v["kind"] if isinstance(v, dict) and "kind" in v else v for k, v in value.items() if k != "kind" and v}
            out.append((key, ", ".join([str(value["kind"]), *(f"{k} {shown(v)}" for k, v in more.items())])))
        elif isinstance(value, dict):
            out += told({k: v for k, v in value.items() if not isinstance(v, dict)})
        elif value is not None and value != "" and not isinstance(value, list):
            out.append((key.replace("_", " "), with_unit(shown(value, 3 if key.endswith("violation") else 6), UNITS.get(key, ""))))
    return out


class Computed(Source):
    """A source with states: channels that are not recorded are computed by the model."""

    _dynamics: CompiledModel | None = None
    _tried = False
    whole = False  # whether the model has all its functions, not only what is shown

    def states(self, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    def dynamics(self, width: int) -> CompiledModel:
        if not self._tried and self.model is not None and self.whole:
            self._tried = True
            compiled = self.model.compile()
            s = compiled.system
            if row_width(s.q0.size, s.n, s.histories) == width:
                self._dynamics = compiled
            else:
                self.note = "the model in the file does not fit its states; it was written by another version of pliant"
        if self._dynamics is None:
            raise ValueError(f"this channel was not recorded and cannot be computed: {self.note or 'the file holds no model'}")
        return self._dynamics

    def compute(self, names: list[str], rows: slice) -> dict[str, np.ndarray]:
        from ..channel_values.observer import Observer

        states, energies = self.states(rows)
        observer = Observer(self.dynamics(states.shape[1]), states, energies)
        return {name: observer(name) for name in names}

    def read_model(self, whole: str, shown: str, parts: Callable[[], dict[str, Any]]) -> None:
        """The model, or what there is of one with functions that no file can hold."""
        self.whole, words = bool(whole), whole or shown
        try:
            self.model = model_from(words, parts) if words else None
        except Exception as error:
            self.note = f"the model in the file cannot be read: {error}"


class FileSource(Computed):
    """A file of results; only what is asked for is read, so that its size does not matter."""

    _unsealed = ""  # what the later check found

    def __init__(self, path: Path) -> None:
        self.path = path
        large = path.stat().st_size > AT_ONCE
        if not large:
            self.check()
        with opened(path, path.name) as f:
            if not f.id.links.exists(b"states") or "pliant" not in f.attrs:
                raise ValueError(f"{path.name!r} is not a file of results of pliant; take the file that sol.save wrote")
            self.name, self.complete, self.identity = text(f, "name"), bool(number(f, "complete")), text(f, "id")
            self.note = text(f, "model_note", "")
            self.rows = len(numbers(f, "states", None, None))
            group = member(f, "channels", "group")
            self.recorded = {name: text(member(group, name, "dataset"), "unit") for name in group}
            self.read_model(text(f, "model", ""), text(f, "shown", ""), partial(parts_in, f))
            others = json.loads(text(group, "others")) if self.model and self.whole else {}
            self.units = self.recorded | {str(k): str(v) for k, v in others.items()}
            self.model = self.model if self.whole else drawn(self.model, self.units)
            self.data = {name: json.loads(text(f, name, "null")) for name in ("method", "formulation", "quality")}
            self.data = {"duration": number(f, "end", 0.0), "complete": self.complete, **self.data}
        if large:
            import threading

            threading.Thread(target=self._checked_later, daemon=True).start()

    def check(self) -> None:
        try:
            check_seal(self.path)
        except ValueError as error:
            raise ValueError(f"{self.path.name!r} is damaged: {error}") from None

    def _checked_later(self) -> None:
        try:
            self.check()
        except (ValueError, OSError) as error:
            self._unsealed = str(error)

    def count(self) -> int:
        return self.rows

    def times(self, rows: slice) -> np.ndarray:
        with self._file() as f:
            return _some(numbers(f, "t", self.rows), rows)

    def read(self, names: Iterable[str], rows: slice) -> dict[str, np.ndarray]:
        names, found = list(names), {}
        with self._file() as f:
            group = member(f, "channels", "group")
            for name in names:
                if name in self.recorded:
                    wide = len(member(group, name, "dataset").shape) == 2
                    found[name] = _some(numbers(group, name, self.rows, *((None,) if wide else ())), rows)
        rest = [name for name in names if name not in found]
        return found | (self.compute(rest, rows) if rest else {})

    def states(self, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        with self._file() as f:
            return _some(numbers(f, "states", self.rows, None), rows), _some(numbers(f, "energies", self.rows, 3), rows)

    def events(self) -> EventTable:
        with self._file() as f:
            if not f.id.links.exists(b"events"):
                return super().events()
            found, told = numbers(f, "events", None, 4), told_from(text(f, "told", "") or "[]")
            return EventTable(checked(found[()], told), told, int(number(found, "omitted")))

    def _file(self) -> Any:
        return _same(self.path, self.identity)

    def poll(self) -> None:
        try:
            with opened(self.path, self.path.name) as f:
                same = text(f, "id") == self.identity
            self.damage = self._unsealed
            if not same:
                self.version += 1
                self.__init__(self.path)  # type: ignore[misc]
        except (ValueError, OSError) as error:
            self.damage = str(error)

    def facts(self) -> list[tuple[str, str]]:
        return told({k: v for k, v in self.data.items() if v is not None})


def _some(dataset: Any, rows: slice) -> np.ndarray:
    """Rows of a dataset; HDF5 is slow with small steps, which are taken from all rows between."""
    step = rows.step or 1
    near = dataset[rows.start : rows.stop][::step] if step < NEAR else dataset[rows]
    return np.ascontiguousarray(near, float)


class _same:
    """The file, if it still holds the run that was opened."""

    def __init__(self, path: Path, identity: str) -> None:
        self.context = opened(path, path.name, rdcc_nbytes=0)  # without its cache HDF5 reads the rows asked for, not whole chunks
        self.path, self.identity = path, identity

    def __enter__(self) -> Any:
        file = self.context.__enter__()
        if text(file, "id") != self.identity:
            self.context.__exit__(None, None, None)
            raise ValueError(f"{self.path.name!r} holds another run than when it was opened; reload the page")
        return file

    def __exit__(self, *error: Any) -> Any:
        return self.context.__exit__(*error)


class JournalSource(Computed):
    """The journal of a run, read on as it grows. When the run ends its rows are in the file of results."""

    complete = False

    def __init__(self, path: Path) -> None:
        self.path, self.offset = path, 0
        self.blocks: dict[str, list[np.ndarray]] = {"states": [], "energies": []}
        self.rows, self.end = 0, 0.0
        self.happened: list[np.ndarray] = []
        self.told: tuple[Told, ...] = ()
        self.omitted = 0
        self.live, self.units = True, {}
        self.poll()
        if not self.units:
            raise ValueError(f"{path.name!r} holds no run yet; wait until it has begun")

    def poll(self) -> None:
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            self.live = False
            return
        with file:
            size = os.fstat(file.fileno()).st_size
            for kind, head, arrays, end in jn.records_from(file, self.offset, size):
                self.offset = end
                if kind == jn.HEAD:
                    self._begin(head, jn.attached(head, arrays))
                elif kind == jn.ROWS:
                    for name, block in self.blocks.items():
                        block.append(arrays[name])
                    self.rows += len(arrays["states"])
                elif kind == jn.EVENTS:
                    self.happened.append(checked(arrays["events"], self.told))
                    self.omitted = int(head["omitted"])
        self.live = jn.is_written(self.path)

    def _begin(self, head: dict[str, Any], images: dict[str, bytes]) -> None:
        self.name, self.end = str(head.get("name", "run")), float(head.get("end") or 0.0)
        self.note, self.units = str(head.get("model_note") or ""), dict(head.get("units") or {})
        self.blocks, self.rows = {"states": [], "energies": []}, 0
        self.happened, self.omitted, self.told = [], 0, told_from(str(head.get("told") or "[]"))
        self.version += 1
        self.read_model(str(head.get("model") or ""), "", partial(parts_from, images))

    def _whole(self, name: str) -> np.ndarray:
        block = self.blocks[name]
        if len(block) > 1:
            block[:] = [np.concatenate(block)]
        return block[0] if block else np.zeros((0, 4))

    def events(self) -> EventTable:
        return EventTable(np.concatenate([np.zeros((0, 4)), *self.happened]), self.told, self.omitted)

    def count(self) -> int:
        return self.rows

    def times(self, rows: slice) -> np.ndarray:
        return self._whole("states")[rows, 0]

    def states(self, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        return np.ascontiguousarray(self._whole("states")[rows]), np.ascontiguousarray(self._whole("energies")[rows])

    def read(self, names: Iterable[str], rows: slice) -> dict[str, np.ndarray]:
        return self.compute(list(names), rows)

    def facts(self) -> list[tuple[str, str]]:
        return [("planned end", f"{self.end:g} s"), ("rows", str(self.rows))]


class ModelSource(SolutionSource):
    """A model as assembled, one row, with what a check found."""

    def __init__(self, model: Model) -> None:
        from ..items.errors import ModelError

        report = model.check()
        try:
            assembly = model.assemble()
            why = assembly.note
        except ModelError as error:
            assembly, why = getattr(error, "assembly", None), str(error)  # type: ignore[assignment]
            if assembly is None:
                raise
        super().__init__(assembly.solution)
        self.findings, self.note = [f for f in report.to_dict()["findings"]], "" if assembly.ok else why
        self.report = report

    def facts(self) -> list[tuple[str, str]]:
        r = self.report
        return [
            ("bodies", str(r.bodies)),
            ("degrees of freedom", str(r.degrees_of_freedom)),
            ("equations", str(r.equations)),
            ("redundant", str(r.redundant)),
        ]
