"""Boxes that are thrown with spin: they bounce on their corners, slide, and come to rest."""
import numpy as np
import pytest

import pliant as pl


@pytest.mark.parametrize("seed", [2, 5, 8])
def test_a_box_comes_to_rest_on_a_face(seed):
    """With few instants: corners that kick each other, or end their slip together, do not go on for ever."""
    rng = np.random.default_rng(seed)
    spin, v = rng.normal(size=3) * 4, rng.normal(size=3) * 0.5
    m = pl.Model("thrown", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.box("box", (0.2, 0.3, 0.1), mass=2, position=(0, 0, 0.4), angular_velocity=tuple(spin), velocity=tuple(v)))
    m.add(pl.Contact("touch", "box", "ground", law="rigid", restitution=0.3, friction=0.4))
    sol = m.simulate(1.5, accuracy=1e-6)
    assert len(sol.events) < 100 and abs(sol["box.velocity"][-1]).max() < 1e-12
    assert sol["box.position.z"][-1] == pytest.approx(0.05, abs=1e-9)
    assert sol["touch.normal_force"][-1] == pytest.approx(2 * 9.81, rel=1e-9)
    impacts = [e for e in sol.events if e.what == "impact"]
    lost = [sum(e.energy_lost for e in impacts if e.t == t) for t in {e.t for e in impacts}]  # corners may pass some to each other
    assert min(lost) > -1e-15 and np.diff(sol.energy.dissipated).min() > -1e-12 and np.ptp(sol.energy.balance) < 1e-6


def test_a_ball_beside_a_box_has_no_part_in_its_impacts():
    """What only touches elsewhere is not told of."""
    m = pl.Model("two", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.box("box", (0.2, 0.3, 0.1), mass=2, position=(0, 0, 0.4), angular_velocity=(3, 5, 2), velocity=(0.5, 0.2, 0)))
    m.add(pl.RigidBody.sphere("ball", 0.1, mass=0.5, position=(0.6, 0, 0.1)))
    for name in ("box", "ball"):
        m.add(pl.Contact(f"{name}_floor", name, "ground", law="rigid", restitution=0.3, friction=0.4))
    sol = m.simulate(0.5, accuracy=1e-5)
    assert len(sol.events.of("box_floor")) > 3 and not [e for e in sol.events.of("ball_floor") if e.what == "impact"]


@pytest.mark.parametrize("seed", range(4))
def test_a_rock_comes_to_rest(seed):
    """The hull of eight random points rolls over edges and corners. Where its slip comes near to none without reversing it sticks."""
    G, m = 9.81, pl.Model("rock", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("rock", 1.0, (0.01, 0.012, 0.015), position=(0, 0, 0.5), rotation=pl.rotation((1, 2, 3), 1.0), velocity=(1, 0, 0),
                       angular_velocity=(5, -3, 2)))
    hull = pl.Surface.convex(np.random.default_rng(seed).normal(size=(8, 3)) * 0.1)
    m.add(pl.Contact("touch", m.ground, "rock", surface_b=hull, law="rigid", restitution=0.3, friction=0.3))
    sol = m.simulate(10.0, accuracy=1e-6, output_step=0.5, progress=False)
    assert sol.quality.steps < 3000 and abs(sol["rock.velocity"][-1]).max() < 1e-9
    assert sol["touch.normal_force"][-1] == pytest.approx(G, rel=1e-9) and set(sol["touch.state"][-2:]) == {1.0}
    assert np.diff(sol.energy.dissipated).min() > -1e-9 and np.ptp(sol.energy.balance) < 1e-5
