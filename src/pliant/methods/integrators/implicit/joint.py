"""Implicit methods in joint coordinates: q = q0 exp(z), z' = T^-1(z) u, u' = a(t, q, u) by recursion, loops closed.

Derivatives K = da/dz and D = da/du are exact, by recursive passes (`joint_space.tree_derivatives`). Equations of a step,

    sigma dz - du = r1,   sigma du - K dz - D du = r2:   (sigma^2 - sigma D - K) dz = r2 + sigma r1 - D r1     [tree-1]
"""
from ....kernels.contract import call_python
from ....kernels.dense import lu_factorise, lu_solve
from ....kernels.evaluation import retract
from ....kernels.jit import jit
from ....kernels.ode import call_status
from ....kernels.states import copy
from ....kernels.status import DONE, SINGULAR
from .solver import made_for
from .stages import R1, R2, RIGHT, A, G, V, W, Y, Z, rate


@jit
def tangents(m, t, y):
    """K and D at a state."""
    copy(y, m.y)
    return int(call_python(m.tangents[0], t, 0.0, 0.0))


@jit
def state_of(p, w, o, i):
    """The state of stage i in w.z; energies are of no account."""
    S, n_q = o.S, p.num.state_q
    copy(w.y0, w.z)
    for k in range(p.num.state_v):
        S[G, k], w.z[n_q + k] = S[Z + i, k], S[V + i, k]
    retract(p.maps, w.y0, S[G], 1.0, w.z)


@jit
def matrix(m, sigma, out):
    """sigma^2 - sigma D - K"""
    n = out.shape[0]
    for i in range(n):
        for j in range(n):
            out[i, j] = -sigma * m.D[i, j] - m.K[i, j]
        out[i, i] += sigma * sigma


@jit
def defects(p, w, c, o, i, t):
    S, m, n_q, n = o.S, o.matrices, p.num.state_q, p.num.state_v
    state_of(p, w, o, i)
    status = call_status(w.call.rhs, (p, t, w.z, m.f))
    for k in range(n):
        S[Y, k] = S[V + i, k]
        S[R2 + i, k] = m.f[n_q + k] - S[A + i, k]
    rate(p.maps, S, n, i)
    for k in range(n):
        S[R1 + i, k] = S[Y, k] - S[W + i, k]
    return status


@jit
def linearise(p, w, c, o):
    if o.n.tiles < 0:
        return tangents(o.matrices, c.t0, w.y0)
    state_of(p, w, o, 1)
    return tangents(o.matrices, c.t0 + o.radau.c[1] * c.h, w.z)


@jit
def factor_pair(p, o, h):
    m, n = o.matrices, p.num.state_v
    matrix(m, o.radau.real / h, m.real)
    matrix(m, o.radau.pair / h, m.pair)
    return DONE if lu_factorise(m.real, n, m.pivots[0]) and lu_factorise(m.pair, n, m.pivots[1]) else SINGULAR


@jit
def factor_bdf(p, w, c, o):
    m, n = o.matrices, p.num.state_v
    state_of(p, w, o, 0)
    status = tangents(m, c.t0 + c.h, w.z)
    if status != DONE:
        return status
    matrix(m, o.n.sigma, m.real)
    return DONE if lu_factorise(m.real, n, m.pivots[0]) else SINGULAR


@jit
def increment(o, factors, pivots, sigma, r, first):
    """[tree-1]: rows first and first + 1 of r hold r1 and r2, then dz and du; the next one is used."""
    D, n = o.matrices.D, factors.shape[0]
    for i in range(n):
        value = r[first + 1, i] + sigma * r[first, i]
        for j in range(n):
            value -= D[i, j] * r[first, j]
        r[first + 2, i] = value
    lu_solve(factors, n, pivots, r, first + 2)
    for k in range(n):
        r[first + 1, k] = sigma * r[first + 2, k] - r[first, k]
        r[first, k] = r[first + 2, k]


@jit
def solve_pair(p, o, h):
    m = o.matrices
    increment(o, m.real, m.pivots[0], o.radau.real / h, o.S, RIGHT)
    increment(o, m.pair, m.pivots[1], o.radau.pair / h, o.B, 0)


@jit
def solve_bdf(p, o, sigma):
    S = o.S
    for k in range(p.num.state_v):
        S[RIGHT, k], S[RIGHT + 1, k] = S[R1, k], S[R2, k]
    increment(o, o.matrices.real, o.matrices.pivots[0], sigma, S, RIGHT)


@jit
def filtered(p, w, c, o):
    for k in range(p.num.state_v):
        o.S[RIGHT + 1, k] = o.S[G, k]
    increment(o, o.matrices.real, o.matrices.pivots[0], o.radau.real / c.h, o.S, RIGHT)


@jit
def power_at(p, w, c, o, i, t):
    f, n_y = o.matrices.f, w.z.size
    state_of(p, w, o, i)
    call_status(w.call.rhs, (p, t, w.z, f))
    o.S[RIGHT, i], o.S[RIGHT, 3 + i] = f[n_y - 2], f[n_y - 1]


@jit
def finish_bdf(p, w, c, o):
    state_of(p, w, o, 0)
    copy(w.z, w.y1)
    return call_status(w.call.rhs, (p, c.t0 + c.h, w.y1, w.f1))


solver = made_for("joint", defects=defects, linearise=linearise, factor_pair=factor_pair, solve_pair=solve_pair,
                  factor_bdf=factor_bdf, solve_bdf=solve_bdf, filtered=filtered, power_at=power_at, finish_bdf=finish_bdf)
