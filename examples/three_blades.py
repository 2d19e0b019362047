"""Three blades on a rotor: their frequencies over the speed of rotation, a Campbell diagram, and a run that begins in steady rotation.

Known answer: flap and lag of a beam that turns, clamped at the axis (Wright, Smith, Thresher, Wang 1982), eta = speed sqrt(m L^4 / EI).
Tension by the rotation stiffens the blades: at eta = 6 they flap twice as fast as at rest. In steady rotation nothing moves in the
turning axes.
"""
import numpy as np

import pliant as pl

DURATION, L, WIDTH = 0.05, 2.0, 0.02
ALUMINIUM = pl.Material(70e9, 0.3, 2700)
UNIT = float(np.sqrt(ALUMINIUM.E * WIDTH**2 / 12 / ALUMINIUM.rho)) / L**2      # rad/s: eta = 1
EXACT = {1.0: (3.681646814, 22.18101115, 3.54323627), 2.0: (4.137319573, 22.61492196, 3.621796964),
         6.0: (7.360373019, 26.80908168, 4.26322542)}                          # eta: flap 1, flap 2, lag 1, in UNIT
TOLERANCE = {"frequencies [relative]": 2e-3, "vibration in steady rotation [m]": 1e-7}


def model(hub: float = 0.0, modes: int = 6) -> pl.Model:
    """Blades clamped at a distance of ``hub`` from the axis, turning at eta = 3."""
    mesh = pl.flex.mesh_beam([(0, 0, 0), (L, 0, 0)], pl.Section.rectangle(WIDTH, WIDTH), ALUMINIUM, elements=16)
    blade = pl.flex.reduce(mesh, interfaces={"root": (0, 0, 0)}, modes=modes)
    m = pl.Model("three blades")
    rotor = m.add(pl.RigidBody.cylinder("rotor", radius=0.1, length=0.1, mass=5.0, position=(0, 0, 0)))
    m.add(pl.Revolute("main", m.ground, rotor, axis="z"))
    m.add(pl.Drive("main", "angle", f"{3 * UNIT}*t", name="motor"))
    for k in range(3):
        turn, at = pl.rotation("z", 2 * np.pi * k / 3), hub * np.array([np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3), 0])
        m.add(pl.ModalBody(f"blade{k}", blade, position=at, rotation=turn))
        m.add(pl.Fixed(f"clamp{k}", rotor.frame(at, rotation=turn), f"blade{k}.root"))
    return m


def diagram(etas: list[float], **options: float) -> object:
    return model(**options).campbell([eta * UNIT for eta in etas], n=12, progress=False)


def run() -> pl.Solution:
    return model().simulate(DURATION, start="steady")


def errors(sol: pl.Solution) -> dict[str, float]:
    found = 2 * np.pi * diagram(list(EXACT)).frequencies / UNIT
    worst = max(float(abs(found[:, k] / x - 1).min()) for k, exact in enumerate(EXACT.values()) for x in exact)
    scale = sol.model["blade0"].reduced.skin.psi
    moved = max(float(abs(np.einsum("pij,tj->tpi", scale, np.ptp(sol[f"blade{k}.modal"], axis=0)[None, :])).max()) for k in range(3))
    return {"frequencies [relative]": worst, "vibration in steady rotation [m]": moved}


if __name__ == "__main__":
    found = diagram(np.linspace(0, 8, 33).tolist(), hub=0.05 * L)
    print(found)
    found.plot("three_blades.png")
    print(errors(run()))
