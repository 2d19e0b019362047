"""The page: one file without a network, for a server, for a notebook, or with the runs inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .describe import Description
from .packing import to_text
from .service import Service
from .sources import SolutionSource
from .touching import channels_of

if TYPE_CHECKING:
    from ..solution import Solution

MARK = "<!-- pliant:runs -->"
ROWS = 2000  # of a run in a page
CHANNELS = 6 * 2**20  # bytes of channels put into a page that the user did not choose
DRAWN = 6 * 2**20  # bytes of channels that make its picture
FIRST = ("energy.",)  # channels that come first
OF_BODY = ("rotation", "angular_velocity", "angular_acceleration", "acceleration")  # of frames: left out, bodies have them


@lru_cache(maxsize=1)
def template() -> str:
    """The built page."""
    return (Path(__file__).parent / "page.html").read_text(encoding="utf-8")


def page_for(count: int, way: str) -> str:
    """A page that asks for ``count`` runs: of its "server", or of the notebook ("frame") around it."""
    return template().replace(MARK, f'<meta name="pliant-runs" content="{count}" data-way="{way}">')


def write_html(sols: Sequence[Solution], path: str | Path, *, rows: int = ROWS, channels: str | Sequence[str] | None = None) -> Path:
    """One file with the runs inside, see `Solution.to_html`."""
    from ..safe_files.hdf5 import check_target

    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"page {str(path)!r}: its name must end in .html")
    if rows < 2:
        raise ValueError(f"rows = {rows}, must be at least 2")
    target = check_target(path)
    labels = [f"{k + 1} {sol.name}" if len(sols) > 1 else "" for k, sol in enumerate(sols)]
    parts = [_embedded(sol, rows, channels, label) for sol, label in zip(sols, labels, strict=True)]
    scripts = "\n".join(f'<script class="pliant-run" type="text/plain">{part}</script>' for part in parts)
    target.write_text(template().replace(MARK, scripts), encoding="utf-8")
    return target


class _Thinned(SolutionSource):
    """Some rows of a run."""

    def __init__(self, sol: Solution, rows: int) -> None:
        super().__init__(sol)
        n = len(sol.t)
        self.kept = np.unique(np.linspace(0, n - 1, min(n, rows)).round().astype(int))

    def knows(self, name: str) -> bool:
        return name in self.sol.units  # more than are put into the page

    def count(self) -> int:
        return len(self.kept)

    def times(self, rows: slice) -> np.ndarray:
        return self.sol.t[self.kept[rows]]

    def read(self, names: Iterable[str], rows: slice) -> dict[str, np.ndarray]:
        if self.sol.stored is None and self.sol.dynamics is not None:
            from ..channel_values.observer import Observer

            observer = Observer(self.sol.dynamics, self.sol.rows[self.kept[rows]], self.sol.energies[self.kept[rows]])
            return {name: observer(name) for name in names}
        return {name: self.sol[name][self.kept[rows]] for name in names}


def _embedded(sol: Solution, rows: int, channels: str | Sequence[str] | None, label: str) -> str:
    source = _Thinned(sol, rows)
    service = Service(source, label)
    chosen = _chosen(source, channels)
    found = source.read(chosen, slice(0, None))
    extra: dict[str, np.ndarray] = {f"channel:{name}": np.ascontiguousarray(found[name].T, _kind(channels)) for name in chosen}
    drawn = [c for c in _drawn(service.description) if c in source.units and c not in chosen]
    for name, values in source.read(drawn[: DRAWN // (12 * len(source.kept))], slice(0, None)).items():
        extra[f"channel:{name}"] = np.ascontiguousarray(values.T, np.float32)
    source.units = {name: unit for name, unit in source.units.items() if name in chosen}
    return to_text(service.scene(shuffled=True, extra=extra))


def _drawn(d: Description) -> list[str]:
    """Channels of which the page makes its picture: whether joints hold, arrows of loads and of what touches."""
    found = [joint[key] for joint in d.joints for key in ("state", "locked") if key in joint]
    found += [f["channel"] for f in d.forces if f.get("channel")]
    return list(dict.fromkeys([*found, *(c for f in d.forces for arrow in f.get("arrows", ()) for c in channels_of(arrow))]))


def _kind(channels: object) -> type:
    """Channels that the user chose are kept in full."""
    return np.float32 if channels is None else np.float64


def _of_frame(channel: str, units: Mapping[str, str]) -> bool:
    """Whether a channel is that of a frame of a body, or of the ground; names of bodies may have points in them."""
    body = channel.rpartition(".")[0].rpartition(".")[0]
    return channel.startswith("ground.") or f"{body}.position" in units


def _chosen(source: SolutionSource, channels: str | Sequence[str] | None) -> list[str]:
    if channels is not None:
        patterns = [channels] if isinstance(channels, str) else list(channels)
        whole = [c if c in source.units else c.rpartition(".")[0] for c in source.sol.select(*patterns)] if patterns else []
        return list(dict.fromkeys(whole))
    left, chosen = CHANNELS, []
    frames = {c for c in source.units if _of_frame(c, source.units)}
    rank = sorted(source.units, key=lambda c: (not c.startswith(FIRST), c in frames, "acceleration" in c))
    for name in rank:
        if name in frames and name.endswith(OF_BODY):
            continue
        size = 4 * source.count() * (4 if name.endswith("rotation") else 3)
        if size <= left:
            chosen.append(name)
            left -= size
    return [c for c in source.units if c in set(chosen)]
