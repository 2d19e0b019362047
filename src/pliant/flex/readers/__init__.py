"""Meshes and matrices of FE programs: ``read`` chooses the reader by the ending of the file's name. One module for each
format; it registers its reader (`registry`)."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...functions.units import shown
from .registry import matrix_readers, mesh_readers

if TYPE_CHECKING:
    from ..fe import FE
    from .matrices import Labelled
    from .mesh import Mesh

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
    if ending not in mesh_readers() and ending not in matrix_readers():
        known = ", ".join([*mesh_readers(), *matrix_readers()])
        raise ValueError(f"{str(path)!r}: the ending {shown(ending)} is none of {known}")
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    if ending in matrix_readers():
        labelled, nodes = _with_nodes(matrix_readers()[ending](file))
        return _of_matrices(labelled, nodes or read_mesh(mesh if mesh is not None else beside(file)), units)
    from .build import fe_of_mesh
    found = read_mesh(file)
    if found.matrices is not None and not found.blocks:
        return _of_matrices(found.matrices(), found, units)
    return fe_of_mesh(found, material, units, mass, partial)


def read_mesh(path: str | Path) -> Mesh:
    """A mesh as its file describes it."""
    reader = mesh_readers().get(Path(path).suffix.lower())
    if reader is None:
        raise ValueError(f"{str(path)!r}: a mesh has the ending {', '.join(mesh_readers())}")
    return reader(Path(path))


def _with_nodes(found: Any) -> tuple[Labelled, Mesh | None]:
    """What a reader of matrices gives: alone, or with the nodes."""
    from .matrices import Labelled
    return (found, None) if isinstance(found, Labelled) else found


def beside(file: Path) -> Path:
    """The mesh that belongs to matrices: the same name, also without what the program appended."""
    import re
    stems = dict.fromkeys([file.stem, re.sub(r"(_matrices|_(STIF|MASS)\d*)$", "", file.stem, flags=re.IGNORECASE)])
    for stem in stems:
        for ending in mesh_readers():
            if (found := file.with_name(stem + ending)).is_file():
                return found
    raise FileNotFoundError(f"{file}: the nodes of these matrices are needed; there is no {' or '.join(stems)} with the ending "
                            f"{', '.join(mesh_readers())} beside it, name it with mesh= (on the command line --mesh)")


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
