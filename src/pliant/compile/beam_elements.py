"""Rows of beam elements between two places: what is constant of an element is computed here. Derivations: docs/theory/beams.md"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..families import beam_frames, beam_inertia, beam_loads, bushing, corotational, rigid
from ..families.exact_beams import BEAM
from ..items.beam_axis import Pose, exponential, rotation_vector, skew
from ..items.beam_axis import screw as screw
from .array_builder import ArrayBuilder, Place

GAUSS, WEIGHTS = np.polynomial.legendre.leggauss(4)
WEIGHTS = WEIGHTS / 2


class Flexibility(NamedTuple):
    """Of an element: means of F, sigma^2 F and sigma F over it, sigma the way from its middle                            [beam-7]"""
    mean: np.ndarray
    second: np.ndarray
    first: np.ndarray


def flexibility_along(at: Callable[[float], np.ndarray], length: float) -> Flexibility:
    """Of the flexibility at xi, 0 to 1, of an element: exact for what goes with the fifth power of xi, by four Gauss points."""
    F = [at((1 + x) / 2) for x in GAUSS]
    if all(np.array_equal(one, F[0]) for one in F):
        return uniform(F[0], length)
    return Flexibility(*(np.einsum("g,gij->ij", WEIGHTS * (length / 2 * GAUSS)**k, F) for k in (0, 2, 1)))


def uniform(F: np.ndarray, length: float) -> Flexibility:
    return Flexibility(F, length**2 / 12 * F, np.zeros((6, 6)))


def corrected_stiffness(flexibility: Flexibility, strain: np.ndarray) -> np.ndarray:
    """Phi^-1 with A at the given strain; no entry of the flexibility for shear need be positive                        [beam-7]"""
    gamma, K = strain[:3], strain[3:]
    A = np.block([[skew(K), np.zeros((3, 3))], [skew(gamma), skew(K)]])
    F, G, H = flexibility
    found: np.ndarray = np.linalg.inv(F + A.T @ G @ A - H @ A - A.T @ H)
    return (found + found.T) / 2


def bends_alike(flexibility: np.ndarray, tolerance: float = 1e-12) -> bool:
    """Whether bending and twist of a section have one stiffness about all axes, uncoupled from forces: a straight beam then has K x m = 0,
    and the flexibility of the reference is enough."""
    moments, size = flexibility[3:, 3:], abs(flexibility[3, 3])
    return bool(np.abs(moments - moments[0, 0] * np.eye(3)).max() <= tolerance * size and not np.any(flexibility[:3, 3:]))


def exact_beam(b: ArrayBuilder, item: str, places: Sequence[Place], length: float, strain: np.ndarray,
               flexibility: np.ndarray | Flexibility, *, damping: float = 0.0, viscosity: np.ndarray | None = None,
               current: bool | None = None) -> int:
    """A helicoidal element. ``strain``: screw / length as modelled. ``flexibility``: of its one section, or along it. ``damping`` [s]
    multiplies the stiffness of the reference, unless a 6x6 ``viscosity`` is given. ``current``: the correction follows the strain; by
    default where the section asks for it."""
    (A, B), F = places, uniform(flexibility, length) if isinstance(flexibility, np.ndarray) else flexibility
    stiffness = corrected_stiffness(F, strain)
    V = damping * stiffness if viscosity is None else viscosity
    follows = not all(map(bends_alike, F)) if current is None else current
    pool = b.shared(np.array([stiffness, *F]))
    ints = A.iq, A.iv, B.iq, B.iv, pool, b.shared(V) if V.any() else -1, int(follows) * (2 if F.first.any() else 1)
    return b.element(BEAM, item, ints, (length, 1 / length, *strain), tiles=(*A.tiles, *B.tiles))


def axis_mass(at: Callable[[float], float], length: float) -> np.ndarray:
    """M_4 of a mass per length at xi, exact for what goes with its first power                                          [beam-9]"""
    M = np.zeros((4, 4))
    for x, w in zip((1 + GAUSS) / 2, WEIGHTS, strict=True):
        N = np.array([1 - 3 * x**2 + 2 * x**3, x - 2 * x**2 + x**3, 3 * x**2 - 2 * x**3, x**3 - x**2])
        M += w * length * at(x) * np.outer(N, N)
    return M


def hermite_inertia(b: ArrayBuilder, item: str, places: Sequence[Place], length: float, M: np.ndarray) -> int:
    """Mass of an element along its axis; what a section has of its own is of `node_inertia`."""
    A, B = places
    return b.element(beam_inertia.INERTIA, item, (A.iq, A.iv, B.iq, B.iv), (length, *M[np.triu_indices(4)]), tiles=(*A.tiles, *B.tiles))


def node_inertia(b: ArrayBuilder, item: str, place: Place, mass: float, inertia: np.ndarray, moment: np.ndarray | None = None) -> None:
    """Half elements at a node: mass (0 with `hermite_inertia`), inertia about the node 3x3, and first moments, in axes of the node."""
    b.element(rigid.BODY, item, (place.iq, place.iv), (mass, *np.ravel(inertia)), tiles=place.tiles)
    if moment is not None and np.any(moment):
        b.element(beam_inertia.MOMENTS, item, (place.iq, place.iv), tuple(moment), tiles=place.tiles)


def bushing_between(b: ArrayBuilder, item: str, frames: tuple[int, int], stiffness: np.ndarray, damping: float) -> int:
    """A linear stiffness 6x6 between two frames that coincide as modelled; ``damping`` [s] multiplies it."""
    pool = b.pool(stiffness, damping * stiffness, np.zeros(6))
    return b.pair(bushing.BUSHING, item, *frames, (pool, b.history(3)), velocity=True)


def between(a: Place, b: Place, name: str) -> Place:
    """What frames between two nodes are on: both tiles, which must follow each other."""
    if b.tiles[0] != a.tiles[-1] + 1:
        raise ValueError("the nodes of an element must be placed one after the other")
    return Place(name, (*a.tiles, *b.tiles), a.iq, a.make_frame)


def beam_frame(b: ArrayBuilder, item: str, places: Sequence[Place], length: float, xi: float, offset: np.ndarray,
               axes: np.ndarray) -> int:
    """A frame at xi (0 to 1) of an element, in the axes of its section; returns its number."""
    A, B = places
    number = b.bare_frame(between(A, B, item))
    ints = A.iq, A.iv, B.iq, B.iv, number, b.frames[number][1], b.pool(offset, axes)
    b.element(beam_frames.FRAMES, item, ints, (length, xi), tiles=(*A.tiles, *B.tiles))
    return number


def line_load(b: ArrayBuilder, item: str, places: Sequence[Place], length: float, part: tuple[float, float], force: np.ndarray,
              moment: np.ndarray, *, follows: bool = False) -> int:
    """A frame along which a factor acts: force and moment per length (2x3: first and last place) on a ``part`` of an element, 0 to 1, in
    axes of the world or, if it follows, of the section. Returns its number."""
    A, B = places
    number = b.bare_frame(between(A, B, item))
    pool = b.shared(np.concatenate([force[0], force[1] - force[0], moment[0], moment[1] - moment[0]]))
    ints = A.iq, A.iv, B.iq, B.iv, number, b.frames[number][1], int(follows), pool
    b.element(beam_loads.FRAMES, item, ints, (length, part[0], part[1] - part[0]), tiles=(*A.tiles, *B.tiles))
    return number


def linear_stiffness(flexibility: np.ndarray | Callable[[float], np.ndarray], length: float) -> np.ndarray:
    """12x12, motions (u_A, th_A, u_B, th_B) in axes whose first one is along the beam, exact for any section: the flexibility of the end
    B by its own loads, which act as (n, m + (L - s) e_1 x n) at s; what they need at A follows from equilibrium         [eicr-9]"""
    arm = skew(np.array([1.0, 0.0, 0.0]))
    at_end = np.zeros((6, 6))
    for x, weight in zip((1 + GAUSS) / 2, WEIGHTS, strict=True):
        carry = np.eye(6)
        carry[3:, :3] = length * (1 - x) * arm
        at_end += length * weight * carry.T @ (flexibility(x) if callable(flexibility) else flexibility) @ carry
    carry = np.eye(6)
    carry[3:, :3] = length * arm
    both = np.vstack([-carry, np.eye(6)])
    found: np.ndarray = both @ np.linalg.inv(at_end) @ both.T
    return (found + found.T) / 2


def chord_axes(a: Pose, b: Pose) -> np.ndarray:
    """E of eicr-1"""
    phi, chord = rotation_vector(a.axes.T @ b.axes), (b.point - a.point) / np.linalg.norm(b.point - a.point)
    middle = a.axes @ exponential(phi / 2)
    axis = np.cross(middle[:, 0], chord)  # of length sin t
    least = np.eye(3) + skew(axis) + skew(axis) @ skew(axis) / (1 + middle[:, 0] @ chord)
    found: np.ndarray = least @ middle
    return found


def corotational_beam(b: ArrayBuilder, item: str, places: Sequence[Place], poses: Sequence[Pose], stiffness: np.ndarray,
                      damping: float = 0.0) -> int:
    """A linear stiffness 12x12, as of `linear_stiffness`, in the axes E of the poses as modelled; it must not resist rigid motions."""
    (A, B), (a, c) = places, poses
    E = chord_axes(a, c)
    motions = np.zeros((12, 7))  # of y: the chord longer, turns of A and of B
    motions[6, 0], motions[3:6, 1:4], motions[9:, 4:] = 1, np.eye(3), np.eye(3)
    pool = b.shared(np.concatenate([(motions.T @ stiffness @ motions).ravel(), (E.T @ a.axes).ravel(), (E.T @ c.axes).ravel()]))
    length = float(np.linalg.norm(c.point - a.point))
    return b.element(corotational.COROTATIONAL, item, (A.iq, A.iv, B.iq, B.iv, pool), (length, damping), tiles=(*A.tiles, *B.tiles))
