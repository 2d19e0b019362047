"""Commands for flexible parts."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .base import OUTPUT, RUN, Answer, cli, command
from .plugins import Listed

if TYPE_CHECKING:
    from ..flex.reduced import Reduced
    from ..solution import Solution


BODY = click.option("--body", help="The flexible body of RUN that is meant, if there are several.")
RUN_MODEL = click.option("--model", type=click.Path(), help="The model of the run, if its file cannot hold it.")


@cli.group(cls=Listed)
def flex() -> None:
    """Make flexible parts."""


@click.argument("part", type=click.Path())
@OUTPUT
def reduce(part: str, output: str | None) -> Answer:
    """Mesh and reduce the flexible part described by PART, a YAML file; print the report, and write the part (.h5)."""
    from ..text.part_files import read_part
    _check(output)
    return _written(read_part(part)[1](), output)


@RUN
@click.argument("part", type=click.Path())
@OUTPUT
@BODY
@click.option("--missed", type=float, default=0.01, show_default=True, help="Part of the largest load that may be left.")
@RUN_MODEL
def enrich(run: str, part: str, output: str | None, body: str | None, missed: float, model: str | None) -> Answer:
    """Reduce the flexible part described by PART, a YAML file, again, with shapes for the loads that it had in RUN (.h5); print what its
    modes could not follow, and the report, and write the part (.h5)."""
    from ..flex import enrich as enriched
    from ..text.model_files import load_model
    from ..text.part_files import read_part
    from .runs import load_run
    _check(output)
    if not 0 < missed < 1:
        raise click.UsageError(f"--missed {missed:g}: must be between 0 and 1, such as 0.01")
    sol = load_run(run, load_model(model) if model else None)
    name = body_of(sol, run, body)
    recorded = sol.loads(name)
    made = read_part(part)[1](enriched, recorded=recorded, missed=missed)
    assert made.represented is not None
    before, after = sol.missed(name), made.represented.of(recorded)
    answer = _written(made, output)
    lines = [f"{name!r} in {run}: {before}, at t = {sol.t[before.time]:.4g} s", f"now, with {made.n} coordinates: {after}", ""]
    return Answer({**answer.data, "before": before.worst, "after": after.worst, "load": before.name}, "\n".join(lines) + answer.text)


def body_of(sol: Solution, run: str, asked: str | None) -> str:
    """The flexible body that is meant."""
    from ..text.stored_text import parts_of
    bodies = list(sol.stored.bodies) if sol.shown is None and sol.stored else list(parts_of(sol.shown)) if sol.shown else []
    if sol.shown is None and not bodies:
        note = f": {sol.stored.note}" if sol.stored and sol.stored.note else ""
        raise click.UsageError(f"{run}: its model is needed, and the file has none{note}; give it with --model")
    if asked is None and len(bodies) == 1:
        return bodies[0]
    if asked not in bodies:
        there = f"there are {', '.join(bodies)}; name one with --body" if bodies else "it has no flexible body"
        raise click.UsageError(f"{run}: {there}")
    return asked


def _check(output: str | None) -> None:
    from ..safe_files.hdf5 import check_results
    if output is not None:
        if Path(output).suffix.lower() not in (".h5", ".hdf5"):
            raise click.UsageError(f"{output}: a part is written as .h5; choose a name with that ending")
        check_results(output)


def _written(made: Reduced, output: str | None) -> Answer:
    report = made.report()
    if output is None:
        return Answer(report.data, str(report))
    made.save(output)
    return Answer({**report.data, "file": output}, f"{report}\n\nwritten: {output}")


command(reduce, flex)
command(enrich, flex)
