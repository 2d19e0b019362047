"""Forces in the sections of beams as unknowns of their own in the search for an equilibrium. docs/theory/statics.md"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..families import corotational, exact_beams
from ..families.beam_sections import deformations, strains
from ..families.exact_beams import CURRENT, STRAIN
from ..kernels.evaluation import Data

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel

NONE = np.zeros(0)


def spin(x: np.ndarray) -> np.ndarray:
    """[x] of vectors (n, 3)"""
    out = np.zeros((len(x), 3, 3))
    out[:, 2, 1], out[:, 0, 2], out[:, 1, 0] = x.T
    return np.asarray(out - out.transpose(0, 2, 1))


def blocks(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """(a b; c d) of matrices (n, 3, 3)"""
    return np.concatenate([np.concatenate([a, b], 2), np.concatenate([c, d], 2)], 1)


def times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("nij,nj->ni", A, x))


def solve(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.solve(A, x[:, :, None])[:, :, 0])


def exponentials(r: np.ndarray) -> np.ndarray:
    """exp([r]) of rotation vectors (n, 3)"""
    t, K = np.linalg.norm(r, axis=1)[:, None, None], spin(r)
    return np.asarray(np.eye(3) + np.sinc(t / np.pi) * K + np.sinc(t / 2 / np.pi) ** 2 / 2 * K @ K)


def along(kernel: Any, d: CompiledModel, rows: slice, xi: np.ndarray, width: int) -> np.ndarray:
    """What a kernel tells of elements at the position in memory, with the increments xi of positions for velocities."""
    before, out = d.x.v.copy(), np.zeros((rows.stop - rows.start, width))
    d.x.v[:] = 0
    d.x.v[:xi.size] = xi
    kernel(d.system.data, d.x, rows.start, rows.stop, out.reshape(-1))
    d.x.v[:] = before
    return out


class ExactForces:
    """s = (n, m) of geometrically exact elements, (elements, 6): of sum L (s.e - s.Phi s / 2), e = d/L - d_0/L                 [mixed-1]"""

    def __init__(self, d: CompiledModel) -> None:
        self.d, s = d, d.system
        self.rows = slice(*s.families.get(exact_beams.BEAM, (0, 0)))
        ip, rp = s.data.ip[self.rows], s.data.rp[self.rows]
        self.strain = STRAIN + np.arange(6)
        self.free, self.follows = rp[:, self.strain], ip[:, CURRENT] >= 1
        pool = np.array([s.data.val[k:k + 144] for k in ip[:, exact_beams.POOL]]).reshape(-1, 4, 6, 6)
        self.F, self.fixed = pool[:, 1], np.linalg.inv(pool[:, 0])
        self.G, self.H = self.follows[:, None, None] * pool[:, 2], self.follows[:, None, None] * pool[:, 3]  # of beam-7

    def __len__(self) -> int:
        return len(self.free)

    def strains(self, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """d/L, and its change along the increments xi of positions."""
        out = along(strains, self.d, self.rows, xi, 12)
        return out[:, :6], out[:, 6:]

    def stretches(self) -> np.ndarray:
        return (self.strains(NONE)[0] - self.free)[:, :3]

    def at(self, e: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Phi and 1 - Q at strains e with the forces s, and what s does on the strain, as in beam-7, beam-12, beam-11"""
        none, gamma, K, n, m = np.zeros((len(e), 3, 3)), *(spin(x) for x in (e[:, :3], e[:, 3:], s[:, :3], s[:, 3:]))
        A, B = blocks(K, none, gamma, K), blocks(none, -n, -n, -m)
        At, D = A.transpose(0, 2, 1), self.G @ A - self.H
        ab = times(D, s)
        N = blocks(spin(ab[:, 3:]), spin(ab[:, :3]), none, spin(ab[:, 3:]))
        Phi = np.where(self.follows[:, None, None], self.F + At @ D - self.H @ A, self.fixed)
        return Phi, np.eye(6) - (At @ self.G - self.H) @ B - N, s - times(B.transpose(0, 2, 1), ab)

    def begin(self) -> np.ndarray:
        """s = Phi^-1 e, as the position in memory has it."""
        e, _ = self.strains(NONE)
        return solve(self.at(e, 0 * e)[0], e - self.free)

    def put(self, s: np.ndarray, mixed: Data, condensed: Data) -> None:
        """Strains without stress for which the elements have the forces s, and with a constant Phi the condensed ones

            s_eff + (1 - Q)^T Phi^-1 (e - Phi s):                                                        [mixed-2]

        the kernels of beam-6 then give the matrix, those of beam-4 the forces on the nodes."""
        e, _ = self.strains(NONE)
        Phi, change, acting = self.at(e, s)
        acting += times(change.transpose(0, 2, 1), solve(Phi, e - self.free - times(Phi, s)))
        mixed.rp[self.rows, self.strain] = e - times(Phi, s)
        condensed.rp[self.rows, self.strain] = e - times(self.fixed, acting)
        condensed.ip[self.rows, CURRENT] = 0

    def changed(self, s: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """Phi^-1 (e - Phi s + (1 - Q) de) of an iteration that moves the nodes by xi                                         [mixed-3]"""
        e, de = self.strains(xi)
        Phi, change, _ = self.at(e, s)
        return solve(Phi, e - self.free - times(Phi, s) + times(change, de))


class CorotationalForces:
    """Deformations z of corotational elements, (elements, 7), whose forces are K z: of sum (K z).y - z.K z / 2                 [mixed-4]"""

    def __init__(self, d: CompiledModel) -> None:
        self.d, s = d, d.system
        self.rows = slice(*s.families.get(corotational.COROTATIONAL, (0, 0)))
        self.pools = np.array([s.data.val[k:k + 67] for k in s.data.ip[self.rows, corotational.POOL]]).reshape(-1, 67)
        self.free = s.data.rp[self.rows, corotational.LENGTH]

    def __len__(self) -> int:
        return len(self.free)

    def begin(self) -> np.ndarray:
        return along(deformations, self.d, self.rows, NONE, 32)[:, :7]

    def stretches(self) -> np.ndarray:
        return self.begin()[:, :1] / self.free[:, None]

    def put(self, z: np.ndarray, mixed: Data, condensed: Data) -> None:
        """Lengths and axes without stress for which y = z: exp(-a) E^T R_A. What acts on the nodes is that of the position."""
        now = along(deformations, self.d, self.rows, NONE, 32)
        mixed.rp[self.rows, corotational.LENGTH] = now[:, 0] + self.free - z[:, 0]
        for k, first in ((49, 14), (58, 23)):
            turned = exponentials(-z[:, 1:4] if first == 14 else -z[:, 4:]) @ now[:, first:first + 9].reshape(-1, 3, 3)
            self.pools[:, k:k + 9] = turned.reshape(-1, 9)
        mixed.val[-self.pools.size:] = self.pools.ravel()
        mixed.ip[self.rows, corotational.POOL] = mixed.val.size - self.pools.size + 67 * np.arange(len(self))

    def changed(self, z: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """y + dy - z"""
        now = along(deformations, self.d, self.rows, xi, 32)
        return now[:, :7] + now[:, 7:14] - z


class SectionForces:
    """The iterates of all beams at the position in memory: ``mixed`` is the model whose elements have them, for the matrix, ``condensed``
    that of the forces on the nodes."""

    def __init__(self, d: CompiledModel) -> None:
        exact, other, data = ExactForces(d), CorotationalForces(d), d.system.data
        self.parts = [part for part in (exact, other) if len(part)]
        self.mixed, self.condensed = (data._replace(ip=data.ip.copy(), rp=data.rp.copy(), val=np.append(data.val, other.pools))
                                      for _ in range(2))
        self.put([part.begin() for part in self.parts])

    def put(self, values: list[np.ndarray]) -> None:
        self.values = values
        for part, s in zip(self.parts, values, strict=True):
            part.put(s, self.mixed, self.condensed)

    def largest_strain(self) -> tuple[float, int]:
        """Of stretch and shear of all elements, and the row of the element."""
        found = [(abs(part.stretches()).max(1), part.rows.start) for part in self.parts]
        return max(((float(x.max()), first + int(np.argmax(x))) for x, first in found), default=(0.0, 0))

    def after(self, xi: np.ndarray, share: float) -> list[np.ndarray]:
        """What they are after a share of an iteration that moves the nodes by xi."""
        return [s + share * part.changed(s, xi) for part, s in zip(self.parts, self.values, strict=True)]
