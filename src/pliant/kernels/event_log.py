"""What happens in a run, as compiled code notes it: a bounded list in W that Python empties after every slice of the loop.

At W[log] stands how many there are, then for each four numbers: which row of the table of what can happen (`System.told`), the time, and
two numbers x and y: the new value of a latch; impulse and energy lost of an impact.
"""
from .jit import index, jit

WIDTH = index(4)          # numbers of an entry
KIND, TIME, X, Y = index(0, 1, 2, 3)


@jit
def note(W, log, room, kind, t, x, y):
    """One more entry, if there is room; else it is counted only."""
    n = int(W[log].real)
    W[log] = n + 1.0
    if n < room:
        at = log + 1 + WIDTH * n
        W[at + KIND], W[at + TIME], W[at + X], W[at + Y] = float(kind), t, x, y
