"""Impacts of several rigid contacts, joints and flexible bodies taking part through Delassus' matrix D. Before it u, behind it
u+ = u + D P, both three numbers of every contact that touches: normal, and two tangential ones. docs/theory/contact.md

    Newton    xi_N = u_N+ + e u_N,  xi_T = u_T+ + e_T u_T,  and [complementarity-1] of xi and P; e = 0 if u_N > 0       [impact-1]
    Poisson   the same with e = e_T = 0 gives P_c; then 0 <= u_N+ perpendicular to P_N - (1 + e) P_c,N >= 0             [impact-2]
    sequential  Newton's of those alone that close fastest, again and again until none closes                          [impact-3]

Kinetic energy changes by P . (u + u+) / 2. Newton's law may raise it where restitutions differ and friction acts (Kane's paradox), or have
no solution where contacts jam: then Poisson's is taken, whose expansion gives back no more than the compression took.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .complementarity import RUBS, SOLVED, Contacts, solve_contacts
from .jit import entry, index, jit

SIMULTANEOUS, SEQUENTIAL, POISSON = index(0, 1, 2)       # what is asked for
AS_ASKED, BY_POISSON, PLASTIC, STUCK = index(0, 1, 2, 3)  # how it went: so; by Poisson, or without restitution; not
GAIN = 1e-12       # of the energy of the closing motion: more than rounding
TIED = 1e-9        # of the largest closing speed: closing as fast
AT_REST = 1e-14    # of the largest speed before: not closing
MOST = index(10000)  # impacts in sequence


class Impact(NamedTuple):
    """Of n contacts at most, and room to solve it."""
    D: np.ndarray
    u: np.ndarray       # before
    after: np.ndarray   # u+
    e: np.ndarray
    e_T: np.ndarray
    mu: np.ndarray
    P: np.ndarray
    c: Contacts
    some: np.ndarray    # numbers of those that take part

    @classmethod
    def of(cls, n: int) -> Impact:
        one, three = {k: np.zeros(n) for k in ("e", "e_T", "mu")}, {k: np.zeros(3 * n) for k in ("u", "after", "P")}
        return cls(D=np.zeros((3 * n, 3 * n)), c=Contacts.of(n), some=np.zeros(n, np.int64), **one, **three)


@jit
def pose(i, m, u, e, e_T):
    """The problem of m of the contacts from speeds u, with e and e_T times their restitutions."""
    c = i.c
    for k in range(m):
        f = i.some[k]
        c.mu[k], c.least[k], c.kind[k] = i.mu[f], 0.0, RUBS
        c.b[3 * k] = (1 + e * i.e[f] if u[3 * f] < 0 else 1.0) * u[3 * f]
        c.b[3 * k + 1], c.b[3 * k + 2] = (1 + e_T * i.e_T[f]) * u[3 * f + 1], (1 + e_T * i.e_T[f]) * u[3 * f + 2]
        for l in range(m):
            for r in range(3):
                for s in range(3):
                    c.D[3 * k + r, 3 * l + s] = i.D[3 * f + r, 3 * i.some[l] + s]


@jit
def take(i, n, m):
    """P and u+ with what was found for m of them."""
    for k in range(m):
        for r in range(3):
            P = i.c.P[3 * k + r]
            i.P[3 * i.some[k] + r] += P
            if P != 0:
                for s in range(3 * n):
                    i.after[s] += i.D[s, 3 * i.some[k] + r] * P


@jit
def begin(i, n):
    """No impulse yet; all take part."""
    for k in range(3 * n):
        i.P[k], i.after[k] = 0.0, i.u[k]
    for k in range(n):
        i.some[k] = k


@jit
def gain(i, n):
    """The change of the kinetic energy, and the energy of what closes: sum of u_N^2 / D_NN of closing contacts, halved."""
    change, closing = 0.0, 0.0
    for k in range(3 * n):
        change += i.P[k] * (i.u[k] + i.after[k]) / 2
    for k in range(n):
        if i.D[3 * k, 3 * k] > 0:
            closing += i.u[3 * k]**2 / i.D[3 * k, 3 * k] / 2
    return change, closing


@jit
def newton(i, n, e, e_T):
    """[impact-1] of all. Whether it has a solution that does not raise the energy."""
    begin(i, n)
    pose(i, n, i.u, e, e_T)
    if solve_contacts(i.c, n) != SOLVED:
        return False
    take(i, n, n)
    change, closing = gain(i, n)
    return change <= GAIN * closing


@jit
def poisson(i, n):
    """[impact-2]"""
    if not newton(i, n, 0.0, 0.0):
        return False
    pose(i, n, i.after, 0.0, 0.0)
    for k in range(n):
        i.c.least[k] = i.e[k] * i.P[3 * k]
    if solve_contacts(i.c, n) != SOLVED:
        return False
    take(i, n, n)
    change, closing = gain(i, n)
    return change <= GAIN * closing


@jit
def fastest(i, n, rest):
    """The contacts that close fastest, in ``some``; their number."""
    speed, m = rest, 0
    for k in range(n):
        speed = max(speed, -i.after[3 * k])
    for k in range(n):
        if speed > rest and -i.after[3 * k] >= (1 - TIED) * speed:
            i.some[m] = k
            m += 1
    return m


@jit
def sequential(i, n):
    """[impact-3]"""
    begin(i, n)
    rest = 0.0
    for k in range(3 * n):
        rest = max(rest, AT_REST * abs(i.u[k]))
    for _ in range(MOST):
        m = fastest(i, n, rest)
        if m == 0:
            change, closing = gain(i, n)
            return change <= GAIN * closing
        pose(i, m, i.after, 1.0, 1.0)
        if solve_contacts(i.c, m) != SOLVED:
            return False
        take(i, n, m)
    return False


@jit
def collide(i, n, how):
    """P and u+ of n contacts. AS_ASKED; what was done instead; STUCK if nothing could be done."""
    if sequential(i, n) if how == SEQUENTIAL else newton(i, n, 1.0, 1.0) if how == SIMULTANEOUS else poisson(i, n):
        return AS_ASKED
    if how != POISSON and poisson(i, n):
        return BY_POISSON
    return PLASTIC if newton(i, n, 0.0, 0.0) else STUCK


@entry
def solve(i, n, how):
    """The same from Python."""
    return collide(i, n, how)
