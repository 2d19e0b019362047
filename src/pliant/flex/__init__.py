"""Flexible parts: meshes, matrices and their reduction to a few coordinates. ``pl.flex.reduce(pl.flex.mesh_beam(…), …)``; names are loaded
when they are first used. What is derived: docs/theory/flexible.md"""
from __future__ import annotations

from importlib import import_module
from typing import Any

_WHERE = {
    "material": ("Material", "STEEL", "ALUMINIUM"),
    "section": ("Section",),
    "fe": ("FE", "from_matrices"),
    "beams": ("mesh_beam",),
    "solids": ("mesh_box",),
    "interfaces": ("Interface",),
    "reduction": ("reduce",),
    "reduced": ("Reduced", "Integrals", "Node", "Stiffening", "Skin", "from_integrals"),
    "readers": ("read",),
    "readers.source": ("FileError",),
    "recovery": ("Recovery", "Envelope"),
    "tensors": ("von_mises", "principal", "signed_von_mises"),
    "fatigue": ("rainflow", "SN", "damage"),
    "represented": ("Represented",),
    "selection": ("load_error", "enrich"),
    "segments": ("segments", "Segments"),
}
_NAMES = {name: module for module, names in _WHERE.items() for name in names}
__all__ = [*_NAMES]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'pliant.flex' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_NAMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
