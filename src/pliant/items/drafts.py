"""Items whose numbers are expressions of parameters (``mass="=m0/3"``): drafts until they are added to a model, which knows the parameters.
The fields as they were written stay with the item as its recipe, for texts and for other values of the parameters."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..functions.field_error import FieldError
from ..functions.parameters import Measured, has_expressions, resolved
from .base import Frame, Item, Place
from .errors import ItemError
from .shapes import MAKERS, maker_of

Recipe = dict[str, Any]


class Draft:
    """An item that is not made yet. It can be added to a model, and its frames can be named."""

    def __init__(self, kind: type[Item], fields: Recipe) -> None:
        self.kind, self.fields = kind, fields

    @property
    def name(self) -> str:
        return str(self.fields.get("name", ""))

    def as_frame(self) -> Frame:
        return Frame(body=self.name)

    def __getitem__(self, frame: str) -> Frame:
        return Frame(body=self.name, frame=frame)

    def __getattr__(self, field: str) -> Any:
        raise AttributeError(f"{self!r} is made of parameters and is complete only in a model; write item = m.add(...), then item.{field}")

    def __repr__(self) -> str:
        return f"{self.kind.kind or self.kind.__name__} {self.name!r}"

    def made(self, values: Mapping[str, Measured]) -> Item:
        """The item with these values of the parameters."""
        return made_of(self.kind, self.fields, values)


def made_of(kind: type[Item], recipe: Recipe, values: Mapping[str, Measured]) -> Item:
    """An item from its recipe. ItemError says which field is wrong."""
    name = recipe.get("name", "")
    try:
        fields = resolved(recipe, values)
        item = kind(**fields)
    except FieldError as error:
        raise ItemError(f"{kind.kind or kind.__name__} {name!r}: {error}") from None
    for field, value in fields.items():
        if isinstance(value, Measured) and any(value.dimension) and field in kind.model_fields and not item.units().get(field):
            raise ItemError(f"{kind.kind} {name!r}: {field}: {value.told()} must be a plain number, without a unit")
    item._recipe = recipe
    return item


def recipe_of(item: Item) -> Recipe:
    """The fields that make an item: as they were written, or as they are."""
    if item._recipe is not None:
        return dict(item._recipe)
    given = {field: getattr(item, field) for field in type(item).model_fields if field in item.model_fields_set or field == "name"}
    made = getattr(item, "_made", None)
    if made is None:
        return given
    computed = {*made.fields(item.mass), "frames"}  # type: ignore[attr-defined]
    weight = {"mass": item.mass} if made.density is None else {"density": made.density}  # type: ignore[attr-defined]
    own = {name: place for name, place in item.frames.items() if name not in made.fields(1.0).get("frames", {})}  # type: ignore[attr-defined]
    shape = {field: getattr(made.shape, field) for field in type(made.shape).model_fields if field in made.shape.model_fields_set}
    rest = {field: value for field, value in given.items() if field not in computed}
    return {**rest, maker_of(made.shape): shape, **weight, **({"frames": own} if own else {})}


def changed_recipe(item: Item, field: str, value: Any, at: tuple[Any, ...] = ()) -> Recipe:
    """The recipe of an item with another value of a field, or of an entry of it; fields of a maker stand there."""
    recipe = recipe_of(item)
    maker = next((k for k in MAKERS if k in recipe), None)
    shape = getattr(getattr(item, "_made", None), "shape", None)
    if maker and field != maker and shape is not None and field in type(shape).model_fields:
        inner = recipe[maker] or {}
        return {**recipe, maker: _replaced({field: getattr(shape, field), **inner}, (field, *at), value)}
    if field == "mass":
        recipe.pop("density", None)
    return dict(_replaced({field: getattr(item, field, None), **recipe}, (field, *at), value))


def _replaced(whole: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    key, *rest = path
    if isinstance(whole, Mapping):
        return {**whole, key: _replaced(whole.get(key), tuple(rest), value)}
    if isinstance(whole, (list, tuple)) and str(key).isdigit() and int(key) < len(whole):
        entries = list(whole)
        entries[int(key)] = _replaced(entries[int(key)], tuple(rest), value)
        return type(whole)(entries) if type(whole) in (list, tuple) else entries
    raise FieldError(str(key), "is not there")


def plain_recipe(item: Item, data: dict[str, Any]) -> dict[str, Any]:
    """``data``, an item as written in a text, with the expressions of its recipe; what a maker gives is written as its maker."""
    recipe = item._recipe or _of_maker(item)
    if recipe is None:
        return data
    made = any(k in recipe for k in MAKERS)
    out = {k: v for k, v in data.items() if k in ("kind", *recipe)} if made else dict(data)
    for field, value in recipe.items():
        if has_expressions(value) or (made and field != "name"):
            if field in ("a", "b") and "between" in out:
                out["between"] = [_plain(value) if k == "ab".index(field) else end for k, end in enumerate(out["between"])]
            else:
                out[field] = _plain(value)
    return out


def _of_maker(item: Item) -> Recipe | None:
    """The recipe of a body that a maker made, if that makes it as it is; not of one that needs a file."""
    made = getattr(item, "_made", None)
    if made is None or maker_of(made.shape) == "mesh":
        return None
    recipe = recipe_of(item)
    return recipe if type(item)(**recipe) == item else None


def _plain(value: Any) -> Any:
    if isinstance(value, Frame):
        return value.plain()
    if isinstance(value, Place):
        return _plain(value.model_dump(exclude_defaults=True))
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value
