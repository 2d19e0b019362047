"""A model in joint coordinates, one state at a time: kinematics, mass matrix, accelerations, inverse dynamics."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics import ModelError
from ..formulations import recursive_services as rs
from ..formulations.choices import Recursion
from ..formulations.contract import POWERED
from ..formulations.kernels import problem
from ..integrators.stepper import DONE
from ..items.base import did_you_mean
from ..joint_states import joint_state
from ..kernels import links as rc
from ..tree import JointSpace

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
    ``rates`` (angular velocities of quaternions in body axes). Coordinates are those of the outer body against the inner one, zero as
    modelled. Drives are left out: their coordinates are free here. Where loops are, all but `accelerations` speak of the tree cut open."""

    def __init__(self, model: Model, cut: str = "") -> None:
        self.dynamics = model.copy().compile()
        s, form = self.dynamics.system, Recursion(cut=cut)
        self.space = JointSpace(self.dynamics, form.cut_joints, drives=False)
        self.topology = self.space.topology
        programs = [s.program(name) for name in ("residual", "tangent", "power", "history")]
        self.p = problem(self.dynamics, form, s.memory(), programs, 0.0, self.space)[0]
        self.p.num[POWERED] = 0
        self.q, self.u = joint_state(self.space, self.dynamics.assemble())
        owner = [(link.joint or link.body, link.kind) for link in self.topology.links]
        self.coordinates = [f"{name}.{c}" for name, kind in owner for c in COORDINATES[kind]]
        self.rates = [f"{name}.{c}" for name, kind in owner for c in RATES.get(kind, COORDINATES[kind])]

    def _state(self, q: Any, u: Any) -> np.ndarray:
        q, u = self.q if q is None else np.asarray(q, float), np.zeros_like(self.u) if u is None else np.asarray(u, float)
        if q.shape != self.q.shape or u.shape != self.u.shape:
            raise ValueError(f"joint space: q has shape {q.shape} and u {u.shape}, must be {self.q.shape} and {self.u.shape}")
        return np.concatenate([q, u, [0.0, 0.0]])

    def _place(self, y: np.ndarray, frame: str) -> tuple[int, np.ndarray, np.ndarray]:
        """Link of a frame, its position and axes; the tree at the state."""
        frames, numbers = self.dynamics.directory.frames, self.space.number
        if frame not in frames:
            raise ValueError(f"joint space: there is no frame {frame!r}{did_you_mean(frame, frames)}")
        rs.place_at(self.p, 0.0, y)
        i, at = numbers[frame.partition(".")[0]], self.space.frame(frames[frame])
        R = self.space.tree.w[i, rc.A_:rc.A_ + 9].reshape(3, 3)
        return i, self.space.tree.w[i, rc.R_:rc.R_ + 3] + R @ at.point, R @ at.axes

    def frame(self, frame: str, q: Any = None, u: Any = None) -> Placed:
        """Forward kinematics of a body or "body.frame"."""
        i, p, axes = self._place(self._state(q, u), frame)
        w = self.space.tree.w[i]
        spin = w[rc.W_:rc.W_ + 3].copy()
        return Placed(p, axes, w[rc.V_:rc.V_ + 3] + np.cross(spin, p - w[rc.R_:rc.R_ + 3]), spin)

    def jacobian(self, frame: str, q: Any = None) -> np.ndarray:
        """6 x rates: velocity and angular velocity of a frame, world axes."""
        i, p, _ = self._place(self._state(q, None), frame)
        t, J = self.space.tree, np.zeros((6, self.u.size))
        while i < len(self.topology.links):
            for k in range(t.ip[i, rc.IU], t.ip[i, rc.IU] + t.ip[i, rc.NU]):
                v, w = t.s[k, rc.S_:rc.S_ + 3], t.s[k, rc.S_ + 3:rc.S_ + 6]
                J[:3, k], J[3:, k] = v + np.cross(w, p - t.w[i, rc.R_:rc.R_ + 3]), w
            i = int(t.ip[i, rc.PARENT])
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
        rs.loop_jacobian_at(self.p, 0.0, self._state(q, None), method == "sweep", J)
        return J
