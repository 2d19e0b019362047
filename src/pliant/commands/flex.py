"""Commands for flexible parts."""
from __future__ import annotations

from pathlib import Path

import click

from .base import OUTPUT, Answer, cli, command


@cli.group()
def flex() -> None:
    """Make flexible parts."""


@click.argument("part", type=click.Path())
@OUTPUT
def reduce(part: str, output: str | None) -> Answer:
    """Mesh and reduce the flexible part described by PART, a YAML file; print the report, and write the part (.h5)."""
    from ..parts import read_part
    from ..storage import check_results
    if output is not None:
        if Path(output).suffix.lower() not in (".h5", ".hdf5"):
            raise click.UsageError(f"{output}: a part is written as .h5; choose a name with that ending")
        check_results(output)
    _, make = read_part(part)
    made = make()
    report = made.report()
    if output is None:
        return Answer(report.data, str(report))
    made.save(output)
    return Answer({**report.data, "file": output}, f"{report}\n\nwritten: {output}")


command(reduce, flex)
