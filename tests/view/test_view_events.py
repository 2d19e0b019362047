"""Contacts, events and structure in a real browser: arrows where Python has them, marks that lead to events, joints as they are."""

import mechanisms
import numpy as np
import pytest
from browser import NAMELESS, OUTSIDE, SMALL, Tab
from test_view_contacts import bouncing, slope

import pliant as pl
from pliant.items.declarations import VALUES, Told
from pliant.view.server import Server
from pliant.view.service import Service
from pliant.view.sources import SolutionSource

ARROW = """k => { const { arrows } = pliant.app.first, { mesh } = arrows, m = pliant.app.first.group.matrixWorld.clone();
  mesh.getMatrixAt(k, m);
  const e = m.elements; return [e[12], e[13], e[14], e[4], e[5], e[6]] }"""  # where it begins, and the whole of it
SHOWN = "[pliant.app.first.arrows.mesh.count, pliant.app.first.arrows.points.count]"


@pytest.fixture(scope="module")
def ball_page(browser, tmp_path_factory):
    sol = bouncing().simulate(0.6, accuracy=1e-5, output_step=1e-3)
    tab = Tab(browser, offline=True).open(sol.to_html(tmp_path_factory.mktemp("page") / "ball.html").as_uri())
    yield tab, sol
    tab.close()


def test_arrows_of_contacts(ball_page):
    """Where the ball touches, along the forces; their lengths as the forces; none while it flies; a switch of their own."""
    tab, sol = ball_page
    assert not tab("pliant.app.first.arrows.mesh.visible")
    tab.page.locator("canvas.scene").focus()
    tab.page.keyboard.press("x")
    tab.until("pliant.app.first.arrows.tracks.size === 3")
    rows = np.flatnonzero(sol["bounce.normal_force"] > 50)[:3]
    lengths = []
    for row in rows:
        tab.seek(float(sol.t[row]))
        push, rub = (np.array(tab(ARROW, k)) for k in (0, 1))
        np.testing.assert_allclose(push[:3], sol["bounce.center"][row], atol=1e-6)
        np.testing.assert_allclose(rub[:3], push[:3])
        lengths.append([np.linalg.norm(push[3:]), np.linalg.norm(rub[3:])])
        assert push[5] == pytest.approx(lengths[-1][0]) and -rub[3] == pytest.approx(lengths[-1][1])
        assert tab(SHOWN) == [2, 1]
    size = tab("pliant.app.first.header.size")
    due = np.column_stack([sol["bounce.normal_force"][rows], np.linalg.norm(sol["bounce.friction_force"][rows], axis=1)])
    usual = tab("pliant.app.first.arrows.largest.force")
    acts = sol["bounce.normal_force"][sol["bounce.normal_force"] > 0]
    assert np.quantile(acts, 0.75, method="lower") == pytest.approx(0.6 * usual, rel=1e-5)
    length = lambda f: 0.22 * size * np.where(f < usual, f / usual, 1 + np.log10(np.maximum(f, usual) / usual) / 2)  # noqa: E731
    lengths = np.array(lengths)
    np.testing.assert_allclose(lengths[:, 0], length(due[:, 0]), rtol=1e-4)
    np.testing.assert_allclose(lengths[:, 1] / lengths[:, 0], due[:, 1] / due[:, 0], rtol=1e-4)  # whatever the scale
    tab.seek(float(sol.t[5]))
    assert tab(SHOWN) == [0, 0]
    tab.page.keyboard.press("x")
    assert not tab("pliant.app.first.arrows.mesh.visible")
    assert tab.errors == []


def test_marks_lead_to_events(ball_page):
    """Keys, buttons and a click on the strip go to the instants of the run; what happened is said, and gone when the time goes on."""
    tab, sol = ball_page
    page, label = tab.page, tab.page.locator(".event")
    t = np.unique(sol.events.t)
    tab.seek(0.0)
    for k in (0, 1, 2):
        page.keyboard.press("]")
        assert tab("pliant.app.player.time") == pytest.approx(t[k], abs=1e-12)
    assert "bounce" in label.inner_text() and label.is_visible()
    page.get_by_role("button", name="Event before").click()
    assert tab("pliant.app.player.time") == pytest.approx(t[1], abs=1e-12)
    tab("pliant.app.player.seek(0.0)")
    tab("pliant.app.draw()")
    assert label.is_hidden()
    box = page.locator("canvas.marks").bounding_box()
    place = box["x"] + 7.5 + t[0] / 0.6 * (box["width"] - 15)
    page.mouse.move(place + 1, box["y"] + 6)
    assert label.inner_text().startswith(f"{float(f'{t[0]:.7g}'):g}"[:5]) and "touches" in label.inner_text()
    page.mouse.click(place + 1, box["y"] + 6)
    assert min(abs(tab("pliant.app.player.time") - t[:2])) < 1e-12  # touching and leaving are near each other
    page.mouse.move(10, 200)
    assert label.is_visible()  # until the time goes on
    page.keyboard.press("m")
    assert page.locator("canvas.marks").is_hidden() and page.get_by_role("button", name="Event after").is_hidden()
    page.keyboard.press("m")
    assert tab(NAMELESS) == [] and tab(SMALL) == 0 and tab.errors == []
    page.set_viewport_size({"width": 320, "height": 560})
    page.wait_for_timeout(200)
    assert tab(OUTSIDE) == []
    tab.seek(0.0)
    page.keyboard.press("]")
    told = label.bounding_box()
    assert told["x"] >= 0 and told["x"] + told["width"] <= 320
    page.set_viewport_size({"width": 960, "height": 640})


def test_plots_have_the_marks_of_what_they_show(ball_page):
    """Lines where the ball touches and leaves; none without the switch."""
    tab, sol = ball_page
    tab("pliant.app.plot('bounce.gap')")
    tab.page.wait_for_selector(".series")
    tab.seek(0.0)
    dark = """() => { const c = document.querySelector('canvas.plot'), w = c.width, d = c.getContext('2d').getImageData(0, 12, w, 1).data;
      return Array.from({length: w}, (_, i) => i).filter(i => d[4 * i] < 170 && i > 66 * w / c.clientWidth).length }"""
    tab("pliant.app.store.set({events: false})")
    without = tab(dark)
    tab("pliant.app.store.set({events: true})")
    assert tab(dark) >= without + 2
    assert tab("pliant.app.plots.events(pliant.app.plots.series, {from: 0, to: 1}).length") == len(sol.events)
    assert tab("pliant.app.plots.events(pliant.app.plots.series, {from: 0, to: 0.1}).length") == (sol.events.t <= 0.1).sum()
    tab("pliant.app.panel('plots', false)")


def test_names_are_never_html(browser, tmp_path):
    """Of events as they stand in a file."""
    sol = mechanisms.slider_crank().simulate(0.05, step=2e-3)
    evil = "<img src=x onerror=document.title='taken'>"
    sol.happened, sol.told = np.array([[0, 0.02, np.nan, np.nan], [0, 0.03, np.nan, np.nan]]), (Told(evil, (evil,), VALUES),)
    tab = Tab(browser).open(sol.to_html(tmp_path / "run.html").as_uri())
    tab("pliant.app.jump(1)")
    assert tab.page.locator(".event").inner_text().count(evil) == 2
    assert tab("document.querySelectorAll('.event *').length") == 0 and "taken" not in tab("document.title")
    tab.close()


def test_a_run_without_events_has_neither_marks_nor_buttons(crank_page):
    tab, _ = crank_page
    assert tab.page.locator("canvas.marks").is_hidden() and tab.page.get_by_role("button", name="Event after").is_hidden()
    before = tab("pliant.app.player.time")
    tab.page.keyboard.press("]")
    assert tab("pliant.app.player.time") == before and tab.errors == []


def test_joints_look_as_they_are(browser, tmp_path):
    """Held, locked, released, broken: from channels of the run, as rows have them."""
    m = pl.Model("gate", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("rod", mass=2.0, inertia=(0.1, 0.2, 0.05), position=(0.5, 0, 0)))
    m.add(pl.Revolute("hinge", "ground", "rod", at=(0, 0, 0), axis="y"))
    m.add(pl.RigidBody.sphere("ball", 0.1, mass=1.0, position=(0, 1, 0)))
    m.add(pl.Fixed("hook", "ground", "ball", at=(0, 1, 0)))
    for name, at, action in (("stop", 0.1, pl.Lock), ("go", 0.2, pl.Unlock), ("snap", 0.4, pl.Break)):
        m.add(pl.Event(name, f"t > {at}", [action("hinge")]))
    m.add(pl.Event("drop", "t > 0.3", [pl.Release("hook")]))
    sol = m.simulate(0.5, accuracy=1e-5, output_step=0.01)
    tab = Tab(browser).open(sol.to_html(tmp_path / "run.html").as_uri())
    tab.until("pliant.app.first.states.levels.size === 3")
    size = """k => { const { mesh } = pliant.app.first.symbols.kinds[k], m = mesh.matrixWorld.clone();
      mesh.getMatrixAt(0, m); return m.getMaxScaleOnAxis() / pliant.app.first.header.symbol }"""
    found = []
    for t in (0.05, 0.15, 0.25, 0.35, 0.45):
        tab.seek(t)
        states = (tab("n => pliant.app.first.states.of(n)", name) for name in ("hinge", "hook"))
        found.append((*states, *(round(tab(size, k), 3) for k in range(3))))
    assert found == [
        ("holds", "holds", 1, 1, 0),
        ("locked", "holds", 1, 1, 1),
        ("holds", "holds", 1, 1, 0),
        ("holds", "off", 1, 0.5, 0),
        ("broken", "off", 0, 0.5, 0),
    ]
    tab.seek(0.0)
    for due in ("locked", "holds", "holds", "broken"):  # at the instant itself, though the row before it does not know
        tab("pliant.app.jump(1); pliant.app.draw()")
        assert tab("pliant.app.first.states.of('hinge')") == due
    assert tab("pliant.app.first.events.kinds.map(k => k[1])").count("breaks") == 1 and tab.errors == []
    tab.close()


class Growing(SolutionSource):
    """The first rows of a run, and what happened until then."""

    live, have = True, 0

    def count(self):
        return self.have

    def read(self, names, rows):
        return super().read(names, slice(*rows.indices(self.have)))

    def times(self, rows):
        return super().times(slice(*rows.indices(self.have)))

    def events(self):
        whole = super().events()
        return whole[: int((whole.t <= self.sol.t[self.have - 1]).sum())]


def test_a_run_that_goes_on_shows_what_comes(browser):
    """Marks and arrows follow the rows."""
    sol = slope(restitution=0.0).simulate(0.05, accuracy=1e-6, output_step=1e-3)
    sol.happened, sol.told = np.array([[0, t, np.nan, np.nan] for t in (0.01, 0.03)]), (Told("touch", ("slides",), VALUES),)
    source = Growing(sol)
    source.have = 21
    server = Server([Service(source)]).start()
    try:
        tab = Tab(browser, (640, 420)).open(server.url)
        tab("pliant.app.store.set({contacts: true})")
        tab.until("pliant.app.first.arrows.tracks.size === 3")
        assert tab("pliant.app.first.events.count") == 1
        source.have = 51
        tab.until("pliant.app.first.events.count === 2")
        tab.until("pliant.app.first.arrows.tracks.get('touch.force').t.length === 51")
        assert tab.errors == []
        tab.close()
    finally:
        server.stop()
