"""Sub-assemblies of what joints at a point, loads of joints, couplings, loads with their opposite, groups and measures are: moved, turned
and mirrored."""
import numpy as np
import pytest

import pliant as pl
from pliant.items.base import matrix_of
from pliant.text.model_text import from_text, to_text

TURN, AWAY = pl.rotation((1, 2, -0.5), 0.7), np.array([0.4, -1.1, 2.0])


def part() -> pl.Model:
    m = pl.Model("leg")
    m.parameter("gain", "3 N*m")
    m.table("lift", pl.Table([-2, 0, 2, 5], [0.1, 0, 0.05, 0.2], beyond="extrapolated"))
    a = m.add(pl.RigidBody("a", mass=1.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0.1, 0), rotation=pl.rotation((0, 1, 1), 0.3)))
    b = m.add(pl.RigidBody("b", mass=2.0, inertia=(0.3, 0.2, 0.5), position=(1.2, 0.1, 0.3)))
    c = m.add(pl.RigidBody("c", mass=0.5, inertia=(0.03, 0.02, 0.05), position=(0.2, 0.8, 0.3)))
    m.add(pl.Revolute("A", m.ground, a, at=(0, 0.2, 0.1), axis=(0.3, 1, 0.2), angle_rate=1.0))
    m.add(pl.Spherical("B", a, b, at=(0.9, 0.1, 0.2)))
    m.add(pl.Prismatic("P", m.ground, c, at=(0.2, 0.7, 0.3), axis=(1, 0.2, 0.5)))
    m.add(pl.Universal("U", a, m.ground, at=(0.5, 0.1, 0), axis="z", axis_b="x", active=False))
    m.add(pl.Coupling("cam", "P.displacement", "lift(A.angle)"))
    m.add(pl.JointTorque("motor", "A", "gain*sin(3*t) - 0.2*A.angle_rate"))
    m.add(pl.Force("push", b.frame((0.1, 0, 0.2)), ("2*sin(t)", 1.0, "-b.velocity.z"), reaction=c))
    m.add(pl.Torque("twist", b, (0.1, "0.2*t", 0.3), axes="frame", reaction=a))
    m.add(pl.Variable("height", "b.position.y + 0.1*A.angle", "m"))
    m.add(pl.Force("wind", b, ("0.3*height", 0, "0.5")))
    m.add(pl.Group("both", [a, c]))
    m.add(pl.Measure("seen", a, b, axes="c"))
    return m


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("mirror", ["", "x", "y", "z"])
def test_a_sub_assembly_moves_as_its_image(mirror, coordinates):
    """p + R M r of every place, the same coordinates and efforts, images of momenta and of what is measured."""
    options = {"output_step": 0.1, "accuracy": 1e-10, "integrator": pl.DOP853(), "coordinates": coordinates}
    alone = part().simulate(1.0, **options)
    m = pl.Model("whole")
    leg = m.add(part(), name="left", position=tuple(AWAY), rotation=TURN, mirror=mirror)
    sol = m.simulate(1.0, **options)
    M = np.diag([-1.0 if k == mirror else 1.0 for k in "xyz"])
    T = matrix_of(TURN) @ M
    for body in "abc":
        np.testing.assert_allclose(sol[f"left.{body}.position"], AWAY + alone[f"{body}.position"] @ T.T, atol=1e-9)
    for channel in ("A.angle", "P.displacement", "motor.torque", "cam.effort", "height", "seen.distance", "push.power", "A.power"):
        np.testing.assert_allclose(sol[f"left.{channel}"], alone[channel], atol=1e-8, err_msg=channel)
    np.testing.assert_allclose(sol["left.both.momentum"], alone["both.momentum"] @ T.T, atol=1e-8)
    np.testing.assert_allclose(sol["left.seen.position"], alone["seen.position"] @ M, atol=1e-8)
    assert leg["both"].bodies == ("left.a", "left.c") and not m["left.U"].active
    text = to_text(m)
    assert to_text(from_text(text)) == text
    m.rename("left", "right")
    np.testing.assert_array_equal(m.simulate(0.2, **(options | {"output_step": 0.1})).rows, from_text(text).simulate(0.2, **options).rows)
    assert m["right.cam"].function == "right.lift(right.A.angle)" and m["right.push"].reaction.body == "right.c"


def test_a_frame_at_a_point_of_the_world_cannot_turn():
    m = part()
    m.add(pl.SpringDamper("s", m.ground.frame(at=(0, 0, 1)), "b", stiffness=3.0))
    whole = pl.Model("whole")
    whole.add(m, name="moved", position=(1, 0, 0))
    assert whole["moved.s"].a.at == (1.0, 0.0, 1.0)
    with pytest.raises(pl.ModelError, match="axes parallel to the world"):
        pl.Model("other").add(m, name="turned", rotation=TURN)
