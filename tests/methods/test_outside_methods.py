"""An integrator and a formulation, each in one file outside the package (tests/support/outsider, described in docs/extending.md)."""
import mechanisms
import numpy as np
import pytest
from outsider.heun import Heun
from outsider.velocity_projection import VelocityProjection

import pliant as pl
from pliant.text.model_text import from_text, to_text


@pytest.mark.parametrize("form", [pl.Index1(), pl.Recursion(), VelocityProjection()], ids=lambda x: x.kind)
def test_heun_has_order_two(form):
    """error = c h^2: half the step, a quarter of the error."""
    m = mechanisms.pendulum()
    exact = m.simulate(0.5, accuracy=1e-10, output_step=0.1)["bob.position"]
    errors = [abs(m.simulate(0.5, step=h, output_step=0.1, integrator=Heun(), formulation=form)["bob.position"] - exact).max()
              for h in (2e-3, 1e-3)]
    assert abs(np.log2(errors[0] / errors[1]) - 2) < 0.1


def test_heun_chooses_its_steps():
    m = mechanisms.pendulum()
    exact = m.simulate(0.5, accuracy=1e-10, output_step=0.1)["bob.position"]
    fine, coarse = (m.simulate(0.5, accuracy=e, output_step=0.1, integrator=Heun()) for e in (1e-5, 1e-3))
    assert abs(fine["bob.position"] - exact).max() < 1e-5 and coarse.quality.steps < fine.quality.steps / 5


def test_velocities_hold_and_positions_drift():
    m = mechanisms.four_bar()
    held, free = (m.simulate(1.0, step=5e-3, integrator=pl.RungeKutta4(), formulation=f) for f in (VelocityProjection(), pl.Index1(None)))
    assert held.quality.velocity_violation < 1e-12 < 1e-9 < free.quality.velocity_violation
    assert 1e-11 < held.quality.position_violation < 1e-6  # of the same size as without: nothing puts them back


def test_both_are_known_to_text_and_files(tmp_path):
    m = mechanisms.pendulum()
    m.settings = {"duration": 0.1, "step": 1e-3, "integrator": Heun(), "formulation": {"kind": "velocity-projection", "tolerance": 1e-9}}
    again = from_text(to_text(m))
    sol = again.simulate(out=tmp_path / "run.h5")
    assert sol.method == Heun() and sol.formulation == VelocityProjection(1e-9)
    assert pl.load(tmp_path / "run.h5").resume(0.1).complete
