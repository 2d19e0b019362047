"""The shipped examples: in the installed package, or in the folder ``examples`` beside the sources."""
from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from textwrap import shorten

from ..items.base import did_you_mean

HEADLINE = 100  # characters

def folder() -> Path:
    """Where the examples are."""
    here = Path(__file__).resolve().parents[1]
    for place in (here / "examples", here.parents[1] / "examples"):
        if place.is_dir():
            return place
    raise FileNotFoundError("the examples are not installed; install pliant from its wheel or its sources")


def examples() -> dict[str, Path]:
    """{name: file}; where a .py and a .yaml have one name, the latter is called name.yaml."""
    found: dict[str, Path] = {}
    for path in sorted(folder().iterdir()):
        if path.suffix in (".py", ".yaml") and not path.name.startswith("_"):
            found[path.name if path.stem in found else path.stem] = path
    return found


def find(name: str, found: dict[str, Path]) -> Path:
    for path in found.values():
        if name == path.name:
            return path
    if name not in found:
        raise KeyError(f"there is no example {name!r}{did_you_mean(name, found)}")
    return found[name]


def headline(path: Path) -> str:
    """What an example is about: the beginning of its docstring or of its first comment."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        whole = ast.get_docstring(ast.parse(text)) or ""
    else:
        whole = "\n".join(takewhile(bool, (line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#"))))
    return shorten(whole.partition("\n\n")[0], HEADLINE, placeholder=" …")


def copy(files: Iterable[Path], target: Path) -> list[Path]:
    """Copy examples to a folder; what is there is not overwritten."""
    target.mkdir(parents=True, exist_ok=True)
    wanted = [(path, target / path.name) for path in dict.fromkeys(p for given in files for p in (given, *_data(given)))]
    for _, made in wanted:
        if made.exists():
            raise FileExistsError(f"{made} exists; remove it or choose another folder")
    for path, made in wanted:
        shutil.copyfile(path, made)
    return [made for _, made in wanted]


def _data(path: Path) -> list[Path]:
    """Files that an example reads: they have its name."""
    return [p for p in sorted(path.parent.glob(f"{path.stem}.*")) if p.suffix not in (".py", ".yaml")]


def execute(path: Path) -> tuple[int, str]:
    """Run an example in the current directory; exit code and output."""
    words = [str(path)] if path.suffix == ".py" else ["-m", "pliant.cli", "run", str(path)]
    done = subprocess.run([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env={"MPLBACKEND": "Agg", **os.environ})
    return done.returncode, done.stdout
