"""All kinds of items that come with the package: importing this fills KINDS."""
from . import bodies, couplings, distributed_loads, drives, forces, groups, joint_loads, joints, modal, relations, sliding, variables

__all__ = ["bodies", "couplings", "distributed_loads", "drives", "forces", "groups", "joint_loads", "joints", "modal", "relations",
           "sliding", "variables"]
