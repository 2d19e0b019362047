"""A model at other speeds of rotation: everything that it states of velocities, multiplied."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..items.base import did_you_mean
from ..items.drives import Drive
from ..items.errors import ModelError, OptionError
from ..kernels import evaluation
from ..kernels.state_row import parts
from ..start.assembly import start_row
from ..start.position_solver import coordinate
from .tangent import load

if TYPE_CHECKING:
    from ..model import Model

RATES = "angle_rate", "displacement_rate"
VELOCITIES = "velocity", "angular_velocity"


class AtSpeeds:
    """A model whose statements of velocity are multiplied. Its speed is the rate of the joint ``about``; without, that of the body that
    turns fastest, or of the only joint to the ground that can turn if nothing does."""

    def __init__(self, model: Model, about: str | None) -> None:
        self.base = model
        d = model.copy().compile(exact=True)
        row = start_row(d)
        p = parts(row[None, :], d.system.q0.size, d.system.n)
        t = load(d, row)
        d.x.D[:] = 0
        evaluation.run(d.system.program("tangent"), d.system.data, d.x, t, 0.0, 0.0, 0.0)
        v = p["v"][0, :d.system.n_v]
        self.rates = {}
        for name, joint in d.directory.joints.items():
            for which in joint.zeros:
                value, gradient = coordinate(d, joint, which)
                self.rates[name, which] = value, float(gradient @ v)
        turning = max((float(np.linalg.norm(p["v"][0, iv:iv + 3])) for iv in d.system.data.rotations[:, 0]), default=0.0)
        self.about = self._joint(about, turning)
        self.speed = self.rates[self.about, "angle"][1] if self.about else turning

    def _joint(self, about: str | None, turning: float) -> str:
        angles = [name for name, which in self.rates if which == "angle"]
        if about is not None:
            if about not in angles:
                raise OptionError("about", f"there is no joint {about!r} with an angle{did_you_mean(about, angles)}", "campbell: about: ")
            return about
        if turning:
            return ""
        grounded = [name for name in angles if "ground" in (self.base[name].a.body, self.base[name].b.body)]
        if len(grounded) == 1:
            return grounded[0]
        raise ModelError("campbell: nothing turns in this model as it is stated; say which joint does: about="
                         f"{(grounded or angles or ['JOINT'])[0]!r}")

    def model(self, speed: float) -> Model:
        """At a speed [rad/s]."""
        m = self.base.copy()
        drives: dict[tuple[str, str], str] = {(x.joint, x.coordinate): x.name for x in m.section("drives") if isinstance(x, Drive)}
        if self.about and not self.speed:
            self._set(m, drives, (self.about, "angle"), speed)
            return m
        by = speed / self.speed
        for item in [*m.section("bodies"), *m.section("joints")]:
            for field in (*VELOCITIES, *RATES):
                given = getattr(item, field, None)
                if given is not None and field in item.model_fields_set:
                    setattr(item, field, tuple(by * np.array(given)) if field in VELOCITIES else by * given)
        for key in drives:
            if self.rates[key][1]:
                self._set(m, drives, key, by * self.rates[key][1])
        return m

    def _set(self, m: Model, drives: dict[tuple[str, str], str], key: tuple[str, str], rate: float) -> None:
        """The rate of a joint's coordinate, by its drive if it has one."""
        if key in drives:
            m.items[drives[key]] = Drive(*key, f"{self.rates[key][0]!r} + ({rate!r})*t", drives[key])
        else:
            setattr(m[key[0]], f"{key[1]}_rate", rate)
