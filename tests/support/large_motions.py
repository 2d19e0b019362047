"""Beams that move far, by every formulation that knows them, against series computed without finite elements (two spectral meshes).

All of them as a program, with their errors.
"""
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from spin_up import errors as spun
from spin_up import spin_up, stretched

import pliant as pl

STOP = 2.5  # s: until then the beams of Simo and Vu-Quoc are pushed
TWISTLESS = "ancf-cable", "torsional-springs"
SHEAR = "segments", "ancf"
EXACT, COROTATIONAL = "geometrically-exact", "corotational"
ROOTS = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613])  # cos x cosh x = -1


def series(name):
    """Times, and the columns beside them."""
    rows = np.loadtxt(Path(__file__).parent / f"{name}.csv", delimiter=",", skiprows=1)
    return rows[:, 0], rows[:, 1:]


def section(EI):
    """Of the planar beams of Simo and Vu-Quoc 1986: EA = GA = 1e4, rho A = 1, rho I = 10, which no section of one material has."""
    return pl.SectionMatrices(np.diag([1e4, 1e4, 1e4, EI, EI, EI]), np.diag([1.0, 1.0, 1.0, 20.0, 10.0, 10.0]))


def thrown(EI, **more):
    """Free flight: from (6, 0) to (0, 8), for 2.5 s with a force of 8 and a moment of 80, clockwise, at its lower end."""
    m = pl.Model("thrown beam", planar="z")
    m.add(pl.Beam("beam", (6, 0, 0), (0, 8, 0), section(EI), up="z", **more))
    m.add(pl.Force("push", "beam.start", (f"if(t < {STOP}, 8, 0)", 0, 0)))
    m.add(pl.Torque("turn", "beam.start", (0, 0, f"if(t < {STOP}, -80, 0)")))
    return m


def arm(**more):
    """EI = 1000, on a hinge, turned by a moment of 80 for 2.5 s."""
    m = pl.Model("arm", planar="z")
    m.add(pl.Beam("beam", (0, 0, 0), (10, 0, 0), section(1000), up="z", **more))
    m.add(pl.Revolute("hinge", m.ground, "beam.start", axis="z"))
    m.add(pl.Torque("turn", "beam.start", (0, 0, f"if(t < {STOP}, 80, 0)")))
    return m


def pendulum(formulation, stretch=1.0, **more):
    """Very flexible, let go from rest where it is level (parameters of Escalona, Berzeri and Shabana): 1.2 m, 0.2 by 0.009 m. By its
    weight it is longer by a tenth and more; ``stretch=0.01`` makes that a hundredth of it, and bending stays as it is."""
    m = pl.Model("flexible pendulum", gravity=(0, -9.81, 0), **({} if formulation == "ancf" else {"planar": "z"}))
    material, inertia, height = pl.Material(7e5 / stretch, 0.3, 5540), 1.215e-8 * stretch, 0.009 * stretch**0.5
    profile = (pl.Section.rectangle(height, 0.0018 / height) if formulation == "ancf"
               else pl.Section.general(0.0018, inertia, inertia, 2 * inertia))
    m.add(pl.Beam("beam", (0, 0, 0), (1.2, 0, 0), profile, material, up="z", formulation=formulation, **more))
    m.add(pl.Spherical("hinge", m.ground, "beam.start") if formulation in TWISTLESS else
          pl.Revolute("hinge", m.ground, "beam.start", axis="z"))
    return m


def slender(formulation, elements):
    """Frequencies of a cantilever 200 times as long as it is thick, the first three, in parts of those of Euler and Bernoulli, less 1."""
    m = pl.Model("slender cantilever")
    m.add(pl.Beam("beam", (0, 0, 0), (2, 0, 0), pl.Section.rectangle("10 mm", "10 mm"), "steel", elements=elements,
                  formulation=formulation, shear=formulation in SHEAR))
    m.add(pl.Revolute("clamp", m.ground, "beam.start", axis="x") if formulation in TWISTLESS else
          pl.Fixed("clamp", m.ground, "beam.start"))
    rates = 2 * np.pi * np.asarray(m.modes(8).frequencies)[:6:2]  # both planes have the same
    return rates / ((ROOTS / 2) ** 2 * np.sqrt(pl.STEEL.E * 0.01**2 / 12 / pl.STEEL.rho)) - 1


@dataclass(frozen=True)
class Motion:
    model: Callable[..., pl.Model]
    name: str       # of its series
    frames: tuple[str, ...]
    until: float
    every: float
    bound: float    # m

    def error(self, step=2.5e-3, integrator="energy-momentum", **more):
        """The largest distance from where its ends should be, and the run."""
        sol = self.model(**more).simulate(self.until, step=step, integrator=integrator, output_step=self.every, progress=False)
        t, places = series(self.name)
        n = len(sol.t)
        np.testing.assert_allclose(sol.t, t[:n], atol=1e-9)
        off = np.hstack([sol[f"beam.{frame}.position"][:, :2] for frame in self.frames]) - places[:n]
        return float(np.linalg.norm(off.reshape(n, -1, 2), axis=2).max()), sol


MOTIONS = {
    "thrown beam": Motion(lambda **more: thrown(500, **more), "flying_beam", ("start", "end"), 10.0, 0.5, 0.01),
    "thrown spaghetti": Motion(lambda **more: thrown(100, **more), "flying_spaghetti", ("start", "end"), 10.0, 0.5, 0.01),
    "arm": Motion(arm, "robot_arm", ("end",), 15.0, 0.5, 0.01),
    "pendulum": Motion(pendulum, "flexible_pendulum", ("end",), 0.6, 0.1, 0.012),
}
PENDULUMS = {  # elements and step, within 1 % of the length
    EXACT: (32, 1e-3, "energy-momentum"), COROTATIONAL: (64, 1e-3, "energy-momentum"), "segments": (32, 1e-3, "generalized-alpha"),
    "torsional-springs": (128, 5e-4, "generalized-alpha")}
SPUN = {  # elements, within 1 %
    EXACT: (8, "energy-decaying"), COROTATIONAL: (16, "energy-decaying"), "ancf": (16, "generalized-alpha"),
    "ancf-cable": (8, "generalized-alpha"), "torsional-springs": (32, "generalized-alpha"), "segments": (16, "generalized-alpha"),
    "modal": (16, "generalized-alpha")}
SLENDER = {EXACT: 8, COROTATIONAL: 8, "ancf-cable": 8, "modal": 8, "segments": 32, "ancf": 64, "torsional-springs": 128}  # within 0.1 %


def main() -> int:
    bad = 0

    def tell(what, error, bound):
        nonlocal bad
        bad += not error < bound
        print(f"{what}: {error:.2e} ({bound:.0e}){'' if error < bound else '  FAILED'}")

    for form, elements in SLENDER.items():
        tell(f"frequencies, {form}, {elements} elements", float(abs(slender(form, elements)).max()), 1e-3)
    for name in ("thrown beam", "thrown spaghetti", "arm"):
        for form in (EXACT, COROTATIONAL):
            tell(f"{name}, {form}, 128 elements [m]", MOTIONS[name].error(formulation=form, elements=128)[0], MOTIONS[name].bound)
    for form, (elements, step, method) in PENDULUMS.items():
        tell(f"pendulum, {form}, {elements} elements [m]", MOTIONS["pendulum"].error(step, method, formulation=form, elements=elements)[0],
             MOTIONS["pendulum"].bound)
    for form, (elements, method) in SPUN.items():
        sol = spin_up(elements, form).simulate(20.0, step=0.01, integrator=method, output_step=0.5)
        tell(f"spin-up, {form}, {elements} elements", max(*spun(sol), abs(stretched(sol))), 0.01)
    return bad


if __name__ == "__main__":
    raise SystemExit(main())
