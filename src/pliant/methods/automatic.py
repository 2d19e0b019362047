"""Which method a run uses when only an accuracy is given, and why; and which ones come next if it fails."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..compile.motion import common_speed, held_points
from ..compile.vibration import Vibration
from ..items.errors import ModelError, SimulationError
from ..joint_space.joint_states import joint_state
from ..joint_space.tree import JointSpace
from ..kernels.event_log import TIME
from ..kernels.state_row import parts
from .comparison import difference, parted
from .formulations.choices import Index1, Index3, Recursion, StabilizedIndex2
from .integrators.base import Integrator
from .integrators.choices import DOP853, DormandPrince54, GeneralizedAlpha, RadauIIA5
from .method_option import MethodOption

if TYPE_CHECKING:
    from ..solution import Solution
    from .integrators.time_loop.run import Run

STABLE = 4.0        # h times the fastest rate that the explicit method bears
PERIODS = 3.0       # steps of it in the time of the slow motion, at an accuracy of 1e-5
WORTH = 5.0, 8.0    # times as many steps for stability than for accuracy, from which on an implicit method is worth its price: in absolute
                    # coordinates, in joint coordinates
FULL = 60, 8        # rates that full matrices of implicit methods are good for: of a tree, and where loops are closed or bodies flexible
SPINS = 5.0         # times as fast as what moves: a wheel, whose turns would cost steps in absolute coordinates
LEAST = 50          # steps
NOISE = 1e-6        # of the rate of the motion: rates below are rounding
RESOLVED = 1.0      # h times the fastest rate: a method with shorter steps follows the fastest vibration, and might be explicit
FIRST_LOOK = 100    # steps, after which the steps of an implicit method are looked at, and after each doubling of their number
DIED = 6.0          # times the time of decay: an amplitude of 0.2 %, and longer steps, if it is the vibration that is followed
GROWING = 1.25      # times as long as at the last look: a vibration that dies away
FEW = 2             # bodies per loop, from which on joint coordinates are faster for sure
RHO, FIXED_RHO = 0.8, 0.9  # of generalized-alpha with error control, and with fixed steps
FINEST_SEARCHED, ROUNDS = 1e5, 20  # of the search for a fixed step: the smallest one, of the distance of rows
FAILURES = ("step-underflow", "singular-matrix", "newton-failed", "joint-open", "singular-pose")  # another method may do


class Candidate(NamedTuple):
    """A pair of methods, and why it was taken; and what is taken ``instead``: of an implicit one where its steps are still shorter than
    ``worth`` when the fastest vibration has ``died``, of an explicit one where more than ``most`` steps are to come because of rates that
    were not there at the start, as when a limit is left."""
    method: Integrator
    formulation: MethodOption
    why: str
    worth: float = 0.0
    died: float = 0.0
    most: float = 0.0
    instead: tuple[Candidate, ...] = ()


class ShortSteps(Exception):
    """An implicit method makes steps that an explicit one could make as well, or an explicit one steps that an implicit one need not
    make."""
    solution: Solution


class StepWatch:
    """Looks at the usual step of a run after certain numbers of steps, so that the same run is always judged alike."""

    def __init__(self, run: Run, candidate: Candidate) -> None:
        self.run, self.candidate, self.before, self.stiff = run, candidate, 0.0, False
        stiffens = candidate.most > 0 and may_vibrate(run.dynamics)
        run.look = FIRST_LOOK if candidate.instead and (candidate.worth or stiffens) else 0

    def __call__(self) -> None:
        run, c = self.run, self.candidate
        if run.look and run.c.steps >= run.look:
            usual, run.look = float(run.c.usual), 2 * run.look
            if usual < min(c.worth, GROWING * self.before) and run.t > c.died:
                raise ShortSteps(f"makes steps of {usual:.2g} s, which follow the fastest vibration anyway")
            if c.most > 0:
                self._stiffens(usual)
            self.before = usual

    def _stiffens(self, usual: float) -> None:
        """Whether stability, and not accuracy, keeps the steps of an explicit method short, and for long: at two looks, since what is
        passed in a moment is no reason."""
        before, self.stiff, left = self.stiff, False, float(self.run.c.last - self.run.t)
        if left / usual > self.candidate.most:
            rate = fastest_rate(self.run.dynamics, self.run.here())
            self.stiff = usual * rate > STABLE / 2 and left * rate / STABLE > self.candidate.most
            if self.stiff and before:
                raise ShortSteps(f"makes steps of {usual:.2g} s, as the model has become stiff: the fastest rate is {rate:.2g} rad/s")


def candidates(dynamics: CompiledModel, row: np.ndarray, length: float, accuracy: float, joint: bool = True,
               within: Recursion | None = None) -> list[Candidate]:
    """The pairs to try, best first, for a model at its start. ``joint``: whether joint coordinates may be among them; ``within``: only
    they, in this form."""
    space = joint_space(dynamics) if joint or within else None
    tree = tree_of(space) if space and not within else ""
    *rates, decay = vibration_rates(dynamics, row)
    rate, slow = max(rates), slow_rate(dynamics, row, length, space if tree or within else None)
    damped = Candidate(GeneralizedAlpha(RHO), within or Index3(), "")
    needed = max(LEAST, PERIODS * length * slow * (1e-5 / accuracy) ** (1 / 8))
    facts = f"the fastest rate is {rate:.2g} rad/s, that of the motion about {slow:.2g} rad/s"
    stiff = Candidate(RadauIIA5(), within or StabilizedIndex2(), f"chosen as the model is stiff: {facts}")
    if accuracy < damped.method.finest:
        damped = stiff
    why = f"chosen as nothing is stiff: {facts}" if rate > NOISE * slow else "chosen as nothing is stiff"
    if dynamics.system.rigid and accuracy >= damped.method.finest:
        damped = stiff  # the other one knows no forces between its steps
    if any(p.static > 0 for p in dynamics.system.rigid):
        begins = stiff._replace(why="chosen as the friction of rigid contacts is stiff where slip begins")
        slides = Candidate(DOP853(), Index1(), f"{why}, but for what begins to slide")
        return [slides] if dynamics.massless() else [begins, slides]
    implicit = [stiff, damped]
    if tree and space:
        spins = slow_rate(dynamics, row, length) > SPINS * slow
        if space.n_u <= FULL[space.loops.tile.size > 0 or (bool(dynamics.directory.flexible) and not spins)]:
            implicit.insert(0, stiff._replace(formulation=Recursion(), why=f"{stiff.why}; in joint coordinates, as {tree}"))
    most = WORTH[bool(tree or within)] * needed
    explicit = [Candidate(DOP853(), within or Index1(), why, most=most, instead=tuple(implicit)), stiff, damped]
    if tree:
        in_tree = f"{why}; in joint coordinates, as {tree}"
        explicit.insert(0, explicit[0]._replace(formulation=Recursion(), why=in_tree))
    if length * rate / STABLE <= most:
        return explicit
    died = DIED / decay if decay > 0 else length
    again = tuple(c._replace(most=0.0, instead=()) for c in explicit)  # what an implicit method has to follow as well
    return [*(c._replace(worth=RESOLVED / rate, died=died if died < length else 0.0, instead=again) for c in implicit[:-1]), damped]


def for_step(dynamics: CompiledModel, row: np.ndarray, h: float, form: Recursion) -> Candidate:
    """What goes with a fixed step in joint coordinates: an explicit method if that is stable, as it needs no matrix."""
    rate = fastest_rate(dynamics, row)
    if h * rate <= DormandPrince54().limit:
        return Candidate(DormandPrince54(), form, f"chosen as nothing is stiff for a step of {h:g} s")
    why = f"chosen as the model is stiff for a step of {h:g} s: the fastest rate is {rate:.2g} rad/s"
    return Candidate(GeneralizedAlpha(FIXED_RHO), form, why)


def joint_space(dynamics: CompiledModel) -> JointSpace | None:
    """The tree of the joints; none with elements that joint coordinates do not know."""
    try:
        return JointSpace(dynamics)
    except ModelError:
        return None


def tree_of(space: JointSpace) -> str:
    """Why joint coordinates are faster: open chains, few loops; nothing if they are not."""
    bodies, loops = len(space.links), int(space.loops.tile.size)
    if loops > max(1, bodies // FEW):
        return ""
    found = "no loops" if loops == 0 else "one loop" if loops == 1 else f"{loops} loops"
    return f"{bodies} {'body' if bodies == 1 else 'bodies'} and {found} are a tree, or nearly so"


def vibration_rates(dynamics: CompiledModel, row: np.ndarray) -> tuple[float, float, float]:
    """At a state, joints and drives held: the largest natural frequency [rad/s], the largest rate at which dampers stop a motion, and
    that of the decay of the fastest vibration [1/s]."""
    return Vibration.at(dynamics, row).rates() if may_vibrate(dynamics) else (0.0, 0.0, 0.0)


def may_vibrate(dynamics: CompiledModel) -> bool:
    """Whether there is anything that pushes back or damps."""
    return any(family.elastic for family in dynamics.system.families)


def fastest_rate(dynamics: CompiledModel, row: np.ndarray) -> float:
    """The largest natural frequency or rate of decay at a state [rad/s]."""
    return max(vibration_rates(dynamics, row)[:2])


def slow_rate(dynamics: CompiledModel, row: np.ndarray, length: float, space: JointSpace | None = None) -> float:
    """About how fast things change at the start: speeds and accelerations in sizes of the model, or once in the run. In joint coordinates
    wheels do not count, whose angle is a state that grows as it did; bodies that turn freely do."""
    p, w = parts(row[None, :], dynamics.system.q0.size, dynamics.system.n), dynamics.weights()
    speed, strongest = (float(abs(p[name][0] * w).max(initial=0.0)) for name in "va")
    if space:
        points, free = held_points(dynamics), joint_state(space, row)[1][space.tree.rotations[:, 0, None] + np.arange(3)]
        speed, strongest = (common_speed(dynamics, points, p[name][0]) for name in "va")
        speed = max(speed, float(abs(free).max(initial=0.0)))
    gravity = dynamics.gravity / dynamics.length
    return max(speed, float(np.sqrt(min(strongest, 100 * gravity) if gravity else strongest)), float(np.sqrt(gravity)), 1 / length)


def ending(stopped: Solution) -> Solution:
    """A run that stopped, as something to go on with from its last row."""
    q = stopped.quality
    worst = np.array([q.position_violation, q.velocity_violation, q.acceleration_violation, 0.0])
    told = {name: array for name, array in stopped.memory.items() if name == "modes"}
    seen = int((stopped.happened[:, TIME] <= stopped.t[-1]).sum()) if stopped.omitted == 0 else len(stopped.happened) + stopped.omitted
    happened = np.array([seen])  # what came behind the last row comes again
    stopped.memory = told | {"rows": np.array([len(stopped.t)]), "worst": worst, "events": happened}
    return stopped


def searched(run: Callable[[float], Solution], h: float, accuracy: float, order: int) -> Solution:
    """The run of a method without error control: its step is halved, from the distance of rows on, until two runs differ by no more
    than the accuracy; the last one is given, with the estimate of its error."""
    least, before, found = h / FINEST_SEARCHED, None, None
    for _ in range(ROUNDS):
        try:
            found = run(h)
        except SimulationError:  # the step may be too large
            if h < 64 * least:
                raise
            h, before = h / 4, None
            continue
        if before is None:
            h, before = h / 2, found
        else:
            estimate = difference(before, found) / (2**order - 1)
            found.quality.estimate = estimate
            if estimate <= accuracy and parted(before, found) is None:
                return found
            h *= min(0.5, max(2.0**-6, (0.7 * accuracy / max(estimate, 1e-300)) ** (1 / order)))
            before = None
            if h < least:
                break
    raise ModelError(f"simulate: the accuracy {accuracy:g} would take a step below {least:.2g} s with this integrator; ask for less, or "
                     "take a method of higher order")
