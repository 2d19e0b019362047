"""Beams whose elements are too few for how they are curved as modelled."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..items.beams import Beam
from ..report.finding import WARNING, Finding
from .registry import ITEMS, check

if TYPE_CHECKING:
    from ..model import Model

MOST = np.pi / 2  # of rotation in an element as modelled: beyond, its nodes tell little of the axis between them


@check("wound-beam", "an element of a beam that turns by more than a right angle as modelled", ITEMS)
def wound(model: Model) -> Iterator[Finding]:
    """The element that turns most."""
    for beam in (b for b in model.section("bodies") if isinstance(b, Beam)):
        turns = beam.axis.turns
        k = int(np.argmax(turns))
        if turns[k] > MOST:
            needed = int(np.ceil(turns.sum() / (MOST / 2)))
            yield Finding("wound-beam", WARNING, (beam.name,), f"beam {beam.name!r}: element {k} turns by {np.degrees(turns[k]):.0f} "
                          "degrees as modelled, so that its nodes tell little of what is between them.", f"Take elements={needed} or more.")
