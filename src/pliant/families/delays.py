"""Delays: y(t) = u(t - tau). What u was in the accepted steps is kept in W, one record for each step. docs/theory/instants.md

A record: start and length of the step, and u at NODES equal distances of it, from the polynomial of the step; u(t - tau) is the polynomial
through these. In a run (W[LIVE] = 1) delays are looked up; rows of results keep them in the history.
"""
from ..kernels.contract import Family
from ..kernels.expression_vm import BEGINS, LIVE, STOPS
from ..kernels.jit import index, jit
from .signals import SLOT, everywhere

PLACE, INPUT, RING = index(5, 8, 9)      # ip: place in the history; the signal that is delayed; where its records are in W
TAU, AS_INPUT = index(0, 1)              # rp: the delay; whether it begins with the input
RECORDS, NODES = index(2000, 8)
COUNT, HEAD, BEFORE, FIRST = index(0, 1, 2, 3)  # of a ring: number of records, the newest, u before the start, the first record
WIDTH = 2 + NODES                        # of a record: start, length, values
SIZE = FIRST + RECORDS * WIDTH


@jit
def interpolated(W, at, s):
    """The polynomial through the values of a record, at a part s of the step: by Neville's scheme on the nodes k / (NODES - 1)."""
    n = NODES
    x = s * (n - 1)
    total = 0 * W[at]
    for i in range(n):
        c = 1.0
        for j in range(n):
            if j != i:
                c *= (x - j) / (i - j)
        total += c * W[at + 2 + i]
    return total


@jit
def looked_up(W, ring, t):
    """u at a time of the past; of a time that two steps share the later one's."""
    count, head = int(W[ring + COUNT].real), int(W[ring + HEAD].real)
    if count == 0:
        return W[ring + BEFORE]
    oldest = ring + FIRST + WIDTH * ((head - count + 1 + RECORDS) % RECORDS)
    if t < W[oldest].real:
        return W[ring + BEFORE]
    low, high = 0, count - 1  # the last record that does not begin later
    while low < high:
        middle = (low + high + 1) // 2
        at = ring + FIRST + WIDTH * ((head - count + 1 + middle + RECORDS) % RECORDS)
        if W[at].real <= t:
            low = middle
        else:
            high = middle - 1
    at = ring + FIRST + WIDTH * ((head - count + 1 + low + RECORDS) % RECORDS)
    s = (t - W[at].real) / W[at + 1].real
    return interpolated(W, at, min(s, 1.0))


@jit
def delayed(s, b, o):
    """Y = u(t - tau)                                                                                   [delay-1]
    At the ends of a smooth interval, where a jump may come back, it is that of its inside."""
    t = s.t
    if o.W[STOPS].real > o.W[BEGINS].real:
        t = min(max(t, o.W[BEGINS].real), o.W[STOPS].real)
    for e in range(b.first, b.last):
        if o.W[LIVE].real != 0:
            s.Y[b.ip[e, SLOT]] = looked_up(o.W, b.ip[e, RING], t - b.rp[e, TAU].real)
        else:
            s.Y[b.ip[e, SLOT]] = s.H[b.ip[e, PLACE]]


DELAY = Family("delay", sense=everywhere(delayed))
