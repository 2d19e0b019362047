"""The energy-decaying method: never a gain, what it damps and what it leaves, order, momenta, and places where it may go wrong."""
import numpy as np
import pytest
from beam_items import BeamElement
from examples_of import example
from scipy.linalg import eigh
from spaghetti import drift, spaghetti
from spatial_loop import four_bar, orders

import pliant as pl
from pliant.compile.vibration import Vibration

METHOD = pl.EnergyDecaying()


def energies(sol):
    """Kinetic, potential and elastic, and what left by damping or came by work."""
    E = sol.energy
    return E.kinetic + E.potential + E.elastic + E.dissipated - E.work


def never_gains(sol):
    E = energies(sol)
    return np.diff(E).max() < 1e-12 * abs(E).max()


@pytest.mark.parametrize("z", [0.2, 1.0, 3.0, 30.0, 1e4])
def test_a_vibration(z):
    """A step as the theory has it: half of what is not resolved, 1 - (1 - rho) s^2 with s = z^2 / (4 + z^2) of the velocity."""
    rho, h, w = 0.3, 0.1, z / 0.1
    m = pl.Model("vibration")
    m.add(pl.RigidBody("b", 1.0, (1, 1, 1)))
    m.add(pl.Prismatic("P", m.ground, "b", axis="x", displacement=0.01))
    m.add(pl.SpringDamper("s", m.ground.frame((-5, 0, 0)), "b", stiffness=w * w, length=5.0))
    sol = m.simulate(10 * h, step=h, output_step=h, integrator=pl.EnergyDecaying(rho=rho))
    s, x, v = z * z / (4 + z * z), 0.01, 0.0
    for k in range(1, 11):
        c, d = 1 - 2 * s, 2 * np.sqrt(s * (1 - s))
        y, u = c * x + d * v, c * v - d * x
        x, v = y - (1 - rho) * s * s * (y - x) / 2, u * (1 - (1 - rho) * s * s)
        assert sol["b.position"][k, 0] == pytest.approx(x, abs=1e-9) and sol["b.velocity"][k, 0] / w == pytest.approx(v, abs=1e-9)
    assert never_gains(sol)


def strip(v=None, lumped=False):
    """Of steel, clamped, 1 m, 20 x 10 mm, eight elements; small velocities of its nodes."""
    m, L, n = pl.Model("strip"), 0.125, 8
    A, Iy, Iz, J, rho, E, G = 2e-4, 6.7e-9, 1.7e-9, 5e-9, 7850.0, 2.1e11, 8e10
    for k, x in enumerate(np.vstack([np.zeros(6), np.zeros((n, 6)) if v is None else v.reshape(n, 6)])):
        part = rho * L * (0.5 if k in (0, n) else 1)
        m.add(pl.RigidBody(f"n{k}", mass=A * part if lumped else 1e-9, inertia=(part * (Iy + Iz), part * Iy, part * Iz),
                           position=(L * k, 0, 0), velocity=tuple(x[:3]), angular_velocity=tuple(x[3:])))
    for k in range(n):
        m.add(BeamElement(f"e{k}", f"n{k}", f"n{k + 1}", stiffness=tuple(np.diag([E * A, G * A, G * A, G * J, E * Iy, E * Iz]).ravel()),
                          length=L, mass=0.0 if lumped else rho * A * L))
    m.add(pl.Fixed("clamp", m.ground, "n0", at=(0, 0, 0)))
    return m


@pytest.mark.parametrize("lumped", [False, True])
def test_what_it_takes_of_a_stiff_beam(lumped):
    """At 50 steps a period of the lowest vibration: next to nothing of that, all of the highest one."""
    d = strip(lumped=lumped).compile()
    found = Vibration(d, d.system.q0)
    M, K = (d.system.dense(part)[6:54, 6:54] for part in (found.M, found.K))
    squares, modes = eigh((K + K.T) / 2, (M + M.T) / 2)
    h = 2 * np.pi / np.sqrt(squares[0]) / 50
    assert h * np.sqrt(squares[-1]) > 100
    for k, steps, least, most in ((0, 50, 0.999, 1.0), (-1, 20, 0.0, 1e-6), (24, 20, 0.0, 1e-6)):
        sol = strip(1e-4 * modes[:, k], lumped).simulate(steps * h, step=h, output_step=h, integrator=METHOD)
        assert least < energies(sol)[-1] / energies(sol)[0] < most and never_gains(sol)


@pytest.mark.parametrize("stiff", [1e4, 1e7])
@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("more", [{}, {"lumped": True}, {"formulation": "corotational"}], ids=str)
def test_spaghetti_never_gains_and_keeps_its_momenta(more, joint, stiff):
    """Thrown wildly, or, stiff along its axis, as a rigid body; in space."""
    m = spaghetti(**more, joint=joint, stiffness=(stiff, stiff, stiff, 100.0, 100.0, 100.0), calm=stiff > 1e5)
    sol = m.simulate(10.0, step=0.02, output_step=0.02, integrator=METHOD)
    E = energies(sol)
    assert never_gains(sol) and drift(sol)[1:].max() < 1e-11 and E[-1] > 0.5 * E[0]
    assert np.mean(np.diff(E) < 0) > 0.5 and sol.quality.position_violation < 1e-10


def test_order():
    def values(sol):
        return [np.concatenate([sol[name][-1] for name in names]) for names in
                (("node_0.position", "node_5.position"), ("node_5.velocity", "arm.angular_velocity"), ("hinge.force",))]
    m, steps, errors = spaghetti(joint=True, damping=2e-3), (5e-4, 2.5e-4, 1.25e-4), []
    exact = values(m.simulate(0.2, accuracy=1e-10, integrator="dop853", output_step=0.2))
    for h in steps:
        found = values(m.simulate(0.2, step=h, output_step=0.2, integrator=METHOD))
        errors.append([np.linalg.norm(x - y) for x, y in zip(found, exact, strict=True)])
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx([2, 2, 2], abs=0.15)
    assert orders(four_bar, 0.8, (4e-3, 2e-3, 1e-3), integrator=METHOD) == pytest.approx([2, 2, 2], abs=0.1)


def test_a_rotor_of_steel():
    """A strip on a hinge at 20 steps a turn, whose waves along the axis turn by 800 rad in a step; 50 steps cost it 0.1 % a turn."""
    m = pl.Model("rotor")
    m.add(pl.Beam("b", (0, 0, 0), (1, 0, 0), pl.Section.rectangle(0.02, 0.01), "steel", elements=6, angular_velocity=(0, 0, 20.0)))
    m.add(pl.Revolute("J", m.ground, "b.start", axis="z"))
    for steps, most in ((20, 0.02), (50, 1e-3), (100, 2e-4)):
        h = 2 * np.pi / 20 / steps
        sol = m.simulate(2 * steps * h, step=h, output_step=h, integrator=METHOD)
        E = energies(sol)
        assert never_gains(sol) and 1 - E[-1] / E[0] < 2 * most
        assert np.linalg.norm(sol["b.end.position"], axis=1) == pytest.approx(1.0, abs=1e-4)


def driven(damping=1e-3):
    """A strip on a driven hinge, a weight on it, a load at its end, gravity."""
    m = pl.Model("driven", gravity=(1.0, -3.0, -9.0))
    m.add(pl.Beam("strip", (0.1, 0.2, 0.3), (0.9, 0.5, 0.4), pl.Section.rectangle(0.03, 0.02), pl.Material(5e9, 0.3, 1200), elements=5,
                  damping=damping))
    m.add(pl.RigidBody.box("weight", (0.1, 0.1, 0.1), mass=0.3, position=(0.55, 0.4, 0.4)))
    m.add(pl.Fixed("weld", "strip", "weight", at=(0.48, 0.35, 0.35)))
    m.add(pl.Revolute("J", m.ground.frame((0.1, 0.2, 0.3)), "strip.start", axis=(1, 2, 3)))
    m.add(pl.Drive("J", "angle", "sin(4*t)", name="drive"))
    m.add(pl.Force("F", "strip.end", (0, "2*sin(9*t)", 1.0)))
    return m


def test_drives_and_loads():
    """Kinetic, potential, elastic and dissipated energy less work does not grow; the drive is followed, and the end comes to where another
    method says, with a quarter of the error at half the step."""
    other, errors = driven().simulate(1.0, accuracy=1e-7, output_step=0.5, integrator=pl.RadauIIA5()), []
    for h in (5e-3, 2.5e-3):
        sol = driven().simulate(1.0, step=h, output_step=h, integrator=METHOD)
        assert never_gains(sol) and abs(sol.energy.work).max() > 1
        assert sol["J.angle"] == pytest.approx(np.sin(4 * sol.t), abs=1e-9)
        errors.append(np.linalg.norm(sol["strip.end.position"][-1] - other["strip.end.position"][-1]))
    assert errors[0] < 3e-4 and errors[1] < errors[0] / 3


def test_rigid_mechanisms_lose_next_to_nothing():
    sol = example("double_four_bar")().simulate(5.0, step=5e-3, output_step=5e-3, integrator=METHOD)
    assert never_gains(sol) and sol.energy.drift < 1e-4 * sol.energy.kinetic.max()


def test_a_load_at_rest_stays():
    """A strip that hangs in its equilibrium is not moved by the filter."""
    m = pl.Model("hangs", gravity=(0, 0, -9.81))
    m.add(pl.Beam("b", (0, 0, 0), (1, 0, 0), pl.Section.rectangle(0.02, 0.004), "steel", elements=5))
    m.add(pl.Fixed("F", m.ground, "b.start"))
    sol = m.simulate(0.5, step=0.01, start="static", integrator=METHOD)
    assert abs(sol["b.end.position"] - sol["b.end.position"][0]).max() < 1e-9


def test_runs_go_on_bit_for_bit(tmp_path):
    whole = driven().simulate(0.4, step=4e-3, integrator=METHOD)
    driven().simulate(0.2, step=4e-3, integrator=METHOD, out=tmp_path / "half.h5")
    assert np.array_equal(pl.load(tmp_path / "half.h5").resume(0.2, progress=False).rows, whole.rows)


def test_from_text(tmp_path):
    file = tmp_path / "m.yaml"
    file.write_text("pliant: 1\nsimulate: {duration: 0.01, step: 0.001, integrator: {kind: energy-decaying, rho: 0.2}}\n"
                    "bodies: {b: {mass: 1, inertia: [1, 2, 3], angular_velocity: [1, 2, 3]}}\n")
    assert pl.read(file).simulate().method == pl.EnergyDecaying(rho=0.2)
    with pytest.raises(ValueError, match=r"rho = 1, must be from 0 to 0\.99"):
        pl.EnergyDecaying(rho=1.0)
