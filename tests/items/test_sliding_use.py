"""Sliding joints as users meet them: text, files, pictures, and what is wrong."""
import numpy as np
import pytest
from flexible_models import bridge
from sliding_models import STEEL, B, H, crane

import pliant as pl


# -- text, files, pictures
def test_text_and_files(tmp_path):
    bridge(4).save(tmp_path / "bridge.h5")
    part = pl.flex.Reduced.load(tmp_path / "bridge.h5")
    assert part.lines == bridge(4).lines and len(part.lines["rail"]) == 41
    (tmp_path / "m.yaml").write_text("""pliant: 1
name: trolley
gravity: [0, 0, -9.81]
bodies:
  beam: {kind: modal, reduced: bridge.h5, position: [0, 0, 0]}
  trolley: {kind: rigid, mass: 20 kg, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {kind: fixed, between: [ground, beam.start]}
  S: {kind: sliding_on_beam, between: [beam.rail, trolley], turning: axis, displacement: 300 mm, angle: 0}
forces:
  K: {kind: axial_spring, joint: S, stiffness: 2 kN/m, damping: 10, displacement: 400 mm}
simulate: {duration: 0.05}
""")
    m = pl.read(tmp_path / "m.yaml")
    sol = m.simulate()
    assert sol["S.displacement"][0] == pytest.approx(0.3) and sol["K.force"][0] == pytest.approx(-200.0)
    m.save(tmp_path / "again.yaml")
    np.testing.assert_array_equal(pl.read(tmp_path / "again.yaml").simulate()["S.displacement"], sol["S.displacement"])
    sol.snapshot(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_lines_of_a_part_as_text(tmp_path):
    from pliant.text.part_files import read_part
    (tmp_path / "p.yaml").write_text("""pliant: 1
material: steel
mesh: {beam: {points: [[0, 0, 0], [2, 0, 0]], section: {circle: {radius: 20 mm}}, elements: 8}}
interfaces: {start: 0, end: 8}
lines: {rail: {from: [0, 0, 0], to: [2000 mm, 0, 0]}}
reduce: {modes: 2}
""")
    assert list(read_part(tmp_path / "p.yaml")[1]().lines["rail"]) == [f"rail_{k}" for k in range(9)]


# -- what is wrong
def test_the_end_of_the_line_is_told():
    m = crane("free")
    m["S"].__dict__["displacement_rate"] = 20.0
    with pytest.raises(pl.SimulationError, match=r"joint 'S' has come to the end of its line, at 2\.\d+ m \(0 to 2\.\d+ m\)") as stopped:
        m.simulate(1.0)
    assert stopped.value.code == "end-of-line" and stopped.value.solution["S.displacement"][-1] > 1.9


@pytest.mark.parametrize(("lines", "message"), [
    ([(0, 0, 0)], "lines: .* must be a mapping"),
    ({"my rail": [0, 1, 2, 3]}, "line 'my rail': its name must be a word"),
    ({"rail": [0, 1, 2]}, "line 'rail': it has 3 places, must have at least 4"),
    ({"rail": {"from": (0, 0, 0)}}, "line 'rail': .* must be {from: point, to: point}"),
    ({"rail": {"from": (0, 0, 0), "to": (0, 0, 0)}}, "from and to are the same point"),
    ({"rail": {"from": (0, 1, 0), "to": (4, 1, 0)}}, "it has 0 places"),
    ({"rail": [0, 1, 1, 2, 3]}, "hold node 1|same point"),
    ({"rail": "x"}, "must be {from: point, to: point}"),
    ({"rail": [0, 1, 2, 999]}, "line 'rail': .*must be whole numbers from 0 to 8"),
    ({"start": [0, 1, 2, 3]}, "the name 'start' is taken")])
def test_wrong_lines(lines, message):
    mesh = pl.flex.mesh_beam([(0, 0, 0), (4, 0, 0)], pl.Section.rectangle(B, H), STEEL, elements=8)
    with pytest.raises(ValueError, match=message):
        pl.flex.reduce(mesh, {"start": (0, 0, 0)}, modes=1, lines=lines)


def test_a_line_that_turns_back_is_refused():
    a = np.linspace(0, 1.9 * np.pi, 20)
    mesh = pl.flex.mesh_beam(np.column_stack([np.sin(a), np.cos(a), 0 * a]), pl.Section.rectangle(B, H), STEEL, elements=19)
    m = pl.Model("ring")
    m.add(pl.ModalBody("ring", pl.flex.reduce(mesh, {"start": 0}, modes=1, lines={"rail": range(20)})))
    m.add(pl.RigidBody.sphere("bead", 0.01, mass=1.0))
    m.add(pl.SlidingOnBeam("S", "ring.rail", "bead"))
    with pytest.raises(pl.ModelError, match="line 'rail' of body 'ring': a line that turns by more than 170 degrees"):
        m.compile()


@pytest.mark.parametrize(("a", "b", "message"), [
    ("beam.rial", "load", "no frame 'rial'.*'?rail"), ("beam.start", "load", "body 'beam' has no line 'start'"),
    ("load", "beam.end", "first must be a line"), ("other.x", "load", "body 'other' has no lines to slide along"),
    ("beam.rail", "beam.end", "both frames are on 'beam'")])
def test_wrong_ends(a, b, message):
    m = pl.Model("wrong")
    m.add(pl.ModalBody("beam", bridge(4)))
    m.add(pl.RigidBody.sphere("load", 0.05, mass=1.0))
    m.add(pl.RigidBody.sphere("other", 0.05, mass=1.0, frames={"x": (0, 0, 0)}))
    with pytest.raises(ValueError, match=message):
        m.add(pl.SlidingOnBeam("S", a, b))
        m.compile()


def test_an_angle_needs_an_axis():
    with pytest.raises(ValueError, match="angle: there is no angle with turning='free'; take turning='axis'"):
        pl.SlidingOnBeam("S", "beam.rail", "load", angle=0.3)
