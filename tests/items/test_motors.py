"""Motors on joints and the inertia of their rotors: closed forms, both coordinates, real rotors, energy."""
import numpy as np
import pytest
from derivatives import ComplexStep
from every_kind import every_kind
from flexible_models import rod

import pliant as pl
from pliant.items.errors import ItemError, ModelError
from pliant.text.model_text import from_text, to_text

TILTED = (0.3, -0.5, 0.8)
DRIVES = ("motors", "hydraulics", "hydraulic_lines", "pneumatics", "cylinders", "circuits")
# Carnegie Mellon's control tutorials: J .01, b .1, k .01, R 1, L .5, 1 V; by the matrix exponential
CTMS = {0.1: (0.00685553718061, 0.181264482200), 1.0: (0.0830371111708, 0.864130154823)}


def disc(inertia: float, bearing: float, axis="z") -> pl.Model:
    m = pl.Model("disc")
    m.add(pl.RigidBody("disc", 1.0, (inertia,) * 3, position=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground, m["disc"], axis=axis))
    m.add(pl.TorsionSpring("bearing", "A", damping=bearing))
    return m


def dc_motor(**more) -> pl.Model:
    m = disc(0.01, 0.1, TILTED)
    m.add(pl.DCMotor("m", "A", 1.0, resistance=1.0, inductance=0.5, constant=0.01, **more))
    return m


def errors(sol) -> float:
    found = []
    for t, known in CTMS.items():
        row = int(np.argmin(abs(sol.t - t)))
        found += [abs(sol[c][row] - x) for c, x in zip(("A.angle_rate", "m.current"), known, strict=True)]
    return max(found)


def closing(sol) -> float:
    """Of the balance of energy, over what passed."""
    balance = sol.energy.balance
    return abs(balance - balance[0]).max() / max(abs(sol.energy.work).max(), abs(sol.energy.dissipated).max())


CHOSEN = [(1e-5, None), (1e-7, pl.DOP853()), (1e-7, pl.RadauIIA5()), (1e-7, pl.BDF()), (1e-7, pl.AdamsBashforthMoulton())]


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize(("accuracy", "integrator"), CHOSEN, ids=["chosen", "dop853", "radau", "bdf", "adams"])
def test_dc_motor_with_steps_that_are_chosen(accuracy, integrator, coordinates):
    sol = dc_motor().simulate(1.0, output_step=0.1, accuracy=accuracy, integrator=integrator, coordinates=coordinates)
    assert errors(sol) < 1e-5


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize(("order", "integrator"), [(2, pl.GeneralizedAlpha(0.9)), (4, pl.RungeKutta4())], ids=["alpha", "rk4"])
def test_dc_motor_orders(order, integrator, coordinates):
    found = [errors(dc_motor().simulate(1.0, step=h, output_step=0.1, integrator=integrator, coordinates=coordinates))
             for h in (0.01, 0.005)]
    assert np.log2(found[0] / found[1]) == pytest.approx(order, abs=0.1)


def test_balance_of_a_geared_motor_that_brakes():
    """The load swings past its rest: power changes its sign, and the gearbox loses on both ways."""
    m = pl.Model("swing", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("arm", 2.0, (0.05, 0.05, 0.01), position=(0.3, 0, 0)))
    m.add(pl.Revolute("A", m.ground, m["arm"].frame((-0.3, 0, 0)), axis="y"))
    m.add(pl.DCMotor("m", "A", "3*sin(9*t)", resistance=0.8, inductance=0.01, constant=0.05, ratio=12, efficiency=0.7, changeover=0.2,
                     rotor_inertia=2e-4))
    sol = m.simulate(2.0, accuracy=1e-10)
    loss = sol["m.rotor_torque"] * sol["m.speed"] - sol["m.power"]
    assert sol["m.power"].min() < -1 and sol["m.power"].max() > 1
    assert loss.min() > -0.1 and loss.max() > 1  # in the changeover the factor is between the two
    assert closing(sol) < 1e-8


def test_a_motor_without_inductance_is_the_limit():
    fast, none = (disc(0.01, 0.1) for _ in range(2))
    for m, L in ((fast, 1e-6), (none, 0.0)):
        m.add(pl.DCMotor("m", "A", "sin(5*t)", resistance=1.0, inductance=L, constant=0.3))
    one, other = (m.simulate(1.0, accuracy=1e-9, output_step=0.1) for m in (fast, none))
    np.testing.assert_allclose(one["A.angle"], other["A.angle"], atol=1e-6)
    assert closing(other) < 1e-8


PMSM = {"m.direct_current": 2.15446120581, "m.quadrature_current": 0.0832747125515, "A.angle_rate": 74.0855691620}


def pmsm(**options) -> tuple[float, pl.Solution]:
    """R 2.875, L 8.5 mH, psi .175, p 4, J .8e-3, v_q 50, after 10 ms by two methods: the largest error over the number, and the run."""
    m = disc(1e-9, 0.0)
    m.add(pl.PMSM("m", "A", "50 V", resistance=2.875, inductance="8.5 mH", flux=0.175, pole_pairs=4, rotor_inertia=0.8e-3 - 1e-9))
    sol = m.simulate(0.01, **options)
    return max(abs(sol[c][-1] / known - 1) for c, known in PMSM.items()), sol


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize(("integrator", "accuracy", "within"), [
    (None, 1e-10, 1e-9), (pl.DOP853(), 1e-7, 1e-5), (pl.RadauIIA5(), 1e-7, 1e-5), (pl.BDF(), 1e-7, 1e-5),
    (pl.AdamsBashforthMoulton(), 1e-7, 1e-5), (pl.GeneralizedAlpha(0.9), 1e-6, 1e-4)])
def test_pmsm_with_steps_that_are_chosen(integrator, accuracy, within, coordinates):
    error, sol = pmsm(integrator=integrator, accuracy=accuracy, coordinates=coordinates)
    assert error < within
    assert accuracy > 1e-10 or closing(sol) < 1e-8


@pytest.mark.parametrize(("order", "integrator", "coordinates"), [
    (2, pl.GeneralizedAlpha(0.9), "absolute"), (2, pl.GeneralizedAlpha(0.9), "joint"), (4, pl.RungeKutta4(), "absolute"),
    (4, pl.RungeKutta4(), "joint"), (5, pl.DormandPrince54(), "absolute"), (5, pl.DormandPrince54(), "joint"),
    (2, pl.EnergyMomentum(), "absolute")])
def test_pmsm_orders(order, integrator, coordinates):
    """Of the speed: the error of a current changes its sign with the step, and the numbers have twelve digits."""
    found = [abs(pmsm(step=h, integrator=integrator, coordinates=coordinates)[1]["A.angle_rate"][-1] - PMSM["A.angle_rate"])
             for h in (2.5e-4, 1.25e-4)]
    assert np.log2(found[0] / found[1]) == pytest.approx(order, abs=0.1)


def carried(rotor: str) -> pl.Model:
    """A carriage slides, an arm turns on it, another one on that, all in space; the first arm has a rotor on the carriage."""
    m = pl.Model("carried", gravity=(0.5, -0.3, -9.81))
    carriage = m.add(pl.RigidBody("carriage", 3.0, (0.1, 0.2, 0.3), position=(0, 0, 0)))
    one = m.add(pl.RigidBody("one", 2.0, (0.03, 0.04, 0.05), position=(0.2, 0.1, 0.3)))
    two = m.add(pl.RigidBody("two", 1.0, (0.01, 0.03, 0.02), position=(0.4, 0.0, 0.4)))
    wheel = m.add(pl.RigidBody("wheel", 0.4, (1e-4, 1e-4, 1e-3), position=(0, 0, 0), rotation=pl.rotation((1, 2, 0), 0.6)))
    m.add(pl.Prismatic("P", m.ground, carriage, axis=(1, 0.2, 0.4)))
    m.add(pl.Revolute("A", carriage, one.frame((-0.2, -0.1, -0.3)), axis=TILTED, angle_rate=0.7))
    m.add(pl.Revolute("B", one.frame((0.1, -0.05, 0.05)), two.frame((-0.1, 0.05, -0.05)), axis=(0.8, 0.1, -0.2), angle_rate=-1.1))
    m.add(pl.AxialSpring("spring", "P", 50.0))
    if rotor == "real":
        m.add(pl.Revolute("R", carriage, wheel, axis=wheel_axis(wheel)))
        m.add(pl.Gear("G", "A", "R", ratio=7.0))
    else:
        m.add(pl.Fixed("R", carriage, wheel))
        m.add(pl.RotorInertia("G", "A", 1e-3, 7.0))
    return m


def wheel_axis(wheel) -> tuple[float, ...]:
    from pliant.items.base import matrix_of
    return tuple(matrix_of(wheel.rotation)[:, 2])


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_the_inertia_of_a_rotor_is_that_of_a_real_one_behind_a_gear(coordinates):
    options = {"accuracy": 1e-12, "integrator": pl.DOP853(), "output_step": 0.1}
    real = carried("real").simulate(1.0, coordinates="absolute", **options)
    sol = carried("inertia").simulate(1.0, coordinates=coordinates, **options)
    for channel in ("P.displacement", "A.angle", "B.angle", "A.angle_rate", "one.angular_velocity"):
        np.testing.assert_allclose(sol[channel], real[channel], atol=1e-10)
    np.testing.assert_allclose(sol["B.force"], real["B.force"], atol=1e-8)
    assert abs(sol.energy.kinetic[-1] - real.energy.kinetic[-1]) < 1e-9
    balance = sol.energy.balance
    assert abs(balance - balance[0]).max() < 1e-9


def test_implicit_methods_follow_a_rotor_in_both_coordinates():
    known = carried("inertia").simulate(0.5, accuracy=1e-11, integrator=pl.DOP853(), output_step=0.1)
    for coordinates in ("absolute", "joint"):
        sol = carried("inertia").simulate(0.5, accuracy=1e-9, integrator=pl.RadauIIA5(), coordinates=coordinates, output_step=0.1)
        np.testing.assert_allclose(sol["B.angle"], known["B.angle"], atol=1e-7)


def test_services_of_joint_coordinates_know_rotors():
    """M u' + h = efforts, with M as the recursion of inverse dynamics has it."""
    arm = carried("inertia").joint_space()
    q, u = np.array([0.1, 0.4, -0.3]), np.array([0.2, -0.5, 0.6])
    M = arm.mass_matrix(q)
    still = arm.inverse_dynamics(q, u, np.zeros(3))
    columns = np.array([arm.inverse_dynamics(q, u, e) - still for e in np.eye(3)]).T
    np.testing.assert_allclose(M, columns, atol=1e-12)
    without = carried("inertia")
    without.remove("G")
    assert (M - without.joint_space().mass_matrix(q))[1, 1] == pytest.approx(0.049, rel=1e-12)


def test_a_rotor_on_a_flexible_arm_shifts_its_frequency():
    """Modes and motion of an arm on its node, with a hub that has the inertia of the rotor instead; in both coordinates."""
    found, runs = [], []
    for way in ("rotor", "body"):
        m = pl.Model("arm", gravity=(0, -9.81, 0))
        m.add(pl.ModalBody("arm", rod(), position=(0, 0, 0), damping=0.02))
        m.add(pl.Revolute("A", m.ground, m["arm"]["start"], axis="z"))
        if way == "rotor":
            m.add(pl.RotorInertia("r", "A", 5e-4, 10.0))
        else:
            hub = m.add(pl.RigidBody("hub", 1e-9, (1e-9, 1e-9, 0.05), position=(0, 0, 0)))
            m.add(pl.Fixed("F", m["arm"]["start"], hub))
        found.append(m.modes(state="assembled").frequencies)
        for coordinates in ("absolute", "joint"):
            runs.append(m.simulate(0.1, accuracy=1e-8, output_step=0.05, coordinates=coordinates, integrator=pl.RadauIIA5())["A.angle"])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6, atol=1e-4)
    for run in runs[1:]:
        np.testing.assert_allclose(run, runs[0], atol=1e-7)


def test_a_rotor_where_joint_coordinates_cut_is_told():
    m = pl.Model("loop")
    for name, start, end in (("left", (0, 0, 0), (0, 1, 0)), ("top", (0, 1, 0), (1, 1, 0)), ("right", (1, 0, 0), (1, 1, 0))):
        m.add(pl.RigidBody.rod(name, start=start, end=end, mass=1.0))
    ends = {"A": (m.ground, m["left"]["start"]), "B": (m["left"]["end"], m["top"]["start"]), "C": (m["top"]["end"], m["right"]["end"]),
            "D": (m.ground.frame((1, 0, 0)), m["right"]["start"])}
    for name, (a, b) in ends.items():
        m.add(pl.Revolute(name, a, b, axis="z"))
    m.add(pl.RotorInertia("r", "D", 1e-3))
    with pytest.raises(ModelError, match=r"'r' has a rotor on joint 'D', which closes a loop .* Cut another joint"):
        m.simulate(0.1, formulation=pl.Recursion(cut="D"))
    one, other = (m.simulate(0.2, accuracy=1e-9, formulation=f, integrator=pl.DOP853(), output_step=0.1)
                  for f in (pl.Recursion(cut="B"), pl.Index1()))
    np.testing.assert_allclose(one["D.angle"], other["D.angle"], atol=1e-9)


@pytest.mark.parametrize("name", [n for n, cls in every_kind() if cls.__module__.split(".")[-1] in DRIVES])
def test_tangents_of_drives(name):
    """Against the complex step, row by row, at the start of the example and with all at speed."""
    cls, m = dict(every_kind())[name], pl.Model("example", gravity=(0, 0, -9.81))
    at = (0.3, 0.2, 0.1)
    body = m.add(pl.RigidBody("B", mass=2.0, inertia=(1, 2, 3), position=at, rotation=pl.rotation((1, 2, 3), 0.4),
                              velocity=(0.1, 0.2, -0.1), angular_velocity=(0.3, -0.2, 0.5)))
    ground = m.ground.frame((0, 0, 0) if name.endswith("c_cylinder") else at, pl.rotation((1, 2, 3), 0.4))
    for item in cls.example(ground, body):
        m.add(item)
    c = ComplexStep(m.compile(exact=True).system)
    for by in ((0.7, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.3)):
        found, known = c.tangent(*by), c.reference(*by)
        size = np.maximum(abs(known).max(1, keepdims=True), 1e-3)
        assert (abs(found - known) / size).max() < 1e-12


def test_text_and_python_give_the_same_motors():
    m = disc(0.01, 0.1)
    m.add(pl.DCMotor("m", m["A"], "12 V", resistance="0.5 ohm", inductance="2 mH", constant="0.1 N*m/A", ratio=5, rotor_inertia=1e-4))
    m.add(pl.PMSM("p", "A", "m.current", resistance=1, inductance=1e-3, flux="0.1 Wb", pole_pairs=3))
    m.add(pl.RotorInertia("r", "A", "3 kg*m^2", 2))
    text = to_text(m)
    assert to_text(from_text(text)) == text and "voltage: 12" in text and from_text(text)["p"] == m["p"]
    m.rename("m", "drive")
    assert m["p"].quadrature_voltage == "drive.current"


@pytest.mark.parametrize(("fields", "told"), [
    ({"inductance": -1}, "inductance: -1 must be at least 0"), ({"voltage": "5 N"}, "voltage: '5 N' is a force"),
    ({"efficiency": 1.2}, "efficiency: 1.2 must be at most 1"), ({"resistance": 0}, "resistance: 0 must be greater than zero"),
    ({"ratio": "2 m"}, "ratio: '2 m' is a length")])
def test_wrong_motors_are_told(fields, told):
    with pytest.raises(ItemError, match=told):
        pl.DCMotor("m", "A", **{"voltage": 1.0, "resistance": 1.0, "inductance": 0.5, "constant": 0.01} | fields)


def test_a_motor_on_a_joint_that_is_not_there_is_told_with_its_line():
    text = ("pliant: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  P: {kind: prismatic, between: [ground, b], axis: x}\n"
            "forces:\n")
    motor = "{kind: dc_motor, joint: JOINT, voltage: 1, resistance: 1, inductance: 0.5, constant: 0.01}\n"
    for joint, told in (("Q", "7: forces.m.joint: there is no joint 'Q'"), ("P", "7: forces.m.joint: joint 'P' has no coordinate 'angle'")):
        with pytest.raises(ModelError, match=told):
            from_text(f"{text}  m: {motor.replace('JOINT', joint)}")
