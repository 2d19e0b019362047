"""Matrices and iterations of Radau IIA and BDF: one source, for absolute and for joint coordinates. docs/theory/radau_bdf.md"""
import numpy as np

from ....kernels.jit import jit, variants
from ....kernels.states import larger
from ....kernels.status import DONE
from . import joint
from .absolute import defects, factor_bdf, factor_pair, filtered, finish_bdf, linearise, power_at, solve_bdf, solve_pair
from .stages import ERROR, FINISH_BDF, ITERATE, ITERATE_BDF, MATRICES, WORK, largest, scale_velocities, size_of


@jit
def slopes(w, o, n_q, n_v, h):
    """z' and v' at the stages of Radau's method, by its formula."""
    table = o.radau.inverse
    for k in range(n_v):
        v0 = w.y0[n_q + k]
        for i in range(3):
            a, b, d = table[i, 0] / h, table[i, 1] / h, table[i, 2] / h
            o.W[i, k] = a * o.Z[0, k] + b * o.Z[1, k] + d * o.Z[2, k]
            o.A[i, k] = a * (o.V[0, k] - v0) + b * (o.V[1, k] - v0) + d * (o.V[2, k] - v0)


@jit
def transform(o):
    """What is left of the equations at the three stages, for the real and the complex system: in right and B."""
    y, pair = o.radau.Y_real, o.radau.Y_pair
    for l in range(3):
        for k in range(o.g.size):
            a, b, d = o.R[l, 0, k], o.R[l, 1, k], o.R[l, 2, k]
            o.right[l, k] = y[0] * a + y[1] * b + y[2] * d
            o.B[l, k] = complex(pair[0, 0] * a + pair[0, 1] * b + pair[0, 2] * d,
                                pair[1, 0] * a + pair[1, 1] * b + pair[1, 2] * d)


@jit
def add_motion(w, c, o, n_q, n_v):
    """Increments of z and v to the stages; the largest."""
    size = 0.0
    for i in range(3):
        x, re, im = o.radau.X_real[i], 2 * o.radau.X_pair[0, i], 2 * o.radau.X_pair[1, i]
        for k in range(n_v):
            first = x * o.right[0, k] + re * o.B[0, k].real - im * o.B[0, k].imag
            second = x * o.right[1, k] + re * o.B[1, k].real - im * o.B[1, k].imag
            o.Z[i, k] += first
            o.V[i, k] += second
            size = larger(size, size_of(w, n_q, k, first, second))
    return size


def radau_matrices(p, w, c, o):
    """Derivatives, if there are none that may be used, and the factors. A status."""
    n, h = o.n, c.h
    if n.tiles <= 0:
        status = linearise(p, w, c, o)
        if status != DONE:
            return status
        n.tiles, n.factored = 2, 0
    if n.factored == 1 and n.h_factors == h:
        return DONE
    n.factored = 0
    p.num.factorisations += 2
    status = factor_pair(p, o, h)
    if status == DONE:
        n.factored, n.h_factors = 1, h
    return status


def radau_iteration(p, w, c, o):
    """One iteration on all stages."""
    n_q, n_v, h, finite = p.num.state_q, p.num.state_v, c.h, True
    p.num.iterations += 1
    slopes(w, o, n_q, n_v, h)
    for i in range(3):
        finite = defects(p, w, c, o, i, c.t0 + o.radau.c[i] * h) == DONE and finite
    transform(o)
    solve_pair(p, o, h)
    size = add_motion(w, c, o, n_q, n_v)
    o.n.size = size if finite else np.inf


def bdf_iteration(p, w, c, o):
    """One iteration: z' = sigma z + what the past gives (W[1]), likewise v'."""
    s = o.n.sigma
    p.num.iterations += 1
    for k in range(p.num.state_v):
        o.W[0, k], o.A[0, k] = s * o.Z[0, k] + o.W[1, k], s * o.V[0, k] + o.A[1, k]
    status = defects(p, w, c, o, 0, c.t0 + c.h)
    solve_bdf(p, o, s)
    for k in range(p.num.state_v):
        o.Z[0, k] += o.right[0, k]
        o.V[0, k] += o.right[1, k]
    if o.n.index3 == 1:
        scale_velocities(p, w, c, o)
    o.n.size = largest(p, w, c, o.right[0], o.right[1]) if status == DONE else np.inf


def solver(p, w, c, o):
    """What o.n.task asks for. A kernel of its own, called by its address: compiled once for all methods."""
    task, status = o.n.task, DONE
    if task == MATRICES:
        status = radau_matrices(p, w, c, o)
    elif task == ITERATE:
        radau_iteration(p, w, c, o)
    elif task == ERROR:
        filtered(p, w, c, o)
    elif task == WORK:
        for i in range(3):
            power_at(p, w, c, o, i, c.t0 + o.radau.c[i] * c.h)
    elif task == FINISH_BDF:
        status = finish_bdf(p, w, c, o)
    elif task == ITERATE_BDF:
        bdf_iteration(p, w, c, o)
    else:
        p.num.factorisations += 1
        o.n.factored, o.n.tiles, o.n.sigma_factors = 1, 2, o.n.sigma
        status = factor_bdf(p, w, c, o)
    return status


SOURCES = radau_matrices, radau_iteration, bdf_iteration, solver
*_, in_absolute = variants("absolute", *SOURCES)
*_, in_joint = variants("joint", *SOURCES, defects=joint.defects, linearise=joint.linearise, filtered=joint.filtered,
                        factor_pair=joint.factor_pair, solve_pair=joint.solve_pair, factor_bdf=joint.factor_bdf,
                        solve_bdf=joint.solve_bdf, power_at=joint.power_at, finish_bdf=joint.finish_bdf)
