"""Feedback of states and Kalman filters as blocks: the loop is linear algebra, through the engine."""
import numpy as np
import pytest
from controlled import REFERENCE, arm, cart
from flexible_models import rod
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.items.errors import ItemError, ModelError
from pliant.text.model_text import from_text
from pliant.text.model_writing import to_text


@pytest.fixture(scope="module")
def lin():
    return cart().linearize(["rail.displacement"], ["rail.displacement", "pin.angle"])


@pytest.fixture(scope="module")
def gain(lin):
    return lin.lqr({"rail.displacement": 5000, "pin.angle": 100})


@pytest.fixture(scope="module")
def estimator(lin):
    return lin.lqe({"rail.displacement": 1.0}, 1e-4)


def observed(gain, estimator, angle=0.0, **more):
    m = cart(angle)
    m.add(pl.Kalman("filter", estimator, {"rail.displacement": "hold.output"}, **more))
    m.add(pl.StateFeedback("hold", gain, estimates="filter", wanted={"rail.displacement": "0.1"}))
    m.add(pl.JointForce("motor", "rail", "hold.output"))
    return m


def test_poles_of_filter_and_feedback_are_separate(gain, estimator):
    """Poles of the whole are those of both designs (separation principle)."""
    found = observed(gain, estimator).linearize(["rail.displacement"], ["pin.angle"])
    exact = np.sort_complex(np.concatenate([gain.poles, estimator.poles]))
    assert np.sort_complex(found.eigenvalues) == pytest.approx(exact, rel=1e-7)
    assert found.states[-4:] == ["filter.rail_displacement", "filter.pin_angle", "filter.rail_displacement_rate", "filter.pin_angle_rate"]


def test_the_pendulum_stands_up_by_estimates_and_text_says_the_same(gain, estimator):
    m = observed(gain, estimator, np.deg2rad(10), start={"pin.angle": 0.1})
    sol = m.simulate(5.0, output_step=0.05)
    assert abs(sol["pin.angle"][-1]) < 1e-4 and sol["rail.displacement"][-1] == pytest.approx(0.1, abs=1e-3)
    assert sol["filter.pin_angle"][0] == 0.1 and sol["filter.rail_displacement"][-1] == pytest.approx(0.1, abs=1e-3)
    again = from_text(to_text(m))
    assert again["hold"] == m["hold"] and again["filter"] == m["filter"]
    again.rename("rail", "track")
    assert again["filter"].measured == ("track.displacement", "pin.angle") and again["filter"].named[0] == "rail_displacement"
    again.rename("filter", "guess")
    assert again["hold"].measured[0] == "guess.rail_displacement" and again["guess"].inputs == ("hold.output",)
    moved = again.simulate(5.0, output_step=0.05)
    np.testing.assert_array_equal(moved["pin.angle"], sol["pin.angle"])


def test_modes_of_a_flexible_arm_are_fed_back():
    """Poles of the closed loop are those of the design, in both coordinates' own words: joint, modal coordinates and rates."""
    m = pl.Model("arm")
    m.add(pl.ModalBody("beam", rod(), damping=0.01))
    m.add(pl.Revolute("hinge", m.ground, "beam.start", axis=(0.1, 0.2, 1.0)))
    lin = m.linearize(["hinge.angle"], ["hinge.angle"])
    gain = lin.lqr({"hinge.angle": 10.0, **{s: 1.0 for s in lin.states if ".modal_rate." in s}}, 0.01)
    assert any(".modal." in name for name in gain.channels)
    m.add(pl.StateFeedback("hold", gain))
    m.add(pl.JointTorque("motor", "hinge", "hold.output"))
    found = m.linearize(["hinge.angle"], ["hinge.angle"])
    assert np.sort_complex(found.eigenvalues) == pytest.approx(np.sort_complex(gain.poles), rel=1e-6)


@pytest.mark.parametrize(("make", "says"), [
    (lambda g, e: pl.StateFeedback("hold", g, wanted={"rail": 1}), "wanted: there is no 'rail' among rail.displacement"),
    (lambda g, e: pl.StateFeedback("hold", [[1, 2]], measured=("A.angle",)), "measured: it has 1 entries, must have 2: one for each"),
    (lambda g, e: pl.StateFeedback("hold", [[1], [2]], measured=("A.angle",)), "named: it has 1 entries, must have 2: one for each row"),
    (lambda g, e: pl.StateFeedback("hold", [[1, "x"]], measured=("A.angle",)), "gain"),
    (lambda g, e: pl.StateFeedback("hold", [[1]], measured=("A.angle",), estimates="filter"), "goes with the result of lqr"),
    (lambda g, e: pl.Kalman("filter", e), "inputs: what acts is missing: give an expression for each of rail.displacement"),
    (lambda g, e: pl.Kalman("filter", e, {"pin": 0}), "inputs: there is no 'pin' among rail.displacement"),
    (lambda g, e: pl.Kalman("filter", e, [0], nominal={"pin.angle": 0.0}), "nominal"),
    (lambda g, e: pl.Kalman("filter", e, [0], C=[[1, 0, 0, 0]]), "C: it has 1 rows and 4 columns, must have 2 and 4: 4 states")])
def test_wrong_blocks_are_told(gain, estimator, make, says):
    with pytest.raises(ItemError) as error:
        make(gain, estimator)
    assert says in str(error.value)


# -- computed torque
GAINS = {"kp": (60, 60, 400), "kd": (8, 8, 60)}


@pytest.fixture(scope="module")
def tables():
    return arm().joint_space().feed_forward(REFERENCE, 1.0)


def controlled(tables, shift=0.0):
    m = arm(shift)
    m.add(pl.ComputedTorque("control", REFERENCE, feed_forward=tables, **GAINS))
    m.add(pl.JointTorque("motor_a", "A", "control.A_angle"))
    m.add(pl.JointTorque("motor_b", "B", "control.B_angle"))
    m.add(pl.JointForce("motor_c", "C", "control.C_displacement"))
    return m


def test_feed_forward_is_what_drives_need(tables):
    m = arm()
    for (name, f), word in zip(REFERENCE.items(), "abc", strict=True):
        m.add(pl.Drive(*name.split("."), f, name=word))
    sol = m.simulate(1.0, output_step=0.05)
    for name, word in zip(REFERENCE, "abc", strict=True):
        assert sol[f"{word}.effort"] == pytest.approx(tables[name].evaluate(sol.t), abs=1e-6)


def test_on_its_reference_an_arm_stays_there(tables):
    sol = controlled(tables).simulate(1.0, output_step=0.05, accuracy=1e-9)
    for name in ("A_angle", "B_angle", "C_displacement"):
        assert abs(sol[f"control.error_{name}"]).max() < 1e-8


def test_off_its_reference_the_error_obeys_its_equation(tables):
    """M(q) q'' + h(q, q') = tau(reference) + kp e + kd e' by services of joint coordinates and SciPy, in channels of the joints."""
    space, names = arm().joint_space(), list(REFERENCE)
    sign = space.space.tree.scale[:, 0]
    from pliant.analyses.motions import motion

    def slope(t, y):
        q, u = y[:3], y[3:]
        r, r1 = (np.array([motion(REFERENCE[n], np.array([t]), (k,), n)[0][0] for n in names]) for k in (0, 1))
        tau = np.array([tables[n].evaluate(t) for n in names]) + GAINS["kp"] * (r - q) + GAINS["kd"] * (r1 - u)
        return np.concatenate([u, sign * np.linalg.solve(space.mass_matrix(sign * q), sign * tau + space.force(sign * q, sign * u))])
    sol = controlled(tables, 0.1).simulate(0.4, output_step=0.1, accuracy=1e-9)
    exact = solve_ivp(slope, (0, 0.4), [0.3, 0, 0, 0, 1, 0], t_eval=sol.t, rtol=1e-9, atol=1e-11).y
    for name, values in zip(names, exact[:3], strict=True):
        assert sol[name] == pytest.approx(values, abs=1e-7)
    assert abs(sol["control.error_A_angle"][0]) == pytest.approx(0.1)


def test_outputs_keep_their_names_in_sub_assemblies_and_when_joints_are_renamed(tables):
    m, top = controlled(tables), pl.Model("cell", gravity=(0.5, 0, -9.81))
    top.add(m, name="left", position=(1, 2, 3))
    top.rename("left.A", "left.base")
    assert top["left.control"].coordinates[0] == "left.base.angle" and top["left.motor_a"].torque == "left.control.A_angle"
    sol, alone = top.simulate(0.2, output_step=0.1), from_text(to_text(m)).simulate(0.2, output_step=0.1)
    assert sol["left.base.angle"] == pytest.approx(alone["A.angle"], abs=1e-9)


def test_references_of_parameters_have_rates():
    m = arm()
    m.parameter("amplitude", 0.5)
    m.add(pl.ComputedTorque("control", {"B.angle": "amplitude*sin(2*t)"}, 10.0, 2.0))
    sol = m.simulate(0.01, output_step=0.005)
    assert sol["control.reference_rate_B_angle"] == pytest.approx(np.cos(2 * sol.t), abs=1e-12)


@pytest.mark.parametrize(("make", "says"), [
    (lambda: arm().joint_space().feed_forward({"A.angle": 0.0}, 1.0), "'B.angle' has no reference; inverse dynamics needs"),
    (lambda: arm().joint_space().feed_forward({**REFERENCE, "D.angle": 0.0}, 1.0), "there is no coordinate 'D.angle'"),
    (lambda: arm().joint_space().feed_forward({**REFERENCE, "A.angle": "B.angle"}, 1.0), "uses the channel B.angle"),
    (lambda: arm().joint_space().feed_forward({**REFERENCE, "A.angle": "1/(t - 0.5)"}, 1.0), "is not finite at t = 0.5 s"),
    (lambda: arm().joint_space().feed_forward(REFERENCE, -1.0), "must be a number of seconds greater than zero"),
    (lambda: pl.ComputedTorque("c", {"A.angle": lambda t: t}, 1.0, 1.0), "a Python function has no exact rate"),
    (lambda: pl.ComputedTorque("c", {"2*A.angle": 1.0}, 1.0, 1.0), "must be a coordinate of a joint, such as A.angle"),
    (lambda: pl.ComputedTorque("c", {"A.angle": 1.0}, (1.0, 2.0), 1.0), "kp: it has 2 entries, must have 1"),
    (lambda: pl.ComputedTorque("c", {"A.angle": 1.0}, 1.0, 1.0, {"B.angle": 1.0}), "feed_forward: there is no 'B.angle' among A.angle")])
def test_wrong_references_are_told(make, says):
    with pytest.raises((ModelError, ItemError)) as error:
        make()
    assert says in str(error.value)
