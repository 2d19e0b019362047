"""A model at rest under a part of its loads: Newton's method on sparse matrices of motions and multipliers together, and loads that are
brought on in steps. docs/theory/statics.md"""
from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..compile import redundancy
from ..compile.compiled_model import CompiledModel
from ..compile.sparse_solver import pattern
from ..families import joint_loads, loads, signals
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.contract import GRAVITY, TURNING, F
from ..kernels.evaluation import Data, Program
from .section_forces import SectionForces
from .tangent import FAR, gone, largest_motion

LOADS = loads.LOAD, signals.LOAD_ANSWER, joint_loads.JOINT_LOAD, joint_loads.JOINT_LOAD_ANSWER
STIFF = 1e4      # times the largest stiffness: what holds joints where signs of pivots are counted
EVEN = 1e-9      # relative: a matrix is symmetric
STRAINED = 1.0   # strain of an element that is no longer one of this theory
LONGEST = 1.0    # rad or sizes of the model: largest motion of an iteration
MOST = 30        # iterations of a load step
SOFT = 1e-11     # of the largest stiffness: what joints give way by in an iteration, so that redundant ones do no harm
ROUNDING = 1e-12 # a motion that is none
NEARLY = 1e-8    # motions below do not grow smaller than rounding for ever
STRIDE = 0.3     # rad or sizes of the model: what the first step downhill is about
FARTHEST = 1.0   # of a step downhill
STILL = 1e-2     # a step downhill after which a step without drag is tried
FAINT = 1e-14    # of the largest stiffness: as good as none
HEAVY = 1e3      # of the largest stiffness: the largest drag downhill
IN_ALL = 1000    # iterations downhill
SHORTEST = 1e-3  # part of the load that is still tried
EASY = 12        # iterations of a load step, after which the next one is longer


class At(NamedTuple):
    """A position, the forces there, and the part of the loads."""
    q: np.ndarray
    H: np.ndarray
    lam: np.ndarray
    forces: list[np.ndarray]
    part: float


def without_loads(d: CompiledModel, names: Collection[str] | None = None) -> tuple[Program, Data]:
    """The tangent without gravity and loads; with ``names`` without these loads alone."""
    s = d.system
    if names is None:
        val = s.data.val.copy()
        val[GRAVITY:GRAVITY + 3] = 0
        return s.program("tangent", families=[f for f in s.families if f not in LOADS]), s.data._replace(val=val)
    ranges = {s.families[f]: f for f in LOADS if f in s.families}
    calls = []
    whole = s.program("tangent")
    for address, (first, last) in zip(whole.address, whole.rows.tolist(), strict=True):
        kept = [e for e in range(first, last) if (first, last) not in ranges or s.owners[e] not in names]
        ends = np.flatnonzero(np.diff([-2, *kept, -2]) != 1)
        calls += [(address, (kept[a], kept[b - 1] + 1)) for a, b in pairwise(ends)]
    addresses = [address for address, _ in calls]
    return (Program(np.array(addresses, np.int64) if isinstance(whole.address, np.ndarray) else addresses,
                    np.array([rows for _, rows in calls], np.int64).reshape(-1, 2)), s.data)


class Loading:
    """From the position in memory, with functions of time at t, under ``part`` of the loads. ``unloaded``: program and data without
    them."""

    def __init__(self, d: CompiledModel, t: float, unloaded: tuple[Program, Data]) -> None:
        s = d.system
        self.d, self.t, self.unloaded, self.part, self.iterations, self.steps = d, t, unloaded, 1.0, 0, 0
        self.fallen: At | None = None
        self.drag, self.way = 0.0, np.zeros(s.n)  # of a step downhill
        self.matrix, self.entries = pattern(s)
        self.bodies = s.active < s.n_v
        self.by = np.where(self.bodies, np.append(redundancy.lengths(s, d.length), np.ones(s.n - s.n_v))[s.active], d.unit[s.active])
        d.x.lam[:] = 0
        self.forces = SectionForces(d)

    # -- where it is
    def at(self) -> At:
        x = self.d.x
        return At(x.q.copy(), x.H.copy(), x.lam.copy(), self.forces.values, self.part)

    def go(self, to: At) -> None:
        x = self.d.x
        x.q[:], x.H[:], x.lam[:], self.part = to.q, to.H, to.lam, to.part
        self.forces.put(to.forces)

    # -- equations
    def _run(self, program: Program, data: Data) -> tuple[np.ndarray, np.ndarray]:
        x = self.d.x
        x.D[:] = 0
        evaluation.run(program, data, x, self.t, 0.0, 0.0, 1.0)
        return x.D.copy(), x.R.copy()

    def _bare(self, data: Data) -> tuple[Program, Data]:
        """The model without loads, with the elements of ``data``."""
        program, own = self.unloaded
        return program, data._replace(val=np.append(own.val, data.val[own.val.size:]))

    def linearise(self) -> bool:
        """``left``: forces and gaps, ``load``: their derivative by ``part``, and factors of the matrix

            (K C^T; C 0), joints divided by their size, times the largest stiffness                              [loading-1]

        False if there are none."""
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import splu
        program, (mixed, condensed) = self.d.system.program("tangent"), (self.forces.mixed, self.forces.condensed)
        K1, K0 = self._run(program, mixed)[0], self._run(*self._bare(mixed))[0]
        R1, R0 = self._run(program, condensed)[1], self._run(*self._bare(condensed))[1]
        self.left, self.load = R0 + self.part * (R1 - R0), R1 - R0
        slow = np.zeros(self.d.system.n)
        slow[self.d.system.active] = np.where(self.bodies, self.drag / self.by**2, 0.0)
        self.left += slow * self.way
        A = self.matrix
        A.data = (K0 + self.part * (K1 - K0)).ravel()[self.entries]
        if not (np.isfinite(A.data).all() and np.isfinite(self.left).all()):
            return False
        stiffest = float(abs(A.diagonal() * self.by**2)[self.bodies].max(initial=0.0)) or 1.0
        self.scale = np.where(self.bodies, self.by, self.by * stiffest)
        self.scaled, self.stiffest = (diags_array(self.scale) @ A @ diags_array(self.scale)).tocsc(), stiffest
        if self.drag:
            self.scaled = (self.scaled + diags_array(np.where(self.bodies, self.drag, 0.0))).tocsc()
        try:
            self.factors = splu((self.scaled - diags_array(np.where(self.bodies, 0.0, SOFT * stiffest))).tocsc())
        except RuntimeError:  # exactly singular
            return False
        return True

    def solve(self, right: np.ndarray) -> np.ndarray:
        """By the factors of the last linearisation."""
        out, a = np.zeros(self.d.system.n), self.d.system.active
        out[a] = self.scale * self.factors.solve(self.scale * right[a])
        return out

    def uneven(self) -> float:
        """How far the stiffness is from a symmetric one, relative."""
        K = self.scaled[self.bodies][:, self.bodies]
        return float(abs(K - K.T).max()) / self.stiffest if K.nnz else 0.0

    def negative(self) -> int:
        """How many free motions have a stiffness below zero: negative pivots of K + r C^T C with a large r                [loading-2]"""
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import splu
        K, C = self.scaled[self.bodies][:, self.bodies], self.scaled[~self.bodies][:, self.bodies] / self.stiffest
        whole = ((K + K.T) / 2 + STIFF * self.stiffest * (C.T @ C) + diags_array(np.full(K.shape[0], FAINT * self.stiffest))).tocsc()
        try:
            factors = splu(whole, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        except RuntimeError:
            return 0
        return int((factors.U.diagonal() < 0).sum())

    def shifted(self, by: float) -> tuple[Callable[[np.ndarray], np.ndarray], float]:
        """Free motions by forces on them, with the stiffness ``by`` of the largest more in all directions, and how much that is."""
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import splu
        shift, n = by * self.stiffest, int(self.bodies.sum())
        more = np.where(self.bodies, shift, -SOFT * self.stiffest)
        factors, bodies = splu((self.scaled + diags_array(more)).tocsc()), np.flatnonzero(self.bodies)

        def solve(f: np.ndarray) -> np.ndarray:
            right = np.zeros(self.bodies.size)
            right[bodies] = f.reshape(n)
            return np.asarray(factors.solve(right)[bodies])
        return solve, shift

    def acting(self) -> float:
        """The largest force or moment on a frame, or weight, at the position that was linearised last [J]."""
        d = self.d
        self._run(d.system.program("tangent"), self.forces.condensed)
        on = np.hstack([d.length * d.x.X[:, F:F + 3], d.x.X[:, F + 3:F + 6]])
        return max(d.gravity * d.length * d.heaviest, float(abs(on).max(initial=0.0)))

    # -- motions
    def motion(self, dy: np.ndarray) -> float:
        """The largest one: rad or sizes of the model."""
        return largest_motion(self.d, dy[:self.d.system.n_v]) if np.isfinite(dy).all() else np.inf

    def move(self, dy: np.ndarray, share: float = 1.0) -> None:
        """By a share of an increment of positions and multipliers."""
        s, x = self.d.system, self.d.x
        dq, forces = np.zeros(s.n), self.forces.after(dy[:s.n_v], share)
        dq[:s.n_v] = dy[:s.n_v]
        evaluation.retract(s.data, x.q.copy(), dq, share, x.q)
        self.way += share * dq
        x.lam[s.n_v:] += share * dy[s.n_v:]
        self.forces.put(forces)
        x.E[:] = 0
        for program in ("rates", "history"):
            evaluation.run(s.program(program), s.data, x, self.t, 0.0, 0.0, 0.0)

    def newton(self) -> bool:
        """To equilibrium under ``part``, to rounding; whether it was reached."""
        before, count = np.inf, self.iterations + MOST
        while self.iterations < count and self.linearise():
            self.iterations += 1
            dy = self.solve(-self.left)
            step = self.motion(dy)
            if not step < np.inf:
                return False
            self.move(dy, min(1.0, LONGEST / max(step, 1e-300)))
            if step < ROUNDING or (before < NEARLY and step > before / 2):
                return self._possible()
            before = step
        return False

    def _possible(self) -> bool:
        """Whether no element has turned or stretched too far: equilibria of elements are none of the beam there."""
        return bool(np.isfinite(self.d.x.E[TURNING])) and self.forces.largest_strain()[0] < STRAINED and self.linearise()

    def refuse_strained(self) -> None:
        """ModelError where an element is strained so far that its equilibria are none of the beam."""
        strain, row = self.forces.largest_strain()
        if not strain < STRAINED:
            s = self.d.system
            beam = s.owners[row]
            raise ModelError(f"beam {beam!r}: an element is stretched or sheared by {100 * strain:.0f} %, far beyond what its elements "
                             "describe; take more elements, or smaller loads", (beam,))

    def lasting(self) -> bool:
        """Whether a push does not drive it away; of forces that follow the motion that is not asked."""
        return self.uneven() > EVEN or not self.negative()

    def bring(self, steps: int) -> bool:
        """All of the load, in so many steps, of which those that lead nowhere are halved; whether that was possible. ``fallen``: an
        equilibrium under the whole load that was found on the way and does not last."""
        start, done, share = self.at(), 0.0, 1.0 / steps
        while done < 1:
            before, count = self.at(), self.iterations
            self.part = done + share if done + share < 1 - 1e-9 else 1.0
            found = self.newton()
            if found and self.lasting():
                done, self.steps = self.part, self.steps + 1
                share = min(2 * share, 1 / steps) if self.iterations - count <= EASY else share
                continue
            if found and self.part == 1:
                self.fallen = self.at()
            self.go(before)
            share /= 2
            if share < SHORTEST:
                self.go(start)
                return False
        return True

    def downhill(self, part: float = 1.0) -> bool:
        """Under a part of the load to an equilibrium that lasts: from place to place by

            R + s B^-2 way = 0,                                                                              [loading-3]

        with the way since the last one in sizes of the model and rad, and s as small as Newton's method and a positive stiffness allow.
        It stays where it begins in an equilibrium. ModelError where it goes on for ever."""
        self.part, drag, far, end, n = part, 0.0, 0.0, self.iterations + IN_ALL, self.d.system.n
        self.linearise()
        drag = float(abs(self.by * self.left[self.d.system.active])[self.bodies].max(initial=0.0)) / STRIDE
        while self.iterations < end and FAINT * self.stiffest < drag < HEAVY * self.stiffest:
            before, count = self.at(), self.iterations
            self.drag, self.way = drag, np.zeros(n)
            done = self.newton() and self.lasting()
            way, moved, self.drag = self.way, self.motion(self.way), 0.0
            if not done or moved > FARTHEST:
                self.go(before)
                drag *= 4
                continue
            far += moved
            if far > FAR:
                gone(self.d, way)
            if moved < STILL:
                before = self.at()
                if self.newton() and (self.lasting() or moved < NEARLY):
                    return True
                self.go(before)
            drag /= 4 if self.iterations - count <= EASY else 1
        return False
