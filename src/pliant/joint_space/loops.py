"""Loops of a model in joint coordinates: cut joints, the links that move them, and the elimination of their multipliers."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels import closed_loops as lp
from ..kernels import link_tables as rc
from ..kernels.block_lu import analyse

if TYPE_CHECKING:
    from .tree import JointSpace


def closed_loops(space: JointSpace) -> lp.Loops:
    """What closes the loops of a tree: cut joints, with the links on the way from each to the ground."""
    s, tiles = space.system, sorted({int(row) // 6 for row in space.cut_rows})
    if not tiles:
        return lp.no_loops()
    bodies = {j.tile: tuple(k for k in j.bodies if 6 * k not in space.tree.lines[:, 2]) for j in s.joints}
    of_tile = {int(row[rc.IV]) // 6 + k: (i, 6 * k - 6) for i, row in enumerate(space.tree.ip) for k in range((row[rc.NM] + 11) // 6)}
    path, ends, z_of = list[tuple[int, ...]](), list[tuple[int, ...]](), list[dict[int, int]]()
    path_start, end_start, count = [0], [0], 0
    for t in tiles:
        entry, z_here = {}, dict[int, int]()
        for i in _above(space, [of_tile[b][0] for b in bodies[t]]):
            entry[i] = len(path)
            rate, modes = int(space.tree.ip[i, rc.IU]), int(space.tree.ip[i, rc.IU] + space.tree.ip[i, rc.NU])
            free = [k for k in range(rate, modes + space.tree.ip[i, rc.NM]) if space.tree.drive[k] < 0]
            path.append((i, -1, count, count + sum(k < modes for k in free)))
            z_here |= {k: count + z for z, k in enumerate(free)}
            count += len(free)
        for i, e in entry.items():
            path[e] = (i, entry.get(int(space.tree.ip[i, rc.PARENT]), -1), *path[e][2:])
        ends += [(entry[of_tile[b][0]], s.block[t, b], s.block[b, t], max(-1, of_tile[b][1])) for b in bodies[t]]
        path_start.append(len(path))
        end_start.append(len(ends))
        z_of.append(z_here)
    slides = [int(iv) // 6 for iv in space.tree.lines[:, 2]]  # they come last, with no path to the ground
    path_start += path_start[-1:] * len(slides)
    end_start += end_start[-1:] * len(slides)
    z_of += [{} for _ in slides]
    return _coupled(space, tiles, slides, path, path_start, ends, end_start, z_of, count)


def _above(space: JointSpace, links: Iterable[int]) -> list[int]:
    """These links and all on their way to the ground, outer ones first."""
    found: set[int] = set()
    for i in links:
        while i < len(space.links) and i not in found:
            found.add(i)
            i = int(space.tree.ip[i, rc.PARENT])
    return sorted(found, reverse=True)


def _coupled(space: JointSpace, cut: list[int], slides: list[int], path: list[Any], path_start: list[int], ends: list[Any],
             end_start: list[int], z_of: list[dict[int, int]], count: int) -> lp.Loops:
    """Which cut joints are coupled, and the elimination of their multipliers; that of what slides comes after that of its joint."""
    s, tiles, n = space.system, [*cut, *slides], len(cut) + len(slides)
    moved, together = _moved(space, cut, slides), _together(z_of)
    edges = [p for p in together if p[0] != p[1]] + [(c, k) for c, k, _, _ in moved]
    lu, block = analyse(n, edges, _waits(space, moved), [6] * n, np.zeros(6 * n))
    pairs, pair_start = list[tuple[int, int, int]](), [0]
    for a, b in together:
        pairs += [(z, z_of[b][k], k) for k, z in z_of[a].items() if k in z_of[b]]
        pair_start.append(len(pairs))
    active = np.isin([6 * t + k for t in tiles for k in range(6)], space.cut_rows).astype(np.int64)
    active[[6 * k for k in range(len(cut), n)]] = lp.SLIDES
    lu = _regularised(space, lu, block, tiles, active)
    sliding = [(block[c, k], block[k, c], s.block[t, b], s.block[b, t], c, space.tree.lines[k - len(cut), 0])
               for c, k, t, b in moved]
    one, square = [np.zeros(6 * n) for _ in range(3)], [np.zeros((len(block), 6, 6)) for _ in range(2)]
    return lp.Loops(_whole(tiles), active, _whole(end_start), _whole(ends, 4), _whole(path_start), _whole(path, 4),
                    _whole([(a, b, block[a, b], block[b, a]) for a, b in together], 4), _whole(pair_start), _whole(pairs, 3),
                    _whole(sliding, 6), _whole([(len(cut) + k, *row) for k, row in enumerate(space.tree.lines)], 5), lu,
                    np.zeros((len(path), 6, 6)), np.zeros((len(space.links) + 1, lp.DERIVATIVES)), np.zeros((max(1, count), 6)),
                    square[0], square[1], one[0], one[1], one[2], np.zeros(6, np.int64))


def _moved(space: JointSpace, cut: list[int], slides: list[int]) -> list[tuple[int, int, int, int]]:
    """Cut joints on what slides: number of the cut, number of the slide after all cuts, and their tiles."""
    bodies = {j.tile: j.bodies for j in space.system.joints}
    return [(c, len(cut) + k, t, slide) for c, t in enumerate(cut) for k, slide in enumerate(slides)
            if (t, slide) in space.system.block and slide in bodies[t]]


def _waits(space: JointSpace, moved: list[tuple[int, int, int, int]]) -> dict[int, list[int]]:
    """What is eliminated after what: a slide after the joint it belongs to, other joints on it after the slide."""
    own = {j.tile: j.slide for j in space.system.joints}
    waits = {k: [c] for c, k, t, slide in moved if slide in own[t]}
    for c, k, t, slide in moved:
        if slide not in own[t]:
            waits.setdefault(c, []).append(k)
    return waits


def _regularised(space: JointSpace, lu: Any, block: dict[tuple[int, int], int], tiles: list[int], active: np.ndarray) -> Any:
    """The diagonals of multipliers get the softness of the system; those of rows that are not used 1."""
    soft = np.array([space.system.softness[6 * t + k] for t in tiles for k in range(6)])
    fix_at = np.array([(block[c, c], k) for c in range(len(tiles)) for k in range(6)], np.int64)
    return lu._replace(fix_at=fix_at, fix_by=np.where(active == 1, -soft, np.where(active == lp.SLIDES, 0.0, 1.0)))


def _together(z_of: list[dict[int, int]]) -> list[tuple[int, int]]:
    """Pairs of cuts with a rate in common, each with itself among them."""
    meeting: dict[int, list[int]] = {}
    for c, z in enumerate(z_of):
        for k in z:
            meeting.setdefault(k, []).append(c)
    common = {(a, b) for cuts in meeting.values() for a in cuts for b in cuts if a <= b}
    return sorted(common | {(c, c) for c in range(len(z_of))})


def _whole(x: Any, *shape: int) -> np.ndarray:
    return np.array(x, np.int64).reshape(-1, *shape)
