"""Generalized-alpha, HHT and Newmark in a run: their memory."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....kernels.records import new_record
from ..time_loop.convergence import limits
from ..time_loop.method import Method
from ..time_loop.settling import Settling
from .alpha import in_absolute, in_joint
from .alpha_absolute import Soft
from .alpha_memory import MEMORY, Alpha
from .alpha_start import anew, changing, constant
from .joint import Tangents
from .method import BRIEF


class AlphaMethod(Method):
    """[alpha-1]. In absolute coordinates it holds the constraints itself."""
    degree, exponent, brief, anew, onset = 3, 2, BRIEF, anew, constant
    kept = ("b0", "b1", "rate", "clean", "clean0", "before", "older", "lam0", "lam1", "power0", "power1", "mass")

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        d, s, space = run.dynamics, run.dynamics.system, run.space
        self.holds, self.coarsest = space is None, 50 if space else 400
        n, n_v = (run.n_v, run.n_v) if space else (s.n, s.n_v)
        arrays = {name: np.zeros(n_v) for name in ("b0", "b1", "rate", "clean", "clean0", "before", "older", "jerk", "snap", "mass")}
        arrays |= {name: np.zeros(n) for name in ("lam0", "lam1", "dq", "y", "keep", "keep_v", "keep_lam")}
        record = new_record(MEMORY, **limits(option, run))
        if space:
            more = {"v": np.zeros(n), "a": np.zeros(n), "lam": np.zeros(n), "R": np.zeros(n), "weight": space.weights()[run.n_q:]}
            self.tangents = Tangents(run.p, space, n, run.n_q + n + 2)
            extra: Any = self.tangents.matrices
            self.step = in_joint[run.c.fixed]
        else:
            x = run.x
            more = {"v": x.v, "a": x.a, "lam": x.lam, "R": x.R, "weight": d.weights()}
            extra = Soft(s.softness, np.zeros_like(x.q), () if run.c.fixed else Settling.of(d, run.joint_gap))
            self.step = in_absolute[run.c.fixed]
            self.onset = constant if run.c.fixed else changing
        self.own = Alpha(record, **arrays, **more, power0=np.zeros(2), power1=np.zeros(2), space=extra)
        record.alpha_m, record.alpha_f, record.beta, record.gamma = option.parameters
        record.full, record.widest = option.newton == "full", run.joint_gap

    def forget(self) -> None:
        self.own.n.factored = 0
