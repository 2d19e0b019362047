"""Fuzzing of the readers of FE programs: sample files of every format, changed at random, are read rightly or refused in a sentence with
the file (and the line). No other exception, no hang, no large memory for a hostile number.

    python tests/support/fuzz_readers.py --cases 20000      (part of make verify; test_flex_damaged.py runs some hundred)
"""
from __future__ import annotations

import argparse
import re
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import pliant as pl

SAMPLES = Path(__file__).parent / "samples"
STEEL = pl.Material(210e9, 0.3, 7850)
FILES = {"box22.msh": {"material": STEEL}, "box41.msh": {"material": {"STEEL": STEEL}}, "box.inp": {}, "box_mm.inp": {"units": "mm, t, s"},
         "box.bdf": {}, "box_free.bdf": {}, "box_small.bdf": {}, "box_matrices.sti": {"mesh": "box.inp"}, "box_STIF1.mtx": {},
         "box.op4": {}, "box_binary.op4": {"mesh": "box.inp"}, "box_dmig.bdf": {}}
TARGETS = [*FILES, "box_matrices.dof", "box_matrices.mas", "box_MASS1.mtx"]   # the last are read through another file
THROUGH = {"box_matrices.dof": "box_matrices.sti", "box_matrices.mas": "box_matrices.sti", "box_MASS1.mtx": "box_STIF1.mtx"}
JUNK = (b"0", b"-1", b"2147483647", b"4294967296", b"999999999999", b"99999999999999999999", b"nan", b"1e999", b"*", b"x,", b"1.5-3", b"",
        b"1e18", b"\xff\xfe", b"9" * 400)
HANG, MEMORY = 10, 2 * 2**30   # s, bytes of address space that reading may add
FOREIGN = re.compile(r"Traceback|NoneType|Errno|<class|object at 0x|invalid literal|out of bounds|broadcast|codec|subscriptable|"
                     r"unpack|IndexError|negative dimensions|Singular|singular")
WORD = re.compile(rb"[^\s,]+")


class Fault(AssertionError):
    """What reading did that it may not do."""


# -- changes that must not change what is read
def windows(data, rng):
    return data.replace(b"\n", b"\r\n")


def macintosh(data, rng):
    return data.replace(b"\n", b"\r")


def fortran(data, rng):
    """Exponents without E, or with D."""
    letter = rng.choice([b"", b"D", b"d", b"E"])
    return re.sub(rb"(\d\.?\d*)[eE]([+-]\d+)", lambda m: (m[1] + letter + m[2]).ljust(len(m[0])), data)


def comment(data, rng, mark):
    """A comment in another alphabet, between any two lines that are not one entry."""
    lines = data.split(b"\n")
    lines[0:0] = [mark + " größe ∞ 長さ".encode()]
    return b"\n".join(lines)


# -- changes that may do anything but harm
def cut(data, rng):
    return data[:int(rng.integers(len(data)))]


def lose_line(data, rng):
    lines = data.split(b"\n")
    del lines[int(rng.integers(len(lines)))]
    return b"\n".join(lines)


def double_line(data, rng):
    lines = data.split(b"\n")
    k = int(rng.integers(len(lines)))
    lines[k:k + 1] = [lines[k]] * 2
    return b"\n".join(lines)


def swap_lines(data, rng):
    lines = data.split(b"\n")
    i, j = rng.integers(len(lines), size=2)
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def flip(data, rng):
    at = rng.integers(len(data), size=int(rng.integers(1, 4)))
    found = bytearray(data)
    for k in at:
        found[k] = int(rng.integers(256))
    return bytes(found)


def flip_bit(data, rng):
    found = bytearray(data)
    found[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    return bytes(found)


def word(data, rng):
    """A word becomes another one of the file, or junk."""
    words = list(WORD.finditer(data))
    if not words:
        return data
    old = words[int(rng.integers(len(words)))]
    new = JUNK[int(rng.integers(len(JUNK)))] if rng.random() < 0.6 else words[int(rng.integers(len(words)))][0]
    return data[:old.start()] + new + data[old.end():]


def count(data, rng):
    """A whole number near the head of a section becomes one more, one less, or far more: most counts are there."""
    whole = [m for m in re.finditer(rb"(?<![\w.+-])\d+(?![\w.])", data)]
    if not whole:
        return flip(data, rng)
    old = whole[int(min(rng.integers(len(whole)), rng.integers(len(whole))))]
    value = int(old[0])
    new = [value + 1, value - 1, 10 * value, value + 10**9, -value, 2**31 - 1, 2**31][int(rng.integers(7))]
    return data[:old.start()] + str(new).encode().rjust(len(old[0])) + data[old.end():]


def binary_count(data, rng):
    """Four bytes become a large, a small or a negative number, in either order."""
    at = 4 * int(rng.integers(max(1, len(data) // 4)))
    number = int(rng.choice([0, 1, 24, 2**31 - 1, 2**30, 65536 * 3 + 1, -1, -2**31]))
    return data[:at] + number.to_bytes(4, "little" if rng.random() < 0.7 else "big", signed=True) + data[at + 4:]


def include(data, rng):
    name = rng.choice([b"box.inp", b"nothing", b"x" * 5000, b"/dev/zero", b".", b"\x00", "größe".encode()])
    return rng.choice([b"*INCLUDE, INPUT=" + name + b"\n" + data, b"INCLUDE '" + name + b"'\n" + data])


SAME = (windows, macintosh, fortran)
HARM = (cut, lose_line, double_line, swap_lines, flip, flip_bit, word, word, count, count, binary_count, include)


def changed(file, data, rng):
    """Name of the change, data, and whether it must be read as before."""
    if file != "box_binary.op4" and rng.random() < 0.08:
        how = SAME[int(rng.integers(len(SAME)))]
        return how.__name__, how(data, rng), True
    marks = {".inp": b"** ", ".bdf": b"$ ", ".mtx": b"** "}
    if Path(file).suffix in marks and rng.random() < 0.04:
        return "comment", comment(data, rng, marks[Path(file).suffix]), True
    how = HARM[int(rng.integers(len(HARM)))]
    made = how(data, rng)
    while rng.random() < 0.15 and made:
        made = flip_bit(made, rng)
    return how.__name__, made, False


def options_of(target, folder):
    found = {"units": "m, kg, s"} | FILES[target]
    return found | ({"mesh": folder / found["mesh"]} if "mesh" in found else {})


def case(folder, file, number, due):
    """Damage one file and read it; what came of it. ``due``: K of the samples as they are."""
    rng = np.random.default_rng([number, *file.encode()])
    target = THROUGH.get(file, file)
    how, data, same = changed(file, (SAMPLES / file).read_bytes(), rng)
    (folder / file).write_bytes(data)
    signal.setitimer(signal.ITIMER_REAL, HANG)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fe = pl.flex.read(folder / target, **options_of(target, folder))
        if not (np.isfinite(fe.K.data).all() and np.isfinite(fe.nodes).all() and fe.mass > 0):
            raise Fault(f"{how}: a model that is not sound was read")
        if same and abs(fe.K - due[target]).max() > 1e-12 * abs(due[target]).max():
            raise Fault(f"{how}: another model was read")
        return "read"
    except (ValueError, FileNotFoundError, ImportError) as error:
        if isinstance(error, Fault) or type(error) not in (ValueError, FileNotFoundError, ImportError, pl.flex.FileError):
            raise
        if same:
            raise Fault(f"{how}: refused: {error}") from error
        told = str(error)
        if "box" not in told or FOREIGN.search(told) or len(told) > 2000:
            raise Fault(f"{how}: not a sentence with the file: {told[:500]}") from error
        return "refused with line" if re.search(r"box\w*\.\w+:(\d+| byte \d+|\w+)", told) else "refused"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        shutil.copy(SAMPLES / file, folder)


def hung(*_):
    raise Fault(f"reading took more than {HANG} s")


def run(cases, first=0, files=TARGETS):
    """Outcomes, and faults with the case that shows them."""
    outcomes, faults = Counter(), []
    before = signal.signal(signal.SIGALRM, hung)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for sample in SAMPLES.iterdir():
            shutil.copy(sample, folder)
        due = {f: pl.flex.read(folder / f, **options_of(f, folder)).K for f in FILES}
        for k in range(first, first + cases):
            file = files[k % len(files)]
            try:
                outcomes[case(folder, file, k, due)] += 1
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                last = "".join(traceback.format_exception(error)[-4:])
                faults.append(f"case {k} of {file}: {type(error).__name__}: {str(error)[:500]}\n{last[:2000]}")
    signal.signal(signal.SIGALRM, before)
    return outcomes, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    import scipy.sparse.csgraph  # noqa: F401  before the limit
    run(len(TARGETS))
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if Path("/proc/self/statm").exists() else 2**32
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    outcomes, faults = run(given.cases, given.first)
    for fault in faults[:10]:
        print(fault, file=sys.stderr)
    print(f"{given.cases} files, " + ", ".join(f"{n} {what}" for what, n in outcomes.most_common()) + f", {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
