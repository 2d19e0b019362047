"""Every number of an item by its path: what sweeps, sensitivities and other programs can change."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .base import Item, is_direction
from .quantities import unit_of
from .shapes import MAKERS


class NumberAt(NamedTuple):
    """A number of a model: value in SI units, unit, and the expression of parameters that it is, if it is one."""
    value: float
    unit: str
    expression: str | None = None


def numbers_of(item: Item) -> Iterator[tuple[str, NumberAt]]:
    """(path, number) of an item: ``crank.mass``, ``crank.position.0``; of a body that a maker made, its numbers in place of the inertia."""
    made, units, recipe = getattr(item, "_made", None), item.units(), item._recipe or {}
    fields: dict[str, tuple[Any, str, Any]] = {}
    computed: set[str] = set()
    if made is not None:
        given: dict[str, Any] = next((recipe[k] for k in recipe if isinstance(recipe[k], dict) and k in MAKERS), {})
        computed = {*made.fields(1.0), "shape"} - {"mass"}
        fields = {name: (getattr(made.shape, name), unit_of(field), given.get(name))
                  for name, field in type(made.shape).model_fields.items() if not is_direction(field)}
    for name, field in type(item).model_fields.items():
        if name not in computed and name != "name" and not is_direction(field):
            fields[name] = getattr(item, name), units.get(name, ""), recipe.get(name)
    for name, (value, unit, written) in fields.items():
        for at, number, text in _numbers(value, written):
            yield ".".join([item.name, name, *at]), NumberAt(number, unit, text)


def _numbers(value: Any, written: Any) -> Iterator[tuple[tuple[str, ...], float, str | None]]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield (), float(value), written if isinstance(written, str) and written.lstrip().startswith("=") else None
    elif isinstance(value, (tuple, list)):
        for k, entry in enumerate(value):
            inner = written[k] if isinstance(written, (tuple, list)) and k < len(written) else None
            for at, number, text in _numbers(entry, inner):
                yield (str(k), *at), number, text

