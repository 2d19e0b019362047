"""The compiled model in motion: consistent initial values, refinement of output states, and the solver of last resort."""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .families.rigid import BODY
from .kernels import loop
from .kernels.contract import GRAVITY, c_address
from .kernels.jit import compiled_before
from .kernels.tiles import factorise, solve_refined
from .layout import Directory
from .refinement import ACCELERATION, POSITION, RESIDUAL, VELOCITY, refine, row_width
from .system import System

GAP = 1e-6         # joints may be open by this fraction of the model's size; they are closed before the start
KEPT = 1e-6        # stated velocities may change by this fraction
STATED = 1e6       # weight of a stated velocity against an unstated one
TOO_FAR = "the initial state is not finite; look for masses, stiffnesses or positions that are far too large or too small"


class ModelError(ValueError):
    """The model cannot run as it is; the message says which item, why, and what to do."""


def _worst(values: dict[str, float], verb: str, unit: str) -> str:
    """The five largest, as words."""
    worst = sorted(values.items(), key=lambda item: -item[1])[:5]
    return "; ".join(f"joint {name!r} {verb} {value:.3g} {unit}" for name, value in worst)


def announce_compilation() -> None:
    """One line when the kernels are not in the cache: the wait of the first run on a machine is explained."""
    if not compiled_before(refine):
        print("pliant: compiling its kernels for this machine; this happens once and takes about half a minute", file=sys.stderr)


class Dynamics:
    """A System with memory for everything that is not a time step."""

    def __init__(self, system: System, directory: Directory) -> None:
        self.system, self.directory = system, directory
        self.x = system.memory()
        n = system.n
        self.tiles, self.b, self.y, self.r = np.zeros_like(self.x.D), np.zeros(n), np.zeros(n), np.zeros(n)
        self.pivots = np.zeros(6, np.int64)
        self.length = self._length()

    def _length(self) -> float:
        """Size of the model: the largest distance of a joint, a spring's end or a centre of mass from their middle, in m."""
        s, x, d = self.system, self.x, self.directory
        loop.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        frames = [f for j in d.joints.values() for f in (j.a, j.b)] + [f for k in d.springs.values() for f in (k.a, k.b)]
        points = np.vstack([x.X[frames, :3], s.q0[s.data.linear[:, 1].reshape(-1, 3)]])
        return float(np.linalg.norm(points - points.mean(0), axis=1).max(initial=0.0)) or 1.0

    @property
    def gravity(self) -> float:
        return float(np.linalg.norm(self.system.data.val[GRAVITY:GRAVITY + 3]))

    def massless(self) -> list[str]:
        """Bodies with no rotational inertia about some axis."""
        s, (first, last) = self.system, self.system.families[BODY]
        inertia = s.data.rp[first:last, 1:10].reshape(-1, 3, 3)
        return [repr(s.owners[first + k]) for k, I in enumerate(inertia) if np.linalg.eigvalsh(I).min() <= 1e-12 * abs(I).max()]

    def weights(self) -> np.ndarray:
        """1 / size of the model for displacements, 1 for rotations, 0 for padding."""
        w = np.zeros(self.system.n)
        w[self.system.data.linear[:, 0]] = 1 / self.length
        for i in self.system.data.rotations[:, 0]:
            w[i:i + 3] = 1
        return w

    # -- consistent initial values
    def assemble(self) -> np.ndarray:
        """The row of consistent initial values: small gaps closed, velocities that agree with the joints, accelerations."""
        s, x = self.system, self.x
        row = np.zeros(row_width(s.q0.size, s.n, s.histories))
        self._count_turns()
        self._close_gaps()
        self._solve_velocities()
        if s.failures or not np.isfinite(x.v).all():
            self._not_finite()
        for start, part in zip(np.cumsum([3, s.q0.size, s.n, s.n, s.n]), (x.q, x.v, x.a, x.lam, x.H), strict=True):
            row[start:start + part.size] = part
        try:
            self.refine(row[None, :], project=True)
        except ValueError as error:
            raise ModelError(str(error)) from error
        if s.failures or not np.isfinite(row).all():
            self._not_finite()
        return row

    def _not_finite(self) -> None:
        x = self.system.memory()
        try:
            self.system.check_finite(x, 0.0, "residual", "rates")
        except ValueError as error:
            raise ModelError(str(error)) from error
        raise ModelError(TOO_FAR)

    def _count_turns(self) -> None:
        """Angles begin at their values in the pose as modelled."""
        s, x = self.system, self.x
        x.q[:], x.v[:], x.a[:], x.lam[:], x.H[:] = s.q0, s.v0, 0, 0, 0
        for joint in self.directory.joints.values():
            for coordinate, history in joint.histories.items():
                x.H[history] = joint.start[coordinate]
        loop.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        loop.run(s.program("history"), s.data, x, 0.0, 0.0, 0.0, 0.0)

    def gaps(self, t: float = 0.0) -> dict[str, float]:
        """Largest violated equation of every joint at the current position, in m or rad."""
        loop.run(self.system.program("residual"), self.system.data, self.x, t, 0.0, 0.0, 0.0)
        return self._by_joint(self.x.R)

    def _by_joint(self, values: np.ndarray) -> dict[str, float]:
        return {j.name: float(abs(values[6 * j.tile:6 * j.tile + j.used]).max(initial=0.0)) for j in self.system.joints}

    def open_joints(self, row: np.ndarray) -> str | None:
        """A sentence on the joints that are open at a state, None if there are none: the run cannot be trusted from there."""
        n_q, n = self.system.q0.size, self.system.n
        self.x.q[:], self.x.H[:] = row[3:3 + n_q], row[3 + n_q + 3 * n:]
        wide = {name: gap for name, gap in self.gaps(float(row[0])).items() if not gap <= GAP * max(1.0, self.length)}
        return _worst(wide, "is open by", "(m or rad)") if wide else None

    def _matrix(self, more: dict[int, np.ndarray] | None = None) -> bool:
        """[M C^T; C 0] in self.tiles and its factors in x.D, with ``more`` added to diagonal tiles."""
        s, x = self.system, self.x
        x.D[:], x.a[:], x.lam[:] = 0, 0, 0
        loop.run(s.program("tangent"), s.data, x, 0.0, 1.0, 0.0, 0.0)
        for tile, block in (more or {}).items():
            x.D[s.block[tile, tile]] += block
        self.tiles[:] = x.D
        return bool(factorise(x.D, s.lu, self.pivots))

    def solve(self, b: np.ndarray) -> np.ndarray:
        """With the matrix of `_matrix`; the solver of last resort where tile pivots fail."""
        x, s = self.x, self.system
        left = solve_refined(self.tiles, x.D, s.lu, b, self.y, self.r, s.n_v)
        if left < 1e-6:
            return self.y.copy()
        return self.least_squares(b)

    def least_squares(self, b: np.ndarray) -> np.ndarray:
        """Smallest solution of the equations in self.tiles; nan where these are not finite."""
        s, y = self.system, np.zeros(self.system.n)
        if s.active.size > 3000:
            from scipy.sparse.linalg import lsmr
            y[s.active] = lsmr(sparse_matrix(s, self.tiles), b[s.active], atol=1e-13, btol=1e-13)[0]
        else:
            full = s.dense(self.tiles)[np.ix_(s.active, s.active)]
            rows = 1 / np.maximum(abs(full).max(1), 1e-300)  # units of force and of acceleration differ by orders of magnitude
            columns = 1 / np.maximum(abs(rows[:, None] * full).max(0), 1e-300)
            matrix, right = rows[:, None] * full * columns, rows * b[s.active]
            finite = np.isfinite(matrix).all() and np.isfinite(right).all()  # LAPACK is not asked otherwise
            with np.errstate(over="ignore"):
                y[s.active] = columns * np.linalg.lstsq(matrix, right, rcond=1e-12)[0] if finite else np.nan
        return y

    def _close_gaps(self) -> None:
        s, x = self.system, self.x
        gaps = self.gaps()
        wide = {name: gap for name, gap in gaps.items() if not gap <= GAP * max(1.0, self.length)}
        if wide:
            if any(np.isnan(list(wide.values()))):
                self._not_finite()
            listed = _worst(wide, "is open by", "(m or rad)")
            raise ModelError(f"the bodies do not fit together as modelled: {listed}. Move the bodies or the frames of these joints "
                             "so that they meet, or check the start value of the drives")
        for _ in range(10):
            loop.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
            self.b[:], self.b[s.n_v:] = 0, -x.R[s.n_v:]
            if abs(self.b).max(initial=0.0) < 1e-15 * max(1.0, self.length):
                return
            self._matrix()
            loop.retract(s.data, x.q.copy(), self.solve(self.b), 1.0, x.q)

    def _solve_velocities(self) -> None:
        """Least kinetic energy, with what the user stated weighted so that it stays - and it must stay.

        min v.M v / 2 + (S v - s).W (S v - s) / 2  subject to  C_q v + C_t = 0                        [refine-2]
        """
        s, x, statements = self.system, self.x, self.directory.stated
        x.v[:], x.V[:] = 0, 0
        loop.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        by_time = x.V[s.n_v:].copy()
        weights, first = {}, s.families[BODY][0]
        row = {name: first + k for k, name in enumerate(s.owners[slice(*s.families[BODY])])}
        for name, said in statements.items():
            own = s.data.rp[row[name]]
            size = np.array([own[0]] * 3 + [max(own[1], own[5], own[9])] * 3) + 1e-12
            weights[name] = STATED * size * said.which
        self._matrix({said.iv // 6: said.map.T * weights[name] @ said.map for name, said in statements.items()})
        target = {name: said.values.copy() for name, said in statements.items()}
        for _ in range(4):  # each pass brings the stated ones 1e6 times closer
            self.b[:], self.b[s.n_v:] = 0, -by_time
            for name, said in statements.items():
                self.b[said.iv:said.iv + 6] = said.map.T @ (weights[name] * target[name])
            x.v[:s.n_v] = self.solve(self.b)[:s.n_v]
            for name, said in statements.items():
                target[name] += said.values - said.map @ x.v[said.iv:said.iv + 6]
        x.V[:] = 0
        loop.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        fast = max(1.0, self.length) * max(1.0, float(abs(by_time).max(initial=0.0)), float(abs(x.v).max(initial=0.0)))
        stuck = {name: rate for name, rate in self._by_joint(x.V).items() if rate > KEPT * fast}
        if stuck:
            listed = _worst(stuck, "would come apart at", "(m/s or rad/s)")
            raise ModelError(f"drives and joints contradict each other at the start: {listed}. Remove a drive or free a joint, so that "
                             "the mechanism can move as it is driven")
        scale = max([1.0, *(float(abs(said.values).max()) for said in statements.values())])
        moved = {name: float(abs(said.map @ x.v[said.iv:said.iv + 6] - said.values)[said.which].max())
                 for name, said in statements.items() if any(said.which)}
        conflicts = {name: change for name, change in moved.items() if not change <= KEPT * scale}
        if conflicts:
            listed = ", ".join(f"{name!r} (by {change:.3g} m/s or rad/s)" for name, change in conflicts.items())
            raise ModelError(f"the stated velocities contradict the joints: they would have to change for {listed}. State fewer of them "
                             "- what is left out is solved for - or correct them")

    # -- output
    def refine(self, rows: np.ndarray, project: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Rows made consistent in place; returns energies [J] (kinetic, potential, elastic) and the report, one row each."""
        s, x, n_q = self.system, self.x, self.system.q0.size
        energies, report = np.zeros((len(rows), 3)), np.zeros((len(rows), 4))
        x.T[:] = 0
        x.T[:, [0, 4, 8]] = 1
        programs = [s.program(p) for p in ("residual", "tangent", "rates", "energy")]
        first = 0
        while first < len(rows):
            done = refine(*programs, s.data, s.lu, x, self.tiles, self.b, self.y, self.r, self.pivots, rows[first:],
                          energies[first:], report[first:], n_q, s.n_v, project)
            first += done
            if first < len(rows):
                self._refine_by_least_squares(rows[first], energies[first], report[first])
                first += 1
        return energies, report

    def _refine_by_least_squares(self, row: np.ndarray, energy: np.ndarray, report: np.ndarray) -> None:
        """The same for a state whose matrix has no good pivots (massless bodies, singular positions)."""
        s, x, t, n_q, n = self.system, self.x, float(row[0]), self.system.q0.size, self.system.n
        x.q[:], x.v[:], x.H[:] = row[3:3 + n_q], row[3 + n_q:3 + n_q + n], row[3 + n_q + 3 * n:]
        x.D[:], x.a[:], x.lam[:] = 0, 0, 0
        loop.run(s.program("tangent"), s.data, x, t, 1.0, 0.0, 0.0)
        report[POSITION] = abs(x.R[s.n_v:]).max(initial=0.0)
        self.tiles[:] = x.D
        x.V[:] = 0
        loop.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
        if s.failures or not (np.isfinite(x.D).all() and np.isfinite(x.R).all() and np.isfinite(x.V).all()):
            s.check_finite(x, t, "residual", "rates")
        self.b[:], self.b[s.n_v:] = 0, -x.V[s.n_v:]
        x.v[:s.n_v] += self.least_squares(self.b)[:s.n_v]
        loop.run(s.program("residual"), s.data, x, t, 0.0, 0.0, 0.0)
        if not np.isfinite(x.R).all():
            s.check_finite(x, t, "residual")
        self.b[:s.n_v] = -x.R[:s.n_v]
        loop.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
        self.b[s.n_v:] = -x.R[s.n_v:]
        y = self.least_squares(self.b)
        x.a[:s.n_v], x.lam[s.n_v:] = y[:s.n_v], y[s.n_v:]
        x.V[:], x.E[:] = 0, 0
        loop.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
        report[VELOCITY], report[ACCELERATION] = abs(x.V[s.n_v:]).max(initial=0.0), abs(x.R[s.n_v:]).max(initial=0.0)
        left = s.dense(self.tiles) @ y - self.b if s.n <= 3000 else np.zeros(1)
        report[RESIDUAL] = abs(left).max() / max(1e-300, abs(self.b).max())
        loop.run(s.program("energy"), s.data, x, t, 0.0, 0.0, 0.0)
        energy[:] = x.E[:3]
        row[3 + n_q:3 + n_q + n], row[3 + n_q + n:3 + n_q + 2 * n], row[3 + n_q + 2 * n:3 + n_q + 3 * n] = x.v, x.a, x.lam


def sparse_matrix(system: System, tiles: np.ndarray) -> Any:
    """The active equations as a SciPy sparse matrix in CSC form, regularised as the tile solver does."""
    from scipy.sparse import coo_array
    pairs = np.array(list(system.block), np.int64).reshape(-1, 2)
    numbers = np.array(list(system.block.values()), np.int64)
    i = (6 * pairs[:, 0, None, None] + np.arange(6)[None, :, None]) + np.zeros((1, 1, 6), np.int64)
    j = (6 * pairs[:, 1, None, None] + np.arange(6)[None, None, :]) + np.zeros((1, 6, 1), np.int64)
    full = coo_array((tiles[numbers].ravel(), (i.ravel(), j.ravel())), shape=(system.n, system.n)).tocsr()
    return full[system.active][:, system.active].tocsc()


class SparseFallback:
    """SciPy's LU behind the address that the time step calls when tile pivots are bad. Call it with 0 to factorise, 1 to solve."""

    def __init__(self, system: System, x: loop.Memory) -> None:
        self.system, self.x, self.factors = system, x, None
        self.address, self._keep = c_address(self)

    def __call__(self, what: float, _x: float, _v: float) -> float:
        from scipy.sparse.linalg import splu
        s = self.system
        if what == 0.0:
            for (k, i), by in zip(s.lu.fix_at, s.lu.fix_by, strict=True):
                if by < 0:
                    self.x.D[k, i, i] += by
            try:
                self.factors = splu(sparse_matrix(s, self.x.D))
            except RuntimeError:  # exactly singular
                return 0.0
            return 1.0
        solution = np.zeros(s.n)
        solution[s.active] = self.factors.solve(self.x.R[s.active])  # type: ignore[attr-defined]
        self.x.R[:] = solution
        return 1.0
