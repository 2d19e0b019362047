"""Double four-bar linkage (IFToMM benchmark A02 with two windows): five uniform links of 1 m and 1 kg, one degree of freedom,
and several branches where all links lie flat.

Known answer (Bayo, Avello 1994; th'' = c sin th with c = 7/6 g, th(0) = 0, th'(0) = 1 from the upward vertical): the tip of
the first post is at (0.3284581115408154, 0.944518538178601) with velocity (1.423051470206944, -0.494868845487043) at 10 s;
energy is kept, the benchmark asks for 0.1 J.
"""
import numpy as np

import pliant as pl

DURATION = 10.0
TOLERANCE = {"tip at 10 s [m]": 1e-3, "its velocity [m/s]": 1e-3, "energy drift [J]": 0.1}


def model() -> pl.Model:
    m = pl.Model("double four-bar", gravity=(0, -9.81, 0))
    m.add(pl.RigidBody.rod("post0", start=(0, 0, 0), end=(0, 1, 0), mass=1.0, velocity_at_end=(1, 0, 0)))
    for i in (1, 2):
        m.add(pl.RigidBody.rod(f"post{i}", start=(i, 0, 0), end=(i, 1, 0), mass=1.0))
    for i in (0, 1, 2):
        m.add(pl.Revolute(f"ground{i}", m.ground.frame((i, 0, 0)), m[f"post{i}"]["start"], axis="z"))
    for i in (0, 1):
        beam = m.add(pl.RigidBody.rod(f"beam{i}", start=(i, 1, 0), end=(i + 1, 1, 0), mass=1.0))
        m.add(pl.Revolute(f"left{i}", m[f"post{i}"]["end"], beam["start"], axis="z"))
        m.add(pl.Revolute(f"right{i}", beam["end"], m[f"post{i + 1}"]["end"], axis="z"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION)


def errors(sol: pl.Solution) -> dict[str, float]:
    tip, velocity = sol["post0.end.position"][-1], sol["post0.end.velocity"][-1]
    return {"tip at 10 s [m]": float(np.linalg.norm(tip - (0.3284581115408154, 0.944518538178601, 0))),
            "its velocity [m/s]": float(np.linalg.norm(velocity - (1.423051470206944, -0.494868845487043, 0))),
            "energy drift [J]": sol.energy.drift}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("post0.end.position.x", "post0.end.position.y", path="double_four_bar.png")
    sol.animate("double_four_bar.gif")
