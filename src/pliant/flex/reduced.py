"""A flexible part after reduction: all that its dynamics needs. Displacements of its points are psi q in body axes, which are mesh axes.

Fields are real arrays; n is the number of coordinates q. Integrals are over the mass, as in [flex-1].
"""
from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import shown

if TYPE_CHECKING:
    from .load_participation import Represented
    from .recovery import Recovery
    from .report import Report


class Integrals(NamedTuple):
    """Inertia integrals [flex-1], with u0 the undeformed position and psi_j the shape of coordinate j, all over the mass."""
    m: float          # int 1
    c0: np.ndarray    # (3)        int u0
    J0: np.ndarray    # (3, 3)     int u0~^T u0~
    S: np.ndarray     # (3, n)     int psi
    B0: np.ndarray    # (3, n)     int u0~ psi
    G0: np.ndarray    # (n, 3, 3)  int u0~^T psi_j~
    J2: np.ndarray    # (n, n, 3, 3)  int psi_k~^T psi_j~
    B1: np.ndarray    # (n, 3, n)  int psi_k~ psi
    Mqq: np.ndarray   # (n, n)     int psi^T psi


class Node(NamedTuple):
    """A frame on the part: at u0 + psi_R q with the axes (1 + (psi_theta q)~) A0. ``second``: the displacement of second order
    1/2 q^T second[i] q in the axes of the part: what forces at the node work on, its stiffening with the opposite sign."""
    u0: np.ndarray                      # (3)
    A0: np.ndarray                      # (3, 3)
    psi_R: np.ndarray                   # (3, n)
    psi_theta: np.ndarray               # (3, n)
    second: np.ndarray | None = None    # (3, n, n)


class PartLoad(NamedTuple):
    """A load that is spread over the part: forces f at points u0, in the axes of the part [spread-1]. Those that follow the deformation
    change by f1_k with coordinate k. Geometric stiffening comes on top, as load ("load", name) of `Stiffening`."""
    force: np.ndarray     # (3)     sum f
    moment: np.ndarray    # (3)     sum u0 x f, about the origin
    modal: np.ndarray     # (n)     sum psi_j.f
    dyad: np.ndarray      # (3, 3)  sum u0 f^T
    turning: np.ndarray   # (3, n)  sum psi_k x f
    force1: np.ndarray    # (3, n)  sum f1_k
    moment1: np.ndarray   # (3, n)  sum u0 x f1_k
    modal1: np.ndarray    # (n, n)  sum psi_j.f1_k


class Stiffening(NamedTuple):
    """Geometric stiffness by load [flex-5]: the elastic force K q (on the left side, like Kqq q) gains sum_k p_k K[k] q. The p_k, by
    ``loads[k]``, are of the moment and in body axes:

    - ("acceleration", a): component a of A^T (R'' - g), R'' the acceleration of the body's origin;
    - ("angular", a): component a of omega';
    - ("centrifugal", a, b), a <= b: the product omega_a omega_b (once, also for a < b);
    - ("force", node, a), ("moment", node, a): force and moment on the body at that node, the moment about the node.

    - ("load", name): the factor of a load that is spread;

    - ("free", ...) before one of ("centrifugal", ...), ("force", ...), ("moment", ...), ("load", ...): the same, together with the
      accelerations that the load gives the free part, of shapes in mean axes; for a body-fixed frame. The equations of motion use
      these [mean-1].

    So spinning and pulling stiffen (K positive), pushing softens. A load that is not listed does not stress the part: one at the
    interface that is held, or for mean axes an acceleration.
    """
    loads: list[tuple[Any, ...]]
    K: np.ndarray     # (loads, n, n)

    def of(self, *load: Any) -> np.ndarray:
        """K of one load; zero if it is not listed."""
        return self.K[self.loads.index(load)] if load in self.loads else np.zeros(self.K.shape[1:])


class Skin(NamedTuple):
    """For pictures: points (p, 3), lines (c, 2) or triangles (c, 3) between them, and psi (p, 3, n)."""
    points: np.ndarray
    cells: np.ndarray
    psi: np.ndarray


class Reduced:
    """A flexible part after reduction, from `reduce` or `from_integrals`, kept by `save`. ``stress``: stresses by coordinates, if they were
    asked for; ``represented``: how much of any load the shapes can follow; ``lines``: names of nodes in order, by line; ``loads``: those
    that are spread over it, by name."""

    def __init__(self, names: list[str], integrals: Integrals, Kqq: np.ndarray, nodes: Mapping[str, Node] | None = None,
                 Dqq: np.ndarray | None = None, stiffening: Stiffening | None = None, skin: Skin | None = None,
                 facts: Mapping[str, Any] | None = None, stress: Recovery | None = None, represented: Represented | None = None,
                 lines: Mapping[str, list[str]] | None = None, loads: Mapping[str, PartLoad] | None = None) -> None:
        self.names = list(names)
        n = len(self.names)
        self.integrals = Integrals(float(integrals.m), *(_array(f, v, s) for f, v, s in zip(
            Integrals._fields[1:], integrals[1:], _shapes(n), strict=True)))
        self.Kqq = _symmetric("Kqq", _array("Kqq", Kqq, (n, n)))
        self.Dqq = None if Dqq is None else _symmetric("Dqq", _array("Dqq", Dqq, (n, n)))
        self.nodes = {name: _node(name, node, n) for name, node in (nodes or {}).items()}
        self.stiffening = stiffening and Stiffening(list(stiffening.loads), _array("stiffening", stiffening.K,
                                                                                   (len(stiffening.loads), n, n)))
        self.skin = skin and Skin(_array("skin points", skin.points, (None, 3)), np.asarray(skin.cells, np.int64),
                                  _array("skin psi", skin.psi, (len(skin.points), 3, n)))
        self.facts: dict[str, Any] = dict(facts or {})
        self.stress, self.represented = stress, represented
        self.lines = {name: list(nodes) for name, nodes in (lines or {}).items()}
        for name, line in self.lines.items():
            if missing := [node for node in line if node not in self.nodes]:
                raise ValueError(f"line {name!r}: there is no node {missing[0]!r}")
        shapes: tuple[tuple[int, ...], ...] = (3,), (3,), (n,), (3, 3), (3, n), (3, n), (3, n), (n, n)
        self.loads = {name: PartLoad(*(_array(f"load {name!r}: {f}", v, s) for f, v, s in zip(PartLoad._fields, load, shapes, strict=True)))
                      for name, load in (loads or {}).items()}
        _check(self.integrals, self.Kqq)

    @property
    def n(self) -> int:
        """Number of elastic coordinates."""
        return len(self.names)

    @property
    def frequencies(self) -> np.ndarray:
        """Natural frequencies [Hz] of Kqq and Mqq: with the frame of the body held."""
        if self.n == 0:
            return np.zeros(0)
        from scipy.linalg import eigh
        return np.sqrt(np.maximum(eigh(self.Kqq, self.integrals.Mqq, eigvals_only=True), 0.0)) / (2 * np.pi)

    def report(self) -> Report:
        """What was kept and how good it is; `print` it."""
        from .report import Report
        return Report.of(self)

    def save(self, path: str | Path) -> None:
        """Write one open HDF5 file (layout: docs/flexible.md)."""
        from .files import save
        save(self, path)

    @staticmethod
    def load(path: str | Path) -> Reduced:
        """Read what `save` wrote."""
        from .files import load
        return load(path)

    def same_as(self, other: Any) -> bool:
        """Whether something is a part with the same numbers and names, to the last bit."""
        if self is other or not isinstance(other, Reduced) or self.names != other.names or not np.array_equal(self.Kqq, other.Kqq):
            return self is other
        from .files import image
        return image(self) == image(other)

    def __repr__(self) -> str:
        return f"Reduced({self.n} coordinates, {self.integrals.m:.6g} kg, frames {', '.join(self.nodes) or 'none'})"


def from_integrals(m: float, c0: Any, J0: Any, S: Any, B0: Any, G0: Any, J2: Any, B1: Any, Mqq: Any, Kqq: Any, *, nodes: Mapping[str, Any],
                   Dqq: Any = None, names: list[str] | None = None) -> Reduced:
    """A part whose inertia integrals are known (shapes as in `Integrals`). ``nodes``: name to (u0, psi_R, psi_theta) or a `Node`."""
    n = np.shape(Kqq)[0] if np.ndim(Kqq) == 2 else -1
    if n < 0:
        raise FieldError("Kqq", f"its shape {np.shape(Kqq)} must be (n, n), n the number of coordinates")
    made = {}
    for name, node in nodes.items():
        if not isinstance(node, Node):
            if len(node) != 3:
                raise ValueError(f"node {name!r}: {len(node)} entries, must be three: u0, psi_R, psi_theta")
            node = Node(node[0], np.eye(3), node[1], node[2])
        made[name] = node
    names = names or [f"mode {k + 1}" for k in range(n)]
    return Reduced(names, Integrals(m, c0, J0, S, B0, G0, J2, B1, Mqq), Kqq, made, Dqq, facts={"source": "integrals"})


# -- checks
def _shapes(n: int) -> tuple[tuple[int, ...], ...]:
    return (3,), (3, 3), (3, n), (3, n), (n, 3, 3), (n, n, 3, 3), (n, 3, n), (n, n)


def _array(name: str, value: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    try:
        a = np.array(value, float)
    except (TypeError, ValueError):
        raise FieldError(name, f"{shown(value)} must be an array of numbers") from None
    if 0 in shape and a.size == 0:
        a = a.reshape([0 if s is None else s for s in shape])
    if a.ndim != len(shape) or any(s not in (None, k) for s, k in zip(shape, a.shape, strict=True)):
        due = ", ".join("any" if s is None else str(s) for s in shape)
        raise FieldError(name, f"its shape {a.shape} must be ({due})")
    if not np.isfinite(a).all():
        raise FieldError(name, "holds numbers that are not finite")
    return a


def _symmetric(name: str, a: np.ndarray) -> np.ndarray:
    if not np.allclose(a, a.T, rtol=0, atol=1e-8 * (abs(a).max(initial=0.0) + 1e-300)):
        raise FieldError(name, f"must be symmetric; entries differ by {abs(a - a.T).max():.3g} from "
                         "those across the diagonal")
    return (a + a.T) / 2


def _node(name: str, node: Node, n: int) -> Node:
    shapes: tuple[tuple[int, ...], ...] = (3,), (3, 3), (3, n), (3, n)
    parts = [_array(f"node {name!r}: {f}", v, s) for f, v, s in zip(Node._fields, node[:4], shapes, strict=False)]
    if not np.allclose(parts[1].T @ parts[1], np.eye(3), atol=1e-9) or np.linalg.det(parts[1]) < 0:
        raise ValueError(f"node {name!r}: A0 must be orthonormal and right-handed")
    second = None if node.second is None else _array(f"node {name!r}: second", node.second, (3, n, n))
    return Node(parts[0], parts[1], parts[2], parts[3], second)


def _check(i: Integrals, Kqq: np.ndarray) -> None:
    if not i.m > 0:
        raise FieldError("m", f"the mass {i.m:g} kg must be greater than zero")
    _symmetric("J0", i.J0)
    if i.Mqq.size:
        scale = np.sqrt(np.maximum(np.diag(i.Mqq), 1e-300))
        least = np.linalg.eigvalsh(_symmetric("Mqq", i.Mqq) / np.outer(scale, scale))[0]
        if not least > 0:
            raise FieldError("Mqq", "must be positive definite; its smallest eigenvalue (of a unit "
                             f"diagonal) is {least:.3g}")
        if np.linalg.eigvalsh(Kqq)[0] < -1e-9 * abs(Kqq).max():
            raise FieldError("Kqq", "must not be negative; its smallest eigenvalue is "
                             f"{np.linalg.eigvalsh(Kqq)[0]:.3g}")
