"""Reduction of an FE model to a few coordinates: shapes are chosen, freed of rigid motion, made orthonormal, and integrated [flex-9]."""
from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import quantity, shown
from ..kernels.eigenspaces import canonical
from . import bases
from .basis_quality import frequency_error, measure, static_error
from .distributed import Spread, spread_loads
from .fe import FASTEST, FE
from .integrals import integrals
from .interfaces import COUPLINGS, join
from .lines import joined_lines
from .load_participation import represented_by
from .modes import Modes
from .recovery import recovery_of
from .reduced import Node, Reduced, Skin
from .stiffening import Unit, stiffening_of, unit_loads_of
from .structure import Structure
from .user_values import flag

FRAMES = ("body-fixed", "mean-axis")
ERROR = 1e-3        # of frequencies below a limit
DEPENDENT = 1e-13   # shapes that add less than this to the others (squared, of unit mass) are dropped
NONE = 1e-9         # of a load: what its acceleration leaves of it is rounding
MOST = 300          # modes tried for an error bound
GROWTH = 1.4        # of the limit for the modes that are kept, until the error is small enough


class Chosen(NamedTuple):
    """Shapes V (y, n) of a part before it is assembled."""
    s: Structure
    V: np.ndarray
    names: list[str]
    others: list[Any]
    lines: dict[str, list[str]]
    spread: dict[str, Spread]
    frame: str
    limit: float | None
    facts: dict[str, Any]


def reduce(fe: FE, interfaces: Mapping[str, Any] | None = None, *, modes: int | None = None, frequency_limit: float | str | None = None,
           error: float | None = None, method: str | None = None, frame: str | None = None, coupling: str = "rigid",
           shapes: Any = None, frames: Mapping[str, Any] | None = None, lines: Mapping[str, Any] | None = None,
           loads: Mapping[str, Any] | None = None, load_shapes: Any = None, orthonormal: bool = True, stiffening: bool = True,
           stress: bool | str = False) -> Reduced:
    """Reduce an FE model to a flexible part.

    ``interfaces``: name to place (`Interface`, node number, point, set of nodes, group, mapping); ``coupling`` is the default for them.
    ``method``: "craig-bampton" (default with interfaces: static shapes of the interfaces and modes with interfaces held), "free" (modes
    of the free part; default without), "static-correction" (free modes and shapes of interface loads), "krylov" (shapes of interface loads
    and those that follow from their inertia), "shapes" (only ``shapes``, columns over all unknowns of the mesh).
    ``modes=n`` asks for n modes (shapes of interfaces come on top), ``frequency_limit`` [Hz] for as many as make the frequencies of the
    free and of the held part below it, and unit loads at the interfaces, right within ``error`` (default 0.1 %).
    ``frame``: "body-fixed" (the first interface is held; default with interfaces) or "mean-axis" (no momentum of the deformation).
    ``frames``: further named places, not joined. ``lines``: name to a line that frames can slide along (`SlidingOnBeam`), {from: point,
    to: point} or a list of places. ``loads``: name to a load that is spread over the part, which `DistributedLoad` applies: {line: vector
    [N/m]} on beams, {pressure: p [Pa]} on the surface of solids, both perhaps on some nodes, {per_mass: vector [N/kg]}, {forces: {node:
    vector [N]}}; their static shapes are added, unless they say shape: false. ``load_shapes``: static shapes of further loads, each a
    mapping of names as in `Stiffening` to factors, such as {("force", "tip", 2): 1.0}. ``orthonormal=False`` keeps the shapes as they are,
    with their names.
    ``stress=True`` keeps the stresses of the skin with the part, "all" those of all nodes."""
    flag("stiffening", stiffening)
    if stress not in (True, False, "skin", "all"):
        raise FieldError("stress", f"{shown(stress)} must be true, false, 'skin' or 'all'")
    chosen = shapes_of(fe, interfaces, modes=modes, frequency_limit=frequency_limit, error=error, method=method, frame=frame,
                       coupling=coupling, shapes=shapes, frames=frames, lines=lines, loads=loads,
                       load_shapes=load_shapes, orthonormal=orthonormal)
    return _assemble(chosen, stiffening, "skin" if stress is True else stress)


def shapes_of(fe: FE, interfaces: Mapping[str, Any] | None = None, *, modes: int | None = None, frequency_limit: float | str | None = None,
              error: float | None = None, method: str | None = None, frame: str | None = None, coupling: str = "rigid",
              shapes: Any = None, frames: Mapping[str, Any] | None = None, lines: Mapping[str, Any] | None = None,
              loads: Mapping[str, Any] | None = None, load_shapes: Any = None, orthonormal: bool = True) -> Chosen:
    """The shapes that `reduce` takes."""
    flag("orthonormal", orthonormal)
    s, frame, method = _prepare(fe, interfaces, coupling, method, frame, shapes)
    others, along, spread = join(fe, frames, what="frame"), joined_lines(fe, lines), spread_loads(fe, loads)
    named = [i.name for i in (*s.joined, *others)] + [name for line in along for name in (line, *(i.name for i in along[line]))]
    if len(set(named)) < len(named):
        twice = next(name for k, name in enumerate(named) if name in named[:k])
        raise FieldError("frames", f"the name {twice!r} is taken by another interface, frame or line; choose another")
    others += [i for line in along.values() for i in line]
    limit, error = _selection(modes, frequency_limit, error, method)
    basis = bases.Basis(s, method, shapes)
    if limit is None:
        V, names, kinds = basis.shapes(modes or 0)
    else:
        V, names, kinds = _within(s, basis, limit, error)
    if own := _of_spread(s, frame, spread):
        V, names, kinds = np.column_stack((V, *own.values())), [*names, *own], kinds | {"load": len(own)}
    if load_shapes is not None:
        more = _of_loads(unit_loads_of(s, frame, _places(s, others), spread), load_shapes)
        V, names = np.hstack((V, more)), [*names, *(f"given load {k + 1}" for k in range(more.shape[1]))]
        kinds = kinds | {"given load": more.shape[1]}
    V, kept = _framed(s, V, frame)
    names, V = [names[k] for k in kept], V[:, kept]
    if orthonormal:
        V, names = _orthonormal(s, V)
    facts = {"source": fe.what, "unknowns": fe.K.shape[0], "nodes": len(fe.nodes), "method": method, "frame": frame, "kinds": kinds,
             "removed": {"rigid": 6, "dependent": sum(kinds.values()) - V.shape[1]}, "size": fe.size, "solves": s.solves}
    return Chosen(s, V, names, others, {name: [i.name for i in line] for name, line in along.items()}, spread, frame, limit, facts)


def _places(s: Structure, others: list[Any]) -> dict[str, Any]:
    return {i.name: (i, s.frame(i)) for i in [*s.joined, *others]}


def _of_spread(s: Structure, frame: str, spread: Mapping[str, Spread]) -> dict[str, np.ndarray]:
    """Static shapes of loads that are spread, with the first interface held; in mean axes also of the free part, which the acceleration
    that the load gives it balances."""
    found = {}
    for name, load in spread.items():
        f = np.asarray(s.T.T @ load.vector())
        if load.shape and s.joined:
            found[f"load {name}"] = s.constrained(s.rows[0]).solve(f)
        if load.shape and frame == "mean-axis":
            MR, inverse = s.relief
            if np.linalg.norm(f - MR @ (inverse @ (s.R.T @ f))) > NONE * np.linalg.norm(f):
                found[f"free load {name}"] = s.balanced(f)
    return found


def _of_loads(unit: Unit, loads: Any) -> np.ndarray:
    """Static shapes of combinations of unit loads."""
    factors = np.zeros((len(unit.loads), len(loads)))
    for k, load in enumerate(loads):
        if not isinstance(load, Mapping) or not load:
            raise FieldError("load_shapes", f"{shown(load)} must be a mapping of loads to factors, "
                             f"such as {{('force', 'tip', 2): 1.0}}")
        for name, factor in load.items():
            if name not in unit.loads:
                raise FieldError("load_shapes", f"{shown(name)} is none; there are "
                                 f"{', '.join(str(other) for other in unit.loads[:3])}, …, {unit.loads[-1]}")
            factors[unit.loads.index(name), k] = factor
    return np.asarray(unit.d @ factors)


def _prepare(fe: FE, interfaces: Any, coupling: str, method: str | None, frame: str | None, shapes: Any) -> tuple[Structure, str, str]:
    if not isinstance(fe, FE):
        raise FieldError("fe", f"{shown(fe)} must be an FE model, as from mesh_beam, mesh_box or from_matrices")
    if coupling not in COUPLINGS:
        raise FieldError("coupling", f"{shown(coupling)} must be {' or '.join(COUPLINGS)}")
    joined = join(fe, interfaces, coupling)
    method = method or ("shapes" if shapes is not None else "craig-bampton" if joined else "free")
    frame = frame or ("body-fixed" if joined else "mean-axis")
    if method not in bases.METHODS:
        raise FieldError("method", f"{shown(method)} must be one of {', '.join(bases.METHODS)}")
    if frame not in FRAMES:
        raise FieldError("frame", f"{shown(frame)} must be {' or '.join(FRAMES)}")
    if (shapes is not None) != (method == "shapes"):
        raise FieldError("shapes", "they are for method='shapes', which needs them; give both or none")
    if not joined and (frame == "body-fixed" or method in ("craig-bampton", "krylov", "static-correction")):
        what = f"frame={frame!r}" if frame == "body-fixed" else f"method={method!r}"
        raise FieldError("interfaces", f"{what} needs at least one; name the places where joints act, "
                         "or take method='free', frame='mean-axis'")
    return Structure(fe, joined), frame, method


def _selection(modes: Any, limit: Any, error: Any, method: str) -> tuple[float | None, float]:
    if method == "shapes":
        if modes is not None or limit is not None or error is not None:
            raise FieldError("modes", "method='shapes' takes the shapes that are given; leave modes, "
                             "frequency_limit and error out")
        return None, ERROR
    if (modes is None) == (limit is None):
        found = "both are" if limit is not None else "none is"
        raise FieldError("modes", f"give either modes (their number) or frequency_limit [Hz]; {found} given"
                         + ("; error counts up to a frequency_limit" if error is not None else ""))
    if modes is not None:
        if isinstance(modes, bool) or not isinstance(modes, (int, np.integer)) or modes < 0:
            raise FieldError("modes", f"{modes!r} must be a whole number of at least 0")
        if error is not None:
            raise FieldError("error", "it is for frequency_limit; with modes=n the number is fixed")
        return None, ERROR
    try:
        f = quantity(limit, "Hz")
    except ValueError as told:
        raise FieldError("frequency_limit", str(told)) from None
    if not f > 0:
        raise FieldError("frequency_limit", f"{shown(limit)} must be greater than zero")
    if error is not None and (not isinstance(error, float) or not 0 < error < 1):
        raise FieldError("error", f"{shown(error)} must be between 0 and 1, such as 0.001")
    return f, ERROR if error is None else float(error)


def _within(s: Structure, basis: bases.Basis, limit: float, error: float) -> tuple[np.ndarray, list[str], dict[str, int]]:
    """The fewest modes that make frequencies below the limit and unit loads right within the error: more and more, then between the
    last two numbers by halving."""
    full = [(A, m.lowest(m.below(limit))[0]) for A, m in ((A, Modes(s, A)) for A in ([None, s.rows[0]] if s.joined else [None]))]

    def worst(count: int) -> float:
        W = _orthonormal(s, _framed(s, basis.shapes(count)[0], "mean-axis")[0])[0]
        return max([frequency_error(s, W, A, f) for A, f in full] + [static_error(s, W)])

    most = min(basis.available, MOST)
    low, high, cut = -1, min(basis.count(limit), most), limit
    while (found := worst(high)) > error:
        if high >= most:
            raise FieldError("frequency_limit", f"with {high} modes the error is still {found:.2g}, "
                             f"more than {error:g}; take "
                             "method='craig-bampton' or 'static-correction', which are exact for loads at interfaces, or a lower limit")
        low = high
        while high == low:
            cut *= GROWTH
            high = min(basis.count(cut), most) if cut < 1e3 * limit else most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if worst(middle) <= error else (middle, high)
    return basis.shapes(high)


def _framed(s: Structure, V: np.ndarray, frame: str) -> tuple[np.ndarray, list[int]]:
    """Shapes without rigid motion of the frame [flex-10]; which of them are left (rigid ones vanish)."""
    size = np.einsum("ij,ij->j", V, s.M @ V)
    if frame == "mean-axis":
        MR, inverse = s.relief
        V = V - s.R @ (inverse @ (MR.T @ V))
    else:
        A = s.rows[0]
        V = V - s.R @ np.linalg.solve(A @ s.R, A @ V)
    left = np.einsum("ij,ij->j", V, s.M @ V)
    return V, [k for k in range(V.shape[1]) if left[k] > 1e-16 * size[k]]


def _orthonormal(s: Structure, V: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Mass-orthonormal shapes with diagonal stiffness, by frequency; dependent ones are dropped."""
    from scipy.linalg import eigh
    if V.shape[1] == 0:
        return V, []
    V = V / np.sqrt(np.einsum("ij,ij->j", V, s.M @ V))
    for _ in range(2):  # the second time removes what rounding left
        M = V.T @ (s.M @ V)
        values, vectors = np.linalg.eigh((M + M.T) / 2)
        good = values > DEPENDENT * values[-1]
        V = V @ (vectors[:, good] / np.sqrt(values[good]))
    K = V.T @ (s.K @ V)
    values, vectors = eigh((K + K.T) / 2)
    V = canonical(values, V @ vectors)
    return V, [f"mode {k + 1}" for k in range(V.shape[1])]


def _assemble(chosen: Chosen, stiffen: bool, stress: Any) -> Reduced:
    """All that a part holds."""
    s, V, names, others, lines, spread, frame, limit, facts = chosen
    Psi = np.asarray(s.T @ V)
    K, whole = V.T @ (s.K @ V), integrals(s.fe, Psi)
    places = _places(s, others)
    loads = {name: load.on(Psi) for name, load in spread.items()}
    second: dict[str, np.ndarray] = {}
    stiff = represented = None
    if V.shape[1]:
        unit = unit_loads_of(s, frame, places, spread)
        represented = represented_by(unit, V, K)
        if stiffen and s.fe.stress is not None:
            stiff, second = stiffening_of(s, V, Psi, unit, frame, places, whole, loads)
    nodes = {}
    for name, (i, rows) in places.items():
        psi = np.asarray(rows @ Psi)
        if frame == "body-fixed" and i is s.joined[0]:
            psi = np.zeros_like(psi)
        nodes[name] = Node(i.position, np.eye(3), psi[:3], psi[3:], second.get(name))
    without = "none: matrices without elements" if s.fe.stress is None else "switched off" if not stiffen else "none: no shapes"
    facts["stiffening"] = without if stiff is None else "yes"
    facts |= measure(s, V, frame, limit)
    facts |= {"outline": s.fe.outline} if s.fe.outline else {}
    recovery = recovery_of(s.fe, Psi, s.joined, stress) if stress else None
    made = Reduced(names, whole, (K + K.T) / 2, nodes, stiffening=stiff, skin=_skin(s.fe, Psi), facts=facts, stress=recovery,
                   represented=represented, lines=lines, loads=loads)
    _suspect(s, facts)
    return made


def _skin(fe: FE, Psi: np.ndarray) -> Skin | None:
    """The cells of the mesh, with the nodes they need."""
    if not len(fe.cells):
        return None
    used = np.unique(fe.cells)
    psi = Psi.reshape(len(fe.nodes), fe.dofs, Psi.shape[1])
    return Skin(fe.nodes[used], np.searchsorted(used, fe.cells), psi[used, :3])


def _suspect(s: Structure, facts: dict[str, Any]) -> None:
    free = facts.get("free", {}).get("full", [])
    if free and free[0] * s.fe.size > FASTEST:
        warnings.warn(f"a part of {s.fe.size:.4g} m cannot vibrate at {free[0]:.4g} Hz: waves would run at "
                      f"{2 * free[0] * s.fe.size:.3g} m/s; are the nodes in m, K in N/m and M in kg?", stacklevel=4)
