"""Sections along a beam: one, or several at places with what is between them; their flexibility and mass per length."""
from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..flex.section import Section
from ..flex.section_matrices import SectionMatrices
from .beam_axis import skew

if TYPE_CHECKING:
    from ..flex.material import Material

OneSection = Section | SectionMatrices


@dataclass(frozen=True)
class Sections:
    """Sections at ``places`` from 0 to 1, in their order. Between two of one shape its sizes go evenly from one to the other; between
    others the values of the sections (area and moments), or the entries of their matrices."""
    places: tuple[tuple[float, OneSection], ...]

    def __post_init__(self) -> None:
        at = [s for s, _ in self.places]
        if len(at) < 2 or at[0] != 0 or at[-1] != 1 or not all(a < b for a, b in pairwise(at)):
            raise ValueError(f"sections at s = {', '.join(f'{s:g}' for s in at)}, must be at 0, at 1 and between, one at each place")
        if len({type(section) for _, section in self.places}) > 1:
            raise ValueError("some sections are given by their matrices; all or none of them must be")

    def at(self, s: float) -> OneSection:
        (low, one), (high, other) = next(pair for pair in pairwise(self.places) if s <= pair[1][0] or pair[1] is self.places[-1])
        x = min(max((s - low) / (high - low), 0.0), 1.0)
        return one if x == 0 else other if x == 1 else _between(one, other, x)


Profile = OneSection | Sections


def _between(one: OneSection, other: OneSection, x: float) -> OneSection:
    def even(a: float, b: float) -> float:
        return a + x * (b - a)
    if isinstance(one, SectionMatrices) or isinstance(other, SectionMatrices):
        mixed = ((1 - x) * np.array(getattr(one, key)) + x * np.array(getattr(other, key)) for key in ("stiffness", "mass"))
        return SectionMatrices(*mixed)  # type: ignore[arg-type]
    if one.made and one.made[:1] == other.made[:1]:
        found: Section = getattr(Section, one.made[0])(*map(even, one.made[1:], other.made[1:]))
        return found
    keys = "area", "Iy", "Iz", "J", "ky", "kz", "Iyz"
    return Section(**{key: even(getattr(one, key), getattr(other, key)) for key in keys})  # type: ignore[arg-type]


def section_at(profile: Profile, s: float) -> OneSection:
    return profile.at(s) if isinstance(profile, Sections) else profile


def unfit_material(profile: Profile, material: Material | None, shear: bool) -> tuple[str, str] | None:
    """Field and what is wrong with it."""
    by_matrices = isinstance(section_at(profile, 0.0), SectionMatrices)
    if by_matrices and material is not None:
        return "material", "has no meaning where sections are given by their matrices; leave it out"
    if by_matrices and not shear:
        return "shear", "is in the matrices of the sections; leave it out"
    if not by_matrices and material is None:
        return "material", "is missing; a beam needs it"
    return None


def flexibility_of(section: OneSection, material: Material | None, shear: bool) -> np.ndarray:
    """Strains of the section (stretch, two shears, twist, two curvatures) by its forces and moments, in its axes."""
    if isinstance(section, SectionMatrices):
        return section.flexibility
    assert material is not None
    p, E, G, out = section, material.E, material.G, np.zeros((6, 6))
    Q, _, _ = p.principal
    lean = Q[1:, 1:] @ np.diag([1 / (p.ky * G * p.area), 1 / (p.kz * G * p.area)]) @ Q[1:, 1:].T
    out[0, 0], out[3, 3] = 1 / (E * p.area), 1 / (G * p.J)
    out[1:3, 1:3] = lean if shear else 0.0
    out[4:, 4:] = np.linalg.inv(E * np.array([[p.Iy, -p.Iyz], [-p.Iyz, p.Iz]]))
    return out


def mass_of(section: OneSection, material: Material | None) -> np.ndarray:
    """6x6 per length, about the axis, in the axes of the section [kg/m, kg, kg m]."""
    if isinstance(section, SectionMatrices):
        return np.array(section.mass)
    assert material is not None
    p, out = section, np.zeros((6, 6))
    out[:3, :3] = p.area * np.eye(3)
    out[3:, 3:] = [[p.Iy + p.Iz, 0, 0], [0, p.Iy, -p.Iyz], [0, -p.Iyz, p.Iz]]
    return np.asarray(material.rho * out)


def rigid_parts(mass: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, first moments and inertia of a 6x6 matrix, each per length."""
    return float(mass[0, 0]), np.array([0.0, mass[2, 3], mass[0, 4]]), mass[3:, 3:]


def moved(mass: np.ndarray, axes: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The 6x6 mass of what is at the end of a ``way``, with these ``axes``, about the start of it."""
    turn = np.kron(np.eye(2), axes)
    shift = np.eye(6)
    shift[:3, 3:] = -skew(way)
    found: np.ndarray = shift.T @ turn @ mass @ turn.T @ shift
    return found


def drawn(section: OneSection, length: float) -> Section:
    """With the corners of its picture: of matrices by its radii of inertia, up to a hundredth of the length of the beam."""
    if isinstance(section, Section):
        return section
    m, c, I = rigid_parts(np.array(section.mass))
    own = I - m * ((c @ c) * np.eye(3) - np.outer(c, c))
    Iy, Iz = (max(float(own[k, k]), 1e-6 * float(np.trace(own)), 1e-12 * m) for k in (1, 2))
    Iyz = float(np.clip(-own[1, 2], *(0.99 * np.sqrt(Iy * Iz) * np.array([-1, 1]))))
    Iy, Iz, Iyz = np.array([Iy, Iz, Iyz]) * min(1.0, (0.01 * length) ** 2 * m / max(Iy, Iz))
    return Section(m, Iy, Iz, 2 * (Iy + Iz), Iyz=Iyz)
