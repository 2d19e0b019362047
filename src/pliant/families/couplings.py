"""Equations between coordinates of joints, by a function of them and of time. A row for each coordinate; all rows of an item add to one
equation, and the first of them has the function. Coordinates come as signals. docs/theory/joints.md"""
from ..kernels.contract import POWER, Family, Stage
from ..kernels.coordinates import acceleration, coordinate, hessian, rate
from ..kernels.expression_vm import evaluate
from ..kernels.jit import index, jit
from ..kernels.pairs import GRADIENT, ROW, add_gradient, add_pair, add_wrench, exact
from .constraints import function
from .signals import DERIVATIVE, TARGET, add_answer

SLOPE, VALUE, BY_TIME, BIAS = index(7, 8, 9, 10)  # ip, after those of a coordinate: g_i; of the first row g, g_t, and what g'' has beside
OFFSET = index(1)                                 # rp, after ZERO: g in the pose as modelled


@jit
def slope(s, b, o, e, code):
    """A derivative of g by coordinates and time; 0 without one."""
    return evaluate(s.t, 0 * s.H[0], 0 * s.H[0], s.Y, b.tab, b.val, code, o.W) if code >= 0 else 0 * s.H[0]


@jit
def coupling(s, b, o):
    """g(c_1, c_2, ..., t) - g_0;  lam g_i times the gradient of c_i on the pair of c_i                  [coupling-1]"""
    for e in range(b.first, b.last):
        row, g_i = b.ip[e, ROW], slope(s, b, o, e, b.ip[e, SLOPE])
        if b.ip[e, VALUE] >= 0:
            o.R[row] += function(s, b, o, e, b.ip[e, VALUE]) - b.rp[e, OFFSET]
        coordinate(s, b, e, o.W)
        add_wrench(s, b, e, s.lam[row] * g_i, o.W)


@jit
def coupling_tangent(s, b, o):
    """g_q = sum g_i gradient_i J;  K = lam g_i hessian_i, and what answers to the other coordinates     [coupling-2]"""
    coupling(s, b, o)
    for e in range(b.first, b.last):
        g_i = slope(s, b, o, e, b.ip[e, SLOPE])
        coordinate(s, b, e, o.W)
        add_gradient(s, b, o, e, g_i)
        if exact(b, e):
            hessian(s, b, e, s.lam[b.ip[e, ROW]] * g_i, o.W)
            add_pair(s, b, o, e, False)


@jit
def coupling_rates(s, b, o):
    """g' = sum g_i c_i' + g_t,  g'' = sum g_i c_i'' + sum g_ij c_i' c_j' + 2 sum g_it c_i' + g_tt       [coupling-3]"""
    for e in range(b.first, b.last):
        row, g_i = b.ip[e, ROW], slope(s, b, o, e, b.ip[e, SLOPE])
        o.V[row] += slope(s, b, o, e, b.ip[e, BY_TIME])
        o.R[row] += slope(s, b, o, e, b.ip[e, BIAS])
        coordinate(s, b, e, o.W)
        o.V[row] += g_i * rate(s, b, e, o.W)
        o.R[row] += g_i * acceleration(s, b, e, o.W)


@jit
def coupling_power(s, b, o):
    """P = lam g_t: what it supplies, as its function changes with time"""
    for e in range(b.first, b.last):
        o.E[POWER] += s.lam[b.ip[e, ROW]] * slope(s, b, o, e, b.ip[e, BY_TIME])


@jit
def coupling_answer(s, b, o):
    """The force on coordinate i answers to coordinate j: lam g_ij gradient_i gradient_j                 [coupling-4]"""
    for e in range(b.first, b.last):
        f = s.lam[b.ip[e, ROW]] * slope(s, b, o, e, b.ip[e, DERIVATIVE])
        coordinate(s, b, e, o.W)
        for i in range(12):
            o.W[TARGET + i] = o.W[GRADIENT + i]
        add_answer(s, b, o, e, f)


COUPLING = Family("coupling", act=Stage(coupling, coupling_tangent, coupling_rates, power=coupling_power))
COUPLING_ANSWER = Family("coupling answer", act=Stage(tangent=coupling_answer))
