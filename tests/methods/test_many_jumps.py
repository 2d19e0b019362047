"""Many jumps of forces: the loop passes them by itself, so that one costs as much as a few steps; impulses stay exact."""
import numpy as np
import pytest
from closed_forms import N
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401

import pliant as pl
from pliant.methods.integrators.time_loop.step_run import StepRun

MASS, PUSH = 2.0, 3.0
METHODS = [{"integrator": pl.DOP853()}, {"integrator": pl.DOP853(), "coordinates": "joint"}, {"integrator": pl.RadauIIA5()},
           {"integrator": pl.AdamsBashforthMoulton()}, {"integrator": pl.DormandPrince54(), "formulation": pl.Index1(pl.Baumgarte())}]


def pushed(law: str, drive: str = "2*t") -> pl.Model:
    """A block on a slide that leans, and beside it a driven crank."""
    m = pl.Model("pushed")
    b = m.add(pl.RigidBody.box("b", size=(0.1, 0.2, 0.3), mass=MASS))
    m.add(pl.Prismatic("slide", m.ground, b, axis=tuple(N), displacement_rate=1.0))
    m.add(pl.Force("push", b, tuple(f"{PUSH * n}*({law})" for n in N)))
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 3, 0), end=(0, 3, 1), mass=1.0))
    m.add(pl.Revolute("A", m.ground.frame((0, 3, 0)), rod["start"], axis=(1, 2, 3)))
    m.add(pl.Drive("A", "angle", drive))
    return m


@pytest.fixture
def begun(monkeypatch):
    """How often Python begins a smooth interval."""
    count, known = [], StepRun._begin

    def begin(run, row):
        count.append(row[0])
        known(run, row)
    monkeypatch.setattr(StepRun, "_begin", begin)
    return count


@pytest.mark.parametrize("options", METHODS, ids=lambda o: "-".join(getattr(x, "kind", x) for x in o.values()))
def test_jumps_of_forces_beside_a_drive_never_leave_the_loop(options, begun):
    """A quarter of the time by pulses in time: v = 1 + F/m t/4 at the end of each; and where the slide passes 0.37 m, once."""
    sol = pushed("if(mod(t, 0.02) < 0.005, 1, 0)").simulate(1.0, output_step=0.02, **options)
    assert abs(sol["slide.displacement_rate"] - (1 + PUSH / MASS * sol.t / 4)).max() < 1e-6
    assert abs(sol["A.angle"] - 2 * sol.t).max() < 1e-6 and len(begun) == 1
    sol = pushed("if(slide.displacement < 0.37, 1, 0)").simulate(0.5, output_step=0.1, **options)
    end = np.sqrt(1 + 2 * PUSH / MASS * 0.37)  # energy
    assert sol["slide.displacement_rate"][-1] == pytest.approx(end, abs=1e-6) and len(begun) == 2


def test_jumps_of_a_drive_are_impacts_still(begun):
    """Kinks of the drive at 0.25 and 0.75 s, one together with a jump of the force."""
    sol = pushed("if(t < 0.25, 1, 0)", "abs(t - 0.25) + abs(t - 0.75)").simulate(1.0, output_step=0.05, integrator=pl.DOP853())
    assert abs(sol["A.angle"] - abs(sol.t - 0.25) - abs(sol.t - 0.75)).max() < 1e-9
    assert sol["slide.displacement_rate"][-1] == pytest.approx(1 + PUSH / MASS * 0.25, abs=1e-9)
    np.testing.assert_allclose(begun, [0.0, 0.25, 0.75], atol=1e-12)


@pytest.mark.parametrize("options", METHODS[:2], ids=("absolute", "joint"))
def test_an_interrupted_run_goes_on_bit_for_bit(options, tmp_path, one_slice):
    m, out = pushed("if(mod(t, 0.02) < 0.005, 1, 0)"), tmp_path / "run.h5"
    whole = m.simulate(3.0, output_step=0.01, **options)
    with pytest.raises(Stop):
        m.simulate(3.0, output_step=0.01, progress=stopping(0.58), out=out, **options)
    sol = pl.load(out)
    assert not sol.complete and equal(sol.resume(), whole)


def test_too_many_are_told():
    """A force that holds a block at a mark, to and fro: the time, and what to do."""
    m = pushed("if(slide.displacement_rate < 0.2, 1, -1)")
    with pytest.raises(pl.SimulationError, match=r"switches to and fro, 100 times within .* s\. Make its jump smooth") as stopped:
        m.simulate(2.0, integrator=pl.DOP853())
    assert stopped.value.code == "chattering" and stopped.value.solution.t[-1] == pytest.approx(0.8 / PUSH * MASS, abs=0.01)
