"""Andrews' squeezing mechanism (IFToMM benchmark A03; Schiehlen 1990): seven bodies K1..K7 in the plane, driven by a constant
torque of 0.033 N m against a spring from C to D on K3. No gravity, from rest.

Known answer (Test Set for IVP Solvers, problem Andrews; names of points and lengths as there): initial accelerations beta'' and
Theta'', and the seven angles at 0.03 s (computed with two integrators; the published digits differ by 1.5e-9).
"""
import numpy as np

import pliant as pl

DURATION = 0.03
TOLERANCE = {"initial accelerations [relative]": 1e-9, "angles at 0.03 s [rad]": 1e-5, "energy drift [J]": 1e-5}
M = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)                          # kg
I = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)                   # kg m^2 about the centre of mass
BETA, THETA, GAMMA, PHI = -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885
DELTA, OMEGA, EPSILON = 0.487364979543842550, -0.222668390165885885, 1.23054744454982119       # rad
ANGLES = {"O": 15.810771195153714, "F": -15.756371058411847, "B": 0.0408222401196452, "G": -0.534730116342081,
          "A5": 0.524409965879954, "H": 0.534730116342081, "A7": 1.048080741041938}            # beta ... epsilon at 0.03 s


def model() -> pl.Model:
    rr, e, zf, zt, u, ss = 7e-3, 2e-2, 2e-2, 4e-2, 4e-2, 35e-3
    A, B, C = np.array([-0.06934, -0.00227, 0]), (-0.03635, 0.03273, 0), (0.014, 0.072, 0)
    F = rr * np.array([np.cos(BETA), np.sin(BETA), 0])
    G = A + zt * np.array([np.cos(DELTA), np.sin(DELTA), 0])
    H = A + u * np.array([np.sin(EPSILON), -np.cos(EPSILON), 0])
    # of each body: the pin it hangs on and its angle; in its own axes the centre of mass and the other pin
    m, K = pl.Model("andrews"), []
    for pin, angle, com, tip in (
            ((0, 0, 0), BETA, (92e-5, 0, 0), (rr, 0, 0)), (F, BETA + THETA, (-115e-4, 0, 0), (-28e-3, 0, 0)),
            (B, GAMMA, (1043e-5, -1874e-5, 0), (0, -ss, 0)), (G, PHI + DELTA, (0, 1421e-5 - e, 0), (0, -e, 0)),
            (A, DELTA, (2308e-5, 916e-5, 0), (zt, 0, 0)), (H, OMEGA + EPSILON, (zf - 1421e-5, 0, 0), (zf, 0, 0)),
            (A, EPSILON, (-449e-5, -1228e-5, 0), (0, -u, 0))):
        K += [m.add(pl.RigidBody(
            f"K{len(K) + 1}", mass=M[len(K)], inertia=(I[len(K)],) * 3, com=com, position=pin, frames={"tip": tip},
            rotation={"axis": "z", "angle": angle}, shape={"kind": "rod", "points": [(0, 0, 0), tip], "radius": 5e-4}))]
    pins = [("O", m.ground, K[0], BETA), ("F", K[0]["tip"], K[1], THETA), ("B", m.ground.frame(B), K[2], GAMMA),
            ("A5", m.ground.frame(A), K[4], DELTA), ("G", K[4]["tip"], K[3], PHI), ("A7", m.ground.frame(A), K[6], EPSILON),
            ("H", K[6]["tip"], K[5], OMEGA), *((f"E{k + 1}", K[1]["tip"], K[k]["tip"], 0) for k in (2, 3, 5))]
    for name, a, b, zero in pins:
        m.add(pl.Revolute(name, a, b, axis="z", zero=zero))
    m.add(pl.SpringDamper("spring", m.ground.frame(C), K[2].frame((2e-2, -18e-3, 0)), stiffness=4530, length=0.07785))
    m.add(pl.Torque("motor", K[0], (0, 0, 0.033)))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION)


def errors(sol: pl.Solution) -> dict[str, float]:
    beta, theta = (sol[f"{k}.angular_acceleration"][0, 2] for k in ("K1", "K2"))  # theta: beta'' + Theta''
    initial = max(abs(beta / 14222.4439199541139 - 1), abs((theta - beta) / -10666.8329399655854 - 1))
    return {"initial accelerations [relative]": float(initial), "energy drift [J]": sol.energy.drift,
            "angles at 0.03 s [rad]": float(max(abs(sol[f"{joint}.angle"][-1] - value) for joint, value in ANGLES.items()))}


if __name__ == "__main__":
    print(errors(sol := run()))
    sol.animate("andrews.gif")
