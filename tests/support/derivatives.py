"""Complex-step derivatives of a compiled system on its manifold, and the zoo: every family between random frames."""
from __future__ import annotations

import numpy as np
from point_masses import random_modal

from pliant.compile.array_builder import ArrayBuilder
from pliant.compile.system import System
from pliant.families import bushing, constraints, held, loads, rigid, signals, springs
from pliant.kernels import evaluation
from pliant.kernels.coordinates import ANGLE, DISPLACEMENT, DISTANCE

STEP = 1e-30


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q @ np.diag(np.sign(np.diag(r)))
    return q if np.linalg.det(q) > 0 else -q


def rigid_frame(b, place, number, point, axes):
    b.element(rigid.FRAMES, place.name, (place.iq, place.iv, number, b.frames[number][1]), (*point, *axes.ravel()),
              tiles=place.tiles)


def random_body(b: ArrayBuilder, name: str, rng: np.random.Generator):
    q, v, root = rng.normal(size=7), rng.normal(size=6), rng.normal(size=(3, 3))
    q[3:] /= np.linalg.norm(q[3:])
    place = b.place(name, q, v, rigid_frame)
    b.element(rigid.BODY, name, (place.iq, place.iv), (2.0 + rng.random(), *(root @ root.T + 3 * np.eye(3)).ravel()),
              tiles=place.tiles)
    return place


def _joint(family, ints, rows, reals=()):
    def add(b, fa, fb, rng):
        j = b.equations("joint", (fa, fb))
        codes = [b.function("2*sin(3*t) + t^2", ("t",), "drive")] if family is constraints.COORDINATE and reals[1] > 2 else []
        more = (codes[0].value, codes[0].by_t, codes[0].by_tt) if codes else (-1, -1, -1)
        extra = (*ints, b.history(), *more) if family is constraints.COORDINATE else ints
        b.pair(family, "joint", fa, fb, extra, reals, joint=j, row=j.take(rows))
    return add


def _held_joint(b, fa, fb, rng):
    """Place and axes of the history, in a tile of their own."""
    j, kept = b.equations("joint", (fa, fb)), b.history(12)
    for axis in range(3):
        b.pair(held.HELD_PLACE, "joint", fa, fb, (axis, kept), joint=j, row=j.take())
    for first, second in ((0, 1), (2, 0)):
        b.pair(held.HELD_AXES, "joint", fa, fb, (first, kept, second), joint=j, row=j.take())


def _switched_joint(b, fa, fb, rng):
    """Tiles of coincident points: one with single rows off, one off, one on, by levels of the history."""
    for level, rows in ((-1.0, 1), (-1.0, None), (1.0, None)):
        j = b.equations("joint", (fa, fb))
        row = j.take(3)
        b.pair(constraints.COINCIDENT, "joint", fa, fb, (), joint=j, row=row)
        b.switchable(j, b.discrete(level), None if rows is None else [row + rows])
    b.close_switches()


def _spring(kind, law=None):
    def add(b, fa, fb, rng):
        b.signal = lambda reference: {"s.value": slots[0], "s.rate": slots[1]}[reference]
        slots, rows = [b.new_signal(), b.new_signal()], []
        for order, k in enumerate((DISPLACEMENT, ANGLE)):
            rows.append(b.pair(signals.SENSE, "signal", fb, fa, (k, 1, b.history(), slots[order], order), (0.1,), velocity=True,
                               reads=True))
        code = b.function(law, ("t", "x", "v"), "law") if law else None
        ints = (kind, 2, b.history(), *((code.value, code.by_x, code.by_v) if code else (-1, -1, -1)))
        reals = (0.2, 30.0, 4.0, 0.3)
        b.pair(springs.SPRING, "spring", fa, fb, ints, reals, velocity=True)
        tiles = (*b.tiles_of(fa), *b.tiles_of(fb))
        columns = (*b.tiles_of(fb), *b.tiles_of(fa))
        for slot, derivative in code.by_signal if code else ():
            b.element(signals.SPRING_ANSWER, "answer", (fa, fb, -1, *ints, b.row_of(signals.SENSE, rows[slots.index(slot)]), derivative),
                      reals, tiles=tiles, columns=columns)
    return add


def _load(part, follows):
    def add(b, fa, fb, rng):
        b.signal = lambda reference: slot
        slot, ground = b.new_signal(), b.frame(b.ground, (0, 0, 0))
        row = b.pair(signals.SENSE, "signal", fb, fa, (DISTANCE, 0, 0, slot, 1), (0.0,), velocity=True, reads=True)
        codes = [b.function(f, ("t",), "load") for f in ("3*cos(2*t)", "1.5", "2*s.rate")]
        b.pair(loads.LOAD, "load", fa, ground, (part, follows, *(c.value for c in codes)), rng.normal(size=3))
        b.element(signals.LOAD_ANSWER, "answer", (fa, ground, -1, part, follows, -1, -1, -1, 2, b.row_of(signals.SENSE, row),
                                                  codes[2].by_signal[0][1]),
                  tiles=b.tiles_of(fa), columns=(*b.tiles_of(fb), *b.tiles_of(fa)))
    return add


def _bushing(b, fa, fb, rng):
    K, C = rng.normal(size=(2, 6, 6))
    pool = b.pool(K @ K.T, C, 0.1 * rng.normal(size=6))
    b.pair(bushing.BUSHING, "bushing", fa, fb, (pool, b.history(3)), velocity=True)


ZOO = {
    "coincident": _joint(constraints.COINCIDENT, (), 3),
    "d1": _joint(constraints.PERPENDICULAR, (0, 2), 1),
    "d2": _joint(constraints.IN_PLANE, (1,), 1),
    "displacement": _joint(constraints.COORDINATE, (DISPLACEMENT, 2), 1, (0.3, 1.7, 0.1)),
    "distance": _joint(constraints.COORDINATE, (DISTANCE, 0), 1, (0.0, 1.0, 0.7)),
    "driven angle": _joint(constraints.COORDINATE, (ANGLE, 2), 1, (0.3, 2.2, 0.1)),
    "driven distance": _joint(constraints.COORDINATE, (DISTANCE, 0), 1, (0.0, 2.2, 0.1)),
    "spring": _spring(DISTANCE),
    "torsion spring": _spring(ANGLE),
    "law": _spring(DISTANCE, "20*x^3 + 2*v*x + 0.5*v^2*sin(t)"),
    "law with signals": _spring(ANGLE, "5*s.value^2*x + s.rate*s.value - 3*v"),
    "force": _load(0, 0), "following force": _load(0, 1), "following torque": _load(3, 1), "torque": _load(3, 0),
    "bushing": _bushing,
    "held": _held_joint, "switched": _switched_joint,
}


PAIRS = ("rigid ground", "rigid rigid", "modal ground", "modal rigid", "rigid modal", "modal modal")  # bodies of the frames b and a


def zoo(name: str, bodies: str = "rigid rigid", seed: int = 0) -> System:
    """One element of a family between two random frames on the bodies named."""
    rng = np.random.default_rng(seed)
    b = ArrayBuilder((0.3, -0.7, -9.81), coupled=True)
    make = {"rigid": random_body, "modal": random_modal, "ground": lambda b, name, rng: b.ground}
    places = [make[kind](b, f"body {k}", rng) for k, kind in enumerate(bodies.split())]
    fb, fa = (b.frame(place, rng.normal(size=3), random_rotation(rng)) for place in places)
    ZOO[name](b, fa, fb, rng)
    return System(b)


class ComplexStep:
    """The system at a random state, in both scalar types."""

    def __init__(self, system: System, t: float = 0.37, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        self.system, self.t = system, t
        self.real, self.complex = system.memory(), system.memory(np.complex128)
        self.data = system.typed_data(np.complex128)
        self.real.a[:system.n_v] = rng.normal(size=system.n_v)
        self.real.lam[system.n_v:] = rng.normal(size=system.n - system.n_v)
        self.real.a[np.setdiff1d(np.arange(system.n), system.active)] = 0
        self.real.H[:] = 0.1 * rng.normal(size=self.real.H.size)
        levels = system.switchable[:, 1]
        self.real.H[levels] = system.h0[levels]
        self.rows = system.active

    def residual(self, direction: np.ndarray, part: str, program: str = "residual") -> np.ndarray:
        """d(R)/d(part) along direction: part q (on the manifold), v, a, lam; of rows that hold for velocities only, d(V)/d(part)."""
        z, speeds = self.memory(direction, part, program), self.system.data.speeds
        R = z.R.imag / STEP
        if program == "residual":
            R[speeds] = z.V[speeds].imag / STEP
        return R

    def memory(self, direction: np.ndarray, part: str, program: str, t_dot: float = 0.0):
        z, s = self.complex, self.system
        for name in ("q", "v", "a", "lam", "H"):
            getattr(z, name)[:] = getattr(self.real, name)
        z.V[:], z.E[:] = 0, 0
        if part == "q":
            evaluation.retract(self.data, self.real.q.astype(complex), direction.astype(complex), 1j * STEP, z.q)
        else:
            getattr(z, part)[:] += 1j * STEP * direction
        evaluation.run(s.program(program, np.complex128), self.data, z, self.t, 0.0, 0.0, 0.0)
        return z

    def tangent(self, cm: float, cd: float, ck: float) -> np.ndarray:
        s, x = self.system, self.real
        x.D[:], x.J[:], x.L[:] = 0, 0, 0
        evaluation.run(s.program("tangent"), s.data, x, self.t, cm, cd, ck)
        return s.dense(x.D)[np.ix_(self.rows, self.rows)]

    def reference(self, cm: float, cd: float, ck: float) -> np.ndarray:
        s, n_v = self.system, self.system.n_v
        columns = []
        for k in self.rows:
            unit = np.eye(s.n)[k]
            if k >= n_v:
                columns.append(self.residual(unit, "lam"))
                continue
            by_q, by_v = self.residual(unit, "q"), self.residual(unit, "v")
            column = ck * by_q + cd * by_v + cm * self.residual(unit, "a")
            column[n_v:] = by_q[n_v:]
            speeds = s.data.speeds  # unscaled as well: their gradient by velocities
            column[speeds] = by_v[speeds] + (ck / cd * by_q[speeds] if cd else 0)
            columns.append(column)
        return np.array(columns).T[self.rows]
