"""Feet: frames at the place of a line of a modal body that is next to a point of another body, where the two touch.
Equations: docs/theory/sliding.md

In body axes the line is u(s) of [line-1] and the point x = A^T (p_B - p), with the axes A and the origin p of the body. At the foot

    C(s) = u'(s) . (x - u(s)) = 0,   C' < 0,   or s is at the nearer end of the line                             [foot-1]

s is no coordinate: it is found wherever frames are placed, from nothing but their poses. Once it is known, all equations are those of a
node at that place, [node-2] to [node-7]: the foot moves with the material that it is on. How s changes is in `foot_changes`.   [foot-2]
"""
from typing import Any

import numpy as np

from ..kernels.contract import Family, P, Stage
from ..kernels.expression_vm import hold, note_margin
from ..kernels.jit import index, inlined, jit, variants
from ..kernels.so3 import add, dot, rotation, scale, sub, tmul, vec, vec2
from . import lines
from .lines import IQ, OWN, PIECES, POOL, POWERS, SECOND, N, memory
from .modal import three, weighted

# ip: as of what slides on a line, but for its coordinate: the frame whose origin it is next to, a choice in W, the contact's memory in H
PARTNER, SITE, MEMORY = index(8, 9, 11)
MET = index(0)                             # in H: 0 while they do not touch
# in W, behind what the line needs: s, whether it is between the ends, and the polynomial of a piece, power by power (6 times 3)
S, FREE, CURVE = index(0, 1, 2)
NUMBERS = 20                               # of these
START, INSIDE, END = index(0, 1, 2)        # where a foot is
MOST = 100                                 # steps of Newton's method or bisections
CLOSE = 4e-16                              # of the length: the last of them
OUT = 0.01                                 # of the length: so far a foot goes on that is held between the ends


def room(n: int) -> int:
    """Numbers in W."""
    return memory(n) + NUMBERS


def place(row: Any) -> int:
    """Where s of a row of integers is in W."""
    return int(row[OWN]) + memory(int(row[N])) + int(S)


@inlined
def own(b, e):
    """Where its own numbers begin in W, behind those of the line: `memory`"""
    n = b.ip[e, N]
    return b.ip[e, OWN] + 18 * (n + 1) + 6 + 3 * (6 + 6 * n) + 12 * n + 3 * n * n


@inlined
def at_foot(s, b, e, W):
    """The place, and how fast it slides: not at all, as the material that it is on"""
    place = W[own(b, e) + S]
    return place, 0 * place


@inlined
def by_modes(b, e):
    return b.ip[e, N]


@inlined
def sum_over_modes(x, iv, at, W, base, n):
    """sum_k x_k W_k over modes"""
    y = scale(0 * x[iv], three(W, base, n + 1))
    for k in range(n):
        y = add(y, scale(x[iv + k], three(W, base + k, n + 1)))
    return y


@jit
def power_of(s, b, e, k, p, whole):
    """The coefficient of x^p of piece k of the deformed line, u0 + q_j (psi_j + q_k E_kj / 2); E only for the ``whole``"""
    n, iq, second = b.ip[e, N], b.ip[e, IQ] + 7, b.ip[e, SECOND] == 1
    width = 6 + 6 * n + (3 * n * n if second else 0 * n)
    c = b.ip[e, POOL] + 2 + b.ip[e, PIECES] + (k * POWERS + p) * width
    x = add(vec(b.val, c), weighted(s.q, iq, n, b.val, c + 6))
    if whole and second:
        for j in range(n):
            x = add(x, scale(s.q[iq + j] / 2, weighted(s.q, iq, n, b.val, c + 6 + 6 * n + 3 * n * j)))
    return x


@jit
def next_node(s, b, e, x):
    """The node that is next to x, but for the last one, by displacements of first order"""
    best, least = 0, np.inf
    for k in range(b.ip[e, PIECES]):
        d = sub(x, power_of(s, b, e, k, 0, False))
        far = dot(d, d).real
        if far < least:
            best, least = k, far
    return best


@jit
def load(s, b, e, k, W):
    """The polynomial of piece k of the deformed line, in W"""
    c = own(b, e) + CURVE
    for p in range(POWERS):
        y = power_of(s, b, e, k, p, True)
        for i in range(3):
            W[c + 3 * p + i] = y[i]


@jit
def slopes(b, e, W, x, y):
    """-C, its derivative and |u'| at y of the piece in W: the first two of |x - u|^2 / 2                        [foot-1]"""
    c = own(b, e) + CURVE
    u, u1, u2 = vec(W, c + 15), scale(0 * y, vec(W, c)), scale(0 * y, vec(W, c))
    for p in range(POWERS - 1):
        u2 = add(scale(y, u2), scale(2.0, u1))
        u1 = add(scale(y, u1), u)
        u = add(scale(y, u), vec(W, c + 12 - 3 * p))
    d = sub(x, u)
    return -dot(u1, d), dot(u1, u1) - dot(u2, d), np.sqrt(dot(u1, u1).real)


@jit
def length_of(b, e, k):
    knots = b.ip[e, POOL] + 1
    return b.val[knots + k + 1].real - b.val[knots + k].real


@jit
def descend(s, b, e, k, x, W):
    """From node k along the line to where the distance stops falling: the piece, in W as well, and where the foot is"""
    load(s, b, e, k, W)
    if slopes(b, e, W, x, 0.0)[0].real < 0:
        while slopes(b, e, W, x, length_of(b, e, k))[0].real < 0:
            if k == b.ip[e, PIECES] - 1:
                return k, END
            k += 1
            load(s, b, e, k, W)
        return k, INSIDE
    while k > 0:
        k -= 1
        load(s, b, e, k, W)
        if slopes(b, e, W, x, 0.0)[0].real < 0:
            return k, INSIDE
    return k, START


@jit
def between(b, e, W, x, low, high):
    """The real zero of -C in the piece in W, which is negative at ``low`` and not at ``high``: Newton's method, or halves"""
    y, close = (low + high) / 2, CLOSE * b.val[b.ip[e, POOL]].real
    for _ in range(MOST):
        g, g1, _ = slopes(b, e, W, x, y)
        if g.real < 0:
            low = y
        else:
            high = y
        z = y - g.real / g1.real if g1.real > 0 else low - 1
        if not low <= z <= high:
            z = (low + high) / 2
        change, y = abs(z - y), z
        if change <= close:
            break
    return y


@jit
def beyond(b, e, W, x, y, least, most):
    """The same where the polynomial of the piece goes on beyond an end of the line; no farther than from ``least`` to ``most``"""
    close = CLOSE * b.val[b.ip[e, POOL]].real
    for _ in range(MOST):
        g, g1, size = slopes(b, e, W, x, y)
        z = min(max(y - g.real / (g1.real if g1.real > 0 else size * size), least), most)
        change, y = abs(z - y), z
        if change <= close:
            break
    return y


@jit
def foot(s, b, e, W, x):
    """s, and 1 between the ends, 0 at one of them, where it stays. While they touch it is held which of these it is: the distance has
    a jump of its second derivative there, as at the end of a capsule. Newton's method in complex numbers ends it.   [foot-1], [foot-3]"""
    pc, last, knots, length = b.ip[e, SITE], b.ip[e, PIECES] - 1, b.ip[e, POOL] + 1, b.val[b.ip[e, POOL]].real
    k, where = descend(s, b, e, next_node(s, b, e, x), x, W)
    held, touches, y = where, s.H[b.ip[e, MEMORY] + MET].real > 0, 0.0
    if touches:
        held = int(hold(W, 1.0 * where, pc))
        if held != INSIDE and where == INSIDE:
            k = 0 * last if held == START else last
            load(s, b, e, k, W)
    if held != INSIDE:
        y = 0.0 if held == START else length_of(b, e, last)
        g, _, size = slopes(b, e, W, x, y)
        if touches:
            note_margin(W, pc, (g.real if held == START else -g.real) / size)
        return b.val[knots + k] + y + 0 * x[0], 0.0
    if where == INSIDE:
        y = between(b, e, W, x, 0.0, length_of(b, e, k))
    elif where == START:
        y = beyond(b, e, W, x, 0.0, -OUT * length, length_of(b, e, k))
    else:
        y = beyond(b, e, W, x, length_of(b, e, k), 0.0, length_of(b, e, k) + OUT * length)
    z = y + 0 * x[0]
    for _ in range(2):
        g, g1, _ = slopes(b, e, W, x, z)
        if g1.real > 0:
            z -= g / g1
    place = b.val[knots + k] + z
    if touches:
        note_margin(W, pc, min(place.real, length - place.real))
    return place, 1.0


@jit
def find(s, b, o):
    """s of all feet, in W"""
    for e in range(b.first, b.last):
        iq, at = b.ip[e, IQ], own(b, e)
        x = tmul(rotation(s.q, iq + 3), sub(vec2(s.X, b.ip[e, PARTNER], P), vec(s.q, iq)))
        o.W[at + S], o.W[at + FREE] = foot(s, b, e, o.W, x)


_plain = [getattr(f, "py_func", f) for f in (lines.splines, lines.shapes, lines.push, lines.push_tangent, lines.push_rates, lines.pull,
                                             lines.pull_tangent)]
_, _, push_there, tangent_there, rates_there, pull, pull_tangent = variants(
    "foot", *_plain, spot=at_foot, columns=by_modes, sum_of=sum_over_modes)


@jit
def push(s, b, o):
    """[node-2] at the foot                                                                                  [foot-2]"""
    find(s, b, o)
    push_there(s, b, o)


@jit
def push_tangent(s, b, o):
    """[node-3] and [node-4] at the foot, which stays where it is                                            [foot-2]"""
    find(s, b, o)
    tangent_there(s, b, o)


@jit
def push_rates(s, b, o):
    """[node-5] of the material at the foot                                                                  [foot-2]"""
    find(s, b, o)
    rates_there(s, b, o)


FRAMES = Family("foot", push=Stage(residual=push, tangent=push_tangent, rates=push_rates, energy=push, power=push),
                pull=Stage(residual=pull, tangent=pull_tangent), rank=1)  # after the frames that they are next to
