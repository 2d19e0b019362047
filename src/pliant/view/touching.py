"""What the page shows of contacts: their surfaces where bodies have no shape of their own, and which channels make their arrows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from ..items.base import matrix_of, quaternion_of
from ..items.clearances import Clearance
from ..items.contacts import Contact
from ..items.surfaces import Surface, own_surface
from .triangles import Triangles, ball, block, tube

TILES = 12  # of a plane along each edge: painted without WebGL, its parts are in front of and behind bodies
FEWEST = 25  # lines of a height field
FACETS = 30  # of a bend of rounded edges

# -- surfaces


def touched(item: Any, owners: dict[str, Any]) -> list[tuple[Any, Surface]]:
    """Frames of a contact whose body does not show its surface by a shape of its own, with that surface; lines are where their body is."""
    found = []
    if isinstance(item, Contact):
        for frame, stated in ((item.a, item.surface_a), (item.b, item.surface_b)):
            side = None if stated is not None else own_surface(frame, owners)
            surface = stated if side is None else side.surface
            if surface is not None and surface.kind != "tube" and getattr(owners[frame.body], "shape", None) is None:
                found.append((frame, surface))
    return found


def faces(surface: Surface, low: np.ndarray, high: np.ndarray) -> Triangles:
    """A surface in the axes of its frame; those without end go from ``low`` to ``high``."""
    r = surface.radius or 0.0
    match surface.kind:
        case "plane":
            return _plane(low, high)
        case "sphere" | "hollow_sphere":
            points, cells = ball()
            return r * points, cells if surface.kind == "sphere" else cells[:, ::-1]
        case "capsule":
            bend, half = np.linspace(0, np.pi / 2, FACETS // 3), (surface.length or 0.0) / 2
            end = [(r * np.cos(b), half + r * np.sin(b)) for b in bend[:-1]]
            return tube([(0.0, -half - r), *((x, -z) for x, z in end[::-1]), *end, (0.0, half + r)])
        case "bore":
            ends = (-surface.length / 2, surface.length / 2) if surface.length else (low[2], high[2])
            points, cells = tube([(r, ends[0]), (r, ends[1])])
            return points, cells[:, ::-1]
        case "cylinder":
            return _drum(surface)
        case "box":
            return block(np.array(surface.size) / 2)
        case "height_field":
            return _hills(surface)
    return _hull(np.array(surface.points))


def _plane(low: np.ndarray, high: np.ndarray) -> Triangles:
    x, y = (np.linspace(low[k], high[k], TILES + 1) for k in (0, 1))
    points = np.array([(a, b, 0.0) for b in y for a in x])
    k = np.array([j * (TILES + 1) + i for j in range(TILES) for i in range(TILES)])
    up = k + TILES + 1
    return points, np.vstack([np.column_stack([k, k + 1, up + 1]), np.column_stack([k, up + 1, up])])


def _hills(surface: Surface) -> Triangles:
    """A height field, finer than its points where these are few."""
    table = surface.heights
    x, y = (np.linspace(a[0], a[-1], max(len(a), FEWEST)) for a in (table.x, table.y))
    points = np.column_stack([np.repeat(x, y.size), np.tile(y, x.size), table.evaluate(*np.meshgrid(x, y, indexing="ij")).ravel()])
    k = (np.arange(x.size - 1)[:, None] * y.size + np.arange(y.size - 1)).ravel()
    return points, np.vstack([np.column_stack([k, k + y.size, k + y.size + 1]), np.column_stack([k, k + y.size + 1, k + 1])])


def _drum(surface: Surface) -> Triangles:
    """A cylinder with rounded edges and crowned ends, as a turned profile."""
    R, half, edge, crown = surface.radius or 0.0, (surface.length or 0.0) / 2, surface.rounding or 0.0, surface.crown or 0.0
    bend = np.linspace(0, np.pi / 2, FACETS // 3) if edge else np.zeros(1)
    out = np.linspace(0, R - edge, FACETS)[1:-1] if crown else np.zeros(0)
    top = [(x, half + crown * (1 - (x / (R - edge)) ** 2)) for x in out[::-1]]
    rim = [(R - edge + edge * np.cos(b), half - edge + edge * np.sin(b)) for b in bend]
    upper = [*rim, *top, (0.0, half + crown)]
    return tube([(r, -z) for r, z in upper[::-1]] + upper)


def _hull(points: np.ndarray) -> Triangles:
    """The hull of points, outward."""
    hull = ConvexHull(points)
    cells = hull.simplices.astype(np.int64)
    a, b, c = (points[cells[:, k]] for k in range(3))
    inward = np.einsum("ni,ni->n", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    cells[inward] = cells[inward][:, ::-1]
    used, which = np.unique(cells, return_inverse=True)
    return points[used], which.reshape(-1, 3)


# -- arrows


def arrows_of(item: Any, ends: dict[str, Any], joints: list[dict[str, Any]], knows: Callable[[str], bool]) -> list[dict[str, Any]]:
    """Of a contact, a joint with clearance, or a stop: what it exerts on b. ``ends``: its frames as the page has them.

    An arrow is at the point that the channel ``point`` tells, or ``at`` a frame. Its ``channels`` are a vector in world axes, less that of
    ``minus``, or numbers along the axes of the frame ``turn``, of which ``axis`` is the first."""
    found: list[dict[str, Any]] = []
    if isinstance(item, Contact):
        push, rub = f"{item.name}.force", f"{item.name}.friction_force"
        for place in [c for c in (f"{item.name}.center", f"{item.name}.point") if knows(c)][:1]:
            found.append({"role": "normal", "kind": "force", "point": place, "channels": [push], "minus": rub})
            if item.friction or item.static:
                found.append({"role": "friction", "kind": "force", "point": place, "channels": [rub]})
    elif isinstance(item, Clearance):
        for suffix, along in item.planes().items():
            at = _bearing(item, ends["a"], along)
            pushes = [f"{item.name}.push{k}{suffix}" for k in item.directions()]
            found.append({"role": "normal", "kind": "force", "at": at, "turn": at, "axis": 0, "channels": pushes})
    elif item.kind == "stop":
        kind = "torque" if item.coordinate == "angle" else "force"
        for joint in [j for j in joints if j["name"] == item.joint and "axes" in j]:
            turn = joint["a"] | {"rotation": quaternion_of(matrix_of(joint["a"]["rotation"]) @ matrix_of(joint["axes"]))}
            found.append({"role": "normal", "kind": kind, "at": joint["b"], "turn": turn, "axis": 2, "channels": [f"{item.name}.effort"]})
    return [arrow for arrow in found if all(knows(c) for c in channels_of(arrow))]


def channels_of(arrow: dict[str, Any]) -> list[str]:
    """What the page must have to draw it."""
    return [*arrow["channels"], *(arrow[key] for key in ("point", "minus") if key in arrow)]


def _bearing(item: Clearance, end: dict[str, Any], along: float) -> dict[str, Any]:
    """The frame of a bearing, at a place on its axis."""
    axes = matrix_of(end["rotation"]) @ item.bearing_axes()
    return end | {"point": np.array(end["point"]) + along * axes[:, 2], "rotation": quaternion_of(axes)}
