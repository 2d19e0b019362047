"""Meshes and matrices of FE programs: ``read`` chooses the reader by the ending of the file's name. One module for each format."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...functions.units import shown

if TYPE_CHECKING:
    from ..fe import FE
    from .matrices import Labelled
    from .mesh import Mesh

MESHES = {".msh": "gmsh", ".inp": "abaqus", ".bdf": "nastran", ".nas": "nastran", ".fem": "nastran", ".dat": "nastran"}
MATRICES = {".sti": "calculix", ".mas": "calculix", ".dof": "calculix", ".mtx": "abaqus_matrices", ".op4": "op4", ".full": "ansys"}


def read(path: str | Path, *, material: Any = None, units: Any = None, mass: str = "consistent", mesh: str | Path | None = None,
         partial: bool = False) -> FE:
    """An FE model from a file of an FE program (docs/fe_programs.md).

    Meshes: gmsh ``.msh``, Abaqus and CalculiX ``.inp``, Nastran ``.bdf .nas .fem .dat``; matrices: CalculiX ``.sti`` (with ``.mas``,
    ``.dof``), Abaqus ``.mtx``, Nastran ``.op4`` or DMIG in the bulk data, Ansys ``.full``. ``mesh`` names the file with the nodes of
    matrices, if it is not beside them under the same name. ``material``: a `Material` in SI, or {group or material of the file: Material};
    it comes before that of the file. ``units``: those of the file, as "mm, t, s". ``partial=True`` leaves out elements that are not
    supported."""
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in MESHES and ending not in MATRICES:
        raise ValueError(f"{str(path)!r}: the ending {shown(ending)} is none of {', '.join([*MESHES, *MATRICES])}")
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    if ending == ".full":
        from .ansys import read_full
        return _of_matrices(*read_full(file), units)
    if ending in MATRICES:
        labelled = _matrices(file, ending)
        return _of_matrices(labelled, read_mesh(mesh if mesh is not None else beside(file)), units)
    from .build import fe_of_mesh
    found = read_mesh(file)
    if MESHES[ending] == "nastran" and not found.blocks:
        from .nastran import dmig
        return _of_matrices(dmig(file), found, units)
    return fe_of_mesh(found, material, units, mass, partial)


def read_mesh(path: str | Path) -> Mesh:
    """A mesh as its file describes it."""
    kind = MESHES.get(Path(path).suffix.lower())
    if kind == "gmsh":
        from .gmsh import read_gmsh
        return read_gmsh(path)
    if kind == "abaqus":
        from .abaqus import read_inp
        return read_inp(path)
    if kind == "nastran":
        from .nastran import read_bulk
        return read_bulk(path)
    raise ValueError(f"{str(path)!r}: a mesh has the ending {', '.join(MESHES)}")


def _matrices(file: Path, ending: str) -> Labelled:
    if MATRICES[ending] == "calculix":
        from .calculix import read_calculix
        return read_calculix(file)
    if MATRICES[ending] == "abaqus_matrices":
        from .abaqus_matrices import read_mtx
        return read_mtx(file)
    from .op4 import read_op4_pair
    return read_op4_pair(file)


def beside(file: Path) -> Path:
    """The mesh that belongs to matrices: the same name, also without what the program appended."""
    import re
    stems = dict.fromkeys([file.stem, re.sub(r"(_matrices|_(STIF|MASS)\d*)$", "", file.stem, flags=re.IGNORECASE)])
    for stem in stems:
        for ending in MESHES:
            if (found := file.with_name(stem + ending)).is_file():
                return found
    raise FileNotFoundError(f"{file}: the nodes of these matrices are needed; there is no {' or '.join(stems)} with the ending "
                            f"{', '.join(MESHES)} beside it, name it with mesh= (on the command line --mesh)")


def units_of_mesh(path: str | Path, units: Any) -> str:
    """The units in which a mesh is read, or an error that asks for them."""
    from .build import settled_for
    return settled_for(read_mesh(path), units)[0].name


def _of_matrices(labelled: Labelled, found: Mesh, units: Any) -> FE:
    from .build import finished, settled_for, with_elements
    from .matrices import fe_of_matrices
    u, told = settled_for(found, units)
    fe, place = fe_of_matrices(labelled, found, u)
    found.notes.append(with_elements(fe, found, place, u))
    found.unsupported.clear()  # what matrices hold is in them
    made = finished(fe, found, place, told, {})
    made.facts["matrices"] = labelled.what
    return made
