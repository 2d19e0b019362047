"""The engine as a whole: order, invariance, balance of every free body, consistency of every level, awkward models."""
import numpy as np
import pytest

import pliant as pl

IDENTITY = np.eye(3)
SHARP = pl.GeneralizedAlpha(newton="full", tolerance=1e-11)


def spatial_loop(turn=IDENTITY, shift=(0.0, 0.0, 0.0), order=(0, 1, 2)):
    """A spatial four-bar: crank on a revolute, coupler between a universal and a spherical joint, rocker on a skew revolute.

    ``turn`` and ``shift`` move the whole model; ``order`` is that in which the bodies are added."""
    at = lambda p: turn @ np.asarray(p, float) + np.asarray(shift)  # noqa: E731
    q = turn
    m = pl.Model("spatial", gravity=turn @ (0.5, -9.0, -3.0))
    points = np.array([[0, 0, 0], [0.4, 0.1, 0.0], [1.2, 0.8, 0.5], [1.5, -0.1, 0.6]], float)
    inertia = ((0.02, 0.03, 0.04), (0.05, 0.2, 0.15), (0.06, 0.05, 0.08))
    mids = [(points[k] + points[k + 1]) / 2 for k in range(3)]
    bodies = {}
    for k in order:
        state = {"angular_velocity": (0, 0, 4.0), "velocity": tuple(q @ np.cross((0, 0, 4.0), mids[0]))} if k == 0 else {}
        bodies[k] = m.add(pl.RigidBody(f"body{k}", mass=1.0 + k, inertia=inertia[k], com=(0.02, -0.03, 0.05 * k), position=at(mids[k]),
                                       rotation=q, **state))
    local = lambda k, p: tuple(points[p] - mids[k])  # noqa: E731
    ground = lambda p: m.ground.frame(at(points[p]), rotation=q)  # noqa: E731
    m.add(pl.Revolute("A", ground(0), bodies[0].frame(local(0, 0)), axis="z"))
    m.add(pl.Universal("B", bodies[0].frame(local(0, 1)), bodies[1].frame(local(1, 1)), axis="z", axis_b="x"))
    m.add(pl.Spherical("C", bodies[1].frame(local(1, 2)), bodies[2].frame(local(2, 2))))
    m.add(pl.Revolute("D", ground(3), bodies[2].frame(local(2, 3)), axis=(0.3, -0.2, 0.9)))
    m.add(pl.SpringDamper("S", ground(0), bodies[2].frame((0.1, 0.2, -0.1)), stiffness=40.0, damping=1.5, length=0.7))
    return m


def test_order_two_in_positions_velocities_and_multipliers():
    """Errors at h, h/2, h/4 against h/32, fitted order 2 within 0.1. The loop has one degree of freedom and unique reactions."""
    m = spatial_loop()
    steps = [4e-3, 2e-3, 1e-3]
    runs = [m.simulate(0.6, step=h, output_step=0.1, integrator=SHARP) for h in [*steps, 1.25e-4]]
    for channel in ("body1.position", "body2.rotation", "body1.velocity", "body0.angular_velocity", "A.force", "B.torque", "C.force"):
        errors = [abs(r[channel] - runs[-1][channel]).max() for r in runs[:-1]]
        order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
        assert abs(order - 2) < 0.1, (channel, order, errors)


def test_every_level_of_the_constraints_holds_at_output():
    sol = spatial_loop().simulate(0.5, step=1e-3)
    assert sol.quality.position_violation < 1e-9
    assert sol.quality.velocity_violation < 1e-8
    assert sol.quality.acceleration_violation < 1e-8


def test_reactions_balance_every_free_body():
    """m a_com = m g + forces; I w' + w x I w = moments about the centre of mass, with what the channels report."""
    m = spatial_loop()
    sol = m.simulate(0.5, step=1e-3)
    g = np.array(m.gravity)
    ends = {"body0": [("A", +1, m["A"].b), ("B", -1, m["B"].a)], "body1": [("B", +1, m["B"].b), ("C", -1, m["C"].a)],
            "body2": [("C", +1, m["C"].b), ("D", +1, m["D"].b)]}
    from pliant.items.base import matrix_of
    for name, joints in ends.items():
        body = m[name]
        R = np.array([matrix_of(q) for q in sol[f"{name}.rotation"]])
        w, alpha, com = sol[f"{name}.angular_velocity"], sol[f"{name}.angular_acceleration"], np.array(body.com)
        a = sol[f"{name}.acceleration"] + np.einsum("nij,nj->ni", R, np.cross(alpha, com) + np.cross(w, np.cross(w, com)))
        force, moment = -body.mass * (a - g), np.zeros_like(a)
        for joint, sign, frame in joints:
            f, t = sign * sol[f"{joint}.force"], sign * sol[f"{joint}.torque"]
            on_b = sol[f"{name}.position"] + np.einsum("nij,j->ni", R, body.place_of(frame)[0])
            arm = on_b - sol[f"{name}.position"] - np.einsum("nij,j->ni", R, com)
            force += f
            moment += t + np.cross(arm, f)
        if name == "body2":
            point = sol["body2.position"] + np.einsum("nij,j->ni", R, (0.1, 0.2, -0.1))
            pull = -sol["S.force"][:, None] * point / np.linalg.norm(point, axis=1)[:, None]
            force += pull
            moment += np.cross(point - sol["body2.position"] - np.einsum("nij,j->ni", R, com), pull)
        I = body.inertia_matrix
        spin = np.einsum("nij,nj->ni", R, alpha @ I.T + np.cross(w, w @ I.T))
        scale = abs(force).max() + body.mass * abs(a).max()
        assert abs(force).max() < 1e-9 * scale, name
        assert abs(moment - spin).max() < 1e-8 * scale, name


def test_energy_balance_closes_with_dampers_loads_and_drives():
    """kinetic + potential + elastic + dissipated - work stays constant to the order of the method."""
    def drift(h):
        m = spatial_loop()
        m.add(pl.Force("F", m["body1"].frame((0.1, 0.2, 0.3)), ("8*sin(5*t)", "3*t", 2.0), axes="frame"))
        m.add(pl.Torque("T", m["body2"], (0, "4*cos(3*t)", 1.0)))
        m.add(pl.Bushing("B2", m["body0"], m["body2"], stiffness=[20, 30, 40, 1, 2, 3], damping=[1, 1, 1, 0.1, 0.1, 0.1]))
        sol = m.simulate(0.6, step=h, output_step=0.02, integrator=SHARP)
        assert sol["energy.dissipated"][-1] > 0.3
        assert abs(sol["energy.work"][-1]) > 0.3
        return sol.energy.drift
    coarse, fine = drift(2e-3), drift(1e-3)
    assert fine < 2e-3
    assert 3.6 < coarse / fine < 4.4

    m = pl.Model("driven", gravity=(0, -9.81, 0))
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=2.0))
    m.add(pl.Revolute("A", m.ground, rod["start"], axis="z"))
    m.add(pl.Drive("A", "angle", "1.5*sin(2*t)", name="motor"))
    sol = m.simulate(2.0, step=1e-3)
    assert sol.energy.drift < 1e-5
    inertia = rod.inertia_matrix[2, 2] + 2.0 * 0.25
    angle, torque = 1.5 * np.sin(2 * sol.t), 2.0 * 9.81 * 0.5
    np.testing.assert_allclose(sol["motor.effort"], -6.0 * inertia * np.sin(2 * sol.t) + torque * np.cos(angle), atol=1e-8)
    np.testing.assert_allclose(sol["motor.power"], sol["motor.effort"] * 3.0 * np.cos(2 * sol.t), atol=1e-7)
    np.testing.assert_allclose(sol["A.torque"][:, 2], 0, atol=1e-9)  # the drive's effort is not part of the joint's reaction


def test_results_do_not_depend_on_the_order_of_bodies():
    a, b = (spatial_loop(order=o).simulate(0.5, step=1e-3, integrator=SHARP) for o in ((0, 1, 2), (2, 0, 1)))
    for channel in ("body1.position", "body2.velocity", "C.force", "A.torque", "A.angle", "S.force", "energy.dissipated"):
        np.testing.assert_allclose(a[channel], b[channel], atol=1e-8 * max(1, abs(a[channel]).max()))


def test_results_move_with_the_model():
    from derivatives import random_rotation
    R, shift = random_rotation(np.random.default_rng(3)), np.array([1.0, -2.0, 0.5])
    a = spatial_loop().simulate(0.5, step=1e-3, integrator=SHARP)
    b = spatial_loop(R, shift).simulate(0.5, step=1e-3, integrator=SHARP)
    np.testing.assert_allclose(b["body1.position"], a["body1.position"] @ R.T + shift, atol=1e-9)
    np.testing.assert_allclose(b["C.force"], a["C.force"] @ R.T, atol=1e-6)
    np.testing.assert_allclose(b["body2.angular_velocity"], a["body2.angular_velocity"], atol=1e-7)
    np.testing.assert_allclose(b["A.angle"], a["A.angle"], atol=1e-9)


def test_units_change_nothing():
    def pendulum(length, mass, k):
        m = pl.Model("p", gravity=("0", "-981 cm/s^2", 0) if isinstance(length, str) else (0, -9.81, 0))
        rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(length, 0, 0), mass=mass))
        m.add(pl.Revolute("A", m.ground, rod["start"], axis="z"))
        m.add(pl.TorsionSpring("S", "A", stiffness=k))
        return m.simulate(0.5, step=1e-3)["rod.end.position"]
    np.testing.assert_allclose(pendulum("300 mm", "250 g", "1.5 N*m"), pendulum(0.3, 0.25, 1.5), atol=1e-14)


def test_a_body_without_rotational_inertia_runs_by_the_fall_back():
    """Pendulum of a point mass on a massless arm, A01: period 2.367841947576237 s (closed form)."""
    m = pl.Model("pendulum", gravity=(0, -9.81, 0))
    bob = m.add(pl.RigidBody.point_mass("bob", 1.0, position=(-1, 0, 0)))
    m.add(pl.Revolute("A", m.ground, bob.frame((1, 0, 0)), axis="z"))
    sol = m.simulate(2.367841947576237 / 4, step=2.367841947576237 / 4000)
    assert sol.quality.fallbacks == sol.quality.steps
    np.testing.assert_allclose(sol["bob.position"][-1], (0, -1, 0), atol=1e-5)


def test_python_functions_expressions_and_tables_agree():
    def run(function):
        m = pl.Model("drive")
        body = m.add(pl.RigidBody("body", mass=1.0, inertia=(1, 2, 3)))
        m.add(pl.Revolute("A", m.ground, body, axis="z"))
        m.add(pl.Drive("A", "angle", function, name="motor"))
        return m.simulate(1.0, step=1e-2)
    text = run("30 deg * sin(4*t)")
    call = run(lambda t: np.pi / 6 * np.sin(4 * t))
    t = np.linspace(-0.1, 1.1, 241)
    table = run(pl.Table(t, np.pi / 6 * np.sin(4 * t)))
    np.testing.assert_allclose(text["motor.effort"], -3 * 16 * np.pi / 6 * np.sin(4 * text.t), atol=1e-9)
    np.testing.assert_allclose(call["motor.effort"], text["motor.effort"], atol=1e-4)
    np.testing.assert_allclose(table["motor.effort"], text["motor.effort"], atol=2e-2)
    np.testing.assert_allclose(call["A.angle"], text["A.angle"], atol=1e-12)


def test_an_exception_in_a_python_function_ends_the_run_with_that_exception():
    def fails(t):
        if t > 0.5:
            raise RuntimeError("the motor burnt out")
        return [t][0]
    m = pl.Model("drive")
    body = m.add(pl.RigidBody("body", mass=1.0, inertia=(1, 2, 3)))
    m.add(pl.Revolute("A", m.ground, body, axis="z"))
    m.add(pl.Drive("A", "angle", fails))
    with pytest.raises(RuntimeError, match="burnt out"):
        m.simulate(1.0, step=1e-2)


def test_feedback_in_an_expression():
    """Torque -5 A.angle_rate - 20 A.angle on a disc: a damped oscillator with closed form."""
    m = pl.Model("feedback")
    disc = m.add(pl.RigidBody("disc", mass=1.0, inertia=(1, 1, 2.0), angular_velocity=(0, 0, 3.0)))
    m.add(pl.Revolute("A", m.ground, disc, axis="z"))
    m.add(pl.Torque("T", disc, (0, 0, "-5*A.angle_rate - 20*A.angle")))
    sol = m.simulate(2.0, step=1e-3)
    decay, omega = 5 / 4, np.sqrt(10 - (5 / 4) ** 2)
    np.testing.assert_allclose(sol["A.angle"], 3 / omega * np.exp(-decay * sol.t) * np.sin(omega * sol.t), atol=2e-6)
    assert sol.quality.iterations < 3.5 * sol.quality.steps


def test_accuracy_finds_its_steps():
    m = pl.Model("pendulum", gravity=(0, -9.81, 0))
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, rod["start"], axis="z"))
    exact = m.simulate(2.0, step=2e-5, output_step=0.01)
    for accuracy, bound in (("draft", 1e-3), ("normal", 1e-5)):
        sol = m.simulate(2.0, accuracy=accuracy, output_step=0.01, estimate=True, integrator="generalized-alpha")
        error = abs(sol["rod.position"] - exact["rod.position"]).max()
        assert error < 2 * bound
        assert error < 3 * sol.quality.estimate * 2


def test_multipliers_of_redundant_joints_stay_bounded():
    """Bricard's linkage, 30 equations of rank 29: the self-stress that no load determines must not collect rounding errors."""
    import no_jit
    sol = no_jit.load("bricard").model().simulate(1.0, step=1e-3)
    reactions = max(abs(sol[f"P{k}.force"]).max() for k in range(1, 7))
    assert abs(sol.memory["lam"]).max() < 3 * reactions


def test_turns_of_a_fast_rotor_are_counted_or_refused():
    """With error control no body turns by more than a radian in a step; a fixed step of half a turn or more is refused."""
    m = pl.Model("rotors")
    for name, speed in (("one", 300.0), ("other", -300.0)):
        disc = m.add(pl.RigidBody.cylinder(name, radius=0.2, length=0.1, axis="z", mass=3.0, angular_velocity=(0, 0, speed)))
        m.add(pl.Revolute(f"{name}_pin", m.ground, disc, axis="z"))
    m.add(pl.Revolute("between", m["one"].frame((0, 0, 0.5)), m["other"].frame((0, 0, 0.5)), axis="z"))
    sol = m.simulate(10.0)
    assert sol["one_pin.angle"][-1] == pytest.approx(3000, abs=1e-6) and sol["between.angle"][-1] == pytest.approx(-6000, abs=1e-6)
    with pytest.raises(pl.SimulationError, match=r"turns at 300 rad/s, half a turn or more in a step of 0\.0125 s") as stopped:
        m.simulate(1.0, step=0.0125)
    assert stopped.value.code == "step-too-large" and "accuracy" in str(stopped.value)
