"""What every kind says of itself, against the compiled model: channels, stiffness, equations, place in a tree, symbol."""
import re
from pathlib import Path

import numpy as np
import pytest
from every_kind import every_kind

import pliant as pl
from pliant.channel_values.observer import Observer, catalogue
from pliant.compile.vibration import Vibration
from pliant.items.base import matrix_of
from pliant.items.declarations import fault
from pliant.joint_space.topology import masses_of, spanning_forest
from pliant.kernels.state_row import parts, row_width

KIND = dict(every_kind())
VIEWER = Path(__file__).parents[2] / "viewer" / "src" / "symbols.ts"
DRAWN = {"", "diamond", "spring", "rod", "force", "torque"}  # elsewhere than in the table of symbols


def model_of(cls, *, apart: bool = False) -> pl.Model:
    """Its example between the ground and a body, whose frames coincide unless they shall be ``apart``."""
    m = pl.Model("example", gravity=(0, 0, -9.81))
    turn, at = pl.rotation((1, 2, 3), 0.4), (0.3, 0.2, 0.1)
    body = m.add(pl.RigidBody("B", mass=2.0, inertia=(1, 2, 3), position=at, rotation=turn))
    ground = m.ground.frame((0, 0, 0) if apart else at, turn)
    for item in cls.example(ground, body):
        m.add(item)
    return m


def observer_of(m: pl.Model) -> Observer:
    """Two rows of the pose as modelled."""
    d = m.compile()
    s = d.system
    rows = np.zeros((2, row_width(s.q0.size, s.n, s.histories)))
    own = parts(rows, s.q0.size, s.n)
    own["q"][:], own["v"][:] = s.q0, s.v0
    return Observer(d, rows, np.zeros((2, 3)))


@pytest.mark.parametrize("name", KIND)
def test_the_example_shows_the_kind(name):
    assert type(KIND[name].example("ground", "B")[-1]) is KIND[name]


@pytest.mark.parametrize("name", KIND)
def test_channels_are_what_they_are_said_to_be(name):
    m = model_of(KIND[name], apart=True)
    item, see = list(m)[-1], observer_of(m)
    found = catalogue(see.dynamics)
    for channel in item.channels():
        whole = f"{item.name}.{channel.name}" if channel.name else item.name
        assert found[whole] == (channel.unit, channel.size)
        value = see(whole)
        assert value.shape == ((2,) if channel.size == 1 else (2, channel.size)) and np.isfinite(value).all()


@pytest.mark.parametrize("name", KIND)
def test_stiffnesses_are_those_of_the_tangent(name):
    """u K u of the body's motion u along the declared direction; whatever is elastic must declare some."""
    m = model_of(KIND[name], apart=True)
    item, d = list(m)[-1], m.compile()
    record = d.directory.forces.get(item.name)
    v = Vibration(d, d.system.q0)
    K, R = d.system.dense(v.K), matrix_of(m["B"].rotation)
    declared = list(item.stiffnesses(v)) if record else []
    assert bool(declared) == bool(record and record.family.elastic)
    for along in declared:
        u = np.zeros(d.system.n)
        iv = d.directory.stated["B"].iv
        u[iv:iv + 3], u[iv + 3:iv + 6] = along.wrench[:3], R.T @ along.wrench[3:]
        assert np.linalg.norm(along.wrench) == pytest.approx(1.0, rel=1e-12)
        assert u @ K @ u == pytest.approx(along.stiffness, rel=1e-9)


@pytest.mark.parametrize("name", [n for n in KIND if n.startswith(("joints", "drives"))])
def test_equations_are_counted(name):
    m = model_of(KIND[name], apart=True)
    s = m.compile().system
    assert sum(j.used for j in s.joints) - len(s.lines) == sum(item.equations() for item in m)


@pytest.mark.parametrize("name", [n for n in KIND if n.startswith("joints") and getattr(KIND[n], "tree", None)])
def test_joint_coordinates_carry_what_says_so(name):
    cls, m = KIND[name], model_of(KIND[name])
    d = m.compile()
    found = spanning_forest(d.directory, masses_of(d.system))
    assert not fault(cls.tree, cls.constraints)
    assert [(link.kind, link.tree) for link in found.links] == [(cls.kind, cls.tree)] and not found.cut
    arm = m.joint_space()
    assert arm.coordinates == [f"J.{c}" for c in cls.tree.coordinates] and arm.u.size == cls.tree.freedom


def test_symbols_are_known_to_the_viewer():
    table = DRAWN | set(re.findall(r'case "(\w+)"', VIEWER.read_text(encoding="utf-8")))
    assert {name: cls.symbol for name, cls in KIND.items() if cls.symbol not in table} == {}
