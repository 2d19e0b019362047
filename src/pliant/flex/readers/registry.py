"""Which function reads which file: readers register themselves by the endings of file names.

    @reads_mesh(".xyz")
    def read_xyz(path): ...        # gives a Mesh, see `mesh.Maker`

The modules of this folder are imported when a file is read for the first time; one outside when the user does it.
"""
from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .matrices import Labelled
    from .mesh import Mesh

LAST = 100  # rank of readers from outside


class Reader(NamedTuple):
    """A function of a path, and its rank: those of low rank come first in messages, and where several files would do."""
    rank: int
    read: Callable[[Path], Any]


_MESHES: dict[str, Reader] = {}
_MATRICES: dict[str, Reader] = {}


def reads_mesh(*endings: str, rank: int = LAST) -> Callable[[Callable[[Path], Mesh]], Callable[[Path], Mesh]]:
    """Register a function that gives the `Mesh` of a file with one of these endings, such as ".msh"."""
    return _register(_MESHES, endings, rank)


def reads_matrices(*endings: str, rank: int = LAST) -> Callable[[Callable[[Path], Any]], Callable[[Path], Any]]:
    """Register a function that gives `Labelled` matrices; as (Labelled, Mesh) if their nodes are not in a file beside."""
    return _register(_MATRICES, endings, rank)


def mesh_readers() -> dict[str, Callable[[Path], Mesh]]:
    """By ending."""
    return _in_order(_MESHES)


def matrix_readers() -> dict[str, Callable[[Path], Labelled | tuple[Labelled, Mesh]]]:
    """By ending."""
    return _in_order(_MATRICES)


def _register(where: dict[str, Reader], endings: tuple[str, ...], rank: int) -> Callable[[Any], Any]:
    for ending in endings:
        if not ending.startswith(".") or ending != ending.lower():
            raise ValueError(f"reader: ending {ending!r} must begin with a point and be written in small letters")

    def add(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
        where.update(dict.fromkeys(endings, Reader(rank, read)))
        return read
    return add


def _in_order(where: dict[str, Reader]) -> dict[str, Any]:
    _load_built_in()
    return {ending: reader.read for ending, reader in sorted(where.items(), key=lambda pair: pair[1].rank)}


@cache
def _load_built_in() -> None:
    """Import all modules of this folder: those that are readers register themselves."""
    assert __package__ is not None
    for found in pkgutil.iter_modules(import_module(__package__).__path__):
        import_module(f"{__package__}.{found.name}")
