"""States z of blocks and drives: z' = g(t, signals). In the equations of motion a state is a velocity of unit mass without a position;
its row is divided by its nominal value. docs/theory/states.md"""
from ..kernels.contract import DISSIPATION, ELASTIC, POWER, TABLE, Family, Stage
from ..kernels.expression_vm import evaluate
from ..kernels.jit import index, jit
from .signals import DERIVATIVE, IV, add_answer

CODE = index(5)     # ip, after IV: the program of g
UNIT = index(0)     # rp: 1 / nominal


@jit
def slope(s, b, o, e, code):
    """g, or a derivative of it"""
    zero = 0 * s.H[0]
    return evaluate(s.t, zero, zero, s.Y, b.tab, b.val, code, o.W)


@jit
def flow(s, b, o):
    """(z' - g) / nominal                                                                              [state-1]"""
    for e in range(b.first, b.last):
        i = b.ip[e, IV]
        o.R[i] += b.rp[e, UNIT] * (s.a[i] - slope(s, b, o, e, b.ip[e, CODE]))


@jit
def flow_tangent(s, b, o):
    flow(s, b, o)
    for e in range(b.first, b.last):
        k = b.ip[e, IV] % 6
        o.D[b.tab[b.ip[e, TABLE]], k, k] += o.cm * b.rp[e, UNIT]


@jit
def flow_answer(s, b, o):
    """-g_y dy / nominal                                                                               [state-2]"""
    for e in range(b.first, b.last):
        add_answer(s, b, o, e, -b.rp[e, UNIT] * slope(s, b, o, e, b.ip[e, DERIVATIVE]))


@jit
def stored(s, b, o):
    for e in range(b.first, b.last):
        o.E[ELASTIC] += slope(s, b, o, e, b.ip[e, CODE])


@jit
def lost(s, b, o):
    for e in range(b.first, b.last):
        o.E[DISSIPATION] += slope(s, b, o, e, b.ip[e, CODE])


@jit
def supplied(s, b, o):
    for e in range(b.first, b.last):
        o.E[POWER] += slope(s, b, o, e, b.ip[e, CODE])


STATE = Family("state", act=Stage(residual=flow, tangent=flow_tangent))
STATE_ANSWER = Family("state answer", act=Stage(tangent=flow_answer), force=True, elastic=True)
# what items with states add to the balance of energy
LEDGERS = {"stored": Family("stored energy", act=Stage(energy=stored), force=True),
           "lost": Family("lost power", act=Stage(power=lost), force=True),
           "supplied": Family("supplied power", act=Stage(power=supplied), force=True)}
