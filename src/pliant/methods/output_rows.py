"""Which rows a run keeps."""
from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..functions.units import must, quantity
from ..items.errors import ModelError
from ..kernels.state_row import row_width

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel

OUTPUTS = 1000, 500, 200, 100  # rows kept when the user does not say how many: the first that takes no more than
ROOM = 400_000_000             # bytes
MOST = 1e12                    # steps
NEAR = 1e-6                    # of the duration, or of a distance: an output_step that divides the duration but for this divides it
MOST_PARTS, EXACT, ROUNDING = 100_000, 1e-12, 1e-9  # steps on whose ends uneven rows may fall, and how exactly, of the duration
BOTH = "give output_step (a distance of rows) or output_times (a list of them), not both"


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


class Wanted(NamedTuple):
    """Which rows a run keeps besides the first one: at multiples of ``step`` [s] and at the end, or at ``times`` [s]; otherwise as many as
    is usual. ``events``: also on both sides of what makes velocities jump."""
    step: float | None = None
    times: np.ndarray | None = None
    events: bool = False


def wanted_rows(settings: dict[str, Any], length: float) -> Wanted:
    """From the options of a run."""
    step, times, events = (settings.get(name) for name in ("output_step", "output_times", "output_events"))
    if not isinstance(events, (bool, type(None))):
        raise ModelError(f"simulate: output_events = {events!r}, must be True or False")
    if step is not None and times is not None:
        raise ModelError(f"simulate: {BOTH}")
    if times is not None:
        try:
            return Wanted(times=listed_times(times, length), events=bool(events))
        except ValueError as error:
            raise ModelError(f"simulate: output_times: {error}") from error
    return Wanted(None if step is None else seconds("output_step", step), events=bool(events))


def listed_times(values: Any, length: float | None) -> np.ndarray:
    """Times of rows [s], increasing and within a run of this length; that of the start, which is always kept, may be among them."""
    if isinstance(values, np.ndarray) and values.ndim == 1:
        values = values.tolist()
    if not isinstance(values, (list, tuple)) or not values:
        raise ValueError(must(values, "must be a list of times, such as [0, 0.1, 0.5]"))
    times = np.array([quantity(value, "s") for value in values])
    later = np.diff(times) > 0
    if not later.all():
        k = int(np.argmin(later))
        raise ValueError(f"{times[k + 1]:g} s comes after {times[k]:g} s, times must increase")
    if times[0] < 0 or times[-1] <= 0 or (length is not None and times[-1] > length * (1 + ROUNDING)):
        wrong = times[-1] if times[0] >= 0 else times[0]
        raise ValueError(f"{wrong:g} s must be within the run{'' if length is None else f' of {length:g} s'}, after its start")
    return times[times > 0] if length is None else np.minimum(times[times > 0], length)


def distance_of(length: float, wanted: Wanted, usual: int) -> float:
    """Distance of rows that are not listed: one that divides the duration but for rounding is made to divide it."""
    rows = usual if wanted.step is None else max(1, round(length / wanted.step))
    return length / rows if wanted.step is None or abs(rows * wanted.step - length) <= NEAR * length else wanted.step


def parts_of(length: float, wanted: Wanted) -> int | None:
    """The smallest number of equal steps whose ends have all rows among them; None if there is none below MOST_PARTS."""
    steps = [wanted.step] if wanted.times is None else wanted.times
    parts = [Fraction(float(x) / length).limit_denominator(MOST_PARTS) for x in steps if x is not None]
    if any(abs(float(part) - x / length) > EXACT for part, x in zip(parts, steps, strict=True)):
        return None
    found = math.lcm(*(part.denominator for part in parts))
    return found if found <= MOST_PARTS else None


def strides(length: float, step: float, wanted: Wanted, usual: int) -> tuple[float, int, int]:
    """The step, the number of steps, and how many of them lie between two rows that are not listed. Rows are at ends of steps, so the
    step is shortened until they are: at most to the half where rows are uneven, which would be another run than was asked for."""
    if not length / step < MOST:
        raise ModelError(f"simulate: step = {step:g} s makes more than {MOST:g} steps in {length:g} s; choose a larger one")
    if wanted.step is None and wanted.times is None:
        steps = max(1, math.ceil(length / step - 1e-9))
        return length / steps, steps, max(1, math.ceil(steps / usual))
    if wanted.step is not None:
        rows = max(1, round(length / wanted.step))
        if abs(rows * wanted.step - length) <= NEAR * length:
            stride = max(1, math.ceil(wanted.step / step - 1e-9))
            near = abs(rows * wanted.step - length) <= 1e-14 * length  # then the step does not depend on the duration
            return (wanted.step / stride if near else length / (rows * stride)), rows * stride, stride
    parts, most = parts_of(length, wanted), min(step, wanted.step or step)
    if parts is None or length / parts < 0.5 * most * (1 - ROUNDING):
        raise ModelError(f"simulate: {_off_steps(length, step, wanted, parts)}")
    steps = parts * math.ceil(length / parts / most * (1 - ROUNDING))
    return length / steps, steps, 1 if wanted.step is None else round(wanted.step / (length / steps))


def _off_steps(length: float, step: float, wanted: Wanted, parts: int | None) -> str:
    """Why rows are not at the ends of fixed steps, and what to do."""
    option = "output_times" if wanted.step is None else f"output_step = {wanted.step:g} s"
    begin = f"{option}: with a fixed step rows are at ends of steps, and "
    even = length / max(1, round(length / (wanted.step or length)))
    other = "" if wanted.step is None else f"an output_step that divides the duration, such as {even:.9g} s, "
    if parts is None:
        return (f"{begin}no step divides them and the duration of {length:g} s; give {other}rounder times, or an accuracy and an "
                "integrator that chooses its steps")
    return (f"{begin}a step that divides them and the duration of {length:g} s is at most {length / parts:.6g} s, much shorter than "
            f"step = {step:g} s; give {other}step = {length / parts:.6g} s, or an accuracy and an integrator that chooses its steps")


def outputs_of(length: float, wanted: Wanted, usual: int) -> int:
    """Rows of a run whose steps are chosen, besides the first one."""
    return len(wanted.times) if wanted.times is not None else count(length, distance_of(length, wanted, usual))


def count(length: float, distance: float) -> int:
    """Rows at multiples of a distance and at the end."""
    return max(1, math.ceil(length / distance - NEAR))


def rows_of(length: float, step: Any, wanted: Wanted, width: int) -> int:
    """Rows that a run keeps; ``step``: a fixed one, or None."""
    usual = usual_rows(width)
    if step is None or wanted.times is not None:
        return 1 + outputs_of(length, wanted, usual)
    _, steps, stride = strides(length, seconds("step", step), wanted, usual)
    return 1 + -(-steps // stride)
