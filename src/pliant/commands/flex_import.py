"""Commands that read parts of FE programs."""
from __future__ import annotations

import json
import os
import re
from pathlib import Path
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

    A part is made of it by 'pliant flex reduce PART.yaml', with a text like that at the end of the report."""
    from ..flex.readers import read
    fe = read(file, units=units, material=_material(material), mesh=mesh, partial=partial)
    return _told(fe, file, {"units": units, "mesh": mesh, "partial": "true" if partial else None}, material)


@FILE
@UNITS
@click.option("-o", "--output", type=click.Path(file_okay=False), help="Folder for the matrices (default: that of FILE).")
def run_calculix(file: str, units: str | None, output: str | None) -> Answer:
    """Let a local CalculiX (ccx) make the matrices of FILE (.inp), and report on them."""
    from ..flex.readers import read, units_of_mesh
    from ..flex.readers.calculix import run_calculix as run
    units = units_of_mesh(file, units)  # asked before it runs
    found = run(file, output)
    answer = _told(read(found, units=units, mesh=file), str(found), {"units": units, "mesh": file}, None)
    return Answer({**answer.data, "matrices": str(found)}, f"{answer.text}\n\nwritten: {found} (and .mas, .dof)")


def _told(fe: Any, file: str, options: dict[str, str | None], material: str | None) -> Answer:
    from ..flex.readers.report import import_report
    report = import_report(fe)
    words = {"path": Path(file).name} | {k: v for k, v in options.items() if v is not None}
    if "mesh" in words:
        words["mesh"] = os.path.relpath(words["mesh"], Path(file).parent)
    lines = ["pliant: 1", *([f"material: {_material_text(material)}"] if material else []), f"mesh: {{file: {_mapping(words)}}}"]
    faces = {re.sub(r"\W", "_", name): name for name in report.data.get("unit_loads", {})}
    lines += [f"interfaces: {_mapping(faces)}"] if faces else ["# interfaces: {name: place}, where joints act"]
    lines.append("reduce: {modes: 6" + ("" if fe.stress is None else ", stress: true") + "}")
    how = "a part of it, with this text in part.yaml beside the file, and 'pliant flex reduce part.yaml -o part.h5':"
    return Answer(report.data, "\n".join([str(report), "", how, *(f"  {line}" for line in lines)]))


def _mapping(words: dict[str, str]) -> str:
    """On one line of YAML."""
    def word(text: str) -> str:
        return text if re.fullmatch(r"[A-Za-z_./][\w./-]*", text, re.ASCII) else json.dumps(text)
    return "{" + ", ".join(f"{k}: {word(v)}" for k, v in words.items()) + "}"


def _material_text(material: str) -> str:
    values = [v.strip() for v in material.split(",")]
    return material if len(values) == 1 else _mapping(dict(zip(("E", "nu", "rho"), values, strict=True)))


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
