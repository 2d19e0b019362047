"""Bodies whose mass changes: closed forms, balances with what has left, continuations, and what is wrong."""
import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import pliant as pl

G = 9.81


def body_with(flow, gravity=(0, 0, 0), **body):
    m = pl.Model("flow", gravity=gravity)
    m.add(pl.RigidBody("b", **{"mass": 100.0, "inertia": (10, 10, 2), "velocity": (0, 0, 0), "angular_velocity": (0, 0, 0), **body}))
    m.add(pl.MassFlow("F", "b", **flow))
    return m


BURN = {"mass": "100 - 8*t", "at": (0, 0, -1.0), "velocity": (0, 0, -2500)}


def test_a_rocket_is_that_of_tsiolkovsky(tmp_path):
    """v = u ln(m0 / m) - g t, with its balance of energy; a continuation is bit for bit what the run in one would be."""
    m = body_with(BURN, gravity=(0, 0, -G))
    sol = m.simulate(10.0, accuracy=1e-10)
    v = 2500 * np.log(100 / (100 - 8 * sol.t)) - G * sol.t
    np.testing.assert_allclose(sol["b.velocity.z"], v, rtol=1e-12, atol=1e-9)
    left = 100 - 8 * sol.t
    z = 2500 * (sol.t - left / 8 * np.log(100 / left)) - G * sol.t**2 / 2
    np.testing.assert_allclose(sol["b.position.z"], z, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(sol["F.mass"], left, rtol=1e-14)
    assert (sol["F.flow"][0], sol["F.thrust_z"][0]) == (-8.0, 20000.0)
    np.testing.assert_allclose(sol["model.momentum"][:, 2], left * v, rtol=1e-12, atol=1e-7)
    E = sol.energy.kinetic + sol.energy.potential
    np.testing.assert_allclose(E - E[0], sol.energy.work, rtol=0, atol=1e-12 * abs(E).max())
    parts = m.simulate(4.0, accuracy=1e-10, output_step=0.5).resume(6.0)
    whole = m.simulate(10.0, accuracy=1e-10, output_step=0.5)
    np.testing.assert_allclose(parts["b.velocity.z"], whole["b.velocity.z"], rtol=1e-12)
    implicit = m.simulate(10.0, integrator=pl.RadauIIA5(), accuracy=1e-9)
    assert implicit["b.velocity.z"][-1] == pytest.approx(v[-1], rel=1e-8)
    with pytest.raises(pl.SimulationError, match=r"'F': the mass of its body is no longer greater than zero, .* t = 12\.5") as stopped:
        m.simulate(14.0)
    assert stopped.value.solution.t[-1] > 12.0


def test_tanks_that_spin_and_a_cart_of_sand():
    """J w' + (J' + f G) w = 0 with J = m R^2 / 2: at the rim w = w0 m / m0, at the axis w = w0 m0 / m. F / f ln(m0 / m) of the cart."""
    rim = [(0.5 * np.cos(a), 0.5 * np.sin(a), 0) for a in np.arange(3) * 2 * np.pi / 3]
    disc = {"inertia": (6.25, 6.25, 12.5), "angular_velocity": (0, 0, 30.0)}
    for at, expected in ((rim, lambda x: x), ((0, 0, 0.3), lambda x: 1 / x)):
        sol = body_with({"mass": "100 - 5*t", "at": at}, **disc).simulate(10.0, accuracy=1e-11)
        np.testing.assert_allclose(sol["b.angular_velocity"][:, 2], 30 * expected(1 - sol.t / 20), rtol=1e-10)
        np.testing.assert_allclose(sol["b.position"], 0.0, rtol=0, atol=1e-9)
        E = sol.energy.kinetic
        np.testing.assert_allclose(E - E[0], sol.energy.work, rtol=0, atol=1e-9 * E.max())
    m = body_with({"mass": "if(t < 5, 100 - 10*t, 50)", "at": (0.3, 0, -0.2), "com": (0, 0, 0)}, velocity=(1.0, 0, 0))
    m.add(pl.Force("pull", "b", (200.0, 0, 0)))
    m.add(pl.Prismatic("rail", "ground", "b", axis="x"))
    sol = m.simulate(8.0, accuracy=1e-10)
    t = np.minimum(sol.t, 5.0)
    v = 1 + 20 * np.log(100 / (100 - 10 * t)) + 4 * (sol.t - t)
    np.testing.assert_allclose(sol["b.velocity.x"], v, rtol=1e-9)


def test_a_part_that_drops_off_keeps_its_velocity():
    """A mass that jumps: nothing else does."""
    sol = body_with({"mass": "if(t < 1, 100, 60)"}, velocity=(3.0, 0, 0), gravity=(0, 0, -G)).simulate(2.0)
    np.testing.assert_allclose(sol["b.velocity"], np.column_stack([3 + 0 * sol.t, 0 * sol.t, -G * sol.t]), rtol=0, atol=1e-9)
    assert sol["F.mass"][-1] == 60


def test_momentum_with_what_has_left():
    """A body tumbles while its mass, centre of mass and inertia change and mass leaves through two exits, off its axes: linear and angular
    momentum about the origin, of what is inside and of what has left, stay. Both are found here from the motion alone."""
    exits, com0 = np.array([(0.5, 0.2, -1.0), (-0.3, 0.1, -0.8)]), np.array((0.1, -0.2, 0.3))
    inertia = np.array([(5.0, 0.1, 0.2), (0.1, 6.0, 0.3), (0.2, 0.3, 7.0)])
    m = body_with({"mass": "10 - t - 0.1*t^2", "at": exits.tolist(), "velocity": ("2*t", -3.0, "-5 + t^2"),
                   "com": ("0.1 + 0.2*t", "-0.2 + 0.1*t^2", "0.3 - 0.3*sin(t)"),
                   "inertia": ("5 - t", "6 - 0.5*t^2", "7 - t", 0.1, 0.2, 0.3)},
                  mass=10.0, inertia=inertia, com=com0, velocity=(0.3, -0.2, 0.5), angular_velocity=(1.0, 2.0, 3.0))
    sol = m.simulate(2.0, accuracy=1e-11, output_step=0.001)
    t, R = sol.t, np.array([pl.items.base.matrix_of(q) for q in sol["b.rotation"].tolist()])

    def world(x):
        return np.einsum("nij,nj->ni", R, np.broadcast_to(x, (t.size, 3)))
    w = sol["b.angular_velocity"]
    r, v = sol["b.position"] + world(com0), sol["b.velocity"] + world(np.cross(w, com0))
    mass, flow, flow1 = 10 - t - 0.1 * t**2, 1 + 0.2 * t, 0.2
    d = np.column_stack([0.2 * t, 0.1 * t**2, -0.3 * np.sin(t)])
    d1 = np.column_stack([0.2 + 0 * t, 0.2 * t, -0.3 * np.cos(t)])
    I = np.zeros((t.size, 3, 3)) + inertia
    I[:, 0, 0], I[:, 1, 1], I[:, 2, 2] = 5 - t, 6 - 0.5 * t**2, 7 - t
    x, u = exits - com0, np.column_stack([2 * t, -3 + 0 * t, -5 + t**2])
    inside = -flow[:, None] * d + mass[:, None] * d1 + flow[:, None] * x.mean(0)
    P = mass[:, None] * (v + world(np.cross(w, d))) + world(inside)
    own = np.einsum("nij,nj->ni", I, w) + mass[:, None] * np.cross(d, np.cross(w, d))
    H = np.cross(r, P) + np.cross(world(mass[:, None] * d), v) + world(own)
    lost, turned = 0.0, 0.0
    for place in x:
        leaving = v + world(np.cross(w, place) + u)
        lost, turned = lost + flow[:, None] / 2 * leaving, turned + flow[:, None] / 2 * np.cross(r + world(place), leaving)
    assert flow1 > 0 and abs(P[-1] - P[0]).max() > 1.0
    for kept, rate in ((P, lost), (H, turned)):
        gone = cumulative_simpson(rate, x=t, axis=0, initial=0)
        np.testing.assert_allclose(kept + gone, np.broadcast_to(kept[0], kept.shape), rtol=0, atol=2e-8 * abs(kept).max())


@pytest.mark.parametrize(("fields", "message"), [
    ({"mass": "90 - t"}, "mass: is 90 kg at t = 0, where the body has 100 kg; let them agree"),
    ({"mass": "-1"}, "mass: is -1 kg at t = 0, must be greater than zero"),
    ({"mass": "100 - F.mass"}, "mass: depends on F.mass; it must be a function of t alone"),
    ({"mass": lambda t: 100.0}, "mass: is a Python function"),
    ({"mass": "if(t < 3, 100, 60)", "velocity": (0, 0, -5)}, r"mass: jumps at t = 3 s while mass leaves with a velocity"),
    ({"velocity": (0, 0)}, "velocity: .* must be 3 functions of t"), ({"inertia": (1, 2)}, "inertia: .* must be 3 or 6 functions of t"),
    ({"com": ("1 kg", 0, 0)}, r"com\[0\]"), ({"body": "ground"}, "body: 'ground' does not move; mass flows from and to rigid bodies"),
    ({"body": "c"}, "there is no body 'c'"), ({"body": "b.tip"}, "body: is a frame of 'b'; name the body itself")])
def test_wrong_flows(fields, message):
    m = pl.Model("wrong")
    m.add(pl.RigidBody("b", 100.0, (1, 1, 1), frames={"tip": (0, 0, 1)}))
    with pytest.raises(ValueError, match=message):
        m.add(pl.MassFlow("F", **{"body": "b", "mass": "100 - t", **fields}))
        m.compile()


def test_what_does_not_know_it_says_so():
    m = body_with(BURN)
    with pytest.raises(pl.ModelError, match="'F' changes the mass of its body, which joint coordinates do not know"):
        m.simulate(1.0, coordinates="joint")
    with pytest.raises(pl.ModelError, match="integrator energy-momentum: 'F' changes the mass of its body; it needs bodies whose inertia"):
        m.simulate(1.0, integrator="energy-momentum", step=0.01)
    m.add(pl.MassFlow("again", "b", "100 - t"))
    with pytest.raises(pl.ModelError, match="there is a mass_flow of 'b' already"):
        m.compile()
