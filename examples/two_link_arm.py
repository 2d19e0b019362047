"""Two-link flexible arm: the drives of shoulder and elbow swing it from straight to bent; its links vibrate and come to rest.

Known answer: the straight arm with its drives held is a clamped beam of both links together, with the frequency
1.8751^2 sqrt(E I / rho A) / (2 L)^2; and at rest, sagging under gravity, its tip is where bending and twisting put it (first order).
"""
import numpy as np

import pliant as pl

DURATION, L, SIDE, G = 4.0, 0.5, 0.012, 9.81
METAL = pl.Material(7e10, 0.33, 2700)
TOLERANCE = {"frequency [relative]": 1e-3, "tip at rest [m]": 2e-5}


def model(gravity: float = G, damping: float = 0.4) -> pl.Model:
    mesh = pl.flex.mesh_beam([(0, 0, 0), (L, 0, 0)], pl.Section.rectangle(SIDE, SIDE), METAL, elements=12)
    part = pl.flex.reduce(mesh, interfaces={"start": (0, 0, 0), "end": (L, 0, 0)}, modes=3)
    m = pl.Model("two-link flexible arm", gravity=(0, 0, -gravity))
    m.add(pl.ModalBody("upper", part, damping=damping))
    m.add(pl.ModalBody("fore", part, position=(L, 0, 0), damping=damping))
    m.add(pl.Revolute("shoulder", m.ground, "upper.start", axis="z"))
    m.add(pl.Revolute("elbow", "upper.end", "fore.start", axis="z"))
    m.add(pl.Drive("shoulder", "angle", "0.6 * step(t, 0, 0, 1, 1)", name="first"))
    m.add(pl.Drive("elbow", "angle", "pi/2 * step(t, 0, 0, 1, 1)", name="second"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.01)


def errors(sol: pl.Solution) -> dict[str, float]:
    EI, rho = METAL.E * SIDE**4 / 12, METAL.rho * SIDE**2
    exact = 1.875104068711961**2 * np.sqrt(EI / rho) / (2 * L) ** 2 / (2 * np.pi)
    w = rho * G  # N/m; the forearm is across the upper arm: its weight bends and twists that, and bends itself
    bend, twist = w * L**4 / 8 + w * L * L**3 / 3, w * L**2 / 2 * L * L / (METAL.E / 2.66 * 0.1405770 * SIDE**4)
    sag = (bend + w * L**4 / 8) / EI + twist
    reach = L * np.array([np.cos(0.6) + np.cos(0.6 + np.pi / 2), np.sin(0.6) + np.sin(0.6 + np.pi / 2)])
    tip = sol["fore.end.position"][-1]
    return {"frequency [relative]": float(abs(model(0.0, 0.0).modes(1).frequencies[0] / exact - 1)),
            "tip at rest [m]": float(max(abs(tip[2] + sag), abs(tip[:2] - reach).max()))}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("upper.end.position.z", "fore.end.position.z", path="two_link_arm.png")
