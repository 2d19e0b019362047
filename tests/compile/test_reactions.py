"""Reactions that are not unique: of all that balance the bodies the smallest are given, the same whatever went before. And positions
of output rows: they satisfy the joints, next to singular poses too."""
import no_jit
import numpy as np
import pytest
from derivatives import random_rotation
from mechanisms import four_bar, slider_crank

import pliant as pl
from pliant.compile.consistency import POSITION
from pliant.items.base import matrix_of
from pliant.kernels import evaluation
from pliant.kernels.state_row import parts

TURN = random_rotation(np.random.default_rng(5))
G, MASS, REACH, HEIGHT, WIDTH = 9.81, 20.0, 0.45, 1.4, 0.9  # of a door: its centre from the hinges, their distance


def door(R=TURN, scale=1.0, order=("low", "high"), spin=2.0, drive=None, upper="revolute"):
    """Two hinges on one door, upright in the axes R; ``scale`` is that of all lengths (gravity too)."""
    m = pl.Model("door", gravity=R @ (0, 0, -G) * scale)
    at = lambda *p: R @ np.array(p) * scale  # noqa: E731
    leaf = m.add(pl.RigidBody.box("leaf", scale * np.array([WIDTH, 0.04, 2.0]), mass=MASS, position=at(REACH, 0, 0), rotation=R,
                                  angular_velocity=None if drive else (0, 0, spin)))
    for name in order:
        z = {"low": -HEIGHT / 2, "high": HEIGHT / 2}[name]
        ends = m.ground.frame(at(0, 0, z), rotation=R), leaf.frame((-REACH * scale, 0, z * scale))
        if name == "high" and upper == "bushing":
            m.add(pl.Bushing("high", *ends, stiffness=[1e5, 1e5, 1e5, 0, 0, 0]))
        else:
            m.add(pl.Revolute(name, *ends, axis="z"))
    if drive:
        m.add(pl.Drive("low", "angle", drive))
    return m


def expected(sol, L, scale=1.0):
    """On the leaf, in its axes. The weight is shared equally, the pull to the hinges too; the moment of the weight is taken by a pair
    of forces F at the distance h and two moments M: F h + 2 M = m g r with the smallest F^2 + M^2 / L^2, so F = mgr h / (h^2 + 4 L^2)."""
    r, h, weight = REACH * scale, HEIGHT * scale, MASS * G * scale
    F = weight * r * h / (h**2 + 4 * L**2)
    pull = -MASS * sol["leaf.angular_velocity.z"]**2 * r / 2
    alpha = sol["leaf.angular_acceleration.z"]
    low = np.stack([pull + F, MASS * alpha * r / 2, 0 * pull + weight / 2], 1)
    high = np.stack([pull - F, MASS * alpha * r / 2, 0 * pull + weight / 2], 1)
    return low, high, (weight * r - F * h) / 2


@pytest.mark.parametrize("drive", [None, "0.3 + sin(3*t)"])
@pytest.mark.parametrize(("scale", "order"), [(1.0, ("low", "high")), (1.0, ("high", "low")), (1000.0, ("low", "high"))])
def test_two_hinges_share_the_load_of_a_door(scale, order, drive):
    m = door(scale=scale, order=order, drive=drive)
    sol = m.simulate(0.6, step=1e-3, output_step=0.02)
    R = np.array([matrix_of(q) for q in sol["leaf.rotation"]])
    low, high, moment = expected(sol, sol.dynamics.length, scale)
    for name, force in (("low", low), ("high", high)):
        np.testing.assert_allclose(np.einsum("nji,nj->ni", R, sol[f"{name}.force"]), force, rtol=0, atol=1e-9 * MASS * G * scale)
        torque = np.einsum("nji,nj->ni", R, sol[f"{name}.torque"])
        np.testing.assert_allclose(torque, np.broadcast_to([0, -moment, 0], torque.shape), rtol=0, atol=1e-9 * MASS * G * scale**2)
    assert sol.quality.unique_reactions is False
    assert sol.dynamics.redundant() == 5
    assert "not unique" in sol.summary()


def test_with_a_bushing_in_place_of_a_hinge_reactions_are_unique():
    sol = door(upper="bushing").simulate(0.1, step=1e-3)
    assert sol.quality.unique_reactions and sol.dynamics.redundant() == 0 and not sol.dynamics.loops
    assert slider_crank().simulate(0.01, step=1e-3).quality.unique_reactions is False  # a plane loop of hinges in space


def loops(name):
    return {"bricard": lambda: no_jit.load("bricard").model(), "four-bar": four_bar, "row": lambda: windows(40)}[name]()


def windows(n):
    """n four-bars side by side, every joint a hinge: three equations too many in each."""
    m = pl.Model("row", gravity=(0.3, -9.81, 0.2))
    posts = [m.add(pl.RigidBody.rod(f"post{k}", (k, 0, 0), (k, 1, 0), 1.0 + k % 3, **({"velocity_at_end": (1, 0, 0)} if k == 0 else {})))
             for k in range(n + 1)]
    for k, post in enumerate(posts):
        m.add(pl.Revolute(f"foot{k}", m.ground.frame((k, 0, 0)), post["start"]))
    for k in range(n):
        top = m.add(pl.RigidBody.rod(f"top{k}", (k, 1, 0), (k + 1, 1, 0), 1.0))
        m.add(pl.Revolute(f"left{k}", posts[k]["end"], top["start"]))
        m.add(pl.Revolute(f"right{k}", top["end"], posts[k + 1]["end"]))
    return m


@pytest.mark.parametrize(("name", "count"), [("bricard", 1), ("four-bar", 3), ("row", 120)])
def test_multipliers_are_the_smallest_that_balance_the_bodies(name, count):
    """Against singular values: the multipliers have no part in the left null space, and the bodies are in balance."""
    m = loops(name)
    sol = m.simulate(0.3, step=1e-3, output_step=0.05)
    d = sol.dynamics
    s = d.system
    p = parts(sol.rows, s.q0.size, s.n)
    assert d.redundant() == count
    for k in (0, -1):
        d.x.q[:], d.x.v[:], d.x.H[:] = p["q"][k], p["v"][k], p["H"][k]
        d._linearise(float(sol.t[k]))
        full = s.dense(d.tiles)
        rows = s.active[s.active >= s.n_v]
        C, lam, unit = full[rows, :s.n_v], p["lam"][k][rows], d.unit[rows]
        U, values, _ = np.linalg.svd(unit[:, None] * C)
        null = U[:, np.append(values, np.zeros(len(rows) - len(values)) if len(rows) > len(values) else []) < 1e-9]
        assert null.shape[1] == count
        scaled = lam / unit
        assert np.linalg.norm(null.T @ scaled) < 1e-10 * np.linalg.norm(scaled)
        x = d.x
        x.a[:], x.lam[:] = p["a"][k], p["lam"][k]
        evaluation.run(s.program("residual"), s.data, x, float(sol.t[k]), 0.0, 0.0, 0.0)
        assert abs(x.R[:s.n_v]).max() < 1e-11 * abs(lam).max()


@pytest.mark.parametrize("name", ["bricard", "four-bar"])
def test_reactions_do_not_depend_on_what_went_before(name):
    """One run, the same one in two parts, and its rows with other multipliers and accelerations in them."""
    m = loops(name)
    whole = m.simulate(0.4, step=1e-3, output_step=0.05)
    half = m.simulate(0.2, step=1e-3, output_step=0.05).resume(0.2)
    joint = m.section("joints")[2].name
    for channel in (f"{joint}.force", f"{joint}.torque"):
        np.testing.assert_allclose(half[channel], whole[channel], rtol=0, atol=1e-8 * abs(whole[f"{joint}.force"]).max())
    rows, s = whole.rows.copy(), whole.dynamics.system
    rng = np.random.default_rng(0)
    p = parts(rows, s.q0.size, s.n)
    p["lam"][:], p["a"][:] = rng.normal(size=p["lam"].shape), rng.normal(size=p["a"].shape)
    whole.dynamics.refine(rows)
    np.testing.assert_allclose(rows, whole.rows, rtol=0, atol=1e-9 * abs(p["lam"]).max())


def test_every_rod_of_bricards_linkage_is_in_balance_with_its_reactions():
    """From channels: m (a - g) = forces, and moments about the centre = I w' + w x I w, in space."""
    m = no_jit.load("bricard").model()
    sol = m.simulate(0.5, step=1e-3, output_step=0.05)
    g = np.array(m.gravity)
    for body in m.section("bodies"):
        R = np.array([matrix_of(q) for q in sol[f"{body.name}.rotation"]])
        force, moment = -body.mass * (sol[f"{body.name}.acceleration"] - g), np.zeros((len(sol.t), 3))
        for joint in m.section("joints"):
            for frame, sign in ((joint.a, -1), (joint.b, 1)):
                if frame.body == body.name:
                    arm = np.einsum("nij,j->ni", R, body.place_of(frame)[0])
                    force += sign * sol[f"{joint.name}.force"]
                    moment += sign * (sol[f"{joint.name}.torque"] + np.cross(arm, sol[f"{joint.name}.force"]))
        w, alpha, I = sol[f"{body.name}.angular_velocity"], sol[f"{body.name}.angular_acceleration"], body.inertia_matrix
        spin = np.einsum("nij,nj->ni", R, alpha @ I.T + np.cross(w, w @ I.T))
        assert abs(force).max() < 1e-10 * body.mass * G
        assert abs(moment - spin).max() < 1e-10 * body.mass * G


def test_many_equations_are_counted_like_few():
    """By the signs of pivots as by singular values, with and without redundant equations."""
    from scipy.sparse import csr_array

    from pliant.compile import redundancy
    for model in (windows(3), no_jit.load("bricard").model(), door()):
        d = model.compile()
        d._linearise(0.0)
        s = d.system
        C = redundancy.scaled(redundancy.jacobian(s, d.tiles), d.unit[redundancy.equations(s)], redundancy.lengths(s, d.length))
        assert redundancy.redundant(csr_array(C)) == redundancy.redundant(C) > 0
        assert redundancy.redundant(csr_array(C[:3])) == redundancy.redundant(C[:3]) == 0


def test_equations_of_one_joint_may_depend_on_each_other():
    m = pl.Model("twice", gravity=(0, 0, -9.81))
    body = m.add(pl.RigidBody("b", 2.0, (1, 1, 1), com=(0.3, 0, 0)))
    m.add(pl.Joint("J", m.ground, body, primitives=["coincident", ("d1", "x", "z"), ("d1", "y", "z"), ("d1", "z", "x")]))
    sol = m.simulate(0.05, step=1e-3)
    assert sol.dynamics.redundant() == 1 and not sol.quality.unique_reactions
    assert sol["J.torque"][0, 1] == pytest.approx(-2 * 9.81 * 0.3, abs=1e-9)


def test_massless_bodies_share_too():
    """A point mass on two hinges at one arm: its matrix has no pivots, least squares give the same reactions."""
    m = pl.Model("point", gravity=(0, 0, -9.81))
    bob = m.add(pl.RigidBody.point_mass("bob", 1.0, position=(1, 0, 0)))
    for name, z in (("low", -0.5), ("high", 0.5)):
        m.add(pl.Revolute(name, m.ground.frame((0, 0, z)), bob.frame((-1, 0, z))))
    sol = m.simulate(0.01, step=1e-3)
    L, weight = sol.dynamics.length, 9.81
    F = weight / (1 + 4 * L**2)
    np.testing.assert_allclose(sol["low.force"], np.broadcast_to([F, 0, weight / 2], (len(sol.t), 3)), atol=1e-9)
    np.testing.assert_allclose(sol["high.force"], np.broadcast_to([-F, 0, weight / 2], (len(sol.t), 3)), atol=1e-9)


def test_positions_of_rows_are_projected_and_the_violation_before_is_reported():
    m = loops("bricard")
    sol = m.simulate(0.3, step=1e-3, output_step=0.05)
    d, s = sol.dynamics, sol.dynamics.system
    rows = sol.rows.copy()
    p = parts(rows, s.q0.size, s.n)
    p["q"][:, s.data.linear[:, 1]] += 1e-6 * np.random.default_rng(0).normal(size=(len(rows), len(s.data.linear)))
    for i in s.data.rotations[:, 1]:
        p["q"][:, i:i + 4] *= 1 + 1e-9
    moved = p["q"].copy()
    _, report = d.refine(rows)
    for i in s.data.rotations[:, 1]:
        np.testing.assert_allclose(np.linalg.norm(p["q"][:, i:i + 4], axis=1), 1, atol=1e-15)
    assert (report[:, POSITION] > 1e-7).all()
    _, again = d.refine(rows.copy())
    assert again[:, POSITION].max() < 2e-15
    assert 1e-7 < abs(p["q"] - moved).max() < 1e-5
    _, plain = d.refine(kept := sol.rows.copy(), project=False)
    np.testing.assert_array_equal(kept[:, :3 + s.q0.size], sol.rows[:, :3 + s.q0.size])
    assert plain[:, POSITION].max() < 2e-15


def test_a_row_that_cannot_be_projected_stays_as_it_is():
    m = four_bar()
    sol = m.simulate(0.1, step=1e-3, output_step=0.05)
    s = sol.dynamics.system
    rows = sol.rows.copy()
    p = parts(rows, s.q0.size, s.n)
    p["q"][:, 0] += 40.0  # nowhere near
    before, (_, report) = p["q"].copy(), sol.dynamics.refine(rows)
    _, after = sol.dynamics.refine(rows.copy(), project=False)
    assert (report[:, POSITION] >= 39).all()
    assert (after[:, POSITION] <= report[:, POSITION]).all() and np.isfinite(before).all()


@pytest.mark.parametrize("h", [2e-3, 1e-3, 5e-4])
def test_next_to_the_flat_pose_reactions_are_those_of_the_state(h):
    """Parallelogram with unequal bars: through the flat pose the bars pull each other along by a force that grows like 1 / sin(angle).
    Closed form at the state of every row; a violation of 1e-12 once made 17 MN of it."""
    m, masses = four_bar(), (1.0, 2.0, 3.0)
    for name, mass in zip(("left", "top", "right"), masses, strict=True):
        bar = m[name]
        bar.inertia, bar.mass = bar.inertia_matrix * mass, mass
    sol = m.simulate(4.7, step=h, output_step=h)
    a, c, b = masses
    angle, w = sol["A.angle"] + np.pi / 2, sol["left.angular_velocity.z"]
    sin, cos = np.sin(angle), np.cos(angle)
    alpha = -(a / 2 + c + b / 2) * G * cos / (a / 3 + c + b / 3)
    down = -c * (alpha * cos - w**2 * sin + G) / 2             # on the end of the left bar, half of what the coupler needs
    along = (cos * down - a / 3 * alpha - a / 2 * G * cos) / sin
    exact = -a * (alpha * sin + w**2 * cos) / 2 - along
    error = abs(sol["A.force.x"] - exact) / abs(exact).clip(1.0)
    assert abs(exact).max() > 2000
    assert error.max() < 0.05                                  # at 1e-4 rad from the pose, where rounding is amplified 1e12 times
    assert np.median(error) < 1e-9


@pytest.mark.parametrize("radius", [0.02, 0.005, 0.002, 0.0005])
def test_the_smallest_reactions_of_slender_bodies_do_not_depend_on_the_order_of_joints(radius):
    """Bodies with next to no inertia about their axes: the factors of the equations of motion are no longer good enough to share by."""
    def model(order):
        R = random_rotation(np.random.default_rng(4))
        places = [R @ np.array(p, float) for p in ((0, 0, 0), (0.8, 0.6, 0), (2.4, 1.5, 0), (2.5, 0, 0))]
        m = pl.Model("four-bar", gravity=R @ np.array([0.2, -9.81, 0.1]))
        for k, mass in enumerate((1.0, 2.0, 1.5)):
            m.add(pl.RigidBody.rod(f"b{k}", places[k], places[k + 1], mass, radius=radius))
        ends = [(m.ground.frame(places[0]), m["b0"]["start"]), (m["b0"]["end"], m["b1"]["start"]), (m["b1"]["end"], m["b2"]["start"]),
                (m.ground.frame(places[3]), m["b2"]["end"])]
        for k in order:
            m.add(pl.Revolute("ABCD"[k], *ends[k], axis=tuple(R[:, 2]), angle_rate=2.0 if k == 0 else None))
        return m.simulate(0.1, step=1e-3, output_step=0.05, progress=False)
    one, other = model((0, 1, 2, 3)), model((3, 1, 0, 2))
    for joint in "ABCD":
        for channel in ("force", "torque"):
            np.testing.assert_allclose(one[f"{joint}.{channel}"], other[f"{joint}.{channel}"], rtol=0, atol=1e-8)
