"""Contacts with lines of flexible bodies: against contacts at nodes, SciPy and complex steps; energy, momentum, friction, both coordinates,
continuation, texts, and what is refused."""
import numpy as np
import pytest
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401
from recursive import complex_slopes
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline
from scipy.optimize import brentq
from touched_lines import (
    BALL,
    FRICTIONS,
    HELD,
    LAWS,
    MASS,
    MODES,
    OMEGA,
    PLACE,
    SPAN,
    TUBE,
    bent,
    crossing,
    floating,
    hinged,
    sines,
    straight,
    tangent_error,
    two_beams,
)

import pliant as pl
from pliant.families import feet
from pliant.families.contacts import MEMORY, MET
from pliant.items.base import Frame, matrix_of
from pliant.joint_space.tree_derivatives import slopes_at
from pliant.kernels import evaluation
from pliant.kernels.by_reference import reference
from pliant.kernels.contract import F
from pliant.kernels.expression_vm import HELD as HOLDS
from pliant.kernels.expression_vm import SCRATCH
from pliant.kernels.jit import entry
from pliant.kernels.state_row import parts
from pliant.methods.integrators.base import Plan
from pliant.methods.integrators.implicit.joint import slopes
from pliant.methods.integrators.time_loop.step_run import StepRun
from pliant.report.finding import ERROR
from pliant.results.modal_loads import recorded_loads
from pliant.start.assembly import start_row
from pliant.text.model_files import load_model
from pliant.text.model_writing import to_text
from pliant.view.touching import touched

R, FAR = matrix_of(HELD), TUBE.radius + BALL
SMOOTH, STICKS = {"friction": 0.3, "friction_model": "regularised", "slip_speed": 0.05}, {"friction": 0.3, "stick_length": 1e-4}


@pytest.mark.parametrize("rubs", [{}, SMOOTH, STICKS], ids=["none", "regularised", "bristle"])
def test_between_nodes_it_is_what_it_is_at_a_node_there(rubs):
    """A ball that comes to the side of a beam in its middle, between two nodes of the line, and to a sphere at a node in the middle."""
    found = []
    for node in (None, "middle"):
        m = crossing((SPAN / 2, (FAR + 1e-5) * np.sin(0.8), (FAR + 1e-5) * np.cos(0.8)), (0, 0.3, -1.0), spin=(8.0, 0, 0), node=node,
                     order=-1, stiffness=1e7, restitution=0.7, **rubs)
        sol = m.simulate(0.012, accuracy=1e-10, output_step=1e-3, progress=False)
        assert [e.what for e in sol.events] == ["touches", "leaves"]
        found.append(np.hstack([sol["ball.position"], sol["ball.velocity"], sol["ball.angular_velocity"], sol["beam.modal_rate"],
                                sol["c.normal_force"][:, None] / 1e3]))
    assert abs(found[0]).max() > 5 and abs(found[0] - found[1]).max() < 1e-9


# -- against SciPy
K, MU, SLOW, WEIGHT = 1e7, 0.3, 0.05, 0.5


def crossed(place, velocity, spin, gravity, times):
    """Rates of ball and modes by themselves: the nearest place by bisection on splines through 100 nodes."""
    phi = make_interp_spline(np.linspace(0, SPAN, 100), sines(np.linspace(0, SPAN, 100)).T, k=5)
    slope, inertia, g = phi.derivative(), 0.4 * WEIGHT * BALL**2, np.array(gravity)
    x, w = np.polynomial.legendre.leggauss(120)
    load = g[2] * (sines((x + 1) * SPAN / 2) @ (MASS * w / 2))

    def nearest(p, q):
        return brentq(lambda s: p[0] - s + (slope(s) @ q) * (p[2] - phi(s) @ q), p[0] - 0.05, p[0] + 0.05, xtol=1e-15, rtol=1e-15)

    def rates(t, y):
        p, v, w, q, rate = np.split(y, (3, 6, 9, 9 + MODES))
        s = nearest(p, q)
        d = p - (s, 0, phi(s) @ q)
        n, depth, f = d / np.linalg.norm(d), FAR - np.linalg.norm(d), np.zeros(3)
        arm = n * (TUBE.radius - depth / 2) - d
        if depth > 0:
            u = v + np.cross(w, arm) - (0, 0, phi(s) @ rate)
            u = u - n * (n @ u)
            f = K * depth**1.5 * (n - MU * u / np.sqrt(u @ u + SLOW**2))
        return np.concatenate([v, f / WEIGHT + g, np.cross(arm, f) / inertia, rate, load - OMEGA**2 * q - phi(s) * f[2]])
    y = solve_ivp(rates, (0, times[-1]), [*place, *velocity, *spin, *np.zeros(2 * MODES)], "DOP853", times, rtol=1e-11, atol=1e-13,
                  max_step=1e-3).y.T
    return y, np.array([nearest(row[:3], row[9:9 + MODES]) for row in y])


def test_a_ball_crosses_a_beam():
    """Off all axes; it rolls, slides and hops."""
    start = (0.25, 0.01, np.sqrt(FAR**2 - 1e-4) - 1e-5), (1.5, 0.02, -0.05), (1.0, 12.0, -2.0), (0.3, -0.2, -9.81)
    m = crossing(*start, stiffness=K, restitution=1.0, friction=MU, friction_model="regularised", slip_speed=SLOW)
    sol = m.simulate(0.3, accuracy=1e-9, output_step=0.01, progress=False)
    y, s = crossed(*start, sol.t)
    spin = np.array([matrix_of(turn) @ w for turn, w in zip(sol["ball.rotation"], sol["ball.angular_velocity"], strict=True)]) @ R
    assert len(sol.events) > 10 and s[-1] > 0.6
    assert abs((sol["ball.position"] - PLACE) @ R - y[:, :3]).max() < 1e-8
    assert abs(sol["ball.velocity"] @ R - y[:, 3:6]).max() < 1e-6 and abs(spin - y[:, 6:9]).max() < 1e-5
    assert abs(sol["beam.modal"] - y[:, 9:9 + MODES]).max() < 1e-6 * abs(y[:, 9:9 + MODES]).max()
    assert abs(sol["c.place"] - s).max() < 1e-8


# -- what stays
LOSSES = {"elastic": {"restitution": 1.0}, "lossy": {"restitution": 0.9}, "regularised": {"restitution": 0.9, **SMOOTH},
          "bristle": {"restitution": 0.95, **STICKS}}


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_energy_balances_over_many_bounces(loss, coordinates):
    m = crossing((0.1, 0.0005, 0.1), (0.7, 0, 0), spin=(0, 3.0, 1.0), stiffness=1e7, **loss)
    sol = m.simulate(1.0, accuracy=1e-10, output_step=0.01, coordinates=coordinates, progress=False)
    balance = sol.energy.balance
    assert len(sol.events) >= 18 and sol["c.place"][-1] > 0.7 and sol["c.gap"].min() < -1e-4
    assert abs(balance - balance[0]).max() < 1e-12 * (np.ptp(sol.energy.potential) + sol.energy.kinetic.max())


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_momentum_of_a_free_beam_and_a_ball_stays(loss):
    """In space, spinning; the beam is bent as made and bends."""
    sol = floating(stiffness=1e6, **loss).simulate(0.1, accuracy=1e-10, progress=False)
    assert [e.what for e in sol.events] == ["touches", "leaves"] and sol["c.normal_force"].max() > 100
    assert np.allclose(sol["c.force"], 0.7 * sol["ball.acceleration"], rtol=0, atol=1e-9 * sol["c.normal_force"].max())
    for what in ("momentum", "angular_momentum"):
        whole = sol[f"model.{what}"]
        assert abs(whole - whole[0]).max() < 1e-12 * np.linalg.norm(whole[0])


# -- tangents
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("friction", FRICTIONS)
def test_tangents(friction, order):
    """Of a ball and of a node of a second flexible body, and beyond the end of the line; bodies and sides in both orders."""
    fields = LAWS["restitution"] | FRICTIONS[friction]
    beyond = floating(order, -0.2, (0, 0.03, 0.04), **fields)
    for m in (floating(order, away=(0, 0.03, 0.05), **fields), two_beams(order, **fields), beyond):
        assert tangent_error(m) < 1e-11


@pytest.mark.parametrize("law", LAWS)
def test_tangents_of_laws(law):
    assert tangent_error(floating(away=(0, 0.03, 0.05), **LAWS[law], **FRICTIONS["bristle"])) < 1e-11


@entry
def slopes_of(p, needed, code, t, y, K, D):
    """The kernel of K and D, from Python."""
    return slopes_at(reference(p), reference(needed), code, t, y, K, D)


def test_derivatives_in_joint_coordinates():
    d = hinged(0.068, **STICKS).compile()
    run = StepRun(pl.RadauIIA5(), Plan(d, pl.Recursion(None), start_row(d), 1.0, accuracy=1e-6, outputs=1))
    for family, (first, last) in d.system.families.items():
        for e in range(first, last) if family.name.startswith("contact") else ():
            run.p.x.H[d.system.data.ip[e, MEMORY] + MET] = 0.3
    n_q, n, o, y = run.n_q, run.n_v, run.scheme.own.matrices, run.steps.y0.copy()
    y[n_q:n_q + n] += 0.1 * np.random.default_rng(0).normal(size=n)
    assert slopes_of(run.p, slopes(run.space), o.accelerations, 0.1, y, o.K, o.D) == 0
    assert abs(run.p.x.X[:, F:F + 3]).max() > 1
    K, D = complex_slopes(run.p, run.space, 0.1, y)
    assert abs(o.K - K).max() < 1e-11 * abs(K).max() and abs(o.D - D).max() < 1e-11 * abs(D).max()


# -- runs
def test_coordinates_and_methods_agree():
    ends = []
    for coordinates, integrator, accuracy in (("absolute", pl.DOP853(), 1e-10), ("joint", pl.DOP853(), 1e-10),
                                              ("absolute", pl.RadauIIA5(), 1e-8), ("joint", pl.RadauIIA5(), 1e-8)):
        sol = hinged(restitution=0.6, **STICKS).simulate(0.15, accuracy=accuracy, integrator=integrator, coordinates=coordinates,
                                                         output_step=0.01, progress=False)
        assert len(sol.events) == 4
        ends.append(np.hstack([sol["ball.position"], sol["ball.velocity"], sol["beam.modal"], sol["c.place"][:, None]]))
    assert max(abs(end - ends[0]).max() for end in ends[1:]) < 1e-8


def test_a_run_goes_on_bit_for_bit(tmp_path, one_slice, monkeypatch):
    """Stopped while they touch, of a model that was written as text and read, whose part is in a file."""
    monkeypatch.chdir(tmp_path)
    m = hinged(restitution=0.6, **STICKS)
    m["beam"].reduced.save("bow.h5")
    (tmp_path / "m.yaml").write_text(_as_text(m))
    again, given = load_model("m.yaml"), {"output_step": 0.01, "integrator": pl.DOP853()}
    assert again["c"] == m["c"]
    whole = m.simulate(0.15, **given)
    with pytest.raises(Stop):
        again.simulate(0.15, **given, progress=stopping(0.66), out=tmp_path / "run.h5")
    kept = pl.load(tmp_path / "run.h5")
    assert [e.what for e in kept.events] == ["touches", "leaves", "touches"] and not kept.complete
    assert equal(kept.resume(), whole)


def _as_text(m):
    """With the part of the beam from its file."""
    new = pl.Model(m.name, gravity=m.gravity)
    for item in m:
        new.add(pl.ModalBody("beam", "bow.h5", position=(0, 0, 0)) if item.name == "beam" else item)
    return to_text(new)


# -- friction along the line
def sloping(angle):
    """A ball that does not turn, on a stiff straight line at its depth under its weight."""
    depth = (WEIGHT * 9.81 * np.cos(angle) / K) ** (2 / 3)
    return crossing((0.3, 0, FAR - depth), (0, 0, 0), gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)), stiff=30.0, turns=False,
                    stiffness=K, friction=0.5)


def test_what_sticks_stays():
    for share in (0.6, 0.95):
        sol = sloping(np.arctan(share * 0.5)).simulate(1.0, accuracy=1e-8, output_step=0.1, progress=False)
        assert sol["c.state"][-1] == 1 and np.ptp(sol["c.place"][5:]) < 1e-8 and np.ptp(sol["c.place"]) < 1e-4


def test_what_slides_is_as_fast_as_coulomb_says():
    angle = np.arctan(1.5 * 0.5)
    sol = sloping(angle).simulate(0.5, accuracy=1e-8, output_step=0.01, progress=False)
    speed = sol["ball.velocity"] @ R[:, 0]
    expected = 9.81 * (np.sin(angle) - 0.5 * np.cos(angle))
    assert np.polyfit(sol.t[20:], speed[20:], 1)[0] == pytest.approx(expected, rel=1e-4) and sol["c.state"][-1] == 2


# -- ends
def test_it_goes_over_the_end():
    """It hops along, presses on the end, which is a half sphere, and falls."""
    m = crossing((SPAN - 0.1, 0.001, np.sqrt(FAR**2 - 1e-6) - 3e-4), (1.0, 0, 0), spin=(0, 10.0, 0), stiffness=K, restitution=1.0, **STICKS)
    sol = m.simulate(0.2, accuracy=1e-10, output_step=1e-3, progress=False)
    place, ball = sol["c.place"], (sol["ball.position"] - PLACE) @ R
    held = (place == SPAN) & (sol["c.normal_force"] > 1)
    assert held.sum() > 2 and place.max() == SPAN and ball[-1, 0] > SPAN + 0.05
    balance = sol.energy.balance
    assert abs(balance - balance[0]).max() < 1e-10 * sol.energy.kinetic[0]
    q = sol["beam.modal"]
    end = np.column_stack([np.full(len(q), SPAN), 0 * sol.t, q @ sines(np.array([SPAN]))[:, 0]])
    assert abs(np.linalg.norm(ball - end, axis=1) - FAR - sol["c.gap"])[place == SPAN].max() < 1e-12


def test_between_the_ends_is_held_while_they_touch():
    """Beyond the end the line goes on in a step in which it was between the ends, and tells how far it is from being left."""
    d = crossing((SPAN - 0.001, 0, FAR - 1e-3), (0, 0, 0), stiffness=K).compile()
    s, x, row = d.system, d.system.memory(), start_row(d)
    for name, part in parts(row[None], s.q0.size, s.n).items():
        if name in ("q", "v", "H"):
            getattr(x, name)[:] = part[0]
    ip = s.data.ip[s.families[feet.FRAMES][0]]
    x.H[ip[feet.MEMORY]], x.W[HOLDS] = 0.3, 1.0
    site, body = SCRATCH + ip[feet.SITE], d.directory.stated["ball"].iq
    x.W[site:site + 2] = np.nan
    seen = []
    for along in (-0.001, 0.002):
        x.q[body:body + 3] = PLACE + R @ (SPAN + along, 0, FAR - 1e-3)
        evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        seen.append((x.W[feet.place(ip)], x.W[site + 1]))
    assert np.allclose(seen, [(SPAN - 0.001, 0.001), (SPAN + 0.002, -0.002)], rtol=0, atol=1e-12)
    x.W[HOLDS] = 0.0
    evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    assert x.W[feet.place(ip)] == SPAN


# -- what it tells
def test_loads_of_the_part_are_shared_by_nodes_beside_it():
    sol = hinged(**STICKS).simulate(0.05, output_step=0.01, progress=False)
    loads, A = recorded_loads(sol, "beam"), sol._observer.axes(sol._observer.directory.frames["beam"])
    rail = sol.model["beam"].reduced.lines["rail"]
    known = [n for n in rail if ("force", n, 2) in loads]
    total = np.array([sum(loads["force", n, k] for n in known) for k in range(3)]).T
    assert known and abs(np.einsum("tij,tj->ti", A, total)).max() > 0


def test_locked_modes_are_not_moved_by_what_touches():
    """All of them: the beam is as if it were rigid."""
    m = hinged(restitution=0.6)
    new = pl.Model("adaptive", gravity=m.gravity)
    for item in m:
        new.add(pl.ModalBody("beam", m["beam"].reduced, position=(0, 0, 0), adaptive="0.5 m") if item.name == "beam" else item)
    sol = new.simulate(0.1, output_step=1e-3, progress=False)
    assert sol["c.normal_force"].max() > 10 and not sol["beam.modal"].any() and not sol["beam.modal_rate"].any()


def test_check_and_page_know_it():
    m = hinged(**STICKS)
    report = m.check()
    assert "c: at " in str(report) and not [f for f in report.findings if f.severity == ERROR]
    owners = {b.name: b for b in (m.ground, *m.section("bodies"))}
    assert touched(m["c"], owners) == []
    assert "place" in {c.name for c in m["c"].channels()} and m["c"].plain()["surface_a"] == {"kind": "tube", "radius": 0.02}


def refused(a="beam.rail", b="ball", match="", **fields):
    m, *_ = bent()
    m.add(pl.RigidBody.sphere("ball", BALL, mass=1.0, position=(0, 0, 5)))
    m.add(pl.RigidBody.box("box", size=(1, 1, 1), mass=1.0, position=(0, 0, 9)))
    m.add(pl.ModalBody("other", straight(), position=(0, 9, 0)))
    with pytest.raises(ValueError, match=match):
        m.add(pl.Contact("c", a, b, **({"surface_a": TUBE, "stiffness": 1e6} | fields)))
        m.compile()


@pytest.mark.parametrize(("text", "problem"), [
    ("between: [beam.rial, ball], surface_a: {kind: tube, radius: 2 cm}", "between[0]: body 'beam' has no frame 'rial'; did you mean "),
    ("between: [beam.rail, ball]", "surface_a: is missing; 'beam.rail' is a line of a flexible body"),
    ("between: [ball, beam.rail], surface_b: plane", "surface_b: 'beam.rail' is a line of a flexible body; must be a tube about it"),
    ("between: [ground, beam.rail], surface_b: {kind: tube, radius: 2 cm}", ": a plane and a tube: only spheres touch a line")])
def test_what_is_refused_in_a_text(text, problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    straight().save("beam.h5")
    (tmp_path / "m.yaml").write_text("pliant: 1\nbodies:\n  beam: {kind: modal, reduced: beam.h5}\n  ball: {sphere: {radius: 5 cm}, "
                                     f"mass: 1, position: [0, 0, 1]}}\nforces:\n  c: {{kind: contact, {text}, stiffness: 1e6}}\n")
    with pytest.raises(pl.ModelError) as error:
        load_model("m.yaml")
    assert f"m.yaml:6: forces.c{'' if problem.startswith(':') else '.'}{problem}" in str(error.value)


def test_what_is_refused():
    refused("beam.rial", match="has no frame 'rial'; did you mean 'rail'")
    refused(surface_a=None, match=r"surface_a: is missing; 'beam\.rail' is a line of a flexible body: write its thickness, Surface\.tube")
    refused(surface_a="plane", match=r"surface_a: 'beam\.rail' is a line .* must be a tube about it, Surface\.tube\(radius\)")
    refused("box", match=r"surface_a: a tube is about a line of a flexible body, such as boom\.rail; 'box' is none\. Name a line when")
    refused("beam.start", match=r"'beam\.start' is none")
    refused(b="box", match="a tube and a box: only spheres touch a line of a flexible body; take spheres where the other body touches it")
    refused(b="other.rail", surface_b=TUBE, match="a tube and a tube: only spheres touch a line")
    refused(b="ground", match="a tube and a plane: only spheres touch a line .* or contacts at nodes of the line")
    refused(b="beam.start", surface_b=pl.Surface.sphere(0.1), match="both surfaces are on 'beam'")
    refused(law="rigid", stiffness=None, match="law: a line of a flexible body has compliant contacts only; give a stiffness")
    refused(Frame(body="beam", frame="rail", rotation=(0.5, 0.5, 0.5, 0.5)), match="is a line; a point or a rotation of it has no mean")
    refused(stiffness=None, material="steel", match="stiffness: is missing; of a tube and a sphere materials do not give it")
    with pytest.raises(ValueError, match="greater than zero"):
        pl.Surface.tube(0)
