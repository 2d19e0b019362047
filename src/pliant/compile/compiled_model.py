"""The compiled model in motion: consistent initial values, refinement of output states, and the solver of last resort."""
from __future__ import annotations

import copy
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from ..families.rigid import BODY
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.block_lu import Elimination, factorise, solve_refined
from ..kernels.contract import GRAVITY
from ..kernels.expression_vm import TIME_STEP
from ..kernels.jit import compiled_before
from ..kernels.ode import NUM
from ..kernels.records import new_record
from . import redundancy
from .channel_map import ChannelMap
from .consistency import ACCELERATION, CLOSED, PASSES, POSITION, RESIDUAL, SHARED, VELOCITY, Workplace, refine
from .sparse_solver import sparse_least_squares, sparse_matrix
from .system import System

if TYPE_CHECKING:
    from ..start.assembly import Assembly

THIN = 1e-6        # of the mass of a body and of the square of the model's size: inertia that its factors have at least
GAP = 1e-6         # joints may be open by this fraction of the model's size; they are closed before the start
TOO_FAR = "the initial state is not finite; look for masses, stiffnesses or positions that are far too large or too small"


class Extent(NamedTuple):
    """A gap or a motion: how far, and by which angle."""
    mm: float
    degrees: float

    @classmethod
    def of(cls, length: float, angle: float) -> Extent:
        """From metres and radians."""
        return cls(1e3 * length, float(np.degrees(angle)))

    @property
    def largest(self) -> float:
        """The larger of the two, in m or rad."""
        return float(np.maximum(self.mm / 1e3, np.radians(self.degrees)))

    def text(self, per: str = "") -> str:
        """In words; what is a millionth of the other or less is left out. ``per``: "/s" for rates."""
        both = (self.mm, "mm", self.degrees), (self.degrees, "degrees", self.mm)
        parts = [f"{f'{value:.0f}' if 1000 <= value < 1e7 else f'{value:.3g}'} {unit}{per}" for value, unit, other in both
                 if value > 1e-6 * other]
        return " and ".join(parts) or f"0 mm{per}"

    def __str__(self) -> str:
        return self.text()


def announce_compilation() -> None:
    """One line when the kernels are not in the cache: the wait of the first run on a machine is explained."""
    if not compiled_before(refine):
        print("pliant: compiling its kernels for this machine; this happens once and takes about a minute", file=sys.stderr)


class CompiledModel:
    """A System with memory for everything that is not a time step."""

    assembly: Assembly | None = None  # the last one
    unique_reactions = True           # at the start
    unplaced: tuple[str, ...] = ()    # bodies whose place was not stated: their joints placed them
    model: Any = None                 # what it was compiled from
    rotary_scale = 1.0                # of the inertia of beam sections: what an explicit run has multiplied it by

    def __init__(self, system: System, directory: ChannelMap) -> None:
        self.system, self.directory = system, directory
        self.x = system.memory()
        n = system.n
        self.tiles, self.b, self.y, self.r = np.zeros_like(self.x.D), np.zeros(n), np.zeros(n), np.zeros(n)
        self.q, self.pivots = np.zeros_like(system.q0), np.zeros(6, np.int64)
        self.length = self._length()
        self.angular = redundancy.angular(system)
        self.unit = redundancy.units(system, self.length, self.angular)
        self._linearise(0.0)
        self.loops = redundancy.has_loops(system) or redundancy.dependent(system, self.tiles)
        self.lu, self.soft = system.lu, system.softness  # for output
        if self.loops:
            self.lu, self.soft = redundancy.elimination(system, self.unit)
        self.lu = self._with_inertia(self.lu)

    @property
    def time_step(self) -> float:
        """Of differences of Python functions by time [s]: here, and in memories and runs that are made from here on."""
        return float(self.x.W[TIME_STEP])

    @time_step.setter
    def time_step(self, h: float) -> None:
        self.x.W[TIME_STEP] = h

    def memory(self, x: Any = np.float64) -> evaluation.Memory:
        """Fresh memory at the initial state, with the same time step."""
        made = self.system.memory(x)
        made.W[TIME_STEP] = self.time_step
        return made

    def for_run(self) -> CompiledModel:
        """The same system with memory of its own, so that runs do not write into each other's."""
        other = copy.copy(self)
        other.x = evaluation.Memory(*(part.copy() for part in self.x))
        for name in ("tiles", "b", "y", "r", "q", "pivots"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def _length(self) -> float:
        """Size of the model: the largest distance of a joint, a spring's end or a centre of mass from their middle, in m; at least that
        of a flexible body or of a curve."""
        s, x, d = self.system, self.x, self.directory
        evaluation.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        nodes = np.array([node.iq for node in s.slopes], np.int64)
        points = np.vstack([x.X[self.held_frames(), :3], s.q0[s.data.rotations[:, 1, None] + np.arange(-3, 0)],
                            s.q0[nodes[:, None] + np.arange(3)]])
        sizes = [float(np.linalg.norm(points - points.mean(0), axis=1).max(initial=0.0)), *(b.limit for b in d.flexible.values()), *s.spans]
        return max(sizes) or 1.0

    def held_frames(self) -> list[int]:
        """Frames of joints and of springs, and those of flexible bodies."""
        d = self.directory
        frames = [f for j in d.joints.values() for f in (j.a, j.b)]
        frames += [f for k in d.forces.values() if k.spans for f in (k.a, k.b)]
        return frames + [f for name, f in d.frames.items() if name in d.flexible or name.rpartition(".")[0] in d.flexible]

    @property
    def gravity(self) -> float:
        return float(np.linalg.norm(self.system.data.val[GRAVITY:GRAVITY + 3]))

    def _with_inertia(self, lu: Elimination) -> Elimination:
        """Bodies without inertia about some axis get THIN of it where factors are made for output, so that every tile has pivots; what
        these solve is refined against the matrix as it is."""
        at, by = list(lu.fix_at), list(lu.fix_by)
        for name in self._thin():
            tile = int(self.system.data.rotations[self.system.bodies.index(name), 0]) // 6
            mass = self.directory.masses[name]
            for i in range(0 if mass == 0 else 3, 6):
                at.append((self.system.block[tile, tile], i))
                by.append(THIN * (mass or self.heaviest) * (1.0 if i < 3 else self.length**2))
        return lu._replace(fix_at=np.array(at, np.int64).reshape(-1, 2), fix_by=np.array(by))

    def massless(self) -> list[str]:
        """Bodies with no rotational inertia about some axis, in quotes."""
        return [repr(name) for name in self._thin()]

    def _thin(self) -> list[str]:
        s, (first, last) = self.system, self.system.families.get(BODY, (0, 0))
        inertia = dict(zip(s.owners[first:last], s.data.rp[first:last, 1:10].reshape(-1, 3, 3), strict=True))
        inertia |= {name: flexible.inertia for name, flexible in self.directory.flexible.items()}
        return [name for name, I in inertia.items() if np.linalg.eigvalsh(I).min() <= 1e-12 * abs(I).max()]

    @property
    def heaviest(self) -> float:
        """The largest mass of a body [kg]."""
        return max(self.directory.masses.values())

    def modal_rows(self, body: str) -> np.ndarray:
        """The modal coordinates of a body in v; none of a rigid one."""
        found = self.directory.flexible.get(body)
        return np.arange(found.iv, found.iv + found.scale.size) if found else np.zeros(0, np.int64)

    def body_of(self, tile: int) -> str:
        """The body whose coordinates are in a tile; of states the item."""
        if own := [state.name for state in self.system.states if state.iv // 6 == tile]:
            return own[0].rpartition(".")[0]
        starts = {int(i) // 6: name for i, name in zip(self.system.data.rotations[:, 0], self.system.bodies, strict=True)}
        starts |= {node.iv // 6: node.name for node in self.system.slopes}  # others have one rotation, in their first tile
        return starts[max(start for start in starts if start <= tile)]

    def weights(self) -> np.ndarray:
        """1 / size of the model for displacements, 1 for rotations and slopes, 0 for padding and for states."""
        w = np.zeros(self.system.n)
        w[self.system.metres[:, 0]], w[self.system.slope_places[:, 0]] = 1 / self.length, 1
        for i in self.system.data.rotations[:, 0]:
            w[i:i + 3] = 1
        return w

    def not_finite(self) -> NoReturn:
        """The error that names who gives numbers that are not finite at the start."""
        try:
            self.system.check_finite(self.memory(), 0.0, "residual", "rates")
        except ModelError:
            raise
        except ValueError as error:  # of a user's function
            raise ModelError(str(error)) from error
        raise ModelError(TOO_FAR)

    def gaps(self, t: float = 0.0) -> dict[str, float]:
        """Largest violated equation of every joint at the current position, in m or rad."""
        self.x.lam[self.system.off(self.x.H)] = 0
        evaluation.run(self.system.program("residual"), self.system.data, self.x, t, 0.0, 0.0, 0.0)
        return self._by_joint(self.x.R)

    def _by_joint(self, values: np.ndarray) -> dict[str, float]:
        return {j.name: float(abs(values[6 * j.tile:6 * j.tile + j.used]).max(initial=0.0)) for j in self.system.joints}

    def openings(self, values: np.ndarray) -> dict[str, Extent]:
        """Per joint how far it is open, from the values of its equations (or how fast, from their rates)."""
        out = {}
        for joint in self.system.joints:
            rows = slice(6 * joint.tile, 6 * joint.tile + joint.used)
            angular = self.angular[rows]
            out[joint.name] = Extent.of(float(np.linalg.norm(values[rows][~angular])), float(np.linalg.norm(values[rows][angular])))
        return out

    def open_joints(self, row: np.ndarray) -> str | None:
        """A sentence on the joints that are open at a state, None if there are none: the run cannot be trusted from there."""
        n_q, n = self.system.q0.size, self.system.n
        self.x.q[:], self.x.H[:] = row[3:3 + n_q], row[3 + n_q + 3 * n:]
        wide = {name for name, gap in self.gaps(float(row[0])).items() if not gap <= GAP * max(1.0, self.length)}
        worst = sorted(((g, name) for name, g in self.openings(self.x.R).items() if name in wide), key=lambda x: -x[0].largest)[:5]
        return "; ".join(f"joint {name!r} is open by {gap}" for gap, name in worst) if worst else None

    def _matrix(self, more: Mapping[Any, np.ndarray] | None = None) -> bool:
        """[M C^T; C 0] in self.tiles and its factors in x.D, with ``more`` added to diagonal tiles, or to those of a row and column."""
        s, x = self.system, self.x
        x.D[:], x.a[:], x.lam[:] = 0, 0, 0
        evaluation.run(s.program("matrix"), s.data, x, 0.0, 1.0, 0.0, 0.0)
        for tile, block in (more or {}).items():
            x.D[s.block[tile if isinstance(tile, tuple) else (tile, tile)]] += block
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
            y[s.active] = sparse_least_squares(sparse_matrix(s, self.tiles), b[s.active])
        else:
            full = s.dense(self.tiles)[np.ix_(s.active, s.active)]
            rows = 1 / np.maximum(abs(full).max(1), 1e-300)  # units of force and of acceleration differ by orders of magnitude
            columns = 1 / np.maximum(abs(rows[:, None] * full).max(0), 1e-300)
            matrix, right = rows[:, None] * full * columns, rows * b[s.active]
            finite = np.isfinite(matrix).all() and np.isfinite(right).all()  # LAPACK is not asked otherwise
            with np.errstate(over="ignore"):
                y[s.active] = columns * np.linalg.lstsq(matrix, right, rcond=1e-12)[0] if finite else np.nan
        return y

    # -- output
    def refine(self, rows: np.ndarray, project: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Rows made consistent in place; returns energies [J] (kinetic, potential, elastic) and the report, one row each."""
        s, place = self.system, self.workplace()
        s.failures.take()  # of whatever was before
        energies, report = np.zeros((len(rows), 3)), np.zeros((len(rows), 5))
        first = 0
        while first < len(rows):
            done = refine(place, rows[first:], energies[first:], report[first:], project, self.length)
            first += done
            if first < len(rows):
                self._refine_by_least_squares(rows[first], energies[first], report[first], project)
                report[first, SHARED] = 1
                first += 1
        for i in np.flatnonzero(report[:, SHARED] == 0):
            self._share(rows[i])
        s.failures.look()
        return energies, report[:, :SHARED]

    def workplace(self) -> Workplace:
        """Where states are made consistent."""
        s, x = self.system, self.x
        x.T[:] = 0
        x.T[:, [0, 4, 8]] = 1
        residual, matrix, rates, energy = (s.program(p) for p in ("residual", "matrix", "rates", "energy"))
        return Workplace(residual, matrix, rates, energy, s.data, self.lu, x, self.tiles, self.b, self.y, self.r, self.q, self.pivots,
                         self.unit, self.soft, new_record(NUM, n_v=s.n_v, borne=bool(s.borne)), self.loops)

    def _linearise(self, t: float) -> None:
        """[M C^T; C 0] at the current position in self.tiles, the violation in x.R."""
        s, x = self.system, self.x
        x.D[:], x.a[:], x.lam[:] = 0, 0, 0
        evaluation.run(s.program("matrix"), s.data, x, t, 1.0, 0.0, 0.0)
        self.tiles[:] = x.D

    def _close_by_least_squares(self, t: float) -> None:
        """The position projected as in `refine`; as it was where that does not help."""
        s, x = self.system, self.x
        before = abs(x.R * self.unit)[s.n_v:].max(initial=0.0)
        for _ in range(PASSES):
            if not before > CLOSED:
                return
            self.q[:], self.b[:], self.b[s.n_v:] = x.q, 0, -x.R[s.n_v:]
            evaluation.retract(s.data, self.q, self.least_squares(self.b), 1.0, x.q)
            self._linearise(t)
            size = abs(x.R * self.unit)[s.n_v:].max(initial=0.0)
            if not size < before:
                x.q[:] = self.q
                return self._linearise(t)
            before = size

    def _share(self, row: np.ndarray) -> None:
        """The smallest multipliers of a consistent row, by least squares."""
        s, n_q, n = self.system, self.system.q0.size, self.system.n
        self.x.q[:], self.x.v[:], self.x.H[:] = row[3:3 + n_q], row[3 + n_q:3 + n_q + n], row[3 + n_q + 3 * n:]
        self._linearise(float(row[0]))
        C, rows = redundancy.jacobian(s, self.tiles), redundancy.equations(s)
        lam = row[3 + n_q + 2 * n:3 + n_q + 3 * n]
        lam[rows] = redundancy.smallest(C, C.T @ lam[rows], self.unit[rows])

    def _refine_by_least_squares(self, row: np.ndarray, energy: np.ndarray, report: np.ndarray, project: bool) -> None:
        """The same for a state whose matrix has no good pivots (massless bodies, singular positions)."""
        s, x, t, n_q, n = self.system, self.x, float(row[0]), self.system.q0.size, self.system.n
        x.q[:], x.v[:], x.H[:] = row[3:3 + n_q], row[3 + n_q:3 + n_q + n], row[3 + n_q + 3 * n:]
        self._linearise(t)
        report[POSITION] = abs(x.R[s.n_v:]).max(initial=0.0)
        x.V[:] = 0
        if s.failures or not (np.isfinite(x.D).all() and np.isfinite(x.R).all()):
            s.check_finite(x, t, "residual", "rates")
        if project:
            for i in s.data.rotations[:, 1]:
                x.q[i:i + 4] /= np.linalg.norm(x.q[i:i + 4])
            self._linearise(t)
            self._close_by_least_squares(t)
        evaluation.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
        if s.failures or not np.isfinite(x.V).all():
            s.check_finite(x, t, "residual", "rates")
        if project:
            self.b[:], self.b[s.n_v:] = 0, -x.V[s.n_v:]
            x.v[:s.n_v] += self.least_squares(self.b)[:s.n_v]
        evaluation.run(s.program("residual"), s.data, x, t, 0.0, 0.0, 0.0)
        if not np.isfinite(x.R).all():
            s.check_finite(x, t, "residual")
        self.b[:s.n_v] = -x.R[:s.n_v]
        evaluation.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
        self.b[s.n_v:] = -x.R[s.n_v:]
        y = self.least_squares(self.b)
        x.a[:s.n_v], x.lam[s.n_v:] = y[:s.n_v], y[s.n_v:]
        if self.loops:
            C, rows = redundancy.jacobian(s, self.tiles), redundancy.equations(s)
            x.lam[rows] = redundancy.smallest(C, C.T @ x.lam[rows], self.unit[rows])
        x.V[:], x.E[:] = 0, 0
        evaluation.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
        report[VELOCITY], report[ACCELERATION] = abs(x.V[s.n_v:]).max(initial=0.0), abs(x.R[s.n_v:]).max(initial=0.0)
        left = s.dense(self.tiles) @ y - self.b if s.n <= 3000 else np.zeros(1)
        report[RESIDUAL] = abs(left).max() / max(1e-300, abs(self.b).max())
        evaluation.run(s.program("energy"), s.data, x, t, 0.0, 0.0, 0.0)
        energy[:] = x.E[:3]
        row[3:3 + n_q] = x.q
        row[3 + n_q:3 + n_q + n], row[3 + n_q + n:3 + n_q + 2 * n], row[3 + n_q + 2 * n:3 + n_q + 3 * n] = x.v, x.a, x.lam

    def redundant(self) -> int:
        """How many equations of joints and drives follow from the others at the current position: 0 where reactions are unique."""
        if not self.loops:
            return 0
        s = self.system
        self._linearise(0.0)
        C, on = redundancy.jacobian(s, self.tiles), redundancy.held(s, self.x.H)
        if not on.all():
            C = C[on]
        if self.model is not None and self.model.planar is not None:
            return redundancy.redundant_in_plane(C, s, self.x.q, self.model.planar)
        return redundancy.redundant(redundancy.scaled(C, self.unit[redundancy.equations(s)][on], redundancy.lengths(s, self.length)))
