"""A real browser for tests: Debian's Chromium with software GL, driven by Playwright. The test command installs it where it can."""

import os
import shutil
from contextlib import contextmanager

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
]
NO_WEBGL = [*(f for f in FLAGS if "swiftshader" not in f), "--disable-3d-apis"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def executable() -> str:
    """The browser; the test is skipped with the reason where there is none."""
    found = os.environ.get("PLIANT_CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), "")
    if not found:
        pytest.skip("no browser: Chromium is not installed (the package chromium of Debian), and PLIANT_CHROMIUM names none")
    return found


@contextmanager
def launched():
    playwright = pytest.importorskip("playwright.sync_api", reason="no browser: playwright is not installed")
    path = executable()
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def without_webgl(browser):
    """Another browser beside this one, that draws in two dimensions only."""
    other = browser.browser_type.launch(executable_path=executable(), args=NO_WEBGL)
    try:
        yield other
    finally:
        other.close()


class Tab:
    """A page that keeps what went wrong in it and what it asked for."""

    def __init__(self, browser, size=(960, 640), scheme="light", **options):
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, **options)
        self.page = self.context.new_page()
        self.errors, self.requests = [], []
        self.page.on(
            "console", lambda m: self.errors.append(m.text) if m.type in ("error", "warning") and "GPU stall" not in m.text else None
        )
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))
        self.page.on("request", lambda r: self.requests.append(r.url) if not r.url.startswith(("data:", "blob:")) else None)

    def open(self, url, state="yes"):
        self.page.goto(url)
        self.page.wait_for_selector(f"html[data-ready={state}]", state="attached", timeout=30_000)
        if state == "yes":
            self.page.evaluate("pliant.pause()")
        return self

    def __call__(self, script, *given):
        return self.page.evaluate(script, *given)

    def until(self, script, seconds=10.0):
        """Wait for an expression; the policy of the server's page does not let the browser do so."""
        for _ in range(int(20 * seconds)):
            if self(script):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"not within {seconds} s: {script}")

    def seek(self, t):
        self("t => pliant.seek(t)", t)

    def close(self):
        self.context.close()


PLACE = """name => { const a = pliant.app, m = a.first.mark(name), c = a.stage.canvas.getBoundingClientRect();
  const p = m.position(a.first.poses, m.point.clone()).project(a.stage.camera);
  return [c.left + (p.x + 1) / 2 * c.width, c.top + (1 - p.y) / 2 * c.height] }"""  # where a part is on the screen
NAMELESS = """() => [...document.querySelectorAll('button, input, select, canvas, summary, aside, section')]
  .filter(e => e.offsetParent !== null || e.tagName === 'ASIDE')
  .filter(e => !e.getAttribute('aria-label') && !e.getAttribute('aria-hidden'))
  .filter(e => !e.textContent.trim() && !e.closest('label')?.textContent.trim())
  .map(e => e.outerHTML.slice(0, 90))"""  # controls without a name for screen readers
SMALL = """() => [...document.querySelectorAll('.bar button, .transport button, .transport select')]
  .map(e => e.getBoundingClientRect()).filter(r => r.width && (r.width < 24 || r.height < 24)).length"""
OUTSIDE = """() => [...document.querySelectorAll('.bar > *, .transport > *')].filter(e => e.offsetParent !== null)
  .map(e => [e.className, e.getBoundingClientRect()])
  .filter(([c, r]) => r.right > innerWidth + 1 || r.bottom > innerHeight + 1 || r.left < -1).map(([c]) => c)"""
NOTEBOOK = """page => { const listeners = [];
  const model = { get: n => ({page, height: 400})[n], on: (_, f) => listeners.push(f), off() {}, send: async q => {
    const [error, data] = await window.python(q), bytes = new Uint8Array(data);
    for (const f of listeners) f({id: q.id, error}, [new DataView(bytes.buffer)]); } };
  window.render({ model, el: document.getElementById('out') }) }"""
DEFORMED = """q => { const { skin } = pliant.app.first.bodies.find(b => b.skin);
  skin.update(new Float32Array(q), 0, 1);
  return [...skin.points] }"""  # at once: the next frame that is drawn moves it back
