"""Stable inversion: an independent series of the flexible arm, closed forms, and what cannot be inverted."""
from pathlib import Path

import no_jit
import numpy as np
import pytest
from test_design import System

import pliant as pl
from pliant.items.errors import ModelError

SERIES = Path(no_jit.__file__).parent / "samples" / "flexible_arm_inversion.csv"   # for 0.6 m; the model is linear
W, TIP, HUB = ([0.0, 32.13211499126845, 76.21302370523264], [1.6809954441338455, -1.269363820614757, 1.0303368632556005],
               [1.40082953648882, 4.559581593961787, 4.682653634783298])


def modal_arm():
    """A rigid motion and two modes with 1 % damping."""
    w, zero = np.array(W), np.zeros(3)
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.diag(w**2), -np.diag(0.02 * w)]])
    return System(A, np.concatenate([zero, HUB])[:, None], np.concatenate([TIP, zero]))


def test_the_torque_of_an_arm_of_modes():
    found = modal_arm().inverse(pl.Profile.polynomial(0.6, 0.4, 9), 0.4)
    t, _, torque, _ = np.loadtxt(SERIES, delimiter=",").T
    some = (t > found.t[0]) & (t < found.t[-1])
    assert abs(pl.Table(found.t, found.u[:, 0]).evaluate(t[some]) - torque[some]).max() < 1e-7 * abs(torque).max()
    zeros = [-88.05662737542501, -35.70172946914128, 37.02204052140613, 87.18101863524761]
    assert np.sort(found.zeros.real) == pytest.approx(zeros, rel=1e-9)
    assert found.pre_actuation == pytest.approx(0.10162353515625, abs=5e-4) and found.residual < 2e-6
    assert abs(found.u[[0, -1]]).max() < 1e-8 * abs(found.u).max()


def test_the_torque_of_a_flexible_body():
    """The same arm as a reduced mesh with more modes, for a tenth of the way: 1 % of the peak."""
    lin = no_jit.load("flexible_arm").arm().linearize(["hinge.angle"], ["beam.tip.position.y"])
    found = lin.inverse(pl.Profile.polynomial(0.06, 0.4, 9), 0.4)
    t, _, torque, _ = np.loadtxt(SERIES, delimiter=",").T
    some = (t > found.t[0]) & (t < found.t[-1])
    assert abs(10 * np.interp(t[some], found.t, found.u[:, 0]) - torque[some]).max() < 0.01 * abs(torque).max()
    table = found.table("hinge.angle")
    assert table.x[0] == 0 and table.x[-1] == pytest.approx(found.end - found.begin, abs=1e-9)
    assert table.evaluate(-found.begin) == pytest.approx(pl.Table(found.t, found.u[:, 0]).evaluate(0.0), abs=1e-9)


def test_a_mass_on_a_spring_needs_its_own_equation():
    """No zeros: u = m y'' + d y' + k y at once, and it ends with k y."""
    p = pl.Profile.polynomial(0.2, 0.5, 7)
    for motion in (p, p.expression, p.__call__):
        found = System([[0, 1], [-30, -2]], [[0], [0.5]], [[1, 0]]).inverse(motion, 0.5)
        exact = 2 * p.evaluate(found.t, 2) + 4 * p.evaluate(found.t, 1) + 60 * p(found.t)
        assert abs(found.u[:, 0] - exact).max() < 1e-5 * abs(exact).max() and found.zeros.size == 0
        assert found.u[-1, 0] == pytest.approx(12.0, rel=1e-6)


def test_an_unstable_zero_is_answered_before_the_motion():
    """(s - 3)/(s + 1)^3: before the motion inputs grow as e^(3 t), which the linear model does not show."""
    s = System([[-3, -3, -1], [1, 0, 0], [0, 1, 0]], [[1], [0], [0]], [[0, 1, -3]])
    found = s.inverse(pl.Profile.polynomial(1.0, 2.0, 9), 2.0)
    early = (found.t > -2) & (found.t < 0)
    growth = np.polyfit(found.t[early], np.log(abs(found.u[early, 0])), 1)
    assert growth[0] == pytest.approx(3.0, rel=1e-3) and found.residual < 1e-5
    assert found.u[-1, 0] == pytest.approx(-1 / 3, rel=1e-5)


def test_several_inputs():
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.array([[20.0, -5], [-5, 10]]), -0.5 * np.eye(2)]])
    B, C = np.vstack([np.zeros((2, 2)), [[1.0, 0.3], [0.0, 2.0]]]), np.hstack([np.eye(2), np.zeros((2, 2))])
    y = pl.Profile.polynomial(0.3, 1.0, 9), pl.Profile.polynomial(-0.1, 0.8, 9)
    found = System(A, B, C).inverse(y, 1.0)
    assert found.residual < 1e-5 and found.u[-1] == pytest.approx(np.linalg.solve(B[2:], -A[2:, :2] @ [0.3, -0.1]), rel=1e-5)
    with pytest.raises(ModelError, match="there are 2 inputs; name one of u0, u1"):
        found.table()


@pytest.mark.parametrize(("system", "motion", "says"), [
    (System([[0, 1], [-4, -1]], [[0], [1]], np.eye(2)), "t", "2 outputs and 1 inputs; must be as many"),
    (System([[0, 1], [-4, -1]], [[0], [1]], [[0, 1]]), "t", "zero on the imaginary axis, at zero: the output can rest"),
    (System([[0, 1, 0, 0], [-4, -1, 0, 0], [0, 0, 0, 1], [0, 0, -9, 0]], [[0], [1], [0], [1]], [[1, 0, 1, 0]]), "t^5",
     "inversion: the zero at"),
    (System([[-1, 0], [0, -2]], [[1], [0]], [[0, 1]]), "t", "cannot move the outputs y0 independently"),
    (modal_arm(), "A.angle", "uses the channel A.angle; it must be a function of t alone"),
    (modal_arm(), ["t", "t"], "2 motions are wanted, must be 1: one for each of y0"),
    (modal_arm(), None, "must be a Profile, a Table, an expression or a function of t"),
    (modal_arm(), "log(t)", "is not finite at t = 0 s")])
def test_what_cannot_be_inverted_is_told(system, motion, says):
    with pytest.raises(ModelError) as error:
        system.inverse(motion, 0.01)
    assert says in str(error.value)
