"""Runs of implicit methods on the stabilised index-2 form, Radau IIA and BDF, and of all in joint coordinates."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...items.errors import ModelError
from ..formulations.choices import Recursion
from . import bdf, radau, tree_alpha
from . import control_memory as ad
from . import implicit as im
from . import one_step_loop as osl
from . import stepper as st
from .base import Plan
from .choices import BDF, RadauIIA5
from .fixed import ROUNDING
from .implicit_solver import solver
from .implicit_tables import radau_iia_5
from .one_step import OneStepRun
from .tree_solver import OwnTree
from .tree_solver import solver as tree_solver
from .tree_tangents import Tangents

SOME_TURNS = 10.0  # rounding in units of that of one position
ALPHA_TOLERANCE = 1e-3  # of increments in sizes of the model, over that of accelerations


class ImplicitRun(OneStepRun):
    """One integration in progress. ``own``: matrices, stages and the past."""

    method: Any

    def __init__(self, method: Any, plan: Plan) -> None:
        massless = plan.dynamics.massless()
        if massless and not isinstance(plan.formulation, Recursion):
            raise ModelError(f"simulate: integrator {method.kind} needs bodies with inertia about all axes, {', '.join(massless)} has none "
                             "about one; give it a small one, or take the integrator generalized-alpha")
        super().__init__(method, plan)
        self.count[st.MAX_ITERATIONS] = method.max_iterations  # what is said when they were too few

    def _kernel(self) -> tuple[Any, ...]:
        s, method = self.dynamics.system, self.method
        solve = solver
        self.own: Any
        if self.space:
            self.own, solve = OwnTree.of(self.space.n_u, self.space.n_q + self.space.n_u + 2), tree_solver
            self.tangents = Tangents(self.p, self.space, self.own)
        else:
            self.own = im.Own.of(self.x.D.shape[0], s.n, s.q0.size + s.n_v + 2, self.x.lam)
        self.own.num[im.MOST_ITERATIONS] = method.max_iterations
        far = abs(self.start[3 + s.data.linear[:, 1]]).max(initial=0.0) / self.dynamics.length
        self.own.par[im.TOLERANCE], self.own.par[im.ROUNDING] = method.tolerance, SOME_TURNS * ROUNDING * max(1.0, far)
        if isinstance(method, BDF):
            self.own.num[im.HIGHEST] = method.max_order
            return radau_iia_5(), 0, im.NODES, 5, (bdf.step, solve, radau.step), self.own
        if not isinstance(method, RadauIIA5):
            self.own.par[im.TOLERANCE] = ALPHA_TOLERANCE * method.tolerance
            return np.array(method.parameters), 0, 3, 2, (tree_alpha.step,), self.own
        return radau_iia_5(), 0, im.NODES, 5, (radau.step, solve), self.own

    def _state(self) -> dict[str, np.ndarray]:
        o = self.own
        more = {"stages": o.S[im.V:im.N], "ahead": o.S[im.P:im.CHART], "past": o.past, "multipliers": o.S[im.LAMBDA:],
                "num": o.num[:im.TRIES + 1], "method": o.par}
        return super()._state() | {f"own_{name}": array for name, array in more.items()}

    def _note(self) -> None:
        """What matrices are kept is forgotten where a continuation would begin."""
        steps = int(self.count[st.STEPS])
        if steps % self.interval == 0:
            self.own.num[[im.TILES, im.FACTORED]] = 0
        super()._note()

    def _begin(self, row: np.ndarray) -> None:
        self._forget()
        super()._begin(row)
        if self.code[osl.FIXED]:
            n_q, w = self.n_q, self.steps
            moving = (w.weight * abs(w.y0))[n_q:].max(initial=0.0), np.sqrt((w.weight * abs(w.f0))[n_q:].max(initial=0.0))
            self.aim[ad.SPEED] = max(float(self.aim[ad.SPEED]), *map(float, moving), 1e-3 / self.duration)

    def _first(self) -> float:
        return (bdf.BEGIN if isinstance(self.method, BDF) else 1.0) * super()._first()

    def _forget(self) -> None:
        """A jump: nothing of the past is to be used."""
        o = self.own
        o.num[[im.PAST, im.TILES, im.FACTORED, im.POINTS]], o.par[[im.LAST_T0, im.BDF_T0]] = 0, np.nan
        o.par[im.ETA], o.par[im.USUAL_H] = 1.0, 0.0
