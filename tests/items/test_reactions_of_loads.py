"""Forces and torques between two bodies: the opposite acts on the other one."""
import numpy as np
import pytest

import pliant as pl
from pliant.items.base import matrix_of
from pliant.items.errors import ItemError
from pliant.text.model_text import from_text, to_text

FORMS = [pl.Index1(), pl.Recursion()]
LAW = ("3*cos(4*t)", "-2*a.velocity.x", "1.5 + b.position.y")


def free(load) -> pl.Model:
    """Two free bodies that spin in space, without gravity."""
    m = pl.Model("free")
    m.add(pl.RigidBody("a", 2.0, (0.1, 0.2, 0.3), com=(0.1, 0, 0.05), position=(0, 0, 0), rotation=pl.rotation((1, 2, 0), 0.4),
                       velocity=(0.1, 0.2, 0), angular_velocity=(0.3, 1.0, 2.0)))
    m.add(pl.RigidBody("b", 1.0, (0.03, 0.02, 0.04), com=(0, 0.02, 0), position=(0.5, 0.1, 0.2), rotation=pl.rotation((1, 1, 0), -0.7),
                       velocity=(0, 0, 0.3), angular_velocity=(-1.0, 0.5, 0.2)))
    m.add(load(m))
    return m


def momenta(m, sol):
    """Momentum, and angular momentum about the origin of the world."""
    p, L = 0.0, 0.0
    for name in "ab":
        body, R = m[name], np.array([matrix_of(q) for q in sol[f"{name}.rotation"]])
        arm, w = R @ np.array(body.com), np.einsum("nij,nj->ni", R, sol[f"{name}.angular_velocity"])
        v = sol[f"{name}.velocity"] + np.cross(w, arm)
        spin = np.einsum("nij,jk,nk->ni", R, body.inertia_matrix, sol[f"{name}.angular_velocity"])
        p, L = p + body.mass * v, L + spin + body.mass * np.cross(sol[f"{name}.position"] + arm, v)
    return p, L


@pytest.mark.parametrize("kind", [pl.Force, pl.Torque])
@pytest.mark.parametrize("axes", ["world", "frame"])
def test_momentum_and_energy_are_kept(kind, axes):
    m = free(lambda m: kind("F", m["a"].frame((0.2, 0.1, -0.1)), LAW, axes=axes, reaction=m["b"].frame((0.1, 0, 0.3))))
    runs = [m.simulate(0.8, accuracy=1e-11, formulation=f, integrator=pl.DOP853(), output_step=0.01) for f in FORMS]
    np.testing.assert_allclose(runs[0]["b.position"], runs[1]["b.position"], atol=1e-8)
    for sol in runs:
        for kept in momenta(m, sol):
            np.testing.assert_allclose(kept, kept[:1].repeat(len(kept), 0), atol=1e-9)
        balance = sol.energy.balance
        assert abs(balance - balance[0]).max() < 1e-9 and abs(sol.energy.work[-1]) > 1e-3


def test_where_the_frame_of_the_other_body_is_does_not_matter():
    one, other = (free(lambda m, p=p: pl.Force("F", "a", LAW, reaction=m["b"].frame(p))).simulate(0.5, accuracy=1e-10)
                  for p in ((0, 0, 0), (1, 2, 3)))
    np.testing.assert_allclose(one["b.position"], other["b.position"], atol=1e-8)


def test_a_torque_about_the_axis_is_a_joint_torque():
    motions = []
    for load in (lambda m: pl.JointTorque("F", "A", "0.3*sin(5*t)"),
                 lambda m: pl.Torque("F", "b", (0, 0, "0.3*sin(5*t)"), axes="frame", reaction="a")):
        m = pl.Model("pair")
        m.add(pl.RigidBody("a", 2.0, (0.1, 0.2, 0.3), position=(0, 0, 0), angular_velocity=(0.3, 1.0, 2.0)))
        m.add(pl.RigidBody("b", 1.0, (0.03, 0.02, 0.01), position=(0.5, 0.1, 0)))
        m.add(pl.Revolute("A", "a", "b", at=(0.2, 0, 0), axis="z"))
        m.add(load(m))
        motions.append(m.simulate(1.0, accuracy=1e-10, integrator=pl.DOP853(), formulation=pl.Index1()))
    np.testing.assert_allclose(motions[0]["A.angle"], motions[1]["A.angle"], atol=1e-9)
    np.testing.assert_allclose(motions[0].energy.work, motions[1].energy.work, atol=1e-9)


def test_round_trip_and_wrong_use():
    m = free(lambda m: pl.Force("F", "a", LAW, reaction=m["b"].frame((0.1, 0, 0.3))))
    text = to_text(m)
    assert from_text(text)["F"] == m["F"] and to_text(from_text(text)) == text
    with pytest.raises(ItemError, match="force 'F': reaction: 'a' is the body of frame itself"):
        pl.Force("F", "a", (0, 0, 1), reaction="a.end")
