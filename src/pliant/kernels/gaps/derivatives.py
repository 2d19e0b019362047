"""Gradients of gaps, and derivatives by complex steps inside of kernels, exact to rounding for every pair.

The points of both surfaces lie on one line along n, and neither can move along its own surface to change g to first order. So along the
twelve motions x = (p_A, th_A, p_B, th_B) of the pair, with r = c - p,

    G = dg/dx = (-n, -r_A x n, n, r_B x n),   g' = G . u                                                      [contact-1]
    g'' = G . u' + G' . u,   G' = H u,   H = dG/dx                                                            [change-1]

A pose moved by i eta along a motion, p + i eta v, (1 + i eta [w]) A, gives derivatives as imaginary parts: first order is all that
counts, as eta^2 is below rounding. They are taken in real mode. With complex states (`contract.State`) g, n, c and G carry imaginary
parts as they should; H, G' and `along` are those of the real parts.

A common motion of both bodies changes nothing but axes. So motions of B follow from those of A, and H takes six evaluations of G:

    H p_B = -H p_A,   H th_B = th x G_k (each of the four vectors of G) - H (A turned by th about p_B)            [change-2]
"""
from typing import Any, NamedTuple

from ..jit import jit, variants
from ..so3 import cross, sub
from .geometry import origin
from .point_plane import closest

ETA = 1e-20  # another step than that of tests, 1e-30, which differentiate what this gives


@jit
def as_complex(x):
    return x.real + 0j


@jit
def still(a):
    """The pose in complex numbers, real."""
    return (as_complex(a[0]), as_complex(a[1]), as_complex(a[2]), as_complex(a[3]), as_complex(a[4]), as_complex(a[5]),
            as_complex(a[6]), as_complex(a[7]), as_complex(a[8]), as_complex(a[9]), as_complex(a[10]), as_complex(a[11]))


@jit
def stepped(x, d):
    return x.real + 1j * (ETA * d.real)


@jit
def moving(a, v, w):
    """The pose moved by i eta along a velocity of its origin and an angular velocity, both in world axes."""
    return (stepped(a[0], v[0]), stepped(a[1], v[1]), stepped(a[2], v[2]),
            stepped(a[3], w[1] * a[9] - w[2] * a[6]), stepped(a[4], w[1] * a[10] - w[2] * a[7]), stepped(a[5], w[1] * a[11] - w[2] * a[8]),
            stepped(a[6], w[2] * a[3] - w[0] * a[9]), stepped(a[7], w[2] * a[4] - w[0] * a[10]), stepped(a[8], w[2] * a[5] - w[0] * a[11]),
            stepped(a[9], w[0] * a[6] - w[1] * a[3]), stepped(a[10], w[0] * a[7] - w[1] * a[4]), stepped(a[11], w[0] * a[8] - w[1] * a[5]))


@jit
def one(i, k):
    """Unit vector k, with zeros for other k."""
    return (1.0 if i == k else 0.0), (1.0 if i == k + 1 else 0.0), (1.0 if i == k + 2 else 0.0)


@jit
def moved(a, k):
    """The pose moved by i eta along its motion k: three displacements, three turns about its origin. None of them: `still`."""
    return moving(a, one(k, 0), one(k, 3))


@jit
def gap_gradient(found, a, b):
    """G, a 12-tuple, of what `closest` gives                                                             [contact-1]"""
    n, c = (found[1], found[2], found[3]), (found[4], found[5], found[6])
    on_a, on_b = cross(n, sub(c, origin(a))), cross(sub(c, origin(b)), n)
    return -n[0], -n[1], -n[2], on_a[0], on_a[1], on_a[2], n[0], n[1], n[2], on_b[0], on_b[1], on_b[2]


@jit
def store_gradient(found, a, b, W, i):
    """W[i:i+12] = G                                                                                      [contact-1]"""
    G = gap_gradient(found, a, b)
    for k in range(12):
        W[i + k] = G[k]


def along(val, at, a, b, k):
    """Derivative of (g, n, c) along motion k of the twelve."""
    x = closest(val, at, moved(a, k), moved(b, k - 6))
    return (x[0].imag / ETA, x[1].imag / ETA, x[2].imag / ETA, x[3].imag / ETA, x[4].imag / ETA, x[5].imag / ETA, x[6].imag / ETA)


def gradient_along(val, at, a, b, va, wa, vb, wb):
    """Derivative of G along velocities of both frames, in world axes. Of their own velocities it is G', so that g'' = G . u' + G' . u."""
    x, y = moving(a, va, wa), moving(b, vb, wb)
    G = gap_gradient(closest(val, at, x, y), x, y)
    return (G[0].imag / ETA, G[1].imag / ETA, G[2].imag / ETA, G[3].imag / ETA, G[4].imag / ETA, G[5].imag / ETA,
            G[6].imag / ETA, G[7].imag / ETA, G[8].imag / ETA, G[9].imag / ETA, G[10].imag / ETA, G[11].imag / ETA)


def bias(val, at, a, b, u, i):
    """G' . u for rates u = (v_A, w_A, v_B, w_B) at u[i:i+12]: what g'' has besides G . u'                    [change-1]"""
    H = gradient_along(val, at, a, b, (u[i], u[i + 1], u[i + 2]), (u[i + 3], u[i + 4], u[i + 5]),
                       (u[i + 6], u[i + 7], u[i + 8]), (u[i + 9], u[i + 10], u[i + 11]))
    s = 0.0 * u[i]
    for k in range(12):
        s += H[k] * u[i + k]
    return s


def hessian(val, at, a, b, f, W, i):
    """W[i:i+144] = f H, row by row                                                                       [change-2]"""
    zero = (0.0, 0.0, 0.0)
    G = gap_gradient(closest(val, at, a, b), a, b)
    for k in range(3):
        e = one(k, 0)
        by_place = gradient_along(val, at, a, b, e, zero, zero, zero)
        by_turn = gradient_along(val, at, a, b, zero, e, zero, zero)
        for j in range(12):
            row = i + 12 * j + k
            W[row], W[row + 3], W[row + 6] = f * by_place[j], f * by_turn[j], -f * by_place[j]
    for k in range(3):
        e = one(k, 0)
        back = cross(e, sub(origin(a), origin(b)))  # velocity of p_A as A turns about p_B
        for j in range(4):
            turn = cross(e, (G[3 * j], G[3 * j + 1], G[3 * j + 2]))
            for l in range(3):
                row = i + 12 * (3 * j + l)
                about_b = back[0].real * W[row] + back[1].real * W[row + 1] + back[2].real * W[row + 2] + W[row + 3 + k]
                W[row + 9 + k] = f * turn[l].real - about_b


class Derivatives(NamedTuple):
    """Kernels of one pair."""
    along: Any
    gradient_along: Any
    bias: Any
    hessian: Any


def derivatives(name: str, closest: Any) -> Derivatives:
    """Those of a pair, whose name tells them apart. Only what is used is compiled."""
    return Derivatives(*variants(name, along, gradient_along, bias, hessian, closest=closest))
