"""The page for everybody: thin bodies, browsers without WebGL, readers of the screen, and facts that can be read."""

import io
from pathlib import Path

import axe_playwright_python
import mechanisms
import numpy as np
import pytest
from browser import PLACE, Tab, without_webgl
from PIL import Image

import pliant as pl
from pliant.view.describe import Description
from pliant.view.item_facts import facts_of
from pliant.view.report_page import write_report
from pliant.view.server import Server
from pliant.view.service import Service
from pliant.view.sources import ModelSource, SolutionSource

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def broken(tab):
    """Rules of axe that the page breaks, and where."""
    tab.page.wait_for_timeout(200)
    tab(AXE)
    found = tab("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [(rule["id"], [node["html"][:100] for node in rule["nodes"]]) for rule in found]


@pytest.fixture(scope="module")
def wire():
    """A pendulum 2 m long and a hundredth of a millimetre thick: a hundredth of a pixel."""
    m = pl.Model("wire", gravity=(0, -9.81, 0))
    m.add(pl.RigidBody.rod("rod", (0, 0, 0), (2, 0, 0), mass=1, radius=5e-6))
    m.add(pl.Revolute("A", m.ground, "rod.start", axis="z"))
    return m.simulate(0.1, step=1e-2)


def colours(tab, name):
    """Pixels of the column through the middle of a body that are not the background."""
    tab("pliant.app.store.set({joints: false, grid: false, edges: false, perspective: false}); pliant.app.stage.look('front')")
    tab.seek(0.0)
    tab.page.wait_for_timeout(300)
    x, y = tab(PLACE, name)
    picture = np.asarray(Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB"), int)
    column = picture[round(y) - 20 : round(y) + 20, round(x)]
    return int((np.ptp(column, axis=1) > 40).sum()), (x, y)


def test_bodies_thinner_than_a_pixel_are_seen_and_clicked(browser, wire, tmp_path):
    tab = Tab(browser).open(wire.to_html(tmp_path / "wire.html").as_uri())
    thick, (x, y) = colours(tab, "rod")
    assert 2 <= thick <= 4
    tab.page.mouse.click(x, y + 1)
    assert tab("pliant.app.selected") == "rod"
    assert tab.errors == []
    tab.close()


def test_thick_bodies_keep_their_size(browser, tmp_path):
    """A rod 0.2 m thick is as thick on the screen as its ends are apart, by its proportion."""
    m = pl.Model("bar", gravity=(0, -9.81, 0))
    m.add(pl.RigidBody.rod("rod", (0, 0, 0), (2, 0, 0), mass=1, radius=0.1))
    m.add(pl.Revolute("A", m.ground, "rod.start", axis="z"))
    tab = Tab(browser).open(m.simulate(0.1, step=1e-2).to_html(tmp_path / "bar.html").as_uri())
    colours(tab, "rod")
    left, right = (tab(PLACE, f"rod.{end}") for end in ("start", "end"))
    picture = np.asarray(Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB"), int)
    column = picture[44:580, round((left[0] + right[0]) / 2)]
    assert int((np.ptp(column, axis=1) > 25).sum()) == pytest.approx((right[0] - left[0]) / 10, abs=2)
    tab.close()


def test_without_webgl_the_page_is_usable(browser, wire, tmp_path):
    """A sentence, the mechanism painted on a canvas, plots, and clicks."""
    sol = mechanisms.slider_crank().simulate(0.3, step=2e-3)
    with without_webgl(browser) as plain:
        tab = Tab(plain).open(sol.to_html(tmp_path / "run.html").as_uri())
        assert tab("document.createElement('canvas').getContext('webgl2')") is None
        assert "no WebGL" in tab.page.locator(".notice").inner_text()
        tab("pliant.app.store.set({joints: false, edges: false, perspective: false}); pliant.app.stage.look('front')")
        tab.seek(0.2)
        tab.page.wait_for_timeout(300)
        picture = Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB")
        for body in tab("pliant.app.first.header.bodies.map(({name, color}) => ({name, color}))"):
            x, y = tab(PLACE, body["name"])
            due = np.array([int(body["color"][k : k + 2], 16) for k in (1, 3, 5)], float)
            found = np.array(picture.getpixel((round(x), round(y))), float)
            assert due @ found / (np.linalg.norm(due) * np.linalg.norm(found)) > 0.97 and np.ptp(found) > 25
        tab.page.mouse.click(*tab(PLACE, "slider"))
        assert tab("pliant.app.selected") == "slider"
        tab("pliant.app.plot('slider.position.x')")
        tab.page.wait_for_selector(".series")
        assert tab.errors == []
        tab.close()
        tab = Tab(plain).open(wire.to_html(tmp_path / "wire.html").as_uri())
        assert colours(tab, "rod")[0] >= 1
        tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rule_of_axe_is_broken(browser, flexible, tmp_path, scheme):
    tab = Tab(browser, scheme=scheme).open(flexible.to_html(tmp_path / "run.html").as_uri())
    assert broken(tab) == []
    tab("pliant.app.select('rod'); pliant.app.store.set({colorBy: 'displacement', names: true})")
    tab("pliant.app.plot('rod.position')")
    assert broken(tab) == []
    tab("pliant.app.select('')")
    tab.page.locator("summary[aria-label=Display]").click()
    assert broken(tab) == []
    tab("pliant.app.help()")
    assert broken(tab) == []
    tab.close()


def test_no_rule_of_axe_is_broken_by_models_and_reports(browser, tmp_path):
    m = mechanisms.slider_crank()
    m.add(pl.RigidBody.sphere("loose", 0.01, mass=0.1, position=(0.2, 0.2, 0)))
    server = Server([Service(ModelSource(m))]).start()
    try:
        tab = Tab(browser).open(server.url)
        assert broken(tab) == []
        tab.page.get_by_role("button", name="warning at loose").click()
        assert broken(tab) == []
        tab.page.goto(write_report(mechanisms.slider_crank().simulate(0.1, step=1e-3), tmp_path / "report.html").as_uri())
        assert broken(tab) == []
        tab.close()
    finally:
        server.stop()


# -- facts
def test_facts_have_units_and_words(flexible):
    """No Python in what is told: no braces, no None; numbers with their units."""
    from every_kind import every_kind

    rod = flexible.model["rod"].model_copy(update={"damping": {"stiffness": 5e-6}})
    assert ("damping", "stiffness 5e-06 s") in facts_of(rod)
    facts = {label: text for label, text in facts_of(pl.SpringDamper("S", "ground", "A", "12 N/mm", 3, length="20 cm"))}
    assert (facts["stiffness"], facts["damping"], facts["length"]) == ("12000 N/m", "3 N s/m", "0.2 m")
    facts = dict(facts_of(pl.TorsionSpring("S", "J", 2.0, "v^3", "30 deg")))
    assert (facts["stiffness"], facts["damping"], facts["angle"]) == ("2 N m", "v^3", "0.523599 rad")
    facts = dict(facts_of(pl.Bushing("B", "ground", "A", stiffness=(1, 2, 3, 4, 5, 6))))
    assert facts["stiffness"] == "1, 2, 3 N/m; 4, 5, 6 N m/rad"
    assert dict(facts_of(pl.Force("F", "A", (1, "2*t", 0))))["vector"] == "1, 2*t, 0 [N]"
    texts = [text for _, cls in every_kind() for item in cls.example("ground", "B") for _, text in facts_of(item)]
    texts += [text for _, text in SolutionSource(flexible).facts()]
    for text in texts:
        assert not any(word in text for word in ("{", "}", "None", "array(", "<")), text
    assert not any("None" in text for _, text in Description(SolutionSource(flexible)).header["facts"])


def test_the_inspector_shows_where_a_body_is_now(browser, flexible, tmp_path):
    tab = Tab(browser).open(flexible.to_html(tmp_path / "run.html").as_uri())
    tab("pliant.app.select('slider')")
    for row in (0, 40, 77):
        tab.seek(float(flexible.t[row]))
        text = tab.page.locator(".inspector dd.now").inner_text()
        assert text.endswith(" m")
        np.testing.assert_allclose([float(x) for x in text[:-2].split(",")], flexible["slider.position"][row], rtol=1e-4, atol=1e-6)
    wide = tab("[...document.querySelectorAll('.inspector dd')].map(e => e.clientWidth)")
    assert min(wide) > 150
    assert tab("[...document.querySelectorAll('.inspector dt, .inspector dd')].every(e => e.scrollWidth <= e.clientWidth + 1)")
    tab.close()
