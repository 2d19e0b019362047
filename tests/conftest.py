"""What tests in a browser share."""
import flexible_models
import mechanisms
import pytest
from browser import Tab, launched


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
