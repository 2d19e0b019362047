"""The linear algebra of Radau IIA and BDF: matrices, their factors, and one iteration of Newton's method. docs/theory/radau_bdf.md"""
import numpy as np

from ...kernels.block_lu import factorise, solve, subtract_image
from ...kernels.contract import DISSIPATION, POWER
from ...kernels.evaluation import retract
from ...kernels.evaluation import run as evaluate
from ...kernels.jit import jit
from ...kernels.ode import FACTORISATIONS, ITERATIONS, N_V, POWERED, kinematics, load
from ...kernels.status import DONE, NOT_FINITE, SINGULAR
from .implicit import (
    ERROR,
    FACTORED,
    FINISH_BDF,
    H_FACTORS,
    ITERATE,
    ITERATE_BDF,
    MATRICES,
    R1,
    R2,
    R3,
    RIGHT,
    SIGMA,
    SIGMA_FACTORS,
    SIZE,
    TASK,
    TILES,
    WORK,
    A,
    D,
    E,
    G,
    K,
    L,
    M,
    N,
    V,
    W,
    Y,
    Z,
    defects,
    largest,
    place,
    size_of,
)
from .one_step_loop import SPEED_, T0, H
from .radau_table import COMPLEX, INVERSE, REAL, X_COMPLEX, X_REAL, Y_COMPLEX, Y_REAL, C


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
def radau_matrices(p, w, tune):
    """M with C, D and K at the second stage as predicted, or at the start, and the factors. Constraint tiles do not depend on the
    coefficients."""
    o, x, h, t = w.own, p.x, tune[H], tune[T0] + w.table[C + 1] * tune[H]
    if o.num[TILES] <= 0:
        for k in range(p.num[N_V]):
            o.S[A + 1, k] = w.f0[x.q.size + k]
        place(p, w, 1)
        if o.num[TILES] < 0:
            load(p, w.y0)
            t = tune[T0]
        x.D[:] = 0
        evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 0.0)
        take(x.D, o.tiles, M)
        evaluate(p.tangent, p.d, x, t, 1.0, 1.0, 0.0)
        take(x.D, o.tiles, D)
        evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 1.0)
        take(x.D, o.tiles, K)
        o.num[TILES], o.num[FACTORED] = 2, 0
    if o.num[FACTORED] == 1 and o.par[H_FACTORS] == h:
        return DONE
    o.num[FACTORED] = 0
    combine(o.tiles, h / w.table[REAL], o.tiles[E])
    combine(o.tiles, h / complex(w.table[COMPLEX], w.table[COMPLEX + 1]), o.F)
    p.num[FACTORISATIONS] += 2
    if not factorise(o.tiles[E], p.lu, p.pivots) or not factorise(o.F, p.lu, p.pivots):
        o.num[TILES] = 0
        return blame(o.tiles)
    o.num[FACTORED], o.par[H_FACTORS] = 1, h
    return DONE


@jit
def bdf_matrices(p, w, tune):
    """S with C, and its factors, at the predicted end of the step."""
    o, x, s = w.own, p.x, 1 / w.own.par[SIGMA]
    place(p, w, 0)
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, tune[T0] + tune[H], 1.0, s, s * s)
    take(x.D, o.tiles, M)
    for k in range(o.F.shape[0]):
        for i in range(6):
            for j in range(6):
                o.tiles[E, k, i, j] = o.tiles[M, k, i, j]
    p.num[FACTORISATIONS] += 1
    o.num[FACTORED], o.num[TILES], o.par[SIGMA_FACTORS] = 1, 2, o.par[SIGMA]
    return DONE if factorise(o.tiles[E], p.lu, p.pivots) else blame(o.tiles)


@jit
def increment(p, o, factors, sigma, r, first, stiffness):
    """The linear equations of a step, S = M + D / sigma + K / sigma^2:                                  [ggl-2]

        sigma dz - dv + dnu = r1,   (sigma M + D) dv + K dz + C^T dlam = r2,   C dz = r3,   C dv = r4,   dnu = S0^-1 C^T dmu

    Rows first, first + 1, ... of r: r1 (rows of motion); r2, then r4; r3 (rows of constraints); two to work with. In their place dz; dv and
    dlam; and dnu in row first + 3. ``stiffness``: whether K is known; without it K (dnu - r1) / sigma is missing in the second equation
    until the next iteration. Of r4 only what constraints can follow is used: S t + C^T mu = 0, C t = r4; the rest, of redundant
    equations, is their curvature, for which no multiplier is to be asked."""
    n, n_v, c, m, y, g = r.shape[1], p.num[N_V], first + 1, first + 2, first + 3, first + 4
    for k in range(n):
        r[y, k] = 0
    subtract_image(o.tiles[M], p.lu, r[first], r[y])
    for k in range(n):
        r[y, k] = 0 * sigma if k < n_v else r[c, k] - r[y, k] - sigma * r[m, k]
    solve(o.tiles[E], p.lu, r[y])
    for k in range(n):
        r[g, k] = (r[first, k] - r[y, k]) / sigma if k < n_v else 0 * sigma
        r[m, k] = 0
    if stiffness:
        subtract_image(o.tiles[K], p.lu, r[g], r[m])
    for k in range(n_v):
        r[c, k], r[first, k], r[m, k] = (r[c, k] + r[m, k]) / (sigma * sigma), 0, 0
    for k in range(n_v, n):
        r[first, k], r[m, k] = r[c, k], 0
    solve(o.tiles[E], p.lu, r[first])
    for k in range(n_v, n):
        r[first, k] = 0
    subtract_image(o.tiles[M], p.lu, r[first], r[m])
    for k in range(n_v, n):
        r[c, k] = -r[m, k] / sigma
    solve(factors, p.lu, r[c])
    for k in range(n):
        if k < n_v:
            r[first, k] = r[c, k] + r[g, k]
            r[c, k] *= sigma
        else:
            r[c, k] *= sigma * sigma


@jit
def transform(w, n, count):
    """What is left of so many equations at the three stages (rows R1, ...), for the real and the complex system: rows RIGHT, ... and B."""
    S, B, c = w.own.S, w.own.B, w.table
    for l in range(count):
        R = R1 + 3 * l
        for k in range(n):
            S[RIGHT + l, k] = c[Y_REAL] * S[R, k] + c[Y_REAL + 1] * S[R + 1, k] + c[Y_REAL + 2] * S[R + 2, k]
            B[l, k] = complex(c[Y_COMPLEX] * S[R, k] + c[Y_COMPLEX + 1] * S[R + 1, k] + c[Y_COMPLEX + 2] * S[R + 2, k],
                              c[Y_COMPLEX + 3] * S[R, k] + c[Y_COMPLEX + 4] * S[R + 1, k] + c[Y_COMPLEX + 5] * S[R + 2, k])


@jit
def add_back(w, row, source, complex_source, first, last):
    """Solutions of both systems added to the stages in S[row], S[row + 1], S[row + 2]."""
    S, B, c = w.own.S, w.own.B, w.table
    for i in range(3):
        x, re, im = c[X_REAL + i], 2 * c[X_COMPLEX + i], 2 * c[X_COMPLEX + 3 + i]
        for k in range(first, last):
            S[row + i, k] += x * S[source, k] + re * B[complex_source, k].real - im * B[complex_source, k].imag


@jit
def add_motion(w, tune, n_q, n_v):
    """Increments of z and v to the stages; the largest."""
    S, B, c, size = w.own.S, w.own.B, w.table, 0.0
    for i in range(3):
        x, re, im = c[X_REAL + i], 2 * c[X_COMPLEX + i], 2 * c[X_COMPLEX + 3 + i]
        for k in range(n_v):
            first = x * S[RIGHT, k] + re * B[0, k].real - im * B[0, k].imag
            second = x * S[RIGHT + 1, k] + re * B[1, k].real - im * B[1, k].imag
            S[Z + i, k] += first
            S[V + i, k] += second
            s = size_of(w.weight[n_q + k], tune[SPEED_], first, second)
            if not s <= size:
                size = s
    return size


@jit
def radau_iteration(p, w, tune):
    """One iteration on all stages."""
    o, n, n_v, h, c = w.own, p.b.size, p.num[N_V], tune[H], w.table
    for i in range(3):
        defects(p, w, i, tune[T0] + c[C + i] * h)
    transform(w, n, 3)
    increment(p, o, o.tiles[E], c[REAL] / h, o.S, RIGHT, True)
    increment(p, o, o.F, complex(c[COMPLEX], c[COMPLEX + 1]) / h, o.B, 0, True)
    add_back(w, L, RIGHT + 1, 1, n_v, n)
    add_back(w, N, Y, 3, 0, n_v)
    o.par[SIZE] = add_motion(w, tune, p.x.q.size, n_v)


@jit
def slopes(w, n_q, n_v, h):
    """z' and v' at the stages of Radau's method, by its formula."""
    S, c = w.own.S, w.table
    for k in range(n_v):
        v0 = w.y0[n_q + k]
        for i in range(3):
            a, b, d = c[INVERSE + 3 * i] / h, c[INVERSE + 3 * i + 1] / h, c[INVERSE + 3 * i + 2] / h
            S[W + i, k] = a * S[Z, k] + b * S[Z + 1, k] + d * S[Z + 2, k]
            S[A + i, k] = a * (S[V, k] - v0) + b * (S[V + 1, k] - v0) + d * (S[V + 2, k] - v0)


@jit
def bdf_iteration(p, w, tune):
    """One iteration: z' = sigma z + what the past gives (row W + 1), likewise v'."""
    o, S, n_v, s = w.own, w.own.S, p.num[N_V], w.own.par[SIGMA]
    for k in range(n_v):
        S[W, k], S[A, k] = s * S[Z, k] + S[W + 1, k], s * S[V, k] + S[A + 1, k]
    defects(p, w, 0, tune[T0] + tune[H])
    for k in range(S.shape[1]):
        S[RIGHT, k], S[RIGHT + 1, k], S[RIGHT + 2, k] = S[R1, k], S[R2, k], S[R3, k]
    increment(p, o, o.tiles[E], s, S, RIGHT, False)
    for k in range(n_v):
        S[Z, k] += S[RIGHT, k]
        S[V, k] += S[RIGHT + 1, k]
        S[N, k] += S[Y, k]
    for k in range(n_v, S.shape[1]):
        S[L, k] += S[RIGHT + 1, k]
    o.par[SIZE] = largest(w, tune, p.x.q.size, n_v, RIGHT, RIGHT + 1)


@jit
def filtered(p, w, tune):
    """(sigma - J)^-1 of the slopes in rows RIGHT and G: in rows RIGHT and RIGHT + 1."""
    S, n_v = w.own.S, p.num[N_V]
    for k in range(S.shape[1]):
        S[RIGHT + 2, k], S[Y, k] = 0.0, 0.0
    subtract_image(w.own.tiles[M], p.lu, S[G], S[Y])
    for k in range(S.shape[1]):
        S[RIGHT + 1, k] = -S[Y, k] if k < n_v else 0.0
    increment(p, w.own, w.own.tiles[E], w.table[REAL] / tune[H], S, RIGHT, True)


@jit
def powers(p, w, tune):
    """Power lost, and of loads and drives, at the stages of Radau's method: in row RIGHT."""
    S = w.own.S
    for i in range(3):
        place(p, w, i)
        p.x.E[:] = 0
        evaluate(p.power, p.d, p.x, tune[T0] + w.table[C + i] * tune[H], 0.0, 0.0, 0.0)
        S[RIGHT, i], S[RIGHT, 3 + i] = p.x.E[DISSIPATION], p.x.E[POWER]


@jit
def finish_bdf(p, w, tune):
    """y1, but for energies, and all of its derivative."""
    S, x, n_q, n_v, sigma = w.own.S, p.x, p.x.q.size, p.num[N_V], w.own.par[SIGMA]
    for k in range(n_v):
        w.y1[n_q + k], w.f1[n_q + k] = S[V, k], sigma * S[V, k] + S[A + 1, k]
        S[A, k] = w.f1[n_q + k]
    retract(p.d, w.y0, S[Z], 1.0, w.y1)
    place(p, w, 0)
    kinematics(p.maps, x.q, x.v, w.f1)
    x.E[:] = 0
    if p.num[POWERED] == 1:
        evaluate(p.power, p.d, x, tune[T0] + tune[H], 0.0, 0.0, 0.0)
    w.f1[n_q + n_v], w.f1[n_q + n_v + 1] = x.E[DISSIPATION], x.E[POWER]


@jit
def solver(p, w, tune, code):
    """What own.num[TASK] asks for. A kernel of its own, called by its address: compiled once for all methods."""
    task = w.own.num[TASK]
    if task == MATRICES:
        return radau_matrices(p, w, tune)
    if task == ITERATE:
        p.num[ITERATIONS] += 1
        slopes(w, p.x.q.size, p.num[N_V], tune[H])
        radau_iteration(p, w, tune)
    elif task == ERROR:
        filtered(p, w, tune)
    elif task == WORK:
        powers(p, w, tune)
    elif task == FINISH_BDF:
        finish_bdf(p, w, tune)
    elif task == ITERATE_BDF:
        p.num[ITERATIONS] += 1
        bdf_iteration(p, w, tune)
    else:
        return bdf_matrices(p, w, tune)
    return DONE
