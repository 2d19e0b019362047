"""Beams along any polyline: elements of Euler and Bernoulli, or of Timoshenko with exact static shear, with the inertia of their sections.

Element axes: x along it, z towards ``up``, turned about x to the principal axes of the section. The fields inside an element are those of a
uniform beam loaded at its ends [flex-3], so that nodal displacements under nodal loads are exact.
"""
from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import shown
from .fe import FE, MassPoints
from .material import Material
from .outlines import outline_of
from .section import Section
from .user_values import three, whole

THEORIES = ("euler-bernoulli", "timoshenko")
GAUSS, WEIGHTS = ((1 + np.polynomial.legendre.leggauss(4)[0]) / 2, np.polynomial.legendre.leggauss(4)[1] / 2)  # exact to order 7


class Elements(NamedTuple):
    """e elements: end nodes (e, 2), axes R (e, 3, 3; columns x, y, z), lengths (e), stiffness per unit of strain D (6), moments per area of
    the section about the principal axes, and the fields at the g points of integration in element axes."""
    ends: np.ndarray
    R: np.ndarray
    L: np.ndarray
    D: np.ndarray
    E: np.ndarray     # (3, 3) int y y^T dA / A
    U: np.ndarray     # (e, g, 3, 12) displacement of the centre line by the end displacements and rotations
    T: np.ndarray     # rotation of the section
    dU: np.ndarray    # their derivatives along x
    dT: np.ndarray

    @property
    def B(self) -> np.ndarray:
        """Strains (e, g, 6, 12): u', v' - rz, w' + ry, rx', ry', rz'."""
        B = np.concatenate((self.dU, self.dT), axis=2)
        B[:, :, 1] -= self.T[:, :, 2]
        B[:, :, 2] += self.T[:, :, 1]
        return B

    @property
    def stiffness(self) -> np.ndarray:
        """(e, 12, 12) in element axes."""
        B = self.B
        return np.einsum("e,g,egai,a,egaj->eij", self.L, WEIGHTS, B, self.D, B, optimize=True)

    @property
    def turn(self) -> np.ndarray:
        """(e, 12, 12): from the axes of the mesh to those of the element."""
        turn = np.zeros((len(self.L), 12, 12))
        for k in range(4):
            turn[:, 3 * k:3 * k + 3, 3 * k:3 * k + 3] = np.swapaxes(self.R, 1, 2)
        return turn

    @property
    def dofs(self) -> np.ndarray:
        """(e, 12) numbers of the unknowns of each element."""
        return (6 * self.ends[:, :, None] + np.arange(6)).reshape(-1, 12)


def mesh_beam(points: Any, section: Section, material: Material, elements: int | Sequence[int] = 20, theory: str = "euler-bernoulli", *,
              up: Any = None, mass: str = "consistent") -> FE:
    """A beam along the polyline ``points`` [m]. ``elements``: their number, spread over the segments by length, or a list with one
    number for each segment. ``up``: direction of the section's z axis (default: z of the mesh, for segments along z its y). ``mass``:
    "consistent" or "lumped". Nodes are numbered along the line; a line that ends where it begins is a ring."""
    if theory not in THEORIES:
        raise FieldError("theory", f"{shown(theory)} must be one of {', '.join(THEORIES)}")
    if mass not in ("consistent", "lumped"):
        raise FieldError("mass", f"{shown(mass)} must be consistent or lumped")
    corners = _corners(points)
    counts = _counts(elements, np.linalg.norm(np.diff(corners, axis=0), axis=1))
    nodes = np.concatenate([corners[:1], *(a + np.linspace(0, 1, n + 1)[1:, None] * (b - a)
                                           for a, b, n in zip(corners[:-1], corners[1:], counts, strict=True))])
    ends = np.column_stack((np.arange(len(nodes) - 1), np.arange(1, len(nodes))))
    R = np.repeat([_axes(b - a, up) for a, b in itertools.pairwise(corners)], counts, axis=0)
    lengths = np.linalg.norm(nodes[ends[:, 1]] - nodes[ends[:, 0]], axis=1)
    middle = nodes[:-1]
    if len(corners) > 3 and np.linalg.norm(nodes[-1] - nodes[0]) < 1e-9 * lengths.sum():
        nodes, ends[-1, 1] = nodes[:-1], 0
    el = _elements(ends, R, lengths, section, material, theory)
    N = 6 * len(nodes)
    K = _assemble(np.swapaxes(el.turn, 1, 2) @ el.stiffness @ el.turn, el.dofs, N)
    mp = _lumped(el, nodes, section, material) if mass == "lumped" else _consistent(el, middle, section, material, N)
    from .beam_stress import BeamStress
    stress = BeamStress(el, mp, mass == "lumped", section)
    fe = FE(nodes, K, mp.matrix(), points=mp, stress=stress, cells=ends, what=f"beam, {theory}")
    fe.outline = {"points": outline_of(section), "up": None if up is None else [float(x) for x in three("up", up, "three numbers", "")]}
    return fe


# -- geometry
def _corners(points: Any) -> np.ndarray:
    if not isinstance(points, (list, tuple, np.ndarray)) or len(points) < 2:
        raise FieldError("points", f"{shown(points)} must be at least two points of three coordinates [m]")
    p = np.array([three("points", row) for row in points])
    steps = np.linalg.norm(np.diff(p, axis=0), axis=1)
    if (steps <= 1e-9 * steps.sum()).any():
        k = int(np.argmin(steps))
        raise FieldError("points", f"the points {k} and {k + 1} are the same, {shown(p[k].tolist())}; remove one")
    return p


def _counts(elements: int | Sequence[int], lengths: np.ndarray) -> list[int]:
    """Elements of each segment, at least one, in proportion to length."""
    if isinstance(elements, (list, tuple, np.ndarray)):
        rule = f"must be one whole number of at least 1 for each of the {len(lengths)} segments"
        given = whole("elements", elements, rule)
        if len(given) != len(lengths) or (given < 1).any():
            raise FieldError("elements", f"{shown(elements)} {rule}")
        return [int(n) for n in given]
    if isinstance(elements, bool) or not isinstance(elements, (int, np.integer)) or elements < len(lengths):
        raise FieldError("elements", f"{shown(elements)} must be a whole number of at least "
                         f"{len(lengths)}, one for each segment")
    counts = [1] * len(lengths)
    for _ in range(int(elements) - len(lengths)):  # the next one goes where elements are longest
        counts[int(np.argmax(lengths / counts))] += 1
    return counts


def _axes(d: np.ndarray, up: Any) -> np.ndarray:
    x = d / np.linalg.norm(d)
    if up is None:
        z = np.array([0.0, 0.0, 1.0]) if abs(x[2]) < 0.999 else np.array([0.0, 1.0, 0.0])
    else:
        z = three("up", up, "three numbers", "")
        if not np.linalg.norm(z) > 0 or np.linalg.norm(np.cross(z, x)) < 1e-6 * np.linalg.norm(z):
            raise FieldError("up", f"{shown(up)} must be a direction that is not along the beam "
                             f"({', '.join(f'{c:.3g}' for c in x)})")
    z = z - (z @ x) * x
    z /= np.linalg.norm(z)
    return np.column_stack((x, np.cross(z, x), z))


# -- elements
def _elements(ends: np.ndarray, R: np.ndarray, L: np.ndarray, section: Section, material: Material, theory: str) -> Elements:
    Q, yy, zz = section.principal
    E, G, A = material.E, material.G, section.area
    shear = np.array([section.ky * G * A, section.kz * G * A])
    if theory == "timoshenko":
        phi = 12 * E * np.array([yy, zz])[:, None] / (shear[:, None] * L**2)
    else:
        phi, shear = np.zeros((2, len(L))), np.zeros(2)
    D = np.array([E * A, *shear, G * section.J, E * zz, E * yy])
    return Elements(ends, R @ Q, L, D, np.diag([0, yy, zz]) / A, *_fields(L, phi[0], phi[1]))


def _fields(L: np.ndarray, phi_v: np.ndarray, phi_w: np.ndarray) -> list[np.ndarray]:
    """U, T, dU, dT at the points of integration."""
    U, T, dU, dT = (np.zeros((len(L), len(GAUSS), 3, 12)) for _ in range(4))
    l = L[:, None]
    for field, slope, first in ((U, dU, 0), (T, dT, 0)):  # along x: displacement and twist are linear
        field[:, :, first, 0 if field is U else 3], field[:, :, first, 6 if field is U else 9] = 1 - GAUSS, GAUSS
        slope[:, :, first, 0 if field is U else 3], slope[:, :, first, 6 if field is U else 9] = -1 / l, 1 / l
    for phi, side, about, sign in ((phi_v, 1, 2, 1.0), (phi_w, 2, 1, -1.0)):  # w' = -ry
        N, H, dN, dH = _bending(L, phi)
        for k, (dof, s) in enumerate(((side, 1.0), (3 + about, sign), (6 + side, 1.0), (9 + about, sign))):
            U[:, :, side, dof], dU[:, :, side, dof] = s * N[k], s * dN[k]
            T[:, :, about, dof], dT[:, :, about, dof] = sign * s * H[k], sign * s * dH[k]
    return [U, T, dU, dT]


def _bending(L: np.ndarray, phi: np.ndarray) -> tuple[list[np.ndarray], ...]:
    """Deflection N, rotation H and their derivatives by x, for end values v1, r1, v2, r2 [flex-3]; phi = 12 E I / (k G A L^2)."""
    s, l, p = GAUSS[None, :], L[:, None], phi[:, None]
    f = 1 / (1 + p)
    N = [f * (1 - 3 * s**2 + 2 * s**3 + p * (1 - s)), f * l * (s - 2 * s**2 + s**3 + p / 2 * (s - s**2)),
         f * (3 * s**2 - 2 * s**3 + p * s), f * l * (-s**2 + s**3 - p / 2 * (s - s**2))]
    dN = [f / l * (-6 * s + 6 * s**2 - p), f * (1 - 4 * s + 3 * s**2 + p / 2 * (1 - 2 * s)),
          f / l * (6 * s - 6 * s**2 + p), f * (-2 * s + 3 * s**2 - p / 2 * (1 - 2 * s))]
    H = [6 * f / l * (s**2 - s), f * (1 - 4 * s + 3 * s**2 + p * (1 - s)), 6 * f / l * (s - s**2), f * (-2 * s + 3 * s**2 + p * s)]
    dH = [6 * f / l**2 * (2 * s - 1), f / l * (-4 + 6 * s - p), 6 * f / l**2 * (1 - 2 * s), f / l * (-2 + 6 * s + p)]
    return N, H, dN, dH


def _assemble(blocks: np.ndarray, dofs: np.ndarray, N: int) -> Any:
    import scipy.sparse as sp
    k = dofs.shape[1]
    rows, columns = np.repeat(dofs, k, axis=1).ravel(), np.tile(dofs, (1, k)).ravel()
    return sp.csc_matrix((blocks.ravel(), (rows, columns)), shape=(N, N))


# -- mass
def _consistent(el: Elements, starts: np.ndarray, section: Section, material: Material, N: int) -> MassPoints:
    """The points of integration."""
    m = (material.rho * section.area * el.L[:, None] * WEIGHTS).ravel()
    E = m[:, None, None] * np.repeat(el.R @ el.E @ np.swapaxes(el.R, 1, 2), len(GAUSS), axis=0)
    return MassPoints(m, E, *fields_on_mesh(el, starts, N))


def fields_on_mesh(el: Elements, starts: np.ndarray, N: int) -> tuple[np.ndarray, Any, Any]:
    """Points of integration x (e g, 3), and U and T there in the axes of the mesh (3 e g, N); ``starts``: first ends of the elements."""
    import scipy.sparse as sp
    e, g = len(el.L), len(GAUSS)
    x = (starts[:, None] + GAUSS[None, :, None] * (el.L[:, None] * el.R[:, :, 0])[:, None]).reshape(-1, 3)
    rows = np.repeat(np.arange(3 * e * g), 12)
    columns = np.repeat(el.dofs, 3 * g, axis=0).ravel()
    U, T = (sp.csr_matrix((np.einsum("eab,egbj,ejk->egak", el.R, f, el.turn, optimize=True).ravel(), (rows, columns)), shape=(3 * e * g, N))
            for f in (el.U, el.T))
    return x, U, T


def _lumped(el: Elements, nodes: np.ndarray, section: Section, material: Material) -> MassPoints:
    """Half of every element at each of its ends, with the moments of its section."""
    import scipy.sparse as sp
    p = len(nodes)
    m, E = np.zeros(p), np.zeros((p, 3, 3))
    half = material.rho * section.area * el.L / 2
    for k in range(2):
        np.add.at(m, el.ends[:, k], half)
        np.add.at(E, el.ends[:, k], half[:, None, None] * (el.R @ el.E @ np.swapaxes(el.R, 1, 2)))
    one = np.ones(3 * p)
    rows, columns = np.arange(3 * p), (6 * np.arange(p)[:, None] + np.arange(3)).ravel()
    U, T = (sp.csr_matrix((one, (rows, columns + shift)), shape=(3 * p, 6 * p)) for shift in (0, 3))
    return MassPoints(m, E, nodes.copy(), U, T)
