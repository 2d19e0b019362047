"""Where functions of time take another branch: jumps, and kinks where they count."""
from .expression_vm import JUMPS, KINKS, evaluate
from .jit import entry

HALVINGS = 60


@entry
def bisect(code, kinked, low, high, value, tab, val, Y, W):
    """Intervals made narrow around one change of the branch, which is ``value`` at low and another at high: as narrow as numbers are."""
    for i in range(low.size):
        for _ in range(HALVINGS):
            middle = (low[i] + high[i]) / 2
            if middle == low[i] or middle == high[i]:
                break
            W[JUMPS], W[KINKS] = 0, 0
            evaluate(middle, 0 * W[0], 0 * W[0], Y, tab, val, code, W)
            branch = W[JUMPS].real + (W[KINKS].real if kinked else 0.0)
            if branch == value[i]:
                low[i] = middle
            else:
                high[i] = middle


@entry
def merge(times, allowed, kinked, spare, ends, limits):
    """Neighbouring segments of time as one, if no kink is between them and that takes at most twice as many steps, and ``spare`` ones:
    their ends, and the longest step in each. Returns their number."""
    n, width, needed = 0, 0.0, 0.0
    for k in range(allowed.size):
        h, limit = times[k + 1] - times[k], allowed[k]
        if n > 0 and not kinked[k] and (width + h) / min(limits[n - 1], limit) <= 2 * (needed + h / limit) + spare:
            limits[n - 1], width, needed = min(limits[n - 1], limit), width + h, needed + h / limit
        else:
            limits[n], width, needed = limit, h, h / limit
            n += 1
        ends[n - 1] = times[k + 1]
    return n
