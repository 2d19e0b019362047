"""Rotors of motors in joint coordinates: inertia on the diagonal of a rate. docs/theory/drives.md"""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..families.rotors import INERTIA, ROTOR
from ..items.errors import ModelError
from ..kernels import link_tables as rc
from ..kernels.pairs import FA, FB

if TYPE_CHECKING:
    from .tree import JointSpace


def rotors_of(space: JointSpace, ip: np.ndarray, rates: int) -> np.ndarray:
    """What the rotors of motors add to the inertia of every rate: to that of the angle of their joint.       [rotor-3]"""
    s, found, turning = space.system, np.zeros(rates), dict[tuple[int, int], int]()
    for i, link in enumerate(space.links):
        if link.joint in space.directory.joints and "angle" in (record := space.record(link)).zeros:
            turning[record.a, record.b] = int(ip[i, rc.IU]) + space.moving(link).coordinates.index("angle")
    for e in range(*s.families.get(ROTOR, (0, 0))):
        frames = int(s.data.ip[e, FA]), int(s.data.ip[e, FB])
        if frames not in turning:
            joint = next(name for name, record in space.directory.joints.items() if (record.a, record.b) == frames)
            raise ModelError(f"simulate: coordinates: {s.owners[e]!r} has a rotor on joint {joint!r}, which closes a loop in joint "
                             "coordinates. Cut another joint of that loop, as in Recursion(cut='B'), or take coordinates = 'absolute'",
                             (s.owners[e],))
        found[turning[frames]] += s.data.rp[e, INERTIA]
    return found
