"""What actuators must be able to do: closed forms of a disc and a trolley."""
import json

import numpy as np
import pytest

import pliant as pl
from pliant.cli import execute


@pytest.fixture(scope="module")
def sol():
    """A disc of 2 kg m^2 is driven as sin(2 t); a trolley of 3 kg is pulled by 6 N against 2 N s/m, for one turn of the disc."""
    m = pl.Model("sizing")
    m.add(pl.RigidBody("disc", mass=1.0, inertia=(1, 1, 2)))
    m.add(pl.RigidBody("trolley", mass=3.0, inertia=(1, 1, 1)))
    m.add(pl.Revolute("A", m.ground, "disc", axis="z"))
    m.add(pl.Prismatic("S", m.ground, "trolley", axis="x"))
    m.add(pl.Drive("A", "angle", "sin(2*t)", name="motor"))
    m.add(pl.JointForce("pull", "S", "6 - 2*S.displacement_rate"))
    m.add(pl.AxialSpring("slack", "S", stiffness=0.0, damping=0.001))
    return m.simulate(np.pi, output_step=np.pi / 2000, accuracy="fine")


def test_closed_forms(sol):
    """Torque -8 sin, speed 2 cos, power -8 sin(4 t): returned as much as supplied, 4 J each quarter of a turn with power."""
    motor, pull = sol.sizing(["motor", "pull.force"])
    assert (motor.name, motor.unit, pull.unit) == ("motor", "N*m", "N")
    assert abs(motor.peak) == pytest.approx(8, rel=1e-5) and motor.rms == pytest.approx(8 / np.sqrt(2), rel=1e-5)
    assert motor.speed == pytest.approx(2, rel=1e-6) and motor.peak_power == pytest.approx(8, rel=1e-5) == motor.braking_power
    assert motor.supplied == pytest.approx(8, rel=1e-4) and motor.returned == pytest.approx(8, rel=1e-4)
    assert abs(motor.mean_power) < 1e-4 and motor.points.shape == (len(sol.t), 2)
    exact = 3 / 2 * (3 * (1 - np.exp(-2 * np.pi / 3)))**2                      # all of it is kinetic
    assert pull.supplied == pytest.approx(exact, rel=1e-3) and pull.returned == 0 and pull.peak == pytest.approx(6) and pull.peak_at == 0


def test_all_actuators_are_taken_and_a_file_tells_the_same(sol, tmp_path, capsys):
    found = sol.sizing()
    assert [a.name for a in found] == ["motor", "pull"] and found["pull"].rms > 0 and "peak power [W]" in str(found)
    sol.save(tmp_path / "run.h5")
    assert execute(["sizing", str(tmp_path / "run.h5"), "motor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["motor"]["rms"] == pytest.approx(found["motor"].rms) and "pull" not in told


@pytest.mark.parametrize(("names", "says"), [
    (["moter"], "sizing: 'moter' is no drive, and no torque or force of a joint; did you mean 'motor'"), (["A"], "'A' is no drive")])
def test_wrong_names_are_told(sol, names, says):
    with pytest.raises(ValueError) as error:
        sol.sizing(names)
    assert says in str(error.value)
