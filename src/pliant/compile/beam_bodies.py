"""A beam of an item as rows: nodes with their inertia, elements between them, and places of frames at nodes and between."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..families import beam_frames, corotational, exact_beams, rigid
from ..items.base import quaternion_of
from ..items.beam_axis import ON_NODE
from ..items.beam_formulations import ANCF, CABLE, COROTATIONAL, EXACT, MODAL, POINTS, RIGID, SEGMENTS
from . import beam_elements as elements
from .array_builder import Place
from .beam_parts import add_modal, add_rigid
from .channel_map import BeamRecord, StatedVelocity
from .point_beams import add_point_beam
from .slope_bodies import add_slope_beam

if TYPE_CHECKING:
    from ..items.beams import Beam
    from ..items.distributed_loads import LineLoad
    from .model_compiler import ModelCompiler


def add_beam(layout: ModelCompiler, beam: Beam) -> None:
    """Nodes and elements of a beam; it is known by its name, and its nodes by theirs."""
    if layout.sliding.get(beam.name):
        raise ValueError(f"beam {beam.name!r}: nothing can slide along a beam or carry a curve; take a modal body, whose part has lines")
    makers = {ANCF: add_slope_beam, CABLE: add_slope_beam, POINTS: add_point_beam, RIGID: add_rigid, MODAL: add_modal}
    if made := makers.get(beam.formulation):
        made(layout, beam)
        return
    nodes, d = _nodes(layout, beam), layout.directory
    whole = Place(beam.name, tuple(t for node in nodes for t in node.tiles), nodes[0].iq, nodes[0].make_frame,
                  parts=_parts(layout, beam, nodes))
    first = beam.axis.poses[0]
    layout.places[beam.name], layout.poses[beam.name] = whole, (first.point, first.axes)
    d.masses[beam.name] = beam.mass
    d.beams[beam.name] = BeamRecord(tuple(node.name for node in nodes), _elements(layout, beam, nodes),
                                     {EXACT: exact_beams.BEAM, COROTATIONAL: corotational.COROTATIONAL}.get(beam.formulation))


def _nodes(layout: ModelCompiler, beam: Beam) -> list[Place]:
    """Placed, with velocities of the beam as a rigid body, and their inertia."""
    axis, nodes = beam.axis, list[Place]()
    v, w = np.array(beam.velocity or (0.0,) * 3), axis.poses[0].axes @ np.array(beam.angular_velocity or (0.0,) * 3)
    stated = [beam.velocity is not None] * 3 + [beam.angular_velocity is not None] * 3
    for k, (pose, (mass, moment, inertia)) in enumerate(zip(axis.poses, beam.at_nodes(), strict=True)):
        rates = np.concatenate([v + np.cross(w, pose.point - axis.poses[0].point), pose.axes.T @ w])
        node = layout.builder.place(f"{beam.name}.node_{k}", (*pose.point, *quaternion_of(pose.axes)), rates.tolist(),
                                    _node_frames(layout, beam.name))
        said = stated if k == 0 or all(stated) else [False] * 6  # the others follow it, see start.velocity_solver
        layout.directory.stated[node.name] = StatedVelocity(node.iv, said, rates, node.iq, np.zeros(3))
        layout.places[node.name], layout.poses[node.name] = node, (pose.point, pose.axes)
        own = segment(beam, k) if beam.formulation == SEGMENTS else (mass if beam.lumped else 0.0, inertia, moment)
        elements.node_inertia(layout.builder, node.name, node, *own)
        nodes.append(node)
    return nodes


def segment(beam: Beam, k: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Of a segment, half an element on each side of a node: mass, inertia about the node, first moments, in its axes    [segment-1]"""
    axis, n = beam.axis, beam.elements
    node, mass, inertia, moment = axis.poses[k], 0.0, np.zeros((3, 3)), np.zeros(3)
    for side, element in ((-0.25, k - 1), (0.25, k)):
        if not 0 <= element < n:
            continue
        half, pose = axis.lengths[element] / 2, axis.pose((k + side) / n)
        m, c, turn = half * beam.mass_at((k + side) / n)[0, 0], node.axes.T @ (pose.point - node.point), node.axes.T @ pose.axes
        bar = half * beam.mass_at((k + side) / n)[3:, 3:] + m * half**2 / 12 * np.diag([0.0, 1.0, 1.0])
        inertia += turn @ bar @ turn.T + m * ((c @ c) * np.eye(3) - np.outer(c, c))
        mass, moment = mass + m, moment + m * c
    return mass, inertia, moment


def _elements(layout: ModelCompiler, beam: Beam, nodes: list[Place]) -> int:
    """Elastic forces, and inertia along the axis; the row of the first one in its family."""
    b, axis, n, rows = layout.builder, beam.axis, beam.elements, []
    for k, (length, strain) in enumerate(zip(axis.lengths, axis.strains, strict=True)):
        ends = nodes[k:k + 2]

        def flexibility(x: float, k: int = k) -> np.ndarray:
            return beam.flexibility_at((k + x) / n)

        def mass(x: float, k: int = k) -> float:
            return float(beam.mass_at((k + x) / n)[0, 0])
        if beam.formulation == SEGMENTS:
            middle = axis.pose((k + 0.5) / n)
            places = [(pose.axes.T @ (middle.point - pose.point), pose.axes.T @ middle.axes) for pose in axis.poses[k:k + 2]]
            frames = b.frame(ends[0], *places[0]), b.frame(ends[1], *places[1])
            rows.append(elements.bushing_between(b, beam.name, frames, np.linalg.inv(flexibility(0.5)) / length, beam.damping))
            continue
        if beam.formulation == COROTATIONAL:
            stiffness = elements.linear_stiffness(flexibility, float(np.linalg.norm(axis.poses[k + 1].point - axis.poses[k].point)))
            rows.append(elements.corotational_beam(b, beam.name, ends, axis.poses[k:k + 2], stiffness, beam.damping))
        else:
            F = elements.flexibility_along(flexibility, length)
            rows.append(elements.exact_beam(b, beam.name, ends, length, strain, F, damping=beam.damping))
        if not beam.lumped:
            elements.hermite_inertia(b, beam.name, ends, length, elements.axis_mass(mass, length))
    return rows[0]


def line_load(layout: ModelCompiler, load: LineLoad, beam: Beam) -> list[int]:
    """Frames along which the factor of a load acts, one for each element that is loaded."""
    n, found = beam.elements, list[int]()
    first, last = (n * beam.node_of(frame) for frame in (load.start, load.end))
    nodes = [layout.places[f"{beam.name}.node_{k}"] for k in range(n + 1)]
    low, high = min(first, last), max(first, last)
    for k in range(n):
        a, b = max(low - k, 0.0), min(high - k, 1.0)
        if b - a > ON_NODE:
            force, moment = (ends[0] + np.outer((k + np.array([a, b]) - first) / (last - first), ends[1] - ends[0]) for ends in load.ends)
            found.append(elements.line_load(layout.builder, load.name, nodes[k:k + 2], beam.axis.lengths[k], (a, b), force, moment,
                                            follows=load.axes == "body"))
    return found


def _node_frames(layout: ModelCompiler, name: str) -> Any:
    def make(b: Any, place: Place, number: int, point: np.ndarray, axes: np.ndarray) -> None:
        family = rigid.MARKERS if layout.marking else rigid.FRAMES
        b.element(family, name, (place.iq, place.iv, number, b.frames[number][1]), (*point, *axes.ravel()), tiles=place.tiles)
    return make


def _parts(layout: ModelCompiler, beam: Beam, nodes: list[Place]) -> Any:
    """By where a frame is along the beam: the node, or the two nodes of its element, and point and axes there."""
    axis = beam.axis
    first = axis.poses[0]

    def between(k: int, xi: float) -> Any:
        def make(b: Any, place: Place, number: int, point: np.ndarray, axes: np.ndarray) -> None:
            family, (A, B) = beam_frames.MARKERS if layout.marking else beam_frames.FRAMES, nodes[k:k + 2]
            ints = A.iq, A.iv, B.iq, B.iv, number, b.frames[number][1], b.pool(point, axes)
            b.element(family, beam.name, ints, (axis.lengths[k], xi), tiles=place.tiles)
        return make

    def parts(s: float, point: np.ndarray, axes: np.ndarray) -> tuple[Place, np.ndarray, np.ndarray]:
        (k, xi), pose = axis.locate(s), axis.pose(s)
        point, axes = pose.axes.T @ (first.point + first.axes @ point - pose.point), pose.axes.T @ first.axes @ axes
        if xi == 0:
            return nodes[k], point, axes
        if beam.formulation == SEGMENTS:
            k = round(k + xi)
            near = axis.poses[k]
            return nodes[k], near.axes.T @ (pose.point + pose.axes @ point - near.point), near.axes.T @ pose.axes @ axes
        pair = nodes[k:k + 2]
        return Place(beam.name, (*pair[0].tiles, *pair[1].tiles), pair[0].iq, between(k, xi)), point, axes
    return parts
