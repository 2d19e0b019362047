"""Explicit methods have the order they declare, in positions, velocities and multipliers, with every formulation that allows them; so has
what lies between steps; and with error control the error follows what is asked for."""
from functools import cache

import numpy as np
import pytest
import spatial

import pliant as pl
from pliant import simulation
from pliant.formulations.contract import N_V
from pliant.integrators import one_step_loop as osl

ABM = pl.AdamsBashforthMoulton
# integrator; duration, rows, numbers of steps in which the order shows: neither rounding nor higher terms
FOUR_BAR = [(pl.CentralDifferences(), 0.2, 4, (200, 400, 800)), (pl.RungeKutta4(), 0.2, 4, (32, 64, 128)),
            (pl.DormandPrince54(), 1.0, 4, (400, 480, 600)), (pl.DOP853(), 0.2, 4, (8, 12, 16)),
            (ABM(3), 0.2, 4, (160, 320, 640)), (ABM(5), 0.2, 4, (160, 240, 320)), (ABM(8), 0.5, 8, (200, 240, 320))]
BRICARD = [(pl.CentralDifferences(), 0.2, 4, (200, 400, 800)), (pl.RungeKutta4(), 0.2, 4, (32, 64, 128)),
           (ABM(3), 0.2, 4, (160, 320, 640)), (ABM(5), 0.2, 4, (80, 120, 160))]
FORMS = [pl.Index1(), pl.Index1(None), pl.Index1(pl.Baumgarte(5, 5)), pl.AugmentedLagrangian(tolerance=1e-14), pl.Penalty(1e5),
         pl.CoordinatePartitioning(), pl.NullSpace()]


@cache
def reference(model, duration, rows, form=pl.Index1()):  # noqa: B008
    return model().simulate(duration, integrator=pl.DOP853(), formulation=form, accuracy=1e-12, output_step=duration / rows)


def named(x):
    return getattr(x, "kind", None) and "-".join([x.kind, *(str(v) for k, v in x.plain().items() if k in ("max_order", "stabilization"))])


def fitted(model, method, duration, rows, steps, form):
    exact = reference(model, duration, rows, form if isinstance(form, pl.Penalty) else FORMS[0])
    found = [spatial.errors(model().simulate(duration, integrator=method, formulation=form, step=duration / n,
                                             output_step=duration / rows), exact) for n in steps]
    return spatial.orders(np.array(found), steps), np.array(found)


@pytest.mark.parametrize("form", FORMS, ids=named)
@pytest.mark.parametrize(("method", "duration", "rows", "steps"), FOUR_BAR, ids=lambda x: named(x))
def test_orders_of_a_spatial_loop(method, duration, rows, steps, form):
    orders, found = fitted(spatial.four_bar, method, duration, rows, steps, form)
    declared = np.array(method.orders(form))
    assert (abs(orders - declared) <= np.where(declared > 5, 0.3, 0.1)).all(), (orders, found)


@pytest.mark.parametrize("form", [pl.Index1(), pl.AugmentedLagrangian(tolerance=1e-14), pl.CoordinatePartitioning(), pl.NullSpace()], ids=named)
@pytest.mark.parametrize(("method", "duration", "rows", "steps"), BRICARD, ids=lambda x: named(x))
def test_orders_with_redundant_equations(method, duration, rows, steps, form):
    orders, found = fitted(spatial.bricard, method, duration, rows, steps, form)
    declared = np.array(method.orders(form))
    assert (abs(orders - declared) <= 0.1).all(), (orders, found)
