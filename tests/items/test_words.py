"""Words that people try: usual names of kinds and methods, names that look alike, spellings."""
import unicodedata

import pytest

import pliant as pl
from pliant.cli import execute
from pliant.items.base import KINDS
from pliant.items.errors import TextError
from pliant.items.shapes import MAKERS
from pliant.items.synonyms import METHODS, PYTHON, WORDS
from pliant.methods.selection import KINDS as METHOD_KINDS
from pliant.text.model_text import from_text, to_text

TWO = "pliant: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"


def told(text):
    with pytest.raises(TextError) as error:
        from_text(text)
    return error.value.lines[0]


@pytest.mark.parametrize(("section", "word", "end"), [
    ("forces", "spring", "did you mean 'spring_damper'?"), ("forces", "Dashpot", "did you mean 'spring_damper'?"),
    ("forces", "moment", "did you mean 'torque'?"), ("forces", "motor", "did you mean 'drive', which stands under drives?"),
    ("forces", "hinge", "did you mean 'revolute', which stands under joints?"), ("forces", "bushin", "did you mean 'bushing'?"),
    ("joints", "weld", "did you mean 'fixed'?"), ("joints", "lock", "did you mean 'fixed'?"),
    ("joints", "hinge", "did you mean 'revolute'?"), ("joints", "pin", "did you mean 'revolute'?"),
    ("joints", "ball-joint", "did you mean 'spherical'?"),
    ("joints", "slider", "did you mean 'prismatic'?"), ("joints", "rod", "did you mean 'distance'?"),
    ("joints", "spring", "did you mean 'spring_damper', which stands under forces?"), ("joints", "force", "a force stands under forces"),
    ("joints", "Revolute", "did you mean 'revolute'?"), ("joints", "box", "write box: {...} instead of kind, under bodies"),
    ("bodies", "shell", "did you mean 'modal'?"), ("bodies", "box", "a box is a rigid body: write box: {...} instead of kind"),
    ("bodies", "point-mass", "write point_mass: {...} instead of kind"), ("drives", "motor", "did you mean 'drive'?"),
    ("measures", "sensor", "a sensor stands under blocks"), ("measures", "gauge", "did you mean 'measure'?"),
    ("blocks", "zoh", "did you mean 'sample'?"), ("forces", "dead-time", "did you mean 'delay', which stands under blocks?"),
])
def test_usual_words_for_kinds(section, word, end):
    text = TWO if section == "bodies" else TWO + f"{section}:\n"
    line = told(text + f"  x: {{kind: {word}}}\n")
    assert f"{section}.x.kind: unknown kind '{word}'" in line and line.endswith(end)


def test_a_word_that_no_one_uses():
    assert "unknown kind 'gravity' of force; there are " in told(TWO + "forces:\n  x: {kind: gravity}\n")


def test_the_tables_name_what_there_is_and_no_kind_is_a_word_for_another():
    kinds = {kind for known in KINDS.values() for kind, cls in known.items() if cls.__module__.startswith("pliant.")}
    for section, table in WORDS.items():
        assert table.keys() <= KINDS[section].keys()
        words = [word for known in table.values() for word in known.split()]
        assert len(words) == len(set(words)) and not kinds & set(words)
        assert section != "bodies" or not set(MAKERS) & set(words)
    for name in PYTHON.values():
        assert hasattr(pl.Model("m") if name.startswith("Model.") else pl, name.removeprefix("Model.").split(".")[0])
    known = {kind for table in METHOD_KINDS.values() for kind in table}
    assert set(METHODS.values()) <= known and not known & METHODS.keys()


@pytest.mark.parametrize(("word", "name"), [
    ("Hinge", "pl.Revolute"), ("Weld", "pl.Fixed"), ("Clamp", "pl.Fixed"), ("Ball", "pl.Spherical"), ("BallJoint", "pl.Spherical"),
    ("Slider", "pl.Prismatic"), ("Motor", "pl.Drive"), ("Spring", "pl.SpringDamper"), ("TorsionalSpring", "pl.TorsionSpring"),
    ("Body", "pl.RigidBody"), ("FlexibleBody", "pl.ModalBody"), ("RevoluteJoint", "pl.Revolute"), ("revolute", "pl.Revolute"),
    ("RK4", "pl.RungeKutta4"), ("simulate", "m.simulate"), ("Box", "pl.RigidBody.box")])
def test_usual_words_in_python(word, name):
    with pytest.raises(AttributeError, match=rf"has no attribute '{word}'; did you mean {name}\?$"):
        getattr(pl, word)


def test_other_names_of_python_stay_as_they_are():
    with pytest.raises(AttributeError, match=r"has no attribute 'Xyz'$"):
        _ = pl.Xyz
    assert not hasattr(pl, "__wrapped__") and not hasattr(pl.flex, "Hinge")


@pytest.mark.parametrize(("word", "kind"), [("rk4", "runge-kutta-4"), ("gstiff", "bdf"), ("Radau", "radau-iia-5"),
                                            ("Gen_Alpha", "generalized-alpha")])
def test_usual_words_for_methods(word, kind):
    with pytest.raises(pl.ModelError, match=f"did you mean '{kind}'"):
        from_text(TWO).simulate(1.0, integrator=word)
    assert told(TWO + f"simulate: {{integrator: {word}}}\n").endswith(f"did you mean '{kind}'?")


def test_hyphens_and_underscores():
    for mark in "-_":
        m = from_text(TWO + f"forces:\n  s: {{kind: spring{mark}damper, between: [a, b], stiffness: 2}}\n"
                            f"simulate: {{duration: 1, integrator: radau{mark}iia{mark}5, formulation: stabilized{mark}index{mark}2}}\n")
        assert m["s"].kind == "spring_damper" and m.settings["integrator"].kind == "radau-iia-5"
        assert "kind: spring_damper" in to_text(m)
        m.simulate(0.01, integrator=f"generalized{mark}alpha", formulation=f"index{mark}3", progress=False)


@pytest.mark.parametrize(("name", "other"), [("my body", "my_body"), ("left-arm", "left_arm"), ("2b", "_2b"),
                                             ("Ä ö", "Ä_ö")])
def test_a_name_that_would_do(name, other):
    with pytest.raises(pl.ItemError, match=rf"does not begin with a digit; write '{other}'$"):
        pl.RigidBody(name, 1.0)
    assert pl.RigidBody(other, 1.0).name == other
    with pytest.raises(pl.ItemError, match=r"does not begin with a digit$"):
        pl.RigidBody("- -", 1.0)


def test_letters_with_their_marks_or_apart_are_one_name():
    apart, one = (unicodedata.normalize(form, "Hébel") for form in ("NFD", "NFC"))
    assert apart != one
    m = pl.Model("m")
    m.add(pl.RigidBody(apart, 1.0, (1, 1, 1), frames={apart: (1, 0, 0)}))
    with pytest.raises(ValueError, match="is taken"):
        m.add(pl.RigidBody(one, 1.0))
    m.add(pl.Revolute(f"{apart}_A", "ground", f"{one}.{apart}"))
    m.add(pl.TorsionSpring("spring", f"{apart}_A", 2.0))
    m.add(pl.Torque("T", {"body": apart}, (0, 0, f"-2*{apart}_A.angle_rate + 0.1*{apart}.{one}.position.x")))
    sol = m.simulate(0.02, progress=False)
    assert m[apart] is m[one] and (sol[f"{apart}.position.x"] == sol[f"{one}.position.x"]).all()
    text = unicodedata.normalize("NFC", to_text(m))
    assert to_text(from_text(unicodedata.normalize("NFD", text))) == text
    both = f"joints:\n  {one}: {{kind: fixed, between: [a, b]}}\nmeasures:\n  {apart}: {{between: [a, b]}}\n"
    assert "is taken by joints" in told(TWO + both)


def test_letters_that_stand_for_others_are_one_name():
    """The micro sign and the Greek letter, which no one can tell apart."""
    m = pl.Model("m")
    m.add(pl.RigidBody("\u00b5", 1.0))
    with pytest.raises(ValueError, match="is taken"):
        m.add(pl.RigidBody("\u03bc", 1.0))
    assert m["\u00b5"] is m["\u03bc"]


@pytest.mark.parametrize("name", ["हिन्दी", "学校", "Рычаг", "ذراع", "แขน", "ḿ", "Straße"])
def test_names_of_all_scripts_in_expressions(name):
    m = pl.Model("m")
    m.add(pl.RigidBody(name, 1.0, (1, 1, 1), velocity=(1, 0, 0)))
    m.add(pl.Force("F", name, (f"-2 N*{name}.velocity.x", 0, 0)))
    sol = from_text(to_text(m)).simulate(0.1, progress=False)
    assert sol[f"{name}.velocity.x"][-1] == pytest.approx(0.8187307, abs=1e-6)


def test_models_and_results_are_told_apart(tmp_path):
    m = from_text(TWO)
    m.save(tmp_path / "m.yaml")
    (tmp_path / "m.py").write_text("model = 1\n")
    m.simulate(0.01, progress=False).save(tmp_path / "run.h5")
    for file, end in (("m.yaml", r"pl\.read\('.*m\.yaml'\) reads it"), ("m.py", "import it")):
        with pytest.raises(ValueError, match=f"is a model, not the results of a run; {end}"):
            pl.load(tmp_path / file)
    with pytest.raises(TextError, match=r"run\.h5: is a file of results or of a part, not a model; pl\.load\('.*run\.h5'\) reads results"):
        pl.read(tmp_path / "run.h5")
    (tmp_path / "run.h5").rename(tmp_path / "results.yaml")
    assert len(pl.load(tmp_path / "results.yaml").t) == 1001


@pytest.mark.parametrize("angle", [30, -90.0, 6.5])
def test_rotations_of_more_than_a_turn_in_plain_numbers(angle):
    told = f"rotation: angle = {angle:g} rad is .* turns; write '{angle:g} deg' if degrees are meant, '{angle:g} rad' if not"
    with pytest.warns(UserWarning, match=told):
        turned = pl.rotation("z", angle)
    with pytest.warns(UserWarning, match=r"m:3: bodies\.a: rotation: angle"):
        m = from_text(f"pliant: 1\nbodies:\n  a: {{mass: 1, rotation: {{axis: z, angle: {angle}}}}}\n", "m")
    assert m["a"].rotation == turned == pl.rotation("z", f"{angle} rad")


def test_other_rotations_say_nothing(recwarn, capsys, tmp_path):
    pl.rotation("z", 6.28)
    pl.rotation((1, 2, 3), "400 deg")
    pl.RigidBody("a", 1.0, rotation={"axis": "z", "angle": -1.5})
    assert not recwarn.list
    (tmp_path / "m.yaml").write_text("pliant: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], rotation: {axis: z, angle: 45}}\n")
    assert execute(["check", str(tmp_path / "m.yaml")]) == 0
    told = capsys.readouterr().err
    turns = "rotation: angle = 45 rad is 7.16 turns; write '45 deg' if degrees are meant, '45 rad' if not"
    assert told == f"{tmp_path}/m.yaml:3: bodies.a: {turns}\n"
