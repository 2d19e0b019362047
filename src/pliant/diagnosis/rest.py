"""States that nothing brings to rest: an integral of something that stays."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..analyses.entries import TOLERANCE
from ..analyses.settling import Settling
from ..compile.signal_graph import SignalGraph
from ..items.errors import ModelError
from ..kernels import evaluation
from ..report.finding import ERROR, NOTE, Finding
from ..start.assembly import start_row
from .registry import RUN, check

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel
    from .examination import Examination

LARGEST = 600    # velocities of models whose rest is sought
SMALL = 1e-6     # of its nominal value, per second: a state rests
MOMENTS = 0.0, 0.137, 0.291, 0.433, 0.618, 0.787, 1.0  # parts of a run at which rates are looked at


@check("no-rest", "a state that nothing brings to rest", RUN)
def restless(e: Examination) -> Iterator[Finding]:
    """States that have no influence on themselves, by whatever way: where all others rest, their rates are what they are."""
    asked = e.model.settings.get("start") == "static"
    if not e.dynamics.system.states or not e.starts:
        return
    graph, states = SignalGraph(e.model), [state.name for state in e.dynamics.system.states]
    alone = sorted(set(states) - graph.fed_back())
    after = graph.drives(*alone)  # with the first of a chain all is said
    for name, rate in _rates(e, graph, alone, set(states), asked).items():
        if name in after:
            continue
        remedy = ("Feed it back, let its input come to zero, or start as assembled." if asked else
                  "Nothing, if it is a clock or a sum that shall grow; else feed it back, or let its input come to zero. An equilibrium "
                  "(static, start: static) does not exist with it.")
        told = f"state {name!r} has no rest: where all others rest it goes on changing at {rate:.4g} per s, and has no influence on that."
        yield Finding("no-rest", ERROR if asked else NOTE, (name.rpartition(".")[0],), told, remedy)


def _rates(e: Examination, graph: SignalGraph, alone: list[str], states: set[str], asked: bool) -> dict[str, float]:
    """Of the states that nothing brings to rest, where all others rest; what depends on others only if these have one."""
    if not alone:
        return {}
    others = graph.drives(*(f"part {k}" for k in range(len(graph.parts))), *states.difference(alone))
    on_its_own = [name for name in alone if name not in others]
    d = e.model.copy().compile(exact=True)
    try:
        start_row(d)
        if len(on_its_own) < len(alone) and d.system.n_v <= LARGEST:
            Settling(d, 0.0, TOLERANCE, held=alone).settle()
            on_its_own = alone
    except ModelError:  # what else has no rest is no matter of these states
        pass
    return _changing(d, on_its_own, [0.0] if asked else [part * e.settings.length for part in MOMENTS])


def _changing(d: CompiledModel, names: list[str], times: list[float]) -> dict[str, float]:
    """Rates at the first of these times, of the states that change all the time in one direction."""
    s, x, found = d.system, d.x, dict[str, list[float]]()
    places = {state.name: (state.iv, state.nominal) for state in s.states if state.name in names}
    x.v[[k for k in range(s.n_v) if k not in {state.iv for state in s.states}]] = 0
    x.a[:] = 0
    for t in times:
        evaluation.run(s.program("residual"), s.data, x, t, 0.0, 0.0, 0.0)
        for name, (iv, nominal) in places.items():
            found.setdefault(name, []).append(-nominal * float(x.R[iv]))
    return {name: rates[0] for name, rates in found.items()
            if min(abs(np.array(rates))) > SMALL * places[name][1] and len(set(np.sign(rates))) == 1}
