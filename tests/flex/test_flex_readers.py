"""Readers of FE programs: the same part through each gives the same frequencies; units, groups, what is refused."""
import shutil

import numpy as np
import pytest
from fuzz_readers import FILES, SAMPLES, STEEL, options_of
from meshes import KINDS, SIZE, bdf, box, fe_of, inp, msh22, msh41, mtx, op4_binary, sample, six_rows, write_samples

import pliant as pl
from pliant.flex import isoparametric
from pliant.flex.modes import Modes, hertz
from pliant.flex.readers import read_mesh
from pliant.flex.readers.calculix import run_calculix
from pliant.flex.readers.op4 import read_op4
from pliant.flex.readers.source import real, whole
from pliant.flex.structure import Structure


def frequencies(fe, count=8):
    return hertz(Modes(Structure(fe, [])).lowest(count)[0])


@pytest.mark.parametrize("file", FILES)
def test_the_same_part_through_every_reader(file):
    """1e-9 of every frequency. The fields of DMIG have ten digits: the reader gives what they say, frequencies then differ by 1e-7."""
    found = pl.flex.read(SAMPLES / file, **options_of(file, SAMPLES))
    fe = fe_of(sample())
    if "dmig" in file:
        assert np.allclose(frequencies(found), frequencies(fe), rtol=2e-7, atol=0)
        fe = pl.flex.from_matrices(fe.nodes, *(np.vectorize(lambda v: float(f"{v:.9e}"))(a.toarray()) for a in (fe.K, fe.M)))
    assert np.allclose(frequencies(found), frequencies(fe), rtol=1e-9, atol=0)
    assert found.mass == pytest.approx(7850 * 0.2 * 0.04 * 0.02, rel=1e-9) and found.facts["unattached"] == []


def test_the_samples_are_those_of_the_script(tmp_path):
    write_samples(tmp_path)
    for file in tmp_path.iterdir():
        if file.suffix not in (".mtx", ".op4") and "dmig" not in file.name:  # matrices may differ in their last digits
            assert file.read_text() == (SAMPLES / file.name).read_text(), file.name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("write, ending", [(msh22, ".msh"), (msh41, ".msh"), (inp, ".inp"), (bdf, ".bdf")])
def test_every_kind_of_element(kind, write, ending, tmp_path):
    """The order of nodes differs between programs; a wrong one turns elements inside out or changes K."""
    mesh = box(kind, (2, 1, 1))
    (tmp_path / f"part{ending}").write_text(write(mesh))
    found = pl.flex.read(tmp_path / f"part{ending}", material=STEEL)
    due = fe_of(mesh, STEEL)
    assert np.allclose(found.nodes, due.nodes, atol=1e-12)
    assert abs(found.K - due.K).max() < 1e-9 * abs(due.K).max() and abs(found.M - due.M).max() < 1e-9 * abs(due.M).max()
    if ending != ".bdf":
        assert {name: sorted(nodes) for name, nodes in found.groups.items() if name in ("left", "right")} == {
            name: sorted(nodes) for name, nodes in due.groups.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_mass_and_rigid_motion_of_curved_elements(kind):
    """Volume by the surface integral of x n over the skin triangles (exact without curved faces), and K of rigid motions."""
    fe = fe_of(box(kind, (3, 2, 2)), STEEL)
    x = fe.nodes[fe.cells]
    volume = np.einsum("ti,ti->", x[:, 0], np.cross(x[:, 1], x[:, 2])) / 6
    assert fe.mass == pytest.approx(7850 * volume, rel=1e-9)
    bent = fe_of(box(kind, (3, 2, 2), bend=0.2), STEEL)
    R = bent.rigid()
    assert abs(bent.K @ R).max() < 1e-8 * abs(bent.K).max()


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
@pytest.mark.parametrize("kind", ["hex20", "tet10", "tet4"])
def test_stiffness_is_that_of_calculix(kind, tmp_path):
    """Also with curved sides; its mass of tetrahedra has fewer points of integration."""
    mesh = box(kind, (2, 1, 1), bend=0.2)
    (tmp_path / "part.inp").write_text(inp(mesh) + "*BOUNDARY\n1, 1, 3\n*STEP\n*STATIC\n*END STEP\n")
    found = pl.flex.read(run_calculix(tmp_path / "part.inp"), units="m, kg, s")
    due = fe_of(mesh)
    assert abs(found.K - due.K).max() < 1e-11 * abs(due.K).max()
    if kind == "hex20":
        assert abs(found.M - due.M).max() < 1e-11 * abs(due.M).max()
    assert found.mass == pytest.approx(due.mass, rel=1e-9) and found.stress is not None


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
@pytest.mark.parametrize("kind, triangle, line", [("wedge15", 2, 5), ("wedge6", 1, 3)])
def test_wedges_of_calculix_have_fewer_points(kind, triangle, line, tmp_path, monkeypatch):
    """With its 3 x 3 (1 x 2) points, stiffness and mass are the same; ours are integrated exactly."""
    mesh = box(kind, (2, 1, 1))
    (tmp_path / "part.inp").write_text(inp(mesh))
    found, ours = pl.flex.read(run_calculix(tmp_path / "part.inp"), units="m, kg, s"), fe_of(mesh)

    def rule(corners, order):
        t, w = isoparametric._simplex(2, triangle)
        z, v = np.polynomial.legendre.leggauss(line // 2 + 1)
        return np.column_stack((np.tile(t, (len(z), 1)), np.repeat(z, len(t)))), np.outer(v, w).ravel()
    monkeypatch.setattr(isoparametric, "rule", rule)
    isoparametric.shape.cache_clear()
    fewer = fe_of(mesh)
    isoparametric.shape.cache_clear()
    assert abs(found.K - fewer.K).max() < 1e-12 * abs(fewer.K).max() and abs(found.M - fewer.M).max() < 1e-12 * abs(fewer.M).max()
    assert abs(found.M - ours.M).max() > 0.05 * abs(ours.M).max()
    fields = [lambda x, y, z: x, lambda x, y, z: y + z] if kind == "wedge6" else [lambda x, y, z: x * y, lambda x, y, z: x**2 - y * z]
    g, w = np.polynomial.legendre.leggauss(4)
    X, Y, Z = np.meshgrid(*(a * (g + 1) / 2 for a in SIZE), indexing="ij")
    for f in fields:  # int f^2 over the box
        u = np.zeros_like(ours.nodes)
        u[:, 2] = f(*ours.nodes.T)
        due = 7850 * np.prod(SIZE) / 8 * np.einsum("i,j,k,ijk->", w, w, w, f(X, Y, Z) ** 2)
        assert u.ravel() @ (ours.M @ u.ravel()) == pytest.approx(due, rel=1e-10)


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
def test_incompatible_modes_of_calculix(tmp_path):
    """C3D8I: nine unknowns of each element are eliminated; on a box the stiffness that is left is ours, to rounding."""
    mesh = box("hex8", (3, 2, 1))
    (tmp_path / "part.inp").write_text(inp(mesh))
    found, due = pl.flex.read(run_calculix(tmp_path / "part.inp"), units="m, kg, s"), fe_of(mesh)
    assert "54 unknowns of incompatible modes (C3D8I) were eliminated statically" in found.facts["notes"]
    assert abs(found.K - due.K).max() < 1e-12 * abs(due.K).max() and found.mass == pytest.approx(due.mass, rel=1e-9)


def test_groups_are_interfaces():
    fe = pl.flex.read(SAMPLES / "box.inp")
    part = pl.flex.reduce(fe, {"a": "left", "b": {"group": "right", "coupling": "average"}}, modes=2)
    assert np.allclose(part.nodes["b"].u0, [0.2, 0.07, 0.01])
    with pytest.raises(ValueError, match="interface 'a': group: the mesh has no group 'top'; it has 'Body', 'ALL', 'left', 'right'"):
        pl.flex.reduce(fe, {"a": "top"}, modes=2)


def test_units_are_asked():
    with pytest.raises(ValueError, match=r"box_mm.inp: the numbers are not in m, kg, s .*E = 210000, density 7.85e-09.*units='mm, t, s'"):
        pl.flex.read(SAMPLES / "box_mm.inp")
    with pytest.raises(ValueError, match=r"looks like units='mm"):
        pl.flex.read(SAMPLES / "box_STIF1.mtx", mesh=SAMPLES / "box_mm.inp")
    with pytest.raises(ValueError, match="'mmm' is no unit of length"):
        pl.flex.read(SAMPLES / "box.inp", units="mmm, t, s")
    fe = pl.flex.read(SAMPLES / "box.inp")
    assert "m, kg, s are taken" in fe.facts["units"]


def test_inch_units(tmp_path):
    """lbf, inch, second: mass in lbf s^2/in."""
    E, rho = 210e9 / 6894.757293168361, 7850 / (175.12683524647636 / 0.0254**3)
    (tmp_path / "part.inp").write_text(inp(sample(), 1 / 0.0254, repr(E), repr(rho)))
    found = pl.flex.read(tmp_path / "part.inp", units="in, lbf s2/in, s")
    assert np.allclose(frequencies(found), frequencies(fe_of(sample())), rtol=1e-9)


def test_rotations_scale_with_the_unit_of_length(tmp_path):
    """A beam of matrices with six unknowns per node, in mm, t, s: K of rotations is in t mm^2/s^2."""
    fe = pl.flex.mesh_beam([(0, 0, 0), (0.5, 0.1, 0)], pl.Section.rectangle(0.02, 0.01), STEEL, 3)
    scale = np.tile([1.0] * 3 + [1000.0] * 3, 4)
    K, M = fe.K.toarray() * scale[:, None] * scale / 1000, fe.M.toarray() * scale[:, None] * scale / 1000
    (tmp_path / "b.op4").write_bytes(op4_binary({"K": K, "M": M}, ">", big=False))
    grids = (f"GRID,{k + 1},,{x[0]:.14g},{x[1]:.14g},{x[2]:.1f}\n" for k, x in enumerate(fe.nodes * 1000))
    (tmp_path / "b.bdf").write_text("".join(grids) + "ENDDATA\n")
    found = pl.flex.read(tmp_path / "b.op4", units="mm, t, s")
    assert found.dofs == 6 and np.allclose(frequencies(found), frequencies(fe), rtol=1e-9)


@pytest.mark.parametrize("text, value", [("1.5-3", 1.5e-3), ("1.5D+03", 1500.0), ("-.5d-2", -0.005), ("1.+5", 1e5), ("7", 7.0),
                                         ("1e400", None), ("nan", None), ("1_0", None), ("１", None),
                                         ("1.5-", None), ("", None), ("0x1", None)])
def test_numbers(text, value):
    assert real(text) == value


def test_whole_numbers():
    assert [whole(t) for t in ("12", " 12. ", "+3", "1.5", "1e3", "", "１２", "1_0")] == [12, 12, 3, None, None, None, None, None]


def test_line_ends_and_other_alphabets(tmp_path):
    text = (SAMPLES / "box.inp").read_text().replace("** made for tests", "** Pleuelstange, Größe in Zoll")
    due = frequencies(pl.flex.read(SAMPLES / "box.inp"))
    for data in (text.replace("\n", "\r\n").encode(), text.encode("latin-1"), b"\xef\xbb\xbf" + text.encode(),
                 text.replace("\n", "\r").encode()):
        (tmp_path / "p.inp").write_bytes(data)
        assert np.array_equal(frequencies(pl.flex.read(tmp_path / "p.inp")), due)
    (tmp_path / "p.inp").write_bytes(text.encode("utf-16"))
    with pytest.raises(ValueError, match="binary file or UTF-16"):
        pl.flex.read(tmp_path / "p.inp")


def test_include_sets_and_surfaces(tmp_path):
    """GENERATE, sets of sets, surfaces by side, parts split over files."""
    text = (SAMPLES / "box.inp").read_text()
    (tmp_path / "mesh.inc").write_text(text)
    (tmp_path / "p.inp").write_text("*INCLUDE, INPUT=mesh.inc\n*NSET, NSET=three, GENERATE\n1, 5, 2\n*NSET, NSET=more\nthree, 2\n"
                                    "*ELSET, ELSET=e\n1\n*SURFACE, NAME=lower, TYPE=ELEMENT\ne, S1\n*SURFACE, NAME=upper\n1, S2\n")
    fe = pl.flex.read(tmp_path / "p.inp")
    assert fe.ids[fe.groups["more"]].tolist() == [1, 2, 3, 5]
    z = fe.nodes[:, 2]
    assert sorted(fe.groups["lower"]) == np.flatnonzero(z < 1e-9).tolist()
    assert sorted(fe.groups["upper"]) == np.flatnonzero(z > 0.02 - 1e-9).tolist()


def test_elements_in_two_groups_count_once(tmp_path):
    """gmsh writes them twice in format 2.2; elsewhere two elements in one place are a mistake."""
    text = (SAMPLES / "box22.msh").read_text()
    last = text.splitlines()[-2]
    again = "99 " + last.split(" ", 1)[1]
    (tmp_path / "p.msh").write_text(text.replace("$Elements\n17", "$Elements\n18").replace(last, f"{last}\n{again}"))
    fe = pl.flex.read(tmp_path / "p.msh", material=STEEL)
    assert fe.mass == pytest.approx(1.256) and fe.facts["notes"] == ["elements written again for another group were read once"]
    text = (SAMPLES / "box_free.bdf").read_text()
    second = text[text.index("CHEXA,"):text.index("PSOLID")].replace("CHEXA,1,", "CHEXA,2,")
    (tmp_path / "p.bdf").write_text(text.replace("PSOLID", second + "PSOLID"))
    with pytest.raises(ValueError, match=r"p.bdf:\d+: element 2 has the nodes of element 1"):
        pl.flex.read(tmp_path / "p.bdf")


def test_elements_that_are_not_supported_are_counted(tmp_path):
    text = (SAMPLES / "box.inp").read_text()
    text += "*ELEMENT, TYPE=S4, ELSET=skin\n77, 1, 2, 3, 4\n*SHELL SECTION, ELSET=skin, MATERIAL=STEEL\n0.001\n"
    (tmp_path / "p.inp").write_text(text)
    with pytest.raises(ValueError, match=r"not supported: 1 of element type S4; .*partial=True"):
        pl.flex.read(tmp_path / "p.inp")
    fe = pl.flex.read(tmp_path / "p.inp", partial=True)
    assert fe.facts["unsupported"] == {"element type S4": 1, "*SHELL SECTION": 1}
    (tmp_path / "p.inp").write_text(text.replace("*SHELL SECTION, ELSET=skin, MATERIAL=STEEL\n0.001\n", "*NODE\n500, 9, 9, 9\n"))
    fe = pl.flex.read(tmp_path / "p.inp", units="m, kg, s")
    assert sorted(fe.ids[fe.groups["skin"]]) == [1, 2, 3, 4] and fe.facts["unattached"] == [500]


def test_matrices_with_supports_are_refused(tmp_path):
    """A row that is missing was held; so was one with a huge entry."""
    for end in (".inp", "_MASS1.mtx"):
        shutil.copy(SAMPLES / f"box{end}", tmp_path)
    lines = (SAMPLES / "box_STIF1.mtx").read_text().splitlines()
    mass = (tmp_path / "box_MASS1.mtx").read_text().splitlines()

    def without(rows):
        return "\n".join(t for t in rows if "5,2," not in t) + "\n"
    (tmp_path / "box_STIF1.mtx").write_text(without(lines))
    (tmp_path / "box_MASS1.mtx").write_text(without(mass))
    with pytest.raises(ValueError, match=r"node (5|15) has no unknown in direction 2"):
        pl.flex.read(tmp_path / "box_STIF1.mtx")
    (tmp_path / "box_MASS1.mtx").write_text("\n".join(mass) + "\n")
    (tmp_path / "box_STIF1.mtx").write_text("\n".join("3,1,3,1, 1e36" if t.startswith("3,1,3,1,") else t for t in lines) + "\n")
    with pytest.raises(ValueError, match="K has entries of 1e\\+36, which stand for supports"):
        pl.flex.read(tmp_path / "box_STIF1.mtx")


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("big", [True, False])
def test_op4_binary(order, big, tmp_path):
    a = np.where(np.random.default_rng(1).random((9, 9)) < 0.5, 0.0, np.random.default_rng(2).normal(size=(9, 9)))
    (tmp_path / "a.op4").write_bytes(op4_binary({"K": a, "MXX": a.T}, order, big))
    found = read_op4(tmp_path / "a.op4")
    assert np.array_equal(found["K"].toarray(), a) and np.array_equal(found["MXX"].toarray(), a.T)


def test_coordinate_matrices(tmp_path):
    fe = fe_of(sample())
    shutil.copy(SAMPLES / "box.inp", tmp_path)
    for name, a in (("STIF1", fe.K), ("MASS1", fe.M)):
        (tmp_path / f"box_{name}.mtx").write_text(mtx(sample(), a.toarray(), "coordinate"))
    assert np.allclose(frequencies(pl.flex.read(tmp_path / "box_MASS1.mtx")), frequencies(fe), rtol=1e-9)
    assert np.array_equal(six_rows(np.eye(3)), np.diag([1.0, 1, 1, 0, 0, 0]))


def test_other_files(tmp_path):
    with pytest.raises(ValueError, match=r"the ending '.stl' is none of .msh, .inp"):
        pl.flex.read(tmp_path / "a.stl")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        pl.flex.read(tmp_path / "a.inp")
    (tmp_path / "a.inp").write_text("\n\n")
    with pytest.raises(ValueError, match=r"a\.inp: is empty"):
        pl.flex.read(tmp_path / "a.inp")
    (tmp_path / "a.full").write_text("x")
    with pytest.raises((ImportError, ValueError), match="ansys"):
        pl.flex.read(tmp_path / "a.full")
    shutil.copy(SAMPLES / "box_matrices.sti", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"box_matrices\.mas"):
        pl.flex.read(tmp_path / "box_matrices.sti")


@pytest.mark.parametrize("write, ending", [(msh22, ".msh"), (msh41, ".msh"), (inp, ".inp"), (bdf, ".bdf")])
def test_numbers_from_zero(write, ending, tmp_path):
    """Nodes and elements that are numbered from 0 are the same part (gmsh), or refused with the line where numbers begin with 1."""
    mesh = box("hex20", (2, 1, 1))
    due = fe_of(mesh, STEEL)
    mesh.ids = mesh.ids - 1
    (tmp_path / f"part{ending}").write_text(write(mesh))
    if ending == ".msh":
        found = pl.flex.read(tmp_path / "part.msh", material=STEEL)
        assert abs(found.K - due.K).max() < 1e-12 * abs(due.K).max() and found.ids[0] == 0
    else:
        with pytest.raises(ValueError, match=rf"part{ending}:\d+: the node number 0 must be at least 1"):
            pl.flex.read(tmp_path / f"part{ending}", material=STEEL)


def test_meshes_alone():
    mesh = read_mesh(SAMPLES / "box.bdf")
    assert len(mesh.ids) == 20 and mesh.materials == {"MAT1 3": (210e9, 0.3, 7850.0)} and not mesh.unsupported


# -- the same simulation
def swing(fe):
    """Tip, elastic energy and reaction over time of a part that swings about a skew axis, on a spring at its other end."""
    ends = {"hub": {"plane": "x = 0", "position": (0, 0, 0)}, "tip": {"plane": "x = 0.2", "coupling": "average"}}
    part = pl.flex.reduce(fe, ends, modes=3)
    m = pl.Model("swing", gravity=(1.0, -2.0, -9.81))
    m.add(pl.ModalBody("rod", part, position=(0.1, -0.2, 0.3), rotation={"axis": (1, 2, 3), "angle": 0.7}, damping=0.1))
    m.add(pl.Revolute("hinge", m.ground.frame((0.1, -0.2, 0.3)), "rod.hub", axis=(0.3, 1.0, -0.4)))
    m.add(pl.SpringDamper("spring", m.ground.frame((0.5, 0.5, 0.5)), "rod.tip", stiffness=2e4, damping=20))
    sol = m.simulate(0.2, step=2e-4, integrator="generalized-alpha", output_step=1e-3, progress=False)
    return np.column_stack((sol["rod.tip.position"], sol["rod.tip.velocity"], sol.energy.elastic, sol["hinge.force"]))


@pytest.fixture(scope="module")
def due_swing():
    return swing(fe_of(sample()))


@pytest.mark.parametrize("file", FILES)
def test_the_same_simulation_through_every_reader(file, due_swing):
    """Positions, velocities and elastic energy to 1e-9 of their largest values; the reaction, in which the accelerations of modes of 20 kHz
    magnify rounding, to 1e-7. DMIG has no elements, so no stiffening, and is rounded to ten digits: so is what it is compared with."""
    found = pl.flex.read(SAMPLES / file, **options_of(file, SAMPLES))
    due = due_swing
    if "dmig" in file:
        fe = fe_of(sample())
        due = swing(pl.flex.from_matrices(fe.nodes, *(np.vectorize(lambda v: float(f"{v:.9e}"))(a.toarray()) for a in (fe.K, fe.M))))
        assert abs(due - due_swing).max() > 0
    error = abs(swing(found) - due).max(axis=0) / abs(due).max(axis=0)
    assert error[:7].max() < 1e-9 and error[7:].max() < 1e-7
