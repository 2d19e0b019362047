"""The part of a check that needs the compiled model: pose, loops and ranks, which checks of the later stages look at."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..compile.planar import normal_vector
from ..items.errors import ModelError
from ..kernels.state_row import parts
from ..report.finding import ERROR, NOTE, Finding
from ..start.assembly import start_row
from . import alignment, loops, meetings, mobility, start
from .findings import Report, sentence
from .frequencies import Settings
from .mechanism import Component, Mechanism
from .rank import analyse, elsewhere
from .registry import ASSEMBLED, CHECKS, MODELLED, RANKED, REFUSED, RUN, add_code

if TYPE_CHECKING:
    from ..model import Model

add_code("cannot-start", "no consistent initial state")
add_code("rank-not-analysed", "a mechanism too large for the analysis of its joints")
OF_THE_START = "joint-gap", "impossible-assembly", "drive-start"  # they say why nothing starts


def refusal(error: Exception) -> tuple[str, tuple[str, ...]]:
    """Why a model cannot be used, and the items that are named for it."""
    return (str(error), error.items) if isinstance(error, ModelError) else (f"{type(error).__name__}: {error}", ())


class Examination:
    """A compiled model under examination. ``q``: the pose where the run begins, ``row`` its state (None if it cannot
    begin); ``mechanism``: its equations there, in the plane for plane models, ``space``: those in space."""

    def __init__(self, model: Model, dynamics: CompiledModel, settings: Settings, report: Report,
                 told: list[Finding]) -> None:
        self.model, self.dynamics, self.settings, self.report = model, dynamics, settings, report
        self.off = {item for f in told for item in f.items}  # out of the plane: of these enough is said
        self.wrong = any(f.severity == ERROR for f in told)
        self.normal = None if model.planar is None else normal_vector(model.planar)
        self.mechanism = Mechanism(dynamics, self.normal)
        self.space = self.mechanism if self.normal is None else Mechanism(dynamics)
        self.refusal: tuple[str, tuple[str, ...]] = "", ()
        self.row = self._start()
        self.tree, self.components = self.mechanism.components()
        self.q, self.complete = dynamics.system.q0, True   # complete: all joints are analysed
        self.loops: list[loops.Loop] = []
        self.misaligned: list[tuple[loops.Loop, Finding, Model]] = []
        self.meetings: list[meetings.Meeting] = []         # of contacts, where the run begins

    @property
    def starts(self) -> bool:
        return self.row is not None

    @property
    def locked(self) -> set[int]:
        """Loops (by id) that axes out of line lock: what has other reasons is seen when the axes are aligned."""
        return {id(loop) for loop, finding, _ in self.misaligned if finding.severity == ERROR}

    @property
    def free(self) -> list[loops.Loop]:
        """The others."""
        return [loop for loop in self.loops if id(loop) not in self.locked]

    def _start(self) -> np.ndarray | None:
        """Consistent initial values; None, and the refusal, if there are none."""
        try:
            return start_row(self.dynamics)
        except Exception as error:  # a user's function may raise anything
            self.refusal = refusal(error)
            return None

    def findings(self) -> list[Finding]:
        """Stage by stage."""
        self.q, hopeless, found = start.assembly(self.mechanism, self.components, self.starts)
        found += self._checked(MODELLED)
        if self.row is not None:  # where the run begins: moved by start values and drives
            self.q = parts(self.row[None, :], self.dynamics.system.q0.size, self.dynamics.system.n)["q"][0]
        self._pose()
        found += self._checked(ASSEMBLED)
        skipped = self._analyse([c for c in self.components if not hopeless & {b.name for b in c.blocks}])
        found += skipped
        self.complete = not (skipped or hopeless)
        if self.complete:
            mobility.count(self.report, self.mechanism, self.tree, self.loops)
            told = ((loop, alignment.misaligned_loop(self, loop)) for loop in self.loops)
            self.misaligned = [(loop, *found) for loop, found in told if found]
        self._pose()
        self.meetings = list(meetings.meetings(self))
        self.report.contacts = {met.item.name: str(met) for met in self.meetings}
        found += self._checked(RANKED)
        found += self._refused(found) if not self.starts else []
        found += self._checked(RUN)
        return found

    def _checked(self, stage: str) -> list[Finding]:
        return [finding for look in CHECKS[stage] for finding in look(self)]

    def _pose(self) -> None:
        self.mechanism.at(self.q)
        self.space.at(self.q)

    def _refused(self, found: list[Finding]) -> list[Finding]:
        """Why the model does not start, unless that is said."""
        self.space.at(self.q)
        more = [] if any(f.code in OF_THE_START for f in found) else self._checked(REFUSED)
        if not self.wrong and not any(f.severity == ERROR for f in (*found, *more)):
            message, about = self.refusal
            items = tuple(name for name in about if name in self.model.items)[:1]
            more.append(Finding("cannot-start", ERROR, items, sentence(message),
                                "Without a consistent initial state nothing can run; correct this first."))
        return more

    def _analyse(self, components: list[Component]) -> list[Finding]:
        """Ranks of all loops, here and nearby; a note for those that are too large."""
        skipped = list[Finding]()
        for component in components:
            rank = analyse(self.mechanism, component)
            if rank is None:
                skipped.append(_too_large(component))
                continue
            nearby = elsewhere(self.mechanism, component, rank, self.q)
            for each in (rank, *nearby):
                each.dependencies = [d for d in each.dependencies
                                     if d.block.kind != "drive" or d.block.name not in self.off]
            self.loops.append(loops.Loop(component, rank, nearby))
        self.report.not_unique, _ = loops.reactions(self.loops)
        return skipped


def _too_large(component: Component) -> Finding:
    joints = tuple(b.name for b in component.blocks)
    return Finding("rank-not-analysed", NOTE, (), f"{len(joints)} joints and drives, "
                   f"from {joints[0]!r} to {joints[-1]!r}, form loops "
                   "with too many equations for the analysis of redundancy; degrees of freedom are not counted.",
                   "Check a smaller model of the same kind.")
