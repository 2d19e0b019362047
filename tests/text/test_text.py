"""The text model: round trips, located messages, hostile input, and agreement with its JSON Schema."""
from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest
from sample_models import SLIDER_CRANK, everything

import pliant as pl
from pliant.functions.suggestions import did_you_mean
from pliant.items.base import KINDS
from pliant.items.errors import TextError
from pliant.text.model_text import from_text, read, schema, to_text, write
from pliant.text.yaml_lines import load_yaml, plain, scalar


def problems(text: str, source: str = "model.yaml") -> list[str]:
    with pytest.raises(TextError) as caught:
        from_text(text, source)
    assert str(caught.value) == "\n".join(caught.value.lines)
    return caught.value.lines


# -- reading and writing

def test_every_kind_survives_the_round_trip(tmp_path: Path) -> None:
    m = everything(tmp_path)
    shipped = {(s, k) for s, kinds in KINDS.items() for k, c in kinds.items() if c.__module__.startswith("pliant.")}
    assert {(i.section, i.kind) for i in m} == shipped - {("blocks", "controller")}  # a function of Python cannot be written
    text = to_text(m)
    again = from_text(text)
    assert to_text(again) == text
    assert (again.name, again.gravity, again.settings, again.ground) == (m.name, m.gravity, m.settings, m.ground)
    assert set(again.items) == set(m.items)
    for item in m:
        if "Table" not in repr(item):  # tables are equal by their numbers, which the text shows
            assert again[item.name] == item, item.name


def test_the_slider_crank_of_the_interface() -> None:
    m = from_text(SLIDER_CRANK)
    assert m["crank"] == pl.RigidBody.rod("crank", start=(0, 0, 0), end=(0.15, 0, 0), mass=0.36)
    assert m["A"] == pl.Revolute("A", "ground", "crank.start", axis="z")
    assert m.settings == {"duration": "0.1 s", "accuracy": "fine", "output_step": "0.1 ms"}
    assert m.gravity == (0, -9.81, 0)


def test_files(tmp_path: Path) -> None:
    m = from_text(SLIDER_CRANK)
    m.save(tmp_path / "m.yaml")
    write(m, tmp_path / "n.yaml")
    assert (tmp_path / "m.yaml").read_text() == (tmp_path / "n.yaml").read_text()
    assert to_text(pl.read(tmp_path / "m.yaml")) == to_text(m)
    with pytest.raises(TextError, match=r"none\.yaml: file not found"):
        read("none.yaml")
    (tmp_path / "b.yaml").write_bytes(b"pliant: 1\nname: \xff\n")
    with pytest.raises(TextError, match="byte 16 is not UTF-8"):
        read(tmp_path / "b.yaml")


def test_a_mesh_is_looked_for_beside_the_text(tmp_path: Path) -> None:
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    facets = "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex {} {} {}\n".format(*corners[i]) for i in face)
                     + "endloop\nendfacet\n" for face in faces)
    (tmp_path / "part.stl").write_text(f"solid part\n{facets}endsolid\n")
    (tmp_path / "m.yaml").write_text("pliant: 1\nbodies:\n  part: {mesh: {file: part.stl, unit: cm}, density: 6000}\n")
    assert read(tmp_path / "m.yaml")["part"].mass == pytest.approx(6000 * 1e-6 / 6)
    assert problems("pliant: 1\nbodies:\n  part: {mesh: {file: no.stl}, mass: 1}\n") == [
        "model.yaml:3: bodies.part.mesh.file: file 'no.stl' not found; give an STL file, seen from the folder of the model"]


def test_kinds_with_hyphens_and_default_kinds() -> None:
    m = from_text("pliant: 1\nbodies: {a: {mass: 1}, b: {mass: 1, position: [1, 0, 0]}}\n"
                  "forces: {s: {kind: spring-damper, between: [a, b], stiffness: 1}}\nmeasures: {d: {between: [a, b]}}\n"
                  "simulate: {integrator: {kind: generalized_alpha, rho: 0.5}}")
    assert m["s"].kind == "spring_damper"
    assert m.settings["integrator"] == pl.GeneralizedAlpha(rho=0.5)


def test_an_accuracy_fits_the_method_that_is_named() -> None:
    """Without one the run chooses, and any may be asked for that one of the methods reaches."""
    simulate = "pliant: 1\nbodies: {a: {mass: 1}}\nsimulate: {accuracy: 1.0e-10, "
    for more in ("duration: 1}", "coordinates: joint}"):
        assert from_text(simulate + more).settings["accuracy"] == 1e-10
    with pytest.raises(TextError, match=r"accuracy: 1e-10 must be between 1e-08 and 0\.1"):
        from_text(simulate + "integrator: generalized-alpha}")


def test_a_python_function_has_no_text() -> None:
    m = from_text(SLIDER_CRANK)
    m["motor"].function = lambda t: t
    with pytest.raises(pl.ModelError, match=r"^drives.motor: .* is a Python function and cannot be written"):
        to_text(m)


@pytest.mark.parametrize("name", [
    "null", "1", "1e5", "yes", "a: b", "# c", "- d", " e ", "'", '"', "\\", "\x07", "é ü", "a\nb", "[", "~", "0x1f",
    "\u2028", "😀", "true", "*a", "&a", "!t", "10 s", "a, b", "%x", "@", "`", "? x", "<<", ""])
def test_any_text_is_written_so_that_it_is_read_back(name: str) -> None:
    assert from_text(to_text(pl.Model(name))).name == name


def test_scalars_are_those_of_yaml_1_2() -> None:
    words = {"1": 1, "-7": -7, "0o17": 15, "0x1F": 31, "1e-5": 1e-5, ".5": 0.5, "1.": 1.0, "true": True,
             "False": False, "~": None, "": None}
    assert {w: scalar(w) for w in words} == words
    assert all(scalar(w) == w for w in ("yes", "off", "y", "1_000", "2024-01-01", "12:30", "1 mm"))


def test_anchors_and_merges() -> None:
    data, _ = load_yaml("a: &link {mass: 1, com: &zero [0, 0, 0]}\nb: {<<: *link, mass: 2}\nc: *zero", "m")
    assert plain(data) == {"a": {"mass": 1, "com": [0, 0, 0]}, "b": {"mass": 2, "com": [0, 0, 0]}, "c": [0, 0, 0]}


# -- what is wrong, and where

BODIES = "pliant: 1\nbodies:\n  crank: {rod: {start: [0, 0, 0], end: [1, 0, 0]}, mass: 1}\n"
JOINT = BODIES + "joints:\n  A: {kind: revolute, between: [ground, crank.start]}\n"
WRONG = [
    ("name: x", "m:1: pliant: is missing; a model begins with 'pliant: 1'"),
    ("pliant: 2", "m:1: pliant: version 2 of the text model is not known; this program reads 1"),
    ("pliant: 1\nbody: {}", "m:2: body: unknown key 'body'; did you mean 'bodies'?"),
    ("pliant: 1\nname: 3", "m:2: name: 3 must be a text; put it in quotes"),
    ("pliant: 1\ngravity: [0, 9.81]", "m:2: gravity: [0, 9.81] must be a list of three numbers [m/s^2]"),
    ("pliant: 1\nname: a\nname: b", "m:3: name: the key 'name' stands here twice, first in line 2; remove one"),
    (JOINT + "  A: {kind: fixed}", "m:6: joints.A: the key 'A' stands here twice, first in line 5; remove one"),
    ("pliant: 1\nbodies: [1]", "m:2: bodies: must be a mapping of names to bodies, found [1]"),
    ("pliant: 1\nbodies: {a: 3}", "m:2: bodies.a: 3 must be a mapping such as {mass: 2 kg, inertia: [1, 1, 1]}"),
    ("pliant: 1\nblocks: {a: 3}", "m:2: blocks.a: 3 must be a mapping such as {kind: integral, input: sin(t)}"),
    ("pliant: 1\nbodies:\n  a: {}", "m:3: bodies.a.mass: is missing; a rigid body needs it"),
    ("pliant: 1\nbodies:\n  a:\n    mass: -1", "m:4: bodies.a.mass: -1 must be at least 0"),
    ("pliant: 1\nbodies:\n  a:\n    mass: 2 m", "m:4: bodies.a.mass: '2 m' is a length [m], a mass [kg] is due"),
    ("pliant: 1\nbodies:\n  a:\n    mas: 2\n    mass: 1", "m:4: bodies.a.mas: unknown key 'mas'; did you mean 'mass'?"),
    ("pliant: 1\nbodies:\n  a:\n    name: b\n    mass: 1", "m:4: bodies.a.name: unknown key 'name'; the name stands before the colon"),
    ("pliant: 1\nbodies:\n  a: {kind: rigit}", "m:3: bodies.a.kind: unknown kind 'rigit' of body; did you mean 'rigid'?"),
    ("pliant: 1\nbodies:\n  a:\n    mass: 1\n    inertia: [1, 1, -1]",
     "m:5: bodies.a.inertia: [1, 1, -1] has a negative principal moment; check signs of the products of inertia"
     " (body axes, about the centre of mass)"),
    ("pliant: 1\nbodies:\n  a b: {mass: 1}",
     "m:3: bodies.a b: name 'a b' must be a word of letters, digits and _ that does not begin with a digit; write 'a_b'"),
    ("pliant: 1\nbodies:\n  ground: {mass: 1}", "m:3: bodies.ground: name 'ground' is reserved; choose another"),
    ("pliant: 1\nbodies:\n  a:\n    mass: 1\n    frames:\n      f: {pont: [0, 0, 0]}",
     "m:6: bodies.a.frames.f.pont: unknown key 'pont'; did you mean 'point'?"),
    ("pliant: 1\nbodies:\n  a:\n    mass: 1\n    rod:\n      start: [0, 0, 0]", "m:5: bodies.a.rod.end: is missing; a rod needs it"),
    ("pliant: 1\nbodies:\n  a:\n    mass: x\n    sphere: {radius: 1}",
     "m:4: bodies.a.mass: 'x' must begin with a number; write for example '2 kg'"),
    ("pliant: 1\nbodies:\n  a:\n    rod: {start: [0, 0, 0], end: [1, 0, 0]}",
     "m:4: bodies.a.rod: give either mass or density, none is given"),
    ("pliant: 1\nbodies:\n  a:\n    mass: 1\n    rod: 5", "m:5: bodies.a.rod: 5 must be a mapping"),
    (BODIES + "joints:\n  A: {between: [ground, crank]}", "m:5: joints.A.kind: is missing; there are {kinds}"),
    (BODIES + "joints:\n  A: {kind: revolut, between: [ground, crank]}",
     "m:5: joints.A.kind: unknown kind 'revolut' of joint; did you mean 'revolute'?"),
    (BODIES + "joints:\n  A: {kind: bushing, between: [ground, crank]}",
     "m:5: joints.A.kind: unknown kind 'bushing' of joint; a bushing stands under forces"),
    (BODIES + "joints:\n  A: {kind: revolute}", "m:5: joints.A.between: is missing; give two frames, such as [ground, crank.start]"),
    (BODIES + "joints:\n  A: {kind: revolute, between: [ground]}",
     "m:5: joints.A.between: ['ground'] must be a list of two frames, such as [ground, crank.start]"),
    (BODIES + "joints:\n  A:\n    kind: revolute\n    between: [ground, crnk]",
     "m:7: joints.A.between[1]: there is no body 'crnk'; did you mean 'crank'?"),
    (BODIES + "joints:\n  A: {kind: revolute, between: [ground, crank.strat]}",
     "m:5: joints.A.between[1]: body 'crank' has no frame 'strat'; did you mean 'start'?"),
    (BODIES + "joints:\n  A: {kind: revolute, between: [ground, 5]}",
     "m:5: joints.A.between[1]: 5 must be a frame: a text such as crank.end, or {body: crank, point: [0, 0, 0]}"),
    (BODIES + "joints:\n  A: {kind: revolute, between: [ground, crank], axis: w}",
     "m:5: joints.A.axis: axis 'w' must be one of x, y, z, -x, -y, -z or three numbers (axes of frame a)"),
    (BODIES + "joints:\n  A: {kind: revolute, between: [ground, crank], axis: {}}",
     "m:5: joints.A.axis: axis {} must be one of x, y, z, -x, -y, -z or three numbers (axes of frame a)"),
    (BODIES + "joints:\n  A: {kind: revolute, a: ground, between: [ground, crank]}",
     "m:5: joints.A.a: unknown key 'a'; write between: [a, b]"),
    (BODIES + "joints:\n  crank: {kind: fixed, between: [ground, crank]}",
     "m:5: joints.crank: the name 'crank' is taken by bodies.crank; names are unique in a model"),
    (JOINT + "drives:\n  d: {joint: B, coordinate: angle, function: t}", "m:7: drives.d.joint: there is no joint 'B'; there is A"),
    (JOINT + "drives:\n  d: {joint: A, coordinate: displacement, function: t}",
     "m:7: drives.d.coordinate: joint 'A' has no coordinate 'displacement'; it has angle"),
    (JOINT + "drives:\n  d: {joint: A, coordinate: turn, function: t}",
     "m:7: drives.d.coordinate: 'turn' must be 'angle' or 'displacement'"),
    (JOINT + "forces:\n  F: {kind: force, frame: crank, vector: [1, 2]}",
     "m:7: forces.F.vector: [1, 2] must be three functions [N], such as ['10 N * sin(t)', 0, 0]"
     " (world axes, or with axes: frame those of its frame)"),
    (JOINT + "forces:\n  F: {kind: gear}", "m:7: forces.F.kind: unknown kind 'gear' of force; a gear stands under joints"),
    (JOINT + "  G: {kind: gear, between: [A, X], ratio: 1}", "m:6: joints.G.between[1]: there is no joint 'X'; there is A"),
    ("pliant: 1\nground: {frame: {}}", "m:2: ground.frame: unknown key 'frame'; the ground has frames"),
    ("pliant: 1\nsimulate: {duraton: 1}", "m:2: simulate.duraton: unknown option 'duraton'; did you mean 'duration'?"),
    ("pliant: 1\nsimulate: {duration: 0}", "m:2: simulate.duration: 0 must be greater than zero"),
    ("pliant: 1\nsimulate: {accuracy: high}", "m:2: simulate.accuracy: 'high' must be one of draft, normal, fine or a number"),
    ("pliant: 1\nsimulate: {step: 1 ms, accuracy: fine}",
     "m:2: simulate.accuracy: give step (fixed) or accuracy (steps are chosen), not both"),
    ("pliant: 1\nsimulate:\n  integrator: {kind: generalized-alpha, rho: 2}",
     "m:3: simulate.integrator.rho: 2, must be from 0 to 1 (0 most damping, 1 none)"),
    ("pliant: 1\nname: [a", "m:2: not YAML: ']' or a comma is missing; the bracket opens in line 2"),
    ("pliant: 1\nname: !!python/object:os.system x",
     "m:2: tag 'tag:yaml.org,2002:python/object:os.system': tags are not used in a model; leave it out"),
    ("pliant: 1\n---\npliant: 1", "m:2: a second document begins; a file holds one model"),
    ("pliant: 1\nname: *x", "m:2: alias *x has no anchor before it; write what is meant"),
    ("", "m:1: a model is a mapping that begins with 'pliant: 1'; it is empty"),
    ("hello", "m:1: a model is a mapping that begins with 'pliant: 1'; it is 'hello'"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[m[:60] for _, m in WRONG])
def test_wrong_texts_are_told_with_their_line(text: str, message: str) -> None:
    kinds = did_you_mean("", KINDS["joints"]).removeprefix("; there are ")  # the list, or its beginning
    assert problems(text, "m") == [message.replace("{kinds}", kinds)]


def test_all_problems_come_at_once() -> None:
    text = SLIDER_CRANK.replace("0.36 kg", "0.36 m").replace("axis: x", "axs: x").replace("crank.end", "crank.ends").replace("fine", "fin")
    assert problems(text) == [
        "model.yaml:5: bodies.crank.mass: '0.36 m' is a length [m], a mass [kg] is due",
        "model.yaml:12: joints.D.axs: unknown key 'axs'; did you mean 'axis'?",
        "model.yaml:15: simulate.accuracy: 'fin' must be one of draft, normal, fine or a number"]
    assert problems(text.replace("0.36 m", "1"))[0] == (
        "model.yaml:10: joints.B.between[0]: body 'crank' has no frame 'ends'; did you mean 'end'?")


def test_hostile_texts_end_quickly() -> None:
    names = "abcdefghi"
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"{c}: &{c} [{', '.join(['*' + p] * 9)}]\n" for p, c in pairwise(names))
    before = time.perf_counter()
    assert "aliases make more than" in problems(bomb)[0]
    assert "nested more than 50 levels" in problems("[" * 10_000)[0]
    assert "nested more than 50 levels" in problems("a: {" * 60)[0]
    assert "stands inside itself" in problems("a: &a [*a]")[0]
    assert "must be at most 20 MB" in problems("#" * (21 * 2**20))[0]
    assert "the character #x0000 is not text" in problems("a: \x00")[0]
    assert time.perf_counter() - before < 5


def test_changes_come_before_the_check(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(SLIDER_CRANK)
    m = read(file, changes=["bodies.crank.mass=2 kg", "gravity=[0, 0, -1]", "simulate.record=[crank.*]", "joints.A.between.0=ground"])
    assert (m["crank"].mass, m.gravity, m.settings["record"]) == (2.0, (0, 0, -1), ["crank.*"])
    for change, message in {"bodies.crank.mass=-1": "--set: bodies.crank.mass: -1 must be at least 0",
                            "bodies.crnk.mass=1": "--set bodies.crnk.mass: there is no bodies.crnk; did you mean 'crank'?",
                            "bodies.crank.mas=1": "--set: bodies.crank.mas: unknown key 'mas'; did you mean 'mass'?",
                            "joints.A.between.2=x": "--set joints.A.between.2: '2' must be a number from 0 to 1",
                            "gravity": "--set gravity: write path=value, such as bodies.crank.mass=2"}.items():
        with pytest.raises(TextError) as caught:
            read(file, changes=[change])
        assert str(caught.value) == message


# -- JSON Schema

VALIDATOR = jsonschema.Draft202012Validator(schema())


def test_the_schema_is_one_and_accepts_models(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    for text in (SLIDER_CRANK, to_text(everything(tmp_path))):
        VALIDATOR.validate(plain(load_yaml(text, "m")[0]))


@pytest.mark.parametrize(("old", "new"), [
    ("pliant: 1", "pliant: 2"), ("mass: 0.36 kg", "mas: 1"), ("mass: 0.36 kg", "mass: [1]"), ("kind: revolute", "kind: revolut"),
    ("[crank.end, rod.start]", "[crank.end]"), ("axis: z", "axis: w"), ("coordinate: angle", "coordinate: turn"),
    ("duration: 0.1 s", "durat: 1"), ("accuracy: fine", "accuracy: high"), ("gravity: [0, -9.81, 0]", "gravity: 1"),
    ("name: slider crank", "titel: x"), ("crank:  {", "1crank:  {"), ("slider: {kind", "energy: {kind"), ("end: [150 mm, 0, 0]", "stop: 1"),
    ("joint: A, ", "")])
def test_the_schema_refuses_what_the_reader_refuses(old: str, new: str) -> None:
    text = SLIDER_CRANK.replace(old, new, 1)
    assert text != SLIDER_CRANK
    assert list(VALIDATOR.iter_errors(plain(load_yaml(text, "m")[0])))
    assert problems(text)
