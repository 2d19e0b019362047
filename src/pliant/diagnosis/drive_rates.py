"""Drives by Python functions, whose velocities are derivatives that nobody has written down."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..methods.run_options import difference_step
from ..report.finding import WARNING, Finding
from ..results.drive_rates import doubtful_rates
from .registry import RUN, check

if TYPE_CHECKING:
    from .examination import Examination


@check("drive-rates", "velocities of a drive that do not belong to its function", RUN)
def rates(e: Examination) -> Iterator[Finding]:
    """As the run would find them."""
    dynamics, settings = e.dynamics.for_run(), e.settings
    dynamics.time_step = settings.step or difference_step(settings.length)
    for found in doubtful_rates(dynamics, 0.0, settings.length, None if settings.step else settings.accuracy):
        yield Finding("drive-rates", WARNING, (found.drive,), f"{found.fact}.", found.remedy)
