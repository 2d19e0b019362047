"""Geometric stiffening of a part: stress of every unit load on the mesh, its geometric stiffness, projected on the shapes [flex-5]."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .loads import Field, inertia_loads
from .mean_axes import relieved, rigid_part
from .reduced import Integrals, PartLoad, Stiffening
from .structure import Structure

if TYPE_CHECKING:
    from .distributed import Spread

NONE = 1e-9  # of the largest of its group (inertia, forces, moments): such a load does not stress the part


class Unit(NamedTuple):
    """Unit loads by name: distributed ones, loads f and displacements d (y, loads) of the body held as its frame is."""
    loads: list[tuple[Any, ...]]
    fields: list[Field | None]
    f: np.ndarray
    d: np.ndarray


def unit_loads_of(s: Structure, frame: str, places: dict[str, Any], spread: Mapping[str, Spread]) -> Unit:
    """Those of motion, forces and moments at all places (moments where the place has a rotation), and those that are spread, by name."""
    loads, fields, vectors = list[tuple[Any, ...]](), list[Field | None](), list[np.ndarray]()
    for load, field in inertia_loads().items():
        loads.append(load)
        fields.append(field)
        vectors.append(np.asarray(s.T.T @ field.vector(s.fe)))
    interfaces = [i.name for i in s.joined]
    for name, (_, rows) in places.items():
        y = (s.rows[interfaces.index(name)] if name in interfaces else rows @ s.T).T.toarray()
        for k in range(6 if name in interfaces or y[:, 3:].any() else 3):
            loads.append(("force" if k < 3 else "moment", name, k % 3))
            fields.append(None)
            vectors.append(y[:, k])
    for name, load in spread.items():
        loads.append(("load", name))
        fields.append(Field(np.zeros(3), np.zeros((3, 3)), load))
        vectors.append(np.asarray(s.T.T @ load.vector()))
    f = np.column_stack(vectors)
    if frame == "mean-axis":
        return Unit(loads, _relieved(s, f, fields), f, s.balanced(f))
    return Unit(loads, fields, f, s.constrained(s.rows[0]).solve(f))


def stiffening_of(s: Structure, V: np.ndarray, Psi: np.ndarray, unit: Unit, frame: str, places: dict[str, Any],
                  i: Integrals, spread: Mapping[str, PartLoad]) -> tuple[Stiffening, dict[str, np.ndarray]]:
    """K by load, and the displacements of second order of all places: by virtue of the work of a unit force, -K of that force [flex-11].

    For a body-fixed frame the same of the part in mean axes [mean-4] is added, as loads ("free", ...)."""
    interfaces = {j.name for j in s.joined}
    used = [k for k, load in enumerate(unit.loads) if load[0] != "moment" or load[1] in interfaces]
    loads, balance = [unit.loads[k] for k in used], [unit.fields[k] for k in used]
    stress = s.fe.stress
    assert stress is not None
    mesh = np.asarray(s.T @ unit.d[:, used])

    def projected(Psi: np.ndarray) -> dict[tuple[Any, ...], np.ndarray]:
        K = stress.project(mesh, balance, Psi) + _rigid_faces(s, mesh, balance, Psi)
        return dict(zip(loads, (K + np.swapaxes(K, 1, 2)) / 2, strict=True))
    by = projected(Psi)
    second = {name: -np.stack([by["force", name, a] for a in range(3)]) for name in places}
    keep = [load for load in loads if _matters(load, by, interfaces)]
    if frame == "body-fixed":
        wrenches = {name: np.concatenate([load.force, load.moment]) for name, load in spread.items()}
        positions = {name: place.position for name, (place, _) in places.items()}
        free = relieved(i, projected(Psi - s.fe.rigid() @ rigid_part(i)), positions, wrenches)
        largest = max(abs(K).max() for K in free.values())
        by |= {("free", *load): K for load, K in free.items()}
        keep += [("free", *load) for load, K in free.items() if abs(K).max() > NONE * largest]
    return Stiffening(keep, np.stack([by[load] for load in keep]) if keep else np.zeros((0, V.shape[1], V.shape[1]))), second


def _rigid_faces(s: Structure, d: np.ndarray, fields: list[Field | None], Psi: np.ndarray) -> np.ndarray:
    """What the forces t that a rigid interface exerts on its nodes do when it turns, theta.(sym Y - tr Y) theta with Y = sum r t^T
    [flex-6]."""
    out = np.zeros((d.shape[1], Psi.shape[1], Psi.shape[1]))
    faces = [i for i in s.joined if i.rigid and len(i.nodes) > 1]
    if not faces:
        return out
    f = np.column_stack([np.zeros(len(d)) if field is None else field.vector(s.fe) for field in fields])
    t = np.asarray(s.fe.K @ d - f).reshape(len(s.fe.nodes), s.fe.dofs, -1)
    for i in faces:
        theta = np.asarray(s.frame(i) @ Psi)[3:]
        Y = np.einsum("na,nbk->kab", s.fe.nodes[i.nodes] - i.position, t[i.nodes, :3])
        X = (Y + np.swapaxes(Y, 1, 2)) / 2 - np.trace(Y, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        out += theta.T @ X @ theta
    return out


def _relieved(s: Structure, f: np.ndarray, fields: list[Field | None]) -> list[Field | None]:
    """Distributed loads together with the inertia forces that balance f."""
    from .fe import cross_matrix
    _, inverse = s.relief
    found: list[Field | None] = []
    for field, c in zip(fields, (inverse @ (s.R.T @ f)).T, strict=True):
        a, W, spread = field or Field(np.zeros(3), np.zeros((3, 3)))
        found.append(Field(a + c[:3], W + cross_matrix(c[3:]), spread))
    return found


def _matters(load: tuple[Any, ...], by: dict[tuple[Any, ...], np.ndarray], interfaces: set[str]) -> bool:
    if load[0] in ("force", "moment") and load[1] not in interfaces:
        return False
    inertia = {"acceleration", "angular", "centrifugal"}
    group = [abs(K).max() for other, K in by.items() if other[0] == load[0] or {other[0], load[0]} <= inertia]
    return bool(abs(by[load]).max() > NONE * max(group))
