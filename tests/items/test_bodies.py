"""Rigid bodies and their makers: mass properties against closed forms, and sentences for what is wrong."""
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.items.shapes import mass_properties

CUBE = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]  # outward
TRIANGLES = np.array([CUBE[list(t)] for f in FACES for t in ((f[0], f[1], f[2]), (f[0], f[2], f[3]))])


def stl(path, corners, binary):
    if binary:
        record = np.zeros(len(corners), np.dtype([("n", "<f4", 3), ("x", "<f4", (3, 3)), ("a", "<u2")]))
        record["x"] = corners
        path.write_bytes(b"\0" * 80 + np.uint32(len(corners)).tobytes() + record.tobytes())
    else:
        loops = ["".join(f"vertex {x:g} {y:g} {z:g}\n" for x, y, z in t) for t in corners]
        facets = "".join(f"facet normal 0 0 0\nouter loop\n{t}endloop\nendfacet\n" for t in loops)
        path.write_text(f"solid part\n{facets}endsolid part\n")


@pytest.mark.parametrize("binary", [False, True])
def test_a_mesh_has_the_inertia_of_the_box_it_describes(tmp_path, binary):
    size = np.array([200.0, 300.0, 500.0])  # mm
    stl(tmp_path / "box.stl", TRIANGLES * size, binary)
    mesh = pl.RigidBody.from_mesh("mesh", tmp_path / "box.stl", unit="mm", density="7800 kg/m^3")
    box = pl.RigidBody.box("box", size=("200 mm", "300 mm", "500 mm"), density=7800)
    assert mesh.mass == pytest.approx(0.2 * 0.3 * 0.5 * 7800, rel=1e-6)
    np.testing.assert_allclose(mesh.com, size / 2000, rtol=1e-6)
    np.testing.assert_allclose(mesh.inertia_matrix, box.inertia_matrix, rtol=1e-6, atol=1e-6)


def test_mesh_integrals_do_not_depend_on_the_origin():
    rng = np.random.default_rng(0)
    A, shift = rng.normal(size=(3, 3)), np.array([5.0, -3.0, 2.0])
    A *= np.sign(np.linalg.det(A))
    volume, center, inertia = mass_properties(TRIANGLES @ A.T + shift)
    second = abs(np.linalg.det(A)) * A @ A.T / 12  # of a unit cube under a linear map, about its centre
    assert volume == pytest.approx(np.linalg.det(A), rel=1e-12)
    np.testing.assert_allclose(center, A @ (0.5, 0.5, 0.5) + shift, rtol=1e-12)
    np.testing.assert_allclose(inertia, np.trace(second) * np.eye(3) - second, atol=1e-11)


def test_makers():
    rod = pl.RigidBody.rod("rod", (0, 0, 0), (0, 0, 2), 3.0)
    np.testing.assert_allclose(rod.inertia_matrix, np.diag([1.0, 1.0, 3 * 0.04**2 / 2]), atol=1e-15)
    assert rod.position == (0, 0, 1)
    thick = pl.RigidBody.rod("rod", (0, 0, 0), (0, 0, 2), 3.0, radius=0.5)
    np.testing.assert_allclose(thick.inertia_matrix, np.diag([1 + 3 * 0.25 / 4] * 2 + [3 * 0.25 / 2]), atol=1e-15)
    disc = pl.RigidBody.cylinder("disc", 0.5, 2.0, axis="x", mass=3.0)
    np.testing.assert_allclose(np.diag(disc.inertia_matrix), [3 * 0.25 / 2, 1 + 3 * 0.25 / 4, 1 + 3 * 0.25 / 4], atol=1e-15)
    ball = pl.RigidBody.sphere("ball", 0.5, density=1000)
    assert ball.mass == pytest.approx(1000 * np.pi / 6)
    np.testing.assert_allclose(ball.inertia, 0.4 * ball.mass * 0.25)
    moving = pl.RigidBody.rod("rod", (0, 0, 0), (0, 1, 0), 1.0, velocity_at_end=(1, 0, 0))
    assert moving.velocity == (0.5, 0, 0)
    assert moving.angular_velocity == (0, 0, -1)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: pl.RigidBody("b", mass=-1), "at least 0"),
    (lambda: pl.RigidBody("b", mass="3 m"), "a mass"),
    (lambda: pl.RigidBody("b", mass=float("nan")), "finite|nan"),
    (lambda: pl.RigidBody("b", 1.0, inertia=(1, 2)), "three numbers or a 3x3"),
    (lambda: pl.RigidBody("b", 1.0, inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "symmetric"),
    (lambda: pl.RigidBody("b", 1.0, inertia=(1, 1, -1)), "negative principal moment"),
    (lambda: pl.RigidBody("2b", 1.0), "does not begin with a digit"),
    (lambda: pl.RigidBody("ground", 1.0), "reserved"),
    (lambda: pl.RigidBody("b", 1.0, rotation=np.diag([1, 1, -1])), "right-handed"),
    (lambda: pl.RigidBody("b", 1.0, rotation=(1, 1, 0, 0)), "unit quaternion"),
    (lambda: pl.RigidBody("b", 1.0, colour="red"), "colour"),
    (lambda: pl.RigidBody.rod("b", (0, 0, 0), (0, 0, 0), 1.0), "same point"),
    (lambda: pl.RigidBody.rod("b", (0, 0, 0), (0, 0, 1), 1.0, position=(0, 0, 0)), "already gives the position"),
    (lambda: pl.RigidBody.rod("b", (0, 0, 0), (0, 0, 1), 1.0, velocity_at_end=(0, 0, 1)), "stretch"),
    (lambda: pl.RigidBody.box("b", (1, 1, 1)), "either mass or density"),
    (lambda: pl.RigidBody.box("b", (1, 0, 1), mass=1), "greater than zero"),
    (lambda: pl.Revolute("J", "a", "b", axis=(0, 0, 0)), "no direction"),
    (lambda: pl.Universal("J", "a", "b", axis="z", axis_b="z"), "perpendicular"),
    (lambda: pl.Gear("G", "a", "b"), "either ratio or teeth"),
    (lambda: pl.GeneralizedAlpha(rho=1.5), "from 0 to 1"),
])
def test_wrong_values_are_told(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_positions_of_the_statement_are_kept_or_refused():
    """A stated velocity is that of the body's origin, also with the centre of mass elsewhere and the spin left open."""
    m = pl.Model("kept")
    body = m.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.3), com=(0.5, 0, 0), velocity=(0, 2, 0)))
    sol = m.simulate(0.1, step=1e-3)
    np.testing.assert_allclose(sol["b.velocity"][0], (0, 2, 0), atol=1e-9)
    m.add(pl.Revolute("J", m.ground, body, axis="z"))
    with pytest.raises(pl.ModelError, match="'b'"):
        m.simulate(0.1, step=1e-3)


def test_open_joints_are_named():
    m = pl.Model("open")
    body = m.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.3), position=(0.3, 0, 0)))
    m.add(pl.Revolute("hinge", m.ground, body, axis="z"))
    with pytest.raises(pl.ModelError, match="'hinge' is open by 300 mm"):
        m.simulate(0.1, step=1e-3)


def test_a_surface_that_the_system_makes_up_is_not_read(tmp_path, monkeypatch):
    """Files in /proc have no size, and reading one may never end."""
    (tmp_path / "kmsg.stl").touch()
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} is read"))
    with pytest.raises(ValueError, match=r"mesh: file .* is empty, it is not an STL file; export the surface as STL"):
        pl.RigidBody.from_mesh("b", tmp_path / "kmsg.stl", unit="mm", density=1000.0)
