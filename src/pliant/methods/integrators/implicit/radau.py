"""Radau IIA with three stages: the kernel of one step. docs/theory/radau_bdf.md

    sum_j (A^-1)_ij z_j = h z'_i,   sum_j (A^-1)_ij (v_j - v0) = h v'_i,   [ggl-1] at t0 + c_i h,   q1 = q0 exp(z_3), v1 = v_3     [radau-1]

A^-1 = X diag(g, b, conj b) X^-1: one real and one complex system [ggl-2] with sigma = g / h and b / h.     Hairer, Wanner II, IV.8
"""
import numpy as np

from ....kernels.evaluation import retract
from ....kernels.jit import jit
from ....kernels.ode import call_status
from ....kernels.status import DONE, NEWTON_FAILED, NOT_FINITE
from ..loop.chosen_steps import over_allowed
from ..loop.control import AMPLIFIED, BETWEEN, TINY
from .anderson import X, gather, mix, scaled
from .method import ImplicitMethod
from .newton import allowed, simplified
from .stages import (
    ERROR,
    ITERATE,
    MATRICES,
    RIGHT,
    WORK,
    G,
    L,
    N,
    P,
    V,
    W,
    Y,
    Z,
    add_node,
    clear,
    largest,
    note_speed,
    rate,
    to_error,
)
from .tables import NODES

# rows of S: what velocities and multipliers are extrapolated by; the error, and that of energies; velocities and multipliers at the
# start; energies at the stages
V_AHEAD, L_AHEAD, Z_ERROR, V_ERROR, E_ERROR, START, ENERGIES = P, P + 3, P + 5, P + 6, P + 7, P + 8, P + 9
KAPPA = 0.03      # what Newton's method may leave, of the error allowed
GOOD = 1e-3       # rate of convergence that lets matrices be kept
EXPECTED = 20.0   # the error of order 5 over e, in units of e / h^2 u''
PASSABLE = 1e-7   # increments that may be left next to a singular position, with fixed steps
AWAY = 20.0       # the same for a step away from one, over what is usual next to one
SWEEPS = 3
FORCE = 100.0     # unit of multipliers in `anderson`, in the largest one


@jit
def remember(p, w, c, o, n_q, n_v):
    """After an accepted step: what the next one is extrapolated from; the velocities and multipliers at its start."""
    n, S, lam, table = o.n, o.S, o.lam, o.radau
    if n.last_t0 == c.t0:
        return
    n.past = min(n.past + 1, 2)
    if n.past == 2:
        note_speed(p, w, c)
        for k in range(n_v):
            x, y, z = S[V, k] - S[V + 2, k], S[V + 1, k] - S[V + 2, k], S[START, k] - S[V + 2, k]
            for l in range(3):
                S[V_AHEAD + l, k] = table.ahead_v[l, 0] * x + table.ahead_v[l, 1] * y + table.ahead_v[l, 2] * z
        guide = 0.0 if n.mixed > 0 else 1.0  # multipliers of stages next to a singular position are none
        for k in range(n_v, lam.size):
            x, y = guide * (S[L, k] - S[L + 2, k]), guide * (S[L + 1, k] - S[L + 2, k])
            for l in range(2):
                S[L_AHEAD + l, k] = table.ahead_l[l, 0] * x + table.ahead_l[l, 1] * y
        n.last_h = c.t0 - n.last_t0
        n.usual_h = max(n.last_h, 0.98 * n.usual_h)
    n.mixed, n.tries = 0, 0
    for k in range(lam.size):
        S[START, k] = w.y0[n_q + k] if k < n_v else lam[k]
    n.last_t0, n.tiles = c.t0, 1 if n.tiles > 0 and n.theta < GOOD else 0


@jit
def predict(d, w, c, o, n_q, n_v):
    """Velocities and multipliers by the polynomials of the last step, positions by the formula of the method."""
    S, table, h = o.S, o.radau, c.h
    known = o.n.past == 2
    for i in range(3):
        x = table.c[i] * h / o.n.last_h if known else 0.0
        for k in range(n_v):
            S[Z + i, k], S[N + i, k] = 0.0, 0.0
            S[V + i, k] = w.y0[n_q + k] + (x * (S[V_AHEAD, k] + x * (S[V_AHEAD + 1, k] + x * S[V_AHEAD + 2, k])) if known
                                           else table.c[i] * h * w.f0[n_q + k])
        for k in range(n_v, S.shape[1]):
            S[L + i, k] = S[START, k] + x * (S[L_AHEAD, k] + x * S[L_AHEAD + 1, k])
    for _ in range(SWEEPS):
        for i in range(3):
            rate(d, S, n_v, i)
            for k in range(n_v):
                S[W + i, k] = S[Y, k]
        for i in range(3):
            for k in range(n_v):
                S[Z + i, k] = h * (table.A[i, 0] * S[W, k] + table.A[i, 1] * S[W + 1, k] + table.A[i, 2] * S[W + 2, k])


@jit
def mixed(p, w, c, o):
    """The same by `anderson`, from the predicted values."""
    force, n_v, enough = 0.0, p.num.state_v, allowed(c, o, KAPPA)
    for k in range(n_v, o.S.shape[1]):
        force = max(force, abs(o.S[START, k]))
    scaled(w, c, o, p.num.state_q, n_v, FORCE * force if force > 0 else 1.0)
    o.n.task, o.n.theta = ITERATE, 1.0
    for _ in range(o.n.most_iterations):
        gather(o.mix, o.S, X)
        call_status(w.call.solver, (p, w, c, o))
        if not o.n.size < np.inf:
            return NOT_FINITE
        mix(o.mix, o.S, o.n)
        if o.n.size <= enough:
            return DONE
    noise = AMPLIFIED * o.n.rounding * (1.0 if o.n.tries == 0 else AWAY)
    passable = PASSABLE if c.fixed == 1 else max(0.3 * c.eps * c.h, noise)
    return DONE if o.n.size <= passable else NEWTON_FAILED


@jit
def energies(p, w, c, o):
    """Dissipated energy and work: at the stages by the formula of the method, and what their slope lacks at the start."""
    S, h, n_q, n_v, table = o.S, c.h, p.num.state_q, p.num.state_v, o.radau
    for e in range(2):
        w.y1[n_q + n_v + e] = w.y0[n_q + n_v + e]
    if p.num.powered == 0:
        return
    o.n.task = WORK
    call_status(w.call.solver, (p, w, c, o))
    for e in range(2):
        k = n_q + n_v + e
        S[E_ERROR, e] = h * w.f0[k]
        for i in range(3):
            total = 0.0
            for j in range(3):
                total += h * table.A[i, j] * S[RIGHT, 3 * e + j]
            S[ENERGIES, 3 * e + i] = total
            S[E_ERROR, e] -= table.basis[0, i] * total
        w.y1[k] += S[ENERGIES, 3 * e + 2]


@jit
def errors(p, w, c, o):
    """(sigma - J)^-1 (F(t0, y0) - u'(0)), u the polynomial of collocation: the error e of a formula of order 3, h^4 times a fourth
    derivative. That of the method is of order 5: it is expected to be smaller by (h / tau)^2, which e over h^2 u'' tells    [radau-2]"""
    S, n_v, n_q, h, table = o.S, p.num.state_v, p.num.state_q, c.h, o.radau
    for k in range(S.shape[1]):
        S[RIGHT, k], S[G, k] = 0.0, 0.0
    for k in range(n_v):
        v0 = w.y0[n_q + k]
        S[RIGHT, k], S[G, k] = v0, w.f0[n_q + k]
        S[W, k], S[W + 1, k] = 0.0, 0.0
        for i in range(3):
            bend = 2 * table.basis[1, i] + 3 * table.basis[2, i]  # second derivative at s = 1/2
            S[RIGHT, k] -= table.basis[0, i] * S[Z + i, k] / h
            S[G, k] -= table.basis[0, i] * (S[V + i, k] - v0) / h
            S[W, k] += bend * S[Z + i, k]
            S[W + 1, k] += bend * (S[V + i, k] - v0)
    o.n.task = ERROR
    call_status(w.call.solver, (p, w, c, o))
    for k in range(n_v):
        S[Z_ERROR, k], S[V_ERROR, k] = table.real * S[RIGHT, k], table.real * S[RIGHT + 1, k]
    size, bent = largest(w, c, o, n_q, n_v, RIGHT, RIGHT + 1), largest(w, c, o, n_q, n_v, W, W + 1)
    factor = min(1.0, EXPECTED * size / bent) if bent > 0 else 1.0
    if o.n.tries > 0:  # the noise of a start at a singular position is no error of the step
        factor /= AWAY
    to_error(p.maps, w, S, n_q, n_v, RIGHT, RIGHT + 1, factor)


@jit
def basis(table, s, i):
    """The polynomial through zero at the start that is one at stage i and zero at the others."""
    return s * (table.basis[0, i] + s * (table.basis[1, i] + s * table.basis[2, i]))


@jit
def polynomial(d, w, o, n_q, n_v, powered):
    """Values at the nodes: u, with the slope at the start set right as far as the motion is not stiff       [radau-3]"""
    S, table = o.S, o.radau
    clear(w.P)
    for m in range(1, NODES + 1):
        s = m / NODES
        bubble = s * (table.bubble[0] + s * (table.bubble[1] + s * (table.bubble[2] + s * table.bubble[3])))
        x, y, z = basis(table, s, 0), basis(table, s, 1), basis(table, s, 2)
        for k in range(n_v):
            v0 = w.y0[n_q + k]
            S[G, k] = x * S[Z, k] + y * S[Z + 1, k] + z * S[Z + 2, k] + bubble * S[Z_ERROR, k]
            S[Y, k] = v0 + x * (S[V, k] - v0) + y * (S[V + 1, k] - v0) + z * (S[V + 2, k] - v0) + bubble * S[V_ERROR, k]
        for e in range(2):
            k = n_q + n_v + e
            w.z[k] = w.y0[k]
            if powered:
                w.z[k] += x * S[ENERGIES, 3 * e] + y * S[ENERGIES, 3 * e + 1] + z * S[ENERGIES, 3 * e + 2] + bubble * S[E_ERROR, e]
        add_node(d, w, o, n_q, n_v, m)


@jit
def step(p, w, c, o):
    """A step, or the polynomial of the last one. Kept matrices that do not converge are made anew; if those do not either, the increments
    are mixed."""
    S, n_v, n_q = o.S, p.num.state_v, p.num.state_q
    if c.asked == BETWEEN:
        polynomial(p.maps, w, o, n_q, n_v, p.num.powered == 1)
        return DONE
    remember(p, w, c, o, n_q, n_v)
    status, plain, fresh = NEWTON_FAILED, True, 1
    for _ in range(4):
        predict(p.maps, w, c, o, n_q, n_v)
        o.n.task = MATRICES
        status = call_status(w.call.solver, (p, w, c, o))
        if status != DONE:
            return status
        status = simplified(p, w, c, o, ITERATE, KAPPA, 0, np.inf, np.inf) if plain else mixed(p, w, c, o)
        if status == DONE or fresh == 2:
            break
        if o.n.tiles == 1:
            o.n.tiles = 0
        elif plain:
            plain = False
        else:  # the second stage may be at a singular position, of all places
            fresh, o.n.tiles = 2, -1
    tiny = c.fixed == 0 and c.h < TINY * o.n.usual_h and o.n.tries < 5
    if status == DONE:
        errors(p, w, c, o)
    if tiny and (status != DONE or over_allowed(p, w, c, w.error, c.speed) > 1):
        o.n.tries += 1  # the start is at a singular position: away from it by a step of usual length
        c.wish = (0.6 - 0.1 * o.n.tries) * o.n.usual_h / c.h
        return NEWTON_FAILED
    if status != DONE:
        return status
    energies(p, w, c, o)
    for k in range(n_v):
        w.y1[n_q + k] = S[V + 2, k]
    retract(p.maps, w.y0, S[Z + 2], 1.0, w.y1)
    return DONE


class RadauIIA5Method(ImplicitMethod):
    """[radau-1]"""
    step = step
