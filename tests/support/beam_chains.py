"""Beams of elements between nodes without anything else, and Newton's method for their equilibria."""
import numpy as np
from derivatives import STEP, ComplexStep, random_rotation

from pliant.compile import beam_elements as made
from pliant.compile.array_builder import ArrayBuilder
from pliant.compile.beam_elements import Pose
from pliant.compile.system import System
from pliant.kernels import evaluation


def exponential(r):
    t, K = np.linalg.norm(r), made.skew(np.asarray(r, float))
    return np.eye(3) + K + K @ K / 2 if t < 1e-9 else np.eye(3) + np.sin(t) / t * K + (1 - np.cos(t)) / t**2 * K @ K


def left_tangent(r):
    """T with p = T(phi) e_1 L at the end of a helix."""
    t, K = np.linalg.norm(r), made.skew(np.asarray(r, float))
    if t < 1e-6:
        return np.eye(3) + K / 2
    return np.eye(3) + (1 - np.cos(t)) / t**2 * K + (t - np.sin(t)) / t**3 * K @ K


def quaternion(R):
    """Scalar first, from the eigenvector of the symmetric matrix that belongs to R."""
    K = np.array([[R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
                  [0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
                  [0, 0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]], [0, 0, 0, R[2, 2] - R[0, 0] - R[1, 1]]])
    return np.linalg.eigh(K, UPLO="U")[1][:, -1]


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def no_frame(*args):
    raise AssertionError("no frames here")


def node(b, name, pose, velocity=(0.0,) * 6):
    return b.place(name, (*pose.point, *quaternion(pose.axes)), velocity, no_frame)


def positive(rng, size):
    root = rng.normal(size=(size, size))
    return root @ root.T + size / 2 * np.eye(size)


def two_nodes(rng, angle, stretch=0.3):
    """Random poses whose axes differ by ``angle``, about a length of one apart."""
    axis = rng.normal(size=3)
    A = Pose(rng.normal(size=3), random_rotation(rng))
    phi = angle * axis / np.linalg.norm(axis)
    u = left_tangent(phi) @ (np.array([1.0, 0, 0]) + stretch * rng.normal(size=3))
    return A, Pose(A.point + A.axes @ u, A.axes @ exponential(phi))


def pair(add, angle, seed=0):
    """A system of two moving nodes and what ``add(builder, places, poses, rng)`` puts between them."""
    rng = np.random.default_rng(seed)
    b = ArrayBuilder((0.3, -0.7, -9.81))
    poses = two_nodes(rng, angle)
    places = tuple(node(b, f"node {k}", pose, rng.normal(size=6)) for k, pose in enumerate(poses))
    add(b, places, poses, rng)
    return ComplexStep(System(b))


def relative_error(c, *coefficients):
    """Of the tangent of a ComplexStep, in its largest entry, for these cm, cd, ck or for each alone and a mixture."""
    worst = 0.0
    for k in coefficients or ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.7, 0.5, 0.3)):
        expected = c.reference(*k)
        worst = max(worst, abs(c.tangent(*k) - expected).max() / (abs(expected).max() or 1.0))
    return worst


def turned_columns(c, cd, ck):
    """The tangent with a random T of every tile, and what it must be: cd dR/dv T + ck dR/dq."""
    rng, T = np.random.default_rng(5), np.eye(c.system.n)
    damping, stiffness = c.reference(0.0, 1.0, 0.0), c.reference(0.0, 0.0, 1.0)
    for k in range(len(c.real.T)):
        c.real.T[k] = rng.normal(size=9)
        T[6 * k + 3:6 * k + 6, 6 * k + 3:6 * k + 6] = c.real.T[k].reshape(3, 3)
    return c.tangent(0.0, cd, ck), cd * damping @ T + ck * stiffness


def gradient(c, which):
    """dE[which]/dq by a complex step, and R, of a ComplexStep at rest without gravity."""
    s, x = c.system, c.real
    x.v[:], x.a[:], s.data.val[:3] = 0, 0, 0
    c.data = s.typed_data(np.complex128)
    evaluation.run(s.program("residual"), s.data, x, c.t, 0.0, 0.0, 0.0)
    return np.array([c.memory(unit, "q", "energy").E[which].imag / STEP for unit in np.eye(s.n)[:s.n_v]]), x.R[:s.n_v].copy()


def energy(system, x, which):
    x.E[:] = 0
    evaluation.run(system.program("energy"), system.data, x, 0.0, 0.0, 0.0, 0.0)
    return float(x.E[which])


def moved(system, q, R, shift):
    """Coordinates of all nodes after a rigid motion."""
    found = q.copy().reshape(-1, 7)
    for node_q in found:
        node_q[:3] = R @ node_q[:3] + shift
        node_q[3:] = quaternion(R @ rotation(node_q[3:]))
    return found.ravel()


class Chain:
    """Elements one after the other; the first node is held. ``element(builder, places, poses)`` adds one."""

    def __init__(self, poses, element, held=(0,)):
        b = ArrayBuilder((0.0, 0.0, 0.0))
        places = [node(b, f"node {k}", pose) for k, pose in enumerate(poses)]
        for k in range(len(poses) - 1):
            element(b, places[k:k + 2], poses[k:k + 2])
        self.system = System(b)
        self.x = self.system.memory()
        self.free = np.array([i for i in range(self.system.n_v) if i // 6 not in held])
        self.program = self.system.program("tangent")

    @property
    def nodes(self):
        return self.x.q.reshape(-1, 7)

    def residual(self):
        """R and D = dR/dq of all coordinates."""
        self.x.D[:] = 0
        evaluation.run(self.program, self.system.data, self.x, 0.0, 0.0, 0.0, 1.0)
        return self.x.R.copy(), self.system.dense(self.x.D)

    def move(self, step):
        evaluation.retract(self.system.data, self.x.q.copy(), step, 1.0, self.x.q)

    def tip(self):
        return self.x.q[-7:-4].copy()

    def newton(self, load, follower=None, tolerance=1e-10, most=60, longest=0.5):
        """Equilibrium with a dead ``load`` (by coordinates) and a moment on the tip in its axes; steps turn by ``longest`` at most."""
        f = self.free
        for _ in range(most):
            R, D = self.residual()
            r = R - load
            if follower is not None:
                r[-3:] -= follower
            step = np.zeros_like(R)
            step[f] = np.linalg.solve(D[np.ix_(f, f)], -r[f])
            step *= min(1.0, longest / max(1e-300, np.abs(step.reshape(-1, 6)[:, 3:]).max()))
            self.move(step)
            if np.abs(step).max() < tolerance:
                return
        raise AssertionError(f"no equilibrium: the last step was {np.abs(step).max():.1e}")

    def load(self, force, steps, **options):
        """A dead force on the tip in so many steps; where the tip comes to."""
        load = np.zeros(self.system.n)
        for k in range(1, steps + 1):
            load[-6:-3] = np.asarray(force) * k / steps
            self.newton(load, **options)
        return self.tip()


def straight(n, length=1.0):
    return [Pose(np.array([length * k / n, 0, 0]), np.eye(3)) for k in range(n + 1)]


def arc(n, radius, angle):
    """From the origin along x, curving to y."""
    angles = np.arange(n + 1) * angle / n
    return [Pose(radius * np.array([np.sin(a), 1 - np.cos(a), 0]), exponential((0, 0, a))) for a in angles]


def exact(flexibility, **options):
    def add(b, places, poses):
        d = made.screw(*poses)
        length = np.linalg.norm(d[:3])
        made.exact_beam(b, "beam", places, length, d / length, flexibility, **options)
    return add


def corotational(flexibility):
    def add(b, places, poses):
        length = np.linalg.norm(poses[1].point - poses[0].point)
        made.corotational_beam(b, "beam", places, poses, made.linear_stiffness(flexibility, length))
    return add
