"""One beam by all its formulations: how far its tip is from that of a finer beam, stress, energy and CPU time. docs/beams.md"""
from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...flex.section import Section
from ...functions.units import quantity
from ...items.base import Frame, did_you_mean
from ...items.beam_formulations import EXACT, FORMULATIONS, MODAL, RIGID, SECTIONED
from ...items.beam_profiles import section_at
from ...items.beams import Beam
from ...items.errors import ItemError, ModelError, SimulationError
from ...items.naming import Naming, settle
from ...methods.run_options import accuracy_of
from ...report.progress import working_on
from ...report.tables import table

if TYPE_CHECKING:
    from ...model import Model
    from ...solution import Solution

ROWS = 200                     # at which runs are compared
WARM = 0.01                    # of the duration: a run before the others
REPEATED = 60.0                # s: runs that take less are made twice
PATIENCE, LEAST = 5.0, 300.0   # times the CPU time of the reference that a run may take, and s that it always may, kernels included
FINER = 0.1                    # accuracy of the reference, in that of the others,
FINEST, COARSEST = 1e-10, 0.1  # which is from here to there
TURNS, STRAINS = 0.1, 0.01     # rad: below, modes are enough; above, what deforms far by an exact beam
NEAR, ALMOST = 0.05, 0.01      # of the deflection: as good as the reference; so little that nothing is to choose
COLUMNS = ("formulation", "elements", "tip", "share", "stress", "energy", "cpu", "steps", "method")
HEADS = ("formulation", "elements", "tip [m]", "of deflection", "peak stress [Pa]", "energy error", "CPU [s]", "steps", "method")


class TooLong(Exception):
    """A run takes far longer than the reference."""


class Finer(Naming):
    """Nodes of a beam by their numbers where it has twice the elements."""

    def __init__(self, model: Model, beam: str) -> None:
        super().__init__({name: name for name in model.items}, {}, self.moved)
        self.beam = beam

    def frame(self, frame: Frame) -> Frame:
        here = frame.body == self.beam and frame.frame
        return frame.model_copy(update={"frame": self.moved("", f"{frame.frame}")}) if here else frame

    def moved(self, item: str, rest: str) -> str:
        """A channel of an item; ``item`` is empty where there is none."""
        place, _, more = rest.partition(".")
        kind, _, number = place.partition("_")
        if item in ("", self.beam) and number.isdecimal() and kind == "node":
            place = f"node_{2 * int(number)}"
        if item == self.beam and number.isdecimal() and kind == "element":
            raise ModelError(f"study: {item}.{rest} is used in the model, and is elsewhere on the reference, which has twice the elements; "
                             f"name the place in frames of {item!r}, and use its channel")
        return ".".join(word for word in (item, place, more) if word)


@dataclass
class Study:
    """Rows: formulation, elements, tip (largest distance from that of the reference [m]), share (of the deflection), stress (largest
    [Pa]), energy (largest error, of ``energy``), cpu [s], steps, method; the reference is the first. ``refused``: formulations without a
    row, and why. ``deflection`` [m], ``rotation`` [rad] and ``strain`` are the largest ones of the reference, against a rigid beam that
    goes with the section at its start; ``energy`` [J] is the largest of its energies. ``paths``: of the tip (n, 3) at the
    times ``t``."""
    model: str
    body: str
    tip: str
    duration: float
    deflection: float
    rotation: float
    strain: float
    energy: float
    t: np.ndarray
    rows: list[dict[str, Any]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    paths: dict[str, np.ndarray] = field(default_factory=dict)

    def __str__(self) -> str:
        head = (f"beam {self.body!r} in {self.model!r}, {self.duration:g} s; {self.tip} against the reference\n"
                f"largest deflection {self.deflection:.3g} m, rotation {self.rotation:.3g} rad, strain {100 * self.strain:.3g} %")
        lines = [f"not {word}: {why}" for word, why in self.refused.items()]
        shown = [[_short(row[key]) for key in COLUMNS] for row in self.rows]
        return "\n".join([head, table(HEADS, shown, indent=""), *lines, self.advice])

    @property
    def shares(self) -> dict[str, float]:
        """Deviation of the tip of every formulation, of the deflection."""
        return {row["formulation"]: row["share"] for row in self.rows[1:]}

    @property
    def advice(self) -> str:
        """One sentence, from the rotations and strains of the reference and from how far the formulations are apart."""
        shares, coarse = self.shares, self.rows[0]["elements"] // 2
        facts = f"Sections turn by up to {self.rotation:.3g} rad and strains reach {100 * self.strain:.3g} %"
        if shares.get(EXACT, 0.0) > NEAR:
            return (f"{facts}, but {EXACT} with {coarse} elements is {_percent(shares[EXACT])} of the deflection from that with "
                    f"{2 * coarse}: take more elements before formulations are compared.")
        if self.strain > STRAINS:
            return f"{facts}, more than {_percent(STRAINS)}: take {EXACT}{self._apart(EXACT)}, and a material that is linear so far."
        if self.rotation >= TURNS:
            return f"{facts}, more than {TURNS:g} rad is beyond small deflections: take {EXACT}{self._apart(EXACT)}."
        if MODAL not in shares:
            return f"{facts}: {MODAL} would be enough, but there is no run of it; take {EXACT}{self._apart(EXACT)}."
        if shares[MODAL] > NEAR:
            return (f"{facts}, which is small, but {MODAL} is {_percent(shares[MODAL])} of the deflection from the reference: take "
                    f"{EXACT}{self._apart(EXACT)}.")
        return f"{facts}, less than {TURNS:g} rad: {MODAL} is enough{self._apart(MODAL)}."

    def _apart(self, word: str) -> str:
        """How far a formulation is from the reference, and others that are as near."""
        shares = self.shares
        if word not in shares:
            return ""
        others = [other for other, share in shares.items() if other not in (word, RIGID) and share <= max(ALMOST, shares[word])]
        near = f"; {', '.join(others)} {'is' if len(others) == 1 else 'are'} as near or within {_percent(ALMOST)}" if others else ""
        return f" ({_percent(shares[word])} of the deflection from the reference{near})"

    def to_csv(self, path: str | Path) -> None:
        """One line per run."""
        lines = [",".join(COLUMNS)] + [",".join("" if row[k] is None else str(row[k]) for k in COLUMNS) for row in self.rows]
        Path(path).write_text("\n".join(lines) + "\n")

    def plot(self, path: str | Path | None = None) -> Any:
        """The way of the tip, its distance from the reference over time, and CPU time over deviation."""
        from ...plot.colors import COLORS
        from ...plot.pictures import _figure, _finish
        from ...plot.spectra_and_shapes import GRID
        figure, show = _figure((13.0, 4.6), path)
        way, apart, work = figure.subplots(1, 3)
        reference, *others = self.paths
        across, up = _widest(self.paths[reference])
        way.plot(*self.paths[reference][:, (across, up)].T, color="#333333", linewidth=2.5, alpha=0.4, label=reference)
        for k, word in enumerate(others):
            style, r = {"color": COLORS[k % len(COLORS)], "linewidth": 1.1}, self.paths[word]
            way.plot(*r[:, (across, up)].T, label=word, **style)
            apart.semilogy(self.t[1:], np.maximum(_far(r, self.paths[reference])[1:], 1e-15), label=word, **style)
        for k, row in enumerate(self.rows[1:]):
            work.loglog([max(row["tip"], 1e-15)], [max(row["cpu"], 1e-4)], "os^vDP*X"[k % 8], color=COLORS[k % len(COLORS)],
                        label=row["formulation"])
        way.set(xlabel=f"{'xyz'[across]} [m]", ylabel=f"{'xyz'[up]} [m]", title=f"{self.tip}")
        apart.set(xlabel="time [s]", ylabel="distance from the reference [m]", title=f"deflection up to {self.deflection:.3g} m")
        work.set(xlabel="largest distance from the reference [m]", ylabel="CPU time [s]", title=f"{self.model}, {self.duration:g} s")
        for axes in (way, apart, work):
            axes.grid(True, **GRID)
            axes.title.set_fontsize("medium")
        work.legend(fontsize="x-small", framealpha=0.85)
        return _finish(figure, path, show)


def frames(model: Model, body: str, duration: Any = None, formulations: list[str] | None = None, accuracy: Any = None,
           tip: str | None = None) -> Study:
    """Run a model with its beam ``body`` by every formulation, or those named, and by geometrically exact elements, twice as many and ten
    times as accurate: the reference. ``tip``: a position to compare, that of the end of the beam if left out. Options of the model that
    choose methods are left out: each run takes its own."""
    exact, words = model.replace(body, formulation=EXACT), _words(formulations)
    beam = exact[body]
    if not isinstance(beam, Beam) or not beam.active:
        raise ModelError(f"study: {beam.kind} {body!r} is no beam that is active; name one that takes part in the motion")
    length = float(quantity(model.settings.get("duration", 1.0) if duration is None else duration, "s"))
    wanted = accuracy_of(accuracy or model.settings.get("accuracy") or "normal", None)
    if not FINEST <= wanted <= COARSEST:
        raise ModelError(f"study: accuracy {wanted:g} must be between {FINEST:g} and {COARSEST:g}; that of the reference is a tenth of it")
    place = tip or f"{body}.end.position"
    options = {"output_step": length / ROWS, "start": model.settings.get("start", "assembled")}
    finer, there = doubled(exact, body), Finer(exact, body).moved(body, place[len(body) + 1:]) if place.startswith(f"{body}.") else place
    working_on(f"study: reference, {2 * beam.elements} elements")
    _refuse_tip(finer, length, there)
    reference, cpu = _run(finer, length, {**options, "accuracy": wanted * FINER})
    r = reference[there]
    found = *measures(reference, finer[body]), _largest(reference)
    study = Study(model.name, body, place, length, *found, reference.t, paths={"reference": r})
    study.rows.append(_row("reference", reference, finer[body], r, study, cpu))
    longest = max(LEAST, PATIENCE * cpu)
    for word in words:
        working_on(f"study: {word}")
        try:
            other = model.replace(body, formulation=word)
            other.settings = {}
            sol, cpu = _run(other, length, {**options, "accuracy": wanted}, longest)
        except SimulationError as error:
            study.refused[word] = error.summary
        except (ModelError, ItemError, TooLong) as error:
            study.refused[word] = str(error)
        else:
            study.paths[word] = sol[place]
            study.rows.append(_row(word, sol, other[body], r, study, cpu))
    return study


def doubled(model: Model, body: str) -> Model:
    """A copy in which a beam has twice the elements; what is at one of its nodes stays where it is."""
    finer = model.copy()
    finer.settings = {}
    settle(finer.items)
    naming = Finer(finer, body)
    for item in finer:
        if item.name != body:
            naming.apply(item)
    finer[body].elements *= 2
    return finer


def measures(sol: Solution, beam: Beam) -> tuple[float, float, float]:
    """The largest deflection [m], rotation [rad] and strain of a run: of the sections at nodes against where they were in a rigid beam that
    goes with the section at the start, and along the fibres, N/EA + z K_y - y K_z at the points of sections."""
    observer, deflection, turn, strain = sol.observer, 0.0, 0.0, 0.0
    numbers = observer.directory.frames
    start = numbers[f"{beam.name}.start"]
    origin, axes, first = observer.position(start), observer.axes(start), beam.axis.poses[0]
    for k, pose in enumerate(beam.axis.poses):
        number = numbers[f"{beam.name}.node_{k}"]
        rigid = first.axes.T @ (pose.point - first.point)
        deflection = max(deflection, float(_far(observer.position(number) - origin, axes @ rigid).max()))
        gap = observer.axes(number) - axes @ first.axes.T @ pose.axes  # 2 sqrt(2) sin(angle / 2)
        turn = max(turn, float(np.linalg.norm(gap, axis=(1, 2)).max()))
    n = beam.elements
    for place, s in {"start": 0.0, "end": 1.0, **{f"element_{k}": (k + 0.5) / n for k in range(n)}}.items():
        e, K, section = sol[f"{beam.name}.{place}.strain"], sol[f"{beam.name}.{place}.curvature"], section_at(beam.profile, s)
        points = [(y, z) for y, z, _ in section.points] if isinstance(section, Section) else []
        for y, z in points or [(0.0, 0.0)]:
            strain = max(strain, float(abs(e[:, 0] + z * K[:, 1] - y * K[:, 2]).max()))
    return deflection, float(2 * np.arcsin(min(1.0, turn / np.sqrt(8)))), strain


def _refuse_tip(model: Model, length: float, tip: str) -> None:
    """Before long runs, by a short one."""
    sol = model.simulate(WARM * length, output_step=WARM * length, progress=False)
    places = [c for c in sol.channels if c.rpartition(".")[2] == "position"]
    if tip not in places:
        raise ModelError(f"study: there is no position {tip!r}{did_you_mean(tip, places)}")


def _run(model: Model, length: float, options: dict[str, Any], longest: float = np.inf) -> tuple[Solution, float]:
    """A run, and its CPU time [s]: of a short one the second time, when all kernels are there."""
    took = clock = 0.0

    def watch(t: float, end: float) -> None:
        if time.process_time() - clock > longest:
            raise TooLong(f"stopped at {t:.3g} s, after {longest:.3g} s of computing, {PATIENCE:g} times that of the reference or more")
    for _ in range(2):
        clock = time.process_time()
        sol = model.simulate(length, **options, progress=watch)
        took = time.process_time() - clock
        if took > REPEATED:
            break
    return sol, took


def _row(word: str, sol: Solution, beam: Beam, reference: np.ndarray, study: Study, cpu: float) -> dict[str, Any]:
    far = float(_far(study.paths[word], reference).max())
    known = beam.formulation in SECTIONED and all(isinstance(section_at(beam.profile, s), Section) for s in (0.0, 1.0))
    return {"formulation": word, "elements": beam.elements if beam.formulation not in (MODAL, RIGID) else None, "tip": far,
            "share": far / study.deflection if study.deflection > 0 else None,
            "stress": float(sol.stress(beam.name).envelope(progress=False).von_mises.max()) if known else None,
            "energy": sol.energy.drift / study.energy if study.energy > 0 else None, "cpu": cpu, "steps": sol.quality.steps,
            "method": sol.method.kind}


def _largest(sol: Solution) -> float:
    """The largest energy [J], of potential energies the largest change."""
    e = sol.energy
    return max(float(abs(part).max()) for part in (e.kinetic, e.potential - e.potential[0], e.elastic, e.dissipated, e.work))


def _words(names: list[str] | None) -> tuple[str, ...]:
    for name in names or ():
        if name not in FORMULATIONS:
            raise ModelError(f"study: there is no formulation {name!r} of beams{did_you_mean(name, FORMULATIONS)}")
    return tuple(dict.fromkeys(names)) if names else FORMULATIONS


def _widest(path: np.ndarray) -> tuple[int, int]:
    """The two axes along which it goes farthest, in their order."""
    first, second = sorted(np.argsort(np.ptp(path, axis=0))[1:].tolist())
    return first, second


def _far(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(a - b, axis=1))


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"


def _short(value: Any) -> Any:
    return f"{value:.3g}" if isinstance(value, float) else "" if value is None else value
