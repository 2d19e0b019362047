"""Blocks that linear models are designed for: feedback of states, and the filter that estimates them. docs/design_of_controllers.md"""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, WithJsonSchema, model_validator

from ..functions.expression import Number
from ..functions.field_error import FieldError
from ..functions.formula import Formula, node_of
from ..functions.units import must, quantity, shown
from .base import Item, did_you_mean, plain
from .block_fields import Matrix
from .blocks import Computes
from .declarations import Output, State
from .function_fields import TimeFunction
from .names import FrameName as Name


def _row(value: Any) -> tuple[float, ...]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = [value]
    if isinstance(value, (str, Mapping)) or not isinstance(value, (Sequence, np.ndarray)):
        raise ValueError(must(value, "must be a list of numbers"))
    return tuple(quantity(plain(x), "") for x in value)


Row = Annotated[tuple[float, ...], BeforeValidator(_row), WithJsonSchema({"type": "array", "items": {"type": "number"}})]


def plain_name(name: str) -> str:
    """Of a state or an input of a linear model, without points: rail.displacement is rail_displacement."""
    word = "".join(c if c.isalnum() else "_" for c in name)
    return word if word.isidentifier() else f"_{word}"


def listed(fields: dict[str, Any], field: str, names: Sequence[str], usual: Sequence[Any] | None) -> None:
    """A field that may be given by names as a list in their order; what is left out is as ``usual``."""
    given = fields.get(field)
    if given is None:
        if usual is not None:
            fields[field] = list(usual)
        return
    if not isinstance(given, Mapping):
        return
    for name in given:
        if name not in names:
            raise FieldError(field, f"there is no {shown(name)} among {', '.join(names)}{did_you_mean(str(name), names)}")
    missing = [name for name in names if name not in given]
    if missing and usual is None:
        raise FieldError(field, f"{missing[0]!r} is missing; name all of {', '.join(names)}")
    rest = dict(zip(names, usual or [0.0] * len(names), strict=True))
    fields[field] = [given.get(name, rest[name]) for name in names]


def _entries(value: Any) -> list[Any]:
    """Of a list; nothing of what is none."""
    return list(value) if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str) else []


def count(field: str, values: Sequence[Any], n: int, what: str) -> None:
    """So many entries, or a sentence."""
    if len(values) != n:
        raise FieldError(field, f"it has {len(values)} entries, must have {n}: one for each {what}")


class StateFeedback(Computes):
    """u = -K (x - wanted): ``gain`` K, a row for each output; ``measured`` x, expressions such as A.angle; ``wanted``: what they are to be,
    expressions too, also by the names of x: {A.angle: 0.3}; ``named``: names of u, "output" if there is one. In Python ``gain`` may be
    what `lqr`, `place` and `gain` of a linear model return: then all else is known, and ``estimates`` may name a Kalman filter whose
    states are taken in place of the true ones."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "state_feedback"
    positional: ClassVar[tuple[str, ...]] = ("name", "gain")
    gain: Matrix
    measured: tuple[TimeFunction, ...]
    wanted: tuple[TimeFunction, ...] = ()
    named: tuple[Name, ...] = ("output",)

    @model_validator(mode="before")
    @classmethod
    def _designed(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        fields = dict(value)
        estimates, design = fields.pop("estimates", None), fields.get("gain", ())
        if hasattr(design, "as_feedback"):
            known, names = design.as_feedback(estimates)
            fields = {**known, **{k: v for k, v in fields.items() if k not in ("gain", "wanted")}, "wanted": fields.get("wanted")}
            usual = known["wanted"]
        elif estimates is not None:
            raise FieldError("estimates", "goes with the result of lqr, place or gain; else write the states of the filter in measured")
        else:
            names = [x if isinstance(x, str) else "" for x in _entries(fields.get("measured"))]
            usual = [0.0] * len(names)
        listed(fields, "wanted", names, usual)
        return fields

    @model_validator(mode="after")
    def _shapes(self) -> StateFeedback:
        columns = len(self.gain[0])
        count("measured", self.measured, columns, "column of gain")
        count("wanted", self.wanted, columns, "column of gain")
        count("named", self.named, len(self.gain), "row of gain")
        return self

    def computed(self) -> Iterable[Output]:
        for k, (state, wanted) in enumerate(zip(self.measured, self.wanted, strict=True), 1):
            yield Output(f"state_{k}", "", state)
            yield Output(f"wanted_{k}", "", wanted)
        for name, row in zip(self.named, self.gain, strict=True):
            total: Any = 0.0
            for k, factor in enumerate(row, 1):
                total = total - factor * (self.own(f"state_{k}") - self.own(f"wanted_{k}"))
            yield Output(name, "", node_of(total))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", [[3.0, 0.4]], measured=("J.angle", "J.angle_rate"))]


class Kalman(Computes):
    """z' = A (z - z0) + B (u - u0) + L (y - y0 - C (z - z0) - D (u - u0)): the states of a linear model from what is ``measured``, y, and
    the ``inputs`` u that act, both expressions, one for each of those that the model has. ``gain`` L; ``A``, ``B``, ``C``, ``D``: the
    model; ``at``, ``at_inputs``, ``at_measured``: z0, u0, y0; ``named``: names of the states, channels of the block. In Python ``gain`` may
    be what `lqe` of a linear model returns: then name ``inputs`` (and ``measured``, where it is not the outputs themselves).
    ``start``: z at the start, if not z0; ``nominal``: sizes of the states that errors are measured in."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "kalman"
    positional: ClassVar[tuple[str, ...]] = ("name", "gain", "inputs", "measured")
    gain: Matrix
    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix
    named: tuple[Name, ...]
    inputs: tuple[TimeFunction, ...]
    measured: tuple[TimeFunction, ...]
    at: Row = ()
    at_inputs: Row = ()
    at_measured: Row = ()
    start: Row = ()
    nominal: Row = ()

    @model_validator(mode="before")
    @classmethod
    def _designed(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        fields, design = dict(value), value.get("gain", ())
        if hasattr(design, "as_filter"):
            known, states, inputs, measured = design.as_filter()
            fields = {**known, **{k: v for k, v in fields.items() if k != "gain"}}
            if fields.get("inputs") is None:
                raise FieldError("inputs", f"what acts is missing: give an expression for each of {', '.join(inputs)}, such as "
                                           f"{{{inputs[0]!r}: 'hold.output'}}, or 0 where nothing does")
            listed(fields, "inputs", inputs, None)
            listed(fields, "measured", measured, measured)
            for field, usual in (("start", known["at"]), ("nominal", [1.0] * len(states))):
                listed(fields, field, states, usual)
        for field, like, value in (("at", "A", 0.0), ("at_inputs", "inputs", 0.0), ("at_measured", "measured", 0.0), ("nominal", "A", 1.0)):
            if not _entries(fields.get(field)):
                fields[field] = [value] * len(_entries(fields.get(like)))
        fields["start"] = fields["start"] if _entries(fields.get("start")) else fields["at"]
        return fields

    @model_validator(mode="after")
    def _shapes(self) -> Kalman:
        n, m, p = len(self.A), len(self.inputs), len(self.measured)
        wanted = {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m), "gain": (n, p)}
        for field, shape in wanted.items():
            found = np.shape(getattr(self, field))
            if found != shape:
                raise FieldError(field, f"it has {found[0]} rows and {found[1]} columns, must have {shape[0]} and {shape[1]}: "
                                        f"{n} states, {m} inputs, {p} measured")
        for field in ("named", "at", "start", "nominal"):
            count(field, getattr(self, field), n, "state")
        count("at_inputs", self.at_inputs, m, "input")
        count("at_measured", self.at_measured, p, "measured signal")
        if min(self.nominal) <= 0:
            raise FieldError("nominal", f"{min(self.nominal):g} must be greater than zero", self.nominal.index(min(self.nominal)))
        return self

    def computed(self) -> Iterable[Output]:
        yield from (Output(f"input_{k}", "", u) for k, u in enumerate(self.inputs, 1))
        yield from (Output(f"measured_{k}", "", y) for k, y in enumerate(self.measured, 1))
        for k in range(len(self.measured)):
            yield Output(f"surprise_{k + 1}", "", (self._measured(k) - self._sum(self.C[k], self._state)
                                                   - self._sum(self.D[k], self._input)).node)

    def states(self) -> Iterable[State]:
        for k, name in enumerate(self.named):
            rate = self._sum(self.A[k], self._state) + self._sum(self.B[k], self._input) \
                + self._sum(self.gain[k], lambda j: self.own(f"surprise_{j + 1}"))
            yield State(name, "", rate.node, self.start[k], self.nominal[k])

    def _state(self, k: int) -> Formula:
        return self.own(self.named[k]) - self.at[k]

    def _input(self, k: int) -> Formula:
        return self.own(f"input_{k + 1}") - self.at_inputs[k]

    def _measured(self, k: int) -> Formula:
        return self.own(f"measured_{k + 1}") - self.at_measured[k]

    @staticmethod
    def _sum(row: Sequence[float], of: Any) -> Formula:
        total = Formula(Number(0.0))
        for k, factor in enumerate(row):
            total = total + factor * of(k) if factor else total
        return total

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)),
                cls("block", [[2.0], [5.0]], ["sin(t)"], ["J.angle"], A=[[0, 1], [-3, -0.2]], B=[[0], [1]], C=[[1, 0]], D=[[0]],
                    named=("angle", "angle_rate"))]
