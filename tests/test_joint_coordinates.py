"""coordinates="joint" as users meet it: options, files, continuation, messages; and the services of the tree."""
import json

import numpy as np
import pytest
import spatial_loop
from examples_of import example
from joint_models import CARRIERS, closed_chain, tree
from mechanisms import four_bar, pendulum, slider_crank

import pliant as pl
from pliant import cli
from pliant.dynamics import ModelError
from pliant.refinement import parts


def test_options():
    sol = pendulum().simulate(0.5, coordinates="joint", progress=False)
    assert sol.formulation == pl.Recursion() and sol.method.controlled
    assert pendulum().simulate(0.1, coordinates="joint", formulation=pl.Index1(None), progress=False).formulation == pl.Recursion(None)
    assert pendulum().simulate(0.1, coordinates="absolute", progress=False).formulation == pl.Index1()


@pytest.mark.parametrize("options, message", [
    ({"coordinates": "polar"}, "must be one of absolute, joint"),
    ({"coordinates": "joint", "formulation": pl.NullSpace()}, "null-space is one of absolute coordinates"),
    ({"coordinates": "absolute", "formulation": pl.Recursion()}, "leave one of the two out"),
    ({"coordinates": "joint", "integrator": pl.DIMCD()}, "makes no sense with integrator"),
    ({"formulation": pl.Recursion(cut="Q")}, "there is no joint 'Q'"),
    ({"formulation": {"kind": "recursion", "jacobian": "guess"}}, "must be sweep or differentiation"),
])
def test_options_that_make_no_sense(options, message):
    with pytest.raises(ModelError, match=message):
        four_bar().simulate(0.1, progress=False, **options)


def test_text_and_command_line(tmp_path):
    m = four_bar()
    m.settings = {"duration": 0.2, "coordinates": "joint", "formulation": pl.Recursion(cut="A")}
    m.save(tmp_path / "m.yaml")
    again = pl.read(tmp_path / "m.yaml")
    assert again.settings["coordinates"] == "joint" and again.settings["formulation"] == pl.Recursion(cut="A")
    (tmp_path / "plain.yaml").write_text((tmp_path / "m.yaml").read_text().split("simulate:")[0])
    out = tmp_path / "run.h5"
    assert cli.execute(["run", str(tmp_path / "plain.yaml"), "--duration", "0.2", "--coordinates", "joint", "-o", str(out)]) == 0
    assert pl.load(out).formulation == pl.Recursion()
    (tmp_path / "bad.yaml").write_text((tmp_path / "m.yaml").read_text().replace("coordinates: joint", "coordinates: polar"))
    with pytest.raises(ValueError, match="polar"):
        pl.read(tmp_path / "bad.yaml")


@pytest.mark.parametrize("integrator", [pl.RungeKutta4(), pl.DOP853(), pl.AdamsBashforthMoulton()])
def test_a_run_goes_on_from_its_file(integrator, tmp_path):
    """As if it had not been interrupted, to the last bit."""
    options = {"coordinates": "joint", "integrator": integrator, "progress": False, "output_step": 0.05}
    options |= {"step": 1e-3} if integrator.kind == "runge-kutta-4" else {"accuracy": 1e-7}
    make = lambda: tree(CARRIERS, seed=2)  # noqa: E731
    make().simulate(0.4, out=tmp_path / "half.h5", **options)
    resumed = pl.load(tmp_path / "half.h5").resume(0.4, progress=False)
    whole = make().simulate(0.8, **options)
    s = whole.dynamics.system
    p, r = parts(resumed.rows, s.q0.size, s.n), parts(whole.rows, s.q0.size, s.n)
    assert abs(p["q"] - r["q"]).max() < (1e-13 if integrator.kind == "runge-kutta-4" else 1e-6)


def test_quaternions_keep_their_signs():
    sol = tree(CARRIERS, seed=4).simulate(0.3, coordinates="joint", progress=False, output_step=0.01)
    s = sol.dynamics.system
    rows = parts(sol.rows, s.q0.size, s.n)["q"]
    for _, i in s.data.rotations:
        q = rows[:, i:i + 4]
        assert (np.einsum("ij,ij->i", q[1:], q[:-1]) > 0.5).all()


def test_turns_are_counted():
    m = pendulum()
    m["A"].angle_rate = 30.0
    a, b = (m.simulate(2.0, coordinates=c, progress=False, accuracy=1e-8, output_step=0.1) for c in ("joint", "absolute"))
    assert a["A.angle"][-1] > 40 and abs(a["A.angle"] - b["A.angle"]).max() < 1e-5


def test_a_body_without_inertia():
    def model(joint):
        m = pl.Model("hand", gravity=(0, -3, -9))
        m.add(pl.RigidBody("arm", mass=1, inertia=(0.1, 0.2, 0.3), com=(0.5, 0, 0)))
        m.add(pl.RigidBody("flange", mass=0, inertia=(0, 0, 0), position=(1, 0, 0)))
        m.add(pl.Revolute("A", m.ground, "arm", axis="y"))
        m.add(joint("B", m["arm"].frame((1, 0, 0)), "flange"))
        return m
    with pytest.raises(pl.SimulationError, match=r"body 'flange'.* no mass or inertia against the way joint 'B' lets it move"):
        model(pl.Revolute).simulate(0.1, coordinates="joint", progress=False)
    m = model(pl.Fixed)
    m.add(pl.RigidBody("hand", mass=1, inertia=(0.1, 0.1, 0.2), com=(0.2, 0, 0), position=(1, 0, 0)))
    m.add(pl.Revolute("C", "flange", "hand", axis=(0, 1, 1)))
    a, b = (m.simulate(0.3, coordinates=c, integrator=pl.DOP853(), formulation=pl.Index1(), progress=False, accuracy=1e-10, output_step=0.1)
            for c in ("joint", "absolute"))
    assert abs(a["hand.position"] - b["hand.position"]).max() < 1e-9


def test_joints_in_gimbal_lock_are_named():
    """A universal joint whose first axis is that of the hinge on the massless link that it carries."""
    def model(axis):
        m = pl.Model("gimbal", gravity=(0, 0, -9.81))
        m.add(pl.RigidBody("ring", mass=0, inertia=(0, 0, 0)))
        m.add(pl.RigidBody("wheel", mass=2, inertia=(0.1, 0.2, 0.3), com=(0.1, 0, 0)))
        m.add(pl.Universal("cross", m.ground, "ring", axis="z", axis_b="x"))
        m.add(pl.Revolute("hinge", "ring", "wheel", axis=axis))
        return m
    with pytest.raises(pl.SimulationError, match=r"joints 'cross', 'hinge' have come in line .gimbal lock."):
        model((0, 0, 1)).simulate(0.1, coordinates="joint", progress=False)
    assert np.isfinite(model((0, 1, 0.3)).simulate(0.1, coordinates="joint", progress=False).rows).all()


def test_steps_that_are_too_long_are_not_blamed_on_masses():
    from pliant.studies.loops_models import four_bar
    with pytest.raises(pl.SimulationError, match=r"too long a step|finite") as told:
        four_bar().simulate(5.0, step=0.1, coordinates="joint", integrator=pl.RungeKutta4(), progress=False)
    assert "no mass" not in str(told.value)


def test_check_warns_of_steps_beyond_the_modes():
    from pliant.studies.loops_models import four_bar
    m = four_bar()
    found = {}
    for step in (0.01, 0.1):
        m.settings = {"duration": 1.0, "step": step, "coordinates": "joint", "integrator": pl.RungeKutta4()}
        found[step] = [f for f in m.check().findings if f.code == "step-unstable"]
    assert not found[0.01] and "beyond the limit 2.8 of runge-kutta-4" in found[0.1][0].message


def test_the_tree_as_a_figure(tmp_path, capsys):
    m = four_bar()
    m.save(tmp_path / "m.yaml")
    assert cli.execute(["check", str(tmp_path / "m.yaml"), "--tree", str(tmp_path / "tree.png")]) == 0
    assert (tmp_path / "tree.png").stat().st_size > 5000 and "written:" in capsys.readouterr().out
    assert cli.execute(["check", str(tmp_path / "m.yaml"), "--tree", "tree.doc"]) == 1
    from pliant.tree_figure import places
    found = places(tree(CARRIERS, seed=2, springs=False).joint_space().topology)
    assert len(set(found.values())) == len(found) == len(CARRIERS) + 1  # no two at one place


def test_the_automatic_choice_prefers_joint_coordinates_for_trees():
    sol = tree(CARRIERS, seed=2).simulate(0.2, progress=False)
    assert sol.formulation == pl.Recursion() and "in joint coordinates, as 8 bodies and no loops" in sol.why
    from pliant.bench_models import fourbars
    assert fourbars(5).simulate(0.05, progress=False).formulation == pl.Index1()
    assert tree(CARRIERS, seed=2).simulate(0.2, coordinates="absolute", progress=False).formulation == pl.Index1()


@pytest.mark.filterwarnings("ignore:overflow")
def test_what_no_method_can_begin_is_named():
    m = pl.Model("hand", gravity=(0, -3, -9))
    m.add(pl.RigidBody("arm", mass=1, inertia=(0.1, 0.2, 0.3), com=(0.5, 0, 0)))
    m.add(pl.RigidBody("flange", mass=0, inertia=(0, 0, 0), position=(1, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "arm", axis="y"))
    m.add(pl.Revolute("B", m["arm"].frame((1, 0, 0)), "flange"))
    with pytest.raises(pl.SimulationError, match="'flange'"):
        m.simulate(0.1, progress=False)


def test_single_free_body():
    m = pl.Model("stone", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("stone", mass=1, inertia=(0.1, 0.2, 0.3), velocity=(1, 2, 3), angular_velocity=(1, 5, 0.1)))
    sol = m.simulate(1.0, coordinates="joint", progress=False, accuracy=1e-10)
    assert sol["stone.position"][-1] == pytest.approx([1, 2, 3 - 9.81 / 2], abs=1e-9) and sol.energy.drift < 1e-8


def test_outsiders_with_inertia_are_refused_and_others_run():
    from outsider.gyrostat import Gyrostat
    m = pl.Model("gyrostat")
    m.add(Gyrostat("body", mass=1, inertia=(0.1, 0.2, 0.3), rotor=(0, 0, 2.0), angular_velocity=(1, 0.5, 0)))
    a, b = (m.simulate(1.0, coordinates=c, progress=False, accuracy=1e-9, output_step=0.1) for c in ("joint", "absolute"))
    assert abs(a["body.rotation"] - b["body.rotation"]).max() < 1e-7


# -- services
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


def test_check_gives_the_tree_as_data():
    assert "loop closed by C" in json.loads(json.dumps(slider_crank().check().to_dict()))["tree"]


# -- partitioning of loops
@pytest.mark.parametrize("make", [example("bricard"), slider_crank, spatial_loop.four_bar], ids=["bricard", "slider crank", "spatial"])
def test_partitioning_keeps_loops_closed(make):
    """With steps so long that loops open, also with redundant equations."""
    m = make()
    options = {"step": 0.02, "output_step": 0.02, "integrator": pl.RungeKutta4()}
    parted = m.simulate(1.0, formulation=pl.Recursion(stabilization=pl.Partitioning()), **options)
    direct = m.simulate(1.0, formulation=pl.Recursion(), **options)
    open_ = m.simulate(1.0, formulation=pl.Recursion(stabilization=None), **options)
    assert open_.quality.position_violation > 1e-9  # there is something to correct
    assert parted.quality.position_violation < 1e-10 and parted.quality.velocity_violation < 1e-10
    body = m.section("bodies")[1].name
    far = abs(open_[f"{body}.position"] - direct[f"{body}.position"]).max()
    assert abs(parted[f"{body}.position"] - direct[f"{body}.position"]).max() < 10 * far + 1e-9


def test_partitioning_is_refused_where_it_makes_no_sense():
    with pytest.raises(ValueError, match="Index1: stabilization"):
        pl.Index1(stabilization=pl.Partitioning())
    with pytest.raises(ValueError, match="renew"):
        pl.Partitioning(renew=1.5)
