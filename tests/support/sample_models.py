"""A text model, and a model with an item of every kind."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from flexible_models import bridge
from flexible_models import rod as reduced_rod

import pliant as pl
from pliant.items.base import KINDS

SLIDER_CRANK = """\
pliant: 1
name: slider crank
gravity: [0, -9.81, 0]
bodies:
  crank:  {kind: rigid, rod: {start: [0, 0, 0], end: [150 mm, 0, 0]}, mass: 0.36 kg}
  rod:    {kind: rigid, rod: {start: [150 mm, 0, 0], end: [450 mm, 0, 0]}, mass: 100 g}
  slider: {kind: rigid, mass: 0.0755 kg, inertia: [1e-5, 1e-5, 1e-5], position: [450 mm, 0, 0]}
joints:
  A: {kind: revolute, between: [ground, crank.start], axis: z}
  B: {kind: revolute, between: [crank.end, rod.start], axis: z}
  C: {kind: revolute, between: [rod.end, slider], axis: z}
  D: {kind: prismatic, between: [ground, slider], axis: x}
drives:
  motor: {joint: A, coordinate: angle, function: 150 rad/s * t}
simulate: {duration: 0.1 s, accuracy: fine, output_step: 0.1 ms}
"""


def everything(folder: Path) -> pl.Model:
    """A model with an item of every kind; it is not meant to move."""
    method = pl.GeneralizedAlpha(rho=0.8, newton="full")
    m = pl.Model("every: 'kind' # of\nitem", gravity=(0, -9.81, 1e-7), settings={"duration": "2 s", "step": 1e-3, "integrator": method})
    m.ground.frames = {"wall": {"point": (1, 2, 3), "rotation": pl.rotation((1, 2, 3), "30 deg")}, "corner": (0, 0, "5 mm")}
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(0.3, 0.1, 0), mass="350 g", velocity_at_end=(0, 0, 1)))
    box = m.add(pl.RigidBody.box("box", size=(1, 2, 3), density=100, rotation=pl.rotation((3, 1, 2), 0.3), frames={"side": (0.5, 0, 0)}))
    m.add(pl.RigidBody.cylinder("disc", radius=0.1, length=0.02, axis=(1, 1, 0), mass=1))
    m.add(pl.RigidBody.sphere("ball", radius=0.1, mass=1 / 3, position=(0, 0, 4)))
    m.add(pl.RigidBody.point_mass("bob", mass=0.1))
    reduced_rod().save(folder / "part.h5")
    bridge(2).save(folder / "bridge.h5")
    m.add(pl.ModalBody("girder", folder / "bridge.h5"))
    m.add(pl.ModalBody("flexible", folder / "part.h5", damping=[0.01] * reduced_rod().n, modal={"mode 1": 1e-3}, stiffening="off"))
    m.add(pl.Beam("mast", (1, 1, 0), (1, 1, "2 m"), pl.Section.tube("40 mm", "2 mm"), "aluminium", elements=3, damping="1 ms", lumped=True,
                  up=(1, 1, 0), twist="10 deg", formulation="corotational", shear=False, frames={"lamp": 0.9}, velocity=(0, 0, 1)))
    bow = [(0, 0, 5), (1, 0, 5), (2, 0.3, 5), (3, 1, 5)]
    m.add(pl.Beam("leaf", points=bow, profile=pl.Section.circle("5 mm"), material=pl.Material(1e9, 0.4, 1e3)))
    wall, side, disc, ball = m.ground["wall"], box["side"], m["disc"], m["ball"]
    m.add(pl.Revolute("revolute", wall, rod["start"], axis=(1, 2, 2), zero="10 deg"))
    m.add(pl.Revolute("second", wall, disc, axis="-x"))
    m.add(pl.Spherical("spherical", rod["end"], side))
    m.add(pl.Universal("universal", wall, side, axis="x", axis_b="y"))
    m.add(pl.Prismatic("prismatic", m.ground, ball.frame((1, 0, 0), rotation=pl.rotation("z", 0.1)), axis="x", zero=0.1))
    m.add(pl.Cylindrical("cylindrical", rod, box, axis="y"))
    m.add(pl.Planar("planar", wall, disc, axis="z"))
    m.add(pl.Cylindrical("held", "ground", "ball", at=(0, "4 cm", 4), axis=(0, 1, 1), hold=["displacement"]))
    m.add(pl.Fixed("fixed", wall, m["bob"]))
    m.add(pl.Screw("screw", wall, disc, lead="2 mm"))
    m.add(pl.Distance("distance", wall, disc, length=2))
    m.add(pl.PointOnLine("on_line", wall, disc))
    m.add(pl.PointOnPlane("on_plane", wall, disc))
    m.add(pl.Joint("own", wall, disc, primitives=["coincident", ("d1", "x", "z"), ["d2", "y"], ("distance", "2 m")], axis_x="x"))
    m.add(pl.SlidingOnBeam("slide", "girder.rail", disc, turning="axis", displacement="200 mm", angle="10 deg", angle_rate=0.5))
    m.add(pl.KnifeEdge("blade", wall, rod, axis="y"))
    m.add(pl.RollingDisc("tumbler", wall, disc, radius="100 mm", axis="z", axis_b=(1, 1, 0.1)))
    m.add(pl.RollingSphere("bowl", wall, ball, radius=0.1, sphere="1 m", inside=True))
    m.add(pl.Wheelset("train", wall, rod, radius="460 mm", gauge=1.5, conicity=0.05, along="y", axis_b="-x"))
    m.add(pl.PointOnCurve("bead", m.ground, disc, curve=pl.Curve(x="cos(s)", y="sin(s)", range=(0, 6.25))))
    m.add(pl.Cam("lobe", wall, rod, profile=pl.Curve(polar="0.5 + 0.05*cos(2*phi)"), follower="roller", radius="20 cm"))
    m.add(pl.CurveOnCurve("lobes", m.ground, box, curve_a=pl.Curve(ellipse=(0.9, 0.7)), curve_b=pl.Curve(circle="30 cm")))
    m.add(pl.Gear("gear", "revolute", "second", teeth=(20, 41)))
    m.add(pl.Coupling("cam", "prismatic.displacement", "0.02*(1 - cos(revolute.angle)) + 0.1*second.angle*t"))
    m.add(pl.RackPinion("rack", "prismatic", "revolute", radius=0.05))
    m.add(pl.Drive("revolute", "angle", "if(t < 1, 2, sin(t)) * 30 deg"))
    m.add(pl.Drive("prismatic", "displacement", pl.Table([0, 1, 2], [0, 1.5, 2], kind="linear"), name="shaker"))
    m.add(pl.Drive("second", "angle", speed="150 rpm + ramp(t, 0, 1)", name="spinner"))
    m.add(pl.SpringDamper("spring", wall, ball, stiffness="12 N/mm", damping="3 * v + v^3", length="10 cm"))
    m.add(pl.TorsionSpring("torsion", "revolute", stiffness=2, damping=0.1, angle="5 deg"))
    m.add(pl.AxialSpring("axial", "slide", stiffness="2 kN/m", damping="v^3", displacement="5 mm"))
    m.add(pl.JointTorque("motor", "revolute", "2 N*m - 0.1*revolute.angle_rate"))
    m.add(pl.JointForce("piston", "prismatic", pl.Table([0, 1], [0, 5])))
    m.add(pl.DistributedLoad("snow", "girder", "snow", "ramp(t, 0, 1)"))
    m.add(pl.LineLoad("wind", rod["start"], rod["end"], (0, "3 N/m", 0), force_at_end=(1, 0, "2 kN/m"), factor=0.5))
    m.add(pl.Bushing("bushing", wall, box, stiffness=[1, 2, 3, 4, 5, 6], damping=np.eye(6).tolist()))
    m.add(pl.Force("push", side, ["10 N * sin(t)", 0, "2 N"], axes="frame", reaction=disc))
    m.add(pl.Torque("twist", ball, [0, 0, pl.Table([0, 1], [0, 1])]))
    m.add(pl.Measure("gap", wall, ball))
    m.parameter("half", "0.5 m")
    m.table("lift", pl.Table([0, 1, 2], [0, 3, 1], "linear", "extrapolated"))
    m.table("field", pl.Table2([0, 1], [0, 1, 2], [[0, 1, 2], [3, 4, 7]], "linear"))
    m.add(pl.Variable("slip", "half*revolute.angle_rate + lift(t) - field(t, gap.distance)", "m/s"))
    m.add(pl.Measure("seen", wall, ball, axes=side))
    m.add(pl.Group("pair", [ball, rod]))
    add_drives(m, wall, ball)
    m.add(pl.Revolute("J", wall, m["bob"], axis="y"))
    known = {item.kind for item in m}
    for number, (kind, cls) in enumerate(KINDS["blocks"].items()):
        if kind not in known | {"controller"} and cls.__module__.startswith("pliant."):  # that is a function of Python
            made = cls.example("ground", "bob")[-1]
            m.add(made.model_copy(update={"name": "d" if kind == "discrete" else f"block_{number}"}))
    return m


def add_drives(m: pl.Model, a: Any, b: Any) -> None:
    """Motors on the joint ``revolute``, cylinders between two frames and on the joint ``prismatic``, and what feeds them."""
    size = {"bore": "50 mm", "rod_diameter": 0.02, "stroke": 0.4, "cap_volume": "0.1 l", "rod_volume": 1e-4}
    m.add(pl.DCMotor("dc", "revolute", "24 V * sin(t)", resistance="2 ohm", inductance="3 mH", constant=0.1, ratio=50, efficiency=0.9))
    m.add(pl.PMSM("brushless", "revolute", "5 V", "-dc.current", resistance=1, inductance=1e-3, flux="0.1 Wb", pole_pairs=4))
    m.add(pl.RotorInertia("rotor", "revolute", 1e-4, 50))
    m.add(pl.Contact("contact", m.ground["wall"], "ball", material_a="steel", material_b={"E": "70 GPa", "nu": 0.33}, friction=0.2,
                     slow="1 mm/s"))
    m.add(pl.Contact("edges", "box", m["disc"].frame((0, 0, 1)), surface_b=pl.Surface.convex([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
                     law="impact", stiffness=1e5, damping=10, ramp="1 mm"))
    m.add(pl.Stop("stop", "revolute", "angle", "-90 deg", 2.0, stiffness=1e3, restitution=0.3, slow="1 deg/s"))
    m.add(pl.JointFriction("grease", "revolute", 0.1, static=0.2, radius="20 mm", axial_radius=0.01, length="40 mm", preload="1 N*m"))
    m.add(pl.Brake("brake", "revolute", 0.4, pressure="1 bar * t", area="2 cm^2", radius="80 mm", faces=2))
    m.add(pl.Clutch("clutch", "revolute", "second", 0.3, force="100*t", radius="0.1 m"))
    m.add(pl.RevoluteClearance("worn", a, b, clearance="0.5 mm", stiffness=1e9, axis=(1, 0, 1), length="3 cm"))
    m.add(pl.SphericalClearance("socket", a, b, clearance="10 um", stiffness=1e9, law="lankarani-nikravesh", restitution=0.9))
    m.add(pl.MassFlow("leak_of_ball", "ball", "2 - 0.1*t", at=[(0, 0, "-5 cm")], velocity=(0, 0, "-50 m/s")))
    m.add(pl.Circuit("circuit", {"U": {"kind": "voltage", "between": ["in", "ground"], "value": "sin(t)"},
                                 "C": {"kind": "capacitor", "between": ["out", "ground"], "value": "10 uF", "start": 2},
                                 "R": {"kind": "resistor", "between": ["in", "out"], "value": "3 ohm"}}))
    m.add(pl.HydraulicCylinder("jack", a, b, closed=0.2, **size))
    m.add(pl.HydraulicJointCylinder("ram", "prismatic", air=0.01, **size))
    m.add(pl.HydraulicSupply("oil", "140 bar"))
    m.add(pl.HydraulicVolume("chamber", "2 l", "30 bar"))
    m.add(pl.Accumulator("bottle", "2 l", "40 bar", "60 bar"))
    m.add(pl.DirectionalValve("valve", "0.1*t", supply="oil", tank="chamber", a="jack.cap", b="jack.rod", rated_flow="40 l/min",
                              rated_drop="35 bar", frequency="40 Hz"))
    m.add(pl.HydraulicOrifice("throttle", "oil", "ram.cap", 1e-3, 1e6, "abs(sin(t))"))
    m.add(pl.CheckValve("check", "oil", "bottle", "10 l/min", "5 bar", "0.5 bar"))
    m.add(pl.ReliefValve("relief", "oil", "chamber", "150 bar", 1e-9))
    m.add(pl.HydraulicLeakage("leak", "ram.cap", "ram.rod", 1e-12))
    m.add(pl.Pump("pump", "chamber", "bottle", "10 cm^3/rev", "1500 rpm"))
    m.add(pl.HydraulicLine("hose", "bottle", "closed", "3 m", "12 mm", lumps=2))
    m.add(pl.PneumaticCylinder("bellows", a, b, closed=0.2, **size))
    m.add(pl.PneumaticJointCylinder("shock", "prismatic", exponent=1.4, heat_transfer="2 W/K", **size))
    m.add(pl.PneumaticSupply("air", "6 bar"))
    m.add(pl.PneumaticVolume("vessel", "10 l"))
    m.add(pl.PneumaticOrifice("tap", "air", "vessel", 1e-8, 0.3))
