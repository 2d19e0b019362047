"""Beams with the energy-momentum method: what is kept however large the step, order, and places where it may go wrong."""

import numpy as np
import pytest
from spaghetti import drift, spaghetti

import pliant as pl

METHOD = pl.EnergyMomentum()


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("lumped", [False, True])
@pytest.mark.parametrize("formulation", ["exact", "corotational"])
def test_spaghetti_flies_for_30_s(formulation, lumped, joint):
    """In space, at 20 ms, which turns some nodes by 5 degrees a step."""
    sol = spaghetti(formulation=formulation, lumped=lumped, joint=joint).simulate(30.0, step=0.02, output_step=0.5, integrator=METHOD)
    assert drift(sol).max() < 1e-11 and sol["energy.elastic"].max() > 0.3 * sol["energy.kinetic"][0]
    assert sol.quality.iterations < 11 * sol.quality.steps


def test_another_method_does_not():
    sol = spaghetti().simulate(30.0, step=0.02, output_step=0.5, integrator=pl.GeneralizedAlpha(0.9))
    assert drift(sol)[0] > 1e-3


def test_long_steps():
    """The stiffest waves turn by 20 rad in a step."""
    sol = spaghetti(stiffness=(1e6, 1e6, 1e6, 100.0, 100.0, 100.0), calm=True, joint=True).simulate(4.0, step=0.02, integrator=METHOD)
    assert drift(sol).max() < 1e-11


def test_damping_and_centres_of_mass_beside_the_axis():
    sol = spaghetti(damping=0.01, offset=0.3).simulate(5.0, step=0.01, integrator=METHOD)
    assert drift(sol).max() < 1e-11 and sol["energy.dissipated"][-1] > 0.1 * sol["energy.kinetic"][0]
    sol = spaghetti(offset=0.3, gravity=(1.0, -9.0, 2.0)).simulate(2.0, step=0.01, integrator=METHOD)
    P, weight = sol["model.momentum"], 10.0 * np.array([1.0, -9.0, 2.0])
    assert drift(sol)[0] < 1e-11
    np.testing.assert_allclose(P, P[0] + weight * sol.t[:, None], atol=1e-8 * abs(P).max())  # nodes have a nanogram of their own


@pytest.mark.parametrize("lumped", [False, True])
def test_order(lumped):
    def values(sol):
        return [np.concatenate([sol[name][-1] for name in names]) for names in
                (("node_0.position", "node_5.position"), ("node_5.velocity", "arm.angular_velocity"), ("hinge.force",))]
    m, steps, errors = spaghetti(lumped=lumped, joint=True, offset=0.2), (5e-4, 2.5e-4, 1.25e-4), []
    exact = values(m.simulate(0.2, accuracy=1e-10, integrator="dop853", output_step=0.2))
    for h in steps:
        found = values(m.simulate(0.2, step=h, output_step=0.2, integrator=METHOD))
        errors.append([np.linalg.norm(x - y) for x, y in zip(found, exact, strict=True)])
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx([2, 2, 2], abs=0.2)


def test_the_order_of_bodies_does_not_matter():
    orders = range(11), [7, 3, 0, 10, 5, 1, 9, 2, 8, 4, 6]
    a, b = (spaghetti(joint=True, order=order).simulate(1.0, step=0.02, integrator=METHOD) for order in orders)
    for name in ("node_3.position", "arm.velocity"):
        np.testing.assert_allclose(a[name], b[name], atol=1e-11)


def clamped():
    """A strip on a driven hinge, with a weight welded between its nodes, in a gravity field, off the axes."""
    m = pl.Model("driven", gravity=(1.0, -3.0, -9.0))
    m.add(pl.Beam("strip", (0.1, 0.2, 0.3), (0.9, 0.5, 0.4), pl.Section.rectangle(0.03, 0.02), pl.Material(5e7, 0.3, 1200),
                  elements=5, damping=1e-3))
    m.add(pl.RigidBody.box("weight", (0.1, 0.1, 0.1), mass=0.3, position=(0.55, 0.4, 0.4)))
    m.add(pl.Fixed("weld", "strip", "weight", at=(0.48, 0.35, 0.35)))
    m.add(pl.Revolute("J", m.ground.frame((0.1, 0.2, 0.3)), "strip.start", axis=(1, 2, 3)))
    m.add(pl.Drive("J", "angle", "sin(4*t)", name="drive"))
    m.add(pl.Force("F", "strip.end", (0, "2*sin(9*t)", 1.0)))
    return m


def test_the_balance_closes_with_joints_drives_and_loads():
    sol = clamped().simulate(1.0, step=5e-3, integrator=METHOD)
    E = sol.energy
    assert E.drift < 1e-11 * abs(E.work).max() and E.dissipated[-1] > 1e-3 and abs(E.work).max() > 1


def test_runs_go_on_bit_for_bit(tmp_path):
    whole = clamped().simulate(0.4, step=4e-3, integrator=METHOD)
    clamped().simulate(0.2, step=4e-3, integrator=METHOD, out=tmp_path / "half.h5")
    assert np.array_equal(pl.load(tmp_path / "half.h5").resume(0.2, progress=False).rows, whole.rows)


def test_a_strip_that_spins():
    """Strains are those of both ends: the middle of a step, which a rotation shortens by 0.05 %, would stretch it as much."""
    m = pl.Model("rotor")
    m.add(pl.Beam("b", (0, 0, 0), (1, 0, 0), pl.Section.rectangle(0.02, 0.01), "steel", elements=6, angular_velocity=(0, 0, 20.0)))
    m.add(pl.Revolute("J", m.ground, "b.start", axis="z"))
    sol = m.simulate(0.6, step=np.pi / 1000, integrator=METHOD)
    assert sol.energy.drift < 1e-11 * sol.energy.kinetic[0] and sol.energy.elastic.max() < 1e-4 * sol.energy.kinetic[0]


def test_a_latch_in_the_middle_of_a_run():
    """Velocities jump where a joint locks, and with them the energy along the axes; before and behind it stays."""
    m = spaghetti(joint=True)
    m.add(pl.Event("catch", "t > 0.5", [pl.Lock("hinge")]))
    sol = m.simulate(1.0, step=0.01, integrator=METHOD)
    E = sol["energy.kinetic"] + sol["energy.elastic"]
    before, after = E[sol.t < 0.495], E[sol.t > 0.515]
    assert abs(before - before[0]).max() < 1e-11 * E[0] and abs(after - after[0]).max() < 1e-11 * E[0]
