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
        self._masses: list[tuple[int, np.ndarray]] = []
        self._momenta: list[tuple[int, np.ndarray]] = []
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
        """Place of a body; its tables that do not change are noted."""
        d, n, pool = self.system.data, int(self.system.data.ip[e, modal.N]), int(self.system.data.ip[e, modal.POOL])
        at = self._take(int(rc.B_S) + 6 * n + 2 * n * n)
        self.bodies.append((i, e))
        S = d.val[pool:pool + 3 * n].reshape(3, n)
        pairs = d.val[pool + int(modal.ROWS) * n:pool + (int(modal.ROWS) + int(modal.PAIR) * n) * n].reshape(n, int(modal.PAIR), n)
        self._momenta.append((at + int(rc.B_S), np.hstack([S.T, np.zeros((n, 3))])))
        self._masses.append((at + int(rc.B_S) + 6 * n, pairs[:, 9]))
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
        for at, table in (*self._masses, *self._momenta):
            m[at:at + table.size] = table.ravel()
        return m
