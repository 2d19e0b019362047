"""Loops of a tree: equations of cut joints in joint coordinates, by sweeps along the paths from their bodies to the ground.

A sweep of the equations C of one cut joint carries their forces C^T inward through the articulated bodies, as the bias of the recursion.
What they do along every rate, z = S . F, gives the mobility without J or M:

    A = J M^-1 J^T = sum over rates z z^T / (S . U),   A lam = J a + gamma                              [loops-1]

Cut joints are coupled where their paths have rates in common: A is sparse, and is factorised by tiles, one per cut joint.
"""
from typing import NamedTuple

import numpy as np

from .jit import jit
from .recursion import A_, D_, DI, IU, NU, P_, S_, U_
from .so3 import add, cross, mat2, mul, scale, vec2
from .tiles import Elimination, factorise, solve, subtract_image

LINK, ABOVE, FIRST = range(3)  # of path: link, entry of its parent (-1: the ground), first of its z
ENTRY, BLOCK, MIRROR = range(3)  # of bodies: entry in the path, tile of C, tile of its transpose


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
    lu: Elimination
    F: np.ndarray           # forces per entry of a path, one row per equation
    Z: np.ndarray
    D: np.ndarray           # -A, its factors
    tiles: np.ndarray       # -A
    b: np.ndarray
    y: np.ndarray
    r: np.ndarray
    pivots: np.ndarray


@jit
def clear_jacobian(lp, D):
    """The tiles of C and of its transpose."""
    for k in range(lp.bodies.shape[0]):
        for i in range(6):
            for j in range(6):
                D[lp.bodies[k, BLOCK], i, j] = 0
                D[lp.bodies[k, MIRROR], i, j] = 0


@jit
def place_forces(tr, lp, D, c):
    """F = C^T on the bodies of cut joint c, in world axes; nothing on the other links of its path."""
    for e in range(lp.path_start[c], lp.path_start[c + 1]):
        for r in range(6):
            for j in range(6):
                lp.F[e, r, j] = 0
    for k in range(lp.body_start[c], lp.body_start[c + 1]):
        e, t = lp.bodies[k, ENTRY], lp.bodies[k, BLOCK]
        A = mat2(tr.w, lp.path[e, LINK], A_)
        for r in range(6):
            m = mul(A, (D[t, r, 3], D[t, r, 4], D[t, r, 5]))
            for j in range(3):
                lp.F[e, r, j] += D[t, r, j]
                lp.F[e, r, 3 + j] += m[j]


@jit
def carry(tr, lp, e, i, above):
    """Forces of an entry to that of the parent of its link i."""
    d = vec2(tr.w, i, D_)
    for r in range(6):
        f = lp.F[e, r, 0], lp.F[e, r, 1], lp.F[e, r, 2]
        m = add((lp.F[e, r, 3], lp.F[e, r, 4], lp.F[e, r, 5]), cross(d, f))
        for j in range(3):
            lp.F[above, r, j] += f[j]
            lp.F[above, r, 3 + j] += m[j]


@jit
def sweep(tr, lp, D, c, articulated):
    """Z along the path of cut joint c. Through articulated bodies it is that of [loops-1]; else it is the Jacobian J^T itself."""
    s = tr.s
    place_forces(tr, lp, D, c)
    for e in range(lp.path_start[c], lp.path_start[c + 1]):
        i, above, z = lp.path[e, LINK], lp.path[e, ABOVE], lp.path[e, FIRST]
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] >= 0:
                continue
            a, b = vec2(s, k, S_), vec2(s, k, S_ + 3)
            for r in range(6):
                value = (a[0] * lp.F[e, r, 0] + a[1] * lp.F[e, r, 1] + a[2] * lp.F[e, r, 2] + b[0] * lp.F[e, r, 3]
                         + b[1] * lp.F[e, r, 4] + b[2] * lp.F[e, r, 5])
                lp.Z[z, r] = value
                if articulated:
                    for j in range(6):
                        lp.F[e, r, j] -= value * s[k, DI] * s[k, U_ + j]
            z += 1
        if above >= 0:
            carry(tr, lp, e, i, above)


@jit
def differentiate(tr, lp, D, c):
    """The same Z = J^T by direct differentiation: every rate on the path moves the links above it, one after the other."""
    w, s = tr.w, tr.s
    first, last = lp.path_start[c], lp.path_start[c + 1]
    place_forces(tr, lp, D, c)
    for e in range(first, last):
        i, z = lp.path[e, LINK], lp.path[e, FIRST]
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] >= 0:
                continue
            for r in range(6):
                lp.Z[z, r] = 0
            for j in range(lp.body_start[c], lp.body_start[c + 1]):
                at, v, turn = lp.bodies[j, ENTRY], vec2(s, k, S_), vec2(s, k, S_ + 3)
                top, between = at, scale(0.0, v)
                while top >= 0 and top != e:  # v_body = v + turn x (way from link i to the body)
                    between = add(between, vec2(w, lp.path[top, LINK], D_))
                    top = lp.path[top, ABOVE]
                if top < 0:
                    continue
                v = add(v, cross(turn, between))
                for r in range(6):
                    lp.Z[z, r] += (v[0] * lp.F[at, r, 0] + v[1] * lp.F[at, r, 1] + v[2] * lp.F[at, r, 2] + turn[0] * lp.F[at, r, 3]
                                   + turn[1] * lp.F[at, r, 4] + turn[2] * lp.F[at, r, 5])
            z += 1


@jit
def articulate(tr, lp, c):
    """From Z = J^T to that of [loops-1]: what the bodies above take up of a force along a rate is carried inward."""
    s = tr.s
    for e in range(lp.path_start[c], lp.path_start[c + 1]):
        for r in range(6):
            for j in range(6):
                lp.F[e, r, j] = 0
    for e in range(lp.path_start[c], lp.path_start[c + 1]):
        i, above, z = lp.path[e, LINK], lp.path[e, ABOVE], lp.path[e, FIRST]
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] >= 0:
                continue
            for r in range(6):
                for j in range(6):
                    lp.Z[z, r] += s[k, S_ + j] * lp.F[e, r, j]
                for j in range(6):
                    lp.F[e, r, j] -= lp.Z[z, r] * s[k, DI] * s[k, U_ + j]
            z += 1
        if above >= 0:
            carry(tr, lp, e, i, above)


@jit
def mobility(tr, lp, D, direct):
    """-A and its factors from the Jacobian tiles in D; False when singular. ``direct``: J by differentiation, instead of sweeps."""
    for c in range(lp.tile.size):
        if direct:
            differentiate(tr, lp, D, c)
            articulate(tr, lp, c)
        else:
            sweep(tr, lp, D, c, True)
    lp.tiles[:] = 0
    for k in range(lp.pair_tiles.shape[0]):
        t, mirror = lp.pair_tiles[k, 2], lp.pair_tiles[k, 3]
        for e in range(lp.pair_start[k], lp.pair_start[k + 1]):
            x, y, weight = lp.pairs[e, 0], lp.pairs[e, 1], tr.s[lp.pairs[e, 2], DI]
            for i in range(6):
                f = lp.Z[x, i] * weight
                for j in range(6):
                    lp.tiles[t, i, j] -= f * lp.Z[y, j]
        if mirror != t:
            for i in range(6):
                for j in range(6):
                    lp.tiles[mirror, j, i] = lp.tiles[t, i, j]
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
            if not abs(value) <= worst:
                worst = abs(value)
    return worst


@jit
def constraint_forces(tr, lp, D):
    """P of w = C^T y, the forces of the multipliers y on the left side of the equations of the bodies."""
    w = tr.w
    for i in range(tr.ip.shape[0]):
        for j in range(6):
            w[i, P_ + j] = 0
    for c in range(lp.tile.size):
        for k in range(lp.body_start[c], lp.body_start[c + 1]):
            i, t = lp.path[lp.bodies[k, ENTRY], LINK], lp.bodies[k, BLOCK]
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
    return Loops(none, none, i1, i2[:, :3].copy(), i1, i2[:, :3].copy(), i2, i1, i2[:, :3].copy(), lu, f3, f2, f3, f3, f1, f1, f1, none)
