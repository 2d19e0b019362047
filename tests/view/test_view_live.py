"""A run that goes on, in the browser: large ones grow too, and what follows the end stays at the end."""

import mechanisms
import numpy as np
import pytest
from browser import Tab

from pliant.view import service as services
from pliant.view.server import Server
from pliant.view.service import Service
from pliant.view.sources import SolutionSource

NOW = "[pliant.app.player.time, pliant.app.player.end, pliant.app.first.timeline.stride, pliant.app.first.timeline.total]"
SLIDER = "[...pliant.app.first.poses.state.subarray(7 * pliant.app.first.header.bodies.find(b => b.name === 'slider').place).slice(0, 3)]"


class Growing(SolutionSource):
    """The first rows of a run; more are there after each `more`."""

    live = True

    def __init__(self, sol, rows):
        super().__init__(sol)
        self.have = rows

    def count(self):
        return self.have

    def read(self, names, rows):
        return super().read(names, slice(*rows.indices(self.have)))

    def times(self, rows):
        return super().times(slice(*rows.indices(self.have)))


@pytest.fixture
def long_run():
    return mechanisms.slider_crank().simulate(2.0, step=1e-3, output_step=1e-3)


@pytest.mark.parametrize("overview", [4096, services.OVERVIEW])
def test_a_run_that_goes_on_is_followed(browser, long_run, monkeypatch, overview):
    """The end moves on with the run, whether all its rows are in the page or some; between rows the motion is that of the run."""
    monkeypatch.setattr(services, "OVERVIEW", overview)
    source = Growing(long_run, 501)
    server = Server([Service(source)]).start()
    try:
        tab = Tab(browser, (640, 420)).open(server.url)
        time, end, stride, total = tab(NOW)
        assert total == 501 and (stride > 1) == (overview == 4096)
        assert time == end == long_run.t[500]  # it begins at the end, though that is no multiple of the stride
        for have in (900, 1403):
            source.have = have
            tab.until(f"pliant.app.first.timeline.total === {have}")
            time, end, *_ = tab(NOW)
            assert time == end == pytest.approx(long_run.t[have - 1], abs=1e-12)
            tab("pliant.app.draw()")
            np.testing.assert_allclose(tab(SLIDER), long_run["slider.position"][have - 1], atol=1e-6)
        tab("pliant.app.player.seek(0.5)")  # elsewhere it stays where it is
        source.have = 1704
        tab.until("pliant.app.first.timeline.total === 1704")
        assert tab(NOW)[0] == 0.5 and tab(NOW)[1] == pytest.approx(long_run.t[1703])
        for row in (700, 1600, 1702):  # rows that came later, in full
            tab("t => { pliant.seek(t); }", float(long_run.t[row]))
            tab.page.wait_for_timeout(300)
            tab.seek(float(long_run.t[row]))
            np.testing.assert_allclose(tab(SLIDER), long_run["slider.position"][row], atol=1e-6)
        assert tab.errors == []
        tab.close()
    finally:
        server.stop()


def test_following_outlasts_slow_answers_and_the_end_of_the_run(browser, long_run):
    """The key End while rows are on their way, and the change from the journal to the file of results: still at the end."""
    source = Growing(long_run, 501)
    server = Server([Service(source)]).start()
    try:
        tab = Tab(browser, (640, 420)).open(server.url)
        tab("pliant.app.player.seek(0.1)")
        tab("""() => { const t = pliant.app.first.timeline, grow = t.grow.bind(t);
          t.grow = async (n) => { const done = grow(n); pliant.app.player.seek(pliant.app.player.end); await done; } }""")
        source.have = 1001
        tab.until("pliant.app.first.timeline.total === 1001")
        tab.page.wait_for_timeout(100)
        assert tab(NOW)[0] == tab(NOW)[1] == pytest.approx(long_run.t[1000])
        source.have, source.version, source.live = 2001, 1, False
        tab.until("pliant.app.first.timeline.total === 2001")
        tab.page.wait_for_timeout(100)
        assert tab(NOW)[0] == tab(NOW)[1] == pytest.approx(2.0)
        assert not tab("pliant.app.player.live")
        tab.close()
    finally:
        server.stop()


def test_overviews_of_runs_that_grow_stay_small(browser, long_run):
    """Beyond a size every second row is left out; the last one never is."""
    source = Growing(long_run, 301)
    server = Server([Service(source)]).start()
    try:
        tab = Tab(browser, (640, 420)).open(server.url)
        script = """async () => { const { timeline } = pliant.app.first, rows = [];
          timeline.most = 400;
          await timeline.grow(1500);
          return [timeline.stride, timeline.total, timeline.t.length, timeline.t[timeline.t.length - 1], timeline.t[1]] }"""
        source.have = 1500
        stride, total, kept, last, second = tab(script)
        assert stride == 4 and total == 1500 and kept == 376  # 0, 4 ... 1496 and 1499
        assert last == long_run.t[1499] and second == long_run.t[4]
        tab.close()
    finally:
        server.stop()
