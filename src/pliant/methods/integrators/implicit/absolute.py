"""Implicit methods in absolute coordinates: the stabilised index-2 form, in tiles. docs/theory/radau_bdf.md"""
import numpy as np

from ....kernels.block_lu import factorise, solve, subtract_image
from ....kernels.contract import DISSIPATION, POWER
from ....kernels.evaluation import retract
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import jit
from ....kernels.ode import derivative, load, store_state
from ....kernels.states import copy, copy_part, copy_tile
from ....kernels.status import DONE, NOT_FINITE, SINGULAR
from .stages import D, E, K, M, rate


@jit
def place(p, w, o, i):
    """Memory at stage i."""
    x, n_v = p.x, p.num.n_v
    copy_part(o.V[i], 0, x.v, 0, n_v)
    copy_part(o.A[i], 0, x.a, 0, n_v)
    copy_part(o.L[i], n_v, x.lam, n_v, x.lam.size - n_v)
    copy_part(o.Z[i], 0, o.g, 0, n_v)
    retract(p.d, w.y0, o.g, 1.0, x.q)


@jit
def defects(p, w, c, o, i, t):
    """What is left of [ggl-1] at stage i, with the sign of a right side, in R. A status."""
    R, x, n_v = o.R, p.x, p.num.n_v
    place(p, w, o, i)
    evaluate(p.residual, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(n_v):
        R[1, i, k], R[2, i, k] = -x.R[k], 0.0
    for k in range(n_v, x.R.size):
        R[2, i, k] = -x.R[k]
    x.V[:] = 0
    evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    rate(p.d, o, n_v, i)
    for k in range(n_v):
        R[0, i, k] = o.y[k] - o.W[i, k]
    for k in range(n_v, x.R.size):
        R[0, i, k], R[1, i, k] = 0.0, -x.V[k]
    return DONE


@jit
def combine(tiles, s, out):
    """out = M + s D + s^2 K"""
    for k in range(out.shape[0]):
        for i in range(6):
            for j in range(6):
                out[k, i, j] = tiles[M, k, i, j] + s * (tiles[D, k, i, j] + s * tiles[K, k, i, j])


@jit
def take(x, tiles, which):
    """tiles[which] = x - tiles[M], of M only x; x = 0"""
    for k in range(x.shape[0]):
        for i in range(6):
            for j in range(6):
                tiles[which, k, i, j] = x[k, i, j] - (tiles[M, k, i, j] if which != M else 0.0)  # M may be no number yet
                x[k, i, j] = 0


@jit
def blame(tiles):
    """Why there are no factors: a function without a value, where a shorter step may help, or a singular matrix."""
    return SINGULAR if np.isfinite(tiles[M].sum() + tiles[D].sum() + tiles[K].sum()) else NOT_FINITE


@jit
def linearise(p, w, c, o):
    """M with C, D and K, at the second stage of Radau's method as predicted, or (o.n.tiles < 0) at the start of the step. Constraint
    tiles do not depend on the coefficients. A status."""
    x, tiles, t = p.x, o.matrices.real, c.t0 + o.radau.c[1] * c.h
    copy_part(w.f0, x.q.size, o.A[1], 0, p.num.n_v)
    place(p, w, o, 1)
    if o.n.tiles < 0:
        load(p, w.y0)
        t = c.t0
    x.D[:] = 0
    for which, cd, ck in ((M, 0.0, 0.0), (D, 1.0, 0.0), (K, 0.0, 1.0)):
        evaluate(p.tangent, p.d, x, t, 1.0, cd, ck)
        take(x.D, tiles, which)
    return DONE


@jit
def factor_pair(p, o, h):
    """Factors of the real and of the complex system of Radau's method for a step h. A status."""
    tiles, other = o.matrices.real, o.matrices.pair
    combine(tiles, h / o.radau.real, tiles[E])
    combine(tiles, h / o.radau.pair, other)
    if factorise(tiles[E], p.lu, p.pivots) and factorise(other, p.lu, p.pivots):
        return DONE
    o.n.tiles = 0
    return blame(tiles)


@jit
def factor_bdf(p, w, c, o):
    """The matrix of BDF at the predicted end of the step, S with C, and its factors. A status."""
    x, tiles, s = p.x, o.matrices.real, 1 / o.n.sigma
    place(p, w, o, 0)
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, c.t0 + c.h, 1.0, s, s * s)
    take(x.D, tiles, M)
    for k in range(tiles.shape[1]):
        copy_tile(tiles[M], k, tiles[E], k)
    return DONE if factorise(tiles[E], p.lu, p.pivots) else blame(tiles)


@jit
def increment(p, o, factors, sigma, r, stiffness):
    """The linear equations of a step, S = M + D / sigma + K / sigma^2:                                  [ggl-2]

        sigma dz - dv + dnu = r1,   (sigma M + D) dv + K dz + C^T dlam = r2,   C dz = r3,   C dv = r4,   dnu = S0^-1 C^T dmu

    Rows of r: r1 (rows of motion); r2, then r4; r3 (rows of constraints); two to work with. In their place dz; dv and dlam;
    and dnu in row 3. ``stiffness``: whether K is known; without it K (dnu - r1) / sigma is missing in the second equation
    until the next iteration. Of r4 only what constraints can follow is used: S t + C^T mu = 0, C t = r4; the rest, of
    redundant equations, is their curvature, for which no multiplier is to be asked."""
    tiles, n, n_v = o.matrices.real, r.shape[1], p.num.n_v
    first, second, m, y, g = r[0], r[1], r[2], r[3], r[4]
    y[:] = 0
    subtract_image(tiles[M], p.lu, first, y)
    for k in range(n):
        y[k] = 0 * sigma if k < n_v else second[k] - y[k] - sigma * m[k]
    for i in range(p.d.speeds.size):  # no position is held there, and nu keeps to what these rows allow
        y[p.d.speeds[i]] = 0 * sigma
    solve(tiles[E], p.lu, y)
    for k in range(n):
        g[k] = (first[k] - y[k]) / sigma if k < n_v else 0 * sigma
    m[:] = 0
    if stiffness:
        subtract_image(tiles[K], p.lu, g, m)
    for k in range(n_v):
        second[k], first[k] = (second[k] + m[k]) / (sigma * sigma), 0
    copy_part(second, n_v, first, n_v, n - n_v)
    solve(tiles[E], p.lu, first)
    for k in range(n_v, n):
        first[k] = 0
    m[:] = 0
    subtract_image(tiles[M], p.lu, first, m)
    for k in range(n_v, n):
        second[k] = -m[k] / sigma
    solve(factors, p.lu, second)
    for k in range(n_v):
        first[k] = second[k] + g[k]
        second[k] *= sigma
    for k in range(n_v, n):
        second[k] *= sigma * sigma


@jit
def add_back(o, to, real, pair, first, last):
    """Solutions of both systems added to the stages."""
    for i in range(3):
        x, re, im = o.radau.X_real[i], 2 * o.radau.X_pair[0, i], 2 * o.radau.X_pair[1, i]
        for k in range(first, last):
            to[i, k] += x * real[k] + re * pair[k].real - im * pair[k].imag


@jit
def solve_pair(p, o, h):
    """Both systems of Radau's method, from right and B: increments of z and v are left there, others added to the stages."""
    increment(p, o, o.matrices.real[E], o.radau.real / h, o.right, True)
    increment(p, o, o.matrices.pair, o.radau.pair / h, o.B, True)
    add_back(o, o.L, o.right[1], o.B[1], p.num.n_v, o.g.size)
    add_back(o, o.N, o.y, o.B[3], 0, p.num.n_v)


@jit
def follow_only(p, tiles, change, work):
    """Of changes of the equations, in the rows of constraints, only what motions can follow: S t + C^T mu = 0, C t = change."""
    for k in range(p.num.n_v):
        change[k] = 0
    solve(tiles[E], p.lu, change)
    for k in range(p.num.n_v, change.size):
        change[k] = 0
    work[:] = 0
    subtract_image(tiles[M], p.lu, change, work)
    for k in range(p.num.n_v, change.size):
        change[k] = -work[k]


@jit
def increment_index3(p, o, sigma, r):
    """The same on index 3, without nu and without equations of velocities:                                       [bdf-3]

        sigma dz - dv = r1,   (sigma M + D) dv + K dz + C^T dlam = r2,   C dz = r3

    With dv = sigma w, dz = w + r1 / sigma it is S w + C^T dlam / sigma^2 = r2 / sigma^2, C w = r3 - C r1 / sigma: a matrix that does not
    get worse with short steps. K r1 / sigma^3 is left to the next iteration."""
    tiles, n, n_v = o.matrices.real, r.shape[1], p.num.n_v
    first, second, m, y, g = r[0], r[1], r[2], r[3], r[4]
    for k in range(n):
        g[k] = first[k] / sigma if k < n_v else 0.0
    y[:] = 0
    subtract_image(tiles[M], p.lu, g, y)
    for k in range(n_v, n):
        first[k] = m[k] + y[k]
    for i in range(p.d.speeds.size):  # C dv = r4
        first[p.d.speeds[i]] = second[p.d.speeds[i]] / sigma
    follow_only(p, tiles, first, y)
    for k in range(n):
        second[k] = second[k] / (sigma * sigma) if k < n_v else first[k]
    solve(tiles[E], p.lu, second)
    for k in range(n):
        if k < n_v:
            first[k] = second[k] + g[k]
        second[k] *= sigma if k < n_v else sigma * sigma
    y[:] = 0


@jit
def solve_bdf(p, o, sigma):
    """The increment of BDF from R: of z and v in the first rows of right; others are added."""
    for l in range(3):
        copy(o.R[l, 0], o.right[l])
    if o.n.index3 == 1:
        increment_index3(p, o, sigma, o.right)
    else:
        increment(p, o, o.matrices.real[E], sigma, o.right, False)
    for k in range(p.num.n_v):
        o.N[0, k] += o.y[k]
    for k in range(p.num.n_v, o.g.size):
        o.L[0, k] += o.right[1, k]


@jit
def filtered(p, w, c, o):
    """(sigma - J)^-1 of the slopes in right[0] and g: in the first rows of right."""
    o.right[2][:] = 0
    o.y[:] = 0
    subtract_image(o.matrices.real[M], p.lu, o.g, o.y)
    for k in range(o.g.size):
        o.right[1, k] = -o.y[k] if k < p.num.n_v else 0.0
    increment(p, o, o.matrices.real[E], o.radau.real / c.h, o.right, True)


@jit
def power_at(p, w, c, o, i, t):
    """Power lost, and of loads and drives, at stage i: in right[0], at i and 3 + i."""
    place(p, w, o, i)
    p.x.E[:] = 0
    evaluate(p.power, p.d, p.x, t, 0.0, 0.0, 0.0)
    o.right[0, i], o.right[0, 3 + i] = p.x.E[DISSIPATION], p.x.E[POWER]


@jit
def finish_bdf(p, w, c, o):
    """y1, but for energies, and its derivative. A status."""
    sigma = o.n.sigma
    for k in range(p.num.n_v):
        o.A[0, k] = sigma * o.V[0, k] + o.A[1, k]
    place(p, w, o, 0)
    store_state(p, w.y1)
    derivative(p, c.t0 + c.h, w.f1)
    return DONE
