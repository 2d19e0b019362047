"""Backlash of couplings: teeth that touch where the residual of the coupling has crossed half of its play. docs/theory/contact.md"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, pi
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import PrivateAttr, model_validator

from ..functions.expression import ZERO
from ..functions.field_error import FieldError
from ..functions.formula import Formula, of
from .base import Item
from .declarations import CoordinateUse
from .joint_loads import add_joint_load
from .quantities import numbers_with_units
from .reduced_inertia import TOUCH, reduced_inertia
from .stops import LEAST, UNITS, Positive, Restitution, Stop

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler

Term = tuple[str, str, float]  # joint, coordinate, and its factor in the residual


class Teeth(Stop):
    """Both flanks: a stop of the residual x = sum of factors times coordinates, as modelled 0, at half of the play on both sides."""
    section: ClassVar[str] = ""
    kind: ClassVar[str] = "teeth"
    _terms: tuple[Term, ...] = PrivateAttr(())
    _offset: float = PrivateAttr(0.0)

    @classmethod
    def of_terms(cls, name: str, terms: Iterable[Term], play: float, **more: Any) -> Teeth:
        terms = tuple(terms)
        made = cls(name, terms[0][0], terms[0][1], -play / 2, play / 2, **more)
        made._terms = terms
        return made

    def relative(self) -> tuple[Formula, Formula]:
        x, rate = Formula(ZERO) - self._offset, Formula(ZERO)
        for joint, coordinate, factor in self._terms:
            x, rate = x + factor * of(f"{joint}.{coordinate}"), rate + factor * of(f"{joint}.{coordinate}_rate")
        return x, rate

    def completed(self, layout: ModelCompiler, items: Mapping[str, Item]) -> Teeth:
        """With where x is as modelled, and the stiffness that bodies give: 1/I is the sum of factor^2 / I of the joints."""
        found, yielding, where = self.model_copy(), 0.0, f"coupling {self.name.rpartition('.')[0]!r}"
        for joint, coordinate, factor in self._terms:
            item = items.get(joint)
            if item is None or coordinate not in getattr(item, "coordinates", ()):
                return self  # told elsewhere
            zeros: dict[str, float] = item.zeros() if hasattr(item, "zeros") else {}
            found._offset += factor * zeros.get(coordinate, 0.0)
            own = reduced_inertia(layout, item, coordinate, where)
            yielding += factor**2 / own if own > 0 else 0.0 if self.stiffness is not None else inf
        if self.stiffness is None and not 0 < yielding < inf:
            raise ValueError(f"{where}: stiffness: is missing; a joint of it has no inertia to make it of, so give it")
        return found if self.stiffness is not None else found.model_copy(update={"stiffness": (pi / TOUCH) ** 2 / yielding})

    def uses(self) -> Iterable[CoordinateUse]:
        """Those of its coupling."""
        return ()

    def build(self, layout: ModelCompiler) -> None:
        item = f"coupling {self.name.rpartition('.')[0]!r}"
        for k, (joint, coordinate, factor) in enumerate(self._terms):
            name = self.name if k == 0 else f"{self.name}.{k}"
            add_joint_load(layout, item, name, layout.coordinate(joint, coordinate, item), (factor * self.own("effort")).node, "effort")


class Meshing(Item):
    """Of a coupling whose residual is a ``coordinate`` of its first term: ``backlash`` is the whole play of it, between teeth of a
    ``stiffness`` that give back the part ``restitution`` of the speed; they are called NAME.teeth."""
    residual: ClassVar[str] = "angle"
    backlash: Positive | None = None
    stiffness: Positive | None = None
    restitution: Restitution = 0.5

    @model_validator(mode="before")
    @classmethod
    def _lengths(cls, value: Any) -> Any:
        return numbers_with_units(value, cls._plays()) if isinstance(value, dict) else value

    @classmethod
    def _plays(cls) -> dict[str, str]:
        length, effort, _ = UNITS[cls.residual]
        return {"backlash": length, "stiffness": f"{effort}/{length}"}

    @model_validator(mode="after")
    def _meshes(self) -> Meshing:
        if self.backlash is None and (given := {"stiffness", "restitution"} & self.model_fields_set):
            raise FieldError(min(given), "is that of teeth with backlash; give backlash as well")
        if not LEAST <= self.restitution <= 1:
            raise FieldError("restitution", f"{self.restitution:g} must be from {LEAST:g} to 1")
        return self

    def units(self) -> dict[str, str]:
        return super().units() | self._plays()

    def terms(self) -> list[Term]:
        """Joint, coordinate and factor of each; the residual is their sum."""
        raise NotImplementedError

    def brings(self) -> Iterable[Item]:
        if self.backlash is None:
            return ()
        more = {"stiffness": self.stiffness, "restitution": self.restitution}
        return (Teeth.of_terms(f"{self.name}.teeth", self.terms(), self.backlash, **more),)
