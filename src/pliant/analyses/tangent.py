"""The equations of motion linearised about one state, and the motions that the joints leave free. docs/theory/linearisation.md

Increments are eta = (displacement, rotation vector) of every body in world axes.
"""
from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..compile import redundancy
from ..compile.compiled_model import CompiledModel
from ..families.delays import DELAY
from ..items.base import matrix_of
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.state_row import parts, row_width
from ..report.words import direction

if TYPE_CHECKING:
    from ..compile.array_builder import SlopeNode

FAR = 60.0     # sizes of the model or rad: what has moved so far in all moves for ever
LARGEST = 6000   # velocities: matrices are full


def cross_matrix(w: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def refuse_what_moves_on(d: CompiledModel) -> None:
    """What a delay gives depends on the past, which a state does not have. What rolls has more positions than velocities: it is at rest
    in whole families of poses, and minimal coordinates of both do not exist."""
    d.system.refuse_rolling("equilibria and linear models", "it leaves more positions than velocities, which they cannot describe; hold "
                            "the body by a Revolute or Planar joint for this analysis, or look at a run")
    if names := [d.system.owners[e] for e in range(*d.system.families.get(DELAY, (0, 0)))]:
        raise ModelError(f"delay {names[0]!r} looks into the past, which an equilibrium or a linear model does not have; take Pade in its "
                         "place", (names[0],))


def load(d: CompiledModel, row: np.ndarray) -> float:
    """Memory from a row; returns its time."""
    x, p = d.x, parts(row[None, :], d.system.q0.size, d.system.n)
    x.q[:], x.v[:], x.a[:], x.lam[:], x.H[:] = p["q"][0], p["v"][0], p["a"][0], p["lam"][0], p["H"][0]
    x.T[:] = 0
    x.T[:, [0, 4, 8]] = 1
    return float(row[0])


def new_row(d: CompiledModel, t: float, q: np.ndarray, H: np.ndarray, v: np.ndarray | None = None) -> np.ndarray:
    """A row at rest without reactions; states as they are in ``v``, or at the start."""
    s = d.system
    row = np.zeros(row_width(s.q0.size, s.n, s.histories))
    p = parts(row[None, :], s.q0.size, s.n)
    row[0], p["q"][0], p["H"][0] = t, q, H
    for state in s.states:
        p["v"][0, state.iv] = (s.v0 if v is None else v)[state.iv]
    return row


def axes(d: CompiledModel, q: np.ndarray) -> np.ndarray:
    """G: from increments as the program has them (rotations in body axes) to world axes, square."""
    s = d.system
    G = np.eye(s.n_v)
    for iv, iq in s.data.rotations:
        G[iv:iv + 3, iv:iv + 3] = matrix_of(q[iq:iq + 4].tolist())
    return G


def turning(d: CompiledModel, rotations: np.ndarray, positions: np.ndarray | None = None) -> np.ndarray:
    """Block matrix of cross products: of rotation vectors with rotations[k] of body k, of displacements with positions[k]."""
    out = np.zeros((d.system.n_v, d.system.n_v))
    for k, (iv, _) in enumerate(d.system.data.rotations):
        out[iv:iv + 3, iv:iv + 3] = cross_matrix(rotations[k])
        if positions is not None:
            out[iv - 3:iv, iv - 3:iv] = cross_matrix(positions[k])
    return out


def derivative(d: CompiledModel, t: float, cm: float, cd: float, ck: float, program: Any = None, data: Any = None) -> np.ndarray:
    """cm dR/da + cd dR/dv + ck dR/dq of the equations of motion at the state in memory; x.R and the joints' part of x.D are filled."""
    s, x = d.system, d.x
    x.D[:] = 0
    evaluation.run(s.program("tangent") if program is None else program, s.data if data is None else data, x, t, cm, cd, ck)
    full = np.zeros((s.n_v, s.n_v))
    for (i, j), k in s.block.items():
        if 6 * i < s.n_v and 6 * j < s.n_v:
            full[6 * i:6 * i + 6, 6 * j:6 * j + 6] = x.D[k]
    if not (np.isfinite(full).all() and np.isfinite(x.R).all()):
        try:
            s.check_finite(x, t, "residual", "tangent")
        except ValueError as error:
            raise ModelError(str(error)) from error
        raise ModelError("the linearised equations are not finite; look for masses, stiffnesses or positions that are far too large")
    return full


def largest_motion(d: CompiledModel, eta: np.ndarray) -> float:
    """Of all bodies: displacement in sizes of the model, or rotation [rad]."""
    places = d.system.data.rotations[:, 0, None] + np.arange(3)
    bent = max((float(abs(eta[d.modal_rows(name)]).max(initial=0.0)) for name in d.directory.flexible), default=0.0) / d.length
    moved, turned = (float(np.linalg.norm(eta[rows], axis=1).max(initial=0.0)) for rows in (places - 3, places))
    lengths = [np.linalg.norm(eta[node.iv:node.iv + 3 * node.vectors].reshape(-1, 3), axis=1) for node in d.system.slopes]
    nodes = [max(float(each[0]) / d.length, float(each[1:].max(initial=0.0))) for each in lengths]
    return max(bent, moved / d.length, turned, *nodes)


def turn_of(d: CompiledModel, node: SlopeNode, eta: np.ndarray) -> np.ndarray:
    """The rotation vector of a small motion of a node of slopes: of its first slope, without twist [rad]."""
    if node.vectors == 1:
        return np.zeros(3)
    slope = d.x.q[node.iq + 3:node.iq + 6]
    return np.asarray(np.cross(slope, eta[node.iv + 3:node.iv + 6]) / (slope @ slope))


def motion_in_words(d: CompiledModel, eta: np.ndarray) -> tuple[str, str]:
    """The body that moves most, and 'translation along x' or 'rotation about (0, 0.6, 0.8)'."""
    parts = [(eta[iv - 3:iv] / d.length, eta[iv:iv + 3], eta[d.modal_rows(name)] / d.length, name)
             for name, iv in zip(d.system.bodies, d.system.data.rotations[:, 0], strict=True)]
    parts += [(eta[node.iv:node.iv + 3] / d.length, turn_of(d, node, eta), np.zeros(0), node.name) for node in d.system.slopes]
    move, turn, bend, name = max(parts, key=lambda p: max(np.linalg.norm(p[0]), np.linalg.norm(p[1]), abs(p[2]).max(initial=0.0)))
    way, angle, modal = float(np.linalg.norm(move)), float(np.linalg.norm(turn)), float(abs(bend).max(initial=0.0))
    if modal > 0.3 * max(way, angle):  # the body's frame may move with it
        k = int(np.argmax(abs(bend)))
        part = getattr(d.model[name], "reduced", None) if d.model is not None else None
        return name, f"deformation, {f'coordinate {k + 1}' if part is None else part.names[k]}"
    if angle > 0.3 * way:  # the centre of mass moves with it
        return name, f"rotation about {direction(turn / angle)}"
    return name, f"translation along {direction(move / way)}" if way > 0 else "none"


def gone(d: CompiledModel, eta: np.ndarray) -> NoReturn:
    """What has moved by more than FAR."""
    body, how = motion_in_words(d, eta)
    raise ModelError(f"there is no equilibrium: body {body!r} goes on moving ({how}), and nothing holds it there. Add a spring or "
                     "a joint that holds it, or take away what drives it")


class Freedom:
    """The motions that the joints allow at a position, from singular values of their equations without dimensions:

        U C G^T B = P S Q^T,   N = B Q_2,   C G^T N = 0                                             [linear-1]

    U makes equations dimensionless, B has the model's length for displacements. Needs the joints' part of x.D.
    """

    def __init__(self, d: CompiledModel, G: np.ndarray) -> None:
        s = d.system
        C = redundancy.jacobian(s, d.x.D)
        self.C = C if isinstance(C, np.ndarray) else np.asarray(C.toarray())
        self.rows = redundancy.equations(s)
        self.unit = d.unit[self.rows]
        free = s.moving
        self.by = np.zeros(s.n_v)
        self.by[free] = redundancy.lengths(s, d.length)[free]
        scaled = (self.unit[:, None] * (self.C @ G.T) * self.by)[:, free]
        P, S, Q = np.linalg.svd(scaled, full_matrices=True) if len(scaled) else (np.zeros((0, 0)), np.zeros(0), np.eye(free.size))
        rank = int((redundancy.ZERO * max(S.max(initial=0.0), 1e-300) < S).sum())
        self.P, self.S, self.spare = P[:, :rank], S[:rank], P[:, rank:]
        self.Q, free_motions = np.zeros((s.n_v, rank)), np.zeros((s.n_v, free.size - rank))
        self.Q[free], free_motions[free] = Q[:rank].T, Q[rank:].T
        self.N = self.by[:, None] * free_motions             # columns are motions
        self.back = np.divide(free_motions, self.by[:, None], out=np.zeros_like(free_motions), where=self.by[:, None] > 0).T

    def closing(self, violations: np.ndarray) -> np.ndarray:
        """The least increment with C G^T eta = -violations."""
        return np.asarray(-self.by[:, None] * self.Q @ ((self.P.T @ (self.unit[:, None] * violations)) / self.S[:, None]))

    def multipliers(self, forces: np.ndarray) -> np.ndarray:
        """The smallest lam with C^T lam = -forces [world axes], where that can be."""
        return np.asarray(-self.unit[:, None] * (self.P @ ((self.Q.T @ (self.by[:, None] * forces)) / self.S[:, None])))


class Tangent:
    """M, D, K of the equations of motion at a state, for increments in world axes:

        M G da + D G dv + K eta + C^T dlam = F du                                                  [linear-2]
    """

    def __init__(self, d: CompiledModel, row: np.ndarray) -> None:
        s = d.system
        if s.n_v > LARGEST:
            raise ModelError(f"the model has {s.n_v // 6} bodies; linearisation is made for at most {LARGEST // 6}")
        self.d, self.row, self.t = d, row.copy(), load(d, row)
        self.G = axes(d, d.x.q)
        self.M, self.D, self.K = (self.G @ derivative(d, self.t, *by) @ self.G.T
                                  for by in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        self.freedom = Freedom(d, self.G)
        p = parts(row[None, :], s.q0.size, s.n)
        places = s.data.rotations[:, 0]
        def three(rows: Any) -> np.ndarray:
            return np.array(list(rows)).reshape(-1, 3)
        self.w = three(self.G[i:i + 3, i:i + 3] @ p["v"][0, i:i + 3] for i in places)   # angular velocities, world axes
        self.dw = three(self.G[i:i + 3, i:i + 3] @ p["a"][0, i:i + 3] for i in places)
        self.v = three(p["v"][0, i - 3:i] for i in places)
        self.dv = three(p["a"][0, i - 3:i] for i in places)
        self.p = three(p["q"][0, i - 3:i] for _, i in s.data.rotations)
        parts_of = [(node.iv + 3 * k, 1.0 if k else d.length) for node in s.slopes for k in range(node.vectors)]
        self.rates, self.changes = (three(p[x][0, i:i + 3] / by for i, by in parts_of) for x in "va")  # of nodes of slopes
        modal = [d.modal_rows(name) for name in s.bodies]
        self.bending, self.dbending = (np.array([abs(p[x][0, rows]).max(initial=0.0) for rows in modal]) for x in "va")  # modal rates

    @cached_property
    def speed(self) -> float:
        """The largest rate of the state [1/s]."""
        moving = float(np.abs([*self.v.ravel(), *self.bending]).max(initial=0.0)) / self.d.length
        return max(moving, float(abs(self.w).max(initial=0.0)), float(abs(self.rates).max(initial=0.0)))

    @cached_property
    def natural(self) -> float:
        """Square of the largest rate that gravity and stiffness give single bodies [1/s^2]."""
        return max(self.d.gravity / self.d.length, self._by_mass(self.K))

    @cached_property
    def decay(self) -> float:
        """The largest rate of decay or gyration of single bodies [1/s]."""
        return max(self.speed, self._by_mass(self.D))

    def _by_mass(self, X: np.ndarray) -> float:
        masses = np.diag(self.M)
        return float(np.divide(abs(np.diag(X)), masses, out=np.zeros_like(masses), where=masses > 0).max(initial=0.0))

    def accelerations(self, W: np.ndarray) -> np.ndarray:
        """Of every body, then of every vector of nodes of slopes, what does not belong to a rotation with W [1/s^2]: lengths in sizes of
        the model."""
        left = np.maximum(np.linalg.norm(self.dv - np.cross(W, self.v), axis=1), self.dbending) / self.d.length
        left = np.maximum(left, np.linalg.norm(self.dw - np.cross(W, self.w), axis=1))
        return np.concatenate([left, np.linalg.norm(self.changes - np.cross(W, self.rates), axis=1)])

    def named(self, k: int) -> str:
        """Whose the k-th of these is."""
        s = self.d.system
        return [*s.bodies, *(node.name for node in s.slopes for _ in range(node.vectors))][k]

    def seen_from(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(turning of the axes, of the bodies): W~ and w~ of [linear-3]."""
        n = len(self.w)
        return turning(self.d, np.tile(W, (n, 1)), np.tile(W, (n, 1))), turning(self.d, self.w)

    def rotating(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coefficients of eta'', eta', eta in axes that turn with W [rad/s]:

            G dv = eta' + W~ eta,   G da = eta'' + (2 W~ - w~) eta' + (W~ - w~) W~ eta             [linear-3]
        """
        turn, own = self.seen_from(W)
        return self.M, self.M @ (2 * turn - own) + self.D, self.M @ (turn - own) @ turn + self.D @ turn + self.K
