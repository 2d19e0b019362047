"""From a modal body to rows of its families.

With stiffening the equations are written in mean axes, whatever the axes of the part: see families.mean_axes. What users state and see
stays in the axes of the part. Modal coordinates are scaled to metres, by the root of the mean square of what each displaces,
sqrt(M_jj / m): weights and tolerances of displacements then hold for them too.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..families import lines, modal, modal_tables, nodes, rigid
from ..families.line_tables import Line, line_of
from ..flex import mean_axes
from ..flex.mean_axes import Shapes
from .errors import ModelError

if TYPE_CHECKING:
    from ..compile.array_builder import ArrayBuilder, Place
    from ..compile.model_compiler import ModelCompiler
    from .modal import ModalBody

OWN = ""  # the node that is the frame of the part itself


class Rows:
    """The tables of one body, in scaled coordinates."""

    def __init__(self, body: ModalBody) -> None:
        part = body.reduced
        self.body, self.n, self.integrals = body, part.n, part.integrals
        none = np.zeros((3, self.n))
        self.nodes = {OWN: Shapes(np.zeros(3), none, none)}
        self.nodes |= {name: Shapes(node.u0, node.psi_R, node.psi_theta) for name, node in part.nodes.items()}
        self.spread = dict(part.loads)
        self.loads = self._loads() if body.stiffening == "on" else {}
        if any(load[0] == "free" for load in self.loads):
            G = mean_axes.rigid_part(self.integrals)
            self.loads = self._with_own({load[1:]: K for load, K in self.loads.items() if load[0] == "free"})
            self.nodes = {name: mean_axes.node_in_mean_axes(node, G) for name, node in self.nodes.items()}
            self.spread = {name: mean_axes.load_in_mean_axes(load, G) for name, load in self.spread.items()}
            self.integrals = mean_axes.integrals_in_mean_axes(self.integrals, G)
        self.K, self.D = np.asarray(part.Kqq), body.damping_matrix()
        self._scale()
        self.frames: dict[int, str] = {}                # number -> node
        self.sliders: dict[int, tuple[str, int]] = {}   # number -> line, place of its coordinate in q
        self.feet: dict[int, tuple[str, str]] = {}      # number -> line, the contact that touches it there
        if modal_tables.least_mass(modal_tables.mass_matrix(self.integrals, np.zeros(self.n), {})) < -1e-9:
            raise ValueError(f"body {body.name!r}: the inertia integrals of its part do not belong to a body with positive masses; "
                             "check them, S, B0 and Mqq among them, or reduce the part again")

    def _loads(self) -> mean_axes.Loads:
        """Those of the part; in mean axes forces at nodes that are no interfaces by what they displace."""
        loads = modal_tables.loads_of(self.body.reduced.stiffening)
        if any(load[0] in ("acceleration", "angular") for load in loads) and not any(load[0] == "free" for load in loads):
            raise ValueError(f"body {self.body.name!r}: the stiffening of its part by accelerations lacks that of the free part, which the "
                             "equations of motion need; reduce the part again")
        for name, node in self.body.reduced.nodes.items():
            if node.second is not None and not any(load[-3:-1] == ("force", name) for load in loads):
                loads |= {("force", name, a): -np.asarray(node.second[a]) for a in range(3)}
        return loads

    def _with_own(self, loads: mean_axes.Loads) -> mean_axes.Loads:
        """The part's own frame goes with the interface that is held, if that is at its origin."""
        for name, node in self.body.reduced.nodes.items():
            if not (node.psi_R.any() or node.psi_theta.any() or node.u0.any()):
                return loads | {(kind, OWN, a): K for (kind, place, *rest), K in loads.items() if place == name for a in rest}
        return loads

    def _scale(self) -> None:
        i = self.integrals
        self.scale = np.sqrt(np.maximum(np.diag(i.Mqq), 1e-300) / i.m)
        by = 1 / self.scale
        pair = by[:, None] * by
        self.integrals = type(i)(i.m, i.c0, i.J0, i.S * by, i.B0 * by, i.G0 * by[:, None, None], i.J2 * pair[:, :, None, None],
                                 i.B1 * by[:, None, None] * by, i.Mqq * pair)
        self.K, self.D = self.K * pair, self.D * pair
        self.loads = {load: K * pair for load, K in self.loads.items()}
        self.nodes = {name: Shapes(node.u0, node.psi_R * by, node.psi_theta * by) for name, node in self.nodes.items()}

    def add(self, b: ArrayBuilder, place: Place) -> None:
        """The row of the body."""
        tables = modal_tables.body_tables(self.integrals, self.K, self.D, self.loads)
        b.element(modal.BODY, self.body.name, (place.iq, place.iv, self.n, b.shared(tables)), modal_tables.body_reals(self.integrals),
                  tiles=place.tiles)
        b.scratch = max(b.scratch, int(max(modal.SIZE, nodes.SIZE)) * self.n)

    def frame_maker(self, layout: ModelCompiler) -> Callable[..., None]:
        """What makes rows of frames; tables of a node are shared by its frames. One that no mode moves is as on a rigid body."""
        pools: dict[str, tuple[int, int] | None] = {}

        def frame(b: ArrayBuilder, place: Place, number: int, point: np.ndarray, axes: np.ndarray, node: str | None = None) -> None:
            name = node or OWN
            if node and not layout.marking:
                self.frames[number] = node
            if name not in pools:
                pools[name] = self._pools(b, name)
            found = pools[name]
            kind = rigid if found is None else nodes
            b.element(kind.MARKERS if layout.marking else kind.FRAMES, self.body.name,
                      (place.iq, place.iv, number, b.frames[number][1], *(() if found is None else (self.n, *found))),
                      (*point, *axes.ravel()), tiles=place.tiles)
        return frame

    def _pools(self, b: ArrayBuilder, name: str) -> tuple[int, int] | None:
        first = modal_tables.node_tables(self.nodes[name].psi_R, self.nodes[name].psi_theta)
        second = modal_tables.node_second(self.n, name, self.loads)
        if not first.any() and second is None:
            return None
        return b.shared(first), -1 if second is None else b.shared(second)

    def load_table(self, name: str) -> np.ndarray:
        """F, M, Q of a load that is spread, at rest and by every coordinate (1 + n, 6 + n); stiffening is -K q in Q      [spread-4]"""
        load, by = self.spread[name], 1 / self.scale
        first = np.vstack([load.force1, load.turning + load.moment1, by[:, None] * load.modal1]) * by
        first[6:] -= self.loads.get(("load", name), np.zeros((self.n, self.n)))
        return np.vstack([np.concatenate([load.force, load.moment, by * load.modal]), first.T])

    def line(self, name: str, by_nodes: bool = False) -> Line:
        """The splines of a line of the part; ``by_nodes``: in pieces between any two of its nodes."""
        names = self.body.reduced.lines[name]
        places = [self.nodes[node] for node in names]
        second = [modal_tables.node_second(self.n, node, self.loads) for node in names]
        E = None
        if any(table is not None for table in second):
            none = np.zeros((self.n, 6, self.n))
            E = np.array([none if table is None else table.reshape(self.n, 6, self.n) for table in second])[:, :, :3]
        try:
            u0, psi, phi = (np.array([getattr(p, f) for p in places]) for f in ("u0", "psi_R", "psi_theta"))
            return line_of(u0, psi, phi, E, by_nodes)
        except ValueError as error:
            raise ModelError(f"line {name!r} of body {self.body.name!r}: {error}", (self.body.name,)) from None

    def add_line(self, b: ArrayBuilder, place: Place, number: int, item: Any, frames: tuple[int, int]) -> None:
        """The rows of a frame that slides along a line and of the one that shows where it is."""
        line, (tile, iq), tiles = self.line(item.a.frame), place.lines[number], b.tiles_of(frames[0])
        b.element(lines.FRAMES, item.name, (place.iq, place.iv, frames[0], self.n, b.pool(line.table()), line.pieces, int(line.second), iq,
                                            6 * tile, b.memory(lines.memory(self.n))), line.axes.ravel().tolist(), tiles=tiles)
        self.sliders[frames[0]] = item.a.frame, iq
        b.lines.append((item.name, iq, float(line.knots[0]), float(line.knots[-1])))
        b.element(lines.COUNTERS, item.name, (iq, 6 * tile, frames[1], b.frames[frames[1]][1]), tiles=(tile,))

    def add_foot(self, b: ArrayBuilder, place: Place, contact: str, name: str, frames: tuple[int, int], memory: int) -> int:
        """The row of the first of two frames, at the place of a line that is next to the second; its number in the family. ``memory``: of
        the contact, in the history."""
        from ..families import feet
        line = self.line(name, by_nodes=True)
        self.feet[frames[0]] = name, contact
        return b.element(feet.FRAMES, self.body.name,
                         (place.iq, place.iv, frames[0], self.n, b.shared(line.table()), line.pieces, int(line.second), frames[1],
                          b.choices(1), b.memory(feet.room(self.n)), memory), line.axes.ravel().tolist(), tiles=place.tiles)

    def start(self, position: np.ndarray, axes: np.ndarray, v: np.ndarray, w: np.ndarray, q: np.ndarray,
              rate: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Place and velocities of the frame of the equations, from those of the part's own frame                  [mean-5]"""
        own, none = self.nodes[OWN], np.zeros((self.n, self.n))
        second = [np.array([-self.loads.get((kind, OWN, a), none) for a in range(3)]) for kind in ("force", "moment")]
        pairs = zip((own.psi_R, own.psi_theta), second, strict=True)
        (d, d1), (r, r1) = ((x @ q + (s @ q) @ q / 2, x @ rate + (s @ q) @ rate) for x, s in pairs)
        turn, T = mean_axes.rotation_of(r)
        A = axes @ turn.T
        spin = turn @ w - T @ r1
        return position - A @ d, A, v - A @ (np.cross(spin, d) + d1), spin


