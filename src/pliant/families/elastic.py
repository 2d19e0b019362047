"""What the recursion over a tree needs of flexible bodies: their nodes with joints and their inertia at the current modal coordinates,
in axes of the bodies. Same tables as of `modal` and `nodes`."""
from ..kernels.by_reference import reference
from ..kernels.contract import Batch, State
from ..kernels.jit import entry, inlined, jit
from ..kernels.link_tables import B_C, B_J, B_S, ELASTIC, IM, N_Q, N_R1, N_R2, N_S, N_U, N_U1, N_U2, NU
from ..kernels.link_tables import IU as LINK_RATE
from ..kernels.so3 import add, dot, left_tangent, left_tangent_change, mul, scale, sine_ratios, store, vec2
from .modal import IQ, IV, B, N, centre, configure, moments, three, weighted
from .modal import SIZE as BODY_SIZE
from .nodes import DU, DY, OFFSET, U, Y, deformed, shapes
from .nodes import SIZE as NODE_SIZE
from .nodes import N as NODE_N


@inlined
def node(s, b, e, W, m, o):
    """One node, at place o of m."""
    n, iv = b.ip[e, NODE_N], b.ip[e, IV] + 6
    base = W.size - NODE_SIZE * n
    shapes(s, b, e, W)
    r, r1 = deformed(s, b, e, W, Y), weighted(s.v, iv, n, W, base + Y * n)
    T, half = left_tangent(r), dot(r, r) / 4
    sine, cosine = sine_ratios(half)
    store(add(vec2(b.rp, e, OFFSET), deformed(s, b, e, W, U)), m, o + N_U)
    m[o + N_Q] = 1 - half * cosine
    store(scale(sine / 2, r), m, o + N_Q + 1)
    store(weighted(s.v, iv, n, W, base + U * n), m, o + N_U1)
    store(mul(T, r1), m, o + N_R1)
    store(weighted(s.v, iv, n, W, base + DU * n), m, o + N_U2)
    store(add(mul(T, weighted(s.v, iv, n, W, base + DY * n)), mul(left_tangent_change(r, r1), r1)), m, o + N_R2)
    for j in range(n):
        store(three(W, base + U * n + j, n), m, o + N_S + 6 * j)
        store(mul(T, three(W, base + Y * n + j, n)), m, o + N_S + 6 * j + 3)


@jit
def deform(tr, d, x, t):
    """Modal coordinates and rates of the tree to the bodies; nodes and inertia in m.                    [recursion-14]"""
    s = reference(State(t, x.q, x.v, x.a, x.lam, x.H, x.Y, x.X, x.J, x.L, x.T))
    b = reference(Batch(0, 0, d.ip, d.rp, d.fr, d.tab, d.val))
    for k in range(tr.flexible.shape[0]):
        i, e = tr.flexible[k, 0], tr.flexible[k, 1]
        n, q, u = d.ip[e, N], tr.ip[i, IM], tr.ip[i, LINK_RATE] + tr.ip[i, NU]
        for j in range(n):
            x.q[d.ip[e, IQ] + 7 + j] = tr.q[q + j]
            x.v[d.ip[e, IV] + 6 + j] = tr.u[u + j]
        o, base = tr.ip[i, ELASTIC], x.W.size - BODY_SIZE * n
        configure(s, b, e, x.W)
        store(centre(s, b, e), tr.m, o + B_C)
        store(moments(s, b, e, x.W), tr.m, o + B_J)
        for j in range(n):
            store(three(x.W, base + B * n + j, n), tr.m, o + B_S + 6 * j + 3)
    for k in range(tr.nodes.shape[0]):
        e = tr.nodes[k, 0]
        node(s, b, e, x.W, tr.m, tr.nodes[k, 1])


@entry
def deform_at(tr, d, x):
    """The same from Python."""
    deform(tr, d, x, 0.0)


@entry
def node_at(d, x, e, m):
    """One node of the bodies as they are in x, at the beginning of m."""
    s = reference(State(0.0, x.q, x.v, x.a, x.lam, x.H, x.Y, x.X, x.J, x.L, x.T))
    node(s, reference(Batch(0, 0, d.ip, d.rp, d.fr, d.tab, d.val)), e, x.W, m, 0)
