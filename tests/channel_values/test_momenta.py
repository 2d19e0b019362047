"""Centre of mass, momentum and angular momentum of models and groups: against bodies, mass points, and balances of forces."""
import numpy as np
import pytest
from flexible_trees import flexible_tree
from joint_models import tree
from point_masses import Points
from scipy.interpolate import CubicSpline
from sliding_models import floating

import pliant as pl
from pliant import flex
from pliant.items.base import matrix_of

TOGETHER = ("com.position", "com.velocity", "momentum", "angular_momentum", "angular_momentum_com")


def two_bodies(far=0.0) -> pl.Model:
    """Spinning off their axes, with a spring between them; free."""
    m = pl.Model("two")
    a = m.add(pl.RigidBody("a", mass=2.0, inertia=(1, 2, 2.5), com=(0.1, 0.2, 0.3), position=(far + 0.5, 0.1, 0.2),
                           rotation=pl.rotation((1, 2, 3), 0.7), velocity=(1, 2, 3), angular_velocity=(1, 5, 2)))
    b = m.add(pl.RigidBody("b", mass=3.0, inertia=(1, 2, 2.2), position=(far - 0.5, 0.4, 0.2), angular_velocity=(1, -5, 2)))
    m.add(pl.SpringDamper("s", a.frame((0.2, 0, 0.1)), b.frame((0, 0.3, 0)), 40.0, 2.0, 0.5))
    m.add(pl.Group("all", [b, "a"]))
    m.add(pl.Group("one", ["a"]))
    return m


def by_hand(sol, names):
    """m, com, P, L about the origin from the channels of rigid bodies, row by row."""
    m, moment, P, L = 0.0, 0.0, 0.0, 0.0
    for name in names:
        body = sol.model[name]
        R = np.array([matrix_of(q) for q in sol[f"{name}.rotation"]])
        w, arm = sol[f"{name}.angular_velocity"], R @ np.array(body.com)
        r = sol[f"{name}.position"] + arm
        v = sol[f"{name}.velocity"] + np.cross(np.einsum("nij,nj->ni", R, w), arm)
        spin = np.einsum("nij,jk,nk->ni", R, body.inertia_matrix, w)
        m, moment, P, L = m + body.mass, moment + body.mass * r, P + body.mass * v, L + np.cross(r, body.mass * v) + spin
    return m, moment / m, P, L


def test_rigid_bodies_and_groups_of_them():
    sol = two_bodies().simulate(1.0, accuracy=1e-9)
    for group, names in (("model", "ab"), ("all", "ab"), ("one", "a")):
        m, com, P, L = by_hand(sol, names)
        due = com, P / m, P, L, L - np.cross(com, P)
        for channel, expected in zip(TOGETHER, due, strict=True):
            np.testing.assert_allclose(sol[f"{group}.{channel}"], expected, rtol=0, atol=1e-13 * max(1, abs(expected).max()))
    np.testing.assert_allclose(sol["all.kinetic_energy"], sol["energy.kinetic"], rtol=1e-13)
    assert (sol["one.kinetic_energy"] < sol["energy.kinetic"]).all()
    for channel in ("momentum", "angular_momentum"):  # nothing acts from outside; the spring and its damper do inside
        assert np.ptp(sol[f"model.{channel}"], axis=0).max() < 1e-7
        assert np.ptp(sol[f"one.{channel}"], axis=0).max() > 1


def test_units_and_listing():
    sol = two_bodies().simulate(0.1)
    units = ["m", "m/s", "kg*m/s", "kg*m^2/s", "kg*m^2/s"]
    assert [sol.units[f"model.{c}"] for c in TOGETHER] == units == [sol.units[f"one.{c}"] for c in TOGETHER]
    assert sol.units["one.kinetic_energy"] == "J" and "model.kinetic_energy" not in sol.units  # that is energy.kinetic
    np.testing.assert_array_equal(sol["model.com.position.y"], sol["model.com.position"][:, 1])
    with pytest.raises(KeyError, match=r"no channel 'model\.momentun'; did you mean 'model\.momentum'"):
        sol["model.momentun"]


def test_far_from_the_origin_the_momentum_about_the_centre_of_mass_is_as_exact():
    near, far = (two_bodies(x).simulate(0.2, integrator=pl.RungeKutta4(), step=1e-3) for x in (0.0, 1e6))
    np.testing.assert_allclose(far["model.angular_momentum_com"], near["model.angular_momentum_com"], atol=1e-7)
    assert abs(far["model.angular_momentum"]).max() > 1e6


def test_a_free_symmetric_top_in_closed_form():
    """L = I w is constant in space, the momentum that of its mass; the axis turns about L with |L| / I_1."""
    m = pl.Model("top", gravity=(0, 0, -2.0))
    m.add(pl.RigidBody("top", mass=1.5, inertia=(0.2, 0.2, 0.35), position=(1, 2, 3), velocity=(0.5, 0, 0), angular_velocity=(3, 0, 7)))
    sol = m.simulate(2.0, accuracy=1e-10)
    L = np.array([0.2 * 3, 0, 0.35 * 7])
    np.testing.assert_allclose(sol["model.angular_momentum_com"], np.tile(L, (len(sol.t), 1)), atol=1e-9)
    np.testing.assert_allclose(sol["model.momentum"], 1.5 * np.column_stack([0.5 + 0 * sol.t, 0 * sol.t, -2 * sol.t]), atol=1e-12)
    np.testing.assert_allclose(sol["model.com.position"], np.column_stack([1 + 0.5 * sol.t, 2 + 0 * sol.t, 3 - sol.t**2]), atol=1e-12)
    r, p = sol["model.com.position"], sol["model.momentum"]
    np.testing.assert_allclose(sol["model.angular_momentum"], L + np.cross(r, p), atol=1e-9)


def test_a_flexible_body_against_its_mass_points():
    """Without stiffening a part of mass points is those points: everything is a sum over them."""
    rng = np.random.default_rng(3)
    points = Points(rng, 7)
    node = flex.Node(rng.normal(size=3), np.eye(3), *(0.4 * rng.normal(size=(2, 3, 7))))
    part = flex.Reduced([f"shape {k}" for k in range(7)], flex.Integrals(*points.integrals), points.K, {"n": node}, points.D, None)
    m = pl.Model("points", gravity=(0.4, 1.0, -9.0))
    m.add(pl.RigidBody("other", mass=1.0, inertia=(1, 1, 1), position=(4, 0, 0), angular_velocity=(1, 0, 0)))
    m.add(pl.ModalBody("body", part, position=(0.3, -0.2, 0.6), rotation=pl.rotation((1, -2, 0.5), 1.1), velocity=(0.4, -1, 0.2),
                       angular_velocity=(2, 1, -1.5), modal=0.1 * rng.normal(size=7), modal_rate=rng.normal(size=7)))
    m.add(pl.Force("pull", "body.n", (1.0, "3*sin(t)", 2.0)))
    m.add(pl.Group("g", ["body"]))
    sol = m.simulate(0.5, accuracy=1e-8, output_step=0.05)
    mass = points.mass
    for k in range(len(sol.t)):
        R, q, rate = matrix_of(sol["body.rotation"][k]), sol["body.modal"][k], sol["body.modal_rate"][k]
        r = sol["body.position"][k] + (points.u0 + points.psi @ q) @ R.T
        v = points.velocities(R, sol["body.velocity"][k], sol["body.angular_velocity"][k], q, rate)
        com, P, L = mass @ r / mass.sum(), mass @ v, np.cross(r, mass[:, None] * v).sum(0)
        due = com, P / mass.sum(), P, L, L - np.cross(com, P)
        for channel, expected in zip(TOGETHER, due, strict=True):
            np.testing.assert_allclose(sol[f"g.{channel}"][k], expected, rtol=0, atol=1e-12 * max(1, abs(expected).max()))
        assert sol["g.kinetic_energy"][k] == pytest.approx(mass @ (v**2).sum(1) / 2, rel=1e-12)


@pytest.mark.parametrize("turning", ["free", "none"])
def test_a_load_that_slides_on_a_vibrating_beam_in_free_flight(turning):
    """Nothing acts from outside: momentum stays, to rounding; the energy of all bodies is that of the model."""
    m = floating(turning)
    m.add(pl.Group("both", ["load", "beam"]))
    sol = m.simulate(0.3, integrator=pl.DOP853(), accuracy=1e-12)
    np.testing.assert_allclose(sol["both.kinetic_energy"], sol["energy.kinetic"], rtol=1e-12)
    for channel in ("momentum", "angular_momentum", "angular_momentum_com"):
        assert np.ptp(sol[f"both.{channel}"], axis=0).max() < 1e-12 * abs(sol[f"both.{channel}"]).max()


@pytest.mark.parametrize("make", [tree, flexible_tree], ids=["rigid", "flexible"])
def test_momentum_in_joint_coordinates_changes_by_what_acts(make):
    """d/dt P = m g, d/dt L = com x m g of a free tree under gravity; the same in absolute coordinates."""
    m = make(["revolute", "universal", "spherical"], seed=9, floating=True, springs=False)
    runs = [m.simulate(0.2, coordinates=c, accuracy=1e-10, output_step=2e-3) for c in ("joint", "absolute")]
    mass = sum(body.mass for body in m.section("bodies"))
    for sol in runs:
        weight = mass * np.array(m.gravity)
        np.testing.assert_allclose(sol["model.momentum"] - sol["model.momentum"][0], np.outer(sol.t, weight), atol=1e-7)
        moment = CubicSpline(sol.t, np.cross(sol["model.com.position"], weight)).antiderivative()(sol.t)
        np.testing.assert_allclose(sol["model.angular_momentum"] - sol["model.angular_momentum"][0], moment, atol=1e-6)
        np.testing.assert_allclose(CubicSpline(sol.t, sol["model.com.position"])(sol.t, 1), sol["model.com.velocity"], atol=1e-4)
    for channel in TOGETHER:
        np.testing.assert_allclose(runs[0][f"model.{channel}"], runs[1][f"model.{channel}"], atol=1e-10)


def test_forces_and_reactions_change_the_momentum():
    """d/dt P = weight + loads + reaction of the ground, of a flexible pendulum with a load at its end."""
    part = flex.reduce(flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.rectangle(0.02, 0.03), pl.STEEL, elements=8),
                       interfaces={"start": (0, 0, 0), "end": (1, 0, 0)}, modes=1)
    m = pl.Model("pendulum", gravity=(0.0, -9.81, 0.5))
    m.add(pl.ModalBody("rod", part, damping=0.05, rotation=pl.rotation((1, 0, 1), 0.4)))
    m.add(pl.Spherical("A", m.ground, "rod.start"))
    m.add(pl.Force("f", "rod.end", ("30*t", 4.0, -2.0), axes="frame"))
    h = 4e-6
    sol = m.simulate(0.001, integrator=pl.DOP853(), accuracy=1e-11, output_step=h)
    p = sol["model.momentum"]
    change = (p[:-4] - 8 * p[1:-3] + 8 * p[3:-1] - p[4:]) / (12 * h)
    force = sol["A.force"] + sol["f.force"] + part.integrals.m * np.array(m.gravity)
    np.testing.assert_allclose(change, force[2:-2], atol=1e-6 * abs(sol["A.force"]).max())


def test_bodies_without_mass():
    """They add nothing; a model without any mass has no such channels."""
    m = two_bodies()
    ghost = m.add(pl.RigidBody("ghost", mass=0.0, inertia=(0, 0, 0), position=m["a"].position, rotation=m["a"].rotation))
    m.add(pl.Fixed("glue", m["a"], ghost))
    m.add(pl.Group("more", [ghost, "a"]))
    sol, plain = m.simulate(0.1, accuracy=1e-9), two_bodies().simulate(0.1, accuracy=1e-9)
    for channel in TOGETHER:
        np.testing.assert_allclose(sol[f"more.{channel}"], sol[f"one.{channel}"], atol=1e-13)
        np.testing.assert_allclose(sol[f"model.{channel}"][-1], plain[f"model.{channel}"][-1], atol=1e-7)
    empty = pl.Model("empty")
    empty.add(pl.RigidBody("ghost", mass=0.0, inertia=(0, 0, 0)))
    empty.add(pl.Fixed("hold", empty.ground, "ghost"))
    assert not [c for c in empty.simulate(0.1).channels if c.startswith("model.")]
    empty.add(pl.Group("none", ["ghost"]))
    with pytest.raises(pl.ModelError, match="group 'none': ghost: without mass there is no centre of mass; name a body that has some"):
        empty.compile()


def test_a_group_of_bodies_that_are_not_there():
    m = two_bodies()
    m.add(pl.Group("g", ["a", "c"]))
    with pytest.raises(pl.ModelError, match="group 'g': there is no body 'c'; there are a, b") as found:
        m.compile()
    assert found.value.items == ("g", "c")


@pytest.mark.parametrize(("bodies", "told"), [
    ([], r"\[\] must be a list of bodies"), ("a", "'a' must be a list of bodies"), (None, "no value is given"), (3, "3 must be a list"),
    (["a", "a"], "'a' stands there twice"), (["ground"], "'ground' has no mass"), ([1.0], r"\[1\] must be a list of bodies")])
def test_groups_of_anything_else(bodies, told):
    with pytest.raises(pl.ItemError, match=f"group 'g': bodies: {told}"):
        pl.Group("g", bodies)


def test_files_and_resumed_runs_have_them(tmp_path):
    m = two_bodies()
    whole, half = m.simulate(0.4, accuracy=1e-8, output_step=0.02), m.simulate(0.2, accuracy=1e-8, output_step=0.02)
    half.save(tmp_path / "all.h5")
    half.save(tmp_path / "few.h5", record=["a.position"])
    for path in ("all.h5", "few.h5"):
        back = pl.load(tmp_path / path)
        assert [c for c in back.units if c not in half.units] == []
        for channel in ("model.angular_momentum_com", "one.kinetic_energy", "all.com.velocity"):
            np.testing.assert_array_equal(back[channel], half[channel])
            assert back.unit(channel) == half.unit(channel)
    again = pl.load(tmp_path / "few.h5").resume(0.2)
    np.testing.assert_allclose(again["all.momentum"][-1], whole["all.momentum"][-1], atol=1e-7)
