"""A sphere on a plane, and two spheres, one of which may be the inside of a hollow one."""
import numpy as np

from ..contact_points import GAP, NORMAL, NORMAL_X, POINT, POINT_X, RADIUS_A, RADIUS_B, SIDE_A, gap_gradient
from ..contract import A, P
from ..jit import jit
from ..pairs import FA, FB, GRADIENT
from ..so3 import add, axis2, dot, dyad, scale, skew, store, sub, vec, vec2


@jit
def place_on_plane(s, b, e, W):
    """A: a plane, the third axis of its frame is n. g = n . (p_B - p_A) - r                              [gap-1]"""
    n, p = axis2(s.X, b.ip[e, FA], A, 2), vec2(s.X, b.ip[e, FB], P)
    g = dot(n, sub(p, vec2(s.X, b.ip[e, FA], P))) - b.rp[e, RADIUS_B]
    W[GAP] = g
    store(n, W, NORMAL)
    store(sub(p, scale(b.rp[e, RADIUS_B] + g / 2, n)), W, POINT)


@jit
def vary_on_plane(s, b, e, W):
    """dn = th_A x n,  dc = dp_B - (r + g/2) dn - n dg/2"""
    gap_gradient(s, b, e, W)
    n, l = vec(W, NORMAL), b.rp[e, RADIUS_B] + W[GAP] / 2
    N = skew(n)
    for i in range(3):
        for j in range(12):
            dn = -N[3 * i + j - 3] if 3 <= j < 6 else 0 * l
            W[NORMAL_X + 12 * i + j] = dn
            W[POINT_X + 12 * i + j] = (j == 6 + i) - l * dn - n[i] * W[GRADIENT + j] / 2


@jit
def place_spheres(s, b, e, W):
    """d = p_B - p_A,  n = side d/|d|,  g = side (|d| - r_A) - r_B; side -1: inside of a hollow sphere A      [gap-2]"""
    p = vec2(s.X, b.ip[e, FA], P)
    d = sub(vec2(s.X, b.ip[e, FB], P), p)
    l, side = np.sqrt(dot(d, d)), b.rp[e, SIDE_A]
    n, g = scale(side / l, d), side * (l - b.rp[e, RADIUS_A]) - b.rp[e, RADIUS_B]
    W[GAP] = g
    store(n, W, NORMAL)
    store(add(p, scale(side * b.rp[e, RADIUS_A] + g / 2, n)), W, POINT)


@jit
def vary_spheres(s, b, e, W):
    """dn = side (1 - n n^T)/|d| (dp_B - dp_A),  dc = dp_A + (side r_A + g/2) dn + n dg/2"""
    gap_gradient(s, b, e, W)
    n, d = vec(W, NORMAL), sub(vec2(s.X, b.ip[e, FB], P), vec2(s.X, b.ip[e, FA], P))
    side, l = b.rp[e, SIDE_A], side_arm(b, e, W)
    f, N = side / np.sqrt(dot(d, d)), dyad(scale(-1.0, n), n, 1.0)
    for i in range(3):
        for j in range(12):
            dn = -f * N[3 * i + j] if j < 3 else f * N[3 * i + j - 6] if 6 <= j < 9 else 0 * f
            W[NORMAL_X + 12 * i + j] = dn
            W[POINT_X + 12 * i + j] = (j == i) + l * dn + n[i] * W[GRADIENT + j] / 2


@jit
def side_arm(b, e, W):
    return b.rp[e, SIDE_A] * b.rp[e, RADIUS_A] + W[GAP] / 2
