"""A compiled model as the rank analysis sees it: equations in blocks by item, coordinates and equations without dimension.

    A = S C_q E,   E = diag(l, l, l, 1, 1, 1) per body,   S = 1 / max(norm of the row, its natural size)      [diagnosis-2]

l is the size of the model. In a plane model E has three columns per body: two displacements and the rotation in the plane.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..compile import redundancy
from ..compile.channel_map import ACROSS, JointRecord
from ..compile.compiled_model import CompiledModel
from ..compile.planar import functional, in_plane_axes
from ..items.base import matrix_of
from ..items.joint_channels import held_by
from ..kernels import evaluation
from ..kernels.contract import A as AXES
from ..kernels.contract import P

SMALL = 1e-9       # singular values of A below this are zero
CLOSED = 1e-12     # joints are closed when no equation is violated by more
ITERATIONS = 60
LARGEST = 1500     # equations in one component; beyond that it is not analysed


@dataclass(eq=False)
class Block:
    """The equations of one item."""
    name: str
    kind: Literal["joint", "coupling", "drive"]
    tile: int
    rows: list[int]
    natural: np.ndarray                       # size that a row has by its kind: the length of the model, or 1
    directions: list[tuple[object, ...]]
    record: JointRecord | None = None         # of the joint it belongs to


@dataclass
class Component:
    """Bodies and blocks that form loops together; what hangs on them like a branch of a tree is taken off."""
    tiles: list[int]
    blocks: list[Block] = field(default_factory=list)


class Mechanism:
    """Equations and bodies, at a pose given by ``at``."""

    def __init__(self, dynamics: CompiledModel, normal: np.ndarray | None = None) -> None:
        s, d = dynamics.system, dynamics.directory
        self.system, self.directory, self.length, self.normal = s, d, dynamics.length, normal
        self.x = dynamics.memory()
        self.x.v[:] = 0
        for joint in d.joints.values():
            for coordinate, history in joint.histories.items():
                self.x.H[history] = joint.start[coordinate]
        self.names = {said.iv // 6: name.removesuffix(ACROSS) for name, said in d.stated.items()}
        self.places = {int(iv) // 6: int(iq) for iv, iq in s.data.rotations}
        self.slopes = {(node.iv + k) // 6 for node in s.slopes for k in range(0, 3 * node.vectors, 6)}
        self.weights, self.speeds = dynamics.weights(), set(s.data.speeds.tolist())
        self.blocks = self._blocks()
        self.bodies = {j.tile: j.bodies for j in s.joints}
        if normal is None:  # in a plane model they hold nothing that counts
            self.blocks += [Block(f"plane of {body}", "joint", r.equations.tile, r.rows, self._natural(r.directions), r.directions, r)
                            for body, r in d.holds.items()]
        off = set(s.off(s.h0).tolist())  # what holds nothing at the start
        self.blocks = [block for block in self.blocks if not off.issuperset(block.rows)]
        self.tiles = list(range(s.n_v // 6))
        self.groups: dict[int, list[Block]] = {}
        for block in self.blocks:
            self.groups.setdefault(block.tile, []).append(block)
        self.at(s.q0)

    # -- equations
    def _natural(self, directions: Iterable[tuple[object, ...]]) -> np.ndarray:
        return np.array([1.0 if k[0] in ("d1", "angle", "level") else self.length for k in directions])

    def _blocks(self) -> list[Block]:
        d = self.directory
        out = []
        for name, r in d.joints.items():
            held = [(row, way) for row, way in zip(r.rows, r.directions, strict=True) if row not in self.speeds]
            if held or not r.rows:  # what holds velocities only holds no pose
                ways = [way for _, way in held]
                out.append(Block(name, "joint", r.equations.tile, [row for row, _ in held], self._natural(ways), ways, r))
        for name, (row, unit) in d.couplings.items():
            if name not in d.joints:
                size = np.array([1.0 if unit == "N*m" else self.length])
                out.append(Block(name, "coupling", row // 6, [row], size, [("coupling",)]))
        for name, (row, _, joint, coordinate) in d.drives.items():
            directions: list[tuple[object, ...]] = [(coordinate, 2)]
            kind: Literal["coupling", "drive"] = "coupling" if name == held_by(joint, coordinate) else "drive"
            out.append(Block(name, kind, row // 6, [row], self._natural(directions), directions, d.joints[joint]))
        return out

    def at(self, q: np.ndarray, t: float = 0.0) -> None:
        """Evaluate at positions q: matrix in x.D, violations in x.R, frames in x.X."""
        s, x = self.system, self.x
        x.q[:], x.a[:], x.lam[:], x.D[:] = q, 0, 0, 0
        evaluation.run(s.program("tangent"), s.data, x, t, 1.0, 0.0, 0.0)

    def basis(self, tile: int) -> np.ndarray:
        """Columns of E of one body, shape (6, number of its coordinates)."""
        w = self.weights[6 * tile:6 * tile + 6]
        if self.normal is None or (tile not in self.places and tile not in self.slopes):
            used = np.flatnonzero(w)
            E = np.zeros((6, used.size))
            E[used, np.arange(used.size)] = 1 / w[used]
            return E
        if tile in self.slopes:
            across = in_plane_axes(self.normal).T
            if not w[3]:
                return np.vstack([across / w[0], np.zeros((3, 2))])
            return np.block([[across / w[0], np.zeros((3, 2))], [np.zeros((3, 2)), across / w[3]]])
        E = np.zeros((6, 3))
        E[:3, :2] = self.length * in_plane_axes(self.normal).T
        E[3:, 2] = self.axes_of(tile).T @ self.normal
        return E

    def axes_of(self, tile: int) -> np.ndarray:
        """Axes of a body in the world, as columns."""
        iq = self.places[tile]
        return matrix_of(tuple(self.x.q[iq:iq + 4]))

    def matrix(self, blocks: list[Block], tiles: list[int]) -> tuple[list[np.ndarray], np.ndarray, dict[str, np.ndarray]]:
        """(rows of every block, violations one after the other, combinations that the rows are made of).

        Rows of a joint of a plane model are reduced to independent ones: what it holds in the plane.
        """
        s, x = self.system, self.x
        bases = {k: self.basis(k) for k in tiles}
        starts = dict(zip(tiles, np.cumsum([0, *(b.shape[1] for b in bases.values())]).tolist(), strict=False))
        width = sum(b.shape[1] for b in bases.values())
        out, violations, combinations = [], [], {}
        for block in blocks:
            local = np.array(block.rows) - 6 * block.tile
            rows = np.zeros((len(local), width))
            for k in self.bodies[block.tile]:
                if k in starts:
                    rows[:, starts[k]:starts[k] + bases[k].shape[1]] = x.D[s.block[block.tile, k]][local] @ bases[k]
            size = np.maximum(np.linalg.norm(rows, axis=1), block.natural)
            rows, wrong, mix = rows / size[:, None], x.R[block.rows] / size, np.diag(1 / size)
            if self.normal is not None and block.kind == "joint" and len(rows):
                U, S, _ = np.linalg.svd(rows)
                U = U[:, :int((S > 1e-7).sum())].T
                rows, wrong, mix = U @ rows, U @ wrong, U @ mix
            out.append(rows)
            violations.append(wrong)
            combinations[block.name] = mix
        return out, np.concatenate([*violations, np.zeros(0)]), combinations

    def functionals(self, block: Block) -> np.ndarray:
        """What every equation of a block holds, see planes.functional; displacements over the size of the model. Shape (rows, 6)."""
        out = np.zeros((len(block.rows), 6))
        if block.record is None:
            return out
        a, b = block.record.a, block.record.b
        A, B = self.x.X[a, AXES:AXES + 9].reshape(3, 3), self.x.X[b, AXES:AXES + 9].reshape(3, 3)
        d = self.x.X[b, P:P + 3] - self.x.X[a, P:P + 3]
        for i, direction in enumerate(block.directions):
            out[i] = functional(direction, A, B, d)
        out[:, :3] *= self.length
        return out

    def axis(self, block: Block) -> np.ndarray | None:
        """The joint axis in the world."""
        return None if block.record is None else self.x.X[block.record.a, AXES:AXES + 9].reshape(3, 3)[:, 2]

    def rolling(self) -> tuple[int, list[str]]:
        """How many independent equations there are that hold for velocities only: what they add to the rank of all others. And the joints
        of which some depend on the rest. Rigid contacts, which hold nothing at the start, do not count."""
        s, x = self.system, self.x
        speeds = np.setdiff1d(s.data.speeds, s.off(x.H))
        if not speeds.size:
            return 0, []
        rows = redundancy.equations(s)
        C = redundancy.jacobian(s, x.D)
        A = (C if isinstance(C, np.ndarray) else C.toarray()) @ np.hstack([self._padded(k) for k in self.tiles])
        A = A / np.maximum(np.linalg.norm(A, axis=1), self.length * SMALL)[:, None]

        def rank(kept: np.ndarray) -> int:
            return int(np.linalg.matrix_rank(A[kept], tol=1e-7)) if kept.any() else 0
        whole = rank(np.ones(rows.size, bool))
        own = {name: np.isin(rows, speeds[speeds // 6 == tile]) for tile, name in self._tiles_of(speeds).items()}
        return whole - rank(~np.isin(rows, speeds)), [name for name, part in own.items() if whole - rank(~part) < part.sum()]

    def _tiles_of(self, rows: np.ndarray) -> dict[int, str]:
        """Joints with these equations, by their tiles."""
        tiles = set((rows // 6).tolist())
        return {j.tile: j.name for j in self.system.joints if j.tile in tiles}

    def _padded(self, tile: int) -> np.ndarray:
        """Columns of E of one body among all velocities."""
        E = self.basis(tile)
        out = np.zeros((self.system.n_v, E.shape[1]))
        out[6 * tile:6 * tile + 6] = E
        return out

    # -- structure
    def components(self) -> tuple[int, list[Component]]:
        """Equations of what is like a tree, each of them independent; and the rest, component by component."""
        touching: dict[int, set[int]] = {k: set() for k in self.tiles}
        for tile in self.groups:
            for k in self.bodies[tile]:
                touching[k].add(tile)
        left, off, equations = set(self.groups), set[int](), 0
        todo = [k for k in self.tiles if len(touching[k]) <= 1]
        while todo:
            k = todo.pop()
            if k in off or len(touching[k]) > 1:
                continue
            if touching[k]:
                (tile,) = touching[k]
                rows = np.vstack(self.matrix(self.groups[tile], [k])[0])
                if np.linalg.matrix_rank(rows, tol=1e-6) < len(rows):
                    continue
                equations += len(rows)
                left.discard(tile)
                for other in self.bodies[tile]:
                    touching[other].discard(tile)
                    todo += [other] if other != k and len(touching[other]) <= 1 else []
            off.add(k)
        return equations, self._connected(left)

    def _connected(self, groups: Iterable[int]) -> list[Component]:
        parts = connected([self.bodies[tile] for tile in groups])
        found = [Component(sorted(part)) for part in parts]
        where = {k: c for c in found for k in c.tiles}
        order = {id(block): i for i, block in enumerate(self.blocks)}
        for tile in groups:
            where[self.bodies[tile][0]].blocks += self.groups[tile]
        for c in found:
            c.blocks.sort(key=lambda block: order[id(block)])
        return found

    # -- motion on the manifold of the joints
    def move(self, component: Component, q: np.ndarray, by: np.ndarray) -> np.ndarray:
        """q moved by the increments ``by`` of the component's coordinates without dimension."""
        dq, at, out = np.zeros(self.system.n), 0, q.copy()
        for k in component.tiles:
            E = self.basis(k)
            dq[6 * k:6 * k + 6] = E @ by[at:at + E.shape[1]]
            at += E.shape[1]
        evaluation.retract(self.system.data, q.copy(), dq, 1.0, out)
        return out

    def close(self, component: Component, q: np.ndarray) -> tuple[np.ndarray, float]:
        """The nearby pose that satisfies the joints (drives apart), and the largest violation left.

        Levenberg-Marquardt:  x = -A^T (A A^T + mu 1)^-1 g,  mu = g.g                                        [diagnosis-3]
        """
        blocks = [b for b in component.blocks if b.kind != "drive"]
        worst, best = q, np.inf
        for _ in range(ITERATIONS):
            self.at(q)
            rows, wrong, _ = self.matrix(blocks, component.tiles)
            size = float(abs(wrong).max(initial=0.0))
            if size < best:
                worst, best = q, size
            if not np.isfinite(size) or size < 0.1 * CLOSED:
                break
            A = np.vstack(rows)
            step = -A.T @ np.linalg.solve(A @ A.T + max(wrong @ wrong, 1e-13) * np.eye(len(A)), wrong)
            q = self.move(component, q, step * min(1.0, 0.5 / max(1e-300, float(abs(step).max(initial=0.0)))))
        self.at(worst)
        return worst, best


def connected(sets: Iterable[Iterable[int]]) -> list[set[int]]:
    """The sets united where they overlap."""
    found: dict[int, set[int]] = {}
    for members in sets:
        parts = {id(part): part for part in (found.setdefault(k, {k}) for k in members)}
        whole = max(parts.values(), key=len, default=set())
        for part in parts.values():
            if part is not whole:
                whole |= part
                found.update(dict.fromkeys(part, whole))
    return list({id(part): part for part in found.values()}.values())
