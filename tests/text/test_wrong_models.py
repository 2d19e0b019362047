"""Wrong models: every problem with its file, line, path, value, rule and remedy, exit code 1, no traceback, nothing written, at once."""
from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wrong_models import CASES
from wrong_models.base import DRIVE, FORCE, GEAR, JOINT, PIN, ROD, SIMULATE, TWO, Case, body
from wrong_models.contacts import TOUCHING

import pliant as pl
from pliant import cli
from pliant.items.errors import TextError
from pliant.text.model_text import from_text

HANG = 5.0  # s: a guard against hangs, not a measurement
FOREIGN = re.compile(r"Traceback|Input should be|NoneType|\bNone\b|np\.|Errno|<class|object at 0x|_parsing|_type\b|\bdict\b|\btuple\b|"
                     r"ValueError|\bstr\b|\bint\b|\bfloat\b|fault of the program|Warning")
TABLE = "{table: {x: [0, 1, 1], y: [0, 1, 2]}}"


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Kernels are compiled once on a machine, which takes its time and is announced."""
    from_text(SIMULATE + "{duration: 1}\n").simulate(0.01, step=1e-3, progress=False)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    """The lines of a command that must end in 1 and write nothing."""
    before, start = sorted(p.name for p in Path().iterdir()), time.perf_counter()
    code = cli.execute(list(args))
    assert time.perf_counter() - start < HANG
    out, err = capsys.readouterr()
    assert (code, out) == (1, "")
    assert sorted(p.name for p in Path().iterdir()) == before
    assert not FOREIGN.search(err), err
    lines = [line for line in err.splitlines() if not line.startswith("    ")]  # the place in an expression is indented
    assert all(len(line) < 420 for line in lines)
    assert all(line.isprintable() for line in err.splitlines())
    return lines


def fits(line: str, expected: str) -> bool:
    return re.fullmatch(".*".join(re.escape(part.strip()) for part in expected.split("***")), line) is not None


def test_there_are_enough() -> None:
    assert len(CASES) >= 130
    assert len({case.text for case in CASES}) == len(CASES)
    assert len({problem.partition(": ")[2] for case in CASES for problem in case.problems}) >= 130


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_wrong_models(here: Path, capsys: pytest.CaptureFixture[str], case: Case) -> None:
    (here / "m.yaml").write_bytes(case.text if isinstance(case.text, bytes) else case.text.encode())
    lines = call(capsys, "run", "m.yaml", "-o", "out.h5", "--no-progress")
    assert len(lines) == len(case.problems), lines
    for line, expected in zip(lines, case.problems, strict=True):
        assert fits(line, f"m.yaml:{expected}"), line
    assert call(capsys, "summary", "m.yaml") == lines


@pytest.mark.parametrize("case", [c for c in CASES if c.name in ("binary", "bomb", "mass negative", "expr import", "many")],
                         ids=lambda case: case.name)
def test_wrong_models_as_a_process(here: Path, case: Case) -> None:
    (here / "m.yaml").write_bytes(case.text if isinstance(case.text, bytes) else case.text.encode())
    done = subprocess.run([sys.executable, "-m", "pliant.cli", "run", "m.yaml"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    lines = [line for line in done.stderr.splitlines() if not line.startswith("    ")]
    assert all(fits(line, f"m.yaml:{expected}") for line, expected in zip(lines, case.problems, strict=True))
    assert [p.name for p in here.iterdir()] == ["m.yaml"]


def test_json_holds_the_problems(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "m.yaml").write_text(body("mass: -1, position: 3"))
    assert cli.execute(["run", "m.yaml", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["problems"] == ["m.yaml:3: bodies.a.mass: -1 must be at least 0",
                                "m.yaml:3: bodies.a.position: 3 must be a list of three numbers [m] (world axes)"]


# -- found when it runs: the message names the item or the option

@pytest.mark.parametrize(("text", "message"), [
    ("pliant: 1\nsimulate: {duration: 1}\n", "model 'model' has no bodies; add at least one"),
    (SIMULATE + "{duration: 1, step: 1e-39}\n", "simulate: step = 1e-39 s makes more than 1e+12 steps in 1 s; choose a larger one"),
    (SIMULATE + "{duration: 1, step: 1 ms, record: [crnk.*]}\n", "simulate: record: no channel matches 'crnk.*'***"),
    (SIMULATE + "{duration: 1, out: nowhere/x.h5}\n", "***there is no folder ***nowhere***"),
    (SIMULATE + "{duration: 1, out: m.yaml}\n", "m.yaml is the file that is read; choose another name for the output***"),
    (PIN, "m.yaml does not say how long to simulate; give --duration***"),
    (JOINT + "{kind: revolute, between: [ground, crank]}\nsimulate: {duration: 1, step: 1 ms}\n", "***joint 'A' is open by 500 mm***"),
])
def test_what_is_found_when_it_runs(here: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    (here / "m.yaml").write_text(text)
    assert fits(call(capsys, "run", "m.yaml", "--no-progress")[0], message)


# -- files that are none

def test_special_files_do_not_hang(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.symlink("/dev/zero", "zero.yaml")
    os.symlink("/dev/zero", "zero.stl")
    os.symlink("loop.yaml", "loop.yaml")
    os.mkfifo("pipe.yaml")
    os.mkfifo("pipe.stl")
    os.mkdir("folder.yaml")
    os.mkdir("folder.py")
    (here / "big.yaml").write_bytes(b"#" * (20 * 2**20 + 1))
    (here / "closed.yaml").write_text("pliant: 1")
    expected = {"zero.yaml": "is not a file; a model is a YAML file", "pipe.yaml": "is not a file; a model is a YAML file",
                "folder.yaml": "is a folder; a model is a YAML file", "loop.yaml": "***", "none.yaml": "file not found",
                "big.yaml": "20 MB, must be at most 20 MB", "model.txt": "a model is a .yaml or a .py file",
                "folder.py": "is a folder; a model is a .yaml or a .py file", "none.py": "file not found"}
    for name, message in expected.items():
        assert fits(call(capsys, "run", name)[0], f"{name}: {message}")
    for name in ("zero", "pipe"):
        (here / "m.yaml").write_text(body(f"mass: 1, mesh: {{file: {name}.stl}}"))
        assert call(capsys, "run", "m.yaml") == [
            f"m.yaml:3: bodies.a.mesh.file: file '{name}.stl' is not a file; give an STL file, seen from the folder of the model"]
        with pytest.raises(ValueError, match=rf"mesh: file '{name}\.stl' is not a file"):
            pl.RigidBody.from_mesh("part", f"{name}.stl", mass=1)


def stl(*corners: tuple[float, float, float], count: int | None = None) -> bytes:
    triangles = [corners[i:i + 3] for i in range(0, len(corners), 3)]
    head = bytes(80) + struct.pack("<I", len(triangles) if count is None else count)
    return head + b"".join(struct.pack("<12fH", 0, 0, 0, *(x for p in t for x in p), 0) for t in triangles)


NAN = float("nan")
MESHES = {
    "empty": (b"", "is not an STL file; export the surface as STL"),
    "text": (b"v 1 2 3\nf 1 2 3\n", "is not an STL file; export the surface as STL"),
    "count": (stl((0, 0, 0), (1, 0, 0), (0, 1, 0), count=4_000_000_000), "is not an STL file; export the surface as STL"),
    "none": (stl(), "its volume is 0 m^3; the surface must be closed, its normals outward"),
    "open": (stl((0, 0, 0), (1, 0, 0), (0, 1, 0)), "its volume is 0 m^3; the surface must be closed, its normals outward"),
    "nan": (stl((NAN, 0, 0), (1, 0, 0), (0, 1, 0)), "its volume is nan m^3; the surface must be closed, its normals outward"),
    "huge": (stl((3e38, 0, 0), (0, 3e38, 0), (0, 0, 3e38)), "is too large or too heavy (1 kg); mass and inertia must be within ***"),
    "words": (b"solid x\nvertex a b c\nvertex 0 0 0\nvertex 0 0 0\n", "a vertex is not three numbers; export it anew"),
    "short": (b"solid x\nvertex 1 2", "1 vertices, must be three for every triangle; export it anew"),
    "ragged": (b"solid x\nvertex 1 2 3\nvertex 1 2\n", "a vertex is not three numbers; export it anew"),
    "two": (b"solid x\nvertex 1 2 3\nvertex 1 2 4\n", "2 vertices, must be three for every triangle; export it anew"),
    "nothing": (b"solid " + b"vertex " * 3, "***"),
}


@pytest.mark.parametrize("name", MESHES)
def test_hostile_meshes(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    data, message = MESHES[name]
    (here / "part.stl").write_bytes(data)
    (here / "m.yaml").write_text(body("mass: 1, mesh: {file: part.stl}"))
    line, = call(capsys, "run", "m.yaml")
    assert fits(line, f"m.yaml:3: bodies.a.mesh: ***{message}")


# -- changes from the command line

@pytest.mark.parametrize(("change", "message"), [
    ("bodies.crank.mass=-1", "--set: bodies.crank.mass: -1 must be at least 0"),
    ("bodies.crank.mas=1", "--set: bodies.crank.mas: unknown key 'mas'; did you mean 'mass'?"),
    ("bodies.crnk.mass=1", "--set bodies.crnk.mass: there is no bodies.crnk; did you mean 'crank'?"),
    ("joints.A.axis=[0, 0, 0]", "--set: joints.A.axis: axis (0, 0, 0) has no direction; give at least one component (axes of frame a)"),
    ("joints.A.between.1=crank.strat", "--set: joints.A.between[1]: body 'crank' has no frame 'strat'; did you mean 'start'?"),
    ("joints.A.between.0=crank.end", "m.yaml:5: joints.A.between: both frames are on 'crank'; a joint connects two bodies"),
    ("joints.A.between.7=x", "--set joints.A.between.7: '7' must be a number from 0 to 1"),
    ("gravity", "--set gravity: write path=value, such as bodies.crank.mass=2"),
    ("gravity=[0", "--set gravity:1: not YAML: ']' or a comma is missing; the bracket opens in line 1"),
    ("gravity=!!python/name:os.system x", "--set gravity:1: tag 'tag:yaml.org,2002:python/name:os.system': tags are not used in a model; "
     "leave it out"),
    ("simulate.stp=1", "--set: simulate.stp: unknown option 'stp'; did you mean 'step'?"),
    ("simulate.duration=-1", "--set: simulate.duration: -1 must be greater than zero"),
    ("bodies=3", "--set: bodies: must be a mapping of names to bodies, found 3"),
    ("=1", "--set =1: write path=value, such as bodies.crank.mass=2"),
])
def test_wrong_changes(here: Path, capsys: pytest.CaptureFixture[str], change: str, message: str) -> None:
    (here / "m.yaml").write_text(PIN)
    assert call(capsys, "run", "m.yaml", "--set", change)[0] == message


# -- the same sentences from Python

ITEMS: list[tuple[str, Callable[[], object]]] = [
    (body("mass: -1"), lambda: pl.RigidBody("a", -1)),
    (body("mass: .nan"), lambda: pl.RigidBody("a", NAN)),
    (body("mass: 1e308"), lambda: pl.RigidBody("a", 1e308)),
    (body("mass: 2 m"), lambda: pl.RigidBody("a", "2 m")),
    (body("mass: 2 kgs"), lambda: pl.RigidBody("a", "2 kgs")),
    (body("mass: true"), lambda: pl.RigidBody("a", True)),
    (body("mass: [1]"), lambda: pl.RigidBody("a", [1])),
    (body("mass: "), lambda: pl.RigidBody("a", None)),
    (body("position: [0, 0, 0]"), lambda: pl.RigidBody("a", position=(0, 0, 0))),
    (body("mass: 1, mas: 2"), lambda: pl.RigidBody("a", 1, mas=2)),
    (body("mass: 1, inertia: [1, 2]"), lambda: pl.RigidBody("a", 1, [1, 2])),
    (body("mass: 1, inertia: [1, 1, -1]"), lambda: pl.RigidBody("a", 1, (1, 1, -1))),
    (body("mass: 1, inertia: [[1, 2, 0], [0, 1, 0], [0, 0, 1]]"), lambda: pl.RigidBody("a", 1, [[1, 2, 0], [0, 1, 0], [0, 0, 1]])),
    (body("mass: 1, position: [0, 0]"), lambda: pl.RigidBody("a", 1, position=[0, 0])),
    (body("mass: 1, rotation: [0, 0, 0, 0]"), lambda: pl.RigidBody("a", 1, rotation=[0, 0, 0, 0])),
    (body("mass: 1, rotation: {axis: [0, 0, 0], angle: 1}"), lambda: pl.RigidBody("a", 1, rotation={"axis": [0, 0, 0], "angle": 1})),
    (body("mass: 1, frames: {tip: 5}"), lambda: pl.RigidBody("a", 1, frames={"tip": 5})),
    (body("mass: 1, frames: {my tip: [0, 0, 0]}"), lambda: pl.RigidBody("a", 1, frames={"my tip": [0, 0, 0]})),
    (body("mass: 1, rod: {start: [0, 0, 0], end: [0, 0, 0]}"), lambda: pl.RigidBody.rod("a", (0, 0, 0), (0, 0, 0), mass=1)),
    (body("sphere: {radius: 1}"), lambda: pl.RigidBody.sphere("a", 1)),
    (body("density: 1, point_mass: {}"), lambda: pl.RigidBody("a", point_mass={}, density=1)),
    (JOINT + "{kind: revolute, between: [ground, crank], axis: up}", lambda: pl.Revolute("A", "ground", "crank", axis="up")),
    (JOINT + "{kind: revolute, between: [ground, crank], axis: [0, 0, 0]}", lambda: pl.Revolute("A", "ground", "crank", axis=(0, 0, 0))),
    (JOINT + "{kind: revolute, between: [ground, 5]}", lambda: pl.Revolute("A", "ground", 5)),
    (JOINT + "{kind: revolute, between: [ground, crank], zero: 5 mm}", lambda: pl.Revolute("A", "ground", "crank", zero="5 mm")),
    (JOINT + "{kind: screw, between: [ground, crank]}", lambda: pl.Screw("A", "ground", "crank")),
    (JOINT + "{kind: distance, between: [ground, crank], length: 0}", lambda: pl.Distance("A", "ground", "crank", length=0)),
    (JOINT + "{kind: joint, between: [ground, crank], primitives: [weld]}", lambda: pl.Joint("A", "ground", "crank", primitives=["weld"])),
    (JOINT + "{kind: universal, between: [ground, crank], axis: z, axis_b: z}",
     lambda: pl.Universal("A", "ground", "crank", axis="z", axis_b="z")),
    (GEAR + "{kind: gear, between: [A, B]}", lambda: pl.Gear("G", "A", "B")),
    (GEAR + "{kind: gear, between: [A, B], ratio: 0}", lambda: pl.Gear("G", "A", "B", ratio=0)),
    (GEAR + "{kind: gear, between: [A, B], teeth: [20]}", lambda: pl.Gear("G", "A", "B", teeth=[20])),
    (DRIVE + "{joint: A, coordinate: turn, function: t}", lambda: pl.Drive("A", "turn", "t", name="motor")),
    (DRIVE + "{joint: A, coordinate: angle, function: 2 * time}", lambda: pl.Model().add(pl.Drive("A", "angle", "2 * time", name="motor"))),
    (DRIVE + "{joint: A, coordinate: angle, function: [1]}", lambda: pl.Drive("A", "angle", [1], name="motor")),
    (DRIVE + "{joint: A, coordinate: angle, function: 5 mm}", lambda: pl.Drive("A", "angle", "5 mm", name="motor")),
    (DRIVE + f"{{joint: A, coordinate: angle, function: {TABLE}}}", lambda: pl.Drive("A", "angle", pl.Table([0, 1, 1], [0, 1, 2]))),
    (FORCE + "{kind: spring_damper, between: [ground, crank.end], stiffness: 12 N}",
     lambda: pl.SpringDamper("S", "ground", "crank.end", stiffness="12 N")),
    (FORCE + "{kind: bushing, between: [ground, crank], stiffness: [1, 2]}", lambda: pl.Bushing("S", "ground", "crank", stiffness=[1, 2])),
    (FORCE + "{kind: force, frame: crank, vector: [5 kg, 0, 0]}", lambda: pl.Force("S", "crank", ["5 kg", 0, 0])),
    (FORCE + "{kind: force, frame: crank, vector: [0, 1 +, sin(]}", lambda: pl.Force("S", "crank", [0, "1 +", "sin("])),
    (FORCE + "{kind: torque, frame: crank, vector: [0, 0, 1], axes: body}", lambda: pl.Torque("S", "crank", [0, 0, 1], axes="body")),
]


@pytest.mark.parametrize(("text", "make"), ITEMS, ids=[t.splitlines()[-1].strip() for t, _ in ITEMS])
def test_items_made_in_python_say_the_same(text: str, make: Callable[[], object]) -> None:
    with pytest.raises(TextError) as in_text:
        from_text(text, "m")
    with pytest.raises(ValueError) as in_python:
        make()
    assert len(in_text.value.lines) >= 1
    for line in in_text.value.lines:
        sentence = re.sub(r"^m:\d+: \w+\.\w+\.?(between\[\d\]|function)?:? ?", "", line)
        assert sentence.replace("between[0]", "a") in str(in_python.value)
    assert not FOREIGN.search(str(in_python.value))


@pytest.mark.parametrize(("item", "field", "told"), [
    (pl.SpringDamper("s", "ground", "b", 5), "dampign", "spring_damper 's': dampign: unknown attribute 'dampign'; did you mean 'damping'?"),
    (pl.RigidBody("b", 1), "mas", "rigid 'b': mas: unknown attribute 'mas'; did you mean 'mass'?"),
    (pl.Revolute("A", "ground", "b"), "q", "revolute 'A': q: unknown attribute 'q'; there are a, b, at, connected, hold, axis, "
     "angle, angle_rate, zero, limits, friction, active"),
])
def test_unknown_attributes_are_refused(item: pl.items.base.Item, field: str, told: str) -> None:
    with pytest.raises(pl.ItemError) as caught:
        setattr(item, field, 3)
    assert str(caught.value) == told and not hasattr(item, field)


MODELS = {
    "same body": (JOINT + "{kind: revolute, between: [crank.start, crank.end]}", "both frames are on 'crank'; a joint connects two bodies"),
    "no body": (JOINT + "{kind: revolute, between: [ground, crnk]}", "there is no body 'crnk'; did you mean 'crank'?"),
    "no frame": (JOINT + "{kind: revolute, between: [ground, crank.strat]}", "body 'crank' has no frame 'strat'; did you mean 'start'?"),
    "no length": (JOINT + "{kind: distance, between: [ground, crank.start]}", "its length is zero; use a spherical joint"),
    "spring": (FORCE + "{kind: spring_damper, between: [ground, crank.start], stiffness: 1}", "its two points coincide"),
    "drive": (DRIVE + "{joint: A, coordinate: displacement, function: t}", "joint 'A' has no coordinate 'displacement'; it has angle"),
    "gear": (GEAR + "{kind: gear, between: [A, C], ratio: 1}", "joint 'C' has no coordinate 'angle'; it has displacement"),
    "feedback": (DRIVE + "{joint: A, coordinate: angle, function: A.angle}", "its function must depend on t alone"),
    "channel": (FORCE + "{kind: force, frame: crank, vector: [crank.velocty.z, 0, 0]}",
                "channel 'crank.velocty.z' of body 'crank' cannot be used in an expression; did you mean 'crank.velocity.z'?"),
    "channel of a joint": (FORCE + "{kind: force, frame: crank, vector: [A.displacement, 0, 0]}",
                           "channel 'A.displacement' of joint 'A' cannot be used in an expression; there are A.angle, A.angle_rate"),
    "size": (FORCE + f"{{kind: force, frame: crank, vector: [{'*'.join(f'sin({i}*t)' for i in range(1, 900))}, 0, 0]}}",
             "the expression, or a derivative of it, takes more than 20000 operations; shorten it or use a table"),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_made_in_python_say_the_same(name: str) -> None:
    """What a text is told when it is read, a model made in Python is told when it is compiled."""
    text, sentence = MODELS[name]
    with pytest.raises(TextError, match=r"^m:\d+: \w+\.\w+") as caught:
        from_text(text, "m")
    assert sentence in str(caught.value)
    good = from_text(TWO + GEAR.removeprefix(TWO).rpartition("  G:")[0])
    data = text.splitlines()[-1].strip()
    item = _item(data)
    good.items.pop(item.name, None)
    good.add(item)
    with pytest.raises(pl.ModelError, match=re.escape(sentence)):
        good.compile()


@pytest.mark.parametrize("case", [c for c in TOUCHING if "another word" not in c.name], ids=lambda case: case.name)
def test_contacts_made_in_python_say_the_same(case: Case) -> None:
    """When the item is made, or when the model is compiled."""
    before, _, line = case.text.rstrip().rpartition("\n")  # type: ignore[union-attr]
    if before.endswith("G:"):
        pytest.skip("a coupling")
    m = from_text(f"{before}\n")
    with pytest.raises(ValueError) as caught:
        m.add(_item(line.strip(), called=True))
        m.compile()
    sentence = re.sub(r"^\d+: \w+\.\w+[^:]*: ", "", case.problems[0])
    assert re.search(".*".join(re.escape(part.strip()) for part in sentence.split("***")), str(caught.value), re.DOTALL), caught.value
    assert not FOREIGN.search(str(caught.value))


def test_there_are_enough_wrong_contacts() -> None:
    said = {problem.partition(": ")[2].partition(": ")[2] for case in TOUCHING for problem in case.problems}
    assert len(TOUCHING) >= 100 and len(said) >= 90


def _item(line: str, called: bool = False) -> pl.items.base.Item:
    """The item of a line such as ``A: {kind: revolute, between: [ground, crank]}``, made without a model around it; as a user makes it,
    if its class is ``called``."""
    from pliant.items.base import KINDS
    from pliant.text.yaml_lines import load_yaml, plain
    (name, fields), = plain(load_yaml(line, "m")[0]).items()
    kinds = {kind: cls for section in KINDS.values() for kind, cls in section.items()}
    kind = kinds[fields.pop("kind", "drive")]
    if called:
        return kind(name=name, **dict(zip("ab", fields.pop("between", ()), strict=False)), **fields)
    return kind.model_validate({"name": name, **fields})


def test_reading_does_not_start_threads_or_leave_files_open(here: Path) -> None:
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    for case in CASES[:20]:
        (here / "m.yaml").write_bytes(case.text if isinstance(case.text, bytes) else case.text.encode())
        with pytest.raises(TextError):
            pl.read(here / "m.yaml")
    assert threading.active_count() == threads
    assert not files or len(os.listdir("/proc/self/fd")) <= files


def test_a_good_model_is_good() -> None:
    """The pieces from which the wrong ones are made."""
    for text in (ROD, TWO, PIN, GEAR + "{kind: gear, between: [A, B], ratio: 2}", SIMULATE + "{duration: 1}"):
        from_text(text)
