"""Programs of a model in joint coordinates: those of absolute ones, without the joints of the tree and the frames that only they need."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import types

from ..families import curves, distributed, feet, lines, modal, nodes, rigid
from ..families.couplings import COUPLING
from ..families.rigid import FRAME
from ..families.rotors import ROTOR
from ..families.signals import SENSE
from ..kernels.contract import STAGES, Family, address
from ..kernels.evaluation import Program
from ..kernels.jit import DISABLED
from ..kernels.pairs import FA, FB, ROW

if TYPE_CHECKING:
    from ..compile.system import System
    from .tree import JointSpace

FRAME_FAMILIES = rigid.FRAMES, nodes.FRAMES, lines.FRAMES, lines.COUNTERS, distributed.FRAMES, curves.ON_CURVE, feet.FRAMES
MARKER_FAMILIES = rigid.MARKERS, nodes.MARKERS
BODY_FAMILIES = rigid.BODY, modal.BODY
Rows = dict[Family, list[int]]


class Programs(NamedTuple):
    """forces: left sides of the bodies' equations; gaps, jacobian, rates: of the equations of cut joints; power: of forces and drives."""
    forces: Program
    gaps: Program
    jacobian: Program
    rates: Program
    power: Program


def placing(system: System, markers: bool = False) -> dict[int, int]:
    """{frame: the element that places it}"""
    families = FRAME_FAMILIES + MARKER_FAMILIES if markers else FRAME_FAMILIES
    return {int(system.data.ip[e, FRAME]): e for family in families for e in range(*system.families.get(family, (0, 0)))}


def split(space: JointSpace) -> tuple[Rows, Rows, set[int]]:
    """Elements that act on the bodies, those of cut joints, and those that place the frames of the first."""
    s, ip = space.system, space.system.data.ip
    cut, own = set(space.cut_rows.tolist()), {e for e in space.tree.drive.tolist() if e >= 0}
    acting, closing = Rows(), Rows()
    for family, (first, last) in s.families.items():
        if family in (*FRAME_FAMILIES, *MARKER_FAMILIES, ROTOR) or (family.act.residual is None and family.sense.residual is None):
            continue
        rows = range(first, last)
        if family not in BODY_FAMILIES and not family.force and family.act.tangent is not None and any(ip[e, ROW] >= s.n_v for e in rows):
            closing[family] = [e for e in rows if ip[e, ROW] in cut and e not in own]
        else:
            acting[family] = list(rows)
    if closing.get(COUPLING):
        closing[SENSE] = [e for e in acting[SENSE] if s.owners[e] in space.directory.related]
    return acting, closing, touched(s, {f: r for f, r in acting.items() if f not in BODY_FAMILIES})


def tangent_program(space: JointSpace) -> Program:
    """Left sides of the bodies' equations and their derivatives."""
    acting, _, seen = split(space)
    answers = {f: list(range(*rows)) for f, rows in space.system.families.items()  # to signals: they act in the tangent alone
               if (f.force and f.act.residual is None and f.act.tangent) or (f.sense.residual is None and f.sense.tangent)}
    return program(space.system, "tangent", _frames(space.system, seen) | acting | answers)


def closing_programs(space: JointSpace, x: Any = np.float64) -> tuple[Program, Program]:
    """Equations of cut joints with their forces, and their time derivatives."""
    s, (_, closing, _) = space.system, split(space)
    loop = _frames(s, touched(s, closing)) | closing
    return program(s, "residual", loop, x), program(s, "rates", loop, x)


def programs(space: JointSpace, x: Any = np.float64) -> Programs:
    """The programs of a run, for real or complex numbers."""
    s, (acting, closing, seen) = space.system, split(space)
    loop = _frames(s, touched(s, closing)) | closing
    working = {f: [e for e in range(*rows) if f is not modal.BODY or _damped(s, e)]
               for f, rows in s.families.items() if f.act.power is not None}
    power = _frames(s, seen) | acting | working if any(working.values()) else {}
    gaps, rates = closing_programs(space, x)
    return Programs(program(s, "residual", _frames(s, seen) | acting, x), gaps, program(s, "tangent", loop, x), rates,
                    program(s, "power", power, x))


def _damped(system: System, e: int) -> bool:
    """Whether a modal body dissipates."""
    n, pool = (int(system.data.ip[e, k]) for k in (modal.N, modal.POOL))
    first, pair = int(modal.ROWS), int(modal.PAIR)
    tables = system.data.val[pool + first * n:pool + (first + pair * n) * n].reshape(n, pair, n)
    return bool(tables[:, pair - 1].any())


def history_program(space: JointSpace) -> Program:
    """Angles of joints that are not in the tree and rotations of bushings, whose frames it places; what follows signals, with these."""
    from ..families.constraints import TURNS
    from ..kernels.coordinates import HISTORY
    s, known = space.system, {int(h) for h in space.tree.history[:, 0]}
    turns = {family: [e for e in range(*rows) if family is not TURNS or int(s.data.ip[e, HISTORY]) not in known]
             for family, rows in s.families.items() if family.act.history is not None}
    sensed = {f: list(range(*rows)) for f, rows in s.families.items() if f.sense.residual and f.rank < 2} if s.follows else {}
    following = {f: list(range(*rows)) for f, rows in s.families.items() if f.sense.history is not None}
    push = program(s, "residual", _frames(s, touched(s, turns | sensed)) | sensed, stages=("push", "sense"))
    count = program(s, "history", turns | following)
    if DISABLED:
        return Program([*push.address, *count.address], np.vstack([push.rows, count.rows]))  # type: ignore[arg-type]
    return Program(np.concatenate([push.address, count.address]), np.vstack([push.rows, count.rows]))


def touched(system: System, rows: Rows) -> set[int]:
    """Elements that place the frames of these elements."""
    ip, frames = system.data.ip, placing(system)
    found = {int(ip[e, side]) for family in rows for e in rows[family] for side in (FA, FB)}
    on_curves = range(*system.families.get(curves.ON_CURVE, (0, 0)))
    found |= {int(ip[frames[f], curves.BASE]) for f in found if frames.get(f) in on_curves}  # what carries the curve
    return {frames[f] for f in found if f in frames}


def _frames(system: System, elements: set[int]) -> Rows:
    """Elements that place frames, by family."""
    spans = {family: range(*system.families.get(family, (0, 0))) for family in FRAME_FAMILIES}
    return {family: sorted(e for e in elements if e in span) for family, span in spans.items()}


def program(system: System, name: str, rows: Rows, x: Any = np.float64, stages: Sequence[str] = STAGES) -> Program:
    """Like `System.program`, for some elements only."""
    scalar, calls = types.float64 if x is np.float64 else types.complex128, list[tuple[Any, tuple[int, int]]]()
    for stage in stages:
        for family in system.families:
            function, chosen = getattr(getattr(family, stage), name), rows.get(family, [])
            if function is not None and chosen:
                breaks = [k for k in range(1, len(chosen)) if chosen[k] != chosen[k - 1] + 1]
                for first, last in zip([0, *breaks], [*breaks, len(chosen)], strict=True):
                    calls.append((address(function, scalar), (chosen[first], chosen[last - 1] + 1)))
    addresses = [c[0] for c in calls]
    return Program(addresses if DISABLED else np.array(addresses, np.int64),  # type: ignore[arg-type]
                   np.array([c[1] for c in calls], np.int64).reshape(-1, 2))
