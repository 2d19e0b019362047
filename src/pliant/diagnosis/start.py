"""The start: joints that are open as modelled, drives that begin elsewhere, velocities that cannot be, functions that jump."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel

from ..compile.compiled_model import GAP, Extent
from ..families.constraints import DRIVE
from ..functions.table import Table
from ..items.joints import Turns
from ..items.rotations import ManyTurns
from ..items.stops import SIDES, Stop
from ..items.teeth import Teeth
from ..kernels import evaluation
from ..kernels.expression_vm import value_at
from ..report.finding import ERROR, NOTE, WARNING, Finding, Severity, names
from .loops import by_time
from .mechanism import LARGEST, Block, Component, Mechanism
from .rank import RowSpace, motion
from .registry import MODELLED, RANKED, REFUSED, add_code, check

if TYPE_CHECKING:
    from .examination import Examination

INTERVALS, SUSPECTS = 1000, 12   # of the duration in search of jumps; so many are looked at closely
CLOSE = 1e-11                    # of the duration: how closely
add_code("joint-gap", "joints that are open as modelled")
add_code("impossible-assembly", "joints that no pose can satisfy together")


class Gap:
    """How far a joint is open: m and rad."""

    def __init__(self, block: Block, R: np.ndarray) -> None:
        turning = np.array([d[0] in ("d1", "angle") for d in block.directions])
        values = R[block.rows]
        self.name = block.name
        self.length = float(np.linalg.norm(values[~turning]))
        self.angle = float(np.arcsin(np.minimum(1.0, abs(values[turning]))).max(initial=0.0))

    def __str__(self) -> str:
        words = [f"{1e3 * self.length:.3g} mm"] if self.length > 1e-12 or not self.angle else []
        return " and ".join([*words, *([f"{np.degrees(self.angle):.3g} degrees"] if self.angle > 1e-12 else [])])


def gaps(mechanism: Mechanism, q: np.ndarray, tolerance: float) -> list[Gap]:
    """Joints that are open at q."""
    mechanism.at(q)
    found = [Gap(b, mechanism.x.R) for b in mechanism.blocks if b.kind == "joint"]
    return [g for g in found if not max(g.length, g.angle) <= tolerance]


def tolerance_of(mechanism: Mechanism) -> float:
    return GAP * max(1.0, mechanism.length)


def assembly(mechanism: Mechanism, components: list[Component], starts: bool) -> tuple[np.ndarray, set[str], list[Finding]]:
    """The pose that satisfies the joints, the names of blocks for which there is none, and what is to be said about gaps."""
    q0 = mechanism.system.q0
    open_ = gaps(mechanism, q0, tolerance_of(mechanism))
    q, hopeless, found = q0, set[str](), list[Finding]()
    for component in components:
        q, left = mechanism.close(component, q)
        if not left < 1e-9:
            members = {b.name for b in component.blocks}
            hopeless |= members
            found.append(_impossible([g for g in gaps(mechanism, q, 1e-6 * mechanism.length) if g.name in members], component))
    whole = Component(mechanism.tiles)
    far = Extent.of(*motion(mechanism, whole, q0, q))
    for gap in open_:
        if gap.name not in hopeless:
            severity: Severity = WARNING if starts else ERROR
            how = (f"A pose in which all joints of its loop close is near: bodies move by up to {far}." if far.largest > 1e-7
                   else "Moving one body closes it.")
            closing = " Assembly closes it before the run." if starts else ""
            found.append(Finding("joint-gap", severity, (gap.name,), f"joint {gap.name!r} is open by {gap} as modelled.{closing}",
                                 f"{how} Correct the positions of the bodies or the frames of the joint."))
    mechanism.at(q)
    return q, hopeless, found


def _impossible(left: list[Gap], component: Component) -> Finding:
    worst = sorted(left, key=lambda g: -float(f"{max(g.length, g.angle):.3g}"))  # as shown; rounding does not decide which comes first
    listed = "; ".join(f"{g.name!r} stays open by {g}" for g in worst[:5])
    items = tuple(b.name for b in component.blocks if b.name in {g.name for g in left})
    return Finding("impossible-assembly", ERROR, items, f"no pose near the modelled one closes all joints of the loop: {listed}.",
                   "Lengths or axes do not fit together: check the lengths of links and distances and the places of the joints' frames, or "
                   "model a pose nearer to an assembled one.")


@check("drive-start", "a drive that does not begin where the joint is", MODELLED)
def drive_starts(e: Examination) -> Iterator[Finding]:
    """Drives whose value at t = 0 is not that of the joint in the pose as modelled, nor the start value that is given for it."""
    mechanism = e.mechanism
    mechanism.at(mechanism.system.q0)
    for block in (b for b in mechanism.blocks if b.kind == "drive"):
        off = abs(float(mechanism.x.R[block.rows[0]]))
        joint, kind = mechanism.directory.drives[block.name][2:]
        stated = mechanism.directory.joints[joint].stated.get(kind)
        if np.isfinite(off) and off > tolerance_of(mechanism) and (stated is None or not e.starts):
            angle = block.directions[0][0] == "angle"
            size = f"{off:.4g} rad ({np.degrees(off):.3g} degrees)" if angle else f"{1e3 * off:.4g} mm"
            other = f", and the start value {kind} = {stated:.4g} of that joint is another one" if stated is not None else ""
            moves = ": assembly moves the bodies there" if e.starts else ""
            yield Finding("drive-start", NOTE if e.starts else ERROR, (block.name,), f"drive {block.name!r} begins "
                          f"{size} away from where joint {joint!r} is as modelled{moves}{other}.",
                          f"Let its function begin at the {kind} of the joint (zero as modelled, or its zero=), or give the joint the "
                          f"start value {kind}= that is meant.")


@check("many-turns", "an angle in radians that looks like one in degrees", MODELLED)
def many_turns(e: Examination) -> Iterator[Finding]:
    """Angles of more than a turn that are round numbers in radians, as only degrees are."""
    mechanism, model = e.mechanism, e.model
    s, x, directory = mechanism.system, mechanism.x, mechanism.directory
    given = [(item.name, f"{item.kind} {item.name!r}: {field} =", float(value)) for item in model for field in ("angle", "zero")
             for value in [getattr(item, field, None)] if isinstance(value, float) and (field == "angle" or isinstance(item, Turns))]
    given += [(item.name, f"{item.kind} {item.name!r}: {side} =", limit) for item in (*model, *model.brought()) if isinstance(item, Stop)
              and item.coordinate == "angle" and not isinstance(item, Teeth) for side in SIDES
              for limit in [getattr(item, side)] if limit is not None]
    given += [(item.name, f"{item.kind} {item.name!r}: a rotation by", q.angle) for item in model for q in _rotations(item)]
    for name, code in directory.codes.items():
        function = getattr(model.items.get(name), "function", None)
        if directory.drives[name][3] == "angle" and not (isinstance(function, str) and "rad" in function):
            with s.failures.ignored():
                value = float(value_at(0.0, x.Y, s.data.tab, s.data.val, code, x.W))
            given.append((name, f"drive {name!r} begins at", value))
    for name, words, value in given:
        if np.isfinite(value) and abs(value) > 2 * np.pi and (2 * value).is_integer():
            yield Finding("many-turns", NOTE, (name,), f"{words} {value:.6g} rad, which is {abs(value) / (2 * np.pi):.3g} turns.",
                          f"Write '{value:.6g} deg' if degrees are meant; angles without a unit are in radians.")


def _rotations(value: Any) -> Iterator[ManyTurns]:
    """Rotations in an item, its places and frames that were written as more than a turn."""
    if isinstance(value, ManyTurns):
        yield value
    elif isinstance(value, BaseModel):
        for _, field in value:
            yield from _rotations(field)
    elif isinstance(value, dict):
        for entry in value.values():
            yield from _rotations(entry)


# -- velocities
@check("conflicting-velocities", "stated velocities that joints or drives do not allow", REFUSED)
def velocities(e: Examination) -> Iterator[Finding]:
    """Stated velocities that joints, drives or other statements do not allow."""
    mechanism = e.space
    stated = mechanism.directory.stated
    if sum(len(b.rows) for b in mechanism.blocks) + 6 * len(stated) > 2 * LARGEST:
        return
    drives = [b.name for b in mechanism.blocks if b.kind == "drive"]
    for body, parts in _conflicts(mechanism).items():
        whole = mechanism.directory.whole
        body, bodies = whole(body), list(dict.fromkeys(whole(b) for b in stated if _statement(b) in parts))
        items = (*bodies, *(d for d in drives if d in parts))
        others = [n for n in items if n != body]
        against = f" together with {names(others)}" if others else ""
        if not e.off & set(items):
            yield Finding("conflicting-velocities", ERROR, items, f"body {body!r}: "
                          f"its stated velocity{against} contradicts the joints.",
                          "State fewer velocities - what is left out is solved for - or correct them.")


def _statement(body: str) -> str:
    """Among the equations of items, what a body states."""
    return f"velocity of {body}"


def _conflicts(mechanism: Mechanism) -> dict[str, set[str]]:
    """Bodies whose stated velocities follow from equations and statements before them, with other values: their names."""
    tiles, first = mechanism.tiles, by_time(mechanism, 0.0)
    rows, _, mixes = mechanism.matrix(mechanism.blocks, tiles)
    right = {b.name: -mixes[b.name] @ first[b.rows] for b in mechanism.blocks}
    widths = [mechanism.basis(k).shape[1] for k in tiles]
    space = RowSpace(sum(widths))
    for block, part in zip(mechanism.blocks, rows, strict=True):
        space.add(block.name, part)
    starts = dict(zip(tiles, np.cumsum([0, *widths]).tolist(), strict=False))
    conflicts: dict[str, set[str]] = {}
    for body, said in mechanism.directory.stated.items():
        if not any(said.which):
            continue
        k, E = said.iv // 6, mechanism.basis(said.iv // 6)
        full = np.zeros((int(sum(said.which)), len(space.Q)))
        full[:, starts[k]:starts[k] + E.shape[1]] = (said.map(mechanism.system.q0) @ E)[said.which]
        size = np.where(np.arange(6) < 3, mechanism.length, 1.0)[said.which]
        right[_statement(body)] = said.values[said.which] / size
        for parts in space.add(_statement(body), full / size[:, None]):
            terms = [y @ right[name] for name, y in parts.items()]
            fastest = max(float(abs(right[name]).max(initial=0.0)) for name in parts)
            if abs(sum(terms)) > 1e-6 * fastest:
                conflicts.setdefault(body, set()).update(parts)
    return conflicts


# -- functions of drives
@check("drive-jump", "a drive whose function jumps", RANKED)
@check("drive-kink", "a drive whose velocity jumps", RANKED)
def jumps(e: Examination) -> Iterator[Finding]:
    """Drives whose function or its first derivative jumps."""
    mechanism, duration = e.mechanism, e.settings.length
    drives = [b for b in mechanism.blocks if b.kind == "drive"]
    if not drives:
        return
    s, x = mechanism.system, mechanism.x
    residual, rates = (s.program(p, families=[DRIVE]) for p in ("residual", "rates"))
    rows = [b.rows[0] for b in drives]

    def look(t: float) -> np.ndarray:
        """Value (up to whole turns) and rate of every drive."""
        x.V[:] = 0
        with s.failures.ignored():
            evaluation.run(residual, s.data, x, t, 0.0, 0.0, 0.0)
            value = -x.R[rows]
            evaluation.run(rates, s.data, x, t, 0.0, 0.0, 0.0)
        return np.array([value, -x.V[rows]])
    times = np.linspace(0, duration, INTERVALS + 1)
    seen = np.array([look(t) for t in times])
    told: dict[Any, list[Finding]] = {}
    for k, block in enumerate(drives) if np.isfinite(seen).all() else ():
        given, n = getattr(e.model.items.get(block.name), "function", None), len(times)
        table = given if isinstance(given, Table) else None
        if table is not None and e.settings.duration is None:  # then the table says how long the motion is
            n = int(np.searchsorted(times, table.x[-1], "right"))
        for found in _jumps(block, mechanism, lambda t, k=k: look(t)[:, k], times[:n], seen[:n, :, k], table):  # type: ignore[misc]
            told.setdefault((found.code, table or block.name), []).append(found)
    for first, *others in told.values():  # of one table once
        items = (*first.items, *(name for other in others for name in other.items))
        several = first.message.replace(f"drive {first.items[0]!r}:", f"drives {names(items)}:", 1).replace(" its ", " their ")
        message = several if others else first.message
        yield replace(first, items=items, message=message)


def _jumps(block: Block, mechanism: Mechanism, look: Callable[[float], np.ndarray], times: np.ndarray, seen: np.ndarray,
           table: Table | None) -> Iterator[Finding]:
    """Where the function, or else its velocity, jumps most; ``table``: that it is, if it is one."""
    if len(times) < 2:
        return
    angle = block.directions[0][0] == "angle"
    natural, unit = (1.0, "rad") if angle else (mechanism.length, "m")

    def leap(a: np.ndarray, b: np.ndarray, h: float) -> float:
        """What the rates do not explain of a change of the value."""
        off = float(b[0] - a[0] - h * (a[1] + b[1]) / 2)
        return abs(off - 2 * np.pi * round(off / (2 * np.pi))) if angle else abs(off)

    def kink(a: np.ndarray, b: np.ndarray, h: float) -> float:
        return abs(float(b[1] - a[1]))
    fast = float(abs(seen[:, 1]).max())
    for measure, least, code in ((leap, 1e-6 * natural, "drive-jump"), (kink, 1e-4 * max(fast, 1e-9 * natural), "drive-kink")):
        at, size = _largest(measure, look, times, seen)
        if size > least:
            unit_ = unit if code == "drive-jump" else f"{unit}/s"
            what = "its function jumps" if code == "drive-jump" else "its velocity jumps"
            where, remedy = _end_of(table, at, times[-1])
            yield Finding(code, ERROR if code == "drive-jump" else WARNING, (block.name,),
                          f"drive {block.name!r}: {what} by {size:.3g} {unit_} at t = {at:.6g} s{where}; "
                          + ("no mechanism can follow." if code == "drive-jump" else "that takes an infinite force for an instant."),
                          remedy or "Round it off: step(t, t0, 0, t1, 1) rises smoothly, a cubic Table has no kinks between its points.")
            return


def _end_of(table: Table | None, at: float, duration: float) -> tuple[str, str]:
    """Words for a jump at an end of a table, and what to do; none if it is not there."""
    ends = [] if table is None else [which for which, x in (("begins", table.x[0]), ("ends", table.x[-1])) if abs(at - x) < 1e-6 * duration]
    if not ends:
        return "", ""
    other = f", or end the run there: duration = {at:.6g} s" if ends == ["ends"] else ""
    side = "before it" if ends == ["begins"] else "after it"
    return (f", where its table {ends[0]} (it is constant {side})",
            f"Give the table more points, at rest where it {ends[0]} or all through the run{other}.")


def _largest(measure: Callable[[np.ndarray, np.ndarray, float], float], look: Callable[[float], np.ndarray], times: np.ndarray,
             seen: np.ndarray) -> tuple[float, float]:
    """Where the measure stays largest when the interval shrinks, and its value there."""
    sizes = np.array([measure(seen[i], seen[i + 1], times[i + 1] - times[i]) for i in range(len(times) - 1)])
    best = 0.0, 0.0
    for i in np.argsort(-sizes, kind="stable")[:SUSPECTS]:
        a, b, fa, fb = float(times[i]), float(times[i + 1]), seen[i], seen[i + 1]
        while b - a > CLOSE * times[-1]:
            middle = (a + b) / 2
            fm = look(middle)
            if measure(fa, fm, middle - a) >= measure(fm, fb, b - middle):
                b, fb = middle, fm
            else:
                a, fa = middle, fm
        size = measure(fa, fb, b - a)
        best = max(best, (float(b), size), key=lambda p: p[1])
    return best
