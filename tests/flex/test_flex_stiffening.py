"""Geometric stiffening from the mesh: rotating beams, columns, hanging and standing beams, lateral buckling, foreshortening."""
import numpy as np
import pytest
from scipy.linalg import eigh

import pliant as pl
from pliant.flex.beams import GAUSS
from pliant.flex.loads import inertia_loads

MAT = pl.Material(210e9, 0.3, 7850)
L = 1.0
WRIGHT = {1: (3.681646814, 22.18101115, 61.84176259, 3.54323627), 2: (4.137319573, 22.61492196, 62.27318411, 3.621796964),
          6: (7.360373019, 26.80908168, 66.68391438, 4.26322542), 12: (13.1701505, 37.6031123, 79.6144785, 5.42704928)}
D = np.array([0.48, -0.6, 0.64])        # along the beam
UP = np.array([0.8, 0.0, -0.6])         # across it
OTHER = np.cross(UP, D)


def beam(section, n=30, modes=14, **options):
    fe = pl.flex.mesh_beam([(0, 0, 0), L * D], section, MAT, n, up=UP)
    return pl.flex.reduce(fe, {"root": 0, "tip": n}, modes=modes, **options)


def spinning(r, w):
    """Stiffness of small motions in axes that turn with w, and Mqq."""
    K = r.Kqq - np.einsum("a,kjab,b->kj", w, r.integrals.J2, w)
    for load, k in zip(r.stiffening.loads, r.stiffening.K, strict=True):
        if load[0] == "centrifugal":
            K = K + w[load[1]] * w[load[2]] * k
    return (K + K.T) / 2, r.integrals.Mqq


def least_load(r, *terms):
    """Smallest positive p for which the stiffness with p times the loads becomes singular."""
    K = sum(c * r.stiffening.of(*load) for load, c in terms)
    return 1 / eigh(-K, r.Kqq, eigvals_only=True)[-1]


@pytest.mark.parametrize("eta", WRIGHT)
def test_rotating_beam(eta):
    """Flap 1 to 3 (out of the plane) and lag 1 of Wright et al. 1982, the beam and the axis anywhere in space."""
    s = pl.Section.rectangle(0.01, 0.01)
    r = beam(s)
    unit = np.sqrt(MAT.E * s.Iy / (MAT.rho * s.area)) / L**2
    found = np.sqrt(eigh(*spinning(r, eta * unit * UP), eigvals_only=True)) / unit
    exact = np.array(WRIGHT[eta])
    near = np.array([found[np.argmin(abs(found - f))] for f in exact])
    assert np.allclose(near, exact, rtol=2e-3)


def test_extension_by_spin():
    """Tip extension tan(kL)/k - L of benchmark 11, from the loads on the shapes; the stiffening has no part in it."""
    section = pl.Section.general(1.0, 5e-4, 5e-4, 1e-3, ky=1, kz=1)
    soft = pl.Material(2.8e7, 0.4, 1.2)
    fe = pl.flex.mesh_beam([(0, 0, 0), 10 * D], section, soft, 20, "timoshenko", up=UP)
    r = pl.flex.reduce(fe, {"root": 0, "tip": 20}, modes=12)
    w, i = 6 * UP, r.integrals
    K = r.Kqq - np.einsum("a,kjab,b->kj", w, i.J2, w)
    q = np.linalg.solve((K + K.T) / 2, np.einsum("a,jab,b->j", w, i.G0, w))
    assert D @ r.nodes["tip"].psi_R @ q == pytest.approx(5.14317455043e-4, rel=5e-3)


def test_columns():
    """Euler's load at the tip, and 7.837 EI/L^2 under its own weight: then R'' - g points up."""
    s = pl.Section.rectangle(0.02, 0.01)
    r = beam(s)
    EI = MAT.E * s.Iy
    assert least_load(r, *((("force", "tip", a), -D[a]) for a in range(3))) == pytest.approx(np.pi**2 * EI / (4 * L**2), rel=1e-3)
    weight = MAT.rho * s.area * L
    g = least_load(r, *((("acceleration", a), D[a]) for a in range(3)))
    assert g * weight == pytest.approx(7.837347 * EI / L**2, rel=2e-3)
    hanging = -sum(D[a] * r.stiffening.of("acceleration", a) for a in range(3))
    assert np.linalg.eigvalsh(hanging)[0] > -1e-6 * np.linalg.eigvalsh(hanging)[-1]  # stiffer, the more it weighs


def test_free_column_between_two_forces():
    """On mean axes, pushed at both ends: pi^2 EI / L^2; accelerations do not stress a free part."""
    s = pl.Section.rectangle(0.02, 0.01)
    r = beam(s, frame="mean-axis", modes=20)
    assert not [load for load in r.stiffening.loads if load[0] in ("acceleration", "angular")]
    terms = [(("force", "tip", a), -D[a]) for a in range(3)] + [(("force", "root", a), D[a]) for a in range(3)]
    assert least_load(r, *terms) == pytest.approx(np.pi**2 * MAT.E * s.Iy / L**2, rel=1e-3)


def test_lateral_buckling():
    """A blade loaded at its tip in its stiff direction: 4.0126 sqrt(E Iz G J) / L^2, in both senses."""
    s = pl.Section.rectangle(0.001, 0.05)
    r = beam(s, modes=20)
    due = 4.0126 * np.sqrt(MAT.E * s.Iz * MAT.G * s.J) / L**2
    for sign in (1, -1):
        assert least_load(r, *((("force", "tip", a), sign * UP[a]) for a in range(3))) == pytest.approx(due, rel=3e-3)


def test_tension_stiffens_torsion():
    s = pl.Section.rectangle(0.03, 0.004)
    fe = pl.flex.mesh_beam([(0, 0, 0), (L, 0, 0)], s, MAT, 10)
    r = pl.flex.reduce(fe, {"root": 0, "tip": 10}, modes=0, orthonormal=False)
    k = r.names.index("tip.rx")
    assert r.Kqq[k, k] == pytest.approx(MAT.G * s.J / L, rel=1e-9)
    assert r.stiffening.of("force", "tip", 0)[k, k] == pytest.approx((s.Iy + s.Iz) / s.area / L, rel=1e-9)


def test_loads_of_inertia_move_with_the_origin():
    """Shifting the mesh by t adds the accelerations of the shift: e_a x t, and (e_a e_b^T + e_b e_a^T) t or (e_a e_a^T - 1) t."""
    s, t = pl.Section.rectangle(0.03, 0.02), np.array([0.7, -0.3, 0.4])
    points = np.array([(0, 0, 0), (0.5, 0.1, 0), (0.6, 0.3, 0.5)])
    one, two = (pl.flex.reduce(pl.flex.mesh_beam(p, s, MAT, [3, 3], up=UP), {"a": 0, "b": 6}, modes=3, orthonormal=False)
                for p in (points, points + t))
    acceleration = [one.stiffening.of("acceleration", a) for a in range(3)]
    e = np.eye(3)
    for load, K in zip(two.stiffening.loads, two.stiffening.K, strict=True):
        shift = {"angular": lambda a: np.cross(e[a], t), "acceleration": lambda a: 0 * t,
                 "centrifugal": lambda a, b: t[b] * e[a] + (t[a] * e[b] if a != b else -t)}.get(load[0], lambda *a: 0 * t)(*load[1:])
        due = one.stiffening.of(*load) + sum(c * k for c, k in zip(shift, acceleration, strict=True))
        assert np.allclose(K, due, rtol=0, atol=1e-7 * abs(due).max()), load


def test_second_order_of_bending_and_twist():
    """Of a beam bent by v and w and twisted by phi, by hand: the tip moves by int (L - x) phi v'' along z and by -int (L - x) phi w''
    along y; a torque works on the twist 1/2 int (w'' v' - v'' w') of the bent line."""
    n = 8
    s, R = pl.Section.rectangle(0.02, 0.01), np.column_stack((D, OTHER, UP))
    fe = pl.flex.mesh_beam([(0, 0, 0), L * D], s, MAT, n, up=UP)
    x = np.linspace(0, L, n + 1)
    shapes = np.zeros((n + 1, 6, 3))
    shapes[:, 1, 0], shapes[:, 5, 0] = x**3, 3 * x**2     # v
    shapes[:, 2, 1], shapes[:, 4, 1] = x**2, -2 * x       # w
    shapes[:, 3, 2] = x                                   # phi
    r = pl.flex.reduce(fe, {"root": 0, "tip": n}, shapes=np.concatenate((R @ shapes[:, :3], R @ shapes[:, 3:]), axis=1), orthonormal=False)
    second = np.einsum("ai,akl->ikl", R, r.nodes["tip"].second)
    assert second[2, 0, 2] == pytest.approx(0.5, rel=1e-9)           # int (1 - x) x 6 x
    assert second[1, 1, 2] == pytest.approx(-1 / 3, rel=1e-9)        # -int (1 - x) x 2
    assert second[0, 0, 0] == pytest.approx(-9 / 5 - 0.02**2 / 12 * 12, rel=1e-9)  # -int v'^2, and fibres aside of the axis: I/A v''^2
    assert second[0, 1, 1] == pytest.approx(-4 / 3 - 0.01**2 / 12 * 4, rel=1e-9)
    torque = sum(D[a] * r.stiffening.of("moment", "tip", a) for a in range(3))
    assert torque[0, 1] == pytest.approx(0.5 * (4 - 2), rel=1e-9)    # -1/2 int (w'' v' - v'' w') = -1/2 int (6 x^2 - 12 x^2)


def test_forces_on_sections_are_exact():
    """One element under its own weight: N and V linear along it, from the ends on."""
    s = pl.Section.rectangle(0.02, 0.01)
    fe = pl.flex.mesh_beam([(0, 0, 0), L * D], s, MAT, 1, up=UP)
    field = inertia_loads()[("acceleration", 0)]  # R'' - g along x of the mesh
    d = np.zeros(12)
    d[6:] = np.linalg.solve(fe.K.toarray()[6:, 6:], field.vector(fe)[6:])
    found = fe.stress.resultants(d[:, None], [field])[:, 0, 0]
    beyond = MAT.rho * s.area * L * (1 - GAUSS)
    for k, axis in enumerate((D, OTHER, UP)):
        assert found[k] == pytest.approx(-axis[0] * beyond, rel=1e-9, abs=1e-9)


def test_foreshortening():
    """The displacement of second order of the tip is -1/2 int w'^2 along the beam."""
    s, n = pl.Section.rectangle(0.01, 0.008), 40
    fe = pl.flex.mesh_beam([(0, 0, 0), L * D], s, MAT, n, up=UP)
    r = pl.flex.reduce(fe, {"root": 0, "tip": n}, modes=6, frames={f"n{k}": k for k in range(1, n)})
    for k in range(4):
        slopes = [np.zeros(3)] + [r.nodes[f"n{j}"].psi_theta[:, k] for j in range(1, n)] + [r.nodes["tip"].psi_theta[:, k]]
        bent = np.array([(np.cross(w, D) ** 2).sum() for w in slopes])
        due = -0.5 * L / n / 3 * (bent[0] + bent[-1] + 4 * bent[1::2].sum() + 2 * bent[2:-1:2].sum())
        assert D @ r.nodes["tip"].second[:, k, k] / 2 == pytest.approx(due, rel=2e-3)
    assert abs(r.nodes["root"].second).max() < 1e-9 * abs(r.nodes["tip"].second).max()
    half = r.nodes["n20"].second
    assert 0 > D @ half[:, 0, 0] > D @ r.nodes["tip"].second[:, 0, 0]


@pytest.mark.parametrize("element, divisions", [("hex8", (30, 1, 1)), ("hex20", (30, 1, 1)), ("tet10", (25, 1, 1))])
def test_solid_column_and_rotating_solid(element, divisions):
    """The same on solids: without lateral contraction, since their faces are held."""
    mat = pl.Material(210e9, 0.0, 7850)
    fe = pl.flex.mesh_box((1.0, 0.03, 0.02), divisions, mat, element)
    r = pl.flex.reduce(fe, {"root": {"plane": "x = 0"}, "tip": {"plane": "x = 1"}}, modes=12)
    EI, rhoA = mat.E * 0.03 * 0.02**3 / 12, mat.rho * 6e-4
    assert least_load(r, (("force", "tip", 0), -1.0)) == pytest.approx(np.pi**2 * EI / 4, rel=5e-3)
    unit = np.sqrt(EI / rhoA)
    flap = np.sqrt(eigh(*spinning(r, np.array([0, 0, 6 * unit])), eigvals_only=True)) / unit  # bending along z
    assert abs(flap / WRIGHT[6][0] - 1).min() < 5e-3
    lag = np.sqrt(eigh(*spinning(r, np.array([0, 6 * unit, 0])), eigvals_only=True)) / unit
    assert lag[0] == pytest.approx(WRIGHT[6][3], rel=5e-3)


def test_rigid_faces_are_stress_free_when_they_turn():
    """With lateral contraction the held faces are squeezed; counted with linear rotations alone, the column would seem 1.2 % weaker."""
    fe = pl.flex.mesh_box((1.0, 0.02, 0.01), (20, 2, 2), MAT, "hex8")
    loads = []
    for coupling in ("rigid", "average"):
        r = pl.flex.reduce(fe, {"root": {"plane": "x = 0", "coupling": "rigid"}, "tip": {"plane": "x = 1", "coupling": coupling}}, modes=8)
        loads.append(least_load(r, (("force", "tip", 0), -1.0)))
    assert loads[0] == pytest.approx(loads[1], rel=4e-3)
    assert loads[0] == pytest.approx(np.pi**2 * MAT.E * 0.02 * 0.01**3 / 48, rel=1e-2)
