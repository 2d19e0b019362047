"""One thing that was found wrong or doubtful in a model."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

ERROR: Literal["error"] = "error"
WARNING: Literal["warning"] = "warning"
NOTE: Literal["note"] = "note"
Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Finding:
    """One thing that was found: ``code`` of `pliant.diagnosis.CODES`, the names of the items, a sentence with values and the rule, and
    what to do."""
    code: str
    severity: Severity
    items: tuple[str, ...]
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.code}: {self.message} {self.remedy}"


def names(items: Iterable[str], word: str = "and") -> str:
    """'A', 'B' and 'C'"""
    quoted = [repr(str(i)) for i in items]
    if len(quoted) > 8:
        quoted = [*quoted[:7], f"{len(quoted) - 7} more"]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {word} {quoted[-1]}" if quoted else ""
