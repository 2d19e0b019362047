"""check(): everything that can be said about a model before it runs."""
from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..compile.out_of_plane import out_of_plane
from ..items.base import Pair, did_you_mean, matrix_of
from ..items.errors import ModelError
from ..joint_space.topology import masses_of, spanning_forest
from ..methods.selection import cut_joints
from ..report.finding import ERROR, Finding
from .examination import Examination, refusal
from .findings import HEADINGS, Report, sentence
from .frequencies import Settings
from .registry import CHECKS, ITEMS, add_code

if TYPE_CHECKING:
    from ..model import Model

ATTEMPTS = 20  # items with errors that are told one after the other
add_code("cannot-compile", "an item that cannot be used as it is")
add_code("out-of-plane", "an item that contradicts planar")
add_code("spring-zero-length", "a spring whose ends coincide")
add_code("unknown-cut", "a joint to cut that is not there")


@cache
def load_checks() -> None:
    """Import all modules of this folder: their checks register themselves, in the order of the modules' names."""
    assert __package__ is not None
    for found in pkgutil.iter_modules(import_module(__package__).__path__):
        import_module(f"{__package__}.{found.name}")


def check(model: Model) -> Report:
    """Degrees of freedom, redundant and conflicting joints by name and direction, and what looks wrong. Runs nothing."""
    load_checks()
    report = Report(model.name, bodies=len(model.section("bodies")), planar=model.planar)
    found = [finding for look in CHECKS[ITEMS] for finding in look(model)]
    usable, blocked = without_blocked(model)
    found += blocked
    settings = Settings.of(model)
    dynamics, errors = compiled(usable)
    found += errors
    if dynamics is not None:
        cut, unknown = _cut(model, dynamics)
        found += unknown
        report.tree = spanning_forest(dynamics.directory, masses_of(dynamics.system), cut).text()
        off = list(out_of_plane(usable, dynamics))
        found += off
        found += Examination(usable, dynamics, settings, report, off).findings()
    order = list(HEADINGS)
    report.findings = sorted(dict.fromkeys(found), key=lambda f: order.index(f.severity))
    return report


def _cut(model: Model, dynamics: CompiledModel) -> tuple[list[str], list[Finding]]:
    """Joints that the options of the model name to be cut, and those that are not there."""
    named, joints = cut_joints(model.settings), dynamics.directory.joints
    told = "the formulation recursion is to cut joint {!r}, which is not there{}"
    found = [Finding("unknown-cut", ERROR, (), sentence(told.format(name, did_you_mean(name, joints))),
                     "Name joints between bodies, or leave cut out: the program chooses.") for name in named if name not in joints]
    return [name for name in named if name in joints], found


def without_blocked(model: Model) -> tuple[Model, list[Finding]]:
    """The model without items that would stop the compiler, and what is wrong with them."""
    found, out = list[Finding](), list[str]()
    driven: dict[tuple[str, str], str] = {}
    for item in (i for i in model if i.active):
        for joint, coordinate, _ in item.uses() if item.section == "drives" else ():
            first = driven.setdefault((joint, coordinate), item.name)
            if first != item.name:
                out.append(item.name)
                message = (f"drives {first!r} and {item.name!r} both prescribe the {coordinate} of joint {joint!r}; "
                           "a coordinate has one drive.")
                found.append(Finding("conflicting-drives", ERROR, (first, item.name), message,
                                     "Remove one of them, or add their functions."))
        if isinstance(item, Pair) and item.apart and _coincide(model, item):
            out.append(item.name)
            message = f"spring {item.name!r}: its two points coincide as modelled, so that its direction is undefined."
            found.append(Finding("spring-zero-length", ERROR, (item.name,), message,
                                 "Move one of the points, or use a Bushing, which has stiffness in all directions."))
    if not out:
        return model, found
    usable = model.copy()
    for name in dict.fromkeys(out):
        del usable.items[name]
    return usable, found


def _coincide(model: Model, spring: Pair) -> bool:
    ends = []
    for frame in (spring.a, spring.b):
        try:
            owner = model[frame.body]
            point = owner.place_of(frame)[0]
        except (KeyError, ValueError):
            return False
        ends.append(point if frame.body == "ground" else owner.position + matrix_of(owner.rotation) @ point)
    return not np.linalg.norm(ends[1] - ends[0]) > 1e-12 * max(1e-300, float(np.linalg.norm(ends)))


def compiled(model: Model) -> tuple[CompiledModel | None, list[Finding]]:
    """The compiled model, or None and what is wrong, item by item."""
    found, out, trial = list[Finding](), list[str](), model
    for _ in range(ATTEMPTS):
        try:
            dynamics = trial.compile()
            return (None, found) if found else (dynamics, [])
        except Exception as error:  # a user's function may raise anything
            message, about = refusal(error)
            culprit = next((name for name in about if name in trial.items), None)
            if not isinstance(error, ModelError):
                culprit = _with_function(trial)
                message = f"a function of {culprit!r} raised {message}" if culprit else message
            if not set(about) & set(out):  # else it is told already
                items = (culprit, *(name for name in about if name in trial.items and name != culprit)) if culprit else ()
                found.append(Finding("cannot-compile", ERROR, items, sentence(message),
                                     "Correct this first; the joints are analysed when the model can be compiled."))
            if culprit is None or trial[culprit].section == "bodies":
                break
            out.append(culprit)
            trial = trial.copy()
            del trial.items[culprit]
    return None, found


def _with_function(model: Model) -> str | None:
    """The item whose Python function keeps the model from being compiled."""
    for name, item in model.items.items():
        values = [x for v in item.__dict__.values() for x in (v if isinstance(v, tuple) else (v,))]
        if any(callable(v) for v in values):
            trial = model.copy()
            del trial.items[name]
            try:
                trial.compile()
                return name
            except Exception:
                continue
    return None
