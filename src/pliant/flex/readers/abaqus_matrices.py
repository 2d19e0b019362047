"""Text matrices of Abaqus (*MATRIX GENERATE, *MATRIX OUTPUT): job_STIF1.mtx and job_MASS1.mtx with lines "row node, direction, column node,
direction, value" (FORMAT=MATRIX INPUT, LABELS), or "row, column, value" (COORDINATE, all unknowns by rising node). Written after the
manual; no licensed program has checked it."""
from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from .calculix import triplets
from .matrices import Labelled, symmetric
from .registry import reads_matrices
from .source import Source


@reads_matrices(".mtx", rank=2)
def read_mtx(path: str | Path) -> Labelled:
    """From either file: the other has MASS or STIF in its place."""
    file = Path(path)
    found = re.fullmatch(r"(.*_)(STIF|MASS)(\d*)", file.stem, re.IGNORECASE)
    if not found:
        raise ValueError(f"{path}: the names of Abaqus matrices end with _STIF1.mtx and _MASS1.mtx; rename both so")
    pair = [_sibling(file, found[1] + word + found[3]) for word in ("STIF", "MASS")]
    what = f"Abaqus matrices {pair[0].name}, {pair[1].name}"
    sources = [Source(p) for p in pair]
    if all(_columns(s) == 3 for s in sources):
        return _coordinate(sources, what)
    labelled = [_labelled(s) for s in sources]
    labels = np.unique(np.concatenate([part for rows, columns, _ in labelled for part in (rows, columns)]), axis=0)
    key = labels[:, 0] * 8 + labels[:, 1]
    K, M = (symmetric(np.searchsorted(key, rows[:, 0] * 8 + rows[:, 1]), np.searchsorted(key, columns[:, 0] * 8 + columns[:, 1]), values,
                      len(labels)) for rows, columns, values in labelled)
    return Labelled(what, labels, K, M)


def _sibling(file: Path, stem: str) -> Path:
    for other in file.parent.iterdir():
        if other.stem.lower() == stem.lower() and other.suffix.lower() == ".mtx":
            return other
    raise FileNotFoundError(f"there is no file {stem}.mtx beside {file.name}; stiffness and mass are both needed")


def _columns(source: Source) -> int:
    first = next((t for _, t in source if t.strip() and not t.lstrip().startswith("*")), "")
    return len(first.replace(",", " ").split())


def _labelled(source: Source) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows, columns, values, lines = [], [], [], []
    for line, text in source:
        if not text.strip() or text.lstrip().startswith("*"):
            continue
        words = text.replace(",", " ").split()
        if len(words) != 5:
            raise source.fail(line, f"has {len(words)} entries, must be row node, direction, column node, direction, value; the file is "
                                    "cut off or not a matrix")
        a, i, b, j = (source.whole(w, line) for w in words[:4])
        if a < 1 or b < 1:
            raise source.fail(line, f"the node {min(a, b)} is one that Abaqus made itself; leave out what makes such nodes")
        if not (1 <= i <= 6 and 1 <= j <= 6):
            raise source.fail(line, f"the direction {i if not 1 <= i <= 6 else j} must be from 1 to 6")
        rows.append((a, i))
        columns.append((b, j))
        values.append(source.real(words[4], line))
        lines.append(line)
    if not values:
        raise source.fail(1, "holds no entries")
    seen: dict[tuple[int, int, int, int], int] = {}
    for key, line in zip(((*a, *b) for a, b in zip(rows, columns, strict=True)), lines, strict=True):
        if seen.setdefault(key, line) != line:
            raise source.fail(line, f"the entry of node {key[0]}, direction {key[1]} and node {key[2]}, direction {key[3]} comes again, "
                                    f"first in line {seen[key]}")
    return np.array(rows, np.int64), np.array(columns, np.int64), np.array(values)


def _coordinate(sources: list[Source], what: str) -> Labelled:
    found = [triplets(_spaced(s), 2**31) for s in sources]
    N = 1 + max(int(max(i.max(initial=0), j.max(initial=0))) for i, j, _ in found)
    for source, (i, _, _) in zip(sources, found, strict=True):
        if len(i) < N:
            raise source.fail(1, f"has {len(i)} entries, and there are {N} rows or more; the file is cut off or not such a matrix")
    K, M = (symmetric(i, j, v, N) for i, j, v in found)
    return Labelled(what, None, K, M)


def _spaced(source: Source) -> Source:
    source.lines = [t.replace(",", " ") if not t.lstrip().startswith("*") else "" for t in source.lines]
    return source
