"""Joints with clearance: a slider-crank against SciPy's event by event, restitution, a journal that tilts, texts, mirror images."""
import numpy as np
import pytest

import pliant as pl
from pliant.text.model_text import from_text, to_text

# journal and bearing of the slider, clearance 0.5 mm, 5000 rpm, Lankarani and Nikravesh, e = 0.9: touches by DOP853 at 1e-12
TOUCHES = (0.00022728603203978735, 0.0006370564301652416, 0.0007497002798396115, 0.0010859470338733248, 0.0012058161279639066,
           0.0015514860013203732)
TWELFTH = 0.0040801933878226926
STEEL = 4 / (6 * (1 - 0.3**2) / 207e9) * np.sqrt(0.01 * 0.0095 / 0.0005)
TILTED = np.array((0.3, -0.5, 0.8)) / np.linalg.norm((0.3, -0.5, 0.8))


def slider_crank() -> pl.Model:
    m, speed = pl.Model("slider crank"), 5000 * np.pi / 30
    m.add(pl.RigidBody("crank", 0.3, (1e-4, 1e-4, 1e-4), position=(0, 0, 0)))
    m.add(pl.RigidBody("rod", 0.21, (2.5e-4, 2.5e-4, 2.5e-4), com=(0.06, 0, 0), position=(0.05, 0, 0),
                       angular_velocity=(0, 0, -0.05 * speed / 0.12)))
    m.add(pl.RigidBody("slider", 0.14, (1e-4, 1e-4, 1e-4), position=(0.17, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "crank", at=(0, 0, 0), axis="z"))
    m.add(pl.Revolute("B", "crank", "rod", at=(0.05, 0, 0), axis="z"))
    m.add(pl.Prismatic("S", m.ground, "slider", at=(0.17, 0, 0), axis="x"))
    m.add(pl.Drive("A", "angle", f"{speed!r}*t"))
    m.add(pl.RevoluteClearance("c", "slider", m["rod"].frame((0.12, 0, 0)), clearance="0.5 mm", stiffness=STEEL, restitution=0.9,
                               law="lankarani-nikravesh", slow=1e-6))
    return m


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_slider_crank_with_clearance(coordinates):
    """Twelve contacts to 1e-9 of a second, and no energy beside."""
    sol = slider_crank().simulate(0.0043, accuracy=1e-10, coordinates=coordinates)
    touches = [e.t for e in sol.events if e.what == "touches"]
    assert len(touches) == 12 and touches[:6] == pytest.approx(TOUCHES, abs=1e-12) and touches[11] == pytest.approx(TWELFTH, abs=1e-11)
    assert abs(sol.energy.balance - sol.energy.balance[0]).max() < 1e-9 * sol.energy.kinetic.max()


def ball(kind, **more) -> pl.Model:
    """Thrown along an oblique line through the middle of a bearing that is turned."""
    m = pl.Model("ball")
    m.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.3), position=(0.1, 0.2, 0.3), velocity=tuple(np.cross(TILTED, (1, 0, 0)))))
    m.add(kind("c", m.ground.frame((0.1, 0.2, 0.3)), "b", clearance="2 mm", **{"stiffness": 1e8, **more}))
    return m


@pytest.mark.parametrize(("kind", "more"), [(pl.SphericalClearance, {}), (pl.RevoluteClearance, {"axis": tuple(TILTED)})])
def test_what_is_asked_for_is_given_back(kind, more):
    """To and fro: every touch gives back 0.6 of the speed; in text and as a mirror image too."""
    m = from_text(to_text(ball(kind, restitution=0.6, **more)))
    whole = pl.Model("whole")
    whole.add(m, name="left")
    whole.add(m, name="right", mirror="y", rotation=pl.rotation((1, 2, 3), 0.5))
    sol = whole.simulate(0.05, accuracy=1e-9)
    speed = np.linalg.norm(np.cross(TILTED, (1, 0, 0)))
    for side in ("left", "right"):
        met = [e.value for e in sol.events.of(f"{side}.c") if e.what == "touches"]
        assert len(met) > 2 and met == pytest.approx([speed * 0.6**k for k in range(len(met))], rel=1e-6)
    assert sol["left.c.eccentricity"] == pytest.approx(sol["right.c.eccentricity"], abs=1e-9)
    assert abs(sol.energy.balance - sol.energy.balance[0]).max() < 1e-9


def test_a_journal_that_tilts_touches_at_its_ends():
    """A moment about the middle is carried by a pair of forces at the distance of the length."""
    m = pl.Model("tilt")
    m.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.3), position=(0, 0, 0)))
    m.add(pl.PointOnPlane("hold", m.ground, "b", axis="z"))
    m.add(pl.RevoluteClearance("c", m.ground, "b", clearance=1e-3, stiffness=1e7, exponent=1, length=0.2, restitution=0.01))
    m.add(pl.Torque("tilt", "b", (0, 3.0, 0)))
    m.add(pl.Torque("drag", "b", ("-20*b.angular_velocity.x", "-20*b.angular_velocity.y", 0)))
    sol = m.simulate(1.0, accuracy=1e-8, coordinates="absolute")
    assert [sol["c.force_1"][-1], sol["c.force_2"][-1]] == pytest.approx([15.0, 15.0], rel=1e-3)
    assert sol["c.push0_1"][-1] == pytest.approx(15.0, rel=1e-3) and sol["c.push0_2"][-1] == pytest.approx(-15.0, rel=1e-3)


@pytest.mark.parametrize(("fields", "told"), [({"clearance": 0}, "clearance: 0 must be greater"),
                                              ({"restitution": 2}, "restitution: 2 must be"),
                                              ({"exponent": 0.5}, "exponent: 0.5 must be"), ({"law": "flores"}, "law: 'flores' must be")])
def test_wrong_clearances_are_told(fields, told):
    with pytest.raises(pl.ItemError, match=f"revolute_clearance 'c': {told}"):
        pl.RevoluteClearance("c", "a", "b", **{"clearance": 1e-3, "stiffness": 1e8} | fields)
