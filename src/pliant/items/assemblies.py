"""A model put into a model: copies of all that it has, with names that begin with that of the sub-assembly."""
from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from ..functions.field_error import FieldError
from ..functions.parameters import Measured, evaluated, has_expressions, renewed
from ..functions.rewriting import clash
from ..functions.units import must
from .base import AXES, IDENTITY, FrameName, Item, Rotation, did_you_mean, vector
from .bodies import FrameOwner, Ground
from .drafts import made_of, recipe_of
from .errors import ItemError, ModelError
from .joints import Connection
from .modal import ModalBody
from .naming import Naming, settle
from .placing import Placement
from .style import Style

if TYPE_CHECKING:
    from ..model import Model

WORLD = ("position", "velocity")  # channels of places that expressions use


class SubAssembly:
    """What `Model.add` returns for a model: its items by the names that they have there, ``left["knee"]``."""

    def __init__(self, model: Model, name: str) -> None:
        self.model, self.name = model, name

    def __getitem__(self, name: str) -> Any:
        return self.model[f"{self.name}.{name}"]

    def __iter__(self) -> Iterator[Item]:
        return (item for name, item in self.model.items.items() if name.startswith(f"{self.name}."))

    def __repr__(self) -> str:
        return f"SubAssembly({self.name!r}: {len(list(self))} items)"


def add_model(model: Model, part: Model, name: Any, position: Any = (0.0, 0.0, 0.0), rotation: Any = IDENTITY, mirror: Any = "",
              parameters: Any = None) -> SubAssembly:
    """See `Model.add`. The model stays as it was if anything is wrong."""
    before = (dict(model.items), dict(model.parameters), dict(model.tables), dict(model.styles), model.ground)
    try:
        by = _placement(model, name, position, rotation, mirror)
        _check(model, part, by)
        if not isinstance(parameters or {}, Mapping):
            raise FieldError("parameters", must(parameters, "must be a mapping of names to numbers"))
        _Addition(model, part.copy(), by).add(parameters or {})
    except BaseException as error:
        model.items, model.parameters, model.tables, model.styles, model.ground = before
        if isinstance(error, FieldError):
            raise ItemError(f"sub-assembly {name!r}: {error}") from None
        raise
    return SubAssembly(model, name)


def _placement(model: Model, name: Any, position: Any, rotation: Any, mirror: Any) -> Placement:
    def valid(kind: Any, value: Any, field: str) -> Any:
        try:
            return TypeAdapter(kind).validate_python(value)
        except ValidationError as error:
            raise FieldError(field, error.errors()[0]["msg"].removeprefix("Value error, ")) from None
    valid(FrameName, name, "name")
    if mirror not in ("", None, "x", "y", "z"):
        raise FieldError("mirror", f"{mirror!r} must be x, y or z: the mirror is the plane across that axis")
    if has_expressions(rotation):
        raise FieldError("rotation", "must be of numbers; turned parts do not follow parameters")
    numbers = valid(vector("m"), model.resolved(position, "position"), "position")
    entries = tuple(x if has_expressions(x) else numbers[k] for k, x in enumerate(position))
    return Placement(name, entries, valid(Rotation, IDENTITY if rotation is None else rotation, "rotation"), mirror or "")


def _check(model: Model, part: Model, by: Placement) -> None:
    """What does not fit into the model as a whole; gravity is that of the model."""
    taken = model._all()
    if found := [n for n in taken if n == by.name or n.startswith(f"{by.name}.")]:
        raise FieldError("name", f"the name {by.name!r} is taken, by {found[0]!r}; choose another")
    if wrong := clash(by.name, [n for n in taken if "." not in n]):
        raise FieldError("name", wrong)
    if part.planar is not None:
        normal, own = by.matrix @ _normal(part.planar), model.planar
        if own is None or abs(abs(normal @ _normal(own)) - 1) > 1e-9:
            raise ModelError(f"sub-assembly {by.name!r}: model {part.name!r} is planar, but model {model.name!r} does not move in these "
                             f"planes; take planar out of {part.name!r}, or give it to {model.name!r}")
    if any(part.gravity) and part.gravity != model.gravity:
        warnings.warn(f"sub-assembly {by.name!r}: gravity is that of model {model.name!r}, {model.gravity} m/s^2, not {part.gravity}",
                      stacklevel=4)


def _normal(planar: Any) -> np.ndarray:
    return np.array(AXES[planar] if isinstance(planar, str) else planar)


def _mirrors(kind: type[Item]) -> bool:
    """Whether a kind says that it knows its mirror image; one from outside the package says so itself, since it may have further fields."""
    return kind.mirrors and ("mirrors" in vars(kind) or kind.__module__.startswith("pliant."))


class _Addition:
    def __init__(self, model: Model, part: Model, by: Placement) -> None:
        self.model, self.part, self.by = model, part, by
        settle(part.items)
        new = {n: f"{by.name}.{n}" for n in part._all()}
        self.naming = Naming({n: new[n] for n in part.items}, {n: new[n] for n in part._values()}, self.channel)
        self.flipped = {(j.name, c) for j in part if isinstance(j, Connection) and by.mirror for c in j.flipped()}

    def add(self, parameters: Mapping[str, Any]) -> None:
        model, part, name = self.model, self.part, self.by.name
        for given in parameters:
            if given not in part.parameters:
                raise FieldError("parameters", f"model {part.name!r} has no parameter {given!r}{did_you_mean(str(given), part.parameters)}")
        own = {f"{name}.{n}": self.naming.numbers(p.given) for n, p in part.parameters.items()}
        written = {**{n: p.given for n, p in model.parameters.items()}, **own}
        model.parameters = evaluated(renewed(written, {f"{name}.{n}": value for n, value in parameters.items()}))
        model.tables = {**model.tables, **{f"{name}.{n}": table for n, table in part.tables.items()}}
        self.ground()
        poses = self.poses()
        values = model.values
        for item in part:
            made = self.item(item, values, poses)
            model.items[made.name] = made
        for made in list(model.items.values()):
            if made.name.startswith(f"{name}."):
                model._check_names(made)
        for key, style in part.styles.items():
            model.styles[f"{name}.{key}"] = self.style(key, style)

    def channel(self, head: str, rest: str) -> str:
        """A channel in the axes of the sub-assembly, by those of the model."""
        by, name = self.by, f"{self.by.name}.{head}"
        if not head:
            if not rest.startswith("ground."):
                return rest
            head, rest, name = "ground", rest.removeprefix("ground."), "ground"
        *place, quantity, axis = ["", *rest.split(".")][-max(2, rest.count(".") + 1):]
        owner = self.part.ground if head == "ground" else self.part.items[head]
        if isinstance(owner, FrameOwner) and quantity in WORLD and axis in ("x", "y", "z"):
            inner = ".".join(p for p in place if p)
            if head == "ground":
                return by.seen(f"ground.{by.name}.{inner}" if inner else "ground", quantity, axis)
            return by.seen(f"{name}.{inner}" if inner else name, quantity, axis)
        coordinate = rest.removesuffix("_rate")
        return f"(-{name}.{rest})" if (head, coordinate) in self.flipped else f"{name}.{rest}"

    def poses(self) -> dict[str, Any]:
        """Of bodies without a stated place in a part that is turned: where its own joints put them."""
        if not self.by.turns:
            return {}
        try:
            return self.part._placed()[0]
        except ValueError:  # whoever compiles the whole says what is wrong
            return {}

    def ground(self) -> None:
        """Named frames of its ground, among those of the model's."""
        own = {f"{self.by.name}.{n}": self.by.ground_place(self.naming.numbers(p)) for n, p in self.part.ground.written().items()}
        if not own:
            return
        fields = {"frames": {**self.model.ground.written(), **own}}
        ground = made_of(Ground, {"name": "ground", **fields}, self.model.values)
        ground._recipe = ground._recipe if has_expressions(fields) else None
        self.model.ground = ground

    def item(self, item: Item, values: Mapping[str, Measured], poses: dict[str, Any]) -> Item:
        by, told = self.by, f"{item.kind} {item.name!r} of {self.part.name!r}"
        if by.mirror and not _mirrors(type(item)):
            raise ModelError(f"sub-assembly {by.name!r}: {told} has no mirror image; leave it out, or make that part by itself",
                             (item.name,))
        turned = [use for use in item.uses() if (use.joint, use.coordinate) in self.flipped]
        for joint, coordinate, _ in turned:
            if item.reversed({}, by) is None:
                raise ModelError(f"sub-assembly {by.name!r}: {told} acts on the {coordinate} of joint {joint!r}, which has the opposite "
                                 "sign in the mirror image; use a joint with that coordinate alone, or make that part by itself",
                                 (item.name, joint))
        plain = item._recipe is None and (getattr(item, "_made", None) is None or (bool(by.mirror) and self.of_file(item)))
        given = {f: getattr(item, f) for f in type(item).model_fields if f in item.model_fields_set or f == "name"}
        fields = self.naming.fields(type(item), given if plain else recipe_of(item))
        if item.section == "bodies" and "position" not in fields and "rod" not in fields:
            fields |= self.stated(item, poses)
        try:
            fields = item.placed((item.reversed(fields, by) or fields) if turned else fields, by)
        except FieldError as error:
            raise ModelError(f"sub-assembly {by.name!r}: {told}: {error}", (item.name,)) from None
        if isinstance(item, ModalBody) and item._recipe is None:
            return item.model_copy(update=fields)
        made = made_of(type(item), fields, values)
        if not has_expressions(fields):
            made._recipe = None
        return made

    def of_file(self, item: Any) -> bool:
        """A body made of a surface: its mirror image has no file."""
        return hasattr(item._made.shape, "triangles")

    def stated(self, item: Item, poses: dict[str, Any]) -> dict[str, Any]:
        """Place of a body that has none of its own; {} where its joints still find it."""
        if item.name in poses:
            position, rotation = poses[item.name]
            return {"position": tuple(map(float, position)), "rotation": tuple(map(float, rotation))}
        jointed = any(item.name in (j.a.body, j.b.body) for j in self.part.section("joints") if isinstance(j, Connection))
        return {} if jointed and not self.by.turns else {"position": (0.0, 0.0, 0.0)}

    def style(self, key: str, style: Style) -> Style:
        if not (self.by.mirror and style.mesh):
            return style
        warnings.warn(f"sub-assembly {self.by.name!r}: the mesh of the style of {key!r} has no mirror image and is left out", stacklevel=6)
        return style.model_copy(update={"mesh": None})
