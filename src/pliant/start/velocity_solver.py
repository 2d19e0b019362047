"""Velocities at the start: what the user states is kept, the rest is solved for with the least kinetic energy."""
from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..compile import redundancy
from ..compile.channel_map import ACROSS
from ..items.base import matrix_of
from ..kernels import evaluation
from .position_solver import coordinate, motions

if TYPE_CHECKING:
    from ..compile.array_builder import SlopeNode
    from ..compile.channel_map import StatedVelocity
    from ..compile.compiled_model import CompiledModel

KEPT = 1e-6        # stated velocities may change by this fraction
STATED = 1e6       # weight of a stated velocity against an unstated one
TURNED = 1e-4      # rad: a body turned by more has other world axes
DRIVE = "drive"
PASSES = 4         # each brings the stated ones 1e6 times closer
HELD = 1e4         # weight of a link of a beam against all of the beam turning about an end, for each of its links
MOST, NO_MORE = 50, 1e-12  # passes of models with links, which end where velocities, of which this part is rounding, stay


class Said(NamedTuple):
    """A statement of an item about velocities, as the user knows it: rows v[first:first + width of the rows] = values."""
    what: str   # velocity, angular_velocity, modal_rate, angle_rate, ...; drive
    item: str
    rows: np.ndarray
    values: np.ndarray
    first: int = 0

    @property
    def label(self) -> str:
        return f"drive {self.item!r}" if self.what == DRIVE else f"{self.what} of {self.item!r}"

    def of(self, v: np.ndarray) -> np.ndarray:
        """What these velocities give for the values."""
        return np.asarray(self.rows @ v[self.first:self.first + self.rows.shape[1]])

    def whole(self, n_v: int) -> np.ndarray:
        """Rows for all velocities."""
        rows = np.zeros((len(self.rows), n_v))
        rows[:, self.first:self.first + self.rows.shape[1]] = self.rows
        return rows


def rates(d: CompiledModel) -> list[Said]:
    """What joints state of the rates of their coordinates, at the position that was linearised last."""
    return [Said(which, name, coordinate(d, joint, which.removesuffix("_rate"))[1][None, :], np.array([value]))
            for name, joint in d.directory.joints.items() for which, value in joint.stated.items() if which.endswith("_rate")]


def bodies(d: CompiledModel) -> list[Said]:
    """What bodies state of theirs."""
    out = []
    for name, said in d.directory.stated.items():
        rows = said.map(d.x.q)
        moves = "angular_velocity" if name.endswith(ACROSS) else "velocity"
        for word, part in ((moves, slice(0, 3)), ("angular_velocity", slice(3, 6))):
            if said.which[part][0]:
                out.append(Said(word, d.directory.whole(name), rows[part], said.values[part], said.iv))
    return out


def elastic(d: CompiledModel) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Per tile of modal rates: which of its rows they are and their values, stated or zero."""
    out = {}
    for body in d.directory.flexible.values():
        for first in range(body.iv, body.iv + body.scale.size, 6):
            rows = np.arange(6) < body.iv + body.scale.size - first
            out[first // 6] = rows, np.where(rows, d.system.v0[first:first + 6], 0.0)
    return out


def heavy_modes(d: CompiledModel) -> dict[int, np.ndarray]:
    """What is added to the tiles of modal coordinates so that they stay where they are, if the joints allow it."""
    tiles = elastic(d)
    if not tiles:
        return {}
    d._linearise(0.0)
    return {tile: np.diag(STATED * np.diag(d.tiles[d.system.block[tile, tile]])) for tile in tiles}


def solve(d: CompiledModel) -> None:
    """Least kinetic energy; modal rates stay as stated (zero if they are not) unless the joints cannot do without them. States of blocks
    and drives begin as they are stated."""
    _of_bodies(d)
    for state in d.system.states:
        d.x.v[state.iv] = d.system.v0[state.iv]


def _of_bodies(d: CompiledModel) -> None:
    held = elastic(d)
    if held:
        by_time, said = _solve(d, held)
        if not _wrong(d, said, by_time):
            return
        free = {b.iv + k for b in d.directory.flexible.values() if not b.stated for k in range(b.scale.size)}
        held = {tile: part for tile, part in held.items() if 6 * tile not in free}
    by_time, said = _solve(d, held)
    _check(d, said, by_time)


def _solve(d: CompiledModel, held_rates: dict[int, tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, list[Said]]:
    """What bodies state is weighted so that it stays, what joints state is held.

    min v.M v / 2 + (S v - s).W (S v - s) / 2  subject to  C_q v + C_t = 0,  G v = g                [refine-2]
    """
    s, x, statements = d.system, d.x, {k: v for k, v in d.directory.stated.items() if any(v.which)}
    x.v[:], x.V[:] = 0, 0
    evaluation.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    by_time = x.V[s.n_v:].copy()
    d._linearise(0.0)
    links = rigid_links(d)
    maps, weights, modal = _weighted(d, statements, held_rates, links)
    held = rates(d)
    G = np.vstack([h.rows for h in held]) if held else np.zeros((0, s.n_v))
    g = np.array([h.values[0] for h in held])
    answers = np.array([d.solve(np.concatenate([by, np.zeros(s.n - s.n_v)]))[:s.n_v] for by in G]).reshape(-1, s.n_v)
    target = {name: said.values.copy() for name, said in statements.items()}
    goal = {tile: values.copy() for tile, (_, values) in held_rates.items()}
    strain = [np.zeros(len(link.rows)) for link in links]
    b = np.zeros(s.n)
    for k in range(MOST if links else PASSES):
        before = x.v[:s.n_v].copy()
        b[:], b[s.n_v:] = 0, -by_time
        for name, said in statements.items():
            b[said.iv:said.iv + 6] = maps[name].T @ (weights[name] * target[name])
        for tile, w in modal.items():
            b[6 * tile:6 * tile + 6] = w * goal[tile]
        for link, rate in zip(links, strain, strict=True):
            b[link.places] += link.rows.T @ (link.weights * rate)
        x.v[:s.n_v] = d.solve(b)[:s.n_v]
        for _ in range(2 if held else 0):
            x.v[:s.n_v] -= np.linalg.lstsq(G @ answers.T, G @ x.v[:s.n_v] - g, rcond=1e-12)[0] @ answers
        for name, said in statements.items():
            target[name] += said.values - maps[name] @ x.v[said.iv:said.iv + 6]
        for tile, (rows, values) in held_rates.items():
            goal[tile] += rows * (values - x.v[6 * tile:6 * tile + 6])
        for link, rate in zip(links, strain, strict=True):
            rate -= link.rows @ x.v[link.places]
        if k >= PASSES - 1 and abs(x.v[:s.n_v] - before).max(initial=0.0) <= NO_MORE * abs(before).max(initial=0.0):
            break
    x.V[:] = 0
    evaluation.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    return by_time, [*bodies(d), *_modal(d, held_rates), *held]


class Link(NamedTuple):
    """What two nodes of a beam must do to move as one rigid body: rows v[places] = 0. Of each of them follow one or more whole tiles."""
    places: np.ndarray
    rows: np.ndarray
    weights: np.ndarray


def rigid_links(d: CompiledModel) -> list[Link]:
    """A beam begins without rates of strain, as far as the joints let it: v_B = v_A + R_A w_A x (p_B - p_A), R_B w_B = R_A w_A."""
    found, block = list[Link](), d.system.block
    slopes = {node.name: node for node in d.system.slopes}
    for beam in d.directory.beams.values():
        nodes = [slopes.get(node) or d.directory.stated[node] for node in beam.nodes]
        points = np.array([d.x.q[node.iq:node.iq + 3] for node in nodes])
        length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        mass = HELD * len(nodes) * sum(float(max(np.diag(d.tiles[block[k.iv // 6, k.iv // 6]])[:3])) for k in nodes)
        if beam.nodes[0] in slopes:
            held = [slopes[node] for node in beam.nodes]
            span = 3 if len(held) > 2 and held[1].vectors == 1 else 2  # points alone do not tell how they turn
            found += [_slope_link(d, held[k:k + span], mass * length**2) for k in range(len(held) - span + 1)]
            continue
        ends = [d.directory.stated[node] for node in beam.nodes]
        for a, b in pairwise(ends):
            A, B = (matrix_of(d.x.q[k.iq + 3:k.iq + 7].tolist()) for k in (a, b))
            rows = np.zeros((6, 12))
            rows[:3, :3], rows[:3, 6:9], rows[3:, 3:6], rows[3:, 9:] = -np.eye(3), np.eye(3), -A, B
            rows[:3, 3:6] = np.cross(np.eye(3), d.x.q[b.iq:b.iq + 3] - d.x.q[a.iq:a.iq + 3]) @ A
            found.append(Link(np.r_[a.iv:a.iv + 6, b.iv:b.iv + 6], rows, mass * np.array([1.0] * 3 + [length**2] * 3)))
    return found


def _slope_link(d: CompiledModel, nodes: Sequence[SlopeNode], weight: float) -> Link:
    """Of nodes of slopes: no velocity but those of v + w x p at places, w x r' at slopes."""
    vectors = [(d.x.q[node.iq + 3 * k:node.iq + 3 * k + 3], k == 0, node.iv + 3 * k) for node in nodes for k in range(node.vectors)]
    whole = np.concatenate([np.arange(node.iv, node.iv + 6 * ((node.vectors + 1) // 2)) for node in nodes])
    points = np.array([x for x, place, _ in vectors if place])
    middle, size = points.mean(0), float(np.linalg.norm(points[-1] - points[0])) or 1.0
    by = np.array([size if place else 1.0 for _, place, _ in vectors]).repeat(3)  # places in lengths of the element
    turns = np.vstack([np.cross(np.eye(3), x - middle if place else x) for x, place, _ in vectors])
    moves = np.vstack([size * place * np.eye(3) for _, place, _ in vectors])
    U, S, _ = np.linalg.svd(np.hstack([moves, turns]) / by[:, None], full_matrices=True)
    own = U[:, int((1e-9 * S[0] < S).sum()):].T / by
    rows = np.zeros((len(own), whole.size))
    rows[:, np.searchsorted(whole, np.concatenate([np.arange(iv, iv + 3) for *_, iv in vectors]))] = own
    return Link(whole, rows, np.full(len(rows), weight))


def _weighted(d: CompiledModel, statements: dict[str, StatedVelocity],
              held_rates: dict[int, tuple[np.ndarray, np.ndarray]], links: Sequence[Link]
              ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[int, np.ndarray]]:
    """Of statements of bodies: S and W by body, of modal rates W by tile; the matrix is factorised with them."""
    block = d.system.block
    tiles = [*(said.iv // 6 for said in statements.values()), *held_rates]
    own = {tile: np.diag(d.tiles[block[tile, tile]]) for tile in tiles}
    maps, weights = {name: said.map(d.x.q) for name, said in statements.items()}, {}
    for name, said in statements.items():
        mass = own[said.iv // 6]
        if said.slopes:  # a slope may have next to no inertia of its own
            mass = np.maximum(mass, 1e-2 * mass.max() * d.length**2 * (mass > 0))
        weights[name] = STATED * (np.array([mass[0]] * 3 + [mass[3:].max()] * 3) + 1e-12) * said.which
    modal = {tile: STATED * own[tile] * rows for tile, (rows, _) in held_rates.items()}
    more: dict[Any, np.ndarray] = {said.iv // 6: maps[name].T * weights[name] @ maps[name] for name, said in statements.items()}
    more |= {tile: np.diag(w) for tile, w in modal.items()}
    for link in links:
        full, ends = link.rows.T @ (link.weights[:, None] * link.rows), (link.places[::6] // 6).tolist()
        for i, j in product(range(len(ends)), repeat=2):
            key, part = (ends[i], ends[j]) if i != j else ends[i], full[6 * i:6 * i + 6, 6 * j:6 * j + 6]
            more[key] = more[key] + part if key in more else part
    d._matrix(more)
    return maps, weights, modal


def _modal(d: CompiledModel, held_rates: dict[int, tuple[np.ndarray, np.ndarray]]) -> list[Said]:
    """What bodies state of modal rates, or that they are zero."""
    out = []
    for name, body in d.directory.flexible.items():
        if body.iv // 6 in held_rates:
            n = body.scale.size
            out.append(Said("modal_rate", name, np.eye(n), d.system.v0[body.iv:body.iv + n], body.iv))
    return out


def _wrong(d: CompiledModel, said: list[Said], by_time: np.ndarray) -> tuple[dict[str, Any], list[Said]] | None:
    """Joints that would come apart, and statements that changed; None if all is well, or if it is for others to tell."""
    x, n_v = d.x, d.system.n_v
    if not np.isfinite(x.v).all():
        return None
    fast = max(1.0, d.length) * max(1.0, float(abs(by_time).max(initial=0.0)), float(abs(x.v).max(initial=0.0)))
    stuck = {name: gap for name, gap in d.openings(x.V).items() if gap.largest > KEPT * fast}
    scale = max([1.0, *(float(abs(one.values).max()) for one in said)])
    broken = [one for one in said if not float(abs(one.of(x.v[:n_v]) - one.values).max()) <= KEPT * scale]
    return (stuck, broken) if stuck or broken else None


def _check(d: CompiledModel, said: list[Said], by_time: np.ndarray) -> None:
    """Joints that would come apart, or statements that changed, are errors that name who contradicts whom."""
    from ..items.errors import ModelError
    wrong = _wrong(d, said, by_time)
    if wrong is None:
        return
    stuck, broken = wrong
    found = contradiction(d, said, by_time)
    names = list(dict.fromkeys(one.label for one in found))
    if stuck and all(one.what == DRIVE for one in found):
        listed = "; ".join(f"joint {name!r} would come apart at {gap.text('/s')}" for name, gap in list(stuck.items())[:5])
        who = f" ({' and '.join(names)})" if names else ""
        raise ModelError(f"drives and joints contradict each other at the start{who}: {listed}. Remove a drive or free a joint, so that "
                         "the mechanism can move as it is driven", (*(one.item for one in found), *stuck))
    found = found or broken
    names, items = list(dict.fromkeys(one.label for one in found)), tuple(dict.fromkeys(one.item for one in found))
    why, how = _turned(d, found)
    if len(names) == 1:
        raise ModelError(f"the stated velocities contradict the joints: the {names[0]} cannot be what it is said to be{why}. {how}eave it "
                         "out - what is left out is solved for - or correct it", items)
    raise ModelError(f"the stated velocities contradict each other: the {' and the '.join(names)} cannot all hold with these "
                     f"joints{why}. {how}eave one of them out - what is left out is solved for - or correct it", items)


def _turned(d: CompiledModel, said: list[Said]) -> tuple[str, str]:
    """Reason and remedy for bodies that start values or drives turn: their velocities were perhaps meant as modelled."""
    moving = {one.item for one in said if one.what == "velocity"}
    for name, (_, angle) in motions(d, d.system.q0).items():
        if name in moving and angle > TURNED:
            return (f"; it is the one in the pose at the start, to which start values or drives turn {name!r} by "
                    f"{np.degrees(angle):.3g} degrees", "State the angle_rate of a joint instead, l")
    return "", "L"


def contradiction(d: CompiledModel, said: list[Said], by_time: np.ndarray) -> list[Said]:
    """A smallest set of statements, drives among them, that cannot all hold together with the joints: a statement is
    dropped for good if the others still contradict each other without it."""
    s = d.system
    d._linearise(0.0)
    rows, C = redundancy.equations(s), redundancy.jacobian(s, d.tiles)
    C = C if isinstance(C, np.ndarray) else C.toarray()
    by, unit = redundancy.lengths(s, d.length), d.unit[rows]
    driven = {row: name for name, (row, *_) in d.directory.drives.items()}
    base = unit[:, None] * C * by
    joints = np.array([row not in driven for row in rows], bool)
    drives = [Said(DRIVE, driven[row], base[k][None, :], np.array([-unit[k] * by_time[row - s.n_v]]))
              for k, row in enumerate(rows) if row in driven]
    parts = [*drives, *(Said(one.what, one.item, one.whole(s.n_v) * by / d.length, one.values / d.length) for one in said)]

    def holds(some: list[Said]) -> bool:
        A = np.vstack([base[joints], *(one.rows for one in some)])
        b = np.concatenate([np.zeros(int(joints.sum())), *(one.values for one in some)])
        v = np.linalg.lstsq(A, b, rcond=1e-9)[0]
        return float(abs(A @ v - b).max(initial=0.0)) <= KEPT / 10 * max(1.0, float(abs(b).max(initial=0.0)))
    if holds(parts):
        return []
    needed = parts
    for one in parts:
        without = [other for other in needed if other is not one]
        if not holds(without):
            needed = without
    return needed
