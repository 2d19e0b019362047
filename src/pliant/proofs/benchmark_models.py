"""The mechanisms of the benchmarks, built as any user would. benchmarks/peers holds the same ones for other programs."""
# Items accept and check more than their fields say (axis="z", positional frames), which mypy cannot see.
# mypy: disable-error-code="call-arg, arg-type, dict-item"
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..items.bodies import RigidBody
from ..items.joints import PointOnLine, Revolute
from ..model import Model

G = 9.81            # m/s^2
TRANSVERSE = 1 / 12  # kg m^2 of a rod of 1 kg and 1 m
THIN, THINNER = 1e-3, 1e-4  # kg m^2 about the rod: four-bars and chains; Bricard
ANGLE = 0.1         # rad: every joint of the chain at the start
CUBE = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)  # corners of Bricard's hexagon


def fourbars(n: int) -> Model:
    """n four-bars side by side (IFToMM A02): n + 1 bars of 1 m and 1 kg on the ground, n couplers. The right end of a coupler
    is held in the plane only, so that no equation is redundant. All bars turn at -1 rad/s."""
    m = Model(f"fourbars_{n}", gravity=(0, -G, 0))
    bars = [m.add(RigidBody(f"bar_{i}", mass=1.0, inertia=(TRANSVERSE, THIN, TRANSVERSE), position=(i, 0.5, 0),
                            velocity=(0.5, 0, 0), angular_velocity=(0, 0, -1),
                            frames={"foot": (0, -0.5, 0), "head": (0, 0.5, 0)})) for i in range(n + 1)]
    couplers = [m.add(RigidBody(f"coupler_{i}", mass=1.0, inertia=(THIN, TRANSVERSE, TRANSVERSE), position=(i + 0.5, 1, 0),
                                velocity=(1, 0, 0), angular_velocity=(0, 0, 0),
                                frames={"left": (-0.5, 0, 0), "right": (0.5, 0, 0)})) for i in range(n)]
    for i, bar in enumerate(bars):
        m.add(Revolute(f"pivot_{i}", m.ground.frame((i, 0, 0)), bar["foot"], axis="z"))
    for i, coupler in enumerate(couplers):
        m.add(Revolute(f"left_{i}", bars[i]["head"], coupler["left"], axis="z"))
        m.add(PointOnLine(f"right_{i}", coupler["right"], bars[i + 1]["head"], axis="z"))
    return m


def fourbars_energy(n: int) -> float:
    """Kinetic and potential energy at the start [J]: bars m L^2/3 w^2/2, couplers m v^2/2."""
    return (n + 1) * (0.5 / 3 + G * 0.5) + n * (0.5 + G)


def chain(n: int) -> Model:
    """n links of 1 m and 1 kg along their x axes; joint i turns about the link's y axis (i even) or z axis (i odd); every joint
    starts at 0.1 rad, at rest."""
    m = Model(f"chain_{n}", gravity=(0, 0, -G))
    before = m.ground.frame((0, 0, 0))
    R, p = np.eye(3), np.zeros(3)
    c, s = np.cos(ANGLE), np.sin(ANGLE)
    turns = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    for i in range(n):
        R = R @ turns[i % 2]
        link = m.add(RigidBody(f"link_{i}", mass=1.0, inertia=(THIN, TRANSVERSE, TRANSVERSE), position=p + 0.5 * R[:, 0],
                               rotation=R, velocity=(0, 0, 0), angular_velocity=(0, 0, 0),
                               frames={"start": (-0.5, 0, 0), "end": (0.5, 0, 0)}))
        m.add(Revolute(f"joint_{i}", before, link["start"], axis="yz"[i % 2]))
        before, p = link["end"], p + R[:, 0]
    return m


def watched(n: int) -> list[int]:
    """Links whose outer ends are compared with the reference: the first 20, where the motion is violent, and the last."""
    return sorted({*range(min(n, 20)), n - 1})


def bricard() -> Model:
    """Bricard's mechanism (IFToMM A04): rods of 1 m and 1 kg along edges of a cube, the edge from the sixth to the first
    corner is ground. Six revolutes whose axes are normal to the rods they join: 30 equations, one redundant. Starts at rest."""
    m = Model("bricard", gravity=(0, -G, 0))
    rods = []
    for k in range(5):
        d = CUBE[k + 1] - CUBE[k]
        inertia = TRANSVERSE * (np.eye(3) - np.outer(d, d)) + THINNER * np.outer(d, d)
        rods.append(m.add(RigidBody(f"rod_{k}", mass=1.0, inertia=inertia, position=(CUBE[k] + CUBE[k + 1]) / 2,
                                    velocity=(0, 0, 0), angular_velocity=(0, 0, 0), frames={"start": -d / 2, "end": d / 2})))
    starts = [*(rod["start"] for rod in rods), m.ground.frame(CUBE[5])]
    ends = [m.ground.frame(CUBE[0]), *(rod["end"] for rod in rods)]
    for k in range(6):
        axis = np.cross(CUBE[k] - CUBE[k - 1], CUBE[(k + 1) % 6] - CUBE[k])
        m.add(Revolute(f"joint_{k}", ends[k], starts[k], axis=axis))
    return m


@dataclass(frozen=True)
class Problem:
    """A row of the table: a model, how long it runs [s], and the method."""
    name: str
    build: Callable[[], Model]
    duration: float
    quick: float
    rho: float = 0.9
    newton: str = "modified"
    links: int = 0  # of a chain, whose end is compared with a reference

    @property
    def method(self) -> str:
        return f"rho={self.rho:g}, {self.newton} Newton"


def problems() -> dict[str, Problem]:
    """All rows by key."""
    rows: dict[str, Problem] = {}
    for newton in ("modified", "full"):
        rows[f"fourbar2 {newton}"] = Problem("four-bar N=2", partial(fourbars, 2), 10.0, 10.0, newton=newton)
        for rho in (0.8, 0.9):
            if newton == "modified" or rho == 0.8:
                rows[f"fourbar40 {rho:g} {newton}"] = Problem("four-bar N=40", partial(fourbars, 40), 10.0, 2.0, rho, newton)
        for n in (10, 100, 1000):
            quick = 0.1 if n == 1000 else 1.0
            rows[f"chain{n} {newton}"] = Problem(f"chain n={n}", partial(chain, n), 1.0, quick, newton=newton, links=n)
        rows[f"bricard {newton}"] = Problem("Bricard, 30 equations", bricard, 10.0, 10.0, newton=newton)
    return rows
