"""A model whose inputs are to move its outputs in a given way, at one instant: its equations with exact derivatives.

Inputs become states u that act, outputs become the rates of states: the program of the model then has both, with their derivatives.
docs/theory/inversion.md
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..functions.units import shown
from ..items.base import Item, did_you_mean
from ..items.blocks import Input, Integral
from ..items.errors import ModelError
from ..items.joint_loads import JointForce, JointTorque
from ..kernels import evaluation
from ..kernels.state_row import parts, row_width
from ..start.assembly import start_row
from .linear_system import LinearSystem
from .tangent import Freedom, derivative, refuse_what_moves_on

if TYPE_CHECKING:
    from ..model import Model

MOST, SETTLED = 40, 1e-11   # steps of Newton's method at rest; the last one, in sizes of the model or rad
LONGEST = 0.5               # of a step
COORDINATES = {"angle": JointTorque, "displacement": JointForce}


class Instant(NamedTuple):
    """Left sides of all equations and their derivatives by a, v and q; the motions that joints allow."""
    R: np.ndarray
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    freedom: Freedom


class AtRest(NamedTuple):
    """A position, reactions, turns of angles, states and inputs that hold the outputs at rest."""
    q: np.ndarray
    lam: np.ndarray
    H: np.ndarray
    states: np.ndarray
    inputs: np.ndarray
    instant: Instant


class Ports(LinearSystem):
    """The equations of small motions about a rest, with zeros."""

    def __init__(self, A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, inputs: list[str], outputs: list[str]) -> None:
        self.A, self.B, self.C, self.D, self.inputs, self.outputs = A, B, C, D, inputs, outputs
        self.states = [f"x{k + 1}" for k in range(len(A))]


def actuated(model: Model, inputs: Sequence[str], source: Sequence[Item]) -> Model:
    """A copy in which every input is what the block ``source`` of it gives: the effort on a coordinate, or in place of a block Input."""
    m = model.copy()
    joints = {f"{j.name}.{c}" for j in m.section("joints") for c in getattr(j, "coordinates", ()) if c in COORDINATES}
    blocks = {f"{b.name}.output": b.name for b in m.section("blocks") if isinstance(b, Input)}
    for name, block in zip(inputs, source, strict=True):
        if name in joints:
            joint, _, which = name.rpartition(".")
            m.add(block)
            m.add(COORDINATES[which](f"{block.name}_effort", joint, f"{block.name}.output"))
        elif name in blocks:
            m.items[blocks[name]] = block.model_copy(update={"name": blocks[name]})
        else:
            raise ModelError(f"inverse: input {shown(name)} is not known: inputs are efforts on joint coordinates, such as A.angle, and "
                             f"outputs of blocks Input{did_you_mean(str(name), [*joints, *blocks])}")
    return m


class Servo:
    """Of ``model``, ``inputs`` and ``outputs`` (channels, or expressions of them), as many of each."""

    def __init__(self, model: Model, outputs: Sequence[str], inputs: Sequence[str]) -> None:
        for item in model.items.values():
            if tuple(item.discrete()) or item.controller() is not None:
                raise ModelError(f"inverse: {item.kind} {item.name!r} changes at instants only, and has no place in a smooth motion; take "
                                 "it out, or a continuous block in its place", (item.name,))
        self.outputs, self.inputs = list(outputs), list(inputs)
        m = actuated(model, inputs, [Integral(f"inverse_input_{k}", 0.0) for k in range(len(inputs))])
        for k, name in enumerate(outputs):
            m.add(Integral(f"inverse_output_{k}", name))
        try:
            self.d = d = m.compile(exact=True)
        except ModelError as error:
            raise ModelError(f"inverse: output {' or '.join(map(repr, outputs))}: {error}", error.items) from None
        refuse_what_moves_on(d)
        states = d.directory.states
        blocks = {f"{b.name}.output": b.name for b in model.section("blocks") if isinstance(b, Input)}
        self.at_inputs = [states[f"{blocks.get(name, f'inverse_input_{k}')}.output"].iv for k, name in enumerate(inputs)]
        self.at_outputs = [states[f"inverse_output_{k}.output"].iv for k in range(len(outputs))]
        self.at_states = [s.iv for s in d.system.states if s.iv not in (*self.at_inputs, *self.at_outputs)]
        self.row = start_row(d)

    @property
    def m(self) -> int:
        return len(self.inputs)

    def put(self, q: np.ndarray, lam: np.ndarray, H: np.ndarray, states: np.ndarray, inputs: np.ndarray) -> None:
        """A state at rest into memory."""
        x = self.d.x
        x.q[:], x.lam[:], x.H[:], x.v[:], x.a[:] = q, lam, H, 0, 0
        x.v[self.at_states], x.v[self.at_inputs] = states, inputs
        x.T[:] = 0
        x.T[:, [0, 4, 8]] = 1

    def instant(self, moves: bool = True) -> Instant:
        """At the state in memory. Functions of time are as at t = 0."""
        d, n = self.d, self.d.system.n_v
        M = derivative(d, 0.0, 1.0, 0.0, 0.0) if moves else np.zeros((n, n))
        D, K = derivative(d, 0.0, 0.0, 1.0, 0.0), derivative(d, 0.0, 0.0, 0.0, 1.0)
        return Instant(d.x.R.copy(), M, D, K, Freedom(d, np.eye(n)))

    def equations(self, freedom: Freedom) -> np.ndarray:
        """Which combinations of left sides are to vanish: along free motions, of states, and of outputs."""
        unit = np.eye(self.d.system.n_v)
        return np.vstack([freedom.N.T, unit[self.at_states], unit[self.at_outputs]])

    # -- rest
    def rest(self, wanted: np.ndarray | None, near: AtRest | None = None) -> AtRest:
        """Forces balance and y(q) = ``wanted`` (as at the start, if None), by Newton's method from a rest near by        [inverse-3]"""
        d, x, p = self.d, self.d.x, parts(self.row[None, :], self.d.system.q0.size, self.d.system.n)
        if near is None:
            self.put(p["q"][0], 0 * p["lam"][0], p["H"][0], p["v"][0, self.at_states], np.zeros(self.m))
            if wanted is None:
                evaluation.run(d.system.program("residual"), d.system.data, x, 0.0, 0.0, 0.0, 0.0)
                wanted = -x.R[self.at_outputs]
        else:
            self.put(near.q, near.lam, near.H, near.states, near.inputs)
        assert wanted is not None
        last = np.inf
        for _ in range(MOST):
            at = self.instant(moves=False)
            step, xi = self._rest_step(at, wanted)
            part = min(1.0, LONGEST / max(step, 1e-300))
            xi *= part
            moved = np.zeros(d.system.n)
            moved[:d.system.n_v] = xi
            evaluation.retract(d.system.data, x.q.copy(), moved, 1.0, x.q)
            x.v[self.at_states] += xi[self.at_states]
            x.v[self.at_inputs] += xi[self.at_inputs]
            x.lam[at.freedom.rows] += self._reactions(at, xi)
            if step <= SETTLED or (step < 1e-6 and step > last / 2):
                for program in ("rates", "history"):
                    evaluation.run(d.system.program(program), d.system.data, x, 0.0, 0.0, 0.0, 0.0)
                return AtRest(x.q.copy(), x.lam.copy(), x.H.copy(), x.v[self.at_states].copy(), x.v[self.at_inputs].copy(), self.instant())
            last = step
        told = ", ".join(f"{name} = {value:.4g}" for name, value in zip(self.outputs, wanted, strict=True))
        raise ModelError(f"inverse: the inputs {', '.join(self.inputs)} hold the model in no rest with {told}: it may be out of reach, or "
                         "the way there passes a singular position")

    def _rest_step(self, at: Instant, wanted: np.ndarray) -> tuple[float, np.ndarray]:
        """A step, as increments of all unknowns, and its size; no motion but what the joints allow and what closes them."""
        f, L, n = at.freedom, self.equations(at.freedom), at.freedom.N.shape[1]
        R = at.R[:self.d.system.n_v].copy()
        R[self.at_outputs] += wanted
        closing = f.closing(at.R[f.rows][:, None])[:, 0]
        A = L @ np.hstack([at.K @ f.N, at.D[:, self.at_states], at.D[:, self.at_inputs]])
        rows = 1 / np.maximum(abs(A).max(1), 1e-300)
        columns = 1 / np.maximum(abs(rows[:, None] * A).max(0), 1e-300)
        scaled = rows[:, None] * A * columns
        x = columns * np.linalg.lstsq(scaled, -rows * (L @ (R + at.K @ closing)), rcond=1e-13)[0]
        xi = f.N @ x[:n] + closing
        size = float(abs(xi / np.where(f.by > 0, f.by, 1.0)).max(initial=0.0))
        change, now = x[n:], np.concatenate([self.d.x.v[self.at_states], self.d.x.v[self.at_inputs]])
        size = max(size, float((abs(change) / np.maximum(abs(now + change), 1e-6 + abs(now).max(initial=0.0))).max(initial=0.0)))
        xi[self.at_states], xi[self.at_inputs] = change[:len(self.at_states)], change[len(self.at_states):]
        return size, xi

    def _reactions(self, at: Instant, xi: np.ndarray) -> np.ndarray:
        """Changes of multipliers after a step at rest."""
        places = [*self.at_states, *self.at_inputs]
        still = xi.copy()
        still[places] = 0
        forces = at.R[:len(xi)] + at.K @ still + at.D[:, places] @ xi[places]
        return at.freedom.multipliers(forces[:, None])[:, 0]

    def ports(self, at: AtRest) -> Ports:
        """Small motions about a rest."""
        i, s, u, y = at.instant, self.at_states, self.at_inputs, self.at_outputs
        N, n, k = i.freedom.N, i.freedom.N.shape[1], len(self.at_states)
        by = np.hstack([i.K @ N, i.D @ N, i.D[:, s], i.D[:, u]])
        mass = N.T @ i.M @ N
        if n and not np.linalg.cond(mass) < 1e13:
            raise ModelError("inverse: the mechanism can move without any inertia; give all bodies masses and moments of inertia, or "
                             "joints that hold them")
        rates = np.vstack([-np.linalg.solve(mass, N.T @ by), -by[s] / i.M[s, s][:, None]])
        A = np.vstack([np.hstack([np.zeros((n, n)), np.eye(n), np.zeros((n, k))]), rates[:, :2 * n + k]])
        B = np.vstack([np.zeros((n, self.m)), rates[:, 2 * n + k:]])
        return Ports(A, B, -by[y][:, :2 * n + k], -by[y][:, 2 * n + k:], self.inputs, self.outputs)

    def new_rows(self, count: int) -> np.ndarray:
        s = self.d.system
        return np.zeros((count, row_width(s.q0.size, s.n, s.histories)))
