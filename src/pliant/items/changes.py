"""What two items of one name differ in."""
from __future__ import annotations

from typing import Any

import numpy as np

from .base import Item


def changed_fields(a: Item, b: Item) -> list[str]:
    """Names of the fields in which two items of one name differ; "kind" if they are not of one kind."""
    if type(a) is not type(b):
        return ["kind"]
    return [field for field in type(a).model_fields if not _same(getattr(a, field), getattr(b, field))]


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if hasattr(a, "same_as"):  # flexible parts
        return bool(a.same_as(b))
    try:
        return bool(np.all(a == b))
    except ValueError:  # arrays of different shapes
        return False
