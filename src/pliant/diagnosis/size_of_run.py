"""How much a run keeps in memory."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..items.errors import ModelError
from ..methods.output_rows import OUTPUTS, rows_of, usual_rows, wanted_rows, width_of
from ..report.finding import ERROR, NOTE, Finding
from ..results.memory import LARGE, available, fewer, size
from .registry import RUN, check

if TYPE_CHECKING:
    from .examination import Examination


@check("large-run", "the rows of a run take much memory", RUN)
def large(e: Examination) -> Iterator[Finding]:
    """Rows times numbers in a row: an error if they cannot fit into memory, which the run refuses; a note if they are many."""
    width, length, given = width_of(e.dynamics), e.settings.length, e.model.settings
    try:
        rows = rows_of(length, given.get("step"), wanted_rows(given, length), width)
    except ModelError:  # the run says what is wrong with its options
        return
    default = given.get("output_step") is None and given.get("output_times") is None
    need, room = 8.0 * rows * width, available()
    told = f"a run of {length:g} s keeps {rows} rows of {width} numbers, {size(need)} of memory"
    if room is not None and need > room:
        yield Finding("large-run", ERROR, (), f"{told}, and {size(room)} are available.", f"{fewer(length, width, room).capitalize()}.")
    elif need > LARGE or (default and usual_rows(width) < OUTPUTS[0]):
        less = f" The default of {OUTPUTS[0]} rows is less for large models." if default else ""
        yield Finding("large-run", NOTE, (), f"{told}.{less}", "output_step chooses how many rows are kept; time grows with them too.")
