"""Flexible bodies of a tree: where the recursion finds their nodes and inertias."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..families import modal, nodes
from ..kernels import link_tables as rc

if TYPE_CHECKING:
    from ..compile.system import System
    from .topology import Link


class Blocks:
    """Places in the array m of a tree: of every flexible body, of the nodes where joints are, of what modes do to the links that a body
    carries. ``ip`` of the links gets them."""

    def __init__(self, system: System, links: Sequence[Link], ip: np.ndarray, frames: Callable[[Link], tuple[int, int] | None]) -> None:
        self.system, self.size = system, 0
        self.bodies: list[tuple[int, int]] = []
        self.nodes: list[tuple[int, int]] = []
        self._places: list[tuple[int, int]] = []
        data, rows = system.data, range(*system.families.get(modal.BODY, (0, 0)))
        of_body = {system.owners[e]: e for e in rows}
        node_of = {int(data.ip[e, nodes.FRAME]): e for e in range(*system.families.get(nodes.FRAMES, (0, 0)))}
        for i, link in enumerate(links):
            if link.body in of_body:
                ip[i, rc.ELASTIC] = self._body(i, of_body[link.body])
            used = frames(link)
            if used is not None:
                ip[i, rc.INNER], ip[i, rc.OUTER] = (self._node(node_of.get(f)) for f in used)
            if ip[i, rc.INNER] >= 0:
                ip[i, rc.WAYS] = self._take(int(rc.WAY) * int(ip[ip[i, rc.PARENT], rc.NM]))

    def _take(self, count: int) -> int:
        self.size += count
        return self.size - count

    def _body(self, i: int, e: int) -> int:
        """Place of a body; its tables that do not change are stored by `reals`."""
        n = int(self.system.data.ip[e, modal.N])
        at = self._take(int(rc.B_S) + 6 * n + 2 * n * n)
        self.bodies.append((i, e))
        self._places.append((at, e))
        return at

    def _node(self, e: int | None) -> int:
        """Place of a node; -1 if no mode moves it."""
        if e is None:
            return -1
        at = self._take(int(rc.N_S) + 6 * int(self.system.data.ip[e, nodes.N]))
        self.nodes.append((e, at))
        return at

    def reals(self) -> np.ndarray:
        """The array m with what does not change."""
        m = np.zeros(self.size)
        for at, e in self._places:
            store_constants(self.system, e, m, at)
        return m


def store_constants(system: System, e: int, m: np.ndarray, at: int) -> None:
    """Of the body in row e: S and the masses of its modes, at its place in m."""
    d, n, pool = system.data, int(system.data.ip[e, modal.N]), int(system.data.ip[e, modal.POOL])
    pairs = d.val[pool + int(modal.ROWS) * n:pool + (int(modal.ROWS) + int(modal.PAIR) * n) * n].reshape(n, int(modal.PAIR), n)
    masses = at + int(rc.B_S) + 6 * n
    m[at + int(rc.B_S):masses].reshape(n, 6)[:, :3] = d.val[pool:pool + 3 * n].reshape(3, n).T
    m[masses:masses + n * n] = pairs[:, 9].ravel()


def renew_constants(system: System, tree: rc.Tree) -> None:
    """The same of all bodies of a tree, after the tables of the system have changed."""
    for i, e in tree.flexible:
        store_constants(system, int(e), tree.m, int(tree.ip[i, rc.ELASTIC]))
