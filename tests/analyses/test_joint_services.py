"""Services of joint coordinates, one state at a time: kinematics, Jacobians, mass matrix, inverse dynamics, gravity compensation."""
import numpy as np
import pytest
import spatial_loop
from flexible_models import rod
from flexible_trees import flexible_loop, flexible_tree
from joint_models import CARRIERS, closed_chain, tree
from sliding_models import crane

import pliant as pl
from pliant.items.errors import ModelError
from pliant.joint_space.tree import quaternion_product


def arm() -> pl.Model:
    """Two links of 0.7 m and 0.5 m in the vertical plane xz, turned by 0.4 and -0.9 rad about -y as modelled."""
    m = pl.Model("arm", gravity=(0, 0, -9.81))
    elbow = 0.7 * np.array([np.cos(0.4), 0, np.sin(0.4)])
    hand = elbow + 0.5 * np.array([np.cos(-0.5), 0, np.sin(-0.5)])
    m.add(pl.RigidBody.rod("upper", (0, 0, 0), elbow, mass=2.0))
    m.add(pl.RigidBody.rod("lower", elbow, hand, mass=1.5))
    m.add(pl.Revolute("shoulder", m.ground, "upper.start", axis=(0, -1, 0)))
    m.add(pl.Revolute("elbow", "upper.end", "lower.start", axis=(0, -1, 0)))
    return m


def test_two_link_arm_against_its_closed_form():
    """Angles from the pose as modelled: a = 0.4 + q1, b = -0.5 + q1 + q2 against the x axis."""
    space = arm().joint_space()
    q, u, acc = np.array([0.3, -0.6]), np.array([0.7, -1.1]), np.array([0.4, 2.0])
    a, b, l, s, m1, m2 = 0.4 + q[0], -0.5 + q.sum(), 0.7, 0.25, 2.0, 1.5
    i1, i2, g = m1 * 0.7**2 / 3, m2 * 0.5**2 / 3, 9.81
    c, cross = m2 * l * s * np.cos(b - a), m2 * l * s * np.sin(b - a)
    M = np.array([[i1 + m2 * l**2 + i2 + 2 * c, i2 + c], [i2 + c, i2]])
    gravity = g * np.array([(m1 / 2 + m2) * l * np.cos(a) + m2 * s * np.cos(b), m2 * s * np.cos(b)])
    coriolis = np.array([-cross * (2 * u[0] * u[1] + u[1]**2), cross * u[0]**2])
    assert space.coordinates == ["shoulder.angle", "elbow.angle"]
    assert space.mass_matrix(q) == pytest.approx(M, rel=1e-12)
    assert space.gravity_compensation(q) == pytest.approx(gravity, rel=1e-12)
    assert space.inverse_dynamics(q, u, acc) == pytest.approx(M @ acc + coriolis + gravity, rel=1e-12)
    assert space.accelerations(q, u) == pytest.approx(np.linalg.solve(M, -coriolis - gravity), rel=1e-11)
    hand = space.frame("lower.end", q, u)
    assert hand.position == pytest.approx([l * np.cos(a) + 0.5 * np.cos(b), 0, l * np.sin(a) + 0.5 * np.sin(b)], abs=1e-13)
    assert space.jacobian("lower.end", q) @ u == pytest.approx([*hand.velocity, *hand.angular_velocity], abs=1e-13)


def test_driving_torques_are_those_of_drives():
    m = arm()
    free = m.joint_space()
    m.add(pl.Drive("shoulder", "angle", "0.5 * sin(2 * t)", name="first"))
    m.add(pl.Drive("elbow", "angle", "0.3 * t^2", name="second"))
    sol = m.simulate(0.5, coordinates="joint", progress=False, output_step=0.1)
    for k, t in enumerate(sol.t):
        q, u, a = ([0.5 * np.sin(2 * t), 0.3 * t**2], [np.cos(2 * t), 0.6 * t], [-2 * np.sin(2 * t), 0.6])
        assert free.inverse_dynamics(q, u, a) == pytest.approx([sol["first.effort"][k], sol["second.effort"][k]], abs=1e-9)


def test_frame_jacobian_of_a_mixed_tree():
    space = tree(CARRIERS, seed=3, floating=True).joint_space()
    u = np.random.default_rng(0).normal(size=space.u.size)
    found = space.frame("b7", u=u)
    assert space.jacobian("b7") @ u == pytest.approx([*found.velocity, *found.angular_velocity], abs=1e-12)


def test_services_refuse_what_they_cannot_do():
    with pytest.raises(ModelError, match=r"the model has loops .cut at 'B'.*add drives"):
        spatial_loop.four_bar().joint_space().inverse_dynamics()
    space = arm().joint_space()
    with pytest.raises(ValueError, match="q has shape"):
        space.mass_matrix([1.0])
    with pytest.raises(ValueError, match=r"there is no frame 'lower.tip'"):
        space.frame("lower.tip")
    with pytest.raises(ValueError, match="must be 'sweep' or 'differentiation'"):
        closed_chain().joint_space().loop_jacobian(method="guess")


def moved(space, q, u, h):
    """Coordinates a time h later, at constant rates."""
    after = q.copy()
    for k, i in space.space.tree.linear:
        after[i] += h * u[k]
    for k, i in space.space.tree.rotations:
        turn, angle = u[k:k + 3], h * np.linalg.norm(u[k:k + 3])
        after[i:i + 4] = quaternion_product(q[i:i + 4], [np.cos(angle / 2), *(np.sin(angle / 2) * turn / np.linalg.norm(turn))])
    return after


@pytest.mark.parametrize("make, frame", [
    (lambda: tree(CARRIERS, seed=3, floating=True), "b7"),
    (lambda: flexible_tree(("revolute", "universal", "spherical", "planar"), 3), "b2.n2"),
    (lambda: flexible_tree(("revolute", "spherical", "prismatic"), 3, modes=(0,)), "b2.n2"), (crane, "load"),
    (lambda: flexible_loop(3), "branch.n1")], ids=["rigid", "flexible", "no modes", "sliding", "loop"])
def test_jacobians_and_names(make, frame):
    """Against differences of positions and axes; every coordinate and rate has a name."""
    space, rng, h = make().joint_space(), np.random.default_rng(2), 1e-6
    assert len(set(space.coordinates)) == space.q.size and len(set(space.rates)) == space.u.size
    q, u = space.q.copy(), rng.normal(size=space.u.size)
    for at, n in space.modal:
        q[at:at + n] += 0.02 * rng.normal(size=n)
    later, before = (space.frame(frame, moved(space, q, u, x)) for x in (h, -h))
    now = space.frame(frame, q, u)
    turning = (later.axes - before.axes) / (2 * h) @ now.axes.T
    difference = [*(later.position - before.position) / (2 * h), turning[2, 1], turning[0, 2], turning[1, 0]]
    assert space.jacobian(frame, q) @ u == pytest.approx(difference, abs=1e-8)
    assert [*now.velocity, *now.angular_velocity] == pytest.approx(difference, abs=1e-8)


def test_frames_may_be_objects_points_and_on_the_ground():
    m = arm()
    m.ground.frames = {"wall": {"point": (1, 2, 3), "rotation": pl.rotation("z", 0.3)}}
    space, q, u = m.joint_space(), [0.3, -0.6], [0.7, -1.1]
    wall = space.frame("ground.wall", q, u)
    assert wall.position == pytest.approx([1, 2, 3]) and wall.axes[0, 0] == pytest.approx(np.cos(0.3)) and not wall.velocity.any()
    assert not space.jacobian("ground.wall").any() and not space.frame(m.ground).position.any()
    lower = m["lower"]
    for same in (lower["end"], lower.frame(lower.frames["end"].point)):
        for a, b in zip(space.frame("lower.end", q, u), space.frame(same, q, u), strict=True):
            assert a == pytest.approx(b, abs=1e-14)
        assert space.jacobian(same, q) == pytest.approx(space.jacobian("lower.end", q), abs=1e-14)
    with pytest.raises(ValueError, match=r"body 'b0' is flexible.*at its frames"):
        bent = flexible_tree(("revolute",), 3)
        bent.joint_space().frame(bent["b0"].frame((0.1, 0, 0)))


@pytest.mark.parametrize("call, message", [
    (lambda s: s.inverse_dynamics(accelerations=[1.0]), r"accelerations has shape \(1,\), must be \(2,\)"),
    (lambda s: s.inverse_dynamics(accelerations=1.0), r"accelerations has shape"),
    (lambda s: s.accelerations([np.nan, 0]), r"q\[0\] is not a finite number"),
    (lambda s: s.mass_matrix(["30 deg", 0]), r"must be 2 numbers \(metres, radians\)")])
def test_what_is_given_is_looked_at(call, message):
    with pytest.raises(ValueError, match=message):
        call(arm().joint_space())


def test_functions_that_fail_are_told():
    m = arm()
    m.add(pl.Force("push", "lower", (lambda t: 1 / (t - 1.0), 0, 0)))
    space = m.joint_space()
    for call in (space.force, space.accelerations):
        assert np.isfinite(call(t=0.5)).all()
        with pytest.raises(pl.SimulationError, match="'push'"):
            call(t=1.0)
        assert np.isfinite(call(t=0.5)).all()


def test_quaternions_are_made_unit_ones():
    space = tree(["spherical", "revolute"], seed=3).joint_space()
    q = space.q.copy()
    q[:4] = 2.0, 0.3, -0.5, 1.0
    unit = np.concatenate([q[:4] / np.linalg.norm(q[:4]), q[4:]])
    assert space.mass_matrix(q) == pytest.approx(space.mass_matrix(unit), rel=1e-14)
    q[:4] = 0.0
    with pytest.raises(ValueError, match=r"q\[0\] to q\[3\] are a quaternion"):
        space.frame("b1", q)


@pytest.mark.parametrize("make", [lambda: closed_chain(5, 3), lambda: flexible_loop(3)], ids=["rigid", "flexible"])
def test_mass_matrix_force_and_jacobian_of_loops(make):
    """M_p u' + J^T lam = f_p: what is left without multipliers is a combination of the equations of the loops."""
    space = make().joint_space()
    left = space.mass_matrix() @ space.accelerations() - space.force()
    J = space.loop_jacobian()
    lam = np.linalg.lstsq(J.T, left, rcond=None)[0]
    assert abs(left).max() > 0.1 and abs(J.T @ lam - left).max() < 1e-9 * abs(left).max()


def test_singular_trees_are_told_by_name():
    m = pl.Model("gimbal")
    m.add(pl.RigidBody("ring", mass=0, inertia=(0, 0, 0)))
    m.add(pl.RigidBody("wheel", mass=2, inertia=(0.1, 0.2, 0.3), com=(0.1, 0, 0)))
    m.add(pl.Universal("cross", m.ground, "ring", axis="z", axis_b="x"))
    m.add(pl.Revolute("hinge", "ring", "wheel", axis="z"))
    with pytest.raises(ModelError, match=r"joints 'cross', 'hinge' have come in line .gimbal lock."):
        m.joint_space().accelerations()


def test_gravity_compensation_of_flexible_arms():
    """Efforts are those of drives that hold it, in equilibrium; nothing acts on the modes."""
    def model(*drives):
        m = pl.Model("arm", gravity=(1.0, -2.0, -9.81))
        m.add(pl.ModalBody("upper", rod(), damping=0.02))
        m.add(pl.ModalBody("lower", rod(), position=(1, 0, 0), damping=0.02))
        m.add(pl.Revolute("A", m.ground, "upper.start", axis="y"))
        m.add(pl.Revolute("B", "upper.end", "lower.start", axis=(0.2, 1, 0)))
        for joint, angle in zip("AB", drives, strict=False):
            m.add(pl.Drive(joint, "angle", angle, name=f"motor_{joint}"))
        return m
    space = model().joint_space()
    q = space.q.copy()
    at = [space.coordinates.index(f"{joint}.angle") for joint in "AB"]
    rate = [space.rates.index(f"{joint}.angle") for joint in "AB"]
    q[at] = 0.3, -0.5
    effort = space.gravity_compensation(q)
    held = model(0.3, -0.5).static()
    assert effort[rate] == pytest.approx([held.solution[f"motor_{joint}.effort"][0] for joint in "AB"], rel=1e-6)
    assert abs(np.delete(effort, rate)).max() < 1e-7 * abs(effort).max()
    assert space.frame("lower.end", space.sag(q)).position == pytest.approx(held.solution["lower.end.position"][0], abs=1e-9)
