"""Reactions that are not unique: which equations are angles, whether equations are redundant, and the smallest multipliers.

The size of a reaction is |force|^2 + |moment|^2 / L^2 with the model's length L, summed over all joints. docs/theory/refinement.md
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..families.constraints import COORDINATE, DRIVE, PERPENDICULAR
from ..families.couplings import COUPLING, VALUE
from ..families.held import HELD_AXES
from ..families.rigid_stops import RIGID_STOP
from ..kernels.block_lu import Elimination
from ..kernels.coordinates import ANGLE, KIND
from ..kernels.pairs import ROW
from .system import REGULARISATION, System

DENSE = 400   # equations up to which singular values are computed
MANY = 10_000_000  # numbers of a matrix that is still full
ZERO = 1e-9   # a singular value below this part of the largest one is zero
SPREAD = 1e-13  # regularisation against the largest flexibility: rounding errors stay below


def angular(system: System) -> np.ndarray:
    """Which rows are equations between angles, so that their multipliers are moments; the others are lengths and forces."""
    ip, out = system.data.ip, np.zeros(system.n, bool)
    lengths = np.zeros(system.n, bool)
    for family, (first, last) in system.families.items():
        rows = ip[first:last, ROW]
        if family in (PERPENDICULAR, HELD_AXES):
            out[rows] = True
        elif family is COUPLING:  # in the unit of its first coordinate
            leads = ip[first:last, VALUE] >= 0
            out[rows[leads]] = ip[first:last, KIND][leads] == ANGLE
        elif family in (COORDINATE, DRIVE, RIGID_STOP):  # a screw or rack has a displacement among its terms: a force
            turns = ip[first:last, KIND] == ANGLE
            out[rows[turns]] = True
            lengths[rows[~turns]] = True
    return out & ~lengths


def units(system: System, length: float, angles: np.ndarray) -> np.ndarray:
    """Per row: what makes an equation dimensionless, 1 / length, or 1 for an angle; of bodies what makes a force of their
    efforts, 1, or 1 / length for a moment; 0 for padding."""
    unit = np.zeros(system.n)
    unit[system.metres[:, 0]], unit[system.slope_places[:, 0]] = 1, 1 / length
    for i in system.data.rotations[:, 0]:
        unit[i:i + 3] = 1 / length
    rows = equations(system)
    unit[rows] = np.where(angles[rows], 1.0, 1 / length)
    return unit


def has_loops(system: System) -> bool:
    """Whether bodies, the ground and joints form a closed chain somewhere. Without one, reactions are unique."""
    body = {first + k: first for count, _, _, first in system.data.fr if count for k in range(count)}
    group: dict[int, int] = {}

    def root(k: int) -> int:
        while group.setdefault(k, k) != k:
            k = group[k]
        return k
    for joint in system.joints:
        ends = {body.get(k, k) for k in joint.bodies}
        roots = [root(k) for k in (ends if len(ends) > 1 else {*ends, -1})]
        if len(set(roots)) < len(roots):
            return True
        group.update(dict.fromkeys(roots, roots[0]))
    return False


def elimination(system: System, unit: np.ndarray) -> tuple[Elimination, np.ndarray]:
    """The factorisation with -eps / unit^2 on the multiplier diagonals, and these numbers by row.                [reaction-2]

    eps is 1e-9 of a flexibility between the smallest and the largest of the joints.
    """
    lu, rows = system.lu, system.fix_rows
    soft = lu.fix_by < 0
    flexibility = -lu.fix_by[soft] * unit[rows[soft]] ** 2 / system.epsilon[rows[soft]]
    low, high = float(flexibility.min(initial=np.inf)), float(flexibility.max(initial=0.0))
    if not high > 0:
        return lu, np.zeros(system.n)
    by_row, fix_by = np.zeros(system.n), lu.fix_by.copy()
    by_row[rows[soft]] = max(REGULARISATION * np.sqrt(low * high), SPREAD * high) / unit[rows[soft]] ** 2
    fix_by[soft] = -by_row[rows[soft]]
    return lu._replace(fix_by=fix_by), by_row


def equations(system: System) -> np.ndarray:
    """Rows of the constraints, without padding; those that are off are among them."""
    return system.active[system.active >= system.n_v]


def held(system: System, H: np.ndarray) -> np.ndarray:
    """Which of them are on, with this history."""
    return ~np.isin(equations(system), system.off(H))


def jacobian(system: System, tiles: np.ndarray) -> Any:
    """C_q, active equations by all velocities: an array, or a SciPy sparse matrix of more than 400, and of large models."""
    rows = equations(system)
    pairs = np.array([(j.tile, k) for j in system.joints for k in j.bodies], np.int64).reshape(-1, 2)
    blocks = tiles[[system.block[i, k] for i, k in pairs.tolist()]]
    if rows.size <= DENSE and system.n * system.n_v <= MANY:
        full = np.zeros((system.n_tiles, 6, system.n_v // 6, 6))
        full[pairs[:, 0], :, pairs[:, 1]] = blocks
        return full.reshape(system.n, system.n_v)[rows]
    from scipy.sparse import coo_array
    i = 6 * pairs[:, 0, None, None] + np.arange(6)[None, :, None] + np.zeros((1, 1, 6), np.int64)
    j = 6 * pairs[:, 1, None, None] + np.arange(6)[None, None, :] + np.zeros((1, 6, 1), np.int64)
    return coo_array((blocks.ravel(), (i.ravel(), j.ravel())), shape=(system.n, system.n_v)).tocsr()[rows]


def scaled(C: Any, rows: np.ndarray, columns: np.ndarray | None = None) -> Any:
    """diag(rows) C diag(columns)"""
    by = np.ones(C.shape[1]) if columns is None else columns
    if isinstance(C, np.ndarray):
        return rows[:, None] * C * by
    return C.multiply(rows[:, None]).multiply(by[None, :]).tocsr()


def lengths(system: System, length: float) -> np.ndarray:
    """Per velocity: ``length`` for a displacement, 1 for a rotation."""
    column = np.ones(system.n_v)
    column[system.metres[:, 0]] = length
    return column


def dependent(system: System, tiles: np.ndarray) -> bool:
    """Whether the equations of a single joint depend on each other: its C C^T has an eigenvalue zero."""
    pairs = [(j.tile, k) for j in system.joints for k in j.bodies]
    blocks = tiles[[system.block[p] for p in pairs]]
    products = np.zeros((system.n_tiles, 6, 6))
    np.add.at(products, [i for i, _ in pairs], blocks @ blocks.transpose(0, 2, 1))
    for joint in system.joints:  # padding is independent of everything
        products[joint.tile, range(joint.used, 6), range(joint.used, 6)] = 1
    values = np.linalg.eigvalsh(products[[j.tile for j in system.joints]])
    return bool((values[:, 0] <= 1e-12 * values[:, -1]).any())


def redundant(C: Any) -> int:
    """How many of the equations follow from the others: rows minus rank. Of many equations the eigenvalues of C C^T below a
    threshold are counted by the signs of its pivots (Sylvester's law of inertia)."""
    n = C.shape[0]
    if n == 0:
        return 0
    if isinstance(C, np.ndarray):
        values = np.linalg.svd(C, compute_uv=False)
        return n - int((values > ZERO * max(values.max(initial=0.0), 1e-300)).sum())
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import splu
    size = float(abs(C).sum(1).max() * abs(C).sum(0).max())  # bounds the largest eigenvalue
    factors = splu((C @ C.T - 1e-13 * size * eye_array(n)).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
                   options={"SymmetricMode": True})
    return int((factors.U.diagonal() < 0).sum())


def redundant_in_plane(C: Any, system: System, q: np.ndarray, normal: Any) -> int:
    """The same for a mechanism in a plane: of its motions those in the plane count, of its equations those that such motions violate."""
    from ..items.base import matrix_of
    from .planar import normal_vector
    n = normal_vector(normal)
    across = np.linalg.svd(n[None, :])[2][1:]
    turning = len(system.data.rotations)
    vectors = [node.iv + 3 * k for node in system.slopes for k in range(node.vectors)]
    columns = np.zeros((C.shape[1], 3 * turning + 2 * len(vectors)))
    for k, iv in enumerate(vectors):
        columns[iv:iv + 3, 3 * turning + 2 * k:3 * turning + 2 * k + 2] = across.T
    for k, (iv, iq) in enumerate(system.data.rotations):
        columns[iv - 3:iv, 3 * k:3 * k + 2] = across.T
        columns[iv:iv + 3, 3 * k + 2] = matrix_of(q[iq:iq + 4].tolist()).T @ n
    plane = np.asarray(C @ columns)
    sizes = np.linalg.norm(plane, axis=1)
    kept = plane[sizes > 1e-9 * sizes.max(initial=1e-300)]
    return len(kept) - int(np.linalg.matrix_rank(kept / np.linalg.norm(kept, axis=1)[:, None], tol=1e-9)) if len(kept) else 0


def smallest(C: Any, forces: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """The multipliers of smallest size with C^T lam = forces, by least squares; ``unit`` of the equations.       [reaction-3]"""
    by = scaled(C, unit).T
    if not isinstance(by, np.ndarray) and max(by.shape) > 3000:
        from scipy.sparse.linalg import lsmr
        return np.asarray(unit * lsmr(by, forces, atol=1e-14, btol=1e-14)[0])
    full = by if isinstance(by, np.ndarray) else by.toarray()
    return np.asarray(unit * np.linalg.lstsq(full, forces, rcond=1e-12)[0])
