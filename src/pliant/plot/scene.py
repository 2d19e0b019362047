"""The mechanism as lines and dots at a few moments of a run: what pictures show, without saying how it is painted."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..items.base import Frame, Pair, did_you_mean
from ..items.beams import Beam
from ..items.bodies import FrameOwner
from ..items.joints import AxisJoint, perpendicular_frame
from ..items.modal import ModalBody
from ..results.kept_models import drawn

if TYPE_CHECKING:
    from ..items.shapes import Shape
    from ..model import Model
    from ..solution import Solution

TRIANGLES = 500  # of a mesh that are drawn
TRACE = 2000     # points of a trace
COILS = 8        # of a spring
CHORDS = 6       # of an element of a beam
GAP = np.full((1, 3), np.nan)  # ends a line
FLAT = 1e-6      # a motion is plane if it leaves the plane by less than this fraction of the size
LAYERS = 0.15    # a plane mechanism may have layers: their distance, as a fraction of the size
Reader = Callable[[str], np.ndarray]
PLANES = {"xy": 2, "xz": 1, "yz": 0}  # views and the axis across them


@dataclass
class Body:
    """Lines and dots in body axes, and the pose at every moment."""
    name: str
    position: np.ndarray              # (n, 3)
    axes: np.ndarray                  # (n, 3, 3)
    thick: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  # rods, drawn as bars; lines end at nan
    thin: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))   # edges and links to joints
    fine: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))   # edges of a mesh
    dots: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))   # where there is nothing else to see
    bent: str = ""                                                       # of a flexible body: which of these follow its modes,
    psi: np.ndarray = field(default_factory=lambda: np.zeros((0, 3, 0)))    # by which shapes (points, 3, modes),
    modal: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))     # and the modal coordinates (n, modes)
    strand: list[np.ndarray] = field(default_factory=list)  # of a beam: paths of points along it (n, 3)

    def lines(self, part: str, i: int) -> np.ndarray:
        """One kind of its lines in the world, at moment i."""
        points: np.ndarray = getattr(self, part)
        return self.world(points + self.psi @ self.modal[i] if part == self.bent else points, i)

    def world(self, points: np.ndarray, i: int) -> np.ndarray:
        return self.position[i] + points @ self.axes[i].T

    def path(self, point: np.ndarray) -> np.ndarray:
        """Of a point of the body, (n, 3)."""
        return self.position + self.axes @ point


@dataclass
class Scene:
    """Everything to be drawn, at the times ``t``."""
    t: np.ndarray
    bodies: list[Body]
    joints: dict[str, np.ndarray]                       # name: positions (n, 3)
    grounds: np.ndarray                                 # points held by the ground, (m, 3)
    springs: dict[str, tuple[np.ndarray, np.ndarray]]   # name: both ends, (n, 3) each
    links: dict[str, tuple[np.ndarray, np.ndarray]]     # distance joints
    guides: list[tuple[np.ndarray, np.ndarray]]         # lines of slides on the ground, two points (3,)
    traces: dict[str, tuple[np.ndarray, np.ndarray]]    # times (m,), positions (m, 3)
    up: int = 2                                         # the axis against gravity
    off: dict[str, np.ndarray] = field(default_factory=dict)     # name: whether a joint holds nothing, (n,)
    locked: dict[str, np.ndarray] = field(default_factory=dict)  # name: whether it is locked, (n,)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest coordinates over the whole motion."""
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        ends = [p for pair in (*self.springs.values(), *self.links.values()) for p in pair]
        traces, guides = [path for _, path in self.traces.values()], [np.array(g) for g in self.guides]
        clouds = [self.grounds, *self.joints.values(), *ends, *traces, *guides]
        for body in self.bodies:
            local = np.vstack([body.thick, body.thin, body.fine, body.dots, np.zeros((1, 3))])
            local = local[np.isfinite(local[:, 0])]
            clouds += body.strand
            clouds.append((body.position[:, None] + np.einsum("nij,mj->nmi", body.axes, local)).reshape(-1, 3))
        for cloud in clouds:
            if len(cloud):
                low, high = np.minimum(low, cloud.min(0)), np.maximum(high, cloud.max(0))
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            return -np.ones(3), np.ones(3)
        return low, high

    def view(self) -> str:
        """The coordinate plane in which the mechanism lies and moves, or "3d"."""
        low, high = self.bounds()
        size = float((high - low).max()) or 1.0
        ends = [p for pair in self.springs.values() for p in pair]
        paths = [*self.joints.values(), *(p for b in self.bodies for p in (b.position, *b.strand)), *ends]
        points = np.vstack([*paths, self.grounds]) if paths else self.grounds
        planes = []
        for name, k in PLANES.items():
            moves = max((float(np.ptp(p[:, k])) for p in paths), default=0.0)
            turns = max((float(np.ptp(b.axes[:, k], axis=0).max()) for b in self.bodies), default=0.0)
            spread = float(np.ptp(points[:, k])) / size if len(points) else 0.0
            if moves <= FLAT * size and turns <= FLAT and spread < LAYERS:
                planes.append((round(spread, 6), k == self.up, name))
        return min(planes, key=lambda plane: plane[:2])[2] if planes else "3d"  # the thinnest, upright if there are several


def scene(sol: Solution, times: np.ndarray, trace: tuple[str, ...] = (), deformation: float = 1.0) -> Scene:
    """The scene at the rows nearest to ``times``, the deformation of flexible bodies drawn so many times as large."""
    rows = nearest(sol.t, times)
    read = _reader(sol, rows)
    model = sol.model or drawn(sol.shown, sol.units)
    made = _of_model(model, read, sol.t[rows], deformation) if model is not None else _of_channels(sol, read, sol.t[rows])
    made.off = {name: read(f"{name}.state") <= 0 for name in (*made.joints, *made.links) if f"{name}.state" in sol.units}
    made.locked = {name: read(f"{name}.locked") > 0 for name in made.joints if f"{name}.locked" in sol.units}
    for name in trace:
        channel = name if name.endswith(".position") else f"{name}.position"
        if channel not in sol.units:
            places = [c.removesuffix(".position") for c in sol.channels if c.endswith(".position")]
            raise ValueError(f"trace {name!r} is not a body or frame{did_you_mean(name, places)}")
        some = np.unique(np.linspace(0, len(sol.t) - 1, min(TRACE, len(sol.t))).astype(int))
        made.traces[channel.removesuffix(".position")] = sol.t[some], sol[channel][some]
    return made


def _reader(sol: Solution, rows: np.ndarray) -> Reader:
    """Channels at some rows; of a run in memory only those rows are computed."""
    if sol.stored is None and sol.dynamics is not None:
        from ..channel_values.observer import Observer
        return Observer(sol.dynamics, sol.rows[rows], sol.energies[rows])
    return lambda name: sol[name][rows]


def nearest(t: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Numbers of the rows nearest to ``times``."""
    if len(t) == 1:
        return np.zeros(len(times), np.int64)
    middles = (t[1:] + t[:-1]) / 2
    return np.searchsorted(middles, times)


def _body(read: Reader, name: str) -> Body:
    return Body(name, read(f"{name}.position"), _matrices(read(f"{name}.rotation")))


def _matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions: R = (w^2 - u.u) 1 + 2 u u^T + 2 w [u]x, shape (n, 3, 3)."""
    w, u = q[:, :1, None], q[:, 1:]
    cross = np.cross(u[:, None, :], np.eye(3)).transpose(0, 2, 1)
    return (w**2 - (u**2).sum(1)[:, None, None]) * np.eye(3) + 2 * u[:, :, None] * u[:, None, :] + 2 * w * cross


def _of_model(model: Model, read: Reader, t: np.ndarray, deformation: float) -> Scene:
    ground = Body("ground", np.zeros((len(t), 3)), np.tile(np.eye(3), (len(t), 1, 1)))
    owners: dict[str, Any] = {b.name: b for b in model.section("bodies") if isinstance(b, FrameOwner)}
    bodies = {name: _body(read, name) for name in owners}
    owners["ground"], everything = model.ground, {"ground": ground, **bodies}
    larger = _enlarged(model, owners, bodies, read, deformation) if deformation != 1 else {}
    held: dict[str, list[np.ndarray]] = {name: [] for name in owners}
    gravity = np.abs(model.gravity)
    out = Scene(t, list(bodies.values()), {}, np.zeros((0, 3)), {}, {}, [], {},
                up=int(gravity.argmax()) if gravity.any() else 2)

    def path(frame: Frame) -> np.ndarray:
        if isinstance(beam := owners[frame.body], Beam):
            near, point, _ = beam.drawn_at(frame)
            return _body(read, f"{frame.body}.{near}").path(point)
        node = owners[frame.body].node_of(frame)
        if node is not None:
            found = larger.get((frame.body, frame.frame or node))
            return read(f"{frame.body}.{frame.frame or node}.position") if found is None else found
        point, _ = owners[frame.body].place_of(frame)
        held[frame.body].append(point)
        return everything[frame.body].path(point)

    for item in [*model.section("joints"), *model.section("forces")]:
        if not isinstance(item, Pair):  # gears, loads
            continue
        path_a, path_b = path(item.a), path(item.b)
        if item.symbol == "spring":
            out.springs[item.name] = path_a, path_b
        elif item.symbol == "rod":
            out.links[item.name] = path_a, path_b
        elif item.section == "joints":
            out.joints[item.name] = path_b
        if isinstance(item, AxisJoint) and item.guide == "line" and item.a.body == "ground":
            out.guides.append(_guide(path_a[0], path_b, model.ground.place_of(item.a)[1] @ np.array(item.axis)))
    own = [np.array(place.point) for place in model.ground.frames.values()]
    out.grounds = np.unique(np.array([*held["ground"], *own]).reshape(-1, 3), axis=0)
    size = _size(out)
    for name, body in bodies.items():
        if isinstance(owners[name], ModalBody):
            _dress_modal(body, owners[name], deformation * read(f"{name}.modal"))
            continue
        if isinstance(owners[name], Beam):
            _dress_beam(body, owners[name], read)
            continue
        _dress(body, getattr(owners[name], "shape", None), held[name], size)
    return out


def _enlarged(model: Model, owners: dict[str, Any], bodies: dict[str, Body], read: Reader,
              factor: float) -> dict[tuple[str, str], np.ndarray]:
    """Move bodies to where they are drawn with their deformation enlarged; gives the paths of nodes."""
    from .connected import enlarged
    drawn = enlarged(model, owners, read, _matrices, factor)
    for name, body in bodies.items():
        body.position, body.axes = drawn.position[name], drawn.axes[name]
    return drawn.nodes


def _guide(origin: np.ndarray, path: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The part of a line that is used, and a tenth more on both sides."""
    s = (path - origin) @ axis
    more = 0.1 * float(np.ptp(s))
    return origin + (s.min() - more) * axis, origin + (s.max() + more) * axis


def _size(scene: Scene) -> float:
    low, high = scene.bounds()
    return float(np.linalg.norm(high - low)) or 1.0


def _of_channels(sol: Solution, read: Reader, t: np.ndarray) -> Scene:
    """Without a model: recorded positions of bodies, with lines to those of their frames."""
    places = [c.removesuffix(".position") for c in sol.recorded if c.endswith(".position")]
    names = [p for p in places if "." not in p and f"{p}.rotation" in sol.recorded]
    if not names:
        raise ValueError(f"run {sol.name!r} cannot be drawn: its file holds neither a model nor positions and rotations of "
                         "bodies; draw it before it is saved, or save it with record=['*.position', '*.rotation']")
    bodies = [_body(read, name) for name in names]
    out = Scene(t, bodies, {}, np.zeros((0, 3)), {}, {}, [], {})
    size = _size(out)
    for body in bodies:
        points = [read(f"{p}.position")[0] for p in places if p.startswith(f"{body.name}.")]
        _dress(body, None, [(x - body.position[0]) @ body.axes[0] for x in points], size)
    return out


# -- shapes as lines
def _dress(body: Body, shape: Shape | None, held: list[np.ndarray], size: float) -> None:
    """Give a body its lines: of its shape, and to the points that hold it if they are not on the shape."""
    outside, middle = lambda p: True, np.zeros(3)
    if shape is None:
        arm = 0.03 * size
        body.thin = _lines([(-arm * e, arm * e) for e in np.eye(3)])
        body.dots = np.zeros((1, 3))
        outside = lambda p: float(np.linalg.norm(p)) > 1e-9 * size  # noqa: E731
    elif shape.kind in ("rod", "cylinder"):
        p, q = np.array(shape.points[0]), np.array(shape.points[1])
        length, middle = float(np.linalg.norm(q - p)), (p + q) / 2
        if shape.kind == "rod" or length > 8 * shape.radius:
            body.thick = _lines([(p, q)])
        else:
            body.thin = _drum(p, q, shape.radius)
        outside = lambda x: _off_segment(x, p, q) > max(shape.radius, 1e-6 * size)  # noqa: E731
    elif shape.kind == "box":
        half = np.array(shape.points[0]) / 2
        body.thin = _lines(_box_edges(half))
        outside = lambda x: bool((np.abs(x) > half * (1 + 1e-9)).any())  # noqa: E731
    elif shape.kind == "sphere":
        body.thin = np.vstack([np.vstack([circle, GAP]) for circle in _circles(shape.radius)])
        outside = lambda x: float(np.linalg.norm(x)) > shape.radius * (1 + 1e-9)  # noqa: E731
    else:
        corners = np.array(shape.points).reshape(-1, 3, 3)
        body.fine = _wires(corners)
        low, high = corners.min((0, 1)), corners.max((0, 1))
        outside = lambda x: bool(((x < low) | (x > high)).any())  # noqa: E731
    links = [(middle, x) for x in held if outside(x)]
    body.thin = np.vstack([body.thin, _lines(links)])


def _dress_modal(body: Body, item: ModalBody, modal: np.ndarray) -> None:
    """The skin of a flexible body, or lines from its first node to the others; they follow its modes."""
    part = item.reduced
    if part.skin is not None:
        points, cells, psi = part.skin
        edges = np.vstack([cells[:, [i, j]] for i, j in ((0, 1), (1, 2), (0, 2))]) if cells.shape[1] > 2 else cells
        which = np.unique(np.sort(edges, 1), axis=0)
        body.bent = "thick" if cells.shape[1] == 2 else "fine"
    else:
        nodes = list(part.nodes.values())
        points, psi = np.array([node.u0 for node in nodes]).reshape(-1, 3), np.array([node.psi_R for node in nodes]).reshape(-1, 3, part.n)
        which = np.array([(0, k) for k in range(1, len(nodes))], np.int64).reshape(-1, 2)
        body.bent, body.dots = "thick", item.center[None, :]
    setattr(body, body.bent, _lines([(points[i], points[j]) for i, j in which]))
    blank = np.zeros_like(psi[:1])
    body.psi = np.vstack([np.vstack([psi[i:i + 1], psi[j:j + 1], blank]) for i, j in which]) if len(which) else psi[:0]
    body.modal = modal


def _dress_beam(body: Body, item: Beam, read: Reader) -> None:
    """The cubics between its nodes; what they are at every moment takes the place of modes."""
    nodes = [_body(read, f"{item.name}.node_{k}") for k in range(item.elements + 1)]
    x = np.linspace(0, 1, CHORDS + 1)[:, None, None]
    for a, b, L in zip(nodes[:-1], nodes[1:], item.axis.lengths, strict=True):
        body.strand += list((1 - 3 * x**2 + 2 * x**3) * a.position + (x - 2 * x**2 + x**3) * L * a.axes[:, :, 0]
                            + (3 * x**2 - 2 * x**3) * b.position + (x**3 - x**2) * L * b.axes[:, :, 0])
    local = np.einsum("nji,mnj->nmi", body.axes, np.array(body.strand) - body.position)
    body.bent, body.thick = "thick", np.zeros((len(body.strand), 3))
    body.psi = np.eye(local[0].size).reshape(*local[0].shape, -1)
    body.modal = local.reshape(len(local), -1)


def _lines(pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    return np.vstack([np.vstack([a, b, GAP]) for a, b in pairs]) if pairs else np.zeros((0, 3))


def _off_segment(x: np.ndarray, p: np.ndarray, q: np.ndarray) -> float:
    d = q - p
    s = np.clip((x - p) @ d / (d @ d), 0.0, 1.0)
    return float(np.linalg.norm(x - p - s * d))


def _box_edges(half: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    corners = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    return [(a * half, b * half) for n, a in enumerate(corners) for b in corners[n + 1:] if np.abs(a - b).sum() == 2]


def _circles(radius: float) -> list[np.ndarray]:
    """Three great circles."""
    s = np.linspace(0, 2 * np.pi, 37)
    c = radius * np.column_stack([np.cos(s), np.sin(s), 0 * s])
    return [c, c[:, [0, 2, 1]], c[:, [2, 0, 1]]]


def _drum(p: np.ndarray, q: np.ndarray, radius: float) -> np.ndarray:
    """A short cylinder: its two rims, four lines between them, and a spoke on each end, so that one sees it turn."""
    n = (q - p) / np.linalg.norm(q - p)
    rim = _circles(radius)[0] @ perpendicular_frame(n).T
    sides = [(p + rim[k], q + rim[k]) for k in (0, 9, 18, 27)]
    return np.vstack([p + rim, GAP, q + rim, GAP, _lines([*sides, (p, p + rim[0]), (q, q + rim[0])])])


def _wires(corners: np.ndarray) -> np.ndarray:
    """Edges of a mesh of at most `TRIANGLES` triangles: corners in one cell of a grid are joined."""
    flat = corners.reshape(-1, 3)
    low, size = flat.min(0), float(np.ptp(flat, axis=0).max()) or 1.0
    for cells in (10**6, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2):
        _, which = np.unique(np.floor((flat - low) / size * (cells - 1e-9)), axis=0, return_inverse=True)
        faces = np.sort(which.reshape(-1, 3), axis=1)
        faces = np.unique(faces[(faces[:, 0] < faces[:, 1]) & (faces[:, 1] < faces[:, 2])], axis=0)
        if len(faces) <= TRIANGLES:
            break
    means = np.column_stack([np.bincount(which.ravel(), x) for x in flat.T]) / np.bincount(which.ravel())[:, None]
    edges = np.unique(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [0, 2]]]), axis=0)
    return _lines([(means[i], means[j]) for i, j in edges])


def zigzag(a: np.ndarray, b: np.ndarray, width: float, across: int | None) -> np.ndarray:
    """A spring from a to b as a line of ``width``; ``across``: the axis it stays perpendicular to, None in space."""
    d = b - a
    length = float(np.linalg.norm(d))
    if length == 0:
        return np.array([a, b])
    normal = np.eye(3)[int(np.abs(d).argmin()) if across is None else across]
    side = np.cross(normal, d / length)
    size = float(np.linalg.norm(side))
    side = side / size * width / 2 if size > 1e-9 else np.zeros(3)
    s = np.concatenate([[0.0, 0.2], 0.2 + 0.6 * (np.arange(2 * COILS) + 0.5) / (2 * COILS), [0.8, 1.0]])
    swing = np.concatenate([[0.0, 0.0], np.tile([1.0, -1.0], COILS), [0.0, 0.0]])
    return a + s[:, None] * d + swing[:, None] * side
