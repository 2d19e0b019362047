"""Tables of two variables, and tables beyond their ends: against SciPy's splines, their own derivatives by a complex step, and bounds."""
import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline, RegularGridInterpolator
from test_expression import Pool

import pliant as pl
from pliant.functions.derivative import derivative
from pliant.functions.enclosures import Enclosure
from pliant.functions.evaluation import values
from pliant.functions.expression import Lookup, Lookup2, Number, Variable
from pliant.functions.function import compile_function
from pliant.functions.parser import Names, parse

rng = np.random.default_rng(3)
X, Y = np.array([0.0, 0.5, 1.1, 2.0, 3.3]), np.array([-1.0, 0.0, 0.4, 1.5])
Z = rng.normal(size=(X.size, Y.size))


def names(kind, beyond="held", z=Z) -> Names:
    return Names(tables={"f": pl.Table2(X, Y, z, kind, beyond), "g": pl.Table(X, z[:, 0], kind, beyond)})


def run(node, t, x, v) -> complex:
    """By the stack machine."""
    pool = Pool()
    return complex(pool.run(compile_function(node, ("t", "x", "v"), pool, "test").value, t, complex(x), complex(v)))


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_values_are_those_of_scipy(kind):
    """Bilinear, and a spline in both directions; the stack machine gives the same."""
    other = RegularGridInterpolator((X, Y), Z) if kind == "linear" else RectBivariateSpline(X, Y, Z, kx=3, ky=3)
    table = pl.Table2(X, Y, Z, kind)
    for x, y in rng.uniform((0, -1), (3.3, 1.5), (30, 2)):
        due = float(np.squeeze(other((x, y)) if kind == "linear" else other(x, y)))
        assert float(table.evaluate(x, y)) == pytest.approx(due, abs=1e-12)
        assert run(Lookup2(table, Variable("x"), Variable("v")), 0, x, y).real == pytest.approx(due, abs=1e-12)


@pytest.mark.parametrize("beyond", ["held", "extrapolated"])
@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_beyond_the_edges(kind, beyond):
    """Constant, or along the last slope in each direction; of one variable and of two."""
    f, g, h = pl.Table2(X, Y, Z, kind, beyond), pl.Table(X, Z[:, 0], kind, beyond), 1e-5
    for x, y in [(-2.0, 0.2), (5.0, 0.2), (1.0, -4.0), (1.0, 9.0), (-1.0, -3.0), (4.0, 3.0)]:
        u, v = np.clip(x, X[0], X[-1]), np.clip(y, Y[0], Y[-1])
        inner = u + h * np.sign(u - x), v + h * np.sign(v - y)
        at, by_x, by_y, both = (float(f.evaluate(a, b)) for a, b in ((u, v), (inner[0], v), (u, inner[1]), inner))
        due = at
        if beyond == "extrapolated":
            sx, sy = ((p - at) / (q - w) if q != w else 0.0 for p, q, w in ((by_x, inner[0], u), (by_y, inner[1], v)))
            cross = (both - by_x - by_y + at) / ((inner[0] - u) * (inner[1] - v)) if inner[0] != u and inner[1] != v else 0.0
            due += (x - u) * sx + (y - v) * sy + (x - u) * (y - v) * cross
        assert float(f.evaluate(x, y)) == pytest.approx(due, rel=1e-4, abs=1e-3)
        assert run(Lookup2(f, Variable("x"), Variable("v")), 0, x, y).real == pytest.approx(float(f.evaluate(x, y)), abs=1e-12)
    for x in (-2.0, 5.0, 1.0):
        assert run(Lookup(g, Variable("x")), 0, x, 0).real == pytest.approx(float(g.evaluate(x)), abs=1e-13)
        end = X[0] if x < 0 else X[-1]
        if beyond == "held" and x != 1.0:
            assert float(g.evaluate(x)) == float(g.evaluate(end))


@pytest.mark.parametrize("beyond", ["held", "extrapolated"])
@pytest.mark.parametrize("kind", ["linear", "cubic"])
@pytest.mark.parametrize("text", ["f(x*t, sin(v))", "f(x, v)^2 + g(x + v)", "f(2*x - 3, 3*v)*x", "g(3*x - 4)"])
def test_slopes_are_those_of_a_complex_step(text, kind, beyond):
    """First derivatives by the stack machine's own complex numbers, second ones of the symbolic first ones; inside and outside."""
    node = parse(text, ("t", "x", "v"), names(kind, beyond))
    for t, x, v in rng.uniform((0.2, 0.1, -1.4), (1.0, 3.0, 1.9), (12, 3)):
        for by, step in (("x", (1e-30j, 0)), ("v", (0, 1e-30j))):
            slope = derivative(node, Variable(by))
            assert run(slope, t, x, v).real == pytest.approx(run(node, t, x + step[0], v + step[1]).imag / 1e-30, rel=1e-12, abs=1e-12)
            if kind == "cubic":
                second = derivative(slope, Variable("v"))
                due = run(slope, t, x, v + 1e-30j).imag / 1e-30
                assert run(second, t, x, v).real == pytest.approx(due, rel=1e-11, abs=1e-11)


def test_a_constant_argument_leaves_a_table_of_one_variable():
    for kind in ("linear", "cubic"):
        n = names(kind)
        assert isinstance(parse("f(x, 0.3)", ("x",), n), Lookup) and isinstance(parse("f(1, x)", ("x",), n), Lookup)
        assert isinstance(parse("f(1, 0.3)", (), n), Number)
        for x in (-1.0, 0.3, 2.7, 9.0):
            for text, at in (("f(x, 0.3)", (x, 0.3)), ("f(1.3, x)", (1.3, x))):
                due = float(n.tables["f"].evaluate(*at))
                assert run(parse(text, ("t", "x", "v"), n), 0, x, 0).real == pytest.approx(due, abs=1e-12)


@pytest.mark.parametrize("beyond", ["held", "extrapolated"])
@pytest.mark.parametrize("kind", ["linear", "cubic"])
@pytest.mark.parametrize("text", ["f(t, 1 - t)", "f(3*sin(t), t/2)", "g(4*t - 3)", "f(t^2, 0.1*t)*g(t)"])
def test_bounds_hold_over_intervals(text, kind, beyond):
    node = parse(text, ("t",), names(kind, beyond))
    begin = np.linspace(-1, 3, 41)
    end = begin + 0.1
    b = Enclosure(node).over(begin, end)[-1]
    times = begin[:, None] + np.linspace(0, 0.1, 50)
    found = values(node, times.ravel(), lambda _: np.zeros(1)).reshape(times.shape)
    assert (found >= b.low[:, None] - 1e-12).all() and (found <= b.high[:, None] + 1e-12).all()
    slopes = np.diff(found, axis=1) / (0.1 / 49)
    inside = np.isfinite(b.falls)
    assert (slopes[inside] >= b.falls[inside, None] - 1e-6).all() and (slopes[inside] <= b.rises[inside, None] + 1e-6).all()


@pytest.mark.parametrize(("arguments", "message"), [
    (([0, 1], [0, 1], [[1, 2]]), "z has 1 rows of 2, must be 2 rows"), (([0], [0, 1], [[1, 2]]), "x has 1 values"),
    (([0, 1], [1, 0], [[1, 2], [3, 4]]), "y must increase strictly"), (([0, 1], [0, 1], [[1, "a"], [3, 4]]), "z = "),
    (([0, 1], [0, 1], [[1, np.nan], [3, 4]]), "must be finite"), (([0, 1], [0, 1], [1, 2]), "must be a list of rows"),
    (([0, 1], [0, 1], [[1, 2], [3, 4]], "round"), "kind = 'round'"),
    (([0, 1], [0, 1], [[1, 2], [3, 4]], "linear", "zero"), "beyond = 'zero'")])
def test_tables_that_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        pl.Table2(*arguments)


# -- files
def test_tables_from_files(tmp_path):
    (tmp_path / "gas.csv").write_text("angle, pressure\n# a comment\n0, 1\n90, 12\n180, 3\n")
    table = pl.Table.from_csv(tmp_path / "gas.csv", "angle", "pressure", ("deg", "bar"), kind="linear")
    assert table == pl.Table(np.radians([0, 90, 180]), [1e5, 12e5, 3e5], "linear")
    (tmp_path / "map.txt").write_text("x 0 1 2\n10 1 2 3\n20 4 5 6\n")
    grid = pl.Table2.from_csv(tmp_path / "map.txt", ("mm", "", "kN"), kind="linear")
    assert grid == pl.Table2([0.01, 0.02], [0, 1, 2], [[1e3, 2e3, 3e3], [4e3, 5e3, 6e3]], "linear")
    (tmp_path / "plain.csv").write_text("0;1;2\n10;1;2\n20;4;5\n")
    assert pl.Table2.from_csv(tmp_path / "plain.csv").z.tolist() == [[1, 2], [4, 5]]


@pytest.mark.parametrize(("text", "options", "message"), [
    ("", {}, "is empty"), ("a,b\n1,2\n3\n", {}, "line 3: 1 entries, must be 2"), ("a,b\n1,x\n", {}, "line 2: 'x' is not a number"),
    ("a,b\n0,1\n1,2\n", {"x": "c"}, "no column 'c'"), ("0,1\n1,2\n", {"y": 5}, "columns 0 to 1"), ("# no\n", {}, "no lines with numbers"),
    ("0,1\n1,2\n", {"units": ["m"]}, "must be 2 units"), ("0,1\n1,2\n", {"units": ["m", "xyz"]}, "unknown unit"),
    (b"\xff\xfe\x00", {}, "UTF-8"),
    ("0,1\n0,2\n", {}, "must increase strictly"), ("0,nan\n1,2\n", {}, "must be finite")])
def test_files_that_are_refused(text, options, message, tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message):
        pl.Table.from_csv(file, **options)
    with pytest.raises(ValueError, match="not found"):
        pl.Table.from_csv(tmp_path / "none.csv")
