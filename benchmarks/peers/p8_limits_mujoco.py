"""Chains of 10 and 100 hinged rods that fall for 2 s, all hinges but the first limited to +-20 deg, in MuJoCo: how far limits overrun,
looked at after every step, and the cheapest setting with which they do so by less than 0.1 deg. Rods: capsules, 0.1 m long between hinges,
radius 0.01 m, 1000 kg/m^3. All steps of a timed run are one call, in a second run they are looked at."""
import sys

import mujoco as mj
import numpy as np

from common import Timer, best, row

LENGTH, RADIUS, LIMIT, END, ALLOWED = 0.1, 0.01, 20.0, 2.0, 0.1  # m, m, deg, s, deg
STEPS = (1e-3, 5e-4, 2e-4, 1.4e-4, 1e-4, 7e-5, 5e-5, 3.5e-5, 2.5e-5, 1.8e-5, 1.2e-5)
STIFF = ("0.9 0.95 0.001 0.5 2", "0.95 0.99 0.0003 0.5 2", "0.99 0.999 0.0001 0.5 2")  # solimp; the first one is the default
SOLREF = (2.0, 4.0)  # time constant in steps: shorter than two is not allowed (refsafe)


def build(n, h, solref, solimp):
    x, end = "", ""
    for i in range(n):
        limited = 'limited="false"' if i == 0 else (f'limited="true" range="-{LIMIT} {LIMIT}" solreflimit="{solref}" '
                                                    f'solimplimit="{solimp}"')
        x += (f'<body pos="{0 if i == 0 else LENGTH} 0 0"><joint type="hinge" axis="0 1 0" {limited}/>'
              f'<geom type="capsule" fromto="0 0 0 {LENGTH} 0 0" size="{RADIUS}" density="1000"/>')
        end += "</body>"
    m = mj.MjModel.from_xml_string(
        f'<mujoco><compiler angle="degree"/><option timestep="{h}" integrator="implicitfast" tolerance="1e-10">'
        f'<flag contact="disable"/></option><size memory="64M"/><worldbody>{x}{end}</worldbody></mujoco>')
    return m, mj.MjData(m)


def overrun(n, h, solref, solimp):
    """The largest one [deg]; infinite if the run was broken off by MuJoCo."""
    m, d = build(n, h, solref, solimp)
    worst = 0.0
    for _ in range(int(round(END / h))):
        mj.mj_step(m, d)
        worst = max(worst, float(np.degrees(np.abs(d.qpos[1:]).max())) - LIMIT)
    return worst if np.isfinite(d.qpos).all() and not any(w.number for w in d.warning) else np.inf


def measured(n, h, solref, solimp, over, what):
    with Timer() as made:
        m, d = build(n, h, solref, solimp)
    steps = int(round(END / h))

    def timed():
        mj.mj_resetData(m, d)
        with Timer() as t:
            mj.mj_step(m, d, steps)
        return (t.s,)

    row("8 limits n=%d" % n, "mujoco", "implicitfast, %s" % what, h, best(timed)[0], steps, over, "overrun [deg]", setup=made.s,
        note="solref %s, solimp %s" % (solref, solimp))


def run(n):
    measured(n, 1e-3, "0.02 1", STIFF[0], overrun(n, 1e-3, "0.02 1", STIFF[0]), "default")
    for h in STEPS:
        found = [(overrun(n, h, f"{k * h:g} 1", stiff), f"{k * h:g} 1", stiff) for k in SOLREF for stiff in STIFF]
        over, solref, solimp = min(found)
        print("h %g: overrun %.3g deg with solref %s, solimp %s" % (h, over, solref, solimp), file=sys.stderr, flush=True)
        if over < ALLOWED:
            return measured(n, h, solref, solimp, over, "below 0.1 deg")


if __name__ == "__main__":
    for links in [int(a) for a in sys.argv[1:]] or (10, 100):
        run(links)
