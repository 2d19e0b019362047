"""How far constraints are violated: what stabilisation is for. Quality reports the violations of the method at every step."""
import mechanisms
import numpy as np
import pytest
import spatial
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.families.constraints import COORDINATE, FACTOR, OFFSET

RK = pl.RungeKutta4()


def gaps(form, duration=2.0, step=5e-3, model=spatial.four_bar):
    q = model().simulate(duration, integrator=RK, formulation=form, step=step).quality
    return np.array([q.position_violation, q.velocity_violation])


def test_without_stabilization_violations_grow():
    """The second derivative of the constraints is kept: what errors leave of the first one stays, and positions drift with it."""
    one, two, three = (gaps(pl.Index1(None), t) for t in (0.5, 2.0, 8.0))
    assert one[0] < two[0] / 2 < three[0] / 8 and three[0] > 1e-7, (one, two, three)


def test_baumgarte_bounds_them():
    free, one, two = gaps(pl.Index1(None), 6.0), gaps(pl.Index1(pl.Baumgarte(20, 20)), 2.0), gaps(pl.Index1(pl.Baumgarte(20, 20)), 6.0)
    assert (two < 1.5 * one).all() and two[0] < free[0] / 5, (free, one, two)


@pytest.mark.parametrize("form", [pl.Index1(), pl.AugmentedLagrangian(), pl.CoordinatePartitioning(), pl.NullSpace()], ids=str)
@pytest.mark.parametrize("model", [spatial.four_bar, spatial.bricard])
def test_corrections_keep_both_levels_at_every_step(form, model):
    assert (gaps(form, model=model) < 1e-10).all()


def test_velocities_are_judged_before_rows_are_projected():
    """A coarse correction shows."""
    loose = gaps(pl.Index1(pl.DirectCorrection(1e-2)), step=1e-2)
    assert (loose > 1e-8).all()


def test_penalties_leave_violations_in_inverse_proportion():
    found = [gaps(pl.Penalty(a), 1.0, 1e-3)[0] for a in (1e4, 1e5, 1e6)]
    slope = np.polyfit(np.log((1e4, 1e5, 1e6)), np.log(found), 1)[0]
    assert -1.15 < slope < -0.85, found


# -- singular positions: the double four-bar falls through poses with all bars in a line
def angle(t):
    """Of its one degree of freedom, which knows nothing of them."""
    return solve_ivp(lambda _, y: [y[1], 3.5 / 3 * 9.81 * np.sin(y[0])], (0, t[-1]), [0.0, 1.0], "DOP853", t, rtol=1e-12, atol=1e-12).y[0]


@pytest.mark.parametrize("form", [pl.Index1(), pl.AugmentedLagrangian()], ids=str)
def test_fixed_steps_pass_singular_positions_with_their_order(form):
    found = []
    for h in (4e-3, 2e-3):
        sol = spatial.double_four_bar().simulate(3.0, integrator=RK, formulation=form, step=h, output_step=0.04)
        found.append(abs(sol["post0.end.position.x"] - np.sin(angle(sol.t))).max())
    assert found[1] < found[0] / 8 and found[1] < 1e-6


@pytest.mark.parametrize("method", [pl.DormandPrince54(), pl.DOP853(), pl.AdamsBashforthMoulton()], ids=str)
@pytest.mark.parametrize("form", [pl.Index1(), pl.AugmentedLagrangian(), pl.CoordinatePartitioning(), pl.NullSpace()], ids=str)
def test_singular_positions_are_passed_or_named(method, form):
    for accuracy in (1e-6, 1e-8):
        try:
            sol = spatial.double_four_bar().simulate(3.0, integrator=method, formulation=form, accuracy=accuracy, output_step=0.05)
            assert abs(sol["post0.end.position.x"] - np.sin(angle(sol.t))).max() < 5e-6
        except pl.SimulationError as stopped:
            assert form.kind in ("coordinate-partitioning", "null-space") and stopped.code == "singular-pose"
            assert "'left" in str(stopped) and "index-1" in str(stopped)


def test_many_equations_are_refused_with_a_remedy():
    m = pl.Model("chain", gravity=(0, 0, -9.81))
    before = m.ground
    for k in range(125):
        bar = m.add(pl.RigidBody.rod(f"b{k}", (k, 0, 0), (k + 1, 0, 0), mass=1.0, radius=0.1))
        m.add(pl.Revolute(f"j{k}", before if k else m.ground, bar["start"], axis="y"))
        before = bar["end"]
    with pytest.raises(pl.ModelError, match=r"625 equations .*index-1"):
        m.simulate(0.1, integrator=RK, formulation=pl.NullSpace(), step=1e-3)


# -- stability
@pytest.mark.parametrize("method", [RK, pl.CentralDifferences(), pl.DOP853(), pl.AdamsBashforthMoulton(4)], ids=str)
def test_fixed_steps_are_stable_up_to_the_limit_and_check_knows_it(method):
    """A mass on a spring of 100 rad/s: bounded just below the limit, growing above it; `check` warns of the second one."""
    for part, grows in ((0.95, False), (1.25, True)):
        h = part * method.limit / 100
        m = pl.Model("oscillator")
        body = m.add(pl.RigidBody.sphere("b", 0.1, mass=1.0, position=(1.01, 0, 0)))
        m.add(pl.Prismatic("P", m.ground, body, axis="x"))
        m.add(pl.SpringDamper("k", m.ground, body, stiffness=1e4, length=1.0))
        m.settings = {"duration": 400 * h, "step": h, "integrator": method}
        try:
            largest = abs(m.simulate()["P.displacement"]).max()
        except pl.SimulationError:
            largest = np.inf
        assert (largest > 0.1) == grows, largest
        assert ("step-unstable" in {f.code for f in m.check().findings}) == grows


@pytest.mark.parametrize("form", [pl.Index1(pl.Baumgarte(10, 10)), pl.Index1(None), pl.Recursion(pl.Baumgarte(10, 10)),
                                  pl.Penalty(1e6)], ids=str)
def test_leaving_a_branch_at_a_singular_position_is_told(form):
    """What is not put back on its constraints may come out of the flat pose along another branch, 2 m away, with or without its energy."""
    sol = spatial.double_four_bar().simulate(10.0, integrator="dop853", formulation=form)
    wrong = abs(sol["post0.end.position.x"] - np.sin(angle(sol.t))).max()
    assert wrong > 0.05 and "another branch" in sol.quality.doubt and "another branch" in " ".join(sol.summary().split())
    flat = (np.pi / 2 - angle(sol.t)) % np.pi  # the posts lie along the ground
    assert abs(np.sin(flat[np.argmin(abs(sol.t - float(sol.quality.doubt.split("at t = ")[1].split(" s")[0])))])) < 0.1


def test_mechanisms_that_pass_no_singular_position_are_not_doubted():
    for m in (spatial.four_bar(), mechanisms.pendulum(), mechanisms.slider_crank("4*sin(3*t)")):
        sol = m.simulate(1.0, integrator="dop853", formulation=pl.Index1(pl.Baumgarte(10, 10)))
        assert "branch" not in sol.quality.doubt


def test_energies_that_add_up_are_not_doubted():
    for options in ({}, {"step": 1e-3}, {"formulation": pl.Index1(pl.Baumgarte(10, 10)), "integrator": RK, "step": 1e-3}):
        sol = spatial.double_four_bar().simulate(10.0, **options)
        assert abs(sol["post0.end.position.x"] - np.sin(angle(sol.t))).max() < 0.01
        assert "are not accounted for" not in sol.quality.doubt and bool(sol.quality.doubt) == bool(options.get("formulation"))
    rest = pl.Model("rest")  # nothing but rounding
    rest.add(pl.RigidBody("a", 1.0, (1, 1, 1), position=(1e3, 2e3, 3e3)))
    rest.add(pl.RigidBody("b", 1.0, (1, 1, 1), position=(1e3, 2e3, 3.1e3)))
    rest.add(pl.SpringDamper("s", "a", "b", stiffness=1e6, damping=10.0))
    assert not rest.simulate(1.0).quality.doubt and not rest.simulate(1.0, step=1e-3).quality.doubt


@pytest.mark.parametrize("form", [pl.CoordinatePartitioning(), pl.NullSpace()], ids=str)
def test_equations_without_a_gradient_at_the_start_are_named(form, monkeypatch):
    """Their rank would be counted as zero, and the joint would hold nothing for the whole run: here the slope of its one equation
    is made to vanish."""
    m = pl.Model("held")
    m.add(pl.RigidBody("ball", 1.0, (1, 1, 1), position=(0, 0, 1)))
    m.add(pl.Distance("string", "ground", "ball"))
    compiled = pl.Model.compile

    def slack(self, **options):
        d = compiled(self, **options)
        first, last = d.system.families[COORDINATE]
        d.system.data.rp[first:last, FACTOR], d.system.data.rp[first:last, OFFSET] = 0.0, 0.0
        return d
    monkeypatch.setattr(pl.Model, "compile", slack)
    with pytest.raises(pl.SimulationError, match="none of the 1 equations of its joints holds anything") as stopped:
        m.simulate(0.1, integrator=RK, formulation=form, step=1e-2)
    assert stopped.value.code == "singular-pose"
