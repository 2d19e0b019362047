"""Implicit methods in absolute coordinates: the stabilised index-2 form, in tiles. docs/theory/radau_bdf.md"""
import numpy as np

from ....kernels.block_lu import factorise, solve, subtract_image
from ....kernels.contract import DISSIPATION, POWER
from ....kernels.evaluation import retract
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import jit
from ....kernels.ode import kinematics, load
from ....kernels.status import DONE, NOT_FINITE, SINGULAR
from .solver import add_back, made_for
from .stages import R1, R2, R3, RIGHT, A, D, E, G, K, L, M, N, V, W, Y, Z, rate


@jit
def place(p, w, o, i):
    """Memory at stage i."""
    S, x = o.S, p.x
    for k in range(p.num.n_v):
        S[G, k], x.v[k], x.a[k] = S[Z + i, k], S[V + i, k], S[A + i, k]
    for k in range(p.num.n_v, x.lam.size):
        x.lam[k] = S[L + i, k]
    retract(p.d, w.y0, S[G], 1.0, x.q)


@jit
def defects(p, w, c, o, i, t):
    """Of [ggl-1]."""
    S, x, n_v = o.S, p.x, p.num.n_v
    place(p, w, o, i)
    evaluate(p.residual, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(x.R.size):
        if k < n_v:
            S[R2 + i, k], S[R3 + i, k] = -x.R[k], 0.0
        else:
            S[R3 + i, k] = -x.R[k]
    x.V[:] = 0
    evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    rate(p.d, S, n_v, i)
    for k in range(x.R.size):
        if k < n_v:
            S[R1 + i, k] = S[Y, k] - S[W + i, k]
        else:
            S[R1 + i, k], S[R2 + i, k] = 0.0, -x.V[k]
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
    total = 0.0
    for which in (M, D, K):
        for k in range(tiles.shape[1]):
            for i in range(6):
                for j in range(6):
                    total += tiles[which, k, i, j]
    return SINGULAR if np.isfinite(total) else NOT_FINITE


@jit
def linearise(p, w, c, o):
    """M with C, D and K. Constraint tiles do not depend on the coefficients."""
    x, tiles, t = p.x, o.matrices.real, c.t0 + o.radau.c[1] * c.h
    for k in range(p.num.n_v):
        o.S[A + 1, k] = w.f0[x.q.size + k]
    place(p, w, o, 1)
    if o.n.tiles < 0:
        load(p, w.y0)
        t = c.t0
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 0.0)
    take(x.D, tiles, M)
    evaluate(p.tangent, p.d, x, t, 1.0, 1.0, 0.0)
    take(x.D, tiles, D)
    evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 1.0)
    take(x.D, tiles, K)
    return DONE


@jit
def factor_pair(p, o, h):
    tiles, other = o.matrices.real, o.matrices.pair
    combine(tiles, h / o.radau.real, tiles[E])
    combine(tiles, h / o.radau.pair, other)
    if factorise(tiles[E], p.lu, p.pivots) and factorise(other, p.lu, p.pivots):
        return DONE
    o.n.tiles = 0
    return blame(tiles)


@jit
def factor_bdf(p, w, c, o):
    """S with C."""
    x, tiles, s = p.x, o.matrices.real, 1 / o.n.sigma
    place(p, w, o, 0)
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, c.t0 + c.h, 1.0, s, s * s)
    take(x.D, tiles, M)
    for k in range(tiles.shape[1]):
        for i in range(6):
            for j in range(6):
                tiles[E, k, i, j] = tiles[M, k, i, j]
    return DONE if factorise(tiles[E], p.lu, p.pivots) else blame(tiles)


@jit
def increment(p, o, factors, sigma, r, first, stiffness):
    """The linear equations of a step, S = M + D / sigma + K / sigma^2:                                  [ggl-2]

        sigma dz - dv + dnu = r1,   (sigma M + D) dv + K dz + C^T dlam = r2,   C dz = r3,   C dv = r4,   dnu = S0^-1 C^T dmu

    Rows first, first + 1, ... of r: r1 (rows of motion); r2, then r4; r3 (rows of constraints); two to work with. In their place dz; dv and
    dlam; and dnu in row first + 3. ``stiffness``: whether K is known; without it K (dnu - r1) / sigma is missing in the second equation
    until the next iteration. Of r4 only what constraints can follow is used: S t + C^T mu = 0, C t = r4; the rest, of redundant
    equations, is their curvature, for which no multiplier is to be asked."""
    tiles, n, n_v = o.matrices.real, r.shape[1], p.num.n_v
    second, m, y, g = first + 1, first + 2, first + 3, first + 4
    for k in range(n):
        r[y, k] = 0
    subtract_image(tiles[M], p.lu, r[first], r[y])
    for k in range(n):
        r[y, k] = 0 * sigma if k < n_v else r[second, k] - r[y, k] - sigma * r[m, k]
    solve(tiles[E], p.lu, r[y])
    for k in range(n):
        r[g, k] = (r[first, k] - r[y, k]) / sigma if k < n_v else 0 * sigma
        r[m, k] = 0
    if stiffness:
        subtract_image(tiles[K], p.lu, r[g], r[m])
    for k in range(n_v):
        r[second, k], r[first, k], r[m, k] = (r[second, k] + r[m, k]) / (sigma * sigma), 0, 0
    for k in range(n_v, n):
        r[first, k], r[m, k] = r[second, k], 0
    solve(tiles[E], p.lu, r[first])
    for k in range(n_v, n):
        r[first, k] = 0
    subtract_image(tiles[M], p.lu, r[first], r[m])
    for k in range(n_v, n):
        r[second, k] = -r[m, k] / sigma
    solve(factors, p.lu, r[second])
    for k in range(n):
        if k < n_v:
            r[first, k] = r[second, k] + r[g, k]
            r[second, k] *= sigma
        else:
            r[second, k] *= sigma * sigma


@jit
def solve_pair(p, o, h):
    n, n_v = o.S.shape[1], p.num.n_v
    increment(p, o, o.matrices.real[E], o.radau.real / h, o.S, RIGHT, True)
    increment(p, o, o.matrices.pair, o.radau.pair / h, o.B, 0, True)
    add_back(o, L, RIGHT + 1, 1, n_v, n)
    add_back(o, N, Y, 3, 0, n_v)


@jit
def solve_bdf(p, o, sigma):
    S, n_v = o.S, p.num.n_v
    for k in range(S.shape[1]):
        S[RIGHT, k], S[RIGHT + 1, k], S[RIGHT + 2, k] = S[R1, k], S[R2, k], S[R3, k]
    increment(p, o, o.matrices.real[E], sigma, S, RIGHT, False)
    for k in range(n_v):
        S[N, k] += S[Y, k]
    for k in range(n_v, S.shape[1]):
        S[L, k] += S[RIGHT + 1, k]


@jit
def filtered(p, w, c, o):
    S, n_v = o.S, p.num.n_v
    for k in range(S.shape[1]):
        S[RIGHT + 2, k], S[Y, k] = 0.0, 0.0
    subtract_image(o.matrices.real[M], p.lu, S[G], S[Y])
    for k in range(S.shape[1]):
        S[RIGHT + 1, k] = -S[Y, k] if k < n_v else 0.0
    increment(p, o, o.matrices.real[E], o.radau.real / c.h, S, RIGHT, True)


@jit
def power_at(p, w, c, o, i, t):
    place(p, w, o, i)
    p.x.E[:] = 0
    evaluate(p.power, p.d, p.x, t, 0.0, 0.0, 0.0)
    o.S[RIGHT, i], o.S[RIGHT, 3 + i] = p.x.E[DISSIPATION], p.x.E[POWER]


@jit
def finish_bdf(p, w, c, o):
    S, x, n_q, n_v, sigma = o.S, p.x, p.x.q.size, p.num.n_v, o.n.sigma
    for k in range(n_v):
        w.y1[n_q + k], w.f1[n_q + k] = S[V, k], sigma * S[V, k] + S[A + 1, k]
        S[A, k] = w.f1[n_q + k]
    retract(p.d, w.y0, S[Z], 1.0, w.y1)
    place(p, w, o, 0)
    kinematics(p.maps, x.q, x.v, w.f1)
    x.E[:] = 0
    if p.num.powered == 1:
        evaluate(p.power, p.d, x, c.t0 + c.h, 0.0, 0.0, 0.0)
    w.f1[n_q + n_v], w.f1[n_q + n_v + 1] = x.E[DISSIPATION], x.E[POWER]
    return DONE


solver = made_for("absolute", defects=defects, linearise=linearise, factor_pair=factor_pair, solve_pair=solve_pair,
                  factor_bdf=factor_bdf, solve_bdf=solve_bdf, filtered=filtered, power_at=power_at, finish_bdf=finish_bdf)
