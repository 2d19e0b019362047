"""Texts of others, such as names in files, on their way to a terminal."""
from __future__ import annotations

from unicodedata import category

ESCAPED = "Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"  # classes of Unicode: controls, marks of direction, what is no letter
KEPT = "\n\t"


def printable(text: str) -> str:
    """With control characters, which could steer a terminal or turn a line around, written as in Python: \\x1b."""
    return "".join(c.encode("unicode_escape").decode() if category(c) in ESCAPED and c not in KEPT else c for c in text)
