"""Starts that do not fit: what is told, and soon."""
import time

import numpy as np
import pytest

import pliant as pl
from pliant.compile.compiled_model import Extent


def test_lengths_are_told_with_few_digits():
    assert [Extent(mm, 0.0).text() for mm in (0.01234, 999.4, 12345.6, 1e39)] == ["0.0123 mm", "999 mm", "12346 mm", "1e+39 mm"]


@pytest.mark.parametrize("turned", [0.0, 30.0])
def test_a_velocity_as_modelled_and_a_start_angle(turned):
    """A velocity across the rod as modelled is not across it any more where it starts; a rate of the joint is right everywhere."""
    u, v, n = np.linalg.qr(np.random.default_rng(4).standard_normal((3, 3)))[0].T
    m = pl.Model("pendulum")
    m.add(pl.RigidBody.rod("bar", (0, 0, 0), 0.8 * u, mass=1.0, velocity_at_end=1.6 * v))
    m.add(pl.Revolute("A", m.ground, "bar.start", axis=n, angle=f"{turned} deg"))
    side = float(np.cross(n, u) @ v)
    if turned:
        with pytest.raises(pl.ModelError, match=r"velocity of 'bar' .* drives turn 'bar' by 30 degrees\. State the angle_rate"):
            m.assemble()
        m["bar"].velocity = m["bar"].angular_velocity = None
        m["A"].angle_rate = 2.0 * side
    assert abs(m.assemble().solution["A.angle_rate"][0] - 2.0 * side) < 1e-9


def test_a_wrong_velocity_without_a_start_angle_is_not_blamed_on_it():
    m = pl.Model("pendulum")
    m.add(pl.RigidBody.rod("bar", (0, 0, 0), (1, 0, 0), mass=1.0, velocity_at_end=(0, 0, 1)))
    m.add(pl.Revolute("A", m.ground, "bar.start"))
    with pytest.raises(pl.ModelError, match=r"said to be\. Leave it out"):
        m.assemble()


def test_a_gap_beyond_all_sizes_is_refused_soon():
    """Following it in small steps would take for ever."""
    m = pl.Model("far")
    m.add(pl.RigidBody.sphere("b", 0.1, mass=1.0, position=(1, 0, 0)))
    m.add(pl.Joint("J", m.ground, "b", primitives=[("distance", 1e20)]))
    clock = time.process_time()
    with pytest.raises(pl.ModelError, match="do not fit together"):
        m.assemble()
    assert time.process_time() - clock < 20
