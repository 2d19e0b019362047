"""Lines in plots where something happened, what they say, and joints in pictures of runs whose structure changes."""
import time

import numpy as np
import pytest
from matplotlib.figure import Figure

import pliant as pl
from pliant import cli
from pliant.items.declarations import VALUES, Told
from pliant.plot import event_lines, pictures
from pliant.plot.scene import scene


@pytest.fixture(scope="module")
def gate():
    """A hinge that is locked, opened, and breaks; beside it a bar that lets go."""
    m = pl.Model("gate", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("rod", mass=2.0, inertia=(0.1, 0.2, 0.05), position=(0.5, 0, 0)))
    m.add(pl.Revolute("hinge", "ground", "rod", at=(0, 0, 0), axis="y"))
    m.add(pl.RigidBody.sphere("ball", 0.1, mass=1.0, position=(0, 1, -1)))
    m.add(pl.Distance("bar", m.ground.frame((0, 1, 0)), "ball"))
    for name, at, action in (("stop", 0.1, pl.Lock), ("go", 0.2, pl.Unlock), ("snap", 0.4, pl.Break)):
        m.add(pl.Event(name, f"t > {at}", [action("hinge")]))
    m.add(pl.Event("drop", "t > 0.3", [pl.Release("bar")]))
    return m.simulate(0.5, accuracy=1e-5, output_step=0.01)


def lines(ax) -> list[float]:
    return sorted(float(line[0, 0]) for c in ax.collections for line in c.get_segments())


def words(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_lines_are_where_something_happened(gate):
    """In all plots; in the uppermost one it is said; limits of the axes stay; without events there are none."""
    before = gate.plot("hinge.angle", "energy.kinetic").axes
    after = gate.plot("hinge.angle", "energy.kinetic", events=True).axes
    for a, b in zip(before, after, strict=True):
        assert a.get_ylim() == b.get_ylim() and not lines(a)
        np.testing.assert_allclose(lines(b), np.unique(gate.events.t))
    due = "stop fires, hinge locks; go fires, hinge unlocks; drop fires, bar is released; snap fires, hinge breaks"
    assert words(after[0]) == due.split("; ")
    assert not words(after[1])


def test_those_of_some_items(gate):
    (ax,) = gate.plot("hinge.angle", events="bar").axes
    assert lines(ax) == pytest.approx([0.3]) and words(ax) == ["bar is released"]
    (ax,) = gate.plot("hinge.angle", events=["bar", "snap"]).axes
    assert lines(ax) == pytest.approx([0.3, 0.4])


@pytest.mark.parametrize(("events", "told"), [("bra", "did you mean 'bar'"), (3, "must be True, or the names of items"),
                                              ([], "must be True, or the names of items"), ([1], "must be True, or the names of items")])
def test_what_is_no_item_is_told(gate, events, told):
    with pytest.raises(ValueError, match=told):
        gate.plot("hinge.angle", events=events)


def test_many_events_stay_few_lines(gate):
    """Names may be anything, also formulas that nobody can read."""
    n = 100_000
    sol = pl.Solution(gate.model, gate.dynamics, gate.rows, gate.energies, gate.quality, complete=True, method=gate.method, step=gate.step,
                      stride=1, memory={})
    sol.happened = np.column_stack([np.zeros(n), np.linspace(0, 0.5, n), np.full((n, 2), np.nan)])
    sol.told = (Told("$\\frac{", ("$happens",), VALUES),)
    begun = time.process_time()
    fig = sol.plot("hinge.angle", events=True)
    fig.canvas.draw()
    assert time.process_time() - begun < 5.0
    (ax,) = fig.axes
    assert len(lines(ax)) <= event_lines.LINES and 10 < len(words(ax)) <= event_lines.LABELS
    assert words(ax)[0] == "$\\frac{ $happens"


def test_the_command(gate, tmp_path, capsys):
    gate.save(tmp_path / "run.h5")
    run, picture = str(tmp_path / "run.h5"), tmp_path / "run.svg"
    for more, count in (((), 0), (("--events",), 1)):
        assert cli.execute(["plot", run, "hinge.angle", *more, "-o", str(picture)]) == 0
        assert picture.read_text().count('id="LineCollection_') == count
    assert cli.execute(["plot", run, "hinge.angle", "--events", "--fft"]) != 0
    assert "--events marks plots over time" in capsys.readouterr().err


def test_joints_in_pictures_hold_as_long_as_in_the_run(gate, tmp_path):
    """Pins and bars of what holds nothing are gone; a locked joint is marked. From the file as well."""
    gate.save(tmp_path / "run.h5")
    for sol in (gate, pl.load(tmp_path / "run.h5")):
        s = scene(sol, np.array([0.05, 0.15, 0.25, 0.35, 0.45]))
        assert s.off["hinge"].tolist() == [False] * 4 + [True] and s.off["bar"].tolist() == [False] * 3 + [True] * 2
        assert s.locked["hinge"].tolist() == [False, True, False, False, False]

    stage = pictures.Stage(Figure(), scene(gate, np.array([0.05, 0.15, 0.45])), "xz", "gate", names=False)
    found = []
    for k in range(3):
        stage.draw(k)
        found.append([int(np.isfinite(line.get_xdata()).sum()) for line in (stage.pins, stage.locks, stage.links)])
    assert found == [[1, 0, 2], [1, 1, 2], [0, 0, 0]]
