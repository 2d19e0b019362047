"""Forces along a coordinate of two frames: springs and dampers (distance) and torsion springs (angle). docs/theory/forces.md"""
from ..kernels.contract import DISSIPATION, ELASTIC, POWER, Family, Stage
from ..kernels.coordinates import coordinate, hessian, rate
from ..kernels.expression_vm import evaluate
from ..kernels.jit import index, jit
from ..kernels.pairs import DAMPING, GRADIENT, RATES, STIFFNESS, add_pair, add_wrench

CODE, CODE_X, CODE_V = index(7, 8, 9)          # ip, after those of a coordinate: the law and its derivatives; -1: none
K, C, REST = index(1, 2, 3)                    # rp, after ZERO: stiffness, damping, unloaded value of the coordinate


@jit
def law(s, b, o, e, code, x, v):
    """The user's part of the force, or a derivative of it; 0 without one."""
    return evaluate(s.t, x, v, s.Y, b.tab, b.val, code, o.W) if code >= 0 else 0 * x


@jit
def spring(s, b, o):
    """Q = k x + d x' + F(t, x, x'),  x = c - c0; Q times the gradient of c on the left                [spring-1]"""
    for e in range(b.first, b.last):
        x, v = coordinate(s, b, e, o.W) - b.rp[e, REST], rate(s, b, e, o.W)
        Q = b.rp[e, K] * x + b.rp[e, C] * v + law(s, b, o, e, b.ip[e, CODE], x, v)
        add_wrench(s, b, e, Q, o.W)


@jit
def spring_tangent(s, b, o):
    """K = Q hessian + gradient (Q_x gradient + Q_v u^T hessian)^T,  C = Q_v gradient gradient^T       [spring-2]"""
    spring(s, b, o)
    for e in range(b.first, b.last):
        W = o.W
        x, v = coordinate(s, b, e, W) - b.rp[e, REST], rate(s, b, e, W)
        Q = b.rp[e, K] * x + b.rp[e, C] * v + law(s, b, o, e, b.ip[e, CODE], x, v)
        Q_x = b.rp[e, K] + law(s, b, o, e, b.ip[e, CODE_X], x, v)
        Q_v = b.rp[e, C] + law(s, b, o, e, b.ip[e, CODE_V], x, v)
        hessian(s, b, e, 1.0, W)
        for j in range(12):
            u_h = 0 * x
            for i in range(12):
                u_h += W[RATES + i] * W[STIFFNESS + 12 * i + j]
            W[DAMPING + j] = Q_x * W[GRADIENT + j] + Q_v * u_h
        for i in range(11, -1, -1):  # the first row of DAMPING is in use until the end
            for j in range(12):
                W[STIFFNESS + 12 * i + j] = Q * W[STIFFNESS + 12 * i + j] + W[GRADIENT + i] * W[DAMPING + j]
        for i in range(12):
            for j in range(12):
                W[DAMPING + 12 * i + j] = Q_v * W[GRADIENT + i] * W[GRADIENT + j]
        add_pair(s, b, o, e, True)


@jit
def spring_energy(s, b, o):
    """E = k x^2 / 2                                                                                   [spring-3]"""
    for e in range(b.first, b.last):
        x = coordinate(s, b, e, o.W) - b.rp[e, REST]
        o.E[ELASTIC] += b.rp[e, K] * x * x / 2


@jit
def spring_power(s, b, o):
    """Lost: d x'^2; what a law F supplies counts as work, -F x'                                        [spring-4]"""
    for e in range(b.first, b.last):
        x, v = coordinate(s, b, e, o.W) - b.rp[e, REST], rate(s, b, e, o.W)
        o.E[DISSIPATION] += b.rp[e, C] * v * v
        o.E[POWER] -= law(s, b, o, e, b.ip[e, CODE], x, v) * v


SPRING = Family("spring", act=Stage(residual=spring, tangent=spring_tangent, energy=spring_energy, power=spring_power),
                force=True, elastic=True)
