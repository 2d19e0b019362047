"""All kinds of items that come with the package: importing this fills KINDS."""
from . import (
    blocks,
    bodies,
    computed_torque,
    couplings,
    drives,
    forces,
    groups,
    joint_loads,
    joints,
    modal,
    relations,
    sliding,
    state_feedback,
    variables,
)

__all__ = ["blocks", "bodies", "computed_torque", "couplings", "drives", "forces", "groups", "joint_loads", "joints", "modal", "relations",
           "sliding", "state_feedback", "variables"]
