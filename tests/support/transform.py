"""The same mechanism elsewhere, of another size, in another order."""
import re

import numpy as np

import pliant as pl
from pliant.compile.planar import normal_vector
from pliant.functions.units import parse_unit
from pliant.items.base import Frame, Place, matrix_of, quaternion_of
from pliant.items.beam_axis import default_up
from pliant.items.rotations import product, written_as

TOUCHING = "contact", "revolute_clearance", "spherical_clearance", "stop", "joint_friction", "mass_flow"  # by the units of their fields


def transformed(m: pl.Model, R: np.ndarray, s: float = 1.0, backwards: bool = False) -> pl.Model:
    """The model turned by R and s times as large, of the same density and as fast; bodies perhaps in reverse order."""
    planar = None if m.planar is None else tuple(R @ normal_vector(m.planar))
    out = pl.Model(m.name, tuple(s * R @ m.gravity), m.settings, planar)
    frames = {name: Place.model_validate(p) for name, p in m.ground.frames.items()}
    out.ground.frames = {name: {"point": s * R @ p.point, "rotation": R @ matrix_of(p.rotation)} for name, p in frames.items()}
    items = list(m)
    bodies = [i for i in items if i.section == "bodies"]
    for item in [*(bodies[::-1] if backwards else bodies), *(i for i in items if i.section != "bodies")]:
        out.items[item.name] = item.model_copy(update=_body(item, R, s) if item.section == "bodies" else _item(item, m, R, s))
    return out


def _beam(b, R, s):
    p, moved = b.profile, {k: getattr(b, k) and tuple(s * R @ getattr(b, k)) for k in ("start", "end", "velocity")}
    profile = pl.Section.general(s**2 * p.area, s**4 * p.Iy, s**4 * p.Iz, s**4 * p.J, p.ky, p.kz, s**4 * p.Iyz)
    points = b.points and tuple(tuple(s * R @ point) for point in b.points)
    return {**moved, "points": points, "profile": profile, "up": tuple(R @ (b.up or default_up(b.axis)))}


def _body(b, R, s):
    if isinstance(b, pl.Beam):
        return _beam(b, R, s)
    turned = {"position": tuple(s * R @ b.position), "rotation": product(quaternion_of(R), b.rotation)}
    if isinstance(b, pl.ModalBody):
        return turned  # its part has the size that it has
    scaled = {name: Place(point=s * np.array(p.point), rotation=p.rotation)
              for name, p in ((n, Place.model_validate(p)) for n, p in b.frames.items())}
    shape = b.shape
    if shape:
        shape = shape.model_copy(update={"points": [tuple(s * np.array(p)) for p in shape.points], "radius": s * shape.radius})
    return {"mass": s**3 * b.mass, "inertia": tuple(map(tuple, s**5 * b.inertia_matrix)), "com": tuple(s * np.array(b.com)),
            "frames": scaled, "shape": shape, "velocity": b.velocity and tuple(s * R @ b.velocity), **turned}


def _item(item, m, R, s):
    change = {}
    for field in type(item).model_fields:
        value = getattr(item, field)
        if isinstance(value, Frame):
            point, axes = m[value.body].place_of(value)
            if value.body == "ground":
                change[field] = Frame(body="ground", point=tuple(s * R @ point), frame=value.frame,
                                      rotation=written_as(quaternion_of(R @ axes), value.rotation))
            elif value.point is not None:
                change[field] = Frame(body=value.body, point=tuple(s * point), rotation=value.rotation)
    powers = {"spring_damper": 3, "torsion_spring": 5}
    for field in ("stiffness", "damping"):
        if item.kind in powers:
            change[field] = s**powers[item.kind] * getattr(item, field)
        elif item.kind == "bushing":
            change[field] = tuple(np.array(getattr(item, field)) * s**np.array([3] * 3 + [5] * 3))
    for field in ("length", "lead", "radius"):
        if getattr(item, field, None) is not None:
            change[field] = s * getattr(item, field)
    if item.kind in TOUCHING:
        change |= _touching(item, s)
    if item.kind == "event":
        change |= {"when": re.sub(r"(distance < )([\d.]+)", lambda found: f"{found[1]}{s * float(found[2])!r}", item.when),
                   "do": tuple(a | ({"capture": s * a.get("capture", 1e-3)} if "connect" in a else {}) for a in item.do)}
    if item.kind == "prismatic" and item.zero is not None:
        change["zero"] = s * item.zero
    for field in ("profile", "curve"):
        if (curve := getattr(item, field, None)) is not None:
            change[field] = _bent(curve, s)
    if item.kind in ("force", "torque") and not any(isinstance(v, str) for v in item.vector):
        change["vector"] = tuple(s**(4 if item.kind == "force" else 5) * R @ item.vector)
    if item.kind == "drive" and item.coordinate == "displacement":
        change["function"] = f"{s} * ({item.function})"
    return change


def _touching(item, s):
    """Masses grow with the volume; k of k d^p with a force over a length to the p."""
    change = {}
    for field, unit in item.units().items():
        power = parse_unit(unit).dimension[0] + 3 * parse_unit(unit).dimension[1]
        value = getattr(item, field)
        if isinstance(value, (int, float)):
            change[field] = s**power * value
        elif isinstance(value, str):
            change[field] = f"{s**power} * ({value})"
    if getattr(item, "stiffness", None) is not None and not item.units().get("stiffness"):
        length = 0 if getattr(item, "coordinate", "") == "angle" else getattr(item, "exponent", None) or 1.5
        change["stiffness"] = item.stiffness * s**((5 if length == 0 else 4) - length)
    if item.kind == "mass_flow":
        change["mass"] = f"{s**3} * ({item.mass})"
    if isinstance(getattr(item, "force", None), str) and item.kind == "contact":
        change["force"] = f"{s**4} * (" + re.sub(r"\b([xv])\b", rf"(\1/{s})", item.force) + ")"
    if isinstance(stuff := getattr(item, "material", None), dict):
        change["material"] = stuff | {"E": s**2 * stuff["E"]}
    for field in ("surface_a", "surface_b"):
        if (surface := getattr(item, field, None)) is not None:
            change[field] = _scaled(surface, s)
    return change


def _bent(curve, s):
    """Of a curve by an expression, or by points."""
    given = {field: f"{s} * ({text})" for field in ("x", "y", "z", "polar") if (text := getattr(curve, field)) is not None}
    if curve.points is not None:
        given["points"] = s * np.array(curve.points)
    return pl.Curve.model_construct(**{**curve.__dict__, **given})


def _scaled(surface, s):
    sizes = {f: s * v for f in ("radius", "length", "rounding", "crown") if (v := getattr(surface, f)) is not None}
    sizes |= {f: np.array(v) * s for f in ("size", "points") if (v := getattr(surface, f)) is not None}
    return pl.Surface(kind=surface.kind, **sizes)
