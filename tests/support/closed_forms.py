"""Small spatial problems with closed forms, or with reduced equations of motion that SciPy integrates to 1e-12."""
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipeinc, ellipkinc

import pliant as pl
from pliant.items.base import matrix_of

N = np.array([1.0, 2.0, 2.0]) / 3                   # off all axes, with two directions across it
U, V = np.array([2.0, 1.0, -2.0]) / 3, np.array([-2.0, 2.0, -1.0]) / 3
G = np.array([1.5, -2.0, -9.0])
ALONG = "(b.position.x + 2*b.position.y + 2*b.position.z)/3"   # coordinate of body b along N


def elastica_tip(alpha):
    """Along and across of the tip of a cantilever of length one under a dead load across it, alpha = P L^2 / EI: Bisshopp and Drucker
    1945, sqrt(alpha) = K(k) - F(phi, k) with sin(phi) = 1 / (k sqrt 2)."""
    def left(k):
        return ellipkinc(np.pi / 2, k * k) - ellipkinc(np.arcsin(1 / (k * np.sqrt(2))), k * k) - np.sqrt(alpha)
    k = brentq(left, np.sqrt(0.5) + 1e-9, 1 - 1e-12)
    phi = np.arcsin(1 / (k * np.sqrt(2)))
    L = ellipkinc(np.pi / 2, k**2) - ellipkinc(phi, k**2)
    return 2 * k * np.cos(phi) / L, 1 - 2 * (ellipeinc(np.pi / 2, k**2) - ellipeinc(phi, k**2)) / L


def solved(f, y0, t):
    return solve_ivp(f, (0, t[-1]), y0, "DOP853", t, rtol=1e-13, atol=1e-13).y


class Pendulum:
    """A body on a hinge along N, gravity G; it turns by phi from the pose as modelled."""
    mass, inertia, arm, rate = 1.3, np.array([0.05, 0.1, 0.13]), np.array([0.3, -0.2, 0.4]), 2.0

    def model(self):
        m = pl.Model("spatial pendulum", gravity=tuple(G))
        body = m.add(pl.RigidBody("b", self.mass, tuple(self.inertia), com=tuple(self.arm), rotation=pl.rotation((1, -1, 2), 0.8),
                                 frames={"c": tuple(self.arm)}))
        m.add(pl.Revolute("A", m.ground, body, axis=tuple(N), angle_rate=self.rate))
        return m

    def exact(self, t):
        """phi, its rate, the position of the centre of mass, the force in the joint."""
        R = matrix_of(pl.rotation((1, -1, 2), 0.8))
        c = R @ self.arm
        across = c - N * (N @ c)
        other = np.cross(N, across)
        J = N @ R @ np.diag(self.inertia) @ R.T @ N + self.mass * across @ across

        def slope(phi):
            return self.mass * (G @ (np.cos(phi) * other - np.sin(phi) * across)) / J
        phi, rate = solved(lambda _, y: [y[1], slope(y[0])], [0.0, self.rate], t)
        e = np.cos(phi)[:, None] * across + np.sin(phi)[:, None] * other
        d = np.cos(phi)[:, None] * other - np.sin(phi)[:, None] * across
        acceleration = np.array([slope(p) for p in phi])[:, None] * d - (rate**2)[:, None] * e
        return phi, rate, N * (N @ c) + e, self.mass * (acceleration - G)

    def error(self, sol):
        phi, rate, place, _ = self.exact(sol.t)
        size = sol.dynamics.length
        return max(abs(sol["A.angle"] - phi).max(), abs(sol["A.angle_rate"] - rate).max() / abs(rate).max(),
                   abs(sol["b.c.position"] - place).max() / size)


class FreeBody:
    """Without torque, about all axes."""
    inertia, rate = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, -1.5])

    def model(self):
        m = pl.Model("free body")
        m.add(pl.RigidBody("b", 1.0, tuple(self.inertia), rotation=pl.rotation((1, 2, 3), 0.5), angular_velocity=tuple(self.rate),
                           velocity=(0.1, 0, 0)))
        return m

    def exact(self, t):
        """Angular velocity, and the rotation as a matrix, row by row."""
        I = self.inertia

        def f(_, y):
            w, R = y[:3], y[3:].reshape(3, 3)
            return np.concatenate([np.cross(I * w, w) / I, np.cross(R, w).ravel()])  # R' = R [w]
        y = solved(f, np.concatenate([self.rate, matrix_of(pl.rotation((1, 2, 3), 0.5)).ravel()]), t)
        return y[:3].T, y[3:].T.reshape(-1, 3, 3)

    def error(self, sol):
        w, R = self.exact(sol.t)
        found = np.array([matrix_of(q) for q in sol["b.rotation"]])
        return max(abs(sol["b.angular_velocity"] - w).max() / abs(w).max(), abs(found - R).max())


class EllipticPendulum:
    """A slider along U with a rod on a hinge along N; gravity along -V."""
    slider, rod, length, g, rate = 2.0, 1.5, 0.8, 9.81, 3.0

    def model(self):
        m = pl.Model("elliptic pendulum", gravity=tuple(-self.g * V))
        s = m.add(pl.RigidBody.box("s", (0.1, 0.2, 0.1), mass=self.slider))
        rod = m.add(pl.RigidBody.rod("b", start=(0, 0, 0), end=tuple(-self.length * V), mass=self.rod))
        m.add(pl.Prismatic("P", m.ground, s, axis=tuple(U), displacement_rate=0.0))
        m.add(pl.Revolute("A", s, rod["start"], axis=tuple(N), angle_rate=self.rate))
        return m

    def exact(self, t):
        """Displacement and angle, and their rates; the angle turns U x V towards N, so that the rod's centre moves along +U."""
        M, m, l, g = self.slider, self.rod, self.length / 2, self.g
        sign = np.dot(np.cross(N, -V), U)  # whether a positive angle moves the rod along U

        def f(_, y):
            _, th, dx, dth = y
            A = np.array([[M + m, m * l * sign * np.cos(th)], [m * l * sign * np.cos(th), m * (2 * l)**2 / 3]])
            ddx, ddth = np.linalg.solve(A, [m * l * sign * dth**2 * np.sin(th), -m * g * l * np.sin(th)])
            return [dx, dth, ddx, ddth]
        return solved(f, [0, 0, 0, self.rate], t)

    def error(self, sol):
        x, th, dx, dth = self.exact(sol.t)
        size = sol.dynamics.length
        return max(abs(sol["P.displacement"] - x).max() / size, abs(sol["A.angle"] - th).max(),
                   abs(sol["A.angle_rate"] - dth).max() / abs(dth).max(),
                   abs(sol["P.displacement_rate"] - dx).max() / size / abs(dth).max())


def pulses(*given):
    """Displacement and velocity of 2 kg from rest under forces F [N] from t0 to t1: (t0, t1, F) each."""
    def exact(t):
        x, v = 0 * t, 0 * t
        for t0, t1, force in given:
            u, w = np.clip(t, t0, t1) - t0, np.clip(t - t1, 0, None)
            v, x = v + force / 2 * u, x + force / 2 * (u * u / 2 + u * w)
        return x, v
    return exact


def block(force, velocity=0.0):
    """2 kg, pushed along N by a function."""
    m = pl.Model("block")
    b = m.add(pl.RigidBody.box("b", size=(0.1, 0.2, 0.3), mass=2.0, velocity=tuple(velocity * N)))
    turned = b.frame((0, 0, 0), rotation=np.stack([N, U, V], 1))
    m.add(pl.Force("f", turned, (force, 0, 0), axes="frame"))
    return m


def along(sol):
    return sol["b.position"] @ N, sol["b.velocity"] @ N
