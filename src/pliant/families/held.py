"""Equations that hold frame B where it was against frame A at some instant: of locks and of joints connected where they are. The place and
the axes at that instant are numbers of the history. docs/theory/structure.md"""
from ..kernels.contract import AV, AW, A, Family, M, P, Stage, V, W
from ..kernels.jit import index, jit
from ..kernels.pairs import FA, FB, GRADIENT, MOVE, ROW, TURN, add_pair, add_row, add_wrench, clear_stiffness, exact, put
from ..kernels.so3 import add, axis2, cross, dot, dyad, scale, skew, store, sub, vec2

AXIS, KEPT = index(4, 5)   # ip: axis of A; in the history: the place of B in the axes of A, 3, and its axes in those, 9, row by row
FIRST, SECOND = AXIS, index(6)  # ip of axes: axis of A, and which of those that B had in common with A then
PLACE, AXES = index(0, 3)  # in what is kept


@jit
def distance(s, b, e):
    """a and d = p_B - p_A"""
    fa, fb = b.ip[e, FA], b.ip[e, FB]
    return axis2(s.X, fa, A, b.ip[e, AXIS]), sub(vec2(s.X, fb, P), vec2(s.X, fa, P))


@jit
def place(s, b, o):
    """g = a . d - d0,  d = p_B - p_A; (-lam a, lam a x d) on A, (lam a, 0) on B                      [held-1]"""
    for e in range(b.first, b.last):
        row = b.ip[e, ROW]
        a, d = distance(s, b, e)
        o.R[row] += dot(a, d) - s.H[b.ip[e, KEPT] + PLACE + b.ip[e, AXIS]]
        store(scale(-1.0, a), o.W, GRADIENT)
        store(cross(a, d), o.W, GRADIENT + 3)
        store(a, o.W, GRADIENT + 6)
        store(scale(0.0, a), o.W, GRADIENT + 9)
        add_wrench(s, b, e, s.lam[row], o.W)


@jit
def place_tangent(s, b, o):
    """As [d2-2]"""
    place(s, b, o)
    for e in range(b.first, b.last):
        row = b.ip[e, ROW]
        a, d = distance(s, b, e)
        for side in range(2):
            add_row(s, b, o, e, side, row % 6, MOVE, scale(2.0 * side - 1, a))
        add_row(s, b, o, e, 0, row % 6, TURN, cross(a, d))
        if exact(b, e):
            N, f = skew(a), s.lam[row]
            clear_stiffness(o.W)
            put(o.W, 0, 3, f, N)
            put(o.W, 6, 3, -f, N)
            put(o.W, 3, 3, f, dyad(a, d, -dot(a, d)))
            put(o.W, 3, 0, -f, N)
            put(o.W, 3, 6, f, N)
            add_pair(s, b, o, e, False)


@jit
def place_rates(s, b, o):
    """As [d2-3]"""
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        a, d = distance(s, b, e)
        w, d1, d2 = vec2(s.X, fa, W), sub(vec2(s.X, fb, V), vec2(s.X, fa, V)), sub(vec2(s.X, fb, AV), vec2(s.X, fa, AV))
        a1 = cross(w, a)
        a2 = add(cross(vec2(s.X, fa, AW), a), cross(w, a1))
        o.V[row] += dot(a, d1) + dot(a1, d)
        o.R[row] += dot(a, d2) + 2 * dot(a1, d1) + dot(a2, d)


@jit
def directions(s, b, e):
    """Axis i of A, and the direction fixed in B that was axis j of A: sum_k R0[j, k] b_k"""
    fb, r = b.ip[e, FB], b.ip[e, KEPT] + AXES + 3 * b.ip[e, SECOND]
    c = add(scale(s.H[r], axis2(s.X, fb, A, 0)), add(scale(s.H[r + 1], axis2(s.X, fb, A, 1)), scale(s.H[r + 2], axis2(s.X, fb, A, 2))))
    return axis2(s.X, b.ip[e, FA], A, b.ip[e, FIRST]), c


@jit
def axes(s, b, o):
    """g = a_i . c_j,  c_j = R_B R0^T e_j; moment lam a x c on A, the opposite on B                   [held-2]"""
    for e in range(b.first, b.last):
        row = b.ip[e, ROW]
        a, c = directions(s, b, e)
        n = cross(a, c)
        o.R[row] += dot(a, c)
        for i in range(3):
            s.X[b.ip[e, FA], M + i] += s.lam[row] * n[i]
            s.X[b.ip[e, FB], M + i] -= s.lam[row] * n[i]


@jit
def axes_tangent(s, b, o):
    """As [d1-2]"""
    axes(s, b, o)
    for e in range(b.first, b.last):
        row = b.ip[e, ROW]
        a, c = directions(s, b, e)
        n = cross(a, c)
        for side in range(2):
            add_row(s, b, o, e, side, row % 6, TURN, scale(1.0 - 2 * side, n))
        if exact(b, e):
            clear_stiffness(o.W)
            for side in range(2):
                f = s.lam[row] * (1.0 - 2 * side)
                put(o.W, 3 + 6 * side, 3, f, dyad(a, c, -dot(a, c)))
                put(o.W, 3 + 6 * side, 9, -f, dyad(c, a, -dot(a, c)))
            add_pair(s, b, o, e, False)


@jit
def axes_rates(s, b, o):
    """As [d1-3]"""
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        a, c = directions(s, b, e)
        wa, wb = vec2(s.X, fa, W), vec2(s.X, fb, W)
        n, n_dot = cross(a, c), add(cross(cross(wa, a), c), cross(a, cross(wb, c)))
        o.V[row] += dot(sub(wa, wb), n)
        o.R[row] += dot(sub(vec2(s.X, fa, AW), vec2(s.X, fb, AW)), n) + dot(sub(wa, wb), n_dot)


HELD_PLACE = Family("held place", act=Stage(place, place_tangent, place_rates))
HELD_AXES = Family("held axes", act=Stage(axes, axes_tangent, axes_rates))
