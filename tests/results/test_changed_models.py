"""A run goes on with the model that it began with, or not at all; bodies follow the numbers they were made of."""
import numpy as np
import pytest

import pliant as pl
from pliant.text.model_files import load_model


def pushed() -> pl.Model:
    m = pl.Model("pushed", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.box("box", size=(0.1, 0.1, 0.1), mass=2.0))
    m.add(pl.Force("push", "box", ("0", "0", "2*9.81")))
    return m


@pytest.mark.parametrize(("change", "told"), [
    (lambda m: setattr(m["push"], "vector", ("0", "0", "0")), "vector of 'push'"),
    (lambda m: setattr(m["box"], "mass", 3.0), "mass of 'box'"),
    (lambda m: m.add(pl.Force("more", "box", ("1", "0", "0"))), "'more' was added"),
    (lambda m: m.items.pop("push"), "'push' was removed"),
    (lambda m: setattr(m, "gravity", (0, 0, 0)), "gravity")])
def test_a_changed_model_is_not_resumed(change, told):
    """A loop that samples a controller: the force it set was ignored, and the box fell freely."""
    for inside in (False, True):
        m = pushed()
        sol = m.simulate(0.1)
        change(sol.model if inside else m)
        with pytest.raises(pl.ModelError, match=f"model was changed since .*{told}.*simulate the changed model anew"):
            sol.resume(0.1)


def test_a_model_as_it_was_is_resumed(tmp_path):
    m = pushed()
    whole, sol = m.simulate(0.2, output_step=0.01), m.simulate(0.1, output_step=0.01)
    m["push"].vector = (0, 0, "2*9.81")  # the same again
    assert np.array_equal(sol.resume(0.1).t, sol.resume(0.1).t) and np.allclose(sol.resume(0.1).rows, whole.rows, atol=1e-12)
    stopped = m.simulate(0.1, out=tmp_path / "run.h5")
    m["box"].mass = 5.0
    assert stopped.complete and pl.load(tmp_path / "run.h5").resume(0.1).t[-1] == pytest.approx(0.2)


# -- makers
def same(a, b):
    np.testing.assert_allclose(a.inertia_matrix, b.inertia_matrix, rtol=1e-14)
    assert a.mass == pytest.approx(b.mass) and a.position == b.position and a.frames == b.frames and a.shape == b.shape


def test_the_inertia_follows_the_mass_and_the_lengths():
    rod = pl.RigidBody.rod("rod", start=(0, 0, 0), end=(2, 0, 0), mass=1)
    rod.mass = 5
    same(rod, pl.RigidBody.rod("rod", start=(0, 0, 0), end=(2, 0, 0), mass=5))
    rod.end = (0, 3, 0)
    same(rod, pl.RigidBody.rod("rod", start=(0, 0, 0), end=(0, 3, 0), mass=5))
    assert rod.end == (0, 3, 0)
    disc = pl.RigidBody.cylinder("disc", radius=0.1, length="20 mm", density=7800)
    disc.radius = "0.2 m"
    same(disc, pl.RigidBody.cylinder("disc", radius=0.2, length=0.02, density=7800))
    disc.mass = 1.0
    disc.length = 0.05
    same(disc, pl.RigidBody.cylinder("disc", radius=0.2, length=0.05, mass=1.0))
    box = pl.RigidBody.box("box", size=(1, 2, 3), mass=1)
    for body in (box, m_copy := pushed().copy()["box"]):
        before = np.array(body.inertia_matrix)
        body.mass = 2 * body.mass
        np.testing.assert_allclose(body.inertia_matrix, 2 * before, rtol=1e-14)
    box.inertia = (7, 8, 9)
    box.mass = 10
    assert box.inertia == (7, 8, 9) and m_copy.mass == 4.0
    with pytest.raises(pl.ItemError, match="'rod': end: "):
        rod.end = "there"
    with pytest.raises(pl.ItemError):
        box.size = (1, 2, 3)  # its inertia was given since


TEXT = "pliant: 1\nbodies:\n  left: {kind: rigid, rod: {start: [0, 0, 0], end: [1, 0, 0]}, mass: 1}\n"
PYTHON = "import pliant as pl\nmodel = pl.Model('m')\nmodel.add(pl.RigidBody.rod('left', start=(0, 0, 0), end=(1, 0, 0), mass=1))\n"


@pytest.mark.parametrize("changes", [("left.mass=3",), ("left.rod.end=[2, 0, 0]",),
                                     ("bodies.left.mass=3 kg", "bodies.left.rod.end=[2, 0, 0]")])
def test_set_is_alike_for_text_and_python(tmp_path, changes):
    (tmp_path / "m.yaml").write_text(TEXT)
    (tmp_path / "m.py").write_text(PYTHON)
    text, python = (load_model(str(tmp_path / name), changes)["left"] for name in ("m.yaml", "m.py"))
    mass, length = 3.0 if "mass" in changes[0] else 1.0, 2.0 if "end" in changes[-1] else 1.0
    same(text, python)
    assert text.mass == mass and text.inertia_matrix[2, 2] == pytest.approx(mass * length**2 / 12)


@pytest.mark.parametrize("name", ["m.yaml", "m.py"])
def test_what_is_not_there_is_not_set(tmp_path, name):
    (tmp_path / name).write_text(TEXT if name.endswith("yaml") else PYTHON)
    for change in ("right.mass=3", "left.box.size=[1, 1, 1]", "left.weight=3"):
        with pytest.raises(pl.ModelError, match=r"right|box|weight"):
            load_model(str(tmp_path / name), [change])
