"""Which modes of a flexible body take part is decided during a run: what such a body is told."""
from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BeforeValidator, ConfigDict, WithJsonSchema, model_validator

from ..functions.field_error import FieldError
from ..functions.units import must
from .base import Strict, number, plain

if TYPE_CHECKING:
    from ..flex.reduced import Reduced
    Displacement = float
else:
    Displacement = number("m", positive=True)
COUPLED = 1e-6  # of the stiffnesses: coordinates that are coupled more are no modes


def _count(value: Any) -> Any:
    found = plain(value)
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise ValueError(must(value, "must be a whole number, at least 0"))
    return found


class AdaptiveModes(Strict):
    """Modes of a body that are left out while they would be displaced by less than ``tolerance`` [m] (root of the mean square over the
    body). ``at_least``: so many of the lowest always take part."""
    model_config = ConfigDict(extra="forbid", frozen=True)
    tolerance: Displacement
    at_least: Annotated[int, BeforeValidator(_count), WithJsonSchema({"type": "integer", "minimum": 0})] = 0

    @model_validator(mode="before")
    @classmethod
    def _from_tolerance(cls, value: Any) -> Any:
        return {"tolerance": value} if isinstance(value, (int, float, str, np.generic)) and not isinstance(value, bool) else value

    def check(self, part: Reduced, size: float) -> None:
        """FieldError if that is not for a part of this size [m]."""
        if not self.tolerance < size:
            raise FieldError("adaptive", f"tolerance = {self.tolerance:g} m must be less than the size of the body, {size:.3g} m")
        if part.n < 2:
            raise FieldError("adaptive", f"the part has {part.n} modal coordinate{'s' * (part.n != 1)}, must have at least 2 to choose "
                             "from; reduce it with more modes, or leave adaptive out")
        if self.at_least >= part.n:
            raise FieldError("adaptive", f"at_least = {self.at_least} must be less than the {part.n} modal coordinates of the part; "
                             "leave adaptive out if all of them shall always take part")
        K = np.asarray(part.Kqq)
        own = np.sqrt(np.maximum(np.diag(K), 0.0))
        if (abs(K - np.diag(np.diag(K))) > COUPLED * np.outer(own, own)).any():
            raise FieldError("adaptive", "the coordinates of the part are coupled by its stiffness, must be modes of it; "
                             "reduce it with orthonormal=True")
