"""The end of an error message: what may have been meant."""
from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 100  # letters of a word that are compared


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """A near miss (at least ``cutoff`` alike), or what there is."""
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
