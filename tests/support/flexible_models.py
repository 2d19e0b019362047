"""Flexible parts and mechanisms that several tests use."""
from functools import cache

import numpy as np

import pliant as pl
from pliant import flex

STEEL = pl.Material(2e11, 0.3, 7800)


@cache
def rod(length=1.0, width=0.02, height=0.03, modes=3, elements=16) -> flex.Reduced:
    """A steel rod along x, held at ``start``; 6 more coordinates are those of its ``end``."""
    mesh = flex.mesh_beam([(0, 0, 0), (length, 0, 0)], pl.Section.rectangle(width, height), STEEL, elements=elements)
    return flex.reduce(mesh, interfaces={"start": (0, 0, 0), "end": (length, 0, 0)}, modes=modes)


@cache
def bridge(modes=10, length=4.0) -> flex.Reduced:
    """A steel beam along x, 60 mm x 80 mm, with a line to slide along, and snow that its shapes do not know."""
    mesh = flex.mesh_beam([(0, 0, 0), (length, 0, 0)], pl.Section.rectangle(0.06, 0.08), STEEL, elements=40)
    return flex.reduce(mesh, {"start": (0, 0, 0), "end": (length, 0, 0), "middle": (length / 2, 0, 0)}, modes=modes,
                       lines={"rail": {"from": (0, 0, 0), "to": (length, 0, 0)}},
                       loads={"snow": {"line": (0, 0, "-90 N/m"), "shape": False}})


def slider_crank(stiffening="on", speed=20.0, damping=0.02) -> pl.Model:
    """In space: the crank's axis is not across the slider's way, a spherical and a universal joint hold the flexible rod."""
    m = pl.Model("flexible slider crank", gravity=(0.5, -9.81, 1.0))
    end = np.array([0.12, 0.05, 0.1])
    slide = end + np.sqrt(1 - 0.05**2 - 0.1**2) * np.array([1, 0, 0]) - np.array([0, 0.05, 0.1])
    direction = slide - end
    turn = np.column_stack([direction, np.cross((0, 0, 1), direction) / np.linalg.norm(direction[:2]), np.zeros(3)])
    turn[:, 2] = np.cross(turn[:, 0], turn[:, 1])
    m.add(pl.RigidBody.rod("crank", (0, 0, 0), end, mass=0.5, radius=0.02))
    m.add(pl.ModalBody("rod", rod(), position=end, rotation=turn, damping=damping, stiffening=stiffening))
    m.add(pl.RigidBody("slider", mass=0.5, inertia=(1e-3, 2e-3, 3e-3), position=slide))
    m.add(pl.Revolute("A", m.ground, "crank.start", axis=(0.3, -0.4, 1.0)))
    m.add(pl.Universal("B", "crank.end", "rod.start", axis="z", axis_b="y"))
    m.add(pl.Spherical("C", "rod.end", "slider"))
    m.add(pl.Prismatic("D", m.ground.frame(slide), "slider", axis="x"))
    m.add(pl.Drive("A", "angle", f"{speed!r}*t", name="motor"))
    return m


# -- Test Set for IVP solvers: flexible slider crank of Simeon 1996, with the matrices as coded there
M1, M2, M3, L1, L2, J1, J2 = 0.36, 0.151104, 0.075552, 0.15, 0.30, 0.002727, 0.0045339259
START = (0.0, 0.0, 0.103339863e-4, 0.169327969e-4), (0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5)
END = -0.3311734988256260, 0.1697373328427860, 1.893192899613509e-4, 2.375751249879174e-5, -5.323896770569702e-6, -8.363313279112129e-6
END_RATES = 60.25346755138369, -8.753116326670527, -0.03005541400289738, -0.005500431812571696, 4.974111734266989e-4, 1.105560003626645e-3
END_FORCES = 62.32935833287916, 163.7920993367306, 25.29857947066878


def simeons_rod() -> flex.Reduced:
    E, h, rho, pi = 2e11, 0.008, 7870.0, np.pi
    b, k = h * h * L2, E * h * h / L2
    a = rho * b
    M, K, B = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((4, 4))
    M[0, 0] = M[1, 1] = a / 2
    M[2:, 2:] = a * np.array([[8, 1], [1, 2]])
    K[0, 0], K[1, 1] = k * pi**4 / 24 * (h / L2)**2, k * 2 * pi**4 / 3 * (h / L2)**2
    K[2:, 2:] = k / 3 * np.array([[16, -8], [-8, 7]])
    B[0, 2], B[0, 3], B[1, 3] = -16 * b / pi**3, b * (8 / pi**3 - 1 / pi), b / (2 * pi)
    S, B0, G0, JJ, B1 = np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((4, 3, 3)), np.zeros((4, 4, 3, 3)), np.zeros((4, 3, 4))
    S[0], S[1] = a * np.array([0, 0, 2 / 3, 1 / 6]), a * np.array([2 / pi, 0, 0, 0])
    B0[2], G0[:, 2, 2] = a * L2 * np.array([1 / pi, -1 / (2 * pi), 0, 0]), a * L2 * np.array([0, 0, 1 / 3, 1 / 6])
    JJ[:, :, 2, 2], B1[:, 2] = M, rho * (B - B.T)
    end = np.zeros((3, 4))
    end[0, 3] = 1
    none = np.zeros((3, 4))
    return flex.from_integrals(M2, (M2 * L2 / 2, 0, 0), np.diag([1e-3, J2, J2]), S, B0, G0, JJ, B1, M, K,
                               nodes={"pin": ((0, 0, 0), none, none), "end": ((L2, 0, 0), end, none)})


def simeon() -> pl.Model:
    m = pl.Model("Simeon's slider crank", planar=True)
    m.add(pl.RigidBody("crank", mass=M1, inertia=(1e-3, 1e-3, J1 - M1 * L1**2 / 4), com=(L1 / 2, 0, 0), frames={"end": (L1, 0, 0)}))
    m.add(pl.ModalBody("rod", simeons_rod(), position=(L1, 0, 0), modal=START[0], modal_rate=START[1]))
    m.add(pl.RigidBody("slider", mass=M3, inertia=(1e-3, 1e-3, 1e-3), position=(0.450016933, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "crank"))
    m.add(pl.Revolute("B", "crank.end", "rod.pin"))
    m.add(pl.Revolute("C", "rod.end", "slider"))
    m.add(pl.Prismatic("D", m.ground, "slider", axis="x"))
    m.add(pl.Drive("A", "angle", "150*t", name="motor"))
    return m


# -- spin-up of a beam: Simo and Vu-Quoc 1986, after Kane, Ryan and Banerjee 1987
SPIN_UP = "if(t < 15, 6/15*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1)), 6*t - 45)"


@cache
def blade() -> flex.Reduced:
    """EA = 2.8e7, EI = 1.4e4, rho A = 1.2, rho I = 6e-4, L = 10 m. Its modes come in pairs: an even number bends both ways alike."""
    E, I = 2.8e7, 1.4e4 / 2.8e7
    mesh = flex.mesh_beam([(0, 0, 0), (10, 0, 0)], pl.Section.general(1.0, I, I, 2 * I), pl.Material(E, 0.3, 1.2), elements=16)
    return flex.reduce(mesh, interfaces={"root": (0, 0, 0), "tip": (10, 0, 0)}, modes=4)


def spin_up(stiffening="on") -> pl.Model:
    """About an axis that is none of the world's."""
    turn = pl.items.base.matrix_of(pl.rotation((1, 2, -1), 0.8))
    m = pl.Model("spin-up")
    m.add(pl.ModalBody("beam", blade(), rotation=turn, stiffening=stiffening))
    m.add(pl.Revolute("hub", m.ground, "beam.root", axis=turn[:, 2]))
    m.add(pl.Drive("hub", "angle", SPIN_UP, name="motor"))
    return m
