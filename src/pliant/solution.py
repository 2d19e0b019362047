"""Solution: the results of a run, by name. It only reads."""
from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .items.base import did_you_mean
from .refinement import ACCELERATION, POSITION, VELOCITY

if TYPE_CHECKING:
    from .channels import Observer
    from .dynamics import Dynamics
    from .integrators.generalized_alpha import Run
    from .model import Model


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
    estimate: float | None = None  # relative error per second, where the run was repeated with half the step


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


class Solution:
    """Results of a run: ``sol["crank.end.position"]``, ``sol.t``, ``sol.channels``, ``sol.energy``, ``sol.quality``."""

    def __init__(self, model: Model | None, dynamics: Dynamics | None, rows: np.ndarray, energies: np.ndarray, quality: Quality,
                 *, complete: bool, method: Any, step: float, stride: int, memory: dict[str, np.ndarray],
                 recorded: Any = None) -> None:
        self.model, self.dynamics, self.rows, self.energies = model, dynamics, rows, energies
        self.quality, self.complete, self.method = quality, complete, method
        self.step, self.stride, self.memory = step, stride, memory
        self.recorded = recorded or {}

    @classmethod
    def from_run(cls, model: Model, dynamics: Dynamics, run: Run, rows: np.ndarray, energies: np.ndarray, report: np.ndarray,
                 complete: bool) -> Solution:
        from .integrators import stepper as st
        worst = report.max(0)
        quality = Quality(float(worst[POSITION]), float(worst[VELOCITY]), float(worst[ACCELERATION]), int(run.count[st.STEPS]),
                          int(run.count[st.ITERATIONS]), int(run.count[st.FACTORISATIONS]), run.fallbacks)
        return cls(model, dynamics, rows, energies, quality, complete=complete, method=run.method, step=run.step,
                   stride=run.stride, memory=run.memory())

    def __repr__(self) -> str:
        state = "" if self.complete else ", incomplete"
        return f"Solution({self.name!r}: {self.t[0]:g} to {self.t[-1]:g} s, {len(self.t)} rows, {len(self.channels)} channels{state})"

    @property
    def name(self) -> str:
        return self.model.name if self.model else "run"

    @property
    def t(self) -> np.ndarray:
        """Times of the rows [s], shape (n,)."""
        return self.rows[:, 0]

    @cached_property
    def _observer(self) -> Observer | None:
        if self.dynamics is None and self.model is not None:
            self.dynamics = self.model.compile()
        if self.dynamics is None:
            return None
        from .channels import Observer
        return Observer(self.dynamics, self.rows, self.energies)

    @cached_property
    def units(self) -> dict[str, str]:
        """{channel: unit}."""
        if self._observer is None:
            return {name: unit for name, (unit, _) in self.recorded.items()}
        return {name: unit for name, (unit, _) in self._observer.catalogue.items()}

    @property
    def channels(self) -> list[str]:
        """Names of all channels."""
        return list(self.units)

    def __getitem__(self, name: str) -> np.ndarray:
        """A channel over time, shape (n,) or (n, 3); a component with .x .y .z."""
        if name in self.recorded:
            return np.asarray(self.recorded[name][1]())
        if self._observer is not None:
            return self._observer(name)
        whole, _, last = name.rpartition(".")
        if whole in self.recorded:
            value = np.asarray(self.recorded[whole][1]())
            letters = "xyz" if value.ndim == 2 and value.shape[1] == 3 else "wxyz"
            if value.ndim == 2 and last in letters:
                return value[:, letters.index(last)].copy()
        raise KeyError(f"no channel {name!r}{did_you_mean(name, self.channels)}")

    def select(self, *patterns: str) -> list[str]:
        """Channels that match any of the patterns, such as "crank.*"; a component stands for itself."""
        chosen: list[str] = []
        for pattern in patterns:
            found = fnmatch.filter(self.channels, pattern)
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

    def resume(self, duration: Any, *, progress: Any = True) -> Solution:
        """Continue for ``duration`` seconds with the same method and step; returns the whole run."""
        from .simulation import resume
        return resume(self, duration, progress)

    # -- files and tables
    def columns(self, *patterns: str) -> dict[str, np.ndarray]:
        """{column: values}: channels with components split, t first; all channels of the model without arguments."""
        out = {"t": self.t}
        for name in self.select(*(patterns or ("*",))):
            value = self[name]
            if value.ndim == 1:
                out[name] = value
            else:
                out |= {f"{name}.{c}": value[:, k] for k, c in enumerate("xyz" if value.shape[1] == 3 else "wxyz")}
        return out

    def to_dataframe(self, *patterns: str) -> Any:
        """A pandas DataFrame of channels, indexed by t. Needs the extra ``tables``."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_dataframe needs pandas: pip install pliant[tables]") from None
        columns = self.columns(*patterns)
        return pd.DataFrame({k: v for k, v in columns.items() if k != "t"}, index=pd.Index(columns["t"], name="t"))

    def to_csv(self, path: str | Path, *patterns: str) -> None:
        """Channels as text, 17 digits, the first line names and units."""
        columns = self.columns(*patterns)
        head = ["t [s]", *(f"{c} [{self.unit(c)}]" if self.unit(c) else c for c in list(columns)[1:])]
        np.savetxt(path, np.column_stack(list(columns.values())), delimiter=",", header=",".join(head), comments="", fmt="%.17g")

    def save(self, path: str | Path, record: list[str] | None = None) -> None:
        """Write an HDF5 file: states, the model, and channels that match ``record`` (default: all, unless they are very many)."""
        from .results import save
        save(self, path, record)

    def plot(self, *channels: str, path: str | Path | None = None) -> Any:
        """Plot channels over time, one axis per unit; returns the matplotlib figure, written to ``path`` if given."""
        from .pictures import plot
        return plot(self, channels, path)

    def animate(self, path: str | Path | None = None, **options: Any) -> Any:
        """Animate the mechanism, see `pliant.pictures.animate`; ``path`` ends in .gif or .mp4."""
        from .pictures import animate
        return animate(self, path, **options)

    def summary(self) -> str:
        """What was run, how well it satisfies its equations, and its energy balance."""
        from .report import run_summary
        return run_summary(self)
