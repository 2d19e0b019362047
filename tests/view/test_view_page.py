"""The built page is that of the sources, asks for nothing from elsewhere, and stays small with a run inside."""

import hashlib
import re
from pathlib import Path

import no_jit
import numpy as np
import pytest

import pliant as pl
from pliant.flex.reduced import Reduced, Skin
from pliant.view.page import template

ROOT = Path(__file__).parents[2]
VIEWER = ROOT / "viewer"
OTHERS = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")


def test_the_page_is_current():
    """The page holds the hash of what it was made from; `make viewer` builds it anew."""
    files = sorted([f"src/{p.relative_to(VIEWER / 'src').as_posix()}" for p in (VIEWER / "src").rglob("*") if p.is_file()] + list(OTHERS))
    digest = hashlib.sha256()
    for name in files:
        digest.update(f"{name}\n".encode() + (VIEWER / name).read_bytes() + b"\n")
    found = re.search(r'<meta name="pliant-source" content="(\w+)">', template())
    assert found and found[1] == digest.hexdigest(), "viewer/ has changed since the page was built: run 'make viewer'"


def test_the_page_is_one_file():
    page = template()
    assert len(page) < 800_000
    assert not re.search(r"<(?:script|link|img)[^>]*(?:src|href)=\"(?!data:)", page)
    assert not re.search(r"@import|url\((?!data:|#)", re.search(r"<style>.*?</style>", page, re.DOTALL)[0])


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (VIEWER / "package-lock.json").read_text()


def test_files_of_the_viewer_are_short():
    long = {str(p.name): n for p in (VIEWER / "src").rglob("*.ts") if (n := len(p.read_text().splitlines())) > 400}
    assert not long


def test_a_page_of_the_double_four_bar_is_small(tmp_path):
    path = no_jit.load("double_four_bar").run().to_html(tmp_path / "run.html")
    assert path.stat().st_size < 1.5e6


def tube(points=20_000, modes=20) -> Reduced:
    """A beam with a skin of many points; its shapes are interpolated from those of the mesh."""
    mesh = pl.flex.mesh_beam([(0, 0, 0), (2, 0, 0)], pl.Section.circle(0.1), pl.STEEL, elements=30)
    part = pl.flex.reduce(mesh, interfaces={"start": 0}, modes=modes)
    around, along = 40, points // 40
    x, a = np.repeat(np.linspace(0, 2, along), around), np.tile(2 * np.pi * np.arange(around) / around, along)
    at, psi = part.skin.points[:, 0], part.skin.psi
    shapes = np.array([[np.interp(x, at, psi[:, i, k]) for k in range(part.n)] for i in range(3)]).transpose(2, 0, 1)
    i, j = (m.ravel() for m in np.meshgrid(np.arange(along - 1), np.arange(around), indexing="ij"))
    k = (j + 1) % around
    cells = np.vstack(
        [
            np.column_stack([around * i + j, around * i + k, around * (i + 1) + k]),
            np.column_stack([around * i + j, around * (i + 1) + k, around * (i + 1) + j]),
        ]
    )
    part.skin = Skin(np.column_stack([x, 0.1 * np.cos(a), 0.1 * np.sin(a)]), cells[:, ::-1], shapes)
    return part


def large(bodies=1, part=None) -> pl.Model:
    """A chain of rods, and beside it a flexible body."""
    m = pl.Model("large", gravity=(0, 0, -9.81))
    last = m.ground
    for k in range(bodies):
        rod = m.add(pl.RigidBody.rod(f"rod{k}", (0.5 * k, 0, 0), (0.5 * k + 0.5, 0, 0), mass=1.0, radius=0.04))
        m.add(pl.Revolute(f"j{k}", last if k == 0 else last["end"], rod["start"], axis="yz"[k % 2]))
        last = rod
    if part is not None:
        m.add(pl.ModalBody("beam", part, position=(0, 3, 0)))
        m.add(pl.Fixed("hold", m.ground.frame((0, 3, 0)), "beam.start"))
    return m


def test_a_page_with_a_large_flexible_body_is_not_too_large(tmp_path):
    sol = large(1, tube()).simulate(0.2, step=1e-3)
    assert len(sol.model["beam"].reduced.skin.points) == 20_000 and sol.model["beam"].reduced.n == 20
    assert sol.to_html(tmp_path / "run.html").stat().st_size < 12e6


def test_pages_that_are_refused(tmp_path):
    sol = large(1).simulate(0.01, step=1e-3)
    with pytest.raises(ValueError, match=r"its name must end in \.html"):
        sol.to_html(tmp_path / "run.htlm")
    with pytest.raises(ValueError, match="rows = 1, must be at least 2"):
        sol.to_html(tmp_path / "run.html", rows=1)
    with pytest.raises(KeyError, match="did you mean"):
        sol.to_html(tmp_path / "run.html", channels=["rod0.positon"])
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        sol.to_html(tmp_path / "no" / "run.html")


def test_a_model_cannot_end_the_script(tmp_path):
    """Names come from files: they stay text inside the package."""
    sol = large(1).simulate(0.01, step=1e-3)
    sol.model.name = "</script><script>alert(1)</script>"
    text = sol.to_html(tmp_path / "run.html").read_text()
    assert "alert(1)" not in text
