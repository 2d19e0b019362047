"""Channels: named results, computed from stored states when they are asked for."""
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..compile.consistency import observe, observe_forces, observe_scratch, observe_signals
from ..compile.momenta import COLUMNS, SIZE, momenta
from ..families.constraints import COINCIDENT, COORDINATE, IN_PLANE, PERPENDICULAR
from ..families.held import HELD_AXES, HELD_PLACE
from ..families.rigid import FRAMES
from ..families.rolling import ROLLING
from ..functions.evaluation import values
from ..functions.rewriting import owner_of
from ..kernels.contract import AV, FRAME_WIDTH, A, P, V, W, address
from ..kernels.evaluation import Program
from ..kernels.jit import DISABLED
from ..kernels.state_row import parts
from .components import ENERGIES, listed, split

if TYPE_CHECKING:
    from ..compile.channel_map import ForceRecord

BLOCK = 2_000_000  # numbers computed in one pass over the rows: several frames at once cost no more than one
BLOCKS = 8         # of those kept
JOINTS = COINCIDENT, PERPENDICULAR, IN_PLANE, COORDINATE, HELD_PLACE, HELD_AXES, ROLLING  # families of which joints are made


def catalogue(dynamics: CompiledModel) -> dict[str, tuple[str, int]]:
    """{channel: (unit, number of components)} of a model."""
    d = dynamics.directory
    return listed(d.frames, {name: (channel.unit, channel.size) for name, (_, channel) in d.channels.items()})


class Observer:
    """Channels of the rows of one run."""

    def __init__(self, dynamics: CompiledModel, rows: np.ndarray, energies: np.ndarray) -> None:
        self.dynamics, self.directory = dynamics, dynamics.directory
        self.rows, self.energies = rows, energies
        s = dynamics.system
        self.parts = parts(rows, s.q0.size, s.n)
        self.catalogue = catalogue(dynamics)
        self._frames: dict[int, np.ndarray] = {}
        self._forces: dict[tuple[str, int], np.ndarray] = {}
        self._groups: dict[int, np.ndarray] = {}
        self._signals: dict[str, np.ndarray] = {}
        self._contacts: dict[str, np.ndarray] = {}
        self._hinges = [j.b for j in dynamics.directory.joints.values()]

    def __call__(self, name: str) -> np.ndarray:
        whole, component = self.split(name)
        value = self._compute(whole)
        return value if component is None else np.ascontiguousarray(value[:, component])

    def split(self, name: str) -> tuple[str, int | None]:
        """A channel and perhaps the number of a component of it."""
        return split(name, self.catalogue)

    # -- raw material
    def frame(self, number: int) -> np.ndarray:
        """Rows of the frame table over time, shape (n, FRAME_WIDTH); its neighbours are computed with it."""
        s, n = self.dynamics.system, len(self.rows)
        width = max(1, BLOCK // (FRAME_WIDTH * n))
        first = number - number % width
        if first not in self._frames:
            numbers = np.arange(first, min(first + width, len(s.data.fr)))
            out = np.zeros((n, numbers.size, FRAME_WIDTH))
            observe(s.program("rates"), s.data, self.dynamics.x, self.rows, numbers, out)
            while len(self._frames) >= BLOCKS:
                del self._frames[next(iter(self._frames))]
            self._frames[first] = out
        return self._frames[first][:, number - first]

    def position(self, number: int) -> np.ndarray:
        return self.frame(number)[:, P:P + 3]

    def axes(self, number: int) -> np.ndarray:
        return self.frame(number)[:, A:A + 9].reshape(-1, 3, 3)

    def velocity(self, number: int) -> np.ndarray:
        return self.frame(number)[:, V:V + 3]

    def angular_velocity(self, number: int) -> np.ndarray:
        return self.frame(number)[:, W:W + 3]

    @staticmethod
    def quaternions(R: np.ndarray) -> np.ndarray:
        """Of rotation matrices over time, without jumps of sign."""
        return quaternions(R)

    def record(self, name: str) -> ForceRecord:
        """The frames and rows of a force."""
        return self.directory.forces[name]

    def together(self, group: str, quantity: str) -> np.ndarray:
        """Of the bodies of a group: a quantity of `momenta.COLUMNS`, or the velocity of their centre of mass; its neighbours are
        computed with it."""
        names = list(self.directory.groups)
        number, width = names.index(group), max(1, BLOCK // (SIZE * len(self.rows)))
        first = number - number % width
        if first not in self._groups:
            self._groups = {first: momenta(self.dynamics, self.rows, [self.directory.groups[g] for g in names[first:first + width]])}
        found = self._groups[first][:, number - first]
        if quantity == "velocity":
            return found[:, COLUMNS["momentum"]] / found[:, COLUMNS["mass"]][:, None]
        return found[:, COLUMNS[quantity]].copy()

    def _wrench(self, key: str, frames: list[int], program: Program, silent: list[int]) -> np.ndarray:
        """What a program adds on the left to frames, with the opposite sign: the wrench on the body. Returns the first."""
        if (key, frames[0]) not in self._forces:
            s, out = self.dynamics.system, np.zeros((len(self.rows), len(frames), 6))
            observe_forces(program, s.data, self.dynamics.x, self.rows, np.array(silent, np.int64), np.array(frames), out)
            while self._forces and 6 * len(self.rows) * (len(self._forces) + len(frames)) > BLOCKS * BLOCK:
                del self._forces[next(iter(self._forces))]
            self._forces |= {(key, frame): 0.0 - out[:, k] for k, frame in enumerate(frames)}  # no -0
        return self._forces[key, frames[0]]

    def reaction(self, name: str) -> np.ndarray:
        """Force and moment (n, 6) that a joint exerts on b, world axes; drives and gears have channels of their own."""
        s, d = self.dynamics.system, self.directory
        families = [f for f in s.families if f.push.residual or f in JOINTS]
        silent = [drive[0] for drive in d.drives.values()]
        silent += [row for name, (row, _) in d.couplings.items() if name not in d.joints]
        first, width = self._hinges.index(d.joints[name].b), max(1, BLOCK // (6 * len(self.rows)))
        return self._wrench("joint", self._hinges[first:first + width], s.program("residual", families=families), silent)

    def wrench(self, frame: int) -> np.ndarray:
        """Force and moment (n, 6) that everything exerts at a frame, world axes."""
        every = [f for body in self.directory.flexible.values() for f in (*body.frames, *body.sliders, *body.feet)]
        first, width = every.index(frame), max(1, BLOCK // (6 * len(self.rows)))
        return self._wrench("all", every[first:first + width], self.dynamics.system.program("residual"), [])

    def effort(self, name: str, end: str = "b") -> np.ndarray:
        """Force and moment (n, 6) that a force exerts on the body at its frame b, or a, world axes."""
        s, r = self.dynamics.system, self.record(name)
        frame, alone = getattr(r, end), self._alone
        if (found := self._forces.get(("force" if frame in alone else name, frame))) is not None:
            return found
        only = {r.family} if frame not in alone else {other.family for other in self.directory.forces.values()}
        whole = s.program("residual", families=[f for f in s.families if f.push.residual or f is FRAMES or f.sense.residual or f in only])
        if frame in alone:  # those of its neighbours are computed with it
            first, width = alone[frame], max(1, BLOCK // (6 * len(self.rows)))
            return self._wrench("force", list(alone)[first:first + width], whole, [])
        rows, start = whole.rows.copy(), s.families[r.family][0]
        rows[(rows == s.families[r.family]).all(1)] = start + r.row, start + r.row + r.count
        return self._wrench(name, [frame], Program(whole.address, rows), [])

    def contact(self, name: str) -> np.ndarray:
        """What the points of a contact tell of themselves over time, (n, points, FIELDS), for body A as its first frame has it."""
        if name not in self._contacts:
            from ..families import contacts
            s, points = self.dynamics.system, self.directory.contacts[name]
            out = np.zeros((len(points), len(self.rows), int(contacts.FIELDS)))
            seen = s.program("residual", families=[f for f in s.families if f.push.residual or f.sense.residual])
            for k, (family, row, _) in enumerate(points):
                first = s.families[family][0] + row
                own = contacts.reporting(family)
                where = [*seen.address, address(own)]
                program = Program(where if DISABLED else np.array(where, np.int64),  # type: ignore[arg-type]
                                  np.vstack([seen.rows, [[first, first + 1]]]))
                observe_scratch(program, s.data, self.dynamics.x, self.rows, int(contacts.REPORT), out[k])
            self._contacts[name] = np.ascontiguousarray(out.transpose(1, 0, 2))
        return self._contacts[name]

    def foot(self, name: str) -> np.ndarray:
        """The place on its line where a contact is, over time."""
        from ..families import feet
        s, k = self.dynamics.system, self.directory.feet[name]
        ip, out = s.data.ip[s.families[feet.FRAMES][0] + k], np.zeros((len(self.rows), 1))
        seen = s.program("residual", families=[f for f in s.families if f.push.residual])
        observe_scratch(seen, s.data, self.dynamics.x, self.rows, int(feet.place(ip)), out)
        return out[:, 0]

    def section(self, beam: str, elements: slice, xi: Sequence[float], resting: bool = False) -> np.ndarray:
        """Forces and moments (n, elements, places, 6) in sections of a beam at places xi of elements, on the part before them, in their
        axes; ``resting``: those of the deformation alone, without damping."""
        from ..families.beam_sections import sections
        from ..families.exact_beams import BEAM
        s, x, record = self.dynamics.system, self.dynamics.x, self.directory.beams[beam]
        assert record.family is not None
        first, last, _ = elements.indices(len(record.nodes) - 1)
        out = np.zeros((len(self.rows), last - first, len(xi), 6))
        row = s.families[record.family][0] + record.row + first
        for k in range(len(out)):
            x.q[:], x.v[:] = self.parts["q"][k], 0.0 if resting else self.parts["v"][k]
            sections(s.data, x, row, last - first, np.array(xi, float), record.family is BEAM, out[k].reshape(-1))
        return out

    def line_load(self, name: str) -> np.ndarray:
        """Force, and moment about the origin of the world (n, 6), that a load along a beam exerts where its factor is one, world axes."""
        from ..families.beam_loads import FRAME, FRAMES, resultant
        s, x, r, out = self.dynamics.system, self.dynamics.x, self.record(name), np.zeros((len(self.rows), 6))
        begin, end = s.families[FRAMES]
        first = begin + int(np.flatnonzero(s.data.ip[begin:end, FRAME] == r.a)[0])
        for k in range(len(out)):
            x.q[:] = self.parts["q"][k]
            resultant(s.data, x, first, first + r.count, out[k])
        return out

    @cached_property
    def _alone(self) -> dict[int, int]:
        """Frames at which one force alone acts, numbered."""
        forces = self.directory.forces.values()
        ends = Counter([r.b for r in forces] + [r.a for r in forces if r.a != r.b])  # channels ask for b
        return {frame: k for k, frame in enumerate(frame for frame, count in ends.items() if count == 1)}

    def variable(self, name: str) -> np.ndarray:
        """Values of an expression with a name, from the channels that it uses."""
        return values(self.directory.variables[name], self.parts["t"], self)

    def signal(self, reference: str) -> np.ndarray:
        """Values of a signal; all are computed with it."""
        if not self._signals:
            s, names = self.dynamics.system, self.directory.signals
            out = np.zeros((len(self.rows), len(names)))
            program = s.program("residual", families=[f for f in s.families if f.push.residual or f.sense.residual])
            observe_signals(program, s.data, self.dynamics.x, self.rows, np.array(list(names.values()), np.int64), out)
            self._signals = {name: out[:, k] for k, name in enumerate(names)}
        return self._signals[reference].copy()

    # -- channels
    def _compute(self, name: str) -> np.ndarray:
        if name in self.directory.channels:
            item, channel = self.directory.channels[name]
            return channel.compute(self, item)
        head, _, quantity = name.rpartition(".")
        if head != "energy":
            return self._of_frame(head, quantity)
        if quantity in self.parts:
            return self.parts[quantity].copy()
        return self.energies[:, ENERGIES.index(quantity)].copy()

    def _of_frame(self, name: str, quantity: str) -> np.ndarray:
        number = self.directory.frames[name]
        if quantity in ("position", "velocity", "acceleration"):
            first = {"position": P, "velocity": V, "acceleration": AV}[quantity]
            return self.frame(number)[:, first:first + 3].copy()
        if quantity == "rotation":
            return quaternions(self.axes(number))
        first = W if quantity == "angular_velocity" else AV + 3
        owner = name.rpartition(".")[0]  # in the axes of the body; on a beam of its section
        body = number if owner in self.directory.sectioned else self.directory.frames.get(owner, number)
        return np.einsum("nji,nj->ni", self.axes(body), self.frame(number)[:, first:first + 3])


def quaternions(R: np.ndarray) -> np.ndarray:
    """Unit quaternions of rotation matrices, shape (n, 4), without jumps of sign.

    4 q q^T is linear in R; its row with the largest diagonal entry is q up to a factor.
    """
    (a, b, c), (d, e, f), (g, h, i) = R.transpose(1, 2, 0)
    K = np.array([[1 + a + e + i, h - f, c - g, d - b], [h - f, 1 + a - e - i, b + d, c + g],
                  [c - g, b + d, 1 - a + e - i, f + h], [d - b, c + g, f + h, 1 - a - e + i]])
    best = np.argmax(np.einsum("kkn->kn", K), axis=0)
    q = K[best, :, np.arange(len(R))]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    turned = np.where(np.einsum("ni,ni->n", q[1:], q[:-1]) < 0, -1.0, 1.0)
    start = 1.0 if q[0, 0] >= 0 else -1.0
    return q * (start * np.concatenate([[1.0], np.cumprod(turned)]))[:, None]


def rank(observer: Observer, channel: str) -> int | None:
    """Which channels come first when there are too many: forces, poses of bodies, what is seen as vectors, joints; None: frames."""
    (head, _, quantity), d = channel.rpartition("."), observer.directory
    if head in d.joints:
        return 3
    if owner_of(channel, d.groups) in d.groups or (head in d.measures and observer.catalogue[channel][1] > 1):
        return 2
    if head not in d.frames:
        return 0
    if head.startswith("ground.") or head.rpartition(".")[0] in d.frames:
        return None
    return 1 if quantity in ("position", "rotation") else 2
