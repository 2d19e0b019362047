"""All kinds of items that come with the package: importing this fills KINDS."""
from . import (
    blocks,
    bodies,
    couplings,
    drives,
    filters,
    forces,
    groups,
    joint_loads,
    joints,
    limiters,
    linear_blocks,
    modal,
    pid,
    relations,
    sampled,
    sliding,
    variables,
)

__all__ = ["blocks", "bodies", "couplings", "drives", "filters", "forces", "groups", "joint_loads", "joints", "limiters", "linear_blocks",
           "modal", "pid", "relations", "sampled", "sliding", "variables"]
