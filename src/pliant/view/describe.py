"""What the page draws, as data: bodies with their shapes, joints and forces with their frames, and which columns of the motion move them.

The motion of a run is one table: seven columns for every *place* (position less ``origin``, quaternion w x y z), a body or a node of a
flexible one, then the modal coordinates of all flexible bodies. Everything else is attached to places and is sent once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..items.base import Frame, Pair, matrix_of, quaternion_of
from ..items.beam_profiles import drawn, section_at
from ..items.beams import Beam
from ..items.bodies import FrameOwner
from ..items.couplings import JointEquation
from ..items.distributed_loads import SpreadLoad
from ..items.forces import Load
from ..items.joints import Connection
from ..items.modal import ModalBody
from ..items.style import Style, unknown_name
from ..plot.colors import COLORS
from ..plot.connected import held_by
from .fields import fields_of
from .item_facts import facts_of
from .shapes import dress, piece
from .skins import skin_of
from .sources import Source
from .touching import arrows_of, faces, touched
from .triangles import Triangles

OVERVIEW = 200  # rows that tell how far the motion goes
SYMBOL = 0.018  # size of joint symbols against the model
FLAT = 1e-6  # a motion is plane if it leaves the plane by less than this part of the size


class Description:
    """``header`` and ``arrays`` of a run, and the channels that make its motion."""

    def __init__(self, source: Source) -> None:
        self.source, self.arrays = source, dict[str, np.ndarray]()
        self.places: list[str] = []
        self.modal: list[str] = []  # bodies with modal coordinates
        self.pieces: list[str] = []  # nodes of beams but the first, which is the beam: each carries the half elements beside it
        self.offsets: dict[str, tuple[int, int]] = {}
        self.owners: dict[str, Any] = {}
        for name in source.model.styles if source.model else ():
            if wrong := unknown_name(source.model, name):  # type: ignore[arg-type]
                raise ValueError(f"style {name!r}: {wrong}")
        self.attached: dict[str, list[np.ndarray]] = {}
        self.touched: dict[str, list[tuple[str, Any, Any]]] = {}  # of bodies: contacts, frames and surfaces that are to be drawn
        model = source.model
        self.bodies = [self._body(b) for b in model.section("bodies") if isinstance(b, FrameOwner)] if model else self._channel_bodies()
        self.bodies += [{"name": name, "kind": Beam.kind, "place": self._place(name), "facts": []} for name in self.pieces]
        if model is not None:
            self.owners["ground"], self.attached["ground"] = model.ground, []
            for force in model.section("forces"):
                for frame, surface in touched(force, self.owners):
                    self.touched.setdefault(frame.body, []).append((force.name, frame, surface))
        self._measure()
        self.joints = [self._joint(j) for j in model.section("joints")] if model else []
        self.forces = [self._force(f) for f in model.section("forces")] if model else []
        self._dress()
        self.surfaces = [made for place in self.touched if self._apart(place) for made in self._surfaces(place)]
        self.header = self._header()

    @property
    def width(self) -> int:
        """Columns of the motion."""
        return 7 * len(self.places) + sum(n for _, n in self.offsets.values())

    # -- motion
    def motion(self, rows: slice) -> np.ndarray:
        """The table over some rows, column by column: shape (width, n), float32."""
        return self._table(rows, np.float32)

    def _table(self, rows: slice, dtype: Any) -> np.ndarray:
        names = [f"{p}.{q}" for p in self.places for q in ("position", "rotation")] + [f"{b}.modal" for b in self.modal]
        found = self.source.read(names, rows)
        out = np.empty((self.width, len(self.source.times(rows)) if not names else len(next(iter(found.values())))), dtype)
        for k, place in enumerate(self.places):
            out[7 * k : 7 * k + 3] = (found[f"{place}.position"] - self.origin).T
            out[7 * k + 3 : 7 * k + 7] = found[f"{place}.rotation"].T
        for body in self.modal:
            first, n = self.offsets[body]
            out[first : first + n] = found[f"{body}.modal"].T
        return out

    # -- bodies
    def _body(self, item: FrameOwner) -> dict[str, Any]:
        self.owners[item.name], self.attached[item.name] = item, []
        made = {"name": item.name, "kind": item.kind, "place": self._place(item.name), "facts": facts_of(item)}
        self.pieces += [f"{item.name}.node_{k}" for k in range(1, item.elements + 1)] if isinstance(item, Beam) else []
        if isinstance(item, ModalBody):
            seen = [name for name in item.frames if self.source.knows(f"{item.name}.{name}.position")]  # not the nodes of lines
            made["nodes"] = {name: self._place(f"{item.name}.{name}") for name in seen}
            self.modal.append(item.name)
        return made

    def _place(self, name: str) -> int:
        self.places.append(name)
        return len(self.places) - 1

    def _channel_bodies(self) -> list[dict[str, Any]]:
        """Without a model: recorded positions of bodies, with links to those of their frames."""
        units = self.source.units
        heads = [
            c.removesuffix(".position") for c in units if c.endswith(".position") and f"{c.removesuffix('.position')}.rotation" in units
        ]
        names = [h for h in heads if h.rpartition(".")[0] not in heads and not h.startswith("ground.")]  # others are frames
        if not names:
            raise ValueError(
                f"run {self.source.name!r} cannot be drawn: its file holds neither a model nor positions and rotations of "
                "bodies; save it with record=['*.position', '*.rotation']"
            )
        for name in names:
            first = self.source.read([f"{name}.position", f"{name}.rotation"], slice(0, 1))
            R, p = matrix_of(first[f"{name}.rotation"][0]), first[f"{name}.position"][0]
            frames = [h for h in heads if h.startswith(f"{name}.")]
            found = self.source.read([f"{f}.position" for f in frames], slice(0, 1))
            self.attached[name] = [(x[0] - p) @ R for x in found.values()]
        return [{"name": name, "kind": "", "place": self._place(name), "facts": []} for name in names]

    def _measure(self) -> None:
        """Origin, size and plane of the motion, from some of its rows."""
        for name in self.modal:
            start = 7 * len(self.places) + sum(n for _, n in self.offsets.values())
            self.offsets[name] = start, self.owners[name].reduced.n
        self.origin = np.zeros(3)
        n = self.source.count()
        table = self._table(slice(0, n, max(1, n // OVERVIEW)), np.float64)[: 7 * len(self.places)]
        some = table.reshape(len(self.places), 7, table.shape[1])
        self.first = some[:, :, 0] if n else np.zeros((0, 7))
        clouds = [some[:, :3].transpose(0, 2, 1).reshape(-1, 3)]
        for k, name in enumerate(self.places):
            for x in (*_reach(self.owners.get(name)), *self._corners(name)):
                clouds.append(some[k, :3].T + _matrices(some[k, 3:].T) @ x)
        clouds += [self._on_ground(), np.array(self._corners("ground")).reshape(-1, 3)]
        points = np.concatenate(clouds)
        self.low: np.ndarray = points.min(0) if len(points) else -np.ones(3)
        self.high: np.ndarray = points.max(0) if len(points) else np.ones(3)
        self.size = float(np.linalg.norm(self.high - self.low)) or 1.0
        self.plane = self._plane(some)
        far = float(abs(points).max(initial=0.0))
        self.origin = (self.low + self.high) / 2 if far > 100 * self.size else np.zeros(3)

    def _on_ground(self) -> np.ndarray:
        """Points of the ground that something is attached to."""
        model = self.source.model
        if model is None:
            return np.zeros((0, 3))
        ends = [end for item in (*model.section("joints"), *model.section("forces")) if isinstance(item, Pair) for end in (item.a, item.b)]
        return np.array([model.ground.place_of(end)[0] for end in ends if end.body == "ground"]).reshape(-1, 3)

    # -- surfaces that touch
    def _apart(self, body: str) -> bool:
        """Whether they are drawn by themselves: of the ground, of nodes of flexible bodies."""
        return body == "ground" or isinstance(self.owners[body], ModalBody)

    def _faces(self, body: str, low: np.ndarray, high: np.ndarray) -> list[Triangles]:
        """Of a body, in its axes; those without end between two corners in the axes of their frames."""
        made = []
        for _, frame, surface in self.touched.get(body, ()):
            point, axes = self.owners[body].place_of(frame)
            points, cells = faces(surface, low, high)
            made.append((point + points @ axes.T, cells))
        return made

    def _corners(self, body: str) -> list[np.ndarray]:
        """Of the boxes around the surfaces of a body that have an end."""
        if body not in self.touched or isinstance(self.owners[body], ModalBody):
            return []
        made = self._faces(body, np.zeros(3), np.zeros(3))
        boxes = [np.array([points.min(0), points.max(0)]) for points, _ in made]
        return [np.array([box[i, 0], box[j, 1], box[k, 2]]) for box in boxes for i, j, k in np.ndindex(2, 2, 2)]

    def _surfaces(self, body: str) -> list[dict[str, Any]]:
        """Of the ground, as far as the motion goes, and of nodes."""
        made, drawn = list[dict[str, Any]](), list[Any]()
        for name, frame, surface in self.touched[body]:
            end = self._end(frame)
            if (same := (end["place"], np.round(end["point"], 12).tolist(), np.round(end["rotation"], 12).tolist(), surface)) in drawn:
                continue  # one floor of several contacts
            drawn.append(same)
            axes, reach = matrix_of(end["rotation"]), np.full(3, self.size / 4)
            low, high = -reach, reach
            if body == "ground":
                box = np.array([self.low, self.high]) - self.origin
                corners = (np.array([[box[i, 0], box[j, 1], box[k, 2]] for i, j, k in np.ndindex(2, 2, 2)]) - end["point"]) @ axes
                low, high = corners.min(0) - 0.1 * self.size, corners.max(0) + 0.1 * self.size
            points, cells = faces(surface, low, high)
            first = f"surface{len(self.arrays)}"
            made.append({"name": name, "end": end, "points": self._put(f"{first}.points", points, np.float32),
                         "cells": self._put(f"{first}.cells", cells, np.uint32)})
        return made

    def _plane(self, some: np.ndarray) -> str:
        """The coordinate plane in which everything moves, or "3d"."""
        for name, k in (("xy", 2), ("xz", 1), ("yz", 0)):
            still = all(np.ptp(p[k]) <= FLAT * self.size for p in some[:, :3])
            turns = all(np.ptp(_matrices(p.T)[:, k], axis=0).max(initial=0.0) <= FLAT for p in some[:, 3:])
            if len(some) and still and turns and self.high[k] - self.low[k] < 0.2 * self.size:
                return name
        return "3d"

    # -- what connects them
    def _end(self, frame: Frame) -> dict[str, Any]:
        """A frame: its place (-1: the ground), and point and rotation there."""
        owner = self.owners[frame.body]
        if isinstance(owner, Beam):
            near, point, axes = owner.drawn_at(frame)
            place = self.places.index(frame.body if near == "node_0" else f"{frame.body}.{near}")
            return {"body": frame.body, "place": place, "point": point, "rotation": quaternion_of(axes), "name": str(frame)}
        point, axes = owner.place_of(frame)
        node = owner.node_of(frame)
        if node is not None:
            place, own = self.places.index(f"{frame.body}.{frame.frame or node}"), matrix_of(owner.frames[node].rotation)
            return {"body": frame.body, "place": place, "point": [0, 0, 0], "rotation": quaternion_of(own.T @ axes), "name": str(frame)}
        self.attached[frame.body].append(point)
        place = -1 if frame.body == "ground" else self.places.index(frame.body)
        shift = self.origin if place < 0 else 0.0
        return {"body": frame.body, "place": place, "point": point - shift, "rotation": quaternion_of(axes), "name": str(frame)}

    def _joint(self, item: Any) -> dict[str, Any]:
        made = {"name": item.name, "kind": item.kind, "symbol": item.symbol, "facts": facts_of(item)}
        if isinstance(item, JointEquation):
            return made | {"couples": item.coupled_joints()}
        if not isinstance(item, Pair):
            return made
        made |= {"guide": getattr(item, "guide", ""), "a": self._end(item.a), "b": self._end(item.b)}
        turned = item.symbol_axes(self.owners[item.a.body]) if isinstance(item, Connection) else np.eye(3)
        made["axes"] = quaternion_of(turned)
        drives = [d for d in self.source.model.section("drives") if getattr(d, "joint", "") == item.name]  # type: ignore[union-attr]
        if held := held_by(item, {getattr(d, "coordinate", "") for d in drives}):
            made["held"] = held._asdict()
        made["drives"] = [d.name for d in drives]
        made |= {key: channel for key in ("state", "locked") if self.source.knows(channel := f"{item.name}.{key}")}
        return made

    def _force(self, item: Any) -> dict[str, Any]:
        made = {"name": item.name, "kind": item.kind, "symbol": item.symbol, "facts": facts_of(item)}
        if isinstance(item, Pair):
            made |= {"a": self._end(item.a), "b": self._end(item.b)}
        elif isinstance(item, Load):
            constant = [float(v) if isinstance(v, (int, float)) else None for v in item.vector]
            made |= {"b": self._end(item.frame), "vector": constant, "axes": item.axes}
            made["channel"] = f"{item.name}.{item.channels()[0].name}" if None in constant else None
        elif isinstance(item, SpreadLoad):
            made |= {"b": self._end(item.on_body()), "vector": [None] * 3, "axes": "world", "channel": f"{item.name}.force"}
        elif hasattr(item, "joint"):
            made["joint"] = item.joint
        if arrows := arrows_of(item, made, self.joints, self.source.knows):
            made["arrows"] = arrows
        return made

    def _dress(self) -> None:
        """Shapes in body axes; those of flexible bodies with the shapes of their modes."""
        self.symbol = self._symbol_size()
        styles = self.source.model.styles if self.source.model else {}
        for k, body in enumerate(self.bodies):
            if body["name"] in self.pieces:
                self._dress_piece(k, body, styles)
            else:
                self._dress_body(k, body, styles)

    def _symbol_size(self) -> float:
        """Of joints: small against the model and the distances of joints, large enough to be seen around rods."""
        shapes = [o.shape for o in self.owners.values() if getattr(o, "shape", None) is not None]
        lengths = [float(np.linalg.norm(a - b)) for points in self.attached.values() for a in points[:1] for b in points[1:2]]
        lengths += [float(np.linalg.norm(np.subtract(*s.points))) for s in shapes if s.kind == "rod"]
        near = [x for x in lengths if x > 1e-9 * self.size]
        small = min(SYMBOL * self.size, 0.13 * float(np.median(near)) if near else np.inf)
        slender = [s for s in shapes if s.kind in ("rod", "cylinder")]
        thick = [s.radius for s in slender if np.linalg.norm(np.subtract(*s.points)) > 6 * s.radius]
        return max(small, min(1.3 * float(np.median(thick)), 0.04 * self.size) if thick else 0.0)

    def _dress_body(self, k: int, body: dict[str, Any], styles: dict[str, Style]) -> None:
        owner, style = self.owners.get(body["name"]), styles.get(body["name"])
        body["color"] = (style and style.color) or COLORS[k % len(COLORS)]
        body |= {"opacity": style.opacity, "hidden": style.hidden} if style else {}
        prefix = f"body{k}"
        if isinstance(owner, ModalBody):
            body["skin"] = self._skin(owner, prefix)
        elif isinstance(owner, Beam):
            body["shapes"] = [self._piece(owner, 0, prefix)]
        else:
            reach = np.full(3, self.size / 8)
            surfaces = self._faces(body["name"], -reach, reach)
            body["shapes"] = dress(owner, style, self.attached[body["name"]], self.symbol, self.size, self.arrays, prefix, surfaces)
        named = {k: v for k, v in owner.frames.items() if k in body.get("nodes", owner.frames)} if owner else {}
        body["frames"] = {name: {"point": place.point, "rotation": place.rotation} for name, place in named.items()}
        body["traced"] = [name for name, s in styles.items() if s.trace and body["name"] in (name, name.rpartition(".")[0])]

    def _dress_piece(self, k: int, body: dict[str, Any], styles: dict[str, Style]) -> None:
        """Half elements at a node of a beam, in the looks of the beam."""
        name, _, node = body["name"].rpartition(".node_")
        whole, owner, style = next(b for b in self.bodies if b["name"] == name), self.owners[name], styles.get(name)
        body |= {"color": whole["color"], "shapes": [self._piece(owner, int(node), f"body{k}")], "frames": {}, "traced": []}
        body |= {"opacity": style.opacity, "hidden": style.hidden} if style else {}

    def _piece(self, beam: Beam, node: int, prefix: str) -> dict[str, Any]:
        section = drawn(section_at(beam.profile, node / beam.elements), beam.length)
        return piece(section, np.pad(beam.axis.lengths, 1)[node:node + 2] / 2, self.arrays, prefix)

    def _skin(self, owner: ModalBody, prefix: str) -> dict[str, Any]:
        skin = skin_of(owner.reduced, self.symbol)
        put: Callable[[str, np.ndarray, Any], str] = lambda name, a, t: self._put(f"{prefix}.{name}", a, t)  # noqa: E731
        first, n = self.offsets[owner.name]
        return {
            "points": put("points", skin.points, np.float32),
            "cells": put("cells", skin.cells, np.uint32),
            "first": first,
            "count": n,
            "psi": put("psi", skin.psi.transpose(2, 0, 1), np.float32),
            "names": owner.reduced.names,
            "fields": [
                {**f.facts, "modes": put(f"field{i}", f.modes, np.float32)} for i, f in enumerate(fields_of(owner.reduced, skin.points))
            ],
        }

    def _put(self, name: str, array: np.ndarray, dtype: Any) -> str:
        self.arrays[name] = np.ascontiguousarray(array, dtype)
        return name

    def _up(self) -> list[float]:
        gravity = np.array(self.source.model.gravity) if self.source.model else np.zeros(3)
        if np.linalg.norm(gravity) > 0:
            k = int(abs(gravity).argmax())
            return [float(-np.sign(gravity[k])) if i == k else 0.0 for i in range(3)]
        return [0.0, 1.0, 0.0] if self.plane == "xy" else [0.0, 0.0, 1.0]

    def _header(self) -> dict[str, Any]:
        s, n = self.source, self.source.count()
        ends = [float(x) for x in s.times(slice(0, 1))] + [float(x) for x in s.times(slice(max(0, n - 1), n))]
        ground = [p - self.origin for p in self.attached.get("ground", [])]
        return {
            "format": 1,
            "kind": "model" if s.findings is not None else "run",
            "name": s.name,
            "rows": n,
            "width": self.width,
            "time": ends if n else [0, 0],
            "complete": s.complete,
            "live": s.live,
            "note": s.note,
            "version": s.version,
            "origin": self.origin,
            "low": self.low - self.origin,
            "high": self.high - self.origin,
            "size": self.size,
            "plane": self.plane,
            "up": self._up(),
            "symbol": self.symbol,
            "places": self.places,
            "bodies": self.bodies,
            "joints": self.joints,
            "forces": self.forces,
            "surfaces": self.surfaces,
            "ground": np.unique(np.round(ground, 12), axis=0) if ground else [],
            "findings": s.findings,
            "facts": s.facts(),
            "channels": s.channels(),
        }


def _reach(owner: Any) -> list[np.ndarray]:
    """Some points of a body, in its axes, that are as far out as it goes."""
    if isinstance(owner, ModalBody):
        skin = owner.reduced.skin
        return [np.array(node.u0) for node in owner.reduced.nodes.values()] if skin is None else [skin.points.min(0), skin.points.max(0)]
    if owner is None:
        return []
    points = [np.array(place.point) for place in owner.frames.values()]
    shape = getattr(owner, "shape", None)
    if shape is None:
        return points + [np.array(getattr(owner, "com", (0.0, 0.0, 0.0)))]
    if shape.kind == "box":
        half = np.array(shape.points[0]) / 2
        return points + [(2 * np.array(s) - 1) * half for s in np.ndindex(2, 2, 2)]
    corners = np.array(shape.points or [(0.0, 0.0, 0.0)])
    box = corners if len(corners) <= 2 else np.array([corners.min(0), corners.max(0)])
    return points + [x + s * shape.radius * e for x in box for e in np.eye(3) for s in (-1, 1)]


def _matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) of unit quaternions (n, 4)."""
    w, x, y, z = q.T
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)
