"""A joint written outside the package: a pin in a straight slot. The pin's point stays on the slot and its axis stays normal to
the slot's plane: four equations, free to slide along the slot and to turn about the pin."""
from typing import Any, ClassVar

from pliant.items.declarations import TreeJoint
from pliant.items.joints import Slides


class PinInSlot(Slides):
    """Slot along ``axis`` of frame a; the pin is parallel to the y axis of the joint frame."""
    kind: ClassVar[str] = "pin_in_slot"
    symbol: ClassVar[str] = "prismatic"
    guide: ClassVar[str] = "line"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (("d2", 0), ("d2", 1), ("d1", 0, 1), ("d1", 2, 1))
    tree: ClassVar[TreeJoint | None] = TreeJoint(("z", "ry"), ("displacement", "turn"))
