"""Masses, inertias and sizes: what no body has, and what suggests a slip of units."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..items.base import Pair
from ..items.bodies import RigidBody
from ..items.shapes import Shape, mass_properties
from ..report.finding import NOTE, WARNING, Finding, names
from ..report.words import MOTIONS, describe
from .mechanism import LARGEST, Block, Mechanism, connected
from .registry import ASSEMBLED, ITEMS, check

if TYPE_CHECKING:
    from ..model import Model
    from .examination import Examination

SOLID = (0.5, 3e4)       # kg/m^3: densities of solid bodies
ELLIPSOID = (1e-2, 1e5)  # kg/m^3: of the ellipsoid with the same mass and inertia, for bodies of any shape
SLENDER = (0.1, 1e4)     # length over radius of a rod, if it had the density of light metal
METAL = 2700.0           # kg/m^3
LARGE = 100.0            # m: as long as a building
FALL = 100.0             # m/s^2
RATIO = 1e7              # of the masses of neighbours
NOTHING = 1e-15          # inertia below this part of the body's largest is none
MASS_REMEDY = "Check the units of its mass, size and inertia (kg, m, kg m^2; texts such as '12 mm' are converted)."


class Verdict(NamedTuple):
    """Of a body whose mass does not suit its size: too light or too heavy."""
    light: bool
    code: str
    message: str


def _rigid(model: Model) -> list[RigidBody]:
    return [b for b in model.section("bodies") if isinstance(b, RigidBody)]


def _verdicts(model: Model) -> dict[str, Verdict]:
    """Of the bodies of which it can be told whether the mass suits the size."""
    return {b.name: verdict for b in _rigid(model) for verdict in [judge(b)] if verdict is not None}


@check("inertia-triangle", "an inertia that no body can have", ITEMS)
def triangle(model: Model) -> Iterator[Finding]:
    """I1 + I2 >= I3 for principal moments of any body."""
    for body in _rigid(model) if model.planar is None else ():
        a, b, c = np.linalg.eigvalsh(body.inertia_matrix)
        if a + b < c * (1 - 1e-6):
            yield _no_body(body, a, b, c)


def _no_body(body: RigidBody, a: float, b: float, c: float) -> Finding:
    return Finding("inertia-triangle", WARNING, (body.name,),
                   f"body {body.name!r}: its principal moments of inertia {a:.4g}, {b:.4g}, {c:.4g} kg m^2 belong to no body: the two "
                   "smaller ones must add up to at least the largest.",
                   "Check the order and units of the moments and the signs of the products of inertia. For a plane model give all three "
                   "moments, or set planar=True, where only one of them counts.")


@check("units-slip", "sizes and masses that suggest other units", ITEMS)
@check("implausible-density", "a mass that does not suit the shape", ITEMS)
@check("implausible-inertia", "an inertia that does not suit the mass and size", ITEMS)
def densities(model: Model) -> Iterator[Finding]:
    """Masses that do not suit sizes; if all of them are wrong in the same way, the units are."""
    judged = _verdicts(model)
    wrong = {name: v for name, v in judged.items() if v.message}
    slip = len(wrong) > 1 and len(wrong) == len(judged) and len({v.light for v in wrong.values()}) == 1
    if slip:
        yield _slip(wrong, next(iter(wrong.values())).light)
    else:
        yield from (Finding(v.code, WARNING, (name,), v.message, MASS_REMEDY) for name, v in wrong.items())


def _slip(wrong: dict[str, Verdict], light: bool) -> Finding:
    about = "far too light for their size" if light else "far too heavy for their size"
    guess = "millimetres were given as metres" if light else "grams were given as kilograms, or metres as kilometres"
    first = next(iter(wrong.values())).message
    return Finding("units-slip", WARNING, tuple(wrong), f"all bodies are {about}, as if {guess}: {first}",
                   "Give values with units, such as '150 mm' and '0.36 kg', or convert them to SI.")


@check("implausible-size", "a body as large as a building", ITEMS)
def sizes(model: Model) -> Iterator[Finding]:
    """Bodies as large as buildings; those whose mass gives the slip away are told otherwise."""
    wrong = {name for name, verdict in _verdicts(model).items() if verdict.message}
    bodies = [b for b in _rigid(model) if b.name not in wrong]
    large = {b.name: size for b in bodies if b.shape and (size := extent(b.shape)) >= LARGE}
    if large:
        first = next(iter(large))
        body = f"body {first!r} is" if len(large) == 1 else f"bodies {names(large)} are"
        yield Finding("implausible-size", NOTE, tuple(large), f"{body} {LARGE:g} m or longer; {first!r} has {large[first]:.4g} m.",
                      f"Write '{large[first]:.6g} mm' if millimetres are meant; nothing, if it is as large as that.")


def extent(shape: Shape) -> float:
    """The largest dimension."""
    points = np.array(shape.points, float).reshape(-1, 3)
    if shape.kind == "box":
        return float(points.max(initial=0.0))
    longest = float(np.ptp(points, axis=0).max()) if shape.kind == "mesh" and len(points) else 0.0
    if shape.kind in ("rod", "cylinder") and len(points) == 2:
        longest = float(np.linalg.norm(points[1] - points[0]))
    return max(longest, 2 * shape.radius)


@check("implausible-gravity", "gravity that is not on Earth", ITEMS)
def gravity(model: Model) -> Iterator[Finding]:
    """9810 is gravity in mm/s^2."""
    size = float(np.linalg.norm(model.gravity))
    if size > FALL:
        yield Finding("implausible-gravity", WARNING, ("gravity",), f"gravity is {size:.4g} m/s^2; on Earth it is 9.81, and more than "
                      f"{FALL:g} nowhere that mechanisms are.",
                      "Write 9.81 (m/s^2)" + (f", or '{size:.4g} mm/s^2'" if 1e3 < size < 1e5 else "") + ".")


@check("mass-ratio", "a body far lighter than its neighbour", ITEMS)
def ratios(model: Model) -> Iterator[Finding]:
    """Light bodies that carry heavy ones."""
    mass = {b.name: b.mass for b in _rigid(model)}
    for joint in model.section("joints"):
        if isinstance(joint, Pair) and {joint.a.body, joint.b.body} <= mass.keys():
            light, heavy = sorted((joint.a.body, joint.b.body), key=mass.__getitem__)
            if 0 < mass[light] * RATIO < mass[heavy]:
                yield Finding("mass-ratio", WARNING, (light, heavy), f"body {light!r} ({mass[light]:.3g} kg) is joined to {heavy!r} "
                              f"({mass[heavy]:.3g} kg): masses of neighbours that differ by more than {RATIO:g} leave few digits for the "
                              "lighter one.", "Check the units of both masses; a light part can be left out or given a realistic mass.")


# -- density
def judge(body: RigidBody) -> Verdict | None:
    """Whether the mass suits the shape or the inertia; an empty message if it does, None where it cannot be told."""
    if not body.mass > 0:
        return None
    solid = solid_of(body.shape) if body.shape else None
    if solid:
        rod = slender(body)
        if rod:
            return rod
        volume, center, inertia = solid
        expected = inertia * body.mass / volume
        near = 0.02 * abs(expected).max()
        if abs(body.inertia_matrix - expected).max() < near and np.linalg.norm(center - body.com) ** 2 * body.mass < near:
            density = body.mass / volume
            about = f"body {body.name!r}: {body.mass:.4g} kg in a volume of {volume:.3g} m^3 is a density of {density:.3g} kg/m^3"
            return _verdict(density, SOLID, "implausible-density", f"{about}; solids have {SOLID[0]:g} to {SOLID[1]:g}.")
    return ellipsoid(body)


def _verdict(value: float, limits: tuple[float, float], code: str, message: str, light: bool | None = None) -> Verdict:
    wrong = not limits[0] <= value <= limits[1]
    return Verdict(value < limits[0] if light is None else light, code, message if wrong else "")


def slender(body: RigidBody) -> Verdict | None:
    """A rod given by its ends alone has no radius to speak of: judge how thin it would be if made of light metal."""
    assert body.shape is not None
    if body.shape.kind != "rod":
        return None
    p, r = np.array(body.shape.points)
    length = float(np.linalg.norm(r - p))
    if abs(np.linalg.eigvalsh(body.inertia_matrix)[2] - body.mass * length**2 / 12) > 1e-6 * body.mass * length**2:
        return None  # it has a radius
    thin = length / np.sqrt(body.mass / (METAL * np.pi * length))
    message = (f"body {body.name!r}: a rod of {length:.4g} m and {body.mass:.4g} kg; made of light metal it would be "
               f"{thin:.2g} times as long as its radius, rods have {SLENDER[0]:g} to {SLENDER[1]:g}.")
    return _verdict(thin, SLENDER, "implausible-density", message, light=bool(thin > 1))


def ellipsoid(body: RigidBody) -> Verdict | None:
    """Density of the ellipsoid with the same mass and inertia."""
    moments = np.linalg.eigvalsh(body.inertia_matrix)
    squares = 2.5 * (moments.sum() - 2 * moments) / body.mass
    if squares.min() < 1e-6 * squares.max() or squares.max() <= 0:
        return None  # flat, thin or a point: no volume
    a, b, c = np.sqrt(squares)
    density = body.mass / (4 / 3 * np.pi * a * b * c)
    message = (f"body {body.name!r}: {body.mass:.4g} kg with the moments of inertia {moments[0]:.3g}, {moments[1]:.3g}, {moments[2]:.3g} "
               f"kg m^2 is like an ellipsoid of {2 * a:.2g} x {2 * b:.2g} x {2 * c:.2g} m with {density:.2g} kg/m^3, far from any "
               "material.")
    return _verdict(density, ELLIPSOID, "implausible-inertia", message)


def solid_of(shape: Shape) -> tuple[float, np.ndarray, np.ndarray] | None:
    """Volume, centre and inertia of density 1 of a shape."""
    r, points = shape.radius, np.array(shape.points, float)
    if shape.kind == "box" and len(points) == 1:
        s = points[0] ** 2
        volume = float(np.prod(points[0]))
        return volume, np.zeros(3), volume / 12 * np.diag(s.sum() - s)
    if shape.kind == "sphere" and r > 0:
        volume = 4 / 3 * np.pi * r**3
        return volume, np.zeros(3), 0.4 * volume * r**2 * np.eye(3)
    if shape.kind in ("rod", "cylinder") and len(points) == 2 and r > 0:
        d = points[1] - points[0]
        length = float(np.linalg.norm(d))
        if length == 0:
            return None
        n, volume = d / length, np.pi * r**2 * length
        across, along = volume * (3 * r**2 + length**2) / 12, volume * r**2 / 2
        return volume, points.mean(0), across * (np.eye(3) - np.outer(n, n)) + along * np.outer(n, n)
    if shape.kind == "mesh" and len(points) % 3 == 0 and len(points):
        volume, center, inertia = mass_properties(points.reshape(-1, 3, 3))
        return (volume, center, inertia) if volume > 0 else None
    return None


# -- motions that move no mass
@check("massless-motion", "a motion that moves no mass", ASSEMBLED)
@check("zero-mass", "a body without mass", ASSEMBLED)
def massless(e: Examination) -> Iterator[Finding]:
    """Motions that joints and drives allow and that move no mass: M v = 0 and C_q v = 0.                    [diagnosis-6]"""
    mechanism = e.space  # with all equations
    idle = _idle(mechanism)
    groups = [blocks for tile, blocks in mechanism.groups.items() if idle.keys() & set(mechanism.bodies[tile])]
    ends = ([k for k in mechanism.bodies[blocks[0].tile] if k in idle] for blocks in groups)
    moving: set[str] = set()
    for part in connected([*([k] for k in idle), *ends]):
        tiles = sorted(part)
        blocks = [b for blocks in groups for b in blocks if set(mechanism.bodies[b.tile]) & part]
        if sum(len(b.rows) for b in blocks) > LARGEST:
            continue
        Z = _idle_motions(mechanism, tiles, blocks, idle)
        if Z.shape[1]:
            finding = _massless(mechanism, tiles, Z)
            moving |= set(finding.items)
            yield finding
    for body in _rigid(e.model):
        if body.mass == 0 and body.name not in moving:
            yield Finding("zero-mass", NOTE, (body.name,), f"body {body.name!r} has no mass; its joints hold or drive it, so that it can "
                          "be used.", "Nothing, if it is meant to be massless; otherwise give its mass.")


def _idle_motions(mechanism: Mechanism, tiles: list[int], blocks: list[Block],
                  idle: dict[int, np.ndarray]) -> np.ndarray:
    """Motions of the bodies in ``tiles`` without inertia that the equations of blocks allow, as columns."""
    rows = [np.zeros((1, sum(mechanism.basis(k).shape[1] for k in tiles))), *mechanism.matrix(blocks, tiles)[0]]
    K = np.zeros((rows[0].shape[1], sum(idle[k].shape[1] for k in tiles)))
    i = j = 0
    for k in tiles:
        n, m = idle[k].shape
        K[i:i + n, j:j + m] = idle[k]
        i, j = i + n, j + m
    _, S, V = np.linalg.svd(np.vstack(rows) @ K)
    return np.asarray(K @ V[int((S > 1e-9).sum()):].T)


def _idle(mechanism: Mechanism) -> dict[int, np.ndarray]:
    """Directions without inertia of every body that has some, as columns."""
    s, found = mechanism.system, dict[int, np.ndarray]()
    for k in mechanism.tiles:
        E = mechanism.basis(k)
        M = E.T @ mechanism.x.D[s.block[k, k]] @ E
        values, vectors = np.linalg.eigh((M + M.T) / 2)
        found[k] = vectors[:, values <= NOTHING * values.max(initial=0.0)]
    return {k: v for k, v in found.items() if v.shape[1]}


def _massless(mechanism: Mechanism, tiles: list[int], Z: np.ndarray) -> Finding:
    words, items, at = [], [], 0
    for k in tiles:
        n = mechanism.basis(k).shape[1]
        part, at = Z[at:at + n], at + n
        if k in mechanism.names and n == 6 and abs(part).max() > 1e-6:
            items.append(mechanism.names[k])
            frame = mechanism.axes_of(k)
            motion = np.hstack([part[:3].T, part[3:].T @ frame.T])
            words.append(f"{describe(motion, MOTIONS)} of {mechanism.names[k]!r}")
    order = list(mechanism.names.values())
    return Finding("massless-motion", "error", tuple(sorted(items, key=order.index)),
                   f"{names(items)} can move without moving any mass, so that forces give no finite acceleration: {'; '.join(words)}.",
                   "Give the body mass or rotational inertia there, or hold that motion by a joint (a point mass: Fixed to its neighbour).")
