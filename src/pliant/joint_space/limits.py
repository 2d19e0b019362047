"""Rigid limits of coordinates of a tree without loops: what is touched is a coordinate that does not move, as a driven one at rest.

    g = f q - o >= 0,  f = 1 or -1;  touched: q' = 0, and the force F = f tau of what the joint then transmits,  tau = S . (I a + p)

No equation closes anything, so that accelerations cost what they cost without limits. docs/theory/rigid_contact.md
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..families import rigid_stops
from ..families.elastic import deform
from ..families.rigid_stops import FACTOR, OFFSET, OPEN, RIGID_STOP, ROOM
from ..kernels import link_tables as rc
from ..kernels.articulated import accelerate, begin_inward, carried, inward
from ..kernels.elastic_links import moved_by_parent
from ..kernels.expression_vm import SCRATCH
from ..kernels.jit import index, jit
from ..kernels.link_tables import HH, INNER, JJ, MM, P_, S_
from ..kernels.pairs import ROW
from ..kernels.recursion import outward
from ..kernels.so3 import add, dot, mat2, mul, tmul, vec2
from ..kernels.status import DONE, NOT_FINITE, SINGULAR
from ..kernels.symmetric3 import symmetric
from .recursion import free_accelerations, load_rates, unfold

if TYPE_CHECKING:
    from .tree import JointSpace

HELD = index(2**40)                    # as `drive` of a rate: it is held by a limit, which is no element
LINK, RATE, AT, PHASE, CHOICE, LAM, IMPACTS, CHANGES = index(*range(8))  # of ip: where things are; numbers of what is told
SIGN, ZERO, SIZE, RESTITUTION = index(*range(4))                       # of rp: f, o, a length of the model or 1 rad, e


class Limits(NamedTuple):
    """Rigid limits of a tree, and room for what happens to them at an instant."""
    ip: np.ndarray
    rp: np.ndarray
    low: float          # rad or sizes of the model: a bounce so low is none
    log: np.ndarray     # where in W is noted what happens, and how often
    crowd: np.ndarray   # the time of the last instant, and how many there are next to it
    touch: np.ndarray   # whether it is touched, or may be
    on: np.ndarray      # whether it is held
    part: np.ndarray    # whether it takes part in what is solved
    rests: np.ndarray   # 1: it would bounce so low that it rests; -1: it was thought to
    fall: np.ndarray    # how long it would bounce
    v: np.ndarray       # speed of the gap before
    after: np.ndarray   # and behind
    least: np.ndarray   # what that is at least
    P: np.ndarray       # impulses
    F: np.ndarray       # forces
    a: np.ndarray       # accelerations of the gaps
    y: np.ndarray       # a state
    driven: np.ndarray  # of driven rates: their links,
    rates: np.ndarray   # and what they are
    work: np.ndarray    # what drives do in an impact


def limits_of(space: JointSpace, low: float) -> Limits:
    """Of a tree in which all rigid points are limits, and nothing else closes a loop."""
    s, tree, data = space.system, space.tree, space.system.data
    element = {int(data.ip[e, ROW]): e for e in range(*s.families[RIGID_STOP])}
    ip, rp = list[tuple[int, ...]](), list[tuple[float, ...]]()
    for point, (link, k) in zip(s.rigid, limited(space), strict=True):
        e, rate = element[point.rows[0]], int(tree.ip[link, rc.IU]) + k
        (sign, zero), factor, offset = tree.scale[rate], float(data.rp[e, FACTOR]), float(data.rp[e, OFFSET])
        ip.append((link, rate, int(tree.ip[link, rc.IP]) + k, point.phase, SCRATCH + int(data.ip[e, rigid_stops.CHOICE]), point.rows[0],
                   point.impacts, point.changes))
        rp.append((factor * sign, offset - factor * zero, 1.0 if point.angle else space.dynamics.length, point.restitution))
    n = len(ip)
    flags: Any = {name: np.zeros(n, np.int64) for name in ("touch", "on", "part", "rests")}
    numbers: Any = {name: np.zeros(n) for name in ("fall", "v", "after", "least", "P", "F", "a")}
    return Limits(np.array(ip, np.int64), np.array(rp), low, np.array(s.log, np.int64), np.array([-np.inf, 0.0]), **flags, **numbers,
                  y=np.zeros(space.n_q + space.n_u + 2), driven=np.searchsorted(tree.ip[:, rc.IU], tree.driven[:, 0], "right") - 1,
                  rates=np.zeros(len(tree.driven)), work=np.zeros(1))


def limited(space: JointSpace) -> list[tuple[int, int]]:
    """Links and numbers of rates among theirs that rigid limits hold; fewer than these are if some are no limits of rates of the tree."""
    found, names = list[tuple[int, int]](), {link.joint: i for i, link in enumerate(space.links)}
    for point in space.system.rigid:
        i = names.get(point.joint) if len(point.rows) == 1 else None
        if i is not None and not space.links[i].tree.helical:
            free = {name: k for k, name in enumerate(space.moving(space.links[i]).coordinates) if name}
            k = free.get(point.coordinate)
            if k is not None and space.tree.drive[space.tree.ip[i, rc.IU] + k] < 0:
                found.append((i, k))
    return found


@jit
def gap(s, y, i):
    return s.rp[i, SIGN] * y[s.ip[i, AT]] - s.rp[i, ZERO]


@jit
def hold(p, s):
    """Rates are held where limits are on."""
    tr = p.joints.tree
    for i in range(s.on.size):
        tr.drive[s.ip[i, RATE]] = -1
    for i in range(s.on.size):
        if s.on[i] == 1:
            tr.drive[s.ip[i, RATE]], tr.du[s.ip[i, RATE]] = HELD, 0


@jit
def effort(tr, link, k):
    """What a joint transmits along a rate that is given, after the accelerations: S . (I a + p), a as the parent gives it to the link."""
    w = tr.w
    a, b = carried(tr, link)
    if tr.ip[link, INNER] >= 0:
        a, b = moved_by_parent(tr, link, a, b)
    M, H, J = symmetric(w, link, MM), mat2(w, link, HH), symmetric(w, link, JJ)
    f, m = add(vec2(w, link, P_), add(mul(M, a), mul(H, b))), add(vec2(w, link, P_ + 3), add(tmul(H, a), mul(J, b)))
    return dot(vec2(tr.s, k, S_), f) + dot(vec2(tr.s, k, S_ + 3), m)


@jit
def transmitted(p, s, i):
    """The force or impulse of limit i, along its gap."""
    return s.rp[i, SIGN] * effort(p.joints.tree, s.ip[i, LINK], s.ip[i, RATE])


@jit
def thrown(p, s, t, y):
    """Impulses P of limits that are on, with which their speeds become ``least``; ``after`` of all; the work of drives, whose rates stay.
    Changes of rates are left in the tree. A status."""
    tr = p.joints.tree
    hold(p, s)
    load_rates(p, t, y)
    for j in range(tr.driven.shape[0]):
        s.rates[j], tr.du[tr.driven[j, 0]] = tr.u[tr.driven[j, 0]], 0
    for j in range(tr.states.shape[0]):
        tr.du[tr.states[j, 0]] = 0
    for i in range(s.on.size):
        if s.on[i] == 1:
            tr.du[s.ip[i, RATE]] = s.rp[i, SIGN] * (s.least[i] - s.v[i])
    tr.u[:] = 0
    if tr.flexible.shape[0] > 0:
        deform(tr, p.d, p.x, t)
    outward(tr, p.x)
    p.x.R[:] = 0
    begin_inward(tr, p.x.R)
    if inward(tr) >= 0:
        return SINGULAR
    accelerate(tr, p.x)
    if not np.isfinite(tr.du.sum()):
        return NOT_FINITE
    for i in range(s.on.size):
        s.P[i] = transmitted(p, s, i) if s.on[i] == 1 else 0.0
        s.after[i] = s.least[i] if s.on[i] == 1 else s.v[i] + s.rp[i, SIGN] * tr.du[s.ip[i, RATE]]
    s.work[0] = 0
    for j in range(s.driven.size):
        s.work[0] += s.rates[j] * effort(tr, s.driven[j], tr.driven[j, 0])
    return DONE


@jit
def pressed(p, s, t, y):
    """Forces F of limits that are on, and the accelerations a of all gaps. A status."""
    tr = p.joints.tree
    hold(p, s)
    unfold(p, t, y)
    status = free_accelerations(p, t)
    for i in range(s.on.size):
        s.F[i] = transmitted(p, s, i) if s.on[i] == 1 and status == DONE else 0.0
        s.a[i] = s.rp[i, SIGN] * tr.du[s.ip[i, RATE]]
    return status


@jit
def force_of_rates(p, s, i):
    """The force of limit i after `recursion.rhs`, which may have computed efforts already."""
    if p.num.powered == 1 and p.joints.tree.driven.shape[0] > 0:
        return s.rp[i, SIGN] * p.joints.effort[s.ip[i, RATE]]
    return transmitted(p, s, i)


@jit
def margins(p, s, y, forces):
    """Of all limits at a state, in W: gaps of those that are open, forces of the others. ``forces``: the accelerations there are known."""
    for i in range(s.on.size):
        if s.on[i] == 1:
            x = force_of_rates(p, s, i) if forces else 0.0
            p.x.lam[s.ip[i, LAM]] = -x
        else:
            x = gap(s, y, i) + p.x.H[s.ip[i, PHASE] + ROOM]
        p.x.W[s.ip[i, CHOICE] + 1] = x


@jit
def taken(p, s, y):
    """As the history says: which are on. Their number; their rates are zero."""
    count = 0
    for i in range(s.on.size):
        s.on[i] = 0 if p.x.H[s.ip[i, PHASE]] == OPEN else 1
        if s.on[i] == 1:
            y[p.num.state_q + s.ip[i, RATE]] = 0
            count += 1
    hold(p, s)
    return count
