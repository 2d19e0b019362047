"""Motors with gearboxes on the angle of a joint, and rotors. Equations: docs/theory/drives.md

Gyroscopic moments of the rotor are neglected: it has inertia about the axis of the joint alone.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.formula import Formula, function, of
from .base import Item, JointName, number
from .blocks import Computes
from .declarations import CoordinateUse, Energies, Output, State
from .function_fields import TimeFunction
from .joint_loads import add_joint_load
from .quantities import numbers_with_units

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler

    Resistance = float
    Inductance = float
    Constant = float
    Flux = float
    Inertia = float
    Ratio = float
    Plain = float
    Power = float
else:
    Resistance, Inductance, Inertia = number("ohm", positive=True), number("H", least=0.0), number("kg*m^2", least=0.0)
    Constant, Flux, Ratio, Plain = number("N*m/A", positive=True), number("Wb", positive=True), number("", positive=True), number("")
    Power = number("W", positive=True)


def add_rotor(layout: ModelCompiler, item: str, name: str, joint: str, inertia: float) -> None:
    """Inertia of the angle of a joint, in the equations of its two bodies."""
    from ..families import beam_frames, nodes, rigid, rotors
    b, c = layout.builder, layout.coordinate(joint, "angle", item)
    fixed = {frame for frame, _ in b.fixed}
    for frame in c.frames:
        found = next(((kind.ACCELERATED, row) for kind in (rigid, nodes, beam_frames) for row in b.rows.get(kind.FRAMES, ())
                      if row.ints[kind.FRAME - 1] == frame), None)
        if found is not None:
            b.element(found[0], name, found[1].ints, found[1].reals, tiles=found[1].row_tiles)
        elif frame not in fixed:
            raise ValueError(f"{item}: joint {joint!r} slides along a line of a flexible body; a rotor needs a joint between two places")
    b.pair(rotors.ROTOR, name, *c.frames, (c.place[1],), (inertia,))


class OnJoint(Computes):
    """What acts on the angle of a joint; ``ratio`` n of its gearbox: turns of the rotor for one of the joint."""
    section: ClassVar[str] = "forces"
    listed: ClassVar[int] = 4
    positional: ClassVar[tuple[str, ...]] = ("name", "joint")
    joint: JointName
    ratio: Ratio = 1.0

    def uses(self) -> Iterable[CoordinateUse]:
        return (CoordinateUse(self.joint, "angle"),)


class RotorInertia(OnJoint):
    """A rotor that turns with a joint, ``ratio`` times as fast: ``rotor_inertia`` J [kg m^2] about its own axis adds J n^2 to the inertia
    of the angle. Its gyroscopic moments are neglected."""
    kind: ClassVar[str] = "rotor_inertia"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "rotor_inertia", "ratio")
    rotor_inertia: Inertia

    def build(self, layout: ModelCompiler) -> None:
        add_rotor(layout, f"{self.kind} {self.name!r}", self.name, self.joint, self.rotor_inertia * self.ratio**2)

    def computed(self) -> Iterable[Output]:
        return (Output("speed", "rad/s", (self.ratio * of(f"{self.joint}.angle_rate")).node),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Cylindrical
        return [Cylindrical("J", a, b, axis=(0.3, -0.5, 0.8)), cls("F", "J", 0.02, 7.0)]


class Motor(OnJoint):
    """A motor: what its kinds share. ``efficiency`` of the gearbox, which losses take from whichever side drives; it changes over within
    ``changeover`` [W] of no power. ``rotor_inertia`` J [kg m^2] adds J n^2 to the inertia of the angle."""
    voltages: ClassVar[tuple[str, ...]]
    resistance: Resistance
    efficiency: Ratio = 1.0
    changeover: Power = 1.0
    rotor_inertia: Inertia = 0.0

    @model_validator(mode="before")
    @classmethod
    def _units(cls, value: Any) -> Any:
        return numbers_with_units(value, dict.fromkeys(cls.voltages, "V"))

    @model_validator(mode="after")
    def _check(self) -> Motor:
        if self.efficiency > 1:
            raise FieldError("efficiency", f"{self.efficiency:g} must be at most 1")
        return self

    def units(self) -> dict[str, str]:
        return super().units() | dict.fromkeys(self.voltages, "V")

    def build(self, layout: ModelCompiler) -> None:
        item = f"{self.kind} {self.name!r}"
        add_joint_load(layout, item, self.name, layout.coordinate(self.joint, "angle", item), self.own("torque").node, "torque")
        if self.rotor_inertia > 0:
            add_rotor(layout, item, self.name, self.joint, self.rotor_inertia * self.ratio**2)

    def rotor_torque(self) -> Formula:
        """What the currents do to the rotor."""
        raise NotImplementedError

    def computed(self) -> Iterable[Output]:
        n, eta, speed, torque = self.ratio, self.efficiency, self.own("speed"), self.own("rotor_torque")
        passed = 1.0 if eta == 1 else (eta + 1 / eta) / 2 + (eta - 1 / eta) / 2 * function("tanh", torque * speed / self.changeover)
        yield from (Output(field, "V", getattr(self, field)) for field in self.voltages)
        yield Output("speed", "rad/s", (n * of(f"{self.joint}.angle_rate")).node)
        yield Output("rotor_torque", "N*m", self.rotor_torque().node)
        yield Output("torque", "N*m", (n * torque * passed).node)
        yield Output("power", "W", (self.own("torque") * of(f"{self.joint}.angle_rate")).node)

    def balance(self, stored: Formula, heat: Formula, electric: Formula) -> Energies:
        """The torque is a load on the joint, and counts as work there: electric power less that of the joint is supplied here."""
        gear = self.own("rotor_torque") * self.own("speed") - self.own("power")
        return Energies(stored.node, (heat + gear).node, (electric - self.own("power")).node)


class DCMotor(Motor):
    """A direct current motor on a joint: L i' = ``voltage`` - R i - k w, torque k i on the rotor, w = n times the rate of the angle.
    ``resistance`` R [ohm], ``inductance`` L [H] (0: the current follows at once), ``constant`` k [N m/A], which is also that of the
    back EMF [V s]; ``current`` [A] at the start. ``voltage`` [V]: a number, an expression of t and channels, a Table of t, or f(t)."""
    kind: ClassVar[str] = "dc_motor"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "voltage")
    voltages: ClassVar[tuple[str, ...]] = ("voltage",)
    voltage: TimeFunction
    inductance: Inductance
    constant: Constant
    current: Plain = 0.0

    def states(self) -> Iterable[State]:
        if self.inductance > 0:
            drop = self.own("voltage") - self.resistance * self.own("current") - self.constant * self.own("speed")
            yield State("current", "A", (drop / self.inductance).node, self.current)

    def rotor_torque(self) -> Formula:
        return self.constant * self.own("current")

    def computed(self) -> Iterable[Output]:
        yield from super().computed()
        if self.inductance == 0:
            yield Output("current", "A", ((self.own("voltage") - self.constant * self.own("speed")) / self.resistance).node)

    def energies(self) -> Energies:
        i = self.own("current")
        return self.balance(self.inductance / 2 * i**2, self.resistance * i**2, self.own("voltage") * i)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Cylindrical
        return [Cylindrical("J", a, b, axis=(0.3, -0.5, 0.8)),
                cls("F", "J", "12*cos(3*t) - J.angle", resistance=0.5, inductance=0.02, constant=0.1, ratio=5.0, efficiency=0.8,
                    rotor_inertia=1e-3, current=0.7)]


class PMSM(Motor):
    """A permanent magnet synchronous (brushless) motor in the axes d, q of its rotor, amplitudes of phases:
    L i_d' = v_d - R i_d + p w L i_q, L i_q' = v_q - R i_q - p w (L i_d + psi), torque 3/2 p psi i_q on the rotor. ``resistance`` R
    [ohm], ``inductance`` L [H], ``flux`` psi [Wb] of the magnets, ``pole_pairs`` p. ``direct_voltage`` and ``quadrature_voltage`` [V] as
    that of a DCMotor."""
    kind: ClassVar[str] = "pmsm"
    positional: ClassVar[tuple[str, ...]] = ("name", "joint", "quadrature_voltage", "direct_voltage")
    voltages: ClassVar[tuple[str, ...]] = ("quadrature_voltage", "direct_voltage")
    quadrature_voltage: TimeFunction
    direct_voltage: TimeFunction = 0.0
    inductance: Inductance
    flux: Flux
    pole_pairs: Ratio = 1.0

    @model_validator(mode="after")
    def _inductive(self) -> PMSM:
        if self.inductance == 0:
            raise FieldError("inductance", "0 must be greater than zero")
        return self

    def states(self) -> Iterable[State]:
        L, electric = self.inductance, self.pole_pairs * self.own("speed")
        i_d, i_q = self.own("direct_current"), self.own("quadrature_current")
        by_d = self.own("direct_voltage") - self.resistance * i_d + L * electric * i_q
        by_q = self.own("quadrature_voltage") - self.resistance * i_q - electric * (L * i_d + self.flux)
        return State("direct_current", "A", (by_d / L).node), State("quadrature_current", "A", (by_q / L).node)

    def rotor_torque(self) -> Formula:
        return 1.5 * self.pole_pairs * self.flux * self.own("quadrature_current")

    def energies(self) -> Energies:
        i_d, i_q = self.own("direct_current"), self.own("quadrature_current")
        squares = i_d**2 + i_q**2
        return self.balance(0.75 * self.inductance * squares, 1.5 * self.resistance * squares,
                            1.5 * (self.own("direct_voltage") * i_d + self.own("quadrature_voltage") * i_q))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)),
                cls("F", "J", "20*cos(3*t)", "J.angle", resistance=2.875, inductance=8.5e-3, flux=0.175, pole_pairs=4.0,
                    ratio=3.0, efficiency=0.9, rotor_inertia=2e-4)]
