"""The spin-up of a beam by Simo and Vu-Quoc 1986, and where its end should be. As a program, with explicit central differences: to 20 s."""
from pathlib import Path

import numpy as np

import pliant as pl

LAG, SHORTER = 0.57382, 0.018823  # the largest displacements


def spin_up(elements, formulation="geometrically-exact", **more):
    """L = 10, EA = 2.8e7, GA = 1e7, EI = 1.4e4, rho A = 1.2, rho I = 6e-4; turned up to 6 rad/s in 15 s. On a hub that holds the direction
    of beams without twist."""
    m, k = pl.Model("spin-up"), 1e7 / (2.8e7 / 2.6)
    height = np.sqrt(12 * 5e-4)
    profile = pl.Section.rectangle(height, 1 / height) if formulation == "ancf" else pl.Section.general(1.0, 5e-4, 5e-4, 1e-3, ky=k, kz=k)
    m.add(pl.Beam("beam", (0, 0, 0), (10, 0, 0), profile, pl.Material(2.8e7, 0.3, 1.2), elements=elements, formulation=formulation, **more))
    root = "beam.start"
    if formulation in ("ancf-cable", "torsional-springs"):
        m.add(pl.RigidBody("hub", 1.0, (1.0, 1.0, 1.0)))
        m.add(pl.Revolute("socket", root := "hub", "beam.start", axis="x"))
    if formulation == "modal":
        m.add(pl.Force("nothing", "beam.end", (0, 0, 0)))  # a place where something acts, which makes a shape that stretches
    m.add(pl.Revolute("J", m.ground, root, axis="z"))
    m.add(pl.Drive("J", "angle", "if(t < 15, 0.4*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1)), 6*t - 45)"))
    return m


def errors(sol):
    """Largest ones of the end across and along, in rotating axes, in parts of the largest displacements; rows every 0.5 s."""
    times, along, across, _ = np.loadtxt(Path(__file__).parent / "spin_up.csv", delimiter=",", skiprows=1)[:len(sol.t)].T
    np.testing.assert_allclose(sol.t, times, atol=1e-9)
    p, a = sol["beam.end.position"], sol["J.angle"]
    u, v = p[:, 0] * np.cos(a) + p[:, 1] * np.sin(a) - 10, p[:, 1] * np.cos(a) - p[:, 0] * np.sin(a)
    return float(abs(v - across).max() / LAG), float(abs(u - along).max() / SHORTER)


def stretched(sol):
    """By how much the mean steady extension is off, in parts of the exact one; of a run to 20 s."""
    steady = np.tan(10 * (k := 6 * np.sqrt(1.2 / 2.8e7))) / k - 10
    return float(np.linalg.norm(sol["beam.end.position"][30:, :2], axis=1).mean() - 10) / steady - 1


def main() -> int:
    sol = spin_up(16, lumped=True).simulate(20.0, integrator="central-differences", output_step=0.5)
    across, along = errors(sol)
    print(f"{sol.why}; across {across:.2%}, along {along:.2%}, steady extension {stretched(sol):.2%} off")
    return int(not (across < 0.01 and along < 0.01 and abs(stretched(sol)) < 0.01))


if __name__ == "__main__":
    raise SystemExit(main())
