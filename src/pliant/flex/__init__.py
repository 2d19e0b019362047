"""Flexible parts: meshes, matrices and their reduction to a few coordinates. ``pl.flex.reduce(pl.flex.mesh_beam(…), …)``; names are loaded
when they are first used. What is derived: docs/theory/flexible.md"""
from __future__ import annotations

from .._facade import loaded_on_use

_WHERE = {
    "material": ("Material", "STEEL", "ALUMINIUM"),
    "section": ("Section",),
    "fe": ("FE", "from_matrices"),
    "beams": ("mesh_beam",),
    "solids": ("mesh_box",),
    "interfaces": ("Interface",),
    "reduction": ("reduce",),
    "reduced": ("Reduced", "Integrals", "Node", "PartLoad", "Stiffening", "Skin", "from_integrals"),
    "readers": ("read",),
    "readers.source": ("FileError",),
    "recovery": ("Recovery", "Envelope"),
    "tensors": ("von_mises", "principal", "signed_von_mises"),
    "fatigue": ("rainflow", "SN", "damage"),
    "load_participation": ("Represented",),
    "selection": ("load_error", "enrich"),
    "segments": ("segments", "Segments"),
}
_names, __getattr__ = loaded_on_use(__name__, _WHERE)
__all__ = [*_names]


def __dir__() -> list[str]:
    return sorted(__all__)
