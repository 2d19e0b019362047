"""Loads that are spread over a body, in models: static answers, flutter, free flight, tangents, both coordinates, files, refusals."""
from functools import cache

import numpy as np
import pytest
from derivatives import ComplexStep, random_rotation

import pliant as pl
from pliant import flex
from pliant.items.base import matrix_of
from pliant.items.errors import ItemError, ModelError
from pliant.kernels import evaluation
from pliant.text.model_text import from_text, read, to_text

B, H = 0.02, 0.01
EI = 210e9 * B * H**3 / 12
ENDS = {"start": (0, 0, 0), "end": (1, 0, 0)}
LOADS = {"wind": {"line": (0, 0, "1 N/m")}, "drag": {"line": (30.0, "20*x^2", 50.0), "follows": True}, "along": {"line": ("-1 N/m", 0, 0)},
         "thrust": {"line": ("-1 N/m", 0, 0), "follows": True}}


@cache
def beam(frame="body-fixed", modes=3, elements=10) -> flex.Reduced:
    mesh = flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.rectangle(B, H), pl.STEEL, elements=elements)
    return flex.reduce(mesh, ENDS, modes=modes, frame=frame, frames={"middle": (0.5, 0, 0)}, loads=LOADS)


@cache
def bracket() -> flex.Reduced:
    """A small solid under pressure, which follows its faces."""
    mesh = flex.mesh_box((0.3, 0.05, 0.02), (4, 1, 1), pl.Material(7e8, 0.3, 2700), "hex20", origin=(0.1, -0.2, 0.3))
    loads = {"suction": {"pressure": "-3e3*(1 + 4*x*y)", "plane": "z = 0.32"}}
    return flex.reduce(mesh, {"root": {"plane": "x = 0.1"}}, modes=3, loads=loads)


def clamped(part, load, factor, stiffening="on", **more) -> pl.Model:
    m = pl.Model("cantilever")
    m.add(pl.ModalBody("beam", part, stiffening=stiffening, **more))
    m.add(pl.Fixed("J", m.ground, "beam.start"))
    m.add(pl.DistributedLoad("gust", "beam", load, factor))
    return m


# -- static
def test_a_cantilever_bends_as_it_must():
    """w L^4 / 8 EI, off the axes of the world; what the clamp bears."""
    turn, at = matrix_of(pl.rotation((0.3, 1, -0.5), 1.1)), np.array([0.2, -0.1, 0.4])
    m = pl.Model("cantilever")
    m.add(pl.ModalBody("beam", beam(), position=at, rotation=turn, stiffening="off"))
    m.add(pl.Fixed("J", m.ground.frame(at), "beam.start"))
    m.add(pl.DistributedLoad("gust", "beam", "wind", "5"))
    found = m.static()
    tip = turn.T @ (found["beam.end.position"] - at) - (1, 0, 0)
    assert tip[2] == pytest.approx(5 / (8 * EI), rel=1e-9) and abs(tip[:2]).max() < 1e-10
    np.testing.assert_allclose(found["gust.force"], turn @ (0, 0, 5), atol=1e-9)
    np.testing.assert_allclose(found["gust.torque"], turn @ (0, -2.5, 0), atol=1e-9)
    np.testing.assert_allclose(found["J.force"], -turn @ (0, 0, 5), atol=1e-9)


@pytest.mark.parametrize("frame", ["body-fixed", "mean-axis"])
def test_a_beam_on_two_supports(frame):
    """5 w L^4 / 384 EI in the middle, with stiffening as without: a small load."""
    for stiffening in ("on", "off"):
        m = pl.Model("bridge")
        m.add(pl.ModalBody("beam", beam(frame), stiffening=stiffening))
        m.add(pl.Revolute("L", m.ground, "beam.start", axis="y"))
        m.add(pl.PointOnLine("R", m.ground.frame((1, 0, 0)), "beam.end", axis="x"))
        m.add(pl.DistributedLoad("snow", "beam", "wind", -1e-3))
        assert m.static()["beam.middle.position"][2] == pytest.approx(-5e-3 / (384 * EI), rel=1e-7)


@pytest.mark.parametrize("frame", ["body-fixed", "mean-axis"])
def test_a_thrust_along_a_column_makes_it_flutter(frame):
    """Leipholz: a load that follows the column makes it flutter from w L^3 / EI = 40.05 on, whatever the axes of the part."""
    growth = [m.modes(3, state="static").eigenvalues.real.max() for m in
              (clamped(beam(frame, 12, 20), "thrust", c * EI) for c in (40.0, 40.1))]
    assert growth[0] < 1e-6 and growth[1] > 1


def test_a_weight_along_a_column_makes_it_buckle():
    """Greenhill: w L^3 / EI = 7.837 for a load that keeps the direction of the clamp."""
    part = beam("body-fixed", 12, 20)
    squares = [np.imag(clamped(part, "along", c * EI).modes(1, state="static").eigenvalues[0]) ** 2 for c in (7.4, 7.8)]
    critical = 7.4 + 0.4 * squares[0] / (squares[0] - squares[1])
    assert critical == pytest.approx(7.8373, rel=1e-3)


def test_pressure_on_a_solid_by_the_reduced_stiffness():
    m = pl.Model("bracket")
    m.add(pl.ModalBody("b", bracket(), stiffening="off"))
    m.add(pl.Fixed("J", m.ground.frame(bracket().nodes["root"].u0), "b.root"))
    m.add(pl.DistributedLoad("p", "b", "suction", 1e-4))
    load = bracket().loads["suction"]
    np.testing.assert_allclose(m.static()["b.modal"], np.linalg.solve(bracket().Kqq, 1e-4 * load.modal), rtol=1e-4)


# -- motion
def flying(part, load, factor="40*sin(30*t) + 10*body.velocity.x", stiffening="on", **more) -> pl.Model:
    """Free in space, spinning off its axes."""
    m = pl.Model("free flight")
    m.add(pl.ModalBody("body", part, position=(0.1, 0.2, -0.3), rotation=pl.rotation((1, -2, 0.5), 0.8), velocity=(0.3, -0.2, 0.1),
                       angular_velocity=(3, -2.5, 3.2), stiffening=stiffening, damping=0.01, **more))
    m.add(pl.DistributedLoad("gust", "body", load, factor))
    return m


CASES = {"beam": (beam, "drag", 0.2), "in mean axes": (lambda: beam("mean-axis"), "drag", 0.2), "solid": (bracket, "suction", 0.005)}


@pytest.mark.parametrize("stiffening", ["on", "off"])
@pytest.mark.parametrize("name", CASES)
def test_momentum_and_energy_change_by_what_the_load_gives(name, stiffening):
    """Rates of momentum and angular momentum, by differences, are force and moment; what it supplies is in the balance of energy."""
    part, load, size = CASES[name]
    h = 2e-5
    m = flying(part(), load, f"{size}*(40*sin(300*t) + 10*body.velocity.x)", stiffening)
    sol = m.simulate(0.004, accuracy=1e-11, integrator=pl.DOP853(), output_step=h, progress=False)
    p, L = sol["model.momentum"], sol["model.angular_momentum"]
    def rate(x):
        return (x[:-4] - 8 * x[1:-3] + 8 * x[3:-1] - x[4:]) / (12 * h)
    force, torque = sol["gust.force"], sol["gust.torque"] + np.cross(sol["body.position"], sol["gust.force"])
    np.testing.assert_allclose(rate(p), force[2:-2], atol=1e-6 * abs(force).max())
    np.testing.assert_allclose(rate(L), torque[2:-2], atol=1e-6 * abs(torque).max())
    balance = sol.energy.balance
    assert abs(balance - balance[0]).max() < 1e-8 * max(1.0, abs(balance).max())
    work = np.concatenate([[0.0], np.cumsum((sol["gust.power"][1:] + sol["gust.power"][:-1]) / 2 * h)])
    np.testing.assert_allclose(work, sol.energy.work, atol=1e-4 * abs(work).max())
    np.testing.assert_allclose(sol["gust.factor"], size * (40 * np.sin(300 * sol.t) + 10 * sol["body.velocity"][:, 0]), atol=1e-9)


@pytest.mark.parametrize("stiffening", ["on", "off"])
@pytest.mark.parametrize("name", CASES)
def test_tangent(name, stiffening):
    """Deformed, turned, moving, with a factor of signals of another body: to 1e-12 of a complex step."""
    part, load, _ = CASES[name]
    rng = np.random.default_rng(4)
    m = flying(part(), load, "3*cos(2*t) - body.velocity.z*other.position.x", stiffening)
    m.add(pl.RigidBody("other", 2.0, (1, 2, 3), com=(0.1, 0.2, 0), rotation=random_rotation(rng), velocity=(1, 2, 3)))
    m.add(pl.LineLoad("line", {"body": "other", "point": (0.1, 0, 0.3)}, {"body": "other", "point": (1, 2, 0.5)}, (1, -2, 3),
                      force_at_end=(0, 4, 1), factor="2*cos(3*t) - body.velocity.y*other.velocity.y"))
    system = m.compile(exact=True).system
    c = ComplexStep(system, seed=4)
    evaluation.retract(system.data, c.real.q.copy(), rng.normal(size=system.n), 0.2, c.real.q)
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-12 * max(1.0, abs(expected).max()))
    alone = {f for f in system.families if f.push.residual or f.name == "load"}
    assert {f.name for f in alone} >= {"distributed load", "load"}


def arm() -> pl.Model:
    """A flexible arm on a hinge with a rigid forearm, under a follower load that answers to the hinge, and a line load on the forearm."""
    m = pl.Model("arm", gravity=(0, 0, -9.81))
    m.add(pl.ModalBody("upper", beam(), damping=0.02))
    m.add(pl.RigidBody.rod("lower", start=(1, 0, 0), end=(1.5, 0.2, 0), mass=0.3))
    m.add(pl.Revolute("A", m.ground, "upper.start", axis="y"))
    m.add(pl.Revolute("K", "upper.end", "lower.start", axis=(0.2, 1, 0.1)))
    m.add(pl.DistributedLoad("gust", "upper", "drag", "0.3*sin(20*t) - 0.02*A.angle_rate"))
    m.add(pl.LineLoad("wind", "lower.start", "lower.end", (0, "1 N/m", 2.0), force_at_end=(1, 0, "3 N/m"), factor="cos(9*t) - K.angle"))
    return m


def test_both_coordinates_agree():
    runs = [arm().simulate(0.2, accuracy=1e-11, formulation=f, integrator=pl.DOP853(), output_step=0.01, progress=False)
            for f in (pl.Index1(), pl.Recursion())]
    for channel in ("lower.position", "A.angle", "K.angle", "gust.force", "gust.torque", "wind.torque", "gust.power", "wind.power"):
        size = max(1.0, abs(runs[0][channel]).max())
        np.testing.assert_allclose(runs[0][channel], runs[1][channel], atol=1e-8 * size)


def test_files_and_continuation_bit_for_bit(tmp_path):
    options = {"step": 1e-4, "output_step": 1e-3, "progress": False}
    whole = arm().simulate(0.02, **options)
    half = arm().simulate(0.01, out=tmp_path / "half.h5", **options)
    np.testing.assert_array_equal(half.resume(0.01)["lower.position"][-1], whole["lower.position"][-1])
    back = pl.load(tmp_path / "half.h5")
    np.testing.assert_array_equal(back["gust.torque"], half["gust.torque"])
    np.testing.assert_array_equal(back.resume(0.01)["gust.force"][-1], whole["gust.force"][-1])


def test_text_and_python_give_the_same_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    beam().save("beam.h5")
    m = pl.Model("arm")
    m.add(pl.ModalBody("upper", "beam.h5", damping=0.02))
    m.add(pl.RigidBody.rod("lower", start=(1, 0, 0), end=(1.5, 0.2, 0), mass=0.3))
    m.add(pl.LineLoad("wind", "lower.start", "lower.end", (0, "1 N/m", 2.0), force_at_end=(1, 0, "3 N/m"), factor="cos(9*t)"))
    m.add(pl.DistributedLoad("gust", m["upper"], "drag", pl.Table([0, 1], [0, 5])))
    m.add(pl.DistributedLoad("still", "upper", "wind", active=False))
    text = to_text(m)
    assert "kind: distributed_load" in text and "force_at_end: [1, 0, 3]" in text
    again = from_text(text)
    assert all(again[k] == m[k] for k in ("gust", "wind", "still")) and to_text(again) == text
    found = from_text(text.replace("kind: distributed_load", "kind: distributed-load").replace("kind: line_load", "kind: line-load"))
    assert to_text(found) == text


@cache
def pushed() -> flex.Reduced:
    mesh = flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.rectangle(B, H), pl.STEEL, elements=10)
    return flex.reduce(mesh, ENDS, modes=6, loads={"push": {"forces": {10: (1, 0.2, -0.3)}}, "press": {"forces": {10: (-1, 0, 0)}}})


def test_a_load_at_one_node_is_a_force_there():
    """In a body-fixed frame at a clamp: the same as a force with the axes of the world, up to the square of the deflection (in lengths),
    which is left out. Pulled by 300 N it bends less: stiffening."""
    for size in (1.0, 300.0):
        force = clamped(pushed(), "push", 0.0)
        force.add(pl.Force("F", "beam.end", (size, 0.2 * size, -0.3 * size)))
        tips = [m.static()["beam.end.position"] - (1, 0, 0) for m in (clamped(pushed(), "push", size), force)]
        np.testing.assert_allclose(tips[0], tips[1], rtol=0, atol=abs(tips[1]).max() ** 3 + 1e-12)
    linear = 0.2 * 300 / (3 * 210e9 * H * B**3 / 12)
    assert tips[0][1] < 0.95 * linear


def test_a_column_buckles_under_a_load_at_its_top():
    """Euler: pi^2 EI / 4 L^2."""
    euler = np.pi**2 * EI / 4
    squares = [np.imag(clamped(pushed(), "press", c * euler).modes(1, state="static").eigenvalues[0]) ** 2 for c in (0.9, 0.99)]
    assert 0.9 + 0.09 * squares[0] / (squares[0] - squares[1]) == pytest.approx(1.0, rel=1e-3)


def test_modes_that_come_and_go():
    whole, some = (flying(beam("mean-axis"), "drag", "if(t > 0.02, 2, 0)", adaptive=a).simulate(0.1, progress=False, output_step=0.01)
                   for a in (None, 1e-6))
    assert some.active_modes("body").any() and not some.active_modes("body")[some.t < 0.02].all()
    np.testing.assert_allclose(some["body.end.position"], whole["body.end.position"], atol=1e-4)


def test_a_factor_is_an_input_of_linear_models():
    lin = clamped(beam(), "wind", 0.0, "off").linearize(inputs=["gust"], outputs=["beam.end.position.z"])
    assert lin.inputs == ["gust.factor"] and lin.units["inputs"] == [""]
    assert lin.response(0.0)[0, 0, 0].real == pytest.approx(1 / (8 * EI), rel=1e-6)
    with pytest.raises(ModelError, match="factors of distributed loads"):
        clamped(beam(), "wind", 0.0).linearize(inputs=["gust.x"], outputs=["beam.end.position.z"])


def test_every_run_names_the_load_that_its_modes_cannot_follow():
    mesh = flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.rectangle(B, H), pl.STEEL, elements=10)
    wind = {"line": ("100 N/m * x", 0, 0)}
    poor = flex.reduce(mesh, ENDS, modes=0, loads={"wind": {**wind, "shape": False}})
    m = pl.Model("m")
    m.add(pl.ModalBody("beam", poor, damping=0.1))
    m.add(pl.Fixed("L", m.ground, "beam.start"))
    m.add(pl.Fixed("R", m.ground.frame((1, 0, 0)), "beam.end"))
    m.add(pl.DistributedLoad("gust", "beam", "wind", 10.0))
    sol = m.simulate(0.01, progress=False)
    told = sol.missed("beam")
    assert told.worst > 0.3 and told.load == ("load", "wind") and "load 'wind'" in sol.summary()
    better = flex.enrich(mesh, ENDS, modes=0, loads={"wind": {**wind, "shape": False}}, recorded=sol.loads("beam"))
    assert better.represented.of(sol.loads("beam")).worst < 0.01


# -- rigid bodies
def test_a_line_load_is_its_resultant():
    """A linear load from f0 to f1 on a length L: L (f0 + f1) / 2, with the moment of its centre."""
    m, same = pl.Model("rod"), pl.Model("rod")
    for k in (m, same):
        k.add(pl.RigidBody("rod", 2.0, (0.02, 0.3, 0.4), com=(0.3, 0.1, -0.2), position=(1, 2, 3), rotation=pl.rotation((1, 2, 3), 0.5),
                           angular_velocity=(1, 2, 3), frames={"a": (0, 0, 0), "b": (2, 0, 0)}))
    m.add(pl.LineLoad("w", "rod.a", "rod.b", (0, "3 N/m", 0), force_at_end=(0, "9 N/m", "6 N/m"), factor="cos(3*t)"))
    # 2 * (3 + 9) / 2 = 12 N along y, its moment 2^2 (3 / 6 + 9 / 3) = 14 N m about z; 6 N along z, its moment -2^2 * 6 / 3 = -8 N m about y
    same.add(pl.Force("F", "rod", (0, "12*cos(3*t)", "6*cos(3*t)"), axes="frame"))
    same.add(pl.Torque("T", "rod", (0, "-8*cos(3*t)", "14*cos(3*t)"), axes="frame"))
    one, other = (k.simulate(0.5, accuracy=1e-10, integrator=pl.DOP853(), output_step=0.05, progress=False) for k in (m, same))
    np.testing.assert_allclose(one["rod.position"], other["rod.position"], atol=1e-9)
    np.testing.assert_allclose(one["w.force"], other["F.force"], atol=1e-8)
    np.testing.assert_allclose(one["w.torque"], other["T.torque"], atol=1e-8)
    np.testing.assert_allclose(one["w.power"], other["F.power"] + other["T.power"], atol=1e-7)


def test_a_part_of_it_across_the_planes_is_told():
    m = pl.Model("flat", planar="z")
    m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, "rod.start", axis="z"))
    m.add(pl.LineLoad("w", "rod.start", "rod.end", (0, 1, 2)))
    assert "line_load 'w': its part (0, 0, 2) N/m acts across the planes" in str(m.check())


def test_sub_assemblies_take_it_along_and_mirror_it():
    leg = pl.Model("leg")
    leg.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0.2, 0.3), mass=1.0))
    leg.add(pl.LineLoad("w", "rod.start", "rod.end", (1, 2, 3), force_at_end=(3, 0, 1)))
    whole = pl.Model("both")
    whole.add(leg, name="right", position=(0, 1, 0))
    whole.add(leg, name="left", position=(0, -1, 0), mirror="y")
    sol = whole.simulate(0.3, accuracy=1e-9, progress=False)
    mirror = np.array([1, -1, 1])
    np.testing.assert_allclose(sol["left.rod.position"], sol["right.rod.position"] * mirror, atol=1e-7)
    np.testing.assert_allclose(sol["left.w.force"], sol["right.w.force"] * mirror, atol=1e-7)
    np.testing.assert_allclose(sol["left.w.torque"], -sol["right.w.torque"] * mirror, atol=1e-7)
    part = pl.Model("part")
    part.add(pl.ModalBody("beam", beam()))
    part.add(pl.DistributedLoad("gust", "beam", "wind", "beam.end.velocity.x"))
    whole = pl.Model("whole")
    whole.add(part, name="arm", rotation=pl.rotation("z", 0.3))
    assert whole["arm.gust"].body.body == "arm.beam" and "arm.beam.end.velocity" in whole["arm.gust"].factor
    with pytest.raises(ModelError, match="mirror"):
        whole.add(part, name="other", mirror="x")


# -- refusals
def test_wrong_use_is_told():
    m = clamped(beam(), "wnd", 1.0)
    with pytest.raises(ModelError, match=r"distributed_load 'gust': load: the part of body 'beam' has no load 'wnd'; did you mean 'wind'"):
        m.compile()
    with pytest.raises(ItemError, match=r"distributed_load 'gust': factor: '5 N' is a force \[N\]"):
        pl.DistributedLoad("gust", "beam", "wind", "5 N")
    m = arm()
    m.add(pl.DistributedLoad("F", "lower", "drag"))
    with pytest.raises(ModelError, match="distributed_load 'F': body: body 'lower' is rigid"):
        m.compile()
    m = arm()
    m.add(pl.LineLoad("F", "upper.start", "upper.end", (0, 0, 1)))
    with pytest.raises(ModelError, match="line_load 'F': start: body 'upper' is flexible; name the load when its part is reduced"):
        m.compile()


def test_the_text_tells_the_line(tmp_path):
    beam().save(tmp_path / "beam.h5")
    head = ("pliant: 1\nbodies:\n  beam: {kind: modal, reduced: beam.h5}\n  rod: {rod: {start: [0, 0, 0], end: [1, 0, 0]}, mass: 1}\n"
            "forces:\n  F: ")
    cases = {
        "{kind: distributed_load, body: beam, load: wnd}": "forces.F.load: the part of body 'beam' has no load 'wnd'; did you mean 'wind'?",
        "{kind: distributed_load, body: beam.end, load: wind}": "forces.F.body: 'beam.end' is a place on a body; the load is on the whole",
        "{kind: distributed_load, body: rod, load: wind}": "forces.F.body: body 'rod' is rigid; a distributed load is of a flexible body",
        "{kind: distributed_load, body: ground, load: wind}": "forces.F.body: the ground does not move",
        "{kind: distributed_load, body: beam}": "forces.F.load: is missing; a distributed_load force needs it",
        "{kind: line_load, start: beam.start, end: beam.end, force: [0, 0, 1]}": "forces.F.start: body 'beam' is flexible",
        "{kind: pressure, body: beam, load: wind}": "forces.F.kind: unknown kind 'pressure' of force; did you mean 'distributed_load'?",
    }
    for text, due in cases.items():
        (tmp_path / "model.yaml").write_text(head + text + "\n")
        with pytest.raises(ModelError) as told:
            read(tmp_path / "model.yaml")
        assert f"model.yaml:6: {due}" in str(told.value)
