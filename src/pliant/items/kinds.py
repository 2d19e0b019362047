"""All kinds of items that come with the package: importing this fills KINDS."""
from . import (
    blocks,
    bodies,
    controllers,
    couplings,
    drives,
    events,
    forces,
    groups,
    joint_loads,
    joints,
    modal,
    relations,
    sampled,
    sliding,
    variables,
)

__all__ = ["blocks", "bodies", "controllers", "couplings", "drives", "events", "forces", "groups", "joint_loads", "joints", "modal",
           "relations", "sampled", "sliding", "variables"]
