"""The page in a real browser: no errors, nothing from the network, the mesh of Python, quick frames, keys and labels."""

import io
import json
import statistics
from pathlib import Path

import mechanisms
import numpy as np
import pytest
from browser import DEFORMED, NOTEBOOK, PLACE, Tab
from PIL import Image
from test_view_page import large, tube

import pliant as pl
from pliant.items.base import matrix_of
from pliant.view.server import Server
from pliant.view.service import Service
from pliant.view.skins import skin_of
from pliant.view.sources import SolutionSource

SCREENS = Path(__file__).parent / "screens"


@pytest.fixture(scope="module")
def flexible_page(browser, flexible, tmp_path_factory):
    path = flexible.to_html(tmp_path_factory.mktemp("page") / "flexible.html")
    tab = Tab(browser, offline=True).open(path.as_uri())
    yield tab
    tab.close()


def test_a_page_from_disk_asks_for_nothing(crank_page):
    tab, _ = crank_page
    assert len(tab.requests) == 1 and tab.requests[0].startswith("file:")
    assert tab.errors == []
    assert tab("document.title") == "slider crank – pliant"


def test_the_deformed_mesh_is_that_of_python(flexible_page, flexible):
    """x = p + R (u0 + psi q), at rows and, with the scale of the deformation, beside them."""
    tab = flexible_page
    part = flexible.model["rod"].reduced
    skin = skin_of(part, 1.0)
    assert abs(flexible["rod.modal"]).max() > 1e-5
    for row in (0, 13, 57, 100):
        tab.seek(float(flexible.t[row]))
        found = np.array(tab("pliant.points('rod')")).reshape(-1, 3)
        R, p = matrix_of(flexible["rod.rotation"][row]), flexible["rod.position"][row]
        due = p + (skin.points + skin.psi @ flexible["rod.modal"][row]) @ R.T
        np.testing.assert_allclose(found, due, rtol=0, atol=1e-6)
        undeformed = p + skin.points @ R.T
        if row:
            assert abs(due - undeformed).max() > 2e-6  # there is something to see
    for count in range(1, part.n + 1):  # some modes only, of any size
        q = np.concatenate([np.random.default_rng(count).normal(size=count), np.zeros(part.n - count)])
        found = tab(DEFORMED, q.tolist())
        np.testing.assert_allclose(np.reshape(found, (-1, 3)), skin.points + skin.psi @ q, atol=3e-6 * abs(skin.psi @ q).max())
    assert tab.errors == []


def test_between_rows_the_motion_is_interpolated(crank_page):
    """A crank that turns evenly: the page agrees with the exact place to the second order of the step."""
    tab, _sol = crank_page
    for t in (0.1003, 0.31117):
        tab.seek(t)
        found = np.array(
            tab(
                "(() => { const m = pliant.app.first.mark('crank.end'); const p = pliant.app.first.poses; "
                "const v = m.position(p, m.point.clone()); return [v.x, v.y, v.z] })()"
            )
        )
        np.testing.assert_allclose(found, [0.15 * np.cos(10 * t), 0.15 * np.sin(10 * t), 0], atol=0.15 * (10 * 2e-3) ** 2)


def test_colours_and_their_legend(flexible_page, flexible):
    tab = flexible_page
    tab("pliant.app.store.set({colorBy: 'displacement'})")
    tab.seek(0.05)
    legend = tab.page.locator(".legend")
    assert legend.is_visible()
    part = flexible.model["rod"].reduced
    most = max(np.linalg.norm(skin_of(part, 1.0).psi @ q, axis=1).max() for q in flexible["rod.modal"])
    assert tab("pliant.app.first.largest('displacement')") == pytest.approx(most, rel=0.05)
    values = np.array(tab("Array.from(pliant.app.first.bodies.find(b => b.skin).skin.values)"))
    due = np.linalg.norm(skin_of(part, 1.0).psi @ flexible["rod.modal"][50], axis=1)
    np.testing.assert_allclose(values, due, rtol=1e-4, atol=1e-9)
    assert tab("pliant.app.first.colorings().map(c => c.name)") == ["displacement"]
    tab("pliant.app.store.set({colorBy: 'body'})")
    assert not legend.is_visible()


def test_stresses_where_a_part_has_them(browser, flexible, tmp_path):
    """A part that knows its stresses by coordinates can be coloured by them: von Mises and energy density against closed forms."""
    part = flexible.model["rod"].reduced
    skin, rng = skin_of(part, 1.0), np.random.default_rng(2)

    class Recovery:
        points, elastic = skin.points, np.tile([2e11, 0.3], (len(skin.points), 1))
        S = 1e12 * rng.normal(size=(len(skin.points), 6, part.n))

    before, part.stress = part.stress, Recovery
    try:
        tab = Tab(browser).open(flexible.to_html(tmp_path / "run.html").as_uri())
        assert tab("pliant.app.first.colorings().map(c => c.name)") == ["displacement", "stress", "strain energy"]
        q = flexible["rod.modal"][40]
        s = Recovery.S @ q
        a, shear = s[:, :3], s[:, 3:]
        mises = np.sqrt(((a - np.roll(a, 1, 1)) ** 2).sum(1) / 2 + 3 * (shear**2).sum(1))
        energy = (1.3 * ((a**2).sum(1) + 2 * (shear**2).sum(1)) - 0.3 * a.sum(1) ** 2) / 4e11
        for name, due in (("stress", mises), ("strain energy", energy)):
            tab("n => pliant.app.store.set({colorBy: n})", name)
            tab.seek(float(flexible.t[40]))
            found = np.array(tab("Array.from(pliant.app.first.bodies.find(b => b.skin).skin.values)"))
            np.testing.assert_allclose(found, due, rtol=1e-3, atol=1e-4 * due.max())
        tab.close()
    finally:
        part.stress = before


def test_bodies_are_seen_where_they_are(crank_page):
    """The colour of each body at the place where its middle is projected to, in the front view without perspective."""
    tab, _sol = crank_page
    tab("pliant.app.store.set({joints: false, edges: false, perspective: false}); pliant.app.stage.look('front')")
    tab.seek(0.2)
    tab.page.wait_for_timeout(300)
    colors = {b["name"]: b["color"] for b in tab("pliant.app.first.header.bodies.map(({name, color}) => ({name, color}))")}
    places = [(*tab(PLACE, name), color) for name, color in colors.items()]
    picture = Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB")
    for x, y, color in places:
        due = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)], float)
        found = np.array(picture.getpixel((round(x), round(y))), float)
        alike = due @ found / (np.linalg.norm(due) * np.linalg.norm(found))
        assert alike > 0.97, (color, found)
        assert np.ptp(found) > 25  # not the background
    tab("pliant.app.store.set({joints: true, edges: true, perspective: true}); pliant.app.stage.look('home')")


def test_the_picture_stays_as_it_is(crank_page):
    """Against a picture that was looked at; software GL draws alike, small differences are allowed."""
    tab, _ = crank_page
    tab("pliant.app.select(''); pliant.app.stage.look('home')")
    tab.seek(0.2)
    tab.page.wait_for_timeout(500)
    data = tab.page.locator("canvas.scene").screenshot()
    found = Image.open(io.BytesIO(data)).convert("RGB").resize((320, 240))
    file = SCREENS / "slider_crank.png"
    if not file.exists():
        SCREENS.mkdir(exist_ok=True)
        found.save(file)
        pytest.fail(f"{file.name} was not there; it is now: look at it")
    difference = np.abs(np.asarray(found, int) - np.asarray(Image.open(file).convert("RGB"), int)).max(axis=2)
    assert (difference > 40).mean() < 0.02


def test_a_large_run_opens_soon_and_plays_smoothly(browser, tmp_path):
    """100 bodies, 10 000 rows, one flexible body of 20 000 points and 20 modes: a picture within 2 s, under 8 ms of script a frame."""
    part = tube()
    part.save(tmp_path / "part.h5")
    some = large(99, tmp_path / "part.h5").simulate(0.1, step=1e-3, integrator=pl.GeneralizedAlpha(0.8))
    rows, energies = (np.tile(x, (100, 1))[:10_000] for x in (some.rows, some.energies))
    rows[:, 0] = 1e-3 * np.arange(10_000)
    sol = pl.Solution(
        some.model, some.dynamics, rows, energies, some.quality, complete=True, method=some.method, step=1e-3, stride=1, memory={}
    )
    server = Server([Service(SolutionSource(sol))]).start()
    tiny = Server([Service(SolutionSource(large(1).simulate(0.1, step=1e-2)))]).start()
    try:
        first, least = [], []
        for _ in range(4):
            for times, one in ((least, tiny), (first, server)):
                tab = Tab(browser, (640, 420)).open(one.url)
                times.append(tab("Number(document.documentElement.dataset.first)") / 1000)
                if times is least or first[-1] > 2.0:
                    tab.close()
            if first[-1] < 2.0:
                break
        assert min(first) < max(2.0, 2 * min(least)), (first, least)  # where a run of one body takes a second, the machine is busy
        tab = tab if first[-1] < 2.0 else Tab(browser, (640, 420)).open(server.url)
        tab("pliant.app.store.set({colorBy: 'displacement'}); pliant.play()")
        spent = []
        for _ in range(4):  # the lower quartile of the best two seconds: the others tell of other work on the machine
            tab("pliant.app.script.length = 0")
            tab.page.wait_for_timeout(2000)
            spent.append(statistics.quantiles(tab("pliant.script()")[3:] or [99.0, 99.0], n=4)[0])
            if spent[-1] < 8.0:
                break
        assert min(spent) < 8.0, spent
        assert tab("pliant.app.first.bodies.length") == 100
        assert tab.errors == []
        tab.close()
    finally:
        server.stop()
        tiny.stop()


def test_the_notebook_frame(browser, tmp_path):
    """The widget's script in a page of its own, its model a stand-in that answers as Python does."""
    from pliant.view.notebook import answer, widget

    pytest.importorskip("anywidget")
    sol = mechanisms.slider_crank().simulate(0.1, step=1e-3)
    made = [Service(SolutionSource(sol))]
    tab = Tab(browser)
    questions = []

    def python(question):
        questions.append(question["what"])
        told, data = answer(made, question)
        return [told, list(data)]

    tab.page.expose_function("python", python)
    script = (Path(pl.__file__).parent / "view" / "widget.js").read_text().replace("export default { render };", "window.render = render;")
    tab.page.set_content("<div id=out></div>")
    tab.page.add_script_tag(content=script)
    tab(NOTEBOOK, widget(made).page)
    frame = tab.page.frames[-1]
    frame.wait_for_selector("html[data-ready=yes]", state="attached", timeout=20_000)
    frame.evaluate("pliant.app.plot('A.angle')")
    frame.wait_for_selector(".series")
    assert questions[0] == "scene" and "channel" in questions
    assert json.loads(frame.evaluate("JSON.stringify(pliant.app.first.header.rows)")) == len(sol.t)
    tab.close()


def test_enlarged_deformation_keeps_joints_together(flexible_page, flexible):
    """As Python draws it: to single precision, joints closed at the moment that is shown."""
    from pliant.view.surfaces import at, motion, surfaces

    tab, source = flexible_page, SolutionSource(flexible)
    rod = next(p for p in surfaces(source) if p.name == "rod")
    moved = motion(source, surfaces(source), len(flexible.t), 100.0)
    tab("pliant.app.store.set({scale: 100})")
    frame = "n => { const a = pliant.app.first, m = a.mark(n); return m.position(a.poses, m.point.clone()).toArray() }"
    for row in (13, 57, 100):
        tab.seek(float(flexible.t[row]))
        np.testing.assert_allclose(tab(frame, "crank.end"), tab(frame, "rod.start"), atol=1e-6)
        slider = tab("[12, 13, 14].map(k => pliant.app.first.bodies[2].mesh.matrixWorld.elements[k])")
        np.testing.assert_allclose(slider, tab(frame, "rod.end"), atol=1e-6)
        np.testing.assert_allclose(slider[1:], flexible["slider.position"][row][1:], atol=1e-6)
        found = np.array(tab("pliant.points('rod')")).reshape(-1, 3)
        due, u = at(rod, moved, row)
        np.testing.assert_allclose(found, due, atol=0.02 * abs(u).max())  # single precision is enlarged, too
    tab("pliant.app.store.set({scale: 1})")
    tab.seek(0.0)
    assert tab.errors == []
