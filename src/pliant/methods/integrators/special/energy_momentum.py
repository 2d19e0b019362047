"""Energy-momentum method: the step and the run. docs/theory/conserving.md

    r_1 = r_0 + h v_m,  R_1 = R_0 cay(h w_m),  v_m = (v_0 + v_1) / 2,  a_m = (v_1 - v_0) / h           [conserving-1]
    S (I a_m + w_m x I w_m) + moments, m a_m + forces at the middle + sigma M Delta = 0,   C(q_1, t_1) = 0

Delta = h (v_m, w_m) is the unknown; sigma makes the balance of energy exact.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....families.beam_inertia import INERTIA, MOMENTS
from ....families.corotational import COROTATIONAL
from ....families.exact_beams import BEAM
from ....families.loads import LOAD
from ....families.rigid import BODY
from ....families.rotors import ROTOR
from ....families.states import LEDGERS
from ....kernels.contract import DISSIPATION, ELASTIC, KINETIC, POTENTIAL, POWER
from ....kernels.evaluation import Data, Program
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import jit
from ....kernels.records import new_record, record_type
from ....kernels.so3 import accumulate, add, cross, dot, dyad, mat_add, scale, skew, store, store2, vec
from ....kernels.states import copy, copy_part, copy_tile, flushed, normalise, rms
from ....kernels.status import DONE, NEWTON_FAILED, NOT_FINITE, SINGULAR
from ....kernels.tile_solver import factors, solved
from ..time_loop.convergence import LIMITS, drift_of_states, limits, settled, small, stagnant
from ..time_loop.method import Method
from ..time_loop.rows import store_motion
from .axis_inertia import Nodes, cubic_axes, first_moments
from .decay import Filter, filtered
from .mean_strain import Strains, begin_strains, mean_strains
from .momentum import Whole
from .rigid_part import free_momentum

SLOW = 0.1          # rate of the iteration above which factors are renewed
SURE = 0.05         # at least this rate is counted with: what is left of the equations is energy lost
LOST, MORE_PASSES = 1e-14, 3  # of the work of a step: energy that may be lost; passes to find it
NOISE = 8           # of the rounding of positions: energy that forces give to them for nothing
MOST = 4.0          # of sigma h^2: where iterations begin it may be anything
AT_REST = 1e3       # times the same: less than this moves in a step at rest
SMOOTH = 0.5        # change of accelerations from step to step, in parts of themselves, that can be extrapolated
FAINT = 0.01        # of the regularisation, in the equations: multipliers of redundant ones fade, joints stay closed
MEMORY = record_type(LIMITS | {"last_t0": "start of the last step"}, {
    "most_iterations": "of Newton's method",
    "stiff": "whether anything is elastic",
    "spread": "whether nodes have inertia along their axes",
    "free": "whether no force comes from outside",
    "moves": "whether the step moves the model by more than rounding",
    "ledgers": "whether states add to the balance of energy",
    "decays": "whether the method does not only conserve",
    "n_motion": "velocities before those that are states",
})


class Middle(NamedTuple):
    """What the method remembers between steps (a0, a1, lam0, lam1, stored, owed), and its work arrays."""
    n: Any               # a record of MEMORY
    inertia: Program     # of rigid bodies and rotors alone, whose energy the rule of the middle keeps
    residual: Program    # of all but the inertia of axes
    energy: Program      # of what moves, without the ledgers of states and without that inertia of bodies and rotors
    power: Program
    axes: np.ndarray     # rows of elements with inertia along the axis, of nodes with first moments
    q1: np.ndarray
    a0: np.ndarray       # acceleration at the start of the step, and one step before
    a1: np.ndarray
    lam0: np.ndarray
    lam1: np.ndarray
    move: np.ndarray     # Delta
    gap: np.ndarray      # C(q_1, t_1)
    v0: np.ndarray       # velocities at the start
    inert: np.ndarray    # the part of R that is inertia and gravity
    spread: np.ndarray   # of that the part of axes
    along: np.ndarray    # M Delta, without its rigid part if the model is free
    weight: np.ndarray
    soft: np.ndarray
    mass: np.ndarray     # 6x6 per body
    links: np.ndarray    # tiles of constraint rows
    stored: np.ndarray   # energy at the start of the step, at its end
    owed: np.ndarray     # what the balance lacked there, as rounding
    d: Data              # of the middle of the step: what strains of beams are counted from is its own
    strains: Strains
    filter: Filter


@jit
def place(d, q0, o, end, q):
    """q at the end of the step, q_0 cay(Delta), or in its middle, half of that rotation                [conserving-2]
    Quaternions are p (s, u), made of length one, with u = Delta / 2 and s = 1 at the end."""
    for k in range(d.linear.shape[0]):
        q[d.linear[k, 1]] = q0[d.linear[k, 1]] + (1.0 if end else 0.5) * o.move[d.linear[k, 0]]
    for k in range(d.rotations.shape[0]):
        i, u = d.rotations[k, 1], scale(0.5, vec(o.move, d.rotations[k, 0]))
        s, w, a = 1.0 if end else 1 + np.sqrt(1 + dot(u, u)), q0[i], vec(q0, i + 1)
        f = 1 / np.sqrt(s * s + dot(u, u))
        q[i] = f * (s * w - dot(a, u))
        store(scale(f, add(cross(a, u), add(scale(w, u), scale(s, a)))), q, i + 1)


@jit
def stretch(d, x, o):
    """Inertia torques times S, in R too                                                                [conserving-3]
    (S - 1) y = u x (u x y) / (s (s + 1)), u = Delta / 2, s^2 = 1 + u.u"""
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 0]
        u = scale(0.5, vec(o.move, i))
        s = np.sqrt(1 + dot(u, u))
        change = scale(1 / (s * (s + 1)), cross(u, cross(u, vec(o.inert, i))))
        accumulate(1.0, change, x.R, i)
        accumulate(1.0, change, o.inert, i)


@jit
def spread(d, x, o, w, h):
    """R, inert += inertia and gravity of axes                                                          [conserving-6]"""
    o.spread[:] = 0
    y = Nodes(w.y0, o.v0, o.q1, x.q, x.v)
    cubic_axes(d, o.axes[0], o.axes[1], y, h, o.spread)
    first_moments(d, o.axes[2], o.axes[3], y, h, o.spread)
    for k in range(o.spread.size):
        x.R[k] += o.spread[k]
        o.inert[k] += o.spread[k]


@jit
def energy_at(p, o, t):
    """What is stored where x is, but for what the rule of the middle keeps by itself."""
    p.x.E[:] = 0
    evaluate(o.energy, p.d, p.x, t, 0.0, 0.0, 0.0)
    return p.x.E[KINETIC] + p.x.E[POTENTIAL] + p.x.E[ELASTIC]


@jit
def weigh(o):
    """o.along = M Delta"""
    for k in range(o.mass.shape[0]):
        for i in range(6):
            o.along[6 * k + i] = 0
            for j in range(6):
                o.along[6 * k + i] += o.mass[k, i, j] * o.move[6 * k + j]


@jit
def balance(x, o, h):
    """R += sigma M Delta                                                                               [conserving-4]
    sigma = (V_1 - V_0 + h (dissipation - power) - Delta . (R - inertia)) / Delta . M Delta; the energy of axes is part of V, and they
    count as forces
    Forces do work on the rounding of positions, too: that much is left to a later step, and a model at rest has no balance."""
    left, size, noise = o.owed[0] + o.stored[1] - o.stored[0] + h * (x.E[DISSIPATION] - x.E[POWER]), 0.0, 0.0
    for k in range(o.n.n_motion):
        force = x.R[k] - o.inert[k]
        left -= o.move[k] * (force + o.spread[k])
        size += o.move[k] * o.along[k]
        if o.weight[k] > 0:
            noise += NOISE * o.n.rounding * abs(force) / o.weight[k]
    o.owed[1] = min(max(left, -noise), noise)
    if o.n.moves == 1 and size > 1e-200:
        sigma = min(max((left - o.owed[1]) / size, -MOST / (h * h)), MOST / (h * h))
        for k in range(o.n.n_motion):
            x.R[k] += sigma * o.along[k]


@jit
def linearise(p, w, c, o):
    """Factors of the matrix: rows of motion in the middle, constraints at the end of the step, where x is. A status."""
    d, x, h = p.d, p.x, c.h
    x.D[:] = 0
    evaluate(p.tangent, d, x, c.t1, 1.0, h / 2, h * h / 4)
    for k in range(o.links.size):
        copy_tile(x.D, o.links[k], p.tiles, o.links[k])
    for k in range(d.rotations.shape[0]):  # from a right increment of q_1 to one of Delta
        i = d.rotations[k, 0]
        u = scale(0.5, vec(o.move, i))
        store2(mat_add(dyad(u, u, 1.0), 1.0, skew(u)), x.T, i // 6, 0)
    place(d, w.y0, o, False, x.q)
    mean_strains(d, o.strains, o.q1, x.q, o.d.rp)
    x.D[:] = 0
    evaluate(p.tangent, o.d, x, c.t1 - h / 2, 1.0, h / 2, h * h / 4)
    for k in range(o.links.size):
        copy_tile(p.tiles, o.links[k], x.D, o.links[k])
    p.num.factorisations += 1
    return factors(p)


@jit
def equations(p, w, c, o, renew):
    """R of the step for Delta, scaled by h^2 / 2; new factors if asked for. DONE or SINGULAR."""
    d, x, h, n_q, n_v = p.d, p.x, c.h, p.x.q.size, p.num.n_v
    for k in range(n_v):
        x.v[k] = o.move[k] / h
        x.a[k] = 2 * (x.v[k] - w.y0[n_q + k]) / h
    place(d, w.y0, o, True, o.q1)
    copy(o.q1, x.q)
    evaluate(p.residual, d, x, c.t1, 0.0, 0.0, 0.0)
    copy(x.R, o.gap)
    if o.n.stiff != 0:
        for k in range(n_v):
            x.v[k] = 2 * x.v[k] - o.v0[k]
        o.stored[1] = energy_at(p, o, c.t1)
        for k in range(n_v):
            x.v[k] = o.move[k] / h
    if renew and linearise(p, w, c, o) != DONE:
        return SINGULAR
    place(d, w.y0, o, False, x.q)
    mean_strains(d, o.strains, o.q1, x.q, o.d.rp)
    t = c.t1 - h / 2
    x.E[:] = 0
    if p.num.powered == 1:
        evaluate(o.power, d, x, t, 0.0, 0.0, 0.0)
    evaluate(o.inertia, d, x, t, 0.0, 0.0, 0.0)
    copy(x.R, o.inert)
    evaluate(o.residual, o.d, x, t, 0.0, 0.0, 0.0)
    stretch(d, x, o)
    if o.n.spread == 1:
        spread(d, x, o, w, h)
    weigh(o)
    if o.n.free != 0:
        free_momentum(d, x, o)
    balance(x, o, h)
    for k in range(n_v):
        x.R[k] *= h * h / 2
    for k in range(n_v, x.R.size):
        x.R[k] = o.gap[k] - FAINT * o.soft[k] * x.lam[k] * (h * h / 2)
    return DONE


@jit
def predict(p, w, c, o):
    """Start values: accelerations and multipliers extrapolated linearly; where accelerations alternate, as in vibrations that the step
    does not resolve, the motion of the last step, which is no larger than these."""
    n_q, n_v, lam, h, first = p.x.q.size, p.num.n_v, p.x.lam, c.h, np.isnan(o.n.last_t0)
    if o.n.last_t0 != c.t0:  # the last step was accepted: its end is the start of this one
        copy(o.a0, o.a1)
        copy_part(w.f0, n_q, o.a0, 0, n_v)
        copy(o.lam0, o.lam1)
        copy(lam, o.lam0)
        o.stored[0], o.owed[0], o.n.last_t0 = o.stored[1], o.owed[1], c.t0
        copy_part(w.y0, n_q, o.v0, 0, n_v)
        begin_strains(p.d, o.strains, w.y0)
        if o.n.spread == 1:  # velocities may have jumped
            copy_part(w.y0, 0, p.x.q, 0, n_q)
            copy(o.v0, p.x.v)
            o.stored[0] = energy_at(p, o, c.t0)
    for k in range(n_v):
        o.gap[k] = o.a0[k] - o.a1[k]
    if first or rms(o.gap, o.weight, n_v) <= SMOOTH * rms(o.a0, o.weight, n_v):
        for k in range(n_v):
            o.move[k] = h * (o.v0[k] + h / 2 * (2 * o.a0[k] - o.a1[k]))
    for k in range(n_v, lam.size):
        lam[k] = o.lam0[k] + (o.lam0[k] - o.lam1[k])
    o.n.moves = 1 if rms(o.move, o.weight, n_v) > AT_REST * NOISE * o.n.rounding else 0
    if first:  # accelerations of the start may be those of vibrations that the step does not resolve, too
        for k in range(n_v):
            o.move[k] = h * o.v0[k]


@jit
def accept(p, w, c, o):
    """The state at the end of the step; energies by the middle, where x is."""
    x, n_q, n_v, e = p.x, p.x.q.size, p.num.n_v, p.x.q.size + p.num.n_v
    if o.n.ledgers == 1:
        x.E[:] = 0
        evaluate(p.power, p.d, x, c.t1 - c.h / 2, 0.0, 0.0, 0.0)
    w.y1[e], w.y1[e + 1] = w.y0[e] + c.h * x.E[DISSIPATION], w.y0[e + 1] + c.h * x.E[POWER]
    copy(o.q1, x.q)
    normalise(p.d, x.q)
    for k in range(n_v):
        x.v[k], x.a[k] = flushed(2 * x.v[k] - w.y0[n_q + k]), flushed(x.a[k])
    if o.n.decays == 1:
        w.y1[e + 1] += filtered(p, w, c, o.filter)
        o.stored[1] = energy_at(p, o, c.t1)
    for k in range(n_v, x.lam.size):
        x.lam[k] = flushed(x.lam[k])
    store_motion(p, w)
    c.known = 1


@jit
def lost(x, o, h, n_v):
    """Whether the step would lose energy, of the work of inertia and gravity: multipliers come later than positions."""
    left, work = 0.0, 0.0
    for k in range(n_v):
        left += o.move[k] * x.R[k]
        work += abs(o.move[k] * o.inert[k])
    return abs(left) > LOST * work * (h * h / 2)


@jit
def iterate(p, o, h):
    """Delta and multipliers less the solution of the linear equations; the size of that."""
    d, x, n_v = p.d, p.x, p.num.n_v
    solved(p)
    for k in range(d.rotations.shape[0]):  # from an increment of q_1 to one of Delta
        i = d.rotations[k, 0]
        u, y = scale(0.5, vec(o.move, i)), vec(x.R, i)
        store(add(add(y, cross(u, y)), scale(dot(u, y), u)), x.R, i)
    for k in range(n_v):
        o.move[k] -= flushed(x.R[k])
    for k in range(n_v, x.R.size):
        x.lam[k] -= 2 / (h * h) * flushed(x.R[k])
    p.num.iterations += 1
    return rms(x.R, o.weight, n_v)


@jit
def step(p, w, c, o):
    """One step by Newton's method to rounding: what is not in the matrix (sigma, S, second derivatives of constraints)
    is small with h. Accepted after a last look at the equations, which leaves energies of the middle in x."""
    n, n_v, h = o.n, p.num.n_v, c.h
    before, drifted, renew, last, passes = 0.0, 0.0, True, False, 0
    predict(p, w, c, o)
    threshold = max(n.tolerance * (rms(o.a0, o.weight, n_v) + n.floor) * h * h / 2, n.rounding)
    for _ in range(n.most_iterations + 1):
        if equations(p, w, c, o, renew) != DONE:
            return SINGULAR
        if last:
            passes += 1
            if passes > MORE_PASSES or not lost(p.x, o, h, n.n_motion):
                accept(p, w, c, o)
                return DONE
        size = iterate(p, o, h)
        if not np.isfinite(size):
            return NOT_FINITE
        rate = max(SURE, size / before) if before > 0 else 1.0
        drift = drift_of_states(w, p.x.R, p.x.q.size, n_v, 2 / h)
        last = (small(n, size, rate, threshold) or stagnant(n, size, before)) and settled(drift, drifted, n.tolerance)
        renew, before, drifted = rate > SLOW and before > 0 and not last, size, drift
    return NEWTON_FAILED


class EnergyMomentumMethod(Method):
    """[conserving-1]. Rows are kept as integrated: a projection of velocities would change the energy."""
    step = step
    holds, project = True, False
    kept = ("a0", "a1", "lam0", "lam1", "move", "stored", "owed")
    rigid = "it needs bodies whose inertia does not change"

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        s = run.dynamics.system
        s.refuse_rolling(f"simulate: integrator {option.kind}", "its discrete gradients are of positions; take another, such as dop853 or "
                         "generalized-alpha")
        s.refuse_slopes(f"simulate: integrator {option.kind}", "which the method does not know")
        inert = [f for f in s.families if f in (BODY, ROTOR) or (ROTOR in s.families and f.act.residual is None)]  # with their frames
        axes = [s.families.get(f, (0, 0)) for f in (INERTIA, MOMENTS)]
        moving = [f for f in s.families if f not in LEDGERS.values()]
        stores = [f for f in moving if f not in (BODY, ROTOR)]
        n = new_record(MEMORY, **limits(option, run), free=not s.fixed and LOAD not in s.families, ledgers=len(moving) < len(s.families),
                       stiff=any(f.act.energy for f in stores), decays=getattr(option, "rho", 1.0) < 1,
                       spread=bool(np.any(axes)), n_motion=s.n_motion)
        links = np.array([s.block[j.tile, k] for j in s.joints for k in j.bodies], np.int64)
        vectors: dict[str, Any] = {name: np.zeros(s.n) for name in Middle._fields}
        self.own = Middle(**vectors)._replace(
            n=n, inertia=s.program("residual", families=inert), energy=s.program("energy", families=stores),
            residual=s.program("residual", families=[f for f in s.families if f not in (INERTIA, MOMENTS)]),
            power=s.program("power", families=moving), axes=np.array(axes, np.int64).ravel(), q1=np.zeros(s.q0.size),
            weight=run.dynamics.weights(), soft=s.softness, mass=self.masses(), links=links, stored=np.zeros(2), owed=np.zeros(2),
            d=s.data._replace(rp=s.data.rp.copy()), strains=Strains.of(s.families.get(BEAM, (0, 0)), s.families.get(COROTATIONAL, (0, 0))),
            filter=self.filter(moving, bool(n.free)))

    def filter(self, moving: list[Any], free: bool) -> Filter:
        """Of a method that decays; nothing of one that conserves."""
        s, tiles, rho = self.run.dynamics.system, self.run.x.D, getattr(self.option, "rho", 1.0)
        used, n = rho < 1, s.n if rho < 1 else 0
        vectors: dict[str, Any] = {name: np.zeros(n) for name in ("v1", "a1", "u", "w")}
        pushing = [f for f in s.families if f.elastic or f.act.residual is None]
        return Filter(rho=rho, n_motion=s.n_motion, free=free, elastic=s.program("residual", families=pushing if used else []),
                      matrix=s.program("matrix", families=None if used else []), total=s.program("energy", families=moving if used else []),
                      M=np.zeros_like(tiles) if used else tiles[:0].copy(), q1=np.zeros(s.q0.size if used else 0),
                      whole=Whole.of(n, tiles if used else tiles[:0]), **vectors)

    def masses(self) -> np.ndarray:
        """Of nodes by themselves: a metric for sigma and for motions of the whole."""
        found = super().masses()
        found[:, :3, 3:] = found[:, 3:, :3] = 0
        return found

    def begun(self) -> None:
        """Steps before the first one are as if accelerations had been constant."""
        run, o, x, n_q, n_v = self.run, self.own, self.run.x, self.run.n_q, self.run.n_v
        o.n.last_t0, o.a0[:n_v], o.lam0[:] = np.nan, run.steps.f0[n_q:n_q + n_v], x.lam
        x.E[:] = 0
        evaluate(o.energy, run.dynamics.system.data, x, run.t, 0.0, 0.0, 0.0)
        o.stored[:] = x.E[[KINETIC, POTENTIAL, ELASTIC]].sum()
