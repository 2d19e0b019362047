"""campbell(): frequencies over the speed of rotation, each about the steady state of its speed, followed from speed to speed."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._facade import work_of
from ..items.errors import ModelError
from ..report.progress import display_of
from ..report.tables import table
from ..start.assembly import start_row
from .entries import number_of, speeds_of
from .linearisation import Linearisation
from .modes import Modes
from .speeds import AtSpeeds
from .tangent import motion_in_words, turning
from .turning import steady_state

if TYPE_CHECKING:
    from ..model import Model

FEW = 10             # branches, if the user does not say how many
ALIKE = 0.6          # correlation of shapes at neighbouring speeds below which speeds between them are looked at
DEEPEST = 4          # how often an interval of speeds is halved for that
SAME = 1e-6          # relative: frequencies of shapes that mix freely
CIRCLES = 0.5        # of the energy: a shape that goes round, rather than to and fro
SHOWN = 8            # branches in a text
FORWARD, BACKWARD = "forward", "backward"


class At(NamedTuple):
    """Oscillations at one speed: eigenvalues s [rad/s], shapes (rows, complex) and the same times the masses, how each goes round."""
    speed: float
    s: np.ndarray
    shapes: np.ndarray
    heavy: np.ndarray
    whirl: list[str]
    words: list[str]
    note: str

    def alike(self, other: At) -> np.ndarray:
        """|a.M b|^2 / (a.M a)(b.M b) of all pairs                                                   [campbell-1]"""
        both = abs(self.shapes.conj() @ other.heavy.T) ** 2
        own = np.einsum("ij,ij->i", self.shapes.conj(), self.heavy).real
        others = np.einsum("ij,ij->i", other.shapes.conj(), other.heavy).real
        return np.asarray(both / np.maximum(np.outer(own, others), 1e-300))


    def holds(self, other: At, i: int, these: np.ndarray) -> float:
        """How much of the energy of another's shape i is in the span of these shapes."""
        a, basis = other.shapes[i], self.shapes[these]
        inner = self.heavy[these].conj() @ a
        held = np.linalg.lstsq(basis.conj() @ self.heavy[these].T, inner, rcond=1e-12)[0]
        return float((inner.conj() @ held).real / max(float((a.conj() @ other.heavy[i]).real), 1e-300))


class Campbell:
    """Oscillations over ``speeds`` [rad/s]: ``eigenvalues`` s [rad/s], ``frequencies`` Im s / 2 pi [Hz], ``damping`` -Re s / |s| and
    ``whirl`` ("forward", "backward" as seen from outside, or ""), one row for every branch, one column for every speed; nan where a branch
    is no oscillation. Frequencies are those seen in the axes of `Modes`: of flexible rotors in axes that turn, else in fixed ones.

    ``words``: what moves most in each branch; ``notes``: of speeds at which the frequencies are doubtful.
    """

    def __init__(self, model: Model, found: list[At], wanted: np.ndarray, n: int | None) -> None:
        asked = [k for k, at in enumerate(found) if at.speed in wanted]
        ats = [found[k] for k in asked]
        branches = [[numbers[k] for k in asked] for numbers in follow(found)]
        lines = [[None if i is None else (at, i) for at, i in zip(ats, numbers, strict=True)] for numbers in branches]
        lines = [line for line in lines if any(x and x[0].s[x[1]] != 0 for x in line)]
        lines = sorted(lines, key=_beginning)[:n or FEW]
        self.model, self.speeds = model, np.array([at.speed for at in ats])
        self.eigenvalues = np.array([[x[0].s[x[1]] if x else np.nan for x in line] for line in lines], complex).reshape(-1, len(ats))
        self.whirl = [[x[0].whirl[x[1]] if x else "" for x in line] for line in lines]
        self.words = [next(x[0].words[x[1]] for x in line if x) for line in lines]
        self.notes = {at.speed: at.note for at in ats if at.note}

    @property
    def frequencies(self) -> np.ndarray:
        return np.asarray(self.eigenvalues.imag / (2 * np.pi))

    @property
    def damping(self) -> np.ndarray:
        size = abs(self.eigenvalues)
        return np.asarray(np.divide(-self.eigenvalues.real, size, out=np.zeros_like(size), where=size > 0))

    def crossings(self, order: float = 1.0) -> list[tuple[float, int]]:
        """(speed [rad/s], branch) where a branch has ``order`` times the frequency of rotation, between speeds on straight lines."""
        out = []
        for branch, line in enumerate(self.frequencies - order * self.speeds / (2 * np.pi)):
            for k in np.flatnonzero(np.sign(line[:-1]) * np.sign(line[1:]) < 0):
                part = line[k] / (line[k] - line[k + 1])
                out.append((float(self.speeds[k] + part * (self.speeds[k + 1] - self.speeds[k])), branch))
            out += [(float(self.speeds[k]), branch) for k in np.flatnonzero((line == 0) & (self.speeds != 0))]
        return sorted(out)

    def plot(self, path: str | Path | None = None, orders: Any = (1, 2, 3)) -> Any:
        """Frequencies over speed, with lines of the orders of rotation; see `pliant.plot.campbell_figure.campbell_figure`."""
        return work_of("Campbell.plot")(self, path, orders)

    def to_dict(self) -> dict[str, Any]:
        """All numbers; None where a branch is no oscillation."""
        def plain(row: np.ndarray) -> list[float | None]:
            return [float(x) if np.isfinite(x) else None for x in row]
        branches = [{"largest": self.words[b], "frequency": plain(self.frequencies[b]), "damping": plain(self.damping[b]),
                     "whirl": self.whirl[b]} for b in range(len(self.eigenvalues))]
        return {"name": self.model.name, "speeds": self.speeds, "branches": branches, "critical": self.crossings(),
                "notes": {f"{speed:g}": note for speed, note in self.notes.items()}}

    def summary(self) -> str:
        """A table of frequencies [Hz] by speed, and where they meet the first order."""
        shown, letter = range(min(SHOWN, len(self.eigenvalues))), {FORWARD: " f", BACKWARD: " b", "": ""}
        rows = [(f"{speed:.6g}{' ?' if speed in self.notes else ''}",
                 *(f"{f:.6g}{letter[self.whirl[b][k]]}" if np.isfinite(f := self.frequencies[b, k]) else "-" for b in shown))
                for k, speed in enumerate(self.speeds)]
        lines = [f"frequencies of {self.model.name!r} over speed [Hz], {len(self.eigenvalues)} branches (f, b: whirl forward, backward)",
                 *(f"  WARNING: at {speed:g} rad/s {note}" for speed, note in self.notes.items()), "",
                 table(("speed [rad/s]", *(str(b) for b in shown)), rows), ""]
        lines += [f"  {b}: {self.words[b]}" for b in shown]
        if len(self.eigenvalues) > SHOWN:
            lines.append(f"  and {len(self.eigenvalues) - SHOWN} more, which to_dict() and the figure have")
        lines += [f"  critical: {speed:.6g} rad/s, branch {b}" for speed, b in self.crossings()]
        return "\n".join(lines)

    __str__ = summary

    def __repr__(self) -> str:
        return f"Campbell({self.model.name!r}: {len(self.eigenvalues)} branches at {self.speeds.size} speeds)"


def _beginning(line: list[tuple[At, int] | None]) -> tuple[float, float]:
    """Of a branch: the first speed, and the frequency there."""
    at, i = next(x for x in line if x)
    return at.speed, float(at.s[i].imag)


# -- one speed
def at_speed(model: Model, speed: float) -> At:
    """The oscillations of a model about its steady rotation; motions without stiffness count as frequency zero."""
    d = model.compile(exact=True)
    try:
        lin = Linearisation(d, steady_state(d, start_row(d)))
    except ModelError as error:
        raise ModelError(f"campbell: at {speed:g} rad/s {error}") from error
    modes = Modes(lin, None)
    kept = np.flatnonzero((modes.eigenvalues.imag > 0) | modes.rigid)
    shapes, s = modes.motions[kept], modes.eigenvalues[kept]
    words = [": ".join(motion_in_words(d, shape.real)) for shape in shapes]
    return At(speed, s, shapes, shapes @ lin.tangent.M.T, whirls(lin, s, shapes), words, lin.note() if modes.doubtful else "")


def whirls(lin: Linearisation, s: np.ndarray, shapes: np.ndarray) -> list[str]:
    """Of a shape that goes round the axis e: in which sense, as seen from outside; the part of its energy that does

        Im(a.M (e x a)) / (a.M a) across the axis, > 0 forward in the axes of the shape              [campbell-2]
    """
    t = lin.tangent
    w = lin.W if lin.W.any() else max(t.w, key=lambda x: float(np.linalg.norm(x)))
    rate = float(np.linalg.norm(w))
    if not rate:
        return [""] * len(s)
    E = np.tile(w / rate, (len(t.w), 1))
    cross = turning(lin.d, E, E)
    out, W = [], float(np.linalg.norm(lin.W))
    for k, a in enumerate(shapes):
        round_, across = cross @ a, cross @ cross @ a
        size = float((across.conj() @ t.M @ across).real)
        part = float((across.conj() @ t.M @ -round_).imag) / size if size > 1e-9 * float((a.conj() @ t.M @ a).real) else 0.0
        mixed = bool((abs(np.delete(s, k) - s[k]) <= SAME * abs(s[k])).any())
        forward = part > 0 or s[k].imag < W       # what falls behind turning axes more slowly than they turn still goes forward
        out.append("" if mixed or abs(part) < CIRCLES else FORWARD if forward else BACKWARD)
    return out


# -- from speed to speed
def matched(a: At, b: At) -> tuple[list[int | None], float]:
    """For each oscillation of a its number in b, and how alike the least alike of the slowest are, shapes of one frequency together."""
    from scipy.optimize import linear_sum_assignment
    alike = a.alike(b)
    fa, fb = a.s.imag[:, None], b.s.imag[None, :]
    apart = abs(fa - fb) / np.maximum(np.maximum(fa, fb), 1e-300)
    rows, columns = linear_sum_assignment(1 - alike + 0.2 * apart)
    out: list[int | None] = [None] * len(a.s)
    worst = 1.0
    for i, j in zip(rows, columns, strict=True):
        out[i] = int(j)
        if i < FEW:
            worst = min(worst, b.holds(a, int(i), abs(b.s.imag - b.s.imag[j]) <= SAME * b.s.imag[j]))
    return out, worst


def follow(found: list[At]) -> list[list[int | None]]:
    """Branches: of each the number of its oscillation at every speed. One that ends or begins is None elsewhere."""
    branches: list[list[int | None]] = [[i] for i in range(len(found[0].s))]
    for k in range(1, len(found)):
        pairs = matched(found[k - 1], found[k])[0]
        for branch in branches:
            branch.append(None if branch[-1] is None else pairs[branch[-1]])
        taken = {branch[-1] for branch in branches}
        branches += [[None] * k + [i] for i in range(len(found[k].s)) if i not in taken]
    return branches


def between(look: Callable[[float], At], a: At, b: At, depth: int = 0) -> list[At]:
    """Further speeds after a and before b, where shapes change too much to be recognised."""
    if depth == DEEPEST or matched(a, b)[1] >= ALIKE:
        return []
    middle = look((a.speed + b.speed) / 2)
    return [*between(look, a, middle, depth + 1), middle, *between(look, middle, b, depth + 1)]


def campbell(model: Model, speeds: Any = None, n: Any = None, about: str | None = None, progress: Any = True) -> Campbell:
    """Oscillations over the speed of rotation, each about the steady state at its speed.

    ``speeds`` [rad/s]: a list, or "first:last:count". All velocities, rates and drives that the model states are multiplied, so that the
    joint ``about`` turns at that speed (default: the body that turns fastest does; or the only joint to the ground that can turn).
    ``n``: how many branches (default 10). Further speeds are looked at where shapes change fast, to follow the branches.
    """
    pairs = (("speeds", speeds), ("n", n), ("about", about))
    given = {**model.analyses.get("campbell", {}), **{k: v for k, v in pairs if v is not None}}
    if given.get("speeds") is None:
        raise ModelError("campbell: speeds are missing; give a list, such as speeds=[0, 50, 100], or first:last:count")
    wanted, most = speeds_of(given["speeds"]), number_of(given.get("n"), "campbell")
    made, show = AtSpeeds(model, given.get("about")), display_of(progress, "speeds")

    def look(speed: float) -> At:
        return at_speed(made.model(speed), speed)
    found: list[At] = []
    for k, speed in enumerate(wanted):
        new = look(float(speed))
        found += [*(between(look, found[-1], new) if found else []), new]
        show(k + 1.0, float(wanted.size))
    return Campbell(model, found, wanted, most)
