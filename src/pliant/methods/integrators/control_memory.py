"""What error control remembers, beside the memory of the method: indices of its two arrays, and earlier accelerations."""
from typing import NamedTuple

import numpy as np

# aim: time, end of the smooth piece; error per second; step that alg belongs to; the last two steps and the next one; largest speed;
# smallest and largest step; first output, distance and number of outputs; the last rejected step and its error; error of the step;
# branch of the functions; time after a jump; largest violation of position constraints, and what is too much; the usual step of late;
# the step in which a jump is sought
(NOW, STOP, EPS, H_ALG, H1, H2, NEXT, SPEED, LEAST, MOST, OUT0, OUT_STEP, LAST, H_BAD, E_BAD, ERROR, BRANCH, AFTER, GAP, WIDEST,
 USUAL, SOUGHT) = range(22)
# note: steps since the start of the piece; rejected steps; next output; number of outputs; rejections that did not help; whether the step
# has just grown; steps to wait with growing, and what it was; age of the factors; steps in which h is held; singular positions passed;
# whether functions have jumps; whether the step ends at a jump; failed attempts in a row; steps
# to a jump that went beyond it; whether no step of the piece is made yet
(AGE, REJECTED, OUTPUT, OUTPUTS, STAGNANT, GROWN, LATER, WAIT, FACTORED, KEPT, HELD, SINGULAR_PASSED, JUMPY, TARGET,
 FAILURES, BEYOND, FRESH) = range(17)


class History(NamedTuple):
    """What error control remembers: accelerations before those of Work, the start of the step, and work arrays."""
    a1: np.ndarray      # acceleration and multipliers one step before the start of the step
    lam1: np.ndarray
    a2: np.ndarray      # acceleration two steps before
    H0: np.ndarray
    total0: np.ndarray
    power0: np.ndarray
    power1: np.ndarray  # one step before
    jerk: np.ndarray    # local error of positions and of velocities, divided by h^3
    snap: np.ndarray
    mass: np.ndarray    # diagonal of M
    y: np.ndarray
    keep: np.ndarray
    q: np.ndarray
    v: np.ndarray
