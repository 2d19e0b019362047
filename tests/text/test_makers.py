"""Bodies that a maker made are written as such, so that they follow their numbers after they were read again."""
import pliant as pl
from pliant.text.model_text import from_text, to_text


def test_makers_are_written_as_makers():
    m = pl.Model("made")
    m.add(pl.RigidBody.rod("rod", (0, 0, 0), (1, 0.2, 0), mass=2, velocity_at_end=(0, 0, 1), frames={"p": (0.1, 0, 0)}))
    m.add(pl.RigidBody.box("box", (1, 2, 3), density=100, rotation=pl.rotation((3, 1, 2), 0.3), position=(1, 2, 3)))
    m.add(pl.RigidBody.cylinder("disc", radius=0.1, length=1, mass=1))
    m.add(pl.RigidBody.point_mass("point", 2.0, position=(1, 0, 0)))
    moved = m.add(pl.RigidBody.rod("moved", (0, 0, 0), (1, 0.2, 0), mass=2))
    moved.position = (3, 0, 0)  # no longer where its maker put it
    text = to_text(m)
    again = from_text(text)
    assert to_text(again) == text
    assert "rod: {start: [0, 0, 0], end: [1, 0.2, 0]" in text and "velocity_at_end: [0, 0, 1]" in text and "density: 100" in text
    for item in m:
        assert again[item.name] == item
    again.set("rod.mass", 4.0)
    assert again["rod"].inertia == pl.RigidBody.rod("rod", (0, 0, 0), (1, 0.2, 0), mass=4.0).inertia
    assert "inertia" in text.split("moved:")[1] and "rod:" not in text.split("moved:")[1]
