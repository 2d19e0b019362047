"""Wrong models and what is said about them: data of test_wrong_models.py."""
from . import (
    assemblies,
    beams,
    blocks,
    bodies,
    contacts,
    forces,
    joint_words,
    joints,
    named_values,
    spread_loads,
    texts,
)
from .base import CASES

__all__ = [
    "CASES",
    "assemblies",
    "beams",
    "blocks",
    "bodies",
    "contacts",
    "forces",
    "joint_words",
    "joints",
    "named_values",
    "spread_loads",
    "texts",
]
