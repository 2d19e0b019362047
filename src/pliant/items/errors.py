"""What is raised: models and items that are wrong, texts with their lines, and runs that stopped. All say what to do."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError

    from ..start.assembly import Assembly


class ModelError(ValueError):
    """The model cannot run as it is; the message says which item, why, and what to do. Where it does not fit together,
    ``assembly`` holds the nearest pose: ``error.assembly.snapshot("pose.png")`` draws it."""
    assembly: Assembly | None = None


class ItemError(ValueError):
    """An item has a wrong value; the message names the item, the value, the rule and the remedy."""
    findings: ValidationError | None = None  # for those who tell them in their own words


class TextError(ModelError):
    """A text model is wrong. ``lines`` holds all problems, each as ``file:line: path: message``."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class SimulationError(RuntimeError):
    """The simulation stopped early. ``solution`` holds everything up to the last good step, ``code`` names the kind of failure
    and ``file`` is where the rows are on disk, if they are."""
    solution: Any = None
    file: Path | None = None

    def __init__(self, message: str, code: str = "failed") -> None:
        super().__init__(message)
        self.code = code
