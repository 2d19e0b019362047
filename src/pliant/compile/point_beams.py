"""A beam of points and torsional springs as rows: its nodes, springs and frames. Derivations: docs/theory/beams.md"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..families import slope_frames, torsional_springs
from .array_builder import ArrayBuilder, Place
from .channel_map import BeamRecord, StatedVelocity

if TYPE_CHECKING:
    from ..items.beam_axis import Pose
    from ..items.beams import Beam
    from .model_compiler import ModelCompiler


class Window(NamedTuple):
    """Nodes one after the other: their tiles, the place of the first in q, and of their vectors whether each is a slope, the number of
    its node, and where it is in v behind the first."""
    tiles: tuple[int, ...]
    iq: int
    slope: np.ndarray
    node: np.ndarray
    offset: np.ndarray

    def of(self, places: dict[int, float], slopes: dict[int, float] | None = None) -> np.ndarray:
        """Factors of vectors: of places and slopes of nodes."""
        given = [(slopes or {}) if slope else places for slope in self.slope]
        return np.array([part.get(int(node), 0.0) for part, node in zip(given, self.node, strict=True)])


def add_point_beam(layout: ModelCompiler, beam: Beam) -> None:
    """Points with half an element on each side; both ends have a direction besides."""
    b, d, axis, (p, m) = layout.builder, layout.directory, beam.axis, beam.uniform
    nodes, n = [_node(layout, beam, k) for k in range(beam.elements + 1)], beam.elements
    rows = []
    for k, length in enumerate(axis.lengths.tolist()):
        far = float(np.linalg.norm(axis.poses[k + 1].point - axis.poses[k].point))
        window = _window(nodes, k, k + 1)
        axial = m.E * p.area / length, far, beam.damping
        rows.append(b.element(torsional_springs.AXIAL, beam.name, (nodes[k].iq, nodes[k].iv, nodes[k + 1].iq, nodes[k + 1].iv), axial,
                              tiles=window.tiles))
    for k in range(n + 1):
        _spring(b, beam, nodes, k)
    for k, node in enumerate(nodes):
        window, at, along = _at_node(nodes, k)
        layout.places[node.name] = Place(node.name, window.tiles, window.iq, _maker(layout, beam, beam.pose(k / n), window, at, along))
    layout.places[beam.name] = Place(beam.name, tuple(t for node in nodes for t in node.tiles), nodes[0].iq, nodes[0].make_frame,
                                     parts=_parts(layout, beam, nodes))
    layout.poses[beam.name] = axis.poses[0].point, axis.poses[0].axes
    d.masses[beam.name] = beam.mass
    d.beams[beam.name] = BeamRecord(tuple(node.name for node in nodes), rows[0])


def _node(layout: ModelCompiler, beam: Beam, k: int) -> Place:
    """Placed, with its velocity as a part of a rigid body, and its mass."""
    pose, first, b, n = beam.axis.poses[k], beam.axis.poses[0], layout.builder, beam.elements
    X = np.array([pose.point, pose.axes[:, 0]])[:2 if k in (0, n) else 1]
    v, w = np.array(beam.velocity or (0.0,) * 3), first.axes @ np.array(beam.angular_velocity or (0.0,) * 3)
    rates = np.cross(w, X)
    rates[0] = v + np.cross(w, pose.point - first.point)
    name, half = f"{beam.name}.node_{k}", float(np.convolve(beam.axis.lengths, (0.5, 0.5))[k])
    node = b.slope_place(beam.name, name, X, rates, lambda *_: None)
    moves, turns = beam.velocity is not None, beam.angular_velocity is not None
    said = [moves and (turns or k == 0)] * 3 + [turns and len(X) > 1] * 3
    values = np.concatenate([rates.ravel(), np.zeros(6 - rates.size)])
    layout.directory.stated[name] = StatedVelocity(node.iv, said, values, node.iq, np.zeros(3), slopes=True)
    layout.poses[name] = pose.point, pose.axes
    p, m = beam.uniform
    b.element(torsional_springs.INERTIA, name, (node.iq, node.iv, 1), (m.rho * p.area * half,), tiles=node.tiles)
    if len(X) > 1:  # half an element turns with its section
        stiffness, slope = 2 * m.E * p.Iy / beam.axis.lengths[0 if k == 0 else -1], (node.iq + 3, node.iv + 3)
        b.element(torsional_springs.INERTIA, name, (*slope, 0), (m.rho * p.Iy * half,), tiles=node.tiles)
        b.element(torsional_springs.LENGTH, name, slope, (stiffness,), tiles=node.tiles)
    return node


def _window(nodes: list[Place], first: int, last: int) -> Window:
    slope, number, offset = list[bool](), list[int](), list[int]()
    for k in range(first, last + 1):
        for is_slope in (False, True) if k in (0, len(nodes) - 1) else (False,):
            slope, number, offset = [*slope, is_slope], [*number, k], [*offset, 6 * (k - first) + 3 * is_slope]
    tiles = tuple(t for node in nodes[first:last + 1] for t in node.tiles)
    return Window(tiles, nodes[first].iq, np.array(slope), np.array(number), np.array(offset, float))


def _at_node(nodes: list[Place], k: int) -> tuple[Window, np.ndarray, np.ndarray]:
    """The window of a frame at a node, and the factors of its place and direction: at an end its slope, else between both neighbours."""
    if k in (0, len(nodes) - 1):
        window = _window(nodes, k, k)
        return window, window.of({k: 1.0}), window.of({}, {k: 1.0})
    window = _window(nodes, k - 1, k + 1)
    return window, window.of({k: 1.0}), window.of({k - 1: -1.0, k + 1: 1.0})


def _spring(b: ArrayBuilder, beam: Beam, nodes: list[Place], k: int) -> None:
    """Between the segments at a node; at an end between its slope and the segment, which is half an element away."""
    n, axis = beam.elements, beam.axis
    points, lengths = np.array([pose.point for pose in axis.poses]), axis.lengths
    window = _window(nodes, max(k - 1, 0), min(k + 1, n))
    before = window.of({k: 1.0, k - 1: -1.0}) if k > 0 else window.of({}, {0: 1.0})
    behind = window.of({k + 1: 1.0, k: -1.0}) if k < n else window.of({}, {n: 1.0})
    u = points[k] - points[k - 1] if k > 0 else axis.poses[0].axes[:, 0]
    v = points[k + 1] - points[k] if k < n else axis.poses[n].axes[:, 0]
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    bent = 2 * float(np.linalg.norm(np.cross(u, v))) / (1 + float(u @ v))
    apart = (lengths[k - 1] / 2 if k > 0 else 0.0) + (lengths[k] / 2 if k < n else 0.0)
    p, m = beam.uniform
    reals = m.E * p.Iy / apart, bent if bent > 1e-9 else 0.0
    pool = b.pool(np.column_stack([before, behind, window.offset]))
    b.element(torsional_springs.SPRING, beam.name, (window.iq, 6 * window.tiles[0], len(window.node), pool), reals, tiles=window.tiles)


def _maker(layout: ModelCompiler, beam: Beam, pose: Pose, window: Window, point: np.ndarray, along: np.ndarray) -> Any:
    def make(b: ArrayBuilder, place: Place, number: int, offset: np.ndarray, axes: np.ndarray) -> None:
        if np.linalg.norm(offset) > 1e-9 * beam.length:
            far = 1e3 * float(np.linalg.norm(offset))
            raise ValueError(f"beam {beam.name!r}: a point {far:.4g} mm beside the axis of a beam without twist is no place on it, since "
                             "its sections have no axes; name one on its axis, by s, or give the beam another formulation")
        family = slope_frames.MARKERS if layout.marking else slope_frames.FRAMES
        pool = b.pool(np.column_stack([point, along, 0 * point, window.offset]), pose.axes @ axes, pose.axes[:, 0])
        ints = window.iq, 6 * window.tiles[0], number, b.frames[number][1], len(point), pool, 0
        b.element(family, beam.name, ints, tiles=window.tiles)
    return make


def _parts(layout: ModelCompiler, beam: Beam, nodes: list[Place]) -> Any:
    """By where a frame is along the beam: on the segment between two nodes, or at a node."""
    first = beam.axis.poses[0]

    def parts(s: float, point: np.ndarray, axes: np.ndarray) -> tuple[Place, np.ndarray, np.ndarray]:
        (k, xi), pose = beam.axis.locate(s), beam.pose(s)
        offset, axes = pose.axes.T @ (first.point + first.axes @ point - pose.point), pose.axes.T @ first.axes @ axes
        if xi == 0:
            window, at, along = _at_node(nodes, k)
        else:
            window = _window(nodes, k, k + 1)
            at, along = window.of({k: 1 - xi, k + 1: xi}), window.of({k: -1.0, k + 1: 1.0})
        return Place(beam.name, window.tiles, window.iq, _maker(layout, beam, pose, window, at, along)), offset, axes
    return parts
