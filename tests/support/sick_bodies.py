"""Mechanisms with something wrong in bodies, forces, steps and planes, each with exactly what `check` must find."""
import numpy as np
from cases import DEGREE, LOOP, four_bar, gear_pair, rod, sick, slider_crank
from flexible_models import rod as flexible_rod

import pliant as pl


# -- bodies
@sick(("unconnected-body", "spare"), notes=LOOP)
def body_left_lying():
    m = four_bar()
    rod(m, "spare", (2, 0, 0), (3, 0, 0))
    return m


@sick(("idle-action", "A"), ("idle-action", "catch A"), ("idle-action", "open B"), ("idle-action", "mend C"), notes=[])
def joints_that_no_event_connects_locks_or_releases():
    m = pl.Model("latches", gravity=(0, 0, -9.81))
    for k, name in enumerate("ABC"):
        rod(m, f"rod{name}", (0, k, 0), (1, k, 0))
        m.add(pl.Revolute(name, m.ground.frame((0, k, 0)), f"rod{name}.start", axis="y", connected=name != "A"))
    m.add(pl.Event("catch", "t > 1", [pl.Lock("A")]))
    m.add(pl.Event("open", "t > 1", [pl.Unlock("B")]))
    m.add(pl.Event("mend", "t > 1", [pl.Connect("C")]))
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


@sick(("implausible-gravity", "gravity"), notes=[("implausible-size", "plate")])
def plate_and_gravity_in_millimetres():
    """With a density the mass suits the size; nothing but the size itself is out of proportion."""
    m = pl.Model("plate", gravity=(0, 0, -9810))
    m.add(pl.RigidBody.box("plate", size=(150, 80, 5), density=7800))
    m.add(pl.Revolute("A", m.ground.frame((-75, 0, 0)), m["plate"].frame((-75, 0, 0)), axis="y"))
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


@sick(("step-unstable", ""), notes=[])
def explicit_step() -> pl.Model:
    m = pl.Model("oscillator")
    body = m.add(pl.RigidBody.sphere("b", 0.1, mass=1.0, position=(1.01, 0, 0)))
    m.add(pl.Prismatic("P", m.ground, body, axis="x"))
    m.add(pl.SpringDamper("k", m.ground, body, stiffness=1e4, damping=60.0, length=1.0))
    m.settings = {"duration": 1.0, "step": 0.035, "integrator": "runge-kutta-4"}
    return m


@sick(("drive-rates", "encoder"), notes=LOOP)
def drive_by_a_function_of_whole_counts() -> pl.Model:
    m = four_bar(settings={"duration": 1.0})
    m.add(pl.Drive("A", "angle", lambda t: round(0.5 * t, 8), name="encoder"))
    return m


@sick(("adaptive-modes", "blade"), notes=[])
def modes_that_come_and_go_with_fixed_steps() -> pl.Model:
    m = pl.Model("blade", settings={"duration": 1.0, "step": 1e-5})
    m.add(pl.ModalBody("blade", flexible_rod(), adaptive=1e-4))
    m.add(pl.Revolute("A", m.ground, "blade.start", axis="y"))
    return m


@sick(("unknown-cut", ""), notes=LOOP)
def joint_to_cut_that_is_not_there() -> pl.Model:
    return four_bar(settings={"duration": 1.0, "formulation": pl.Recursion(cut="A, left_pin")})


@sick(("large-run", ""), notes=LOOP)
def rows_that_no_memory_holds() -> pl.Model:
    return four_bar(settings={"duration": 10.0, "output_step": 1e-9})


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


@sick(notes=[("unused-frame", "ground.wall"), *LOOP])
def frame_left_over():
    m = four_bar()
    m.ground.frames = {"wall": (1, 0, 0)}
    return m


# -- planes
@sick(("out-of-plane", "C"), notes=None)
def plane_model_with_an_oblique_pin():
    return four_bar((np.sin(2.3 * DEGREE), 0, np.cos(2.3 * DEGREE)), planar=True)


@sick(("out-of-plane", "across"), ("out-of-plane", "tilt"), ("out-of-plane", "thread"), ("out-of-plane", "lift"), notes=[])
def plane_model_with_joints_that_lead_out():
    m = pl.Model("out", planar=True)
    joints = {"across": (pl.Prismatic, "z"), "tilt": (pl.Revolute, "x"), "pin": (pl.Cylindrical, "z"), "slide": (pl.Cylindrical, "x")}
    for k, (name, (kind, axis)) in enumerate(joints.items()):
        m.add(pl.RigidBody.sphere(f"ball{k}", 0.1, mass=2.0, position=(k, 0, 0)))
        m.add(kind(name, m.ground.frame((k, 0, 0)), f"ball{k}", axis=axis))
    m.add(pl.RigidBody.sphere("nut", 0.1, mass=2.0, position=(0, 2, 0)))
    m.add(pl.Screw("thread", m.ground.frame((0, 2, 0)), "nut", lead=0.01))
    m.add(pl.Drive("pin", "displacement", "0.01*sin(t)", name="lift"))
    return m


@sick(("out-of-plane", "gravity"), ("out-of-plane", "crank"), ("out-of-plane", "push"), notes=[])
def plane_model_with_loads_and_velocities_across():
    m = four_bar(planar=True)
    m.gravity = (0, -9, -3)
    m["crank"].angular_velocity = (0, 1, 1)
    m.add(pl.Force("push", "coupler", (1, 2, 3)))
    return m


@sick(("wound-beam", "ring"), notes=[("unconnected-body", "ring")])
def ring_of_three_elements() -> pl.Model:
    m = pl.Model("ring", settings={"duration": 0.01})
    points = [(np.cos(a), np.sin(a), 0.0) for a in np.linspace(0, 6, 30)]
    m.add(pl.Beam("ring", points=points, profile=pl.Section.circle(0.01), material="steel", elements=3))
    return m
