"""What joints exert as signals of conditions: A.force, A.torque (magnitudes) and their components in world axes, such as A.force.x."""
from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ..items.errors import ModelError
from .signals import Primitive

if TYPE_CHECKING:
    from .model_compiler import ModelCompiler

NAMES = {**{f"force.{axis}": k for k, axis in enumerate("xyz")}, **{f"torque.{axis}": 3 + k for k, axis in enumerate("xyz")},
         "force": 6, "torque": 7}
EQUATIONS = {"coincident": 0, "d1": 1, "d2": 2, "distance": 3}  # as families.reactions numbers them


def names_reaction(reference: str, joints: Collection[str]) -> tuple[str, int] | None:
    """The joint and the place among its eight numbers; None if it is something else."""
    for name, place in NAMES.items():
        joint = reference.removesuffix(f".{name}")
        if joint != reference and joint in joints:
            return joint, place
    return None


class Reactions:
    """Those that are asked for, by joint: where their numbers begin in Y, and the row that makes them."""

    def __init__(self, layout: ModelCompiler) -> None:
        self.layout, self.places = layout, dict[str, tuple[int, int]]()

    def signal(self, reference: str) -> Primitive | None:
        from ..families.reactions import REACTION
        found = names_reaction(reference, self.layout.directory.joints)
        if found is None:
            return None
        joint, place = found
        if joint not in self.places:
            self.places[joint] = self._rows(joint)
        at, row = self.places[joint]
        return Primitive(at + place, REACTION, row, ())

    def _rows(self, joint: str) -> tuple[int, int]:
        from ..families.reactions import CLEARED, COUNT, REACTION, SUM
        b, record = self.layout.builder, self.layout.directory.joints[joint]
        if unknown := {kind for kind, *_ in record.directions} - EQUATIONS.keys():
            raise ModelError(f"joint {joint!r}: what it exerts cannot be read by a condition, since it has equations of the kind "
                             f"{min(unknown)!r}; read a channel of what it connects", (joint,))
        at = b.new_signal()
        for _ in range(int(COUNT) - 1):  # they follow each other
            b.new_signal()
        b.element(CLEARED, joint, (-1, -1, -1, -1, -1, -1, at))
        done = set[int]()
        for row, (kind, *axes) in zip(record.rows, record.directions, strict=True):
            first = row - int(axes[0]) if kind == "coincident" else row
            if first not in done:
                done.add(first)
                axis_a, axis_b = [*(axes if kind in ("d1", "d2") else []), 0, 0][:2]
                b.element(REACTION, joint, (record.a, record.b, first, EQUATIONS[kind], axis_a, axis_b, at))
        last = b.element(REACTION, joint, (record.a, record.b, -1, int(SUM), 0, 0, at))
        return at, last
