"""Methods are chosen by small frozen objects, from Python as such and from text as ``{kind: generalized-alpha, rho: 0.9}``."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
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
            for path, rule in self.wrong_for_joints(f.name, value) if "each" in f.metadata else ():
                self.refuse(f.name, f"{'.'.join(map(str, path))}: {rule}" if path else f"{value!r}, {rule}")

    def within(self, name: str, low: float, high: float, why: str = "") -> None:
        """FieldError unless a parameter is a number, whole if its default is, from low to high."""
        value, whole = getattr(self, name), isinstance(getattr(type(self), name), int)
        if not isinstance(value, int if whole else (int, float)) or isinstance(value, bool):
            self.refuse(name, f"{value!r}, must be a {'whole ' * whole}number")
        if not low <= value <= high:
            self.refuse(name, f"{value:g}, must be from {low:g} to {high:g}{f' ({why})' if why else ''}")

    @classmethod
    def wrong_for_joints(cls, name: str, value: Any) -> Iterator[tuple[tuple[Any, ...], str]]:
        """(path, rule) of everything that is wrong with a mapping of joints to other values of the parameters that its field names as
        "each": numbers, or lists with one for each equation."""
        known = {f.name: f.metadata for f in fields(cls)}
        words = known[name]["each"]
        if not isinstance(value, Mapping):
            yield (), f"must be a mapping of joints to {', '.join(words)}"
            return
        for joint, given in value.items():
            if not isinstance(given, Mapping) or not given:
                yield (joint,), f"{given!r}, must be a mapping of {', '.join(words)} to numbers"
                continue
            for word, numbers in given.items():
                if word not in words:
                    yield (joint, word), f"unknown key {word!r}; there are {', '.join(words)}"
                    continue
                low, high, _ = known[word]["within"]
                for x in numbers if isinstance(numbers, (list, tuple)) and numbers else [numbers]:
                    if not isinstance(x, (int, float)) or isinstance(x, bool) or not low <= x <= high:
                        yield (joint, word), f"{x!r} must be a number from {low:g} to {high:g}"

    def refuse(self, name: str, rule: str) -> NoReturn:
        """The error of a parameter."""
        raise FieldError(name, rule, mark=" = ", before=f"{type(self).__name__}: ")

    def plain(self) -> dict[str, Any]:
        """As in a text: kind and parameters."""
        values = {f.name: v for f in fields(self) if (v := getattr(self, f.name)) != {}}
        return {"kind": self.kind, **{k: v.plain() if isinstance(v, MethodOption) else v for k, v in values.items()}}

    def __str__(self) -> str:
        values = {f.name: v for f in fields(self) if (v := getattr(self, f.name)) not in ("", {})}
        return f"{self.kind} ({', '.join(f'{k} {v}' for k, v in values.items())})" if values else self.kind

