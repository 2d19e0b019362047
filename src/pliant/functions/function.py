"""What users give as a function - number, expression, table, Python callable - and its way into the stack machine."""
from __future__ import annotations

import inspect
import math
import types
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import Any, NamedTuple

import numba
import numpy as np

from pliant.kernels import jit
from pliant.kernels.contract import c_address
from pliant.kernels.differences import COMPLEX_STEP
from pliant.kernels.expression_vm import WATCH

from .channels import channels
from .compile import Assembler, Pool
from .derivative import derivative
from .expression import ZERO, External, Lookup, Lookup2, Node, Number, Signal, Variable, bottom_up, is_condition
from .failures import Failures, Raised
from .parser import NO_NAMES, Names, parse
from .sameness import signature_of
from .table import Table
from .time_parts import TimePart, is_plain, of_motion, time_parts
from .units import must, shown

PROBES = ((0.0, 0.0, 0.0), (0.37, 0.011, -0.23), (1.9, -0.4, 1.3))  # where compiled and interpreted callables are compared
TINY = 1e-60    # of a complex step
MOST_VERSIONS = 100  # of the same Python code with other values that are compiled, 2 MB each; further ones are interpreted


class Code(NamedTuple):
    """Where the programs of a function start in ``tab``; -1 for a derivative that is zero everywhere.

    ``by_t`` and ``by_tt`` are of the explicit time; ``by_signal`` holds (index of a primitive signal, start). ``jumps``, ``kinks``: whether
    the function has branches; ``timed``: whether it is an expression of nothing but t. ``parts``: what in it changes with t alone;
    ``watched``: where it keeps arguments of steep functions of the motion. ``node``: the function as a tree.
    """
    value: int
    by_t: int = -1
    by_tt: int = -1
    by_x: int = -1
    by_v: int = -1
    by_signal: tuple[tuple[int, int], ...] = ()
    jumps: bool = False
    kinks: bool = False
    timed: bool = False
    parts: tuple[TimePart, ...] = ()
    watched: tuple[int, ...] = ()
    node: Node = ZERO


JUMPING = {"<", "<=", "mod", "sign", "floor", "min", "max", "abs", "clamp"}  # or have a kink, where a step should end too
KINKED = {"smooth"}  # and tables: only drives are looked at so closely

Function = float | str | Table | Node | Callable[..., float]


def compile_function(function: Function, variables: tuple[str, ...], pool: Pool, where: str, rates: bool = False) -> Code:
    """Write ``function`` and its derivatives into ``pool``.

    ``variables`` is ("t",) or ("t", "x", "v"); a table is one of t or of x; ``where`` names the item in errors; ``rates``: its
    derivatives by t are needed.
    """
    try:
        return _programs(_node(function, variables, pool, where, rates), variables, pool)
    except ValueError as error:
        if hasattr(error, "items"):  # it names those it is about
            raise
        raise ValueError(f"{where}: {error}") from None


def _node(function: Function, variables: tuple[str, ...], pool: Pool, where: str, rates: bool) -> Node:
    if isinstance(function, str):
        return parse(function, variables, pool.known)
    if isinstance(function, Node):
        for node in bottom_up(function):
            if isinstance(node, Variable) and node.name not in variables:
                raise ValueError(f"variable {node.name!r} is not known; known are {', '.join(variables)}")
        if is_condition(function):
            raise ValueError("a number is due, this is a condition; write 'if(condition, 1, 0)'")
        return function
    if isinstance(function, Table):
        return Lookup(function, Variable("x" if "x" in variables else "t"))
    if isinstance(function, Real) and not isinstance(function, bool):
        if not math.isfinite(function):
            raise ValueError(f"{shown(function)} must be finite")
        return Number(float(function))
    if callable(function):
        _check_arguments(function, variables)
        address, alive = _address(function, len(variables), pool.failures, where, rates)
        pool.keep.append(alive)
        return External(address, len(variables), fast=isinstance(alive, _Compiled))
    raise ValueError(must(function, f"must be a number, an expression such as '2 * t', a Table, or a function f({', '.join(variables)})"))


def _programs(node: Node, variables: tuple[str, ...], pool: Pool) -> Code:
    assembler = Assembler(pool)

    def start(x: Node) -> int:
        return -1 if x == ZERO else assembler.program(x)

    def by(name: str) -> Node:
        return derivative(node, Variable(name)) if name in variables else ZERO

    value, by_t = assembler.program(node, of_motion(node)), by("t")
    watched = tuple(i for i in range(value, len(pool.tab), 2) if pool.tab[i] == WATCH)
    slopes = ((slot, start(slope)) for slot, slope in _by_signals(node, pool))
    parts = tuple(TimePart(value if part is node else assembler.program(part), part) for part in time_parts(node) if not is_plain(part))
    return Code(value, start(by_t), start(derivative(by_t, Variable("t"))), start(by("x")), start(by("v")),
                tuple(pair for pair in slopes if pair[1] >= 0), *_branches(node), parts, watched, node)


def _by_signals(node: Node, pool: Pool) -> list[tuple[int, Node]]:
    """(index in Y, derivative) by all signals that a function depends on, if only through others."""
    chain: Callable[[Node], list[tuple[int, Node]]] | None = getattr(pool, "chain", None)
    return chain(node) if chain else [(pool.signal(name), derivative(node, Signal(name))) for name in channels(node)]


def asked_by_branches(node: Node) -> set[str]:
    """Signals by which it is decided what the branches of a function are."""
    choosing = (x for x in bottom_up(node) if getattr(x, "operator", getattr(x, "name", "")) in JUMPING)
    return {reference for x in choosing for reference in channels(x)}


def _branches(node: Node) -> tuple[bool, bool, bool]:
    """Whether a function jumps, has kinks, and is an expression of nothing but t."""
    nodes = bottom_up(node)
    used = {getattr(x, "operator", getattr(x, "name", "")) for x in nodes}
    other = any(isinstance(x, (Signal, External)) or (isinstance(x, Variable) and x.name != "t") for x in nodes)
    return bool(used & JUMPING), bool(used & KINKED) or any(isinstance(x, (Lookup, Lookup2)) for x in nodes), not other


class _Trial:
    """A pool for programs that are thrown away."""

    def __init__(self) -> None:
        self.tab, self.val, self.keep, self.failures, self.known = list[int](), list[float](), list[Any](), Failures(), NO_NAMES

    def signal(self, reference: str) -> int:
        return 0



def check_expression(text: str, variables: tuple[str, ...], names: Names = NO_NAMES) -> list[str]:
    """The channels of an expression; ValueError if it, or a derivative of it, cannot be a program."""
    node = parse(text, variables, names)
    _programs(node, variables, _Trial())
    return channels(node)


def _check_arguments(f: Callable[..., float], variables: tuple[str, ...]) -> None:
    n, form = len(variables), f"f({', '.join(variables)})"
    name = getattr(f, "__name__", type(f).__name__)
    if isinstance(f, np.ufunc):
        fits, given = f.nin == n, f"{f.nin} arguments"
    else:
        try:
            signature = inspect.signature(f)
        except (TypeError, ValueError):
            raise ValueError(f"the arguments of {name!r} cannot be found out; wrap it: lambda {form[2:-1]}: ...") from None
        given = str(signature.replace(return_annotation=inspect.Signature.empty))
        try:
            signature.bind(*variables)
            fits = True
        except TypeError:
            fits = False
    if n not in (1, 3):
        raise ValueError(f"Python function {name!r}: {n} variables, must be ('t',) or ('t', 'x', 'v')")
    if not fits:
        raise ValueError(f"Python function {name!r} takes {given}, must take {n} argument{'s' * (n > 1)}: {form}")


def _address(f: Callable[..., float], n: int, failures: Failures, where: str, rates: bool) -> tuple[int, Any]:
    """Address of a C function of t, x, v that runs ``f``, compiled if Numba can, and what keeps it alive."""
    interpreted = _Interpreted(f, n, where, failures.own)
    signature = signature_of(f) if not jit.DISABLED and isinstance(f, (types.FunctionType, jit.Dispatcher)) else None
    shared = _shared(_Version((signature, n, where, rates), f)) if signature is not None else None
    if shared is None:
        return c_address(interpreted)
    failures.listen(shared.raised)
    with failures.ignored():  # Numba's arithmetic differs in places, for example in powers of integers
        agree = all(_same(shared.compiled.ctypes(*p), interpreted(*p)) for p in PROBES)
    return (shared.compiled.address, shared) if agree else c_address(interpreted)


@dataclass(eq=False)
class _Interpreted:
    """A function of t, x, v that keeps what the user's function raises, and gives nan instead. Asked with v = COMPLEX_STEP, it gives
    the rate of one of t by a complex step, or nan if the user's function does not take complex numbers."""
    f: Callable[..., float]
    n: int
    where: str
    raised: Raised
    takes_complex: bool | None = None  # not known before it is asked

    def __call__(self, t: float, x: float, v: float) -> float:
        if v == COMPLEX_STEP:
            return self._rate(t) if self.n == 1 and self.takes_complex is not False else math.nan
        try:
            return float(self.f(t) if self.n == 1 else self.f(t, x, v))
        except BaseException as error:
            self.raised.add(error, f"in {self.where}, asked for t = {t:.6g} s")
            return math.nan

    def _rate(self, t: float) -> float:
        try:
            if self.takes_complex is None:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")  # of NumPy, where a complex number is cut to a real one
                    value = self.f(complex(t, TINY))
                self.takes_complex = True
            else:
                value = self.f(complex(t, TINY))
            return complex(value).imag / TINY
        except Exception:
            self.takes_complex = False
        except BaseException as error:  # an interrupt
            self.raised.add(error)
        return math.nan


class _Version:
    """A function as `_shared` looks it up: by its signature, number of arguments, item, and whether its rates are needed."""

    def __init__(self, key: tuple[Any, int, str, bool], f: Callable[..., float]) -> None:
        self.key, self.f = key, f

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Version) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class _Compiled(NamedTuple):
    """A compiled function, what it raises, and the interpreted one that it asks then."""
    compiled: Any
    raised: Raised
    plain: Any


_versions: Counter[Any] = Counter()  # of the same code with other values, that were compiled


@lru_cache(maxsize=256)
def _shared(version: _Version) -> _Compiled | None:
    """A function compiled, once for all models that use it for the same item: what Numba has compiled takes memory for as long as the
    process lives. None if Numba cannot, or has compiled the same code with very many other values."""
    (signature, n, where, rates), f = version.key, version.f
    code = signature[0] if isinstance(signature, tuple) else signature
    _versions[code] += 1
    if _versions[code] > MOST_VERSIONS:
        return None
    raised = Raised()
    _, plain = c_address(_Interpreted(f, n, where, raised))
    try:
        return _Compiled(_compiled(f, n, plain, rates), raised, plain)
    except Exception:
        return None


def _same(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= 1e-9 * (abs(a) + abs(b)) or (math.isnan(a) and math.isnan(b))


def _compiled(f: Callable[..., float], n: int, plain: Any, rates: bool) -> Any:
    """``f`` compiled. Where it raises or gives nan, the interpreted one is asked, which notes the exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = f if isinstance(f, jit.Dispatcher) else numba.njit(f, boundscheck=True)
        inner = given if n == 3 else numba.njit(lambda t, x, v: given(t))
        rate = _rate(given if rates and n == 1 else None)

        def outer(t, x, v):  # type: ignore[no-untyped-def]
            if v == COMPLEX_STEP:
                return rate(t)
            value = np.nan
            try:
                value = float(inner(t, x, v))  # here, so that a None raises here
            except Exception:
                value = np.nan
            return plain(t, x, v) if np.isnan(value) else value
        f8 = numba.float64
        return numba.cfunc(f8(f8, f8, f8))(outer)


def _rate(f: Any) -> Any:
    """The rate of a function of t by a complex step, compiled; nan if it does not take complex numbers."""
    if f is not None:
        def rate(t):  # type: ignore[no-untyped-def]
            value = np.nan
            try:
                value = (f(complex(t, TINY)) + 0j).imag / TINY
            except Exception:
                value = np.nan
            return value
        made = numba.njit(rate)
        try:
            made.compile((numba.float64,))
            return made
        except Exception:  # what cannot be compiled for complex numbers
            pass
    return numba.njit(lambda t: np.nan)
