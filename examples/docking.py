"""Docking: a craft comes up to another one that tumbles in space; where their ports meet they are one body.

Known answer: momentum and angular momentum stay; behind the impact both move as one rigid body, whose velocities, and the energy that is
lost, follow from them.
"""
import numpy as np

import pliant as pl
from pliant.items.base import matrix_of

DURATION = 12.0  # s
MASSES, INERTIAS = {"station": 900.0, "craft": 250.0}, {"station": (300.0, 420.0, 380.0), "craft": (60.0, 90.0, 80.0)}
TOLERANCE = {"momentum [relative]": 1e-12, "angular momentum [relative]": 1e-9, "energy lost [relative]": 1e-8,
             "turning as one [rad/s]": 1e-9}


def model() -> pl.Model:
    m = pl.Model("docking", gravity=(0, 0, 0))
    m.add(pl.RigidBody("station", mass=MASSES["station"], inertia=INERTIAS["station"], position=(0, 0, 0),
                       angular_velocity=(0.15, 0.002, 0)))
    m.add(pl.RigidBody("craft", mass=MASSES["craft"], inertia=INERTIAS["craft"], position=(2.5, 0.02, 0), velocity=(-0.1, 0, 0)))
    ports = m["station"].frame((1, 0, 0)), m["craft"].frame((-0.8, 0, 0))
    m.add(pl.Measure("gap", *ports))
    m.add(pl.Fixed("port", *ports, connected=False))
    m.add(pl.Event("touch", "gap.distance < 0.1", [pl.Connect("port", at="here")], once=True))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy=1e-10)


def state(sol: pl.Solution, k: int) -> list[tuple[np.ndarray, ...]]:
    """Mass, place, velocity, inertia and angular velocity of both, world axes."""
    axes = {name: matrix_of(sol[f"{name}.rotation"][k].tolist()) for name in MASSES}
    return [(np.array(MASSES[n]), sol[f"{n}.position"][k], sol[f"{n}.velocity"][k], R @ np.diag(INERTIAS[n]) @ R.T,
             R @ sol[f"{n}.angular_velocity"][k]) for n, R in axes.items()]


def momenta(s: list[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, np.ndarray]:
    return sum(m * v for m, _, v, _, _ in s), sum(m * np.cross(r, v) + I @ w for m, r, v, I, w in s)


def errors(sol: pl.Solution) -> dict[str, float]:
    first, last, touch = state(sol, 0), state(sol, -1), sol.events.of("port")[0]
    (p, L), (p1, L1) = momenta(first), momenta(last)
    M = sum(MASSES.values())
    c = sum(m * r for m, r, *_ in last) / M
    I = sum(J + m * ((r - c) @ (r - c) * np.eye(3) - np.outer(r - c, r - c)) for m, r, _, J, _ in last)
    w = np.linalg.solve(I, L - np.cross(c, p))
    lost = sum(m * v @ v + w @ J @ w for m, _, v, J, w in first) / 2 - (p @ p / M + w @ (L - np.cross(c, p))) / 2
    return {"momentum [relative]": float(abs(p1 - p).max() / abs(p).max()),
            "angular momentum [relative]": float(abs(L1 - L).max() / abs(L).max()),
            "energy lost [relative]": abs(touch.energy_lost / lost - 1),
            "turning as one [rad/s]": float(max(abs(s[4] - w).max() for s in last))}


if __name__ == "__main__":
    sol = run()
    print(errors(sol), sol.events, sep="\n")
