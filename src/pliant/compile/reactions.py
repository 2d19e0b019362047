"""What joints exert as signals of conditions: A.force, A.torque (magnitudes) and their components in world axes, such as A.force.x; and
the loads of their bearings as signals of friction."""
from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ..items.errors import ModelError
from .signals import Primitive

if TYPE_CHECKING:
    from ..items.declarations import Bearing
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
        self.layout, self.places = layout, dict[str, tuple[int, int, int]]()

    def signal(self, reference: str) -> Primitive | None:
        from ..families.reactions import REACTION
        found = names_reaction(reference, self.layout.directory.joints)
        if found is None:
            return None
        joint, place = found
        at, _, last = self._of(joint, "what it exerts cannot be read by a condition")
        self.layout.builder.decides_by_reactions = True
        return Primitive(at + place, REACTION, last, ())

    def bearing(self, of: Bearing) -> Primitive:
        """The load of a bearing."""
        from ..families.reactions import REACTION
        from ..families.signals import BEARING, BEARS
        b, record = self.layout.builder, self.layout.directory.joints[of.joint]
        at, first, last = self._of(of.joint, "friction cannot be made of what it exerts")
        b.borne.append(of.item)
        slot, rows = b.new_signal(), (b.row_of(REACTION, first), b.row_of(REACTION, last - 1))
        row = b.element(BEARING, of.joint, (record.a, record.b, -1, at, *rows, slot, int(BEARS)), (*of.levers, of.preload))
        return Primitive(slot, BEARING, row, (*b.tiles_of(record.a), *b.tiles_of(record.b), record.rows[0] // 6))

    def _of(self, joint: str, cannot: str) -> tuple[int, int, int]:
        if joint not in self.places:
            self.places[joint] = self._rows(joint, cannot)
        return self.places[joint]

    def _rows(self, joint: str, cannot: str) -> tuple[int, int, int]:
        """Its place in Y, and the first and last of its rows."""
        from ..families.reactions import CLEARED, COUNT, REACTION, SUM
        b, record = self.layout.builder, self.layout.directory.joints[joint]
        if unknown := {kind for kind, *_ in record.directions} - EQUATIONS.keys():
            raise ModelError(f"joint {joint!r}: {cannot}, since it has equations of the kind "
                             f"{min(unknown)!r}; read a channel of what it connects", (joint,))
        at = b.new_signal()
        for _ in range(int(COUNT) - 1):  # they follow each other
            b.new_signal()
        b.element(CLEARED, joint, (-1, -1, -1, -1, -1, -1, at))
        done, rows = set[int](), list[int]()
        for row, (kind, *axes) in zip(record.rows, record.directions, strict=True):
            first = row - int(axes[0]) if kind == "coincident" else row
            if first not in done:
                done.add(first)
                axis_a, axis_b = [*(axes if kind in ("d1", "d2") else []), 0, 0][:2]
                rows.append(b.element(REACTION, joint, (record.a, record.b, first, EQUATIONS[kind], axis_a, axis_b, at)))
        last = b.element(REACTION, joint, (record.a, record.b, -1, int(SUM), 0, 0, at))
        return at, rows[0], last
