"""Groups of bodies, and the model as a whole: centre of mass, momentum, angular momentum."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, WithJsonSchema

from ..functions.units import must, shown
from .base import Item, did_you_mean
from .declarations import Channel
from .errors import MissingItem

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler


def _body_names(value: Any) -> tuple[str, ...]:
    """Names of bodies, each once; a body may be given as an object."""
    given = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    names = [body.name if isinstance(body, Item) else body for body in given]
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(must(value, "must be a list of bodies, such as [seat, driver]"))
    for k, name in enumerate(names):
        if name == "ground":
            raise ValueError("'ground' has no mass and no momentum; leave it out")
        if name in names[:k]:
            raise ValueError(f"{shown(name)} stands there twice; name every body once")
    return tuple(names)


BodyNames = Annotated[tuple[str, ...], BeforeValidator(_body_names), WithJsonSchema(
    {"type": "array", "items": {"type": "string", "description": "name of a body"}, "minItems": 1, "uniqueItems": True})]


def _channel(name: str, unit: str, quantity: str, size: int = 3) -> Channel:
    return Channel(name, unit, size, lambda observer, group: observer.together(group, quantity))


MODEL = "model"  # whose channels are those of all bodies together; its kinetic energy is energy.kinetic
TOGETHER = (_channel("com.position", "m", "com"), _channel("com.velocity", "m/s", "velocity"),
            _channel("momentum", "kg*m/s", "momentum"), _channel("angular_momentum", "kg*m^2/s", "about_origin"),
            _channel("angular_momentum_com", "kg*m^2/s", "about_com"))


class Group(Item):
    """Several bodies seen as one: position and velocity of their centre of mass, momentum, angular momentum about the origin of the
    world and about their centre of mass, all in world axes, and kinetic energy. ``bodies``: their names."""
    section: ClassVar[str] = "measures"
    kind: ClassVar[str] = "group"
    listed: ClassVar[int] = 6
    positional: ClassVar[tuple[str, ...]] = ("name", "bodies")
    mirrors: ClassVar[bool] = True
    lists: ClassVar[tuple[str, ...]] = ("bodies",)
    bodies: BodyNames

    def faults(self, masses: Mapping[str, float]) -> Iterator[tuple[tuple[Any, ...], ValueError]]:
        """Where the bodies that there are, with these masses, do not make a group."""
        for k, name in enumerate(self.bodies):
            if name not in masses:
                yield ("bodies", k), MissingItem(f"there is no body {shown(name)}{did_you_mean(name, sorted(masses))}", name)
        if set(self.bodies) <= set(masses) and not sum(masses[name] for name in self.bodies) > 0:
            yield ("bodies",), ValueError(f"{', '.join(self.bodies)}: without mass there is no centre of mass; "
                                          "name a body that has some")

    def build(self, layout: ModelCompiler) -> None:
        for _, wrong in self.faults(layout.directory.masses):
            raise ValueError(f"group {self.name!r}: {wrong}") from wrong
        layout.directory.groups[self.name] = self.bodies

    def channels(self) -> Iterable[Channel]:
        return *TOGETHER, _channel("kinetic_energy", "J", "kinetic", 1)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("G", [getattr(b, "body", getattr(b, "name", b))])]
