"""Loads that are spread over a body: one number, their factor, moves all their points. docs/theory/flexible_body.md

In body axes such a load has the resultant F, the moment M about the reference point of the body and the modal loads Q, each of first order
in the modal coordinates: F = F0 + sum_k q_k F1_k, and so on. Its frame has one velocity, the power per unit of the factor; what acts along
it is the factor.                                                                                         [spread-4]
"""
from ..kernels.contract import TABLE, A, F, Family, P, Stage, V, W
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import accumulate, add, cross, dot, mul, rotation, scale, store2, vec, vec2
from ..kernels.vector_ops import add_rows, copy
from .body_frames import release

IQ, IV, FRAME, JTILE, N, POOL = index(1, 2, 3, 4, 5, 6)  # ip, as of a frame on a flexible body; F0, M0, Q0 | for every k: F1, M1, Q1 in val
OFFSET, AXES = index(0, 3)                               # rp: where it is shown, in the body
FORCE, MOMENT, MODAL = index(0, 3, 6)                    # scratch: F, M, Q


@inlined
def configure(s, b, e, W):
    """F, M, Q at the current q, in scratch; returns where."""
    n = b.ip[e, N]
    width = 6 + n
    base = W.size - width
    copy(b.val, b.ip[e, POOL], W, base, width)
    add_rows(s.q, b.ip[e, IQ] + 7, n, b.val, b.ip[e, POOL] + width, width, W, base, width)
    return base


@jit
def push(s, b, o):
    """v_F = F.R^T v + M.w + Q.q', along the first axis of the world; shown at p + R c                    [spread-5]"""
    for e in range(b.first, b.last):
        base, n, iq, iv, f = configure(s, b, e, o.W), b.ip[e, N], b.ip[e, IQ], b.ip[e, IV], b.ip[e, FRAME]
        R, w = rotation(s.q, iq + 3), vec(s.v, iv + 3)
        rate = dot(mul(R, vec(o.W, base + FORCE)), vec(s.v, iv)) + dot(vec(o.W, base + MOMENT), w)
        for k in range(n):
            rate += o.W[base + MODAL + k] * s.v[iv + 6 + k]
        store2(add(vec(s.q, iq), mul(R, vec2(b.rp, e, OFFSET))), s.X, f, P)
        store2((rate, 0 * rate, 0 * rate), s.X, f, V)
        store2(mul(R, w), s.X, f, W)
        for i in range(9):
            s.X[f, A + i] = R[i]
        release(s, f)


@jit
def push_tangent(s, b, o):
    """J = [R F, M, Q], one row                                                                          [spread-6]"""
    push(s, b, o)
    for e in range(b.first, b.last):
        base, t = configure(s, b, e, o.W), b.ip[e, JTILE]
        force = mul(rotation(s.q, b.ip[e, IQ] + 3), vec(o.W, base + FORCE))
        for i in range(3):
            s.J[t, 0, i] = force[i]
            s.J[t, 0, 3 + i] = o.W[base + MOMENT + i]
        for k in range(b.ip[e, N]):
            s.J[t + 1 + k // 6, 0, k % 6] = o.W[base + MODAL + k]


@jit
def pull(s, b, o):
    """R += J^T g, g what acts along the frame                                                            [spread-7]"""
    for e in range(b.first, b.last):
        base, iv, g = configure(s, b, e, o.W), b.ip[e, IV], s.X[b.ip[e, FRAME], F]
        accumulate(g, mul(rotation(s.q, b.ip[e, IQ] + 3), vec(o.W, base + FORCE)), o.R, iv)
        for i in range(3 + b.ip[e, N]):
            o.R[iv + 3 + i] += g * o.W[base + MOMENT + i]


@jit
def pull_tangent(s, b, o):
    """D += ck g dJ^T/dq: by rotations R (x_j x F), by modes (R F1_k, M1_k, Q1_k)                             [spread-8]"""
    pull(s, b, o)
    for e in range(b.first, b.last):
        base, n, g = configure(s, b, e, o.W), b.ip[e, N], o.ck * s.X[b.ip[e, FRAME], F]
        table, tiles, R = b.ip[e, TABLE], (n + 11) // 6, rotation(s.q, b.ip[e, IQ] + 3)
        for j in range(3):
            x = 1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2)
            turned = scale(g, mul(R, cross(x, vec(o.W, base + FORCE))))
            for i in range(3):
                o.D[b.tab[table], i, 3 + j] += turned[i]
        for k in range(n):
            at = b.ip[e, POOL] + (6 + n) * (1 + k)
            force, block = scale(g, mul(R, vec(b.val, at))), b.tab[table + 1 + k // 6]
            for i in range(3):
                o.D[block, i, k % 6] += force[i]
                o.D[block, 3 + i, k % 6] += g * b.val[at + 3 + i]
            for j in range(n):
                o.D[b.tab[table + tiles * (1 + j // 6) + 1 + k // 6], j % 6, k % 6] += g * b.val[at + 6 + j]


FRAMES = Family("distributed load", push=Stage(residual=push, tangent=push_tangent, rates=push, energy=push, power=push),
                pull=Stage(residual=pull, tangent=pull_tangent))
