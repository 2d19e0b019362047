"""Radau IIA with three stages: the kernel of one step. docs/theory/radau_bdf.md

    sum_j (A^-1)_ij z_j = h z'_i,   sum_j (A^-1)_ij (v_j - v0) = h v'_i,   [ggl-1] at t0 + c_i h,   q1 = q0 exp(z_3), v1 = v_3     [radau-1]

A^-1 = X diag(g, b, conj b) X^-1: one real and one complex system [ggl-2] with sigma = g / h and b / h.     Hairer, Wanner II, IV.8
"""
import numpy as np

from ....kernels.evaluation import retract
from ....kernels.jit import jit
from ....kernels.states import copy_part
from ....kernels.status import DONE, NEWTON_FAILED
from ..time_loop.chosen_steps import over_allowed
from ..time_loop.control import BETWEEN, TINY
from .iterations import AWAY, accelerated, simplified
from .method import ImplicitMethod
from .stages import ERROR, ITERATE, MATRICES, NODES, WORK, add_node, ask, largest, note_speed, rate, to_error

KAPPA = 0.03      # what Newton's method may leave, of the error allowed
GOOD = 1e-3       # rate of convergence that lets matrices be kept
EXPECTED = 20.0   # the error of order 5 over e, in units of e / h^2 u''
SWEEPS = 3
BEYOND = 20.0     # times the last step: how far its polynomials are followed


@jit
def remember(p, w, c, o):
    """After an accepted step: what the next one is extrapolated from; the velocities and multipliers at its start."""
    n, V, L, n_q, n_v = o.n, o.V, o.L, p.num.state_q, p.num.state_v
    by_v, by_lam = o.radau.ahead_v, o.radau.ahead_l
    if n.last_t0 == c.t0:
        return
    n.past = min(n.past + 1, 2)
    if n.past == 2:
        note_speed(p, w, c)
        for k in range(n_v):
            x, y, z = V[0, k] - V[2, k], V[1, k] - V[2, k], o.start[k] - V[2, k]
            for l in range(3):
                o.v_ahead[l, k] = by_v[l, 0] * x + by_v[l, 1] * y + by_v[l, 2] * z
        guide = 0.0 if n.mixed > 0 else 1.0  # multipliers of stages next to a singular position are none
        for k in range(n_v, o.lam.size):
            x, y = guide * (L[0, k] - L[2, k]), guide * (L[1, k] - L[2, k])
            for l in range(2):
                o.lam_ahead[l, k] = by_lam[l, 0] * x + by_lam[l, 1] * y
        n.last_h = c.t0 - n.last_t0
        n.usual_h = max(n.last_h, 0.98 * n.usual_h)
    n.mixed, n.tries = 0, 0
    for k in range(o.lam.size):
        o.start[k] = w.y0[n_q + k] if k < n_v else o.lam[k]
    n.last_t0, n.tiles = c.t0, 1 if n.tiles > 0 and n.theta < GOOD else 0


@jit
def predict(p, w, c, o):
    """Velocities and multipliers by the polynomials of the last step unless that was far shorter, positions by the formula of the method:
    far beyond it a polynomial is nothing but rounding, from where rotations may come to whole turns too many."""
    table, h, n_q, n_v = o.radau, c.h, p.num.state_q, p.num.state_v
    known = o.n.past == 2 and h <= BEYOND * o.n.last_h
    o.Z[:] = 0
    o.N[:] = 0
    for i in range(3):
        x = table.c[i] * h / o.n.last_h if known else 0.0
        for k in range(n_v):
            ahead = x * (o.v_ahead[0, k] + x * (o.v_ahead[1, k] + x * o.v_ahead[2, k]))
            o.V[i, k] = w.y0[n_q + k] + (ahead if known else table.c[i] * h * w.f0[n_q + k])
        for k in range(n_v, o.g.size):
            o.L[i, k] = o.start[k] + x * (o.lam_ahead[0, k] + x * o.lam_ahead[1, k])
    for _ in range(SWEEPS):
        for i in range(3):
            rate(p.maps, o, n_v, i)
            copy_part(o.y, 0, o.W[i], 0, n_v)
        for i in range(3):
            for k in range(n_v):
                o.Z[i, k] = h * (table.A[i, 0] * o.W[0, k] + table.A[i, 1] * o.W[1, k] + table.A[i, 2] * o.W[2, k])


@jit
def energies(p, w, c, o):
    """Dissipated energy and work: at the stages by the formula of the method, and what their slope lacks at the start."""
    h, first, table = c.h, p.num.state_q + p.num.state_v, o.radau
    copy_part(w.y0, first, w.y1, first, 2)
    if p.num.powered == 0:
        return
    ask(p, w, c, o, WORK)
    for e in range(2):
        o.e_error[e] = h * w.f0[first + e]
        for i in range(3):
            total = 0.0
            for j in range(3):
                total += h * table.A[i, j] * o.right[0, 3 * e + j]
            o.energies[3 * e + i] = total
            o.e_error[e] -= table.basis[0, i] * total
        w.y1[first + e] += o.energies[3 * e + 2]


@jit
def errors(p, w, c, o):
    """(sigma - J)^-1 (F(t0, y0) - u'(0)), u the polynomial of collocation: the error e of a formula of order 3, h^4 times a
    fourth derivative. That of the method is of order 5: it is expected to be smaller by (h / tau)^2, which e over h^2 u''
    tells                                                                                                     [radau-2]"""
    n_v, n_q, h, table, right = p.num.state_v, p.num.state_q, c.h, o.radau, o.right
    right[0][:] = 0
    o.g[:] = 0
    for k in range(n_v):
        v0 = w.y0[n_q + k]
        right[0, k], o.g[k], o.W[0, k], o.W[1, k] = v0, w.f0[n_q + k], 0.0, 0.0
        for i in range(3):
            bend = 2 * table.basis[1, i] + 3 * table.basis[2, i]  # second derivative at s = 1/2
            right[0, k] -= table.basis[0, i] * o.Z[i, k] / h
            o.g[k] -= table.basis[0, i] * (o.V[i, k] - v0) / h
            o.W[0, k] += bend * o.Z[i, k]
            o.W[1, k] += bend * (o.V[i, k] - v0)
    ask(p, w, c, o, ERROR)
    for k in range(n_v):
        o.z_error[k], o.v_error[k] = table.real * right[0, k], table.real * right[1, k]
    size, bent = largest(p, w, c, right[0], right[1]), largest(p, w, c, o.W[0], o.W[1])
    factor = min(1.0, EXPECTED * size / bent) if bent > 0 else 1.0
    if o.n.tries > 0:  # the noise of a start at a singular position is no error of the step
        factor /= AWAY
    to_error(p, w, right[0], right[1], factor)


@jit
def basis(table, s, i):
    """The polynomial through zero at the start that is one at stage i and zero at the others."""
    return s * (table.basis[0, i] + s * (table.basis[1, i] + s * table.basis[2, i]))


@jit
def polynomial(p, w, o):
    """Values at the nodes: u, with the slope at the start set right as far as the motion is not stiff       [radau-3]"""
    Z, V, E, table, n_q, n_v = o.Z, o.V, o.energies, o.radau, p.num.state_q, p.num.state_v
    w.P[:] = 0
    for m in range(1, NODES + 1):
        s = m / NODES
        bubble = s * (table.bubble[0] + s * (table.bubble[1] + s * (table.bubble[2] + s * table.bubble[3])))
        x, y, z = basis(table, s, 0), basis(table, s, 1), basis(table, s, 2)
        for k in range(n_v):
            v0 = w.y0[n_q + k]
            o.g[k] = x * Z[0, k] + y * Z[1, k] + z * Z[2, k] + bubble * o.z_error[k]
            o.y[k] = v0 + x * (V[0, k] - v0) + y * (V[1, k] - v0) + z * (V[2, k] - v0) + bubble * o.v_error[k]
        copy_part(w.y0, n_q + n_v, w.z, n_q + n_v, 2)
        if p.num.powered == 1:
            for e in range(2):
                w.z[n_q + n_v + e] += x * E[3 * e] + y * E[3 * e + 1] + z * E[3 * e + 2] + bubble * o.e_error[e]
        add_node(p, w, o, m)


@jit
def step(p, w, c, o):
    """A step, or the polynomial of the last one. Kept matrices that do not converge are made anew; if those do not either, the increments
    are mixed."""
    n_v, n_q = p.num.state_v, p.num.state_q
    if c.asked == BETWEEN:
        polynomial(p, w, o)
        return DONE
    remember(p, w, c, o)
    status, plain, fresh = NEWTON_FAILED, True, 1
    for _ in range(4):
        predict(p, w, c, o)
        status = ask(p, w, c, o, MATRICES)
        if status != DONE:
            return status
        status = simplified(p, w, c, o, ITERATE, KAPPA, 0, np.inf, np.inf) if plain else accelerated(p, w, c, o, KAPPA)
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
    if tiny and (status != DONE or over_allowed(p, w, c, w.error, False) > 1):
        o.n.tries += 1  # the start is at a singular position: away from it by a step of usual length
        c.wish = (0.6 - 0.1 * o.n.tries) * o.n.usual_h / c.h
        return NEWTON_FAILED if status == DONE else status
    if status != DONE:
        return status
    energies(p, w, c, o)
    copy_part(o.V[2], 0, w.y1, n_q, n_v)
    retract(p.maps, w.y0, o.Z[2], 1.0, w.y1)
    return DONE


class RadauIIA5Method(ImplicitMethod):
    """[radau-1]"""
    step = step
    swing = 2.5  # of increments z, whose formulas end at a whole turn
