"""Methods that know rigid bodies only."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....items.errors import ModelError

if TYPE_CHECKING:
    from ....compile.compiled_model import CompiledModel


def refuse_modal(option: Any, dynamics: CompiledModel, why: str) -> None:
    """ModelError if a body is flexible."""
    flexible = dynamics.directory.flexible
    if flexible:
        raise ModelError(f"simulate: integrator {option.kind}: body {next(iter(flexible))!r} is flexible; {why}. Take generalized-alpha, "
                         "Radau or an explicit method")
