"""DIMCD: central differences with null spaces, its linear algebra, and the study of the paper that describes it."""
import json

import numpy as np
import pytest
from examples_of import example
from spatial_loop import four_bar, orders
from test_conserving import driven, springs
from test_newmark import oscillator

import pliant as pl
from pliant.cli import execute
from pliant.kernels import dense
from pliant.kernels.state_row import parts
from pliant.methods.integrators.base import Plan
from pliant.proofs.studies import dimcd as study
from pliant.start.assembly import start_row

METHOD = pl.DIMCD()


def shaken():
    """A driven loop with a rider on a bushing, dampers and a load."""
    m = springs(0.5)
    m.add(pl.Drive("A", "angle", "sin(3*t)", name="motor"))
    m.add(pl.Force("push", m["rider"].frame((0.1, 0, 0)), vector=("3*sin(5*t)", 1.0, 0)))
    return m


@pytest.mark.parametrize("make", [four_bar, example("bricard"), shaken], ids=["spatial loop", "redundant", "shaken"])
def test_orders(make):
    assert orders(make, 0.4, (4e-3, 2e-3, 1e-3), integrator=METHOD) == pytest.approx([2, 2, 2], abs=0.1)


def test_double_four_bar_for_100_s():
    """On the physical branch through 103 flat positions; energy within 0.1 J, joints closed to 1e-13."""
    sol = example("double_four_bar")().simulate(100.0, step=1e-2, integrator=METHOD)
    tips = [sol[f"post{i}.end.position"] - (i, 0, 0) for i in range(3)]
    assert max(abs(tips[i] - tips[0]).max() for i in (1, 2)) < 1e-10
    assert sol.energy.drift < 0.1 and sol.quality.position_violation < 1e-13


@pytest.mark.parametrize("z", [0.3, 1.9])
def test_central_differences_of_an_oscillator(z):
    """x_2 = 2 x_1 - x_0 - z^2 x_1: the scalar recursion, z = h omega. A prismatic joint askew, found by the null space."""
    h, u = z / 10, np.array([2, -1, 2]) / 3
    x = oscillator().simulate(50 * h, step=h, output_step=h, integrator=METHOD)["mass.position"] @ u - 2.0
    exact = [0.3, 0.3 * (1 - z * z / 2)]
    for _ in range(49):
        exact.append((2 - z * z) * exact[-1] - exact[-2])
    assert x == pytest.approx(np.array(exact), abs=1e-8)


def test_beyond_its_limit_of_stability():
    """h omega > 2: it grows by 2.6 per step, and the run says what to do."""
    with pytest.raises(pl.SimulationError, match="stopped at"):
        oscillator().simulate(200 * 0.21, step=0.21, integrator=METHOD)


def test_reactions_are_recovered_from_the_equilibrium():
    """Eq. 69: what the equations of motion leave; they tend to the reported ones, which follow from q and v, with order 2."""
    found, d = [], four_bar().compile()
    row, n_q, n = start_row(d), d.system.q0.size, d.system.n
    for h in (4e-3, 2e-3, 1e-3):
        rows = np.vstack(list(METHOD.run(Plan.fixed(d, pl.NullSpace(), row, h, round(0.4 / h)))))
        raw = parts(rows, n_q, n)["lam"].copy()
        d.refine(rows)
        lam = parts(rows, n_q, n)["lam"]
        assert abs(lam).max() > 10
        found.append(abs(raw - lam).max())
    assert np.polyfit(np.log((4e-3, 2e-3, 1e-3)), np.log(found), 1)[0] == pytest.approx(2, abs=0.1)


def test_work_of_drives_and_loads():
    """The work of a drive needs its reaction: the balance of energy closes with order 2."""
    drift = [driven().simulate(1.0, step=h, integrator=METHOD).energy.drift for h in (4e-3, 2e-3)]
    assert drift[0] / drift[1] == pytest.approx(4, abs=0.3)


def qr(B, least=1e-9, rank=-1):
    f = dense.Factors.of(*B.shape)
    f.B[:] = B
    return f, dense.factor.py_func(f, least, rank)


def column(k, n):
    y = np.zeros(n)
    y[k] = 1.0
    return y


@pytest.fixture
def plain(monkeypatch):
    """Kernels as Python functions."""
    for name in ("squares", "make_unit_rows", "swap_rows", "reflect", "from_basis", "to_basis"):
        monkeypatch.setattr(dense, name, getattr(dense, name).py_func)


@pytest.mark.parametrize("shape, rank", [((5, 9), 5), ((9, 7), 4), ((8, 8), 8), ((4, 6), 0)])
def test_pivoted_qr(shape, rank, plain):
    """Rank, null space, smallest solution and combinations, against NumPy."""
    rng = np.random.default_rng(3)
    B = rng.normal(size=(shape[0], max(rank, 1))) @ rng.normal(size=(max(rank, 1), shape[1])) * (rank > 0)
    f, found = qr(B)
    assert found == rank == np.linalg.matrix_rank(B)
    N = []
    for k in range(rank, shape[1]):
        y = column(k, shape[1])
        dense.from_basis(f, rank, y)
        N.append(y)
    if N:
        assert abs(B @ np.array(N).T).max() < 1e-12 and np.array(N) @ np.array(N).T == pytest.approx(np.eye(len(N)), abs=1e-12)
    b, y = B @ rng.normal(size=shape[1]), np.zeros(shape[1])
    dense.smallest.py_func(f, rank, 1e-12, b, y)
    assert y == pytest.approx(np.linalg.pinv(B) @ b, abs=1e-10)
    force, out = B.T @ rng.normal(size=shape[0]), np.zeros(shape[0])
    dense.combination.py_func(f, rank, force.copy(), out)
    assert B.T @ out == pytest.approx(force, abs=1e-10)


def test_small_solver():
    rng = np.random.default_rng(4)
    K, b = rng.normal(size=(7, 7)), rng.normal(size=7)
    K[0, 0] = 0.0
    y, A, pivots = b.copy(), K.copy(), np.zeros(7, np.int64)
    assert dense.lu_factorise.py_func(A, 7, pivots)
    dense.lu_solve.py_func(A, 7, pivots, y)
    assert y == pytest.approx(np.linalg.solve(K, b))
    assert not dense.lu_factorise.py_func(np.zeros((2, 2)), 2, pivots)


def test_resuming_is_exact(tmp_path):
    whole = springs(0.5).simulate(0.4, step=1e-3, integrator=METHOD)
    half = springs(0.5).simulate(0.2, step=1e-3, integrator=METHOD, out=tmp_path / "half.h5")
    assert np.array_equal(half.resume(0.2, progress=False).rows, whole.rows)
    assert np.array_equal(pl.load(tmp_path / "half.h5").resume(0.2, progress=False).rows, whole.rows)


def test_what_is_refused():
    with pytest.raises(pl.ModelError, match=r"index-3 makes no sense with integrator dimcd: its null spaces are part of the method"):
        four_bar().simulate(0.1, step=1e-3, integrator=METHOD, formulation=pl.Index3())
    m = pl.Model("many")
    for k in range(121):
        m.add(pl.RigidBody(f"b{k}", mass=1.0, inertia=(1, 1, 1), position=(k, 0, 0)))
    with pytest.raises(pl.ModelError, match="121 bodies, its dense equations are good for up to 120"):
        m.simulate(0.1, step=1e-2, integrator=METHOD)


def test_from_text(tmp_path):
    file = tmp_path / "m.yaml"
    file.write_text("pliant: 1\nsimulate: {duration: 0.01, step: 0.001, integrator: dimcd, formulation: {kind: null-space, rank: 1e-8}}\n"
                    "bodies: {b: {mass: 1, inertia: [1, 2, 3], angular_velocity: [1, 2, 3]}}\n")
    sol = pl.read(file).simulate()
    assert sol.method == METHOD and sol.formulation == pl.NullSpace(rank=1e-8)


def test_error_of_the_paper():
    """Eq. 93-94 by hand: references below the threshold count as it."""
    assert study.total_error(np.array([[1.1, 0.001]]), np.array([[1.0, 0.0]])) == pytest.approx(np.sqrt((0.1**2 + 1.0**2) / 2))


@pytest.mark.parametrize("name, error", [("spinning top", 0.05), ("double four-bar", 0.48), ("bricard", 0.01)])
def test_study(name, error):
    """DIMCD keeps the limits of energy, violation and CPU time, and its total error is at most that of the paper (top: our own)."""
    case = study.CASES[name]
    row = study._row(name, case, case.exact(case), METHOD, pl.NullSpace(), {"step": case.step})
    assert row["passed"] and row["error"] < error, row


def test_study_from_the_command_line(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(study, "CASES", {"double four-bar": study.CASES["double four-bar"]})
    assert execute(["study", "dimcd", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    rows, energies = answer["rows"], [row["energy"] for row in answer["steps"]]
    assert energies == sorted(energies) and energies[1] < 0.1  # J, at the paper's step
    ours = {(row["method"], row.get("setting")): row for row in rows if row["of"] == "ours"}
    assert ours["dimcd", "10 ms"]["passed"] and ours["hht", "10 ms"]["error"] > ours["dimcd", "10 ms"]["error"]
    assert sum(row["of"] == "paper" for row in rows) == 4
    for arguments, told in ((["dimcd", "model.yaml"], "takes no other option than -o"), (["work-precision"], "needs a MODEL")):
        assert execute(["study", *arguments]) == 1 and told in capsys.readouterr().err


def test_the_top_is_known():
    """Another method with other equations tends to the same reference, with its order."""
    case = study.CASES["spinning top"]
    exact, found = case.exact(case), []
    for h in (4e-5, 2e-5):
        sol = case.make().simulate(case.duration, step=h, output_step=case.duration / study.SAMPLES)
        found.append(study.total_error(study._top(sol), exact))
    assert found[1] < 1e-4 and found[0] / found[1] == pytest.approx(4, abs=0.05)


def test_a_steady_rotation():
    """Speed kept, turned by 2 asin(h w / 2) in a step."""
    m, u = pl.Model("rotor"), np.array([2, -1, 2]) / 3
    m.add(pl.RigidBody("b", mass=1.0, inertia=(2, 2, 2), angular_velocity=tuple(4 * u)))
    m.add(pl.Revolute("A", m.ground, "b", axis=u))
    sol = m.simulate(2.0, step=0.05, output_step=0.05, integrator=METHOD)
    assert sol["A.angle"] == pytest.approx(np.arange(41) * 2 * np.arcsin(0.1), abs=1e-10)
    assert sol["A.angle_rate"] == pytest.approx(np.full(41, 4.0), abs=1e-10)


def test_newtons_method_is_exact():
    """Two or three iterations per step with a bushing of strong dampers: the matrix has the derivatives by velocities."""
    quality = springs(100.0).simulate(0.1, step=1e-3, integrator=METHOD).quality
    assert quality.iterations <= 3 * quality.steps + 5
