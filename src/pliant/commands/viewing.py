"""Commands that show and write pictures, pages and files of runs."""

from __future__ import annotations

import contextlib
import os
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..functions.printable import printable
from .base import DEFORMATION, MODEL, OUTPUT, RUN, SET, Answer, command
from .runs import _check_output, load_run, load_shown

if TYPE_CHECKING:
    from ..solution import Solution

FORMATS = {"csv": ".csv", "html": ".html", "vtk": ".pvd", "gltf": ".glb"}


@command
@click.argument("runs", nargs=-1, required=True, type=click.Path())
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the server on this machine (default: a free one).")
@click.option("--browser/--no-browser", default=True, help="Open the browser.")
@SET
def view(runs: tuple[str, ...], port: int, browser: bool, changes: tuple[str, ...]) -> Answer:
    """Look at RUNs (.h5) in the browser, also at one that is still going on; several are compared. A MODEL (.yaml, .py) is shown
    as assembled, with what a check finds. Ctrl-C ends."""
    from ..view.open_viewer import services
    from ..view.server import Server

    server = Server(services(list(runs), changes), port)
    click.echo(printable(f"{', '.join(runs)}: {server.url}  (Ctrl-C ends)"), err=True)
    if browser:
        webbrowser.open(server.url)
    return served(server)


def served(server: Any) -> Answer:
    """Serve until the user ends it, which is as it should be."""
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    return Answer({"url": server.url}, "")


@command
@RUN
@click.argument("channels", nargs=-1)
@click.option("--to", "forms", default="csv", show_default=True, help=f"Formats of the files, separated by commas: {', '.join(FORMATS)}.")
@click.option("--frames", type=click.IntRange(2), help="Moments kept in html, vtk and gltf (default: 2000, 200, 600).")
@DEFORMATION
@OUTPUT
def export(run: str, channels: tuple[str, ...], forms: str, frames: int | None, deformation: float, output: str | None) -> Answer:
    """Write RUN in other formats: csv, a table of channels (default: all); html, a page that shows it; vtk, deformed surfaces for
    ParaView (.pvd); gltf, an animated scene (.glb)."""
    wanted = [form.strip().lower() for form in forms.split(",") if form.strip()]
    for form in wanted:
        if form not in FORMATS:
            from ..items.base import did_you_mean

            raise click.UsageError(f"--to {form}: is not a format of this program{did_you_mean(form, FORMATS)}")
    if output and len(wanted) != 1:
        raise click.UsageError("give -o with one format only; several are written beside each other under the name of RUN")
    targets = [Path(output) if output else Path(f"{Path(run).stem}{FORMATS[form]}") for form in wanted]
    for form, target in zip(wanted, targets, strict=True):
        _check_output(target, run, (FORMATS[form],))
    sol = load_run(run) if wanted == ["csv"] else load_shown(run)
    told = [_written(sol, form, target, channels, frames, deformation) for form, target in zip(wanted, targets, strict=True)]
    chosen = sol.select(*channels) if channels else sol.channels
    data = {"files": [str(t) for t in targets], "file": str(targets[0]), "channels": chosen, "rows": len(sol.t)}
    return Answer(data, "\n".join(told))


def _written(sol: Solution, form: str, target: Path, channels: tuple[str, ...], frames: int | None, deformation: float) -> str:
    from ..view.sources import SolutionSource

    if form == "csv":
        sol.table(channels or "*").to_csv(target)
        return f"written: {target}, {len(sol.t)} rows"
    if form == "html":
        sol.to_html(target, rows=frames or 2000, channels=list(channels) or None)
    elif form == "vtk":
        from ..view.vtk import FRAMES, write_vtk

        files = write_vtk(SolutionSource(sol), target, frames or FRAMES, deformation)
        return f"written: {target}, which lists {len(files) - 1} files in {files[1].parent.name}"
    else:
        from ..view.gltf import FRAMES, write_gltf

        write_gltf(SolutionSource(sol), target, frames or FRAMES, deformation)
    return f"written: {target}, {target.stat().st_size / 1e6:.2f} MB"


@command
@RUN
@click.argument("channels", nargs=-1)
@click.option("--over", metavar="CHANNEL", help="Plot over this channel in place of time.")
@click.option("--fft", is_flag=True, help="Plot amplitudes over frequency.")
@click.option("--shapes", is_flag=True, help="RUN is a reduced flexible part (.h5): plot its shapes, or those numbered.")
@click.option("--events", is_flag=True, help="Mark what happened in plots over time: impacts, touches, locks.")
@OUTPUT
def plot(run: str, channels: tuple[str, ...], over: str | None, fft: bool, shapes: bool, events: bool, output: str | None) -> Answer:
    """Plot channels of RUN over time, such as crank.end.position.x or 'A.*'; over another channel, or as spectra."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    if (over is not None) + fft + shapes > 1:
        raise click.UsageError("give one of --over, --fft and --shapes")
    if events and (over is not None or fft or shapes):
        raise click.UsageError("--events marks plots over time; leave it out, or --over, --fft and --shapes")
    target = Path(output or f"{Path(run).stem}.png")
    if shapes:
        return _shapes(run, channels, target)
    if not channels:
        raise click.UsageError("name at least one channel, such as energy.kinetic")
    from ..plot import pictures, spectra_and_shapes

    sol = load_run(run)
    chosen = sol.select(*channels)
    if over is not None:
        spectra_and_shapes.phase(sol, over, chosen, target)
    elif fft:
        spectra_and_shapes.spectrum(sol, chosen, target)
    else:
        pictures.plot(sol, chosen, target, events=events)
    return Answer({"file": str(target), "channels": chosen}, f"written: {target}")


def _shapes(file: str, numbers: tuple[str, ...], target: Path) -> Answer:
    from ..flex.reduced import Reduced
    from ..plot.spectra_and_shapes import shapes

    if not all(n.isdigit() for n in numbers):
        raise click.UsageError("--shapes takes numbers of shapes, such as 1 2 5")
    shapes(Reduced.load(file), target, [int(n) for n in numbers] or None)
    return Answer({"file": str(target), "channels": []}, f"written: {target}")


@command
@MODEL
@SET
@OUTPUT
def diagram(model: str, changes: tuple[str, ...], output: str | None) -> Answer:
    """Draw the block diagram of MODEL (.svg, .png, .pdf; default: its name with .svg): blocks, drives, sensors and the mechanism as boxes,
    and which of them reads which signals of which."""
    from ..text.model_files import load_model

    target = Path(output or f"{Path(model).stem}.svg")
    _check_output(target, model, (".svg", ".png", ".pdf"))
    made = load_model(model, changes).diagram(target)
    return Answer({**made.to_dict(), "file": str(target)}, f"{made}\nwritten: {target}")


@command
@RUN
@click.argument("actuators", nargs=-1)
def sizing(run: str, actuators: tuple[str, ...]) -> Answer:
    """What drives, torques and forces of joints of RUN must be able to do: peak, rms, speed, power and energy (default: all)."""
    found = load_run(run).sizing(list(actuators) or None)
    return Answer(found.to_dict(), str(found))


@command
@RUN
@click.argument("channels", nargs=-1)
@OUTPUT
def report(run: str, channels: tuple[str, ...], output: str | None) -> Answer:
    """Write a report of RUN on one sheet, .html (default) or .pdf: the run, its quality, the model, what a check says, and plots of
    channels (default: energies)."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    from ..view.report_page import write_report

    target = Path(output or f"{Path(run).stem}_report.html")
    write_report(load_shown(run), target, channels)
    return Answer({"file": str(target)}, f"written: {target}")


@command
@RUN
@click.option("--time", "at", help="Moment of a picture, such as 0.2 or '20 ms' (default: the start).")
@click.option("--color-by", type=click.Choice(["body", "displacement"]), default="body", show_default=True, help="What surfaces show.")
@click.option("--fps", type=click.FloatRange(1, 60), default=25.0, show_default=True, help="Frames of a film in a second.")
@click.option("--speed", type=float, help="Of the film against our clock (default: 4 to 10 s in all).")
@DEFORMATION
@OUTPUT
def render(run: str, at: str | None, color_by: str, fps: float, speed: float | None, deformation: float, output: str | None) -> Answer:
    """Write a shaded picture (.png, .jpg) or film (.gif, .mp4) of RUN; needs no display, but the extra video."""
    from ..functions.units import quantity

    target = Path(output or f"{Path(run).stem}.png")
    moment = None if at is None else quantity(at, "s")
    load_shown(run).render(target, moment, color_by=color_by, fps=fps, speed=speed, deformation=deformation)
    return Answer({"file": str(target)}, f"written: {target}")
