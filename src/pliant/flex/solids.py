"""Solids: boxes of bricks or tetrahedra. Meshes, shape functions and points of integration are those of scikit-fem (extra ``fe``).

hex8 has three incompatible bubbles per direction of displacement (Taylor, Beresford and Wilson), condensed in the element, so that it bends
without locking; hex20 and tet10 need nothing. Stiffness [flex-4].
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import shown
from .fe import FE
from .loads import Field
from .material import Material
from .user_values import three, whole

ELEMENTS = ("hex8", "hex20", "tet10")
CHUNK = 6_000_000  # numbers in a block of element matrices
STIFFNESS = {"tet4": 1, "hex8": 2, "hex20": 5, "tet10": 2, "wedge6": 2, "wedge15": 4}   # orders of integration
MASS = {"tet4": 2, "hex8": 2, "hex20": 5, "tet10": 4, "wedge6": 4, "wedge15": 5}
SAMPLED = {"tet4": 1, "hex8": 2, "hex20": 3, "tet10": 2, "wedge6": 2, "wedge15": 2}     # where stresses are best
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))


class Block(NamedTuple):
    """Some elements: numbers of their nodes (e, b), gradients (e, q, b + bubbles, 3), values (q, b), weights (e, q)."""
    nodes: np.ndarray
    gradients: np.ndarray
    values: np.ndarray
    weights: np.ndarray
    part: slice


def mesh_box(size: Any, divisions: Any, material: Material, element: str = "hex20", *, origin: Any = (0.0, 0.0, 0.0),
             mass: str = "consistent") -> FE:
    """A box with edges ``size`` [m] along x, y, z, its lowest corner at ``origin``, cut into ``divisions`` bricks along each edge
    (tet10: each brick into six tetrahedra). ``element``: "hex8", "hex20" or "tet10"; ``mass``: "consistent" or "lumped"."""
    edges, corner = three("size", size, "three lengths [m]"), three("origin", origin)
    if not (edges > 0).all():
        raise FieldError("size", f"{shown(size)} must be three lengths [m] greater than zero")
    if element not in ELEMENTS:
        raise FieldError("element", f"{shown(element)} must be one of {', '.join(ELEMENTS)}")
    if mass not in ("consistent", "lumped"):
        raise FieldError("mass", f"{shown(mass)} must be consistent or lumped")
    rule = "must be three whole numbers of at least 1"
    counts = whole("divisions", divisions, rule)
    if len(counts) != 3 or (counts < 1).any():
        raise FieldError("divisions", f"{shown(divisions)} {rule}")
    skfem = _skfem()
    axes = [a + np.linspace(0, s, n + 1) for a, s, n in zip(corner, edges, counts, strict=True)]
    mesh = (skfem.MeshTet if element == "tet10" else skfem.MeshHex).init_tensor(*axes)
    return solid(mesh, element, material, mass)


def _skfem() -> Any:
    try:
        import skfem
    except ImportError:
        raise ImportError("solid meshes need scikit-fem: pip install 'pliant[fe]'") from None
    return skfem


class Solid:
    """Elements of one kind on a mesh of scikit-fem; also gives geometric stiffness (`fe.Stress`)."""

    def __init__(self, mesh: Any, element: str, material: Material) -> None:
        skfem = _skfem()
        self.mesh, self.element = mesh, element
        self.shape = {"hex8": skfem.ElementHex1, "hex20": skfem.ElementHexS2, "tet10": skfem.ElementTetP2}[element]()
        whole = skfem.Basis(mesh, self.shape, intorder=1)
        self.nodes = whole.doflocs.T.copy()
        self.dofs = whole.element_dofs.T.copy()  # (e, b) nodes of each element
        self.corners = whole.nodal_dofs[0]       # node of each vertex of the mesh
        self.of_material(material)

    def of_material(self, material: Material) -> None:
        nu = material.nu
        self.material, self.mu, self.lam = material, material.G, material.E * nu / ((1 + nu) * (1 - 2 * nu))

    def reference(self, order: int) -> tuple[np.ndarray, np.ndarray]:
        """Natural coordinates of the points of integration (q, 3) and of the nodes (b, 3)."""
        import skfem.quadrature
        points, _ = skfem.quadrature.get_quadrature(self.mesh.elem.refdom, order)
        return points.T, np.array(self.shape.doflocs)

    def blocks(self, order: int, columns: int) -> Iterator[Block]:
        """All elements, some at a time; ``columns``: numbers that are needed per element."""
        skfem = _skfem()
        step = per_block(columns)
        for first in range(0, len(self.dofs), step):
            part = slice(first, min(first + step, len(self.dofs)))
            basis = skfem.Basis(self.mesh, self.shape, intorder=order, elements=np.arange(part.start, part.stop))
            values = np.stack([np.atleast_2d(np.asarray(f[0]))[0] for f in basis.basis], axis=1)
            gradients = np.stack([np.moveaxis(np.broadcast_to(f[0].grad, (3, *basis.dx.shape)), 0, -1) for f in basis.basis], axis=2)
            if self.element == "hex8":
                gradients = np.concatenate((gradients, self._bubbles(basis)), axis=2)
            yield Block(self.dofs[part], gradients, values, basis.dx, part)

    def _bubbles(self, basis: Any) -> np.ndarray:
        """Gradients (e, q, 3, 3) of 1 - xi_k^2, xi from -1 to 1: with the map at the centre, so that a constant strain stays one."""
        centre = np.full((3, 1), 0.5)
        elements = basis.tind
        mapping = basis.mapping
        inverse, ratio = mapping.invDF(centre, elements), mapping.detDF(centre, elements) / mapping.detDF(basis.X, elements)
        slope = -4 * (2 * basis.X - 1)  # d(1 - xi^2)/dX, xi = 2 X - 1
        return np.asarray(np.einsum("kq,kiem,eq->eqki", slope, inverse, np.broadcast_to(ratio, basis.dx.shape)))

    def stiffness(self, block: Block) -> np.ndarray:
        """(e, 3 b, 3 b): lam d_a N_i d_b N_j + mu d_b N_i d_a N_j + mu delta_ab d_c N_i d_c N_j, bubbles still in it."""
        e, q, b, _ = block.gradients.shape
        g = block.gradients.reshape(e, q, 3 * b)
        T = (np.swapaxes(g * block.weights[:, :, None], 1, 2) @ g).reshape(e, b, 3, b, 3)
        K = self.lam * T + self.mu * T.transpose(0, 1, 4, 3, 2)
        trace = self.mu * np.einsum("eicjc->eij", T)
        for a in range(3):
            K[:, :, a, :, a] += trace
        return K.reshape(e, 3 * b, 3 * b)

    def condensed(self, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """K without bubbles, and the bubbles (e, 9, 24) that displacements of the corners bring."""
        if self.element != "hex8":
            return K, np.zeros((len(K), 0, K.shape[1]))
        inner = -np.linalg.solve(K[:, 24:, 24:], K[:, 24:, :24])
        return K[:, :24, :24] + K[:, :24, 24:] @ inner, inner

    # -- geometric stiffness
    def project(self, d: np.ndarray, fields: list[Field | None], V: np.ndarray) -> np.ndarray:
        """V^T K_g V for every column of d: int sigma_ij d_i u . d_j v (loads, n, n) [flex-6]; distributed loads are in d already."""
        n, loads = V.shape[1], d.shape[1]
        both = np.concatenate((d, V), axis=1).reshape(len(self.nodes), 3, -1)
        out = np.zeros((loads, n * n))
        for block in self.blocks(SAMPLED[self.element], 8 * (6 * n * n + 18 * (n + loads))):
            grad = self.gradients(block, both)
            sigma = self.stress(grad[..., :loads]) * block.weights[:, :, None, None, None]
            modes = grad[..., loads:]
            for i, j in PAIRS:
                product = np.swapaxes(modes[:, :, i], 2, 3) @ modes[:, :, j]
                if i != j:
                    product = product + np.swapaxes(product, 2, 3)
                out += sigma[:, :, i, j].reshape(-1, loads).T @ product.reshape(-1, n * n)
        return out.reshape(loads, n, n)

    def gradients(self, block: Block, d: np.ndarray) -> np.ndarray:
        """d_i u_a (e, q, i, a, columns) of displacements d (nodes, 3, columns), bubbles included."""
        values = d[block.nodes]                                              # (e, b, 3, columns)
        if self.element == "hex8":
            inner = self.condensed(self.stiffness(block))[1]
            bubbles = inner @ values.reshape(len(values), 24, -1)
            values = np.concatenate((values, bubbles.reshape(len(values), 3, 3, -1)), axis=1)
        return np.asarray(np.einsum("eqbi,ebak->eqiak", block.gradients, values, optimize=True))

    def stress(self, grad: np.ndarray) -> np.ndarray:
        """Of displacement gradients (e, q, i, a, columns)."""
        sigma = self.mu * (grad + np.swapaxes(grad, 2, 3))
        trace = self.lam * np.einsum("eqiik->eqk", grad)
        for i in range(3):
            sigma[:, :, i, i] += trace
        return np.asarray(sigma)

    def skin(self) -> np.ndarray:
        """Triangles (t, 3) between the corner nodes of the surface, outward."""
        mesh = self.mesh
        faces = mesh.boundary_facets()
        corners = mesh.facets[:, faces].T
        x = mesh.p.T[corners]
        centre = x.mean(axis=1, keepdims=True)
        inside = mesh.p.T[mesh.t[:, mesh.f2t[0, faces]].T].mean(axis=1)
        normal = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
        normal *= np.sign(np.einsum("fi,fi->f", normal, centre[:, 0] - inside))[:, None]
        first = x[:, 0] - centre[:, 0]
        second = np.cross(normal / np.linalg.norm(normal, axis=1, keepdims=True), first)
        angle = np.arctan2(np.einsum("fci,fi->fc", x - centre, second), np.einsum("fci,fi->fc", x - centre, first))
        ring = np.take_along_axis(self.corners[corners], np.argsort(angle, axis=1), axis=1)
        return ring if ring.shape[1] == 3 else np.concatenate((ring[:, [0, 1, 2]], ring[:, [0, 2, 3]]))


def per_block(columns: int) -> int:
    """Elements in a block that needs so many numbers for each."""
    return max(1, CHUNK // columns)


def solid(mesh: Any, element: str, material: Material, mass: str = "consistent") -> FE:
    """The FE model of a mesh of scikit-fem."""
    body = Solid(mesh, element, material)
    K, M = assembled([body], mass)
    return FE(body.nodes, K, M, stress=body, cells=body.skin(), what=f"solid, {element}")


def assembled(bodies: Sequence[Solid], mass: str) -> tuple[Any, Any]:
    """Stiffness and mass of elements on the same nodes."""
    import scipy.sparse as sp
    K, M = _Sum(3 * len(bodies[0].nodes)), _Sum(len(bodies[0].nodes))
    for body in bodies:
        b = body.dofs.shape[1]
        for block in body.blocks(STIFFNESS[body.element], (3 * b) ** 2 * 4):
            dofs = (3 * block.nodes[:, :, None] + np.arange(3)).reshape(len(block.nodes), -1)
            K.add(body.condensed(body.stiffness(block))[0], dofs)
        for block in body.blocks(MASS[body.element], b * b * 8):
            m = body.material.rho * np.einsum("eq,qi,qj->eij", block.weights, block.values, block.values, optimize=True)
            if mass == "lumped":  # the diagonal, scaled to the mass of the element
                diagonal = np.einsum("eii->ei", m)
                m = np.eye(b) * (diagonal * (m.sum(axis=(1, 2)) / diagonal.sum(axis=1))[:, None])[:, None, :]
            M.add(m, block.nodes)
    return K.matrix(), sp.kron(M.matrix(), sp.eye_array(3), format="csc")


class _Sum:
    """A sparse matrix on its way."""

    def __init__(self, N: int) -> None:
        import scipy.sparse as sp
        self.total = sp.csc_matrix((N, N))

    def add(self, blocks: np.ndarray, dofs: np.ndarray) -> None:
        import scipy.sparse as sp
        k = dofs.shape[1]
        dofs = dofs.astype(np.int32)
        rows, columns = np.repeat(dofs, k, axis=1).ravel(), np.tile(dofs, (1, k)).ravel()
        self.total = self.total + sp.csc_matrix((blocks.ravel(), (rows, columns)), shape=self.total.shape)

    def matrix(self) -> Any:
        return self.total
