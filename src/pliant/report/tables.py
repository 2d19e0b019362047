"""Plain text tables."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], indent: str = "  ") -> str:
    """Aligned columns: numbers to the right, texts to the left."""
    data = list(rows)
    cells = [[cell(x) for x in row] for row in data]
    right = [bool(data) and all(isinstance(r[k], (int, float)) and not isinstance(r[k], bool) for r in data)
             for k in range(len(head))]
    widths = [max(len(head[k]), *(len(c[k]) for c in cells), 0) for k in range(len(head))]
    lines = [[h.rjust(w) if r else h.ljust(w) for h, w, r in zip(line, widths, right, strict=True)]
             for line in [list(head), *cells]]
    return "\n".join(indent + "  ".join(line).rstrip() for line in lines)


def cell(x: Any) -> str:
    """A value as a table shows it."""
    if isinstance(x, bool) or x is None:
        return {True: "yes", False: "no", None: "-"}[x]
    if isinstance(x, (float, np.floating)):
        return f"{x:.6g}"
    if isinstance(x, (list, tuple, np.ndarray)):
        return "(" + ", ".join(f"{v + 0.0:.6g}" for v in x) + ")"
    return str(x)
