"""Texts in texts: files, chains of them, their own lines in messages, changes from the command line."""
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant import cli
from pliant.items.errors import TextError
from pliant.text.model_text import from_text, read, to_text
from pliant.text.schema import schema

LEG = """pliant: 1
name: leg
parameters: {L: 0.4 m}
tables: {soft: {x: [0, 1], y: [0, 2]}}
ground: {frames: {hook: [0, 0, 1]}}
bodies:
  thigh: {mass: 1, rod: {start: [0, 0, 0], end: ["=L", 0, 0]}}
joints:
  hip: {kind: revolute, between: [ground, thigh.start], axis: y}
forces:
  s: {kind: spring-damper, between: [ground.hook, thigh.end], stiffness: 100}
variables: {lean: soft(hip.angle) + L}
style: {thigh: {color: red}}
"""
ROBOT = """pliant: 1
name: robot
parameters: {d: 0.2 m}
include:
  left: {file: parts/leg.yaml, position: [0, "=d", 0]}
  right: {file: parts/leg.yaml, mirror: y, position: [0, -0.2, 0], rotation: {axis: z, angle: 10 deg}, parameters: {L: "=3*d"}}
ground: {frames: {own: [0, 0, 2]}}
gravity: [0, 0, -9.81]
forces:
  tie: {kind: spring-damper, between: [left.thigh.end, right.thigh.end], stiffness: "=10 N/m*left.L/1 m"}
  f: {kind: force, frame: left.thigh, vector: [left.hip.angle*right.L, left.lean, left.soft(t)]}
measures:
  gap: {between: [ground.left.hook, right.thigh]}
"""


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/leg.yaml").write_text(LEG)
    (tmp_path / "robot.yaml").write_text(ROBOT)
    return tmp_path / "robot.yaml"


def test_the_same_as_in_python(robot):
    m = read(robot)
    text = to_text(m)
    assert to_text(from_text(text)) == text and "include" not in text
    leg, due = from_text(LEG), pl.Model("robot", (0, 0, -9.81))
    due.parameter("d", "0.2 m")
    due.add(leg, name="left", position=(0, "=d", 0))
    due.add(leg, name="right", mirror="y", position=(0, -0.2, 0), rotation=pl.rotation("z", "10 deg"), parameters={"L": "=3*d"})
    due.ground.frames = {**due.ground.frames, "own": {"point": (0, 0, 2)}}
    assert m["right.thigh"] == due["right.thigh"] and m["left.s"] == due["left.s"] and m.values == due.values
    assert m.styles["right.thigh"].color == "#c1121f"
    np.testing.assert_array_equal(m.simulate(0.1).rows, from_text(text).simulate(0.1).rows)
    assert read(robot, changes=["d=0.3"]).values["right.L"] == pytest.approx(0.9)


def test_changes_from_the_command_line(robot):
    m = read(robot, changes=["left.L=0.6", "left.thigh.mass=3", "d=0.3", "right.s.active=false"])
    assert m.values["left.L"] == 0.6 and m["left.thigh"].mass == 3.0 and not m["right.s"].active
    np.testing.assert_array_equal(m["left.thigh"].end, (0.6, 0.3, 0))
    flat = robot.with_name("flat.yaml")
    flat.write_text(to_text(read(robot)))
    changed = read(flat, changes=["left.L=0.6", "forces.left.s.damping=2", "left.s.stiffness=50", "parameters.right.L=1 m"])
    assert changed.values["left.L"] == 0.6 and changed["left.s"].damping == 2 and changed["left.s"].stiffness == 50
    for change, told in [("left.K=3", "has no item 'left'|no parameter|no item"), ("left.L=2 kg", "a length .m. is due"),
                         ("left.thigh.mas=3", "no field 'mas'; did you mean 'mass'")]:
        with pytest.raises(TextError, match=told):
            read(robot, changes=[change])


@pytest.mark.parametrize(("file", "old", "new", "told"), [
    ("parts/leg.yaml", "mass: 1", "mass: -1", "parts/leg.yaml:7: bodies.thigh.mass: -1 must be at least 0"),
    ("parts/leg.yaml", "axis: y", "axs: y", "parts/leg.yaml:9: joints.hip.axs: unknown key 'axs'; did you mean 'axis'?"),
    ("robot.yaml", "d: 0.2 m", "d: 2 kg",
     "robot.yaml:6: include.right.parameters.L: '=3\\*d' is a mass .kg., a length .m. is due|position"),
    ("robot.yaml", "L: \"=3*d\"", "K: 3", "robot.yaml:6: include.right.parameters: model 'leg' has no parameter 'K'"),
    ("robot.yaml", "mirror: y", "mirror: w", "robot.yaml:6: include.right.mirror: 'w' must be x, y or z"),
    ("robot.yaml", "{axis: z, angle: 10 deg}", "30", "robot.yaml:6: include.right.rotation: rotation 30 must be"),
    ("robot.yaml", "{axis: z, angle: 10 deg}", "{axis: z, angle: \"=d\"}", "robot.yaml:6: include.right.rotation: must be of numbers"),
    ("robot.yaml", "[0, -0.2, 0]", "[0, -0.2]", r"robot.yaml:6: include.right.position: \[0, -0.2\] must be a list of three"),
    ("robot.yaml", "[0, -0.2, 0]", "[0, \"=q\", 0]", r"robot.yaml:6: include.right.position\[1\]: '=q': unknown name 'q'"),
    ("robot.yaml", "  right: {", "  d: {", "robot.yaml:6: include.d: the name 'd' is taken, by 'd'; choose another"),
    ("robot.yaml", "  right: {", "  a.b: {", "robot.yaml:6: include.a.b: name 'a.b' must be a word"),
    ("robot.yaml", "left.thigh.end, right", "left.thih.end, right", "robot.yaml:10: forces.tie.between.0.: there is no body 'left.thih'"),
    ("robot.yaml", "left.thigh.end, right", "left.thigh.edn, right", "body 'left.thigh' has no frame 'edn'; did you mean 'end'"),
    ("robot.yaml", "left.hip.angle*", "left.hip.angel*", "robot.yaml:11: forces.f.vector.0.: channel 'left.hip.angel' of joint 'left.hip'"),
    ("robot.yaml", "*right.L,", "*right.M,", "robot.yaml:11: forces.f.vector.0.: channel 'right.M'"),
    ("robot.yaml", "  f: {", "  left: {", "robot.yaml:11: forces.left: the name 'left' is that of a sub-assembly, which has 'left"),
    ("robot.yaml", "  f: {", "  left.s: {", "robot.yaml:11: forces.left.s: the name 'left.s' is taken by"),
    ("robot.yaml", "d: 0.2 m", "d: 0.2 m, left: 1", "robot.yaml:5: include.left: the name 'left' is taken, by 'left'"),
    ("parts/leg.yaml", "bodies:", "include: {x: {file: ../robot.yaml}}\nbodies:",
     "leg.yaml:6: include.x.file: file '../robot.yaml' must be")])
def test_wrong_use_is_told_with_its_line(robot, file, old, new, told):
    path = robot.parent / file
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(TextError, match=told):
        read(robot)


def test_endless_inclusion(tmp_path):
    for a, b in (("a", "b"), ("b", "c"), ("c", "a")):
        (tmp_path / f"{a}.yaml").write_text(f"pliant: 1\ninclude: {{x: {{file: {b}.yaml}}}}\n")
    with pytest.raises(TextError, match=r"c.yaml:2: include.x.file: texts include each other: a.yaml -> b.yaml -> c.yaml -> a.yaml"):
        read(tmp_path / "a.yaml")
    many = "".join(f"  x{k}: {{file: n1.yaml}}\n" for k in range(40))
    for k in range(4):
        (tmp_path / f"n{k}.yaml").write_text("pliant: 1\n" + ("include:\n" + many.replace("n1", f"n{k + 1}") if k < 3 else ""))
    with pytest.raises(TextError, match="more than 1000 of them"):
        read(tmp_path / "n0.yaml")
    (tmp_path / "link.yaml").symlink_to("/etc/hostname")
    (tmp_path / "s.yaml").write_text("pliant: 1\ninclude: {x: {file: link.yaml}}\n")
    with pytest.raises(TextError, match="must be in the folder of the model"):
        read(tmp_path / "s.yaml")


def test_from_the_command_line(robot, capsys, monkeypatch):
    monkeypatch.chdir(robot.parent)
    assert cli.execute(["run", "robot.yaml", "--set", "simulate.duration=0.1", "--set", "left.L=0.5", "-o", "run.h5"]) == 0
    sol = pl.load("run.h5")
    assert sol.model.values["left.L"] == 0.5 and "left.thigh.end.position" in sol.channels
    capsys.readouterr()
    assert cli.execute(["plot", "run.h5", "left.hip.angle", "left.thigh.end.position", "-o", "a.png"]) == 0
    sol.snapshot("b.png", names=True)
    sol.to_html("c.html")
    assert "left.thigh" in Path("c.html").read_text() or Path("c.html").stat().st_size > 10_000


def test_schema_knows_it(robot):
    jsonschema = pytest.importorskip("jsonschema")
    from pliant.text.yaml_lines import load_yaml, plain
    for text in (ROBOT, to_text(read(robot)), LEG):
        jsonschema.validate(plain(load_yaml(text, "x")[0]), schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"pliant": 1, "include": {"left": {"position": [0, 0, 0]}}}, schema())


def test_two_classes_of_one_name_have_their_own_places_in_the_schema():
    """A plugin may call its joint as a body is called here; in a process of its own, as kinds stay known."""
    program = """
from typing import ClassVar
from pliant.items.joints import AxisJoint
from pliant.text.schema import schema
class Beam(AxisJoint):
    kind: ClassVar[str] = "crossbeam"
    constraints: ClassVar = (("d2", 1),)
print(sum(name.endswith("__Beam") for name in schema()["$defs"]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "2", done.stderr
