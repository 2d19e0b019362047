"""Mast in the wind: a gust takes hold of a tubular mast along its whole length, stays, and ceases.

Known answer: the top of a clamped beam under a load w per length that sets in suddenly, by its eigenfunctions (Timoshenko),
sum 4 s (-1)^(n+1) / b^5 w L^4 / EI (1 - cos b^2 c t), cosh b cos b = -1; its mean is w L^4 / 8 EI. When the gust ceases, the same is taken
off from then on. What the foot bears at rest is w L^2 / 2.
"""
import numpy as np

import pliant as pl

LENGTH, WIND, STOP, DURATION = 8.0, 40.0, 1.1, 2.0  # m, N/m, s, s
TUBE = pl.Section.tube("60 mm", "3 mm")
TOLERANCE = {"top [of its mean]": 2e-3, "top at rest [relative]": 1e-6, "moment at the foot [relative]": 1e-6}


def model(factor: float | str = f"if(t < {STOP}, 1, 0)") -> pl.Model:
    mesh = pl.flex.mesh_beam([(0, 0, 0), (0, 0, LENGTH)], TUBE, pl.STEEL, elements=24)
    part = pl.flex.reduce(mesh, {"foot": (0, 0, 0), "top": (0, 0, LENGTH)}, modes=8, loads={"wind": {"line": (f"{WIND} N/m", 0, 0)}})
    m = pl.Model("mast in the wind")
    m.add(pl.ModalBody("mast", part, stiffening="off"))
    m.add(pl.Fixed("foot", m.ground, "mast.foot"))
    m.add(pl.DistributedLoad("gust", "mast", "wind", factor))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy=1e-6, output_step=0.005)


def top(t: np.ndarray) -> np.ndarray:
    """Of the mean, under a load since t = 0."""
    b = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613, 10.99554073487547, 14.13716839104647, 17.27875953208824])
    s, sign = (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b)), (-1.0) ** np.arange(len(b))
    c = np.sqrt(pl.STEEL.E * TUBE.Iy / (pl.STEEL.rho * TUBE.area)) / LENGTH**2
    return 8 * np.where(t[:, None] > 0, 4 * s * sign / b**5 * (1 - np.cos(b**2 * c * t[:, None])), 0.0).sum(axis=1)


def errors(sol: pl.Solution) -> dict[str, float]:
    mean = WIND * LENGTH**4 / (8 * pl.STEEL.E * TUBE.Iy)
    due = top(sol.t) - top(sol.t - STOP)
    rest = model(1.0).static()
    return {"top [of its mean]": float(abs(sol["mast.top.position.x"] / mean - due).max()),
            "top at rest [relative]": abs(rest["mast.top.position"][0] / mean - 1),
            "moment at the foot [relative]": abs(rest["foot.torque"][1] / (-WIND * LENGTH**2 / 2) - 1)}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    print(sol.summary())
