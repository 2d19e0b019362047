"""What implicit methods ask of the coordinates that they work in: what is left of the equations, matrices, and solutions.

`absolute` and `joint` have these kernels; the algorithms are made once for each, by `jit.variant`.
"""


def defects(p, w, c, o, i, t):
    """What is left of the equations at stage i, with the sign of a right side: rows R1 + i, R2 + i (and R3 + i). A status."""
    raise NotImplementedError


def linearise(p, w, c, o):
    """Derivatives at the second stage of Radau's method as predicted, or (o.n.tiles < 0) at the start of the step. A status."""
    raise NotImplementedError


def factor_pair(p, o, h):
    """Factors of the real and of the complex system of Radau's method for a step h. A status."""
    raise NotImplementedError


def solve_pair(p, o, h):
    """Both systems, from the rows RIGHT and B: increments of z and v are left there, others are added to the stages."""
    raise NotImplementedError


def factor_bdf(p, w, c, o):
    """The matrix of BDF at the predicted end of the step, and its factors. A status."""
    raise NotImplementedError


def solve_bdf(p, o, sigma):
    """The increment of the step of BDF from rows R1, R2 (and R3): of z and v in rows RIGHT, RIGHT + 1; others are added."""
    raise NotImplementedError


def filtered(p, w, c, o):
    """(sigma - J)^-1 of the slopes in rows RIGHT and G: in rows RIGHT and RIGHT + 1."""
    raise NotImplementedError


def power_at(p, w, c, o, i, t):
    """Power lost, and of loads and drives, at stage i: in row RIGHT, at i and 3 + i."""
    raise NotImplementedError


def finish_bdf(p, w, c, o):
    """y1, but for energies, and its derivative. A status."""
    raise NotImplementedError
