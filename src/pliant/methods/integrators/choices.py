"""The integrators that users choose from: small frozen objects, each with its orders, its stability and what it is described in."""
from __future__ import annotations

from .base import INTEGRATORS
from .explicit.choices import DOP853, AdamsBashforthMoulton, CentralDifferences, DormandPrince54, RungeKutta4
from .implicit.choices import BDF, HHT, GeneralizedAlpha, Newmark, RadauIIA5
from .special.choices import DIMCD, IDA, EnergyDecaying, EnergyMomentum

for cls in (GeneralizedAlpha, HHT, Newmark, EnergyMomentum, EnergyDecaying, DIMCD, RungeKutta4, DormandPrince54, DOP853,
            AdamsBashforthMoulton, CentralDifferences, RadauIIA5, BDF, IDA):  # in this order, before those of others
    INTEGRATORS[cls.kind] = INTEGRATORS.pop(cls.kind)
