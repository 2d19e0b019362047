"""Linear equations in tiles: by their own factors, or by the sparse solver of last resort where that has taken over."""
from .block_lu import factorise, solve
from .contract import call_python
from .jit import jit
from .status import DONE, SINGULAR


@jit
def factors(p):
    """x.D <- factors of the matrix in it. DONE or SINGULAR."""
    if p.num.fallback != 0:
        good = call_python(p.num.fallback, 0.0, 0.0, 0.0) != 0.0
    else:
        good = factorise(p.x.D, p.lu, p.pivots)
    return DONE if good else SINGULAR


@jit
def solved(p):
    """x.R <- the solution with these factors, for the right side in it."""
    if p.num.fallback != 0:
        call_python(p.num.fallback, 1.0, 0.0, 0.0)
    else:
        solve(p.x.D, p.lu, p.x.R)
