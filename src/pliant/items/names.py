"""Names of items, and words that were meant: near misses and the usual words of engineers for the kinds here."""
from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BeforeValidator

from ..functions.printable import same_name
from ..functions.units import shown

LONGEST = 100     # letters in a name
RESERVED = {"ground", "energy", "t", "pi", "e"}


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


Name = Annotated[str, BeforeValidator(_name)]


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The end of an error message: a near miss (at least ``cutoff`` alike), or what there is."""
    names = [str(k) for k in known]
    if near := near_miss(word, names, cutoff):
        return near
    listed = ", ".join(names[:25])
    listed = listed if len(names) <= 25 and len(listed) <= 250 else listed[:200].rpartition(",")[0] + ", …"
    return f"; there {'is' if len(names) == 1 else 'are'} {listed}" if names else ""


def near_miss(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The same for a near miss only; empty if there is none."""
    names = list(known)
    near = [n for n in names if n.lower() == word.lower()] or difflib.get_close_matches(word[:LONGEST], names, 1, cutoff)
    return f"; did you mean {near[0]!r}?" if near else ""
