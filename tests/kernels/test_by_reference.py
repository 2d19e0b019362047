"""Tuples of arrays by reference: what a kernel reads through one is what the tuple has."""
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from pliant.kernels.by_reference import reference
from pliant.kernels.jit import entry, jit
from pliant.kernels.ode import address, call_status

ROOT = Path(__file__).parents[2]


class Inner(NamedTuple):
    x: np.ndarray
    factor: float


class Outer(NamedTuple):
    count: np.ndarray
    inner: Inner
    number: int
    table: np.ndarray


@jit
def work(p, t, out):
    """Uses every field, and writes to arrays while others are read."""
    inner = p.inner
    for i in range(p.table.shape[0]):
        for j in range(p.table.shape[1]):
            out[i] += p.table[i, j] * inner.x[j] * inner.factor + t * p.number
        p.count[0] += 1
    return out.size + inner.x.size


@entry
def by_address(p, code, times, t, out):
    kept, total = reference(p), 0
    for _ in range(times):
        total += call_status(code[0], (kept, t, out))
    return total


@entry
def by_value(p, code, t, out):
    return call_status(code[0], (p, t, out))


def problem():
    return Outer(np.zeros(1, np.int64), Inner(np.array([1.0, 2.0, 3.0]), 2.0), 7, np.arange(6.0).reshape(2, 3)), np.zeros(2)


def test_fields_and_nested_tuples_are_read_and_arrays_written():
    p, out = problem()
    code = np.array([address(work, p, 0.0, out)])
    assert by_address(p, code, 3, 0.5, out) == 3 * 5
    assert p.count[0] == 6 and out == pytest.approx(3 * (2 * p.table @ p.inner.x + 3 * 3.5))
    more = p._replace(inner=Inner(np.array([0.0, 0.0, 1.0]), 1.0))
    out[:] = 0
    by_address(more, code, 1, 0.0, out)
    assert out == pytest.approx(p.table[:, 2])  # another tuple of the same type


def test_a_tuple_by_value_is_refused():
    p, out = problem()
    code = np.array([address(work, p, 0.0, out)])
    with pytest.raises(TypingError, match="by reference"):
        by_value(p, code, 0.0, out)


RUN = """
import pliant as pl
from pliant.proofs.benchmark_models import fourbars
m = fourbars(1)
sol = m.simulate(0.02, step=0.01, coordinates="joint", integrator="runge-kutta-4", progress=False)
print(*(repr(float(x)) for x in sol["coupler_0.position"][-1]))
"""


def test_runs_are_the_same_without_numba():
    found = []
    for disabled in ("0", "1"):
        done = subprocess.run([sys.executable, "-c", RUN], cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": disabled}, capture_output=True,
                              text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        found.append([float(x) for x in done.stdout.split()])
    assert len(found[0]) == 3 and found[0] == pytest.approx(found[1], abs=1e-13)
