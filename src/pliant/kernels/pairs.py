"""What elements between two frames A and B share. They never see a body: forces go to frames, derivatives through J and L.

The twelve motions of a pair are x = (p_A, th_A, p_B, th_B) in world axes, u = (v_A, w_A, v_B, w_B) their rates. A wrench on
the pair is the twelve-vector that belongs to x. Everything added here stands on the left side of M a + ... = 0.
"""
from .contract import TABLE, F, V
from .jit import index, inlined, jit

FA, FB, ROW = index(1, 2, 3)         # ip of every pair element: its frames, and (constraints) its equation
MOVE, TURN = index(0, 3)             # displacement or rotation rows of J
GRADIENT, STIFFNESS, DAMPING, RATES = index(64, 76, 220, 364)  # scratch: places in W, after the stack of the expression machine


@jit
def add_wrench(s, b, e, f, W):
    """Add f times the wrench W[GRADIENT:] to the two frames."""
    for i in range(6):
        s.X[b.ip[e, FA], F + i] += f * W[GRADIENT + i]
        s.X[b.ip[e, FB], F + i] += f * W[GRADIENT + 6 + i]


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
def motion(s, b, o, f, i, c, r):
    """How row r of x follows column c of tile i of q, times ck."""
    return o.ck * s.J[b.fr[f, 1] + i, r, c]


@jit
def rate_motion(s, b, o, f, i, c, r):
    """How row r of u follows column c of tile i of the unknown: cd J T + ck L. T turns an increment of q into that of v."""
    j = b.fr[f, 1] + i
    g = s.J[j, r, c]
    if c >= 3:  # every tile has its rotations in columns 3 to 5
        t = b.fr[f, 3] + i
        g = s.J[j, r, 3] * s.T[t, c - 3] + s.J[j, r, 4] * s.T[t, c] + s.J[j, r, 5] * s.T[t, c + 3]
    return o.cd * g + o.ck * s.L[j, r, c]


@jit
def add_pair(s, b, o, e, damped):
    """D += J^T (ck K J + C (cd J T + ck L)) with K = W[STIFFNESS:], C = W[DAMPING:], 12x12; tiles numbered -1 are left out."""
    na, m = b.fr[b.ip[e, FA], 0], b.fr[b.ip[e, FA], 0] + b.fr[b.ip[e, FB], 0] + 1
    for side_c in range(2):
        fc = b.ip[e, FA + side_c]
        for j in range(b.fr[fc, 0]):
            for c in range(6):
                for k in range(12):  # W[RATES:] = column c of K x_q + C u_q
                    o.W[RATES + k] = 0
                for r in range(6):
                    x, u = motion(s, b, o, fc, j, c, r), rate_motion(s, b, o, fc, j, c, r) if damped else 0 * o.W[0]
                    for k in range(12):
                        at = 12 * k + 6 * side_c + r
                        o.W[RATES + k] += o.W[STIFFNESS + at] * x + (o.W[DAMPING + at] * u if damped else 0 * u)
                for side_r in range(2):
                    f = b.ip[e, FA + side_r]
                    for i in range(b.fr[f, 0]):
                        block, t = b.tab[b.ip[e, TABLE] + m * (side_r * na + i) + side_c * na + j], b.fr[f, 1] + i
                        if block >= 0:
                            for k in range(6):
                                for r in range(6):
                                    o.D[block, k, c] += s.J[t, r, k] * o.W[RATES + 6 * side_r + r]
