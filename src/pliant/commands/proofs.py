"""Commands that show what the program can do: verification, speed, studies."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .base import DONE, WRONG, Answer, command


@command
@click.argument("names", nargs=-1)
@click.option("--accuracy", help="Choose steps for this accuracy (draft, normal, fine or a number) instead of fixed ones.")
@click.option("--cross", type=click.Path(), metavar="MODEL", help="Run a model with two independent methods and compare all channels.")
@click.option("--duration", help="Of --cross: simulated time, such as 2 or '500 ms'.")
def verify(names: tuple[str, ...], accuracy: str | None, cross: str | None, duration: str | None) -> Answer:
    """Run the verification book, or the benchmarks named: value, reference, error and verdict."""
    if cross is not None:
        if names:
            raise click.UsageError("give benchmarks or --cross MODEL, not both")
        return _crossed(cross, accuracy, duration)
    if duration is not None:
        raise click.UsageError("--duration is for --cross; the benchmarks have their own")
    from ..proofs.verification import verify as book
    from ..report.tables import table
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
    from ..proofs.benchmarks import bench as measure
    from ..proofs.benchmarks import table
    rows = measure(peers=peers, quick=quick)
    return Answer({"results": rows}, table(rows))


def _crossed(model: str, accuracy: str | None, duration: str | None) -> Answer:
    from ..proofs.studies.cross import cross
    from ..text.model_files import load_model
    found = cross(load_model(model, ()), _seconds(duration), accuracy)
    return Answer({"model": found.model, "methods": found.methods, "worst": found.worst, "channels": found.rows}, str(found))


def _seconds(text: str | None) -> float | None:
    from ..functions.units import quantity
    return None if text is None else quantity(text, "s")


TAKES = {"work-precision": ("model", "duration", "methods", "limit"),
         "frames": ("model", "duration", "body", "formulations", "accuracy", "tip")}
FIGURES = ".png", ".svg", ".pdf"


@command
@click.argument("name", type=click.Choice([*TAKES, "dimcd", "loops", "manipulator"]))
@click.argument("model", type=click.Path(), required=False)
@click.option("--duration", help="Simulated time, such as 2 or '500 ms'.")
@click.option("--method", "methods", multiple=True, metavar="KIND", help="Only integrators and formulations of these kinds.")
@click.option("--limit", type=float, help="Seconds of computing that one run may take, 10 if nothing is said.")
@click.option("--body", metavar="BEAM", help="Of frames: the beam.")
@click.option("--formulation", "formulations", multiple=True, metavar="WORD", help="Of frames: only these, such as modal.")
@click.option("--accuracy", help="Of frames: draft, normal, fine or a number.")
@click.option("--tip", metavar="CHANNEL", help="Of frames: the position that is compared, BEAM.end.position if nothing is said.")
@click.option("-o", "--output", type=click.Path(), multiple=True, help="Table (.csv) or figure (.png, .svg, .pdf) to write; several times.")
def study(name: str, output: tuple[str, ...], **given: Any) -> Answer:
    """Compare methods: work-precision, the error of each on a MODEL against the CPU time it takes; frames, one beam of a MODEL by all
    its formulations, with advice; dimcd, the study of Urkullu et al. 2019 on its own models, their figures beside ours; loops, that of
    Zhang et al. on closed loops; manipulator, that of Hwang 2006 on a deformable arm."""
    given = {key: value for key, value in given.items() if value not in (None, ())}
    if name not in TAKES and given:
        raise click.UsageError(f"study {name} has its own models, methods and times; it takes no other option than -o")
    for option in given.keys() - set(TAKES.get(name, given)):
        raise click.UsageError(f"study {name} takes no --{option.removesuffix('s')}")
    endings = (".csv", *FIGURES) if name in TAKES else FIGURES
    for file in output:
        if Path(file).suffix not in endings:
            raise click.UsageError(f"{file}: give a name that ends in {', '.join(endings[:-1])} or {endings[-1]}")
    if name not in TAKES:
        return _dimcd(output) if name == "dimcd" else _drawn(name, output)
    if "model" not in given:
        raise click.UsageError(f"study {name} needs a MODEL (.yaml or .py)")
    if name == "frames" and "body" not in given:
        raise click.UsageError("study frames needs --body, the name of a beam of the model")
    return _on_a_model(name, output, given)


def _on_a_model(name: str, output: tuple[str, ...], given: dict[str, Any]) -> Answer:
    from ..text.model_files import load_model
    model, duration = load_model(given["model"], ()), _seconds(given.get("duration"))
    if name == "frames":
        from ..proofs.studies.frames import frames
        found: Any = frames(model, given["body"], duration, given.get("formulations"), given.get("accuracy"), given.get("tip"))
        facts = {"body": found.body, "tip": found.tip, "deflection": found.deflection, "rotation": found.rotation,
                 "strain": found.strain, "refused": found.refused, "advice": found.advice}
    else:
        from ..proofs.studies.work_precision import work_precision
        found = work_precision(model, duration, given.get("methods"), given.get("limit", 10.0))
        facts = {"reference": found.reference, "uncertainty": found.uncertainty}
    for file in output:
        (found.to_csv if file.endswith(".csv") else found.plot)(file)
    data = {"model": found.model, "duration": found.duration, **facts, "rows": found.rows, "files": list(output)}
    return Answer(data, "\n".join([str(found), *(f"written: {file}" for file in output)]))


def _dimcd(output: tuple[str, ...]) -> Answer:
    """Tables, step studies and, where files are asked for, the figures."""
    from ..proofs.studies.dimcd import shown, step_study, study
    rows, steps = study(), step_study()
    for file in output:
        from ..proofs.studies.dimcd_figures import draw
        draw(file)
    good = all(row["passed"] for row in rows if row["passed"] is not None)
    text = "\n".join([shown(rows, steps), *(f"written: {file}" for file in output)])
    return Answer({"rows": rows, "steps": steps, "passed": good, "files": list(output)}, text, DONE if good else WRONG)


def _drawn(name: str, output: tuple[str, ...]) -> Answer:
    """The studies of joint coordinates, and their figures."""
    from ..proofs.studies import loops, manipulator
    found = loops.study() if name == "loops" else manipulator.study()
    for file in output:
        found.plot(file)
    data = {"rows": found.rows, "passed": found.passed, "files": list(output)}
    data |= {"others": found.others, "scaling": found.scaling} if isinstance(found, loops.Study) else {"work": found.work}
    return Answer(data, "\n".join([str(found), *(f"written: {file}" for file in output)]), DONE if found.passed else WRONG)
