"""Backlash of a signal: closed forms, jumps, feedback against SciPy, rest, tangents, runs that go on."""
import numpy as np
import pytest
from derivatives import ComplexStep
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.text.model_text import from_text, to_text

W, H = 0.6, 0.3  # width and half of it
CHOSEN = {"default": {"accuracy": 1e-9}, "dop853": {"accuracy": 1e-9, "integrator": pl.DOP853()},
          "radau": {"accuracy": 1e-8, "integrator": pl.RadauIIA5()}, "bdf": {"accuracy": 1e-6, "integrator": pl.BDF()},
          "adams": {"accuracy": 1e-8, "integrator": pl.AdamsBashforthMoulton()},
          "alpha": {"accuracy": 1e-4, "integrator": pl.GeneralizedAlpha(0.9)}, "hht": {"accuracy": 1e-4, "integrator": pl.HHT()}}
FIXED = {"rk4": pl.RungeKutta4(), "dp54": pl.DormandPrince54(), "alpha": pl.GeneralizedAlpha(0.9)}


def swinging(start=1.0, input="P.displacement"):
    """x = cos 2 t along an oblique line, by a spring; ``area``: the integral of y dx."""
    m = pl.Model("swinging", gravity=(0, 0, 0))
    b = m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.Prismatic("P", m.ground, b, axis=(1, 2, 2), displacement=1.0))
    m.add(pl.AxialSpring("k", "P", stiffness=4.0))
    m.add(pl.Backlash("B", input, W, start=start))
    m.add(pl.Integral("area", "B.output*P.displacement_rate"))
    return m


def play(t):
    """Of cos 2 t, from y = 1 on: down to -0.7, up to 0.7, with flat parts until the gap is crossed."""
    u, phase = np.cos(2 * t), np.mod(2 * t, 2 * np.pi)
    down = np.minimum(u + H, np.where(2 * t < np.pi, 1.0, 1 - H))
    return np.where(phase <= np.pi, down, np.maximum(u - H, -1 + H))


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("method", CHOSEN)
def test_the_closed_form_where_steps_are_chosen(method, coordinates):
    """Flat parts and offsets, and the area of the loop, -w (2 A - w) in each turn"""
    options = CHOSEN[method] if method == "default" else CHOSEN[method] | {"coordinates": coordinates}
    times = np.linspace(0.05, 2 * np.pi, 100)
    sol = swinging().simulate(2 * np.pi, output_times=np.sort([*times, np.pi]), **options)
    within = 10 * options["accuracy"]
    assert sol["B.output"] == pytest.approx(play(sol.t), abs=within)
    area = sol["area.output"]
    assert area[-1] - area[sol.t == np.pi][0] == pytest.approx(-W * (2 - W), abs=within)
    if options["accuracy"] < 1e-6:
        flat = sol["B.output"][(sol.t > np.pi / 2) & (sol.t < np.pi / 2 + np.arccos(1 - W) / 2)]
        assert len(flat) > 5 and np.ptp(flat) == 0 and set(sol["B.side"]) == {-1, 0, 1}


@pytest.mark.parametrize(("method", "coordinates"), [(m, c) for m in FIXED for c in ("absolute", "joint")])
def test_the_closed_form_with_fixed_steps(method, coordinates):
    """A turning point between two ends of steps is missed by x'' h^2 / 8 at most; all else is the error of x, no more than twice."""
    h = 2e-3
    sol = swinging().simulate(6.0, step=h, output_step=0.1, integrator=FIXED[method], coordinates=coordinates)
    missed = abs(sol["P.displacement"] - np.cos(2 * sol.t)).max()
    assert abs(sol["B.output"] - play(sol.t)).max() < 4 * h**2 / 8 + 2 * missed


def test_where_it_begins():
    """The input has pushed the output along if it is further away than half of the width; statics know it too."""
    for start, expected in ((0.0, 1 - H), (0.8, 0.8), (5.0, 1 + H)):
        m = swinging(start)
        sol = m.simulate(0.01)
        assert sol["B.output"][0] == pytest.approx(expected, abs=1e-11)
        m.add(pl.JointForce("F", "P", "4*B.output"))
        m["P"].displacement = 0.0
        rest = m.static()  # 4 x = 4 y: anywhere with y = start, unless x has to push it
        assert rest["P.displacement"] == pytest.approx(start if start else 0.0, abs=1e-9)


@pytest.mark.parametrize("options", [{"accuracy": 1e-9}, {"step": 0.005, "integrator": pl.RungeKutta4()}], ids=["chosen", "fixed"])
@pytest.mark.parametrize("u", ["s.output", "if(t < 0.505, t, if(t < 0.805, -2, if(t < 1.005, -1.8, if(t < 1.205, 3, 3 - t))))"],
                         ids=["sampled", "jumps"])
def test_an_input_that_jumps(u, options):
    """y = max(u - w/2, min(u + w/2, y)) from value to value, across the whole gap as well."""
    m = swinging(0.0, u)
    m.add(pl.Sample("s", "2*sin(7*t) + cos(23*t)", 0.05))
    sol = m.simulate(2.0, output_step=0.05, **options)
    y, expected = 0.0, []
    for k in range(401):  # between rows of output too
        t = k * 0.005
        if u == "s.output":
            sampled = 0.05 * (k // 10)
            value = 2 * np.sin(7 * sampled) + np.cos(23 * sampled)
        else:
            value = t if t < 0.505 else -2 if t < 0.805 else -1.8 if t < 1.005 else 3 if t < 1.205 else 3 - t
        y = max(value - H, min(value + H, y))
        expected.append(y)
    assert sol["B.output"][:-1] == pytest.approx(expected[:-1:10], abs=1e-9)


def loop(width, damping=0.3):
    """A mass on a spring that acts through the gap, x'' = -4 y - 0.3 x': the gap feeds it, as y comes late."""
    m = pl.Model("loop", gravity=(0, 0, 0))
    m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.Prismatic("P", "ground", "b", axis=(1, 2, 2), displacement=1.0))
    m.add(pl.Backlash("B", "P.displacement", width, start=1.0))
    m.add(pl.JointForce("F", "P", f"-4*B.output - {damping}*P.displacement_rate"))
    return m


def by_scipy(width, end):
    """The same from event to event."""
    t, x, side, held, h = 0.0, np.array([1.0, 0.0]), 0, 1.0, width / 2
    while t < end:
        def f(t, x, side=side, held=held):
            return [x[1], -4 * (x[0] - side * h if side else held) - 0.3 * x[1]]
        happens = [lambda t, x: x[1]] if side else [lambda t, x, held=held: x[0] - h - held, lambda t, x, held=held: x[0] + h - held]
        for k, event in enumerate(happens):
            event.terminal, event.direction = True, -side if side else 1 - 2 * k
        sol = solve_ivp(f, (t, end), x, events=happens, rtol=1e-12, atol=1e-14, method="DOP853")
        t, x = sol.t[-1], sol.y[:, -1]
        if side:
            side, held = 0, x[0] - side * h
        else:
            side = 1 if len(sol.t_events[0]) else -1
    return x


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_feedback_through_the_gap_against_scipy(coordinates):
    sol = loop(0.2).simulate(8.0, accuracy=1e-10, coordinates=coordinates, output_times=[8.0])
    assert (sol["P.displacement"][-1], sol["P.displacement_rate"][-1]) == pytest.approx(tuple(by_scipy(0.2, 8.0)), abs=1e-8)


@pytest.mark.parametrize("options", [{"accuracy": 1e-10}, {"accuracy": 1e-6, "integrator": pl.RadauIIA5()}], ids=["explicit", "implicit"])
def test_what_comes_to_rest_on_contact_does_not_chatter(options):
    """Until nothing but rounding is left of the motion: a mass that creeps to x = -w/2, and a filter."""
    m = loop(0.2, 4.0)
    m.add(pl.SecondOrder("slow", 1.0, "1 Hz", 1.0))
    m.add(pl.Backlash("C", "slow.output", 0.1))
    sol = m.simulate(120.0, **options)
    assert sol["P.displacement"][-1] == pytest.approx(-0.1, abs=1e-5) and sol["C.output"][-1] == pytest.approx(0.95, abs=1e-5)
    assert sol.quality.steps < 3000


def test_rates_of_signals_by_the_chain_rule():
    """The integral of u' is u - u(0): of coordinates, places, distances, states, tables and what is computed of all these; what
    is held has none."""
    m = pl.Model("chain", gravity=(0.3, -9.81, 1.0))
    a = m.add(pl.RigidBody("a", mass=1.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0, 0)))
    m.add(pl.Revolute("A", m.ground, a.frame((-0.5, 0, 0)), axis=(0.3, 1, 0.2), angle_rate=0.7))
    m.add(pl.Measure("d", m.ground.frame((1, 1, 1)), a))
    m.table("curve", pl.Table([-9, -1, 0, 1, 9], [3, 0, 0.2, 1, 4]))
    m.add(pl.Variable("both", "sin(A.angle)*a.position.z + d.distance^2"))
    m.add(pl.LowPass("low", "A.angle_rate + both", 0.3))
    m.add(pl.LeadLag("lead", "low.output*cos(t)", 0.2, 0.4))
    m.add(pl.Sample("s", "a.velocity.x", 0.1))
    m.add(pl.Backlash("B", "lead.output + curve(both) + 0.2*t^2 + s.output*both", 0.1))
    m.add(pl.Integral("I", "B.input_rate"))
    m.add(pl.Delay("late", "A.angle", 0.01))
    sol = m.simulate(0.099, accuracy=1e-11, output_times=[0.05, 0.099])
    assert sol["I.output"][1:] == pytest.approx(sol["B.input"][1:] - sol["B.input"][0], abs=1e-9)
    assert abs(sol["B.input"][-1] - sol["B.input"][0]) > 0.01
    for u, words in ((lambda t: np.sin(3 * t), "a function of Python changes is not known exactly; give an expression"),
                     ("low.input", "'A.angle_rate' changes is no signal: .* put a low pass between"),
                     ("late.output", "'late.output' changes is no signal: .* delay looks into the past")):
        m["B"].input = u
        with pytest.raises(pl.ModelError, match=f"backlash 'B': how fast {words}") as error:
            m.simulate(0.1)
        assert "B" in error.value.items


@pytest.mark.parametrize("side", [-1, 0, 1])
@pytest.mark.parametrize("start", [0.123, 50.0])
def test_tangents_are_exact(side, start):
    """On both sides, in the gap, and where the input has pushed it along; of u' too."""
    m = pl.Model("tangent", gravity=(0.3, -9.81, 1.0))
    a = m.add(pl.RigidBody("a", mass=1.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0, 0)))
    b = m.add(pl.RigidBody("b", mass=2.0, inertia=(0.3, 0.2, 0.5), position=(1.2, 0.1, 0.3)))
    m.add(pl.Revolute("A", m.ground, a.frame((-0.5, 0, 0)), axis=(0.3, 1, 0.2), angle_rate=0.7))
    m.add(pl.Spherical("S", a.frame((0.5, 0, 0)), b.frame((-0.2, -0.1, -0.3))))
    m.add(pl.LowPass("low", "A.angle_rate*b.position.x", 0.3))
    m.add(pl.Backlash("B", "low.output*sin(A.angle) + b.position.y^2 + t", 0.4, start=start))
    m.add(pl.JointTorque("T", "A", "3*B.output + B.input_rate*A.angle_rate"))
    m.add(pl.Force("f", b, ("B.output*b.velocity.x", 0, "B.input_rate"), axes="frame"))
    m.add(pl.Integral("z", "B.output^2 - z.output"))
    c = ComplexStep(m.compile(exact=True).system, seed=3)
    place = int(np.flatnonzero(c.system.h0 == start)[0])
    c.real.H[place + 1] = side
    rng = np.random.default_rng(3)
    c.real.v[:] = rng.normal(size=c.real.v.size)
    expected = c.reference(0.7, 0.5, 0.3)
    assert abs(c.tangent(0.7, 0.5, 0.3) - expected).max() < 1e-12 * abs(expected).max()


@pytest.mark.parametrize("options", [{"accuracy": 1e-8}, {"accuracy": 1e-6, "integrator": pl.RadauIIA5(), "coordinates": "absolute"},
                                     {"step": 1e-2, "integrator": pl.RungeKutta4()}], ids=["explicit", "implicit", "fixed"])
def test_a_run_that_goes_on_has_the_same_bits(options, tmp_path):
    """From the gap and from either side."""
    whole = loop(0.2).simulate(30.0, output_step=0.05, **options)
    for share in (0.3, 0.5, 0.7):
        out = tmp_path / f"run {share}.h5"
        with pytest.raises(Stop):
            loop(0.2).simulate(30.0, output_step=0.05, progress=stopping(share), out=out, **options)
        sol = pl.load(out)
        assert not sol.complete and equal(sol.resume(), whole)
    if "step" in options:
        assert np.array_equal(loop(0.2).simulate(0.85, output_step=0.05, **options).resume(29.15).rows, whole.rows)


def test_texts():
    m = from_text(to_text(loop(0.2)))
    assert m["B"].width == 0.2 and m["B"].start == 1
    assert equal(m.simulate(1.0, output_step=0.1), loop(0.2).simulate(1.0, output_step=0.1))
