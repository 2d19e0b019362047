"""A beam as finite segments: rigid bodies at the nodes, half an element on each side, and bushings in the middle of elements [flex-12].

The simple alternative to a modal body: large rotations and stiffening come by themselves, with many more unknowns.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._facade import work_of
from .beams import mesh_beam
from .material import Material
from .section import Section

if TYPE_CHECKING:
    from ..items.base import Frame
    from ..model import Model


class Segments(NamedTuple):
    """Bodies k = 0 … n at ``nodes`` (n + 1, 3) with ``masses``, ``coms`` (from the node), ``inertias`` (about the centre of mass); bushing
    k between bodies ``pairs[k]`` at ``middles[k]`` with ``axes[k]`` and the diagonal ``stiffness[k]`` (along x, y, z, about x, y, z), all
    in mesh axes."""
    nodes: np.ndarray
    masses: np.ndarray
    coms: np.ndarray
    inertias: np.ndarray
    pairs: np.ndarray
    middles: np.ndarray
    axes: np.ndarray
    stiffness: np.ndarray

    def add(self, model: Model, name: str, position: Any = (0.0, 0.0, 0.0), rotation: Any = None, damping: float = 0.0) -> dict[str, Frame]:
        """Add them to a model as bodies ``name_0`` … and bushings ``name_spring_1`` …, the mesh placed by ``position`` and ``rotation``;
        bushings are damped by ``damping`` [s] times their stiffness. Returns the frames "start" and "end"."""
        return work_of("Segments.add")(self, model, name, position, rotation, damping)

    def frames(self) -> list[dict[str, Any]]:
        """Per body, the frames that bushings and the ends are at."""
        frames: list[dict[str, Any]] = [{} for _ in self.nodes]
        for k, pair in enumerate(self.pairs):
            for body in pair:
                frames[body][f"spring_{k + 1}"] = {"point": tuple(self.middles[k] - self.nodes[body]), "rotation": self.axes[k]}
        frames[0]["start"], frames[-1]["end"] = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        return frames


def segments(points: Any, section: Section, material: Material, elements: Any = 20, *, up: Any = None) -> Segments:
    """The finite segments of the beam that `mesh_beam` makes of the same arguments (with shear, as of Timoshenko)."""
    from .beam_stress import BeamStress
    fe = mesh_beam(points, section, material, elements, "timoshenko", up=up)
    stress = fe.stress
    assert isinstance(stress, BeamStress)
    el = stress.el
    x = el.R[:, :, 0]
    half = material.rho * section.area * el.L / 2
    own = el.E + np.diag([1.0, 0.0, 0.0])[None] * (el.L**2 / 48)[:, None, None]          # (h / 2)^2 / 12 along x
    spread = half[:, None, None] * (el.R @ own @ np.swapaxes(el.R, 1, 2))                 # int r r^T of a half about its centre
    p = len(fe.nodes)
    m, first, second = np.zeros(p), np.zeros((p, 3)), np.zeros((p, 3, 3))
    for k, sign in ((0, 1.0), (1, -1.0)):
        c = sign * x * (el.L / 4)[:, None]
        np.add.at(m, el.ends[:, k], half)
        np.add.at(first, el.ends[:, k], half[:, None] * c)
        np.add.at(second, el.ends[:, k], spread + half[:, None, None] * c[:, :, None] * c[:, None, :])
    coms = first / m[:, None]
    second -= m[:, None, None] * coms[:, :, None] * coms[:, None, :]
    inertias = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    middles = fe.nodes[el.ends[:, 0]] + x * (el.L / 2)[:, None]
    return Segments(fe.nodes, m, coms, inertias, el.ends, middles, el.R, el.D / el.L[:, None])
