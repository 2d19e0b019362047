"""Runs of methods that go step by step, with fixed steps or with error control, in both coordinates."""
from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ....compile.motion import held_points
from ....families.rigid_stops import RIGID_STOP
from ....items.errors import ModelError, SimulationError
from ....joint_space import recursion
from ....joint_space.joint_states import align, joint_state, modal_rates
from ....joint_space.limits import limits_of
from ....joint_space.services import masses_at
from ....joint_space.tree_programs import history_program
from ....kernels import ode
from ....kernels.evaluation import Program
from ....kernels.expression_vm import HELD, SCRATCH
from ....kernels.pinned import Pinned
from ....kernels.pivoted_qr import RANK, same_lists
from ....kernels.state_row import parts
from ....kernels.status import CHATTERS, DONE, EVENT, NOT_FINITE, OPEN, SINGULAR, SPUN, STRUCTURE, UNBEGUN, UNDERFLOW
from ...formulations.base import Equations, Setting
from ..base import Plan
from . import limit_passage, steep_laws
from .chosen_steps import chosen_steps
from .control import ELASTIC, RATES, RIGID, STATE, Kernels, Steps
from .controllers import bound
from .delay_lines import DelayLines
from .fixed_steps import evaluate_at, fixed_steps
from .instants import begin_discrete
from .intervals import begin_interval, occur
from .jump_search import LOW, ROWS, find_sites
from .method import Method
from .rigid_passage import PART, RigidPassage
from .run import Run
from .settling import made_for, react
from .stops import CANNOT_CLOSE, UNSEEN, WEDGED, function_fault
from .structure import Change

SLOWEST = 1e-3  # sizes of the model in a run: the speed that it has at least


class StepRun(Run):
    """One integration in progress. ``p``: the model as the formulation sees it; ``steps``: the vectors of a step; ``scheme``: the method,
    with its memory."""

    def __init__(self, method: Any, plan: Plan) -> None:
        super().__init__(method, plan)
        made = method.equations(Setting(plan.dynamics, self.x, self.programs, self.num, plan.accuracy), plan.formulation)
        self.p, self.space, self.project = made.problem, made.space, made.project
        if not self.space:
            self.fallback.soft = self.p.lu.fix_by
        self.n_q, self.n_v = int(self.num.state_q), int(self.num.state_v)
        self.scheme: Method = method.scheme(self)
        self.lines = DelayLines(self)
        self._plan_intervals(plan, self.scheme.coarsest)
        self.contacts = RigidPassage(self) if plan.dynamics.system.rigid else None
        held = self.contacts and self.space and self.space.holds_limits
        self.rigid_stops = limits_of(self.space, PART * plan.accuracy) if held else None
        self.lines.limit()
        self.watched, self.aliased = bool(self.c.fixed and self.scheme.holds), bool(self.c.fixed and (self.scheme.holds or not self.space))
        if self.scheme.holds:
            self.project = self.scheme.project
        if self.space:
            align(self.space, self.start)
            self.programs[3] = history_program(self.space)
            self.c.histories = len(self.programs[3].rows) > 0
        self._make_steps(made)
        self.calls = bound(self)
        self._weigh()
        self._limit(made)
        self._choose_solver(bool(plan.dynamics.massless()) and not self.watched)
        if plan.memory:
            self._restore(plan.memory)
            self.x.W[HELD] = bool(plan.accuracy)
            if self.rigid_stops:
                limit_passage.take_up(self.p, self.steps, self.c, self.rigid_stops)
            self._find_sites()
            self._choose_solver(bool(self.c.sticky))
        else:
            self._begin(plan.row)
        self._store()

    def _limit(self, made: Equations) -> None:
        """What the loop goes by."""
        c, m = self.c, self.scheme
        c.exponent, c.swing, c.caution, c.size = m.exponent, min(m.swing, 1e300), m.caution, self.dynamics.length
        c.brief = m.brief * self.duration
        c.slowest, c.choices = SLOWEST / self.duration, self._choices.size
        own = type(self)._begin is StepRun._begin and (not self.contacts or self._passes_limits)
        c.through = not (c.fixed or self.both) and own and (self.settling is not None or not m.holds)
        c.widest = CANNOT_CLOSE * self.joint_gap if made.project and self.formulation.holds_branch else np.inf

    def _make_steps(self, made: Equations) -> None:
        """Vectors of a step, and addresses of the kernels."""
        m, n, most = self.scheme, self.n_q + self.n_v + 2, self._choices.size // 2 if self.c.jumpy else 0
        one = {name: np.zeros(n) for name in ("y0", "f0", "y1", "f1", "error", "weight", "z", "f")}
        steps = Steps(**one, speed=np.ones(self.n_v), times=np.ones(self.n_v), points=held_points(self.dynamics),
                      P=np.zeros((m.degree + 1, n)), K=np.zeros((m.stages, n)), site=np.zeros(most, np.int64),
                      margin=np.zeros((ROWS, most + 1)), slope=np.zeros(most, np.int64), pace=np.zeros((ROWS, most)),
                      **self._watched(), stops=self.stops, limits=self.limits, jumped=self.jumped,
                      due=self.due, history=self.programs[3], update=self.programs[4],
                      sense=self.lines.program, delays=self.lines.rows, echoes=self.lines.echoes, states=self._places(),
                      every=np.array(self.dynamics.system.every, np.int64), tangent=self._slopes(), decide=self._deciding(),
                      call=Kernels(*[0] * len(Kernels._fields)))
        y = steps.y0
        if made.rhs is None and not m.holds:
            raise ModelError(f"simulate: formulation {self.formulation.kind} gives no accelerations, which integrator {self.method.kind} "
                             "needs; take another one of the two")
        found = {"rhs": 0 if m.holds else ode.address(made.rhs, self.p, 0.0, y, y),
                 "correct": ode.address(made.correct, self.p, 0.0, y) if made.correct and not m.holds else 0,
                 "unfold": ode.address(recursion.unfold, self.p, 0.0, y) if self.space else 0}
        for name in ("step", "solver", "starter", "anew", "again", "onset"):
            kernel = getattr(m, name)
            kernel = getattr(kernel, "__func__", kernel)  # a kernel, not a method of the object
            found[name] = ode.address(kernel, self.p, steps, self.c, m.own) if kernel else 0
        settle, needed = made_for(self)
        self.settling = Pinned(needed) if settle else None
        found["settle"] = ode.address(settle, self.p, steps, self.c, needed) if settle else 0
        found["place"] = self.settling.address if self.settling else 0
        found["react"] = ode.address(react, self.p, steps, self.c, needed, 0.0, y) if settle and m.holds and self.c.reactive else 0
        found |= self._of_limits(steps)
        found["occur"] = ode.address(occur, self.p, steps, self.c, m.own) if self.c.fixed and self.c.events else 0
        self.steps, self.pinned, self.totals = steps._replace(call=Kernels(**found)), Pinned(m.own), y[-2:]

    @property
    def _passes_limits(self) -> bool:
        """Whether instants of rigid limits are passed in the loop; not together with drives whose rates may jump."""
        return self.rigid_stops is not None and not (self.stops[:-1, 2] == RATES).any()

    def _of_limits(self, steps: Steps) -> dict[str, Any]:
        """Kernels of rigid limits that hold coordinates of a tree, and where these are."""
        none = dict.fromkeys(("take", "look", "meet", "stops"), 0)
        if not self.rigid_stops:
            return none
        self.pinned_stops, y, s = Pinned(self.rigid_stops), steps.y0, self.rigid_stops
        kernels: dict[str, Any] = {"take": (), "look": (0.0, y)} | ({"meet": ()} if self._passes_limits else {})
        found = {name: ode.address(getattr(limit_passage, name), self.p, steps, self.c, s, *more) for name, more in kernels.items()}
        return none | found | {"stops": self.pinned_stops.address}

    def _places(self) -> np.ndarray:
        """Of states: among velocities, and in v."""
        if self.space:
            return self.space.tree.states
        return np.array([(state.iv, state.iv) for state in self.dynamics.system.states], np.int64).reshape(-1, 2)

    def _slopes(self) -> Program:
        """The tangent, if it runs functions that the residual does not: their derivatives."""
        s = self.dynamics.system
        return self.programs[1] if s.sloped else s.program("tangent", families=[])

    def _deciding(self) -> Program:
        """Margins of choices, if there are some that the motion makes."""
        s = self.dynamics.system
        return s.deciding(() if self.rigid_stops is None else (RIGID_STOP,)) if self.c.jumpy else s.program("residual", families=[])

    def _watched(self) -> dict[str, np.ndarray]:
        """Steep laws of the motion, which error control looks at."""
        found = np.array([] if self.c.fixed else self.dynamics.system.watched, np.int64)
        one = {name: np.zeros(found.size) for name in ("change", "lowest", "highest")}
        return {"watched": found, "argument": np.zeros((steep_laws.ROWS, found.size)), **one}

    def _weigh(self) -> None:
        d, w, weight, times = self.dynamics.system.data, self.dynamics.weights(), self.steps.weight, self.steps.times
        n_q, n_v, flexible = self.n_q, self.n_v, self.dynamics.directory.flexible
        if flexible:  # vibrations of stiff modes, which displace next to nothing, would cost all the steps
            modal = modal_rates(self.space) if self.space else np.concatenate([self.dynamics.modal_rows(body) for body in flexible])
            times[:], times[modal] = RIGID, ELASTIC
        states = self.dynamics.system.states
        times[self.space.tree.states[:, 0] if self.space else [state.iv for state in states]] = STATE
        if self.space:
            weight[:n_q + n_v] = self.space.weights()
            return
        s = self.dynamics.system
        weight[s.metres[:, 1]], weight[s.slope_places[:, 1]] = 1 / self.dynamics.length, 1
        for i in d.rotations[:, 1]:
            weight[i:i + 4] = 2.0
        weight[n_q:n_q + n_v] = w[:n_v]
        for state in states:
            weight[n_q + state.iv] = 1 / state.nominal

    def _state(self) -> dict[str, np.ndarray]:
        more = {f"step_{name}": getattr(self.steps, name) for name in ("y0", "f0", "y1", "f1", "speed", "argument", "change")}
        own = {f"own_{name}": array for name, array in self.scheme.state().items()}
        margins = {"margins": self.steps.margin[:LOW], "paces": self.steps.pace[:LOW]} if self.c.jumpy else {}
        held = ({} if self.c.fixed else {"choices": self._choices}) | margins
        return super()._state() | more | own | {"chosen": self.p.chosen} | held | self.lines.state()

    def _records(self) -> dict[str, Any]:
        return super()._records() | {"par": self.p.par} | {f"own_{name}": r for name, r in self.scheme.records().items()}

    def _restore(self, memory: dict[str, np.ndarray]) -> None:
        self.order = self.p.chosen.copy()
        super()._restore(memory)
        self.scheme.forget()
        self.c.reacts = self.contacts is not None and self.contacts.closed()

    def _plausible(self) -> bool:
        """What kernels count with is within its arrays."""
        return super()._plausible() and self.scheme.sound() and (not self.p.dense or same_lists(self.p, self.order))

    @property
    def _choices(self) -> np.ndarray:
        """Branches that functions are held on."""
        return self.x.W[SCRATCH:SCRATCH + self.dynamics.system.n_choices]

    def _forget(self) -> None:
        self.scheme.forget()

    def violations(self, position: float, velocity: float) -> tuple[float, float]:
        return (position if self.watched else float(self.p.par.position_gap),
                velocity if self.scheme.holds else float(self.p.par.velocity_gap))

    @property
    def only_forces(self) -> bool:
        d = self.dynamics.directory
        return not (d.drives or d.related or self.scheme.holds)

    def _advance(self, steps: int) -> int:
        loop = fixed_steps if self.c.fixed else chosen_steps
        status = int(loop(self.p, self.steps, self.c, self.pinned.address, steps, self.rows))
        if status in (EVENT, DONE, STRUCTURE):
            self._load()
        return status

    def _load(self) -> None:
        """The state at the end of the last step in ``x``, where jumps are passed from."""
        w, x, n_q, n_v = self.steps, self.x, self.n_q, self.n_v
        if self.space:
            evaluate_at(self.p, self.steps.call.rhs, self.t, w.y0, w.z)
            return
        x.q[:], x.v[:n_v], x.a[:n_v] = w.y0[:n_q], w.y0[n_q:n_q + n_v], w.f0[n_q:n_q + n_v]

    def here(self) -> np.ndarray:
        self._load()
        return super().here()

    def _happened(self, row: np.ndarray) -> np.ndarray:
        """A state after what happens there: discrete values and states that changed, structure that changes until nothing asks for
        more, and accelerations that belong to them."""
        change = Change(self)
        row = self._settled(row)
        while self.c.structure:
            row = self._settled(change.passed(row))
        return row

    def _settled(self, row: np.ndarray) -> np.ndarray:
        """A state after discrete values have come to rest there."""
        s, w, c, starts = self.dynamics.system, self.steps, self.c, not self.c.begun
        self._put(row)
        if begin_discrete(self.p, w, c, starts) == CHATTERS:
            raise self.restless_conditions(float(row[0]))
        if s.failures:
            raise function_fault(s.failures.take()[0], float(row[0]))
        c.begun = 1
        if c.changed:
            row, p = row.copy(), None
            p = {name: value[0] for name, value in parts(row[None, :], s.q0.size, s.n).items()}
            p["H"][:] = self.x.H
            for k, iv in w.states:
                p["v"][iv] = w.y0[self.n_q + k]
            self.dynamics.refine(row[None, :])
        return row

    def _go_on(self, status: int) -> bool:
        """Also from an instant at which another structure is asked for."""
        if status != STRUCTURE:
            return super()._go_on(status)
        self._begin(Change(self).passed(self.here()))
        self.c.structure = self.c.fixed  # rows of the last step are still to be kept
        return True

    def _put(self, row: np.ndarray) -> None:
        """The state of a row in y0, its history and time."""
        s = self.dynamics.system
        p = {name: value[0] for name, value in parts(row[None, :], s.q0.size, s.n).items()}
        own = joint_state(self.space, row) if self.space else (p["q"], p["v"][:s.n_v])
        self.steps.y0[:] = np.concatenate([*own, row[1:3]])
        self.x.H[:], self.c.now = p["H"], row[0]
        self.c.reacts = self.contacts is not None and self.contacts.closed()

    def _begin(self, row: np.ndarray) -> None:
        """From a consistent state."""
        s, w, c = self.dynamics.system, self.steps, self.c
        if self.contacts:
            starts, row = self.contacts.unbegun, self.contacts.passed(row)
            self.start = row if starts else self.start
        if c.events:
            if self.lines and not c.begun:
                row = row.copy()
                self.lines.fill(row)
            starts, row = not c.begun, self._happened(row)
            if starts:
                self.start = row
        self._put(row)
        if self.scheme.holds:
            self._take({name: value[0] for name, value in parts(row[None, :], s.q0.size, s.n).items()})
        if c.fixed:
            c.next = self.step
        if begin_interval(self.p, w, c, self.pinned.address) != DONE:
            self._unbegun()
        s.failures.take()  # a function that is not finite shortly after: the run will say so
        self.scheme.begun()
        self._load()

    def _take(self, p: dict[str, np.ndarray]) -> None:
        """Accelerations and multipliers of a consistent state, where the method asks for no accelerations."""
        x, w, n_q, n_v = self.x, self.steps, self.n_q, self.n_v
        x.q[:], x.v[:], x.a[:], x.lam[:] = p["q"], p["v"], p["a"], p["lam"]
        w.f0[n_q:n_q + n_v] = p["a"][:n_v]

    def _find_sites(self) -> None:
        if self.c.jumpy:
            x, last = self.x, SCRATCH + self._choices.size - 1
            self.c.sites = find_sites(self.programs[0], self.dynamics.system.data, x, self.t, last, self.steps.site, self.steps.slope)

    def _unbegun(self) -> NoReturn:
        """The error that says why there are no accelerations to begin with."""
        s, t, y = self.dynamics.system, self.t, self.steps.y0
        status = evaluate_at(self.p, self.steps.call.rhs, t, y, self.steps.z)
        if s.failures:
            raise function_fault(s.failures.take()[0], t)
        item = s.culprit(self.x, t)
        if status == SINGULAR and not item and self.p.chosen.size > 1 and not self.space:
            self.singular_pose(y, t, int(self.p.chosen[RANK]))
        code, reason = self.reason(status if status != DONE else NOT_FINITE, item)
        raise SimulationError.stopped(t, reason, self._singular_remedy(), code)

    def reason(self, status: int, item: str | None) -> tuple[str, str]:
        if self.space and status == SINGULAR and not item and self.num.bad > 0:
            t, M = self.space.tree, np.zeros((self.n_v, self.n_v))
            masses_at(self.p, self.t, np.concatenate([t.q, t.u, [0.0, 0.0]]), M)
            return "singular-matrix", self.space.without_inertia(int(self.num.bad) - 1, M)
        return super().reason(status, item)

    def _singular_remedy(self) -> str:
        if self.num.jams:
            return WEDGED
        if self.space:
            other = ", cut another joint, Recursion(cut=...)," if self.space.topology.cut else ","
            return f"Give bodies inertia{other} or take coordinates = 'absolute' and the integrator generalized-alpha"
        return "Take the integrator generalized-alpha, which can start from there, or look at the mechanism: a joint may lock"

    def _recover(self, status: int, faults: list[BaseException]) -> None:
        if status == SPUN and not faults:
            raise self.miscounted()
        if status == UNBEGUN and not faults:
            self._unbegun()
        broken = self.ahead(self.t)
        if self.scheme.holds or (self.space and status != SINGULAR):
            self._load()  # bodies where the step began, not where it broke
            self.scheme.back()
        if status == OPEN and not faults:
            row = self.ahead(self.t) if self.scheme.holds else broken
            raise self.bent(row) if self.too_bent(row[None, :])[0] else self.opened(row)
        if not faults and status in (SINGULAR, UNDERFLOW) and self.p.chosen.size > 1 and not self.space:
            self.singular_pose(self.steps.y0, self.t, int(self.p.chosen[RANK]))
        if status == UNDERFLOW and not faults and self.num.jams:
            raise SimulationError.stopped(self.t, self.jams(), WEDGED, "jam")
        if status == UNDERFLOW and not faults:
            k = int(np.argmax(np.nan_to_num(self.scheme.worst())))
            body = self.space.body_of(k) if self.space else self.dynamics.body_of(k // 6)
            what = (f"the accuracy {self.accuracy:g} is not reached however small the step, as the acceleration of {body!r} "
                    "changes too fast")
            raise SimulationError.stopped(self.t, what, UNSEEN, "step-underflow")
        super()._recover(status, faults)
        self._choose_solver(not self.scheme.holds)

    def _choose_solver(self, needed: bool) -> None:
        """The solver of last resort, and then for good: bodies without inertia have no pivots."""
        if needed:
            self.num.fallback, self.c.sticky = self.fallback.address, True

    def restless(self) -> str:
        """The body whose position the last iteration still changed most, and its joints."""
        moved = self.scheme.restless()
        if moved is None or not moved.size or not np.isfinite(moved).all():
            return ""
        tile = int(moved.argmax()) // 6
        joints = [repr(j.name) for j in self.dynamics.system.joints if tile in j.bodies]
        held = f" with joint{'s' * (len(joints) > 1)} {', '.join(joints[:5])}" if joints else ""
        return f"; body {self.dynamics.body_of(tile)!r}{held} moves most"
