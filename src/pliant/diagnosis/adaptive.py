"""Bodies that choose their modes during a run, against the method of the run."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..methods.run_options import AUTOMATIC, adaptive_refused
from ..methods.selection import chosen, in_coordinates, in_joint_coordinates
from ..report.finding import ERROR, Finding
from .registry import RUN, check

if TYPE_CHECKING:
    from .examination import Examination


@check("adaptive-modes", "modes cannot be added and dropped with the method of the run", RUN)
def not_with_this_method(e: Examination) -> Iterator[Finding]:
    """What simulate would refuse."""
    bodies, settings = e.dynamics.directory.adaptive, e.model.settings
    named, fixed = (settings.get("integrator"), in_coordinates(settings)), settings.get("step") is not None
    if not bodies or named[0] == AUTOMATIC or (named[0] is None and not fixed and (named[1] is None or in_joint_coordinates(named[1]))):
        return
    try:
        method = chosen(*named, fixed)[0]
    except ValueError:
        return  # simulate says what is wrong with its options
    if why := adaptive_refused(bodies, method, fixed):
        sentence, _, remedy = why.partition("; ")
        yield Finding("adaptive-modes", ERROR, tuple(bodies), f"{sentence}.", f"{remedy[0].upper()}{remedy[1:]}.")
