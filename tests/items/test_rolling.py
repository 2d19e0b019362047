"""Rows that hold for velocities only: blades, discs, spheres, wheelsets, against closed forms and laws of conservation."""
from pathlib import Path

import numpy as np
import pytest
from derivatives import PAIRS, ComplexStep, random_body, random_rotation
from point_masses import random_modal
from rolling_models import SLOPE, TILT, G, blade, disc, globe, turned, turntable, wheelset

import pliant as pl
from pliant.compile.array_builder import ArrayBuilder
from pliant.compile.system import System
from pliant.families.rolling import BALL, BLADE, GLOBE, POSITION, RIM, ROLLING, VELOCITY, WHEEL
from pliant.kernels import evaluation
from pliant.text.model_text import from_text
from pliant.text.model_writing import to_text

FREE = np.loadtxt(Path(__file__).parents[1] / "support" / "rolling_disc.csv", delimiter=",", skiprows=1)
EXPLICIT = {"integrator": pl.DOP853(), "formulation": pl.Index1()}
ROWS = [(RIM, 2, POSITION), (RIM, 0, VELOCITY), (BALL, 1, VELOCITY), (BALL, 2, POSITION), (WHEEL, 1, VELOCITY), (BLADE, 0, VELOCITY),
        (GLOBE, 2, POSITION), (GLOBE, 0, VELOCITY), (GLOBE, 1, VELOCITY)]


def rows(bodies, seed=0):
    """One row of each kind between two random frames on the bodies named."""
    rng = np.random.default_rng(seed)
    b = ArrayBuilder((0.3, -0.7, -9.81), coupled=True)
    make = {"rigid": random_body, "modal": random_modal, "ground": lambda b, name, rng: b.ground}
    places = [make[kind](b, f"body {k}", rng) for k, kind in enumerate(bodies.split())]
    fb, fa = (b.frame(place, rng.normal(size=3), random_rotation(rng)) for place in places)
    joints = [b.equations(f"joint {k}", (fa, fb)) for k in range(2)]
    kept = b.history(3)
    for k, (kind, which, level) in enumerate(ROWS):
        row = joints[k // 6].take()
        b.velocity_rows += [row] if level == VELOCITY else []
        b.pair(ROLLING, "joint", fa, fb, (kind, which, level, kept), (0.4, -0.7, 0.3), joint=joints[k // 6], row=row, velocity=True)
    return ComplexStep(System(b))


@pytest.mark.parametrize("bodies", PAIRS)
def test_derivatives_are_exact(bodies):
    c = rows(bodies)
    for coefficients in ((1.0, 0.0, 0.0), (0.7, 0.5, 0.3), (0.7, 0.0, 0.3)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-12 * abs(expected).max())


@pytest.mark.parametrize("bodies", PAIRS)
def test_rates_are_time_derivatives(bodies):
    """V of a gap is g_q v; of both levels R is V_q v + V_v a."""
    c = rows(bodies)
    s, x = c.system, c.real
    x.V[:] = 0
    evaluation.run(s.program("rates"), s.data, x, c.t, 0.0, 0.0, 0.0)
    V, R, joint = x.V.copy(), x.R.copy(), np.arange(s.n_v, s.n_v + len(ROWS))
    gaps = np.setdiff1d(joint, s.data.speeds)
    np.testing.assert_allclose(V[gaps], c.residual(x.v, "q")[gaps], rtol=0, atol=1e-12 * abs(V).max())
    moved = c.memory(x.v, "q", "rates").V[joint].imag + c.memory(x.a, "v", "rates").V[joint].imag
    np.testing.assert_allclose(R[joint], moved / 1e-30, rtol=0, atol=1e-12 * abs(R).max())


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_blade_on_a_slope_runs_in_cycloids(coordinates):
    sol = blade().simulate(3.0, accuracy=1e-8, integrator=pl.DOP853(), coordinates=coordinates)
    A, wt = G * np.sin(SLOPE) / 8, 2 * sol.t
    p = sol["blade.position"]
    np.testing.assert_allclose(p[:, 0], A * np.sin(wt)**2, rtol=0, atol=1e-10)
    np.testing.assert_allclose(p[:, 1], A * (wt - np.sin(2 * wt) / 2), rtol=0, atol=1e-10)
    assert A * np.sin(2)**2 == pytest.approx(0.506945122521001, rel=1e-12)
    side = 2.0 * (2 * np.einsum("ni,ni->n", sol["blade.velocity"], np.column_stack([np.cos(wt), np.sin(wt), 0 * wt]))
                  + G * np.sin(SLOPE) * np.sin(wt))  # m (w v + g_side)
    np.testing.assert_allclose(sol["edge.side_force"], side, rtol=0, atol=1e-9)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_free_rolling_of_a_disc(coordinates):
    """Against an integration of the classical equations at 1e-12."""
    sol = disc().simulate(5.0, accuracy=1e-8, integrator=pl.DOP853(), coordinates=coordinates)
    at = [int(abs(sol.t - t).argmin()) for t in FREE[:, 0]]
    assert abs(sol.t[at] - FREE[:, 0]).max() < 1e-12
    assert abs(sol["disc.position"][at] - FREE[:, 1:4]).max() < 1e-8
    energy = sol["energy.kinetic"] + sol["energy.potential"]
    assert np.ptp(energy) < 1e-9 * energy[0]
    touching = sol["roll.contact_point"]
    assert abs(touching[:, 2]).max() < 1e-12
    slip = sol["disc.velocity"] + np.cross(world(sol, "disc"), touching - sol["disc.position"])
    assert abs(slip).max() < 1e-9
    push = sol["disc.acceleration"] + np.array([0, 0, G])
    np.testing.assert_allclose(sol["roll.normal_force"], push[:, 2], rtol=0, atol=1e-8)
    np.testing.assert_allclose(sol["roll.friction_force"], push * (1, 1, 0), rtol=0, atol=1e-8)
    np.testing.assert_allclose(sol["roll.friction_ratio"], np.hypot(push[:, 0], push[:, 1]) / push[:, 2], rtol=1e-8)


def world(sol, body):
    """Angular velocity in world axes."""
    from pliant.items.base import matrix_of
    return np.array([matrix_of(q) @ w for q, w in zip(sol[f"{body}.rotation"], sol[f"{body}.angular_velocity"], strict=True)])


def test_off_all_axes_and_among_other_bodies_it_moves_alike():
    plain, other = (m.simulate(1.0, accuracy=1e-8, **EXPLICIT) for m in (disc(), disc(by=TILT, others=2)))
    np.testing.assert_allclose([turned(p) for p in plain["disc.position"]], other["disc.position"], rtol=0, atol=1e-9)


def test_steady_rolling_of_a_disc():
    """Precession on a contact circle of 2 m, tilted by 20 degrees."""
    rate, lean, radius, R = 1.1320311519884159, np.radians(20), 2.0, 0.5
    theta = np.pi / 2 - lean  # the axis points up and outwards: its horizontal part is along -y at the start
    about = -radius * rate / R
    spin = (0.0, rate * np.sin(theta), about + rate * np.cos(theta))
    sol = disc(theta=theta, spin=spin).simulate(3.0, accuracy=1e-8, **EXPLICIT)
    c = sol["disc.position"]
    assert np.ptp(c[:, 2]) < 1e-9
    middle, distance = np.array([0, (radius - R * np.sin(lean)), 0]), radius - R * np.sin(lean)
    turn = np.unwrap(np.arctan2(*(c - middle)[:, 1::-1].T))
    np.testing.assert_allclose(np.linalg.norm((c - middle)[:, :2], axis=1), distance, rtol=1e-9)
    np.testing.assert_allclose((turn - turn[0])[1:] / sol.t[1:], rate, rtol=1e-9)
    np.testing.assert_allclose(sol["roll.friction_ratio"], 0.238923607226531, rtol=1e-8)


def test_a_sphere_on_a_turntable_and_on_a_slope():
    sol = turntable().simulate(4.0, accuracy=1e-8, **EXPLICIT)
    v = sol["ball.velocity"][:, :2]
    turn = np.unwrap(np.arctan2(v[:, 1], v[:, 0]))
    np.testing.assert_allclose((turn - turn[0])[1:] / sol.t[1:], 2 * 5.0 / 7, rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(v, axis=1), 0.5, rtol=1e-9)
    m = pl.Model("slope", gravity=(0, 0, -G))
    up = (-np.sin(SLOPE), 0, np.cos(SLOPE))
    m.add(pl.RigidBody("ball", mass=2.0, inertia=(0.008, 0.008, 0.008), position=tuple(0.1 * np.array(up))))
    m.add(pl.RollingSphere("roll", "ground", "ball", radius=0.1, axis=up))
    sol = m.simulate(2.0, accuracy=1e-8, **EXPLICIT)
    assert np.linalg.norm(sol["ball.position"][-1] - sol["ball.position"][0]) == pytest.approx(5 / 7 * G * np.sin(SLOPE) * 2, rel=1e-9)
    np.testing.assert_allclose(sol["roll.friction_ratio"], 2 / 7 * np.tan(SLOPE), rtol=1e-9)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_ball_on_a_sphere_and_in_a_bowl(coordinates):
    """On it the normal force is m g (17 cos a - 10) / 7, so it would leave at cos a = 10/17; in it the ball is a pendulum."""
    how = {"accuracy": 1e-8, "integrator": pl.DOP853(), "coordinates": coordinates}
    sol = globe(0.1).simulate(2.0, **how)
    height = sol["ball.position"][:, 2] / 1.1
    np.testing.assert_allclose(sol["roll.normal_force"], 2 * G * (17 * height - 10 * np.cos(0.1)) / 7, rtol=0, atol=1e-6)
    assert sol["roll.normal_force"].min() < 0 and abs(np.linalg.norm(sol["ball.position"], axis=1) - 1.1).max() < 1e-12
    from scipy.special import ellipk
    period = 4 * ellipk(np.sin(0.5)**2) * np.sqrt(7 * 0.9 / (5 * G))
    sol = globe(1.0, inside=True).simulate(2 * period, **how)
    assert np.linalg.norm(sol["ball.position"][-1] - sol["ball.position"][0]) < 1e-7
    space = [globe(1.0, True, velocity=turned((0, 1.5, 0), by), by=by).simulate(4.0, **how) for by in ((1.0, 0, 0, 0), TILT)]
    np.testing.assert_allclose([turned(p) for p in space[0]["ball.position"]], space[1]["ball.position"], rtol=0, atol=1e-8)
    np.testing.assert_allclose([turned(p) for p in space[0]["roll.friction_force"]], space[1]["roll.friction_force"], rtol=0, atol=1e-6)
    energy = space[1]["energy.kinetic"] + space[1]["energy.potential"]
    assert np.ptp(energy) < 1e-9 * abs(energy[0])
    push = 2 * (space[0]["ball.acceleration"] + (0, 0, G))
    n = -space[0]["ball.position"] / 0.9
    force = space[0]["roll.friction_force"] + n * space[0]["roll.normal_force"][:, None]
    np.testing.assert_allclose(force, push, rtol=0, atol=1e-8)


def test_the_wave_of_klingel():
    sol = wheelset().simulate(40.0, accuracy=1e-8, **EXPLICIT)
    x, y = sol["wheels.position"][:, 0], sol["track.lateral"]
    wave = 16.50457759138556
    np.testing.assert_allclose(y, 1e-4 * np.cos(2 * np.pi * x / wave), rtol=0, atol=1e-10)
    assert abs(sol["wheels.position"][:, 2] - 0.46).max() < 1e-12
    weight = 1500 * G
    np.testing.assert_allclose(sol["track.left_normal_force"] + sol["track.right_normal_force"], weight, rtol=1e-9)
    spin = 100 / 0.46 * np.gradient(sol["track.yaw"], sol.t, edge_order=2)  # the rate of its angular momentum along the rails, to the right
    moment = -0.46 * sol["track.lateral_force"] - spin + weight * y  # about the middle of the axle
    np.testing.assert_allclose(sol["track.left_normal_force"] - weight / 2, moment / 1.5, rtol=0, atol=1e-6)


def test_large_waves_of_a_wheelset_are_those_of_a_pendulum():
    """y' = w R sin psi, psi' = -w c y / h for any spin w: c y^2 / 2 h - R cos psi stays what it was."""
    sol = wheelset(lateral=2.0).simulate(20.0, accuracy=1e-8, **EXPLICIT)
    kept = 0.05 * sol["track.lateral"]**2 / 1.5 - 0.46 * np.cos(sol["track.yaw"])
    assert np.ptp(sol["track.yaw"]) > 0.8 and np.ptp(kept) < 1e-9


IMPLICIT = {
    "radau": (pl.RadauIIA5(), pl.StabilizedIndex2(), 1e-8, 1e-7),
    "bdf": (pl.BDF(), pl.StabilizedIndex2(), 1e-6, 2e-5),
    "bdf on index 3": (pl.BDF(), pl.Index3(), 1e-6, 2e-5),
    "radau in joint coordinates": (pl.RadauIIA5(), pl.Recursion(), 1e-8, 1e-7),
    "generalized-alpha": (pl.GeneralizedAlpha(0.8), pl.Index3(), 1e-5, 2e-4),
}


@pytest.mark.parametrize("name", IMPLICIT)
def test_implicit_methods_with_error_control(name):
    method, form, accuracy, allowed = IMPLICIT[name]
    sol = disc().simulate(5.0, accuracy=accuracy, integrator=method, formulation=form)
    assert abs(sol["disc.position"][-1] - FREE[-1, 1:4]).max() < allowed
    assert sol.quality.position_violation < 1e-7


@pytest.mark.parametrize("method, order", [(pl.GeneralizedAlpha(0.8), 2), (pl.GeneralizedAlpha(0.5, newton="full"), 2), (pl.HHT(), 2)])
def test_orders_of_fixed_steps(method, order):
    """Of positions and of friction, a multiplier of velocity rows."""
    ends, grip = [], []
    exact = disc().simulate(1.0, accuracy=1e-11, **EXPLICIT)
    for h in (0.01, 0.005):
        sol = disc().simulate(1.0, step=h, integrator=method, formulation=pl.Index3())
        ends.append(abs(sol["disc.position"][-1] - FREE[20, 1:4]).max())
        grip.append(abs(sol["roll.friction_force"][-1] - exact["roll.friction_force"][-1]).max())
    assert np.log2(ends[0] / ends[1]) == pytest.approx(order, abs=0.1)
    assert np.log2(grip[0] / grip[1]) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("form", [pl.Index1(None), pl.Index1(pl.Baumgarte(10, 10)), pl.NullSpace(), pl.CoordinatePartitioning(),
                                  pl.AugmentedLagrangian()], ids=lambda f: f.kind)
def test_formulations(form):
    sol = disc().simulate(1.0, accuracy=1e-8, integrator=pl.DOP853(), formulation=form)
    assert abs(sol["disc.position"][-1] - FREE[20, 1:4]).max() < 1e-7


def test_what_is_no_matter_of_positions_alone_is_refused():
    for method, form in ((pl.DIMCD(), None), (pl.EnergyMomentum(), None)):
        with pytest.raises(pl.ModelError, match=r"joint 'roll' holds velocities only; its .* take another"):
            disc().simulate(0.1, step=1e-3, integrator=method, formulation=form)
    pushed = disc()
    pushed.add(pl.Force("push", "disc", vector=("1", "0", "0")))
    for analysis, more in (("static", {}), ("modes", {}), ("linearize", {"inputs": ["push"], "outputs": ["disc.velocity"]})):
        with pytest.raises(pl.ModelError, match="joint 'roll' holds velocities only; it leaves more positions than velocities"):
            getattr(pushed, analysis)(**more)


@pytest.mark.parametrize("how", [{"accuracy": 1e-8, **EXPLICIT}, {"accuracy": 1e-5, "integrator": pl.GeneralizedAlpha(0.8)},
                                 {"accuracy": 1e-7, "integrator": pl.RadauIIA5(), "formulation": pl.StabilizedIndex2()}],
                         ids=["explicit", "generalized-alpha", "radau"])
def test_a_blade_that_is_set_down_and_lifted(how):
    """Its speed across is lost in an impact; while it holds the speed along turns with it, and behind that the motion is straight."""
    m = pl.Model("skate")
    m.add(pl.RigidBody("skate", mass=2.0, inertia=(0.1, 0.2, 0.3), velocity=(1, 0.5, 0), angular_velocity=(0, 0, 2.0)))
    m.add(pl.Planar("ice", "ground", "skate", axis="z"))
    m.add(pl.KnifeEdge("edge", "ground", "skate", axis="y", connected=False))
    m.add(pl.Event("down", "t > 0.5", [pl.Connect("edge")]))
    m.add(pl.Event("up", "t > 1", [pl.Break("edge")]))
    sol = m.simulate(1.5, **how)
    angle = 2 * np.clip(sol.t, 0.5, 1)
    along = np.cos(1) + 0.5 * np.sin(1)
    expected = np.where(sol.t[:, None] < 0.5, (1, 0.5, 0), along * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle]))
    apart = abs(sol.t - 0.5) > 1e-6
    np.testing.assert_allclose(sol["skate.velocity"][apart], expected[apart], rtol=0, atol=1e-4 if how["accuracy"] > 1e-6 else 1e-6)
    assert sol["energy.dissipated"][-1] == pytest.approx(1.25 - along**2, abs=1e-6)
    assert abs(sol["edge.side_force"][(sol.t < 0.5) | (sol.t > 1)]).max() < 1e-12
    assert sol["edge.side_force"][(sol.t > 0.6) & (sol.t < 0.9)] == pytest.approx(2 * 2 * along, abs=1e-2)


def test_degrees_of_freedom_are_two_numbers():
    report = disc().check()
    assert (report.equations, report.degrees_of_freedom, report.rolling) == (1, 5, 2)
    assert "degrees of freedom  5 of positions, 3 of velocities" in str(report)
    assert (blade().check().degrees_of_freedom, blade().check().rolling) == (3, 1)
    assert (wheelset().check().degrees_of_freedom, wheelset().check().rolling) == (4, 3)
    assert disc().check().unique_reactions
    held = disc()
    held.add(pl.Fixed("held", "ground", "disc"))
    assert held.check().rolling == 0


def test_a_wheel_held_in_its_plane():
    """Its lateral row follows from the joint that holds it: friction across the plane is not unique, and nothing else suffers."""
    m = pl.Model("wheel", gravity=(1.0, 0, -G))
    m.add(pl.RigidBody("wheel", mass=2.0, inertia=(0.1, 0.2, 0.1), position=(0, 0, 0.3)))
    m.add(pl.Planar("plane", "ground", "wheel", axis="y"))
    m.add(pl.RollingDisc("roll", "ground", "wheel", radius=0.3, axis="z", axis_b="y"))
    report = m.check()
    assert (report.degrees_of_freedom, report.rolling, report.unique_reactions) == (2, 1, False)
    assert report.not_unique == {"roll": "forces of friction"}
    for how in ({"accuracy": 1e-8, **EXPLICIT}, {"accuracy": 1e-7, "integrator": pl.RadauIIA5(), "formulation": pl.StabilizedIndex2()},
                {"accuracy": 1e-4, "integrator": pl.GeneralizedAlpha(0.8)}):
        sol = m.simulate(2.0, **how)
        np.testing.assert_allclose(sol["wheel.position"], np.outer(sol.t**2 / 2, (1 / (1 + 0.2 / 0.18), 0, 0)) + (0, 0, 0.3), atol=1e-9)
        np.testing.assert_allclose(sol["roll.friction_ratio"], (2 - 2 / (1 + 0.2 / 0.18)) / 2 / G, rtol=1e-6)


def test_bad_input_is_told():
    for cls, wrong, told in (
            (pl.RollingDisc, {"radius": -0.3}, "radius"),
            (pl.RollingDisc, {"radius": 0.3, "axis": "z", "axis_b": "z"}, "a disc that lies flat does not roll"),
            (pl.RollingDisc, {"radius": 0.3, "at": (0, 0, 0)}, "name two frames instead"),
            (pl.RollingSphere, {"radius": 0.0}, "radius"),
            (pl.RollingSphere, {"radius": 0.2, "inside": True}, "inside of which sphere"),
            (pl.RollingSphere, {"radius": 0.2, "sphere": 0.1, "inside": True}, "must be larger than the radius 0.2 m"),
            (pl.Wheelset, {"radius": 0.4, "gauge": 0.0, "conicity": 0.1}, "gauge"),
            (pl.Wheelset, {"radius": 0.4, "gauge": 1.5, "conicity": 1.1}, "conicity: 1.1 must be between -1 and 1"),
            (pl.Wheelset, {"radius": 0.4, "gauge": 1.5, "conicity": 0.1, "axis_b": "x"}, "the axle must lie across them"),
            (pl.Wheelset, {"radius": 0.4, "gauge": 1.5, "conicity": 0.1, "along": (1, 0, 1)}, "must be perpendicular to axis")):
        with pytest.raises(pl.ItemError, match=told):
            cls("J", "ground", "B", **wrong)
    apart = disc()
    apart["disc"].position = (0, 0, 0.7)
    with pytest.raises(pl.ModelError, match="joint 'roll' is open by 217 mm"):
        apart.simulate(0.1)
    near = disc()
    near["disc"].position = (0, 0, 0.4829)  # moved onto the plane
    assembled = near.assemble()
    assert assembled.before["roll"].mm == pytest.approx(0.0629131, abs=1e-6) and assembled.after["roll"].mm < 1e-12
    assert 0 < assembled.moved["disc"].mm < 0.0629131
    slips = disc()
    slips["disc"].velocity = (0, 0, 0)
    with pytest.raises(pl.ModelError, match="contradict"):
        slips.simulate(0.1)


def test_as_text_and_in_mirrors():
    """A disc in a sub-assembly that is mirrored runs along the mirror image of its way."""
    m = disc(by=TILT)
    text = from_text(to_text(m))
    plain = m.simulate(1.0, accuracy=1e-8, **EXPLICIT)["disc.position"]
    np.testing.assert_allclose(text.simulate(1.0, accuracy=1e-8, **EXPLICIT)["disc.position"], plain, rtol=0, atol=1e-12)
    m.gravity = tuple(np.array(m.gravity) * (1, -1, 1))
    both = pl.Model("both", gravity=m.gravity)
    both.add(m, name="twin", mirror="y")
    image = both.simulate(1.0, accuracy=1e-8, **EXPLICIT)["twin.disc.position"]
    np.testing.assert_allclose(image, plain * (1, -1, 1), rtol=0, atol=1e-9)
