"""What joints exert, as signals that conditions and friction read: a row for every equation of a joint adds its part to eight places of Y,
the last one makes the magnitudes. Multipliers are those of the last evaluation of accelerations. docs/theory/instants.md

The load of a bearing, or of a guideway, is made of them: docs/theory/friction.md
"""
import numpy as np

from ..kernels.contract import A, Family, P, Stage
from ..kernels.jit import index, jit
from ..kernels.pairs import FA, FB, GRADIENT, ROW, STIFFNESS
from ..kernels.so3 import accumulate, add, axis2, cross, dot, scale, sub, vec, vec2

KIND, AXIS_A, AXIS_B, PLACES = index(4, 5, 6, 7)  # ip: of which equation; its axes; where in Y force, moment and their magnitudes are
COINCIDENT, PERPENDICULAR, IN_PLANE, DISTANCE, SUM = index(0, 1, 2, 3, 4)
FORCE, MOMENT, SIZES, COUNT = index(0, 3, 6, 8)   # among these places
FROM, FIRST, LAST = index(4, 5, 6)                # ip of a load: where in Y these begin; rows of the equations
RADIAL, AXIAL, BENDING, PRELOAD = index(0, 1, 2, 3)  # rp of a load: levers, and what is there without the joint
BY_ROW = STIFFNESS                                # scratch: derivatives of a load by the six multipliers of its tile


@jit
def part(s, at, f, u):
    """Y += f u"""
    for i in range(3):
        s.Y[at + i] += f * u[i]


@jit
def magnitude(s, at):
    return np.sqrt(s.Y[at] * s.Y[at] + s.Y[at + 1] * s.Y[at + 1] + s.Y[at + 2] * s.Y[at + 2])


@jit
def react(s, b, o):
    """Force and moment on b, about its origin, in world axes: -lam times the gradient                  [exerted-1]"""
    for e in range(b.first, b.last):
        at, kind, row = b.ip[e, PLACES], b.ip[e, KIND], b.ip[e, ROW]
        fa, fb = b.ip[e, FA], b.ip[e, FB]
        if kind == SUM:
            s.Y[at + SIZES], s.Y[at + SIZES + 1] = magnitude(s, at + FORCE), magnitude(s, at + MOMENT)
        elif kind == COINCIDENT:
            for i in range(3):
                s.Y[at + FORCE + i] -= s.lam[row + i]
        elif kind == PERPENDICULAR:
            a, c = axis2(s.X, fa, A, b.ip[e, AXIS_A]), axis2(s.X, fb, A, b.ip[e, AXIS_B])
            part(s, at + MOMENT, s.lam[row], cross(a, c))
        elif kind == IN_PLANE:
            part(s, at + FORCE, -s.lam[row], axis2(s.X, fa, A, b.ip[e, AXIS_A]))
        else:
            d = sub(vec2(s.X, fb, P), vec2(s.X, fa, P))
            part(s, at + FORCE, -s.lam[row], scale(1 / np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), d))


@jit
def clear(s, b, o):
    """Before the first equation of a joint."""
    for e in range(b.first, b.last):
        for i in range(COUNT):
            s.Y[b.ip[e, PLACES] + i] = 0 * s.Y[b.ip[e, PLACES] + i]


@jit
def length(x):
    """|x|, complex-safe; 0 where it is none"""
    square = dot(x, x)
    return np.sqrt(square) if square.real > 0 else 0 * square


@jit
def direction(x):
    """x / |x|; 0 where it is none"""
    size = length(x)
    return scale(1 / size, x) if size.real > 0 else scale(0.0, x)


@jit
def bearing_load(s, b, e):
    """N = r_F |F - a (a . F)| + r_a |a . F| + r_M |M| + N_0, a: the axis of the joint                 [friction-5]"""
    a, F, M = axis2(s.X, b.ip[e, FA], A, 2), vec(s.Y, b.ip[e, FROM] + FORCE), vec(s.Y, b.ip[e, FROM] + MOMENT)
    along = dot(a, F)
    side, end = length(sub(F, scale(along, a))), along if along.real >= 0 else -along
    return b.rp[e, RADIAL] * side + b.rp[e, AXIAL] * end + b.rp[e, BENDING] * length(M) + b.rp[e, PRELOAD]


@jit
def turned(s, b, e, by_F, by_M, W):
    """Of N, one equation e of the joint: by its multiplier, and by the turns of both frames."""
    kind, lam, row = b.ip[e, KIND], s.lam[b.ip[e, ROW]], b.ip[e, ROW] % 6
    if kind == COINCIDENT:
        for i in range(3):
            W[BY_ROW + row + i] = -by_F[i]
    elif kind == PERPENDICULAR:
        a, c = axis2(s.X, b.ip[e, FA], A, b.ip[e, AXIS_A]), axis2(s.X, b.ip[e, FB], A, b.ip[e, AXIS_B])
        W[BY_ROW + row] = dot(by_M, cross(a, c))
        accumulate(lam, cross(a, cross(c, by_M)), W, GRADIENT + 3)
        accumulate(lam, cross(c, cross(by_M, a)), W, GRADIENT + 9)
    elif kind == IN_PLANE:
        u = axis2(s.X, b.ip[e, FA], A, b.ip[e, AXIS_A])
        W[BY_ROW + row] = -dot(by_F, u)
        accumulate(-lam, cross(u, by_F), W, GRADIENT + 3)


@jit
def bearing_slopes(s, b, e, W):
    """W[GRADIENT:] = dN along the twelve motions, W[BY_ROW:] = dN by the multipliers of the joint. With e = F_side / |F_side|

        dN/dF = r_F e + r_a sign(a . F) a,   dN/da = -r_F (a . F) e + r_a sign(a . F) F,   dN/dM = r_M M / |M|    [friction-6]"""
    a, F, M = axis2(s.X, b.ip[e, FA], A, 2), vec(s.Y, b.ip[e, FROM] + FORCE), vec(s.Y, b.ip[e, FROM] + MOMENT)
    along = dot(a, F)
    out, sign = direction(sub(F, scale(along, a))), 1.0 if along.real >= 0 else -1.0
    by_F = add(scale(b.rp[e, RADIAL], out), scale(b.rp[e, AXIAL] * sign, a))
    by_a = add(scale(-b.rp[e, RADIAL] * along, out), scale(b.rp[e, AXIAL] * sign, F))
    by_M = scale(b.rp[e, BENDING], direction(M))
    for i in range(12):
        W[GRADIENT + i] = 0
    for i in range(6):
        W[BY_ROW + i] = 0
    accumulate(1.0 + 0 * along, cross(a, by_a), W, GRADIENT + 3)
    for i in range(b.ip[e, FIRST], b.ip[e, LAST] + 1):
        turned(s, b, i, by_F, by_M, W)


EXERTED = Stage(residual=react, tangent=react, energy=react, power=react)
CLEARED = Family("cleared reaction", sense=Stage(residual=clear, tangent=clear, energy=clear, power=clear))
REACTION = Family("reaction", sense=EXERTED)  # its rows stand behind those that clear
