"""Spatial closed loops for tests of methods: one without redundant equations, one with."""
import numpy as np

import pliant as pl
from pliant.kernels.state_row import parts
from pliant.proofs.shipped_examples import examples, find


def four_bar() -> pl.Model:
    """Two revolute and two spherical joints off all axes, gravity, spring, damper, a torque of time; no equation is redundant."""
    m = pl.Model("spatial four-bar", gravity=(0.6, -0.8, -2.0))
    A, B, C, D = (np.array(x) for x in ((0, 0, 0.0), (0.25, 0.1, 0.2), (1.1, 0.6, 0.3), (1.0, -0.3, -0.5)))
    for name, start, end in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
        m.add(pl.RigidBody(name, 2.0, (0.2, 0.25, 0.3), position=tuple((start + end) / 2),
                           frames={"start": tuple((start - end) / 2), "end": tuple((end - start) / 2)}))
    m.add(pl.Revolute("A", m.ground.frame(tuple(A)), "crank.start", axis=(0.2, -1, 0.3), angle_rate=3.0))
    m.add(pl.Spherical("B", "crank.end", "coupler.start"))
    m.add(pl.Spherical("C", "coupler.end", "rocker.end"))
    m.add(pl.Revolute("D", m.ground.frame(tuple(D)), "rocker.start", axis=(1, 0.3, 0.2)))
    m.add(pl.SpringDamper("spring", m.ground.frame((0.3, 0.8, 0.9)), "coupler.end", stiffness=40.0, damping=6.0))
    m.add(pl.Torque("load", "coupler", ("0.5*sin(6*t)", 0.3, "0.4*cos(5*t)")))
    return m


def bricard() -> pl.Model:
    """Thirty equations, one of them redundant, for thirty coordinates; with a spring, a damper and a force of time."""
    m = pl.read(find("bricard.yaml", examples()))
    m.settings, m["P1"].angle_rate = {}, 2.0
    m.add(pl.SpringDamper("spring", m.ground.frame((0.3, 0.8, 0.9)), "bar3.end", stiffness=20.0, damping=6.0))
    m.add(pl.Force("push", "bar2", ("8*sin(6*t)", -3, "5*cos(7*t)")))
    return m


def double_four_bar() -> pl.Model:
    """It passes positions with all bars in a line, where its equations lose two ranks."""
    m = pl.read(find("double_four_bar.yaml", examples()))
    m.settings = {}
    return m


def errors(sol: pl.Solution, reference: pl.Solution) -> np.ndarray:
    """Root mean squares over all rows, of positions, velocities and multipliers."""
    s = reference.dynamics.system
    a, b = (parts(r.rows, s.q0.size, s.n) for r in (sol, reference))
    return np.array([np.sqrt(np.mean((a[k] - b[k])[1:] ** 2)) for k in ("q", "v", "lam")])


def orders(found: np.ndarray, steps: tuple[int, ...]) -> np.ndarray:
    """Fitted: errors fall like steps^-order."""
    return -np.polyfit(np.log(steps), np.log(found), 1)[0]
