"""static(): the equilibrium of a model, as a result with channels; and the start of a run in equilibrium."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compile import redundancy
from ..compile.compiled_model import CompiledModel
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.state_row import parts
from ..start.assembly import start_row
from .entries import TOLERANCE, static_options
from .loading import Loading
from .settling import Balance, NotSettled, Settling
from .stability import Stability, by_all_motions, by_softest_motions
from .tangent import load, new_row

if TYPE_CHECKING:
    from ..model import Model
    from ..solution import Solution

FULL = 900             # velocities up to which matrices may be full where nothing else leads anywhere
DENSE = 300            # velocities up to which all free motions are looked at
STEPS = (8, 40)        # load steps tried when the whole load at once leads nowhere


class Static:
    """An equilibrium: ``st["spring.force"]``, ``st.position("rod")``, ``st.stable``, ``print(st)``.

    ``stable``: True, False (a small push drives it away), or None if it can move without resistance; ``free`` says how it can then.
    ``stiffness``: the smallest one [J], against the motion whose largest part is 1 rad or 1 size of the model. ``iterations``,
    ``load_steps``: the cost.
    """

    def __init__(self, d: CompiledModel, row: np.ndarray, told: Stability, iterations: int, load_steps: int) -> None:
        self.dynamics, self.row = d, row
        self.iterations, self.load_steps = iterations, load_steps
        self.unbalanced, self.stiffness, self.degrees_of_freedom = told.unbalanced, told.stiffness, told.degrees_of_freedom
        self.free, self.falls, self.stable = told.free, told.falls, told.stable

    @property
    def model(self) -> Model:
        model: Model = self.dynamics.model
        return model

    @property
    def solution(self) -> Solution:
        """As a run of one row, for pictures, files and channels."""
        if not hasattr(self, "_solution"):
            from ..methods.integrators.choices import GeneralizedAlpha
            from ..solution import Quality, Solution
            d = self.dynamics
            load(d, self.row)
            d.x.E[:] = 0
            evaluation.run(d.system.program("energy"), d.system.data, d.x, float(self.row[0]), 0.0, 0.0, 0.0)
            quality = Quality(max(d.gaps(float(self.row[0])).values(), default=0.0), 0.0, 0.0, 0, self.iterations, 0, 0,
                              unique_reactions=d.unique_reactions)
            self._solution = Solution(d.model, d, self.row[None, :].copy(), d.x.E[None, :3].copy(), quality, complete=True,
                                      method=GeneralizedAlpha(), step=1.0, stride=1, memory={})
        return self._solution

    @property
    def channels(self) -> list[str]:
        return self.solution.channels

    def __getitem__(self, name: str) -> Any:
        """A channel: a number, or an array of three."""
        value = self.solution[name][0]
        return float(value) if np.ndim(value) == 0 else value

    def position(self, name: str) -> np.ndarray:
        """Of a body or a frame of one [m], world axes."""
        return np.asarray(self[f"{name}.position"])

    def snapshot(self, path: str | Path | None = None, **options: Any) -> Any:
        """Draw the equilibrium, see `pliant.plot.pictures.snapshot`."""
        return self.solution.snapshot(path, **options)

    def save(self, path: str | Path) -> None:
        """Write an HDF5 file, which `pliant.load` reads as a run of one row."""
        self.solution.save(path)

    def to_dict(self) -> dict[str, Any]:
        """Facts and the channels that differ from zero or place bodies."""
        names = [b.name for b in self.model.section("bodies")]
        d = self.dynamics.directory
        forces = [c for c in self.channels if c.rpartition(".")[0] in {*d.joints, *d.drives, *d.forces, *d.measures}
                  and not c.endswith(("_rate", ".rate", ".power", "_joint", "velocity"))]
        return {"name": self.model.name, "stable": self.stable, "free": self.free, "falls": self.falls, "stiffness": self.stiffness,
                "degrees_of_freedom": self.degrees_of_freedom, "unbalanced": self.unbalanced, "iterations": self.iterations,
                "load_steps": self.load_steps, "unique_reactions": self.dynamics.unique_reactions,
                "bodies": {n: {"position": self[f"{n}.position"], "rotation": self[f"{n}.rotation"]} for n in names},
                "channels": {c: self[c] for c in forces}}

    def summary(self) -> str:
        """Whether it is stable, where the bodies are, and what acts between them, as text."""
        from ..report.display import Text
        from ..report.tables import table
        lines, tables = self._told()
        told = [f"equilibrium of {self.model.name!r}", *(f"  {k:<13} {v}" for k, v in lines)]
        return Text("\n".join(told + [line for head, rows in tables for line in ("", table(head, rows))]))

    def _repr_html_(self) -> str:
        from ..report.display import facts, html_table, page
        lines, tables = self._told()
        return page(f"equilibrium of {self.model.name!r}", facts(lines), *(html_table(head, rows) for head, rows in tables))

    def _told(self) -> tuple[list[tuple[str, str]], list[tuple[tuple[str, ...], list[tuple[Any, ...]]]]]:
        """Facts, and tables of bodies and channels: heads and rows."""
        data = self.to_dict()
        state = {True: "stable", False: f"unstable; it falls ({', '.join(self.falls)})",
                 None: f"neither stable nor unstable: nothing resists {', '.join(self.free)}"}[self.stable]
        if not self.degrees_of_freedom:
            state = "joints and drives hold everything"
        lines = [("state", state), ("balance", f"to {self.unbalanced:.2g} of the largest force, {self.iterations} iterations"
                                    + (f", {self.load_steps} load steps" if self.load_steps > 1 else ""))]
        if not data["unique_reactions"]:
            lines.append(("reactions", "not unique (redundant joints): the smallest ones are given"))
        tables: list[tuple[tuple[str, ...], list[tuple[Any, ...]]]] = [
            (("body", "position [m]", "rotation (quaternion)"),
             [(n, tuple(b["position"]), tuple(b["rotation"])) for n, b in data["bodies"].items()])]
        rows = [(c, tuple(v) if np.ndim(v) else v, self.solution.unit(c)) for c, v in data["channels"].items()]
        return lines, tables + ([(("channel", "value", "unit"), rows)] if rows else [])

    __str__ = summary

    def __repr__(self) -> str:
        return f"Static({self.model.name!r}: stable {self.stable}, {len(self.channels)} channels)"


def static(model: Model, load_steps: Any = None, tolerance: Any = None) -> Static:
    """The equilibrium of a model near its assembled pose, at rest, with drives where they are at t = 0.

    ``load_steps``: gravity and loads (Force, Torque) are brought on in so many steps; default: at once, and in steps if that leads
    nowhere. ``tolerance``: of unbalanced forces, relative to the largest force (the last digits are taken anyway).
    """
    asked = {"load_steps": load_steps, "tolerance": tolerance}
    given = {**model.analyses.get("static", {}), **{k: v for k, v in asked.items() if v is not None}}
    d = model.copy().compile(exact=True)
    start_row(d)
    return settled(d, **static_options(given))


def settled(d: CompiledModel, load_steps: int | None = None, tolerance: float = TOLERANCE) -> Static:
    """The equilibrium near the assembled position in memory."""
    search = Settling(d, 0.0, tolerance)
    loading = None if search.states or not (d.directory.beams or d.system.n_v > DENSE) else Loading(d, search.t, search.unloaded)
    if loading is not None and (loading.bring(load_steps or 1) or loading.downhill()):
        told, iterations, steps = _told(loading), loading.iterations, loading.steps
    else:
        told, iterations, steps = _downhill(search, load_steps, loading)
        if loading is not None:
            loading.refuse_strained()
    row = new_row(d, 0.0, d.x.q, d.x.H, d.x.v)
    C, rows = redundancy.jacobian(d.system, d.x.D), redundancy.equations(d.system)  # reactions are in memory now
    lam = parts(row[None, :], d.system.q0.size, d.system.n)["lam"][0]
    lam[rows] = redundancy.smallest(C, C.T @ d.x.lam[rows], d.unit[rows]) if rows.size else 0
    d.unique_reactions = d.redundant() == 0
    return Static(d, row, told, iterations, steps)


def _told(loading: Loading) -> Stability:
    """Of the position in memory, with its reactions."""
    d = loading.d
    if d.system.n_v > DENSE:
        told = by_softest_motions(d, loading, loading.acting())
        loading.linearise()
        return told
    return by_all_motions(d, Settling(d, loading.t, TOLERANCE).balance())


def _downhill(search: Settling, load_steps: int | None, loading: Loading | None) -> tuple[Stability, int, int]:
    """From the start; an equilibrium that does not last is taken where nothing else is found."""
    steps = load_steps or 1
    done = loading.iterations if loading is not None else 0
    if loading is not None and search.d.system.n_v > FULL:
        if loading.fallen is None:
            raise NotSettled(f"no equilibrium was found in {loading.iterations} iterations, neither in load steps nor downhill. "
                             f"{search.remedy}")
        loading.go(loading.fallen)
        return _told(loading), loading.iterations, loading.steps
    search.again()
    try:
        b = _loaded(search, steps)
    except NotSettled as error:
        if loading is not None and loading.fallen is not None:
            loading.go(loading.fallen)
            return _told(loading), loading.iterations, loading.steps
        if load_steps is not None:
            raise
        b, steps = _in_more_steps(search, error)
    return by_all_motions(search.d, b), done + search.iterations, steps


def _loaded(search: Settling, steps: int) -> Balance:
    for k in range(steps):
        search.part = (k + 1) / steps
        b = search.settle()
    return b


def _in_more_steps(search: Settling, why: NotSettled) -> tuple[Balance, int]:
    """With the loads brought on slowly; what the whole load led to is told if that does not help."""
    for steps in STEPS:
        search.again()
        try:
            return _loaded(search, steps), steps
        except NotSettled:
            continue
    raise why


def start_in_equilibrium(d: CompiledModel) -> np.ndarray:
    """The row of a run that begins in equilibrium: that position, at rest but for what drives do."""
    moving = [name for name, said in d.directory.stated.items() if any(said.which) and abs(said.values).max() > 0]
    moving += [name for name, j in d.directory.joints.items() if any(k.endswith("_rate") and v for k, v in j.stated.items())]
    if moving:
        raise ModelError(f"simulate: start: static begins at rest, but {moving[0]!r} states a velocity at the start; leave the velocity "
                         "out, or start as assembled")
    found = static(d.model)
    start = new_row(d, 0.0, *(parts(found.row[None, :], d.system.q0.size, d.system.n)[k][0] for k in "qHv"))
    d.refine(start[None, :])
    d.x.q[:] = parts(start[None, :], d.system.q0.size, d.system.n)["q"][0]
    return start
