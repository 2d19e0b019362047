"""What a model has is removed and renamed, with all that refers to it."""
from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import TypeAdapter

from ..functions.parameters import check_name, evaluated
from ..functions.rewriting import clash
from .base import Name, did_you_mean
from .errors import ItemError, ModelError
from .naming import Naming, references, settle
from .parametric import Parametric
from .variables import Variable


class Editable(Parametric):
    """The part of a model that removes and renames."""
    styles: dict[str, Any]
    settings: dict[str, Any]
    analyses: dict[str, dict[str, Any]]

    def remove(self, name: str, dependents: bool = False) -> None:
        """Remove an item, a parameter, a table, or a sub-assembly with all that it has; its style goes with it. Refused while others refer
        to it; ``dependents=True`` removes these as well."""
        gone = dict.fromkeys(self._having(name))
        users = self._users(gone)
        if users and not dependents:
            told = ", ".join(self._told(user) for user in users)
            raise ModelError(f"model {self.name!r}: {name!r} is used by {told}; change them, or remove them too: "
                             f"m.remove({name!r}, dependents=True)", items=tuple(users))
        for fixed in ("gravity", "ground"):
            if fixed in users:
                raise ModelError(f"model {self.name!r}: {name!r} is used by {self._told(fixed)}, which cannot be removed; "
                                 "give it numbers first")
        gone |= dict.fromkeys(users)
        self.parameters = {n: p for n, p in self.parameters.items() if n not in gone}
        for n in gone:
            self.items.pop(n, None)
            self.tables.pop(n, None)
        self.styles = {n: style for n, style in self.styles.items() if not _begins(n, gone)}
        self._tell_settings(gone, "was removed")

    def __delitem__(self, name: str) -> None:
        self.remove(name)

    def rename(self, name: str, new: str) -> None:
        """Another name for an item, a parameter, a table, or for a sub-assembly; all that refers to it follows. Patterns of channels in
        the options of runs and analyses stay as they are, with a warning if they name it."""
        old = self._having(name)
        renamed = {n: new + n[len(name):] for n in old} if isinstance(new, str) else dict.fromkeys(old, new)
        if name == new:
            return
        self._check_new(renamed)
        naming = Naming({n: renamed.get(n, n) for n in self.items}, {n: renamed.get(n, n) for n in self._values()})
        parameters = evaluated({renamed.get(n, n): naming.numbers(p.given) for n, p in self.parameters.items()})
        settle(self.items)
        for item in (self.ground, *self.items.values()):
            naming.apply(item)
        self.parameters = parameters
        self.gravity_as_written = naming.numbers(self.gravity_as_written)
        self.items = {renamed.get(n, n): item for n, item in self.items.items()}
        self.tables = {renamed.get(n, n): table for n, table in self.tables.items()}
        self.styles = {_renamed(n, renamed): style for n, style in self.styles.items()}
        self._tell_settings(old, f"is {new!r} now")

    def _check_new(self, renamed: dict[str, str]) -> None:
        others = [n for n in self._all() if n not in renamed]
        for name, new in renamed.items():
            try:
                if name in self.items:
                    TypeAdapter(Name).validate_python(new)
                if name not in self.items or isinstance(self.items[name], Variable):
                    check_name(new, lambda n: "")
            except ValueError as error:
                told = error.errors()[0]["msg"].removeprefix("Value error, ") if hasattr(error, "errors") else error
                raise ItemError(f"rename {name!r}: {told}") from None
            if new in others:
                raise ItemError(f"rename {name!r}: the name {new!r} is taken by {self._taken(new)}; names are unique")
            if wrong := clash(new, others):
                raise ItemError(f"rename {name!r}: {wrong}")

    def _all(self) -> list[str]:
        return [*self.items, *self.parameters, *self.tables]

    def _values(self) -> list[str]:
        """What expressions call by their names alone."""
        return [*self.parameters, *self.tables, *(n for n, item in self.items.items() if isinstance(item, Variable))]

    def _having(self, name: Any) -> list[str]:
        """The name itself, or all names in the sub-assembly that is called so."""
        if name == "ground":
            raise ModelError(f"model {self.name!r}: the ground belongs to every model; it can neither be removed nor renamed")
        known = self._all()
        found = [n for n in known if n == name or n.startswith(f"{name}.")]
        if not found:
            raise KeyError(f"model {self.name!r} has neither an item nor a parameter {name!r}{did_you_mean(str(name), known)}")
        return found

    def references(self) -> Iterator[tuple[str, set[str]]]:
        """(name, names of others that it refers to) of all items, parameters, gravity and the ground."""
        settle(self.items)
        items, values = list(self.items), self._values()
        for item in self.items.values():
            yield item.name, references(item, items, values)
        for name, given in (*((n, p.given) for n, p in self.parameters.items()), ("gravity", self.gravity_as_written),
                            ("ground", self.ground._recipe)):
            naming = Naming({}, {n: n for n in values})
            naming.numbers(given)
            yield name, naming.seen

    def refuse_inactive(self) -> None:
        """ModelError if items that are active refer to some that are not."""
        if all(item.active for item in self.items.values()):
            return
        off = {name for name, item in self.items.items() if not item.active}
        needed: dict[str, list[str]] = {}
        for name, to in self.references():
            for other in to & off if name in self.items and name not in off else ():
                needed.setdefault(other, []).append(name)
        for name in (n for n in self.items if n in needed):
            raise ModelError(needs_inactive(self._told(name), name, [self._told(user) for user in needed[name]]), (*needed[name], name))

    def _users(self, names: Iterable[str]) -> list[str]:
        """All that refers to these, directly or by others."""
        refer, gone, found = dict(self.references()), set(names), list[str]()
        while more := [n for n, to in refer.items() if n not in gone and to & gone]:
            found += more
            gone |= set(more)
        return found

    def _told(self, name: str) -> str:
        if name in ("gravity", "ground"):
            return name if name == "gravity" else "the ground"
        return f"{self.items[name].kind if name in self.items else 'parameter'} {name!r}"

    def _tell_settings(self, names: Iterable[str], what: str) -> None:
        """Options that name something which is no longer there are told, not changed."""
        for entry, options in {"simulate": self.settings, **self.analyses}.items():
            for option, value in options.items():
                for text in _texts(value):
                    if name := _begins(text, dict.fromkeys(names)):
                        warnings.warn(f"{name!r} {what}, but the option {option!r} of {entry} names it: {text!r}", stacklevel=3)


def needs_inactive(told: str, name: str, users: list[str]) -> str:
    """The sentence for what refers to an item that is switched off."""
    return (f"{told} is not active, but {', '.join(users)} {'needs' if len(users) == 1 else 'need'} it; "
            f"switch {'that' if len(users) == 1 else 'these'} off as well (active=False), or {name!r} on")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _texts(entry)
    elif hasattr(value, "joints"):  # a formulation
        yield from _texts(value.joints)


def _begins(text: str, names: dict[str, Any]) -> str:
    """The one of the names that a text is, or a place in."""
    return next((n for n in names if text == n or text.startswith(f"{n}.")), "")


def _renamed(text: str, renamed: dict[str, str]) -> str:
    name = _begins(text, renamed)
    return renamed[name] + text[len(name):] if name else text


