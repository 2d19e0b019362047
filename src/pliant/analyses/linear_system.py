"""Linear systems x' = A x + B u, y = C x + D u with names: responses, other programs, and what is designed on them."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .design import Estimator, Gain
    from .inversion import Inversion
    from .reduction import Reduced


class OperatingPoint(NamedTuple):
    """``channels`` that the states are ("" where there is none); values of ``states``, ``inputs`` and ``outputs`` there."""
    channels: tuple[str, ...]
    states: np.ndarray
    inputs: np.ndarray
    outputs: np.ndarray


class LinearSystem:
    """``A``, ``B``, ``C``, ``D``, and the names of ``states`` x, ``inputs`` u and ``outputs`` y."""
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str]
    inputs: list[str]
    outputs: list[str]

    @property
    def name(self) -> str:
        raise NotImplementedError

    @property
    def operating_point(self) -> OperatingPoint:
        """Which channels the states are, and what states, inputs and outputs are where the model was linearised."""
        raise NotImplementedError

    @property
    def eigenvalues(self) -> np.ndarray:
        return np.linalg.eigvals(self.A)

    def response(self, frequencies: Any) -> np.ndarray:
        """C (2 pi i f - A)^-1 B + D at frequencies f [Hz], shape (frequencies, outputs, inputs)."""
        f = np.atleast_1d(np.asarray(frequencies, float))
        return self.transfer(2j * np.pi * f)

    def transfer(self, s: Any) -> np.ndarray:
        """C (s - A)^-1 B + D at complex s [rad/s], shape (s, outputs, inputs)."""
        unit = np.eye(len(self.A))
        return np.array([self.C @ np.linalg.solve(x * unit - self.A, self.B.astype(complex)) + self.D for x in np.atleast_1d(s)])

    # -- other programs
    def to_scipy(self) -> Any:
        """A scipy.signal.StateSpace."""
        from scipy.signal import StateSpace
        return StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """A StateSpace of python-control, with the names of states, inputs and outputs."""
        try:
            import control
        except ImportError as error:
            raise ImportError("to_control needs the package python-control; install it: pip install pliant[control]. "
                              "to_scipy() needs nothing more") from error
        names = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        plain = {word: [name.replace(".", "_") for name in given] for word, given in names.items()}  # points mean something else there
        return control.ss(self.A, self.B, self.C, self.D, name=self.name.replace(".", "_"), **plain)

    # -- design
    def lqr(self, Q: Any, R: Any = 1.0) -> Gain:
        """The gain K of u = -K x that makes the integral of x^T Q x + u^T R u smallest. ``Q``: {state or output: weight}, numbers for all
        states, or a matrix; ``R``: {input: weight}, a number, numbers or a matrix."""
        from .design import lqr
        return lqr(self, Q, R)

    def place(self, poles: Sequence[complex]) -> Gain:
        """The gain K of u = -K x that gives A - B K these eigenvalues [rad/s]."""
        from .design import place
        return place(self, poles)

    def gain(self, K: Any) -> Gain:
        """A gain of one's own with the names of this model: rows for inputs, columns for states; or {state: value} of the only input."""
        from .design import given_gain
        return given_gain(self, K)

    def lqe(self, Q: Any, R: Any) -> Estimator:
        """The gain L of the Kalman filter x^' = A x^ + B u + L (y - C x^ - D u). ``Q``: intensity of the noise, {input or state: value}
        (an input, where both have that name), numbers for all states, or a matrix of the states; ``R``: that of what is measured,
        {output: value}, a number, numbers or a matrix."""
        from .design import lqe
        return lqe(self, Q, R)

    def reduced(self, n: int) -> Reduced:
        """A model with n states by balanced truncation: what does not decay is kept as it is, of the rest what inputs reach and
        outputs see most; ``bound``: the largest error of its response."""
        from .reduction import reduced
        return reduced(self, n)

    def inverse(self, wanted: Any, duration: float, tolerance: float = 1e-8) -> Inversion:
        """The inputs that make the outputs follow ``wanted``, bounded also where the inverse is not stable: they begin before the motion
        does (stable inversion). As many outputs as inputs; ``wanted``: a function or Table of t, a profile, or a list of them, the change
        of the output from 0 to ``duration`` [s]; before and after it is at rest."""
        from .inversion import inverse
        return inverse(self, wanted, duration, tolerance)
