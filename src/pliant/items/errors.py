"""What is raised: models and items that are wrong, texts with their lines, and runs that stopped. All say what to do."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError

    from ..start.assembly import Assembly


class ModelError(ValueError):
    """The model cannot run as it is; the message says which item, why, and what to do. Where it does not fit together,
    ``assembly`` holds the nearest pose: ``error.assembly.snapshot("pose.png")`` draws it. ``items`` are
    the names of those it is about, the one to correct first."""
    assembly: Assembly | None = None

    def __init__(self, message: str, items: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.items = items


class OptionError(ModelError):
    """An option of an analysis is wrong. The message is ``before`` and ``rule``; ``option`` names the option, whatever the
    message says."""

    def __init__(self, option: str, rule: str, before: str) -> None:
        super().__init__(before + rule)
        self.option, self.rule = option, rule


class MissingItem(ValueError):
    """Something refers to an item that is not in the model; ``name`` is the one that is missing."""

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


class ItemError(ValueError):
    """An item has a wrong value; the message names the item, the value, the rule and the remedy."""
    findings: ValidationError | None = None  # for those who tell them in their own words


class TextError(ModelError):
    """A text model is wrong. ``lines`` holds all problems, each as ``file:line: path: message``."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class SimulationError(RuntimeError):
    """The simulation stopped early. ``solution`` holds everything up to the last good step, ``code`` names the kind of
    failure, ``reason`` says it in short, ``summary`` with the time, and ``file`` is where the rows are on disk, if they
    are. ``final``: no other method could go on either."""
    solution: Any = None
    final: bool = False
    file: Path | None = None

    def __init__(self, message: str, code: str = "failed", reason: str = "", summary: str = "") -> None:
        super().__init__(message)
        self.code, self.reason, self.summary = code, reason or message, summary or message

    @classmethod
    def stopped(cls, t: float, reason: str, remedy: str, code: str) -> SimulationError:
        """The usual form: when, why, and what to do."""
        summary = f"stopped at t = {t:.6g} s: {reason}"
        return cls(f"{summary}. {remedy}", code, reason, summary)


def missing_in(error: BaseException | None) -> tuple[str, ...]:
    """The item that an error is about since it is missing, also where another sentence was made of it; else none."""
    while error is not None:
        if isinstance(error, MissingItem):
            return (error.name,)
        error = error.__cause__ or error.__context__
    return ()


def raised_in(error: BaseException) -> str:
    """Which function of a model raised an error, and when; empty if it was none."""
    return str(getattr(error, "raised_in", ""))
