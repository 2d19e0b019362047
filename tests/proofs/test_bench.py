"""The benchmark models are the peers' models, cost grows like the length of a chain, and failed rows show no times."""
from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pliant.compile.compiled_model import CompiledModel
from pliant.items.base import matrix_of
from pliant.methods.formulations.choices import Index3
from pliant.methods.integrators.base import Plan
from pliant.methods.integrators.choices import GeneralizedAlpha
from pliant.model import Model
from pliant.proofs.benchmark_models import CUBE, G, bricard, chain, fourbars, fourbars_energy, problems, watched
from pliant.proofs.benchmarks import accuracy, measure, peers_folder, ratios, table
from pliant.start.assembly import start_row

FOLDER = peers_folder() or Path()


def peer_module(name: str) -> ModuleType:
    """A module of benchmarks/peers that needs numpy only."""
    sys.path.insert(0, str(FOLDER))
    try:
        spec = importlib.util.spec_from_file_location(f"peer_{name}", FOLDER / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(FOLDER))


def energy(dynamics: CompiledModel, row: np.ndarray) -> float:
    return float(dynamics.refine(row[None, :].copy(), project=False)[0].sum())


def equations(dynamics: CompiledModel) -> list[int]:
    return [j.used for j in dynamics.system.joints]


def mass(model: Model) -> float:
    return sum(body.mass for body in model.section("bodies"))  # type: ignore[attr-defined]


@pytest.mark.parametrize("n", [2, 40])
def test_fourbars(n: int) -> None:
    model = fourbars(n)
    d = model.compile()
    row = start_row(d)
    assert mass(model) == 2 * n + 1
    assert equations(d) == [5] * (n + 1) + [5, 2] * n
    assert 6 * (2 * n + 1) - sum(equations(d)) == 1
    assert energy(d, row) == pytest.approx(fourbars_energy(n), rel=1e-14)
    assert max(d.gaps().values()) < 1e-15 * n
    velocities = row[3 + d.system.q0.size:][:d.system.n_v].reshape(-1, 6)
    assert velocities[:n + 1] == pytest.approx(np.tile([0.5, 0, 0, 0, 0, -1.0], (n + 1, 1)), abs=1e-12)  # as stated
    assert velocities[n + 1:] == pytest.approx(np.tile([1.0, 0, 0, 0, 0, 0], (n, 1)), abs=1e-12)


@pytest.mark.parametrize("n", [10, 100])
def test_chain_is_the_peers_chain(n: int) -> None:
    peer = peer_module("chain_model")
    model = chain(n)
    d = model.compile()
    row = start_row(d)
    frames, tip = peer.frames(n)
    height = 0.0
    for i, (R, p) in enumerate(frames):
        link, joint = model[f"link_{i}"], model[f"joint_{i}"]
        assert matrix_of(link.rotation) == pytest.approx(R, abs=1e-14)
        assert np.array(link.position) == pytest.approx(p + R[:, 0] / 2, abs=1e-12)
        assert link.inertia_matrix == pytest.approx(peer.J, abs=0)
        assert joint.axis == tuple(peer.axis(i))
        height += p[2] + R[2, 0] / 2
    assert np.allclose(tip, np.array(link.position) + matrix_of(link.rotation)[:, 0] / 2)
    assert watched(n) == peer.watched(n)
    assert mass(model) == n and equations(d) == [5] * n
    assert energy(d, row) == pytest.approx(G * height, rel=1e-12)


def test_bricard_is_the_peers_bricard() -> None:
    peer = peer_module("p3_bricard_model")
    model = bricard()
    d = model.compile()
    row = start_row(d)
    assert np.array_equal(CUBE, peer.P)
    for k in range(6):
        assert model[f"joint_{k}"].axis == tuple(peer.AXES[k])
    for k in range(5):
        assert model[f"rod_{k}"].inertia_matrix == pytest.approx(peer.inertia(k), abs=1e-17)
    assert mass(model) == 5 and equations(d) == [5] * 6
    assert np.linalg.matrix_rank(jacobian(d)) == 29
    assert energy(d, row) == pytest.approx(-3 * G, rel=1e-14)


def jacobian(d: CompiledModel) -> np.ndarray:
    """All joint equations by all velocities at the start."""
    d._matrix()
    return d.system.dense(d.tiles)[d.system.n_v:, :d.system.n_v]


def test_cost_grows_linearly_with_the_chain() -> None:
    """Tiles, updates and elements per link must not grow: work per step is counted, not timed."""
    counts = {}
    for n in (10, 100, 1000):
        s = chain(n).compile().system
        counts[n] = np.array([len(s.block), s.lu.update.size, s.lu.rows.size, len(s.data.ip), len(s.data.fr)]) / n
    assert counts[1000] == pytest.approx(counts[100], rel=0.02)
    assert (counts[1000] <= 1.2 * counts[10]).all()
    assert (counts[1000] < [8.5, 5.5, 3.5, 12, 6]).all()


def test_a_row_is_complete() -> None:
    row = measure("chain10 modified", quick=True)
    assert not row.get("failed")
    assert row["us_per_step"] > 0 and 1 <= row["iterations"] < 6
    assert row["position_error"] == pytest.approx(1.2e-5, rel=0.1)  # that of any correct generalized-alpha with this step
    assert row["energy_error"] < 1e-3 and row["violation"] < 1e-10
    assert "chain n=10" in table([row])


def test_accuracy_sees_an_error() -> None:
    d = bricard().compile()
    row = start_row(d)
    rough = accuracy(d, GeneralizedAlpha().run(Plan.fixed(d, Index3(), row, 1e-2, 100)), row)
    fine = accuracy(d, GeneralizedAlpha().run(Plan.fixed(d, Index3(), row, 1e-3, 1000, 10)), row)
    assert rough[0] / fine[0] == pytest.approx(100, rel=0.5)  # order 2


def test_failed_peers_have_no_times() -> None:
    judged = peer_module("run").judged
    raw: dict[str, Any] = {"problem": "3 bricard", "peer": "exudyn-fast", "method": "30 eq rho=0.9 modNewton", "h": 1e-3,
                           "wall": 1.0, "cpu": 1.0, "steps": 10000, "us_per_step": 100.0, "us_per_newton": 10.0, "acc": 1e-6,
                           "acc_what": "", "note": ""}
    good = {"table": "peers", **judged(dict(raw))}
    stopped = {"table": "peers", **judged(raw | {"method": "30 eq rho=0.9 modNewton FAILED"})}
    silent = {"table": "peers", **judged(raw | {"acc": math.nan})}
    assert not good["failed"] and stopped["us_per_step"] is None and silent["us_per_step"] is None
    own = [{"table": "pliant", "key": key, "problem": p.name, "method": p.method, "us_per_step": 20.0}
           for key, p in problems().items()]
    found = {r["problem"]: r for r in ratios(own, [good, stopped])}
    assert found["Bricard, 30 equations"]["ratio"] == pytest.approx(5.0) and found["Bricard, 30 equations"]["verdict"] == "ok"
    assert found["chain n=10"]["ratio"] is None and found["chain n=10"]["verdict"] == "failed"
    only = next(r for r in ratios(own, [stopped, silent]) if r["problem"].startswith("Bricard"))
    assert only["ratio"] is None
    assert "| failed |" in table([stopped]) and "100.0" not in table([stopped, only])
