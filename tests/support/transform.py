"""The same mechanism elsewhere, of another size, in another order."""
import numpy as np

import pliant as pl
from pliant.compile.planar import normal_vector
from pliant.items.base import Frame, Place, matrix_of, quaternion_of
from pliant.items.rotations import product, written_as


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


def _body(b, R, s):
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
    if item.kind in ("force", "torque") and not any(isinstance(v, str) for v in item.vector):
        change["vector"] = tuple(s**(4 if item.kind == "force" else 5) * R @ item.vector)
    if item.kind == "drive" and item.coordinate == "displacement":
        change["function"] = f"{s} * ({item.function})"
    return change
