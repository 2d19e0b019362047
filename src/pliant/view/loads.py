"""Forces and torques of loads over a run, in world axes: what their functions give, evaluated by the compiled model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..items.forces import Load

if TYPE_CHECKING:
    from ..channels.observer import Observer
    from ..model import Model


def varying(model: Model | None) -> dict[str, Load]:
    """Loads with functions, by the name of what stands for a channel; constant ones need none."""
    found = model.section("forces") if model else []
    return {f"{f.name}.vector": f for f in found if isinstance(f, Load) and not all(isinstance(v, (int, float)) for v in f.vector)}


def load_vector(observer: Observer, load: Load) -> np.ndarray:
    """Over the rows of the observer, shape (n, 3)."""
    from ..families.loads import LOAD
    from ..kernels.pairs import FA

    s = observer.dynamics.system
    first, last = s.families[LOAD]
    row = next(k for k in range(first, last) if s.owners[k] == load.name)
    frame = int(s.data.ip[row, FA])
    wrench = observer._wrench(f"load {load.name}", [frame], observer._one(LOAD, row - first, row - first + 1), [])
    return wrench[:, load.part : load.part + 3]
