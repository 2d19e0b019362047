"""Backlash of gears, racks and screws: closed forms of rattling, in both coordinates, in text and where the joints are turned."""
import numpy as np
import pytest

import pliant as pl
from pliant.text.model_text import from_text, to_text

E = 0.7


def gear(**more) -> pl.Model:
    m = pl.Model("gear")
    m.add(pl.RigidBody("a", 1.0, (1, 1, 0.2), position=(0, 0, 0)))
    m.add(pl.RigidBody("b", 1.0, (1, 1, 0.5), position=(0, 0, 1)))
    m.add(pl.Revolute("A", m.ground, "a", at=(0, 0, 0), axis="z", angle_rate=2.0, zero=0.3))
    m.add(pl.Revolute("B", m.ground, "b", at=(0, 0, 1), axis="z"))
    m.add(pl.Gear("g", "A", "B", ratio=-2.0, **more))
    return m


def rack(**more) -> pl.Model:
    m = pl.Model("rack")
    m.add(pl.RigidBody("a", 0.5, (1, 1, 1), position=(0, 0, 0)))
    m.add(pl.RigidBody("b", 1.0, (1, 1, 0.2), position=(0, 0, 1)))
    m.add(pl.Prismatic("A", m.ground, "a", axis=(0.3, -0.5, 0.8), zero=0.1))
    m.add(pl.Revolute("B", m.ground, "b", at=(0, 0, 1), axis="z", angle_rate=-2.0))
    m.add(pl.RackPinion("g", "A", "B", radius=0.5, **more))
    return m


def screw(**more) -> pl.Model:
    m = pl.Model("screw")
    m.add(pl.RigidBody("n", 0.5, (0.2, 0.2, 0.2), position=(0, 0, 0)))
    m.add(pl.Screw("g", m.ground, "n", axis=(0.3, -0.5, 0.8), lead=-np.pi, angle_rate=2.0, **more))
    return m


CASES = {"gear": (gear, "2 deg", {"B.angle": 1.0, "A.angle": 2.0}, (0.5, 0.2)),
         "rack": (rack, "20 mm", {"A.displacement": 1.0, "B.angle": -0.5}, (0.5, 0.2)),
         "screw": (screw, "20 mm", {"g.displacement": 1.0, "g.angle": 0.5}, (0.5, 0.2))}


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("case", CASES)
def test_teeth_rattle(case, coordinates):
    """Every touch gives back 0.7 of the speed of the residual x; between them it crosses the play, so that times form a geometric
    series. The other motion, I_1 c_1' / f_1 - I_2 c_2' / f_2, is that of before."""
    make, play, terms, (first, second) = CASES[case]
    m = make(backlash=play, restitution=E)
    m = from_text(to_text(m))
    sol = m.simulate(0.8, accuracy=1e-9, coordinates=coordinates)
    b = m["g"].backlash
    x = sum(f * (sol[c] - (0.3 if c == "A.angle" and case == "gear" else 0.1 if c == "A.displacement" else 0)) for c, f in terms.items())
    rate = sum(f * sol[f"{c}_rate"] for c, f in terms.items())
    speeds = [e.value for e in sol.events if e.what.startswith("touches")]
    assert len(speeds) > 4 and speeds == pytest.approx([abs(rate[0]) * E**k for k in range(len(speeds))], rel=1e-6)
    touches = [e.t for e in sol.events if e.what.startswith("touches")]
    leaves = [e.t for e in sol.events if e.what.startswith("leaves")]
    assert touches[0] == pytest.approx(b / 2 / abs(rate[0]), rel=1e-8)
    crossing = [t - s for s, t in zip(leaves, touches[1:], strict=False)]
    assert crossing == pytest.approx([b / (abs(rate[0]) * E**k) for k in range(1, len(crossing) + 1)], rel=1e-6)
    assert abs(x).max() < b / 2 + 2e-3 * abs(rate[0])
    (c1, f1), (c2, f2) = terms.items()
    other = first * sol[f"{c1}_rate"] / f1 - second * sol[f"{c2}_rate"] / f2
    assert np.ptp(other) < 1e-9 and abs(sol.energy.balance - sol.energy.balance[0]).max() < 1e-9
    assert m.check().degrees_of_freedom == 2
    if case != "screw":
        assert abs(sol["A.power"] + sol["B.power"] - sol["g.teeth.power"]).max() < 1e-9 and abs(sol["g.effort"]).max() > 0


@pytest.mark.parametrize(("fields", "told"), [
    ({"stiffness": 1e5}, "stiffness: is that of teeth with backlash"), ({"backlash": 0.1, "restitution": 2}, "restitution: 2 must be"),
    ({"backlash": -0.1}, "backlash: -0.1 must be greater"), ({"backlash": "1 mm"}, "backlash: '1 mm' is a length")])
def test_wrong_teeth_are_told(fields, told):
    with pytest.raises(pl.ItemError, match=f"gear 'g': {told}"):
        gear(**fields)
