"""Contacts as they begin: surfaces that overlap, pairs that cannot move against each other or stand there twice, friction that is none."""
from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..channel_values.observer import Observer
from ..items.clearances import Clearance
from ..items.contacts import Contact
from ..items.rigid_limits import RIGID
from ..items.stops import SIDES, Stop
from ..items.teeth import Teeth
from ..methods.integrators.time_loop.rigid_passage import OVERLAP as TOUCH
from ..report.finding import ERROR, WARNING, Finding
from .mechanism import connected
from .registry import ASSEMBLED, ITEMS, check

if TYPE_CHECKING:
    from ..model import Model
    from .examination import Examination

OVERLAP = 1e-3     # of the size of a surface: what overlaps by more was hardly meant
THROUGH = 2.0      # sizes: what is so deep inside is rather on the wrong side
CONFORMING = 1e-3  # clearance over radius, from where on faces touch each other instead of points
LONG = 0.1         # of the size of a surface: bristles that give so far do not stick
RUBS = 3.0         # coefficients of friction above that are of nothing
SOFT = 1e4         # Pa: softer than any solid
FAST = 1.0         # m/s: faster than that nothing sticks


def contacts(e: Examination) -> list[Any]:
    """Those of the model, which know their surfaces."""
    bodies = {body.name: body for body in (e.model.ground, *e.model.section("bodies"))}
    found = [e.model[name] for name in e.dynamics.directory.contacts]
    for item in found:
        item.look_around(bodies)
    return found


@check("contact-overlap", "surfaces that overlap where the run begins", ASSEMBLED)
def overlapping(e: Examination) -> Iterator[Finding]:
    """By more than a contact gives; what is rigid is refused by the run."""
    if e.row is None:
        return
    see = Observer(e.dynamics, e.row[None, :], np.zeros((1, 3)))
    for item in contacts(e):
        depth, rigid = -float(see(f"{item.name}.gap")[0]), item.law == RIGID
        if depth > (TOUCH * e.dynamics.length if rigid else OVERLAP * item.size):
            force = float(see(f"{item.name}.normal_force")[0])
            pushed = "nothing pushes them apart" if rigid else f"they are pushed apart with {force:.3g} N"
            yield Finding("contact-overlap", ERROR if rigid else WARNING, (item.name,), f"the surfaces of contact {item.name!r} overlap by "
                          f"{1e3 * depth:.3g} mm where the run begins; {pushed}.", _apart(item, depth))
    for joint in (i for i in e.model if i.active and isinstance(i, Clearance)):
        for suffix in joint.planes():
            depth = float(see(f"{joint.name}.eccentricity{suffix}")[0]) - joint.clearance
            if depth > max(OVERLAP * joint.clearance, TOUCH * e.dynamics.length):
                yield Finding("contact-overlap", WARNING, (joint.name,), f"{joint.kind} {joint.name!r} begins {1e3 * depth:.3g} mm beyond "
                              f"its clearance of {1e3 * joint.clearance:.3g} mm; it is pushed back with "
                              f"{float(see(f'{joint.name}.force{suffix}')[0]):.3g} N.", "Place one of the bodies so that the frames "
                              "coincide, or are nearer than the clearance.")
                break


def _apart(item: Contact, depth: float) -> str:
    sides = [side.surface.kind for side in item._sides]
    if depth > THROUGH * item.size and "plane" in sides:
        return "The body is behind the plane, whose outward normal is z of its frame: turn that frame, or place the body on the other side."
    if depth > THROUGH * item.size and {"hollow_sphere", "bore"} & set(sides):
        return "The body is outside of what it should be in: place it inside, or correct the frames."
    return "Place one of the bodies further away, or make its surface smaller."


@check("contact-fixed", "a contact between bodies that cannot move against each other", ITEMS)
def immovable(model: Model) -> Iterator[Finding]:
    """Bodies that fixed joints make one, as long as nothing lets these go."""
    number = {name: k for k, name in enumerate(["ground", *(b.name for b in model.section("bodies"))])}
    let_go = {action[word] for item in model for action in getattr(item, "do", ()) for word in ("release", "break") if word in action}
    joints: list[Any] = model.section("joints")
    ties = [[number[j.a.body], number[j.b.body]] for j in joints if getattr(j, "connected", True)
            and j.name not in let_go and j.equations() == 6 and hasattr(j, "a") and {_body(j.a), _body(j.b)} <= number.keys()]
    whole = connected([*ties, *([k] for k in number.values())])
    for item in touching(model):
        a, b = _body(item.a), _body(item.b)
        ends = {str(item.a), str(item.b)}
        pin = next((j.name for j in joints if ("coincident",) in getattr(j, "constraints", ()) and {str(j.a), str(j.b)} == ends
                    and j.name not in let_go and getattr(j, "connected", True)), None)
        if isinstance(item, Clearance) and pin:
            yield Finding("contact-fixed", WARNING, (item.name, pin), f"{item.kind} {item.name!r}: joint {pin!r} holds the same frames "
                          "together, so that there is no clearance between them.", "Take one of the two.")
        elif any(number.get(a) in part and number.get(b) in part for part in whole):
            yield Finding("contact-fixed", WARNING, (item.name,), f"{item.kind} {item.name!r}: fixed joints hold {a!r} and {b!r} "
                          "together, so that they cannot move against each other; it does nothing but load these joints where it "
                          "overlaps.", "Leave it out, or name the bodies that are meant.")


def _body(frame: Any) -> str:
    return str(getattr(frame, "body", ""))


def touching(model: Model) -> list[Any]:
    """Contacts and clearances of a model as it is written."""
    return [item for item in model if item.active and isinstance(item, (Contact, Clearance))]


@check("contact-twice", "a contact that is declared twice", ITEMS)
def twice(model: Model) -> Iterator[Finding]:
    """The same surfaces at the same frames, in either order: both push."""
    seen: dict[Any, str] = {}
    for item in touching(model):
        sides = [(str(frame.plain()), str(getattr(item, field, None))) for frame, field in ((item.a, "surface_a"), (item.b, "surface_b"))]
        first = seen.setdefault((isinstance(item, Contact), *sorted(sides)), item.name)
        if first != item.name:
            yield Finding("contact-twice", WARNING, (first, item.name), f"{item.kind}s {first!r} and {item.name!r} are between the same "
                          f"surfaces of {item.a.body!r} and {item.b.body!r}: both push.", "Leave one of them out.")


@check("stop-twice", "a limit of a joint that is declared twice", ITEMS)
def stopped_twice(model: Model) -> Iterator[Finding]:
    """Two stops that push at the same limit."""
    seen: dict[Any, str] = {}
    for item in (*model, *model.brought()):
        for side in SIDES if item.active and isinstance(item, Stop) and not isinstance(item, Teeth) else ():
            limit = getattr(item, side)
            first = item.name if limit is None else seen.setdefault((item.joint, item.coordinate, side, limit), item.name)
            if first != item.name:
                yield Finding("stop-twice", WARNING, (first, item.name), f"stops {first!r} and {item.name!r} have the same {side} limit of "
                              f"joint {item.joint!r}: both push.", "Leave one of them out.")
                break


@check("contact-conforming", "round surfaces that fit too well for the law of Hertz", ASSEMBLED)
def conforming(e: Examination) -> Iterator[Finding]:
    """A ball in its socket, c / R below CONFORMING: Hertz has a small face of contact in a curvature that is nearly the same."""
    for item in contacts(e):
        if item.law == RIGID or item.force is not None or item.stiffness is not None:
            continue
        radii = sorted(abs(side.surface.bend or inf) for side in item._sides)
        hollow = any((side.surface.bend or 0.0) < 0 for side in item._sides)
        if hollow and (radii[1] - radii[0]) / radii[1] < CONFORMING:
            yield Finding("contact-conforming", WARNING, (item.name,), f"contact {item.name!r}: radii of {1e3 * radii[0]:.6g} and "
                          f"{1e3 * radii[1]:.6g} mm leave a clearance of {(radii[1] - radii[0]) / radii[1]:.1e} of the radius; faces that "
                          "fit so well touch on a large area, where the law of Hertz, and the stiffness that materials give by it, is not "
                          "valid.",
                          "Give a stiffness, from a calculation or a measurement, with the exponent 1; or take a joint.")


@check("implausible-contact", "numbers of a contact that no material has", ASSEMBLED)
def implausible(e: Examination) -> Iterator[Finding]:
    """Percents, degrees, millimetres and GPa without their unit."""
    for item in (*contacts(e), *(i for i in touching(e.model) if isinstance(i, Clearance))):
        for what, rule, remedy in _implausible(item, e.dynamics.length):
            yield Finding("implausible-contact", WARNING, (item.name,), f"{item.kind} {item.name!r}: {what}{rule}.", remedy)


def _implausible(item: Any, length: float) -> Iterator[tuple[str, str, str]]:
    """What is out of proportion, in proportion to what, and what to do."""
    if isinstance(item, Clearance):
        if item.clearance > LONG * length:
            yield (f"a clearance of {1e3 * item.clearance:.4g} mm", f" in a model of {length:.3g} m",
                   "Write the unit: 0.1 mm; it is the radial play, in metres.")
        return
    rubs = max(item.friction, item.static or 0.0)
    if rubs > RUBS:
        yield (f"a coefficient of friction of {rubs:g}", "; dry metals have 0.1 to 0.8, rubber up to 1.5",
               "It is a ratio: 0.3 for 30 per cent, or the tangent of an angle of friction.")
    for field in ("rolling", "spinning"):
        if getattr(item, field) > item.size:
            yield (f"{field} = {getattr(item, field):g} m", f" is more than the size of its surface, {item.size:.3g} m",
                   "It is the moment over the normal force: some hundredths of the radius for a soft tyre, thousandths for steel.")
    for field in ("material", "material_a", "material_b"):
        stuff = getattr(item, field)
        if isinstance(stuff, dict) and stuff["E"] < SOFT:
            yield f"{field}: E = {stuff['E']:g} Pa", " is softer than any solid; steel has 2.1e11", "Write the unit: 210 GPa."
    if item.slip_speed is not None and item.slip_speed > FAST:
        yield (f"slip_speed = {item.slip_speed:g} m/s", ": below that friction is viscous, and what should stick creeps",
               "Take some mm/s, or friction_model=\"bristle\", which does not creep.")


@check("stick-length", "bristles that are longer than the surface", ASSEMBLED)
def long_bristles(e: Examination) -> Iterator[Finding]:
    """What should stick gives by a part of the size of its bodies."""
    for item in contacts(e):
        if item._bristles and item.size < inf and (length := item._stick_length()) > LONG * item.size:
            yield Finding("stick-length", WARNING, (item.name,), f"contact {item.name!r} gives {1e3 * length:.3g} mm before it slips "
                          f"(stick_length, or friction over bristle_stiffness), where its surface has a size of {1e3 * item.size:.3g} mm; "
                          "that is a spring rather than friction.", f"Take a stick_length below {1e3 * LONG * item.size:.2g} mm; 1e-4 of "
                          "the size is usual.")
