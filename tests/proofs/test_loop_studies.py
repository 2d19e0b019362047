"""The studies of joint coordinates: limits that they must keep, and what their models are said to be."""
import json

import numpy as np
import pytest

import pliant as pl
from pliant.cli import execute
from pliant.compile.vibration import highest_frequency
from pliant.kernels import closed_loops as kernels
from pliant.proofs.studies import loops, loops_models, manipulator


@pytest.mark.parametrize("name", loops.EXAMPLES)
def test_violations_stay_small_with_correction_and_grow_without(name):
    """For 200 s, as in the paper."""
    example = loops.EXAMPLES[name]
    found = {way: loops.history(example, way, 20.0 if way == "algorithm 2" else 200.0, 200) for way in loops.WAYS}
    found["partitioning"] = loops.history(example, "partitioning", 20.0, 200)
    for way in ("algorithm 1", "algorithm 2", "partitioning"):
        _, gap, rates = found[way]
        assert gap.max() <= 1e-10 and rates.max() <= 1e-10
    t, gap, _ = found["none"]
    assert gap[-1] > 1e-4 and gap[t > 100].max() > 2 * gap[t < 50].max()
    for way in ("Baumgarte, 5 / s", "Baumgarte, 50 / s"):
        t, gap, _ = loops.history(example, way, 20.0, 200)
        assert 1e-10 < gap.max() < 1e-3 and gap[t > 10].max() < 2 * gap[t < 10].max()


def test_the_linkages_are_those_of_the_paper():
    """q1 = q3 = 60 degrees, q2 = -60; 27 elements, flexible bodies 5, 11, 21, the last of the cut joints 27; one loop of 5 pins, 4 slides
    and one more pin; loops of 100 to 500 rods with pins and slides."""
    start = loops_models.four_bar().assemble().solution
    assert [np.degrees(start[f"{j}.angle"][0]) for j in "ABD"] == pytest.approx([60, -60, 60])
    along = {b: (start[f"{b}.end.position"] - start[f"{b}.start.position"])[0] for b in ("crank", "coupler", "rocker")}
    assert np.allclose([along["crank"], along["rocker"], along["coupler"]], [[0.5, np.sqrt(0.75), 0]] * 2 + [[1, 0, 0]])
    windows, slides = loops_models.windows(), loops_models.slides()
    assert len(windows.section("bodies")) + len(windows.section("joints")) == 27
    assert [b.name for b in windows.section("bodies") if b.kind == "modal"] == ["body_11", "body_21", "body_5"]
    assert set(windows.joint_space(cut=loops.EXAMPLES["2"].cut).topology.cut) == {f"joint_{7 + 5 * k}" for k in range(5)}
    kinds = [j.kind for j in slides.section("joints")]
    assert kinds == ["revolute"] * 5 + ["prismatic"] * 4 + ["revolute"]
    kinds = [j.kind for j in loops_models.slides(100).section("joints")]
    assert sorted(kinds) == ["prismatic"] * 50 + ["revolute"] * 51


def test_the_highest_mode_suits_the_step():
    for example in loops.EXAMPLES.values():
        assert 0.3 < loops_models.STEP * highest_frequency(example.make().compile()) <= 1


class Counted:
    """A number that counts the operations it takes part in."""
    operations = 0

    def _count(self, *other):
        Counted.operations += 1
        return self
    __mul__ = __rmul__ = __add__ = __radd__ = __sub__ = __rsub__ = __neg__ = _count


def operations(space, kernel):
    """Of one Jacobian of a loop: the kernel itself runs in Python, on numbers that count."""
    tr, lp, D = space.p.joints.tree, space.p.joints.loops, space.p.x.D

    def counted(x):
        out = np.empty(x.shape, object)
        out[...] = Counted()
        return out
    tr = tr._replace(w=counted(tr.w), s=counted(tr.s), m=counted(tr.m))
    lp = lp._replace(F=counted(lp.F), Z=counted(lp.Z), G=counted(lp.G))
    Counted.operations = 0
    kernel(tr, lp, counted(D))
    return Counted.operations


def test_sweeps_do_less_and_their_work_is_linear(monkeypatch):
    """Work is counted, so that it does not depend on the machine: Algorithm 1 grows with the length of the path, Algorithm 2 with its
    square."""
    spaces = [loops_models.slides(n).joint_space(cut=f"joint_{2 * n + 1}") for n in (20, 40, 80)]
    interpret(monkeypatch, kernels)
    swept = [operations(space, lambda tr, lp, D: kernels.sweep(tr, lp, D, 0, False)) for space in spaces]
    direct = [operations(space, kernels.differentiate) for space in spaces]
    assert swept[2] - swept[1] == 2 * (swept[1] - swept[0]) > 0
    assert direct[2] - direct[1] > 3 * (direct[1] - direct[0]) and direct[0] > swept[0]


def interpret(monkeypatch, module):
    """The kernels of a module, and those that it uses, as plain Python."""
    for name, value in vars(module).items():
        if hasattr(value, "py_func"):
            function = value.py_func
            if function.__module__ != module.__name__:
                interpret_globals(monkeypatch, function)
            monkeypatch.setattr(module, name, function)


def interpret_globals(monkeypatch, function):
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if hasattr(value, "py_func"):
            monkeypatch.setitem(function.__globals__, name, value.py_func)
            interpret_globals(monkeypatch, value.py_func)


@pytest.mark.parametrize("times, ratio, passed", [((3.0, 4.0, 5.0), 1.01, True), ((3.0, 4.0, 5.0), 0.99, False),
                                                  ((3.0, 400.0, 5.0), 1.01, False)])
def test_a_row_compares_with_the_paper(monkeypatch, times, ratio, passed):
    """With a clock that says how long the three ways take: the smallest ratio to the paper counts, and Algorithm 1 is to be faster."""
    now, way = [0.0], dict(zip(loops.WAYS, times, strict=True))
    form, simulate = loops.formulation, pl.Model.simulate

    def chosen(example, name):
        now[0] += way[name]
        return form(example, name)
    monkeypatch.setattr(loops, "formulation", chosen)
    monkeypatch.setattr(loops, "compared", lambda example, duration: ratio)
    monkeypatch.setattr(loops.time, "process_time", lambda: now[0])
    monkeypatch.setattr(pl.Model, "simulate", lambda self, duration, **more: simulate(self, min(duration, 1.0), **more))
    row = loops._row("1", loops.EXAMPLES["1"], (5.0, 1e3, 2e3, 3e3), 3)
    assert [row[name] for name in loops.WAYS] == pytest.approx(times) and row["2 over 1"] == ratio
    assert row["faster"] == pytest.approx(min(1e3 / times[0], 2e3 / times[1], 3e3 / times[2]))
    assert row["violation"] <= 1e-10 and row["rates"] <= 1e-10 and row["passed"] == passed


def test_the_algorithms_are_timed_on_the_same_pieces(monkeypatch):
    """With a clock that goes on by two ticks for every piece of Algorithm 2, by one for those of Algorithm 1."""
    now, form, ticks = [0.0], loops.formulation, [0.0]

    def chosen(example, name):
        ticks[0] = {"algorithm 1": 1.0, "algorithm 2": 2.0}[name]
        return form(example, name)

    def clock():
        now[0] += ticks[0]
        return now[0]
    monkeypatch.setattr(loops, "formulation", chosen)
    monkeypatch.setattr(loops.time, "process_time", clock)
    monkeypatch.setattr(loops, "STEPS", 3)
    monkeypatch.setattr(loops, "TURNS", 2)
    assert loops.compared(loops.EXAMPLES["1"], 1.0) == pytest.approx(2.0)


def test_the_manipulator(tmp_path, capsys):
    assert execute(["study", "manipulator", "-o", str(tmp_path / "m.png"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] and (tmp_path / "m.png").stat().st_size > 5000
    torque = {row["quantity"]: row["difference"] for row in found["rows"]}
    assert torque["waist_motor.effort"] > 10 and 1e-3 < torque["hand.center.position"] < 0.05
    assert [row["arm"] for row in found["work"]] == ["rigid"] * 4 + ["deformable"] * 8
    for runge_kutta, adams in zip(found["work"][::2], found["work"][1::2], strict=True):  # four or six evaluations a step against two
        assert adams["evaluations"] < 0.7 * runge_kutta["evaluations"] and max(runge_kutta["error"], adams["error"]) < 1e-4
    assert execute(["study", "manipulator", "-o", "m.doc"]) == 1 and execute(["study", "loops", "--duration", "3"]) == 1


def test_torques_at_rest_are_static():
    """The waist needs none; the shoulder carries the arm, the hand and the load."""
    sol = manipulator.manipulator(False).simulate(0.01, step=1e-3, coordinates="joint", progress=False, start="static")
    m, arm = manipulator, manipulator.arm_part().integrals.m
    weights = (arm * m.ARM / 2 + m.HAND_MASS * (m.ARM + m.HAND / 2) + m.LOAD * (m.ARM + m.HAND)) * 9.81
    assert np.isfinite(sol["shoulder_motor.effort"]).all() and abs(abs(sol["shoulder_motor.effort"][0]) - weights) < 0.2 * weights
