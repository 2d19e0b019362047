"""Positions that satisfy joints and stated values of their coordinates: least motion, followed from where the bodies are.

Everything here is without dimensions: lengths in sizes of the model. Equations: docs/theory/refinement.md
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..compile import redundancy
from ..compile.channel_map import JointRecord, Z
from ..kernels import evaluation
from ..kernels.contract import A, P

if TYPE_CHECKING:
    from ..compile.array_builder import SlopeNode
    from ..compile.compiled_model import CompiledModel

STRIDE = 0.1        # rad or sizes: how far equations are followed at once, and how far bodies may move in that
BEND = 0.3          # a step is halved if it has to be corrected by more than this part of it: the branch could be lost
LONGEST = 0.5       # of one iteration
LEAST = 1e-12       # damping of an iteration: small against the squares of singular values, large against rounding
SMALL = 1e-12       # weight of the motion of all bodies against that of joints
CLOSED = 1e-11      # equations hold
HALF_TURN = 3.2     # rad, and a little
NEARLY = 1e-7       # equations hold well enough to begin with
LOOSE = 1e-3        # on the way they hold to this part of what they were at first
MOST = 2000         # such steps; what is further away is solved for at once
KICKS = 4           # times a singular position is left by chance
DENSE = 300         # unknowns and equations up to which matrices are full


class Target(NamedTuple):
    """A coordinate of a joint and the value it must have; ``label`` as the user knows it, ``item`` says it."""
    label: str
    item: str
    joint: JointRecord
    coordinate: str
    value: float


def coordinate(d: CompiledModel, joint: JointRecord, which: str) -> tuple[float, np.ndarray]:
    """Value and gradient by all velocities of a joint coordinate at the position that was linearised last, as in
    kernels.coordinates."""
    x, fr = d.x, d.system.data.fr
    fa, fb = joint.ends(which)
    Ra, Rb = x.X[fa, A:A + 9].reshape(3, 3), x.X[fb, A:A + 9].reshape(3, 3)
    motion = np.zeros(12)
    if which == "angle":
        u, v, w = Ra[:, 0], Ra[:, 1], Rb[:, 0]
        cos, sin = u @ w, v @ w
        G = np.cross(cos * v - sin * u, w) / (cos**2 + sin**2)
        motion[3:6], motion[9:12] = G, -G
        value, near = np.arctan2(sin, cos) + joint.zeros[which], x.H[joint.histories[which]]
        value += 2 * np.pi * np.round((near - value) / (2 * np.pi))
    else:
        a, s = Ra[:, Z], x.X[fb, P:P + 3] - x.X[fa, P:P + 3]
        value = a @ s + joint.zeros[which]
        motion[:3], motion[3:6], motion[6:9] = -a, np.cross(a, s), a
    gradient = np.zeros(d.system.n_v)
    for frame, part in ((fa, motion[:6]), (fb, motion[6:])):
        count, first, _, tile = fr[frame]
        for k in range(count):
            gradient[6 * (tile + k):6 * (tile + k) + 6] += part @ x.J[first + k]
    return float(value), gradient


def twists(d: CompiledModel) -> Any:
    """Rows that give the motion of b against a at the origin of b, six of every joint, without dimensions."""
    x, fr, n_v = d.x, d.system.data.fr, d.system.n_v
    rows, columns, values = [], [], []
    for k, joint in enumerate(d.directory.joints.values()):
        arm = x.X[joint.b, P:P + 3] - x.X[joint.a, P:P + 3]
        shift = np.eye(6)
        shift[:3, 3:] = -np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
        for frame, by in ((joint.a, -shift), (joint.b, np.eye(6))):
            count, first, _, tile = fr[frame]
            for m in range(count):
                rows.append(6 * k)
                columns.append(6 * (tile + m))
                values.append(by @ x.J[first + m])
    n = 6 * len(d.directory.joints)
    if n + n_v <= DENSE:
        full = np.zeros((n, n_v))
        for row, column, block in zip(rows, columns, values, strict=True):
            full[row:row + 6, column:column + 6] += block
        return full
    from scipy.sparse import coo_array
    six = np.arange(6)
    i = (np.array(rows)[:, None, None] + six[None, :, None] + 0 * six[None, None, :]).ravel()
    j = (np.array(columns)[:, None, None] + 0 * six[None, :, None] + six[None, None, :]).ravel()
    return coo_array((np.array(values).ravel(), (i, j)), shape=(n, n_v)).tocsr()


def offsets(d: CompiledModel, since: tuple[np.ndarray, np.ndarray] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Of every joint the place of b in the axes of a, (n, 3) and (n, 3, 3). With ``since``, what these were: the motion of b against a
    from there on, as displacement and rotation vector in world axes."""
    joints = d.directory.joints.values()
    a, b = d.x.X[[j.a for j in joints]], d.x.X[[j.b for j in joints]]
    Ra, Rb = a[:, A:A + 9].reshape(-1, 3, 3), b[:, A:A + 9].reshape(-1, 3, 3)
    place, axes = np.einsum("nji,nj->ni", Ra, b[:, P:P + 3] - a[:, P:P + 3]), np.einsum("nji,njk->nik", Ra, Rb)
    if since is None:
        return place, axes
    R = np.einsum("nij,nkj->nik", axes, since[1])
    u = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1) / 2
    size = np.linalg.norm(u, axis=1)
    angle = np.arctan2(size, (np.trace(R, axis1=1, axis2=2) - 1) / 2)
    turn = u * np.where(size > 1e-9, angle / np.maximum(size, 1e-9), 1.0)[:, None]
    return np.einsum("nij,nj->ni", Ra, place - since[0]), np.einsum("nij,nj->ni", Ra, turn)


def all_motions(d: CompiledModel) -> np.ndarray:
    return d.system.active[d.system.active < d.system.n_v]


def rigid_motions(d: CompiledModel) -> np.ndarray:
    """All but modal ones and those of nodes of beams, which stay where they are."""
    modal = [np.arange(b.iv, b.iv + b.scale.size) for b in d.directory.flexible.values()]
    slopes = [np.arange(node.iv, node.iv + 3 * node.vectors) for node in d.system.slopes]
    nodes = [np.arange(6) + d.directory.stated[node].iv for beam in d.directory.beams.values() for node in beam.nodes]
    return np.setdiff1d(all_motions(d), np.concatenate([*modal, *nodes, *slopes, np.zeros(0, np.int64)]))


class PositionSolver:
    """The equations of joints (not of drives: their values are targets; not those of velocities) and targets, and Newton's method for
    them.

    ``free``: velocities that may be used, default `rigid_motions`; joints that none of them moves are left out. ``relative``: of
    all motions that do, the one with the least motion in the joints; else the one with the least motion of bodies. [assembly-1]
    """

    def __init__(self, d: CompiledModel, targets: Sequence[Target] = (), free: np.ndarray | None = None, relative: bool = False) -> None:
        self.d, self.targets, self.relative = d, targets, relative
        s = d.system
        every = redundancy.equations(s)
        self.columns = redundancy.lengths(s, d.length)
        self.free = rigid_motions(d) if free is None else free
        tiles = set((self.free // 6).tolist())
        idle = [6 * j.tile + k for j in s.joints if not tiles & set(j.bodies) for k in range(j.used)]
        self.kept = ~np.isin(every, [*(row for row, *_ in d.directory.drives.values()), *idle, *s.data.speeds])
        self.rows = every[self.kept]
        far = float(abs(d.x.q[s.data.linear[:, 1]]).max(initial=0.0)) / d.length
        self.closed = max(CLOSED, 1e-14 * far)
        self.sizes = np.array([1.0 if t.coordinate == "angle" else 1 / d.length for t in targets])

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        return self.d.x.q.copy(), self.d.x.H.copy()

    def go(self, state: tuple[np.ndarray, np.ndarray]) -> None:
        self.d.x.q[:], self.d.x.H[:] = state

    def values(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """What is left of every equation and target, and the gradients of the latter; turns are counted."""
        d, s = self.d, self.d.system
        d._linearise(0.0)
        equations = d.unit[self.rows] * d.x.R[self.rows]
        evaluation.run(s.program("history"), s.data, d.x, 0.0, 0.0, 0.0, 0.0)
        found = [coordinate(d, t.joint, t.coordinate) for t in self.targets]
        left = self.sizes * np.array([c - t.value for (c, _), t in zip(found, self.targets, strict=True)])
        return np.concatenate([equations, left]), [g for _, g in found]

    def matrices(self, gradients: list[np.ndarray], since: Any) -> tuple[Any, Any, np.ndarray]:
        """Jacobian of the values, weights W of the motion and W times the way back, at the position that was linearised last."""
        d, by = self.d, self.columns
        C = redundancy.scaled(redundancy.jacobian(d.system, d.tiles)[np.flatnonzero(self.kept)], d.unit[self.rows], by)
        T = self.sizes[:, None] * np.array(gradients).reshape(-1, d.system.n_v) * by
        B, way = None, np.zeros(self.free.size)
        if self.relative:
            one = np.tile([1 / d.length] * 3 + [1.0] * 3, len(d.directory.joints))
            B = redundancy.scaled(twists(d), one, by)[:, self.free]
            way = B.T @ (one * np.hstack(offsets(d, since)).ravel())
        if sum(C.shape) <= DENSE:
            G, unit = np.vstack([_array(C), T])[:, self.free], np.eye(self.free.size)
            return G, unit if B is None else _array(B.T @ B) + SMALL * unit, way
        from scipy.sparse import csr_array, eye_array, vstack
        G = vstack([csr_array(C), csr_array(T)]).tocsr()[:, self.free]
        unit = eye_array(self.free.size, format="csr")
        return G, unit if B is None else csr_array(B.T @ B) + SMALL * unit, way

    def step(self, G: Any, W: Any, way: np.ndarray, left: np.ndarray, damping: float) -> np.ndarray:
        """The motion x with the smallest x.W x / 2 + way.x + |G x + left|^2 / (2 damping)                     [assembly-2]"""
        m, n = G.shape
        b = np.concatenate([-way, -left])
        if isinstance(G, np.ndarray):
            K = np.block([[W, G.T], [G, -damping * np.eye(m)]])
            return np.asarray(np.linalg.solve(K, b)[:n])
        from scipy.sparse import block_array, eye_array
        from scipy.sparse.linalg import splu
        return np.asarray(splu(block_array([[W, G.T], [G, -damping * eye_array(m)]]).tocsc()).solve(b)[:n])

    def move(self, x: np.ndarray) -> None:
        """Bodies by a motion."""
        d, dq = self.d, np.zeros(self.d.system.n)
        dq[self.free] = x
        dq[:d.system.n_v] *= self.columns
        evaluation.retract(d.system.data, d.x.q.copy(), dq, 1.0, d.x.q)

    def solve(self, offset: np.ndarray | float, tolerance: float, most: int) -> bool:
        """Damped Gauss-Newton to values = offset; ends at the nearest position where that cannot be. `bend` is how much longer the
        way was than its first step: large where the path turns sharply."""
        left, gradients = self.values()
        left, damping, slow, matrices, since = left - offset, LEAST, 0, None, offsets(self.d) if self.relative else None
        size, ways = float(np.linalg.norm(left)), [0.0]
        for _ in range(most):
            if size <= tolerance or slow > 5:
                break
            matrices = matrices or self.matrices(gradients, since)
            x = self.step(*matrices, left, damping)
            longest = float(abs(x).max(initial=0.0))
            if not np.isfinite(longest):
                break
            before = self.state()
            x *= min(1.0, LONGEST / max(longest, 1e-300))
            self.move(x)
            new, gradients = self.values()
            now = float(np.linalg.norm(new - offset))
            if now < size:
                slow = slow + 1 if now > 0.999 * size else 0
                ways.append(float(np.linalg.norm(x)))
                left, size, damping, matrices = new - offset, now, max(LEAST, damping / 10), None
                continue
            self.go(before)
            damping = max(30 * damping, 1e-6)
            if damping > 1e8:
                break
        self.bend = sum(ways[2:]) / max(ways[1] if len(ways) > 1 else 0.0, 1e-9)
        return size <= tolerance

    def follow(self) -> bool:
        """From where the bodies are to where all values are zero, values(q) = (1 - s) values(q_0) for s from 0 to 1, so that the
        way is one the mechanism could take. Where it ends, the nearest position is left behind.                [assembly-3]"""
        first, _ = self.values()
        start, size = self.state(), float(np.linalg.norm(first))
        if size <= self.closed:
            return True
        steps = max(1, int(np.ceil(abs(first).max(initial=0.0) / STRIDE)))
        s, ds, kicks = 0.0, 1 / steps, 0
        while s < 1 and steps <= MOST:
            to, before = min(1.0, s + ds), self.state()
            if to > 1 - 1e-9:
                to = 1.0
            tolerance = self.closed if to == 1 else max(self.closed, LOOSE * size)
            if self.solve((1 - to) * first, tolerance, 20) and self.bend < BEND and self.moved(before) < 3 * STRIDE:
                s, ds = to, min(2 * ds, 1 / steps)
                continue
            self.go(before)
            ds /= 2
            if ds < 0.01 / steps:
                if kicks == KICKS:
                    break
                kicks, ds = kicks + 1, 1 / steps
                chance = np.random.default_rng(kicks)
                self.move(1e-3 * 3.0**kicks * chance.standard_normal(self.free.size))
                self.solve((1 - s) * first, self.closed, 20)
        if s < 1:
            if not self._ends_slowly(s):
                self.go(start)
                if abs(first[self.rows.size:]).max(initial=0.0) > HALF_TURN:  # joints would be torn open and whole turns miscounted
                    return False
                if not self.solve(0.0, self.closed, 300):
                    return self._nearly()
        self.solve(0.0, 0.0, 3)  # to the last digit
        return True

    def _ends_slowly(self, s: float) -> bool:
        """The rest of the way, if it is short and leads to a singular position, where iterations are slow."""
        if s < 1 - STRIDE:
            return False
        before = self.state()
        self.solve(0.0, self.closed, 300)
        return self._nearly() and self.moved(before) < 3 * STRIDE

    def _nearly(self) -> bool:
        return float(np.linalg.norm(self.values()[0])) <= NEARLY

    def moved(self, before: tuple[np.ndarray, np.ndarray]) -> float:
        """Largest motion of a body since then, in sizes of the model or rad."""
        moves = motions(self.d, before[0])
        return max((max(m / self.d.length, a) for m, a in moves.values()), default=0.0)


def _array(B: Any) -> np.ndarray:
    return B if isinstance(B, np.ndarray) else np.asarray(B.toarray())


def motions(d: CompiledModel, since: np.ndarray) -> dict[str, tuple[float, float]]:
    """How far the centre of mass of every body is from where it was [m], and by which angle it turned [rad]."""
    q, out = d.x.q, {node.name: _node_motion(d.x.q, since, node) for node in d.system.slopes}
    for name, said in d.directory.stated.items():
        i = said.iq
        if said.slopes:
            continue
        a, b = q[i + 3:i + 7], since[i + 3:i + 7]
        u = a[0] * b[1:] - b[0] * a[1:] - np.cross(a[1:], b[1:])
        out[name] = float(np.linalg.norm(q[i:i + 3] - since[i:i + 3])), 2 * float(np.arctan2(np.linalg.norm(u), abs(a @ b)))
    return out


def _node_motion(q: np.ndarray, since: np.ndarray, node: SlopeNode) -> tuple[float, float]:
    """Of a node of slopes: how far its place moved, and by how much its slopes changed."""
    change = (q - since)[node.iq:node.iq + 3 * node.vectors].reshape(-1, 3)
    return float(np.linalg.norm(change[0])), float(np.linalg.norm(change[1:], axis=1).max(initial=0.0))


def flipped(d: CompiledModel) -> list[str]:
    """Joints whose axes satisfy their equations, but point the wrong way: against each other, or turned by a third."""
    out = []
    for name, joint in d.directory.joints.items():
        Ra, Rb = d.x.X[joint.a, A:A + 9].reshape(3, 3), d.x.X[joint.b, A:A + 9].reshape(3, 3)
        if any(Ra[:, k] @ Rb[:, k] < 0.5 for k in joint.lock):
            out.append(name)
    return out
