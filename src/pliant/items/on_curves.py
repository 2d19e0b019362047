"""Joints that keep points and curves on curves. docs/theory/curves.md"""
from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..families.curves import ON_CURVE
from ..families.lines import COUNTERS
from ..functions.field_error import FieldError
from .base import Frame, Item, Length
from .curves import Curve, smooth
from .joints import COINCIDENT, Connection, LengthRate
from .references import one_body

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from ..functions.curve_splines import Spline


def frame_on_curve(layout: ModelCompiler, item: Connection, end: Frame, spline: Spline, s: float, turns: bool) -> tuple[int, int, int]:
    """A frame on a curve that is fixed in the frame ``end``, at the place s as modelled, and the one that shows this place; the tile of
    the place. ``turns``: its axes are tangent, third axis of ``end``, and what is perpendicular to both."""
    b, name = layout.builder, f"joint {item.name!r}"
    base, place = layout.frame(end, name), layout.places[end.body]
    number = layout.sliding[end.body].pop(0)
    tile, iq = place.lines[number]
    frame, counter = b.sliding_frame(place, number)
    b.velocity_frames.add(base)
    b.element(ON_CURVE, item.name, (base, iq, frame, 6 * tile, b.shared(spline.table()), spline.pieces, int(spline.closed), int(turns)),
              tiles=b.tiles_of(frame))
    b.element(COUNTERS, item.name, (iq, 6 * tile, counter, b.frames[counter][1]), tiles=(tile,))
    b.lines.append((item.name, iq, *((-inf, inf) if spline.closed else (0.0, spline.length))))
    b.q[iq] = s
    r = spline.at(spline.places())
    b.spans.append(float(np.linalg.norm(r - r.mean(0), axis=1).max()))
    return frame, counter, tile


class CurveJoint(Connection):
    """What joints on curves share: the places are no moves of a body, and they have no common point."""
    on_line: ClassVar[bool] = True
    mirrors: ClassVar[bool] = False

    @model_validator(mode="after")
    def _no_common_point(self) -> CurveJoint:
        if self.at is not None:
            raise FieldError("at", "a curve is in the axes of a frame; name two frames instead")
        return self

    def carrier(self) -> None:
        """The place on a curve is a coordinate of its own: no link moves by it."""

    def ends_in_world(self, layout: ModelCompiler) -> Sequence[np.ndarray]:
        """Place and axes of both frames as modelled."""
        name = f"joint {self.name!r}"
        found = *layout.world(self.a, name), *layout.world(self.b, name)
        if wrong := one_body(self.a, self.b):
            raise ValueError(f"{name}: {wrong}")
        return found


class PointOnCurve(CurveJoint):
    """The point of frame ``b`` stays on a ``curve`` that is fixed in the frame ``a`` (2 equations). Coordinate ``displacement`` [m]: the
    place, as length of the curve from its start; it counts rounds of a closed curve. It and ``displacement_rate`` may be stated for the
    start; without, the point begins where the curve comes next to it as modelled."""
    kind: ClassVar[str] = "point_on_curve"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "curve")
    symbol: ClassVar[str] = "point_on_line"
    coordinates: ClassVar[tuple[str, ...]] = ("displacement",)
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (COINCIDENT,)
    curve: Curve
    displacement: Length | None = None
    displacement_rate: LengthRate | None = None

    def equations(self) -> int:
        return super().equations() - 1

    def build(self, layout: ModelCompiler) -> None:
        spline = smooth(self.curve, layout.builder.known, f"joint {self.name!r}")
        p, R, p_b, _ = self.ends_in_world(layout)
        if self.displacement is not None and not (spline.closed or 0 <= self.displacement <= spline.length):
            raise ValueError(f"joint {self.name!r}: displacement: {self.displacement:g} must be from 0 to {spline.length:g}, the length "
                             "of its curve")
        s = spline.nearest(R.T @ (p_b - p))
        fa, counter, tile = frame_on_curve(layout, self, self.a, spline, s, turns=False)
        fb, shown = layout.frame(self.b, f"joint {self.name!r}", R), layout.builder.frame(layout.builder.ground, (0, 0, 0))
        record = layout.connect(self, self.constraints, (fa, fb), R, p_b - p - R @ spline.at(s), {"displacement": s}, {"displacement": s},
                                counter=(shown, counter))
        record.equations.slide = (tile,)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("J", a, b, curve=Curve(x="0.7*cos(s)", y="0.4*sin(s)", z="0.2*sin(2*s + 1)", range=(0, 2 * np.pi), closed=True))]
