"""Forces in sections of beams, for output. Derivations: docs/theory/beams.md"""
from ..kernels.by_reference import reference
from ..kernels.contract import Batch, State
from ..kernels.jit import entry
from ..kernels.so3 import store
from . import corotational, exact_beams

corotational_section, exact_section = corotational.section, exact_beams.section


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
