"""Equations that can be off: their rows and columns are masked after all others have added theirs. docs/theory/structure.md

The level of a row is a number of the history: on where it is positive. Families know nothing of it. Before they act, the multipliers of
rows that are off are set aside, so that they act on nobody.
"""
from ..kernels.contract import TABLE, Family, Stage
from ..kernels.jit import index, jit
from ..kernels.pairs import ROW

# ip, behind the equation: how many of them, the place of the level in the history, where multipliers wait in W, tiles
COUNT, LEVEL, ASIDE, TILES = index(4, 5, 6, 7)


@jit
def off(s, b, e):
    return not s.H[b.ip[e, LEVEL]].real > 0


@jit
def set_aside(s, b, o):
    """The multipliers of rows that are off wait in W."""
    for e in range(b.first, b.last):
        if off(s, b, e):
            for k in range(b.ip[e, COUNT]):
                o.W[b.ip[e, ASIDE] + k] = s.lam[b.ip[e, ROW] + k]
                s.lam[b.ip[e, ROW] + k] = 0


@jit
def mask(s, b, o):
    """R = -lam; V = 0 of equations that hold for velocities only                                     [switching-1]"""
    for e in range(b.first, b.last):
        if off(s, b, e):
            for k in range(b.ip[e, COUNT]):
                lam = o.W[b.ip[e, ASIDE] + k]
                s.lam[b.ip[e, ROW] + k] = lam
                o.R[b.ip[e, ROW] + k] = -lam
                o.V[b.ip[e, ROW] + k] = 0


@jit
def mask_tangent(s, b, o):
    """The row and the column of the equation become zero, -1 on the diagonal                        [switching-2]"""
    mask(s, b, o)
    for e in range(b.first, b.last):
        if off(s, b, e):
            n, table, first = b.ip[e, TILES], b.ip[e, TABLE], b.ip[e, ROW] % 6
            for i in range(n):
                k, kt = b.tab[table + n * (n - 1) + i], b.tab[table + n * i + n - 1]
                for r in range(first, first + b.ip[e, COUNT]):
                    for c in range(6):
                        o.D[k, r, c] = 0
                        o.D[kt, c, r] = 0
            own = b.tab[table + n * n - 1]
            for r in range(first, first + b.ip[e, COUNT]):
                o.D[own, r, r] = -1


@jit
def mask_rates(s, b, o):
    """g' = g'' = 0"""
    for e in range(b.first, b.last):
        if off(s, b, e):
            for k in range(b.ip[e, COUNT]):
                o.R[b.ip[e, ROW] + k] = 0
                o.V[b.ip[e, ROW] + k] = 0


SWITCHING = Family("switching", sense=Stage(residual=set_aside, tangent=set_aside), act=Stage(mask, mask_tangent, mask_rates), rank=9)
