"""The deformed state in which a rotation goes on: elastic and other free coordinates at rest in the turning axes.
docs/theory/linearisation.md"""
from __future__ import annotations

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.state_row import parts
from ..start.assembly import start_row
from . import eigen
from .entries import TOLERANCE
from .linearisation import Linearisation
from .rotation import Rotation, Stated
from .settling import Balance, NotSettled, Settling
from .steady import why_not
from .tangent import Tangent, axes, derivative, largest_motion, load, turning

LEVEL = 1e-11        # relative: no stiffness
EVEN = 1e-6          # relative: a rate does not change
GROWS = 1e-6         # relative: what grows so slowly is rounding
NEARBY = 0.05        # sizes of the model or rad: a state of a run is that far from the steady one next to it, at most; and so are its rates
STILL = (1, True), (8, True), (40, True)                        # steps of the loads, and whether downhill: in fixed axes
TURNED = (1, False), (8, False), (1, True), (8, True)           # in turning ones


class Turning(Settling):
    """The search for the state that a rotation carries on: R(q, v(q), a(q)) = 0 along the free motions, the derivative with v and a

        K + D W~ + M (W~ - w~) W~                                                                    [steady-2]

    of [linear-3]. ``downhill``: guarded as the search for an equilibrium, in the potential -v.M v / 2 more; else by Newton's method alone,
    since rotations above a critical speed are no minimum of it.
    """
    remedy = "Start nearer to it: give bodies positions and modal coordinates nearer to those in rotation, or look at a slower rotation"

    def __init__(self, d: CompiledModel, t: float, tolerance: float, rotation: Rotation, downhill: bool) -> None:
        super().__init__(d, t, tolerance)
        self.rotation, self.downhill = rotation, downhill
        self.inertia = 0.0

    def _derivative(self) -> tuple[np.ndarray, np.ndarray]:
        d, n_v = self.d, self.d.system.n_v
        d.x.v[:], d.x.a[:] = self.rotation.at(d, d.x.q, np.sqrt(self.part))
        K, R = self._turning()
        self.inertia = float(abs(self.forces).max(initial=0.0))
        if self.part != 1:
            K0, R0 = self._turning(*self.unloaded)
            K, R = K0 + self.part * (K - K0), R0 + self.part * (R - R0)
        return K, R[:n_v]

    def _turning(self, *program: object) -> tuple[np.ndarray, np.ndarray]:
        """Derivative and left side; ``forces``: of inertia."""
        d, n_v = self.d, self.d.system.n_v
        M, D, K = (derivative(d, self.t, *by, *program) for by in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        G, n = axes(d, d.x.q), len(d.system.data.rotations)
        W = np.tile(np.sqrt(self.part) * self.rotation.W, (n, 1))
        w = np.array([G[iv:iv + 3, iv:iv + 3] @ d.x.v[iv:iv + 3] for iv, _ in d.system.data.rotations])
        turn, own = turning(d, W, W), turning(d, w)
        by_velocity, by_acceleration = G.T @ turn @ G, G.T @ ((turn - own) @ turn) @ G
        self.forces = M @ d.x.a[:n_v]
        return K + D @ by_velocity + M @ by_acceleration, d.x.R.copy()

    def balance(self) -> Balance:
        b = super().balance()
        size = max(b.size, self.d.length * self.inertia)
        return b._replace(size=size, none=max(b.none, 1e-14 * size))

    def _step(self, b: Balance) -> np.ndarray:
        """dz = -H^-1 f, not farther than the radius; nothing along motions without stiffness, where f is none."""
        if self.downhill:
            return super()._step(b)
        U, S, V = np.linalg.svd(b.H)
        g = U.T @ b.f
        idle = (max(LEVEL * S.max(initial=0.0), b.none) >= S) & (abs(g) <= max(self.tolerance, 1e-9) * b.size)
        dz = -V.T @ np.where(idle, 0.0, g / np.where(idle, 1.0, np.maximum(S, 1e-300)))
        return np.asarray(dz * min(1.0, self.radius / max(float(np.linalg.norm(dz)), 1e-300)))

    def _better(self, b: Balance, new: Balance, dz: np.ndarray, eta: np.ndarray) -> bool:
        """Less is left of the forces, or of the motion they ask for (which stiff directions do not rule)."""
        if self.downhill or new.f.shape != b.f.shape:
            return super()._better(b, new, dz, eta)
        old = (new.freedom.back @ b.freedom.N).T @ new.f
        asked = np.linalg.lstsq(b.H, np.column_stack([b.f, old]), rcond=LEVEL)[0]
        now, before = np.linalg.norm(asked[:, 1]), np.linalg.norm(asked[:, 0])
        return bool(now < before or abs(new.f).max(initial=0.0) < abs(b.f).max(initial=0.0))


def steady_state(d: CompiledModel, row: np.ndarray) -> np.ndarray:
    """The row of the steady rotation that a start states (velocities of bodies, rates of joints, drives); ModelError if there is none."""
    return _found(d, row, 0.0)


def start_in_rotation(d: CompiledModel) -> np.ndarray:
    """The row of a run that begins in the steady rotation that its start states."""
    exact = d.model.copy().compile(exact=True)
    start = steady_state(exact, start_row(exact))
    d.refine(start[None, :])
    d.x.q[:] = parts(start[None, :], d.system.q0.size, d.system.n)["q"][0]
    return start


def steady_state_near(d: CompiledModel, row: np.ndarray) -> np.ndarray | None:
    """The steady rotation next to a state of a run that has almost settled in it."""
    s = d.system
    try:
        found = _found(d, row, NEARBY)
    except ModelError:
        return None
    before, after = (parts(r[None, :], s.q0.size, s.n)["q"][0] for r in (row, found))
    return found if apart(d, before, after) <= NEARBY else None


def apart(d: CompiledModel, one: np.ndarray, other: np.ndarray) -> float:
    """The largest motion between two positions: displacements and deformations in sizes of the model, rotations in rad."""
    eta = np.zeros(d.system.n_v)
    for iv, iq in d.system.data.rotations:
        eta[iv - 3:iv] = other[iq - 3:iq] - one[iq - 3:iq]
        a, b = one[iq:iq + 4], other[iq:iq + 4]
        vector = a[0] * b[1:] - b[0] * a[1:] - np.cross(a[1:], b[1:])
        eta[iv:iv + 3] = 2 * (vector if a @ b >= 0 else -vector)
    for iv, iq in d.system.data.linear:
        eta[iv] = other[iq] - one[iq]
    return largest_motion(d, eta)


def _found(d: CompiledModel, row: np.ndarray, near: float) -> np.ndarray:
    p = parts(row[None, :], d.system.q0.size, d.system.n)
    load(d, row)
    stated, why = Stated(d, float(row[0]), p["v"][0], statements=not near), ""
    for rotation in stated.candidates(near):
        try:
            found = _settled(d, row, rotation)
            reason = _uneven(d, found, rotation) or why_not(Tangent(d, found), rotation.W)
        except NotSettled as error:
            reason = str(error)
        if not reason:
            return found
        why = why or reason
    raise ModelError("there is no steady rotation: " + (why or "the velocities at the start are not those of bodies that turn together "
                     "about one axis, each spinning at most about an axis of its own. State the rotation by a drive, by the angle_rate of "
                     "a joint or by the velocities of all bodies"))


def _uneven(d: CompiledModel, row: np.ndarray, rotation: Rotation) -> str:
    """A sentence on a drive that does not go on at its rate; empty if all do."""
    s, x, t = d.system, d.x, load(d, row)
    x.v[:], x.a[:] = rotation.at(d, x.q)
    x.V[:] = 0
    evaluation.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
    left = {name: abs(d.unit[at] * x.R[at]) for name, (at, *_) in d.directory.drives.items()}
    worst = max(left, key=lambda name: left[name], default="")
    if not worst or left[worst] <= EVEN * float(abs(d.weights() * x.v).max()) ** 2:
        return ""
    return f"drive {worst!r} does not move at a constant rate at t = {t:g} s; give it a function such as '10*t'"


def _settled(d: CompiledModel, row: np.ndarray, rotation: Rotation) -> np.ndarray:
    """The state that the rotation carries on. One that does not last (a governor whose arms hang down) is left for one downhill."""
    still = not rotation.W.any()
    found, b = _searched(d, row, rotation, STILL if still else TURNED)
    if still or np.linalg.eigvalsh((b.H + b.H.T) / 2).min(initial=0.0) >= -max(LEVEL * abs(b.H).max(initial=0.0), b.none):
        return found
    if not _grows(d, found) or _floats(d, found, rotation.W):
        return found
    try:
        other = _searched(d, row, rotation, ((1, True),))[0]
    except ModelError:
        return found
    return found if _grows(d, other) else other


def _searched(d: CompiledModel, row: np.ndarray, rotation: Rotation, ways: tuple[tuple[int, bool], ...]) -> tuple[np.ndarray, Balance]:
    """By the first of the ways that leads anywhere."""
    why: ModelError | None = None
    for steps, downhill in ways:
        load(d, row)
        search = Turning(d, float(row[0]), TOLERANCE, rotation, downhill)
        try:
            for k in range(steps):
                search.part = (k + 1) / steps
                b = search.settle()
            return _row(d, row, rotation), b
        except ModelError as error:
            why = why or error
    raise NotSettled(str(why))


def _row(d: CompiledModel, row: np.ndarray, rotation: Rotation) -> np.ndarray:
    """With the position in memory, its velocities, and the accelerations and reactions that the forces give."""
    out = row.copy()
    p = parts(out[None, :], d.system.q0.size, d.system.n)
    p["q"][0], p["H"][0] = d.x.q, d.x.H
    p["v"][0], p["a"][0] = rotation.at(d, d.x.q)
    d.refine(out[None, :], project=False)
    return out


def _grows(d: CompiledModel, row: np.ndarray) -> bool:
    lin = Linearisation(d, row)
    s = eigen.solve(lin.M, lin.D, lin.K, lin.tangent.speed, lin.tangent.natural, lin.tangent.decay)[0]
    return bool(s.real.max(initial=0.0) > GROWS * abs(s).max(initial=0.0))


def _floats(d: CompiledModel, row: np.ndarray, W: np.ndarray) -> bool:
    """Whether joints let the whole be moved across the axis: then the axis goes with it, and nothing is lower elsewhere."""
    t, s = Tangent(d, row), d.system
    for k in range(3):
        eta = np.zeros(s.n_v)
        for iv, _ in s.data.rotations:
            eta[iv - 3:iv] = np.cross(W, np.eye(3)[k])
        if abs(t.freedom.unit * (t.freedom.C @ (t.G.T @ eta))).max(initial=0.0) > 1e-9 * abs(eta).max():
            return False
    return True
