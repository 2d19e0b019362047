"""Names of items and frames, and switches: types of fields."""
from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from ..functions.units import must, shown

LONGEST = 100  # letters in a name
RESERVED = {"ground", "energy", "t", "pi", "e"}


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value.isidentifier():
        raise ValueError(f"name {shown(value)} must be a word of letters, digits and _ that does not begin with a digit")
    if len(value) > LONGEST:
        raise ValueError(f"name {shown(value)} must have at most {LONGEST} letters")
    if value in RESERVED:
        raise ValueError(f"name {value!r} is reserved; choose another")
    return value


def _item_name(value: Any) -> str:
    """A word; of something in a sub-assembly words with points between them."""
    words = value.split(".") if isinstance(value, str) else [value]
    if len(words) == 1 or not all(word.isidentifier() for word in words):
        return _name(value)
    if len(value) > LONGEST:
        raise ValueError(f"name {shown(value)} must have at most {LONGEST} letters")
    for word in words:
        _name(word)
    return str(value)


Name = Annotated[str, BeforeValidator(_item_name)]
FrameName = Annotated[str, BeforeValidator(_name)]


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(must(value, "must be true or false"))
    return value


Switch = Annotated[bool, BeforeValidator(_switch)]
