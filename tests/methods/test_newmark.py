"""HHT and Newmark: members of the generalized-alpha family, by their orders, stability and closed forms."""
import numpy as np
import pytest
from examples_of import example
from spatial_loop import errors, four_bar, orders

import pliant as pl
from pliant.kernels.records import new_record
from pliant.methods.integrators.implicit.alpha_memory import MEMORY, constants

STEPS = (2e-3, 1e-3, 5e-4)
UNDAMPED = pl.Newmark(0.25, 0.5)


@pytest.mark.parametrize("method", [pl.HHT(), pl.HHT(-1 / 3), UNDAMPED, pl.Newmark(0.4, 0.7)], ids=str)
def test_orders_on_a_spatial_loop(method):
    found = orders(four_bar, 0.8, STEPS, integrator=method)
    assert found == pytest.approx(list(method.orders(pl.Index3())), abs=0.1)


@pytest.mark.parametrize("method", [pl.HHT(), pl.Newmark(0.4, 0.7)], ids=str)
def test_orders_with_redundant_constraints(method):
    found = orders(example("bricard"), 0.4, STEPS, integrator=method)
    assert found == pytest.approx(list(method.orders(pl.Index3())), abs=0.1)


def oscillator(k=100.0) -> pl.Model:
    """A mass on a spring along an axis askew, 1 kg: omega = sqrt(k)."""
    m, u = pl.Model("oscillator"), np.array([2, -1, 2]) / 3
    m.add(pl.RigidBody("mass", mass=1.0, inertia=(1, 1, 1), position=2.3 * u))
    m.add(pl.Prismatic("slide", m.ground, "mass", axis=u))
    m.add(pl.SpringDamper("spring", m.ground.frame(-u), "mass", stiffness=k, length=3.0))
    return m


def amplification(method, h_omega: float) -> np.ndarray:
    """Displacements of the mass after every step."""
    h = h_omega / 10
    sol = oscillator().simulate(200 * h, step=h, output_step=h, integrator=method)
    return sol["mass.position"] @ np.array([2, -1, 2]) / 3 - 2.0


def recursion(method, z: float, n: int, x: float) -> np.ndarray:
    """The same by the classical form with averaged forces, (1 + alpha) f_1 - alpha f_0: a scalar recursion with exact arithmetic."""
    am, af, beta, gamma = method.parameters
    assert am == 0
    v, a, found = 0.0, -z * z * x, [x]
    for _ in range(n):
        old = x, v, a
        # a1 = -(1 - af) z^2 x1 - af z^2 x0,  x1 = x0 + v0 + (1/2 - beta) a0 + beta a1
        a = -((1 - af) * z * z * (old[0] + old[1] + (0.5 - beta) * old[2]) + af * z * z * old[0]) / (1 + (1 - af) * z * z * beta)
        x = old[0] + old[1] + (0.5 - beta) * old[2] + beta * a
        v = old[1] + (1 - gamma) * old[2] + gamma * a
        found.append(x)
    return np.array(found)


@pytest.mark.parametrize("method", [pl.HHT(-0.1), pl.HHT(-1 / 3), UNDAMPED, pl.Newmark(), pl.Newmark(0.5, 0.8)], ids=str)
@pytest.mark.parametrize("z", [0.3, 3.0])
def test_the_classical_method_for_a_constant_mass(method, z):
    found = amplification(method, z)
    exact = recursion(method, z, 200, found[0])
    assert found == pytest.approx(exact, abs=1e-7 * abs(exact).max())


def test_damping_of_the_highest_frequencies():
    """Spectral radius at infinity: (1 + alpha) / (1 - alpha) of HHT, |gamma - 3/2| / (gamma + 1/2) of Newmark, as the docstrings say."""
    for method, radius in ((pl.HHT(), 0.9 / 1.1), (pl.HHT(-0.3), 0.7 / 1.3), (pl.Newmark(), 0.99 / 1.01)):
        x = abs(recursion(method, 1e6, 400, 1.0))
        assert (x[400] / x[200]) ** (1 / 200) == pytest.approx(radius, rel=0.02)


def test_error_control_of_hht():
    """The true error follows the accuracy over five decades."""
    asked = 10.0 ** -np.arange(2, 8)
    found = np.array([max(errors(four_bar, 0.8, accuracy=e, integrator=pl.HHT())[:2]) for e in asked])
    assert (np.diff(found) < 0).all()
    assert 0.8 < np.polyfit(np.log(asked), np.log(found), 1)[0] < 1.2


@pytest.mark.parametrize("alpha", [-0.3, -0.1, 0.0])
def test_error_constants_of_hht(alpha):
    """alpha-6 with the numbers of HHT: Delta = alpha, c_q = -1/12 - alpha^2 / 4, c_v = -1/12 + alpha / 2 + alpha^2."""
    names = "alpha_m", "alpha_f", "beta", "gamma"
    found = constants.py_func(new_record(MEMORY, **dict(zip(names, pl.HHT(alpha).parameters, strict=True))))
    assert found == pytest.approx((alpha, -1 / 12 - alpha**2 / 4, -1 / 12 + alpha / 2 + alpha**2))


def test_newmark_has_no_error_control():
    """An accuracy is reached with a fixed step that is searched for: order 1, and changes of step that are not damped."""
    sol = four_bar().simulate(0.4, accuracy=1e-3, integrator=pl.Newmark())
    assert not pl.Newmark.controlled and sol.quality.estimate < 1e-3 and sol.quality.rejected == 0


@pytest.mark.parametrize("make, told", [
    (lambda: pl.HHT(-0.5), "alpha = -0.5, must be from -0.333333 to 0"), (lambda: pl.HHT(0.1), "alpha = 0.1"),
    (lambda: pl.Newmark(0.25, 0.4), "gamma = 0.4"), (lambda: pl.Newmark(0.25, 0.6), "beta = 0.25, must be from 0.3"),
    (lambda: pl.HHT(newton="old"), "newton = 'old'")])
def test_parameters_out_of_range(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_undamped_newmark_with_joints_is_unstable():
    """What the docstring tells of: errors across the constraints grow until the run ends; a little damping is enough."""
    assert four_bar().simulate(20.0, step=5e-3, integrator=pl.Newmark()).complete
    with pytest.raises(pl.SimulationError, match="Newton's method did not converge"):
        four_bar().simulate(20.0, step=5e-3, integrator=UNDAMPED)


def test_hht_stays_on_the_physical_branch():
    """100 s of the double four-bar, 100 flat positions: its posts stay parallel."""
    sol = example("double_four_bar")().simulate(100.0, step=1e-2, integrator=pl.HHT())
    tips = [sol[f"post{i}.end.position"] - (i, 0, 0) for i in range(3)]
    assert max(abs(tips[i] - tips[0]).max() for i in (1, 2)) < 1e-6


def test_resuming_is_exact():
    whole = four_bar().simulate(0.4, step=1e-3, integrator=pl.HHT())
    half = four_bar().simulate(0.2, step=1e-3, integrator=pl.HHT())
    assert np.array_equal(half.resume(0.2, progress=False).rows, whole.rows)


def test_from_text(tmp_path):
    file = tmp_path / "m.yaml"
    file.write_text("pliant: 1\nsimulate: {duration: 0.01, step: 0.001, integrator: {kind: hht, alpha: -0.2}}\n"
                    "bodies: {b: {mass: 1, inertia: [1, 2, 3]}}\n")
    m = pl.read(file)
    assert m.settings["integrator"] == pl.HHT(-0.2)
    assert "hht (alpha -0.2" in str(m.simulate().method)


@pytest.mark.parametrize("form", [pl.Penalty(), pl.AugmentedLagrangian(), pl.Index1()], ids=lambda f: f.kind)
def test_formulations_on_accelerations_are_refused(form):
    with pytest.raises(pl.ModelError, match=r"makes no sense with integrator hht: it solves for positions.*Index3"):
        four_bar().simulate(0.1, step=1e-3, integrator=pl.HHT(), formulation=form)
