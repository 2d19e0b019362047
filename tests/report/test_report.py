"""Reports: counts and masses of models, facts of runs, and the display of progress."""
from __future__ import annotations

import pytest
from sample_models import SLIDER_CRANK, everything

import pliant as pl
from pliant.report import progress, summaries, tables
from pliant.text.model_text import from_text


def test_summary_of_the_slider_crank() -> None:
    text = from_text(SLIDER_CRANK).summary()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    # rod of mass m and length l: m l^2/12 across, m (l/50)^2/2 along; 0.36 kg, 0.15 m
    assert "crank 0.36 (0.075, 0, 0) (1.62e-06, 0.000675, 0.000675)" in lines
    assert "A revolute ground - crank.start 5" in lines
    assert "motor A angle 150 rad/s * t" in lines
    assert text.endswith("degrees of freedom: 18 of 3 bodies - 21 equations = -3 counted (redundant equations not removed)")


def test_equations_of_every_joint(tmp_path) -> None:
    found = {i.kind: i.equations() for i in everything(tmp_path) if i.section in ("joints", "drives")}
    assert found == {"revolute": 5, "spherical": 3, "universal": 4, "prismatic": 5, "cylindrical": 5, "planar": 3, "fixed": 6, "screw": 5,
                     "distance": 1, "point_on_line": 2, "point_on_plane": 1, "joint": 6, "gear": 1, "rack_pinion": 1, "coupling": 1,
                     "drive": 1, "sliding_on_beam": 4,
                     "knife_edge": 1, "rolling_disc": 3, "rolling_sphere": 3, "wheelset": 5, "point_on_curve": 2, "cam": 1,
                     "curve_on_curve": 1}  # the cylindrical one holds its displacement, what slides has turning="axis"


def test_centre_of_mass_in_the_world(tmp_path) -> None:
    m = pl.Model()
    m.add(pl.RigidBody("a", mass=2, com=(1, 0, 0), position=(0, 0, 5), rotation=pl.rotation("z", "90 deg")))
    m.add(pl.RigidBody("b", mass=6))
    data = summaries.model_data(m)
    assert data["bodies"][0]["center_of_mass"] == pytest.approx([0, 1, 5])
    assert data["center_of_mass"] == pytest.approx([0, 0.25, 1.25])
    assert (data["total_mass"], data["degrees_of_freedom_counted"]) == (8, 12)
    assert summaries.summary(everything(tmp_path))
    assert summaries.summary(pl.Model())


def test_run_summary() -> None:
    m = pl.Model("pendulum", gravity=(0, -9.81, 0))
    bob = m.add(pl.RigidBody.rod("bob", start=(0, 0, 0), end=(1, 0, 0), mass=1))
    m.add(pl.Revolute("pivot", m.ground, bob["start"]))
    sol = m.simulate(0.1, step=0.01)
    text = sol.summary()
    assert "0 to 0.1 s, 11 rows" in text and "generalized-alpha (rho 0.9, newton modified" in text
    assert "0.01 s, 10 steps" in text and "complete" in text and "fallbacks" not in text and "estimate" not in text
    sol.quality.fallbacks, sol.quality.estimate, sol.complete = 2, 1e-6, False
    text = sol.summary()
    assert "2 steps were solved by the slower" in text and "1e-06 relative error" in text and "stopped early at t = 0.1 s" in text


def test_table_aligns() -> None:
    assert tables.table(("a", "n"), [("x", 1.5), ("long", 10)], indent="").splitlines() == ["a       n", "x     1.5", "long   10"]
    assert tables.table(("a", "b"), []) == "  a  b"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


def test_progress_without_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    display = progress.progress_display()
    for k in range(1, 26):
        clock.now += 1.0
        display(k / 25, 1.0)
    assert capsys.readouterr().err.splitlines() == ["t = 0.48 of 1 s, 48 %, 13 s left", "t = 0.92 of 1 s, 92 %, 2 s left"]
    display(0.5, 1.0)
    clock.now += 11
    display(0.6, 1.0)
    assert capsys.readouterr().err == "pass 2, t = 0.6 of 1 s, 60 %, 44 s left\n"


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    display = progress.Progress()
    display.terminal = True
    display(0.5, 1.0)
    display(1.0, 1.0)
    assert capsys.readouterr().err == ""  # a short run shows nothing
    display.last = 0.0
    clock.now += 2
    display(0.5, 1.0)
    assert display.bar is not None
    display(1.0, 1.0)
    assert display.bar is None
