"""Flexible bodies against each other: all modes against nodal coordinates, segments against modes, distributed loads against handbooks."""
import numpy as np
import pytest

import pliant as pl

SECTION = pl.Section.rectangle("20 mm", "10 mm")
D = np.array([1.0, 2.0, -2.0]) / 3           # off all axes
ACROSS = np.cross(D, (0, 0, 1)) / np.linalg.norm(np.cross(D, (0, 0, 1)))
LENGTH, E = 0.6, 210e9
WEAK, STRONG = 0.02 * 0.01**3 / 12, 0.01 * 0.02**3 / 12


def mesh(elements, theory="euler-bernoulli"):
    return pl.flex.mesh_beam([(0, 0, 0), tuple(LENGTH * D)], SECTION, pl.STEEL, elements=elements, theory=theory)


def pendulum(part) -> pl.Model:
    """On a ball joint, thrown off all axes, with a mass on a hinge at its end."""
    m = pl.Model("pendulum", gravity=(0.5, -9.81, 1.0))
    m.add(pl.ModalBody("rod", part, angular_velocity=(2.0, -1.0, 3.0)))
    bob = m.add(pl.RigidBody("bob", 0.3, (1e-3, 2e-3, 3e-3), position=tuple(LENGTH * D), frames={"pin": (0, 0, 0)}))
    m.add(pl.Spherical("ball", m.ground, "rod.start"))
    m.add(pl.Revolute("hinge", "rod.end", bob["pin"], axis=(0.2, 1, -0.4)))
    return m


def test_all_modes_are_the_unreduced_equations():
    """Three elements: the 18 nodal displacements and rotations as they are, and all 6 static and 12 normal modes."""
    fe, ends = mesh(3), {"start": 0, "end": tuple(LENGTH * D)}
    nodal = pl.flex.reduce(fe, ends, method="shapes", shapes=np.eye(24)[:, 6:], orthonormal=False)
    modal = pl.flex.reduce(fe, ends, modes=12)
    assert nodal.n == modal.n == 18
    runs = [pendulum(part).simulate(0.02, accuracy=1e-11, integrator=pl.RadauIIA5(), output_step=1e-3) for part in (nodal, modal)]
    for name in ("rod.end.position", "bob.position", "rod.position"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-9)
    assert abs(runs[0]["rod.modal"]).max() > 1e-4  # it does deform
    a, b = (np.linalg.eigvalsh(np.linalg.solve(np.linalg.cholesky(part.integrals.Mqq), part.Kqq) @ np.linalg.inv(
        np.linalg.cholesky(part.integrals.Mqq)).T) for part in (nodal, modal))
    np.testing.assert_allclose(a, b, rtol=1e-8)


def test_segments_move_like_modes():
    """A cantilever struck by a small force: the more segments, the nearer, with order 2."""
    def tip(m, channel):
        sol = m.simulate(0.02, step=2e-5, output_step=2e-4)
        return (sol[channel] - sol[channel][0]) @ ACROSS
    part = pl.flex.reduce(mesh(60, "timoshenko"), {"start": 0, "end": tuple(LENGTH * D)}, modes=8)
    m = pl.Model("modes")
    m.add(pl.ModalBody("rod", part))
    m.add(pl.Fixed("clamp", m.ground, "rod.start"))
    m.add(pl.Force("push", "rod.end", tuple(ACROSS)))
    exact, errors = tip(m, "rod.end.position"), []
    for n in (8, 16):
        m = pl.Model("segments")
        ends = pl.flex.segments([(0, 0, 0), tuple(LENGTH * D)], SECTION, pl.STEEL, elements=n).add(m, "rod")
        m.add(pl.Fixed("clamp", m.ground, ends["start"]))
        m.add(pl.Force("push", ends["end"], tuple(ACROSS)))
        errors.append(np.sqrt(np.mean((tip(m, f"rod_{n}.end.position") - exact) ** 2)) / abs(exact).max())
    assert errors[1] < 0.02 and 1.6 < np.log2(errors[0] / errors[1]) < 2.4


@pytest.mark.parametrize("weights", ["mass", "uniform"])
def test_a_distributed_load_on_a_beam(weights):
    """w L^4 / 8 E I, w L^2 / 2 at the clamp: with the lengths that belong to nodes as weights, and (worse, 1/n) without."""
    n, w = 24, 3.0
    wind = {"wind": {"nodes": range(n + 1), "coupling": "average", "weights": weights}}
    part = pl.flex.reduce(mesh(n), {"root": 0, "tip": tuple(LENGTH * D)}, modes=6, frames=wind)
    m = pl.Model("wind")
    m.add(pl.ModalBody("rod", part))
    m.add(pl.Fixed("clamp", m.ground, "rod.root"))
    m.add(pl.Force("wind", "rod.wind", tuple(w * LENGTH * ACROSS)))
    s = m.static()
    tip = (np.ravel(s["rod.tip.position"]) - LENGTH * D) @ ACROSS
    assert tip == pytest.approx(w * LENGTH**4 / 8 / E / STRONG, rel=2e-3 if weights == "mass" else 0.06)
    moment = np.linalg.norm(np.ravel(s["clamp.torque"]))
    assert moment == pytest.approx(w * LENGTH**2 / 2, rel=1e-4)


def test_a_pressure_on_a_solid_follows_its_face():
    """On the upper face of a block on a hinge: a load in the axes of the frame turns with it, M = F a about the hinge."""
    box = pl.flex.mesh_box((0.3, 0.05, 0.05), (6, 1, 1), pl.STEEL, "hex8")
    part = pl.flex.reduce(box, {"root": {"plane": "x = 0"}}, modes=3, frames={"face": {"plane": "z = 0.05", "coupling": "average"}})
    m = pl.Model("pressure")
    m.add(pl.ModalBody("block", part, damping=0.2))
    m.add(pl.Revolute("hinge", m.ground.frame((0, 0.025, 0.025)), "block.root", axis="y"))
    m.add(pl.Force("p", "block.face", (0, 0, -2.0), axes="frame"))
    sol = m.simulate(0.5)
    inertia = 0.3 * 0.05**2 * 7850 * ((0.3**2 + 0.05**2) / 12 + 0.15**2)
    np.testing.assert_allclose(sol["hinge.angle"][-1], 0.5 * 2.0 * 0.15 / inertia * 0.25, rtol=1e-3)
