"""A beam with slopes for coordinates as rows: its nodes, elements and frames. Derivations: docs/theory/beams.md"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..families import slope_frames
from ..items.beam_axis import BeamAxis, Pose
from . import slope_elements as elements
from .array_builder import ArrayBuilder, Place
from .channel_map import BeamRecord, StatedVelocity

if TYPE_CHECKING:
    from ..items.beams import Beam
    from .model_compiler import ModelCompiler

BESIDE = 1e-9  # of the length of a beam: nearer points are on its axis


def add_slope_beam(layout: ModelCompiler, beam: Beam) -> None:
    """Nodes and elements of a cable; it is known by its name, and its nodes by theirs."""
    nodes, d, first = _nodes(layout, beam), layout.directory, beam.axis.poses[0]
    rows = [elements.cable(layout.builder, beam.name, nodes[k:k + 2], length, beam.material.E * beam.profile.area,
                           beam.material.E * beam.profile.Iy, X=_vectors(beam.axis.poses[k:k + 2]), damping=beam.damping)
            for k, length in enumerate(beam.axis.lengths.tolist())]
    for k, length in enumerate(beam.axis.lengths.tolist()):
        elements.cable_inertia(layout.builder, beam.name, nodes[k:k + 2], length, beam.material.rho * beam.profile.area * length)
    layout.places[beam.name] = Place(beam.name, tuple(t for node in nodes for t in node.tiles), nodes[0].iq, nodes[0].make_frame,
                                     parts=_parts(layout, beam, nodes))
    layout.poses[beam.name] = first.point, first.axes
    d.masses[beam.name] = beam.mass
    d.beams[beam.name] = BeamRecord(tuple(node.name for node in nodes), rows[0])


def _vectors(poses: Any) -> np.ndarray:
    """Places and slopes as modelled."""
    return np.concatenate([(pose.point, pose.axes[:, 0]) for pose in poses])


def _nodes(layout: ModelCompiler, beam: Beam) -> list[Place]:
    """Placed, with velocities of the beam as a rigid body. Slopes tell how all of it turns, the first place how it moves; what is left out
    follows from the places and slopes of elements, which start.velocity_solver keeps at their lengths and angles."""
    nodes, first = list[Place](), beam.axis.poses[0]
    v, w = np.array(beam.velocity or (0.0,) * 3), first.axes @ np.array(beam.angular_velocity or (0.0,) * 3)
    moves, turns = beam.velocity is not None, beam.angular_velocity is not None
    for k, pose in enumerate(beam.axis.poses):
        X = _vectors([pose])
        rates = np.array([v, np.zeros(3)]) + np.cross(w, X - np.array([first.point, np.zeros(3)]))
        name = f"{beam.name}.node_{k}"
        node = layout.builder.slope_place(beam.name, name, X, rates, _maker(layout, beam.name, [pose], np.eye(2)[:1], np.eye(2)[1:]))
        said = [moves and (turns or k == 0)] * 3 + [turns] * 3
        layout.directory.stated[name] = StatedVelocity(node.iv, said, rates.ravel(), node.iq, np.zeros(3), slopes=True)
        layout.places[name], layout.poses[name] = node, (pose.point, pose.axes)
        nodes.append(node)
    return nodes


def _maker(layout: ModelCompiler, beam: str, poses: list[Pose], point: np.ndarray, along: np.ndarray) -> Any:
    """Frames at a place of which the position and the slope are these sums of the vectors of nodes; axes are those of the first pose."""
    axes_there = poses[0].axes

    def make(b: ArrayBuilder, place: Place, number: int, offset: np.ndarray, axes: np.ndarray) -> None:
        family, count = slope_frames.MARKERS if layout.marking else slope_frames.FRAMES, point.size
        pool = b.pool(np.column_stack([point.ravel(), along.ravel(), np.zeros(count)]), axes_there @ axes, axes_there[:, 0])
        b.element(family, beam, (place.iq, place.iv, number, b.frames[number][1], count, 2, pool, 0), tiles=place.tiles)
    return make


def _parts(layout: ModelCompiler, beam: Beam, nodes: list[Place]) -> Any:
    """By where a frame is along the beam: the node, or the two nodes of its element, and the axes there."""
    axis: BeamAxis = beam.axis
    first = axis.poses[0]

    def parts(s: float, point: np.ndarray, axes: np.ndarray) -> tuple[Place, np.ndarray, np.ndarray]:
        (k, xi), pose = axis.locate(s), beam.pose(s)
        offset, axes = pose.axes.T @ (first.point + first.axes @ point - pose.point), pose.axes.T @ first.axes @ axes
        far = float(np.linalg.norm(offset))
        if far > BESIDE * beam.length:
            raise ValueError(f"beam {beam.name!r}: a point {1e3 * far:.4g} mm beside the axis of a cable is no place on it, since its "
                             "sections have no axes; name one on its axis, by s, or give the beam another formulation")
        if xi == 0:
            return nodes[k], np.zeros(3), axes
        pair, N, M = nodes[k:k + 2], elements.cubic(xi, axis.lengths[k]), elements.cubic_slopes(xi, axis.lengths[k])
        tiles = pair[0].tiles + pair[1].tiles
        return Place(beam.name, tiles, pair[0].iq, _maker(layout, beam.name, [pose], N, M)), np.zeros(3), axes
    return parts
