"""Many jumps of forces and of speeds of drives: the loop passes them by itself, so that one costs as much as a few steps; impulses stay
exact, and states are those that Python would make consistent."""
import numpy as np
import pytest
from cases import four_bar
from closed_forms import N
from flexible_models import rod
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401

import pliant as pl
from pliant.methods.integrators.time_loop import step_run
from pliant.methods.integrators.time_loop.step_run import StepRun

MASS, PUSH = 2.0, 3.0
METHODS = [{"integrator": pl.DOP853()}, {"integrator": pl.DOP853(), "coordinates": "joint"}, {"integrator": pl.RadauIIA5()},
           {"integrator": pl.AdamsBashforthMoulton()}, {"integrator": pl.DormandPrince54(), "formulation": pl.Index1(pl.Baumgarte())},
           {"integrator": pl.GeneralizedAlpha(), "accuracy": 1e-6}, {"integrator": pl.HHT(), "accuracy": 1e-6}]


def named(options) -> str:
    return "-".join(getattr(x, "kind", str(x)) for x in options.values())


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


@pytest.mark.parametrize("options", METHODS, ids=named)
def test_jumps_of_forces_beside_a_drive_never_leave_the_loop(options, begun):
    """A quarter of the time by pulses in time: v = 1 + F/m t/4 at the end of each; and where the slide passes 0.37 m, once."""
    sol = pushed("if(mod(t, 0.02) < 0.005, 1, 0)").simulate(1.0, output_step=0.02, **options)
    assert abs(sol["slide.displacement_rate"] - (1 + PUSH / MASS * sol.t / 4)).max() < 1e-6
    assert abs(sol["A.angle"] - 2 * sol.t).max() < 1e-6 and len(begun) == 1
    sol = pushed("if(slide.displacement < 0.37, 1, 0)").simulate(0.5, output_step=0.1, **options)
    end = np.sqrt(1 + 2 * PUSH / MASS * 0.37)  # energy
    assert sol["slide.displacement_rate"][-1] == pytest.approx(end, abs=1e-6) and len(begun) == 2


@pytest.mark.parametrize("options", METHODS, ids=named)
def test_jumps_of_a_drive_are_impacts_still(options, begun):
    """Kinks of the drive at 0.25 and 0.75 s, one together with a jump of the force."""
    sol = pushed("if(t < 0.25, 1, 0)", "abs(t - 0.25) + abs(t - 0.75)").simulate(1.0, output_step=0.05, **options)
    drift = 1e-8 if "formulation" in options else 1e-9  # Baumgarte's terms let it
    assert abs(sol["A.angle"] - abs(sol.t - 0.25) - abs(sol.t - 0.75)).max() < drift
    assert sol["slide.displacement_rate"][-1] == pytest.approx(1 + PUSH / MASS * 0.25, abs=1e-6)
    assert begun == [0.0]


# -- the same as by Python, which makes rows consistent one by one
def zigzag(jumps=8) -> pl.Table:
    return pl.Table(np.linspace(0, 0.4, jumps + 1), 0.1 * (np.arange(jumps + 1) % 2), "linear")


def apart(a: pl.Solution, b: pl.Solution) -> float:
    """The largest difference of rows, over the largest number in their column."""
    return float((abs(a.rows - b.rows) / (abs(b.rows).max(0) + 1e-3)).max())


def arm(loop: bool) -> pl.Model:
    """Driven about a leaning axis; a body hangs on it by a ball, and a rod holds that back."""
    m = pl.Model("arm", gravity=(0, 0, -9.81))
    a = m.add(pl.RigidBody("a", mass=1.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0, 0)))
    b = m.add(pl.RigidBody("b", mass=2.0, inertia=(0.3, 0.2, 0.5), position=(1.2, 0.1, 0.3)))
    m.add(pl.Revolute("A", m.ground, a.frame((-0.5, 0, 0)), axis=(0.3, 1, 0.2)))
    m.add(pl.Spherical("B", a.frame((0.5, 0, 0)), b.frame((-0.2, -0.1, -0.3))))
    if loop:
        c = m.add(pl.RigidBody("c", mass=0.7, inertia=(0.03, 0.02, 0.05), position=(1.4, 0.3, -0.6)))
        m.add(pl.Spherical("C", b.frame((0.2, 0.2, 0.1)), c.frame((0, 0, 1.0))))
        m.add(pl.Spherical("D", m.ground.frame((1.4, 0.3, -1.2)), c.frame((0, 0, -0.6))))
    m.add(pl.Drive("A", "angle", zigzag()))
    return m


def flexible_arm() -> pl.Model:
    """A flexible rod on a driven hinge, a rigid one behind it."""
    m = pl.Model("flexible arm", gravity=(0, -9.81, 0))
    turn = pl.items.base.matrix_of(pl.rotation((1, 2, -1), 0.8))
    m.add(pl.ModalBody("beam", rod(modes=2), rotation=turn, damping=0.05))
    m.add(pl.Revolute("hub", m.ground, "beam.start", axis=turn @ (0.6, 0, 0.8)))
    b = m.add(pl.RigidBody.box("b", size=(0.1, 0.2, 0.3), mass=0.4, rotation=turn, position=tuple(turn @ (1.0, 0.1, -0.05))))
    m.add(pl.Revolute("B", "beam.end", b.frame((0, -0.1, 0.05)), axis=turn[:, 1]))
    m.add(pl.Drive("hub", "angle", zigzag()))
    return m


SAME = [(arm, (loop,), options) for loop in (False, True)
        for options in (METHODS[0], METHODS[1], METHODS[2], METHODS[4], {"integrator": pl.GeneralizedAlpha(), "accuracy": 1e-5},
                        {"integrator": pl.GeneralizedAlpha(), "accuracy": 1e-5, "coordinates": "joint"})]
SAME += [(flexible_arm, (), {"integrator": pl.RadauIIA5(), "coordinates": c}) for c in ("absolute", "joint")]


@pytest.mark.parametrize(("make", "arguments", "options"), SAME, ids=lambda x: named(x) if isinstance(x, dict) else None)
def test_impacts_in_the_loop_are_those_of_python(make, arguments, options, begun, monkeypatch):
    """States, accelerations, multipliers and work: to the bit in absolute coordinates, else to rounding."""
    m = make(*arguments)
    sol = m.simulate(0.4, output_step=0.04, **options)
    assert begun == [0.0]
    monkeypatch.setattr(step_run, "made_for", lambda run: (None, None))
    slow = m.simulate(0.4, output_step=0.04, **options)
    assert len(begun) > 2 + 6, "Python passes all of them"
    assert abs(sol.rows[:, 2]).max() > 1e-3, "work is done"
    rounding = 1e-7 if make is flexible_arm else 1e-9  # after 4472 steps, with stiff modes; 1e-13 behind the first impact
    tolerance = rounding if options.get("coordinates") == "joint" else 0
    assert apart(sol, slow) <= tolerance


def test_forces_that_jump_are_met_as_python_does_with_generalized_alpha(begun, monkeypatch):
    """A closed loop with redundant joints: the smallest reactions, by time and where a hinge passes marks."""
    m = four_bar()
    m.add(pl.Force("f", "coupler", ("if(mod(t, 0.02) < 0.007, 5, 0)", "if(mod(A.angle, 0.05) < 0.02, 3, 0)", "sin(9*t)")))
    options = {"integrator": pl.GeneralizedAlpha(), "accuracy": 1e-4, "coordinates": "absolute"}
    sol = m.simulate(0.2, output_step=0.01, **options)
    assert begun == [0.0]
    monkeypatch.setattr(step_run, "made_for", lambda run: (None, None))
    slow = m.simulate(0.2, output_step=0.01, **options)
    assert len(begun) > 15
    assert apart(sol, slow) < 1e-7


@pytest.mark.parametrize("options", [*METHODS[:2], METHODS[5]], ids=named)
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
