"""Compliant contacts: one family for each elementary pair of surfaces, one element for each point. docs/theory/contact.md

With g, n and c of the pair (`kernels.gaps`), r = c - p, depth x = -g and slip u_T = u_c - n (n . u_c), body B is acted upon at c by

    f = F_N n + f_T,   m = -(rolling w_T + spinning n (n . w)),   w = w_B - w_A                                [contact-4]

and body A by the opposite at the same place. A bristle has two states z: its deflection along tangents that move with B [rubbing-4].
Derivatives are complex steps of all of it, exact to rounding [contact-5]. Whether the surfaces touch, whether the law would pull, and
which features touch are choices, held and located like those of expressions; the speed of meeting is kept in the history while they touch.
"""
from typing import Any

import numpy as np

from ..kernels.contact_laws import (
    EXPRESSION,
    FRICTIONLESS,
    KIND,
    MODEL,
    ROLLING,
    SLOW,
    SMOOTH_TURN,
    SPINNING,
    friction,
    normal_force,
    resisted,
    stored,
)
from ..kernels.contact_points import compass, normal, point_velocity, pose, rates, stepped_rates, tangents, wrench
from ..kernels.contract import DISSIPATION, ELASTIC, POWER, TABLE, Family, Stage
from ..kernels.event_log import note
from ..kernels.expression_vm import CHANGED, hold, note_margin, note_slope
from ..kernels.gaps.crossings import nowhere as nearby
from ..kernels.gaps.derivatives import ETA, moved, stepped, still
from ..kernels.gaps.geometry import AWAY, axis
from ..kernels.gaps.point_plane import closest, on_region, region  # in place of those of each pair
from ..kernels.jit import index, jit, variants
from ..kernels.pairs import DAMPING, FA, FB, GRADIENT, MOTION, STIFFNESS, add_pair, add_wrench, rate_motions
from ..kernels.so3 import add, dot, scale, sub

GEOMETRY, LAW, SITE, MEMORY, IV = index(4, 5, 6, 7, 8)  # ip: places in val, of choices in W, in H (see below), of its two states in v or -1
TOLD, LOG, ROOM = index(9, 10, 11)                      # as of latches
UNIT = index(0)                                         # rp: 1 / nominal of its states
MET, COMPASS = index(0, 1)                              # in H: speed of meeting, 0 while open; which axis of B its first tangent is near to
PACE, PUSHES, FEATURE, TURNED = index(2, 4, 6, 8)       # after whether it touches: how fast the gap opens; further choices
SITES = 10                                              # numbers of W that choices take
BY_Z, Z_BY_X, Z_BY_U, Z_BY_Z = index(396, 420, 444, 468)  # scratch: derivatives of the wrench and of the rates of states
NORTH = 0.95                                            # cosine of the axis of B and the normal, at which another one is taken
FIELDS = 18                                             # of a report: gap, normal force, friction on B (3), slip (3), point (3), ...
REPORT = STIFFNESS                                      # ... normal (3), speed of meeting, friction over its limit, power lost, depth


@jit
def deflection(s, b, e):
    """The two states of its bristles; zero without"""
    iv = b.ip[e, IV]
    if iv < 0:
        return 0 * s.H[0], 0 * s.H[0]
    return s.v[iv], s.v[iv + 1]


@jit
def heading(s, b, e, c, x):
    """The axis of B that its tangents are near to; before they have met, the one that would be taken."""
    h = b.ip[e, MEMORY]
    return int(s.H[h + COMPASS].real) if s.H[h + MET].real > 0 else compass(c, normal(x))


@jit
def rubbed(val, law, x, a, b, u, z, F, k):
    """Of what `closest` gives and the normal force F: force on B, moment on B besides, rates of z                  [contact-4]"""
    n, (v, w) = normal(x), point_velocity(x, a, b, u)
    f, m, zero = scale(F, n), scale(0 * F, n), 0 * (F + n[0])
    y = zero, zero
    if int(val[law + MODEL].real) != FRICTIONLESS:
        t1, t2 = tangents(b, n, k)
        q = friction(val, law, (dot(t1, v), dot(t2, v)), z)
        f, y = add(f, add(scale(F * q[0], t1), scale(F * q[1], t2))), (zero + q[2], zero + q[3])
    if val[law + ROLLING].real > 0 or val[law + SPINNING].real > 0:
        spin, w0 = dot(n, w), val[law + SMOOTH_TURN]
        turn = sub(w, scale(spin, n))
        m = add(m, scale(-F * resisted(val[law + ROLLING], dot(turn, turn), w0), turn))
        m = add(m, scale(-F * resisted(val[law + SPINNING], spin * spin, w0) * spin, n))
    return f, m, y


def found(s, b, o, e, a, c):
    """Whether the surfaces touch, on which feature, and what `closest` gives: all of it as it is held"""
    at, W, pc = b.ip[e, GEOMETRY], o.W, b.ip[e, SITE]
    x = closest(b.val, at, a, c)
    touches = hold(W, 1.0 if x[0].real < 0 else 0.0, pc) == 1
    number, margin = region(b.val, at, a, c)
    held = number
    if touches:
        if margin.real < np.inf:
            held = int(hold(W, 1.0 * number, pc + FEATURE))
            note_margin(W, pc + FEATURE, margin.real if held == number else -margin.real)
        if held != number:
            x = on_region(b.val, at, a, c, held)
        note_margin(W, pc, -x[0].real)
    else:
        near = nearby(b.val, at, a, c) if x[0].real >= AWAY / 2 else x
        note_margin(W, pc, near[0].real)
        note_slope(W, pc + PACE, dot(normal(near), point_velocity(near, a, c, rates(s, b, e))[0]).real)
    return touches, held, x


@jit
def pressed(s, b, o, e, x, a, c):
    """Depth, its rate, the normal force, which never pulls, and its slopes"""
    W, pc, law = o.W, b.ip[e, SITE] + PUSHES, b.ip[e, LAW]
    depth, v = -x[0], -dot(normal(x), point_velocity(x, a, c, rates(s, b, e))[0])
    F, F_x, F_v = normal_force(s, b, o, law, depth, v, s.H[b.ip[e, MEMORY] + MET])
    pushes = hold(W, 1.0 if F.real >= 0 else 0.0, pc)
    note_margin(W, pc, F.real if pushes == 1 else -F.real)
    return depth, v, pushes * F, pushes * F_x, pushes * F_v


@jit
def look_north(b, o, e, c, n, k):
    """The tangents' axis must stay away from the normal."""
    if b.ip[e, IV] >= 0:
        pc = b.ip[e, SITE] + TURNED
        x = NORTH - abs(dot(n, axis(c, k)).real)
        fine = hold(o.W, 1.0 if x >= 0 else 0.0, pc)
        note_margin(o.W, pc, x if fine == 1 else -x)


def contact(s, b, o):
    """The wrench on the left; -z'/nominal in the rows of states                                           [contact-4]"""
    for e in range(b.first, b.last):
        a, c = pose(s, b.ip[e, FA]), pose(s, b.ip[e, FB])
        touches, _, x = found(s, b, o, e, a, c)
        if not touches:
            continue
        F, k = pressed(s, b, o, e, x, a, c)[2], heading(s, b, e, c, x)
        look_north(b, o, e, c, normal(x), k)
        f, m, y = rubbed(b.val, b.ip[e, LAW], x, a, c, rates(s, b, e), deflection(s, b, e), F, k)
        w = wrench(x, a, c, f, m, y)
        for i in range(12):
            o.W[GRADIENT + i] = w[i]
        add_wrench(s, b, e, 1.0, o.W)
        iv = b.ip[e, IV]
        if iv >= 0:
            o.R[iv] -= b.rp[e, UNIT] * w[12]
            o.R[iv + 1] -= b.rp[e, UNIT] * w[13]


def varied(val, at, law, a, b, u, z, number, k, depth, v, F, F_x, F_v):
    """The wrench and the rates of z of poses, rates or states that are a complex step away; the normal force by its slopes   [contact-5]"""
    x = on_region(val, at, a, b, number)
    rate = -dot(normal(x), point_velocity(x, a, b, u)[0])
    force = F + F_x * (-x[0] - depth) + F_v * (rate - v)
    f, m, y = rubbed(val, law, x, a, b, u, z, force, k)
    return wrench(x, a, b, f, m, y)


@jit
def add_states(s, b, o, e):
    """D of rows and columns of its states, from the derivatives in W"""
    iv, W, table, last = b.ip[e, IV], o.W, b.ip[e, TABLE], b.fr[b.ip[e, FA], 0] + b.fr[b.ip[e, FB], 0]
    k, m, unit, tile = iv % 6, last + 1, b.rp[e, UNIT], 0
    for side in range(2):
        f = b.ip[e, FA + side]
        for i in range(b.fr[f, 0]):
            rate_motions(s, b, o, f, i)
            j, row, column = b.fr[f, 1] + i, b.tab[table + m * last + tile], b.tab[table + m * tile + last]
            for c in range(6):
                for r in range(2):
                    x, y = 0 * unit, 0 * unit
                    for l in range(6):
                        at = 12 * r + 6 * side + l
                        x += W[Z_BY_X + at] * o.ck * s.J[j, l, c] + W[Z_BY_U + at] * W[MOTION + 6 * l + c]
                        y += W[BY_Z + at] * s.J[j, l, c]
                    o.D[row, k + r, c] -= unit * x
                    o.D[column, c, k + r] += o.cd * y
            tile += 1
    own = b.tab[table + m * last + last]
    for r in range(2):
        for c in range(2):
            o.D[own, k + r, k + c] -= unit * o.cd * W[Z_BY_Z + 2 * r + c]


def contact_tangent(s, b, o):
    """Derivatives along the motions, the rates and the states by complex steps                            [contact-5]"""
    contact(s, b, o)
    for e in range(b.first, b.last):
        a, c = pose(s, b.ip[e, FA]), pose(s, b.ip[e, FB])
        touches, number, x = found(s, b, o, e, a, c)
        if not touches:
            continue
        W, at, law, u = o.W, b.ip[e, GEOMETRY], b.ip[e, LAW], rates(s, b, e)
        depth, v, F, F_x, F_v = pressed(s, b, o, e, x, a, c)
        k, z = heading(s, b, e, c, x), deflection(s, b, e)
        A, C, U, Z = still(a), still(c), stepped_rates(u, -1), (stepped(z[0], 0.0), stepped(z[1], 0.0))
        for j in range(26):
            if j < 12:
                w = varied(b.val, at, law, moved(a, j), moved(c, j - 6), U, Z, number, k, depth, v, F, F_x, F_v)
            elif j < 24:
                w = varied(b.val, at, law, A, C, stepped_rates(u, j - 12), Z, number, k, depth, v, F, F_x, F_v)
            else:
                one = stepped(z[0], 1.0 if j == 24 else 0.0), stepped(z[1], 1.0 if j == 25 else 0.0)
                w = varied(b.val, at, law, A, C, U, one, number, k, depth, v, F, F_x, F_v)
            for i in range(12):
                y = w[i].imag / ETA
                if j < 12:
                    W[STIFFNESS + 12 * i + j] = y
                elif j < 24:
                    W[DAMPING + 12 * i + j - 12] = y
                else:
                    W[BY_Z + 12 * (j - 24) + i] = y
            for r in range(2):
                y = w[12 + r].imag / ETA
                if j < 12:
                    W[Z_BY_X + 12 * r + j] = y
                elif j < 24:
                    W[Z_BY_U + 12 * r + j - 12] = y
                else:
                    W[Z_BY_Z + 2 * r + j - 24] = y
        add_pair(s, b, o, e, True)
        if b.ip[e, IV] >= 0:
            add_states(s, b, o, e)


def contact_energy(s, b, o):
    """k x^(p+1) / (p + 1)                                                                                 [law-6]"""
    for e in range(b.first, b.last):
        a, c = pose(s, b.ip[e, FA]), pose(s, b.ip[e, FB])
        touches, _, x = found(s, b, o, e, a, c)
        if touches:
            o.E[ELASTIC] += stored(b.val, b.ip[e, LAW], -x[0])[0]


def lost(s, b, o, e, x, a, c):
    """What friction and damping take, and what a law F(x, v) of the user supplies                         [law-6]"""
    law, u = b.ip[e, LAW], rates(s, b, e)
    depth, v, F, _, _ = pressed(s, b, o, e, x, a, c)
    f, m, y = rubbed(b.val, law, x, a, c, u, deflection(s, b, e), F, heading(s, b, e, c, x))
    w, total = wrench(x, a, c, f, m, y), 0 * F
    for i in range(12):
        total += w[i] * u[i]
    given = -F * v if int(b.val[law + KIND].real) == EXPRESSION else 0 * F
    return total - stored(b.val, law, depth)[1] * v + given, given


def contact_power(s, b, o):
    """All but what is stored is lost                                                                      [law-6]"""
    for e in range(b.first, b.last):
        a, c = pose(s, b.ip[e, FA]), pose(s, b.ip[e, FB])
        touches, _, x = found(s, b, o, e, a, c)
        if touches:
            loss, given = lost(s, b, o, e, x, a, c)
            o.E[DISSIPATION] += loss
            o.E[POWER] += given


@jit
def tell(s, b, o, e, x):
    if b.ip[e, TOLD] >= 0:
        note(o.W, b.ip[e, LOG], b.ip[e, ROOM], b.ip[e, TOLD], s.t.real, x, np.nan)


@jit
def set_states(s, b, e, z1, z2):
    iv = b.ip[e, IV]
    if iv >= 0:
        s.v[iv], s.v[iv + 1] = z1, z2


def meet(s, b, o):
    """At instants: the speed of meeting is kept until they part; bristles begin straight, and find another axis if theirs is near n"""
    for e in range(b.first, b.last):
        a, c = pose(s, b.ip[e, FA]), pose(s, b.ip[e, FB])
        x, h = closest(b.val, b.ip[e, GEOMETRY], a, c), b.ip[e, MEMORY]
        touches, met, n = x[0].real < 0, s.H[h + MET].real, normal(x)
        k = int(s.H[h + COMPASS].real)
        if touches != (met > 0):
            v = -dot(n, point_velocity(x, a, c, rates(s, b, e))[0]).real
            met = max(v, b.val[b.ip[e, LAW] + SLOW].real) if touches else 0.0
            s.H[h + MET], s.H[h + COMPASS] = met, 1.0 * compass(c, n)
            set_states(s, b, e, 0 * s.H[0], 0 * s.H[0])
            o.W[CHANGED] = 1
            tell(s, b, o, e, met)
        elif touches and b.ip[e, IV] >= 0 and abs(dot(n, axis(c, k)).real) > NORTH:
            t, (t1, t2), z = compass(c, n), tangents(c, n, k), deflection(s, b, e)
            y = add(scale(z[0], t1), scale(z[1], t2))
            t1, t2 = tangents(c, n, t)
            s.H[h + COMPASS] = 1.0 * t
            set_states(s, b, e, dot(y, t1), dot(y, t2))
            o.W[CHANGED] = 1


def report(s, b, o):
    """For channels: W[REPORT:], see FIELDS"""
    for e in range(b.first, b.last):
        W, law = o.W, b.ip[e, LAW]
        a, c = pose(s, b.ip[e, FA]), pose(s, b.ip[e, FB])
        touches, _, x = found(s, b, o, e, a, c)
        n, z = normal(x), deflection(s, b, e)
        v = point_velocity(x, a, c, rates(s, b, e))[0]
        slip = sub(v, scale(dot(n, v), n))
        F, loss, f = 0 * x[0], 0 * x[0], scale(0 * x[0], n)
        if touches:
            F = pressed(s, b, o, e, x, a, c)[2]
            f = sub(rubbed(b.val, law, x, a, c, rates(s, b, e), z, F, heading(s, b, e, c, x))[0], scale(F, n))
            loss = lost(s, b, o, e, x, a, c)[0]
        W[REPORT], W[REPORT + 1] = x[0], F
        for i in range(3):
            W[REPORT + 2 + i], W[REPORT + 5 + i], W[REPORT + 8 + i], W[REPORT + 11 + i] = f[i], slip[i], x[4 + i], n[i]
        W[REPORT + 14] = s.H[b.ip[e, MEMORY] + MET]
        W[REPORT + 15] = np.sqrt(z[0] * z[0] + z[1] * z[1])
        W[REPORT + 16] = loss
        W[REPORT + 17] = 1.0 if touches else 0.0


FAMILIES: dict[str, tuple[Family, Any]] = {}


def family(pair: str) -> Family:
    """The contacts of an elementary pair: a module of `kernels.gaps`."""
    return _made(pair)[0]


def reporting(pair: Family) -> Any:
    """The kernel that tells all about a point of such a contact, or of a rigid one."""
    if pair.name.startswith("rigid"):
        from .rigid_contacts import reporting as rigid
        return rigid(pair.name.rpartition(" ")[2])
    return _made(pair.name.rpartition(" ")[2])[1]


def _made(pair: str) -> tuple[Family, Any]:
    if pair not in FAMILIES:
        from importlib import import_module
        m = import_module(f"..kernels.gaps.{pair}", __package__)
        _, residual, _, tangent, energy, _, power, update, tells = variants(
            pair, found, contact, varied, contact_tangent, contact_energy, lost, contact_power, meet, report,
            closest=m.closest, region=m.region, on_region=m.on_region, nearby=getattr(m, "nearby", nearby))
        FAMILIES[pair] = Family(f"contact {pair}", sense=Stage(update=update), rank=5, force=True, elastic=True,
                                act=Stage(residual=residual, tangent=tangent, energy=energy, power=power)), tells
    return FAMILIES[pair]
