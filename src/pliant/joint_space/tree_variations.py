"""Imaginary steps of one link of a tree: fields of the variations of its joint and of its modes (`kernels.fields`)."""
from ..families.elastic import node
from ..kernels.by_reference import reference
from ..kernels.contract import Batch, State
from ..kernels.jit import jit
from ..kernels.link_tables import FREE, IM, INNER, IP, IQ, IU, IV, KIND, N_S, NM, OUTER, SPHERICAL, WAY, WAYS
from ..kernels.recursion import place_link
from ..kernels.states import copy_part
from ..kernels.variation_fields import ETA, beyond, find_field, mirror


@jit
def move_joint(o, i, k, along):
    """Rate k of the joint of link i, or its coordinate; the field."""
    tc = o.tree
    step, j, first = complex(0.0, ETA), k - tc.ip[i, IU], 3 if tc.ip[i, KIND] == FREE else 0
    if not along:
        tc.u[k] += step
    elif (tc.ip[i, KIND] == SPHERICAL or tc.ip[i, KIND] == FREE) and j >= first:
        at, a = tc.ip[i, IP] + first, j - first
        b, c, q, half = (a + 1) % 3, (a + 2) % 3, tc.q, complex(0.0, ETA / 2)
        s, x, y, z = q[at], q[at + 1 + a], q[at + 1 + b], q[at + 1 + c]
        q[at], q[at + 1 + a], q[at + 1 + b], q[at + 1 + c] = s - half * x, x + half * s, y + half * z, z - half * y  # q (1, e / 2)
    else:
        tc.q[tc.ip[i, IP] + j] += step
    place_link(tc, o.x, i)
    find_field(tc, i, o.field)


@jit
def move_mode(o, t, i, j, along):
    """Rate j of the modes of link i, or its coordinate; fields of the link and of those that it carries at nodes."""
    tc, x, d = o.tree, o.x, o.d
    s = reference(State(t, x.q, x.v, x.a, x.lam, x.H, x.Y, x.X, x.J, x.L, x.T))
    b = reference(Batch(0, 0, d.ip, d.rp, d.fr, d.tab, d.val))
    for k in range(tc.ip[i, NM]):
        step = ETA if k == j else 0.0
        x.q[tc.ip[i, IQ] + 7 + k] = complex(tc.q[tc.ip[i, IM] + k].real, step if along else 0.0)
        x.v[tc.ip[i, IV] + 6 + k] = complex(tc.u[beyond(tc, i) - tc.ip[i, NM] + k].real, 0.0 if along else step)
    if tc.ip[i, OUTER] >= 0:
        node(s, b, o.nodes[i, 1], x.W, tc.m, tc.ip[i, OUTER])
    place_link(tc, x, i)
    find_field(tc, i, o.field)
    for k in range(o.child_start[i], o.child_start[i + 1]):
        c = o.children[k]
        if tc.ip[c, INNER] >= 0:
            node(s, b, o.nodes[c, 0], x.W, tc.m, tc.ip[c, INNER])
            place_link(tc, x, c)
            find_field(tc, c, o.field)
            o.moved[c] = 1


@jit
def restore(tr, o, i, k, mode):
    """The complex tree as it was."""
    tc = o.tree
    tc.u[k] = tr.u[k]
    for j in range(tr.ip[i, IP], tr.ip[i, IP] + 7):
        if j < tr.q.size:
            tc.q[j] = tr.q[j]
    mirror(tr, tc, i, o.a)
    if mode:
        if tr.ip[i, OUTER] >= 0:
            copy_part(tr.m, tr.ip[i, OUTER], tc.m, tr.ip[i, OUTER], N_S + 6 * tr.ip[i, NM])
        for e in range(o.child_start[i], o.child_start[i + 1]):
            c = o.children[e]
            if tr.ip[c, INNER] >= 0:
                mirror(tr, tc, c, o.a)
                copy_part(tr.m, tr.ip[c, INNER], tc.m, tr.ip[c, INNER], N_S + 6 * tr.ip[i, NM])
                copy_part(tr.m, tr.ip[c, WAYS], tc.m, tr.ip[c, WAYS], WAY * tr.ip[i, NM])
