"""What check expects of contacts: against closed forms and against runs; what it says against runs of the same models."""
import numpy as np
import pytest
import sick_contacts
import sick_limits  # noqa: F401 - fills SICK
from cases import SICK, swinging

import pliant as pl
from pliant.diagnosis.impacts import by_steps


def falling(height, **contact):
    m = pl.Model("ball", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.sphere("ball", 0.05, mass=0.5, position=(0, 0, height), velocity=(0.7, 0, -0.2)))
    m.add(pl.Contact("bounce", m.ground, "ball", **contact))
    return m


@pytest.mark.parametrize("ratio", [0.05, 0.3, 0.8])
def test_a_linear_law_gives_back_what_is_known(ratio):
    """m x'' = -k x - c x' until F = 0: with D = c / (2 sqrt(k m)), b = sqrt(1 - D^2) and phi = atan2(2 D b, 2 D^2 - 1) the force is zero at
    w t = phi / b, and e = exp(-D phi / b). Schwager, Poeschel 2007"""
    k, m, v = 3e5, 0.7, 2.5
    c, w = 2 * ratio * np.sqrt(k * m), np.sqrt(k / m)
    b = np.sqrt(1 - ratio**2)
    phi = np.arctan2(2 * ratio * b, 2 * ratio**2 - 1)
    found = by_steps(lambda x, u: k * x + c * u, m, v)
    assert found.gives == pytest.approx(np.exp(-ratio * phi / b), rel=1e-6)
    assert found.lasts == pytest.approx(phi / (b * w), rel=1e-5)
    assert found.depth == pytest.approx(v / w * np.exp(-ratio / b * np.arctan2(b, ratio)), rel=1e-5)  # where x' = 0


def test_an_elastic_law_of_hertz_lasts_as_long_as_is_known():
    """T = 2.943275 (m^2 / (k^2 v))^(1/5), d^(5/2) = 5 m v^2 / (4 k), and nothing is lost. Johnson 1985, 11.4"""
    k, m, v = 2e9, 0.03, 1.7
    found = by_steps(lambda x, u: k * max(x, 0.0)**1.5, m, v)
    depth = (5 * m * v**2 / (4 * k)) ** 0.4
    assert found.depth == pytest.approx(depth, rel=1e-6) and found.gives == pytest.approx(1, abs=1e-7)
    assert found.lasts == pytest.approx(2.943275 * depth / v, rel=1e-5)


@pytest.mark.parametrize("law", [
    {"stiffness": 1e8, "restitution": 0.7}, {"stiffness": 1e8, "law": "flores", "restitution": 0.8},
    {"stiffness": 1e6, "law": "linear", "damping": 100}, {"stiffness": 1e8, "law": "impact", "damping": 300, "ramp": 2e-4},
    {"force": "1e8*x^1.5*(1 + 0.1*v)"}], ids=lambda law: law.get("law", "restitution" if "restitution" in law else "force"))
def test_speed_depth_and_restitution_are_those_of_a_run(law):
    """A ball that is thrown down and falls: weight acts during the impact, which is 2e-3 of the force."""
    m = falling(0.4, **law)
    assert set(m.check().contacts) == {"bounce"}
    (met,) = meetings_of(m)
    sol = m.simulate(0.5, accuracy=1e-8)
    touches, leaves = (next(e for e in sol.events.of("bounce") if e.what == what) for what in ("touches", "leaves"))
    assert met.impact.speed == pytest.approx(touches.value, rel=1e-6)
    back = (sol["ball.velocity"][:, 2])[np.searchsorted(sol.t, leaves.t)]
    assert met.impact.gives == pytest.approx(back / touches.value, abs=0.01)
    fine = m.simulate(leaves.t, accuracy=1e-8, output_step=(leaves.t - touches.t) / 200)
    assert met.impact.depth == pytest.approx(-fine["bounce.gap"].min(), rel=0.02)


def meetings_of(m):
    from pliant.diagnosis.examination import Examination
    from pliant.diagnosis.findings import Report
    from pliant.diagnosis.frequencies import Settings
    e = Examination(m, m.compile(), Settings.of(m), Report(m.name), [])
    e.findings()
    return e.meetings


def test_the_speed_is_a_bound_where_a_spring_throws():
    """A ball on a spring that is pressed by 0.1 m hits a second one: v = d sqrt(k / m) at most, and of its two bodies alone."""
    m = pl.Model("flipper")
    m.add(pl.RigidBody.sphere("ball", 0.05, mass=0.5))
    m.add(pl.RigidBody.sphere("target", 0.05, mass=2.0, position=(0.15, 0, 0)))
    m.add(pl.Prismatic("P", m.ground, "ball", axis="x"))
    m.add(pl.Prismatic("Q", m.ground.frame((0.15, 0, 0)), "target", axis="x"))
    m.add(pl.AxialSpring("push", "P", 800.0, displacement=0.1))
    m.add(pl.Contact("hit", "ball", "target", stiffness=1e8))
    (met,) = meetings_of(m)
    sol = m.simulate(0.1, accuracy=1e-7)
    (hit, *_) = [e for e in sol.events.of("hit") if e.what == "touches"]
    energy = 800 * 0.1**2 / 2
    assert met.impact.speed == pytest.approx(np.sqrt(2 * energy * (1 / 0.5 + 1 / 2.0)), rel=1e-9)
    assert 0.75 * met.impact.speed < hit.value <= met.impact.speed


def test_free_bodies_fall_alike():
    """Of two balls in free fall only the relative speed counts; of one that is thrown at a wall only what is along its normal."""
    m = pl.Model("sky", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.sphere("low", 0.05, mass=0.5))
    m.add(pl.RigidBody.sphere("high", 0.05, mass=0.5, position=(0, 0, 3), velocity=(0, 0, -2)))
    m.add(pl.Contact("hit", "low", "high", stiffness=1e8))
    m.add(pl.Contact("wall", m.ground.frame((0, 0, -50), rotation=pl.rotation("x", 0.0)), "low", stiffness=1e8))
    hit, wall = meetings_of(m)
    assert hit.impact.speed == pytest.approx(2.0) and wall.impact.speed == pytest.approx(np.sqrt(2 * 9.81 * 49.95))


def case(name):
    return next(c for c in SICK if c.name == name).build()


@pytest.mark.parametrize("name", ["ball_within_a_rigid_floor", "rigid_contact_with_a_fixed_step",
                                  "rigid_contact_with_a_method_that_holds_constraints", "rigid_friction_in_joint_coordinates",
                                  "rigid_stop_outside_of_the_range"])
def test_what_is_an_error_is_refused_by_the_run(name):
    with pytest.raises(pl.ModelError, match="rigid"):
        case(name).simulate(0.01)


@pytest.mark.parametrize("method", ["hht", "energy-momentum", "dimcd"])
def test_methods_that_hold_constraints_refuse_rigid_contacts(method):
    with pytest.raises(pl.ModelError):
        sick_contacts.ball(settings={"duration": 0.01, "integrator": method}, law="rigid", stiffness=None).simulate(0.01)


@pytest.mark.parametrize("name", ["events_that_undo_each_other", "state_machine_without_room_between_its_modes"])
def test_events_that_cycle_stop_the_run(name):
    with pytest.raises(pl.SimulationError) as stopped:
        case(name).simulate(1.0)
    assert stopped.value.code == "chattering" and stopped.value.solution.t[-1] < 0.5


def test_events_that_never_fire_do_not():
    names = ["event_after_the_end", "event_beyond_what_a_sine_can_be", "event_that_is_always_true", "event_that_is_true_until_later",
             "event_that_contradicts_itself", "event_that_asks_for_equality"]
    m = swinging(*(item for name in names for item in case(name) if isinstance(item, pl.Event)))
    assert len(m.section("blocks")) == 6 and not m.simulate(7.0).events


def test_a_mass_that_is_used_up_ends_the_run():
    with pytest.raises(pl.SimulationError, match=r"t = 6\.25") as stopped:
        case("rocket_that_burns_more_than_it_has").simulate()
    assert stopped.value.solution.t[-1] <= 6.25


def test_a_catch_from_too_far_stops_the_run():
    with pytest.raises(pl.SimulationError, match="cannot be connected"):
        case("latch_that_catches_too_far_away").simulate()
