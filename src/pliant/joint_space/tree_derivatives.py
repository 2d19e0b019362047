"""Derivatives of the accelerations in joint coordinates by recursive passes: K = da/dz along the rates, D = da/du.

A variation of one coordinate or rate moves the links beyond it by a field (`fields`). Their equations change by
F' = R_q dq + R_v dv + R_a da, with the derivatives of absolute coordinates, and so do the directions of the rates:

    M da = - sum H^T (F' + dr x F) - dS . P                                                             [slopes-2]

with P the forces on all bodies beyond a joint; two sweeps of the recursion divide by M. Loops: the change of their second time derivatives
by an imaginary step, with multipliers as for accelerations. Derivation: docs/theory/recursion.md
"""
from typing import NamedTuple

import numpy as np

from ..kernels.articulated import respond
from ..kernels.closed_loops import constraint_forces, multipliers
from ..kernels.evaluation import Data, Memory, Program
from ..kernels.evaluation import run as evaluate
from ..kernels.jit import inlined, jit
from ..kernels.link_tables import A_, INNER, IU, IV, NM, NU, P_, PARENT, PQ, R_, UU, Tree
from ..kernels.ode import call_status
from ..kernels.so3 import add, cross, dot, mat2, mul, store2, vec, vec2
from ..kernels.states import copy, copy_tile
from ..kernels.status import DONE
from ..kernels.variation_fields import ETA, at_origin, beyond, body_variation, bracket, imaginary, mirror, spread, way_at_origin
from .recursion import REFINED, jacobian
from .tree_variations import move_joint, move_mode, restore


class Slopes(NamedTuple):
    """What derivatives need: programs, a tree and memory for imaginary steps, tables, work arrays."""
    tangent: Program      # of the bodies, real
    gaps: Program         # of cut joints, complex, and their time derivatives
    rates: Program
    d: Data
    x: Memory
    tree: Tree
    Q: np.ndarray         # tiles of dR/dq, dR/dv, dR/da
    V: np.ndarray
    M: np.ndarray
    stored: np.ndarray    # (column, row, place) of all tiles of motion
    start: np.ndarray     # of those that are not zero: per column its first entry (row, place, whether in Q, in V)
    entries: np.ndarray
    child_start: np.ndarray
    children: np.ndarray
    nodes: np.ndarray     # per link: elements of the nodes of its joint on the parent and on the body, or -1
    F: np.ndarray         # left sides of all equations
    a: np.ndarray
    P: np.ndarray         # per link: forces on all beyond its joint, about the origin
    field: np.ndarray
    moved: np.ndarray     # per link, and the ground
    dq: np.ndarray        # variations
    dv: np.ndarray
    da: np.ndarray
    dR: np.ndarray
    gap: np.ndarray
    out: np.ndarray
    f: np.ndarray


@jit
def slopes_at(p, o, code, t, y, K, D):
    """K and D at a state y; ``code``: the address of the kernel for accelerations. A status."""
    tr = p.joints.tree
    status = call_status(code, (p, t, y, o.f))
    if status != DONE:
        return status
    prepare(p, o, t)
    for i in range(tr.ip.shape[0]):
        for k in range(tr.ip[i, IU], beyond(tr, i)):
            for along in range(2):
                vary(p, o, t, i, k, along == 1)
                for j in range(o.out.size):
                    (K if along == 1 else D)[j, k] = o.out[j]
    for k in range(tr.lines.shape[0]):
        for along in range(2):
            vary_line(p, o, t, k, along == 1)
            for j in range(o.out.size):
                (K if along == 1 else D)[j, tr.lines[k, 0]] = o.out[j]
    for k in range(tr.states.shape[0]):
        vary_state(p, o, t, k)
        for j in range(o.out.size):
            D[j, tr.states[k, 0]], K[j, tr.states[k, 0]] = o.out[j], 0.0
    return DONE


@jit
def take_tiles(p, o, t, cm, cd, ck, out):
    """One of the three parts of the derivatives of the bodies' equations."""
    D = p.x.D
    D[:] = 0
    evaluate(o.tangent, p.d, p.x, t, cm, cd, ck)
    for k in range(D.shape[0]):
        copy_tile(D, k, out, k)


@jit
def prepare(p, o, t):
    """All that does not depend on the variation; the accelerations are known."""
    x, tr, tc = p.x, p.joints.tree, o.tree
    copy(x.a, o.a)
    take_tiles(p, o, t, 0.0, 0.0, 1.0, o.Q)
    take_tiles(p, o, t, 0.0, 1.0, 0.0, o.V)
    take_tiles(p, o, t, 1.0, 0.0, 0.0, o.M)
    choose_tiles(o)
    copy(x.R, o.F)
    if p.joints.loops.tile.size > 0:
        evaluate(p.joints.gaps, p.d, x, t, 0.0, 0.0, 0.0)
        for k in range(o.F.size):
            o.F[k] += x.R[k]
        jacobian(p, t)
    carry_forces(tr, o)
    x.a[:] = 0
    copy(x.lam, o.x.lam)
    copy(x.H, o.x.H)
    copy(x.W, o.x.W)  # branches that functions have chosen
    copy(tr.q, tc.q)
    copy(tr.u, tc.u)
    copy(tr.du, tc.du)
    for k in range(tr.u.size):
        tc.s[k, UU] = tr.du[k]
    copy(tr.m, tc.m)
    for i in range(tr.ip.shape[0]):
        mirror(tr, tc, i, o.a)


@inlined
def filled(D, tile):
    for i in range(6):
        for j in range(6):
            if D[tile, i, j] != 0:
                return True
    return False


@inlined
def add_image(D, tile, x, c, out, r):
    for i in range(6):
        value = 0.0
        for j in range(6):
            value += D[tile, i, j] * x[c + j]
        out[r + i] += value


@jit
def choose_tiles(o):
    """Those that are not zero."""
    count, column = 0, 0
    for k in range(o.stored.shape[0]):
        c, row, tile = o.stored[k, 0], o.stored[k, 1], o.stored[k, 2]
        while column <= c:
            o.start[column] = count
            column += 1
        by_q, by_v, by_a = filled(o.Q, tile), filled(o.V, tile), filled(o.M, tile)
        if by_q or by_v or by_a:
            o.entries[count, 0], o.entries[count, 1], o.entries[count, 2], o.entries[count, 3] = row, tile, by_q, by_v
            count += 1
    for c in range(column, o.start.size):
        o.start[c] = count


@jit
def carry_forces(tr, o):
    """Forces on all bodies beyond a joint, about the origin."""
    P, n = o.P, tr.ip.shape[0]
    for i in range(n):
        f = vec(o.F, tr.ip[i, IV])
        store2(f, P, i, 0)
        store2(add(mul(mat2(tr.w, i, A_), vec(o.F, tr.ip[i, IV] + 3)), cross(vec2(tr.w, i, R_), f)), P, i, 3)
    for i in range(n - 1, -1, -1):
        p = tr.ip[i, PARENT]
        if p < n:
            for k in range(6):
                P[p, k] += P[i, k]


@jit
def clear(o):
    for variation in (o.dq, o.dv, o.da, o.dR, o.out):
        variation[:] = 0
    o.moved[:] = 0


@jit
def vary(p, o, t, i, k, along):
    """The change of all accelerations with rate k, of link i, or (``along``) with its coordinate, in o.out."""
    tr, first = p.joints.tree, p.joints.tree.ip[i, IU] + p.joints.tree.ip[i, NU]
    clear(o)
    if tr.drive[k] >= 0:
        return
    o.moved[i] = 1
    if k < first:
        move_joint(o, i, k, along)
    else:
        move_mode(o, t, i, k - first, along)
    spread(tr, i, o.field, o.moved)
    for l in range(i, tr.ip.shape[0]):
        if o.moved[l] == 1:
            body_variation(tr, o.field, l, tr.ip[l, IV], o.a, o.dq, o.dv, o.da)
    if k >= first:
        (o.dq if along else o.dv)[tr.ip[i, IV] + 6 + k - first] = 1.0
    change_forces(p, o, t)
    load(tr, o, i, k >= first, along)
    restore(tr, o, i, k, k >= first)
    answer(p, o, t)


@jit
def vary_line(p, o, t, line, along):
    """The same for the place on a line, which moves no link."""
    clear(o)
    (o.dq if along else o.dv)[p.joints.tree.lines[line, 2]] = 1.0
    change_forces(p, o, t)
    load(p.joints.tree, o, p.joints.tree.ip.shape[0], False, False)
    answer(p, o, t)


@jit
def vary_state(p, o, t, state):
    """The same for a state."""
    clear(o)
    o.dv[p.joints.tree.states[state, 1]] = 1.0
    change_forces(p, o, t)
    load(p.joints.tree, o, p.joints.tree.ip.shape[0], False, False)
    answer(p, o, t)


@jit
def change_forces(p, o, t):
    """dR = R_q dq + R_v dv + R_a da of the bodies, and what the multipliers of loops do."""
    for c in range(o.start.size - 1):
        by_q, size = 0.0, 0.0
        for j in range(6 * c, 6 * c + 6):
            by_q, size = max(by_q, abs(o.dq[j])), max(size, abs(o.dv[j]), abs(o.da[j]))
        if by_q == 0 and size == 0:
            continue
        for k in range(o.start[c], o.start[c + 1]):
            r, tile = 6 * o.entries[k, 0], o.entries[k, 1]
            if o.entries[k, 2] == 1 and by_q != 0:
                add_image(o.Q, tile, o.dq, 6 * c, o.dR, r)
            if o.entries[k, 3] == 1:
                add_image(o.V, tile, o.dv, 6 * c, o.dR, r)
            add_image(o.M, tile, o.da, 6 * c, o.dR, r)
    if p.joints.loops.tile.size > 0:
        imaginary_state(p, o)
        evaluate(o.gaps, o.d, o.x, t, 0.0, 0.0, 0.0)
        for k in range(o.dR.size):
            o.dR[k] += o.x.R[k].imag / ETA
        for k in range(o.gap.size):
            o.gap[k] = o.x.R[k].imag / ETA


@jit
def imaginary_state(p, o):
    """Memory of bodies with the variation as imaginary parts; accelerations with what they answer, which is in x.a."""
    d, x, z = p.d, p.x, o.x
    for k in range(o.dq.size):
        z.v[k] = complex(x.v[k], ETA * o.dv[k])
        z.a[k] = complex(o.a[k], ETA * (o.da[k] + x.a[k]))
    for k in range(d.linear.shape[0]):
        z.q[d.linear[k, 1]] = complex(x.q[d.linear[k, 1]], ETA * o.dq[d.linear[k, 0]])
    for k in range(d.rotations.shape[0]):
        iv, i = d.rotations[k, 0], d.rotations[k, 1]
        v, r, s = vec(x.q, i + 1), vec(o.dq, iv), x.q[i]
        c, half = cross(v, r), ETA / 2
        z.q[i] = complex(s, -half * dot(v, r))
        for j in range(3):
            z.q[i + 1 + j] = complex(v[j], half * (c[j] + s * r[j]))


@jit
def load(tr, o, i, mode, along):
    """Forces F' + dr x F on the bodies in P of w and s; ``along``: dS . P in u, of modes in P of s, where rate i is the one that varies."""
    w, s = tr.w, tr.s
    for l in range(tr.ip.shape[0]):
        iv, A, first = tr.ip[l, IV], mat2(w, l, A_), tr.ip[l, IU] + tr.ip[l, NU]
        f, m = vec(o.dR, iv), mul(A, vec(o.dR, iv + 3))
        if along and o.moved[l] == 1:
            m = add(m, add(cross(vec(o.dq, iv), vec(o.F, iv)), cross(mul(A, vec(o.dq, iv + 3)), mul(A, vec(o.F, iv + 3)))))
        store2(f, w, l, P_)
        store2(m, w, l, P_ + 3)
        for k in range(tr.ip[l, IU], first):
            s[k, UU] = 0.0
        for k in range(tr.ip[l, NM]):
            s[first + k, PQ] = o.dR[iv + 6 + k]
        if along and o.moved[l] == 1:
            turn_directions(tr, o, l, l == i, l == i and mode)


@jit
def turn_directions(tr, o, l, own, mode):
    """dS . P of all rates of link l: a coordinate of its ``own`` varies, one of its modes (``mode``), or one further in."""
    tc, s, first = o.tree, tr.s, tr.ip[l, IU] + tr.ip[l, NU]
    for k in range(tr.ip[l, IU], first + tr.ip[l, NM]):
        if own:
            v, turn = at_origin(tc, l, k)
            dv, dturn = imaginary(v), imaginary(turn)
        else:
            v, turn = at_origin(tr, l, k)
            dv, dturn = bracket(o.field, l, v, turn)
        value = dot(dv, vec2(o.P, l, 0)) + dot(dturn, vec2(o.P, l, 3))
        if k < first:
            s[k, UU] += value
        else:
            s[k, PQ] += value
    for e in range(o.child_start[l], o.child_start[l + 1]):
        c = o.children[e]
        if tr.ip[c, INNER] < 0:
            continue
        for j in range(tr.ip[l, NM]):
            if mode:
                v, turn = way_at_origin(tc, c, j)
                dv, dturn = imaginary(v), imaginary(turn)
            else:
                v, turn = way_at_origin(tr, c, j)
                dv, dturn = bracket(o.field, l, v, turn)
            s[first + j, PQ] += dot(dv, vec2(o.P, c, 0)) + dot(dturn, vec2(o.P, c, 3))


@jit
def answer(p, o, t):
    """Accelerations that answer to the forces in P of w and s, in o.out; loops stay closed."""
    x, tr, lp = p.x, p.joints.tree, p.joints.loops
    x.a[:] = 0
    respond(tr, o.out, x)
    if lp.tile.size > 0:
        imaginary_state(p, o)
        o.x.V[:] = 0
        evaluate(o.rates, o.d, o.x, t, 0.0, 0.0, 0.0)
        for c in range(lp.tile.size):
            for r in range(6):
                k = 6 * lp.tile[c] + r
                lp.b[6 * c + r] = 0.0
                if lp.active[6 * c + r] == 1:
                    lp.b[6 * c + r] = (o.x.R[k].imag + p.par.rate * o.x.V[k].imag) / ETA + p.par.gap * o.gap[k]
        for k in range(lp.lines.shape[0]):
            lp.b[6 * lp.lines[k, 0]] = o.dR[lp.lines[k, 3]]
        multipliers(lp, REFINED)
        for k in range(lp.lines.shape[0]):
            o.out[lp.lines[k, 1]] = lp.y[6 * lp.lines[k, 0]]
        constraint_forces(tr, lp, x.D)
        respond(tr, o.out, x)
        x.a[:] = 0
    for k in range(tr.states.shape[0]):
        o.out[tr.states[k, 0]] = -tr.nominal[k] * o.dR[tr.states[k, 1]]
