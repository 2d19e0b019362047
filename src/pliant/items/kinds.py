"""All kinds of items that come with the package: importing this fills KINDS."""
from . import bodies, drives, forces, joints, modal, sliding

__all__ = ["bodies", "drives", "forces", "joints", "modal", "sliding"]
