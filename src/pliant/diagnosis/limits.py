"""What is on coordinates of joints: stops that the start or a drive is beyond, friction on what a drive moves."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..channel_values.observer import Observer
from ..functions.parser import parse
from ..items.contacts import Contact
from ..items.friction import Friction, JointFriction
from ..items.reduced_inertia import TOUCH
from ..items.rigid_limits import RIGID
from ..items.stops import SIDES, Stop
from ..items.teeth import Teeth
from ..kernels.expression_vm import value_at
from ..report.finding import ERROR, NOTE, WARNING, Finding
from .conditions import ANY, Conditions, Range
from .registry import ASSEMBLED, RUN, check

if TYPE_CHECKING:
    from .examination import Examination

MOMENTS = 1001  # of a run at which a drive is looked at
BRISTLES = "stick_length", "bristle_stiffness", "bristle_damping", "slip_speed", "stribeck_speed"  # fields of a friction
FAR = 0.1       # rad beyond a limit that are many
BEYOND = 1e-6   # rad, or of the size of the model: what is beyond a limit by more was hardly meant to touch it


class Path(NamedTuple):
    """The values of a coordinate that a drive prescribes."""
    drive: str
    low: float
    high: float


def paths(e: Examination) -> dict[tuple[str, str], Path]:
    """Of driven coordinates over the run, as far as they are finite; of a held one its one value."""
    d, s, x, found = e.dynamics.directory, e.dynamics.system, e.mechanism.x, dict[tuple[str, str], Path]()
    times = np.linspace(0.0, e.settings.length, MOMENTS)
    for name, (_, _, joint, coordinate) in d.drives.items():
        with s.failures.ignored():
            values = np.array([value_at(t, x.Y, s.data.tab, s.data.val, d.codes[name], x.W) for t in times]).real
        if np.isfinite(values).all():
            found[joint, coordinate] = Path(name, float(values.min()), float(values.max()))
    return found


def stops(e: Examination) -> list[Stop]:
    """Those of the model, also of joints with limits."""
    return [item for item in (*e.model, *e.model.brought()) if item.active and isinstance(item, Stop) and not isinstance(item, Teeth)]


def size_of(value: float, coordinate: str) -> str:
    """An angle or a length in words."""
    return f"{value:.4g} rad ({np.degrees(value):.3g} degrees)" if coordinate == "angle" else f"{1e3 * value:.4g} mm"


def _room(e: Examination, stop: Stop) -> float:
    return BEYOND * (1.0 if stop.coordinate == "angle" else e.dynamics.length)


@check("stop-range", "a joint that begins beyond its stop", ASSEMBLED)
def begins_beyond(e: Examination) -> Iterator[Finding]:
    """Where the run begins; a rigid one is refused by the run."""
    if e.row is None:
        return
    see = Observer(e.dynamics, e.row[None, :], np.zeros((1, 3)))
    for stop in stops(e):
        c = float(see(f"{stop.joint}.{stop.coordinate}")[0])
        for name, side in SIDES.items():
            limit = getattr(stop, name)
            if limit is None or side * (c - limit) <= _room(e, stop):
                continue
            rigid = stop.law == RIGID
            how = "nothing pushes it back" if rigid else f"it is pushed back with {abs(float(see(f'{stop.name}.effort')[0])):.3g} " + (
                "N m" if stop.coordinate == "angle" else "N")
            yield Finding("stop-range", ERROR if rigid else WARNING, (stop.name, stop.joint), f"stop {stop.name!r}: the {stop.coordinate} "
                          f"of joint {stop.joint!r} is {size_of(c, stop.coordinate)} where the run begins, beyond its {name} limit of "
                          f"{size_of(limit, stop.coordinate)}; {how}.",
                          "Correct the limit - coordinates are zero in the pose as modelled, or what zero= says -, or begin within it.")


@check("stop-drive", "a drive that leads beyond a stop", RUN)
def driven_beyond(e: Examination) -> Iterator[Finding]:
    """What prescribes a motion does not yield to what limits it."""
    moved = paths(e) if stops(e) else {}
    for stop in stops(e):
        path = moved.get((stop.joint, stop.coordinate))
        for name, side in SIDES.items():
            limit = getattr(stop, name)
            far = None if path is None else path.high if side > 0 else path.low
            if path is None or far is None or limit is None or side * (far - limit) <= _room(e, stop):
                continue
            rigid, given = stop.law == RIGID, e.settings.duration is not None
            how = "they contradict each other" if rigid else "the drive goes on, and only its effort grows"
            within = "" if given else f" within {e.settings.length:g} s (no duration is given)"
            severity = NOTE if not given else ERROR if rigid else WARNING
            yield Finding("stop-drive", severity, (stop.name, path.drive), f"drive {path.drive!r} moves the {stop.coordinate} of joint "
                          f"{stop.joint!r} to {size_of(far, stop.coordinate)}{within}, beyond the {name} limit "
                          f"{size_of(limit, stop.coordinate)} of stop {stop.name!r}; {how}.",
                          "Keep the drive within the limits, or move by a force or a controller, which a stop can hold back.")
            break


@check("stop-spin", "a stop in the way of a fast rotation", ASSEMBLED)
def spinning(e: Examination) -> Iterator[Finding]:
    """A stiffness that is left out lets the bodies touch for a millisecond, in which they turn far."""
    if e.row is None:
        return
    see = Observer(e.dynamics, e.row[None, :], np.zeros((1, 3)))
    for stop in stops(e):
        if stop.coordinate != "angle" or stop.stiffness is not None or stop.law == RIGID:
            continue
        rate = float(see(f"{stop.joint}.angle_rate")[0])
        limit = stop.upper if rate > 0 else stop.lower
        depth = abs(rate) * TOUCH / np.pi
        if limit is not None and depth > FAR:
            yield Finding("stop-spin", WARNING, (stop.name, stop.joint), f"stop {stop.name!r}: the angle of joint {stop.joint!r} begins "
                          f"with {abs(rate):.4g} rad/s and would go {np.degrees(depth):.3g} degrees beyond its limit, as its stiffness is "
                          "left out and the bodies touch for a millisecond.", "Give it a stiffness, or law=\"rigid\"; or leave the stop "
                          "out, if the joint is to spin: angles count their turns.")


@check("idle-friction", "friction that rubs nothing", RUN)
def without_load(e: Examination) -> Iterator[Finding]:
    """Bristles without a coefficient; joints whose faces nothing presses together."""
    for item in (i for i in e.model if i.active and isinstance(i, Contact)):
        given = [field for field in BRISTLES if getattr(item, field) is not None]
        if given and not item.friction and not item.static:
            yield Finding("idle-friction", NOTE, (item.name,), f"contact {item.name!r}: {' and '.join(given)} without friction: its "
                          "coefficient is zero.", "Give friction, the coefficient, or leave the rest out.")
    conditions = Conditions(lambda reference: ANY, Range(0.0, e.settings.duration or np.inf))
    for item in (*e.model, *e.model.brought()):
        load = item.load() if item.active and isinstance(item, JointFriction) else None
        if isinstance(load, str) and conditions.span(parse(load, ("t",), e.model.names()), {}).high <= 0:
            yield Finding("idle-friction", WARNING, (item.name,), f"{item.kind} {item.name!r}: its load {load!r} is never positive, and "
                          "negative ones count as none: nothing rubs.", "Give the size of the load, such as abs(...).")


@check("driven-friction", "friction on a coordinate that is driven or held", RUN)
def on_driven(e: Examination) -> Iterator[Finding]:
    """It changes the effort of the drive alone."""
    driven = {(joint, coordinate): name for name, (_, _, joint, coordinate) in e.dynamics.directory.drives.items()}
    for item in (*e.model, *e.model.brought()):
        if item.active and isinstance(item, Friction):
            uses = list(item.uses())
            by = [driven.get((use.joint, use.coordinate)) for use in uses]
            if uses and all(by):
                told = " and ".join(dict.fromkeys(_words(e, drive, use) for drive, use in zip(by, uses, strict=True)))
                yield Finding("driven-friction", NOTE, (item.name, *(b for b in dict.fromkeys(by) if b in e.model.items)), f"{item.kind} "
                              f"{item.name!r}: {told}, so that friction does not change the motion; it adds to the effort alone.",
                              "Nothing, if the effort is what you want; else move the joint by a torque or a force.")


def _words(e: Examination, drive: str | None, use: Any) -> str:
    if drive in e.model.items:
        return f"drive {drive!r} moves the {use.coordinate} of joint {use.joint!r}"
    return f"joint {use.joint!r} holds its {use.coordinate}"
