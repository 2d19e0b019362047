"""simulate(): from a Model to a Solution."""
from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from .analyses.statics import start_in_equilibrium
from .analyses.turning import start_in_rotation
from .compile.compiled_model import CompiledModel
from .items.base import did_you_mean
from .items.errors import ModelError, SimulationError
from .methods.automatic import FAILURES, ShortSteps, StepWatch, candidates, ending, for_step, searched
from .methods.comparison import COARSEST
from .methods.comparison import estimate as estimate_error
from .methods.integrators.base import Integrator, Plan
from .methods.integrators.time_loop.adaptive_run import at_start
from .methods.integrators.time_loop.refined_rows import refined
from .methods.integrators.time_loop.run import Run
from .methods.integrators.time_loop.travel import end_of_travel
from .methods.method_option import MethodOption
from .methods.output_rows import Wanted, count, distance_of, parts_of, rows_of, seconds, strides, usual_rows, wanted_rows, width_of
from .methods.run_options import AUTOMATIC, OPTIONS, STARTS, accuracy_of, adaptive_refused, difference_step
from .methods.selection import chosen, in_coordinates, in_joint_coordinates
from .methods.stability import stable_step
from .results.balance import branch, doubt
from .results.drive_rates import rates_in_doubt
from .results.memory import refuse_too_large
from .results.recorder import RunRecorder
from .solution import Solution
from .start.assembly import start_row

if TYPE_CHECKING:
    from .methods.formulations.choices import Recursion
    from .model import Model
    from .safe_files.journal import Journal


def simulate(model: Model, duration: Any = None, *, step: Any = None, accuracy: Any = None, integrator: Any = None,
             formulation: Any = None, coordinates: str | None = None, output_step: Any = None, output_times: Any = None,
             output_events: bool | None = None, record: list[str] | None = None, progress: Any = True, out: Any = None,
             estimate: bool | None = None, start: str | None = None) -> Solution:
    """Simulate a model from its consistent initial state.

    ``step`` [s] is fixed (shortened a little where it does not divide the duration). Without it the steps are chosen for
    ``accuracy`` - "draft" 1e-3, "normal" 1e-5, "fine" 1e-7 or a number: relative error per second (per run, if that is shorter) in
    positions (in sizes of the model) and velocities (in the largest one, spinning wheels aside). ``estimate``: run again with steps
    twice as long (a fixed step: half as long) and report the error that follows in ``quality.estimate``. ``output_step`` [s]:
    distance of the rows kept; the last one is at the end, after a shorter distance if need be (default: 1000 rows, fewer of a model so
    large that these take more than 400 MB; with a fixed step at most so many, every step if there are fewer). ``output_times`` instead:
    a list of times [s]; rows are kept at the start and there. ``output_events``: also rows right before and behind impacts and changes of
    structure, and whatever else makes velocities jump. Rows that cannot fit into memory are refused. ``out``: a file (HDF5) for
    the results. ``record``: channel patterns such as ["crank.*"] that files hold, default all. ``progress``: True for a
    display, or a function of (t, t_end). ``coordinates``: "absolute", or "joint", the formulation Recursion; the run chooses if left out.
    ``start``: "assembled" (default); "static", in the equilibrium near it and at rest; or "steady", in the steady rotation that it states.
    """
    from .compile.out_of_plane import refuse_out_of_plane
    given = {"step": step, "accuracy": accuracy, "integrator": integrator, "formulation": formulation,
             "coordinates": coordinates, "output_step": output_step, "output_times": output_times, "output_events": output_events,
             "record": record, "out": out, "duration": duration, "estimate": estimate, "start": start}
    settings = _settings(model, given)
    length = seconds("duration", settings.get("duration"))
    model = model.for_run()
    dynamics = model.compile()
    refuse_out_of_plane(model, dynamics)
    _check_output(dynamics, settings)
    _check_memory(dynamics, length, settings)
    display = _progress(progress)

    fixed = settings.get("step") is not None
    named = settings.get("integrator"), in_coordinates(settings)
    joint = in_joint_coordinates(named[1])
    if named[0] == AUTOMATIC and (fixed or (named[1] is not None and not joint)):
        raise ModelError("simulate: integrator 'automatic' chooses the formulation and the steps as well; leave "
                         f"{'step' if fixed else 'the formulation'} out, or name an integrator")
    if not fixed and named[0] in (None, AUTOMATIC) and (named[1] is None or joint):
        return _recorded(lambda journal: _automatic(model, dynamics, length, settings, display, journal, joint), settings.get("out"),
                         settings.get("record"), display)
    method, form, why = (*chosen(*named, fixed), "")
    if fixed and named[0] is None and joint:
        h = seconds("step", settings["step"])
        method, form, why = for_step(dynamics, _first_row(dynamics, settings), h, joint)[:3]
    if method.steadies:
        why = stable_step(method, dynamics, lambda: _first_row(dynamics, settings), settings, why)
    work = _Chosen(model, dynamics, length, settings, display, method, form, why)
    return _recorded(work.run, settings.get("out"), settings.get("record"), display)


def _settings(model: Model, given: dict[str, Any]) -> dict[str, Any]:
    """The options of a run: those of the model, and those given here, which win. What is wrong by itself is refused."""
    settings = {k: model.resolved(v, k) for k, v in {**model.settings, **{k: v for k, v in given.items() if v is not None}}.items()}
    unknown = set(settings) - set(OPTIONS)
    if unknown:
        raise ModelError(f"simulate: unknown option {sorted(unknown)[0]!r}; there are {', '.join(OPTIONS)}")
    seconds("duration", settings.get("duration"), "give the simulated time in seconds")
    fixed, controlled = (given[name] is not None for name in ("step", "accuracy"))
    if fixed and controlled:
        raise ModelError("simulate: give step (fixed) or accuracy (steps are chosen), not both")
    settings.pop("accuracy" if fixed else "step" if controlled else "", None)
    if given["output_step"] is not None and given["output_times"] is None:  # instead of those of the model
        settings.pop("output_times", None)
    elif given["output_times"] is not None and given["output_step"] is None:
        settings.pop("output_step", None)
    if settings.get("estimate") and settings.get("output_events"):
        raise ModelError("simulate: estimate compares rows of two runs at the same times; leave output_events out")
    if not isinstance(settings.get("estimate", False), bool):
        raise ModelError(f"simulate: estimate = {settings['estimate']!r}, must be True or False")
    if settings.get("start", STARTS[0]) not in STARTS:
        raise ModelError(f"simulate: start = {settings['start']!r}, must be one of {', '.join(STARTS)}")
    return settings


class _Chosen:
    """A run with an integrator and a formulation that are given: with a fixed step, or steps chosen for an accuracy."""

    def __init__(self, model: Model, dynamics: CompiledModel, length: float, settings: dict[str, Any],
                 display: Callable[[float, float], None], method: Integrator, form: MethodOption, why: str) -> None:
        self.model, self.dynamics, self.length, self.settings, self.display = model, dynamics, length, settings, display
        self.method, self.form, self.why, self.fixed = method, form, why, settings.get("step") is not None
        self.order = min(method.orders(form)[:2])
        if refused := adaptive_refused(dynamics.directory.adaptive, method, self.fixed):
            raise ModelError(f"simulate: {refused}")
        if self.fixed:
            if not method.fixed:
                raise ModelError(f"simulate: step: integrator {method.kind} chooses its steps; give accuracy instead")
            self.size = seconds("step", settings["step"])
        else:
            asked = settings.get("accuracy")
            self.size = accuracy_of("normal" if asked is None else asked, method)

    def run(self, journal: Journal | None) -> Solution:
        if not self.fixed and not self.method.controlled:
            return self.searched()
        plan = self.plan()
        sol = integrate(self.model, self.made(plan), self.display, journal, why=self.why)
        if self.settings.get("estimate"):
            def other(coarse: bool) -> Solution:
                times = 2.0 if coarse else 0.5
                changed = plan._replace(accuracy=times**self.order * plan.accuracy, coarser=times)
                if self.fixed:  # the same rows
                    changed = plan._replace(step=plan.step / 2, steps=2 * plan.steps, stride=2 * plan.stride)
                return integrate(self.model, self.made(changed), self.display)
            estimate_error(sol, other, lambda row: integrate(self.model, self.made(plan, row), self.display),
                           self.order, not self.fixed and 2.0**self.order * self.size < COARSEST)
        return sol

    def plan(self) -> Plan:
        """What the run is to do, from a start that is still to be found."""
        make = _fixed if self.fixed else _controlled
        return make(self.dynamics, self.form, self.length, self.size, wanted_rows(self.settings, self.length))

    def made(self, plan: Plan, row: np.ndarray | None = None) -> Run:
        """The run, from this state or the usual one."""
        self.dynamics.time_step = plan.step or difference_step(self.length)  # differences of Python functions of time
        return self.method.run(plan._replace(row=_first_row(self.dynamics, self.settings) if row is None else row))

    def searched(self) -> Solution:
        """For a method without error control: the fixed step that gives the accuracy."""
        wanted, usual = wanted_rows(self.settings, self.length), usual_rows(width_of(self.dynamics))
        if wanted.times is None:
            wanted = Wanted(distance_of(self.length, wanted, usual))
        parts = parts_of(self.length, wanted)

        def run(h: float) -> Solution:
            return integrate(self.model, self.made(_fixed(self.dynamics, self.form, self.length, h, wanted)), self.display)
        return searched(run, self.length / parts if parts else wanted.step or self.length, self.size, self.order)


def _first_row(dynamics: CompiledModel, settings: dict[str, Any]) -> np.ndarray:
    """The state that a run begins with: assembled, in the equilibrium near it, or in the steady rotation that it states."""
    row, found = start_row(dynamics), {"static": start_in_equilibrium, "steady": start_in_rotation}.get(settings.get("start", ""))
    return found(dynamics) if found else row


def _automatic(model: Model, dynamics: CompiledModel, length: float, settings: dict[str, Any], display: Callable[[float, float], None],
               journal: Journal | None, joint: Recursion | None) -> Solution:
    """The method that suits the model, in joint coordinates if ``joint`` is given; from where it fails on, the next one."""
    asked, row = settings.get("accuracy"), _first_row(dynamics, settings)
    epsilon = accuracy_of("normal" if asked is None else asked, None)
    dynamics.time_step = difference_step(length)
    found = candidates(at_start(dynamics, row), row, length, epsilon, settings.get("coordinates") != "absolute", joint)
    before, why = None, ""
    plan = _controlled(dynamics, found[0].formulation, length, epsilon, wanted_rows(settings, length))._replace(row=row)
    taking_over = False  # for a method that failed
    while found:
        candidate = found.pop(0)
        method, form, reason = candidate[:3]
        accuracy_of(epsilon, method)
        plan, why = plan._replace(formulation=form), why or reason
        try:
            run = method.run(plan)
            sol = integrate(model, run, display, journal, before, why, StepWatch(run, candidate))
            break
        except ModelError:  # the method is not for such models
            if not found or not taking_over:
                raise
            continue
        except ShortSteps as error:
            found, stopped, reason = list(candidate.instead), error.solution, str(error)
        except SimulationError as error:
            if error.code not in FAILURES or error.final or not found:
                raise
            if error.solution is None:  # it could not even begin
                why, taking_over = f"taken as {method.kind} in the formulation {form.kind} could not begin: {error.reason}", True
                continue
            if form.kind == "recursion":  # the same method in absolute coordinates would do no better
                found = [c for c in found if c.formulation.kind != "index-1"]
            stopped, reason = error.solution, error.reason
        before, taking_over = ending(stopped), True
        why = f"taken at t = {before.t[-1]:.4g} s, as {method.kind} {reason}"
        plan = plan._replace(row=before.rows[-1],
                             accuracy=epsilon * min(1.0, length - float(before.t[-1])) / min(1.0, length))
    if settings.get("estimate"):
        order, whole = min(method.orders(form)[:2]), plan._replace(row=row, accuracy=epsilon)

        def other(coarse: bool) -> Solution:
            times = 2.0 if coarse else 0.5
            return integrate(model, method.run(whole._replace(accuracy=times**order * epsilon, coarser=times)), display)
        estimate_error(sol, other, lambda row: integrate(model, method.run(whole._replace(row=row)), display), order,
                       2.0**order * epsilon < COARSEST)
    return sol


def _recorded(work: Callable[[Journal | None], Solution], out: Any, record: list[str] | None, display: Callable[[float, float], None],
              before: Solution | None = None) -> Solution:
    """Do the work; with ``out`` its rows go to a journal as they come, and to the file of results however it ends.

    ``before``: the run that the work goes on with. An error that stops the run says where the rows are. ``display``: of the run; one
    with a method ``writing`` makes the display of the file.
    """
    if not out:
        sol = work(None)
        sol.record = record
        return sol
    from .results.results_file import conclude
    from .safe_files.hdf5 import check_results
    from .safe_files.journal import Journal
    journal, done = Journal(check_results(out), record), None
    try:
        done = work(journal)
        done.record = record
        with _writing(display, journal, 2) as report:
            conclude(done, journal, before, report)
        return done
    except BaseException as error:
        kept: Solution | None = getattr(error, "solution", None)
        if done is not None and kept is None:  # interrupted while the file was written
            error.solution, error.file = done, getattr(error, "file", journal.target)  # type: ignore[attr-defined]
        elif kept is not None and not kept.complete:
            kept.record = record
            again = isinstance(error, KeyboardInterrupt)
            with suppress(KeyboardInterrupt), _writing(display, journal, 1 if again else 2) as report:  # the run has stopped already
                error.file = conclude(kept, journal, before, report, again)  # type: ignore[attr-defined]
            rows, file = f"{len(kept.t)} rows up to t = {kept.t[-1]:.6g} s", getattr(error, "file", None)
            error.add_note(f"{rows} are kept in {str(file)!r}" if file else f"{rows} are not kept on disk")
        raise
    finally:
        journal.close()


@contextmanager
def _writing(display: Any, journal: Journal, times: int) -> Iterator[Callable[[float, float], None] | None]:
    """The display of a file that is written after the run, if the run has one; it says how to leave."""
    if not hasattr(display, "writing"):
        yield None
        return
    left = f" (Ctrl-C{' twice' * (times == 2)} leaves it; the rows are in {journal.path.name!r})" if journal.safe else ""
    made = display.writing(f"writing {journal.target.name!r}{left}")
    try:
        yield made
    finally:
        made.close()


def _check_output(dynamics: CompiledModel, settings: dict[str, Any]) -> None:
    """What would make saving fail is found before the run."""
    if settings.get("out"):
        from .safe_files.hdf5 import check_results
        check_results(settings["out"])
    record = settings.get("record")
    if record is None:
        return
    if isinstance(record, str) or not all(isinstance(p, str) for p in record):
        raise ModelError(f"simulate: record = {record!r}, must be a list of channel patterns, such as ['crank.*']")
    from .channel_values.observer import catalogue
    known = catalogue(dynamics)
    for pattern in record:
        if not fnmatch.filter(known, pattern) and pattern.rpartition(".")[0] not in known:
            raise ModelError(f"simulate: record: no channel matches {pattern!r}{did_you_mean(pattern, known)}")


def _check_memory(dynamics: CompiledModel, length: float, settings: dict[str, Any]) -> None:
    """Rows that cannot fit into memory are refused before the run."""
    rows = rows_of(length, settings.get("step"), wanted_rows(settings, length), width_of(dynamics))
    refuse_too_large(rows, width_of(dynamics), length, 2 if settings.get("estimate") else 1)


def _fixed(dynamics: CompiledModel, form: MethodOption, length: float, step: float, wanted: Wanted) -> Plan:
    h, steps, stride = strides(length, step, wanted, usual_rows(width_of(dynamics)))
    return Plan.fixed(dynamics, form, np.zeros(1), h, steps, stride, wanted.times)._replace(both=wanted.events)


def _controlled(dynamics: CompiledModel, form: MethodOption, length: float, epsilon: float, wanted: Wanted) -> Plan:
    distance = distance_of(length, wanted, usual_rows(width_of(dynamics))) if wanted.times is None else 0.0
    return Plan(dynamics, form, np.zeros(1), length, accuracy=epsilon, distance=distance, origin=0.0, listed=wanted.times,
                both=wanted.events)


def integrate(model: Model, run: Run, display: Callable[[float, float], None], journal: Journal | None = None,
              before: Solution | None = None, why: str = "", watch: Callable[[], None] | None = None) -> Solution:
    """Run the loop; rows are refined as they come. What was computed before a failure is kept in the error. ``before``: the run to go
    on with from its last checkpoint. ``why``: the reason for the method, if it was not given. ``watch``: may end the run."""
    watch = watch or run.method.watch(run)
    rates, got = rates_in_doubt(run.dynamics, float(run.start[0]), run.end, run.accuracy), RunRecorder(run, run.start, journal, before)
    failure, late = None, False  # type: BaseException | None, bool
    try:
        first = got.solution(model, run.end, complete=False)
        first.why = why
        got.begin(first)
        for new in run:
            if len(new):
                good, energies, report, reason = refined(run, new)
                got.add(new[:good], energies[:good], report[:good])
                if reason:
                    late = True
                    raise reason
            got.mark()
            display(run.t, run.end)
            if watch:
                watch()
    except SimulationError as error:
        failure = end_of_travel(run, [got.last] if late else [run.here(), got.last], error) or error
    except BaseException as error:  # also what a user's function raised, and Ctrl-C: what was computed is kept
        failure = error
    sol = got.solution(model, run.end, complete=failure is None)
    sol.why, sol.quality.doubt = why, "; ".join(filter(None, (doubt(sol), branch(sol), rates)))
    if failure:
        failure.solution = sol  # type: ignore[attr-defined]
        raise failure
    return sol


def _progress(value: Any) -> Callable[[float, float], None]:
    if callable(value):
        return value
    if not value or os.environ.get("PLIANT_QUIET"):
        return lambda t, end: None
    from .report.progress import progress_display
    return progress_display()


def resume(sol: Solution, duration: Any = None, progress: Any = True, out: Any = None) -> Solution:
    """Continue a run from its last checkpoint: the rows up to there, then what a run without interruption would have given."""
    if sol.model is None:
        raise ModelError("this run cannot be resumed: its file holds no model (it used Python functions); run the model again")
    if duration is None and sol.complete:
        raise ModelError(f"run {sol.name!r} is complete at t = {sol.end:g} s; to go on give the further time in seconds: "
                         "sol.resume(duration), pliant resume --duration")
    if not {"rows", "worst"} <= sol.memory.keys():
        raise ModelError(f"run {sol.name!r} cannot be resumed: there is no checkpoint of it, its file is of an older version; run it again")
    if impure := [item.name for item in sol.model if not getattr(item, "pure", True)]:
        raise ModelError(f"run {sol.name!r} cannot be resumed: controller {impure[0]!r} is said to remember what its states do not hold "
                         "(pure=False); run the model again")
    if changes := sol.model.changes():
        raise ModelError(f"run {sol.name!r} cannot be resumed: its model was changed since ({', '.join(changes[:5])}), and a continuation "
                         "is that of the model as it was. Undo the changes, or simulate the changed model anew; what shall change during "
                         "a run is a function of t or of channels")
    model, dynamics = sol.model, sol.dynamics or sol.model.compile()
    dynamics.unique_reactions = sol.quality.unique_reactions
    start, end = sol.rows[0].copy(), sol.end
    if duration is not None:
        length = seconds("duration", duration, "give the further time in seconds")
        end = (sol.end if sol.complete else float(sol.t[-1])) + length
    display, origin, listed = _progress(progress), float(start[0]), _listed(sol, None if duration is None else end)
    steps = max(1, round((end - origin) / sol.step)) if sol.accuracy is None else count(end - origin, sol.step)
    refuse_too_large((steps // sol.stride if listed is None else len(listed)) + 1, len(start), end, remedy="go on for a shorter time")

    def work(journal: Journal | None) -> Solution:
        if sol.accuracy is None:
            dynamics.time_step = sol.step
            plan = Plan.fixed(dynamics, sol.formulation, start, sol.step, steps, sol.stride, listed)
        else:
            dynamics.time_step = difference_step(sol.end - float(start[0]))
            plan = Plan(dynamics, sol.formulation, start, end, accuracy=sol.accuracy, distance=sol.step, listed=listed)
        return integrate(model, sol.method.run(plan._replace(memory=sol.memory)), display, journal, sol, sol.why)
    return _recorded(work, out, sol.record, display, sol)


def _listed(sol: Solution, end: float | None) -> np.ndarray | None:
    """Times of the rows of a run that were listed, and a further ``end``; None if its rows are even."""
    due = sol.memory.get("due")
    if due is None:
        return None
    if due.ndim != 1 or not (np.isfinite(due).all() and (np.diff(due) > 0).all()):
        raise ModelError(f"run {sol.name!r} cannot be resumed: the times of its rows in the file are damaged; run it again")
    return due if end is None else np.append(due[due < end], end)
