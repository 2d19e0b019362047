"""A finite element model: nodes, stiffness and mass, and what is needed beyond them for inertia and geometric stiffness."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import shown

if TYPE_CHECKING:
    import scipy.sparse as sp

LARGE = 30.0       # [m] parts larger than this may be meshed in millimetres
FASTEST = 2e4      # [m/s] no solid lets waves run faster
RIGID = 1e-6       # K times a rigid motion, against |K| times its size
TINY = 1e-13       # a pivot below this part of its diagonal entry is zero to rounding
NAMED = 6          # nodes named in a message


class MassPoints(NamedTuple):
    """The mass of a beam as points: at x the mass m with the section's moments E = int y y^T dm around it. The displacement of the mass at
    x + y is U_g d + (T_g d) x y, d all degrees of freedom [flex-2]."""
    m: np.ndarray          # (g)
    E: np.ndarray          # (g, 3, 3)
    x: np.ndarray          # (g, 3)
    U: sp.csr_matrix       # (3 g, dofs)
    T: sp.csr_matrix       # (3 g, dofs)

    @property
    def Is(self) -> np.ndarray:
        """tr(E) 1 - E: rotary inertia of the sections."""
        return np.trace(self.E, axis1=1, axis2=2)[:, None, None] * np.eye(3) - self.E

    def matrix(self) -> Any:
        """Mass matrix U^T m U + T^T Is T."""
        import scipy.sparse as sp
        g = len(self.m)
        blocks = sp.bsr_matrix((self.Is, np.arange(g), np.arange(g + 1)), shape=(3 * g, 3 * g))
        return (self.U.T @ sp.diags_array(np.repeat(self.m, 3)) @ self.U + self.T.T @ blocks @ self.T).tocsc()


class Stress(Protocol):
    """How an FE model gives its geometric stiffness: ``project(d, loads, V)`` returns V^T K_g(stress of column k of d) V for all k, where
    column k of ``loads`` says which distributed load (`Field`) acts together with d, or nothing."""

    def project(self, d: np.ndarray, fields: list[Any], V: np.ndarray) -> np.ndarray: ...


class FE:
    """Nodes (p, 3) [m], stiffness K [N/m], mass M [kg] with ``dofs`` 3 (displacements) or 6 (and rotations) unknowns per node.
    ``points``: mass of beams as points; ``stress``: geometric stiffness; ``cells``: lines or triangles for pictures. From files:
    ``ids``, the numbers of the nodes in the file, ``groups``, nodes (their places, from 0) by name, and ``facts`` of the import."""

    def __init__(self, nodes: Any, K: Any, M: Any, *, points: MassPoints | None = None, stress: Stress | None = None,
                 cells: np.ndarray | None = None, what: str = "matrices", ids: np.ndarray | None = None) -> None:
        import scipy.sparse as sp
        self.nodes = np.array(nodes, float)
        if self.nodes.ndim != 2 or self.nodes.shape[1] != 3 or not len(self.nodes) or not np.isfinite(self.nodes).all():
            raise FieldError("nodes", f"an array of shape {self.nodes.shape} must be (number, 3), "
                             "with finite coordinates")
        self.K, self.M = (sp.csc_matrix(a, dtype=float) for a in (K, M))
        p, N = len(self.nodes), self.K.shape[0]
        if N not in (3 * p, 6 * p):
            raise FieldError("K", f"{N} rows for {p} nodes; there must be {3 * p} (displacements) or {6 * p} (and "
                             "rotations), node by node")
        self.dofs = N // p
        for name, a in (("K", self.K), ("M", self.M)):
            _check_matrix(name, a, N)
        self.K, self.M = ((a + a.T) / 2 for a in (self.K, self.M))
        self.points, self.stress, self.what = points, stress, what
        self.cells = np.zeros((0, 2), int) if cells is None else cells
        self.ids = np.arange(p) if ids is None else ids
        self.groups: dict[str, np.ndarray] = {}
        self.facts: dict[str, Any] = {}
        self.outline: dict[str, Any] | None = None  # of beams, for pictures: points of the section, and its direction up
        self._check()

    # -- geometry
    @property
    def size(self) -> float:
        """Diagonal of the box around the nodes [m]."""
        return float(np.linalg.norm(np.ptp(self.nodes, axis=0)))

    def rigid(self) -> np.ndarray:
        """The six rigid motions of the mesh (dofs, 6): translations, rotations about the origin."""
        return rigid_motions(self.nodes, self.dofs)

    @property
    def mass(self) -> float:
        R = self.rigid()[:, :3]
        return float(np.trace(R.T @ (self.M @ R)) / 3)

    # -- checks at import
    def _check(self) -> None:
        import warnings
        d = self.M.diagonal()
        if (d < 0).any():
            node = int(np.argmin(d)) // self.dofs
            raise FieldError("M", f"the mass at {self.named([node])} is {d.min():.3g}; masses must not be negative")
        if not self.mass > 0:
            raise FieldError("M", f"the mass of the whole is {self.mass:g} kg and must be greater than zero; "
                             "give the material a density")
        self._check_attached()
        R, L = self.rigid(), max(self.size, 1e-12)
        scale = np.array([1, 1, 1, 1 / L, 1 / L, 1 / L])
        resist = abs(self.K @ R * scale).max(axis=0) / np.maximum((abs(self.K) @ abs(R * scale)).max(axis=0), 1e-300)
        if (resist > RIGID).any():
            held = [f"{k} {a}" for k, a in zip(["displacement along"] * 3 + ["rotation about"] * 3, "xyzxyz", strict=True)]
            names = " and ".join(h for h, r in zip(held, resist, strict=True) if r > RIGID)
            raise FieldError("K", f"resists rigid motion ({names}); a part must be free, "
                             "with six motions of zero stiffness. "
                             "Leave supports out of the FE model, and check the order and unit of the nodes")
        if self.size > LARGE:
            warnings.warn(f"the part is {self.size:.4g} m large and has {self.mass:.4g} kg; if its nodes are in mm, multiply them by 0.001",
                          stacklevel=5)

    def _check_attached(self) -> None:
        """Nodes must hang together through K."""
        import scipy.sparse as sp
        from scipy.sparse.csgraph import connected_components
        p, k = len(self.nodes), self.dofs
        if p == 1:
            raise FieldError("nodes", "there is one node; a flexible part has at least two")
        coo = self.K.tocoo()
        graph = sp.coo_matrix((coo.data != 0, (coo.row // k, coo.col // k)), shape=(p, p))
        count, part = connected_components(graph, directed=False)
        if count > 1:
            sizes = np.bincount(part)
            loose = np.flatnonzero(part != np.argmax(sizes))
            raise FieldError("K", f"{self.named(loose)} {'is' if len(loose) == 1 else 'are'} not attached to the rest "
                             f"(the mesh falls into {count} pieces); remove loose nodes, or join the pieces")

    def named(self, nodes: Any) -> str:
        some = [f"{self.ids[n]} at ({', '.join(f'{x:.6g}' for x in self.nodes[n])})" for n in list(nodes)[:NAMED]]
        more = f" and {len(nodes) - NAMED} more" if len(nodes) > NAMED else ""
        return f"node{'s' if len(nodes) > 1 else ''} {', '.join(some)}{more}"


def rigid_motions(x: np.ndarray, dofs: int) -> np.ndarray:
    """Rows of the rigid motions at points x: u = t + r x x, and the rotation r if dofs is 6."""
    p = len(x)
    R = np.zeros((p, dofs, 6))
    R[:, :3, :3] = np.eye(3)
    R[:, :3, 3:] = -cross_matrix(x)
    if dofs == 6:
        R[:, 3:, 3:] = np.eye(3)
    return R.reshape(p * dofs, 6)


def cross_matrix(x: np.ndarray) -> np.ndarray:
    """x~ with x~ y = x x y, for all rows of x."""
    x = np.asarray(x)
    m = np.zeros((*x.shape[:-1], 3, 3), x.dtype)
    m[..., 0, 1], m[..., 0, 2], m[..., 1, 2] = -x[..., 2], x[..., 1], -x[..., 0]
    return m - np.swapaxes(m, -1, -2)


def _check_matrix(name: str, a: Any, N: int) -> None:
    if a.shape != (N, N):
        raise FieldError(name, f"its shape {a.shape} must be ({N}, {N})")
    if not np.isfinite(a.data).all():
        raise FieldError(name, "holds numbers that are not finite")
    if a.nnz == 0:
        raise FieldError(name, "all its entries are zero" + ("; give the material a density" if name == "M" else ""))
    difference = abs(a - a.T)
    if difference.nnz and difference.max() > 1e-8 * abs(a).max():
        coo = difference.tocoo()
        k = int(np.argmax(coo.data))
        i, j = int(coo.row[k]), int(coo.col[k])
        raise FieldError(name, f"must be symmetric, but entry ({i}, {j}) is {shown(float(a[i, j]))} and ({j}, {i}) "
                         f"{shown(float(a[j, i]))}; if only one triangle is stored, give the whole matrix")


def from_matrices(nodes: Any, K: Any, M: Any) -> FE:
    """An FE model from its matrices, dense or sparse, with 3 or 6 unknowns per node, node by node (x, y, z, and rotations about x, y, z).
    Geometric stiffening needs elements and is not available for it."""
    return FE(nodes, K, M)
