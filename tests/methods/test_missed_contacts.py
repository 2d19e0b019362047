"""Nothing that touches is passed by: a slice of the hunt, and what was once missed."""
import numpy as np
import pytest
from free_gaps import Flight, box_core, first_below, gap_of, turn
from hunt_contacts import one
from throws import KINDS, surface

import pliant as pl


@pytest.mark.parametrize("kind", KINDS)
def test_throws(kind):
    """Two of each kind; `hunt_contacts` makes thousands."""
    first = list(KINDS).index(kind)
    assert {one(0, first), one(0, first + len(KINDS))} <= {"right", "near", "overlap"}


@pytest.mark.parametrize("tilt", [0.1, 0.3, 0.6])
def test_bars_that_cross_in_flight(tilt):
    """Thin and long, 300 m/s: edges cross for ten microseconds in the middle, a metre from all corners."""
    a, b, turned = box_core((2, 0.002, 0.002)), box_core((0.002, 2, 0.002)), np.array(tilt)
    flight = Flight(np.array([0.03, 0.02, 150.0]), np.array([0, 0, -300.0]), R0=turn(np.eye(3)[0], turned) @ turn(np.eye(3)[1], turned))
    m = pl.Model("bars", gravity=(0, 0, 0))
    m.add(pl.RigidBody("a", 1.0, (0.01, 0.01, 0.01), position=tuple(flight.p0), rotation=flight.R0, velocity=tuple(flight.v)))
    m.add(pl.Contact("hit", "a", "ground", surface_a=surface(a), surface_b=surface(b), stiffness=1e6, restitution=1.0))
    gap, still = gap_of(a, b), Flight(np.zeros(3))
    touch = first_below(lambda t: gap(flight.at(t), still.at(t)), 300.0, 1.0, 1e-9)[0]
    for accuracy in (1e-4, 1e-8):
        sol = m.simulate(1.0, accuracy=accuracy, output_step=1.0, progress=False)
        assert sol.events[0].what == "touches" and sol.events[0].t == pytest.approx(touch, abs=1e-11)


@pytest.mark.parametrize("case", [1246, 4426, 3849])
def test_steps_of_usual_length_right_behind_a_tiny_one(case):
    """Throws of seed 7: a blade that a drive turns, and a condition. Extrapolated by a million steps, rotations came to whole turns too
    many within the step of Radau's method behind an instant, and what the step passed was seen nowhere or elsewhere."""
    assert one(7, case) == "right"


def test_touch_between_stages():
    """Throw 4507 of seed 7: a drive alone moves a plate, by 0.7 rad of its sine in a step of Radau's method, and touches a ball at rest by
    2.2 um. Drives hold at stages, and the polynomial between them was wrong by more than that, of which no error told."""
    assert one(7, 4507) == "right"


@pytest.mark.parametrize("case", [460, 5520, 5101])
def test_sliding_over_an_edge(case):
    """Throws of seed 7: balls that slide on a thin plate or disc leave it over its edge, where v^2 / r begins at once: up to 5e5 m/s^2. No
    step is so short that its error is in proportion to its length; runs stopped there."""
    assert one(7, case) == "right"
