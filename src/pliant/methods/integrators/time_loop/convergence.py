"""When Newton's method has converged, for methods that solve a step for positions. Increments in sizes of the model.

An iteration ends when the increment still to come, judged by the rate, is below a threshold: a given fraction of the
accelerations, but not below rounding. Next to a singular position rounding errors are amplified: there it ends when
increments become no smaller. The record ``n`` of a method begins with LIMITS.
"""
from __future__ import annotations

from typing import Any

from ....kernels.jit import jit
from ....kernels.states import larger
from .control import AMPLIFIED
from .speeds import is_state, reached

LAST_DIGIT, ROUNDED = 1e-15, 1e-12  # of states: increments of this part of their size are rounding, or may be
ROUNDING = 2e-16   # increments below this part of the model's size are rounding errors of the constraints
LIMITS = {
    "tolerance": "an iteration ends when what is still to come is below this times the accelerations",
    "floor": "or times this",
    "rounding": "but not below this",
}


def limits(option: Any, run: Any) -> dict[str, float]:
    """LIMITS and ``most_iterations`` in a run. Rounding is more for a mechanism far from the origin."""
    d, s = run.dynamics, run.dynamics.system
    far = float(abs(run.x.q[s.data.linear[:, 1]]).max(initial=0.0)) / d.length
    rounding = ROUNDING * max(1.0, far) if s.joints else 1e-3 * ROUNDING
    return {"tolerance": option.tolerance, "floor": d.gravity / d.length + 1e-9, "rounding": rounding,
            "most_iterations": option.max_iterations}


@jit
def drift_of_states(w, R, n_q, n_v, by):
    """The largest increment of a state in an iteration, in its size: ``by`` times that of the unknown R."""
    most = 0.0
    for k in range(n_v):
        if is_state(w, k):
            most = larger(most, w.weight[n_q + k] * by * abs(R[k]) / reached(w, n_q, k, w.y0, w.f0, 0.0))
    return most


@jit
def settled(drift, before, enough):
    """Whether so are the states, or what is still to come is little; or it becomes no smaller, for rounding."""
    rate = drift / before if before > 0 else 1.0
    return drift <= LAST_DIGIT or (rate < 1 and drift * rate / (1 - rate) <= enough) or (rate > 0.3 and drift <= ROUNDED and before > 0)


@jit
def small(n, size, rate, threshold):
    """Whether so is an increment, or all that are still to come if each is the one before it times ``rate``."""
    return size <= n.rounding or (rate < 1 and size * rate / (1 - rate) <= threshold)


@jit
def stagnant(n, size, before):
    """Whether an increment is hardly smaller than the one ``before`` it (0: there was none), for rounding errors."""
    return before > 0 and size / before > 0.3 and size <= AMPLIFIED * n.rounding
