"""Fast rotations: what spins as it did shortens no step and loosens no error, and turns are counted however many a step makes."""
import flexible_models
import numpy as np
import pytest

import pliant as pl
from pliant.items.base import matrix_of

RATE, FREQUENCY, LOSS = 1000.0, 10.0, 0.5  # rad/s of the disc and of the mass on its spring, 1/s of its decay
DURATION = 10.0


def oscillator(disc: bool) -> pl.Model:
    """A mass on a damped spring; beside it a disc that spins freely."""
    m = pl.Model("oscillator")
    mass = m.add(pl.RigidBody.box("mass", (0.1, 0.1, 0.1), mass=1.0, position=(1, 0, 0)))
    m.add(pl.SpringDamper("spring", m.ground.frame((0.5, 0, 0)), mass, stiffness=FREQUENCY**2, damping=2 * LOSS))
    m.add(pl.Prismatic("P", m.ground.frame((1, 0, 0)), mass, axis="x", displacement=0.1))
    if disc:
        m.add(pl.RigidBody.cylinder("disc", radius=0.1, length=0.02, mass=1.0, position=(0, 0, 0)))
        m.add(pl.Revolute("A", m.ground, "disc", axis="z", angle_rate=RATE))
    return m


def decaying(t: np.ndarray) -> np.ndarray:
    """x'' + 2 d x' + w^2 x = 0 from 0.1 at rest"""
    w = np.sqrt(FREQUENCY**2 - LOSS**2)
    return 0.1 * np.exp(-LOSS * t) * (np.cos(w * t) + LOSS / w * np.sin(w * t))


@pytest.mark.parametrize("accuracy", [1e-3, 1e-5, 1e-7])
def test_a_spinning_disc_changes_nothing_for_the_rest(accuracy: float) -> None:
    """In joint coordinates its angle is a state: as many steps as without it, and the same error."""
    alone, beside = (oscillator(disc).simulate(DURATION, accuracy=accuracy) for disc in (False, True))
    errors = [abs(sol["P.displacement"] - decaying(sol.t)).max() for sol in (alone, beside)]
    assert beside.quality.steps <= (100 if accuracy == 1e-5 else 200)
    assert abs(beside.quality.steps - alone.quality.steps) <= 0.1 * alone.quality.steps + 2
    assert errors[1] < 1.5 * errors[0] + 1e-12
    assert errors[1] < 10 * accuracy * DURATION * 0.5  # the size of the model
    assert abs(beside["A.angle"] - RATE * beside.t).max() < 1e-8  # at rows between ends of steps too


def wound(rate: float) -> pl.Model:
    """A disc on an oblique axis, wound up by a torsion spring with a frequency of 3 rad/s: its angle is rate / 3 sin 3 t."""
    m = pl.Model("wound")
    disc = m.add(pl.RigidBody.cylinder("disc", radius=0.2, length=0.1, mass=2.0, axis=(1, 2, 2), position=(0.3, 0, 0)))
    m.add(pl.Revolute("A", m.ground.frame((0.3, 0, 0)), disc, axis=(1, 2, 2), angle_rate=rate))
    m.add(pl.TorsionSpring("spring", "A", stiffness=9 * 2.0 * 0.2**2 / 2))
    return m


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_turns_are_counted_within_a_step(coordinates: str) -> None:
    """The spring is wound up by 16 turns to either side; in joint coordinates a step makes several of them."""
    sol = wound(300.0).simulate(4.0, integrator=pl.DOP853(), coordinates=coordinates)
    assert abs(sol["A.angle"] - 100 * np.sin(3 * sol.t)).max() < 10 * 1e-5 * 4.0 * 100
    assert abs(sol.energy.elastic - 0.18 * sol["A.angle"] ** 2).max() < 1e-9 * 0.18 * 100**2
    if coordinates == "joint":
        assert sol.quality.steps < 100


def test_a_wheel_in_a_free_body_is_followed_by_its_angle() -> None:
    """Angular momentum and energy of a tumbling hub with a wheel at 2000 rad/s are kept, in steps of many turns of the wheel."""
    m = pl.Model("gyrostat")
    hub = m.add(pl.RigidBody("hub", mass=40.0, inertia=(3.0, 4.0, 5.0), position=(0, 0, 0), velocity=(0, 0, 0),
                             angular_velocity=(0.3, -0.2, 0.5)))
    wheel = m.add(pl.RigidBody.cylinder("wheel", radius=0.1, length=0.05, mass=0.5, axis=(2, -1, 2), position=(0.1, 0, 0.2)))
    m.add(pl.Revolute("A", hub.frame((0.1, 0, 0.2)), wheel, axis=(2, -1, 2), angle_rate=2000.0))
    sol = m.simulate(5.0)
    n, along, across = np.array([2, -1, 2]) / 3, 0.5 * 0.1**2 / 2, 0.5 * (3 * 0.1**2 + 0.05**2) / 12
    inertia = {"hub": np.diag([3.0, 4.0, 5.0]), "wheel": across * np.eye(3) + (along - across) * np.outer(n, n)}
    total = np.zeros((len(sol.t), 3))
    for body, I in inertia.items():  # angular velocities are in body axes
        R = np.array([matrix_of(q.tolist()) for q in sol[f"{body}.rotation"]])
        total += np.einsum("tij,jk,tk->ti", R, I, sol[f"{body}.angular_velocity"])
    for body, mass in (("hub", 40.0), ("wheel", 0.5)):
        total += np.cross(sol[f"{body}.position"], mass * sol[f"{body}.velocity"])
    assert abs(total - total[0]).max() < 1e-5 * np.linalg.norm(total[0])
    assert sol.energy.drift < 1e-5
    assert sol.quality.steps < 1000  # 10 000 rad


def panel(rate: float) -> pl.Model:
    """A rod of steel on a hinge with a torsion spring, oblique in space, and beside it a wheel that spins freely."""
    m, axis = pl.Model("panel"), (1, 2, 2)
    m.add(pl.ModalBody("rod", flexible_models.rod(length=2.0, width=0.01, height=0.01, modes=2), position=(0.2, 0, 0), velocity=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground.frame((0.2, 0, 0)), "rod.start", axis=axis, angle=0.5, angle_rate=0.4))
    m.add(pl.TorsionSpring("spring", "A", stiffness=0.5))
    m.add(pl.RigidBody.cylinder("wheel", radius=0.2, length=0.1, mass=2.0, axis=axis, position=(0, 0, 0)))
    m.add(pl.Revolute("B", m.ground, "wheel", axis=axis, angle_rate=rate))
    return m


@pytest.mark.parametrize("integrator", [None, pl.RadauIIA5()])
def test_a_wheel_beside_flexible_bodies_loosens_their_errors_by_ten_at_most(integrator) -> None:
    """The wheel touches nothing: the rod moves as it does beside a wheel at rest, however fast the wheel."""
    still = panel(0.0).simulate(2.0, accuracy=1e-9, output_step=0.02, integrator=pl.DOP853(), coordinates="joint")
    fast = panel(20000.0).simulate(2.0, accuracy=1e-5, output_step=0.02, integrator=integrator, coordinates="joint")
    rates = (abs(fast[name] - still[name]).max() for name in ("A.angle_rate", "rod.angular_velocity"))
    assert max(rates) < 10 * 1e-5 * 2.0 * abs(still["A.angle_rate"]).max()
    assert abs(fast["rod.end.position"] - still["rod.end.position"]).max() < 10 * 1e-5 * 2.0 * 2.0
