"""Energy-momentum method: the jitted step and loop. docs/theory/conserving.md

    r_1 = r_0 + h v_m,  R_1 = R_0 cay(h w_m),  v_m = (v_0 + v_1) / 2,  a_m = (v_1 - v_0) / h           [conserving-1]
    S (I a_m + w_m x I w_m) + moments, m a_m + forces at the middle + sigma M Delta = 0,   C(q_1, t_1) = 0

Delta = h (v_m, w_m) is the unknown; sigma makes the balance of energy exact.
"""
from typing import Any, NamedTuple

import numpy as np

from ....kernels.block_lu import factorise, solve
from ....kernels.contract import DISSIPATION, ELASTIC, POWER, call_python
from ....kernels.evaluation import Program
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import jit
from ....kernels.records import record_type
from ....kernels.so3 import accumulate, add, cross, dot, dyad, mat_add, mul, rotation, scale, skew, store, store2, sub, tmul, vec
from ....kernels.states import copy, flushed, normalise, rms
from ....kernels.status import DONE, NEWTON_FAILED, NOT_FINITE, SINGULAR
from ..loop.control import AMPLIFIED

SLOW = 0.1          # rate of the iteration above which factors are renewed
SURE = 0.05         # at least this rate is counted with: what is left of the equations is energy lost
LOST, MORE_PASSES = 1e-14, 3  # of the work of a step: energy that may be lost; passes that are made to find it
FAINT = 0.01        # of the regularisation, in the equations themselves: multipliers of redundant ones fade, and joints stay closed
MEMORY = record_type({
    "tolerance": "an iteration ends when what is still to come is below this times the accelerations",
    "floor": "or times this",
    "rounding": "but not below this",
    "last_t0": "start of the last step",
}, {
    "most_iterations": "of Newton's method",
    "stiff": "whether anything is elastic",
    "free": "whether no force comes from outside",
    "made": "whether a step was made",
})


class Middle(NamedTuple):
    """What the method remembers between steps (a0, a1, lam0, lam1, elastic), and its work arrays."""
    n: Any               # a record of MEMORY
    inertia: Program     # rigid bodies alone
    energy: Program
    q1: np.ndarray
    a0: np.ndarray       # acceleration at the start of the step, and one step before
    a1: np.ndarray
    lam0: np.ndarray
    lam1: np.ndarray
    move: np.ndarray     # Delta
    gap: np.ndarray      # C(q_1, t_1)
    inert: np.ndarray    # the part of R that is inertia and gravity
    along: np.ndarray    # M Delta, without its rigid part if the model is free
    weight: np.ndarray
    soft: np.ndarray
    mass: np.ndarray     # 6x6 per body
    links: np.ndarray    # tiles of constraint rows
    kept: np.ndarray     # their values at q_1
    elastic: np.ndarray  # energy at the start of the step, at its end


@jit
def compose(q, i, s, u, out):
    """out[i:i+4] = q[i:i+4] * (s, u), made of length one."""
    w, a, f = q[i], vec(q, i + 1), 1 / np.sqrt(s * s + dot(u, u))
    out[i] = f * (s * w - dot(a, u))
    store(scale(f, add(cross(a, u), add(scale(w, u), scale(s, a)))), out, i + 1)


@jit
def place(d, q0, o, end, q):
    """q at the end of the step, q_0 cay(Delta), or in its middle, half of that rotation                [conserving-2]"""
    for k in range(d.linear.shape[0]):
        q[d.linear[k, 1]] = q0[d.linear[k, 1]] + (1.0 if end else 0.5) * o.move[d.linear[k, 0]]
    for k in range(d.rotations.shape[0]):
        u = scale(0.5, vec(o.move, d.rotations[k, 0]))
        compose(q0, d.rotations[k, 1], 1.0 if end else 1 + np.sqrt(1 + dot(u, u)), u, q)


@jit
def stretch(d, x, o):
    """R += (S - 1) of the inertia torques: (S - 1) y = u x (u x y) / (s (s + 1)), u = Delta / 2, s^2 = 1 + u.u   [conserving-3]"""
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 0]
        u = scale(0.5, vec(o.move, i))
        s = np.sqrt(1 + dot(u, u))
        accumulate(1 / (s * (s + 1)), cross(u, cross(u, vec(o.inert, i))), x.R, i)


@jit
def weigh(o, y, out, n_v):
    """out = M y"""
    for k in range(n_v // 6):
        for i in range(6):
            out[6 * k + i] = 0
            for j in range(6):
                out[6 * k + i] += o.mass[k, i, j] * y[6 * k + j]


@jit
def solve3(A, b):
    """x with A x = b, by Cramer's rule."""
    c0, c1, c2 = (A[0], A[3], A[6]), (A[1], A[4], A[7]), (A[2], A[5], A[8])
    det = dot(c0, cross(c1, c2))
    if det == 0:
        return 0 * b[0], 0 * b[1], 0 * b[2]
    return dot(b, cross(c1, c2)) / det, dot(c0, cross(b, c2)) / det, dot(c0, cross(c1, b)) / det


@jit
def centre(d, x, o):
    """Mass, centre of mass and inertia about it of the whole, locked in the middle of the step. (Body k has the tile k.)"""
    m, c = 0.0, (0.0, 0.0, 0.0)
    for k in range(d.rotations.shape[0]):
        m += o.mass[k, 0, 0]
        c = add(c, scale(o.mass[k, 0, 0], vec(x.q, d.rotations[k, 1] - 3)))
    c = scale(1 / m, c)
    I = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(d.rotations.shape[0]):
        iq = d.rotations[k, 1]
        r, R = sub(vec(x.q, iq - 3), c), rotation(x.q, iq)
        I = mat_add(I, o.mass[k, 0, 0], dyad(scale(-1.0, r), r, dot(r, r)))
        for i in range(3):
            a = R[i], R[3 + i], R[6 + i]
            for j in range(3):
                I = mat_add(I, o.mass[k, 3 + i, 3 + j], dyad(a, (R[j], R[3 + j], R[6 + j]), 0.0))
    return m, c, I


@jit
def resultant(d, x, y, sign, inert, c):
    """Sum of forces, and of moments about c, of y - sign inert."""
    f, t = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(d.rotations.shape[0]):
        i, iq = d.rotations[k, 0] - 3, d.rotations[k, 1]
        force, moment = sub(vec(y, i), scale(sign, vec(inert, i))), sub(vec(y, i + 3), scale(sign, vec(inert, i + 3)))
        f = add(f, force)
        t = add(t, add(cross(sub(vec(x.q, iq - 3), c), force), mul(rotation(x.q, iq), moment)))
    return f, t


@jit
def add_rigid(d, x, o, u, turn, at, y):
    """y += M times the rigid motion with velocity u of c and angular velocity turn"""
    for k in range(d.rotations.shape[0]):
        i, iq = d.rotations[k, 0] - 3, d.rotations[k, 1]
        accumulate(o.mass[k, 0, 0], add(u, cross(turn, sub(vec(x.q, iq - 3), at))), y, i)
        z = tmul(rotation(x.q, iq), turn)
        for j in range(3):
            y[i + 3 + j] += o.mass[k, 3 + j, 3] * z[0] + o.mass[k, 3 + j, 4] * z[1] + o.mass[k, 3 + j, 5] * z[2]


@jit
def free_momentum(d, x, o):
    """Inner forces of a free model sum to nothing, nor does sigma M Delta add to momenta                  [conserving-5]"""
    m, c, I = centre(d, x, o)
    f, t = resultant(d, x, x.R, 1.0, o.inert, c)
    add_rigid(d, x, o, scale(-1 / m, f), scale(-1.0, solve3(I, t)), c, x.R)
    f, t = resultant(d, x, o.along, 0.0, o.inert, c)
    add_rigid(d, x, o, scale(-1 / m, f), scale(-1.0, solve3(I, t)), c, o.along)


@jit
def balance(x, o, h, n_v):
    """R += sigma M Delta, sigma = (V_1 - V_0 + h (dissipation - power) - Delta . (R - inertia)) / Delta . M Delta    [conserving-4]"""
    left, size = o.elastic[1] - o.elastic[0] + h * (x.E[DISSIPATION] - x.E[POWER]), 0.0
    for k in range(n_v):
        left -= o.move[k] * (x.R[k] - o.inert[k])
        size += o.move[k] * o.along[k]
    if size > 1e-200:
        for k in range(n_v):
            x.R[k] += left / size * o.along[k]


@jit
def linearise(p, w, c, o):
    """Factors of the iteration matrix: rows of motion in the middle, constraints at the end of the step. R is that of the middle."""
    d, x, h = p.d, p.x, c.h
    copy(o.q1, x.q)
    x.D[:] = 0
    evaluate(p.tangent, d, x, c.t1, 1.0, h / 2, h * h / 4)
    for k in range(o.links.size):
        for i in range(6):
            for j in range(6):
                o.kept[k, i, j] = x.D[o.links[k], i, j]
    for k in range(d.rotations.shape[0]):  # from a right increment of q_1 to one of Delta
        i = d.rotations[k, 0]
        u = scale(0.5, vec(o.move, i))
        store2(mat_add(dyad(u, u, 1.0), 1.0, skew(u)), x.T, i // 6, 0)
    place(d, w.y0, o, False, x.q)
    x.D[:] = 0
    evaluate(p.tangent, d, x, c.t1 - h / 2, 1.0, h / 2, h * h / 4)
    for k in range(o.links.size):
        for i in range(6):
            for j in range(6):
                x.D[o.links[k], i, j] = o.kept[k, i, j]
    p.num.factorisations += 1
    if p.num.fallback != 0:
        return call_python(p.num.fallback, 0.0, 0.0, 0.0) != 0.0
    return factorise(x.D, p.lu, p.pivots)


@jit
def equations(p, w, c, o, renew):
    """R of the step for Delta, scaled by h^2 / 2; new factors if asked for. False when those are singular."""
    d, x, h, n_q, n_v = p.d, p.x, c.h, p.x.q.size, p.num.n_v
    for k in range(n_v):
        x.v[k] = o.move[k] / h
        x.a[k] = 2 * (x.v[k] - w.y0[n_q + k]) / h
    place(d, w.y0, o, True, o.q1)
    copy(o.q1, x.q)
    evaluate(p.residual, d, x, c.t1, 0.0, 0.0, 0.0)
    copy(x.R, o.gap)
    if o.n.stiff != 0:
        x.E[:] = 0
        evaluate(o.energy, d, x, c.t1, 0.0, 0.0, 0.0)
        o.elastic[1] = x.E[ELASTIC]
    if renew and not linearise(p, w, c, o):
        return False
    place(d, w.y0, o, False, x.q)
    t = c.t1 - h / 2
    x.E[:] = 0
    if p.num.powered == 1:
        evaluate(p.power, d, x, t, 0.0, 0.0, 0.0)
    evaluate(o.inertia, d, x, t, 0.0, 0.0, 0.0)
    copy(x.R, o.inert)
    evaluate(p.residual, d, x, t, 0.0, 0.0, 0.0)
    weigh(o, o.move, o.along, n_v)
    if o.n.free != 0:
        free_momentum(d, x, o)
    balance(x, o, h, n_v)
    stretch(d, x, o)
    for k in range(n_v):
        x.R[k] *= h * h / 2
    for k in range(n_v, x.R.size):
        x.R[k] = o.gap[k] - FAINT * o.soft[k] * x.lam[k] * (h * h / 2)
    return True


@jit
def remember(p, w, c, o):
    """After an accepted step: its end is the start of the next one."""
    n_q, n_v, lam = p.x.q.size, p.num.n_v, p.x.lam
    if o.n.last_t0 == c.t0:
        return
    for k in range(n_v):
        o.a1[k] = o.a0[k] if o.n.made == 1 else w.f0[n_q + k]
        o.a0[k] = w.f0[n_q + k]
    for k in range(n_v, lam.size):
        o.lam1[k] = o.lam0[k] if o.n.made == 1 else lam[k]
        o.lam0[k] = lam[k]
    o.elastic[0] = o.elastic[1]
    o.n.last_t0, o.n.made = c.t0, 1


@jit
def predict(p, w, c, o):
    """Start values: accelerations and multipliers extrapolated linearly."""
    n_q, n_v, h = p.x.q.size, p.num.n_v, c.h
    for k in range(n_v):
        o.move[k] = h * (w.y0[n_q + k] + h / 2 * (2 * o.a0[k] - o.a1[k]))
    for k in range(n_v, p.x.lam.size):
        p.x.lam[k] = o.lam0[k] + (o.lam0[k] - o.lam1[k])


@jit
def accept(p, w, c, o):
    """The state at the end of the step; energies by the middle, where x is."""
    x, n_q, n_v, h = p.x, p.x.q.size, p.num.n_v, c.h
    w.y1[n_q + n_v] = w.y0[n_q + n_v] + h * x.E[DISSIPATION]
    w.y1[n_q + n_v + 1] = w.y0[n_q + n_v + 1] + h * x.E[POWER]
    copy(o.q1, x.q)
    normalise(p.d, x.q)
    for k in range(n_q):
        w.y1[k] = x.q[k]
    for k in range(n_v):
        x.v[k], x.a[k] = flushed(2 * x.v[k] - w.y0[n_q + k]), flushed(x.a[k])
        w.y1[n_q + k], w.f1[n_q + k] = x.v[k], x.a[k]
    for k in range(n_v, x.lam.size):
        x.lam[k] = flushed(x.lam[k])
    c.known = 1


@jit
def lost(x, o, h, n_v):
    """Energy that the step would lose over the work of inertia and gravity: multipliers may come later than positions."""
    left, work = 0.0, 0.0
    for k in range(n_v):
        left += o.move[k] * x.R[k]
        work += abs(o.move[k] * o.inert[k])
    return abs(left) > LOST * work * (h * h / 2)


@jit
def step(p, w, c, o):
    """One step by Newton's method to rounding: what is not in the matrix (sigma, S, second derivatives of constraints) is small with h.
    Accepted after a last look at the equations, which leaves energies of the middle in x."""
    d, x, n, n_v, h = p.d, p.x, o.n, p.num.n_v, c.h
    before, renew, last, passes = 0.0, True, False, 0
    remember(p, w, c, o)
    threshold = max(n.tolerance * (rms(o.a0, o.weight, n_v) + n.floor) * h * h / 2, n.rounding)
    predict(p, w, c, o)
    for _ in range(n.most_iterations + 1):
        if not equations(p, w, c, o, renew):
            return SINGULAR
        if last:
            passes += 1
            if passes > MORE_PASSES or not lost(x, o, h, n_v):
                accept(p, w, c, o)
                return DONE
        if p.num.fallback != 0:
            call_python(p.num.fallback, 1.0, 0.0, 0.0)
        else:
            solve(x.D, p.lu, x.R)
        for k in range(d.rotations.shape[0]):  # from an increment of q_1 to one of Delta
            i = d.rotations[k, 0]
            u = scale(0.5, vec(o.move, i))
            y = vec(x.R, i)
            store(add(add(y, cross(u, y)), scale(dot(u, y), u)), x.R, i)
        for k in range(n_v):
            o.move[k] -= flushed(x.R[k])
        for k in range(n_v, x.R.size):
            x.lam[k] -= 2 / (h * h) * flushed(x.R[k])
        p.num.iterations += 1
        size = rms(x.R, o.weight, n_v)
        if not np.isfinite(size):
            return NOT_FINITE
        rate = max(SURE, size / before) if before > 0 else 1.0
        stagnant = before > 0 and rate > 0.3 and size <= AMPLIFIED * n.rounding
        last = size <= n.rounding or (rate < 1 and size * rate / (1 - rate) <= threshold) or stagnant
        renew, before = rate > SLOW and before > 0 and not last, size
    return NEWTON_FAILED
