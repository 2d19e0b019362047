"""Joints that slide along a line of nodes of a flexible body."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import model_validator

from ..functions.field_error import FieldError
from .base import Angle, Length, Pair
from .joints import COINCIDENT, LOCK, PARALLEL_Z, AngleRate, LengthRate

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler

HELD: dict[str, tuple[tuple[Any, ...], ...]] = {"free": (), "axis": PARALLEL_Z, "none": LOCK}


class SlidingOnBeam(Pair):
    """Frame ``b`` slides along a line of a flexible body, ``a`` = "body.line" (``lines`` when its part is reduced), while it deforms.

    ``turning``: "free" (a point on the line, 2 equations), "axis" (b turns about the line only, as in a cylindrical joint, 4) or "none"
    (b keeps the direction it has against the line, as in a prismatic joint, 5). The coordinate ``displacement`` [m] is the place on the
    undeformed line, measured from its start; with "axis" there is ``angle``. Both and their rates may be stated for the start."""
    section: ClassVar[str] = "joints"
    kind: ClassVar[str] = "sliding_on_beam"
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
    def coordinates(self) -> tuple[str, ...]:
        return ("displacement", "angle") if self.turning == "axis" else ("displacement",)

    def primitives_list(self) -> tuple[tuple[Any, ...], ...]:
        """With the place on the line as a coordinate of its own."""
        return COINCIDENT, *HELD[self.turning]

    def build(self, layout: ModelCompiler) -> None:
        layout.add_sliding(self)
