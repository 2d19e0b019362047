"""The table of units against pint, and the errors users see."""
import math
import re

import numpy as np
import pint
import pytest

from pliant.functions.units import _PREFIXED, _SINGLE, BASE, PREFIXES, UNITS, parse_unit, quantity, shown

REGISTRY = pint.UnitRegistry()
LONG = {"Nm": "N*m", "Nmm": "N*mm", "inch": "inch", "in": "inch", "Ω": "ohm", "°": "degree", "%": "percent",
    "rev": "revolution"}
PREFIX_NAMES = {"n": "nano", "u": "micro", "µ": "micro", "μ": "micro", "m": "milli", "c": "centi", "d": "deci", "da": "deca",
                "h": "hecto", "k": "kilo", "M": "mega", "G": "giga"}


def pint_value(text):
    """Factor to SI base units and the exponents, angle left out."""
    value = REGISTRY.Quantity(1.0, text).to_base_units()
    long = dict(zip(("meter", "kilogram", "second", "ampere", "kelvin", "mole", "candela"), range(7), strict=True))
    dimension = [0.0] * len(BASE)
    for name, exponent in value.unit_items():
        if name != "radian":
            dimension[long[name]] = float(exponent)
    return float(value.magnitude), tuple(dimension)


@pytest.mark.parametrize("name", [*_PREFIXED, *_SINGLE])
def test_units_against_pint(name):
    factor, dimension = pint_value(LONG.get(name, name))
    assert parse_unit(name).factor == pytest.approx(factor, rel=1e-15)
    assert parse_unit(name).dimension == dimension


@pytest.mark.parametrize("name", _PREFIXED)
def test_prefixed_units_against_pint(name):
    for prefix, long in PREFIX_NAMES.items():
        factor, dimension = pint_value(LONG.get(name, name))
        scale = REGISTRY.Quantity(1.0, long + "newton").to("newton").magnitude
        assert UNITS[prefix + name].factor == pytest.approx(scale * factor, rel=1e-14), prefix + name
        assert UNITS[prefix + name].dimension == dimension


def test_every_prefix_is_compared():
    assert set(PREFIX_NAMES) == set(PREFIXES)


def test_no_name_has_two_meanings():
    prefixed = [p + n for p in PREFIXES for n in _PREFIXED]
    names = [*prefixed, *_PREFIXED, *_SINGLE]
    double = {n for n in names if names.count(n) > 1}
    assert not double
    assert "t" not in UNITS


@pytest.mark.parametrize("text", [
    "mN", "MPa", "kN", "N/mm", "N*m", "kg*m^2", "m/s^2", "m/s**2", "1/s", "N*s/m", "mm", "min", "cd", "Pa", "mm^4", "N/m^1.5",
    "kg/(m*s)", "lbf*in", "kN*m/rad", "deg/s", "rpm", "Hz", "g/cm^3", "s^-2", "W/(m*K)", "dam", "daN", "hPa", "ms"])
def test_compound_units_against_pint(text):
    factor, dimension = pint_value(text)
    assert parse_unit(text).factor == pytest.approx(factor, rel=1e-14)
    assert parse_unit(text).dimension == pytest.approx(dimension)


def test_spellings():
    for text in ("N*m", "N m", "Nm", "N·m", "J", "kg m^2/s^2", "kg·m²/s²"):
        assert parse_unit(text).dimension == parse_unit("J").dimension and parse_unit(text).factor == 1
    assert parse_unit("µm") == parse_unit("um") == parse_unit("μm")
    assert parse_unit("") == (1.0, (0.0,) * 7)


def test_quantity():
    for value, unit, expected in [
            ("150 mm", "m", 0.15), ("150mm", "m", 0.15), (" -1.5e-3 kg ", "kg", -1.5e-3), ("30 deg", "rad", math.pi / 6),
            ("30°", "", math.pi / 6), ("12", "m", 12.0), ("12", "", 12.0), ("12 N/mm", "N/m", 12000.0), ("350 g", "kg", 0.35),
            ("5 1/s", "rad/s", 5.0), ("60 rpm", "rad/s", 2 * math.pi), ("1 rev", "rad", 2 * math.pi), ("20 %", "", 0.2),
            (".5 m", "m", 0.5), ("5. m", "m", 5.0), ("1 Hz", "1/s", 1.0), (3, "m", 3.0), (np.float32(0.5), "m", 0.5),
            (np.int64(2), "kg", 2.0), ("2 N m/rad", "N*m", 2.0)]:
        result = quantity(value, unit)
        assert type(result) is float
        assert result == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(("value", "unit", "message"), [
    ("0.36 m", "kg", r"^'0.36 m' is a length \[m\], a mass \[kg\] is due$"),
    ("5 N", "m", r"is a force \[N\], a length \[m\] is due"),
    ("5 m^5", "m", r"is a quantity \[m\^5\]"),
    ("5 rad", "m", "is an angle or plain number"),
    ("5 Newton", "N", "unknown unit 'Newton'"),
    ("5 mn", "N", "unknown unit 'mn'; did you mean .*'mN'"),
    ("5 degg", "rad", "did you mean 'deg'"),
    ("5 t", "kg", "'tonne'"),
    ("5 N/m s", "N*s/m", "ambiguous"),
    ("1,5 m", "m", "decimal mark is a point"),
    ("mm", "m", "'mm' is a unit without a number; write for example '2 mm'"),
    ("", "m", "must begin with a number"),
    ("nan", "m", "must begin with a number"),
    ("inf m", "m", "must begin with a number"),
    ("1e999 m", "m", "must be finite"),
    ("1e308 km", "m", "must be finite"),
    ("2 m + 3 m", "m", r"unexpected '\+'"),
    ("2 m2", "m^2", "unexpected '2'"),
    ("2 (m", "m", r"'\)' is missing"),
    ("2 m^x", "m", "exponent"),
    ("2 m^99", "m", "exponent"),
    ("2 Gm^12*Gm^12", "m", "within 1e-100"),
    ("2 m/", "m", "at the end"),
    ("2 m\0", "m", "unexpected"),
    ("1_0 m", "m", "'1_0 m'"),
    ("٣ m", "m", "must begin"),
    (True, "m", "^true must be a number or a text such as '2 m'$"), (None, "m", "^no value is given, it must be a number"),
    (1j, "m", "^1j must be"), ([1], "m", r"^\[1\] must be"), (np.bool_(True), "m", "^true must be"),
    ({"a": None}, "", "^{a: nothing} must be a number$"),
    (math.nan, "m", "finite"), (math.inf, "m", "finite"), (10**400, "m", "finite"), ("1" * 500, "m", "500 characters"),
    ("2 " + "(" * 90 + "m", "m", "missing")])
def test_quantity_errors(value, unit, message):
    with pytest.raises(ValueError, match=message):
        quantity(value, unit)


def test_unit_too_long():
    with pytest.raises(ValueError, match="characters"):
        parse_unit("(" * 5000)


@pytest.mark.parametrize(("name", "meant"), [
    ("newton", "'N'"), ("Newtons", "'N'"), ("kgs", "'kg'"), ("KG", "'kg'"), ("degrees", "'deg'"), ("Degree", "'deg'"),
    ("meters", "'m'"), ("metre", "'m'"), ("seconds", "'s'"), ("sec", "'s'"), ("lbs", "'lb'"), ("feet", "'ft'"), ("hz", "'Hz'"),
    ("kn", "'kN'"), ("MPA", "'MPa'"), ("mpa", "'mPa' or 'MPa'"),
    ("radian", "'rad'"), ("tons", "'tonne'"), ("NM", "'nm' or 'Nm'"), ("newtonmeter", "'N*m'"), ("micron", "'um'"), ("degg", "'deg'")])
def test_what_is_meant_by_an_unknown_unit(name, meant):
    for given in (f"2 {name}", f"2 {name}/s"):
        with pytest.raises(ValueError, match=f"unknown unit '{name}'; did you mean .*{re.escape(meant)}"):
            quantity(given, "m")


def test_values_are_shown_short():
    """Whatever is given: no message is torn apart, none is longer than a few lines."""
    for value in ("x" * 10**6, 10**5000, -(10**400), [0] * 10**5, {str(k): k for k in range(10**4)}, [[[[[1]]]]] * 1000, "\x1b[31m\n",
                  b"x" * 10**5, object(), np.zeros(10**5), np.float64(1e300), {"a": {"b": {"c": ["x" * 1000]}}}):
        told = shown(value)
        assert len(told) < 130 and told.isprintable()
    assert [shown(v) for v in (1, 0.1, 1e40, True, None, "a", [1, "b"], (1,), {"k": 2.0}, np.float64(2), np.array([1, 2]))] == [
        "1", "0.1", "1e+40", "true", "nothing", "'a'", "[1, 'b']", "(1)", "{k: 2}", "2", "[1, 2]"]
