"""A model in joint coordinates, one state at a time: kinematics, mass matrix, accelerations, inverse dynamics."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics import ModelError
from ..families import nodes
from ..families.elastic import node_at
from ..formulations import recursive_services as rs
from ..formulations.choices import Recursion
from ..formulations.contract import POWERED
from ..formulations.kernels import problem
from ..integrators.stepper import DONE
from ..items.base import did_you_mean, matrix_of
from ..joint_states import joint_state
from ..kernels import links as rc
from ..tree import JointSpace
from ..tree_programs import placing

if TYPE_CHECKING:
    from ..model import Model

COORDINATES = {"revolute": ("angle",), "screw": ("angle",), "prismatic": ("displacement",), "cylindrical": ("angle", "displacement"),
               "universal": ("angle_1", "angle_2"), "planar": ("x", "y", "angle"), "spherical": ("w", "x", "y", "z"),
               "free": ("r.x", "r.y", "r.z", "w", "x", "y", "z"), "fixed": ()}
RATES = {"spherical": ("w.x", "w.y", "w.z"), "free": ("v.x", "v.y", "v.z", "w.x", "w.y", "w.z")}


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
    Coordinates are those of the outer body against the inner one, zero as modelled. Drives are left out: their coordinates are free
    here. Where loops are, all but `accelerations` speak of the tree cut open."""

    def __init__(self, model: Model, cut: str = "") -> None:
        self.dynamics = model.copy().compile()
        s, form = self.dynamics.system, Recursion(cut=cut)
        self.space = JointSpace(self.dynamics, form.cut_joints, drives=False)
        self.topology = self.space.topology
        programs = [s.program(name) for name in ("residual", "tangent", "power", "history")]
        self.p = problem(self.dynamics, form, s.memory(), programs, 0.0, self.space)[0]
        self.p.num[POWERED] = 0
        self.q, self.u = joint_state(self.space, self.dynamics.assemble())
        self.coordinates, self.rates = list[str](), list[str]()
        for link in self.topology.links:
            name, modes = link.joint or link.body, getattr(getattr(model[link.body], "reduced", None), "names", ())
            self.coordinates += [f"{name}.{c}" for c in COORDINATES[link.kind]] + [f"{link.body}.{c}" for c in modes]
            self.rates += [f"{name}.{c}" for c in RATES.get(link.kind, COORDINATES[link.kind])] + [f"{link.body}.{c}" for c in modes]
        self.modal = [(int(at), int(n)) for at, n in self.space.tree.ip[:, [rc.IM, rc.NM]] if n]

    def state(self, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates at a row of results."""
        return joint_state(self.space, row)

    def _state(self, q: Any, u: Any) -> np.ndarray:
        q, u = self.q if q is None else np.asarray(q, float), np.zeros_like(self.u) if u is None else np.asarray(u, float)
        if q.shape != self.q.shape or u.shape != self.u.shape:
            raise ValueError(f"joint space: q has shape {q.shape} and u {u.shape}, must be {self.q.shape} and {self.u.shape}")
        return np.concatenate([q, u, [0.0, 0.0]])

    def _place(self, y: np.ndarray, frame: str) -> tuple[int, Placed, np.ndarray]:
        """Link of a frame, where it is, and its own motion per mode of its body (6 x modes); the tree at the state."""
        frames = self.dynamics.directory.frames
        if frame not in frames:
            raise ValueError(f"joint space: there is no frame {frame!r}{did_you_mean(frame, frames)}")
        rs.place_at(self.p, 0.0, y)
        i, at, s = self.space.number[frame.partition(".")[0]], self.space.frame(frames[frame]), self.dynamics.system
        w, m = self.space.tree.w[i], np.zeros(int(rc.N_S) + 6 * int(self.space.tree.ip[i, rc.NM]))
        m[rc.N_U:rc.N_U + 3], m[rc.N_Q] = at.point, 1.0
        e = placing(s, markers=True)[frames[frame]]
        if e in range(*s.families.get(nodes.MARKERS, (0, 0))):
            node_at(s.data, self.p.x, e, m)
        R, v, spin = w[rc.A_:rc.A_ + 9].reshape(3, 3), w[rc.V_:rc.V_ + 3], w[rc.W_:rc.W_ + 3]
        arm = R @ m[rc.N_U:rc.N_U + 3]
        own = m[rc.N_S:].reshape(-1, 2, 3) @ R.T
        placed = Placed(w[rc.R_:rc.R_ + 3] + arm, R @ matrix_of(m[rc.N_Q:rc.N_Q + 4].tolist()) @ at.axes,
                        v + np.cross(spin, arm) + R @ m[rc.N_U1:rc.N_U1 + 3], spin + R @ m[rc.N_R1:rc.N_R1 + 3])
        return i, placed, own.reshape(-1, 6).T

    def frame(self, frame: str, q: Any = None, u: Any = None) -> Placed:
        """Forward kinematics of a body or "body.frame"."""
        return self._place(self._state(q, u), frame)[1]

    def jacobian(self, frame: str, q: Any = None) -> np.ndarray:
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

    def inverse_dynamics(self, q: Any = None, u: Any = None, accelerations: Any = None, t: float = 0.0) -> np.ndarray:
        """Efforts along the rates that drives of all coordinates would need for this motion, against all forces and gravity."""
        if self.space.loops.tile.size:
            names = ", ".join(repr(name) for name in self.topology.cut) or "a coupling of joints"
            raise ModelError(f"inverse dynamics: the model has loops (cut at {names}), where efforts are not unique; add drives and read "
                             "their channel effort")
        effort = np.zeros(self.u.size)
        given = np.zeros(self.u.size) if accelerations is None else np.asarray(accelerations, float)
        rs.efforts_at(self.p, t, self._state(q, u), given, effort)
        return effort

    def gravity_compensation(self, q: Any = None) -> np.ndarray:
        """Efforts that hold the model at rest."""
        return self.inverse_dynamics(q)

    def force(self, q: Any = None, u: Any = None, t: float = 0.0) -> np.ndarray:
        """f_p in M_p u' = f_p."""
        return -self.inverse_dynamics(q, u, None, t)

    def accelerations(self, q: Any = None, u: Any = None, t: float = 0.0) -> np.ndarray:
        """u' by recursion, loops closed."""
        y = self._state(q, u)
        dy = np.zeros_like(y)
        if rs.rates_at(self.p, t, y, dy) != DONE:
            raise ModelError("joint space: accelerations are not finite at this state: a body without inertia, or a singular position")
        return dy[self.q.size:-2]

    def loop_jacobian(self, q: Any = None, method: str = "sweep") -> np.ndarray:
        """6 x rates per cut joint: by "sweep" along the paths to the root, or by direct "differentiation"."""
        if method not in ("sweep", "differentiation"):
            raise ValueError(f"loop_jacobian: method {method!r} must be 'sweep' or 'differentiation'")
        J = np.zeros((6 * self.space.loops.tile.size, self.u.size))
        rs.loop_jacobian_at(self.p, 0.0, self._state(q, None), method == "sweep", 1, J)
        return J
