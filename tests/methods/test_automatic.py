"""Methods that a run chooses itself: by the model, with the reason, and another one where the first fails."""
import numpy as np
import pytest
import spatial

import pliant as pl
from pliant import simulation
from pliant.cli import execute
from pliant.items.errors import SimulationError
from pliant.methods import automatic
from pliant.proofs.shipped_examples import examples, find
from pliant.start.assembly import start_row


def bogie(factor: float) -> pl.Model:
    """A box in a soft or stiff bushing at the end of a swinging arm."""
    m = pl.Model("bogie", gravity=(0, 0, -9.81))
    arm = m.add(pl.RigidBody.rod("arm", start=(0, 0, 0), end=(1, 0.2, 0), mass=1.0, radius=0.05))
    m.add(pl.Revolute("hinge", m.ground, arm["start"], axis=(0.1, 1, 0.2)))
    box = m.add(pl.RigidBody.box("box", size=(0.2, 0.3, 0.2), mass=0.5, position=(1, 0.2, 0)))
    m.add(pl.Bushing("mount", arm["end"], box, stiffness=factor * np.array([1e3] * 3 + [20] * 3),
                     damping=factor * np.array([10.0] * 3 + [0.2] * 3)))
    return m


@pytest.mark.parametrize("accuracy", [1e-4, 1e-6])
def test_stiff_springs_do_not_cost_steps(accuracy):
    """1e4 times stiffer: the slow motion takes no more than three times the steps at the same accuracy."""
    soft, stiff = (bogie(factor).simulate(2.0, accuracy=accuracy, output_step=0.02) for factor in (1.0, 1e4))
    assert (soft.method.kind, stiff.method.kind) == ("dop853", "radau-iia-5")
    assert stiff.quality.steps + stiff.quality.rejected <= 3 * (soft.quality.steps + soft.quality.rejected)
    exact = bogie(1e4).simulate(2.0, accuracy=1e-9, integrator=pl.RadauIIA5(), output_step=0.02)
    assert abs(stiff["box.position"] - exact["box.position"]).max() < 2 * accuracy
    assert "nothing is stiff" in soft.why and "the fastest rate is 6.2e+05 rad/s" in stiff.why


def test_the_fastest_rate_is_that_of_the_spring():
    """A mass on a spring and a damper along a line off the axes, held across it: omega = sqrt(k / m); overdamped: c / m."""
    direction = np.array([1.0, 2.0, -2.0]) / 3
    for stiffness, damping, rate in ((5000.0, 0.0, 50.0), (5000.0, 12.0, 50.0), (20.0, 600.0, 300.0)):
        m = pl.Model("one")
        b = m.add(pl.RigidBody.sphere("b", 0.1, mass=2.0, position=tuple(direction)))
        m.add(pl.Prismatic("P", m.ground, b, axis=tuple(direction)))
        m.add(pl.SpringDamper("k", m.ground, b, stiffness=stiffness, damping=damping, length=1.0))
        d = m.compile()
        assert automatic.fastest_rate(d, start_row(d)) == pytest.approx(rate, rel=2e-3)
        assert automatic.vibration_rates(d, start_row(d))[2] == pytest.approx(damping / 4, rel=2e-3)


def test_redundant_joints_are_no_obstacle():
    sol = door().simulate(1.0)
    assert sol.method.kind == "dop853" and not sol.quality.unique_reactions and sol.energy.drift < 1e-6


def door() -> pl.Model:
    m = pl.Model("door", gravity=(0, -9.81, 0.5))
    leaf = m.add(pl.RigidBody.box("leaf", size=(0.8, 2.0, 0.04), mass=20.0, position=(0.4, 1.0, 0)))
    for k, height in enumerate((0.3, 1.7)):
        m.add(pl.Revolute(f"h{k}", m.ground.frame((0, height, 0)), leaf.frame((-0.4, height - 1, 0)), axis="y"))
    return m


def failing(code, t_fail):
    """A method that fails at a time."""
    class Failing(pl.DOP853):
        def run(self, plan):
            made = super().run(plan)
            advance = made._advance

            def stop(steps):
                status = advance(1)
                if made.t > t_fail:
                    raise SimulationError(f"stopped at t = {made.t:.6g} s: it broke. Try again", code)
                return status
            made._advance = stop
            return made
    return Failing()


def test_another_method_goes_on_where_one_fails(monkeypatch, tmp_path):
    def given(*arguments):
        found = automatic.candidates(*arguments)
        return [found[0]._replace(method=failing("step-underflow", 0.5)), *found[1:]]
    whole = spatial.four_bar().simulate(1.0, output_step=0.01)
    monkeypatch.setattr(simulation, "candidates", given)
    sol = spatial.four_bar().simulate(1.0, output_step=0.01, out=tmp_path / "run.h5", estimate=True)
    assert sol.complete and sol.method.kind == "radau-iia-5" and len(sol.t) == 101 and np.allclose(np.diff(sol.t), 0.01)
    assert sol.why.startswith("taken at t = 0.") and "it broke" in sol.why
    for name in sol.channels:
        if "position" in name:
            np.testing.assert_allclose(sol[name], whole[name], atol=5e-5)
    kept = pl.load(tmp_path / "run.h5")
    assert kept.method.kind == "radau-iia-5" and np.array_equal(kept.rows, sol.rows) and sol.energy.drift < 1e-3
    assert sol.quality.steps > whole.quality.steps / 2 and sol.quality.estimate < 1e-4


@pytest.mark.parametrize("code", ["user-function", "chattering"])
def test_what_no_method_can_help_ends_the_run(monkeypatch, code):
    monkeypatch.setattr(simulation, "candidates",
                        lambda *a: [c._replace(method=failing(code, 0.5)) for c in automatic.candidates(*a)])
    with pytest.raises(SimulationError, match="it broke") as stopped:
        spatial.four_bar().simulate(1.0, output_step=0.01)
    assert stopped.value.code == code and 0.4 < stopped.value.solution.t[-1] < 0.6


def test_the_last_failure_is_told(monkeypatch):
    def given(*arguments):
        return [c._replace(method=failing("newton-failed", 0.3 * k)) for k, c in enumerate(automatic.candidates(*arguments), 1)]
    monkeypatch.setattr(simulation, "candidates", given)
    with pytest.raises(SimulationError, match="it broke") as stopped:
        spatial.four_bar().simulate(1.0, output_step=0.01, coordinates="absolute")
    assert stopped.value.solution.t[-1] > 0.8


def test_an_interrupted_run_goes_on_bit_for_bit(tmp_path):
    def stop(t, _):
        if t > 0.5:
            raise KeyboardInterrupt
    whole = bogie(1e4).simulate(1.0, accuracy=1e-7, output_step=0.001)
    with pytest.raises(KeyboardInterrupt):
        bogie(1e4).simulate(1.0, accuracy=1e-7, output_step=0.001, out=tmp_path / "run.h5", progress=stop)
    assert "stiff" in pl.load(tmp_path / "run.h5").why
    again = pl.load(tmp_path / "run.h5").resume(progress=False)
    assert np.array_equal(again.rows, whole.rows) and again.method.kind == "radau-iia-5"


def test_the_choice_is_told(tmp_path, capsys):
    out, model = tmp_path / "run.h5", str(find("pendulum.yaml", examples()))
    assert execute(["run", model, "-o", str(out), "--duration", "1", "--accuracy", "normal", "--no-progress"]) == 0
    assert "dop853" in (told := capsys.readouterr().out) and "nothing is stiff" in told
    assert "nothing is stiff" in pl.load(out).why
    assert execute(["run", model, "-o", str(out), "--duration", "0.1", "--integrator", "automatic", "--step", "1e-3"]) == 1
    assert "leave step out" in capsys.readouterr().err
    with pytest.raises(pl.ModelError, match="leave the formulation out"):
        spatial.four_bar().simulate(0.1, integrator="automatic", formulation=pl.Index1())


def test_a_vibration_that_is_followed_anyway_is_left_to_an_explicit_method(tmp_path):
    """A mass on a stiff spring without damping, 1 mm off its equilibrium, on an oblique line: x = u + (x0 - u) cos w t. The implicit
    method has to follow it as well; one that is damped dies away and is not followed."""
    def struck(damping: float) -> pl.Model:
        m = pl.Model("struck", gravity=(0, 0, -9.81))
        mass = m.add(pl.RigidBody.box("mass", (0.2, 0.1, 0.1), mass=1.0, position=(1, 2, 2)))
        m.add(pl.Prismatic("P", m.ground, mass, axis=(1, 2, 2), displacement=3.001))
        m.add(pl.AxialSpring("spring", "P", stiffness=1e8, displacement=3.0, damping=damping))
        return m
    sol = struck(0.0).simulate(0.5, output_step=0.005, out=tmp_path / "run.h5")
    w, u = 1e4, -9.81 * 2 / 3 / 1e8
    x = 3 + u + (1e-3 - u) * np.cos(w * sol.t)
    assert sol.method.kind == "dop853" and "as radau-iia-5 makes steps of" in sol.why
    assert len(sol.t) == 101 and np.array_equal(pl.load(tmp_path / "run.h5").rows, sol.rows)
    assert abs(sol["P.displacement"] - x).max() < 10 * 1e-5 * 1.0
    assert np.array_equal(struck(0.0).simulate(0.5, output_step=0.005).rows, sol.rows)
    damped = struck(1e3).simulate(0.5, output_step=0.005)
    assert damped.method.kind == "radau-iia-5" and damped.quality.steps < 1000


@pytest.mark.parametrize(("start", "u"), [(0.0, "1"), ("steady", "if(t < 0.1, 1, 0)")])
def test_what_becomes_stiff_is_left_to_an_implicit_method(start, u):
    """y' = (u - y) / tau within -1 and 1, tau = 0.1 ms: at the limit nothing is stiff, but it comes to u, here at 1 s, and stays there
    with a rate of 1 / tau: an explicit method would need 6000 steps more. A state counts as it is at the start: if it were 0, the
    second one would be at its limit."""
    m = pl.Model("follower", gravity=(0, 0, 0))
    m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.RateLimit("r", u, 1.0, 1e-4, start=start))
    sol = m.simulate(5.0, output_times=[0.5, 0.9, 5.0])
    assert sol.method.kind == "radau-iia-5" and sol.quality.steps + sol.quality.rejected < 300
    if start == 0.0:
        assert "as dop853 makes steps of" in sol.why and "has become stiff: the fastest rate is 1e+04 rad/s" in sol.why
        assert sol["r.output"] == pytest.approx([0, 0.5, 0.9, 1], abs=1e-5)
    else:
        assert "chosen as the model is stiff" in sol.why
        assert sol["r.output"] == pytest.approx([1, 0.6, 0.2, 0], abs=1e-5)


def test_bodies_without_mass_that_rub_are_left_to_an_explicit_method():
    """Radau's method, which is taken for the friction of rigid contacts, needs inertias: a box of 1 kg lands on its massless foot."""
    m = pl.Model("foot", gravity=(0, 0, -9.81))
    box = m.add(pl.RigidBody.box("box", size=(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 1.0)))
    m.add(pl.RigidBody.sphere("foot", 0.02, mass=0, position=(0, 0, 0.95)))
    m.add(pl.Prismatic("guide", m.ground, box, axis="z"))
    m.add(pl.Fixed("ankle", box, "foot", at=(0, 0, 0.95)))
    m.add(pl.Contact("floor", m.ground, "foot", law="rigid", friction=0.5))
    sol = m.simulate(0.6, accuracy=1e-8)
    hit = next(e for e in sol.events if e.what == "impact")
    assert sol.method.kind == "dop853" and hit.t == pytest.approx(np.sqrt(2 * 0.93 / 9.81), abs=1e-9)
    assert hit.impulse == pytest.approx(np.sqrt(2 * 0.93 * 9.81), rel=1e-8)
    assert sol["floor.normal_force"][-1] == pytest.approx(9.81, rel=1e-9)
    with pytest.raises(pl.ModelError, match="'foot' has none about one; give it a small one, or take the integrator dop853"):
        m.simulate(0.6, accuracy=1e-8, integrator=pl.RadauIIA5())
