"""Rigid limits of coordinates: g = factor c - offset >= 0, an equation that is on while it is touched. docs/theory/rigid_contact.md

    touched   g = 0,  the force F = -lam along the gradient of g is never negative
    open      no equation: R = 0 and lam = 0, and g is never negative                                         [touch-1]

Both are choices with a margin, -lam or g, so that their ends are located like jumps of functions. What happens there is decided in Python
(`time_loop.rigid_passage`), which reads what every evaluation leaves in W: g, g' and g''. In joint coordinates without loops limits add no
equations (`joint_space.limits`).
"""
from ..kernels.contract import Family, Stage
from ..kernels.coordinates import acceleration, coordinate, hessian, rate
from ..kernels.expression_vm import hold, note_margin
from ..kernels.jit import index, jit
from ..kernels.pairs import ROW, add_gradient, add_pair, add_wrench, exact

PHASE, CHOICE, SEEN = index(7, 8, 9)  # ip, after those of a coordinate: places in H, in tab and in W, see below
FACTOR, OFFSET = index(1, 2)          # rp, after ZERO
OPEN, SLIDES, STICKS = index(0, 1, 2)  # H[PHASE]; a limit that is touched slides
ROOM = index(1)                        # H[PHASE + ROOM]: g may be this much below zero, where it was open when it was last looked at
GAP, SPEED, ACCELERATION = index(0, 1, 2)  # W[SEEN:]
PLACES, NUMBERS = 2, 3                 # in H and W


@jit
def is_open(s, b, e):
    return s.H[b.ip[e, PHASE]].real == OPEN


@jit
def rigid_stop(s, b, o):
    """R = g, lam times its gradient; margins                                                                  [touch-1]"""
    for e in range(b.first, b.last):
        row, pc = b.ip[e, ROW], b.ip[e, CHOICE]
        g = b.rp[e, FACTOR] * coordinate(s, b, e, o.W) - b.rp[e, OFFSET]
        o.W[b.ip[e, SEEN] + GAP] = g
        if is_open(s, b, e):
            hold(o.W, 0.0, pc)
            note_margin(o.W, pc, (g + s.H[b.ip[e, PHASE] + ROOM]).real)
        else:
            hold(o.W, 1.0, pc)
            note_margin(o.W, pc, -s.lam[row].real)
            o.R[row] += g
            add_wrench(s, b, e, s.lam[row] * b.rp[e, FACTOR], o.W)


@jit
def rigid_stop_tangent(s, b, o):
    """g_q = factor gradient J;  K = lam factor hessian                                                         as in [coordinate-6]"""
    rigid_stop(s, b, o)
    for e in range(b.first, b.last):
        if not is_open(s, b, e):
            coordinate(s, b, e, o.W)
            add_gradient(s, b, o, e, b.rp[e, FACTOR])
            if exact(b, e):
                hessian(s, b, e, s.lam[b.ip[e, ROW]] * b.rp[e, FACTOR], o.W)
                add_pair(s, b, o, e, False)


@jit
def rigid_stop_rates(s, b, o):
    """g' = factor c',  g'' = factor c''                                                                        as in [coordinate-7]"""
    for e in range(b.first, b.last):
        row, seen = b.ip[e, ROW], b.ip[e, SEEN]
        coordinate(s, b, e, o.W)
        g1, g2 = b.rp[e, FACTOR] * rate(s, b, e, o.W), b.rp[e, FACTOR] * acceleration(s, b, e, o.W)
        o.W[seen + SPEED], o.W[seen + ACCELERATION] = g1, g2
        if not is_open(s, b, e):
            o.V[row] += g1
            o.R[row] += g2


RIGID_STOP = Family("rigid stop", act=Stage(rigid_stop, rigid_stop_tangent, rigid_stop_rates))
