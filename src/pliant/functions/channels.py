"""Which channels an expression uses."""
from __future__ import annotations

from .expression import Node, Signal, bottom_up

CHANNELS = 100  # that one expression may use


def channels(node: Node) -> list[str]:
    """The channels that an expression uses, each once."""
    found = list(dict.fromkeys(x.reference for x in bottom_up(node) if isinstance(x, Signal)))
    if len(found) > CHANNELS:
        raise ValueError(f"the expression uses {len(found)} channels, must be at most {CHANNELS}; split it over several forces")
    return found
