"""Modes that are added and dropped during a run: against runs with all modes, momentum at every change, files, and what is refused."""
from functools import cache

import numpy as np
import pytest
from flexible_models import bridge
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401

import pliant as pl
from pliant import simulation
from pliant.cli import execute
from pliant.compile.locked_modes import LockedModes
from pliant.flex.reduced import Reduced
from pliant.items.base import matrix_of
from pliant.kernels import evaluation
from pliant.kernels.state_row import parts
from pliant.methods.automatic import Candidate, ShortSteps, StepWatch
from pliant.methods.integrators.time_loop import run as runs
from pliant.methods.integrators.time_loop.adaptive_run import Choice
from pliant.start.assembly import start_row

TOLERANCE = 5e-5
LINE = [(0, 0, 0), (0.9, 0, 0), (1.3, 0.8, 0.3)]
SPIN = (3.0, -2.5, 3.2)
KICK = "if(t > 0.2, if(t < 0.21, {}, 0), 0)"


@cache
def part(frame="mean-axis", modes=6) -> Reduced:
    """A bent rod, held nowhere in mean axes, at ``a`` in body-fixed ones."""
    mesh = pl.flex.mesh_beam(LINE, pl.Section.rectangle(0.020, 0.012), pl.Material(7e10, 0.33, 2700), elements=12)
    return pl.flex.reduce(mesh, {"a": LINE[0], "b": LINE[2]}, modes=modes, frame=frame)


def flying(adaptive=None, kick=40.0, reduced=None, damping=0.03) -> pl.Model:
    """Free, turning about none of its axes; a short blow on its end in the middle of the run."""
    m = pl.Model("flying")
    m.add(pl.ModalBody("body", reduced or part(), velocity=(0.3, -0.2, 0.1), angular_velocity=SPIN, damping=damping, adaptive=adaptive))
    m.add(pl.Force("kick", "body.b", (KICK.format(kick), 0, KICK.format(0.5 * kick)), axes="frame"))
    return m


def blade(adaptive=None) -> pl.Model:
    """Held at ``a``, turning about an axis that is none of its own."""
    m = pl.Model("blade", gravity=(0, 0, -9.81))
    m.add(pl.ModalBody("body", part("body-fixed"), damping=0.03, adaptive=adaptive))
    m.add(pl.Revolute("hub", m.ground, "body.a", axis=(0.2, 0.3, 1.0), angle_rate=3.0))
    m.add(pl.Force("kick", "body.b", (KICK.format(20.0), 0, KICK.format(10.0))))
    return m


def run(model, duration=0.6, accuracy=1e-7, **options):
    return model.simulate(duration, accuracy=accuracy, progress=False, output_step=2e-3, **{"integrator": pl.DOP853()} | options)


@cache
def flown(adaptive=None):
    return run(flying(adaptive))


# -- against all modes
def test_a_blow_adds_modes_in_time_and_they_are_dropped_as_they_decay():
    sol, all_modes = flown(TOLERANCE), flown()
    active, t = sol.active_modes("body"), sol.t
    before, after = active[(t > 0) & (t <= 0.2)], active[(t > 0.202) & (t < 0.21)]
    assert before.sum(1).max() < after.sum(1).min() and (before == before[0]).all()
    first = next(c for c in sol.mode_changes("body") if c.added)
    assert first.t == pytest.approx(0.2, abs=1e-9)
    dropped = [c for c in sol.mode_changes() if c.t > 0.21 and c.dropped]
    assert dropped and active[-1].sum() < after[-1].sum()
    stretched = [np.linalg.norm(s["body.b.position"] - s["body.a.position"], axis=1) for s in (sol, all_modes)]
    assert abs(stretched[0] - stretched[1]).max() < 3 * TOLERANCE
    turned = np.linalg.norm(SPIN) * t[-1]  # what is left out also changes the moments of inertia, and so the angle
    assert abs(sol["body.b.position"] - all_modes["body.b.position"]).max() < 2 * (1 + turned) * TOLERANCE
    assert 2 * sol.quality.steps < all_modes.quality.steps


def test_a_smaller_tolerance_is_nearer_to_all_modes():
    exact = flown()["body.b.position"]
    errors = [abs(flown(tolerance)["body.b.position"] - exact).max() for tolerance in (TOLERANCE, TOLERANCE / 10)]
    assert errors[1] < 0.2 * errors[0]


def test_without_a_change_it_is_the_run_with_those_modes():
    """The lowest three of twelve, against a part that has only these."""
    mesh = pl.flex.mesh_beam(LINE, pl.Section.rectangle(0.020, 0.012), pl.Material(7e10, 0.33, 2700), elements=12)
    few, many = (pl.flex.reduce(mesh, {"a": LINE[0], "b": LINE[2]}, modes=n, frame="mean-axis", method="free") for n in (3, 9))
    adaptive = pl.AdaptiveModes(tolerance=0.5, at_least=3)
    sol, fixed = run(flying(adaptive, reduced=many), 0.3), run(flying(reduced=few), 0.3)
    assert sol.quality.mode_changes == 0 and sol.quality.steps == fixed.quality.steps
    assert (sol.active_modes("body") == (np.arange(9) < 3)).all()
    np.testing.assert_allclose(sol["body.b.position"], fixed["body.b.position"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(abs(sol["body.modal"][:, :3]), abs(fixed["body.modal"]), rtol=0, atol=1e-9)
    assert not sol["body.modal"][:, 3:].any() and not sol["body.modal_rate"][:, 3:].any()


@pytest.mark.parametrize("options", [
    {"coordinates": "joint"}, {"integrator": pl.RadauIIA5(), "accuracy": 1e-6}, {"integrator": pl.BDF(), "accuracy": 1e-5},
    {"integrator": None, "accuracy": 1e-6}], ids=["joint", "radau", "bdf", "chosen"])
def test_all_methods_in_both_coordinates(options):
    sol, exact = run(blade(TOLERANCE), 0.7, **options), held()
    assert sol.quality.mode_changes > 1
    assert abs(sol["body.b.position"] - exact["body.b.position"]).max() < 4 * TOLERANCE
    np.testing.assert_allclose(sol["hub.angle"], exact["hub.angle"], rtol=0, atol=4 * TOLERANCE)


@cache
def held():
    return run(blade(), 0.7)


def test_a_load_in_resonance_adds_its_mode():
    """At the frequency of a higher mode; its static displacement is a twentieth of the tolerance."""
    m = pl.Model("resonance")
    k = 4
    reduced = part()
    w, shape = 2 * np.pi * reduced.frequencies[k], reduced.nodes["b"].psi_R[:, k]
    scale = np.sqrt(reduced.integrals.Mqq[k, k] / reduced.integrals.m)
    force = 0.05 * TOLERANCE / scale * reduced.Kqq[k, k] / np.linalg.norm(shape)
    m.add(pl.ModalBody("body", reduced, adaptive=TOLERANCE))
    m.add(pl.Force("shaker", "body.b", [f"{force * x:.17g}*sin({w:.17g}*t)" for x in shape / np.linalg.norm(shape)], axes="frame"))
    sol = run(m, 0.5)
    added = [c for c in sol.mode_changes() if k + 1 in c.added]
    grown = 2 * TOLERANCE / (0.05 * TOLERANCE * w)  # q = s w t / 2
    assert added and added[0].t == pytest.approx(grown, rel=0.1)
    m["body"].adaptive = None
    exact = run(m, 0.5)
    np.testing.assert_allclose(sol["body.modal"][:, k], exact["body.modal"][:, k], rtol=0, atol=1.5 * TOLERANCE / scale)


def test_a_smooth_blow_between_rows_is_noticed():
    """A bell of 6 ms width, of which no function tells: rows are 50 ms apart, and there is no jump."""
    def struck(adaptive=None):
        m = pl.Model("bell")
        m.add(pl.ModalBody("body", part(), angular_velocity=SPIN, damping=0.03, adaptive=adaptive))
        m.add(pl.Force("kick", "body.b", ("30*exp(-((t - 0.237)/0.003)^2)", 0, "20*exp(-((t - 0.237)/0.003)^2)"), axes="frame"))
        return m.simulate(0.4, accuracy=1e-7, integrator=pl.DOP853(), progress=False, output_step=0.05)
    sol, exact = struck(TOLERANCE), struck()
    assert any(0.22 < c.t < 0.237 and len(c.added) >= 2 for c in sol.mode_changes())
    assert abs(sol["body.b.position"] - exact["body.b.position"]).max() < 2 * (1 + 0.4 * np.linalg.norm(SPIN)) * TOLERANCE


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_what_slides_along_the_body_loads_its_modes(coordinates):
    """A car that crosses a bridge: its weight moves from mode to mode."""
    def crossing(adaptive=None):
        m = pl.Model("crossing", gravity=(0, 0, -9.81))
        m.add(pl.ModalBody("bridge", bridge(), damping=0.02, adaptive=adaptive))
        m.add(pl.RigidBody.box("car", (0.1, 0.1, 0.1), mass=30.0, position=(0.4, 0, 0)))
        m.add(pl.Revolute("L", m.ground, "bridge.start", axis="y"))
        m.add(pl.PointOnLine("R", m.ground.frame((4, 0, 0)), "bridge.end", axis="x"))
        m.add(pl.SlidingOnBeam("S", "bridge.rail", "car", turning="none", displacement=0.4))
        m.add(pl.Drive("S", "displacement", "0.4 + 20*t", name="winch"))
        return run(m, 0.15, 1e-6, coordinates=coordinates)
    sol, exact = crossing("0.02 mm"), crossing()
    assert sol.active_modes("bridge").sum(1).max() < bridge().n / 2 and sol.quality.mode_changes
    for name in ("bridge.middle.position", "car.position"):
        assert abs(sol[name] - exact[name]).max() < 4 * 2e-5
    assert 2 * sol.quality.steps < exact.quality.steps


# -- momentum
def momentum(dynamics, row):
    """Of all bodies, about the origin of the world: derivatives of the kinetic energy, which is quadratic in velocities."""
    s, x = dynamics.system, dynamics.system.memory()
    p, total = {name: part[0] for name, part in parts(row[None, :], s.q0.size, s.n).items()}, np.zeros(6)
    x.q[:] = p["q"]

    def kinetic(v):
        x.v[:], x.E[:] = v, 0
        evaluation.run(s.program("energy"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        return float(x.E[0])
    for iv, iq in s.data.rotations:
        steps = np.eye(s.n)[iv - 3:iv + 3] * max(1.0, abs(p["v"]).max())
        both = np.array([(kinetic(p["v"] + e) - kinetic(p["v"] - e)) / (2 * e.max()) for e in steps])
        total += np.concatenate([both[:3], matrix_of(x.q[iq:iq + 4]) @ both[3:] + np.cross(x.q[iq - 3:iq], both[:3])])
    return total


def chain(frame, stiffening) -> pl.Model:
    """Two flexible bodies and a rigid one, with joints between them and none to the ground."""
    m, rng = pl.Model("chain"), np.random.default_rng(3)
    for k, name in enumerate(("first", "second")):
        reduced = part(frame)
        q = 1e-4 * rng.standard_normal(reduced.n) * np.sqrt(reduced.integrals.m / np.diag(reduced.integrals.Mqq))
        m.add(pl.ModalBody(name, reduced, position=tuple(k * np.array(LINE[2])), modal=q, adaptive=1e-4, stiffening=stiffening))
    m.add(pl.RigidBody("rigid", 0.5, (1e-3, 2e-3, 2.5e-3), position=(-0.1, 0, 0), com=(0.1, 0.02, 0)))
    m.add(pl.Spherical("joint", "first.b", "second.a"))
    m.add(pl.Revolute("hinge", m["rigid"].frame((0.1, 0, 0)), "first.a", axis=(1, 1, 2)))
    return m


@pytest.mark.parametrize(("frame", "stiffening"), [("mean-axis", "on"), ("body-fixed", "on"), ("body-fixed", "off")])
def test_a_change_keeps_momentum_and_joints(frame, stiffening):
    """Linear and angular, of a chain that turns in space: half the modes dropped, a third of these added again, displaced and moving."""
    d = chain(frame, stiffening).compile()
    row, rng, s = start_row(d).copy(), np.random.default_rng(4), d.system
    parts(row[None, :], s.q0.size, s.n)["v"][0, s.active[s.active < s.n_v]] = rng.standard_normal(int((s.active < s.n_v).sum()))
    d.refine(row[None, :])  # velocities that the joints allow: all bodies turn and vibrate
    locks = LockedModes(d)
    for share in (0.5, 0.66, 0.2):
        active = rng.random(locks.iq.size) < share
        before, size = momentum(d, row), np.linalg.norm(momentum(d, row))
        energy = locks.consistent(row, False)[1]
        q, rate = 1e-3 * rng.standard_normal((2, locks.iq.size))
        row, change = locks.change(row, active, q, 10 * rate)
        np.testing.assert_allclose(momentum(d, row), before, rtol=0, atol=1e-12 * size)
        moved, moving = locks.displacements(row)
        assert not moved[~active].any() and not moving[~active].any() and moved[active].all()
        again, report = row[None, :].copy(), None
        energies, report = d.refine(again, False)
        assert report[0, 0] < 1e-12 and report[0, 1] < 1e-11  # joints are closed, and stay so
        assert energies.sum() - energy == pytest.approx(change, abs=1e-12 * abs(energies).max())


def test_momentum_of_a_run_is_that_of_its_start_whatever_modes_come_and_go():
    """Vibrations that decay in free flight: only damping and changes of modes act."""
    reduced, m = part(), flying(TOLERANCE, kick=0.0)
    q = np.array([4e-3, -2e-3, 2e-3, 1e-3, 1e-3, -5e-4, *np.zeros(reduced.n - 6)])  # m
    m["body"].modal = q * np.sqrt(reduced.integrals.m / np.diag(reduced.integrals.Mqq))
    sol = run(m, 0.8, 1e-10)
    assert sum(len(c.dropped) for c in sol.mode_changes() if c.t > 0) >= 4
    p = np.array([momentum(sol.dynamics, row) for row in sol.rows[::20]])
    np.testing.assert_allclose(p, np.tile(p[0], (len(p), 1)), rtol=0, atol=1e-9 * np.linalg.norm(p[0]))
    changed = {c.t: c.energy for c in sol.mode_changes()}
    assert sol.energy.drift < 1e-8 * sol.energy.kinetic[0] and "doubt" not in sol.summary()
    assert f"changes of modes took {-sum(changed.values()):.3g} J" in sol.summary()


def test_an_oscillator_follows_its_load():
    """A mode that is locked: steps of a load that is even in time are followed as the equation of motion says."""
    locks = LockedModes(flying(TOLERANCE).compile())
    choice = Choice(locks, start_row(flying(TOLERANCE).compile()))
    k, h, z, w = 2, 1e-4, choice.zeta[2], choice.omega[2]
    loads = iter(1e-4 * h * np.arange(1, 2001))
    locks.static = lambda row: np.full(choice.q.size, next(loads))
    for _ in range(2000):
        choice.follow(None, h)
    t, wd = 2000 * h, w * np.sqrt(1 - z * z)
    exact = 1e-4 * (t - np.exp(-z * w * t) * np.sin(wd * t) / wd)
    assert choice.q[k] == pytest.approx(exact, rel=0.02)


# -- files and continuations
@pytest.mark.parametrize("options", [{}, {"coordinates": "joint"}, {"integrator": pl.RadauIIA5(), "accuracy": 1e-6}], ids=str)
def test_an_interrupted_run_goes_on_bit_for_bit(options, tmp_path, one_slice):
    whole = run(blade(TOLERANCE), 0.7, **options)
    with pytest.raises(Stop):
        blade_to(tmp_path / "run.h5", stopping(0.8), options)
    stopped = pl.load(tmp_path / "run.h5")
    assert len(stopped.mode_changes()) > 1
    sol = stopped.resume(progress=False)
    assert equal(sol, whole) and sol.mode_changes() == whole.mode_changes()
    sol.save(tmp_path / "whole.h5")
    again = pl.load(tmp_path / "whole.h5")
    assert again.mode_changes() == whole.mode_changes() and again.quality.mode_changes == len(whole.mode_changes()) - 1
    np.testing.assert_array_equal(again.active_modes("body"), whole.active_modes("body"))
    assert "took part" in again.summary()


def blade_to(file, progress, options):
    given = {"integrator": pl.DOP853(), "accuracy": 1e-7} | options
    return blade(TOLERANCE).simulate(0.7, output_step=2e-3, progress=progress, out=file, **given)


def test_a_method_that_takes_over_goes_on_with_the_history(tmp_path, monkeypatch):
    class Hurried(StepWatch):
        def __call__(self):
            if self.candidate.worth and self.run.t > 0.4:
                raise ShortSteps("is slow")
    first = Candidate(pl.RadauIIA5(), pl.StabilizedIndex2(), "", worth=1.0, instead=(Candidate(pl.DOP853(), pl.Index1(), ""),))
    monkeypatch.setattr(simulation, "candidates", lambda *_: [first])
    monkeypatch.setattr(simulation, "StepWatch", Hurried)
    monkeypatch.setattr(runs, "MOST", 10_000)  # no checkpoint but the first
    monkeypatch.setattr(runs, "LEAST", 10_000)
    sol = blade(TOLERANCE).simulate(0.7, accuracy=1e-6, output_step=2e-3, progress=False, out=tmp_path / "run.h5")
    assert sol.method == pl.DOP853() and "is slow" in sol.why
    changes = sol.mode_changes()
    assert [c.t for c in changes[:2]] == pytest.approx([0.0, 0.2]) and len(changes) > 2
    assert (sol.active_modes("body")[sol.t < 0.2] == sol.active_modes("body")[0]).all()
    assert abs(sol["body.b.position"] - held()["body.b.position"]).max() < 4 * TOLERANCE
    longer = pl.load(tmp_path / "run.h5").resume(0.02, progress=False)
    assert longer.mode_changes()[:2] == changes[:2] and len(longer.t) == len(sol.t) + 10


def test_the_text_and_the_command_line(tmp_path, capsys):
    part("body-fixed").save(tmp_path / "rod.h5")
    text = ("pliant: 1\nname: blade\ngravity: [0, 0, -9.81]\nsimulate: {duration: 0.1}\nbodies:\n"
            "  body: {kind: modal, reduced: rod.h5, damping: 0.03, adaptive: {tolerance: 0.05 mm, at_least: 2}}\n"
            "joints:\n  hub: {kind: revolute, between: [ground, body.a], axis: [0.2, 0.3, 1.0], angle_rate: 3.0}\n")
    file = tmp_path / "blade.yaml"
    file.write_text(text)
    m = pl.read(file)
    assert m["body"].adaptive == pl.AdaptiveModes(tolerance=5e-5, at_least=2)
    m.save(tmp_path / "again.yaml")
    assert pl.read(tmp_path / "again.yaml")["body"].adaptive == m["body"].adaptive
    assert execute(["run", str(file), "--set", "bodies.body.adaptive=20 um", "-o", str(tmp_path / "run.h5")]) == 0
    sol = pl.load(tmp_path / "run.h5")
    assert sol.model["body"].adaptive.tolerance == pytest.approx(2e-5) and "took part" in capsys.readouterr().out
    file.write_text(text.replace("0.05 mm", "-1 mm"))
    assert execute(["run", str(file)]) != 0
    told = capsys.readouterr()
    assert "-1 mm must be greater than zero" in told.err + told.out


# -- what is refused
@pytest.mark.parametrize(("adaptive", "message"), [
    ("3 kg", "adaptive"), (0.0, "must be greater than zero"), (5.0, "must be less than the size of the body"),
    ({"tolerance": 1e-4, "at_least": 12}, "at_least = 12 must be less than the 12 modal coordinates"),
    ({"tolerance": 1e-4, "at_least": 1.5}, "must be a whole number"), ({"tolerance": 1e-4, "interval": 1}, "interval")])
def test_what_makes_no_sense(adaptive, message):
    with pytest.raises(ValueError, match=message):
        pl.ModalBody("body", part(), adaptive=adaptive)


def test_a_part_without_modes_to_choose_from():
    mesh = pl.flex.mesh_beam(LINE, pl.Section.rectangle(0.020, 0.012), pl.STEEL, elements=6)
    with pytest.raises(ValueError, match="must have at least 2 to choose from"):
        pl.ModalBody("body", pl.flex.reduce(mesh, modes=1), adaptive=1e-4)
    coupled = pl.flex.reduce(mesh, {"a": LINE[0], "b": LINE[2]}, modes=2, orthonormal=False)
    with pytest.raises(ValueError, match="must be modes of it"):
        pl.ModalBody("body", coupled, adaptive=1e-4)


@pytest.mark.parametrize("options", [{"step": 1e-4}, {"integrator": pl.RungeKutta4(), "accuracy": 1e-4}], ids=str)
def test_fixed_steps_are_refused_by_check_and_simulate(options):
    m = flying(TOLERANCE)
    with pytest.raises(pl.ModelError, match=r"modes of body 'body' \(adaptive\).*not with fixed steps; give accuracy"):
        m.simulate(0.1, progress=False, **options)
    m.settings.update(options | {"duration": 0.1})
    found = [f for f in m.check().findings if f.code == "adaptive-modes"]
    assert len(found) == 1 and found[0].items == ("body",) and "Give accuracy" in found[0].remedy


def test_other_bodies_have_no_such_thing():
    with pytest.raises(ValueError, match="no body whose modes are chosen"):
        flown(TOLERANCE).active_modes("nobody")
    with pytest.raises(pl.ModelError, match="integrator ida cannot change the modes"):
        run(flying(TOLERANCE), integrator=pl.IDA())
