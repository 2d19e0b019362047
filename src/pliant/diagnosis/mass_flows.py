"""Mass that flows away until none is left."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..functions.evaluation import values
from ..items.mass_flow import MassFlow
from ..report.finding import ERROR, NOTE, Finding
from .registry import RUN, check

if TYPE_CHECKING:
    from .examination import Examination

MOMENTS = 5001  # of a run


@check("mass-flow", "a mass that comes to zero during the run", RUN)
def used_up(e: Examination) -> Iterator[Finding]:
    """The run would stop there."""
    for item in (i for i in e.model if i.active and isinstance(i, MassFlow)):
        times = np.linspace(0.0, e.settings.length, MOMENTS)
        mass = values(item.tree(item.mass, "mass", e.model.names()), times, lambda reference: np.zeros(1))
        gone = np.flatnonzero(~(mass > 0))
        if gone.size:
            given, body = e.settings.duration is not None, item.body.body
            yield Finding("mass-flow", ERROR if given else NOTE, (item.name, body), f"mass_flow {item.name!r}: the mass of body {body!r} "
                          f"is {mass[gone[0]]:.3g} kg at t = {times[gone[0]]:.4g} s{'' if given else ' (no duration is given)'}; a body "
                          "keeps some.",
                          "End the run before, or let the mass stay where the tank is empty: max(…, m_empty), or step(t, …).")
