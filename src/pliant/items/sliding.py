"""Joints that slide along a line of nodes of a flexible body."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from .base import Angle, Item, Length
from .joints import COINCIDENT, LOCK, PARALLEL_Z, AngleRate, Connection, LengthRate, perpendicular_frame
from .references import no_line, one_body

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler

HELD: dict[str, tuple[tuple[Any, ...], ...]] = {"free": (), "axis": PARALLEL_Z, "none": LOCK}


class SlidingOnBeam(Connection):
    """Frame ``b`` slides along a line of a flexible body, ``a`` = "body.line" (``lines`` when its part is reduced), while it deforms.

    ``turning``: "free" (a point on the line, 2 equations), "axis" (b turns about the line only, as in a cylindrical joint, 4) or "none"
    (b keeps the direction it has against the line, as in a prismatic joint, 5). The coordinate ``displacement`` [m] is the place on the
    undeformed line, measured from its start; with "axis" there is ``angle``. Both and their rates may be stated for the start."""
    kind: ClassVar[str] = "sliding_on_beam"
    symbol: ClassVar[str] = "sliding_on_beam"
    on_line: ClassVar[bool] = True
    mirrors: ClassVar[bool] = False
    turning: Literal["free", "axis", "none"] = "free"
    displacement: Length | None = None
    displacement_rate: LengthRate | None = None
    angle: Angle | None = None
    angle_rate: AngleRate | None = None

    @model_validator(mode="after")
    def _check(self) -> SlidingOnBeam:
        if self.a.frame is None or self.a.point is not None:
            raise FieldError("between", "the first must be a line of a flexible body, such as boom.rail")
        for field in ("angle", "angle_rate"):
            if self.turning != "axis" and getattr(self, field) is not None:
                raise FieldError(field, f"there is no angle with turning={self.turning!r}; "
                                 "take turning='axis' or leave it out")
        return self

    @property
    def coordinates(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("displacement", "angle") if self.turning == "axis" else ("displacement",)

    def primitives_list(self) -> tuple[tuple[Any, ...], ...]:
        """With the place on the line as a coordinate of its own."""
        return COINCIDENT, *HELD[self.turning]

    def carrier(self) -> None:
        """The place on the line is a coordinate of the body that bends: no link moves by it."""

    def equations(self) -> int:
        return super().equations() - 1

    def symbol_axes(self, owner: Any) -> np.ndarray:
        """z along the line."""
        part = owner.reduced
        first, second = (part.nodes[node].u0 for node in part.lines[self.a.frame][:2])
        return perpendicular_frame((second - first) / np.linalg.norm(second - first))

    def build(self, layout: ModelCompiler) -> None:
        """The place on the line is a coordinate of the body; b is there in the pose as modelled."""
        b, name = layout.builder, f"joint {self.name!r}"
        p_b, _ = layout.world(self.b, name)
        if wrong := one_body(self.a, self.b):
            raise ValueError(f"{name}: {wrong}")
        body: Any = layout.owner(self.a, name)
        if self.a.body not in layout.flexible or self.a.frame not in body.reduced.lines:
            raise ValueError(f"{name}: {no_line(self.a, body)}")
        rows, left = layout.flexible[self.a.body]
        (p, R), place = layout.poses[self.a.body], layout.places[self.a.body]
        line = rows.line(self.a.frame)
        s = line.nearest(R.T @ (p_b - p))
        axes = R @ line.frame(s)
        fa, counter = b.sliding_frame(place, number := left.pop(0))
        rows.add_line(b, place, number, self, (fa, counter))
        fb = layout.frame(self.b, name, axes)
        start = {c: s if c == "displacement" else 0.0 for c in self.coordinates}
        offset, shown = p_b - p - R @ line.at(s)[:3], b.frame(b.ground, (0, 0, 0))
        record = layout.connect(self, self.primitives_list(), (fa, fb), axes, offset, start, start, counter=(shown, counter))
        record.equations.slide = (place.lines[number][0],)
        b.q[place.lines[number][1]] = s

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .modal import ModalBody
        return [*ModalBody.example(a, b), cls("J", "flexible.line", b, turning="axis")]
