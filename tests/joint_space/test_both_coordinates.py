"""Every example, its text twin, and every benchmark: the same motion and reactions in joint and in absolute coordinates."""
from functools import partial

import no_jit
import pytest

import pliant as pl
from pliant.kernels.state_row import parts
from pliant.proofs import benchmark_models, verification

USUAL = 0.2  # s of motion
# of the others: what stiff modes, high speed or growing differences allow within a second of computing
SHORT = {"andrews": 0.01, "flexible_four_bar": 0.02, "flexible_slider_crank": 0.02, "slider_crank_clearance": 0.004, "spinning_blade": 0.1,
         "three_blades": 0.01, "tippe_top": 0.02, "two_link_arm": 0.05}
# it turns ten times in this time; their modes are stiff; the damping of a stop makes 1e-9 m/s^2 of the rounding of speeds, which 1e-10
# does not allow
FINEST = {"rotor": 1e-12, "two_link_arm": 1e-11, "flexible_arm": 1e-11, "telescopic_boom": 1e-11, "cam_lift_off": 1e-8, "tippe_top": 1e-9}
STIFFEST = {"tippe_top": 3e10}  # k/m [1/s^2] of a contact, by which accelerations magnify the rounding of positions
ROUNDING = 1e-14                # of positions, in m
RUBS, BEAM = "has friction, which joint coordinates do not know", "is a beam of many nodes, which joint coordinates do not know"
REFUSED = {"rocking_block": RUBS, "woodpecker": RUBS,
           **dict.fromkeys(("rolled_strip", "lees_frame", "deep_arch", "flying_spaghetti", "spun_beam", "whipping_arm", "jammed_four_bar",
                          "hoist_rope"), BEAM)}  # they run in absolute coordinates
BENCHMARKS = {"chain of 30": lambda: benchmark_models.chain(30), "ten four-bars": lambda: benchmark_models.fourbars(10),
              "40 four-bars": lambda: benchmark_models.fourbars(40), "Bricard": benchmark_models.bricard,
              "free body": verification.free_body,
              **{f"top {p:.3g}": partial(verification.lagrange_top, p) for p in verification.PRECESSIONS}}


def both_ways(m: pl.Model, duration: float, accuracy: float) -> tuple[pl.Solution, pl.Solution]:
    m.settings = {}
    options = {"accuracy": accuracy, "integrator": pl.DOP853(), "progress": False, "output_step": duration / 5,
               "formulation": pl.Index1(pl.DirectCorrection(1e-12))}
    joint, absolute = (m.simulate(duration, coordinates=c, **options) for c in ("joint", "absolute"))
    assert joint.formulation.kind == "recursion" and absolute.formulation.kind == "index-1"
    return joint, absolute


def agree(joint: pl.Solution, absolute: pl.Solution, tolerance: float = 1e-8, stiffest: float = 0.0) -> None:
    """Positions, velocities, accelerations, all multipliers (the smallest ones where they are not unique), energies."""
    s = joint.dynamics.system
    a, b = parts(joint.rows, s.q0.size, s.n), parts(absolute.rows, s.q0.size, s.n)
    for name in ("q", "v", "a", "lam", "work", "dissipated"):
        size = max(1.0, float(abs(b[name]).max(initial=0.0)))
        rounding = ROUNDING * stiffest if name == "a" else 0.0
        assert abs(a[name] - b[name]).max(initial=0.0) <= tolerance * size + rounding, name
    assert joint.quality.unique_reactions == absolute.quality.unique_reactions


def agree_or_refuse(name: str, m: pl.Model) -> None:
    if name in REFUSED:
        with pytest.raises(pl.ModelError, match=REFUSED[name]):
            both_ways(m, USUAL, 1e-8)
    else:
        agree(*both_ways(m, SHORT.get(name, USUAL), FINEST.get(name, 1e-10)), stiffest=STIFFEST.get(name, 0.0))


@pytest.mark.parametrize("name", no_jit.NAMES)
def test_examples(name):
    agree_or_refuse(name, no_jit.load(name).model())


@pytest.mark.parametrize("name", sorted(path.stem for path in no_jit.EXAMPLES.glob("*.yaml")))
def test_text_twins(name):
    agree_or_refuse(name, pl.read(no_jit.EXAMPLES / f"{name}.yaml"))


@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmarks(name):
    agree(*both_ways(BENCHMARKS[name](), 0.2, 1e-10))


@pytest.mark.parametrize("name", verification.CASES)
def test_verification_book(name):
    model, duration, *_ = verification.CASES[name]
    agree(*both_ways(model(), min(duration, SHORT.get(name, USUAL)), 1e-10))


@pytest.mark.parametrize("name", verification.CASES)
def test_the_verification_book_in_joint_coordinates(name):
    """Closed forms and published references, not absolute coordinates."""
    model, duration, options, checks = verification.CASES[name]
    kept = {key: value for key, value in options.items() if key == "output_step"}
    sol = model().simulate(duration, coordinates="joint", accuracy=1e-8, progress=False, **kept)
    assert sol.formulation.kind == "recursion"
    for quantity, values, references, tolerance in checks(sol):
        assert abs(values - references).max() <= tolerance, quantity


def test_reactions_that_are_not_unique_are_among_them():
    found = {name: both_ways(no_jit.load(name).model(), 0.02, 1e-8)[0].quality.unique_reactions for name in ("bricard", "heavy_top")}
    assert found == {"bricard": False, "heavy_top": True}
