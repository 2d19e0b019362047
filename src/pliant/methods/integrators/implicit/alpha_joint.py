"""Generalized-alpha in joint coordinates: a - a(t, q, u) = 0 with z = h dq of [tree-2], in full matrices."""
from ....kernels.dense import lu_factorise, lu_solve
from ....kernels.evaluation import retract
from ....kernels.jit import jit
from ....kernels.ode import call_status
from ....kernels.so3 import mul, scale, store, tangent_inverse, vec
from ....kernels.states import copy
from ....kernels.status import DONE, SINGULAR
from .alpha_making import made_for
from .joint import tangents


@jit
def put(p, w, c, o):
    n_q = p.num.state_q
    copy(w.y0, w.z)
    for k in range(o.v.size):
        w.z[n_q + k] = o.v[k]
    retract(p.maps, w.y0, o.dq, c.h, w.z)


@jit
def residual(p, w, c, o, t):
    n_q, f = p.num.state_q, o.space.f
    status = call_status(w.call.rhs, (p, t, w.z, f))
    for k in range(o.R.size):
        o.R[k] = o.a[k] - f[n_q + k]
    return status


@jit
def matrix(p, w, c, o, t, cd, ck):
    m, n = o.space, o.R.size
    status = tangents(m, t, w.z)
    if status != DONE:
        return status
    for i in range(n):
        for j in range(n):
            m.real[i, j] = -cd * m.D[i, j] - ck * m.K[i, j]
        m.real[i, i] += 1.0
    if not lu_factorise(m.real, n, m.pivots[0]):
        return SINGULAR
    return residual(p, w, c, o, t)


@jit
def solve(p, o, bp):
    m, n = o.space, o.R.size
    for k in range(n):
        m.right[0, k] = o.R[k] / bp
    lu_solve(m.real, n, m.pivots[0], m.right, 0)
    for k in range(n):
        o.R[k] = m.right[0, k]


@jit
def to_chart(p, w, c, o):
    for k in range(p.maps.rotations.shape[0]):
        i = p.maps.rotations[k, 0]
        store(mul(tangent_inverse(scale(c.h, vec(o.dq, i))), vec(o.R, i)), o.R, i)


@jit
def finish(p, w, c, o, t1):
    """Energies by the trapezoidal rule."""
    n = p.num.state_q + o.v.size
    for k in range(o.v.size):
        w.z[p.num.state_q + k] = o.v[k]
    for k in range(n):
        w.y1[k] = w.z[k]
    status = call_status(w.call.rhs, (p, t1, w.y1, w.f1))
    for e in range(n, n + 2):
        w.y1[e] = w.y0[e] + c.h / 2 * (w.f0[e] + w.f1[e])
    return status


@jit
def tangential(p, w, c, o, t, y):
    """There are no constraints."""


@jit
def renew(p, w, c, o, t):
    return False


@jit
def rescale(p, w, c, o):
    """Nothing lies across constraints."""


step = made_for("joint", put=put, residual=residual, matrix=matrix, solve=solve, to_chart=to_chart, finish=finish,
                tangential=tangential, renew=renew, rescale=rescale)
