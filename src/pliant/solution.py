"""Solution: the results of a run, by name. It only reads."""
from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._facade import work_of
from .channel_values.channel_table import ChannelTable
from .channel_values.components import components
from .functions.printable import same_name
from .functions.units import must
from .items.base import did_you_mean
from .kernels.state_row import row_width

if TYPE_CHECKING:
    from .channel_values.observer import Observer
    from .compile.compiled_model import CompiledModel
    from .flex.reduced import Reduced
    from .items.declarations import Told
    from .model import Model
    from .start.assembly import Assembly

@dataclass
class Quality:
    """How well a run satisfies its equations, and what it cost. Violations are the largest over the rows kept."""
    position_violation: float      # m or rad
    velocity_violation: float      # m/s or rad/s
    acceleration_violation: float  # m/s^2 or rad/s^2
    steps: int
    iterations: int
    factorisations: int
    fallbacks: int                 # steps where the tile solver failed and SciPy's took over
    rejected: int = 0              # steps that error control made again, smaller
    estimate: float | None = None  # relative error per second, if it was asked for: from a run with half the steps
    no_estimate: str = ""          # why there is none, if it was asked for
    doubt: str = ""                # why the run is not to be trusted: its energies do not add up
    sensitive: bool | None = None  # small differences grow as they do in chaos; None: not looked at
    growth: float | None = None    # times that a small difference at the start has grown
    growth_time: float | None = None  # within this time [s], as long as it was small
    mode_changes: int = 0          # times that modes of bodies with ``adaptive`` were added or dropped
    unique_reactions: bool = True  # False: joints are redundant at the start, of all reactions the smallest are shown


@dataclass(frozen=True)
class Energy:
    """Energies over time [J]; work of loads and drives, and energy lost in dampers, since the start."""
    kinetic: np.ndarray
    potential: np.ndarray
    elastic: np.ndarray
    dissipated: np.ndarray
    work: np.ndarray

    @property
    def balance(self) -> np.ndarray:
        """Kinetic + potential + elastic + dissipated - work: constant if the integration is exact."""
        return self.kinetic + self.potential + self.elastic + self.dissipated - self.work

    @property
    def drift(self) -> float:
        """Largest deviation of the balance from its start [J]."""
        return float(abs(self.balance - self.balance[0]).max())


Recorded = dict[str, tuple[str, Callable[[], np.ndarray]]]


@dataclass
class Stored:
    """What a file of results adds: channels read when they are asked for, and the model, made when it is needed."""
    name: str
    recorded: Recorded                     # channel: unit, and what reads it
    others: dict[str, str]                 # channels that the model can still compute: their units
    make_model: Callable[[], Model] | None
    note: str = ""                         # why there is no model
    layout: dict[str, Any] = field(default_factory=dict)  # by which a model is recognised, see `results.layout`
    file: Path | None = None
    journal: bool = False                  # whether that is the journal of a run that did not come to its end
    make_shown: Callable[[], Model] | None = None  # where there is no model since functions are lost: one for pictures
    parts: Callable[[], dict[str, Any]] = dict  # flexible parts and meshes by name,
    bodies: dict[str, str] = field(default_factory=dict)  # and which a body has
    text: str = ""                         # of the model, or of what is shown


class Solution:
    """Results of a run: ``sol["crank.end.position"]``, ``sol.t``, ``sol.channels``, ``sol.energy``, ``sol.quality``."""

    def __init__(self, model: Model | None, dynamics: CompiledModel | None, rows: np.ndarray, energies: np.ndarray, quality: Quality,
                 *, complete: bool, method: Any, formulation: Any = None, step: float, stride: int, memory: dict[str, np.ndarray],
                 end: float | None = None, accuracy: float | None = None, stored: Stored | None = None) -> None:
        self._model, self.dynamics, self.rows, self.energies = model, dynamics, rows, energies
        self._shown: Model | None = None
        self.quality, self.complete, self.method, self.formulation = quality, complete, method, formulation
        self.record: list[str] | None = None  # channels that `save` writes if it is not told
        self.step, self.stride, self.memory = step, stride, memory  # the method at the last checkpoint
        self.end = float(rows[-1, 0]) if end is None else end  # planned [s]
        self.accuracy = accuracy  # of error control; None: the step is fixed
        self.stored = stored
        self.why = ""  # the method was chosen, if it was
        self.happened, self.omitted = np.zeros((0, 4)), 0  # see `kernels.event_log`; how much came when there was no room for it
        self.told: tuple[Told, ...] = ()

    def __repr__(self) -> str:
        state = "" if self.complete else f", incomplete{self.source}"
        size = f"{len(self.t)} rows, {len(self.channels)} channels"
        return f"Solution({self.name!r}: {self.t[0]:g} to {self.t[-1]:g} s, {size}{state})"

    def _repr_html_(self) -> str:
        from .report.summaries import run_html
        return run_html(self)

    @property
    def name(self) -> str:
        if self.stored:
            return self.stored.name
        return self.model.name if self.model else "run"

    @property
    def source(self) -> str:
        """" in 'run.h5.part'" if the run was read from its journal."""
        return f" in {self.stored.file.name!r}" if self.stored and self.stored.journal and self.stored.file else ""

    @property
    def recorded(self) -> Recorded:
        """{channel: (unit, function that reads it)} of a loaded run; empty for a run in memory."""
        return self.stored.recorded if self.stored else {}

    @property
    def model(self) -> Model | None:
        """The model, or None if a file holds none that can be read; ``stored.note`` says why."""
        if self._model is None and self.stored and self.stored.make_model:
            try:
                self._model = self.stored.make_model()
            except Exception as error:
                self.stored.note = f"the model in the file cannot be read: {error}"
            self.stored.make_model = None
        return self._model

    @property
    def shown(self) -> Model | None:
        """What pictures show: the model, or of one with Python functions, which no file can hold, all but these."""
        if self.model is None and self._shown is None and self.stored and self.stored.make_shown:
            try:
                self._shown = self.stored.make_shown()
            except Exception as error:
                self.stored.note += f"; nor can what it shows be read: {error}"
            self.stored.make_shown = None
        return self.model or self._shown

    def part(self, body: str) -> Reduced:
        """The reduced part of a flexible body."""
        model, stored = self.shown, self.stored
        if model is None and stored and body in stored.bodies:
            kept: Reduced = stored.parts()[stored.bodies[body]]
            return kept
        if model is None:
            note = f" ({stored.note})" if stored and stored.note else ""
            raise ValueError(f"{body!r}: its part is in the model, which this run does not have{note}; load it together with its model")
        part: Reduced | None = getattr(model[body], "reduced", None)
        if part is None:
            raise ValueError(f"{body!r} is not a flexible body with modes")
        return part

    @property
    def t(self) -> np.ndarray:
        """Times of the rows [s], shape (n,)."""
        return self.rows[:, 0]

    @cached_property
    def _observer(self) -> Observer | None:
        if self.dynamics is None and self.model is not None:
            compiled = self.model.compile()
            s = compiled.system
            width = row_width(s.q0.size, s.n, s.histories)
            if width == self.rows.shape[1]:
                self.dynamics = compiled
            elif self.stored:
                self.stored.note = (f"the model in the file makes states of {width} numbers, the file has "
                                    f"{self.rows.shape[1]}; it was written by another version of pliant")
        if self.dynamics is None:
            return None
        from .channel_values.observer import Observer
        return Observer(self.dynamics, self.rows, self.energies)

    @property
    def observer(self) -> Observer:
        """What computes channels from the rows; a file must hold its model."""
        if self._observer is None:
            note = (self.stored and self.stored.note) or "give it to load(path, model=...)"
            raise ValueError(f"run {self.name!r} holds no model: {note}")
        return self._observer

    @cached_property
    def units(self) -> dict[str, str]:
        """{channel: unit}."""
        if self.stored:
            return {name: unit for name, (unit, _) in self.recorded.items()} | self.stored.others
        return {name: unit for name, (unit, _) in self._observer.catalogue.items()} if self._observer else {}

    @property
    def channels(self) -> list[str]:
        """Names of all channels."""
        return list(self.units)

    def stress(self, body: str, t: float | None = None) -> Any:
        """Stress (points, 6) [Pa] of a flexible body at time t; without t its stresses over the run (`stresses.BodyStress`)."""
        found = work_of("Solution.stress")(self, body)
        return found if t is None else found.at(t)

    def loads(self, body: str) -> dict[tuple[Any, ...], np.ndarray]:
        """Loads of a flexible body over the run, by the names of `flex.Stiffening`, in its axes: what `flex.enrich` takes as recorded."""
        return work_of("Solution.loads")(self, body)

    def missed(self, body: str) -> Any:
        """The part of these loads that the modes of the body cannot follow (`flex.represented.Indicator`)."""
        return work_of("Solution.missed")(self, body)

    def sizing(self, names: Any = None) -> Any:
        """What drives, torques and forces of joints must be able to do: peak and rms of the effort, speed, power, energy; a table."""
        return work_of("Solution.sizing")(self, names)

    def active_modes(self, body: str) -> np.ndarray:
        """Which modes of a body with ``adaptive`` took part, (rows, modes): True where they did."""
        return work_of("Solution.active_modes")(self, body)

    def mode_changes(self, body: str | None = None) -> list[Any]:
        """When modes of bodies with ``adaptive`` were added and dropped: t, body, their numbers, and the change of energy [J]."""
        return work_of("Solution.mode_changes")(self, body)

    @property
    def events(self) -> Any:
        """What happened: events that fired, stops that were touched and left, switches: t, item, what, value, impulse, energy lost; in the
        order in which it came (`results.events.EventTable`)."""
        return work_of("Solution.events")(self)

    def missed_by_modes(self) -> dict[str, dict[str, Any]]:
        """{body: part of its load that the modes miss, when, which} of all flexible bodies whose parts know it."""
        return work_of("Solution.missed_by_modes")(self)

    def __getitem__(self, name: str) -> np.ndarray:
        """A channel over time, shape (n,) or (n, 3); a component with .x .y .z, of modal coordinates with .1 .2 and so on."""
        name = same_name(name)
        whole, _, last = name.rpartition(".")
        if name in self.recorded:
            return self.recorded[name][1]()
        if whole in self.recorded:
            value = self.recorded[whole][1]()
            letters = components(whole, value.shape[1]) if value.ndim == 2 else ()
            if last in letters:
                return np.ascontiguousarray(value[:, letters.index(last)])
        elif (not self.stored or name in self.units or whole in self.units) and self._observer is not None:
            return self._observer(name)
        note = f" ({self.stored.note})" if self.stored and self.stored.note else ""
        raise KeyError(f"no channel {name!r}{did_you_mean(name, self.channels)}{note}")

    def select(self, *patterns: str) -> list[str]:
        """Channels that match any of the patterns, such as "crank.*"; a component stands for itself."""
        chosen: list[str] = []
        for pattern in patterns:
            found = fnmatch.filter(self.channels, pattern := same_name(pattern))
            if not found:
                self[pattern]  # a component, or an error that says what there is
                found = [pattern]
            chosen += [c for c in found if c not in chosen]
        return chosen

    def unit(self, name: str) -> str:
        """Unit of a channel or of a component of one."""
        return self.units[name] if name in self.units else self.units[name.rpartition(".")[0]]

    @cached_property
    def energy(self) -> Energy:
        kinetic, potential, elastic = self.energies.T
        return Energy(kinetic, potential, elastic, self.rows[:, 1], self.rows[:, 2])

    def resume(self, duration: Any = None, *, progress: Any = True, out: Any = None) -> Solution:
        """Continue from the last checkpoint with the same method and step; returns the whole run, equal to one without interruption.

        A run that stopped early goes on to its planned end, or for ``duration`` seconds from its last row; one that is complete
        needs a duration. ``out``: file for the whole run.
        """
        if self.stored and self._observer is None:
            reason = self.stored.note or "its file holds no model"
            raise ValueError(f"run {self.name!r} cannot be resumed: {reason}. Give the model to load(path, model=...), or run it again")
        return work_of("Solution.resume")(self, duration, progress, out)

    # -- files and tables
    def table(self, channels: str | Sequence[str] = "*") -> ChannelTable:
        """Channels over time as columns, t first, vectors by component: ``sol.table(["A.angle", "crank.*"])``; all without arguments.
        It has ``units``, ``to_csv(path)``, ``to_array()`` and ``to_pandas()``."""
        patterns = [channels] if isinstance(channels, str) else channels
        if not isinstance(patterns, Sequence) or not all(isinstance(pattern, str) for pattern in patterns):
            raise ValueError(f"table: {must(channels, 'must be channels, such as [A.angle, crank.*]')}")
        columns, units = {"t": self.t}, {"t": "s"}
        for name in self.select(*patterns):
            value = self[name]
            parts = {name: value} if value.ndim == 1 else {f"{name}.{c}": value[:, k] for k, c in
                                                           enumerate(components(name, value.shape[1]))}
            columns |= parts
            units |= dict.fromkeys(parts, self.unit(name))
        return ChannelTable(columns, units)

    def save(self, path: str | Path, record: list[str] | None = None) -> None:
        """Write an HDF5 file: states, the model, and channels that match ``record`` (default: all, unless very many)."""
        work_of("Solution.save")(self, path, self.record if record is None else record)

    def plot(self, *channels: str, path: str | Path | None = None, events: Any = False) -> Any:
        """Plot channels over time, one axis per unit; returns the matplotlib figure, written to ``path`` if given. ``events``: mark what
        happened, True, or that of some items by name."""
        return work_of("Solution.plot")(self, channels, path, events=events)

    def snapshot(self, path: str | Path | None = None, t: float | None = None, **options: Any) -> Any:
        """Draw the mechanism at time t, see `pliant.plot.pictures.snapshot`; returns the figure, written to ``path`` if given."""
        return work_of("Solution.snapshot")(self, path, t, **options)

    def animate(self, path: str | Path | None = None, **options: Any) -> Any:
        """Animate the mechanism, see `pliant.plot.pictures.animate`; ``path`` ends in .gif or .mp4."""
        return work_of("Solution.animate")(self, path, **options)

    def render(self, path: str | Path, t: float | None = None, **options: Any) -> Path:
        """A shaded picture at time t, or a film, see `pliant.view.render.render`; needs no display (extra ``video``)."""
        return work_of("Solution.render")(self, path, t, **options)

    def view(self, *others: Solution, browser: bool = True, port: int = 0, wait: bool | None = None) -> Any:
        """Look at the run, with ``others`` to compare: in a notebook below the cell, else in the browser (extra ``view``). A script
        waits until Ctrl-C, unless ``wait`` says otherwise."""
        return work_of("Solution.view")([self, *others], browser=browser, port=port, wait=wait)

    def to_html(self, path: str | Path, *others: Solution, rows: int = 2000, channels: Any = None) -> Path:
        """Write one page that shows the run, with ``others`` to compare; it needs no network and no program but a browser. At most
        ``rows`` rows are kept; ``channels``: patterns of those that can be plotted (default: as many as make a small file)."""
        return work_of("Solution.to_html")([self, *others], path, rows=rows, channels=channels)

    def summary(self) -> str:
        """What was run, how well it satisfies its equations, and its energy balance."""
        from .report.summaries import run_summary
        return run_summary(self)


def of_pose(assembly: Assembly) -> Solution:
    """An assembled pose as a run of one row, for pictures and channels."""
    from .methods.integrators.choices import GeneralizedAlpha
    open_ = max((gap.largest for gap in assembly.after.values()), default=0.0)
    return Solution(assembly.dynamics.model, assembly.dynamics, assembly.row[None, :].copy(), np.zeros((1, 3)),
                    Quality(open_, 0.0, 0.0, 0, 0, 0, 0), complete=False, method=GeneralizedAlpha(), step=0.0, stride=1, memory={})
