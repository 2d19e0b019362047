"""All kinds of items that come with the package: importing this fills KINDS."""
from . import bodies, couplings, drives, forces, groups, joints, modal, sliding, variables

__all__ = ["bodies", "couplings", "drives", "forces", "groups", "joints", "modal", "sliding", "variables"]
