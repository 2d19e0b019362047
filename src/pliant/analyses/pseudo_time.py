"""From anywhere towards rest: the model goes there by itself, in steps of time that grow (pseudo-transient continuation, Kelley and Keyes
1998). It passes regions where Newton's method sees nothing that changes, as where a controller is at its limit. docs/theory/drives.md"""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..items.errors import ModelError
from .tangent import largest_motion

if TYPE_CHECKING:
    from .resting import Resting

FIRST, LAST = 1e-4, 1e7  # s: steps in time
SHORTEST = 1e-10         # s
LONGEST = 1.5            # rad or sizes of the model, of an iteration: turns of joints are counted below pi
MOST, IN_ALL = 12, 1500  # iterations: of a step, of all
PART = 0.1               # of an iteration that is still tried; else the step is shortened
EASY = 5                 # iterations of a step, after which the next one is longer
STILL = 1e-3             # of sizes: nothing moves any more in a step of the last length
NEAR = 1e-2              # of a step: what its last iteration may add


class PseudoTime:
    """Implicit Euler steps from the position and states in the memory of a search; velocities begin at zero in every one, which takes the
    energy out:

        f(q, dq/h, dq/h^2, z) = 0,   dz/h = g(q, dq/h, z)                                                    [rest-3]

    Of the last step: its ``motion``, the largest of all ``moves``, and ``changes`` of states, both in their sizes."""

    def __init__(self, resting: Resting) -> None:
        self.resting, self.d = resting, resting.d
        self.motion, self.moves, self.changes = np.zeros(self.d.system.n_v), 0.0, np.zeros(len(resting.places))

    def go(self) -> bool:
        """Whether a rest was reached."""
        r, h = self.resting, FIRST
        end = r.iterations + IN_ALL
        while SHORTEST < h < LAST and r.iterations < end:
            before, count = r.search._state(), r.iterations
            r.period, r.way, r.begin = h, np.zeros(self.d.system.n_v), before[2][r.places]
            try:
                r.newton(MOST, LONGEST, PART, NEAR)
            except ModelError:
                r.search._go(before)
                h /= 4
                continue
            self.motion, self.moves = r.way, largest_motion(self.d, r.way)
            self.changes = r.changes((self.d.x.v[r.places] - r.begin) / r.nominal)
            h *= 4.0 if r.iterations - count <= EASY else 1.0
        r.period = np.inf
        return h >= LAST and max(self.moves, float(self.changes.max(initial=0.0))) < STILL
