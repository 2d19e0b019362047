"""A spatial four-bar (revolute, spherical, universal, revolute) without redundant equations, under gravity, with a spring and a
damper; and the fitted orders of a method on it."""
from functools import cache

import numpy as np

import pliant as pl
from pliant.kernels.state_row import parts


def four_bar(damping: float = 2.0) -> pl.Model:
    m = pl.Model("spatial four-bar", gravity=(1.0, -2.0, -9.0))
    a, b, c, d = np.array([(0, 0, 0), (0.06, 0.12, 0.08), (0.9, 0.45, 0.6), (1.0, 0.1, 0.1)])
    m.add(pl.RigidBody.rod("crank", a, b, mass=5.0, radius=0.15))
    m.add(pl.RigidBody.rod("coupler", b, c, mass=0.6, radius=0.04))
    m.add(pl.RigidBody.rod("rocker", d, c, mass=0.5, radius=0.03))
    m.add(pl.Revolute("A", m.ground.frame(a), "crank.start", axis=(0.3, -0.2, 1.0)))
    m.add(pl.Spherical("B", "crank.end", "coupler.start"))
    m.add(pl.Universal("C", "coupler.end", "rocker.end", axis=(1, 0.2, 0.1), axis_b=(0.0, 0.5, -1.0)))
    m.add(pl.Revolute("D", m.ground.frame(d), "rocker.start", axis=(1.0, 0.2, -0.3)))
    m.add(pl.SpringDamper("spring", m.ground.frame((0.5, 1.0, 0.8)), "coupler.start", stiffness=60.0, damping=damping))
    return m


@cache
def reference(make, duration: float, rows: int = 4) -> pl.Solution:
    """By an explicit method of order 8 at 1e-12, constraints corrected to 1e-13."""
    return make().simulate(duration, accuracy=1e-12, output_step=duration / rows, integrator=pl.DOP853(),
                           formulation=pl.Index1(pl.DirectCorrection(1e-13)), progress=False)


def errors(make, duration: float, rows: int = 4, **options) -> np.ndarray:
    """Largest errors of positions, velocities and multipliers over all rows after the first."""
    sol, exact = make().simulate(duration, output_step=duration / rows, progress=False, **options), reference(make, duration, rows)
    s = exact.dynamics.system
    p, r = (parts(x.rows[1:], s.q0.size, s.n) for x in (sol, exact))
    for i in s.data.rotations[:, 1]:
        p["q"][:, i:i + 4] *= np.sign((p["q"][:, i:i + 4] * r["q"][:, i:i + 4]).sum(1, keepdims=True))
    return np.array([abs(p[name] - r[name]).max() for name in ("q", "v", "lam")])


def orders(make, duration: float, steps: tuple[float, ...], **options) -> np.ndarray:
    """Slopes of the errors over the steps, both logarithmic, by least squares."""
    found = np.array([errors(make, duration, step=h, **options) for h in steps])
    return np.polyfit(np.log(steps), np.log(found), 1)[0]
