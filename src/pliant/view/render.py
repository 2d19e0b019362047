"""Still pictures and films with shaded surfaces, without a display, by pyvista (extra ``video``).
Lines and dots: `pliant.plot.pictures`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..items.base import matrix_of
from ..plot.pictures import _clock, factor_of
from .describe import Description
from .sources import SolutionSource
from .surfaces import Motion, Surface, at, enlarged_motion, surfaces

if TYPE_CHECKING:
    from ..solution import Solution

STILLS, FILMS = (".png", ".jpg"), (".gif", ".mp4")


def render(
    sol: Solution,
    path: str | Path,
    t: float | None = None,
    *,
    size: tuple[int, int] = (1280, 800),
    fps: float = 25,
    speed: float | None = None,
    color_by: str = "body",
    deformation: float = 1.0,
) -> Path:
    """A picture (.png, .jpg) at time ``t`` (default: the start), or a film (.gif, .mp4) of the whole run. ``color_by``: "body", or
    "displacement" of flexible bodies. ``fps``, ``speed`` and ``deformation`` as in `pliant.plot.pictures.animate`."""
    from ..safe_files.hdf5 import check_target

    suffix = Path(path).suffix.lower()
    if suffix not in STILLS + FILMS:
        raise ValueError(f"render: {str(path)!r} must end in {', '.join(STILLS + FILMS)}")
    if color_by not in ("body", "displacement"):
        raise ValueError(f"render: color_by {color_by!r} must be body or displacement")
    first, last = float(sol.t[0]), float(sol.t[-1])
    if t is not None and not first <= t <= last:
        raise ValueError(f"render: t = {t:g} s is outside the run, which goes from {first:g} to {last:g} s")
    target, pv = check_target(path), _pyvista()
    times, rate = (np.array([first if t is None else t]), fps) if suffix in STILLS else _clock(first, last, float(fps), speed)
    stage = _Stage(sol, times, size, color_by, factor_of(deformation), pv)
    if suffix in STILLS:
        stage.show(0)
        stage.plotter.screenshot(str(target))
    else:
        stage.plotter.open_gif(str(target), fps=int(rate)) if suffix == ".gif" else stage.plotter.open_movie(
            str(target), framerate=int(rate)
        )
        for row in range(len(times)):
            stage.show(row)
            stage.plotter.write_frame()
    stage.plotter.close()
    return target


def _pyvista() -> Any:
    try:
        return import_module("pyvista")
    except ImportError:
        raise ImportError("render needs pyvista: pip install pliant[video]; sol.animate and sol.snapshot draw without it") from None


class _Stage:
    """Surfaces of a run at some moments, in a window that is not shown."""

    def __init__(self, sol: Solution, times: np.ndarray, size: tuple[int, int], color_by: str, factor: float, pv: Any) -> None:
        from ..plot.scene import nearest

        source = SolutionSource(sol)
        self.parts: list[Surface] = [p for p in surfaces(source) if len(p.cells)]
        rows = nearest(sol.t, times)
        self.moved, self.factor = _at_rows(source, self.parts, rows), factor
        self.plotter = pv.Plotter(off_screen=True, window_size=list(size))
        self.plotter.set_background("#e4e9ef", top="#fbfcfd")
        self.by_value = color_by == "displacement"
        most = max(
            (float(np.linalg.norm(p.psi @ q, axis=1).max()) for p in self.parts if p.psi is not None for q in self.moved.modal[p.name]),
            default=0.0,
        )
        if factor != 1:
            self.moved = enlarged_motion(source, self.moved, rows, factor)
        self.meshes, self.actors = [], []
        for part in self.parts:
            mesh = pv.PolyData(part.points.copy(), np.column_stack([np.full(len(part.cells), 3), part.cells]).ravel())
            self.meshes.append(mesh)
            if self.by_value and part.psi is not None:
                mesh["displacement [m]"] = np.zeros(len(part.points))
                look = {"scalars": "displacement [m]", "cmap": "viridis", "clim": (0.0, most or 1.0)}
            else:
                look = {"color": "#aab2bc" if self.by_value else part.color}
            rigid = {"smooth_shading": True, "split_sharp_edges": True} if part.psi is None else {}  # normals of what deforms change
            self.actors.append(self.plotter.add_mesh(mesh, **look, **rigid))
        self._look(Description(source))

    def _look(self, d: Description) -> None:
        """From the front for plane motions, else from a corner."""
        up, middle = np.array(d.header["up"]), (d.low + d.high) / 2
        side = {"xy": (0.22, 0.16, 1.0), "xz": (0.22, -1.0, 0.16), "yz": (1.0, 0.22, 0.16)}.get(d.plane)
        way = np.array(side) if side else (np.array([0.75, -1.0, 0.55]) if abs(up[2]) > 0.5 else np.array([0.75, 0.55, 1.0]))
        self.plotter.camera_position = [tuple(middle + 2.2 * d.size * way / np.linalg.norm(way)), tuple(middle), tuple(up)]
        self.plotter.camera.view_angle = 30
        low, high = d.low, d.high
        self.plotter.reset_camera(bounds=(low[0], high[0], low[1], high[1], low[2], high[2]), render=False)

    def show(self, row: int) -> None:
        for part, mesh, actor in zip(self.parts, self.meshes, self.actors, strict=True):
            if part.psi is None:
                T = np.eye(4)
                T[:3, :3], T[:3, 3] = matrix_of(self.moved.rotation[part.name][row]), self.moved.position[part.name][row]
                actor.user_matrix = T
                continue
            mesh.points, u = at(part, self.moved, row)
            if "displacement [m]" in mesh.array_names:
                mesh["displacement [m]"] = np.linalg.norm(u, axis=1) / (self.factor or 1.0)
        self.plotter.add_text(f"t = {self.moved.t[row]:.4g} s", font_size=9, color="#2a3038", name="clock")


def _at_rows(source: SolutionSource, parts: list[Surface], rows: np.ndarray) -> Motion:
    pick: dict[str, dict[str, np.ndarray]] = {"position": {}, "rotation": {}, "modal": {}}
    for part in parts:
        for quantity, found in pick.items():
            if quantity != "modal" or part.psi is not None:
                found[part.name] = source.sol[f"{part.name}.{quantity}"][rows]
    return Motion(source.sol.t[rows], pick["position"], pick["rotation"], pick["modal"])
