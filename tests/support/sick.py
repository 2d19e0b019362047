"""Mechanisms with something wrong in joints, drives and starts, each with exactly what `check` must find."""
import numpy as np
import pytest
from cases import DEGREE, LOOP, door, four_bar, parallelogram, rod, sick, slider_crank, spherical_four_bar

import pliant as pl


# -- joints
@sick(notes=[("redundant-equations", "upper lower"), ("non-unique-reactions", "upper lower")])
def door_on_two_hinges():
    return door()


@sick(notes=LOOP)
def plane_four_bar_in_space():
    return four_bar()


@sick(notes=[("redundant-equations", "slot"), ("non-unique-reactions", "slot")])
def joint_that_says_the_same_twice():
    m = pl.Model("slot")
    rod(m, "pin", (0, 0, 0), (0.2, 0, 0))
    m.add(pl.Joint("slot", m.ground, "pin.start", primitives=["coincident", ("d1", "x", "z"), ("d1", "x", "z")]))
    return m


@sick(("misaligned-axes", "C"), notes=[])
def pin_out_of_parallel():
    return four_bar((np.sin(2.3 * DEGREE), 0, np.cos(2.3 * DEGREE)))


@sick(("misaligned-axes", "C"), notes=[])
def pin_out_of_parallel_in_a_driven_loop():
    """The motor is not told to be wrong: it is the axis."""
    m = pin_out_of_parallel()
    m.add(pl.Drive("A", "angle", "t", name="motor"))
    return m


@sick(("misaligned-axes", "C"), ("conflicting-drives", "left_motor right_motor"), notes=[])
def pin_out_of_parallel_and_drives_in_conflict():
    """One of them does not hide the other."""
    m = pin_out_of_parallel()
    m.add(pl.Drive("A", "angle", "t", name="left_motor"))
    m.add(pl.Drive("D", "angle", "-2*t", name="right_motor"))
    return m


@sick(("misaligned-axes", "C"), notes=[])
def pin_out_of_parallel_by_rounding():
    return four_bar((1e-6, 0, 1))


@sick(("misaligned-axes", "A C"), notes=[])
def two_pins_out_of_parallel():
    m = four_bar((0, np.sin(1.1 * DEGREE), np.cos(1.1 * DEGREE)))
    m["A"].axis = (np.sin(0.4 * DEGREE), 0, np.cos(0.4 * DEGREE))
    return m


@sick(("misaligned-axes", "D"), notes=[])
def slide_out_of_the_plane():
    return slider_crank(slide=(np.cos(1.5 * DEGREE), 0, np.sin(1.5 * DEGREE)))


@sick(("misaligned-axes", "upper lower"), notes=[])
def door_hinges_out_of_line():
    return door(shift=0.001)


@sick(("misaligned-axes", "C"), notes=[])
def axes_that_miss_their_common_point():
    return spherical_four_bar(1.2 * DEGREE)


@sick(("locked-mechanism", "A B C D brace"))
def braced_four_bar():
    m = four_bar()
    m.add(pl.Distance("brace", m.ground.frame((0, 0, 0)), "rocker.end"))
    return m


@sick(("locked-mechanism", "A B C D"), notes=[])
def links_stretched_to_the_limit():
    """Ground 3 m, three links of 1 m in line: it gives way infinitesimally, and moves nowhere."""
    m = pl.Model("stretched")
    for k in range(3):
        rod(m, f"link{k}", (k, 0, 0), (k + 1, 0, 0))
    m.add(pl.Revolute("A", m.ground, "link0.start"))
    m.add(pl.Revolute("B", "link0.end", "link1.start"))
    m.add(pl.Revolute("C", "link1.end", "link2.start"))
    m.add(pl.Revolute("D", m.ground.frame((3, 0, 0)), "link2.end"))
    return m


@sick(("singular-pose", "A B C D"))
def parallelogram_lying_flat():
    return parallelogram(0.0)


@sick(("singular-pose", "A B C D motor"))
def piston_drives_the_crank_from_a_dead_centre():
    return slider_crank(angle=0.0, driven=("D", "displacement", "0.01*sin(5*t)"))


# -- drives
@sick(("conflicting-drives", "left_motor right_motor"))
def both_cranks_driven():
    m = four_bar()
    m.add(pl.Drive("A", "angle", "2*t", name="left_motor"))
    m.add(pl.Drive("D", "angle", "3*t", name="right_motor"))
    return m


@sick(("redundant-drives", "left_motor right_motor"))
def both_cranks_of_a_parallelogram_driven_alike():
    return parallelogram(1.0, ("left_motor", "A", "2*t"), ("right_motor", "D", "2*t"))


@sick(("conflicting-drives", "left_motor right_motor"))
def both_cranks_of_a_parallelogram_driven_apart_later():
    return parallelogram(1.0, ("left_motor", "A", "2*t"), ("right_motor", "D", "2*t + t^2"))


@sick(("redundant-drives", "left_motor right_motor"))
def both_cranks_driven_alike_at_the_start():
    """How the cranks move together depends on the pose, so that later the drives may or may not agree."""
    m = four_bar()
    m.add(pl.Drive("A", "angle", "t^2", name="left_motor"))
    m.add(pl.Drive("D", "angle", "3*t^2", name="right_motor"))
    return m


@sick(("conflicting-drives", "first second"))
def joint_driven_twice():
    m = four_bar()
    m.add(pl.Drive("A", "angle", "2*t", name="first"))
    m.add(pl.Drive("A", "angle", "2*t", name="second"))
    return m


@sick(("conflicting-drives", "motor hinge weld"), ("locked-mechanism", "hinge weld"))
def motor_on_a_welded_hinge():
    m = pl.Model("stuck")
    rod(m, "bar", (0, 0, 0), (1, 0, 0))
    m.add(pl.Revolute("hinge", m.ground, "bar.start"))
    m.add(pl.Fixed("weld", m.ground.frame((1, 0, 0)), "bar.end"))
    m.add(pl.Drive("hinge", "angle", "t^2", name="motor"))
    return m


@sick(("conflicting-drives", "motor A B C D brace"), ("locked-mechanism", "A B C D brace"))
def motor_on_a_structure():
    m = braced_four_bar()
    m.add(pl.Drive("A", "angle", "t", name="motor"))
    return m


@sick(notes=[*LOOP, ("drive-start", "motor")])
def drive_that_begins_elsewhere():
    m = four_bar()
    m.add(pl.Drive("A", "angle", "0.3 + t", name="motor"))
    return m


@sick(notes=[("many-turns", "A"), ("many-turns", "coil"), ("many-turns", "motor"), ("drive-start", "motor")])
def degrees_given_as_radians():
    """Two turns and -2 pi are meant as they stand."""
    m = pl.Model("degrees")
    for k, name in enumerate("ABC"):
        rod(m, f"bar{k}", (0, 0, k), (1, 0, k))
        m.add(pl.Revolute(name, m.ground.frame((0, 0, k)), f"bar{k}.start"))
    m["A"].angle, m["B"].angle = 30, "2 rev"
    m.add(pl.TorsionSpring("coil", "A", 5.0, angle=-90))
    m.add(pl.TorsionSpring("spring", "B", 5.0, angle=-2 * np.pi))
    m.add(pl.Drive("C", "angle", "22.5 + t", name="motor"))
    return m


@sick(notes=[("many-turns", "crate"), ("many-turns", "weld"), ("many-turns", "bolt")])
def rotations_in_degrees_given_as_radians():
    """Of a body, of a frame where a joint is, and of a named frame; a text says that it is meant, and one turn is."""
    m = pl.Model("crates")
    with pytest.warns(UserWarning, match="turns; write"):
        m.add(pl.RigidBody("crate", 1.0, (1, 1, 1), rotation=pl.rotation("z", 30)))
        m.add(pl.RigidBody("bolt", 1.0, (1, 1, 1), frames={"head": {"point": (0, 0, 1), "rotation": {"cardan": [0.1, 90, 0.2]}}}))
        m.add(pl.RigidBody("nut", 1.0, (1, 1, 1), rotation=pl.rotation("z", "9 rad"), frames={"hole": {"rotation": pl.rotation("y", 3)}}))
        m.add(pl.Fixed("weld", m.ground.frame(rotation=pl.rotation("x", 45)), m["nut"].frame(rotation=pl.rotation("x", "45 rad"))))
    m.add(pl.Fixed("left", "ground", "crate"))
    m.add(pl.Fixed("right", "ground", "bolt"))
    return m


@sick(("drive-start", "motor"), notes=LOOP)
def drive_against_a_start_value():
    m = drive_that_begins_elsewhere()
    m["A"].angle = 0.5
    return m


@sick(("drive-jump", "motor"), notes=LOOP)
def drive_that_jumps():
    m = four_bar()
    m.add(pl.Drive("A", "angle", "if(t > 1.2345, 0.5, 0)", name="motor"))
    return m


@sick(("drive-jump", "motor"), notes=[])
def small_jump_of_a_fast_drive():
    m = pl.Model("motor")
    m.add(pl.RigidBody.cylinder("wheel", 0.1, 0.02, mass=5.0))
    m.add(pl.Revolute("A", m.ground, "wheel"))
    m.add(pl.Drive("A", "angle", "200*t + 3*sin(40*t) - 0.02*floor(t/7.123)", name="motor"))
    return m


@sick(("drive-kink", "motor"), notes=LOOP)
def drive_with_a_corner():
    m = four_bar()
    m.add(pl.Drive("A", "angle", "0.4 * ramp(t, 1, 2)", name="motor"))
    return m


def three_tables(duration=None):
    """Three wheels; two of them share a cubic table that ends at 4.2 s while it moves, the third one has a linear one."""
    m = pl.Model("tables", settings={} if duration is None else {"duration": duration})
    x = np.linspace(0, 4.2, 22)
    for k, table in enumerate((pl.Table(x, 0.3 * x**2), pl.Table(x, 0.3 * x**2), pl.Table(x, 0.1 * x**2 * (4.2 - x)**2))):
        m.add(pl.RigidBody(f"wheel{k}", 1.0, (1, 1, 1), position=(k, 0, 0)))
        m.add(pl.Revolute(f"J{k}", m.ground.frame((k, 0, 0)), f"wheel{k}"))
        m.add(pl.Drive(f"J{k}", "angle", table, name=f"motor{k}"))
    return m


@sick(("drive-kink", "motor0 motor1"))
def tables_that_end_inside_the_run():
    return three_tables(6.0)


@sick()
def tables_that_end_behind_the_run():
    return three_tables(4.0)


@sick()
def tables_that_say_how_long_the_run_is():
    return three_tables()


@sick(("drive-kink", "motor"))
def linear_table():
    m = three_tables(4.0)
    m.add(pl.RigidBody("wheel", 1.0, (1, 1, 1), position=(0, 1, 0)))
    m.add(pl.Revolute("J", m.ground.frame((0, 1, 0)), "wheel"))
    m.add(pl.Drive("J", "angle", pl.Table([0, 1, 2, 9], [0, 1, 3, 3.5], "linear"), name="motor"))
    return m


@sick(("cannot-start", "motor"), notes=LOOP)
def drive_with_infinite_speed_at_the_start():
    m = four_bar()
    m.add(pl.Drive("A", "angle", "sqrt(t)", name="motor"))
    return m


# -- the start
@sick(("joint-gap", "B"), ("joint-gap", "C"))
def coupler_put_beside_its_pins():
    m = four_bar()
    m["coupler"].position = tuple(np.array(m["coupler"].position) + (0.004, 0.003, 0))
    return m


@sick(("joint-gap", "A"))
def pendulum_off_its_pin():
    m = pl.Model("pendulum", gravity=(0, 0, -9.81))
    rod(m, "bar", (0, 0, 0), (1, 0, 0))
    m.add(pl.Revolute("A", m.ground.frame((0, 0, 0.02)), "bar.start", axis="y"))
    return m


@sick(("impossible-assembly", "A B C"))
def links_too_short():
    """Two links of 1 m between pins 3 m apart."""
    m = pl.Model("short")
    rod(m, "left", (0, 0, 0), (0.6, 0.8, 0))
    rod(m, "right", (2.4, 0.8, 0), (3, 0, 0))
    m.add(pl.Revolute("A", m.ground, "left.start"))
    m.add(pl.Revolute("B", "left.end", "right.start"))
    m.add(pl.Revolute("C", m.ground.frame((3, 0, 0)), "right.end"))
    return m


@sick(("conflicting-velocities", "crank rocker"), notes=LOOP)
def stated_velocities_that_do_not_fit():
    m = four_bar()
    m["crank"].angular_velocity = (0, 0, 1.0)
    m["rocker"].angular_velocity = (0, 0, 9.0)
    return m


@sick(("conflicting-velocities", "crank motor"), notes=LOOP)
def stated_velocity_against_a_drive():
    m = four_bar()
    m["crank"].angular_velocity = (0, 0, 1.0)
    m.add(pl.Drive("A", "angle", "2*t", name="motor"))
    return m


@sick(("conflicting-velocities", "bar"))
def stated_velocity_against_a_pin():
    m = pl.Model("pendulum", gravity=(0, 0, -9.81))
    rod(m, "bar", (0, 0, 0), (1, 0, 0), velocity_at_start=(0, 0, 1), velocity_at_end=(0, 0, 2))
    m.add(pl.Revolute("A", m.ground, "bar.start", axis="y"))
    return m


@sick(("cannot-compile", "A"), ("cannot-compile", "pull"))
def joint_within_one_body():
    m = four_bar()
    del m.items["A"]
    m.add(pl.Revolute("A", "crank.start", "crank.end"))
    m.add(pl.Force("pull", "coupler", ("2 * Q.angle", 0, 0)))
    return m


# -- states
def controlled(**more) -> pl.Model:
    """A disc that a controller turns by 0.4 rad; sums of its error grow until it is there."""
    m = pl.Model("controlled", **more)
    m.add(pl.RigidBody.cylinder("disc", 0.1, 0.02, mass=5.0))
    m.add(pl.Revolute("A", m.ground, "disc"))
    m.add(pl.TorsionSpring("brake", "A", damping=0.5))
    m.add(pl.PID("pid", 0.4, "A.angle", kp=3.0, ki=2.0))
    m.add(pl.JointTorque("T", "A", "pid.output"))
    m.add(pl.Integral("absolute", "abs(pid.error)"))
    m.add(pl.Integral("turned", "A.angle_rate"))
    m.add(pl.Integral("waves", "cos(3*t)"))
    return m


@sick(notes=[])
def sums_that_come_to_rest():
    return controlled()


@sick(notes=[("no-rest", "clock"), ("no-rest", "offset")])
def integrals_without_rest():
    """One of a constant, and one of an error that another reference brings to zero; the integral of the second has none because of it."""
    m = controlled()
    m.add(pl.Integral("clock", "3"))
    m.add(pl.Integral("offset", "A.angle - 0.1"))
    m.add(pl.LowPass("mean", "offset.output", 2.0))
    m.add(pl.Integral("again", "offset.output"))
    return m


@sick(("no-rest", "clock"), ("no-rest", "waves"), notes=[])
def integral_without_rest_in_a_run_that_begins_there():
    m = controlled(settings={"start": "static"})
    m.add(pl.Integral("clock", "3"))
    return m
