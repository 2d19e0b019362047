"""Linear elastic, isotropic materials."""
from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

from ..functions.field_error import FieldError
from ..functions.units import quantity, shown

SLOWEST, FASTEST = 8.0, 2e4  # [m/s] sound in very soft rubber; more than in diamond


@dataclass(frozen=True)
class Material:
    """Young's modulus ``E`` [Pa], Poisson's ratio ``nu``, density ``rho`` [kg/m^3]; texts such as "210 GPa" are understood."""
    E: float
    nu: float
    rho: float

    def __post_init__(self) -> None:
        for field, unit in (("E", "Pa"), ("nu", ""), ("rho", "kg/m^3")):
            try:
                object.__setattr__(self, field, quantity(getattr(self, field), unit))
            except ValueError as error:
                raise FieldError(field, str(error), before="material: ") from None
        if not self.E > 0:
            raise FieldError("E", f"{shown(self.E)} Pa must be greater than zero", before="material: ")
        if not self.rho >= 0:
            raise FieldError("rho", f"{shown(self.rho)} kg/m^3 must not be negative", before="material: ")
        if not -1 < self.nu < 0.5:
            raise FieldError("nu", f"{shown(self.nu)} must be between -1 and 0.5 (not reached); for rubber take 0.499",
                             before="material: ")
        speed = math.sqrt(self.E / self.rho) if self.rho > 0 else 1e3
        if not SLOWEST < speed < FASTEST:
            warnings.warn(f"material: E = {self.E:g} Pa and rho = {self.rho:g} kg/m^3 make sound {speed:.3g} m/s fast, which no solid has; "
                          "are both in SI units? Steel has 210e9 Pa and 7850 kg/m^3", stacklevel=4)

    @property
    def G(self) -> float:
        """Shear modulus [Pa]."""
        return self.E / (2 * (1 + self.nu))


STEEL = Material(210e9, 0.3, 7850.0)
ALUMINIUM = Material(70e9, 0.33, 2700.0)
