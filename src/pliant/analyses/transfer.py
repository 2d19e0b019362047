"""linearize(): x' = A x + B u, y = C x + D u about a state, on minimal coordinates with names."""
from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..items.errors import ModelError
from ..kernels import evaluation
from ..start.position_solver import coordinate
from . import ports
from .linear_system import LinearSystem, OperatingPoint
from .linearisation import Linearisation, Linearised
from .states import linearised
from .tangent import load

if TYPE_CHECKING:
    from ..model import Model

ENDINGS = (".npz", ".json")
SHOWN = 10           # columns of matrices in a text
FAIRLY = 1e-3        # the same of a modal coordinate, in parts of itself
WELL = 0.1           # a coordinate is taken if it is so far independent of those before it


class Linear(LinearSystem, Linearised):
    """x' = A x + B u,  y = C x + D u for small deviations from a state.

    ``states``: names of x, coordinates of joints where possible, else displacements and rotations of bodies (world axes, of a
    rotating state axes that turn with ``frame`` [rad/s]), then their rates. ``inputs``, ``outputs``: names of u and y; ``units`` of
    the three, by these words; states of blocks and drives come last. ``note``: if the state is no equilibrium.
    """

    def __init__(self, lin: Linearisation, inputs: list[str], outputs: dict[str, ports.Output]) -> None:
        self.linearisation, self.note, self.frame, self.t = lin, lin.note(), lin.W, lin.t
        self.inputs, self.outputs = inputs, list(outputs)
        d, n = lin.d, lin.n
        names, E = coordinates(lin)                                  # E z: the named coordinates
        m, own = lin.m, [state.name for state in d.system.states]
        self.states = [*names, *map(rate_name, names), *own]
        forces = np.array([ports.unit_force(d, lin.row, name, lin.tangent.G) for name in inputs]).reshape(len(inputs), -1).T
        self.A, back = lin.first_order(), np.linalg.inv(E)
        accelerations = np.linalg.solve(lin.M, lin.N.T @ forces) if n else np.zeros((0, len(inputs)))
        fed = lin.nominal[:, None] * forces[lin.places]
        self.B = np.vstack([np.zeros((n, len(inputs))), E @ accelerations, fed])
        x = np.hstack([np.eye(2 * n + m), np.zeros((2 * n + m, len(inputs)))])
        eta, dv, da = lin.velocities(x[:n], x[n:2 * n], np.hstack([self.A[n:2 * n], accelerations]))
        dv[lin.places], da[lin.places] = x[2 * n:], np.hstack([self.A[2 * n:], fed])
        acting = np.hstack([np.zeros((len(lin.N), 2 * n + m)), forces])
        dlam = lin.multipliers(eta, dv, da, acting)
        found = ports.changes(lin, eta, dv, da, dlam, outputs)
        found[:, 2 * n + m:] += ports.at_once(d, lin.row, inputs, outputs)
        change, undo = (block_diag(y, y, np.eye(m)) for y in (E, back))
        self.A, self.C, self.D = change @ self.A @ undo, found[:, :2 * n + m] @ undo, found[:, 2 * n + m:]
        known, channels = ports.inputs(d), ports.Observer(d, lin.row[None, :], np.zeros((1, 3))).catalogue
        self.units = {"states": [*(_unit(name) for name in self.states[:2 * n]), *(channels[name][0] for name in own)],
                      "inputs": [known[name] for name in inputs],
                      "outputs": [channels[channel][0] for channel, _ in outputs.values()]}

    @property
    def name(self) -> str:
        return self.model.name

    @cached_property
    def _at(self) -> OperatingPoint:
        from .operating_point import operating_point
        return operating_point(self)

    @property
    def operating_point(self) -> OperatingPoint:
        return self._at

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.model.name, "t": self.t, "note": self.note, "frame": self.frame, "states": self.states, "inputs": self.inputs,
                "outputs": self.outputs, "units": self.units, **{k: getattr(self, k) for k in "ABCD"}}

    def save(self, path: str | Path) -> None:
        """Write matrices and names to a .npz or .json file."""
        from ..safe_files.hdf5 import check_target
        file, data = Path(path), self.to_dict()
        if file.suffix.lower() not in ENDINGS:
            raise ValueError(f"{str(path)!r} must end in {' or '.join(ENDINGS)}")
        check_target(file)
        if file.suffix.lower() == ".json":
            lists = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in data.items()}
            file.write_text(json.dumps(lists, indent=1), encoding="utf-8")
        else:
            units = {f"units_{k}": v for k, v in data.pop("units").items()}
            arrays: dict[str, Any] = {k: np.array(v) for k, v in {**data, **units}.items()}
            np.savez(file, **arrays)

    def summary(self) -> str:
        """Names and matrices as text."""
        from ..report.tables import table
        head = [f"linearised {self.model.name!r} at t = {self.t:g} s: {len(self.states)} states, {len(self.inputs)} inputs, "
                f"{len(self.outputs)} outputs"]
        if self.frame.any():
            head.append(f"  in axes that turn with ({', '.join(f'{w:.6g}' for w in self.frame)}) rad/s")
        head += [f"  note: {self.note}"] if self.note else []
        columns = [*self.states, *self.inputs]
        if len(columns) > SHOWN:
            lists = (f"  {word:<8} {', '.join(names)}" for word, names in
                     (("states", self.states), ("inputs", self.inputs), ("outputs", self.outputs)))
            return "\n".join([*head, *lists, "  the matrices are too wide to be shown; save them to a file"])
        for title, rows, matrix in (("x'", [f"{s}'" for s in self.states], np.hstack([self.A, self.B])),
                                    ("y", self.outputs, np.hstack([self.C, self.D]))):
            head += ["", table((title, *columns), [(name, *map(float, line)) for name, line in zip(rows, matrix, strict=True)])]
        return "\n".join(head)

    __str__ = summary

    def _repr_html_(self) -> str:
        from ..report.display import Text
        return Text(self)._repr_html_()

    def __repr__(self) -> str:
        return f"Linear({self.model.name!r}: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs)"


def block_diag(*blocks: np.ndarray) -> np.ndarray:
    size = sum(map(len, blocks))
    out, at = np.zeros((size, size)), 0
    for block in blocks:
        out[at:at + len(block), at:at + len(block)] = block
        at += len(block)
    return out


def rate_name(state: str) -> str:
    """Of the rate of a state: as its channel, where there is one."""
    return state.replace(".modal.", ".modal_rate.") if ".modal." in state else f"{state}_rate"


def _unit(state: str) -> str:
    rate = state.endswith("_rate")
    if ".modal" in state:
        return "1/s" if ".modal_rate." in state else ""
    turns = any(part in ("angle", "angle_rate", "rotation") for part in state.split("."))
    return ("rad" if turns else "m") + ("/s" if rate else "")


def coordinates(lin: Linearisation) -> tuple[list[str], np.ndarray]:
    """Names of independent coordinates and what they are of z: those of joints first, the most independent ones, then modal ones, then
    of bodies."""
    d, G, n = lin.d, lin.tangent.G, lin.n
    t = load(d, lin.row)
    d.x.D[:] = 0
    evaluation.run(d.system.program("tangent"), d.system.data, d.x, t, 0.0, 0.0, 0.0)
    joints = {f"{name}.{c}": G @ coordinate(d, joint, c)[1] for name, joint in d.directory.joints.items() for c in joint.zeros}
    modal, bodies = {}, {}
    for iv, _ in d.system.data.rotations:
        name = d.body_of(int(iv) // 6)
        for k in range(6):
            bodies[f"{name}.{('position', 'rotation')[k // 3]}.{'xyz'[k % 3]}"] = np.eye(d.system.n_v)[iv - 3 + k]
        for k, row in enumerate(d.modal_rows(name)):
            modal[f"{name}.modal.{k + 1}"] = np.eye(d.system.n_v)[row] / d.directory.flexible[name].scale[k]
    names, rows, basis = list[str](), list[np.ndarray](), np.zeros((0, n))
    for known, least in ((joints, WELL), (modal, FAIRLY), (bodies, 0.0)):
        images = {name: g @ lin.N / _length(d.length, name) for name, g in known.items()}
        if known is modal:
            images = {name: g / max(float(np.linalg.norm(g)), 1e-300) for name, g in images.items()}
        while len(names) < n and images:
            rest = {name: g - basis.T @ (basis @ g) for name, g in images.items()}
            best = max(rest, key=lambda name: float(np.linalg.norm(rest[name])))
            size = float(np.linalg.norm(rest[best]))
            if not size > max(least, 1e-9):
                break
            again = rest[best] - basis.T @ (basis @ rest[best])
            basis = np.vstack([basis, again / np.linalg.norm(again)])
            names.append(best)
            rows.append(known[best] @ lin.N)
            del images[best]
    order = {name: k for k, name in enumerate([*joints, *bodies, *modal])}
    chosen = sorted(range(len(names)), key=lambda k: order[names[k]])
    return [names[k] for k in chosen], np.array([rows[k] for k in chosen]).reshape(n, n)


def _length(length: float, name: str) -> float:
    return length if name.endswith(".displacement") or ".position." in name or ".modal." in name else 1.0


def linearize(model: Model, inputs: Any = None, outputs: Any = None, state: Any = None) -> Linear:
    """Matrices A, B, C, D about a state.

    ``inputs``: components of forces and torques ("push.x"; "push" for all three), or efforts on joint coordinates ("A.angle": a
    torque on b from a about the axis). ``outputs``: channels ("rod.end.position.y", "A.force", "spring.force"). ``state`` as in
    `pliant.analyses.modes.modes`.
    """
    pairs = (("inputs", inputs), ("outputs", outputs), ("state", state))
    given = {**model.analyses.get("linearize", {}), **{k: v for k, v in pairs if v is not None}}
    if given.get("inputs") is None or given.get("outputs") is None:
        missing = "inputs" if given.get("inputs") is None else "outputs"
        raise ModelError(f"linearize: {missing} are missing; give a list of names, such as {missing}=['A.angle']")
    d = model.copy().compile(exact=True)
    u = ports.chosen_inputs(d, ports.names_of(given["inputs"], "inputs"))
    y = ports.chosen_outputs(d, ports.names_of(given["outputs"], "outputs"))
    return Linear(linearised(model, given.get("state"), d), u, y)
