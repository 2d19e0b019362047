"""Mechanisms whose deformation is drawn larger than it is: bodies follow what they are jointed to, so that joints stay together.

With the factor s a point of a flexible body is drawn at u0 + s psi q of its frame, and a node turned by s times its rotation. From the
ground outwards every body is moved so that its joint keeps the relative pose that it has in the run: G = A^-1 B with the frames A and B
of the joint, and A' G = B' with those drawn. Where joints close loops, what they hold is then restored by the smallest motions of the
bodies (Gauss-Newton, least squares): coincident points stay so, axes stay parallel, driven coordinates as they are; what joints leave free
may change a little. With s = 1 nothing is moved. Where a scaled shape does not fit between its joints at all, the gap that is left is the
smallest one. The page does the same (viewer/src/connected.ts). A body that slides along a beam follows the frame at which the line of the
beam begins.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..items.base import Frame, Pair, matrix_of
from ..items.joints import Connection

if TYPE_CHECKING:
    from ..model import Model

ITERATIONS = 12
CLOSED = 1e-9    # of the size: joints that are open by less are closed
SMALLEST = 1e-6  # of the largest: singular values below are none
PARALLEL = {(0, 2), (1, 2)}


class Held(NamedTuple):
    """Which relative motions a joint holds, in its own axes on frame a: translations, rotations, or only a distance."""
    slides: tuple[bool, bool, bool]
    turns: tuple[bool, bool, bool]
    distance: bool = False


class Link(NamedTuple):
    """A joint between frames of two bodies: names of bodies (ground: ""), of nodes ("": fixed in the body), places there; what it holds
    (None: it only carries a body that nothing else does)."""
    bodies: tuple[str, str]
    nodes: tuple[str, str]
    places: tuple[np.ndarray, np.ndarray]  # 4 x 4
    held: Held | None


def held_by(item: Any, driven: set[str]) -> Held | None:
    """From the equations of a joint, and the coordinates that drives prescribe."""
    if not isinstance(item, Connection):
        return None
    kinds = list(item.primitives_list())
    if any(kind == "distance" for kind, *_ in kinds):
        return Held((False,) * 3, (False,) * 3, True)
    pairs = {tuple(axes) for kind, *axes in kinds if kind == "d1"}
    points = any(kind == "coincident" for kind, *_ in kinds)
    across = {axes[0] for kind, *axes in kinds if kind == "d2"}
    slides = [points or k in across for k in range(3)]
    turns = [True] * 3 if len(pairs) >= 3 else [True, True, False] if pairs >= PARALLEL else [False] * 3
    slides[2] |= "displacement" in {*driven, *item.hold}
    turns[2] |= "angle" in {*driven, *item.hold}
    return Held((slides[0], slides[1], slides[2]), (turns[0], turns[1], turns[2]))


def links_of(model: Model, owners: dict[str, Any]) -> list[Link]:
    """Joints first, then bushings and the like."""
    drives = {name: {d.coordinate for d in model.section("drives") if getattr(d, "joint", "") == name}  # type: ignore[attr-defined]
              for name in (j.name for j in model.section("joints"))}
    found = []
    for item in [*model.section("joints"), *model.section("forces")]:
        if not isinstance(item, Pair) or item.symbol == "spring" or owners[item.a.body].deforms or owners[item.b.body].deforms:
            continue  # beams are drawn as they are
        held = held_by(item, drives.get(item.name, set()))
        axes = item.symbol_axes(owners[item.a.body]) if isinstance(item, Connection) else np.eye(3)
        (a, node_a, place_a), (b, node_b, place_b) = _end(owners, item.a, axes), _end(owners, item.b, np.eye(3))
        if a != b:
            found.append(Link((a, b), (node_a, node_b), (place_a, place_b), held))
    return sorted(found, key=lambda link: link.held is None)


def _end(owners: dict[str, Any], frame: Frame, axes: np.ndarray) -> tuple[str, str, np.ndarray]:
    owner = owners[frame.body]
    point, R = owner.place_of(frame)
    node = owner.node_of(frame)
    if node is None:
        return ("" if frame.body == "ground" else frame.body), "", pose(point, R @ axes)
    own = matrix_of(owner.frames[node].rotation)
    return frame.body, frame.frame or node, pose(np.zeros(3), own.T @ R @ axes)


def pose(p: np.ndarray, R: np.ndarray) -> np.ndarray:
    """4 x 4 of a point and axes."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def inverse(T: np.ndarray) -> np.ndarray:
    R = T[:3, :3].T
    return pose(-R @ T[:3, 3], R)


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """Of a rotation matrix, shorter than pi."""
    w = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    s, c = float(np.linalg.norm(w)), (np.trace(R) - 1) / 2
    if s > 1e-8:
        return w * np.arctan2(s, c) / s
    if c > 0:
        return w
    k = int(np.argmax(np.diag(R)))  # half a turn
    axis = (R[:, k] + np.eye(3)[k]) / np.sqrt(2 * (1 + R[k, k]))
    return np.pi * axis


def turned(w: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector."""
    angle = float(np.linalg.norm(w))
    K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    return np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (K @ K)


def scaled_node(rest: np.ndarray, now: np.ndarray, factor: float) -> np.ndarray:
    """A node in the axes of its body: displacement and rotation from rest, times a factor."""
    way, turn = now[:3, 3] - rest[:3, 3], rotation_vector(rest[:3, :3].T @ now[:3, :3])
    return pose(rest[:3, 3] + factor * way, rest[:3, :3] @ turned(factor * turn))


class Connected:
    """The tree of a model's joints, and its poses with the deformation drawn ``factor`` times."""

    def __init__(self, links: list[Link], bodies: Iterable[str], size: float) -> None:
        self.links, self.bodies, self.size = links, list(bodies), size
        self.tree: list[tuple[Link, int]] = []  # and which end is the child
        reached, rest = {""}, [""]
        for root in ["", *self.bodies]:
            rest = [root] if root == "" or root not in reached else []
            reached.add(root)
            while rest:
                body = rest.pop(0)
                for link in links:
                    if body in link.bodies and link.bodies[0] != link.bodies[1]:
                        child = 1 - link.bodies.index(body)
                        if link.bodies[child] not in reached and self._carries(link, reached):
                            self.tree.append((link, child))
                            reached.add(link.bodies[child])
                            rest.append(link.bodies[child])
        carried = {id(link) for link, _ in self.tree}
        self.loops = any(link.held and id(link) not in carried for link in links)
        self.number = {name: 6 * k for k, name in enumerate(self.bodies)}

    def _carries(self, link: Link, reached: set[str]) -> bool:
        """A joint does; a bushing only what no joint reaches."""
        return link.held is not None or not any(other.held and set(other.bodies) & set(link.bodies) - reached for other in self.links)

    def drawn(self, true: dict[str, np.ndarray], nodes: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]) -> dict[str, np.ndarray]:
        """Poses of bodies (4 x 4). ``nodes``: by body and name in the axes of the body, as they are and as they are drawn."""
        true = {"": np.eye(4), **true}
        ends = {id(link): tuple(self._local(link, k, nodes) for k in (0, 1)) for link in self.links}
        relative = {id(link): inverse(true[link.bodies[0]] @ ends[id(link)][0][0]) @ true[link.bodies[1]] @ ends[id(link)][1][0]
                    for link in self.links}
        now = dict(true)
        for link, child in self.tree:
            (_, A), (_, B) = ends[id(link)]
            a, b = link.bodies
            if child:
                now[b] = now[a] @ A @ relative[id(link)] @ inverse(B)
            else:
                now[a] = now[b] @ B @ inverse(relative[id(link)]) @ inverse(A)
        if self.loops:
            self._close(now, ends, relative)
        del now[""]
        return now

    def _local(self, link: Link, k: int, nodes: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
        place = link.places[k]
        if not link.nodes[k]:
            return place, place
        is_, drawn = nodes[link.bodies[k], link.nodes[k]]
        return is_ @ place, drawn @ place

    def _close(self, now: dict[str, np.ndarray], ends: dict[int, Any], relative: dict[int, np.ndarray]) -> None:
        for _ in range(ITERATIONS):
            rows, rests = [], []
            for link in self.links:
                if link.held:
                    J, r = self._open(link, now, ends[id(link)], relative[id(link)])
                    rows.append(J)
                    rests.append(r)
            r = np.concatenate(rests)
            if abs(r).max(initial=0.0) < CLOSED * self.size:
                return
            step = np.linalg.lstsq(np.vstack(rows), -r, rcond=SMALLEST)[0]
            for name, k in self.number.items():
                T = now[name]
                now[name] = pose(T[:3, 3] + step[k:k + 3], turned(step[k + 3:k + 6] / self.size) @ T[:3, :3])

    def _open(self, link: Link, now: dict[str, np.ndarray], ends: Any, relative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By how much a joint is open in what it holds, and how that changes with small motions of the bodies; angles in sizes."""
        held, (a, b), L = link.held, link.bodies, self.size
        assert held is not None
        A, B = now[a] @ ends[0][1], now[b] @ ends[1][1]
        axes, x = A[:3, :3], B[:3, 3]
        G = inverse(A) @ B
        way = np.zeros((6, 6 * len(self.bodies)))  # of point b and of the axes of b against a, in the axes of a
        for body, sign in ((a, -1.0), (b, 1.0)):
            if body:
                k, arm = self.number[body], x - now[body][:3, 3]
                way[:3, k:k + 3] += sign * axes.T
                way[:3, k + 3:k + 6] += sign * axes.T @ -_cross(arm) / L
                way[3:, k + 3:k + 6] += sign * axes.T
        if held.distance:
            length = float(np.linalg.norm(G[:3, 3])) or 1.0
            return (G[:3, 3] / length) @ way[:3][None], np.array([length - np.linalg.norm(relative[:3, 3])])
        r = np.concatenate([G[:3, 3] - relative[:3, 3], L * rotation_vector(G[:3, :3] @ relative[:3, :3].T)])
        which = np.array([*held.slides, *held.turns])
        return way[which], r[which]


def _cross(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


class Drawn(NamedTuple):
    """Over some rows: by body positions (n, 3) and axes (n, 3, 3), and of its nodes, by body and name, positions (n, 3)."""
    position: dict[str, np.ndarray]
    axes: dict[str, np.ndarray]
    nodes: dict[tuple[str, str], np.ndarray]


def enlarged(model: Model, owners: dict[str, Any], read: Callable[[str], np.ndarray], matrices: Callable[[np.ndarray], np.ndarray],
             factor: float) -> Drawn:
    """Poses of all bodies of ``owners`` with the deformation drawn ``factor`` times. ``read`` gives channels over the rows."""
    names = [name for name in owners if name != "ground"]
    links = links_of(model, owners)
    used = {(body, node) for link in links for body, node in zip(link.bodies, link.nodes, strict=True) if node}
    rest = {key: pose(np.array(owners[key[0]].frames[key[1]].point), matrix_of(owners[key[0]].frames[key[1]].rotation)) for key in used}
    at = {f"{b}.{n}": (read(f"{b}.{n}.position"), matrices(read(f"{b}.{n}.rotation"))) for b, n in used}
    at |= {name: (read(f"{name}.position"), matrices(read(f"{name}.rotation"))) for name in names}
    rows = len(next(iter(at.values()))[0]) if at else 0
    span = np.ptp(np.concatenate([p for p, _ in at.values()]), axis=0) if rows else np.ones(3)
    solver = Connected(links, names, float(np.linalg.norm(span)) or 1.0)
    out = Drawn({n: np.empty((rows, 3)) for n in names}, {n: np.empty((rows, 3, 3)) for n in names}, {k: np.empty((rows, 3)) for k in used})
    for i in range(rows):
        true = {name: pose(at[name][0][i], at[name][1][i]) for name in names}
        nodes = {}
        for body, node in used:
            p, R = at[f"{body}.{node}"]
            now = inverse(true[body]) @ pose(p[i], R[i])
            nodes[body, node] = now, scaled_node(rest[body, node], now, factor)
        drawn = solver.drawn(true, nodes)
        for name, T in drawn.items():
            out.position[name][i], out.axes[name][i] = T[:3, 3], T[:3, :3]
        for (body, node), (_, local) in nodes.items():
            out.nodes[body, node][i] = (drawn[body] @ local)[:3, 3]
    return out
