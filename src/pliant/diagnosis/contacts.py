"""Contacts: overlap at the start, how long they last against a fixed step, and what a named law really gives back."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..channel_values.observer import Observer
from ..items.contact_damping import NAMED, deepest, restitution_of
from ..report.finding import NOTE, WARNING, Finding
from .registry import ASSEMBLED, RUN, check

if TYPE_CHECKING:
    from .examination import Examination

OVERLAP = 1e-3    # of the size of a surface: what overlaps by more was hardly meant
STEPS = 20        # that a contact should last
SPEED = 1.0       # m/s at which it is looked at, if none is known


def contacts(e: Examination) -> list[Any]:
    """Those of the model, which know their surfaces."""
    bodies = {body.name: body for body in (e.model.ground, *e.model.section("bodies"))}
    found = [e.model[name] for name in e.dynamics.directory.contacts]
    for item in found:
        item.look_around(bodies)
    return found


@check("contact-overlap", "surfaces that overlap where the run begins", ASSEMBLED)
def overlapping(e: Examination) -> Iterator[Finding]:
    """By more than a contact gives."""
    if e.row is None:
        return
    see = Observer(e.dynamics, e.row[None, :], np.zeros((1, 3)))
    for item in contacts(e):
        depth, force = -float(see(f"{item.name}.gap")[0]), float(see(f"{item.name}.normal_force")[0])
        if depth > OVERLAP * item.size:
            yield Finding("contact-overlap", WARNING, (item.name,), f"the surfaces of contact {item.name!r} overlap by {1e3 * depth:.3g} "
                          f"mm where the run begins; they are pushed apart with {force:.3g} N.",
                          "Place one of the bodies further away, or make its surface smaller.")


@check("contact-step", "a fixed step too long for a contact", RUN)
def too_short(e: Examination) -> Iterator[Finding]:
    """The duration of a contact of the two bodies alone, about 3 (m / (k v^(p-1)))^(1/(p+1))"""
    h, masses = e.settings.step, e.dynamics.directory.masses
    for item in contacts(e) if h is not None else ():
        light = sum(1 / m for frame in (item.a, item.b) if (m := masses.get(frame.body, 0.0)) > 0)
        if item.force is not None or item.law == "rigid" or not light:
            continue
        k, p = item.spring()
        lasts = 3 * (1 / light / (k * SPEED ** (p - 1))) ** (1 / (p + 1))
        if h > lasts / STEPS:
            depth = deepest(k, p, item.damping_factor() if item.law not in ("linear", "impact") else 0.0, 1 / light, SPEED)
            yield Finding("contact-step", WARNING, (item.name,), f"contact {item.name!r} lasts about {1e3 * lasts:.2g} ms and is "
                          f"{1e3 * depth:.2g} mm deep at 1 m/s; the fixed step of {h:g} s is {h / lasts:.2g} of that.",
                          "Ask for accuracy instead of a step, which locates contacts, or take a softer one.")


@check("contact-restitution", "a law that gives back something else than it is asked for", RUN)
def other_restitution(e: Examination) -> Iterator[Finding]:
    """Laws of the literature"""
    for item in contacts(e):
        if item.law in NAMED and item.force is None:
            asked, given = 0.5 if item.restitution is None else item.restitution, restitution_of(item.damping_factor())
            if abs(given - asked) > 0.01:
                yield Finding("contact-restitution", NOTE, (item.name,), f"contact {item.name!r}: the law {item.law} with restitution "
                              f"{asked:g} gives back {given:.3f} of the speed.", "Take the law restitution, which gives what is asked for.")
