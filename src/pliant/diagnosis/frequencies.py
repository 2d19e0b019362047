"""How fast a model vibrates and spins, against the step and the accuracy of its run."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..kernels import evaluation
from ..kernels.block_lu import factorise, solve_refined, subtract_image
from ..kernels.contract import A as AXES
from ..kernels.contract import P
from ..model import Model
from .findings import WARNING, Finding

DENSE = 240           # coordinates up to which eigenvalues are computed; beyond that by iteration
RESOLVED = 1.0        # h omega: a vibration needs about six steps per period
UNDAMPED = 0.02       # damping ratios below this count as none
MANY = 3e6            # steps of a run that are worth a warning


@dataclass
class Settings:
    """Of a run, as far as the model says."""
    duration: float | None = None
    step: float | None = None
    accuracy: float = 1e-5
    method: str = ""              # an explicit one
    limit: float = np.inf         # its largest stable h omega

    @classmethod
    def of(cls, model: Model) -> Settings:
        from ..functions.units import quantity
        from ..methods.selection import chosen, in_coordinates, in_joint_coordinates
        from ..simulation import accuracy_of
        out = cls()
        try:
            for name in ("duration", "step"):
                if model.settings.get(name) is not None:
                    setattr(out, name, quantity(model.settings[name], "s"))
            out.accuracy = accuracy_of(model.settings.get("accuracy") or "normal", chosen(None, None, False)[0])
            named = model.settings.get("integrator"), in_coordinates(model.settings)
            method = chosen(*named, out.step is not None)[0]
            if in_joint_coordinates(named[1]) and named[0] is None:
                return out  # the run takes a method that is stable
            if method.limit < np.inf:
                out.method, out.limit = method.kind, method.limit
        except ValueError:
            pass  # simulate says what is wrong with its options
        return out

    @property
    def length(self) -> float:
        """The duration, or 10 s where none is given."""
        return self.duration or 10.0


class Vibration:
    """M, C and the forces of a model linearised at a pose at rest: D = cm M + cd dR/dv + ck dR/dq."""

    def __init__(self, dynamics: CompiledModel, q: np.ndarray) -> None:
        s = self.system = dynamics.system
        self.dynamics, self.x = dynamics, s.memory()
        self.x.q[:], self.x.v[:] = q, 0
        for joint in dynamics.directory.joints.values():
            for coordinate, history in joint.histories.items():
                self.x.H[history] = joint.start[coordinate]
        self.M, self.damping, self.K = (self._tiles(*c) for c in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        self.factors, self.pivots = self.M.copy(), np.zeros(6, np.int64)
        self.solvable = bool(factorise(self.factors, s.lu, self.pivots))

    def _tiles(self, cm: float, cd: float, ck: float) -> np.ndarray:
        self.x.D[:] = 0
        evaluation.run(self.system.program("tangent"), self.system.data, self.x, 0.0, cm, cd, ck)
        return self.x.D.copy()

    def response(self, force: np.ndarray) -> np.ndarray | None:
        """Accelerations that a force causes with all joints and drives held; None where the equations cannot be solved."""
        s = self.system
        y, r = np.zeros(s.n), np.zeros(s.n)
        if not self.solvable or not solve_refined(self.M, self.factors, s.lu, force, y, r, s.n_v) < 1e-6:
            return None
        y[s.n_v:] = 0
        return y

    def image(self, tiles: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Rows of motion of a matrix times v."""
        out = np.zeros(self.system.n)
        subtract_image(tiles, self.system.lu, v, out)
        out[self.system.n_v:] = 0
        return -out

    def fastest(self) -> tuple[float, np.ndarray]:
        """Largest natural frequency [rad/s] on the manifold of the joints, and its motion."""
        mode = self._by_eigenvalues() if self.system.n_v <= DENSE else self._by_iteration()
        if mode is None:
            return 0.0, np.zeros(self.system.n)
        v = mode
        square = float(v @ self.image(self.K, v)) / max(1e-300, float(v @ self.image(self.M, v)))
        return float(np.sqrt(max(0.0, square))), v

    def _by_eigenvalues(self) -> np.ndarray | None:
        """The largest eigenvalue of  Z^T K Z u = w^2 Z^T M Z u,  C_q Z = 0                                   [diagnosis-7]"""
        s, n = self.system, self.system.n_v
        w = self.dynamics.weights()[:n]
        E = np.where(w > 0, 1 / np.where(w > 0, w, 1.0), 0.0)
        M, K = s.dense(self.M), s.dense(self.K)
        C = M[n:, :n] * E
        size = np.linalg.norm(C, axis=1)
        _, S, V = np.linalg.svd(C / np.where(size > 0, size, 1.0)[:, None])
        Z = E[:, None] * V[int((S > 1e-9).sum()):].T
        Mz, Kz = Z.T @ M[:n, :n] @ Z, Z.T @ (K[:n, :n] + K[:n, :n].T) @ Z / 2
        values, U = np.linalg.eigh(Mz)
        keep = values > 1e-14 * max(values.max(initial=0.0), 1e-300)
        if not keep.any():
            return None
        W = U[:, keep] / np.sqrt(values[keep])
        squares, modes = np.linalg.eigh(W.T @ Kz @ W)
        out = np.zeros(s.n)
        out[:n] = Z @ W @ modes[:, int(np.argmax(squares))]
        return out

    def decay(self) -> float:
        """Largest rate [1/s] at which dampers alone would stop a motion: the largest eigenvalue of M^-1 D on the manifold."""
        mode = self._by_iteration(self.damping) if self.damping.any() else None
        if mode is None:
            return 0.0
        return abs(float(mode @ self.image(self.damping, mode))) / max(1e-300, float(mode @ self.image(self.M, mode)))

    def _by_iteration(self, tiles: np.ndarray | None = None) -> np.ndarray | None:
        """The same by powers of M^-1 K, each solved with the joints. ``tiles``: another matrix than K."""
        K = self.K if tiles is None else tiles
        rng = np.random.default_rng(5)
        v = np.zeros(self.system.n)
        v[self.system.active] = rng.standard_normal(self.system.active.size)
        v[self.system.n_v:] = 0
        for _ in range(60):
            y = self.response(self.image(K, v))
            if y is None or not abs(y).max() > 0:
                return None
            v = y / abs(y).max()
        return v


def highest_frequency(dynamics: CompiledModel, q: np.ndarray | None = None) -> float:
    """Largest natural frequency [rad/s] of a compiled model at rest at q (default: as modelled), joints and drives held."""
    return Vibration(dynamics, dynamics.system.q0 if q is None else q).fastest()[0]


@dataclass
class Spring:
    """One direction of a spring: what it pulls at (a vector of forces on all coordinates), stiffness and damping."""
    name: str
    pull: np.ndarray
    k: float
    c: float

    def vibration(self, model: Vibration) -> tuple[float, float]:
        """Its frequency [rad/s] with all joints held, and the damping ratio; zeros if it moves nothing."""
        answer = model.response(self.pull) if self.k > 0 else None
        flexibility = float(self.pull @ answer) if answer is not None else 0.0
        if flexibility <= 0:
            return 0.0, 0.0
        w = float(np.sqrt(self.k * flexibility))
        return w, self.c * flexibility / (2 * w)


def springs(model: Model, v: Vibration) -> Iterator[Spring]:
    """All springs and bushings with constant stiffness, direction by direction."""
    d = v.dynamics.directory
    for name, r in d.springs.items():
        item = model[name]
        k, c = (float(f) if isinstance(f, (int, float)) else 0.0 for f in (item.stiffness, item.damping))
        u = np.zeros(6)
        if r.joint:
            part = slice(3, 6) if r.kind == "angle" else slice(3)
            u[part] = v.x.X[r.a, AXES:AXES + 9].reshape(3, 3)[:, 2]
        else:
            u[:3] = v.x.X[r.b, P:P + 3] - v.x.X[r.a, P:P + 3]
            u /= np.linalg.norm(u)
        yield Spring(name, _pull(v, r.a, r.b, u), k, c)
    for name, (a, b, _) in d.bushings.items():
        K, C = model[name].matrix("stiffness"), model[name].matrix("damping")
        R = v.x.X[a, AXES:AXES + 9].reshape(3, 3)
        for i in range(6):
            u = np.zeros(6)
            u[3 * (i // 3):3 * (i // 3) + 3] = R[:, i % 3]
            yield Spring(name, _pull(v, a, b, u), K[i, i], C[i, i])


def _pull(v: Vibration, a: int, b: int, u: np.ndarray) -> np.ndarray:
    """Forces on the coordinates of a unit wrench u on frame b and -u on frame a."""
    out = np.zeros(v.system.n)
    for frame, sign in ((a, -1.0), (b, 1.0)):
        count, first, _, tile = v.system.data.fr[frame]
        for k in range(count):
            out[6 * (tile + k):6 * (tile + k) + 6] += sign * u @ v.x.J[first + k]
    return out


def lint(model: Model, dynamics: CompiledModel, q: np.ndarray, velocities: np.ndarray | None, rates: dict[str, float],
         settings: Settings) -> Iterator[Finding]:
    """Vibrations and spins against the step, or against the accuracy. ``rates``: the fastest turning of driven joints [rad/s]."""
    h = settings.step
    told = set[str]()
    if dynamics.directory.springs or dynamics.directory.bushings or (dynamics.directory.flexible and settings.method):
        vibration = Vibration(dynamics, q)
        fast: dict[str, float] = {}
        for spring in springs(model, vibration):
            w, ratio = spring.vibration(vibration)
            if w > 0 and ratio < UNDAMPED:
                fast[spring.name] = max(w, fast.get(spring.name, 0.0))
        for name, w in fast.items():
            steps = settings.length * w / (2 * np.cbrt(settings.accuracy))
            if (h is None and steps > MANY) or (h is not None and h * w > RESOLVED):
                told.add(name)
                yield _stiff(name, w, steps, settings)
        if h is not None and settings.method:
            yield from _unstable(vibration, settings, h)
        elif h is not None and not told:
            yield from _unresolved(model, vibration, h)
    if h is not None:
        yield from _spins(dynamics, velocities, rates, h)


def _hz(w: float) -> str:
    f = w / (2 * np.pi)
    return f"{f / 1e3:.3g} kHz" if f >= 1e3 else f"{f:.3g} Hz"


def _stiff(name: str, w: float, steps: float, settings: Settings) -> Finding:
    if settings.step is not None:
        why = f"the fixed step of {settings.step:g} s is {settings.step * w / (2 * np.pi):.2g} of its period and cannot follow it"
    else:
        given = "" if settings.duration else " (no duration is given)"
        why = f"following it for {settings.length:g} s{given} at accuracy {settings.accuracy:g} takes about {steps:.2g} steps"
    return Finding("stiff-undamped-spring", WARNING, (name,), f"spring {name!r} vibrates at {_hz(w)} without damping; {why}.",
                   "Give it the damping it has in reality (a ratio of a few per cent), lower its stiffness, put a joint in its place, or "
                   "choose a shorter step.")


def _unresolved(model: Model, v: Vibration, h: float) -> Iterator[Finding]:
    w, mode = v.fastest()
    if h * w <= RESOLVED:
        return
    ratio = float(mode @ v.image(v.damping, mode)) / (2 * w * float(mode @ v.image(v.M, mode)))
    if ratio > 0.2:
        return
    elastic = np.concatenate([v.dynamics.modal_rows(name) for name in v.dynamics.directory.flexible] or [np.zeros(0, np.int64)])
    force = v.image(v.K, mode)
    if float(mode[elastic] @ force[elastic]) > float(mode @ force) / 2:  # a fast mode of a flexible body, which hardly moves
        return
    shares: dict[str, float] = {}
    for spring in springs(model, v):
        shares[spring.name] = shares.get(spring.name, 0.0) + spring.k * float(spring.pull @ mode) ** 2
    name = max(shares, key=shares.__getitem__)
    yield Finding("step-too-large", WARNING, (name,), f"the highest natural frequency of the model is {_hz(w)}, mostly of spring {name!r}; "
                  f"the fixed step of {h:g} s is {h * w / (2 * np.pi):.2g} of its period and cannot follow it.",
                  f"Take a step below {RESOLVED / w:.1g} s, ask for accuracy instead of a step, or lower the stiffness.")


def _unstable(v: Vibration, settings: Settings, h: float) -> Iterator[Finding]:
    """Explicit methods grow without bound beyond their limit, whether vibrations are damped or not."""
    w, mode = v.fastest()
    mass = float(mode @ v.image(v.M, mode))
    ratio = float(mode @ v.image(v.damping, mode)) / max(1e-300, 2 * w * mass)
    rate = w * max(1.0, ratio + np.sqrt(max(0.0, ratio**2 - 1)))
    if h * rate > settings.limit:
        yield Finding("step-unstable", WARNING, (), f"the highest natural frequency of the model is {_hz(w)}"
                      f"{f', damped with a ratio of {ratio:.3g}' if ratio > 0.2 else ''}; with the fixed step of {h:g} s h omega is "
                      f"{h * rate:.3g}, beyond the limit {settings.limit:g} of {settings.method}: the run would grow without bound.",
                      f"Take a step below {settings.limit / rate:.1g} s, ask for accuracy instead of a step, or take an implicit "
                      "integrator.")


def _spins(dynamics: CompiledModel, velocities: np.ndarray | None, rates: dict[str, float], h: float) -> Iterator[Finding]:
    fast = {name: w for name, w in rates.items() if h * w > RESOLVED}
    if not fast and velocities is not None:
        fast = {name: float(np.linalg.norm(velocities[said.iv + 3:said.iv + 6])) for name, said in dynamics.directory.stated.items()}
        fast = {name: w for name, w in fast.items() if h * w > RESOLVED}
    for name, w in fast.items():
        yield Finding("step-too-large", WARNING, (name,), f"{name!r} turns at {w:.3g} rad/s, {np.degrees(h * w):.3g} degrees in one fixed "
                      f"step of {h:g} s; beyond half a turn turns are lost, and long before that accuracy.",
                      f"Take a step below {0.1 / w:.1g} s, or ask for accuracy instead of a step.")
