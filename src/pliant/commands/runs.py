"""Commands on models and runs."""
from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..functions.printable import printable
from .base import DEFORMATION, DONE, FAILED, INTERRUPTED, MODEL, MODELS, OUTPUT, RESULTS, RUN, SET, WRONG, Answer, Stopped, asked, command

if TYPE_CHECKING:
    from ..solution import Solution


@command
@MODEL
@OUTPUT
@SET
@click.option("--duration", help="Simulated time, such as 2 or '500 ms'.")
@click.option("--step", help="Fixed step.")
@click.option("--accuracy", help="draft, normal (default), fine or a number; steps are chosen for it.")
@click.option("--integrator", help="Kind of integrator, such as radau-iia-5 (parameters: --set simulate.integrator.rho=0.7).")
@click.option("--formulation", help="Kind of formulation, such as index-1.")
@click.option("--coordinates", help="absolute, or joint: recursion over a tree of the joints; the run chooses if left out.")
@click.option("--estimate", is_flag=True, default=None, help="Run again with steps half or twice as long and tell the error.")
@click.option("--output-step", help="Distance of the rows kept.")
@click.option("--output-times", callback=lambda _context, _option, value: value and [word.strip() for word in value.split(",")],
              help="Times of the rows kept instead, such as '0, 0.1, 500 ms'.")
@click.option("--start", help="assembled (default), static: begin in equilibrium, or steady: in the rotation that is stated.")
@click.option("--progress/--no-progress", default=True, help="Display of the progress on stderr.")
def run(model: str, output: str | None, changes: tuple[str, ...], progress: bool, **options: Any) -> Answer:
    """Simulate MODEL (.yaml or .py) and write the results (default: its name with .h5, in the current directory)."""
    from ..text.model_files import load_model
    m = load_model(model, changes)
    if options["step"] is not None and options["accuracy"] is not None:
        raise click.UsageError("give --step (fixed) or --accuracy (steps are chosen), not both")
    if options["duration"] is None and m.settings.get("duration") is None:
        raise click.UsageError(f"{model} does not say how long to simulate; give --duration")
    for given, replaced in (("step", "accuracy"), ("accuracy", "step")):  # what is typed replaces what the file says
        if options[given] is not None:
            m.settings.pop(replaced, None)
    target = Path(output or m.settings.pop("out", None) or f"{Path(model).stem}.h5")
    _check_output(target, model, RESULTS)
    return _simulated(lambda display: m.simulate(progress=display, out=target, **options), progress, target)


@command
@RUN
@OUTPUT
@click.option("--duration", help="Further time, such as 2 or '500 ms' (default: up to the planned end).")
@click.option("--model", type=click.Path(), help="The model of the run, if it has Python functions, which its file cannot hold.")
@click.option("--progress/--no-progress", default=True, help="Display of the progress on stderr.")
def resume(run: str, output: str | None, duration: str | None, model: str | None, progress: bool) -> Answer:
    """Continue RUN (.h5 or .h5.part) as if it had not been interrupted, and write the whole (default: RUN itself, without .part)."""
    from ..text.model_files import load_model
    target = Path(output or run.removesuffix(".part"))
    sol = load_run(run, load_model(model) if model else None)
    _check_output(target, None, RESULTS)
    return _simulated(lambda display: sol.resume(duration, progress=display, out=target), progress, target)


def _simulated(work: Callable[[Any], Solution], progress: bool, target: Path) -> Answer:
    """The answer of a run; if it stops, why, and where its rows are."""
    from ..items.errors import SimulationError
    from ..report.progress import Progress
    from ..report.summaries import run_data, run_summary
    display = Progress() if progress and not os.environ.get("PLIANT_QUIET") else None

    def show(t: float, end: float) -> None:
        if asked:  # an interrupt that was lost on its way, as by a library that catches everything
            raise asked[-1]
        if display:
            display(t, end)
    if display:
        show.writing = display.writing  # type: ignore[attr-defined]
    try:
        sol = work(show)
    except (Exception, KeyboardInterrupt) as error:
        if display:
            display.close()
        if not isinstance(error, (SimulationError, KeyboardInterrupt)) and not hasattr(error, "solution"):
            raise  # the model was wrong before it ran
        raise _stopped(error) from error
    return Answer({**run_data(sol), "file": str(target)}, f"{run_summary(sol)}\n  {'written':<13} {target}")


def _stopped(error: BaseException) -> Stopped:
    """What ended a run, in words, and what is kept of it."""
    lost = isinstance(error, SystemError) and bool(asked)  # a signal came between Python and compiled code, which forgot the interrupt
    interrupted = lost or isinstance(error, KeyboardInterrupt)
    message = "interrupted" if interrupted else str(error) if hasattr(error, "code") else f"{type(error).__name__}: {error}"
    data: dict[str, Any] = {"code": "interrupted" if interrupted else getattr(error, "code", "failed"), "file": None}
    sol, file = getattr(error, "solution", None), getattr(error, "file", None)
    if data["code"] == "not-written":  # the sentence says what is safe
        data["file"] = os.path.relpath(file) if file else None
    elif sol is not None and file is not None:
        shown = os.path.relpath(file)
        data |= {"file": shown, "rows": len(sol.t), "end": float(sol.t[-1])}
        unfinished = not sol.complete or shown.endswith(".part")
        goes_on = f"; pliant resume {shown} goes on from there" if interrupted and unfinished else ""
        rows = f"{len(sol.t)} row{'s' * (len(sol.t) != 1)}"
        message += f"\n{rows} up to t = {sol.t[-1]:.6g} s are kept in {shown}{goes_on}"
    elif sol is not None:
        message += f"\nThe {len(sol.t)} rows so far could not be written"
    return Stopped(message, getattr(asked[-1] if lost else error, "code", INTERRUPTED) if interrupted else FAILED, data)


def _check_output(target: Path, source: str | None, endings: tuple[str, ...]) -> None:
    """A file can be written there, it is not the one read, and its name says what it will be."""
    from ..safe_files.hdf5 import check_target
    check_target(target)
    if source and target.exists() and Path(source).exists() and target.samefile(source):
        raise click.UsageError(f"{target} is the file that is read; choose another name for the output")
    if target.suffix.lower() not in endings:
        raise click.UsageError(f"{target}: the output is written as {endings[0]}; choose a name with that ending")


@command
@MODEL
@SET
def summary(model: str, changes: tuple[str, ...]) -> Answer:
    """List masses, centres of mass, inertias and joints of MODEL, and its degrees of freedom by counting."""
    from ..report import summaries
    from ..text.model_files import load_model
    m = load_model(model, changes)
    return Answer(summaries.model_data(m), summaries.summary(m))


@command
@MODEL
@SET
@click.option("--tree", type=click.Path(), help="Figure (.png, .svg, .pdf) of the tree of joints and the loops, to write.")
def check(model: str, changes: tuple[str, ...], tree: str | None) -> Answer:
    """Say what is wrong, redundant or doubtful in MODEL before it runs, and count its degrees of freedom. Exit code 1 on errors."""
    from ..text.model_files import load_model
    if tree is not None and Path(tree).suffix not in (".png", ".svg", ".pdf"):
        raise click.UsageError(f"{tree}: give a name that ends in .png, .svg or .pdf")
    m = load_model(model, changes)
    report = m.check()
    data, text = report.to_dict(), str(report)
    if tree is not None and report.tree:  # else the model cannot be compiled, and the report says why
        from ..plot.tree_figure import draw_tree
        draw_tree(m, tree)
        data, text = {**data, "file": tree}, f"{text}\nwritten: {tree}"
    return Answer(data, text, DONE if report.ok else WRONG)


@command
@RUN
@click.option("-o", "--output", type=click.Path(dir_okay=False),
              help="File to write, .gif or .mp4 (default: the name of RUN with .gif).")
@DEFORMATION
def animate(run: str, output: str | None, deformation: float) -> Answer:
    """Animate the mechanism of RUN."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    from ..plot.pictures import animate as draw
    target = Path(output or f"{Path(run).stem}.gif")
    draw(load_shown(run), target, deformation=deformation)
    return Answer({"file": str(target)}, f"written: {target}")


@command
@RUN
@click.option("--item", help="Only those of one item.")
def events(run: str, item: str | None) -> Answer:
    """List what happened in RUN: events that fired, stops that were touched and left, switches."""
    found = load_run(run).events
    found = found if item is None else found.of(item)
    lines = found.lines(len(found)) or ["nothing happened that is told"]
    if found.omitted:
        lines.append(f"  {found.omitted} later ones were not kept")
    return Answer({"events": [e._asdict() for e in found], "omitted": found.omitted}, "\n".join(lines))


@command
@click.argument("name", required=False)
@click.option("--copy", "folder", type=click.Path(file_okay=False), help="Copy it (without NAME: all) to a folder.")
@click.option("--run", "execute_", is_flag=True, help="Run it: a .py as a script, a .yaml as by pliant run.")
def examples(name: str | None, folder: str | None, execute_: bool) -> Answer:
    """List the shipped examples; with NAME show, copy or run one."""
    from ..proofs import shipped_examples
    found = shipped_examples.examples()
    chosen = [shipped_examples.find(name, found)] if name else list(found.values())
    if folder is not None:
        made = shipped_examples.copy(chosen, Path(folder))
        return Answer({"copied": [str(p) for p in made]}, "\n".join(f"written: {p}" for p in made))
    if not name:
        from ..report.tables import table
        rows = [(stem, shipped_examples.headline(path)) for stem, path in found.items()]
        return Answer({"examples": dict(rows)}, table(("example", "about"), rows, indent=""))
    if execute_:
        code, out = shipped_examples.execute(chosen[0])
        return Answer({"name": chosen[0].stem, "exit_code": code, "output": out}, out.rstrip(), code)
    text = chosen[0].read_text(encoding="utf-8")
    return Answer({"name": chosen[0].stem, "file": chosen[0].name, "text": text}, text.rstrip())


@command
def schema() -> Answer:
    """Print the JSON Schema of the text model, for editors."""
    from ..text.schema import schema as made
    data = made()
    return Answer(data, json.dumps(data, indent=2))


def load_run(run: str, model: Any = None) -> Solution:
    from ..results.results_file import load
    if Path(run).suffix.lower() in MODELS:
        raise click.UsageError(f"{run} is a model, not a run; pliant run {run} starts it")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        sol = load(run, model)
    for warning in said:
        click.echo(printable(str(warning.message)), err=True)
    return sol


def load_shown(run: str) -> Solution:
    """A run whose mechanism is drawn; where its file does not hold all of the model, that is said."""
    sol = load_run(run)
    if sol.shown is None or sol.model is None:
        lost = "it is drawn by its channels, without joints" if sol.shown is None else "channels that were not recorded cannot be computed"
        why = sol.stored.note if sol.stored else ""
        click.echo(printable(f"{run}: the model of the run is not in its file ({why}); {lost}"), err=True)
    return sol
