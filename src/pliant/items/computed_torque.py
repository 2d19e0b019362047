"""Computed torque along a reference: feed-forward by inverse dynamics, and a controller for what is left. docs/design_of_controllers.md"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from pydantic import model_validator

from ..functions.derivative import derivative
from ..functions.expression import ZERO, Node, Signal, Variable, lookup
from ..functions.field_error import FieldError
from ..functions.formula import TIME, of
from ..functions.parser import KNOWN, parse
from ..functions.profiles import Profile
from ..functions.table import Table
from ..functions.units import shown
from .base import Item
from .blocks import Computes
from .declarations import Output
from .function_fields import TimeFunction
from .names import FrameName as Name
from .state_feedback import Row, count, listed, plain_name


class ComputedTorque(Computes):
    """For every coordinate c of ``coordinates`` ("A.angle", "B.displacement") an output of its name, with _ for the point, the effort

        tau = feed_forward + kp (reference - c) + kd (reference' - c').

    ``reference``: functions of t alone, also {A.angle: function}, which names the coordinates too; ``feed_forward``: efforts along it, as
    from ``m.joint_space().feed_forward(reference, duration)`` of the arm without this controller; zero, if left out. ``kp``, ``kd``: a
    number for all, or one for each; ``named``: other names of the outputs. The output ``error_A_angle`` is what is left."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "computed_torque"
    positional: ClassVar[tuple[str, ...]] = ("name", "reference", "kp", "kd", "feed_forward")
    coordinates: tuple[TimeFunction, ...]
    reference: tuple[TimeFunction, ...]
    kp: Row
    kd: Row
    feed_forward: tuple[TimeFunction, ...] = ()
    named: tuple[Name, ...] = ()

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
        return self

    def computed(self) -> Iterable[Output]:
        for k, (c, f) in enumerate(zip(self.coordinates, self.reference, strict=True)):
            name = self.named[k]
            yield Output(f"reference_{name}", "", f)
            yield Output(f"reference_rate_{name}", "", _rate(f))
            yield Output(f"feed_forward_{name}", "", self.feed_forward[k])
            yield Output(f"error_{name}", "", (self.own(f"reference_{name}") - of(c)).node)
            rate = self.own(f"reference_rate_{name}") - of(f"{c}_rate")
            tau = self.own(f"feed_forward_{name}") + self.kp[k] * self.own(f"error_{name}") + self.kd[k] * rate
            yield Output(name, "", tau.node)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", {"J.angle": "0.3*sin(2*t)"}, 20.0, 3.0)]


def _rate(f: Any) -> Node:
    """The derivative of a function of t by t; names that are not known yet count as numbers."""
    if isinstance(f, (int, float)):
        return ZERO
    if isinstance(f, Profile):
        f = f.expression
    node = lookup(f, TIME.node) if isinstance(f, Table) else parse(f, ("t",), KNOWN.get())
    return derivative(node, Variable("t"))
