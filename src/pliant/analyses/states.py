"""The state that modes and linearize are about."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..functions.units import must
from ..items.base import did_you_mean
from ..items.errors import ModelError
from ..kernels.state_row import parts, row_width
from ..start.assembly import start_row
from .entries import STATES, static_options
from .linearisation import Linearisation
from .statics import Static, settled

if TYPE_CHECKING:
    from ..model import Model



def linearised(model: Model, state: Any, d: CompiledModel | None = None) -> Linearisation:
    """The equations linearised about a state.

    ``state``: None or "assembled", the start of a run; "static", the equilibrium near it; the result of `static`; or a run and a
    time, (sol, 2.0): the row of the run next to it. ``d``: the model compiled ``exact``, if it is at hand.
    """
    d = d or model.copy().compile(exact=True)
    return Linearisation(d, _row(model, d, state))


def _row(model: Model, d: CompiledModel, state: Any) -> np.ndarray:
    if state is None or (isinstance(state, str) and state == "assembled"):
        return start_row(d)
    if isinstance(state, str) and state == "static":
        start_row(d)
        return settled(d, **static_options(model.analyses.get("static", {}))).row
    if isinstance(state, str):
        raise ModelError(f"state {state!r} is not known{did_you_mean(state, STATES)}")
    if isinstance(state, Static):
        return _fitting(d, state.row, refined=False)
    if isinstance(state, tuple) and len(state) == 2 and hasattr(state[0], "rows"):
        sol, t = state
        if isinstance(t, bool) or not isinstance(t, (int, float, np.number)) or not sol.t[0] <= t <= sol.t[-1]:
            raise ModelError(f"state: the time {must(t, f'must be from {sol.t[0]:g} to {sol.t[-1]:g} s, as the run has it')}")
        return _fitting(d, sol.rows[int(np.argmin(abs(sol.t - t)))])
    raise ModelError(f"state {must(state, 'must be one of assembled, static, the result of static(), or a run and a time: (sol, 2.0)')}")


def _fitting(d: CompiledModel, row: np.ndarray, refined: bool = True) -> np.ndarray:
    s = d.system
    if row.size != row_width(s.q0.size, s.n, s.histories):
        raise ModelError("state: it belongs to another model: the number of bodies, joints or drives differs")
    row = row.copy()
    if refined:
        d.refine(row[None, :])
    d.x.q[:] = parts(row[None, :], s.q0.size, s.n)["q"][0]
    return row
