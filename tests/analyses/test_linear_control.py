"""linearize() of a flexible arm with motors, gears and controllers equals the complex step of the nonlinear equations."""
import numpy as np
from scipy.linalg import block_diag
from test_linearize import EPS, Reference

import pliant as pl
from pliant.kernels import evaluation
from pliant.kernels.state_row import parts

AIMS = {"shoulder": 0.3, "elbow": -0.4}  # rad


def arm() -> pl.Model:
    """Two flexible links about axes askew in space, under gravity off all axes; a motor with gear, rotor and PID on each joint."""
    mesh = pl.flex.mesh_beam([(0, 0, 0), (0.5, 0, 0)], pl.Section.rectangle(0.02, 0.015), pl.ALUMINIUM, elements=6)
    part = pl.flex.reduce(mesh, interfaces={"start": 0, "end": 6}, modes=2)
    m = pl.Model("controlled arm", gravity=(2.0, -3.0, -9.0))
    m.add(pl.ModalBody("upper", part, damping=0.02))
    m.add(pl.ModalBody("fore", part, position=(0.5, 0, 0), damping=0.02))
    m.add(pl.RigidBody("load", mass=0.5, inertia=(1e-3, 2e-3, 2.5e-3), com=(0.05, 0.02, -0.01), position=(1.0, 0, 0)))
    m.add(pl.Revolute("shoulder", m.ground, "upper.start", axis=(0.3, -0.5, 0.8), angle=AIMS["shoulder"]))
    m.add(pl.Revolute("elbow", "upper.end", "fore.start", axis=(0.1, 1.0, 0.2), angle=AIMS["elbow"]))
    m.add(pl.Fixed("grip", "fore.end", "load"))
    for joint, aim in AIMS.items():
        m.add(pl.Input(f"{joint}_aim", aim))
        m.add(pl.PID(f"{joint}_pid", f"{joint}_aim.output", f"{joint}.angle", kp=200.0, ki=300.0, kd=4.0, N=150.0, b=0.7, c=0.2))
        m.add(pl.LowPass(f"{joint}_amplifier", f"{joint}_pid.output + 0.1*{joint}_pid.output*cos({joint}.angle)", 2e-3, start=0.0))
        m.add(pl.DCMotor(f"{joint}_motor", joint, f"{joint}_amplifier.output", resistance=0.6, inductance=1e-3, constant=0.05, ratio=60.0,
                         rotor_inertia=2e-5, efficiency=0.85))
    return m


class AtRest(Reference):
    """Complex steps of the equations of motion at an equilibrium, on what joints allow. Nothing moves there, and forces balance with the
    multipliers of the state, so that the joints may be taken as straight."""

    def __init__(self, linear):
        self.lin, self.names = linear.linearisation, linear.states[:linear.linearisation.n]
        super().__init__(self.lin)
        self.onto = self.lin.tangent.G.T @ self.lin.N
        self.lam = parts(self.row[None, :], self.s.q0.size, self.s.n)["lam"][0]

    def matrices(self, q):
        return np.zeros((0, 0)), np.zeros((0, 0))  # no equations of joints are needed

    def derivatives(self, z, rates, accelerations, states):
        """Of what stands on the left of the equations, of rates of states, and of the named coordinates."""
        x, lin = self.x, self.lin
        x.q[:], x.lam[:], x.v[:], x.a[:] = self.moved(1j * EPS * self.onto @ z), self.lam, 0, 0
        x.v[:self.s.n_v] = self.v + 1j * EPS * self.onto @ rates
        x.v[lin.places] = self.v[lin.places] + 1j * EPS * states
        x.a[:self.s.n_v] = 1j * EPS * self.onto @ accelerations
        evaluation.run(self.s.program("residual", complex), self.data, x, lin.t, 0.0, 0.0, 0.0)
        R = x.R[:self.s.n_v].imag / EPS
        return self.onto.T @ R, -lin.nominal * R[lin.places], np.array([self.named(name) for name in self.names])

    def named(self, name):
        """How far a coordinate has moved: an angle as its controller sees it."""
        item, _, which = name.partition(".")
        if which == "angle":
            return self.x.Y[self.lin.d.directory.signals[f"{item}_pid.measurement"]].imag / EPS
        body, k = self.lin.d.directory.flexible[item], int(which.removeprefix("modal.")) - 1
        return self.x.q[body.iq + k].imag / EPS / body.scale[k]


def test_a_controlled_flexible_arm_equals_the_complex_step():
    linear = arm().linearize(["shoulder_aim.output", "elbow_aim.output", "elbow.angle"], ["load.position"], "static")
    lin = linear.linearisation
    n, m = lin.n, lin.m
    assert not linear.note and n == 2 + 16 and m == 2 * 4
    at = AtRest(linear)
    left, rates, named = (np.array(found).T for found in zip(*(at.derivatives(u[:n], u[n:2 * n], u[2 * n:3 * n], u[3 * n:])
                                                               for u in np.eye(3 * n + m)), strict=True))
    M, E = left[:, 2 * n:3 * n], named[:, :n]
    force, rates = (np.hstack([found[:, :2 * n], found[:, 3 * n:]]) for found in (left, rates))
    for found, expected in ((lin.M, M), (np.hstack([lin.K, lin.D, lin.by_states]), force), (lin.first_order()[2 * n:], rates)):
        assert abs(found - expected).max() < 1e-14 * abs(expected).max()
    change = block_diag(E, E, np.eye(m))
    A = np.linalg.solve(change, linear.A @ change)  # as it acts on z
    assert abs(M @ A[n:2 * n] + force).max() < 1e-12 * abs(force).max()
    assert abs(A[2 * n:] - rates).max() < 1e-12 * abs(rates).max()
    assert abs(A[:n] - np.eye(2 * n + m)[n:2 * n]).max() < 1e-12
