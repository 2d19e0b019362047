"""Signals: coordinates of frames and their rates that expressions refer to, and how forces answer to them in the tangent."""
from ..kernels.contract import TABLE, A, Family, Stage
from ..kernels.coordinates import coordinate, hessian, rate
from ..kernels.expression_vm import evaluate
from ..kernels.jit import index, jit
from ..kernels.pairs import DAMPING, FA, GRADIENT, MOTION, MOVE, RATES, STIFFNESS, rate_motions
from ..kernels.so3 import axis2, cross, scale, store, vec
from .loads import FOLLOWS, PART, arm
from .springs import REST

SLOT, ORDER = index(7, 8)               # ip of a signal, after those of a coordinate: its place in Y; 0 value, 1 rate
SIGNAL, DERIVATIVE, COMPONENT = index(10, 11, 9)  # ip of an answer, after those of its force: row of the signal; d(force)/d(signal)
TARGET = index(376)                     # scratch: the wrench that a unit of force is


@jit
def sense(s, b, o):
    """Y = c or c'"""
    for e in range(b.first, b.last):
        c = coordinate(s, b, e, o.W)
        s.Y[b.ip[e, SLOT]] = rate(s, b, e, o.W) if b.ip[e, ORDER] == 1 else c


@jit
def add_answer(s, b, o, e, f):
    """D += f J^T target (dy/dq, dy/dv): rows of the force's bodies, columns of the signal's bodies"""
    signal, W = b.ip[e, SIGNAL], o.W
    coordinate(s, b, signal, W)
    order = b.ip[signal, ORDER]
    if order == 1:
        rate(s, b, signal, W)
        hessian(s, b, signal, 1.0, W)
    nt = b.fr[b.ip[signal, FA], 0] + b.fr[b.ip[signal, FA + 1], 0]
    first_c = 0
    for side_c in range(2):
        fc = b.ip[signal, FA + side_c]
        for r in range(6):  # W[DAMPING:] = dy/d(motion) of this frame
            W[DAMPING + r] = W[GRADIENT + 6 * side_c + r]
            if order == 1:
                W[DAMPING + r] = 0
                for i in range(12):
                    W[DAMPING + r] += W[RATES + i] * W[STIFFNESS + 12 * i + 6 * side_c + r]
        for j in range(b.fr[fc, 0]):
            if order == 1:
                rate_motions(s, b, o, fc, j)
            for c in range(6):
                y = 0 * f
                for r in range(6):
                    y += W[DAMPING + r] * o.ck * s.J[b.fr[fc, 1] + j, r, c]
                    if order == 1:
                        y += W[GRADIENT + 6 * side_c + r] * W[MOTION + 6 * r + c]
                first_r = 0
                for side_r in range(2):
                    fr = b.ip[e, FA + side_r]
                    for i in range(b.fr[fr, 0]):
                        t, block = b.fr[fr, 1] + i, b.tab[b.ip[e, TABLE] + nt * (first_r + i) + first_c + j]
                        for k in range(6):
                            for r in range(6):
                                o.D[block, k, c] += f * y * s.J[t, r, k] * W[TARGET + 6 * side_r + r]
                    first_r += b.fr[fr, 0]
        first_c += b.fr[fc, 0]


@jit
def spring_answer(s, b, o):
    """The force Q of a spring answers to a signal: Q_y gradient                                        [signal-1]"""
    for e in range(b.first, b.last):
        x, v = coordinate(s, b, e, o.W) - b.rp[e, REST], rate(s, b, e, o.W)
        f = evaluate(s.t, x, v, s.Y, b.tab, b.val, b.ip[e, DERIVATIVE], o.W)
        for i in range(12):
            o.W[TARGET + i] = o.W[GRADIENT + i]
        add_answer(s, b, o, e, f)


@jit
def load_answer(s, b, o):
    """A component of a load answers to a signal                                                        [signal-2]"""
    for e in range(b.first, b.last):
        zero, k = 0 * s.H[0], b.ip[e, COMPONENT]
        f = -evaluate(s.t, zero, zero, s.Y, b.tab, b.val, b.ip[e, DERIVATIVE], o.W)
        for i in range(12):
            o.W[TARGET + i] = 0
        if b.ip[e, FOLLOWS] == 1:
            store(axis2(s.X, b.ip[e, FA], A, k), o.W, TARGET + b.ip[e, PART])
        else:
            o.W[TARGET + b.ip[e, PART] + k] = 1
        u = vec(o.W, TARGET + b.ip[e, PART])
        store(scale(-1.0, u), o.W, TARGET + 6 + b.ip[e, PART])
        if b.ip[e, PART] == MOVE:
            store(cross(u, arm(s, b, e)), o.W, TARGET + 9)
        add_answer(s, b, o, e, f)


SENSE = Family("signal", sense=Stage(residual=sense, tangent=sense, rates=sense, energy=sense, power=sense))
SPRING_ANSWER = Family("spring answer", act=Stage(tangent=spring_answer), force=True, elastic=True)
LOAD_ANSWER = Family("load answer", act=Stage(tangent=load_answer), force=True, elastic=True)
