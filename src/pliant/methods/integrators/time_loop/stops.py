"""Why a run cannot go on: errors that name the item, the value and what to do."""
from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ....compile import redundancy
from ....compile.compiled_model import CompiledModel
from ....families.delays import DELAY, RECORDS
from ....items.errors import SimulationError, raised_in
from ....joint_space.tree_programs import program
from ....kernels import evaluation
from ....kernels.contract import TURNING
from ....kernels.state_row import parts
from ....kernels.status import NOT_FINITE, SINGULAR

UNSEEN = ("If a Python function acts on it, see that it does not jump to and fro or give random numbers; if a force changes "
          "with the direction of motion, make it smooth: tanh(v / 0.01) instead of sign(v). Otherwise look at the mechanism "
          "there: a joint may lock, a spring may be too stiff, or a force may grow without bound")
WEDGED = ("A drawer that is pushed far off its guideway does so: guide it over a greater length, load it nearer to its axis, or take less "
          "friction")
SMOOTH = ("Make its jump smooth: tanh(v / 0.01) instead of sign(v), step(x, 0, 0, 0.001, 1) instead of if(x > 0, 1, 0)")
LOOK = ("if it stops at the same time, look at the mechanism there: a joint may lock, a spring may be too stiff, or a function "
        "may jump")
CANNOT_CLOSE = 100.0  # times as far as a joint may be open: one that stays open so far after a correction is no rounding
NEAR_SINGULAR = 1e-5  # singular values below this part of the largest: next to a singular position


def function_fault(error: BaseException, t: float) -> BaseException:
    """What a user's function raised, as a sentence that names the item."""
    where = raised_in(error) or "in a function of the model"
    told = SimulationError.stopped(t, f"{type(error).__name__}: {error} - raised {where}",
                                   "Make the function give a number at all times and positions it is asked for", "user-function")
    told.__cause__ = error
    return told


class Stops:
    """The part of a run that looks for what must end it, and says so."""
    dynamics: CompiledModel
    method: Any
    formulation: Any
    c: Any
    x: Any
    num: Any
    programs: list[Any]
    step: float
    accuracy: float | None
    watched: bool
    aliased: bool
    ahead: Any

    def turning(self, rows: np.ndarray) -> np.ndarray:
        """How fast bodies turn, rows x bodies [rad/s]."""
        s = self.dynamics.system
        v, first = parts(rows, s.q0.size, s.n)["v"], s.data.rotations[:, 0]
        return np.sqrt(sum(v[:, first + k] ** 2 for k in range(3)))

    def too_fast(self, rows: np.ndarray) -> np.ndarray:
        """Rows at which a body makes half a turn or more in a fixed step, so that turns cannot be counted; angles of the tree are
        states, which need no count. Chosen steps are short enough."""
        return np.asarray((self.turning(rows) * self.step >= np.pi).any(1) & self.aliased)

    def spun(self, row: np.ndarray) -> SimulationError:
        """Why a run cannot go on from such a row."""
        speeds = self.turning(row[None, :])[0]
        k = int(np.argmax(speeds))
        body = self.dynamics.body_of(int(self.dynamics.system.data.rotations[k, 0]) // 6)
        return self._too_fast(row[0], f"body {body!r}", float(speeds[k]))

    def _too_fast(self, t: float, what: str, speed: float) -> SimulationError:
        told = (f"{what} turns at {speed:.4g} rad/s, half a turn or more in a step of {self.step:.3g} s, so that turns cannot be "
                "counted")
        return SimulationError.stopped(t, told, f"Take a step below {1 / speed:.2g} s, or give accuracy instead", "step-too-large")

    def miscounted(self) -> SimulationError:
        """Why a run cannot go on from a step after which rotations cannot be counted; frames are where it ended."""
        s, x, t = self.dynamics.system, self.x, float(self.c.now)
        row, speeds = self.ahead(t), dict[str, float]()
        if self.too_bent(row[None, :])[0]:  # it turns since it deforms beyond all bounds
            return self.bent(row)
        for family, (first, last) in s.families.items():
            for e in range(first, last) if family.act.history else ():
                x.E[TURNING] = 0
                evaluation.run(program(s, "history", {family: [e]}), s.data, x, t, 0.0, 0.0, 0.0)
                if x.E[TURNING] == np.inf and s.owners[e] in self.dynamics.directory.beams:
                    return self._wound(t, s.owners[e], e - first - self.dynamics.directory.beams[s.owners[e]].row)
                speeds[s.owners[e]] = max(float(x.E[TURNING]), speeds.get(s.owners[e], 0.0))
        name = max(speeds, key=speeds.__getitem__)
        if speeds[name] == np.inf:
            return SimulationError.stopped(t, f"{name!r} comes to a whole turn, where its rotation has no axis",
                                           "Carry the rotation by a revolute joint with a torsion spring, which counts turns, or make "
                                           "it stiffer", "whole-turn")
        return self.spun(row) if self.too_fast(row[None, :]).any() else self._too_fast(t, repr(name), speeds[name])

    def _wound(self, t: float, beam: str, element: int) -> SimulationError:
        """Of a beam: the element of which the nodes have turned too far against each other."""
        told = (f"element {element} of beam {beam!r}, between node_{element} and node_{element + 1}, is bent or twisted by more than "
                "3 rad, beyond which its strain is not known")
        return SimulationError.stopped(t, told, "Take more elements; if that is not it, look whether the beam is as stiff and the loads "
                                       "as large as meant", "whole-turn")

    def too_bent(self, rows: np.ndarray) -> np.ndarray:
        """Rows at which a modal body is deformed by more than its own size: linear modes mean nothing there."""
        s, out = self.dynamics.system, np.zeros(len(rows), bool)
        q = parts(rows, s.q0.size, s.n)["q"]
        for body in self.dynamics.directory.flexible.values():
            out |= (abs(q[:, body.iq:body.iq + body.scale.size]) > body.limit).any(1)
        return out

    def bent(self, row: np.ndarray) -> SimulationError:
        """Why a run cannot go on from such a row."""
        name = next(n for n, body in self.dynamics.directory.flexible.items()
                    if (abs(row[3 + body.iq:3 + body.iq + body.scale.size]) > body.limit).any())
        body = self.dynamics.model[name] if self.dynamics.model is not None else None
        if body is not None and getattr(body, "stiffening", "on") == "off" and body.reduced.stiffening is not None:
            remedy = "Nothing stiffens it when it spins or is pulled: switch that on, stiffening='on'"
        else:
            explicit = self.accuracy is None and self.method.limit < np.inf
            remedy = (f"{'The fixed step may be too long for its modes (check tells), its' if explicit else 'Its'} loads may be "
                      "too large or its stiffness too small (look at the units), or it buckles; modes are good for small "
                      "deformations")
        what = f"the flexible body {name!r} is deformed by more than its own size"
        return SimulationError.stopped(row[0], what, remedy, "deformation")

    def opened(self, row: np.ndarray) -> SimulationError:
        """Why a run cannot go on from a row."""
        opened = self.dynamics.open_joints(row) or "a joint opened"
        remedy = ("Joints and drives may contradict each other, a heavy load may hang on a very light body, or the step is too "
                  "large")
        return SimulationError.stopped(row[0], opened, remedy, "joint-open")

    def chattering(self, jumped: np.ndarray) -> SimulationError:
        """Why a run cannot go on after jumps at these times."""
        what = f"a function switches to and fro, {jumped.size - 1} times within {np.ptp(jumped):.3g} s"
        return SimulationError.stopped(float(jumped.max()), what, SMOOTH, "chattering")

    def restless_conditions(self, t: float) -> SimulationError:
        """Why a run cannot go on from an instant at which conditions switch each other to and fro."""
        s = self.dynamics.system
        names = list(dict.fromkeys(repr(s.owners[e]) for family, rows in s.families.items() if family.rank > 1 and family.sense.update
                                   for e in range(*rows)))
        what = f"at one instant {', '.join(names[:6])} switch to and fro without end"
        return SimulationError.stopped(t, what, "Give them hysteresis, or let one condition exclude the other", "chattering")

    def drive_jumped(self, row: np.ndarray, changes: dict[str, float], t: float | None = None) -> NoReturn:
        """The error that names the drives whose functions have jumped: by their ``changes``, as a whole turn opens no joint."""
        d = self.dynamics
        opened = d.open_joints(row)  # and the equations in d.x.R
        drives = {name: max(abs(d.x.R[k]), abs(changes.get(name, 0.0))) for name, (k, *_) in d.directory.drives.items()}
        names = [name for name, gap in drives.items() if gap > 1e-3 * max(drives.values())]
        told = ", ".join(map(repr, names[:5]))
        what = f"drive{'s' * (len(names) > 1)} {told} jump{'s' * (len(names) == 1)}" if names else "a drive jumps"
        by = f"by {abs(changes[names[0]]):.6g}" if names and names[0] in changes else "a joint opened"
        remedy = "Let its function pass on without a jump, for example by step(t, t0, y0, t1, y1)"
        raise SimulationError.stopped(row[0] if t is None else t, f"{what} ({opened or by})", remedy, "drive-jump")

    def singular_pose(self, y: np.ndarray, t: float, rank: int) -> None:
        """The error that names the joints whose equations lose their independence at a position, if that is what stops a
        formulation which works in a basis of the motions that they allow. ``rank``: how many were independent."""
        s, x, d = self.dynamics.system, self.x, self.dynamics
        x.q[:], x.D[:] = y[:x.q.size], 0
        evaluation.run(self.programs[1], s.data, x, t, 1.0, 0.0, 0.0)
        rows = redundancy.equations(s)
        if not (rows.size and np.isfinite(x.D).all()):
            return
        if rank == 0:
            what = (f"none of the {rows.size} equations of its joints holds anything in this position, and the formulation "
                    f"{self.formulation.kind} counts them there")
            raise SimulationError.stopped(t, what, "Start a little beside this position, or take index-1", "singular-pose")
        C = np.asarray(s.dense(x.D)[np.ix_(rows, np.arange(s.n_v))])
        U, S, _ = np.linalg.svd(redundancy.scaled(C, d.unit[rows], redundancy.lengths(s, d.length)))
        now = int((NEAR_SINGULAR * S[0] < S).sum())
        if now == rank:
            return
        part = abs(U[:, rank - 1] if now < rank else U[:, rank])  # the combination that is lost, or gained
        sizes = {j.name: float(part[np.isin(rows, range(6 * j.tile, 6 * j.tile + 6))].max(initial=0.0)) for j in s.joints}
        names = [repr(name) for name, size in sizes.items() if size > 0.1 * max(sizes.values())]
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        what = (f"the mechanism comes to a singular position, where {now} of the equations of its joints are independent instead "
                f"of {rank} (joints {', '.join(names[:6])}{more}), and the formulation {self.formulation.kind} cannot pass it")
        raise SimulationError.stopped(t, what, "Take index-1 or augmented-lagrangian, which can", "singular-pose")

    def crowded(self) -> SimulationError:
        """Why a run cannot go on whose delays have too many steps behind them."""
        s = self.dynamics.system
        names = ", ".join(repr(s.owners[e]) for e in range(*s.families[DELAY]))
        what = f"there are more than {RECORDS - 2} steps within the delay of {names}"
        return SimulationError.stopped(float(self.c.now), what, "Take Pade in place of the delay, or ask for less accuracy", "delay")

    def reason(self, status: int, item: str | None) -> tuple[str, str]:
        """Code and words of a failed step."""
        if item:
            return "not-finite", f"{item!r} gave a number that is not finite"
        if status == NOT_FINITE:
            return "not-finite", "a value became infinite or not a number"
        if status == SINGULAR and self.num.jams:
            return "jam", self.jams()
        if status == SINGULAR:
            massless = ", ".join(self.dynamics.massless())
            why = f" ({massless}: without rotational inertia, and no joint holds the rotation)" if massless else ""
            return "singular-matrix", f"the equations are singular{why}"
        return "newton-failed", (f"Newton's method did not converge in {self.method.max_iterations} iterations "
                                 f"(step no. {int(self.c.steps) + 1}{self.restless()})")

    def jams(self) -> str:
        """Friction by what joints bear, without a solution."""
        names = self.dynamics.system.borne
        return (f"friction jams: there is no force of {', '.join(map(repr, names[:5]))} with which {'its' if len(names) == 1 else 'their'} "
                f"joint{'s' * (len(names) > 1)} could slide on, as friction adds more to the load than it is made of")

    def restless(self) -> str:
        """Who kept Newton's method from converging, if that is known."""
        return ""
