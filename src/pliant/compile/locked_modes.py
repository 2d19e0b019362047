"""Modes of flexible bodies that are locked for a while. The system stays as it is, with tables of its own in which a locked mode has a
mass and nothing else: it moves nothing and nothing moves it. Changes of the set keep momentum. docs/theory/adaptive_modes.md"""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..families import distributed, feet, lines, modal, nodes
from ..items.base import matrix_of
from ..kernels import evaluation
from ..kernels.block_lu import factorise, subtract_image
from ..kernels.state_row import Q, parts
from .compiled_model import CompiledModel
from .consistency import unbalanced

GOOD = 1e-6      # residual of accelerations that are right
LIGHTEST = 1e-6  # part of its mass that a mode keeps, though joints hold its nodes
MASSES = 9  # of the tables of pairs: H2 6 | B1 3 | M | K | D


def body_table(table: np.ndarray, on: np.ndarray) -> np.ndarray:
    """S | B0 | H0 | H2, B1, M, K, D of pairs; a locked mode keeps its own mass."""
    n = on.size
    heads, pairs = table[:int(modal.ROWS) * n].reshape(-1, n) * on, table[int(modal.ROWS) * n:].reshape(n, -1, n)
    masked = pairs * on[:, None, None] * on
    masked[range(n), MASSES, range(n)] = pairs[range(n), MASSES, range(n)]
    return np.concatenate([heads.ravel(), masked.ravel()])


def node_table(table: np.ndarray, on: np.ndarray) -> np.ndarray:
    """psi, phi: six rows."""
    return np.asarray(table.reshape(6, -1) * on).ravel()


def second_table(table: np.ndarray, on: np.ndarray) -> np.ndarray:
    """E, G of pairs."""
    return np.asarray(table.reshape(on.size, 6, on.size) * on[:, None, None] * on).ravel()


def load_table(table: np.ndarray, on: np.ndarray) -> np.ndarray:
    """F, M, Q at rest and by every mode."""
    rows = table.reshape(1 + on.size, 6 + on.size) * np.concatenate([[1.0], on])[:, None]
    return np.asarray(rows * np.concatenate([np.ones(6), on])).ravel()


def line_table(pieces: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """length | knots | u0, rho, psi, phi and E if there is E, of every piece and power."""
    def masked(table: np.ndarray, on: np.ndarray) -> np.ndarray:
        head = table[:pieces + 2]
        fields = table[pieces + 2:].reshape(pieces * int(lines.POWERS), -1)
        pairs = np.repeat(on[:, None], 3, 1)[:, :, None] * on
        mask = np.concatenate([np.ones(6), np.tile(on, 6), pairs.ravel()])[:fields.shape[1]]
        return np.concatenate([head, (fields * mask).ravel()])
    return masked


class Table(NamedTuple):
    """A part of ``val``: where it begins, what it is with all modes, how modes are taken out, and whose modes (a part of all)."""
    at: int
    whole: np.ndarray
    masked: Callable[[np.ndarray, np.ndarray], np.ndarray]
    modes: slice


class LockedModes:
    """The modes of all bodies that have ``adaptive``, one after the other in all arrays here. ``full``: the model with all of them;
    ``dynamics``: the same with those locked that are not ``active``."""

    def __init__(self, dynamics: CompiledModel) -> None:
        self.full, self.dynamics = dynamics.for_run(), dynamics.for_run()
        self.bodies = {name: dynamics.directory.flexible[name] for name in dynamics.directory.adaptive}
        ends = np.cumsum([0, *(f.scale.size for f in self.bodies.values())])
        self.of = {name: slice(int(i), int(j)) for name, i, j in zip(self.bodies, ends[:-1], ends[1:], strict=True)}
        self.iq = np.concatenate([f.iq + np.arange(f.scale.size) for f in self.bodies.values()])
        self.iv = np.concatenate([f.iv + np.arange(f.scale.size) for f in self.bodies.values()])
        self.active = np.ones(self.iq.size, bool)
        self._own_tables()
        self._numbers()

    def _own_tables(self) -> None:
        """The system of ``dynamics`` with tables that no other body and no other run has."""
        system = copy.copy(self.full.system)
        d, families = system.data, system.families
        ip, self.tables, size = d.ip.copy(), list[Table](), d.val.size
        body_of = {f.iq - 7: self.of[name] for name, f in self.bodies.items()}
        self.rows: list[tuple[int, slice]] = []

        def take(e: int, column: int, length: int, masked: Callable[[np.ndarray, np.ndarray], np.ndarray], modes: slice) -> None:
            nonlocal size
            start = int(ip[e, column])
            if start >= 0:
                self.tables.append(Table(size, d.val[start:start + length].copy(), masked, modes))
                ip[e, column], size = size, size + length
        for e in range(*families.get(modal.BODY, (0, 0))):
            modes, n = body_of.get(int(ip[e, modal.IQ])), int(ip[e, modal.N])
            if modes is not None:
                self.rows.append((e, modes))
                take(e, int(modal.POOL), (int(modal.ROWS) + int(modal.PAIR) * n) * n, body_table, modes)
        for e in range(*families.get(nodes.FRAMES, (0, 0))):
            modes, n = body_of.get(int(ip[e, nodes.IQ])), int(ip[e, nodes.N])
            if modes is not None:
                take(e, int(nodes.POOL), 6 * n, node_table, modes)
                take(e, int(nodes.SECOND), 6 * n * n, second_table, modes)
        for e in range(*families.get(distributed.FRAMES, (0, 0))):
            modes, n = body_of.get(int(ip[e, distributed.IQ])), int(ip[e, distributed.N])
            if modes is not None:
                take(e, int(distributed.POOL), (1 + n) * (6 + n), load_table, modes)
        for e in (e for family in (lines.FRAMES, feet.FRAMES) for e in range(*families.get(family, (0, 0)))):
            modes, n, pieces = body_of.get(int(ip[e, lines.IQ])), int(ip[e, lines.N]), int(ip[e, lines.PIECES])
            if modes is not None:
                fields = 6 + 6 * n + (3 * n * n if ip[e, lines.SECOND] else 0)
                take(e, int(lines.POOL), 2 + pieces + pieces * int(lines.POWERS) * fields, line_table(pieces), modes)
        val = np.concatenate([d.val, *(table.whole for table in self.tables)])
        system.data = d._replace(ip=ip, val=val)
        self.dynamics.system = system
        self.place = self.dynamics.workplace()

    def _numbers(self) -> None:
        """Stiffness and damping of each mode by itself; what its body is told."""
        d, n = self.full.system.data, self.iq.size
        self.stiffness, self.damping, self.tolerance, self.always = np.ones(n), np.zeros(n), np.zeros(n), np.zeros(n, bool)
        for (e, modes), f in zip(self.rows, self.bodies.values(), strict=True):
            k, pool = int(d.ip[e, modal.N]), int(d.ip[e, modal.POOL])
            pairs = d.val[pool + int(modal.ROWS) * k:pool + (int(modal.ROWS) + int(modal.PAIR) * k) * k].reshape(k, -1, k)
            self.stiffness[modes], self.damping[modes] = (np.diag(pairs[:, MASSES + i]) for i in (1, 2))
            assert f.adaptive is not None
            self.tolerance[modes] = f.adaptive.tolerance
            self.always[modes] = np.arange(k) < f.adaptive.at_least  # modes of a part are in the order of their frequencies
        self.always |= ~(self.stiffness > 0)
        self.stiffness[~(self.stiffness > 0)] = 1.0  # of modes that are never locked

    def set(self, active: np.ndarray) -> None:
        """These modes take part from now on; the others are locked."""
        val = self.dynamics.system.data.val
        for table in self.tables:
            val[table.at:table.at + table.whole.size] = table.masked(table.whole, active[table.modes].astype(float))
        self.active = active.copy()

    def _state(self, row: np.ndarray) -> dict[str, np.ndarray]:
        s = self.full.system
        return {name: part[0] for name, part in parts(row[None, :], s.q0.size, s.n).items()}

    def displacements(self, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Modal coordinates and their rates in a row."""
        return row[Q + self.iq], row[Q + self.full.system.q0.size + self.iv]

    def static(self, row: np.ndarray) -> np.ndarray:
        """Where the forces on locked modes would hold them, at rest: those of loads, joints and inertia, which are what is left of
        their equations where those of the others are fulfilled.                                         [adaptive-1]"""
        d = self.dynamics
        if not unbalanced(self.place, self.full.system.data, row) < GOOD:  # bad pivots
            p = self._state(self.consistent(row, False)[0])
            d.x.q[:], d.x.v[:], d.x.a[:], d.x.lam[:], d.x.H[:] = (p[name] for name in ("q", "v", "a", "lam", "H"))
            evaluation.run(self.place.residual, self.full.system.data, d.x, float(row[0]), 0.0, 0.0, 0.0)
        return np.asarray(np.where(self.active, 0.0, -d.x.R[self.iv] / self.stiffness))

    def consistent(self, row: np.ndarray, project: bool = True) -> tuple[np.ndarray, float]:
        """A row with accelerations and multipliers of the modes that are active, and its energy."""
        out = row[None, :].copy()
        return out[0], float(self.dynamics.refine(out, project)[0].sum())

    def _matrix(self, d: CompiledModel, p: dict[str, np.ndarray], t: float) -> np.ndarray:
        """Tiles [M C^T; C 0] of a model at a position."""
        x = d.x
        x.q[:], x.v[:], x.H[:] = p["q"], p["v"], p["H"]
        x.T[:] = 0
        x.T[:, [0, 4, 8]] = 1
        d._linearise(t)
        return d.tiles

    def _image(self, tiles: np.ndarray, v: np.ndarray) -> np.ndarray:
        out = np.zeros(self.full.system.n)
        subtract_image(tiles, self.full.system.lu, v, out)
        return -out

    def _solved(self, b: np.ndarray) -> np.ndarray:
        """[M C^T; C 0]^-1 b of the modes that are active, with the matrix that was factorised last."""
        b[self.iv[~self.active]] = 0.0
        return self.dynamics.solve(b)

    def _factorise(self, p: dict[str, np.ndarray], t: float) -> None:
        d = self.dynamics
        self._matrix(d, p, t)
        factorise(d.x.D, d.system.lu, d.pivots)

    def masses(self, row: np.ndarray) -> np.ndarray:
        """Of each mode with all others locked, while bodies move as their joints let them: what a force on it alone accelerates."""
        s, p, t, out = self.full.system, self._state(row), float(row[0]), np.ones(self.iv.size)
        tiles, before = self._matrix(self.full, p, t), self.active
        self.set(np.zeros(self.iv.size, bool))
        self._factorise(p, t)
        for k, i in enumerate(self.iv):
            column = self._image(tiles, np.eye(1, s.n, int(i))[0])
            whole, b = column[i], column.copy()
            out[k] = max(whole - float(column @ self._solved(b)), LIGHTEST * whole)
        self.set(before)
        return out

    def change(self, row: np.ndarray, active: np.ndarray, q: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, float]:
        """A consistent row with other modes active, and the change of energy [J]. Modes that are added begin with ``q`` and ``rate``;
        those that are dropped are at rest, undeformed. Momentum and angular momentum stay.                 [adaptive-3]"""
        s, t, n_v = self.full.system, float(row[0]), self.full.system.n_v
        old, (_, before) = self._state(row), self.consistent(row, False)
        tiles, added, dropped = self._matrix(self.full, old, t), active & ~self.active, self.active & ~active
        moved, v = np.zeros(s.n), old["v"].copy()
        v[n_v:] = 0.0
        momentum = self._image(tiles, v)
        moved[self.iv[added]], moved[self.iv[dropped]] = q[added], -old["q"][self.iq[dropped]]
        v[self.iv[added]] = rate[added]
        shift = -self._image(tiles, moved)
        self.set(active & self.active)
        self._factorise(old, t)
        moved[:n_v] += self._solved(shift)[:n_v]
        new = row.copy()
        to = self._state(new)
        evaluation.retract(s.data, old["q"], moved, 1.0, to["q"])
        to["q"][self.iq[dropped]] = 0.0
        to["v"][self.iv[dropped]] = 0.0
        self.set(active)
        self.dynamics.refine(new[None, :])
        due = self._image(self._matrix(self.full, to, t), v)
        for iv, iq in s.data.rotations:
            self._carry(momentum, due, old["q"], to["q"], int(iv) - 3, int(iq) - 3)
        self._factorise(to | {"v": np.zeros(s.n)}, t)
        self.dynamics.x.V[:] = 0
        evaluation.run(s.program("rates"), self.dynamics.system.data, self.dynamics.x, t, 0.0, 0.0, 0.0)
        due[n_v:] = -self.dynamics.x.V[n_v:]  # C_t alone
        to["v"][:n_v] = self._solved(due)[:n_v]
        to["q"][self.iq[~active]], to["v"][self.iv[~active]] = 0.0, 0.0
        new, after = self.consistent(new, False)
        return new, after - before

    @staticmethod
    def _carry(momentum: np.ndarray, due: np.ndarray, q0: np.ndarray, q1: np.ndarray, iv: int, iq: int) -> None:
        """p' = p, R' h' = R h + (x - x') x p: momentum of a body, and angular momentum about the origin of the world   [adaptive-4]"""
        R0, R1 = (matrix_of(q[iq + 3:iq + 7].tolist()) for q in (q0, q1))
        p, h = momentum[iv:iv + 3], momentum[iv + 3:iv + 6]
        due[iv:iv + 3] = p
        due[iv + 3:iv + 6] = R1.T @ (R0 @ h + np.cross(q0[iq:iq + 3] - q1[iq:iq + 3], p))
