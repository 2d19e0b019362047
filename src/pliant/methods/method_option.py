"""Methods are chosen by small frozen objects, from Python as such and from text as ``{kind: generalized-alpha, rho: 0.9}``."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ..functions.field_error import FieldError


@dataclass(frozen=True)
class MethodOption:
    """A method or a part of one, with its parameters."""
    kind: ClassVar[str] = ""

    def plain(self) -> dict[str, Any]:
        """As in a text: kind and parameters."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {"kind": self.kind, **{k: v.plain() if isinstance(v, MethodOption) else v for k, v in values.items()}}

    def __str__(self) -> str:
        values = {f.name: v for f in fields(self) if (v := getattr(self, f.name)) != ""}
        return f"{self.kind} ({', '.join(f'{k} {v}' for k, v in values.items())})" if values else self.kind


def within(choice: Any, name: str, low: float, high: float, kind: type = float, why: str = "") -> None:
    """FieldError unless a parameter is a number (``int``: a whole one) from low to high."""
    value, owner = getattr(choice, name), type(choice).__name__
    kinds = (int,) if kind is int else (int, float)
    if not isinstance(value, kinds) or isinstance(value, bool):
        rule = f"{value!r}, must be a {'whole ' if kind is int else ''}number"
        raise FieldError(name, rule, mark=" = ", before=f"{owner}: ")
    if not low <= value <= high:
        rule = f"{value:g}, must be from {low:g} to {high:g}{f' ({why})' if why else ''}"
        raise FieldError(name, rule, mark=" = ", before=f"{owner}: ")


def one_of(choice: Any, name: str, allowed: tuple[str, ...]) -> None:
    value = getattr(choice, name)
    if value not in allowed:
        rule = f"{value!r}, must be {' or '.join(map(repr, allowed))}"
        raise FieldError(name, rule, mark=" = ", before=f"{type(choice).__name__}: ")


