"""docs/coverage.md: every capability of the source documents has its row, and every file, test and name in it exists."""
import re
from importlib import import_module
from pathlib import Path

import pytest

import pliant as pl

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
IDS = [f"{letter}{k}" for letter, last in (("L", 12), ("Z", 7), ("U", 6), ("W", 20), ("H", 5)) for k in range(1, last + 1)]
ROWS = {cells[0]: cells for line in PAGE.splitlines() if re.match(r"\| [LZUWH]\d+ \|", line)
        for cells in [[cell.strip() for cell in line.strip("|").split("|")]]}
FOLDERS = "src|tests|docs|examples|benchmarks"


def test_every_capability_has_its_row():
    assert list(ROWS) == IDS and len(IDS) == 50
    assert len(re.findall(r"^\| [LZUWH]\d+ \|", PAGE, re.MULTILINE)) == 50


@pytest.mark.parametrize("name", IDS)
def test_a_row_says_where_to_see_it_and_what_is_missing(name):
    _, capability, status, where = ROWS[name]
    assert capability and status in ("done", "part", "not yet")
    assert ("Missing: " in where) == (status == "part")
    assert status == "not yet" or re.search(rf"`({FOLDERS})/", where) or "`pl." in where


def test_files_and_tests_exist():
    file, found = None, 0
    for code in re.findall(r"`([^`]+)`", PAGE):
        path, _, test = code.partition("::")
        if re.match(rf"({FOLDERS})/", path):
            file, found = ROOT / path, found + 1
            assert file.exists(), code
        elif path:
            continue
        if test:
            assert file is not None and re.search(rf"^def {test}\(", file.read_text(encoding="utf-8"), re.MULTILINE), code
    assert found > 60


def test_names_exist():
    found = re.findall(r"`pl\.([\w.]+)`", PAGE)
    assert len(found) > 30
    for name in found:
        room, _, last = name.rpartition(".")
        assert hasattr(import_module(f"pliant.{room}") if room else pl, last), name
