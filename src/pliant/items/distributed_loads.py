"""Loads that are spread over a body, in its axes, with a factor that is a function of time and channels."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from .base import Frame, Item, did_you_mean, vector
from .beam_formulations import SECTIONED
from .beams import Beam
from .declarations import Channel, ConstantLoad
from .function_fields import TimeFunction
from .quantities import numbers_with_units

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .bodies import FrameOwner
    from .placing import Placement

    PerLength = tuple[float, float, float]
    CouplePerLength = PerLength
else:
    OWN = "body axes, on a beam those of each section, or with axes: world those of the world"
    PerLength, CouplePerLength = vector("N/m", axes=OWN), vector("N", axes=OWN)
GAUSS = 0.5 - np.sqrt(1 / 12), 0.5 + np.sqrt(1 / 12)  # two points integrate what is quadratic along a line


class SpreadLoad(Item):
    """A load on many points of a body, which turns with it."""
    section: ClassVar[str] = "forces"
    listed: ClassVar[int] = 4
    if TYPE_CHECKING:
        factor: Any

    @model_validator(mode="before")
    @classmethod
    def _plain_factor(cls, value: Any) -> Any:
        return numbers_with_units(value, {"factor": ""})

    def checked(self, layout: ModelCompiler, *frames: Frame) -> str:
        """The body of these frames, if all is well."""
        item = f"{self.kind} {self.name!r}"
        owners = {frame.body: layout.owner(frame, item) for frame in frames}
        for path, message in self.misfits(owners):
            raise ValueError(f"{item}: {path[0]}: {message}")
        return frames[0].body

    def apply(self, layout: ModelCompiler, body: str, table: np.ndarray, shown_at: np.ndarray) -> None:
        """With a ``table`` (1 + n, 6 + n) of force, moment and modal loads at rest and by each modal coordinate, in the axes of the
        equations of the body."""
        from ..families import distributed
        b, place = layout.builder, layout.places[body]
        frame, n = b.bare_frame(place), len(table) - 1
        b.element(distributed.FRAMES, self.name, (place.iq, place.iv, frame, b.frames[frame][1], n, b.shared(table)),
                  (*shown_at, *np.eye(3).ravel()), tiles=place.tiles)
        b.scratch = max(b.scratch, 6 + n)
        self.act_along(layout, [frame])

    def act_along(self, layout: ModelCompiler, frames: Sequence[int]) -> None:
        """The factor acts along frames whose velocity is the power for a factor of one."""
        from ..families import loads, signals
        b, constant = layout.builder, isinstance(self.factor, (int, float))
        ground = b.frame(b.ground, (0, 0, 0))
        code = None if constant else b.function(self.factor, ("t",), f"{self.kind} {self.name!r}: factor")
        ints = (0, 0, -1 if code is None else code.value, -1, -1)
        for frame in frames:
            layout.add_force(self.name, loads.LOAD, frame, ground, ints, (float(self.factor) if constant else 0.0, 0.0, 0.0))
            for slot, derivative in code.by_signal if code else ():
                layout.add_answer(signals.LOAD_ANSWER, self.name, (frame, ground), (*ints, 0), slot, derivative)

    def on_body(self) -> Frame:
        """A place of its body, for pictures."""
        raise NotImplementedError

    def channels(self) -> Iterable[Channel]:
        body = self.on_body().body

        def torque(observer: Any, name: str) -> np.ndarray:
            at, force, moment = self.wrench(observer, name)
            return np.asarray(moment + np.cross(at - observer(f"{body}.position"), force))
        return (Channel("force", "N", 3, lambda observer, name: self.wrench(observer, name)[1]), Channel("torque", "N*m", 3, torque),
                Channel("power", "W", 1, _power), Channel("factor", "", 1, _factor))

    def wrench(self, observer: Any, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A point, the resultant, and the moment about that point over time, in world axes."""
        return _wrench(observer, name)


def _factor(observer: Any, name: str) -> np.ndarray:
    return np.asarray(observer.effort(name, "a")[:, 0].copy())


def _power(observer: Any, name: str) -> np.ndarray:
    from ..families.loads import FA
    s, r = observer.dynamics.system, observer.record(name)
    first = s.families[r.family][0] + r.row
    return np.asarray(_factor(observer, name) * sum(observer.velocity(frame)[:, 0] for frame in s.data.ip[first:first + r.count, FA]))


def _wrench(observer: Any, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Reference point of the body's equations; resultant, and moment about that point: factor R (F(q), M(q)), world axes   [spread-4]"""
    from ..families.distributed import FRAME, FRAMES, IQ, POOL, N
    s, frame = observer.dynamics.system, observer.record(name).a
    e = next(e for e in range(*s.families[FRAMES]) if s.data.ip[e, FRAME] == frame)
    iq, n, pool = (int(s.data.ip[e, k]) for k in (IQ, N, POOL))
    table = s.data.val[pool:pool + (1 + n) * (6 + n)].reshape(1 + n, 6 + n)[:, :6]
    q = observer.parts["q"]
    wrench = _factor(observer, name)[:, None] * (table[0] + q[:, iq + 7:iq + 7 + n] @ table[1:])
    force, moment = (np.einsum("nij,nj->ni", observer.axes(frame), wrench[:, k:k + 3]) for k in (0, 3))
    return q[:, iq:iq + 3], force, moment


class DistributedLoad(SpreadLoad):
    """A load that was named when the part of a flexible body was reduced, ``pl.flex.reduce(..., loads={"wind": ...})``, times a ``factor``:
    a number, an expression of t and of channels such as A.angle_rate, a Table of t, or a callable f(t). It is given in the axes of the
    part, and turns with it."""
    kind: ClassVar[str] = "distributed_load"
    positional: ClassVar[tuple[str, ...]] = ("name", "body", "load", "factor")
    wholes: ClassVar[tuple[str, ...]] = ("body",)
    body: Frame
    load: str
    factor: TimeFunction = 1.0

    def misfits(self, bodies: Mapping[str, FrameOwner]) -> Iterable[tuple[tuple[Any, ...], str]]:
        name, body = self.body.body, bodies[self.body.body]
        if str(self.body) != name or self.body.rotation is not None:
            yield ("body",), f"{str(self.body)!r} is a place on a body; the load is on the whole of it, write {name!r}"
            return
        part = getattr(body, "reduced", None)
        if part is None:
            what = "the ground does not move" if name == "ground" else f"body {name!r} is {'a beam' if body.deforms else 'rigid'}"
            yield ("body",), (f"{what}; a distributed load is of a flexible body, whose part names it. Take line_load (LineLoad) or "
                              "force (Force) for a rigid body")
        elif self.load not in part.loads:
            known = did_you_mean(self.load, part.loads) or "; it has none. Name it when the part is reduced, loads={...}"
            yield ("load",), f"the part of body {name!r} has no load {self.load!r}{known}"

    def on_body(self) -> Frame:
        return self.body

    def build(self, layout: ModelCompiler) -> None:
        body = self.checked(layout, self.body)
        rows = layout.flexible[body][0]
        self.apply(layout, body, rows.load_table(self.load), _centre(rows.spread[self.load].force, rows.spread[self.load].dyad))
        layout.directory.flexible[body].spread[self.name] = self.load

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from ..flex.beams import mesh_beam
        from ..flex.material import STEEL
        from ..flex.reduction import reduce
        from ..flex.section import Section
        from .joints import Fixed
        from .modal import ModalBody
        mesh = mesh_beam([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)], Section.rectangle(0.06, 0.08), STEEL, elements=4)
        part = reduce(mesh, {"start": 0}, modes=2, loads={"wind": {"line": (30.0, "20*x", 50.0), "follows": True}})
        return [ModalBody("flexible", part, damping=0.01), Fixed("J", a, "flexible.start"),
                cls("F", "flexible", "wind", "3*cos(2*t) - flexible.start.velocity.x")]


class LineLoad(SpreadLoad):
    """A load per length [N/m] on a rigid body, along the straight line between two of its frames, or on a beam that deforms far, along
    its axis between two of its places: ``force`` at ``start``, changing evenly to ``force_at_end`` at ``end`` (default: the same), and
    likewise ``moment`` per length to ``moment_at_end``. It turns with the body, on a beam with each section; ``axes="world"``, of beams:
    it keeps its direction. Lengths are those as modelled. ``factor``: a number, an expression of t and of channels, a Table of t, or a
    callable f(t) by which it is multiplied."""
    kind: ClassVar[str] = "line_load"
    positional: ClassVar[tuple[str, ...]] = ("name", "start", "end", "force")
    mirrors: ClassVar[bool] = True
    start: Frame
    end: Frame
    force: PerLength
    force_at_end: PerLength | None = None
    moment: CouplePerLength = (0.0, 0.0, 0.0)
    moment_at_end: CouplePerLength | None = None
    axes: Literal["body", "world"] = "body"
    factor: TimeFunction = 1.0

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Force per length at start and end, and moment."""
        return (np.array([self.force, self.force if self.force_at_end is None else self.force_at_end]),
                np.array([self.moment, self.moment if self.moment_at_end is None else self.moment_at_end]))

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        def moved(key: str, unit: str, axial: bool) -> Any:
            if fields[key] is None:
                return None
            return by.vector(fields[key], unit, axial) if self.axes == "world" else by.local(fields[key], axial)
        keys = {"force": ("N/m", False), "force_at_end": ("N/m", False), "moment": ("N", True), "moment_at_end": ("N", True)}
        return {**super().placed(fields, by), **{key: moved(key, *how) for key, how in keys.items() if key in fields}}

    def misfits(self, bodies: Mapping[str, FrameOwner]) -> Iterable[tuple[tuple[Any, ...], str]]:
        a, b = self.start.body, self.end.body
        if a != b:
            yield ("end",), f"{str(self.end)!r} is on another body than {str(self.start)!r}; a line load is on one body"
        elif a == "ground":
            yield ("start",), "the ground does not move; name two frames of a body"
        elif bodies[a].nodal:
            yield ("start",), (f"body {a!r} is flexible; name the load when its part is reduced, loads={{'wind': {{'line': ...}}}}, and "
                               "apply it with distributed_load (DistributedLoad)")
        elif isinstance(beam := bodies[a], Beam):
            yield from self._beside(beam)
        elif self.axes == "world":
            yield ("axes",), f"a load on the rigid body {a!r} turns with it; one that does not is a force (Force) at the middle of its line"
        elif not np.any(np.subtract(*(bodies[a].place_of(frame)[0] for frame in (self.start, self.end)))):
            yield ("end",), "is where start is; the line has no length"

    def _beside(self, beam: Beam) -> Iterable[tuple[tuple[Any, ...], str]]:
        if beam.formulation not in SECTIONED:
            yield ("start",), f"beam {beam.name!r} is {beam.formulation}, which bears no loads per length; put forces on frames of it"
            return
        for key, frame in (("start", self.start), ("end", self.end)):
            off = float(np.linalg.norm(beam.place_of(frame)[0] - beam.place_of(beam.at(beam.s_of(frame)))[0]))
            if off > 1e-6 * beam.length:
                yield (key,), (f"{str(frame)!r} is {off:.3g} m beside the axis of beam {beam.name!r}; the load is on the axis. Name a "
                               "place along it, and what acts beside it as a moment")
        if abs(beam.s_of(self.start) - beam.s_of(self.end)) < 1e-9:
            yield ("end",), "is where start is; the line has no length"

    def on_body(self) -> Frame:
        return self.start

    def loads(self) -> Iterable[ConstantLoad]:
        factor = float(self.factor) if isinstance(self.factor, (int, float)) else 0.0
        body, turns = Frame(body=self.start.body), self.axes == "body"
        return [ConstantLoad(body, tuple(factor * x for x in vector), unit == "N*m/m", turns, unit)
                for unit, both in zip(("N/m", "N*m/m"), self.ends, strict=True) for vector in dict.fromkeys(map(tuple, both.tolist()))]

    def resultant(self, body: FrameOwner) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Force, moment about the origin of the body, and dyad sum x f^T, in its axes."""
        a, b = (body.place_of(frame)[0] for frame in (self.start, self.end))
        (first, last), couples = self.ends
        length = np.linalg.norm(b - a)
        x = np.array([a + s * (b - a) for s in GAUSS])
        f = np.array([first + s * (last - first) for s in GAUSS]) * length / 2
        return f.sum(axis=0), np.cross(x, f).sum(axis=0) + length * couples.mean(axis=0), x.T @ f

    def build(self, layout: ModelCompiler) -> None:
        name = self.checked(layout, self.start, self.end)
        body = layout.owners[name]
        if isinstance(body, Beam):
            self.act_along(layout, layout.loaded_elements(self, body))
            return
        force, moment, dyad = self.resultant(body)
        com = np.array(getattr(body, "com", (0.0, 0.0, 0.0)))
        table = np.concatenate([force, moment - np.cross(com, force)])[None, :]
        self.apply(layout, name, table, _centre(force, dyad) - com)

    def wrench(self, observer: Any, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self.start.body not in observer.directory.beams:
            return super().wrench(observer, name)
        found = _factor(observer, name)[:, None] * observer.line_load(name)
        return np.zeros(3), found[:, :3], found[:, 3:]

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .bodies import RigidBody
        rod = RigidBody.rod("rod", start=(0.2, 0.1, 0.0), end=(0.5, 0.4, 0.6), mass=2.0)
        return [rod, cls("F", "rod.start", "rod.end", (1.0, -2.0, 3.0), force_at_end=(0.0, 4.0, 1.0),
                         factor="2*cos(3*t) - rod.end.velocity.y")]


def _centre(force: np.ndarray, dyad: np.ndarray) -> np.ndarray:
    """Where a load is shown: the mean of its points, weighted by what they bear along the resultant."""
    return np.asarray(dyad @ force / (force @ force)) if force @ force > 1e-18 * (dyad**2).sum() else np.zeros(3)


