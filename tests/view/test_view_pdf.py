"""The report as PDF: no text lies over another, and none beside the sheet, however long names are."""

import mechanisms
import pytest
from matplotlib.transforms import Affine2D

import pliant as pl
from pliant.view import pdf_sheet
from pliant.view.report_page import _findings, _tables


def boxes(page):
    """Texts of a sheet and where they are, in points."""
    renderer = page.canvas.get_renderer()
    scale = 72 / page.dpi
    return [(t.get_text(), t.get_window_extent(renderer).transformed(Affine2D().scale(scale))) for t in page.texts]


def overlapping(page):
    found = boxes(page)
    inside = [(text, b) for text, b in found if text.strip()]
    out = [text for text, b in inside if b.x0 < 20 or b.x1 > pdf_sheet.WIDTH - 20 or b.y0 < 20 or b.y1 > pdf_sheet.HEIGHT - 20]
    for k, (one, a) in enumerate(inside):
        for two, b in inside[k + 1 :]:
            wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            out += [(one, two)] if wide > 0.5 and high > 2.0 else []
    return out


@pytest.fixture(scope="module")
def crowded():
    m = mechanisms.slider_crank()
    for k in range(20):
        name = f"a_body_with_quite_a_long_name_of_its_own_{k}" if k else "a" * 100
        m.add(pl.RigidBody.sphere(name, 0.01, mass=0.1, position=(0.2, 0.2 + 0.05 * k, 0)))
        m.add(pl.SpringDamper(f"spring_of_{name}"[:100], "ground", name, 100, 1))
    return m.simulate(0.01, step=1e-3)


def test_no_text_lies_over_another(crowded):
    sheets = pdf_sheet.pages(crowded.name, _tables(crowded), _findings(crowded), [])
    assert len(sheets) == 2
    assert sum(len(page.texts) for page in sheets) > 100
    for page in sheets:
        assert overlapping(page) == []


def test_dollars_are_no_formulas(tmp_path):
    m = pl.Model("from $1 to $2", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.sphere("ball", 0.1, mass=2))
    sol = m.simulate(0.01, step=1e-3)
    page, *_ = pdf_sheet.pages(sol.name, _tables(sol), _findings(sol), [])
    assert page.texts[0].get_text() == "from $1 to $2" and not page.texts[0].get_parse_math()
    page.savefig(tmp_path / "page.pdf")


def test_words_are_broken_where_they_do_not_fit():
    lines = pdf_sheet.wrapped("a " + "b" * 200 + " c", 100.0)
    assert "".join(lines).replace(" ", "") == "a" + "b" * 200 + "c"
    assert all(pdf_sheet.measured(line) <= 100 for line in lines)
    assert pdf_sheet.wrapped("", 100.0) == [""]
