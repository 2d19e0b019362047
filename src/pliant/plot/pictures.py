"""Pictures of a run: channels over time, the mechanism at one moment, and its motion as gif or mp4."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..report.display import in_notebook
from ..safe_files.hdf5 import check_target
from . import event_lines, films
from .colors import COLORS
from .scene import PLANES, Scene, scene, zigzag

if TYPE_CHECKING:
    from ..solution import Solution

MANY = 60             # bodies: beyond, lines are thin and joints not marked
LINES = 60            # of one plot
FRAMES = 300          # of one animation
LONGEST, SHORTEST = 10.0, 4.0  # s: how long an animation lasts unless the user says otherwise
ZOOM = 0.88           # of three-dimensional axes, where their labels have room
VIEWS = (*PLANES, "3d")
INK, PALE = "#333333", "#9a9a9a"


# -- channels over time
def plot(sol: Solution, channels: str | Sequence[str], path: str | Path | None = None, *,
         events: bool | str | Sequence[str] = False) -> Any:
    """Plot channels over time: one axis per unit, vectors by components. ``events``: mark what happened, True, or that of some items.
    Returns the figure, and writes it to ``path``."""
    patterns = [channels] if isinstance(channels, str) else list(channels)
    if not patterns:
        raise ValueError(f"plot: name at least one channel, such as {sol.channels[0]!r}; sol.channels lists them")
    happened = event_lines.chosen(sol, events) if events is not False else None
    columns = dict(sol.table(patterns))
    t = columns.pop("t")
    if len(columns) > LINES:
        raise ValueError(f"plot: {len(columns)} lines are too many to read, at most {LINES}; "
                         "name fewer channels or components (.x)")
    units = list(dict.fromkeys(sol.unit(name) for name in columns))
    crowded = any(sum(sol.unit(c) == u for c in columns) > 8 for u in units)
    fig, show = _figure((8.5 if crowded else 7.0, 1.0 + 2.4 * len(units)), path)
    axes = fig.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0]
    for ax, unit in zip(axes, units, strict=True):
        names = [name for name in columns if sol.unit(name) == unit]
        for k, name in enumerate(names):
            dash = ("-", "--", ":", "-.")[k // len(COLORS) % 4]
            ax.plot(t, columns[name], dash, color=COLORS[k % len(COLORS)], linewidth=1.2, label=name,
                    marker="o" if len(t) == 1 else None)
        ax.set_ylabel(_axis_label(names, unit))
        ax.grid(True, color="#e3e3e3", linewidth=0.6)
        ax.margins(x=0.01)
        _steady(ax, [columns[name] for name in names])
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0} if crowded else {}
        ax.legend(fontsize="small", frameon=not crowded, framealpha=0.85, ncols=2 if len(names) > 24 else 1, **place)
    if happened is not None:
        event_lines.draw(happened, axes, (float(t[0]), float(t[-1])))
    axes[-1].set_xlabel("t [s]")
    axes[0].set_title(sol.name, fontsize="medium", loc="left")
    return _finish(fig, path, show)


def _axis_label(names: list[str], unit: str) -> str:
    """The quantity or item if all lines share it, and the unit."""
    quantities = {next(w for w in reversed(name.split(".")) if w not in ("w", "x", "y", "z")) for name in names}
    shared = [words[0] for words in takewhile(lambda words: len(set(words)) == 1, zip(*(name.split(".") for name in names), strict=False))]
    word = (next(iter(quantities)) if len(quantities) == 1 else ".".join(shared)).replace("_", " ")
    return f"{word} [{unit}]".strip() if unit else word or "1"


def _steady(ax: Any, lines: list[np.ndarray]) -> None:
    """A constant with rounding errors is shown as a constant."""
    values = np.concatenate(lines)
    values = values[np.isfinite(values)]
    if values.size and np.ptp(values) <= 1e-12 * max(1e-300, float(abs(values).max())):
        middle = float(values.mean())
        ax.set_ylim(middle - (abs(middle) or 1.0) / 10, middle + (abs(middle) or 1.0) / 10)


# -- the mechanism
def snapshot(sol: Solution, path: str | Path | None = None, t: float | None = None, *, view: str | None = None,
             trace: str | Sequence[str] = (), size: tuple[float, float] = (6.4, 4.8), names: bool = False, deformation: float = 1.0,
             title: str | None = None) -> Any:
    """Draw the mechanism at time ``t`` [s] (default: the start), within the space that the whole motion needs.

    ``view``: "xy", "xz", "yz" or "3d", by default the plane of the motion if it has one. ``trace``: bodies or frames such as
    "crank.end" whose path up to t is drawn, as it is in the run. ``names``: of bodies and joints. ``deformation``: of flexible bodies,
    drawn so many times as large; joints stay together (`pliant.plot.connected`). ``title``: in place of the name and the time. Returns the
    figure, and writes it to ``path``.
    """
    first, last = float(sol.t[0]), float(sol.t[-1])
    moment = first if t is None else float(t)
    if not first - 1e-9 <= moment <= last + 1e-9:
        raise ValueError(f"snapshot: t = {moment:g} s is outside the run, which goes from {first:g} to {last:g} s")
    times = np.unique(np.append(np.linspace(first, last, min(FRAMES, len(sol.t))), moment))
    what = scene(sol, times, _words(trace), factor_of(deformation))
    fig, show = _figure(_size(size), path)
    stage = Stage(fig, what, _view(view, what), sol.name if title is None else title, names, timed=title is None)
    stage.draw(int(np.searchsorted(times, moment)))
    return _finish(fig, path, show)


def animate(sol: Solution, path: str | Path | None = None, *, fps: float = 25, speed: float | None = None,
            view: str | None = None, trace: str | Sequence[str] = (), size: tuple[float, float] = (6.4, 4.8),
            names: bool = False, deformation: float = 1.0, title: str | None = None) -> Any:
    """Animate the mechanism and write it to ``path`` (.gif or .mp4), or show it below the cell of a notebook or in a window.

    ``speed``: of the clock of the picture against ours; by default 1 where that makes 4 to 10 s, else what does. At most 300
    frames. ``view``, ``trace``, ``names``, ``deformation``, ``title`` as in `snapshot`. Returns the path; in a notebook a `Film`, which it
    shows; the matplotlib animation if it is shown in a window.
    """
    if not 1 <= fps <= 60:
        raise ValueError(f"animate: fps = {fps:g}, must be from 1 to 60")
    if speed is not None and not speed > 0:
        raise ValueError(f"animate: speed = {speed:g}, must be greater than zero; 0.5 is half as fast as it happens")
    target = None if path is None else Path(path)
    if target is not None and target.suffix.lower() not in (".gif", ".mp4"):
        raise ValueError(f"animate: {str(path)!r} must end in .gif or .mp4")
    if target is not None:
        check_target(target)
    executable = films.ffmpeg() if target is not None and target.suffix.lower() == ".mp4" else ""
    times, rate = _clock(float(sol.t[0]), float(sol.t[-1]), float(fps), speed)
    what = scene(sol, times, _words(trace), factor_of(deformation))
    fig, show = _figure(_size(size), path)
    stage = Stage(fig, what, _view(view, what), sol.name if title is None else title, names, timed=title is None)
    if target is None:
        return films.film(stage, rate) if show is None and in_notebook() else _play(stage, rate, show)
    if executable:
        films.write_mp4(stage, target, rate, executable)
    else:
        films.write_gif(stage, target, rate)
    return target


def _clock(first: float, last: float, fps: float, speed: float | None) -> tuple[np.ndarray, float]:
    """Times of the frames, and how many of them are shown per second."""
    length = last - first
    if length <= 0:
        return np.array([first]), fps
    if speed is None:
        speed = length / min(max(length, SHORTEST), LONGEST)
    count = max(2, round(length / speed * fps) + 1)
    if count > FRAMES:
        count, fps = FRAMES, max(1.0, fps * FRAMES / count)
    return np.linspace(first, last, count), fps


def _play(stage: Stage, fps: float, show: Any) -> Any:
    if show is None:
        raise ValueError("animate: there is no window to show it in; give a file such as path='run.gif'")
    from matplotlib.animation import FuncAnimation
    film = FuncAnimation(stage.fig, lambda i: stage.draw(i), frames=len(stage.scene.t), interval=1000 / fps)
    show()
    return film


class Stage:
    """A figure with the lines of a scene; `draw` moves them to one of its moments."""

    def __init__(self, fig: Any, scene: Scene, view: str, title: str, names: bool, timed: bool = True) -> None:
        import matplotlib
        self.fig, self.scene, self.view, self.title, self.timed = fig, scene, view, title, timed
        self.keep = (0, 1, 2) if view == "3d" else tuple("xyz".index(c) for c in view)
        self.across = None if view == "3d" else PLANES[view]
        with matplotlib.rc_context({"grid.color": "#e0e0e0", "grid.linewidth": 0.6}):
            self.ax = fig.add_subplot(projection="3d") if view == "3d" else fig.add_subplot()
        self.low, self.high = scene.bounds()
        self.size = float(np.linalg.norm(self.high - self.low)) or 1.0
        last = float(abs(scene.t).max())
        self.digits = int(np.clip(3 - np.floor(np.log10(last)), 0, 9)) if last > 0 else 0
        self._frame()
        self._lines(names)
        if view == "3d":
            self._fit()

    def _fit(self) -> None:
        """Smaller until axes and their labels are inside the picture; matplotlib does not see to it."""
        inside = self.fig.bbox.padded(-0.02 * self.fig.bbox.height)
        for zoom in np.arange(ZOOM, ZOOM / 2, -0.04):
            self.ax.set_box_aspect(self.half, zoom=zoom)
            self.fig.draw_without_rendering()
            boxes = (axis.get_tightbbox(self.fig.canvas.get_renderer()) for axis in (self.ax.xaxis, self.ax.yaxis, self.ax.zaxis))
            if all(inside.contains(b.x0, b.y0) and inside.contains(b.x1, b.y1) for b in boxes if b is not None):
                break

    def _line(self, **style: Any) -> Any:
        return self.ax.plot(*([] for _ in self.keep), **style)[0]

    def _lines(self, names: bool) -> None:
        colors = [COLORS[k % len(COLORS)] for k in range(len(self.scene.bodies))]
        used = list(dict.fromkeys(colors))
        self.groups = [[b for b, c in zip(self.scene.bodies, colors, strict=True) if c == color] for color in used]
        bar, dot = (4.5, 4.5) if len(self.scene.bodies) <= MANY else (2.0, 0.0)  # dots would hide many bodies
        self.guides = self._line(color=PALE, linewidth=0.9, linestyle=(0, (8, 4)), zorder=1)
        self.grounds = self._line(color=INK, marker=6, markersize=11, linestyle="", zorder=2)  # tip on the point
        self.links = self._line(color=INK, linewidth=1.2, zorder=3)
        self.springs = self._line(color="#555555", linewidth=1.1, zorder=3)
        self.traces = {name: self._line(color=INK, linewidth=0.8, linestyle=":", zorder=3) for name in self.scene.traces}
        self.thick = [self._line(color=c, linewidth=bar, solid_capstyle="round", zorder=4) for c in used]
        self.thin = [self._line(color=c, linewidth=1.4, solid_joinstyle="round", zorder=4) for c in used]
        self.fine = [self._line(color=c, linewidth=0.5, zorder=4) for c in used]
        self.dots = [self._line(color=c, marker="o", markersize=6, linestyle="", zorder=5) for c in used]
        self.pins = self._line(color="white", marker="o", markersize=dot, markeredgecolor=INK, markeredgewidth=dot / 4,
                               linestyle="", zorder=6)
        self.locks = self._line(color=INK, marker="s", markersize=1.5 * dot, linestyle="", zorder=6)
        self.heading = self.ax.set_title("", fontsize="medium", loc="left")
        self.labels: list[tuple[Any, np.ndarray]] = []
        if names:
            self.labels = [self._label(b.name, b.position, c, 6) for b, c in zip(self.scene.bodies, colors, strict=True)]
            self.labels += [self._label(n, p, INK, -12) for n, p in _together(self.scene.joints)]

    def _label(self, name: str, path: np.ndarray, color: str, above: float) -> tuple[Any, np.ndarray]:
        from matplotlib.patheffects import withStroke
        return self.ax.annotate(name, (0.0, 0.0), xytext=(6, above), textcoords="offset points", color=color, fontsize="small",
                                zorder=7, annotation_clip=False,
                                path_effects=[withStroke(linewidth=2, foreground="white")]), path

    def _frame(self) -> None:
        """Equal axes, around the whole motion, no side less than a quarter of the longest."""
        from matplotlib.ticker import MaxNLocator
        ax, k = self.ax, list(self.keep)
        low, high = self.low[k], self.high[k]
        longest = float((high - low).max()) or 1.0
        middle, half = (low + high) / 2, np.maximum(high - low, longest / 4) / 2 + 0.07 * longest
        for axis, m, h in zip("xyz", middle, half, strict=False):
            getattr(ax, f"set_{axis}lim")(m - h, m + h)
            getattr(ax, f"set_{axis}label")(f"{'xyz'[k['xyz'.index(axis)]]} [m]")
        if self.view != "3d":
            ax.set_aspect("equal")
            ax.grid(True, color="#e8e8e8", linewidth=0.6)
            ax.set_axisbelow(True)
            return
        up = "xyz"[self.scene.up]
        ax.view_init(elev=22, azim=-55, vertical_axis=up)
        self.half = half
        ax.set_proj_type("ortho")
        for axis, h in zip((ax.xaxis, ax.yaxis, ax.zaxis), half, strict=True):
            axis.labelpad = 12
            axis.set_pane_color((0.97, 0.97, 0.97, 1.0))
            axis.set_major_locator(MaxNLocator(nbins=max(2, round(4 * h / half.max())), steps=[1, 2, 5, 10]))

    def draw(self, i: int) -> None:
        """Show moment ``i``."""
        s = self.scene
        for k, group in enumerate(self.groups):
            for part in ("thick", "thin", "fine", "dots"):
                self._put(getattr(self, part)[k], [b.lines(part, i) for b in group])
        width = 0.035 * self.size
        self._put(self.springs, _broken([zigzag(a[i], b[i], width, self.across) for a, b in s.springs.values()]))
        holds = lambda name: name not in s.off or not s.off[name][i]  # noqa: E731
        self._put(self.links, _broken([np.array([a[i], b[i]]) for name, (a, b) in s.links.items() if holds(name)]))
        self._put(self.guides, _broken([np.array(g) for g in s.guides]))
        self._put(self.grounds, [s.grounds])
        self._put(self.pins, [p[i:i + 1] for name, p in s.joints.items() if holds(name)])
        self._put(self.locks, [p[i:i + 1] for name, p in s.joints.items() if name in s.locked and s.locked[name][i]])
        for name, line in self.traces.items():
            times, path = s.traces[name]
            self._put(line, [path[:np.searchsorted(times, s.t[i], "right")]])
        for text, path in self.labels:
            text.xy = self._flat(path[i])
        self.heading.set_text(f"{self.title}   t = {s.t[i]:.{self.digits}f} s" if self.timed else self.title)

    def _flat(self, point: np.ndarray) -> tuple[float, float]:
        """Where a point is on the paper, in data coordinates."""
        if self.view != "3d":
            return float(point[self.keep[0]]), float(point[self.keep[1]])
        from mpl_toolkits.mplot3d.proj3d import proj_transform
        x, y, _ = proj_transform(*point, self.ax.get_proj())
        return float(x), float(y)

    def frames(self) -> Iterator[np.ndarray]:
        """Pixels of every moment, shape (height, width, 4). Axes are painted once, only what moves is painted again."""
        canvas, everything = self.fig.canvas, [*self.ax.lines, *(text for text, _ in self.labels)]
        self.draw(0)
        canvas.draw()
        self.fig.set_layout_engine("none")  # as it is now, for all frames
        for artist in everything:
            artist.set_visible(False)
        self.heading.set_text("")
        canvas.draw()
        empty = canvas.copy_from_bbox(self.fig.bbox)
        for artist in everything:
            artist.set_visible(True)
        everything = sorted([*everything, self.heading], key=lambda artist: artist.get_zorder())
        for i in range(len(self.scene.t)):
            canvas.restore_region(empty)
            self.draw(i)
            for artist in everything:
                self.ax.draw_artist(artist)
            yield np.array(canvas.buffer_rgba())

    def _put(self, line: Any, pieces: list[np.ndarray]) -> None:
        points = np.vstack([np.zeros((0, 3)), *pieces])[:, list(self.keep)].T
        if self.view == "3d":
            line.set_data_3d(*points)
        else:
            line.set_data(*points)


def _broken(lines: list[np.ndarray]) -> list[np.ndarray]:
    return [part for line in lines for part in (line, np.full((1, 3), np.nan))]


def _together(joints: dict[str, np.ndarray]) -> list[tuple[str, np.ndarray]]:
    """Joints at one point get one label."""
    places: dict[bytes, list[str]] = {}
    for name, path in joints.items():
        places.setdefault((np.round(path, 9) + 0.0).tobytes(), []).append(name)
    return [(", ".join(names), joints[names[0]]) for names in places.values()]


def factor_of(deformation: Any) -> float:
    """How many times as large the deformation is drawn."""
    if isinstance(deformation, bool) or not isinstance(deformation, (int, float)) or not 0 <= deformation <= 1e6:
        raise ValueError(f"deformation = {deformation!r}, must be a number from 0 to 1e6; 1 is as it is")
    return float(deformation)


def _words(trace: str | Sequence[str]) -> tuple[str, ...]:
    return (trace,) if isinstance(trace, str) else tuple(trace)


def _view(view: str | None, what: Scene) -> str:
    if view is None:
        return what.view()
    if view not in VIEWS:
        raise ValueError(f"view {view!r} must be one of {', '.join(VIEWS)}")
    return view


def _size(size: tuple[float, float]) -> tuple[float, float]:
    if len(size) != 2 or not all(1 <= s <= 40 for s in size):
        raise ValueError(f"size {size!r} must be two numbers from 1 to 40: width and height in inches")
    return float(size[0]), float(size[1])


def _figure(size: tuple[float, float], path: str | Path | None) -> tuple[Any, Any]:
    """A figure, and what shows it: a plain one for a file or without a display, one of pyplot for a window."""
    if path is None:
        from matplotlib import pyplot as plt
        from matplotlib.backends.registry import BackendFilter, backend_registry
        if plt.get_backend().lower() in {b.lower() for b in backend_registry.list_builtin(BackendFilter.INTERACTIVE)}:
            return plt.figure(figsize=size, layout="constrained"), plt.show
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from .shown_figure import ShownFigure
    fig = ShownFigure(figsize=size, layout="constrained")
    FigureCanvasAgg(fig)
    return fig, None


def _finish(fig: Any, path: str | Path | None, show: Any) -> Any:
    if path is not None:
        known = fig.canvas.get_supported_filetypes()
        suffix = Path(path).suffix.lower().lstrip(".")
        if suffix not in known:
            raise ValueError(f"picture {str(path)!r}: its name must end in one of {', '.join(sorted('.' + k for k in known))}")
        fig.savefig(check_target(path), dpi=150)
    elif show is not None:
        show()
    return fig
