"""Gains, filters and reduced models against closed forms, Riccati equations and python-control."""
import numpy as np
import pytest
from controlled import cart
from scipy.linalg import expm

import pliant as pl
from pliant.analyses.linear_system import LinearSystem, OperatingPoint
from pliant.items.errors import ItemError, ModelError

GAIN = {"rail.displacement": -70.71067811865515, "rail.displacement_rate": -37.83445399345579, "pin.angle": 105.52978191603682,
        "pin.angle_rate": 20.923843749209958}
Q = {"rail.displacement": 5000, "pin.angle": 100}


@pytest.fixture(scope="module")
def lin():
    return cart().linearize(["rail.displacement"], ["rail.displacement", "pin.angle"])


class System(LinearSystem):
    """Matrices with plain names."""
    name = "system"

    def __init__(self, A, B, C, D=None):
        self.A, self.B, self.C = (np.atleast_2d(np.array(x, float)) for x in (A, B, C))
        (n, m), p = self.B.shape, len(self.C)
        self.D = np.zeros((p, m)) if D is None else np.atleast_2d(np.array(D, float))
        self.states, self.inputs, self.outputs = ([f"{c}{k}" for k in range(size)] for c, size in (("x", n), ("u", m), ("y", p)))

    @property
    def operating_point(self):
        (n, m), p = self.B.shape, len(self.C)
        return OperatingPoint(("",) * n, np.zeros(n), np.zeros(m), np.zeros(p))


def test_the_gain_of_the_inverted_pendulum(lin):
    by_name, by_numbers = lin.lqr(Q, 1), lin.lqr([5000, 100, 0, 0], [[1.0]])
    for state, exact in GAIN.items():
        assert by_name[state] == pytest.approx(exact, rel=1e-8) and by_name["rail.displacement", state] == by_name[state]
    assert by_numbers.matrix == pytest.approx(by_name.matrix, rel=1e-12)
    assert by_name.channels == tuple(lin.states) and "rail.displacement_rate" in str(by_name)
    found = np.sort_complex(by_name.poles)
    half = np.array([-8.490980239372764 + 7.928277687135649j, -4.759161014781011 + 0.8309180454508198j])
    assert found == pytest.approx(np.sort_complex(np.concatenate([half, half.conj()])), rel=1e-9)


def test_weights_of_outputs_are_those_of_what_they_are_made_of():
    """y = C x + D u: x^T C^T W C x + 2 x^T C^T W D u + u^T D^T W D u; u = -K x makes the cost the smallest of all gains near it."""
    s = System([[0, 1], [2, -0.3]], [[0.2], [1]], [[1.0, 0.5]], [[0.7]])
    K = s.lqr({"y0": 4.0, "x1": 0.5}, {"u0": 0.3}).matrix

    def cost(K):
        A, C = s.A - s.B @ K, s.C - s.D @ K
        W = np.diag([0, 0.5]) + 4 * C.T @ C + 0.3 * K.T @ K
        P = np.linalg.solve(np.kron(np.eye(2), A.T) + np.kron(A.T, np.eye(2)), -W.ravel()).reshape(2, 2)
        return np.trace(P)
    best = cost(K)
    for change in np.random.default_rng(1).normal(size=(8, 1, 2)):
        assert cost(K + 1e-3 * change) > best


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_units_do_not_matter(unit):
    """A mass m with weights q on x and r on the force: K = sqrt(q / r), sqrt(2 m K)."""
    gain = System([[0, 1], [0, 0]], [[0], [1 / unit]], [[1, 0]]).lqr({"y0": 4.0}, unit**-2).matrix[0]
    assert gain == pytest.approx([2 * unit, 2 * unit], rel=1e-10)


def test_poles_are_placed(lin):
    poles = np.array([-3 + 2j, -3 - 2j, -5, -6.5])
    assert np.sort_complex(lin.place(poles).poles) == pytest.approx(np.sort_complex(poles), rel=1e-8)
    K = lin.place(poles)
    assert lin.gain(K.matrix).matrix == pytest.approx(K.matrix) and lin.gain({"pin.angle": 3.0})["pin.angle"] == 3.0


def test_the_filter_solves_its_equation(lin):
    found = lin.lqe({"rail.displacement": 0.5}, {"rail.displacement": 1e-4, "pin.angle": 2e-4})
    P, W, V = found.covariance, 0.5 * lin.B @ lin.B.T, np.diag([1e-4, 2e-4])
    left = lin.A @ P + P @ lin.A.T - P @ lin.C.T @ np.linalg.solve(V, lin.C @ P) + W
    assert abs(left).max() < 1e-9 * abs(lin.A @ P).max() and (found.poles.real < 0).all() and (np.linalg.eigvalsh(P) > 0).all()
    scalar = System(-1.5, 1, 1).lqe([2.0], 0.3)                             # P = r (a + sqrt(a^2 + q / r))
    assert scalar.covariance[0, 0] == pytest.approx(0.3 * (-1.5 + np.sqrt(1.5**2 + 2 / 0.3)), rel=1e-12)


def chain(n=6):
    """Masses between springs and dampers; the first end moves freely along with a cart."""
    K = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    K[0, 0] = K[-1, -1] = 1
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-50 * K, -0.4 * K]])
    return System(A, np.eye(2 * n)[:, [n]], np.eye(2 * n)[[n - 1, 2 * n - 2]])


def test_balanced_truncation_keeps_within_its_bound():
    s, f = chain(), np.logspace(-1.3, 1.5, 400)
    whole = s.response(f)
    for n in (4, 6, 8, 12):
        small = s.reduced(n)
        error = max(np.linalg.norm(x, 2) for x in small.response(f) - whole)
        assert small.kept == 2 and len(small.A) == n and error <= small.bound + 1e-10 * abs(whole).max()
        assert np.sort(abs(small.eigenvalues))[:2] == pytest.approx([0, 0], abs=1e-5)       # the cart still moves freely
    assert s.reduced(12).bound == 0 and (np.diff(s.reduced(4).hankel) <= 0).all()
    simple = System(np.diag([-1.0, -4.0]), [[1], [1]], [[1, 0]])                            # c b / 2 a; the other is not seen
    assert simple.reduced(1).hankel == pytest.approx([0.5, 0.0], abs=1e-12)


def test_a_reduced_model_is_designed_on(lin):
    s = chain()
    small = s.reduced(6)
    K, L = small.lqr({"y0": 10.0}, 0.1), small.lqe({"u0": 1.0}, 1e-2)
    closed = np.block([[s.A, -s.B @ K.matrix], [L.matrix @ s.C, small.A - small.B @ K.matrix - L.matrix @ small.C]])
    assert np.linalg.eigvals(closed).real.max() < 0
    with pytest.raises(ItemError, match=r"gain: the state 'kept_1' is no channel.*Kalman filter"):
        pl.StateFeedback("hold", K)


def test_python_control_has_the_same_model(lin):
    control = pytest.importorskip("control")
    made = lin.to_control()
    assert made.input_labels == ["rail_displacement"] and made.state_labels[1] == "pin_angle" and made.nstates == 4
    assert made(3j) == pytest.approx(lin.transfer(3j)[0], rel=1e-10)
    assert control.lqr(made, np.diag([5000.0, 100, 0, 0]), [[1.0]])[0] == pytest.approx(lin.lqr(Q).matrix, rel=1e-8)


def test_what_is_missing_for_python_control_is_told(lin, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "control", None)
    with pytest.raises(ImportError, match=r"pip install pliant\[control\]"):
        lin.to_control()


def test_the_operating_point_is_that_of_the_channels():
    m = cart(gravity=0.0)
    m.add(pl.AxialSpring("spring", "rail", stiffness=40.0, displacement=0.25))
    m.add(pl.Input("u", 3.0))
    m.add(pl.LowPass("lag", "u.output", 0.2))
    m.add(pl.TorsionSpring("stop", "pin", stiffness=2.0))
    at = m.linearize(["u.output"], ["rail.displacement"], state="static").operating_point
    assert at.channels[-1] == "lag.output" and at.states[-1] == pytest.approx(3.0) and at.inputs == pytest.approx([3.0])
    assert at.outputs == pytest.approx([0.25], abs=1e-9) and at.states[0] == pytest.approx(0.25, abs=1e-9)


@pytest.mark.parametrize(("make", "says"), [
    (lambda s: s.lqr({"cart.position": 1}), "there is no state or output (of Q) 'cart.position'"),
    (lambda s: s.lqr({"rail.displacement": 1}, {"pin": 1}), "there is no input (of R) 'pin'; there are rail.displacement"),
    (lambda s: s.lqr(Q, 0.0), "R must be positive definite"),
    (lambda s: s.lqr({"pin.angle": -1.0}), "Q must be positive semidefinite: it has the eigenvalue -1"),
    (lambda s: s.lqr([1, 2, 3]), "Q has shape (3,), must be 4 numbers or a 4 x 4 matrix"),
    (lambda s: s.lqr({"pin.angle": 1.0}), "'rail.displacement', cannot be changed: Q gives it no weight"),
    (lambda s: s.place([-1, -2, -3]), "3 poles are given, must be 4"),
    (lambda s: s.place([-1, -1, -2, -3]), "the pole -1+0j is asked for 2 times"),
    (lambda s: s.place([-1 + 1j, -2, -3, -4]), "has no conjugate"),
    (lambda s: s.gain([[1, 2]]), "gain has shape (1, 2), must be 1 x 4"),
    (lambda s: s.lqe({"pin": 1}, 1), "there is no state or input (of Q) 'pin'"),
    (lambda s: s.lqe({"rail.displacement": 1.0}, -1.0), "R must be positive definite"),
    (lambda s: s.reduced(1), "2 states of the model do not decay"),
    (lambda s: s.reduced(9), "must be a whole number from 0 to 4")])
def test_wrong_designs_are_told(lin, make, says):
    with pytest.raises(ModelError) as error:
        make(lin)
    assert says in str(error.value)


def test_what_inputs_do_not_reach_and_outputs_do_not_show_is_named():
    s = System(np.diag([1.0, -2.0]), [[0], [1]], [[0, 1]])
    for make in (lambda: s.lqr([1, 1]), lambda: s.lqe([1, 1], 1.0)):
        with pytest.raises(ModelError, match=r"eigenvalue 1\+0j 1/s, most of all 'x0', cannot be changed"):
            make()
    with pytest.raises(ModelError, match="cannot be changed: the inputs u0 do not reach it"):
        s.place([-1, -3])


def test_the_closed_loop_is_that_of_its_matrices(lin):
    """The pendulum with feedback, small deviations, against the exponential of A - B K."""
    K = lin.lqr(Q)
    m = cart(1e-5)
    m.add(pl.StateFeedback("hold", K))
    m.add(pl.JointForce("motor", "rail", "hold.output"))
    sol = m.simulate(0.5, output_step=0.1, accuracy=1e-10)
    for k, t in enumerate(sol.t):
        exact = expm((lin.A - lin.B @ K.matrix) * t) @ [0, 1e-5, 0, 0]
        assert [sol[name][k] for name in lin.states] == pytest.approx(exact, abs=3e-13)
