"""Forces, drives and laws that jump: closed forms to many digits, in few steps; and what cannot be run ends in a sentence, soon."""
import math
import random

import mechanisms
import numpy as np
import pytest
from closed_forms import ALONG, N, U, along, block, pulses
from pinned import pin

import pliant as pl

METHODS = ["automatic", pl.GeneralizedAlpha(0.8), pl.DormandPrince54(), pl.AdamsBashforthMoulton(), pl.RadauIIA5()]


@pytest.fixture(autouse=True, params=METHODS, ids=lambda x: getattr(x, "kind", x))
def method(request, monkeypatch):
    pin(monkeypatch, request.param)
    return getattr(request.param, "kind", request.param)


@pytest.mark.parametrize(("force", "given"), [
    ("if(t > 0.3 and t < 0.7, 4, 0)", [(0.3, 0.7, 4)]),
    ("if(t < 0.3, 0, if(t < 0.7, 4, 0))", [(0.3, 0.7, 4)]),
    ("if(t > 0.3 and t < 0.302, 400, 0)", [(0.3, 0.302, 400)]),
    ("if(t > 0.30001 and t < 0.30007, 4e4, 0)", [(0.30001, 0.30007, 4e4)]),          # within two samples
    ("if(t > 0.3 and t < 0.3000001, 4e7, 0)", [(0.3, 0.3000001, 4e7)]),
    ("if(t < 0.002, 400, 0)", [(0, 0.002, 400)]),
    ("if(t > 1.998, 400, 0)", [(1.998, 2, 400)]),
    ("if(t > 0, 4, 0)", [(0, 2, 4)]),                                                # right at the start
    ("if(t >= 2, 4, 1)", [(0, 2, 1)]),                                               # right at the end
    ("if(mod(t, 0.1) < 0.05, 4, 0)", [(0.1 * k, 0.1 * k + 0.05, 4) for k in range(20)]),
    ("if(t > 0.5, 4, 0) + if(t <= 0.5, 0, 1) + if(t > 0.50000001, 1, 0) + if(t > 0.50001, 1, 0)",
     [(0.5, 2, 5), (0.50000001, 2, 1), (0.50001, 2, 1)]),
    ("4*sign(sin(30*t))", [(k * np.pi / 30, (k + 1) * np.pi / 30, 4 * (-1)**k) for k in range(20)]),
    ("floor(2*t)", [(0.5 * k, 0.5 * k + 0.5, k) for k in range(4)]),
    (pl.Table([0, 0.5, 0.5 + 1e-9, 3], [0, 0, 4, 4], kind="linear"), [(0.5, 2, 4)])], ids=str)
def test_pulses(force, given, method):
    sol = block(force).simulate(2.0)
    (x, v), (x0, v0) = along(sol), pulses(*given)(sol.t)
    close = 1e-8  # a jump takes no step, but a steep ramp does; the accuracy is 1e-5
    if isinstance(force, pl.Table):
        close = 1e-5 if method == "dormand-prince-54" else 1e-6
    assert abs(x - x0).max() < close * abs(x0).max() and abs(v - v0).max() < close * abs(v0).max()
    assert abs(sol["b.position"] @ U).max() < 1e-12
    assert sol.quality.steps < 420 + 5 * len(given) or "Table" in str(force)


@pytest.mark.parametrize("force", ["6*ramp(t, 0.5, 1.5)", pl.Table([0, 0.5, 1.5, 4], [0, 0, 6, 6], kind="linear")], ids=str)
def test_kinks_of_forces(force):
    sol = block(force).simulate(2.5)
    u, w = np.clip(sol.t - 0.5, 0, 1), np.clip(sol.t - 1.5, 0, None)
    x, v = along(sol)
    assert abs(v - (1.5 * u**2 + 3 * w)).max() < 1e-5 * 4.5
    assert abs(x - (u**3 / 2 + 1.5 * w + 1.5 * w**2)).max() < 1e-5


@pytest.mark.parametrize("name", ["t", "python"])
def test_a_jump_next_to_joints(name):
    """A disc off all axes, torque on, off and reversed: angle and effort, closed form; by an expression and by a Python function."""
    m = pl.Model("disc")
    disc = m.add(pl.RigidBody("b", 2.0, (0.1, 0.1, 0.1), com=(0.2, 0.1, -0.3)))
    m.add(pl.Revolute("A", m.ground.frame((0.2, 0.1, -0.3)), disc.frame((0.2, 0.1, -0.3)), axis=tuple(N)))
    f = "if(t < 0.313, 0.2, if(t < 0.7, 0, -0.1))" if name == "t" else (lambda t: 0.2 if t < 0.313 else (0.0 if t < 0.7 else -0.1))
    frame = disc.frame((0, 0, 0), rotation=np.stack([N, U, np.cross(N, U)], 1))
    m.add(pl.Torque("T", frame, (f, 0, 0), axes="frame"))
    m.add(pl.SpringDamper("load", m.ground, disc.frame((0.2, 0.1, -0.3)), stiffness=0.0, damping=0.0))
    sol = m.simulate(1.0)
    phi, rate = pulses((0, 0.313, 4), (0.7, 1, -2))(sol.t)
    assert abs(sol["A.angle"] - phi).max() < 1e-6 and abs(sol["A.angle_rate"] - rate).max() < 1e-6
    assert sol.quality.steps < 700


@pytest.mark.parametrize("start", [0.0, 0.8])
def test_jumps_in_python_functions(start):
    """Nobody tells of them: steps become tiny, one goes across, and a new piece begins."""
    sol = block(lambda t: 4.0 if 0.3137 < t < 0.71 else 0.0, velocity=start).simulate(2.0)
    (x, v), (x0, v0) = along(sol), pulses((0.3137, 0.71, 4))(sol.t)
    assert abs(x - x0 - start * sol.t).max() < 2e-6 and abs(v - v0 - start).max() < 2e-6
    assert sol.quality.steps < 700 and sol.quality.rejected < 60


def test_jumps_in_python_functions_on_a_pendulum():
    """Multipliers do not remember the tiny steps: the same motion as with an expression."""
    by_python, by_text = mechanisms.pendulum(), mechanisms.pendulum()
    by_python.add(pl.Force("f", "bob", (lambda t: 20.0 if t > 0.5 else 0.0, 0, 0)))
    by_text.add(pl.Force("f", "bob", ("if(t > 0.5, 20, 0)", 0, 0)))
    a, b = by_python.simulate(1.0), by_text.simulate(1.0, accuracy=1e-7)
    assert abs(a["bob.position"] - b["bob.position"]).max() < 1e-5
    assert abs(a["A.force"] - b["A.force"])[abs(a.t - 0.5) > 1e-6].max() < 1e-3
    assert a.quality.steps < 6000


# -- drives
def test_a_kink_of_a_drive_is_an_impact():
    """A slider jerked to 1 m/s and stopped again, a rod hanging on it: the impulse turns the rod by 1.5 v cos(angle) / l, in between it
    turns freely; the work of the impulses is in the balance."""
    side = np.cross(N, U)
    m = pl.Model("kink")
    s = m.add(pl.RigidBody.box("s", size=(0.1, 0.1, 0.1), mass=1.0))
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=tuple(-side), mass=3.0, radius=0.001))
    m.add(pl.Prismatic("P", m.ground, s, axis=tuple(U)))
    m.add(pl.Revolute("A", s, rod["start"], axis=tuple(N)))
    m.add(pl.Drive("P", "displacement", "ramp(t, 0.5, 1.5)", name="d"))
    sol = m.simulate(2.0, output_step=0.01)
    t, sign = sol.t, -np.cross(N, -side) @ U
    before, between, after = t < 0.499, (t > 0.501) & (t < 1.499), t > 1.501
    assert abs(sol["A.angle"][before]).max() < 1e-12
    np.testing.assert_allclose(sol["A.angle"][between], 1.5 * sign * (t[between] - 0.5), atol=1e-5)
    last = 1.5 * sign - 1.5 * sign * np.cos(1.5)
    np.testing.assert_allclose(sol["A.angle_rate"][after], last, atol=2e-5)
    assert sol.energy.drift < 2e-5 * sol.energy.kinetic.max()
    np.testing.assert_allclose(sol["P.displacement"], np.clip(t - 0.5, 0, 1), atol=1e-12)


@pytest.mark.parametrize("function", ["abs(t - 0.5)", "max(0.5 - t, t - 0.5)",
                                      pl.Table([0, 0.5, 1], [0.5, 0, 0.5], kind="linear")], ids=str)
def test_drives_that_turn_back(function):
    m = pl.Model("back", gravity=(0, 0, -9.81))
    m.add(pl.Prismatic("P", m.ground, m.add(pl.RigidBody.box("s", (0.1, 0.1, 0.1), mass=2.0)), axis=tuple(N)))
    m.add(pl.Drive("P", "displacement", function, name="d"))
    sol = m.simulate(1.0)
    np.testing.assert_allclose(sol["P.displacement"], abs(sol.t - 0.5), atol=1e-12)
    np.testing.assert_allclose(abs(sol["P.displacement_rate"]), 1.0, atol=1e-9)
    np.testing.assert_allclose(sol["d.effort"], 2 * 9.81 * 2 / 3, atol=1e-6)
    assert sol.energy.drift < 1e-8 and sol.quality.steps < 420


@pytest.mark.parametrize(("function", "at", "gap"), [("if(t > 0.5, 0.1, 0)", 0.5, "100 mm"), ("floor(3*t)", 1 / 3, "1000 mm")])
def test_a_drive_that_jumps_is_named(function, at, gap):
    m = pl.Model("jump")
    m.add(pl.Prismatic("P", m.ground, m.add(pl.RigidBody.box("s", (0.1, 0.1, 0.1), mass=2.0)), axis=tuple(N)))
    m.add(pl.Drive("P", "displacement", function, name="motor"))
    with pytest.raises(pl.SimulationError, match=rf"drive 'motor' jumps \(joint 'P' is open by {gap}\)") as stopped:
        m.simulate(1.0)
    assert stopped.value.code == "drive-jump" and abs(stopped.value.solution.t[-1] - at) < 2e-3


# -- jumps that depend on the motion
def ball(law, height=0.2, speed=0.0):
    """1 kg above a plane across N, gravity along -N."""
    m = pl.Model("ball", gravity=tuple(-9.81 * N))
    b = m.add(pl.RigidBody.sphere("b", 0.05, mass=1.0, position=tuple(height * N), velocity=tuple(speed * N)))
    m.add(pl.Force("c", b.frame((0, 0, 0), rotation=np.stack([N, U, np.cross(N, U)], 1)), (law, 0, 0), axes="frame"))
    return m


@pytest.mark.parametrize(("stiffness", "accuracy"), [(1e4, 1e-3), (1e4, 1e-5), (1e8, 1e-3)])
def test_a_bouncing_ball(stiffness, accuracy):
    """Free fall, contact on one side, free fall: 10 bounces, in closed form."""
    sol = ball(f"if({ALONG} < 0, -{stiffness}*{ALONG}, 0)").simulate(4.0, accuracy=accuracy)
    (z, v), g, w = along(sol), 9.81, np.sqrt(stiffness)
    fall, speed = np.sqrt(2 * 0.2 / g), np.sqrt(2 * g * 0.2)
    period = 2 * fall + 2 * (np.pi - np.arctan(speed * w / g)) / w
    since = (sol.t + fall) % period
    flying = since < 2 * fall
    assert abs(z - speed * since + g * since**2 / 2)[flying].max() < 4 * accuracy
    energy = v**2 / 2 + g * z + np.where(z < 0, stiffness * z**2 / 2, 0)
    assert abs(energy / energy[0] - 1)[flying].max() < accuracy
    assert sol.quality.rejected < 150


def test_bounces_of_a_spring():
    """The same law as a spring between two frames, x of which is its stretch."""
    m = pl.Model("spring", gravity=tuple(-9.81 * N))
    b = m.add(pl.RigidBody.sphere("b", 0.05, mass=1.0, position=tuple(0.2 * N)))
    m.add(pl.Prismatic("P", m.ground, b, axis=tuple(N)))
    m.add(pl.SpringDamper("s", m.ground.frame(tuple(-N)), b, stiffness="if(x < 0, 1e4*x, 0)", length=1.0))
    other = ball(f"if({ALONG} < 0, -1e4*{ALONG}, 0)").simulate(2.0, accuracy=1e-6)
    sol = m.simulate(2.0, accuracy=1e-6)
    np.testing.assert_allclose(along(sol)[0], along(other)[0], atol=1e-5)


def test_two_walls():
    """A gap of 0.2 m between two springs, no gravity: period in closed form, several jumps in one draft step."""
    m = pl.Model("gap")
    b = m.add(pl.RigidBody.sphere("b", 0.05, mass=1.0, velocity=tuple(2.0 * N)))
    law = f"if({ALONG} > 0.1, -1e4*({ALONG} - 0.1), 0) + if({ALONG} < -0.1, -1e4*({ALONG} + 0.1), 0)"
    m.add(pl.Force("c", b.frame((0, 0, 0), rotation=np.stack([N, U, np.cross(N, U)], 1)), (law, 0, 0), axes="frame"))
    sol = m.simulate(2.0, accuracy=1e-4)
    period = 2 * (0.2 / 2.0 + np.pi / 100)
    phase = (sol.t + 0.05) % period
    z, _ = along(sol)
    free = phase < 0.1
    np.testing.assert_allclose(z[free], -0.1 + 2.0 * phase[free], atol=2e-4)
    assert abs(z).max() == pytest.approx(0.1 + 2.0 / 100, abs=1e-3)


def test_a_torque_that_depends_on_the_angle():
    m = pl.Model("rotor")
    rotor = m.add(pl.RigidBody("b", 2.0, (0.1, 0.1, 0.1)))
    m.add(pl.Revolute("A", m.ground, rotor, axis=tuple(N)))
    frame = rotor.frame((0, 0, 0), rotation=np.stack([N, U, np.cross(N, U)], 1))
    m.add(pl.Torque("T", frame, ("if(A.angle > 0.3, -0.05, 0.2)", 0, 0), axes="frame"))
    sol = m.simulate(1.5)
    on = np.sqrt(2 * 0.3 / 2.0)
    u = np.clip(sol.t - on, 0, None)
    exact = np.where(sol.t < on, sol.t**2, 0.3 + 2.0 * on * u - 0.25 * u**2)
    np.testing.assert_allclose(sol["A.angle"], exact, atol=1e-8)


def test_several_items_jump_in_the_same_step():
    """Three balls, two of them exactly together, the third a little later."""
    m = pl.Model("three", gravity=(0, 0, -9.81))
    for k, height in enumerate((0.2, 0.2, 0.2001)):
        b = m.add(pl.RigidBody.sphere(f"b{k}", 0.05, mass=1.0, position=(k, 0, height)))
        m.add(pl.Force(f"c{k}", b, (0, 0, f"if(b{k}.position.z < 0, -1e4*b{k}.position.z, 0)")))
    sol = m.simulate(1.0)
    assert np.array_equal(sol["b0.position.z"], sol["b1.position.z"])
    for k, height in enumerate((0.2, 0.2, 0.2001)):
        z, v = sol[f"b{k}.position.z"], sol[f"b{k}.velocity.z"]
        energy = v**2 / 2 + 9.81 * z + np.where(z < 0, 5e3 * z**2, 0)
        assert abs(energy - 9.81 * height).max() < 1e-4 * 9.81 * height


def test_a_grazing_contact_and_a_jump_at_the_start():
    """Thrown up to 1e-9 m below and above a ceiling; and a law that jumps exactly where the body starts."""
    top = 2.0**2 / (2 * 9.81)
    for ceiling in (top - 1e-9, top + 1e-9):
        sol = ball(f"if({ALONG} > {ceiling:.17g}, -1e4*({ALONG} - {ceiling:.17g}), 0)", 0.0, 2.0).simulate(0.4)
        np.testing.assert_allclose(along(sol)[0], 2.0 * sol.t - 4.905 * sol.t**2, atol=1e-8)
        assert sol.quality.steps < 1000
    sol = ball(f"if({ALONG} <= 0, 9.81, 0)", 0.0).simulate(1.0)
    assert abs(along(sol)[0]).max() < 1e-12
    sol = ball(f"if({ALONG} >= 0, 9.81 - 3, 0)", 0.0).simulate(1.0)  # leaves at once
    t = sol.t
    np.testing.assert_allclose(along(sol)[0], -4.905 * t**2, atol=1e-9)


# -- excursions between the ends of a step
def under_a_ceiling(speed, ceiling, stiffness, t):
    """Height of a mass of 1 kg thrown up from zero, once against a spring above the ceiling."""
    g, w, v = 9.81, np.sqrt(stiffness), np.sqrt(max(0.0, speed**2 - 2 * 9.81 * ceiling))
    begin, contact, low = (speed - v) / g, 2 * np.arctan2(v * w, g) / w, g / stiffness
    inside, later = t - begin, t - begin - contact
    pressed = ceiling + low * (np.cos(w * inside) - 1) + v / w * np.sin(w * inside)
    return np.where(inside < 0, speed * t - g * t**2 / 2, np.where(later < 0, pressed, ceiling - v * later - g * later**2 / 2))


@pytest.mark.parametrize("above", [2e-3, 1e-4, 1e-5, 1e-6])
def test_a_ceiling_that_is_touched_within_a_step(above, method):
    """Free flight would go so far above the ceiling and come back, in 40 to 1 ms: less than a step."""
    ceiling = 2.0**2 / (2 * 9.81) - above
    sol = ball(f"if({ALONG} > {ceiling:.17g}, -1e4*({ALONG} - {ceiling:.17g}), 0)", 0.0, 2.0).simulate(0.8)
    exact = under_a_ceiling(2.0, ceiling, 1e4, sol.t)
    assert abs(along(sol)[0] - exact).max() < (1e-5 if "alpha" in method else 1e-6)


def test_the_first_of_several_jumps_in_a_step():
    """Two balls touch ceilings within a step, one after the other, and a third one passes a place where its force changes; none of
    them knows of the others."""
    m, heights = pl.Model("three", gravity=(0, 0, -9.81)), {}
    for k, (speed, above) in enumerate(((2.0, 1e-4), (2.02, 1e-4))):
        heights[k] = speed, speed**2 / (2 * 9.81) - above
        b = m.add(pl.RigidBody.sphere(f"b{k}", 0.05, mass=1.0, position=(k, 0, 0), velocity=(0, 0, speed)))
        m.add(pl.Force(f"c{k}", b, (0, 0, f"if(b{k}.position.z > {heights[k][1]:.17g}, -1e4*(b{k}.position.z - {heights[k][1]:.17g}), 0)")))
    b = m.add(pl.RigidBody.sphere("b2", 0.05, mass=1.0, position=(2, 0, 0), velocity=(1, 0, 0)))
    m.add(pl.Force("c2", b, ("if(b2.position.x > 2.207, 3, 0)", 0, "9.81")))
    sol = m.simulate(0.8)
    for k, (speed, ceiling) in heights.items():
        assert abs(sol[f"b{k}.position.z"] - under_a_ceiling(speed, ceiling, 1e4, sol.t)).max() < 1e-5
    assert abs(sol["b2.position.x"] - 2 - sol.t - 1.5 * np.clip(sol.t - 0.207, 0, None) ** 2).max() < 1e-6


# -- laws with roots and powers, which end where they jump
HERTZ = {"power": "if({x} < 0, 1e5*(-({x}))^{n}, 0)", "abs": "if({x} < 0, 1e5*abs({x})^{n}, 0)", "half": "1e5*(0.5*(abs({x}) - {x}))^{n}",
         "max": "1e5*max(0, -({x}))^{n}", "square": "if({x} < 0, 1e5*(({x})^2)^({n}/2), 0)",
         "root": "if({x} < 0, 1e5*sqrt((-({x}))^(2*{n})), 0)", "log": "if({x} < 0, 1e5*exp({n}*log(-({x}))), 0)"}


def rebound(n, speed=2.0, mass=1.0, stiffness=1e5):
    """How long a mass is in contact with a law of power n."""
    depth = ((n + 1) * mass * speed**2 / (2 * stiffness)) ** (1 / (n + 1))
    return 2 * depth / speed * math.sqrt(math.pi) * math.gamma(1 + 1 / (n + 1)) / math.gamma(0.5 + 1 / (n + 1))


@pytest.mark.parametrize("n", [1.5, 3])
@pytest.mark.parametrize("form", HERTZ)
def test_contact_by_powers(form, n):
    """Thrown at a wall 0.1 m away, without gravity: it leaves with the speed it came with, after a time in closed form. (For n = 1.5
    that is 2.9432751843247 depth / speed.) Beyond the jump the law has no value."""
    m = ball(HERTZ[form].format(x=ALONG, n=n), 0.1, -2.0)
    m.gravity = (0, 0, 0)
    sol = m.simulate(0.2)
    x, v = along(sol)
    assert abs(v[-1] / 2 - 1) < 1e-5 and abs(x[-1] - 2 * (0.15 - rebound(n))) < 2e-6


@pytest.mark.parametrize(("method", "accuracy"), [(pl.BDF, 1e-4), (pl.BDF, 1e-8), (pl.RadauIIA5, 1e-8), (pl.GeneralizedAlpha, 1e-5),
                                                  (pl.HHT, 1e-5), (pl.DOP853, 1e-8)])
@pytest.mark.parametrize("form", ["power", "log"])
def test_contact_that_begins_almost_as_a_straight_line(form, method, accuracy):
    """n = 1.1: the error per second of a step from the start of the contact falls with h^1.1 only."""
    m = ball(HERTZ[form].format(x=ALONG, n=1.1), 0.1, -2.0)
    m.gravity = (0, 0, 0)
    sol = m.simulate(0.2, accuracy=accuracy, integrator=method())
    x, v = along(sol)
    assert abs(v[-1] / 2 - 1) < 2 * accuracy and abs(x[-1] - 2 * (0.15 - rebound(1.1))) < 2 * accuracy


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_contact_by_powers_along_a_joint(coordinates):
    """The same as a spring along a slide, two bounces on the floor: the height is that of the start again."""
    m = pl.Model("floor", gravity=tuple(-9.81 * N))
    b = m.add(pl.RigidBody.sphere("b", 0.05, mass=1.0, position=tuple(0.2 * N)))
    m.add(pl.Prismatic("P", m.ground, b, axis=tuple(N)))
    m.add(pl.AxialSpring("s", "P", stiffness="if(x < 0, -1e5*(-x)^1.5, 0)", displacement=-0.2))
    sol = m.simulate(1.0, coordinates=coordinates)
    z, v = along(sol)
    energy = v**2 / 2 + 9.81 * z + 4e4 * np.clip(-z, 0, None) ** 2.5
    assert abs(energy / energy[0] - 1).max() < 1e-4 and z.min() < -0.004
    assert sol.quality.steps < 20_000


# -- what cannot be run
@pytest.mark.parametrize(("law", "speed"), [("-4*sign(b.velocity.x)", 1.0), ("3*sin(5*t) - 4*sign(b.velocity.x)", 1.0)])
def test_dry_friction_that_stops_ends_in_a_sentence(law, speed):
    m = pl.Model("friction")
    b = m.add(pl.RigidBody.box("b", size=(0.1, 0.1, 0.1), mass=2.0, velocity=(speed, 0, 0)))
    m.add(pl.Prismatic("P", m.ground, b, axis="x"))
    m.add(pl.Force("f", b, (law, 0, 0)))
    with pytest.raises(pl.SimulationError, match=r"tanh\(v / 0.01\) instead of sign") as stopped:
        m.simulate(3.0)
    assert stopped.value.code in ("chattering", "step-underflow") and stopped.value.solution.t[-1] > 0.4
    m["f"].vector = (law.replace("sign(b.velocity.x)", "tanh(b.velocity.x/0.001)"), 0, 0)
    assert m.simulate(3.0).complete


def test_friction_that_only_slides_is_right():
    """Steady sliding, and a reversal in which the force overcomes the friction: v' = (F - 4 sign(v)) / 2."""
    m = pl.Model("friction")
    b = m.add(pl.RigidBody.box("b", size=(0.1, 0.1, 0.1), mass=2.0, velocity=tuple(1.0 * N)))
    m.add(pl.Prismatic("P", m.ground, b, axis=tuple(N), displacement_rate=1.0))
    frame = b.frame((0, 0, 0), rotation=np.stack([N, U, np.cross(N, U)], 1))
    m.add(pl.Force("f", frame, ("-6 - 4*sign(P.displacement_rate)", 0, 0), axes="frame"))
    sol = m.simulate(1.0)
    t = sol.t
    np.testing.assert_allclose(sol["P.displacement_rate"], np.where(t < 0.2, 1 - 5 * t, -(t - 0.2)), atol=1e-8)


@pytest.mark.parametrize("jointed", [False, True])
def test_random_forces_end_in_a_sentence(jointed):
    rng = random.Random(1)
    m = mechanisms.pendulum() if jointed else block("0")
    m.add(pl.Force("noise", "bob" if jointed else "b", (lambda t: [rng.random(), t][0], 0, 0)))
    with pytest.raises(pl.ModelError, match=r"force 'noise': vector: .*asked for that time again.*random numbers"):
        m.simulate(1.0)


def test_a_little_noise_is_nothing():
    rng = random.Random(1)
    sol = block(lambda t: [3 + 1e-7 * rng.random(), t][0]).simulate(1.0)
    np.testing.assert_allclose(along(sol)[0], 0.75 * sol.t**2, atol=1e-7)


def broken(t):
    if t > 0.5:
        raise RuntimeError("sensor broken")
    return 1.0


@pytest.mark.parametrize(("force", "code", "message"), [
    (broken, "user-function", "sensor broken"),
    (lambda t: np.nan if t > 0.5 else 1.0, "not-finite", "'f' gave a number that is not finite"),
    ("sqrt(0.5 - t)", "not-finite", "'f' gave a number that is not finite"), ("1/(0.5 - t)", "step-underflow", "acceleration of 'b'")])
def test_functions_that_break_keep_what_was_before(force, code, message):
    with pytest.raises(pl.SimulationError, match=message) as stopped:
        block(force).simulate(1.0)
    assert stopped.value.code == code and 0.49 <= stopped.value.solution.t[-1] <= 0.501
