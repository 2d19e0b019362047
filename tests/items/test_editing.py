"""Items, parameters and tables that are removed, renamed and switched off, with all that refers to them."""
import numpy as np
import pytest

import pliant as pl
from pliant.functions.rewriting import clash, owner_of, rewritten
from pliant.items.base import Frame
from pliant.text.model_text import from_text, to_text


def crane(boom="boom", hinge="A", ball="ball", L="L", gas="gas", lift="lift") -> pl.Model:
    """In space, with references of all kinds; names as given."""
    m = pl.Model("crane", gravity=(0, 0, -9.81))
    m.parameter(L, "0.5 m")
    m.parameter("k", f"=200 N/m*{L}/1 m")
    m.table(gas, pl.Table([-4, 4], [-1, 1]))
    m.add(pl.RigidBody.rod(boom, start=(0, 0, 0), end=(f"=2*{L}", 0, f"={L}"), mass=1.0, radius=0.01))
    m.add(pl.RigidBody.sphere(ball, radius=0.1, mass=3.0, position=(f"=2*{L}", 0, f"={L}/2")))
    m.add(pl.Revolute(hinge, "ground", f"{boom}.start", axis=(0.2, 1, 0.1)))
    m.add(pl.Spherical("B", f"{boom}.end", Frame(body=ball, point=(0, 0, f"={L}/2"))))
    m.add(pl.SpringDamper("s", "ground", f"{boom}.end", stiffness="=k", damping=f"{L}*v*3 + 0*x"))
    m.add(pl.TorsionSpring("ts", hinge, stiffness=3.0))
    m.add(pl.Variable(lift, f"2*{ball}.position.z + {gas}({hinge}.angle)"))
    m.add(pl.Force("f", ball, (f"{L}*{lift}", 0, f"sin({hinge}.angle_rate)*{ball}.velocity.x")))
    m.styles[ball] = pl.Style(color="red")
    m.styles[f"{boom}.end"] = pl.Style(trace=True)
    return m


NAMES = {"boom": "arm", "hinge": "A1", "ball": "A", "L": "len", "gas": "p", "lift": "height"}


@pytest.mark.parametrize("new", [NAMES, {k: f"left.{v}" for k, v in NAMES.items()}])
def test_renamed_as_if_written_so(new):
    m, due = crane(), crane(**new)
    held, order = m["boom"], ["boom", "hinge", "ball", "L", "gas", "lift"]  # the hinge is A before the ball is
    for role, old in zip(order, ["boom", "A", "ball", "L", "gas", "lift"], strict=True):
        m.rename(old, new[role])
    assert to_text(m) == to_text(due) and m[new["boom"]] is held and held.name == new["boom"]
    assert to_text(from_text(to_text(m))) == to_text(m)
    assert to_text(m.with_({new["L"]: 0.6})) == to_text(due.with_({new["L"]: 0.6}))
    np.testing.assert_array_equal(m.simulate(0.1).rows, crane().simulate(0.1).rows)


def test_a_sub_assembly_is_renamed_and_removed_as_a_whole():
    m = crane(boom="left.boom", L="left.L")
    m.rename("left", "right")
    assert "right.boom" in m.items and "right.L" in m.parameters and m["B"].a.body == "right.boom"
    with pytest.raises(pl.ModelError, match="is used by"):
        del m["right"]
    m.remove("right", dependents=True)
    assert list(m.items) == [] or "right.boom" not in m.items
    assert not [n for n in (*m.items, *m.parameters) if n.startswith("right")]


@pytest.mark.parametrize(("name", "users"), [
    ("A", "torsion_spring 'ts', variable 'lift', force 'f'"), ("B", ""), ("L", "rigid 'boom', rigid 'ball'.*parameter 'k'"),
    ("gas", "variable 'lift', force 'f'"),
    ("lift", "force 'f'"), ("boom", "revolute 'A', spherical 'B', spring_damper 's'.*torsion_spring 'ts'"), ("k", "spring_damper 's'")])
def test_removal_is_refused_with_the_names_of_users(name, users):
    m = crane()
    before = to_text(m)
    if users:
        with pytest.raises(pl.ModelError, match=f"{name!r} is used by {users}.*m.remove\\({name!r}, dependents=True\\)"):
            m.remove(name)
        assert to_text(m) == before
    m.remove(name, dependents=True)
    assert name not in (*m.items, *m.parameters, *m.tables)
    if m.items:
        assert to_text(from_text(to_text(m))) == to_text(m), "what is left is whole"
    assert ("boom.end" in m.styles) == ("boom" in m.items) and ("ball" in m.styles) == ("ball" in m.items)


@pytest.mark.parametrize(("old", "new", "message"), [
    ("A", "B", "taken by a spherical"), ("A", "L", "taken by a parameter"), ("A", "2x", "must be a word"), ("L", "mm", "is a unit"),
    ("lift", "N", "is a unit"), ("A", "ground", "reserved"), ("A", "boom.x", "'boom' is there itself"), ("ground", "x", "every model"),
    ("A", 3, "must be a word"), ("L", "sin", "is a function"), ("A", "a..b", "must be a word"), ("A", "x" * 101, "at most 100")])
def test_names_that_are_refused_leave_the_model_as_it_was(old, new, message):
    m = crane()
    before = to_text(m)
    with pytest.raises(ValueError, match=message):
        m.rename(old, new)
    assert to_text(m) == before


def test_what_is_not_there():
    m = crane()
    with pytest.raises(KeyError, match="neither an item nor a parameter 'bom'; did you mean 'boom'"):
        m.remove("bom")
    with pytest.raises(KeyError):
        del m["x"]
    with pytest.raises(KeyError):
        m.rename("x", "y")
    m.gravity = (0, 0, "=-L*20/1 s^2")
    with pytest.raises(pl.ModelError, match="gravity, which cannot be removed; give it numbers first"):
        m.remove("L", dependents=True)
    m.rename("L", "len")
    assert m.gravity_as_written[2] == "=-len*20/1 s^2"


def test_options_that_name_it_are_told():
    m = crane()
    m.settings["record"] = ["A.angle", "ball.*"]
    m.analyses["linearize"] = {"outputs": ["A.angle"]}
    with pytest.warns(UserWarning, match="'A' is 'hinge' now, but the option 'record' of simulate names it: 'A.angle'"):
        m.rename("A", "hinge")
    with pytest.warns(UserWarning, match=r"'ball' was removed.*'ball.\*'"):
        m.remove("ball", dependents=True)


@pytest.mark.parametrize(("text", "new"), [
    ("L + 2*L", "left.L + 2*left.L"), ("2 N/mm + L", "2 N/mm + left.L"), ("A.angle*L", "A.angle*left.L"), ("L.position.x", "L.position.x"),
    ("sin(L)^L", "sin(left.L)^left.L"), ("LL + xL", "LL + xL"), ("1e3*L", "1e3*left.L"), ("x·L", "x*left.L"), ("pi*e*t", "pi*e*t")])
def test_by_tokens(text, new):
    assert rewritten(text, {"L": "left.L", "x": "no", "pi": "no"}.get, ("x",)) == new


def test_longest_names():
    assert owner_of("left.knee.angle", {"left.knee", "knee"}) == "left.knee" and owner_of("a.b", ()) == "a"
    assert "sub-assembly" in clash("left", ["left.knee"]) and "there itself" in clash("left.knee", ["left"])
    assert not clash("left", ["leftover.x", "right"])


# -- switched off
def test_inactive_items_are_left_out():
    m = crane()
    less = crane()
    for name in ("s", "f", "ts"):
        less.remove(name)
    off = m.with_({"s.active": False, "f.active": False, "ts.active": False})
    np.testing.assert_array_equal(off.simulate(0.1).rows, less.simulate(0.1).rows)
    assert m["s"].active and not off["s"].active
    again = from_text(to_text(off))
    assert to_text(again) == to_text(off) and not again["s"].active
    assert [f.items for f in off.check().findings if f.code == "inactive"] == [("s", "ts", "f")]
    off.set("s.active", True)
    assert "s" in off.compile().directory.forces


def test_what_needs_an_inactive_item_is_refused():
    m = crane()
    m.set("A.active", False)
    with pytest.raises(pl.ModelError, match="revolute 'A' is not active, but torsion_spring 'ts', variable 'lift', force 'f' need it"):
        m.simulate(0.1)
    for name in ("ts", "lift", "f"):
        m.set(f"{name}.active", False)
    m.simulate(0.05)
    with pytest.raises(pl.ModelError, match=r"model:\d+: joints.B: rigid 'ball' is not active, but"):
        from_text(to_text(m).replace("ball: {kind: rigid,", "ball: {kind: rigid, active: false,"))
    with pytest.raises(ValueError, match="must be true or false"):
        m.set("A.active", "no")
    with pytest.raises(ValueError, match="always there"):
        m.ground.active = False


def test_a_run_is_resumed_with_what_was_inactive(tmp_path):
    m = crane()
    m.set("s.active", False)
    sol = m.simulate(0.1, out=tmp_path / "run.h5")
    loaded = pl.load(tmp_path / "run.h5")
    assert not loaded.model["s"].active and "s.force" not in loaded.channels
    np.testing.assert_array_equal(loaded.resume(0.1).rows, sol.resume(0.1).rows)
