"""Deformation drawn larger than it is: joints stay together, what drives hold stays, and with the factor one nothing moves."""
import flexible_models
import numpy as np
import pytest

import pliant as pl
from pliant.items.base import matrix_of
from pliant.plot.connected import Held, enlarged, held_by, rotation_vector, turned
from pliant.plot.scene import _matrices, scene
from pliant.view.sources import SolutionSource
from pliant.view.surfaces import at, motion, surfaces

ROWS = slice(0, None, 10)


def drawn(sol, factor):
    owners = {b.name: b for b in sol.model.section("bodies")} | {"ground": sol.model.ground}
    return enlarged(sol.model, owners, lambda name: sol[name][ROWS], _matrices, factor)


@pytest.mark.parametrize("factor", [1.0, 30.0, 300.0])
def test_a_loop_stays_closed(flexible, factor):
    """Universal joint at the crank, ball at the slider, slide on the ground, and a drive that holds the crank."""
    d, m = drawn(flexible, factor), flexible.model
    end = d.position["crank"] + d.axes["crank"] @ np.array(m["crank"].frames["end"].point)
    np.testing.assert_allclose(end, d.nodes["rod", "start"], atol=1e-8)
    np.testing.assert_allclose(d.position["slider"], d.nodes["rod", "end"], atol=1e-8)
    true = flexible["slider.position"][ROWS]
    np.testing.assert_allclose(d.position["slider"][:, 1:], true[:, 1:], atol=1e-8)  # on its line
    np.testing.assert_allclose(d.axes["slider"], _matrices(flexible["slider.rotation"][ROWS]), atol=1e-8)
    np.testing.assert_allclose(d.axes["crank"], _matrices(flexible["crank.rotation"][ROWS]), atol=1e-8)
    moved = np.linalg.norm(d.position["slider"] - true, axis=1).max()
    assert moved < 1e-12 if factor == 1 else moved > 1e-6


def test_what_hangs_on_a_bent_beam_follows_its_tip():
    """A clamped beam with a weight welded to its tip: both by the closed form, rotation and all."""
    part = flexible_models.rod()
    m = pl.Model("arm", gravity=(0, 0, -9.81))
    m.add(pl.ModalBody("arm", part))
    m.add(pl.RigidBody.box("weight", (0.1, 0.1, 0.1), mass=5, position=(1, 0, -0.05)))
    m.add(pl.Fixed("root", m.ground, "arm.start"))
    m.add(pl.Fixed("weld", "arm.end", m["weight"].frame((0, 0, 0.05))))
    sol = m.simulate(0.05, accuracy="draft", output_step=5e-3)
    d = drawn(sol, 50.0)
    np.testing.assert_allclose(d.position["arm"], sol["arm.position"][ROWS], atol=1e-12)
    for i, row in enumerate(range(0, len(sol.t), 10)):
        tip = sol["arm.end.position"][row] - (1, 0, 0)
        assert row == 0 or np.linalg.norm(tip) > 1e-5
        R = turned(50 * rotation_vector(matrix_of(sol["arm.end.rotation"][row])))
        np.testing.assert_allclose(d.nodes["arm", "end"][i], (1, 0, 0) + 50 * tip, atol=1e-12)
        np.testing.assert_allclose(d.position["weight"][i], (1, 0, 0) + 50 * tip + R @ (0, 0, -0.05), atol=1e-9)
        np.testing.assert_allclose(d.axes["weight"][i], R, atol=1e-9)


def test_pictures_and_files_agree(flexible):
    """The scene of pictures and the surfaces of files draw bodies at the same places."""
    times = flexible.t[[0, 57]]
    what = scene(flexible, times, deformation=80.0)
    source = SolutionSource(flexible)
    parts = surfaces(source)
    moved = motion(source, parts, len(flexible.t), 80.0)
    for body in what.bodies:
        np.testing.assert_allclose(body.position, moved.position[body.name][[0, 57]], atol=1e-5)
    np.testing.assert_allclose(what.joints["C"], moved.position["slider"][[0, 57]], atol=1e-5)
    rod = next(p for p in parts if p.name == "rod")
    x, u = at(rod, moved, 57)
    q, R = flexible["rod.modal"][57], _matrices(moved.rotation["rod"])[57]
    np.testing.assert_allclose(u, 80 * (rod.psi @ q) @ R.T, atol=1e-12)
    np.testing.assert_allclose(x, moved.position["rod"][57] + (rod.points + 80 * rod.psi @ q) @ R.T, atol=1e-12)
    with pytest.raises(ValueError, match="deformation = -1, must be a number from 0"):
        flexible.snapshot(deformation=-1)


def test_what_joints_hold():
    both = (True, True, True), (False, False, False)
    assert held_by(pl.Spherical("J", "a", "b"), set()) == Held(*both)
    assert held_by(pl.Revolute("J", "a", "b"), set()) == Held((True,) * 3, (True, True, False))
    assert held_by(pl.Revolute("J", "a", "b"), {"angle"}) == Held((True,) * 3, (True,) * 3)
    assert held_by(pl.Prismatic("J", "a", "b"), set()) == Held((True, True, False), (True,) * 3)
    assert held_by(pl.Planar("J", "a", "b"), set()) == Held((False, False, True), (True, True, False))
    assert held_by(pl.Distance("J", "a", "b"), set()).distance
    assert held_by(pl.Gear("G", "J", "K", ratio=2), set()) is None


@pytest.mark.parametrize("w", [(0.3, -0.2, 0.5), (np.pi, 0, 0), (0, 0, 0), (1e-10, 0, 0), (0, -2.0, 2.3)])
def test_rotation_vectors(w):
    R = turned(np.array(w, float))
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(turned(rotation_vector(R)), R, atol=1e-12)
