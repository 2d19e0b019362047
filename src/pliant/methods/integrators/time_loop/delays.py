"""What delays need of a run: records of accepted steps, and steps that end where a jump comes back. docs/theory/instants.md"""
from ....families.delays import COUNT, FIRST, HEAD, INPUT, NODES, PLACE, RECORDS, RING, TAU, WIDTH, looked_up
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import jit
from .control import NEVER
from .rows import at, place, prepared

ECHOES = 3       # how often a jump comes back: then it is smooth enough for all methods
JUMP = 1e-9      # of a value at a tick: a change that is one
REMAINDER = 3e-3  # of the last difference of values: the error of a polynomial through NODES of them


@jit
def record(p, w, c, e, k):
    """Where the values of a new record of delay e stand in W."""
    return p.d.ip[e, RING] + FIRST + WIDTH * ((int(p.x.W[p.d.ip[e, RING] + HEAD].real) + k) % RECORDS)


@jit
def recorded(p, w, c, o):
    """The step just made as new records, which do not count yet. Returns the largest remainder of their polynomials, over sizes of u."""
    prepared(p, w, c, o)
    worst = 0.0
    for i in range(NODES):
        s = i / (NODES - 1)
        if i == 0:
            place(p, w, c.t0, w.y0)
        elif i == NODES - 1:
            place(p, w, c.t1, w.y1)
        else:
            at(w, s, w.z)
            place(p, w, c.t0 + s * c.h, w.z)
        evaluate(w.sense, p.d, p.x, c.t0 + s * c.h if i < NODES - 1 else c.t1, 0.0, 0.0, 0.0)
        for e in range(w.delays[0], w.delays[1]):
            p.x.W[record(p, w, c, e, 1) + 2 + i] = p.x.Y[p.d.ip[e, INPUT]]
    for e in range(w.delays[0], w.delays[1]):
        k = record(p, w, c, e, 1)
        p.x.W[k], p.x.W[k + 1] = c.t0, c.h
        difference, size, binomial = 0.0, 1.0, 1.0
        for i in range(NODES):
            difference += (-1) ** i * binomial * p.x.W[k + 2 + i].real
            size = max(size, abs(p.x.W[k + 2 + i]))
            binomial = binomial * (NODES - 1 - i) / (i + 1)
        worst = max(worst, REMAINDER * abs(difference) / size)
    place(p, w, c.t1, w.y1)
    return worst


@jit
def keep_records(p, w, c):
    """The new records count. False if there is no room: a delay is too long for such short steps."""
    for e in range(w.delays[0], w.delays[1]):
        ring = p.d.ip[e, RING]
        W, count = p.x.W, int(p.x.W[ring + COUNT].real)
        oldest = ring + FIRST + WIDTH * ((int(W[ring + HEAD].real) - count + 2 + RECORDS) % RECORDS)
        if count == RECORDS - 1:  # one is kept free for the step that is made
            if W[oldest].real + W[oldest + 1].real > c.t1 - p.d.rp[e, TAU].real:
                return False
            count -= 1
        W[ring + HEAD], W[ring + COUNT] = (int(W[ring + HEAD].real) + 1) % RECORDS, count + 1
    return True


@jit
def keep_delayed(p, w, t):
    """Delays of a row in its history."""
    for e in range(w.delays[0], w.delays[1]):
        p.x.H[p.d.ip[e, PLACE]] = looked_up(p.x.W, p.d.ip[e, RING], t - p.d.rp[e, TAU].real)


@jit
def next_echo(w, c):
    """When the next jump comes back; with a tick, if it comes next to one."""
    c.echo = NEVER
    for k in range(w.echoes.shape[0]):
        if w.echoes[k, 1] > 0 and w.echoes[k, 0] < c.echo:
            c.echo = w.echoes[k, 0]
    if abs(c.echo - c.instant) <= c.least:
        c.echo = c.instant


@jit
def send(p, w, c, e, times):
    """A jump goes into delay e, and will come back so many times."""
    for k in range(w.echoes.shape[0]):
        if w.echoes[k, 1] == 0 and times > 0:
            w.echoes[k, 0], w.echoes[k, 1] = c.now + p.d.rp[e, TAU].real, times
            break


@jit
def reflect(p, w, c):
    """A smooth interval begins: with a jump of its own, or with one that has come back, which is smoother each time. It comes back from
    every delay."""
    times = ECHOES
    for k in range(w.echoes.shape[0]):
        if w.echoes[k, 1] > 0 and w.echoes[k, 0] <= c.now + c.least:
            times = int(w.echoes[k, 1]) - 1 if c.echoed == 1 else times
            w.echoes[k, 1] = 0
    for e in range(w.delays[0], w.delays[1]):
        send(p, w, c, e, times)
    c.echoed = 0
    next_echo(w, c)


@jit
def reflect_tick(p, w, c):
    """At a tick, where discrete values have changed: the input of a delay may have jumped. One that comes back now has come."""
    if c.echo <= c.now + c.least:
        c.echoed = 1
        reflect(p, w, c)
    for e in range(w.delays[0], w.delays[1]):
        if p.x.W[p.d.ip[e, RING] + COUNT].real > 0:
            before, now = p.x.W[record(p, w, c, e, 0) + 1 + NODES].real, p.x.Y[p.d.ip[e, INPUT]].real
            if abs(now - before) > JUMP * max(abs(now), abs(before)):
                send(p, w, c, e, ECHOES)
    next_echo(w, c)
