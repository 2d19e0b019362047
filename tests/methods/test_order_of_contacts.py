"""The order in which bodies and contacts are given changes nothing beyond rounding, also where several of them act at one instant."""
import numpy as np
import pytest

import pliant as pl

G, R = 9.81, 0.1
RIGID = {"law": "rigid", "restitution": 0.5}
SOFT = {"stiffness": 1e6, "restitution": 0.5}
NEST = [(0, 0, 0), (2 * R, 0, 0), (R, np.sqrt(3) * R, 0)]  # three that touch each other


def balls(order, contacts, friction, law) -> pl.Model:
    """A spinning ball falls into the hollow between three that lie on a floor and touch each other: up to nine contacts at one instant."""
    m = pl.Model("nest", gravity=(0, 0, -G))
    top = np.mean(NEST, axis=0) + (0, 0, R + np.sqrt(4 * R**2 - np.sum((np.array(NEST[0]) - np.mean(NEST, axis=0)) ** 2)))
    places = [tuple(np.add(p, (0, 0, R))) for p in NEST] + [tuple(top + (0, 0, 0.02))]
    for k in order:
        spin = {"velocity": (0, 0, -1.0), "angular_velocity": (3, -7, 20)} if k == 3 else {"angular_velocity": (0.0, 0.0, 2.0 - k)}
        m.add(pl.RigidBody.sphere(f"b{k}", R, mass=1.0 + (k == 3), position=places[k], **spin))
    pairs = [("ground", f"b{k}") for k in range(4)] + [(f"b{i}", f"b{j}") for i, j in ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))]
    for k in contacts:
        a, b = pairs[k]
        m.add(pl.Contact(f"{a}_{b}", a, b, friction=friction, **law))
    return m


def box(order, contacts, friction, law) -> pl.Model:
    """Two tumbling boxes without a common axis: one falls flat onto the floor, the other with an edge onto it, spinning."""
    m = pl.Model("boxes", gravity=(0.3, -0.4, -G))
    boxes = [pl.RigidBody.box("low", (0.4, 0.3, 0.2), mass=2.0, position=(0, 0, 0.15), velocity=(0.3, -0.2, -1),
                             angular_velocity=(0, 0, 4)),
             pl.RigidBody.box("high", (0.2, 0.3, 0.1), mass=1.0, position=(1.0, 0.05, 0.4), rotation=pl.rotation((1, 0.5, 0), 0.7),
                              velocity=(0, 0.1, -2), angular_velocity=(1, 4, 3)),
             pl.RigidBody.sphere("ball", 0.05, mass=0.5, position=(0.5, 0.5, 0.05))]
    for k in order:
        m.add(boxes[k])
    pairs = [("floor_low", m.ground, "low"), ("floor_high", "high", m.ground), ("floor_ball", m.ground, "ball")]
    for k in contacts:
        name, a, b = pairs[k]
        m.add(pl.Contact(name, a, b, friction=friction, **law))
    return m


@pytest.mark.parametrize(("scene", "bodies", "contacts", "law", "friction", "T"), [
    (balls, 4, 10, RIGID, 0.0, 0.1), (balls, 4, 10, RIGID, 0.3, 0.1), (balls, 4, 10, RIGID | {"impacts": "poisson"}, 0.3, 0.1),
    (balls, 4, 10, SOFT, 0.3, 0.03), (box, 3, 3, RIGID, 0.3, 0.2), (box, 3, 3, SOFT, 0.3, 0.1)])
def test_order_changes_nothing(scene, bodies, contacts, law, friction, T):
    rng, ends, times = np.random.default_rng(4), [], []
    for k in range(3):
        order, some = (np.arange(n) if k == 0 else rng.permutation(n) for n in (bodies, contacts))
        sol = scene(order, some, friction, law).simulate(T, accuracy=1e-8, output_times=[T], integrator=pl.DOP853(), progress=False)
        names = sorted(body.name for body in sol.model.section("bodies") if body.name != "ground")
        ends.append(np.concatenate([sol[f"{b}.{what}"][-1] for b in names for what in ("position", "velocity", "angular_velocity")]))
        times.append(sorted(e.t for e in sol.events))
    assert times[0] and max(times[0]) > 1e-3
    for end, when in zip(ends[1:], times[1:], strict=True):
        assert abs(end - ends[0]).max() < 1e-10
        assert when == pytest.approx(times[0], abs=1e-10)
