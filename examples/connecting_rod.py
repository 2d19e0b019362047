"""Connecting rod from a mesh in the format of CalculiX: a slider-crank at 6000 revolutions a minute, stress and fatigue at its fillet.

Known answer: in the middle of the shank N/A + M/W of a bar, loaded by the inertia of its mass and of the piston, both moving rigidly.
"""
from pathlib import Path

import numpy as np

import pliant as pl

R, L, SPEED, PISTON, WIDTH = 0.045, 0.150, 200 * np.pi, 0.4, 0.016
TURN, DURATION, MESH = 2 * np.pi / SPEED, 6 * np.pi / SPEED, Path(__file__).with_suffix(".inp")  # by tests/make_connecting_rod.py
TOLERANCE = {"stress in the shank [of the largest]": 0.02}
INERTIA = [{load: 1.0} for load in (("acceleration", 0), ("acceleration", 1), ("angular", 2), ("centrifugal", 2, 2))]  # of plane motion


def model() -> pl.Model:
    mesh, ends = pl.flex.read(MESH, units="mm, t, s"), {k: {"group": k, "coupling": "average"} for k in ("BIG", "SMALL")}
    part, m = pl.flex.reduce(mesh, ends, modes=2, load_shapes=INERTIA, stress=True), pl.Model("connecting rod")
    m.add(pl.RigidBody.rod("crank", start=(0, 0, 0), end=(R, 0, 0), mass=1.0))
    m.add(pl.ModalBody("rod", part, position=(R, 0, 0), damping={"stiffness": 5e-6}))
    m.add(pl.RigidBody("piston", PISTON, (1e-4, 1e-4, 1e-4), position=(R + L, 0, 0)))
    for item in (pl.Revolute("A", m.ground, "crank.start", axis="z"), pl.Revolute("B", "crank.end", "rod.BIG", axis="z"),
                 pl.Spherical("C", "rod.SMALL", "piston"), pl.Prismatic("D", m.ground, "piston", axis="x"),
                 pl.Drive("A", "angle", f"{SPEED} * t", name="motor")):
        m.add(item)
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, step=TURN / 500, output_step=TURN / 250)


def bar(t: np.ndarray, at: float) -> tuple[np.ndarray, np.ndarray]:
    """Tension and bending moment at x = at of a rigid rod with the masses of the mesh: inertia forces from there to the small end."""
    mesh, a = pl.flex.read(MESH, units="mm, t, s", mass="lumped"), SPEED * t
    (x, y, _), m, b = mesh.nodes.T, mesh.M.diagonal()[::3], -np.arcsin(R / L * np.sin(a))   # b: angle of the rod
    b1 = -R / L * SPEED * np.cos(a) / np.cos(b)                                             # its rates
    b2 = (R / L * SPEED**2 * np.sin(a) + np.sin(b) * b1**2) / np.cos(b)
    slide = -R * SPEED**2 * np.cos(a) - L * (b2 * np.sin(b) + b1**2 * np.cos(b))            # acceleration of the piston
    along, across = (-R * SPEED**2 * f + np.outer(x, g) for f, g in ((np.cos(a - b), -b1**2), (np.sin(a - b), b2)))
    beyond, pin = m * (x > at), ((m * x) @ across + m @ y**2 * b2) / L                      # pin: force of the piston across the rod
    tension = (pin * np.sin(b) - PISTON * slide) / np.cos(b) - beyond @ along
    return tension, pin * (L - at) - (beyond * (x - at)) @ across - beyond @ y**2 * b2


def errors(sol: pl.Solution) -> dict[str, float]:
    s = sol.stress("rod").between(DURATION - TURN, DURATION)  # the last revolution
    node = int(np.argmin(np.linalg.norm(s.recovery.points - (0.085, WIDTH / 2, 0), axis=1)))
    due = np.array([1 / WIDTH**2, -6 / WIDTH**3]) @ bar(s.t, s.recovery.points[node, 0])
    return {"stress in the shank [of the largest]": float(abs(s.history(node)[:, 0] - due).max() / abs(due).max())}


if __name__ == "__main__":
    sol = run()
    s = sol.stress("rod").between(DURATION - TURN, DURATION)
    history = pl.flex.signed_von_mises(s.history(s.hot_spots()[0].node))
    damage = f"damage in one revolution: {pl.flex.damage(history, pl.flex.SN('160 MPa', 2e6, 6, below=11, strength='700 MPa')):.3g}"
    print(sol.summary(), errors(sol), s.summary(), pl.flex.rainflow(history).table(), damage, sep="\n")
    s.plot("connecting_rod.png")
