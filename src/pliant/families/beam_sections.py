"""Forces and strains of beams, for output and for statics. Derivations: docs/theory/beams.md"""
from ..kernels.by_reference import reference
from ..kernels.contract import Batch, State
from ..kernels.jit import entry
from ..kernels.so3 import store
from .corotational import motion, moving, strained
from .corotational import section as corotational_section
from .exact_beams import screw, strain, strain_rate
from .exact_beams import section as exact_section


@entry
def sections(d, x, row, count, xi, exact, out):
    """n and m at places xi of ``count`` elements from a row of the tables on, in axes of the section, six numbers of ``out`` for each. They
    act on the part before the section; d and x are the data and a memory of a system, of which positions and velocities count."""
    s = reference(State(0.0, x.q, x.v, x.a, x.lam, x.H, x.Y, x.X, x.J, x.L, x.T))
    b, k = reference(Batch(row, row + count, d.ip, d.rp, d.fr, d.tab, d.val)), 0
    for e in range(row, row + count):
        for i in range(xi.size):
            n, m = exact_section(s, b, e, xi[i]) if exact else corotational_section(s, b, e, xi[i])
            store(n, out, k)
            store(m, out, k + 3)
            k += 6


@entry
def strains(d, x, first, last, out):
    """d / L of exact elements first..last and its change along increments x.v of positions, as in beam-13, twelve numbers each."""
    s = reference(State(0.0, x.q, x.v, x.a, x.lam, x.H, x.Y, x.X, x.J, x.L, x.T))
    b = reference(Batch(first, last, d.ip, d.rp, d.fr, d.tab, d.val))
    for e in range(first, last):
        A, phi, u, g, g1, _ = screw(s, b, e)
        gamma, K = strain(b, e, phi, u, g)
        x1, y1 = strain_rate(s, b, e, A, phi, u, g, g1)
        k = 12 * (e - first)
        store(gamma, out, k)
        store(K, out, k + 3)
        store(x1, out, k + 6)
        store(y1, out, k + 9)


@entry
def deformations(d, x, first, last, out):
    """l - l_0 and both rotation vectors y of corotational elements first..last, their change along increments x.v of positions, as in
    eicr-2, and E^T R_A, E^T R_B, 32 numbers of ``out`` each."""
    s = reference(State(0.0, x.q, x.v, x.a, x.lam, x.H, x.Y, x.X, x.J, x.L, x.T))
    b = reference(Batch(first, last, d.ip, d.rp, d.fr, d.tab, d.val))
    for e in range(first, last):
        (l, E, eta, rho, RA, RB, _), SA, SB, (u, a, c), _ = strained(s, b, e)
        w, wa, wb = moving(s, b, e, E)
        _, _, a1, c1 = motion(l, eta, rho, RA, RB, SA[0], SB[0], w, wa, wb)
        k = 32 * (e - first)
        out[k], out[k + 7] = u, w[0]
        store(a, out, k + 1)
        store(c, out, k + 4)
        store(a1, out, k + 8)
        store(c1, out, k + 11)
        for i in range(9):
            out[k + 14 + i], out[k + 23 + i] = RA[i], RB[i]
