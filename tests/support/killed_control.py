"""An arm with a sampled controller in compiled code and one in Python; as a program it kills itself half-way.

    python tests/support/killed_control.py FILE
"""
import os
import signal
import sys

import no_jit

import pliant as pl
from pliant.methods.integrators.time_loop import run as runs

DURATION, T, DEADLY = 0.6, 1e-3, 0.35  # s


def law(t, y, x):
    """PI control of the elbow."""
    e = 0.5 * t - y[0]
    return [2 * e - 0.3 * y[1] + x[0]], [x[0] + 2 * T * e]


def deadly(t, y, x):
    if t >= DEADLY:
        os.kill(os.getpid(), signal.SIGKILL)
    return law(t, y, x)


def model(function=law):
    """The example two_link_arm with motors in place of drives, and noise in what the shoulder measures."""
    m = no_jit.load("two_link_arm").model()
    for drive in ("first", "second"):
        m.remove(drive)
    m.add(pl.Noise("hum", 1e-4, T, seed=5))
    m.add(pl.PID("pid", "0.3*sin(3*t)", "shoulder.angle + hum.output", kp=2.0, ki=3.0, kd=0.2, N=100, limits=(-0.5, 0.5), period=T))
    m.add(pl.Controller("python", function, T, ["elbow.angle", "elbow.angle_rate"], ["torque"], [0.0]))
    for joint, signal_ in (("shoulder", "pid.output"), ("elbow", "python.torque")):
        m.add(pl.LowPass(f"{joint}_lag", signal_, 5e-3))
        m.add(pl.JointTorque(f"{joint}_motor", joint, f"{joint}_lag.output"))
    return m


if __name__ == "__main__":
    runs.LEAST, runs.MOST = 10, 130  # as in `interrupted.short_intervals`
    model(deadly).simulate(DURATION, output_step=0.01, out=sys.argv[1], progress=lambda t, end: None)
