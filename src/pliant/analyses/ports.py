"""Inputs and outputs of a linearised model: unit forces, and how channels change with the state."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..channel_values.components import COMPONENTS, components
from ..channel_values.observer import Observer
from ..compile.compiled_model import CompiledModel
from ..families import beam_loads, distributed
from ..families.loads import CODES, LOAD, PART, VECTOR
from ..families.signals import ENTRY
from ..families.signals import FACTOR as NUMBER
from ..functions.units import must
from ..items.base import did_you_mean
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.pairs import FA
from ..kernels.state_row import parts
from ..start.position_solver import coordinate
from .linearisation import STEP, Linearisation
from .tangent import load, new_row

SMALL = 1e-3         # of the model's size and rates: distance of the states whose channels are compared
STENCIL = np.array([-2, -1, 1, 2]), np.array([1, -8, 8, -1]) / 12   # differences of fourth order
PAST = ("dissipated", "work")
FACTOR = "factor"    # of a load that is spread
Output = tuple[str, int | None]   # channel and component


def names_of(value: Any, what: str) -> list[str]:
    """A list of names."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(v, str) for v in value):
        raise ModelError(f"linearize: {what} {must(value, 'must be a list of names with at least one, such as [crank.position.x]')}")
    return list(value)


# -- inputs
def inputs(d: CompiledModel) -> dict[str, str]:
    """{input: unit} of everything that can be one."""
    s, found = d.system, dict[str, str]()
    spread = [f for family, at in ((distributed.FRAMES, distributed.FRAME), (beam_loads.FRAMES, beam_loads.FRAME))
              for f in s.data.ip[slice(*s.families.get(family, (0, 0))), at]]
    for row in range(*s.families.get(LOAD, (0, 0))):
        if s.data.ip[row, FA] in spread:
            found[f"{s.owners[row]}.{FACTOR}"] = ""
            continue
        unit = "N*m" if s.data.ip[row, PART] else "N"
        found |= {f"{s.owners[row]}.{c}": unit for c in COMPONENTS[3]}
    for name, joint in d.directory.joints.items():
        found |= {f"{name}.{c}": "N*m" if c == "angle" else "N" for c in joint.zeros}
    return found | {name: d.directory.channels[name][1].unit for name in d.directory.inputs}


def chosen_inputs(d: CompiledModel, names: Sequence[str]) -> list[str]:
    """Inputs by name; that of a load stands for its three components."""
    known, out = inputs(d), list[str]()
    for name in names:
        found = [name] if name in known else [f"{name}.{c}" for c in (*COMPONENTS[3], FACTOR) if f"{name}.{c}" in known]
        if not found and name in d.directory.drives:
            joint, which = d.directory.drives[name][2:]
            raise ModelError(f"linearize: drive {name!r} cannot be an input: it prescribes a motion, given by its function. Take it out "
                             f"and use the effort '{joint}.{which}' as input")
        if not found:
            raise ModelError(f"linearize: input {name!r} is not known: inputs are components of forces and torques, factors of distributed "
                             f"loads, inputs of blocks, and efforts on joint coordinates{did_you_mean(name, known)}")
        out += found
    return out


def unit_force(d: CompiledModel, row: np.ndarray, name: str, G: np.ndarray) -> np.ndarray:
    """Generalised forces of an input of 1 N or 1 N m, world axes, or of a factor of 1."""
    s = d.system
    t, (item, _, component) = load(d, row), name.rpartition(".")
    if name in d.directory.inputs:
        return np.asarray(G @ _by_input(d, row, name))
    if item in d.directory.joints:
        d.x.D[:] = 0
        evaluation.run(s.program("tangent"), s.data, d.x, t, 0.0, 0.0, 0.0)
        return np.asarray(G @ coordinate(d, d.directory.joints[item], component)[1])
    ip, rp = s.data.ip.copy(), s.data.rp.copy()
    for e in range(*s.families[LOAD]):
        ip[e, CODES:CODES + 3], rp[e, VECTOR:VECTOR + 3] = -1, 0
        if s.owners[e] == item:
            rp[e, VECTOR + (0 if component == FACTOR else COMPONENTS[3].index(component))] = 1
    families = [f for f in s.families if f is LOAD or f.push.residual]
    evaluation.run(s.program("residual", families=families), s.data._replace(ip=ip, rp=rp), d.x, t, 0.0, 0.0, 0.0)
    return np.asarray(-G @ d.x.R[:s.n_v])


def _by_input(d: CompiledModel, row: np.ndarray, name: str) -> np.ndarray:
    """-dR/du of a free input, by a complex step."""
    s, x, p = d.system, d.memory(np.complex128), parts(row[None, :], d.system.q0.size, d.system.n)
    for part in ("q", "v", "a", "lam", "H"):
        getattr(x, part)[:] = p[part][0]
    data = s.typed_data(np.complex128)
    data.rp[s.families[ENTRY][0] + d.directory.inputs[name], NUMBER] += 1j * STEP
    evaluation.run(s.program("residual", np.complex128), data, x, float(row[0]), 0.0, 0.0, 0.0)
    return np.asarray(-x.R[:s.n_v].imag / STEP)


def at_once(d: CompiledModel, row: np.ndarray, inputs: Sequence[str], outputs: dict[str, Output]) -> np.ndarray:
    """How outputs change with free inputs at the same state, accelerations and reactions: by differences of fourth order."""
    s, (at, weights), out = d.system, STENCIL, np.zeros((len(outputs), len(inputs)))
    for k, name in enumerate(inputs):
        if name not in d.directory.inputs:
            continue
        place = s.families[ENTRY][0] + d.directory.inputs[name], NUMBER
        value = float(s.data.rp[place])
        size, found = SMALL * max(1.0, abs(value)), np.zeros((len(outputs), at.size))
        try:
            for i, step in enumerate(at * size):
                s.data.rp[place] = value + step
                observer = Observer(d, row[None, :], _energies(d, row[None, :]))
                found[:, i] = [np.ravel(observer(channel))[component or 0] for channel, component in outputs.values()]
        finally:
            s.data.rp[place] = value
        out[:, k] = found @ weights / size
    return out


# -- outputs
def chosen_outputs(d: CompiledModel, names: Sequence[str]) -> dict[str, Output]:
    """{output: (channel, component)}, vectors split; ModelError for what is no channel or depends on the past."""
    observer, out = Observer(d, new_row(d, 0.0, d.x.q, d.x.H)[None, :], np.zeros((1, 3))), {}
    for name in names:
        try:
            channel, component = observer.split(name)
        except KeyError as error:
            raise ModelError(f"linearize: outputs: {error.args[0]}") from None
        if channel.partition(".")[0] == "energy" and channel.endswith(PAST):
            raise ModelError(f"linearize: output {name!r} depends on the whole motion before, not on the state; use its power instead")
        count = observer.catalogue[channel][1]
        if component is not None or count == 1:
            out[name] = channel, component
        else:
            out |= {f"{name}.{c}": (channel, k) for k, c in enumerate(components(channel, count))}
    return out


def changes(lin: Linearisation, eta: np.ndarray, dv: np.ndarray, da: np.ndarray, dlam: np.ndarray,
            outputs: dict[str, Output]) -> np.ndarray:
    """How outputs change along deviations (columns, world axes), by differences of channels of fourth order     [ports-1]"""
    d, s = lin.d, lin.d.system
    at, weights = STENCIL
    sizes = np.array([_size(lin, *column) for column in zip(eta.T, dv.T, strict=True)])
    rows = np.repeat(lin.row[None, :], at.size * eta.shape[1], axis=0)
    p, equations = parts(rows, s.q0.size, s.n), lin.freedom.rows
    for k in range(eta.shape[1]):
        for i, step in enumerate(at * sizes[k]):
            r, xi, q = at.size * k + i, np.zeros(s.n), p["q"][at.size * k + i].copy()
            xi[:s.n_v] = lin.tangent.G.T @ eta[:, k]
            evaluation.retract(s.data, p["q"][r].copy(), xi, float(step), q)
            p["q"][r] = q
            p["v"][r, :s.n_v] += step * (lin.tangent.G.T @ dv[:, k])
            p["a"][r, :s.n_v] += step * (lin.tangent.G.T @ da[:, k])
            p["lam"][r, equations] += step * dlam[:, k]
    energies = _energies(d, rows) if any(c.startswith("energy.") for c, _ in outputs.values()) else np.zeros((len(rows), 3))
    observer = Observer(d, rows, energies)
    values, out = {channel: observer(channel) for channel, _ in outputs.values()}, np.zeros((len(outputs), eta.shape[1]))
    for j, (channel, component) in enumerate(outputs.values()):
        value = values[channel] if component is None else values[channel][:, component]
        out[j] = (value.reshape(-1, at.size) @ weights) / sizes if eta.shape[1] else 0
    return out


def _size(lin: Linearisation, eta: np.ndarray, dv: np.ndarray) -> float:
    """By which a deviation becomes small against the model and its motion, and large against rounding."""
    by, rate = np.where(lin.freedom.by > 0, lin.freedom.by, 1.0), max(1.0, lin.tangent.speed)
    by[lin.places] = lin.nominal / rate
    largest = max(float(abs(eta / by).max(initial=0.0)), float(abs(dv / by).max(initial=0.0)) / rate)
    return SMALL / largest if largest > 0 else SMALL


def _energies(d: CompiledModel, rows: np.ndarray) -> np.ndarray:
    out = np.zeros((len(rows), 3))
    for k, row in enumerate(rows):
        t = load(d, row)
        d.x.E[:] = 0
        evaluation.run(d.system.program("energy"), d.system.data, d.x, t, 0.0, 0.0, 0.0)
        out[k] = d.x.E[:3]
    return out
