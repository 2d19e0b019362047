"""What the formulations of a beam ask for, and the sections as modelled of those with slopes."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..flex.section import Section
from .beam_axis import BeamAxis, Pose, exponential

if TYPE_CHECKING:
    from .base import Frame
    from .beams import Beam

EXACT, COROTATIONAL, ANCF, CABLE = "geometrically-exact", "corotational", "ancf", "ancf-cable"
POINTS, SEGMENTS, MODAL, RIGID = "torsional-springs", "segments", "modal", "rigid"
FORMULATIONS = EXACT, COROTATIONAL, ANCF, CABLE, POINTS, SEGMENTS, MODAL, RIGID
SLOPES = ANCF, CABLE, POINTS  # places and slopes for coordinates
TWISTLESS = CABLE, POINTS
SECTIONED = EXACT, COROTATIONAL  # sections may change along the beam; forces in them are known, and loads per length may act
ALIKE = 1e-9  # relative: second moments of area are the same about all axes


def unfit(beam: Beam) -> tuple[str, str] | None:
    """The field that the formulation cannot do with, and why."""
    if beam.formulation not in (*SECTIONED, RIGID) and not isinstance(beam.profile, Section):
        return "profile", (f"sections that change along the beam, or are given by matrices, are for geometrically-exact and corotational "
                           f"beams; give one section, or take one of these in place of {beam.formulation}")
    if beam.formulation == MODAL and beam.twist:
        return "twist", f"{beam.twist:.6g} rad: the modes of a beam that is twisted are not computed; take another formulation"
    if beam.formulation == MODAL and beam.points is not None and beam.points[0] == beam.points[-1]:
        return "points", "end where they begin: the modes of a ring are not computed; take another formulation"
    if beam.formulation in (SEGMENTS, ANCF) and not beam.shear:
        return "shear", f"{beam.formulation} gives way to shear; leave it out, or take another formulation"
    if beam.formulation == ANCF:
        return _no_block(beam)
    if beam.formulation not in TWISTLESS:
        return None
    p, who = beam.uniform[0], "a cable" if beam.formulation == CABLE else "a beam of torsional springs"
    if abs(p.Iy - p.Iz) > ALIKE * p.Iy or abs(p.Iyz) > ALIKE * p.Iy:
        return "profile", (f"Iy = {p.Iy:.6g}, Iz = {p.Iz:.6g}, Iyz = {p.Iyz:.6g} m^4: {who} does not know how its section is turned, so "
                           "it must bend alike about all axes; take a circle, a tube or a square, or a formulation with twist")
    if beam.formulation == POINTS and beam.angular_velocity is not None and beam.velocity is None:
        return "angular_velocity", "is of all points of the beam, whose velocity is to be given with it; give both, or none"
    if beam.lumped and beam.formulation == CABLE:
        return "lumped", "a cable has its mass along its axis; leave it out"
    return None


def on_segments(axis: BeamAxis, s: float) -> Pose:
    """The place at s on straight segments between the nodes, with x along them; at a node inside between both neighbours."""
    (k, x), pose, last = axis.locate(s), axis.pose(s), len(axis.lengths)
    if x == 0 and k in (0, last):
        return pose
    before, behind = (axis.poses[k - 1].point, axis.poses[k + 1].point) if x == 0 else (axis.poses[k].point, axis.poses[k + 1].point)
    way = behind - before
    return Pose(pose.point if x == 0 else before + x * way, turned_along(pose.axes, way / np.linalg.norm(way)))


def sides(profile: Section) -> tuple[float, float]:
    """Width along y and height along z of the rectangle that has this area and these second moments."""
    return float(np.sqrt(12 * profile.Iz / profile.area)), float(np.sqrt(12 * profile.Iy / profile.area))


def _no_block(beam: Beam) -> tuple[str, str] | None:
    p, (width, height) = beam.uniform[0], sides(beam.uniform[0])
    if abs(width * height - p.area) > ALIKE * p.area or abs(p.Iyz) > ALIKE * p.Iy or abs(p.ky - p.kz) > ALIKE:
        return "profile", ("must be a rectangle, pl.Section.rectangle, whose sections are integrated over as a solid; take a rectangle, or "
                           "another formulation")
    if beam.lumped:
        return "lumped", "the mass matrix of the slopes has its mass along the axis; leave it out"
    return None


def node_at(beam: Beam, frame: Frame) -> str:
    """The name of the node of its part that a frame is at: one for all frames of a place; that of a place without a name is made of
    where it is."""
    s, beside = beam.s_of(frame), frame.point is not None or frame.at is not None
    point, first = beam.place_of(frame)[0], beam.axis.poses[0]
    if not beside or np.linalg.norm(first.point + first.axes @ point - beam.pose(s).point) < ALIKE * beam.length:
        near = next((name for name, place in beam.frames.items() if abs(place.s - s) < ALIKE), None)
        return near or f"at_{s:.9f}".replace(".", "_")
    return "at_" + "_".join(f"{x:.9f}".replace(".", "_").replace("-", "m") for x in point)


def with_slope(axis: BeamAxis, s: float) -> Pose:
    """The section at s with x along the cubic between the nodes."""
    (k, x), pose = axis.locate(s), axis.pose(s)
    if x == 0:
        return pose
    (p, P), (q, Q), L = axis.poses[k], axis.poses[k + 1], axis.lengths[k]
    slope = (6 * x * x - 6 * x) / L * (p - q) + (1 - 4 * x + 3 * x * x) * P[:, 0] + (3 * x * x - 2 * x) * Q[:, 0]
    return Pose(pose.point, turned_along(pose.axes, slope / np.linalg.norm(slope)))


def turned_along(axes: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Axes turned the shortest way so that x is along a unit vector."""
    u = np.cross(axes[:, 0], t)
    size = float(np.linalg.norm(u))
    return np.asarray(exponential(u * (np.arctan2(size, axes[:, 0] @ t) / size if size > 0 else 1.0)) @ axes)


def pose_at(beam: Beam, s: float) -> Pose:
    """Of the section at s, as modelled."""
    made = {CABLE: with_slope, POINTS: on_segments}.get(beam.formulation)
    return beam.axis.pose(s) if made is None else made(beam.axis, s)
