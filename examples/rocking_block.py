"""Rocking block, 0.2 m wide and 1 m high, let go at 0.9 of the tilt at which it would fall: it rocks from edge to edge.

Known answer (Housner 1963): the block does not slip. At every impact it changes from one edge to the other, keeps its moment of momentum
about that edge, and so 1 - 1.5 sin^2 a = 49/52 of its rate; a is the tilt at which it falls. Between two impacts it is a pendulum that
stands on its head, phi'' = p^2 sin phi, phi = a - tilt, p^2 = 3 g / (4 R), with the time of an elliptic integral.
"""
import numpy as np
from scipy.special import ellipk, ellipkinc

import pliant as pl

DURATION, G = 6.5, 9.81  # s, m/s^2
B, H = 0.1, 0.5  # m, half of width and height
FALLS = float(np.arctan(B / H))
TILT, KEEPS, IMPACTS = 0.9 * FALLS, 1 - 1.5 * np.sin(FALLS)**2, 12
TOLERANCE = {"times of twelve impacts [s]": 1e-8, "part of the rate that an impact leaves": 1e-8, "energy balance [J]": 1e-8}


def model() -> pl.Model:
    m = pl.Model("rocking block", gravity=(0, 0, -G), planar="y")
    at = (B - B * np.cos(TILT) + H * np.sin(TILT), 0, B * np.sin(TILT) + H * np.cos(TILT))  # on the edge at x = B
    m.add(pl.RigidBody.box("block", size=(2 * B, 0.3, 2 * H), mass=2.0, position=at, rotation=pl.rotation("y", TILT)))
    m.add(pl.Contact("floor", m.ground, "block", law="rigid", friction=1.0))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy=1e-8, output_step=0.01, integrator=pl.DOP853())


def times() -> np.ndarray:
    """Of impacts: a quarter swing first, half swings later."""
    p, still, found = np.sqrt(3 * G / (4 * np.hypot(B, H))), FALLS - TILT, []
    for _ in range(IMPACTS):
        m = np.cos(still / 2)**2  # phi is ``still`` where the block turns back
        quarter = (ellipk(m) - ellipkinc(np.arcsin(np.cos(FALLS / 2) / np.sqrt(m)), m)) / p
        found.append((2 if found else 1) * quarter)
        still = np.arccos(np.cos(FALLS) + KEEPS**2 * (np.cos(still) - np.cos(FALLS)))
    return np.cumsum(found)


def errors(sol: pl.Solution) -> dict[str, float]:
    hits = [e for e in sol.events if e.what == "impact"]
    t = np.unique([e.t for e in hits])[:IMPACTS]
    lost = np.array([sum(e.energy_lost for e in hits if e.t == now) for now in t])  # one after the other KEEPS^2 as large
    return {"times of twelve impacts [s]": float(abs(t - times()).max()),
            "part of the rate that an impact leaves": float(abs(np.sqrt(lost[1:] / lost[:-1]) - KEEPS).max()),
            "energy balance [J]": float(np.ptp(sol.energy.balance))}


if __name__ == "__main__":
    sol = run()
    print(errors(sol), sol.events, sep="\n")
    sol.plot("block.angular_velocity.y", "floor.normal_force", path="rocking_block.png")
