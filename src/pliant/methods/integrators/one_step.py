"""Runs of one-step methods on y' = F(t, y), with fixed steps or with error control."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...compile import redundancy
from ...items.errors import SimulationError
from ...joint_space import recursion
from ...joint_space.joint_states import align, joint_state
from ...joint_space.services import masses_at
from ...joint_space.tree import JointSpace
from ...joint_space.tree_programs import history_program
from ...kernels import evaluation, ode
from ...kernels.expression_vm import HELD, JUMPS, SCRATCH
from ...kernels.pivoted_qr import RANK
from ...kernels.state_row import parts
from ...kernels.status import DONE, EVENT, NOT_FINITE, SINGULAR, UNDERFLOW
from ..formulations.choices import Recursion
from ..formulations.kernels import problem
from . import central_differences, runge_kutta
from . import control_memory as ad
from . import one_step_loop as osl
from . import stepper as st
from .adaptive import TURN
from .base import Plan
from .implicit import Own
from .pieces import UNSEEN, Pieces
from .run import STICKY, function_fault
from .tableaus import table

COARSEST = 50  # steps at least
NEAR_SINGULAR = 1e-5  # singular values below this part of the largest: next to a singular position


class OneStepRun(Pieces):
    """One integration in progress. ``p``: the model as the formulation sees it; ``steps``: what the method remembers."""

    def __init__(self, method: Any, plan: Plan) -> None:
        self._plan_pieces(plan, COARSEST)
        super().__init__(method, plan)
        form = plan.formulation
        self.space = JointSpace(plan.dynamics, form.cut_joints) if isinstance(form, Recursion) else None
        self.p, rhs, correct, self.project = problem(plan.dynamics, form, self.x, self.programs, plan.accuracy, self.space)
        numbers, stages, degree, exponent, kernels, own = self._kernel()
        self.n_q, self.n_v = int(self.p.num[ode.STATE_Q]), int(self.p.num[ode.STATE_V])
        n = self.n_q + self.n_v + 2
        one = {name: np.zeros(n) for name in ("y0", "f0", "y1", "f1", "error", "weight", "z")}
        self.steps = osl.Steps(**one, P=np.zeros((degree + 1, n)), K=np.zeros((stages, n)), table=numbers, own=own)
        self._weigh()
        self.tune, self.code = np.zeros(6), np.zeros(11, np.int64)
        self.tune[osl.EXPONENT] = exponent
        self._addresses(rhs, correct, *kernels)
        if self.space:
            self._in_joint_coordinates(self.space)
        self.count[st.END], self.count[st.STRIDE] = plan.steps, plan.stride
        self.code[osl.FIXED] = not plan.accuracy
        if not plan.accuracy:
            self.note[ad.OUTPUTS] = plan.steps // plan.stride
        self._choose_solver(bool(plan.dynamics.massless()))
        if plan.memory:
            self._restore_pieces(plan.memory)
            self.x.W[HELD] = bool(plan.accuracy)
            self._choose_solver(bool(self.aid[STICKY]))
        else:
            self._begin(plan.row)
        self._store(plan.outputs + 1 if plan.accuracy else plan.steps // plan.stride + 1)

    def _in_joint_coordinates(self, space: JointSpace) -> None:
        """What differs there: angles of the tree are counted by itself."""
        align(space, self.start)
        self.programs[3] = history_program(space)
        self.count[st.HISTORIES] = len(self.programs[3].rows) > 0
        self.code[osl.UNFOLD] = ode.address(recursion.unfold, self.p, 0.0, self.steps.y0)

    def _weigh(self) -> None:
        d, w, weight = self.dynamics.system.data, self.dynamics.weights(), self.steps.weight
        n_q, n_v = self.n_q, self.n_v
        if self.space:
            weight[:n_q + n_v] = self.space.weights()
            return
        weight[d.linear[:, 1]] = 1 / self.dynamics.length
        for i in d.rotations[:, 1]:
            weight[i:i + 4] = 2.0
        weight[n_q:n_q + n_v] = w[:n_v]

    def _kernel(self) -> tuple[Any, ...]:
        """Numbers of the method, its stages, the degree of its polynomial, the exponent of its error; its kernels, its own memory."""
        if self.method.kind == "central-differences":
            return np.zeros(1), 1, 3, 2, (central_differences.step,), Own.of(0, 0, 0)
        return *table(self.method.kind), (runge_kutta.step,), Own.of(0, 0, 0)

    def _addresses(self, rhs: Any, correct: Any, *kernels: Any) -> None:
        """``kernels``: of the step, and of implicit methods those that solve and begin."""
        y, p = self.steps.y0, self.p
        found = [ode.address(rhs, p, 0.0, y, y), ode.address(correct, p, 0.0, y),
                 *(ode.address(kernel, p, self.steps, self.tune, self.code) for kernel in kernels)]
        if isinstance(found[0], int):
            self.code[[osl.RHS, osl.CORRECT, osl.STEP, osl.SOLVER, osl.STARTER][:len(found)]] = found
        else:  # without Numba the functions themselves
            self.code = osl.Interpreted(self.code, found)  # type: ignore[assignment]

    @property
    def totals(self) -> np.ndarray:
        return self.steps.y0[-2:]

    @property
    def tried(self) -> tuple[float, float]:
        return float(self.tune[osl.T0] + self.tune[osl.H]), float(self.tune[osl.H])

    def _state(self) -> dict[str, np.ndarray]:
        w = self.steps
        more = {f"step_{name}": getattr(w, name) for name in ("y0", "f0", "y1", "f1")}
        return super()._state() | more | {"aim": self.aim, "note": self.note, "tune": self.tune, "par": self.p.par, "chosen": self.p.chosen,
                                         "choices": self.x.W[SCRATCH:SCRATCH + self.dynamics.system.n_choices]}

    def _note(self) -> None:
        if not self.code[osl.PENDING]:
            super()._note()

    def violation(self, rows: float) -> float:
        return float(self.p.par[ode.POSITION_GAP])

    def velocity_violation(self, rows: float) -> float:
        return float(self.p.par[ode.VELOCITY_GAP])

    def _advance(self, steps: int) -> int:
        status = int(osl.advance(self.p, self.steps, self.programs[3], self.tune, self.code, self.count, self.aim, self.note, steps,
                                 self.rows))
        if status in (EVENT, DONE):
            self._load()
        return status

    def _load(self) -> None:
        """The state at the end of the last step in ``x``, where jumps are passed from."""
        w, x, n_q, n_v = self.steps, self.x, self.n_q, self.n_v
        if self.space:
            osl.evaluate_at(self.p, self.code, self.t, w.y0, w.z)
            return
        x.q[:], x.v[:n_v], x.a[:n_v] = w.y0[:n_q], w.y0[n_q:n_q + n_v], w.f0[n_q:n_q + n_v]

    def _begin(self, row: np.ndarray) -> None:
        """From a consistent state."""
        s, w, aim, note = self.dynamics.system, self.steps, self.aim, self.note
        p = {name: value[0] for name, value in parts(row[None, :], s.q0.size, s.n).items()}
        w.y0[:] = np.concatenate([*(joint_state(self.space, row) if self.space else (p["q"], p["v"][:s.n_v])), row[1:3]])
        w.y1[:] = w.y0
        self.x.H[:] = p["H"]
        self.x.W[HELD], self.x.W[SCRATCH:SCRATCH + s.n_choices] = not self.code[osl.FIXED], np.nan  # functions choose their branches anew
        self.stops = [stop for stop in self.stops if stop[1] > row[0]] or self.stops[-1:]
        aim[ad.NOW], aim[ad.STOP] = row[0], self.stops[0][0]
        note[[ad.TARGET, ad.GROWN, ad.BEYOND, ad.FAILURES]], note[ad.FRESH] = 0, 1
        self._derivative(float(row[0]), w.y0, w.f0)
        w.f1[:] = w.f0
        self._choose_branches()
        if self.code[osl.FIXED]:
            aim[ad.NEXT] = self.step
        else:
            aim[ad.NEXT] = self._first()
        aim[ad.USUAL] = aim[ad.NEXT]  # behind a jump things may be much faster
        self._load()

    def _choose_branches(self) -> None:
        """Of the tangent's functions as well, and the number that tells whether they are still the same."""
        self._load()
        x, data = self.x, self.dynamics.system.data
        for program in self.programs[:2]:
            evaluation.run(program, data, x, self.t, 1.0, 0.0, 0.0)
        x.W[HELD] = 0
        evaluation.run(self.programs[0], data, x, self.t, 1.0, 0.0, 0.0)
        self.aim[ad.BRANCH], x.W[HELD] = x.W[JUMPS], not self.code[osl.FIXED]

    def _pass_event(self, t: float) -> None:
        """From behind a jump, to which it may still be a little way."""
        row = self._ahead(max(t, self.t))
        self.dynamics.refine(row[None, :])
        self._count_jump(t)
        self._begin(row)

    def _derivative(self, t: float, y: np.ndarray, out: np.ndarray) -> None:
        status = osl.evaluate_at(self.p, self.code, t, y, out)
        s = self.dynamics.system
        if status != DONE or not np.isfinite(out).all():
            if s.failures:
                raise function_fault(s.failures[0], t)
            item = s.culprit(self.x, t)
            if status == SINGULAR and not item and self.p.chosen.size > 1 and not self.space:
                self._singular_pose(y, t)
            code, reason = self._reason(status if status != DONE else NOT_FINITE, item)
            raise SimulationError.stopped(t, reason, self._singular_remedy(), code)

    def _reason(self, status: int, item: str | None) -> tuple[str, str]:
        if self.space and status == SINGULAR and not item and self.p.num[ode.BAD] > 0:
            t, M = self.space.tree, np.zeros((self.n_v, self.n_v))
            rate = int(self.p.num[ode.BAD]) - 1
            masses_at(self.p, self.t, np.concatenate([t.q, t.u, [0.0, 0.0]]), M)
            return "singular-matrix", self.space.without_inertia(rate, M)
        return super()._reason(status, item)

    def _singular_remedy(self) -> str:
        if self.space:
            other = ", cut another joint, Recursion(cut=...)," if self.space.topology.cut else ","
            return f"Give bodies inertia{other} or take coordinates = 'absolute' and the integrator generalized-alpha"
        return "Take the integrator generalized-alpha, which can start from there, or look at the mechanism: a joint may lock"

    def _first(self) -> float:
        """The first step: from the sizes of F and of its change along an Euler step.       Hairer, Norsett, Wanner I, II.4"""
        w, aim = self.steps, self.aim
        n_q = self.n_q
        left = float(aim[ad.STOP] - aim[ad.NOW])
        weight = w.weight.copy()
        aim[ad.SPEED] = max(float(aim[ad.SPEED]), float((w.weight * abs(w.y0))[n_q:].max(initial=0.0)),
                            float(np.sqrt((w.weight * abs(w.f0))[n_q:].max(initial=0.0))), 1e-3 / self.duration)
        weight[n_q:] /= aim[ad.SPEED]
        size = float((weight * abs(w.f0)).max(initial=0.0))
        h = max(float(aim[ad.LEAST]), min(0.01 / max(size, 1e-300), left, float(aim[ad.MOST])))
        try:
            self._derivative(float(aim[ad.NOW]) + h, w.y0 + h * w.f0, w.z)
        except SimulationError:  # a function that is not finite there: the run will say so
            return min(h / 100, left)
        change = float((weight * abs(w.z - w.f0)).max(initial=0.0)) / h
        rate = max(size, np.sqrt(change), 1e-300)  # 1 / the time in which things change
        h1 = 0.5 * min(1.0, float(aim[ad.EPS]) / rate) ** (1 / self.tune[osl.EXPONENT]) / rate
        self._load()
        fastest = max((float(np.linalg.norm(self.x.v[i:i + 3])) for i in self.dynamics.system.data.rotations[:, 0]), default=0.0)
        return float(min(100 * h, h1, left, aim[ad.MOST], 0.8 * TURN / max(fastest, 1e-300)))

    def _recover(self, status: int, faults: list[BaseException]) -> None:
        if self.space and status != SINGULAR:
            self._load()  # bodies where the step began, not where it broke
        if not faults and status in (SINGULAR, UNDERFLOW) and self.p.chosen.size > 1 and not self.space:
            self._singular_pose(self.steps.y0, self.t)
        if status == UNDERFLOW and not faults:
            raise SimulationError.stopped(self.t, f"the accuracy {self.accuracy:g} is not reached however "
                                          "small the step, as the "
                                          f"acceleration of {self._worst_body()!r} changes too fast", UNSEEN, "step-underflow")
        super()._recover(status, faults)
        self._choose_solver(True)

    def _singular_pose(self, y: np.ndarray, t: float) -> None:
        """The error that names the joints whose equations lose their independence at a position, if that is what stops a formulation
        which works in a basis of the motions that they allow."""
        s, x, d, rank = self.dynamics.system, self.x, self.dynamics, int(self.p.chosen[RANK])
        x.q[:], x.D[:] = y[:x.q.size], 0
        evaluation.run(self.programs[1], s.data, x, t, 1.0, 0.0, 0.0)
        if not (rank > 0 and np.isfinite(x.D).all()):
            return
        rows = redundancy.equations(s)
        C = redundancy.scaled(np.asarray(s.dense(x.D)[np.ix_(rows, np.arange(s.n_v))]), d.unit[rows], redundancy.lengths(s, d.length))
        U, S, _ = np.linalg.svd(C)
        now = int((NEAR_SINGULAR * S[0] < S).sum())
        if now == rank:
            return
        part = abs(U[:, rank - 1] if now < rank else U[:, rank])  # the combination that is lost, or gained
        sizes = {j.name: float(part[np.isin(rows, range(6 * j.tile, 6 * j.tile + 6))].max(initial=0.0)) for j in s.joints}
        names = [repr(name) for name, size in sizes.items() if size > 0.1 * max(sizes.values())]
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        raise SimulationError.stopped(t, "the mechanism comes to a singular position, "
                                      f"where {now} of the equations of its joints are "
                                      f"independent instead of {rank} (joints {', '.join(names[:6])}{more}), and the formulation "
                                      f"{self.formulation.kind} cannot pass it", "Take index-1 or augmented-lagrangian, which can",
                              "singular-pose")

    def _choose_solver(self, needed: bool) -> None:
        """The solver of last resort, and then for good: bodies without inertia have no pivots."""
        if needed:
            self.count[st.FALLBACK], self.aid[STICKY], self.p.num[ode.FALLBACK] = self.fallback.address, True, self.fallback.address

    def _worst_body(self) -> str:
        n_q, n_v = self.n_q, self.n_v
        sizes = abs(self.steps.error * self.steps.weight)[n_q:n_q + n_v]
        if self.space:
            return self.space.body_of(int(np.argmax(np.nan_to_num(sizes))))
        return self.dynamics.body_of(int(np.argmax(np.nan_to_num(sizes))) // 6)
