"""Signals: values that expressions refer to, and how forces and states answer to them in the tangent. docs/theory/states.md

Primitive ones are coordinates of frames and their rates, and single entries of q and v (states, modal coordinates); all others are computed
from signals before them. In the tangent program further signals hold the derivatives of computed ones by primitive ones.
"""
from ..kernels.contract import TABLE, A, Family, Stage, call_python
from ..kernels.coordinates import coordinate, hessian, rate
from ..kernels.expression_vm import evaluate
from ..kernels.jit import index, jit
from ..kernels.noise import normal
from ..kernels.pairs import DAMPING, FA, GRADIENT, MOTION, MOVE, RATES, STIFFNESS, rate_motions
from ..kernels.so3 import axis2, cross, scale, store, vec
from .loads import FOLLOWS, PART, arm
from .reactions import BY_ROW, bearing_load, bearing_slopes
from .springs import REST

SLOT, ORDER = index(7, 8)               # ip of a signal: its place in Y; what it is
VALUE, RATE, OF_V, OF_Q, GIVEN, OF_H = index(0, 1, 2, 3, 4, 5)  # of a coordinate of two frames; entry of v, of q; number; entry of H
BEARS = index(-1)                       # load of a bearing
IV, IQ = index(4, 5)                    # ip of an entry: its places in v and q (of a state: none)
FACTOR = index(0)                       # rp: what the entry is multiplied by; the number
CODE, PLACE, PERIOD = index(4, 5, 6)    # ip of a computed signal: its program; of a held one its place in H, and period in base periods
RANDOM, KEY = index(2**62, 8)           # in place of a program: normal random numbers; ip: the key of their sequence
ADDRESS = index(9)                      # ip of a controller in Python: where in W the address of its function is
SIGNAL, DERIVATIVE, COMPONENT = index(10, 11, 9)  # ip of an answer, after those of its force: row of the signal; d(force)/d(signal)
TARGET, SLOPES = index(376, 388)        # scratch: the wrench that a unit of force is; what a signal is by the unknowns of a tile


@jit
def sense(s, b, o):
    """Y = c or c'"""
    for e in range(b.first, b.last):
        c = coordinate(s, b, e, o.W)
        s.Y[b.ip[e, SLOT]] = rate(s, b, e, o.W) if b.ip[e, ORDER] == RATE else c


@jit
def sense_entry(s, b, o):
    """Y = factor times an entry of v or q, or the factor itself"""
    for e in range(b.first, b.last):
        order, f = b.ip[e, ORDER], b.rp[e, FACTOR]
        s.Y[b.ip[e, SLOT]] = (f * s.v[b.ip[e, IV]] if order == OF_V else f * s.q[b.ip[e, IQ]] if order == OF_Q else
                              f * s.H[b.ip[e, IQ]] if order == OF_H else f)


@jit
def sense_load(s, b, o):
    """Y = N                                                                                            [friction-5]"""
    for e in range(b.first, b.last):
        s.Y[b.ip[e, SLOT]] = bearing_load(s, b, e)


@jit
def compute(s, b, o):
    """Y = f(t, signals before it), or what is held of it                                               [signal-3]"""
    for e in range(b.first, b.last):
        if b.ip[e, PLACE] >= 0:
            s.Y[b.ip[e, SLOT]] = s.H[b.ip[e, PLACE]]
        elif b.ip[e, CODE] >= 0:
            zero = 0 * s.H[0]
            s.Y[b.ip[e, SLOT]] = evaluate(s.t, zero, zero, s.Y, b.tab, b.val, b.ip[e, CODE], o.W)


@jit
def due(b, o, e):
    """Whether this is an instant of what has a period."""
    return o.ck >= 1 and int(o.cm) % b.ip[e, PERIOD] == 0


@jit
def compute_due(s, b, o):
    """The same at an instant: what is held is computed anew if it is due, and controllers in Python write what they give to H"""
    for e in range(b.first, b.last):
        held = b.ip[e, PLACE] >= 0
        if b.ip[e, ADDRESS] >= 0:
            if due(b, o, e):
                call_python(int(o.W[b.ip[e, ADDRESS]].real), s.t, 0.0, 0.0)
        elif b.ip[e, CODE] == RANDOM and due(b, o, e):
            s.H[b.ip[e, PLACE]] = normal(b.ip[e, KEY], int(o.cm) // b.ip[e, PERIOD])
            s.Y[b.ip[e, SLOT]] = s.H[b.ip[e, PLACE]]
        elif held and (b.ip[e, CODE] < 0 or not due(b, o, e)):
            s.Y[b.ip[e, SLOT]] = s.H[b.ip[e, PLACE]]
        else:
            zero = 0 * s.H[0]
            s.Y[b.ip[e, SLOT]] = evaluate(s.t, zero, zero, s.Y, b.tab, b.val, b.ip[e, CODE], o.W)
            if held:
                s.H[b.ip[e, PLACE]] = s.Y[b.ip[e, SLOT]]


@jit
def slopes(s, b, o, signal, side, j):
    """W[SLOPES:] = dy by the unknowns of tile j of one frame of a coordinate, whose gradient, hessian and rates are in W."""
    W, order, fc = o.W, b.ip[signal, ORDER], b.ip[signal, FA + side]
    if order == RATE:
        rate_motions(s, b, o, fc, j)
    for c in range(6):
        y = 0 * W[GRADIENT]
        for r in range(6):
            y += W[DAMPING + r] * o.ck * s.J[b.fr[fc, 1] + j, r, c]
            if order == RATE:
                y += W[GRADIENT + 6 * side + r] * W[MOTION + 6 * r + c]
        W[SLOPES + c] = y


@jit
def by_motion(b, signal, side, W):
    """W[DAMPING:] = dy by the six motions of one frame of a coordinate."""
    for r in range(6):
        W[DAMPING + r] = W[GRADIENT + 6 * side + r]
        if b.ip[signal, ORDER] == RATE:
            W[DAMPING + r] = 0
            for i in range(12):
                W[DAMPING + r] += W[RATES + i] * W[STIFFNESS + 12 * i + 6 * side + r]


@jit
def add_column(s, b, o, e, f, count, column):
    """D += f J^T target dy: rows of the force's bodies, a column of tiles with the slopes in W; ``count`` columns in all."""
    W, first = o.W, 0
    for side in range(2):
        fr = b.ip[e, FA + side]
        for i in range(b.fr[fr, 0]):
            t, block = b.fr[fr, 1] + i, b.tab[b.ip[e, TABLE] + count * (first + i) + column]
            for k in range(6):
                x = 0 * f
                for r in range(6):
                    x += s.J[t, r, k] * W[TARGET + 6 * side + r]
                for c in range(6):
                    o.D[block, k, c] += f * x * W[SLOPES + c]
        first += b.fr[fr, 0]


@jit
def add_row(s, b, o, e, f, column):
    """The same in the row of a state: D += f dy"""
    block, k = b.tab[b.ip[e, TABLE] + column], b.ip[e, IV] % 6
    for c in range(6):
        o.D[block, k, c] += f * o.W[SLOPES + c]


@jit
def add_answer(s, b, o, e, f):
    """What answers with f to a unit of its signal: a force in the direction of W[TARGET:], or (no frames) a state."""
    signal, W = b.ip[e, SIGNAL], o.W
    order, state = b.ip[signal, ORDER], b.ip[e, FA] < 0
    if order >= OF_V:
        for c in range(6):
            W[SLOPES + c] = 0 * f
        c, tile = b.ip[signal, IV] % 6, b.ip[signal, IV] // 6
        if order == OF_V and c >= 3:  # an increment of q seen by v; the identity but for rotations
            for j in range(3):
                W[SLOPES + 3 + j] = b.rp[signal, FACTOR] * o.cd * s.T[tile, 3 * (c - 3) + j]
        else:
            W[SLOPES + c] = b.rp[signal, FACTOR] * (o.cd if order == OF_V else o.ck)
        if state:
            add_row(s, b, o, e, f, 0)
        else:
            add_column(s, b, o, e, f, 1, 0)
        return
    first, count = 0, b.fr[b.ip[signal, FA], 0] + b.fr[b.ip[signal, FA + 1], 0]
    if order == BEARS:
        count += 1
        bearing_slopes(s, b, signal, W)
        for c in range(6):
            W[SLOPES + c] = W[BY_ROW + c]
        if state:
            add_row(s, b, o, e, f, count - 1)
        else:
            add_column(s, b, o, e, f, count, count - 1)
    else:
        coordinate(s, b, signal, W)
    if order == RATE:
        rate(s, b, signal, W)
        hessian(s, b, signal, 1.0, W)
    for side in range(2):
        by_motion(b, signal, side, W)
        for j in range(b.fr[b.ip[signal, FA + side], 0]):
            slopes(s, b, o, signal, side, j)
            if state:
                add_row(s, b, o, e, f, first + j)
            else:
                add_column(s, b, o, e, f, count, first + j)
        first += b.fr[b.ip[signal, FA + side], 0]


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


def everywhere(kernel):
    """At the stage `sense` of all programs with values."""
    return Stage(residual=kernel, tangent=kernel, rates=kernel, energy=kernel, power=kernel)


SENSE = Family("signal", sense=everywhere(sense))
ENTRY = Family("entry", sense=everywhere(sense_entry))
BEARING = Family("load of a bearing", sense=everywhere(sense_load)._replace(rates=None))
COMPUTED = Family("computed signal", sense=everywhere(compute)._replace(update=compute_due), rank=1)
SLOPE = Family("slope of a signal", sense=Stage(tangent=compute), rank=2)
SPRING_ANSWER = Family("spring answer", act=Stage(tangent=spring_answer), force=True, elastic=True)
LOAD_ANSWER = Family("load answer", act=Stage(tangent=load_answer), force=True, elastic=True)
