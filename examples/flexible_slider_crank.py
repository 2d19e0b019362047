"""Flexible slider-crank of Simeon (1996): a crank turns at 150 rad/s, the connecting rod bends and stretches.

Known answer: the end values published in the Test Set for IVP Solvers, from the same inertia integrals: two sine shapes of bending,
an axial displacement at the middle and at the end (matrices as coded there).
"""
import numpy as np

import pliant as pl

DURATION = 0.1
CRANK, ROD, SLIDER, R, L = 0.36, 0.151104, 0.075552, 0.15, 0.30
START = (0.0, 0.0, 0.103339863e-4, 0.169327969e-4), (0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5)
END = -0.3311734988256260, 0.1697373328427860, 1.893192899613509e-4, 2.375751249879174e-5, -5.323896770569702e-6, -8.363313279112129e-6
TOLERANCE = {"rod angle, slider, modal coordinates [relative]": 1e-5, "energy drift [J]": 1e-4}


def part() -> pl.flex.Reduced:
    E, h, rho, pi = 2e11, 0.008, 7870.0, np.pi
    b, k = h * h * L, E * h * h / L
    a = rho * b
    M, K, B, none = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((3, 4))
    M[0, 0], M[1, 1], M[2:, 2:] = a / 2, a / 2, a * np.array([[8, 1], [1, 2]])
    K[0, 0], K[1, 1], K[2:, 2:] = k * pi**4 / 24 * (h / L)**2, k * 2 * pi**4 / 3 * (h / L)**2, k / 3 * np.array([[16, -8], [-8, 7]])
    B[0, 2], B[0, 3], B[1, 3] = -16 * b / pi**3, b * (8 / pi**3 - 1 / pi), b / (2 * pi)
    S, B0, G0, J2, B1, end = none.copy(), none.copy(), np.zeros((4, 3, 3)), np.zeros((4, 4, 3, 3)), np.zeros((4, 3, 4)), none.copy()
    S[0], S[1] = a * np.array([0, 0, 2 / 3, 1 / 6]), a * np.array([2 / pi, 0, 0, 0])
    B0[2], G0[:, 2, 2] = a * L * np.array([1 / pi, -1 / (2 * pi), 0, 0]), a * L * np.array([0, 0, 1 / 3, 1 / 6])
    J2[:, :, 2, 2], B1[:, 2], end[0, 3] = M, rho * (B - B.T), 1.0
    return pl.flex.from_integrals(ROD, (ROD * L / 2, 0, 0), np.diag([1e-3, 0.0045339259, 0.0045339259]), S, B0, G0, J2, B1, M, K,
                                  nodes={"pin": ((0, 0, 0), none, none), "end": ((L, 0, 0), end, none)})


def model() -> pl.Model:
    m = pl.Model("flexible slider crank", planar=True)
    m.add(pl.RigidBody("crank", CRANK, (1e-3, 1e-3, 0.002727 - CRANK * R**2 / 4), com=(R / 2, 0, 0), frames={"end": (R, 0, 0)}))
    m.add(pl.ModalBody("rod", part(), position=(R, 0, 0), modal=START[0], modal_rate=START[1]))
    m.add(pl.RigidBody("slider", SLIDER, (1e-3, 1e-3, 1e-3), position=(0.450016933, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "crank"))
    m.add(pl.Revolute("B", "crank.end", "rod.pin"))
    m.add(pl.Revolute("C", "rod.end", "slider"))
    m.add(pl.Prismatic("D", m.ground, "slider", axis="x"))
    m.add(pl.Drive("A", "angle", "150 * t", name="motor"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy="fine")


def errors(sol: pl.Solution) -> dict[str, float]:
    w, z = sol["rod.rotation"][-1, [0, 3]]
    found = np.array([2 * np.arctan2(z, w), sol["slider.position.x"][-1], *sol["rod.modal"][-1]])
    return {"rod angle, slider, modal coordinates [relative]": float(abs(found / END - 1).max()), "energy drift [J]": sol.energy.drift}


if __name__ == "__main__":
    print(errors(run()))
