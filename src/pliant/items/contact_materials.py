"""Materials of bodies that touch: what the law of Hertz needs of them."""
from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from ..functions.units import must


def _materials(value: Any) -> Any:
    """steel, aluminium, a material of `pliant.flex`, or {E: 210 GPa, nu: 0.3}."""
    from ..flex.material import ALUMINIUM, STEEL, Material
    known = {"steel": STEEL, "aluminium": ALUMINIUM}
    if isinstance(value, str):
        if value not in known:
            raise ValueError(must(value, f"must be {' or '.join(known)}, or a mapping such as {{E: 210 GPa, nu: 0.3}}"))
        return value
    if isinstance(value, Material):
        return {"E": value.E, "nu": value.nu}
    if not isinstance(value, dict) or set(value) != {"E", "nu"}:
        raise ValueError(must(value, "must be a material: steel, aluminium, or a mapping such as {E: 210 GPa, nu: 0.3}"))
    made = Material(value["E"], value["nu"], 0.0)
    return {"E": made.E, "nu": made.nu}


Stuff = Annotated[Any, BeforeValidator(_materials), WithJsonSchema({"anyOf": [
    {"enum": ["steel", "aluminium"]}, {"type": "object", "properties": {"E": {}, "nu": {}}, "required": ["E", "nu"],
                                       "additionalProperties": False}]})]


def moduli(stuff: Any) -> tuple[float, float]:
    """E and nu of a material."""
    from ..flex.material import ALUMINIUM, STEEL
    if isinstance(stuff, str):
        found = {"steel": STEEL, "aluminium": ALUMINIUM}[stuff]
        return found.E, found.nu
    return stuff["E"], stuff["nu"]
