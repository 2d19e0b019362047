"""path(): equilibria of a model as its loads grow, and fall where they must, along a path."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..channel_values.observer import Observer
from ..compile import redundancy
from ..compile.compiled_model import CompiledModel
from ..items.base import did_you_mean
from ..items.errors import ModelError
from ..kernels.state_row import parts
from ..report.progress import display_of
from ..start.assembly import start_row
from .entries import path_options
from .loading import LOADS, Loading, without_loads
from .path_following import Follower, Lost, Point
from .tangent import load, new_row, refuse_what_moves_on

if TYPE_CHECKING:
    from ..model import Model
    from ..solution import Solution

ENERGIES = "energy."


class Critical:
    """A place where the path turns: ``kind`` ("limit point" or "branch point"), ``factor`` of the loads, ``index`` among the places."""

    def __init__(self, kind: str, factor: float, index: int) -> None:
        self.kind, self.factor, self.index = kind, factor, index

    def __repr__(self) -> str:
        return f"Critical({self.kind!r}, factor={self.factor:.6g}, index={self.index})"


class EquilibriumPath:
    """Equilibria along a path: ``path.factors``, and channels at all places, ``path["roof.top.position.y"]``, as arrays.

    ``critical``: limit points, where the factor turns, and branch points, where others begin, located. ``stable`` of every place: True,
    False, or None where loads turn with bodies. ``ended``: why it ends where it does. ``iterations``: the cost.
    """

    def __init__(self, d: CompiledModel, places: list[Point], loads: tuple[str, ...], gravity: bool, ended: str, iterations: int) -> None:
        self.dynamics, self.loads, self.ended, self.iterations = d, loads, ended, iterations
        self.gravity = gravity
        self.factors = np.array([p.at.part for p in places])
        self.stable = [None if p.negative is None else p.negative == 0 for p in places]
        self.critical = [Critical(p.kind, p.at.part, k) for k, p in enumerate(places) if p.kind]
        self.rows = np.vstack([_row(d, p) for p in places])
        self._observer = Observer(d, self.rows, np.zeros((len(places), 3)))

    @property
    def model(self) -> Model:
        model: Model = self.dynamics.model
        return model

    @property
    def limits(self) -> list[float]:
        """Factors at limit points, in the order of the path."""
        return [c.factor for c in self.critical if c.kind == "limit point"]

    @property
    def channels(self) -> list[str]:
        return [name for name in self._observer.catalogue if not name.startswith(ENERGIES)]

    def __getitem__(self, name: str) -> np.ndarray:
        """A channel at all places, or a component of one; of loads that grow, what they are there."""
        if name.startswith(ENERGIES):
            raise KeyError(f"a path has no channel {name!r}: loads that are brought on have no potential")
        channel, component = self._observer.split(name)
        values = self._observer(channel)
        if channel.rpartition(".")[0] in self.loads:
            values = (values.T * self.factors).T
        return np.asarray(values if component is None else values[:, component])

    def unit(self, name: str) -> str:
        return str(self._observer.catalogue[self._observer.split(name)[0]][0])

    def plot(self, channel: str, path: str | Path | None = None, **options: Any) -> Any:
        """The factor over a channel, see `pliant.plot.path_figure.path_figure`."""
        from .._facade import work_of
        return work_of("EquilibriumPath.plot")(self, channel, path, **options)

    def motion(self) -> Solution:
        """The places as a run, one a second, for pictures; energies are none."""
        from ..methods.integrators.choices import GeneralizedAlpha
        from ..solution import Quality, Solution
        rows = self.rows.copy()
        rows[:, 0] = np.arange(len(rows))
        return Solution(self.model, self.dynamics, rows, np.zeros((len(rows), 3)), Quality(0.0, 0.0, 0.0, 0, self.iterations, 0, 0),
                        complete=True, method=GeneralizedAlpha(), step=1.0, stride=1, memory={})

    def to_dict(self) -> dict[str, Any]:
        """Factors, critical places, and positions of bodies at all places."""
        names = [b.name for b in self.model.section("bodies")]
        return {"name": self.model.name, "loads": list(self.loads), "gravity": self.gravity, "factors": self.factors, "stable": self.stable,
                "critical": [{"kind": c.kind, "factor": c.factor, "index": c.index} for c in self.critical], "ended": self.ended,
                "iterations": self.iterations, "bodies": {n: {"position": self[f"{n}.position"]} for n in names}}

    def summary(self) -> str:
        """How it went, and the places where it turns."""
        from ..report.display import Text
        from ..report.tables import table
        grows = [*(["gravity"] if self.gravity else []), *self.loads]
        told = [f"path of equilibria of {self.model.name!r}", f"  loads         {', '.join(grows)}",
                f"  places        {len(self.factors)}, {self.iterations} iterations",
                f"  factors       {self.factors.min():.6g} to {self.factors.max():.6g}", f"  ended         {self.ended}"]
        if self.critical:
            rows = [(c.index, c.kind, c.factor) for c in self.critical]
            told += ["", table(("place", "what", "factor"), rows)]
        return Text("\n".join(told))

    __str__ = summary

    def __repr__(self) -> str:
        return f"EquilibriumPath({self.model.name!r}: {len(self.factors)} places, {len(self.critical)} critical)"


def _row(d: CompiledModel, p: Point) -> np.ndarray:
    """The state of a place, with the smallest multipliers where these are not unique."""
    row = new_row(d, 0.0, p.at.q, p.at.H, d.x.v)
    lam, rows = parts(row[None, :], d.system.q0.size, d.system.n)["lam"][0], redundancy.equations(d.system)
    lam[rows] = p.at.lam[rows]
    if rows.size and not d.unique_reactions:
        from ..kernels import evaluation
        d.x.q[:], d.x.H[:] = p.at.q, p.at.H
        d.x.D[:] = 0
        evaluation.run(d.system.program("tangent"), d.system.data, d.x, 0.0, 0.0, 0.0, 1.0)
        C = redundancy.jacobian(d.system, d.x.D)
        lam[rows] = redundancy.smallest(C, C.T @ lam[rows], d.unit[rows])
    return row


def path(model: Model, loads: Any = None, until: Any = None, stride: Any = None, points: Any = None,
         progress: Any = True) -> EquilibriumPath:
    """Equilibria from the assembled pose on, with the ``loads`` (names of forces and torques; default: all of them and gravity) times a
    factor that begins at 0 and grows, and falls where the path turns. All other loads act from the start.

    ``until``: the largest factor, either way (default 1). ``stride``: the longest step, as the root mean square over bodies of
    displacements in sizes of the model and of rotations [rad] (default 0.1). ``points``: the most places (default 200).
    """
    asked = {"loads": loads, "until": until, "stride": stride, "points": points}
    given = path_options({**model.analyses.get("path", {}), **{k: v for k, v in asked.items() if v is not None}})
    d = model.copy().compile(exact=True)
    start_row(d)
    refuse_what_moves_on(d)
    if d.system.states:
        item = d.system.states[0].name.rpartition(".")[0]
        raise ModelError(f"path: {item!r} has states, which loads that grow would have to wait for; take static or simulate", (item,))
    load(d, new_row(d, 0.0, d.x.q, d.x.H, d.x.v))
    names = _names(d, given["loads"])
    loading = Loading(d, 0.0, without_loads(d, None if given["loads"] is None else names))
    loading.part = 0.0
    start = loading.at()
    if not (loading.newton() and loading.lasting()):
        loading.go(start)
        if not loading.downhill(0.0):
            raise ModelError("path: no equilibrium was found to begin with, without the loads that grow; hold what can move freely, or "
                             "give a load that stays")
    return _followed(loading, names, given, display_of(progress, "path"))


def _followed(loading: Loading, names: tuple[str, ...], given: dict[str, Any], show: Any) -> EquilibriumPath:
    places, ended = list[Point](), ""
    follower = Follower(loading, given["stride"], given["until"])
    try:
        for place in follower.follow(given["points"]):
            places.append(place)
            show(float(len(places)), float(given["points"]))
        ended = (f"the factor is {places[-1].at.part:.6g}" if abs(places[-1].at.part) >= given["until"] else
                 f"there are {given['points']} places; take more points, or a longer stride")
    except Lost as error:
        if len(places) < 2:
            raise ModelError(f"path: it cannot be begun: {error}. Take a smaller stride, or hold what can move freely") from None
        ended = f"it was lost at the factor {places[-1].at.part:.6g}: {error}; take a smaller stride, or more elements"
    finally:
        show(float(given["points"]), float(given["points"]))
    return EquilibriumPath(loading.d, places, names, given["loads"] is None and loading.d.gravity > 0, ended, loading.iterations)


def _names(d: CompiledModel, wanted: list[str] | None) -> tuple[str, ...]:
    """Of the loads that grow."""
    s = d.system
    known = tuple(dict.fromkeys(s.owners[e] for f in LOADS for e in range(*s.families.get(f, (0, 0)))))
    for name in wanted or ():
        if name not in known:
            raise ModelError(f"path: loads: there is no force or torque {name!r}{did_you_mean(name, known)}")
    if not known and not (wanted is None and d.gravity > 0):
        raise ModelError("path: the model has no loads that could grow; add a Force or a Torque, or gravity")
    return known if wanted is None else tuple(wanted)
