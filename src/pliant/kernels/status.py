"""How a step or an evaluation ended: what kernels return to loops, and loops to Python."""
DONE, MORE, NEWTON_FAILED, SINGULAR, NOT_FINITE, UNDERFLOW, OPEN, EVENT, SPUN, UNBEGUN, CHATTERS, ENDED, CROWDED, STRUCTURE = range(14)
# UNDERFLOW, EVENT: error control. OPEN: joints cannot be closed. SPUN: rotations cannot be counted any more. UNBEGUN: no accelerations
# behind a jump. CHATTERS: too many jumps in a short time. ENDED: an event ends the run. CROWDED: too
# many steps within a delay. STRUCTURE: Python passes an instant at which another structure is asked for
