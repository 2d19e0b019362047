"""Every example runs and keeps the promise of its docstring; text twins move alike; kernels do the same without JIT."""
import json
import os
import subprocess
import sys
from pathlib import Path

import no_jit
import numpy as np
import pytest

import pliant as pl

TWINS = sorted(path.stem for path in no_jit.EXAMPLES.glob("*.yaml"))


@pytest.fixture(scope="module")
def runs():
    """Solutions of examples, each run once."""
    done = {}

    def run(name):
        if name not in done:
            done[name] = no_jit.load(name).run()
        return done[name]
    return run


@pytest.mark.parametrize("name", no_jit.NAMES)
def test_the_known_answer_is_reached(name, runs):
    example, sol = no_jit.load(name), runs(name)
    errors = example.errors(sol)
    assert errors.keys() == example.TOLERANCE.keys()
    for quantity, error in errors.items():
        assert error <= example.TOLERANCE[quantity], f"{quantity}: {error:.3g}"  # false for nan


@pytest.mark.parametrize("name", no_jit.NAMES)
def test_an_example_is_short(name):
    assert len((no_jit.EXAMPLES / f"{name}.py").read_text().splitlines()) <= 60


def test_the_benchmarks_have_text_twins():
    assert {"pendulum", "four_bar", "double_four_bar", "bricard", "andrews"} <= set(TWINS)


@pytest.mark.parametrize("name", TWINS)
def test_the_text_twin_moves_alike(name, runs):
    sol, twin = runs(name), pl.read(no_jit.EXAMPLES / f"{name}.yaml").simulate()
    s = sol.dynamics.system
    state = slice(0, 3 + s.q0.size + s.n)  # time, dissipated energy, work, positions and velocities
    np.testing.assert_allclose(twin.rows[:, state], sol.rows[:, state], rtol=0, atol=1e-9)


def test_plain_python_and_compiled_kernels_agree():
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, str(Path(no_jit.__file__))], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    plain, compiled = json.loads(done.stdout), no_jit.end_states()
    assert plain.keys() == compiled.keys()
    for name, state in compiled.items():
        np.testing.assert_allclose(plain[name], state, rtol=0, atol=1e-10, err_msg=name)
