"""Contacts, stops, events, friction and masses with something wrong, each with exactly what `check` must find."""
import numpy as np
from cases import rod, sick, slider_crank
from flexible_models import rod as flexible_rod

import pliant as pl

TEN_SECONDS = {"duration": 10.0}


def ball(height=0.06, settings=None, floor="ground", velocity=None, **contact):
    """Of 50 mm and 0.5 kg, 10 mm above the floor."""
    m = pl.Model("ball", gravity=(0, 0, -9.81), settings=settings or {"duration": 1.0})
    m.add(pl.RigidBody.sphere("ball", 0.05, mass=0.5, position=(0, 0, height), velocity=velocity))
    m.add(pl.Contact("bounce", floor, "ball", **({"stiffness": 1e8} | contact)))
    return m


def pendulum(**settings):
    m = pl.Model("pendulum", gravity=(0, 0, -9.81), settings=TEN_SECONDS | settings)
    rod(m, "bar", (0, 0, 0), (1, 0, 0))
    m.add(pl.Revolute("A", m.ground, "bar.start", axis="y"))
    return m


def swinging(*items, **settings):
    m = pendulum(**settings)
    for item in items:
        m.add(item)
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


# -- stops
@sick(("stop-range", "end A"), notes=[])
def stop_outside_of_the_range():
    return swinging(pl.Stop("end", "A", "angle", upper="-10 deg"))


@sick(("stop-range", "end A"), notes=[])
def rigid_stop_outside_of_the_range():
    return swinging(pl.Stop("end", "A", "angle", lower=0.2, upper=0.5, law="rigid"))


@sick(("stop-range", "A.limits A"), notes=[])
def limits_outside_of_the_range():
    m = pendulum()
    m["A"].limits = (0.3, 0.5)
    return m


@sick(("stop-range", "end D"), notes=None)
def slide_beyond_its_stop():
    m = slider_crank(settings=TEN_SECONDS)
    m["D"].zero = 0.2
    m.add(pl.Stop("end", "D", "displacement", upper="150 mm"))
    return m


@sick(("stop-drive", "end motor"), notes=[])
def drive_beyond_a_stop():
    return swinging(pl.Stop("end", "A", "angle", -1, 1), pl.Drive("A", "angle", "2*sin(t)", name="motor"))


@sick(("stop-drive", "end motor"), notes=[])
def drive_beyond_a_rigid_stop():
    return swinging(pl.Stop("end", "A", "angle", upper=3, law="rigid"), pl.Drive("A", "angle", "0.5*t", name="motor"))


@sick(notes=[("stop-drive", "end motor")])
def drive_beyond_a_stop_in_a_run_of_unknown_length():
    m = drive_beyond_a_rigid_stop()
    m.settings = {}
    return m


@sick(("stop-spin", "end A"), notes=[])
def stop_of_a_spinning_joint():
    m = swinging(pl.Stop("end", "A", "angle", upper="350 deg"))
    m["A"].angle_rate = 400
    return m


@sick(notes=[("many-turns", "end")])
def stop_in_degrees_given_as_radians():
    return swinging(pl.Stop("end", "A", "angle", -90, 90))


@sick(("stop-twice", "end A.limits"), notes=[])
def stop_beside_limits():
    m = pendulum()
    m["A"].limits = (-1, 1)
    m.add(pl.Stop("end", "A", "angle", upper=1))
    return m


@sick(("open-pair", "touch"), notes=[])
def open_cam_without_a_stop():
    m = pl.Model("cam", gravity=(0, -9.81, 0), settings=TEN_SECONDS)
    m.add(pl.RigidBody.cylinder("cam", 0.05, 0.02, density=7800))
    m.add(pl.RigidBody.sphere("follower", 0.02, density=7800, position=(0, 0.07, 0)))
    m.add(pl.Revolute("A", m.ground, "cam"))
    m.add(pl.Prismatic("B", m.ground.frame((0, 0.07, 0)), "follower", axis="y"))
    m.add(pl.Cam("touch", "cam", "follower", pl.Curve(polar="0.05 + 0*phi"), "roller", radius=0.02, open=True))
    return m


# -- friction in joints
@sick(("idle-friction", "rub"), notes=[])
def friction_whose_load_is_negative():
    return swinging(pl.JointFriction("rub", "A", 0.3, torque="-5 - abs(A.angle)"))


@sick(notes=[("driven-friction", "rub motor")])
def friction_of_a_driven_joint():
    return swinging(pl.JointFriction("rub", "A", 0.3, torque=5), pl.Drive("A", "angle", "sin(t)", name="motor"))


@sick(("locked-mechanism", "A A.angle"), notes=[("driven-friction", "rub")])
def friction_of_a_held_joint():
    m = swinging(pl.JointFriction("rub", "A", 0.3, torque=5))
    m["A"].hold = ("angle",)
    return m


# -- events
@sick(("event-never", "late"), notes=[])
def event_after_the_end():
    return swinging(pl.Event("late", "t > 20", [pl.End()]))


@sick(("event-never", "high"), notes=[])
def event_beyond_what_a_sine_can_be():
    return swinging(pl.Event("high", "sin(A.angle) > 2", [pl.End()]))


@sick(("event-never", "both"), notes=[])
def event_that_contradicts_itself():
    return swinging(pl.Event("both", "A.angle > 1 and A.angle < 0", [pl.End()]))


@sick(("event-never", "far"), notes=[])
def event_where_the_drive_never_comes():
    return swinging(pl.Event("far", "A.angle > 3", [pl.End()]), pl.Drive("A", "angle", "2*sin(t)", name="motor"))


@sick(("event-never", "far"), notes=[])
def event_behind_a_rigid_stop():
    return swinging(pl.Event("far", "A.angle > 95 * pi / 180", [pl.End()]), pl.Stop("end", "A", "angle", upper="90 deg", law="rigid"))


@sick(("event-never", "apart"), notes=[])
def event_at_a_negative_distance():
    m = pendulum()
    m.add(pl.Measure("gap", m.ground.frame((0, 0, -2)), "bar.end"))
    m.add(pl.Event("apart", "gap.distance < 0", [pl.End()]))
    return m


@sick(("event-never", "always"), notes=[])
def event_that_is_always_true():
    return swinging(pl.Event("always", "t >= 0", [pl.End()]))


@sick(("event-never", "early"), notes=[])
def event_that_is_true_until_later():
    return swinging(pl.Event("early", "t < 5", [pl.End()]))


@sick(("event-never", "slow"), notes=[])
def event_with_a_delay_longer_than_the_run():
    return swinging(pl.Event("slow", "A.angle > 1", [pl.End()], delay=20))


@sick(("event-never", "third"), notes=[])
def event_of_a_mode_that_nothing_sets():
    return swinging(pl.Discrete("mode", 0), pl.Event("second", "t > 1", [pl.Set("mode.output", 1)]),
                    pl.Event("third", "mode.output > 1.5", [pl.End()]))


@sick(("event-never", "equal"), notes=[])
def event_that_asks_for_equality():
    return swinging(pl.Event("equal", "A.angle == 1", [pl.End()]))


@sick(notes=[("many-turns", "high")])
def event_in_degrees_given_as_radians():
    return swinging(pl.Event("high", "A.angle > 90", [pl.End()]))


@sick(("idle-action", "catch let_go A"), notes=[])
def lock_that_is_opened_at_once():
    return swinging(pl.Event("catch", "A.angle > 1", [pl.Lock("A")]), pl.Event("let_go", "A.angle > 1", [pl.Unlock("A")]))


@sick(("event-at-start", "snap"), notes=[])
def joint_that_should_break_where_it_begins():
    return swinging(pl.Event("snap", "A.angle < 2", [pl.Break("A")]))


@sick(notes=[("event-at-start", "low")])
def event_that_is_true_at_the_start():
    return swinging(pl.Discrete("mode", 0), pl.Event("low", "A.angle < 0.5", [pl.Set("mode.output", 1)]))


@sick(("event-cycle", "down up"), notes=[])
def events_that_undo_each_other():
    return swinging(pl.Discrete("mode", 0), pl.Event("up", "mode.output < 0.5 and A.angle > 0.1", [pl.Set("mode.output", 1)]),
                    pl.Event("down", "mode.output > 0.5", [pl.Set("mode.output", 0)]))


@sick(("event-cycle", "valve"), notes=[])
def state_machine_without_room_between_its_modes():
    return swinging(pl.StateMachine("valve", ["closed", "open"], [("closed", "open", "A.angle > 0.1"), ("open", "closed", "A.angle > 0")]))


@sick(("capture", "dock port"), notes=None)
def latch_that_catches_too_far_away():
    m = pl.Model("docking", settings=TEN_SECONDS)
    for name, x in (("station", 0.0), ("shuttle", 2.0)):
        m.add(pl.RigidBody.box(name, (1, 1, 1), mass=500, position=(x, 0, 0), frames={"port": (0.5 if x == 0 else -0.5, 0, 0)}))
    m["shuttle"].velocity = (-0.2, 0, 0)
    m.add(pl.Fixed("port", "station.port", "shuttle.port", connected=False))
    m.add(pl.Measure("gap", "station.port", "shuttle.port"))
    m.add(pl.Event("dock", "gap.distance < 0.05", [pl.Connect("port")]))
    return m


@sick(("cannot-compile", "A motor"))
def lock_against_a_drive():
    return swinging(pl.Event("catch", "A.angle > 1", [pl.Lock("A")]), pl.Drive("A", "angle", "t", name="motor"))


@sick(("cannot-compile", "A"))
def lock_of_a_weld():
    m = pl.Model("weld")
    rod(m, "bar", (0, 0, 0), (1, 0, 0))
    m.add(pl.Fixed("A", m.ground, "bar.start"))
    m.add(pl.Event("catch", "t > 1", [pl.Lock("A")]))
    return m


# -- curves, cams, rolling, masses
def bead(curve):
    m = pl.Model("bead", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.sphere("bead", 0.01, mass=0.1, position=(0, 0, 0)))
    m.add(pl.PointOnCurve("wire", m.ground, "bead", curve))
    return m


@sick(("cannot-compile", "wire"))
def curve_with_a_kink():
    return bead(pl.Curve(x="s", y="abs(s)", range=(-1, 1)))


@sick(("cannot-compile", "wire"))
def points_of_a_square():
    return bead(pl.Curve(points=[(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)], closed=True))


@sick(("cannot-compile", "wire"))
def curve_that_does_not_close():
    return bead(pl.Curve(x="s", y="s^2", range=(0, 1), closed=True))


@sick(("cannot-compile", "touch"))
def roller_larger_than_the_hollow_of_its_cam():
    m = pl.Model("cam")
    m.add(pl.RigidBody.cylinder("cam", 0.05, 0.02, density=7800))
    m.add(pl.RigidBody.sphere("follower", 0.02, density=7800, position=(0, 0.12, 0)))
    m.add(pl.Revolute("A", m.ground, "cam"))
    m.add(pl.Prismatic("B", m.ground.frame((0, 0.12, 0)), "follower", axis="y"))
    m.add(pl.Cam("touch", "cam", "follower", pl.Curve(polar="0.05 + 0.01*cos(3*phi)"), "roller", radius=0.1))
    return m


@sick(("cannot-compile", "touch"))
def flat_follower_of_a_hollow_cam():
    m = roller_larger_than_the_hollow_of_its_cam()
    del m.items["touch"]
    m.add(pl.Cam("touch", "cam", "follower", pl.Curve(polar="0.05 + 0.01*cos(3*phi)"), "flat"))
    return m


@sick(("joint-gap", "roll"), notes=None)
def disc_above_its_floor():
    m = pl.Model("disc", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.cylinder("disc", 0.1, 0.02, axis="y", density=7800, position=(0, 0, 0.13)))
    m.add(pl.RollingDisc("roll", m.ground, "disc", radius=0.1))
    return m


@sick(("mass-flow", "burn rocket"), notes=[("no-support", "rocket")])
def rocket_that_burns_more_than_it_has():
    m = pl.Model("rocket", settings=TEN_SECONDS)
    m.add(pl.RigidBody.cylinder("rocket", 0.1, 1.0, mass=50.0, axis="x"))
    m.add(pl.MassFlow("burn", "rocket", "50 - 8*t", velocity=(-2000, 0, 0)))
    return m


@sick(("cannot-compile", "burn"))
def rocket_with_another_mass_at_the_start():
    m = rocket_that_burns_more_than_it_has()
    m["burn"].mass = "40 - t"
    return m
