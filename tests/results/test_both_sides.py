"""Rows on both sides of impacts and changes of structure."""
import numpy as np
import pytest
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401

import pliant as pl
from pliant.text.model_text import from_text, to_text

G = 9.81


def ball(**law) -> pl.Model:
    m = pl.Model("ball", gravity=(0, 0, -G), settings={"output_events": True})
    m.add(pl.RigidBody.sphere("b", 0.1, mass=0.5, position=(0, 0, 1.1), velocity=(0.3, 0, 0)))
    m.add(pl.Contact("touch", m.ground, "b", law="rigid", restitution=0.5, **law))
    return m


def test_an_impact_is_seen_from_both_sides():
    """Speeds sqrt(2 g h), and half of that; the loss of energy lies between the two rows."""
    sol = from_text(to_text(ball())).simulate(0.6, accuracy=1e-9, output_step=0.1)
    t = np.sqrt(2 / G)
    k = int(np.searchsorted(sol.t, t * (1 - 1e-9)))
    assert sol.t[k] < sol.t[k + 1] == np.nextafter(sol.t[k], 1) and sol.t[k] == pytest.approx(t, rel=1e-9)
    assert sol["b.velocity.z"][[k, k + 1]] == pytest.approx([-G * t, G * t / 2], rel=1e-9)
    assert np.diff(sol.energy.dissipated)[k] == pytest.approx(0.75 * 0.5 * G, rel=1e-9) and np.ptp(sol.energy.balance) < 1e-8
    assert len(sol.t) == 7 + 2 and (np.diff(sol.t) > 0).all()


def test_a_row_that_is_due_then_is_one_of_them():
    first = ball().simulate(0.6, accuracy=1e-9, output_step=0.6)
    t = first.events.t[0]
    sol = ball().simulate(0.6, accuracy=1e-9, output_times=[float(t), 0.6])
    assert len(sol.t) == 4 and sol.t[1] == t and sol["b.velocity.z"][2] > 0 > sol["b.velocity.z"][1] and np.diff(sol.t)[1] < 1e-15


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_limits_and_locks(coordinates):
    m = pl.Model("pendulum", gravity=(0, 0, -G))
    m.add(pl.RigidBody("a", 1.0, (0.1, 0.2, 0.1), com=(0.5, 0, 0), position=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "a", axis="y", limits={"upper": "60 deg", "restitution": 0.5, "law": "rigid"}))
    m.add(pl.Event("stop", "t > 1.2", [pl.Lock("A")]))
    sol = m.simulate(1.5, accuracy=1e-8, coordinates=coordinates, output_step=0.5, output_events=True)
    w, pairs = sol["A.angle_rate"], np.flatnonzero(np.diff(sol.t) < 1e-12)
    hits = sol["A.angle"][pairs] > 1.0471
    assert hits.sum() >= 2 and w[pairs + 1][hits] == pytest.approx(-0.5 * w[pairs][hits], rel=1e-8)
    assert w[pairs[-1] + 1] == pytest.approx(0, abs=1e-12) and abs(w[pairs[-1]]) > 0.01 and sol["A.locked"][-1] == 1


def test_a_continuation_keeps_them(tmp_path):
    whole = ball().simulate(1.5, accuracy=1e-7, output_step=0.05)
    out = tmp_path / "run.h5"
    with pytest.raises(Stop):
        ball().simulate(1.5, accuracy=1e-7, output_step=0.05, progress=stopping(0.7), out=out)
    sol = pl.load(out)
    assert not sol.complete and equal(sol.resume(), whole) and len(whole.t) > 40


def test_it_is_a_matter_of_yes_or_no():
    with pytest.raises(pl.ModelError, match="output_events = 3, must be True or False"):
        ball().simulate(0.1, output_events=3)
    with pytest.raises(pl.ModelError, match="leave output_events out"):
        ball().simulate(0.1, accuracy=1e-6, estimate=True)
