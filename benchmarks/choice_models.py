"""Thirty models for `choice.py`: shipped examples, machines, chains and stiff ones, each with the time that it runs [s]."""
from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from accuracy import example, stiff_spring

import pliant as pl
from pliant.proofs.benchmark_models import chain, fourbars


def spinning_disc() -> pl.Model:
    """A disc at 1000 rad/s beside a mass on a damped spring, 10 rad/s."""
    m = pl.Model("spinning disc")
    m.add(pl.RigidBody.cylinder("disc", radius=0.1, length=0.02, mass=1.0, position=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "disc", axis="z", angle_rate=1000.0))
    m.add(pl.RigidBody.box("mass", (0.1, 0.1, 0.1), mass=1.0, position=(1, 0, 0)))
    m.add(pl.SpringDamper("spring", m.ground.frame((0.5, 0, 0)), "mass", stiffness=100.0, damping=1.0))
    m.add(pl.Prismatic("P", m.ground.frame((1, 0, 0)), "mass", axis="x", displacement=0.1))
    return m


def vehicle() -> pl.Model:
    """Engine, gearbox, two wheels that slip as tyres do, drag."""
    m, r = pl.Model("vehicle", gravity=(0, 0, -9.81)), 0.3
    body = m.add(pl.RigidBody.box("body", size=(4, 1.6, 1), mass=1200.0, position=(0, 0, 0.8)))
    m.add(pl.Prismatic("road", m.ground.frame((0, 0, 0.8)), body, axis="x"))
    for name, x in (("front", 1.3), ("rear", -1.3)):
        wheel = m.add(pl.RigidBody.cylinder(name, radius=r, length=0.2, axis="y", mass=40.0, position=(x, 0, r)))
        m.add(pl.Revolute(f"{name}_axle", body.frame((x, 0, r - 0.8)), wheel, axis="y"))
        pull = f"4000*tanh(5*({name}_axle.angle_rate*{r} - body.velocity.x)/(abs(body.velocity.x) + 0.5))"
        m.add(pl.Force(f"{name}_tyre", wheel, (pull, 0, 0)))
        m.add(pl.Torque(f"{name}_roll", wheel, (0, f"-{r}*{pull}", 0)))
    engine = m.add(pl.RigidBody.cylinder("engine", radius=0.15, length=0.1, axis="y", mass=15.0, position=(0.8, 0, 0.5)))
    m.add(pl.Revolute("crank", body.frame((0.8, 0, -0.3)), engine, axis="y"))
    m.add(pl.Gear("gearbox", "crank", "rear_axle", ratio=1 / 8))
    m.add(pl.TorsionSpring("torque", "crank", stiffness="-(150 - 0.0004*(v - 300)^2)*step(t, 0.2, 0, 0.5, 1)"))
    m.add(pl.Force("drag", body, ("-0.4*body.velocity.x*abs(body.velocity.x)", 0, 0)))
    return m


def satellite() -> pl.Model:
    """A hub with two elastic panels and a wheel at 50 rad/s, tumbling."""
    mesh = pl.flex.mesh_beam([(0, 0, 0), (4, 0, 0)], pl.Section.rectangle("1.2 m", "20 mm"), pl.Material(5e9, 0.3, 300), elements=16)
    panel = pl.flex.reduce(mesh, {"root": (0, 0, 0), "tip": (4, 0, 0)}, modes=4)
    m = pl.Model("satellite")
    hub = m.add(pl.RigidBody.box("hub", size=(1, 1, 1.5), mass=400.0, position=(0, 0, 0), velocity=(0, 0, 0),
                                 angular_velocity=(0.3, 0.05, 0.2)))
    m.add(pl.ModalBody("left", panel, position=(-0.5, 0, 0), rotation=pl.rotation("z", "180 deg")))
    m.add(pl.ModalBody("right", panel, position=(0.5, 0, 0)))
    wheel = m.add(pl.RigidBody.cylinder("wheel", radius=0.2, length=0.06, mass=8.0, position=(0, 0, 0.3)))
    m.add(pl.Fixed("on_left", hub.frame((-0.5, 0, 0)), "left.root"))
    m.add(pl.Fixed("on_right", hub.frame((0.5, 0, 0)), "right.root"))
    m.add(pl.Revolute("axis", hub.frame((0, 0, 0.3)), wheel, axis="z", angle_rate=50.0))
    return m


def scissor_lift() -> pl.Model:
    """Two stages in the plane, lifted by a slide, then held."""
    angle = np.radians(25)
    dx, dz = 2 * np.cos(angle), 2 * np.sin(angle)
    m = pl.Model("scissor lift", gravity=(0, 0, -9.81), planar="y")
    for k in range(2):
        m.add(pl.RigidBody.rod(f"a{k}", start=(0, 0, k * dz), end=(dx, 0, (k + 1) * dz), mass=20.0))
        m.add(pl.RigidBody.rod(f"b{k}", start=(dx, 0, k * dz), end=(0, 0, (k + 1) * dz), mass=20.0))
        m.add(pl.Revolute(f"middle{k}", f"a{k}.center", f"b{k}.center", axis="y"))
    table = m.add(pl.RigidBody.box("table", size=(dx, 0.8, 0.05), mass=300.0, position=(dx / 2, 0, 2 * dz)))
    ground = m.ground
    for name, a, b in (("right", "a0.end", "b1.start"), ("left", "b0.end", "a1.start"), ("foot", ground, "a0.start"),
                       ("head", table.frame((-dx / 2, 0, 0)), "b1.end")):
        m.add(pl.Revolute(name, a, b, axis="y"))
    m.add(pl.PointOnLine("slide", ground.frame((dx, 0, 0)), "b0.start", axis="x"))
    m.add(pl.PointOnLine("top", table.frame((dx / 2, 0, 0)), "a1.end", axis="x"))
    m.add(pl.Drive("slide", "displacement", "step(t, 0, 0, 4, -0.6)", name="cylinder"))
    return m


def six_bar(driven: bool) -> pl.Model:
    """Watt's linkage with a motor at 10 rad/s, or swinging."""
    A, B, C, D = (0.0, 0.1), (0.35, 0.3), (0.5056, 0.2866), (0.95, 0.45)
    m = pl.Model("six-bar", gravity=(0, -9.81, 0), planar=True)
    ends = {"crank": ((0, 0), A), "coupler": (A, B), "rocker": ((0.4, 0), B), "link": (C, D), "last": ((0.9, 0), D)}
    for name, (start, end) in ends.items():
        more = {"C": (C[0] - (0.4 + B[0]) / 2, C[1] - B[1] / 2, 0)} if name == "rocker" else {}
        m.add(pl.RigidBody.rod(name, start=(*start, 0), end=(*end, 0), mass=1.0, frames=more))
    g = m.ground
    for k, (a, b) in enumerate(((g, "crank.start"), ("crank.end", "coupler.start"), ("coupler.end", "rocker.end"),
                                (g.frame((0.4, 0, 0)), "rocker.start"), ("rocker.C", "link.start"), ("link.end", "last.end"),
                                (g.frame((0.9, 0, 0)), "last.start"))):
        m.add(pl.Revolute(f"J{k}", a, b, axis="z"))
    if driven:
        m.add(pl.Drive("J0", "angle", "10 rad/s * t", name="motor"))
    return m


def robot_arm() -> pl.Model:
    """Six joints held by stiff springs and dampers, as controllers do, whose aims move."""
    m, before = pl.Model("robot arm", gravity=(0, 0, -9.81)), None
    lengths, masses = (0.1, 0.45, 0.4, 0.12, 0.1, 0.08), (3.7, 8.4, 2.3, 1.2, 1.2, 0.2)
    stiff, damping = (2000, 2000, 1000, 200, 200, 50), (200, 200, 100, 15, 15, 3)
    x = 0.0
    for k, (length, mass) in enumerate(zip(lengths, masses, strict=True)):
        link = m.add(pl.RigidBody.rod(f"link{k}", start=(x, 0, 0), end=(x + length, 0, 0), mass=mass, radius=0.04))
        m.add(pl.Revolute(f"J{k}", m.ground if before is None else before["end"], link["start"], axis=("z", "y", "y", "y", "z", "x")[k]))
        aim = f"step(t, 0, 0, 1.5, {0.3 + 0.2 * k})"
        m.add(pl.TorsionSpring(f"M{k}", f"J{k}", stiffness=f"{stiff[k]}*(x - {aim}) + {damping[k]}*v"))
        before, x = link, x + length
    return m


def stewart() -> pl.Model:
    """A platform on six legs that lengthen and shorten."""
    m, height = pl.Model("stewart", gravity=(0, 0, -9.81)), 0.8
    plate = m.add(pl.RigidBody.cylinder("plate", radius=0.4, length=0.04, mass=60.0, position=(0, 0, height)))
    for k, (low, high) in enumerate(zip(np.radians([-10, 10, 110, 130, 230, 250]), np.radians([-50, 50, 70, 170, 190, 290]), strict=True)):
        a = np.array([0.6 * np.cos(low), 0.6 * np.sin(low), 0])
        on = np.array([0.35 * np.cos(high), 0.35 * np.sin(high), 0])
        d = on + (0, 0, height) - a
        along = d / np.linalg.norm(d)
        side = np.cross(along, (0, 0, 1)) / np.linalg.norm(np.cross(along, (0, 0, 1)))
        tube = m.add(pl.RigidBody.rod(f"tube{k}", start=a, end=a + 0.55 * d, mass=5.0, radius=0.03))
        rod = m.add(pl.RigidBody.rod(f"rod{k}", start=a + 0.45 * d, end=a + d, mass=2.0, radius=0.015))
        m.add(pl.Universal(f"U{k}", m.ground.frame(a), tube["start"], axis=side, axis_b=np.cross(along, side)))
        m.add(pl.Cylindrical(f"P{k}", tube["end"], rod["start"], axis=along))
        m.add(pl.Spherical(f"S{k}", rod["end"], plate.frame(on)))
        m.add(pl.Drive(f"P{k}", "displacement", f"0.03*sin({2 + 0.3 * k}*t) + step(t, 0, 0, 1, 0.02)", name=f"leg{k}"))
    return m


def cam() -> pl.Model:
    """A follower pressed on a cam by a stiff law of its angle."""
    m = pl.Model("cam", gravity=(0, 0, -9.81))
    disc = m.add(pl.RigidBody.cylinder("disc", radius=0.05, length=0.02, axis="y", mass=1.0, position=(0, 0, 0)))
    follower = m.add(pl.RigidBody.box("follower", size=(0.02, 0.02, 0.1), mass=0.3, position=(0, 0, 0.1)))
    m.add(pl.Revolute("C", m.ground, disc, axis="y"))
    m.add(pl.Prismatic("F", m.ground, follower, axis="z"))
    m.add(pl.Drive("C", "angle", "30*t"))
    m.add(pl.AxialSpring("valve", "F", stiffness="2 N/mm", displacement=-0.02))
    push = "5e5*(0.01*(1 - cos(C.angle)) - F.displacement) + 200*(0.01*sin(C.angle)*C.angle_rate - F.displacement_rate)"
    m.add(pl.Force("contact", follower, (0, 0, f"max(0, {push})")))
    return m


def suspension() -> pl.Model:
    """A wheel on two arms in stiff bushings, a strut and a tyre: shaken by the road."""
    m = pl.Model("suspension", gravity=(0, 0, -9.81))
    chassis = m.add(pl.RigidBody.box("chassis", (0.5, 0.2, 0.6), mass=320.0, position=(0, 0.2, 0.5)))
    m.add(pl.Prismatic("guide", m.ground.frame((0, 0.2, 0.5)), chassis, axis="z"))
    lower = m.add(pl.RigidBody.rod("lower", start=(0, 0.35, 0.25), end=(0, 0.7, 0.22), mass=4.0, radius=0.015))
    upper = m.add(pl.RigidBody.rod("upper", start=(0, 0.4, 0.55), end=(0, 0.66, 0.56), mass=2.5, radius=0.012))
    knuckle = m.add(pl.RigidBody.box("knuckle", (0.05, 0.05, 0.34), mass=12.0, position=(0, 0.69, 0.39)))
    wheel = m.add(pl.RigidBody.cylinder("wheel", radius=0.32, length=0.2, axis="y", mass=20.0, position=(0, 0.75, 0.32)))
    m.add(pl.Spherical("low", lower["end"], knuckle.frame((0, 0.01, -0.17))))
    m.add(pl.Spherical("up", upper["end"], knuckle.frame((0, -0.03, 0.17))))
    m.add(pl.Distance("tie", chassis.frame((0.12, 0.2, -0.16)), knuckle.frame((0.12, 0, -0.05))))
    m.add(pl.Revolute("hub", knuckle.frame((0, 0.06, -0.07)), wheel, axis="y"))
    stiff, damping = (5e6, 5e6, 5e6, 50, 3000, 3000), (2000, 2000, 2000, 1, 5, 5)
    m.add(pl.Bushing("low_bush", chassis.frame((0, 0.15, -0.25)), lower["start"], stiffness=stiff, damping=damping))
    m.add(pl.Bushing("up_bush", chassis.frame((0, 0.2, 0.05)), upper["start"], stiffness=stiff, damping=damping))
    m.add(pl.SpringDamper("strut", chassis.frame((0, 0.25, 0.2)), lower.frame((0, 0.1, 0)), stiffness=45e3, damping=3000.0))
    m.add(pl.Force("tyre", wheel, (0, 0, "200000*(0.337 + 0.02*sin(8*t) - wheel.position.z) + 300*(0.16*cos(8*t) - wheel.velocity.z)")))
    return m


def stiff_chain(n: int, stiffness: float, damping: float) -> pl.Model:
    """A chain whose joints have stiff springs and dampers: a whip, a cable."""
    m = chain(n)
    for k in range(n):
        m.add(pl.TorsionSpring(f"spring_{k}", f"joint_{k}", stiffness=stiffness, damping=damping))
    return m


def excavator() -> pl.Model:
    """A boom with a stiff, damped cylinder that lengthens."""
    m = pl.Model("boom", gravity=(0, 0, -9.81))
    boom = m.add(pl.RigidBody.rod("boom", start=(0, 0, 0), end=(3, 0, 0), mass=200.0, radius=0.05))
    m.add(pl.Revolute("pivot", m.ground, boom["start"], axis="-y"))
    m.add(pl.SpringDamper("cylinder", m.ground.frame((0.5, 0, -0.8)), boom.frame((-0.5, 0, 0)),
                          stiffness="5e6*(x - step(t, 0.5, 0, 3, 0.25)) + 2e4*v", length=float(np.hypot(0.5, 0.8))))
    return m


def models() -> dict[str, tuple[Callable[[], pl.Model], float]]:
    """{name: (maker, duration)}"""
    shipped = {"andrews": 0.03, "bricard": 4.0, "cardan_shaft": 1.0, "crane_boom": 1.0, "double_four_bar": 5.0, "flexible_four_bar": 1.0,
               "flexible_slider_crank": 0.2, "four_bar": 2.0, "free_flight": 2.0, "gear_pair": 2.0, "heavy_top": 2.0, "pendulum": 5.0,
               "rotor": 2.0, "spinning_blade": 2.0, "suspended_platform": 2.0, "telescopic_boom": 2.0, "two_link_arm": 2.0}
    found: dict[str, tuple[Callable[[], pl.Model], float]] = {name: (partial(example, name), t) for name, t in shipped.items()}
    return found | {
        "spinning disc": (spinning_disc, 10.0), "vehicle": (vehicle, 10.0), "satellite": (satellite, 20.0),
        "scissor lift": (scissor_lift, 5.0), "six-bar, driven": (partial(six_bar, True), 1.3),
        "six-bar, free": (partial(six_bar, False), 1.5), "robot arm": (robot_arm, 4.0), "stewart": (stewart, 3.0), "cam": (cam, 1.0),
        "suspension": (suspension, 2.0), "stiff spring": (stiff_spring, 2.0), "boom": (excavator, 5.0),
        "chain of 10": (partial(chain, 10), 1.0),
        "chain of 40": (partial(chain, 40), 0.5), "cable of 10": (partial(stiff_chain, 10, 1e4, 100.0), 2.0),
        "cable of 30": (partial(stiff_chain, 30, 1e5, 1e3), 1.0), "four-bars, 10": (partial(fourbars, 10), 2.0)}
