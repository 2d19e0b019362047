"""Computed torque: feed-forward along a reference, or inverse dynamics of a model in the loop. docs/design_of_controllers.md"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import model_validator

from ..functions.derivative import derivative
from ..functions.expression import ZERO, Node, Signal, Variable, lookup
from ..functions.field_error import FieldError
from ..functions.formula import TIME, Formula, of
from ..functions.parser import KNOWN, parse
from ..functions.profiles import Profile
from ..functions.table import Table
from ..functions.units import shown
from .arm import Arm, Efforts, placed
from .base import Item, did_you_mean
from .block_fields import Time
from .blocks import Computes
from .declarations import Held, Lag, Latch, Memory, Output
from .function_fields import TimeFunction
from .names import FrameName as Name
from .state_feedback import Row, count, listed, plain_name

if TYPE_CHECKING:
    from .placing import Placement


class ComputedTorque(Computes):
    """For every coordinate c of ``coordinates`` ("A.angle", "B.displacement") an output of its name, with _ for the point, the effort

        tau = feed_forward + kp (reference - c) + kd (reference' - c'),   or with a ``model`` of the arm
        tau = feed_forward + M(c) (reference'' + kd (reference' - c') + kp (reference - c)) + h(c, c').

    ``reference``: functions of t alone, also {A.angle: function}, which names the coordinates too; ``feed_forward``: efforts along it, as
    from ``m.joint_space().feed_forward(reference, duration)`` of the arm without this controller; zero, if left out. ``model``: a rigid
    `Model` without loops with these joints, of which masses, gravity and rotors count; in a text its numbers. ``kp``, ``kd``: a
    number for all, or one for each, with a model [1/s^2, 1/s]; ``period`` [s]: efforts are computed at its ticks and held; ``named``:
    other names of the outputs. The output ``error_A_angle`` is what is left."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "computed_torque"
    positional: ClassVar[tuple[str, ...]] = ("name", "reference", "kp", "kd", "feed_forward")
    coordinates: tuple[TimeFunction, ...]
    reference: tuple[TimeFunction, ...]
    kp: Row
    kd: Row
    feed_forward: tuple[TimeFunction, ...] = ()
    named: tuple[Name, ...] = ()
    model: Arm | None = None
    period: Time | None = None

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        fields = dict(value)
        if isinstance(fields.get("reference"), Mapping) and "coordinates" not in fields:
            fields["coordinates"], fields["reference"] = list(fields["reference"]), list(fields["reference"].values())
        names = fields.get("coordinates", ())
        names = list(names) if isinstance(names, (list, tuple)) else [names]
        fields["feed_forward"] = fields.get("feed_forward") or None
        listed(fields, "feed_forward", [str(name) for name in names], [0.0] * len(names))
        if not fields.get("named"):
            fields["named"] = [plain_name(str(name)) for name in names]  # they stay when joints are renamed, as other items use them
        if hasattr(fields.get("model"), "joint_space"):
            fields["model"] = _in_order(fields["model"].joint_space().arm(), [str(name) for name in names])
        for field in ("kp", "kd"):
            if isinstance(fields.get(field), (int, float)) and not isinstance(fields[field], bool):
                fields[field] = [fields[field]] * len(names)
        return fields

    @model_validator(mode="after")
    def _check(self) -> ComputedTorque:
        n = len(self.coordinates)
        for k, c in enumerate(self.coordinates):
            if not isinstance(c, str) or not isinstance(parse(c, ("t",), KNOWN.get()), Signal):
                raise FieldError("coordinates", f"{shown(c)} must be a coordinate of a joint, such as A.angle or B.displacement", k)
        for field in ("reference", "kp", "kd", "feed_forward", "named"):
            count(field, getattr(self, field), n, "coordinate")
        for k, f in enumerate(self.reference):
            if callable(f) and not isinstance(f, Table):
                raise FieldError("reference", "a Python function has no exact rate; give an expression, a Table or a Profile", k)
        if self.model is not None:
            count("model", self.model["axes"], n, "coordinate")
        return self

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        return {**fields, "model": placed(fields["model"], by)} if fields.get("model") else fields

    def _command(self, k: int) -> Formula:
        """kp e + kd e', and with a model the reference's acceleration."""
        name, c = self.named[k], self.coordinates[k]
        rate = self.own(f"reference_rate_{name}") - of(f"{c}_rate")
        found = self.kp[k] * self.own(f"error_{name}") + self.kd[k] * rate
        return found if self.model is None else self.own(f"reference_acceleration_{name}") + found

    @property
    def _efforts(self) -> Efforts | None:
        if self.model is None:
            return None
        commands = [self.own(f"command_{name}") for name in self.named]
        return Efforts(self.model, self.own, [of(str(c)) for c in self.coordinates], [of(f"{c}_rate") for c in self.coordinates], commands)

    def computed(self) -> Iterable[Output]:
        for k, (c, f) in enumerate(zip(self.coordinates, self.reference, strict=True)):
            name = self.named[k]
            yield Output(f"reference_{name}", "", f)
            yield Output(f"reference_rate_{name}", "", _rate(f))
            if self.model is not None:
                yield Output(f"reference_acceleration_{name}", "", derivative(_rate(f), Variable("t")))
                yield Output(f"command_{name}", "", self._command(k).node)
            yield Output(f"feed_forward_{name}", "", self.feed_forward[k])
            yield Output(f"error_{name}", "", (self.own(f"reference_{name}") - of(c)).node)
        if self.period is None:
            yield from (Output(name, "", value) for name, value in self._torques())

    def _torques(self) -> Iterable[tuple[str, Node]]:
        arm = self._efforts
        for k, name in enumerate(self.named):
            own = self._command(k) if arm is None else arm.tau[k]
            yield name, (self.own(f"feed_forward_{name}") + own).node

    def derived(self) -> Iterable[Output]:
        return () if (arm := self._efforts) is None else arm.signals

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        return () if self.period is None else [Held(name, "", value, self.period) for name, value in self._torques()]

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        axis = {"axis": (0.3, -0.5, 0.8), "point": (0.1, 0.2, -0.1), "mass": 2.0, "com": (0.3, 0.1, 0.2), "rotor": 0.01,
                "inertia": ((0.1, 0.01, 0.02), (0.01, 0.2, 0.03), (0.02, 0.03, 0.15))}
        arm = {"gravity": (0.0, 0.0, -9.81), "axes": [axis]}
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("other", {"J.angle": "0.3*sin(2*t)"}, 20.0, 3.0),
                cls("block", {"J.angle": "0.3*sin(2*t)"}, 20.0, 3.0, model=arm)]


def _in_order(arm: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The axes of an arm in the order of these coordinates, which must be all of them."""
    known = list(arm["coordinates"])
    if missing := [name for name in known if name not in names]:
        raise FieldError("model", f"the coordinate {missing[0]!r} of the model has no reference; give one for each of {', '.join(known)}")
    if other := [name for name in names if name not in known]:
        raise FieldError("model", f"it has no coordinate {other[0]!r}{did_you_mean(other[0], known)}")
    axes, place = [arm["axes"][known.index(name)] for name in names], {known.index(name) + 1: k + 1 for k, name in enumerate(names)}
    return {"gravity": arm["gravity"], "axes": [{**axis, "parent": place.get(axis["parent"], 0)} for axis in axes]}


def _rate(f: Any) -> Node:
    """The derivative of a function of t by t; names that are not known yet count as numbers."""
    if isinstance(f, (int, float)):
        return ZERO
    if isinstance(f, Profile):
        f = f.expression
    node = lookup(f, TIME.node) if isinstance(f, Table) else parse(f, ("t",), KNOWN.get())
    return derivative(node, Variable("t"))
