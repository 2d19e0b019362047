"""The step of generalized-alpha, made for one kind of coordinates."""
from __future__ import annotations

from typing import Any

from ....kernels.jit import variant
from . import alpha, alpha_error


def made_for(name: str, **kernels: Any) -> Any:
    """`alpha.step` with the kernels of the coordinates."""
    def made(of: Any, **more: Any) -> Any:
        return variant(of, name, **{k: v for k, v in (kernels | more).items() if k in of.__code__.co_names})
    parts = {"newton": made(alpha.newton), "controlled": made(alpha_error.controlled), "prepare": made(alpha_error.prepare)}
    return made(alpha.step, **parts)
