"""Values as JSON knows them."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def json_value(value: Any, number: Callable[[float], float] = float) -> Any:
    """NumPy values as plain ones; infinite and undefined numbers as null. ``number``: how a finite float is written."""
    if isinstance(value, dict):
        return {str(k): json_value(v, number) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(v, number) for v in value]
    if hasattr(value, "tolist"):
        return json_value(value.tolist(), number)
    if isinstance(value, float):
        return number(value) if math.isfinite(value) else None
    return value if isinstance(value, (str, int, bool)) or value is None else str(value)
