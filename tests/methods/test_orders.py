"""Explicit methods have the order they declare, in positions, velocities and multipliers, with every formulation that allows them; with
error control the error follows what is asked for, also between steps."""
from functools import cache

import numpy as np
import pytest
import spatial

import pliant as pl

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


P, DP, DOP = pl.CoordinatePartitioning(renew=0.9), pl.DormandPrince54(), pl.DOP853()
# other durations and steps, where those above do not show it
ELSEWHERE = {(DP, FORMS[0]): (0.15, 4, (24, 32, 48, 64)), (DP, FORMS[1]): (0.15, 4, (16, 24, 32, 48)),
             (DP, FORMS[2]): (0.15, 4, (16, 24, 32, 48)), (DP, FORMS[6]): (0.4, 4, (48, 64, 96, 128)),
             (DP, P): (0.2, 4, (48, 64, 96, 128)),
             (DOP, FORMS[1]): (0.25, 4, (8, 12, 16, 20, 24, 32)), (DOP, FORMS[2]): (0.35, 4, (16, 20, 24, 32)),
             (DOP, FORMS[3]): (0.35, 4, (12, 16, 20, 24)), (DOP, FORMS[4]): (0.35, 4, (12, 16, 20, 24)), (DOP, P): (0.5, 4, (8, 12, 16)),
             (pl.RungeKutta4(), P): (0.1, 4, (64, 128, 256)), (ABM(5), P): (0.3, 4, (160, 240, 320)),
             (ABM(8), P): (0.45, 4, (160, 200, 240)),
             (ABM(8), FORMS[2]): (0.5, 8, (280, 320, 360)), (ABM(8), FORMS[6]): (0.4, 8, (200, 240, 280, 320))}
SLOW = {(DP, FORMS[3]), (DP, FORMS[4])}  # where they only come near their order before rounding rules: 5.2 to 5.4


@pytest.mark.parametrize(("method", "duration", "rows", "steps", "form"), [
    (m, *ELSEWHERE.get((m, f), more), f) for m, *more in FOUR_BAR for f in [*FORMS[:5], P, FORMS[6]] if (m, f) not in SLOW], ids=named)
def test_orders_of_a_spatial_loop(method, duration, rows, steps, form):
    orders, found = fitted(spatial.four_bar, method, duration, rows, steps, form)
    declared = np.array(method.orders(form))
    assert (abs(orders - declared) <= np.where(declared > 5, 0.3, 0.1)).all(), (orders, found)


@pytest.mark.parametrize("form", [FORMS[0], FORMS[3], FORMS[5], FORMS[6]], ids=named)
@pytest.mark.parametrize(("method", "duration", "rows", "steps"), BRICARD, ids=lambda x: named(x))
def test_orders_with_redundant_equations(method, duration, rows, steps, form):
    orders, found = fitted(spatial.bricard, method, duration, rows, steps, form)
    declared = np.array(method.orders(form))
    assert (abs(orders - declared) <= 0.1).all(), (orders, found)


ACCURACIES = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)


@pytest.mark.parametrize("method", [pl.DormandPrince54(), pl.DOP853(), ABM()], ids=named)
def test_errors_follow_the_accuracy_over_five_decades(method):
    """At rows that have nothing to do with the steps."""
    exact = reference(spatial.four_bar, 1.0, 37)
    found = [spatial.errors(spatial.four_bar().simulate(1.0, integrator=method, accuracy=a, output_step=1 / 37), exact)[:2].max()
             for a in ACCURACIES]
    assert (np.diff(found) < 0).all()
    assert 0.8 < np.polyfit(np.log(ACCURACIES), np.log(found), 1)[0] < 1.25, found
    assert (np.array(found) < 10 * np.array(ACCURACIES)).all()
