"""States made consistent: positions and velocities projected, accelerations and multipliers recomputed, energies, frames for
channels.

At a given position all of these come from one factorisation of [M C^T; C 0]:                         [refine-1]
    positions        [M C^T; C 0] [dq; mu]  = [0; -C]
    velocities       [M C^T; C 0] [dv; mu]  = [0; -(C_q v + C_t)]
    accelerations    [M C^T; C 0] [a; lam]  = [f; gamma]
"""
from typing import Any, NamedTuple

import numpy as np

from ..kernels.block_lu import Elimination, factorise, solve, solve_refined, subtract_image
from ..kernels.borne_loads import bearing
from ..kernels.by_reference import reference
from ..kernels.contract import FRAME_WIDTH, F
from ..kernels.evaluation import Data, Memory, Program
from ..kernels.evaluation import run as evaluate
from ..kernels.jit import entry, index, inlined, jit
from ..kernels.projection import KEPT, projection, ready
from ..kernels.state_row import Q
from ..kernels.states import copy_tile, largest, normalise
from ..kernels.status import DONE, SINGULAR

POSITION, VELOCITY, ACCELERATION, RESIDUAL, SHARED = index(0, 1, 2, 3, 4)  # columns of the report of `refine`
PASSES = 4           # of Newton's method on a position
SHARINGS = 12        # passes in search of the smallest multipliers
CLOSED = 4e-16       # a violation of this part of the model's size (or of its distance from the origin) is rounding
BALANCED = 1e-11     # the smallest multipliers are taken if their equations hold so well, relative to forces


class Workplace(NamedTuple):
    """A compiled model where states are made consistent; fields as in `kernels.ode.Problem`."""
    residual: Program
    tangent: Program    # [M C^T; C 0]
    rates: Program
    energy: Program
    d: Data
    lu: Elimination
    x: Memory
    tiles: np.ndarray
    b: np.ndarray
    y: np.ndarray
    r: np.ndarray
    q: np.ndarray
    pivots: np.ndarray
    unit: np.ndarray
    soft: np.ndarray    # of the multipliers, see `share`
    num: Any
    loops: bool         # whether reactions may not be unique


@jit
def load(x, row):
    """Memory from a row."""
    n_q, n = x.q.size, x.v.size
    for k in range(n_q):
        x.q[k] = row[Q + k]
    for k in range(n):
        x.v[k], x.a[k], x.lam[k] = row[Q + n_q + k], row[Q + n_q + n + k], row[Q + n_q + 2 * n + k]
    for k in range(x.H.size):
        x.H[k] = row[Q + n_q + 3 * n + k]


@inlined
def still(x):
    """No accelerations, no multipliers."""
    for k in range(x.a.size):
        x.a[k] = 0
        x.lam[k] = 0


@jit
def factored(p):
    """x.D <- its factors. A status."""
    return DONE if factorise(p.x.D, p.lu, p.pivots) else SINGULAR


@jit
def solution(p):
    """p.y for the right side p.b; the relative residual."""
    return solve_refined(p.tiles, p.x.D, p.lu, p.b, p.y, p.r, p.num.n_v)


borne = bearing("rows", factored, solution)


@jit
def accelerations(p, t):
    """a and lam at the current q and v, with the factors in x.D and the matrix in tiles; returns the relative residual."""
    x, b, n_v = p.x, p.b, p.num.n_v
    still(x)
    evaluate(p.residual, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(n_v):
        b[k] = -x.R[k]
    if b.size > n_v:
        x.V[:] = 0
        evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(n_v, b.size):
        b[k] = -x.R[k]
    left = solution(p)
    if p.num.borne == 1:
        status, left = borne(p, t)
        if status != DONE:
            return np.inf
    for k in range(n_v):
        x.a[k] = p.y[k]
    for k in range(n_v, b.size):
        x.lam[k] = p.y[k]
    return left


@jit
def linearise(p, t, renewed):
    """The matrix at the current position in tiles and its factors in x.D. R holds the violation."""
    x = p.x
    still(x)
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 0.0)
    for k in range(x.D.shape[0]):
        copy_tile(x.D, k, p.tiles, k)
    return factored(p)


@jit
def move(p, values):
    """Least motion in the metric of the masses."""
    n_v = p.num.n_v
    for k in range(p.b.size):
        p.b[k] = -values[k] if k >= n_v else 0 * p.b[k]
    solution(p)


close_positions, close_rates, _ = projection("rows", look=linearise, prepare=ready, move=move, CORRECTIONS=PASSES)


@jit
def rounding(p, length):
    """What a violation cannot be told from, in sizes of the model: more for a mechanism far from the origin."""
    far = 1.0
    for k in range(p.d.linear.shape[0]):
        far = max(far, abs(p.x.q[p.d.linear[k, 1]]) / length)
    return CLOSED * far


@jit
def without_masses(tiles, lu, n_v):
    """Tiles between bodies become zero: what is left is C and C^T."""
    for s in range(lu.order.size):
        if 6 * lu.order[s] < n_v:
            for i in range(lu.start[s], lu.start[s + 1]):
                if 6 * lu.rows[i] < n_v:
                    tiles[lu.lower[i]], tiles[lu.upper[i]] = 0, 0
            tiles[lu.diagonal[s]] = 0


@jit
def share(p):
    """lam: the smallest multipliers with the same C^T lam, by refinement with the factors of [M C^T; C -W] in x.D:

        [0 C^T; C -W] [y; lam] = [C^T lam_0; 0],   W = soft = eps / unit^2                            [reaction-1]

    False, and lam as it was, where that does not converge: bodies with next to no inertia about an axis.
    """
    x, lu, tiles, b, y, r, unit, soft, n_v = p.x, p.lu, p.tiles, p.b, p.y, p.r, p.unit, p.soft, p.num.n_v
    without_masses(tiles, lu, n_v)
    for k in range(b.size):
        y[k] = x.lam[k] if k >= n_v else 0 * y[k]
        r[k] = 0
    subtract_image(tiles, lu, y, r)
    force, worst, before = 0.0, 0.0, np.inf
    for k in range(b.size):
        b[k] = -r[k] if k < n_v else 0 * b[k]
        y[k] = 0
        force = max(force, abs(b[k]) * unit[k])
    for _ in range(SHARINGS):
        left, open_, size = 0.0, 0.0, 0.0
        for k in range(b.size):
            r[k] = b[k] if k < n_v else soft[k] * y[k]
            if k >= n_v:
                size = max(size, abs(r[k]) * unit[k])
        subtract_image(tiles, lu, y, r)
        for k in range(b.size):
            if k < n_v:
                left = max(left, abs(r[k]) * unit[k])
            else:
                open_ = max(open_, abs(r[k]) * unit[k])
        worst = max(left / force if force > 0 else 0.0, open_ / size if size > 0 else 0.0)
        if not (worst > 1e-15 and worst < before / 2):
            break
        before = worst
        solve(x.D, lu, r)
        for k in range(b.size):
            y[k] += r[k]
    if not worst <= BALANCED:
        return False
    for k in range(n_v, b.size):
        x.lam[k] = y[k]
    return True


@jit
def settled(p, t, project, length, report):
    """The state in x: project q and v (if asked), recompute a and lam, note how well positions hold before they are projected. Where
    reactions may not be unique, the smallest are taken; SHARED is 0 where the factors are not good enough for that. SINGULAR where
    the matrix is, or the residual too large."""
    x, n_v = p.x, p.num.n_v
    if project and p.b.size == n_v:  # no constraints
        normalise(p.d, x.q)
    if project and p.b.size > n_v:
        evaluate(p.residual, p.d, x, t, 0.0, 0.0, 0.0)
        report[POSITION] = largest(x.R, n_v)
        normalise(p.d, x.q)
        if close_positions(p, t, x.q, KEPT, rounding(p, length)) != DONE:
            return SINGULAR
        close_rates(p, t, x.q, False, -1.0)  # two passes: the second one takes what the regularisation left
    else:
        if linearise(p, t, KEPT) != DONE:
            return SINGULAR
        report[POSITION] = largest(x.R, n_v)
    report[RESIDUAL] = accelerations(p, t)
    report[SHARED] = 1.0 if not p.loops or share(p) else 0.0
    return DONE if report[RESIDUAL] < 1e-6 else SINGULAR


@jit
def consistent(p, t, project, length, energies, report):
    """The same; note energies, and how well each level of the constraints holds."""
    x, n_v = p.x, p.num.n_v
    if settled(p, t, project, length, report) != DONE:
        return SINGULAR
    x.V[:] = 0
    evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    report[VELOCITY], report[ACCELERATION] = largest(x.V, n_v), largest(x.R, n_v)
    x.E[:] = 0
    evaluate(p.energy, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(3):
        energies[k] = x.E[k]
    return DONE


@entry
def refine(workplace, rows, energies, report, project, length):
    """Every row made `consistent`. Returns the number of the first one that cannot be, or the number of rows."""
    p = reference(workplace)
    x, n, n_q = p.x, p.x.v.size, p.x.q.size
    for i in range(rows.shape[0]):
        load(x, rows[i])
        if consistent(p, rows[i, 0].real, project, length, energies[i], report[i]) != DONE:
            return i
        for k in range(n_q):
            rows[i, Q + k] = x.q[k]
        for k in range(n):
            rows[i, Q + n_q + k], rows[i, Q + n_q + n + k], rows[i, Q + n_q + 2 * n + k] = x.v[k], x.a[k], x.lam[k]
    return rows.shape[0]


@entry
def unbalanced(workplace, whole, row):
    """What is left of the equations of ``whole``, the same model with other tables, at the accelerations and multipliers of this one: in
    x.R. Returns how well these fulfil their own equations; infinite where they cannot be computed."""
    p = reference(workplace)
    x, t = p.x, row[0].real
    load(x, row)
    if linearise(p, t, KEPT) != DONE:
        return np.inf
    left = accelerations(p, t)
    evaluate(p.residual, whole, x, t, 0.0, 0.0, 0.0)
    return left


@entry
def observe(rates, d, x, rows, frames, out):
    """out[i, j] = row of X for frame frames[j] at rows[i]: positions, axes, velocities, accelerations."""
    for i in range(rows.shape[0]):
        load(x, rows[i])
        x.V[:] = 0
        evaluate(rates, d, x, rows[i, 0].real, 0.0, 0.0, 0.0)
        for j in range(frames.size):
            for k in range(FRAME_WIDTH):
                out[i, j, k] = x.X[frames[j], k]


@entry
def observe_forces(forces, d, x, rows, silent, frames, out):
    """out[i, j] = force and moment that the elements of a program add on the left to frame frames[j]; lam[silent] = 0."""
    for i in range(rows.shape[0]):
        load(x, rows[i])
        for k in range(silent.size):
            x.lam[silent[k]] = 0
        x.X[:, F:F + 6] = 0
        evaluate(forces, d, x, rows[i, 0].real, 0.0, 0.0, 0.0)
        for j in range(frames.size):
            for k in range(6):
                out[i, j, k] = x.X[frames[j], F + k]


@entry
def observe_signals(program, d, x, rows, slots, out):
    """out[i, j] = signal slots[j] at rows[i]."""
    for i in range(rows.shape[0]):
        load(x, rows[i])
        evaluate(program, d, x, rows[i, 0].real, 0.0, 0.0, 0.0)
        for j in range(slots.size):
            out[i, j] = x.Y[slots[j]]


@entry
def observe_scratch(program, d, x, rows, first, out):
    """out[i, j] = W[first + j], as the last element of a program leaves it at rows[i]."""
    for i in range(rows.shape[0]):
        load(x, rows[i])
        evaluate(program, d, x, rows[i, 0].real, 0.0, 0.0, 0.0)
        for j in range(out.shape[1]):
            out[i, j] = x.W[first + j].real
