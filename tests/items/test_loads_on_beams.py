"""Loads per length on beams that deform far: closed forms, shooting, stability, balances, tangents, texts and refusals."""
from functools import cache

import numpy as np
import pytest
from derivatives import ComplexStep
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import pliant as pl
from pliant.items.base import Frame, matrix_of
from pliant.items.errors import ItemError, ModelError
from pliant.kernels import evaluation
from pliant.text.model_text import from_text, to_text

FORMULATIONS = "geometrically-exact", "corotational"
SLENDER = pl.Section.general(1e4, 1e-2, 1e-2, 2e-2)  # with E = 100: EI = 1, EA = 1e6
ONE = pl.Material(100.0, 0.3, 1e-4)                  # rho A = 1
START, END = "beam.start", "beam.end"


def cantilever(*loads, elements=4, **more):
    """E I = L = rho A = 1; two planes that bend alike."""
    m = pl.Model("cantilever")
    m.add(pl.Beam("beam", (0, 0, 0), (1, 0, 0), SLENDER, ONE, elements=elements, **{"shear": False, **more}))
    m.add(pl.Fixed("clamp", m.ground, START))
    for k, load in enumerate(loads):
        m.add(pl.LineLoad(f"q{k}" if k else "q", **{"start": START, "end": END} | load))
    return m


# -- small deflections
def tip_of(s, q):
    """Deflection of the tip of a cantilever, E I = L = 1, by forces q at places s: int q s^2 (3 - s) / 6 ds, by Gauss points."""
    x, w = np.polynomial.legendre.leggauss(5)
    at = s[0] + (s[1] - s[0]) * (1 + x) / 2
    return (s[1] - s[0]) / 2 * w @ (np.interp(at, s, q) * at**2 * (3 - at) / 6)


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("s", "q"), [((0, 1), (1, 1)), ((0, 1), (0, 1)), ((0.3, 0.8), (2, 2)), ((0.13, 0.93), (1, -3))])
def test_a_cantilever_bends_as_it_must(formulation, axes, s, q):
    """At nodes to rounding, whatever part of the beam is loaded; forwards or backwards, and a clamp that bears it."""
    load = {"start": Frame(body="beam", s=s[0]), "end": Frame(body="beam", s=s[1]), "force": (0, 3e-4 * q[0], -4e-4 * q[0]),
            "force_at_end": (0, 3e-4 * q[1], -4e-4 * q[1]), "axes": axes}
    back = {"start": load["end"], "end": load["start"], "force": load["force_at_end"], "force_at_end": load["force"], "axes": axes}
    expected = tip_of(s, q)
    total, first = (s[1] - s[0]) * np.mean(q), (s[1] - s[0]) / 6 * (q[0] * (2 * s[0] + s[1]) + q[1] * (s[0] + 2 * s[1]))
    for given in (load, back):
        found = cantilever(given, formulation=formulation).static()
        np.testing.assert_allclose(found["beam.end.position"][1:], (3e-4 * expected, -4e-4 * expected), rtol=1e-6)
        np.testing.assert_allclose(found["q.force"], (0, 3e-4 * total, -4e-4 * total), atol=1e-7)
        np.testing.assert_allclose(found["q.torque"], (0, 4e-4 * first, 3e-4 * first), atol=1e-7)
        np.testing.assert_allclose(found["clamp.force"], -found["q.force"], atol=1e-8)
        np.testing.assert_allclose(found["clamp.torque"], -found["q.torque"], atol=1e-8)


def test_moments_per_length():
    """About the axis G J phi' = m (L - s), to rounding; across it E I w'' = m (L - s), w = m L^3 / 3, of order 2."""
    GJ = 100 / 2.6 * 2e-2
    found = [cantilever({"force": (0, 0, 0), "moment": (2e-4, -3e-4, 0)}, elements=n).static().solution for n in (2, 4, 8)]
    for sol in found:
        assert sol["beam.end.rotation"][0][1] == pytest.approx(2e-4 / (2 * GJ) / 2, rel=1e-6)
        np.testing.assert_allclose(sol["clamp.torque"][0], (-2e-4, 3e-4, 0), atol=1e-7)
    errors = [abs(sol["beam.end.position"][0][2] / 1e-4 - 1) for sol in found]
    assert errors[0] / errors[1] == pytest.approx(4, rel=1e-3) and errors[1] / errors[2] == pytest.approx(4, rel=1e-3)
    assert errors[2] < 5e-3


# -- large deflections
def dead(q):
    """Tip under a force per length that keeps its direction, by shooting: theta'' = -q (1 - s) cos theta."""
    def end(k):
        return solve_ivp(lambda s, y: [y[1], -q * (1 - s) * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])], (0, 1), [0, k, 0, 0],
                         rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    return end(brentq(lambda k: end(k)[1], 0, q, xtol=1e-14))[2:]


def following(q):
    """Tip under a force per length across the axis: from the tip on, theta' = k, k' = -V, N' = k V, V' = -k N - q."""
    def f(s, y):
        theta, k, N, V, *_ = y
        return [k, -V, k * V, -k * N - q, np.cos(theta), np.sin(theta)]
    theta, _, _, _, x, z = solve_ivp(f, (1, 0), [0] * 6, rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    return -np.array([np.cos(theta) * x + np.sin(theta) * z, np.cos(theta) * z - np.sin(theta) * x])


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("axes", "q", "exact"), [("world", 20.0, dead), ("body", 6.0, following)])
def test_large_deflections(formulation, axes, q, exact):
    """Orders 4 and 2; about an axis across those of the world."""
    expected = exact(q)
    side = np.array([0, 0.6, 0.8])
    errors = []
    for n in (4, 8):
        tip = cantilever({"force": tuple(q * side), "axes": axes}, elements=n, formulation=formulation).static()["beam.end.position"]
        errors.append(np.hypot(tip[0] - expected[0], tip @ side - expected[1]))
        assert abs(tip @ (0, 0.8, -0.6)) < 1e-9
    exactly = formulation == FORMULATIONS[0]
    assert errors[0] / errors[1] > (14 if exactly else 3.5) and errors[1] < (2e-4 if exactly else 5e-3)


# -- stability
def squares(load, sizes, elements=10):
    return [np.imag(cantilever({"force": (-size, 0, 0), **load}, elements=elements).modes(1, state="static").eigenvalues[0]) ** 2
            for size in sizes]


def test_a_weight_along_a_column_makes_it_buckle():
    """Greenhill: 7.837 for a load that keeps its direction."""
    first, second = squares({"axes": "world"}, (7.4, 7.8))
    assert 7.4 + 0.4 * first / (first - second) == pytest.approx(7.8373, rel=1e-3)


def test_a_thrust_along_a_column_makes_it_flutter():
    """Leipholz: a load that follows the axis makes it flutter from 40.05 on."""
    growth = [cantilever({"force": (-q, 0, 0)}, elements=16).modes(3, state="static").eigenvalues.real.max() for q in (40.0, 40.1)]
    assert growth[0] < 1e-5 and growth[1] > 0.1


def quarter(pressure, elements=8, **more):
    """Of a ring of radius 1 in the x-y plane, E I = 1, under a pressure from outside; the ends stay on the axes."""
    m = pl.Model("ring", planar="z")
    angles = np.linspace(0, np.pi / 2, 60)
    m.add(pl.Beam("ring", points=np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]), profile=SLENDER, material=ONE,
                  elements=elements, shear=False, **more))
    m.add(pl.Prismatic("right", m.ground.frame((1, 0, 0)), "ring.start", axis="x"))
    m.add(pl.Prismatic("top", m.ground.frame((0, 1, 0)), "ring.end", axis="y"))
    m.add(pl.LineLoad("p", "ring.start", "ring.end", (0, pressure, 0)))
    return m


def test_a_ring_under_pressure():
    """It stays a circle, smaller by p R^2 / EA, with N = -p R in all sections; what the guides bear. It buckles at 3 EI / R^3, since the
    pressure turns with the ring: of one that keeps its direction, at 4."""
    errors = [abs((1 - quarter(2.0, n).static()["ring.start.position"][0]) / 2e-6 - 1) for n in (4, 8)]
    assert errors[1] < 3e-3 and errors[0] / errors[1] > 3.5  # of order 2: what loads do inside an element is not in its strain
    sol = quarter(2.0).static().solution
    for k in range(8):
        np.testing.assert_allclose(sol[f"ring.element_{k}.force"][0], (-2, 0, 0), atol=2e-3)
        assert abs(sol[f"ring.element_{k}.moment"][0]).max() < 2 * (np.pi / 16) ** 2 / 24 + 1e-4  # p L^2 / 24 of loads at nodes
    np.testing.assert_allclose(sol["p.force"][0], (-2, -2, 0), atol=1e-5)
    first, second = (np.imag(quarter(p).modes(1, state="static").eigenvalues[0]) ** 2 for p in (2.4, 2.9))
    assert 2.4 + 0.5 * first / (first - second) == pytest.approx(3.0, rel=1e-3)
    # inextensible rings: omega^2 = n^2 (n^2 - 1) / (n^2 + 1) (n^2 - 1 - p), n = 2
    assert second == pytest.approx(12 / 5 * 0.1, rel=5e-3)


# -- motion
def flying(formulation="geometrically-exact", axes="body", turned=False, **more):
    """A soft arc with a weight, in free flight, under a load on a part of it that answers to its own motion."""
    m = pl.Model("flight")
    arc = [(np.sin(a), 0.2 * a, 1 - np.cos(a)) for a in np.linspace(0, 2, 9)]
    beam = pl.Beam("beam", points=arc, profile=pl.Section.general(6e-3, 5e-6, 2e-6, 4e-6, Iyz=1e-6), material=pl.Material(2e6, 0.3, 1000.0),
                   elements=3, formulation=formulation, twist=0.4, velocity=(1, 2, 3), angular_velocity=(0.3, -0.2, 0.5), damping=1e-3)
    body = pl.RigidBody("load", 2.0, (1, 2, 3), com=(0.1, 0.2, -0.1), position=arc[-1])
    for item in (body, beam) if turned else (beam, body):
        m.add(item)
    m.add(pl.Fixed("weld", "beam.end", "load"))
    m.add(pl.LineLoad("q", beam.at(0.1), beam.at(0.8), (2, 5, -3), force_at_end=(1, -2, 4), moment=(0.3, 0.1, -0.2),
                      moment_at_end=(0, 0.4, 0), axes=axes, factor="3*cos(20*t) - load.velocity.y*beam.end.position.x"))
    return m


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_tangent_is_exact(formulation, axes, turned):
    system, rng = flying(formulation, axes, turned).compile(exact=True).system, np.random.default_rng(5)
    c = ComplexStep(system, seed=5)
    evaluation.retract(system.data, c.real.q.copy(), rng.normal(size=system.n), 0.1, c.real.q)
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-11 * abs(expected).max())


@pytest.mark.parametrize("axes", ["world", "body"])
def test_momenta_and_energy_change_by_what_the_load_gives(axes):
    h = 2e-4
    sol = flying(axes=axes).simulate(0.02, accuracy=1e-11, integrator=pl.DOP853(), output_step=h, progress=False)
    def rate(x):
        return (x[:-4] - 8 * x[1:-3] + 8 * x[3:-1] - x[4:]) / (12 * h)
    force, torque = sol["q.force"], sol["q.torque"] + np.cross(sol["beam.position"], sol["q.force"])
    np.testing.assert_allclose(rate(sol["model.momentum"]), force[2:-2], atol=1e-7 * abs(force).max())
    np.testing.assert_allclose(rate(sol["model.angular_momentum"]), torque[2:-2], atol=1e-7 * abs(torque).max())
    balance = sol.energy.balance
    assert abs(balance - balance[0]).max() < 1e-9 * abs(sol.energy.work).max()
    work = np.concatenate([[0.0], np.cumsum((sol["q.power"][1:] + sol["q.power"][:-1]) / 2 * h)])
    np.testing.assert_allclose(work, sol.energy.work, atol=1e-3 * abs(work).max())


def test_a_weight_per_length_is_gravity():
    """The weight of each element as a load in world axes, and gravity: one motion."""
    weighed, heavy = cantilever({"force": (0, 0, -9.81), "axes": "world"}, elements=3), cantilever(elements=3)
    heavy.gravity = (0, 0, -9.81)
    runs = [m.simulate(0.3, accuracy=1e-9, integrator="radau-iia-5", output_step=0.05, progress=False) for m in (weighed, heavy)]
    assert runs[0]["beam.end.position"][-1, 2] < -0.1
    for node in range(1, 4):
        np.testing.assert_allclose(*(sol[f"beam.node_{node}.position"] for sol in runs), atol=1e-7)


@pytest.mark.parametrize("axes", ["world", "body"])
def test_in_a_sub_assembly_it_is_turned(axes):
    load = {"force": (0, 3.0, 4.0), "force_at_end": (-1, 2, "5 N/m"), "moment": (0.1, 0.2, 0), "axes": axes}
    inner, m = cantilever(load), pl.Model("outer")
    m.add(inner, name="left", position=(1, 2, 3), rotation=pl.rotation((1, -2, 0.5), 1.2))
    R = matrix_of(pl.rotation((1, -2, 0.5), 1.2))
    expected, found = inner.static()["beam.end.position"], m.static()["left.beam.end.position"]
    np.testing.assert_allclose(found, R @ expected + (1, 2, 3), atol=1e-8)


# -- as a linear model, as text, in files
def test_its_factor_is_an_input_of_linear_models():
    lin = cantilever({"force": (0, 0, 1), "factor": 0.0}).linearize(inputs=["q"], outputs=["beam.end.position.z"])
    assert lin.inputs == ["q.factor"] and lin.response(0.0)[0, 0, 0].real == pytest.approx(1 / 8, rel=1e-6)


def test_texts_and_files(tmp_path):
    m = cantilever({"start": Frame(body="beam", s=0.25), "force": ("1 N/m", 0, "2 kN/m"), "moment": (0, "3 N*m/m", "4 N"), "axes": "world",
                    "factor": "1e-3*sin(3*t)"})
    again = from_text(to_text(m))
    assert again["q"] == m["q"] and to_text(again) == to_text(m) and again["q"].moment == (0, 3, 4)
    text = """
pliant: 1
bodies:
  mast: {kind: beam, start: [0, 0, 0], end: [0, 0, 3], profile: {tube: {radius: 30 mm, thickness: 2 mm}}, material: aluminium}
joints:
  foot: {kind: fixed, between: [ground, mast.start]}
forces:
  wind: {kind: line_load, start: {body: mast, s: 0.2}, end: mast.end, force: [200 N/m, 0, 0], axes: world, factor: "ramp(t, 0, 1)"}
"""
    mast = from_text(text)
    assert mast["wind"].axes == "world" and mast.check().ok
    whole = m.simulate(0.02, step=1e-3, progress=False)
    m.simulate(0.01, step=1e-3, progress=False, out=tmp_path / "half.h5")
    back = pl.load(tmp_path / "half.h5")
    np.testing.assert_array_equal(back.resume(0.01)["q.torque"][-1], whole["q.torque"][-1])
    from pliant.view.describe import Description
    from pliant.view.sources import SolutionSource
    drawn = Description(SolutionSource(whole)).header["forces"][0]
    assert drawn["channel"] == "q.force" and drawn["b"]["body"] == "beam"


def test_what_is_out_of_the_plane_is_told():
    m = quarter(1.0)
    m.add(pl.LineLoad("w", "ring.start", "ring.end", (0, 0, 2), moment=(0, 3, 0)))
    told = str(m.check())
    assert "line_load 'w': its part (0, 0, 2) N/m acts across the planes" in told
    assert "line_load 'w': its part (-3, 0, 0) N*m/m acts across the planes" in told


# -- refusals
@cache
def rod():
    m = cantilever()
    m.add(pl.RigidBody.rod("rod", start=(0, 0, 1), end=(1, 0, 1), mass=1.0))
    return m


@pytest.mark.parametrize(("given", "sentence"), [
    ({"end": "beam.start"}, "line_load 'w': end: is where start is; the line has no length"),
    ({"start": "rod.start", "end": "beam.end"}, "line_load 'w': end: 'beam.end' is on another body than 'rod.start'"),
    ({"start": Frame(body="beam", point=(0.3, 0.1, 0))}, "is 0.1 m beside the axis of beam 'beam'; the load is on the axis"),
    ({"start": "rod.start", "end": "rod.end", "axes": "world"}, "axes: a load on the rigid body 'rod' turns with it"),
])
def test_what_does_not_fit_is_refused(given, sentence):
    m = rod().copy()
    m.add(pl.LineLoad("w", **{"start": START, "end": END, "force": (0, 0, 1)} | given))
    with pytest.raises(ModelError) as told:
        m.compile()
    assert sentence in str(told.value)


def test_wrong_numbers_are_refused():
    with pytest.raises(ItemError, match=r"moment: '5 N\*m' is a torque or energy \[N\*m\], a force \[N\] is due"):
        pl.LineLoad("w", START, END, (0, 0, 1), moment=(0, 0, "5 N*m"))
    with pytest.raises(ItemError, match="axes"):
        pl.LineLoad("w", START, END, (0, 0, 1), axes="section")


def test_moments_per_length_on_a_rigid_body():
    """L (m_0 + m_1) / 2, in its axes."""
    m = pl.Model("rod")
    m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(0, 2, 0), mass=1.0))
    m.add(pl.LineLoad("w", "rod.start", "rod.end", (0, 0, 0), moment=(1, "2 N", 3), moment_at_end=(3, 2, 1), factor=0.5))
    sol = m.simulate(1e-3, progress=False)
    np.testing.assert_allclose(sol["w.torque"][0], (2, 2, 2), atol=1e-12)
    np.testing.assert_allclose(sol["w.force"][0], 0, atol=1e-15)
