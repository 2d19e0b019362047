"""Rotor on an elastic support: a disc of 4 kg spins at 120 rad/s in a hub that a bushing holds; both are tilted at 0.01 rad/s.

Known answer: with the tilt as a complex number, I t'' - i C W t' + k t = 0 (I: transverse inertia of both, C: polar inertia of
the disc). The whirl frequencies w = C W / 2 I -+ sqrt((C W / 2 I)^2 + k / I) are split by the gyroscopic effect, 56.4 rad/s
backward and 236.4 forward, 115.5 without spin; the tilt is t = 0.01 (e^(i w1 t) - e^(i w2 t)) / (i (w1 - w2)).
"""
import numpy as np

import pliant as pl

DURATION = 0.2
SPIN, TRANSVERSE, POLAR, STIFFNESS, RATE = 120.0, 0.06, 0.09, 800.0, 0.01
TOLERANCE = {"whirl frequencies [relative]": 1e-9, "tilt [of the largest]": 2e-3, "energy drift [relative]": 1e-9}


def model() -> pl.Model:
    m = pl.Model("rotor")
    hub = m.add(pl.RigidBody("hub", mass=0.3, inertia=(0.01, 0.01, 0.02), angular_velocity=(RATE, 0, 0), velocity=(0, 0, 0)))
    disc = m.add(pl.RigidBody("disc", mass=4.0, inertia=(0.05, 0.05, 0.09), angular_velocity=(RATE, 0, SPIN), velocity=(0, 0, 0),
                              shape={"kind": "cylinder", "points": [(0, 0, -0.02), (0, 0, 0.02)], "radius": 0.2}))
    m.add(pl.Revolute("bearing", hub, disc, axis="z"))
    m.add(pl.Bushing("support", m.ground, hub, stiffness=(3e4, 3e4, 5e4, STIFFNESS, STIFFNESS, 500)))
    return m


def whirls() -> np.ndarray:
    """Angular frequencies [rad/s]: backward (negative) and forward."""
    half = POLAR * SPIN / (2 * TRANSVERSE)
    return half + np.array([-1, 1]) * np.sqrt(half**2 + STIFFNESS / TRANSVERSE)


def steady() -> pl.Model:
    """The same without tilting: a steady state, about which there are modes."""
    m = model()
    m["hub"].angular_velocity, m["disc"].angular_velocity = (0, 0, 0), (0, 0, SPIN)
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION)


def errors(sol: pl.Solution) -> dict[str, float]:
    w1, w2 = whirls()
    found = 2 * np.pi * steady().modes().frequencies
    tilt = RATE * (np.exp(1j * w1 * sol.t) - np.exp(1j * w2 * sol.t)) / (1j * (w1 - w2))
    q = sol["hub.rotation"]
    return {"whirl frequencies [relative]": float(max(np.min(abs(found / abs(w) - 1)) for w in (w1, w2))),
            "tilt [of the largest]": float(abs(2 * (q[:, 1] + 1j * q[:, 2]) - tilt).max() / abs(tilt).max()),
            "energy drift [relative]": float(sol.energy.drift / sol.energy.kinetic[0])}


if __name__ == "__main__":
    print(steady().modes())
    print(errors(run()))
