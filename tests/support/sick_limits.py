"""Stops, friction, events, curves, cams, rolling and masses with something wrong, each with exactly what `check` must find."""
from cases import TEN_SECONDS, pendulum, rod, sick, slider_crank, swinging

import pliant as pl


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
