"""A model in joint coordinates, one state at a time: kinematics, mass matrix, accelerations, inverse dynamics."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..families import nodes
from ..families.elastic import node_at
from ..items.base import IDENTITY, Frame, did_you_mean, matrix_of
from ..items.errors import ModelError
from ..joint_space import services as rs
from ..joint_space.joint_states import joint_state
from ..joint_space.tree import Joined, JointSpace
from ..joint_space.tree_programs import placing
from ..kernels import link_tables as rc
from ..kernels.status import DONE
from ..methods.formulations.base import Setting
from ..methods.formulations.choices import Recursion
from ..methods.integrators.time_loop.stops import function_fault
from ..start.assembly import start_row

if TYPE_CHECKING:
    from ..functions.table import Table
    from ..model import Model

SETTLING, SETTLED, DIFFERENCE = 30, 1e-12, 1e-6  # of modes at rest: steps; last step and differences, in sizes of the model


class Placed(NamedTuple):
    """A frame in world axes: position, axes (columns), velocity, angular velocity."""
    position: np.ndarray
    axes: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


class JointModel:
    """The tree of a model in the order of ``topology``. ``q``: coordinates at the start, named in ``coordinates``; ``u``: rates, named in
    ``rates`` (angular velocities of quaternions in body axes). Modal coordinates of a body come after those of its joint, in metres (the
    root of the mean square of what they displace); ``modal``: where they begin in ``q``, and how many there are, body by body.
    The place of what slides along a flexible body comes last.
    Coordinates are those of the outer body against the inner one, zero as modelled. Drives are left out: their coordinates are free
    here. Where loops are, all but `accelerations` speak of the tree cut open. A frame is a body or "body.frame", also as an object
    (``m["arm"]["end"]``, ``m["arm"].frame((1, 0, 0))``)."""

    def __init__(self, model: Model, cut: str = "") -> None:
        self.dynamics = model.copy().compile()
        s, form = self.dynamics.system, Recursion(cut=cut)
        self.space = JointSpace(self.dynamics, form.cut_joints, drives=False)
        self.topology = self.space.topology
        self.p = form.equations(Setting.single(self.dynamics), self.space).problem
        self.p.num.powered = 0
        self.q, self.u = joint_state(self.space, start_row(self.dynamics))
        self.coordinates, self.rates = list[str](), list[str]()
        for link in self.topology.links:
            name, modes = link.joint or link.body, getattr(getattr(model[link.body], "reduced", None), "names", ())
            joint = self.space.moving(link)
            shapes = [f"{link.body}.{c}" for c in modes]
            self.coordinates += [f"{name}.{c}" for c in joint.coordinates] + shapes
            self.rates += [f"{name}.{c}" for c in joint.rates or joint.coordinates] + shapes
        lines = [name for name, *_ in s.lines]
        sliding = [f"{name}.displacement" if self.dynamics.directory.joints[name].counter else
                   f"{name}.place" + ("_b" if name in lines[:k] else "") for k, name in enumerate(lines)]
        self.coordinates, self.rates = self.coordinates + sliding, self.rates + sliding
        self.modal = [(int(at), int(n)) for at, n in self.space.tree.ip[:, [rc.IM, rc.NM]] if n]

    def __repr__(self) -> str:
        links, cut = len(self.topology.links), ", ".join(self.topology.cut)
        return f"JointModel({self.dynamics.model.name!r}: {links} links, {self.u.size} rates{cut and f', cut at {cut}'})"

    def state(self, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates at a row of results."""
        return joint_state(self.space, row)

    def _state(self, q: Any, u: Any) -> np.ndarray:
        """A state, at rest if ``u`` is left out; quaternions are made unit ones."""
        y = np.concatenate([self._values("q", q, self.q), self._values("u", u, np.zeros_like(self.u)), [0.0, 0.0]])
        for i in self.space.tree.rotations[:, 1]:
            size = np.linalg.norm(y[i:i + 4])
            if size == 0:
                raise ValueError(f"joint space: q[{i}] to q[{i + 3}] are a quaternion and must not all be zero")
            y[i:i + 4] /= size
        return y

    @staticmethod
    def _values(name: str, given: Any, usual: np.ndarray) -> np.ndarray:
        """What is given, or what is usual, of the same size."""
        try:
            values = usual if given is None else np.asarray(given, float)
        except (TypeError, ValueError):
            raise ValueError(f"joint space: {name} = {given!r}, must be {usual.size} numbers (metres, radians)") from None
        if values.shape != usual.shape:
            raise ValueError(f"joint space: {name} has shape {values.shape}, must be {usual.shape}")
        if not np.isfinite(values).all():
            raise ValueError(f"joint space: {name}[{int(np.argmin(np.isfinite(values)))}] is not a finite number")
        return values

    def _joined(self, frame: Any) -> tuple[Frame, Joined, int | None]:
        """A frame, where it is on its body, and its number; None: a point that is no frame of the model."""
        asked, frames = Frame.model_validate(frame), self.dynamics.directory.frames
        if asked.at is not None and asked.body in ("ground", *self.dynamics.model.items):
            asked = self.dynamics.model[asked.body].local(asked)
        name = str(asked.model_copy(update={"point": None}))
        if asked.body == "ground" and asked.frame is None:
            at, number = Joined(np.zeros(3), np.eye(3)), None
        elif name in frames:
            at, number = self.space.frame(frames[name]), frames[name]
        else:
            raise ValueError(f"joint space: there is no frame {name!r}{did_you_mean(name, frames)}")
        if asked.point is None and asked.rotation is None:
            return asked, at, number
        if asked.body in self.dynamics.directory.flexible:
            raise ValueError(f"joint space: body {asked.body!r} is flexible, and nothing is known of its motion but at its frames"
                             f"{did_you_mean('', [f for f in frames if f.startswith(asked.body + '.')])}")
        place = at.point + at.axes @ np.array(asked.point or (0.0, 0.0, 0.0))
        return asked, Joined(place, at.axes @ matrix_of(asked.rotation or IDENTITY)), None

    def _place(self, y: np.ndarray, frame: Any) -> tuple[int, Placed, np.ndarray]:
        """Link of a frame, where it is, and its own motion per mode of its body (6 x modes); the tree at the state."""
        asked, at, number = self._joined(frame)
        rs.place_at(self.p, 0.0, y)
        i, s = self.space.number[asked.body], self.dynamics.system
        modes = int(self.space.tree.ip[i, rc.NM]) if i < len(self.topology.links) else 0
        w, m = self.space.tree.w[i], np.zeros(int(rc.N_S) + 6 * modes)
        m[rc.N_U:rc.N_U + 3], m[rc.N_Q] = at.point, 1.0
        e = placing(s, markers=True).get(-1 if number is None else number, -1)
        if e in range(*s.families.get(nodes.MARKERS, (0, 0))):
            node_at(s.data, self.p.x, e, m)
        R, v, spin = w[rc.A_:rc.A_ + 9].reshape(3, 3), w[rc.V_:rc.V_ + 3], w[rc.W_:rc.W_ + 3]
        arm = R @ m[rc.N_U:rc.N_U + 3]
        own = m[rc.N_S:].reshape(-1, 2, 3) @ R.T
        placed = Placed(w[rc.R_:rc.R_ + 3] + arm, R @ matrix_of(m[rc.N_Q:rc.N_Q + 4].tolist()) @ at.axes,
                        v + np.cross(spin, arm) + R @ m[rc.N_U1:rc.N_U1 + 3], spin + R @ m[rc.N_R1:rc.N_R1 + 3])
        return i, placed, own.reshape(-1, 6).T

    def frame(self, frame: Any, q: Any = None, u: Any = None) -> Placed:
        """Forward kinematics of a frame; ``u``: at rest, if left out."""
        return self._place(self._state(q, u), frame)[1]

    def jacobian(self, frame: Any, q: Any = None) -> np.ndarray:
        """6 x rates: velocity and angular velocity of a frame, world axes."""
        i, placed, own = self._place(self._state(q, None), frame)
        t, J, p = self.space.tree, np.zeros((6, self.u.size)), placed.position
        while i < len(self.topology.links):
            first, modes, last = t.ip[i, rc.IU], t.ip[i, rc.IU] + t.ip[i, rc.NU], t.ip[i, [rc.IU, rc.NU, rc.NM]].sum()
            v, w = t.s[first:last, rc.S_:rc.S_ + 3], t.s[first:last, rc.S_ + 3:rc.S_ + 6]
            J[:3, first:last], J[3:, first:last] = (v + np.cross(w, p - t.w[i, rc.R_:rc.R_ + 3])).T, w.T
            J[:, modes:last] += own
            at, parent = int(t.ip[i, rc.WAYS]), int(t.ip[i, rc.PARENT])
            n = int(t.ip[parent, rc.NM]) if parent < len(t.ip) else 0
            ways = t.m[at:at + int(rc.WAY) * n].reshape(n, -1) if at >= 0 else np.zeros((n, int(rc.WAY)))
            own = np.hstack([ways[:, :3] + np.cross(ways[:, 3:6], p - t.w[i, rc.R_:rc.R_ + 3]), ways[:, 3:6]]).T
            i = parent
        return J

    def mass_matrix(self, q: Any = None) -> np.ndarray:
        """M_p of the tree."""
        M = np.zeros((self.u.size, self.u.size))
        rs.masses_at(self.p, 0.0, self._state(q, None), M)
        return M

    def _efforts(self, q: Any, u: Any, accelerations: Any, t: float) -> np.ndarray:
        effort = np.zeros(self.u.size)
        rs.efforts_at(self.p, t, self._state(q, u), self._values("accelerations", accelerations, np.zeros_like(self.u)), effort)
        self._look_at_functions(t)
        return effort

    def _look_at_functions(self, t: float) -> None:
        """What a function of the user raised."""
        faults = self.dynamics.system.failures.take()
        if faults:
            raise function_fault(faults[0], t)

    def inverse_dynamics(self, q: Any = None, u: Any = None, accelerations: Any = None, t: float = 0.0) -> np.ndarray:
        """Efforts along the rates that drives of all coordinates would need for this motion, against all forces and gravity. Of modes too:
        where bodies are left to bend as they will, let drives move the joints in a run."""
        if self.space.loops.tile.size:
            names = ", ".join(repr(name) for name in self.topology.cut) or "a coupling of joints"
            raise ModelError(f"inverse dynamics: the model has loops (cut at {names}), where efforts are not unique; add drives and read "
                             "their channel effort")
        return self._efforts(q, u, accelerations, t)

    def feed_forward(self, reference: Mapping[str, Any], duration: float, points: int = 401) -> dict[str, Table]:
        """Efforts [N m, N] over time that a motion of all joints needs, {coordinate: Table}. ``reference``: {"A.angle": function of t}, of
        every coordinate, as the channels of the joints have them: expressions, Tables, Profiles or numbers."""
        from .feed_forward import feed_forward
        return feed_forward(self, reference, duration, points)

    def arm(self) -> dict[str, Any]:
        """Axes, masses and gravity as numbers, for a controller that knows the arm; see `pliant.items.computed_torque.ComputedTorque`."""
        from .arm import arm
        return arm(self)

    def gravity_compensation(self, q: Any = None) -> np.ndarray:
        """Efforts that hold the model at rest in the coordinates q of its joints; flexible bodies `sag`, no effort acts on their modes."""
        return self.inverse_dynamics(self.sag(q) if self.modal else q)

    def sag(self, q: Any = None) -> np.ndarray:
        """The coordinates with the modes where they stay while the joints are held at q, by Newton's method."""
        q = self._values("q", q, self.q).copy()
        ip = self.space.tree.ip
        at = np.concatenate([np.arange(i, i + n) for i, n in self.modal] or [np.zeros(0, int)])
        rate = np.concatenate([np.arange(i + k, i + k + n) for i, k, n in ip[:, [rc.IU, rc.NU, rc.NM]]])
        for _ in range(SETTLING):
            R = self.inverse_dynamics(q)[rate]
            K, h = np.zeros((len(at), len(at))), DIFFERENCE * self.dynamics.length
            for k, i in enumerate(at):
                moved = q.copy(), q.copy()
                moved[0][i] += h
                moved[1][i] -= h
                K[:, k] = (self.inverse_dynamics(moved[0])[rate] - self.inverse_dynamics(moved[1])[rate]) / (2 * h)
            change = np.linalg.lstsq(K, -R, rcond=None)[0]
            q[at] += change
            if not abs(change).max(initial=0.0) > SETTLED * self.dynamics.length:
                return q
        raise ModelError("gravity compensation: flexible bodies come to no rest near this position: they may be too soft for their loads, "
                         "or buckle; look at units")

    def force(self, q: Any = None, u: Any = None, t: float = 0.0) -> np.ndarray:
        """f_p in M_p u' = f_p, of the tree cut open: where loops are, less J^T of their multipliers."""
        return -self._efforts(q, u, None, t)

    def accelerations(self, q: Any = None, u: Any = None, t: float = 0.0) -> np.ndarray:
        """u' by recursion, loops closed."""
        y = self._state(q, u)
        dy = np.zeros_like(y)
        status = rs.rates_at(self.p, t, y, dy)
        self._look_at_functions(t)
        if status != DONE:
            bad = int(self.p.num.bad) - 1
            told = self.space.without_inertia(bad, self.mass_matrix(q)) if bad >= 0 else "they are not finite"
            raise ModelError(f"joint space: there are no accelerations at this state: {told}")
        return dy[self.q.size:-2]

    def loop_jacobian(self, q: Any = None, method: str = "sweep") -> np.ndarray:
        """6 x rates per cut joint: by "sweep" along the paths to the root, or by direct "differentiation"."""
        if method not in ("sweep", "differentiation"):
            raise ValueError(f"loop_jacobian: method {method!r} must be 'sweep' or 'differentiation'")
        J = np.zeros((6 * self.space.loops.tile.size, self.u.size))
        rs.loop_jacobian_at(self.p, 0.0, self._state(q, None), method == "sweep", 1, J)
        return J
