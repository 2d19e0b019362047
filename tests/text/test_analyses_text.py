"""static, modes and linearize in text models and on the command line: defaults, round trips, located errors, JSON."""
import json

import numpy as np
import pytest

import pliant as pl
from pliant.cli import execute
from pliant.items.errors import TextError
from pliant.text.model_text import from_text, to_text

TEXT = """pliant: 1
name: weight
gravity: [0, 0, -9.81]
bodies:
  b: {kind: rigid, mass: 2 kg, inertia: [1, 1, 1], position: [0, 0, -0.5]}
joints:
  guide: {kind: prismatic, between: [ground, b], axis: z}
forces:
  k: {kind: spring_damper, between: [ground, b], stiffness: 50 N/m, damping: 0.6, length: 0.2 m}
  push: {kind: force, frame: b, vector: [0, 0, 0]}
simulate: {duration: 0.2 s, step: 1 ms, start: static}
static: {load_steps: 3}
modes: {n: 1, state: static}
linearize: {inputs: [push.z], outputs: [b.position.z, k.force], state: static}
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "weight.yaml"
    path.write_text(TEXT)
    return str(path)


def answer(capsys, *args):
    code = execute([*args, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_entries_are_defaults_and_survive_a_round_trip():
    m = from_text(TEXT)
    again = from_text(to_text(m))
    assert again.analyses == m.analyses == {"static": {"load_steps": 3}, "modes": {"n": 1, "state": "static"},
                                            "linearize": {"inputs": ["push.z"], "outputs": ["b.position.z", "k.force"], "state": "static"}}
    st = again.static()
    assert st.load_steps == 3 and st["k.force"] == pytest.approx(-2 * 9.81 if st["b.position.z"] > 0 else 2 * 9.81)
    assert m.copy().analyses == m.analyses
    modes = again.modes()
    assert len(modes) == 1 and modes.frequencies[0] == pytest.approx(5 / (2 * np.pi))
    lin = again.linearize()
    assert lin.inputs == ["push.z"]
    np.testing.assert_allclose(lin.C[1], [-50, -0.6], rtol=1e-9)
    sol = again.simulate(progress=False)
    assert abs(sol["b.position.z"] - sol["b.position.z"][0]).max() < 1e-10


@pytest.mark.parametrize(("old", "new", "message"), [
    ("modes: {n: 1", "modes: {n: -1", r":13: modes.n: -1 must be a whole number above zero"),
    ("n: 1, state: static", "n: 1, state: statc",
     r":13: modes.state: 'statc' must be one of assembled, static, steady; did you mean 'static'\?"),
    ("n: 1, state", "m: 1, state", r":13: modes.m: unknown option 'm'; "),
    ("static: {load_steps: 3}", "static: {load_steps: 3.5}", r":12: static.load_steps: 3.5 must be a whole number from 1 to 10000"),
    ("static: {load_steps: 3}", "static: {tolerance: 2}", r":12: static.tolerance: 2 must be between 1e-14 and 1e-3"),
    ("static: {load_steps: 3}", "static: 3", r":12: static: must be a mapping of options to values, found 3"),
    ("inputs: [push.z]", "inputs: push.z", r":14: linearize.inputs: 'push.z' must be a list of names"),
    ("start: static", "start: sttic", r":11: simulate.start: 'sttic' must be one of assembled, static, steady"),
    ("modes:", "mods:", r":13: mods: unknown key 'mods'; did you mean 'modes'\?"),
])
def test_wrong_entries_are_located(old, new, message):
    with pytest.raises(TextError, match=message):
        from_text(TEXT.replace(old, new))


def test_schema_knows_the_entries():
    from pliant.text.schema import schema
    properties = schema()["properties"]
    assert set(properties["modes"]["properties"]) == {"n", "state"}
    assert set(properties["linearize"]["properties"]) == {"inputs", "outputs", "state"}
    assert properties["simulate"]["properties"]["start"] == {"enum": ["assembled", "static", "steady"]}


def test_static_command(file, capsys):
    code, data = answer(capsys, "static", file)
    assert code == 0 and data["stable"] is True
    assert data["bodies"]["b"]["position"][2] == pytest.approx(-0.2 - 2 * 9.81 / 50)
    assert data["channels"]["k.force"] == pytest.approx(2 * 9.81)
    assert execute(["static", file, "-o", "st.png", "--load-steps", "2"]) == 0
    assert "written: st.png" in capsys.readouterr().out
    assert answer(capsys, "static", file, "-o", "st.h5")[1]["file"] == "st.h5"
    assert pl.load("st.h5")["k.force"].tolist() == [pytest.approx(2 * 9.81)]
    code, data = answer(capsys, "static", file, "-o", "st.txt")
    assert code == 1 and "choose a name with such an ending" in data["error"]["message"]


def test_modes_command(file, capsys):
    code, data = answer(capsys, "modes", file)
    assert code == 0 and data["modes"][0]["frequency"] == pytest.approx(5 / (2 * np.pi))
    assert data["modes"][0]["damping"] == pytest.approx(0.6 / (2 * 10))
    assert execute(["modes", file, "--state", "static", "-n", "1", "-o", "mode.png"]) == 0
    assert "frequency [Hz]" in capsys.readouterr().out
    code, data = answer(capsys, "modes", file, "--state", "statik")
    assert code == 1 and "did you mean 'static'" in data["error"]["message"]
    code, data = answer(capsys, "modes", file, "--set", "modes.state=assembled")
    assert "no equilibrium" in data["note"]


def test_linearize_command(file, capsys):
    code, data = answer(capsys, "linearize", file, "-o", "lin.npz")
    assert code == 0 and data["states"] == ["guide.displacement", "guide.displacement_rate"]
    np.testing.assert_allclose(data["A"], [[0, 1], [-25, -0.3]], atol=1e-9)
    with np.load("lin.npz") as saved:
        np.testing.assert_array_equal(saved["B"], data["B"])
    code, data = answer(capsys, "linearize", file, "--input", "guide.displacement", "--output", "b.acceleration.z")
    np.testing.assert_allclose(data["D"], [[0.5]], rtol=1e-9)
    code, data = answer(capsys, "linearize", file, "--input", "pull")
    assert code == 1 and "input 'pull' is not known" in data["error"]["message"]


def test_run_from_equilibrium_and_python_models(file, capsys, tmp_path):
    code, _ = answer(capsys, "run", file, "--start", "static")
    assert code == 0
    sol = pl.load("weight.h5")
    assert abs(sol["b.velocity"]).max() < 1e-10
    (tmp_path / "m.py").write_text(f"from pliant.text.model_text import from_text\nmodel = from_text({TEXT!r})\n")
    code, data = answer(capsys, "modes", "m.py", "--set", "modes.n=1", "--set", "modes.state=static")
    assert code == 0 and len(data["modes"]) == 1
    code, data = answer(capsys, "modes", "m.py", "--set", "modes.n=x")
    assert code == 1 and "'x' must be a whole number above zero" in data["error"]["message"]
