"""What a notebook shows: asked for as IPython asks, and everything from users escaped."""

import io
import re
from html.parser import HTMLParser

import mechanisms
import numpy as np
import pytest
from PIL import Image

import pliant as pl
from pliant.plot import pictures
from pliant.report.display import MOST, Film, html_table

formatters = pytest.importorskip("IPython.core.formatters")


class Cells(HTMLParser):
    """The texts of a page's cells; every tag that is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        if tag not in ("br", "img"):
            self.open.append(tag)
        if tag in ("td", "th", "p", "pre"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data


def shown(thing):
    """What a notebook gets, by kind."""
    data, _ = formatters.DisplayFormatter().format(thing)
    return data


def cells(thing):
    return Cells(shown(thing)["text/html"]).cells


@pytest.fixture(scope="module")
def sol():
    return mechanisms.slider_crank().simulate(0.1, step=1e-3)


def test_figures_are_shown(sol):
    for figure in (sol.plot("slider.position"), sol.snapshot(t=0.05)):
        picture = Image.open(io.BytesIO(shown(figure)["image/png"])).convert("L")
        assert picture.width > 300 and np.asarray(picture).std() > 5


def test_an_animation_is_shown_in_a_notebook(sol, tmp_path, monkeypatch):
    """A film of all frames that loops; without a notebook and a window it says what to do."""
    monkeypatch.setattr(pictures, "in_notebook", lambda: True)
    film = sol.animate(fps=5, size=(3, 2))
    assert isinstance(film, Film)
    found = re.fullmatch(r'<img alt="animation of slider crank" src="data:image/gif;base64,([\w+/=]+)">', shown(film)["text/html"])
    assert found
    picture = Image.open(film.save(tmp_path / "film.gif"))
    assert picture.n_frames == 21 and picture.info["loop"] == 0
    with pytest.raises(ValueError, match=r"must end in .gif"):
        film.save(tmp_path / "film.mp4")
    monkeypatch.setattr(pictures, "in_notebook", lambda: False)
    with pytest.raises(ValueError, match="there is no window to show it in"):
        sol.animate(fps=5, size=(3, 2))


def test_reports_are_tables(sol):
    """Model, check, run, equilibrium, modes and linear model: the words and numbers of their texts."""
    m = sol.model
    assert {"crank", "0.36", "revolute", "bodies"} <= {*cells(m), *re.findall(r"<caption[^>]*>(\w+)<", shown(m)["text/html"])}
    check = m.check()
    found = cells(check)
    assert found[0] == "check of 'slider crank'" and "degrees of freedom" in found
    assert len([c for c in found if c.startswith(("note", "warning"))]) == len(check.findings)
    run = dict(zip(cells(sol)[1::2], cells(sol)[2::2], strict=False))
    assert run["time"] == "0 to 0.1 s, 101 rows" and run["state"] == "complete"
    spring = pl.Model("spring", gravity=(0, 0, -9.81))
    spring.add(pl.RigidBody.sphere("ball", 0.1, mass=2))
    spring.add(pl.Prismatic("G", spring.ground, "ball", axis="z"))
    spring.add(pl.AxialSpring("S", "G", stiffness=200.0))
    static = cells(spring.static())
    assert "equilibrium of 'spring'" in static and "(0, 0, -0.0981)" in static
    assert f"{np.sqrt(200 / 2) / (2 * np.pi):.6g}" in cells(spring.modes(state="static"))
    assert "equilibrium" not in shown(sol.summary())["text/html"] and "<pre" in shown(sol.summary())["text/html"]
    assert shown(sol.summary())["text/plain"] == sol.summary()
    assert "0 to 0.1 s" in shown(m.assemble())["text/html"] or "assembled" in shown(m.assemble())["text/html"]


def test_names_are_escaped():
    """A model's name may hold anything; in a page it is text."""
    m = pl.Model('<img src=x onerror="alert(1)">&', gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.sphere("ball", 0.1, mass=2))
    run = m.simulate(0.01, step=1e-3)
    for thing in (m, m.check(), run, run.summary(), Film(b"", m.name)):
        text = shown(thing)["text/html"]
        assert "<img src=x" not in text and "&lt;img" in text
        Cells(text)
    assert "<script>" not in html_table(("<script>",), [("<script>",)], "<script>")


def test_long_tables_are_cut():
    assert Cells(html_table(("k",), [(k,) for k in range(500)])).cells[-1] == f"and {500 - MOST} more rows"
