"""Beams as bodies of a model: equations, flights, frequencies, equilibria, frames, text and files, and what is wrong with them."""

import numpy as np
import pytest
from closed_forms import elastica_tip
from derivatives import ComplexStep

import pliant as pl
from pliant.items.base import Frame, matrix_of
from pliant.items.beam_axis import axis_of
from pliant.kernels import evaluation
from pliant.kernels.state_row import parts
from pliant.start.assembly import start_row
from pliant.text.model_text import from_text
from pliant.text.model_writing import to_text

SOFT, STRIP = pl.Material(2e6, 0.3, 1000.0), pl.Section.rectangle(0.06, 0.1)
ARC = [(np.sin(a), 0.2 * a, 1 - np.cos(a)) for a in np.linspace(0, 2, 9)]


def energy(sol):
    return sum(sol[f"energy.{part}"] for part in ("kinetic", "potential", "elastic", "dissipated"))


# -- equations
def jointed(formulation, lumped, turned=False):
    """Off-axis frames at nodes and between, a rigid body before or behind the beam, joints, a spring, a load."""
    m = pl.Model("jointed", gravity=(0.3, -0.7, -9.81))
    beam = pl.Beam("boom", points=ARC, profile=pl.Section.general(6e-3, 5e-6, 2e-6, 4e-6, Iyz=1e-6), material=SOFT, elements=3,
                   damping=0.02, formulation=formulation, lumped=lumped, twist=0.4, velocity=(1, 2, 3),
                   angular_velocity=(0.3, -0.2, 0.5), frames={"third": 0.31})
    body = pl.RigidBody("load", 2.0, (1, 2, 3), com=(0.1, 0.2, -0.1), position=(0.9, 0.5, 1.3), velocity=(0, 1, 0))
    for item in (body, beam) if turned else (beam, body):
        m.add(item)
    m.add(pl.Spherical("S", m.ground, beam["start"]))
    m.add(pl.Revolute("R", beam.frame((0.5, 0.2, 0.3), rotation=(0.6, 0.8, 0, 0)), body, axis=(1, 2, 3)))
    m.add(pl.SpringDamper("F", beam.at(0.77), m.ground.frame((1, 1, 1)), 30.0, 2.0))
    m.add(pl.Force("P", "boom.third", (1, "boom.third.velocity.x", 3), axes="frame"))
    return m


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("formulation", "lumped"), [("geometrically-exact", False), ("corotational", True)])
def test_the_tangent_is_exact(formulation, lumped, turned):
    system, rng = jointed(formulation, lumped, turned).compile(exact=True).system, np.random.default_rng(5)
    c = ComplexStep(system, seed=5)
    evaluation.retract(system.data, c.real.q.copy(), rng.normal(size=system.n), 0.1, c.real.q)
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-11 * abs(expected).max())


# -- motion
def flight(**more):
    """A soft rod with a weight at its end, thrown."""
    m = pl.Model("flight")
    m.add(pl.Beam("rod", (0.2, 0.1, 0), (2.2, 0.5, 0.3), STRIP, SOFT, elements=4, velocity=(1, 2, 3), angular_velocity=(0.5, 3, 4), **more))
    m.add(pl.RigidBody.box("load", (0.2, 0.2, 0.2), mass=5, position=(2.3, 0.5, 0.3)))
    m.add(pl.Fixed("weld", "rod", "load", at=(2.2, 0.5, 0.3)))
    m.add(pl.Group("alone", ["rod"]))
    return m


@pytest.mark.parametrize(("more", "options", "accuracy"), [
    ({}, {"integrator": "dop853", "accuracy": 1e-9}, 1e-11),
    ({"formulation": "corotational"}, {"integrator": "dop853", "accuracy": 1e-9}, 1e-11),
    ({}, {"integrator": "radau-iia-5", "accuracy": 1e-9}, 1e-11), ({}, {"integrator": pl.GeneralizedAlpha(rho=1.0), "step": 5e-4}, 3e-6),
    ({"lumped": True}, {"integrator": "energy-momentum", "step": 2e-3}, 1e-12),
    ({}, {"integrator": "energy-momentum", "step": 2e-3}, 1e-12),
    ({"formulation": "corotational"}, {"integrator": "energy-momentum", "step": 2e-3}, 1e-12)])
def test_a_flight_keeps_energy_and_momenta(more, options, accuracy):
    sol = flight(**more).simulate(0.4, output_step=0.1, progress=False, **options)
    whole = energy(sol)
    assert sol["energy.elastic"].max() > 0.003 * whole[0]
    np.testing.assert_allclose(whole, whole[0], rtol=accuracy)
    for quantity in ("model.momentum", "model.angular_momentum"):
        value = sol[quantity]
        np.testing.assert_allclose(value, np.tile(value[0], (len(value), 1)), rtol=0, atol=accuracy * abs(value[0]).max())


def test_it_begins_as_a_rigid_body():
    """Mass, centre of mass, momenta and energy at the start, and those of a rigid body of the same inertia; what is not stated follows."""
    m = flight()
    rod, load = m["rod"], m["load"]
    sol = m.simulate(1e-3, progress=False)
    R = matrix_of(rod.rotation)
    w, r = R @ np.array(rod.angular_velocity), R @ rod.center
    v = np.array(rod.velocity) + np.cross(w, r)
    spin = R @ rod.inertia_matrix @ R.T @ w
    np.testing.assert_allclose(sol["alone.com.position"][0], np.array(rod.start) + r, atol=1e-12)
    np.testing.assert_allclose(sol["alone.momentum"][0], rod.mass * v, rtol=1e-9)
    np.testing.assert_allclose(sol["alone.angular_momentum_com"][0], spin, rtol=1e-4)  # of half elements at nodes
    assert sol["alone.kinetic_energy"][0] == pytest.approx((rod.mass * v @ v + w @ spin) / 2, rel=1e-4)
    there = np.array(rod.velocity) + np.cross(w, np.array(load.position) - rod.start)
    np.testing.assert_allclose(sol["load.velocity"][0], there, rtol=1e-9)
    assert sol["energy.elastic"][0] < 1e-20 and rod.mass == pytest.approx(1000 * 0.006 * rod.length)


def test_a_rigid_motion_that_is_not_stated_is_found():
    """A beam on a hinge that turns at a rate: all of it turns, undeformed."""
    m = pl.Model("hinge")
    m.add(pl.Beam("rod", (0, 0, 0), (2, 0, 0), STRIP, SOFT, elements=4))
    m.add(pl.Revolute("J", m.ground, "rod.start", axis="z", angle_rate=3.0))
    sol = m.simulate(1e-3, progress=False)
    np.testing.assert_allclose(sol["rod.end.velocity"][0], (0, 6, 0), atol=1e-8)
    np.testing.assert_allclose(sol["rod.node_2.angular_velocity"][0], (0, 0, 3), atol=1e-8)


def test_an_arm_with_a_weight_is_driven():
    """Its balance of energy: what the drive gives, gravity, deformation and damping."""
    m = pl.Model("arm", gravity=(0, -9.81, 0), planar="z")
    m.add(pl.Beam("arm", (0, 0, 0), (1, 0, 0), pl.Section.rectangle(0.01, 0.02), pl.Material(2e9, 0.3, 1500), elements=4, damping=1e-3))
    m.add(pl.RigidBody.box("load", (0.1, 0.1, 0.1), mass=0.2, position=(1, 0, 0)))
    m.add(pl.Revolute("J", m.ground, "arm.start", axis="z"))
    m.add(pl.Drive("J", "angle", "3*t^2"))
    m.add(pl.Fixed("weld", "arm.end", "load"))
    assert m.check().ok
    sol = m.simulate(0.5, accuracy=1e-8, progress=False)
    whole = energy(sol) - sol["energy.work"]
    assert sol["energy.dissipated"][-1] > 1e-3
    np.testing.assert_allclose(whole, whole[0], atol=1e-6 * abs(sol["energy.work"]).max())
    assert abs(sol["arm.end.position"][:, 2]).max() < 1e-12


# -- vibration and equilibrium
def cantilever(elements=8, load=None, **more):
    """EI = L = 1 and rho A = 1, slender."""
    m = pl.Model("cantilever")
    more = {"profile": pl.Section.general(1.0, 1e-6, 1e-6, 2e-6), "material": pl.Material(1e6, 0.3, 1.0)} | more
    m.add(pl.Beam("beam", (0, 0, 0), (1, 0, 0), elements=elements, **more))
    m.add(pl.Fixed("clamp", m.ground, "beam.start"))
    if load is not None:
        m.add(pl.Force("P", "beam.end", load))
    return m


def test_frequencies_of_a_cantilever():
    expected = np.repeat(np.array([1.87510407, 4.69409113, 7.85475744]) ** 2 / (2 * np.pi), 2)
    np.testing.assert_allclose(cantilever(shear=False).modes().frequencies[:6], expected, rtol=1e-3)
    lumped = cantilever(shear=False, lumped=True).modes().frequencies
    assert 0.98 < lumped[0] / expected[0] < 0.999


@pytest.mark.parametrize("formulation", ["geometrically-exact", "corotational"])
def test_small_deflection_is_that_of_linear_theory(formulation):
    """Timoshenko's beam, at its nodes to rounding; force and moment of sections."""
    p = pl.Section.general(0.01, 2e-4, 1e-4, 3e-4, ky=0.7, kz=0.8)
    P = np.array([0.0, 2.0, 3.0])
    sol = cantilever(3, tuple(1e-3 * P), profile=p, material=pl.Material(1e6, 0.3, 1.0), formulation=formulation).static().solution
    G, moved = 1e6 / 2.6, sol["beam.end.position"][0] - (1, 0, 0)
    across = 1e-3 * P[1:] * (1 / (3e6 * np.array([1e-4, 2e-4])) + 1 / (G * 0.01 * np.array([0.7, 0.8])))
    np.testing.assert_allclose(moved[1:], across, rtol=1e-6)
    np.testing.assert_allclose(sol["beam.start.force"][0], 1e-3 * P, atol=1e-8)
    np.testing.assert_allclose(sol["beam.start.moment"][0], (0, -3e-3, 2e-3), atol=5e-8)  # of second order in the load
    np.testing.assert_allclose(sol["beam.element_1.moment"][0], (0, -1.5e-3, 1e-3), atol=5e-8)


def test_the_elastica():
    """P L^2 / EI = 10: Bisshopp and Drucker 1945, in elliptic integrals."""
    m = cantilever(8, (0, 0, 10.0), profile=pl.Section.general(1e4, 1e-2, 1e-2, 2e-2), material=pl.Material(100.0, 0.3, 1.0), shear=False)
    sol = m.static().solution
    x, _, z = sol["beam.end.position"][0]
    np.testing.assert_allclose((x, z), elastica_tip(10.0), atol=1e-4)


# -- frames
def test_frames_at_nodes_and_between_agree():
    """A mass on the middle, at a node of 8 or 16 elements and between nodes of 7 or 15: what is left goes with the cube of their length."""
    found = {}
    for elements in (7, 8, 15, 16):
        m = cantilever(elements, shear=False)
        m.add(pl.RigidBody("mass", 0.5, (1e-3, 1e-3, 1e-3), position=(0.5, 0, 0)))
        m.add(pl.Fixed("weld", m["beam"].at(0.5), "mass"))
        found[elements] = m.modes().frequencies[:4]
    coarse, fine = abs(found[7] / found[8] - 1), abs(found[15] / found[16] - 1)
    assert coarse.max() < 5e-4 and (fine < coarse / 4).all()


def test_a_frame_between_nodes_is_on_the_beam_as_modelled():
    beam = pl.Beam("b", points=ARC, profile=STRIP, material=SOFT, elements=6, frames={"tip": 0.9, "one": 1 / 6}, up="y", twist="20 deg")
    assert beam["one"] == Frame(body="b", frame="one") and str(beam.at(0.3)) == "b at s = 0.3"
    m = pl.Model("frames")
    m.add(beam)
    sol = m.simulate(1e-4, progress=False)
    for name in ("tip", "one", "end"):
        pose = beam.axis.pose(beam.frames[name].s)
        np.testing.assert_allclose(sol[f"b.{name}.position"][0], pose.point, atol=1e-14)
        np.testing.assert_allclose(matrix_of(sol[f"b.{name}.rotation"][0].tolist()), pose.axes, atol=1e-14)
    np.testing.assert_allclose(sol["b.one.position"], sol["b.node_1.position"], atol=1e-15)
    first = matrix_of(beam.rotation)
    for frame in (beam.frame(at=(0.5, 0.4, 0.7)), beam.frame((0.3, 0.2, 0.1)), beam.frame(rotation=(0.6, 0.8, 0, 0))):
        point, axes = beam.place_of(frame)
        where = frame.at or beam.position + first @ np.array(frame.point or (0, 0, 0))
        np.testing.assert_allclose(beam.position + first @ point, where, atol=1e-12)
        assert abs(axes.T @ axes - np.eye(3)).max() < 1e-12
    s = beam.node_of(beam.frame(at=(0.5, 0.4, 0.7)))
    pose = beam.axis.pose(s)
    assert abs(pose.axes[:, 0] @ (np.array((0.5, 0.4, 0.7)) - pose.point)) < 0.02  # as near as it gets


def test_curved_axes():
    """Nodes of an arc are at equal lengths, elements of a circle have its strain; up and twist turn the section."""
    angles = np.linspace(0, np.pi, 40)
    axis = axis_of(tuple(map(tuple, np.column_stack([np.sin(angles), 1 - np.cos(angles), 0 * angles]).tolist())), 8, None, 0.0)
    assert axis.length == pytest.approx(np.pi, rel=1e-5)
    np.testing.assert_allclose(axis.strains[2:-2], np.tile([1, 0, 0, 0, 0, 1.0], (4, 1)), atol=2e-3)
    np.testing.assert_allclose(axis.poses[4].axes[:, 2], (0, 0, 1), atol=1e-12)
    twisted = axis_of(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (3.0, 0.0, 0.0)), 2, (0.0, 1.0, 0.0), np.pi / 2)
    np.testing.assert_allclose(twisted.poses[0].axes[:, 2], (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(twisted.poses[2].axes[:, 2], (0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(twisted.strains[:, 3:], [[np.pi / 6, 0, 0]] * 2, atol=1e-12)
    assert [p.point[0] for p in twisted.poses] == [0, 1.5, 3]


def test_a_rotor_between_nodes():
    """A geared rotor whose joint is on a section between two nodes: energy stays."""
    m = cantilever(4, profile=pl.Section.rectangle(0.01, 0.02), material=pl.Material(2e9, 0.3, 1500))
    m.gravity = (0, 0, -9.81)
    m.add(pl.RigidBody("wheel", 0.1, (1e-4, 1e-4, 1e-4), position=(0.6, 0, 0)))
    m.add(pl.Revolute("J", m["beam"].at(0.6), "wheel", axis="x", angle_rate=10))
    m.add(pl.RotorInertia("R", "J", rotor_inertia=1e-4, ratio=3))
    sol = m.simulate(0.05, progress=False, accuracy=1e-8)
    assert abs(energy(sol) - energy(sol)[0]).max() < 1e-9 and sol["energy.kinetic"][0] == pytest.approx((1e-4 + 9e-4) * 50)


# -- texts and files
def test_a_text_has_all_of_it():
    m = jointed("corotational", True)
    m["boom"].up = "y"
    again = from_text(to_text(m))
    assert to_text(again) == to_text(m) and again["boom"] == m["boom"] and again["F"].a == m["boom"].at(0.77)
    given = from_text("""
pliant: 1
bodies:
  mast: {kind: beam, start: [0, 0, 0], end: [0, 0, 300 mm], profile: {tube: {radius: 10 mm, thickness: 1 mm}},
         material: {E: 70 GPa, nu: 0.33, rho: 2700 kg/m^3}, elements: 4, frames: {half: 0.5}, formulation: geometrically_exact}
joints:
  foot: {kind: fixed, between: [ground, mast.start]}
forces:
  wind: {kind: force, frame: {body: mast, s: 0.7}, vector: [1 N, 0, 0]}
""")["mast"]
    assert given.profile.area == pytest.approx(np.pi * (0.01**2 - 0.009**2)) and given.named_frames == {"half": 0.5}
    assert given == pl.Beam("mast", (0, 0, 0), (0, 0, 0.3), pl.Section.tube(0.01, 0.001), pl.Material(70e9, 0.33, 2700), elements=4,
                            frames={"half": 0.5})


def test_a_run_is_saved_and_goes_on_bit_for_bit(tmp_path):
    whole = flight().simulate(0.2, step=2e-3, progress=False)
    flight().simulate(0.1, step=2e-3, progress=False, out=tmp_path / "run.h5")
    first = pl.load(tmp_path / "run.h5")
    assert np.array_equal(first["rod.node_3.position"], whole["rod.node_3.position"][:len(first.t)])
    assert np.array_equal(first["rod.element_1.moment"], whole["rod.element_1.moment"][:len(first.t)])
    more = first.resume(0.1)
    assert np.array_equal(more["rod.end.position"], whole["rod.end.position"])


def test_a_beam_in_a_sub_assembly():
    inner, m = cantilever(2), pl.Model("outer")
    inner["beam"].frames = {"half": 0.5}
    m.add(inner, name="left", position=(1, 2, 3), rotation=pl.rotation("z", "90 deg"))
    beam = m["left.beam"]
    np.testing.assert_allclose(beam.axis.poses[-1].point, (1, 3, 3), atol=1e-12)
    np.testing.assert_allclose(beam.axis.poses[-1].axes[:, 2], (0, 0, 1), atol=1e-12)
    assert m.modes().frequencies[0] == pytest.approx(cantilever(2).modes().frequencies[0], rel=1e-9)


# -- pictures
def test_pictures_follow_its_motion(tmp_path):
    from pliant.plot.scene import scene
    from pliant.view.describe import Description
    from pliant.view.gltf import write_gltf
    from pliant.view.sources import SolutionSource
    from pliant.view.vtk import write_vtk
    sol = cantilever(3, (0, 0.5, 0)).simulate(0.5, step=5e-3, output_step=0.1, progress=False)
    drawn = scene(sol, sol.t)
    line = drawn.bodies[0].lines("thick", len(sol.t) - 1)
    np.testing.assert_allclose(line[-1], sol["beam.end.position"][-1], atol=1e-12)
    assert drawn.bounds()[1][1] > 0.9 * sol["beam.end.position"][:, 1].max() > 0
    sol.snapshot(tmp_path / "beam.png")
    shown = Description(SolutionSource(sol))
    names = [body["name"] for body in shown.header["bodies"]]
    assert names == ["beam", "beam.node_1", "beam.node_2", "beam.node_3"]
    place = shown.header["bodies"][-1]["place"]
    np.testing.assert_allclose(shown.motion(slice(None))[7 * place:7 * place + 3].T, sol["beam.node_3.position"], atol=1e-6)
    write_gltf(SolutionSource(sol), tmp_path / "beam.glb")
    write_vtk(SolutionSource(sol), tmp_path / "beam.pvd")
    sol.to_html(tmp_path / "beam.html")


# -- what is refused
WRONG = {
    "end: is where start is": {"end": (0, 0, 0)},
    "start: is missing; a beam needs start and end, or points": {"start": None},
    "points: take the place of start and end": {"points": [(0, 0, 0), (1, 0, 0)]},
    "elements: 0 must be a whole number from 1 to 100000": {"elements": 0},
    "up: the axis of the beam is along it": {"up": "x"},
    "profile: 3 must be a section": {"profile": 3},
    "material: 'wood' must be steel": {"material": "wood"},
    "material: rho = 0 kg/m^3 must be greater than zero": {"material": pl.Material(1e9, 0.3, 0.0)},
    "damping: -1 must be at least 0": {"damping": -1},
    "frames.a.s: 1.5 must be at most 1": {"frames": {"a": 1.5}},
    "frames.end: the frame 'end' is at s = 1 of every beam": {"frames": {"end": 0.5}},
    "formulation": {"formulation": "linear"},
}


@pytest.mark.parametrize("sentence", WRONG)
def test_a_wrong_beam_says_what_is_wrong(sentence):
    with pytest.raises(ValueError, match="beam 'b': ") as told:
        pl.Beam(**{"name": "b", "start": (0, 0, 0), "end": (1, 0, 0), "profile": STRIP, "material": "steel"} | WRONG[sentence])
    assert sentence in str(told.value)


def test_a_kink_and_too_few_elements_are_refused():
    with pytest.raises(ValueError, match=r"points: the axis has a kink at point 2"):
        pl.Beam("b", points=[(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0)], profile=STRIP, material="steel")
    with pytest.raises(ValueError, match=r"points: 3 points, must be at least 4 for a curve"):
        pl.Beam("b", points=[(0, 0, 0), (1, 0, 0), (2, 0, 0)], profile=STRIP, material="steel")
    ring = [(np.cos(a), np.sin(a), 0) for a in np.linspace(0, 6, 30)]
    with pytest.raises(ValueError, match=r"elements: 1 are too few"):
        pl.Beam("b", points=ring, profile=STRIP, material="steel", elements=1)
    m = pl.Model("ring")
    m.add(pl.Beam("b", points=ring, profile=STRIP, material="steel", elements=3))
    assert [(f.code, f.items) for f in m.check().select("warning") if f.code == "wound-beam"] == [("wound-beam", ("b",))]


@pytest.mark.parametrize("formulation", ["geometrically-exact", "corotational", "segments", "ancf", "ancf-cable", "torsional-springs"])
def test_a_beam_that_turns_at_the_start_turns_as_a_whole(formulation):
    """However slender it is, of how many elements, and whatever it carries."""
    point = formulation in ("ancf-cable", "torsional-springs")
    m, section = pl.Model("rotor"), pl.Section.circle(1e-3) if point else pl.Section.rectangle(1e-2, 1e-3)
    m.add(pl.Beam("rotor", (1, 1, 1), (1.6, 1, 1.8), section, "steel", elements=40, formulation=formulation))
    m.add(pl.RigidBody.sphere("ball", 0.05, mass=20.0, position=(1.6, 1, 1.8)))
    m.add(pl.Spherical("knot", "rotor.end", "ball"))
    m.add((pl.Spherical if point else pl.Revolute)("hub", m.ground.frame((1, 1, 1)), "rotor.start", **({} if point else {"axis": "y"})))
    if point:
        m.set("ball.velocity", (2.4, 0, -1.8))
    else:
        m.set("hub.angle_rate", 3.0)
    d = m.compile()
    row = parts(start_row(d)[None, :], d.system.q0.size, d.system.n)
    nodes = {node.name: node for node in d.system.slopes} | d.directory.stated
    for node in (nodes[name] for name in d.directory.beams["rotor"].nodes):
        v, r = row["v"][0][node.iv:node.iv + 3], row["q"][0][node.iq:node.iq + 3] - 1
        assert abs(v - np.cross((0, 3, 0), r)).max() < 1e-7


def test_names_and_places_that_mean_something_else_are_refused():
    """Channels of the middle of an element would be taken for those of a frame of that name."""
    ends = (0, 0, 0), (1, 0, 0), STRIP, SOFT
    with pytest.raises(pl.ItemError, match=r"beam 'boom': frames\.element_1: channels call the middle of an element 'element_1'"):
        pl.Beam("boom", *ends, elements=2, frames={"element_1": 0.2})
    pl.Beam("boom", *ends, elements=2, frames={"element_2": 0.2})
    with pytest.raises(pl.ItemError, match=r"beam 'boom': s: 2 must be at most 1$"):
        pl.Beam("boom", *ends).at(2)
    with pytest.raises(pl.ItemError, match="rigid 'ball': point"):
        pl.RigidBody.sphere("ball", 0.1, mass=1.0).frame("here")


def test_what_beams_cannot_do_is_refused_by_name():
    m = flight()
    with pytest.raises(ValueError, match=r"'rod' is a beam of many nodes, which joint .* Take coordinates = 'absolute'"):
        m.simulate(0.1, coordinates="joint", progress=False)
    for item in (pl.DistributedLoad("w", "rod", "wind"), pl.SlidingOnBeam("w", "rod.start", "load")):
        other = flight()
        other.add(item)
        with pytest.raises(ValueError, match=r"'rod' is a beam; a dist|slide along a beam"):
            other.compile()
    m.add(pl.Spherical("J", m.ground.frame((0, 0, 0)), Frame(body="load", s=0.1)))
    with pytest.raises(ValueError, match=r"body 'load' is no beam, so s = 0.1 is no place on it"):
        m.compile()


def test_a_beam_is_not_bent_to_fit_at_the_start():
    m = cantilever(2)
    m.remove("clamp")
    m.add(pl.Revolute("J", m.ground, "beam.start", axis="z", angle="30 deg"))
    with pytest.raises(ValueError, match=r"A beam begins undeformed where it is modelled|start values cannot be reached"):
        m.simulate(0.1, progress=False)


def test_a_velocity_that_joints_do_not_allow_is_told_by_the_name_of_the_beam():
    m = cantilever(2, velocity=(1, 0, 0), angular_velocity=(0, 0, 0))
    with pytest.raises(ValueError, match=r"the velocity of 'beam' cannot be what it is said to be") as told:
        m.simulate(0.1, progress=False)
    assert told.value.items == ("beam",)
    assert [f.items for f in m.check().select("error") if f.code == "conflicting-velocities"] == [("beam",)]


def test_a_run_stops_where_an_element_winds_up():
    m = cantilever(2, profile=pl.Section.general(1.0, 1e-2, 1e-2, 2e-2), material=pl.Material(1e2, 0.3, 1.0))
    m.add(pl.Torque("T", "beam.end", (300.0, 0, 0)))
    with pytest.raises(pl.SimulationError, match=r"element [01] of beam 'beam', .* is bent or twisted by more than 3 rad") as told:
        m.simulate(5.0, progress=False)
    assert told.value.code == "whole-turn"
