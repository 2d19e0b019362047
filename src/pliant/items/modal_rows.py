"""From a modal body to rows of its families. Its coordinates are scaled to metres, by the root of the mean square of what each
displaces, sqrt(M_jj / m): weights and tolerances of displacements then hold for them too."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..families import modal, modal_tables, nodes, rigid

if TYPE_CHECKING:
    from ..layout import Flexible, Layout
    from ..system import Builder, Place
    from .modal import ModalBody


class Rows:
    """The tables of one body in scaled coordinates."""

    def __init__(self, body: ModalBody) -> None:
        part = body.reduced
        self.body, self.n = body, part.n
        self.scale = np.sqrt(np.diag(part.integrals.Mqq) / part.integrals.m)
        by = 1 / self.scale
        pair, i = by[:, None] * by, part.integrals
        self.integrals = type(i)(i.m, i.c0, i.J0, i.S * by, i.B0 * by, i.G0 * by[:, None, None], i.J2 * pair[:, :, None, None],
                                 i.B1 * by[:, None, None] * by, i.Mqq * pair)
        self.K, self.D = part.Kqq * pair, body.damping_matrix() * pair
        on = body.stiffening == "on"
        self.loads = {load: K * pair for load, K in modal_tables.loads_of(part.stiffening if on else None).items()}
        self.second = {name: None if node.second is None or not on else node.second * pair for name, node in part.nodes.items()}
        self._check()

    def _check(self) -> None:
        """The mass matrix must belong to a real body."""
        if modal_tables.least_mass(modal_tables.mass_matrix(self.integrals, np.zeros(self.n), {})) < -1e-9:
            raise ValueError(f"body {self.body.name!r}: the inertia integrals of its part do not belong to a body with positive masses; "
                             "check them, S, B0 and Mqq among them, or reduce the part again")

    def add(self, b: Builder, place: Place) -> None:
        """The row of the body."""
        inside = modal_tables.stout(self.integrals, self.K, self.loads, self.body.size)
        second = modal_tables.body_second(self.integrals, self.loads, not inside)
        tables = modal_tables.body_tables(self.integrals, self.K, self.D, self.loads if inside else {})
        pools = b.pool(tables), -1 if second is None else b.pool(second)
        b.element(modal.BODY, self.body.name, (place.iq, place.iv, self.n, *pools), modal_tables.body_reals(self.integrals),
                  tiles=place.tiles)

    def frame_maker(self, layout: Layout) -> Callable[..., None]:
        """What makes rows of frames; tables of a node are shared by its frames. One that no mode moves is as on a rigid body."""
        pools: dict[str | None, tuple[int, int] | None] = {None: None}

        def frame(b: Builder, place: Place, number: int, point: np.ndarray, axes: np.ndarray, node: str | None = None) -> None:
            if node not in pools:
                pools[node] = self._pools(b, self.body.reduced.nodes[node], node)
            found = pools[node]
            kind = rigid if found is None else nodes
            b.element(kind.MARKERS if layout.marking else kind.FRAMES, self.body.name,
                      (place.iq, place.iv, number, b.frames[number][1], *(() if found is None else (self.n, *found))),
                      (*point, *axes.ravel()), tiles=place.tiles)
        return frame

    def _pools(self, b: Builder, node: Any, name: str | None) -> tuple[int, int] | None:
        first = modal_tables.node_tables(node.psi_R / self.scale, node.psi_theta / self.scale)
        second = modal_tables.node_second(self.n, str(name), self.second[str(name)], self.loads)
        if not first.any() and second is None:
            return None
        return b.pool(first), -1 if second is None else b.pool(second)

    def record(self, place: Place, stated: bool) -> Flexible:
        from ..layout import Flexible
        body: Any = self.body
        return Flexible(place.iq + 7, place.iv + 6, self.scale, body.inertia_matrix, stated, body.size)
