"""With NUMBA_DISABLE_JIT=1 the kernels are plain Python: breakpoints work, and an index past the end raises."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_contract_of_every_family_holds_without_jit():
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "tests/families/test_families.py"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert "passed" in done.stdout or "[100%]" in done.stdout


def test_a_run_without_jit():
    """With error control and constraints: the loop, Newton's method, and what Python calls of its kernels."""
    run = ("import pliant as pl; m = pl.Model('p', gravity=(0, -9.81, 0)); b = m.add(pl.RigidBody.rod('b', (0, 0, 0), (1, 0, 0), mass=1));"
           "m.add(pl.Revolute('A', m.ground, b['start'], axis='z'));"
           "print(m.simulate(0.02, accuracy=1e-3, integrator=pl.GeneralizedAlpha(), output_step=0.02, progress=False)['A.angle_rate'][-1])")
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", run], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert abs(float(done.stdout) / (-1.5 * 9.81 * 0.02) - 1) < 1e-4  # of a slender rod, -1.5 g t / l
