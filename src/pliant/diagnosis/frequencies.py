"""How fast a model vibrates and spins, against the step and the accuracy of its run."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..compile.vibration import Vibration
from ..kernels.state_row import parts
from ..methods.stability import with_rotary
from ..model import Model
from ..report.finding import WARNING, Finding
from .loops import MOMENTS, by_time
from .registry import RUN, check

if TYPE_CHECKING:
    from .examination import Examination

RESOLVED = 1.0        # h omega: a vibration needs about six steps per period
UNDAMPED = 0.02       # damping ratios below this count as none
MANY = 3e6            # steps of a run that are worth a warning


@dataclass
class Settings:
    """Of a run, as far as the model says."""
    duration: float | None = None
    step: float | None = None
    accuracy: float = 1e-5
    method: str = ""              # an explicit one
    limit: float = np.inf         # its largest stable h omega
    rotary_scale: float = 1.0     # of the inertia of beam sections

    @classmethod
    def of(cls, model: Model) -> Settings:
        from ..functions.units import quantity
        from ..methods.run_options import accuracy_of
        from ..methods.selection import chosen, in_coordinates, in_joint_coordinates
        out = cls()
        try:
            for name in ("duration", "step"):
                if model.settings.get(name) is not None:
                    setattr(out, name, quantity(model.settings[name], "s"))
            out.accuracy = accuracy_of(model.settings.get("accuracy") or "normal", None)
            named = model.settings.get("integrator"), in_coordinates(model.settings)
            method = chosen(*named, out.step is not None)[0]
            if in_joint_coordinates(named[1]) and named[0] is None:
                return out  # the run takes a method that is stable
            if method.limit < np.inf:
                out.method, out.limit, out.rotary_scale = method.kind, method.limit, getattr(method, "rotary_scale", 1.0)
        except ValueError:
            pass  # simulate says what is wrong with its options
        return out

    @property
    def length(self) -> float:
        """The duration, or 10 s where none is given."""
        return self.duration or 10.0


@dataclass
class Spring:
    """One direction of a spring: what it pulls at (a vector of forces on all coordinates), stiffness and damping."""
    name: str
    pull: np.ndarray
    k: float
    c: float

    def vibration(self, model: Vibration) -> tuple[float, float]:
        """Its frequency [rad/s] with all joints held, and the damping ratio; zeros if it moves nothing."""
        answer = model.response(self.pull) if self.k > 0 else None
        flexibility = float(self.pull @ answer) if answer is not None else 0.0
        if flexibility <= 0:
            return 0.0, 0.0
        w = float(np.sqrt(self.k * flexibility))
        return w, self.c * flexibility / (2 * w)


def springs(model: Model, v: Vibration) -> Iterator[Spring]:
    """All forces with constant stiffness, direction by direction."""
    d = v.dynamics.directory
    for item in sorted((model[name] for name in d.forces), key=lambda item: item.listed):
        for along in item.stiffnesses(v):
            r = d.forces[item.name]
            yield Spring(item.name, _pull(v, r.a, r.b, along.wrench), along.stiffness, along.damping)


def _pull(v: Vibration, a: int, b: int, u: np.ndarray) -> np.ndarray:
    """Forces on the coordinates of a unit wrench u on frame b and -u on frame a."""
    out = np.zeros(v.system.n)
    for frame, sign in ((a, -1.0), (b, 1.0)):
        count, first, _, tile = v.system.data.fr[frame]
        for k in range(count):
            out[6 * (tile + k):6 * (tile + k) + 6] += sign * u @ v.x.J[first + k]
    return out


@check("stiff-undamped-spring", "a spring that vibrates too fast for the run", RUN)
@check("step-too-large", "a fixed step too long for the motion", RUN)
@check("step-unstable", "a fixed step beyond what an explicit integrator can take", RUN)
def too_fast(e: Examination) -> Iterator[Finding]:
    """Vibrations and spins against the step, or against the accuracy."""
    settings, d, h = e.settings, e.dynamics.directory, e.settings.step
    elastic = any(r.family.elastic for r in d.forces.values())
    if elastic or ((d.flexible or d.beams) and settings.method):
        vibration = Vibration(with_rotary(e.dynamics, settings.rotary_scale if d.beams else 1.0), e.q)
        stiff = list(_stiff_springs(e.model, vibration, settings))
        yield from stiff
        if h is not None and settings.method:
            yield from _unstable(vibration, settings, h)
        elif h is not None and not stiff:
            yield from _unresolved(e.model, vibration, h)
    if h is not None:
        s = e.dynamics.system
        velocities = None if e.row is None else parts(e.row[None, :], s.q0.size, s.n)["v"][0]
        yield from _spins(e.dynamics, velocities, _driven_rates(e), h)


def _stiff_springs(model: Model, vibration: Vibration, settings: Settings) -> Iterator[Finding]:
    """Springs whose undamped vibration the run would have to follow, or cannot."""
    fast: dict[str, float] = {}
    for spring in springs(model, vibration):
        w, ratio = spring.vibration(vibration)
        if w > 0 and ratio < UNDAMPED:
            fast[spring.name] = max(w, fast.get(spring.name, 0.0))
    for name, w in fast.items():
        steps = settings.length * w / (2 * np.cbrt(settings.accuracy))
        if steps > MANY if settings.step is None else settings.step * w > RESOLVED:
            yield _stiff(name, w, steps, settings)


def _driven_rates(e: Examination) -> dict[str, float]:
    """The fastest turning of driven joints, at a few moments [rad/s]."""
    angles = {b.name: b.rows[0] for b in e.mechanism.blocks if b.kind == "drive" and b.directions[0][0] == "angle"}
    if not angles:
        return {}
    seen = [abs(by_time(e.mechanism, part * e.settings.length)) for part in MOMENTS]
    return {name: float(max(v[row] for v in seen)) for name, row in angles.items()}


def _hz(w: float) -> str:
    f = w / (2 * np.pi)
    return f"{f / 1e3:.3g} kHz" if f >= 1e3 else f"{f:.3g} Hz"


def _stiff(name: str, w: float, steps: float, settings: Settings) -> Finding:
    if settings.step is not None:
        why = f"the fixed step of {settings.step:g} s is {settings.step * w / (2 * np.pi):.2g} of its period and cannot follow it"
    else:
        given = "" if settings.duration else " (no duration is given)"
        why = f"following it for {settings.length:g} s{given} at accuracy {settings.accuracy:g} takes about {steps:.2g} steps"
    return Finding("stiff-undamped-spring", WARNING, (name,), f"spring {name!r} vibrates at {_hz(w)} without damping; {why}.",
                   "Give it the damping it has in reality (a ratio of a few per cent), lower its stiffness, put a joint in its place, or "
                   "choose a shorter step.")


def _unresolved(model: Model, v: Vibration, h: float) -> Iterator[Finding]:
    w, mode = v.fastest()
    if h * w <= RESOLVED:
        return
    ratio = float(mode @ v.image(v.damping, mode)) / (2 * w * float(mode @ v.image(v.M, mode)))
    if ratio > 0.2:
        return
    elastic = np.concatenate([v.dynamics.modal_rows(name) for name in v.dynamics.directory.flexible] or [np.zeros(0, np.int64)])
    force = v.image(v.K, mode)
    if float(mode[elastic] @ force[elastic]) > float(mode @ force) / 2:  # a fast mode of a flexible body, which hardly moves
        return
    shares: dict[str, float] = {}
    for spring in springs(model, v):
        shares[spring.name] = shares.get(spring.name, 0.0) + spring.k * float(spring.pull @ mode) ** 2
    if not shares:
        return
    name = max(shares, key=shares.__getitem__)
    yield Finding("step-too-large", WARNING, (name,), f"the highest natural frequency of the model is {_hz(w)}, mostly of spring {name!r}; "
                  f"the fixed step of {h:g} s is {h * w / (2 * np.pi):.2g} of its period and cannot follow it.",
                  f"Take a step below {RESOLVED / w:.1g} s, ask for accuracy instead of a step, or lower the stiffness.")


def _unstable(v: Vibration, settings: Settings, h: float) -> Iterator[Finding]:
    """Explicit methods grow without bound beyond their limit, whether vibrations are damped or not."""
    w, mode = v.fastest()
    mass = float(mode @ v.image(v.M, mode))
    ratio = float(mode @ v.image(v.damping, mode)) / max(1e-300, 2 * w * mass)
    rate = w * max(1.0, ratio + np.sqrt(max(0.0, ratio**2 - 1)))
    if h * rate > settings.limit:
        yield Finding("step-unstable", WARNING, (), f"the highest natural frequency of the model is {_hz(w)}"
                      f"{f', damped with a ratio of {ratio:.3g}' if ratio > 0.2 else ''}; with the fixed step of {h:g} s h omega is "
                      f"{h * rate:.3g}, beyond the limit {settings.limit:g} of {settings.method}: the run would grow without bound.",
                      f"Take a step below {settings.limit / rate:.1g} s, ask for accuracy instead of a step, or take an implicit "
                      "integrator.")


def _spins(dynamics: CompiledModel, velocities: np.ndarray | None, rates: dict[str, float], h: float) -> Iterator[Finding]:
    fast = {name: w for name, w in rates.items() if h * w > RESOLVED}
    if not fast and velocities is not None:
        fast = {name: float(np.linalg.norm(velocities[said.iv + 3:said.iv + 6])) for name, said in dynamics.directory.stated.items()}
        fast = {name: w for name, w in fast.items() if h * w > RESOLVED}
    for name, w in fast.items():
        yield Finding("step-too-large", WARNING, (name,), f"{name!r} turns at {w:.3g} rad/s, {np.degrees(h * w):.3g} degrees in one fixed "
                      f"step of {h:g} s; beyond half a turn turns are lost, and long before that accuracy.",
                      f"Take a step below {0.1 / w:.1g} s, or ask for accuracy instead of a step.")
