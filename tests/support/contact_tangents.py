"""Tangents of contacts against complex steps: pairs of shapes, laws and frictions, off all axes, spinning, bodies in any order.

    python tests/support/contact_tangents.py [--seeds 2]

goes through all pairs of shapes with all laws, and with all frictions, in both orders, and through rigid contacts in all states.
"""
import argparse
import sys
import warnings
from itertools import combinations_with_replacement, cycle

import numpy as np
from derivatives import ComplexStep
from gap_drivers import driver, poses

import pliant as pl
from pliant.families.contacts import MEMORY, MET
from pliant.families.rigid_contacts import ALONG, EDGE, GRIPS
from pliant.families.rigid_stops import OPEN, SLIDES, STICKS
from pliant.items.base import quaternion_of
from pliant.kernels import evaluation
from pliant.kernels.gaps.geometry import AWAY
from pliant.kernels.gaps.shapes import parts

Surface = pl.Surface
ROOF = ((0.3, 0.2, -0.2), (-0.3, 0.2, -0.2), (0.3, -0.2, -0.2), (-0.3, -0.2, -0.2), (0.1, 0.0, 0.3), (-0.2, 0.05, 0.25))
SHAPES = {"sphere": Surface.sphere(0.3), "plane": Surface.plane(), "capsule": Surface.capsule(0.15, 0.5),
          "cylinder": Surface.cylinder(0.2, 0.6, rounding=0.02, crown=0.05), "box": Surface.box((0.6, 0.4, 0.5)),
          "convex": Surface.convex(ROOF), "hollow_sphere": Surface.hollow_sphere(0.6), "bore": Surface.bore(0.5)}
POWER = {"stiffness": 2e4, "exponent": 1.7}
LAWS = {"restitution": {**POWER, "restitution": 0.6}, "lankarani-nikravesh": {**POWER, "law": "lankarani-nikravesh", "restitution": 0.9},
        "flores": {**POWER, "law": "flores", "restitution": 0.3}, "hunt-crossley": {**POWER, "law": "hunt-crossley", "restitution": 0.4},
        "linear": {"law": "linear", "stiffness": 3e3, "damping": 20.0},
        "impact": {"law": "impact", "stiffness": 3e3, "exponent": 2.0, "damping": 40.0, "ramp": 0.5},
        "expression": {"force": "2e3*x^1.5*(1 + 0.2*v) + 30*sin(t)"}}
TURNING = {"rolling": 0.02, "spinning": 0.03}
STRIBECK = {"friction": 0.3, "static": 0.5, "stribeck_speed": 0.5, "viscous": 0.1}
FRICTIONS = {"none": {}, "bristle": {**STRIBECK, **TURNING, "stick_length": 2e-3},
             "lugre": {**STRIBECK, "friction_model": "lugre", "bristle_stiffness": 300.0, "bristle_damping": 2.0},
             "regularised": {**STRIBECK, **TURNING, "friction_model": "regularised", "slip_speed": 0.2}, "turning": dict(TURNING)}
PHASES = {"open": OPEN, "slides": SLIDES, "sticks": STICKS}


def pairs():
    """All that can touch each other, and of how many points they consist."""
    found = {}
    for a, b in combinations_with_replacement(SHAPES, 2):
        try:
            found[a, b] = parts(SHAPES[a].shape, SHAPES[b].shape)
        except ValueError:
            continue
    return found


def overlapping(pair, seed):
    """Poses of two frames in which the shapes overlap by little, at as many points as can be found."""
    rng, n = np.random.default_rng(seed), 400
    A, B = poses(rng, n, 0.45), poses(rng, n, 0.45)
    touching, deepest = np.zeros(n), np.zeros(n)
    for kernel, swapped, sizes in parts(SHAPES[pair[0]].shape, SHAPES[pair[1]].shape):
        g = driver(kernel).values(np.array(sizes), *((B, A) if swapped else (A, B))).g
        touching, deepest = touching + (g < -1e-3), np.minimum(deepest, g)
    e = int(np.argmax(touching - 100.0 * (deepest < -0.3)))
    assert touching[e] > 0, f"{pair} do not touch"
    return A[e], B[e]


def model(pair, contacts, seed=0, order=1):
    """Two free bodies that spin, with contacts between off-centre surfaces; ``order`` -1: bodies and sides of contacts the other way round.
    ``contacts``: fields of each."""
    rng = np.random.default_rng(seed + 1)
    m = pl.Model("tangents", gravity=(0.3, -0.2, -9.81))
    bodies, frames = [], []
    for name, at in zip(("one", "two"), overlapping(pair, seed), strict=True):
        turn, point = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3) * 0.2
        turn *= np.sign(np.linalg.det(turn))
        R = at[3:].reshape(3, 3) @ turn.T
        root = rng.normal(size=(3, 3))
        bodies.append(pl.RigidBody(name, 2.0 + rng.random(), (root @ root.T + 3 * np.eye(3)).tolist(), com=rng.normal(size=3) * 0.1,
                                   position=at[:3] - R @ point, rotation=quaternion_of(R), velocity=0.5 * rng.normal(size=3),
                                   angular_velocity=rng.normal(size=3)))
        frames.append((name, point, turn))
    for body in bodies[::order]:
        m.add(body)
    for k, fields in enumerate(contacts):
        a, b = (m[name].frame(tuple(point), turn) for name, point, turn in frames)
        sides = [(a, SHAPES[pair[0]]), (b, SHAPES[pair[1]])][::order]
        m.add(pl.Contact(f"c{k}", *(frame for frame, _ in sides), surface_a=sides[0][1], surface_b=sides[1][1], **fields))
    return m


def compared(c, coefficients=((1.3, 0.7, 2.1), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))):
    """Largest difference of the tangent and the complex step, of the largest entry; rows of states by themselves."""
    worst, states = 0.0, [list(c.rows).index(state.iv) for state in c.system.states]
    for cm, cd, ck in coefficients:
        found, expected = c.tangent(cm, cd, ck), c.reference(cm, cd, ck)
        for rows in (slice(None), states):
            size = abs(expected[rows]).max(initial=0.0)
            if size > 0:
                worst = max(worst, abs(found[rows] - expected[rows]).max() / size)
    return worst


def compliant(pair, contacts, seed=0, order=1):
    """The error of a tangent, and how many points touch. Bristles are bent, some below and some beyond their elastic part."""
    c = ComplexStep(model(pair, contacts, seed, order).compile(exact=True).system, seed=seed + 1)
    s = c.system
    c.real.H[:] = 0
    evaluation.run(s.program("update"), s.data, c.real, c.t, 0.0, 0.0, 0.0)  # axes for tangents
    for family, (first, last) in s.families.items():
        for e in range(first, last) if family.name.startswith("contact") else ():
            c.real.H[s.data.ip[e, MEMORY] + MET] = 0.3 + 0.1 * (e % 5)
    for k, state in enumerate(s.states):
        c.real.v[state.iv] = (-1) ** k * (0.5 + 0.1 * (k % 7)) * state.nominal
    return compared(c)


def rigid(pair, phases, seed=0, order=1, exact=True):
    """The same of rigid contacts, whose points are in these states in turn."""
    c = ComplexStep(model(pair, [{"law": "rigid", "friction": 0.4, "static": 0.5}], seed, order).compile(exact=exact).system, seed=seed + 1)
    s, rng = c.system, np.random.default_rng(seed)
    c.real.H[[point.phase for point in s.rigid]] = OPEN
    evaluation.run(s.program("residual"), s.data, c.real, c.t, 0.0, 0.0, 0.0)
    near = [point for point in s.rigid if c.real.W[point.seen] < AWAY]  # edges and vertices that face each other
    for point, phase in zip(near, cycle(phases), strict=False):
        along, h = rng.normal(size=3), point.phase
        c.real.H[[h, h + EDGE, h + GRIPS]] = PHASES[phase], 1, phase == "sticks"
        c.real.H[h + ALONG:h + ALONG + 3] = along / np.linalg.norm(along)
    return compared(c)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    given, failed = parser.parse_args(), 0
    warnings.simplefilter("ignore")
    for pair, points in pairs().items():
        frictions = [f for f in FRICTIONS.values() if len(points) <= 32 or f.get("friction_model", "bristle") == "regularised"]
        frictions = frictions or [FRICTIONS["none"]]
        contacts = [LAWS["restitution"] | f for f in frictions] + [law | {} for law in LAWS.values()]
        contacts += [law | FRICTIONS["regularised"] for law in LAWS.values()]
        worst = [compliant(pair, contacts, seed, order) for seed in range(given.seeds) for order in (1, -1)]
        worst += [rigid(pair, [*PHASES], seed, order) for seed in range(3 * given.seeds) for order in (1, -1)]
        failed += max(worst) > 1e-11
        print(f"{'ok  ' if max(worst) <= 1e-11 else 'FAIL'} {' on '.join(pair)}: {len(points)} points, error {max(worst):.1e}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
