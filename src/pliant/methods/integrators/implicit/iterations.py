"""Iterations of implicit stages: Newton's method with matrices that are kept, and Anderson's acceleration of it for steps that pass
a singular position: there constraints lose their rank or change its sign from stage to stage, and the iteration diverges in a
few directions.     Anderson 1965; Walker, Ni 2011

    x <- x + f - sum_j (q_j . f) g_j                                                                      [mix-1]

q_j: changes of the increment f, made orthonormal; g_j: the same combinations of those of x + f. The unknowns x are the rows Z, V,
L, N of three stages, one after the other.
"""
import numpy as np

from ....kernels.jit import jit
from ....kernels.status import DONE, NEWTON_FAILED, NOT_FINITE
from ..time_loop.chosen_steps import share
from ..time_loop.control import AMPLIFIED
from ..time_loop.speeds import is_state
from .stages import ITERATE, KEPT, ask

V, L, N, UNKNOWNS = 3, 6, 9, 12  # where velocities, multipliers and nu begin among the rows of unknowns
SCALE, X, F_BEFORE, X_BEFORE, F, DIRECTIONS = range(6)  # rows of mix; then those of q_j, then those of g_j
PASSABLE = 1e-7   # increments that may be left next to a singular position, with fixed steps
AWAY = 20.0       # the same for a step away from one, over what is usual next to one
USUAL = 1e-3      # rate of convergence expected of a step of Radau's method at best: it may have been zero in the last one
FORCE = 100.0     # unit of multipliers in [mix-1], in the largest one


@jit
def allowed(c, o, kappa):
    """Increments that Newton's method may leave: with fixed steps as the user says, otherwise a part of the error allowed."""
    return max(o.n.rounding, o.n.tolerance if c.fixed == 1 else kappa * share(c))


@jit
def simplified(p, w, c, o, task, kappa, patience, slow_rate, worst):
    """A task of the solver again and again, until what is still to come is small. DONE, NEWTON_FAILED or NOT_FINITE. Slow convergence is
    borne for ``patience`` increments; ``slow_rate`` is too slow for matrices of an earlier step; ``worst``: of eta, see `stages`."""
    n, before, theta, enough = o.n, 0.0, 0.0, allowed(c, o, kappa)
    least = USUAL if task == ITERATE and c.fixed == 0 else 1e-16
    eta, most = max(n.eta, least) ** 0.8, n.most_iterations
    for m in range(most):
        ask(p, w, c, o, task)
        size = n.size
        if not size < np.inf:
            return NOT_FINITE
        if m > 0:
            theta = size / before if before > 0 else 0.0
            slow = theta >= 1 or size * theta ** (most - 1 - m) / (1 - theta) > enough or (theta > slow_rate and n.tiles == 1)
            if theta > 2 or (slow and m > patience):
                n.theta = 1.0
                noise = n.tiles == 2 and theta > 0.3 and size <= AMPLIFIED * n.rounding
                return DONE if noise else NEWTON_FAILED
            eta = min(worst, theta / (1 - theta)) if theta < 1 else worst
        before = size
        if size <= n.rounding or (eta * size <= enough and (m > 0 or eta < 1)):
            n.eta, n.theta = eta, theta
            return DONE
    n.theta = 1.0
    return NEWTON_FAILED


@jit
def scaled(w, c, o, n_q, n_v, force):
    """Units of the unknowns: positions in sizes of the model, velocities in their speeds, multipliers in ``force``."""
    n = o.g.size
    o.n.mixed = 0
    for row in range(UNKNOWNS):
        multiplier = L <= row < N
        for k in range(n):
            by = 0.0
            if k < n_v and not multiplier and not (row < V and is_state(w, k)):
                by = w.weight[n_q + k] / (1.0 if row < V else w.speed[k])
            elif k >= n_v and multiplier:
                by = 1 / force
            o.mix[SCALE, row * n + k] = by


@jit
def gather(mix, S, row):
    """A row of mix from the unknowns."""
    n = S.shape[1]
    for i in range(UNKNOWNS):
        for k in range(n):
            mix[row, i * n + k] = mix[SCALE, i * n + k] * S[i, k]


@jit
def product(a, i, j):
    total = 0.0
    for k in range(a.shape[1]):
        total += a[i, k] * a[j, k]
    return total


@jit
def subtract(a, c, i, j):
    """Row j minus c times row i."""
    for k in range(a.shape[1]):
        a[j, k] -= c * a[i, k]


@jit
def learn(a, n):
    """A new direction from the last two increments."""
    m = n.mixed - 1
    q, g = DIRECTIONS + m, DIRECTIONS + KEPT + m
    for k in range(a.shape[1]):
        a[q, k] = a[F, k] - a[F_BEFORE, k]
        a[g, k] = a[q, k] + a[X, k] - a[X_BEFORE, k]
    for j in range(m):
        c = product(a, DIRECTIONS + j, q)
        subtract(a, c, DIRECTIONS + j, q)
        subtract(a, c, DIRECTIONS + KEPT + j, g)
    size = product(a, q, q) ** 0.5
    if not size > 0:
        return
    for k in range(a.shape[1]):
        a[q, k] /= size
        a[g, k] /= size
    n.mixed += 1


@jit
def mix(a, S, memory):
    """[mix-1] after an iteration, with the unknowns before it in row X."""
    n = S.shape[1]
    gather(a, S, F)
    subtract(a, 1.0, X, F)
    if memory.mixed > KEPT:
        memory.mixed = 0
    if memory.mixed > 0:
        learn(a, memory)
    else:
        memory.mixed = 1
    for k in range(a.shape[1]):
        a[F_BEFORE, k], a[X_BEFORE, k] = a[F, k], a[X, k]
        a[X, k] += a[F, k]
    for j in range(memory.mixed - 1):
        c = product(a, DIRECTIONS + j, F)
        subtract(a, c, DIRECTIONS + j, F)
        subtract(a, c, DIRECTIONS + KEPT + j, X)
    for i in range(UNKNOWNS):
        for k in range(n):
            if a[SCALE, i * n + k] > 0:
                S[i, k] = a[X, i * n + k] / a[SCALE, i * n + k]


@jit
def accelerated(p, w, c, o, kappa):
    """The same for the stages of Radau's method by [mix-1], from the predicted values."""
    force, n_v, enough = 0.0, p.num.state_v, allowed(c, o, kappa)
    for k in range(n_v, o.g.size):
        force = max(force, abs(o.start[k]))
    scaled(w, c, o, p.num.state_q, n_v, FORCE * force if force > 0 else 1.0)
    o.n.theta = 1.0
    for _ in range(o.n.most_iterations):
        gather(o.mix, o.S, X)
        ask(p, w, c, o, ITERATE)
        if not o.n.size < np.inf:
            return NOT_FINITE
        mix(o.mix, o.S, o.n)
        if o.n.size <= enough:
            return DONE
    noise = AMPLIFIED * o.n.rounding * (1.0 if o.n.tries == 0 else AWAY)
    passable = PASSABLE if c.fixed == 1 else max(0.3 * share(c), noise)
    return DONE if o.n.size <= passable else NEWTON_FAILED
