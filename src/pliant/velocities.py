"""Velocities at the start: what the user states is kept, the rest is solved for with the least kinetic energy."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import reactions
from .closing import coordinate, motions
from .families.rigid import BODY
from .kernels import loop

if TYPE_CHECKING:
    from .dynamics import Dynamics

KEPT = 1e-6        # stated velocities may change by this fraction
STATED = 1e6       # weight of a stated velocity against an unstated one
TURNED = 1e-4      # rad: a body turned by more has other world axes
PASSES = 4         # each brings the stated ones 1e6 times closer


class Said(NamedTuple):
    """A statement about velocities: rows v = values, as the user knows it."""
    label: str
    rows: np.ndarray
    values: np.ndarray


def rates(d: Dynamics) -> list[Said]:
    """What joints state of the rates of their coordinates, at the position that was linearised last."""
    return [Said(f"{which} of {name!r}", coordinate(d, joint, which.removesuffix("_rate"))[1][None, :], np.array([value]))
            for name, joint in d.directory.joints.items() for which, value in joint.stated.items() if which.endswith("_rate")]


def bodies(d: Dynamics) -> list[Said]:
    """What bodies state of theirs."""
    out = []
    for name, said in d.directory.stated.items():
        rows = np.zeros((6, d.system.n_v))
        rows[:, said.iv:said.iv + 6] = said.map(d.x.q)
        for word, part in (("velocity", slice(0, 3)), ("angular_velocity", slice(3, 6))):
            if said.which[part][0]:
                out.append(Said(f"{word} of {name!r}", rows[part], said.values[part]))
    return out


def solve(d: Dynamics) -> None:
    """Least kinetic energy, with what bodies state weighted so that it stays, and what joints state held; and it must stay.

    min v.M v / 2 + (S v - s).W (S v - s) / 2  subject to  C_q v + C_t = 0,  G v = g                [refine-2]
    """
    s, x, statements = d.system, d.x, {k: v for k, v in d.directory.stated.items() if any(v.which)}
    x.v[:], x.V[:] = 0, 0
    loop.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    by_time = x.V[s.n_v:].copy()
    first = s.families[BODY][0]
    row = {name: first + k for k, name in enumerate(s.owners[slice(*s.families[BODY])])}
    maps, weights = {name: said.map(x.q) for name, said in statements.items()}, {}
    for name, said in statements.items():
        own = s.data.rp[row[name]]
        weights[name] = STATED * (np.array([own[0]] * 3 + [max(own[1], own[5], own[9])] * 3) + 1e-12) * said.which
    d._matrix({said.iv // 6: maps[name].T * weights[name] @ maps[name] for name, said in statements.items()})
    held = rates(d)
    G = np.vstack([h.rows for h in held]) if held else np.zeros((0, s.n_v))
    g = np.array([h.values[0] for h in held])
    answers = np.array([d.solve(np.concatenate([by, np.zeros(s.n - s.n_v)]))[:s.n_v] for by in G]).reshape(-1, s.n_v)
    target = {name: said.values.copy() for name, said in statements.items()}
    b = np.zeros(s.n)
    for _ in range(PASSES):
        b[:], b[s.n_v:] = 0, -by_time
        for name, said in statements.items():
            b[said.iv:said.iv + 6] = maps[name].T @ (weights[name] * target[name])
        x.v[:s.n_v] = d.solve(b)[:s.n_v]
        for _ in range(2 if held else 0):
            x.v[:s.n_v] -= np.linalg.lstsq(G @ answers.T, G @ x.v[:s.n_v] - g, rcond=1e-12)[0] @ answers
        for name, said in statements.items():
            target[name] += said.values - maps[name] @ x.v[said.iv:said.iv + 6]
    x.V[:] = 0
    loop.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    _check(d, [*bodies(d), *held], by_time)


def _check(d: Dynamics, said: list[Said], by_time: np.ndarray) -> None:
    """Joints that would come apart, or statements that changed, are errors that name who contradicts whom."""
    from .dynamics import ModelError
    x, n_v = d.x, d.system.n_v
    if not np.isfinite(x.v).all():
        return  # told by others
    fast = max(1.0, d.length) * max(1.0, float(abs(by_time).max(initial=0.0)), float(abs(x.v).max(initial=0.0)))
    stuck = {name: gap for name, gap in d.openings(x.V).items() if gap.largest > KEPT * fast}
    scale = max([1.0, *(float(abs(one.values).max()) for one in said)])
    broken = [one for one in said if not float(abs(one.rows @ x.v[:n_v] - one.values).max()) <= KEPT * scale]
    if not stuck and not broken:
        return
    names = contradiction(d, said, by_time)
    if stuck and all(name.startswith("drive") for name in names):
        listed = "; ".join(f"joint {name!r} would come apart at {gap.text('/s')}" for name, gap in list(stuck.items())[:5])
        who = f" ({' and '.join(names)})" if names else ""
        raise ModelError(f"drives and joints contradict each other at the start{who}: {listed}. Remove a drive or free a joint, so that "
                         "the mechanism can move as it is driven")
    names = names or [one.label for one in broken]
    why, how = _turned(d, names)
    if len(names) == 1:
        raise ModelError(f"the stated velocities contradict the joints: the {names[0]} cannot be what it is said to be{why}. {how}eave it "
                         "out - what is left out is solved for - or correct it")
    raise ModelError(f"the stated velocities contradict each other: the {' and the '.join(names)} cannot all hold with these "
                     f"joints{why}. {how}eave one of them out - what is left out is solved for - or correct it")


def _turned(d: Dynamics, labels: list[str]) -> tuple[str, str]:
    """Reason and remedy for bodies that start values or drives turn: their velocities were perhaps meant as modelled."""
    for name, (_, angle) in motions(d, d.system.q0).items():
        if f"velocity of {name!r}" in labels and angle > TURNED:
            return (f"; it is the one in the pose at the start, to which start values or drives turn {name!r} by "
                    f"{np.degrees(angle):.3g} degrees", "State the angle_rate of a joint instead, l")
    return "", "L"


def contradiction(d: Dynamics, said: list[Said], by_time: np.ndarray) -> list[str]:
    """The labels of a smallest set of statements, drives among them, that cannot all hold together with the joints: a statement is
    dropped for good if the others still contradict each other without it."""
    s = d.system
    d._linearise(0.0)
    rows, C = reactions.equations(s), reactions.jacobian(s, d.tiles)
    C = C if isinstance(C, np.ndarray) else C.toarray()
    by, unit = reactions.lengths(s, d.length), d.unit[rows]
    driven = {row: name for name, (row, *_) in d.directory.drives.items()}
    base = unit[:, None] * C * by
    joints = np.array([row not in driven for row in rows], bool)
    drives = [Said(f"drive {driven[row]!r}", base[k][None, :], np.array([-unit[k] * by_time[row - s.n_v]]))
              for k, row in enumerate(rows) if row in driven]
    parts = [*drives, *(Said(one.label, one.rows * by / d.length, one.values / d.length) for one in said)]

    def holds(some: list[Said]) -> bool:
        A = np.vstack([base[joints], *(one.rows for one in some)])
        b = np.concatenate([np.zeros(int(joints.sum())), *(one.values for one in some)])
        v = np.linalg.lstsq(A, b, rcond=1e-9)[0]
        return float(abs(A @ v - b).max(initial=0.0)) <= KEPT / 10 * max(1.0, float(abs(b).max(initial=0.0)))
    if holds(parts):
        return []
    needed: Any = list(parts)
    for one in parts:
        without = [other for other in needed if other is not one]
        if not holds(without):
            needed = without
    return [one.label for one in needed]
