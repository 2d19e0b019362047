"""Flexible bodies in a floating frame: a reduced part placed in the world."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PrivateAttr, WithJsonSchema, model_validator

from ..functions.field_error import FieldError
from ..functions.units import must, quantity, shown
from ..kernels.eigenspaces import canonical
from .adaptive import AdaptiveModes
from .base import (
    IDENTITY,
    AngularVelocity,
    Frame,
    FrameName,
    Item,
    Place,
    Point,
    Rotation,
    Velocity,
    did_you_mean,
    matrix_of,
    quaternion_of,
)
from .bodies import FrameOwner
from .declarations import Channel
from .quantities import BODY, WORLD

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from ..flex.reduced import Reduced

NEAR = 1e-6  # a point is at a node if it is nearer than this part of the body's size


def _ratios(value: Any) -> Any:
    """Damping: a ratio, one for every mode, or Rayleigh's two numbers."""
    rule = "must be a ratio such as 0.01, a list of one for every mode, or {mass: a [1/s], stiffness: b [s]}"
    if isinstance(value, Mapping):
        if not value or not set(value) <= {"mass", "stiffness"}:
            raise ValueError(must(dict(value), rule))
        out: Any = {k: quantity(v, {"mass": "1/s", "stiffness": "s"}[k]) for k, v in value.items()}
        numbers = list(out.values())
    elif isinstance(value, (list, tuple, np.ndarray)):
        out = tuple(quantity(float(v) if isinstance(v, np.generic) else v, "") for v in value)
        numbers = list(out)
    else:
        out = quantity(float(value) if isinstance(value, np.generic) else value, "")
        numbers = [out]
    if any(x < 0 for x in numbers):
        raise ValueError(f"{shown(value)} must not be negative")
    return out


def _coordinates(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): quantity(v, "") for k, v in value.items()}
    if isinstance(value, str) or not isinstance(value, (Sequence, np.ndarray)):
        raise ValueError(must(value, "must be a list of numbers, one for every modal coordinate, or a mapping of their names to numbers"))
    return tuple(quantity(float(v) if isinstance(v, np.generic) else v, "") for v in value)


def _switch(value: Any) -> Any:
    return {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value


_NUMBER = {"type": ["number", "string"]}
_LIST = {"type": "array", "items": _NUMBER}
if TYPE_CHECKING:
    Damping = Any
    Coordinates = Any
else:
    Damping = Annotated[Any, BeforeValidator(_ratios), WithJsonSchema({
        "anyOf": [_NUMBER, _LIST, {"type": "object", "properties": {"mass": _NUMBER, "stiffness": _NUMBER}, "additionalProperties": False}],
        "description": "ratio, ratios of all modes, or Rayleigh's {mass: a, stiffness: b}"})]
    Coordinates = Annotated[Any, BeforeValidator(_coordinates), WithJsonSchema({
        "anyOf": [_LIST, {"type": "object", "additionalProperties": _NUMBER}], "description": "modal coordinates, all or by name"})]
Part = Annotated[Any, WithJsonSchema({"type": "string", "description": "file of a reduced part, seen from the folder of the model"})]


class ModalBody(FrameOwner):
    """A flexible body: a reduced part (``pl.flex.reduce``, or its file) in a floating frame.

    ``position`` and ``rotation`` place the undeformed part; ``velocity`` is that of its origin in world axes, ``angular_velocity`` in
    body axes. Its frames are the interfaces of the part. ``modal`` and ``modal_rate`` are its coordinates and rates at the start
    (default zero). ``damping``: a ratio for all modes, a list of ratios, or {mass: a, stiffness: b}; ``stiffening``: whether pulling
    and spinning stiffen it, as the part knows. ``adaptive``: a displacement [m], or `AdaptiveModes`: modes that would be displaced by less
    are left out during a run.
    """
    section: ClassVar[str] = "bodies"
    kind: ClassVar[str] = "modal"
    nodal: ClassVar[bool] = True
    positional: ClassVar[tuple[str, ...]] = ("name", "reduced", "position", "rotation", "velocity", "angular_velocity")
    reduced: Part
    position: Annotated[Point, WORLD] = (0.0, 0.0, 0.0)
    rotation: Annotated[Rotation, WORLD] = IDENTITY
    velocity: Annotated[Velocity | None, WORLD] = None
    angular_velocity: Annotated[AngularVelocity | None, BODY] = None
    modal: Coordinates | None = None
    modal_rate: Coordinates | None = None
    damping: Damping = 0.0
    stiffening: Annotated[Literal["on", "off"], BeforeValidator(_switch)] = "on"
    adaptive: AdaptiveModes | None = None
    frames: dict[FrameName, Place] = Field(default_factory=dict, exclude=True)
    _file: str | None = PrivateAttr(None)
    com: ClassVar[tuple[float, float, float]] = (0.0, 0.0, 0.0)  # the reference point is the origin

    @model_validator(mode="after")
    def _check(self) -> ModalBody:
        part = self.reduced
        if isinstance(part, (str, Path)):
            object.__setattr__(self, "_file", str(part))
            self.__dict__["reduced"] = part = _loaded(Path(part))
        elif not hasattr(part, "integrals"):
            raise FieldError("reduced", must(part, "must be a reduced part, as from pl.flex.reduce, or its file"))
        nodes = part.nodes | {line: part.nodes[names[0]] for line, names in part.lines.items()}  # a line begins at its first node
        own = {name: Place(point=tuple(node.u0), rotation=quaternion_of(node.A0)) for name, node in nodes.items()}
        if "frames" in self.model_fields_set:
            raise FieldError("frames", "the frames of a modal body are the interfaces of its part; "
                             "name them when it is reduced")
        self.__dict__["frames"] = own
        for field in ("modal", "modal_rate"):
            self._values(field)
        if isinstance(self.damping, tuple) and len(self.damping) != part.n:
            raise FieldError("damping", f"{len(self.damping)} ratios, must be {part.n}, one for every modal coordinate")
        if self.adaptive is not None:
            self.adaptive.check(part, self.size)
        return self

    def _values(self, field: str) -> np.ndarray:
        """Modal coordinates or rates at the start, of all modes."""
        given, names = getattr(self, field), self.reduced.names
        if given is None:
            return np.zeros(len(names))
        if isinstance(given, Mapping):
            for name in given:
                if name not in names:
                    raise FieldError(field, f"there is no modal coordinate {name!r}{did_you_mean(name, names)}")
            return np.array([given.get(name, 0.0) for name in names])
        if len(given) != len(names):
            raise FieldError(field, f"{len(given)} numbers, must be {len(names)}, one for every modal coordinate")
        return np.array(given)

    # -- as rigid bodies have them
    @property
    def mass(self) -> float:
        return float(self.reduced.integrals.m)

    @property
    def center(self) -> np.ndarray:
        """Centre of mass of the undeformed part [m], body axes."""
        return np.asarray(self.reduced.integrals.c0) / self.mass

    @property
    def inertia_matrix(self) -> np.ndarray:
        """Of the undeformed part about its centre of mass, body axes [kg m^2]."""
        c = self.center
        return np.asarray(self.reduced.integrals.J0) - self.mass * ((c @ c) * np.eye(3) - np.outer(c, c))

    @property
    def size(self) -> float:
        """The largest distance of a node from the centre of mass, or of its mass on average [m]."""
        spread = float(np.sqrt(max(np.trace(self.inertia_matrix), 0.0) / 2 / self.mass))
        return max([spread, *(float(np.linalg.norm(node.u0 - self.center)) for node in self.reduced.nodes.values())]) or 1.0

    def node_of(self, frame: Frame) -> str | None:
        """The node of a frame: by name, or by its place; None for the body's own frame."""
        frame = self.local(frame)
        if frame.frame or (frame.point is None and frame.rotation is None):
            return self.reduced.lines[frame.frame][0] if frame.frame in self.reduced.lines else frame.frame
        point = np.array(frame.point if frame.point is not None else (0.0, 0.0, 0.0))
        near = {name: float(np.linalg.norm(node.u0 - point)) for name, node in self.reduced.nodes.items() if name not in self.along}
        best = min(near, key=lambda name: near[name], default=None)
        if best is None or near[best] > NEAR * self.size:
            nearest = f"the nearest, {best!r}, is {1e3 * near[best]:.4g} mm away" if best else "it has none"
            raise ValueError(f"body {self.name!r} has no node at ({', '.join(f'{x:g}' for x in point)}): {nearest}. A flexible body is "
                             "held and loaded at its interfaces; add one there when the part is reduced")
        return best

    @property
    def along(self) -> set[str]:
        """Nodes of lines: they have channels only where something acts on them by name."""
        return {node for line in self.reduced.lines.values() for node in line}

    def damping_matrix(self) -> np.ndarray:
        """What ``damping`` and the part itself give, of the part's coordinates.                          [modal-9]"""
        part = self.reduced
        M, K = np.asarray(part.integrals.Mqq), np.asarray(part.Kqq)
        own = np.zeros_like(K) if part.Dqq is None else np.asarray(part.Dqq)
        if isinstance(self.damping, Mapping):
            return np.asarray(own + self.damping.get("mass", 0.0) * M + self.damping.get("stiffness", 0.0) * K)
        if not np.any(self.damping) or not part.n:
            return own
        from scipy.linalg import eigh
        squares, shapes = eigh(K, M)
        shapes = canonical(squares, shapes)  # modes of one frequency may have several ratios
        ratios = np.broadcast_to(np.asarray(self.damping, float), squares.shape)
        return np.asarray(own + (M @ shapes * (2 * ratios * np.sqrt(np.maximum(squares, 0.0)))) @ (M @ shapes).T)

    def plain(self) -> dict[str, Any]:
        data, given = super().plain(), self.model_fields_set
        if self._file is None:
            raise FieldError("reduced", f"the part of body {self.name!r} is in memory only; save it, "
                             f"r.save('{self.name}.h5'), and give the file")
        data["reduced"] = self._file
        for field in ("position", "rotation"):
            if field in given and (field == "position" or "position" not in given):
                data.setdefault(field, list(getattr(self, field)))
        for field in ("modal", "modal_rate", "damping"):
            if isinstance(data.get(field), tuple):
                data[field] = list(data[field])
        return data

    def channels(self) -> Iterable[Channel]:
        n = self.reduced.n
        return Channel("modal", "", n, _modal), Channel("modal_rate", "1/s", n, _modal_rate)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from ..flex.beams import mesh_beam
        from ..flex.material import STEEL
        from ..flex.reduction import reduce
        from ..flex.section import Section
        ends = (0.0, 0.0, 0.0), (2.0, 0.0, 0.0)
        mesh = mesh_beam(list(ends), Section.rectangle(0.06, 0.08), STEEL, elements=8)
        line = {"line": {"from": ends[0], "to": ends[1]}}
        part = reduce(mesh, {"start": ends[0], "end": ends[1]}, modes=2, lines=line)
        return [cls("flexible", part, damping=0.01)]

    # -- compilation
    def build(self, layout: ModelCompiler) -> None:
        self.place(layout)
        layout.add_marker(self.name, self.as_frame())
        for name in [name for name in self.frames if name not in self.along]:
            layout.add_marker(f"{self.name}.{name}", self[name])

    def place(self, layout: ModelCompiler) -> None:
        """Its rows, without its frames."""
        from .modal_rows import Rows
        rows, place = Rows(self), layout.builder.place
        position, turned = layout.placed.get(self.name, (np.array(self.position), self.rotation))
        v, w = np.array(self.velocity or (0.0, 0.0, 0.0)), np.array(self.angular_velocity or (0.0, 0.0, 0.0))
        q, rate = rows.scale * self._values("modal"), rows.scale * self._values("modal_rate")
        p, R, v, w = rows.start(position, matrix_of(turned), v, w, q, rate)
        sliding = layout.sliding.get(self.name, [])
        here = place(self.name, (*p, *(quaternion_of(R) if q.any() else turned), *q), (*v, *w, *rate), rows.frame_maker(layout),
                     len(sliding))
        rows.add(layout.builder, here)
        layout.flexible[self.name] = rows, sliding
        layout.add_body(self, here, position, matrix_of(turned), (v, w))
        layout.add_flexible(self, here, rows)


def _modal(observer: Any, name: str) -> np.ndarray:
    body = observer.directory.flexible[name]
    return np.asarray(observer.parts["q"][:, body.iq:body.iq + body.scale.size] / body.scale)


def _modal_rate(observer: Any, name: str) -> np.ndarray:
    body = observer.directory.flexible[name]
    return np.asarray(observer.parts["v"][:, body.iv:body.iv + body.scale.size] / body.scale)


@lru_cache(maxsize=16)
def _read(file: str, changed: int, size: int) -> Reduced:
    """A part is read once, as long as its file stays the same."""
    from ..flex.reduced import Reduced
    return Reduced.load(file)


def _loaded(file: Path) -> Reduced:
    try:
        if file.is_file():
            found = file.stat()
            return _read(str(file.absolute()), found.st_mtime_ns, found.st_size)
        wrong = "is not a file" if file.exists() else "not found"
    except OSError as error:
        raise FieldError("reduced", f"file {shown(str(file))} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise FieldError("reduced", str(error)) from None
    raise FieldError("reduced", f"file {shown(str(file))} {wrong}")


