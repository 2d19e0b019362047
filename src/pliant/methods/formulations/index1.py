"""Lagrange multipliers as an ordinary differential equation, with nothing, Baumgarte's terms, or direct correction. Penalty and
augmented Lagrangian are the same equations with a soft diagonal.

    [M  C^T ] [a  ]   [f                               ]
    [C  -1/A] [lam] = [gamma - 2 z w C' - w^2 C - lam0/A]                                             [index1-1]

A = infinity: multipliers. z w = a, w = b of Baumgarte. Finite A with lam0 = 0: penalty, since lam = A (C'' + 2 z w C' + w^2 C);
lam0 = lam of the last pass: augmented Lagrangian, whose passes are refinements of the linear solution. Multipliers are computed as its
limit, with the large A of the tile solver and one pass.
"""
import numpy as np

from ...compile.consistency import normalise, scaled
from ...kernels.block_lu import factorise, solve, solve_refined, subtract_image
from ...kernels.contract import call_python
from ...kernels.evaluation import retract
from ...kernels.evaluation import run as evaluate
from ...kernels.jit import jit
from ...kernels.ode import (
    EVALUATIONS,
    FACTORISATIONS,
    FALLBACK,
    ITERATIONS,
    N_V,
    OWN,
    POSITION_GAP,
    VELOCITY_GAP,
    derivative,
    load,
    store_state,
)
from ...kernels.status import DONE, NOT_FINITE, SINGULAR

# par: 2 z w, w^2; tolerance of corrections; how often lam0 is renewed, and until when
RATE, GAP, TOLERANCE, PASSES, EXACT = range(OWN, OWN + 5)
CORRECTIONS = 20  # of positions, at most


@jit
def linearise(p, t):
    """[M C^T; C 0] in tiles and its factors in x.D; R holds -f and the violation. DONE or SINGULAR."""
    x = p.x
    for k in range(x.a.size):
        x.a[k] = 0
        x.lam[k] = 0
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 0.0)
    p.num[FACTORISATIONS] += 1
    if p.num[FALLBACK] != 0:
        return DONE if call_python(p.num[FALLBACK], 0.0, 0.0, 0.0) != 0.0 else SINGULAR
    for k in range(x.D.shape[0]):
        for l in range(6):
            for m in range(6):
                p.tiles[k, l, m] = x.D[k, l, m]
    return DONE if factorise(x.D, p.lu, p.pivots) else SINGULAR


@jit
def solved(p):
    """p.y = solution for the right side p.b; the relative residual."""
    if p.num[FALLBACK] != 0:
        for k in range(p.b.size):
            p.x.R[k] = p.b[k]
        call_python(p.num[FALLBACK], 1.0, 0.0, 0.0)
        for k in range(p.b.size):
            p.y[k] = p.x.R[k]
        return 0.0 if np.isfinite(p.y[0]) else np.inf
    return solve_refined(p.tiles, p.x.D, p.lu, p.b, p.y, p.r, p.num[N_V])


@jit
def iterated(p):
    """The same with as many passes as multipliers are iterated: where constraints lose their rank, the soft diagonal of the factors
    keeps accelerations bounded and smooth, which further passes would undo. Returns the relative residual of the rows of motion."""
    if p.num[FALLBACK] != 0:
        return solved(p)
    n_v = p.num[N_V]
    for k in range(p.b.size):
        p.y[k] = p.b[k]
    solve(p.x.D, p.lu, p.y)
    for i in range(int(p.par[PASSES]) + 1):
        left, size, wrong, force = 0.0, 0.0, 0.0, 0.0
        for k in range(p.b.size):
            p.r[k] = p.b[k]
        subtract_image(p.tiles, p.lu, p.y, p.r)
        for k in range(n_v):
            size = max(size, abs(p.y[k]) * p.unit[k])
            wrong, force = max(wrong, abs(p.r[k])), max(force, abs(p.b[k]))
        for k in range(n_v, p.b.size):
            left, size = max(left, abs(p.r[k]) * p.unit[k]), max(size, abs(p.b[k]) * p.unit[k])
            force = max(force, abs(p.y[k]))
        if i == int(p.par[PASSES]) or left <= p.par[EXACT] * size:
            return wrong / force if force > 0 else 0.0
        solve(p.x.D, p.lu, p.r)
        p.num[ITERATIONS] += 1
        for k in range(p.b.size):
            p.y[k] += p.r[k]
    return np.inf


@jit
def rhs(p, t, y, dy):
    """Accelerations by [index1-1] and what follows from them."""
    x, n_v = p.x, p.num[N_V]
    load(p, y)
    p.num[EVALUATIONS] += 1
    if linearise(p, t) != DONE:
        return SINGULAR
    rate, gap = p.par[RATE], p.par[GAP]
    for k in range(p.b.size):
        p.b[k] = -x.R[k] if k < n_v else -gap * x.R[k]
    x.V[:] = 0
    evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(n_v, p.b.size):
        p.b[k] -= x.R[k] + rate * x.V[k]
    left = iterated(p)
    if not left < 1e-6:
        return SINGULAR if left < np.inf else NOT_FINITE
    for k in range(n_v):
        x.a[k] = p.y[k]
    for k in range(n_v, p.y.size):
        x.lam[k] = p.y[k]
    derivative(p, t, dy)
    return DONE


@jit
def measure(p, t, y):
    """Violations of a state, unscaled, in par."""
    load(p, y)
    evaluate(p.residual, p.d, p.x, t, 0.0, 0.0, 0.0)
    worst = 0.0
    for k in range(p.num[N_V], p.b.size):
        worst = max(worst, abs(p.x.R[k]))
    p.par[POSITION_GAP] = max(p.par[POSITION_GAP], worst)
    p.x.V[:] = 0
    evaluate(p.rates, p.d, p.x, t, 0.0, 0.0, 0.0)
    worst = 0.0
    for k in range(p.num[N_V], p.b.size):
        worst = max(worst, abs(p.x.V[k]))
    p.par[VELOCITY_GAP] = max(p.par[VELOCITY_GAP], worst)


@jit
def leave(p, t, y):
    """No correction."""
    normalise(p.d, y)
    measure(p, t, y)
    return DONE


@jit
def correct(p, t, y):
    """Positions, then velocities, by Newton's method to the tolerance:                               [index1-2]
    [M C^T; C 0] [dq; mu] = [0; -C],  [M C^T; C 0] [dv; mu] = [0; -(C_q v + C_t)]"""
    x, n_v, n_q = p.x, p.num[N_V], p.x.q.size
    normalise(p.d, y)
    load(p, y)
    evaluate(p.residual, p.d, x, t, 0.0, 0.0, 0.0)
    before = scaled(x.R, p.unit, n_v)
    for _ in range(CORRECTIONS):
        if before <= p.par[TOLERANCE]:
            break
        if linearise(p, t) != DONE:
            return SINGULAR
        for k in range(p.b.size):
            p.b[k] = -x.R[k] if k >= n_v else 0.0
        iterated(p)
        p.num[ITERATIONS] += 1
        for k in range(n_q):
            p.q[k] = x.q[k]
        retract(p.d, p.q, p.y, 1.0, x.q)
        evaluate(p.residual, p.d, x, t, 0.0, 0.0, 0.0)
        size = scaled(x.R, p.unit, n_v)
        if not size < before:  # next to a singular position, or rounding: as it was
            for k in range(n_q):
                x.q[k] = p.q[k]
            break
        before = size
    for _ in range(2):
        x.V[:] = 0
        evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
        if scaled(x.V, p.unit, n_v) <= p.par[TOLERANCE]:
            break
        for k in range(p.b.size):
            p.b[k] = -x.V[k] if k >= n_v else 0.0
        if linearise(p, t) != DONE:
            return SINGULAR
        iterated(p)
        p.num[ITERATIONS] += 1
        for k in range(n_v):
            x.v[k] += p.y[k]
    store_state(p, y)
    measure(p, t, y)
    return DONE
