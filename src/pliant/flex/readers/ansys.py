"""Ansys .full files through the optional package ansys-mapdl-reader. Written after its documentation; no licensed program checked it."""
from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from .matrices import Labelled
from .mesh import Mesh
from .registry import reads_matrices


@reads_matrices(".full", rank=4)
def read_full(path: Path) -> tuple[Labelled, Mesh]:
    """Matrices of path, and nodes of the .rst, .cdb or .db-like file beside it."""
    try:
        from ansys.mapdl import reader  # type: ignore[import-not-found]
    except ImportError:
        raise ImportError("Ansys .full files need the package ansys-mapdl-reader: pip install 'pliant[ansys]'") from None
    dofs, K, M = reader.read_binary(str(path)).load_km(sort=True)
    if np.isin(dofs[:, 1], [0, 1, 2, 3, 4, 5]).sum() != len(dofs):
        raise ValueError(f"{path}: has unknowns other than displacements and rotations, which are not read")
    K, M = (a + a.T - _diagonal(a) for a in (K, M))
    return Labelled(f"Ansys matrices {path.name}", np.column_stack((dofs[:, 0], dofs[:, 1] + 1)), K, M), _nodes(path, reader)


def _diagonal(a: object) -> object:
    import scipy.sparse as sp
    return sp.diags_array(a.diagonal())  # type: ignore[attr-defined]


def _nodes(path: Path, reader: object) -> Mesh:
    for ending in (".rst", ".cdb"):
        file = path.with_suffix(ending)
        if file.is_file():
            if ending == ".cdb":
                archive = reader.Archive(str(file))  # type: ignore[attr-defined]
                numbers, x = archive.nnum, archive.nodes[:, :3]
            else:
                mesh = reader.read_binary(str(file)).mesh  # type: ignore[attr-defined]
                numbers, x = mesh.nnum, mesh.nodes[:, :3]
            order = np.argsort(numbers)
            return Mesh(str(file), "Ansys full file", np.asarray(numbers)[order].astype(np.int64), np.asarray(x, float)[order], [], {}, {},
                        Counter(), [])
    raise FileNotFoundError(f"{path}: the nodes of these matrices are needed; put the .rst or .cdb file of the same name beside it")
