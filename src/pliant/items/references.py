"""What items may refer to, said in one place: used when a model is compiled and when a text is checked."""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..functions.rewriting import owner_of
from .base import Frame, did_you_mean
from .errors import MissingItem

if TYPE_CHECKING:
    from .bodies import FrameOwner

NO_LENGTH = "its length is zero; use a spherical joint for points that coincide"
NO_DIRECTION = "its two points coincide, so its direction is undefined; move one of them or use a bushing"
NO_GAP = "its two points coincide, so the direction of its distance is undefined and no expression can use it; move one of them"
TIME_ALONE = "its function must depend on t alone; use a force or torque for feedback"
SOLVED_FOR = {"acceleration", "angular_acceleration", "force", "torque", "force_joint", "torque_joint"}  # channels known behind a step
NO_RATE = ("how fast {!r} changes is no signal: the rate of a velocity is an acceleration, and a delay looks into the past; take "
           "positions, states and functions of t, or put a low pass between")
NO_RATE_OF_PYTHON = "how fast a function of Python changes is not known exactly; give an expression, a Table or a Profile"
USABLE = "expressions can use BODY.position.x, BODY.FRAME.velocity.z, JOINT.angle, JOINT.displacement_rate, MEASURE.distance and the like"


class Sensed(NamedTuple):
    """A channel that an expression may use: of a joint, of a measure, or (``frame`` is given) a component of a place."""
    item: str
    coordinate: str      # angle, displacement or distance; spin: angular velocity in body axes; modal; signal: of a block
    rate: bool           # its time derivative
    axis: int = 0        # of a place: 0 x, 1 y, 2 z; of a modal coordinate its number, from 0
    frame: Frame | None = None


def sensed(reference: str, bodies: Mapping[str, FrameOwner], joints: Mapping[str, Collection[str]], measures: Collection[str],
           others: Mapping[str, str] | None = None, offered: Collection[str] = ()) -> Sensed:
    """The channel ``reference``; ValueError if expressions cannot use it. ``joints`` gives their coordinates, ``others`` what
    further items are, for the message; ``offered``: signals of blocks and drives."""
    if reference in offered:
        return Sensed(reference, "signal", False)
    head = owner_of(reference, {*bodies, *joints, *measures, *(others or ())})
    rest = reference[len(head) + 1:].split(".")
    if head in joints:
        known = {f"{head}.{c}{rate}": Sensed(head, c, bool(rate)) for c in joints[head] for rate in ("", "_rate")}
        what = f"joint {head!r}"
    elif head in measures:
        known = {f"{head}.distance": Sensed(head, "distance", False), f"{head}.rate": Sensed(head, "distance", True)}
        what = f"measure {head!r}"
    elif head in bodies:
        frames = bodies[head].frames
        frame = ".".join(rest[:-2])  # of the ground also with points in its name
        if frame and (len(rest) == 3 or head == "ground") and frame not in frames:
            raise ValueError(no_frame(head, frame, frames))
        place = Frame(body=head, frame=frame if frame in frames else None)
        known = {f"{place}.{quantity}.{axis}": Sensed(head, "displacement", quantity == "velocity", "xyz".index(axis), place)
                 for quantity in ("position", "velocity") for axis in "xyz"}
        if head != "ground" and bodies[head].spins and not ((bodies[head].nodal or bodies[head].deforms) and place.frame):
            known |= {f"{place}.angular_velocity.{axis}": Sensed(head, "spin", True, "xyz".index(axis)) for axis in "xyz"}
        for k in range(getattr(getattr(bodies[head], "reduced", None), "n", 0)):
            known |= {f"{head}.modal{rate}.{k + 1}": Sensed(head, "modal", bool(rate), k) for rate in ("", "_rate")}
        what = f"body {head!r}"
    elif others and head in others:
        raise ValueError(f"channel {_short(reference)} of {others[head]} cannot be used in an expression; {USABLE}")
    else:
        items = [*bodies, *joints, *measures, *{name.rpartition(".")[0] or name: 0 for name in offered}]
        near = did_you_mean(head, items)
        raise MissingItem(f"channel {_short(reference)}: there is no body, joint or measure {_short(head)}{near}", head)
    if reference not in known:
        near = did_you_mean(reference, known, 0.85) if known else "; it has no coordinate"
        if SOLVED_FOR & {*rest}:
            behind = ", or pl.Washout of the velocity: the acceleration behind a low pass" if "acceleration" in rest else ""
            near = f"; it is solved for, so only a block with a period can use it: pl.Sample(name, {_short(reference)}, period){behind}"
        raise ValueError(f"channel {_short(reference)} of {what} cannot be used in an expression{near}")
    return known[reference]


def frames_in(item: Any) -> list[Frame]:
    """The frames that an item names."""
    found, todo = list[Frame](), list(dict(item).values())
    while todo:
        value = todo.pop(0)
        if isinstance(value, Frame):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            todo += value
    return found


def rate_name(reference: str, found: Sensed) -> str:
    """The channel that is the time derivative of one which is no rate itself."""
    if found.frame is not None:
        return f"{found.frame}.velocity.{'xyz'[found.axis]}"
    names = {"distance": f"{found.item}.rate", "modal": f"{found.item}.modal_rate.{found.axis + 1}"}
    return names.get(found.coordinate, f"{reference}_rate")


def _short(name: str) -> str:
    return repr(name if len(name) <= 60 else name[:59] + "…")


def no_body(name: str, bodies: Collection[str], joints: Collection[str] = ()) -> str:
    """The sentence for a body that is not there."""
    if name in joints:
        return (f"there is no body {_short(name)}; there is a joint of this name. Name a body, or use joint_torque or joint_force "
                "(JointTorque, JointForce) for a load between the two bodies of a joint")
    return f"there is no body {_short(name)}{did_you_mean(name, bodies)}"


def no_position(body: str, at: tuple[float, float, float]) -> str:
    """The sentence for a point of the world on a body that is nowhere as modelled."""
    point = ", ".join(f"{x:g}" for x in at)
    return (f"body {_short(body)} has no stated position, so the point ({point}) of the world is no place on it; state its position, "
            "or name frames")


def no_frame(body: str, frame: str, frames: Collection[str]) -> str:
    """The sentence for a frame that is not there."""
    near = did_you_mean(frame, frames) if frames else "; it has none, name it under frames"
    return f"body {_short(body)} has no frame {_short(frame)}{near}"


def no_node(body: str, nodes: Collection[str]) -> str:
    """The sentence for something that acts on a flexible body, but at no node."""
    return (f"body {_short(body)} is flexible, and its own frame is no place that can be held or loaded; name one of its interfaces"
            f"{did_you_mean('', [f'{body}.{node}' for node in nodes])}")


def no_twist(body: str) -> str:
    """The sentence for something that needs axes of a body whose sections have none."""
    return (f"the sections of {_short(body)} have a direction, that of its axis, but no twist. Take a Spherical joint, or a Revolute joint "
            "about its axis, which holds its direction, or give the body a formulation with twist, such as geometrically-exact")


def no_line(frame: Any, body: Any) -> str:
    """The sentence for a joint that slides along something that is no line."""
    lines = getattr(getattr(body, "reduced", None), "lines", {})
    if not lines:
        return f"body {_short(frame.body)} has no lines to slide along; they are named when a flexible part is reduced: lines={{...}}"
    return f"body {_short(frame.body)} has no line {_short(frame.frame)}{did_you_mean(frame.frame, lines)}"


def no_port(port: str, ports: Collection[str]) -> str:
    """The sentence for a port that is not there."""
    return f"there is no port {_short(port)}{did_you_mean(port, sorted(ports)) if ports else '; the model has none'}"


def no_coordinate(joint: str, coordinate: str, has: Collection[str]) -> str:
    """The sentence for a coordinate that a joint does not have."""
    return f"joint {_short(joint)} has no coordinate {coordinate!r}; it has {' and '.join(has) if has else 'none'}"


def held(joint: str, coordinate: str) -> str:
    """The sentence for a drive of a coordinate that its joint holds."""
    return f"joint {_short(joint)} holds its {coordinate}; leave out hold or the drive"


def algebraic_loop(names: Sequence[str]) -> str:
    """The sentence for signals that need each other, the first one again at the end."""
    return (f"an algebraic loop: {' -> '.join(map(repr, names))} need each other at the same instant; put a state between them, such as a "
            "low pass")


def one_body(a: Frame, b: Frame) -> str | None:
    """The sentence for a joint between a body and itself; None if all is well."""
    return f"both frames are on {_short(a.body)}; a joint connects two bodies" if a.body == b.body else None
