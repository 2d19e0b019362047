"""Flexible bodies in joint coordinates, against absolute coordinates, complex steps and invariants."""
import numpy as np
import pytest
from examples_of import example
from flexible_models import rod, slider_crank
from flexible_trees import flexible_loop, flexible_tree, part
from joint_models import CARRIERS
from recursive import STEP, State, complex_jacobian, unassembled
from test_recursion import agree, close, moved

import pliant as pl
from pliant.joint_space import services as rs
from pliant.kernels import evaluation
from pliant.kernels.state_row import parts


# -- one state
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("kind", CARRIERS)
def test_accelerations_of_every_joint(kind, floating):
    state = State(flexible_tree([kind] * 3, seed=1, floating=floating), seed=2)
    state.rates()
    assert close(state.x.a, state.absolute()["a"], 1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_of_mixed_trees(seed):
    """Bodies with no modes, few, and more than a tile of them."""
    kinds = list(np.random.default_rng(seed).permutation(CARRIERS * 2))
    state = State(flexible_tree(kinds, seed=seed, floating=seed % 2 == 1, modes=(3, 0, 8)), seed=seed)
    assert sorted({n for _, n in state.modes()}) == [0, 3, 8]
    state.rates()
    assert close(state.x.a, state.absolute()["a"], 1e-10)


@pytest.mark.parametrize("kind", CARRIERS)
def test_velocities_and_accelerations_are_derivatives_of_positions(kind):
    """By complex steps: x' = v along the rates, v' = a along rates and accelerations; both sides of a joint are flexible."""
    state = State(flexible_tree(["spherical", kind, kind], seed=4, every=1), seed=5)
    accelerations = state.rates().copy()
    x, real = state.along(state.u, accelerations), state.x
    v, a = x.q.imag / STEP, x.v.imag / STEP
    linear, rotations = state.system.data.linear, state.system.data.rotations
    assert close(v[linear[:, 1]], real.v[linear[:, 0]], 1e-13)
    for k, i in rotations:
        q, w = real.q[i:i + 4], real.v[k:k + 3] / 2
        assert close(v[i:i + 4], np.concatenate([[-q[1:] @ w], np.cross(q[1:], w) + q[0] * w]), 1e-13)
    assert close(a, real.a, 1e-12)


def test_the_mass_matrix_is_that_of_the_bodies():
    """M_p = H^T M H with M of absolute coordinates, and M_p u' = f_p gives the accelerations of the recursion."""
    kinds = ["revolute", "spherical", "universal", "planar", "screw", "cylindrical", "fixed", "prismatic"]
    arm = flexible_tree(kinds, seed=3, floating=True, modes=(4, 7)).joint_space()
    rng = np.random.default_rng(1)
    q, u = arm.q.copy(), rng.normal(size=arm.u.size)
    for at, n in arm.modal:
        q[at:at + n] = 0.2 * rng.normal(size=n)
    M = arm.mass_matrix(q)
    columns = []
    for k in range(u.size):
        rs.place_at(arm.p, 0.0, arm._state(q, np.eye(u.size)[k]))
        columns.append(arm.p.x.v.copy())
    H, s, x = np.array(columns).T, arm.dynamics.system, arm.p.x
    x.D[:], x.v[:], x.a[:] = 0, 0, 0
    evaluation.run(s.program("matrix"), s.data, x, 0.0, 1.0, 0.0, 0.0)
    absolute = s.dense(x.D)[:s.n_v, :s.n_v]
    assert close(M, H[:s.n_v].T @ absolute @ H[:s.n_v], 1e-13)
    assert close(np.linalg.solve(M, arm.force(q, u)), arm.accelerations(q, u), 1e-10)
    assert close(arm.inverse_dynamics(q, u, arm.accelerations(q, u)), 0 * u, 1e-10)


def test_frames_of_flexible_bodies():
    """Position, velocity and Jacobian of a node: by unit rates, and as the run reports them."""
    m = flexible_tree(["revolute", "spherical", "universal"], seed=2, every=1)
    space, rng = m.joint_space(), np.random.default_rng(0)
    q, u = space.q.copy(), rng.normal(size=space.u.size)
    for at, n in space.modal:
        q[at:at + n] = 0.2 * rng.normal(size=n)
    for frame in ("b2.n1", "b0.n2", "b2"):
        found = space.frame(frame, q, u)
        assert space.jacobian(frame, q) @ u == pytest.approx([*found.velocity, *found.angular_velocity], abs=1e-12)
    assert "b2.shape 3" in space.coordinates
    sol = m.simulate(0.1, coordinates="joint", progress=False, output_step=0.1)
    assert space.frame("b2.n1", *space.state(sol.rows[-1])).position == pytest.approx(sol["b2.n1.position"][-1], abs=1e-10)


# -- loops
LOOPS = {"hinge": lambda: flexible_loop(6, 1), "sphere": lambda: flexible_loop(4, 2, "spherical"),
         "universal joint": lambda: flexible_loop(5, 3, "universal", every=1, modes=(3, 7)), "slider crank": slider_crank}


@pytest.mark.parametrize("name", LOOPS)
def test_the_jacobian_of_loops(name):
    """By sweeps along the paths, by direct differentiation, and by complex steps; modes are deformed and moving."""
    state = State(LOOPS[name](), seed=3, drives=False, bend=0.002 if name == "slider crank" else 0.3)
    n = 6 * state.space.loops.tile.size
    swept, direct = np.zeros((n, state.u.size)), np.zeros((n, state.u.size))
    rs.loop_jacobian_at(state.p, 0.0, state.y, True, 1, swept)
    rs.loop_jacobian_at(state.p, 0.0, state.y, False, 1, direct)
    modes = np.concatenate([np.arange(at, at + n) for at, n in state.modes()])
    assert abs(direct).max() > 1e-3 and abs(direct[:, modes]).max() > 1e-3
    assert close(swept, direct, 1e-13)
    assert close(swept, complex_jacobian(state), 1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_the_jacobian_of_random_closed_trees(seed):
    rng = np.random.default_rng(seed)
    m = flexible_tree(list(rng.permutation(CARRIERS)), seed=seed, floating=seed % 2 == 1, springs=False)
    m.add(pl.Spherical("first", m["b7"]["n1"], m["b3"]["n2"]))
    m.add(pl.Revolute("second", m["b5"]["n2"], m.ground.frame((0.3, 0.2, 0.1)), axis=(1, 2, 3)))
    state = State(m, seed=seed, row=unassembled(m))
    n = 6 * state.space.loops.tile.size
    swept, direct = np.zeros((n, state.u.size)), np.zeros((n, state.u.size))
    rs.loop_jacobian_at(state.p, 0.0, state.y, True, 1, swept)
    rs.loop_jacobian_at(state.p, 0.0, state.y, False, 1, direct)
    assert abs(direct).max() > 1e-3 and close(swept, direct, 1e-13) and close(swept, complex_jacobian(state), 1e-13)


@pytest.mark.parametrize("name", LOOPS)
def test_accelerations_and_reactions_of_loops(name):
    make = LOOPS[name]
    state = State(make(), row=moved(make, 0.05))
    t = float(state.row[0])
    state.rates(t)
    found = state.absolute(t)
    assert close(state.x.a, found["a"], 1e-8)
    rows = state.space.cut_rows
    assert state.dynamics.redundant() == 0 and close(state.x.lam[rows], found["lam"][rows], 1e-8)


# -- motion
@pytest.mark.parametrize("make", [
    lambda: flexible_tree(CARRIERS, seed=7), lambda: flexible_tree(CARRIERS, seed=8, floating=True),
    lambda: flexible_tree(["revolute", "spherical"], seed=9, every=1, modes=(0, 7)), lambda: flexible_loop(4, 2, "spherical"),
    lambda: flexible_loop(6, 1)])
def test_models_move_alike(make):
    agree(make(), 0.1)


def test_a_driven_flexible_slider_crank_moves_alike():
    sol = agree(slider_crank(damping=0.05), 0.01, tolerance=1e-8)
    assert abs(sol["motor.effort"]).max() > 0.1


def test_a_single_flexible_body():
    """Free, and with no modes at all; in stated motion."""
    rng = np.random.default_rng(3)
    for n in (0, 5):
        m = pl.Model("stone", gravity=(1, 2, -9.81))
        start = {"modal": 0.1 * rng.normal(size=n), "modal_rate": rng.normal(size=n)} if n else {}
        m.add(pl.ModalBody("stone", part(rng, n), velocity=(1, 2, 3), angular_velocity=(1, 5, 0.1), **start))
        agree(m, 0.3, accuracy=1e-11)


# -- invariants
def test_momentum_and_energy_of_a_floating_tree():
    m = flexible_tree(["revolute", "universal", "spherical"], seed=9, floating=True, springs=False)
    m.gravity = (0.0, 0.0, 0.0)
    for body in m.section("bodies"):
        if isinstance(body, pl.ModalBody):
            body.damping = 0.0
    bodies = list(m.section("bodies"))
    bodies[0].angular_velocity, bodies[0].velocity = (1.0, -2.0, 0.5), (0.3, 0.2, 0.1)
    for body in bodies:  # damping is part of the random parts
        if isinstance(body, pl.ModalBody):
            object.__setattr__(body.reduced, "Dqq", None)
    sol = m.simulate(0.5, coordinates="joint", accuracy=1e-11, integrator=pl.DOP853(), progress=False, output_step=0.1)
    linear, angular = momentum(sol)
    assert abs(angular[0]).max() > 0.1 and abs(linear[0]).max() > 0.1
    assert abs(linear - linear[0]).max() < 1e-9 * abs(linear).max() and abs(angular - angular[0]).max() < 1e-8 * abs(angular).max()
    assert sol.energy.drift < 1e-8


def momentum(sol: pl.Solution) -> tuple[np.ndarray, np.ndarray]:
    """Linear, and angular about the origin: M v along motions of the world as a whole."""
    s = sol.dynamics.system
    p, x = parts(sol.rows, s.q0.size, s.n), s.memory()
    found = np.zeros((len(sol.t), 6))
    for k in range(len(sol.t)):
        x.q[:], x.v[:], x.a[:], x.D[:] = p["q"][k], 0, 0, 0
        evaluation.run(s.program("matrix"), s.data, x, 0.0, 1.0, 0.0, 0.0)
        effort = s.dense(x.D)[:s.n_v, :s.n_v] @ p["v"][k][:s.n_v]
        for (iv, iq) in zip(s.data.rotations[:, 0] - 3, s.data.rotations[:, 1] - 3, strict=True):
            R = pl.items.base.matrix_of(x.q[iq + 3:iq + 7].tolist())
            found[k, :3] += effort[iv:iv + 3]
            found[k, 3:] += np.cross(x.q[iq:iq + 3], effort[iv:iv + 3]) + R @ effort[iv + 3:iv + 6]
    return found[:, :3], found[:, 3:]


def test_violation_of_flexible_loops():
    """Corrected to 1e-10 on both levels."""
    sol = flexible_loop(4, 2, "spherical").simulate(1.0, coordinates="joint", step=5e-4, integrator=pl.RungeKutta4(), progress=False)
    assert sol.quality.position_violation <= 1e-10 and sol.quality.velocity_violation <= 1e-10


def test_a_pendulum_of_two_rods_bends_as_in_absolute_coordinates():
    m = pl.Model("rods", gravity=(0, 0, -9.81))
    m.add(pl.ModalBody("upper", rod(), damping=0.02))
    m.add(pl.ModalBody("lower", rod(), position=(1, 0, 0), damping=0.02))
    m.add(pl.Revolute("A", m.ground, "upper.start", axis="y"))
    m.add(pl.Revolute("B", "upper.end", "lower.start", axis=(0.2, 1, 0)))
    sol = agree(m, 0.002, tolerance=1e-8)
    assert sol.formulation == pl.Recursion(pl.DirectCorrection(1e-12))


@pytest.mark.parametrize("name", ["spinning_blade", "two_link_arm"])
def test_flexible_examples_start_alike(name):
    state = State(example(name)())
    state.rates()
    assert close(state.x.a, state.absolute()["a"], 1e-9)
