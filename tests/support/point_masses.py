"""Modal bodies made of mass points with random shapes: every integral is a finite sum, so that what the program makes of integrals
can be compared with the points themselves."""
from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

import pliant as pl
from pliant import flex
from pliant.compile.array_builder import ArrayBuilder
from pliant.families import modal, modal_tables, nodes

MODES = 8  # two tiles, the second with padding


class Integrals(NamedTuple):
    m: float
    c0: np.ndarray
    J0: np.ndarray
    S: np.ndarray
    B0: np.ndarray
    G0: np.ndarray
    J2: np.ndarray
    B1: np.ndarray
    Mqq: np.ndarray


def skew(a: np.ndarray) -> np.ndarray:
    """Matrices of the cross product, shape (..., 3, 3)."""
    return np.cross(np.eye(3), np.asarray(a)[..., None, :])


class Points:
    """Masses (p,) at u0 (p, 3) that move by psi (p, 3, n) q."""

    def __init__(self, rng: np.random.Generator, n: int = MODES, points: int = 12) -> None:
        self.mass, self.u0 = 0.2 + rng.random(points), rng.normal(size=(points, 3))
        self.psi = 0.4 * rng.normal(size=(points, 3, n))
        root = rng.normal(size=(n, n))
        self.K = 40 * (root @ root.T + np.eye(n))
        self.D = 0.02 * self.K

    @property
    def integrals(self) -> Integrals:
        m, u0, psi = self.mass, self.u0, self.psi
        U, Psi = skew(u0), skew(psi.transpose(2, 0, 1))  # (p, 3, 3), (n, p, 3, 3)
        return Integrals(
            float(m.sum()), m @ u0, np.einsum("p,pki,pkj->ij", m, U, U), np.einsum("p,pij->ij", m, psi),
            np.einsum("p,pij,pjn->in", m, U, psi), np.einsum("p,pki,npkj->nij", m, U, Psi),
            np.einsum("p,apki,bpkj->abij", m, Psi, Psi), np.einsum("p,kpij,pjn->kin", m, Psi, psi),
            np.einsum("p,pik,pil->kl", m, psi, psi))

    def velocities(self, R: np.ndarray, v: np.ndarray, w: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Of all points in world axes; works for complex numbers."""
        u = self.u0 + self.psi @ q
        return v + (np.cross(w, u) + self.psi @ qd) @ R.T


def modal_body(name: str, rng: np.random.Generator, n: int = 7) -> pl.ModalBody:
    """As users have it: a part with the node frame1, stiffened by every load, at a random place and in random motion."""
    points = Points(rng, n)
    loads = {load if k % 2 else ("free", *load): K for k, (load, K) in enumerate(random_loads(rng, n, ("frame1",)).items())
             if load[0] not in ("acceleration", "angular")}
    node = flex.Node(rng.normal(size=3), np.eye(3), *(0.4 * rng.normal(size=(2, 3, n))))
    part = flex.Reduced([f"shape {k}" for k in range(n)], flex.Integrals(*points.integrals), points.K, {"frame1": node}, points.D,
                        flex.Stiffening(list(loads), np.array(list(loads.values()))))
    turn = rng.normal(size=4)
    return pl.ModalBody(name, part, position=rng.normal(size=3), rotation=turn / np.linalg.norm(turn), velocity=rng.normal(size=3),
                        angular_velocity=rng.normal(size=3), modal=0.2 * rng.normal(size=n), modal_rate=rng.normal(size=n), damping=0.1)


def lined_body(name: str, rng: np.random.Generator, n: int = 7) -> pl.ModalBody:
    """The same with a curved line of seven nodes at random places along it, all with random shapes."""
    body = modal_body(name, rng, n)
    part, names = body.reduced, [f"rail_{k}" for k in range(7)]
    angles = np.sort(rng.uniform(-0.6, 0.6, 7))
    places = np.column_stack([np.sin(angles), np.cos(angles), 0.4 * angles]) + rng.normal(size=3)
    line = {name: flex.Node(x, np.eye(3), *(0.4 * rng.normal(size=(2, 3, n)))) for name, x in zip(names, places, strict=True)}
    loads = {("free", *load): K for load, K in random_loads(rng, n, tuple(names)).items() if load[0] == "force"}
    stiffening = flex.Stiffening([*part.stiffening.loads, *loads], np.array([*part.stiffening.K, *loads.values()]))
    lined = flex.Reduced(part.names, part.integrals, part.Kqq, part.nodes | line, part.Dqq, stiffening, lines={"rail": names})
    more = {f: getattr(body, f) for f in ("position", "rotation", "velocity", "angular_velocity", "modal", "modal_rate", "damping")}
    return pl.ModalBody(name, lined, **more)


def random_loads(rng: np.random.Generator, n: int, names: tuple[str, ...]) -> dict:
    """Stiffening of every load, at random."""
    loads = [("acceleration", i) for i in range(3)] + [("angular", i) for i in range(3)]
    loads += [("centrifugal", i, j) for i, j in modal_tables.SIX]
    loads += [(kind, name, i) for name in names for kind in ("force", "moment") for i in range(3)]
    roots = 0.3 * rng.normal(size=(len(loads), n, n))
    return modal_tables.loads_of(SimpleNamespace(loads=loads, K=roots + roots.transpose(0, 2, 1)))


def add_body(b: ArrayBuilder, name: str, body: Points, q: np.ndarray, v: np.ndarray, loads: dict, rng: np.random.Generator):
    """A modal body; every frame is a node of its own with random shapes."""
    n = body.psi.shape[2]

    def node(b, place, number, point, axes):
        tables = modal_tables.node_tables(*(0.4 * rng.normal(size=(2, 3, n))))
        second = modal_tables.node_second(n, "node", loads)
        b.element(nodes.FRAMES, name, (place.iq, place.iv, number, b.frames[number][1], n, b.pool(tables),
                                       -1 if second is None else b.pool(second)), (*point, *axes.ravel()), tiles=place.tiles)
    place = b.place(name, q, v, node)
    tables = modal_tables.body_tables(body.integrals, body.K, body.D, loads)
    b.element(modal.BODY, name, (place.iq, place.iv, n, b.pool(tables)), modal_tables.body_reals(body.integrals), tiles=place.tiles)
    b.scratch = max(b.scratch, int(modal.SIZE) * n)
    return place


def random_modal(b: ArrayBuilder, name: str, rng: np.random.Generator, n: int = MODES):
    q, v = rng.normal(size=7 + n), rng.normal(size=6 + n)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[7:] *= 0.2
    return add_body(b, name, Points(rng, n), q, v, random_loads(rng, n, ("node",)), rng)
