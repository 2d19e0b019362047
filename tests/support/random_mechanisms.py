"""Random mechanisms in space, each made twice: as a model of the package, and as equations of Newton and Euler for SciPy."""
from dataclasses import dataclass, field

import numpy as np
from newton_euler import Place, Reference, Row, axes, left_rate, product, skew
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

import pliant as pl

TREE = ("Revolute", "Revolute", "Prismatic", "Cylindrical", "Spherical", "Universal", "Planar", "Screw", "Fixed", "Free", "Joint")
CLOSING = ("Spherical", "Distance", "PointOnLine", "PointOnPlane", "Universal", "Planar")


@dataclass
class Random:
    """One mechanism. ``judged``: bodies by name, in the order of the reference; ``breaks``: times at which functions have kinks."""
    rng: np.random.Generator
    model: pl.Model
    masses: list = field(default_factory=list)
    inertias: list = field(default_factory=list)
    coms: list = field(default_factory=list)
    names: list = field(default_factory=list)
    breaks: list = field(default_factory=list)
    kinds: list = field(default_factory=list)
    turning: list = field(default_factory=list)  # joints with an angle, and their frames
    sliding: list = field(default_factory=list)
    driven: set = field(default_factory=set)
    poses: list = field(default_factory=list)
    trees: int = 0  # equations of the joints that make the tree

    def __post_init__(self):
        self.gravity = self.rng.normal(size=3) * 5
        self.model.gravity = tuple(self.gravity)
        self.reference = Reference(self.masses, self.inertias, self.gravity)

    def number(self, low, high):
        return float(self.rng.uniform(low, high))

    def chance(self, part):
        return self.rng.random() < part

    def axis(self):
        a = self.rng.normal(size=3)
        return a / np.linalg.norm(a)


def make(seed: int) -> Random:
    rng = np.random.default_rng(seed)
    r = Random(rng, pl.Model(f"random {seed}"))
    for k in range(int(rng.integers(1, 5))):
        _add_body(r, k)
    r.trees = len(r.reference.equations)
    if len(r.names) > 1 and r.chance(0.4):
        _close_loop(r)
    _couple(r)
    _drive(r)
    _load(r)
    if len(r.reference.equations) > r.trees:  # rates that were stated may not agree with what came later
        for item in r.model.section("joints"):
            for rate in {"angle_rate", "displacement_rate"} & set(type(item).model_fields):
                setattr(item, rate, None)
    return r


def _place(r, body, point, turned):
    """A frame of the reference from a point in the axes of the body, from its origin."""
    return Place(body, np.asarray(point) - (r.coms[body] if body >= 0 else 0), turned)


def _frames(r, a, b, world_a, world_b, z, x=None):
    """Frames of a pair for both: the model's take points; the reference's have joint axes that are parallel as modelled."""
    made = []
    for body, world in ((a, world_a), (b, world_b)):
        p, R = r.poses[body] if body >= 0 else (np.zeros(3), np.eye(3))
        made.append((R.T @ (world - p), R))
    Za = r.poses[a][1] @ z if a >= 0 else z
    side = np.eye(3)[int(np.argmin(abs(Za)))] if x is None else (r.poses[a][1] @ x if a >= 0 else x)
    X = side - (side @ Za) * Za
    X /= np.linalg.norm(X)
    joint = np.column_stack([X, np.cross(Za, X), Za])
    owner = [r.model.ground if k < 0 else r.model[r.names[k]] for k in (a, b)]
    frames = [o.frame(tuple(local)) for o, (local, _) in zip(owner, made, strict=True)]
    places = [_place(r, k, local, R.T @ joint) for k, (local, R) in zip((a, b), made, strict=True)]
    return frames, places


def _add_body(r, k):
    rng = r.rng
    parent = int(rng.integers(-1, k)) if r.chance(0.3) else k - 1
    name = f"body{k}"
    origin = (r.poses[parent][0] if parent >= 0 else np.zeros(3)) + rng.normal(size=3) * 0.4
    R = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
    half = rng.uniform(0.05, 0.4, 3)
    m = r.number(0.3, 3.0)
    turn = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
    inertia = turn @ np.diag(m / 3 * np.array([half[1]**2 + half[2]**2, half[0]**2 + half[2]**2, half[0]**2 + half[1]**2])) @ turn.T
    com = rng.normal(size=3) * 0.1
    r.poses.append((origin, R))
    r.names.append(name)
    r.coms.append(com)
    r.masses.append(m)
    r.inertias.append(inertia)
    q = Rotation.from_matrix(R).as_quat()
    kind = str(rng.choice(TREE))
    spin = {"angular_velocity": tuple(rng.normal(size=3) * 2), "velocity": tuple(rng.normal(size=3))} if kind == "Free" else {}
    r.model.add(pl.RigidBody(name, mass=m, inertia=inertia.tolist(), com=tuple(com), position=tuple(origin),
                             rotation=(q[3], q[0], q[1], q[2]), **spin))
    r.kinds.append(kind)
    if kind == "Free":
        if r.chance(0.7):
            _bushing(r, parent, k)
        return
    _join(r, f"J{k}", kind, parent, k, origin + rng.normal(size=3) * 0.2, stated=True)


def _join(r, name, kind, a, b, world, stated=False, apart=None):
    """A joint in both."""
    z = r.axis()
    x = np.cross(z, r.axis())
    x /= np.linalg.norm(x)
    frames, (pa, pb) = _frames(r, a, b, world if apart is None else apart, world, z, x)
    rates, axis, length = {}, {"axis": tuple(z)}, 0.0 if apart is None else float(np.linalg.norm(world - apart))
    if stated and kind in ("Revolute", "Cylindrical", "Planar", "Screw"):
        rates["angle_rate"] = r.number(-3, 3)
    if stated and kind in ("Prismatic", "Cylindrical"):
        rates["displacement_rate"] = r.number(-0.5, 0.5)
    more = {"Universal": {"axis_b": tuple(x)}, "Screw": {"lead": r.number(0.05, 0.4)},
            "Joint": {"axis_x": tuple(x), "primitives": [["d2", "x"], ["d1", "x", "z"], ["d1", "y", "z"]]}}.get(kind, {})
    if kind in ("Spherical", "Distance"):
        axis = {}
    r.model.add(getattr(pl, kind)(name, *frames, **axis, **rates, **more))
    coincident = lambda now: _three(now, pa, pb)  # noqa: E731
    d1 = lambda i, j: lambda now: [product(now.axis(pa, i), now.axis(pb, j))]  # noqa: E731
    d2 = lambda i: lambda now: [product(now.axis(pa, i), now.point(pb) - now.point(pa))]  # noqa: E731
    lock, parallel, on_z = [d1(0, 1), d1(1, 2), d1(2, 0)], [d1(0, 2), d1(1, 2)], [d2(0), d2(1)]
    equations = {"Revolute": [coincident, *parallel], "Prismatic": [*on_z, *lock], "Cylindrical": [*on_z, *parallel],
                 "Spherical": [coincident], "Universal": [coincident, d1(2, 0)], "Planar": [d2(2), *parallel],
                 "Screw": [*on_z, *parallel, lambda now: [_along(now.slide(pa, pb), -more["lead"] / (2 * np.pi), now.turn(pa, pb))]]
                 if kind == "Screw" else [], "Fixed": [coincident, *lock], "PointOnLine": on_z, "PointOnPlane": [d2(2)],
                 "Distance": [lambda now: [_distance(now, pa, pb, length)]], "Joint": [d2(0), *parallel]}[kind]
    r.reference.equations += [(e, None) for e in equations]
    if kind in ("Revolute", "Cylindrical", "Planar", "Screw"):
        r.turning.append((name, pa, pb))
        r.reference.turning[name] = (pa, pb, 0.0)
    if kind in ("Prismatic", "Cylindrical", "Screw"):
        r.sliding.append((name, pa, pb))


def _three(now, pa, pb):
    d = now.point(pb) - now.point(pa)
    return [Row(d.x[i], d.rate[i], d.bias[i], d.J[i]) for i in range(3)]


def _distance(now, pa, pb, length):
    """(d.d - l^2) / 2"""
    d = now.point(pb) - now.point(pa)
    square = product(d, d)._asdict() | {"x": float(d.x @ d.x) - length**2}
    return Row(*(part / 2 for part in square.values()))


def _along(a: Row, factor, b: Row) -> Row:
    return Row(*(x + factor * y for x, y in zip(a, b, strict=True)))


def _close_loop(r):
    last, kind = len(r.names) - 1, str(r.rng.choice(CLOSING))
    world = r.poses[last][0] + r.rng.normal(size=3) * 0.3
    apart = world + r.axis() * r.number(0.3, 0.8) if kind == "Distance" else None
    r.kinds.append(f"closed {kind}")
    _join(r, "L", kind, -1, last, world, apart=apart)


def _couple(r):
    if len(r.turning) > 1 and r.chance(0.25):
        (a, *pa), (b, *pb) = (r.turning[k] for k in r.rng.permutation(len(r.turning))[:2])
        ratio = r.number(-2, 2)
        r.model.add(pl.Gear("G", a, b, ratio=ratio))
        r.reference.equations.append((lambda now: [_along(now.turn(*pb), -ratio, now.turn(*pa))], None))
        r.driven |= {a, b}
        r.kinds.append("gear")
    elif r.turning and r.sliding and r.chance(0.25):
        (a, *pa), (b, *pb) = r.sliding[0], r.turning[-1]
        if a != b:
            radius = r.number(0.05, 0.3)
            r.model.add(pl.RackPinion("G", a, b, radius=radius))
            r.reference.equations.append((lambda now: [_along(now.slide(*pa), -radius, now.turn(*pb))], None))
            r.driven |= {a, b}
            r.kinds.append("rack")


def _drive(r):
    """One coordinate follows an expression, a table or a Python function; functions begin with the value of the model, 0."""
    free = [(name, "angle", pa, pb) for name, pa, pb in r.turning if name not in r.driven]
    free += [(name, "displacement", pa, pb) for name, pa, pb in r.sliding if name not in r.driven]
    if not free or not r.chance(0.35):
        return
    name, which, pa, pb = free[int(r.rng.integers(len(free)))]
    amount, f = r.number(0.2, 1.0) * (1 if which == "angle" else 0.3), r.number(1, 6)
    form = int(r.rng.integers(3))
    aim = lambda t: (amount * (1 - np.cos(f * t)), amount * f * np.sin(f * t), amount * f * f * np.cos(f * t))  # noqa: E731
    if form == 0:
        function = f"{amount}*(1 - cos({f}*t))"
    elif form == 1:
        function = lambda t: amount * (1 - np.cos(f * t))  # noqa: E731
    else:
        x = np.linspace(0, 4, 9)
        y = amount * np.concatenate([[0], np.cumsum(r.rng.normal(size=8))]) * 0.3
        function, spline = pl.Table(x, y), CubicSpline(x, y)
        aim, r.breaks = (lambda t: tuple(float(spline(t, k)) for k in range(3))), [*r.breaks, *x.tolist()]
    r.model.add(pl.Drive(name, which, function, name="D"))
    row = (lambda now: [now.turn(pa, pb, name)]) if which == "angle" else (lambda now: [now.slide(pa, pb)])
    r.reference.equations.append((row, aim))
    r.kinds.append(f"drive {('expression', 'python', 'table')[form]}")


def _load(r):
    makers = [_spring, _force, _torsion, _axial, _torque]
    for k in range(int(r.rng.integers(1, 4))):
        makers[int(r.rng.integers(len(makers)))](r, f"F{k}")


def _law(r, stiffness, size):
    """A law of t, x and v: text or Python, and the same for the reference. Times of its kinks are noted."""
    k, c, f = stiffness, stiffness * r.number(0, 0.05), r.number(1, 8)
    form = int(r.rng.integers(6))
    T = r.number(0.1, 0.9)
    if form == 0:
        return {"stiffness": k, "damping": c}, lambda t, x, v: k * x + c * v
    if form == 1:
        return {"stiffness": f"{k}*x*(1 + 3*x^2) + {c}*v"}, lambda t, x, v: k * x * (1 + 3 * x**2) + c * v
    if form == 2:
        return {"stiffness": f"{k}*x + {k * size}*sin({f}*t)"}, lambda t, x, v: k * x + k * size * np.sin(f * t)
    if form == 3:
        return ({"stiffness": lambda t, x, v: k * np.tanh(x / size) * size + c * v},
                lambda t, x, v: k * np.tanh(x / size) * size + c * v)
    r.breaks += [T, T + 0.1]
    if form == 4:
        return ({"stiffness": f"{k}*x + if(t > {T}, {k * size}, 0) + {c}*v"},
                lambda t, x, v: k * x + (k * size if t > T else 0) + c * v)
    smooth = lambda t: (lambda s: s * s * (3 - 2 * s))(np.clip((t - T) / 0.1, 0, 1))  # noqa: E731
    return ({"stiffness": f"{k}*x*(1 + step(t, {T}, 0, {T + 0.1}, 1))"}, lambda t, x, v: k * x * (1 + smooth(t)))


def _two(r):
    """Two bodies or one and the ground, with points in the world."""
    b = int(r.rng.integers(len(r.names)))
    a = int(r.rng.integers(-1, len(r.names)))
    a = -1 if a == b else a
    points = [(r.poses[k][0] if k >= 0 else np.zeros(3)) + r.rng.normal(size=3) * 0.3 for k in (a, b)]
    return a, b, points


def _spring(r, name):
    a, b, (wa, wb) = _two(r)
    frames, (pa, pb) = _frames(r, a, b, wa, wb, r.axis())
    rest = float(np.linalg.norm(wb - wa))
    if rest < 0.3:
        return
    words, law = _law(r, r.number(5, 80), 0.2 * rest)
    r.model.add(pl.SpringDamper(name, *frames, **words))

    def force(now):
        d = now.point(pb) - now.point(pa)
        length = np.linalg.norm(d.x)
        n = d.x / length
        return -law(now.t, length - rest, n @ d.rate) * (n @ d.J)
    r.reference.forces.append(force)
    r.kinds.append("spring")


def _along_joint(r, name, joints, kind, coordinate, stiffness, size):
    """A spring on a coordinate of one of these joints."""
    if not joints:
        return
    joint, pa, pb = joints[int(r.rng.integers(len(joints)))]
    words, law = _law(r, r.number(*stiffness), size)
    r.model.add(kind(name, joint, **words))

    def force(now):
        row = coordinate(now, pa, pb, joint)
        return -law(now.t, row.x, row.rate) * row.J
    r.reference.forces.append(force)
    r.kinds.append(kind.kind)


def _torsion(r, name):
    _along_joint(r, name, r.turning, pl.TorsionSpring, lambda now, *frames: now.turn(*frames), (1, 15), 0.3)


def _axial(r, name):
    _along_joint(r, name, r.sliding, pl.AxialSpring, lambda now, pa, pb, _: now.slide(pa, pb), (5, 80), 0.1)


def _time_vector(r, size):
    """Three functions of time and feedback of a channel, and the same as a function of Now."""
    f, T, body = r.number(1, 8), r.number(0.1, 0.9), int(r.rng.integers(len(r.names)))
    amount = r.rng.normal(size=3) * size
    origin = Place(body, -r.coms[body], np.eye(3))
    r.breaks += [T, T + 0.05]
    words = (f"{amount[0]}*sin({f}*t)", f"-{0.3 * size}*{r.names[body]}.velocity.y + if(t < {T}, {amount[1]}, 0)",
             f"if(t > {T}, 1, 0)*if(t < {T + 0.05}, {10 * amount[2]}, 0)")

    def vector(now):
        velocity = now.point(origin).rate
        return np.array([amount[0] * np.sin(f * now.t), -0.3 * size * velocity[1] + (amount[1] if now.t < T else 0),
                         10 * amount[2] if T < now.t < T + 0.05 else 0])
    return words, vector


def _force(r, name, torque=False):
    b = int(r.rng.integers(len(r.names)))
    world = r.poses[b][0] + r.rng.normal(size=3) * 0.3
    (_, frame), (_, place) = _frames(r, -1, b, world, world, r.axis())
    words, vector = _time_vector(r, 0.5 if torque else 3.0)
    turned = r.chance(0.5)
    r.model.add((pl.Torque if torque else pl.Force)(name, frame, words, axes="frame" if turned else "world"))

    def force(now):
        f = vector(now)
        f = now.R[b] @ f if turned else f
        return f @ (now.spin(place)[1] if torque else now.point(place).J)
    r.reference.forces.append(force)
    r.kinds.append("torque" if torque else "force")


def _torque(r, name):
    _force(r, name, torque=True)


def _bushing(r, a, b):
    world = r.poses[b][0] + r.rng.normal(size=3) * 0.2
    frames, (pa, pb) = _frames(r, a, b, world - r.axis() * 0.1, world, np.array([0, 0, 1.0]))
    A, B = r.rng.normal(size=(6, 6)), r.rng.normal(size=(6, 6))
    scale = np.diag([6, 6, 6, 1.5, 1.5, 1.5])
    K, C = scale @ (A @ A.T / 6 + np.eye(6)) @ scale, 0.02 * scale @ (B @ B.T / 6) @ scale
    r.model.add(pl.Bushing(f"B{b}", *frames, stiffness=K.tolist(), damping=C.tolist()))
    own = r.poses[a][1] if a >= 0 else np.eye(3)
    pa = Place(pa.body, pa.point, np.eye(3))  # axes of frame a, and on b those parallel to them
    pb = Place(pb.body, pb.point, r.poses[b][1].T @ own)
    name = f"B{b}"
    r.reference.bushed[name] = (pa, pb)
    x0 = own.T @ (_world(r, b, pb) - _world(r, a, pa))

    def force(now):
        R, d = axes(now, pa), now.point(pb) - now.point(pa)
        (wa, Ja), (wb, Jb) = now.spin(pa), now.spin(pb)
        x, vector = R.T @ d.x, now.vectors[name]
        S = left_rate(vector)
        dx, dr = R.T @ (d.rate - np.cross(wa, d.x)), S @ R.T @ (wb - wa)
        J = np.vstack([R.T @ (d.J + skew(d.x) @ Ja), S @ R.T @ (Jb - Ja)])
        return -(K @ np.concatenate([x - x0, vector]) + C @ np.concatenate([dx, dr])) @ J
    r.reference.forces.append(force)
    r.kinds.append("bushing")


def _world(r, k, place):
    return place.point if k < 0 else r.poses[k][0] + r.poses[k][1] @ (place.point + r.coms[k])
