"""The sensor: every option against its formula, statistics of its noise, bits."""
import numpy as np
import pytest

import pliant as pl
from pliant.items.sampled import sequence
from pliant.kernels.noise import normals

METHODS = {"default": {}, "radau": {"integrator": pl.RadauIIA5(), "coordinates": "absolute"},
           "fixed": {"integrator": pl.RungeKutta4(), "step": 1e-3}, "alpha": {"integrator": pl.GeneralizedAlpha(0.9), "step": 2e-3}}


def measured(**fields):
    m = pl.Model("m", gravity=(0, 0, 0))
    m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.Sensor("s", "sin(3*t)", **fields))
    return m


def noise(n, seed=0, name="s"):
    out = np.zeros(n)
    normals(sequence(seed, name), 0, out)
    return out


@pytest.mark.parametrize("method", METHODS)
def test_all_of_it(method):
    """round(limit(2 sin(3 (t - 0.05)) + 0.1 + n)) at the ticks, held in between"""
    m = measured(gain=2.0, bias=0.1, delay=0.05, period=0.02, noise=0.3, seed=5, limits=(0.3, 1.9), quantum=0.125)
    sol = m.simulate(1.0, output_times=np.sort([*np.arange(1, 50) * 0.02, *(np.arange(50) * 0.02 + 0.013)]), **METHODS[method])
    tick = np.floor(sol.t / 0.02 + 1e-9)
    late = np.where(tick * 0.02 < 0.05, 0.0, np.sin(3 * (tick * 0.02 - 0.05)))
    exact = np.clip(2 * late + 0.1 + 0.3 * noise(51, 5)[tick.astype(int)], 0.3, 1.9)
    assert np.array_equal(sol["s.output"][:-1], 0.125 * np.floor(exact / 0.125 + 0.5)[:-1])
    assert np.array_equal(sol["s.output"], np.round(sol["s.output"] * 8) / 8)  # to the last bit
    assert len(set(sol["s.output"])) > 10 and (min(sol["s.output"]), max(sol["s.output"])) == (0.25, 1.875)  # both limits


def test_one_option_after_the_other():
    t = np.arange(1, 31) / 10
    u = np.sin(3 * t)

    def output(**fields):
        return measured(**fields).simulate(3.0, output_times=t, accuracy=1e-10)["s.output"][1:]
    assert output() == pytest.approx(u, abs=1e-14)
    assert output(gain=-2.0, bias=0.5) == pytest.approx(0.5 - 2 * u, abs=1e-14)
    assert output(limits=(None, 0.3)) == pytest.approx(np.minimum(u, 0.3), abs=1e-14)
    assert output(quantum=0.1) == pytest.approx(0.1 * np.floor(u / 0.1 + 0.5), abs=1e-14)
    assert output(delay=0.4) == pytest.approx(np.where(t < 0.4, 0, np.sin(3 * (t - 0.4))), abs=1e-9)
    lag = (np.sin(3 * t) - 0.6 * np.cos(3 * t) + 0.6 * np.exp(-t / 0.2)) / 1.36  # tau = 0.2: 1 + (3 tau)^2 = 1.36
    assert output(time_constant=0.2) == pytest.approx(lag, abs=1e-9)
    late = t - 0.4
    lagged = np.where(late < 0, 0, (np.sin(3 * late) - 0.6 * np.cos(3 * late) + 0.6 * np.exp(-late / 0.2)) / 1.36)
    assert output(time_constant=0.2, delay=0.4) == pytest.approx(lagged, abs=1e-9)
    tick = 0.25 * np.floor(t / 0.25 + 1e-9)
    assert output(period=0.25)[:-1] == pytest.approx(np.sin(3 * tick)[:-1], abs=1e-14)


def test_noise_is_normal_and_white():
    """Mean, standard deviation, kurtosis and autocorrelations of 20 000 numbers are within four of their standard deviations; so is the
    spectrum: the mean of |sum of n_k e^(-i w k)|^2 / N over bands is sigma^2. Sensors with other names or seeds are independent."""
    m = measured(period=1e-3, noise=0.5)
    m.add(pl.Sensor("other", 0.0, period=1e-3, noise=0.5))
    m.add(pl.Sensor("third", 0.0, period=1e-3, noise=0.5, seed=1))
    sol = m.simulate(20.0, output_step=1e-3)
    n = (sol["s.output"] - sol["s.input"])[:-1] / 0.5
    N, others = len(n), [sol[f"{name}.output"][:-1] / 0.5 for name in ("other", "third")]
    assert N == 20000 and abs(n.mean()) < 4 / np.sqrt(N) and abs(n.std() - 1) < 4 / np.sqrt(2 * N)
    assert abs(np.mean(n**4) - 3) < 4 * np.sqrt(96 / N)
    for k in range(1, 20):
        assert abs(np.mean(n[k:] * n[:-k])) < 4 / np.sqrt(N)
    for other in others:
        assert abs(np.mean(n * other)) < 4 / np.sqrt(N) and abs(other.std() - 1) < 4 / np.sqrt(2 * N)
    assert abs(np.mean(others[0] * others[1])) < 4 / np.sqrt(N)
    power = abs(np.fft.rfft(n)[1:-1]) ** 2 / N
    bands = power[:9990].reshape(10, -1).mean(axis=1)
    assert abs(bands - 1).max() < 4 / np.sqrt(999)


def test_the_same_bits_whatever_the_steps_are_and_after_a_resume():
    fields = dict(gain=1.5, period=0.01, noise=0.2, seed=9, quantum=1 / 64)
    runs = [measured(**fields).simulate(1.0, output_step=0.01, **options) for options in METHODS.values()]
    for other in runs[1:]:
        assert np.array_equal(other["s.output"][:-1], runs[0]["s.output"][:-1])
    half = measured(**fields).simulate(0.43, output_step=0.01)
    assert np.array_equal(half.resume(0.57).rows, runs[0].rows)


def test_a_loop_with_a_noisy_sensor_goes_on_bit_for_bit():
    def arm():
        m = pl.Model("arm", gravity=(0, 0, -9.81))
        m.add(pl.RigidBody.rod("a", start=(0, 0, 0), end=(0.2, 0.3, -0.5), mass=1.0))
        m.add(pl.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0.2, 1, 0.1)))
        m.add(pl.Sensor("s", "A.angle", period="5 ms", noise="0.2 deg", seed=3, quantum="0.1 deg", time_constant="2 ms"))
        m.add(pl.PID("pid", 0.5, "s.output", kp=20, ki=5, kd=1, N=100, period="5 ms"))
        m.add(pl.JointTorque("T", "A", "pid.output"))
        return m
    whole = arm().simulate(1.0, output_step=0.02)
    assert np.array_equal(arm().simulate(0.4, output_step=0.02).resume(0.6).rows, whole.rows)
    assert whole["A.angle"][-1] == pytest.approx(0.5, abs=0.1)


def test_an_accelerometer():
    """At its ticks it sees what is solved for; a low pass or a delay would have to see it in between, and says so."""
    def swinging(**fields):
        m = pl.Model("m", gravity=(0, 0, -9.81))
        m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0)))
        m.add(pl.Revolute("A", "ground", "b", at=(0, 0, 0), axis="y"))
        m.add(pl.Sensor("s", "b.acceleration.z", period=0.01, **fields))
        return m
    sol = swinging().simulate(0.5, output_step=0.01)
    assert sol["s.output"][:-1] == pytest.approx(sol["b.acceleration"][:-1, 2], abs=1e-12)
    for fields in ({"time_constant": 0.01}, {"delay": 0.02}):
        with pytest.raises(pl.ModelError, match=r"'b\.acceleration\.z'"):
            swinging(**fields).simulate(0.1)
