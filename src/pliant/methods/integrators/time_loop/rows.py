"""Ends of steps, and rows of output: at the ends or in between, from the polynomial of the last step."""
from ....families.delays import PLACE, RING, TAU, looked_up
from ....kernels.by_reference import opaque
from ....kernels.jit import inlined, jit
from ....kernels.ode import call_status, load, powers, store_state
from ....kernels.state_row import Q
from ....kernels.states import copy, copy_part
from .control import BETWEEN, NARROW


@jit
def store_motion(p, w):
    """Positions and velocities of y1, accelerations of f1."""
    store_state(p, w.y1)
    copy_part(p.x.a, 0, w.f1, p.x.q.size, p.num.n_v)


@jit
def store_energies(p, w, c):
    """Powers at the end, and energies by the trapezoidal rule."""
    first = p.x.q.size + p.num.n_v
    powers(p, c.t1, w.f1, first)
    for e in range(first, first + 2):
        w.y1[e] = w.y0[e] + c.h * (w.f0[e] + w.f1[e]) / 2


@inlined
def place(p, w, t, y):
    """The bodies as a state has them."""
    if p.joints.used.size > 0:
        call_status(w.call.unfold, (p, t, y))
    else:
        load(p, y)


@jit
def react(p, w, c, t, y):
    """Multipliers at a state, for conditions that read what joints exert."""
    if w.call.rhs != 0:
        call_status(w.call.rhs, (p, t, y, w.f))
    elif w.call.react != 0:
        call_status(w.call.react, (p, w, c, opaque(w.call.place), t, y))


@jit
def prepared(p, w, c, o):
    """P for the step just made."""
    if c.ready == 0:
        c.asked = BETWEEN
        call_status(w.call.step, (p, w, c, o))
        c.ready = 1


@jit
def at(w, s, y):
    """[ode-2]"""
    for i in range(y.size):
        value = w.P[w.P.shape[0] - 1, i] * s
        for k in range(w.P.shape[0] - 2, 0, -1):
            value = (value + w.P[k, i]) * s
        y[i] = w.y0[i] + value


@jit
def hermite(w, h):
    """P: the cubic by values and slopes at both ends of the step."""
    for k in range(w.z.size):
        d, a, b = w.y1[k] - w.y0[k], h * w.f0[k], h * w.f1[k]
        w.P[1, k], w.P[2, k], w.P[3, k] = a, 3 * d - 2 * a - b, a + b - 2 * d


@jit
def keep(p, w, c, t, y, row):
    """A row at time t with the state y; accelerations and multipliers are those of the end of the step."""
    n_q, n, n_v = p.x.q.size, p.x.v.size, p.num.n_v
    row[:] = 0
    row[0], row[1], row[2] = t, y[y.size - 2], y[y.size - 1]
    if p.joints.used.size > 0:
        place(p, w, t, y)
        copy_part(p.x.q, 0, row, Q, n_q)
        copy_part(p.x.v, 0, row, Q + n_q, n_v)
    else:
        copy_part(y, 0, row, Q, n_q + n_v)
        copy_part(w.f1, n_q, row, Q + n_q + n, n_v)
    copy_part(p.x.lam, n_v, row, Q + n_q + 2 * n + n_v, n - n_v)
    for e in range(w.delays[0], w.delays[1]):
        p.x.H[p.d.ip[e, PLACE]] = looked_up(p.x.W, p.d.ip[e, RING], t - p.d.rp[e, TAU].real)
    copy_part(p.x.H, 0, row, Q + n_q + 3 * n, p.x.H.size)
    c.stored += 1


@jit
def keep_outputs(p, w, c, o, rows):
    """Rows for the output times up to now. True if all are kept."""
    if c.fresh == 1 and c.now < c.stop:
        return True
    while c.output <= c.outputs:
        t = w.due[c.output - 1]
        if t > c.now or (t == c.now and c.instant <= t):  # at an instant what comes after it
            return True
        if c.stored == rows.shape[0]:
            return False
        if t == c.now or c.fresh == 1:
            copy(w.y1, w.z)
        elif t == c.t0:
            copy(w.y0, w.z)
        else:
            prepared(p, w, c, o)
            at(w, max(0.0, 1 - (c.now - t) / c.h), w.z)
        begin = c.now - c.h
        keep(p, w, c, begin if t < begin <= t + NARROW * abs(t) else t, w.z, rows[c.stored])  # at a jump what comes after it
        c.output += 1
    return True
