"""How generalized-alpha begins a smooth interval: what it remembers is made of one state, and of how accelerations change behind it."""
import numpy as np

from ....compile.consistency import linearise, settled
from ....kernels.block_lu import solve_refined
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import jit
from ....kernels.projection import KEPT
from ....kernels.so3 import accumulate, cross, vec
from ....kernels.states import copy, copy_part
from ....kernels.status import DONE
from ..time_loop.instants import way_left
from ..time_loop.settling import put
from ..time_loop.speeds import is_state, reached
from .alpha_memory import constants

PROBE = 1e-3        # of the time scale: distance of the states that the first step is chosen from
FIRST = 0.05        # error of the first step, of what is allowed


@jit
def anew(p, w, c, o):
    """Without a past."""
    n = o.n
    n.age, n.told, n.last_t0 = -1, -1, np.nan
    n.factored, n.cleaning, n.growing, n.grown, n.later, n.wait, n.held, n.kept = 0, 0, 0, 0, 0, 0, 0, 0
    return DONE


@jit
def constant(p, w, c, o):
    """Steps before the first one are as if accelerations had been constant."""
    n, n_v = o.n, o.b0.size
    copy_part(w.f0, p.num.state_q, o.b0, 0, n_v)
    copy(o.b0, o.before)
    copy(o.b0, o.older)
    copy_part(w.f0, w.f0.size - 2, o.power0, 0, 2)
    copy(o.power0, o.power1)
    copy(o.lam, o.lam0)
    copy(o.lam, o.lam1)
    n.h1, n.h2, n.h_alg = c.next, c.next, c.next
    return DONE


@jit
def largest(y, weight):
    most = 0.0
    for i in range(y.size):
        most = max(most, abs(y[i]) * weight[i])
    return most


@jit
def probe(p, w, c, o, dt):
    """a' in `jerk` from accelerations now and dt later, the local error of a step over h^3 in `snap`. False, and both zero, where there
    are none: a function is not finite there, and the run will say so, or pivots fail."""
    s = o.space.settling
    put(p, w, c, s, c.now + dt)
    good = settled(s.place, c.now + dt, True, s.length, s.report) == DONE
    for i in range(o.jerk.size):
        o.jerk[i] = (s.place.x.a[i] - o.a[i]) / dt
        good = good and abs(o.jerk[i]) < np.inf
    for i in range(o.jerk.size):
        o.jerk[i] = o.jerk[i] if good else 0.0
        o.snap[i] = constants(o.n)[1] * o.jerk[i]
    for j in range(p.d.rotations.shape[0]):
        i = p.d.rotations[j, 0]
        accumulate(1 / 12, cross(vec(o.v, i), vec(o.a, i)), o.snap, i)
    return good


@jit
def change_of_states(p, w, o):
    """About |c_v z'''| of states in their sizes: z'' goes on to change as fast as z' does, or as z'' and the size of z tell."""
    n_q, cv, most = p.num.state_q, abs(constants(o.n)[2]), 0.0
    for i in range(o.jerk.size):
        if is_state(w, i):
            size = reached(w, n_q, i, w.y0, w.f0, 0.0)
            first, second = w.weight[n_q + i] * abs(o.a[i]) / size, w.weight[n_q + i] * abs(o.jerk[i]) / size
            most = max(most, cv * second * second / max(first, np.sqrt(second), 1e-300))
    return most


@jit
def first_step(p, w, c, o):
    """From the change of accelerations shortly after the start, as the local error will be."""
    a, v, left, duration = largest(o.a, o.weight), largest(o.v, o.weight), way_left(c), c.last - c.first
    speed = max(v, np.sqrt(a), 1e-3 / duration)
    dt = max(c.least, PROBE * min(speed / max(a, 1e-300), 1 / max(v, 1e-300), duration, 100 * left))
    h = min(c.most / 5, c.next, left / 2)
    if not probe(p, w, c, o, dt):
        return min(dt, h)
    return min(np.sqrt(FIRST * c.eps / max(largest(o.snap, o.weight), change_of_states(p, w, o), 1e-300)), h)


@jit
def carry(p, w, c, o):
    """Add to the velocities what h^2 snap has across the constraints; the diagonal of M.                         [alpha-9]"""
    s, n_q, n_v, h = o.space.settling, p.num.state_q, p.num.n_v, c.next
    place, x = s.place, s.place.x
    put(p, w, c, s, c.now)
    good = linearise(place, c.now, KEPT) == DONE
    for k in range(place.lu.order.size):
        i = 6 * place.lu.order[k]
        for j in range(6 if i < n_v else 0):
            o.mass[i + j] = place.tiles[place.lu.diagonal[k], j, j]
    place.b[:] = 0
    for sign in (-1, 1):
        x.V[:] = 0
        evaluate(place.rates, place.d, x, c.now, 0.0, 0.0, 0.0)
        for i in range(n_v, x.V.size):
            place.b[i] += sign * x.V[i]
        for i in range(n_v):
            x.v[i] += h * h * o.snap[i]
    for i in range(p.d.speeds.size):  # these hold for velocities as they are
        place.b[p.d.speeds[i]] = 0
    if good and solve_refined(place.tiles, x.D, place.lu, place.b, place.y, place.r, n_v) < 1e-6:
        for i in range(n_v):
            w.y0[n_q + i] += place.y[i]
        copy(w.y0, w.y1)


@jit
def changing(p, w, c, o):
    """Steps before the first one are as accelerations change; c.next is chosen by that."""
    c.next = first_step(p, w, c, o)
    constant(p, w, c, o)
    shift = constants(o.n)[0] * c.next
    for i in range(o.b0.size):
        o.b0[i] += shift * o.jerk[i]
        o.before[i] -= c.next * o.jerk[i]
    copy(o.before, o.older)
    if o.lam.size > o.b0.size:
        carry(p, w, c, o)
    return DONE
