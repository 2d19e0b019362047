"""How contacts will meet: speed, duration, depth, what laws give back; against steps, waves and the method of the run."""
from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..analyses.tangent import load
from ..channel_values.observer import Observer
from ..items.clearances import SphericalClearance
from ..items.contact_channels import GAP, NORMAL, PLACE
from ..items.contact_damping import NAMED
from ..items.reduced_inertia import TOUCH
from ..items.rigid_limits import RIGID
from ..kernels import evaluation
from ..kernels.contract import ELASTIC
from ..kernels.pairs import FA, FB
from ..methods.selection import chosen, in_coordinates, in_joint_coordinates
from ..report.finding import ERROR, NOTE, WARNING, Finding
from .contacts import contacts
from .frequencies import MANY
from .impacts import Impact, impact_of, law_of
from .limits import stops
from .registry import RUN, check

if TYPE_CHECKING:
    from .examination import Examination

STEPS = 20      # that a contact should last
USUAL = 30      # of a run with error control in that time
SPEED = 1.0     # m/s at which it is looked at, if none is known
SLOW = 0.01     # m/s: of a contact that says nothing else
LEAST = 1e-3    # of the speed of falling by half a size: slower than that nothing is known of a speed
DEEP = 0.1      # of the size of a surface
OFF = 0.01      # of a restitution
WAVES = 3.0     # times as fast as the contact must modes be that carry its waves
HOLDS = "generalized-alpha", "hht", "newmark", "energy-momentum", "dimcd"  # constraints themselves, in absolute coordinates


class Meeting(NamedTuple):
    """A contact, and the impact at the speed that is expected, ``known`` from the start; the ``weight`` [N] that may press on it."""
    item: Any
    impact: Impact
    known: bool
    weight: float

    def __str__(self) -> str:
        met = _met(self.impact, self.known)
        if isnan(self.impact.gives):
            return f"{met} nothing comes back"
        return f"{met} {_ms(self.impact.lasts)} long, {_mm(self.impact.depth)} deep, gives back {self.impact.gives:.2f}"


def meetings(e: Examination) -> Iterator[Meeting]:
    """Of compliant contacts whose laws can be computed."""
    see = None if e.row is None else Observer(e.dynamics, e.row[None, :], np.zeros((1, 3)))
    masses, names = e.dynamics.directory.masses, e.model.names()
    for item in contacts(e):
        light = sum(1 / m for frame in (item.a, item.b) if (m := masses.get(frame.body, 0.0)) > 0)
        if item.law == RIGID or not light:
            continue
        speed, press = (nan, 0.0) if see is None else expected(e, see, item, light)
        known = speed > max(1e-12, LEAST * float(np.sqrt(np.linalg.norm(e.model.gravity) * item.size)))
        impact = impact_of(item, 1 / light, speed if known else SPEED, names)
        if impact is not None:
            yield Meeting(item, impact, known, press / light)


def expected(e: Examination, see: Observer, item: Any, light: float) -> tuple[float, float]:
    """v, and the part of gravity along the normal: v^2 = u^2 + 2 g h + 2 V light, of the speed u with which the nearest points begin, of
    falling by the gap h, and of springs that let go; against a plane of the ground along its normal only           [diagnosis-9]"""
    points, s, d = see.contact(item.name)[0], e.dynamics.system, e.dynamics.directory
    k = int(np.argmin(points[:, GAP]))
    family, row, swapped = d.contacts[item.name][k]
    place, n = points[k, PLACE], points[k, NORMAL]
    u_a, u_b = (see.velocity(f)[0] + np.cross(see.angular_velocity(f)[0], place - see.position(f)[0])
                for f in s.data.ip[s.families[family][0] + row, [FA, FB]])
    frames = (item.b, item.a) if swapped else (item.a, item.b)
    sides = item._sides[::-1] if swapped else item._sides
    still = [f.body == "ground" and side.surface.kind == "plane" for f, side in zip(frames, sides, strict=True)]
    g, h = np.array(e.model.gravity), max(0.0, float(points[k, GAP]))
    square = 2 * light * _elastic(e)
    if any(still):
        press = max(0.0, float(-n @ g if still[0] else n @ g))
        square += max(0.0, float(n @ (u_a - u_b))) ** 2 + 2 * press * h
    else:
        press = abs(float(n @ g)) * _supported(e, item)
        square += float((u_b - u_a) @ (u_b - u_a)) + 2 * float(np.linalg.norm(g)) * h * _supported(e, item)
    return float(np.sqrt(square)), press


def _supported(e: Examination, item: Any) -> bool:
    """Whether gravity can bring its bodies together: free ones fall alike."""
    held = {body for joint in e.dynamics.directory.joints.values() for body in joint.bodies} | {"ground"}
    return item.a.body in held or item.b.body in held


def _elastic(e: Examination) -> float:
    """What springs have stored at the start [J]."""
    d = e.dynamics
    if e.row is None or not any(r.family.elastic for r in d.directory.forces.values()):
        return 0.0
    d.x.E[:] = 0
    evaluation.run(d.system.program("energy"), d.system.data, d.x, load(d, e.row), 0.0, 0.0, 0.0)
    return max(0.0, float(d.x.E[ELASTIC]))


# -- what is found
@check("contact-depth", "a contact that is too soft for what comes or lies in it", RUN)
def too_soft(e: Examination) -> Iterator[Finding]:
    """Deeper than a part of its size: by an impact, or by the weight of its bodies."""
    for met in e.meetings:
        item, impact = met.item, met.impact
        depth, how = impact.depth if met.known and not isnan(impact.gives) else 0.0, f"{_met(impact, met.known)} is"
        if depth <= (under := _under_weight(met)):
            depth, how = under, "under the weight of its bodies is"
        if depth > DEEP * item.size:
            least = "" if item.force is not None else _stiffer(item, depth)
            yield Finding("contact-depth", WARNING, (item.name,), f"contact {item.name!r} {how} {_mm(depth)} deep, where its surface has a "
                          f"size of {_mm(item.size)}.", f"Take a larger stiffness{least}, or the material of the bodies.")
    masses, g = e.dynamics.directory.masses, float(np.linalg.norm(e.model.gravity))
    for item in (i for i in e.model if i.active and isinstance(i, SphericalClearance)):  # others may stand upright
        light = sum(1 / m for frame in (item.a, item.b) if (m := masses.get(frame.body, 0.0)) > 0)
        depth = (g / light / item.stiffness) ** (1 / item.exponent) if light and _supported(e, item) else 0.0
        if depth > item.clearance:
            yield Finding("contact-depth", WARNING, (item.name,), f"{item.kind} {item.name!r} under the weight of its bodies is "
                          f"{_mm(depth)} "
                          f"deep, more than its clearance of {_mm(item.clearance)}.", "Take a larger stiffness, which is in N/m^p.")


def _under_weight(met: Meeting) -> float:
    """k d^p = m g n, where a law has a stiffness"""
    if met.item.force is not None:
        return 0.0
    k, p = met.item.spring()
    return float((met.weight / k) ** (1 / p))


def _stiffer(item: Any, depth: float) -> str:
    """What is soft by its units has a stiffness in N/mm^p."""
    k, p = item.spring()
    return f", of at least {k * (depth / (DEEP * item.size)) ** (p + 1):.1g} N/m^{p:g}"


@check("contact-hard", "a contact so hard that lying in it takes many steps", RUN)
def too_hard(e: Examination) -> Iterator[Finding]:
    """What lies or rolls vibrates as fast as an impact lasts."""
    for item, impact, known, _ in e.meetings:
        steps = USUAL * (e.settings.duration or 0.0) / impact.lasts
        if e.settings.step is None and steps > MANY:
            yield Finding("contact-hard", NOTE, (item.name,), f"contact {item.name!r} {_met(impact, known)} lasts {_ms(impact.lasts)} and "
                          f"is {_mm(impact.depth)} deep; where bodies stay in touch, following that for {e.settings.duration:g} s "
                          f"takes about {steps:.2g} steps of an explicit method.", "Nothing, if they bounce only; else take a smaller "
                          "stiffness, as large as the question needs, or law=\"rigid\".")


@check("contact-step", "a fixed step too long for a contact", RUN)
def too_short(e: Examination) -> Iterator[Finding]:
    """Against the duration of an impact of the two bodies alone, and that of a stop."""
    h = e.settings.step
    if h is None:
        return
    remedy = "Ask for accuracy instead of a step, which locates contacts, or take a softer one."
    for item, impact, known, _ in e.meetings:
        if h > impact.lasts / STEPS:
            yield Finding("contact-step", WARNING, (item.name,), f"contact {item.name!r} {_met(impact, known)} lasts {_ms(impact.lasts)} "
                          f"and is {_mm(impact.depth)} deep; the fixed step of {h:g} s is {h / impact.lasts:.2g} of that.", remedy)
    for stop in stops(e):
        if stop.law != RIGID and stop.stiffness is None and h > TOUCH / STEPS:
            yield Finding("contact-step", WARNING, (stop.name,), f"stop {stop.name!r} is touched for {_ms(TOUCH)}, as its stiffness is "
                          f"left out; the fixed step of {h:g} s is {h / TOUCH:.2g} of that.", remedy)


@check("contact-restitution", "a law that gives back something else than it is asked for", RUN)
def other_restitution(e: Examination) -> Iterator[Finding]:
    """Laws of the literature, and those that have a damping in place of a restitution."""
    for item, impact, known, _ in e.meetings:
        if isnan(impact.gives):
            continue
        told = f"contact {item.name!r} {_met(impact, known)}"
        if impact.gives > 1 + OFF:
            yield Finding("contact-restitution", WARNING, (item.name,), f"{told} gives back {impact.gives:.3f} of the speed: its law makes "
                          "energy.", "Let its force grow with v, the rate of the depth x: it is larger on the way in than on the way out.")
        elif item.law in NAMED and item.force is None:
            asked = 0.5 if item.restitution is None else item.restitution
            if abs(impact.gives - asked) > OFF:
                yield Finding("contact-restitution", NOTE, (item.name,), f"contact {item.name!r}: the law {item.law} with restitution "
                              f"{asked:g} gives back {impact.gives:.3f} of the speed.", "Take the law restitution, which gives what is "
                                                                                        "asked for.")
        elif item.law == "restitution" and item.force is None and known and impact.speed < item.slow != SLOW:
            yield Finding("contact-restitution", NOTE, (item.name,), f"{told} gives back {impact.gives:.3f} of the speed: it is slower "
                          f"than slow, {item.slow:g} m/s, from where on the restitution holds.", "Take a slow well below the speeds that "
                                                                                                 "count.")
        elif item.force is not None or item.law in ("linear", "impact"):
            yield Finding("contact-restitution", NOTE, (item.name,), f"{told}, of its two bodies alone, gives back {impact.gives:.3f} of "
                          f"the speed; it lasts {_ms(impact.lasts)} and is {_mm(impact.depth)} deep.", "Nothing, if that is meant; the law "
                          "restitution gives what is asked for at every speed and mass.")


@check("contact-law", "a law of contact that does not push as one", RUN)
def no_law(e: Examination) -> Iterator[Finding]:
    """At the touch, and deeper."""
    for item in contacts(e):
        law = law_of(item, e.model.names()) if item.force is not None else None
        if law is None:
            continue
        deep = np.geomspace(1e-6, DEEP, 30) * item.size
        push, touch = np.array([law(x, 0.0) for x in deep]), law(0.0, 0.0)
        if not np.isfinite([touch, *push]).all():
            bad = 0.0 if not isfinite(touch) else float(deep[~np.isfinite(push)][0])
            what = f"is not a finite number at the depth x = {bad:.3g} m"
        elif not (push > 0).any():
            what = "never pushes: it is not positive at any depth x"
        elif abs(touch) > OFF * abs(push[-1]):
            what = f"jumps to {touch:.3g} N where the surfaces touch, x = 0"
        else:
            continue
        yield Finding("contact-law", WARNING, (item.name,), f"contact {item.name!r}: force: {item.force!r} {what}.", "It is a function of "
                      "the depth x, positive inside, and of its rate v; it is zero at the touch and grows with x, such as 1e8*x^1.5*(1 + "
                      "0.2*v).")


@check("contact-flexible", "a restitution between bodies that take part of the energy themselves", RUN)
def flexible(e: Examination) -> Iterator[Finding]:
    """An impulse on a node starts waves: what Newton's law says of it depends on how many modes there are."""
    soft, found = e.dynamics.directory.flexible, {m.item.name: m for m in e.meetings}
    for item in contacts(e):
        body = next((frame.body for frame in (item.a, item.b) if frame.body in soft), None)
        if body is None or item.force is not None or item.law in ("linear", "impact"):
            continue
        e_n = (0.0 if item.law == RIGID else 0.5) if item.restitution is None else item.restitution
        if item.law == RIGID and e_n > 0:
            yield Finding("contact-flexible", WARNING, (item.name, body), f"contact {item.name!r} is rigid and gives back {e_n:g} of the "
                          f"speed of a node of the flexible body {body!r}: what that means for the body depends on how many modes it has.",
                          "Take restitution=0, or a compliant contact.")
        elif item.law != RIGID and (met := found.get(item.name)) is not None:
            yield from _waves(e, met, body, e_n)


def _waves(e: Examination, met: Meeting, body: str, e_n: float) -> Iterator[Finding]:
    item, impact, known, _ = met
    part = getattr(e.model[body], "reduced", None)
    fastest = float(np.max(part.frequencies)) if part is not None and part.n else 0.0
    short = f", and its fastest mode has {fastest:.4g} Hz, too slow to carry waves that an impact of {_ms(impact.lasts)} starts" \
        if fastest < WAVES / (2 * impact.lasts) else ""
    if short or (item.restitution is not None and e_n < 1):
        yield Finding("contact-flexible", NOTE, (item.name, body), f"contact {item.name!r} {_met(impact, known)}: its restitution of "
                      f"{e_n:g} is that of rigid bodies; the flexible body {body!r} takes energy by its vibration besides{short}.",
                      "Take restitution=1 where the damping of the body is what counts, and modes up to "
                      f"{WAVES / (2 * impact.lasts):.3g} Hz.")


@check("rigid-method", "a method that cannot pass rigid contacts", RUN)
def not_with_this_method(e: Examination) -> Iterator[Finding]:
    """What simulate would refuse."""
    rigid = [point for point in e.dynamics.system.rigid]
    if not rigid:
        return
    item, settings = rigid[0].item, e.model.settings
    if e.settings.step is not None:
        yield Finding("rigid-method", ERROR, (item,), f"{item!r} is rigid, and the run has a fixed step: the instants of its impacts are "
                      "found by error control.", "Give an accuracy in place of the step, or a stiffness to the contact.")
    try:
        form = in_coordinates(settings)
        method = chosen(settings.get("integrator"), form, e.settings.step is not None)[0] if settings.get("integrator") else None
        joint = in_joint_coordinates(form)
    except ValueError:
        return  # simulate says what is wrong with its options
    if method is not None and method.kind in HOLDS and not joint:
        yield Finding("rigid-method", ERROR, (item,), f"{item!r} is rigid, and the integrator {method.kind} holds constraints itself, so "
                      "that it knows no forces in between.", "Take an explicit method, radau-iia-5 or bdf.")
    if joint and (rubs := [point.item for point in rigid if len(point.rows) > 1 and point.static > 0]):
        yield Finding("rigid-method", ERROR, (rubs[0],), f"the rigid contact {rubs[0]!r} has friction, which joint coordinates do not "
                      "know.",
                      "Take coordinates='absolute', or leave coordinates out.")


def _met(impact: Impact, known: bool) -> str:
    return f"at {impact.speed:.3g} m/s{'' if known else ' (no speed is known)'}"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"


def _mm(metres: float) -> str:
    return f"{1e3 * metres:.3g} mm"
