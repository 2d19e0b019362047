"""Models of the published benchmarks, as the verification book runs them. The examples show most of them step by step."""
# Items accept and check more than their fields say (axis="z", positional frames), which mypy cannot see.
# mypy: disable-error-code="call-arg, arg-type, dict-item"
from __future__ import annotations

import numpy as np

from .items.base import rotation
from .items.bodies import RigidBody
from .items.forces import SpringDamper, Torque
from .items.joints import Revolute, Spherical
from .model import Model

GRAVITY = 9.81


def pendulum() -> Model:
    """A01: a point mass of 1 kg on a massless rod of 1 m, from rest at (-1, 0)."""
    m = Model("pendulum", gravity=(0, -GRAVITY, 0))
    bob = m.add(RigidBody.point_mass("bob", mass=1.0, position=(-1, 0, 0)))
    m.add(Revolute("pivot", m.ground, bob.frame((1, 0, 0)), axis="z"))
    return m


def four_bar(windows: int) -> Model:
    """A02: uniform links of 1 m and 1 kg, ``windows`` squares side by side; the first tip moves at 1 m/s."""
    m = Model(f"{windows} windows four-bar", gravity=(0, -GRAVITY, 0))
    for i in range(windows + 1):
        motion = {"velocity_at_end": (1, 0, 0)} if i == 0 else {}
        post = m.add(RigidBody.rod(f"post{i}", start=(i, 0, 0), end=(i, 1, 0), mass=1.0, **motion))
        m.add(Revolute(f"ground{i}", m.ground.frame((i, 0, 0)), post["start"], axis="z"))
    for i in range(windows):
        beam = m.add(RigidBody.rod(f"beam{i}", start=(i, 1, 0), end=(i + 1, 1, 0), mass=1.0))
        m.add(Revolute(f"left{i}", m[f"post{i}"]["end"], beam["start"], axis="z"))
        m.add(Revolute(f"right{i}", beam["end"], m[f"post{i + 1}"]["end"], axis="z"))
    return m


# A03: lengths, points and start as in the Test Set for IVP Solvers, problem "Andrews' squeezing mechanism"
SQUEEZER_MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
SQUEEZER_INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
SQUEEZER_START = (-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
                  -0.222668390165885885, 1.23054744454982119)
SQUEEZER_JOINTS = ("O", "F", "B", "G", "A5", "H", "A7")  # whose angles are beta, Theta, gamma, Phi, delta, Omega, epsilon


def andrews() -> Model:
    """A03: Andrews' squeezing mechanism. The published angles are those of SQUEEZER_JOINTS."""
    beta, Theta, gamma, Phi, delta, Omega, epsilon = SQUEEZER_START
    rr, e, zf, zt, u, ss = 7e-3, 2e-2, 2e-2, 4e-2, 4e-2, 35e-3
    A, B, C = np.array([-0.06934, -0.00227, 0]), np.array([-0.03635, 0.03273, 0]), (0.014, 0.072, 0)
    F = rr * np.array([np.cos(beta), np.sin(beta), 0])
    G = A + zt * np.array([np.cos(delta), np.sin(delta), 0])
    H = A + u * np.array([np.sin(epsilon), -np.cos(epsilon), 0])
    places = [((0, 0, 0), beta, (92e-5, 0, 0), (rr, 0, 0)), (F, beta + Theta, (-115e-4, 0, 0), (-28e-3, 0, 0)),
              (B, gamma, (1043e-5, -1874e-5, 0), (0, -ss, 0)), (G, Phi + delta, (0, 1421e-5 - e, 0), (0, -e, 0)),
              (A, delta, (2308e-5, 916e-5, 0), (zt, 0, 0)), (H, Omega + epsilon, (zf - 1421e-5, 0, 0), (zf, 0, 0)),
              (A, epsilon, (-449e-5, -1228e-5, 0), (0, -u, 0))]
    m = Model("andrews")
    K = [m.add(RigidBody(f"K{k + 1}", mass=SQUEEZER_MASS[k], inertia=(SQUEEZER_INERTIA[k],) * 3, com=com, position=pin,
                         rotation={"axis": "z", "angle": angle}, frames={"tip": tip},
                         shape={"kind": "rod", "points": [(0, 0, 0), tip], "radius": 5e-4}))
         for k, (pin, angle, com, tip) in enumerate(places)]
    pins = [("O", m.ground, K[0], beta), ("F", K[0]["tip"], K[1], Theta), ("B", m.ground.frame(B), K[2], gamma),
            ("A5", m.ground.frame(A), K[4], delta), ("G", K[4]["tip"], K[3], Phi), ("A7", m.ground.frame(A), K[6], epsilon),
            ("H", K[6]["tip"], K[5], Omega), ("E3", K[1]["tip"], K[2]["tip"], 0.0), ("E4", K[1]["tip"], K[3]["tip"], 0.0),
            ("E6", K[1]["tip"], K[5]["tip"], 0.0)]
    for name, a, b, zero in pins:
        m.add(Revolute(name, a, b, axis="z", zero=zero))
    m.add(SpringDamper("spring", m.ground.frame(C), K[2].frame((2e-2, -18e-3, 0)), stiffness=4530, length=0.07785))
    m.add(Torque("motor", K[0], (0, 0, 0.033)))
    return m


def bricard() -> Model:
    """A04: five bars of 1 m and 1 kg, section 0.1 m square, closed by six revolute joints; 30 equations for 30 coordinates."""
    m = Model("bricard", gravity=(0, -GRAVITY, 0))
    P = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    before = m.ground.frame(P[0])
    for i, (start, end, axis) in enumerate(zip(P[:-1], P[1:], "yzxyz", strict=True)):
        along = np.subtract(end, start)
        bar = m.add(RigidBody.box(f"bar{i + 1}", size=np.where(along == 0, 0.1, 1.0), mass=1.0, position=np.add(start, end) / 2,
                                  frames={"start": -along / 2, "end": along / 2}))
        m.add(Revolute(f"P{i + 1}", before, bar["start"], axis=axis))
        before = bar["end"]
    m.add(Revolute("P6", before, m.ground.frame(P[5]), axis="x"))
    return m


def heavy_top() -> Model:
    """Heavy top of Geradin and Cardona: fixed at the origin, spinning at 150 rad/s."""
    m = Model("heavy top", gravity=(0, 0, -GRAVITY))
    top = m.add(RigidBody("top", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), com=(0, 1, 0), frames={"center": (0, 1, 0)},
                          angular_velocity=(0, 150, -4.61538),
                          shape={"kind": "cylinder", "points": [(0, 0.95, 0), (0, 1.05, 0)], "radius": 0.25}))
    m.add(Spherical("tip", m.ground, top))
    return m


def lagrange_top(precession: float, tilt: float = np.pi / 6, spin: float = 200.0) -> Model:
    """A symmetric top with its axis at ``tilt`` [rad] to the vertical; ``spin`` [rad/s] is its whole rate about its axis."""
    m = Model("lagrange top", gravity=(0, 0, -GRAVITY))
    across, along, mass, arm = 0.0065, 0.0008, 0.5, 0.1
    top = m.add(RigidBody("top", mass=mass, inertia=(across - mass * arm**2, across - mass * arm**2, along), com=(0, 0, arm),
                          frames={"center": (0, 0, arm)}, rotation=rotation("y", tilt),
                          angular_velocity=(-precession * np.sin(tilt), 0, spin)))
    m.add(Spherical("tip", m.ground, top))
    return m


def free_body() -> Model:
    """A torque-free body turning about its middle axis of inertia."""
    m = Model("free body")
    m.add(RigidBody("body", mass=1.0, inertia=(1, 2, 3), velocity=(0, 0, 0), angular_velocity=(0.01, 5, 0.02)))
    return m
