"""From a mesh of a file to an FE model: units, materials, elements, groups."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...functions.field_error import FieldError
from ...functions.units import shown
from ..fe import FE
from ..isoparametric import ElementError, Isoparametric, skin_of
from ..loads import Field
from ..material import Material
from ..solids import assembled
from .mesh import Block, Mesh
from .source import about
from .systems import SI, Units, settled

SOME = 5  # numbers shown in notes


class Several:
    """Elements of several kinds or materials on the same nodes (`fe.Stress`)."""

    def __init__(self, bodies: list[Isoparametric]) -> None:
        self.bodies = bodies

    def project(self, d: np.ndarray, fields: list[Field | None], V: np.ndarray) -> np.ndarray:
        return np.asarray(sum(body.project(d, fields, V) for body in self.bodies))


def fe_of_mesh(mesh: Mesh, material: Any, units: Any, mass: str, partial: bool) -> FE:
    """An FE model of the solid elements."""
    if mass not in ("consistent", "lumped"):
        raise FieldError("mass", f"{shown(mass)} must be consistent or lumped")
    if not mesh.blocks:
        found = f"; there are {_counted(mesh.unsupported)}" if mesh.unsupported else ""
        raise ValueError(f"{mesh.path}: has no solid elements (tetrahedra, bricks, wedges){found}")
    missing = {k: n for k, n in mesh.unsupported.items() if "element" in k or "coupling" in k}
    if missing and not partial:
        raise ValueError(f"{mesh.path}: some of it is not supported: {_counted(missing)}; without that the part would be another one. "
                         "Import its matrices, or leave them out with partial=True (on the command line --partial)")
    materials = _materials(mesh, material)
    u, told = settled_for(mesh, units, material is None)
    used = np.unique(np.concatenate([b.nodes.ravel() for b in mesh.blocks]))
    x = mesh.x[used] * u.length
    with about(mesh.path):
        bodies = [_body(mesh, b, x, used, _si(materials[b.material], u)) for b in mesh.blocks]
    K, M = assembled(bodies, mass)
    kinds = ", ".join(dict.fromkeys(b.kind for b in mesh.blocks))
    stress = bodies[0] if len(bodies) == 1 else Several(bodies)
    with about(mesh.path):
        fe = FE(x, K, M, stress=stress, cells=skin_of(bodies), what=f"solid, {kinds} from {mesh.format}", ids=mesh.ids[used])
    return finished(fe, mesh, used, told, {b.kind: sum(len(c.ids) for c in mesh.blocks if c.kind == b.kind) for b in mesh.blocks})


def with_elements(fe: FE, mesh: Mesh, used: np.ndarray, units: Units) -> str:
    """Give the model of matrices the elements of its mesh, for stresses, geometric stiffening and pictures; a sentence about it."""
    nodes = np.unique(np.concatenate([b.nodes.ravel() for b in mesh.blocks])) if mesh.blocks else np.zeros(0, int)
    if fe.dofs != 3 or not np.array_equal(nodes, used):
        return "matrices without elements: there are no stresses and no geometric stiffening"
    try:
        materials = _materials(mesh, None)
        bodies = [_body(mesh, b, fe.nodes, used, _si(materials[b.material], units)) for b in mesh.blocks]
    except ValueError as error:
        return f"no stresses and no geometric stiffening: {error}"
    fe.stress, fe.cells = (bodies[0] if len(bodies) == 1 else Several(bodies)), skin_of(bodies)
    return "stresses and geometric stiffening come from the elements of the mesh"


def finished(fe: FE, mesh: Mesh, used: np.ndarray, units: str, elements: dict[str, int]) -> FE:
    """With groups and facts of the file."""
    place = np.full(len(mesh.ids), -1)
    place[used] = np.arange(len(used))
    fe.groups = {name: place[nodes][place[nodes] >= 0] for name, nodes in mesh.groups.items()}
    fe.groups = {name: nodes for name, nodes in fe.groups.items() if len(nodes)}
    loose = np.setdiff1d(np.arange(len(mesh.ids)), used)
    near = _coincident(fe.nodes)
    notes = list(mesh.notes)
    if near:
        notes.append(f"{near} nodes are at the same place as another one; if the mesh should hang together there, merge them")
    fe.facts = {"file": mesh.path, "format": mesh.format, "nodes": len(used), "elements": elements, "units": units,
                "groups": {name: len(nodes) for name, nodes in fe.groups.items()}, "unattached": mesh.ids[loose].tolist(),
                "unsupported": dict(mesh.unsupported), "notes": notes}
    return fe


def settled_for(mesh: Mesh, units: Any, by_material: bool = True) -> tuple[Units, str]:
    """The units to take, by the size of the mesh and perhaps the materials of its file, and a sentence about them."""
    E, _, rho = next(iter(mesh.materials.values()), (None, None, None)) if by_material else (None, None, None)
    return settled(units, size_of(mesh.x), E, rho, mesh.path)


def size_of(x: np.ndarray) -> float:
    return float(np.linalg.norm(np.ptp(x, axis=0)))


def _coincident(x: np.ndarray) -> int:
    from scipy.spatial import cKDTree
    return len(cKDTree(x).query_pairs(1e-9 * max(size_of(x), 1e-300)))


def _counted(found: Mapping[str, int]) -> str:
    return ", ".join(f"{n} of {what}" for what, n in found.items())


def _materials(mesh: Mesh, given: Any) -> dict[str, Any]:
    """By name of the blocks' materials: what the user gives comes first."""
    names = list(dict.fromkeys(b.material for b in mesh.blocks))
    if isinstance(given, Material):
        return dict.fromkeys(names, given)
    if given is not None and not (isinstance(given, Mapping) and all(isinstance(m, Material) for m in given.values())):
        raise FieldError("material", f"{shown(given)} must be a Material, or a mapping of names of "
                         "groups or materials to them")
    found: dict[str, Any] = {}
    for name in names:
        found[name] = (given or {}).get(name, mesh.materials.get(name))
        if found[name] is None:
            count = sum(len(b.ids) for b in mesh.blocks if b.material == name)
            which = f"{count} elements" + (f" of {name!r}" if name else "")
            raise ValueError(f"{mesh.path}: {which} have no material; give material=pl.STEEL, or {{name: material}}")
        if not isinstance(found[name], Material) and found[name][2] is None:
            raise ValueError(f"{mesh.path}: the material {name!r} has no density; add it, or give material=")
    return found


def _si(value: Any, units: Units) -> Material:
    """Materials of files are in the units of the file, given ones in SI."""
    if isinstance(value, Material):
        return value
    E, nu, rho = value
    return Material(E * units.modulus, nu, rho * units.density) if units is not SI else Material(E, nu, rho)


def _body(mesh: Mesh, block: Block, x: np.ndarray, used: np.ndarray, material: Material) -> Isoparametric:
    try:
        return Isoparametric(x, np.searchsorted(used, block.nodes), block.kind, material, block.ids)
    except ElementError as error:
        if error.element not in mesh.lines:
            raise
        source, line = mesh.lines[error.element]
        raise source.fail(line, str(error)) from None
