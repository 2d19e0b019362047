"""Machines as users write them, in the words for them: parameters, variables, tables, joint loads, joints at a point. Each against a closed
form or an integration of its own."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant import flex
from pliant.text.model_text import from_text

G = 9.81


# -- quarter car: a double wishbone over a bump
QUARTER_CAR = """
pliant: 1
parameters: {radius: 320 mm, tyre_rate: 200 N/mm, tyre_loss: 300 N*s/m}
gravity: [0, 0, -9.81]
tables: {bump: {x: [0, 0.5, 0.55, 0.6, 0.65, 0.7, 3], y: [0, 0, 30, 50, 30, 0, 0], units: [s, mm], kind: linear}}
bodies:
  chassis: {box: {size: [0.5, 0.2, 0.6]}, mass: 320 kg, position: [0, 0.2, 0.5]}
  lower:   {rod: {start: [0, 0.35, 0.25], end: [0, 0.70, 0.22], radius: 15 mm}, mass: 4 kg}
  upper:   {rod: {start: [0, 0.40, 0.55], end: [0, 0.66, 0.56], radius: 12 mm}, mass: 2.5 kg}
  knuckle: {box: {size: [0.05, 0.05, 0.34]}, mass: 12 kg, position: [0, 0.69, 0.39]}
  wheel:   {cylinder: {radius: "=radius", length: 200 mm, axis: y}, mass: 20 kg, position: [0, 0.75, "=radius"]}
joints:
  guide: {kind: prismatic, between: [ground, chassis], at: [0, 0.2, 0.5], axis: z}
  ball_low: {kind: spherical, between: [lower, knuckle], at: [0, 0.70, 0.22]}
  ball_up:  {kind: spherical, between: [upper, knuckle], at: [0, 0.66, 0.56]}
  tie: {kind: distance, between: [{body: chassis, at: [0.12, 0.4, 0.34]}, {body: knuckle, at: [0.12, 0.69, 0.34]}]}
  hub: {kind: revolute, between: [knuckle, wheel], at: [0, 0.75, 0.32], axis: y}
variables: {dent: {expression: radius + bump(t) - wheel.position.z, unit: m}}
forces:
  low_bush: {kind: bushing, between: [{body: chassis, at: [0, 0.35, 0.25]}, lower.start],
             stiffness: [5e6, 5e6, 5e6, 50, 3000, 3000], damping: [2000, 2000, 2000, 1, 5, 5]}
  up_bush:  {kind: bushing, between: [{body: chassis, at: [0, 0.40, 0.55]}, upper.start],
             stiffness: [5e6, 5e6, 5e6, 50, 3000, 3000], damping: [2000, 2000, 2000, 1, 5, 5]}
  strut: {kind: spring_damper, between: [{body: chassis, at: [0, 0.45, 0.7]}, {body: lower, at: [0, 0.625, 0.235]}],
          stiffness: 45 N/mm, damping: 3000 N*s/m}
  tyre: {kind: force, frame: wheel,
         vector: [0, 0, "max(0, tyre_rate*dent + tyre_loss*((bump(t + 1e-6) - bump(t))/1e-6 - wheel.velocity.z))"]}
simulate: {duration: 3 s, start: static}
"""


def test_quarter_car():
    """At rest the tyre carries all; over the bump its force is that of its law; afterwards it is at rest again."""
    m = from_text(QUARTER_CAR)
    sol = m.simulate()
    weight = sum(body.mass for body in m.section("bodies")) * G
    assert sol["tyre.force.z"][0] == pytest.approx(weight, rel=1e-6)
    road = m.tables["bump"].evaluate
    rate = (road(sol.t + 1e-6) - road(sol.t)) / 1e-6 - sol["wheel.velocity.z"]
    law = np.maximum(0, 2e5 * (0.32 + road(sol.t) - sol["wheel.position.z"]) + 300 * rate)
    np.testing.assert_allclose(sol["tyre.force.z"], law, atol=1e-9 * weight)
    assert sol["tyre.force.z"].max() > 1.5 * weight and sol["tyre.force.z"][-1] == pytest.approx(weight, rel=0.02)
    stiffer = m.with_(tyre_rate="300 N/mm").static()
    assert stiffer["tyre.force"][2] == pytest.approx(weight, rel=1e-6)


# -- vehicle: an engine map, a gearbox, one tyre formula
def vehicle() -> pl.Model:
    m = pl.Model("car", gravity=(0, 0, -G))
    body = m.add(pl.RigidBody.box("body", size=(4, 1.6, 1), mass=1200, position=(0, 0, 0.8)))
    m.add(pl.Prismatic("road", m.ground, body, at=(0, 0, 0.8), axis="x"))
    for name, x, z, r, mass in (("front", 1.3, 0.3, 0.3, 40), ("rear", -1.3, 0.3, 0.3, 40), ("engine", 0.8, 0.5, 0.15, 15)):
        m.add(pl.RigidBody.cylinder(name, radius=r, length=0.2, axis="y", mass=mass, position=(x, 0, z)))
        m.add(pl.Revolute(f"{name}_axle", body, name, at=(x, 0, z), axis="y"))
    for name in ("front", "rear"):
        m.add(pl.Variable(f"pull_{name}", f"4 kN*tanh(5*({name}_axle.angle_rate*0.3 - body.velocity.x)/(abs(body.velocity.x) + 0.5))", "N"))
        m.add(pl.Force(f"tyre_{name}", name, (f"pull_{name}", 0, 0)))
        m.add(pl.JointTorque(f"roll_{name}", f"{name}_axle", f"-0.3*pull_{name}"))
    m.add(pl.Coupling("gearbox", "rear_axle.angle", "engine_axle.angle/8"))
    m.add(pl.JointTorque("gas", "engine_axle", "(150 - 0.0004*(engine_axle.angle_rate - 300)^2)*step(t, 0.2, 0, 0.5, 1)"))
    m.add(pl.Force("drag", body, ("-0.4*body.velocity.x*abs(body.velocity.x)", 0, 0)))
    return m


def test_vehicle():
    """Against the three equations of motion, by SciPy; and what the engine supplies is in the powers."""
    m = vehicle()
    sol = m.simulate(10.0, accuracy=1e-8)
    r, wheel, engine, mass = 0.3, 40 * 0.3**2 / 2, 15 * 0.15**2 / 2, 1295.0

    def rates(t, y):
        v, front, rear = y
        u = np.clip((t - 0.2) / 0.3, 0, 1)
        pull = [4000 * np.tanh(5 * (w * r - v) / (abs(v) + 0.5)) for w in (front, rear)]
        torque = (150 - 0.0004 * (8 * rear - 300) ** 2) * u * u * (3 - 2 * u)
        return [(sum(pull) - 0.4 * v * abs(v)) / mass, -r * pull[0] / wheel, (8 * torque - r * pull[1]) / (wheel + 64 * engine)]
    due = solve_ivp(rates, (0, 10), [0, 0, 0], method="Radau", rtol=1e-10, atol=1e-11, t_eval=[2, 5, 10]).y
    for k, t in enumerate((2, 5, 10)):
        i = np.searchsorted(sol.t, t - 1e-9)
        assert sol["body.velocity.x"][i] == pytest.approx(due[0, k], rel=1e-6)
        assert sol["engine_axle.angle_rate"][i] == pytest.approx(8 * due[2, k], rel=1e-6)
    np.testing.assert_allclose(sol["gas.power"], sol["gas.torque"] * sol["engine_axle.angle_rate"], rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(sol["model.momentum.x"], mass * sol["body.velocity.x"], rtol=1e-9, atol=1e-9)


# -- engine: pressure over the crank angle, a flexible rod
def engine(flexible: bool) -> pl.Model:
    R, L, area = 0.04, 0.14, np.pi * 0.04**2
    m = pl.Model("engine")
    m.parameter("speed", "3000 rpm")
    angle = [0, 20, 60, 140, 180, 540, 660, 700, 720]
    m.table("gas", pl.Table(np.radians(angle), area * (np.array([40e5, 55e5, 15e5, 3e5, 1e5, 1e5, 4e5, 20e5, 40e5]) - 1e5), "linear"))
    m.add(pl.RigidBody.rod("crank", (0, 0, 0), (R, 0, 0), mass=1.5))
    if flexible:
        mesh = flex.mesh_beam([(0, 0, 0), (L, 0, 0)], pl.Section.rectangle(0.02, 0.012), pl.STEEL, elements=8)
        part = flex.reduce(mesh, {"start": (0, 0, 0), "end": (L, 0, 0)}, modes=2)
        m.add(pl.ModalBody("rod", part, position=(R, 0, 0), damping=0.01))
    else:
        m.add(pl.RigidBody.rod("rod", (R, 0, 0), (R + L, 0, 0), mass=0.26))
    m.add(pl.RigidBody("piston", mass=0.45, inertia=(3e-4, 3e-4, 3e-4), position=(R + L, 0, 0)))
    for name, a, b in (("A", m.ground, "crank.start"), ("B", "crank.end", "rod.start"), ("C", "rod.end", "piston")):
        m.add(pl.Revolute(name, a, b, axis="z"))
    m.add(pl.Prismatic("D", m.ground, "piston", axis="x"))
    m.add(pl.Drive("A", "angle", speed="speed", name="motor"))
    m.add(pl.Force("burning", "piston", ("-gas(mod(A.angle, 4*pi))", 0, 0)))
    return m


@pytest.mark.parametrize("flexible", [False, True], ids=["rigid", "flexible"])
def test_engine(flexible):
    """What the gas does in a cycle, the motor takes up, at any speed."""
    m = engine(flexible).with_(speed="2400 rpm")
    cycle = 2 * 60 / 2400
    sol = m.simulate(2 * cycle, output_step=cycle / 720, accuracy=1e-6)
    last = sol.t >= cycle - 1e-9
    supplied, effort = (np.trapezoid(sol[name][last], sol.t[last]) for name in ("burning.power", "motor.power"))
    assert supplied > 100 and effort == pytest.approx(-supplied, rel=0.02 if flexible else 1e-3)
    angle = sol["A.angle"][last]
    place = sol["piston.position.x"][last]
    indicated = -np.trapezoid(m.tables["gas"].evaluate(np.mod(angle + 1e-12, 4 * np.pi)), place)
    assert supplied == pytest.approx(indicated, rel=2e-3)


# -- robot arm: six motors by PD laws with one gain each
def test_robot_arm():
    """A UR5 holds a pose by PD torques without gravity compensation: it sags by the torque of gravity over the gain of each joint."""
    a, d = [0, -0.425, -0.39225, 0, 0, 0], [0.089159, 0, 0, 0.10915, 0.09465, 0.0823]
    alpha, mass = [np.pi / 2, 0, 0, np.pi / 2, -np.pi / 2, 0], [3.7, 8.393, 2.33, 1.219, 1.219, 0.1879]
    frames = [np.eye(4)]
    for i in range(6):
        c, s = np.cos(alpha[i]), np.sin(alpha[i])
        frames.append(frames[-1] @ np.array([[1, 0, 0, a[i]], [0, c, -s, 0], [0, s, c, d[i]], [0, 0, 0, 1]]))
    m, before, gains = pl.Model("ur5", gravity=(0, 0, -G)), "ground", [2000, 2000, 1000, 200, 200, 50]
    goal = np.radians([60, -90, 60, -60, -90, 45])
    for i in range(6):
        here, there = frames[i][:3, 3], frames[i + 1][:3, 3]
        inertia = mass[i] * (0.05**2 / 2 + max(np.linalg.norm(there - here), 0.1) ** 2 / 12)
        m.add(pl.RigidBody(f"link{i}", mass=mass[i], inertia=(inertia,) * 3, position=tuple(here), com=tuple((there - here) / 2)))
        m.add(pl.Revolute(f"J{i}", before, f"link{i}", at=tuple(here), axis=tuple(np.round(frames[i][:3, 2], 12))))
        before = f"link{i}"
    alone = m.copy()
    for i in range(6):
        m.parameter(f"kp{i}", gains[i])
        m.add(pl.JointTorque(f"M{i}", f"J{i}", f"kp{i}*(step(t, 0, 0, 1.5, {goal[i]}) - J{i}.angle) - 0.1*kp{i}*J{i}.angle_rate"))
    sol = m.simulate(8.0)
    held = np.array([sol[f"J{i}.angle"][-1] for i in range(6)])
    need = alone.joint_space().gravity_compensation(held)
    np.testing.assert_allclose(goal - held, need / gains, atol=1e-8)
    np.testing.assert_allclose([sol[f"M{i}.torque"][-1] for i in range(6)], need, atol=1e-6)


# -- satellite: a wheel turns two flexible panels
def test_satellite():
    """Momentum and angular momentum stay zero while the motor works inside; the motor supplies all energy."""
    mesh = flex.mesh_beam([(0, 0, 0), (4, 0, 0)], pl.Section.rectangle("1.2 m", "20 mm"), pl.Material(5e9, 0.3, 300), elements=16)
    panel, m = flex.reduce(mesh, {"root": (0, 0, 0), "tip": (4, 0, 0)}, modes=4), pl.Model("satellite")
    hub = m.add(pl.RigidBody.box("hub", size=(1, 1, 1.5), mass=400, position=(0, 0, 0)))
    for name, x, turn in (("left", -0.5, "180 deg"), ("right", 0.5, 0)):
        m.add(pl.ModalBody(name, panel, position=(x, 0, 0), rotation=pl.rotation("z", turn)))
        m.add(pl.Fixed(f"root_{name}", hub.frame((x, 0, 0), rotation=pl.rotation("z", turn)), f"{name}.root"))
    m.add(pl.RigidBody.cylinder("wheel", radius=0.2, length=0.06, mass=8, position=(0, 0, 0.3)))
    m.add(pl.Revolute("W", "hub", "wheel", at=(0, 0, 0.3), axis="z"))
    m.add(pl.JointTorque("motor", "W", "if(t < 20, 0.2 N*m, 0)"))
    sol = m.simulate(30.0, accuracy=1e-7)
    scale = 0.16 * abs(sol["W.angle_rate"]).max()
    assert abs(sol["model.angular_momentum"]).max() < 1e-6 * scale and abs(sol["model.momentum"]).max() < 1e-6 * scale
    assert abs(sol["model.com.position"] - sol["model.com.position"][0]).max() < 1e-6
    work = np.trapezoid(sol["motor.power"], sol.t)
    assert sol.energy.kinetic[-1] + sol.energy.elastic[-1] == pytest.approx(work, rel=1e-3)


# -- scissor lift
def test_scissor_lift():
    """Driven at its foot: the force there is that of virtual work."""
    m = pl.Model("scissor", gravity=(0, 0, -G), planar="y")
    angle = np.radians(25)
    w, h = 2 * np.cos(angle), 2 * np.sin(angle)
    for k in range(2):
        m.add(pl.RigidBody.rod(f"a{k}", (0, 0, k * h), (w, 0, k * h + h), mass=20))
        m.add(pl.RigidBody.rod(f"b{k}", (w, 0, k * h), (0, 0, k * h + h), mass=20))
        m.add(pl.Revolute(f"mid{k}", f"a{k}", f"b{k}", at=(w / 2, 0, k * h + h / 2), axis="y"))
    m.add(pl.RigidBody.box("table", size=(w, 0.8, 0.05), mass=300, position=(w / 2, 0, 2 * h)))
    pins = (("l1", "a0", "b1", w, h), ("l2", "b0", "a1", 0, h), ("base", "ground", "a0", 0, 0), ("top", "table", "b1", 0, 2 * h))
    for name, a, b, x, z in pins:
        m.add(pl.Revolute(name, a, b, at=(x, 0, z), axis="y"))
    m.add(pl.PointOnLine("foot", "ground", "b0", at=(w, 0, 0), axis="x"))
    m.add(pl.PointOnLine("slide", "table", "a1", at=(w, 0, 2 * h), axis="x"))
    m.add(pl.Drive("foot", "displacement", "step(t, 0, 0, 4, -0.6)", name="cylinder"))
    sol = m.simulate(5.0)
    x = w - 0.6
    high = np.sqrt(4 - x * x)
    assert sol["table.position.z"][-1] == pytest.approx(2 * high, abs=1e-7)
    assert sol["cylinder.effort"][-1] == pytest.approx(G * (300 * 2 + 40 * 0.5 + 40 * 1.5) * -x / high, rel=1e-6)
