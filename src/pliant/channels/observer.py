"""Channels: named results, computed from stored states when they are asked for."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..compile.consistency import observe, observe_forces
from ..families import bushing, constraints, springs
from ..families.rigid import FRAMES
from ..families.signals import SENSE
from ..items.base import did_you_mean
from ..kernels.contract import AV, FRAME_WIDTH, A, P, V, W
from ..kernels.evaluation import Program
from ..kernels.state_row import parts
from .components import components

FRAME_QUANTITIES = {"position": "m", "rotation": "", "velocity": "m/s", "acceleration": "m/s^2", "angular_velocity": "rad/s",
                    "angular_acceleration": "rad/s^2"}
REACTIONS = {"force": "N", "torque": "N*m", "force_joint": "N", "torque_joint": "N*m"}
ENERGIES = ("kinetic", "potential", "elastic", "dissipated", "work")
UNITS = {"angle": "rad", "angle_rate": "rad/s", "displacement": "m", "displacement_rate": "m/s"}
BLOCK = 2_000_000  # numbers computed in one pass over the rows: several frames at once cost no more than one
BLOCKS = 8         # of those kept


def catalogue(dynamics: CompiledModel) -> dict[str, tuple[str, int]]:
    """{channel: (unit, number of components)} of everything that can be asked for."""
    d, out = dynamics.directory, {}
    for name in d.frames:
        for quantity, unit in FRAME_QUANTITIES.items():
            out[f"{name}.{quantity}"] = unit, 4 if quantity == "rotation" else 3
    for name, body in d.flexible.items():
        out |= {f"{name}.modal": ("", body.scale.size), f"{name}.modal_rate": ("1/s", body.scale.size)}
    for name, joint in d.joints.items():
        for coordinate in joint.zeros:
            for q in (coordinate, f"{coordinate}_rate"):
                out[f"{name}.{q}"] = UNITS[q], 1
        out |= {f"{name}.{q}": (unit, 3) for q, unit in REACTIONS.items()}
    for name, (*_, coordinate) in d.drives.items():
        out |= {f"{name}.effort": ("N*m" if coordinate == "angle" else "N", 1), f"{name}.power": ("W", 1)}
    out |= {f"{name}.effort": (unit, 1) for name, (_, unit) in d.couplings.items() if name not in d.joints}
    for name, spring in d.springs.items():
        if spring.kind == "displacement":
            out |= {f"{name}.displacement": ("m", 1), f"{name}.rate": ("m/s", 1), f"{name}.force": ("N", 1)}
        elif spring.kind == "angle":
            out |= {f"{name}.angle": ("rad", 1), f"{name}.rate": ("rad/s", 1), f"{name}.torque": ("N*m", 1)}
        else:
            out |= {f"{name}.length": ("m", 1), f"{name}.rate": ("m/s", 1), f"{name}.force": ("N", 1)}
    for name in d.bushings:
        out |= {f"{name}.force": ("N", 3), f"{name}.torque": ("N*m", 3)}
    for name in d.measures:
        out |= {f"{name}.distance": ("m", 1), f"{name}.rate": ("m/s", 1), f"{name}.angle": ("rad", 1)}
    return out | {f"energy.{e}": ("J", 1) for e in ENERGIES}


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
        self._hinges = [j.b for j in dynamics.directory.joints.values()]

    def __call__(self, name: str) -> np.ndarray:
        whole, component = self.split(name)
        value = self._compute(whole)
        return value if component is None else np.ascontiguousarray(value[:, component])

    def split(self, name: str) -> tuple[str, int | None]:
        """A channel and perhaps the number of a component of it."""
        if name in self.catalogue:
            return name, None
        whole, _, last = name.rpartition(".")
        if whole in self.catalogue:
            letters = components(whole, self.catalogue[whole][1])
            if last in letters:
                return whole, letters.index(last)
        raise KeyError(f"no channel {name!r}{did_you_mean(name, self.catalogue)}")

    # -- raw material
    def frame(self, number: int) -> np.ndarray:
        """Rows of the frame table over time, shape (n, FRAME_WIDTH); its neighbours are computed with it."""
        s, n = self.dynamics.system, len(self.rows)
        width = max(1, BLOCK // (FRAME_WIDTH * n))
        first = number - number % width
        if first not in self._frames:
            numbers = np.arange(first, min(first + width, len(s.data.fr)))
            out = np.zeros((n, numbers.size, FRAME_WIDTH))
            observe(s.program("rates"), s.data, self.dynamics.x, self.rows, numbers, out, s.q0.size)
            while len(self._frames) >= BLOCKS:
                del self._frames[next(iter(self._frames))]
            self._frames[first] = out
        return self._frames[first][:, number - first]

    def axes(self, number: int) -> np.ndarray:
        return self.frame(number)[:, A:A + 9].reshape(-1, 3, 3)

    def _wrench(self, key: str, frames: list[int], program: Program, silent: list[int]) -> np.ndarray:
        """What a program adds on the left to frames, with the opposite sign: the wrench on the body. Returns the first."""
        if (key, frames[0]) not in self._forces:
            s, out = self.dynamics.system, np.zeros((len(self.rows), len(frames), 6))
            observe_forces(program, s.data, self.dynamics.x, self.rows, np.array(silent, np.int64), np.array(frames), out,
                           s.q0.size)
            self._forces |= {(key, frame): -out[:, k] for k, frame in enumerate(frames)}
        return self._forces[key, frames[0]]

    def _reaction(self, frame: int) -> np.ndarray:
        """Of the joints alone: drives and gears have channels of their own."""
        s, d = self.dynamics.system, self.directory
        families = [f for f in s.families if f.push.residual or f in (constraints.COINCIDENT, constraints.PERPENDICULAR,
                                                                      constraints.IN_PLANE, constraints.COORDINATE)]
        silent = [drive[0] for drive in d.drives.values()]
        silent += [row for name, (row, _) in d.couplings.items() if name not in d.joints]
        first, width = self._hinges.index(frame), max(1, BLOCK // (6 * len(self.rows)))
        return self._wrench("joint", self._hinges[first:first + width], s.program("residual", families=families), silent)

    def wrench(self, frame: int) -> np.ndarray:
        """Force and moment (n, 6) that everything exerts at a frame, world axes."""
        every = [f for body in self.directory.flexible.values() for f in (*body.frames, *body.sliders)]
        first, width = every.index(frame), max(1, BLOCK // (6 * len(self.rows)))
        return self._wrench("all", every[first:first + width], self.dynamics.system.program("residual"), [])

    def _one(self, family: Any, first: int, last: int) -> Program:
        """The residual of some rows of one family, with the frames and signals they need."""
        s = self.dynamics.system
        whole = s.program("residual", families=[f for f in s.families if f.push.residual or f in (FRAMES, SENSE, family)])
        rows, start = whole.rows.copy(), s.families[family][0]
        rows[(rows == s.families[family]).all(1)] = start + first, start + last
        return Program(whole.address, rows)

    # -- channels
    def _compute(self, name: str) -> np.ndarray:
        head, _, quantity = name.rpartition(".")
        d = self.directory
        if head == "energy":
            if quantity in ("dissipated", "work"):
                return self.parts[quantity].copy()
            return self.energies[:, ENERGIES.index(quantity)].copy()
        if head in d.flexible and quantity in ("modal", "modal_rate"):
            body = d.flexible[head]
            part, first = ("q", body.iq) if quantity == "modal" else ("v", body.iv)
            return np.asarray(self.parts[part][:, first:first + body.scale.size] / body.scale)
        for table, compute in ((d.frames, self._of_frame), (d.drives, self._of_drive), (d.springs, self._of_spring),
                               (d.bushings, self._of_bushing), (d.measures, self._of_measure), (d.joints, self._of_joint),
                               (d.couplings, self._of_coupling)):
            if head in table:
                return compute(head, quantity)
        raise KeyError(f"no channel {name!r}{did_you_mean(name, self.catalogue)}")

    def _of_frame(self, name: str, quantity: str) -> np.ndarray:
        number = self.directory.frames[name]
        if quantity in ("position", "velocity", "acceleration"):
            first = {"position": P, "velocity": V, "acceleration": AV}[quantity]
            return self.frame(number)[:, first:first + 3].copy()
        if quantity == "rotation":
            return quaternions(self.axes(number))
        first = W if quantity == "angular_velocity" else AV + 3
        body = self.directory.frames.get(name.partition(".")[0], number)  # in the axes of the body
        return np.einsum("nji,nj->ni", self.axes(body), self.frame(number)[:, first:first + 3])

    def _of_joint(self, name: str, quantity: str) -> np.ndarray:
        j = self.directory.joints[name]
        if quantity in REACTIONS:
            wrench = self._reaction(j.b)
            world = wrench[:, :3] if quantity.startswith("force") else wrench[:, 3:]
            return np.einsum("nij,kj,ni->nk", self.axes(j.a), j.turn, world) if quantity.endswith("_joint") else world.copy()
        coordinate = quantity.removesuffix("_rate")
        ends = j.ends(coordinate)
        fa, fb, Ra = *map(self.frame, ends), self.axes(ends[0])
        z = Ra[:, :, 2]
        if coordinate == "displacement":
            d, w = fb[:, P:P + 3] - fa[:, P:P + 3], fa[:, W:W + 3]
            if quantity == coordinate:
                return np.einsum("ni,ni->n", z, d) + j.zeros[coordinate]
            return np.einsum("ni,ni->n", z, fb[:, V:V + 3] - fa[:, V:V + 3] - np.cross(w, d))
        x, y, u = Ra[:, :, 0], Ra[:, :, 1], self.axes(ends[1])[:, :, 0]
        cos, sin = np.einsum("ni,ni->n", x, u), np.einsum("ni,ni->n", y, u)
        if quantity != coordinate:
            G = np.cross(cos[:, None] * y - sin[:, None] * x, u) / (cos**2 + sin**2)[:, None]  # see coordinate-2
            return np.einsum("ni,ni->n", G, fa[:, W:W + 3] - fb[:, W:W + 3])
        angle = np.arctan2(sin, cos) + j.zeros["angle"]
        near = self.parts["H"][:, j.histories["angle"]]
        return angle + 2 * np.pi * np.round((near - angle) / (2 * np.pi))

    def _of_drive(self, name: str, quantity: str) -> np.ndarray:
        row, factor, joint, coordinate = self.directory.drives[name]
        effort = -factor * self.parts["lam"][:, row]
        return effort if quantity == "effort" else effort * self._of_joint(joint, f"{coordinate}_rate")

    def _of_coupling(self, name: str, quantity: str) -> np.ndarray:
        return -self.parts["lam"][:, self.directory.couplings[name][0]]

    def _of_spring(self, name: str, quantity: str) -> np.ndarray:
        s = self.directory.springs[name]
        fa, fb = self.frame(s.a), self.frame(s.b)
        if s.joint:
            if quantity in (s.kind, "rate"):
                return self._of_joint(s.joint, s.kind if quantity == s.kind else f"{s.kind}_rate")
            wrench = self._wrench(name, [s.b], self._one(springs.SPRING, s.row, s.row + s.count), [])
            return -np.einsum("ni,ni->n", wrench[:, 3:] if s.kind == "angle" else wrench[:, :3], self.axes(s.a)[:, :, 2])
        d = fb[:, P:P + 3] - fa[:, P:P + 3]
        length = np.linalg.norm(d, axis=1)
        if quantity == "length":
            return length
        n = d / length[:, None]
        if quantity == "rate":
            return np.einsum("ni,ni->n", n, fb[:, V:V + 3] - fa[:, V:V + 3])
        wrench = self._wrench(name, [s.b], self._one(springs.SPRING, s.row, s.row + s.count), [])
        return -np.einsum("ni,ni->n", n, wrench[:, :3])

    def _of_bushing(self, name: str, quantity: str) -> np.ndarray:
        _, fb, row = self.directory.bushings[name]
        wrench = self._wrench(name, [fb], self._one(bushing.BUSHING, row, row + 1), [])
        return wrench[:, :3].copy() if quantity == "force" else wrench[:, 3:].copy()

    def _of_measure(self, name: str, quantity: str) -> np.ndarray:
        a, b = self.directory.measures[name]
        fa, fb = self.frame(a), self.frame(b)
        d = fb[:, P:P + 3] - fa[:, P:P + 3]
        distance = np.linalg.norm(d, axis=1)
        if quantity == "distance":
            return distance
        if quantity == "rate":
            safe = np.where(distance > 0, distance, 1.0)
            return np.einsum("ni,ni->n", d, fb[:, V:V + 3] - fa[:, V:V + 3]) / safe
        R = np.einsum("nji,njk->nik", self.axes(a), self.axes(b))
        u = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1) / 2
        return np.arctan2(np.linalg.norm(u, axis=1), (np.trace(R, axis1=1, axis2=2) - 1) / 2)


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
