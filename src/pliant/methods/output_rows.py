"""How many rows a run keeps."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..functions.units import quantity
from ..items.errors import ModelError
from ..kernels.state_row import row_width

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel

OUTPUTS = 1000, 500, 200, 100  # rows kept when the user does not say how many: the first that takes no more than
ROOM = 400_000_000             # bytes
MOST = 1e12                    # steps


def seconds(name: str, value: Any, hint: str = "") -> float:
    """An option that is a time above zero; ``hint``: what to do if it is missing."""
    if value is None:
        raise ModelError(f"simulate: {name} is missing; {hint}")
    try:
        x = quantity(value, "s")
    except ValueError as error:
        raise ModelError(f"simulate: {name}: {error}") from error
    if not x > 0:
        raise ModelError(f"simulate: {name} = {x:g} s, must be greater than zero")
    return x


def width_of(dynamics: CompiledModel) -> int:
    """Numbers in a row."""
    s = dynamics.system
    return row_width(s.q0.size, s.n, s.histories)


def usual_rows(width: int) -> int:
    """Rows of so many numbers that are kept when the user does not say how many, besides the first one."""
    return next((n for n in OUTPUTS if 8 * n * width <= ROOM), OUTPUTS[-1])


def strides(length: float, step: float, output_step: Any, usual: int) -> tuple[float, int, int]:
    """The step, the number of steps, and how many of them lie between two rows: rows fall on multiples of output_step, or are at most
    as many as is usual."""
    if not length / step < MOST:
        raise ModelError(f"simulate: step = {step:g} s makes more than {MOST:g} steps in {length:g} s; choose a larger one")
    if output_step is None:
        steps = max(1, math.ceil(length / step - 1e-9))
        return length / steps, steps, max(1, math.ceil(steps / usual))
    outputs = seconds("output_step", output_step)
    rows = max(1, round(length / outputs))
    if abs(rows * outputs - length) > 1e-6 * length:
        raise ModelError(f"simulate: output_step = {outputs:g} s does not divide the duration of {length:g} s")
    stride = max(1, math.ceil(outputs / step - 1e-9))
    near = abs(rows * outputs - length) <= 1e-14 * length  # then the step does not depend on the duration
    return (outputs / stride if near else length / (rows * stride)), rows * stride, stride


def outputs_of(length: float, output_step: Any, usual: int) -> int:
    """Rows of a run whose steps are chosen, besides the first one."""
    return usual if output_step is None else strides(length, length, output_step, usual)[1]


def rows_of(length: float, step: Any, output_step: Any, width: int) -> int:
    """Rows that a run keeps; ``step``: a fixed one, or None."""
    usual = usual_rows(width)
    if step is None:
        return 1 + outputs_of(length, output_step, usual)
    _, steps, stride = strides(length, seconds("step", step), output_step, usual)
    return 1 + steps // stride
