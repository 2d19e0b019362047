"""Linear systems as blocks: transfer functions, delays as such, matrices."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, factorial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from pydantic import model_validator

from ..functions.channels import CHANNELS
from ..functions.expression import ZERO
from ..functions.field_error import FieldError
from ..functions.formula import Formula
from ..functions.units import shown
from .base import Item
from .block_fields import STEADY, Coefficients, Count, Matrix, Names, Nominal, Start, States, Time, Unit
from .blocks import Computes, Filter
from .declarations import Output, State
from .errors import ItemError
from .function_fields import TimeFunction

HIGHEST = 12   # order of a transfer function: coefficients of higher ones have too few digits for their poles


class Realisation(NamedTuple):
    """x_i' = w x_(i+1), x_n' = w (u - a.x), y = c.x + d u                                                [block-1]"""
    w: float
    a: np.ndarray
    c: np.ndarray
    d: float


def realised(num: Sequence[float], den: Sequence[float]) -> Realisation:
    """The companion form of num(s)/den(s) in p = s/w, where w is the geometric mean of the poles (of those that are not zero): the product
    of the others is one, and states are as large as the input."""
    n = len(den) - 1
    a = np.array(den[::-1], float)
    b = np.zeros(n + 1)
    b[:len(num)] = num[::-1]
    a, b = a / den[0], b / den[0]
    zero = int(np.flatnonzero(a)[0])
    w = float(abs(a[zero]) ** (1 / (n - zero))) if zero < n else 1.0
    power = w ** (np.arange(n + 1.0) - n)
    a, b = a * power, b * power
    return Realisation(w, a[:n], b[:n] - b[n] * a[:n], float(b[n]))


def product(row: Iterable[float], signals: Sequence[Formula]) -> Formula:
    """row . signals, without what is zero."""
    total = None
    for factor, signal in zip(row, signals, strict=True):
        if factor:
            total = float(factor) * signal if total is None else total + float(factor) * signal
    return Formula(ZERO) if total is None else total


class Rational(Filter):
    """A quotient of polynomials of s, by its companion form."""

    def polynomials(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Coefficients of numerator and denominator, from the highest power of s down."""
        raise NotImplementedError

    @property
    def _form(self) -> Realisation:
        return realised(*self.polynomials())

    def states(self) -> Iterable[State]:
        f, n = self._form, len(self._form.a)
        x = [self.own(f"x{k + 1}") for k in range(n)]
        nominal = self.nominal / (float(abs(f.c).max(initial=0.0)) or 1.0)
        rates = [f.w * x[k + 1] for k in range(n - 1)] + [f.w * (self.own("input") - product(f.a, x))] * (n > 0)
        starts = [self.rested(1 / f.a[0]) if f.a[0] else 0.0] + [0.0] * (n - 1) if n else []
        return [State(f"x{k + 1}", "", rate.node, start, nominal) for k, (rate, start) in enumerate(zip(rates, starts, strict=True))]

    def computed(self) -> Iterable[Output]:
        f = self._form
        signals = [*(self.own(f"x{k + 1}") for k in range(len(f.a))), self.own("input")]
        return *super().computed(), Output("output", self.unit, product([*f.c, f.d], signals).node)


class TransferFunction(Rational):
    """y = num(s) / den(s) u: ``num``, ``den`` are coefficients from the highest power of s down, den at least as many as num."""
    kind: ClassVar[str] = "transfer_function"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "num", "den")
    sample: ClassVar[dict[str, Any]] = {"num": (1.0, 3.0, 2.0), "den": (0.2, 1.0, 5.0, 20.0)}
    num: Coefficients
    den: Coefficients

    @model_validator(mode="after")
    def _proper(self) -> TransferFunction:
        n, first = len(self.den) - 1, next((k for k, x in enumerate(self.num) if x), len(self.num) - 1)
        m = len(self.num) - 1 - first
        if self.den[0] == 0:
            raise FieldError("den", f"{shown(list(self.den))} begins with zero; leave out coefficients before the highest power of s")
        if m > n:
            raise FieldError("num", f"is of order {m}, more than den, of order {n}: the output would be a derivative of the input. Give "
                             "den fast poles, multiply it by (T*s + 1) with a small T, or take a PID with its filter N")
        if n > HIGHEST:
            raise FieldError("den", f"is of order {n}, must be at most {HIGHEST}: poles of higher orders are lost in the digits of "
                             "coefficients; use a state_space (StateSpace)")
        if self.start != 0 and n and self.den[-1] == 0:
            raise FieldError("start", f"{shown(self.start)}: with a pole at zero there is no rest at a constant input; leave it out, the "
                             "states begin with zero")
        return self

    def polynomials(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        first = next((k for k, x in enumerate(self.num) if x), len(self.num) - 1)
        return self.num[first:], self.den


class Pade(Rational):
    """A delay by ``delay`` [s] as the quotient of two polynomials of s of this ``order``, after Pade: exact for slow inputs. It begins as
    if the input had always been what it is at the start."""
    kind: ClassVar[str] = "pade"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "delay", "order")
    sample: ClassVar[dict[str, Any]] = {"delay": 0.2, "order": 3}
    delay: Time
    order: Count = 3
    start: Start = STEADY

    @model_validator(mode="after")
    def _order(self) -> Pade:
        if self.order > HIGHEST:
            raise FieldError("order", f"{self.order} must be at most {HIGHEST}")
        return self

    def polynomials(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """sum (2n-k)!/(2n)! n!/(k! (n-k)!) (-+ s tau)^k"""
        n = self.order
        c = [comb(n, k) * factorial(2 * n - k) / factorial(2 * n) * self.delay**k for k in range(n + 1)][::-1]
        return tuple((-1) ** (n - i) * x for i, x in enumerate(c)), tuple(c)


class StateSpace(Computes):
    """x' = A x + B u, y = C x + D u of several ``inputs`` u; ``D`` is zero if left out. States are the channels x1, x2, ...; one output is
    ``output``, several are output_1, output_2, ..., unless ``output_names`` says otherwise. ``start``: the states at the start, zero if
    left out, or "steady": at rest with the inputs at the start. ``nominal``: the sizes that errors of the states are measured in, one
    number or a list."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "state_space"
    positional: ClassVar[tuple[str, ...]] = ("name", "inputs", "A", "B", "C", "D")
    inputs: tuple[TimeFunction, ...]
    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix | None = None
    start: States = ()
    output_names: Names = ()
    unit: Unit = ""
    nominal: Nominal = 1.0

    @classmethod
    def of(cls, name: str, inputs: Any, system: Any, **fields: Any) -> StateSpace:
        """From a linear system of SciPy or python-control, or from m.linearize()."""
        system = system.to_ss() if hasattr(system, "to_ss") else system
        if not all(hasattr(system, k) for k in "ABCD"):
            raise ItemError(f"state_space {name!r}: {type(system).__name__} is no linear system with matrices A, B, C, D")
        if getattr(system, "dt", None):
            raise ItemError(f"state_space {name!r}: the system is sampled (dt = {system.dt}), this block is not; give a continuous one")
        return cls(name, inputs, *(np.atleast_2d(np.asarray(getattr(system, k), float)) for k in "ABCD"), **fields)

    @model_validator(mode="before")
    @classmethod
    def _one_input(cls, value: Any) -> Any:
        """One input may be given without a list."""
        if isinstance(value, dict) and "inputs" in value and not isinstance(value["inputs"], (list, tuple)):
            return value | {"inputs": (value["inputs"],)}
        return value

    @model_validator(mode="after")
    def _shapes(self) -> StateSpace:
        n, m, p = len(self.A), len(self.inputs), len(self.C)
        due = {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m)}
        why = {"A": "as many columns as rows", "B": f"the {n} rows of A, and a column for every input",
               "C": f"a column for each of the {n} states of A", "D": "the rows of C, and a column for every input"}
        for field, (rows, columns) in due.items():
            M = getattr(self, field)
            if M is not None and (len(M), len(M[0])) != (rows, columns):
                raise FieldError(field, f"is {len(M)}x{len(M[0])}, must be {rows}x{columns}: {why[field]}")
        most = max(sum(x != 0 for x in row) for row in np.hstack([self._of("A"), self._of("B")]))
        if most > CHANNELS:
            raise FieldError("A", f"{most} numbers of a row of A and B are not zero, must be at most {CHANNELS}; reduce the system")
        if self.start == STEADY and not np.linalg.cond(self._of("A")) < 1e14:
            raise FieldError("start", "steady: A is singular, there is no rest at constant inputs; give the states as a list")
        if self.start != STEADY and len(self.start) not in (0, n):
            raise FieldError("start", f"{shown(list(self.start))} must be a list of {n} numbers, one for every state")
        if not isinstance(self.nominal, float) and len(self.nominal) != n:
            raise FieldError("nominal", f"{shown(list(self.nominal))} must be one number, or a list of {n}, one for every state")
        if self.output_names and len(self.output_names) != p:
            raise FieldError("output_names", f"{shown(list(self.output_names))} must be a list of {p} names, one for every row of C")
        own = [name for name, _ in self.signals()]
        if twice := next((name for name in own if own.count(name) > 1), ""):
            raise FieldError("output_names", f"{twice!r} is there twice, or is a channel of inputs or states; choose another name")
        return self

    def _of(self, field: str) -> np.ndarray:
        """A matrix; D may be left out."""
        given = getattr(self, field)
        return np.zeros((len(self.C), len(self.inputs))) if given is None else np.array(given, float)

    def _numbered(self, word: str, count: int) -> list[str]:
        return [word] if count == 1 else [f"{word}_{k + 1}" for k in range(count)]

    def _signals(self) -> list[Formula]:
        """States, then inputs."""
        names = [*(f"x{k + 1}" for k in range(len(self.A))), *self._numbered("input", len(self.inputs))]
        return [self.own(name) for name in names]

    def states(self) -> Iterable[State]:
        n, signals = len(self.A), self._signals()
        sizes = [self.nominal] * n if isinstance(self.nominal, float) else self.nominal
        starts: Any = self.start or [0.0] * n
        if self.start == STEADY:
            starts = [product(row, signals[n:]).node for row in -np.linalg.solve(self._of("A"), self._of("B"))]
        rows = np.hstack([self._of("A"), self._of("B")])
        return [State(f"x{k + 1}", "", product(rows[k], signals).node, starts[k], sizes[k]) for k in range(n)]

    def computed(self) -> Iterable[Output]:
        names = self.output_names or self._numbered("output", len(self.C))
        given = [Output(name, "", u) for name, u in zip(self._numbered("input", len(self.inputs)), self.inputs, strict=True)]
        rows, signals = np.hstack([self._of("C"), self._of("D")]), self._signals()
        return *given, *(Output(name, self.unit, product(row, signals).node) for name, row in zip(names, rows, strict=True))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)),
                cls("block", ["J.angle", "sin(t)"], [[0, 1], [-4, -2]], [[0, 1], [1, 0.5]], [[1, 0], [0.3, 2]], [[0, 0.1], [0, 0]])]
