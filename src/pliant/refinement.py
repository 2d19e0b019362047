"""States made consistent: velocities projected, accelerations and multipliers recomputed, energies, frames for channels.

At a given position all of these come from one factorisation of [M C^T; C 0]:                         [refine-1]
    velocities       [M C^T; C 0] [dv; mu]  = [0; -(C_q v + C_t)]
    accelerations    [M C^T; C 0] [a; lam]  = [f; gamma]
"""
from itertools import pairwise

import numpy as np

from .kernels.contract import FRAME_WIDTH, F
from .kernels.jit import entry, jit
from .kernels.loop import evaluate
from .kernels.tiles import factorise, solve_refined

Q = 3  # where q begins in a row of results: t, dissipated energy, work, q, v, a, lam, H
POSITION, VELOCITY, ACCELERATION, RESIDUAL = range(4)  # columns of the report of `refine`


@jit
def load(x, row, n_q, n):
    """Memory from a row."""
    for k in range(n_q):
        x.q[k] = row[Q + k]
    for k in range(n):
        x.v[k], x.a[k], x.lam[k] = row[Q + n_q + k], row[Q + n_q + n + k], row[Q + n_q + 2 * n + k]
    for k in range(x.H.size):
        x.H[k] = row[Q + n_q + 3 * n + k]


@jit
def largest(x, first):
    """Largest magnitude from ``first`` on; nan if there is one."""
    size = 0.0
    for k in range(first, x.size):
        if not abs(x[k]) <= size:
            size = abs(x[k])
    return size


@jit
def accelerations(residual, rates, d, lu, x, tiles, b, y, r, t, n_v):
    """a and lam at the current q and v, with the factors in x.D and the matrix in ``tiles``; returns the relative residual."""
    for k in range(x.a.size):
        x.a[k] = 0
        x.lam[k] = 0
    evaluate(residual, d, x, t, 0.0, 0.0, 0.0)
    for k in range(n_v):
        b[k] = -x.R[k]
    x.V[:] = 0
    evaluate(rates, d, x, t, 0.0, 0.0, 0.0)
    for k in range(n_v, b.size):
        b[k] = -x.R[k]
    left = solve_refined(tiles, x.D, lu, b, y, r, n_v)
    for k in range(n_v):
        x.a[k] = y[k]
    for k in range(n_v, b.size):
        x.lam[k] = y[k]
    return left


@entry
def refine(residual, tangent, rates, energy, d, lu, x, tiles, b, y, r, pivots, rows, energies, report, n_q, n_v, project):
    """Every row: project v (if asked), recompute a and lam, note energies and how well each level of the constraints holds.

    Returns the number of the first row where the matrix is singular or the residual too large, or the number of rows.
    """
    n = x.v.size
    for i in range(rows.shape[0]):
        load(x, rows[i], n_q, n)
        t = rows[i, 0].real
        for k in range(n):
            x.a[k] = 0
            x.lam[k] = 0
        x.D[:] = 0
        evaluate(tangent, d, x, t, 1.0, 0.0, 0.0)
        report[i, POSITION] = largest(x.R, n_v)
        for k in range(x.D.shape[0]):
            for l in range(6):
                for m in range(6):
                    tiles[k, l, m] = x.D[k, l, m]
        if not factorise(x.D, lu, pivots):
            return i
        for _ in range(2 if project else 0):  # the second pass takes what the regularisation left
            x.V[:] = 0
            evaluate(rates, d, x, t, 0.0, 0.0, 0.0)
            for k in range(n):
                b[k] = -x.V[k] if k >= n_v else 0 * b[k]
            solve_refined(tiles, x.D, lu, b, y, r, n_v)
            for k in range(n_v):
                x.v[k] += y[k]
        report[i, RESIDUAL] = accelerations(residual, rates, d, lu, x, tiles, b, y, r, t, n_v)
        x.V[:] = 0
        evaluate(rates, d, x, t, 0.0, 0.0, 0.0)
        report[i, VELOCITY], report[i, ACCELERATION] = largest(x.V, n_v), largest(x.R, n_v)
        x.E[:] = 0
        evaluate(energy, d, x, t, 0.0, 0.0, 0.0)
        for k in range(3):
            energies[i, k] = x.E[k]
        for k in range(n):
            rows[i, Q + n_q + k], rows[i, Q + n_q + n + k], rows[i, Q + n_q + 2 * n + k] = x.v[k], x.a[k], x.lam[k]
        if not report[i, RESIDUAL] < 1e-6:
            return i
    return rows.shape[0]


@entry
def observe(rates, d, x, rows, frames, out, n_q):
    """out[i, j] = row of X for frame frames[j] at rows[i]: positions, axes, velocities, accelerations."""
    for i in range(rows.shape[0]):
        load(x, rows[i], n_q, x.v.size)
        x.V[:] = 0
        evaluate(rates, d, x, rows[i, 0].real, 0.0, 0.0, 0.0)
        for j in range(frames.size):
            for k in range(FRAME_WIDTH):
                out[i, j, k] = x.X[frames[j], k]


@entry
def observe_forces(forces, d, x, rows, silent, frames, out, n_q):
    """out[i, j] = force and moment that the elements of a program add on the left to frame frames[j]; lam[silent] = 0."""
    for i in range(rows.shape[0]):
        load(x, rows[i], n_q, x.v.size)
        for k in range(silent.size):
            x.lam[silent[k]] = 0
        x.X[:, F:F + 6] = 0
        evaluate(forces, d, x, rows[i, 0].real, 0.0, 0.0, 0.0)
        for j in range(frames.size):
            for k in range(6):
                out[i, j, k] = x.X[frames[j], F + k]


def row_width(n_q: int, n: int, histories: int) -> int:
    """Length of a row of results."""
    return Q + n_q + 3 * n + histories


def parts(rows: np.ndarray, n_q: int, n: int) -> dict[str, np.ndarray]:
    """Views of the columns of rows by name."""
    ends = np.cumsum([Q, n_q, n, n, n])
    q, v, a, lam = (rows[:, i:j] for i, j in pairwise(ends))
    return {"t": rows[:, 0], "dissipated": rows[:, 1], "work": rows[:, 2], "q": q, "v": v, "a": a, "lam": lam, "H": rows[:, ends[-1]:]}
