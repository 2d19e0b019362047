"""Forces, strains and stresses in sections of beams that deform far: closed forms, straight, curved, tapered, over a run, refusals."""
import numpy as np
import pytest

import pliant as pl
from pliant.items.base import matrix_of

FORMULATIONS = "geometrically-exact", "corotational"
B, H = 0.02, 0.01
STEEL = pl.Material(210e9, 0.3, 7850.0)


def cantilever(load, profile=None, material=STEEL, moment=None, **more):
    m = pl.Model("cantilever")
    profile = pl.Section.rectangle(B, H) if profile is None else profile
    m.add(pl.Beam("bar", (0, 0, 0), (1, 0, 0), profile, **({"material": material} if material else {}), **{"elements": 4} | more))
    m.add(pl.Fixed("clamp", m.ground, "bar.start"))
    m.add(pl.Force("P", "bar.end", load))
    if moment is not None:
        m.add(pl.Torque("T", "bar.end", moment))
    return m


def at(recovery, *position):
    """The number of the point of the recovery that is there."""
    return int(np.argmin(np.linalg.norm(recovery.points - position, axis=1)))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_stresses_of_a_cantilever(formulation):
    """N/A + M c / I about both axes, and Saint-Venant's shear of torsion in the middle of the long side, off the axes of the world."""
    turn = matrix_of(pl.rotation((1, -2, 0.5), 1.2))
    m = pl.Model("outer")
    m.add(cantilever((0.3, 0.2, 0.1), moment=(0.05, 0, 0), formulation=formulation), name="in", rotation=pl.rotation((1, -2, 0.5), 1.2))
    sol = m.static(tolerance=1e-7).solution
    found = sol.stress("in.bar")
    sigma, recovery = found.at(0.0), found.recovery
    for x in (0.0, 0.25, 0.5):
        k = at(recovery, *(turn @ (x, B / 2, H / 2)))
        expected = 0.3 / (B * H) + 0.1 * (x - 1) * (H / 2) * 12 / (B * H**3) + 0.2 * (x - 1) * (B / 2) * 12 / (H * B**3)
        np.testing.assert_allclose(recovery.points[k], turn @ (x, B / 2, H / 2), atol=1e-12)
        assert sigma[k, 0] == pytest.approx(expected, rel=2e-3)  # of the second order: the bar bends
    side = at(recovery, *(turn @ (0.5, 0, H / 2)))
    assert sigma[side, 3] == pytest.approx(0.05 / (0.246 * B * H**2), rel=2e-3)  # Timoshenko and Goodier, table for b / c = 2
    assert found.forces(0.0).shape == (4, 2, 6) and np.allclose(found.forces(0.0)[:, :, 3], 0.05, rtol=1e-3)


def test_they_are_those_of_a_modal_body():
    """The same beam as a part with modes, under one small load: the same points and stresses."""
    load = (3.0, 0.2, -0.1)
    one = cantilever(load).static(tolerance=1e-7).solution.stress("bar", 0.0)
    mesh = pl.flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.rectangle(B, H), STEEL, elements=4, theory="timoshenko")
    part = pl.flex.reduce(mesh, {"start": 0, "end": 4}, modes=2, stress=True)
    m = pl.Model("modal")
    m.add(pl.ModalBody("bar", part))
    m.add(pl.Fixed("clamp", m.ground, "bar.start"))
    m.add(pl.Force("P", "bar.end", load))
    other = m.static().solution.stress("bar", 0.0)
    np.testing.assert_allclose(one, other, atol=1e-3 * abs(other).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_curved_bar(formulation):
    """A quarter of a circle under a force at its end: N, V and M in all sections from statics, whatever the section is."""
    angles, P, R = np.linspace(0, np.pi / 2, 40), 1.0, 0.5
    m = pl.Model("hook")
    m.add(pl.Beam("hook", points=np.column_stack([R * np.sin(angles), 0 * angles, R - R * np.cos(angles)]), profile=pl.Section.circle(0.01),
                  material=STEEL, elements=16, formulation=formulation, frames={"here": 0.35}))
    m.add(pl.Fixed("clamp", m.ground, "hook.start"))
    m.add(pl.Force("P", "hook.end", (P, 0, 0)))
    sol = m.static(tolerance=1e-7).solution
    for place, s in (("element_7", 7.5 / 16), ("here", 0.35), ("start", 0.0)):
        a = s * np.pi / 2
        np.testing.assert_allclose(sol[f"hook.{place}.force"][0], (P * np.cos(a), P * np.sin(a), 0), atol=2e-3 * P)
        np.testing.assert_allclose(sol[f"hook.{place}.moment"][0], (0, 0, P * R * np.cos(a)), atol=2e-3 * P * R)
    sigma = sol.stress("hook")
    k = at(sigma.recovery, 0, 0, 0.01)
    expected = P / (np.pi * 0.01**2) + P * R * 0.01 / (np.pi * 0.01**4 / 4)
    assert sigma.at(0.0)[k, 0] == pytest.approx(expected, rel=2e-3) and sigma.hot_spots(1)[0].value == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_strains_of_sections(formulation):
    """Rolled up by a moment to half a turn: pi / L of curvature everywhere; stretch by a force, twist by a torque."""
    EI = 210e9 * B * H**3 / 12
    m = cantilever((0, 0, 0), formulation=formulation)
    m.remove("P")
    m.add(pl.Torque("M", "bar.end", (0, -np.pi * EI, 0)))
    sol = m.static().solution
    for place in ("start", "end", "element_1"):
        np.testing.assert_allclose(sol[f"bar.{place}.curvature"][0], (0, -np.pi, 0), atol=1e-5 if formulation == FORMULATIONS[0] else 0.05)
    sol = cantilever((100.0, 0, 0), moment=(1.0, 0, 0), formulation=formulation).static(tolerance=1e-7).solution
    assert sol["bar.element_2.strain"][0, 0] == pytest.approx(100 / (210e9 * B * H), rel=1e-5)
    assert sol["bar.element_2.curvature"][0, 0] == pytest.approx(1 / (210e9 / 2.6 * pl.Section.rectangle(B, H).J), rel=1e-5)


def test_a_tapered_bar_is_stressed_by_its_sections():
    """Of equal strength: with a height that goes evenly to the load, stress is largest at x where (1 - x) / h^2 is."""
    m = cantilever((0, 0, 5.0), {0: pl.Section.rectangle(B, 0.02), 1: pl.Section.rectangle(B, 0.004)}, elements=8)
    found = m.static(tolerance=1e-7).solution.stress("bar")
    for x in (0.0, 0.25, 0.875):
        h = 0.02 - 0.016 * x
        assert abs(found.at(0.0)[at(found.recovery, x, B / 2, h / 2), 0]) == pytest.approx(5 * (1 - x) * 6 / (B * h * h), rel=2e-3)


def test_over_a_run(tmp_path):
    """Envelope, hot spot, rainflow damage, picture, VTK and a file that is read again; the strain does not feel the damping."""
    m = cantilever(("0", 0, "200*sin(40*t)"), damping=1e-3)
    sol = m.simulate(0.1, output_step=1e-3, accuracy=1e-4, progress=False)
    found = sol.stress("bar")
    top = at(found.recovery, 0, B / 2, H / 2)
    moment = found.q.reshape(len(sol.t), 4, 2, 6)[:, 0, 0, 4]
    expected = moment * (H / 2) / (B * H**3 / 12) + found.q[:, 0] / (B * H)
    np.testing.assert_allclose(found.history(top)[:, 0], expected, rtol=0, atol=1e-9 * abs(expected).max())
    spot = found.hot_spots(1)[0]
    assert abs(spot.position[0]) < 1e-12 and spot.value == pytest.approx(abs(found.history(spot.node)[:, 0]).max(), rel=1e-2)
    assert found.damage(pl.flex.SN("160 MPa", 2e6, 6), [top])[top] >= 0 and "largest von Mises" in found.summary()
    found.plot(tmp_path / "bar.png")
    found.export(tmp_path / "bar.vtu")
    sol.save(tmp_path / "bar.h5")
    np.testing.assert_array_equal(pl.load(tmp_path / "bar.h5").stress("bar", sol.t[50]), sol.stress("bar", sol.t[50]))
    strain, force = sol["bar.start.curvature"][:, 1], sol["bar.start.moment"][:, 1] / (210e9 * B * H**3 / 12)
    assert abs(strain - force).max() > 1e-6 * abs(strain).max()


def test_sections_by_matrices_have_no_stresses():
    m = cantilever((0, 0, 1.0), pl.SectionMatrices(np.diag([1e6, 1e6, 1e6, 10.0, 10, 10]), np.diag([1.0, 1, 1, 1e-3, 1e-3, 1e-3])), None)
    with pytest.raises(ValueError, match=r"the sections of beam 'bar' are given by matrices, which tell no stresses; take its forces"):
        m.static().solution.stress("bar")
