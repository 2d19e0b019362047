"""Loads along a coordinate of two frames, given by a function of time and of signals. docs/theory/forces.md"""
from ..kernels.contract import POWER, Family, Stage
from ..kernels.coordinates import coordinate, hessian, rate
from ..kernels.expression_vm import evaluate
from ..kernels.jit import index, jit
from ..kernels.pairs import GRADIENT, add_pair, add_wrench
from .signals import DERIVATIVE, TARGET, add_answer

CODE = index(7)  # ip, after those of a coordinate: the function


@jit
def strength(s, b, o, e, code):
    """f(t, signals), or a derivative of it"""
    return evaluate(s.t, 0 * s.H[0], 0 * s.H[0], s.Y, b.tab, b.val, code, o.W)


@jit
def joint_load(s, b, o):
    """-f times the gradient of c on the left                                                          [joint load-1]"""
    for e in range(b.first, b.last):
        Q = -strength(s, b, o, e, b.ip[e, CODE])
        coordinate(s, b, e, o.W)
        add_wrench(s, b, e, Q, o.W)


@jit
def joint_load_tangent(s, b, o):
    """K = -f hessian                                                                                  [joint load-2]"""
    joint_load(s, b, o)
    for e in range(b.first, b.last):
        Q = -strength(s, b, o, e, b.ip[e, CODE])
        coordinate(s, b, e, o.W)
        hessian(s, b, e, Q, o.W)
        add_pair(s, b, o, e, False)


@jit
def joint_load_power(s, b, o):
    """P = f c'"""
    for e in range(b.first, b.last):
        f = strength(s, b, o, e, b.ip[e, CODE])
        coordinate(s, b, e, o.W)
        o.E[POWER] += f * rate(s, b, e, o.W)


@jit
def joint_load_answer(s, b, o):
    """It answers to a signal: -f_y gradient                                                           [joint load-3]"""
    for e in range(b.first, b.last):
        f = -strength(s, b, o, e, b.ip[e, DERIVATIVE])
        coordinate(s, b, e, o.W)
        for i in range(12):
            o.W[TARGET + i] = o.W[GRADIENT + i]
        add_answer(s, b, o, e, f)


JOINT_LOAD = Family("joint load", act=Stage(residual=joint_load, tangent=joint_load_tangent, power=joint_load_power), force=True)
JOINT_LOAD_ANSWER = Family("joint load answer", act=Stage(tangent=joint_load_answer), force=True, elastic=True)
