"""The studies of joint coordinates: limits that they must keep, and what their models are said to be."""
import json

import numpy as np
import pytest

from pliant.cli import execute
from pliant.diagnosis.frequencies import highest_frequency
from pliant.studies import loops, loops_models, manipulator


@pytest.mark.parametrize("name", loops.EXAMPLES)
def test_violations_stay_small_with_correction_and_grow_without(name):
    """For 200 s, as in the paper."""
    example = loops.EXAMPLES[name]
    found = {way: loops.history(example, way, 20.0 if way == "algorithm 2" else 200.0, 200) for way in loops.WAYS}
    for way in ("algorithm 1", "algorithm 2"):
        _, gap, rates = found[way]
        assert gap.max() <= 1e-10 and rates.max() <= 1e-10
    t, gap, _ = found["none"]
    assert gap[-1] > 1e-4 and gap[t > 100].max() > 2 * gap[t < 50].max()


def test_the_linkages_are_those_of_the_paper():
    """27 elements, flexible bodies 5, 11, 21, the last of the cut joints 27; one loop of 5 pins, 4 slides and one more pin."""
    windows, slides = loops_models.windows(), loops_models.slides()
    assert len(windows.section("bodies")) + len(windows.section("joints")) == 27
    assert [b.name for b in windows.section("bodies") if b.kind == "modal"] == ["body_11", "body_21", "body_5"]
    assert set(windows.joint_space(cut=loops.EXAMPLES["2"].cut).topology.cut) == {f"joint_{7 + 5 * k}" for k in range(5)}
    kinds = [j.kind for j in slides.section("joints")]
    assert kinds == ["revolute"] * 5 + ["prismatic"] * 4 + ["revolute"]


def test_the_highest_mode_suits_the_step():
    for example in loops.EXAMPLES.values():
        assert 0.3 < loops_models.STEP * highest_frequency(example.make().compile()) <= 1


def test_sweeps_win_and_are_linear():
    few, many = (loops.scaling(n) for n in (50, 200))
    assert 1 < few["ratio"] < many["ratio"] and many["sweep"] < 4 * 1.6 * few["sweep"]


def test_a_row_compares_with_the_paper():
    row = loops._row("1", loops.EXAMPLES["1"], (5.0, 1.9, 1.9, 2.4), 1)
    assert {"none", "algorithm 1", "algorithm 2"} <= row.keys() and row["faster"] > 10 and row["violation"] <= 1e-10


def test_the_manipulator(tmp_path, capsys):
    assert execute(["study", "manipulator", "-o", str(tmp_path / "m.png"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] and (tmp_path / "m.png").stat().st_size > 5000
    torque = {row["quantity"]: row["difference"] for row in found["rows"]}
    assert torque["waist_motor.effort"] > 10 and 1e-3 < torque["hand.center.position"] < 0.05
    assert execute(["study", "manipulator", "-o", "m.doc"]) == 1 and execute(["study", "loops", "--duration", "3"]) == 1


def test_torques_at_rest_are_static():
    """The waist needs none; the shoulder carries the arm, the hand and the load."""
    sol = manipulator.manipulator(False).simulate(0.01, step=1e-3, coordinates="joint", progress=False, start="static")
    m, arm = manipulator, manipulator.arm_part().integrals.m
    weights = (arm * m.ARM / 2 + m.HAND_MASS * (m.ARM + m.HAND / 2) + m.LOAD * (m.ARM + m.HAND)) * 9.81
    assert np.isfinite(sol["shoulder_motor.effort"]).all() and abs(abs(sol["shoulder_motor.effort"][0]) - weights) < 0.2 * weights
