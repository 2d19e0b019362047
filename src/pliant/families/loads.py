"""Forces and moments given by functions, on one frame; the other frame of the pair is the ground. docs/theory/forces.md"""
from ..kernels.contract import POWER, A, F, Family, Stage, V
from ..kernels.expression_vm import evaluate
from ..kernels.jit import index, jit
from ..kernels.pairs import FA, TURN, add_pair, clear_stiffness, put
from ..kernels.so3 import accumulate2, dot, mat2, mul, skew, vec2

PART, FOLLOWS, CODES = index(4, 5, 6)   # ip: 0 force or 3 moment; 1 when it turns with the frame; three functions or -1
VECTOR = index(0)                       # rp: the constant part


@jit
def load_vector(s, b, o, e):
    """The force or moment in world axes: the three functions, turned with the frame if it follows it   [load-1]"""
    f, zero = vec2(b.rp, e, VECTOR), 0 * s.H[0]
    c = b.ip[e, CODES], b.ip[e, CODES + 1], b.ip[e, CODES + 2]
    f = (f[0] + (evaluate(s.t, zero, zero, s.Y, b.tab, b.val, c[0], o.W) if c[0] >= 0 else zero),
         f[1] + (evaluate(s.t, zero, zero, s.Y, b.tab, b.val, c[1], o.W) if c[1] >= 0 else zero),
         f[2] + (evaluate(s.t, zero, zero, s.Y, b.tab, b.val, c[2], o.W) if c[2] >= 0 else zero))
    return mul(mat2(s.X, b.ip[e, FA], A), f) if b.ip[e, FOLLOWS] == 1 else f


@jit
def load(s, b, o):
    """-f on the left                                                                                  [load-2]"""
    for e in range(b.first, b.last):
        accumulate2(-1.0, load_vector(s, b, o, e), s.X, b.ip[e, FA], F + b.ip[e, PART])


@jit
def load_tangent(s, b, o):
    """df = th x f for a following load, so K = [f]                                                    [load-3]"""
    load(s, b, o)
    for e in range(b.first, b.last):
        if b.ip[e, FOLLOWS] == 1:
            clear_stiffness(o.W)
            put(o.W, b.ip[e, PART], TURN, 1.0, skew(load_vector(s, b, o, e)))
            add_pair(s, b, o, e, False)


@jit
def load_power(s, b, o):
    """P = f . v or m . w"""
    for e in range(b.first, b.last):
        o.E[POWER] += dot(load_vector(s, b, o, e), vec2(s.X, b.ip[e, FA], V + b.ip[e, PART]))


LOAD = Family("load", act=Stage(residual=load, tangent=load_tangent, power=load_power), force=True)
