"""Fixtures that several rooms share."""
import flexible_models
import mechanisms
import pytest
from browser import Tab, launched

from pliant.methods.integrators.time_loop import run as runs


@pytest.fixture(scope="module")
def browser():
    with launched() as made:
        yield made


@pytest.fixture(scope="module")
def flexible():
    return flexible_models.slider_crank().simulate(0.1, accuracy="draft", output_step=1e-3)


@pytest.fixture(scope="module")
def crank_page(browser, tmp_path_factory):
    sol = mechanisms.slider_crank().simulate(0.6, step=2e-3)
    path = sol.to_html(tmp_path_factory.mktemp("page") / "crank.html")
    tab = Tab(browser, offline=True).open(path.as_uri())
    yield tab, sol
    tab.close()


@pytest.fixture
def one_slice(monkeypatch):
    """Python looks in after every few steps, so that a run can be stopped anywhere."""
    monkeypatch.setattr(runs, "SLICE", 1e-4)
