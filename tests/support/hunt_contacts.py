"""Random throws at what is easily missed: thin plates, edges that are grazed, pegs next to spinning rods, ceilings that are touched for
microseconds. Where the free motion, which is known, would pass through, there must be an impact, at the right time.

    python tests/support/hunt_contacts.py --cases 10000 --seed 0
"""
import argparse
import sys
from collections import Counter

import numpy as np

import pliant as pl

ACCURACIES = 1e-3, 1e-4, 1e-6, 1e-8
GRAVITY = 9.81


def unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def box_gap(x, half, r):
    """Of a point with radius from a box about the origin."""
    d = abs(x) - half
    return np.linalg.norm(np.maximum(d, 0), axis=-1) + np.minimum(d.max(axis=-1), 0) - r


def plate(rng):
    """A fast ball at a thin plate, or past its edge."""
    half = np.array([rng.uniform(0.05, 0.3), rng.uniform(0.05, 0.3), 10 ** rng.uniform(-4, -2)])
    r, speed = 10 ** rng.uniform(-3, -1.3), 10 ** rng.uniform(-1, 2)
    aim = half * rng.uniform(-1.1, 1.1, size=3)
    way = unit(rng)
    start = aim - way * rng.uniform(0.5, 2.0)
    if box_gap(start, half, r) < 1e-3:
        return None
    m = pl.Model("plate", gravity=(0, 0, 0))
    m.add(pl.RigidBody.sphere("ball", radius=r, mass=1.0, position=tuple(start), velocity=tuple(speed * way)))
    m.add(pl.Contact("hit", "ball", "ground", law="rigid", restitution=1.0, surface_b=pl.Surface.box(tuple(2 * half))))
    return m, 4.0 / speed, lambda t: box_gap(start + np.multiply.outer(t, speed * way), half, r)


def ceiling(rng):
    """A ball that is thrown up and meets a ceiling just below its highest point, or just not."""
    rise, r = rng.uniform(0.1, 2.0), 10 ** rng.uniform(-2, -1)
    v, side = np.sqrt(2 * GRAVITY * rise), rng.normal(size=2)
    over = rise * 10 ** rng.uniform(-12, -1) * rng.choice([-1, 1], p=[0.3, 0.7])  # how much higher it would go
    height = rise + r - over
    m = pl.Model("ceiling", gravity=(0, 0, -GRAVITY))
    m.add(pl.RigidBody.sphere("ball", radius=r, mass=1.0, velocity=(*side, v)))
    m.add(pl.Contact("hit", "ball", m.ground.frame((0, 0, height), pl.rotation("x", np.pi)), law="rigid", restitution=1.0))
    return m, 1.5 * v / GRAVITY, lambda t: height - r - v * t + GRAVITY * t**2 / 2


def peg(rng):
    """A rod that spins in flight past a small ball that is fixed."""
    l, r, R = rng.uniform(0.2, 1.0), 10 ** rng.uniform(-3, -2), 10 ** rng.uniform(-3, -1.5)
    spin, speed = rng.uniform(-40, 40), rng.uniform(0.5, 5.0)
    at = np.array([rng.uniform(-0.5, 0.5) * l, 0.0, rng.uniform(-1, 1) * r])
    start = np.array([-1.5, rng.uniform(-0.1, 0.1), 0.0])

    def gap(t):
        c = start + np.multiply.outer(t, (speed, 0, 0))
        e = np.stack([np.cos(spin * t), np.sin(spin * t), 0 * t], -1)
        s = np.clip(((at - c) * e).sum(-1), -l / 2, l / 2)
        return np.linalg.norm(c + s[..., None] * e - at, axis=-1) - r - R
    if gap(np.array(0.0)) < 1e-3:
        return None
    m = pl.Model("peg", gravity=(0, 0, 0))
    m.add(pl.RigidBody("rod", mass=1.0, inertia=(1e-3, l**2 / 12, l**2 / 12), position=tuple(start), velocity=(speed, 0, 0),
                       angular_velocity=(0, 0, spin)))
    along = {"rotation": pl.rotation("y", np.pi / 2)}
    m.add(pl.Contact("hit", m["rod"].frame((0, 0, 0), **along), m.ground.frame(tuple(at)), law="rigid", restitution=1.0,
                     surface_a=pl.Surface.capsule(r, l), surface_b=pl.Surface.sphere(R)))
    return m, 3.0 / speed, gap


KINDS = {"plate": plate, "ceiling": ceiling, "peg": peg}


def first_touch(gap, duration):
    """The lowest gap, and when it first becomes zero; NaN if it does not."""
    t = np.linspace(0, duration, 40_001)
    g = gap(t)
    near = np.flatnonzero((g[1:-1] <= g[:-2]) & (g[1:-1] <= g[2:])) + 1
    lowest, touch = float(g.min()), np.nan
    for k in sorted({*near.tolist(), *np.flatnonzero((g[1:] < 0) & (g[:-1] >= 0)).tolist()}):
        a, b = t[max(k - 1, 0)], t[min(k + 1, t.size - 1)]
        for _ in range(100):  # golden section; the gap has one minimum there
            c, d = b - 0.6180339887498949 * (b - a), a + 0.6180339887498949 * (b - a)
            a, b = (a, d) if gap(np.array(c)) < gap(np.array(d)) else (c, b)
        low = (a + b) / 2 if gap(np.array((a + b) / 2)) < g[k] else t[k]
        lowest = min(lowest, float(gap(np.array(low))))
        if gap(np.array(low)) < 0 and np.isnan(touch):
            before = t[max(k - 1, 0)]
            while before > 0 and gap(np.array(before)) < 0:
                before -= t[1]
            a, b = before, low
            for _ in range(100):
                c = (a + b) / 2
                a, b = (a, c) if gap(np.array(c)) < 0 else (c, b)
            touch = b
    return lowest, touch


def one(seed, case):
    """'right', 'near' (missed by less than the accuracy), or what is wrong."""
    rng = np.random.default_rng([seed, case])
    kind = list(KINDS)[case % len(KINDS)]
    made = KINDS[kind](rng)
    if made is None:
        return "overlap"
    m, duration, gap = made
    accuracy = ACCURACIES[int(rng.integers(len(ACCURACIES)))]
    lowest, touch = first_touch(gap, duration)
    method = pl.DOP853() if case % 2 else None
    sol = m.simulate(duration, accuracy=accuracy, integrator=method, progress=False)
    hits = [e.t for e in sol.events if e.what == "impact"]
    size = sol.dynamics.length
    if np.isnan(touch):
        return "right" if not hits or lowest < accuracy * size else f"{kind} {case}: hit at {hits[0]:.9g}, but passes at {lowest:.3g} m"
    if not hits:
        return "near" if -lowest <= accuracy * size else f"{kind} {case}: passes unseen, {-lowest:.3g} m deep, accuracy {accuracy:g}"
    if abs(hits[0] - touch) > 10 * accuracy * duration + np.sqrt(accuracy * size / GRAVITY) * (kind == "ceiling"):
        return f"{kind} {case}: hit at {hits[0]:.9g} instead of {touch:.9g}"
    return "right"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    counts, wrong = Counter(), []
    for case in range(given.cases):
        try:
            found = one(given.seed, case)
        except (ValueError, RuntimeError) as error:
            found = f"{list(KINDS)[case % len(KINDS)]} {case}: {error}"
        known = found in ("right", "near", "overlap")
        counts[found if known else "wrong"] += 1
        if not known:
            wrong.append(found)
            print(found, flush=True)
    print(dict(counts))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
