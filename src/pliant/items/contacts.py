"""Contacts between bodies that push, rub and give back what is asked of them. docs/contact.md, docs/theory/contact.md"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import PrivateAttr, model_validator

from ..functions.channels import channels
from ..functions.expression import ZERO
from ..functions.field_error import FieldError
from ..functions.parameters import has_expressions
from ..functions.parser import parse
from ..functions.units import must, quantity
from .base import Frame, Item, Pair, number
from .contact_channels import CHANNELS
from .contact_damping import LEAST, NAMED, damping_of
from .contact_materials import Stuff, moduli
from .declarations import VALUES, Channel, State, Told
from .function_fields import ForceLaw
from .joints import perpendicular_frame
from .quantities import numbers_with_units
from .rigid_limits import RIGID, add_rigid_contact, wrong_for_rigid
from .surfaces import WORDS, Side, Surface, own_surface
from .touched_lines import PLACE, TUBE, add_foot, check_law_of_lines, check_lines

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler

    Plain = float
    Positive = float
    NotNegative = float
    Speed = float
    Length = float
    Reach = float
    Damper = float
    PerSpeed = float
    PerLength = float
else:
    Plain, Positive, NotNegative = number(""), number("", positive=True), number("", least=0.0)
    Speed, Length, Reach = number("m/s", positive=True), number("m", positive=True), number("m", least=0.0)
    Damper, PerSpeed, PerLength = number("N*s/m", least=0.0), number("s/m", least=0.0), number("1/m", positive=True)

MOST_BRISTLES = 64                # points of a contact
HERTZ = 1.5                       # exponent of round bodies
DAMPED = 0.7                      # part of the critical damping of bristles under the weight of what they carry
GRAVITY = 9.81                    # m/s^2: of that weight
FADES = 0.5                       # of the slip at which that damping alone would reach the friction limit: from there on it fades
STICK = 1e-4                      # of the radius: how far bristles give before they slip
TURN_SPEED = 0.01                 # rad/s: below that rolling and spinning resistance fade
TIME_AND_DEPTH = "is a function of t, x and v alone; channels cannot be used in it"
LAWS = ("restitution", *NAMED, "linear", "impact")
MODELS = ("bristle", "lugre", "regularised")


def _senses(force: str) -> bool:
    """Whether a law uses channels; one with names of the model is looked at when it is compiled."""
    try:
        return bool(channels(parse(force, ("t", "x", "v"))))
    except ValueError:
        return False


class Contact(Pair):
    """Two bodies that touch: ``a`` and ``b`` with ``surface_a`` and ``surface_b``. A body made as a sphere has its surface, the ground a
    plane, whose outward normal is z of the frame; a line of a flexible body, "boom.rail", is the middle of a tube.

    They push with F(x, v) of depth and its rate, by ``law`` "restitution": k x^p (1 + a v), never pulling, with a such that
    ``restitution`` (0.5) is what a free body has; ``stiffness`` k [N/m^p] and ``exponent`` p, or Hertz's law of the materials
    ``material_a`` and ``material_b`` (``material``: of both). What comes slower than ``slow`` [m/s] is damped as if it had come with
    that. Laws of the literature: "lankarani-nikravesh", "flores", "hunt-crossley"; "linear", k x + ``damping`` v; "impact", k x^p with
    ``damping`` that grows from none to all over the depth ``ramp`` [m]. ``force``: an expression of x and v instead.

    ``law`` "rigid": nothing is compressed. An impact takes no time and gives back ``restitution`` (0) of the speed, and of the slip
    ``tangential_restitution`` (0); what touches at the same instant shares one impact, "simultaneous", "sequential" or by "poisson"
    (``impacts``). What is in touch slides with ``friction`` or sticks, exactly.

    ``friction``: the coefficient when it slips, ``static`` that before it does, ``stribeck_speed`` [m/s] between the two, ``viscous``
    [s/m] what comes with slip. ``friction_model`` "bristle" sticks without creep, after an elastic slip of ``stick_length`` [m]; "lugre"
    (both with ``bristle_stiffness`` [1/m] and ``bristle_damping`` [s/m] per unit of normal force, if these are stated); "regularised" has
    no stick: it is viscous below ``slip_speed`` [m/s]. ``rolling`` and ``spinning`` [m]: moments that resist, over the normal force."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "contact"
    listed: ClassVar[int] = 4
    mirrors: ClassVar[bool] = False
    surface_a: Surface | None = None
    surface_b: Surface | None = None
    law: Literal["restitution", "lankarani-nikravesh", "flores", "hunt-crossley", "linear", "impact", "rigid"] = "restitution"
    restitution: Plain | None = None
    stiffness: Positive | None = None
    exponent: Positive | None = None
    material: Stuff | None = None
    material_a: Stuff | None = None
    material_b: Stuff | None = None
    damping: Damper | None = None
    ramp: Length | None = None
    force: ForceLaw | None = None
    slow: Speed = 0.01
    tangential_restitution: Plain | None = None
    impacts: Literal["simultaneous", "sequential", "poisson"] = "simultaneous"
    friction: NotNegative = 0.0
    static: NotNegative | None = None
    stribeck_speed: Speed | None = None
    viscous: PerSpeed = 0.0
    friction_model: Literal["bristle", "lugre", "regularised"] = "bristle"
    slip_speed: Speed | None = None
    stick_length: Length | None = None
    bristle_stiffness: PerLength | None = None
    bristle_damping: PerSpeed | None = None
    rolling: Reach = 0.0
    spinning: Reach = 0.0
    _parts: tuple[Any, ...] = PrivateAttr(())
    _sides: tuple[Side, ...] = PrivateAttr(())

    @model_validator(mode="before")
    @classmethod
    def _stiff(cls, value: Any) -> Any:
        """N/m is the stiffness of a linear law alone."""
        if not isinstance(value, dict) or not isinstance(given := value.get("stiffness"), str) or has_expressions(given):
            return value
        if value.get("law") == "linear" or value.get("exponent") in (1, "1"):
            return numbers_with_units(value, {"stiffness": "N/m"})
        try:
            quantity(given, "")
        except ValueError:
            p = value.get("exponent", HERTZ)
            raise FieldError("stiffness", must(given, f"must be a plain number, in N/m^{p}; one in N/m has exponent 1")) from None
        return value

    def units(self) -> dict[str, str]:
        return super().units() | ({"stiffness": "N/m"} if self.law == "linear" or self.exponent == 1 else {})

    @model_validator(mode="after")
    def _check(self) -> Contact:
        if self.law == RIGID:
            wrong_for_rigid(self)
        else:
            self._check_law()
        self._check_friction()
        check_law_of_lines(self)
        if self.a.body == self.b.body:
            raise FieldError("b", f"both surfaces are on {self.a.body!r}; a contact is between two bodies")
        return self

    def _check_law(self) -> None:
        for field in {"tangential_restitution", "impacts"} & self.model_fields_set:
            raise FieldError(field, 'is of a rigid contact; leave it out, or write law="rigid"')
        if self.restitution is not None and not LEAST <= self.restitution <= 1:
            raise FieldError("restitution", f"{self.restitution:g} must be from {LEAST:g} to 1")
        if self.exponent is not None and not 1 <= self.exponent <= 3:
            raise FieldError("exponent", f"{self.exponent:g} must be from 1, a linear spring, to 3")
        own = {"linear": ("damping",), "impact": ("damping", "ramp")}.get(self.law, ())
        for field in ("damping", "ramp"):
            if getattr(self, field) is not None and (field not in own or self.force is not None):
                laws = "linear or impact" if field == "damping" else "impact"
                raise FieldError(field, f"belongs to the law {laws}; leave it out, or take that law")
            if field in own and getattr(self, field) is None and self.force is None:
                raise FieldError(field, f"is missing; the law {self.law} needs it")
        given = [f for f in ("restitution", "stiffness", "exponent", "material", "material_a", "material_b")
                 if getattr(self, f) is not None]
        if self.force is not None and given:
            raise FieldError(given[0], "has no meaning beside force, which is the whole law; leave one of them out")
        if own and self.restitution is not None:
            raise FieldError("restitution", f"the law {self.law} has a damping in its place; leave one of them out")
        if self.law == "linear" and self.exponent not in (None, 1.0):
            raise FieldError("exponent", f"{self.exponent:g} must be 1, or be left out, for the law linear")
        if self.stiffness is not None and (stuff := [f for f in given if f.startswith("material")]):
            raise FieldError(stuff[0], "stiffness is given as well; leave one of them out")
        if self.force is None and self.stiffness is None and not (self.material or (self.material_a and self.material_b)):
            raise FieldError("stiffness", "is missing; give it [N/m^p], or a material such as steel for the law of Hertz")

    def _check_friction(self) -> None:
        if self.static is not None and self.static < self.friction:
            raise FieldError("static", f"{self.static:g} must be at least friction, {self.friction:g}")
        if self.law == RIGID:
            return
        if self.static is not None and self.stribeck_speed is None and self.static > self.friction:
            raise FieldError("stribeck_speed", "is missing; with static it says at which slip [m/s] friction has come down")
        if self.stribeck_speed is not None and self.static is None:
            raise FieldError("stribeck_speed", "is the slip [m/s] at which friction has come down from static; give static as well")
        regularised = self.friction_model == "regularised"
        if regularised and self.slip_speed is None:
            raise FieldError("slip_speed", "is missing; regularised friction is viscous below it")
        if not regularised and self.slip_speed is not None:
            raise FieldError("slip_speed", "belongs to friction_model regularised; leave it out, or take that model")
        for field in ("stick_length", "bristle_stiffness", "bristle_damping"):
            if regularised and getattr(self, field) is not None:
                raise FieldError(field, "regularised friction has no bristles; leave it out")
        if self.stick_length is not None and self.bristle_stiffness is not None:
            raise FieldError("stick_length", "bristle_stiffness is given as well; leave one of them out")

    # -- what it is made of
    def look_around(self, bodies: Mapping[str, Any]) -> None:
        if any(frame.body not in bodies for frame in (self.a, self.b)):
            return  # building it says so
        try:
            self._look(bodies)
        except ValueError as error:
            raise ValueError(f"contact {self.name!r}: {error}") from None

    def misfits(self, bodies: Mapping[str, Any]) -> Iterable[tuple[tuple[Any, ...], str]]:
        """What is wrong with its surfaces, and materials that give no stiffness."""
        tried = self.model_copy()  # what it finds is not kept: two readings of a text are equal
        try:
            tried._look(bodies)
            if self.law != RIGID and self.force is None:
                tried.spring()
            if isinstance(self.force, str) and _senses(self.force):
                raise FieldError("force", TIME_AND_DEPTH)
        except FieldError as error:
            yield error.path, error.rule
        except ValueError as error:
            yield (), str(error)

    def _look(self, bodies: Mapping[str, Any]) -> None:
        check_lines(self, bodies)
        sides = []
        for frame, field in ((self.a, "surface_a"), (self.b, "surface_b")):
            stated = getattr(self, field)
            side = Side(stated) if stated is not None else own_surface(frame, bodies)
            if side is None:
                raise FieldError(field, f"is missing; {str(frame)!r} has no shape that tells it; write for example "
                                 "Surface.sphere(radius), in a text {kind: sphere, radius: 20 mm}")
            sides.append(side)
        self._take(tuple(sides))

    def _take(self, sides: tuple[Side, ...]) -> None:
        """The elementary pairs of two surfaces."""
        from ..kernels.gaps.shapes import parts
        one, two = (side.surface for side in sides)
        for inner, outer in ((one, two), (two, one)):
            if outer.kind in ("hollow_sphere", "bore") and inner.radius is not None and not inner.radius < (outer.radius or 0.0):
                raise ValueError(f"{WORDS[inner.kind]} of radius {inner.radius:g} m does not fit into {WORDS[outer.kind]} of "
                                 f"{outer.radius:g} m")
        self._parts, self._sides = tuple(parts(one.shape, two.shape)), sides
        if self._bristles and len(self._parts) > MOST_BRISTLES:
            raise FieldError("friction_model", f"{WORDS[one.kind]} and {WORDS[two.kind]} have {len(self._parts)} points, bristles at most "
                             f"{MOST_BRISTLES}; take friction_model regularised")

    @property
    def _bristles(self) -> bool:
        return self.law != RIGID and self.friction_model != "regularised" and (self.friction > 0 or (self.static or 0.0) > 0)

    def states(self) -> Iterable[State]:
        count = 2 * len(self._parts) if self._bristles else 0
        return [State(f"bristle_{k + 1}", "m", ZERO, 0.0, self._stick_length()) for k in range(count)]

    def _radius(self) -> float:
        """1 / (1/R_A + 1/R_B); inf where it is not the same everywhere"""
        bends = [side.surface.bend for side in self._sides]
        curvature = sum(1 / bend for bend in bends if bend is not None)
        return 1 / curvature if curvature > 0 and None not in bends else inf

    @property
    def size(self) -> float:
        """A length [m] of the smaller of its surfaces, as far as it has one."""
        size = min(side.surface.extent for side in self._sides)
        return size if size < inf else 1.0

    def _stick_length(self) -> float:
        mu = max(self.static or 0.0, self.friction)
        if self.bristle_stiffness is not None:
            return mu / self.bristle_stiffness
        return self.stick_length or STICK * self.size

    def spring(self) -> tuple[float, float]:
        """k and p; of materials by Hertz                                                                  [law-2]"""
        p = 1.0 if self.law == "linear" else HERTZ if self.exponent is None else self.exponent
        if self.stiffness is not None:
            return self.stiffness, p
        if p != HERTZ:
            raise FieldError("stiffness", "is missing; materials give that of Hertz's law alone, with exponent 1.5")
        radius = self._radius()
        if radius == inf:
            kinds = " and ".join(WORDS[s.surface.kind] for s in self._sides)
            raise FieldError("stiffness", f"is missing; of {kinds} materials do not give it")
        soft = sum((1 - nu**2) / E for E, nu in map(moduli, (self.material_a or self.material, self.material_b or self.material)))
        return 4 / 3 / soft * sqrt(radius), p

    def damping_factor(self) -> float:
        """x = a v_i                                                                                     [law-3], [law-5]"""
        e = 0.5 if self.restitution is None else self.restitution
        return float(NAMED[self.law](e)) if self.law in NAMED else damping_of(e)

    def _numbers(self, layout: ModelCompiler) -> list[float]:
        """As `kernels.contact_laws` has them."""
        from ..kernels import contact_laws as c
        numbers = [0.0] * int(c.WIDTH)
        self._put_law(numbers, layout)
        numbers[c.SLOW] = self.slow
        if self.friction > 0 or (self.static or 0.0) > 0 or self.viscous > 0:
            self._put_friction(numbers)
        numbers[c.ROLLING], numbers[c.SPINNING], numbers[c.SMOOTH_TURN] = self.rolling, self.spinning, TURN_SPEED
        return numbers

    def _put_law(self, numbers: list[float], layout: ModelCompiler) -> None:
        from ..kernels import contact_laws as c
        if self.force is not None:
            where = f"contact {self.name!r}: force"
            code = layout.builder.function(self.force, ("t", "x", "v"), where)
            if code.by_signal:
                raise ValueError(f"{where}: {TIME_AND_DEPTH}")
            numbers[c.KIND], numbers[c.CODE:c.CODE + 3] = c.EXPRESSION, [code.value, code.by_x, code.by_v]
            return
        try:
            numbers[c.K], numbers[c.EXPONENT] = self.spring()
        except FieldError as error:
            raise ValueError(f"contact {self.name!r}: {error}") from None
        kinds = {"linear": c.LINEAR, "impact": c.IMPACT}
        numbers[c.KIND] = kinds.get(self.law, c.POWER_LAW)
        if self.law in kinds:
            numbers[c.DAMPER], numbers[c.RAMP] = self.damping or 0.0, self.ramp or 1.0
        else:
            numbers[c.DAMPING_FACTOR] = self.damping_factor()

    def _put_friction(self, numbers: list[float]) -> None:
        from ..kernels import contact_laws as c
        models = {"bristle": c.BRISTLE, "lugre": c.LUGRE, "regularised": c.REGULARISED}
        static = self.friction if self.static is None else self.static
        model = models[self.friction_model] if static > 0 else c.REGULARISED  # what is viscous alone has no bristles
        numbers[c.MODEL], numbers[c.KINETIC], numbers[c.STATIC] = model, self.friction, static
        numbers[c.STRIBECK], numbers[c.VISCOUS] = self.stribeck_speed or 1.0, self.viscous
        if model == c.REGULARISED:
            numbers[c.SMOOTH_SPEED] = self.slip_speed or 1.0
            return
        s0 = self.bristle_stiffness or static / self._stick_length()
        s1 = 2 * DAMPED * sqrt(s0 / GRAVITY) if self.bristle_damping is None else self.bristle_damping
        numbers[c.STIFF], numbers[c.DAMPED] = s0, s1
        numbers[c.FADES] = (s1 / (FADES * static)) ** 2 if self.friction_model == "bristle" else 0.0

    def build(self, layout: ModelCompiler) -> None:
        from ..families.contacts import SITES, family
        item, b = f"{self.kind} {self.name!r}", layout.builder
        for frame in (self.a, self.b):
            layout.owner(frame, item)
        frames = [self._frame(layout, frame, side, item) for frame, side in zip((self.a, self.b), self._sides, strict=True)]
        if self.law == RIGID:
            return add_rigid_contact(layout, self, frames, self._parts)
        law, nominal = b.pool(self._numbers(layout)), self._stick_length() if self._bristles else 1.0
        pools: dict[tuple[float, ...], int] = {}
        for k, part in enumerate(self._parts):
            fa, fb = frames[::-1] if part.swapped else frames
            b.velocity_frames |= {fa, fb}
            iv = layout.directory.states[f"{self.name}.bristle_{2 * k + 1}"].iv if self._bristles else -1
            memory = b.discrete(0.0)
            b.discrete(0.0)
            if part.sizes not in pools:
                pools[part.sizes] = b.pool(part.sizes)
            ints = (fa, fb, -1, pools[part.sizes], law, b.choices(int(SITES) // 2), memory, iv)
            tiles = (*b.tiles_of(fa), *b.tiles_of(fb), iv // 6 if iv >= 0 else -1)
            row = b.element(family(part.kernel), self.name, ints, (1 / nominal,), tiles=tiles)
            if self._on_line:
                add_foot(layout, self, (fa, fb), ints, (1 / nominal,), tiles)
            layout.discrete.tell(family(part.kernel), row, Told(self.name, ("leaves", "touches"), VALUES))
            layout.directory.contacts.setdefault(self.name, []).append((family(part.kernel), row, part.swapped))

    def _frame(self, layout: ModelCompiler, frame: Frame, side: Side, item: str) -> int:
        """Of a surface, whose axis is z; that of a line is placed by its own element."""
        if side.surface.kind == TUBE:
            return layout.builder.bare_frame(layout.places[frame.body])
        if side.along == (0.0, 0.0, 1.0):
            return layout.frame(frame, item)
        return layout.frame(frame, item, layout.world(frame, item)[1] @ perpendicular_frame(np.array(side.along)))

    def plain(self) -> dict[str, Any]:
        stated = {field: surface.plain() for field in ("surface_a", "surface_b") if (surface := getattr(self, field)) is not None}
        return super().plain() | stated

    @property
    def _on_line(self) -> bool:
        return TUBE in {surface.kind for surface in (self.surface_a, self.surface_b) if surface is not None}

    def channels(self) -> Iterable[Channel]:
        return (*CHANNELS, PLACE) if self._on_line else CHANNELS

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("F", a, b, surface_a=Surface.hollow_sphere(0.1), surface_b=Surface.sphere(0.09), stiffness=1e5, friction=0.3)]
