"""States behind jumps made consistent, in compiled code: velocities that a drive changes are those of an inelastic impact, whose impulse
does work; a method that holds constraints itself is given accelerations and multipliers. docs/theory/explicit.md

    [M C^T; C 0] [dv; mu] = [0; -(C_q v + C_t)]                                                      as in [refine-1]

in joint coordinates du of the free ones follows from that of the driven ones as accelerations do, in a tree that is at rest and without
forces; then loops are closed with the least change.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....compile.consistency import POSITION, SHARED, Workplace, settled
from ....families.elastic import deform
from ....joint_space.recursion import correct, load_rates, unfold
from ....kernels.articulated import accelerate, begin_inward, inward
from ....kernels.contract import KINETIC
from ....kernels.evaluation import Program, retract
from ....kernels.evaluation import run as evaluate
from ....kernels.expression_vm import SCRATCH
from ....kernels.jit import jit
from ....kernels.recursion import outward
from ....kernels.states import copy, copy_part
from ....kernels.status import DONE, OPEN, SINGULAR
from ...formulations.choices import DirectCorrection
from .control import PASS, RATES

if TYPE_CHECKING:
    from ....compile.compiled_model import CompiledModel


class Settling(NamedTuple):
    """What that needs besides the problem."""
    place: Workplace
    report: np.ndarray
    length: float       # size of the model
    gap: float          # that joints may be open by
    moved: float        # 0 where positions and velocities stay as they were integrated, unless a drive changes them

    @classmethod
    def of(cls, dynamics: CompiledModel, gap: float, project: bool = True) -> Settling:
        return cls(dynamics.workplace(), np.zeros(5), dynamics.length, gap, float(project))


class TreeSettling(NamedTuple):
    """The same in joint coordinates."""
    energy: Program
    y: np.ndarray       # a state
    gap: float


@jit
def driven(w, c):
    """Whether rates of drives may jump here, so that there may be an impulse."""
    return c.target != PASS and w.stops[c.coming, 2] == RATES


@jit
def release(p, c):
    """Functions choose their branches anew."""
    for k in range(c.choices):
        p.x.W[SCRATCH + k] = np.nan


@jit
def carried(p, w, c, t, v, q):
    """Positions q and velocities v at t, shortly after c.now, by Taylor's formula."""
    n_q, dt = p.num.state_q, t - c.now
    for k in range(p.num.state_v):
        v[k] = w.y0[n_q + k] + dt / 2 * w.f0[n_q + k]
    retract(p.maps, w.y0, v, dt, q)
    for k in range(p.num.state_v):
        v[k] = w.y0[n_q + k] + dt * w.f0[n_q + k]


@jit
def put(p, w, c, s, t):
    """The state at t where it is made consistent."""
    x = s.place.x
    carried(p, w, c, t, x.v, x.q)
    copy(p.x.H, x.H)


@jit
def kinetic_energy(s, t):
    """Of the state that was made consistent."""
    x = s.place.x
    x.E[:] = 0
    evaluate(s.place.energy, s.place.d, x, t, 0.0, 0.0, 0.0)
    return x.E[KINETIC]


@jit
def settle(p, w, c, s):
    """y0 at c.after in absolute coordinates, accelerations in f0 and x, multipliers in x. A status; y0 is as it was unless DONE."""
    x, n_q, n_v, before, impulse = s.place.x, p.num.state_q, p.num.n_v, 0.0, driven(w, c)
    if impulse:
        put(p, w, c, s, c.now)
        if settled(s.place, c.now, True, s.length, s.report) != DONE:
            return SINGULAR
        before = kinetic_energy(s, c.now)
    put(p, w, c, s, c.after)
    if settled(s.place, c.after, True, s.length, s.report) != DONE or s.report[SHARED] == 0:
        return SINGULAR
    if not s.report[POSITION] <= s.gap:
        return OPEN
    if impulse or s.moved == 1 or c.after > c.now:
        copy_part(x.q, 0, w.y0, 0, n_q)
        copy_part(x.v, 0, w.y0, n_q, n_v)
    copy_part(x.a, 0, w.f0, n_q, n_v)
    copy(x.a, p.x.a)
    copy(x.lam, p.x.lam)
    if impulse:
        w.y0[w.y0.size - 1] += kinetic_energy(s, c.after) - before
    return DONE


@jit
def react(p, w, c, s, t, y):
    """Multipliers at a state y, near a solution, for conditions that read them. A status."""
    x, n_q = s.place.x, p.num.state_q
    copy_part(y, 0, x.q, 0, n_q)
    copy_part(y, n_q, x.v, 0, p.num.state_v)
    copy(p.x.H, x.H)
    status = settled(s.place, t, True, s.length, s.report)
    copy(x.lam, p.x.lam)
    return status


@jit
def kinetic(p, s, t, y):
    """Energy of a state."""
    unfold(p, t, y)
    p.x.E[:] = 0
    evaluate(s.energy, p.d, p.x, t, 0.0, 0.0, 0.0)
    return p.x.E[KINETIC]


@jit
def impact(p, t, y):
    """Rates of a tree whose driven ones are another at t than in y, as if no loop were closed. DONE or SINGULAR."""
    tr, n_q = p.joints.tree, p.num.state_q
    load_rates(p, t, y)
    for j in range(tr.driven.shape[0]):
        k = tr.driven[j, 0]
        tr.du[k] = tr.u[k] - y[n_q + k]
    tr.u[:] = 0
    for k in range(tr.states.shape[0]):
        tr.du[tr.states[k, 0]] = 0
    if tr.flexible.shape[0] > 0:
        deform(tr, p.d, p.x, t)
    outward(tr, p.x)
    p.x.R[:] = 0
    begin_inward(tr, p.x.R)
    p.num.bad = inward(tr) + 1
    if p.num.bad > 0:
        return SINGULAR
    accelerate(tr, p.x)
    for k in range(tr.u.size):
        y[n_q + k] += tr.du[k]
    return DONE


@jit
def settle_tree(p, w, c, s):
    """y0 at c.after in joint coordinates. A status; y0 is as it was unless DONE."""
    n_q, n_v, t = p.num.state_q, p.num.state_v, c.after
    before, gap = kinetic(p, s, c.now, w.y0), p.par.position_gap
    copy(w.y0, s.y)
    copy_part(p.joints.tree.u, 0, w.y0, n_q, n_v)  # driven ones as they are before
    carried(p, w, c, t, p.y, w.z)
    copy_part(w.z, 0, s.y, 0, n_q)
    copy_part(p.y, 0, s.y, n_q, n_v)
    release(p, c)
    status = impact(p, t, s.y)
    p.par.position_gap = 0.0
    if status == DONE:
        status = correct(p, t, s.y)
    here, p.par.position_gap = p.par.position_gap, gap
    if status != DONE:
        return status
    if not here <= s.gap:
        return OPEN
    e = s.y.size - 1
    s.y[e] += kinetic(p, s, t, s.y) - before
    copy(s.y, w.y0)
    return DONE


def made_for(run: Any) -> tuple[Any, Any]:
    """The kernel and what it needs, for a run; (None, None) where nothing has to be made consistent, or Python does that."""
    d, space, kinds = run.dynamics, run.space, run.stops[:-1, 2]
    holds = run.scheme.holds and (kinds.size or run.c.jumpy or run.c.events)
    if (run.c.fixed and not run.c.events) or not ((kinds == RATES).any() or holds):
        return None, None
    if not space:
        return settle, Settling.of(d, run.joint_gap, run.scheme.project)
    least = isinstance(getattr(run.formulation, "stabilization", None), DirectCorrection) or not space.loops.tile.size
    if space.tree.lines.size or not least:
        return None, None
    return settle_tree, TreeSettling(d.system.program("energy"), np.zeros(run.n_q + run.n_v + 2), run.joint_gap)
