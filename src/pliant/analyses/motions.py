"""Motions that are wanted: functions of t given as Profiles, Tables, expressions or Python functions, with their derivatives."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..functions.channels import channels
from ..functions.derivative import derivative
from ..functions.evaluation import values
from ..functions.expression import Variable
from ..functions.parser import NO_NAMES, Names, parse
from ..functions.units import must
from ..items.errors import ModelError

GRID = 2048  # points between which a Python function is a spline


def motion(f: Any, t: np.ndarray, orders: Sequence[int], where: str, names: Names = NO_NAMES) -> list[np.ndarray]:
    """Derivatives of a function at times t; ``where``: what it is of, for messages; ``names`` of parameters and tables in texts."""
    if isinstance(f, (int, float, np.number)) and not isinstance(f, bool):
        return [np.full(t.shape, 0.0 if order else float(f)) for order in orders]
    if isinstance(f, str):
        found = _of_expression(f, t, orders, where, names)
    elif hasattr(f, "evaluate"):
        found = [np.asarray(f.evaluate(t, order)) for order in orders]
    elif callable(f):
        from scipy.interpolate import make_interp_spline
        grid = np.linspace(t.min(), t.max(), GRID + 1)
        spline = make_interp_spline(grid, [float(f(float(x))) for x in grid], k=5)
        found = [np.asarray(spline(t, order)) for order in orders]
    else:
        raise ModelError(f"{where} {must(f, 'must be a Profile, a Table, an expression or a function of t')}")
    for value in found:
        if not np.isfinite(value).all():
            raise ModelError(f"{where} is not finite at t = {t[int(np.argmin(np.isfinite(value)))]:g} s")
    return found


def _of_expression(text: str, t: np.ndarray, orders: Sequence[int], where: str, names: Names) -> list[np.ndarray]:
    try:
        node = parse(text, ("t",), names)
    except ValueError as error:
        raise ModelError(f"{where}: {error}") from None
    if used := channels(node):
        raise ModelError(f"{where} uses the channel {used[0]}; it must be a function of t alone")
    nodes = [node]
    for _ in range(max(orders)):
        nodes.append(derivative(nodes[-1], Variable("t")))
    return [np.array(values(nodes[order], t, lambda name: t)) for order in orders]
