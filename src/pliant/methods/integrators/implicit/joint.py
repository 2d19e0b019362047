"""Implicit methods in joint coordinates: q = q0 exp(z), z' = T^-1(z) u, u' = a(t, q, u) by recursion, loops closed.

Derivatives K = da/dz and D = da/du are exact, by recursive passes (`joint_space.tree_derivatives`). Equations of a step,

    sigma dz - du = r1,   sigma du - K dz - D du = r2:   (sigma^2 - sigma D - K) dz = r2 + sigma r1 - D r1     [tree-1]
"""
from ....kernels.contract import call_python
from ....kernels.dense import lu_factorise, lu_solve
from ....kernels.evaluation import retract
from ....kernels.jit import jit
from ....kernels.ode import call_status
from ....kernels.states import copy, copy_part
from ....kernels.status import DONE, SINGULAR
from .stages import rate


@jit
def tangents(m, t, y):
    """K and D at a state."""
    copy(y, m.y)
    return int(call_python(m.tangents[0], t, 0.0, 0.0))


@jit
def state_of(p, w, o, i):
    """The state of stage i in w.z; energies are of no account."""
    copy(w.y0, w.z)
    copy_part(o.V[i], 0, w.z, p.num.state_q, p.num.state_v)
    copy(o.Z[i], o.g)
    retract(p.maps, w.y0, o.g, 1.0, w.z)


@jit
def factored(m, one, cd, ck, out, pivots):
    """Factors of one - cd D - ck K. A status."""
    n = out.shape[0]
    for i in range(n):
        for j in range(n):
            out[i, j] = -cd * m.D[i, j] - ck * m.K[i, j]
        out[i, i] += one
    return DONE if lu_factorise(out, n, pivots) else SINGULAR


@jit
def defects(p, w, c, o, i, t):
    m, n_q, n = o.matrices, p.num.state_q, p.num.state_v
    state_of(p, w, o, i)
    status = call_status(w.call.rhs, (p, t, w.z, m.f))
    rate(p.maps, o, n, i)
    for k in range(n):
        o.R[0, i, k], o.R[1, i, k] = o.y[k] - o.W[i, k], m.f[n_q + k] - o.A[i, k]
    return status


@jit
def linearise(p, w, c, o):
    if o.n.tiles < 0:
        return tangents(o.matrices, c.t0, w.y0)
    state_of(p, w, o, 1)
    return tangents(o.matrices, c.t0 + o.radau.c[1] * c.h, w.z)


@jit
def factor_pair(p, o, h):
    m, real, pair = o.matrices, o.radau.real / h, o.radau.pair / h
    status = factored(m, real * real, real, 1.0, m.real, m.pivots[0])
    return factored(m, pair * pair, pair, 1.0, m.pair, m.pivots[1]) if status == DONE else status


@jit
def factor_bdf(p, w, c, o):
    m, sigma = o.matrices, o.n.sigma
    state_of(p, w, o, 0)
    status = tangents(m, c.t0 + c.h, w.z)
    return factored(m, sigma * sigma, sigma, 1.0, m.real, m.pivots[0]) if status == DONE else status


@jit
def increment(o, factors, pivots, sigma, r):
    """[tree-1]: the first rows of r hold r1 and r2, then dz and du; the next one is used."""
    D, n = o.matrices.D, factors.shape[0]
    for i in range(n):
        value = r[1, i] + sigma * r[0, i]
        for j in range(n):
            value -= D[i, j] * r[0, j]
        r[2, i] = value
    lu_solve(factors, n, pivots, r, 2)
    for k in range(n):
        r[1, k] = sigma * r[2, k] - r[0, k]
        r[0, k] = r[2, k]


@jit
def solve_pair(p, o, h):
    m = o.matrices
    increment(o, m.real, m.pivots[0], o.radau.real / h, o.right)
    increment(o, m.pair, m.pivots[1], o.radau.pair / h, o.B)


@jit
def solve_bdf(p, o, sigma):
    for l in range(2):
        copy(o.R[l, 0], o.right[l])
    increment(o, o.matrices.real, o.matrices.pivots[0], sigma, o.right)


@jit
def filtered(p, w, c, o):
    copy(o.g, o.right[1])
    increment(o, o.matrices.real, o.matrices.pivots[0], o.radau.real / c.h, o.right)


@jit
def power_at(p, w, c, o, i, t):
    f, n_y = o.matrices.f, w.z.size
    state_of(p, w, o, i)
    call_status(w.call.rhs, (p, t, w.z, f))
    o.right[0, i], o.right[0, 3 + i] = f[n_y - 2], f[n_y - 1]


@jit
def finish_bdf(p, w, c, o):
    state_of(p, w, o, 0)
    copy(w.z, w.y1)
    return call_status(w.call.rhs, (p, c.t0 + c.h, w.y1, w.f1))
