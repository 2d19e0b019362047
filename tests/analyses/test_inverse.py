"""Inverse of nonlinear models: closed forms of a crane and a motor, drives, and a flexible arm that turns by 90 degrees."""
import no_jit
import numpy as np
import pytest

import pliant as pl
from pliant.analyses.inverse import Search
from pliant.analyses.servo import Servo
from pliant.analyses.servo_path import CENTRAL, Motion, Path
from pliant.analyses.zeros import zero_dynamics
from pliant.cli import execute
from pliant.items.errors import ModelError
from pliant.text.model_text import from_text
from pliant.text.model_writing import to_text

G, TROLLEY, LOAD, ROPE = 9.81, 5.0, 2.0, 1.5
TIP = "atan2(beam.tip.position.y, beam.tip.position.x)"


def crane(damping: float = 0.0) -> pl.Model:
    """A trolley, a rope that swings, and a winch."""
    m = pl.Model("crane", gravity=(0, 0, -G))
    m.add(pl.RigidBody("trolley", mass=TROLLEY, inertia=(1, 1, 1)))
    m.add(pl.RigidBody("drum", mass=1e-9, inertia=(1e-9,) * 3))
    m.add(pl.RigidBody.point_mass("load", mass=LOAD, position=(0, 0, -ROPE)))
    m.add(pl.Prismatic("rail", m.ground, "trolley", axis="x"))
    m.add(pl.Revolute("swing", "trolley", "drum", axis="y"))
    m.add(pl.Prismatic("rope", "drum", m["load"].frame((0, 0, ROPE)), axis="-z"))
    if damping:
        m.add(pl.JointTorque("loss", "swing", f"-{damping}*swing.angle_rate"))
    return m


def test_a_crane_has_a_closed_form():
    """The load gives all: its rope is along (x'', z'' + g), its tension is m |(x'', z'' + g)|. Nothing goes on inside."""
    x, z, T = pl.Profile.polynomial(3.0, 2.0, 9), pl.Profile.polynomial(0.5, 2.0, 9), 2.0
    found = crane().inverse({"load.position.x": x, "load.position.z": z}, ["rail.displacement", "rope.displacement"], T)
    t = found.t
    a, b, up = x.evaluate(t, 2), z.evaluate(t, 2) + G, z.evaluate(t) - ROPE
    assert found.u[:, 1] == pytest.approx(-LOAD * np.hypot(a, b), rel=1e-7)
    assert found["trolley.position.x"] == pytest.approx(x.evaluate(t) - up * a / b, abs=1e-7)
    assert found.relative_degree == 6 and not found.zeros.size and "flat" in found.internal and found.pre_actuation == 0
    sol = found.simulate(output_step=0.05, accuracy="fine")
    assert found.error(sol) < 1e-5 and sol["load.position.x"][-1] == pytest.approx(3.0, abs=1e-5)


def test_an_input_at_its_output_is_what_a_drive_needs():
    """The swing goes on inside, and decays: no other motion, and no other force, than with an ideal drive of the trolley."""
    m, p = crane(8.0), pl.Profile.polynomial(0.8, 2.0, 9)
    m.remove("rope")
    m.add(pl.Fixed("rope", "drum", m["load"].frame((0, 0, ROPE))))
    found = m.inverse({"rail.displacement": p}, "rail.displacement", 2.0, 1e-3)
    assert found.relative_degree == 2 and "minimum phase" in found.internal and found.zeros.real.max() < 0
    exact = np.roots([LOAD * ROPE**2, 8.0, LOAD * G * ROPE])
    assert np.sort_complex(found.zeros) == pytest.approx(np.sort_complex(exact), rel=1e-6)
    m.add(pl.Drive("rail", "displacement", p, name="drive"))
    sol = m.simulate(6.0, output_step=0.05, accuracy="fine")
    assert pl.Table(found.t, found.u[:, 0]).evaluate(sol.t) == pytest.approx(sol["drive.effort"], abs=5e-4 * abs(sol["drive.effort"]).max())
    assert pl.Table(found.t, found["swing.angle"]).evaluate(sol.t) == pytest.approx(sol["swing.angle"], abs=2e-4)


def test_a_flexible_arm_turns_by_ninety_degrees():
    arm, p = no_jit.load("flexible_arm").arm(), pl.Profile.polynomial(np.pi / 2, 1.0, 9)
    found = arm.inverse({TIP: p}, ["hinge.angle"], 1.0)
    sol = found.simulate(output_step=0.02, accuracy="fine")
    assert found.error(sol) < 2e-6
    assert found.zeros.real.max() > 0 and found.pre_actuation > 0.02 and "non-minimum phase" in found.internal
    assert found.motion("hinge.angle").evaluate(-found.begin + 1.0) == pytest.approx(np.pi / 2, abs=0.1)
    arm.add(pl.Variable("tip", TIP, "rad"))
    linear = arm.linearize(["hinge.angle"], ["tip"]).inverse(p, 1.0)
    model = no_jit.load("flexible_arm").arm(linear.table())
    run = model.simulate(linear.end - linear.begin, output_step=0.02, accuracy="fine")
    tip = np.arctan2(run["beam.tip.position.y"], run["beam.tip.position.x"])
    assert abs(tip - p(run.t + linear.begin)).max() > 1e-3 * np.pi / 2


def test_small_motions_are_those_of_the_linear_inverse():
    arm, p = no_jit.load("flexible_arm").arm(), pl.Profile.polynomial(1e-4, 0.4, 9)
    found = arm.inverse({"beam.tip.position.y": p}, ["hinge.angle"], 0.4)
    linear = arm.linearize(["hinge.angle"], ["beam.tip.position.y"]).inverse(p, 0.4)
    same = pl.Table(linear.t, linear.u[:, 0]).evaluate(found.t)
    assert found.u[:, 0] == pytest.approx(same, abs=1e-3 * abs(same).max())
    shown = [z for z in found.zeros if abs(z) < 100]
    assert min(abs(z - s) for z in shown for s in linear.zeros) < 1e-5 * abs(shown[0])


def test_the_voltage_of_a_motor():
    """States are inverted too: V = L i' + R i + k w with k i = J w' + d w."""
    m = pl.Model("motor")
    m.add(pl.RigidBody("rotor", mass=1.0, inertia=(0.01, 0.01, 0.01)))
    m.add(pl.Revolute("shaft", m.ground, "rotor", axis="z"))
    m.add(pl.Input("volts", 0.0, "V"))
    m.add(pl.Integral("current", "(volts.output - 1.5*current.output - 0.2*shaft.angle_rate)/0.05", unit="A"))
    m.add(pl.JointTorque("torque", "shaft", "0.2*current.output - 0.03*shaft.angle_rate"))
    p = pl.Profile.polynomial(2.0, 1.0, 9)
    found = m.inverse({"shaft.angle": p}, ["volts.output"], 1.0)
    w, w1, w2 = (p.evaluate(found.t, k) for k in (1, 2, 3))
    i, di = (0.01 * w1 + 0.03 * w) / 0.2, (0.01 * w2 + 0.03 * w1) / 0.2
    assert found.u[:, 0] == pytest.approx(0.05 * di + 1.5 * i + 0.2 * w, abs=1e-4)
    assert found["current.output"] == pytest.approx(i, abs=1e-5) and found.relative_degree == 3
    assert found.error(found.simulate(output_step=0.05, accuracy="fine")) < 1e-5


def test_derivatives_of_differences_of_rotations():
    """By a complex step in quaternions."""
    arm, rng = no_jit.load("flexible_arm").arm(), np.random.default_rng(1)
    servo = Servo(arm, ["beam.tip.position.y"], ["hinge.angle"])
    search = Search(servo, servo.rest(None), {"beam.tip.position.y": "0.1*t"}, 1.0, arm)
    t = np.linspace(-0.2, 1.2, 12)
    rests = search._rests(search._wanted(t))
    path = Path(t, *(np.array([getattr(r, k) for r in rests]) for k in ("q", "lam", "H", "states", "inputs")))
    motion, n_v = Motion(servo, path, search._wanted(t), (search.start, search.end)), servo.d.system.n_v
    for iv, iq in motion.rotations:
        turned = path.q[:, iq:iq + 4] + 0.2 * rng.normal(size=(12, 4))
        path.q[:, iq:iq + 4] = turned / np.linalg.norm(turned, axis=1)[:, None]
        assert iv >= 0
    xi, real, h = rng.normal(size=(12, n_v, 1)), path.q, 1e-30
    for weights, order in ((CENTRAL.first, 1), (CENTRAL.second, 2)):
        path.q = real
        turns, every = motion.rates(order)[1], motion._extended("q")
        moved, given = np.zeros((12, n_v)), np.pad(xi, ((4, 4), (0, 0), (0, 0)))
        for k, w in enumerate(weights):
            by = w / path.h**order
            moved += motion._moved(every[k:k + 12], given[k:k + 12], by, turns if k == 4 else None)[:, :, 0]
        dq = np.zeros(real.shape, complex)
        dq[:, motion.linear[:, 1]] = xi[:, motion.linear[:, 0], 0]
        for iv, iq in motion.rotations:
            q, x = real[:, iq:iq + 4], xi[:, iv:iv + 3, 0]
            dq[:, iq] = -(q[:, 1:] * x).sum(1) / 2
            dq[:, iq + 1:iq + 4] = (q[:, :1] * x + np.cross(q[:, 1:], x)) / 2
        path.q = real + 1j * h * dq
        exact, active = motion.rates(order)[0].imag / h, servo.d.system.moving
        assert moved[:, active] == pytest.approx(exact[:, active], abs=1e-12 * abs(exact).max())


def test_zeros_of_a_chain():
    """(s - 3)/(s + 1)^3, and a double integrator behind another."""
    A, B = np.array([[-3.0, -3, -1], [1, 0, 0], [0, 1, 0]]), np.array([[1.0], [0], [0]])
    assert zero_dynamics(A, B, np.array([[0.0, 1, -3]]), np.zeros((1, 1))) == pytest.approx([3.0])
    assert zero_dynamics(np.diag([1.0, 1, 1], 1), np.eye(4)[:, 3:], np.eye(4)[:1], np.zeros((1, 1))).size == 0


TEXT = """pliant: 1
name: cart
parameters: {way: 0.4}
bodies:
  cart: {mass: 2, inertia: [1, 1, 1]}
joints:
  rail: {kind: prismatic, between: [ground, cart], axis: x}
inverse: {wanted: {cart.position.x: way*t^3*(10 - 15*t + 6*t^2)}, inputs: [rail.displacement], duration: 1 s, tolerance: 1e-3}
"""


def test_texts_and_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cart.yaml").write_text(TEXT)
    m = from_text(to_text(from_text(TEXT)))
    found, t = m.inverse(), np.linspace(0, 1, 11)
    exact = 2 * 0.4 * (60 * t - 180 * t**2 + 120 * t**3)
    assert pl.Table(found.t, found.u[:, 0]).evaluate(t)[1:-1] == pytest.approx(exact[1:-1], abs=1e-4)
    assert execute(["inverse", "cart.yaml", "-o", "u.csv"]) == 0
    assert "relative degree  2" in capsys.readouterr().out
    assert (tmp_path / "u.csv").read_text().startswith("t,rail.displacement,cart.position.x\n")
    assert execute(["inverse", "cart.yaml", "--wanted", "cart.position.x = 0.1*t^4*(35-84*t+70*t^2-20*t^3)", "--json"]) == 0
    assert execute(["inverse", "cart.yaml", "--wanted", "cart.position.x"]) == 1


@pytest.mark.parametrize(("wanted", "inputs", "duration", "says"), [
    ({"load.position.q": 1}, ["rail.displacement"], 1, "inverse: output 'load.position.q'"),
    ({"load.position.x*t": 1}, ["rail.displacement"], 1, "inverse: output 'load.position.x.t'.*t"),
    ({"2*3": 1}, ["rail.displacement"], 1, "must be a channel, or an expression of channels"),
    ({"load.position.x": "t"}, ["rail.angle"], 1, "inverse: input 'rail.angle' is not known.*did you mean"),
    ({"load.position.x": "t"}, ["rail.displacement", "swing.angle"], 1, "1 outputs and 2 inputs; must be as many"),
    ({"load.position.x": "t"}, ["rail.displacement"], 0, "inverse: duration = 0 must be a time greater than zero"),
    ({"load.position.x": "trolley.position.x"}, ["rail.displacement"], 1, "uses the channel trolley.position.x"),
    ({"load.position.y": "t"}, ["rail.displacement"], 1, "hold the model in no rest|cannot move the outputs"),
    ("load.position.x", ["rail.displacement"], 1, "must be outputs and their motions"),
    ({"rail.displacement": pl.Profile.polynomial(0.1, 1.0, 9)}, ["rail.displacement"], 1, "a zero on the imaginary axis"),
    ({"load.position.x": "0.5*t"}, None, 1, "inverse: inputs are missing")])
def test_what_cannot_be_inverted_is_told(wanted, inputs, duration, says):
    m = crane()
    m.remove("rope")
    m.add(pl.Fixed("rope", "drum", m["load"].frame((0, 0, ROPE))))
    with pytest.raises(ModelError, match=says):
        m.inverse(wanted, inputs, duration)


def test_motions_that_are_not_smooth_enough_and_sampled_blocks_are_told():
    with pytest.raises(ModelError, match="too few continuous derivatives"):
        crane().inverse({"load.position.x": pl.Profile.polynomial(0.5, 2.0, 5), "load.position.z": 0},
                        ["rail.displacement", "rope.displacement"], 2.0)
    m = crane()
    m.add(pl.Sample("u", "load.position.x", 0.01))
    with pytest.raises(ModelError, match="sample 'u' changes at instants only"):
        m.inverse({"load.position.x": "t"}, ["rail.displacement"], 1.0)
