"""All kinds of items that come with the package: importing this fills KINDS."""
from . import (
    blocks,
    bodies,
    circuits,
    couplings,
    cylinders,
    drives,
    forces,
    groups,
    hydraulic_lines,
    hydraulics,
    joint_loads,
    joints,
    modal,
    motors,
    pneumatics,
    relations,
    sliding,
    variables,
)

__all__ = ["blocks", "bodies", "circuits", "couplings", "cylinders", "drives", "forces", "groups", "hydraulic_lines", "hydraulics",
           "joint_loads", "joints", "modal", "motors", "pneumatics", "relations", "sliding", "variables"]
