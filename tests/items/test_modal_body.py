"""The item ModalBody: start values, files, channels, pictures, and what is refused."""
import re
from pathlib import Path

import numpy as np
import pytest
from flexible_models import rod, slider_crank

import pliant as pl
from pliant import flex
from pliant.items.base import matrix_of
from pliant.plot.scene import scene
from pliant.text.model_text import from_text, to_text

PENDULUM = """pliant: 1
name: pendulum
gravity: [0, -9.81, 0]
bodies:
  rod: {kind: modal, reduced: rod.h5, damping: 0.01}
joints:
  A: {kind: revolute, between: [ground, rod.start], axis: z}
forces:
  F: {kind: force, frame: rod.end, vector: [0, "5*sin(9*t)", 1]}
"""


def pendulum(**more) -> pl.Model:
    m = pl.Model("pendulum", gravity=(0, -9.81, 0))
    m.add(pl.ModalBody("rod", rod(), **more))
    m.add(pl.Revolute("A", m.ground, "rod.start", axis="z"))
    return m


def run(m, duration=0.02, **more):
    return m.simulate(duration, progress=False, step=1e-4, **more)


# -- start values
def test_modal_coordinates_start_as_stated_and_at_zero_otherwise():
    stated = 1e-4 * np.arange(1, rod().n + 1)
    for stiffening in ("on", "off"):
        turn, w = pl.rotation((1, 2, 3), 0.3), (0.2, -0.5, 0.7)
        m = pl.Model("thrown")
        m.add(pl.ModalBody("rod", rod(), (0.1, 0.2, 0.3), turn, (1.0, 2.0, 3.0), w, modal=stated, modal_rate=-2 * stated,
                           stiffening=stiffening))
        sol = run(m, 1e-3)
        np.testing.assert_allclose(sol["rod.modal"][0], stated, rtol=1e-12)
        np.testing.assert_allclose(sol["rod.modal_rate"][0], -2 * stated, rtol=1e-12)
        for name, value in (("position", (0.1, 0.2, 0.3)), ("rotation", turn), ("velocity", (1, 2, 3)), ("angular_velocity", w)):
            np.testing.assert_allclose(sol[f"rod.{name}"][0], value, rtol=0, atol=1e-12)  # of the part's own frame
            np.testing.assert_allclose(sol[f"rod.start.{name}"][0], value, rtol=0, atol=1e-12)
    sol = run(pendulum(modal={"mode 2": 1e-3}, angular_velocity=(0, 0, 3.0)))
    assert sol["rod.modal.2"][0] == pytest.approx(1e-3, rel=1e-12)
    assert abs(np.delete(sol["rod.modal"][0], 1)).max() == 0
    assert abs(sol["rod.modal_rate"][0]).max() < 1e-12
    np.testing.assert_allclose(sol["rod.end.velocity"][0, 1], 3.0, rtol=1e-2)


def test_rigid_velocities_are_solved_first():
    """The mechanism turns with its drive, and the rod is carried along without a rate of deformation."""
    sol = run(slider_crank())
    assert abs(sol["rod.modal_rate"][0]).max() < 1e-9 and abs(sol["rod.modal"][0]).max() < 1e-12
    assert np.linalg.norm(sol["rod.end.velocity"][0]) > 0.1
    assert sol.quality.position_violation < 1e-10


def test_modal_rates_are_solved_for_where_the_joints_need_them():
    """Both ends held by hinges that turn at different rates: the rod must bend."""
    m = pl.Model("bent")
    m.add(pl.ModalBody("rod", rod()))
    m.add(pl.RigidBody("lever", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(pl.Fixed("clamp", m.ground, "rod.start"))
    m.add(pl.Revolute("hinge", m.ground.frame((1, 0, 0)), "lever", axis="z"))
    m.add(pl.Fixed("weld", "rod.end", "lever"))
    m.add(pl.Drive("hinge", "angle", "0.5*t"))
    assert abs(run(m, 0.001)["rod.modal_rate"][0]).max() > 0.01
    m["rod"].modal_rate = np.zeros(rod().n)
    with pytest.raises(pl.ModelError, match="modal_rate of 'rod'"):
        run(m, 0.001)


def test_gaps_are_closed_by_moving_and_only_then_by_bending():
    m = slider_crank()
    m["slider"].position = tuple(np.array(m["slider"].position) + (1e-4, 0, 0))
    pose = m.assemble()
    d = pose.dynamics
    assert pose.ok and abs(pose.row[3 + d.directory.flexible["rod"].iq:][:rod().n]).max() < 1e-12
    held = pl.Model("stretched")
    held.add(pl.ModalBody("rod", rod()))
    held.add(pl.Spherical("a", held.ground, "rod.start"))
    held.add(pl.Spherical("b", held.ground.frame((1.0005, 0, 0)), "rod.end"))
    sol = run(held, 1e-3)
    np.testing.assert_allclose(sol["rod.end.position"][0], (1.0005, 0, 0), atol=1e-12)


def test_start_in_equilibrium():
    sol = run(pendulum(rotation=pl.rotation("z", -np.pi / 2 + 0.1)), start="static")
    assert abs(sol["rod.modal_rate"]).max() < 1e-9
    assert sol["rod.end.position"][0, 1] == pytest.approx(-1.0, abs=1e-5)  # longer by its weight


# -- damping
@pytest.mark.parametrize("damping", [0.03, [0.01 * (k + 1) for k in range(9)], {"mass": 2.0, "stiffness": 1e-5}])
def test_damping_of_a_held_rod(damping):
    m = pl.Model("held")
    m.add(pl.ModalBody("rod", rod(), damping=damping))
    m.add(pl.Fixed("clamp", m.ground, "rod.start"))
    found = m.modes()
    w = 2 * np.pi * rod().frequencies
    expected = {float: lambda: np.full(9, damping), list: lambda: np.array(damping), dict: lambda: 1.0 / w + 1e-5 * w / 2}[type(damping)]()
    np.testing.assert_allclose(np.sort(found.frequencies), rod().frequencies, rtol=1e-9)
    np.testing.assert_allclose(found.damping[np.argsort(found.frequencies)], expected, rtol=1e-6)


# -- text and files
def test_text_and_results(tmp_path: Path, monkeypatch):
    rod().save(tmp_path / "rod.h5")
    (tmp_path / "model.yaml").write_text(PENDULUM)
    m = pl.read(tmp_path / "model.yaml")
    assert m["rod"].reduced.n == rod().n and m["rod"].damping == 0.01
    m.save(tmp_path / "again.yaml")
    assert "reduced: rod.h5" in (tmp_path / "again.yaml").read_text()
    assert pl.read(tmp_path / "again.yaml")["rod"] == m["rod"]
    assert to_text(from_text(to_text(m))) == to_text(m)
    sol = run(m)
    sol.save(tmp_path / "run.h5")
    loaded = pl.load(tmp_path / "run.h5")
    for name in ("rod.modal", "rod.modal_rate", "rod.end.position", "A.force"):
        np.testing.assert_array_equal(loaded[name], sol[name])
    np.testing.assert_array_equal(loaded["rod.modal.3"], sol["rod.modal"][:, 2])
    assert "rod.modal.9" in loaded.table("rod.modal")
    whole = run(pl.read(tmp_path / "model.yaml"), 0.04)
    np.testing.assert_array_equal(loaded.resume(0.02, progress=False)["rod.modal"], whole["rod.modal"])


def test_a_part_in_memory_is_kept_by_the_model_only(tmp_path: Path):
    m = pendulum()
    with pytest.raises(pl.ModelError, match=r"bodies\.rod: reduced: the part of body 'rod' is in memory only; save it"):
        m.save(tmp_path / "m.yaml")
    sol = run(m)
    sol.save(tmp_path / "run.h5")
    assert pl.load(tmp_path / "run.h5", model=m)["rod.modal"].shape == (len(sol.t), 9)


WRONG = {
    ("reduced: rod.h5", "reduced: nope.h5"): r"model.yaml:5: bodies.rod.reduced: file .*'?nope.h5'? not found",
    ("rod.start]", "rod.strt]"): "did you mean 'start'",
    ("rod.start]", "rod]"): "its own frame is no place that can be held or loaded",
    ("rod.start]", "{body: rod, point: [0.3, 0, 0]}]"): "the nearest, 'start', is 300 mm away",
    ("damping: 0.01", "damping: [0.1, 0.2]"): "2 ratios, must be 9",
    ("damping: 0.01", "damping: -1"): "must not be negative",
    ("damping: 0.01", "damping: {mas: 1}"): "must be a ratio",
    ("damping: 0.01", "modal: [1, 2]"): "2 numbers, must be 9",
    ("damping: 0.01", "modal: {mode 99: 1}"): "there is no modal coordinate 'mode 99'",
    ("damping: 0.01", "stiffening: maybe"): "'maybe' must be 'on' or 'off'",
    ("damping: 0.01", "frames: {x: [0, 0, 0]}"): "are the interfaces of its part",
    ("reduced: rod.h5, ", ""): "reduced: is missing",
}


@pytest.mark.parametrize("change", WRONG, ids=[b or "missing" for _, b in WRONG])
def test_wrong_texts_are_told_with_their_line(change, tmp_path: Path):
    rod().save(tmp_path / "rod.h5")
    (tmp_path / "model.yaml").write_text(PENDULUM.replace(*change))
    with pytest.raises(pl.ModelError, match=WRONG[change]) as told:
        pl.read(tmp_path / "model.yaml")
    assert re.match(r".*model\.yaml:[57]: ", str(told.value))


def test_integrals_of_no_real_body_are_refused():
    i = rod().integrals._replace(B0=10 * rod().integrals.B0)
    m = pl.Model("wrong")
    m.add(pl.ModalBody("rod", flex.Reduced(rod().names, i, rod().Kqq, rod().nodes)))
    with pytest.raises(pl.ModelError, match="do not belong to a body with positive masses"):
        m.compile()


# -- looking at it
def test_check_and_summary_count_modal_coordinates():
    report = slider_crank().check()
    assert not [f for f in report.findings if f.severity == "error"]
    assert report.degrees_of_freedom == 18 + 9 - 17
    assert "rod" in slider_crank().summary() and "+ 9 modal" in slider_crank().summary()


def test_expressions_and_measures_see_deformed_nodes():
    m = pendulum()
    m.add(pl.Measure("gap", m.ground, "rod.end"))
    m.add(pl.Torque("brake", "rod.end", (0, 0, "-0.1*rod.end.velocity.y")))
    sol = run(m)
    np.testing.assert_allclose(sol["gap.distance"], np.linalg.norm(sol["rod.end.position"], axis=1), rtol=1e-12)


def test_pictures_follow_the_modes(tmp_path: Path):
    """The line of the skin ends where the end is; second-order displacements are left out of pictures."""
    m = pendulum(stiffening="off")
    m.add(pl.Force("push", "rod.end", (0, 0, 500.0)))
    sol = run(m, 0.03)
    made = scene(sol, sol.t[[-1]])
    body = next(b for b in made.bodies if b.name == "rod")
    ends = body.lines(body.bent, 0)
    end = sol["rod.end.position"][-1]
    assert np.nanmin(np.linalg.norm(ends - end, axis=1)) < 1e-9
    straight = body.world(getattr(body, body.bent), 0)
    assert np.nanmin(np.linalg.norm(straight - end, axis=1)) > 1e-3
    sol.snapshot(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_a_frame_may_be_named_by_its_place_and_turned():
    m = pl.Model("turned")
    body = m.add(pl.ModalBody("rod", rod(), position=(0.1, 0.2, 0.3)))
    turn = pl.rotation("x", 0.3)
    m.add(pl.Fixed("clamp", m.ground.frame((0.1, 0.2, 0.3)), body.frame((0, 0, 0), turn)))
    m.add(pl.Force("push", body.frame((1, 0, 0), turn), (0, 10.0, 0), axes="frame"))
    bend = m.static()["rod.end.position"] - (1.1, 0.2, 0.3)
    k = 3 * 2e11 / 12 * np.array([0.03 * 0.02**3, 0.02 * 0.03**3])  # along y and z
    np.testing.assert_allclose(bend[1:], matrix_of(turn)[1:, 1] * 10.0 / k, rtol=1e-3)
