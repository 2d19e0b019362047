"""Telescopic boom of two flexible stages: a cylinder pushes the inner one out, with a load on its tip. The root of the inner stage runs
along the outer one, and the inner one through the mouth of the outer.

Known answer: at rest the tip sags as two beams that meet at root and mouth: moments of forces and weights, integrated twice.
"""
import numpy as np
from scipy.integrate import cumulative_trapezoid as integral

import pliant as pl

LENGTH, LOAD, G, START, END, DURATION = 5.0, 400.0, 9.81, 0.5, 3.5, 8.0
METAL = pl.Material(2.1e11, 0.3, 7850)
SIDE = np.array([0.30, 0.24])                          # of the box tubes; inside they measure 0.8 of that
AREA, MOMENT = SIDE**2 * 0.36, SIDE**4 * 0.5904 / 12
TOLERANCE = {"sag of the tip at rest [relative]": 3e-3, "place of the stages [m]": 1e-9}


def model() -> pl.Model:
    m = pl.Model("telescopic boom", gravity=(0, 0, -G))
    for name, A, I in zip(("outer", "inner"), AREA, MOMENT, strict=True):
        mesh = pl.flex.mesh_beam([(0, 0, 0), (LENGTH, 0, 0)], pl.Section.general(area=A, Iy=I, Iz=I, J=1.7 * I), METAL, elements=20)
        stage = pl.flex.reduce(mesh, interfaces={"root": (0, 0, 0), "tip": (LENGTH, 0, 0)}, modes=5,
                               lines={"rail": {"from": (0, 0, 0), "to": (LENGTH, 0, 0)}})
        m.add(pl.ModalBody(name, stage, damping=0.2))
    m.add(pl.RigidBody.box("load", (0.5, 0.5, 0.5), mass=LOAD))
    m.add(pl.Fixed("turret", m.ground, "outer.root"))
    m.add(pl.SlidingOnBeam("root", "outer.rail", "inner.root", turning="axis", displacement=START, angle=0))
    m.add(pl.SlidingOnBeam("mouth", "inner.rail", "outer.tip", displacement=LENGTH - START))
    m.add(pl.Fixed("hook", "inner.tip", "load"))
    m.add(pl.Drive("root", "displacement", f"{START} + {END - START}*step(t, 0, 0, 5, 1)", name="cylinder"))
    m.add(pl.Drive("root", "angle", 0.0, name="key"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.02, start="static")


def sag() -> float:
    """Of the tip, from the moments in both stages."""
    x, (q1, q2), P, arm = np.linspace(0, LENGTH, 4001), METAL.rho * AREA * G, LOAD * G, LENGTH - END
    mouth = (P * LENGTH + q2 * LENGTH**2 / 2) / arm  # forces between the stages
    root = mouth - P - q2 * LENGTH
    moments = (q1 * (LENGTH - x) ** 2 / 2 + mouth * (LENGTH - x) - root * np.maximum(END - x, 0),
               P * (LENGTH - x) + q2 * (LENGTH - x) ** 2 / 2 - mouth * np.maximum(arm - x, 0))
    w1, w2 = (integral(integral(M / METAL.E / I, x, initial=0), x, initial=0) for M, I in zip(moments, MOMENT, strict=True))
    at, tip = np.interp((END, LENGTH), x, w1), np.interp(arm, x, w2)
    return float(at[0] + (at[1] - at[0] - tip) / arm * LENGTH + w2[-1])  # along the inner stage as it lies, and bent


def errors(sol: pl.Solution) -> dict[str, float]:
    late = sol.t > 7.0
    return {"sag of the tip at rest [relative]": float(abs(-sol["load.position.z"][late].mean() / sag() - 1)),
            "place of the stages [m]": float(abs(sol["root.displacement"][late] - END).max())}


if __name__ == "__main__":
    print(errors(run()))
