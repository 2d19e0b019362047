"""Gear pair: a torque of 2 N m on a pinion of 20 teeth turns a wheel of 40 teeth from rest.

Known answer: the wheel's inertia J2 counts (20/40)^2 times on the pinion's side, so that the pinion's angular acceleration is
T / (J1 + J2 / 4), constant; the wheel turns the other way at half the rate; the kinetic energy is the work T times the angle.
"""
import pliant as pl

TORQUE, RADIUS, MASS = 2.0, (0.05, 0.1), (0.6, 2.4)     # N m, m, kg
J = [m * r**2 / 2 for m, r in zip(MASS, RADIUS, strict=True)]
DURATION = 0.5
TOLERANCE = {"pinion angle [rad]": 1e-9, "wheel angle [rad]": 1e-9, "acceleration [relative]": 1e-9, "energy [relative]": 1e-9}


def model() -> pl.Model:
    m = pl.Model("gear pair")
    pinion = m.add(pl.RigidBody.cylinder("pinion", radius=RADIUS[0], length=0.03, mass=MASS[0]))
    wheel = m.add(pl.RigidBody.cylinder("wheel", radius=RADIUS[1], length=0.03, mass=MASS[1], position=(sum(RADIUS), 0, 0)))
    m.add(pl.Revolute("A", m.ground, pinion, axis="z"))
    m.add(pl.Revolute("B", m.ground.frame((sum(RADIUS), 0, 0)), wheel, axis="z"))
    m.add(pl.Gear("mesh", "A", "B", teeth=(20, 40)))
    m.add(pl.Torque("load", pinion, (0, 0, TORQUE)))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION)


def errors(sol: pl.Solution) -> dict[str, float]:
    acceleration = TORQUE / (J[0] + J[1] / 4)
    angle = acceleration * sol.t**2 / 2
    return {"pinion angle [rad]": float(abs(sol["A.angle"] - angle).max()),
            "wheel angle [rad]": float(abs(sol["B.angle"] + angle / 2).max()),
            "acceleration [relative]": float(abs(sol["pinion.angular_acceleration.z"] / acceleration - 1).max()),
            "energy [relative]": float(abs(sol.energy.kinetic - TORQUE * angle).max() / (TORQUE * angle[-1]))}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("A.angle_rate", "B.angle_rate", "mesh.effort", path="gear_pair.png")
    sol.animate("gear_pair.gif")
