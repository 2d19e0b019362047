"""The kernel cache: nothing is compiled twice, and nothing stale is ever served."""
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numba
import numpy as np
import pytest

from pliant.kernels.jit import DISABLED, entry, inlined, jit
from pliant.kernels.so3 import cross, vec

LOWER = "from pliant.kernels.jit import jit\n\n@jit\ndef f(x):\n    return {factor} * x\n"
UPPER = """
from lower import f
from pliant.kernels.jit import entry
OFFSET = {offset}

@entry
def g(x):
    return f(x) + OFFSET

print(g(2.0), sum(g.stats.cache_hits.values()))
"""


def run(folder: Path, factor: float, offset: float) -> list[float]:
    (folder / "lower.py").write_text(LOWER.format(factor=factor))
    (folder / "upper.py").write_text(UPPER.format(offset=offset))
    env = {**os.environ, "PLIANT_CACHE": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "upper.py"], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return [float(x) for x in done.stdout.split()]


def test_an_edited_kernel_in_another_file_is_never_served_stale(tmp_path):
    assert run(tmp_path, 3, 1) == [7.0, 0]
    assert run(tmp_path, 3, 1) == [7.0, 1]   # unchanged: loaded
    assert run(tmp_path, 5, 1) == [11.0, 0]  # the other file changed: compiled anew
    assert run(tmp_path, 5, 2) == [12.0, 0]  # a constant changed
    assert run(tmp_path, 5, 2) == [12.0, 1]


LATER = """
from pliant.kernels.jit import entry, jit
from lower import f

@entry
def g(x):
    return h(x)

@jit
def h(x):
    return f(x)

print(g(2.0), sum(g.stats.cache_hits.values()))
"""


def test_an_edited_kernel_is_seen_through_one_that_stands_below_in_the_file(tmp_path):
    env = {**os.environ, "PLIANT_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    (tmp_path / "later.py").write_text(LATER)
    for factor, expected in ((3, "6.0 0"), (3, "6.0 1"), (5, "10.0 0")):
        (tmp_path / "lower.py").write_text(LOWER.format(factor=factor))
        done = subprocess.run([sys.executable, "later.py"], cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == expected


TUPLES = """
from typing import NamedTuple
import numpy as np

class Two(NamedTuple):
    {first}: np.ndarray
    {second}: np.ndarray
    n: int
"""
READS = """
import numpy as np
from pliant.kernels.by_reference import reference
from pliant.kernels.jit import entry
from tuples import Two

@entry
def g(two):
    return reference(two).a[0]

print(g(Two(n=1, a=np.array([1.0]), b=np.array([2.0]))))
"""


def test_fields_in_another_order_are_read_right(tmp_path):
    env = {**os.environ, "PLIANT_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    (tmp_path / "reads.py").write_text(READS)
    for first, second in ("ab", "ba"):
        (tmp_path / "tuples.py").write_text(TUPLES.format(first=first, second=second))
        done = subprocess.run([sys.executable, "reads.py"], cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "1.0"


def test_what_the_cache_cannot_see_is_refused():
    table = np.zeros(3)
    local = 4

    def closes(x):
        return x + local
    with pytest.raises(TypeError, match="close over"):
        jit(closes)
    source = {"table": table}
    exec(compile(textwrap.dedent("""
        def uses(x):
            return table[0] + x
    """), __file__, "exec"), source)
    with pytest.raises(TypeError, match="'table'"):
        entry(source["uses"])


def test_a_kernel_called_from_python_is_refused():
    from pliant.kernels.so3 import dot
    if not DISABLED:
        with pytest.raises(TypeError, match="this is a kernel"):
            dot((1.0, 2.0, 3.0), (1.0, 2.0, 3.0))
    assert callable(inlined)


@entry
def last(x):
    return x[-1]


@entry
def last_but_one(x):
    return x[0, -2]


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
def test_an_index_that_counts_from_the_end_is_refused():
    for kernel, x, index in ((last, np.ones(3), -1), (last_but_one, np.ones((3, 3)), -2)):
        with pytest.raises(numba.TypingError, match=f"the index {index} counts from the end of an array; kernels count from the start"):
            kernel(x)
    assert numba.njit(lambda x: x[-1])(np.arange(3)) == 2  # what is no kernel may


READ = """
import sys
import numpy as np
from pliant.kernels.jit import entry

@entry
def read(x, r, i):
    return x[r, i]

print(read(np.ones((2, 3)), int(sys.argv[1]), int(sys.argv[2])))
"""


@pytest.mark.skipif(DISABLED or os.name != "posix", reason="needs compiled kernels, and the number of a signal")
def test_kernels_that_leave_their_arrays_can_be_found(tmp_path):
    (tmp_path / "read.py").write_text(READ)
    env = {**os.environ, "PLIANT_CACHE": str(tmp_path / "cache"), "PLIANT_BOUNDS": "1"}
    for place in ((0, 2), (0, 3), (0, -1), (2, 0), (-1, 0)):
        done = subprocess.run([sys.executable, "read.py", *map(str, place)], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == ((0, "1.0\n") if place == (0, 2) else (-signal.SIGABRT, "")), place
    assert [f.name for f in (tmp_path / "cache").iterdir()] == ["bounds"]


@entry
def crossed(a, b, out):
    """a x b"""
    for k in range(a.size // 3):
        out[k, 0], out[k, 1], out[k, 2] = cross(vec(a, 3 * k), vec(b, 3 * k))


def test_arithmetic_is_as_written():
    """Products and sums fused into one operation would leave rounding here, and other bits in other processes."""
    a = np.random.default_rng(7).normal(size=300)
    out = np.ones((100, 3))
    crossed(a, a.copy(), out)
    assert not out.any()


def test_a_changed_model_compiles_nothing():
    """Two other mechanisms of the same families: no new specialisation of any entry, no compilation."""
    code = """
import sys
sys.path.insert(0, "tests/support")
import pliant as pl
from pliant.methods.integrators.time_loop.fixed_steps import fixed_steps
from pliant.compile import consistency
def chain(n):
    m = pl.Model("chain", gravity=(0, 0, -9.81))
    previous = m.ground.frame()
    for k in range(n):
        rod = m.add(pl.RigidBody.rod(f"rod{k}", start=(k, 0, 0), end=(k + 1, 0, 0), mass=1.0 + k))
        m.add(pl.Revolute(f"J{k}", previous, rod["start"], axis=("y", "z")[k % 2]))
        previous = rod["end"]
    return m
chain(1).simulate(0.01, step=1e-3)
chain(5).simulate(0.01, step=2e-3, integrator=pl.GeneralizedAlpha(rho=0.5, newton="full"))
print(len(fixed_steps.signatures), len(consistency.refine.signatures))
compiled = sum(sum(f.stats.cache_misses.values()) for f in (fixed_steps, consistency.refine))
print(compiled)
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1", "0"]


def test_the_last_resort_for_the_cache_belongs_to_the_user_alone(tmp_path, monkeypatch):
    import tempfile

    from pliant.kernels import jit as module
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first = module._temporary_folder()
    assert first == module._temporary_folder()
    assert first.stat().st_mode & 0o077 == 0
    first.chmod(0o777)  # someone else could put files there
    other = module._temporary_folder()
    assert other != first
    assert other.stat().st_mode & 0o077 == 0


DAMAGES = {"empty": lambda data: b"", "short": lambda data: data[:-40], "other": lambda data: b"not a pickle",
           "changed": lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:], "longer": lambda data: data + b"\0"}


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_of_the_cache_count_as_absent(tmp_path, damage):
    assert run(tmp_path, 3, 1) == [7.0, 0]
    for suffix in (".nbc", ".nbi"):
        files = [f for f in (tmp_path / "cache").rglob(f"*{suffix}") if f.name.startswith("upper")]
        assert len(files) == 1
        files[0].write_bytes(DAMAGES[damage](files[0].read_bytes()))
        assert run(tmp_path, 3, 1) == [7.0, 0]
        assert run(tmp_path, 3, 1) == [7.0, 1]  # and are mended


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
def test_a_version_of_other_times_under_the_right_name_is_not_served(tmp_path):
    """So it would be where the disk was full after the index was written, before the compiled code."""
    run(tmp_path, 3, 1)
    (file,) = (f for f in (tmp_path / "cache").rglob("*.nbc") if f.name.startswith("upper"))
    old = file.read_bytes()
    assert run(tmp_path, 5, 1) == [11.0, 0]
    file.write_bytes(old)
    assert run(tmp_path, 5, 1) == [11.0, 0]
    file.unlink()
    file.mkdir()  # what cannot even be replaced is told, and no more
    assert run(tmp_path, 5, 1) == [11.0, 0]


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # every write fails, as on a full disk
"""


@pytest.mark.skipif(DISABLED or os.name != "posix", reason="needs compiled kernels and limits of a process")
@pytest.mark.parametrize("folder", ["cache", "file/below"])
def test_where_kernels_cannot_be_kept_they_are_compiled_and_it_is_told_once(tmp_path, folder):
    (tmp_path / "file").write_text("no folder can be made here")
    (tmp_path / "lower.py").write_text(LOWER.format(factor=3))
    (tmp_path / "upper.py").write_text(FULL + UPPER.format(offset=1))
    env = {**os.environ, "PLIANT_CACHE": str(tmp_path / folder), "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "upper.py"], cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["7.0", "0"]
    assert done.stderr.count("compiled kernels cannot be kept") == 1
    assert ("File too large" if folder == "cache" else "No such file") in done.stderr and "PLIANT_CACHE" in done.stderr
