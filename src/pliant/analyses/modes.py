"""modes(): frequencies, damping and shapes of small motions about a state."""
from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels import evaluation
from ..kernels.eigenspaces import clusters, combinations, foremost
from ..kernels.state_row import parts
from . import eigen
from .entries import number_of
from .linearisation import Linearisation, Linearised
from .states import linearised
from .tangent import largest_motion, turn_of

if TYPE_CHECKING:
    from ..model import Model
    from ..solution import Solution

AMPLITUDE = 0.1      # of pictures: largest motion in sizes of the model, or rad
FRAMES = 48          # of an animation


class Modes(Linearised):
    """Small motions eta(t) = Re(shape e^(s t)): ``eigenvalues`` s [rad/s] (one of each conjugate pair), ``frequencies`` |s| / 2 pi and
    ``damped_frequencies`` Im s / 2 pi [Hz], ``damping`` ratios -Re s / |s|, ``rigid`` (s = 0: nothing holds that motion).

    ``shapes`` (modes, bodies, 6): displacement of the centre of mass [m] and rotation vector [rad] in world axes (of a rotating
    state: axes that turn with ``frame`` [rad/s]). The largest one is 1 size of the model, or 1 rad. ``state_shapes`` (modes, states): how
    ``states`` of blocks and drives take part. ``doubtful``: the state is no
    equilibrium, so that these are no frequencies that could be measured; ``note`` says why.
    """

    def __init__(self, lin: Linearisation, n: int | None) -> None:
        self.linearisation, self.note, self.doubtful, d = lin, lin.note(), not lin.steady, lin.d
        rate = max(float(np.linalg.norm(lin.W)), lin.tangent.speed)
        if lin.m:
            s, x = eigen.first_order(lin.first_order(), lin.n, lin.nominal)
        else:
            s, x = eigen.solve(lin.M, lin.D, lin.K, rate, lin.tangent.natural, lin.tangent.decay)
        by = np.where(lin.freedom.by > 0, lin.freedom.by, np.inf)[:, None]
        for space in clusters(s**2, float(abs(s).max(initial=0.0)) ** 2):  # shapes of one frequency, in directions of their own
            if space.stop - space.start > 1 and abs(z := x[:lin.n, space]).max() > 0:
                x[:, space] = x[:, space] @ combinations(z, lin.M, lin.N @ z / by)
        self.eigenvalues, z = s[:n], x[:lin.n]
        self.states = [state.name for state in d.system.states]
        self.state_shapes = np.array(x[2 * lin.n:, :len(self.eigenvalues)].T)
        self.degrees_of_freedom, self.frame, self.t = lin.n, lin.W, lin.t
        self.bodies = [*d.system.bodies, *(node.name for node in d.system.slopes)]
        self.shapes = np.zeros((len(self.eigenvalues), len(self.bodies), 6), complex)
        self.motions = np.zeros((len(self.eigenvalues), d.system.n_v), complex)  # of all coordinates, those of modal bodies among them
        for k in range(len(self.eigenvalues)):
            eta = lin.N @ z[:, k]
            if self.of_state(k) is None:
                part = eta[foremost(abs(eta) / by[:, 0])]
                factor = abs(part) / (part * largest_motion(d, eta))
                eta, self.state_shapes[k] = factor * eta, factor * self.state_shapes[k]
            nodes = [np.concatenate([eta[node.iv:node.iv + 3], turn_of(d, node, eta)]) for node in d.system.slopes]
            self.shapes[k], self.motions[k] = [*(eta[iv - 3:iv + 3] for iv in d.system.data.rotations[:, 0]), *nodes], eta

    def of_state(self, k: int) -> str | None:
        """The state that mode k is of, where next to nothing moves with it: then its largest state is 1 nominal value."""
        lin = self.linearisation
        sizes = abs(self.state_shapes[k]) / lin.nominal if lin.m else np.zeros(1)
        return self.states[int(sizes.argmax())] if sizes.max() > 1 - 1e-9 else None

    @property
    def frequencies(self) -> np.ndarray:
        return np.asarray(abs(self.eigenvalues) / (2 * np.pi))

    @property
    def damped_frequencies(self) -> np.ndarray:
        return np.asarray(self.eigenvalues.imag / (2 * np.pi))

    @property
    def damping(self) -> np.ndarray:
        size = abs(self.eigenvalues)
        return np.asarray(np.divide(0.0 - self.eigenvalues.real, size, out=np.zeros_like(size), where=size > 0))

    @property
    def rigid(self) -> np.ndarray:
        return np.asarray(self.eigenvalues == 0)

    @property
    def stable(self) -> bool:
        """Whether no motion grows."""
        return bool((self.eigenvalues.real <= 1e-9 * abs(self.eigenvalues).max(initial=0.0)).all())

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def kind(self, k: int) -> str:
        """Of mode k: rigid, oscillation, decay or growth."""
        s = self.eigenvalues[k]
        if s == 0:
            return "rigid"
        if s.imag == 0:
            return "growth" if s.real > 0 else "decay"
        return "growing oscillation" if s.real > 1e-9 * abs(s) else "oscillation"

    def shape(self, k: int, body: str) -> np.ndarray:
        """Complex displacement [m] and rotation [rad] of a body in mode k, six numbers."""
        if body not in self.bodies:
            from ..items.base import did_you_mean
            raise KeyError(f"no body {body!r}{did_you_mean(body, self.bodies)}")
        return self.shapes[self._number(k), self.bodies.index(body)]

    def modal(self, k: int, body: str) -> np.ndarray:
        """Complex modal coordinates of a flexible body in mode k."""
        rows = self.linearisation.d.modal_rows(body)
        return np.asarray(self.motions[self._number(k), rows] / self.linearisation.d.directory.flexible[body].scale if rows.size else rows)

    def _number(self, k: Any) -> int:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 0 <= k < len(self):
            raise IndexError(f"mode {k!r} must be a number from 0 to {len(self) - 1}")
        return int(k)

    # -- pictures
    def motion(self, k: int, amplitude: float = AMPLITUDE, frames: int = FRAMES) -> Solution:
        """One period of mode k (of a real one: there and back) as a run, for pictures; joints stay closed to first order only.
        ``amplitude``: the largest displacement in sizes of the model, or rotation [rad]."""
        from ..methods.integrators.choices import GeneralizedAlpha
        from ..solution import Quality, Solution
        d, lin = self.linearisation.d, self.linearisation
        s, w = d.system, self.eigenvalues[self._number(k)].imag
        period = 2 * np.pi / w if w > 0 else 1.0
        rows = np.tile(lin.row, (frames + 1, 1))
        rows[:, 0] = np.linspace(0, period, frames + 1)
        p = parts(rows, s.q0.size, s.n)
        p["v"][:], p["a"][:], p["lam"][:] = 0, 0, 0
        eta = np.zeros((frames + 1, s.n))
        turns = np.exp(2j * np.pi * np.arange(frames + 1) / frames)
        eta[:, :s.n_v] = amplitude * (turns[:, None] * self.motions[k]).real
        for i in range(frames + 1):
            step, q = eta[i].copy(), p["q"][i].copy()
            step[:s.n_v] = lin.tangent.G.T @ step[:s.n_v]
            evaluation.retract(s.data, q.copy(), step, 1.0, q)
            p["q"][i] = q
        return Solution(d.model, d, rows, np.zeros((frames + 1, 3)), Quality(0.0, 0.0, 0.0, 0, 0, 0, 0), complete=True,
                        method=GeneralizedAlpha(), step=period / frames, stride=1, memory={})

    def animate(self, k: int, path: str | Path | None = None, amplitude: float = AMPLITUDE, **options: Any) -> Any:
        """Animate mode k in two seconds, see `pliant.plot.pictures.animate`."""
        motion = self.motion(k, amplitude)
        return motion.animate(path, **{"speed": float(motion.t[-1]) / 2, "title": self.title(k), **options})

    def snapshot(self, k: int, path: str | Path | None = None, amplitude: float = AMPLITUDE, **options: Any) -> Any:
        """Draw mode k at its largest, with the paths of all bodies, see `pliant.plot.pictures.snapshot`."""
        motion = self.motion(k, amplitude)
        return motion.snapshot(path, t=float(motion.t[-1]), **{"trace": self.bodies, "title": self.title(k), **options})

    def title(self, k: int) -> str:
        """Of its pictures: which mode of which model, and how fast it is."""
        k, rate = self._number(k), self.eigenvalues[k]
        real = f"{'grows' if rate.real > 0 else 'decays'} at {abs(rate.real):.4g} 1/s"
        how = f"{self.damped_frequencies[k]:.4g} Hz" if rate.imag > 0 else real
        return f"{self.linearisation.d.model.name}   mode {k}, {how}"

    # -- words
    def to_dict(self) -> dict[str, Any]:
        """All numbers; complex ones as [real, imaginary]."""
        modes = [{"kind": self.kind(k), "doubtful": self.doubtful, "frequency": self.frequencies[k],
                  "damped_frequency": self.damped_frequencies[k], "damping": self.damping[k], "eigenvalue": [s.real, s.imag],
                  "states": {name: [v.real, v.imag] for name, v in zip(self.states, self.state_shapes[k], strict=True)},
                  "shape": {b: [[v.real, v.imag] for v in self.shapes[k, i]] for i, b in enumerate(self.bodies)}}
                 for k, s in enumerate(self.eigenvalues)]
        return {"name": self.model.name, "t": self.t, "degrees_of_freedom": self.degrees_of_freedom, "stable": self.stable,
                "frame": self.frame, "doubtful": self.doubtful, "note": self.note, "modes": modes}

    def summary(self) -> str:
        """A table: frequency, damping, and what moves most."""
        from ..report.display import Text
        from ..report.tables import table
        head, names, rows = self._told()
        return Text("\n".join([head[0], *(f"  {line}" for line in head[1:]), "", table(names, rows)]))

    def _repr_html_(self) -> str:
        from html import escape

        from ..report.display import html_table, page
        head, names, rows = self._told()
        return page(head[0], *(f"<p>{escape(line)}</p>" for line in head[1:]), html_table(names, rows))

    def _told(self) -> tuple[list[str], tuple[str, ...], list[tuple[Any, ...]]]:
        """Lines above the table, its heads and its rows."""
        from .tangent import motion_in_words
        d, rows = self.linearisation.d, list[tuple[Any, ...]]()
        mark = ("?",) if self.doubtful else ()
        for k in range(len(self)):
            rows.append((k, self.frequencies[k], *mark, self.damped_frequencies[k], *mark, round(float(self.damping[k]), 12) + 0.0,
                         self.kind(k), self.of_state(k) or ": ".join(motion_in_words(d, self.motions[k].real))))
        head = [f"modes of {self.model.name!r} at t = {self.t:g} s, {self.degrees_of_freedom} degrees of freedom"]
        if self.frame.any():
            head.append(f"in axes that turn with ({', '.join(f'{w:.6g}' for w in self.frame)}) rad/s")
        head += [f"{'WARNING' if self.doubtful else 'note'}: {self.note}"] if self.note else []
        names = ("mode", "frequency [Hz]", *mark, "damped [Hz]", *mark, "damping", "kind", "largest")
        return head, names, rows

    __str__ = summary

    def __repr__(self) -> str:
        return f"Modes({self.model.name!r}: {len(self)} of {self.degrees_of_freedom} degrees of freedom)"


def modes(model: Model, n: Any = None, state: Any = None) -> Modes:
    """Small motions about a state: constrained, damped, gyroscopic; the ``n`` slowest (default all).

    ``state``: the start of a run (default); "static", the equilibrium near it; "steady", the steady rotation that it states; the
    result of `static`; or a run and a time, (sol, 2.0). About a steady rotation the equations are taken in axes in which they are
    constant. About any other motion their frequencies mean little: they are marked, and a warning is given.
    """
    given = {**model.analyses.get("modes", {}), **{k: v for k, v in (("n", n), ("state", state)) if v is not None}}
    most = number_of(given.get("n"))
    found = Modes(linearised(model, given.get("state")), most)
    if found.doubtful:
        warnings.warn(f"modes of {model.name!r}: {found.note}", stacklevel=3)
    return found
