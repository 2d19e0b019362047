"""Names inside items: which others an item refers to, and the same item with other names in it."""
from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, get_args

from ..functions.parameters import MARK, is_expression
from ..functions.rewriting import owner_of, rewritten
from .base import Between, Frame, Item, ends_of, joint_name, names_joint
from .declarations import JOINT_ACTIONS
from .function_fields import _variables, kinds_of
from .names import names_port, port_name

Channel = Callable[[str, str], str]  # (item, rest of the channel) as an expression


class Naming:
    """New names of items, and of what expressions call by plain names (``values``: parameters, tables, variables). ``seen`` collects
    the old names that were met. ``channel`` says what stands for a channel of an item; if left out, that of the new name."""

    def __init__(self, items: Mapping[str, str], values: Mapping[str, str], channel: Channel | None = None) -> None:
        self.items, self.values, self.channel = items, values, channel
        self.seen: set[str] = set()

    def item(self, name: str) -> str:
        if name in self.items:
            self.seen.add(name)
        return self.items.get(name, name)

    def frame(self, frame: Frame) -> Frame:
        """A text ``left.knee`` is a frame of ``left`` or the body ``left.knee``: whichever there is."""
        whole = f"{frame.body}.{frame.frame}"
        if frame.frame and frame.body not in self.items and whole in self.items:
            return Frame(body=self.item(whole), point=self.numbers(frame.point), rotation=frame.rotation, at=self.numbers(frame.at))
        new = {"body": self.item(frame.body), "point": self.numbers(frame.point), "at": self.numbers(frame.at)}
        return frame if all(getattr(frame, k) == v for k, v in new.items()) else frame.model_copy(update=new)

    def port(self, port: str) -> str:
        """``cylinder.a`` with the new name of the cylinder."""
        head = owner_of(port, self.items)
        return self.item(head) + port[len(head):] if head in self.items else port

    def expression(self, text: str, variables: tuple[str, ...] = ()) -> str:
        return rewritten(text, self._token, variables)

    def _token(self, name: str) -> str | None:
        if name in self.values:
            self.seen.add(name)
            return self.values[name]
        head = owner_of(name, self.items) if "." in name else ""
        if head not in self.items:
            return self.channel("", name) if self.channel and "." in name else None
        self.seen.add(head)
        return self.channel(head, name[len(head) + 1:]) if self.channel else self.items[head] + name[len(head):]

    def numbers(self, value: Any) -> Any:
        """Numbers, lists and mappings, with other names in what begins with ``=``."""
        if isinstance(value, str) and is_expression(value):
            return MARK + self.expression(value.lstrip()[len(MARK):])
        if isinstance(value, Mapping):
            return {k: self.numbers(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            made = [self.numbers(v) for v in value]
            return made if isinstance(value, list) else tuple(made)
        return value

    def function(self, value: Any, variables: tuple[str, ...]) -> Any:
        return self.expression(value, variables) if isinstance(value, str) and not is_expression(value) else self.numbers(value)

    def texts(self, value: Any) -> Any:
        """Lists and mappings whose texts are expressions."""
        if isinstance(value, str):
            return self.function(value, ("t",))
        if isinstance(value, Mapping) and set(value) & set(JOINT_ACTIONS):
            return {k: self.item(str(joint_name(v))) if k in JOINT_ACTIONS else self.numbers(v) for k, v in value.items()}
        if isinstance(value, Mapping):
            return {k: self.texts(v) for k, v in value.items()}
        return type(value)(map(self.texts, value)) if isinstance(value, (list, tuple)) else value

    def fields(self, kind: type[Item], given: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of an item, or its recipe: with frames as such, and ends as a and b."""
        given = ends_of(dict(given), "two") if issubclass(kind, Between) else given
        return {name: self._field(kind, name, value) for name, value in given.items()}

    def _field(self, kind: type[Item], name: str, value: Any) -> Any:
        field = kind.model_fields.get(name)
        if name == "name":
            return self.item(value)
        if isinstance(value, Frame) or (field is not None and field.annotation is Frame):
            return self.frame(Frame.model_validate(value))
        if names_joint(kind, name):
            return self.item(str(joint_name(value)))
        if names_port(kind, name):
            return self.port(str(port_name(value)))
        if name in kind.lists:
            return tuple(self.item(str(joint_name(other))) for other in value)
        if name in kind.expressions:
            return self.texts(value)
        if field is None:
            return self.numbers(value)
        if own := _variables(field.metadata):
            return self.function(value, own)
        parts = get_args(field.annotation)
        if isinstance(value, Mapping) and parts and hasattr(parts[-1], "model_fields"):
            return {key: self._part(parts[-1], inner) for key, inner in value.items()}
        kinds = kinds_of(field, len(value)) if isinstance(value, (list, tuple)) else ()
        if kinds and len(kinds) == len(value):
            each = [_variables(getattr(k, "__metadata__", ())) for k in kinds]
            return type(value)([self.function(v, own) if own else self.numbers(v) for v, own in zip(value, each, strict=True)])
        return self.numbers(value)

    def _part(self, kind: Any, given: Any) -> Any:
        """A part of an item with functions of its own."""
        fields = dict(given) if isinstance(given, Mapping) else {name: getattr(given, name) for name in kind.model_fields}
        made = {name: self.function(value, own) if name in kind.model_fields and (own := _variables(kind.model_fields[name].metadata))
                else self.numbers(value) for name, value in fields.items()}
        return made if isinstance(given, Mapping) else given.model_copy(update=made)

    def apply(self, item: Item) -> None:
        """The item itself, with other names in it."""
        fields = self.fields(type(item), {name: getattr(item, name) for name in type(item).model_fields})
        recipe = None if item._recipe is None else self.fields(type(item), item._recipe)
        item.__dict__.update({name: value for name, value in fields.items() if value is not getattr(item, name)})
        item._recipe = recipe


def references(item: Item, items: Iterable[str], values: Iterable[str]) -> set[str]:
    """Names of the others that an item refers to, its numbers included."""
    naming = Naming({n: n for n in items}, {n: n for n in values})
    given = {name: getattr(item, name) for name in type(item).model_fields if name != "name"}
    naming.fields(type(item), given)
    naming.fields(type(item), {name: value for name, value in (item._recipe or {}).items() if name != "name"})
    return naming.seen


def settle(items: Mapping[str, Item], names: Collection[str] = ()) -> None:
    """Frames given by texts such as ``left.knee``, where that is the name of a body: the body. ``names``: of the items, and of others
    that are not there yet."""
    names = names or items
    for item in items.values():
        for field in type(item).model_fields:
            frame = getattr(item, field)
            if isinstance(frame, Frame) and frame.frame and frame.body not in names and frame.body != "ground":
                whole = f"{frame.body}.{frame.frame}"
                if (body := owner_of(whole, names)) in names:
                    inner = whole[len(body) + 1:] or None
                    item.__dict__[field] = Frame(body=body, frame=inner, point=frame.point, rotation=frame.rotation, at=frame.at)
