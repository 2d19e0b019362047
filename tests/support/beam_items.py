"""Elements of beams between rigid bodies, as an item for tests: the bodies are its nodes, with e_1 of their axes along the beam."""
from typing import Any, ClassVar

import numpy as np

from pliant.compile import beam_elements as made
from pliant.families.beam_inertia import MOMENTS
from pliant.items.base import Pair


class BeamElement(Pair):
    """``stiffness``: 36 numbers; straight as modelled. ``mass``: spread along its axis, if there is some. ``moment``: first moments of its
    first node, whose mass and inertia are those of its body."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "beam_element_of_tests"
    stiffness: tuple[float, ...]
    length: float
    mass: float
    damping: float = 0.0
    formulation: str = "exact"
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def build(self, layout: Any) -> None:
        places = tuple(layout.places[frame.body] for frame in (self.a, self.b))
        F = np.linalg.inv(np.reshape(self.stiffness, (6, 6)))
        if self.formulation == "exact":
            made.exact_beam(layout.builder, self.name, places, self.length, np.r_[1.0, np.zeros(5)], F, damping=self.damping)
        else:
            poses = [made.Pose(np.array([self.length * k, 0, 0]), np.eye(3)) for k in range(2)]
            made.corotational_beam(layout.builder, self.name, places, poses, made.linear_stiffness(F, self.length), self.damping)
        if self.mass:
            mass = made.axis_mass(lambda x: self.mass / self.length, self.length)
            made.hermite_inertia(layout.builder, self.name, places, self.length, mass)
        if any(self.moment):
            layout.builder.element(MOMENTS, self.name, (places[0].iq, places[0].iv), self.moment, tiles=places[0].tiles)
