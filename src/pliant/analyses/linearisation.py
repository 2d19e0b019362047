"""M z'' + D z' + K z = F u on minimal coordinates z about a state: at rest, in steady rotation, or at one instant of a motion."""
from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.state_row import parts
from .steady import SMALL, axes_of, fastest, is_steady, least
from .tangent import Tangent, refuse_what_moves_on

if TYPE_CHECKING:
    from ..model import Model

STEP = 1e-25       # of complex steps
SINGULAR = 1e-13   # relative: no inertia


class Linearised:
    """What comes of a linearisation."""
    linearisation: Linearisation

    @property
    def model(self) -> Model:
        model: Model = self.linearisation.d.model
        return model


class Linearisation:
    """Deviations eta = N z + ... of a motion, in axes that turn with ``W`` [rad/s]; columns of N are motions that the joints allow.

    ``steady``: the equations do not change with time. If not they hold at this instant. ``t`` [s]. ``about``: a sentence on the state.
    """

    def __init__(self, d: CompiledModel, row: np.ndarray, about: str = "") -> None:
        refuse_what_moves_on(d)
        self.d, self.row, self.t, self.about = d, row.copy(), float(row[0]), about
        self.tangent = Tangent(d, row)
        self.places = [state.iv for state in d.system.states]
        self.nominal = np.array([state.nominal for state in d.system.states])
        self.W, self.steady = axes_of(self.tangent)
        self.steady = self.steady and not self.restless()
        self.freedom = self.tangent.freedom
        self.N = self.freedom.N
        M, D, K = self.tangent.rotating(self.W)
        self.M = self.N.T @ M @ self.N
        self._check_masses()
        self.first, self.second = np.zeros((len(self.N), 2 * self.n)), np.zeros((len(self.N), 2 * self.n))
        if not self.steady:
            self._follow_joints()
        self.D, self.K = self._projected(M, D, K)

    @property
    def n(self) -> int:
        return self.N.shape[1]

    def _projected(self, M: np.ndarray, D: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of z' and z; eta' = N z' + first (z, z'), eta'' = N z'' + second (z, z')         [linear-5]"""
        n = self.n
        both = self.N.T @ np.hstack([K @ self.N, D @ self.N])
        both += self.N.T @ (M @ self.second + D @ self.first)
        return both[:, n:], both[:, :n]

    def _check_masses(self) -> None:
        values = np.linalg.eigvalsh(self.M)
        if self.n and not values[0] > SINGULAR * values[-1]:
            names = ", ".join(self.d.massless()) or "some bodies"
            raise ModelError(f"the mechanism can move without any inertia: {names} cannot be without moments of inertia here; give them "
                             "some, or joints that hold them")

    # -- states that are not steady
    @cached_property
    def _complex(self) -> tuple[evaluation.Memory, evaluation.Data]:
        s = self.d.system
        x, p = self.d.memory(np.complex128), parts(self.row[None, :], s.q0.size, s.n)
        x.q[:], x.v[:], x.a[:], x.H[:] = p["q"][0], p["v"][0], p["a"][0], p["H"][0]
        return x, s.typed_data(np.complex128)

    def rates(self, eta: np.ndarray, dv: np.ndarray, da: np.ndarray, v: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Changes of the first and second time derivatives of the joints' equations, by a complex step; ``v`` instead of the
        velocities of the state. All in world axes but v."""
        s, G = self.d.system, self.tangent.G
        x, data = self._complex
        p, rows = parts(self.row[None, :], s.q0.size, s.n), self.freedom.rows
        xi, move = np.zeros(s.n, complex), np.zeros(s.n)
        xi[:s.n_v] = 1j * (G.T @ eta)
        move[:s.n_v] = G.T @ dv
        evaluation.retract(data, p["q"][0].astype(complex), xi, STEP, x.q)
        x.v[:] = (p["v"][0] if v is None else v) + 1j * STEP * move
        x.a[:] = p["a"][0]
        x.a[:s.n_v] += 1j * STEP * (G.T @ da)
        x.V[:] = 0
        evaluation.run(s.program("rates", np.complex128), data, x, self.t, 0.0, 0.0, 0.0)
        return x.V[rows].imag / STEP, x.R[rows].imag / STEP

    def _follow_joints(self) -> None:
        """How eta' and eta'' leave the free motions of this instant, so that the joints stay closed:

            C G dv = -(dC'/dq) eta,   C G da = -(dC''/dv) G dv - (dC''/dq) eta                            [linear-6]
        """
        turn, own = self.tangent.seen_from(self.W)
        unit, none = np.eye(2 * self.n), np.zeros(len(self.N))
        for k in range(2 * self.n):
            eta, eta1 = self.N @ unit[k, :self.n], self.N @ unit[k, self.n:]
            left = self.rates(eta, eta1 + turn @ eta, none)[0]
            self.first[:, k] = self.freedom.closing(left[:, None])[:, 0]
            eta1 = eta1 + self.first[:, k]
            left = self.rates(eta, eta1 + turn @ eta, (2 * turn - own) @ eta1 + (turn - own) @ turn @ eta)[1]
            self.second[:, k] = self.freedom.closing(left[:, None])[:, 0]

    # -- what follows from a deviation
    def velocities(self, z: np.ndarray, z1: np.ndarray, z2: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """eta, G dv and G da of deviations z, z', z'' (columns)."""
        turn, own = self.tangent.seen_from(self.W)
        both = np.vstack([z, z1])
        eta, eta1, eta2 = self.N @ z, self.N @ z1 + self.first @ both, self.N @ z2 + self.second @ both
        return eta, eta1 + turn @ eta, eta2 + (2 * turn - own) @ eta1 + (turn - own) @ (turn @ eta)

    def multipliers(self, eta: np.ndarray, dv: np.ndarray, da: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Changes of lam, the smallest ones where they are not unique; ``forces`` of the inputs, world axes:

            C^T dlam = F du - M G da - D G dv - K eta,   dmu = ... + P_2 P_2^T dC w,   C w = mu       [linear-7]
        """
        t, f = self.tangent, self.freedom
        out = f.multipliers(t.M @ da + t.D @ dv + t.K @ eta - forces)
        if not f.spare.shape[1]:
            return out
        s = self.d.system
        mu = parts(self.row[None, :], s.q0.size, s.n)["lam"][0, f.rows] / f.unit
        w = np.zeros(s.n)
        w[:s.n_v] = t.G.T @ -f.closing((mu / f.unit)[:, None])[:, 0]
        for k in range(out.shape[1]):
            if eta[:, k].any():
                change = f.unit * self.rates(eta[:, k], np.zeros(len(eta)), np.zeros(len(eta)), w)[0]
                out[:, k] += f.unit * (f.spare @ (f.spare.T @ change))
        return out

    def first_order(self) -> np.ndarray:
        """A of x' = A x, x = (z, z', states)."""
        n = self.n
        A = np.zeros((2 * n + self.m, 2 * n + self.m))
        A[:n, n:2 * n] = np.eye(n)
        A[n:2 * n] = -np.linalg.solve(self.M, np.hstack([self.K, self.D, self.by_states])) if n else 0
        A[2 * n:] = self.state_rates(np.eye(2 * n + self.m))
        return A

    # -- states
    def restless(self) -> str:
        """The state that changes fastest, if one does."""
        s, t = self.d.system, self.tangent
        p = {name: part[0] for name, part in parts(self.row[None, :], s.q0.size, s.n).items()}
        natural = t.speed + np.sqrt(t.natural) + abs(self.nominal[:, None] * t.D[np.ix_(self.places, self.places)]).max(initial=0.0)
        rates = abs(p["a"][self.places]) / np.maximum(self.nominal, abs(p["v"][self.places])) if self.places else np.zeros(0)
        return s.states[int(rates.argmax())].name if rates.max(initial=0.0) > SMALL * max(natural, 1.0) else ""

    @property
    def m(self) -> int:
        """Number of states."""
        return len(self.places)

    @cached_property
    def by_states(self) -> np.ndarray:
        """What states do to the equations of z, on the left."""
        return np.asarray(self.N.T @ self.tangent.D[:, self.places])

    def state_rates(self, x: np.ndarray) -> np.ndarray:
        """Rates of states by deviations x = (z, z', states), columns."""
        n, t = self.n, self.tangent
        eta, dv, _ = self.velocities(x[:n], x[n:2 * n], 0 * x[:n])
        dv[self.places] = x[2 * n:]
        return np.asarray(-self.nominal[:, None] * (t.K[self.places] @ eta + t.D[self.places] @ dv))

    def note(self) -> str:
        """A sentence on what makes the equations hold at this instant only, and what to do; empty if nothing does."""
        t, W = self.tangent, least(self.tangent)
        if self.steady:
            return self.about
        if state := self.restless():
            return (f"this state is no equilibrium: {state!r} goes on changing, the equations hold at this instant only; "
                    'state="static" is about the equilibrium')
        if is_steady(t, W):
            return "the equations change with time in this motion: they hold at this instant only"
        body, size = fastest(t, W)
        remedy = 'state="steady" is about the rotation that can go on, with the deformation that belongs to it' if t.speed else (
            'state="static" is about the equilibrium')
        return f"this state is no equilibrium: {body!r} accelerates at {size:.3g} m/s^2, the equations hold at this instant only; {remedy}"
