"""Whether a step passes over something that a Python function of x and v does: it can only be sampled, at as many places of a step as
are its share of all those of a run."""
from ....kernels.contract import call_python
from ....kernels.expression_vm import PLACE
from ....kernels.jit import jit
from .control import NOISE, SAMPLES
from .jump_search import NONE

MOST = 2000        # samples in one step
ASIDE = 0.382      # of their distance: functions like to do things at round numbers


@jit
def between(w, i, s):
    """Argument i at a part s of the step: the quartic through its samples, by Aitken's and Neville's scheme."""
    a, b, d, e, f = w.argument[0, i], w.argument[1, i], w.argument[2, i], w.argument[3, i], w.argument[4, i]
    s *= SAMPLES - 1
    a, b, d, e = a + s * (b - a), b + (s - 1) * (d - b), d + (s - 2) * (e - d), e + (s - 3) * (f - e)
    a, b, d = a + s * (b - a) / 2, b + (s - 1) * (d - b) / 2, d + (s - 2) * (e - d) / 2
    a, b = a + s * (b - a) / 3, b + (s - 1) * (d - b) / 3
    return a + s * (b - a) / 4


@jit
def unseen(p, w, c, i, count):
    """A part of the step where the function with the arguments i, i + 1 is further from its values at samples of the step than these
    are from each other; NONE."""
    f = p.d.tab[w.watched[i + 1] + 3]
    low = high = call_python(f, c.now, w.argument[0, i], w.argument[0, i + 1])
    for j in range(1, SAMPLES):
        value = call_python(f, c.now + j * c.h / (SAMPLES - 1), w.argument[j, i], w.argument[j, i + 1])
        low, high = min(low, value), max(high, value)
    beyond = high - low + NOISE * max(abs(low), abs(high))
    for k in range(count):
        s = (k + ASIDE) / count
        value = call_python(f, c.now + s * c.h, between(w, i, s), between(w, i + 1, s))
        if value < low - beyond or value > high + beyond:
            return s
    return NONE


@jit
def first_unseen(p, w, c):
    """The same of all Python functions of the motion."""
    count, s = int(min(c.looks * c.h / (c.last - c.first), MOST)), NONE
    if count >= SAMPLES:
        for i in range(w.watched.size):
            if p.d.tab[w.watched[i] + 1] == PLACE:
                s = min(s, unseen(p, w, c, i, count))
    return s
