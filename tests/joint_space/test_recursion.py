"""Joint coordinates: every joint, trees and loops, against absolute coordinates, closed forms and complex steps."""
import time

import numpy as np
import pytest
import spatial_loop
from examples_of import example
from joint_models import CARRIERS, closed_chain, tree
from mechanisms import box_on_springs, four_bar, slider_crank
from recursive import STEP, State, complex_jacobian

import pliant as pl
from pliant.joint_space import services as rs
from pliant.kernels import link_tables as rc
from pliant.kernels.state_row import parts

TIGHT = pl.Index1(pl.DirectCorrection(1e-12))


def close(a, b, tolerance: float = 1e-11) -> bool:
    return bool(abs(a - b).max(initial=0.0) <= tolerance * max(1.0, abs(b).max(initial=0.0)))


def moved(make, t: float, **options) -> np.ndarray:
    """A consistent row of a model that moves."""
    return make().simulate(t, accuracy=1e-8, output_step=t, progress=False, integrator=pl.DOP853(), **options).rows[-1]


# -- one state
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("kind", CARRIERS)
def test_accelerations_of_every_joint(kind, floating):
    state = State(tree([kind] * 3, seed=1, floating=floating), seed=2)
    state.rates()
    found = state.absolute()
    assert close(state.x.a, found["a"])


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_of_mixed_trees(seed):
    kinds = list(np.random.default_rng(seed).permutation(CARRIERS * 2))
    state = State(tree(kinds, seed=seed, floating=seed % 2 == 1), seed=seed)
    state.rates()
    assert close(state.x.a, state.absolute()["a"], 1e-10)


@pytest.mark.parametrize("kind", [*CARRIERS, "floating"])
def test_velocities_and_accelerations_are_derivatives_of_positions(kind):
    """By complex steps: x' = v along the rates, v' = a along rates and accelerations."""
    state = State(tree(["revolute", kind, kind] if kind in CARRIERS else ["revolute"], seed=4, floating=kind == "floating"), seed=5)
    accelerations = state.rates().copy()
    x, real = state.along(state.u, accelerations), state.x
    v, a = x.q.imag / STEP, x.v.imag / STEP
    linear, rotations = state.system.data.linear, state.system.data.rotations
    assert close(v[linear[:, 1]], real.v[linear[:, 0]], 1e-13)
    for k, i in rotations:
        q, w = real.q[i:i + 4], real.v[k:k + 3] / 2
        expected = np.concatenate([[-q[1:] @ w], np.cross(q[1:], w) + q[0] * w])
        assert close(v[i:i + 4], expected, 1e-13)
    assert close(a, real.a, 1e-12)


def test_the_mass_matrix_is_that_of_the_bodies():
    """M_p = sum J^T M J, and M_p u' = f_p gives the accelerations of the recursion."""
    kinds = ["revolute", "spherical", "universal", "planar", "screw", "cylindrical", "fixed", "prismatic"]
    arm = tree(kinds, seed=3, floating=True).joint_space()
    rng = np.random.default_rng(1)
    u = rng.normal(size=arm.u.size)
    M = arm.mass_matrix()
    p, t, expected = arm.p, arm.space.tree, np.zeros_like(M)
    columns = []
    for k in range(u.size):
        rs.place_at(p, 0.0, arm._state(None, np.eye(u.size)[k]))
        columns.append(p.x.v.copy())
    H = np.array(columns).T
    for i in range(len(t.ip)):
        iv = t.ip[i, rc.IV]
        block = np.zeros((6, 6))
        block[:3, :3], block[3:, 3:] = t.rp[i, rc.MASS] * np.eye(3), t.rp[i, rc.INERTIA:].reshape(3, 3)
        expected += H[iv:iv + 6].T @ block @ H[iv:iv + 6]
    assert close(M, expected, 1e-13)
    assert close(np.linalg.solve(M, arm.force(u=u)), arm.accelerations(u=u), 1e-11)
    assert close(arm.inverse_dynamics(u=u, accelerations=arm.accelerations(u=u)), 0 * u, 1e-11)


# -- loops
LOOPS = {"spatial four-bar": spatial_loop.four_bar, "closed by a sphere": closed_chain,
         "closed by a hinge": lambda: closed_chain(7, 4, "revolute"),
         "closed by a universal joint": lambda: closed_chain(5, 5, "universal"), "andrews": example("andrews"),
         "bricard": example("bricard"), "four-bar": four_bar, "driven": slider_crank, "gears": example("gear_pair")}


@pytest.mark.parametrize("name", LOOPS)
def test_the_jacobian_of_loops(name):
    """By sweeps along the paths, by direct differentiation, and by complex steps."""
    state = State(LOOPS[name](), drives=False)
    n = 6 * state.space.loops.tile.size
    swept, direct = np.zeros((n, state.u.size)), np.zeros((n, state.u.size))
    rs.loop_jacobian_at(state.p, 0.0, state.y, True, 1, swept)
    rs.loop_jacobian_at(state.p, 0.0, state.y, False, 1, direct)
    assert abs(direct).max() > 1e-3
    assert close(swept, direct, 1e-13)
    assert close(swept, complex_jacobian(state), 1e-13)


@pytest.mark.parametrize("name", LOOPS)
def test_accelerations_and_reactions_of_loops(name):
    make = LOOPS[name]
    state = State(make(), row=moved(make, 0.01 if name == "andrews" else 0.2))
    t = float(state.row[0])
    state.rates(t)
    found = state.absolute(t)
    assert close(state.x.a, found["a"], 1e-8)
    if state.dynamics.redundant() == 0:
        rows = state.space.cut_rows
        assert close(state.x.lam[rows], found["lam"][rows], 1e-8)


def test_any_joint_can_be_cut():
    reference = State(spatial_loop.four_bar())
    reference.rates()
    for name in ("A", "B", "C", "D"):
        state = State(spatial_loop.four_bar(), cut=[name])
        state.rates()
        assert set(state.space.topology.cut) == {name} and close(state.x.a, reference.x.a, 1e-10)


def test_loops_on_separate_trees_are_solved_apart():
    """Tiles of multipliers are coupled only where their paths have rates in common."""
    from pliant.proofs.benchmark_models import fourbars
    space = State(fourbars(20)).space
    assert len(space.loops.tile) == 20 and len(space.loops.pair_tiles) <= 3 * 20


# -- motion
def agree(m: pl.Model, duration: float, tolerance: float = 1e-9, **options) -> pl.Solution:
    m.settings = {}
    options = {"accuracy": 1e-10, "integrator": pl.DOP853(), "progress": False, "output_step": duration / 5, "formulation": TIGHT} | options
    a, b = (m.simulate(duration, coordinates=c, **options) for c in ("joint", "absolute"))
    s = a.dynamics.system
    p, r = parts(a.rows, s.q0.size, s.n), parts(b.rows, s.q0.size, s.n)
    for name in ("q", "v", "a", "lam", "work", "dissipated"):
        assert close(p[name], r[name], tolerance), name
    return a


@pytest.mark.parametrize("name", ["andrews", "bricard", "cardan_shaft", "double_four_bar", "gear_pair", "heavy_top", "pendulum", "rotor",
                                  "slider_crank", "suspended_platform"])
def test_examples_move_alike(name):
    """Positions, velocities, accelerations, all reactions, work."""
    agree(example(name)(), 0.01 if name == "andrews" else 0.2, accuracy=1e-12 if name == "rotor" else 1e-10)


@pytest.mark.parametrize("make", [lambda: tree(CARRIERS, seed=7), lambda: tree(CARRIERS, seed=8, floating=True), spatial_loop.four_bar,
                                  lambda: closed_chain(6, 4, "revolute"), lambda: slider_crank("10 * t + 0.3 * sin(5 * t)"),
                                  box_on_springs])
def test_models_move_alike(make):
    agree(make(), 0.4)


def test_planar_models_move_alike():
    m = four_bar()
    m.planar = "z"
    m.add(pl.RigidBody("weight", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.5, 0)))
    m.add(pl.Distance("rope", "top.center", "weight"))
    agree(m, 0.3)


@pytest.mark.parametrize("coordinate, joint", [("angle", pl.Cylindrical), ("displacement", pl.Cylindrical), ("angle", pl.Planar),
                                               ("angle", pl.Screw), ("displacement", pl.Screw), ("displacement", pl.Prismatic)])
@pytest.mark.parametrize("turned", [False, True])
def test_driven_coordinates(coordinate, joint, turned):
    """Known accelerations in the recursion; the effort is the multiplier that absolute coordinates have."""
    m = pl.Model("driven", gravity=(1, -2, -9))
    m.add(pl.RigidBody("arm", mass=2, inertia=(0.2, 0.3, 0.4), com=(0.3, 0.1, 0), rotation=pl.rotation((1, 2, 3), 0.5)))
    m.add(pl.RigidBody("hand", mass=1, inertia=(0.1, 0.1, 0.05)))
    sides = [m.ground, "arm"]
    more = {"lead": 0.2} if joint is pl.Screw else {}
    m.add(joint("J", *(sides[::-1] if turned else sides), axis=(0.2, 0.5, 1), **more))
    m.add(pl.Revolute("wrist", m["arm"].frame((0.4, 0, 0)), "hand", axis=(1, 0, 0.3)))
    m.add(pl.Drive("J", coordinate, "0.5 * sin(3 * t)", name="motor"))
    sol = agree(m, 0.5)
    assert abs(sol["motor.effort"]).max() > 0.1


def test_a_drive_of_a_cut_joint():
    m = spatial_loop.four_bar()
    m.add(pl.Drive("D", "angle", "0.05 * sin(4 * t)", name="motor"))
    a = m.simulate(0.3, formulation=pl.Recursion(pl.DirectCorrection(1e-12), cut="D"), integrator=pl.DOP853(), accuracy=1e-10,
                   output_step=0.1, progress=False)
    b = m.simulate(0.3, formulation=TIGHT, integrator=pl.DOP853(), accuracy=1e-10, output_step=0.1, progress=False)
    assert close(a["motor.effort"], b["motor.effort"], 1e-8) and close(a["coupler.position"], b["coupler.position"], 1e-10)


def test_kinks_of_drives_are_passed():
    m = slider_crank("10 * t + 0.2 * abs(t - 0.1)")
    agree(m, 0.2, accuracy=1e-8, tolerance=1e-7)


def test_events_of_the_motion_are_passed():
    """A spring that pushes on one side only."""
    m = tree(["revolute", "spherical"], seed=1, springs=False)
    m.add(pl.SpringDamper("stop", m.ground.frame((0.5, 0.2, 1.0)), m["b1"].frame((0.1, 0, 0)), "if(x > 0.1, 40 * (x - 0.1), 0)", 0.0, 1.0))
    agree(m, 0.6, accuracy=1e-9, tolerance=1e-6)


@pytest.mark.parametrize("integrator, step", [(pl.RungeKutta4(), 1e-3), (pl.DormandPrince54(), None), (pl.AdamsBashforthMoulton(), None),
                                              (pl.AdamsBashforthMoulton(6), 1e-3), (pl.CentralDifferences(), 2e-5)])
def test_explicit_integrators(integrator, step):
    """Dense output at times between steps."""
    sizes = {"step": step} if step else {"accuracy": 1e-9}
    m, usual = spatial_loop.four_bar(), {"output_step": 0.02, "progress": False}
    exact = m.simulate(0.1, accuracy=1e-11, integrator=pl.DOP853(), formulation=TIGHT, **usual)
    sol = m.simulate(0.1, coordinates="joint", integrator=integrator, **usual, **sizes)
    assert close(sol["coupler.position"], exact["coupler.position"], 1e-8)


def test_order_of_runge_kutta():
    def error(h: float) -> float:
        s = tree(CARRIERS, seed=7).simulate(0.4, coordinates="joint", integrator=pl.RungeKutta4(), step=h, output_step=0.4, progress=False)
        return float(abs(s["b7.position"][-1] - exact).max())
    exact = tree(CARRIERS, seed=7).simulate(0.4, accuracy=1e-12, integrator=pl.DOP853(), output_step=0.4, progress=False)["b7.position"][-1]
    assert np.log2(error(0.02) / error(0.01)) == pytest.approx(4, abs=0.4)


# -- invariants
def test_momentum_and_energy_of_a_floating_tree():
    m = tree(["revolute", "universal", "spherical", "planar", "screw", "cylindrical"], seed=9, floating=True, springs=False)
    m.gravity = (0.0, 0.0, 0.0)
    sol = m.simulate(2.0, coordinates="joint", accuracy=1e-11, integrator=pl.DOP853(), progress=False, output_step=0.1)
    s = sol.dynamics.system
    p = parts(sol.rows, s.q0.size, s.n)
    first, last = next(v for f, v in s.families.items() if f.name == "rigid body")
    from pliant.items.base import matrix_of
    linear, angular = np.zeros((len(sol.t), 3)), np.zeros((len(sol.t), 3))
    for e in range(first, last):
        iq, iv, mass, I = s.data.ip[e, 1], s.data.ip[e, 2], s.data.rp[e, 0], s.data.rp[e, 1:10].reshape(3, 3)
        for k in range(len(sol.t)):
            v, w, R = p["v"][k, iv:iv + 3], p["v"][k, iv + 3:iv + 6], matrix_of(p["q"][k, iq + 3:iq + 7].tolist())
            linear[k] += mass * v
            angular[k] += mass * np.cross(p["q"][k, iq:iq + 3], v) + R @ I @ w
    assert abs(angular[0]).max() > 0.1
    assert abs(linear - linear[0]).max() < 1e-9 and abs(angular - angular[0]).max() < 1e-9 and sol.energy.drift < 1e-9


def test_violation_of_loops():
    """Corrected to 1e-10 on both levels; kept small by Baumgarte's terms; it grows without."""
    found = {}
    for kept in (pl.DirectCorrection(), None, pl.Baumgarte(20, 20)):
        sol = closed_chain(6, 4, "revolute").simulate(10.0, coordinates="joint", formulation=pl.Index1(kept), step=5e-3,
                                                      integrator=pl.RungeKutta4(), progress=False)
        found[type(kept)] = sol.quality.position_violation, sol.quality.velocity_violation
    corrected, drifting, damped = found.values()
    assert max(corrected) <= 1e-10
    assert drifting[0] > 1e-3 and drifting[0] > 100 * damped[0] > 1e6 * corrected[0]


def test_both_jacobians_give_the_same_motion():
    """With a step that leaves violations to correct, and not the same bits."""
    runs = [closed_chain(6, 4, "revolute").simulate(1.0, formulation=pl.Recursion(jacobian=j), step=1e-2, integrator=pl.RungeKutta4(),
                                                    progress=False) for j in ("sweep", "differentiation")]
    assert close(*(r["rod3.position"] for r in runs), 1e-12) and not np.array_equal(runs[0].rows, runs[1].rows)


@pytest.mark.parametrize("kept", [None, pl.Baumgarte(20, 20)])
def test_direct_differentiation_is_for_the_correction_only(kept):
    """Without one the same bits come out."""
    runs = [closed_chain(6, 4, "revolute").simulate(0.5, formulation=pl.Recursion(kept, jacobian=j), step=1e-3, integrator=pl.RungeKutta4(),
                                                    progress=False) for j in ("sweep", "differentiation")]
    assert np.array_equal(runs[0].rows, runs[1].rows)


# -- speed
def _seconds(work, repeats: int = 10) -> float:
    """The best process time of some repeats."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def test_the_work_is_proportional_to_the_number_of_bodies():
    from pliant.proofs.benchmark_models import chain
    per_link = []
    for n in (50, 400):
        state = State(chain(n))
        state.rates()
        per_link.append(_seconds(lambda s=state, n=n: [s.rates() for _ in range(4000 // n)]) / 4000)
    assert per_link[1] < 1.6 * per_link[0]


def test_sweeps_are_faster_than_differentiation_and_linear_in_the_path():
    took = {}
    for n in (100, 500):
        space = closed_chain(n, 4, "revolute").joint_space(cut="end")
        J = np.zeros((6, space.u.size))
        y = space._state(None, None)
        for swept in (True, False):
            rs.loop_jacobian_at(space.p, 0.0, y, swept, 1, J)
            times, repeats = (50, 10) if swept else (1, 3)
            took[n, swept] = _seconds(lambda s=swept, p=space.p, y=y, J=J, k=times:
                                      [rs.loop_jacobian_at(p, 0.0, y, s, 1, J) for _ in range(k)], repeats) / times
    assert took[100, True] < took[100, False] and took[500, True] < 0.4 * took[500, False]
    assert took[500, True] < 5 * 1.6 * took[100, True]
