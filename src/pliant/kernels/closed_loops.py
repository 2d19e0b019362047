"""Loops of a tree: equations of cut joints in joint coordinates, by sweeps along the paths from their bodies to the ground.

A sweep of the equations C of one cut joint carries their forces C^T inward through the articulated bodies, as the bias of the recursion.
What they do along every rate, z = S . F, gives the mobility without J or M:

    A = J M^-1 J^T = sum over rates z z^T / (S . U),   A lam = J a + gamma                              [loops-1]

Cut joints are coupled where their paths have rates in common: A is sparse, and is factorised by tiles, one per cut joint.
"""
from typing import NamedTuple

import numpy as np

from .block_lu import Elimination, factorise, solve, subtract_image
from .jit import index, inlined, jit
from .link_tables import A_, B_S, D_, DI, ELASTIC, INNER, IU, NM, NU, P_, PARENT, PQ, S_, U_, UU, WAY, WAYS
from .so3 import add, cross, dot, mat2, mat_add, matmul, mul, scale, skew, store2, transpose, vec, vec2
from .states import larger

LINK, ABOVE, FIRST, MODES = range(4)  # of path: link, entry of its parent (-1: the ground), first z of its joint, of its modes
SLIDES = 2  # of active: not an equation, but a place on a line, which is solved for together with the multipliers
L_RT, A_RT, R_Q, A_Q, DERIVATIVES = index(0, 3, 12, 15, 24)  # of G
ENTRY, BLOCK, MIRROR, MODE = range(4)  # of bodies: entry in the path, tile of C, tile of its transpose, its first mode or -1


class Loops(NamedTuple):
    """Cut joints, in the order of their tiles."""
    tile: np.ndarray
    active: np.ndarray      # whether a row of the tiles is an equation
    body_start: np.ndarray
    bodies: np.ndarray
    path_start: np.ndarray
    path: np.ndarray
    pair_tiles: np.ndarray  # (first, second cut joint, tile, its transpose) of A
    pair_start: np.ndarray
    pairs: np.ndarray       # z of the first, of the second, rate
    sliding: np.ndarray     # (tile, its transpose, tile of C, its transpose, cut joint, rate) by places on lines
    lines: np.ndarray       # (number among the tiles, and as `lines` of the tree)
    lu: Elimination
    F: np.ndarray           # forces per entry of a path, one row per equation
    G: np.ndarray           # per link, and for the ground: l_RT, A_RT, r_q, A_q of [loops-5]
    Z: np.ndarray
    D: np.ndarray           # -A, its factors
    tiles: np.ndarray       # -A
    b: np.ndarray
    y: np.ndarray
    r: np.ndarray
    pivots: np.ndarray


@jit
def clear(D, t):
    """A tile."""
    for i in range(6):
        for j in range(6):
            D[t, i, j] = 0


@jit
def clear_jacobian(lp, D):
    """The tiles of C and of its transpose."""
    for k in range(lp.bodies.shape[0]):
        clear(D, lp.bodies[k, BLOCK])
        clear(D, lp.bodies[k, MIRROR])
    for k in range(lp.sliding.shape[0]):
        clear(D, lp.sliding[k, 2])
        clear(D, lp.sliding[k, 3])


@jit
def rows_of(lp, c):
    """Equations of cut joint c are among so many first rows of its tile; the others are zero."""
    r = 6
    while r > 0 and lp.active[6 * c + r - 1] != 1:
        r -= 1
    return r


@jit
def row(F, e, r):
    """A force."""
    return (F[e, r, 0], F[e, r, 1], F[e, r, 2]), (F[e, r, 3], F[e, r, 4], F[e, r, 5])


@jit
def set_row(f, m, F, e, r):
    F[e, r, 0], F[e, r, 1], F[e, r, 2], F[e, r, 3], F[e, r, 4], F[e, r, 5] = f[0], f[1], f[2], m[0], m[1], m[2]


@jit
def place_forces(tr, lp, D, c):
    """F = C^T on the bodies of cut joint c, in world axes, Z of their modes; nothing on the other links of its path."""
    rows = rows_of(lp, c)
    for e in range(lp.path_start[c], lp.path_start[c + 1]):
        clear(lp.F, e)
        z = lp.path[e, MODES]
        for j in range(z, z + tr.ip[lp.path[e, LINK], NM]):
            for r in range(6):
                lp.Z[j, r] = 0
    for k in range(lp.body_start[c], lp.body_start[c + 1]):
        e, t, mode = lp.bodies[k, ENTRY], lp.bodies[k, BLOCK], lp.bodies[k, MODE]
        i = lp.path[e, LINK]
        if mode >= 0:
            for j in range(mode, min(mode + 6, tr.ip[i, NM])):
                for r in range(rows):
                    lp.Z[lp.path[e, MODES] + j, r] += D[t, r, j - mode]
            continue
        A = mat2(tr.w, i, A_)
        for r in range(rows):
            f, m = row(lp.F, e, r)
            own, turn = row(D, t, r)
            set_row(add(f, own), add(m, mul(A, turn)), lp.F, e, r)


@jit
def carry(tr, lp, e, i, above, rows):
    """Forces of an entry to that of the parent of its link i, and to the modes of that."""
    d, at, z = vec2(tr.w, i, D_), tr.ip[i, WAYS], lp.path[above, MODES]
    modes = tr.ip[tr.ip[i, PARENT], NM] if tr.ip[i, INNER] >= 0 else 0
    for r in range(rows):
        f, turn = row(lp.F, e, r)
        g, m = row(lp.F, above, r)
        set_row(add(g, f), add(m, add(turn, cross(d, f))), lp.F, above, r)
        for j in range(modes):
            lp.Z[z + j, r] += dot(vec(tr.m, at + WAY * j), f) + dot(vec(tr.m, at + WAY * j + 3), turn)


@jit
def sweep_modes(tr, lp, e, i, rows):
    """Z of the modes of a link: of J."""
    first, z = tr.ip[i, IU] + tr.ip[i, NU], lp.path[e, MODES]
    for j in range(tr.ip[i, NM]):
        a, b = vec2(tr.s, first + j, S_), vec2(tr.s, first + j, S_ + 3)
        for r in range(rows):
            f, m = row(lp.F, e, r)
            lp.Z[z + j, r] += dot(a, f) + dot(b, m)


@jit
def release_modes(tr, lp, e, i, rows):
    """From Z of J to L^-1 Z of [loops-1]; the forces are those that remain where the modes move freely."""
    n, first, z = tr.ip[i, NM], tr.ip[i, IU] + tr.ip[i, NU], lp.path[e, MODES]
    L = tr.ip[i, ELASTIC] + B_S + (6 + n) * n
    for j in range(n):
        for l in range(j):
            f = tr.m[L + n * j + l]
            for r in range(rows):
                lp.Z[z + j, r] -= f * lp.Z[z + l, r]
        release(tr, lp, first + j, e, z + j, rows)


@jit
def release(tr, lp, k, e, z, rows):
    """F -= U z / D for rate k: what remains of forces where it moves freely."""
    a, b, inverse = vec2(tr.s, k, U_), vec2(tr.s, k, U_ + 3), -tr.s[k, DI]
    for r in range(rows):
        f, m = row(lp.F, e, r)
        by = inverse * lp.Z[z, r]
        set_row(add(f, scale(by, a)), add(m, scale(by, b)), lp.F, e, r)


@inlined
def along(tr, lp, k, e, r):
    """What the force of row r at place e of a path does along rate k."""
    f, m = row(lp.F, e, r)
    return dot(vec2(tr.s, k, S_), f) + dot(vec2(tr.s, k, S_ + 3), m)


@jit
def sweep(tr, lp, D, c, articulated):
    """Z along the path of cut joint c. Through articulated bodies it is that of [loops-1]; else it is the Jacobian J^T itself."""
    rows = rows_of(lp, c)
    place_forces(tr, lp, D, c)
    for e in range(lp.path_start[c], lp.path_start[c + 1]):
        i, above, z = lp.path[e, LINK], lp.path[e, ABOVE], lp.path[e, FIRST]
        if tr.ip[i, NM] > 0:
            sweep_modes(tr, lp, e, i, rows)
            if articulated:
                release_modes(tr, lp, e, i, rows)
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] >= 0:
                continue
            for r in range(rows):
                lp.Z[z, r] = along(tr, lp, k, e, r)
            if articulated:
                release(tr, lp, k, e, z, rows)
            z += 1
        if above >= 0:
            carry(tr, lp, e, i, above, rows)


@jit
def local_frames(tr, G):
    """l_RT = A_p^T d and A_RT = A_p^T A of every link: its place and its axes, as the parent sees them."""
    for i in range(tr.ip.shape[0]):
        T = transpose(mat2(tr.w, tr.ip[i, PARENT], A_))
        store2(mul(T, vec2(tr.w, i, D_)), G, i, L_RT)
        store2(matmul(T, mat2(tr.w, i, A_)), G, i, A_RT)


@jit
def pass_on(tr, G, k, of, mode):
    """Derivatives of all places and axes by the coordinate of rate k of link ``of``, from the ground to the tips (``mode``: its number
    among the modes of that link, or -1):

        r_q = r_q,p + A_q,p l_RT,   A_q = A_q,p A_RT,   and of what k moves itself  r_q += S_v,  A_q += [S_w] A              [loops-5]

    A mode moves its own link by S, and those that the link carries at a node by what it does there."""
    for i in range(tr.ip.shape[0]):
        p = tr.ip[i, PARENT]
        before = mat2(G, p, A_Q)
        r, A = add(vec2(G, p, R_Q), mul(before, vec2(G, i, L_RT))), matmul(before, mat2(G, i, A_RT))
        at_node = mode >= 0 and p == of and tr.ip[i, INNER] >= 0
        if i == of or at_node:
            v, turn = vec2(tr.s, k, S_), vec2(tr.s, k, S_ + 3)
            if at_node:
                v, turn = vec(tr.m, tr.ip[i, WAYS] + WAY * mode), vec(tr.m, tr.ip[i, WAYS] + WAY * mode + 3)
            r, A = add(r, v), mat_add(A, 1.0, matmul(skew(turn), mat2(tr.w, i, A_)))
        store2(r, G, i, R_Q)
        store2(A, G, i, A_Q)


@jit
def by_chain_rule(tr, lp, c, to):
    """Z[to] += C_r r_q + C_A A_q of cut joint c, with what `pass_on` left."""
    G, rows = lp.G, rows_of(lp, c)
    for k in range(lp.body_start[c], lp.body_start[c + 1]):
        if lp.bodies[k, MODE] >= 0:
            continue
        e = lp.bodies[k, ENTRY]
        i = lp.path[e, LINK]
        v, M = vec2(G, i, R_Q), matmul(mat2(G, i, A_Q), transpose(mat2(tr.w, i, A_)))
        turn = scale(0.5, (M[7] - M[5], M[2] - M[6], M[3] - M[1]))
        for r in range(rows):
            f, m = row(lp.F, e, r)
            lp.Z[to, r] += dot(v, f) + dot(turn, m)


@jit
def differentiate(tr, lp, D):
    """The same Z = J^T of all cut joints by direct differentiation, Algorithm 2 of Zhang et al. 2023: for one coordinate after the other,
    derivatives of all places and axes are carried outward, and give a column of the Jacobian of every cut joint."""
    local_frames(tr, lp.G)
    for c in range(lp.tile.size):
        place_forces(tr, lp, D, c)
    for i in range(tr.ip.shape[0]):
        modes, free = tr.ip[i, IU] + tr.ip[i, NU], 0
        for k in range(tr.ip[i, IU], modes + tr.ip[i, NM]):
            if tr.drive[k] >= 0:
                continue
            pass_on(tr, lp.G, k, i, k - modes)
            for c in range(lp.tile.size):
                for e in range(lp.path_start[c], lp.path_start[c + 1]):
                    if lp.path[e, LINK] == i:
                        to = lp.path[e, FIRST] + free if k < modes else lp.path[e, MODES] + k - modes
                        if k < modes:
                            for r in range(6):
                                lp.Z[to, r] = 0
                        by_chain_rule(tr, lp, c, to)
            free += 1


@jit
def articulate(tr, lp, c):
    """From Z = J^T to that of [loops-1]: what the bodies above take up of a force along a rate is carried inward."""
    rows = rows_of(lp, c)
    for e in range(lp.path_start[c], lp.path_start[c + 1]):
        clear(lp.F, e)
    for e in range(lp.path_start[c], lp.path_start[c + 1]):
        i, above, z = lp.path[e, LINK], lp.path[e, ABOVE], lp.path[e, FIRST]
        if tr.ip[i, NM] > 0:
            sweep_modes(tr, lp, e, i, rows)
            release_modes(tr, lp, e, i, rows)
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] >= 0:
                continue
            for r in range(rows):
                lp.Z[z, r] += along(tr, lp, k, e, r)
            release(tr, lp, k, e, z, rows)
            z += 1
        if above >= 0:
            carry(tr, lp, e, i, above, rows)


@jit
def couple(tr, lp, k):
    """The tile of -A of a pair of cut joints, and its mirror image."""
    t, mirror, rows = lp.pair_tiles[k, 2], lp.pair_tiles[k, 3], rows_of(lp, lp.pair_tiles[k, 0])
    clear(lp.tiles, t)
    for e in range(lp.pair_start[k], lp.pair_start[k + 1]):
        x, y, weight = lp.pairs[e, 0], lp.pairs[e, 1], tr.s[lp.pairs[e, 2], DI]
        a, b = (lp.Z[y, 0], lp.Z[y, 1], lp.Z[y, 2]), (lp.Z[y, 3], lp.Z[y, 4], lp.Z[y, 5])
        for i in range(rows):
            by = -lp.Z[x, i] * weight
            f, m = row(lp.tiles, t, i)
            set_row(add(f, scale(by, a)), add(m, scale(by, b)), lp.tiles, t, i)
    if mirror != t:
        for i in range(6):
            for j in range(6):
                lp.tiles[mirror, j, i] = lp.tiles[t, i, j]


@jit
def mobility(tr, lp, D, direct):
    """-A and its factors from the Jacobian tiles in D; False when singular. ``direct``: J by differentiation, instead of sweeps."""
    if direct:
        differentiate(tr, lp, D)
    for c in range(lp.tile.size):
        if direct:
            articulate(tr, lp, c)
        else:
            sweep(tr, lp, D, c, True)
    lp.tiles[:] = 0
    for k in range(lp.pair_tiles.shape[0]):
        couple(tr, lp, k)
    for k in range(lp.sliding.shape[0]):
        t, mirror, by = lp.sliding[k, 0], lp.sliding[k, 1], lp.sliding[k, 2]
        for i in range(6):
            for j in range(6):
                lp.tiles[t, i, j], lp.tiles[mirror, j, i] = D[by, i, j], D[by, i, j]
    for k in range(lp.tiles.shape[0]):
        for i in range(6):
            for j in range(6):
                lp.D[k, i, j] = lp.tiles[k, i, j]
    return factorise(lp.D, lp.lu, lp.pivots)


@jit
def multipliers(lp, passes):
    """y with A y = b, refined so often; where equations depend on each other the soft diagonal keeps it bounded."""
    for k in range(lp.b.size):
        lp.y[k] = -lp.b[k]
    solve(lp.D, lp.lu, lp.y)
    for _ in range(passes):
        for k in range(lp.b.size):
            lp.r[k] = -lp.b[k]
        subtract_image(lp.tiles, lp.lu, lp.y, lp.r)
        solve(lp.D, lp.lu, lp.r)
        for k in range(lp.b.size):
            lp.y[k] += lp.r[k]


@jit
def gather(lp, R):
    """b = the equations among R; the largest magnitude."""
    worst = 0.0
    for c in range(lp.tile.size):
        for r in range(6):
            value = R[6 * lp.tile[c] + r] if lp.active[6 * c + r] == 1 else 0 * R[0]
            lp.b[6 * c + r] = value
            worst = larger(worst, abs(value))
    return worst


@jit
def constraint_forces(tr, lp, D):
    """P of w = C^T y, the forces of the multipliers y on the left side of the equations of the bodies; of modes in P of s."""
    w = tr.w
    for i in range(tr.ip.shape[0]):
        first = tr.ip[i, IU] + tr.ip[i, NU]
        for j in range(6):
            w[i, P_ + j] = 0
        for k in range(tr.ip[i, IU], first):
            tr.s[k, UU] = 0
        for k in range(first, first + tr.ip[i, NM]):
            tr.s[k, PQ] = 0
    for c in range(lp.tile.size):
        for k in range(lp.body_start[c], lp.body_start[c + 1]):
            i, t, mode = lp.path[lp.bodies[k, ENTRY], LINK], lp.bodies[k, BLOCK], lp.bodies[k, MODE]
            if mode >= 0:
                first = tr.ip[i, IU] + tr.ip[i, NU]
                for j in range(mode, min(mode + 6, tr.ip[i, NM])):
                    for r in range(6):
                        tr.s[first + j, PQ] += lp.y[6 * c + r] * D[t, r, j - mode]
                continue
            A = mat2(w, i, A_)
            for r in range(6):
                y = lp.y[6 * c + r]
                m = mul(A, (D[t, r, 3], D[t, r, 4], D[t, r, 5]))
                for j in range(3):
                    w[i, P_ + j] += y * D[t, r, j]
                    w[i, P_ + 3 + j] += y * m[j]


def no_loops() -> Loops:
    """Of a tree that needs none."""
    i1, i2 = np.zeros(1, np.int64), np.zeros((0, 4), np.int64)
    f1, f2, f3 = np.zeros(0), np.zeros((0, 6)), np.zeros((0, 6, 6))
    none = np.zeros(0, np.int64)
    lu = Elimination(none, none, i1, none, none, none, i1, none, np.zeros((0, 2), np.int64), f1)
    wide = np.zeros((0, 6), np.int64), np.zeros((0, 5), np.int64)
    G = np.zeros((0, DERIVATIVES))
    return Loops(none, none, i1, i2, i1, i2, i2, i1, i2[:, :3].copy(), *wide, lu, f3, G, f2, f3, f3, f1, f1, f1, none)
