"""What a loop, its method and Python tell each other: the record of a run in progress, and the vectors of a step."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....kernels.evaluation import Program
from ....kernels.records import record_type

CONTROL = record_type({
    "now": "time of the last accepted state",
    "stop": "end of the smooth interval",
    "first, last": "start and end of the run",
    "t0, t1, h": "start, end and length of the step that is made",
    "h1": "length of the last accepted step",
    "next": "length of the step to try next",
    "least, most": "the smallest step, the largest one",
    "usual": "the usual step of late",
    "brief": "a step shorter than this may have the error of one so long",
    "eps": "error allowed per second",
    "error": "of the last step, over what is allowed",
    "exponent": "of the error per second in h",
    "wish": "how much longer the method wants the next step to be; 0: as follows from the error",
    "speed": "of the model so far, in its sizes per second",
    "slowest": "that it is at least",
    "size": "of the model",
    "swing": "rad: most that a quaternion of the state may turn in a step",
    "h_bad, e_bad": "the last rejected step, and its error",
    "spent": "what the smallest steps have erred by, in sizes of the model",
    "after": "time right behind a jump",
    "sought": "length of the step in which a jump is sought",
    "looked, ended": "start and end of the step that was looked at for jumps",
    "passed": "length of the one before it",
    "caution": "part of the step that sizes of F suggest, to begin an interval with",
    "span": "so many jumps as are kept in less time are too many",
    "widest": "that joints may be open after a correction",
    "within": "that positions may be wrong by, in sizes of the model",
    "loose": "how far joints are open in the middle of the step that was looked at for jumps, over that",
    "watch_begin, watch_end": "start and end of the step in which steep laws were looked at",
    "units": "of steep laws that the step passes",
    "enter": "length of the step that is to lead into something steep",
    "looks": "samples of Python functions of the motion, in the whole run",
    "origin, base": "of ticks: the time of the first one, and the base of all periods",
    "instant": "time of the next tick",
    "echo": "when the next jump comes back from a delay",
}, {
    "steps": "accepted so far, from the very start",
    "end": "number of fixed steps",
    "iterations, factorisations": "so far",
    "rejected": "steps made again",
    "stored": "rows since Python took them",
    "output": "number of the next row",
    "outputs": "number of rows",
    "fixed": "whether all steps have one length",
    "histories": "whether turns are counted",
    "jumpy": "whether functions of the motion have jumps",
    "reacts": "whether choices depend on multipliers, which belong to accelerations",
    "sites": "choices that functions are held on",
    "seen": "how many steps were looked at: one, or more",
    "asked": "of the method: to make a step, or its polynomial",
    "known": "whether the method has left F(t1, y1) in f1",
    "ready": "whether P belongs to the last step",
    "pending": "whether rows of the last step are still to be kept",
    "fresh": "whether no step of the smooth interval is made yet",
    "grown": "whether the last step was rejected",
    "target": "see REACH, ARRIVED, PASS",
    "beyond": "steps that went beyond the jump that is sought",
    "failures": "attempts in a row that failed",
    "stagnant": "steps with too large an error of late",
    "aided": "steps by the sparse solver",
    "sticky": "whether it stays",
    "latest": "the last step that it took alone",
    "choices": "numbers of W for choices of functions",
    "through": "whether jumps are passed in the loop",
    "coming, segment": "the next jump in time, the present limit of steps",
    "jumps": "so far",
    "tick": "number of the next one",
    "events": "whether there are discrete values: SAMPLED, or WATCHED if some change at jumps too",
    "changed": "whether some have changed",
    "finished": "whether an event ends the run",
    "begun": "whether what happens at the start has",
    "reactive": "whether conditions read what joints exert, so that multipliers are computed for them",
    "echoed": "whether an interval begins since a jump has come back",
    "structure": "whether another structure is asked for at the instant, which Python passes; fixed steps: whether it has",
})
MAKE, BETWEEN = range(2)        # c.asked: a step, the polynomial
REACH, ARRIVED, PASS = 1, 2, 3  # c.target: the step is to end behind a jump; it has not come so far; it has
SAMPLED, WATCHED = 1, 2         # c.events
FORCES, RATES, PLACES = range(3)  # kinds of stops: forces jump, rates of drives may, drives themselves do
NARROW = 1e-13     # a jump is located to this part of the step
SAMPLES = 5        # places in a step that is looked at closely for jumps
NOISE = 1e-6       # of the size of a Python function: changes below are none
NEVER = 1e300      # in place of a time
TINY = 1e-2        # of the usual step: shorter ones may have the whole error of a usual one
TURN = 2.0         # rad: most that what is counted may turn in a step
SLOWEST_PART = 1e-3  # of the fastest: errors of velocities are measured in no less
RIGID, ELASTIC = 10.0, 100.0  # times the speed of a model with flexible bodies, but no more than the fastest: velocities, those of modes
STATE = 0.0        # in its place for states, which are measured in themselves
AMPLIFIED = 5e5    # how much a nearly singular position may amplify rounding


class Kernels(NamedTuple):
    """Addresses; without Numba the functions themselves."""
    rhs: Any        # accelerations, see `kernels.ode`
    correct: Any    # puts a state back on the constraints; 0 where the method does
    step: Any       # of the method
    solver: Any     # of implicit methods
    starter: Any    # the method that begins for another one
    unfold: Any     # moves the bodies, in joint coordinates
    anew: Any       # of the method: it forgets the past, as an interval begins
    again: Any      # in place of `anew` behind an instant: what may be kept is kept
    onset: Any      # of the method: what it needs of the past, made of the state, slope and first step of an interval
    occur: Any      # what happens after a fixed step
    settle: Any     # makes states behind jumps consistent, where that takes more than accelerations
    place: Any      # with what: the address of a tuple
    react: Any      # multipliers at a state, of a method that holds constraints itself, where conditions read them
    take: Any       # rigid limits of a tree: which are held as an interval begins,
    look: Any       # their margins at a state,
    meet: Any       # and what happens to them at an instant; 0 where Python passes it, or there are none
    stops: Any      # of what: the address of a tuple


class Steps(NamedTuple):
    """y = (positions, velocities, dissipated energy, work) and f = y' at both ends of a step, and work arrays."""
    y0: np.ndarray
    f0: np.ndarray
    y1: np.ndarray
    f1: np.ndarray
    error: np.ndarray
    weight: np.ndarray  # 1 / size of the model for lengths, 2 for quaternions, 1 / nominal for states, 0 for energies
    speed: np.ndarray   # of every velocity: what its errors are measured in, see `speeds`
    times: np.ndarray   # the speed of the model, that this is at least unless nothing is so fast; STATE of states
    points: np.ndarray  # of bodies, where others hold them: place of the angular velocity in v, and r / (PART size), body axes
    P: np.ndarray       # y(t0 + s h) = y0 + sum_k P[k] s^k,  k = 1, 2, ...                                 [ode-2]
    K: np.ndarray       # stages
    z: np.ndarray
    f: np.ndarray       # F at a sample
    site: np.ndarray    # where in W margins of choices are, c.sites of them; and their values, rows: places in the step
    margin: np.ndarray
    slope: np.ndarray   # where in W their rates are, 0 of those without; and their values, times the step
    pace: np.ndarray
    stops: np.ndarray   # times right before and right after jumps in time, and of which kind; the end of the run last
    limits: np.ndarray  # ends of segments of time, and the largest step in each
    jumped: np.ndarray  # times of the last jumps
    due: np.ndarray     # times of rows
    history: Program    # counts turns
    update: Program     # discrete values
    sense: Program      # signals
    delays: np.ndarray  # first and last of their elements
    echoes: np.ndarray  # when jumps come back from delays, and how often they still will; 0: a free row
    every: np.ndarray   # periods in base periods
    states: np.ndarray  # of states: place among velocities, and in v
    tangent: Program    # empty where its functions make no choices of their own
    decide: Program     # margins of choices that forces depend on
    watched: np.ndarray  # where in tab arguments of steep functions are kept; the arguments, rows: places in the step; their change
    argument: np.ndarray  # per second in the step before, and the lowest and highest so far
    change: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    call: Kernels
