"""Rank of the joints' equations, block by block, and the dependencies between them.

Rows are added in the order of the model. What a block adds to the row space before it is independent; the rest is redundant, and how
it follows from the independent rows before it is unique:

    A_J = H Q^T + R,   R = U S V^T,   T = [U_1^T H, S_1],   y = U_2:   T^T c = H^T y                       [diagnosis-4]

(y, -c) is a vector of the left null space: internal forces that balance each other. Reaction i is unique if all of them are zero there.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from .mechanism import LARGEST, SMALL, Block, Component, Mechanism

PART = 1e-6  # coefficients below this part of the largest are rounding errors


@dataclass
class Dependency:
    """One redundant combination of the equations of ``block``, and the blocks it follows from: coefficients by name."""
    block: Block
    parts: dict[str, np.ndarray]

    @property
    def others(self) -> list[str]:
        return [name for name in self.parts if name != self.block.name]


@dataclass
class Rank:
    """Of one component at one pose."""
    columns: int
    joints: int = 0                     # rank of joints and couplings
    whole: int = 0                      # with drives
    equations: int = 0
    dependencies: list[Dependency] = field(default_factory=list)
    basis: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))  # of the row space of joints and couplings, as rows
    combinations: dict[str, np.ndarray] = field(default_factory=dict)    # of equations, that the rows of a block are
    held: dict[str, np.ndarray] = field(default_factory=dict)            # what the rows of a block hold, see planes.functional
    axes: dict[str, np.ndarray | None] = field(default_factory=dict)     # of joints, in the world

    def counts(self) -> dict[str, int]:
        """Redundant equations by block."""
        return Counter(d.block.name for d in self.dependencies)

    def redundant(self, drives: bool) -> list[Dependency]:
        """Dependencies of drives, or of joints and couplings."""
        return [d for d in self.dependencies if (d.block.kind == "drive") == drives]

    @property
    def freedom(self) -> int:
        return self.columns - self.joints


class RowSpace:
    """An orthonormal basis of the rows so far, and how the independent rows follow from it."""

    def __init__(self, width: int) -> None:
        self.Q, self.T, self.rank = np.zeros((width, width)), np.zeros((width, width)), 0  # Q: vectors as rows
        self.kept: list[tuple[str, int, np.ndarray]] = []  # block, its first row in T, U_1

    def add(self, name: str, rows: np.ndarray) -> list[dict[str, np.ndarray]]:
        """The dependencies that a block brings."""
        r, Q = self.rank, self.Q[:self.rank]
        H = rows @ Q.T
        R = rows - H @ Q
        again = R @ Q.T  # twice is enough
        H, R = H + again, R - again @ Q
        U, S, V = np.linalg.svd(R, full_matrices=len(R) > R.shape[1])
        n = int((S > SMALL).sum())
        redundant = U[:, n:]
        self.Q[r:r + n], self.T[r:r + n, :r] = V[:n], U[:, :n].T @ H
        self.T[np.arange(r, r + n), np.arange(r, r + n)] = S[:n]
        found = [self._dependency(name, y, H.T @ y) for y in redundant.T]
        self.kept.append((name, r, U[:, :n]))
        self.rank += n
        return found

    def _dependency(self, name: str, y: np.ndarray, right: np.ndarray) -> dict[str, np.ndarray]:
        parts, largest = {name: y}, float(abs(y).max())
        for block, first, U in reversed(self.kept):
            n = U.shape[1]
            c = right[first:first + n] / np.diag(self.T[first:first + n, first:first + n])
            right = right - self.T[first:first + n, :len(right)].T @ c
            if abs(c).max(initial=0.0) > PART * largest:
                parts[block] = -U @ c
        size = max(float(abs(p).max()) for p in parts.values())
        return {block: p / size for block, p in parts.items() if abs(p).max() > PART * size}


def analyse(mechanism: Mechanism, component: Component) -> Rank | None:
    """The rank at the pose where the mechanism was evaluated last; None if the component is too large."""
    if sum(len(b.rows) for b in component.blocks) > LARGEST:
        return None
    rows, _, combinations = mechanism.matrix(component.blocks, component.tiles)
    width = sum(mechanism.basis(k).shape[1] for k in component.tiles)
    space, rank = RowSpace(width), Rank(width, combinations=combinations)
    rank.held = {b.name: combinations[b.name] @ mechanism.functionals(b) for b in component.blocks}
    rank.axes = {b.name: mechanism.axis(b) for b in component.blocks}
    driven = False
    for block, part in zip(component.blocks, rows, strict=True):
        if block.kind == "drive" and not driven:
            driven, rank.joints, rank.basis = True, space.rank, space.Q[:space.rank].copy()
        rank.equations += len(part)
        rank.dependencies += [Dependency(block, parts) for parts in space.add(block.name, part)]
    if not driven:
        rank.joints, rank.basis = space.rank, space.Q[:space.rank]
    rank.whole = space.rank
    return rank


def elsewhere(mechanism: Mechanism, component: Component, rank: Rank, q: np.ndarray, poses: int = 2) -> list[Rank]:
    """Ranks at poses near q on the manifold of the joints; none where no such pose is found."""
    rng, found = np.random.default_rng(3), list[Rank]()
    if rank.freedom <= 0:
        return found
    for size in (0.1, 0.1, 0.03, 0.3, 0.1, 0.03):
        mechanism.at(q)
        by = rng.standard_normal(rank.columns)
        by -= rank.basis.T @ (rank.basis @ by)
        by *= size / abs(by).max()
        there, left = mechanism.close(component, mechanism.move(component, q, by))
        if left > 1e-10 or distance(mechanism, component, q, there) < 0.1 * size:
            continue
        other = analyse(mechanism, component)
        if other is not None:
            found.append(other)
        if len(found) == poses:
            break
    mechanism.at(q)
    return found


def distance(mechanism: Mechanism, component: Component, q: np.ndarray, p: np.ndarray) -> float:
    """Largest displacement over the size of the model, or rotation, between two poses."""
    length, angle = motion(mechanism, component, q, p)
    return max(length / mechanism.length, angle)


def motion(mechanism: Mechanism, component: Component, q: np.ndarray, p: np.ndarray) -> tuple[float, float]:
    """Largest displacement [m] and largest rotation [rad] of a body between two poses."""
    length = angle = 0.0
    for k in component.tiles:
        if k in mechanism.places:
            iq = mechanism.places[k]
            a, b = q[iq:iq + 4], p[iq:iq + 4]
            half = min(float(np.linalg.norm(a - b)), float(np.linalg.norm(a + b)))  # quaternions of both signs are one rotation
            angle = max(angle, 4 * float(np.arcsin(min(1.0, half / 2))))
            length = max(length, float(np.linalg.norm(q[iq - 3:iq] - p[iq - 3:iq])))
    return length, angle
