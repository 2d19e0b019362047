"""Profiles of motion and input shapers: closed forms, and what they leave of vibrations."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pliant.functions.evaluation import values
from pliant.functions.parser import parse
from pliant.functions.profiles import Profile
from pliant.functions.shapers import Shaper
from pliant.functions.table import Table


@pytest.mark.parametrize("degree", [3, 5, 7, 9])
def test_polynomials_rest_at_both_ends(degree):
    p = Profile.polynomial(-0.6, 0.4, degree, begin=0.3, start=2.0)
    t = np.array([0.3, 0.7])
    assert p(t) == pytest.approx([2.0, 1.4], abs=1e-12)
    for order in range(1, (degree + 1) // 2):
        assert abs(p.evaluate(t, order)).max() < 1e-9 * 0.4**-order
    assert abs(p.evaluate(t, (degree + 1) // 2)).min() > 0.6 * 0.4**-order
    assert p(0.5) == pytest.approx(1.7, abs=1e-12) and p(np.array([0.0, 9.0])) == pytest.approx([2.0, 1.4])


@pytest.mark.parametrize(("distance", "duration"), [
    (1.0, 1.7),                                  # all seven pieces: d/v + v/a + a/j
    (0.5, 0.2 + 2 * np.sqrt(0.01 + 0.25)),       # the speed is not reached
    (0.08, 4 * (0.08 / 20)**(1 / 3)),            # nor the acceleration
    (-2.0, 2.7)])
def test_double_s_takes_the_time_of_the_closed_form_and_keeps_its_limits(distance, duration):
    p = Profile.double_s(distance, 1.0, 2.0, 10.0)
    t = np.linspace(-0.1, p.end + 0.1, 4001)
    assert p.duration == pytest.approx(duration, rel=1e-12)
    assert p(p.end) == pytest.approx(distance, rel=1e-13)
    assert all(abs(p.evaluate(t, k)).max() <= limit * (1 + 1e-12) for k, limit in ((1, 1.0), (2, 2.0), (3, 10.0)))
    assert abs(np.diff(p.evaluate(t, 2))).max() < 10.001 * (t[1] - t[0])     # the acceleration has no jumps
    slow = Profile.double_s(distance, 1e9, 2.0, 1e9)                         # without limits of speed and jerk: bang-bang
    assert slow.duration == pytest.approx(2 * np.sqrt(abs(distance) / 2.0), rel=1e-6)


def test_a_profile_is_its_expression():
    t = np.linspace(-1, 3, 301)
    for p in (Profile.polynomial(0.6, 0.4, 9, begin=0.1, start=-3.0), Profile.double_s(-1, 1, 2, 10, begin=0.5)):
        assert abs(values(parse(p.expression, ("t",)), t, None) - p(t)).max() < 1e-13
        assert abs(p.table(1001).evaluate(t) - p(t)).max() < 1e-6


def test_shapers_of_one_mode():
    """1 Hz, damping ratio 0.05: closed forms with K = exp(-pi z / sqrt(1 - z^2))."""
    zv, zvd = Shaper.of_mode("1 Hz", 0.05), Shaper.of_mode(1.0, 0.05, "ZVD")
    assert zv.times == pytest.approx([0, 0.5006261743217588], rel=1e-12)
    assert zv.amplitudes == pytest.approx([0.5392382385109088, 0.4607617614890911], rel=1e-12)
    assert zvd.times == pytest.approx([0, 0.5006261743217588, 1.0012523486435176], rel=1e-12)
    assert zvd.amplitudes == pytest.approx([0.29077787787234777, 0.496920721277122, 0.21230140085053006], rel=1e-12)
    assert max(zv.vibration(1.0, 0.05), zvd.vibration(1.0, 0.05)) < 1e-14
    near = zvd.vibration(np.array([0.999, 1.001]), 0.05)
    assert abs(near[1] - near[0]) < 1e-7 and near.max() < 1e-5 < zv.vibration(1.001, 0.05)


@pytest.mark.parametrize("damping", [0.0, 0.05, 0.2])
def test_extra_insensitive_shapers(damping):
    """Its tolerance at the mode, nothing on both sides of it; undamped the closed form (1 + V)/4, (1 - V)/2, (1 + V)/4."""
    ei = Shaper.of_mode(2.0, damping, "EI", tolerance=0.05)
    band = np.linspace(0.75, 1.25, 401) * 2.0
    found = ei.vibration(band, damping)
    assert ei.vibration(2.0, damping) == pytest.approx(0.05, abs=1e-9) and found[:200].min() < 1e-3 and found[201:].min() < 1e-3
    assert (found[80:-80] < 0.0501).all() and ei.amplitudes.sum() == pytest.approx(1.0) and (ei.amplitudes > 0).all()
    if not damping:
        assert ei.amplitudes == pytest.approx([0.2625, 0.475, 0.2625], abs=1e-9) and ei.times == pytest.approx([0, 0.25, 0.5], abs=1e-9)


def left_behind(command, w, z, t_end):
    """Amplitude of x'' + 2 z w x' + w^2 x = w^2 r after the command."""
    def slope(t, y):
        return [y[1], w * w * (command(t) - y[0]) - 2 * z * w * y[1]]
    sol = solve_ivp(slope, (0, t_end), [0, 0], rtol=1e-9, atol=1e-11, max_step=0.02)
    return float(np.hypot(sol.y[0, -1] - command(t_end), sol.y[1, -1] / w))


def test_shaped_commands_leave_no_vibration_of_two_modes():
    modes = (1.0, 0.05), (2.7, 0.02)
    both = Shaper.of_mode(*modes[0]) * Shaper.of_mode(*modes[1])
    move = Profile.double_s(1.0, 2.0, 8.0, 100.0)
    shaped = both.shape(move)
    assert isinstance(shaped, Profile) and shaped.duration == pytest.approx(move.duration + both.duration) and len(both.times) == 4
    for f, z in modes:
        w = 2 * np.pi * f
        assert left_behind(shaped, w, z, shaped.end + 0.01) < 1e-7 < 1e-3 < left_behind(move, w, z, move.end + 0.01)


def test_commands_of_all_kinds_are_shaped_alike():
    zv, t = Shaper.of_mode(1.0, 0.05), np.linspace(0, 3, 200)
    command = "step(t, 0, 0, 1, 0.7) + 0.1*sin(t)"
    exact = sum(a * values(parse(command, ("t",)), np.maximum(t - x, 0), None) for x, a in zip(zv.times, zv.amplitudes, strict=True))
    assert abs(values(parse(zv.shape(command), ("t",)), t, None) - exact).max() < 1e-14
    line = zv.shape(Table([0.0, 1.0], [0.0, 1.0], "linear"))
    assert line.kind == "linear" and line.evaluate(0.75) == pytest.approx(0.5392382385 * 0.75 + 0.4607617615 * 0.2493738257, abs=1e-9)


@pytest.mark.parametrize(("make", "says"), [
    (lambda: Profile.polynomial(1, 1, 4), "degree = 4, must be 3, 5, 7 or 9"),
    (lambda: Profile.polynomial(1, -1), "duration = -1, must be greater than zero"),
    (lambda: Profile.double_s(1, 1, 0, 1), "acceleration = 0, must be greater than zero"),
    (lambda: Profile.double_s(0, 1, 1, 1), "distance = 0"),
    (lambda: Shaper.of_mode(0.0), "a rigid motion or a decay has none"),
    (lambda: Shaper.of_mode(1.0, 1.0), "what does not oscillate needs no shaper"),
    (lambda: Shaper.of_mode(1.0, 0.1, "ZW"), "must be one of ZV, ZVD, EI"),
    (lambda: Shaper.of_mode(1.0, 0.1, "EI", 0.7), "tolerance = 0.7"),
    (lambda: Shaper.of_mode(1.0).shape("A.angle + t"), "uses the channel A.angle"),
    (lambda: Shaper.of_mode(1.0).shape(3.0), "must be a Profile, a Table of t, or an expression")])
def test_wrong_values_are_told(make, says):
    with pytest.raises(ValueError) as error:
        make()
    assert says in str(error.value)
