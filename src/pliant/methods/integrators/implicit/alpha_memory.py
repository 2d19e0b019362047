"""What generalized-alpha remembers, and the numbers that follow from its parameters."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....kernels.jit import jit
from ....kernels.records import record_type
from ..time_loop.convergence import LIMITS

MEMORY = record_type({
    "alpha_m, alpha_f, beta, gamma": "parameters of the method", **LIMITS,
    "last_t0": "start of the last step",
    "h1, h2, h_alg": "length of the step before, of that before it, and the one that b0 belongs to",
    "gap, widest": "how far joints are open, and may be",
}, {
    "most_iterations": "of Newton's method",
    "full": "whether matrices are made anew in every iteration",
    "factored": "whether there are factors",
    "age": "steps since the start of the smooth interval",
    "made": "factorisations, when they were looked at last",
    "kept": "steps that the factors are kept",
    "growing, grown": "whether the next step is to be longer than the last one, whether this one is",
    "later, wait": "steps to wait with growing, and how many those were",
    "held": "steps in which the length is held",
    "told": "accelerations before the start of the step that estimates may use",
    "cleaning": "whether they are freed of rounding errors",
    "along": "whether the iteration moves along the constraints only",
    "begun": "iterations when the step began",
})


class Alpha(NamedTuple):
    """What the method remembers between steps (b0 to lam1), and its work arrays. In absolute coordinates v, a, lam
    and R are those of the memory of all evaluations."""
    n: Any              # a record of MEMORY
    b0: np.ndarray      # averaged acceleration at the start of the step, and at its end
    b1: np.ndarray
    rate: np.ndarray    # acceleration at the start of the step
    clean: np.ndarray   # acceleration for estimates: at the end of the step, at its start, one step before, and two
    clean0: np.ndarray
    before: np.ndarray
    older: np.ndarray
    lam0: np.ndarray    # multipliers at the start of the step, and one step before
    lam1: np.ndarray
    dq: np.ndarray
    v: np.ndarray       # at the end of the step
    a: np.ndarray
    lam: np.ndarray
    R: np.ndarray       # what is left of the equations; the increment
    weight: np.ndarray  # 1 / characteristic length for displacements, 1 for rotations, 0 for padding
    power0: np.ndarray  # power lost, and of loads and drives, at the start of the step, and one step before
    power1: np.ndarray
    jerk: np.ndarray    # local error of positions and of velocities, divided by h^3
    snap: np.ndarray
    mass: np.ndarray    # diagonal of M
    y: np.ndarray
    keep: np.ndarray
    keep_v: np.ndarray
    keep_lam: np.ndarray
    space: Any          # of the coordinates, see `alpha_absolute` and `alpha_joint`


@jit
def scales(n, h):
    """What an increment of positions is in accelerations and in velocities."""
    return (1 - n.alpha_m) / (h * h * n.beta * (1 - n.alpha_f)), n.gamma / (h * n.beta)


@jit
def constants(n):
    """Delta, c_q, c_v: b0 belongs to t + Delta h; local errors c_q h^3 q''' and c_v h^3 v'''                  [alpha-6]"""
    shift = n.alpha_m - n.alpha_f
    return shift, 1 / 6 - n.beta - shift / 2, 1 / 6 - n.gamma * (0.5 + shift) - shift * (n.alpha_m - 0.5)
