"""What sticks stays: slopes for 100 s, and a capsule that two jaws hold by friction; rigid contacts and bristles."""
import numpy as np
import pytest

import pliant as pl

G = 9.81


def slope(ratio, angle=0.4, height=0.02, turned=0.0, **law) -> pl.Model:
    """A box on a slope; tan = ``ratio`` mu."""
    m = pl.Model("slope", gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    depth = (G * np.cos(angle) / 4 / law["stiffness"]) ** (2 / 3) if "stiffness" in law else 0.0
    m.add(pl.RigidBody.box("b", (0.2, 0.3, height), mass=1.0, position=(0, 0, height / 2 - depth),
                           rotation=pl.rotation("z", turned)))
    m.add(pl.Contact("c", m.ground, "b", friction=np.tan(angle) / ratio, **law))
    return m


@pytest.mark.parametrize("height", [0.1, 0.02, 0.002])
def test_a_box_on_a_slope_stays_or_goes_by_rigid_contact(height):
    """x = g/2 (sin - mu cos) t^2 above the angle of friction; below it nothing moves in 100 s, with corners at their limit."""
    sol = slope(0.99, height=height, law="rigid").simulate(100.0, accuracy=1e-8, progress=False)
    assert abs(sol["b.position"] - sol["b.position"][0]).max() < 1e-12
    sol = slope(1.01, height=height, law="rigid").simulate(5.0, accuracy=1e-8, progress=False)
    gain = G * (np.sin(0.4) - np.tan(0.4) / 1.01 * np.cos(0.4))
    np.testing.assert_allclose(sol["b.position"][:, 0], gain * sol.t**2 / 2, rtol=0, atol=1e-8 * gain * 12.5)


@pytest.mark.parametrize("turned", [0.3, 0.7, 2.0])
@pytest.mark.parametrize("height", [0.1, 0.02])
def test_a_box_in_any_direction_stays(height, turned):
    """Four corners bear what three could: nothing of it is left to rounding. On slopes up to the angle of friction, and level."""
    steep = [slope(ratio, height=height, turned=turned, law="rigid") for ratio in (0.9, 0.99, 0.9999)]
    for model in (*steep, slope(1e-9, 1e-9, height, turned, law="rigid")):
        sol = model.simulate(100.0, accuracy=1e-8, output_step=10.0, progress=False)
        assert abs(sol["b.position"] - sol["b.position"][0]).max() < 1e-12
        assert sol["c.normal_force"] == pytest.approx(np.full(sol.t.size, -model.gravity[2]), rel=1e-9)


def test_a_box_on_a_slope_gives_elastically_and_then_does_not_creep():
    """Bristles at half of their limit bend by half of their length; behind it nothing moves in 100 s."""
    sol = slope(0.5, stiffness=1e8, stick_length=1e-5).simulate(100.0, accuracy=1e-8, output_step=5.0, progress=False)
    x = sol["b.position"]
    assert x[-1, 0] == pytest.approx(0.5e-5, rel=0.01) and abs(x[1:] - x[-1]).max() < 1e-12
    assert sol["c.normal_force"][1:] == pytest.approx(G * np.cos(0.4), rel=1e-9) and set(sol["c.state"][1:]) == {1.0}


def pinched(box, depth=0.0, press=20.0, gravity=(0, 3.0, -G), **law) -> pl.Model:
    """A capsule of 1 kg with its axis across two jaws on guides, which forces press together; weight along and across the axis."""
    r, l = 0.02, 0.08
    m = pl.Model("pinched", gravity=gravity)
    m.add(pl.RigidBody("pill", mass=1.0, inertia=(1e-3, 3e-4, 1e-3), position=(0, 0, 0)))
    for side, name in ((-1, "left"), (1, "right")):
        m.add(pl.RigidBody.box(name, (0.02, 0.2, 0.2), mass=0.5, position=(side * (r + 0.01 - depth), 0, 0)))
        m.add(pl.Prismatic(f"{name}_guide", m.ground, name, axis="x"))
        m.add(pl.Force(f"{name}_press", name, (-side * press, 0, 0)))
        face = m[name].frame((-side * 0.01, 0, 0), pl.rotation("y", -side * np.pi / 2))
        pad, surface = (m[name], pl.Surface.box((0.02, 0.2, 0.2))) if box else (face, "plane")
        m.add(pl.Contact(f"{name}_pad", pad, m["pill"].frame((0, 0, 0), pl.rotation("x", np.pi / 2)), surface_a=surface,
                         surface_b=pl.Surface.capsule(r, l), friction=0.6, **law))
    return m


@pytest.mark.parametrize("box", [False, True], ids=["planes", "boxes"])
@pytest.mark.parametrize("law", [{"law": "rigid"}, {"stiffness": 1e6, "depth": (10 / 1e6) ** (2 / 3)}], ids=["rigid", "bristle"])
def test_a_pinched_capsule_holds(law, box):
    """At 85 % of what friction bears, for 100 s; both jaws and capsule together may go along the guides, which nothing holds."""
    m = pinched(box, **law)
    sol = m.simulate(100.0, accuracy=1e-6, output_step=5.0, progress=False)
    settled, x = sol.t > 4, sol["pill.position"]
    load = np.hypot(3.0, G)
    assert load / (2 * 0.6 * 20) > 0.85 * 0.5  # of both pads
    assert abs(x).max() < (1e-12 if "law" in law else 2e-6) and np.ptp(x[settled], axis=0).max() < 1e-12
    assert np.ptp(sol["left.position"][settled], axis=0).max() < 1e-12
    for pad in ("left_pad", "right_pad"):
        assert sol[f"{pad}.normal_force"][settled] == pytest.approx(20.0, rel=1e-9) and set(sol[f"{pad}.state"][settled]) == {1.0}
        assert np.linalg.norm(sol[f"{pad}.friction_force"][settled], axis=1) == pytest.approx(load / 2, rel=1e-6)


@pytest.mark.parametrize("aside", [0.0, 3.0])
@pytest.mark.parametrize("law", [{"law": "rigid"}, {"stiffness": 1e6}], ids=["rigid", "bristle"])
def test_a_pinched_capsule_slips(law, aside):
    """With a tenth less than what friction needs it is drawn out by what is left."""
    load = np.hypot(aside, G)
    press = 0.9 * load / 1.2
    depth = {"depth": (press / 2 / 1e6) ** (2 / 3), "stick_length": 1e-7} if "stiffness" in law else {}
    m = pinched(False, press=press, gravity=(0, aside, -G), **law, **depth)
    sol = m.simulate(0.1, accuracy=1e-8, output_step=0.02, progress=False)
    drawn = np.diff(sol["pill.velocity"][1:], axis=0) / 0.02
    assert np.linalg.norm(drawn, axis=1) == pytest.approx(np.full(4, 0.1 * load), rel=1e-6)


def test_a_box_that_slides_and_turns_comes_to_rest_at_once():
    """Both end at the same instant, as friction couples them; all that it had is lost."""
    m = pl.Model("thrown", gravity=(0, 0, -G))
    m.add(pl.RigidBody.box("b", (0.2, 0.3, 0.1), mass=1.0, position=(0, 0, 0.05), rotation=pl.rotation("z", 0.3), velocity=(1.0, 0.4, 0),
                           angular_velocity=(0, 0, 3.0)))
    m.add(pl.Contact("c", "ground", "b", law="rigid", friction=0.4))
    sol = m.simulate(2.0, accuracy=1e-8, output_step=0.1, progress=False)
    rest = {e.t for e in sol.events if e.what == "sticks"}
    assert max(rest) - min(rest) < 1e-6 and abs(sol["b.velocity"][-1]).max() < 1e-12
    assert sol.energy.dissipated[-1] == pytest.approx(0.5 * 1.16 + 0.5 * 9 * (0.2**2 + 0.3**2) / 12, rel=1e-7)


def pulled(turned, **loads) -> pl.Model:
    m = pl.Model("pulled", gravity=(0, 0, -G))
    m.add(pl.RigidBody.box("b", (0.2, 0.3, 0.02), mass=1.0, position=(0, 0, 0.01), rotation=pl.rotation("z", turned)))
    m.add(pl.Contact("c", m.ground, "b", friction=0.5, law="rigid"))
    m.add(pl.Force("pull", "b", loads.get("force", (0, 0, 0))))
    m.add(pl.Torque("turn", "b", loads.get("torque", (0, 0, 0))))
    return m


@pytest.mark.parametrize("turned", [0.0, 0.4])
@pytest.mark.parametrize("rate", [10.0, 100.0])
def test_a_pull_that_grows_moves_a_box_when_it_must(turned, rate):
    """x = rate (t - t*)^3 / 6m from rate t* = mu m g on; all four corners begin to slip together, whatever they bore before."""
    start = 0.5 * G / rate
    m = pulled(turned, force=(f"{0.8 * rate}*t", f"{0.6 * rate}*t", 0))
    sol = m.simulate(start + 0.3, accuracy=1e-8, output_step=0.01, progress=False)
    way = rate * np.maximum(sol.t - start, 0)**3 / 6
    np.testing.assert_allclose(sol["b.position"] - (0, 0, 0.01), np.outer(way, (0.8, 0.6, 0)), rtol=0, atol=1e-8)
    assert [e.t for e in sol.events if e.what == "slides"] == pytest.approx([start] * 4, abs=1e-9)


def test_a_torque_that_grows_turns_a_box_when_it_must():
    """I angle = rate (t - t*)^3 / 6 from rate t* = mu m g r on, r to the corners."""
    start, inertia = 0.5 * G * np.hypot(0.1, 0.15) / 2, (0.2**2 + 0.3**2) / 12
    sol = pulled(0.0, torque=(0, 0, "2*t")).simulate(start + 0.2, accuracy=1e-8, output_step=0.02, progress=False)
    angle = 2 * np.arctan2(sol["b.rotation"][:, 3], sol["b.rotation"][:, 0])
    np.testing.assert_allclose(angle, 2 * np.maximum(sol.t - start, 0)**3 / 6 / inertia, rtol=0, atol=1e-7)
    assert abs(sol["b.position"] - (0, 0, 0.01)).max() < 1e-8
    assert [e.t for e in sol.events if e.what == "slides"] == pytest.approx([start] * 4, abs=1e-7)
