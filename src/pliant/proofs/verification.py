"""The verification book: published benchmarks and closed forms, each with its reference, error and verdict.

Every case runs its model with a fixed step, chosen so that the method of order 2 meets the tolerance, or with the accuracy given;
nothing is extrapolated.
References: closed forms where there are any; otherwise reduced equations of motion integrated without any multibody code
(data/README.md) and the Test Set for IVP Solvers. Energy drift: the limits of the benchmarks, or 1e-6 of the kinetic energy.
"""
# Items accept and check more than their fields say (positional frames), which mypy cannot see.
# mypy: disable-error-code="call-arg, arg-type, dict-item"
from __future__ import annotations

import time
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np

from ..items.base import did_you_mean, matrix_of, rotation
from ..items.bodies import RigidBody
from ..items.errors import ModelError, SimulationError
from ..items.joints import Spherical
from ..model import Model
from ..report.progress import working_on
from ..solution import Solution
from ..text.model_files import module_model
from . import shipped_examples

Check = tuple[str, np.ndarray, Any, float]  # quantity, values, references, tolerance
SQUEEZER_JOINTS = ("O", "F", "B", "G", "A5", "H", "A7")  # whose angles are beta, Theta, gamma, Phi, delta, Omega, epsilon
PRECESSIONS = (3.49550056417304, 24.9278973036239)  # rad/s, roots p of I1 cos(th) p^2 - I3 w3 p + m g l = 0


def verify(names: list[str] | None = None, accuracy: str | float | None = None) -> list[dict[str, Any]]:
    """Run the cases named (default: all) and return one row per quantity: name, quantity, value, reference, error, tolerance,
    passed, steps, seconds. Value and reference are those of the worst entry. With ``accuracy`` steps are chosen."""
    for name in names or []:
        if name not in CASES:
            raise ModelError(f"there is no verification case {name!r}{did_you_mean(name, CASES)}")
    return [row for name in names or CASES for row in _run(name, accuracy)]


def _run(name: str, accuracy: str | float | None) -> list[dict[str, Any]]:
    working_on(f"verify: {name}")
    model, duration, options, checks = CASES[name]
    if accuracy is not None:
        options = {key: value for key, value in options.items() if key != "step"} | {"accuracy": accuracy}
    clock = time.perf_counter()
    try:
        sol = model().simulate(duration, **options)
    except SimulationError as error:
        failed = {"value": float("nan"), "reference": float("nan"), "error": float("inf"), "tolerance": 0.0, "passed": False}
        return [{"name": name, "quantity": error.summary, **failed, "steps": 0, "seconds": time.perf_counter() - clock}]
    found = checks(sol)
    seconds = time.perf_counter() - clock
    return [{"name": name, **_worst(*check), "steps": sol.quality.steps, "seconds": seconds} for check in found]


def _worst(quantity: str, values: np.ndarray, references: Any, tolerance: float) -> dict[str, Any]:
    """The entry with the largest error; not a number counts as wrong."""
    a, b = np.broadcast_arrays(np.asarray(values, float), np.asarray(references, float))
    error = np.nan_to_num(abs(a - b), nan=np.inf)
    k = np.unravel_index(error.argmax(), error.shape)
    return {"quantity": quantity, "value": float(a[k]), "reference": float(b[k]), "error": float(error[k]),
            "tolerance": tolerance, "passed": bool(error[k] <= tolerance)}


def table(file: str) -> dict[str, np.ndarray]:
    """Columns of a reference series by name."""
    text = files(__package__).joinpath("data", file).read_text()
    head, *lines = text.split()
    values = np.array([[float(x) for x in line.split(",")] for line in lines])
    return dict(zip(head.split(","), values.T, strict=True))


def _drift(sol: Solution, tolerance: float | None = None) -> Check:
    """Energy is conserved: kinetic + potential + elastic + dissipated - work stays what it was."""
    return "energy drift [J]", np.array(sol.energy.drift), 0.0, tolerance or 1e-6 * float(sol.energy.kinetic.max())


def _pendulum(sol: Solution) -> list[Check]:
    """sin(psi/2) = k sn(K - w t, k), k^2 = 1/2, psi from the downward vertical, starting at -90 degrees."""
    from scipy.special import ellipj, ellipk
    psi = -2 * np.arcsin(np.sqrt(0.5) * ellipj(ellipk(0.5) - np.sqrt(9.81) * sol.t, 0.5)[0])
    exact = np.stack([np.sin(psi), -np.cos(psi), 0 * psi], 1)
    return [("position every 0.1 s [m]", sol["bob.position"], exact, 1e-6), _drift(sol, 5e-5)]


def _four_bar(windows: int, post: str) -> Callable[[Solution], list[Check]]:
    def checks(sol: Solution) -> list[Check]:
        d = table(f"A02_{windows}_fourbar.csv")
        exact = np.stack([d["B0x"], d["B0y"], 0 * d["t"]], 1)
        return [("first tip every 0.05 s [m]", sol[f"{post}.end.position"], exact, 1e-5), _drift(sol, 0.1)]
    return checks


def _andrews(sol: Solution) -> list[Check]:
    """Test Set for IVP Solvers, problem Andrews: initial accelerations and multipliers there; angles recomputed with two
    integrators, which agree to 1e-13 (the published ones to 1.5e-9)."""
    beta, both = (sol[f"K{k}.angular_acceleration.z"][0] for k in (1, 2))
    scaled = np.array([beta / 14222.4439199541139, (both - beta) / -10666.8329399655854])
    pull = sol["E3.force"][0, :2] / (98.5668703962410896, -6.12268834425566266)
    end = np.array([sol[f"{joint}.angle"][-1] for joint in SQUEEZER_JOINTS])
    exact = (15.810771195153714, -15.756371058411847, 0.0408222401196452, -0.534730116342081, 0.524409965879954,
             0.534730116342081, 1.048080741041938)
    return [("beta'', Theta'' at 0 s [relative]", scaled, 1.0, 1e-9), ("force at E on K3 at 0 s [relative]", pull, 1.0, 1e-9),
            ("seven angles at 0.03 s [rad]", end, exact, 1e-6), _drift(sol)]


def _bricard(sol: Solution) -> list[Check]:
    d = table("A04_bricard.csv")
    exact = np.stack([d["P3x"], d["P3y"], d["P3z"]], 1)
    return [("P3 every 0.05 s [m]", sol["bar2.end.position"], exact, 1e-5), _drift(sol, 0.1)]


def _heavy_top(sol: Solution) -> list[Check]:
    """Euler's equations integrated to 1e-13; parameters of Geradin, Cardona and of Bruls, Cardona, Arnold 2012."""
    exact = (-0.150416822746, -0.724165591637, -0.67302226956)
    return [("centre of mass at 2 s [m]", sol["top.center.position"][-1], exact, 1e-4), _drift(sol)]


def _lagrange_top(precession: float) -> Callable[[Solution], list[Check]]:
    """The axis turns about the vertical at the rate ``precession``, its tilt stays at 30 degrees."""
    def checks(sol: Solution) -> list[Check]:
        x, y, z = sol["top.center.position"].T
        azimuth = np.unwrap(np.arctan2(y, x))
        return [("precession angle [rad]", azimuth, precession * sol.t, 1e-4),
                ("cos(tilt)", z / 0.1, np.cos(np.pi / 6), 1e-6), _drift(sol)]
    return checks


def _free_body(sol: Solution) -> list[Check]:
    """Euler's equations without torque, Jacobi elliptic functions; the momentum in world axes does not change."""
    w = sol["body.angular_velocity"]
    L = np.array([matrix_of(q) @ (np.array([1.0, 2.0, 3.0]) * x) for q, x in zip(sol["body.rotation"], w, strict=True)])
    return [("angular velocity at 10 s [rad/s]", w[-1], (-0.31976004944393, 4.9897748958024, 0.18560395938699), 1e-6),
            ("angular momentum [N m s]", L, L[0], 1e-5), _drift(sol)]


def _flexible_slider_crank(sol: Solution) -> list[Check]:
    """Simeon 1996, Test Set for IVP Solvers: angle of the rod, slider, bending and axial coordinates at 0.1 s (MEBDFI at 1e-14)."""
    w, z = sol["rod.rotation"][-1, [0, 3]]
    found = np.array([2 * np.arctan2(z, w), sol["slider.position.x"][-1], *sol["rod.modal"][-1]])
    exact = np.array([-0.3311734988256260, 0.1697373328427860, 1.893192899613509e-4, 2.375751249879174e-5, -5.323896770569702e-6,
                      -8.363313279112129e-6])
    return [("angle, slider, four modal coordinates at 0.1 s [relative]", found / exact, 1.0, 1e-5), _drift(sol)]


def _spinning_blade(sol: Solution) -> list[Check]:
    """Simo, Vu-Quoc 1986: tip in the turning axes from a nonlinear beam (two runs differ by 7e-5 m); steady extension in closed form."""
    x, y, a = sol["blade.tip.position.x"], sol["blade.tip.position.y"], sol["hub.angle"]
    tip = np.stack([np.cos(a) * x + np.sin(a) * y - 10, np.cos(a) * y - np.sin(a) * x], 1)
    exact = np.array([(-0.01265, -0.46847), (-0.01774, -0.55909), (-0.00707, -0.36281)])
    found = tip[[int(np.argmin(abs(sol.t - t))) for t in (5.0, 7.5, 10.0)]]
    return [("tip at 5, 7.5, 10 s [relative]", found / exact, 1.0, 0.02), ("largest lag [m]", tip[:, 1].min(), -0.57382, 0.0115),
            ("steady extension [relative]", tip[sol.t > 15.5, 0].mean() / 5.14317455043e-4, 1.0, 5e-3)]


def _example(name: str) -> Callable[[], Model]:
    """The model of a shipped example."""
    return lambda: module_model(shipped_examples.find(f"{name}.py", shipped_examples.examples()))


def lagrange_top(precession: float, tilt: float = np.pi / 6, spin: float = 200.0) -> Model:
    """A symmetric top with its axis at ``tilt`` [rad] to the vertical; ``spin`` [rad/s] is its whole rate about its axis."""
    m = Model("lagrange top", gravity=(0, 0, -9.81))
    across, along, mass, arm = 0.0065, 0.0008, 0.5, 0.1
    top = m.add(RigidBody("top", mass=mass, inertia=(across - mass * arm**2, across - mass * arm**2, along), com=(0, 0, arm),
                          frames={"center": (0, 0, arm)}, rotation=rotation("y", tilt),
                          angular_velocity=(-precession * np.sin(tilt), 0, spin)))
    m.add(Spherical("tip", m.ground, top))
    return m


def free_body() -> Model:
    """A torque-free body turning about its middle axis of inertia."""
    m = Model("free body")
    m.add(RigidBody("body", mass=1.0, inertia=(1, 2, 3), velocity=(0, 0, 0), angular_velocity=(0.01, 5, 0.02)))
    return m


# name: model, duration [s], options of simulate, checks
CASES: dict[str, tuple[Callable[[], Model], float, dict[str, Any], Callable[[Solution], list[Check]]]] = {
    "A01_pendulum": (_example("pendulum"), 10.0, {"step": 5e-5, "output_step": 0.1}, _pendulum),
    "A02_four_bar": (_example("four_bar"), 10.0, {"step": 1.25e-4, "output_step": 0.05}, _four_bar(1, "left")),
    "A02_double_four_bar": (_example("double_four_bar"), 10.0, {"step": 1.25e-4, "output_step": 0.05}, _four_bar(2, "post0")),
    "A03_andrews": (_example("andrews"), 0.03, {"step": 5e-7}, _andrews),
    "A04_bricard": (_example("bricard"), 10.0, {"step": 5e-4, "output_step": 0.05}, _bricard),
    "heavy_top": (_example("heavy_top"), 2.0, {"step": 5e-5, "output_step": 0.01}, _heavy_top),
    "lagrange_top_slow": (lambda: lagrange_top(PRECESSIONS[0]), 2.0, {"step": 1e-5}, _lagrange_top(PRECESSIONS[0])),
    "lagrange_top_fast": (lambda: lagrange_top(PRECESSIONS[1]), 2.0, {"step": 1e-5}, _lagrange_top(PRECESSIONS[1])),
    "flexible_slider_crank": (_example("flexible_slider_crank"), 0.1, {"accuracy": "fine", "output_step": 0.01}, _flexible_slider_crank),
    "spinning_blade": (_example("spinning_blade"), 18.0, {"step": 5e-3, "output_step": 0.05}, _spinning_blade),
    "free_body": (free_body, 10.0, {"step": 2.5e-4}, _free_body),
}
