"""A report of a run on one sheet: what was run, how good it is, what a check says, and figures; as HTML or PDF."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..plot.pictures import plot, snapshot
from ..report.summaries import grown, run_data
from ..solution import Solution

if TYPE_CHECKING:
    from ..diagnosis import Report

DEFAULT = ("energy.kinetic", "energy.potential", "energy.elastic")
SHOWN = 12  # rows of a table
Row = tuple[str, ...]


class Table(NamedTuple):
    title: str
    heads: Row
    rows: list[Row]


def write_report(sol: Solution, path: str | Path, channels: Sequence[str] = ()) -> Path:
    """Write the report; ``path`` ends in .html or .pdf. ``channels``: patterns of those plotted (default: energies)."""
    from ..safe_files.hdf5 import check_target

    suffix = Path(path).suffix.lower()
    if suffix not in (".html", ".pdf"):
        raise ValueError(f"report {str(path)!r}: its name must end in .html or .pdf")
    target = check_target(path)
    chosen = sol.select(*channels) if channels else [c for c in DEFAULT if c in sol.units]
    tables, findings, figures = _tables(sol), _findings(sol), _figures(sol, chosen)
    if suffix == ".html":
        target.write_text(_html(sol.name, tables, findings, figures), encoding="utf-8")
    else:
        from .pdf_sheet import write_pdf

        write_pdf(sol.name, tables, findings, figures, target)
    return target


# -- content
def _tables(sol: Solution) -> list[Table]:
    d = run_data(sol)
    q = d["quality"]
    method = str(sol.method) + (f", {sol.formulation}" if sol.formulation else "")
    steps = f"{q['steps']} ({q['rejected']} rejected)" if q["rejected"] else str(q["steps"])
    run: list[Row] = [
        ("time", f"{d['start']:g} to {d['end']:g} s, {d['rows']} rows"),
        ("state", "complete" if d["complete"] else "incomplete"),
        ("method", method),
        ("steps", steps),
        ("accuracy", "fixed step" if d["accuracy"] is None else f"{d['accuracy']:g}"),
    ]
    quality: list[Row] = [
        ("position violation", f"{q['position_violation']:.2g}"),
        ("velocity violation", f"{q['velocity_violation']:.2g}"),
        ("acceleration violation", f"{q['acceleration_violation']:.2g}"),
        ("energy drift", f"{d['energy_drift']:.3g} J"),
        ("reactions", "unique" if q["unique_reactions"] else "not unique: the smallest are given"),
    ]
    quality += [("estimated error", f"{q['estimate']:.2g} per second")] if q["estimate"] is not None else []
    quality += [("estimated error", f"none: {q['no_estimate']}")] if q["no_estimate"] else []
    quality += [("doubt", q["doubt"])] if q["doubt"] else []
    quality += [("sensitive", grown(q))] if q["sensitive"] else []
    out = [Table("Run", (), run), Table("Quality", (), quality)]
    if (model := sol.shown) is not None:
        bodies: list[Row] = [(b.name, b.kind, f"{getattr(b, 'mass', 0.0):.6g}") for b in model.section("bodies")]
        joints: list[Row] = [(j.name, j.kind.replace("_", " "), _between(j)) for j in model.section("joints")]
        forces: list[Row] = [
            (f.name, f.kind.replace("_", " "), _between(f)) for f in [*model.section("forces"), *model.section("drives")]
        ]
        out += [Table("Bodies", ("name", "kind", "mass [kg]"), bodies), Table("Joints", ("name", "kind", "between"), joints)]
        out += [Table("Forces and drives", ("name", "kind", "at"), forces)] if forces else []
    return [_cut(table) for table in out]


def _between(item: Any) -> str:
    if hasattr(item, "a"):
        return f"{item.a} – {item.b}"
    return str(getattr(item, "frame", None) or getattr(item, "joint", ""))


def _cut(table: Table) -> Table:
    if len(table.rows) <= SHOWN:
        return table
    rest: Row = (f"and {len(table.rows) - SHOWN + 1} more", *("",) * (len(table.rows[0]) - 1))
    return table._replace(rows=[*table.rows[: SHOWN - 1], rest])


def _findings(sol: Solution) -> list[tuple[str, str, str]]:
    """Severity, sentence and remedy of what a check says."""
    if sol.model is None:
        why = f": {sol.stored.note}" if sol.stored and sol.stored.note else ""
        return [("note", f"The file of the run holds no whole model, so that it was not checked{why}.", "")]
    report: Report = sol.model.check()
    found = [(f.severity, f"{f.code.replace('-', ' ')}: {f.message}", f.remedy) for f in report.findings]
    counts = [f"bodies {report.bodies}", f"degrees of freedom {report.degrees_of_freedom}", f"redundant equations {report.redundant}"]
    return [("note", ", ".join(counts[: 3 if report.rank is not None else 1]) + ".", ""), *(found or [("note", "Nothing was found.", "")])]


def _figures(sol: Solution, channels: list[str]) -> list[tuple[str, bytes]]:
    """Captions and PNG pictures."""
    last = float(sol.t[-1])
    made = [("The start", snapshot(sol, size=(4.6, 3.45)))]
    made += [(f"t = {last:g} s", snapshot(sol, t=last, size=(4.6, 3.45)))] if last > sol.t[0] else []
    made += [(", ".join(channels), plot(sol, channels))] if channels and len(sol.t) > 1 else []
    out = []
    for caption, figure in made:
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=110)
        out.append((caption, file.getvalue()))
    return out


# -- forms
STYLE = """body{font:14px/1.5 system-ui,sans-serif;color:#1c232b;max-width:960px;margin:24px auto;padding:0 20px}
h1{font-size:24px;margin:0 0 4px}
h2{font-size:15px;margin:22px 0 6px}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:3px 14px 3px 0;border-bottom:1px solid #e3e7ec;vertical-align:top}
th{color:#5a6673;font-weight:500}
.two{display:grid;grid-template-columns:1fr 1fr;gap:0 32px}
figure{margin:0}
figcaption{color:#5a6673;font-size:12px}
img{max-width:100%;height:auto}
.error{color:#c3213b}
.warning{color:#9a6200}
.finding{margin:4px 0}
.finding span{color:#5a6673}
@media(max-width:640px){.two{grid-template-columns:1fr}}
@media print{body{margin:0;font-size:11px}}"""


def _html(name: str, tables: list[Table], findings: list[tuple[str, str, str]], figures: list[tuple[str, bytes]]) -> str:
    e = html.escape
    blocks = []
    for table in tables:
        head = f"<tr>{''.join(f'<th>{e(h)}</th>' for h in table.heads)}</tr>" if table.heads else ""
        rows = "".join(
            f"<tr>{''.join(f'<th>{e(x)}</th>' if k == 0 and not table.heads else f'<td>{e(x)}</td>' for k, x in enumerate(row))}</tr>"
            for row in table.rows
        )
        blocks.append(f"<section><h2>{e(table.title)}</h2><table>{head}{rows}</table></section>")
    told = "".join(
        f'<p class="finding"><b class="{severity}">{severity}</b> {e(text)} <span>{e(remedy)}</span></p>'
        for severity, text, remedy in findings
    )
    pictures = [
        f'<figure><img alt="{e(caption)}" src="data:image/png;base64,{base64.b64encode(data).decode()}">'
        f"<figcaption>{e(caption)}</figcaption></figure>"
        for caption, data in figures
    ]
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            f"<title>{e(name)}</title>",
            f"<style>{STYLE}</style></head><body><main><h1>{e(name)}</h1>",
            f'<div class="two">{"".join(blocks[:2])}</div>',
            f'<div class="two">{"".join(pictures[:2])}</div>',
            *pictures[2:],
            f'<div class="two">{"".join(blocks[2:])}</div>',
            f"<section><h2>Check</h2>{told}</section></main></body></html>\n",
        ]
    )
