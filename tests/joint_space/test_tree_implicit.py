"""Implicit methods in joint coordinates: Jacobians, orders, accuracy, stiff models, loops, continuation."""
import numpy as np
import pytest
import spatial_loop
from flexible_models import rod
from flexible_trees import flexible_loop, flexible_tree
from joint_models import CARRIERS, tree
from mechanisms import slider_crank
from recursive import complex_slopes
from sliding_models import crane, floating, geared

import pliant as pl
from pliant.joint_space.tree_derivatives import slopes_at
from pliant.kernels.by_reference import reference
from pliant.kernels.jit import entry
from pliant.methods.integrators.base import Plan
from pliant.methods.integrators.implicit.joint import slopes
from pliant.methods.integrators.time_loop.step_run import StepRun
from pliant.start.assembly import start_row

METHODS = [(pl.RadauIIA5(), {"accuracy": 1e-8}, 1e-8), (pl.BDF(), {"accuracy": 1e-8}, 1e-7), (pl.RadauIIA5(), {"step": 2e-3}, 1e-9),
           (pl.BDF(3), {"step": 1e-3}, 1e-6), (pl.GeneralizedAlpha(0.9), {"step": 5e-4}, 2e-5),
           (pl.GeneralizedAlpha(0.8), {"accuracy": 1e-5}, 2e-5), (pl.HHT(), {"step": 5e-4}, 2e-5), (pl.Newmark(), {"step": 5e-4}, 1e-4)]
MODELS = {"tree": lambda: tree(CARRIERS, seed=7), "floating": lambda: tree(CARRIERS, seed=8, floating=True), "loop": spatial_loop.four_bar,
          "driven loop": lambda: slider_crank("10 * t + 0.3 * sin(5 * t)"),
          "flexible": lambda: flexible_tree(["revolute", "spherical"], 9, every=1),
          "flexible loop": lambda: flexible_loop(4, 2, "spherical")}
EXACT: dict[str, pl.Solution] = {}


def exact(name: str) -> pl.Solution:
    if name not in EXACT:
        EXACT[name] = MODELS[name]().simulate(0.2, coordinates="absolute", integrator=pl.DOP853(), accuracy=1e-11, output_step=0.02,
                                              progress=False)
    return EXACT[name]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("method, setting, tolerance", METHODS, ids=lambda x: getattr(x, "kind", None))
def test_methods_agree_with_an_explicit_one_in_absolute_coordinates(method, setting, tolerance, name):
    sol = MODELS[name]().simulate(0.2, coordinates="joint", integrator=method, output_step=0.02, progress=False, **setting)
    other = exact(name)
    assert sol.formulation.kind == "recursion"
    for body in sol.model.section("bodies"):
        assert abs(sol[f"{body.name}.position"] - other[f"{body.name}.position"]).max() < tolerance
    assert abs(sol.rows[:, 1:3] - other.rows[:, 1:3]).max() < 100 * tolerance * max(1.0, abs(other.rows[:, 1:3]).max())


def linked(m: pl.Model) -> pl.Model:
    """With forces between branches that depend on positions and velocities."""
    bodies = [b.name for b in m.section("bodies")]
    frames = [f"{b}.n1" if "n1" in m[b].frames else b for b in bodies]
    m.add(pl.SpringDamper("across", frames[1], frames[-1], 30.0, 2.0))
    m.add(pl.Bushing("soft", frames[0], frames[-2], stiffness=(40.0, 50.0, 60.0, 3.0, 4.0, 5.0), damping=(1.0, 2.0, 3.0, 0.1, 0.2, 0.3)))
    return m


SLOPES = {**MODELS, "branches": lambda: linked(tree(CARRIERS, seed=11, floating=True)),
          "flexible branches": lambda: linked(flexible_tree(CARRIERS, 12, floating=True, modes=(4, 0, 8))),
          "flexible chain": lambda: linked(flexible_tree(["spherical", "planar", "universal", "revolute"], 13, every=1)),
          "flexible ring": lambda: flexible_loop(5, 4, "universal", every=1, modes=(4, 7)), "sliding": lambda: crane("axis"),
          "sliding, floating": lambda: floating("none"), "sliding, geared": geared}


@entry
def slopes_of(p, needed, code, t, y, K, D):
    """The kernel of K and D, from Python."""
    return slopes_at(reference(p), reference(needed), code, t, y, K, D)


LOOPED = "loop", "driven loop", "flexible loop", "flexible ring", "sliding", "sliding, floating", "sliding, geared"


@pytest.mark.parametrize("name, stabilization", [*((name, None) for name in SLOPES), *((name, pl.Baumgarte(3.0, 5.0)) for name in LOOPED)],
                         ids=lambda x: getattr(x, "kind", x))
def test_derivatives_of_accelerations(name, stabilization):
    """By recursive passes against complex steps of the whole recursion, off the loops as well."""
    d = SLOPES[name]().compile()
    run = StepRun(pl.RadauIIA5(), Plan(d, pl.Recursion(stabilization), start_row(d), 1.0, accuracy=1e-6, outputs=1))
    assert (run.space.loops.tile.size > 0) == (name in LOOPED)
    n_q, n, o, rng = run.n_q, run.n_v, run.scheme.own.matrices, np.random.default_rng(0)
    y = run.steps.y0.copy()
    y[n_q:n_q + n] += 0.5 * rng.normal(size=n)
    y[run.space.tree.linear[:, 1]] += 0.01 * rng.normal(size=len(run.space.tree.linear))
    assert slopes_of(run.p, slopes(run.space), o.accelerations, 0.1, y, o.K, o.D) == 0
    K, D = complex_slopes(run.p, run.space, 0.1, y)
    assert abs(K).max() > 0 and abs(o.K - K).max() < 1e-11 * abs(K).max() and abs(o.D - D).max() < 1e-11 * abs(D).max()


@pytest.mark.parametrize("method, order, steps", [(pl.RadauIIA5(), 5, (0.04, 0.02)), (pl.BDF(2), 2, (0.01, 0.005)),
                                                  (pl.GeneralizedAlpha(0.8), 2, (0.01, 0.005))], ids=lambda x: getattr(x, "kind", None))
def test_orders(method, order, steps):
    reference = exact("tree")["b7.position"][-1]
    first, second = (abs(MODELS["tree"]().simulate(0.2, coordinates="joint", integrator=method, step=h, output_step=0.2, progress=False)
                         ["b7.position"][-1] - reference).max() for h in steps)
    assert np.log2(first / second) == pytest.approx(order, abs=0.7)


def test_stiff_modes_do_not_limit_the_step():
    """Two steel rods: the fastest mode has about 1e5 rad/s; steps are those of the swing."""
    m = pl.Model("rods", gravity=(0, 0, -9.81))
    m.add(pl.ModalBody("upper", rod(), damping=0.05))
    m.add(pl.ModalBody("lower", rod(), position=(1, 0, 0), damping=0.05))
    m.add(pl.Revolute("A", m.ground, "upper.start", axis="y"))
    m.add(pl.Revolute("B", "upper.end", "lower.start", axis=(0.2, 1, 0)))
    options = {"integrator": pl.RadauIIA5(), "accuracy": 1e-6, "output_step": 0.05, "progress": False}
    a, b = (m.simulate(0.5, coordinates=c, **options) for c in ("joint", "absolute"))
    assert a.quality.steps < 3000 and abs(a["lower.end.position"] - b["lower.end.position"]).max() < 1e-5


def test_momentum_of_a_floating_tree():
    from test_flexible_recursion import momentum
    m = tree(["revolute", "universal", "spherical"], seed=9, floating=True, springs=False)
    m.gravity = (0.0, 0.0, 0.0)
    sol = m.simulate(1.0, coordinates="joint", accuracy=1e-9, integrator=pl.RadauIIA5(), progress=False, output_step=0.1)
    linear, angular = momentum(sol)
    assert abs(linear - linear[0]).max() < 1e-8 and abs(angular - angular[0]).max() < 1e-8 and sol.energy.drift < 1e-7


@pytest.mark.parametrize("integrator", [pl.RadauIIA5(), pl.BDF(), pl.GeneralizedAlpha(0.9)], ids=lambda x: x.kind)
def test_a_run_goes_on_from_its_file(integrator, tmp_path):
    options = {"coordinates": "joint", "integrator": integrator, "progress": False, "output_step": 0.05}
    options |= {"step": 1e-3} if integrator.kind == "generalized-alpha" else {"accuracy": 1e-7}
    MODELS["loop"]().simulate(0.2, out=tmp_path / "half.h5", **options)
    resumed, whole = pl.load(tmp_path / "half.h5").resume(0.2, progress=False), MODELS["loop"]().simulate(0.4, **options)
    assert abs(resumed["coupler.position"] - whole["coupler.position"]).max() < 1e-6


def test_jumps_are_passed():
    m = tree(["revolute", "spherical"], seed=1, springs=False)
    m.add(pl.SpringDamper("stop", m.ground.frame((0.5, 0.2, 1.0)), m["b1"].frame((0.1, 0, 0)), "if(x > 0.1, 40 * (x - 0.1), 0)", 0.0, 1.0))
    a = m.simulate(0.6, coordinates="joint", integrator=pl.RadauIIA5(), accuracy=1e-8, output_step=0.1, progress=False)
    b = m.simulate(0.6, coordinates="absolute", integrator=pl.DOP853(), accuracy=1e-10, output_step=0.1, progress=False)
    assert abs(a["b1.position"] - b["b1.position"]).max() < 1e-6
