"""A force law written outside the package: two frames attract each other with f = c / r^2 (gravitation, charges)."""
from typing import ClassVar

import numpy as np

from pliant.items.base import Pair
from pliant.items.declarations import Channel, Stiffness
from pliant.kernels.contract import ELASTIC, Family, P, Stage
from pliant.kernels.jit import index, jit
from pliant.kernels.pairs import FA, FB, GRADIENT, add_pair, add_wrench, clear_stiffness, put
from pliant.kernels.so3 import dot, dyad, scale, store, sub, vec2

STRENGTH = index(0)


@jit
def attraction(s, b, o):
    """V = -c / r, so dV/dp_B = c d / r^3 with d = p_B - p_A, on the left side"""
    for e in range(b.first, b.last):
        d = sub(vec2(s.X, b.ip[e, FB], P), vec2(s.X, b.ip[e, FA], P))
        r = np.sqrt(dot(d, d))
        for i in range(12):
            o.W[GRADIENT + i] = 0
        store(scale(-b.rp[e, STRENGTH] / r**3, d), o.W, GRADIENT)
        store(scale(b.rp[e, STRENGTH] / r**3, d), o.W, GRADIENT + 6)
        add_wrench(s, b, e, 1.0, o.W)


@jit
def attraction_tangent(s, b, o):
    """K = c / r^3 (1 - 3 d d^T / r^2) between the displacements"""
    attraction(s, b, o)
    for e in range(b.first, b.last):
        d = sub(vec2(s.X, b.ip[e, FB], P), vec2(s.X, b.ip[e, FA], P))
        r = np.sqrt(dot(d, d))
        K = dyad(scale(-3 / r**2, d), d, 1.0)
        clear_stiffness(o.W)
        for i in range(2):
            for j in range(2):
                put(o.W, 6 * i, 6 * j, (1 - 2 * abs(i - j)) * b.rp[e, STRENGTH] / r**3, K)
        add_pair(s, b, o, e, False)


@jit
def attraction_energy(s, b, o):
    for e in range(b.first, b.last):
        d = sub(vec2(s.X, b.ip[e, FB], P), vec2(s.X, b.ip[e, FA], P))
        o.E[ELASTIC] -= b.rp[e, STRENGTH] / np.sqrt(dot(d, d))


ATTRACTION = Family("attraction", act=Stage(residual=attraction, tangent=attraction_tangent, energy=attraction_energy), elastic=True)


def distance(observer, name):
    pair = observer.record(name)
    return np.linalg.norm(observer.position(pair.b) - observer.position(pair.a), axis=1)


def force(observer, name):
    """On the body of frame b, world axes."""
    return observer.effort(name)[:, :3].copy()


class Attraction(Pair):
    """``strength`` c [N m^2]."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "attraction"
    symbol: ClassVar[str] = "spring"
    apart: ClassVar[bool] = True
    strength: float

    def build(self, layout):
        a, b = (layout.frame(f, f"attraction {self.name!r}") for f in (self.a, self.b))
        layout.add_force(self.name, ATTRACTION, a, b, (), (self.strength,))

    def channels(self):
        return Channel("force", "N", 3, force), Channel("distance", "m", 1, distance)

    def stiffnesses(self, at):
        """-2 c / r^3 along the line, c / r^3 across it"""
        pair = at.record(self.name)
        d = at.position(pair.b) - at.position(pair.a)
        r, (along, *across) = np.linalg.norm(d), np.linalg.svd(d[None, :])[2]
        for axis, factor in ((along, -2.0), (across[0], 1.0), (across[1], 1.0)):
            yield Stiffness(np.concatenate([axis, np.zeros(3)]), factor * self.strength / r**3, 0.0)

    @classmethod
    def example(cls, a, b):
        return [cls("F", a, b, strength=2.0)]
