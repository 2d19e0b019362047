"""inverse(): inputs and motion that make outputs of a model follow what is wanted, exact for the nonlinear equations.

Servo constraints y(q) = y_d(t) whose reactions are the inputs, wherever these act, and stable inversion. docs/theory/inversion.md
"""
from __future__ import annotations

import math
from functools import cached_property
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

import numpy as np

from ..channel_values.observer import Observer
from ..functions.channels import channels
from ..functions.evaluation import values
from ..functions.parser import parse
from ..functions.table import Table
from ..functions.units import must, shown
from ..items.errors import ModelError, OptionError
from ..items.sensors import Sensor
from ..kernels.state_row import parts
from .entries import duration_of, wanted_of
from .inversion import Inversion, all_zeros, looked_at
from .motions import motion
from .servo import AtRest, Servo, actuated
from .servo_path import BACKWARD, CENTRAL, FORWARD, Motion, Path

if TYPE_CHECKING:
    from ..model import Model
    from ..solution import Solution

STEPS, MOST = 64, 40_000        # instants in the duration of the motion at first; instants in all
AT_REST = 1e-8                  # of what moves: at both ends of the time that is looked at
UNEVEN = 1e-5                   # the same where motions that grow are not as many as those that decay: rounding grows with that time
LEFT = 100.0                    # times this: what is still there as it is tested
TOLERANCE = 1e-4
NEAR = 1e-9                     # sizes of the model: the same position
WORSE = 0.8                     # of the last change of inputs: it does not fall


class PathInversion(Inversion):
    """What `inverse` finds: ``u`` and ``wanted`` (values) over ``t``, as of a linear `Inversion`, and the motion: ``found["A.angle"]`` is
    any channel over ``t``. ``zeros``, ``end_zeros`` [rad/s]: of the internal dynamics about the rests at both ends; ``relative_degree``:
    how many derivatives of all outputs the inputs set; ``accuracy``: by how much inputs changed, in the mean and in parts of what they are
    in the mean, when instants were last doubled."""

    def __init__(self, motion: Motion, model: Model, duration: float, zeros: tuple[np.ndarray, np.ndarray], degree: int, accuracy: float):
        servo, path = motion.servo, motion.path
        u = path.inputs.copy()
        u[0], u[-1] = motion.ends[0].inputs, motion.ends[1].inputs
        super().__init__(servo.inputs, servo.outputs, path.t, u, motion.wanted, duration, zeros[0])
        self.source, self.end_zeros, self.relative_degree, self.accuracy = model, zeros[1], degree, accuracy
        self._motion = motion

    @property
    def internal(self) -> str:
        """What goes on while the outputs do as they are told, in words."""
        every = np.concatenate([self.zeros, self.end_zeros])
        if not every.size:
            return "no internal dynamics: the outputs and their derivatives give all of the motion (flat)"
        if every.real.max() < 0:
            return f"internal dynamics that decay, the slowest as exp({every.real.max():.4g} t) (minimum phase)"
        slowest = complex(min(every[every.real > 0], key=lambda z: z.real))
        return (f"internal dynamics that are unstable, with a zero at {slowest:.4g} 1/s (non-minimum phase): inputs "
                "begin before the motion")

    @cached_property
    def _observer(self) -> Observer:
        m, p = self._motion, self._motion.path
        rows = m.servo.new_rows(len(p.t))
        s, into = m.servo.d.system, parts(rows, m.servo.d.system.q0.size, m.servo.d.system.n)
        rows[:, 0] = p.t
        into["q"][:], into["lam"][:], into["H"][:] = p.q, p.lam, p.H
        into["v"][:], into["a"][:] = m.rates(1)[0], m.rates(2)[0]
        into["v"][:, m.servo.at_states], into["v"][:, m.servo.at_inputs] = p.states, p.inputs
        assert into["q"].shape[1] == s.q0.size
        return Observer(m.servo.d, rows, np.zeros((len(rows), 3)))

    def __getitem__(self, name: str) -> np.ndarray:
        """A channel of the model over ``t``."""
        return self._observer(name)

    def motion(self, name: str) -> Table:
        """A channel over the time of a run, which begins with the inputs, as `table` gives these: a reference for a controller."""
        found = self[name]
        if found.ndim != 1:
            raise ModelError(f"inverse: {name!r} has {found.shape[1]} components; name one of them, such as {name}.x")
        return self._over_time(found)

    def model(self) -> Model:
        """A copy of the model with its inputs as tables."""
        blocks = [Sensor(f"inverse_input_{k}", self.table(name)) for k, name in enumerate(self.inputs)]
        return actuated(self.source, self.inputs, blocks)

    @property
    def starts(self) -> str:
        """How a run comes to the rest before the motion: "assembled" if that is how the model is assembled, else "static"."""
        servo, rest = self._motion.servo, self._motion.ends[0]
        p = parts(servo.row[None, :], servo.d.system.q0.size, servo.d.system.n)
        far = np.concatenate([(rest.q - p["q"][0]) / servo.d.length, (rest.states - p["v"][0, servo.at_states])])
        return "assembled" if abs(far).max() < NEAR else "static"

    def simulate(self, **options: Any) -> Solution:
        """A run of the nonlinear model from rest with these inputs and no feedback."""
        return self.model().simulate(self.end - self.begin, **{"start": self.starts, **options})

    def error(self, sol: Solution) -> float:
        """The largest error of the outputs in a run that begins with the inputs, in parts of the stroke."""
        worst, stroke = 0.0, np.ptp(self.wanted, axis=0).max()
        begin = float(self.t[self.t >= self.begin][0])
        for k, name in enumerate(self.outputs):
            y = np.array(values(parse(name, ("t",)), sol.t, lambda c: sol[c]))
            due = Table(self.t, self.wanted[:, k]).evaluate(sol.t + begin)
            worst = max(worst, float(abs(y - due).max()))
        return worst / max(float(stroke), 1e-300)

    def save(self, path: str | File) -> None:
        """Times, inputs and outputs as a table of text (.csv)."""
        some = (self.t >= self.begin) & (self.t <= self.end)
        head = ",".join(["t", *self.inputs, *(f'"{name}"' if "," in name else name for name in self.outputs)])
        np.savetxt(path, np.column_stack([self.t, self.u, self.wanted])[some], delimiter=",", header=head, comments="", fmt="%.12g")

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.source.name, "inputs": self.inputs, "outputs": self.outputs, "duration": self.duration, "begin": self.begin,
                "end": self.end, "pre_actuation": self.pre_actuation, "relative_degree": self.relative_degree, "internal": self.internal,
                "zeros": [[z.real, z.imag] for z in self.zeros.tolist()], "accuracy": self.accuracy,
                "peak": {name: float(abs(self.u[:, k]).max()) for k, name in enumerate(self.inputs)}, "t": self.t, "u": self.u}

    def summary(self) -> str:
        """What it found, as text."""
        peaks = ", ".join(f"{name} {abs(self.u[:, k]).max():.5g}" for k, name in enumerate(self.inputs))
        lines = [f"inverse of {self.source.name!r}", f"  outputs          {', '.join(self.outputs)}, {self.duration:g} s",
                 f"  relative degree  {self.relative_degree}, {self.internal}",
                 f"  inputs           from {self.begin:.4g} to {self.end:.4g} s, pre-actuation {self.pre_actuation:.4g} s (1 % of peak)",
                 f"  peaks            {peaks}", f"  accuracy         {self.accuracy:.2g}, {len(self.t)} instants"]
        return "\n".join(lines)

    __str__ = summary

    def __repr__(self) -> str:
        return (f"PathInversion({', '.join(self.inputs)} from {self.begin:.4g} to {self.end:.4g} s for a motion of {self.duration:g} s; "
                f"relative degree {self.relative_degree}, accuracy {self.accuracy:.2g})")


# -- what is asked for
def inverse(model: Model, wanted: Any = None, inputs: Any = None, duration: Any = None, tolerance: Any = None) -> PathInversion:
    """Inputs and motion that make outputs follow ``wanted``, {output: function of t} from 0 to ``duration`` [s].

    An output is a channel, or an expression of channels; it moves as its function does, from where it is at the start, and is at rest
    before and after. ``inputs``, as many: efforts on joint coordinates ("A.angle"), and outputs of blocks `Input`. ``tolerance`` of the
    inputs in the mean, as ``accuracy`` tells it.
    """
    pairs = (("wanted", wanted), ("inputs", inputs), ("duration", duration), ("tolerance", tolerance))
    given = {**model.analyses.get("inverse", {}), **{k: v for k, v in pairs if v is not None}}
    for option, such in (("wanted", "{'arm.tip.position.x': 'sin(t)'}"), ("inputs", "['A.angle']"), ("duration", "1.0")):
        if given.get(option) is None:
            raise ModelError(f"inverse: {option} {'is' if option == 'duration' else 'are'} missing, such as {option}={such}")
    functions = dict(wanted_of(given["wanted"]))
    names, T, small = inputs_of(given["inputs"]), duration_of(given["duration"]), _tolerance(given.get("tolerance"))
    if len(names) != len(functions):
        raise ModelError(f"inverse: {len(functions)} outputs and {len(names)} inputs; must be as many outputs as inputs")
    _look_at_outputs(model, functions)
    servo = Servo(model, list(functions), names)
    start = servo.rest(None)
    search = Search(servo, start, functions, T, model)
    return search.run(model, small)


def inputs_of(value: Any) -> list[str]:
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(v, str) for v in value) or len(set(value)) < len(value):
        raise OptionError("inputs", must(value, "must be a list of different names, such as [A.angle]"), "inverse: inputs = ")
    return list(value)


def _tolerance(value: Any) -> float:
    value = TOLERANCE if value is None else value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 1e-9 <= value <= 1e-2:
        raise OptionError("tolerance", must(value, "must be a number from 1e-9 to 0.01"), "inverse: tolerance = ")
    return float(value)


def _look_at_outputs(model: Model, functions: dict[str, Any]) -> None:
    for name in functions:
        try:
            node = parse(name, (), model.names())
        except ValueError as error:
            raise ModelError(f"inverse: output {shown(name)}: {error}") from None
        if not channels(node):
            raise ModelError(f"inverse: output {shown(name)} must be a channel, or an expression of channels")


class Search:
    """For the motion between the rests at both ends, over a time so long that all is at rest there."""

    def __init__(self, servo: Servo, start: AtRest, functions: dict[str, Any], duration: float, model: Model) -> None:
        self.servo, self.start, self.functions, self.duration, self.names = servo, start, functions, duration, model.names()
        self.from_where = -start.instant.R[servo.at_outputs]
        self.end = self._rests(self._wanted(np.linspace(0.0, duration, STEPS + 1)))[-1]
        linear = [servo.ports(rest) for rest in (start, self.end)]
        self.zeros = looked_at(linear[0]), looked_at(linear[1])
        self.degree = len(linear[0].A) - len(all_zeros(linear[0]))
        before, after, least = self.zeros[0].real, self.zeros[1].real, duration / 8
        both = np.concatenate([before, after])
        self.scheme = CENTRAL if not both.size else BACKWARD if (both < 0).all() else FORWARD if (both > 0).all() else CENTRAL
        even = self.scheme is not CENTRAL or all((x > 0).sum() == (x < 0).sum() for x in (before, after))
        self.at_rest = AT_REST if even else UNEVEN
        self.before = max(least, -math.log(self.at_rest) / before[before > 0].min()) if (before > 0).any() else least
        self.after = max(least, -math.log(self.at_rest) / -after[after < 0].max()) if (after < 0).any() else least

    def _wanted(self, t: np.ndarray) -> np.ndarray:
        """Values of the outputs."""
        columns = []
        for k, (name, f) in enumerate(self.functions.items()):
            (y,) = motion(f, np.clip(t, 0.0, self.duration), (0,), f"inverse: the motion wanted of {name!r}", self.names)
            (y0,) = motion(f, np.array([0.0, self.duration]), (0,), f"inverse: the motion wanted of {name!r}", self.names)
            columns.append(self.from_where[k] + y - y0[0])
        return np.array(columns).T

    def _rests(self, wanted: np.ndarray) -> list[AtRest]:
        """The path gone through without end of time."""
        found, at, last = [], self.start, self.from_where
        for y in wanted:
            at = self.servo.rest(y, at) if (y != last).any() else at
            found.append(at)
            last = y
        return found

    def run(self, model: Model, tolerance: float) -> PathInversion:
        while True:
            found = self._on_window(tolerance)
            p, moved = found[0].path, np.ptp(found[0].path.inputs, axis=0).max()
            early, late = (float(abs(part - rest.inputs).max()) for part, rest in ((p.inputs[:3], self.start), (p.inputs[-3:], self.end)))
            small = LEFT * self.at_rest * moved
            if max(early, late) <= small or not moved:
                return PathInversion(found[0], model, self.duration, self.zeros, self.degree, found[1])
            self.before, self.after = (2 * x if e > small else x for x, e in ((self.before, early), (self.after, late)))
            self._look_at_size(self.duration / STEPS)

    def _look_at_size(self, h: float) -> None:
        count = (self.before + self.duration + self.after) / h
        if count > MOST:
            raise ModelError(f"inverse: inputs would act {self.before:.3g} s before and {self.after:.3g} s after a motion of "
                             f"{self.duration:g} s, in steps of {h:.2g} s: too long. Give slow internal motions more damping, take another "
                             "output, or a longer motion")

    def _on_window(self, tolerance: float) -> tuple[Motion, float]:
        """The motion, with instants doubled until inputs change no more than they may."""
        h = self.duration / STEPS
        self._look_at_size(h)
        t = h * np.arange(-math.ceil(self.before / h), STEPS + math.ceil(self.after / h) + 1)
        wanted = self._wanted(t)
        rests = self._rests(wanted)
        path = Path(t, *(np.array([getattr(rest, k) for rest in rests]) for k in ("q", "lam", "H", "states", "inputs")))
        found = Motion(self.servo, path, wanted, (self.start, self.end), self.scheme)
        found.solve()
        before = math.inf
        while True:
            self._look_at_size(found.path.h / 2)
            last = found.path.inputs
            path = found.path.finer()
            found = Motion(self.servo, path, self._wanted(path.t), (self.start, self.end), self.scheme)
            found.solve()
            size = float(abs(last - last[0]).mean(axis=0).max())
            change = float(abs(path.inputs[::2] - last).mean(axis=0).max()) / size if size else 0.0
            if change <= tolerance:
                return found, change
            if change > WORSE * before:
                raise ModelError(f"inverse: inputs change by {change:.2g} when instants are twice as many, and no less than before: the "
                                 f"motion that is wanted has too few continuous derivatives. Inputs set {self.degree} of them in all, so "
                                 "take a polynomial of degree 9, or a larger tolerance")
            before = change
