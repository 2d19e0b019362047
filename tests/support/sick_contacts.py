"""Contacts and clearances with something wrong, each with exactly what `check` must find."""
import numpy as np
from cases import TEN_SECONDS, pendulum, rod, sick, swinging
from flexible_models import rod as flexible_rod

import pliant as pl


def ball(height=0.06, settings=None, floor="ground", velocity=None, **contact):
    """Of 50 mm and 0.5 kg, 10 mm above the floor."""
    m = pl.Model("ball", gravity=(0, 0, -9.81), settings=settings or {"duration": 1.0})
    m.add(pl.RigidBody.sphere("ball", 0.05, mass=0.5, position=(0, 0, height), velocity=velocity))
    m.add(pl.Contact("bounce", floor, "ball", **({"stiffness": 1e8} | contact)))
    return m


# -- contacts as they begin
@sick(("contact-overlap", "bounce"), notes=[])
def ball_within_the_floor():
    return ball(0.04)


@sick(("contact-overlap", "bounce"), notes=[])
def ball_under_the_floor():
    return ball(-0.2)


@sick(("contact-overlap", "bounce"), notes=[])
def ball_within_a_rigid_floor():
    return ball(0.04, law="rigid", stiffness=None)


@sick(("contact-overlap", "hole"), notes=[])
def ball_outside_of_its_hole():
    m = pl.Model("hole")
    m.add(pl.RigidBody.sphere("ball", 0.01, mass=0.1, position=(0.2, 0, 0)))
    m.add(pl.Contact("hole", m.ground, "ball", surface_a=pl.Surface.hollow_sphere(0.05), stiffness=1e8))
    return m


@sick(("contact-overlap", "bearing"), notes=[])
def journal_beyond_its_clearance():
    m = pl.Model("journal")
    m.add(pl.RigidBody.cylinder("shaft", 0.02, 0.1, density=7800, position=(0.003, 0, 0)))
    m.add(pl.RevoluteClearance("bearing", m.ground, "shaft", clearance=1e-3, stiffness=1e8, length=0.05))
    return m


@sick(("contact-fixed", "bounce"), notes=[])
def contact_between_bodies_that_a_weld_makes_one():
    m = ball(velocity=(0, 0, 0))
    m.add(pl.Fixed("weld", m.ground.frame((0, 0, 0.06)), "ball"))
    return m


@sick(("contact-fixed", "rub"), notes=[])
def contact_between_bodies_welded_to_a_third():
    m = pl.Model("welded")
    m.add(pl.RigidBody.box("plate", (1, 1, 0.1), mass=5.0))
    for name, x in (("left", -0.3), ("right", 0.3)):
        m.add(pl.RigidBody.sphere(name, 0.1, mass=2.0, position=(x, 0, 0.2)))
        m.add(pl.Fixed(f"weld_{name}", m["plate"].frame((x, 0, 0.2)), name))
    m.add(pl.Revolute("A", m.ground, "plate"))
    m.add(pl.Contact("rub", "left", "right", stiffness=1e8, friction=0.3))
    return m


@sick(("contact-fixed", "play A"), notes=[])
def clearance_beside_the_joint_that_it_replaces():
    m = pendulum()
    m.add(pl.RevoluteClearance("play", "ground", "bar.start", clearance=1e-4, stiffness=1e9, axis="y"))
    return m


@sick(("contact-twice", "bounce again"), notes=[])
def contact_given_twice():
    m = ball()
    m.add(pl.Contact("again", "ball", "ground", stiffness=1e8))
    return m


@sick(("contact-conforming", "socket"), notes=[])
def ball_that_fits_its_socket_too_well():
    m = pl.Model("hip")
    m.add(pl.RigidBody.sphere("ball", 0.05, density=7800))
    m.add(pl.Contact("socket", m.ground, "ball", surface_a=pl.Surface.hollow_sphere(0.05003), material="steel"))
    return m


@sick(("implausible-contact", "bounce"), notes=[])
def friction_in_per_cent():
    return ball(friction=30)


@sick(("implausible-contact", "bounce"), ("contact-depth", "bounce"), notes=[])
def modulus_in_gigapascal():
    return ball(material={"E": 210, "nu": 0.3}, stiffness=None)


@sick(("implausible-contact", "bounce"), notes=[])
def rolling_resistance_of_metres():
    return ball(rolling=5)


@sick(("implausible-contact", "bounce"), notes=[])
def friction_that_is_viscous_up_to_a_gallop():
    return ball(friction=0.3, friction_model="regularised", slip_speed=15)


@sick(("implausible-contact", "play"), notes=[])
def clearance_of_half_a_metre():
    return hung(clearance=0.5, stiffness=1e9)


@sick(("contact-depth", "play"), notes=[])
def bearing_as_soft_as_a_spring():
    return hung(clearance=1e-4, stiffness=100)


def hung(**play):
    m = pl.Model("hung", gravity=(0, 0, -9.81), settings=TEN_SECONDS)
    rod(m, "bar", (0, 0, 0), (1, 0, 0))
    m.add(pl.SphericalClearance("play", m.ground, "bar.start", **play))
    return m


@sick(("stick-length", "bounce"), notes=[])
def bristles_longer_than_the_ball():
    return ball(friction=0.3, stick_length=0.1)


@sick(notes=[("idle-friction", "bounce")])
def bristles_without_friction():
    return ball(stick_length=1e-4)


# -- how contacts meet
@sick(("contact-depth", "bounce"), notes=[])
def contact_with_a_stiffness_in_newton_per_millimetre():
    return ball(stiffness=3162.0)


@sick(("contact-depth", "bounce"), notes=[])
def contact_too_soft_for_what_falls_on_it():
    return ball(1.05, stiffness=5e5)


@sick(notes=[("contact-hard", "bounce")])
def contact_harder_than_diamond():
    return ball(settings=TEN_SECONDS, stiffness=1e14)


@sick(("contact-step", "bounce"), notes=[("contact-restitution", "bounce")])
def ball_that_bounces_between_steps():
    return ball(settings={"duration": 1.0, "step": 1e-3}, law="hunt-crossley", restitution=0.5)


@sick(("contact-step", "end"), notes=[])
def stop_that_is_touched_between_steps():
    return swinging(pl.Stop("end", "A", "angle", upper=0.5), step=1e-3)


@sick(notes=[("contact-restitution", "bounce")])
def linear_contact_that_gives_back_what_it_will():
    return ball(stiffness=1e6, law="linear", damping=200.0)


@sick(notes=[("contact-restitution", "bounce")])
def impact_function_that_hardly_damps():
    return ball(law="impact", damping=10.0, ramp=1e-4)


@sick(notes=[("contact-restitution", "bounce")])
def restitution_of_faster_impacts_than_come():
    return ball(restitution=0.5, slow=20)


@sick(("contact-restitution", "bounce"), notes=[])
def law_that_makes_energy():
    return ball(stiffness=None, force="1e8*x^1.5*(1 - 0.2*v)")


@sick(("contact-law", "bounce"), notes=[("contact-restitution", "bounce")])
def law_that_pushes_before_it_touches():
    return ball(stiffness=None, force="100")


@sick(("contact-law", "bounce"))
def law_with_the_wrong_sign():
    return ball(stiffness=None, force="-1e8*x^1.5")


@sick(("contact-law", "bounce"))
def law_that_is_infinite_at_the_touch():
    return ball(stiffness=None, force="1e3/x")


@sick(("contact-flexible", "tip blade"))
def rigid_impact_on_a_node():
    return on_a_blade(law="rigid", restitution=0.5)


@sick(notes=[("contact-flexible", "tip blade")])
def restitution_on_a_node():
    return on_a_blade(stiffness=1e8, restitution=0.5)


def on_a_blade(**contact):
    m = pl.Model("blade", settings={"duration": 1e-3})
    m.add(pl.ModalBody("blade", flexible_rod()))
    m.add(pl.Revolute("A", m.ground, "blade.start", axis="y"))
    place, _ = m["blade"].place_of(m["blade"]["end"])
    at = np.array(m["blade"].position) + place + np.array([0, 0, 0.05])
    m.add(pl.RigidBody.sphere("ball", 0.02, density=7800, position=at, velocity=(0, 0, -1)))
    m.add(pl.Contact("tip", "blade.end", "ball", surface_a=pl.Surface.sphere(0.02), **contact))
    return m


@sick(("rigid-method", "bounce"), notes=[])
def rigid_contact_with_a_fixed_step():
    return ball(settings={"duration": 1.0, "step": 1e-3}, law="rigid", stiffness=None)


@sick(("rigid-method", "bounce"), notes=[])
def rigid_contact_with_a_method_that_holds_constraints():
    return ball(settings={"duration": 1.0, "integrator": "generalized-alpha"}, law="rigid", stiffness=None)


@sick(("rigid-method", "bounce"), notes=[])
def rigid_friction_in_joint_coordinates():
    return ball(settings={"duration": 1.0, "coordinates": "joint"}, law="rigid", stiffness=None, friction=0.3)
