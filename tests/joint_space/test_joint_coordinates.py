"""coordinates="joint" as users meet it: options, files, continuation, messages."""
import json

import numpy as np
import pytest
import spatial_loop
from examples_of import example
from joint_models import CARRIERS, closed_chain, tree
from mechanisms import four_bar, pendulum, slider_crank

import pliant as pl
from pliant import cli
from pliant.items.errors import ModelError
from pliant.kernels.state_row import parts


def test_options():
    sol = pendulum().simulate(0.5, coordinates="joint", progress=False)
    assert sol.formulation == pl.Recursion() and sol.method.controlled
    assert pendulum().simulate(0.1, coordinates="joint", formulation=pl.Index1(None), progress=False).formulation == pl.Recursion(None)
    assert pendulum().simulate(0.1, coordinates="absolute", progress=False).formulation == pl.Index1()


@pytest.mark.parametrize("options, message", [
    ({"coordinates": "polar"}, "must be one of absolute, joint"),
    ({"coordinates": "joint", "formulation": pl.NullSpace()}, "null-space is one of absolute coordinates"),
    ({"coordinates": "absolute", "formulation": pl.Recursion()}, "leave one of the two out"),
    ({"coordinates": "joint", "integrator": pl.DIMCD()}, "dimcd makes no sense in joint coordinates; take one of generalized-alpha"),
    ({"coordinates": "joint", "integrator": pl.IDA()}, "ida makes no sense in joint coordinates"),
    ({"coordinates": "joint", "integrator": "automatic", "step": 0.01}, "leave step out"),
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


@pytest.mark.parametrize("form", [pl.Recursion(None), pl.Index1(None), pl.Recursion(pl.Partitioning()),
                                  pl.Recursion(pl.Baumgarte(5, 5), "A, B")], ids=str)
def test_formulations_are_written_and_read_again(form, tmp_path):
    m = four_bar()
    m.settings = {"duration": 0.2, "formulation": form}
    m.save(tmp_path / "m.yaml")
    assert pl.read(tmp_path / "m.yaml").settings["formulation"] == form


@pytest.mark.parametrize("integrator", [pl.RungeKutta4(), pl.DOP853(), pl.AdamsBashforthMoulton()])
def test_a_run_goes_on_from_its_file(integrator, tmp_path):
    """Further than it was meant to go."""
    options = {"coordinates": "joint", "integrator": integrator, "progress": False, "output_step": 0.05}
    options |= {"step": 1e-3} if integrator.kind == "runge-kutta-4" else {"accuracy": 1e-7}
    make = lambda: tree(CARRIERS, seed=2)  # noqa: E731
    make().simulate(0.4, out=tmp_path / "half.h5", **options)
    resumed = pl.load(tmp_path / "half.h5").resume(0.4, progress=False)
    whole = make().simulate(0.8, **options)
    s = whole.dynamics.system
    p, r = parts(resumed.rows, s.q0.size, s.n), parts(whole.rows, s.q0.size, s.n)
    assert abs(p["q"] - r["q"]).max() < (1e-13 if integrator.kind == "runge-kutta-4" else 1e-6)


@pytest.mark.parametrize("integrator, kept", [
    *((i, pl.DirectCorrection()) for i in (pl.DOP853(), pl.AdamsBashforthMoulton(), pl.RadauIIA5(), pl.BDF(), pl.GeneralizedAlpha(0.8))),
    (pl.RungeKutta4(), pl.Partitioning()), (pl.DOP853(), pl.Partitioning())], ids=lambda x: x.kind)
def test_an_interrupted_run_goes_on_as_if_nothing_had_been(integrator, kept, tmp_path):
    """To the last bit."""
    def stop(t, end):
        if t > 0.3:
            raise KeyboardInterrupt
    fixed = integrator.kind in ("runge-kutta-4", "generalized-alpha")
    options = {"formulation": pl.Recursion(kept), "integrator": integrator, "output_step": 2.5e-3}
    options |= {"step": 2.5e-3} if fixed else {"accuracy": 1e-6}
    whole = closed_chain(6, 4, "revolute").simulate(4.0, progress=False, **options)
    with pytest.raises(KeyboardInterrupt):
        closed_chain(6, 4, "revolute").simulate(4.0, progress=stop, out=tmp_path / "part.h5", **options)
    part = pl.load(tmp_path / "part.h5")
    assert 0.3 < part.t[-1] < 4 and np.array_equal(part.resume(progress=False).rows, whole.rows)


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


def test_a_coupler_without_mass_runs():
    """It has no freedom of its own, as the loop is closed: the tree must not end there."""
    m = four_bar()
    m["top"].mass, m["top"].inertia = 0.0, (0.0, 0.0, 0.0)
    a, b = (m.simulate(0.5, coordinates=c, integrator=pl.DOP853(), formulation=pl.Index1(), progress=False, accuracy=1e-10, output_step=0.1)
            for c in ("joint", "absolute"))
    assert abs(a["left.end.position"] - b["left.end.position"]).max() < 1e-9
    for joint in "ABCD":
        assert abs(a[f"{joint}.force"] - b[f"{joint}.force"]).max() < 1e-6
    with pytest.raises(pl.SimulationError, match=r"'top'.*cut another joint"):
        m.simulate(0.5, formulation=pl.Recursion(cut="C"), progress=False)


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
    from pliant.proofs.studies.loops_models import four_bar
    with pytest.raises(pl.SimulationError, match=r"too long a step|finite") as told:
        four_bar().simulate(5.0, step=0.1, coordinates="joint", integrator=pl.RungeKutta4(), progress=False)
    assert "no mass" not in str(told.value) and "less accuracy" not in str(told.value)
    with pytest.raises(pl.SimulationError, match=r"The fixed step may be too long for its modes"):
        four_bar().simulate(5.0, step=0.1, coordinates="joint", integrator=pl.DormandPrince54(), progress=False)


def test_check_warns_of_steps_beyond_the_modes():
    from pliant.proofs.studies.loops_models import four_bar
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
    from pliant.plot.tree_figure import places
    found = places(tree(CARRIERS, seed=2, springs=False).joint_space().topology)
    assert len(set(found.values())) == len(found) == len(CARRIERS) + 1  # no two at one place


def test_the_automatic_choice_prefers_joint_coordinates_for_trees():
    sol = tree(CARRIERS, seed=2).simulate(0.2, progress=False)
    assert sol.formulation == pl.Recursion() and "in joint coordinates, as 8 bodies and no loops" in sol.why
    from pliant.proofs.benchmark_models import fourbars
    sol = fourbars(5).simulate(0.05, progress=False)
    assert sol.formulation == pl.Recursion() and "11 bodies and 5 loops" in sol.why
    leaf = pl.Model("a leaf on three hinges", gravity=(0, -9.81, 0.5))
    leaf.add(pl.RigidBody.box("leaf", size=(0.8, 2.0, 0.04), mass=20.0, position=(0.4, 1.0, 0)))
    for k, height in enumerate((0.3, 1.0, 1.7)):
        leaf.add(pl.Revolute(f"h{k}", leaf.ground.frame((0, height, 0)), leaf["leaf"].frame((-0.4, height - 1, 0)), axis="y"))
    assert leaf.simulate(0.05, progress=False).formulation == pl.Index1()
    assert tree(CARRIERS, seed=2).simulate(0.2, coordinates="absolute", progress=False).formulation == pl.Index1()


def stiff_arm() -> pl.Model:
    m = pl.Model("stiff", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.rod("arm", (0, 0, 0), (1, 0, 0), mass=1))
    m.add(pl.Revolute("A", m.ground, "arm.start", axis="y"))
    m.add(pl.TorsionSpring("k", "A", 1e8, 1e5))
    return m


def test_in_joint_coordinates_the_method_is_chosen_too():
    """An implicit one where the model is stiff, which in absolute coordinates runs just so; with a fixed step as well."""
    for options in ({"coordinates": "joint"}, {"formulation": "recursion"}, {"coordinates": "joint", "integrator": "automatic"}):
        sol = stiff_arm().simulate(1.0, progress=False, **options)
        assert sol.method.kind == "radau-iia-5" and sol.formulation == pl.Recursion() and "is stiff" in sol.why and sol.quality.steps < 500
    soft = four_bar().simulate(0.2, coordinates="joint", formulation=pl.Recursion(cut="A"), progress=False)
    assert soft.method.kind == "dop853" and soft.formulation == pl.Recursion(cut="A") and "nothing is stiff" in soft.why
    held = stiff_arm()
    held.settings = {"duration": 0.1, "step": 1e-3, "coordinates": "joint"}
    a, b = held.simulate(progress=False), held.simulate(coordinates="absolute", progress=False)
    assert a.method == b.method == pl.GeneralizedAlpha(0.9) and "stiff for a step of 0.001 s" in a.why
    assert abs(a["arm.end.position"] - b["arm.end.position"]).max() < 1e-9 and held.check().ok
    assert not [f for f in held.check().findings if f.code == "step-unstable"]
    assert four_bar().simulate(0.1, step=1e-3, coordinates="joint", progress=False).method.kind == "dormand-prince-54"


@pytest.mark.filterwarnings("error:overflow")
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


def test_check_shows_the_tree_that_runs(tmp_path):
    """With the joints that options name cut, in text and figure; wrong names are errors; items that are left out do not matter."""
    from pliant.plot.tree_figure import draw_tree
    m = four_bar()
    m.settings = {"formulation": pl.Recursion(cut="A")}
    assert "loop closed by A" in m.check().tree and set(draw_tree(m, tmp_path / "a.png").cut) == {"A"}
    m.settings = {"coordinates": "joint", "formulation": {"kind": "recursion", "cut": "B, Bx"}}
    report = m.check()
    assert not report.ok and "loop closed by B" in report.tree
    assert "joint 'Bx', which is not there; did you mean 'B'?" in str(report).replace("\n    ", " ")
    for name in ("one", "two"):
        m.add(pl.Drive("A", "angle", "t", name=name))
    assert set(draw_tree(m, tmp_path / "b.png").cut) == {"B"}


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
