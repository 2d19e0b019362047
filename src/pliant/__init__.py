"""pliant: flexible multibody dynamics. ``import pliant as pl``; names are loaded when they are first used."""
from __future__ import annotations

from importlib import import_module
from typing import Any

from ._facade import loaded_on_use

__version__ = "0.1.0"

_WHERE = {
    "model": ("Model",),
    "items.base": ("rotation",),
    "items.errors": ("ItemError", "ModelError", "SimulationError"),
    "items.bodies": ("RigidBody",),
    "items.modal": ("ModalBody",),
    "items.beams": ("Beam",),
    "items.adaptive": ("AdaptiveModes",),
    "items.style": ("Style",),
    "items.joints": ("Revolute", "Spherical", "Universal", "Prismatic", "Cylindrical", "Planar", "Fixed", "Screw",
                     "Distance", "PointOnLine", "PointOnPlane", "Joint"),
    "items.couplings": ("Gear", "RackPinion"),
    "items.relations": ("Coupling",),
    "items.drives": ("Drive",),
    "items.rolling": ("KnifeEdge", "RollingDisc", "RollingSphere", "Wheelset"),
    "items.sliding": ("SlidingOnBeam",),
    "items.curves": ("Curve",),
    "items.on_curves": ("PointOnCurve",),
    "items.cams": ("Cam", "CurveOnCurve"),
    "items.springs": ("SpringDamper", "TorsionSpring", "AxialSpring", "Bushing"),
    "items.joint_loads": ("JointTorque", "JointForce"),
    "items.distributed_loads": ("DistributedLoad", "LineLoad"),
    "items.forces": ("Force", "Torque", "Measure"),
    "items.mass_flow": ("MassFlow",),
    "items.variables": ("Variable",),
    "items.blocks": ("Input", "Integral"),
    "items.state_feedback": ("StateFeedback", "Kalman"),
    "items.computed_torque": ("ComputedTorque",),
    "items.sampled": ("Sample", "UnitDelay", "Quantize", "Relay", "Delay", "Noise"),
    "items.controllers": ("Controller",),
    "items.actions": ("Break", "Connect", "End", "Lock", "Release", "Set", "Unlock"),
    "items.events": ("Discrete", "Event", "StateMachine"),
    "items.filters": ("LowPass", "SecondOrder", "LeadLag", "Washout", "Notch"),
    "items.sensors": ("Sensor",),
    "items.limiters": ("Saturation", "DeadBand", "Backlash", "RateLimit"),
    "items.linear_blocks": ("TransferFunction", "Pade", "StateSpace"),
    "items.pid": ("PID",),
    "items.motors": ("DCMotor", "PMSM", "RotorInertia"),
    "items.stops": ("Stop",),
    "items.clearances": ("RevoluteClearance", "SphericalClearance"),
    "items.friction": ("JointFriction", "Brake", "Clutch"),
    "items.contacts": ("Contact",),
    "items.surfaces": ("Surface",),
    "items.circuits": ("Circuit",),
    "items.hydraulics": ("HydraulicVolume", "HydraulicSupply", "Accumulator", "HydraulicOrifice", "CheckValve", "ReliefValve",
                         "HydraulicLeakage", "Pump", "DirectionalValve"),
    "items.hydraulic_lines": ("HydraulicLine",),
    "items.pneumatics": ("PneumaticVolume", "PneumaticSupply", "PneumaticOrifice"),
    "items.cylinders": ("HydraulicCylinder", "HydraulicJointCylinder", "PneumaticCylinder", "PneumaticJointCylinder"),
    "items.groups": ("Group",),
    "functions.table": ("Table",),
    "functions.profiles": ("Profile",),
    "functions.shapers": ("Shaper",),
    "functions.table2": ("Table2",),
    "flex.material": ("Material", "STEEL", "ALUMINIUM"),
    "flex.section": ("Section",),
    "flex.section_matrices": ("SectionMatrices",),
    "methods.integrators.choices": ("GeneralizedAlpha", "HHT", "Newmark", "EnergyMomentum", "EnergyDecaying", "DIMCD", "RungeKutta4",
                                    "DormandPrince54", "DOP853", "AdamsBashforthMoulton", "CentralDifferences", "RadauIIA5", "BDF", "IDA"),
    "methods.formulations.choices": ("Index3", "StabilizedIndex2", "Index1", "Recursion", "Baumgarte", "DirectCorrection", "Partitioning",
                                     "Penalty", "AugmentedLagrangian", "CoordinatePartitioning", "NullSpace"),
    "solution": ("Solution",),
    "text.model_text": ("read",),
    "results.results_file": ("load",),
}
_names, _load = loaded_on_use(__name__, _WHERE)
__all__ = [*_names, "__version__", "flex"]


def __getattr__(name: str) -> Any:
    return import_module(".flex", __name__) if name == "flex" else _load(name)


def __dir__() -> list[str]:
    return sorted(__all__)
