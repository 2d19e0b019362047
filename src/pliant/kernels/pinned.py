"""Tuples of arrays that stay in one place while a run goes on: loops pass their address to the kernels that know what they are."""
from __future__ import annotations

from typing import Any

import numpy as np

from .by_reference import _keep, _size
from .jit import DISABLED, entry


@entry
def _size_of(t):
    return _size(t)


@entry
def _store(t, address):
    _keep(t, address)


class Pinned:
    """``address`` of a tuple, for `by_reference.opaque`; without Numba the tuple itself. It is good as long as this object lives."""

    def __init__(self, kept: Any) -> None:
        self.kept = kept
        if DISABLED:
            self.address = kept
            return
        self.memory = np.zeros(_size_of(kept) // 8 + 1, np.int64)
        self.address = self.memory.ctypes.data
        _store(kept, self.address)
