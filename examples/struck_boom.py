"""Struck boom: a slender boom tumbles through space and is struck at its end; its higher modes take part only while they vibrate.

Known answer: the blow, F for the time T, leaves mode k vibrating by 2 F psi / (M w^2) sin(w T / 2) (Duhamel): it was added in time.
Whatever modes come and go, the centre of mass goes straight on.
"""
import numpy as np

import pliant as pl

DURATION, START, LENGTH, FORCE = 1.2, 0.3, 2e-3, 150.0  # s, s: when and how long; N
TOLERANCE = {"vibration after the blow [relative]": 0.03, "centre of mass [m]": 1e-7, "tip against all modes [m]": 3e-4}
CHECKED = (1, 2, 3)  # modes


def model(adaptive: str | None = None) -> pl.Model:
    mesh = pl.flex.mesh_beam([(0, 0, 0), (2, 0, 0)], pl.Section.rectangle(0.030, 0.020), pl.ALUMINIUM, elements=24)
    part = pl.flex.reduce(mesh, {"tail": (0, 0, 0), "tip": (2, 0, 0)}, modes=6, frame="mean-axis", method="static-correction")
    m = pl.Model("struck boom")
    m.add(pl.ModalBody("boom", part, velocity=(0.1, 0.2, -0.1), angular_velocity=(0.2, 0.3, 0.4), damping=0.01, adaptive=adaptive))
    blow = f"if(t > {START}, if(t < {START + LENGTH}, {FORCE}, 0), 0)"
    m.add(pl.Force("blow", "boom.tip", (0, 0, blow), axes="frame"))
    return m


def run(adaptive: str | None = "0.05 mm") -> pl.Solution:
    return model(adaptive).simulate(DURATION, integrator="dop853", accuracy=1e-6, output_step=5e-4)


def bending(part: pl.flex.Reduced) -> list[int]:
    """Modes that a force at the tip along z strikes, lowest first."""
    return [k for k in range(part.n) if abs(part.nodes["tip"].psi_R[2, k]) > 0.1 * np.linalg.norm(part.nodes["tip"].psi_R[:, k])]


def errors(sol: pl.Solution) -> dict[str, float]:
    part, after = sol.model["boom"].reduced, sol.t > START + LENGTH
    vibrates = []
    for k in [bending(part)[i - 1] for i in CHECKED]:
        w = np.sqrt(part.Kqq[k, k] / part.integrals.Mqq[k, k])
        exact = 2 * FORCE * part.nodes["tip"].psi_R[2, k] / part.Kqq[k, k] * np.sin(w * LENGTH / 2)
        soon = after & (sol.t < START + LENGTH + 2 * np.pi / w)  # its first period, in which it decays by pi / 100 on average
        size = np.hypot(sol["boom.modal"][soon, k], sol["boom.modal_rate"][soon, k] / w).mean()
        vibrates.append(abs(size / abs(exact) * np.exp(0.01 * np.pi) - 1))
    axes = np.array([pl.items.base.matrix_of(q) for q in sol["boom.rotation"][after]])
    centre = sol["boom.position"][after] + axes @ (part.integrals.c0 / part.integrals.m)
    t = sol.t[after] - sol.t[after][0]
    straight = centre[0] + t[:, None] * (centre[-1] - centre[0]) / t[-1]
    other = run(None)
    return {"vibration after the blow [relative]": float(max(vibrates)), "centre of mass [m]": float(abs(centre - straight).max()),
            "tip against all modes [m]": float(abs(sol["boom.tip.position"] - other["boom.tip.position"]).max())}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    print(sol.summary())
    for change in sol.mode_changes():
        print(change)
