"""Options of ``simulate``: their names, and what an accuracy means."""
from __future__ import annotations

from typing import Any

from ..functions.units import quantity
from ..items.errors import OptionError
from .integrators.base import Integrator

OPTIONS = ("duration", "step", "accuracy", "integrator", "formulation", "coordinates", "output_step", "output_times", "output_events",
           "record", "out", "estimate", "start")
ACCURACY = {"draft": 1e-3, "normal": 1e-5, "fine": 1e-7}
STARTS = "assembled", "static", "steady"
AUTOMATIC = "automatic"  # integrator: the methods are chosen by the model


def accuracy_of(value: Any, method: Integrator | None) -> float:
    """From a name or a number; with a method, whether it can reach it."""
    if isinstance(value, str) and value in ACCURACY:
        return ACCURACY[value]
    try:
        x = quantity(value, "")
    except ValueError:
        raise OptionError("accuracy", f"{value!r} must be one of {', '.join(ACCURACY)} or a number",
                          "simulate: accuracy ") from None
    if method and not method.finest <= x <= 0.1:
        raise OptionError("accuracy", f"{x:g} must be between {method.finest:g} and 0.1; beyond that rounding errors "
                          "rule",
                          "simulate: accuracy ")
    return x


def difference_step(length: float) -> float:
    """For differences of Python functions of time in runs whose step changes."""
    return min(1e-3, 1e-4 * length)


def adaptive_refused(bodies: list[str], method: Integrator, fixed: bool) -> str:
    """Why bodies cannot choose their modes in a run with this method; empty if they can, or if there are none."""
    if not bodies or (method.changes_modes and method.controlled and not fixed):
        return ""
    who = f"{'body' if len(bodies) == 1 else 'bodies'} {', '.join(map(repr, bodies[:5]))}"
    if not method.changes_modes:
        return (f"integrator {method.kind} cannot change the modes of {who} (adaptive) during a run; take dop853, radau-iia-5, bdf or "
                "generalized-alpha with an accuracy, or leave adaptive out")
    return (f"the modes of {who} (adaptive) are added and dropped where steps are chosen by their error, not with fixed steps; give "
            "accuracy instead of step and an integrator that chooses its steps, or leave adaptive out")
