"""Readers of FE programs: what is wrong in a file is told with its line; damaged and hostile files."""
import shutil
import tracemalloc

import fuzz_readers
import pytest
from fuzz_readers import SAMPLES, STEEL

import pliant as pl
from pliant.flex.readers.source import FileError

WRONG = {  # what is changed in a sample, and what is said
    "box.inp": [("*NODE, NSET=ALL", "*NODE, NSET=ALL\n1, 9, 9, 9",
                 "box.inp:6: node 1 is defined again, at another place than in box.inp:5"),
                ("1, 1, 2,", "1, 1, 99,", r"box.inp:26: element 1 names node 99, which does not exist"),
                ("1, 1, 2,", "1, 0, 2,", r"box.inp:26: element 1 names node 0, which does not exist; nodes are numbered from 1"),
                ("1, 1, 2,", "1, 2, 2,", r"box.inp:26: element 1 names a node twice"),
                ("20, 0.0", "20, O.0", r"box.inp:24: 'O.0' must be a coordinate"),
                ("*DENSITY\n7850.\n", "", "the material 'STEEL' has no density"),
                ("MATERIAL=STEEL\n", "MATERIAL=STEAL\n", r"box.inp:\d+: \*SOLID SECTION: there is no material 'STEAL'"),
                ("*MATERIAL", "*TIE, NAME=t\na, b\n*MATERIAL", r"not supported: 1 of coupling \*TIE; without that"),
                ("*MATERIAL", "*SYSTEM\n1,2,3\n*MATERIAL", r"box.inp:\d+: \*SYSTEM makes or moves nodes"),
                ("*MATERIAL", "*NSET, NSET=n, ELSET=nowhere\n*MATERIAL", r"box.inp:\d+: \*NSET: there is no element set 'nowhere'"),
                ("*MATERIAL", "*SURFACE, NAME=s, TYPE=NODE\nnowhere\n*MATERIAL", r"box.inp:\d+: 'nowhere' is neither a node nor a set"),
                ("ELSET=BODY, MATERIAL", "COMPOSITE, ELSET=BODY, MATERIAL", r"box.inp:\d+: \*SOLID SECTION, COMPOSITE"),
                ("TYPE=C3D20, ELSET=Body", "TYPE=C3D8, ELSET=Body",
                 "box.inp:26: element 1 has 10 nodes, an element of this kind has 8"),
                ("1, 1, 2, 3, 4, 5, 6, 7, 8,", "1, 5, 6, 7, 8, 1, 2, 3, 4,",
                 r"element 1 \(hex20\) at .* is (turned inside out|too distorted)")],
    "box22.msh": [("$Nodes\n20", "$Nodes\n21", r"box22.msh:\d+: \$Nodes ends where a node should follow; its counts are wrong"),
                  ("$Nodes\n20", "$Nodes\n19", r"box22.msh:\d+: \$Nodes has more lines than it said"),
                  ("$EndElements\n", "", r"\$Elements of line \d+ has no \$EndElements; the file is cut off"),
                  ("2.2 0 8", "2.2 1 8", "is a binary gmsh mesh; save it as text"), ("2.2 0 8", "3.0 0 8", "has gmsh format 3.0")],
    "box41.msh": [("1 20 1 20\n3 1 0 20", "1 21 1 20\n3 1 0 20", "20 nodes are given, 21 are announced"),
                  ("1 20 1 20\n3 1 0 20", "1 20 1 20\n3 1 0 24", r"box41.msh:\d+:")],
    "box_free.bdf": [("GRID,2,,", "GRID,2,9,", "the coordinate system 9 of node 2 is not read"),
                     ("PSOLID", "MPC,1,2,1,1.,3,1,-1.\nPSOLID", "not supported: 1 of coupling MPC; without that the part would be another"),
                     ("GRID,2,,", "GRID,2,,1.x", "must be a coordinate of GRID"),
                     ("CHEXA,1,7,1,2,", "CHEXA,1,7,,2,", "CHEXA 1 has 19 nodes, 8 or 20 are read")],
}


@pytest.mark.parametrize("file, old, new, told", [(f, *case) for f, cases in WRONG.items() for case in cases])
def test_what_is_wrong_is_told_with_its_line(file, old, new, told, tmp_path):
    text = (SAMPLES / file).read_text()
    assert text.count(old) >= 1
    (tmp_path / file).write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=told):
        pl.flex.read(tmp_path / file, material=STEEL if file.endswith("msh") else None)


# -- damaged files
def test_damaged_files_are_read_rightly_or_refused():
    """Some of `tests/support/fuzz_readers.py`; `make verify` runs many."""
    outcomes, faults = fuzz_readers.run(450)
    assert not faults, faults[0]
    assert outcomes["refused with line"] > 200 and outcomes["read"] > 50


def test_the_fuzzer_sees_what_it_must_see(monkeypatch, tmp_path):
    for other in SAMPLES.iterdir():
        shutil.copy(other, tmp_path)

    def faulty(error):
        def read(path, **_):
            raise error
        monkeypatch.setattr(pl.flex, "read", read)
        fuzz_readers.case(tmp_path, "box.inp", 1, {})
    for error in (IndexError("x"), ValueError("no file"), FileError("box.inp: 'NoneType' object"), MemoryError()):
        with pytest.raises((fuzz_readers.Fault, IndexError, MemoryError)):
            faulty(error)
    assert faulty(FileError("box.inp:3: is cut off")) is None


HOSTILE = {  # numbers that would take gigabytes
    "box.op4": [("      60      60", "20000000002000000000"), ("      60      60", "      6099999999")],
    "box_STIF1.mtx": [("1,1,1,1,", "999999999999999999,1,1,1,")],
    "box.inp": [("*MATERIAL", "*NSET, NSET=all, GENERATE\n1, 999999999999999999\n*MATERIALS")],
    "box22.msh": [("$Nodes\n20", "$Nodes\n999999999999")],
    "box41.msh": [("1 20 1 20\n3 1 0 20", "1 999999999999 1 20\n3 1 0 999999999999")],
}


@pytest.mark.parametrize("file, old, new", [(f, *case) for f, cases in HOSTILE.items() for case in cases])
def test_hostile_numbers_take_no_memory(file, old, new, tmp_path):
    for other in SAMPLES.iterdir():
        shutil.copy(other, tmp_path)
    text = (SAMPLES / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1))
    tracemalloc.start()
    with pytest.raises(ValueError, match=file.split(".")[0]):
        pl.flex.read(tmp_path / file, material=STEEL, units="m, kg, s")
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 50e6


def test_hostile_coordinates_of_matrices(tmp_path):
    shutil.copy(SAMPLES / "box.inp", tmp_path)
    for name in ("STIF1", "MASS1"):
        (tmp_path / f"box_{name}.mtx").write_text("1 1 5.0\n2000000000 2000000000 5.0\n")
    with pytest.raises(ValueError, match=r"box_STIF1.mtx:1: has 2 entries, and there are 2000000000 rows"):
        pl.flex.read(tmp_path / "box_STIF1.mtx")
