"""Joint coordinates as an ordinary differential equation: accelerations by recursion over a tree, loops closed by multipliers.

    y = (coordinates, rates, dissipated energy, work)
"""
import numpy as np

from ..families.constraints import CODE, CODE_T, CODE_TT, function
from ..families.elastic import deform
from ..kernels.articulated import accelerate, begin_inward, inward, respond, transmit
from ..kernels.by_reference import reference
from ..kernels.closed_loops import clear_jacobian, constraint_forces, gather, mobility, multipliers
from ..kernels.contract import Batch, Out, State
from ..kernels.evaluation import retract
from ..kernels.evaluation import run as evaluate
from ..kernels.jit import jit
from ..kernels.link_tables import A_, AC, IU, IV, LQ, LS, NM, NU, P_, PQ
from ..kernels.ode import call_status, kinematics, powers
from ..kernels.pairs import ROW
from ..kernels.projection import BACK, FORTH, RENEWED, projection
from ..kernels.recursion import outward
from ..kernels.so3 import mat2, mul, store2, vec
from ..kernels.states import copy, copy_part, larger, normalise
from ..kernels.status import DONE, NOT_FINITE, SINGULAR

REFINED = 1       # passes on the multipliers


@jit
def prescribe(tr, d, x, t):
    """Driven coordinates, with their rates and accelerations."""
    s = reference(State(t, x.q, x.v, x.a, x.lam, x.H, x.Y, x.X, x.J, x.L, x.T))
    o = reference(Out(0.0, 0.0, 0.0, x.R, x.V, x.D, x.E, x.W))
    b = reference(Batch(0, 0, d.ip, d.rp, d.fr, d.tab, d.val))
    for j in range(tr.driven.shape[0]):
        k, at, e = tr.driven[j, 0], tr.driven[j, 1], tr.driven[j, 2]
        tr.q[at] = tr.scale[k, 0] * (function(s, b, o, e, d.ip[e, CODE]) - tr.scale[k, 1])
        tr.u[k] = tr.scale[k, 0] * function(s, b, o, e, d.ip[e, CODE_T])
        tr.du[k] = tr.scale[k, 0] * function(s, b, o, e, d.ip[e, CODE_TT])


@jit
def load_rates(p, t, y):
    """Coordinates and rates from a state; driven ones from their functions."""
    tr = p.joints.tree
    copy_part(y, 0, tr.q, 0, tr.q.size)
    copy_part(y, tr.q.size, tr.u, 0, tr.u.size)
    if tr.driven.shape[0] > 0:
        prescribe(tr, p.d, p.x, t)


@jit
def count_turns(p):
    """Angles of the tree in the history: they are coordinates, however many turns a step makes."""
    tr = p.joints.tree
    for j in range(tr.history.shape[0]):
        k = tr.history[j, 1]
        p.x.H[tr.history[j, 0]] = tr.scale[k, 0] * tr.q[tr.history[j, 2]] + tr.scale[k, 1]


@jit
def unfold(p, t, y):
    """Positions and velocities of the tree and of all bodies from a state; what flexible ones are by their modes."""
    load_rates(p, t, y)
    if p.joints.tree.flexible.shape[0] > 0:
        deform(p.joints.tree, p.d, p.x, t)
    outward(p.joints.tree, p.x)
    count_turns(p)
    return DONE


@jit
def store_tree(p, y):
    """A state from the tree."""
    tr = p.joints.tree
    copy(tr.q, y)
    copy_part(tr.u, 0, y, tr.q.size, tr.u.size)


@jit
def free_accelerations(p, t):
    """Of the tree, as if no loop were closed; the articulated inertia is known then. DONE, SINGULAR or NOT_FINITE."""
    x, tr = p.x, p.joints.tree
    x.a[:] = 0
    x.lam[:] = 0
    evaluate(p.joints.forces, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(tr.lines.shape[0]):  # what forces do along lines, until their accelerations are known
        tr.du[tr.lines[k, 0]] = x.R[tr.lines[k, 2]]
    for k in range(tr.states.shape[0]):
        tr.du[tr.states[k, 0]] = -tr.nominal[k] * x.R[tr.states[k, 1]]
    begin_inward(tr, x.R)
    p.num.bad = inward(tr) + 1
    if p.num.bad > 0:
        return SINGULAR
    accelerate(tr, x)
    return DONE if np.isfinite(tr.du.sum()) else NOT_FINITE


@jit
def jacobian(p, t):
    """Tiles of the equations of cut joints in x.D, the equations themselves in x.R."""
    clear_jacobian(p.joints.loops, p.x.D)
    evaluate(p.joints.closing, p.d, p.x, t, 1.0, 0.0, 0.0)


@jit
def rates_of_loops(p, t):
    """First and second time derivatives of the equations of cut joints in x.V and x.R."""
    p.x.V[:] = 0
    evaluate(p.joints.closing_rates, p.d, p.x, t, 0.0, 0.0, 0.0)


@jit
def close_accelerations(p, t):
    """Multipliers of the cut joints, and what they do to the accelerations; those of what slides with them.    [loops-3]"""
    x, tr, lp, rate, gap = p.x, p.joints.tree, p.joints.loops, p.par.rate, p.par.gap
    jacobian(p, t)
    p.num.factorisations += 1
    if not mobility(tr, lp, x.D, False):
        return SINGULAR
    gather(lp, x.R)
    for k in range(lp.b.size):
        lp.r[k] = gap * lp.b[k]
    rates_of_loops(p, t)
    gather(lp, x.V)
    for k in range(lp.b.size):
        lp.r[k] += rate * lp.b[k]
    gather(lp, x.R)
    for k in range(lp.b.size):
        lp.b[k] += lp.r[k]
    for k in range(lp.lines.shape[0]):
        lp.b[6 * lp.lines[k, 0]] = tr.du[lp.lines[k, 1]]
    multipliers(lp, REFINED)
    for c in range(lp.tile.size):
        for r in range(6):
            if not abs(lp.y[6 * c + r]) < np.inf:
                return NOT_FINITE
            if lp.active[6 * c + r] == 1:
                x.lam[6 * lp.tile[c] + r] = lp.y[6 * c + r]
    for k in range(lp.lines.shape[0]):
        y = lp.y[6 * lp.lines[k, 0]]
        tr.du[lp.lines[k, 1]], x.a[lp.lines[k, 3]] = y, y
    constraint_forces(tr, lp, x.D)
    for i in range(tr.ip.shape[0]):  # forces of multipliers count among those on the bodies
        for j in range(6):
            tr.w[i, LS + j] += tr.w[i, P_ + j]
        first = tr.ip[i, IU] + tr.ip[i, NU]
        for k in range(first, first + tr.ip[i, NM]):
            tr.s[k, LQ] += tr.s[k, PQ]
    respond(tr, tr.du, x)
    return DONE


@jit
def drive_efforts(p):
    """Multipliers of the drives of the tree, from the bodies' accelerations in x.a: lam = -effort along the coordinate."""
    tr, x = p.joints.tree, p.x
    for i in range(tr.ip.shape[0]):
        iv = tr.ip[i, IV]
        store2(vec(x.a, iv), tr.w, i, AC)
        store2(mul(mat2(tr.w, i, A_), vec(x.a, iv + 3)), tr.w, i, AC + 3)
    transmit(tr, p.joints.effort)
    for j in range(tr.driven.shape[0]):
        k = tr.driven[j, 0]
        x.lam[p.d.ip[tr.driven[j, 2], ROW]] = -tr.scale[k, 0] * (p.joints.effort[k] + tr.rotors[k] * tr.du[k])


@jit
def rhs(p, t, y, dy):
    """Rates of a state."""
    tr = p.joints.tree
    unfold(p, t, y)
    p.num.evaluations += 1
    status = free_accelerations(p, t)
    if status == DONE and p.joints.loops.tile.size > 0:
        status = close_accelerations(p, t)
    if status != DONE:
        return status
    kinematics(p.maps, tr.q, tr.u, dy)
    copy_part(tr.du, 0, dy, tr.q.size, tr.u.size)
    if p.num.powered == 1 and tr.driven.shape[0] > 0:
        drive_efforts(p)
    powers(p, t, dy, tr.q.size + tr.u.size)
    return DONE


@jit
def measure(p, t):
    """Violations of the state of the tree, unscaled, in par."""
    if p.joints.loops.tile.size > 0:
        evaluate(p.joints.gaps, p.d, p.x, t, 0.0, 0.0, 0.0)
        p.par.position_gap = max(p.par.position_gap, gather(p.joints.loops, p.x.R))
        rates_of_loops(p, t)
        p.par.velocity_gap = max(p.par.velocity_gap, gather(p.joints.loops, p.x.V))


@jit
def renewed(p, t, y):
    """The state of the tree, its quaternions of length one; bodies follow if loops are to be looked at."""
    load_rates(p, t, y)
    normalise(p.maps, p.joints.tree.q)
    store_tree(p, y)
    if p.joints.loops.tile.size > 0:
        unfold(p, t, y)


@jit
def leave(p, t, y):
    """No correction."""
    renewed(p, t, y)
    count_turns(p)
    measure(p, t)
    return DONE


@jit
def weighted(p, R):
    """b = the equations among R; the largest of them in sizes of the model."""
    lp, worst = p.joints.loops, 0.0
    gather(lp, R)
    for c in range(lp.tile.size):
        for r in range(6):
            worst = larger(worst, abs(lp.b[6 * c + r]) * p.unit[6 * lp.tile[c] + r])
    return worst


@jit
def linearise(p, t):
    """Articulated inertia, equations of cut joints in x.R, their mobility. DONE or SINGULAR."""
    p.x.R[:] = 0
    begin_inward(p.joints.tree, p.x.R)
    p.num.bad = inward(p.joints.tree) + 1
    if p.num.bad > 0:
        return SINGULAR
    jacobian(p, t)
    p.num.factorisations += 1
    return DONE if mobility(p.joints.tree, p.joints.loops, p.x.D, p.par.direct == 1) else SINGULAR


@jit
def look(p, t, anew):
    """Equations of cut joints."""
    evaluate(p.joints.gaps, p.d, p.x, t, 0.0, 0.0, 0.0)
    return DONE


@jit
def move(p, values):
    """The change of coordinates or rates that takes ``values`` of these away."""
    call_status(p.joints.move, (p, values, p.joints.change))


@jit
def change_state(p, t, y, how):
    """Coordinates or rates of the tree, in y too, and the bodies with them."""
    tr = p.joints.tree
    n_q = tr.q.size
    if how == FORTH:
        retract(tr, y, p.joints.change, 1.0, tr.q)
        copy_part(y, 0, p.q, 0, n_q)
        copy(tr.q, y)
    elif how == BACK:
        copy_part(p.q, 0, y, 0, n_q)
    else:
        for k in range(tr.u.size):
            y[n_q + k] += p.joints.change[k]
    unfold(p, t, y)


@jit
def suffices(p, before, size):
    """Factors are as wrong as what they left of the last violation tells."""
    return 2 * size * size <= p.par.tolerance * before


close_positions, close_rates, _ = projection("joint", look=look, prepare=linearise, move=move, gap=weighted, suffices=suffices,
                                             change_state=change_state, look_at_rates=rates_of_loops, PASSES=5)


@jit
def correct(p, t, y):
    """Coordinates, then rates, by Newton's method to the tolerance, with the smallest change in the metric of the masses:
    J dq = -C,  J du = -(J u + C_t)                                                                   [loops-2]"""
    renewed(p, t, y)
    if p.joints.loops.tile.size > 0:
        known = p.num.iterations
        status = close_positions(p, t, y, RENEWED, p.par.tolerance)
        if status != DONE:
            return status
        p.par.position_gap = max(p.par.position_gap, gather(p.joints.loops, p.x.R))
        status = close_rates(p, t, y, p.num.iterations == known, p.par.tolerance)
        if status != DONE:
            return status
        p.par.velocity_gap = max(p.par.velocity_gap, gather(p.joints.loops, p.x.V))
    store_tree(p, y)
    count_turns(p)
    return DONE


@jit
def change(p, R, out):
    """out: the smallest change of coordinates or rates that takes away the equations among R."""
    lp = p.joints.loops
    gather(lp, R)
    multipliers(lp, REFINED)
    constraint_forces(p.joints.tree, lp, p.x.D)
    out[:] = 0
    for k in range(lp.lines.shape[0]):
        out[lp.lines[k, 1]] = lp.y[6 * lp.lines[k, 0]]
    respond(p.joints.tree, out, p.x)
    return DONE
