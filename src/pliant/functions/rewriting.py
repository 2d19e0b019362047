"""Expressions with other names in them: by the tokens that the parser reads, never by searching the text."""
from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from .expression import CONSTANTS
from .parser import _TOKEN
from .units import SPELLING


def rewritten(text: str, new: Callable[[str], str | None], variables: Collection[str] = ()) -> str:
    """``text`` with ``new(name)`` in place of every name in it that is neither a constant nor one of ``variables``; None leaves it."""
    spelled, out, at = text.translate(SPELLING), list[str](), 0
    for token in _TOKEN.finditer(spelled):
        name = token["name"]
        if name is None or name in variables or name in CONSTANTS or (other := new(name)) in (None, name):
            continue
        out += [spelled[at:token.start("name")], str(other)]
        at = token.end("name")
    return "".join([*out, spelled[at:]]) if out else text


def owner_of(reference: str, known: Collection[str]) -> str:
    """The one of the names that a dotted reference begins with, the longest; its first word if none does."""
    words = reference.split(".")
    begun = (".".join(words[:k]) for k in range(len(words), 0, -1))
    return next((name for name in begun if name in known), words[0])


def clash(name: str, names: Iterable[str]) -> str:
    """What is wrong with a name beside others: the name of an item or a number is not that of a sub-assembly as well."""
    begin = f"{name}."
    for other in names:
        if other.startswith(begin):
            return f"the name {name!r} is that of a sub-assembly, which has {other!r}; choose another"
        if "." in name and name.startswith(f"{other}."):
            return f"the name {name!r} is that of something in a sub-assembly {other!r}, but {other!r} is there itself; choose another"
    return ""
