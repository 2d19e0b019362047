"""Rigid contact at a point of two surfaces, with dry friction: three rows of a tile, of which some are on. docs/theory/rigid_contact.md

    open     no equation;  g >= 0
    slides   g = 0,  F_N = -lam_N >= 0,  friction -mu F_N d on B along the slip,  d = u_T / |u_T|
    sticks   g = 0,  u_T . t_1 = u_T . t_2 = 0,  |lam_T| <= mu_s F_N                                            [touch-2]

u is the velocity of B against A at the point of action c; t_1, t_2 are tangents, made of an axis of B that is chosen as they touch.
With T_k = (-t_k, -r_A x t_k, t_k, r_B x t_k), made as G is: u . t_k = T_k . u. Derivatives of G and T_k are complex steps
(`kernels.gaps.derivatives`). What ends a state is a choice with a margin, see `rigid_stops`.
"""
from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ..kernels.contact_points import clear_line, compass, line, normal, pose, put_line, tangents, times
from ..kernels.contract import AV, DISSIPATION, TABLE, Family, Stage
from ..kernels.expression_vm import hold, note_margin, note_slope
from ..kernels.gaps.crossings import always as slack
from ..kernels.gaps.crossings import nowhere as nearby
from ..kernels.gaps.derivatives import ETA, moved, moving
from ..kernels.gaps.geometry import AWAY, axis
from ..kernels.gaps.point_plane import closest, on_region  # in place of those of each pair
from ..kernels.jit import index, jit, variants
from ..kernels.pairs import (
    DAMPING,
    FA,
    FB,
    GRADIENT,
    MOTION,
    RATES,
    ROW,
    STIFFNESS,
    add_pair,
    add_wrench,
    clear_stiffness,
    exact,
    load_rates,
    rate_motions,
)
from ..kernels.so3 import add, dot, scale, vec
from .rigid_stops import OPEN, ROOM, SLIDES, STICKS

AT, PHASE, CHOICE, SEEN = index(4, 5, 6, 7)  # ip: sizes in val, places in H, in tab, in W
MU, STATIC = index(0, 1)                     # rp
ALONG, EDGE, SLOW, GRIPS, SHARE = index(2, 5, 6, 7, 8)  # H[PHASE:], behind phase and room: d, axis of B; while slip begins what is added
# to it along d, then less than zero: minus the slip that is none; sticks; the part of lam_N, lam_1, lam_2 that is given
TANGENTS = index(7)                          # W[SEEN:], after g, speeds and accelerations of the three rows: t_1, t_2
ACROSS = index(13)                           # behind them: the axis of B that is most across n
PLACES, CHOICES, NUMBERS = 11, 4, 14         # in H, tab and W
ALONG_NORMAL = 0.999                         # cosine of n and an axis that is no longer used
BEGUN, ENDED, NEAR = 1e3, 1e-2, 0.1          # times as fast as that: slip has begun; has ended; ends without having begun
REPORT = STIFFNESS                           # as of `contacts`
MEETING = index(0)                           # region of pairs that have a gap in one only
SLOWEST = 1e-26                              # (m/s)^2: a slip without a direction of its own


@jit
def tangent(found, b, edge, k):
    """n, t_1 or t_2 for k = 0, 1, 2; of another axis of B where ``edge`` is along n."""
    n = normal(found)
    if k == 0:
        return n
    t1, t2 = tangents(b, n, edge if abs(dot(n, axis(b, edge)).real) < ALONG_NORMAL else compass(b, n))
    return t1 if k == 1 else t2


@jit
def slip_along(u1, u2, h1, h2, slow):
    """d in tangents: of the slip, on the side of the direction h that is held. Where slip begins, ``slow`` h is added to it: it has no
    direction of its own there but rounding."""
    x, y = u1 + slow * h1, u2 + slow * h2
    if x.real * x.real + y.real * y.real <= SLOWEST:
        return h1 + 0 * x, h2 + 0 * x
    speed, side = np.sqrt(x * x + y * y), 1.0 if x.real * h1 + y.real * h2 >= 0 else -1.0
    return side * x / speed, side * y / speed


@jit
def held(s, b, e, t1, t2):
    """The direction of slip at the start of the step, in tangents."""
    h = vec(s.H, b.ip[e, PHASE] + ALONG)
    return dot(h, t1).real, dot(h, t2).real


@jit
def force(s, b, e, j):
    """lam_N, lam_1 or lam_2, for j = 0, 1, 2: the multiplier and what it was found to be at the last instant      [touch-7]"""
    return s.lam[b.ip[e, ROW] + j] + s.H[b.ip[e, PHASE] + SHARE + j]


def met(val, at, a, b, phase):
    """What `closest` gives; of features that push on each other and have just left each other, their lines."""
    x = closest(val, at, a, b)
    return on_region(val, at, a, b, MEETING) if phase != OPEN and x[0].real >= AWAY / 2 else x


def seen(s, b, o, e):
    """Contact e as it is: the pair, g and tangents in W."""
    at, edge, phase = b.ip[e, AT], int(s.H[b.ip[e, PHASE] + EDGE].real), s.H[b.ip[e, PHASE]].real
    xa, xb = pose(s, b.ip[e, FA]), pose(s, b.ip[e, FB])
    found = met(b.val, at, xa, xb, phase)
    to = b.ip[e, SEEN]
    o.W[to] = found[0]
    for j in range(2):
        t = tangent(found, xb, edge, j + 1)
        for k in range(3):
            o.W[to + TANGENTS + 3 * j + k] = t[k]
    o.W[to + ACROSS] = 1.0 * compass(xb, normal(found))
    return found, xa, xb, edge


def note_margins(s, b, o, e, xa, xb, slip, gap, opens):
    """Of the state it is in: of force or gap, of slip or stick, and of features that lose each other as they push."""
    W, pc, h = o.W, b.ip[e, CHOICE], b.ip[e, PHASE]
    phase = s.H[h].real
    hold(W, phase, pc)
    hold(W, phase, pc + 4)
    pushes = -force(s, b, e, 0).real
    note_margin(W, pc, gap + s.H[h + ROOM].real if phase == OPEN else pushes)
    if phase == OPEN:
        note_slope(W, pc + 2, opens)
    else:
        left = slack(b.val, b.ip[e, AT], xa, xb)
        if left < np.inf:
            hold(W, 1.0, pc + 6)
            note_margin(W, pc + 6, left)
    side = np.sqrt(force(s, b, e, 1).real**2 + force(s, b, e, 2).real**2)
    slow = s.H[h + SLOW].real
    least = NEAR * slow if slow > 0 else -slow
    note_margin(W, pc + 4, 1.0 if phase == OPEN else b.rp[e, STATIC].real * pushes - side if phase == STICKS else slip - least)


def wrench(s, b, o, e):
    """W[GRADIENT:] = what the contact adds on the left, where it is closed                                      [touch-3]"""
    found, xa, xb, edge = seen(s, b, o, e)
    phase, slip, gap, opens = s.H[b.ip[e, PHASE]].real, 0.0, found[0].real, 0.0
    clear_line(o.W)
    if phase == OPEN:
        load_rates(s, b, e, o.W)
        x = nearby(b.val, b.ip[e, AT], xa, xb) if gap >= AWAY / 2 else found
        gap, opens = x[0].real, times(line(normal(x), x, xa, xb), o.W, RATES).real
    else:
        n, t1, t2 = tangent(found, xb, edge, 0), tangent(found, xb, edge, 1), tangent(found, xb, edge, 2)
        put_line(line(n, found, xa, xb), force(s, b, e, 0), o.W)
        if phase == STICKS:
            put_line(line(t1, found, xa, xb), force(s, b, e, 1), o.W)
            put_line(line(t2, found, xa, xb), force(s, b, e, 2), o.W)
        else:
            load_rates(s, b, e, o.W)
            u1, u2 = times(line(t1, found, xa, xb), o.W, RATES), times(line(t2, found, xa, xb), o.W, RATES)
            h1, h2 = held(s, b, e, t1, t2)
            slow = max(s.H[b.ip[e, PHASE] + SLOW].real, 0.0)
            d1, d2 = slip_along(u1, u2, h1, h2, slow)
            x, y = u1.real + slow * h1, u2.real + slow * h2
            slip = np.sqrt(x * x + y * y) * (1.0 if x * h1 + y * h2 >= 0 else -1.0)
            put_line(line(add(scale(d1, t1), scale(d2, t2)), found, xa, xb), -b.rp[e, MU] * force(s, b, e, 0), o.W)
    note_margins(s, b, o, e, xa, xb, slip, gap, opens)
    return found[0]


def rigid_contact(s, b, o):
    """R = g, V = T_k . u where it sticks;  lam_N (G - mu T_d) or lam_N G + lam_1 T_1 + lam_2 T_2                [touch-3]"""
    for e in range(b.first, b.last):
        g = wrench(s, b, o, e)
        if s.H[b.ip[e, PHASE]].real != OPEN:
            o.R[b.ip[e, ROW]] += g
            if s.H[b.ip[e, PHASE]].real == STICKS:
                found, xa, xb, edge = seen(s, b, o, e)
                load_rates(s, b, e, o.W)
                for j in range(1, 3):
                    o.V[b.ip[e, ROW] + j] = times(line(tangent(found, xb, edge, j), found, xa, xb), o.W, RATES)
            add_wrench(s, b, e, 1.0 + 0 * g, o.W)


@jit
def add_entries(s, b, o, e, row, f, as_row, as_column):
    """f W[GRADIENT:] as the row of an equation, as its column, or both."""
    na, m = b.fr[b.ip[e, FA], 0], b.fr[b.ip[e, FA], 0] + b.fr[b.ip[e, FB], 0] + 1
    for side in range(2):
        fr, first = b.ip[e, FA + side], side * na
        for i in range(b.fr[fr, 0]):
            j = b.fr[fr, 1] + i
            c, ct = b.tab[b.ip[e, TABLE] + m * (m - 1) + first + i], b.tab[b.ip[e, TABLE] + m * (first + i) + m - 1]
            for k in range(6):
                g = 0 * f
                for r in range(6):
                    g += f * o.W[GRADIENT + 6 * side + r] * s.J[j, r, k]
                if as_row:
                    o.D[c, row, k] += g
                if as_column:
                    o.D[ct, k, row] += g


def add_speed(s, b, o, e, j, found, xa, xb, edge):
    """Of a velocity row: its column T J, its row as in [rolling-6], with the change of V = T . u along the motions in DAMPING."""
    W, row = o.W, b.ip[e, ROW] % 6 + j
    load_rates(s, b, e, W)
    clear_line(W)
    put_line(line(tangent(found, xb, edge, j), found, xa, xb), 1.0 + 0 * found[0], W)
    add_entries(s, b, o, e, row, 1.0 + 0 * found[0], o.cd == 0, True)
    if o.cd == 0:
        return
    for k in range(12):
        ya, yb = moved(xa, k), moved(xb, k - 6)
        near = met(b.val, b.ip[e, AT], ya, yb, s.H[b.ip[e, PHASE]].real)
        l = line(tangent(near, yb, edge, j), near, ya, yb)
        W[DAMPING + k] = 0
        for i in range(12):
            W[DAMPING + k] += l[i].imag / ETA * W[RATES + i]
    na, m = b.fr[b.ip[e, FA], 0], b.fr[b.ip[e, FA], 0] + b.fr[b.ip[e, FB], 0] + 1
    for side in range(2):
        fr = b.ip[e, FA + side]
        for i in range(b.fr[fr, 0]):
            t, c = b.fr[fr, 1] + i, b.tab[b.ip[e, TABLE] + m * (m - 1) + side * na + i]
            rate_motions(s, b, o, fr, i)
            for k in range(6):
                x = 0 * W[GRADIENT]
                for r in range(6):
                    x += W[GRADIENT + 6 * side + r] * W[MOTION + 6 * r + k] + o.ck * W[DAMPING + 6 * side + r] * s.J[t, r, k]
                o.D[c, row, k] += x / o.cd


@jit
def stepped(x, d):
    return x.real + 1j * (ETA * d)


def wrench_along(s, b, o, e, k, moves):
    """Column k of STIFFNESS or DAMPING: the derivative of the wrench along a motion of the pair, or along its rate."""
    W, phase = o.W, s.H[b.ip[e, PHASE]].real
    at, edge = b.ip[e, AT], int(s.H[b.ip[e, PHASE] + EDGE].real)
    xa, xb = pose(s, b.ip[e, FA]), pose(s, b.ip[e, FB])
    j = k if moves == 1 else 12  # none of them: rates move instead
    ya, yb = moved(xa, j), moved(xb, j - 6)
    found = met(b.val, at, ya, yb, phase)
    n, t1, t2 = tangent(found, yb, edge, 0), tangent(found, yb, edge, 1), tangent(found, yb, edge, 2)
    ln, l1, l2 = line(n, found, ya, yb), line(t1, found, ya, yb), line(t2, found, ya, yb)
    a1, a2 = force(s, b, e, 1).real + 0j, force(s, b, e, 2).real + 0j
    if phase != STICKS:
        u1, u2 = 0j, 0j
        for i in range(12):
            u = stepped(W[RATES + i], (1.0 if k == i else 0.0) * (1 - moves))
            u1 += l1[i] * u
            u2 += l2[i] * u
        h = vec(s.H, b.ip[e, PHASE] + ALONG)
        h1, h2 = dot((h[0].real, h[1].real, h[2].real), t1).real, dot((h[0].real, h[1].real, h[2].real), t2).real
        d1, d2 = slip_along(u1, u2, h1, h2, max(s.H[b.ip[e, PHASE] + SLOW].real, 0.0))
        a1, a2 = -b.rp[e, MU].real * force(s, b, e, 0).real * d1, -b.rp[e, MU].real * force(s, b, e, 0).real * d2
    to = STIFFNESS if moves == 1 else DAMPING
    for i in range(12):
        W[to + 12 * i + k] = (force(s, b, e, 0).real * ln[i] + a1 * l1[i] + a2 * l2[i]).imag / ETA


def rigid_contact_tangent(s, b, o):
    """Row G, column G - mu T_d; rows and columns T_1, T_2; the derivative of the wrench, and of friction by the slip  [touch-4]"""
    rigid_contact(s, b, o)
    for e in range(b.first, b.last):
        phase, row = s.H[b.ip[e, PHASE]].real, b.ip[e, ROW] % 6
        if phase == OPEN:
            continue
        found, xa, xb, edge = seen(s, b, o, e)
        clear_line(o.W)
        put_line(line(tangent(found, xb, edge, 0), found, xa, xb), 1.0 + 0 * found[0], o.W)
        add_entries(s, b, o, e, row, 1.0 + 0 * found[0], True, True)
        if phase == STICKS:
            for j in range(1, 3):
                add_speed(s, b, o, e, j, found, xa, xb, edge)
        else:
            load_rates(s, b, e, o.W)
            t1, t2 = tangent(found, xb, edge, 1), tangent(found, xb, edge, 2)
            u1, u2 = times(line(t1, found, xa, xb), o.W, RATES), times(line(t2, found, xa, xb), o.W, RATES)
            h1, h2 = held(s, b, e, t1, t2)
            d1, d2 = slip_along(u1, u2, h1, h2, max(s.H[b.ip[e, PHASE] + SLOW].real, 0.0))
            clear_line(o.W)
            put_line(line(add(scale(d1, t1), scale(d2, t2)), found, xa, xb), -b.rp[e, MU], o.W)
            add_entries(s, b, o, e, row, 1.0 + 0 * found[0], False, True)
        slides = phase != STICKS and (o.cd != 0 or o.ck != 0)
        if exact(b, e) or slides:
            load_rates(s, b, e, o.W)
            clear_stiffness(o.W)
            for k in range(12):
                if exact(b, e):
                    wrench_along(s, b, o, e, k, 1)
                if slides:
                    wrench_along(s, b, o, e, k, 0)
            if exact(b, e):
                add_pair(s, b, o, e, slides)


def rigid_contact_rates(s, b, o):
    """V = (G, T_1, T_2) . u,  R = the same . u' + their rates . u; all of it in W, in the equations where it is on      [touch-5]"""
    for e in range(b.first, b.last):
        found, xa, xb, edge = seen(s, b, o, e)
        W, phase, to = o.W, s.H[b.ip[e, PHASE]].real, b.ip[e, SEEN]
        load_rates(s, b, e, W)
        ya = moving(xa, vec(W, RATES), vec(W, RATES + 3))
        yb = moving(xb, vec(W, RATES + 6), vec(W, RATES + 9))
        ahead = met(b.val, b.ip[e, AT], ya, yb, phase)
        for j in range(3):
            l, l1 = line(tangent(found, xb, edge, j), found, xa, xb), line(tangent(ahead, yb, edge, j), ahead, ya, yb)
            v, a = times(l, W, RATES), 0 * W[RATES]
            for k in range(6):
                a += l[k] * s.X[b.ip[e, FA], AV + k] + l[6 + k] * s.X[b.ip[e, FB], AV + k]
            for k in range(12):
                a += l1[k].imag / ETA * W[RATES + k]
            W[to + 1 + 2 * j], W[to + 2 + 2 * j] = v, a
            if phase == STICKS or (phase == SLIDES and j == 0):
                o.V[b.ip[e, ROW] + j] += v
                o.R[b.ip[e, ROW] + j] += a


def rigid_contact_power(s, b, o):
    """Lost in friction: mu F_N |u_T|                                                                             [touch-6]"""
    for e in range(b.first, b.last):
        if s.H[b.ip[e, PHASE]].real == SLIDES:
            found, xa, xb, edge = seen(s, b, o, e)
            load_rates(s, b, e, o.W)
            u1 = times(line(tangent(found, xb, edge, 1), found, xa, xb), o.W, RATES)
            u2 = times(line(tangent(found, xb, edge, 2), found, xa, xb), o.W, RATES)
            o.E[DISSIPATION] -= b.rp[e, MU] * force(s, b, e, 0) * np.sqrt(u1 * u1 + u2 * u2)


def follow_slip(s, b, o):
    """After a step the direction held is that of the slip. Once slip has begun, it ends before it has no direction any more."""
    for e in range(b.first, b.last):
        h = b.ip[e, PHASE]
        if s.H[h].real == SLIDES:
            found, xa, xb, edge = seen(s, b, o, e)
            load_rates(s, b, e, o.W)
            t1, t2 = tangent(found, xb, edge, 1), tangent(found, xb, edge, 2)
            u1, u2 = times(line(t1, found, xa, xb), o.W, RATES), times(line(t2, found, xa, xb), o.W, RATES)
            speed, slow = np.sqrt(u1 * u1 + u2 * u2), s.H[h + SLOW]
            if speed.real * speed.real > SLOWEST and speed.real > BEGUN * slow.real:
                for k in range(3):
                    s.H[h + ALONG + k] = (u1 * t1[k] + u2 * t2[k]) / speed
                s.H[h + SLOW] = -ENDED * slow if slow.real > 0 else slow


def report(s, b, o):
    """For channels: W[REPORT:], as of compliant contacts (`contacts.FIELDS`)"""
    for e in range(b.first, b.last):
        found, xa, xb, edge = seen(s, b, o, e)
        W, phase = o.W, s.H[b.ip[e, PHASE]].real
        load_rates(s, b, e, W)
        n, t1, t2 = tangent(found, xb, edge, 0), tangent(found, xb, edge, 1), tangent(found, xb, edge, 2)
        u1, u2 = times(line(t1, found, xa, xb), W, RATES), times(line(t2, found, xa, xb), W, RATES)
        f1, f2, F = -force(s, b, e, 1), -force(s, b, e, 2), -force(s, b, e, 0)
        if phase != STICKS:
            h1, h2 = held(s, b, e, t1, t2)
            d1, d2 = slip_along(u1, u2, h1, h2, max(s.H[b.ip[e, PHASE] + SLOW].real, 0.0))
            f1, f2 = -b.rp[e, MU] * F * d1, -b.rp[e, MU] * F * d2
        if phase == OPEN:
            f1, f2, F = 0 * F, 0 * F, 0 * F
        f, slip = add(scale(f1, t1), scale(f2, t2)), add(scale(u1, t1), scale(u2, t2))
        for k in range(3):
            W[REPORT + 2 + k], W[REPORT + 5 + k], W[REPORT + 8 + k], W[REPORT + 11 + k] = f[k], slip[k], found[4 + k], n[k]
        W[REPORT], W[REPORT + 1], W[REPORT + 14], W[REPORT + 15] = found[0], F, 0 * F, 0 * F
        W[REPORT + 16], W[REPORT + 17] = -(f1 * u1 + f2 * u2), 0.0 if phase == OPEN else 1.0


@cache
def _made(kernel: str) -> tuple[Family, Any]:
    pair = import_module(f"..kernels.gaps.{kernel}", __package__)
    found: Any = variants(f"rigid_{kernel}", met, seen, note_margins, wrench, rigid_contact, add_speed, wrench_along, rigid_contact_tangent,
                          rigid_contact_rates, rigid_contact_power, follow_slip, report, closest=pair.closest, on_region=pair.on_region,
                          slack=getattr(pair, "slack", slack), nearby=getattr(pair, "nearby", nearby))
    tangent_, rates, power, follow, tells = found[7:]
    return Family(f"rigid contact {kernel}", act=Stage(found[4], tangent_, rates, power=power, history=follow)), tells


def rigid_contacts(kernel: str) -> Family:
    """The family of a pair of surfaces, by the name of its kernel."""
    return _made(kernel)[0]


def reporting(kernel: str) -> Any:
    """The kernel that tells all about a point of such a contact."""
    return _made(kernel)[1]
