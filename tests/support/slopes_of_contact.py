"""Errors of runs with contact against the accuracy that is asked for: 1e-4, 1e-4.5 ... 1e-8, and the slope of the least-squares line
through their logarithms, which is to be 0.6 to 1.2, as without contact.

    python tests/support/slopes_of_contact.py --kinds default dop853

The measure is the same in all cases, and was chosen before any result was seen: the largest error of the stated quantities at 100 fixed
times from the start to behind the last of so many contacts, over the largest value of each quantity there. References are integrations of
equations of motion of their own, derived by hand, event by event with DOP853 of SciPy at 1e-13.
"""
import argparse
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import pliant as pl
from pliant import flex

G = 9.81
ACCURACIES = 10.0 ** -np.arange(4, 8.01, 0.5)
METHODS = {"default": None, "dop853": pl.DOP853(), "radau-iia-5": pl.RadauIIA5(), "bdf": pl.BDF()}
EXACT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-15}


class Case(NamedTuple):
    model: Callable[[], Any]
    times: np.ndarray
    reference: Callable[[np.ndarray], np.ndarray]     # times x quantities
    found: Callable[[Any], np.ndarray]


def piecewise(times, y, phases):
    """Solutions at times, through ``phases``: (right side, event, its direction, what happens there); the last lasts to the end."""
    t, rows, k = 0.0, [], 0
    for rhs, event, direction, jump in phases:
        def ends(t, y, event=event):
            return event(t, y)
        ends.terminal, ends.direction = True, direction
        sol = solve_ivp(rhs, (t, times[-1] + 1e-9), y, events=ends if event else None, dense_output=True, **EXACT)
        while k < len(times) and times[k] <= sol.t[-1]:
            rows.append(sol.sol(times[k]))
            k += 1
        t, y = sol.t[-1], jump(sol.y[:, -1]) if jump else sol.y[:, -1]
        if k == len(times):
            break
    return np.array(rows)


# -- a block that rocks from corner to corner: th'' = -p^2 sin(s alpha - th), each impact leaves 1 - 1.5 sin^2 alpha (Housner 1963)
B, H = 0.1, 0.5
ALPHA = np.arctan(B / H)


def rocking():
    tilt = 0.9 * ALPHA
    at = (B - B * np.cos(tilt) + H * np.sin(tilt), 0, B * np.sin(tilt) + H * np.cos(tilt))
    m = pl.Model("rocking", gravity=(0, 0, -G))
    m.add(pl.RigidBody.box("b", size=(2 * B, 0.3, 2 * H), mass=2.0, position=at, rotation=pl.rotation("y", tilt)))
    m.add(pl.Contact("c", "b", "ground", law="rigid", friction=1.0))
    return m


def rocked(times):
    """The tilt and its rate."""
    p2, kept = 3 * G / (4 * np.hypot(B, H)), 1 - 1.5 * np.sin(ALPHA)**2

    def phase(side):
        def falls(t, y):
            return [y[1], -p2 * np.sin(side * ALPHA - y[0])]
        return falls, (lambda t, y: y[0]), -side, (lambda y: np.array([0.0, kept * y[1]]))
    return piecewise(times, np.array([0.9 * ALPHA, 0.0]), [phase((-1.0) ** k) for k in range(30)])


def tilt(sol):
    w, _, y, _ = sol["b.rotation"].T
    return np.column_stack([2 * np.arctan2(y, w), sol["b.angular_velocity"][:, 1]])


# -- a uniform rod of 1 m that falls from the horizontal on a stop at its lowest position, e = 0.6: th'' = -1.5 g sin th
def pendulum():
    m = pl.Model("rod", gravity=(0, 0, -G))
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, rod["start"], axis="y"))
    m.add(pl.Stop("s", "A", "angle", upper="90 deg", restitution=0.6, law="rigid"))
    return m


def swung(times):
    """The angle from the horizontal and its rate."""
    def falls(t, y):
        return [y[1], 1.5 * G * np.cos(y[0])]
    return piecewise(times, np.zeros(2), [(falls, lambda t, y: y[0] - np.pi / 2, 1.0, lambda y: np.array([np.pi / 2, -0.6 * y[1]]))] * 20)


# -- five steel balls in touch, the first comes with 1 m/s: Hertz
RADIUS, MODULUS, NU, DENSITY = 0.01, 210e9, 0.3, 7800.0
BALL = DENSITY * 4 / 3 * np.pi * RADIUS**3


def cradle():
    m = pl.Model("cradle")
    for n in range(5):
        m.add(pl.RigidBody.sphere(f"b{n}", RADIUS, density=DENSITY, position=(2 * RADIUS * n, 0, 0), velocity=(float(n == 0), 0, 0)))
    for n in range(4):
        m.add(pl.Contact(f"c{n}", f"b{n}", f"b{n + 1}", material="steel", restitution=1.0))
    return m


def pushed(times):
    """Speeds; times in (m/k)^(2/5), in which they are of order one; no phases: steps of DOP853 are short."""
    k = 4 / 3 * MODULUS / (2 * (1 - NU**2)) * np.sqrt(RADIUS / 2)
    unit = (BALL / k) ** 0.4

    def rhs(t, y):
        F = np.maximum(y[:4] - y[1:5], 0) ** 1.5
        return np.concatenate([y[5:], np.append(-F, 0) + np.append(0, F)])
    sol = solve_ivp(rhs, (0, times[-1] / unit), [0] * 5 + [1, 0, 0, 0, 0], t_eval=times / unit, max_step=0.02, **EXACT)
    return sol.y[5:].T


# -- Timoshenko's ball on a simply supported steel beam: ten odd modes
E_BEAM, RHO, EDGE, LENGTH, FALL = 2.2e6 * 9.80665e4, 7960.0, 0.01, 0.1535, 0.01
NUMBERS = np.arange(1, 20, 2) * np.pi / LENGTH
FREQUENCIES = NUMBERS**2 * np.sqrt(E_BEAM * EDGE**2 / (12 * RHO))
MIDDLE = np.sqrt(2 / (RHO * EDGE**2 * LENGTH)) * np.sin(NUMBERS * LENGTH / 2)
STIFFNESS, FALLING = 4 / 3 * E_BEAM / (2 * (1 - NU**2)) * np.sqrt(RADIUS), RHO * 4 / 3 * np.pi * RADIUS**3


def beam():
    """Its modes of unit mass in a body that is held where none of them moves."""
    n, none = len(NUMBERS), np.zeros((3, len(NUMBERS)))
    moves = none.copy()
    moves[2] = MIDDLE
    mass = RHO * EDGE**2 * LENGTH
    part = flex.from_integrals(mass, (0, 0, 0), np.eye(3) * mass * LENGTH**2, none, none, np.zeros((n, 3, 3)), np.zeros((n, n, 3, 3)),
                               np.zeros((n, 3, n)), np.eye(n), np.diag(FREQUENCIES**2),
                               nodes={"held": ((0, 0, 0), none, none), "middle": ((0, 0, 0), moves, none)})
    m = pl.Model("ball on beam")
    m.add(pl.ModalBody("beam", part))
    m.add(pl.Fixed("F", m.ground, "beam.held"))
    m.add(pl.RigidBody.sphere("ball", RADIUS, mass=FALLING, position=(0, 0, RADIUS), velocity=(0, 0, -FALL)))
    m.add(pl.Contact("c", "beam.middle", "ball", surface_a=pl.Surface.plane(), stiffness=STIFFNESS, exponent=1.5, restitution=1.0))
    return m


def struck(times):
    """Places and speeds of the ball and of the middle."""
    n = len(NUMBERS)

    def rhs(t, y, on=True):
        F = STIFFNESS * max(y[2 * n] - MIDDLE @ y[:n], 0.0)**1.5
        return np.concatenate([y[n:2 * n], MIDDLE * F - FREQUENCIES**2 * y[:n], [y[-1], -F / FALLING]])
    y = np.zeros(2 * n + 2)
    y[-1] = FALL
    sol = solve_ivp(rhs, (0, times[-1]), y, t_eval=times, max_step=0.2 / FREQUENCIES[-1], **(EXACT | {"atol": 1e-18}))
    return -np.column_stack([sol.y[2 * n], sol.y[-1], MIDDLE @ sol.y[:n], MIDDLE @ sol.y[n:2 * n]])


def of_beam(sol):
    return np.column_stack([sol["ball.position"][:, 2] - RADIUS, sol["ball.velocity"][:, 2], sol["beam.middle.position"][:, 2],
                            sol["beam.middle.velocity"][:, 2]])


# -- a slider-crank whose pin has a clearance of 0.5 mm: rod and slider, 5000 rpm, law of Lankarani and Nikravesh, e = 0.9
SPEED, CRANK, ROD, CLEARANCE = 5000 * np.pi / 30, 0.05, 0.12, 0.5e-3
PIN = 4 / (6 * (1 - NU**2) / 207e9) * np.sqrt(0.01 * 0.0095 / CLEARANCE)


def slider_crank():
    m = pl.Model("slider crank")
    m.add(pl.RigidBody("crank", 0.3, (1e-4, 1e-4, 1e-4), position=(0, 0, 0)))
    m.add(pl.RigidBody("rod", 0.21, (2.5e-4, 2.5e-4, 2.5e-4), com=(ROD / 2, 0, 0), position=(CRANK, 0, 0),
                       angular_velocity=(0, 0, -CRANK * SPEED / ROD)))
    m.add(pl.RigidBody("slider", 0.14, (1e-4, 1e-4, 1e-4), position=(CRANK + ROD, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "crank", at=(0, 0, 0), axis="z"))
    m.add(pl.Revolute("B", "crank", "rod", at=(CRANK, 0, 0), axis="z"))
    m.add(pl.Prismatic("S", m.ground, "slider", at=(CRANK + ROD, 0, 0), axis="x"))
    m.add(pl.Drive("A", "angle", f"{SPEED!r}*t"))
    m.add(pl.RevoluteClearance("c", "slider", m["rod"].frame((ROD, 0, 0)), clearance=CLEARANCE, stiffness=PIN, restitution=0.9,
                               law="lankarani-nikravesh", slow=1e-6))
    return m


def rattled(times):
    """Angle of the rod, place of the slider, and their rates, through twelve contacts."""
    met = [0.0]

    def motion(t, y):
        c, s = np.cos(SPEED * t), np.sin(SPEED * t)
        u, n = np.array([np.cos(y[0]), np.sin(y[0])]), np.array([-np.sin(y[0]), np.cos(y[0])])
        d = CRANK * np.array([c, s]) + ROD * u - [y[1], 0]
        v = CRANK * SPEED * np.array([-s, c]) + ROD * y[2] * n - [y[3], 0]
        return d, v, n, -SPEED**2 * CRANK * np.array([c, s])

    def rhs(t, y, closed=True):
        d, v, n, a = motion(t, y)
        r, f = np.hypot(*d), np.zeros(2)
        if closed:
            f = -d / r * PIN * max(r - CLEARANCE, 0.0)**1.5 * (1 + 0.75 * (1 - 0.9**2) * (d @ v / r) / met[0])
        return [y[2], y[3], (ROD * n @ f - 0.21 * ROD / 2 * n @ a) / (2.5e-4 + 0.21 * ROD**2 / 4), -f[0] / 0.14]

    def gap(t, y):
        return np.hypot(*motion(t, y)[0]) - CLEARANCE
    t, y, rows, k, closed = 0.0, np.array([0.0, CRANK + ROD, -CRANK * SPEED / ROD, 0.0]), [], 0, False
    while k < len(times):
        gap.terminal, gap.direction = True, -1 if closed else 1
        sol = solve_ivp(lambda t, y, closed=closed: rhs(t, y, closed), (t, times[-1] + 1e-9), y, events=gap, dense_output=True,
                        max_step=2e-6 if closed else 2e-5, **EXACT)
        while k < len(times) and times[k] <= sol.t[-1]:
            rows.append(sol.sol(times[k]))
            k += 1
        t, y = sol.t[-1], sol.y[:, -1]
        d, v, _, _ = motion(t, y)
        met[0], closed = d @ v / np.hypot(*d), not closed
    return np.array(rows)


def of_rod(sol):
    w, _, _, z = sol["rod.rotation"].T
    return np.column_stack([2 * np.arctan2(z, w), sol["slider.position"][:, 0], sol["rod.angular_velocity"][:, 2],
                            sol["slider.velocity"][:, 0]])


def to(end):
    return np.linspace(0, end, 101)[1:]


CASES = {
    "rocking block": Case(rocking, to(6.4), rocked, tilt),                       # twelve impacts
    "pendulum on a stop": Case(pendulum, to(5.0), swung, lambda sol: np.column_stack([sol["A.angle"], sol["A.angle_rate"]])),
    "Hertz cradle": Case(cradle, to(4e-4), pushed, lambda sol: np.column_stack([sol[f"b{n}.velocity"][:, 0] for n in range(5)])),
    "ball on beam": Case(beam, to(2e-4), struck, of_beam),
    "slider-crank with clearance": Case(slider_crank, to(4.16e-3), rattled, of_rod),  # twelve contacts
}


def error(case, reference, accuracy, method, coordinates="absolute"):
    sol = case.model().simulate(float(case.times[-1]), accuracy=float(accuracy), integrator=METHODS[method], coordinates=coordinates,
                                output_times=list(case.times), progress=False)
    found = case.found(sol)[-len(case.times):]
    return float((abs(found - reference) / abs(reference).max(0)).max()), sol


def slope(accuracies, errors):
    return float(np.polyfit(np.log10(accuracies), np.log10(errors), 1)[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=["default"])
    parser.add_argument("--case", default="")
    given, failed = parser.parse_args(), 0
    print("error at accuracies      ", *(f"{a:8.0e}" for a in ACCURACIES))
    for name, case in CASES.items():
        if given.case not in name:
            continue
        reference = case.reference(case.times)
        for method in given.methods:
            errors = [error(case, reference, a, method)[0] for a in ACCURACIES]
            steep = slope(ACCURACIES, errors)
            failed += not 0.6 <= steep <= 1.2
            print(f"{name + ', ' + method:38}", *(f"{e:8.1e}" for e in errors), f" slope {steep:.2f}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
