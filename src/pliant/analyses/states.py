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
from .turning import apart, steady_state, steady_state_near

if TYPE_CHECKING:
    from ..model import Model


def linearised(model: Model, state: Any, d: CompiledModel | None = None) -> Linearisation:
    """The equations linearised about a state.

    ``state``: None or "assembled", the start of a run; "static", the equilibrium near it; "steady", the steady rotation that it
    states; the result of `static`; or a run and a time, (sol, 2.0): the row of the run next to it, or the steady rotation next to that
    if it has almost settled. ``d``: the model compiled ``exact``, if it is at hand.
    """
    d = d or model.copy().compile(exact=True)
    row = _row(model, d, state)
    made = Linearisation(d, row)
    if isinstance(state, tuple) and not made.steady and made.tangent.speed:
        found = steady_state_near(d, row)
        if found is not None:
            far = apart(d, *(parts(r[None, :], d.system.q0.size, d.system.n)["q"][0] for r in (row, found)))
            about = f"about the steady rotation next to this state, which is {far:.2g} sizes of the model or rad off"
            near = Linearisation(d, found, about)
            return near if near.steady else made
    return made


def _row(model: Model, d: CompiledModel, state: Any) -> np.ndarray:
    if state is None or (isinstance(state, str) and state == "assembled"):
        return start_row(d)
    if isinstance(state, str) and state == "static":
        start_row(d)
        return settled(d, **static_options(model.analyses.get("static", {}))).row
    if isinstance(state, str) and state == "steady":
        return steady_state(d, start_row(d))
    if isinstance(state, str):
        raise ModelError(f"state {state!r} is not known{did_you_mean(state, STATES)}")
    if isinstance(state, Static):
        return _fitting(d, state.row, refined=False)
    if isinstance(state, tuple) and len(state) == 2 and hasattr(state[0], "rows"):
        sol, t = state
        if isinstance(t, bool) or not isinstance(t, (int, float, np.number)) or not sol.t[0] <= t <= sol.t[-1]:
            raise ModelError(f"state: the time {must(t, f'must be from {sol.t[0]:g} to {sol.t[-1]:g} s, as the run has it')}")
        return _fitting(d, sol.rows[int(np.argmin(abs(sol.t - t)))])
    words = f"must be one of {', '.join(STATES)}, the result of static(), or a run and a time: (sol, 2.0)"
    raise ModelError(f"state {must(state, words)}")


def _fitting(d: CompiledModel, row: np.ndarray, refined: bool = True) -> np.ndarray:
    s = d.system
    if row.size != row_width(s.q0.size, s.n, s.histories):
        raise ModelError("state: it belongs to another model: the number of bodies, joints or drives differs")
    row = row.copy()
    if refined:
        d.refine(row[None, :])
    d.x.q[:] = parts(row[None, :], s.q0.size, s.n)["q"][0]
    return row
