"""Radau IIA and BDF: orders, accuracy, stiffness, singular positions, faults, continuation; BDF on index 3."""
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.kernels.state_row import parts
from pliant.methods.integrators.base import Plan
from pliant.start.assembly import start_row

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import bricard
import double_four_bar

END = {"four-bar": 1.0, "bricard": 1.5}  # s, of runs for orders
METHODS = [pl.RadauIIA5(), pl.BDF()]


def four_bar(stiffness=40.0, damping=1.5) -> pl.Model:
    """A spatial crank, coupler with two balls and rocker, with a spring and damper from the coupler to the ground; no axis is parallel
    to another one, and no equation follows from others."""
    m = pl.Model("spatial four-bar", gravity=(1.0, -2.0, -9.81))
    a, b, c, d = np.array([0, 0, 0.0]), np.array([0.1, 0.35, 0.2]), np.array([1.1, 0.5, 0.6]), np.array([1.2, -0.1, 0.1])
    crank = m.add(pl.RigidBody.rod("crank", start=a, end=b, mass=1.3, radius=0.08))
    coupler = m.add(pl.RigidBody.rod("coupler", start=b, end=c, mass=0.7, radius=0.1))
    rocker = m.add(pl.RigidBody.rod("rocker", start=d, end=c, mass=1.1, radius=0.09))
    m.add(pl.Revolute("A", m.ground.frame(a), crank["start"], axis=(0.9, -0.2, 0.3)))
    m.add(pl.Spherical("B", crank["end"], coupler["start"]))
    m.add(pl.Spherical("C", coupler["end"], rocker["end"]))
    m.add(pl.Revolute("D", m.ground.frame(d), rocker["start"], axis=(0.3, 0.8, -0.4)))
    m.add(pl.SpringDamper("spring", m.ground.frame((0.3, -0.4, 0.9)), coupler["end"], stiffness=stiffness,
                          damping=damping, length=0.5))
    return m


def state(sol: pl.Solution) -> tuple[np.ndarray, ...]:
    """Positions, velocities and multipliers of all rows."""
    s = sol.dynamics.system
    p = parts(sol.rows, s.q0.size, s.n)
    return p["q"], p["v"], p["lam"]


@cache
def reference(name: str, end: float, outputs: int) -> pl.Solution:
    model = {"four-bar": four_bar, "bricard": bricard.model}[name]()
    return model.simulate(end, accuracy=1e-12, integrator=pl.DOP853(), output_step=end / outputs, progress=False)


def errors(sol: pl.Solution, exact: pl.Solution) -> np.ndarray:
    return np.array([abs(a - b).max() / abs(b).max() for a, b in zip(state(sol), state(exact), strict=True)])


def fitted(name: str, method, steps: tuple[int, ...], form=None) -> np.ndarray:
    """Orders in positions, velocities and multipliers from runs with fixed steps."""
    model, found, end = {"four-bar": four_bar, "bricard": bricard.model}[name], [], END[name]
    for n in steps:
        sol = model().simulate(end, step=end / n, integrator=method, formulation=form, output_step=end / 2, progress=False)
        found.append(errors(sol, reference(name, end, 2)))
    return -np.polyfit(np.log(steps), np.log(found), 1)[0]


@pytest.mark.parametrize(("name", "steps"), [("four-bar", (64, 96, 128)), ("bricard", (24, 32, 48))])
def test_radau_is_of_order_5(name, steps):
    assert fitted(name, pl.RadauIIA5(), steps) == pytest.approx([5, 5, 5], abs=0.1)


@pytest.mark.parametrize(("name", "order", "steps"), [
    ("four-bar", 1, (6400, 12800)), ("four-bar", 2, (400, 800)), ("four-bar", 3, (1600, 3200)), ("four-bar", 4, (1200, 1800)),
    ("four-bar", 5, (960, 1280)), ("bricard", 1, (1600, 3200)), ("bricard", 2, (400, 800)), ("bricard", 3, (800, 1600)),
    ("bricard", 4, (160, 240)), ("bricard", 5, (160, 240))])
def test_bdf_has_the_order_it_declares(name, order, steps):
    method = pl.BDF(max_order=order)
    assert fitted(name, method, steps) == pytest.approx(list(method.orders(pl.StabilizedIndex2())), abs=0.1)


@pytest.mark.parametrize(("name", "order", "steps"), [("four-bar", 1, (6400, 12800)), ("four-bar", 2, (400, 800)),
                                                      ("four-bar", 3, (1600, 3200)), ("four-bar", 5, (640, 960)),
                                                      ("bricard", 2, (400, 800)), ("bricard", 3, (800, 1600)), ("bricard", 5, (160, 240))])
def test_bdf_has_the_same_order_on_index_3(name, order, steps):
    """In positions, velocities and multipliers; Bricard's equations are redundant. On index 3 rounding grows with 1/h^2: of the four-bar at
    order 5 it moves positions by 1e-11 with 640 steps, next to an error of 1e-7, and by 2e-10 with 1280, next to 4e-9, where orders from
    4.8 to 5.04 are seen."""
    method = pl.BDF(max_order=order)
    assert fitted(name, method, steps, pl.Index3()) == pytest.approx(list(method.orders(pl.Index3())), abs=0.1)


def test_index_3_holds_positions_and_shows_what_velocities_lack():
    """At steps as the method has them constraints of positions hold to the tolerance of Newton's method, those of velocities to the error
    of the formula; on the stabilised form both hold."""
    d, gaps = four_bar().compile(), {}
    for form in (pl.Index3(), pl.StabilizedIndex2()):
        run = pl.BDF(max_order=2).run(Plan.fixed(d, form, start_row(d), 1e-3, 1000, 10))
        rows = np.vstack([new.copy() for new in run if len(new)])
        report = d.refine(rows, False)[1]
        gaps[form.kind] = report[:, :2].max(0)
    assert gaps["index-3"][0] < 1e-10 and gaps["stabilized-index-2"].max() < 1e-10 and 1e-7 < gaps["index-3"][1] < 1e-2


@pytest.mark.parametrize(("method", "form"), [(pl.RadauIIA5(), None), (pl.BDF(), None), (pl.BDF(), pl.Index3())])
def test_errors_follow_the_accuracy(method, form):
    """Rows lie between the steps, so this is also about dense output."""
    asked, found = 10.0 ** -np.arange(4, 9.5), []
    for accuracy in asked:
        sol = four_bar().simulate(2.0, accuracy=accuracy, integrator=method, formulation=form, output_step=0.02, progress=False)
        found.append(errors(sol, reference("four-bar", 2.0, 100))[:2].max())
    assert (np.diff(found) < 0).all()
    assert np.polyfit(np.log(asked), np.log(found), 1)[0] == pytest.approx(1, abs=0.2)
    assert (np.array(found) < 10 * asked).all()


def test_dense_output_of_radau_is_of_order_5():
    """Some rows in each step, all steps of the largest length that is allowed, with next to no other error."""
    exact, lengths, found = reference("four-bar", 0.4, 960), [], []
    for coarser in (0.5, 0.3):
        d = four_bar().compile()
        plan = Plan(d, pl.StabilizedIndex2(), start_row(d), 0.4, accuracy=3e-9, outputs=960, coarser=coarser)
        run = pl.RadauIIA5().run(plan)
        rows = np.vstack([plan.row[None, :], *run])
        d.refine(rows)
        lengths.append(0.4 / run.c.steps)
        found.append([abs(parts(rows, d.system.q0.size, d.system.n)[k] - state(exact)[i]).max() for i, k in enumerate("qv")])
    assert (np.log(np.divide(*found)) / np.log(lengths[0] / lengths[1]) > 4.7).all()


@pytest.mark.parametrize("method", METHODS)
def test_energy_balance_holds_in_between(method):
    sol = four_bar().simulate(2.0, accuracy=1e-8, integrator=method, output_step=0.02, progress=False)
    assert sol.energy.drift < 1e-6


def test_stiff_springs_do_not_cost_steps():
    """Springs and dampers 1e4 times stiffer: the slow motion takes no more than three times the steps at the same accuracy."""
    def bogie(factor, accuracy=1e-5):
        m = pl.Model("bogie", gravity=(0, 0, -9.81))
        arm = m.add(pl.RigidBody.rod("arm", start=(0, 0, 0), end=(1, 0.2, 0), mass=1.0, radius=0.05))
        m.add(pl.Revolute("hinge", m.ground, arm["start"], axis=(0.1, 1, 0.2)))
        box = m.add(pl.RigidBody.box("box", size=(0.2, 0.3, 0.2), mass=0.5, position=(1, 0.2, 0)))
        m.add(pl.Bushing("mount", arm["end"], box, stiffness=factor * np.array([1e3] * 3 + [20] * 3),
                         damping=factor * np.array([10.0] * 3 + [0.2] * 3)))
        return m.simulate(2.0, accuracy=accuracy, integrator=pl.RadauIIA5(), output_step=0.02, progress=False)
    soft, stiff, exact = bogie(1.0), bogie(1e4), bogie(1e4, 1e-8)
    assert stiff.quality.steps <= 1.5 * soft.quality.steps
    assert abs(stiff["box.position"] - exact["box.position"]).max() < 2e-5


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [{"accuracy": 1e-6}, {"step": 0.01}])
def test_singular_positions_are_passed_on_the_physical_branch(method, size):
    sol = double_four_bar.model().simulate(10.0, integrator=method, output_step=0.1, progress=False, **size)
    posts = [sol[f"post{i}.end.position"] - sol[f"post{i}.start.position"] for i in range(3)]
    assert max(abs(posts[0] - post).max() for post in posts[1:]) < 1e-9
    assert double_four_bar.errors(sol)["tip at 10 s [m]"] < (0.05 if method.kind == "bdf" and "step" in size else 1e-4)
    assert sol.quality.position_violation <= 1e-9


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [{"accuracy": 1e-6}, {"step": 2e-3}])
def test_a_continuation_is_the_same_run(method, size, monkeypatch):
    """Interrupted, and gone on with from a checkpoint in the middle: the same numbers to the last bit."""
    monkeypatch.setattr("pliant.methods.integrators.time_loop.run.LEAST", 7)
    monkeypatch.setattr("pliant.methods.integrators.time_loop.run.MOST", 7)

    def interrupt(t, end):
        if t > 1.0:
            raise KeyboardInterrupt
    whole = four_bar().simulate(2.0, integrator=method, output_step=0.1, progress=False, **size)
    with pytest.raises(KeyboardInterrupt) as caught:
        four_bar().simulate(2.0, integrator=method, output_step=0.1, progress=interrupt, **size)
    assert caught.value.solution.t[-1] < 1.9
    assert (caught.value.solution.resume(progress=False).rows == whole.rows).all()


@pytest.mark.parametrize("method", METHODS)
def test_jumps_of_functions_end_steps(method):
    """A force that is switched on and off, against the closed form of a free body."""
    m = pl.Model("switched")
    body = m.add(pl.RigidBody.box("body", size=(0.2, 0.3, 0.4), mass=2.0))
    m.add(pl.Force("push", body, ("if(t > 0.3, 4, 0)", 0, "if(t > 0.7, -6, 0)")))
    sol = m.simulate(1.0, accuracy=1e-8, integrator=method, output_step=0.1, progress=False)
    x, z = 4 / 2 / 2 * np.maximum(0, sol.t - 0.3) ** 2, -6 / 2 / 2 * np.maximum(0, sol.t - 0.7) ** 2
    assert abs(sol["body.position"] - np.column_stack([x, 0 * x, z])).max() < 1e-8


def test_massless_bodies_and_other_formulations_are_refused():
    m = four_bar()
    with pytest.raises(pl.ModelError, match=r"formulation index-3 makes no sense with integrator radau-iia-5: .* take StabilizedIndex2"):
        m.simulate(1.0, integrator=pl.RadauIIA5(), formulation=pl.Index3(), progress=False)
    with pytest.raises(pl.ModelError, match=r"formulation index-1 makes no sense with integrator bdf: .* or Index3"):
        m.simulate(1.0, integrator=pl.BDF(), formulation=pl.Index1(), progress=False)
    m.add(pl.RigidBody("point", mass=1.0, inertia=(0, 0, 0), position=(0, 0, 5)))
    with pytest.raises(pl.ModelError, match="needs bodies with inertia about all axes, 'point' has none"):
        m.simulate(1.0, integrator=pl.RadauIIA5(), progress=False)


@pytest.mark.parametrize(("make", "told"), [(lambda: pl.BDF(max_order=6), "max_order = 6, must be from 1 to 5"),
                                            (lambda: pl.RadauIIA5(tolerance=1.0), "tolerance = 1, must be from 1e-15 to 0.01")])
def test_parameters_are_checked(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_a_force_without_bound_ends_in_a_sentence():
    m = pl.Model("runaway")
    body = m.add(pl.RigidBody.box("body", size=(0.2, 0.3, 0.4), mass=2.0, position=(1, 0, 0)))
    m.add(pl.Force("pull", body, ("1 / (0.5 - t)^2", 0, 0)))
    with pytest.raises(pl.SimulationError, match=r"stopped at t = 0\.\d+ s: ") as caught:
        m.simulate(1.0, accuracy=1e-6, integrator=pl.RadauIIA5(), progress=False)
    assert len(caught.value.solution.t) > 100
