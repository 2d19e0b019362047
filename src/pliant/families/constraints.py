"""Constraint primitives between two frames. A joint is a list of them sharing one tile of multipliers.

They read frames only, so they serve every kind of body. Equations: docs/theory/joints.md
"""
from ..kernels.contract import AV, AW, POWER, TABLE, A, F, Family, M, P, Stage, V, W
from ..kernels.coordinates import ANGLE, AXIS, HISTORY, KIND, ZERO, acceleration, angle_of, coordinate, hessian, rate, unwrap
from ..kernels.expression_vm import JUMPS, KINKS, evaluate
from ..kernels.jit import index, jit
from ..kernels.pairs import FA, FB, MOVE, ROW, TURN, add_gradient, add_pair, add_row, add_wrench, clear_stiffness, exact, put, watch_turning
from ..kernels.so3 import accumulate, accumulate2, add, axis2, cross, dot, dyad, scale, skew, sub, vec2

ON_A = index(0)
AXIS_A, AXIS_B = index(4, 5)              # ip of d1
CODE, CODE_T, CODE_TT = index(7, 8, 9)    # ip of a coordinate equation: its function of time and the derivatives; -1: none
FACTOR, OFFSET = index(1, 2)              # rp of a coordinate equation, after ZERO


@jit
def coincident(s, b, o):
    """g = p_B - p_A; -lam on A, lam on B                                                            [coincident-1]"""
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        for i in range(3):
            o.R[row + i] += s.X[fb, P + i] - s.X[fa, P + i]
            s.X[fa, F + i] -= s.lam[row + i]
            s.X[fb, F + i] += s.lam[row + i]


@jit
def coincident_tangent(s, b, o):
    """g_q = J_B - J_A, displacement rows                                                            [coincident-2]"""
    coincident(s, b, o)
    for e in range(b.first, b.last):
        na, m = b.fr[b.ip[e, FA], 0], b.fr[b.ip[e, FA], 0] + b.fr[b.ip[e, FB], 0] + 1
        ja, jb, table, row = b.fr[b.ip[e, FA], 1], b.fr[b.ip[e, FB], 1] - na, b.ip[e, TABLE], b.ip[e, ROW] % 6
        for i in range(m - 1):
            j, sign = i + (ja if i < na else jb), -1.0 if i < na else 1.0
            k, kt = b.tab[table + m * (m - 1) + i], b.tab[table + m * i + m - 1]
            for r in range(3):
                for c in range(6):
                    g = sign * s.J[j, r, c]
                    o.D[k, row + r, c] += g
                    o.D[kt, c, row + r] += g


@jit
def coincident_rates(s, b, o):
    """g' = v_B - v_A,  g'' = v_B' - v_A'                                                            [coincident-3]"""
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        accumulate(1.0, sub(vec2(s.X, fb, V), vec2(s.X, fa, V)), o.V, row)
        accumulate(1.0, sub(vec2(s.X, fb, AV), vec2(s.X, fa, AV)), o.R, row)


@jit
def perpendicular(s, b, o):
    """g = a . b; moment lam a x b on A, the opposite on B                                           [d1-1]"""
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        a, c = axis2(s.X, fa, A, b.ip[e, AXIS_A]), axis2(s.X, fb, A, b.ip[e, AXIS_B])
        n = cross(a, c)
        o.R[row] += dot(a, c)
        accumulate2(s.lam[row], n, s.X, fa, M)
        accumulate2(-s.lam[row], n, s.X, fb, M)


@jit
def perpendicular_tangent(s, b, o):
    """n = a x b,  g_q = n (J_A - J_B),  dn = (a b^T - a.b 1) th_A + (a.b 1 - b a^T) th_B            [d1-2]"""
    perpendicular(s, b, o)
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        a, c = axis2(s.X, fa, A, b.ip[e, AXIS_A]), axis2(s.X, fb, A, b.ip[e, AXIS_B])
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
def perpendicular_rates(s, b, o):
    """g' = (w_A - w_B) . n,  g'' = (w_A' - w_B') . n + (w_A - w_B) . n',  n = a x b                  [d1-3]"""
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        a, c = axis2(s.X, fa, A, b.ip[e, AXIS_A]), axis2(s.X, fb, A, b.ip[e, AXIS_B])
        wa, wb = vec2(s.X, fa, W), vec2(s.X, fb, W)
        n, n_dot = cross(a, c), add(cross(cross(wa, a), c), cross(a, cross(wb, c)))
        o.V[row] += dot(sub(wa, wb), n)
        o.R[row] += dot(sub(vec2(s.X, fa, AW), vec2(s.X, fb, AW)), n) + dot(sub(wa, wb), n_dot)


@jit
def in_plane(s, b, o):
    """g = a . d,  d = p_B - p_A; (-lam a, lam a x d) on A, (lam a, 0) on B                           [d2-1]"""
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        a, d = axis2(s.X, fa, A, b.ip[e, AXIS_A]), sub(vec2(s.X, fb, P), vec2(s.X, fa, P))
        o.R[row] += dot(a, d)
        accumulate2(-s.lam[row], a, s.X, fa, F)
        accumulate2(s.lam[row], cross(a, d), s.X, fa, M)
        accumulate2(s.lam[row], a, s.X, fb, F)


@jit
def in_plane_tangent(s, b, o):
    """g_q = (-a, a x d) J_A + (a, 0) J_B; da = th_A x a                                             [d2-2]"""
    in_plane(s, b, o)
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        a, d = axis2(s.X, fa, A, b.ip[e, AXIS_A]), sub(vec2(s.X, fb, P), vec2(s.X, fa, P))
        for side in range(2):
            add_row(s, b, o, e, side, row % 6, MOVE, scale(2.0 * side - 1, a))
        add_row(s, b, o, e, ON_A, row % 6, TURN, cross(a, d))
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
def in_plane_rates(s, b, o):
    """g' = a . d' + a' . d,  g'' = a . d'' + 2 a' . d' + a'' . d,  a' = w_A x a                      [d2-3]"""
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        a, d, w = axis2(s.X, fa, A, b.ip[e, AXIS_A]), sub(vec2(s.X, fb, P), vec2(s.X, fa, P)), vec2(s.X, fa, W)
        d1, d2 = sub(vec2(s.X, fb, V), vec2(s.X, fa, V)), sub(vec2(s.X, fb, AV), vec2(s.X, fa, AV))
        a1 = cross(w, a)
        a2 = add(cross(vec2(s.X, fa, AW), a), cross(w, a1))
        o.V[row] += dot(a, d1) + dot(a1, d)
        o.R[row] += dot(a, d2) + 2 * dot(a1, d1) + dot(a2, d)


@jit
def function(s, b, o, e, code):
    """f(t) of a drive. A kink of it is a jump of velocities: it counts as one."""
    if code < 0:
        return 0 * s.H[0]
    o.W[KINKS] = 0
    value = evaluate(s.t, 0 * s.H[0], 0 * s.H[0], s.Y, b.tab, b.val, code, o.W)
    o.W[JUMPS] += o.W[KINKS]
    return value


@jit
def coordinate_equation(s, b, o):
    """g = factor c - offset - f(t), with c of kernels.coordinates; several rows may share one equation   [coordinate-5]"""
    for e in range(b.first, b.last):
        row, target = b.ip[e, ROW], function(s, b, o, e, b.ip[e, CODE]) + b.rp[e, OFFSET]
        c = coordinate(s, b, e, o.W)
        if b.ip[e, KIND] == ANGLE and b.ip[e, CODE] >= 0:  # a driven angle needs no count of its turns
            c = unwrap(c, target / b.rp[e, FACTOR])
        o.R[row] += b.rp[e, FACTOR] * c - target
        add_wrench(s, b, e, s.lam[row] * b.rp[e, FACTOR], o.W)


@jit
def coordinate_tangent(s, b, o):
    """g_q = factor gradient J;  K = lam factor hessian                                              [coordinate-6]"""
    coordinate_equation(s, b, o)
    for e in range(b.first, b.last):
        coordinate(s, b, e, o.W)
        add_gradient(s, b, o, e, b.rp[e, FACTOR])
        if exact(b, e):
            hessian(s, b, e, s.lam[b.ip[e, ROW]] * b.rp[e, FACTOR], o.W)
            add_pair(s, b, o, e, False)


@jit
def coordinate_rates(s, b, o):
    """g' = factor c' - f'(t),  g'' = factor c'' - f''(t)                                            [coordinate-7]"""
    for e in range(b.first, b.last):
        row = b.ip[e, ROW]
        f1, f2 = function(s, b, o, e, b.ip[e, CODE_T]), function(s, b, o, e, b.ip[e, CODE_TT])
        coordinate(s, b, e, o.W)
        o.V[row] += b.rp[e, FACTOR] * rate(s, b, e, o.W) - f1
        o.R[row] += b.rp[e, FACTOR] * acceleration(s, b, e, o.W) - f2


@jit
def count_turns(s, b, o):
    """H = the angle, continued from its last accepted value"""
    for e in range(b.first, b.last):
        h = b.ip[e, HISTORY]
        s.H[h] = unwrap(angle_of(s.X, b.ip[e, FA], b.ip[e, FB], b.ip[e, AXIS]) + b.rp[e, ZERO], s.H[h])
        watch_turning(s, b, o, e)


@jit
def drive_power(s, b, o):
    """P = -lam f'(t): the drive supplies what its equation of motion has on the left"""
    for e in range(b.first, b.last):
        o.E[POWER] -= s.lam[b.ip[e, ROW]] * function(s, b, o, e, b.ip[e, CODE_T])


COINCIDENT = Family("coincident", act=Stage(coincident, coincident_tangent, coincident_rates))
PERPENDICULAR = Family("perpendicular", act=Stage(perpendicular, perpendicular_tangent, perpendicular_rates))
COORDINATE = Family("coordinate", act=Stage(coordinate_equation, coordinate_tangent, coordinate_rates))
DRIVE = Family("drive", act=Stage(coordinate_equation, coordinate_tangent, coordinate_rates, power=drive_power))
IN_PLANE = Family("in plane", act=Stage(in_plane, in_plane_tangent, in_plane_rates))
TURNS = Family("turns", act=Stage(history=count_turns))
