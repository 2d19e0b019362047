"""The whole loop in complex128: a complex step through 60 time steps differentiates the result by a parameter."""
import numpy as np

import pliant as pl
from pliant.families import rigid
from pliant.kernels import ode
from pliant.kernels.evaluation import Maps
from pliant.kernels.pinned import Pinned
from pliant.kernels.records import new_record
from pliant.kernels.status import DONE, MORE
from pliant.methods.integrators.implicit.alpha import in_absolute
from pliant.methods.integrators.implicit.alpha_absolute import Soft
from pliant.methods.integrators.implicit.alpha_memory import MEMORY, Alpha
from pliant.methods.integrators.time_loop.control import CONTROL, Kernels, Steps
from pliant.methods.integrators.time_loop.fixed_steps import fixed_steps


def mechanism(mass):
    m = pl.Model("pair", gravity=(0, 0, -9.81))
    first = m.add(pl.RigidBody("first", mass=1.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0, 0)))
    second = m.add(pl.RigidBody("second", mass=mass, inertia=(0.3, 0.2, 0.5), position=(1.2, 0.1, 0.3)))
    m.add(pl.Revolute("A", m.ground, first.frame((-0.5, 0, 0)), axis="y"))
    m.add(pl.Spherical("B", first.frame((0.5, 0, 0)), second.frame((-0.2, -0.1, -0.3))))
    m.add(pl.SpringDamper("S", m.ground, second, stiffness=30.0, damping=2.0))
    return m


def advance(mass, kind, steps=60, h=2e-3):
    """Positions after some steps from rest, from zero accelerations (the same start whatever the mass)."""
    s = mechanism(mass.real).compile().system
    data, x = s.typed_data(kind), s.memory(kind)
    row = s.families[rigid.BODY][0] + 1
    data.rp[row, rigid.MASS] = mass
    x.v[:] = 0
    n_y, num = s.q0.size + s.n_v + 2, new_record(ode.NUM, n_v=s.n_v, state_q=s.q0.size, state_v=s.n_v)

    def z(*shape):
        return np.zeros(shape, kind)
    residual, tangent, rates, energy, history = (s.program(p, kind) for p in ("residual", "tangent", "rates", "energy", "history"))
    p = ode.Problem(residual, tangent, rates, energy, data, s.lu, x, np.zeros_like(x.D), z(s.n), z(s.n), z(s.n), z(s.q0.size),
                    np.zeros(6, np.int64), np.ones(s.n), new_record(ode.PAR), num, (), np.zeros(1, np.int64),
                    Maps(data.rotations, data.linear), ode.Absolute(np.zeros(0), np.zeros(s.n), np.zeros(s.n)))
    weight = np.zeros(s.n)
    weight[:s.n_v] = 1
    n = new_record(MEMORY, tolerance=1e-12, floor=9.81, rounding=1e-15, most_iterations=25, full=1, age=-1, last_t0=np.nan)
    n.alpha_m, n.alpha_f, n.beta, n.gamma = pl.GeneralizedAlpha(0.9).parameters
    short = {name: z(s.n_v) for name in ("b0", "b1", "rate", "clean", "clean0", "before", "older", "jerk", "snap")}
    whole = {name: z(s.n) for name in ("lam0", "lam1", "dq", "y", "keep", "keep_v", "keep_lam")}
    own = Alpha(n, **short, **whole, v=x.v, a=x.a, lam=x.lam, R=x.R, weight=weight,
                power0=z(2), power1=z(2), mass=np.zeros(s.n_v), space=Soft(s.softness, z(s.q0.size)))
    c = new_record(CONTROL, next=h, last=steps * h, fixed=1, end=steps, outputs=1, output=1, histories=len(history.rows) > 0)
    state = {name: z(n_y) for name in ("y0", "f0", "y1", "f1", "error", "z", "f")}
    whole = {name: np.zeros(0, np.int64) for name in ("site", "slope", "every", "watched")}
    square = {name: np.zeros((0, 0)) for name in ("margin", "pace", "argument")}
    w = Steps(**state, **whole, **square, **{name: np.ones(n_y) for name in ("weight", "speed", "times")}, points=np.zeros((0, 4)),
              P=z(4, n_y), K=z(0, n_y), stops=np.zeros((1, 2)), limits=np.zeros((1, 2)), jumped=np.zeros(1), due=np.array([steps * h]),
              history=history, update=history, sense=history, delays=np.zeros(2, np.int64), echoes=np.zeros((0, 2)),
              states=np.zeros((0, 2), np.int64), tangent=tangent, decide=tangent,
              **{name: np.zeros(0) for name in ("change", "lowest", "highest")}, call=Kernels(*[0] * len(Kernels._fields)))
    w.y0[:s.q0.size], w.y0[s.q0.size:-2] = x.q, x.v[:s.n_v]
    w = w._replace(call=w.call._replace(step=ode.address(in_absolute[1], p, w, c, own)))
    rows = np.zeros((4, 3 + s.q0.size + 3 * s.n + s.histories), kind)
    pinned = Pinned(own)
    status = fixed_steps(p, w, c, pinned.address, 10**6, rows)
    assert status in (DONE, MORE)
    assert c.steps == steps
    return x.q.copy()


def test_derivative_by_a_mass_equals_differences():
    step = 1e-30
    exact = advance(2.0 + 1j * step, np.complex128).imag / step
    d = 1e-4
    differences = (advance(2.0 + d, np.float64) - advance(2.0 - d, np.float64)) / (2 * d)
    assert abs(exact).max() > 1e-4
    np.testing.assert_allclose(exact, differences, atol=1e-7 * abs(exact).max() + 1e-9)
    np.testing.assert_allclose(advance(2.0 + 0j, np.complex128).real, advance(2.0, np.float64), atol=1e-12)
