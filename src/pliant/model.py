"""Model: what a person writes. Names and validated items; no numerical state."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ._facade import work_of
from .functions.parameters import check_name, has_expressions
from .functions.parser import parse
from .functions.printable import same_name
from .functions.rewriting import clash
from .items.base import KINDS, AnyAxis, Item, Pair, Vec3, did_you_mean, vector
from .items.bodies import FrameOwner, Ground
from .items.changes import changed_fields
from .items.couplings import JointEquation
from .items.drafts import Draft
from .items.editing import Editable
from .items.errors import ItemError, ModelError
from .items.function_fields import functions
from .items.messages import dotted
from .items.naming import settle
from .items.references import frames_in
from .items.style import Style
from .items.variables import Variable

if TYPE_CHECKING:
    from .analyses.campbell import Campbell
    from .analyses.equilibrium_path import EquilibriumPath
    from .analyses.inverse import PathInversion
    from .analyses.joint_space import JointModel
    from .analyses.modes import Modes
    from .analyses.statics import Static
    from .analyses.transfer import Linear
    from .compile.compiled_model import CompiledModel
    from .diagnosis import Report
    from .items.assemblies import SubAssembly
    from .plot.block_diagram import Diagram
    from .solution import Solution
    from .start.assembly import Assembly

SECTIONS = tuple(KINDS)
PLACING = ("name", "position", "rotation", "mirror", "parameters")  # what a model is added with
AnyItem = TypeVar("AnyItem", bound=Item)


class Model(Editable):
    """A mechanism: bodies, joints, drives, forces, measures and variables by name.

    ``gravity`` [m/s^2] in world axes. ``settings`` are the defaults of ``simulate`` (the entry ``simulate:`` of a text model),
    ``analyses`` those of ``static``, ``path``, ``modes``, ``linearize``, ``inverse`` and ``campbell``, by name.
    ``planar``: all bodies move in planes with this normal (``True``: z; or "x", "y", "z", or three numbers); those that the joints
    do not hold there are held by the program.
    """

    def __init__(self, name: str = "model", gravity: Any = (0.0, 0.0, 0.0), settings: dict[str, Any] | None = None,
                 planar: Any = None) -> None:
        if not isinstance(name, str):
            raise ValueError(f"model: name {name!r} must be a text; gravity is given as gravity=(0, 0, -9.81)")
        self.name = name
        super().__init__()
        self.gravity = gravity
        self.planar = planar
        self.settings = dict(settings or {})
        self.analyses: dict[str, dict[str, Any]] = {}
        self.ground = Ground()
        self.run_of: tuple[Model, Model] | None = None  # of a run: the model it was made from, and how that was
        self.styles: dict[str, Style] = {}  # how items look, by name, or frames ("crank.end")

    @property
    def gravity(self) -> Vec3:
        """Acceleration of free fall [m/s^2], world axes."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        from pydantic import TypeAdapter, ValidationError
        self.gravity_as_written = value if has_expressions(value) else None
        try:
            self._gravity: Vec3 = TypeAdapter(vector("m/s^2")).validate_python(self.resolved(value, "gravity"))
        except ValidationError as error:
            raise ValueError(f"model {self.name!r}: gravity: {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None

    @property
    def planar(self) -> AnyAxis | None:
        """Normal of the planes that all bodies move in: x, y, z or a unit vector; None for a model in space."""
        return self._planar

    @planar.setter
    def planar(self, value: Any) -> None:
        from .compile.planar import normal_of
        try:
            self._planar = normal_of(value)
        except ValueError as error:
            raise ValueError(f"model {self.name!r}: {error}") from None

    @overload
    def add(self, item: AnyItem) -> AnyItem: ...
    @overload
    def add(self, item: Model, **placing: Any) -> SubAssembly: ...

    def add(self, item: Any, **placing: Any) -> Any:
        """Add an item; returns it. What its expressions name must be there: parameters, tables, variables.

        A model is added as a sub-assembly, ``left = m.add(leg, name="left", position=(0, 1, 0), rotation=..., mirror="y")``: copies of all
        its items, called ``left.knee`` and so on, mirrored through the plane across an axis, turned, and moved; ``left["knee"]`` is
        ``m["left.knee"]``. Its ground is that of the model, frames on it go with it. ``parameters`` gives some of its parameters other
        values. Gravity, options and analyses are those of the model."""
        if isinstance(item, Model):
            from .items.assemblies import add_model
            if "name" not in placing:
                raise TypeError(f"model {self.name!r}: a model is added with a name: m.add(leg, name='left')")
            for given in placing.keys() - set(PLACING):
                raise TypeError(f"model {self.name!r}: a model is not added with {given!r}{did_you_mean(given, PLACING)}")
            return add_model(self, item, **placing)
        if placing:
            raise TypeError(f"model {self.name!r}: {', '.join(placing)} can be given for a model that is added, not for an item")
        if isinstance(item, Draft):
            item = item.made(self.values)
        if not isinstance(item, Item):
            raise TypeError(f"model {self.name!r}: {item!r} is not an item; add bodies, joints, drives, forces and measures")
        if taken := self._taken(item.name):
            raise ValueError(f"model {self.name!r}: the name {item.name!r} is taken by {taken}; names are unique")
        if wrong := clash(item.name, self._all()):
            raise ValueError(f"model {self.name!r}: {wrong}")
        self._check_names(item)
        self.items[item.name] = item
        return item

    def _check_names(self, item: Item) -> None:
        """What its expressions name, and the name of a variable."""
        names, where = self.names(), ""
        try:
            if isinstance(item, Variable):
                check_name(item.name, lambda name: "")
            for path, text, variables in functions(item):
                where = f"{dotted(path)}: "
                parse(text, variables, names)
        except ValueError as error:
            raise ItemError(f"{item.kind} {item.name!r}: {where}{error}") from None

    def __getitem__(self, name: str) -> Any:
        if name == "ground":
            return self.ground
        name = same_name(name) if isinstance(name, str) else name
        if name not in self.items and any(n.startswith(f"{name}.") for n in self.items):
            from .items.assemblies import SubAssembly
            return SubAssembly(self, name)
        if name not in self.items:
            raise KeyError(f"model {self.name!r} has no item {name!r}{did_you_mean(name, self.items)}")
        return self.items[name]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items.values())

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.section(s))} {s}" for s in SECTIONS if self.section(s))
        return f"Model({self.name!r}: {counts or 'empty'})"

    def _repr_html_(self) -> str:
        from .report.summaries import model_html
        return model_html(self)

    def section(self, name: str, *, inactive: bool = False) -> list[Item]:
        """Items of one section that are active: bodies, joints, drives, forces, measures or variables; ``inactive``: all of them."""
        return [item for item in self if item.section == name and (item.active or inactive)]

    def copy(self) -> Model:
        """A model with the same items, each copied: what a run keeps, whatever happens to the original."""
        other = Model(self.name, self.gravity, self.settings, self.planar)
        other.parameters, other.tables, other.gravity_as_written = dict(self.parameters), dict(self.tables), self.gravity_as_written
        other.styles = dict(self.styles)
        other.analyses = {name: dict(options) for name, options in self.analyses.items()}
        other.ground = self.ground.model_copy(update={"frames": dict(self.ground.frames)})
        for name, item in self.items.items():
            own = {"frames": dict(item.frames)} if isinstance(item, FrameOwner) and "frames" in item.model_fields_set else {}
            other.items[name] = item.model_copy(update=own)
        return other

    def replace(self, name: str, *, formulation: str) -> Model:
        """A copy of the model in which a beam has another formulation; joints, forces and channels have the names that they had. This model
        stays as it is. ``m.replace("boom", formulation="modal").simulate(1.0)``"""
        if not hasattr(self[name], "formulation"):
            told = self._told(name) if name in self.items else f"sub-assembly {name!r}"
            beams = [n for n, item in self.items.items() if hasattr(item, "formulation")]
            raise ModelError(f"model {self.name!r}: {told} is no beam, which alone has several formulations{did_you_mean(name, beams)}")
        other = self.copy()
        other[name].formulation = formulation
        return other

    def for_run(self) -> Model:
        """A copy that a run keeps; it remembers whose it is, and how it was."""
        other = self.copy()
        other.run_of = self, self.copy()
        return other

    def changes(self) -> list[str]:
        """What was changed in the model of a run, or in the one that it was made from, since the run began; in words."""
        if self.run_of is None:
            return []
        (made_from, as_it_was), found = self.run_of, list[str]()
        for now in (self, made_from):
            found += [name for name in ("gravity", "planar") if getattr(now, name) != getattr(as_it_was, name)]
            for what in ("parameter", "table"):
                a, b = getattr(as_it_was, f"{what}s"), getattr(now, f"{what}s")
                found += [f"{what} {name!r}" for name in {**a, **b} if name not in a or name not in b or a[name] != b[name]]
            found += [f"{name!r} was added" for name in now.items if name not in as_it_was.items]
            for name, item in as_it_was.items.items():
                if name not in now.items:
                    found.append(f"{name!r} was removed")
                else:
                    found += [f"{field} of {name!r}" for field in changed_fields(item, now.items[name])]
        return list(dict.fromkeys(found))

    def compile(self, *, exact: bool = False) -> CompiledModel:
        """Flat arrays. ``exact``: with all geometric blocks in the tangent (for tests and statics)."""
        from .compile.compiled_model import announce_compilation
        announce_compilation()
        settle(self.items)
        self.refuse_inactive()
        if not self.section("bodies"):
            raise ModelError(f"model {self.name!r} has no bodies; add at least one")
        try:
            placed, free = self._placed()
            dynamics = self._build([self.ground, *self.section("bodies"), *self._joints(), *self.section("drives"),
                                    *self.section("measures"), *self.section("forces"), *self.section("variables"),
                                    *self.section("blocks"), *self.brought()], exact, placed)
        except ModelError:
            raise
        except ValueError as error:
            raise ModelError(str(error)) from error
        dynamics.model, dynamics.unplaced = self, free
        return dynamics

    def brought(self) -> list[Item]:
        """What short words of items stand for, such as the limits of a joint."""
        return [inner for item in self if item.active for inner in item.brings()]

    def _joints(self) -> list[Item]:
        """Those between bodies, then those between joints."""
        return sorted(self.section("joints"), key=lambda j: isinstance(j, JointEquation))

    def _build(self, items: list[Item], exact: bool, placed: dict[str, Any]) -> CompiledModel:
        from .compile.compiled_model import CompiledModel
        from .compile.model_compiler import ModelCompiler
        from .compile.planar import normal_vector
        owners = {item.name: item for item in items if isinstance(item, FrameOwner)}
        sliding = Counter(body for item in items if isinstance(item, Pair) for body in item.slides_on())
        layout = ModelCompiler(self.gravity, owners, exact, placed, sliding, self.names())
        for item in items:
            for frame in frames_in(item):
                layout.used.setdefault(frame.body, []).append((frame, item.section in ("joints", "forces")))
        layout.add(owners.values())
        named = {item.name: item for item in items}
        try:
            items = [item.completed(layout, named) for item in items]
        except ValueError as error:
            raise error if isinstance(error, ModelError) else ModelError(str(error)) from None
        layout.declare(items)
        layout.add(item for item in items if item.name not in owners)
        if self.planar is not None:
            layout.hold_in_planes(normal_vector(self.planar))
        return CompiledModel(layout.system(), layout.directory)

    def _placed(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Poses of bodies without a stated place that their joints give them, and the names of all such bodies."""
        from .start.assembly import place, unplaced
        joints = [j for j in self._joints() if isinstance(j, Pair) and not j.as_modelled and getattr(j, "connected", True)]
        jointed = {end.body for j in joints for end in (j.a, j.b)}
        bodies = {b.name: left for b in self.section("bodies") if b.name in jointed and (left := unplaced(b))[0]}
        if not bodies:
            return {}, ()
        return place(self._build([self.ground, *self.section("bodies"), *joints], False, {}), bodies), tuple(bodies)

    def assemble(self) -> Assembly:
        """How the mechanism fits together at the start: what was moved, and by how much. Every analysis begins with it; the model
        itself stays as it is. ModelError if it does not fit; its ``assembly`` is the nearest pose."""
        from .compile.out_of_plane import refuse_out_of_plane
        from .start.assembly import start_row
        dynamics = self.copy().compile()
        refuse_out_of_plane(self, dynamics)
        start_row(dynamics)
        assert dynamics.assembly is not None
        return dynamics.assembly

    def check(self) -> Report:
        """Degrees of freedom, redundant and conflicting joints, and what looks wrong, before anything runs. ``print(m.check())``"""
        return work_of("Model.check")(self)

    def simulate(self, duration: Any = None, **options: Any) -> Solution:
        """Simulate ``duration`` seconds; see `pliant.simulation.simulate` for the options."""
        from .methods.run_options import OPTIONS
        known = (*OPTIONS, "progress")
        for name in options:
            if name not in known:
                raise ModelError(f"simulate: unknown option {name!r}{did_you_mean(name, known)}")
        return work_of("Model.simulate")(self, duration, **options)

    def static(self, *, load_steps: int | None = None, tolerance: float | None = None) -> Static:
        """The equilibrium near the assembled pose; see `pliant.analyses.statics.static`."""
        return work_of("Model.static")(self, load_steps, tolerance)

    def path(self, loads: Any = None, *, until: Any = None, stride: Any = None, points: int | None = None,
             progress: Any = True) -> EquilibriumPath:
        """Equilibria as the loads grow, and fall where they must; see `pliant.analyses.equilibrium_path.path`."""
        return work_of("Model.path")(self, loads, until, stride, points, progress)

    def modes(self, n: int | None = None, state: Any = None) -> Modes:
        """Frequencies, damping and shapes of small motions about a state; see `pliant.analyses.modes.modes`."""
        return work_of("Model.modes")(self, n, state)

    def linearize(self, inputs: list[str] | None = None, outputs: list[str] | None = None, state: Any = None) -> Linear:
        """x' = A x + B u, y = C x + D u about a state; see `pliant.analyses.transfer.linearize`."""
        return work_of("Model.linearize")(self, inputs, outputs, state)

    def inverse(self, wanted: Any = None, inputs: Any = None, duration: Any = None, tolerance: float | None = None) -> PathInversion:
        """Inputs and motion that make outputs follow what is wanted; see `pliant.analyses.inverse.inverse`."""
        return work_of("Model.inverse")(self, wanted, inputs, duration, tolerance)

    def campbell(self, speeds: Any = None, n: int | None = None, about: str | None = None, progress: Any = True) -> Campbell:
        """Frequencies over the speed of rotation; see `pliant.analyses.campbell.campbell`."""
        return work_of("Model.campbell")(self, speeds, n, about, progress)

    def joint_space(self, cut: str = "") -> JointModel:
        """The model in joint coordinates: kinematics, Jacobians, inverse dynamics; see `pliant.analyses.joint_space.JointModel`."""
        return work_of("Model.joint_space")(self, cut)

    def summary(self) -> str:
        """Masses, centres of mass, inertias and joints as a text table."""
        from .report.summaries import summary
        return summary(self)

    def diagram(self, path: str | Path | None = None) -> Diagram:
        """Who reads what: blocks, drives, sensors and the mechanism as boxes, signals as arrows; a picture (.svg, .png, .pdf) if ``path``
        is given. ``print(m.diagram())``"""
        return work_of("Model.diagram")(self, path)

    def save(self, path: str | Path) -> None:
        """Write the model as YAML."""
        work_of("Model.save")(self, path)
