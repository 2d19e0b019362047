"""Matrices of CalculiX (*FREQUENCY, SOLVER=MATRIXSTORAGE): .sti, .mas as triplets of one triangle, .dof with node and direction by row."""
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np

from .matrices import Labelled, symmetric
from .registry import reads_matrices
from .source import FileError, Source

MADE, OTHERS = (".sti", ".mas", ".dof"), (".12d", ".cvg", ".sta", ".frd", ".dat")  # what CalculiX writes
STEP = "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n1\n*END STEP\n"


@reads_matrices(".sti", ".mas", ".dof", rank=1)
def read_calculix(path: str | Path) -> Labelled:
    """From any of the three files: the others have the same name."""
    stem = Path(path).with_suffix("")
    files = {end: stem.with_suffix(end) for end in MADE}
    for file in files.values():
        if not file.is_file():
            raise FileNotFoundError(f"there is no file {str(file)!r}; CalculiX writes .sti, .mas and .dof together with *FREQUENCY, "
                                    "SOLVER=MATRIXSTORAGE (pliant flex run-calculix does it)")
    rows = _rows(Source(files[".dof"]))
    K, M = (symmetric(*triplets(Source(files[end]), len(rows)), len(rows)) for end in (".sti", ".mas"))
    return Labelled(f"CalculiX matrices {stem.name}.sti, .mas", rows, K, M)


def _rows(source: Source) -> np.ndarray:
    rows: dict[tuple[int, int], int] = {}
    for line, text in source:
        found = re.fullmatch(r"\s*(\d{1,18})\.([1-6])\s*", text, re.ASCII)
        if not found:
            raise source.fail(line, f"{text.strip()[:40]!r} must be node.direction, such as 12.3")
        label = int(found[1]), int(found[2])
        if rows.setdefault(label, line) != line:
            raise source.fail(line, f"{text.strip()} comes again, first in line {rows[label]}")
    return np.array(list(rows), np.int64)


def triplets(source: Source, N: int, separator: str | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column (from 0) and value of every line."""
    count = len(source.lines)
    i, j, v = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count)
    used = 0
    for line, text in source:
        words = text.split(separator)
        if not text.strip() or text.lstrip().startswith("**"):
            continue
        if len(words) != 3:
            raise source.fail(line, f"has {len(words)} entries, must be row, column and value; the file is cut off or not a matrix")
        i[used], j[used] = source.whole(words[0], line) - 1, source.whole(words[1], line) - 1
        v[used] = source.real(words[2], line)
        if not (0 <= i[used] < N and 0 <= j[used] < N):
            raise source.fail(line, f"row {words[0].strip()}, column {words[1].strip()}: must be between 1 and {N}, the number of unknowns")
        used += 1
    found = i[:used], j[:used], v[:used]
    if not used:
        raise source.fail(1, "holds no entries")
    _refuse_doubles(source, found[0], found[1])
    return found


def _refuse_doubles(source: Source, i: np.ndarray, j: np.ndarray) -> None:
    """An entry must not come twice: sums would be taken."""
    order = np.lexsort((j, i))
    same = np.flatnonzero((np.diff(i[order]) == 0) & (np.diff(j[order]) == 0))
    if same.size:
        lines = [n for n, text in source if text.strip() and not text.lstrip().startswith("**")]
        first, again = sorted(int(k) for k in order[same[0]:same[0] + 2])
        raise source.fail(lines[again], f"the entry in row {i[again] + 1}, column {j[again] + 1} comes again, first in line {lines[first]}")


def run_calculix(path: str | Path, output: str | Path | None = None) -> Path:
    """Matrices of a mesh by a local CalculiX: the model part of the input file with its supports left out, and one step that stores them.
    They are written beside the file, or into the folder ``output``. Returns the path of the .sti file."""
    program = shutil.which("ccx")
    if program is None:
        raise FileNotFoundError("CalculiX (the program ccx) is not installed or not on the PATH; on Debian: apt-get install calculix-ccx")
    if Path(path).suffix.lower() != ".inp":
        raise ValueError(f"{str(path)!r}: CalculiX reads input files, with the ending .inp")
    source = Source(path)
    folder = Path(output) if output is not None else source.path.parent
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{source.path.stem}_matrices"
    deck = folder / f"{stem}.inp"
    deck.write_text(free_deck(source) + STEP)
    for end in MADE:
        (folder / f"{stem}{end}").unlink(missing_ok=True)  # of an earlier run
    done = subprocess.run([program, stem], cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    found = folder / f"{stem}.sti"
    for end in OTHERS:
        (folder / f"{stem}{end}").unlink(missing_ok=True)
    if done.returncode or "*ERROR" in done.stdout or not found.is_file():
        deck.unlink(missing_ok=True)
        told = re.findall(r"\*ERROR[^\n]*(?:\n[^\n*]+)*", done.stdout)
        reason = " ".join((told[0] if told else done.stdout[-300:] + done.stderr[-300:]).split())
        raise FileError(f"{path}: CalculiX could not make its matrices: {reason}")
    return found


def free_deck(source: Source, seen: tuple[Path, ...] = ()) -> str:
    """The input file, includes in place, without supports, loads and steps."""
    if source.path.resolve() in seen:
        raise source.fail(1, "includes itself")
    kept, copy, step = [], True, False
    for line, text in source:
        word = re.match(r"\s*\*([A-Za-z][\w \t-]*)", text)
        if word:
            name = re.sub(r"[\s_-]", "", word[1]).upper()
            step = (step or name == "STEP") and name != "ENDSTEP"
            copy = not step and name not in ("BOUNDARY", "CLOAD", "DLOAD", "STEP", "ENDSTEP")
            if copy and name == "INCLUDE":
                found = re.search(r'INPUT\s*=\s*("[^"]*"|[^,]+)', text, re.IGNORECASE)
                if not found:
                    raise source.fail(line, "*INCLUDE needs INPUT=file")
                kept.append(free_deck(source.included(found[1].strip().strip('"'), line), (*seen, source.path.resolve())))
                continue
        if copy and text.strip():
            kept.append(text)
    return "\n".join(kept) + "\n"
