"""Rigid contacts and limits at an instant: which touch, what their impacts do, which of them push, slide or stick from there on.

On the row of a state, in Python: instants are rare, and the problems are those of `kernels.impacts` and `kernels.complementarity`. With all
contacts off, [M C^T; C 0] gives Delassus' matrix D of those that touch, and the accelerations xi that they would have.
docs/theory/rigid_contact.md
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....families.rigid_contacts import ALONG, EDGE, GRIPS, SHARE, SLOW
from ....families.rigid_stops import ACCELERATION, OPEN, ROOM, SLIDES, STICKS
from ....items.errors import ModelError, SimulationError
from ....kernels import complementarity, impacts
from ....kernels.event_log import WIDTH
from ....kernels.gaps.geometry import AWAY
from ....kernels.state_row import parts
from .rigid_state import RigidState, Touching

if TYPE_CHECKING:
    from .step_run import StepRun

TOUCH = 1e-9     # of the size of the model: a gap that is none
OVERLAP = 1e-6   # of it: more at the start was hardly meant to be a touch
ROUNDING = 1e-14  # of it: what an open gap may be below zero, so that it begins open
REST = 1e-9      # of the speed of the model: a speed that is none
SLOWLY = 10      # of the accuracy, in sizes of the model per second: slip so slow has the direction in which it began; twice that is none
NEARLY = 0.9     # of the largest friction: near it
LIMIT = 1e-10    # of the largest friction: what is so near slides
ROUGH = 1e-6     # of forces: left of their equations where all contacts are just at their limit; what follows finds them anew
SLIGHT = 1e-12   # of the accelerations of the model: one that is none
PART = 0.1       # of what is allowed: a bounce so low is none
SAME = 1e-14     # a change of direction that is none
CROWD = 200      # instants next to each other
INSTANT = 10     # shortest steps: instants within it are next to each other
JAMS = 10        # in a row, at one instant
APART: tuple[float, Any, Any] = (OPEN, None, np.zeros(3))
LEAVES, TOUCHES, STICKING, SLIDING, JAMS_WORD = 0.0, 1.0, 2.0, 3.0, 4.0  # what is told of changes: numbers of words


class Jam(Exception):
    """Contacts, by their numbers among those that touch, that slide and have no force with which they go on."""


class Forces(NamedTuple):
    """Of contacts that touch: three of each, those that do not move apart, and the direction in which they slide, if they do."""
    P: np.ndarray
    some: list[int]
    along: dict[int, np.ndarray]


class RigidPassage(RigidState):
    """Of a run."""

    def __init__(self, run: StepRun) -> None:
        super().__init__(run)
        item, c = self.points[0].item, run.c
        if c.fixed:
            raise ModelError(f"simulate: {item!r} is rigid: the instants of its impacts are found by error control. Give an accuracy in "
                             "place of the step, or a stiffness to the contact")
        if run.scheme.holds:
            raise ModelError(f"simulate: {item!r} is rigid, and the integrator {run.method.kind} holds constraints itself, so that it "
                             "knows no forces in between. Take an explicit method, radau-iia-5 or bdf")
        self.last, self.crowd, self.rests = -np.inf, 0, dict[int, float]()
        self.rough = 0.0

    @property
    def unbegun(self) -> bool:
        """Whether no instant has been passed yet."""
        return self.last == -np.inf

    def closed(self) -> bool:
        """Whether one of them pushes at the state of the run: only then margins depend on multipliers."""
        return any(self.run.x.H[point.phase] != OPEN for point in self.points)

    # -- at an instant
    def passed(self, row: np.ndarray) -> np.ndarray:
        """The state right behind what happens to contacts at a state, consistent; the same object if that is nothing."""
        self._place(row)
        before = np.array([self.dynamics.x.H[p.phase] for p in self.points])
        gaps = self.gaps()
        touch = [k for k, p in enumerate(self.points) if gaps[k] <= (AWAY / 2 if before[k] != OPEN else TOUCH * self._size(k))]
        if self.unbegun:
            self._refuse_overlap(before, gaps)
        self._not_too_often(float(row[0]))
        row = row.copy()
        state = parts(row[None, :], self.dynamics.system.q0.size, self.dynamics.system.n)
        tangents = {}
        if touch:
            for k in touch:
                if before[k] == OPEN and len(self.points[k].rows) > 1:
                    self.dynamics.x.H[self.points[k].phase + EDGE] = self._edge(k)
            near = self.touching(touch)
            tangents = {k: self._tangents(k) for k in touch if len(self.points[k].rows) > 1}
            lost = self._collide(near)
            for _ in range(JAMS):
                try:
                    pushes = self._push(near)
                    break
                except Jam as jam:
                    lost += self._stop_slip(near, jam.args[0]) + self._collide(near)
            else:
                raise self._without_forces(near.which)
        H = state["H"][0]
        for k, point in enumerate(self.points):
            phase, along, force = pushes.get(k, APART) if touch else APART
            H[point.phase] = phase
            H[point.phase + ROOM] = max(0.0, -gaps[k]) + ROUNDING * self._size(k) if k in touch else 0.0
            if len(point.rows) > 1:
                H[point.phase + GRIPS] = phase == STICKS
                H[point.phase + EDGE] = self._edge(k) if before[k] == OPEN else H[point.phase + EDGE]
                H[point.phase + SHARE:point.phase + SHARE + 3] = -force
            if along is not None:
                H[point.phase + ALONG:point.phase + ALONG + 3] = along @ tangents[k]
                H[point.phase + SLOW] = max(REST * self._speed(), SLOWLY * (self.run.accuracy or 0.0)) * self._size(k)
            self._tell_change(k, before[k], phase, self.rests.get(touch.index(k)) if k in touch else None)
        if touch:
            before_impact = self._kinetic(state["v"][0])
            state["v"][0][:] = self.dynamics.x.v
            row[1] += lost
            if self.dynamics.directory.drives and lost:  # whose impulses do work
                row[2] += self._kinetic(state["v"][0]) - before_impact + lost
        self.dynamics.refine(row[None, :])
        return row

    def _refuse_overlap(self, before: np.ndarray, gaps: np.ndarray) -> None:
        """Nothing pushes rigid bodies apart that overlap at the start."""
        for k, point in enumerate(self.points):
            if before[k] == OPEN and gaps[k] < -OVERLAP * self._size(k):
                unit = "rad" if point.angle else "m"
                raise ModelError(f"{point.item!r} is rigid and overlaps by {-gaps[k]:.3g} {unit} at the start; move the bodies apart, or "
                                 "give it a stiffness", (point.item,))

    def _not_too_often(self, t: float) -> None:
        """Instants that do not get on end the run."""
        self.crowd = self.crowd + 1 if t - self.last <= INSTANT * self.run.c.least else 0
        self.last = t
        if self.crowd > CROWD:
            names = sorted({p.item for p in self.points})
            raise SimulationError.stopped(t, f"contacts begin and end {CROWD} times at one instant: {', '.join(map(repr, names[:5]))}",
                                          "Rigid contacts that jam may have no motion that keeps to all of them; give one of them a "
                                          "stiffness", "chattering")

    def _collide(self, near: Touching) -> float:
        """Impulses of what closes, in x.v; the energy that is lost."""
        x, n_v, n = self.dynamics.x, self.dynamics.system.n_v, len(near.which)
        points = [self.points[k] for k in near.which]
        still = REST * self._speed()
        self.rests = {}
        closes = near.u[::3] < -still * np.array([1.0 if p.angle else self.dynamics.length for p in points])
        if not closes.any():
            return 0.0
        e = np.array([p.restitution for p in points])
        while True:
            i = impacts.Impact.of(n)
            i.D[:], i.u[:] = near.D, near.u
            i.e[:], i.e_T[:], i.mu[:] = e, [p.tangential for p in points], [p.friction for p in points]
            how = impacts.solve(i, n, max(p.how for p in points))
            if how == impacts.STUCK:
                raise SimulationError.stopped(self.t, f"the impact of {', '.join(repr(p.item) for p in points)} has no solution",
                                              "Give one of them a stiffness, or less friction", "no-impact")
            low = self._low(near, i, e)
            bounces = [k for k in low if e[k] > 0 and i.P[3 * k] > 0]
            if not bounces:
                break
            self.rests |= {k: self.t + low[k] / (1 - e[k]) for k in bounces}
            e[bounces] = 0.0
        self._tell_impacts(near, i)
        self._hold_down(near, i, list(low))
        change = near.Y.T @ i.P
        x.v[:n_v] += change[:n_v]
        near.u[:] = i.after
        return float(-i.P @ (i.u + near.u) / 2)

    def _low(self, near: Touching, i: Any, e: np.ndarray) -> dict[int, float]:
        """Contacts that would leave and come back within so small a height that they rest, and how long the first way takes. Bounces
        would go on until

            t + 2 v / |g''| (1 + e + e^2 + ...) = t + 2 v / (|g''| (1 - e))                                   [zeno-1]"""
        after = i.after[::3]
        leaving = [k for k in range(len(e)) if after[k] > 0 and e[k] < 1]
        if not leaving:
            return {}
        x, v = self.dynamics.x, self.dynamics.x.v.copy()
        x.v[:self.dynamics.system.n_v] += (near.Y.T @ i.P)[:self.dynamics.system.n_v]
        xi, _ = self._pushed(near, i.after)
        x.v[:] = v
        height = PART * (self.run.accuracy or 0.0)
        return {k: 2 * after[k] / -xi[3 * k] for k in leaving
                if xi[3 * k] < 0 and after[k]**2 / (2 * -xi[3 * k]) <= height * self._size(near.which[k])}

    def _hold_down(self, near: Touching, i: Any, low: list[int]) -> None:
        """Contacts that others kick off so slowly stay where they are: corners of a box would kick each other without end, and come to
        rest. What takes their speeds away is the least change of velocities, which raises no energy."""
        still = REST * self._speed() * np.array([self._size(k) for k in near.which])
        at = [3 * k for k in range(len(still)) if k in low or abs(i.after[3 * k]) <= still[k]]
        P = np.zeros(i.u.size)
        P[at] = np.linalg.lstsq(near.D[np.ix_(at, at)], -i.after[at], rcond=1e-12)[0] if low else 0.0
        after = i.after + near.D @ P
        if low and (after[::3] >= np.minimum(i.after[::3], 0) - still).all():
            i.P[:] += P
            i.after[:] = after

    def _pushed(self, near: Touching, u: np.ndarray) -> tuple[np.ndarray, Forces]:
        """Accelerations of all that touch, with the forces of those that do not move apart; these forces."""
        d, n = self.dynamics, len(near.which)
        d.x.a[:d.system.n_v] = self._accelerations()[:d.system.n_v]
        free = self._rates(near.which, ACCELERATION)
        gained = INSTANT * self.run.c.least * float(abs(free).max(initial=0.0))  # slower slip ends before the next step does
        still = np.maximum(REST * self._speed() * np.array([self._size(k) for k in near.which]), gained)
        some = [k for k in range(n) if u[3 * k] <= still[k]]
        slight = still * max(1.0, float(self.run.c.speed) / self._speed())  # of all speeds so far: what slides and turns rests at once
        slight = np.maximum(slight, 2 * SLOWLY * (self.run.accuracy or 0.0) * np.array([self._size(k) for k in near.which]))
        slip = {k: u[3 * k + 1:3 * k + 3] for k in some if np.hypot(*u[3 * k + 1:3 * k + 3]) > slight[k]}
        along = {k: v / np.hypot(*v) for k, v in slip.items()}
        P, begun, turned = np.zeros(3 * n), set[int](), 0.0
        while some:
            c = complementarity.Contacts.of(len(some))
            at = np.ravel([[3 * k, 3 * k + 1, 3 * k + 2] for k in some])
            c.D[:], c.b[:] = near.D[np.ix_(at, at)], free[at]
            for i, k in enumerate(some):
                point = self.points[near.which[k]]
                c.mu[i], c.kind[i] = point.static, complementarity.RUBS
                if k in along:
                    c.mu[i], c.kind[i], c.along[i] = point.friction, complementarity.SLIDES, along[k]
            self.rough = 0.0
            if complementarity.solve(c, len(some)) != complementarity.SOLVED:
                self.rough = float(abs(c.F).max() / abs(c.P).max()) if c.P.any() else np.inf
            if not self.rough <= ROUGH:
                jams = [k for k in along if near.D[3 * k, 3 * k] <= self.points[near.which[k]].friction
                        * near.D[3 * k, 3 * k + 1:3 * k + 3] @ along[k]]
                if jams:
                    raise Jam(jams)
                raise self._without_forces([near.which[k] for k in some])
            self._share(near, some, c, along)
            P[at] = c.P
            begins = self._begin_to_slide(near, some, c, along)
            if not begins:  # the slip is along its acceleration, which is known better now that it slides
                ways = {k: c.xi[3 * i + 1:3 * i + 3].copy() for i, k in enumerate(some) if k in begun and self._goes(c, i)}
                begins = {k: way / np.hypot(*way) for k, way in ways.items() if way @ along[k] > 0}
                before, turned = turned, max((float(np.hypot(*(way - along[k]))) for k, way in begins.items()), default=0.0)
                if (not SAME < turned < before / 2 and before > 0) or turned <= SAME:
                    break
            begun |= set(begins)
            along |= begins
        return free + near.D @ P, Forces(P, some, along)

    def _without_forces(self, which: list[int]) -> SimulationError:
        names = dict.fromkeys(repr(self.points[k].item) for k in which)
        return SimulationError.stopped(self.t, f"there are no forces with which contacts neither open nor close: {', '.join(names)}",
                                       "Give one of them a stiffness, or less friction", "no-forces")

    def _stop_slip(self, near: Touching, jams: list[int]) -> float:
        """Contacts that jam as they slide: impulses without a collision, after which they do not slip. The energy that is lost.

            u+ = u + D P = 0 of these                                                                             [jam-1]"""
        at = np.ravel([[3 * k, 3 * k + 1, 3 * k + 2] for k in jams])
        P, before = np.zeros(near.u.size), near.u.copy()
        P[at] = np.linalg.lstsq(near.D[np.ix_(at, at)], -near.u[at], rcond=1e-12)[0]
        for k in jams:
            if not 0 < np.hypot(*P[3 * k + 1:3 * k + 3]) <= self.points[near.which[k]].friction * P[3 * k]:
                raise self._without_forces([near.which[k] for k in jams])
        near.u[:] = before + near.D @ P
        n_v = self.dynamics.system.n_v
        self.dynamics.x.v[:n_v] += (near.Y.T @ P)[:n_v]
        for k in jams:
            part = P[3 * k:3 * k + 3]
            lost = float(-part @ (before + near.u)[3 * k:3 * k + 3] / 2)
            self._note(self.points[near.which[k]].impacts, float(np.linalg.norm(part)), lost)
            self._note(self.points[near.which[k]].changes, JAMS_WORD, np.nan)
        return float(-P @ (before + near.u) / 2)

    def _share(self, near: Touching, some: list[int], c: Any, along: dict[int, np.ndarray]) -> None:
        """Friction that is not unique, of contacts of which one is near its limit although nothing slips: each bears of it in proportion to
        what presses on it, as far as all of it stays as it is.

            sum |P_T|^2 / (mu_s P_N) is the least of all P_T with the same D P                                       [touch-7]"""
        still = [i for i, k in enumerate(some) if k not in along and c.mu[i] * c.P[3 * i] > 0]
        limits, at = np.array([c.mu[i] * c.P[3 * i] for i in still]), np.ravel([[3 * i + 1, 3 * i + 2] for i in still]).astype(int)
        worst = (np.hypot(*c.P[at].reshape(-1, 2).T) / limits).max(initial=0.0)
        if worst < NEARLY or any(self._goes(c, i) for i in still):
            return
        part = np.repeat(np.sqrt(limits), 2)
        P = part * np.linalg.lstsq(c.D[:, at] * part, c.D[:, at] @ c.P[at], rcond=1e-10)[0]
        if (np.hypot(*P.reshape(-1, 2).T) / limits).max() < min(worst, 1 - LIMIT):
            c.P[at] = P

    def _begin_to_slide(self, near: Touching, some: list[int], c: Any, along: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
        """Contacts without slip whose friction reaches its limit, and where they go."""
        out = {}
        for i, k in enumerate(some):
            point, F = self.points[near.which[k]], c.P[3 * i:3 * i + 3]
            limit = point.static * F[0]
            side = float(np.hypot(F[1], F[2]))
            if k in along or len(point.rows) == 1 or F[0] <= 0 or side < (1 - LIMIT) * limit:
                continue
            way = c.xi[3 * i + 1:3 * i + 3] if self._goes(c, i) else -F[1:] if side > 0 else np.array([1.0, 0.0])
            out[k] = way / np.hypot(*way)
        return out

    def _goes(self, c: Any, i: int) -> bool:
        """Whether a contact has an acceleration along its surface, which is not rounding."""
        F, xi = c.P[3 * i:3 * i + 3], c.xi[3 * i + 1:3 * i + 3]
        return self.rough == 0 and bool(np.hypot(*xi) * c.rho[i] > LIMIT * max(np.hypot(F[1], F[2]), LIMIT * F[0]))

    def _push(self, near: Touching) -> dict[int, tuple[float, Any, Any]]:
        """The state of every contact that touches, from there on, the direction of slip along its tangents, and its forces."""
        xi, forces = self._pushed(near, near.u)
        P = forces.P
        slight = SLIGHT * max(float(abs(xi).max(initial=0.0)), float((abs(near.D) @ abs(P)).max(initial=0.0)))
        out: dict[int, tuple[float, Any, Any]] = {}
        for k in forces.some:
            if P[3 * k] * near.D[3 * k, 3 * k] > slight:
                point = self.points[near.which[k]]
                slides = k in forces.along or len(point.rows) == 1
                out[near.which[k]] = (SLIDES if slides else STICKS), forces.along.get(k), P[3 * k:3 * k + 3]
        return out

    # -- what is told
    def _note(self, number: int, x: float, y: float, t: float | None = None) -> None:
        entry = np.zeros((1, int(WIDTH)))
        entry[0] = number, self.t if t is None else t, x, y
        self.run.happened.append(entry)
        self.run.events += 1

    def _tell_impacts(self, near: Touching, i: Any) -> None:
        largest = float(abs(i.P).max())
        for k, number in enumerate(near.which):
            P = i.P[3 * k:3 * k + 3]
            if float(abs(P).max()) > SLIGHT * largest:  # what only touches has impulses of rounding
                lost = float(-P @ (i.u + i.after)[3 * k:3 * k + 3] / 2)
                self._note(self.points[number].impacts, float(np.linalg.norm(P)), lost)

    def _tell_change(self, k: int, before: float, after: float, t: float | None) -> None:
        if before != after:
            word = LEAVES if after == OPEN else TOUCHES if len(self.points[k].rows) == 1 else STICKING if after == STICKS else SLIDING
            self._note(self.points[k].changes, word, np.nan, t)
