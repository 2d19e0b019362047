"""What a loop needs of a method, whatever it computes with: the kernel of its step, its memory, and what a jump makes it forget."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .step_run import StepRun


class Nothing(NamedTuple):
    """The memory of methods that need none."""
    none: int = 0


class Method:
    """One method in one run. ``step(p, w, c, o)`` is a kernel that goes from ``w.y0``, ``w.f0`` at ``c.t0`` to ``w.y1`` at
    ``c.t0 + c.h`` and gives its error in ``w.error``; asked for BETWEEN (``c.asked``), it gives the polynomial ``w.P`` of the step it
    has just made. It returns a status, may leave F(t1, y1) in ``w.f1`` and say so (``c.known = 1``), and may wish for the next step
    (``c.wish``). A step that is asked for again from the same ``c.t0`` was rejected. ``o`` is ``own``, a named tuple of arrays and
    records.
    """
    step: Any
    solver: Any = None             # a second kernel of the same signature, for steps that call one by its address
    starter: Any = None            # the step of another method, that begins for this one
    degree: int = 3                # of the polynomial
    stages: int = 0                # rows of w.K
    exponent: float = 2.0          # of the error per second in h
    coarsest: int = 50             # steps that a run has at least
    holds: bool = False            # constraints itself: states are not corrected, accelerations not asked for
    project: bool = True           # rows are made consistent; where it holds constraints itself

    def __init__(self, option: Any, run: StepRun) -> None:
        self.option, self.run = option, run
        self.own: Any = Nothing()

    def state(self) -> dict[str, np.ndarray]:
        """Arrays that the future depends on, by name."""
        return {}

    def records(self) -> dict[str, Any]:
        """Records that it depends on."""
        return {}

    def sound(self) -> bool:
        """Whether a memory that was read can be used: numbers that steps count with are within their arrays."""
        return True

    def begin(self, row: np.ndarray) -> None:
        """A smooth interval begins at a consistent state: nothing of the past is to be used."""

    def begun(self) -> None:
        """The same, once w.y0 and w.f0 are known."""

    def first_step(self) -> float:
        """The first step of an interval: from the sizes of F."""
        return self.run.suggested_step()

    def forget(self) -> None:
        """A checkpoint: what is kept for speed would not be there after an interruption."""

    def worst(self) -> np.ndarray:
        """Sizes of the error of the last step, per velocity of the state."""
        n_q, n_v, w = self.run.n_q, self.run.n_v, self.run.steps
        return np.asarray(abs(w.error * w.weight)[n_q:n_q + n_v])

    def back(self) -> None:
        """A step failed: what it has changed outside of its own memory is as before."""

    def restless(self) -> np.ndarray | None:
        """How much the last iteration still changed each velocity of the state, if that is known."""
        return None
