"""Lagrange multipliers as an ordinary differential equation, with nothing, Baumgarte's terms, or direct correction. Penalty and
augmented Lagrangian are the same equations with a soft diagonal.

    [M  C^T ] [a  ]   [f                               ]
    [C  -1/A] [lam] = [gamma - 2 z w C' - w^2 C - lam0/A]                                             [index1-1]

A = infinity: multipliers. z w = a, w = b of Baumgarte. Finite A with lam0 = 0: penalty, since lam = A (C'' + 2 z w C' + w^2 C);
lam0 = lam of the last pass: augmented Lagrangian, whose passes are refinements of the linear solution. Multipliers are computed as its
limit, with the large A of the tile solver and one pass.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...items.base import did_you_mean
from ...items.errors import OptionError
from ...kernels.block_lu import solve, subtract_image
from ...kernels.borne_loads import bearing
from ...kernels.evaluation import run as evaluate
from ...kernels.jit import jit
from ...kernels.ode import Problem, derivative, load
from ...kernels.projection import projection
from ...kernels.states import copy, copy_part, copy_tile
from ...kernels.status import DONE, NOT_FINITE, SINGULAR
from ...kernels.tile_solver import factors, solved
from .base import Setting


@jit
def linearise(p, t):
    """[M C^T; C 0] in tiles and its factors in x.D; R holds -f and the violation. DONE or SINGULAR."""
    x = p.x
    x.a[:] = 0
    x.lam[:] = 0
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 0.0)
    p.num.factorisations += 1
    for k in range(x.D.shape[0]):
        copy_tile(x.D, k, p.tiles, k)
    return factors(p)


@jit
def iterated(p):
    """p.y = solution for the right side p.b, with as many passes as multipliers are iterated: where constraints lose their rank, the
    soft diagonal of the factors keeps accelerations bounded and smooth, which further passes would undo. Returns the relative residual
    of the rows of motion."""
    if p.num.fallback != 0:
        copy(p.b, p.x.R)
        solved(p)
        copy(p.x.R, p.y)
        for _ in range(int(p.par.passes)):
            copy(p.b, p.x.R)
            subtract_image(p.tiles, p.lu, p.y, p.x.R)
            solved(p)
            p.num.iterations += 1
            change, size = 0.0, 0.0
            for k in range(p.b.size):
                p.y[k] += p.x.R[k]
                change, size = max(change, abs(p.x.R[k])), max(size, abs(p.y[k]))
            if not change > p.par.exact * size:
                break
        return 0.0 if np.isfinite(p.y[0]) else np.inf
    n_v = p.num.n_v
    copy(p.b, p.y)
    solve(p.x.D, p.lu, p.y)
    for i in range(int(p.par.passes) + 1):
        left, size, wrong, force = 0.0, 0.0, 0.0, 0.0
        copy(p.b, p.r)
        subtract_image(p.tiles, p.lu, p.y, p.r)
        for k in range(n_v):
            size = max(size, abs(p.y[k]) * p.unit[k])
            wrong, force = max(wrong, abs(p.r[k])), max(force, abs(p.b[k]))
        for k in range(n_v, p.b.size):
            left, size = max(left, abs(p.r[k]) * p.unit[k]), max(size, abs(p.b[k]) * p.unit[k])
            force = max(force, abs(p.y[k]))
        if i == int(p.par.passes) or left <= p.par.exact * size:
            return wrong / force if force > 0 else 0.0
        solve(p.x.D, p.lu, p.r)
        p.num.iterations += 1
        for k in range(p.b.size):
            p.y[k] += p.r[k]
    return np.inf


borne = bearing("index1", factors, iterated)


@jit
def rhs(p, t, y, dy):
    """Accelerations by [index1-1] and what follows from them."""
    x, n_v = p.x, p.num.n_v
    load(p, y)
    p.num.evaluations += 1
    if linearise(p, t) != DONE:
        return SINGULAR
    rate, gap = p.joints.rate, p.joints.gap
    for k in range(p.b.size):
        p.b[k] = -x.R[k] if k < n_v else -gap[k] * x.R[k]
    x.V[:] = 0
    evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(n_v, p.b.size):
        p.b[k] -= x.R[k] + rate[k] * x.V[k]
    left = iterated(p)
    if p.num.borne == 1 and left < 1e-6:
        status, left = borne(p, t)
        if status != DONE:
            return status
    if not left < 1e-6:
        return SINGULAR if left < np.inf else NOT_FINITE
    copy_part(p.y, 0, x.a, 0, n_v)
    copy_part(p.y, n_v, x.lam, n_v, p.y.size - n_v)
    derivative(p, t, dy)
    return DONE


@jit
def look(p, t, renewed):
    """The violation at the position."""
    evaluate(p.residual, p.d, p.x, t, 0.0, 0.0, 0.0)
    return DONE


@jit
def move(p, values):
    """[M C^T; C 0] [y; mu] = [0; -values]                                                               [index1-2]"""
    n_v = p.num.n_v
    for k in range(p.b.size):
        p.b[k] = -values[k] if k >= n_v else 0.0
    iterated(p)


*_, correct = projection("index1", look=look, prepare=linearise, move=move)


def softened(setting: Setting, penalty: float, damping: float, frequency: float, joints: Mapping[str, Mapping[str, Any]]) -> Problem:
    """The problem with -C M^-1 C^T / penalty on the multiplier diagonals; ``joints``: numbers of single ones, which differ."""
    p, d = setting.problem(), setting.dynamics
    by = {word: np.full(d.system.n, value) for word, value in (("penalty", penalty), ("damping", damping), ("frequency", frequency))}
    rows = {joint.name: [6 * joint.tile + k for k in range(joint.used)] for joint in d.system.joints}
    rows |= {name: joint.rows for name, joint in d.directory.joints.items()}
    rows |= {name: [at] for name, (at, *_) in d.directory.drives.items()}
    for name, given in joints.items():
        if name not in rows:
            raise OptionError("formulation", f"joints: there is no joint {name!r}{did_you_mean(name, rows)}", "simulate: formulation: ")
        for word, value in given.items():
            values = np.ravel(value)
            if values.size not in (1, len(rows[name])):
                raise OptionError("formulation", f"joints: {name}: {word} has {values.size} numbers, must be one, or one for each of its "
                                  f"{len(rows[name])} equations", "simulate: formulation: ")
            by[word][rows[name]] = values
    p.joints.rate[:], p.joints.gap[:] = 2 * by["damping"] * by["frequency"], by["frequency"] ** 2
    fix_by = p.lu.fix_by.copy()
    soft = fix_by < 0
    fix_by[soft] /= (d.system.epsilon * by["penalty"])[d.system.fix_rows[soft]]
    return p._replace(lu=p.lu._replace(fix_by=fix_by))
