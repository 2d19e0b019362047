"""Methods are chosen by small frozen objects, from Python as such and from text as ``{kind: generalized-alpha, rho: 0.9}``."""
from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NoReturn

from ..functions.field_error import FieldError


def bounded(default: float, low: float, high: float, why: str = "") -> Any:
    """A parameter: a number, whole if the default is, from low to high; ``why`` says so to who gives another one."""
    return field(default=default, metadata={"within": (low, high, why)})


def one_of(default: str, *others: str) -> Any:
    """A parameter: one of these texts."""
    return field(default=default, metadata={"allowed": (default, *others)})


@dataclass(frozen=True)
class MethodOption:
    """A method or a part of one, with its parameters. FieldError if one of these is not as it is declared."""
    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for f in fields(self):
            if "within" in f.metadata:
                self.within(f.name, *f.metadata["within"])
            if (value := getattr(self, f.name)) not in f.metadata.get("allowed", (value,)):
                self.refuse(f.name, f"{value!r}, must be {' or '.join(map(repr, f.metadata['allowed']))}")

    def within(self, name: str, low: float, high: float, why: str = "") -> None:
        """FieldError unless a parameter is a number, whole if its default is, from low to high."""
        value, whole = getattr(self, name), isinstance(getattr(type(self), name), int)
        if not isinstance(value, int if whole else (int, float)) or isinstance(value, bool):
            self.refuse(name, f"{value!r}, must be a {'whole ' * whole}number")
        if not low <= value <= high:
            self.refuse(name, f"{value:g}, must be from {low:g} to {high:g}{f' ({why})' if why else ''}")

    def refuse(self, name: str, rule: str) -> NoReturn:
        """The error of a parameter."""
        raise FieldError(name, rule, mark=" = ", before=f"{type(self).__name__}: ")

    def plain(self) -> dict[str, Any]:
        """As in a text: kind and parameters."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {"kind": self.kind, **{k: v.plain() if isinstance(v, MethodOption) else v for k, v in values.items()}}

    def __str__(self) -> str:
        values = {f.name: v for f in fields(self) if (v := getattr(self, f.name)) != ""}
        return f"{self.kind} ({', '.join(f'{k} {v}' for k, v in values.items())})" if values else self.kind

