"""Hydraulics and pneumatics: frequencies, series by two independent methods, energy, rest, and what is wrong."""
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.items.errors import ItemError, ModelError
from pliant.text.model_text import from_text, to_text

SAMPLES = Path(__file__).parents[1] / "support" / "samples"
CYLINDER = {"bore": 0.05, "rod_diameter": 0.028, "cap_volume": 1e-4, "rod_volume": 1e-4}
VALVE = {"supply": "S", "tank": "T", "a": "c.cap", "b": "c.rod", "rated_flow": "40 l/min", "rated_drop": "35 bar"}


def supplied(m: pl.Model) -> pl.Model:
    m.add(pl.HydraulicSupply("S", "140 bar"))
    m.add(pl.HydraulicSupply("T", "1 bar"))
    return m


def slide(axis=(1, 0, 0), **pressures) -> pl.Model:
    """500 kg on a cylinder of 400 mm, out by 150 mm."""
    m, u = pl.Model("mass"), np.array(axis) / np.linalg.norm(axis)
    m.add(pl.RigidBody("b", 500.0, (1, 1, 1), position=tuple(0.15 * u)))
    m.add(pl.Prismatic("P", m.ground, m["b"], axis=tuple(u), displacement=0.15))
    m.add(pl.HydraulicJointCylinder("c", "P", stroke=0.4, **{**CYLINDER, **pressures}))
    return m


def driven_mass() -> pl.Model:
    m = supplied(slide((2, 1, -1), rod_pressure=50e5, cap_pressure=50e5 * (1 - 0.028**2 / 0.05**2), viscous_friction=2000.0,
                       floor=1e3))  # the series knows no cavitation
    m.add(pl.DirectionalValve("v", "if(t > 0.1 and t < 0.6, 0.5, if(t > 0.8 and t < 1.2, -0.5, 0))", time_constant=0.01, **VALVE))
    return m


def crane(*, closed_valve: bool = False, **pressures) -> pl.Model:
    """A boom of 3 m, 200 kg with 300 kg at its tip, on a cylinder."""
    m = pl.Model("crane", gravity=(0, 0, -9.81))
    boom = m.add(pl.RigidBody("boom", 200.0, (1.0, 150.0, 150.0), position=(1.5, 0, 0)))
    tip = m.add(pl.RigidBody("tip", 300.0, (1e-9,) * 3, position=(3, 0, 0)))
    m.add(pl.Revolute("O", m.ground, boom.frame((-1.5, 0, 0)), axis=(0, -1, 0)))
    m.add(pl.Fixed("F", boom.frame((1.5, 0, 0)), tip))
    pressures = {"cap_pressure": 11713780.409745011, "rod_pressure": 60e5, **pressures}
    m.add(pl.HydraulicCylinder("c", m.ground.frame((0.3, 0, -0.9)), boom.frame((-0.5, 0, 0)), closed=0.8415501862117607, stroke=0.8,
                               viscous_friction=15000.0, **CYLINDER, **pressures))
    reference = 0.0 if closed_valve else "if(t > 0.1 and t < 0.6, 0.2, if(t > 0.8 and t < 1.2, -0.2, 0))"
    supplied(m).add(pl.DirectionalValve("v", reference, time_constant=0.05, **VALVE))
    return m


def closing(sol) -> float:
    balance = sol.energy.balance
    return abs(balance - balance[0]).max() / max(abs(sol.energy.work).max(), abs(sol.energy.dissipated).max())


def test_a_locked_cylinder_is_a_spring():
    """k = B (A_1^2 / V_1 + A_2^2 / V_2)"""
    found = slide().modes()
    assert found.frequencies.max() == pytest.approx(32.53449797679966, rel=1e-8)
    sol = slide(cap_pressure=5e6, rod_pressure=5e6).simulate(0.2, accuracy=1e-9)  # A_1 > A_2: it swings out and back
    balance = sol.energy.balance
    assert abs(balance - balance[0]).max() < 1e-8 * sol.energy.kinetic.max() and sol["c.position"].max() > 0.15


@pytest.mark.parametrize("name", ["mass", "crane"])
def test_series_by_two_methods(name):
    known = np.loadtxt(SAMPLES / f"hydraulic_{name}.csv", delimiter=",")
    m, motion = (driven_mass(), "P.displacement") if name == "mass" else (crane(), "O.angle")
    sol = m.simulate(known[-1, 0], accuracy=1e-8, output_step=0.1)
    rows = [int(np.argmin(abs(sol.t - t))) for t in known[:, 0]]
    for channel, column, size in ((motion, 1, 1.0), (f"{motion}_rate", 2, 10.0), ("c.cap.pressure", 3, 1e9), ("c.rod.pressure", 4, 1e9),
                                  ("v.spool", 5, 1.0)):
        assert abs(sol[channel][rows] - known[:, column]).max() < 1e-6 * size
    assert closing(sol) < 1e-8
    if name == "mass":  # steady at half opening
        assert abs(sol[motion][6] - 0.292138938537) < 1e-11
        assert sol[f"{motion}_rate"][6] == pytest.approx(0.291267946733, rel=1e-9)


def test_a_loaded_cylinder_rests():
    """Pressures that carry the boom are found: with the valve closed those of the oil that is locked in, which the boom compresses as it
    sinks; with a leak those that the spool must feed."""
    st = crane(closed_valve=True, cap_pressure=60e5).static()
    A1, A2 = np.pi / 4 * 0.05**2, np.pi / 4 * (0.05**2 - 0.028**2)
    force = float(st["c.cap.pressure"]) * A1 - float(st["c.rod.pressure"]) * A2
    assert force == pytest.approx(float(st["c.force"]), rel=1e-12)
    start, end = np.hypot(0.7, 0.9) - 0.8415501862117607, float(st["c.position"])
    for side, V in (("cap", lambda x: 1e-4 + A1 * x), ("rod", lambda x: 1e-4 + A2 * (0.8 - x))):
        locked = 60e5 - 1.5e9 * np.log(V(end) / V(start))
        assert float(st[f"c.{side}.pressure"]) == pytest.approx(locked, rel=1e-3)  # Newton's steps follow p(V) by its slope
    m = crane(closed_valve=True, cap_pressure=60e5)
    m.add(pl.HydraulicLeakage("leak", "c.cap", "T", 2e-12))
    m["v"].input = "5*(0.02 - O.angle)"
    sol = m.simulate(0.5, start="static", accuracy=1e-9)
    assert abs(np.ptp(sol["O.angle"])) < 1e-9 and abs(sol["O.angle_rate"]).max() < 1e-9
    assert np.ptp(sol["c.cap.pressure"]) < 1e-9 * sol["c.cap.pressure"][0] and 0 < sol["v.spool"][0] < 0.1


def test_hose_closed_and_open():
    """f = c / 4 l of the column; lumps converge with their square, and 10 give 0.1 %."""
    exact, found = 59.06244232186183, []
    for n in (5, 10, 20):
        m = pl.Model("hose")
        m.add(pl.RigidBody("b", 1.0, (1, 1, 1)))
        m.add(pl.Fixed("F", m.ground, m["b"]))
        m.add(pl.HydraulicSupply("S", 1e6))
        m.add(pl.HydraulicLine("h", "closed", "S", 5.0, 0.02, lumps=n, density=860.0, bulk_modulus=1.2e9, pressure=1e6))
        f = m.modes().frequencies
        found.append(f[f > 1].min() / exact - 1)
    assert abs(found[1]) < 1.1e-3
    assert np.log2(np.array(found[:-1]) / found[1:]) == pytest.approx(2.0, abs=0.05)


def network(air: float) -> pl.Model:
    """A pump with relief valve, accumulator, hose, check valve and volumes, and a slide on a cylinder."""
    m = slide(cap_pressure=10e5, rod_pressure=10e5, air=air, leakage=1e-11, friction=200.0, creep=0.01, viscous_friction=500.0)
    m.add(pl.HydraulicSupply("T", 2e5))
    m.add(pl.HydraulicVolume("P1", "1 l", "60 bar", air=air))
    m.add(pl.Pump("pump", "T", "P1", "10 cm^3/rev", "1500 rpm", leakage=1e-12))
    m.add(pl.ReliefValve("relief", "P1", "T", "50 bar", 1e-9))
    m.add(pl.Accumulator("bottle", "2 l", "40 bar", "45 bar"))
    m.add(pl.CheckValve("check", "P1", "bottle", "40 l/min", "5 bar", "0.5 bar"))
    m.add(pl.HydraulicLine("hose", "bottle", "c.cap", 3.0, 0.012, lumps=2, viscosity=0.04, pressure=10e5, air=air))
    m.add(pl.HydraulicOrifice("out", "c.rod", "T", "10 l/min", "10 bar", "0.5 + 0.3*sin(8*t)"))
    m.add(pl.HydraulicLeakage("leak", "bottle", "T", 1e-12))
    return m


@pytest.mark.parametrize("air", [0.0, 0.02])
def test_energy_of_a_network(air):
    sol = network(air).simulate(0.6, accuracy=1e-9)
    assert closing(sol) < 1e-8
    assert sol["relief.flow"].max() > 1e-5 and sol["check.flow"].max() > 1e-4 and sol["bottle.oil"].max() > 1e-4
    power = np.gradient(sol.energy.dissipated, sol.t)[2:-2]
    assert power.min() > -1e-3 * power.max()  # nothing gives energy for nothing


def test_air_makes_oil_soft():
    """V(p) = V_l (1 - (p - p_0) / B_l) + r V_l (p_0 / p)^(1/n), B = -V / V'."""
    p, h = 20e5, 1.0
    w = [1 - (x - 101325) / 1.5e9 + 0.01 * (101325 / x) ** (1 / 1.4) for x in (p - h, p, p + h)]
    known = -w[1] * 2 * h / (w[2] - w[0])
    m = pl.Model("soft")
    m.add(pl.RigidBody("b", 1.0, (1, 1, 1)))
    m.add(pl.Fixed("F", m.ground, m["b"]))
    m.add(pl.HydraulicVolume("V", 1e-3, p, air=0.01, bulk_modulus=1.5e9))
    m.add(pl.HydraulicSupply("T", 1e5))
    m.add(pl.Pump("q", "T", "V", 1e-6, 1.0))
    sol = m.simulate(1e-3, accuracy=1e-9)
    rate = (sol["V.pressure"][1] - p) / (sol.t[1] - sol.t[0])
    assert rate * 1e-3 / 1e-6 == pytest.approx(known, rel=1e-3)


def test_cavitation_is_held_at_its_floor():
    m = slide(cap_pressure=5e5, rod_pressure=5e5)
    m.add(pl.JointForce("pull", "P", "20 kN"))
    sol = m.simulate(0.1, accuracy=1e-7)
    assert 0.02e5 < sol["c.cap.pressure"].min() < 0.1e5 and sol["c.cap.make_up"].max() > 0


def test_the_end_stop_holds():
    m = slide(cap_pressure=60e5, rod_pressure=1e5, viscous_friction=20000.0)
    m.add(pl.HydraulicSupply("S", "60 bar"))
    m.add(pl.HydraulicSupply("T", "1 bar"))
    m.add(pl.HydraulicOrifice("in", "S", "c.cap", "60 l/min", "10 bar"))
    m.add(pl.HydraulicOrifice("out", "c.rod", "T", "60 l/min", "10 bar"))
    sol = m.simulate(1.0, accuracy=1e-7)
    assert 0.4 < sol["c.position"].max() < 0.405 and closing(sol) < 1e-8


# -- gas
def tank(**more) -> pl.Model:
    m = pl.Model("tank")
    m.add(pl.RigidBody("b", 1.0, (1, 1, 1)))
    m.add(pl.Fixed("F", m.ground, m["b"]))
    m.add(pl.PneumaticVolume("V", "10 l", "7 bar", **more))
    m.add(pl.PneumaticSupply("air", "1.013 bar"))
    m.add(pl.PneumaticOrifice("o", "V", "air", 1e-8, 0.3))
    return m


def test_a_tank_empties():
    """Isothermal: p = p_0 e^(-t/tau) while choked, then by quadrature: two methods."""
    sol = tank().simulate(15.0, accuracy=1e-10, output_step=2.5)
    tau = 10.03020604071817
    assert tau == pytest.approx(0.01 / (1e-8 * 1.185 * 287.0 * 293.15), rel=1e-12)
    for t, p in ((5.0, 425211.2434), (10.0, 258479.10767472506), (15.0, 160881.66237838464)):
        assert sol["V.pressure"][int(np.argmin(abs(sol.t - t)))] == pytest.approx(p, rel=1e-7)
    fine = tank().simulate(7.4, accuracy=1e-10, output_step=0.1)
    choked = fine.t < 7.312232036247211
    np.testing.assert_allclose(fine["V.pressure"][choked], 7e5 * np.exp(-fine.t[choked] / tau), rtol=1e-9)
    assert fine["V.pressure"][-1] > 7e5 * np.exp(-fine.t[-1] / tau) * (1 + 1e-8)
    assert closing(sol) < 1e-8


def test_a_tank_that_cools():
    """Without heat from outside T p^((1-k)/k) is constant, as of an ideal gas that expands."""
    sol = tank(exponent=1.4, heat_transfer=0.0).simulate(5.0, accuracy=1e-10)
    np.testing.assert_allclose(sol["V.temperature"], 293.15 * (sol["V.pressure"] / 7e5) ** (0.4 / 1.4), rtol=1e-9)
    assert closing(sol) < 1e-8


@pytest.mark.parametrize("more", [{}, {"exponent": 1.2}, {"exponent": 1.4, "heat_transfer": 5.0}],
                         ids=["isothermal", "polytropic", "heated"])
def test_a_pneumatic_cylinder_moves_a_mass_and_energy_is_kept(more):
    m = pl.Model("slide")
    m.add(pl.RigidBody("b", 5.0, (1, 1, 1), position=(0.15, 0, 0)))
    m.add(pl.Prismatic("P", m.ground, m["b"], axis="x", displacement=0.15))
    m.add(pl.PneumaticCylinder("c", m.ground.frame((-0.2, 0.1, 0)), m["b"], closed=0.2, bore=0.05, rod_diameter=0.02, stroke=0.4,
                               cap_volume=2e-5, rod_volume=2e-5, viscous_friction=50.0, **more))
    m.add(pl.PneumaticSupply("S", "6 bar", **{k: v for k, v in more.items() if k != "heat_transfer"}))
    m.add(pl.PneumaticSupply("R", **{k: v for k, v in more.items() if k != "heat_transfer"}))
    m.add(pl.PneumaticOrifice("in", "S", "c.cap", 1e-8, 0.3, "if(t < 0.2, 1, 0)"))
    m.add(pl.PneumaticOrifice("out", "c.rod", "R", 1e-8, 0.4))
    sol = m.simulate(0.5, accuracy=1e-9)
    assert sol["c.position"].max() > 0.2 and closing(sol) < 1e-8


# -- text, names, errors
def test_text_and_python_give_the_same_network():
    m = network(0.01)
    m.add(pl.HydraulicSupply("S", 140e5))
    m.add(pl.DirectionalValve("v", "0.1*t", frequency=30.0, **VALVE))
    m.add(pl.PneumaticVolume("g", "1 l", heat_transfer=1.0, exponent=1.4))
    text = to_text(m)
    again = from_text(text)
    assert to_text(again) == text and all(again[item.name] == item for item in m)
    m.rename("c", "piston")
    assert m["v"].a == "piston.cap" and m["hose"].b == "piston.cap" and "piston.cap" in to_text(m)
    m.compile()


HEAD = "pliant: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\nblocks:\n  S: {kind: hydraulic_supply, pressure: 140 bar}\n"


@pytest.mark.parametrize(("line", "told"), [
    ("V: {kind: hydraulic_volume, volume: -1 l}", "6: blocks.V.volume: -1 l must be greater than zero"),
    ("V: {kind: hydraulic_volume, volume: 1 m}", "6: blocks.V.volume: '1 m' is a length"),
    ("O: {kind: hydraulic_orifice, between: [S, W], rated_flow: 1 l/min, rated_drop: 1 bar}",
     r"6: blocks.O.between\[1\]: there is no port 'W'; there is S"),
    ("O: {kind: pneumatic_orifice, between: [S, S], conductance: 1e-8}",
     r"6: blocks.O.between\[0\]: there is no port 'S'; the model has none"),
    ("V: {kind: directional_valve, input: 0, supply: S, tank: S, a: S, b: S, rated_flow: 1 l/min, rated_drop: 1 bar}",
     "6: blocks.V.time_constant: give either time_constant or frequency"),
    ("V: {kind: directional_valve, input: S.presure, supply: S, tank: S, a: S, b: S, rated_flow: 1 l/min, rated_drop: 1 bar, "
     "time_constant: 1}", "6: blocks.V.input: channel 'S.presure'"),
    ("L: {kind: hydraulic_line, between: [closed, S], length: 1, diameter: 0.01, lumps: 2.5}", "6: blocks.L.lumps: 2.5 must be a whole"),
])
def test_wrong_networks_are_told_with_their_line(line, told):
    with pytest.raises(ModelError, match=told):
        from_text(f"{HEAD}  {line}\n")


def test_ports_that_are_not_there_are_told_by_a_compilation():
    m = supplied(slide())
    m.add(pl.DirectionalValve("v", 0, time_constant=0.1, **{**VALVE, "a": "c.kap"}))
    with pytest.raises(ModelError, match=r"directional_valve 'v': a: there is no port 'c.kap'; did you mean 'c.cap'\?"):
        m.compile()
    with pytest.raises(ItemError, match=r"rod_diameter: 0\.06 m must be less than the bore, 0\.05 m"):
        pl.HydraulicJointCylinder("c", "P", stroke=0.4, **{**CYLINDER, "rod_diameter": 0.06})
