"""Gains of state feedback and of filters for linear systems, by SciPy alone. Weights are given by names."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import must
from ..items.base import did_you_mean
from ..items.errors import ModelError
from ..items.state_feedback import plain_name

if TYPE_CHECKING:
    from .linear_system import LinearSystem

UNREACHED = 1e-9    # relative: smallest singular value of (A - s, B) for a motion that inputs reach
AXIS = 1e-7         # relative: real part of a motion that neither grows nor decays, within rounding of a double one
DECAYS = 1e-12      # relative: real part of a motion that does


@dataclass(frozen=True)
class Gain:
    """u = -K (x - x0): ``matrix`` K (inputs x states), names of ``states`` and ``inputs``, the ``channels`` that the states are ("" where
    there is none), x0 in ``at``, and the ``poles`` of the closed loop [rad/s]."""
    matrix: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    channels: tuple[str, ...]
    at: np.ndarray
    poles: np.ndarray

    def __getitem__(self, key: Any) -> float:
        """By the names of an input and a state, or of a state alone where there is one input."""
        if not isinstance(key, tuple) and len(self.inputs) > 1:
            raise KeyError(f"gain[{key!r}]: there are {len(self.inputs)} inputs; write gain[input, state]")
        given = key if isinstance(key, tuple) else (self.inputs[0], key)
        i, j = (_place(name, known, word) for name, known, word in zip(given, (self.inputs, self.states), ("input", "state"), strict=True))
        return float(self.matrix[i, j])

    def as_feedback(self, estimates: str | None = None) -> tuple[dict[str, Any], list[str]]:
        """Fields of a block StateFeedback, and the names of its states; ``estimates``: a Kalman filter of the same states."""
        named = ["output"] if len(self.inputs) == 1 else [plain_name(name) for name in self.inputs]
        if estimates is not None:
            signals = [f"{estimates}.{plain_name(name)}" for name in self.states]
        else:
            signals = list(self.channels)
            if "" in signals:
                state = self.states[signals.index("")]
                raise FieldError("gain", f"the state {state!r} is no channel that could be measured. Estimate it by a Kalman filter "
                                         "(lin.lqe) and name that in estimates, or give its body a joint whose coordinate is this motion")
        return {"gain": self.matrix, "measured": signals, "wanted": self.at.tolist(), "named": named}, list(self.states)

    def __str__(self) -> str:
        from ..report.tables import table
        return table(("u = -K x", *self.states), [(name, *map(float, row)) for name, row in zip(self.inputs, self.matrix, strict=True)])


@dataclass(frozen=True)
class Estimator:
    """x^' = A x^ + B u + L (y - C x^ - D u): ``matrix`` L (states x outputs) for ``system``; ``covariance`` of the error of x^, and the
    ``poles`` of the filter [rad/s]."""
    matrix: np.ndarray
    system: LinearSystem
    covariance: np.ndarray
    poles: np.ndarray

    @property
    def states(self) -> tuple[str, ...]:
        return tuple(self.system.states)

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(self.system.outputs)

    def as_filter(self) -> tuple[dict[str, Any], list[str], list[str], list[str]]:
        """Fields of a block Kalman, and the names of states, inputs and outputs."""
        s, at = self.system, self.system.operating_point
        fields = {"gain": self.matrix, "A": s.A, "B": s.B, "C": s.C, "D": s.D, "named": [plain_name(name) for name in s.states],
                  "at": at.states.tolist(), "at_inputs": at.inputs.tolist(), "at_measured": at.outputs.tolist()}
        return fields, list(s.states), list(s.inputs), list(s.outputs)

    def __str__(self) -> str:
        from ..report.tables import table
        return table(("L", *self.outputs), [(name, *map(float, row)) for name, row in zip(self.states, self.matrix, strict=True)])


def _place(name: Any, known: Sequence[str], word: str) -> int:
    if name not in known:
        raise ModelError(f"there is no {word} {name!r}; there are {', '.join(known)}{did_you_mean(str(name), known)}")
    return list(known).index(name)


# -- weights
def square(given: Any, size: int, what: str) -> np.ndarray:
    """A symmetric matrix from a number, the numbers of its diagonal, or itself."""
    try:
        value = np.asarray(given, float)
    except (TypeError, ValueError):
        rule = f"must be weights by name, a number, {size} numbers, or a {size} x {size} matrix"
        raise ModelError(f"{what} {must(given, rule)}") from None
    value = np.diag(np.full(size, value) if value.ndim == 0 else value) if value.ndim < 2 else value
    if value.shape != (size, size):
        raise ModelError(f"{what} has shape {np.shape(given)}, must be {size} numbers or a {size} x {size} matrix; or give it by names")
    if not np.isfinite(value).all() or not np.allclose(value, value.T, rtol=1e-10, atol=0):
        raise ModelError(f"{what} must be symmetric, of finite numbers")
    return value


def _definite(W: np.ndarray, what: str, strictly: bool) -> np.ndarray:
    least = float(np.linalg.eigvalsh(W)[0]) if len(W) else 1.0
    if least < -1e-12 * abs(W).max(initial=0.0) or (strictly and least <= 0):
        raise ModelError(f"{what} must be positive {'' if strictly else 'semi'}definite: it has the eigenvalue {least:.3g}; all weights "
                         f"must be {'greater than' if strictly else 'at least'} zero")
    return W


def _by_name(given: Mapping[str, Any], known: Sequence[str], what: str, word: str) -> np.ndarray:
    """The diagonal that a mapping gives."""
    out = np.zeros(len(known))
    for name, value in given.items():
        out[_place(name, known, f"{word} (of {what})")] = float(value)
    return out


def _weights(s: LinearSystem, Q: Any, R: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, R, S of x^T Q x + 2 x^T S u + u^T R u; weights of outputs are those of C x + D u."""
    n, m = s.B.shape
    r = _by_name(R, s.inputs, "R", "input") if isinstance(R, Mapping) else R
    control = square(r, m, "R")
    if not isinstance(Q, Mapping):
        return _definite(square(Q, n, "Q"), "Q", False), _definite(control, "R", True), np.zeros((n, m))
    out = [name for name in Q if name not in s.states]
    for name in out:
        _place(name, [*s.states, *s.outputs] if name not in s.outputs else s.outputs, "state or output (of Q)")
    W = np.diag(_by_name({name: Q[name] for name in out}, s.outputs, "Q", "output"))
    states = np.diag(_by_name({name: value for name, value in Q.items() if name in s.states}, s.states, "Q", "state"))
    total = states + s.C.T @ W @ s.C
    return _definite(total, "Q", False), _definite(control + s.D.T @ W @ s.D, "R", True), s.C.T @ W @ s.D


# -- state feedback
def lqr(s: LinearSystem, Q: Any, R: Any) -> Gain:
    """A^T X + X A - (X B + S) R^-1 (X B + S)^T + Q = 0, K = R^-1 (X B + S)^T"""
    _needs(s.B.shape[1], "lqr", "inputs")
    W, U, S = _weights(s, Q, R)
    try:
        K = np.linalg.solve(U, (_riccati(s.A, s.B, W, U, S) @ s.B + S).T)
    except np.linalg.LinAlgError:
        K = np.zeros((len(U), len(W)))
    if _decays(s.A - s.B @ K):
        return _gain(s, K)
    _look(s.A, s.B, s.states, "lqr", "the inputs {} do not reach it; add an input that acts on it", s.inputs)
    part = np.linalg.solve(U, S.T)
    _look((s.A - s.B @ part).T, W - S @ part, s.states, "lqr",
          "Q gives it no weight, so that nothing holds it; give a weight to what it moves")
    raise ModelError("lqr: there is no gain for these weights; make Q and R less different in size")


def place(s: LinearSystem, poles: Sequence[complex]) -> Gain:
    from scipy.signal import place_poles
    _needs(s.B.shape[1], "place", "inputs")
    wanted = np.asarray(poles, complex)
    n = len(s.A)
    if wanted.shape != (n,):
        raise ModelError(f"place: {wanted.size} poles are given, must be {n}, one for each of the states {', '.join(s.states)}")
    unpaired = [p for p in wanted if p.imag and not np.isclose(wanted, np.conj(p), rtol=1e-9, atol=0).any()]
    if unpaired:
        raise ModelError(f"place: the pole {unpaired[0]:g} has no conjugate; complex poles come in pairs a + bj, a - bj")
    _look(s.A, s.B, s.states, "place", "the inputs {} do not reach it, so that its pole stays; add an input that acts on it", s.inputs,
          everything=True)
    rank = np.linalg.matrix_rank(s.B)
    for p in wanted:
        if (times := int(np.isclose(wanted, p, rtol=1e-9, atol=0).sum())) > rank:
            raise ModelError(f"place: the pole {p:g} is asked for {times} times, at most {rank} times with {rank} independent inputs; move "
                             "them apart")
    return _gain(s, place_poles(s.A, s.B, wanted if wanted.imag.any() else wanted.real).gain_matrix)


def given_gain(s: LinearSystem, K: Any) -> Gain:
    n, m = s.B.shape
    if isinstance(K, Mapping):
        if m != 1:
            raise ModelError(f"gain: a mapping of states goes with one input; there are {m}: give a matrix of {m} x {n}")
        K = _by_name(K, s.states, "gain", "state")
    try:
        matrix = np.atleast_2d(np.asarray(K, float))
    except (TypeError, ValueError):
        raise ModelError(f"gain {must(K, f'must be a matrix of {m} x {n}')}") from None
    if matrix.shape != (m, n) or not np.isfinite(matrix).all():
        raise ModelError(f"gain has shape {matrix.shape}, must be {m} x {n} finite numbers: rows for {', '.join(s.inputs)}, columns for "
                         f"{', '.join(s.states)}")
    return _gain(s, matrix)


def _gain(s: LinearSystem, K: np.ndarray) -> Gain:
    at = s.operating_point
    return Gain(K, tuple(s.states), tuple(s.inputs), at.channels, at.states, np.linalg.eigvals(s.A - s.B @ K))


# -- filters
def lqe(s: LinearSystem, Q: Any, R: Any) -> Estimator:
    """A P + P A^T - P C^T R^-1 C P + Q = 0, L = P C^T R^-1"""
    n, p = len(s.A), len(s.C)
    _needs(p, "lqe", "outputs")
    if isinstance(Q, Mapping):
        for name in Q:
            _place(name, [*s.states, *s.inputs], "state or input (of Q)")
        own = _by_name({name: value for name, value in Q.items() if name not in s.inputs}, s.states, "Q", "state")
        acting = _by_name({name: value for name, value in Q.items() if name in s.inputs}, s.inputs, "Q", "input")
        W = np.diag(own) + s.B @ np.diag(acting) @ s.B.T
    else:
        W = square(Q, n, "Q")
    V = square(_by_name(R, s.outputs, "R", "output") if isinstance(R, Mapping) else R, p, "R")
    _definite(W, "Q", False)
    _definite(V, "R", True)
    try:
        P = _riccati(s.A.T, s.C.T, W, V, np.zeros((n, p)))
    except np.linalg.LinAlgError:
        P = np.zeros((n, n))
    L = np.linalg.solve(V, s.C @ P).T
    if _decays(s.A - L @ s.C):
        return Estimator(L, s, P, np.linalg.eigvals(s.A - L @ s.C))
    _look(s.A.T, s.C.T, s.states, "lqe", "the outputs {} do not show it; measure something that it moves", s.outputs)
    _look(s.A, W, s.states, "lqe", "Q has no noise that reaches it, so that the filter would not correct it; give noise to a state or an "
          "input that moves it")
    raise ModelError("lqe: there is no filter for these intensities; make Q and R less different in size")


def _riccati(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, S: np.ndarray) -> np.ndarray:
    """X of A^T X + X A - (X B + S) R^-1 (X B + S)^T + Q = 0, with inputs in units that make the diagonal of R one."""
    from scipy.linalg import solve_continuous_are
    by = 1 / np.sqrt(np.diag(R))
    return np.asarray(solve_continuous_are(A, B * by, Q, by[:, None] * R * by, s=S * by))


def _decays(A: np.ndarray) -> bool:
    """Whether all motions do."""
    poles = np.linalg.eigvals(A)
    return bool((poles.real < -DECAYS * abs(poles).max(initial=0.0)).all())


def _needs(count: int, what: str, word: str) -> None:
    if not count:
        raise ModelError(f"{what}: the linear model has no {word}; name some in linearize")


def _look(A: np.ndarray, B: np.ndarray, states: Sequence[str], what: str, why: str, names: Sequence[str] = (),
          everything: bool = False) -> None:
    """Hautus: rank (A - s, B) = n for every motion e^(s t) that does not decay, or for ``everything``. The state that takes most part in
    one that fails is named."""
    size = max(float(np.linalg.norm(A)), 1e-300)
    scaled = B / max(float(np.linalg.norm(B)), 1e-300) * size
    for s in np.linalg.eigvals(A):
        s = complex(0.0 if abs(s.real) < AXIS * size else s.real, 0.0 if abs(s.imag) < AXIS * size else s.imag)
        if s.real < 0 and not everything:
            continue
        left, values, _ = np.linalg.svd(np.hstack([A - s * np.eye(len(A)), scaled]))
        if values[-1] < UNREACHED * size:
            name = states[int(abs(left[:, -1]).argmax())]
            raise ModelError(f"{what}: a motion with the eigenvalue {s:.6g} 1/s, most of all {name!r}, cannot be changed: "
                             f"{why.format(', '.join(names))}")
