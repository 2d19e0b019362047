"""Tables and Python callables through the stack machine."""
import math
import subprocess
import sys

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from test_expression import NAMES, Pool

from pliant.functions.expression import Binary, Number, Variable
from pliant.functions.function import Table, compile_function
from pliant.functions.parser import parse
from pliant.kernels.jit import DISABLED

X, Y = np.array([0.0, 0.4, 1.0, 1.5, 2.5]), np.array([1.0, 3.0, 2.0, -1.0, 0.5])
INSIDE = np.linspace(0.01, 2.49, 57)


def test_cubic_table_against_scipy():
    pool, spline = Pool(), CubicSpline(X, Y)
    code = compile_function(Table(X, Y), ("t",), pool, "test")
    for t in INSIDE:
        assert pool.run(code.value, t) == pytest.approx(float(spline(t)), rel=1e-13, abs=1e-14)
        assert pool.run(code.by_t, t) == pytest.approx(float(spline(t, 1)), rel=1e-12, abs=1e-12)
        assert pool.run(code.by_tt, t) == pytest.approx(float(spline(t, 2)), rel=1e-12, abs=1e-12)
    assert code.by_x == code.by_v == -1
    np.testing.assert_allclose(Table(X, Y).evaluate(INSIDE), spline(INSIDE), rtol=1e-13, atol=1e-14)


def test_table_of_x_and_its_complex_step():
    for kind in ("cubic", "linear"):
        pool = Pool()
        code = compile_function(Table(X, Y, kind=kind), NAMES, pool, "test")
        assert code.by_t == code.by_tt == code.by_v == -1
        for x in INSIDE:
            assert pool.run(code.value, x=x) == pytest.approx(Table(X, Y, kind).evaluate(x), rel=1e-14)
            assert pool.run(code.value, x=x + 1e-30j).imag / 1e-30 == pytest.approx(pool.run(code.by_x, x=x), rel=1e-13)
            assert pool.run(code.by_x, x=x + 0j).imag == 0


def test_table_is_exact_at_the_points_and_constant_beyond():
    for table in (Table(X, Y), Table(X, Y, kind="linear"), Table(X[:3], Y[:3]), Table(X[:2], Y[:2])):
        pool = Pool()
        code = compile_function(table, ("t",), pool, "test")
        for x, y in zip(table.x, table.y, strict=True):
            assert pool.run(code.value, x) == pytest.approx(y, rel=1e-14)
        assert pool.run(code.value, -5.0) == table.y[0]
        assert pool.run(code.value, 50.0) == pytest.approx(table.y[-1], rel=1e-14)
        assert pool.run(code.by_t, -5.0) == pool.run(code.by_t, 50.0) == 0
        assert table.evaluate(-5.0) == table.y[0]
        assert math.isnan(pool.run(code.value, math.nan))


def test_linear_table():
    pool = Pool()
    code = compile_function(Table([0, 1, 3], [0, 2, 3], kind="linear"), ("t",), pool, "test")
    assert pool.run(code.value, 2.0) == 2.5
    assert pool.run(code.by_t, 2.0) == 0.5
    assert code.by_tt == -1
    natural = Table([0, 1, 3], [0, 2, 3])
    assert natural.coefficients[0, 2] == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize(("x", "y", "kind", "message"), [
    ([0, 1], [0, 1, 2], "cubic", "x has 2 values and y has 3"), ([0], [0], "cubic", "at least 2"),
    ([], [], "cubic", "at least 2"),
    ([0, 1, 1], [0, 1, 2], "cubic", r"x\[2\] = 1 follows x\[1\] = 1"), ([0, math.nan], [0, 1], "cubic", r"x\[1\] = nan"),
    ([0, 1], [0, math.inf], "cubic", r"y\[1\] = inf"), ([0, 1], [0, 1], "quintic", "'quintic', must be"),
    (["0", "1"], [0, 1], "cubic", "list of numbers"), ([[0, 1]], [0, 1], "cubic", "list of numbers"),
    (None, [0, 1], "cubic", "numbers"),
    ([0, 1], [True, False], "cubic", "numbers"), ([[0], [1, 2]], [0, 1], "cubic", "numbers"),
    ([0, 1e-300], [0, 1e30], "linear", "close"), ([0, 1e-300, 1, 2], [0, 1e30, 0, 0], "cubic", "close"),
    ([0, 1], [0, 1e300], "linear", "within")])
def test_table_errors(x, y, kind, message):
    with pytest.raises(ValueError, match="^table: .*" + message):
        Table(x, y, kind)


def test_table_is_frozen():
    table, x = Table(X, Y), [0.0, 1.0]
    with pytest.raises(AttributeError):
        table.kind = "linear"
    with pytest.raises(ValueError, match="read-only"):
        table.x[0] = 3
    held = Table(np.array(x), x)
    x[0] = 5.0
    assert held.x[0] == 0


def test_numbers_and_nodes():
    pool = Pool()
    for number in (3, 3.0, np.float64(3), np.int32(3), Number(3.0), "3", "3 N", parse("3")):
        code = compile_function(number, ("t",), pool, "test")
        assert pool.run(code.value) == 3
        assert code[1:6] == (-1, -1, -1, -1, ())
    assert pool.run(compile_function(Binary("*", Number(2.0), Variable("t")), ("t",), pool, "test").by_t) == 2


class Unjittable:
    """A callable that only Python can run."""
    def __init__(self):
        self.calls = 0

    def __call__(self, t):
        self.calls += 1
        return math.sin(3 * t)


def jittable(t):
    return math.sin(3 * t)


@pytest.mark.parametrize("f", [jittable, Unjittable(), lambda t, k=3: np.sin(k * t)], ids=["jitted", "interpreted", "default"])
def test_callables_of_time(f):
    pool = Pool()
    code = compile_function(f, ("t",), pool, "test")
    assert pool.run(code.value, 0.4) == pytest.approx(math.sin(1.2), rel=1e-14)
    assert pool.run(code.by_t, 0.4) == pytest.approx(3 * math.cos(1.2), rel=1e-11)
    assert pool.run(code.by_tt, 0.4) == pytest.approx(-9 * math.sin(1.2), rel=1e-8)
    assert code.by_x == code.by_v == -1
    assert not pool.failures


@pytest.mark.parametrize("w", [0.0, 0.1, 30.0, 1000 * math.pi, 1e5])
def test_rates_of_callables_at_any_frequency(w):
    """With an offset that rounds its values, and late: once at 500 Hz they were wrong by their size."""
    pool = Pool()
    code = compile_function(lambda t: 1.0 + math.sin(w * t), ("t",), pool, "test")
    for t in (0.0, 0.4, 7.7, 9.9):
        assert pool.run(code.by_t, t) == pytest.approx(w * math.cos(w * t), abs=1e-7 * w + 1e-12)
        assert pool.run(code.by_tt, t) == pytest.approx(-w * w * math.sin(w * t), abs=1e-6 * w * w + 1e-7)


@pytest.mark.parametrize("w", [0.1, 30.0, 1000 * math.pi, 1e5])
def test_rates_by_a_complex_step(w):
    """Where the function takes complex numbers, compiled or not: to rounding of its value, and of its argument."""
    for f in (lambda t: 1.0 + np.sin(w * t), Wrapped(lambda t: 1.0 + np.sin(w * t))):
        pool = Pool()
        code = compile_function(f, ("t",), pool, "test", rates=True)
        for t in (0.0, 0.4, 7.7, 9.9):
            assert pool.run(code.by_t, t) == pytest.approx(w * math.cos(w * t), abs=1e-15 * w)
            assert pool.run(code.by_tt, t) == pytest.approx(-w * w * math.sin(w * t), abs=(1e-10 + 1e-13 * w * t) * w * w + 1e-12 * w)
        assert not pool.failures


class Wrapped:
    """A function that only Python can run."""
    def __init__(self, f):
        self.f = f

    def __call__(self, t):
        return self.f(t)


KNOTS = np.linspace(-1.0, 12.0, 200)


def cut(t):
    """Complex numbers are made real on the way, with a warning."""
    return float(np.asarray(t).astype(float)) + np.cos(t)


@pytest.mark.parametrize(("f", "first", "second"), [
    (lambda t: np.abs(np.sin(3 * t)), lambda t: math.copysign(3, math.sin(3 * t)) * math.cos(3 * t), lambda t: -9 * abs(math.sin(3 * t))),
    (lambda t: np.real(t) * np.sin(t), lambda t: math.sin(t) + t * math.cos(t), lambda t: 2 * math.cos(t) - t * math.sin(t)),
    (lambda t: t.real**2 + t, lambda t: 2 * t + 1, lambda t: 2.0),
    (lambda t: np.sin(t) * np.conj(t), lambda t: math.sin(t) + t * math.cos(t), lambda t: 2 * math.cos(t) - t * math.sin(t)),
    (lambda t: np.interp(t, KNOTS, 2 * KNOTS) + np.cos(t), lambda t: 2 - math.sin(t), lambda t: -math.cos(t)),
    (lambda t: math.exp(t / 10), lambda t: math.exp(t / 10) / 10, lambda t: math.exp(t / 10) / 100),
    (lambda t: np.sin(t) if t < 5 else 2 * np.cos(t), lambda t: math.cos(t) if t < 5 else -2 * math.sin(t),
     lambda t: -math.sin(t) if t < 5 else -2 * math.cos(t)),
    (cut, lambda t: 1 - math.sin(t), lambda t: -math.cos(t)),
    (lambda t: np.sin(t) + abs(t) * 1e-3, lambda t: math.cos(t) + 1e-3, lambda t: -math.sin(t)),
], ids=["abs", "real", ".real", "conj", "interp", "math", "if", "cut", "small abs"])
def test_where_a_complex_step_would_be_wrong(f, first, second, recwarn):
    """Differences are taken, without a word."""
    for g in (f, Wrapped(f)):
        pool = Pool()
        code = compile_function(g, ("t",), pool, "test", rates=True)
        for t in (0.4, 2.3, 7.7):
            assert pool.run(code.by_t, t) == pytest.approx(first(t), abs=1e-10)
            assert pool.run(code.by_tt, t) == pytest.approx(second(t), abs=1e-6)
        assert not pool.failures
    assert not [w for w in recwarn if "Complex" in w.category.__name__]


def test_an_interrupt_in_a_complex_step_is_kept():
    def f(t):
        if isinstance(t, complex):
            raise KeyboardInterrupt
        return 2 * t
    pool = Pool()
    code = compile_function(Wrapped(f), ("t",), pool, "test", rates=True)
    pool.run(code.by_t, 0.4)
    with pytest.raises(KeyboardInterrupt):
        pool.failures.take()


def spring(t, x, v):
    return 100 * x**3 + 2 * v * x + t


@pytest.mark.parametrize("f", [spring, lambda t, x, v: spring(float(str(t)), x, v)], ids=["jitted", "interpreted"])
def test_callables_of_state(f):
    pool = Pool()
    code, at = compile_function(f, NAMES, pool, "test"), {"t": 0.5, "x": 0.3, "v": -2.0}
    assert pool.run(code.value, **at) == pytest.approx(spring(**at), rel=1e-14)
    assert pool.run(code.by_t, **at) == pytest.approx(1, rel=1e-9)
    assert pool.run(code.by_x, **at) == pytest.approx(300 * 0.09 - 4, rel=1e-8)
    assert pool.run(code.by_v, **at) == pytest.approx(0.6, rel=1e-8)
    z = pool.run(code.value, 0.5, 0.3 + 1e-20j, -2.0 + 2e-20j)
    assert z.real == pytest.approx(spring(**at), rel=1e-14)
    assert z.imag == pytest.approx((300 * 0.09 - 4) * 1e-20 + 0.6 * 2e-20, rel=1e-8)


def raises(t):
    if t > 1:
        raise ValueError("too late")
    return 2 * t


def divides(t):
    return 1 / t


@pytest.mark.parametrize(("f", "error"), [
    (raises, ValueError), (divides, ZeroDivisionError), (lambda t: math.sqrt(t - 10), ValueError), (lambda t: None, TypeError),
    (lambda t: "text", ValueError), (lambda t: 1j, TypeError), (lambda t: [t][int(t) + 3], IndexError),
    (lambda t: undefined, NameError)])  # noqa: F821
def test_exceptions_are_kept(f, error):
    pool = Pool()
    code = compile_function(f, ("t",), pool, "test")
    assert not pool.failures
    assert math.isnan(pool.run(code.value, 0.0 if f is divides else 2.0))
    assert isinstance(pool.failures.take()[0], error)
    for _ in range(100):
        pool.run(code.value, 0.0)
    assert len(pool.failures.take()) <= 10
    assert not pool.failures


def test_a_good_value_beside_an_exception():
    pool = Pool()
    assert pool.run(compile_function(raises, ("t",), pool, "test").value, 0.5) == 1.0
    assert not pool.failures


def integer_power(t):
    n = -2
    for _ in range(1):
        n = n - 1
    return 10**n + t


def test_numbas_own_arithmetic_is_not_taken_over():
    pool = Pool()
    assert pool.run(compile_function(integer_power, ("t",), pool, "test").value, 0.0) == pytest.approx(1e-3)


def test_python_is_not_run_when_compiling_what_cannot_be_jitted():
    f = Unjittable()
    compile_function(f, ("t",), Pool(), "test")
    assert f.calls == 0


def test_ufunc_and_builtin():
    pool = Pool()
    for f in (np.sin, math.sin):
        assert pool.run(compile_function(f, ("t",), pool, "test").value, 0.3) == pytest.approx(math.sin(0.3))


@pytest.mark.parametrize(("function", "variables", "message"), [
    (lambda: 0, ("t",), r"takes \(\), must take 1 argument: f\(t\)"), (lambda t, x: 0, ("t",), "must take 1 argument"),
    (lambda t: 0, NAMES, r"takes \(t\), must take 3 arguments: f\(t, x, v\)"), (np.add, ("t",), "takes 2 arguments"),
    (lambda *, t: 0, ("t",), "must take 1"), (True, ("t",), "true must be a number"), (None, ("t",), "no value is given"),
    (math.nan, ("t",), "finite"),
    ([1, 2], ("t",), r"\[1, 2\] must be a number, an expression"),
    (Variable("x"), ("t",), "variable 'x'"), (Binary("<", Number(1.0), Variable("t")),
    ("t",), "condition"),
    ("x", ("t",), "unknown name 'x'"), (max, ("t",), "cannot be found out")])
def test_function_errors(function, variables, message):
    with pytest.raises(ValueError, match="^drive 'motor': function: .*" + message):
        compile_function(function, variables, Pool(), "drive 'motor': function")


@pytest.mark.skipif(DISABLED, reason="there is nothing compiled")
def test_callables_are_jitted():
    pool = Pool()
    compile_function(jittable, ("t",), pool, "test")
    compile_function(Unjittable(), ("t",), pool, "test")
    assert isinstance(pool.keep[0], tuple)
    assert not isinstance(pool.keep[1], tuple)


def test_scipy_and_heavy_modules_wait():
    check = "import sys, pliant.functions; assert 'scipy.interpolate' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True, timeout=120)
