"""The spanning forest: kinds, few equations left for loops, floating bases, and what users see of it."""
from itertools import combinations

import numpy as np
import pytest
from examples_of import example
from joint_models import CARRIERS, closed_chain, tree
from mechanisms import four_bar, slider_crank

import pliant as pl
from pliant.items.base import KINDS
from pliant.joint_space.topology import carried, masses_of, spanning_forest


def forest(m: pl.Model, cut=()):
    d = m.compile()
    return spanning_forest(d.directory, masses_of(d.system), cut)


@pytest.mark.parametrize("kind", CARRIERS)
def test_a_joint_is_known_by_its_equations(kind):
    found = forest(tree([kind, kind], springs=False))
    assert [link.kind for link in found.links] == [kind, kind] and not found.cut
    assert [link.reversed for link in found.links] == [False, True]


def test_joints_that_carry_no_body_are_cut_and_the_body_floats():
    m = pl.Model("pulled")
    m.add(pl.RigidBody("a", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(pl.Distance("rope", m.ground, "a"))
    found = forest(m)
    assert found.links[0].kind == "free" and found.cut == {"rope": ("ground", "a")}


def test_a_joint_of_primitives_is_the_joint_it_makes():
    m = pl.Model("primitives")
    m.add(pl.RigidBody("a", mass=1, inertia=(1, 1, 1)))
    m.add(pl.Joint("hinge", m.ground, "a", primitives=["coincident", ("d1", "x", "z"), ("d1", "y", "z")], axis=(0.6, 0, 0.8)))
    assert forest(m).links[0].kind == "revolute"


@pytest.mark.parametrize("name", ["andrews", "bricard", "double_four_bar", "cardan_shaft"])
def test_parents_come_first_and_every_body_once(name):
    m = example(name)()
    found, seen = forest(m), {"ground"}
    for link in found.links:
        assert link.parent in seen and link.body not in seen
        seen.add(link.body)
    assert seen == {"ground", *(b.name for b in m.section("bodies"))}


def test_as_few_equations_as_possible_close_loops():
    """Against all spanning trees of two coupled loops."""
    m = closed_chain(4, last="cylindrical")
    m.add(pl.Spherical("cross", m["rod0"].frame((0.1, 0.2, 0)), m["rod2"].frame((0, 0, 0))))
    d = m.compile()
    joints = d.directory.joints
    freedom = {name: carried(r)[1].freedom for name, r in joints.items()}
    best = min(sum(6 - freedom[n] for n in joints if n not in chosen) for chosen in combinations(joints, 4)
               if _spans([joints[n].bodies for n in chosen], 4))
    found = spanning_forest(d.directory, masses_of(d.system))
    assert sum(6 - freedom[n] for n in found.cut) == best


def _spans(pairs, n: int) -> bool:
    reached = {"ground"}
    for _ in range(n):
        reached |= {x for a, b in pairs for x in (a, b) if {a, b} & reached}
    return len(reached) == n + 1


def test_a_long_loop_is_cut_far_from_the_ground():
    found = forest(closed_chain(7, last="revolute"))
    lengths = [len(found.path(link.body)) for link in found.links]
    assert max(lengths) == 4 and len(found.loop(next(iter(found.cut)))) == 8


def test_driven_joints_stay_in_the_tree():
    m = four_bar()
    m.add(pl.Drive("C", "angle", "t"))
    assert "C" not in forest(m).cut


def test_bodies_without_mass_carry_others_where_they_can():
    """The coupler of a four-bar; not if it is a true end, nor if it is driven."""
    m = four_bar()
    m["top"].mass, m["top"].inertia = 0.0, (0.0, 0.0, 0.0)
    found = forest(m)
    assert next(link.parent for link in found.links if link.body in ("left", "right") and link.parent != "ground") == "top"
    m.add(pl.Drive("B", "angle", "t"))
    assert set(forest(m).cut) == {"C"}
    end = pl.Model("end")
    end.add(pl.RigidBody("leaf", mass=0, inertia=(0, 0, 0)))
    end.add(pl.Revolute("A", end.ground, "leaf"))
    assert [link.body for link in forest(end).links] == ["leaf"]


def test_users_can_say_which_joint_is_cut():
    assert set(forest(four_bar(), ["A"]).cut) == {"A"}
    with pytest.raises(ValueError, match="there is no joint 'Q'"):
        forest(four_bar(), ["Q"])


def test_the_base_of_a_floating_part_turns_least():
    assert forest(example("rotor")()).links[0].body == "hub"


def test_several_trees():
    m = tree(["revolute", "spherical"], floating=True, springs=False)
    m.add(pl.RigidBody("alone", mass=1, inertia=(1, 1, 1), position=(5, 5, 5)))
    m.add(pl.RigidBody("held", mass=1, inertia=(1, 1, 1), position=(0, 0, -2)))
    m.add(pl.Revolute("hinge", m.ground.frame((0, 0, -2)), "held"))
    assert [link.body for link in forest(m).links if link.parent == "ground"] == ["held", "base", "alone"]


def test_check_shows_the_tree():
    text = str(slider_crank().check())
    assert "  ground\n    crank  (A, revolute)\n      rod  (B, revolute)\n    slider  (D, prismatic)\n" in text
    assert "loop closed by C: rod - crank - ground - slider" in text


def test_couplings_are_shown():
    assert "joints coupled by mesh" in forest(example("gear_pair")()).text()


def test_a_long_tree_is_shortened():
    from pliant.proofs.benchmark_models import chain
    lines = str(chain(60).check()).splitlines()
    assert any("more lines" in line for line in lines) and len(lines) < 80


def test_free_coordinates_are_counted():
    rng = np.random.default_rng(0)
    kinds = list(rng.choice(CARRIERS, 9))
    assert forest(tree(kinds, floating=True)).freedom == 6 + sum(KINDS["joints"][k].tree.freedom for k in kinds)
