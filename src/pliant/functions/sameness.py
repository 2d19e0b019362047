"""Whether two Python functions are the same to a compiler, which takes the values of all that they name for constants."""
from __future__ import annotations

from collections.abc import Hashable, Iterator
from enum import Enum
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from pliant.kernels.jit import MODULES, Dispatcher

NUMBERS_AND_TEXTS = bool, int, float, complex, str, bytes, np.generic, type(None), type(...)
NAMED = FunctionType, BuiltinFunctionType, type, np.ufunc, Dispatcher, Enum, np.dtype  # only these themselves are equal to themselves


class Unseen(Exception):
    """A value that may change without being noticed."""


def signature_of(f: Any) -> Hashable | None:
    """Code and all values that a compiled ``f`` would take for constants, to compare with those of another function; None if some of
    them may change during a run, as arrays do."""
    if isinstance(f, Dispatcher):
        return f
    code = f.__code__
    names = set(_names(code))
    outside = {name: f.__globals__[name] for name in sorted(names) if name in f.__globals__}
    try:
        inside = [cell.cell_contents for cell in f.__closure__ or ()]
        values = [*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values(), *inside]
        return code, tuple(_fixed(x, names) for x in values), tuple((name, _fixed(x, names)) for name, x in outside.items())
    except (Unseen, ValueError):  # ValueError: a variable that has no value yet
        return None


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _fixed(value: Any, names: set[str]) -> Hashable:
    if isinstance(value, NAMED):
        return value
    if isinstance(value, NUMBERS_AND_TEXTS):
        return type(value), repr(value)  # 1, 1.0 and True are equal, and nan is not
    if isinstance(value, tuple):
        return type(value), *(_fixed(x, names) for x in value)
    if isinstance(value, ModuleType):
        if value.__name__.partition(".")[0] in MODULES:
            return value.__name__
        read = [(name, getattr(value, name)) for name in sorted(names) if hasattr(value, name)]
        if not any(isinstance(x, ModuleType) for _, x in read):
            return value.__name__, *((name, _fixed(x, names)) for name, x in read)
    raise Unseen
