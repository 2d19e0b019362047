"""Curves that touch: cams with their followers, and pairs of curves. docs/theory/curves.md"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from ..families.constraints import COORDINATE
from ..functions.curve_splines import Spline, where
from ..functions.field_error import FieldError
from ..kernels.coordinates import DISPLACEMENT
from .base import Axis, Item, number
from .curves import Curve, smooth
from .declarations import Channel
from .joints import perpendicular_frame
from .on_curves import CurveJoint, frame_on_curve
from .quantities import Axes

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    Radius = float
else:
    Radius = number("m", least=0.0)

ALONG, NORMAL = 0, 2   # axes of a frame that turns with its curve: tangent, normal to the right of it; the plane's is between
TILT = 1e-6            # of planes that shall be one
BETWEEN = 1e-9         # of the length: two places are one


class Touching(CurveJoint):
    """What pairs of curves in a plane share. With ``open`` they may part: the coordinate ``displacement`` [m] is their gap, along the
    normal, on which a `Stop` with lower=0 pushes; without they stay in touch, and the channel ``normal_force`` [N] is positive where they
    push each other apart. ``place`` [m]: where on the curve of a they touch, or are next to each other."""
    symbol: ClassVar[str] = "point_on_line"
    open: bool = False

    @property
    def coordinates(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("displacement",) if self.open else ()

    def channels(self) -> Iterable[Channel]:
        yield from super().channels()
        yield Channel("place", "m", 1, _place)
        if not self.open:
            yield Channel("normal_force", "N", 1, _normal_force)

    def profile_of(self, layout: ModelCompiler, curve: Curve, which: str) -> Spline:
        item = f"joint {self.name!r}"
        spline = smooth(curve, layout.builder.known, item)
        if not spline.flat:
            r = spline.at(spline.places())
            out = where(r[np.argmax(abs(r[:, 2]))])
            raise ValueError(f"{item}: {which}: leaves the plane z = 0 of its frame at {out}; it must be flat")
        return spline.reversed() if spline.closed and not spline.counterclockwise else spline

    def touch(self, layout: ModelCompiler, frames: tuple[int, int], equations: tuple[tuple[Any, ...], ...], offset: np.ndarray,
              axes: np.ndarray, radius: float, tiles: tuple[int, ...]) -> None:
        """The equations of the places, and the gap: along the third axis of the first frame, less a radius."""
        raw = float(axes[:, NORMAL] @ offset)
        start = {"displacement": raw - radius} if self.open else {}
        record = layout.connect(self, equations, frames, axes, offset, start, {"displacement": raw})
        record.equations.slide = tiles
        if not self.open:
            row = record.equations.take()
            layout.builder.pair(COORDINATE, self.name, *frames, (DISPLACEMENT, NORMAL, 0, -1, -1, -1), (0.0, 1.0, radius),
                                joint=record.equations, row=row)
            record.rows.append(row)
            record.directions.append(("d2", NORMAL))

    def equations(self) -> int:
        return 0 if self.open else 1


class Cam(Touching):
    """A cam, a ``profile`` in the plane x y of frame ``a``, and its follower at frame ``b``: a "roller" of a ``radius`` [m] about the
    point of b, a "knife" in that point, or "flat": a face through it, with the normal ``axis`` in the axes of b, to either side.

    Closed, as in a groove, or with a positive drive, it is 1 equation; with ``open`` it is none, and a `Stop` on its displacement, the gap,
    makes the contact: the follower then lifts off and lands."""
    kind: ClassVar[str] = "cam"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "profile", "follower")
    profile: Curve
    follower: Literal["roller", "knife", "flat"]
    radius: Radius = 0.0
    axis: Annotated[Axis, Axes("axes of frame b")] = (0.0, 1.0, 0.0)

    @model_validator(mode="after")
    def _check(self) -> Cam:
        if (self.follower == "roller") != (self.radius > 0):
            none = f"a {self.follower} follower has none; leave it out"
            raise FieldError("radius", "must be greater than zero for a roller" if self.follower == "roller" else none)
        return self

    def build(self, layout: ModelCompiler) -> None:
        spline = self.profile_of(layout, self.profile, "profile")
        p, R, p_b, R_b = self.ends_in_world(layout)
        (self._flat if self.follower == "flat" else self._round)(layout, spline, (p, R), (p_b, R_b))

    def _round(self, layout: ModelCompiler, spline: Spline, a: Any, b: Any) -> None:
        """(r_B - r_A) . t_A = 0; gap n_A . (r_B - r_A) - radius"""
        (p, R), (p_b, _) = a, b
        inner = R.T @ (p_b - p)
        inner = np.array((inner[0], inner[1], 0.0))
        s = spline.nearest(inner)
        if _normal(spline, s) @ (inner - spline.at(s)) < -BETWEEN * spline.length:  # the side that the follower is on
            spline = spline.reversed()
            s = spline.nearest(inner)
        self._refuse_undercut(spline)
        frame, _, tile = frame_on_curve(layout, self, self.a, spline, s, turns=True)
        axes = R @ _axes(spline, s)
        fb = layout.frame(self.b, f"joint {self.name!r}", axes)
        self.touch(layout, (frame, fb), (("d2", ALONG),), p_b - p - R @ spline.at(s), axes, self.radius, (tile,))

    def _refuse_undercut(self, spline: Spline) -> None:
        tried = spline.places()
        hollow = spline.curvature(tried)
        k = int(np.argmin(hollow))
        if -hollow[k] * self.radius >= 1:
            raise ValueError(f"joint {self.name!r}: radius: the roller of {self.radius:g} m does not reach the bottom of the profile at "
                             f"{where(spline.at(tried[k]))}, which is hollow with a radius of {-1 / hollow[k]:.4g} m; take a smaller one")

    def _flat(self, layout: ModelCompiler, spline: Spline, a: Any, b: Any) -> None:
        """n_B . t_A = 0; gap n_B . (r_A - r_B), n_B from the face to the cam"""
        (p, R), (p_b, R_b) = a, b
        item, tried = f"joint {self.name!r}", spline.places()
        spline = spline if spline.closed or np.mean(spline.curvature(tried)) > 0 else spline.reversed()
        bent, face, e = spline.curvature(tried), R_b @ np.array(self.axis), R[:, 2]
        if bent.min() <= 0:
            raise ValueError(f"{item}: profile: is straight or hollow at {where(spline.at(tried[np.argmin(bent)]))}; a flat follower "
                             "needs one that is round everywhere")
        if abs(face @ e) > TILT:
            off = np.degrees(np.arcsin(abs(face @ e)))
            raise ValueError(f"{item}: axis: the face is not perpendicular to the plane of the profile: {off:.3g} degrees off")
        if face @ (p + R @ spline.at(tried).mean(axis=0) - p_b) < 0:
            face = -face
        inner = R.T @ face
        facing = np.array([_normal(spline, s) @ inner for s in tried])
        s = _turned_to(spline, inner, float(tried[np.argmin(facing)]))
        frame, _, tile = frame_on_curve(layout, self, self.a, spline, s, turns=True)
        axes = perpendicular_frame(face)
        fb = layout.frame(self.b, item, axes)
        self.touch(layout, (fb, frame), (("d1", NORMAL, ALONG),), p + R @ spline.at(s) - p_b, axes, 0.0, (tile,))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("J", a, b, profile=Curve(polar="0.5 + 0.05*cos(2*phi + 1)"), follower="roller", radius=0.2)]


class CurveOnCurve(Touching):
    """Two curves in one plane, ``curve_a`` in the plane x y of frame ``a`` and ``curve_b`` in that of ``b``, touch each other: 1
    equation, or none with ``open``, where a `Stop` on their gap, the displacement, makes the contact."""
    kind: ClassVar[str] = "curve_on_curve"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "curve_a", "curve_b")
    curve_a: Curve
    curve_b: Curve

    def slides_on(self) -> tuple[str, ...]:
        return self.a.body, self.b.body

    def build(self, layout: ModelCompiler) -> None:
        """n_A . t_B = 0, (r_B - r_A) . t_A = 0; gap n_A . (r_B - r_A)"""
        first, second = self.profile_of(layout, self.curve_a, "curve_a"), self.profile_of(layout, self.curve_b, "curve_b")
        p, R, p_b, R_b = self.ends_in_world(layout)
        tilt = float(np.linalg.norm(np.cross(R[:, 2], R_b[:, 2])))
        off = float(R[:, 2] @ (p_b - p))
        if tilt > TILT or abs(off) > TILT * (first.length + second.length):
            turned = np.degrees(np.arcsin(min(tilt, 1.0)))
            raise ValueError(f"joint {self.name!r}: the planes of its curves do not agree: they are {turned:.3g} degrees and "
                             f"{off:.4g} m apart; curves lie in the plane x y of their frames")
        s_a, s_b = _next_to_each_other(first, second, R.T @ R_b, R.T @ (p_b - p))
        centre = R.T @ (p_b - p + R_b @ second.at(second.places()).mean(axis=0))
        if _normal(first, s_a) @ (centre - first.at(s_a)) < 0:  # b is inside of a
            s_a, first = first.length - s_a, first.reversed()
        frame_a, _, tile_a = frame_on_curve(layout, self, self.a, first, s_a, turns=True)
        frame_b, _, tile_b = frame_on_curve(layout, self, self.b, second, s_b, turns=True)
        offset = p_b + R_b @ second.at(s_b) - p - R @ first.at(s_a)
        self.touch(layout, (frame_a, frame_b), (("d2", ALONG), ("d1", NORMAL, ALONG)), offset, R @ _axes(first, s_a), 0.0, (tile_a, tile_b))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .bodies import RigidBody
        disc = RigidBody("disc", 1.0, (0.1, 0.1, 0.2), position=(1.3, 0.1, 0))
        return [disc, cls("J", "ground", disc, curve_a=Curve(ellipse=(0.9, 0.7)), curve_b=Curve(circle=0.3))]


def _axes(spline: Spline, s: float) -> np.ndarray:
    """Tangent, normal of the plane, normal to the right."""
    t = spline.at(s, 1)
    t, e = t / np.linalg.norm(t), np.array((0.0, 0.0, 1.0))
    return np.column_stack([t, e, np.cross(t, e)])


def _normal(spline: Spline, s: float) -> np.ndarray:
    return np.asarray(_axes(spline, s)[:, NORMAL])


def _turned_to(spline: Spline, face: np.ndarray, s: float) -> float:
    """Where the tangent is perpendicular to a direction, near s."""
    for _ in range(30):
        slope = spline.at(s, 2) @ face
        s -= float((spline.at(s, 1) @ face) / slope)
    return s


def _next_to_each_other(a: Spline, b: Spline, R: np.ndarray, p: np.ndarray) -> tuple[float, float]:
    """Places of two curves that are nearest to each other; b lies at p with axes R."""
    s, t = a.places(400), b.places(400)
    far = np.linalg.norm(a.at(s)[:, None] - (p + b.at(t) @ R.T)[None], axis=2)
    i, j = np.unravel_index(int(np.argmin(far)), far.shape)
    x, most = np.array([s[i], t[j]]), np.array([s[1], t[1]])
    for _ in range(40):
        d, t_a, t_b = p + R @ b.at(x[1]) - a.at(x[0]), a.at(x[0], 1), R @ b.at(x[1], 1)
        a2, b2 = a.at(x[0], 2), R @ b.at(x[1], 2)
        left = np.array([d @ t_a, np.cross(t_a, t_b)[2]])
        slope = np.array([[d @ a2 - t_a @ t_a, t_b @ t_a], [np.cross(a2, t_b)[2], np.cross(t_a, b2)[2]]])
        change = np.clip(np.linalg.lstsq(slope, left)[0], -most, most)
        x = x - change
        if abs(change).max() < 1e-15 * (a.length + b.length):
            break
    return float(x[0]), float(x[1])


def _place(observer: Any, name: str) -> np.ndarray:
    iq = next(iq for item, iq, _, _ in observer.dynamics.system.lines if item == name)
    return np.asarray(observer.parts["q"][:, iq].copy())


def _normal_force(observer: Any, name: str) -> np.ndarray:
    return np.asarray(-observer.parts["lam"][:, observer.directory.joints[name].rows[-1]])

