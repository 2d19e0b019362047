"""Every family: residual, Jacobian, bias and tangent against a complex step, in random spatial states."""
import numpy as np
import pytest
from derivatives import PAIRS, STEP, ZOO, ComplexStep, zoo

from pliant.kernels import evaluation

TOLERANCE = 1e-12


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=TOLERANCE * max(1.0, abs(expected).max()))


@pytest.mark.parametrize("bodies", PAIRS)
@pytest.mark.parametrize("name", ZOO)
def test_tangent_is_the_derivative_of_the_residual(name, bodies):
    c = ComplexStep(zoo(name, bodies))
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.7, 0.5, 0.3)):
        close(c.tangent(*coefficients), c.reference(*coefficients))


@pytest.mark.parametrize("name", ZOO)
def test_both_programs_and_both_scalar_types_give_one_residual(name):
    c = ComplexStep(zoo(name))
    c.tangent(1.0, 0.0, 0.0)
    expected = c.real.R.copy()
    close(c.memory(np.zeros(c.system.n), "v", "residual").R.real, expected)
    c.real.R[:] = np.nan
    evaluation.run(c.system.program("residual"), c.system.data, c.real, c.t, 0.0, 0.0, 0.0)
    close(c.real.R, expected)


@pytest.mark.parametrize("bodies", PAIRS)
@pytest.mark.parametrize("name", [n for n in ZOO if "joint" in ZOO[n].__qualname__])
def test_rates_are_the_time_derivatives_of_the_constraints(name, bodies):
    """g' = g_q v + g_t and g'' = (g')_q v + (g')_v a + (g')_t, each by a complex step on the manifold."""
    c = ComplexStep(zoo(name, bodies))
    n_v, x, s, h = c.system.n_v, c.real, c.system, 1e-4
    x.V[:] = 0
    evaluation.run(s.program("rates"), s.data, x, c.t, 0.0, 0.0, 0.0)
    g1, g2 = x.V[n_v:].copy(), x.R[n_v:].copy()
    by_time = {}
    for program, part in (("residual", "R"), ("rates", "V")):  # explicit time: differences of the drive's function, order 4
        values = []
        for t in (c.t - 2 * h, c.t - h, c.t + h, c.t + 2 * h):
            x.V[:] = 0
            evaluation.run(s.program(program), s.data, x, t, 0.0, 0.0, 0.0)
            values.append(getattr(x, part)[n_v:].copy())
        by_time[part] = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)
    np.testing.assert_allclose(g1, c.residual(x.v, "q")[n_v:] + by_time["R"], rtol=0, atol=1e-11 * max(1, abs(g1).max()))
    moved = (c.memory(x.v, "q", "rates").V[n_v:].imag.copy() + c.memory(x.a, "v", "rates").V[n_v:].imag) / STEP
    np.testing.assert_allclose(g2, moved + by_time["V"], rtol=0, atol=1e-10 * max(1, abs(g2).max()))
    if "driven" not in name:
        close(g1, c.residual(x.v, "q")[n_v:])
        close(g2, moved)


@pytest.mark.parametrize("name", ["spring", "torsion spring", "bushing"])
def test_elastic_forces_are_the_gradient_of_the_energy(name):
    c = ComplexStep(zoo(name))
    s, x = c.system, c.real
    x.v[:], x.a[:] = 0, 0
    s.data.val[:3] = 0
    c.data = s.typed_data(np.complex128)
    evaluation.run(s.program("residual"), s.data, x, c.t, 0.0, 0.0, 0.0)
    gradient = [c.memory(unit, "q", "energy").E[2].imag / STEP for unit in np.eye(s.n)[:s.n_v]]
    close(x.R[:s.n_v], np.array(gradient))


def test_kinetic_energy_gives_the_inertia_forces():
    """Power balance: R . v = dE/dt along the motion, for a body alone."""
    c = ComplexStep(zoo("force", "rigid ground"))
    s, x = c.system, c.real
    from pliant.families.rigid import BODY
    evaluation.run(s.program("residual", families=[BODY]), s.data, x, c.t, 0.0, 0.0, 0.0)
    power = x.R[:s.n_v] @ x.v[:s.n_v]
    kinetic = (c.memory(x.a, "v", "energy").E[0].imag + c.memory(x.v, "q", "energy").E[1].imag) / STEP
    np.testing.assert_allclose(power, kinetic, rtol=1e-12)


@pytest.mark.parametrize("bodies", PAIRS[:3])
def test_a_bushing_past_half_a_turn(bodies):
    """The rotation vector next to the one in the history, on the other side of half a turn: its tangent, and the gradient of its energy."""
    c = ComplexStep(zoo("bushing", bodies, seed=3))
    s, x = c.system, c.real
    x.H[1:4] = 0
    evaluation.run(s.program("residual"), s.data, x, c.t, 0.0, 0.0, 0.0)
    evaluation.run(s.program("history"), s.data, x, c.t, 0.0, 0.0, 0.0)
    r = x.H[1:4].copy()
    size = np.linalg.norm(r)
    x.H[1:4] = r * (1 - 2 * np.pi / size)
    beyond = x.H[1:4].copy()
    evaluation.run(s.program("history"), s.data, x, c.t, 0.0, 0.0, 0.0)
    assert 0.5 < size < np.pi
    np.testing.assert_allclose(x.H[1:4], beyond, rtol=1e-12)
    close(c.tangent(0.7, 0.5, 0.3), c.reference(0.7, 0.5, 0.3))
    x.v[:], x.a[:] = 0, 0
    s.data.val[:3] = 0
    c.data = s.typed_data(np.complex128)
    evaluation.run(s.program("residual"), s.data, x, c.t, 0.0, 0.0, 0.0)
    gradient = [c.memory(unit, "q", "energy").E[2].imag / STEP for unit in np.eye(s.n)[:s.n_v]]
    close(x.R[:s.n_v], np.array(gradient))
