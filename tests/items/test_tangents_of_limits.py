"""Tangents of stops, clearances and backlash at their limits, off all axes, spinning, bodies in both orders, against complex steps."""
import numpy as np
import pytest
from derivatives import ComplexStep, random_rotation

import pliant as pl
from pliant.families.rigid_stops import OPEN, SLIDES

AXIS = (0.3, -0.5, 0.8)
BACK = {"restitution": 0.4}
TEETH = {"backlash": 0.01, "stiffness": 3e4, **BACK}


def hinge(**law):
    return [pl.Revolute("J", "A", "B.b", axis=AXIS), pl.Stop("s", "J", "angle", lower=-0.2, upper=0.2, **law)]


def slide(**law):
    return [pl.Cylindrical("J", "A", "B.b", axis=AXIS), pl.Stop("s", "J", "displacement", lower=-0.1, upper=0.1, **law),
            pl.Stop("z", "J", "angle", lower=-0.1, **law)]


def journal(**law):
    return [pl.RevoluteClearance("c", "A", "B.b", clearance=0.01, stiffness=2e4, axis=AXIS, **law)]


def geared(word, *fields, **more):
    joints = [pl.Cylindrical("J", "A", "B.b", axis=AXIS), pl.Cylindrical("K", "ground", "A", axis=(1, 2, 0.5))]
    return [*joints, word("g", "J", "K", *fields, **more, **TEETH)]


CASES = {
    "hinge": lambda: hinge(stiffness=3e3, exponent=1.5, **BACK), "linear hinge": lambda: hinge(stiffness=3e3, **BACK),
    "slide": lambda: slide(stiffness=3e4, exponent=2.0, **BACK), "journal": lambda: journal(**BACK),
    "long journal": lambda: journal(length=0.3, law="lankarani-nikravesh", exponent=1.0, restitution=0.8),
    "ball": lambda: [pl.SphericalClearance("c", "A", "B.b", clearance=0.01, stiffness=2e4, **BACK)],
    "gear": lambda: geared(pl.Gear, ratio=-2.0),
    "rigid hinge": lambda: hinge(law="rigid", **BACK), "rigid slide": lambda: slide(law="rigid", **BACK)}


def off(items, order, seed):
    """Two bodies that are away from where their joints want them, with what holds between them."""
    rng = np.random.default_rng(seed)
    m, bodies = pl.Model("limits", gravity=(0.3, -0.7, -9.81)), []
    for name in "AB":
        root = rng.normal(size=(3, 3))
        bodies.append(pl.RigidBody(name, 2.0, (root @ root.T + 3 * np.eye(3)).tolist(), com=rng.normal(size=3), position=rng.normal(size=3),
                                   rotation=random_rotation(rng), velocity=rng.normal(size=3), angular_velocity=rng.normal(size=3),
                                   frames={"b": {"point": (0.3, -0.2, 0.1)}}))
    for body in bodies[::order]:
        m.add(body)
    for item in items:
        m.add(item)
    return ComplexStep(m.compile(exact=True).system, seed=seed)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("case", CASES)
def test_tangents_are_exact(case, order):
    from pliant.kernels import evaluation
    rng = np.random.default_rng(3)
    c = off(CASES[case](), order, 3)
    s, x = c.system, c.real
    x.H[:] = s.h0
    evaluation.retract(s.data, x.q.copy(), rng.normal(size=s.n), 0.4, x.q)
    x.v[c.rows[c.rows < s.n_v]] = rng.normal(size=(c.rows < s.n_v).sum())
    evaluation.run(s.program("update"), s.data, x, c.t, 0.0, 0.0, 0.0)  # limits that are touched
    for phases in ((OPEN,), (SLIDES,)) if s.rigid else ((),):
        x.H[[point.phase for point in s.rigid]] = phases * len(s.rigid)
        for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.3, 0.7, 2.1)):
            expected = c.reference(*coefficients)
            assert abs(c.tangent(*coefficients) - expected).max() < 1e-11 * max(1.0, abs(expected).max())
