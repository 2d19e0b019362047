"""What a model has of names and numbers: parameters, tables, and every number of every item by its path."""
from __future__ import annotations

from typing import Any, Self

from ..functions.field_error import FieldError
from ..functions.named import names_of
from ..functions.parameters import Measured, Parameter, check_name, evaluated, has_expressions, renewed, resolved
from ..functions.parser import Names
from ..functions.rewriting import clash, owner_of
from .base import Item, did_you_mean
from .drafts import changed_recipe, made_of
from .errors import ItemError, ModelError
from .numbers import NumberAt, numbers_of
from .variables import Variable


class Parametric:
    """The part of a model that knows parameters and tables, and resolves expressions of them."""
    name: str
    gravity: Any
    ground: Any
    gravity_as_written: Any = None  # where it has expressions of parameters

    def __init__(self) -> None:
        self.parameters: dict[str, Parameter] = {}
        self.tables: dict[str, Any] = {}  # by the names that expressions call them by
        self.items: dict[str, Item] = {}

    def copy(self) -> Self:
        raise NotImplementedError

    @property
    def values(self) -> dict[str, Measured]:
        """Of the parameters, in SI units."""
        return {name: p.value for name, p in self.parameters.items()}

    def names(self) -> Names:
        """What plain names in expressions stand for."""
        return names_of(self.parameters, self.tables, {v.name: v.expression for v in self.items.values() if isinstance(v, Variable)})

    def _taken(self, name: str) -> str:
        """What has a name already; empty if nothing does."""
        if name in self.items:
            return f"a {self.items[name].kind}"
        return "a parameter" if name in self.parameters else "a table" if name in self.tables else ""

    def _check_named(self, name: Any) -> str:
        """A name for a parameter or a table."""
        name = check_name(name, lambda n: taken and f"taken by {taken}" if (taken := self._taken(n)) else "")
        if wrong := clash(name, (*self.items, *self.parameters, *self.tables)):
            raise ValueError(wrong)
        return name

    def parameter(self, name: str, value: Any) -> Measured:
        """A number with a name: 0.3, "0.3 m", or "=2*L" of other parameters. Where a number is due, ``"=2*L"`` stands for one; functions of
        time use the name as it is. Returns the value in SI units."""
        try:
            name = self._check_named(name)
            self.parameters = evaluated({**{n: p.given for n, p in self.parameters.items()}, name: value})
        except ValueError as error:
            told = error.rule if isinstance(error, FieldError) and error.field == name else error
            raise ItemError(f"parameter {name!r}: {told}") from None
        return self.parameters[name].value

    def table(self, name: str, table: Any) -> Any:
        """A Table or a Table2 that expressions call by this name: ``gas(mod(A.angle, 4*pi))``."""
        try:
            self._check_named(name)
        except ValueError as error:
            raise ItemError(f"table {name!r}: {error}") from None
        if not hasattr(table, "variables"):
            raise ItemError(f"table {name!r}: {table!r} must be a pl.Table (of one variable) or a pl.Table2 (of two)")
        self.tables[name] = table
        return table

    def resolved(self, value: Any, field: str = "") -> Any:
        """A value with numbers in place of expressions of parameters."""
        return resolved(value, self.values, (field,) if field else ()) if has_expressions(value) else value

    def _renew(self) -> None:
        """Items and gravity follow the parameters."""
        made = {name: made_of(type(item), item._recipe, self.values) for name, item in [("ground", self.ground), *self.items.items()]
                if item._recipe is not None}
        if self.gravity_as_written is not None:
            self.gravity = self.gravity_as_written
        for name, item in made.items():
            _become(self.ground if name == "ground" else self.items[name], item)

    def set(self, path: str, value: Any) -> None:
        """Another value of a parameter (``L``), of gravity, or of a field of an item (``crank.mass``, ``crank.end.0``)."""
        self._change({path: value})

    def with_(self, changes: dict[str, Any] | None = None, /, **parameters: Any) -> Self:
        """A copy with other values, of parameters by name or of anything by its path: ``m.with_(L=0.31)``,
        ``m.with_({"crank.mass": "2 kg"})``. It has the bits of a model that is written with these numbers."""
        other = self.copy()
        other._change({**(changes or {}), **parameters})
        return other

    def _change(self, changes: dict[str, Any]) -> None:
        given = {name: p.given for name, p in self.parameters.items()}
        own = {name: value for name, value in changes.items() if name in given}
        if own:
            before = self.parameters
            try:
                self.parameters = evaluated(renewed(given, own))
                self._renew()
            except ValueError as error:
                self.parameters = before
                raise ModelError(f"model {self.name!r}: {error}") from None
        for path, value in changes.items():
            if path not in own:
                self._assign(path, value)

    def _assign(self, path: str, value: Any) -> None:
        name = owner_of(path, {*self.items, "gravity"})
        rest = path[len(name) + 1:].split(".") if len(path) > len(name) else []
        if name == "gravity":
            entries = list(self.gravity_as_written or self.gravity)
            self.gravity = value if not rest else [value if str(k) == rest[0] else x for k, x in enumerate(entries)]
        elif not rest:
            known = [*self.parameters, "gravity", *(f"{item}.…" for item in self.items)]
            raise ModelError(f"model {self.name!r} has no parameter {name!r}{did_you_mean(name, known)}")
        else:
            if name not in self.items:
                raise ModelError(f"model {self.name!r} has no item {name!r}{did_you_mean(name, self.items)}")
            item, (field, *at) = self.items[name], rest
            if field not in type(item).model_fields and not hasattr(item, field):
                fields = [f for f in type(item).model_fields if f != "name"]
                raise ModelError(f"{name!r} has no field {field!r}{did_you_mean(field, fields)}")
            if at or has_expressions(value) or item._recipe is not None:
                try:
                    recipe = changed_recipe(item, field, value, tuple(at))
                except FieldError as error:
                    raise ModelError(f"{path!r}: {error.field} {error.rule}") from None
                made = made_of(type(item), recipe, self.values)
                if not has_expressions(recipe):
                    made._recipe = None
                _become(item, made)
            else:
                setattr(item, field, value)

    def numbers(self) -> dict[str, NumberAt]:
        """Every number of the model by its path, with its unit: parameters, gravity, and those of all items. `set` and `with_` take these
        paths."""
        found = {name: NumberAt(float(p.value), p.unit, p.given if isinstance(p.given, str) and p.given.startswith("=") else None)
                 for name, p in self.parameters.items()}
        found |= {f"gravity.{k}": NumberAt(x, "m/s^2") for k, x in enumerate(self.gravity)}
        return found | {path: number for item in self.items.values() for path, number in numbers_of(item)}


def _become(item: Item, other: Item) -> None:
    """All that another item of the same kind has: those who hold the item see it change."""
    object.__setattr__(item, "__dict__", other.__dict__)
    object.__setattr__(item, "__pydantic_private__", other.__pydantic_private__)
    object.__setattr__(item, "__pydantic_fields_set__", other.__pydantic_fields_set__)
