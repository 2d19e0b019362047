"""How a step or an evaluation ended: what kernels return to loops, and loops to Python."""
DONE, MORE, NEWTON_FAILED, SINGULAR, NOT_FINITE, UNDERFLOW, OPEN, EVENT, SPUN = range(9)
# UNDERFLOW, OPEN, EVENT: error control. SPUN: rotations cannot be counted any more
