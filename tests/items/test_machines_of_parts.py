"""Machines made of sub-assemblies move as those that are written out: a platform on six copies of one leg, and a six-bar linkage."""
import numpy as np
import pytest

import pliant as pl
from pliant.functions.rewriting import owner_of
from pliant.text.model_text import from_text, to_text

H, BASE, TOP = 0.8, 0.6, 0.35
ANGLES_B, ANGLES_P = np.radians([-10, 10, 110, 130, 230, 250]), np.radians([-50, 50, 70, 170, 190, 290])
B = np.c_[BASE * np.cos(ANGLES_B), BASE * np.sin(ANGLES_B), 0 * ANGLES_B]
P = np.c_[TOP * np.cos(ANGLES_P), TOP * np.sin(ANGLES_P), 0 * ANGLES_P]


def pose(t):
    c, s = np.cos(0.15 * np.sin(2 * t)), np.sin(0.15 * np.sin(2 * t))
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return np.array([0.08 * np.sin(2 * t), 0.05 * (1 - np.cos(2 * t)), H + 0.06 * np.sin(3 * t)]), R


def stroke(i):
    """Of a leg over time, from the pose of the platform."""
    ts = np.linspace(-0.1, 1.2, 131)
    lengths = [np.linalg.norm(p + R @ P[i] - B[i]) for p, R in map(pose, ts)]
    return pl.Table(ts, np.array(lengths) - np.linalg.norm((0, 0, H) + P[i] - B[i]))


def leg(length) -> pl.Model:
    """Upright along z, its foot at the origin."""
    m = pl.Model("leg")
    m.parameter("l", length)
    m.add(pl.RigidBody.rod("cyl", start=(0, 0, 0), end=(0, 0, "=0.55*l"), mass=5, radius=0.03))
    m.add(pl.RigidBody.rod("rod", start=(0, 0, "=0.45*l"), end=(0, 0, "=l"), mass=2, radius=0.015))
    m.add(pl.Universal("U", "ground", "cyl.start", axis="x", axis_b="y"))
    m.add(pl.Cylindrical("P", "cyl.end", "rod.start", axis="z"))
    return m


def direction(i):
    d = (0, 0, H) + P[i] - B[i]
    u = d / np.linalg.norm(d)
    side = np.cross(u, (0, 0, 1)) / np.linalg.norm(np.cross(u, (0, 0, 1)))
    return d, np.column_stack([side, np.cross(u, side), u])


def platform(parts: bool) -> pl.Model:
    m = pl.Model("stewart", gravity=(0, 0, -9.81))
    plate = m.add(pl.RigidBody.cylinder("platform", radius=0.4, length=0.04, mass=60, position=(0, 0, H)))
    one = leg("1 m")
    for i in range(6):
        d, axes = direction(i)
        if parts:
            m.add(one, name=f"leg{i}", position=B[i], rotation=axes, parameters={"l": np.linalg.norm(d)})
        else:
            a, b = B[i], (0, 0, H) + P[i]
            m.add(pl.RigidBody.rod(f"leg{i}.cyl", start=tuple(a), end=tuple(a + 0.55 * d), mass=5, radius=0.03))
            m.add(pl.RigidBody.rod(f"leg{i}.rod", start=tuple(a + 0.45 * d), end=tuple(b), mass=2, radius=0.015))
            m.add(pl.Universal(f"leg{i}.U", m.ground.frame(tuple(a)), f"leg{i}.cyl.start", axis=axes[:, 0], axis_b=axes[:, 1]))
            m.add(pl.Cylindrical(f"leg{i}.P", f"leg{i}.cyl.end", f"leg{i}.rod.start", axis=axes[:, 2]))
        m.add(pl.Spherical(f"S{i}", f"leg{i}.rod.end", plate.frame(tuple(P[i]))))
        m.add(pl.Drive(f"leg{i}.P", "displacement", stroke(i), name=f"stroke{i}"))
    return m


def test_a_platform_on_six_copies_of_one_leg():
    options = {"accuracy": 1e-9, "output_step": 0.05}
    made, due = platform(True).simulate(1.0, **options), platform(False).simulate(1.0, **options)
    for name in ("platform.position", "platform.rotation", *(f"stroke{i}.effort" for i in range(6)), "leg3.cyl.position"):
        scale = abs(due[name]).max()
        np.testing.assert_allclose(made[name], due[name], atol=1e-12 * scale, err_msg=name)
    assert max(np.linalg.norm(made["platform.position"][k] - pose(t)[0]) for k, t in enumerate(made.t)) < 1e-6


def bar(length) -> pl.Model:
    """A crank or rocker on the ground along x."""
    m = pl.Model("bar")
    m.parameter("l", length)
    m.add(pl.RigidBody.rod("link", start=(0, 0, 0), end=("=l", 0, 0), mass=1.0))
    m.add(pl.Revolute("pin", "ground", "link.start", axis="z"))
    return m


def six_bar(parts: bool) -> pl.Model:
    """Watt's: crank, coupler and rocker; a second rocker is driven by the first."""
    O4, A, Bp, O6, D = map(np.array, ((0.4, 0, 0), (0, 0.1, 0), (0.35, 0.3, 0), (0.9, 0, 0), (0.95, 0.45, 0)))
    u = (Bp - O4) / np.linalg.norm(Bp - O4)
    C = O4 + 0.25 * u + 0.15 * np.array([u[1], -u[0], 0])
    m = pl.Model("watt", gravity=(0, -9.81, 0), planar=True)
    m.add(pl.RigidBody.rod("coupler", start=tuple(A), end=tuple(Bp), mass=1.0))
    m.add(pl.RigidBody.rod("link5", start=tuple(C), end=tuple(D), mass=1.0))
    for name, start, end in (("crank", 0 * A, A), ("rocker", O4, Bp), ("second", O6, D)):
        if parts:
            angle = float(np.arctan2(*(end - start)[[1, 0]]))
            m.add(bar("1 m"), name=name, position=start, rotation=pl.rotation("z", f"{angle!r} rad"),
                  parameters={"l": float(np.linalg.norm(end - start))})
        else:
            m.add(pl.RigidBody.rod(f"{name}.link", start=tuple(start), end=tuple(end), mass=1.0))
            m.add(pl.Revolute(f"{name}.pin", m.ground.frame(tuple(start)), f"{name}.link.start", axis="z"))
    rocker = m["rocker.link"]
    R = pl.items.base.matrix_of(rocker.rotation)
    m.add(pl.Revolute("JA", "crank.link.end", "coupler.start", axis="z"))
    m.add(pl.Revolute("JB", "coupler.end", "rocker.link.end", axis="z"))
    m.add(pl.Revolute("JC", rocker.frame(tuple(R.T @ (C - (O4 + Bp) / 2))), "link5.start", axis="z"))
    m.add(pl.Revolute("JD", "link5.end", "second.link.end", axis="z"))
    m.add(pl.Drive("crank.pin", "angle", "10 rad/s * t", name="motor"))
    return m


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_six_bar_of_three_bars(coordinates):
    options = {"accuracy": 1e-9, "output_step": 0.02, "coordinates": coordinates}
    m = six_bar(True)
    made, due = m.simulate(0.6, **options), six_bar(False).simulate(0.6, **options)
    for name in ("second.pin.angle", "rocker.pin.angle", "motor.effort", "rocker.link.end.position", "link5.velocity"):
        np.testing.assert_allclose(made[name], due[name], atol=1e-12 * abs(due[name]).max(), err_msg=name)
    assert to_text(from_text(to_text(m))) == to_text(m) and owner_of("rocker.pin.angle", m.items) == "rocker.pin"
