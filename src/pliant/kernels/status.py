"""How a step or an evaluation ended: what kernels return to loops, and loops to Python."""
DONE, MORE, NEWTON_FAILED, SINGULAR, NOT_FINITE, UNDERFLOW, OPEN, EVENT = range(8)  # the last three: error control
