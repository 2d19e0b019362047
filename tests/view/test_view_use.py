"""Using the page in a real browser: keys, selection, plots, labels for screen readers, small and large screens, messages."""

import mechanisms
import numpy as np
import pytest
from browser import NAMELESS, OUTSIDE, PLACE, SMALL, Tab

import pliant as pl
from pliant.view.server import Server
from pliant.view.service import Service
from pliant.view.sources import ModelSource


def test_keys(crank_page):
    tab, sol = crank_page
    page = tab.page
    page.locator("canvas.scene").focus()
    playing, now = "pliant.app.player.playing", "pliant.app.player.time"
    page.keyboard.press("Home")
    assert tab(now) == 0
    page.keyboard.press(".")
    assert tab(now) == pytest.approx(sol.t[1])
    page.keyboard.press(".")
    page.keyboard.press(",")
    assert tab(now) == pytest.approx(sol.t[1])
    page.keyboard.press("End")
    assert tab(now) == pytest.approx(0.6)
    page.keyboard.press("ArrowLeft")
    assert tab(now) == pytest.approx(0.588)
    page.keyboard.press(" ")
    assert tab(playing)
    page.keyboard.press(" ")
    assert not tab(playing)
    for key, name in {
        "g": "grid",
        "j": "joints",
        "f": "forces",
        "x": "contacts",
        "m": "events",
        "k": "frames",
        "w": "world",
        "n": "names",
        "l": "loop",
        "e": "edges",
        "u": "ghost",
        "p": "perspective",
    }.items():
        before = tab(f"pliant.app.store.now.{name}")
        page.keyboard.press(key)
        assert tab(f"pliant.app.store.now.{name}") is not before, name
        page.keyboard.press(key)
    page.keyboard.press("d")
    assert tab("document.documentElement.dataset.theme") == "dark"
    page.keyboard.press("d")
    page.keyboard.press("?")
    assert page.locator("dialog.help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog.help").is_visible()
    page.keyboard.press(">")
    assert tab("pliant.app.store.now.speed") == 2
    page.keyboard.press("<")
    assert tab.errors == []


def test_parts_are_selected_hidden_and_isolated(crank_page):
    tab, _ = crank_page
    page = tab.page
    page.get_by_role("button", name="slider rigid").click()
    assert page.get_by_role("heading", name="slider", exact=True).is_visible()
    assert "mass" in page.locator(".inspector dl").inner_text()
    page.keyboard.press("h")
    assert tab("pliant.app.first.shown('slider')") is False
    page.keyboard.press("i")
    assert tab("['crank', 'rod', 'slider'].filter(n => pliant.app.first.shown(n))") == ["slider"]
    page.keyboard.press("a")
    assert tab("['crank', 'rod', 'slider'].filter(n => pliant.app.first.shown(n))") == ["crank", "rod", "slider"]
    page.keyboard.press("o")
    tab.seek(0.1)
    before = tab("pliant.app.stage.controls.target.x")
    tab.seek(0.3)
    after = tab("pliant.app.stage.controls.target.x")
    moved = [mechanisms_slider(t) for t in (0.1, 0.3)]
    assert after - before == pytest.approx(moved[1] - moved[0], abs=1e-3)
    page.keyboard.press("o")
    page.keyboard.press("Escape")
    assert page.locator(".inspector").is_hidden()


def mechanisms_slider(t, r=0.15, l=0.3):
    """Place of the slider of mechanisms.slider_crank, whose crank turns at 10 rad/s."""
    return r * np.cos(10 * t) + np.sqrt(l**2 - (r * np.sin(10 * t)) ** 2)


def test_a_click_finds_what_is_there(crank_page):
    tab, _ = crank_page
    tab.seek(0.2)
    tab("pliant.app.select(''); pliant.app.stage.look('front')")
    tab.page.wait_for_timeout(200)
    x, y = tab(PLACE, "slider")
    tab("pliant.app.store.set({joints: false})")
    tab.page.mouse.move(x, y)
    tab.page.wait_for_timeout(120)
    tab.page.mouse.move(x + 1, y)
    assert tab.page.locator(".hint").inner_text() == "slider"
    tab.page.mouse.click(x, y)
    assert tab("pliant.app.selected") == "slider"
    tab("pliant.app.store.set({joints: true}); pliant.app.select(''); pliant.app.stage.look('home')")


def test_plots(crank_page):
    tab, sol = crank_page
    page = tab.page
    page.get_by_role("button", name="Plots").click()
    field = page.get_by_label("Add a channel to the plots")
    field.fill("slider.position.x")
    field.press("Enter")
    page.wait_for_selector(".series")
    field.fill("energy.kinetic")
    field.press("Enter")
    page.wait_for_function("document.querySelectorAll('canvas.plot').length === 2")
    tab.seek(0.3)
    assert float(page.locator(".series output").first.inner_text()) == pytest.approx(mechanisms_slider(0.3), rel=1e-4)
    lines = tab("pliant.app.plots.csv()").strip().splitlines()
    assert lines[0] == "t [s],slider.position.x [m],energy.kinetic [J]" and len(lines) == len(sol.t) + 1
    np.testing.assert_allclose(np.array([line.split(",") for line in lines[1:]], float)[:, 1], sol["slider.position.x"], rtol=1e-6)
    box = page.locator("canvas.plot").first.bounding_box()
    page.mouse.click(box["x"] + 64 + (box["width"] - 76) / 2, box["y"] + 40)
    assert tab("pliant.app.player.time") == pytest.approx(0.3, abs=0.005)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(200)
    assert len(tab("pliant.app.plots.csv()").strip().splitlines()) < 0.8 * len(lines)
    assert tab("pliant.app.plots.picture().width") > 200
    field.fill("slider.positon")
    field.press("Enter")
    page.wait_for_function("document.querySelector('.said').textContent.includes('no channel')")
    page.get_by_role("button", name="Close plots").click()
    assert tab.errors == []


def test_everything_has_a_name_for_screen_readers(crank_page):
    """Every control has an accessible name; the tab key reaches the main ones."""
    tab, _ = crank_page
    assert tab(NAMELESS) == []
    assert tab(SMALL) == 0
    tab("document.activeElement.blur(); document.body.focus()")
    reached = set()
    for _ in range(60):
        tab.page.keyboard.press("Tab")
        reached.add(tab("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.slice(0, 20)"))
    assert {"Play", "Time", "Speed", "Loop", "The mechanism", "Find a part"} <= reached


@pytest.mark.parametrize("size, scheme", [((320, 560), "dark"), ((3840, 2160), "light")])
def test_small_and_large_screens(browser, flexible, tmp_path, size, scheme):
    tab = Tab(browser, size, scheme).open(flexible.to_html(tmp_path / "run.html").as_uri())
    tab("pliant.app.plot('rod.position.x')")
    tab.page.wait_for_selector(".series")
    assert tab("document.documentElement.dataset.theme") == scheme
    assert tab("document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight")
    assert tab(OUTSIDE) == []
    assert (
        tab("Math.min(...[...document.querySelectorAll('.bar, .transport, .plots')].map(e => parseFloat(getComputedStyle(e).fontSize)))")
        >= 12
    )
    assert tab.errors == []
    tab.close()


def test_runs_are_compared(browser, tmp_path):
    a, b = (mechanisms.slider_crank(f).simulate(0.2, step=2e-3) for f in ("10 * t", "12 * t"))
    tab = Tab(browser).open(a.to_html(tmp_path / "two.html", b, channels=["A.angle"]).as_uri())
    tab("pliant.app.plot('A.angle')")
    tab.page.wait_for_function("document.querySelectorAll('.series').length === 2")
    tab.seek(0.2)
    values = [float(x) for x in tab.page.locator(".series output").all_inner_texts()]
    assert values == pytest.approx([2.0, 2.4])
    assert tab.errors == []
    tab.close()


def test_models_show_their_findings(browser):
    m = mechanisms.slider_crank()
    m.add(pl.RigidBody.sphere("loose", 0.01, mass=0.1, position=(0.2, 0.2, 0)))
    server = Server([Service(ModelSource(m))]).start()
    try:
        tab = Tab(browser).open(server.url)
        badge = tab.page.get_by_role("button", name="warning at loose")
        badge.click()
        assert "nothing acts on" in tab.page.locator(".inspector").inner_text() or "loose" in tab.page.locator(".inspector").inner_text()
        assert tab.page.locator(".transport").is_hidden()
        assert tab.errors == []
        assert {r.removeprefix(server.url).split("?")[0] for r in tab.requests} <= {"", "api/0/scene", "api/0/status"}
        tab.close()
    finally:
        server.stop()


def test_trouble_is_told_on_the_page(browser, tmp_path):
    path = tmp_path / "run.h5"
    mechanisms.slider_crank().simulate(0.1, step=1e-3).save(path)
    from pliant.view.open_viewer import services

    server = Server(services([str(path)])).start()
    try:
        tab = Tab(browser).open(server.url)
        path.write_bytes(path.read_bytes()[:3000])
        tab.page.wait_for_selector(".message:not([hidden])", timeout=8000)
        assert "run.h5" in tab.page.locator(".message").inner_text()
        tab.page.reload()
        tab.page.wait_for_selector("html[data-ready]", state="attached")
        tab.close()
    finally:
        server.stop()


def test_touch(browser, tmp_path):
    """A tap selects, a drag turns the view."""
    sol = mechanisms.slider_crank().simulate(0.2, step=2e-3)
    tab = Tab(browser, (412, 732), has_touch=True, is_mobile=True).open(sol.to_html(tmp_path / "run.html").as_uri())
    tab("pliant.app.store.set({joints: false}); pliant.app.stage.look('front')")
    tab.seek(0.1)
    tab.page.wait_for_timeout(200)
    tab.page.touchscreen.tap(*tab(PLACE, "slider"))
    tab.page.wait_for_timeout(100)
    assert tab("pliant.app.selected") == "slider"
    assert tab.page.locator(".inspector").is_visible()
    before = tab("pliant.app.stage.camera.position.toArray()")
    client = tab.context.new_cdp_session(tab.page)
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": 60, "y": 120}]})
    for k in range(1, 9):
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": 60 + 20 * k, "y": 120 + 5 * k}]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    tab.page.wait_for_timeout(300)
    assert abs(np.subtract(tab("pliant.app.stage.camera.position.toArray()"), before)).max() > 0.01
    assert tab.errors == []
    tab.close()
