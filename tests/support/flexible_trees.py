"""Spatial trees and loops of rigid and flexible bodies with every kind of joint."""
import numpy as np
from joint_models import _axis, _joint
from point_masses import Points, random_loads

import pliant as pl
from pliant import flex
from pliant.items.base import matrix_of


def part(rng: np.random.Generator, n: int = 4, nodes: int = 3) -> flex.Reduced:
    """Mass points with random shapes; nodes with random places, shapes and second-order shapes; stiffening by spinning and by forces."""
    points, names = Points(rng, n), tuple(f"n{k}" for k in range(nodes))
    loads = {("free", *load): 0.2 * K for load, K in random_loads(rng, n, names).items() if load[0] not in ("acceleration", "angular")}
    made = {name: flex.Node(0.7 * rng.normal(size=3), np.eye(3), *(0.4 * rng.normal(size=(2, 3, n)))) for name in names}
    stiffening = flex.Stiffening(list(loads), np.array(list(loads.values()))) if n else None
    return flex.Reduced([f"shape {k}" for k in range(n)], flex.Integrals(*points.integrals), points.K, made, points.D, stiffening)


def _flexible(m: pl.Model, name: str, rng, meet: np.ndarray, n: int) -> pl.ModalBody:
    """A flexible body whose node n0 is at a place in the world."""
    reduced, turn = part(rng, n), pl.rotation(_axis(rng), 2 * rng.random())
    position = meet - matrix_of(turn) @ reduced.nodes["n0"].u0
    return m.add(pl.ModalBody(name, reduced, position=position, rotation=turn, damping=0.01))


def _rigid(m: pl.Model, name: str, rng, meet: np.ndarray) -> pl.RigidBody:
    turn = pl.rotation(_axis(rng), 2 * rng.random())
    frames = {"n0": tuple(0.4 * rng.normal(size=3)), "n1": tuple(rng.normal(size=3)), "n2": tuple(rng.normal(size=3))}
    return m.add(pl.RigidBody(name, mass=3 + rng.random(), inertia=0.7 + 0.2 * rng.random(3), com=0.2 * rng.normal(size=3),
                              position=meet - matrix_of(turn) @ np.array(frames["n0"]), rotation=turn, frames=frames))


def place(body, node: str) -> np.ndarray:
    """Of a frame of a body in the world, as modelled."""
    return np.asarray(body.position) + matrix_of(body.rotation) @ np.asarray(body.frames[node].point)


def flexible_tree(kinds, seed: int = 0, floating: bool = False, every: int = 2, modes=(4,), springs: bool = True) -> pl.Model:
    """A random tree; every so manieth body is flexible, with so many modes in turn; every second joint the other way round."""
    rng = np.random.default_rng(seed)
    m = pl.Model("flexible tree", gravity=(1.5, -2.0, -9.0))
    carriers = [] if floating else [(m.ground, None)]
    if floating:
        base = _flexible(m, "base", rng, rng.normal(size=3), modes[0])
        carriers = [(base, "n1"), (base, "n2")]
    for k, kind in enumerate(kinds):
        parent, node = carriers[int(rng.integers(max(0, len(carriers) - 3), len(carriers)))]
        meet = place(parent, node) if node else rng.normal(size=3)
        body = _flexible(m, f"b{k}", rng, meet, modes[k % len(modes)]) if k % every == 0 else _rigid(m, f"b{k}", rng, meet)
        sides = [parent[node] if node else m.ground.frame(meet), body["n0"]]
        m.add(_joint(kind, f"j{k}", *(sides[::-1] if k % 2 else sides), rng))
        carriers += [(body, "n1"), (body, "n2")]
    if springs and kinds:
        m.add(pl.SpringDamper("spring", m.ground.frame((0.5, 0.2, 1.0)), f"b{len(kinds) - 1}.n2", 20.0, 1.5))
    return m


def flexible_loop(n: int = 5, seed: int = 0, last: str = "revolute", every: int = 2, modes=(4,)) -> pl.Model:
    """A chain from the ground back to it: revolute joints about random axes, and one of another kind; a flexible branch hangs on it."""
    rng = np.random.default_rng(seed)
    m = pl.Model("flexible loop", gravity=(0.5, -3.0, -8.0))
    meet, before = rng.normal(size=3), None
    for k in range(n):
        body = _flexible(m, f"b{k}", rng, meet, modes[k % len(modes)]) if k % every == 0 else _rigid(m, f"b{k}", rng, meet)
        m.add(_joint("revolute", f"j{k}", before or m.ground.frame(meet), body["n0"], rng))
        before, meet = body["n1"], place(body, "n1")
    m.add(_joint(last, "end", before, m.ground.frame(meet), rng))
    hang = _flexible(m, "branch", rng, place(m["b1"], "n2"), modes[0])
    m.add(_joint("universal", "knee", m["b1"]["n2"], hang["n0"], rng))
    return m
