"""What is thrown in the hunt for contacts that are missed: models, and the gaps that they would have if nothing touched."""
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from free_gaps import Core, Flight, Pose, box_core, gap_of, turn

import pliant as pl

GRAVITY = 9.81
PLACE = np.zeros(3)


class Throw(NamedTuple):
    model: Any
    duration: float
    gap: Callable            # of an array of times
    rate: float              # that it changes with at most
    scale: float             # [m] that errors are a part of: of the smallest feature where the motion is exact, else of the motion
    told: tuple[str, ...]    # events that tell of a touch
    options: dict = {}


def unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def surface(core):
    """As the product has it."""
    match core.kind:
        case "point":
            return pl.Surface.sphere(core.radius)
        case "segment":
            return pl.Surface.capsule(core.radius, 2 * core.sizes[0])
        case "disc":
            return pl.Surface.cylinder(core.sizes[0], 2 * core.sizes[1])
        case "plane":
            return pl.Surface.plane()
        case "room":
            return pl.Surface.hollow_sphere(core.radius)
    half = core.vertices.max(0)
    return pl.Surface.box(tuple(2 * half)) if len(core.vertices) == 8 else pl.Surface.convex(core.vertices)


def law(rng, rigid=0.6):
    """Rigid or compliant, and what tells of a touch."""
    if rng.random() < rigid:
        return {"law": "rigid", "restitution": float(rng.choice([0.0, 0.5, 1.0]))}, ("impact",)
    return {"stiffness": 10 ** rng.uniform(4, 9), "restitution": float(rng.choice([0.5, 1.0]))}, ("touches",)


def body(m, name, flight, mass=1.0):
    """In free flight: equal moments of inertia keep its angular velocity."""
    m.add(pl.RigidBody(name, mass=mass, inertia=(0.01, 0.01, 0.01), position=tuple(flight.p0), rotation=flight.R0, velocity=tuple(flight.v),
                       angular_velocity=tuple(flight.R0.T @ flight.w)))
    return m[name]


def thrown(rng, a, b, flight, other, duration, scale, mass=1.0):
    """Body a in flight, body b fixed or in flight."""
    m = pl.Model("throw", gravity=(0, 0, 0))
    one = body(m, "a", flight, mass)
    two = body(m, "b", other) if other.v.any() or other.w.any() else m.ground.frame(tuple(other.p0), other.R0)
    many = a.kind == "polytope" and b.kind == "polytope"  # a hundred points and more: rigid ones take long
    how, told = law(rng, 0.02 if many else 0.6)
    m.add(pl.Contact("hit", one, two, surface_a=surface(a), surface_b=surface(b), **how))
    gap = gap_of(a, b)
    return Throw(m, duration, lambda t: gap(flight.at(t), other.at(t)), flight.speed(a.reach) + other.speed(b.reach), scale, told)


def moving(rng, speed, spin=0.0):
    """Another body at the origin: fixed, or on its way, or turning."""
    how = rng.random()
    v = rng.normal(size=3) * speed * 0.3 if how > 0.5 else np.zeros(3)
    w = unit(rng) * spin * rng.random() if how > 0.7 else np.zeros(3)
    return Flight(PLACE, v, w, turn(unit(rng), np.array(rng.uniform(0, 3))))


def aimed(rng, speed, other, aim, spin=0.0, far=(0.5, 2.0)):
    """A flight that passes the place ``aim`` of the other body after a while."""
    way, distance = unit(rng), rng.uniform(*far)
    T = distance / speed
    v = speed * way + other.v
    return Flight(other.at(T).p + other.at(T).R @ aim - v * T, v, unit(rng) * spin, turn(unit(rng), np.array(rng.uniform(0, 3)))), 2 * T


def plate(rng):
    """A fast ball at a thin plate, or past its edge."""
    size = np.array([rng.uniform(0.1, 0.6), rng.uniform(0.1, 0.6), 10 ** rng.uniform(-4, -2)])
    r, speed = 10 ** rng.uniform(-3, -1.3), 10 ** rng.uniform(-1, 2)
    other = moving(rng, speed)
    flight, T = aimed(rng, speed, other, size / 2 * rng.uniform(-1.1, 1.1, size=3))
    return thrown(rng, Core("point", r), box_core(size), flight, other, T, size[2])


def disc(rng):
    """The same at a thin disc."""
    R, half = rng.uniform(0.05, 0.3), 10 ** rng.uniform(-4, -2)
    r, speed = 10 ** rng.uniform(-3, -1.3), 10 ** rng.uniform(-1, 2)
    other = moving(rng, speed)
    flight, T = aimed(rng, speed, other, np.array([R, R, half]) * rng.uniform(-1.1, 1.1, size=3))
    return thrown(rng, Core("point", r), Core("disc", 0.0, (R, half)), flight, other, T, half)


def ceiling(rng):
    """A ball that is thrown up and meets a ceiling just below its highest point, or just not."""
    rise, r = rng.uniform(0.1, 2.0), 10 ** rng.uniform(-2, -1)
    v, side = np.sqrt(2 * GRAVITY * rise), rng.normal(size=2)
    over = rise * 10 ** rng.uniform(-12, -1) * rng.choice([-1, 1], p=[0.3, 0.7])  # how much higher it would go
    height = rise + r - over
    m = pl.Model("ceiling", gravity=(0, 0, -GRAVITY))
    m.add(pl.RigidBody.sphere("ball", radius=r, mass=1.0, velocity=(*side, v)))
    how, told = law(rng)
    m.add(pl.Contact("hit", "ball", m.ground.frame((0, 0, height), pl.rotation("x", np.pi)), **how))
    return Throw(m, 1.5 * v / GRAVITY, lambda t: height - r - v * t + GRAVITY * t**2 / 2, v, 1.0, told)


def peg(rng):
    """A rod that spins in flight past a small ball."""
    l, r, R = rng.uniform(0.2, 1.0), 10 ** rng.uniform(-3, -2), 10 ** rng.uniform(-3, -1.5)
    speed = rng.uniform(0.5, 5.0)
    other = moving(rng, speed)
    flight, T = aimed(rng, speed, other, rng.normal(size=3) * (r + R) / 2, rng.uniform(0, 60))
    s = rng.uniform(-0.5, 0.5) * l  # the place of the rod that comes to the peg
    flight = flight._replace(p0=flight.p0 - s * flight.at(T / 2).R[:, 2])
    return thrown(rng, Core("segment", r, (l / 2,)), Core("point", R), flight, other, T, l)


def solid(rng):
    """A thin box, a rod or a body with corners."""
    match rng.integers(3):
        case 0:
            return box_core([rng.uniform(0.05, 0.4), rng.uniform(0.05, 0.4), 10 ** rng.uniform(-3.5, -1)])
        case 1:
            return Core("segment", 10 ** rng.uniform(-3, -1.5), (rng.uniform(0.05, 0.3),))
    return Core("polytope", vertices=rng.normal(size=(rng.integers(4, 6), 3)) * 0.1)


def tumbling(rng):
    """Two bodies with corners, edges and sides, which spin past or into each other."""
    a, b, speed = solid(rng), solid(rng), 10 ** rng.uniform(-1, 1.5)
    if a.kind == "polytope" and b.kind == "segment":
        a, b = b, a
    other = moving(rng, speed, 30.0 * rng.integers(2))
    aim = unit(rng) * (a.reach + b.reach) * rng.random()
    flight, T = aimed(rng, speed, other, aim, rng.uniform(0, 40) * rng.integers(2), (0.8, 2.0))
    return thrown(rng, a, b, flight, other, T, a.reach + b.reach)


def floor(rng):
    """A spinning body flies over a floor, or within a hollow ball, and comes nearest to it by a little more or less than nothing."""
    a, room = solid(rng), rng.random() < 0.3
    spin, speed, T = rng.uniform(1, 60), rng.uniform(0.1, 3.0), rng.uniform(0.3, 2.0)
    v = unit(rng) * (0.05 if room else speed)
    flight = Flight(np.zeros(3), v, unit(rng) * spin, turn(unit(rng), np.array(rng.uniform(0, 3))))
    t = np.linspace(0, T, 20_001)
    at, x = flight.at(t), a.corners
    points = at.p[:, None] + np.einsum("tij,vj->tvi", at.R, x)
    by = 10 ** rng.uniform(-9, -1.5) * rng.choice([-1, 1], p=[0.3, 0.7])
    if room:
        b = Core("room", np.linalg.norm(points, axis=-1).max() + a.radius - by)
        other = Flight(PLACE)
    else:
        b, n = Core("plane"), np.eye(3)[2]
        other = Flight(((points @ n).min() - a.radius + by) * n)
    return thrown(rng, a, b, flight, other, T, a.reach)


def fan(rng):
    """A ball flies through a fan whose blade a drive turns."""
    l, speed, turns = rng.uniform(0.2, 0.6), rng.uniform(0.3, 20.0), rng.uniform(-60, 60)
    blade, r = box_core([l, rng.uniform(0.01, 0.1), 10 ** rng.uniform(-3, -2)]), 10 ** rng.uniform(-2.5, -1.3)
    tilt = turn(np.array([1.0, 0, 0]), np.array(rng.uniform(0.1, 1.5)))
    swings = rng.random() < 0.4
    angle = (lambda t: 2 * np.sin(turns * t)) if swings else (lambda t: turns * t)

    def path(t):
        t = np.asarray(t, float)
        return Pose(np.zeros((*t.shape, 3)), turn(np.array([0, 0, 1.0]), angle(t)) @ tilt)
    other = Flight(PLACE, path=path, fastest=lambda reach: abs(turns) * (2 if swings else 1) * reach)
    way = unit(rng)
    distance = rng.uniform(0.8, 1.5)
    aim = turn(np.array([0, 0, 1.0]), np.array(rng.uniform(0, 6))) @ np.array([l / 2 * rng.uniform(0, 1.2), 0, 0])
    flight = Flight(aim - way * distance, speed * way)
    m = pl.Model("fan", gravity=(0, 0, 0))
    m.add(pl.RigidBody("b", 1.0, (0.1, 0.1, 0.1)))
    m.add(pl.Revolute("R", m.ground, "b", axis="z"))
    m.add(pl.Drive("R", "angle", f"2*sin({turns!r}*t)" if swings else f"{turns!r}*t"))
    a, (how, told), core = body(m, "a", flight), law(rng), Core("point", r)
    m.add(pl.Contact("hit", a, m["b"].frame((0, 0, 0), tilt), surface_a=surface(core), surface_b=surface(blade), **how))
    gap = gap_of(core, blade)
    return Throw(m, 2 * distance / speed, lambda t: gap(flight.at(t), path(t)), speed + other.speed(blade.reach), blade.reach + 1.0, told)


def shaker(rng):
    """A plate that a drive moves to and fro below a ball at rest, or one that comes slowly."""
    A, w, v = 10 ** rng.uniform(-3, -0.5), rng.uniform(3, 300), rng.choice([0.0, 0.01])
    T, r = 2 * np.pi / w * rng.uniform(0.4, 20), 10 ** rng.uniform(-2, -1)
    start = A + r - A * 10 ** rng.uniform(-10, -1) * rng.choice([-1, 1], p=[0.3, 0.7])
    m = pl.Model("shaker", gravity=(0, 0, 0))
    m.add(pl.RigidBody("b", 1.0, (0.1, 0.1, 0.1)))
    m.add(pl.Prismatic("P", m.ground, "b", axis="z"))
    m.add(pl.Drive("P", "displacement", f"{A!r}*sin({w!r}*t)"))
    a, (how, told) = body(m, "a", Flight(np.array([0, 0, start]), np.array([0, 0, -v]))), law(rng)
    m.add(pl.Contact("hit", a, "b", surface_a=pl.Surface.sphere(r), surface_b=pl.Surface.plane(), **how))
    return Throw(m, T, lambda t: start - r - v * t - A * np.sin(w * t), A * w + v, A + 1.0, told)


def oscillator(rng, told):
    """A mass on a spring, x = A sin w t + the place from which it comes nearest to a limit by A 10^-12 .. A / 10."""
    A, w = 10 ** rng.uniform(-2, 0), rng.uniform(1, 100)
    limit = A * (1 - 10 ** rng.uniform(-12, -1) * rng.choice([-1, 1], p=[0.3, 0.7]))
    m = pl.Model("spring", gravity=(0, 0, 0))
    m.add(pl.RigidBody("b", 1.0, (1, 1, 1)))
    m.add(pl.Prismatic("P", m.ground, "b", axis=tuple(unit(rng)), displacement_rate=float(A * w)))
    m.add(pl.AxialSpring("k", "P", stiffness=float(w * w)))
    return Throw(m, 2 * np.pi / w * rng.uniform(0.4, 3), lambda t: limit - A * np.sin(w * t), A * w, A + 1.0, told), limit


def stop(rng):
    """A limit of a joint, next to the turning point of an oscillation."""
    one, limit = oscillator(rng, ())
    how = {"law": "rigid", "restitution": 0.5} if rng.random() < 0.6 else {"stiffness": 10 ** rng.uniform(5, 9), "restitution": 0.5}
    one.model.add(pl.Stop("s", "P", "displacement", upper=float(limit), **how))
    return one._replace(told=("hits upper", "touches upper"))


def condition(rng):
    """The condition of an event, met for a moment at the turning point of an oscillation; or by the end of a driven rod."""
    if rng.random() < 0.5:
        one, limit = oscillator(rng, ("fires",))
        m, when = one.model, f"P.displacement > {float(limit)!r}"
    else:
        l, w = rng.uniform(0.1, 1.0), rng.uniform(1, 100)
        limit = l * (1 - 10 ** rng.uniform(-12, -1) * rng.choice([-1, 1], p=[0.3, 0.7]))
        m = pl.Model("clock", gravity=(0, 0, 0))
        m.add(pl.RigidBody("b", 1.0, (0.1, 0.1, 0.1), position=(l, 0, 0), angular_velocity=(0, 0, w)))
        m.add(pl.Revolute("R", m.ground, "b", at=(0, 0, 0), axis="z"))
        one = Throw(m, 2 * np.pi / w * rng.uniform(0.6, 5), lambda t: limit - l * np.sin(w * t), l * w, 1.0, ("fires",))
        when = f"b.position.y > {float(limit)!r}"
    m.add(pl.Discrete("n"))
    m.add(pl.Event("met", when, [pl.Set("n.output", "n.output + 1")]))
    return one


KINDS = {f.__name__: f for f in (plate, disc, ceiling, peg, tumbling, floor, fan, shaker, stop, condition)}
