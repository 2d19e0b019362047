"""Couplings of joint coordinates by functions: cams, differentials, planetary sets. Tangents and biases: see test_items.py."""
import numpy as np
import pytest
from derivatives import ComplexStep

import pliant as pl
from pliant.items.errors import ItemError, ModelError
from pliant.kernels import evaluation
from pliant.text.model_text import from_text, to_text

FORMS = [pl.Index1(), pl.Recursion()]
WAVE = "0.5*sin(2*A.angle) + 0.3*C.angle^2*A.angle"
TIMED = "0.4*sin(A.angle)*cos(3*t) + 0.05*t^2"


def spatial(coupling) -> pl.Model:
    """A carrier that spins about an oblique axis, with two oblique hinges on it."""
    m = pl.Model("spatial", gravity=(0.5, 2, -9.81))
    c = m.add(pl.RigidBody("c", 3.0, (0.3, 0.2, 0.3), position=(0, 0, 0.3)))
    a = m.add(pl.RigidBody("a", 2.0, (0.1, 0.2, 0.3), position=(0.3, 0, 0), rotation=pl.rotation((1, 2, 0), 0.4)))
    b = m.add(pl.RigidBody("b", 1.0, (0.03, 0.02, 0.01), position=(0.5, 0.1, 0)))
    m.add(pl.Revolute("C", m.ground, c, at=(0, 0, 0), axis=(1, 0.3, 0), angle_rate=3.0))
    m.add(pl.Revolute("A", c, a, at=(0.2, 0, 0.1), axis=(0.3, -0.5, 0.8), angle_rate=2.0))
    m.add(pl.Cylindrical("B", c, b, at=(0.3, 0.1, 0.1), axis=(0.3, 0.5, 0.8), hold=["displacement"]))
    m.add(coupling)
    return m


def run(m, formulation, integrator=None, accuracy=1e-10):
    return m.simulate(0.6, accuracy=accuracy, formulation=formulation, integrator=integrator or pl.DOP853(), output_step=0.01)


@pytest.mark.parametrize("formulation", FORMS)
def test_gears_are_a_special_case(formulation):
    gear, coupling = spatial(pl.Gear("g", "A", "B", ratio=-0.7)), spatial(pl.Coupling("g", "B.angle", "-0.7*A.angle"))
    one, other = run(gear, formulation), run(coupling, formulation)
    for channel in ("b.position", "a.rotation", "g.effort", "A.torque"):
        np.testing.assert_allclose(one[channel], other[channel], atol=1e-10)


@pytest.mark.parametrize("law", [WAVE, TIMED])
def test_both_coordinates_agree_and_energy_is_kept(law):
    runs = [run(spatial(pl.Coupling("g", "B.angle", law)), f) for f in FORMS]
    for channel in ("b.position", "a.rotation", "g.effort", "B.angle"):
        np.testing.assert_allclose(runs[0][channel], runs[1][channel], atol=1e-8)
    for sol in runs:
        balance, A, C, t = sol.energy.balance, sol["A.angle"], sol["C.angle"], sol.t
        assert abs(balance - balance[0]).max() < 1e-9
        law_of = {WAVE: 0.5 * np.sin(2 * A) + 0.3 * C**2 * A, TIMED: 0.4 * np.sin(A) * np.cos(3 * t) + 0.05 * t**2}
        np.testing.assert_allclose(sol["B.angle"], law_of[law], atol=1e-10)


@pytest.mark.parametrize(("integrator", "accuracy"), [(pl.RadauIIA5(), 1e-8), (pl.BDF(), 1e-7), (pl.GeneralizedAlpha(), 1e-5)])
def test_implicit_methods(integrator, accuracy):
    m = spatial(pl.Coupling("g", "B.angle", WAVE))
    reference = run(m, pl.Index1())
    for coordinates in ("absolute", "joint"):
        sol = m.simulate(0.6, accuracy=accuracy, integrator=integrator, coordinates=coordinates, output_step=0.01)
        np.testing.assert_allclose(sol["b.position"], reference["b.position"], atol=100 * accuracy)


def test_rates_of_a_law_that_changes_with_time():
    """g' and g'' against differences by time along a motion with constant acceleration of nothing but the time."""
    c = ComplexStep(spatial(pl.Coupling("g", "B.angle", TIMED)).compile(exact=True).system)
    s, x, n_v, h = c.system, c.real, c.system.n_v, 1e-5
    at = {}
    for k in (-1, 0, 1):
        x.V[:] = 0
        evaluation.run(s.program("residual"), s.data, x, c.t + k * h, 0.0, 0.0, 0.0)
        gap = x.R[n_v:].copy()
        evaluation.run(s.program("rates"), s.data, x, c.t + k * h, 0.0, 0.0, 0.0)
        at[k] = gap, x.V[n_v:].copy(), x.R[n_v:].copy()
    x.v[:] = 0
    x.a[:] = 0
    x.V[:] = 0
    evaluation.run(s.program("rates"), s.data, x, c.t, 0.0, 0.0, 0.0)
    g_t, g_tt = x.V[n_v:], x.R[n_v:]
    assert abs(g_t).max() > 0.01
    np.testing.assert_allclose((at[1][0] - at[-1][0]) / (2 * h), g_t, atol=1e-8)
    np.testing.assert_allclose((at[1][0] - 2 * at[0][0] + at[-1][0]) / h**2, g_tt, atol=1e-4)


def test_bias_with_rates_and_time():
    """g'' by a complex step along the motion, and by differences along the time."""
    m = spatial(pl.Coupling("g", "B.angle", TIMED))
    c = ComplexStep(m.compile(exact=True).system)
    s, x, n_v, h = c.system, c.real, c.system.n_v, 1e-5

    def rate(t):
        x.V[:] = 0
        evaluation.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
        return x.V[n_v:].copy(), x.R[n_v:].copy()
    by_t = (rate(c.t + h)[0] - rate(c.t - h)[0]) / (2 * h)
    moved = (c.memory(x.v, "q", "rates").V[n_v:].imag.copy() + c.memory(x.a, "v", "rates").V[n_v:].imag) / 1e-30
    np.testing.assert_allclose(rate(c.t)[1], moved + by_t, atol=1e-8 * max(1.0, abs(moved).max()))


def test_a_driven_cam():
    """x = h (1 - cos(angle)) at constant speed: effort m x'' + m g, torque of the drive effort * dx/dangle."""
    m, h, w = pl.Model("cam", gravity=(0, 0, -9.81)), 0.02, 30.0
    cam = m.add(pl.RigidBody.cylinder("cam", radius=0.05, length=0.02, axis="y", mass=1, position=(0, 0, 0)))
    valve = m.add(pl.RigidBody.box("valve", size=(0.01, 0.01, 0.1), mass=0.3, position=(0, 0, 0.1)))
    m.add(pl.Revolute("A", m.ground, cam, at=(0, 0, 0), axis="y"))
    m.add(pl.Prismatic("B", m.ground, valve, at=(0, 0, 0.1), axis="z"))
    m.add(pl.Drive("A", "angle", f"{w}*t", name="motor"))
    m.add(pl.Coupling("lift", "B.displacement", f"{h}*(1 - cos(A.angle))"))
    assert m.check().degrees_of_freedom == 1 and m.check().degrees_of_freedom_after_drives == 0
    for coordinates in ("absolute", "joint"):
        sol = m.simulate(0.5, accuracy=1e-8, coordinates=coordinates)
        x, slope, bend = h * (1 - np.cos(w * sol.t)), h * np.sin(w * sol.t), h * np.cos(w * sol.t)
        np.testing.assert_allclose(sol["B.displacement"], x, atol=1e-9)
        effort = 0.3 * (bend * w**2 + 9.81)
        np.testing.assert_allclose(sol["lift.effort"], effort, atol=1e-6)
        np.testing.assert_allclose(sol["motor.effort"], effort * slope, atol=1e-6)
        assert sol.unit("lift.effort") == "N"


@pytest.mark.parametrize("formulation", FORMS)
def test_a_differential(formulation):
    """angle_B = 2 angle_A - 0.5 angle_C with a torque on A: J_A a'' = T + 2 e', … in closed form."""
    m, inertias, torque = pl.Model("differential"), {"A": 0.3, "B": 0.2, "C": 0.5}, 1.5
    for k, (name, J) in enumerate(inertias.items()):
        disc = m.add(pl.RigidBody(f"disc{name}", 1.0, (J, J, J), position=(0, 0, k)))
        m.add(pl.Revolute(name, m.ground, disc, at=(0, 0, k), axis="z", zero=0.1 * k))
    m.add(pl.JointTorque("T", "A", torque))
    m.add(pl.Coupling("d", "B.angle", "2*A.angle - 0.5*C.angle"))
    c = np.array([-2.0, 1.0, 0.5])  # g = B - 2 A + C / 2
    M, f = np.diag(list(inertias.values())), np.array([torque, 0.0, 0.0])
    solved = np.linalg.solve(np.block([[M, c[:, None]], [c, np.zeros((1, 1))]]), np.append(f, 0.0))
    sol = m.simulate(1.0, accuracy=1e-9, formulation=formulation, integrator=pl.DOP853())
    for k, name in enumerate(inertias):
        np.testing.assert_allclose(sol[f"{name}.angle"] - 0.1 * k, solved[k] * sol.t**2 / 2, atol=1e-8)
    np.testing.assert_allclose(sol["d.effort"], -solved[3], atol=1e-8)
    assert m.check().degrees_of_freedom == 2


def test_the_pose_as_modelled_is_kept_and_start_values_are_followed():
    m = pl.Model("start")
    for name in "AB":
        disc = m.add(pl.RigidBody(f"disc{name}", 1.0, (1, 1, 1), position=(0, 0, 0)))
        m.add(pl.Revolute(name, m.ground, disc, axis="z"))
    m.add(pl.Coupling("c", "B.angle", "1 + 0.5*cos(A.angle)"))
    assert abs(m.assemble().solution["B.angle"][0]) < 1e-12
    m["A"].angle, m["A"].angle_rate = "90 deg", 2.0
    start = m.assemble().solution
    assert start["B.angle"][0] == pytest.approx(-0.5, abs=1e-9)
    assert start["B.angle_rate"][0] == pytest.approx(-1.0, abs=1e-9)


def test_analyses():
    """A mass on a spring by way of a lever law: the frequency of the reduced inertia."""
    m = pl.Model("lever")
    disc = m.add(pl.RigidBody("disc", 1.0, (0.2, 0.2, 0.2), position=(0, 0, 0)))
    box = m.add(pl.RigidBody("box", 3.0, (1, 1, 1), position=(0, 0, 1)))
    m.add(pl.Revolute("A", m.ground, disc, axis="z"))
    m.add(pl.Prismatic("B", m.ground, box, at=(0, 0, 1), axis="z"))
    m.add(pl.Coupling("c", "B.displacement", "0.4*sin(A.angle)"))
    m.add(pl.TorsionSpring("k", "A", 50.0))
    m.add(pl.JointForce("F", "B", 2.0))
    st = m.static()
    angle = st["A.angle"]
    assert 50 * angle == pytest.approx(2.0 * 0.4 * np.cos(angle), rel=1e-6)
    stiffness = 50 + 2.0 * 0.4 * np.sin(angle)
    frequency = np.sqrt(stiffness / (0.2 + 3 * (0.4 * np.cos(angle)) ** 2)) / (2 * np.pi)
    assert m.modes(state=st).frequencies[0] == pytest.approx(frequency, rel=1e-6)


def test_round_trip_resume_and_files(tmp_path):
    m = spatial(pl.Coupling("g", "B.angle", WAVE))
    text = to_text(m)
    assert "g: {kind: coupling, coordinate: B.angle, function:" in text
    assert from_text(text)["g"] == m["g"] and to_text(from_text(text)) == text
    whole = m.simulate(0.2, step=1e-3)
    half = m.simulate(0.1, step=1e-3)
    np.testing.assert_array_equal(half.resume(0.1)["b.position"][-1], whole["b.position"][-1])
    whole.save(tmp_path / "run.h5")
    np.testing.assert_array_equal(pl.load(tmp_path / "run.h5")["g.effort"], whole["g.effort"])


def test_wrong_use_is_told():
    for coordinate in ("B", "2*B.angle", "B.angle_rate", 3):
        with pytest.raises(ItemError, match="coupling 'c': coordinate: "):
            pl.Coupling("c", coordinate, "A.angle")
    with pytest.raises(ItemError, match=r"channel 'A\.angle_rate' is no coordinate of a joint; a coupling is a function of JOINT\.angle"):
        pl.Coupling("c", "B.angle", "A.angle_rate")
    with pytest.raises(ItemError, match="has no other coordinate of a joint in it; use a drive"):
        pl.Coupling("c", "B.angle", "2*t + B.angle^2")
    with pytest.raises(ItemError, match="must be an expression of coordinates of joints"):
        pl.Coupling("c", "B.angle", pl.Table([0, 1], [0, 1]))
    with pytest.raises(ItemError, match=r"it takes B\.angle away again"):
        pl.Coupling("c", "B.angle", "B.angle + A.angle")
    for law, told in (("mod(A.angle, 0.02)", r"jumps by 0\.02 at A\.angle = "), ("floor(C.angle)", r"jumps by 1 at C\.angle = "),
                      ("if(A.angle > 0.05, 0.2*A.angle, 0)", r"jumps by 0\.01 at A\.angle = 0\.05, and no body can jump")):
        with pytest.raises(ModelError, match=told):
            spatial(pl.Coupling("g", "B.angle", law)).compile()
    for law in ("sin(mod(A.angle, 2*pi))", "abs(A.angle)", "if(A.angle > 0.05, 0.2*(A.angle - 0.05), 0)",
                "0.1*tan(A.angle) + abs(A.angle)"):
        spatial(pl.Coupling("g", "B.angle", law)).compile()
    m = spatial(pl.Coupling("g", "B.angle", "1/A.angle"))
    with pytest.raises(ModelError, match=r"joint 'g': function: it gives .* in the pose as modelled"):
        m.compile()
    with pytest.raises(ModelError, match="joint 'g': joint 'C' has no coordinate 'displacement'; it has angle"):
        spatial(pl.Coupling("g", "B.angle", "C.displacement")).compile()
    with pytest.raises(ModelError, match="joint 'g': there is no joint 'D'"):
        spatial(pl.Coupling("g", "B.angle", "D.angle")).compile()


def test_power_through_a_coupling():
    """It takes from one joint what it gives the others: all powers of the joints together are those of the springs and motors."""
    m = pl.Model("cam", gravity=(0.2, -9.81, 1.0))
    m.table("lift", pl.Table(np.linspace(-1, 8, 19), 0.05 * np.sin(np.linspace(-1, 8, 19)), beyond="extrapolated"))
    shaft = m.add(pl.RigidBody.cylinder("shaft", radius=0.1, length=0.2, mass=3.0, position=(0, 0, 0)))
    follower = m.add(pl.RigidBody.box("follower", (0.1, 0.1, 0.1), mass=1.0, position=(0, 0.4, 0)))
    m.add(pl.Revolute("A", m.ground, shaft, axis=(0.1, 0.2, 1), at=(0, 0, 0), angle_rate=3.0))
    m.add(pl.Cylindrical("P", m.ground, follower, axis=(0.1, 1, 0.3), at=(0, 0.4, 0)))
    m.add(pl.Coupling("cam", "P.displacement", "lift(A.angle) + 0.02*P.angle*sin(A.angle) - 0.1*P.displacement^2"))
    m.add(pl.JointTorque("motor", "A", "2 - 0.1*A.angle_rate"))
    m.add(pl.AxialSpring("back", "P", stiffness=200.0, damping=3.0))
    m.add(pl.TorsionSpring("twist", "P", stiffness=2.0))
    sol = m.simulate(1.0, output_step=0.02)
    through = sol["A.power"] + sol["P.power"]
    acted = sol["motor.power"] + sol["back.power"] + sol["twist.power"]
    assert abs(sol["cam.effort"] * sol["P.displacement_rate"]).max() > 0.1 * abs(acted).max(), "much passes through it"
    np.testing.assert_allclose(through, acted, atol=1e-9 * abs(acted).max())
