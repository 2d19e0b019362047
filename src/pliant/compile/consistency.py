"""States made consistent: positions and velocities projected, accelerations and multipliers recomputed, energies, frames for
channels.

At a given position all of these come from one factorisation of [M C^T; C 0]:                         [refine-1]
    positions        [M C^T; C 0] [dq; mu]  = [0; -C]
    velocities       [M C^T; C 0] [dv; mu]  = [0; -(C_q v + C_t)]
    accelerations    [M C^T; C 0] [a; lam]  = [f; gamma]
"""
import numpy as np

from ..kernels.block_lu import factorise, solve, solve_refined, subtract_image
from ..kernels.contract import FRAME_WIDTH, F
from ..kernels.evaluation import retract
from ..kernels.evaluation import run as evaluate
from ..kernels.jit import entry, inlined, jit
from ..kernels.state_row import Q

POSITION, VELOCITY, ACCELERATION, RESIDUAL = range(4)  # columns of the report of `refine`
PASSES = 4           # of Newton's method on a position
SHARINGS = 12        # passes in search of the smallest multipliers
CLOSED = 4e-16       # a violation of this part of the model's size (or of its distance from the origin) is rounding
BALANCED = 1e-11     # the smallest multipliers are taken if their equations hold so well, relative to forces


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


@jit
def scaled(x, unit, first):
    """Largest weighted magnitude from ``first`` on; nan if there is one."""
    size = 0.0
    for k in range(first, x.size):
        if not abs(x[k]) * unit[k] <= size:
            size = abs(x[k]) * unit[k]
    return size


@jit
def copy(a, b):
    """b = a"""
    for k in range(a.size):
        b[k] = a[k]


@jit
def normalise(d, q):
    """Quaternions of length one: over many steps rounding changes them, and with them the sizes of bodies."""
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 1]
        size = np.sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3])
        for j in range(4):
            q[i + j] /= size


@inlined
def linearise(tangent, d, lu, x, tiles, pivots, t):
    """The matrix at the current position in ``tiles`` and its factors in x.D; False when singular. R holds the violation."""
    for k in range(x.a.size):
        x.a[k] = 0
        x.lam[k] = 0
    x.D[:] = 0
    evaluate(tangent, d, x, t, 1.0, 0.0, 0.0)
    for k in range(x.D.shape[0]):
        for l in range(6):
            for m in range(6):
                tiles[k, l, m] = x.D[k, l, m]
    return factorise(x.D, lu, pivots)


@inlined
def close(tangent, d, lu, x, tiles, b, y, r, q, pivots, unit, length, t, n_v):
    """The position by Newton's method, least motion in the metric of the masses; as it was if that does not converge. The
    matrix and factors are those of the last position. False when one is singular."""
    far = 1.0
    for k in range(d.linear.shape[0]):
        far = max(far, abs(x.q[d.linear[k, 1]]) / length)
    before = scaled(x.R, unit, n_v)
    for _ in range(PASSES):
        if not before > CLOSED * far:
            return True
        for k in range(b.size):
            b[k] = -x.R[k] if k >= n_v else 0 * b[k]
        solve_refined(tiles, x.D, lu, b, y, r, n_v)
        copy(x.q, q)
        retract(d, q, y, 1.0, x.q)
        good = linearise(tangent, d, lu, x, tiles, pivots, t)
        size = scaled(x.R, unit, n_v)
        if not (good and size < before):  # rounding, or a place where Newton's method leads away
            copy(q, x.q)
            return linearise(tangent, d, lu, x, tiles, pivots, t)
        before = size
    return True


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
def share(lu, x, tiles, b, y, r, unit, soft, n_v):
    """lam: the smallest multipliers with the same C^T lam, by refinement with the factors of [M C^T; C -W] in x.D:

        [0 C^T; C -W] [y; lam] = [C^T lam_0; 0],   W = soft = eps / unit^2                            [reaction-1]

    False, and lam as it was, where that does not converge: bodies with next to no inertia about an axis.
    """
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


@entry
def refine(residual, tangent, rates, energy, d, lu, x, tiles, b, y, r, q, pivots, unit, soft, length, rows, energies, report, shared,
           n_v, project, loops):
    """Every row: project q and v (if asked), recompute a and lam, note energies and how well each level of the constraints
    holds - of positions before they are projected. ``loops``: reactions may not be unique, the smallest are taken; shared[i] is 0
    where the factors are not good enough for that.

    Returns the number of the first row where the matrix is singular or the residual too large, or the number of rows.
    """
    n, n_q = x.v.size, q.size
    for i in range(rows.shape[0]):
        load(x, rows[i], n_q, n)
        t = rows[i, 0].real
        if project:
            evaluate(residual, d, x, t, 0.0, 0.0, 0.0)
            report[i, POSITION] = largest(x.R, n_v)
            normalise(d, x.q)
        good = linearise(tangent, d, lu, x, tiles, pivots, t)
        if not project:
            report[i, POSITION] = largest(x.R, n_v)
        if not good or (project and not close(tangent, d, lu, x, tiles, b, y, r, q, pivots, unit, length, t, n_v)):
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
        shared[i] = 1 if not loops or share(lu, x, tiles, b, y, r, unit, soft, n_v) else 0
        x.V[:] = 0
        evaluate(rates, d, x, t, 0.0, 0.0, 0.0)
        report[i, VELOCITY], report[i, ACCELERATION] = largest(x.V, n_v), largest(x.R, n_v)
        x.E[:] = 0
        evaluate(energy, d, x, t, 0.0, 0.0, 0.0)
        for k in range(3):
            energies[i, k] = x.E[k]
        if not report[i, RESIDUAL] < 1e-6:
            return i
        for k in range(n_q):
            rows[i, Q + k] = x.q[k]
        for k in range(n):
            rows[i, Q + n_q + k], rows[i, Q + n_q + n + k], rows[i, Q + n_q + 2 * n + k] = x.v[k], x.a[k], x.lam[k]
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


