"""Impulses or forces of several rigid contacts that act at once. Each contact has three of them, P = (P_N, P_T), and the speeds or
accelerations xi = D P + b that belong to them, D = W^T A^-1 W (Delassus' matrix), symmetric and never negative:

    0 <= xi_N  perpendicular to  P_N - least >= 0,    -xi_T in the normal cone of the disc |P_T| <= mu P_N at P_T        [complementarity-1]
    or, of a contact that slides along d:  P_T = -mu P_N d                                                    [complementarity-2]

as the equations P = proj(P - rho xi) (Alart, Curnier 1991), by Newton's method. Where D is singular, as under a table with four legs, P is
not unique: the equations are solved with D + eps, and again with what eps took (proximal points); the smallest P is what that goes to, in
whatever order contacts come.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .dense import lu_factorise, lu_solve
from .jit import entry, index, jit

RUBS, SLIDES = index(0, 1)       # kinds: set-valued friction; sliding along a given direction
SOLVED, UNSOLVED = index(0, 1)
SOFT = 1e-9                      # eps, of the diagonal
SHARE = 1e-5                     # the same in search of the smallest P, where rounding counts by its inverse
SOFTEST = 0.1                    # the same where Newton's method needs to be led
OUTER, NEWTON, HALVINGS, ROUNDS, SWEEPS, LONG = index(12, 40, 6, 3, 50, 400)
FAR = 1e100                      # P that goes on growing
CLOSE, GOOD, SAME = 1e-14, 1e-11, 1e-13  # what is left of the equations, of P and rho b: aimed at; good enough; changes of P that are none


class Contacts(NamedTuple):
    """A problem of n contacts, and room to solve it."""
    D: np.ndarray        # 3n x 3n
    b: np.ndarray        # 3n
    mu: np.ndarray       # n
    least: np.ndarray    # n: what P_N is at least
    kind: np.ndarray     # n
    along: np.ndarray    # n x 2: d of those that slide
    P: np.ndarray        # 3n: where to begin, then the solution
    xi: np.ndarray
    F: np.ndarray
    kept: np.ndarray     # P of the last point
    tried: np.ndarray
    found: np.ndarray
    rho: np.ndarray      # n
    J: np.ndarray        # 3n x 3n
    pivots: np.ndarray

    @classmethod
    def of(cls, n: int) -> Contacts:
        """Room for n of them."""
        one = {name: np.zeros(3 * n) for name in ("b", "P", "xi", "F", "kept", "tried", "found")}
        return cls(D=np.zeros((3 * n, 3 * n)), J=np.zeros((3 * n, 3 * n)), mu=np.zeros(n), least=np.zeros(n), kind=np.zeros(n, np.int64),
                   along=np.zeros((n, 2)), rho=np.zeros(n), pivots=np.zeros(3 * n, np.int64), **one)


@jit
def speeds(c, n, soft, P):
    """xi = (D + eps) P + b - eps kept"""
    for i in range(3 * n):
        x = c.b[i] + soft / c.rho[i // 3] * (P[i] - c.kept[i])
        for j in range(3 * n):
            x += c.D[i, j] * P[j]
        c.xi[i] = x


@jit
def left(c, n, soft, P):
    """F = P - proj(P - rho xi); its size, of that of P and rho b."""
    speeds(c, n, soft, P)
    worst, size = 0.0, 0.0
    for k in range(n):
        i, rho = 3 * k, c.rho[k]
        above = max(P[i] - c.least[k] - rho * c.xi[i], 0.0)
        c.F[i] = P[i] - c.least[k] - above
        radius, y, z = c.mu[k] * (c.least[k] + above), P[i + 1] - rho * c.xi[i + 1], P[i + 2] - rho * c.xi[i + 2]
        if c.kind[k] == SLIDES:
            c.F[i + 1], c.F[i + 2] = P[i + 1] + c.mu[k] * P[i] * c.along[k, 0], P[i + 2] + c.mu[k] * P[i] * c.along[k, 1]
        else:
            length = np.sqrt(y * y + z * z)
            part = radius / length if length > radius else 1.0
            c.F[i + 1], c.F[i + 2] = P[i + 1] - part * y, P[i + 2] - part * z
        for j in range(3):
            worst, size = max(worst, abs(c.F[i + j])), max(size, abs(P[i + j]), abs(rho * c.b[i + j]))
    return worst / size if size > 0 else 0.0


@jit
def speed_row(c, n, i, soft, factor):
    """J[i] += factor dxi_i / dP"""
    for j in range(3 * n):
        c.J[i, j] += factor * c.D[i, j]
    c.J[i, i] += factor * soft / c.rho[i // 3]


@jit
def derivative(c, n, soft, P):
    """J = dF/dP. Needs xi."""
    for i in range(3 * n):
        for j in range(3 * n):
            c.J[i, j] = 0.0
    for k in range(n):
        i, rho, mu = 3 * k, c.rho[k], c.mu[k]
        above = P[i] - c.least[k] - rho * c.xi[i]
        if above > 0:
            speed_row(c, n, i, soft, rho)
        else:
            c.J[i, i] = 1.0
        for j in range(1, 3):
            c.J[i + j, i + j] = 1.0
        if c.kind[k] == SLIDES:
            for j in range(2):
                c.J[i + 1 + j, i] += mu * c.along[k, j]
            continue
        radius, y, z = mu * (c.least[k] + max(above, 0.0)), P[i + 1] - rho * c.xi[i + 1], P[i + 2] - rho * c.xi[i + 2]
        length = np.sqrt(y * y + z * z)
        if length <= radius:  # sticks: F = rho xi
            for j in range(1, 3):
                c.J[i + j, i + j] = 0.0
                speed_row(c, n, i + j, soft, rho)
            continue
        # F = P - r e, e = y / |y|: dF = dP - e dr - (r / |y|) (1 - e e^T) (dP - rho dxi)
        e, part = (y / length, z / length), radius / length
        for j in range(2):
            for l in range(2):
                turned = part * ((1.0 if j == l else 0.0) - e[j] * e[l])
                c.J[i + 1 + j, i + 1 + l] -= turned
                for m in range(3 * n):
                    c.J[i + 1 + j, m] += turned * rho * c.D[i + 1 + l, m]
                c.J[i + 1 + j, i + 1 + l] += turned * soft
            if above > 0:
                c.J[i + 1 + j, i] -= mu * e[j]
                speed_row_of(c, n, i + 1 + j, i, soft, mu * e[j] * rho)


@jit
def speed_row_of(c, n, row, i, soft, factor):
    """J[row] += factor dxi_i / dP"""
    for j in range(3 * n):
        c.J[row, j] += factor * c.D[i, j]
    c.J[row, i] += factor * soft / c.rho[i // 3]


@jit
def newton(c, n, soft):
    """Newton's method from P, steps halved while that helps. What is left."""
    size = left(c, n, soft, c.P)
    for _ in range(NEWTON):
        if size <= CLOSE:
            break
        derivative(c, n, soft, c.P)
        if not lu_factorise(c.J, 3 * n, c.pivots):
            break
        lu_solve(c.J, 3 * n, c.pivots, c.F)
        step, best = 1.0, np.inf
        for i in range(3 * n):
            c.tried[i] = -c.F[i]  # the direction
        for _ in range(HALVINGS):
            for i in range(3 * n):
                c.P[i] += step * c.tried[i]
            best = left(c, n, soft, c.P)
            if best < size:
                break
            for i in range(3 * n):
                c.P[i] -= step * c.tried[i]
            step /= 2
        if not best < size:
            break
        size = best
    return size


@jit
def sweep(c, n, soft):
    """P = proj(P - rho xi), one contact after the other, forth and back."""
    for way in range(2):
        for m in range(n):
            k = m if way == 0 else n - 1 - m
            i = 3 * k
            for j in range(3):
                x = c.b[i + j] + soft / c.rho[k] * (c.P[i + j] - c.kept[i + j])
                for l in range(3 * n):
                    x += c.D[i + j, l] * c.P[l]
                c.xi[i + j] = x
            c.P[i] = c.least[k] + max(c.P[i] - c.least[k] - c.rho[k] * c.xi[i], 0.0)
            y, z = c.P[i + 1] - c.rho[k] * c.xi[i + 1], c.P[i + 2] - c.rho[k] * c.xi[i + 2]
            if c.kind[k] == SLIDES:
                c.P[i + 1], c.P[i + 2] = -c.mu[k] * c.P[i] * c.along[k, 0], -c.mu[k] * c.P[i] * c.along[k, 1]
                continue
            length, radius = np.sqrt(y * y + z * z), c.mu[k] * c.P[i]
            part = radius / length if length > radius else 1.0
            c.P[i + 1], c.P[i + 2] = part * y, part * z


@jit
def scales(c, n):
    """rho = 1 / the largest of the diagonal of a contact"""
    largest = 0.0
    for i in range(3 * n):
        largest = max(largest, c.D[i, i])
    for k in range(n):
        d = max(c.D[3 * k, 3 * k], c.D[3 * k + 1, 3 * k + 1], c.D[3 * k + 2, 3 * k + 2])
        c.rho[k] = 1.0 / d if d > 1e-12 * largest else 1.0 / largest if largest > 0 else 1.0


@jit
def begin(c, n):
    """P = least, and nothing to keep to."""
    for i in range(3 * n):
        c.P[i] = c.kept[i] = 0.0
    for k in range(n):
        c.P[3 * k] = c.least[k]


@jit
def approach(c, n):
    """Where Newton's method gets stuck with a small eps: from a large one down, each time from where the last one ended; sweeps bring
    it on where it gets stuck there. What is left."""
    begin(c, n)
    soft, size = SOFTEST, np.inf
    while soft > SOFT / 2:
        size = newton(c, n, soft)
        for _ in range(ROUNDS):
            if size <= GOOD:
                break
            for _ in range(SWEEPS):
                sweep(c, n, soft)
            size = newton(c, n, soft)
        soft /= 10
    return size


@jit
def proximal(c, n, soft, lead):
    """From point to point until P stays. ``lead``: where Newton's method gets stuck at the first one it is led there. Whether it stays."""
    for first in range(OUTER):
        size = newton(c, n, soft)
        if lead and first == 0 and not size <= GOOD:
            size = approach(c, n)
        if not size <= GOOD:
            return False
        moved, largest = 0.0, 0.0
        for i in range(3 * n):
            moved, largest = max(moved, abs(c.P[i] - c.kept[i])), max(largest, abs(c.P[i]))
            c.kept[i] = c.P[i]
        if moved <= SAME * largest:
            break
    return left(c, n, 0.0, c.P) <= GOOD


@jit
def swept(c, n):
    """By sweeps alone, without eps: slow, but not led astray by a disc whose edge is all that many contacts reach. Whether P is found."""
    begin(c, n)
    for _ in range(LONG):
        for _ in range(SWEEPS):
            sweep(c, n, 0.0)
        size = 0.0
        for i in range(3 * n):
            size += abs(c.P[i])
        if not size < FAR:  # contacts that jam
            begin(c, n)
            left(c, n, 0.0, c.P)
            return False
        if left(c, n, 0.0, c.P) <= GOOD:
            return True
    return False


@jit
def solve_contacts(c, n):
    """P of n contacts, from zero. SOLVED or UNSOLVED."""
    scales(c, n)
    begin(c, n)
    if not proximal(c, n, SOFT, True):
        return SOLVED if swept(c, n) else UNSOLVED
    for i in range(3 * n):
        c.found[i], c.kept[i] = c.P[i], 0.0
    if not proximal(c, n, SHARE, False):
        for i in range(3 * n):
            c.P[i] = c.found[i]
        left(c, n, 0.0, c.P)
    return SOLVED


@entry
def solve(c, n):
    """The same from Python."""
    return solve_contacts(c, n)
