"""Sparse LU on 6x6 tiles. No pivoting between tiles: a joint's tile is eliminated after all tiles of its bodies, so that
its pivot is a Schur complement -C M^-1 C^T. A small negative number on the multiplier diagonals makes redundant joints
harmless. Partial pivoting inside each tile. docs/theory/solver.md
"""
from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .jit import entry, inlined, jit

REFINEMENTS, EXACT, GAIN = 30, 1e-14, 0.8  # most passes, a residual that is rounding, and what a further pass must gain
AT_REST = 1e-6  # of what forces would cause on free bodies: accelerations below are next to none


class Elimination(NamedTuple):
    """The symbolic factorisation: step s eliminates tile order[s], whose neighbours are rows[start[s]:start[s+1]]."""
    order: np.ndarray
    diagonal: np.ndarray      # where the pivot tile is stored
    start: np.ndarray
    rows: np.ndarray
    lower: np.ndarray         # tiles below the pivot, one per neighbour
    upper: np.ndarray         # tiles right of it
    update_start: np.ndarray
    update: np.ndarray        # tiles that the elimination changes, neighbours x neighbours
    fix_at: np.ndarray        # (tile, row) of diagonal entries that get fix_by: +1 on padding, -eps on multipliers
    fix_by: np.ndarray


def minimum_degree(n_tiles: int, edges: Iterable[tuple[int, int]], wait_for: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """{tile: neighbours when it is eliminated}, in the order of elimination; tile j only after the tiles wait_for[j]."""
    near: list[set[int]] = [set() for _ in range(n_tiles)]
    for i, j in edges:
        if i != j:
            near[i].add(j)
            near[j].add(i)
    waiting = [0] * n_tiles
    holds: list[list[int]] = [[] for _ in range(n_tiles)]
    for j, tiles in wait_for.items():
        for i in set(tiles):
            waiting[j] += 1
            holds[i].append(j)
    heap = [(len(near[k]), k) for k in range(n_tiles) if not waiting[k]]
    heapq.heapify(heap)
    pattern: dict[int, list[int]] = {}
    while heap:
        degree, k = heapq.heappop(heap)
        if k in pattern or degree != len(near[k]):
            continue
        pattern[k] = sorted(near[k])
        for j in pattern[k]:
            near[j] |= near[k]
            near[j] -= {j, k}
        for j in holds[k]:
            waiting[j] -= 1
        for j in {*pattern[k], *holds[k]} - pattern.keys():
            if not waiting[j]:
                heapq.heappush(heap, (len(near[j]), j))
    return pattern


def analyse(n_tiles: int, edges: Iterable[tuple[int, int]], wait_for: Mapping[int, Sequence[int]],
            used: Sequence[int], regularisation: np.ndarray) -> tuple[Elimination, dict[tuple[int, int], int]]:
    """The Elimination and {(i, j): number of the stored tile}.

    Only the first ``used[k]`` rows of tile k are equations, the rest is padding; ``regularisation`` [6 n_tiles] is subtracted
    from the diagonal (zero for the rows of bodies).
    """
    pattern = minimum_degree(n_tiles, edges, wait_for)
    place = {k: s for s, k in enumerate(pattern)}
    block: dict[tuple[int, int], int] = {}
    for k, row in pattern.items():
        for pair in [(k, k)] + [p for j in row for p in ((j, k), (k, j))]:
            block[pair] = len(block)
    start, rows, lower, upper, update_start, update = [0], list[int](), list[int](), list[int](), [0], list[int]()
    for k, row in pattern.items():
        row = sorted(row, key=place.__getitem__)
        rows += row
        lower += [block[j, k] for j in row]
        upper += [block[k, j] for j in row]
        update += [block[i, j] for i in row for j in row]
        start.append(len(rows))
        update_start.append(len(update))
    fix = [((block[k, k], i), 1.0 if i >= used[k] else -regularisation[6 * k + i])
           for k in range(n_tiles) for i in range(6) if i >= used[k] or regularisation[6 * k + i] > 0]
    lists = (list(pattern), [block[k, k] for k in pattern], start, rows, lower, upper, update_start, update)
    arrays = [np.array(x, np.int64) for x in (*lists, [at for at, _ in fix])]
    arrays[-1] = arrays[-1].reshape(-1, 2)
    arrays.append(np.array([by for _, by in fix], float))
    return Elimination(*arrays), block


# The loops below index D[k, i, j] instead of taking views D[k]: a view costs more than a product of tiles.

@jit
def invert(D, b, pivots):
    """Tile b in place, Gauss-Jordan with partial pivoting; False when singular."""
    for k in range(6):
        p = k
        for i in range(k + 1, 6):
            if abs(D[b, i, k]) > abs(D[b, p, k]):
                p = i
        if not abs(D[b, p, k]) > 0:
            return False
        pivots[k] = p
        d = 1 / D[b, p, k]
        D[b, p, k] = D[b, k, k]
        D[b, k, k] = 1
        for j in range(6):
            if j != k:
                D[b, k, j], D[b, p, j] = D[b, p, j], D[b, k, j]
            D[b, k, j] *= d
        for i in range(6):
            if i != k:
                f = D[b, i, k]
                D[b, i, k] = 0
                for j in range(6):
                    D[b, i, j] -= f * D[b, k, j]
    for k in range(5, -1, -1):
        if pivots[k] != k:
            for i in range(6):
                D[b, i, k], D[b, i, pivots[k]] = D[b, i, pivots[k]], D[b, i, k]
    return True


@inlined
def multiply_right(D, a, b):
    """A = A B"""
    for i in range(6):
        a0, a1, a2, a3, a4, a5 = D[a, i, 0], D[a, i, 1], D[a, i, 2], D[a, i, 3], D[a, i, 4], D[a, i, 5]
        for j in range(6):
            D[a, i, j] = (a0 * D[b, 0, j] + a1 * D[b, 1, j] + a2 * D[b, 2, j] + a3 * D[b, 3, j] + a4 * D[b, 4, j]
                          + a5 * D[b, 5, j])


@inlined
def subtract_product(D, c, a, b):
    """C -= A B"""
    for i in range(6):
        c0, c1, c2, c3, c4, c5 = D[c, i, 0], D[c, i, 1], D[c, i, 2], D[c, i, 3], D[c, i, 4], D[c, i, 5]
        for k in range(6):
            f = D[a, i, k]
            c0, c1, c2 = c0 - f * D[b, k, 0], c1 - f * D[b, k, 1], c2 - f * D[b, k, 2]
            c3, c4, c5 = c3 - f * D[b, k, 3], c4 - f * D[b, k, 4], c5 - f * D[b, k, 5]
        D[c, i, 0], D[c, i, 1], D[c, i, 2], D[c, i, 3], D[c, i, 4], D[c, i, 5] = c0, c1, c2, c3, c4, c5


@entry
def factorise(D, lu, pivots):
    """Overwrite the tiles D by their factors; False when a tile is singular."""
    for k in range(lu.fix_at.shape[0]):
        i = lu.fix_at[k, 1]
        D[lu.fix_at[k, 0], i, i] += lu.fix_by[k]
    for s in range(lu.order.size):
        a, first, m = lu.diagonal[s], lu.start[s], lu.start[s + 1] - lu.start[s]
        if not invert(D, a, pivots):
            return False
        for i in range(m):
            l = lu.lower[first + i]
            multiply_right(D, l, a)
            for j in range(m):
                subtract_product(D, lu.update[lu.update_start[s] + i * m + j], l, lu.upper[first + j])
    return True


@inlined
def tile_of(r, k):
    return r[k], r[k + 1], r[k + 2], r[k + 3], r[k + 4], r[k + 5]


@inlined
def image(D, b, i, x):
    """Row i of tile b times x"""
    return (D[b, i, 0] * x[0] + D[b, i, 1] * x[1] + D[b, i, 2] * x[2] + D[b, i, 3] * x[3] + D[b, i, 4] * x[4]
            + D[b, i, 5] * x[5])


@inlined
def subtract_tile(D, b, x, y):
    """y - D[b] x"""
    return (y[0] - image(D, b, 0, x), y[1] - image(D, b, 1, x), y[2] - image(D, b, 2, x), y[3] - image(D, b, 3, x),
            y[4] - image(D, b, 4, x), y[5] - image(D, b, 5, x))


@entry
def solve(D, lu, r):
    """Overwrite r by D^-1 r with the factors in D."""
    for s in range(lu.order.size):
        x = tile_of(r, 6 * lu.order[s])
        for i in range(lu.start[s], lu.start[s + 1]):
            k, b = 6 * lu.rows[i], lu.lower[i]
            for j in range(6):
                r[k + j] -= image(D, b, j, x)
    for s in range(lu.order.size - 1, -1, -1):
        k, b = 6 * lu.order[s], lu.diagonal[s]
        y = tile_of(r, k)
        for i in range(lu.start[s], lu.start[s + 1]):
            y = subtract_tile(D, lu.upper[i], tile_of(r, 6 * lu.rows[i]), y)
        for j in range(6):
            r[k + j] = image(D, b, j, y)


@entry
def subtract_image(D, lu, x, r):
    """r -= D x with the tiles D before they are factorised."""
    for s in range(lu.order.size):
        k, b = 6 * lu.order[s], lu.diagonal[s]
        y = tile_of(x, k)
        for j in range(6):
            r[k + j] -= image(D, b, j, y)
        for i in range(lu.start[s], lu.start[s + 1]):
            m = 6 * lu.rows[i]
            z = tile_of(x, m)
            for j in range(6):
                r[m + j] -= image(D, lu.lower[i], j, y)
                r[k + j] -= image(D, lu.upper[i], j, z)


@jit
def unheld(D, lu, b, n_v):
    """The largest acceleration that a force of b would cause if nothing held its body: rounding errors are parts of that."""
    most = 0.0
    for s in range(lu.order.size):
        k = 6 * lu.order[s]
        for j in range(6 if k < n_v else 0):
            mass = abs(D[lu.diagonal[s], j, j])
            if mass > 0:
                most = max(most, abs(b[k + j]) / mass)
    return most


@jit
def relative(b, x, r, n_v, least):
    """Residual r of D x = b against what it is made of: rows of motion against forces (b and the multipliers in x), those of
    constraints against accelerations, each the largest; ``least``: these at least, where nothing moves."""
    force, motion, left, open_ = 0.0, least, 0.0, 0.0
    for k in range(b.size):
        if k < n_v:
            force, motion, left = max(force, abs(b[k])), max(motion, abs(x[k])), max(left, abs(r[k]))
        else:
            force, motion, open_ = max(force, abs(x[k])), max(motion, abs(b[k])), max(open_, abs(r[k]))
        if not abs(x[k]) < np.inf:
            return np.inf
    return max(left / force if force > 0 else 0.0, open_ / motion if motion > 0 else 0.0)


@entry
def solve_refined(D, factors, lu, b, x, r, n_v):
    """x = D^-1 b by the factors, refined against D itself: once, and again while that gains much - next to a singular position
    the regularisation of the factors is felt. Returns the relative residual."""
    for k in range(b.size):
        x[k] = 0
        r[k] = b[k]
    before, now, least = np.inf, np.inf, AT_REST * unheld(D, lu, b, n_v)
    for i in range(REFINEMENTS):
        solve(factors, lu, r)
        for k in range(b.size):
            x[k] += r[k]
            r[k] = b[k]
        subtract_image(D, lu, x, r)
        before, now = now, relative(b, x, r, n_v, least)
        if i > 0 and not (now > EXACT and now < GAIN * before):
            break
    return now
