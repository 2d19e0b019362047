"""Mass, centre of mass, momentum and kinetic energy of groups of bodies, read from the mass matrix, whatever the bodies are.

Rows of a body in M v are its momentum (world axes) and its angular momentum about the origin of its frame (body axes). In its first
tile stand its mass m and, below, [c] R^T with c = m times the centre of mass in the axes R of the frame; so they do in the tiles that
couple a node of a beam to its neighbours. A node of slopes has momenta of its place and of each slope. docs/theory/channels.md
"""
from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.block_lu import subtract_image
from ..kernels.evaluation import evaluate
from ..kernels.jit import entry, index, jit
from ..kernels.so3 import accumulate, add, cross, mul, rotation, scale, sub, vec
from .consistency import load

if TYPE_CHECKING:
    from .compiled_model import CompiledModel

MASS, KINETIC, COM, MOMENTUM, ABOUT_ORIGIN, ABOUT_COM = index(0, 1, 2, 5, 8, 11)  # columns of a group
SIZE = 14
COLUMNS: dict[str, int | slice] = {"mass": MASS, "kinetic": KINETIC, "com": slice(COM, COM + 3), "momentum": slice(MOMENTUM, MOMENTUM + 3),
                                   "about_origin": slice(ABOUT_ORIGIN, ABOUT_ORIGIN + 3), "about_com": slice(ABOUT_COM, ABOUT_COM + 3)}
FIRST, END, PLACE, TILE = index(0, 1, 2, 3)  # of a body: its numbers in v, its place in q, its first tile in D, and at a node of a beam
TILES, VECTORS = index(6, 6)  # those that couple it to its neighbours, else -1: up to here. Of a node of slopes: its vectors, else 0


@jit
def first_moment(D, k, R):
    """m times the vector from the frame of a body to its centre of mass, world axes: R ([c] R^T) = [R c]          [momentum-2]"""
    x = y = z = 0 * D[k, 0, 0]
    for j in range(3):
        x += R[6 + j] * D[k, 3 + j, 1]
        y += R[j] * D[k, 3 + j, 2]
        z += R[3 + j] * D[k, 3 + j, 0]
    return x, y, z


@jit
def turning(x, r, body):
    """- angular momentum about the origin of its frame, or what its slopes have of it: sum of r' x their momenta   [momentum-3]"""
    first = body[FIRST]
    if body[VECTORS] == 0:
        return mul(rotation(x.q, body[PLACE] + 3), vec(r, first + 3))
    total = scale(0.0, vec(r, first))
    for k in range(1, body[VECTORS]):
        total = add(total, cross(vec(x.q, body[PLACE] + 3 * k), vec(r, first + 3 * k)))
    return total


@jit
def collect(x, r, body, out):
    """Adds a body to a group: m, T = v.M v / 2, m p + R c, P, p x P + R L                                         [momentum-1]"""
    first, p = body[FIRST], vec(x.q, body[PLACE])
    momentum = scale(-1.0, vec(r, first))
    for i in range(first, body[END]):
        out[KINETIC] -= x.v[i] * r[i] / 2
    for j in range(TILE, TILES):
        k = body[j]
        if k >= 0:
            m = x.D[k, 0, 0]
            out[MASS] += m
            if body[VECTORS] == 0:
                accumulate(1.0, add(scale(m, p), first_moment(x.D, k, rotation(x.q, body[PLACE] + 3))), out, COM)
            else:
                accumulate(1.0, add(scale(m, p), scale(x.D[k, 3, 0], vec(x.q, body[PLACE] + 3))), out, COM)
    accumulate(1.0, momentum, out, MOMENTUM)
    accumulate(1.0, add(cross(p, momentum), scale(-1.0, turning(x, r, body))), out, ABOUT_ORIGIN)


@entry
def observe_momenta(matrix, d, lu, x, y, r, rows, bodies, start, members, out):
    """out[i, g] = what the bodies members[start[g]:start[g + 1]] have together at rows[i]."""
    for i in range(rows.shape[0]):
        load(x, rows[i])
        x.D[:] = 0
        evaluate(matrix, d, x, rows[i, 0].real, 1.0, 0.0, 0.0)
        for k in range(y.size):
            y[k], r[k] = x.v[k], 0
        subtract_image(x.D, lu, y, r)  # r = -M v
        for g in range(start.size - 1):
            group = out[i, g]
            for k in range(start[g], start[g + 1]):
                collect(x, r, bodies[members[k]], group)
            com = scale(1 / group[MASS], vec(group, COM))
            for k in range(3):
                group[COM + k] = com[k]
            for k in range(start[g], start[g + 1]):  # once more, with small levers: a model may be far from the origin
                body = bodies[members[k]]
                arm = sub(vec(x.q, body[PLACE]), com)
                accumulate(-1.0, add(cross(arm, vec(r, body[FIRST])), turning(x, r, body)), group, ABOUT_COM)


def momenta(dynamics: CompiledModel, rows: np.ndarray, groups: Iterable[Iterable[str]]) -> np.ndarray:
    """Of groups of bodies over rows, shape (rows, groups, SIZE)."""
    s, d = dynamics.system, dynamics.system.data
    dynamics.x.T[:] = 0
    dynamics.x.T[:, [0, 4, 8]] = 1
    inertia = [f for f in s.families if f.act.rates is None]  # all but constraints
    starts = np.vstack([d.rotations - 3, np.array([(node.iv, node.iq) for node in s.slopes], np.int64).reshape(-1, 2)])
    vectors = [0] * len(s.bodies) + [node.vectors for node in s.slopes]
    every = np.sort(np.append(starts[:, 0], s.n_motion))
    ends = every[np.searchsorted(every, starts[:, 0]) + 1]
    tiles = [s.block[first // 6, first // 6] for first in starts[:, 0].tolist()]
    number = {name: k for k, name in enumerate([*s.bodies, *(node.name for node in s.slopes)])}
    beams = {name: [number[node] for node in beam.nodes] for name, beam in dynamics.directory.beams.items()}
    near = np.full((len(tiles), 2), -1)
    for nodes in beams.values():
        for a, b in pairwise(nodes):
            near[a, 1], near[b, 0] = (s.block[i // 6, j // 6] for i, j in ((starts[a, 0], starts[b, 0]), (starts[b, 0], starts[a, 0])))
    bodies = np.column_stack([starts[:, 0], ends, starts[:, 1], tiles, near, vectors])
    members = [[k for body in group for k in (beams[body] if body in beams else (number[body],))] for group in groups]
    start = np.cumsum([0, *map(len, members)])
    out = np.zeros((len(rows), len(members), SIZE))
    observe_momenta(s.program("matrix", families=inertia), d, s.lu, dynamics.x, np.zeros(s.n), np.zeros(s.n), rows, bodies, start,
                    np.array([k for group in members for k in group], np.int64), out)
    return out
