"""Stresses of parts: constant strain, bending, beams, against the full mesh, envelopes in bounded memory, files."""
import shutil
import subprocess
import tracemalloc

import numpy as np
import pytest
from meshes import ABAQUS, KINDS, box, fe_of, inp

import pliant as pl
from pliant.flex.recovery import Recovery, nodal_stress, recovery_of
from pliant.flex.tensors import principal, signed_von_mises, von_mises

MAT = pl.Material(210e9, 0.3, 7850)
LAM, MU = MAT.E * MAT.nu / ((1 + MAT.nu) * (1 - 2 * MAT.nu)), MAT.G


def six(t):
    return np.array([t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[1, 2], t[0, 2]])


@pytest.mark.parametrize("kind", KINDS)
def test_constant_strain_gives_constant_stress(kind):
    """Patch test on a distorted mesh with curved sides moved at random inside, in any direction."""
    fe = fe_of(box(kind, bend=0.1), MAT)
    grad = np.random.default_rng(3).normal(size=(3, 3))
    strain = (grad + grad.T) / 2
    r = recovery_of(fe, (fe.nodes @ grad.T).reshape(-1, 1), [], "all")
    assert np.allclose(r.at([1.0]), six(LAM * np.trace(strain) * np.eye(3) + 2 * MU * strain), rtol=1e-9, atol=1e-2)
    assert np.allclose(r.strain_at([1.0]), six(strain), atol=1e-11)


@pytest.mark.parametrize("element", ["hex8", "hex20", "tet10"])
def test_bending_of_a_box(element):
    """Pure bending (nu = 0): sigma_xx = E z kappa, exact for quadratic displacements."""
    mat = pl.Material(70e9, 0.0, 2700)
    fe = pl.flex.mesh_box((0.4, 0.03, 0.02), (8, 1, 2), mat, element, origin=(0, 0, -0.01))
    x, y, z = fe.nodes.T
    u = np.stack((x * z, 0 * y, -x**2 / 2), axis=1)
    S, _ = nodal_stress([fe.stress], u[:, :, None], np.arange(len(u)))
    if element == "hex8":  # corners only see linear fields; bubbles bring the curvature
        inner = (x > 1e-9) & (x < 0.4 - 1e-9)
        assert np.allclose(S[inner, 0, 0], mat.E * z[inner], atol=1e-6 * mat.E * 0.01)
    else:
        assert np.allclose(S[:, 0, 0], mat.E * z, atol=1e-9 * mat.E)
        assert abs(S[:, [1, 2, 3, 4], 0]).max() < 1e-9 * mat.E


def test_principal_stresses_are_eigenvalues():
    s = np.random.default_rng(1).normal(size=(200, 6))
    s[0], s[1], s[2] = 0, [2, 2, 2, 0, 0, 0], [1, 1, 3, 0, 0, 0]
    t = np.stack([s[:, [0, 3, 5]], s[:, [3, 1, 4]], s[:, [5, 4, 2]]], axis=1)
    due = np.linalg.eigvalsh(t)
    low, high = principal(s)
    assert np.allclose(low, due[:, 0], atol=1e-7) and np.allclose(high, due[:, 2], atol=1e-7)
    mises = np.sqrt(((due[:, [0, 1, 2]] - due[:, [1, 2, 0]])**2).sum(axis=1) / 2)
    assert np.allclose(von_mises(s), mises)
    assert signed_von_mises(np.array([[-3.0, 1, 0, 0, 0, 0]]))[0] < 0 < signed_von_mises(np.array([[3.0, -1, 0, 0, 0, 0]]))[0]


def test_beam_forces_and_stresses():
    """Tip load in 3-D on an inclined beam with a turned section: forces by statics, stress by N/A + M c/I, torsion of the rectangle."""
    axis = np.array([2.0, 1.0, 0.5]) / np.linalg.norm([2.0, 1.0, 0.5])
    up = np.array([0.2, -0.1, 1.0])
    b, h, L = 0.02, 0.01, 0.5
    fe = pl.flex.mesh_beam([(0, 0, 0), tuple(L * axis)], pl.Section.rectangle(b, h), MAT, 8, "timoshenko", up=up)
    part = pl.flex.reduce(fe, {"root": 0, "tip": 8}, modes=0, stress=True)
    F, M = np.array([300.0, -200.0, 150.0]), np.array([5.0, 3.0, -4.0])
    node = part.nodes["tip"]
    q = np.linalg.solve(part.Kqq, node.psi_R.T @ F + node.psi_theta.T @ M)
    z = up - (up @ axis) * axis
    z /= np.linalg.norm(z)
    R = np.column_stack((axis, np.cross(z, axis), z))
    forces = part.stress.forces_at(q)
    for e in range(8):
        for end in range(2):
            arm = (L - (e + end) * L / 8) * axis
            due = np.concatenate((R.T @ F, R.T @ (M + np.cross(arm, F))))
            assert np.allclose(forces[e, end], due, rtol=1e-7, atol=1e-5)
    sigma = part.stress.at(q)
    f, m = R.T @ F, R.T @ (M + np.cross(L * axis, F))
    corner = f[0] / (b * h) + m[1] * (h / 2) / (b * h**3 / 12) - m[2] * (b / 2) / (h * b**3 / 12)
    assert sigma[0, 0] == pytest.approx(corner, rel=1e-8)  # y = b/2, z = h/2, at the root
    assert np.allclose(part.stress.points[0], R @ [0, b / 2, h / 2])
    assert sigma[4, 3] == pytest.approx(m[0] / (0.246 * b * h**2), rel=1e-3)  # a : b = 2, by the handbooks
    tube = pl.Section.tube(0.02, 0.002)
    assert tube.points[0][2] == pytest.approx(0.02 / tube.J)


@pytest.mark.parametrize("coupling", ["rigid", "average"])
def test_interface_loads_against_the_full_mesh(coupling):
    """Within 2 % of the full solution at 95 % of the nodes away from interfaces; interface loads are exact, so far less."""
    fe = fe_of(box("tet10", (6, 2, 2), bend=0.3), MAT)
    ends = {"a": {"group": "left", "coupling": coupling}, "b": {"group": "right", "coupling": coupling}}
    part = pl.flex.reduce(fe, ends, modes=3, stress="all")
    from pliant.flex.interfaces import join
    from pliant.flex.structure import Structure
    s = Structure(fe, join(fe, ends))
    load = np.array([100.0, 200, -300, 4, 5, 6])
    full = np.asarray(s.T @ s.constrained(s.rows[0]).solve(s.rows[1].T @ load))
    node = part.nodes["b"]
    q = np.linalg.solve(part.Kqq, node.psi_R.T @ load[:3] + node.psi_theta.T @ load[3:])
    due = recovery_of(fe, full[:, None], s.joined, "all").at([1.0])
    found, away = part.stress.at(q), part.stress.zone < 0
    assert 0.2 < away.mean() < 0.9
    error = abs(von_mises(found) / von_mises(due) - 1)[away]
    assert np.quantile(error, 0.95) < 1e-6
    free = pl.flex.reduce(fe, ends, modes=3, method="free", stress="all")  # modes alone miss the load, and say so
    assert free.represented.missed()["force", "b", 0] > 0.2
    q = np.linalg.solve(free.Kqq, free.nodes["b"].psi_R.T @ load[:3] + free.nodes["b"].psi_theta.T @ load[3:])
    assert np.quantile(abs(von_mises(free.stress.at(q)) / von_mises(due) - 1)[away], 0.95) > 0.02


def calculix_stress(folder, mesh, name, held, loads=""):
    """Stresses at the nodes, as CalculiX prints them (six digits)."""
    text = inp(mesh).replace(f"TYPE={ABAQUS[mesh.blocks[0].kind]}", f"TYPE={name}")
    (folder / "s.inp").write_text(f"{text}*STEP\n*STATIC\n*BOUNDARY\n{held}{loads}*EL FILE\nS\n*END STEP\n")
    subprocess.run(["ccx", "s"], cwd=folder, capture_output=True, check=True)
    rows, inside = {}, False
    for line in (folder / "s.frd").read_text().splitlines():
        inside = (inside or line.startswith(" -4  STRESS")) and not line.startswith(" -3")
        if inside and line.startswith(" -1"):
            rows[int(line[3:13])] = [float(line[13 + 12 * k:25 + 12 * k]) for k in range(6)]  # xx yy zz xy yz zx
    return np.array([rows[n] for n in mesh.ids])


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
@pytest.mark.parametrize("kind", ["tet4", "tet10"])
def test_stresses_are_those_of_calculix(kind, tmp_path):
    """A bent box with curved sides, held at one end and loaded at the other."""
    from scipy.sparse.linalg import spsolve
    mesh = box(kind, (4, 2, 2), bend=0.3)
    left, right = mesh.groups["left"], mesh.groups["right"]
    loads = "".join(f"{n + 1},{d},{v}\n" for n in right for d, v in ((1, 100), (2, 30), (3, -50)))
    due = calculix_stress(tmp_path, mesh, ABAQUS[kind], "".join(f"{n + 1},1,3\n" for n in left), f"*CLOAD\n{loads}")
    fe = fe_of(mesh)
    f, free = np.zeros((len(fe.nodes), 3)), np.ones((len(fe.nodes), 3), bool)
    f[right], free[left] = [100, 30, -50], False
    free, d = free.ravel(), np.zeros(f.size)
    d[free] = spsolve(fe.K[free][:, free].tocsc(), f.ravel()[free])
    assert np.allclose(recovery_of(fe, d[:, None], [], "all").at([1.0]), due, rtol=0, atol=1e-5 * abs(due).max())


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
def test_stresses_of_bricks_are_those_of_calculix(tmp_path):
    """Of given displacements, CalculiX takes the stresses of C3D20R at the same eight points; its factors of extrapolation have four
    digits (2.549 for (5 + 3 sqrt 3)/4). Those of C3D20 are at 27 points, and differ."""
    mesh = box("hex20", (4, 2, 2), bend=0.3)
    fe = fe_of(mesh)
    u = np.round(kelvin(mesh.x + [0.1, 0.03, 0.05])[0], 9)
    held = "".join(f"{n + 1},{k + 1},{k + 1},{u[n, k]:.9f}\n" for n in range(len(u)) for k in range(3))
    found = recovery_of(fe, u.reshape(-1, 1), [], "all").at([1.0])
    reduced, full = (calculix_stress(tmp_path, mesh, name, held) for name in ("C3D20R", "C3D20"))
    assert np.allclose(found, reduced, rtol=0, atol=1e-4 * abs(found).max())
    assert abs(found - full).max() > 1e-2 * abs(found).max()


def kelvin(x, force=(0.3e6, -0.2e6, 1e6)):
    """Displacements (p, 3) and stresses (p, 6) in an infinite solid with a force at the origin."""
    nu, P = MAT.nu, np.array(force)

    def u(r):
        n = np.sqrt((r * r).sum(axis=1, keepdims=True))
        return ((3 - 4 * nu) * P / n + r * (r @ P)[:, None] / n**3) / (16 * np.pi * MU * (1 - nu))
    slope = np.stack([u(x + 1e-20j * np.eye(3)[k]).imag / 1e-20 for k in range(3)], axis=2)
    sigma = LAM * np.trace(slope, axis1=1, axis2=2)[:, None, None] * np.eye(3) + MU * (slope + np.swapaxes(slope, 1, 2))
    return u(x), np.stack([sigma[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))], axis=1)


@pytest.mark.parametrize("kind", ["hex20", "tet10", "wedge15"])
def test_stresses_against_a_closed_form(kind):
    """Displacements of a force outside the body on its surface: inside, the solution is known; the error falls with the square of the
    size of elements. Median over nodes."""
    from scipy.sparse.linalg import spsolve
    errors = []
    for n in (2, 4):
        mesh = box(kind, (n, n, n), size=(1.0, 1.0, 1.0), bend=0.1)
        fe = fe_of(mesh, MAT)
        u, due = kelvin(mesh.x - [1.9, 0.6, 0.7])
        inner = np.ones(u.shape, bool)
        inner[np.unique(fe.cells)] = False
        inner, d = inner.ravel(), u.ravel()
        d[inner] = spsolve(fe.K[inner][:, inner].tocsc(), -fe.K[inner][:, ~inner] @ d[~inner])
        found = recovery_of(fe, d[:, None], [], "all").at([1.0])
        errors.append(np.median(np.linalg.norm(found - due, axis=1) / np.linalg.norm(due, axis=1)))
    assert errors[1] < errors[0] / 3.5 and errors[1] < 0.05, errors


def random_recovery(p, n, seed=0):
    rng = np.random.default_rng(seed)
    return Recovery(rng.normal(size=(p, 3)), np.arange(p - p % 3).reshape(-1, 3), rng.normal(size=(p, 6, n)), np.tile([2e11, 0.3], (p, 1)),
                    np.where(np.arange(p) < p // 2, 0, -1), ["hub"])


def test_envelope_is_that_of_all_times(monkeypatch):
    r = random_recovery(37, 4)
    Q = np.random.default_rng(1).normal(size=(53, 4))
    monkeypatch.setattr(Recovery, "_sizes", lambda self, p, T: (5, 11))
    told = []
    e = r.envelope(Q, told.append)
    every = np.stack([r.at(q) for q in Q], axis=1)
    low, high = principal(every)
    assert np.allclose(e.von_mises, von_mises(every).max(axis=1)) and np.array_equal(e.von_mises_at, von_mises(every).argmax(axis=1))
    assert np.allclose(e.largest, high.max(axis=1)) and np.array_equal(e.smallest_at, low.argmin(axis=1))
    assert told == sorted(told) and told[-1] == 1 and len(told) == 8 * 5
    spots = r.hot_spots(e, 3, apart=0.5)
    assert spots[0].value == e.von_mises.max() and spots[0].near == ("hub" if spots[0].node < 18 else "")
    assert all(np.linalg.norm(a.position - b.position) > 0.5 for a in spots for b in spots if a.node != b.node)
    assert np.allclose(r.history(3, Q), every[3])
    t = np.linspace(2.0, 3.0, len(Q))
    timed = r.hot_spots(e, 3, apart=0.5, t=t)
    assert [spot.time for spot in timed] == [t[e.von_mises_at[spot.node]] for spot in spots] and np.isnan(spots[0].time)
    assert [spot.row for spot in timed] == [spot.row for spot in spots] == [e.von_mises_at[spot.node] for spot in spots]


def test_envelope_needs_little_memory():
    """A block of results, not all of them: the stresses of 10 000 points at 2 000 times are 960 MB."""
    r = random_recovery(10_000, 3)
    Q = np.random.default_rng(2).normal(size=(2000, 3))
    tracemalloc.start()
    r.envelope(Q)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 200e6


def test_stresses_are_kept_in_the_file(tmp_path):
    fe = fe_of(box("hex20", (2, 1, 1)), MAT)
    part = pl.flex.reduce(fe, {"a": "left", "b": "right"}, modes=2, stress=True)
    part.save(tmp_path / "p.h5")
    back = pl.flex.Reduced.load(tmp_path / "p.h5")
    q = np.arange(1.0, part.n + 1)
    assert np.array_equal(back.stress.at(q), part.stress.at(q)) and np.array_equal(back.stress.zone, part.stress.zone)
    assert back.represented.loads == part.represented.loads and np.array_equal(back.represented.full, part.represented.full)
    beam = pl.flex.reduce(pl.flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.circle(0.01), MAT, 4), {"a": 0}, modes=2, stress=True)
    beam.save(tmp_path / "b.h5")
    assert np.array_equal(pl.flex.Reduced.load(tmp_path / "b.h5").stress.forces, beam.stress.forces)


def test_export(tmp_path):
    """The file is read back by its own description: sizes, offsets, values."""
    import re
    r = random_recovery(9, 2)
    sigma = r.at([1.0, 2.0])
    r.export(tmp_path / "s.vtu", von_mises=von_mises(sigma), stress=sigma)
    data = (tmp_path / "s.vtu").read_bytes()
    start = data.index(b'<AppendedData encoding="raw">_') + 30
    found = {}
    for kind, name, width, offset in re.findall(rb'type="(\w+)" Name="(\w+)" NumberOfComponents="(\d)" format="appended" offset="(\d+)"',
                                                 data[:start]):
        at = start + int(offset)
        size = int.from_bytes(data[at:at + 8], "little")
        a = np.frombuffer(data[at + 8:at + 8 + size], {b"Float64": "<f8", b"Int64": "<i8", b"UInt8": "u1"}[kind])
        found[name.decode()] = a.reshape(-1, int(width)) if int(width) > 1 else a
    assert np.array_equal(found["Points"], r.points) and np.array_equal(found["stress"], sigma)
    assert np.array_equal(found["connectivity"], r.cells.ravel()) and found["offsets"][-1] == 9 and set(found["types"]) == {5}
    with pytest.raises(ValueError, match="3 values for 9 points"):
        r.export(tmp_path / "s.vtu", x=np.zeros(3))
