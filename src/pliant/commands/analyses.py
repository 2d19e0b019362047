"""The commands static, path, modes, linearize, inverse and campbell: each takes a model and returns what --json prints, and the text."""
from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .base import MODEL, SET, Answer, command

if TYPE_CHECKING:
    from ..model import Model

PICTURES, RESULTS = (".png", ".pdf", ".svg"), ".h5"
STATE = click.option("--state", help="assembled (default), static: the equilibrium near it, or steady: the rotation it states.")
Told = tuple[dict[str, Any], str]


@click.option("--load-steps", type=int, help="Bring gravity and loads on in so many steps (default: as many as it takes).")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Picture (.png, .pdf, .svg) or results (.h5) to write.")
def static(model: Model, load_steps: int | None, output: str | None) -> Told:
    """Find the equilibrium of MODEL near its assembled pose: positions, reactions, whether it is stable."""
    target = _target(output, (*PICTURES, RESULTS))
    found = model.static(load_steps=load_steps)
    writes = found.save if target is not None and target.suffix.lower() == RESULTS else found.snapshot
    return _written(found.to_dict(), found.summary(), target, writes)


@click.option("--load", "loads", multiple=True, help="Force or torque that grows; may be repeated (default: all, and gravity).")
@click.option("--until", type=float, help="The largest factor of the loads, either way (default: 1).")
@click.option("--stride", type=float, help="The longest step, in sizes of the model and rad, in the mean of all bodies (default: 0.1).")
@click.option("--points", type=int, help="The most places (default: 200).")
@click.option("--show", help="Channel that the load is drawn against, such as top.position.y.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Picture to write (.png, .pdf, .svg); needs --show.")
def path(model: Model, loads: tuple[str, ...], until: float | None, stride: float | None, points: int | None, show: str | None,
         output: str | None) -> Told:
    """Follow the equilibria of MODEL as its loads grow, through limit points, where they fall again."""
    target = _target(output, PICTURES)
    if (show is None) != (output is None):
        raise click.UsageError("--show names the channel that -o draws the load against; give both")
    found = model.path(list(loads) or None, until=until, stride=stride, points=points)
    data = found.to_dict()
    if show is not None:
        try:
            data["channels"] = {show: found[show]}
        except KeyError as error:
            raise click.UsageError(str(error.args[0])) from None
    return _written(data, found.summary(), target, lambda to: found.plot(show or "", to))


@click.option("-n", "n", type=int, help="How many modes, the slowest first (default: all).")
@STATE
@click.option("--mode", type=int, default=0, show_default=True, help="The mode that is drawn.")
@click.option("-o", "--output", type=click.Path(dir_okay=False),
              help="Picture of a mode to write (.png, .pdf, .svg), film (.gif, .mp4) or page (.html).")
def modes(model: Model, n: int | None, state: str | None, mode: int, output: str | None) -> Told:
    """Frequencies, damping and shapes of small motions of MODEL about a state."""
    target = _target(output, (*PICTURES, ".gif", ".mp4", ".html"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the table and the object say it
        found = model.modes(n, state)
    draws = {".html": lambda path: found.motion(mode).to_html(path), ".gif": lambda path: found.animate(mode, path)}
    draws[".mp4"] = draws[".gif"]
    draw = draws.get(target.suffix.lower() if target else "", lambda path: found.snapshot(mode, path))
    return _written(found.to_dict(), found.summary(), target, draw)


@click.option("--input", "inputs", multiple=True, help="Component of a force or torque, or a joint coordinate; may be repeated.")
@click.option("--output", "outputs", multiple=True, help="Channel, such as crank.position.x; may be repeated.")
@STATE
@click.option("-o", "--file", type=click.Path(dir_okay=False), help="File for the matrices, .npz or .json.")
def linearize(model: Model, inputs: tuple[str, ...], outputs: tuple[str, ...], state: str | None, file: str | None) -> Told:
    """Matrices A, B, C, D of MODEL about a state, on minimal coordinates."""
    found = model.linearize(list(inputs) or None, list(outputs) or None, state)
    data, text = found.to_dict(), found.summary()
    if file is not None:
        found.save(file)
        return {**data, "file": file}, f"{text}\n\nwritten: {file}"
    return data, text


@click.option("--input", "inputs", multiple=True, help="Effort on a joint coordinate, such as A.angle, or block Input; may be repeated.")
@click.option("--wanted", multiple=True, help='Output and its motion, such as "load.position.x = 0.1*sin(t)"; may be repeated.')
@click.option("--duration", help="Of the motion [s].")
@click.option("--tolerance", type=float, help="Of the inputs, in the mean (default: 1e-4).")
@click.option("-o", "--file", type=click.Path(dir_okay=False), help="File for times, inputs and outputs, .csv.")
def inverse(model: Model, inputs: tuple[str, ...], wanted: tuple[str, ...], duration: str | None, tolerance: float | None,
            file: str | None) -> Told:
    """Inputs that make outputs of MODEL follow a motion, from rest to rest, exact for the nonlinear equations."""
    for words in wanted:
        if "=" not in words:
            raise click.UsageError(f"--wanted {words!r} must be an output and its motion, such as 'load.position.x = 0.1*sin(t)'")
    motions = {name.strip(): motion.strip() for name, _, motion in (words.partition("=") for words in wanted)}
    target = _target(file, (".csv",))
    found = model.inverse(motions or None, list(inputs) or None, duration, tolerance)
    return _written(found.to_dict(), found.summary(), target, found.save)


@click.option("--speeds", help="Speeds [rad/s]: first:last:count such as 0:300:31, or a list such as 0,50,100rpm.")
@click.option("-n", "n", type=int, help="How many branches, the slowest first (default: 10).")
@click.option("--about", help="The joint whose rate is the speed (default: the body that turns fastest).")
@click.option("--orders", default="1,2,3", show_default=True, help="Multiples of the speed that are drawn.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Figure to write (.png, .pdf, .svg).")
def campbell(model: Model, speeds: str | None, n: int | None, about: str | None, orders: str, output: str | None) -> Told:
    """Frequencies of MODEL over its speed of rotation, each about the steady state at that speed."""
    target = _target(output, PICTURES)
    try:
        multiples = [float(x) for x in orders.split(",") if x.strip()]
    except ValueError:
        raise click.UsageError(f"--orders {orders!r} must be numbers with commas between them, such as 1,2,3") from None
    found = model.campbell(speeds, n, about)
    return _written(found.to_dict(), found.summary(), target, lambda path: found.plot(path, multiples))


def _target(output: str | None, endings: tuple[str, ...]) -> Path | None:
    if output is None:
        return None
    os.environ.setdefault("MPLBACKEND", "Agg")
    from ..safe_files.hdf5 import check_target
    target = Path(output)
    if target.suffix.lower() not in endings:
        raise click.UsageError(f"{target}: the output is written as {', '.join(endings)}; choose a name with such an ending")
    check_target(target)
    return target


def _written(data: dict[str, Any], text: str, target: Path | None, write: Any) -> Told:
    if target is None:
        return data, text
    write(target)
    return {**data, "file": str(target)}, f"{text}\n\nwritten: {target}"


def _command(function: Callable[..., Told]) -> None:
    """A command with the model read from its file."""
    @functools.wraps(function)
    def run(model: str, changes: tuple[str, ...], **options: Any) -> Answer:
        from ..text.model_files import load_model
        return Answer(*function(load_model(model, changes), **options))
    command(MODEL(SET(run)))


for analysis in (static, path, modes, linearize, inverse, campbell):
    _command(analysis)
