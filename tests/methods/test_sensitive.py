"""What `estimate` says where two runs have parted, and which motions are told to be sensitive."""
import json

import numpy as np
import pytest

import pliant as pl


def pendulum(links: int, angle: float) -> pl.Model:
    """Rods of 1 m and 1 kg in a row, at rest, so far from hanging."""
    m, p, last = pl.Model("pendulum", gravity=(0, 0, -9.81)), np.zeros(3), "ground"
    way = np.array([np.sin(angle), 0, -np.cos(angle)])
    for k in range(links):
        m.add(pl.RigidBody.rod(f"b{k}", start=p, end=p + way, mass=1))
        m.add(pl.Revolute(f"J{k}", last, f"b{k}.start", axis="y"))
        p, last = p + way, f"b{k}.end"
    return m


@pytest.mark.parametrize("options", [{"accuracy": 1e-3}, {}, {"accuracy": 1e-7}, {"step": 2e-3}])
def test_no_number_where_the_runs_have_parted(options):
    """A double pendulum that goes over: after 20 s the true error is metres, whatever the accuracy. Small differences grow about
    tenfold in 1.2 s (its largest Lyapunov exponent there is about 2 / s)."""
    sol = pendulum(2, 2.0).simulate(20.0, estimate=True, **options)
    q = sol.quality
    assert q.estimate is None and "nothing in common after t = " in q.no_estimate and q.no_estimate in sol.summary()
    assert q.sensitive and q.growth > 100 and 1.0 < np.log(q.growth) / q.growth_time < 4.0
    assert "times larger after" in sol.summary()


@pytest.mark.parametrize(("links", "angle"), [(1, 2.0), (2, 0.2)])
@pytest.mark.parametrize("options", [{"accuracy": 1e-3}, {}, {"step": 2e-3}])
def test_regular_motions_have_an_estimate(links, angle, options):
    sol = pendulum(links, angle).simulate(20.0, estimate=True, **options)
    exact = pendulum(links, angle).simulate(20.0, accuracy=1e-10)
    error = (np.linalg.norm(sol["b0.position"] - exact["b0.position"], axis=1) / np.maximum(1, sol.t)).max() / links
    assert not sol.quality.sensitive and not sol.quality.no_estimate
    assert error / 20 < sol.quality.estimate < max(0.01, 100 * error)


def test_a_second_run_that_took_the_same_steps_tells_nothing():
    """Steps are limited by the turning, whatever the accuracy."""
    m = pl.Model("free")
    m.add(pl.RigidBody("b", 1.0, (1, 1, 1), angular_velocity=(0, 0, 50.0)))
    q = m.simulate(5.0, accuracy=1e-3, estimate=True).quality
    assert (q.estimate is None) == bool(q.no_estimate) and not q.sensitive


def test_files_keep_it(tmp_path):
    sol = pendulum(2, 2.0).simulate(8.0, accuracy=1e-3, estimate=True, out=tmp_path / "run.h5")
    assert pl.load(tmp_path / "run.h5").quality == sol.quality and sol.quality.no_estimate
    from pliant.report.summaries import run_data
    assert json.loads(json.dumps(run_data(sol)))["quality"]["no_estimate"] == sol.quality.no_estimate
