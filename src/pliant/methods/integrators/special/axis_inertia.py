"""Inertia that depends on where nodes turn to, over a step of the energy-momentum method. docs/theory/conserving.md

For slopes s = R c and momenta P of their rates, f = (P_1 - P_0) / h on places, and on nodes the moments                [conserving-6]
    (s_1 x P_1 - s_0 x P_0) / h - u x (P_0 + P_1) / 2,   u = (s'_0 + s'_1) / 2
"""
from typing import Any, NamedTuple

from ....families.beam_inertia import CENTRE, IQ, IV, LENGTH, cubic_masses
from ....families.exact_beams import QA, QB, VA, VB
from ....kernels.contract import GRAVITY
from ....kernels.jit import inlined, jit
from ....kernels.so3 import accumulate, add, cross, mul, rotation, scale, sub, tmul, vec, vec2


class Nodes(NamedTuple):
    """Nodes at both ends of a step and in its middle: q and v at its start, q at its end and in the middle, twice the velocities."""
    q0: Any
    v0: Any
    q1: Any
    q: Any
    v: Any


@inlined
def velocities(y, i):
    """At the start and at the end."""
    v = vec(y.v0, i)
    return v, sub(scale(2.0, vec(y.v, i)), v)


@inlined
def slope(y, iq, iv, c):
    """R c and its rate at the start, and at the end."""
    A, B, (w, z) = rotation(y.q0, iq + 3), rotation(y.q1, iq + 3), velocities(y, iv + 3)
    return mul(A, c), mul(A, cross(w, c)), mul(B, c), mul(B, cross(z, c))


@inlined
def moment(y, h, s, f, P):
    """s_m x f + (s_1 - s_0 - h u) x P / h, which is [conserving-6] with f = (P_1 - P_0) / h and P the mean momentum."""
    fast = sub(scale(1 / h, sub(s[2], s[0])), scale(0.5, add(s[1], s[3])))
    return add(cross(scale(0.5, add(s[0], s[2])), f), cross(fast, P))


@inlined
def put(y, h, out, iq, iv, f, s, g, P):
    """Force f on a place, and the moment of g and P on its node, in axes of the middle."""
    accumulate(1.0, f, out, iv)
    accumulate(1.0, tmul(rotation(y.q, iq + 3), moment(y, h, s, g, P)), out, iv + 3)


@jit
def cubic_axes(d, first, last, y, h, out):
    """Masses along cubic axes, and their weight."""
    g = vec(d.val, GRAVITY)
    for e in range(first, last):
        qa, qb, va, vb = d.ip[e, QA], d.ip[e, QB], d.ip[e, VA], d.ip[e, VB]
        L, (a0, a1), (b0, b1) = d.rp[e, LENGTH], velocities(y, va), velocities(y, vb)
        s, t = slope(y, qa, va, (L, 0.0, 0.0)), slope(y, qb, vb, (L, 0.0, 0.0))
        f = cubic_masses(d, e, sub(scale(1 / h, sub(a1, a0)), g), scale(1 / h, sub(s[3], s[1])),
                         sub(scale(1 / h, sub(b1, b0)), g), scale(1 / h, sub(t[3], t[1])))
        P = cubic_masses(d, e, scale(0.5, add(a0, a1)), scale(0.5, add(s[1], s[3])), scale(0.5, add(b0, b1)), scale(0.5, add(t[1], t[3])))
        put(y, h, out, qa, va, f[0], s, f[1], P[1])
        put(y, h, out, qb, vb, f[2], t, f[3], P[3])


@jit
def first_moments(d, first, last, y, h, out):
    """Of nodes, and their weight: T = v.s'"""
    g = vec(d.val, GRAVITY)
    for e in range(first, last):
        iq, iv = d.ip[e, IQ], d.ip[e, IV]
        s, (v0, v1) = slope(y, iq, iv, vec2(d.rp, e, CENTRE)), velocities(y, iv)
        put(y, h, out, iq, iv, scale(1 / h, sub(s[3], s[1])), s, sub(scale(1 / h, sub(v1, v0)), g), scale(0.5, add(v0, v1)))
