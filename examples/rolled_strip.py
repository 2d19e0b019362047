"""Rolling up: a strip of spring steel, held at one end, is bent by a moment at the other end into a full circle.

Known answer: a moment of 2 pi EI / L makes a circle, whose end comes back to the start; the energy it then has is M^2 L / (2 EI).
"""
import numpy as np

import pliant as pl

L, WIDTH, HEIGHT, RISE, DURATION = 1.0, 0.04, 0.002, 5.0, 5.5
EI = pl.STEEL.E * WIDTH * HEIGHT**3 / 12
M = 2 * np.pi * EI / L
TOLERANCE = {"end comes back [lengths]": 1e-6, "moment [relative]": 1e-4, "energy [relative]": 1e-5, "balance [relative]": 1e-5}
MOMENT = f"if(t < {RISE}, {M!r} * (t/{RISE} - sin(2*pi*t/{RISE})/(2*pi)), {M!r})"


def model() -> pl.Model:
    m = pl.Model("rolling up", planar="y")
    m.add(pl.Beam("strip", (0, 0, 0), (L, 0, 0), pl.Section.rectangle(WIDTH, HEIGHT), "steel", elements=16, damping=0.05))
    m.add(pl.Fixed("clamp", m.ground, "strip.start"))
    m.add(pl.Torque("roll", "strip.end", (0, f"-({MOMENT})", 0)))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, step=5e-3, output_step=0.02)


def errors(sol: pl.Solution) -> dict[str, float]:
    moments = np.array([sol[f"strip.element_{e}.moment.y"][-1] for e in range(16)])
    whole = sum(sol[f"energy.{part}"] for part in ("kinetic", "potential", "elastic", "dissipated")) - sol["energy.work"]
    stored = M**2 * L / (2 * EI)
    return {"end comes back [lengths]": float(np.linalg.norm(sol["strip.end.position"][-1])) / L,
            "moment [relative]": float(abs(moments / -M - 1).max()),
            "energy [relative]": float(abs(sol["energy.elastic"][-1] / stored - 1)),
            "balance [relative]": float(abs(whole - whole[0]).max() / stored)}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("strip.end.position", path="rolled_strip.png")
