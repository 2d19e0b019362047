"""Rigid limits of joint coordinates: what is touched is held, in compiled code. Against the passage of absolute coordinates, energies,
an elimination by hand, and runs that go on."""
import numpy as np
import pytest

import pliant as pl
from pliant.joint_space.tree import JointSpace
from pliant.methods.integrators.time_loop import run
from pliant.methods.integrators.time_loop.rigid_passage import RigidPassage

FIELDS = {"law": "rigid"}


def chain(n=5, restitution=0.0, **options) -> pl.Model:
    """Rods that fall from the level, every second joint described from its outer rod; limits of 20 degrees."""
    m, before = pl.Model("chain", gravity=(0, 0, -9.81)), None
    for k in range(n):
        rod = m.add(pl.RigidBody.rod(f"rod_{k}", start=(0.2 * k, 0, 0), end=(0.2 * k + 0.2, 0, 0), mass=0.3))
        inner = m.ground if before is None else before["end"]
        ends = (inner, rod["start"]) if k % 2 == 0 else (rod["start"], inner)
        m.add(pl.Revolute(f"hinge_{k}", *ends, axis="y"))
        if k:
            m.add(pl.Stop(f"limit_{k}", f"hinge_{k}", "angle", "-20 deg", "20 deg", restitution=restitution, **FIELDS, **options))
        before = rod
    return m


def happened(sol, what):
    return [(e.item, e.t, e.impulse) for e in sol.events if e.what.startswith(what)]


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_joint_coordinates_meet_limits_as_absolute_ones_do(restitution, monkeypatch):
    """Items, times and impulses; not one instant goes to Python after the start."""
    model, end = chain(restitution=restitution), 0.62
    absolute = model.simulate(end, accuracy=1e-9, coordinates="absolute", integrator="dop853", progress=False)
    calls, passed = [], RigidPassage.passed
    monkeypatch.setattr(RigidPassage, "passed", lambda self, row: (calls.append(row[0]), passed(self, row))[1])
    joint = model.simulate(end, accuracy=1e-9, coordinates="joint", integrator="dop853", progress=False)
    a, b = happened(absolute, "hits"), happened(joint, "hits")
    assert calls == [0.0] and len(a) > 6 and [x[0] for x in a] == [x[0] for x in b]
    assert np.array([x[1:] for x in a]) == pytest.approx(np.array([x[1:] for x in b]), rel=1e-6, abs=1e-9)
    assert abs(joint["rod_4.position"][-1] - absolute["rod_4.position"][-1]).max() < 1e-6


def test_limits_are_kept_and_energy_balances():
    """Through a hundred impacts, long phases at limits and low bounces: no overrun beyond rounding, forces that never pull, no energy from
    nowhere."""
    sol = chain(10).simulate(1.5, accuracy=1e-6, coordinates="joint", output_step=1e-3, progress=False)
    angles = np.column_stack([sol[f"hinge_{k}.angle"] for k in range(1, 10)])
    assert abs(angles).max() < np.radians(20) + 1e-10 and len(happened(sol, "hits")) > 100
    assert abs(sol.energy.balance - sol.energy.balance[0]).max() < 1e-6 * sol.energy.kinetic.max()
    lost: dict[float, float] = {}  # of one instant: of all limits together
    for e in sol.events:
        if e.what.startswith("hits"):
            lost[e.t] = lost.get(e.t, 0.0) + e.energy_lost
    assert min(lost.values()) > -1e-15 and sum(lost.values()) > 0
    efforts = np.column_stack([sol[f"limit_{k}.effort"] for k in range(1, 10)])
    held = efforts != 0
    assert held.any() and (np.sign(efforts[held]) == -np.sign(angles[held])).all()  # they push the joint back


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_drives_do_work_in_impacts(coordinates):
    """A shaft that is driven to and fro carries a rod between stops: what its impulses do counts as work."""
    m = chain(3, 0.3)
    m.add(pl.Drive("hinge_0", "angle", "0.8*sin(9*t)"))
    sol = m.simulate(0.4, accuracy=1e-8, coordinates=coordinates, integrator="dop853", progress=False)
    assert len(happened(sol, "hits")) > 5 and abs(sol.energy.work).max() > 1
    assert abs(sol.energy.balance - sol.energy.balance[0]).max() < 1e-6


def cart(*stops) -> pl.Model:
    """A pendulum that swings below a cart."""
    m = pl.Model("cart", gravity=(0, 0, 0))
    m.add(pl.RigidBody("cart", 2.0, (1, 1, 1), position=(0, 0, 0), velocity=(1, 0, 0)))
    m.add(pl.RigidBody("rod", 0.5, (0.1, 0.1, 0.1), com=(0, 0, -0.4), position=(0, 0, 0), angular_velocity=(0, 7, 0)))
    m.add(pl.Prismatic("slide", m.ground, "cart", axis="x"))
    m.add(pl.Revolute("swing", "cart", "rod", axis="y", at=(0, 0, 0)))
    for stop in stops:
        m.add(stop)
    return m


def test_an_impact_by_hand():
    """P = (1 + e) x' / (M^-1)_00,  M = [m1 + m2, -m2 s cos phi; ., J + m2 s^2],  at a stop of the slide, from the same motion without it;
    and at one of the swing, the other one of (x, phi)."""
    free = cart()
    for k, stop in enumerate((pl.Stop("end", "slide", "displacement", upper=0.1, restitution=0.5, **FIELDS),
                              pl.Stop("top", "swing", "angle", -1.0, 0.6, restitution=0.0, **FIELDS))):
        sol = cart(stop).simulate(0.12, accuracy=1e-10, coordinates="joint", progress=False)
        (item, t, impulse), = happened(sol, "hits")
        before = free.simulate(t, accuracy=1e-10, coordinates="joint", progress=False)
        phi = before["swing.angle"][-1]
        M = np.array([[2.5, -0.2 * np.cos(phi)], [-0.2 * np.cos(phi), 0.1 + 0.5 * 0.16]])
        u = before[("slide.displacement_rate", "swing.angle_rate")[k]][-1]
        assert item == stop.name and before[("slide.displacement", "swing.angle")[k]][-1] == pytest.approx((0.1, 0.6)[k], abs=1e-9)
        assert impulse == pytest.approx((1 + stop.restitution) * u / np.linalg.inv(M)[k, k], rel=1e-8)


def test_what_is_held_is_still_held_in_a_run_that_goes_on(tmp_path, monkeypatch):
    """Also from a file, bit by bit the same; the last checkpoint is where a limit is touched."""
    monkeypatch.setattr(run, "LEAST", 1)
    monkeypatch.setattr(run, "TILE_STEPS", 0)
    model, options = chain(), {"accuracy": 1e-8, "coordinates": "joint", "integrator": "dop853", "progress": False}
    whole = model.simulate(0.8, output_step=0.01, **options)
    held = np.flatnonzero(sum(abs(whole[f"limit_{i}.effort"]) for i in range(1, 5)))
    end = float(whole.t[held[len(held) // 2]])
    half = model.simulate(end, output_step=end / 10, out=tmp_path / "half.h5", **options)
    again = half.resume(0.8 - end, progress=False)
    np.testing.assert_allclose(again["rod_4.position"][-1], whole["rod_4.position"][-1], rtol=0, atol=1e-5)
    assert [(e.item, e.what) for e in again.events] == [(e.item, e.what) for e in whole.events]
    assert np.array_equal(pl.load(tmp_path / "half.h5").resume(0.8 - end, progress=False).rows, again.rows)


def test_limits_close_no_loops_unless_something_else_does():
    """A tree with limits has no equations; with a loop, or a limit of a joint that is cut, it has those of its limits as well."""
    tree = JointSpace(chain(4).compile())
    assert tree.holds_limits and tree.loops.tile.size == 0
    assert not JointSpace(chain(4).compile(), ("hinge_2",)).holds_limits
    looped = chain(3)
    looped.add(pl.PointOnPlane("ring", looped.ground, looped["rod_2"]["end"], axis="y"))
    assert not JointSpace(looped.compile()).holds_limits
