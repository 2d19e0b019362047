"""Running programs: the jitted loop over family functions, and the update of positions on their manifold."""
from typing import NamedTuple

import numpy as np

from .by_reference import reference
from .contract import Batch, Out, State, call, with_rows
from .expression_vm import JUMPS
from .jit import entry, inlined
from .so3 import scale, turn, vec


class Program(NamedTuple):
    """What one evaluation runs, in order: addresses of family functions, and (first, last) row of the elements of each."""
    address: np.ndarray
    rows: np.ndarray


class Data(NamedTuple):
    """The compiled model. ip, rp, fr, tab, val as in Batch."""
    ip: np.ndarray
    rp: np.ndarray
    fr: np.ndarray
    tab: np.ndarray
    val: np.ndarray
    rotations: np.ndarray  # (index in v, index in q) of every rotation
    linear: np.ndarray     # the same for every other coordinate
    speeds: np.ndarray     # rows of R of constraints that hold for velocities only


class Maps(NamedTuple):
    """(index among velocities, index among positions) of rotations, and of every other coordinate."""
    rotations: np.ndarray
    linear: np.ndarray


class Memory(NamedTuple):
    """Everything that changes: the state, and the work arrays of one evaluation."""
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    H: np.ndarray
    Y: np.ndarray
    X: np.ndarray
    J: np.ndarray
    L: np.ndarray
    T: np.ndarray
    R: np.ndarray
    V: np.ndarray
    D: np.ndarray
    E: np.ndarray
    W: np.ndarray


@inlined
def evaluate(p, d, x, t, cm, cd, ck):
    """Run a program at the current memory. Clears R and the record of branches; V, D and E are the caller's to clear."""
    x.R[:] = 0
    x.W[JUMPS] = 0
    s = reference(State(t, x.q, x.v, x.a, x.lam, x.H, x.Y, x.X, x.J, x.L, x.T))
    o = reference(Out(cm, cd, ck, x.R, x.V, x.D, x.E, x.W))
    b = reference(Batch(0, 0, d.ip, d.rp, d.fr, d.tab, d.val))
    for k in range(len(p.address)):
        call(p.address[k], s, with_rows(b, p.rows[k, 0], p.rows[k, 1]), o)


@entry
def run(p, d, x, t, cm, cd, ck):
    """The same from Python."""
    evaluate(p, d, x, t, cm, cd, ck)


@entry
def retract(d, q0, dq, h, q):
    """q = q0 exp(h dq)                                                                               [manifold-1]"""
    for k in range(d.linear.shape[0]):
        q[d.linear[k, 1]] = q0[d.linear[k, 1]] + h * dq[d.linear[k, 0]]
    for k in range(d.rotations.shape[0]):
        turn(q0, d.rotations[k, 1], scale(h, vec(dq, d.rotations[k, 0])), q)
