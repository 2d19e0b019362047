"""The command line: ``pliant run model.yaml``. Commands import what they need when they run, so that --help is fast.

Every command function returns what --json prints, and the text shown otherwise. Exit codes: 0 done, 1 the model, a file or an
argument is wrong, 2 the simulation failed, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
"""
from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from . import analysis_commands

if TYPE_CHECKING:
    from .solution import Solution

DONE, WRONG, FAILED, INTERRUPTED = 0, 1, 2, 130
RESULTS, MODELS = (".h5", ".hdf5"), (".yaml", ".yml", ".py")


class Answer(NamedTuple):
    """Of a command: an object for --json, a text for people, and the exit code."""
    data: dict[str, Any]
    text: str
    code: int = DONE


class Stopped(Exception):
    """A simulation failed or was interrupted; ``data`` tells what was kept."""

    def __init__(self, message: str, code: int, data: dict[str, Any]) -> None:
        super().__init__(message)
        self.code, self.data = code, data


class Terminated(KeyboardInterrupt):
    """A signal that asks the program to end: handled like Ctrl-C, with the exit code that shells use for it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = 128 + number


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pliant", prog_name="pliant")
def cli() -> None:
    """Flexible multibody dynamics: simulate models, look at results, verify."""


def command(function: Callable[..., Answer]) -> click.Command:
    """A command with --json and --debug, which `execute` reads and the function does not see."""
    both = [click.Option(["--json", "as_json"], is_flag=True, expose_value=False,
                         help="Print one JSON object and nothing else."),
            click.Option(["--debug"], is_flag=True, expose_value=False, help="Show where in the program an error arose.")]
    made = cli.command(name=function.__name__.rstrip("_"))(function)
    made.params += both
    return made


MODEL = click.argument("model", type=click.Path())
RUN = click.argument("run", type=click.Path())
OUTPUT = click.option("-o", "--output", type=click.Path(dir_okay=False), help="File to write.")
SET = click.option("--set", "changes", multiple=True, metavar="PATH=VALUE",
                   help='Change a value, such as bodies.crank.mass="2 kg".')


@command
@MODEL
@OUTPUT
@SET
@click.option("--duration", help="Simulated time, such as 2 or '500 ms'.")
@click.option("--step", help="Fixed step.")
@click.option("--accuracy", help="draft, normal (default), fine or a number; steps are chosen for it.")
@click.option("--estimate", is_flag=True, default=None, help="Run again with half the steps and tell the error.")
@click.option("--output-step", help="Distance of the rows kept.")
@click.option("--start", help="assembled (default), or static: begin in equilibrium.")
@click.option("--progress/--no-progress", default=True, help="Display of the progress on stderr.")
def run(model: str, output: str | None, changes: tuple[str, ...], progress: bool, **options: Any) -> Answer:
    """Simulate MODEL (.yaml or .py) and write the results (default: its name with .h5, in the current directory)."""
    from .loading import load_model
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
    from .loading import load_model
    target = Path(output or run.removesuffix(".part"))
    sol = _load(run, load_model(model) if model else None)
    _check_output(target, None, RESULTS)
    return _simulated(lambda display: sol.resume(duration, progress=display, out=target), progress, target)


def _simulated(work: Callable[[Any], Solution], progress: bool, target: Path) -> Answer:
    """The answer of a run; if it stops, why, and where its rows are."""
    from .integrators.generalized_alpha import SimulationError
    from .report import Progress, run_data, run_summary
    display = Progress() if progress and not os.environ.get("PLIANT_QUIET") else None

    def show(t: float, end: float) -> None:
        if asked:  # an interrupt that was lost on its way, as by a library that catches everything
            raise asked[-1]
        if display:
            display(t, end)
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
    interrupted = isinstance(error, KeyboardInterrupt)
    message = "interrupted" if interrupted else str(error) if hasattr(error, "code") else f"{type(error).__name__}: {error}"
    data: dict[str, Any] = {"code": "interrupted" if interrupted else getattr(error, "code", "failed"), "file": None}
    sol, file = getattr(error, "solution", None), getattr(error, "file", None)
    if data["code"] == "not-written":  # the sentence says what is safe
        data["file"] = os.path.relpath(file) if file else None
    elif sol is not None and file is not None:
        shown = os.path.relpath(file)
        data |= {"file": shown, "rows": len(sol.t), "end": float(sol.t[-1])}
        goes_on = f"; pliant resume {shown} goes on from there" if interrupted and not sol.complete else ""
        rows = f"{len(sol.t)} row{'s' * (len(sol.t) != 1)}"
        message += f"\n{rows} up to t = {sol.t[-1]:.6g} s are kept in {shown}{goes_on}"
    elif sol is not None:
        message += f"\nThe {len(sol.t)} rows so far could not be written"
    return Stopped(message, getattr(error, "code", INTERRUPTED) if interrupted else FAILED, data)


def _check_output(target: Path, source: str | None, endings: tuple[str, ...]) -> None:
    """A file can be written there, it is not the one read, and its name says what it will be."""
    from .storage import check_target
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
    from . import report
    from .loading import load_model
    m = load_model(model, changes)
    return Answer(report.model_data(m), report.summary(m))


@command
@MODEL
@SET
def check(model: str, changes: tuple[str, ...]) -> Answer:
    """Say what is wrong, redundant or doubtful in MODEL before it runs, and count its degrees of freedom. Exit code 1 on errors."""
    from .loading import load_model
    report = load_model(model, changes).check()
    return Answer(report.to_dict(), str(report), DONE if report.ok else WRONG)


@command
@RUN
@click.argument("channels", nargs=-1, required=True)
@OUTPUT
def plot(run: str, channels: tuple[str, ...], output: str | None) -> Answer:
    """Plot channels of RUN over time, such as crank.end.position.x or 'A.*'."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    from .pictures import plot as draw
    sol, target = _load(run), Path(output or f"{Path(run).stem}.png")
    chosen = sol.select(*channels)
    draw(sol, chosen, target)
    return Answer({"file": str(target), "channels": chosen}, f"written: {target}")


@command
@RUN
@click.argument("channels", nargs=-1)
@click.option("--to", "form", default="csv", show_default=True, help="Format of the file: csv.")
@OUTPUT
def export(run: str, channels: tuple[str, ...], form: str, output: str | None) -> Answer:
    """Write channels of RUN (default: all) as a table."""
    if form != "csv":
        raise click.UsageError(f"--to {form}: this version writes csv only; for other formats read the HDF5 file of the run")
    sol, target = _load(run), Path(output or f"{Path(run).stem}.csv")
    _check_output(target, run, (".csv",))
    sol.to_csv(target, *channels)
    chosen = sol.select(*channels) if channels else sol.channels
    return Answer({"file": str(target), "channels": chosen, "rows": len(sol.t)}, f"written: {target}, {len(sol.t)} rows")


@command
@RUN
@click.option("-o", "--output", type=click.Path(dir_okay=False),
              help="File to write, .gif or .mp4 (default: the name of RUN with .gif).")
def animate(run: str, output: str | None) -> Answer:
    """Animate the mechanism of RUN."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    from .pictures import animate as draw
    target = Path(output or f"{Path(run).stem}.gif")
    draw(_load(run), target)
    return Answer({"file": str(target)}, f"written: {target}")


@command
@click.argument("name", required=False)
@click.option("--copy", "folder", type=click.Path(file_okay=False), help="Copy it (without NAME: all) to a folder.")
@click.option("--run", "execute_", is_flag=True, help="Run it: a .py as a script, a .yaml as by pliant run.")
def examples(name: str | None, folder: str | None, execute_: bool) -> Answer:
    """List the shipped examples; with NAME show, copy or run one."""
    from . import shipped
    found = shipped.examples()
    chosen = [shipped.find(name, found)] if name else list(found.values())
    if folder is not None:
        made = shipped.copy(chosen, Path(folder))
        return Answer({"copied": [str(p) for p in made]}, "\n".join(f"written: {p}" for p in made))
    if not name:
        from .report import table
        rows = [(stem, shipped.headline(path)) for stem, path in found.items()]
        return Answer({"examples": dict(rows)}, table(("example", "about"), rows, indent=""))
    if execute_:
        code, out = shipped.execute(chosen[0])
        return Answer({"name": chosen[0].stem, "exit_code": code, "output": out}, out.rstrip(), code)
    text = chosen[0].read_text(encoding="utf-8")
    return Answer({"name": chosen[0].stem, "file": chosen[0].name, "text": text}, text.rstrip())


@command
def schema() -> Answer:
    """Print the JSON Schema of the text model, for editors."""
    from .schema import schema as made
    data = made()
    return Answer(data, json.dumps(data, indent=2))


@command
@click.argument("names", nargs=-1)
@click.option("--accuracy", help="Choose steps for this accuracy (draft, normal, fine or a number) instead of fixed ones.")
def verify(names: tuple[str, ...], accuracy: str | None) -> Answer:
    """Run the verification book, or the benchmarks named: value, reference, error and verdict."""
    from .report import table
    from .verification import verify as book
    rows = [dict(r) for r in book(list(names) or None, accuracy)]
    failed = sum(not r["passed"] for r in rows)
    keys = ("name", "quantity", "value", "reference", "error", "tolerance", "steps", "seconds")
    shown = [[r.get(k) for k in keys] + ["passed" if r["passed"] else "FAILED"] for r in rows]
    text = table((*keys, "verdict"), shown, indent="") + f"\n{len(rows) - failed} of {len(rows)} passed"
    return Answer({"results": rows, "passed": failed == 0}, text, WRONG if failed else DONE)


@command
@click.option("--peers", is_flag=True, help="Run peers as well, where they are installed.")
@click.option("--quick", is_flag=True, help="Fewer and shorter runs.")
def bench(peers: bool, quick: bool) -> Answer:
    """Measure the speed of this program on its standard problems."""
    from .bench import bench as measure
    from .bench import table
    rows = measure(peers=peers, quick=quick)
    return Answer({"results": rows}, table(rows))


for analysis in analysis_commands.made(Answer):  # static, modes, linearize
    command(MODEL(SET(analysis)))


def _load(run: str, model: Any = None) -> Solution:
    from .results import load
    if Path(run).suffix.lower() in MODELS:
        raise click.UsageError(f"{run} is a model, not a run; pliant run {run} starts it")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        sol = load(run, model)
    for warning in said:
        click.echo(str(warning.message), err=True)
    return sol


# -- execution
def main(args: list[str] | None = None) -> None:
    """The console script."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if signal.getsignal(getattr(signal, name, signal.SIGTERM)) in (signal.SIG_DFL, signal.default_int_handler):  # not under nohup
            signal.signal(getattr(signal, name, signal.SIGTERM), _terminate)
    sys.unraisablehook = _not_raised
    sys.exit(execute(sys.argv[1:] if args is None else args))


asked: list[KeyboardInterrupt] = []   # what signals have asked for
missed: list[KeyboardInterrupt] = []  # what could not be raised where it came


def _terminate(number: int, _frame: Any) -> None:
    asked.append(Terminated(number))
    raise asked[-1]


def _not_raised(what: Any) -> None:
    """An interrupt that came where Python cannot raise it, as when an object is deleted: it comes again a little later."""
    if isinstance(what.exc_value, KeyboardInterrupt):
        missed.append(what.exc_value)
        number = getattr(what.exc_value, "code", INTERRUPTED) - 128
        threading.Timer(0.02, os.kill, (os.getpid(), number)).start()
    else:
        sys.__unraisablehook__(what)


def execute(args: list[str]) -> int:
    """Run one command line; returns the exit code."""
    as_json, debug = "--json" in args, "--debug" in args
    try:
        answer = cli.main(args or ["--help"], prog_name="pliant", standalone_mode=False)
        if isinstance(answer, Answer):
            _print(json.dumps(clean(answer.data), allow_nan=False) if as_json else answer.text)
            return answer.code
        return answer if isinstance(answer, int) else DONE  # --help and --version
    except BrokenPipeError:
        sys.stderr.close()  # the reader of a pipe left: no message at exit
        return DONE
    except (KeyboardInterrupt, Exception) as error:
        for number in (signal.SIGINT, signal.SIGTERM) if missed else ():  # one that comes again is not needed any more
            signal.signal(number, signal.SIG_IGN)
        code, kind, message, data = explain(error if isinstance(error, Stopped) or not missed else missed[0])
        if debug:
            traceback.print_exc()
        if as_json:
            _print(json.dumps(clean({"error": {"kind": kind, "message": message}, **data}), allow_nan=False))
        else:
            click.echo(message, err=True)
        return code


def explain(error: BaseException) -> tuple[int, str, str, dict[str, Any]]:
    """Exit code, kind, message and further facts of an error."""
    if isinstance(error, Stopped):
        return error.code, "simulation" if error.code == FAILED else "interrupted", str(error), error.data
    if isinstance(error, click.Abort) and error.__cause__ is not None:  # click's word for an interrupt
        error = error.__cause__
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return getattr(error, "code", INTERRUPTED), "interrupted", "interrupted", {}
    if isinstance(error, click.ClickException):
        hint = f"\nSee {error.ctx.command_path} --help" if isinstance(error, click.UsageError) and error.ctx else ""
        return WRONG, "arguments", error.format_message() + hint, {}
    lines = getattr(error, "lines", None)
    data = {"problems": lines} if isinstance(lines, list) else {}
    if hasattr(error, "__notes__"):  # raised by a function of the model at the start
        told = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
        return WRONG, "model", f"{type(error).__name__}: {told} - raised {error.__notes__[-1]}", data
    if isinstance(error, KeyError):
        return WRONG, "name", str(error.args[0]) if error.args else "unknown name", data
    if isinstance(error, (ValueError, OSError, ImportError)):
        own = type(error).__name__ in ("ModelError", "TextError")
        kind = "model" if own else "file" if isinstance(error, OSError) else "input"
        if isinstance(error, OSError) and error.strerror and error.filename:  # the system's words, not a sentence of this program
            return WRONG, kind, f"cannot use {str(error.filename)!r}: {error.strerror}", data
        return WRONG, kind, str(error), data
    told = f"unexpected {type(error).__name__}: {error}; this is a fault of the program, --debug shows where"
    return WRONG, "program", told, data


def clean(value: Any) -> Any:
    """Data as JSON knows it: NumPy values as plain ones; infinite and undefined numbers as null."""
    if isinstance(value, dict):
        return {str(k): clean(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in value]
    if hasattr(value, "tolist"):
        return clean(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def _print(text: str) -> None:
    click.echo(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
