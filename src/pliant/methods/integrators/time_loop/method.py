"""What a loop needs of a method, whatever it computes with: the kernel of its step, its memory, and what a jump makes it forget."""
from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np

from ....families.curves import ON_CURVE
from ....families.mass_flow import FLOW
from ....items.errors import ModelError

if TYPE_CHECKING:
    from .step_run import StepRun

Nothing = namedtuple("Nothing", "none")  # the memory of methods that need none


class Method:
    """One method in one run. ``step(p, w, c, o)`` is a kernel that goes from ``w.y0``, ``w.f0`` at ``c.t0`` to ``w.y1`` at
    ``c.t0 + c.h`` and gives its error in ``w.error``; asked for BETWEEN (``c.asked``), it gives the polynomial ``w.P`` of the step it
    has just made. It returns a status, may leave F(t1, y1) in ``w.f1`` and say so (``c.known = 1``), and may wish for the next step
    (``c.wish``). A step that is asked for again from the same ``c.t0`` was rejected. ``o`` is ``own``, a named tuple of arrays and
    records; a record ``n`` in it and the arrays that ``kept`` names are part of checkpoints.
    """
    step: Any
    solver: Any = None             # a second kernel of the same signature, for steps that call one by its address
    starter: Any = None            # the step of another method, that begins for this one
    anew: Any = None               # a kernel of the same signature: a smooth interval begins, nothing of the past is to be used
    again: Any = None              # in place of it behind an instant, where steps go on as before: what may be kept is kept
    onset: Any = None              # the same, once w.y0, w.f0 and the first step are known, which it may change
    caution: float = 1.0           # part of the step that sizes of F suggest, to begin an interval with
    degree: int = 3                # of the polynomial
    stages: int = 0                # rows of w.K
    exponent: float = 2.0          # of the error per second in h
    brief: float = 0.0             # of the run: shorter steps may have the error of one so long
    coarsest: int = 50             # steps that a run has at least
    holds: bool = False            # constraints itself: states are not corrected, accelerations not asked for
    project: bool = True           # rows are made consistent; where it holds constraints itself
    swing: float = 1.0             # rad: most that a quaternion of the state may turn in a step that is chosen
    kept: tuple[str, ...] = ()     # arrays of own that the future depends on
    rigid: str = ""                # why it knows rigid bodies only, if that is so
    stateless: str = ""            # why it knows no states of blocks and drives

    def __init__(self, option: Any, run: StepRun) -> None:
        self.option, self.run = option, run
        self.own: Any = Nothing(0)
        flexible = run.dynamics.directory.flexible
        if self.rigid and flexible:
            raise ModelError(f"simulate: integrator {option.kind}: body {next(iter(flexible))!r} is flexible; {self.rigid}. "
                             "Take generalized-alpha, Radau or an explicit method")
        s = run.dynamics.system
        if self.rigid and (s.spans or FLOW in s.families):
            which = s.owners[s.families[FLOW if FLOW in s.families else ON_CURVE][0]]
            what = "changes the mass of its body" if FLOW in s.families else "is on a curve, and its place there has no inertia"
            raise ModelError(f"simulate: integrator {option.kind}: {which!r} {what}; {self.rigid}. "
                             "Take generalized-alpha, Radau or an explicit method")

        if self.rigid:
            s.refuse_borne(f"simulate: integrator {option.kind}", "take generalized-alpha, Radau or an explicit method")
        if self.stateless and run.dynamics.system.states:
            raise ModelError(f"simulate: integrator {option.kind}: {run.dynamics.system.states[0].name!r} is a state; {self.stateless}. "
                             "Take generalized-alpha, Radau or an explicit method")

    def state(self) -> dict[str, np.ndarray]:
        """Arrays that the future depends on, by name."""
        return {name: getattr(self.own, name) for name in self.kept}

    def records(self) -> dict[str, Any]:
        """Records that it depends on."""
        n = getattr(self.own, "n", None)
        return {"numbers": n} if isinstance(n, np.record) else {}

    def sound(self) -> bool:
        """Whether a memory that was read can be used: numbers that steps count with are within their arrays."""
        return True

    def begun(self) -> None:
        """``onset`` in Python, at the start of a run with fixed steps."""

    def forget(self) -> None:
        """A checkpoint: what is kept for speed would not be there after an interruption."""

    def worst(self) -> np.ndarray:
        """Sizes of the error of the last step, per velocity of the state."""
        n_q, n_v, w = self.run.n_q, self.run.n_v, self.run.steps
        return np.asarray(abs(w.error * w.weight)[n_q:n_q + n_v] / w.speed)

    def back(self) -> None:
        """A step failed: what it has changed outside of its own memory is as before. Multipliers, if it remembers them."""
        if self.holds and "lam0" in self.kept:
            self.run.x.lam[:] = self.own.lam0

    def restless(self) -> np.ndarray | None:
        """How much the last iteration still changed each velocity of the state, if that is known: a method that holds
        constraints itself has its increments in x.R."""
        n_v = self.run.n_v
        return np.asarray(abs(self.run.x.R * self.run.dynamics.weights())[:n_v]) if self.holds else None

    def masses(self) -> np.ndarray:
        """6x6 per body, where bodies are now."""
        d, s = self.run.dynamics, self.run.dynamics.system
        d.x.q[:] = self.run.x.q
        d._matrix()
        found = np.array([d.tiles[s.block[k, k]] for k in range(s.n_v // 6)]).reshape(-1, 6, 6)
        found[s.n_motion // 6:] = 0  # of states
        return found
