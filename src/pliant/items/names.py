"""Names of items and frames, and switches: types of fields."""
from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator

from ..functions.printable import same_name
from ..functions.suggestions import did_you_mean as did_you_mean
from ..functions.suggestions import near_miss as near_miss
from ..functions.units import must, shown

LONGEST = 100     # letters in a name
RESERVED = {"ground", "energy", "model", "t", "pi", "e"}


def _name(value: Any) -> str:
    value = same_name(value) if isinstance(value, str) else value
    if not isinstance(value, str) or not value.isidentifier():
        raise ValueError(f"name {shown(value)} must be a word of letters, digits and _ that does not begin with a digit{_repaired(value)}")
    if len(value) > LONGEST:
        raise ValueError(f"name {shown(value)} must have at most {LONGEST} letters")
    if value in RESERVED:
        raise ValueError(f"name {value!r} is reserved; choose another")
    return value


def _repaired(value: Any) -> str:
    """The end of a message: a name that would do, with _ for what may not be in one."""
    words = [word for word in re.split(r"\W+", value) if word] if isinstance(value, str) else []
    name = "_".join(words)[:LONGEST - 1]
    name = name if name.isidentifier() else f"_{name}"
    return f"; write {name!r}" if words and name.isidentifier() and value.isprintable() else ""


def _item_name(value: Any) -> str:
    """A word; of something in a sub-assembly words with points between them."""
    value = same_name(value) if isinstance(value, str) else value
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


def port_name(value: Any) -> Any:
    """A port may be given as an item that has only one."""
    return same_name(value) if isinstance(value, str) else getattr(value, "name", value)


PortName = Annotated[str, BeforeValidator(port_name)]  # field type: names a port of another item, as "cylinder.cap"


def names_port(cls: type[Any], field: str) -> bool:
    """Whether a field of an item names a port."""
    found = cls.model_fields.get(field)
    return found is not None and any(getattr(m, "func", None) is port_name for m in found.metadata)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(must(value, "must be true or false"))
    return value


Switch = Annotated[bool, BeforeValidator(_switch)]
