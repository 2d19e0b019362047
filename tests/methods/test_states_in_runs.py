"""States in every integrator and in both coordinates: a DC motor against the exponential of its matrix."""
import numpy as np
import pytest
from derivatives import ComplexStep
from scipy.linalg import expm

import pliant as pl

J, B, K, R, L = 0.01, 0.1, 0.01, 1.0, 0.5  # of Control Tutorials for Matlab and Simulink, "DC Motor Speed"
A = np.array([[-B / J, K / J], [-K / L, -R / L]])
END = expm(np.block([[A, np.array([[0.0], [1 / L]])], [np.zeros((1, 3))]]))[:2, 2]  # speed and current at 1 s with 1 V


def motor():
    m = pl.Model("motor", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("rotor", mass=1.0, inertia=(J, J, J)))
    m.add(pl.Revolute("A", "ground", "rotor", axis=(0.3, -0.5, 0.8)))
    m.add(pl.Integral("i", f"(1 - {R}*i.output - {K}*A.angle_rate)/{L}", unit="A"))
    m.add(pl.JointTorque("T", "A", f"{K}*i.output - {B}*A.angle_rate"))
    return m


def error(coordinates, **options):
    sol = motor().simulate(1.0, coordinates=coordinates, output_times=[1.0], **options)
    return max(abs(sol["A.angle_rate"][-1] - END[0]), abs(sol["i.output"][-1] - END[1]))


def test_the_figures_of_the_tutorial():
    assert pytest.approx([0.0830371111708, 0.864130154823], abs=1e-12) == END


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize(("integrator", "accuracy", "within"), [
    (None, 1e-6, 1e-6), (pl.DOP853(), 1e-9, 1e-9), (pl.RadauIIA5(), 1e-9, 1e-9), (pl.BDF(), 1e-7, 1e-7),
    (pl.AdamsBashforthMoulton(), 1e-9, 1e-9), (pl.GeneralizedAlpha(0.9), 1e-6, 1e-6), (pl.HHT(), 1e-5, 1e-5)])
def test_the_accuracy_that_is_asked_for(coordinates, integrator, accuracy, within):
    assert error(coordinates, integrator=integrator, accuracy=accuracy) < within


@pytest.mark.parametrize(("integrator", "order", "steps", "coordinates"), [
    (pl.GeneralizedAlpha(0.9), 2, (1e-2, 5e-3), "absolute"), (pl.GeneralizedAlpha(0.9), 2, (1e-2, 5e-3), "joint"),
    (pl.Newmark(beta=0.25, gamma=0.5), 2, (1e-2, 5e-3), "absolute"), (pl.RungeKutta4(), 4, (2e-2, 1e-2), "absolute"),
    (pl.RungeKutta4(), 4, (2e-2, 1e-2), "joint"),
    (pl.EnergyMomentum(), 2, (1e-2, 5e-3), "absolute"), (pl.DormandPrince54(), 5, (4e-2, 2e-2), "absolute")])
def test_orders_with_fixed_steps(integrator, order, steps, coordinates):
    first, second = (error(coordinates, integrator=integrator, step=h) for h in steps)
    assert np.log2(first / second) == pytest.approx(order, abs=0.1)


def test_a_state_is_seen_by_error_control():
    """Nothing moves: the steps are those of the state alone."""
    def run(accuracy):
        m = pl.Model("clock", gravity=(0, 0, 0))
        m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1)))
        m.add(pl.Integral("z", "200*cos(200*t)"))
        m.add(pl.LowPass("y", "z.output", 0.01))
        sol = m.simulate(1.0, accuracy=accuracy, integrator=pl.BDF(), coordinates="absolute", output_times=[1.0])
        return abs(sol["z.output"][-1] - np.sin(200.0)), sol.quality.steps
    (coarse, few), (fine, many) = run(1e-3), run(1e-7)
    assert fine < 1e-6 and coarse < 1e-2 and many > 2 * few


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("integrator", [pl.RadauIIA5(), pl.BDF()], ids=["radau", "bdf"])
def test_a_nonlinear_state_beside_a_linear_mechanism(integrator, coordinates):
    """z' = x x', x = cos 2 t: z = (x^2 - 1) / 2. The mechanism converges in one iteration, the state does not."""
    m = pl.Model("m", gravity=(0, 0, 0))
    m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.Prismatic("P", "ground", "b", axis=(1, 2, 2), displacement=1.0))
    m.add(pl.AxialSpring("k", "P", stiffness=4.0))
    m.add(pl.Integral("z", "P.displacement*P.displacement_rate"))
    sol = m.simulate(2 * np.pi, output_times=[1.0, 2.0, 2 * np.pi], integrator=integrator, coordinates=coordinates, accuracy=1e-6)
    assert sol["z.output"] == pytest.approx((np.cos(2 * sol.t) ** 2 - 1) / 2, abs=1e-6)


def two_links():
    m = pl.Model("m", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("a", mass=2.0, inertia=(0.1, 0.2, 0.15), position=(0.3, 0.2, 0.1), rotation={"axis": (1, 2, 3), "angle": 0.7},
                       angular_velocity=(1, -2, 0.5)))
    m.add(pl.RigidBody("b", mass=1.0, inertia=(0.1, 0.12, 0.15), position=(0.9, 0.2, 0.4), rotation={"axis": (1, -2, 3), "angle": 1.7}))
    m.add(pl.Spherical("S", "ground", "a", at=(0, 0, 0)))
    m.add(pl.Revolute("J", "a", "b", at=(0.5, 0.2, 0.2), axis=(0.3, -0.5, 0.8), angle_rate=-1.3))
    m.add(pl.SpringDamper("k", "a", "b", 30.0, "2*v + x^3"))
    m.add(pl.TorsionSpring("tk", "J", 3.0, 0.2, 0.1))
    m.add(pl.LowPass("f", "sin(J.angle)*a.angular_velocity.y + b.position.x*J.angle_rate", 0.3, nominal=3.0))
    m.add(pl.Integral("i", "f.output^2 - i.output*b.angular_velocity.z + f.input*cos(t) + 0.1*k.force"))
    m.add(pl.JointTorque("T", "J", "3*i.output - f.input*f.output - 0.5*a.angular_velocity.x"))
    m.add(pl.Force("F", "b", ("i.output*b.angular_velocity.x", 0, "2*f.output"), axes="frame"))
    m.add(pl.Force("G", "a", ("k.force - tk.torque + T.torque*k.length", "0.3*H.torque.x - k.rate", 1)))
    m.add(pl.Torque("H", "b", ("sin(t)*k.length", 0, 2)))
    return m


@pytest.mark.parametrize("by", [(0.7, 0.5, 0.3), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
def test_tangents_by_a_complex_step(by):
    c = ComplexStep(two_links().compile(exact=True).system)
    reference = c.reference(*by)
    assert abs(c.tangent(*by) - reference).max() < 1e-12 * abs(reference).max()


def test_both_coordinates_and_implicit_methods_agree_in_space():
    runs = [two_links().simulate(0.5, accuracy=1e-10, coordinates=c, integrator=i, output_times=[0.5])
            for c, i in (("absolute", pl.DOP853()), ("joint", pl.DOP853()), ("joint", pl.RadauIIA5()), ("absolute", pl.RadauIIA5()))]
    for name in ("i.output", "f.output", "J.angle", "b.position"):
        for other in runs[1:]:
            assert np.abs(other[name][-1] - runs[0][name][-1]).max() < 1e-8


def test_rest_modes_and_linear_models():
    m = motor()
    m.remove("T"), m.remove("i")
    m.add(pl.Input("u", 1.0, "V"))
    m.add(pl.Integral("i", f"(u.output - {R}*i.output - {K}*A.angle_rate)/{L}", unit="A"))
    m.add(pl.JointTorque("T", "A", f"{K}*i.output - {B}*A.angle_rate - 3*A.angle"))
    st = m.static()
    assert st["i.output"] == pytest.approx(1.0, abs=1e-12) and st["A.angle"] == pytest.approx(K / 3, abs=1e-12)
    lin = m.linearize(["u.output"], ["A.angle_rate", "i.output"], state="static")
    assert lin.states == ["A.angle", "A.angle_rate", "i.output"]
    assert np.allclose(lin.A, [[0, 1, 0], [-3 / J, -B / J, K / J], [0, -K / L, -R / L]], rtol=1e-12, atol=1e-12)
    assert np.allclose(lin.B, [[0], [0], [1 / L]], atol=1e-14) and np.allclose(lin.C, [[0, 1, 0], [0, 0, 1]], atol=1e-9)
    values = np.linalg.eigvals(lin.A)
    assert np.sort_complex(m.modes(state="static").eigenvalues) == pytest.approx(np.sort_complex(values[values.imag >= 0]), rel=1e-9)


def test_the_integral_of_a_controller_finds_its_rest_and_one_without_rest_is_named():
    m = motor()
    m.add(pl.TorsionSpring("k", "A", 3.0))
    m.add(pl.Integral("off", "A.angle - 0.1"))
    m.add(pl.JointTorque("C", "A", "-5*off.output"))
    st = m.static()
    assert st["A.angle"] == pytest.approx(0.1, abs=1e-12) and st["off.output"] == pytest.approx((K - 0.3) / 5, abs=1e-12)
    m.add(pl.Integral("x", "1 + 0*t"))
    with pytest.raises(pl.ModelError, match=r"'x\.output' has no rest"):
        m.static()


def test_dimcd_refuses_states():
    with pytest.raises(pl.ModelError, match=r"dimcd.*positions"):
        motor().simulate(0.1, step=1e-3, integrator=pl.DIMCD())
