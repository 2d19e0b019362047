"""Energy and momentum through many impacts: balls in a box, rigid and compliant, with friction and spin; a double pendulum between stops;
bodies in space that springs pull onto each other. What is kinetic, potential, stored and lost less the work must stay; no impact may raise
the energy; momentum and moment of momentum of what is free stay.

    python tests/support/energy_of_impacts.py --impacts 1000
"""
import argparse
import sys
import time

import numpy as np

import pliant as pl

RIGID, SOFT = {"law": "rigid"}, {"stiffness": 1e6}
LOSSY = {"restitution": 0.98, "friction": 0.02}
SMOOTH = {"restitution": 0.995, "friction": 0.02, "friction_model": "regularised", "slip_speed": 0.01}  # more, and it rests before 1000
CLOSES, STAYS = 1e-9, 1e-12  # of the energy at the start; of the sum of what every body has of momentum


def box(count=3, half=0.5, **law):
    """Balls that spin, under gravity, between six walls."""
    rng, m = np.random.default_rng(3), pl.Model("box", gravity=(0, 0, -9.81))
    at = np.array([[-0.25, -0.2, 0.1], [0.25, 0.2, -0.1], [0.2, -0.25, 0.25], [-0.2, 0.25, -0.25]])
    for k in range(count):
        m.add(pl.RigidBody.sphere(f"b{k}", radius=0.1, mass=0.5 + k, position=tuple(at[k]), velocity=tuple(3 * rng.normal(size=3)),
                                  angular_velocity=tuple(20 * rng.normal(size=3))))
    for n in np.vstack([np.eye(3), -np.eye(3)]):
        axis, angle = np.cross([0, 0, 1.0], n), np.arccos(n[2])
        wall = m.ground.frame(tuple(-half * n), pl.rotation(tuple(axis) if axis.any() else "x", float(angle)))
        for k in range(count):
            m.add(pl.Contact(f"wall_{'xyz'[abs(n).argmax()]}{n.sum():+.0f}_{k}".replace("+", "p").replace("-", "m"), wall, f"b{k}", **law))
    for i in range(count):
        for j in range(i):
            m.add(pl.Contact(f"pair_{i}_{j}", f"b{i}", f"b{j}", **law))
    return m


def pendulum(**law):
    """Two rods between stops, which lose nothing else."""
    m = pl.Model("double pendulum", gravity=(0, 0, -9.81))
    one = m.add(pl.RigidBody.rod("one", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    two = m.add(pl.RigidBody.rod("two", start=(1, 0, 0), end=(1.8, 0, 0), mass=0.7))
    m.add(pl.Revolute("A", m.ground, one["start"], axis="y"))
    m.add(pl.Revolute("B", one["end"], two["start"], axis="y"))
    m.add(pl.Stop("a", "A", "angle", lower="-10 deg", upper="100 deg", **law))
    m.add(pl.Stop("b", "B", "angle", lower="-60 deg", upper="60 deg", **law))
    return m


def space(**law):
    """Four balls that springs pull together, without anything else."""
    rng, m = np.random.default_rng(5), pl.Model("space", gravity=(0, 0, 0))
    at = 0.3 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1.0]])
    for k in range(4):
        m.add(pl.RigidBody.sphere(f"b{k}", radius=0.1, mass=0.5 + 0.3 * k, position=tuple(at[k]), velocity=tuple(rng.normal(size=3)),
                                  angular_velocity=tuple(10 * rng.normal(size=3))))
    for i in range(4):
        m.add(pl.Group(f"g{i}", [f"b{i}"]))
        for j in range(i):
            m.add(pl.SpringDamper(f"spring_{i}_{j}", f"b{i}", f"b{j}", stiffness=30.0, length=0.05))
            m.add(pl.Contact(f"pair_{i}_{j}", f"b{i}", f"b{j}", **law))
    return m


CASES = {  # model, part of the speed that impacts give back, impacts per second (about), options
    "balls in a box, rigid": (lambda: box(**RIGID, restitution=1.0), {}),
    "balls in a box, rigid, friction": (lambda: box(**RIGID, **LOSSY), {}),
    "balls in a box, compliant": (lambda: box(**SOFT, restitution=1.0), {}),
    "balls in a box, compliant, friction": (lambda: box(**SOFT, **SMOOTH), {}),
    "double pendulum, rigid": (lambda: pendulum(**RIGID, restitution=1.0), {"coordinates": "absolute"}),
    "double pendulum, rigid, lossy, joint": (lambda: pendulum(**RIGID, restitution=0.999), {"coordinates": "joint"}),
    "double pendulum, compliant": (lambda: pendulum(**SOFT, restitution=1.0), {"coordinates": "joint"}),
    "in space, rigid": (lambda: space(**RIGID, restitution=1.0), {}),
    "in space, rigid, friction": (lambda: space(**RIGID, **LOSSY), {}),
    "in space, compliant, friction": (lambda: space(**SOFT, **SMOOTH), {}),
}


def impacts(sol):
    """Instants of impacts, and the energy that each took; of compliant ones only their beginnings."""
    hits = [e for e in sol.events if e.what == "impact" or e.what.startswith(("hits", "touches"))]
    return len({e.t for e in hits}), np.array([e.energy_lost for e in hits if e.what == "impact" or e.what.startswith("hits")])


def momentum(sol):
    """Change of that of all bodies, and of the moment of momentum about the origin, over sums of what each has."""
    change = []
    for what in ("momentum", "angular_momentum"):
        whole = sol[f"model.{what}"]
        change.append(abs(whole - whole[0]).max() / sum(np.linalg.norm(sol[f"g{k}.{what}"], axis=1).max() for k in range(4)))
    return change


def measured(name, duration, accuracy=1e-10):
    """Number of impacts; change of the balance [J] and over the scale of energy; the least energy that an impact takes over that scale;
    changes of momentum and moment of momentum over what bodies have."""
    make, options = CASES[name]
    m = make()
    sol = m.simulate(duration, accuracy=accuracy, output_step=duration / 400, progress=False, **options)
    balance = sol.energy.balance
    count, lost = impacts(sol)
    kinetic = sol.energy.kinetic
    scale = float(np.ptp(sol.energy.potential) + kinetic.max())
    free = momentum(sol) if name.startswith("in space") else (0.0, 0.0)
    return count, abs(balance - balance[0]).max(), abs(balance - balance[0]).max() / scale, lost.min(initial=0.0) / scale, *free


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--impacts", type=int, default=1000)
    parser.add_argument("--accuracy", type=float, default=1e-11)
    parser.add_argument("--case", default="")
    given, failed = parser.parse_args(), False
    for name in CASES:
        if given.case not in name:
            continue
        duration, begun = 1.0, time.process_time()
        while True:
            found = measured(name, duration, given.accuracy)
            if found[0] >= given.impacts:
                break
            duration *= min(1.3, max(1.1, 1.1 * given.impacts / max(found[0], 1)))
        good = found[2] < CLOSES and found[3] > -CLOSES and max(found[4:]) < STAYS
        failed = failed or not good
        print(f"{name:38} {found[0]:5d} impacts in {duration:6.2f} s: balance {found[1]:.1e} J, relative {found[2]:.1e}; raised by "
              f"{max(0.0, -found[3]):.1e}; momentum {found[4]:.1e}, {found[5]:.1e} {'' if good else 'FAILED'} "
              f"({time.process_time() - begun:.0f} s)", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
