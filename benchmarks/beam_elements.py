"""Time of one beam element, its residual alone and with its tangent.

    python benchmarks/beam_elements.py [elements]

Process CPU time of the program over a chain of elements (1000 by default), the best of many short runs, divided by their number; beside
it what was aimed at.
"""
import sys
import time

import numpy as np

from pliant.compile import beam_elements as made
from pliant.compile import slope_elements as slopes
from pliant.compile.array_builder import ArrayBuilder
from pliant.compile.beam_elements import Pose
from pliant.compile.system import System
from pliant.families import loads
from pliant.kernels import evaluation

REPEATS, RUNS = 20, 40
STIFFNESS = np.diag([1e4, 4e3, 4e3, 10.0, 13.0, 13.0])


def chain(n, add):
    """A slightly bent chain of n elements of 0.1 m."""
    b, turn, rng = ArrayBuilder((0.0, 0.0, -9.81)), 0.03, np.random.default_rng(0)
    poses = []
    for k in range(n + 1):
        c, s = np.cos(turn * k), np.sin(turn * k)
        poses.append(Pose(np.array([s, 1 - c, 0]) * 0.1 / turn, np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])))
    places = [b.place(f"node {k}", (*pose.point, np.cos(turn * k / 2), 0, 0, np.sin(turn * k / 2)), rng.normal(size=6), print)
              for k, pose in enumerate(poses)]
    for k in range(n):
        add(b, places[k:k + 2], poses[k:k + 2])
    return System(b)


def microseconds(system, program, n):
    x, calls = system.memory(), system.program(program)
    best = np.inf
    for _ in range(RUNS):
        clock = time.process_time()
        for _ in range(REPEATS):
            evaluation.run(calls, system.data, x, 0.0, 1.0, 0.5, 0.3)
        best = min(best, time.process_time() - clock)
    return 1e6 * best / (REPEATS * n)


def exact(**options):
    def add(b, places, poses):
        made.exact_beam(b, "beam", places, 0.1, np.r_[1.0, np.zeros(5)], np.linalg.inv(STIFFNESS), **options)
    return add


def inertia(b, places, poses):
    made.hermite_inertia(b, "beam", places, 0.1, made.axis_mass(lambda x: 2.0, 0.1))


def lumped(b, places, poses):
    made.node_inertia(b, "beam", places[0], 0.2, 1e-5 * np.eye(3))


def load(follows):
    def add(b, places, poses):
        force, moment = np.array([(0.0, 1.0, 2.0)] * 2), np.array([(0.1, 0.0, 0.0)] * 2)
        frame = made.line_load(b, "load", places, 0.1, (0.0, 1.0), force, moment, follows=follows)
        b.pair(loads.LOAD, "load", frame, b.frame(b.ground, (0, 0, 0)), (0, 0, -1, -1, -1), (1.0, 0.0, 0.0))
    return add


def corotational(damping=0.0):
    def add(b, places, poses):
        stiffness = made.linear_stiffness(np.linalg.inv(STIFFNESS), 0.1)
        made.corotational_beam(b, "beam", places, poses, stiffness, damping)
    return add


def cable_chain(n, add):
    """Nodes of cables at the same places."""
    b = ArrayBuilder((0.0, 0.0, -9.81))
    X = [np.array([[0.1 * k, 0.01 * np.sin(k), 0], [1, 0.1 * np.cos(k), 0]]) for k in range(n + 1)]
    nodes = [b.slope_place("", "", x, 0 * x, None) for x in X]
    for k in range(n):
        add(b, nodes[k:k + 2], np.concatenate(X[k:k + 2]))
    return System(b)


def cable(points, damping=0.0):
    def add(b, nodes, X):
        slopes.cable(b, "cable", nodes, 0.1, 1e4, 13.0, X=np.array([[0, 0, 0], [1.0, 0, 0], [0.1, 0, 0], [1, 0, 0]]), points=points,
                   damping=damping)
    return add


def cable_inertia(b, nodes, X):
    slopes.cable_inertia(b, "cable", nodes, 0.1, 0.2)


def slope_chain(n, add):
    """Nodes of beams with slopes at the same places."""
    b = ArrayBuilder((0.0, 0.0, -9.81))
    X = [np.array([[0.1 * k, 0.01 * np.sin(k), 0], [1, 0.1 * np.cos(k), 0], [0, 1, 0], [0, 0, 1]]) for k in range(n + 1)]
    nodes = [b.slope_place("", "", x, 0 * x, None) for x in X]
    for k in range(n):
        add(b, nodes[k:k + 2], np.concatenate(X[k:k + 2]))
    return System(b)


def slope_beam(b, nodes, X):
    slopes.slope_beam(b, "beam", nodes, 0.1, 1e6, 0.3, 0.02, 0.03, X=X)


ELEMENTS = {
    "exact, flexibility of the reference": (chain, exact(current=False), "0.11 / 0.33"),
    "exact, of the reference, damped": (chain, exact(current=False, damping=1e-3), ""),
    "exact, flexibility at the current strain": (chain, exact(current=True), "0.29 / -"),
    "exact, at the current strain, damped": (chain, exact(current=True, damping=1e-3), ""),
    "Hermite inertia": (chain, inertia, "0.06 / 0.27"),
    "lumped inertia (a rigid body)": (chain, lumped, ""),
    "dead load per length": (chain, load(False), ""),
    "follower load per length": (chain, load(True), ""),
    "corotational": (chain, corotational(), ""),
    "corotational, damped": (chain, corotational(1e-3), ""),
    "cable, 4 points": (cable_chain, cable(4), ""),
    "cable, 3 points, damped": (cable_chain, cable(3, 1e-3), ""),
    "cable inertia": (cable_chain, cable_inertia, ""),
    "beam of slopes": (slope_chain, slope_beam, ""),
}


def main(n):
    print(f"{'element':44}{'residual':>10}{'tangent':>10} µs    aim")
    for name, (make, add, aim) in ELEMENTS.items():
        system = make(n, add)
        found = [microseconds(system, program, n) for program in ("residual", "tangent")]
        print(f"{name:44}{found[0]:10.3f}{found[1]:10.3f}       {aim}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
