"""Forces and strains in sections of exact beams, for output. Derivations: docs/theory/beams.md"""
from ..kernels.by_reference import reference
from ..kernels.contract import Batch, State
from ..kernels.jit import entry
from ..kernels.so3 import store
from .exact_beams import section


@entry
def sections(d, x, row, xi, out):
    """n, m and gamma, K at places xi of the element in a row of the tables, in axes of the section, twelve numbers of ``out`` for each.
    n and m act on the part before the section; d and x are the data and a memory of a system, of which positions and velocities count."""
    s = reference(State(0.0, x.q, x.v, x.a, x.lam, x.H, x.Y, x.X, x.J, x.L, x.T))
    b = reference(Batch(row, row + 1, d.ip, d.rp, d.fr, d.tab, d.val))
    for i in range(xi.size):
        n, m, gamma, K = section(s, b, row, xi[i])
        store(n, out, 12 * i)
        store(m, out, 12 * i + 3)
        store(gamma, out, 12 * i + 6)
        store(K, out, 12 * i + 9)
