"""Free-floating trees in joint coordinates: momentum and energy are conserved to the order of the method."""
import numpy as np
import pytest
from flexible_trees import flexible_tree
from joint_models import tree
from test_flexible_recursion import momentum

import pliant as pl

KINDS = ["revolute", "universal", "spherical"]


def started(m: pl.Model) -> pl.Model:
    m.gravity, m["base"].angular_velocity, m["base"].velocity = (0.0, 0.0, 0.0), (1.0, -2.0, 0.5), (0.3, 0.2, 0.1)
    return m


def rigid() -> pl.Model:
    return started(tree(KINDS, seed=9, floating=True, springs=False))


def flexible() -> pl.Model:
    """Bending and spinning, without damping."""
    m = started(flexible_tree(KINDS, seed=9, floating=True, springs=False))
    for body in m.section("bodies"):
        if isinstance(body, pl.ModalBody):
            body.damping = 0.0
            object.__setattr__(body.reduced, "Dqq", None)
    return m


METHODS = [(pl.RungeKutta4(), 4, 0.02), (pl.CentralDifferences(), 2, 0.01), (pl.BDF(3), 3, 0.01), (pl.GeneralizedAlpha(0.9), 2, 0.01),
           (pl.Newmark(0.25, 0.5), 2, 0.01)]
FINE = [(pl.DOP853(), 8, 0.1), (pl.RadauIIA5(), 5, 0.04)]  # in the rigid tree rounding is all that is left


@pytest.mark.parametrize("make, method, order, step", [*((rigid, *m) for m in METHODS), *((flexible, *m) for m in METHODS + FINE)],
                         ids=lambda x: getattr(x, "kind", getattr(x, "__name__", "")))
def test_conserved_to_the_order_of_the_method(make, method, order, step):
    lost = []
    for h in (step, step / 2):
        sol = make().simulate(0.4, coordinates="joint", integrator=method, step=h, progress=False)
        linear, angular = momentum(sol)
        assert abs(linear[0]).max() > 0.05 and abs(angular[0]).max() > 0.1
        lost.append([abs(linear - linear[0]).max(), abs(angular - angular[0]).max(), sol.energy.drift])
    assert np.log2(np.array(lost[0]) / lost[1]) == pytest.approx([order] * 3, abs=0.3)
