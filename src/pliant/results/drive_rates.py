"""Whether velocities and accelerations of drives by Python functions are as accurate as the run: nobody has written them down."""
from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..kernels.expression_vm import sample

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel

SAMPLES, FEWER = 16, 4  # times at which rates are looked at; of functions that take their time
SLOW = 1e-4             # s for one value
LEVELS, FINER = 6, 4.0  # lengths of time over which they are looked at, each so many times shorter,
STEEPEST = 2000.0       # and how much smaller the error of a smooth function can be then, 4^4 with a margin: steps vanish at once
ACCELERATIONS = 100.0   # times the accuracy, which is one of positions and velocities
OFFSET = 0.6180339887   # of samples, in their distances
ROUNDING = 1e-15        # of values and rates that are compared
FIXED = 1e-5            # accuracy of runs with a fixed step
WHAT = "velocities", "accelerations"


class Doubt(NamedTuple):
    """Of a drive: its name, what is not accurate, and by what part of the largest it is off, where so much is allowed."""
    drive: str
    what: str
    error: float
    allowed: float

    @property
    def fact(self) -> str:
        return (f"the {self.what} of drive {self.drive!r}, derivatives of its Python function, are uncertain by {self.error:.1g} of the "
                f"largest, where {self.allowed:g} is allowed: the function may have noise, steps or kinks")

    @property
    def remedy(self) -> str:
        return "Give an expression or a Table, whose derivatives are exact, or a smooth function of NumPy, which takes complex numbers."


def doubtful_rates(dynamics: CompiledModel, start: float, end: float, accuracy: float | None) -> list[Doubt]:
    """Drives whose rates do not belong to their function. Over any short time a function changes by the integral of its rate, here
    by Simpson's rule:

        f(t + h) - f(t - h) = h/3 (f'(t - h) + 4 f'(t) + f'(t + h)) + O(h^5)                                  [diff-3]

    At a length h that resolves what a smooth function does, all samples agree; where there are steps or noise, some never do.
    """
    found, asked = list[Doubt](), FIXED if accuracy is None else accuracy
    for name, codes in dynamics.directory.rates.items():
        allowed = asked, ACCELERATIONS * asked
        with dynamics.system.failures.ignored():
            errors = _errors(dynamics, codes, start, end, allowed)
        found += [Doubt(name, *off) for off in zip(WHAT, errors, allowed, strict=True) if off[1] > off[2]][:1]
    return found


def rates_in_doubt(dynamics: CompiledModel, start: float, end: float, accuracy: float | None) -> str:
    """In words; empty if there are none."""
    return "; ".join(f"{found.fact}; give an expression or a Table" for found in doubtful_rates(dynamics, start, end, accuracy))


def _errors(dynamics: CompiledModel, codes: tuple[int, int, int], start: float, end: float, allowed: tuple[float, float]) -> list[float]:
    """Of the first and of the second derivative, in the largest of each."""
    x, d = dynamics.memory(), dynamics.system.data

    def at(order: int, times: np.ndarray) -> np.ndarray:
        values = np.zeros(times.shape)
        if codes[order] >= 0:
            sample(codes[order], times.ravel(), d.tab, d.val, x.Y, x.W, values.reshape(-1))
        return values

    def cost() -> float:
        clock = perf_counter()
        at(0, np.full(1, (start + end) / 2))
        return perf_counter() - clock
    span = end - start
    n, widest = FEWER if min(cost() for _ in range(4)) > SLOW else SAMPLES, min(2 * dynamics.time_step, span / 8)
    middle = start + widest + (span - 2 * widest) * (np.arange(n) + OFFSET) / n
    least, before, steps = [np.inf, np.inf], [0.0, 0.0], [0.0, 0.0]
    for level in range(LEVELS):
        times = middle[:, None] + widest / FINER**level * np.array([-1.0, 0.0, 1.0])
        h = (times[:, 2] - times[:, 0]) / 2  # as they are rounded
        values = [at(order, times) for order in range(3)]
        if not np.isfinite(values).all():  # the run says so
            return [0.0, 0.0]
        for k in range(2):
            f, rate = values[k], values[k + 1]
            off = abs(f[:, 2] - f[:, 0] - h / 3 * (rate @ np.array([1.0, 4.0, 1.0]))) / (2 * h)
            off = np.maximum(off - ROUNDING * (abs(f).max() + abs(times * rate).max()) / h, 0.0)
            size = max(float((abs(f[:, 2] - f[:, 0]) / (2 * h)).max()), float(np.ptp(values[0])) / span**(k + 1))
            error = float(off.max()) / max(size, 1e-300)
            steps[k] = max(steps[k], before[k] / STEEPEST if error < before[k] / STEEPEST else 0.0)
            least[k], before[k] = min(least[k], max(error, steps[k])), error
        if all(error <= most for error, most in zip(least, allowed, strict=True)):
            break
    return least
