"""Explicit central differences: the step that is taken by itself, that it is stable and a fifth more is not, and who is told."""
import numpy as np
import pytest
from spin_up import errors, spin_up

import pliant as pl
from pliant.methods.formulations.choices import Index1
from pliant.methods.integrators.base import Plan
from pliant.methods.stability import longest
from pliant.start.assembly import start_row

METHOD = pl.CentralDifferences()


def test_the_spin_up_of_a_beam():
    """Against two spectral solutions of beams, 7e-5 m apart, up to behind the largest lag."""
    sol = spin_up(10, lumped=True).simulate(7.5, integrator=METHOD, output_step=0.5)
    across, along = errors(sol)
    assert across < 0.01 and along < 0.025
    assert sol.step == pytest.approx(0.9 * longest(sol.dynamics, sol.rows[0]), rel=1e-3)
    assert "of the longest stable one: 'beam.node" in sol.why


def energy_after(m, part, steps):
    """Of so many steps of a part of the longest stable one, in parts of that of the start; the run itself, without a look at it."""
    dynamics = m.compile()
    row = start_row(dynamics)
    h, energies = part * longest(dynamics, row), []
    dynamics.time_step = h
    for rows in METHOD.run(Plan.fixed(dynamics, Index1(), row, h, steps, steps // 20)):
        if len(rows):
            if not np.isfinite(rows).all():
                return np.inf
            energies += dynamics.refine(rows)[0].sum(1).tolist()
    return max(energies) / energies[0]


def rod(damping=0.0, lumped=True, weight=True):
    """A rod in flight that turns about all axes, with a weight on a ball joint or without."""
    m = pl.Model("rod")
    m.add(pl.Beam("rod", (0, 0, 0), (1, 0.5, 0.2), pl.Section.rectangle(0.05, 0.03), pl.Material(5e7, 0.3, 1100), elements=5,
                  lumped=lumped, damping=damping, angular_velocity=(1, 3, 5), velocity=(0, 1, 0)))
    if weight:
        m.add(pl.RigidBody.box("weight", (0.1, 0.1, 0.2), mass=0.4, position=(1, 0.5, 0.3)))
        m.add(pl.Spherical("ball", "rod", "weight", at=(1, 0.5, 0.2)))
    return m


@pytest.mark.parametrize("lumped", [True, False])
def test_it_is_stable_there_and_not_at_a_fifth_more(lumped):
    assert energy_after(rod(lumped=lumped), 0.9, 4000) < 1.01
    with np.errstate(all="ignore"):
        try:
            grown = energy_after(rod(lumped=lumped), 0.9 * 1.2, 4000)
        except pl.SimulationError:
            grown = np.inf
    assert grown > 10


@pytest.mark.parametrize("damping", [2e-5, 2e-4, 2e-2])
def test_damping_makes_it_shorter(damping):
    """2 (sqrt(1 + 4 z^2) - 2 z) / omega with the damping ratio z of the fastest vibration, for all z. Where joints are corrected after a
    step, accelerations are those of the corrected state, and the limit is farther."""
    for weight in (False, True):
        assert energy_after(rod(damping, weight=weight), 0.97, 2000) <= 1.0
    with np.errstate(all="ignore"):
        try:
            grown = energy_after(rod(damping, weight=False), 1.05, 2000)
        except pl.SimulationError:
            grown = np.inf
    assert grown > 10
    plain, damped = (rod(d).compile() for d in (0.0, damping))
    h, s = longest(plain, start_row(plain)), longest(damped, start_row(damped))
    z = 2 * damping / h  # tau omega
    assert s / h == pytest.approx(1 / (np.sqrt(1 + z * z) + z), rel=1e-3) and s < h


def test_sections_that_are_harder_to_turn():
    """The step is longer, up to that of waves along the axis; energy is that of the scaled inertia; a short run is nearly as it was."""
    m = spin_up(8, lumped=True)
    plain, heavy = (m.simulate(1.0, integrator=pl.CentralDifferences(rotary_scale=s), output_step=0.5) for s in (1.0, 3.0))
    assert heavy.step > 1.5 * plain.step and "rotary_scale 3" in str(heavy.method)
    assert np.linalg.norm(heavy["beam.end.position"][-1] - plain["beam.end.position"][-1]) < 1e-4
    sol = rod().simulate(0.1, integrator=pl.CentralDifferences(rotary_scale=2.0))
    E = sol.energy.kinetic + sol.energy.elastic
    assert abs(E - E[0]).max() < 2e-3 * E[0]
    whole = rod().simulate(0.2, integrator=pl.CentralDifferences(rotary_scale=2.0), step=sol.step)
    assert np.array_equal(sol.resume(0.1, progress=False).rows[-1], whole.rows[-1])
    ball = pl.Model("ball")
    ball.add(pl.RigidBody("b", 1.0, (1, 2, 3)))
    with pytest.raises(pl.ModelError, match="rotary_scale is of beams, and the model has none"):
        ball.simulate(0.1, step=0.01, integrator=pl.CentralDifferences(rotary_scale=2.0))


def test_a_step_that_is_too_long_is_told_by_name():
    m = rod()
    sol = m.simulate(0.01, integrator=METHOD)
    said = r"stopped at t = 0 s: the fixed step of .* is longer than .*: 'rod.node_\d' vibrates at .* Hz"
    with pytest.raises(pl.SimulationError, match=said) as told:
        m.simulate(0.01, integrator=METHOD, step=1.2 * sol.step)
    assert told.value.code == "step-unstable"
    m.settings = {"duration": 0.01, "integrator": METHOD, "step": 1.2 * sol.step}
    assert [f.code for f in m.check().findings if f.code == "step-unstable"]
    m.settings["step"] = sol.step
    assert not [f.code for f in m.check().findings if f.code == "step-unstable"]


def test_stiffness_that_grows_ends_the_run():
    """A hardening spring under a load that grows: h omega = 2 where 3e6 x^2 = 1e6, so at x = 0.577 m, after 41 s."""
    m = pl.Model("hard")
    m.add(pl.RigidBody("b", 1.0, (1, 1, 1), position=(0, 0, 0)))
    m.add(pl.Prismatic("P", m.ground, "b", axis="x"))
    m.add(pl.AxialSpring("k", "P", "1e4*x + 1e6*x^3"))
    m.add(pl.Force("F", "b", ("5000*t", 0, 0)))
    with pytest.raises(pl.SimulationError, match=r"the fixed step .* is longer than .* 'b' vibrates at 159\.\d Hz") as told:
        m.simulate(60.0, integrator=METHOD, step=2e-3)
    assert told.value.code == "step-unstable" and told.value.solution.t[-1] == pytest.approx(40, abs=3)
    assert abs(told.value.solution["P.displacement"]).max() < 0.6


def test_without_stiffness_or_with_an_accuracy_it_is_searched():
    m = pl.Model("ball", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("b", 1.0, (1, 2, 3), angular_velocity=(1, 2, 3)))
    assert m.simulate(0.5, integrator=METHOD).quality.estimate is not None
    assert rod().simulate(0.02, integrator=METHOD, accuracy="draft").quality.estimate < 1e-3


def test_from_text_and_on_the_command_line(tmp_path):
    rod().save(tmp_path / "rod.yaml")
    text = (tmp_path / "rod.yaml").read_text() + "simulate: {duration: 5 ms, integrator: central-differences}\n"
    (tmp_path / "rod.yaml").write_text(text)
    from pliant import cli
    assert cli.execute(["run", str(tmp_path / "rod.yaml"), "-o", str(tmp_path / "rod.h5")]) == 0
    first = pl.load(tmp_path / "rod.h5")
    assert first.step == pl.read(tmp_path / "rod.yaml").simulate().step
    whole = pl.read(tmp_path / "rod.yaml").simulate(2 * 0.005, step=first.step)
    assert np.array_equal(first.resume(0.005, progress=False).rows[-1], whole.rows[-1])
