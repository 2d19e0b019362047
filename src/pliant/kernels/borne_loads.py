"""Friction whose load is what joints exert: equations of motion that are not linear in the multipliers, by Newton's method.

    M a + C^T lam + f(lam) = 0,   C a = gamma

f is left out at lam = 0, where the linear equations are those of any model; from their solution on, with the columns of f in the matrix,

    [M  C^T + f_lam] [a  ]   [f_lam lam_k - f(lam_k)]
    [C      0      ] [lam] = [gamma                 ]                                                  [friction-7]

A load |F| of one reaction is of first degree: what is left after a pass is of the second order in the turn of F, times friction.
"""
from __future__ import annotations

from typing import Any

from .block_lu import subtract_image
from .evaluation import run as evaluate
from .jit import jit, variants
from .states import copy_tile
from .status import DONE, SINGULAR

ITERATIONS = 25
FITS = 1e-8       # a change of multipliers, relative to the largest of their joint, behind which the next one is rounding
FAINT = 1e-4      # of the largest of all: what a joint is taken to exert at least

factored: Any = None  # factored(p): factors of x.D. A status
solution: Any = None  # solution(p): p.y for the right side p.b; the relative residual


@jit
def fits(p, before, n_v):
    """Whether multipliers have come to rest."""
    largest, worst = 0.0, 0.0
    for k in range(n_v, p.y.size):
        largest = max(largest, abs(p.y[k]))
    for first in range(n_v, p.y.size, 6):
        change, size = 0.0, FAINT * largest
        for k in range(first, first + 6):
            change, size = max(change, abs(p.y[k] - before[k])), max(size, abs(p.y[k]))
        worst = max(worst, change - FITS * size)
    return not worst > 0


def borne(p, t):
    """From the solution in p.y without friction of that kind, and its right side in p.b: the one with it. A status, and the residual."""
    x, n_v, left = p.x, p.num.n_v, 0.0
    for _ in range(ITERATIONS):
        for k in range(p.y.size):
            x.a[k] = 0
            x.lam[k] = p.y[k] if k >= n_v else 0 * p.y[k]
        x.D[:] = 0
        evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 0.0)
        for k in range(x.D.shape[0]):
            copy_tile(x.D, k, p.tiles, k)
        for k in range(p.y.size):
            p.r[k] = 0
            p.y[k] = x.lam[k]
        subtract_image(p.tiles, p.lu, p.y, p.r)
        for k in range(n_v):
            p.b[k] = -x.R[k] - p.r[k]
        if factored(p) != DONE:
            return SINGULAR, left
        left = solution(p)
        if fits(p, x.lam, n_v):
            p.num.jams = 0
            return DONE, left
    p.num.jams = 1
    return SINGULAR, left


def bearing(name: str, factored: Any, solution: Any) -> Any:
    """`borne` with the linear algebra of a place."""
    return variants(name, borne, factored=factored, solution=solution)[0]
