"""Cross-sections of beams. The section lies in the axes y (to the side) and z (``up``), its centroid at the origin; x is along the beam."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import quantity, shown


@dataclass(frozen=True)
class Section:
    """``area`` [m^2]; ``Iy`` = int z^2, ``Iz`` = int y^2, ``Iyz`` = int y z [m^4]; torsion constant ``J`` [m^4]; shear factors ``ky``,
    ``kz`` along y and z (along the principal axes if Iyz is not zero). The shear centre is taken at the centroid. ``points``: places
    (y, z) [m] where stresses are wanted, each with the shear stress per unit of torque [1/m^3] there (0 if it is left out). ``made``: the
    shape it was made of, and its sizes [m]."""
    area: float
    Iy: float
    Iz: float
    J: float
    ky: float = 5 / 6
    kz: float = 5 / 6
    Iyz: float = 0.0
    points: tuple[tuple[float, float, float], ...] = ()
    made: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _points(self.points))
        for name, unit in (("area", "m^2"), ("Iy", "m^4"), ("Iz", "m^4"), ("J", "m^4"), ("ky", ""), ("kz", ""), ("Iyz", "m^4")):
            try:
                object.__setattr__(self, name, quantity(getattr(self, name), unit))
            except ValueError as error:
                raise FieldError(name, str(error), before="section: ") from None
            if name != "Iyz" and not getattr(self, name) > 0:
                raise FieldError(name, f"{shown(getattr(self, name))} must be greater than zero", before="section: ")
        if self.Iyz**2 >= self.Iy * self.Iz:
            raise FieldError("Iyz", f"{self.Iyz:g} is larger than sqrt(Iy Iz) = {math.sqrt(self.Iy * self.Iz):g}; no section "
                             "has that",
                             before="section: ")

    @staticmethod
    def rectangle(width: float | str, height: float | str) -> Section:
        """Solid rectangle, ``width`` along y, ``height`` along z (up). J by the series of Saint-Venant, shear factor 5/6."""
        b, h = _length("width", width), _length("height", height)
        J = _rectangle_torsion(b, h)
        corners = [(y * b / 2, z * h / 2, 0.0) for y, z in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        flat, steep = _rectangle_shear(b, h, J), _rectangle_shear(h, b, J)
        sides = [(0.0, h / 2, flat), (0.0, -h / 2, flat), (b / 2, 0.0, steep), (-b / 2, 0.0, steep)]
        return Section(b * h, b * h**3 / 12, h * b**3 / 12, J, points=(*corners, *sides), made=("rectangle", b, h))

    @staticmethod
    def circle(radius: float | str) -> Section:
        """Solid circle; shear factor 6/7 (that of Cowper for nu = 0.3 is 0.89)."""
        r = _length("radius", radius)
        I = math.pi * r**4 / 4
        return Section(math.pi * r**2, I, I, 2 * I, 6 / 7, 6 / 7, points=_ring(r, 2 * I), made=("circle", r))

    @staticmethod
    def tube(radius: float | str, thickness: float | str) -> Section:
        """Round tube of outer ``radius``; shear factor 6/7 to 1/2 from solid to thin (Cowper's form, nu = 0)."""
        r, t = _length("radius", radius), _length("thickness", thickness)
        if t >= r:
            raise FieldError("thickness", f"{t:g} m must be smaller than the radius {r:g} m; for a solid one take "
                             "Section.circle",
                             before="section: ")
        i, m2 = r - t, ((r - t) / r) ** 2
        k = 6 * (1 + m2) ** 2 / (7 * (1 + m2) ** 2 + 20 * m2)
        I = math.pi * (r**4 - i**4) / 4
        return Section(math.pi * (r**2 - i**2), I, I, 2 * I, k, k, points=_ring(r, 2 * I), made=("tube", r, t))

    @staticmethod
    def general(area: float | str, Iy: float | str, Iz: float | str, J: float | str, ky: float = 5 / 6, kz: float = 5 / 6,
                Iyz: float | str = 0.0, points: tuple[tuple[float, ...], ...] = ()) -> Section:
        """Any section by its values."""
        return Section(area, Iy, Iz, J, ky, kz, Iyz, points)  # type: ignore[arg-type]

    @property
    def principal(self) -> tuple[np.ndarray, float, float]:
        """Principal axes Q (3, 3; columns in the axes of the section, the first is x), and int y^2, int z^2 about them."""
        if self.Iyz == 0:
            return np.eye(3), self.Iz, self.Iy
        values, vectors = np.linalg.eigh([[self.Iz, self.Iyz], [self.Iyz, self.Iy]])
        if abs(vectors[0, 0]) < abs(vectors[0, 1]):  # the axes stay as near to those of the section as they can
            values, vectors = values[::-1], vectors[:, ::-1]
        vectors = vectors * np.where(np.diag(vectors) < 0, -1.0, 1.0)
        Q = np.eye(3)
        Q[1:, 1:] = vectors
        return Q, float(values[0]), float(values[1])


def _length(name: str, value: float | str) -> float:
    try:
        x = quantity(value, "m")
    except ValueError as error:
        raise FieldError(name, str(error), before="section: ") from None
    if not x > 0:
        raise FieldError(name, f"{shown(value)} must be greater than zero", before="section: ")
    return x


def _rectangle_torsion(b: float, h: float) -> float:
    """J = a c^3 (1/3 - 64 c / (pi^5 a) sum tanh(k pi a / 2 c) / k^5), k odd, a >= c the sides."""
    a, c = max(b, h), min(b, h)
    s = sum(math.tanh(k * math.pi * a / (2 * c)) / k**5 for k in range(1, 30, 2))
    return a * c**3 * (1 / 3 - 64 * c / (math.pi**5 * a) * s)


def _rectangle_shear(across: float, along: float, J: float) -> float:
    """Shear stress per torque in the middle of a side of length ``across`` (Saint-Venant): the slope there of Prandtl's function of a
    rectangle ``across`` x ``along``, over J: along (1 - 8 / pi^2 sum 1 / (k^2 cosh(k pi across / (2 along)))), k odd."""
    s = sum(1 / (k**2 * math.cosh(min(k * math.pi * across / (2 * along), 700.0))) for k in range(1, 60, 2))
    return along * (1 - 8 / math.pi**2 * s) / J


def _ring(r: float, J: float) -> tuple[tuple[float, float, float], ...]:
    """Eight points on a circle."""
    return tuple((r * math.cos(k * math.pi / 4), r * math.sin(k * math.pi / 4), r / J) for k in range(8))


def _points(given: Any) -> tuple[tuple[float, float, float], ...]:
    found = []
    for p in given:
        if not isinstance(p, (tuple, list)) or len(p) not in (2, 3):
            raise FieldError("points", f"{shown(p)} must be (y, z) or (y, z, shear stress per torque)",
                             before="section: ")
        try:
            found.append((quantity(p[0], "m"), quantity(p[1], "m"), float(p[2]) if len(p) == 3 else 0.0))
        except (TypeError, ValueError) as error:
            raise FieldError("points", str(error), before="section: ") from None
    return tuple(found)
