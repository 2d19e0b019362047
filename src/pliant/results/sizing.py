"""What actuators of joints must be able to do, from a run."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..items.base import did_you_mean
from ..items.joint_loads import JointLoad

if TYPE_CHECKING:
    from ..solution import Solution

EFFORTS = ("effort", "torque", "force")  # channels that may be the effort of an actuator, the first that there is


class Actuator(NamedTuple):
    """Efforts [N m or N] and speeds [rad/s or m/s] of one actuator. ``peak`` and ``rms`` of its effort, ``mean_power`` and ``peak_power``
    [W] that it gives (``braking_power``: that it takes), ``supplied`` and ``returned`` energy [J]; ``points``: speed and effort,
    (rows, 2)."""
    name: str
    unit: str
    peak: float
    peak_at: float
    rms: float
    speed: float
    mean_power: float
    peak_power: float
    braking_power: float
    supplied: float
    returned: float
    points: np.ndarray


class Sizing:
    """Actuators by name: ``sizing["motor"].rms``; printed it is a table."""

    def __init__(self, actuators: Sequence[Actuator]) -> None:
        self.actuators = {a.name: a for a in actuators}

    def __getitem__(self, name: str) -> Actuator:
        if name not in self.actuators:
            raise KeyError(f"sizing: there is no actuator {name!r}{did_you_mean(name, self.actuators)}")
        return self.actuators[name]

    def __iter__(self) -> Any:
        return iter(self.actuators.values())

    def to_dict(self) -> dict[str, Any]:
        return {name: {k: v for k, v in a._asdict().items() if k not in ("points", "name")} for name, a in self.actuators.items()}

    def __str__(self) -> str:
        from ..report.tables import table
        head = ("actuator", "unit", "peak", "at [s]", "rms", "speed", "mean power [W]", "peak power [W]", "braking [W]", "supplied [J]",
                "returned [J]")
        return table(head, [a[:-1] for a in self])


def sizing(sol: Solution, names: Sequence[str] | str | None = None) -> Sizing:
    """Of drives, and of torques and forces of joints, by their names; all, if left out."""
    if sol.model is None:
        raise ValueError(f"sizing: the joints of actuators are not known: {sol.stored.note if sol.stored else 'the run has no model'}")
    known = {item.name: use for item in sol.model for use in list(item.uses())[:1] if _effort(sol, item.name)}
    usual = [name for name in known if sol.model[name].section == "drives" or isinstance(sol.model[name], JointLoad)]
    wanted = [names] if isinstance(names, str) else list(usual if names is None else names)
    if not wanted:
        raise ValueError("sizing: the model has no actuator: no drive, and no torque or force of a joint")
    return Sizing([_actuator(sol, name, known) for name in wanted])


def _effort(sol: Solution, name: str) -> str:
    """The channel that is the effort of an item; nothing if there is none."""
    return next((channel for effort in EFFORTS if (channel := f"{name}.{effort}") in sol.units), "")


def _actuator(sol: Solution, name: str, known: dict[str, Any]) -> Actuator:
    item = name if name in known else name.rpartition(".")[0]
    if item not in known:
        raise ValueError(f"sizing: {name!r} is no drive, and no torque or force of a joint{did_you_mean(name, known)}")
    channel, use = _effort(sol, item), known[item]
    effort, speed, t = sol[channel], sol[f"{use.joint}.{use.coordinate}_rate"], sol.t
    if effort.ndim > 1:
        raise ValueError(f"sizing: {channel} is a vector, not an effort along a coordinate; name a drive or a torque of a joint")
    power, length = effort * speed, float(t[-1] - t[0])
    if length <= 0:
        raise ValueError(f"sizing: the run has {len(t)} row, must have two at least")
    k = int(abs(effort).argmax())
    gives, takes = (float(np.trapezoid(np.maximum(sign * power, 0), t)) for sign in (1, -1))
    rms = float(np.sqrt(np.trapezoid(effort**2, t) / length))
    return Actuator(item, sol.unit(channel), float(effort[k]), float(t[k]), rms, float(abs(speed).max()), (gives - takes) / length,
                    float(max(power.max(), 0)), float(max(-power.min(), 0)), gives, takes, np.stack([speed, effort], 1))
