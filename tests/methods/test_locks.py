"""Locks, releases and several of them at one instant; files, continuations and analyses with the structure of their time; errors."""
import numpy as np
import pytest
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401
from test_structure import METHODS, REACHED, as_one, momenta, moving, run

import pliant as pl
from pliant.items.errors import ItemError, ModelError, SimulationError, TextError
from pliant.methods.integrators.time_loop import run as runs
from pliant.text.model_text import from_text, to_text


def rotor(*events):
    """A carrier that tumbles freely, and a rotor on an axle off all principal axes."""
    m = pl.Model("rotor", gravity=(0, 0, 0))
    m.add(pl.RigidBody("carrier", mass=4.0, inertia=(0.5, 0.8, 0.6), position=(0, 0, 0), rotation=pl.rotation((2, -1, 1), 0.5),
                       angular_velocity=(0.3, 0.2, -0.4)))
    m.add(pl.RigidBody("wheel", mass=1.0, inertia=(0.05, 0.09, 0.06), position=(0.3, 0.2, 0.1)))
    m.add(pl.Revolute("axle", "carrier", "wheel", at=(0.3, 0.2, 0.1), axis=(0.3, 1, 0.5), angle_rate=8.0))
    for k, (when, action) in enumerate(events):
        m.add(pl.Event(f"e{k}", when, [action]))
    return m


def elbow(*events, **options):
    """A double pendulum in a plane that is none of the axes'."""
    m = pl.Model("elbow", gravity=(0, 0, -9.81))
    for k, name in enumerate(("upper", "lower")):
        m.add(pl.RigidBody(name, mass=2.0 - k, inertia=(0.1, 0.2, 0.05), position=(0.5 + k, 0, 0)))
    m.add(pl.Revolute("hinge", "ground", "upper", at=(0, 0, 0), axis="y"))
    m.add(pl.Revolute("elbow", "upper", "lower", at=(1, 0, 0), axis="y", **options))
    for k, (when, *actions) in enumerate(events):
        m.add(pl.Event(f"e{k}", when, actions))
    return m


@pytest.mark.parametrize("method", METHODS)
def test_a_rotor_that_is_locked_released_and_locked_again_keeps_angular_momentum(method):
    half = 0.5e-3 * (method == "fixed")
    times = 0.2, 0.4, 0.6
    m = rotor(*((f"t > {t - half}", do("axle")) for t, do in zip(times, (pl.Lock, pl.Unlock, pl.Lock), strict=True)))
    sol, reached = run(m, method, 0.8), 10 * REACHED.get(method, 1e-9)
    told = [(e.t, e.what) for e in sol.events.of("axle")]
    assert [what for _, what in told] == ["locks", "unlocks", "locks"] and [t for t, _ in told] == pytest.approx(times, abs=1e-12)
    (p0, L0, _), (p1, L1, T1) = (momenta(sol, k) for k in (0, -1))
    np.testing.assert_allclose([*p1, *L1], [*p0, *L0], atol=reached)
    _, velocities, T = as_one(moving(sol, -1))
    np.testing.assert_allclose([v for _, _, v, _, _ in moving(sol, -1)], velocities, atol=reached)
    assert pytest.approx(T, rel=reached) == T1
    locked = (sol.t > 0.2 + 1e-9) & (sol.t < 0.4 - 1e-9)
    assert np.ptp(sol["axle.angle"][locked]) < reached and abs(sol["axle.angle_rate"][locked]).max() < reached
    assert sol["axle.locked"][locked].all() and not sol["axle.locked"][(sol.t > 0.4 + 1e-9) & (sol.t < 0.6 - 1e-9)].any()
    assert abs(sol.energy.balance - sol.energy.balance[0]).max() < reached
    assert sol.energy.dissipated[-1] == pytest.approx(np.nansum([e.energy_lost for e in sol.events]), rel=max(reached, 1e-9))


def four_bar():
    """Released at B after 0.2 s: two open arms, off all axes."""
    m = pl.Model("four-bar", gravity=(0.5, 1.0, -9.81))
    for name, length, at in (("crank", 1.0, (0, 0, 0.5)), ("coupler", 2.0, (1, 0, 1.0)), ("rocker", 1.0, (2, 0, 0.5))):
        m.add(pl.RigidBody(name, mass=length, inertia=(0.1 * length, 0.12 * length, 0.05), position=at))
    m.add(pl.Revolute("A", "ground", "crank", at=(0, 0, 0), axis="y", angle_rate=2.0))
    m.add(pl.Revolute("B", "crank", "coupler", at=(0, 0, 1), axis="y"))
    m.add(pl.Spherical("C", "coupler", "rocker", at=(2, 0, 1)))
    m.add(pl.Universal("D", "ground", "rocker", at=(2, 0, 0), axis="x", axis_b="y"))
    m.add(pl.Event("open", "A.angle > 0.35", [pl.Release("B")]))
    m.add(pl.Event("stop", "t > 0.5", [pl.Lock("A")]))
    return m


def test_a_four_bar_with_a_joint_released_moves_alike_in_both_coordinates():
    one, two = (four_bar().simulate(0.6, coordinates=c, integrator=pl.DOP853(), accuracy=1e-10) for c in ("absolute", "joint"))
    assert [e.what for e in one.events] == ["fires", "is released", "fires", "locks"]
    assert one.events.t == pytest.approx(two.events.t, abs=1e-9)
    for channel in ("crank.position", "coupler.position", "coupler.angular_velocity", "rocker.rotation", "C.force"):
        np.testing.assert_allclose(one[channel], two[channel], atol=1e-8 * max(1, abs(one[channel]).max()))


def test_two_events_at_one_instant_are_one_impact():
    """The hinge is released as the elbow locks: of the two bodies, free together, momentum and angular momentum stay."""
    sol = elbow(("t > 0.2", pl.Lock("elbow")), ("t > 0.2", pl.Release("hinge"))).simulate(0.3, accuracy=1e-10, output_step=0.01)
    at = int(np.searchsorted(sol.t, 0.2 + 1e-9)) - 1
    w, _, T = as_one(moving(sol, at))
    lost = [e for e in sol.events if e.what == "locks"]
    assert lost[0].energy_lost == pytest.approx(momenta(sol, at)[2] - T, rel=1e-9) and lost[0].t == pytest.approx(0.2, abs=1e-12)
    np.testing.assert_allclose(sol["upper.angular_velocity"][-1], w, atol=1e-9)


def test_a_joint_is_connected_as_modelled_within_its_capture():
    """A hinge is released, the body falls, and is not caught; from nearby it is, and its gap is closed."""
    far = elbow(("t > 0.1", pl.Release("elbow")), ("t > 0.3", pl.Connect("elbow", capture="1 mm")))
    with pytest.raises(SimulationError, match=r"'elbow' cannot be connected: its sides are .* mm and .* apart, .* its capture, 1 mm"):
        far.simulate(0.5)
    sol = elbow(("t > 0.1", pl.Release("elbow")), ("t > 0.11", pl.Connect("elbow", capture="10 mm", capture_angle=0.1))).simulate(0.5)
    assert [e.what for e in sol.events.of("elbow")] == ["is released", "connects"]
    assert sol.quality.position_violation < 1e-9 and list(np.diff(sol["elbow.state"])[np.diff(sol["elbow.state"]) != 0]) == [-1, 1]
    assert abs(sol.energy.balance - sol.energy.balance[0]).max() < 1e-6


def test_analyses_have_the_structure_of_their_time():
    """Two pendulums that hang at rest, and as one when the elbow is locked: its frequency is that of a compound pendulum."""
    m = elbow(("t > 0.5", pl.Lock("elbow")))
    for name, at in (("upper", (0, 0, -0.5)), ("lower", (0, 0, -1.5))):
        m[name].position = at
    m["elbow"].at = (0, 0, -1)
    sol = m.simulate(1.0)
    inertia, moment = 0.2 + 2 * 0.25 + 0.2 + 2.25, 9.81 * (2 * 0.5 + 1.5)
    assert m.modes(state=(sol, 0.8)).frequencies == pytest.approx([np.sqrt(moment / inertia) / (2 * np.pi)], rel=1e-9)


@pytest.mark.parametrize("options", [{"accuracy": 1e-8, "coordinates": "joint"}, {"step": 1e-3, "integrator": pl.GeneralizedAlpha()},
                                     {"integrator": pl.BDF(), "coordinates": "absolute"}])
def test_an_interrupted_run_goes_on_bit_for_bit_after_a_lock_and_a_break(options, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "SLICE", 0.0)  # Python looks in after every step
    events = ("t > 0.2", pl.Lock("elbow")), ("t > 0.45", pl.Unlock("elbow")), ("t > 0.7", pl.Break("elbow"))
    whole = elbow(*events).simulate(1.0, output_step=0.01, **options)
    for share in (0.38, 0.85):
        with pytest.raises(Stop):
            elbow(*events).simulate(1.0, output_step=0.01, out=tmp_path / f"{share}.h5", progress=stopping(share), **options)
        part = pl.load(tmp_path / f"{share}.h5")
        again = part.resume()
        assert not part.complete and equal(again, whole) and np.array_equal(again.events.log, whole.events.log, equal_nan=True)


def test_events_that_undo_each_other_end_the_run_with_their_names():
    m = elbow()
    m.add(pl.Discrete("n"))
    m.add(pl.Event("shut", "n.output > 0.5", [pl.Lock("elbow"), pl.Set("n.output", 0)]))
    m.add(pl.Event("open", "n.output < 0.5 and t > 0.1", [pl.Unlock("elbow"), pl.Set("n.output", 1)]))
    with pytest.raises(SimulationError, match=r"stopped at t = 0\.1 s: at one instant 'n', 'shut', 'open' switch to and fro without end"):
        m.simulate(0.5)


def test_once_and_delay():
    m = elbow(("t > 2", pl.End()))
    for name, more in (("each", {}), ("first", {"once": True}), ("late", {"delay": "50 ms"}), ("never", {"delay": 0.2})):
        m.add(pl.Discrete(f"n_{name}"))
        m.add(pl.Event(name, "sin(2*pi*t*4) > 0", [pl.Set(f"n_{name}.output", f"n_{name}.output + 1")], **more))
    sol = m.simulate(0.99)
    assert [sol[f"n_{name}.output"][-1] for name in ("each", "first", "late", "never")] == [4, 1, 4, 0]
    assert sol.events.of("late").t[0] == pytest.approx(0.05, abs=1e-9)


def test_what_breaks_after_it_was_released_stays_broken():
    again = pl.Connect("elbow", capture=1, capture_angle=9)
    sol = elbow(("t > 0.12", pl.Release("elbow")), ("t > 0.22", pl.Break("elbow")), ("t > 0.23", again)).simulate(0.3, output_step=0.05)
    assert list(sol["elbow.state"]) == [1, 1, 1, 0, 0, -1, -1] and [e.what for e in sol.events.of("elbow")] == ["is released", "breaks"]


BAD = [([pl.Lock("elbw")], "there is no joint 'elbw' to lock.*did you mean 'elbow'"),
       ([pl.Connect("elbow", at="here")], "'elbow' cannot be connected at: here, only a fixed joint can"),
       ([pl.Lock("driven")], "joint 'driven' cannot be locked: drive 'motor' moves it"),
       ([pl.Lock("weld")], "joint 'weld' cannot be locked: it leaves no motion free")]


@pytest.mark.parametrize(("actions", "message"), BAD)
def test_what_cannot_be_done_is_told(actions, message):
    m = elbow()
    m.add(pl.RigidBody("shaft", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.RigidBody("disc", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.Revolute("driven", "ground", "shaft"))
    m.add(pl.Fixed("weld", "shaft", "disc"))
    m.add(pl.Drive("driven", "angle", "2*t", "motor"))
    m.add(pl.Event("event", "t > 1", actions))
    with pytest.raises(ModelError, match=message):
        m.compile()


@pytest.mark.parametrize(("action", "message"), [
    ({"lock": "a", "at": "here"}, "lock has nothing but the name of a joint"),
    ({"connect": "a", "at": "there"}, "must be here or modelled"),
    ({"connect": "a", "capture": 0}, "of capture must be greater than zero"), ({"connect": "a", "gap": 1}, "gap of connect is not known"),
    ({"lock": "a", "release": "a"}, "or one of lock, unlock, release, connect and break"), ({"weld": "a"}, "must be .*{lock: hinge}"),
    ({"break": 3}, "name of a joint")])
def test_actions_are_checked(action, message):
    with pytest.raises(ItemError, match=message):
        pl.Event("event", "t > 1", [action])


def test_text_sub_assemblies_and_the_schema_know_them():
    m = elbow(("t > 0.1", pl.Lock("elbow")), ("t > 0.2", pl.Connect("hinge", capture="2 mm"), pl.End()), connected=False)
    text = to_text(m)
    assert "connected: false" in text and "{connect: hinge, capture: 0.002}" in text
    assert to_text(from_text(text)) == text
    with pytest.raises(TextError, match="there is no joint 'elbw'") as error:
        from_text(text.replace("{lock: elbow}", "{lock: elbw}"))
    assert error.value.lines[0].startswith("model:11: blocks.e0.do[0].lock")
    m.rename("elbow", "knee")
    assert m["e0"].do[0] == {"lock": "knee"}


def test_degrees_of_freedom_are_counted_with_what_holds_at_the_start():
    report = elbow(("t > 1", pl.Connect("elbow"), pl.Lock("hinge")), connected=False).check()
    assert (report.degrees_of_freedom, report.equations, report.redundant) == (7, 5, 0)
    m = elbow(("t > 0.2", pl.Break("elbow")))
    m.planar = "y"
    sol = m.simulate(0.3)
    assert sol["elbow.state"][-1] == -1 and not sol["lower.position.y"].any()
