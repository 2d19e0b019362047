"""What contacts of all pairs share: poses, rates, slip, tangents, and the wrench of a force at the point. A, B: poses, 12-tuples; u: the
twelve rates (v_A, w_A, v_B, w_B); x: what `closest` gives, (g, n, c)."""
import numpy as np

from .contract import P, V
from .gaps.derivatives import stepped
from .gaps.geometry import axis, origin
from .jit import jit
from .pairs import FA, FB, GRADIENT
from .so3 import add, cross, dot, scale, sub


@jit
def pose(s, f):
    """p and the axes of a frame, row by row"""
    X = s.X
    return (X[f, P], X[f, P + 1], X[f, P + 2], X[f, P + 3], X[f, P + 4], X[f, P + 5], X[f, P + 6], X[f, P + 7], X[f, P + 8], X[f, P + 9],
            X[f, P + 10], X[f, P + 11])


@jit
def rates(s, b, e):
    """u = (v_A, w_A, v_B, w_B)"""
    X, i, j = s.X, b.ip[e, FA], b.ip[e, FB]
    return (X[i, V], X[i, V + 1], X[i, V + 2], X[i, V + 3], X[i, V + 4], X[i, V + 5],
            X[j, V], X[j, V + 1], X[j, V + 2], X[j, V + 3], X[j, V + 4], X[j, V + 5])


@jit
def stepped_rates(u, k):
    """Rate k with i eta added; none for other k"""
    return (stepped(u[0], 1.0 if k == 0 else 0.0), stepped(u[1], 1.0 if k == 1 else 0.0), stepped(u[2], 1.0 if k == 2 else 0.0),
            stepped(u[3], 1.0 if k == 3 else 0.0), stepped(u[4], 1.0 if k == 4 else 0.0), stepped(u[5], 1.0 if k == 5 else 0.0),
            stepped(u[6], 1.0 if k == 6 else 0.0), stepped(u[7], 1.0 if k == 7 else 0.0), stepped(u[8], 1.0 if k == 8 else 0.0),
            stepped(u[9], 1.0 if k == 9 else 0.0), stepped(u[10], 1.0 if k == 10 else 0.0), stepped(u[11], 1.0 if k == 11 else 0.0))


@jit
def point_velocity(x, a, b, u):
    """u_c = v_B + w_B x r_B - v_A - w_A x r_A, and w_B - w_A                                              [contact-2]"""
    c = x[4], x[5], x[6]
    on_a = add((u[0], u[1], u[2]), cross((u[3], u[4], u[5]), sub(c, origin(a))))
    on_b = add((u[6], u[7], u[8]), cross((u[9], u[10], u[11]), sub(c, origin(b))))
    return sub(on_b, on_a), (u[9] - u[3], u[10] - u[4], u[11] - u[5])


@jit
def normal(x):
    return x[1], x[2], x[3]


@jit
def tangents(b, n, k):
    """t_1 along axis k of B without its part along n, t_2 = n x t_1                                       [rubbing-4]"""
    e = axis(b, k)
    t = sub(e, scale(dot(n, e), n))
    t = scale(1 / np.sqrt(dot(t, t)), t)
    return t, cross(n, t)


@jit
def compass(b, n):
    """The axis of B that is farthest from the normal."""
    best, least = 0, 2.0
    for k in range(3):
        x = abs(dot(n, axis(b, k)).real)
        if x < least - 1e-9:
            best, least = k, x
    return best


@jit
def wrench(x, a, b, f, m, y):
    """On the left: f and r_A x f + m on A, the opposite on B; and rates of states"""
    c = x[4], x[5], x[6]
    on_a, on_b = add(cross(sub(c, origin(a)), f), m), add(cross(sub(c, origin(b)), f), m)
    return (f[0], f[1], f[2], on_a[0], on_a[1], on_a[2], -f[0], -f[1], -f[2], -on_b[0], -on_b[1], -on_b[2], y[0], y[1])


@jit
def line(d, found, a, b):
    """(-d, -r_A x d, d, r_B x d)"""
    c = (found[4], found[5], found[6])
    x, y = cross(d, sub(c, origin(a))), cross(sub(c, origin(b)), d)
    return -d[0], -d[1], -d[2], x[0], x[1], x[2], d[0], d[1], d[2], y[0], y[1], y[2]


@jit
def times(l, W, i):
    """l . W[i:i+12]"""
    x = 0 * W[i]
    for k in range(12):
        x += l[k] * W[i + k]
    return x


@jit
def put_line(l, f, W):
    """W[GRADIENT:] += f l"""
    for k in range(12):
        W[GRADIENT + k] += f * l[k]


@jit
def clear_line(W):
    for k in range(12):
        W[GRADIENT + k] = 0
