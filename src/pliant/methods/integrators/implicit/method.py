"""Radau IIA and BDF in a run: their memory, in both coordinates."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....items.errors import ModelError
from ....kernels.jit import jit
from ....kernels.status import DONE
from ..time_loop.convergence import ROUNDING
from ..time_loop.method import Method
from .joint import Tangents
from .solver import in_absolute, in_joint
from .stages import HELD, KEPT, LEAST, NODES, Tiles, new_stages

BRIEF = 1e-6       # of the run: `brief` of BDF and generalized-alpha; a million of such steps have the error that is allowed. Other methods
                   # need none, and would go on with them through all of a noisy run, or up to a pole
EXPONENT = 5       # of the error per second in h
SOME_TURNS = 10.0  # rounding in units of that of one position


@jit
def anew(p, w, c, o):
    """Without a past."""
    n = o.n
    n.past, n.tiles, n.factored, n.points = 0, 0, 0, 0
    n.last_t0, n.bdf_t0, n.eta, n.usual_h = np.nan, np.nan, 1.0, 0.0
    c.exponent = EXPONENT
    return DONE


class ImplicitMethod(Method):
    """``own``: matrices, stages and the past."""
    degree, exponent, anew = NODES, EXPONENT, anew

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        s, n_y = run.dynamics.system, run.n_q + run.n_v + 2
        massless = run.dynamics.massless()
        if run.space:
            columns, self.tangents = max(LEAST, run.n_v), Tangents(run.p, run.space, run.n_v, n_y)
            self.own, self.solver = new_stages(columns, n_y, np.zeros(columns), self.tangents.matrices), in_joint
        elif massless:
            other = "dop853" if s.rigid else "generalized-alpha"
            raise ModelError(f"simulate: integrator {option.kind} needs bodies with inertia about all axes, {', '.join(massless)} has none "
                             f"about one; give it a small one, or take the integrator {other}")
        else:
            tiles = run.x.D.shape[0]
            room = Tiles(np.zeros((4, tiles, 6, 6)), np.zeros((tiles, 6, 6), complex))
            self.own, self.solver = new_stages(s.n, n_y, run.x.lam, room), in_absolute
        far = abs(run.start[3 + s.data.linear[:, 1]]).max(initial=0.0) / run.dynamics.length
        n = self.own.n
        n.most_iterations, n.tolerance, n.rounding = option.max_iterations, option.tolerance, SOME_TURNS * ROUNDING * max(1.0, far)

    def state(self) -> dict[str, np.ndarray]:
        o = self.own  # V and L; v_ahead to energies; the past and its multipliers
        return {"stages": o.S[3:9], "ahead": o.S[32:42], "past": o.past, "multipliers": o.lams}

    def sound(self) -> bool:
        n = self.own.n
        return bool(0 <= n.points <= HELD and 0 <= n.mixed <= KEPT + 1 and min(n.order, n.last_order) >= 0 and 0 <= n.past <= 2
                    and max(n.order, n.last_order) <= max(1, n.highest))

    def forget(self) -> None:
        self.own.n.tiles = self.own.n.factored = 0
