"""Glocker's woodpecker from instant to instant: at each all states of its three contacts are tried, and SciPy integrates in between.

    M q'' = h + W^T P, q = (y, phi_M, phi_S); for every contact P = 0 and it does not close, or it keeps its gap and sticks within friction,
    or slides against it. The same for an impact, with u_N+ = -e u_N.
"""
from itertools import product

import no_jit
import numpy as np
from scipy.integrate import solve_ivp

R0, RM, HM, LM, LG, HS, LS = (getattr(no_jit.load("woodpecker"), name) for name in ("R0", "RM", "HM", "LM", "LG", "HS", "LS"))
SLEEVE, J_SLEEVE, BIRD, J_BIRD, SPRING, MU, G = 3e-4, 5e-9, 4.5e-3, 7e-7, 5.6e-3, 0.3, 9.81
ARMS = np.array([1, LM, LG])
M = BIRD * np.outer(ARMS, ARMS) + np.diag([SLEEVE, J_SLEEVE, J_BIRD])
W = np.array([[[0, 0, -HS], [1, LM, LG - LS]], [[0, HM, 0], [1, RM, 0]], [[0, -HM, 0], [1, RM, 0]]])  # beak, foot, top: normal, along
FREE, E = np.array([LM + LG - LS - R0, RM - R0, RM - R0]), np.array([0.5, 0, 0])
OPEN, STICKS, UP, DOWN = range(4)
SMALL = 1e-9


def gaps(q):
    return FREE + W[:, 0] @ q


def forces(q):
    return np.array([-(SLEEVE + BIRD) * G, 0, 0]) - SPRING * (q[1] - q[2]) * np.array([0, 1, -1]) - BIRD * G * (ARMS - (1, 0, 0))


def pushed(which, states, b):
    """P of contacts in these states, and b + D P."""
    w = W[which].reshape(-1, 3)
    D = w @ np.linalg.solve(M, w.T)
    A, r = np.eye(len(b)), np.zeros(len(b))
    for k, state in enumerate(states):
        n = 2 * k
        if state != OPEN:
            A[n], r[n] = D[n], -b[n]
        if state == STICKS:
            A[n + 1], r[n + 1] = D[n + 1], -b[n + 1]
        elif state != OPEN:
            A[n + 1, n] = MU if state == UP else -MU
    P = np.linalg.solve(A, r)
    return P, b + D @ P, np.linalg.solve(M, w.T @ P)


def fault(states, known, P, xi, size):
    """By how much states contradict what follows from them."""
    worst = 0.0
    for k, state in enumerate(states):
        n, most = 2 * k, abs(P).max() + 1e-300
        found = [-xi[n] / size] if state == OPEN else [-P[n] / most]
        if state == STICKS:
            found.append((abs(P[n + 1]) - MU * P[n]) / most)
        elif state != OPEN and not known[k]:
            found.append((-1 if state == UP else 1) * xi[n + 1] / size)
        worst = max(worst, *found)
    return worst


def tried(which, b, known):
    """The states that contradict themselves least; ``known``: a direction of slip, or 0."""
    ways = [(OPEN, UP if d > 0 else DOWN) if d else (OPEN, STICKS, UP, DOWN) for d in known]
    found = [(s, *pushed(which, s, b)) for s in product(*ways)]
    return min(found, key=lambda f: max(fault(f[0], known, f[1], f[2], abs(b).max()), 1e-12))


def passed(q, u, closed, begins):
    """Velocities behind an instant, states of all contacts, and whether there was an impact."""
    which, states, hit = np.flatnonzero(closed), [OPEN] * 3, False
    speeds = (W[which] @ u).reshape(-1, 2)
    if (speeds[:, 0] < -SMALL).any():
        b = (speeds * np.column_stack([1 + E[which] * (speeds[:, 0] < 0), np.ones(len(which))])).ravel()
        u, hit = u + tried(which, b, [0] * len(which))[3], True
    which = [k for k in which if W[k, 0] @ u < SMALL]
    if which:
        known = [np.sign(v) if abs(v := W[k, 1] @ u) > SMALL else begins.get(k, 0) for k in which]
        for k, state in zip(which, tried(which, (W[which] @ np.linalg.solve(M, forces(q))).ravel(), known)[0], strict=True):
            states[k] = state
    return u, states, hit


def knocks(q, u, duration):
    """Times of impacts, and times at which the bird swings upwards through zero."""
    t, closed, begins, hits, ups = 0.0, gaps(q) < 1e-10, {}, [], []
    while t < duration:
        u, states, hit = passed(q, u, closed, begins)
        hits += [t] if hit else []
        on = [k for k in range(3) if states[k] != OPEN]

        def reaction(y, on=on, states=states):
            free = np.linalg.solve(M, forces(y[:3]))
            if not on:
                return np.zeros(0), free
            P, _, more = pushed(on, [states[k] for k in on], (W[on] @ free).ravel())
            return P, free + more
        seen = [(k, lambda t, y, k=k, room=1e-14 * closed[k]: gaps(y[:3])[k] + room) for k in range(3) if k not in on]
        for i, k in enumerate(on):
            seen.append((k, lambda t, y, i=i: reaction(y)[0][2 * i]))
            slips = (lambda t, y, i=i: MU * reaction(y)[0][2 * i] - abs(reaction(y)[0][2 * i + 1])) if states[k] == STICKS else \
                (lambda t, y, k=k, s=1 if states[k] == UP else -1: s * (W[k, 1] @ y[3:]) + 1e-13)
            seen.append((k, slips))
        for _, event in seen:
            event.terminal, event.direction = True, -1
        up = lambda t, y: y[2]  # noqa: E731
        up.direction = 1
        run = solve_ivp(lambda t, y: np.concatenate([y[3:], reaction(y)[1]]), (t, duration), [*q, *u], "DOP853", rtol=1e-12, atol=1e-14,
                        events=[*(event for _, event in seen), up], max_step=2e-3)
        ups += run.t_events[-1].tolist()
        t, q, u = run.t[-1], run.y[:3, -1], run.y[3:, -1]
        P = reaction(run.y[:, -1])[0]
        now = [k for (k, _), times in zip(seen, run.t_events, strict=False) if len(times)]
        begins = {k: -np.sign(P[2 * on.index(k) + 1]) for k in now if states[k] == STICKS}
        closed = np.array([k in on or k in now for k in range(3)]) | (gaps(q) < 1e-10)
    return np.array(hits), np.array(ups)
