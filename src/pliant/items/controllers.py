"""Controllers in Python, called at a fixed rate inside the compiled loop."""
from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from ..functions.units import must, quantity
from .base import Item, plain
from .blocks import Computes, Time
from .declarations import Controls


def _channels(value: Any) -> Any:
    if isinstance(value, str) or not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
        raise ValueError(must(value, "must be a list of channels, such as ['A.angle', 'A.angle_rate']"))
    return tuple(value)


def _outputs(value: Any) -> Any:
    good = isinstance(value, (list, tuple)) and value and all(isinstance(v, str) and v.isidentifier() for v in value)
    if not good or len(set(value)) < len(value):
        raise ValueError(must(value, "must be a list of different names with at least one, such as ['torque']"))
    return tuple(value)


def _start(value: Any) -> Any:
    if isinstance(value, str) or not isinstance(value, (list, tuple, np.ndarray)) or np.ndim(value) != 1:
        raise ValueError(must(value, "must be a list of numbers, the states at the start"))
    return tuple(quantity(plain(x), "") for x in value)


def _callable(value: Any) -> Any:
    if not callable(value):
        raise ValueError(must(value, "must be a Python function u, x = f(t, y, x); models with one are written in Python"))
    return value


def _not_written(value: Any) -> Any:
    raise ValueError(f"{value!r} is a Python function and cannot be written to a file; keep the model in a Python file")


_LIST = {"type": "array", "items": {"type": "string"}}
if TYPE_CHECKING:
    Inputs = tuple[str, ...]
    Names = tuple[str, ...]
    States = tuple[float, ...]
    Function = Callable[..., Any]
else:
    Inputs = Annotated[tuple[str, ...], BeforeValidator(_channels), WithJsonSchema(_LIST)]
    Names = Annotated[tuple[str, ...], BeforeValidator(_outputs), WithJsonSchema(_LIST)]
    States = Annotated[tuple[float, ...], BeforeValidator(_start), WithJsonSchema({"type": "array", "items": {"type": "number"}})]
    Function = Annotated[Any, BeforeValidator(_callable), PlainSerializer(_not_written), WithJsonSchema({"not": {}})]


class Controller(Computes):
    """A controller in Python: at t_0 + k ``period`` [s] it is called with the time, the values y of the channels ``inputs`` and its
    states x, and gives the values of ``outputs``, which are held until the next call, and the next states: u, x = function(t, y, x);
    without states u alone. ``state``: the states at the start. What the function remembers elsewhere is unknown to files and
    checkpoints: say ``pure=False`` then, and the run will not be resumed."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "controller"
    positional: ClassVar[tuple[str, ...]] = ("name", "function", "period", "inputs", "outputs", "state")
    expressions: ClassVar[tuple[str, ...]] = ("inputs",)
    function: Function
    period: Time
    inputs: Inputs
    outputs: Names
    state: States = ()
    pure: bool = True

    def controller(self) -> Controls:
        return Controls(self.period, self.inputs, tuple((name, "") for name in self.outputs), self.state)

    def call(self, t: float, y: np.ndarray, outputs: np.ndarray, states: np.ndarray) -> None:
        """Ask the function; what it gives is checked and written."""
        found = self.function(t, y, states.copy())
        if self.state:
            if not isinstance(found, tuple) or len(found) != 2:
                raise ValueError(f"controller {self.name!r} gave {found!r}, must give its outputs and its next states: return u, x")
            found, after = found
            self._write(after, states, "states")
        self._write(found, outputs, "outputs")

    def _write(self, value: Any, to: np.ndarray, what: str) -> None:
        count = to.size
        try:
            values = [value] if isinstance(value, (int, float)) else value.tolist() if isinstance(value, np.ndarray) else value
            finite = all(map(isfinite, values))
            if len(values) != count:
                raise ValueError
            for k, number in enumerate(values):  # few, and faster than an array
                to[k] = number
        except (TypeError, ValueError):
            raise ValueError(f"controller {self.name!r} gave {value!r} for its {what}, must be {count} number{'s' * (count > 1)}") from None
        if not finite:
            raise ValueError(f"controller {self.name!r} gave {to.tolist()} for its {what}, must be finite")

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", lambda t, y, x: (-2.0 * y, x), 0.01, ["J.angle"], ["u"], [0.0])]
