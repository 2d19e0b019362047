"""pliant: flexible multibody dynamics. ``import pliant as pl``; names are loaded when they are first used."""
from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_WHERE = {
    "model": ("Model",),
    "items.base": ("rotation",),
    "items.errors": ("ItemError", "ModelError", "SimulationError"),
    "items.bodies": ("RigidBody",),
    "items.modal": ("ModalBody",),
    "items.style": ("Style",),
    "items.joints": ("Revolute", "Spherical", "Universal", "Prismatic", "Cylindrical", "Planar", "Fixed", "Screw",
                     "Distance", "PointOnLine", "PointOnPlane", "Joint"),
    "items.couplings": ("Gear", "RackPinion"),
    "items.drives": ("Drive",),
    "items.sliding": ("SlidingOnBeam",),
    "items.springs": ("SpringDamper", "TorsionSpring", "AxialSpring", "Bushing"),
    "items.forces": ("Force", "Torque", "Measure"),
    "functions.table": ("Table",),
    "flex.material": ("Material", "STEEL", "ALUMINIUM"),
    "flex.section": ("Section",),
    "methods.integrators.choices": ("GeneralizedAlpha", "HHT", "Newmark", "EnergyMomentum", "DIMCD", "RungeKutta4", "DormandPrince54",
                                    "DOP853", "AdamsBashforthMoulton", "CentralDifferences", "RadauIIA5", "BDF", "IDA"),
    "methods.formulations.choices": ("Index3", "StabilizedIndex2", "Index1", "Recursion", "Baumgarte", "DirectCorrection", "Partitioning",
                                     "Penalty", "AugmentedLagrangian", "CoordinatePartitioning", "NullSpace"),
    "solution": ("Solution",),
    "text.model_text": ("read",),
    "results.results_file": ("load",),
}
_NAMES = {name: module for module, names in _WHERE.items() for name in names}
__all__ = [*_NAMES, "__version__", "flex"]


def __getattr__(name: str) -> Any:
    if name == "flex":
        return import_module(".flex", __name__)
    if name not in _NAMES:
        raise AttributeError(f"module 'pliant' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_NAMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
