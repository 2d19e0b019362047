"""A beam as one rigid body, as a part with modes in a floating frame, with the same frames."""
from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..flex.beams import mesh_beam
from ..flex.interfaces import Interface
from ..flex.reduced import Reduced
from ..flex.reduction import reduce
from ..items.beam_axis import axis_of, default_up
from ..items.beam_formulations import node_at
from ..items.bodies import RigidBody
from ..items.modal import ModalBody

if TYPE_CHECKING:
    from ..items.beams import Beam
    from .model_compiler import ModelCompiler

FINE = 4    # elements of the mesh of a part in one of the beam
MODES = 6   # of the part with its interfaces held
SAME = 1e-9  # of the length: places that are one


def _motion(beam: Beam) -> dict[str, Any]:
    """Position and velocities as other bodies have them: of the start."""
    return {"position": beam.position, "rotation": beam.rotation, "velocity": beam.velocity, "angular_velocity": beam.angular_velocity}


def add_rigid(layout: ModelCompiler, beam: Beam) -> None:
    """Undeformed for ever."""
    RigidBody(beam.name, beam.mass, beam.inertia_matrix, tuple(beam.center.tolist()), **_motion(beam)).place(layout)


def add_modal(layout: ModelCompiler, beam: Beam) -> None:
    """Craig and Bampton: static shapes of all places where something acts, and modes with these held."""
    used = layout.used.get(beam.name, [])
    named = {node_at(beam, beam[name]): frame.s for name, frame in beam.frames.items()}
    acting, offsets = {node_at(beam, beam["start"]): 0.0}, dict[str, tuple[float, float, float]]()
    for frame, acts in used:
        name, s = node_at(beam, frame), beam.s_of(frame)
        if name not in named:
            named[name] = s
            x, y, z = beam.place_of(frame)[0].tolist()
            offsets[name] = x, y, z
        if acts and all(abs(s - other) > SAME for other in acting.values()):
            acting[name] = s
    part = _part(_key(beam), tuple(acting.items()), tuple(named.items()), tuple(offsets.items()))
    ModalBody(beam.name, part, **_motion(beam), damping={"stiffness": beam.damping} if beam.damping else 0.0).place(layout)


Key = tuple[Any, ...]


def _key(beam: Beam) -> Key:
    """All that the part of a beam is made from."""
    points = tuple(map(tuple, beam.points)) if beam.points is not None else (beam.start, beam.end)
    return points, beam.elements, beam.up, beam.profile, beam.material, beam.shear, beam.lumped


@lru_cache(maxsize=32)
def _part(key: Key, acting: tuple[tuple[str, float], ...], named: tuple[tuple[str, float], ...],
          offsets: tuple[tuple[str, tuple[float, float, float]], ...]) -> Reduced:
    """The mesh has nodes at all places, in the axes of the start of the beam."""
    points, elements, up, section, material, shear, lumped = key
    axis = axis_of(points, elements, up, 0.0)
    first, places = axis.poses[0], sorted({*np.linspace(0, 1, FINE * elements + 1).tolist(), *(s for _, s in named)})
    s = np.array([places[0], *(b for a, b in pairwise(places) if b - a > SAME)])
    mesh = mesh_beam((np.array([axis.pose(x).point for x in s]) - first.point) @ first.axes, section, material, [1] * (len(s) - 1),
                     "timoshenko" if shear else "euler-bernoulli", mass="lumped" if lumped else "consistent",
                     up=first.axes.T @ np.array(default_up(axis) if up is None else up))

    def node(x: float) -> int:
        return int(np.argmin(abs(s - x)))
    at, held = dict(offsets), [name for name, _ in acting]
    frames = {name: Interface(node=node(x), position=at.get(name), coupling="average") for name, x in named if name not in held}
    return reduce(mesh, {name: Interface(node=node(x), position=at.get(name)) for name, x in acting}, frames=frames, modes=MODES)
