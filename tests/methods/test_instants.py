"""Sampled blocks, relays, events, controllers in Python, delays and noise inside the compiled loop, against exact answers."""
import killed_control
import numpy as np
import pytest
from scipy.linalg import expm

import pliant as pl
from pliant.kernels.noise import first_of, normals
from pliant.text.model_text import from_text

METHODS = {"default": {"accuracy": 1e-10}, "absolute": {"accuracy": 1e-10, "integrator": pl.DOP853(), "coordinates": "absolute"},
           "radau": {"accuracy": 1e-10, "integrator": pl.RadauIIA5(), "coordinates": "absolute"},
           "bdf": {"accuracy": 1e-8, "integrator": pl.BDF(), "coordinates": "absolute"},
           "alpha": {"accuracy": 1e-6, "integrator": pl.GeneralizedAlpha(0.9), "coordinates": "absolute"},
           "alpha, joint": {"accuracy": 1e-6, "integrator": pl.GeneralizedAlpha(0.9), "coordinates": "joint"},
           "fixed": {"step": 1e-2, "integrator": pl.RungeKutta4(), "coordinates": "absolute"}}


def still(name="m"):
    m = pl.Model(name, gravity=(0, 0, 0))
    m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0)))
    return m


@pytest.mark.parametrize("method", METHODS)
def test_a_mass_under_sampled_feedback(method):
    """u = -(4 x + 2.8 v), held for 0.1 s: exact matrices of the intervals."""
    m = still()
    m.add(pl.Prismatic("P", "ground", "b", axis="x"))
    m.add(pl.Sample("u", "-(4*b.position.x + 2.8*b.velocity.x)", 0.1))
    m.add(pl.JointForce("F", "P", "u.output"))
    sol = m.simulate(5.0, output_times=[1.0, 5.0], **METHODS[method])
    A, B = np.array([[1, 0.1], [0, 1]]), np.array([0.005, 0.1])
    x = np.array([1.0, 0.0])
    for k in range(50):
        x = A @ x - B * (4 * x[0] + 2.8 * x[1])
        if k == 9:
            assert x == pytest.approx([0.22394391854, -0.6707225492], abs=1e-10)
            assert (sol["b.position.x"][1], sol["b.velocity.x"][1]) == pytest.approx(tuple(x), abs=1e-10)
    assert (sol["b.position.x"][-1], sol["b.velocity.x"][-1]) == pytest.approx(tuple(x), abs=1e-10)


@pytest.mark.parametrize("method", ["default", "radau", "bdf"])
def test_a_relay_with_hysteresis(method):
    """z' = -z + u, u = 1 or -1 at -0.2 and 0.2: first switch at ln(1/0.8), then every ln(1.2/0.8)"""
    m = still()
    m.add(pl.Integral("z", "-z.output + r.output"))
    m.add(pl.Relay("r", "-z.output", 0.2, -0.2, high=1, low=-1, start=True))
    m.add(pl.Discrete("count"))
    m.add(pl.Event("up", "r.state < 0.5", [pl.Set("count.output", "t")]))
    sol = m.simulate(2.0, output_times=[0.5, 2.0], **METHODS[method])
    first, half = np.log(1 / 0.8), np.log(1.2 / 0.8)
    assert sol["count.output"][1] == pytest.approx(0.2231435513, abs=1e-8) == pytest.approx(first, abs=1e-9)
    assert sol["count.output"][-1] == pytest.approx(first + 4 * half, abs=1e-8)
    assert sol["r.state"].tolist() == [1, 0, 0]


@pytest.mark.parametrize(("method", "within"), [("default", 1e-10), ("radau", 1e-8), ("bdf", 1e-7), ("alpha", 2e-6), ("fixed", 1e-9)])
def test_a_delay(method, within):
    """z' = -z(t - 1), z = 1 before: polynomials from unit to unit"""
    m = still()
    m.add(pl.Integral("z", "-d.output", start=1.0))
    m.add(pl.Delay("d", "z.output", 1.0, before=1.0))
    times = [0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0]
    sol = m.simulate(10.0, output_times=times, **METHODS[method])
    expected = [0.5, 0, -0.375, -0.5, -1 / 6, 19 / 120, 0.020241126543]
    assert sol["z.output"][1:] == pytest.approx(expected, abs=within)
    assert sol["d.output"][4] == pytest.approx(0, abs=within)  # at 2 s: z(1)


def test_delays_are_refused_where_there_is_no_past():
    m = still()
    m.add(pl.Delay("d", "b.position.x", 0.1))
    m.add(pl.Force("F", "b", ("-d.output", 0, 0)))
    for analysis in (m.static, m.modes):
        with pytest.raises(pl.ModelError, match=r"'d' looks into the past.*Pade"):
            analysis()
    with pytest.raises(pl.ModelError, match=r"longer than the delay of 'd', 0\.1 s"):
        m.simulate(1.0, step=0.2, integrator=pl.RungeKutta4())


def arm(function, period=1e-3, **more):
    m = pl.Model("arm", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.rod("a", start=(0, 0, 0), end=(0, 0, -0.5), mass=1.0))
    m.add(pl.RigidBody.rod("b", start=(0, 0, -0.5), end=(0.1, 0, -1.0), mass=1.0))
    m.add(pl.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y"))
    m.add(pl.Revolute("B", "a", "b", at=(0, 0, -0.5), axis="y"))
    m.add(pl.Controller("c", function, period, ["A.angle", "A.angle_rate"], ["u"], [0.0], **more))
    m.add(pl.JointTorque("T", "A", "c.u"))
    m.add(pl.JointTorque("D", "B", "-0.2*B.angle_rate"))
    return m


def law(t, y, x):
    e = 1.0 - y[0]
    return [20 * e - 3 * y[1] + x[0]], x + 0.005 * e


def test_a_controller_in_python_is_called_once_at_each_tick_and_resumes():
    calls = []

    def noting(t, y, x):
        calls.append(t)
        return law(t, y, x)
    whole = arm(noting).simulate(2.0, output_step=0.1)
    assert calls == [0.0 + k * 1e-3 for k in range(2000)]
    half = arm(law).simulate(1.0, output_step=0.1)
    assert np.array_equal(half.resume(1.0).rows, whole.rows)
    m = arm(law)
    m.remove("T"), m.remove("c")
    m.add(pl.UnitDelay("I", "I.output + 0.005*(1 - A.angle)", 1e-3))
    m.add(pl.Sample("u", "20*(1 - A.angle) - 3*A.angle_rate + I.output", 1e-3))
    m.add(pl.JointTorque("T", "A", "u.output"))
    assert m.simulate(2.0, output_step=0.1)["A.angle"] == pytest.approx(whole["A.angle"], abs=1e-12)


def test_a_controller_sees_any_channel():
    seen = []

    def look(t, y, x):
        seen.append(y.copy())
        return 0.0, x
    m = arm(look, 0.1)
    m["c"].inputs = ("A.force.z", "b.acceleration.x", "A.angle")
    sol = m.simulate(0.3, output_step=0.1, accuracy=1e-10)
    expected = np.column_stack([sol["A.force"][:, 2], sol["b.acceleration"][:, 0], sol["A.angle"]])[:3]
    assert np.array(seen) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(("function", "words"), [
    (lambda t, y, x: 1 / 0, "ZeroDivisionError"), (lambda t, y, x: ([0.0, 1.0], x), "must be 1 number"),
    (lambda t, y, x: 3.0, "return u, x"), (lambda t, y, x: ([np.nan], x), "must be finite"),
    (lambda t, y, x: ([0.0], [1, 2]), "for its states, must be 1 number")])
def test_what_a_controller_does_wrong_ends_the_run(function, words):
    def late(t, y, x):
        return function(t, y, x) if t > 0.05 else ([0.0], x)
    with pytest.raises(pl.SimulationError, match=rf"(?s)t = 0.051 s.*{words}.*controller 'c'") as error:
        arm(late).simulate(0.2)
    assert error.value.__cause__ is not None and error.value.solution.t[-1] <= 0.051


def test_events_end_runs_and_set_states():
    m = arm(law)
    m.add(pl.Discrete("mode"))
    m.add(pl.Integral("z", "1"))
    m.add(pl.Event("up", "A.angle > 0.3", [pl.Set("mode.output", "2*A.angle"), pl.Set("z.output", -1)]))
    m.add(pl.Event("stop", "A.angle > 0.5", [pl.End()]))
    m.add(pl.StateMachine("sm", ["low", "mid", "high"], [("low", "mid", "A.angle > 0.2"), ("mid", "high", "A.angle > 0.4"),
                                                         ("high", "low", "A.angle < 0.1")]))
    sol = m.simulate(10.0, output_step=0.01, accuracy=1e-8)
    assert sol["A.angle"][-1] == pytest.approx(0.5, abs=1e-12) and sol["mode.output"][-1] == pytest.approx(0.6, abs=1e-12)
    after = sol["A.angle"] > 0.3
    assert np.ptp((sol.t - sol["z.output"])[after]) < 1e-9 and sol["z.output"][after].min() < -0.9
    angle = sol["A.angle"]
    assert sol["sm.state"].tolist() == [2 if a > 0.4 else 1 if a > 0.2 else 0 for a in angle]
    assert sol.complete and sol.t[-1] < 1


def test_conditions_that_switch_each_other_without_end_are_told():
    m = still()
    m.add(pl.StateMachine("sm", ["a", "b"], [("a", "b", "t > 0.5"), ("b", "a", "t > 0.5")]))
    with pytest.raises(pl.SimulationError, match="to and fro"):
        m.simulate(1.0)


def test_a_sampled_pid_is_its_difference_equation():
    m = still()
    m.add(pl.Prismatic("P", "ground", "b", axis="x"))
    m.add(pl.PID("pid", 1.0, "P.displacement", kp=3.0, ki=2.0, kd=1.0, N=20.0, limits=(-1.5, 1.5), tracking_time=0.4, period=0.05))
    m.add(pl.JointForce("F", "P", "pid.output"))
    sol = m.simulate(3.0, output_step=0.05, accuracy=1e-11)
    T, x, J, f = 0.05, np.zeros(2), 0.0, None
    for k in range(60):
        e, ed = 1.0 - x[0], -x[0]
        f = ed if f is None else f
        v = 3 * (1 - x[0]) + J + T * 2 * e + 20 * (ed - f)
        u = min(1.5, max(-1.5, v))
        assert sol["pid.output"][k] == pytest.approx(u, abs=1e-8)
        J, f = J + T * 2 * e + T * (u - v) / 0.4, f + (1 - np.exp(-20 * T)) * (ed - f)
        x = np.array([[1, T], [0, 1]]) @ x + np.array([T * T / 2, T]) * u


def test_periods_tick_together_or_are_refused_by_name():
    m = still()
    m.add(pl.Sample("slow", "t", 0.3))
    m.add(pl.Sample("fast", "slow.output + t", 0.2))
    sol = m.simulate(1.0, output_times=[0.25, 0.35, 0.65, 0.95])
    assert sol["slow.output"][1:] == pytest.approx([0.0, 0.3, 0.6, 0.9], abs=1e-15)
    assert sol["fast.output"][1:] == pytest.approx([0.2, 0.2, 1.2, 1.4], abs=1e-15)  # at 0.6 both: the new value
    m.add(pl.Sample("odd", "t", 0.1 * np.sqrt(2)))
    with pytest.raises(pl.ModelError, match=r"'odd'.*'slow'|'slow'.*'odd'"):
        m.simulate(1.0)


def test_noise_comes_from_counters():
    assert [int(first_of(np.uint64(k))) for k in range(3)] == [16294208416658607535, 10451216379200822465, 10905525725756348110]
    out = np.zeros(200_000)
    normals(12345, 0, out)
    assert abs(out.mean()) < 0.01 and abs(out.std() - 1) < 0.01 and abs(np.mean(out[1:] * out[:-1])) < 0.01
    assert abs(np.mean(out**4) - 3) < 0.1
    m = still()
    m.add(pl.Noise("n", 0.5, 0.01, seed=3, mean=2.0))
    a, b = m.simulate(1.0, output_step=0.01), m.simulate(1.0, output_step=0.01, integrator=pl.RungeKutta4(), step=1e-3)
    assert np.array_equal(a["n.output"][:-1], b["n.output"][:-1]) and 0.3 < a["n.output"].std() < 0.7
    m["n"].seed = 4
    assert not np.array_equal(m.simulate(1.0, output_step=0.01)["n.output"], a["n.output"])


def test_the_exponential_between_ticks():
    """A motor under a sampled voltage: the exponential of its matrix from tick to tick."""
    m = pl.Model("motor", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("rotor", mass=1.0, inertia=(0.01, 0.01, 0.01)))
    m.add(pl.Revolute("A", "ground", "rotor", axis=(0.3, -0.5, 0.8)))
    m.add(pl.Sample("u", "5*(1 - A.angle_rate)", "20 ms"))
    m.add(pl.Integral("i", "(u.output - i.output - 0.01*A.angle_rate)/0.5"))
    m.add(pl.JointTorque("T", "A", "0.01*i.output - 0.1*A.angle_rate"))
    sol = m.simulate(0.4, output_times=[0.4], accuracy=1e-10)
    G = expm(0.02 * np.array([[-10, 1, 0], [-0.02, -2, 2], [0, 0, 0]]))
    x = np.zeros(2)
    for _ in range(20):
        x = (G @ [*x, 5 * (1 - x[0])])[:2]
    assert (sol["A.angle_rate"][-1], sol["i.output"][-1]) == pytest.approx(tuple(x), abs=1e-9)


def test_sampled_blocks_see_any_channel():
    """Accelerations, reactions and energies at the ticks, as they are when the tick comes; in text too."""
    m = arm(lambda t, y, x: (np.sin(9 * t), x), 0.1)
    for k, channel in enumerate(("A.force.z", "b.acceleration.x", "energy.kinetic", "energy.work", "A.angle + 2*b.angular_acceleration.y")):
        m.add(pl.Sample(f"s{k}", channel, 0.1))
    m.add(pl.LowPass("smooth", "s0.output", 0.05))
    sol = m.simulate(0.5, output_step=0.05, accuracy=1e-10)
    held = [sol["A.force"][:, 2], sol["b.acceleration"][:, 0], sol["energy.kinetic"], sol["energy.work"],
            sol["A.angle"] + 2 * sol["b.angular_acceleration"][:, 1]]
    for k, expected in enumerate(held[:1] + held[2:4]):  # these do not jump with the outputs of the controller
        assert sol[f"s{(0, 2, 3)[k]}.output"][1::2] == pytest.approx(expected[:-1:2], abs=1e-6 * max(1, abs(expected).max()))


TEXT = """
pliant: 1
name: cell
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, rod: {start: [0, 0, 0], end: [1, 0, 0]}}
joints:
  A: {kind: revolute, between: [ground, a.start], axis: y}
forces:
  T: {kind: joint_torque, joint: A, torque: "-0.1*cell.output"}
blocks:
  cell: {kind: sample, input: CHANNEL, period: 0.01}
"""


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_load_cell_feeds_back(coordinates):
    """The torque is what the cell saw at the tick before, with every method, and after a resume bit for bit."""
    m = from_text(TEXT.replace("CHANNEL", "A.force.z"))
    sol = m.simulate(0.2, output_step=0.01, accuracy=1e-9, coordinates=coordinates)
    assert sol["T.torque"] == pytest.approx(-0.1 * sol["cell.output"], abs=1e-12) and abs(sol["T.torque"][5]) > 0.1
    implicit = m.simulate(0.2, output_step=0.01, accuracy=1e-9, coordinates=coordinates, integrator=pl.RadauIIA5())
    assert implicit["cell.output"] == pytest.approx(sol["cell.output"], abs=1e-6)
    whole, half = (m.simulate(T, output_step=0.1, coordinates=coordinates) for T in (2.0, 1.0))
    assert np.array_equal(half.resume(1.0).rows, whole.rows)


@pytest.mark.parametrize(("channel", "told"), [
    ("A.forse.z", "cannot be used in an expression"), ("a.acceleration", "cannot be used"), ("b.force.x", "no body, joint or measure 'b'")])
def test_channels_that_a_sample_cannot_see(channel, told):
    with pytest.raises(ValueError, match=f"(?s)blocks.cell.input.*{told}"):
        from_text(TEXT.replace("CHANNEL", channel))
    m = from_text(TEXT.replace("CHANNEL", "t"))
    with pytest.raises(pl.ModelError, match=rf"cell.*{channel}"):
        m.set("cell.input", channel)
        m.simulate(0.1)


def test_what_is_solved_for_is_no_input_of_a_state():
    m = from_text(TEXT.replace("CHANNEL", "t"))
    m.add(pl.LowPass("f", "a.acceleration.x", 0.1))
    with pytest.raises(pl.ModelError, match=r"(?s)solved for.*pl\.Sample.*pl\.Washout"):
        m.simulate(0.1)


@pytest.mark.parametrize("method", ["default", "absolute", "radau", "bdf", "alpha", "alpha, joint"])
@pytest.mark.parametrize("end", [0.15, 0.3])  # 0.3 is less than 3 * 0.1
def test_a_tick_next_to_a_jump_in_time(method, end):
    """Both at once: a force that jumps, and the sample of what jumps; calls are told the time of the tick."""
    calls = []

    def note(t, y, x):
        calls.append(t)
        return [y[0]], x
    m = still()
    m.add(pl.Prismatic("P", "ground", "b", axis="x"))
    m.add(pl.Variable("up", f"if(t < {end}, 0, 1)"))
    m.add(pl.Sample("held", "up", 0.05))
    m.add(pl.Controller("c", note, 0.1 if end == 0.3 else 0.05, ["b.position.x"], ["u"], [0.0]))
    m.add(pl.JointForce("F", "P", "up + 2*held.output"))
    sol = m.simulate(0.5, output_times=[0.5], **METHODS[method])
    t = 0.5 - end
    assert (sol["b.position.x"][-1], sol["b.velocity.x"][-1]) == pytest.approx((1 + 1.5 * t**2, 3 * t), abs=1e-9)
    assert calls == [k * m["c"].period for k in range(5 if end == 0.3 else 10)]


def test_kinks_of_tables_at_ticks():
    """The force is a table with a knot at every tick: the velocity is its integral."""
    x, y = np.arange(0, 1.05, 0.1), np.array([0, 1, -1, 2, 0.5, 0, 3, -2, 1, 1, 0.0])
    m = still()
    m.add(pl.Prismatic("P", "ground", "b", axis="x"))
    m.table("law", pl.Table(x, y, "linear"))
    m.add(pl.Sample("one", 1.0, 0.1))
    m.add(pl.JointForce("F", "P", "one.output*law(t)"))
    for method in ("default", "radau"):
        sol = m.simulate(1.0, output_times=[1.0], **METHODS[method])
        assert sol["b.velocity.x"][-1] == pytest.approx(np.trapezoid(y, x), abs=1e-9)


def test_the_two_link_arm_calls_once_at_every_tick():
    calls = []

    def note(t, y, x):
        calls.append(t)
        return killed_control.law(t, y, x)
    killed_control.model(note).simulate(2.0, progress=False)
    assert calls == [k * 1e-3 for k in range(2000)]


@pytest.mark.parametrize(("integrator", "steps"), [(None, 100), (pl.RadauIIA5(), 100), (pl.BDF(), 200)])
@pytest.mark.parametrize("delay", [0.037, 0.1, 0.25])
def test_a_held_signal_comes_back_from_a_delay(delay, integrator, steps):
    """Its jumps are ends of steps: they are passed exactly, and cost no short steps, but those with which BDF begins; also where they come
    back at a tick."""
    m = still()
    m.add(pl.Sample("s", "sin(3*t)", 0.1))
    m.add(pl.Delay("d", "s.output", delay))
    m.add(pl.Integral("z", "d.output"))
    jumps = np.clip(np.arange(11) * 0.1 + delay, 0, 1)
    exact = np.sin(0.3 * np.arange(10)) @ np.diff(jumps)
    sol = m.simulate(1.0, output_times=[1.0], accuracy=1e-6, integrator=integrator)
    assert sol["z.output"][-1] == pytest.approx(exact, abs=1e-13) and sol.quality.steps < steps
