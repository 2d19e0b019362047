"""Two routes to one contact: compliant ones of rising stiffness come to the rigid one, as 1/k."""
import no_jit
import numpy as np
import pytest
from woodpecker_states import knocks

import pliant as pl


def soft_block(k: float) -> pl.Model:
    """The rocking block on springs that give next to nothing back and let next to nothing slip."""
    rocking = no_jit.load("rocking_block")
    m = rocking.model()
    m.remove("floor")
    m.add(pl.Contact("floor", m.ground, "block", stiffness=k, exponent=1, restitution=0.01, friction=1.0, friction_model="regularised",
                     slip_speed=1e-6))
    x, y, z = m["block"].position
    m["block"].position = x, y, z - m["block"].mass * rocking.G / (2 * k)  # its weight is on two corners
    return m


def test_a_soft_block_comes_to_the_rigid_one():
    """What the first impact takes of the energy of the fall, to 1e-3 at 1e7 N/m; ten times as stiff is ten times as near."""
    r = no_jit.load("rocking_block")
    rigid = r.model().simulate(1.0, accuracy=1e-8, integrator=pl.DOP853())
    lost = sum(e.energy_lost for e in rigid.events if e.what == "impact")
    fall = np.hypot(r.B, r.H) * (np.cos(r.FALLS - r.TILT) - np.cos(r.FALLS))
    assert lost == pytest.approx((1 - r.KEEPS**2) * rigid.model["block"].mass * r.G * fall, rel=1e-8)
    errors = []
    for k in (1e5, 1e6, 1e7):
        sol = soft_block(k).simulate(1.0, accuracy=1e-7, integrator=pl.RadauIIA5(), output_times=[0, 1.0])
        energy = sol.energy.kinetic + sol.energy.potential + sol.energy.elastic
        errors.append((energy[0] - energy[-1]) / lost - 1)
    slopes = -np.diff(np.log10(errors))
    assert errors[-1] < 1e-3 and (abs(slopes - 1) < 0.1).all()


def test_the_cycle_of_the_woodpecker():
    """The numbers that the example meets, by trying all states of the contacts at every instant."""
    w = no_jit.load("woodpecker")
    start = w.model()
    tilt, swing, fall = start["tilt"], start["swing"], start["fall"]
    hits, ups = knocks(np.array([0.0, tilt.angle, swing.angle]), np.array([fall.displacement_rate, tilt.angle_rate, swing.angle_rate]),
                       1.01 * w.CYCLE)
    np.testing.assert_allclose(hits, w.KNOCKS, rtol=0, atol=1e-11)
    assert ups[ups > w.CYCLE / 2] == pytest.approx([w.CYCLE], abs=1e-9)
