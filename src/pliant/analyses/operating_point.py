"""Where a model was linearised: the channels that its states are, and the values there."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..channel_values.observer import Observer
from . import ports
from .linear_system import OperatingPoint

if TYPE_CHECKING:
    from .transfer import Linear

SAME = 1e-6  # a channel is a state if they change alike


def channel_of(state: str) -> str:
    """The channel that a state of a linear model may be."""
    for place, rate in ((".position.", ".velocity."), (".rotation.", ".angular_velocity.")):
        if place in state and state.endswith("_rate"):
            return state.replace(place, rate).removesuffix("_rate")
    return state


def operating_point(lin: Linear) -> OperatingPoint:
    """A channel counts as a state if its own linearisation is that state and nothing else."""
    from .transfer import Linear
    d, row = lin.linearisation.d, lin.linearisation.row
    observer = Observer(d, row[None, :], np.zeros((1, 3)))
    known = {state: channel for state in lin.states if _is_channel(observer, channel := channel_of(state))}
    outputs = {channel: observer.split(channel) for channel in known.values()}
    C = Linear(lin.linearisation, lin.inputs, outputs).C
    channels, x = [], np.zeros(len(lin.states))
    for k, state in enumerate(lin.states):
        channel = known.get(state, "")
        same = channel and abs(C[list(outputs).index(channel)] - np.eye(len(lin.states))[k]).max() < SAME
        channels.append(channel if same else "")
        x[k] = _value(observer, outputs[channel]) if same else 0.0
    y = ports.chosen_outputs(d, lin.outputs)
    u = np.array([_input(lin, observer, name) for name in lin.inputs])
    return OperatingPoint(tuple(channels), x, u, np.array([_value(observer, y[name]) for name in lin.outputs]))


def _is_channel(observer: Observer, name: str) -> bool:
    try:
        channel, component = observer.split(name)
    except KeyError:
        return False
    return component is not None or observer.catalogue[channel][1] == 1


def _value(observer: Observer, output: ports.Output) -> float:
    channel, component = output
    values = observer(channel)
    return float(values[0] if component is None else values[0, component])


def _input(lin: Linear, observer: Observer, name: str) -> float:
    """What an input is at the state: efforts on joint coordinates are added to those of the model, from zero on."""
    item, _, component = name.rpartition(".")
    if name in lin.linearisation.d.directory.inputs:
        return _value(observer, (name, None))
    for quantity in ("force", "torque"):
        if f"{item}.{quantity}" in observer.catalogue and component in "xyz":
            return _value(observer, observer.split(f"{item}.{quantity}.{component}"))
    return 0.0
