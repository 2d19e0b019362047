"""What elements between two frames A and B share. They never see a body: forces go to frames, derivatives through J and L.

The twelve motions of a pair are x = (p_A, th_A, p_B, th_B) in world axes, u = (v_A, w_A, v_B, w_B) their rates. A wrench on
the pair is the twelve-vector that belongs to x. Everything added here stands on the left side of M a + ... = 0.
"""
import numpy as np

from .contract import TABLE, TURNING, F, V, W
from .jit import index, inlined, jit
from .so3 import dot, sub, vec2

FA, FB, ROW = index(1, 2, 3)         # ip of every pair element: its frames, and (constraints) its equation
MOVE, TURN = index(0, 3)             # displacement or rotation rows of J
# scratch: places in W, after the stack of the expression machine
GRADIENT, STIFFNESS, DAMPING, RATES, MOTION, PRODUCT = index(64, 76, 220, 364, 512, 548)


@jit
def add_wrench(s, b, e, f, W):
    """Add f times the wrench W[GRADIENT:] to the two frames."""
    for i in range(6):
        s.X[b.ip[e, FA], F + i] += f * W[GRADIENT + i]
        s.X[b.ip[e, FB], F + i] += f * W[GRADIENT + 6 + i]


@jit
def watch_turning(s, b, o, e):
    """E[TURNING] = the largest relative angular velocity so far"""
    w = sub(vec2(s.X, b.ip[e, FB], W), vec2(s.X, b.ip[e, FA], W))
    speed = np.sqrt(dot(w, w).real)
    if speed > o.E[TURNING].real:
        o.E[TURNING] = speed


@jit
def load_rates(s, b, e, W):
    """W[RATES:] = u"""
    for i in range(6):
        W[RATES + i] = s.X[b.ip[e, FA], V + i]
        W[RATES + 6 + i] = s.X[b.ip[e, FB], V + i]


@jit
def exact(b, e):
    """Whether the body-body blocks of a joint are wanted; by default they are left out (docs/theory/solver.md)."""
    return b.tab[b.ip[e, TABLE]] >= 0


@inlined
def add_row(s, b, o, e, side, row, part, d):
    """Gradient d of equation ``row`` of the joint's tile by the displacement or rotation of one frame, and its transpose."""
    na, m = b.fr[b.ip[e, FA], 0], b.fr[b.ip[e, FA], 0] + b.fr[b.ip[e, FB], 0] + 1
    f, table, first = b.ip[e, FA + side], b.ip[e, TABLE], side * na
    for i in range(b.fr[f, 0]):
        j, c, ct = b.fr[f, 1] + i, b.tab[table + m * (m - 1) + first + i], b.tab[table + m * (first + i) + m - 1]
        for k in range(6):
            g = d[0] * s.J[j, part, k] + d[1] * s.J[j, part + 1, k] + d[2] * s.J[j, part + 2, k]
            o.D[c, row, k] += g
            o.D[ct, k, row] += g


@jit
def add_gradient(s, b, o, e, f):
    """f W[GRADIENT:] as the row and the column of the element's equation, over all tiles of both frames."""
    row = b.ip[e, ROW] % 6
    for side in range(2):
        k = GRADIENT + 6 * side
        for part in range(0, 6, 3):
            add_row(s, b, o, e, side, row, part, (f * o.W[k + part], f * o.W[k + part + 1], f * o.W[k + part + 2]))


@jit
def put(W, row, column, f, K):
    """W[STIFFNESS:][row:row+3, column:column+3] += f K"""
    for i in range(3):
        for j in range(3):
            W[STIFFNESS + 12 * (row + i) + column + j] += f * K[3 * i + j]


@jit
def clear_stiffness(W):
    for i in range(144):
        W[STIFFNESS + i] = 0


@jit
def rate_motions(s, b, o, f, i):
    """W[MOTION:] = cd J T + ck L: how the rows of u follow tile i of the unknown. T turns an increment of q into that of v."""
    j, t = b.fr[f, 1] + i, b.fr[f, 3] + i
    for r in range(6):
        for c in range(3):
            o.W[MOTION + 6 * r + c] = o.cd * s.J[j, r, c] + o.ck * s.L[j, r, c]
        for c in range(3):  # every tile has its rotations in columns 3 to 5
            g = s.J[j, r, 3] * s.T[t, c] + s.J[j, r, 4] * s.T[t, c + 3] + s.J[j, r, 5] * s.T[t, c + 6]
            o.W[MOTION + 6 * r + c + 3] = o.cd * g + o.ck * s.L[j, r, c + 3]


@jit
def add_pair(s, b, o, e, damped):
    """D += J^T (ck K J + C (cd J T + ck L)) with K = W[STIFFNESS:], C = W[DAMPING:], 12x12; tiles numbered -1 are left out.

    Sums run over the innermost, contiguous index, so that no addition waits for the one before."""
    na, m = b.fr[b.ip[e, FA], 0], b.fr[b.ip[e, FA], 0] + b.fr[b.ip[e, FB], 0] + 1
    for side_c in range(2):
        fc = b.ip[e, FA + side_c]
        for j in range(b.fr[fc, 0]):
            tile = b.fr[fc, 1] + j
            if damped:
                rate_motions(s, b, o, fc, j)
            for side_r in range(2):
                f = b.ip[e, FA + side_r]
                for k in range(6):  # W[PRODUCT:] = K x_q + C u_q of the two frames
                    for c in range(6):
                        o.W[PRODUCT + 6 * k + c] = 0
                    for r in range(6):
                        at = 12 * (6 * side_r + k) + 6 * side_c + r
                        y = o.ck * o.W[STIFFNESS + at]
                        for c in range(6):
                            o.W[PRODUCT + 6 * k + c] += y * s.J[tile, r, c]
                        if damped:
                            z = o.W[DAMPING + at]
                            for c in range(6):
                                o.W[PRODUCT + 6 * k + c] += z * o.W[MOTION + 6 * r + c]
                for i in range(b.fr[f, 0]):
                    block, t = b.tab[b.ip[e, TABLE] + m * (side_r * na + i) + side_c * na + j], b.fr[f, 1] + i
                    if block >= 0:
                        for r in range(6):
                            for k in range(6):
                                y = s.J[t, r, k]
                                for c in range(6):
                                    o.D[block, k, c] += y * o.W[PRODUCT + 6 * r + c]
