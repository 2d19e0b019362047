"""Tables of channels: columns by component, units, files, structured arrays and data frames."""
import builtins

import numpy as np
import pytest
from mechanisms import slider_crank

import pliant as pl
from pliant.channel_values.components import components


@pytest.fixture(scope="module")
def sol() -> pl.Solution:
    m = slider_crank()
    m.add(pl.Group("moving", ["crank", "slider"]))
    return m.simulate(0.1, step=1e-3)


def test_columns_and_units(sol):
    table = sol.table(["A.angle", "moving.momentum", "crank.rotation", "slider.position.x", "motor.*"])
    assert list(table) == ["t", "A.angle", *(f"moving.momentum.{c}" for c in "xyz"), *(f"crank.rotation.{c}" for c in "wxyz"),
                           "slider.position.x", "motor.effort", "motor.power"]
    assert list(table.units.values()) == ["s", "rad", *["kg*m/s"] * 3, *[""] * 4, "m", "N*m", "W"]
    assert len(table) == 12 and "motor.power" in table and table.heads[1] == "A.angle [rad]"
    np.testing.assert_array_equal(table["moving.momentum.y"], sol["moving.momentum"][:, 1])
    np.testing.assert_array_equal(table["t"], sol.t)
    assert repr(table).startswith("ChannelTable(101 rows: t [s], A.angle [rad], ") and "columns" not in repr(table)


def test_what_a_notebook_shows(sol):
    """The first columns and rows."""
    table = sol.table()
    assert repr(table).endswith(f", … ({len(table)} columns))") and len(repr(table)) < 400
    page = table._repr_html_()
    assert page.count("<tr>") == 61 and page.count("<th") == 12 and "and 41 more rows" in page


def test_one_pattern_none_and_all(sol):
    assert list(sol.table("A.angle")) == ["t", "A.angle"]
    assert list(sol.table([])) == ["t"]
    assert {name.rpartition(".")[0] if name not in sol.units else name for name in sol.table() if name != "t"} == set(sol.channels)
    assert list(sol.table(["A.force", "A.force.x", "A.force"])) == ["t", "A.force.x", "A.force.y", "A.force.z"]


def test_unknown_channels(sol):
    with pytest.raises(KeyError, match=r"no channel 'A\.angel'; did you mean 'A\.angle'"):
        sol.table(["A.angel"])
    with pytest.raises(KeyError, match=r"no column 'A\.angel'; did you mean 'A\.angle'"):
        sol.table("A.angle")["A.angel"]
    for wrong in (5, None, ["A.angle", 3], {"A.angle"}):
        with pytest.raises(ValueError, match=r"table: .* must be channels, such as"):
            sol.table(wrong)


def test_csv(sol, tmp_path):
    sol.table(["A.angle", "moving.com.position", "crank.rotation.w"]).to_csv(tmp_path / "run.csv")
    head, *lines = (tmp_path / "run.csv").read_text().splitlines()
    assert head == "t [s],A.angle [rad],moving.com.position.x [m],moving.com.position.y [m],moving.com.position.z [m],crank.rotation.w"
    found = np.array([[float(x) for x in line.split(",")] for line in lines])
    expected = np.column_stack([sol.t, sol["A.angle"], sol["moving.com.position"], sol["crank.rotation.w"]])
    np.testing.assert_array_equal(found, expected)  # 17 digits lose nothing


def test_structured_array(sol):
    rows = sol.table(["A.angle", "slider.velocity"]).to_array()
    assert rows.dtype.names == ("t", "A.angle", "slider.velocity.x", "slider.velocity.y", "slider.velocity.z") and rows.shape == (101,)
    np.testing.assert_array_equal(rows["slider.velocity.x"], sol["slider.velocity.x"])


def test_data_frame(sol):
    pd = pytest.importorskip("pandas")
    frame = sol.table(["D.displacement", "slider.velocity"]).to_pandas()
    assert isinstance(frame, pd.DataFrame) and frame.index.name == "t"
    assert list(frame.columns) == ["D.displacement", "slider.velocity.x", "slider.velocity.y", "slider.velocity.z"]
    assert frame.attrs["units"]["slider.velocity.x"] == "m/s"
    np.testing.assert_array_equal(frame["slider.velocity.x"], sol["slider.velocity.x"])


def test_without_pandas(sol, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args, **kwargs)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"needs pandas: pip install pliant\[tables\]"):
        sol.table("A.angle").to_pandas()


def test_of_a_file(sol, tmp_path):
    sol.save(tmp_path / "run.h5", record=["A.*"])
    table = pl.load(tmp_path / "run.h5").table(["A.angle", "moving.momentum", "A.power"])
    np.testing.assert_array_equal(table["moving.momentum.x"], sol["moving.momentum.x"])
    assert table.units["A.power"] == "W"


def test_components_of_any_size():
    """None is left out of a table: what has no letters is numbered."""
    assert [components("x", n) for n in (1, 2, 3, 4, 5)] == [(), ("1", "2"), ("x", "y", "z"), ("w", "x", "y", "z"), tuple("12345")]
