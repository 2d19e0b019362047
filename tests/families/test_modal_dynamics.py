"""Flexible bodies in motion: closed forms, published results, invariants, and all methods."""
import numpy as np
import pytest
from flexible_models import END, END_FORCES, END_RATES, STEEL, rod, simeon, slider_crank, spin_up

import pliant as pl
from pliant import flex
from pliant.flex import mean_axes
from pliant.items.base import matrix_of
from pliant.kernels import evaluation
from pliant.kernels.state_row import parts
from pliant.start.assembly import start_row


def run(model, duration, **options):
    return model.simulate(duration, progress=False, **options)


# -- closed forms
def test_a_cantilever_bends_as_it_must():
    """Tip forces along and across, and its own weight: exact for the beam's static shapes (Euler and Bernoulli)."""
    E, (b, h), L = STEEL.E, (0.02, 0.03), 1.0
    turn = matrix_of(pl.rotation((0.3, 1, -0.5), 1.1))
    m = pl.Model("cantilever")
    m.add(pl.ModalBody("rod", rod(), position=(0.2, -0.1, 0.4), rotation=turn, stiffening="off"))
    m.add(pl.Fixed("clamp", m.ground.frame((0.2, -0.1, 0.4)), "rod.start"))
    m.add(pl.Force("load", "rod.end", (100.0, 20.0, -30.0), axes="frame"))
    m["load"].axes, m["load"].vector = "world", tuple(turn @ (100.0, 20.0, -30.0))
    found = m.static()
    tip = turn.T @ (found["rod.end.position"] - (0.2, -0.1, 0.4)) - (L, 0, 0)
    expected = np.array([100.0 * L / (E * b * h), 20.0 * L**3 / (3 * E * h * b**3 / 12), -30.0 * L**3 / (3 * E * b * h**3 / 12)])
    np.testing.assert_allclose(tip, expected, rtol=1e-6)


def test_reactions_of_a_swinging_rod_carry_its_momentum():
    """Of the hinge: m times the acceleration of the centre of mass, by differences of the momentum, minus its weight."""
    m = pl.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    m.add(pl.ModalBody("rod", rod(), damping=0.05, stiffening="on", rotation=pl.rotation((1, 0, 1), 0.4)))
    m.add(pl.Spherical("A", m.ground, "rod.start"))
    h = 4e-6
    sol = run(m, 0.002, integrator=pl.DOP853(), accuracy=1e-11, output_step=h)
    p, part = momentum(sol, "rod")[:, :3], rod().integrals
    change = (p[:-4] - 8 * p[1:-3] + 8 * p[3:-1] - p[4:]) / (12 * h)
    force = sol["A.force"][2:-2]
    np.testing.assert_allclose(force + part.m * np.array([0, -9.81, 0]), change, rtol=0, atol=1e-6 * abs(force).max())


def momentum(sol, name):
    """Momentum and angular momentum about the world's origin: derivatives of the kinetic energy, which is quadratic in velocities."""
    s, x, place = sol.dynamics.system, sol.dynamics.system.memory(), sol.dynamics.directory.stated[name]
    p, out = parts(sol.rows, s.q0.size, s.n), []

    def kinetic(v):
        x.v[:], x.E[:] = v, 0
        evaluation.run(s.program("energy"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        return float(x.E[0])
    for k in range(len(sol.t)):
        x.q[:] = p["q"][k]
        steps = np.eye(s.n)[place.iv:place.iv + 6] * max(1.0, abs(p["v"][k]).max())
        both = [(kinetic(p["v"][k] + e) - kinetic(p["v"][k] - e)) / (2 * e.max()) for e in steps]
        linear, R = np.array(both[:3]), matrix_of(x.q[place.iq + 3:place.iq + 7])
        out.append([*linear, *(R @ both[3:] + np.cross(x.q[place.iq:place.iq + 3], linear))])
    return np.array(out)


# -- free flight
def vibrating(stiffening="on"):
    """A bent rod, first frequency about 10 Hz, turning at 5 rad/s off its axes and vibrating by a tenth of its size."""
    line, metal = [(0, 0, 0), (0.9, 0, 0), (1.3, 0.8, 0.3)], pl.Material(7e10, 0.33, 2700)
    mesh = flex.mesh_beam(line, pl.Section.rectangle(0.010, 0.006), metal, elements=8)
    part = flex.reduce(mesh, modes=2)
    assert 8 < part.frequencies[0] < 13
    q = 0.05 * np.array([1.0, -0.7]) * np.sqrt(part.integrals.m / np.diag(part.integrals.Mqq))
    m = pl.Model("free flight")
    m.add(pl.ModalBody("body", part, velocity=(0.3, -0.2, 0.1), angular_velocity=(3, -2.5, 3.2), modal=q, modal_rate=30 * q[::-1],
                       stiffening=stiffening))
    return m


def drifts(sol):
    """Of momentum, angular momentum and energy, relative."""
    p, e = momentum(sol, "body"), sol.energy.balance
    scale = [np.linalg.norm(p[0, :3]), np.linalg.norm(p[0, 3:]), e[0]]
    parts_ = (p[:, :3], p[:, 3:], e)
    return np.array([abs(x - x[0]).max() for x in parts_]) / scale


@pytest.mark.parametrize(("stiffening", "duration"), [("on", 100.0), ("off", 10.0)])
def test_free_flight_conserves_momentum_and_energy(stiffening, duration):
    sol = run(vibrating(stiffening), duration, integrator=pl.DOP853(), accuracy=1e-12, output_step=1.0)
    assert drifts(sol).max() < 1e-10
    assert abs(sol["body.modal"]).max() > 1e-3


def test_the_drift_of_the_default_is_proportional_to_the_accuracy():
    found = np.array([drifts(run(vibrating(), 4.0, accuracy=eps, output_step=0.5)) for eps in (1e-4, 1e-6)])
    assert (found < [[1e-3], [1e-5]]).all()
    assert found[1].max() < found[0].max() / 20


# -- published results
@pytest.mark.parametrize("options", [{"accuracy": "fine"}, {"integrator": pl.RadauIIA5(), "accuracy": 1e-8}], ids=["default", "radau"])
def test_slider_crank_of_simeon(options):
    """Positions to 1e-5 (the start is published with 9 digits), rates and reactions as well as they follow from it."""
    sol = run(simeon(), 0.1, output_step=0.01, **options)
    w, z = sol["rod.rotation"][-1, [0, 3]]
    got = np.array([2 * np.arctan2(z, w), sol["slider.position.x"][-1], *sol["rod.modal"][-1]])
    np.testing.assert_allclose(got, END, rtol=1e-5)
    rates = np.array([sol["rod.angular_velocity.z"][-1], sol["slider.velocity.x"][-1], *sol["rod.modal_rate"][-1]])
    np.testing.assert_allclose(rates, END_RATES, rtol=1e-3)
    forces = np.array([sol["D.force.y"][-1], sol["C.force.x"][-1], abs(sol["motor.effort"][-1])])
    np.testing.assert_allclose(forces, END_FORCES, rtol=1e-5)


def test_spin_up():
    """Tip in the turning axes against a nonlinear beam: within 2 %; the steady extension is exact within 0.5 %."""
    sol = run(spin_up(), 18.0, step=5e-3, output_step=0.05)
    turn = matrix_of(sol.model["beam"].rotation)
    angle, x = sol["hub.angle"], sol["beam.tip.position"] @ turn
    u, v = np.cos(angle) * x[:, 0] + np.sin(angle) * x[:, 1] - 10, np.cos(angle) * x[:, 1] - np.sin(angle) * x[:, 0]
    for t, tip in ((5.0, (-0.01265, -0.46847)), (7.5, (-0.01774, -0.55909)), (10.0, (-0.00707, -0.36281))):
        k = int(np.argmin(abs(sol.t - t)))
        np.testing.assert_allclose((u[k], v[k]), tip, rtol=0.02)
    assert v.min() == pytest.approx(-0.57382, rel=0.02)
    late = sol.t > 15.5
    assert u[late].mean() == pytest.approx(5.14317455e-4, rel=5e-3)
    assert abs(v[late]).max() == pytest.approx(3.64e-3, rel=0.02)


def test_without_stiffening_the_spin_up_diverges_and_says_why():
    with pytest.raises(pl.SimulationError, match=r"'beam' is deformed by more than its own size.*stiffening='on'") as stopped:
        run(spin_up("off"), 20.0, step=5e-3)
    assert stopped.value.code == "deformation"
    assert 7 < stopped.value.solution.t[-1] < 12


def test_frequencies_of_a_rotating_beam():
    """Wright et al. 1982: flap 1 to 3 and lag 1 by m.modes about the steady rotation, within 0.5 %."""
    L, b = 1.0, 0.01
    mesh = flex.mesh_beam([(0, 0, 0), (L, 0, 0)], pl.Section.rectangle(b, b), STEEL, elements=16)
    part = flex.reduce(mesh, interfaces={"root": (0, 0, 0), "tip": (L, 0, 0)}, modes=10)
    unit = np.sqrt(STEEL.E * b**2 / 12 / (STEEL.rho * L**4))
    turn = matrix_of(pl.rotation((1, 2, 3), 0.7))

    def model(rate, modal):
        m = pl.Model("rotor blade")
        m.add(pl.ModalBody("blade", part, modal=modal, rotation=turn))
        m.add(pl.Revolute("hub", m.ground, "blade.root", axis=turn[:, 2]))
        m.add(pl.Drive("hub", "angle", f"{rate!r}*t"))
        return m
    def accelerations(rate, q):
        d = model(rate, q).compile()
        return parts(start_row(d)[None, :], d.system.q0.size, d.system.n)["a"][0, d.modal_rows("blade")]
    exact = {1: (3.681646814, 22.18101115, 61.84176259, 3.54323627), 2: (4.137319573, 22.61492196, 62.27318411, 3.621796964),
             6: (7.360373019, 26.80908168, 66.68391438, 4.26322542), 12: (13.1701505, 37.6031123, 79.6144785, 5.42704928)}
    for eta, wanted in exact.items():
        rate, q = float(eta * unit), np.zeros(part.n)
        for _ in range(3):  # the stretched shape that stays, by Newton's method
            a = accelerations(rate, q)
            slope = np.array([accelerations(rate, q + 1e-7 * e) - a for e in np.eye(part.n)]).T / 1e-7
            q = q - np.linalg.solve(slope, a)
        found = model(rate, q).modes()
        assert not found.note
        w = 2 * np.pi * found.frequencies / unit
        for x in wanted:
            assert abs(w - x).min() < 3e-3 * x


def test_a_column_buckles_at_eulers_load():
    """Clamped and free, dead load at the tip: the square of the lowest frequency falls to zero at pi^2 E I / 4 L^2, within 1 %."""
    turn = matrix_of(pl.rotation((1, -1, 0.3), 0.9))
    I = 0.03 * 0.02**3 / 12
    exact = np.pi**2 * STEEL.E * I / 4

    def square(load):
        m = pl.Model("column")
        m.add(pl.ModalBody("column", rod(), rotation=turn))
        m.add(pl.Fixed("clamp", m.ground, "column.start"))
        m.add(pl.Force("weight", "column.end", tuple(-load * turn[:, 0])))
        s = m.modes(1, state="static").eigenvalues[0]
        return -(s * s).real
    low, high = square(0.9 * exact), square(0.98 * exact)
    critical = 0.9 * exact + 0.08 * exact * low / (low - high)
    assert critical == pytest.approx(exact, rel=2e-3)


# -- methods
METHODS = {
    "generalized-alpha": {"integrator": pl.GeneralizedAlpha(), "step": 1e-5}, "hht": {"integrator": pl.HHT(), "step": 2e-5},
    "radau": {"integrator": pl.RadauIIA5(), "accuracy": 1e-7}, "bdf": {"integrator": pl.BDF(), "accuracy": 1e-6},
    "dormand-prince": {"integrator": pl.DormandPrince54(), "accuracy": 1e-8},
    "adams": {"integrator": pl.AdamsBashforthMoulton(), "accuracy": 1e-8},
    "rk4": {"integrator": pl.RungeKutta4(), "step": 2e-5}, "central": {"integrator": pl.CentralDifferences(), "step": 1e-5},
    "null space": {"integrator": pl.DOP853(), "formulation": pl.NullSpace(), "accuracy": 1e-8},
    "partitioning": {"integrator": pl.DOP853(), "formulation": pl.CoordinatePartitioning(), "accuracy": 1e-8},
    "augmented": {"integrator": pl.DOP853(), "formulation": pl.AugmentedLagrangian(), "accuracy": 1e-8},
}


@pytest.fixture(scope="module")
def reference():
    return run(slider_crank(), 0.03, integrator=pl.DOP853(), accuracy=1e-11, output_step=0.01)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_gives_one_motion(name, reference):
    sol = run(slider_crank(), 0.03, output_step=0.01, **METHODS[name])
    rough = 30.0 if name in ("generalized-alpha", "hht", "central") else 1.0  # of second order, with fast axial vibrations
    for channel, tolerance in (("rod.modal", 1e-3), ("C.force", 1e-3 * rough)):
        size = abs(reference[channel]).max()
        np.testing.assert_allclose(sol[channel][1:], reference[channel][1:], rtol=0, atol=tolerance * size)
    assert abs(sol["rod.end.position"] - reference["rod.end.position"]).max() < 1e-6
    assert sol.energy.drift < 1e-3 * sol.energy.kinetic.max()


@pytest.mark.parametrize("method", [pl.EnergyMomentum(), pl.DIMCD()], ids=["energy-momentum", "dimcd"])
def test_methods_for_rigid_bodies_refuse(method):
    with pytest.raises(pl.ModelError, match="body 'rod' is flexible"):
        run(slider_crank(), 0.01, integrator=method, step=1e-4)


def test_energy_is_balanced_with_damping_and_a_motor(reference):
    e = reference.energy
    assert e.drift < 1e-7 * e.kinetic.max()
    assert e.elastic.max() > 0 and e.dissipated[-1] > 1e-4 * e.elastic.max() and abs(e.work[-1]) > 0


def test_stiffening_matters_and_is_the_default():
    """A rod that hangs: a heavy end pulls it, which adds 6 N / 5 L to its stiffness, so that w^2 grows by 1.2 g / L."""
    def lowest(**more):
        m = pl.Model("hanging", gravity=(9.81, 0, 0))
        m.add(pl.ModalBody("rod", rod(), **more))
        m.add(pl.Fixed("clamp", m.ground, "rod.start"))
        m.add(pl.RigidBody("bob", mass=200.0, inertia=(1, 1, 1), position=(1, 0, 0)))
        m.add(pl.Fixed("hook", "rod.end", "bob"))
        return m.modes(3, state="static").frequencies
    on, off, default = lowest(stiffening="on"), lowest(stiffening="off"), lowest()
    np.testing.assert_allclose(default, on, rtol=1e-12)
    gain = (2 * np.pi) ** 2 * (on**2 - off**2)[:2]
    np.testing.assert_allclose(gain, 1.2 * 9.81, rtol=0.03)


def test_stiffening_of_the_free_part_is_that_of_mean_axes():
    """A body-fixed part knows the stiffening of the free part: the same as one reduced in mean axes, in its own coordinates."""
    mesh = flex.mesh_beam([(0.1, 0.2, 0), (0.7, 0.2, 0.1), (1.0, 0.6, 0.2)], pl.Section.rectangle(0.02, 0.03), STEEL, elements=8)
    fixed, mean = (flex.reduce(mesh, interfaces={"start": 0, "end": 8}, modes=4, frame=frame) for frame in ("body-fixed", "mean-axis"))
    G = mean_axes.rigid_part(fixed.integrals)
    psi = fixed.skin.psi - G[:3] + np.array([mean_axes.cross_matrix(x) @ G[3:] for x in fixed.skin.points])
    T = np.linalg.lstsq(mean.skin.psi.reshape(-1, mean.n), psi.reshape(-1, fixed.n), rcond=None)[0]  # from coordinates to coordinates
    np.testing.assert_allclose(T.T @ mean.Kqq @ T, fixed.Kqq, rtol=0, atol=1e-9 * abs(fixed.Kqq).max())
    loads = [load for load in fixed.stiffening.loads if load[0] == "free"]
    assert {load[1:] for load in loads} >= {("force", "start", 0), ("moment", "end", 2), ("centrifugal", 0, 1)}
    for load in loads:
        expected = T.T @ mean.stiffening.of(*load[1:]) @ T
        found, size = fixed.stiffening.of(*load), max(1.0, abs(expected).max())
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * size, err_msg=str(load))
