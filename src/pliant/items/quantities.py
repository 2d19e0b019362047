"""Numbers that may be written with a unit where an expression may stand as well."""
from __future__ import annotations

import re
from typing import Any


def numbers_with_units(value: Any, units: dict[str, str]) -> Any:
    """Texts that are plain quantities become numbers, with their dimension checked; expressions stay."""
    from ..functions.units import quantity
    if not isinstance(value, dict):
        return value
    out = dict(value)
    for field, unit in units.items():
        text = out.get(field)
        if isinstance(text, str) and _is_quantity(text):
            try:
                out[field] = quantity(text, unit)
            except ValueError as error:
                raise ValueError(f"{field}: {error}") from None
    return out


def _is_quantity(text: str) -> bool:
    """A number and perhaps a unit: nothing that needs the expression machine."""
    from ..functions.units import parse_unit
    match = re.fullmatch(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*(\S.*)?", text)
    if not match:
        return False
    try:
        if match[1]:
            parse_unit(match[1])
    except ValueError:
        return False
    return True
