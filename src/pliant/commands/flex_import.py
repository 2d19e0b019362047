"""Commands that read parts of FE programs."""
from __future__ import annotations

from typing import Any

import click

from .base import Answer, command
from .flex import flex

FILE = click.argument("file", type=click.Path())
UNITS = click.option("--units", metavar="'L, M, T'", help="Units of the file, of length, mass and time: 'mm, t, s'.")
MATERIAL = click.option("--material", help="steel, aluminium, or E,nu,rho as '210 GPa, 0.3, 7850 kg/m^3'; comes before that of the file.")
MESH = click.option("--mesh", type=click.Path(), help="File with the nodes of matrices, if it is not beside them.")
PARTIAL = click.option("--partial", is_flag=True, help="Leave out elements that are not supported.")


@FILE
@UNITS
@MATERIAL
@MESH
@PARTIAL
def import_(file: str, units: str | None, material: str | None, mesh: str | None, partial: bool) -> Answer:
    """Read FILE of an FE program and report on it: gmsh .msh, Abaqus and CalculiX .inp, .sti, .mtx, Nastran .bdf, .op4, Ansys .full.

    A part is made of it by 'pliant flex reduce PART.yaml' with mesh: {file: {path: FILE}}."""
    from ..flex.readers import read
    return _told(read(file, units=units, material=_material(material), mesh=mesh, partial=partial))


@FILE
@UNITS
@click.option("-o", "--output", type=click.Path(file_okay=False), help="Folder for the matrices (default: that of FILE).")
def run_calculix(file: str, units: str | None, output: str | None) -> Answer:
    """Let a local CalculiX (ccx) make the matrices of FILE (.inp), and report on them."""
    from ..flex.readers import read
    from ..flex.readers.calculix import run_calculix as run
    found = run(file, output)
    answer = _told(read(found, units=units, mesh=file))
    return Answer({**answer.data, "matrices": str(found)}, f"{answer.text}\n\nwritten: {found} (and .mas, .dof)")


def _told(fe: Any) -> Answer:
    from ..flex.readers.report import import_report
    report = import_report(fe)
    return Answer(report.data, str(report))


def _material(text: str | None) -> Any:
    from ..flex.material import ALUMINIUM, STEEL, Material
    if text is None:
        return None
    known = {"steel": STEEL, "aluminium": ALUMINIUM}
    if text in known:
        return known[text]
    values = [v.strip() for v in text.split(",")]
    if len(values) != 3:
        raise click.UsageError(f"--material {text!r}: must be steel, aluminium, or three values E, nu, rho")
    return Material(values[0], values[1], values[2])  # type: ignore[arg-type]


command(import_, flex)
command(run_calculix, flex)
