"""Tippe top: a ball of 15 mm whose centre of mass is 3 mm below its middle spins at 180 rad/s, turns over and stands on its head.

Known answer: SciPy's solution at 1e-10 of a ball that slips on a point of rigid ground, with friction that is viscous below 0.01 m/s.
Here it sinks in by 1.5 nm, which makes all of the difference. Friction acts at the point of contact alone, so that Jellett's product (1872)
of the moment of momentum and the way from the centre of mass to that point is constant.
"""
import numpy as np

import pliant as pl
from pliant.items.base import matrix_of

DURATION, G = 3.0, 9.81  # s, m/s^2
R, BELOW, MASS, INERTIA = 0.015, 0.003, 0.006, (8e-7, 8e-7, 7e-7)  # m, kg, kg m^2
SPIN, TILT, STIFF, LOAD = 180.0, 0.1, 1e12, 0.058820428380471745  # rad/s, rad, N/m^1.5, N at the start
AT, COSINES = (0.5, 1.0, 1.5, 3.0), (0.9337878614415837, 0.10914827911411229, -0.7673411291327932, -0.9282739655786942)
TOLERANCE = {"cosine of the tilt": 5e-7, "Jellett's product [relative]": 1e-7, "energy balance [relative]": 1e-8}


def model() -> pl.Model:
    m = pl.Model("tippe top", gravity=(0, 0, -G))
    m.add(pl.RigidBody("top", MASS, INERTIA, com=(0, 0, -BELOW), position=(0, 0, R - (LOAD / STIFF)**(2 / 3)),
                       rotation=pl.rotation("x", TILT), angular_velocity=(0, 0, SPIN), frames={"crown": (0, 0, R)},
                       shape={"kind": "sphere", "radius": R}))
    m.add(pl.Contact("floor", m.ground, "top", stiffness=STIFF, friction=0.3, friction_model="regularised", slip_speed=0.01))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy=1e-8, output_step=0.01)


def errors(sol: pl.Solution) -> dict[str, float]:
    axes = np.array([matrix_of(q) for q in sol["top.rotation"].tolist()])  # of the top, its own one in the last column
    way = BELOW * axes[:, :, 2] - (0, 0, R)
    product = np.einsum("ni,nij,j,nj->n", way, axes, INERTIA, sol["top.angular_velocity"])
    return {"cosine of the tilt": float(abs(np.interp(AT, sol.t, axes[:, 2, 2]) - COSINES).max()),
            "Jellett's product [relative]": float(np.ptp(product) / abs(product).max()),
            "energy balance [relative]": float(np.ptp(sol.energy.balance) / sol.energy.kinetic.max())}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("top.crown.position.z", "floor.normal_force", path="tippe_top.png")
    sol.animate("tippe_top.gif")
