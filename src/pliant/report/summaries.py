"""What is said about models and runs: as text, and the same facts as data."""
from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ..flex.load_participation import percent
from ..functions.table import Table
from ..items.base import Between, Frame, Item, matrix_of, names_joint
from ..items.beams import Beam
from ..items.bodies import RigidBody
from ..items.couplings import JointEquation
from ..items.function_fields import functions
from ..items.groups import Group
from ..items.modal import ModalBody
from .display import Text, facts, html_table, page
from .tables import cell, table

if TYPE_CHECKING:
    from ..model import Model
    from ..solution import Solution

SMALL = 0.01  # part of the load that is left to modes without advice
COUNTED = "counted (redundant equations not removed)"


def model_data(model: Model) -> dict[str, Any]:
    """Masses, centres of mass in the world [m], principal inertias [kg m^2], joints, and degrees of freedom by counting."""
    bodies: list[dict[str, Any]] = []
    for body in model.section("bodies"):
        if isinstance(body, RigidBody):
            center = np.array(body.position) + matrix_of(body.rotation) @ np.array(body.com)
            bodies.append({"name": body.name, "kind": body.kind, "mass": body.mass, "center_of_mass": center.tolist(),
                           "principal_inertia": np.linalg.eigvalsh(body.inertia_matrix).tolist()})
        elif isinstance(body, ModalBody):
            center = np.array(body.position) + matrix_of(body.rotation) @ body.center
            bodies.append({"name": body.name, "kind": body.kind, "mass": body.mass, "center_of_mass": center.tolist(),
                           "principal_inertia": np.linalg.eigvalsh(body.inertia_matrix).tolist(), "modal_coordinates": body.reduced.n})
        elif isinstance(body, Beam):
            center = np.array(body.position) + matrix_of(body.rotation) @ body.center
            bodies.append({"name": body.name, "kind": body.kind, "mass": body.mass, "center_of_mass": center.tolist(),
                           "principal_inertia": np.linalg.eigvalsh(body.inertia_matrix).tolist(), "elements": body.elements})
    joints: list[dict[str, Any]] = [{"name": j.name, "kind": j.kind, "between": _ends(j), "equations": j.equations()}
                                    for j in model.section("joints")]
    drives = [{"name": d.name, "joint": getattr(d, "joint", ""), "coordinate": getattr(d, "coordinate", ""),
               "function": _law(d), "equations": d.equations()} for d in model.section("drives")]
    others = {s: [{"name": f.name, "kind": f.kind, "between": _ends(f)} for f in model.section(s)]
              for s in ("forces", "measures")}
    blocks = [{"name": b.name, "kind": b.kind, "of": "; ".join(text for _, text, _ in functions(b)), "states": len(list(b.states()))}
              for b in model.section("blocks")]
    mass = sum(b["mass"] for b in bodies)
    center = sum((b["mass"] * np.array(b["center_of_mass"]) for b in bodies), np.zeros(3)) / (mass or 1.0)
    total = sum(x.equations() for s in ("joints", "drives") for x in model.section(s))
    named = [{"name": name, "value": f"{float(p.value):.6g} {p.unit}".strip(), "written": str(p.given)}
             for name, p in model.parameters.items()]
    return {"name": model.name, "gravity": list(model.gravity), "parameters": named, "bodies": bodies, "joints": joints,
            "drives": drives, **others, "blocks": blocks, "total_mass": mass, "center_of_mass": center.tolist(), "equations": total,
            "degrees_of_freedom_counted": sum(6 * (1 + b.get("elements", 0)) + b.get("modal_coordinates", 0) for b in bodies) - total}


def _ends(item: Item) -> str:
    if isinstance(item, Between):
        return f"{item.a} - {item.b}"
    if isinstance(item, Group):
        return ", ".join(item.bodies)
    if isinstance(item, JointEquation):
        return " - ".join(item.coupled_joints())
    values = {field: getattr(item, field) for field in type(item).model_fields}
    return ", ".join(str(v) for field, v in values.items() if isinstance(v, Frame) or names_joint(type(item), field))


def _law(drive: Item) -> str:
    """The function of a drive, or its speed or acceleration."""
    field = getattr(drive, "law", "function")
    return ("" if field == "function" else f"{field} ") + _function(getattr(drive, field, ""))


def _function(value: Any) -> str:
    return f"Table of {len(value.x)} points" if isinstance(value, Table) else getattr(value, "__name__", str(value))


PARTS = (("parameters", ("name", "value", "written"), ("name", "value", "written")),
         ("bodies", ("name", "mass [kg]", "centre of mass, world [m]", "principal inertia [kg m^2]"),
          ("name", "mass", "center_of_mass", "principal_inertia")),
         ("joints", ("name", "kind", "between", "equations"), ("name", "kind", "between", "equations")),
         ("drives", ("name", "joint", "coordinate", "function"), ("name", "joint", "coordinate", "function")),
         ("forces", ("name", "kind", "on"), ("name", "kind", "between")),
         ("measures", ("name", "between"), ("name", "between")),
         ("blocks", ("name", "kind", "of", "states"), ("name", "kind", "of", "states")))


def summary(model: Model) -> Text:
    """Masses, centres of mass, inertias, joints and counts of a model, as text tables."""
    d = model_data(model)
    out = [_head(d)]
    for section, head, keys in PARTS:
        if d[section]:
            out += ["", section, table(head, [[row[k] for k in keys] for row in d[section]])]
    return Text("\n".join([*out, "", *(f"{label}{words}" for label, words in _counts(d))]))


def model_html(model: Model) -> str:
    """The same as a notebook shows it."""
    d = model_data(model)
    tables = [html_table(head, [[row[k] for k in keys] for row in d[section]], section) for section, head, keys in PARTS if d[section]]
    return page(_head(d), *tables, facts((label.rstrip(" :"), words) for label, words in _counts(d)))


def _head(d: dict[str, Any]) -> str:
    return f"model {d['name']!r}, gravity {cell(d['gravity'])} m/s^2"


def _counts(d: dict[str, Any]) -> list[tuple[str, str]]:
    modal = sum(b.get("modal_coordinates", 0) for b in d["bodies"])
    return [("total mass ", f"{d['total_mass']:.6g} kg, centre of mass {cell(d['center_of_mass'])} m"),
            ("degrees of freedom: ", f"{6 * len(d['bodies'])} of {len(d['bodies'])} bodies"
             f"{f' + {modal} modal' if modal else ''} - {d['equations']} equations = {d['degrees_of_freedom_counted']} {COUNTED}")]


def run_data(sol: Solution) -> dict[str, Any]:
    """Facts of a run: times, method, cost, violations, energy balance."""
    q = asdict(sol.quality)
    return {"name": sol.name, "complete": bool(sol.complete), "start": float(sol.t[0]),
            "end": float(sol.end if sol.complete else sol.t[-1]), "rows": len(sol.t), "method": sol.method.plain(),
            "formulation": sol.formulation.plain() if sol.formulation else None, "why": sol.why,
            "step": float(sol.step), "accuracy": sol.accuracy, "quality": q,
            "energy_drift": sol.energy.drift, "missed_by_modes": sol.missed_by_modes()}


def run_summary(sol: Solution) -> Text:
    """What was run, how well it satisfies its equations, and its energy balance."""
    return Text("\n".join([f"run of {sol.name!r}", *(f"  {k:<13} {v}" for k, v in _run_lines(sol))]))


def run_html(sol: Solution) -> str:
    """The same as a notebook shows it."""
    channels = f"{len(sol.channels)}, such as {', '.join(sol.channels[:4])}"
    return page(f"run of {sol.name!r}", facts([*_run_lines(sol), ("channels", channels)]))


def _run_lines(sol: Solution) -> list[tuple[str, str]]:
    d = run_data(sol)
    q = d["quality"]
    steps = max(1, q["steps"])
    rejected = f" ({q['rejected']} more rejected)" if q["rejected"] else ""
    cost = f"{q['steps']} steps{rejected}, {q['iterations'] / steps:.2f} iterations a step, {q['factorisations']} factorisations"
    lines = [("time", f"{d['start']:g} to {d['end']:g} s, {d['rows']} rows"),
             ("method", f"{sol.method}, {sol.formulation}" if sol.formulation else str(sol.method)),
             *([("", sol.why)] if sol.why else []),
             ("step", f"{d['step']:.6g} s, {cost}" if d["accuracy"] is None else
              f"chosen for the accuracy {d['accuracy']:g}, {(d['end'] - d['start']) / steps:.3g} s on average, {cost}")]
    if q["fallbacks"]:
        lines.append(("fallbacks", f"{q['fallbacks']} steps were solved by the slower sparse solver"))
    lines += [("violations", f"position {q['position_violation']:.2g}, velocity {q['velocity_violation']:.2g}, "
                             f"acceleration {q['acceleration_violation']:.2g} (largest; SI units)"),
              ("energy drift", f"{d['energy_drift']:.3g} J (kinetic + potential + elastic + dissipated - work)")]
    if q["doubt"]:
        lines.append(("doubt", q["doubt"]))
    if not q["unique_reactions"]:
        lines.append(("reactions", "not unique (redundant joints): the smallest ones are given"))
    if q["estimate"] is not None:
        lines.append(("estimate", f"{q['estimate']:.2g} relative error per second, from a second run with other steps"))
    if q["no_estimate"]:
        lines.append(("estimate", f"none: {q['no_estimate']}"))
    if q["sensitive"]:
        lines.append(("sensitive", grown(q)))
    lines += _chosen(sol) + _modes(d["missed_by_modes"])
    stopped = f"stopped early at t = {d['end']:.6g} s of {sol.end:.6g}; the rows up to there are kept{sol.source}"
    lines.append(("state", "complete" if d["complete"] else stopped))
    return lines


def grown(q: dict[str, Any]) -> str:
    """The growth of small differences, in words."""
    return (f"a small difference at the start is {q['growth']:.2g} times larger after {q['growth_time']:.3g} s; later rows show a possible "
            "motion, not the one of exactly this start")


def _chosen(sol: Solution) -> list[tuple[str, str]]:
    """Of bodies that chose their modes during the run."""
    if "modes" not in sol.memory or sol.model is None:
        return []
    lines, changes = [], sol.mode_changes()
    for body in dict.fromkeys(b.name for b in sol.model.section("bodies") if isinstance(b, ModalBody) and b.adaptive is not None):
        count = sol.active_modes(body).sum(1)
        own = [c for c in changes if c.body == body and c.t > sol.t[0]]
        few, many, mean = count.min(), count.max(), np.trapezoid(count, sol.t) / max(np.ptp(sol.t), 1e-300) if len(sol.t) > 1 else count[0]
        range_ = f"{few}" if few == many else f"{few} to {many}, {mean:.3g} on average,"
        lines.append(("modes", f"of {body!r}: {range_} of {sol.part(body).n} took part, {len(own)} change{'s' * (len(own) != 1)}"))
    energy = sum({c.t: c.energy for c in changes}.values())
    if energy:
        lines.append(("", f"changes of modes took {-energy:.3g} J, which count as dissipated"))
    return lines


def _modes(found: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    """Lines of the summary, of what `Solution.missed_by_modes` found."""
    lines = []
    for body, d in found.items():
        much = percent(d["missed"])
        if d["missed"] < 1e-4:
            lines.append(("modes", f"of {body!r} follow its loads"))
        elif d["missed"] <= SMALL:
            lines.append(("modes", f"of {body!r} follow its loads, all but {much} of the largest"))
        else:
            lines.append(("modes", f"of {body!r} cannot follow {much} of its largest load, at t = {d['time']:.4g} s, mostly of the "
                                   f"{d['load']}; 'pliant flex enrich' adds shapes for the loads of this run"))
    return lines
