"""Two independent methods on one model: the largest difference of every channel."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...functions.units import quantity
from ...methods.integrators.base import Integrator
from ...methods.method_option import MethodOption
from ...report.tables import table

if TYPE_CHECKING:
    from ...model import Model

ROWS = 200
ACCURACY = 1e-6


@dataclass
class Cross:
    """Rows: channel, unit, difference (largest), size (largest value), relative (over the largest value of channels of its kind)."""
    model: str
    duration: float
    methods: tuple[str, str]
    rows: list[dict[str, Any]]

    @property
    def worst(self) -> float:
        """The largest relative difference."""
        return max((row["relative"] for row in self.rows), default=0.0)

    def __str__(self) -> str:
        keys = ("channel", "difference", "unit", "size", "relative")
        ordered = sorted(self.rows, key=lambda row: -row["relative"])
        shown = [[f"{row[k]:.3g}" if isinstance(row[k], float) else row[k] for k in keys] for row in ordered[:25]]
        more = f"\nand {len(ordered) - 25} channels that agree better" if len(ordered) > 25 else ""
        head = f"{self.model!r}, {self.duration:g} s: {self.methods[0]} against {self.methods[1]}"
        return f"{head}\n{table(keys, shown, indent='')}{more}\nlargest relative difference {self.worst:.2g}"


def cross(model: Model, duration: float | None = None, accuracy: Any = None, integrators: tuple[Any, Any] | None = None) -> Cross:
    """Run a model with its own method, or the one chosen for it, and with another that shares neither equations nor formulas with it,
    and compare all channels."""
    given = model.settings.get("duration", 1.0) if duration is None else duration
    length, copy = float(quantity(given, "s")), model.copy()
    copy.settings = {}
    options = {"accuracy": accuracy or ACCURACY, "output_step": length / ROWS, "progress": False}
    own = {k: v for k, v in model.settings.items() if k in ("integrator", "formulation") and v is not None}
    a = copy.simulate(length, **options, **(own if integrators is None else {"integrator": integrators[0]}))
    if integrators is not None:
        b = copy.simulate(length, **options, integrator=integrators[1])
    else:
        implicit = a.formulation.kind in ("index-3", "stabilized-index-2")
        second = "dop853" if implicit else "generalized-alpha" if a.dynamics and a.dynamics.massless() else "radau-iia-5"
        b = copy.simulate(length, **options, integrator=second)
    return Cross(model.name, length, (_told(a.method, a.formulation), _told(b.method, b.formulation)), _compare(a, b))


def _told(method: Integrator, form: MethodOption) -> str:
    return f"{method.kind} ({form.kind})"


def _compare(a: Any, b: Any) -> list[dict[str, Any]]:
    """Channels with their differences; sizes are those of all channels of the same item kind and name, so that zeros do not count."""
    rows = []
    for name, unit in a.units.items():
        x, y = a[name], b[name]
        if name.endswith(".rotation"):  # a quaternion and its negative are the same
            y = y * np.sign((x * y).sum(1, keepdims=True))
        rows.append({"channel": name, "unit": unit, "difference": float(abs(x - y).max()), "size": float(abs(y).max())})
    largest: dict[str, float] = {}
    for row in rows:
        largest[row["unit"]] = max(largest.get(row["unit"], 0.0), row["size"])
    if a.dynamics is not None:  # a torque is small against forces on arms of the size of the model
        largest["N*m"] = max(largest.get("N*m", 0.0), a.dynamics.length * largest.get("N", 0.0))
    for row in rows:
        row["relative"] = row["difference"] / (largest[row["unit"]] or 1.0)
    return rows
