"""Mechanisms with something wrong, and healthy ones, for test_check.py. Each has what `check` must find, no more and no less:
{(code, items)} of errors and warnings; where ``notes`` is given, of notes as well (else they are not compared)."""
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import pliant as pl
from pliant.items.base import Frame, Place, matrix_of, quaternion_of
from pliant.planes import normal_vector

DEGREE = np.radians(1.0)


@dataclass
class Case:
    build: Callable[[], pl.Model]
    expected: set[tuple[str, tuple[str, ...]]]
    notes: set[tuple[str, tuple[str, ...]]] | None = None

    @property
    def name(self) -> str:
        return self.build.__name__


SICK: list[Case] = []
HEALTHY: list[Case] = []


def sick(*expected: tuple[str, str], notes: list[tuple[str, str]] | None = None):
    """Items are given as one text, separated by blanks."""
    def add(build):
        SICK.append(Case(build, _pairs(expected), None if notes is None else _pairs(notes)))
        return build
    return add


def healthy(*notes: tuple[str, str]):
    def add(build):
        HEALTHY.append(Case(build, set(), _pairs(notes)))
        return build
    return add


def _pairs(found):
    return {(code, tuple(items.split())) for code, items in found}


def rod(m, name, start, end, mass=1.0, **more):
    return m.add(pl.RigidBody.rod(name, start, end, mass=mass, **more))


def four_bar(axis_c="z", name="four-bar", **more) -> pl.Model:
    """Crank 0.3, coupler 0.9, rocker 0.6, ground 0.8: no special position."""
    m = pl.Model(name, gravity=(0, -9.81, 0), **more)
    a, b, d = np.zeros(3), np.array([0.1, 0.28, 0]), np.array([0.8, 0, 0])
    c = d + 0.6 * np.array([np.cos(1.3), np.sin(1.3), 0])
    rod(m, "crank", a, b)
    rod(m, "coupler", b, c, 2.0)
    rod(m, "rocker", d, c)
    m.add(pl.Revolute("A", m.ground, "crank.start"))
    m.add(pl.Revolute("B", "crank.end", "coupler.start"))
    m.add(pl.Revolute("C", "coupler.end", "rocker.end", axis=axis_c))
    m.add(pl.Revolute("D", m.ground.frame(d), "rocker.start"))
    return m


LOOP = [("redundant-equations", "A B C D"), ("non-unique-reactions", "A B C D")]


# -- joints
@sick(notes=[("redundant-equations", "upper lower"), ("non-unique-reactions", "upper lower")])
def door_on_two_hinges():
    return door()


def door(second=pl.Revolute, shift=0.0) -> pl.Model:
    m = pl.Model("door", gravity=(0, 0, -9.81))
    leaf = m.add(pl.RigidBody.box("leaf", (0.8, 0.04, 2.0), mass=30, position=(0.4, 0, 1)))
    m.add(pl.Revolute("upper", m.ground.frame((0, 0, 1.8)), leaf.frame((-0.4, 0, 0.8))))
    if second is pl.Bushing:
        m.add(pl.Bushing("lower", m.ground.frame((0, 0, 0.2)), leaf.frame((-0.4, 0, -0.8)), stiffness=[1e6, 1e6, 1e6, 0, 0, 0],
                         damping=[1e3, 1e3, 1e3, 0, 0, 0]))
    else:
        m.add(second("lower", m.ground.frame((shift, 0, 0.2)), leaf.frame((shift - 0.4, 0, -0.8))))
    return m


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


def slider_crank(slide="x", angle=0.6, driven=None, **more) -> pl.Model:
    m = pl.Model("slider crank", gravity=(0, -9.81, 0), **more)
    pin = 0.15 * np.array([np.cos(angle), np.sin(angle), 0])
    end = np.array([pin[0] + np.sqrt(0.45**2 - pin[1]**2), 0, 0])
    rod(m, "crank", (0, 0, 0), pin, 0.36)
    rod(m, "link", pin, end, 0.5)
    m.add(pl.RigidBody.box("slider", (0.08, 0.05, 0.05), mass=0.8, position=end))
    m.add(pl.Revolute("A", m.ground, "crank.start"))
    m.add(pl.Revolute("B", "crank.end", "link.start"))
    m.add(pl.Revolute("C", "link.end", "slider"))
    m.add(pl.Prismatic("D", m.ground.frame(end), "slider", axis=slide))
    if driven:
        m.add(pl.Drive(*driven, name="motor"))
    return m


@sick(("misaligned-axes", "upper lower"), notes=[])
def door_hinges_out_of_line():
    return door(shift=0.001)


def spherical_four_bar(off=0.0) -> pl.Model:
    """Four axes through the origin; ``off`` turns that of C away."""
    m = pl.Model("wrist")
    u = np.array([(1, 0, 0.2), (0.6, 0.7, 0.3), (-0.3, 0.8, 0.5), (-0.5, 0.1, 0.8)])
    u /= np.linalg.norm(u, axis=1)[:, None]
    for name, i, j in (("first", 0, 1), ("second", 1, 2), ("third", 2, 3)):
        rod(m, name, u[i], u[j])
    side = np.cross(u[2], (0.3, 0.1, 0.9))
    axis_c = np.cos(off) * u[2] + np.sin(off) * side / np.linalg.norm(side)
    m.add(pl.Revolute("A", m.ground.frame(u[0]), "first.start", axis=u[0]))
    m.add(pl.Revolute("B", "first.end", "second.start", axis=u[1]))
    m.add(pl.Revolute("C", "second.end", "third.start", axis=axis_c))
    m.add(pl.Revolute("D", m.ground.frame(u[3]), "third.end", axis=u[3]))
    return m


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


def parallelogram(angle, *drives) -> pl.Model:
    m = pl.Model("parallelogram")
    up = 0.4 * np.array([np.cos(angle), np.sin(angle), 0])
    base = np.array([1.0, 0, 0])
    rod(m, "left", (0, 0, 0), up)
    rod(m, "top", up, up + base, 2.0)
    rod(m, "right", base, base + up)
    m.add(pl.Revolute("A", m.ground, "left.start"))
    m.add(pl.Revolute("B", "left.end", "top.start"))
    m.add(pl.Revolute("C", "top.end", "right.end"))
    m.add(pl.Revolute("D", m.ground.frame(base), "right.start"))
    for name, joint, function in drives:
        m.add(pl.Drive(joint, "angle", function, name=name))
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


@sick(("drive-start", "motor"), notes=LOOP)
def drive_that_begins_elsewhere():
    m = four_bar()
    m.add(pl.Drive("A", "angle", "0.3 + t", name="motor"))
    return m


@sick(("drive-jump", "motor"), notes=LOOP)
def drive_that_jumps():
    m = four_bar()
    m.add(pl.Drive("A", "angle", "if(t > 1.2345, 0.5, 0)", name="motor"))
    return m


@sick(("drive-kink", "motor"), notes=LOOP)
def drive_with_a_corner():
    m = four_bar()
    m.add(pl.Drive("A", "angle", "0.4 * ramp(t, 1, 2)", name="motor"))
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


# -- bodies
@sick(("unconnected-body", "spare"), notes=LOOP)
def body_left_lying():
    m = four_bar()
    rod(m, "spare", (2, 0, 0), (3, 0, 0))
    return m


@sick(("no-support", "upper lower"), notes=[])
def pendulum_without_its_support():
    m = pl.Model("pendulum", gravity=(0, 0, -9.81))
    rod(m, "upper", (0, 0, 0), (1, 0, 0))
    rod(m, "lower", (1, 0, 0), (2, 0, 0))
    m.add(pl.Revolute("A", "upper.end", "lower.start", axis="y"))
    return m


@sick(("massless-motion", "link"), notes=[])
def massless_link_in_a_chain():
    """A link without mass between two ball joints turns about its own line, and moves no mass."""
    m = pl.Model("chain", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("link", 0.0, frames={"start": (0, 0, 0), "end": (1, 0, 0)}))
    rod(m, "bar", (1, 0, 0), (2, 0, 0))
    m.add(pl.Spherical("A", m.ground, "link.start"))
    m.add(pl.Spherical("B", "link.end", "bar.start"))
    return m


@sick(("massless-motion", "first second third"), notes=[])
def massless_links_in_a_row():
    m = pl.Model("chain", gravity=(0, 0, -9.81))
    points = np.array([(0, 0, 0), (1, 0, 0.3), (2, 0, -0.4), (3, 0, 0), (4, 0, 0)])
    before = m.ground.frame(points[0])
    for name, p, q in zip(("first", "second", "third", "bar"), points, points[1:], strict=False):
        if name == "bar":
            rod(m, name, p, q)
        else:
            m.add(pl.RigidBody(name, 0.0, position=p, frames={"start": (0, 0, 0), "end": q - p}))
        m.add(pl.Revolute(f"to_{name}", before, f"{name}.start", axis="y"))
        before = f"{name}.end"
    return m


@sick(("massless-motion", "bob"), notes=[])
def point_mass_free_to_turn():
    m = pl.Model("pendulum", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.point_mass("bob", 1.0, position=(0, 0, -1)))
    m.add(pl.Distance("string", m.ground, "bob"))
    return m


@sick(("inertia-triangle", "bar"), notes=[])
def inertia_about_one_axis_only():
    m = pl.Model("pendulum", gravity=(0, -9.81, 0))
    m.add(pl.RigidBody("bar", 1.0, (0.01, 0.01, 0.1), frames={"pin": (-0.5, 0, 0)}))
    m.add(pl.Revolute("A", m.ground.frame((-0.5, 0, 0)), "bar.pin"))
    return m


@sick(("implausible-density", "ball"), notes=[])
def ball_heavier_than_any_metal():
    m = pl.Model("pendulum", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.sphere("ball", 0.05, mass=50.0, position=(1, 0, 0)))
    m.add(pl.Revolute("A", m.ground, pl.RigidBody.sphere("ball", 0.05, mass=1).frame((-1, 0, 0)), axis="y"))
    return m


@sick(("implausible-inertia", "slider"), notes=LOOP)
def inertia_in_kilogram_square_millimetres():
    m = slider_crank()
    m["slider"].shape = None
    m["slider"].inertia = (300.0, 400.0, 450.0)
    return m


@sick(("units-slip", "crank link"), notes=None)
def millimetres_taken_for_metres():
    m = pl.Model("crank", gravity=(0, -9.81, 0))
    rod(m, "crank", (0, 0, 0), (150, 0, 0), 0.36)
    rod(m, "link", (150, 0, 0), (600, 0, 0), 0.5)
    m.add(pl.Revolute("A", m.ground, "crank.start"))
    m.add(pl.Revolute("B", "crank.end", "link.start"))
    return m


@sick(("mass-ratio", "pin drum"), notes=[])
def drum_on_a_speck():
    m = pl.Model("drum", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.cylinder("pin", 1e-3, 2e-3, density=2700))
    m.add(pl.RigidBody.cylinder("drum", 1.0, 2.0, density=7800))
    m.add(pl.Revolute("A", m.ground, "pin"))
    m.add(pl.Cylindrical("B", "pin", "drum"))
    return m


@sick(("far-away", "third"), notes=[])
def body_kilometres_away():
    m = pl.Model("masses")
    for name, x in (("first", 0.0), ("second", 1.0), ("third", 1500.0)):
        m.add(pl.RigidBody.sphere(name, 0.1, density=2700, position=(x, 0, 0)))
        m.add(pl.Bushing(f"hold_{name}", m.ground.frame((x, 0, 0)), name, stiffness=[100] * 6, damping=[5] * 6))
    return m


# -- forces, couplings, steps
@sick(("spring-zero-length", "spring"), notes=LOOP)
def spring_between_two_points_at_one_place():
    m = four_bar()
    m.add(pl.SpringDamper("spring", "crank.end", "coupler.start", 100.0))
    return m


@sick(("stiff-undamped-spring", "stop"), notes=LOOP)
def stiff_spring_and_a_long_step():
    m = four_bar(settings={"duration": 1.0, "step": 1e-3})
    m.add(pl.SpringDamper("stop", m.ground.frame((0.1, 1.0, 0)), "crank.end", 1e8))
    return m


@sick(("stiff-undamped-spring", "stop"), notes=LOOP)
def stiff_spring_and_a_fine_accuracy():
    m = four_bar(settings={"duration": 100.0, "accuracy": "fine"})
    m.add(pl.SpringDamper("stop", m.ground.frame((0.1, 1.0, 0)), "crank.end", 1e8))
    return m


@sick(("step-too-large", "k0"), notes=[])
def springs_too_stiff_together():
    m = pl.Model("box", settings={"duration": 1.0, "step": 0.019})
    m.add(pl.RigidBody.box("box", (0.2, 0.2, 0.2), mass=8.0, position=(0, 0, 0.5)))
    for k in range(2):
        m.add(pl.SpringDamper(f"k{k}", m.ground.frame((0, 0, k)), "box", 2e4 - 10 * k))
    return m


@sick(("step-too-large", "wheel"), notes=[])
def spin_of_several_turns_a_step():
    m = pl.Model("gyro", settings={"duration": 1.0, "step": 0.02})
    m.add(pl.RigidBody.cylinder("wheel", 0.1, 0.02, mass=5.0, angular_velocity=(0, 0, 900)))
    m.add(pl.Spherical("A", m.ground, "wheel"))
    return m


@sick(("step-too-large", "motor"), notes=[])
def motor_too_fast_for_the_step():
    m = pl.Model("motor", settings={"duration": 1.0, "step": 0.02})
    m.add(pl.RigidBody.cylinder("wheel", 0.1, 0.02, mass=5.0))
    m.add(pl.Revolute("A", m.ground, "wheel"))
    m.add(pl.Drive("A", "angle", "300*t^2", name="motor"))
    return m


@sick(("gear-without-carrier", "mesh A C"), notes=[])
def gear_between_joints_far_apart():
    m = pl.Model("gears")
    rod(m, "first", (0, 0, 0), (1, 0, 0))
    rod(m, "second", (1, 0, 0), (2, 0, 0))
    rod(m, "third", (2, 0, 0), (3, 0, 0))
    m.add(pl.Revolute("A", m.ground, "first.start"))
    m.add(pl.Revolute("B", "first.end", "second.start"))
    m.add(pl.Revolute("C", "second.end", "third.start"))
    m.add(pl.Gear("mesh", "A", "C", ratio=-2))
    return m


@sick(notes=[("redundant-equations", "mesh again"), ("non-unique-reactions", "mesh again")])
def gear_given_twice():
    m = gear_pair()
    m.add(pl.Gear("again", "A", "B", teeth=(20, 40)))
    return m


def gear_pair() -> pl.Model:
    m = pl.Model("gears")
    for name, x in (("pinion", 0.0), ("wheel", 0.15)):
        m.add(pl.RigidBody.cylinder(name, 0.05 + x / 3, 0.03, mass=1.0, position=(x, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "pinion"))
    m.add(pl.Revolute("B", m.ground.frame((0.15, 0, 0)), "wheel"))
    m.add(pl.Gear("mesh", "A", "B", teeth=(20, 40)))
    return m


@sick(notes=[("unused-frame", "ground.wall"), *LOOP])
def frame_left_over():
    m = four_bar()
    m.ground.frames = {"wall": (1, 0, 0)}
    return m


# -- planes
@sick(("out-of-plane", "C"), notes=None)
def plane_model_with_an_oblique_pin():
    return four_bar((np.sin(2.3 * DEGREE), 0, np.cos(2.3 * DEGREE)), planar=True)


@sick(("out-of-plane", "gravity"), ("out-of-plane", "crank"), ("out-of-plane", "push"), ("conflicting-velocities", "crank"), notes=[])
def plane_model_with_loads_and_velocities_across():
    m = four_bar(planar=True)
    m.gravity = (0, -9, -3)
    m["crank"].angular_velocity = (0, 1, 1)
    m.add(pl.Force("push", "coupler", (1, 2, 3)))
    return m


# -- nothing wrong
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
    m.add(pl.PointOnLine("slot", m.ground.frame((0.5, 2, 0)), m.add(pl.RigidBody.sphere("ball", 0.1, mass=2, position=(0.5, 2, 0))), axis="x"))
    return m


@healthy()
def plane_slider_crank():
    return slider_crank(driven=("A", "angle", "20*t"), planar=True)


@healthy()
def door_on_hinge_and_bushing():
    return door(pl.Bushing)


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


# -- the same mechanism elsewhere, of another size, in another order
def transformed(m: pl.Model, R: np.ndarray, s: float = 1.0, backwards: bool = False) -> pl.Model:
    """The model turned by R and s times as large, of the same density and as fast; bodies perhaps in reverse order."""
    planar = None if m.planar is None else tuple(R @ normal_vector(m.planar))
    out = pl.Model(m.name, tuple(s * R @ m.gravity), m.settings, planar)
    frames = {name: Place.model_validate(p) for name, p in m.ground.frames.items()}
    out.ground.frames = {name: {"point": s * R @ p.point, "rotation": R @ matrix_of(p.rotation)} for name, p in frames.items()}
    items = list(m)
    bodies = [i for i in items if i.section == "bodies"]
    for item in [*(bodies[::-1] if backwards else bodies), *(i for i in items if i.section != "bodies")]:
        out.items[item.name] = item.model_copy(update=_body(item, R, s) if item.section == "bodies" else _item(item, m, R, s))
    return out


def _body(b, R, s):
    scaled = {name: Place(point=s * np.array(p.point), rotation=p.rotation)
              for name, p in ((n, Place.model_validate(p)) for n, p in b.frames.items())}
    shape = b.shape and b.shape.model_copy(update={"points": [tuple(s * np.array(p)) for p in b.shape.points], "radius": s * b.shape.radius})
    return {"mass": s**3 * b.mass, "inertia": tuple(map(tuple, s**5 * b.inertia_matrix)), "com": tuple(s * np.array(b.com)),
            "position": tuple(s * R @ b.position), "rotation": quaternion_of(R @ matrix_of(b.rotation)), "frames": scaled, "shape": shape,
            "velocity": b.velocity and tuple(s * R @ b.velocity)}


def _item(item, m, R, s):
    change = {}
    for field in type(item).model_fields:
        value = getattr(item, field)
        if isinstance(value, Frame):
            point, axes = m[value.body].place_of(value)
            if value.body == "ground":
                change[field] = Frame(body="ground", point=tuple(s * R @ point), rotation=R @ axes, frame=value.frame)
            elif value.point is not None:
                change[field] = Frame(body=value.body, point=tuple(s * point), rotation=value.rotation)
    powers = {"spring_damper": 3, "torsion_spring": 5}
    for field in ("stiffness", "damping"):
        if item.kind in powers:
            change[field] = s**powers[item.kind] * getattr(item, field)
        elif item.kind == "bushing":
            change[field] = tuple(np.array(getattr(item, field)) * s**np.array([3] * 3 + [5] * 3))
    for field in ("length", "lead", "radius"):
        if getattr(item, field, None) is not None:
            change[field] = s * getattr(item, field)
    if item.kind in ("force", "torque") and not any(isinstance(v, str) for v in item.vector):
        change["vector"] = tuple(s**(4 if item.kind == "force" else 5) * R @ item.vector)
    if item.kind == "drive" and item.coordinate == "displacement":
        change["function"] = f"{s} * ({item.function})"
    return change
