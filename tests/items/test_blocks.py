"""Continuous blocks: exact tangents, answers against the matrix exponential, starts, texts, runs that are interrupted, linear models."""
import numpy as np
import pytest
from derivatives import ComplexStep
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401
from scipy import signal
from scipy.linalg import block_diag, expm

import pliant as pl
from pliant.text.model_text import from_text, to_text

W = 2 * np.pi
A, B = [[0, 1, 0.3], [-4, -2, 0], [1, 0, -3]], [[0, 1], [1, 0.5], [0, 2]]
C, D = [[1, 0, 0], [0.3, 2, 1]], [[0, 0.1], [0, 0]]
DEN = (0.2, 1.0, 5.0, 20.0, 30.0)


def arm() -> pl.Model:
    """In space, off the axes; every block acts on it. A chain of a PID, a transfer function, a saturation and a torque."""
    m = pl.Model("arm", gravity=(0.3, -9.81, 1.0))
    a = m.add(pl.RigidBody("a", mass=1.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0, 0)))
    b = m.add(pl.RigidBody("b", mass=2.0, inertia=(0.3, 0.2, 0.5), position=(1.2, 0.1, 0.3)))
    m.add(pl.Revolute("A", m.ground, a.frame((-0.5, 0, 0)), axis=(0.3, 1, 0.2), angle_rate=0.7))
    m.add(pl.Spherical("B", a.frame((0.5, 0, 0)), b.frame((-0.2, -0.1, -0.3))))
    m.add(pl.Variable("slip", "A.angle_rate*0.2 - b.velocity.z"))
    m.add(pl.PID("pid", "0.3*sin(t) + 0.1*slip", "A.angle*b.position.x", kp=3, ki=2, kd=0.5, N=20, b=0.8, c=0.3, limits=(-9, 7), unit="V"))
    m.add(pl.TransferFunction("tf", "pid.output + 0.1*b.position.y", (0.1, 1, 3), DEN[1:]))
    m.add(pl.Saturation("sat", "3*tf.output", (-5, 5)))
    m.add(pl.JointTorque("T", "A", "sat.output - 0.3*A.angle_rate"))
    m.add(pl.StateSpace("ss", ["slip*A.angle", "b.position.y - tf.output^2"], A, B, C, D))
    m.add(pl.LowPass("low", "ss.output_2", 0.3))
    m.add(pl.SecondOrder("second", "low.output*slip", "2 Hz", 0.3))
    m.add(pl.LeadLag("lead", "second.output", 0.5, 0.1))
    m.add(pl.Washout("wash", "lead.output + second.rate", 0.3))
    m.add(pl.Notch("notch", "wash.output^2", 2.0, 0.3, 0.1))
    m.add(pl.Pade("late", "notch.output", 0.2, 3))
    m.add(pl.Sensor("sensor", "late.output + b.velocity.x", gain=1.1, bias=0.2, time_constant=0.3))
    m.add(pl.DeadBand("dead", "sensor.output", (-0.1, 0.2)))
    m.add(pl.RateLimit("slow", "dead.output", 0.7, 0.1, falling=0.4))
    m.add(pl.Integral("sum", "slow.rate - 0.1*low.output", limits=(-0.5, 1)))
    m.add(pl.Force("f", b, ("slow.output*slip", "sum.output + ss.output_1", "-low.output"), axes="frame"))
    m.add(pl.SpringDamper("s", m.ground.frame((1.1, 0.7, -0.4)), b, "5*x + notch.output*x + 0.1*v", 0.2))
    return m


@pytest.mark.parametrize("seed", range(4))
def test_tangents_are_exact(seed):
    """Of every block and of the chain, by a complex step; some of them beyond their limits."""
    c = ComplexStep(arm().compile(exact=True).system, seed=seed)
    rng = np.random.default_rng(seed)
    for state in c.system.states:
        c.real.v[state.iv] = rng.normal()
    c.real.v[:12] = rng.normal(size=12)
    expected = c.reference(0.7, 0.5, 0.3)
    assert len(c.system.states) == 21
    assert abs(c.tangent(0.7, 0.5, 0.3) - expected).max() < 1e-12 * abs(expected).max()


def free(m: pl.Model) -> pl.Model:
    m.add(pl.RigidBody.sphere("ball", 0.1, mass=1.0))
    return m


PLAIN = {"low": ([1], [0.3, 1]), "second": ([W**2 * 4], [1, 2 * 0.2 * 2 * W, W**2 * 4]), "lead": ([0.5, 1], [0.1, 1]),
         "wash": ([0.3, 0], [0.3, 1]), "notch": ([1, 0.24 * W, 4 * W**2], [1, 1.2 * W, 4 * W**2]),
         "tf": ([0.1, 1, 3, 2, 1], DEN), "free": ([2, 1], [1, 0.5, 0, 0]), "gain": ([6], [2]),
         "wide": ([1e9], np.polymul([1, 1e3], np.polymul([1, 1e3], [1, 1e3]))),
         "late": ([-0.2**3 / 120, 0.2**2 / 10, -0.2 / 2, 1], [0.2**3 / 120, 0.2**2 / 10, 0.2 / 2, 1]), "sensor": ([1.1], [0.4, 1])}


def filters(u: str, start) -> pl.Model:
    m = free(pl.Model("filters"))
    m.add(pl.LowPass("low", u, 0.3, start=start))
    m.add(pl.SecondOrder("second", u, 2.0, 0.2, start=start))
    m.add(pl.LeadLag("lead", u, "500 ms", "100 ms", start=start))
    m.add(pl.Washout("wash", u, 0.3, start=start))
    m.add(pl.Notch("notch", u, 2.0, 0.3, 0.2, start=start))
    m.add(pl.TransferFunction("tf", u, PLAIN["tf"][0], PLAIN["tf"][1], start=start))
    m.add(pl.TransferFunction("free", u, [0, 2, 1], [1, 0.5, 0, 0]))
    m.add(pl.TransferFunction("gain", u, 6, [2]))
    m.add(pl.TransferFunction("wide", u, *PLAIN["wide"], start=start))
    m.add(pl.Pade("late", u, 0.2, 3, start=start))
    m.add(pl.Sensor("sensor", u, gain=1.1, time_constant=0.4, start=start))
    return m


def answer(A, B, C, D, t, x0):
    """To u = 1 + 2 sin(3 t), which is a linear system itself: exact by one matrix exponential."""
    G, g, u0 = np.array([[0, 3, 0], [-3, 0, 0], [0, 0, 0]]), np.array([[2.0, 0, 1]]), np.array([0, 1.0, 1])
    whole = block_diag(A, G)
    whole[:len(A), len(A):] = B @ g
    x = np.array([expm(whole * s) @ np.concatenate([x0, u0]) for s in t])
    return x[:, :len(A)] @ C.T + x[:, len(A):] @ g.T @ D.T


@pytest.mark.parametrize(("start", "rested"), [(0.0, 0.0), (0.7, 0.7), ("steady", 1.0)])
def test_filters_answer_as_their_transfer_functions(start, rested):
    sol = filters("1 + 2*sin(3*t)", start).simulate(2.0, accuracy=1e-11, output_step=0.1)
    for name, (num, den) in PLAIN.items():
        s = signal.TransferFunction(num, den).to_ss()
        x0 = np.zeros(len(s.A)) if name in ("free", "gain") else -np.linalg.solve(s.A, s.B[:, 0]) * rested
        expected = answer(s.A, s.B, s.C, s.D, sol.t, x0)[:, 0]
        assert abs(sol[f"{name}.output"] - expected).max() < 2e-9 * max(1, abs(expected).max()), name


def test_state_space_of_several_inputs_and_outputs():
    m = free(pl.Model("matrices"))
    u = ["1 + 2*sin(3*t)", "0.5*(1 + 2*sin(3*t))"]
    m.add(pl.StateSpace("ss", u, A, B, C, D, start=[0.1, 0.2, -0.3], nominal=[1, 2, 3]))
    m.add(pl.StateSpace("rest", u, A, B, C, start="steady", output_names=["y", "force"], unit="N"))
    m.add(pl.StateSpace.of("scipy", u[0], signal.ZerosPolesGain([-1], [-2, -3], 4.0)))
    sol = m.simulate(2.0, accuracy=1e-11, output_step=0.1)
    one = np.array(B) @ [[1], [0.5]]
    expected = answer(np.array(A), one, np.array(C), np.array(D) @ [[1], [0.5]], sol.t, [0.1, 0.2, -0.3])
    np.testing.assert_allclose(np.array([sol["ss.output_1"], sol["ss.output_2"]]).T, expected, atol=1e-9)
    rested = -np.linalg.solve(A, one[:, 0])
    expected = answer(np.array(A), one, np.array(C), np.zeros((2, 1)), sol.t, rested)
    np.testing.assert_allclose(np.array([sol["rest.y"], sol["rest.force"]]).T, expected, atol=1e-9)
    s = signal.ZerosPolesGain([-1], [-2, -3], 4.0).to_ss()
    np.testing.assert_allclose(sol["scipy.output"], answer(s.A, s.B, s.C, s.D, sol.t, np.zeros(2))[:, 0], atol=1e-9)
    assert sol.unit("rest.force") == "N"


def test_limits():
    """Closed forms: a sine that is cut, a band that swallows, a ramp that is followed late, an integral that stops and turns back."""
    m, rate, lag = free(pl.Model("limits")), 2.0, 0.05
    m.add(pl.Saturation("sat", "3*sin(t)", (None, 2)))
    m.add(pl.DeadBand("dead", "3*sin(t)", (-1, 2)))
    m.add(pl.RateLimit("step", "if(t > 1, 10, 0)", rate, lag))
    m.add(pl.RateLimit("ramp", "t", rate, lag, start=0))
    m.add(pl.RateLimit("fall", "if(t > 1, 0, 10)", 9.0, lag, falling=rate))
    m.add(pl.Integral("sum", "cos(t)", limits=(-0.5, 0.6)))
    sol = m.simulate(7.5, accuracy=1e-10, output_step=0.1)
    t, x = sol.t, 3 * np.sin(sol.t)
    np.testing.assert_allclose(sol["sat.output"], np.minimum(x, 2), atol=1e-14)
    np.testing.assert_array_equal(sol["sat.saturated"], x > 2)
    np.testing.assert_allclose(sol["dead.output"], np.where(x > 2, x - 2, np.where(x < -1, x + 1, 0)), atol=1e-14)
    end = 1 + 10 / rate - lag  # from there on the rest of rate * lag fades
    step = np.where(t < 1, 0, np.where(t < end, rate * (t - 1), 10 - rate * lag * np.exp(-(t - end) / lag)))
    np.testing.assert_allclose(sol["step.output"], step, atol=1e-8)
    np.testing.assert_allclose(sol["fall.output"], 10 - step, atol=1e-8)
    np.testing.assert_allclose(sol["ramp.output"], t - lag * (1 - np.exp(-t / lag)), atol=1e-9)
    up, down = np.arcsin(0.6), np.pi / 2  # it stops, and turns back
    parts = np.where(t < up, np.sin(t), np.where(t < down, 0.6, np.maximum(0.6 + np.sin(t) - 1, -0.5)))
    back = t > 1.5 * np.pi
    parts = np.where(back, np.minimum(-0.5 + np.sin(t) + 1, 0.6), parts)
    np.testing.assert_allclose(sol["sum.output"], parts, atol=1e-9)


def test_both_coordinates_text_and_interruption(tmp_path, one_slice):
    m, out, options = arm(), tmp_path / "run.h5", {"output_step": 0.01, "integrator": pl.DOP853(), "accuracy": 1e-9}
    text = to_text(m)
    assert to_text(from_text(text)) == text
    whole = m.simulate(0.5, **options)
    np.testing.assert_array_equal(from_text(text).simulate(0.5, **options).rows, whole.rows)
    for coordinates in ("absolute", "joint"):
        other = m.simulate(0.5, coordinates=coordinates, **options)
        for name in ("b.position", "sat.output", "sum.output", "late.output"):
            np.testing.assert_allclose(other[name], whole[name], atol=1e-7)
    with pytest.raises(Stop):
        m.simulate(0.5, progress=stopping(0.4), out=out, **options)
    sol = pl.load(out)
    assert not sol.complete and equal(sol.resume(), whole)


def test_poles_of_a_transfer_function():
    """The linear model has them, and the answer of the whole from a free input."""
    m = free(pl.Model("poles"))
    m.add(pl.Input("u"))
    m.add(pl.TransferFunction("tf", "u.output", PLAIN["tf"][0], DEN))
    m.add(pl.Pade("late", "tf.output", "20 ms", 12))
    lin = m.linearize(inputs=["u.output"], outputs=["tf.output", "late.output"])
    poles = np.sort_complex(np.linalg.eigvals(lin.A[-16:-12, -16:-12]))
    np.testing.assert_allclose(poles, np.sort_complex(np.roots(DEN)), rtol=1e-12)
    f = np.array([0.1, 1, 10.0])
    _, expected = signal.freqresp(signal.TransferFunction(PLAIN["tf"][0], DEN), W * f)
    found = lin.response(f)
    np.testing.assert_allclose(found[:, 0, 0], expected, rtol=1e-11)
    np.testing.assert_allclose(found[:, 1, 0], expected * np.exp(-1j * W * f * 0.02), rtol=1e-9)
    again = free(pl.Model("again"))
    again.add(pl.Input("u"))
    again.add(pl.StateSpace.of("same", "u.output", lin))
    same = again.linearize(inputs=["u.output"], outputs=["same.output_2"]).response(f)
    np.testing.assert_allclose(same[:, 0, 0], found[:, 1, 0], rtol=1e-9)


def test_numbers_of_parameters():
    m = free(pl.Model("parameters"))
    m.parameter("k", 3.0)
    m.parameter("tau", "200 ms")
    m.add(pl.PID("pid", 1, "ball.position.x", kp="=k", ki="=2*k", b="=k/4", limits=["=-k", None]))
    m.add(pl.TransferFunction("tf", "pid.output", ["=k"], ["=k^2", 1]))
    m.add(pl.StateSpace("ss", "tf.output", [["=-1/k"]], 1, 1))
    m.add(pl.LowPass("low", "ss.output", "=tau"))
    text = to_text(m)
    other = from_text(text)
    assert to_text(other) == text and "kp: =k" in text.replace('"', "").replace("'", "")
    other.set("k", 6.0)
    assert (other["pid"].kp, other["pid"].ki, other["pid"].b, other["pid"].limits) == (6, 12, 1.5, (-6, None))
    assert (other["tf"].den, other["ss"].A, other["low"].time_constant) == ((36, 1), ((-1 / 6,),), 0.2)
    other.rename("pid", "controller")
    assert other["tf"].input == "controller.output"
    other.rename("tf", "valve")
    assert other["ss"].inputs == ("valve.output",)


def test_rest_of_an_unstable_transfer_function():
    """1 / (s^2 + s - 2): at rest with the input 0.7 it gives -0.35."""
    m = free(pl.Model("unstable"))
    m.add(pl.TransferFunction("tf", "0.7", [1], [1, 1, -2], start="steady"))
    m.add(pl.TransferFunction("number", "0.7", [1], [1, 1, -2], start=0.7))
    sol = m.simulate(1.0, accuracy=1e-10)
    for name in ("tf", "number"):
        np.testing.assert_allclose(sol[f"{name}.output"], -0.35, atol=1e-9)


def test_sub_assemblies_have_blocks_of_their_own():
    axis = pl.Model("axis")
    axis.parameter("k", 3.0)
    rotor = axis.add(pl.RigidBody("rotor", mass=1.0, inertia=(0.01, 0.02, 0.03), position=(0.2, 0.1, 0)))
    axis.add(pl.Revolute("J", axis.ground, rotor.frame((-0.2, -0.1, 0)), axis="z"))
    axis.add(pl.PID("pid", "sin(t)", "J.angle", kp="=k", ki=1, kd=0.3, N=50, limits=(-1, 1)))
    axis.add(pl.StateSpace("ss", ["pid.output", "J.angle_rate", "rotor.position.x"], [[-10]], [[10, 0.2, 0.1]], [[1]]))
    axis.add(pl.JointTorque("T", "J", "k*ss.output"))
    m = pl.Model("two")
    for name, place in (("left", {}), ("right", {"mirror": "y", "position": (0, 2, 0)})):
        m.add(axis, name=name, **place)
    alone, both = (x.simulate(1.0, accuracy=1e-9, output_step=0.25, integrator=pl.DOP853()) for x in (axis, m))
    assert m["left.ss"].inputs == ("left.pid.output", "left.J.angle_rate", "left.rotor.position.x")
    for side in ("left", "right"):
        np.testing.assert_allclose(both[f"{side}.ss.output"], alone["ss.output"], atol=1e-8)
        np.testing.assert_allclose(abs(both[f"{side}.J.angle"]), abs(alone["J.angle"]), atol=1e-8)


def test_starts_that_need_each_other_are_named():
    m = free(pl.Model("loop"))
    m.add(pl.LowPass("one", "1 + 2*two.output", 0.1, start="steady"))
    m.add(pl.LowPass("two", "one.output", 0.1, start="steady"))
    with pytest.raises(pl.ModelError, match=r"states 'one.output', 'two.output' need each other at the start; give one of them a number"):
        m.simulate(0.1)
    m["two"].start = 0.5
    assert m.assemble().solution["one.output"][0] == 2.0


def test_loops_are_named():
    m = free(pl.Model("loop"))
    m.add(pl.Variable("gain", "2*two.output"))
    m.add(pl.Saturation("one", "1 - gain", (-1, 1)))
    m.add(pl.LeadLag("two", "one.output", 0.2, 0.1))
    with pytest.raises(pl.ModelError, match=r"^an algebraic loop: .*'one\.input' -> 'two\.output'.* put a state between them"):
        m.compile()
    m["two"].lead = 0.0
    m.compile()


def test_stiff_filters_take_as_few_steps_in_both_coordinates():
    """Poles at -0.001 and -10000 per second: what answers to signals is in the matrices of both."""
    m = free(pl.Model("stiff"))
    m.add(pl.TransferFunction("tf", 1.0, [1e-3], np.polymul([1, 1e-3], [1e-4, 1])))
    m.add(pl.LowPass("low", "tf.output + ball.velocity.x", 1e-4))
    m.add(pl.Force("f", "ball", ("10 - 5000*low.output", 0, 0)))
    joint, absolute = (m.simulate(2.0, accuracy=1e-8, coordinates=c, integrator=pl.RadauIIA5()) for c in ("joint", "absolute"))
    assert joint.quality.steps < 1.1 * absolute.quality.steps < 400
    np.testing.assert_allclose(joint["low.output"][-1], absolute["low.output"][-1], rtol=1e-7)
