"""Systems of units of FE files: three units, of length, mass and time. Files do not say them, so they are asked for if SI is unlikely."""
from __future__ import annotations

from typing import Any, NamedTuple

from ...functions.field_error import FieldError
from ...functions.units import quantity, shown

LIKELY = ("m, kg, s", "mm, t, s", "mm, kg, s", "mm, kg, ms", "mm, g, ms", "cm, g, s", "in, lbf s2/in, s", "ft, lbf s2/ft, s")
LBF_S2_IN, LBF_S2_FT = 175.12683524647636, 14.593902937206366  # [kg]
MODULUS, DENSITY = (1e8, 1.3e12), (150.0, 23000.0)             # of materials that parts are made of [Pa, kg/m^3]
SIZE = (1e-4, 30.0)                                              # of parts [m]


class Units(NamedTuple):
    """Factors to SI."""
    name: str
    length: float
    mass: float
    time: float

    @property
    def modulus(self) -> float:
        return self.mass / (self.length * self.time**2)

    @property
    def density(self) -> float:
        return self.mass / self.length**3

    @property
    def stiffness(self) -> float:
        return self.mass / self.time**2


def units_of(value: Any) -> Units:
    """From a text such as "mm, t, s", or a list of three."""
    words = value.split(",") if isinstance(value, str) else value
    rule = f"{shown(value)} must be three units, of length, mass and time, such as 'mm, t, s' or 'm, kg, s'"
    if not isinstance(words, (list, tuple)) or len(words) != 3 or not all(isinstance(w, str) for w in words):
        raise FieldError("units", rule)
    words = [w.strip() for w in words]
    special = {"t": 1000.0, "lbf s2/in": LBF_S2_IN, "lbf s2/ft": LBF_S2_FT}
    factors = []
    for word, unit in zip(words, ("m", "kg", "s"), strict=True):
        try:
            factors.append(special[word] if unit == "kg" and word in special else quantity(f"1 {word}", unit))
        except ValueError:
            raise FieldError("units", f"{rule}; {word!r} is no unit of "
                             f"{dict(m='length', kg='mass', s='time')[unit]}") from None
    return Units(", ".join(words), *factors)


SI = units_of("m, kg, s")


def guesses(size: float, E: float | None = None, rho: float | None = None) -> list[str]:
    """Systems in which a part of that size and its material would be an ordinary one."""
    found = []
    for name in LIKELY:
        u = units_of(name)
        good = SIZE[0] < size * u.length < SIZE[1]
        good &= E is None or MODULUS[0] < E * u.modulus < MODULUS[1]
        good &= rho is None or DENSITY[0] < rho * u.density < DENSITY[1]
        if good:
            found.append(name)
    return found


def settled(given: Any, size: float, E: float | None, rho: float | None, path: str) -> tuple[Units, str]:
    """The units to take, and a sentence about them. Without ``given``, SI if it is likely; else it is asked."""
    if given is not None:
        u = units_of(given)
        return u, f"units: {u.name}, as given"
    likely = guesses(size, E, rho)
    facts = f"the part is {size:.4g} units of length large"
    facts += (f", E = {E:g}" if E is not None else "") + (f", density {rho:g}" if rho else "")
    if "m, kg, s" in likely:
        return SI, f"units: m, kg, s are taken ({facts}); say so with units='m, kg, s'"
    guess = f"it looks like units='{likely[0]}'" if likely else "no usual system fits"
    raise ValueError(f"{path}: the numbers are not in m, kg, s ({facts}); {guess}. Give units, of length, mass and time, as "
                     "units='mm, t, s' (on the command line --units 'mm, t, s')")
