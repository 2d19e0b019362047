"""Random mechanisms in space against equations of Newton and Euler written by hand. More of them: tests/support/hunt_mechanisms.py"""
import hunt_mechanisms
import numpy as np
import pytest
from random_mechanisms import make

import pliant as pl

KINDS = {"Revolute", "Prismatic", "Cylindrical", "Spherical", "Universal", "Planar", "Screw", "Fixed", "Free", "Joint", "bushing",
         "closed Spherical", "closed Distance", "closed PointOnLine", "closed PointOnPlane", "closed Planar", "gear", "rack",
         "drive expression", "drive python", "drive table", "spring", "force", "torsion_spring", "axial_spring", "torque"}
SEEDS = (11, 17, 21, 23, 39, 42, 73)


ROUNDED = (1009, 1026, 1073)  # where rounding across the constraints was an error of generalized-alpha that no step was short enough for


@pytest.mark.parametrize(("seed", "method"), [*((k, None) for k in SEEDS), *((k, pl.GeneralizedAlpha()) for k in ROUNDED)])
def test_as_newton_and_euler(seed, method):
    r = make(seed)
    sol = r.model.simulate(hunt_mechanisms.DURATION, accuracy=1e-6, progress=False, output_step=hunt_mechanisms.DURATION,
                           **({} if method is None else {"integrator": method}))
    y = hunt_mechanisms.state_of(r, sol, 0)
    assert max(hunt_mechanisms.consistent(r, y)) < 1e-9
    end = hunt_mechanisms.last_state(r, r.reference.solve(y, hunt_mechanisms.DURATION, 1e-9, r.breaks))
    found = hunt_mechanisms.last_state(r, hunt_mechanisms.state_of(r, sol, -1))
    for a, b, size in zip(found, end, (1.0, max(1.0, np.abs(end[1]).max())), strict=True):
        assert np.abs(a - b).max() < 1e-5 * size


def test_all_kinds_are_there():
    assert set().union(*(make(seed).kinds for seed in SEEDS)) >= KINDS
