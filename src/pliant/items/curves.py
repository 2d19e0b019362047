"""Curves that joints keep points and other curves on. docs/theory/curves.md"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import model_validator

from ..functions.cam_laws import Segment, profile
from ..functions.curve_splines import Spline, spline_of, through
from ..functions.evaluation import values
from ..functions.expression import Node, Signal, bottom_up
from ..functions.field_error import FieldError
from ..functions.parser import NO_NAMES, Names, parse
from ..functions.units import must, quantity
from .base import Angle, Length, number, plain
from .parts import Part

FEWEST = {True: 6, False: 4}  # points of a closed and of an open curve
SHAPES = ("points", "x", "polar", "circle", "ellipse", "line", "cam")

if TYPE_CHECKING:
    Positive = float
    Radius = float
else:
    Positive, Radius = number("m", positive=True), number("m", least=0.0)


def point(given: Any) -> tuple[float, float, float]:
    """Two or three numbers with units of length."""
    if isinstance(given, str) or not isinstance(given, (list, tuple, np.ndarray)) or len(given) not in (2, 3):
        raise ValueError(must(given, "must be two or three numbers [m]"))
    x = [quantity(plain(c), "m") for c in given]
    return x[0], x[1], x[2] if len(x) == 3 else 0.0


def _points(field: str, given: Any) -> list[tuple[float, float, float]]:
    if isinstance(given, str) or not isinstance(given, (list, tuple, np.ndarray)):
        raise FieldError(field, must(given, "must be a list of points"))
    found = []
    for k, p in enumerate(given):
        try:
            found.append(point(p))
        except ValueError as error:
            raise FieldError(field, str(error), k) from None
    return found


class CamMotion(Part):
    """A cam with a ``base`` circle [m] that turns about the z axis of its frame, and a follower along the x axis, which it lifts as
    ``motion`` says: segments (law, angle [rad], lift at its end [m]), "cycloidal", "polynomial" (3-4-5) or "harmonic"; where the lift stays
    it dwells. The angles are 360 degrees together, and the lift comes back to zero. ``follower``: "flat", "knife", or a "roller" of a
    ``radius`` [m]; the base circle is that of the profile."""
    base: Positive
    motion: tuple[tuple[Literal["cycloidal", "polynomial", "harmonic"], Angle, Length], ...]
    follower: Literal["roller", "knife", "flat"]
    radius: Radius = 0.0

    @model_validator(mode="after")
    def _check(self) -> CamMotion:
        if (self.follower == "roller") != (self.radius > 0):
            raise FieldError("radius", "must be greater than zero for a roller, and left out for others")
        for k, (_, angle, lift) in enumerate(self.motion):
            if not angle > 0:
                raise FieldError("motion", f"{angle:g} rad must be greater than zero", k)
            if not lift > -self.base:
                raise FieldError("motion", f"a lift of {lift:g} m goes below the centre", k)
        return self

    def spline(self) -> Spline:
        """Of the profile."""
        lifts = [0.0, *(lift for _, _, lift in self.motion)]
        segments = [Segment(law, angle, low, high) for (law, angle, high), low in zip(self.motion, lifts, strict=False)]
        return profile(segments, self.base, self.follower, self.radius)


class Curve(Part):
    """A smooth curve in the axes of the frame that it is fixed in, one of

    ``points`` [m] (two or three numbers each) in order; ``x``, ``y``, ``z``: expressions of s over ``range``; ``polar``: the radius [m] as
    an expression of phi, once round; ``circle``: radius [m]; ``ellipse``: two half axes [m]; ``line``: two points [m]; ``cam``: the
    profile that gives a follower a motion, see `CamMotion`. ``closed`` of points and expressions: it comes back to its start. The place on
    a curve is its length from the start [m]."""
    points: Any = None
    x: str | None = None
    y: str = "0"
    z: str = "0"
    range: tuple[Any, Any] = (0.0, 1.0)
    polar: str | None = None
    circle: Positive | None = None
    ellipse: tuple[Positive, Positive] | None = None
    line: Any = None
    cam: CamMotion | None = None
    closed: bool = False

    @model_validator(mode="after")
    def _check(self) -> Curve:
        given = [shape for shape in SHAPES if getattr(self, shape) is not None]
        if len(given) != 1:
            one = f"; a curve is one of {', '.join(SHAPES)}"
            if not given:
                raise FieldError("points", f"is missing{one}", mark=" ")
            raise FieldError(given[1], f"{given[0]} and {given[1]} are both given{one}")
        for field in ("points", "line"):
            if getattr(self, field) is not None:
                object.__setattr__(self, field, _points(field, getattr(self, field)))
        if self.points is not None and len(self.points) < FEWEST[self.closed]:
            raise FieldError("points", f"{len(self.points)} points, must be at least {FEWEST[self.closed]} of "
                             f"{'a closed' if self.closed else 'an open'} curve")
        if self.line is not None and (len(self.line) != 2 or self.line[0] == self.line[1]):
            raise FieldError("line", must(self.line, "must be two points, which differ"))
        for k, value in enumerate(self.range):
            try:
                object.__setattr__(self, "range", (*self.range[:k], quantity(plain(value), ""), *self.range[k + 1:]))
            except ValueError as error:
                raise FieldError("range", str(error), k) from None
        if not self.range[0] < self.range[1]:
            raise FieldError("range", f"{self.range[0]:g} must be below {self.range[1]:g}")
        return self

    @property
    def is_closed(self) -> bool:
        return self.closed or self.points is self.x is self.line is None

    def spline(self, names: Names = NO_NAMES) -> Spline:
        """Over its length; ``names`` of parameters and tables in its expressions."""
        turn = 2 * np.pi
        if self.points is not None:
            return through(np.array(self.points, float), self.closed)
        if self.line is not None:
            p, q = np.array(self.line, float)
            return spline_of(lambda s: p + s[:, None] * (q - p), 0.0, 1.0, False)
        if self.circle is not None or self.ellipse is not None:
            a, b = self.ellipse or (self.circle, self.circle)
            return spline_of(lambda u: np.column_stack([a * np.cos(u), b * np.sin(u), 0 * u]), 0.0, turn, True)
        if self.polar is not None:
            r = self._tree("polar", "phi", names)
            return spline_of(lambda u: _at(r, "phi", u)[:, None] * np.column_stack([np.cos(u), np.sin(u), 0 * u]), 0.0, turn, True, "phi")
        if self.cam is not None:
            return self.cam.spline()
        trees = [self._tree(field, "s", names) for field in "xyz"]
        return spline_of(lambda u: np.column_stack([_at(tree, "s", u) for tree in trees]), *self.range, self.closed)

    def _tree(self, field: str, variable: str, names: Names) -> Node:
        try:
            tree = parse(str(getattr(self, field)), (variable,), names)
        except ValueError as error:
            raise FieldError(field, str(error)) from None
        for node in bottom_up(tree):
            if isinstance(node, Signal):
                raise FieldError(field, f"{node.reference!r} changes with the motion; a curve is an expression of {variable} alone")
        return tree


def _at(tree: Node, variable: str, u: np.ndarray) -> np.ndarray:
    def none(reference: str) -> np.ndarray:
        raise ValueError(f"{reference} is no number")
    return np.asarray(values(tree, {variable: u}, none))


def smooth(curve: Curve, names: Names, item: str) -> Spline:
    """The spline of a curve of an item; what is wrong with it is told with both."""
    try:
        return curve.spline(names)
    except ValueError as error:
        mark = ": curve." if isinstance(error, FieldError) else ": its curve "
        raise ValueError(f"{item}{mark}{error}") from None


