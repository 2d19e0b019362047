"""The command for stresses of a run."""
from __future__ import annotations

from pathlib import Path

import click

from .base import OUTPUT, RUN, Answer, command
from .flex import BODY, RUN_MODEL, body_of, flex

PICTURES = (".png", ".pdf", ".svg")


@RUN
@OUTPUT
@BODY
@click.option("--from", "start", type=float, help="Look at the run from this time on [s].")
@click.option("--to", "end", type=float, help="Look at the run up to this time [s].")
@click.option("--curve", metavar="'S, N, K'", help="S-N curve for damage: amplitude, cycles there, slope, as '160 MPa, 2e6, 6'.")
@RUN_MODEL
def stress(run: str, output: str | None, body: str | None, start: float | None, end: float | None, curve: str | None,
           model: str | None) -> Answer:
    """List the hot spots of a flexible body over RUN (.h5), and perhaps their damage; write a picture (.png, .pdf, .svg) or a VTK file
    (.vtu). The part must have been reduced with stress: true."""
    from ..flex.fatigue import SN
    from ..safe_files.hdf5 import check_target
    from ..text.model_files import load_model
    from .runs import load_run
    if output is not None:
        if Path(output).suffix.lower() not in (*PICTURES, ".vtu"):
            raise click.UsageError(f"{output}: a picture is written as .png, .pdf or .svg, a VTK file as .vtu; choose such a name")
        check_target(Path(output))
    values = [v.strip() for v in curve.split(",")] if curve else []
    if curve and len(values) != 3:
        raise click.UsageError(f"--curve {curve!r}: must be three values, of amplitude, cycles and slope, as '160 MPa, 2e6, 6'")
    sn = SN(values[0], _number(values[1], "cycles"), _number(values[2], "slope")) if curve else None  # type: ignore[arg-type]
    sol = load_run(run, load_model(model) if model else None)
    found = sol.stress(body_of(sol, run, body))
    found = found.between(found.t[0] if start is None else start, found.t[-1] if end is None else end)
    spots, lines = found.hot_spots(), [found.summary()]
    data = {"body": found.body, "hot_spots": [{"position": s.position.tolist(), "von_mises": s.value, "time": s.time,
                                               "near": s.near} for s in spots]}
    if sn is not None:
        damages = found.damage(sn)
        for entry, spot in zip(data["hot_spots"], spots, strict=True):
            entry["damage"] = damages[spot.node]
        lines.append("damage there, in this time: " + ", ".join(f"{damages[s.node]:.3g}" for s in spots))
    if output is not None:
        (found.export if output.lower().endswith(".vtu") else found.plot)(output)
        lines.append(f"written: {output}")
    return Answer(data, "\n".join(lines))


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"--curve: {name}: {text!r} must be a number") from None


command(stress, flex)
