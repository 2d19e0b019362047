"""Campbell diagrams: blades against exact frequencies of rotating beams, a rotor against its closed form; branches, whirl, words."""
import json

import no_jit
import numpy as np
import pytest
from rotating_beam import frequencies

import pliant as pl
from pliant.cli import execute
from pliant.items.errors import TextError
from pliant.text.model_text import from_text, to_text

BLADES = no_jit.load("three_blades")
WRIGHT = {1: (3.681646814, 22.18101115, 3.54323627), 2: (4.137319573, 22.61492196, 3.621796964),     # benchmark 10: flap 1, 2, lag 1
          6: (7.360373019, 26.80908168, 4.26322542), 12: (13.1701505, 37.6031123, 5.42704928)}
TEXT = """pliant: 1
name: rotor
bodies:
  hub: {kind: rigid, mass: 0.3, inertia: [0.01, 0.01, 0.02], position: [0, 0, 0]}
  disc: {kind: rigid, mass: 4, inertia: [0.05, 0.05, 0.09], position: [0, 0, 0]}
joints:
  bearing: {kind: revolute, between: [hub, disc], axis: z}
forces:
  support: {kind: bushing, between: [ground, hub], stiffness: [3e4, 3e4, 5e4, 800, 800, 500]}
campbell: {speeds: [0 rpm, 1000 rpm, 200], n: 6, about: bearing}
"""


# -- blades
def test_the_independent_beam_is_right():
    """The finite elements of tests/support against the exact values without a hub."""
    for eta, (flap1, flap2, lag) in WRIGHT.items():
        np.testing.assert_allclose([*frequencies(eta, 0.0)[:2], frequencies(eta, 0.0, lag=True)[0]], (flap1, flap2, lag), rtol=1e-6)


@pytest.mark.parametrize("hub", [0.0, 0.05])
def test_three_blades(hub):
    """Flap 1, 2 and lag 1 of each blade on one branch, within 0.5 %, clamped at the axis and on a hub of 0.05 L."""
    found = BLADES.diagram(list(WRIGHT), hub=hub * BLADES.L, modes=10)
    w = 2 * np.pi * found.frequencies / BLADES.UNIT
    exact = np.array([[*frequencies(eta, hub)[:2], frequencies(eta, hub, lag=True)[0]] for eta in WRIGHT])
    if not hub:
        np.testing.assert_allclose(exact, list(WRIGHT.values()), rtol=1e-6)
    for line in exact.T:
        assert (abs(w / line - 1).max(1) < 5e-3).sum() == 3, "one branch for each of the blades, at all speeds"
    assert np.isfinite(w).all() and not found.notes


def test_the_example_states_its_speed():
    """The drive of the example turns at eta = 3; the diagram sets it to other speeds, and leaves the model as it was."""
    m = BLADES.model()
    before = m["motor"].function
    assert len(m.campbell([2.0, 4.0], n=3, progress=False).eigenvalues) == 3
    assert m["motor"].function == before


# -- a rotor
def whirls(spin):
    half = 0.09 * spin / (2 * 0.06)
    return np.sqrt(half**2 + 800 / 0.06) + np.array([-half, half])


def test_whirl_of_a_rotor_on_a_bushing():
    """Backward and forward tilting by its closed form, on branches that cross others; translations do not change."""
    m = from_text(TEXT)
    found = m.campbell("0:300:13", progress=False)
    w = 2 * np.pi * found.frequencies
    exact = np.array([whirls(speed) for speed in found.speeds])
    for line, word in zip(exact.T, ("backward", "forward"), strict=True):
        branch = int(np.argmin(abs(w - line).max(1)))
        np.testing.assert_allclose(w[branch], line, rtol=1e-9)
        assert found.whirl[branch] == ["", *12 * [word]]
    for constant in (np.sqrt(3e4 / 4.3), np.sqrt(5e4 / 4.3), np.sqrt(500 / 0.02)):
        assert (abs(w - constant).max(1) < 1e-6 * constant).any()
    critical = [speed for speed, branch in found.crossings() if found.whirl[branch][-1] == "backward"]
    assert critical == [pytest.approx(np.sqrt(800 / (0.06 + 0.09)), rel=1e-2)]   # I t'' - i C W t' + k t = 0 at t = e^(-i W t)


def test_speed_by_velocities_of_bodies_and_by_a_joint_alike():
    by_joint = from_text(TEXT).campbell([50.0, 80.0], progress=False)
    m = from_text(TEXT)
    m["disc"].angular_velocity, m["disc"].velocity, m["hub"].angular_velocity = (0, 0, 7.0), (0, 0, 0), (0, 0, 0)
    m.analyses = {}
    by_bodies = m.campbell([50.0, 80.0], progress=False)
    np.testing.assert_allclose(np.sort(by_bodies.frequencies, 0)[:6], np.sort(by_joint.frequencies, 0), rtol=1e-9)


def test_words_numbers_and_progress():
    seen = []
    found = from_text(TEXT).campbell(progress=lambda done, all_: seen.append((done, all_)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    np.testing.assert_allclose(found.speeds, [0, 1000 * 2 * np.pi / 60, 200])
    text, data = str(found), found.to_dict()
    assert "speed [rad/s]" in text and " f" in text and " b" in text and "critical:" in text
    assert data["branches"][0]["frequency"][0] == pytest.approx(found.frequencies[0, 0])
    assert repr(found) == "Campbell('rotor': 6 branches at 3 speeds)"
    with pytest.raises(pl.ModelError, match=r"campbell: speeds: 'fast' must begin with a number.* must be a list of speeds"):
        from_text(TEXT).campbell("fast")
    with pytest.raises(pl.ModelError, match=r"there is no joint 'bering' with an angle; did you mean 'bearing'\?"):
        from_text(TEXT).campbell([1.0], about="bering")
    m = from_text(TEXT)
    m.analyses = {}
    with pytest.raises(pl.ModelError, match="campbell: speeds are missing"):
        m.campbell()
    with pytest.raises(pl.ModelError, match="nothing turns in this model as it is stated; say which joint does: about='bearing'"):
        m.campbell([1.0])


@pytest.mark.parametrize(("old", "new", "message"), [
    ("200]", "fast]", r":10: campbell.speeds: .* must be a list of speeds"),
    ("n: 6", "n: 0", ":10: campbell.n: 0 must be a whole number above zero"),
    ("about: bearing", "about: [bearing]", ":10: campbell.about: .* must be the name of a joint"),
    ("about", "abut", r":10: campbell.abut: unknown option 'abut'; did you mean 'about'\?"),
])
def test_wrong_entries_are_located(old, new, message):
    with pytest.raises(TextError, match=message):
        from_text(TEXT.replace(old, new))


def test_text_and_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    m = from_text(TEXT)
    assert from_text(to_text(m)).analyses == m.analyses
    (tmp_path / "rotor.yaml").write_text(TEXT)
    assert execute(["campbell", "rotor.yaml", "--speeds", "0:100:3", "-o", "c.png", "--orders", "1,2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["speeds"] == [0, 50, 100] and data["file"] == "c.png" and (tmp_path / "c.png").stat().st_size > 5000
    backward = min(data["branches"], key=lambda b: abs(b["frequency"][2] - whirls(100.0)[0] / (2 * np.pi)))
    assert backward["frequency"][2] == pytest.approx(whirls(100.0)[0] / (2 * np.pi)) and backward["whirl"][2] == "backward"
    assert execute(["campbell", "rotor.yaml"]) == 0
    assert "6 branches" in capsys.readouterr().out
    assert execute(["campbell", "rotor.yaml", "--orders", "one"]) == 1
    assert "--orders 'one' must be numbers" in capsys.readouterr().err
