"""Forces and moments per length of a beam element, at three Gauss points. Derivations: docs/theory/beams.md"""
from ..kernels.contract import POWER, Family, Stage
from ..kernels.expression_vm import evaluate
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import dot, exponential, matmul, mul, scale, vec, vec2
from .beam_points import angle_rate, combine, cubic, follow, pull_point, shares, slope_rate, spin, turn_changes, turns
from .exact_beams import VA, VB

FOLLOWS, CODE = index(5, 6)                # ip: 1 when it turns with the section; its factor, a function of time, or -1
LENGTH, FORCE, MOMENT = index(0, 1, 4)     # rp: L; per length, in axes of the world or the section
GAUSS = 0.7745966692414834                 # sqrt(3 / 5); weights 5/18, 8/18, 5/18


@inlined
def point(i):
    """xi of a Gauss point, and its weight"""
    return 0.5 + 0.5 * GAUSS * (i - 1), (8.0 if i == 1 else 5.0) / 18


@inlined
def share(s, b, o, e, weight, R):
    """The force and moment of one point, in world axes"""
    zero = 0 * s.H[0]
    factor = evaluate(s.t, zero, zero, s.Y, b.tab, b.val, b.ip[e, CODE], o.W) if b.ip[e, CODE] >= 0 else 1 + zero
    h = factor * weight * b.rp[e, LENGTH]
    f, m = scale(h, vec2(b.rp, e, FORCE)), scale(h, vec2(b.rp, e, MOMENT))
    if b.ip[e, FOLLOWS] == 1:
        return mul(R, f), mul(R, m)
    return f, m


@jit
def load(s, b, o):
    """R -= sum over points of w L J^T (f, m)                                                                          [beam-32]"""
    for e in range(b.first, b.last):
        A, B, phi, _, _, S = turns(s, b, e)
        for i in range(3):
            xi, weight = point(i)
            _, PA, PB = shares(xi, phi, S)
            f, m = share(s, b, o, e, -weight, matmul(A, exponential(scale(xi, phi))))
            pull_point(o, b, e, b.rp[e, LENGTH], cubic(xi), A, B, PA, PB, f, m)


@jit
def load_tangent(s, b, o):
    """The same with beam-22 and, of a load that follows, beam-24"""
    load(s, b, o)
    for e in range(b.first, b.last):
        L = b.rp[e, LENGTH]
        A, B, phi, g, g1, S = turns(s, b, e)
        for i in range(3):
            xi, weight = point(i)
            T, PA, PB = shares(xi, phi, S)
            f, m = share(s, b, o, e, -weight, matmul(A, exponential(scale(xi, phi))))
            turn_changes(o, b, e, L, cubic(xi), xi, A, B, phi, g, g1, S, T, f, m)
            if b.ip[e, FOLLOWS] == 1:
                follow(o, b, e, L, cubic(xi), A, B, PA, PB, f, m)


@jit
def load_power(s, b, o):
    """f.r' + m.w at the same points"""
    for e in range(b.first, b.last):
        va, vb = b.ip[e, VA], b.ip[e, VB]
        A, B, phi, _, _, S = turns(s, b, e)
        wa, wb = vec(s.v, va + 3), vec(s.v, vb + 3)
        phi1 = angle_rate(S, wa, wb)
        for i in range(3):
            xi, weight = point(i)
            T, _, _ = shares(xi, phi, S)
            f, m = share(s, b, o, e, weight, matmul(A, exponential(scale(xi, phi))))
            v = combine(cubic(xi), b.rp[e, LENGTH], vec(s.v, va), slope_rate(A, wa), vec(s.v, vb), slope_rate(B, wb))
            o.E[POWER] += dot(f, v) + dot(m, mul(A, spin(wa, xi, T, phi1)))


LOAD = Family("beam load", act=Stage(residual=load, tangent=load_tangent, power=load_power), force=True)
