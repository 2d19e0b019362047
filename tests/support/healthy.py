"""Mechanisms with nothing wrong: notes at most."""
import numpy as np
from cases import door, four_bar, healthy, parallelogram, rod, slider_crank, spherical_four_bar

import pliant as pl


@healthy()
def plane_four_bar():
    return four_bar(planar=True)


@healthy()
def plane_model_of_ball_joints_and_free_bodies():
    """Nothing but the declaration holds it in the plane."""
    m = pl.Model("plane", gravity=(0, -9.81, 0), planar=True)
    rod(m, "first", (0, 0, 0), (1, 0, 0))
    rod(m, "second", (1, 0, 0), (2, 0.5, 0))
    m.add(pl.Spherical("A", m.ground, "first.start"))
    m.add(pl.Spherical("B", "first.end", "second.start"))
    m.add(pl.SpringDamper("k", m.ground.frame((2, -1, 0)), "second.end", 50.0, 2.0))
    m.add(pl.RigidBody.sphere("ball", 0.1, mass=2, position=(0.5, 2, 0)))
    m.add(pl.PointOnLine("slot", m.ground.frame((0.5, 2, 0)), "ball", axis="x"))
    return m


@healthy()
def plane_slider_crank():
    return slider_crank(driven=("A", "angle", "20*t"), planar=True)


@healthy()
def door_on_hinge_and_bushing():
    return door(pl.Bushing)


@healthy(("redundant-equations", "A B C D"), ("non-unique-reactions", "A B C D"))
def parallelogram_almost_flat():
    """Near a singular pose, not in it."""
    return parallelogram(1e-5)


@healthy(("redundant-equations", "A B C D"), ("non-unique-reactions", "A B C D"))
def wrist():
    return spherical_four_bar()


@healthy()
def spatial_four_bar():
    """RSSR: revolute, two ball joints, revolute; the coupler may spin."""
    m = pl.Model("RSSR", gravity=(0, 0, -9.81))
    rod(m, "crank", (0, 0, 0), (0.3, 0, 0))
    rod(m, "coupler", (0.3, 0, 0), (1.0, 0.2, 0.5))
    rod(m, "rocker", (1.0, 0.2, -0.1), (1.0, 0.2, 0.5))
    m.add(pl.Revolute("A", m.ground, "crank.start", axis="z"))
    m.add(pl.Spherical("B", "crank.end", "coupler.start"))
    m.add(pl.Spherical("C", "coupler.end", "rocker.end"))
    m.add(pl.Revolute("D", m.ground.frame((1.0, 0.2, -0.1)), "rocker.start", axis="y"))
    return m


@healthy()
def hexapod():
    """Six legs of fixed length... each a cylindrical strut with a spring: platform of six degrees of freedom, struts that spin."""
    m = pl.Model("hexapod", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.cylinder("platform", 0.4, 0.05, mass=20.0, position=(0, 0, 1)))
    for k in range(6):
        foot = np.array([np.cos(k * np.pi / 3 + 0.3 * (-1)**k), np.sin(k * np.pi / 3 + 0.3 * (-1)**k), 0])
        head = np.array([0.35 * np.cos(k * np.pi / 3), 0.35 * np.sin(k * np.pi / 3), 1])
        middle = (foot + head) / 2
        rod(m, f"tube{k}", foot, middle)
        rod(m, f"piston{k}", middle, head)
        m.add(pl.Universal(f"U{k}", m.ground.frame(foot), f"tube{k}.start"))
        m.add(pl.Cylindrical(f"P{k}", f"tube{k}.end", f"piston{k}.start", axis=head - foot))
        m.add(pl.Spherical(f"S{k}", f"piston{k}.end", m["platform"].frame(head - (0, 0, 1))))
        m.add(pl.SpringDamper(f"k{k}", f"tube{k}.start", f"piston{k}.end", 2e4, 300.0))
    return m


@healthy(("inactive", "brake"))
def pendulum_with_its_brake_off():
    m = pl.Model("pendulum", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.rod("bar", (0, 0, 0), (1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", "ground", "bar.start", axis="y"))
    m.add(pl.TorsionSpring("brake", "A", damping=3.0, active=False))
    return m


@healthy(("unconnected-body", "satellite"))
def satellite():
    m = pl.Model("satellite")
    m.add(pl.RigidBody.box("satellite", (1, 2, 3), mass=500, angular_velocity=(0.1, 0.2, 0.01)))
    return m


@healthy(("zero-mass", "yoke"))
def massless_yoke_on_a_shaft():
    """A body without mass, held by a weld to one with mass."""
    m = pl.Model("yoke", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.cylinder("shaft", 0.02, 0.5, axis="x", mass=4.0))
    m.add(pl.RigidBody("yoke", 0.0, position=(0.25, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "shaft", axis="x"))
    m.add(pl.Fixed("weld", "shaft.end", "yoke"))
    return m


@healthy()
def differential():
    """A planetary gear: sun and planet turn against the carrier, which turns against the housing."""
    m = pl.Model("planetary")
    for name, x in (("carrier", 0.0), ("sun", 0.0), ("planet", 0.1)):
        m.add(pl.RigidBody.cylinder(name, 0.04, 0.02, mass=1.0, position=(x, 0, 0)))
    m.add(pl.Revolute("C", m.ground, "carrier"))
    m.add(pl.Revolute("S", "carrier", "sun"))
    m.add(pl.Revolute("P", m["carrier"].frame((0.1, 0, 0)), "planet"))
    m.add(pl.Gear("mesh", "S", "P", teeth=(20, 30)))
    return m


@healthy()
def welded_bracket():
    m = pl.Model("bracket", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.box("bracket", (0.1, 0.1, 0.2), density=7800))
    m.add(pl.Fixed("weld", m.ground, "bracket"))
    return m


@healthy()
def screw_jack():
    m = pl.Model("jack", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.cylinder("screw", 0.02, 0.3, density=7800))
    m.add(pl.Screw("thread", m.ground, "screw", lead=0.004))
    m.add(pl.Drive("thread", "angle", "6*step(t, 0, 0, 1, 1)*t"))
    return m


# -- contacts, stops, events, friction, masses that flow
@healthy()
def ball_that_falls_on_the_floor():
    m = pl.Model("ball", gravity=(0, 0, -9.81), settings={"duration": 2.0})
    m.add(pl.RigidBody.sphere("ball", 0.05, mass=0.5, position=(0, 0, 1), velocity=(0.5, 0, 0)))
    m.add(pl.Contact("bounce", m.ground, "ball", stiffness=1e8, restitution=0.7, friction=0.3))
    return m


@healthy()
def box_that_lies_on_a_slope():
    m = pl.Model("slope", gravity=(4.3, 0, -8.8), settings={"duration": 10.0})
    m.add(pl.RigidBody.box("box", (0.2, 0.3, 0.1), mass=2, position=(0, 0, 0.05)))
    m.add(pl.Contact("touch", "box", "ground", law="rigid", friction=0.6))
    return m


@healthy()
def steel_balls_in_a_row():
    """They touch as they begin."""
    m = pl.Model("cradle", gravity=(0, 0, -9.81), settings={"duration": 0.01})
    for k in range(3):
        m.add(pl.RigidBody.sphere(f"ball{k}", 0.02, density=7800, position=(0.04 * k, 0, -1), velocity=(1.0 if k == 0 else 0.0, 0, 0)))
        m.add(pl.Revolute(f"J{k}", m.ground.frame((0.04 * k, 0, 0)), m[f"ball{k}"].frame((0, 0, 1)), axis="y"))
    for k in range(2):
        m.add(pl.Contact(f"touch{k}", f"ball{k}", f"ball{k + 1}", material={"E": "206 GPa", "nu": 0.3}, restitution=0.95))
    return m


@healthy()
def journal_in_its_bearing():
    m = pl.Model("journal", gravity=(0, 0, -9.81), settings={"duration": 1.0})
    m.add(pl.RigidBody.cylinder("shaft", 0.02, 0.1, density=7800, axis="y", angular_velocity=(0, 50, 0)))
    m.add(pl.RevoluteClearance("bearing", m.ground, "shaft", clearance=1e-4, stiffness=1e9, axis="y", length=0.05))
    m.add(pl.PointOnPlane("axial", m.ground, "shaft", axis="y"))
    return m


@healthy()
def driven_arm_within_its_stops():
    """A stop exactly where it begins, and one that its drive reaches but does not pass."""
    m = pl.Model("arm", gravity=(0, 0, -9.81), settings={"duration": 5.0})
    rod(m, "arm", (0, 0, 0), (1, 0, 0))
    rod(m, "hand", (1, 0, 0), (1.5, 0, 0))
    m.add(pl.Revolute("A", "ground", "arm.start", axis="y"))
    m.add(pl.Revolute("B", "arm.end", "hand.start", axis="y"))
    m.add(pl.Drive("A", "angle", "0.5 - 0.5*cos(t)", name="motor"))
    m.add(pl.Stop("end", "A", "angle", 0, 1))
    m.add(pl.Stop("wrist", "B", "angle", "-30 deg", "30 deg", restitution=0.6))
    m.add(pl.JointFriction("rub", "B", 0.1, torque=2, static=0.15, stribeck=0.1))
    return m


@healthy()
def latch_that_breaks_later():
    m = pl.Model("latch", gravity=(0, 0, -9.81), settings={"duration": 5.0})
    rod(m, "bar", (0, 0, 0), (1, 0, 0))
    m.add(pl.Revolute("hinge", "ground", "bar.start", axis="y"))
    m.add(pl.Event("catch", "hinge.angle > 1", [pl.Lock("hinge")], once=True))
    m.add(pl.Event("let_go", "hinge.angle > 0.999", [pl.Unlock("hinge")], delay=1.0))
    m.add(pl.Event("snap", "hinge.angle > pi/2", [pl.Break("hinge")]))
    m.add(pl.Event("late", "t > 4.5", [pl.End()]))
    return m


@healthy()
def thermostat():
    """Two events that set what the other one looks at, with room between; a state machine likewise."""
    m = pl.Model("swing", gravity=(0, 0, -9.81), settings={"duration": 5.0})
    rod(m, "bar", (0, 0, 0), (1, 0, 0))
    m.add(pl.Revolute("A", "ground", "bar.start", axis="y"))
    m.add(pl.Discrete("mode", 0))
    m.add(pl.Event("up", "mode.output < 0.5 and A.angle > 0.5", [pl.Set("mode.output", 1)]))
    m.add(pl.Event("down", "mode.output > 0.5 and A.angle < 0.1", [pl.Set("mode.output", 0)]))
    m.add(pl.StateMachine("valve", ["closed", "open"], [("closed", "open", "A.angle > 0.2"), ("open", "closed", "A.angle < 0.1 or t > 4")]))
    return m


@healthy(("no-support", "rocket"))
def rocket_with_fuel_left():
    m = pl.Model("rocket", settings={"duration": 10.0})
    m.add(pl.RigidBody.cylinder("rocket", 0.1, 1.0, mass=50.0, axis="x"))
    m.add(pl.MassFlow("burn", "rocket", "50 - 4.9*t", velocity=(-2000, 0, 0)))
    return m


@healthy()
def cart_that_rolls_against_a_soft_bumper():
    """Its weight does not press on it."""
    m = pl.Model("cart", gravity=(0, 0, -9.81), settings={"duration": 5.0})
    m.add(pl.RigidBody.box("cart", (2, 1, 1), mass=1000.0, velocity=(0.3, 0, 0)))
    m.add(pl.Prismatic("rail", m.ground, "cart", axis="x"))
    m.add(pl.Contact("bumper", m.ground.frame((3, 0, 0)), m["cart"].frame((1, 0, 0)), surface_a=pl.Surface.sphere(1), restitution=0.3,
                     surface_b=pl.Surface.sphere(1), stiffness=3e4, exponent=1))
    return m
