"""What joints exert, as signals that conditions read: a row for every equation of a joint adds its part to eight places of Y, the last one
makes the magnitudes. Multipliers are those of the last evaluation of accelerations. docs/theory/instants.md"""
import numpy as np

from ..kernels.contract import A, Family, P, Stage
from ..kernels.jit import index, jit
from ..kernels.pairs import FA, FB, ROW
from ..kernels.so3 import axis2, cross, scale, sub, vec2

KIND, AXIS_A, AXIS_B, PLACES = index(4, 5, 6, 7)  # ip: of which equation; its axes; where in Y force, moment and their magnitudes are
COINCIDENT, PERPENDICULAR, IN_PLANE, DISTANCE, SUM = index(0, 1, 2, 3, 4)
FORCE, MOMENT, SIZES, COUNT = index(0, 3, 6, 8)   # among these places


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


CLEARED = Family("cleared reaction", sense=Stage(residual=clear))
REACTION = Family("reaction", sense=Stage(residual=react))  # its rows stand behind those that clear
