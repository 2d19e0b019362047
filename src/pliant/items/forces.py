"""Springs, bushings, loads and measures: what acts between frames without constraining them."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.units import MOST, must, shown
from .base import Angle, ForceLaw, Frame, Item, Length, Pair, TimeFunction

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler


class SpringDamper(Pair):
    """Spring and damper along the line of two points. ``stiffness`` [N/m] and ``damping`` [N s/m] are numbers, or functions
    f(t, x, v) that give the force [N] from the stretch x [m] and its rate v [m/s]; positive forces pull the points together.
    ``length`` [m] is the unloaded one, as modelled if left out."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "spring_damper"
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b", "stiffness", "damping", "length")
    stiffness: ForceLaw = 0.0
    damping: ForceLaw = 0.0
    length: Length | None = None

    @model_validator(mode="before")
    @classmethod
    def _units(cls, value: Any) -> Any:
        return numbers_with_units(value, {"stiffness": "N/m", "damping": "N*s/m"})

    @model_validator(mode="after")
    def _check(self) -> SpringDamper:
        if self.length is not None and self.length < 0:
            raise FieldError("length", f"{self.length:g} m must be at least 0")
        return self

    def build(self, layout: ModelCompiler) -> None:
        layout.add_spring(self.name, "distance", self.a, self.b, self.stiffness, self.damping, self.length)


class JointSpring(Item):
    """Spring and damper on a coordinate of a joint."""
    section: ClassVar[str] = "forces"
    coordinate: ClassVar[str]
    per: ClassVar[str]  # what a stiffness is: the unit of the effort by that of the coordinate
    joint: str
    stiffness: ForceLaw = 0.0
    damping: ForceLaw = 0.0

    @model_validator(mode="before")
    @classmethod
    def _units(cls, value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("joint"), Item):
            value = {**value, "joint": value["joint"].name}
        return numbers_with_units(value, {"stiffness": cls.per, "damping": f"{cls.per}*s"})

    def build(self, layout: ModelCompiler) -> None:
        layout.add_joint_spring(self, getattr(self, self.coordinate))


class TorsionSpring(JointSpring):
    """Spring and damper on the angle of a joint. ``stiffness`` [N m/rad] and ``damping`` [N m s/rad] are numbers, or functions
    f(t, x, v) that give the torque from the twist x [rad] and its rate; positive ones turn b back. ``angle``: unloaded [rad]."""
    kind: ClassVar[str] = "torsion_spring"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "stiffness", "damping", "angle")
    coordinate: ClassVar[str] = "angle"
    per: ClassVar[str] = "N*m"
    angle: Angle = 0.0


class AxialSpring(JointSpring):
    """Spring and damper on the displacement of a joint, along its axis or its line. ``stiffness`` [N/m] and ``damping`` [N s/m] are
    numbers, or functions f(t, x, v) that give the force from the stretch x [m] and its rate; positive ones push b back.
    ``displacement``: unloaded [m]."""
    kind: ClassVar[str] = "axial_spring"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "stiffness", "damping", "displacement")
    coordinate: ClassVar[str] = "displacement"
    per: ClassVar[str] = "N/m"
    displacement: Length = 0.0


class Bushing(Pair):
    """Linear spring and damper in all six directions, in the axes of frame ``a``: x y z [m], then the rotation vector [rad] of b
    against a, which must stay below half a turn. ``stiffness``, ``damping``: six numbers (a diagonal) or 6x6, SI units. Unloaded
    in the pose as modelled."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "bushing"
    stiffness: Any
    damping: Any = (0.0,) * 6

    @model_validator(mode="after")
    def _matrices(self) -> Bushing:
        for field in ("stiffness", "damping"):
            given = getattr(self, field)
            try:
                m = np.array(given, float)
            except (TypeError, ValueError, OverflowError):
                m = np.zeros(0)
            if m.shape not in ((6,), (6, 6)) or not (abs(m) <= MOST).all():
                raise FieldError(field, must(given, "must be six numbers or a 6x6 matrix in SI "
                                             f"units, all within {MOST:g}"))
            object.__setattr__(self, field, tuple(m.tolist()) if m.ndim == 1 else tuple(map(tuple, m.tolist())))
        K = self.matrix("stiffness")
        if not np.allclose(K, K.T, atol=1e-9 * max(1e-300, abs(K).max())):
            raise FieldError("stiffness", f"{shown(self.stiffness)} must be symmetric")
        return self

    def matrix(self, field: str) -> np.ndarray:
        m = np.array(getattr(self, field), float)
        return np.diag(m) if m.ndim == 1 else m

    def build(self, layout: ModelCompiler) -> None:
        layout.add_bushing(self)


class Load(Item):
    """A vector of three functions of t (and of channels such as A.angle_rate) on a frame."""
    positional: ClassVar[tuple[str, ...]] = ("name", "frame", "vector")
    unit: ClassVar[str] = "N"
    part: ClassVar[int] = 0
    frame: Frame
    vector: tuple[TimeFunction, TimeFunction, TimeFunction]
    axes: Literal["world", "frame"] = "world"

    @model_validator(mode="before")
    @classmethod
    def _three(cls, value: Any) -> Any:
        if isinstance(value, dict) and "vector" in value:
            v = value["vector"]
            if not isinstance(v, (list, tuple, np.ndarray)) or len(v) != 3:
                raise FieldError("vector", f"{must(v, f'must be three functions [{cls.unit}]')}, "
                                 "such as ['10 N * sin(t)', 0, 0]")
            return {**value, "vector": tuple(_with_unit(x, cls.unit, "vector", k) for k, x in enumerate(v))}
        return value

    def build(self, layout: ModelCompiler) -> None:
        layout.add_load(self)


class Force(Load):
    """A force [N] at the origin of a frame; ``axes="frame"``: it turns with the frame."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "force"


class Torque(Load):
    """A torque [N m] on a frame; ``axes="frame"``: it turns with the frame."""
    section: ClassVar[str] = "forces"
    kind: ClassVar[str] = "torque"
    unit: ClassVar[str] = "N*m"
    part: ClassVar[int] = 3


class Measure(Pair):
    """Distance of two frames, its rate, and the rotation of b against a (angle of the rotation vector)."""
    section: ClassVar[str] = "measures"
    kind: ClassVar[str] = "measure"

    def build(self, layout: ModelCompiler) -> None:
        layout.add_measure(self)


def numbers_with_units(value: Any, units: dict[str, str]) -> Any:
    """Texts that are plain quantities become numbers, with their dimension checked; expressions stay."""
    if not isinstance(value, dict):
        return value
    return value | {field: _with_unit(value[field], unit, field) for field, unit in units.items() if field in value}


def _with_unit(given: Any, unit: str, field: str, *at: int) -> Any:
    """One of them."""
    from ..functions.units import quantity
    if not isinstance(given, str) or not _is_quantity(given):
        return given
    try:
        return quantity(given, unit)
    except ValueError as error:
        raise FieldError(field, str(error), *at) from None


def _is_quantity(text: str) -> bool:
    """A number and perhaps a unit: nothing that needs the expression machine."""
    from ..functions.units import parse_unit
    match = re.fullmatch(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*(\S.*)?", text)
    if not match:
        return False
    try:
        if match[1]:
            parse_unit(match[1])
    except ValueError:
        return False
    return True
