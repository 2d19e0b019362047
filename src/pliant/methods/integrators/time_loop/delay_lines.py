"""Delays of a run in Python: limits of steps, what they give at the start, and what checkpoints keep of them."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....families.delays import AS_INPUT, BEFORE, DELAY, FIRST, INPUT, PLACE, RING, SIZE, TAU
from ....items.errors import ModelError
from ....kernels import evaluation
from ....kernels.expression_vm import LIVE
from ....kernels.state_row import parts
from .control import NEVER

if TYPE_CHECKING:
    from .step_run import StepRun

ECHOES = 512  # jumps that are on their way at a time


class DelayLines:
    """``rows``: first and last of their elements."""

    def __init__(self, run: StepRun) -> None:
        self.run, s = run, run.dynamics.system
        self.rows = np.array(s.families.get(DELAY, (0, 0)), np.int64)
        self.data = s.data
        self.echoes = np.zeros((ECHOES if self else 0, 2))
        self.program = s.program("sense", families=None if self else [])
        run.x.W[LIVE], run.c.echo = 1, NEVER

    def __bool__(self) -> bool:
        return bool(self.rows[1] > 0)

    def rings(self) -> list[tuple[int, int]]:
        """Of every delay: its element, and where its records are in W."""
        return [(e, int(self.data.ip[e, RING])) for e in range(*self.rows)]

    def state(self) -> dict[str, np.ndarray]:
        """What a continuation needs."""
        W = self.run.x.W
        return {f"delay_{e}": W[ring:ring + SIZE] for e, ring in self.rings()} | ({"echoes": self.echoes} if self else {})

    def limit(self) -> None:
        """No step is longer than a delay: what is delayed is then always known."""
        run = self.run
        shortest, owner = min(((float(self.data.rp[e, TAU]), run.dynamics.system.owners[e]) for e in range(*self.rows)),
                              default=(np.inf, ""))
        run.limits[:, 1] = np.minimum(run.limits[:, 1], shortest)
        run.c.most = run.limits[0, 1]
        if run.c.fixed and run.step > shortest:
            raise ModelError(f"simulate: step = {run.step:g} s is longer than the delay of {owner!r}, {shortest:g} s; take a shorter step")

    def fill(self, row: np.ndarray) -> None:
        """What delays give until the start has come back, in W and in the row: what is stated, or the input at the start."""
        x, s, other = self.run.x, self.run.dynamics.system, self.run.dynamics.x
        p = parts(row[None, :], s.q0.size, s.n)
        H = p["H"][0]
        for e, ring in self.rings():
            x.W[ring:ring + FIRST] = 0, 0, H[int(self.data.ip[e, PLACE])]
        other.q[:], other.v[:], other.H[:] = p["q"][0], p["v"][0], H
        evaluation.run(s.program("sense"), s.data, other, float(row[0]), 0.0, 0.0, 0.0)
        for e, ring in self.rings():
            if self.data.rp[e, AS_INPUT]:
                x.W[ring + BEFORE] = other.Y[int(self.data.ip[e, INPUT])]
            H[int(self.data.ip[e, PLACE])] = x.W[ring + BEFORE]
        self.run.dynamics.refine(row[None, :])
