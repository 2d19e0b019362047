"""Interfaces: where joints and forces act on a part. A frame follows a set of nodes, rigidly joined or on average [flex-7]."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import must, quantity, shown
from .fe import FE, cross_matrix, rigid_motions
from .user_values import three, whole

TOLERANCE = 1e-6  # of the part's size: how near a point must be to a node, and a node to a plane or a box
COUPLINGS, WEIGHTS = ("rigid", "average"), ("uniform", "mass")
WAYS = ("node", "nodes", "point", "box", "plane", "group")


@dataclass(frozen=True)
class Interface:
    """One of ``node`` (its number), ``nodes`` (numbers), ``point`` (on a node), ``box`` (two corners), ``plane`` ({point, normal}, or
    "x = 0.1"), ``group`` (its name in the file the mesh was read from); joined by ``coupling`` "rigid" (the nodes move as one body) or
    "average" (the frame follows their mean motion, loads are spread, nothing is stiffened), with ``weights`` "uniform" or "mass". The
    frame is at ``position`` (default: the nodes' mean, by weights). A force on a frame that averages is a distributed load."""
    node: int | None = None
    nodes: Any = None
    point: Any = None
    box: Any = None
    plane: Any = None
    group: str | None = None
    coupling: str = "rigid"
    weights: str = "uniform"
    position: Any = None
    given: list[str] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.given.extend(way for way in WAYS if getattr(self, way) is not None)
        if len(self.given) != 1:
            found = f"{' and '.join(self.given)} are given" if self.given else "none is given"
            raise ValueError(f"give one of {', '.join(WAYS)}; {found}")
        for name, known in (("coupling", COUPLINGS), ("weights", WEIGHTS)):
            if getattr(self, name) not in known:
                raise FieldError(name, f"{shown(getattr(self, name))} must be {' or '.join(known)}")
        if self.weights == "mass" and self.coupling == "rigid":
            raise FieldError("weights", "they are for coupling='average'; a rigid one has none")


class Joined(NamedTuple):
    """An interface on its mesh."""
    name: str
    nodes: np.ndarray       # numbers
    position: np.ndarray    # (3)
    rigid: bool
    weights: np.ndarray     # one per node, their sum is 1


class PlaceError(ValueError):
    """What is wrong with an interface or frame: ``path`` leads to it, or to an entry of it; ``rule`` is the message
    without the entry."""

    def __init__(self, what: str, name: str, error: ValueError) -> None:
        inside = error.path if isinstance(error, FieldError) else ()
        self.path: tuple[Any, ...] = (f"{what}s", name, *inside)
        self.told = str(error)
        self.rule = error.rule if isinstance(error, FieldError) else self.told
        super().__init__(f"{what} {name!r}: {error}")


def as_interface(value: Any, coupling: str) -> Interface:
    """An `Interface`, or what stands for one: a node number, a point, a set of node numbers, the name of a group, a mapping
    of its fields."""
    if isinstance(value, Interface):
        return value
    if isinstance(value, Mapping):
        unknown = [k for k in value if k not in Interface.__dataclass_fields__ or k == "given"]
        if unknown:
            raise ValueError(f"unknown entry {shown(unknown[0])}; an interface has {', '.join(WAYS)}, coupling, weights, position")
        return Interface(**{"coupling": coupling, **value})
    if isinstance(value, str):
        return Interface(group=value, coupling=coupling)
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return Interface(node=int(value), coupling=coupling)
    if isinstance(value, (set, frozenset, range)):
        return Interface(nodes=sorted(value), coupling=coupling)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return Interface(nodes=value, coupling=coupling)
    if isinstance(value, (list, tuple, np.ndarray)):
        return Interface(point=value, coupling=coupling) if len(value) == 3 else Interface(nodes=value, coupling=coupling)
    raise ValueError(must(value, "must be a node number, a point, a set of node numbers, the name of a group, or a mapping such as "
                          "{plane: 'x = 0'}"))


def join(fe: FE, interfaces: Mapping[str, Any] | None, coupling: str = "rigid", what: str = "interface") -> list[Joined]:
    """All interfaces on the mesh; problems name the interface."""
    found = []
    if interfaces is not None and not isinstance(interfaces, Mapping):
        raise FieldError(f"{what}s", f"{shown(interfaces)} must be a mapping of names to places, such as "
                         "{'start': 0, 'end': (1, 0, 0)}")
    for name, value in (interfaces or {}).items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"{what} {name!r}: its name must be a word of letters, digits and _")
        try:
            found.append(_join(fe, name, as_interface(value, coupling)))
        except ValueError as error:
            raise PlaceError(what, name, error) from None
    taken: dict[int, str] = {}
    for i in found:
        for node in i.nodes if i.rigid else ():
            if int(node) in taken:
                raise ValueError(f"{what}s {taken[int(node)]!r} and {i.name!r} both hold node {node} rigidly; leave it out of one of "
                                 "them, or take coupling='average'")
            taken[int(node)] = i.name
    return found


def _join(fe: FE, name: str, i: Interface) -> Joined:
    nodes = select(fe, i)
    x = fe.nodes[nodes]
    weights = np.full(len(nodes), 1 / len(nodes))
    if i.weights == "mass":
        translations = rigid_motions(fe.nodes, fe.dofs)[:, :3]
        masses = np.asarray((fe.M @ translations).reshape(len(fe.nodes), fe.dofs, 3)[nodes])[:, :3].trace(axis1=1, axis2=2)
        if not (masses > 0).all():
            raise FieldError("weights", "some of its nodes have no positive mass of their own, "
                             "as corners of quadratic elements; take 'uniform'")
        weights = masses / masses.sum()
    position = weights @ x if i.position is None else three("position", i.position)
    if fe.dofs == 3:
        spread = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) if len(nodes) > 1 else np.zeros(3)
        if len(nodes) < 3 or spread[1] < 1e-6 * max(spread[0], 1e-300):
            count = "one node" if len(nodes) == 1 else f"{len(nodes)} nodes in a line"
            raise ValueError(f"it has {count}, which cannot hold a rotation; choose a face or at least three nodes that are not in a line")
    rigid = i.coupling == "rigid" or len(nodes) == 1
    return Joined(name, nodes, position, rigid, weights)


def select(fe: FE, i: Interface) -> np.ndarray:
    """Numbers of the nodes that are meant."""
    tolerance = TOLERANCE * fe.size
    if i.point is not None:
        p = three("point", i.point)
        distance = np.linalg.norm(fe.nodes - p, axis=1)
        near = int(np.argmin(distance))
        if distance[near] > tolerance:
            at = ", ".join(f"{c:.6g}" for c in fe.nodes[near])
            raise ValueError(f"point {shown(p.tolist())} is not on a node; the nearest is node {near} at ({at}), {distance[near]:.3g} m "
                             "away")
        return np.array([near])
    if i.box is not None:
        if not isinstance(i.box, (list, tuple, np.ndarray)) or len(i.box) != 2:
            raise FieldError("box", f"{shown(i.box)} must be two corners, such as [[0, 0, 0], [0, 1, 1]]")
        low, high = np.sort([three("box", corner) for corner in i.box], axis=0)
        found = np.flatnonzero(((fe.nodes >= low - tolerance) & (fe.nodes <= high + tolerance)).all(axis=1))
        return _some(found, fe, f"box from {shown(low.tolist())} to {shown(high.tolist())}")
    if i.group is not None:
        if i.group not in fe.groups:
            known = f"it has {', '.join(repr(g) for g in fe.groups)}" if fe.groups else "it has none; groups come from meshes that are read"
            raise FieldError("group", f"the mesh has no group {shown(i.group)}; {known}")
        return _some(fe.groups[i.group], fe, f"group {i.group!r}")
    if i.plane is not None:
        point, normal = _plane(i.plane)
        return _some(np.flatnonzero(abs((fe.nodes - point) @ normal) <= tolerance), fe, "plane")
    rule = f"must be whole numbers from 0 to {len(fe.nodes) - 1}"
    numbers = whole("nodes", i.nodes if i.node is None else i.node, rule)
    if not numbers.size:
        raise FieldError("nodes", "the list is empty; give at least one node")
    if numbers.min() < 0 or numbers.max() >= len(fe.nodes):
        raise FieldError("nodes", f"{shown(numbers.tolist())} {rule}")
    return np.unique(numbers)


def _some(found: np.ndarray, fe: FE, what: str) -> np.ndarray:
    if not found.size:
        low, high = (shown(c.round(9).tolist()) for c in (fe.nodes.min(axis=0), fe.nodes.max(axis=0)))
        raise ValueError(f"no node is in the {what}; the mesh lies between {low} and {high} m")
    return found


def _plane(value: Any) -> tuple[np.ndarray, np.ndarray]:
    """Point and unit normal of {point, normal}, or of a text such as "x = 0.1" or "x = 100 mm"."""
    if isinstance(value, str):
        axis, mark, at = value.partition("=")
        if mark and axis.strip() in ("x", "y", "z"):
            normal = np.eye(3)["xyz".index(axis.strip())]
            try:
                return quantity(at.strip(), "m") * normal, normal
            except ValueError as error:
                raise FieldError("plane", str(error)) from None
    elif isinstance(value, Mapping) and set(value) == {"point", "normal"}:
        normal = three("plane: normal", value["normal"], "three numbers", "")
        if np.linalg.norm(normal) > 0:
            return three("plane: point", value["point"]), normal / np.linalg.norm(normal)
    raise FieldError("plane", f"{shown(value)} must be a text such as 'x = 0.1', or have the entries point and normal")


def frame_rows(fe: FE, i: Joined) -> np.ndarray:
    """Displacement and rotation of the frame (6 rows) by the unknowns of its nodes, in their order: for a single node with rotations its
    own, carried to the position; else the weighted mean, of displacements and of rotations where nodes have them, or the rotation that fits
    displacements best [flex-7]."""
    x, k = fe.nodes[i.nodes], fe.dofs
    if k == 6 and (len(x) == 1 or i.rigid):
        rows = np.zeros((6, len(x) * 6))
        rows[:, :6] = np.eye(6)
        rows[:3, 3:6] = -cross_matrix(i.position - x[0])
        return rows
    c = i.weights @ x
    r = x - c
    if k == 6:
        rows = np.zeros((6, len(x), 6))
        rows[:3, :, :3] = rows[3:, :, 3:] = i.weights[None, :, None] * np.eye(3)[:, None, :]
        rows[:3, :, 3:] = -np.einsum("ij,n,jk->ink", cross_matrix(i.position - c), i.weights, np.eye(3))
        return rows.reshape(6, -1)
    spin = np.einsum("n,nij->ij", i.weights, np.einsum("nk,nk->n", r, r)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None, :])
    turn = np.linalg.solve(spin, np.einsum("n,nij->inj", i.weights, cross_matrix(r)).reshape(3, -1))
    rows = np.zeros((6, len(x), k))
    rows[3:, :, :3] = turn.reshape(3, len(x), 3)
    rows[:3, :, :3] = i.weights[None, :, None] * np.eye(3)[:, None, :]
    rows[:3, :, :3] -= np.einsum("ij,jnk->ink", cross_matrix(i.position - c), rows[3:, :, :3])
    return rows.reshape(6, -1)
