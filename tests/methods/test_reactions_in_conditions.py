"""Events that look at what joints exert: where a closed form says, in space against channels, at jumps, and where they are refused."""
import numpy as np
import pytest
from scipy.optimize import brentq

import pliant as pl
from pliant.kernels import evaluation
from pliant.kernels.state_row import parts
from pliant.text.model_text import from_text, to_text

MASS, G, INERTIA = 2.0, 9.81, 2.1
FIXED = {"rk4": pl.RungeKutta4(), "alpha": pl.GeneralizedAlpha(0.9)}


def pendulum(when, *more) -> pl.Model:
    """A rod of 1 m from the horizontal; the angle grows downwards."""
    m = pl.Model("pendulum", gravity=(0, 0, -G))
    m.add(pl.RigidBody("b", MASS, (0.1, 0.1, 0.1), position=(1, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "b", at=(0, 0, 0), axis="y"))
    for item in more:
        m.add(item)
    m.add(pl.Event("seen", when, [pl.End()]))
    return m


def reaction(angle):
    """On the rod in the directions x and z: m (c'' + g), c = (cos, 0, -sin)."""
    s, c = np.sin(angle), np.cos(angle)
    turn, spin = MASS * G * c / INERTIA, 2 * MASS * G * s / INERTIA
    return MASS * (-turn * s - spin * c), MASS * (-turn * c + spin * s + G)


@pytest.mark.parametrize("method", [None, "radau", *FIXED])
@pytest.mark.parametrize(("when", "value"), [("A.force > 40", lambda a: np.hypot(*reaction(a)) - 40),
                                             ("A.force.x < -20", lambda a: reaction(a)[0] + 20)])
def test_a_limit_is_passed_where_it_should_be(when, value, method):
    """The magnitude and a component, located; with fixed steps after the step."""
    angle = brentq(value, 0.05, 0.78)
    options = {"step": 1e-3, "integrator": FIXED[method]} if method in FIXED else {"accuracy": 1e-10} if method is None else {
        "accuracy": 1e-9, "integrator": pl.RadauIIA5(), "coordinates": "absolute"}
    sol = from_text(to_text(pendulum(when))).simulate(3.0, **options)
    late = sol["A.angle"][-1] - angle
    assert 0 <= late < 1e-3 * sol["A.angle_rate"][-1] * 1.001 if method in FIXED else abs(late) < 1e-10
    assert sol.events[0].item == "seen"


@pytest.mark.parametrize("options", [{"accuracy": 1e-9}, {"accuracy": 1e-8, "integrator": pl.RadauIIA5(), "coordinates": "absolute"}],
                         ids=["explicit", "implicit"])
def test_a_force_that_jumps_takes_the_reaction_with_it(options):
    """At a known time, and at a place; what has ended again before the step does is seen as well."""
    push = pl.Force("push", "b", (0, 0, "if(t > 0.3, -200, 0)"))
    assert pendulum("A.force > 80", push).simulate(1.0, **options).t[-1] == pytest.approx(0.3, abs=1e-12)
    sol = pendulum("A.force > 80", pl.Force("push", "b", ("if(A.angle > 0.7, 300, 0)", 0, 0))).simulate(1.0, **options)
    assert sol["A.angle"][-1] == pytest.approx(0.7, abs=1e-7)
    below = brentq(lambda a: reaction(a)[1] - reaction(np.pi / 2)[1] + 1e-2, 0.1, np.pi / 2)  # near the lowest place, for a moment
    limit = float(reaction(np.pi / 2)[1] - 1e-2)
    sol = pendulum(f"A.force.z > {limit!r}").simulate(3.0, **options)
    assert sol["A.angle"][-1] == pytest.approx(below, abs=1e-7)


def test_they_are_the_channels_of_all_joints():
    """In space, off all axes, spinning."""
    m = pl.Model("spatial", gravity=(1, -2, -9))
    turn = pl.rotation((1, 2, -1), 0.7)
    a = m.add(pl.RigidBody("a", 1.3, (0.1, 0.2, 0.25), com=(0.1, 0.05, -0.1), rotation=turn, position=(0.2, -0.1, 0.3)))
    b = m.add(pl.RigidBody("b", 0.7, (0.05, 0.06, 0.07), com=(0, 0.1, 0.1), position=(0.9, 0.4, -0.2)))
    c = m.add(pl.RigidBody("c", 0.9, (0.05, 0.07, 0.06), position=(1.4, 0.1, 0.3)))
    m.add(pl.Universal("U", m.ground, a, at=(0.2, -0.1, 0.3), axis=(0.3, 1, 0), axis_b=(1, -0.3, 0)))
    m.add(pl.Prismatic("P", a, b, at=(0.9, 0.4, -0.2), axis=(0.3, 1, 0.2), displacement_rate=0.4))
    m.add(pl.Distance("D", b.frame((0.1, 0.1, 0)), c.frame((0, 0.1, 0.05))))
    m.add(pl.PointOnPlane("Q", m.ground, c, at=(1.4, 0.1, 0.3), axis=(0.2, 0.1, 1)))
    parts_of = [*(f"{what}.{axis}" for what in ("force", "torque") for axis in "xyz"), "force", "torque"]
    words = [f"{joint}.{name}" for joint in "UPDQ" for name in parts_of]
    m.add(pl.Event("seen", " or ".join(f"{word} > 1e9" for word in words), [pl.End()]))
    sol = m.simulate(0.3, accuracy=1e-8, output_step=0.1, coordinates="absolute")
    d = m.compile()
    s, x = d.system, d.system.memory()
    own = {name: value[-1] for name, value in parts(sol.rows, s.q0.size, s.n).items()}
    x.q[:], x.v[:], x.lam[:], x.H[:] = own["q"], own["v"], own["lam"], own["H"]
    evaluation.run(s.program("residual"), s.data, x, 0.3, 0.0, 0.0, 0.0)
    from pliant.families.reactions import CLEARED, PLACES
    for row in range(*s.families[CLEARED]):
        joint, at = s.owners[row], s.data.ip[row, PLACES]
        force, moment = sol[f"{joint}.force"][-1], sol[f"{joint}.torque"][-1]
        due = [*force, *moment, np.linalg.norm(force), np.linalg.norm(moment)]
        assert x.Y[at:at + 8] == pytest.approx(due, rel=1e-9, abs=1e-9) and max(map(abs, due)) > 0.1


def test_where_reactions_cannot_be_read():
    with pytest.raises(pl.ModelError, match="joint coordinates do not compute in a step; take coordinates='absolute'"):
        pendulum("A.force > 40").simulate(1.0, coordinates="joint")
    for item in (pl.JointTorque("T", "A", "-0.1*A.force"), pl.StateMachine("s", ["up", "down"], [("up", "down", "A.force.x > 2")])):
        with pytest.raises(pl.ModelError, match="it is solved for, so only a block with a period can use it"):
            pendulum("A.force > 40", item).compile()
    m = pendulum("A.force > 40")
    m.add(pl.RigidBody("c", 1.0, (1, 1, 1), position=(0, 0, 0)))
    m.add(pl.Screw("S", m.ground, "c", axis="x", lead=0.1))
    m["seen"].when = "S.force > 3"
    with pytest.raises(pl.ModelError, match="joint 'S': what it exerts cannot be read by a condition"):
        m.compile()
