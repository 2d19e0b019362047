"""Parameters: numbers with names, expressions of them with their dimension, and items that follow them."""
import numpy as np
import pytest
from numba.core import event

import pliant as pl
from pliant.functions.parameters import evaluated, measured
from pliant.functions.units import parse_unit
from pliant.text.model_text import from_text, to_text

VALUES = {name: p.value for name, p in evaluated({"L": "0.3 m", "m0": "2 kg", "n": 3, "a": "30 deg", "g0": "9.81 m/s^2"}).items()}


@pytest.mark.parametrize(("text", "value", "unit"), [
    ("=2*L", 0.6, "m"), ("=L + 10 mm", 0.31, "m"), ("= m0/3", 2 / 3, "kg"), ("=sqrt(L/g0)", np.sqrt(0.3 / 9.81), "s"),
    ("=L^2*pi", 0.09 * np.pi, "m^2"), ("=m0*g0*L*sin(a)", 2 * 9.81 * 0.3 * 0.5, "N*m"), ("=max(L, 1 m, 20 cm)", 1.0, "m"),
    ("=if(L > 20 cm, n, 0)", 3.0, ""), ("=-abs(-L)", -0.3, "m"), ("=atan2(L, L)", np.pi / 4, ""), ("=mod(L, 20 cm)", 0.1, "m"),
    ("=step(n, 0, 1, 6, 3)", 2.0, ""), ("=1/n", 1 / 3, ""), ("=(L/0.3 m)^n", 1.0, ""), ("=5 litre + L^3", 0.032, "m^3"),
    ("=2 rev", 4 * np.pi, ""), ("=not_a_unit", None, ""), ("=sign(L)*floor(n/2)", 1.0, "")])
def test_values_with_their_dimension(text, value, unit):
    if value is None:
        with pytest.raises(ValueError, match=r"unknown name 'not_a_unit'; known are pi, e, L, m0, n, a, g0, and functions"):
            measured(text, VALUES)
        return
    found = measured(text, VALUES)
    assert found == pytest.approx(value, rel=1e-14) and found.dimension == parse_unit(unit).dimension


@pytest.mark.parametrize(("text", "message"), [
    ("=L + 1", r"'\+' of a length \[m\] and an angle or plain number \[-\]; give numbers their units"),
    ("=L + m0", r"'\+' of a length \[m\] and a mass \[kg\]"), ("=2^L", "an exponent must be a plain number, it is a length"),
    ("=sin(L)", "the argument of sin must be a plain number"), ("=exp(m0)", "the argument of exp must be"),
    ("=if(n > 1, L, m0)", "'if' of a length"), ("=L < m0", "a number is due, this is a condition"),
    ("=1/(n-3)", r"/ of 1, 0 is not a finite"),
    ("=sqrt(-L)", "sqrt of -0.3 is not a finite"), ("=", "nothing after '='"), ("=2 L", "an operator is missing before 'L'"),
    ("=A.angle", "channels cannot stand here"), ("=t", "unknown name 't'"), ("=L(2)", "operator is missing before"),
    ("=" + "(" * 200, "nested more than"),
    ("=" + "9" * 400, "too large"), ("=__import__('os')", "unknown function|no meaning")])
def test_what_is_no_value(text, message):
    with pytest.raises(ValueError, match=message):
        measured(text, VALUES)


def test_parameters_of_parameters_and_loops():
    found = evaluated({"b": "=2*a", "a": "3 m", "c": "=a*b"})
    assert list(found) == ["b", "a", "c"] and found["c"].value == 18 and found["c"].unit == "m^2"
    with pytest.raises(ValueError, match=r"parameters need each other: a -> b -> c -> a; give one of them a number"):
        evaluated({"a": "=b", "b": "=c + 1", "c": "=2*a"})
    with pytest.raises(ValueError, match="a -> a"):
        evaluated({"a": "=a"})


@pytest.mark.parametrize(("name", "message"), [
    ("mm", "is a unit"), ("N", "is a unit"), ("sin", "is a function"), ("2a", "must be a word"), ("rod", "taken by a rigid"),
    ("", "must be a word"),
    ("and", "is a function"), ("gas", "taken by a table"), ("L", "taken by a parameter"), ("a b", "must be a word")])
def test_names_that_are_refused(name, message):
    m = pl.Model("m")
    m.parameter("L", "1 m")
    m.table("gas", pl.Table([0, 1], [0, 1]))
    m.add(pl.RigidBody("rod", mass=1.0, inertia=(1, 1, 1)))
    with pytest.raises(pl.ItemError, match=message):
        m.parameter(name, 2.0)
    with pytest.raises(ValueError, match="taken by a parameter"):
        m.add(pl.RigidBody("L", mass=1.0))


def crane(L="0.5 m", load="3 kg") -> pl.Model:
    """In space: a boom and a rope, a spring and a force whose numbers are all of parameters."""
    m = pl.Model("crane", gravity=(0, 0, -9.81))
    for name, value in {"L": L, "load": load, "k": "=load*9.81 m/s^2/(10 mm)", "w": "=sqrt(k/load)"}.items():
        m.parameter(name, value)
    boom = m.add(pl.RigidBody.rod("boom", start=(0, 0, 0), end=("=2*L", 0, "=L"), mass="=load/3", radius="=L/20"))
    ball = m.add(pl.RigidBody.sphere("ball", radius="=L/5", mass="=load", position=("=2*L", 0, "=L/2")))
    m.add(pl.Revolute("A", m.ground, boom["start"], axis=(0.2, 1, 0.1)))
    m.add(pl.Spherical("B", boom["end"], ball.frame((0, 0, "=L/2"))))
    m.add(pl.SpringDamper("s", m.ground.frame((0, 0, "=3*L")), boom["end"], stiffness="=k", damping="=k/100/w"))
    m.add(pl.Force("f", ball, ("load*sin(w*t)", "=load*1 m/s^2", "0.1*k*L*cos(A.angle)")))
    return m


def test_a_changed_parameter_gives_the_bits_of_the_number_written():
    """All of the run, by `with_`, by `set`, by a text and by a model that is written so."""
    due = crane("0.7 m", "2 kg").simulate(0.3)
    m = crane()
    held = m["boom"]
    for changed in (m.with_(L=0.7, load="2 kg"), m.with_({"L": "0.7 m", "load": 2.0}), from_text(to_text(m)).with_(L=0.7, load=2.0)):
        np.testing.assert_array_equal(changed.simulate(0.3).rows, due.rows)
    assert held.end == (1.0, 0.0, 0.5), "the model itself is as it was"
    m.set("L", "0.7 m")
    m.set("load", 2.0)
    assert m["boom"] is held and held.end == (1.4, 0.0, 0.7)
    np.testing.assert_array_equal(m.simulate(0.3).rows, due.rows)


def test_nothing_is_compiled_for_another_value():
    m = crane()
    m.simulate(0.05)
    with event.install_recorder("numba:compile") as compiled:
        m.with_(L=0.6, load=4.0).simulate(0.05)
    assert not compiled.buffer


def test_makers_keep_their_recipe():
    """The inertia of the new rod, also after single numbers were set."""
    m = crane().with_(L="1 m")
    due = pl.RigidBody.rod("boom", (0, 0, 0), (2, 0, 1), mass=1.0, radius=0.05)
    assert m["boom"] == due
    m.set("boom.mass", "6 kg")
    assert m["boom"].inertia == pl.RigidBody.rod("boom", (0, 0, 0), (2, 0, 1), mass=6.0, radius=0.05).inertia
    assert m.with_(L="2 m")["boom"] == pl.RigidBody.rod("boom", (0, 0, 0), (4, 0, 2), mass=6.0, radius=0.1), "the rest follows still"
    m.set("boom.end.1", "=L/2")
    assert m.with_(L="2 m")["boom"].end == (4.0, 1.0, 2.0)
    m["boom"].radius = 0.02
    assert m.with_(L="3 m")["boom"].radius == 0.02 and m.with_(L="3 m")["boom"].end == (6.0, 1.5, 3.0)


def test_every_number_by_its_path():
    m = crane()
    found = m.numbers()
    assert found["L"] == (0.5, "m", None) and found["k"].expression == "=load*9.81 m/s^2/(10 mm)" and found["k"].unit == "N/m"
    assert found["boom.end.0"] == (1.0, "m", "=2*L") and found["ball.radius"].value == 0.1 and found["s.stiffness"].unit == "N/m"
    assert found["gravity.2"].value == -9.81 and "boom.inertia.0.0" not in found and "boom.name" not in found
    free = [path for path, number in found.items() if number.expression is None and ".axis" not in path]
    for path in free:  # each can be set
        other = m.with_({path: found[path].value + 0.01})
        assert other.numbers()[path].value == pytest.approx(found[path].value + 0.01, abs=1e-12), path


@pytest.mark.parametrize(("path", "value", "message"), [
    ("boom.mas", 1, "no field 'mas'; did you mean 'mass'"), ("bom.mass", 1, "no item 'bom'; did you mean 'boom'"),
    ("K", 2, "no parameter 'K'"),
    ("L", "2 kg", "a length .m. is due"), ("L", "=w", "a length .m. is due"), ("boom.end.7", 1, "is not there"),
    ("boom.mass", "=L", "a mass .kg. is due"),
    ("boom.mass", -1, "must be at least 0"), ("L", "=2*L", "need each other"),
    ("L", 0, "start and end are the same point|greater than zero")])
def test_what_cannot_be_set_leaves_the_model_as_it_was(path, value, message):
    m = crane()
    before = to_text(m)
    with pytest.raises(ValueError, match=message):
        m.set(path, value)
    assert to_text(m) == before


def test_items_know_no_parameters_before_they_are_added():
    rod = pl.RigidBody.rod("rod", (0, 0, 0), ("=L", 0, 0), mass=1.0)
    with pytest.raises(AttributeError, match=r"rigid 'rod' is made of parameters and is complete only in a model; write item = m.add"):
        rod.mass  # noqa: B018
    m = pl.Model("m")
    with pytest.raises(pl.ItemError, match=r"rigid 'rod': rod.end\[0\]: '=L': unknown name 'L'"):
        m.add(rod)
    m.parameter("L", "2 kg")
    with pytest.raises(pl.ItemError, match=r"'=L' is a mass \[kg\], a length \[m\] is due"):
        m.add(rod)
    m.set("L", 3.0)
    made = pl.Model("other")
    made.parameter("L", "2 m")
    body = made.add(rod)
    with pytest.raises(pl.ItemError, match=r"write m.set\('rod.mass', ...\)"):
        body.mass = "=L"
    gear = pl.Gear("g", "A", "B", ratio="=L")
    made.add(pl.Revolute("A", made.ground, body["start"]))
    made.add(pl.Revolute("B", made.ground, body["end"]))
    with pytest.raises(pl.ItemError, match=r"gear 'g': ratio: .* must be a plain number, without a unit"):
        made.add(gear)


def test_names_in_functions_are_told_when_the_item_is_added():
    m = pl.Model("m")
    m.parameter("amplitude", "2 N")
    b = m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1)))
    with pytest.raises(pl.ItemError, match=r"force 'f': vector\[0\]: unknown name 'amplitud'.*did you mean 'amplitude'"):
        m.add(pl.Force("f", b, ("amplitud*sin(t)", 0, 0)))
    m.add(pl.Force("f", b, ("amplitude*t", 0, 0)))
    assert m.simulate(1.0)["b.velocity.x"][-1] == pytest.approx(1.0, rel=1e-6)


def test_files_of_runs_have_the_parameters(tmp_path):
    m = crane()
    sol = m.simulate(0.1, out=tmp_path / "run.h5")
    loaded = pl.load(tmp_path / "run.h5")
    assert to_text(loaded.model) == to_text(m)
    np.testing.assert_array_equal(loaded.model.with_(L=0.6).simulate(0.1).rows, crane("0.6 m").simulate(0.1).rows)
    m.set("L", 0.55)
    with pytest.raises(ValueError, match="parameter 'L'"):
        sol.resume(0.1)
