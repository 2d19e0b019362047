"""The scenarios of `test_jumps` with explicit methods."""
import pytest
from test_jumps import *  # noqa: F403

import pliant as pl
from pliant import methods


@pytest.fixture(autouse=True, params=[pl.DOP853(), pl.DormandPrince54(), pl.AdamsBashforthMoulton()], ids=lambda x: x.kind)
def explicit(request, monkeypatch):
    usual = methods.chosen
    monkeypatch.setattr("pliant.simulation.chosen", lambda integrator, formulation, fixed: usual(integrator or request.param, formulation, fixed))
