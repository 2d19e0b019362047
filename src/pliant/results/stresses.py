"""Stresses of a flexible body over a run: its modal coordinates over time, and the stresses its part knows."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._facade import work_of
from ..flex.section import Section
from ..items.beam_formulations import EXACT, SECTIONED
from ..items.beam_profiles import section_at
from ..items.beams import Beam

if TYPE_CHECKING:
    from ..flex.fatigue import SN
    from ..flex.recovery import Envelope, HotSpot, Recovery
    from ..solution import Solution


class BodyStress:
    """``sol.stress("rod")``: stress at any time, extremes over the run, hot spots, fatigue, export."""

    def __init__(self, solution: Solution, body: str) -> None:
        self.body, self.t = body, solution.t
        self._envelope: Envelope | None = None
        self.recovery: Recovery
        if solution.shown is not None and isinstance(beam := solution.shown[body], Beam):
            self.recovery, self.q = _of_beam(solution, beam)
            return
        part = solution.part(body)
        if part.stress is None:
            raise ValueError(f"stress: the part of {body!r} was reduced without stresses; reduce it with stress=True")
        self.q, self.recovery = np.asarray(solution[f"{body}.modal"]), part.stress

    def between(self, start: float, end: float) -> BodyStress:
        """The same of a part of the run, as one revolution after it has settled."""
        inside = (self.t >= start - 1e-12 * abs(end)) & (self.t <= end + 1e-12 * abs(end))
        if not inside.any():
            raise ValueError(f"stress: there are no rows from {start:g} to {end:g} s; the run is from {self.t[0]:g} to {self.t[-1]:g} s")
        part = copy(self)
        part.t, part.q, part._envelope = self.t[inside], self.q[inside], None
        return part

    def coordinates(self, t: float) -> np.ndarray:
        """Modal coordinates at a time, linear between the rows kept."""
        if not self.t[0] <= t <= self.t[-1]:
            raise ValueError(f"stress: t = {t:g} s must be from {self.t[0]:g} to {self.t[-1]:g} s")
        return np.array([np.interp(t, self.t, column) for column in self.q.T])

    def at(self, t: float) -> np.ndarray:
        """Stress (points, 6) [Pa]: xx, yy, zz, xy, yz, xz in body axes."""
        return self.recovery.at(self.coordinates(t))

    def forces(self, t: float) -> np.ndarray:
        """Internal forces of a beam (elements, 2, 6)."""
        return self.recovery.forces_at(self.coordinates(t))

    def history(self, node: int) -> np.ndarray:
        """Stress (times, 6) at one point of the recovery."""
        return self.recovery.history(node, self.q)

    def envelope(self, progress: Any = True) -> Envelope:
        """Extremes over the run, computed once. ``progress``: True for a display, as for `simulate`, or a function of the part done."""
        if self._envelope is None:
            self._envelope = self.recovery.envelope(self.q, _progress(progress, self.body))
        return self._envelope

    def hot_spots(self, count: int = 10, apart: float | None = None) -> list[HotSpot]:
        """The points of the largest von Mises stress, and when [s] it is there."""
        return self.recovery.hot_spots(self.envelope(), count, apart, self.t)

    def damage(self, curve: SN, points: Iterable[int] | None = None) -> dict[int, float]:
        """Damage at points of the recovery (default: the hot spots)."""
        chosen = [spot.node for spot in self.hot_spots()] if points is None else [int(p) for p in points]
        return dict(zip(chosen, self.recovery.damage(self.q, curve, chosen).tolist(), strict=True))

    def summary(self) -> str:
        """Hot spots, and which of them are too near to an interface to be trusted."""
        lines = [f"largest von Mises stress of {self.body!r} over the run:"]
        for spot in self.hot_spots():
            at = ", ".join(f"{c:.4g}" for c in spot.position)
            near = f"; near interface {spot.near!r}: depends on how it is coupled" if spot.near else ""
            lines.append(f"  {spot.value / 1e6:9.4g} MPa at ({at}) m, t = {spot.time:.4g} s{near}")
        return "\n".join(lines)

    def plot(self, path: str | Path | None = None, node: int | None = None) -> Any:
        """Draw the largest von Mises stress on the skin, and the stress over time at a point (default: the first hot spot); returns the
        matplotlib figure, written to ``path`` if given."""
        return work_of("BodyStress.plot")(self, path, node)

    def export(self, path: str | Path, t: float | None = None) -> None:
        """A VTK file (.vtu) of the stress at a time, or of the extremes over the run."""
        from ..flex.tensors import von_mises
        if t is not None:
            sigma = self.at(t)
            self.recovery.export(path, stress=sigma, von_mises=von_mises(sigma))
            return
        e = self.envelope()
        self.recovery.export(path, von_mises=e.von_mises, time_of_von_mises=self.t[e.von_mises_at], largest_principal=e.largest,
                             smallest_principal=e.smallest)


def _of_beam(solution: Solution, beam: Beam) -> tuple[Recovery, np.ndarray]:
    """Stresses of a beam by the forces in sections at both ends of every element, and these forces over time."""
    from ..flex.section_stress import recovery_of_sections
    if beam.formulation not in SECTIONED:
        raise ValueError(f"stress: beam {beam.name!r} is {beam.formulation}, whose stresses are not computed; take the formulation {EXACT}")
    n, sections = beam.elements, list[Section]()
    for k in range(n):
        for s in (k / n, (k + 1) / n):
            section = section_at(beam.profile, s)
            if not isinstance(section, Section):
                raise ValueError(f"stress: the sections of beam {beam.name!r} are given by matrices, which tell no stresses; take its "
                                 f"forces and moments, such as '{beam.name}.element_0.moment'")
            sections.append(section)
    forces = solution.observer.section(beam.name, slice(None), (0.0, 1.0)).reshape(len(solution.t), -1)
    poses = [beam.axis.poses[k + side] for k in range(n) for side in range(2)]
    assert beam.material is not None
    return recovery_of_sections(sections, poses, beam.material), forces


def _progress(value: Any, body: str) -> Callable[[float], None] | None:
    if callable(value) or not value or os.environ.get("PLIANT_QUIET"):
        return value if callable(value) else None
    from ..report.progress import Progress
    display = Progress(f"stresses of {body!r}")
    return lambda done: display(done, 1.0)
