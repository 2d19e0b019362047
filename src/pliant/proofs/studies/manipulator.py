"""A three-axis manipulator, its arm deformable and rigid, as in section 7 of Hwang 2006, whose data are lost: own geometry, here.
docs/studies/manipulator.md

A base of 0.4 m turns about the vertical z on the ground, an arm of 1 m about y on the base, a hand of 0.6 m about y on the arm. Their
three drives follow smooth functions of time for 1.5 s and then hold. The arm is an aluminium tube with five shapes: deflection by a
force and by a moment at its end across both directions, and twist.
"""
# Items accept and check more than their fields say (positional frames), which mypy cannot see.
# mypy: disable-error-code="call-arg, arg-type"
from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...flex.beams import mesh_beam
from ...flex.material import Material
from ...flex.reduced import Reduced
from ...flex.reduction import reduce
from ...flex.section import Section
from ...items.bodies import RigidBody
from ...items.drives import Drive
from ...items.joints import Revolute
from ...items.modal import ModalBody
from ...kernels.state_row import parts
from ...methods.formulations.choices import Index1, Recursion
from ...methods.integrators.base import Integrator, Plan
from ...methods.integrators.choices import DOP853, AdamsBashforthMoulton, DormandPrince54, RungeKutta4
from ...model import Model
from ...report.progress import working_on
from ...report.tables import table
from ...solution import Solution

DURATION, STEP, OUTPUT = 3.0, 5e-4, 0.01
HEIGHT, ARM, HAND = 0.4, 1.0, 0.6                   # m
RADIUS, WALL = 0.025, 0.0015                        # m, of the arm's tube
METAL = Material(7e10, 0.33, 2700)
BASE_MASS, HAND_MASS, LOAD = 20.0, 2.0, 2.0         # kg; the load is a point at the end of the hand
DAMPING = 0.01
MOTION = {"waist": "1.2 * step(t, 0, 0, 1.5, 1)", "shoulder": "-0.9 * step(t, 0, 0, 1.5, 1)", "elbow": "1.4 * step(t, 0, 0, 1.5, 1)"}
AGREEMENT = 1e-8
METHODS: tuple[tuple[Integrator, str, float], ...] = (  # Runge-Kutta against Adams-Bashforth-Moulton: order 4, one step; error control
    (RungeKutta4(), "step", STEP), (AdamsBashforthMoulton(4), "step", STEP),
    (DormandPrince54(), "accuracy", 1e-6), (AdamsBashforthMoulton(), "accuracy", 1e-6))
REFERENCE = (DOP853(), "accuracy", 1e-10)
WORK = ("arm", "coordinates", "method", "setting", "steps", "evaluations", "cpu", "error")
REPEATS = 2             # the best CPU time counts, methods in turn
COLUMNS = ("quantity", "deformable", "rigid", "difference", "unit")


@cache
def arm_part() -> Reduced:
    """The arm along x from its frame ``shoulder`` to ``elbow``."""
    mesh = mesh_beam([(0, 0, 0), (ARM, 0, 0)], Section.tube(RADIUS, WALL), METAL, elements=16)
    x, shapes = mesh.nodes[:, 0] / ARM, np.zeros((len(mesh.nodes), 6, 5))
    for k, (y, slope) in enumerate(((3 * x**2 - x**3, 6 * x - 3 * x**2), (x**2, 2 * x))):
        shapes[:, 1, k], shapes[:, 5, k] = y, slope / ARM
        shapes[:, 2, 2 + k], shapes[:, 4, 2 + k] = y, -slope / ARM
    shapes[:, 3, 4] = x
    return reduce(mesh, {"shoulder": (0, 0, 0), "elbow": (ARM, 0, 0)}, method="shapes", shapes=shapes.reshape(-1, 5))


def manipulator(deformable: bool = True) -> Model:
    """Stretched out along x at the start."""
    m = Model(f"three-axis manipulator, arm {'deformable' if deformable else 'rigid'}", gravity=(0, 0, -9.81))
    part = arm_part()
    top, elbow = np.array([0, 0, HEIGHT]), np.array([ARM, 0, HEIGHT])
    m.add(RigidBody.rod("base", (0, 0, 0), top, mass=BASE_MASS, radius=0.1))
    flexible = ModalBody("arm", part, position=top, damping=DAMPING)
    if deformable:
        m.add(flexible)
    else:
        m.add(RigidBody("arm", mass=flexible.mass, inertia=flexible.inertia_matrix, com=flexible.center, position=top,
                        frames={"shoulder": (0, 0, 0), "elbow": (ARM, 0, 0)}))
    mass, center = HAND_MASS + LOAD, (HAND_MASS / 2 + LOAD) / (HAND_MASS + LOAD) * HAND
    inertia = HAND_MASS * (HAND**2 / 12 + (center - HAND / 2) ** 2) + LOAD * (HAND - center) ** 2
    m.add(RigidBody("hand", mass=mass, inertia=(0.002, inertia, inertia), com=(center, 0, 0), position=elbow,
                    frames={"wrist": (0, 0, 0), "center": (center, 0, 0), "tip": (HAND, 0, 0)}))
    m.add(Revolute("waist", m.ground, "base.start", axis="z"))
    m.add(Revolute("shoulder", "base.end", "arm.shoulder", axis="y"))
    m.add(Revolute("elbow", "arm.elbow", "hand.wrist", axis="y"))
    for joint, motion in MOTION.items():
        m.add(Drive(joint, "angle", motion, name=f"{joint}_motor"))
    return m


@dataclass
class Study:
    """``deformable``, ``rigid``: runs in joint coordinates; ``agreement``: the largest difference of the former to absolute coordinates,
    relative; ``sag``: deflection of the arm at rest, computed and by the formula of a beam [m]."""
    deformable: Solution
    rigid: Solution
    agreement: float
    sag: tuple[float, float]
    fastest: float
    work: list[dict[str, Any]] = field(default_factory=list)    # what the methods of METHODS cost, and their errors

    @property
    def passed(self) -> bool:
        good = all(row["error"] <= 1e-4 for row in self.work)
        return good and self.agreement <= AGREEMENT and abs(self.sag[0] / self.sag[1] - 1) < 0.02 and STEP * self.fastest <= 1

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Largest values of what the figures show, and the largest difference that the arm's deformation makes."""
        found = []
        for channel, unit in [("hand.center.position", "m"), *((f"{j}_motor.effort", "N*m") for j in MOTION),
                              *((f"{j}.force", "N") for j in MOTION)]:
            a, b = self.deformable[channel], self.rigid[channel]
            found.append({"quantity": channel, "deformable": float(abs(a).max()), "rigid": float(abs(b).max()),
                          "difference": float(abs(a - b).max()), "unit": unit})
        return found

    def __str__(self) -> str:
        cells = [[f"{row[k]:.4g}" if isinstance(row[k], float) else row[k] for k in COLUMNS] for row in self.rows]
        shown, (found, formula) = table(COLUMNS, cells, indent=""), (1e3 * x for x in self.sag)
        work = table(WORK, [[f"{row[k]:.3g}" if isinstance(row[k], float) else row[k] for k in WORK] for row in self.work], indent="")
        return (f"{shown}\n\nRunge-Kutta and Adams-Bashforth-Moulton: CPU time [s], largest error of any coordinate\n{work}\n\n"
                f"difference to absolute coordinates {self.agreement:.1e} (relative); sag at rest {found:.3f} mm, by the formula "
                f"of a beam {formula:.3f} mm\nfastest mode {self.fastest:.0f} rad/s, times the step {STEP * self.fastest:.2f}")

    def plot(self, path: str | Path) -> None:
        """Trajectory of the hand, modal displacements, driving torques, reactions."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        figure = Figure(figsize=(11.0, 8.0), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(2, 2).ravel()
        t = self.deformable.t
        for sol, style in ((self.deformable, "-"), (self.rigid, "--")):
            what = "deformable" if style == "-" else "rigid"
            p = sol["hand.center.position"]
            for k, name in enumerate("xyz"):
                axes[0].plot(t, p[:, k], style, color=f"C{k}", label=f"{name}, {what}", linewidth=1)
            for k, joint in enumerate(MOTION):
                axes[2].plot(t, sol[f"{joint}_motor.effort"], style, color=f"C{k}", label=f"{joint}, {what}", linewidth=1)
                force = np.linalg.norm(sol[f"{joint}.force"], axis=1)
                axes[3].plot(t, force, style, color=f"C{k}", label=f"{joint}, {what}", linewidth=1)
        modal = self.deformable["arm.modal"]
        for k in range(modal.shape[1]):
            axes[1].plot(t, modal[:, k], label=f"coordinate {k + 1}", linewidth=1)
        titles = "mass centre of the hand", "modal displacements of the arm", "driving torques", "joint reactions"
        for a, title, label in zip(axes, titles, ("position [m]", "coordinate", "torque [N m]", "force [N]"), strict=True):
            a.set(title=title, xlabel="time [s]", ylabel=label)
            a.grid(True, alpha=0.3)
            a.legend(fontsize=6)
        figure.savefig(path, dpi=120)


def study(duration: float = DURATION) -> Study:
    """Both arms with the Runge-Kutta method, from rest; a short run in both coordinates; the arm at rest."""
    options: dict[str, Any] = {"step": STEP, "output_step": OUTPUT, "integrator": RungeKutta4(), "coordinates": "joint", "progress": False,
                               "start": "static"}
    working_on("study: manipulator")
    deformable, rigid = (manipulator(flag).simulate(duration, **options) for flag in (True, False))
    work = [*compared(rigid, Index1()), *compared(deformable, Index1()), *compared(deformable, Recursion())]
    return Study(deformable, rigid, agreement(), sag(), fastest(), work)


def compared(sol: Solution, formulation: Index1 | Recursion) -> list[dict[str, Any]]:
    """What each of METHODS takes for the run that ``sol`` is, from its start: steps, evaluations of the accelerations, CPU time, and the
    largest difference of a coordinate of any body to a run of order 8. (In joint coordinates a rigid arm, its joints driven, has nothing
    to integrate.)"""
    assert sol.model is not None
    dynamics, start, end, outputs = sol.model.compile(), sol.rows[0], float(sol.t[-1]), len(sol.t) - 1

    def run(method: Integrator, kind: str, value: float) -> tuple[np.ndarray, float, Any]:
        plan, steps = Plan(dynamics, formulation, start.copy(), end, accuracy=value, outputs=outputs), round(end / value)
        if kind == "step":
            plan = Plan.fixed(dynamics, formulation, start.copy(), value, steps, steps // outputs)
        going, clock = method.run(plan), time.process_time()
        rows = np.vstack([new.copy() for new in going if len(new)])
        return parts(rows, dynamics.system.q0.size, dynamics.system.n)["q"], time.process_time() - clock, going
    exact, *_ = run(*REFERENCE)
    found: list[dict[str, Any]] = []
    what = {"arm": "rigid" if isinstance(sol.model["arm"], RigidBody) else "deformable",
            "coordinates": "joint" if isinstance(formulation, Recursion) else "absolute"}
    for method, kind, value in METHODS:
        q, took, going = run(method, kind, value)
        found.append({**what, "method": method.kind, "setting": f"{kind} {value:g}", "steps": int(going.c.steps),
                      "evaluations": int(going.p.num.evaluations), "cpu": took, "error": float(abs(q - exact).max())})
    for _ in range(REPEATS):
        for row, setting in zip(found, METHODS, strict=True):
            row["cpu"] = min(row["cpu"], run(*setting)[1])
    return found


def agreement(duration: float = 0.2) -> float:
    """The largest difference of positions, torques and reactions between joint and absolute coordinates, relative."""
    options: dict[str, Any] = {"accuracy": 1e-10, "integrator": DOP853(), "output_step": duration / 10, "progress": False}
    m = manipulator()
    a, b = m.simulate(duration, coordinates="joint", **options), m.simulate(duration, formulation=Index1(), **options)
    channels = ["hand.center.position", *(f"{j}_motor.effort" for j in MOTION), *(f"{j}.force" for j in MOTION)]
    return max(float(abs(a[c] - b[c]).max() / abs(b[c]).max()) for c in channels)


def sag() -> tuple[float, float]:
    """How far the elbow of the arm hangs down at rest, stretched out, and by the formula of a beam with a force and a moment at its end."""
    m = manipulator()
    for joint in MOTION:
        del m.items[f"{joint}_motor"]
        m.add(Drive(joint, "angle", 0.0, name=f"{joint}_motor"))
    state = m.static()
    part, g = arm_part(), 9.81
    mass, I = HAND_MASS + LOAD, Section.tube(RADIUS, WALL).Iy
    bending, moment = METAL.E * I, (HAND_MASS / 2 + LOAD) * HAND * g
    formula = mass * g * ARM**3 / (3 * bending) + moment * ARM**2 / (2 * bending) + part.integrals.m * g * ARM**3 / (8 * bending)
    return HEIGHT - float(state["arm.elbow.position"][2]), float(formula)


def fastest() -> float:
    """The largest frequency of the arm's coordinates in the manipulator, drives held [rad/s]."""
    from ...compile.vibration import highest_frequency
    return float(highest_frequency(manipulator().compile()))
