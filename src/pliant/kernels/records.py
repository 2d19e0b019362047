"""Named numbers that kernels and Python both read and write: ``c.h`` instead of a numbered slot, and as fast."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def record_type(reals: dict[str, str] | None = None, wholes: dict[str, str] | None = None) -> np.dtype[Any]:
    """The type of a record, from {name: meaning}, or {"name, name": meaning}."""
    kinds = ((reals or {}, np.float64), (wholes or {}, np.int64))
    return np.dtype([(name, kind) for named, kind in kinds for names in named for name in names.split(", ")])


class Record(np.record):  # type: ignore[misc]
    """Fields first: those of NumPy look for everything else before, which takes five times as long."""

    def __getattribute__(self, name: str) -> Any:
        try:
            return np.void.__getitem__(self, name)
        except ValueError:  # no field
            return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        np.void.__setitem__(self, name, value)


def new_record(kind: np.dtype[Any], **values: float) -> Any:
    """A record of zeros but for ``values``."""
    made = np.zeros(1, np.dtype((Record, kind)))[0]
    for name, value in values.items():
        made[name] = value
    return made


def values(record: Any) -> np.ndarray:
    """All fields as reals, for checkpoints."""
    return np.array([float(record[name]) for name in record.dtype.names])


def assign(record: Any, given: np.ndarray, but: Iterable[str] = ()) -> None:
    """The other way round; fields named in ``but`` stay as they are."""
    for name, value in zip(record.dtype.names, given, strict=True):
        if name not in but:
            record[name] = value
