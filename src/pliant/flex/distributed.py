"""Loads spread over a part, by name: line loads on beams, pressure on solids, loads on the mass, forces at nodes. docs/theory/flexible.md

On the mesh each is a set of points x with forces f, displaced by U d; forces that follow the deformation change by D d, to first order.
On the shapes it becomes what `PartLoad` holds [spread-1].
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..functions.evaluation import values
from ..functions.expression import Signal, Variable, bottom_up
from ..functions.field_error import FieldError
from ..functions.parser import parse
from ..functions.suggestions import did_you_mean
from ..functions.units import must, quantity, shown
from .beam_stress import BeamStress
from .beams import GAUSS, WEIGHTS, fields_on_mesh
from .faces import Faces, outer_faces, solids_of
from .fe import FE, cross_matrix
from .interfaces import Interface, PlaceError, select
from .reduced import PartLoad
from .user_values import flag, whole

KINDS = {"line": "N/m", "pressure": "Pa", "per_mass": "N/kg", "forces": "N"}
CHOICE = ("nodes", "box", "plane", "group")
ENTRIES = (*KINDS, *CHOICE, "follows", "shape")


class Spread(NamedTuple):
    """A load on the mesh."""
    x: np.ndarray                  # (g, 3) where it acts
    f: np.ndarray                  # (g, 3) forces, weights of integration included
    U: Any                         # (3 g, dofs) displacements of the points
    D: Any = None                  # (3 g, dofs) by what the forces change with the deformation
    shape: bool = True             # whether its static shape is added to those of the part
    inside: bool = False           # whether the points are those of the mass of beams

    def vector(self) -> np.ndarray:
        """Nodal loads of the whole model."""
        return np.asarray(self.U.T @ self.f.ravel())

    def on(self, Psi: np.ndarray) -> PartLoad:
        """With shapes Psi (dofs, n)."""
        x, f, n = self.x, self.f, Psi.shape[1]
        psi = np.asarray(self.U @ Psi).reshape(-1, 3, n)
        f1 = np.zeros_like(psi) if self.D is None else np.asarray(self.D @ Psi).reshape(-1, 3, n)
        return PartLoad(f.sum(axis=0), np.cross(x, f).sum(axis=0), np.einsum("gij,gi->j", psi, f), np.einsum("gi,gj->ij", x, f),
                        np.cross(psi, f[:, :, None], axis=1).sum(axis=0), f1.sum(axis=0),
                        np.cross(x[:, :, None], f1, axis=1).sum(axis=0), np.einsum("gij,gik->jk", psi, f1))


def spread_loads(fe: FE, loads: Any) -> dict[str, Spread]:
    """All named loads on the mesh; problems name the load."""
    if loads is not None and not isinstance(loads, Mapping):
        raise FieldError("loads", f"{shown(loads)} must be a mapping of names to loads, such as {{'wind': {{'line': (0, 0, '-20 N/m')}}}}; "
                         "static shapes of further loads are load_shapes")
    found = {}
    for name, value in (loads or {}).items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"load {name!r}: its name must be a word of letters, digits and _")
        try:
            found[name] = _spread(fe, value)
        except ValueError as error:
            raise PlaceError("load", name, error) from None
    return found


def _spread(fe: FE, value: Any) -> Spread:
    if not isinstance(value, Mapping):
        raise ValueError(must(value, f"must be a mapping with one of {', '.join(KINDS)}, such as {{line: [0, 0, -20 N/m]}}"))
    if unknown := [k for k in value if k not in ENTRIES]:
        raise ValueError(f"unknown entry {shown(unknown[0])}{did_you_mean(str(unknown[0]), ENTRIES)}")
    if len(kinds := [k for k in KINDS if k in value]) != 1:
        raise ValueError(f"give one of {', '.join(KINDS)}; {' and '.join(kinds) + ' are' if kinds else 'none is'} given")
    (kind,), given = kinds, value[kinds[0]]
    shape, follows = flag("shape", value.get("shape", True)), flag("follows", value.get("follows", False))
    if "follows" in value and (kind not in ("line", "forces") or fe.dofs != 6):
        raise FieldError("follows", "a pressure always follows the deformed surface; leave it out" if kind == "pressure" else
                         "it is for line loads and forces on meshes with rotations, as beams have; leave it out")
    chosen = _chosen(fe, value, kind)
    if kind == "line":
        made = _line(fe, given, chosen, follows)
    elif kind == "pressure":
        made = _pressure(fe, given, chosen)
    elif kind == "per_mass":
        made = _per_mass(fe, given)
    else:
        made = _forces(fe, given, follows)
    if not made.f.any():
        raise FieldError(kind, f"{shown(given)} is zero everywhere; leave the load out")
    return made._replace(shape=shape)


def _chosen(fe: FE, value: Mapping[str, Any], kind: str) -> np.ndarray:
    """Which nodes (bool) it is about: all, if nothing is said."""
    places = {k: value[k] for k in CHOICE if k in value}
    if places and kind not in ("line", "pressure"):
        raise FieldError(next(iter(places)), f"{kind} is not about some nodes; leave it out")
    if not places:
        return np.ones(len(fe.nodes), bool)
    if len(places) > 1:
        raise ValueError(f"give one of {', '.join(CHOICE)}; {' and '.join(places)} are given")
    found = np.zeros(len(fe.nodes), bool)
    found[select(fe, Interface(**places))] = True
    return found


def densities(field: str, value: Any, unit: str, x: np.ndarray, *at: int) -> np.ndarray:
    """A number, a text with a unit, or an expression of the place x, y, z [m] on the undeformed part, at points (g, 3)."""
    try:
        return np.full(len(x), quantity(value.item() if isinstance(value, np.generic) else value, unit))
    except ValueError as error:
        told = error
    try:
        node = parse(value, ("x", "y", "z")) if isinstance(value, str) else None
    except ValueError as error:
        node, told = None, error if any(f"{c}" in value for c in "xyz*/()") else told
    if node is None or not any(isinstance(n, Variable) for n in bottom_up(node)):
        raise FieldError(field, str(told), *at)
    if signals := [n.reference for n in bottom_up(node) if isinstance(n, Signal)]:
        raise FieldError(field, f"{signals[0]!r} is a channel; a load of a part is a function of x, y and z, and the factor of the item "
                         "that applies it one of t and channels", *at)
    found = values(node, dict(zip("xyz", x.T, strict=True)), _no_channel)
    if not np.isfinite(found).all():
        where = x[int(np.argmin(np.isfinite(found)))]
        raise FieldError(field, f"{value!r} is not a finite number at ({', '.join(f'{c:.4g}' for c in where)})", *at)
    return found


def _no_channel(reference: str) -> Any:
    raise ValueError(f"there is no channel {reference!r}")


def _vectors(field: str, value: Any, unit: str, x: np.ndarray) -> np.ndarray:
    if isinstance(value, (str, Mapping)) or not hasattr(value, "__len__") or len(value) != 3:
        raise FieldError(field, must(value, f"must be three numbers or expressions of x, y, z [{unit}]"))
    return np.column_stack([densities(field, v, unit, x, k) for k, v in enumerate(value)])


def _turned(f: np.ndarray, T: Any) -> Any:
    """D = -[f] T: forces that turn with rotations T d."""
    import scipy.sparse as sp
    g = len(f)
    return (sp.bsr_matrix((-cross_matrix(f), np.arange(g), np.arange(g + 1)), shape=(3 * g, 3 * g)) @ T).tocsr()


def _line(fe: FE, given: Any, chosen: np.ndarray, follows: bool) -> Spread:
    """Per length of the elements between chosen nodes, at their points of integration."""
    if not isinstance(fe.stress, BeamStress):
        raise FieldError("line", f"a line load is for beams; this is {fe.what}. Take pressure, per_mass or forces")
    el = fe.stress.el
    x, U, T = fields_on_mesh(el, fe.nodes[el.ends[:, 0]], fe.K.shape[0])
    on = chosen[el.ends].all(axis=1)
    if not on.any():
        raise ValueError("none of the elements has both its ends there; choose more nodes")
    lengths = (np.where(on, el.L, 0.0)[:, None] * WEIGHTS).ravel()
    there = np.repeat(on, len(GAUSS))
    f = np.zeros_like(x)
    f[there] = lengths[there, None] * _vectors("line", given, "N/m", x[there])
    return Spread(x, f, U, _turned(f, T) if follows else None, inside=not fe.stress.lumped)


def _pressure(fe: FE, given: Any, chosen: np.ndarray) -> Spread:
    """Against the outward normal of the surface, and following it: f = -p x_u x x_v, df = -p (d_u x x_v + x_u x d_v)   [spread-2]"""
    bodies = solids_of(fe.stress)
    if not bodies:
        raise FieldError("pressure", f"it is for meshes of solids; this is {fe.what}. Take {'line' if fe.dofs == 6 else 'forces'}")
    faces = outer_faces(bodies, chosen)
    if not faces:
        raise ValueError("no face of the surface has all its nodes there; choose nodes of a whole face")
    import scipy.sparse as sp
    made = [_on_faces(fe, part, given) for part in faces]
    x, f = (np.concatenate([m[k] for m in made]) for k in range(2))
    U, D = (sp.csr_matrix(sp.vstack([m[k] for m in made])) for k in (2, 3))
    return Spread(x, f, U, D)


def _on_faces(fe: FE, part: Faces, given: Any) -> tuple[np.ndarray, np.ndarray, Any, Any]:
    import scipy.sparse as sp
    nodes, N, dN, w, outward = part
    X = fe.nodes[nodes]
    m, q, k = len(nodes), len(w), nodes.shape[1]
    x = np.einsum("qb,fbi->fqi", N, X)
    xu, xv = np.moveaxis(np.einsum("qbk,fbi->fqki", dN, X), 2, 0)
    p = densities("pressure", given, "Pa", x.reshape(-1, 3)).reshape(m, q) * -w * outward[:, None]
    f = p[..., None] * np.cross(xu, xv)
    D = p[:, :, None, None, None] * (dN[None, :, :, 1, None, None] * cross_matrix(xu)[:, :, None]
                                     - dN[None, :, :, 0, None, None] * cross_matrix(xv)[:, :, None])      # (m, q, k, 3, 3)
    U = np.broadcast_to(N[None, :, :, None, None] * np.eye(3), D.shape)
    rows = np.broadcast_to((3 * np.arange(m * q).reshape(m, q, 1, 1, 1) + np.arange(3)[:, None]), (m, q, k, 3, 3))
    columns = np.broadcast_to(3 * nodes[:, None, :, None, None] + np.arange(3), (m, q, k, 3, 3))
    shape = (3 * m * q, fe.K.shape[0])
    return (x.reshape(-1, 3), f.reshape(-1, 3),
            *(sp.csr_matrix((a.ravel(), (rows.ravel(), columns.ravel())), shape=shape) for a in (U, D)))


def _per_mass(fe: FE, given: Any) -> Spread:
    """The same force on every kilogram."""
    a = np.array([float(densities("per_mass", v, "N/kg", np.zeros((1, 3)), k)[0]) for k, v in enumerate(_three(given))])
    if fe.points is not None:
        return Spread(fe.points.x, fe.points.m[:, None] * a, fe.points.U, inside=True)
    if fe.dofs != 3:
        raise FieldError("per_mass", f"it needs the elements of the mesh; this is {fe.what}. Take forces")
    f = np.asarray(fe.M @ np.tile(a, len(fe.nodes))).reshape(-1, 3)
    return Spread(fe.nodes, f, _moved(fe, np.arange(len(fe.nodes)), 0))


def _three(given: Any) -> Any:
    if isinstance(given, (str, Mapping)) or not hasattr(given, "__len__") or len(given) != 3:
        raise FieldError("per_mass", must(given, "must be three numbers [N/kg]"))
    return given


def _forces(fe: FE, given: Any, follows: bool) -> Spread:
    """At nodes: a mapping of their numbers to forces, or an array (nodes, 3)."""
    rule = f"must be a mapping of nodes to forces, such as {{4: [0, 0, -10 N]}}, or an array ({len(fe.nodes)}, 3)"
    if isinstance(given, Mapping) and given:
        nodes = whole("forces", [int(n) if isinstance(n, str) and n.isdecimal() else n for n in given], rule)  # keys of a text are texts
        if nodes.min() < 0 or nodes.max() >= len(fe.nodes):
            none = int(nodes.min() if nodes.min() < 0 else nodes.max())
            raise FieldError("forces", f"{none} is no node; nodes are numbered from 0 to {len(fe.nodes) - 1}")
        f = np.concatenate([_vectors("forces", v, "N", fe.nodes[[n]]) for n, v in zip(nodes, given.values(), strict=True)])
    elif isinstance(given, (list, tuple, np.ndarray)) and np.shape(given) == fe.nodes.shape:
        nodes, f = np.arange(len(fe.nodes)), np.array(given, float)
        if not np.isfinite(f).all():
            raise FieldError("forces", "holds numbers that are not finite")
    else:
        raise FieldError("forces", must(given if isinstance(given, (str, Mapping)) else type(given).__name__, rule))
    return Spread(fe.nodes[nodes], f, _moved(fe, nodes, 0), _turned(f, _moved(fe, nodes, 3)) if follows else None)


def _moved(fe: FE, nodes: np.ndarray, first: int) -> Any:
    """Displacements (0) or rotations (3) of nodes by the unknowns of the mesh."""
    import scipy.sparse as sp
    columns = (fe.dofs * nodes[:, None] + first + np.arange(3)).ravel()
    return sp.csr_matrix((np.ones(len(columns)), (np.arange(len(columns)), columns)), shape=(len(columns), fe.K.shape[0]))
