"""Derivatives of accelerations for implicit methods in joint coordinates: the tables of `tree_slopes`, called back from the steps."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....joint_space.recursion import rhs
from ....joint_space.tree import JointSpace
from ....joint_space.tree_derivatives import Slopes, slopes_at
from ....joint_space.tree_programs import closing_programs, tangent_program
from ....kernels.contract import c_address
from ....kernels.link_tables import INNER, OUTER, PARENT
from ....kernels.ode import Problem, address
from ....kernels.variation_fields import FIELD
from .stages import Full


class Tangents:
    """Fills K and D at ``own.y`` when it is called with a time; gives a status."""

    def __init__(self, p: Problem, space: JointSpace, own: Full) -> None:
        self.p, self.own, self.slopes, self.code = p, own, slopes(space), address(rhs, p, 0.0, own.y, own.y)
        own.tangents[0], self.keep = c_address(self)

    def __call__(self, t: float, _x: float, _v: float) -> float:
        return float(slopes_at(self.p, self.slopes, self.code, t, self.own.y, self.own.K, self.own.D))


def slopes(space: JointSpace) -> Slopes:
    """Tables and work arrays for a tree."""
    s, tree = space.system, space.tree
    n, tiles, parents = len(space.links), s.n_v // 6, tree.ip[:, PARENT]
    children = [np.flatnonzero(parents == i) for i in range(n)]
    of_place = {int(place): int(e) for e, place in tree.nodes}
    nodes = np.array([[of_place.get(int(row[side]), -1) for side in (INNER, OUTER)] for row in tree.ip], np.int64).reshape(-1, 2)
    stored = np.array(sorted((c, r, k) for (r, c), k in s.block.items() if r < tiles and c < tiles), np.int64).reshape(-1, 3)
    names = ("rp", "scale", "q", "u", "du", "w", "s", "g", "m")
    of_complex: Any = tree._replace(**{name: getattr(tree, name).astype(complex) for name in names})
    x = s.memory(np.complex128)
    Q, V, M = (np.zeros((max(1, len(s.block)), 6, 6)) for _ in range(3))
    gaps, rates = closing_programs(space, np.complex128)

    def z(*shape: int) -> np.ndarray:
        return np.zeros(shape)

    def whole(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int64)
    return Slopes(tangent_program(space), gaps, rates, s.typed_data(np.complex128), x, of_complex, Q, V, M, stored, start=whole(tiles + 1),
                  entries=whole(len(stored), 4), child_start=np.cumsum([0, *map(len, children)]).astype(np.int64),
                  children=np.concatenate([*children, []]).astype(np.int64), nodes=nodes, F=z(s.n), a=z(s.n), P=z(n + 1, 6),
                  field=z(n + 1, FIELD), moved=whole(n + 1), dq=z(s.n_v), dv=z(s.n_v), da=z(s.n_v), dR=z(s.n_v), gap=z(s.n),
                  out=z(space.n_u), f=z(space.n_q + space.n_u + 2))
