"""Every joint in motion: two bodies in space, checked by the geometry of reported positions and rotations, not by its equations."""
import numpy as np
import pytest
from derivatives import random_rotation

import pliant as pl
from pliant.items.base import matrix_of

AXIS = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
POINT_A, POINT_B = np.array([0.4, 0.1, -0.2]), np.array([-0.1, 0.3, 0.2])


def swinging(joint, offset=(0.0, 0.0, 0.0), **options):
    """Body A on a ball joint to the ground, body B on A by ``joint``; B's point starts at A's point plus ``offset`` (axes of A)."""
    rng = np.random.default_rng(4)
    RA, RB = random_rotation(rng), random_rotation(rng)
    m = pl.Model("pair", gravity=(1.0, -2.0, -9.0))
    a = m.add(pl.RigidBody("A", 2.0, (0.3, 0.4, 0.5), rotation=RA, angular_velocity=(1.0, -2.0, 0.5), velocity=(0, 0, 0)))
    b = m.add(pl.RigidBody("B", 1.0, (0.1, 0.2, 0.15), rotation=RB, position=RA @ (POINT_A + np.asarray(offset)) - RB @ POINT_B))
    m.add(pl.Spherical("ball", m.ground, a))
    m.add(joint("J", a.frame(POINT_A), b.frame(POINT_B), **options))
    sol = m.simulate(0.4, step=5e-4)
    Ra, Rb = (np.array([matrix_of(q) for q in sol[f"{n}.rotation"]]) for n in "AB")
    d = sol["B.position"] + Rb @ POINT_B - sol["A.position"] - Ra @ POINT_A
    relative = np.einsum("nji,njk->nik", Ra, Rb)
    seen = np.einsum("nji,nj->ni", Ra, d)  # b's point from a's, in the axes of A
    return sol, seen, relative @ relative[0].T, relative


def turn_of(R):
    """Rotation vectors of small enough rotations."""
    u = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1) / 2
    s, c = np.linalg.norm(u, axis=1), (np.trace(R, axis1=1, axis2=2) - 1) / 2
    return u * np.where(s > 1e-12, np.arctan2(s, c) / np.maximum(s, 1e-12), 1.0)[:, None]


def same(x, y=0.0, tolerance=1e-9):
    np.testing.assert_allclose(x, np.broadcast_to(y, np.shape(x)), rtol=0, atol=tolerance)


def conserved(sol):
    assert sol.energy.drift < 2e-5 * sol["energy.kinetic"].max()
    assert abs(sol["B.angular_velocity"]).max() > 0.5


def test_revolute():
    sol, seen, turned, _ = swinging(pl.Revolute, axis=AXIS)
    same(seen)
    same(turn_of(turned), np.outer(sol["J.angle"], AXIS))
    same(np.gradient(sol["J.angle"], sol.t)[1:-1], sol["J.angle_rate"][1:-1], 2e-4)
    conserved(sol)


def test_spherical():
    sol, seen, turned, _ = swinging(pl.Spherical)
    same(seen)
    assert abs(turn_of(turned)).max() > 0.1
    conserved(sol)


def test_universal():
    axis_b = np.cross(AXIS, (1.0, 0, 0))
    sol, seen, turned, _ = swinging(pl.Universal, axis=AXIS, axis_b=axis_b)
    same(seen)
    other = turned @ (axis_b / np.linalg.norm(axis_b))
    same(other @ AXIS)
    assert abs(turn_of(turned) @ np.cross(AXIS, axis_b)).max() > 1e-3
    conserved(sol)


def test_prismatic():
    sol, seen, turned, _ = swinging(pl.Prismatic, offset=0.3 * AXIS, axis=AXIS)
    same(turned, np.eye(3))
    same(seen, np.outer(sol["J.displacement"] + 0.3, AXIS))
    same(np.gradient(sol["J.displacement"], sol.t)[1:-1], sol["J.displacement_rate"][1:-1], 1e-4)
    same(sol["J.displacement"][0])
    conserved(sol)


def test_cylindrical():
    sol, seen, turned, _ = swinging(pl.Cylindrical, axis=AXIS)
    same(seen, np.outer(sol["J.displacement"], AXIS))
    same(turn_of(turned), np.outer(sol["J.angle"], AXIS))
    assert abs(sol["J.displacement"]).max() > 0.05
    conserved(sol)


def test_planar():
    sol, seen, turned, _ = swinging(pl.Planar, axis=AXIS)
    same(seen @ AXIS)
    same(turn_of(turned), np.outer(sol["J.angle"], AXIS))
    assert abs(seen).max() > 0.05
    conserved(sol)


def test_fixed():
    sol, seen, turned, _ = swinging(pl.Fixed)
    same(seen)
    same(turned, np.eye(3))
    conserved(sol)


@pytest.mark.parametrize("lead", [0.5, -0.8])
def test_screw(lead):
    sol, seen, turned, _ = swinging(pl.Screw, offset=0.2 * AXIS, axis=AXIS, lead=lead)
    same(sol["J.displacement"], lead * sol["J.angle"] / (2 * np.pi))
    same(seen, np.outer(sol["J.displacement"] + 0.2, AXIS))
    same(turn_of(turned), np.outer(sol["J.angle"], AXIS))
    assert abs(sol["J.angle"]).max() > 0.05
    conserved(sol)


def test_distance():
    offset = np.array([0.3, 0.2, -0.4])
    sol, seen, _, _ = swinging(pl.Distance, offset=offset)
    same(np.linalg.norm(seen, axis=1), np.linalg.norm(offset))
    assert abs(seen - offset).max() > 0.05
    conserved(sol)


def test_point_on_line_and_plane():
    sol, seen, _, _ = swinging(pl.PointOnLine, axis=AXIS)
    same(seen - np.outer(seen @ AXIS, AXIS))
    same(seen @ AXIS, sol["J.displacement"])
    conserved(sol)
    sol, seen, _, _ = swinging(pl.PointOnPlane, axis=AXIS)
    same(seen @ AXIS)
    assert abs(seen).max() > 0.05
    conserved(sol)


def test_generic_joint_is_what_its_primitives_say():
    one = swinging(pl.Revolute, axis=AXIS)[0]
    two = swinging(pl.Joint, axis=AXIS, primitives=["coincident", ("d1", "x", "z"), ("d1", "y", "z")])[0]
    same(one["B.position"], two["B.position"], 1e-12)
    same(one["J.force"], two["J.force"], 1e-9)


def test_gear_rack_and_counted_turns():
    """Angles beyond a turn: a gear of ratio -2.5 and a rack follow a shaft driven through five turns."""
    m = pl.Model("train")
    places = {"s": (0, 0, 0), "g": (0.3, 0, 0), "r": (0, 0.1, 0)}
    bodies = {n: m.add(pl.RigidBody(n, 1.0, (0.1, 0.1, 0.1), position=p)) for n, p in places.items()}
    m.add(pl.Revolute("S", m.ground, bodies["s"], axis="z", zero=0.4))
    m.add(pl.Revolute("G", m.ground.frame((0.3, 0, 0)), bodies["g"], axis="z"))
    m.add(pl.Prismatic("R", m.ground.frame((0, 0.1, 0)), bodies["r"], axis="x"))
    m.add(pl.Gear("gear", "S", "G", ratio=-2.5))
    m.add(pl.RackPinion("rack", "R", "S", radius=0.1))
    m.add(pl.Drive("S", "angle", "0.4 + 10*pi*step(t, 0, 0, 1, 1)", name="motor"))
    sol = m.simulate(1.0, step=1e-3, output_step=0.25)
    shaft = np.array([0.4 + 10 * np.pi * u * u * (3 - 2 * u) for u in sol.t])
    same(sol["S.angle"], shaft)
    same(sol["G.angle"], -2.5 * (shaft - 0.4))
    same(sol["R.displacement"], 0.1 * (shaft - 0.4))
    same(sol["r.position.x"], 0.1 * (shaft - 0.4))
    acceleration = 10 * np.pi * (6 - 12 * sol.t)
    same(sol["gear.effort"], 0.1 * -2.5 * acceleration, 1e-7)  # torque on G: I times its acceleration
    same(sol["rack.effort"], 1.0 * 0.1 * acceleration, 1e-7)   # force on the rack: its mass times its acceleration
    same(sol["motor.effort"], (0.1 + 0.1 * 2.5**2 + 0.1**2) * acceleration, 1e-7)


def test_too_many_equations_are_refused():
    with pytest.raises(ValueError, match="7 equations"):
        pl.Joint("J", "A", "B", primitives=["coincident", "coincident", ("d2", "x")])
    m = pl.Model("over")
    m.add(pl.RigidBody("B", 1.0, (1, 1, 1)))
    m.add(pl.Revolute("J", m.ground, "B"))
    m.add(pl.Drive("J", "angle", "t", name="one"))
    m.add(pl.Drive("J", "angle", "t", name="two"))
    with pytest.raises(pl.ModelError, match="joint 'J'"):
        m.compile()


def test_reactions_in_the_axes_of_a():
    """A weight on a hinge about y of a turned frame: force_joint is the force in the axes of frame a."""
    turn = matrix_of(pl.rotation("x", 0.7))
    m = pl.Model("turned", gravity=(0, 0, -9.81))
    body = m.add(pl.RigidBody("b", 2.0, (0.1, 0.1, 0.1)))
    m.add(pl.Revolute("J", m.ground.frame((0, 0, 0), rotation=turn), body, axis="y"))
    sol = m.simulate(0.01, step=1e-3)
    same(sol["J.force"], (0, 0, 2 * 9.81))
    same(sol["J.force_joint"], sol["J.force"] @ turn)


def test_names_are_fixed_and_wrong_values_named():
    body = pl.RigidBody("b", 1.0)
    with pytest.raises(ValueError, match="its name is fixed"):
        body.name = "c"
    with pytest.raises(ValueError, match="rigid 'b': mass: -1 must be at least 0"):
        body.mass = -1
    with pytest.raises(ValueError, match="did you mean 'mass'"):
        pl.RigidBody("b", mas=1)
    with pytest.raises(ValueError, match="parallel to axis"):
        pl.Joint("J", "a", "b", primitives=["coincident"], axis="z", axis_x="z")
    with pytest.raises(ValueError, match="already gives the rotation"):
        pl.RigidBody.rod("r", (0, 0, 0), (1, 0, 0), 1.0, rotation=pl.rotation("z", 1.0))
    assert pl.RigidBody.rod("r", (0, 0, 0), (1, 0, 0), radius=0.1, density=1000).mass == pytest.approx(10 * np.pi)
