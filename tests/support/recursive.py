"""One state of a model in joint coordinates, next to the same in absolute ones; and complex steps."""
import numpy as np

import pliant as pl
from pliant.families.elastic import deform
from pliant.joint_space import services as rs
from pliant.joint_space.joint_states import joint_state
from pliant.joint_space.recursion import rhs
from pliant.joint_space.tree import JointSpace
from pliant.joint_space.tree_programs import programs
from pliant.kernels import evaluation, ode
from pliant.kernels.by_reference import reference
from pliant.kernels.jit import entry
from pliant.kernels.link_tables import IM, IU, NM, NU
from pliant.kernels.records import assign, new_record, values
from pliant.kernels.recursion import outward
from pliant.kernels.state_row import parts, row_width
from pliant.methods.formulations.base import Setting
from pliant.methods.formulations.choices import Recursion
from pliant.start.assembly import start_row

STEP = 1e-30


@entry
def move(tr, d, x):
    if tr.flexible.shape[0] > 0:
        deform(tr, d, x, 0.0)
    outward(tr, x)


class State:
    """The tree at its start, or moved at random; ``bend``: by how much its modes."""

    def __init__(self, model: pl.Model, seed: int | None = None, cut=(), row=None, drives=True, bend=0.3) -> None:
        self.dynamics = model.compile()
        s = self.system = self.dynamics.system
        self.row = start_row(self.dynamics) if row is None else row.copy()
        self.space = JointSpace(self.dynamics, cut, drives=drives)
        self.x = s.memory()
        self.p = Recursion().equations(Setting.single(self.dynamics, self.x), self.space).problem
        self.q, self.u = joint_state(self.space, self.row)
        if seed is not None:
            rng = np.random.default_rng(seed)
            sizes = np.full(self.q.size, 0.3)
            for at, n in self.space.tree.ip[:, [IM, NM]]:
                sizes[at:at + n] = bend
            self.q += sizes * rng.normal(size=self.q.size)
            self.u[:] = rng.normal(size=self.u.size)
            for _, i in self.space.tree.rotations:
                self.q[i:i + 4] /= np.linalg.norm(self.q[i:i + 4])
        self.x.H[:] = parts(self.row[None, :], s.q0.size, s.n)["H"][0]
        self.dy = np.zeros(self.q.size + self.u.size + 2)

    @property
    def y(self) -> np.ndarray:
        return np.concatenate([self.q, self.u, [0.0, 0.0]])

    def rates(self, t: float = 0.0) -> np.ndarray:
        """Accelerations of the joints; those of the bodies are in x.a."""
        assert rs.rates_at(self.p, t, self.y, self.dy) == 0
        return self.dy[self.q.size:-2]

    def absolute(self, t: float = 0.0) -> dict[str, np.ndarray]:
        """The same state with accelerations and multipliers of absolute coordinates."""
        row = self.row.copy()
        row[0] = t
        p = {name: value[0] for name, value in parts(row[None, :], self.system.q0.size, self.system.n).items()}
        p["q"][:], p["v"][:] = self.x.q, self.x.v
        self.dynamics.refine(row[None, :], False)
        return p

    def complex(self):
        """Tree and memory for complex steps, at the same state."""
        t, x = self.space.tree, self.system.memory(np.complex128)
        cast = {name: getattr(t, name).astype(complex) for name in ("rp", "scale", "w", "s", "g", "du", "m")}
        return t._replace(q=self.q.astype(complex), u=self.u.astype(complex), **cast), x

    def along(self, rates: np.ndarray, accelerations: np.ndarray | None = None):
        """The memory after an imaginary step of the coordinates along these rates (and of the rates along the accelerations)."""
        tree, x = self.complex()
        for k, i in tree.linear:
            tree.q[i] += 1j * STEP * rates[k]
        for k, i in tree.rotations:
            w, v = self.q[i], self.q[i + 1:i + 4]
            r = rates[k:k + 3] / 2
            tree.q[i] -= 1j * STEP * v @ r
            tree.q[i + 1:i + 4] += 1j * STEP * (np.cross(v, r) + w * r)
        if accelerations is not None:
            tree.u[:] += 1j * STEP * accelerations
        move(tree, self.system.typed_data(complex), x)
        return x

    def modes(self) -> list[tuple[int, int]]:
        """First rate and number of the modes of flexible bodies."""
        ip = self.space.tree.ip
        return [(int(ip[i, IU] + ip[i, NU]), int(ip[i, NM])) for i, _ in self.space.tree.flexible]


def unassembled(model: pl.Model) -> np.ndarray:
    """A row of a model whose joints are as they are."""
    s = model.compile().system
    row = np.zeros(row_width(s.q0.size, s.n, s.histories))
    parts(row[None, :], s.q0.size, s.n)["q"][0][:] = s.q0
    return row


def complex_jacobian(state: State) -> np.ndarray:
    """Rows of cut equations by rates."""
    program = programs(state.space, np.complex128).gaps
    data, columns = state.system.typed_data(np.complex128), []
    rows = [6 * t + k for t in state.space.loops.tile for k in range(6)]
    active = state.space.loops.active == 1
    for k in range(state.u.size):
        x = state.along(np.eye(state.u.size)[k])
        x.H[:] = state.x.H
        evaluation.run(program, data, x, 0.0, 0.0, 0.0, 0.0)
        columns.append(np.where(active, x.R[rows].imag / STEP, 0.0))
    return np.array(columns).T


def in_complex_numbers(p, space: JointSpace):
    """The same problem in joint coordinates for complex numbers, with memory of its own: for derivatives by imaginary steps."""
    s, made, joints = space.system, programs(space, np.complex128), p.joints

    def cast(x, *names):
        return x._replace(**{name: getattr(x, name).astype(complex) for name in names})
    num = new_record(ode.NUM)
    assign(num, values(p.num))
    num.powered = 0
    joints = cast(joints, "effort", "change")._replace(
        tree=cast(joints.tree, "rp", "scale", "q", "u", "du", "w", "s", "g", "m"),
        loops=cast(joints.loops, "F", "G", "Z", "D", "tiles", "b", "y", "r"),
        forces=made.forces, gaps=made.gaps, closing=made.jacobian, closing_rates=made.rates)
    return p._replace(d=s.typed_data(np.complex128), x=s.memory(np.complex128), power=made.power, num=num, joints=joints)


@entry
def stepped(p, t, y, f):
    return rhs(reference(p), t, y, f)


def complex_slopes(p, space: JointSpace, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the accelerations along the coordinates, and by the rates: one recursion in complex numbers for each."""
    z, n_q, n = in_complex_numbers(p, space), space.n_q, space.n_u
    z.x.H[:], z.x.W[:] = p.x.H, p.x.W
    K, D, f = np.zeros((n, n)), np.zeros((n, n)), np.zeros(y.size, complex)
    for j in range(n):
        for out, along in ((K, True), (D, False)):
            x = y.astype(complex)
            if along:
                for k, i in space.tree.linear:
                    x[i] += 1j * STEP * (k == j)
                for k, i in space.tree.rotations:
                    if k <= j < k + 3:
                        r = np.eye(3)[j - k] / 2
                        x[i] -= 1j * STEP * y[i + 1:i + 4] @ r
                        x[i + 1:i + 4] += 1j * STEP * (np.cross(y[i + 1:i + 4], r) + y[i] * r)
            else:
                x[n_q + j] += 1j * STEP
            assert stepped(z, t, x, f) == 0
            out[:, j] = f[n_q:n_q + n].imag / STEP
    return K, D
