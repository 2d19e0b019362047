"""A beam with slopes for coordinates as rows: its nodes, elements and frames. Derivations: docs/theory/beams.md"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..families import slope_frames
from ..items.beam_axis import Pose
from ..items.beam_formulations import ANCF, sides
from . import slope_elements as elements
from .array_builder import ArrayBuilder, Place
from .channel_map import ACROSS, BeamRecord, StatedVelocity

if TYPE_CHECKING:
    from ..items.beams import Beam
    from .model_compiler import ModelCompiler

BESIDE = 1e-9  # of the length of a beam: nearer points are on its axis


def add_slope_beam(layout: ModelCompiler, beam: Beam) -> None:
    """Nodes and elements; the beam is known by its name, and its nodes by theirs."""
    d, first = layout.directory, beam.axis.poses[0]
    nodes = [_node(layout, beam, k) for k in range(beam.elements + 1)]
    rows = [_element(layout.builder, beam, k, nodes[k:k + 2]) for k in range(beam.elements)]
    layout.places[beam.name] = Place(beam.name, tuple(t for node in nodes for t in node.tiles), nodes[0].iq, nodes[0].make_frame,
                                     parts=_parts(layout, beam, nodes))
    layout.poses[beam.name] = first.point, first.axes
    d.masses[beam.name] = beam.mass
    d.beams[beam.name] = BeamRecord(tuple(node.name for node in nodes), rows[0])


def _vectors(beam: Beam, poses: Sequence[Pose]) -> np.ndarray:
    """Places and slopes as modelled."""
    slopes = 3 if beam.formulation == ANCF else 1
    return np.concatenate([(pose.point, *pose.axes.T[:slopes]) for pose in poses])


def _element(b: ArrayBuilder, beam: Beam, k: int, ends: list[Place]) -> int:
    """Elastic forces, and inertia along the axis."""
    length, (p, m), X = float(beam.axis.lengths[k]), beam.uniform, _vectors(beam, beam.axis.poses[k:k + 2])
    if beam.formulation == ANCF:
        width, height = sides(p)
        elements.slope_beam_inertia(b, beam.name, ends, length, m.rho, width, height)
        return elements.slope_beam(b, beam.name, ends, length, m.E, m.nu, width, height, X=X, shear_factor=p.ky,
                                   torsion_factor=p.J / (p.Iy + p.Iz), damping=beam.damping)
    elements.cable_inertia(b, beam.name, ends, length, m.rho * p.area * length)
    return elements.cable(b, beam.name, ends, length, m.E * p.area, m.E * p.Iy, X=X, damping=beam.damping)


def _node(layout: ModelCompiler, beam: Beam, k: int) -> Place:
    """Placed, with velocities of the beam as a rigid body. Slopes tell how all of it turns, the first place how it moves; what is left out
    follows from the places and slopes of elements, which start.velocity_solver keeps at their lengths and angles."""
    pose, first, d = beam.axis.poses[k], beam.axis.poses[0], layout.directory
    v, w = np.array(beam.velocity or (0.0,) * 3), first.axes @ np.array(beam.angular_velocity or (0.0,) * 3)
    moves, turns = beam.velocity is not None, beam.angular_velocity is not None
    X = _vectors(beam, [pose])
    rates = np.cross(w, X)
    rates[0] = v + np.cross(w, pose.point - first.point)
    name, n = f"{beam.name}.node_{k}", len(X)
    unit = np.eye(n)
    made = _maker(layout, beam.name, pose, X, unit[:1], unit[1:2], unit[2:])
    node = layout.builder.slope_place(beam.name, name, X, rates, made)
    said = [moves and (turns or k == 0)] * 3 + [turns] * 3
    d.stated[name] = StatedVelocity(node.iv, said, rates[:2].ravel(), node.iq, np.zeros(3), slopes=True)
    if n > 2:
        d.stated[name + ACROSS] = StatedVelocity(node.iv + 6, [turns] * 6, rates[2:].ravel(), node.iq + 6, np.zeros(3), slopes=True)
    layout.places[name], layout.poses[name] = node, (pose.point, pose.axes)
    return node


def _maker(layout: ModelCompiler, beam: str, pose: Pose, X: np.ndarray, point: np.ndarray, along: np.ndarray, across: np.ndarray
           ) -> Callable[..., None]:
    """Frames at a place of which the position and slopes are these sums of the vectors X of nodes. Without slopes across, axes are those
    of the pose, turned with the slope along."""
    def make(b: ArrayBuilder, place: Place, number: int, offset: np.ndarray, axes: np.ndarray) -> None:
        family = slope_frames.MARKERS if layout.marking else slope_frames.FRAMES
        at, first, second, own, count = point.ravel(), along.ravel(), np.zeros(len(X)), pose.axes @ axes, len(X)
        if len(across):
            slopes = np.vstack([along, across])
            at, (first, second) = at + np.linalg.solve((slopes @ X).T, pose.axes @ offset) @ slopes, across
            own = gram_schmidt(*(across @ X)).T @ own
        pool = b.pool(np.column_stack([at, first, second, 3.0 * np.arange(count)]), own, pose.axes[:, 0])
        b.element(family, beam, (place.iq, place.iv, number, b.frames[number][1], count, pool, int(len(across) > 0)), tiles=place.tiles)
    return make


def gram_schmidt(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Axes of slope-10 as columns."""
    t = a / np.linalg.norm(a)
    over = b - (b @ t) * t
    e = over / np.linalg.norm(over)
    return np.column_stack([t, e, np.cross(t, e)])


def _parts(layout: ModelCompiler, beam: Beam, nodes: list[Place]) -> Any:
    """By where a frame is along the beam: the node, or the two nodes of its element, and point and axes there."""
    axis, first = beam.axis, beam.axis.poses[0]

    def parts(s: float, point: np.ndarray, axes: np.ndarray) -> tuple[Place, np.ndarray, np.ndarray]:
        (k, xi), pose = axis.locate(s), beam.pose(s)
        offset, axes = pose.axes.T @ (first.point + first.axes @ point - pose.point), pose.axes.T @ first.axes @ axes
        far = float(np.linalg.norm(offset))
        if far > BESIDE * beam.length and not beam.twists:
            raise ValueError(f"beam {beam.name!r}: a point {1e3 * far:.4g} mm beside the axis of a cable is no place on it, since its "
                             "sections have no axes; name one on its axis, by s, or give the beam another formulation")
        if xi == 0:
            return nodes[k], offset, axes
        X, L = _vectors(beam, axis.poses[k:k + 2]), axis.lengths[k]
        n = len(X) // 2
        N, M, across = np.zeros((1, 2 * n)), np.zeros((1, 2 * n)), np.zeros((n - 2, 2 * n))
        N[0, [0, 1, n, n + 1]], M[0, [0, 1, n, n + 1]] = elements.cubic(xi, L), elements.cubic_slopes(xi, L)
        for j in range(n - 2):
            across[j, 2 + j], across[j, n + 2 + j] = 1 - xi, xi
        pair = nodes[k:k + 2]
        made = _maker(layout, beam.name, pose, X, N, M, across)
        return Place(beam.name, pair[0].tiles + pair[1].tiles, pair[0].iq, made), offset, axes
    return parts
