"""Values as users write them: numbers or texts with units, in lists."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import must, quantity


def three(name: str, value: Any, what: str = "three coordinates [m]", unit: str = "m") -> np.ndarray:
    """Three numbers."""
    if isinstance(value, (str, dict, set)) or not hasattr(value, "__len__") or len(value) != 3:
        raise FieldError(name, must(value, f"must be {what}"))
    try:
        return np.array([quantity(x.item() if isinstance(x, np.generic) else x, unit) for x in value], float)
    except ValueError as error:
        raise FieldError(name, str(error)) from None


def whole(name: str, values: Any, rule: str) -> np.ndarray:
    """Whole numbers in a list."""
    numbers = list(values) if isinstance(values, (list, tuple, set, frozenset, range, np.ndarray)) else [values]
    if not all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in numbers):
        raise FieldError(name, must(values, rule))
    return np.array(numbers, np.int64)


def flag(name: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise FieldError(name, must(value, "must be true or false"))
    return value
