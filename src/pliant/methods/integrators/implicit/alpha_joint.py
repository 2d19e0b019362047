"""Generalized-alpha in joint coordinates: a - a(t, q, u) = 0 with z = h dq of [tree-2], in full matrices."""
from ....kernels.dense import lu_solve
from ....kernels.evaluation import retract
from ....kernels.jit import jit
from ....kernels.ode import call_status
from ....kernels.so3 import mul, scale, store, tangent_inverse, vec
from ....kernels.states import copy, copy_part
from ....kernels.status import DONE
from .joint import factored, tangents


@jit
def put(p, w, c, o):
    copy(w.y0, w.z)
    copy_part(o.v, 0, w.z, p.num.state_q, o.v.size)
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
    m = o.space
    status = tangents(p, m, t, w.z)
    if status == DONE:
        status = factored(m, 1.0, cd, ck, m.real, m.pivots[0])
    return residual(p, w, c, o, t) if status == DONE else status


@jit
def solve(p, o, bp):
    for k in range(o.R.size):
        o.R[k] /= bp
    lu_solve(o.space.real, o.R.size, o.space.pivots[0], o.R)


@jit
def to_chart(p, w, c, o):
    for k in range(p.maps.rotations.shape[0]):
        i = p.maps.rotations[k, 0]
        store(mul(tangent_inverse(scale(c.h, vec(o.dq, i))), vec(o.R, i)), o.R, i)


@jit
def finish(p, w, c, o, t1):
    """Energies by the trapezoidal rule."""
    n = p.num.state_q + o.v.size
    copy_part(o.v, 0, w.z, p.num.state_q, o.v.size)
    copy_part(w.z, 0, w.y1, 0, n)
    status = call_status(w.call.rhs, (p, t1, w.y1, w.f1))
    for e in range(n, n + 2):
        w.y1[e] = w.y0[e] + c.h / 2 * (w.f0[e] + w.f1[e])
    return status


@jit
def unconstrained(p, w, c, o, *more):
    """Nothing lies across constraints, and errors need no factors: in place of `tangential`, `rescale` and `renew`."""
    return False
