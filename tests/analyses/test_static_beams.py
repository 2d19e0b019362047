"""Equilibria of beams that deform far: closed forms and shooting, iterations that do not depend on the axial stiffness, buckling."""
import time
from pathlib import Path

import numpy as np
import pytest
from beam_chains import exponential, left_tangent, quaternion
from rods_by_shooting import strip_by_shooting

import pliant as pl
from pliant.analyses.loading import Loading, without_loads
from pliant.analyses.section_forces import SectionForces
from pliant.analyses.tangent import load, new_row
from pliant.kernels import evaluation
from pliant.start.assembly import start_row

ELASTICA = np.array([1 - 0.55499559775375, 0.8106090248803, 0])  # Bisshopp and Drucker 1945, elliptic integrals, P L^2 / EI = 10
BEND = np.array([47.1504385736, 15.684800534, 53.4748587918])    # Bathe and Bolourchi 1979 on the exact arc: shooting
HELIX = Path(__file__).parents[1] / "support" / "helix_tip.csv"
FORMULATIONS = "geometrically-exact", "corotational"
SOFT = pl.Material(1.0, 0.0, 1e-3)                               # E = 1, G = 1/2


def rod(elements=8, stretch=1e7, EI=(1.0, 1.0), GJ=1.0, **more):
    """Of length 1 along x, held at its start."""
    m = pl.Model("rod")
    section = pl.Section.general(stretch, *EI, 2 * GJ)
    m.add(pl.Beam("rod", (0, 0, 0), (1, 0, 0), section, SOFT, elements=elements, **{"shear": False, **more}))
    m.add(pl.Fixed("clamp", m.ground, "rod.start"))
    return m


def pushed(force, **more):
    m = rod(**more)
    m.add(pl.Force("push", "rod.end", force))
    return m


def turned(moment, axes="world", **more):
    m = rod(**more)
    m.add(pl.Torque("turn", "rod.end", moment, axes=axes))
    return m


def bend(elements=8, load=600.0):
    m = pl.Model("bend of 45 degrees")
    points = [(100 * np.sin(a), 100 * (1 - np.cos(a)), 0) for a in np.linspace(0, np.pi / 4, 161)]
    section = pl.Section.general(1.0, 1 / 12, 1 / 12, 1 / 6, ky=1.0, kz=1.0)
    m.add(pl.Beam("bend", points=points, profile=section, material=pl.Material(1e7, 0.0, 1.0), elements=elements, up="z"))
    m.add(pl.Fixed("clamp", m.ground, "bend.start"))
    m.add(pl.Force("push", "bend.end", (0, 0, load)))
    return m


def orders(errors):
    return np.log2(np.array(errors[:-1]) / errors[1:])


def test_elastica():
    errors = [np.linalg.norm(pushed((0, 10.0, 0), elements=n, stretch=1e9).static().position("rod.end") - ELASTICA) for n in (4, 8, 16)]
    assert errors[1] < 1e-4
    assert orders(errors).min() > 3.5


def test_rolled_up():
    st = turned((0, 0, 2 * np.pi)).static()
    assert np.linalg.norm(st.position("rod.end")) < 1e-10
    np.testing.assert_allclose([st[f"rod.element_{k}.moment.z"] for k in range(8)], 2 * np.pi, rtol=1e-10)
    for k in range(9):  # on the circle
        at = np.array([np.sin(2 * np.pi * k / 8), 1 - np.cos(2 * np.pi * k / 8), 0]) / (2 * np.pi)
        np.testing.assert_allclose(st.position(f"rod.node_{k}"), at, atol=1e-10)


def at_rest(m):
    """Compiled, with its loading, at the assembled position."""
    d = m.copy().compile(exact=True)
    start_row(d)
    load(d, new_row(d, 0.0, d.x.q, d.x.H, d.x.v))
    return d, Loading(d, 0.0, without_loads(d))


@pytest.mark.parametrize("elements", [3, 4, 8])
def test_nodes_of_a_helix_are_in_balance(elements):
    """EI = GJ, a moment (pi, 0, 2 pi) fixed in the axes of the end: strain is constant."""
    phi = np.array([np.pi, 0, 2 * np.pi])
    d, loading = at_rest(turned(tuple(phi), axes="frame", elements=elements, stretch=100.0))
    for k, (_, iq) in enumerate(d.system.data.rotations):
        r = phi * k / elements
        d.x.q[iq - 3:iq], d.x.q[iq:iq + 4] = k / elements * left_tangent(r)[:, 0], quaternion(exponential(r))
    loading.forces = SectionForces(d)
    assert loading.linearise()
    held = [6 * j.tile + k for j in d.system.joints for k in range(6)]
    first = d.system.data.rotations[0, 0] - 3
    left = np.delete(loading.left, [*held, *range(first, first + 6)])
    assert abs(left).max() < 1e-12


def test_a_moment_that_follows_winds_a_helix():
    factor, *tip = np.loadtxt(HELIX, delimiter=",", skiprows=1)[3]
    st = turned((factor * np.pi, 0, 2 * factor * np.pi), axes="frame").static()
    np.testing.assert_allclose(st.position("rod.end"), tip, rtol=0, atol=1e-7)


def test_bend_of_45_degrees():
    errors = {n: bend(n).static().position("bend.end") - BEND for n in (4, 8, 16)}
    assert abs(errors[8]).max() < 1e-3
    assert orders([np.linalg.norm(e) for e in errors.values()]).min() > 3.5


def test_order_of_a_strip_that_is_bent_in_space():
    """EI 1 : 8 and GJ 1, without shear and stretch."""
    force = np.array([0.0, 2.0, 1.5])
    found = {n: pushed(tuple(force), elements=n, stretch=1e9, EI=(8.0, 1.0)).static() for n in (4, 8, 16)}
    tip = strip_by_shooting(np.diag([1e-9, 0, 0, 1, 1 / 8, 1]), force, np.array(found[8]["clamp.torque"]) * -1)
    errors = [np.linalg.norm(st.position("rod.end") - tip) for st in found.values()]
    assert errors[-1] < 1e-6
    assert orders(errors).min() > 3.5


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_iterations_do_not_depend_on_the_axial_stiffness(formulation):
    found = [pushed((0, 10.0, 1.0), stretch=stretch, formulation=formulation).static() for stretch in (1e3, 1e5, 1e7, 1e9)]
    assert max(st.iterations for st in found) <= 12
    assert {st.load_steps for st in found} == {1}
    assert all(st.stable for st in found)
    tips = [st.position("rod.end") for st in found]
    assert np.linalg.norm(tips[2] - tips[3]) < 1e-4 < np.linalg.norm(tips[0] - tips[3])


@pytest.mark.parametrize("force", [(0, 20.0, 15.0), (0.1, 5.0, 50.0), (-2.0, 0.1, 0.2)])
def test_strips_far_from_straight_are_found_at_once(force):
    """EI 1 : 20, EA L^2 / EI = 1e7; forces of the clamp balance the load."""
    st = pushed(force, EI=(1.0, 20.0)).static()
    assert st.iterations <= 20
    np.testing.assert_allclose(st["clamp.force"], np.negative(force), atol=1e-6)
    np.testing.assert_allclose(st["clamp.torque"], np.negative(np.cross(st.position("rod.end"), force)), atol=1e-6)


def test_load_steps_that_lead_nowhere_are_halved():
    four = turned((0, 0, 8 * np.pi), elements=32).static()  # four turns
    assert four.load_steps > 1 and np.linalg.norm(four.position("rod.end")) < 1e-10
    assert turned((0, 0, 1.0)).static(load_steps=3).load_steps == 3


def slope_of_forces(formulation, apart, spatial=True):
    """Error of the matrix: forces g(q, s) along (xi, ds(xi)) change by K xi + f - g, f the condensed forces, at s that are ``apart`` from
    those of the position."""
    d, loading = at_rest(pushed((0, 0.3, 0.2), stretch=50.0, EI=(3.0, 1.0), formulation=formulation, elements=3, shear=True, twist=0.4))
    rng = np.random.default_rng(2)
    n_v = d.system.n_v
    loading.move(0.3 * rng.normal(size=d.system.n) * (1 if spatial else np.tile([1, 1, 0, 0, 0, 1], d.system.n // 6)))
    loading.forces.put([part.begin() + apart * rng.normal(size=(len(part), 6 + (formulation == "corotational")))
                        for part in loading.forces.parts])
    d.x.lam[:] = 0
    assert loading.linearise()
    A = np.zeros((d.system.n, d.system.n))
    scaled = loading.scaled.toarray() / np.outer(loading.scale, loading.scale)
    A[np.ix_(d.system.active, d.system.active)] = scaled
    here, start, xi = loading.at(), d.x.q.copy(), rng.normal(size=d.system.n)
    xi[n_v:] = 0
    change = [part.changed(s, xi[:n_v]) for part, s in zip(loading.forces.parts, here.forces, strict=True)]

    def forces(h):
        evaluation.retract(d.system.data, start, xi, h, d.x.q)
        loading.forces.put([s + h * ds for s, ds in zip(here.forces, change, strict=True)])
        return loading._run(d.system.program("tangent"), loading.forces.mixed)[1][:n_v]
    h = 1e-3
    slope = (forces(-2 * h) - 8 * forces(-h) + 8 * forces(h) - forces(2 * h)) / (12 * h)
    expected = (A @ xi)[:n_v] + loading.left[:n_v] - forces(0.0)
    return abs(slope - expected).max() / abs(expected).max()


@pytest.mark.parametrize("spatial", [False, True])
def test_the_matrix_is_the_derivative_of_forces_with_section_forces_of_their_own(spatial):
    assert slope_of_forces("geometrically-exact", 1.0, spatial) < 1e-8


def test_of_corotational_elements_it_is_where_their_forces_are_those_of_the_position():
    """And else off by a part of the difference."""
    assert slope_of_forces("corotational", 0.0) < 1e-8
    near, far = (slope_of_forces("corotational", apart) for apart in (1e-3, 1e-2))
    assert near < 0.01 and 5 < far / near < 20


@pytest.mark.parametrize(("critical", "held"), [(np.pi**2 / 4, "free"), (np.pi**2, "pinned")])
def test_columns_of_euler(critical, held):
    def column(load):
        m = pl.Model("column")
        m.add(pl.Beam("rod", (0, 0, 0), (1, 0, 0), pl.Section.general(1e6, 1.0, 2.0, 2.0), SOFT, elements=8, shear=False))
        if held == "free":
            m.add(pl.Fixed("A", m.ground, "rod.start"))
        else:
            m.add(pl.Revolute("A", m.ground, "rod.start", axis="y"))
            m.add(pl.PointOnLine("B", m.ground.frame((1, 0, 0)), "rod.end", axis="x"))
        m.add(pl.Force("push", "rod.end", (-load, 0, 0)))
        return m.static()
    assert column(0.9998 * critical).stable is True
    after = column(1.0002 * critical)
    assert after.stable is False and after.falls


def test_lateral_buckling():
    """4.0126 sqrt(EI GJ) / L^2 of a strip that is stiff across (Prandtl 1899)."""
    def strip(load):
        return pushed((0, 0, load), EI=(1e3, 1.0), stretch=1e6).static()
    assert strip(4.0126 * 0.998).stable is True
    assert strip(4.0126 * 1.002).stable is False


def test_elements_that_are_too_coarse_are_refused():
    """The beam turns by a right angle within a fifth of an element, which then has equilibria of its own."""
    with pytest.raises(pl.ModelError, match=r"beam 'rod': an element is stretched or sheared by \d+ %.*take more elements"):
        pushed((0, 1e4, 0), elements=6).static()
    assert pushed((0, 1e4, 0), elements=64).static().position("rod.end")[1] > 0.99


def test_a_hanging_beam_falls_all_the_way():
    m = pl.Model("pendulum", gravity=(0, 0, -9.81))
    m.add(pl.Beam("rod", (0, 0, 0), (np.sin(2.6), 0, -np.cos(2.6)), pl.Section.rectangle(0.02, 0.001), "steel", elements=6))
    m.add(pl.Revolute("hinge", m.ground, "rod.start", axis="y"))
    st = m.static()
    assert st.stable
    np.testing.assert_allclose(st.position("rod.end"), (0, 0, -1), atol=1e-6)


def test_a_thousand_elements():
    began = time.process_time()
    st = pushed((0, 10.0, 0), elements=1000).static()
    assert time.process_time() - began < 10
    assert np.linalg.norm(st.position("rod.end") - ELASTICA) < 2e-6
    few = pushed((0, 10.0, 0), elements=40).static()
    assert st.stable and st.stiffness == pytest.approx(few.stiffness, rel=2e-2)
    assert st.degrees_of_freedom == 6000


def test_where_nothing_leads_anywhere_large_models_are_told_without_full_matrices():
    """A torque that is far beyond what its elements can be wound by."""
    began = time.process_time()
    with pytest.raises(pl.ModelError, match=r"no equilibrium was found in \d+ iterations, neither in load steps nor downhill"):
        turned((0, 0, 2e4), elements=160).static()
    assert time.process_time() - began < 60


def test_a_stiff_beam_in_slow_rotation_settles():
    """Its forces are rounded by more than the search allows of the small loads; stretch rho w^2 L^3 / 3 E."""
    m = pl.Model("rotor")
    m.add(pl.Beam("rotor", (0, 0, 0), (1, 0, 0), pl.Section.rectangle(0.05, 0.05), pl.Material(2e11, 0.3, 1000.0), elements=16))
    m.add(pl.Revolute("hub", m.ground, "rotor.start", axis="z"))
    m.add(pl.Drive("hub", "angle", "0.1*t"))
    sol = m.simulate(1e-5, start="steady", progress=False)
    assert np.linalg.norm(sol["rotor.end.position"][0]) - 1 == pytest.approx(1000 * 0.01 / 6e11, abs=1e-14)
