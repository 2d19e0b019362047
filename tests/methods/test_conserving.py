"""The energy-momentum method: what it conserves, its orders, and what it costs in other places."""
import numpy as np
import pytest
from examples_of import example
from spatial_loop import four_bar, orders

import pliant as pl
from pliant.items.base import matrix_of

METHOD = pl.EnergyMomentum()


@pytest.mark.parametrize("make", [four_bar, example("bricard")], ids=["spatial loop", "redundant"])
def test_orders(make):
    assert orders(make, 0.8, (4e-3, 2e-3, 1e-3), integrator=METHOD) == pytest.approx([2, 2, 2], abs=0.1)


def test_double_four_bar_for_100_s():
    """103 flat positions at 10 ms: energy to 1e-10, posts parallel to 1e-6 m; generalized-alpha loses nine decades more."""
    sol = example("double_four_bar")().simulate(100.0, step=1e-2, integrator=METHOD)
    tips = [sol[f"post{i}.end.position"] - (i, 0, 0) for i in range(3)]
    assert max(abs(tips[i] - tips[0]).max() for i in (1, 2)) < 1e-6
    assert sol.energy.drift < 1e-10 * sol.energy.kinetic.max()
    assert sol.quality.position_violation < 1e-11


def momenta(sol, bodies) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum of bodies {name: (mass, inertia)} over time, about the origin."""
    P, L = 0.0, 0.0
    for name, (mass, inertia) in bodies.items():
        p = mass * sol[f"{name}.velocity"]
        turning = zip(sol[f"{name}.rotation"], sol[f"{name}.angular_velocity"], strict=True)
        spin = np.array([matrix_of(q) @ (inertia * w) for q, w in turning])
        P, L = P + p, L + np.cross(sol[f"{name}.position"], p) + spin
    return P, L


def test_a_free_body_for_100_s():
    m = pl.Model("free body")
    m.add(pl.RigidBody("body", mass=2.0, inertia=(1, 2, 3), position=(0.3, -0.2, 0.5), velocity=(0.1, -0.05, 0.02),
                       angular_velocity=(0.01, 5, 0.02)))
    sol = m.simulate(100.0, step=1e-2, integrator=METHOD)
    P, L = momenta(sol, {"body": (2.0, np.array([1, 2, 3]))})
    assert abs(P - P[0]).max() < 1e-13 and abs(L - L[0]).max() < 1e-12 * np.linalg.norm(L[0])
    assert sol.energy.drift < 1e-12 * sol.energy.kinetic[0]
    assert abs(sol["body.angular_velocity"][:, 1]).min() < 4.9  # it does tumble


def floating() -> tuple[pl.Model, dict]:
    """Three bodies that only hold each other: spherical joint, revolute joint with a spring, and a spring across."""
    m, bodies = pl.Model("floating"), {}
    for k, (name, at) in enumerate({"a": (0, 0, 0), "b": (1, 0.2, 0.1), "c": (1.8, 1.0, -0.3)}.items()):
        inertia = np.array([0.2, 0.3, 0.4]) * (1 + k / 2)
        spin = {} if name == "c" else {"angular_velocity": (1.0, -2.0, k)}
        m.add(pl.RigidBody(name, mass=1.0 + k, inertia=tuple(inertia), position=at, **spin))
        bodies[name] = 1.0 + k, inertia
    m.add(pl.Spherical("ball", m["a"].frame((0.5, 0.1, 0)), m["b"].frame((-0.5, -0.1, -0.1))))
    m.add(pl.Revolute("hinge", m["b"].frame((0.4, 0.4, -0.2)), m["c"].frame((-0.4, -0.4, 0.2)), axis=(1, 2, -1)))
    m.add(pl.TorsionSpring("torsion", "hinge", stiffness=8.0, angle=0.4))
    m.add(pl.SpringDamper("across", m["a"].frame((0, 0.3, 0.2)), m["c"].frame((0, 0, 0.5)), stiffness=40.0, length=1.0))
    return m, bodies


def test_momenta_of_bodies_that_hold_each_other():
    m, bodies = floating()
    sol = m.simulate(10.0, step=1e-2, integrator=METHOD)
    P, L = momenta(sol, bodies)
    assert abs(P - P[0]).max() < 1e-12 * abs(L).max() and abs(L - L[0]).max() < 1e-12 * np.linalg.norm(L[0]) * 10
    assert sol.energy.drift < 1e-12 * sol.energy.kinetic.max() * 10 and sol.energy.elastic.max() > 0.1
    other = momenta(m.simulate(10.0, step=1e-2), bodies)[1]
    assert abs(other - other[0]).max() > 1e-4  # not by itself


def springs(damping: float = 0.0, law=None) -> pl.Model:
    """A loop in space on a bushing, with a torsion spring and a spring-damper."""
    m = four_bar(damping)
    m.add(pl.TorsionSpring("torsion", "A", stiffness=0.3, damping=damping / 10, angle=0.3))
    m.add(pl.RigidBody("rider", mass=0.4, inertia=(0.01, 0.02, 0.03), position=(0.5, 0.4, 0.4), angular_velocity=(3, 2, -4)))
    m.add(pl.Bushing("mount", m["coupler"].frame((0, 0, 0)), "rider", stiffness=[900, 700, 800, 5, 6, 7],
                     damping=[damping] * 3 + [0.0] * 3))
    if law is not None:
        m.add(pl.SpringDamper("law", m.ground.frame((0, 0, 1)), "rider", stiffness=law))
    return m


def driven() -> pl.Model:
    m = four_bar(2.0)
    m.add(pl.Drive("A", "angle", "2*sin(3*t)", name="motor"))
    m.add(pl.Force("push", m["rocker"].frame((0, 0, 0)), vector=("9*sin(t)", 4.0, 0)))
    return m


def test_springs_conserve_energy():
    sol = springs().simulate(20.0, step=5e-3, integrator=METHOD)
    assert sol.energy.drift < 1e-10 * sol.energy.kinetic.max() and sol.energy.elastic.max() > 1
    assert springs().simulate(20.0, step=5e-3).energy.drift > 1e-3


@pytest.mark.parametrize("make", [lambda: springs(1.5), lambda: springs(0.2, "30 * x + 200 * x**3"), driven],
                         ids=["dampers", "law", "drive and load"])
def test_the_balance_of_energy_closes(make):
    """Kinetic + potential + elastic + dissipated - work: dissipation and work are not small."""
    sol = make().simulate(5.0, step=5e-3, integrator=METHOD)
    E = sol.energy
    assert E.drift < 1e-10 * E.kinetic.max() and abs(E.work[-1]) + E.dissipated[-1] > 0.3


def test_work_is_of_order_2():
    """Dissipated energy and work, against an explicit method of order 8."""
    exact = driven().simulate(1.0, accuracy=1e-11, output_step=0.5, integrator=pl.DOP853()).energy
    found = []
    for h in (1e-2, 5e-3, 2.5e-3):
        E = driven().simulate(1.0, step=h, output_step=0.5, integrator=METHOD).energy
        found.append([abs(E.work[-1] - exact.work[-1]), abs(E.dissipated[-1] - exact.dissipated[-1])])
    assert np.polyfit(np.log((1e-2, 5e-3, 2.5e-3)), np.log(found), 1)[0] == pytest.approx([2, 2], abs=0.15)


def test_a_steady_rotation():
    """Turned by 2 atan(h w / 2) in a step, speed kept."""
    m, u = pl.Model("rotor"), np.array([2, -1, 2]) / 3
    m.add(pl.RigidBody("b", mass=1.0, inertia=(2, 2, 2), angular_velocity=tuple(4 * u)))
    m.add(pl.Revolute("A", m.ground, "b", axis=u))
    sol = m.simulate(2.0, step=0.05, output_step=0.05, integrator=METHOD)
    assert sol["A.angle"] == pytest.approx(np.arange(41) * 2 * np.arctan(0.1), abs=1e-10)
    assert sol["A.angle_rate"] == pytest.approx(np.full(41, 4.0), abs=1e-10)


def test_heavy_top_against_its_reference():
    """Half the step, a quarter of the error; vertical axis: energy to rounding at 60 degrees of turn per step."""
    errors, make = [], example("heavy_top")
    for h in (1e-3, 5e-4):
        sol = make().simulate(0.2, step=h, output_step=0.1, integrator=METHOD)
        errors.append(np.linalg.norm(sol["top.center.position"][-1] - (0.605550561377, 0.598957681795, -0.52398302743)))
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.2)
    coarse = make().simulate(2.0, step=7e-3, integrator=METHOD)
    assert coarse.energy.drift < 1e-12 * coarse.energy.kinetic[0]


def test_resuming_is_exact(tmp_path):
    whole = springs(0.5).simulate(0.4, step=1e-3, integrator=METHOD)
    half = springs(0.5).simulate(0.2, step=1e-3, integrator=METHOD, out=tmp_path / "half.h5")
    assert np.array_equal(half.resume(0.2, progress=False).rows, whole.rows)
    assert np.array_equal(pl.load(tmp_path / "half.h5").resume(0.2, progress=False).rows, whole.rows)


def test_what_is_refused():
    with pytest.raises(pl.ModelError, match=r"index-1 makes no sense with integrator energy-momentum: .* take Index3"):
        four_bar().simulate(0.1, step=1e-3, integrator=METHOD, formulation=pl.Index1())
    with pytest.raises(ValueError, match=r"tolerance = 1, must be from 1e-15 to 0\.001"):
        pl.EnergyMomentum(tolerance=1)


def test_a_step_that_fails_is_told():
    """A drive beyond what the loop can do: a sentence, and the rows before."""
    m = four_bar()
    m.add(pl.Drive("D", "angle", "3*t", name="motor"))
    with pytest.raises(pl.SimulationError, match=r"stopped at t = .* end of its travel") as stopped:
        m.simulate(3.0, step=1e-2, integrator=METHOD)
    assert len(stopped.value.solution.t) > 3


def test_from_text(tmp_path):
    file = tmp_path / "m.yaml"
    file.write_text("pliant: 1\nsimulate: {duration: 0.01, step: 0.001, integrator: energy-momentum}\n"
                    "bodies: {b: {mass: 1, inertia: [1, 2, 3], angular_velocity: [1, 2, 3]}}\n")
    assert pl.read(file).simulate().method == METHOD


def boom(t):
    if t > 0.03:
        raise ValueError("boom")
    return 1.0


@pytest.mark.parametrize("method", [METHOD, pl.DIMCD()], ids=str)
@pytest.mark.parametrize("force, told", [("sqrt(0.05 - t)", "'push' gave a number that is not finite"),
                                         (boom, "boom - raised in force 'push'"), ("1e12*t", "did not converge in 25 iterations")])
def test_what_a_fault_says(method, force, told):
    m = four_bar()
    m.add(pl.Force("push", m["rocker"].frame((0, 0, 0)), vector=(force, 0, 0)))
    with pytest.raises(pl.SimulationError, match=told) as stopped:
        m.simulate(0.2, step=1e-2, integrator=method)
    assert stopped.value.solution.t[-1] < 0.06 and np.isfinite(stopped.value.solution.rows).all()


@pytest.mark.parametrize("method", [METHOD, pl.DIMCD(), pl.HHT()], ids=str)
def test_a_start_in_a_singular_position(method):
    """The double four-bar flat: three degrees of freedom for small motions, one in truth. Posts move alike, so they stay parallel."""
    m = pl.Model("flat", gravity=(0, -9.81, 0))
    for i in range(3):
        m.add(pl.RigidBody.rod(f"post{i}", start=(i, 0, 0), end=(i + 1, 0, 0), mass=1.0, velocity_at_end=(0, 1, 0)))
        m.add(pl.Revolute(f"ground{i}", m.ground.frame((i, 0, 0)), m[f"post{i}"]["start"]))
    for i in range(2):
        beam = m.add(pl.RigidBody.rod(f"beam{i}", start=(i + 1, 0, 0), end=(i + 2, 0, 0), mass=1.0))
        m.add(pl.Revolute(f"left{i}", m[f"post{i}"]["end"], beam["start"]))
        m.add(pl.Revolute(f"right{i}", beam["end"], m[f"post{i + 1}"]["end"]))
    sol = m.simulate(3.0, step=1e-2, integrator=method)
    tips = [sol[f"post{i}.end.position"] - (i, 0, 0) for i in range(3)]
    assert max(abs(tips[i] - tips[0]).max() for i in (1, 2)) < 1e-6


def geared(sampled: bool = False) -> pl.Model:
    """Two skew axes; the second has a motor with a rotor behind its gear."""
    m = pl.Model("arm", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("a", 2.0, (0.1, 0.2, 0.15), position=(0.3, 0.2, 0.1)))
    m.add(pl.RigidBody("b", 1.0, (0.1, 0.12, 0.15), position=(0.9, 0.2, 0.4)))
    m.add(pl.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0.2, 1, 0.3)))
    m.add(pl.Revolute("B", "a", "b", at=(0.5, 0.2, 0.2), axis=(0.3, -0.5, 0.8)))
    if sampled:
        m.add(pl.PID("c", "0.5*sin(5*t)", "B.angle", kp=20.0, kd=1.0, N=30.0, period=0.02))
    m.add(pl.DCMotor("m", "B", "c.output" if sampled else "5*sin(9*t)", resistance=1.0, inductance=0.05, constant=0.1, rotor_inertia=1e-3,
                     ratio=10))
    return m


@pytest.mark.parametrize("sampled", [False, True])
def test_motors_and_rotors(sampled):
    """The balance closes to rounding, with what inductance and rotor store and the coil loses; order 2, between samples too."""
    channels = ("B.angle", "B.angle_rate", "m.current", "A.angle_rate")
    exact = geared(sampled).simulate(0.5, accuracy=1e-10, output_times=[0.5])
    errors = []
    for h in (4e-3, 2e-3):
        sol = geared(sampled).simulate(0.5, step=h, output_step=0.1, integrator=METHOD)
        errors.append([abs(sol[c][-1] - exact[c][-1]) for c in channels])
        balance = sol.energy.balance
        assert abs(balance - balance[0]).max() < 1e-12 * abs(sol.energy.work).max()
    assert np.log2(np.divide(*errors)) == pytest.approx([2] * 4, abs=0.1)


def test_a_loaded_cylinder_at_rest_stays_there():
    """Forces of 1e5 N do work on the rounding of positions; no motion comes of it."""
    m = pl.Model("boom", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("boom", 200.0, (1.0, 150.0, 150.0), position=(1.5, 0, 0)))
    m.add(pl.RigidBody("tip", 300.0, (1e-9,) * 3, position=(3, 0, 0)))
    m.add(pl.Revolute("O", "ground", "boom", at=(0, 0, 0), axis=(0, -1, 0)))
    m.add(pl.Fixed("F", "boom", "tip", at=(3, 0, 0)))
    m.add(pl.SpringDamper("c", m.ground.frame((0.3, 0, -0.9)), m["boom"].frame((-0.5, 0, 0)), 1e8, 1e4))
    sol = m.simulate(1.0, step=1e-3, integrator=METHOD, start="static")
    assert abs(sol["tip.position"] - sol["tip.position"][0]).max() < 1e-11
