"""Texts of others, such as names in files, on their way to a terminal; and names that look alike."""
from __future__ import annotations

from unicodedata import category, normalize

ESCAPED = "Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"  # classes of Unicode: controls, marks of direction, what is no letter
KEPT = "\n\t"
MARKED = r"(?:\w|[\u0300-\u1fff])"  # in names: letters, and the vowel signs and accents of scripts, which are no letters by themselves


def printable(text: str) -> str:
    """With control characters, which could steer a terminal or turn a line around, written as in Python: \\x1b."""
    return "".join(c.encode("unicode_escape").decode() if category(c) in ESCAPED and c not in KEPT else c for c in text)


def same_name(name: str) -> str:
    """Of names that look alike one: letters with their marks, and letters that stand for others, as Python reads its own names (NFKC)."""
    return name if name.isascii() else normalize("NFKC", name)


def same_letters(text: str) -> str:
    """A text whose letters are one with their marks (NFC), so that equal-looking words are equal."""
    return text if text.isascii() else normalize("NFC", text)
