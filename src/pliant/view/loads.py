"""Forces and torques of loads over a run, in world axes: what their functions give, evaluated by the compiled model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..items.forces import Load

if TYPE_CHECKING:
    from ..channel_values.observer import Observer
    from ..model import Model


def varying(model: Model | None) -> dict[str, Load]:
    """Loads with functions, by the name of what stands for a channel; constant ones need none."""
    found = model.section("forces") if model else []
    return {f"{f.name}.vector": f for f in found if isinstance(f, Load) and not all(isinstance(v, (int, float)) for v in f.vector)}


def load_vector(observer: Observer, load: Load) -> np.ndarray:
    """Over the rows of the observer, shape (n, 3)."""
    return observer.effort(load.name, "a")[:, load.part : load.part + 3]
