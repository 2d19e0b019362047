"""Sections that change along a beam, and sections given by their matrices: closed forms, shooting, inertia, texts and refusals."""
import numpy as np
import pytest
from derivatives import ComplexStep
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq, root
from scipy.special import iv, jv, kv, yv

import pliant as pl
from pliant.items.base import matrix_of
from pliant.items.beam_axis import skew
from pliant.items.errors import ItemError
from pliant.kernels import evaluation
from pliant.text.model_text import from_text
from pliant.text.model_writing import to_text

FORMULATIONS = "geometrically-exact", "corotational"
MATERIAL = pl.Material(2e9, 0.3, 1500.0)


def cantilever(profile, load=None, material=MATERIAL, **more):
    m = pl.Model("cantilever")
    m.add(pl.Beam("beam", (0, 0, 0), (1, 0, 0), profile, **({} if material is None else {"material": material}), **more))
    m.add(pl.Fixed("clamp", m.ground, "beam.start"))
    if load is not None:
        m.add(pl.Force("P", "beam.end", load))
    return m


# -- tapered
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_tapered_cantilever_bends_as_it_must(formulation):
    """P int (L - s)^2 / EI + 1 / kGA ds, and the same of the twist, exact at nodes but for Gauss points."""
    profile = {0: pl.Section.rectangle(0.1, 0.08), 0.5: pl.Section.rectangle(0.06, 0.05), 1: pl.Section.rectangle(0.06, 0.02)}
    bent, twisted = cantilever(profile, (0, 0.2, 0.3), formulation=formulation), cantilever(profile, formulation=formulation)
    twisted.add(pl.Torque("T", "beam.end", (1e-3, 0, 0)))
    b, h = (lambda s: np.interp(s, (0, 0.5, 1), (0.1, 0.06, 0.06))), (lambda s: np.interp(s, (0, 0.5, 1), (0.08, 0.05, 0.02)))
    def across(wide, high):
        return quad(lambda s: (1 - s) ** 2 / (2e9 * wide(s) * high(s) ** 3 / 12) + 1.2 / (2e9 / 2.6 * b(s) * h(s)), 0, 1, points=[0.5],
                    epsrel=1e-12)[0]
    found = bent.static(tolerance=1e-7)
    np.testing.assert_allclose(found["beam.end.position"][1:], (0.2 * across(h, b), 0.3 * across(b, h)), rtol=2e-6)
    turn = quad(lambda s: 1 / pl.Section.rectangle(b(s), h(s)).J, 0, 1, points=[0.5])[0] * 1e-3 / (2e9 / 2.6)
    assert twisted.static(tolerance=1e-7)["beam.end.rotation"][1] == pytest.approx(turn / 2, rel=1e-5)


def bessel(n, a):
    """First two values of k^2 = omega sqrt(rho A / EI) at the clamp, of a cantilever whose area goes with x^n and its moment with
    x^(n + 2), x = 1 at the clamp, a at the free end: (x^(n+2) w'')'' = k^4 x^n w by w = z^-n C_n(z), z = 2 k sqrt(x) (Kirchhoff 1879). With
    ((1/z) d/dz)^j z^-n C_n = +- z^-(n+j) C_n+j the bending moment is z^(n+2) C_n+2, and its rate z^(n+2) C_n+1."""
    kinds = ((jv, -1, 1), (yv, -1, 1), (iv, 1, 1), (kv, -1, -1))
    def rows(k):
        z, y = 2 * k, 2 * k * np.sqrt(a)
        return np.array([[f(n, z), s * f(n + 1, z), f(n + 2, y), t * f(n + 1, y)] for f, s, t in kinds]).T

    def determinant(k):
        R = rows(k)
        return np.linalg.det(R / abs(R).max(axis=0) / abs(R / abs(R).max(axis=0)).max(axis=1)[:, None])
    grid = np.linspace(1.5, 6, 200)
    values = [determinant(k) for k in grid]
    roots = [brentq(determinant, x, y, xtol=1e-11) for x, y, u, v in zip(grid, grid[1:], values, values[1:], strict=False) if u * v < 0]
    return np.array(roots[:2]) ** 2


def test_bessel_functions_give_the_frequencies_of_sharp_beams():
    """Kirchhoff: 5.315 for the wedge, 8.719 for the cone."""
    assert bessel(1, 1e-3)[0] == pytest.approx(5.315, rel=2e-3) and bessel(2, 1e-3)[0] == pytest.approx(8.719, rel=2e-3)


@pytest.mark.parametrize(("n", "end"), [(1, pl.Section.rectangle("10 mm", "0.5 mm")), (2, pl.Section.circle("0.25 mm"))])
def test_frequencies_of_wedges_and_cones(n, end):
    """Cut at a fifth of the way from their point to the clamp: of order 4."""
    clamp = pl.Section.rectangle("10 mm", "2.5 mm") if n == 1 else pl.Section.circle("1.25 mm")
    expected, errors = bessel(n, 0.2) * (1 - 0.2) ** 2 * np.sqrt(2e9 * clamp.Iy / (1500 * clamp.area)) / (2 * np.pi), []
    for elements in (6, 12):
        found = cantilever({0: clamp, 1: end}, shear=False, elements=elements).modes(4).frequencies
        errors.append(abs(found[::2] / expected - 1) if n == 2 else abs(found[0] / expected[0] - 1))
    assert np.max(errors[1]) < 2e-4 and np.min(errors[0] / errors[1]) > 10


def test_a_cone_has_the_mass_of_a_cone():
    """Frustum: pi rho L (R^2 + R r + r^2) / 3, its centre of mass; against the sections, by the values of both ends, it is heavier."""
    R, r = 0.05, 0.02
    beam = pl.Beam("b", (0, 0, 0), (2, 0, 0), {0: pl.Section.circle(R), 1: pl.Section.circle(r)}, MATERIAL, elements=3)
    assert beam.mass == pytest.approx(np.pi * 1500 * 2 * (R * R + R * r + r * r) / 3, rel=1e-12)
    assert beam.center[0] == pytest.approx(2 / 4 * (R * R + 2 * R * r + 3 * r * r) / (R * R + R * r + r * r), rel=1e-12)
    other = pl.Beam("b", (0, 0, 0), (2, 0, 0), {0: pl.Section.circle(R), 1: pl.Section.rectangle(r, 2 * r)}, MATERIAL)
    assert other.mass == pytest.approx(1500 * (np.pi * R * R + 2 * r * r), rel=1e-12)


def shot(P, m_of, B):
    """Tip of a clamped straight rod without stretch, whose curvatures are B(s) times its moments, under a dead force:
    m' = -K x m - e_1 x n."""
    def f(s, y):
        R, m = y[3:12].reshape(3, 3), y[12:]
        K = B(s) @ m
        return np.r_[R[:, 0], (R @ skew(K)).ravel(), -np.cross(K, m) - np.cross((1, 0, 0), R.T @ P)]
    def end(m):
        return solve_ivp(f, (0, 1), np.r_[np.zeros(3), np.eye(3).ravel(), m], rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1]
    found = root(lambda m: end(m)[12:], m_of, tol=1e-12)
    assert found.success
    return end(found.x)[:3]


def test_a_tapered_strip_bent_in_space_is_of_order_4():
    """EI 1 : 8 at the clamp, a moment that couples twist and bending, a force from the side; against shooting."""
    def matrices(s):
        EI, GJ = np.array([1.0, 8.0]) * (1 - 0.6 * s), 1.5 * (1 - 0.5 * s)
        K = np.diag([1e7, 1e7, 1e7, GJ, *EI])
        K[3, 4] = K[4, 3] = 0.3 * (1 - 0.6 * s)
        return K
    profile = {s: pl.SectionMatrices(matrices(s), np.diag([1.0, 1, 1, 1e-3, 5e-4, 5e-4])) for s in (0, 1)}
    P, start = np.array([0.0, 2.0, 1.5]), np.zeros(3)
    for part in (0.25, 0.5, 0.75, 1.0):
        expected = shot(part * P, part * np.array([0, -1.5, 2.0]) if part == 0.25 else start, lambda s: np.linalg.inv(matrices(s)[3:, 3:]))
    errors = [np.linalg.norm(cantilever(profile, tuple(P), None, elements=n).static()["beam.end.position"] - expected) for n in (4, 8)]
    assert errors[0] / errors[1] > 12 and errors[1] < 2e-4


# -- by matrices
BLADE = np.diag([1e6, 3e5, 2e5, 30.0, 40.0, 90.0])
BLADE[3, 4] = BLADE[4, 3] = 15.0
SLICE = np.zeros((6, 6))
SLICE[:3, :3], C = 2.0 * np.eye(3), np.array([0, 0.03, -0.02])
SLICE[3:, :3], SLICE[:3, 3:] = 2.0 * skew(C), -2.0 * skew(C)
SLICE[3:, 3:] = np.diag([6e-3, 2e-3, 4e-3]) + 2.0 * (C @ C * np.eye(3) - np.outer(C, C))


def test_matrices_of_a_section_are_the_section():
    p = pl.Section.general(1e-3, 4e-8, 9e-8, 3e-8, Iyz=2e-8)
    beam = cantilever(p)["beam"]
    given = pl.SectionMatrices(np.linalg.inv(beam.flexibility_at(0.3)), beam.mass_at(0.3))
    one, other = cantilever(p, (0.1, 0.2, 0.3)), cantilever(given, (0.1, 0.2, 0.3), None)
    np.testing.assert_allclose(cantilever(p).modes(6).frequencies, cantilever(given, material=None).modes(6).frequencies, rtol=1e-8)
    np.testing.assert_allclose(one.static()["beam.end.position"], other.static()["beam.end.position"], atol=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_bending_and_twist_are_coupled(formulation):
    """A tip force P along z: M_y = -P (L - s), twist and curvature are the columns of the flexibility, to rounding."""
    F = np.linalg.inv(BLADE)
    found = cantilever(pl.SectionMatrices(BLADE, SLICE), (0, 0, 1e-3), None, formulation=formulation, elements=3).static(tolerance=1e-8)
    assert found["beam.end.position"][2] == pytest.approx(1e-3 * (F[4, 4] / 3 + F[2, 2]), rel=1e-6)
    assert found["beam.end.rotation"][1] * 2 == pytest.approx(-1e-3 * F[3, 4] / 2, rel=1e-6)


@pytest.mark.parametrize("lumped", [False, True])
def test_an_eccentric_beam_moves_as_a_rigid_body_does(lumped):
    """Mass, centre and inertia in closed form; stiff and free, the flight of a rigid body that has these. Mass at three nodes has 3 / 2 of
    the inertia of a bar."""
    motion = {"velocity": (1, 2, 3), "angular_velocity": (3, -2, 4)}
    beam = pl.Beam("beam", (0.1, 0.2, 0.3), (0.7, 0.5, 0.9), pl.SectionMatrices(1e3 * BLADE, SLICE), elements=2, lumped=lumped, **motion)
    L, along = beam.length, np.diag([0, 1, 1]) * 2 * beam.length**3 / 12
    np.testing.assert_allclose(beam.mass, 2 * L, rtol=1e-12)
    np.testing.assert_allclose(beam.center, (L / 2, 0.03, -0.02), rtol=1e-12)
    np.testing.assert_allclose(beam.inertia_matrix, np.diag([6e-3, 2e-3, 4e-3]) * L + along, atol=1e-12)
    m = pl.Model("flight")
    m.add(beam)
    m.add(pl.RigidBody("body", beam.mass, beam.inertia_matrix + lumped * along / 2, com=tuple(beam.center), position=beam.position,
                       rotation=beam.rotation, **motion))
    m.add(pl.Group("alone", ["beam"]))
    m.add(pl.Group("other", ["body"]))
    sol = m.simulate(0.1, integrator=pl.GeneralizedAlpha(rho=0.5), step=2e-4, output_step=0.05, progress=False)
    for quantity in ("momentum", "angular_momentum", "kinetic_energy", "com.position"):
        expected = sol[f"other.{quantity}"]
        np.testing.assert_allclose(sol[f"alone.{quantity}"], expected, rtol=0, atol=1e-5 * abs(expected).max())
    np.testing.assert_allclose(sol["beam.end.position"], sol["body.position"] + L * np.array([matrix_of(q.tolist())[:, 0] for q in
                                                                                              sol["body.rotation"]]), atol=1e-4)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_tangent_is_exact(formulation):
    m = pl.Model("blade", gravity=(0.3, -0.7, -9.81))
    other = pl.SectionMatrices(0.4 * BLADE, 0.3 * SLICE)
    m.add(pl.Beam("blade", points=[(np.sin(a), 0.2 * a, 1 - np.cos(a)) for a in np.linspace(0, 2, 9)], twist=0.4, elements=3, damping=0.02,
                  profile={0: pl.SectionMatrices(BLADE, SLICE), 1: other}, formulation=formulation))
    m.add(pl.Spherical("S", m.ground, "blade.start"))
    system, rng = m.compile(exact=True).system, np.random.default_rng(5)
    c = ComplexStep(system, seed=5)
    evaluation.retract(system.data, c.real.q.copy(), rng.normal(size=system.n), 0.1, c.real.q)
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-11 * abs(expected).max())


# -- texts, pictures, refusals
def test_texts_and_pictures(tmp_path):
    shapes = {0: pl.Section.tube("30 mm", "2 mm"), 0.4: pl.Section.circle(0.02), 1: pl.Section.rectangle(0.02, 0.01)}
    for profile, material in ((shapes, MATERIAL),
                              ({0: pl.SectionMatrices(BLADE, SLICE), 1: pl.SectionMatrices(0.5 * BLADE, SLICE)}, None),
                              (pl.SectionMatrices(BLADE, SLICE), None)):
        m = cantilever(profile, material=material)
        again = from_text(to_text(m))
        assert again["beam"] == m["beam"] and to_text(again) == to_text(m)
    m.simulate(1e-4, progress=False).to_html(tmp_path / "blade.html")
    given = from_text("""
pliant: 1
bodies:
  mast: {kind: beam, start: [0, 0, 0], end: [0, 0, 3], material: aluminium,
         profile: {0: {tube: {radius: 30 mm, thickness: 2 mm}}, 0.5: {tube: {radius: 20 mm, thickness: 2 mm}}, 1: {circle: {radius: 5 mm}}}}
""")["mast"]
    assert [s for s, _ in given.profile.places] == [0, 0.5, 1] and given.profile.at(0.25).made == ("tube", 0.025, 0.002)


def bad(**change):
    K, M = BLADE.copy(), SLICE.copy()
    for name, (i, j, x) in change.items():
        A = K if name == "stiffness" else M
        A[i, j] = A[j, i] = x
    return lambda: pl.SectionMatrices(K, M)


def lopsided():
    K = BLADE.copy()
    K[3, 4] = 14
    return pl.SectionMatrices(K, SLICE)


SECTIONS = {0: pl.Section.circle(0.01), 1: pl.Section.circle(0.02)}


@pytest.mark.parametrize(("make", "sentence"), [
    (bad(stiffness=(3, 4, 40.0)), "stiffness: the matrix is not positive: some motion would have no stiffness or mass"),
    (bad(stiffness=(0, 0, -1.0)), "stiffness: row 1, column 1: -1 must be greater than zero"),
    (lopsided, "stiffness: row 4, column 5: 14 must be 15, as in the other half"),
    (bad(mass=(0, 4, -0.041)), "as of a rigid slice"),
    (bad(mass=(1, 1, 3.0)), "mass: row 2, column 2: 3 must be 2, as of a rigid slice"),
    (lambda: pl.SectionMatrices(np.eye(5), SLICE), "must be six rows of six numbers"),
    (lambda: cantilever({0: SECTIONS[0], 0.5: SECTIONS[1]}), "sections at s = 0, 0.5, must be at 0, at 1 and between"),
    (lambda: cantilever({0: SECTIONS[0], 1: SECTIONS[1], "1": SECTIONS[0]}), "sections at s = 0, 1, 1, must be at 0, at 1"),
    (lambda: cantilever({0: SECTIONS[0], float("nan"): SECTIONS[1], 1: SECTIONS[0]}), "must be at 0, at 1 and between, one at each place"),
    (lambda: cantilever({0: SECTIONS[0], 1: pl.SectionMatrices(BLADE, SLICE)}), "some sections are given by their matrices; all or none"),
    (lambda: cantilever({0: SECTIONS[0], 1: 3}), "at s = 1: 3 must be a section"),
    (lambda: cantilever(SECTIONS, material=None), "beam 'beam': material: is missing; a beam needs it"),
    (lambda: cantilever(pl.SectionMatrices(BLADE, SLICE)), "material: has no meaning where sections are given by their matrices"),
    (lambda: cantilever(pl.SectionMatrices(BLADE, SLICE), material=None, shear=False), "shear: is in the matrices of the sections"),
])
def test_wrong_sections_say_what_is_wrong(make, sentence):
    with pytest.raises((ItemError, ValueError)) as told:
        make()
    assert sentence in str(told.value)
