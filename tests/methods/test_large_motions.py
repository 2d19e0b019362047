"""Beams that move far against series and closed forms from elsewhere, by every formulation that applies."""
import numpy as np
import pytest
from large_motions import COROTATIONAL, EXACT, MOTIONS, PENDULUMS, SLENDER, SPUN, pendulum, slender
from spin_up import errors, spin_up, stretched

import pliant as pl


@pytest.mark.parametrize("formulation", SLENDER)
def test_slender_frequencies(formulation):
    assert abs(slender(formulation, SLENDER[formulation])).max() < 1e-3


@pytest.mark.parametrize("formulation", [EXACT, COROTATIONAL])
@pytest.mark.parametrize("name", ["thrown beam", "arm"])
def test_beams_of_simo_and_vu_quoc(name, formulation):
    """When the push is over, energy is kept to rounding; the momentum is that of the push, up to what loads leave of it, of order h^2."""
    off, sol = MOTIONS[name].error(formulation=formulation, elements=64)
    assert off < MOTIONS[name].bound
    energy = (sol["energy.kinetic"] + sol["energy.elastic"])[sol.t > 2.6]
    assert np.ptp(energy) < 1e-11 * energy[0]
    if name == "thrown beam":
        np.testing.assert_allclose(sol["model.momentum"], np.outer(8 * np.minimum(sol.t, 2.5), (1, 0, 0)), atol=1e-5)


@pytest.mark.parametrize("formulation", PENDULUMS)
def test_flexible_pendulum(formulation):
    elements, step, method = PENDULUMS[formulation]
    assert MOTIONS["pendulum"].error(step, method, formulation=formulation, elements=elements)[0] < MOTIONS["pendulum"].bound


@pytest.mark.parametrize("formulation", ["ancf-cable", "ancf"])
def test_beams_of_slopes_are_another_material_where_they_stretch(formulation):
    """Their strain is that of Green. The pendulum that stretches by a tenth swings elsewhere; one that hardly does, as exact beams do."""
    slopes = {"formulation": formulation, "elements": 64}
    assert MOTIONS["pendulum"].error(1e-3, "generalized-alpha", **slopes)[0] > 4 * MOTIONS["pendulum"].bound
    ends = [pendulum(stretch=0.01, **which).simulate(0.6, step=5e-4, integrator=method, output_step=0.1)["beam.end.position"]
            for which, method in ((slopes, "generalized-alpha"), ({"formulation": EXACT, "elements": 64}, "energy-momentum"))]
    assert np.linalg.norm(ends[1] - ends[0], axis=1).max() < 0.004


def test_a_cable_that_is_pulled():
    """Drawn out by the part e it pulls with EA (e + e^2/2) (1 + e), beams with EA e."""
    e, drawn = 0.1, {}
    for formulation, force in (("ancf-cable", (e + e * e / 2) * (1 + e)), (EXACT, e), ("torsional-springs", e)):
        m = pl.Model("pulled", planar="z")
        m.add(pl.Beam("rope", (0, 0, 0), (1, 0, 0), pl.Section.general(1e-4, 1e-9, 1e-9, 2e-9), pl.Material(1e7, 0.3, 1000), elements=4,
                      formulation=formulation))
        m.add(pl.Spherical("eye", m.ground, "rope.start"))
        m.add(pl.Force("pull", "rope.end", (1000 * force, 0, 0)))
        drawn[formulation] = m.static().solution["rope.end.position"][0, 0] - 1
    assert drawn == pytest.approx(dict.fromkeys(drawn, e), rel=1e-6)


@pytest.mark.parametrize("formulation", SPUN)
def test_spin_up(formulation):
    """To 20 s; the largest errors in parts of the largest displacements, and that of the steady extension tan(kL)/k - L."""
    elements, method = SPUN[formulation]
    sol = spin_up(elements, formulation).simulate(20.0, step=0.01, integrator=method, output_step=0.5)
    assert max(*errors(sol), abs(stretched(sol))) < 0.01
