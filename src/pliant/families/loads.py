"""Forces and moments given by functions, on one frame; the opposite acts on the other frame of the pair, which may be the ground.
docs/theory/forces.md"""
from ..kernels.contract import POWER, A, F, Family, M, P, Stage, V, W
from ..kernels.expression_vm import evaluate
from ..kernels.jit import index, jit
from ..kernels.pairs import FA, FB, MOVE, TURN, add_pair, clear_stiffness, put
from ..kernels.so3 import accumulate2, cross, dot, dyad, mat2, mul, scale, skew, sub, vec2

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
def arm(s, b, e):
    """r from frame B to where the load acts: the origin of frame A"""
    return sub(vec2(s.X, b.ip[e, FA], P), vec2(s.X, b.ip[e, FB], P))


@jit
def load(s, b, o):
    """-f on A, f and r x f on B, on the left: the opposite acts at the same point of the body of B         [load-2]"""
    for e in range(b.first, b.last):
        f, part = load_vector(s, b, o, e), b.ip[e, PART]
        accumulate2(-1.0, f, s.X, b.ip[e, FA], F + part)
        accumulate2(1.0, f, s.X, b.ip[e, FB], F + part)
        if part == MOVE:
            accumulate2(1.0, cross(arm(s, b, e), f), s.X, b.ip[e, FB], M)


@jit
def load_tangent(s, b, o):
    """df = th_A x f for a following load, so K = [f]; dr = x_A - x_B for a force with its opposite         [load-3]"""
    load(s, b, o)
    for e in range(b.first, b.last):
        f, r, part = load_vector(s, b, o, e), arm(s, b, e), b.ip[e, PART]
        follows, answered = b.ip[e, FOLLOWS] == 1, part == MOVE and b.fr[b.ip[e, FB], 0] > 0
        if follows or answered:
            clear_stiffness(o.W)
            if follows:
                put(o.W, part, TURN, 1.0, skew(f))
                put(o.W, 6 + part, TURN, -1.0, skew(f))
            if answered:
                put(o.W, 9, 0, -1.0, skew(f))
                put(o.W, 9, 6, 1.0, skew(f))
            if follows and answered:
                put(o.W, 9, TURN, 1.0, dyad(scale(-1.0, f), r, dot(r, f)))
            add_pair(s, b, o, e, False)


@jit
def load_power(s, b, o):
    """P = f . (v_A - v_B - w_B x r) or m . (w_A - w_B)"""
    for e in range(b.first, b.last):
        fa, fb, part = b.ip[e, FA], b.ip[e, FB], b.ip[e, PART]
        v = sub(vec2(s.X, fa, V + part), vec2(s.X, fb, V + part))
        if part == MOVE:
            v = sub(v, cross(vec2(s.X, fb, W), arm(s, b, e)))
        o.E[POWER] += dot(load_vector(s, b, o, e), v)


LOAD = Family("load", act=Stage(residual=load, tangent=load_tangent, power=load_power), force=True)
