"""Single evaluations of a formulation, from Python."""
from ....kernels.by_reference import reference
from ....kernels.jit import entry
from ....kernels.ode import call_status


@entry
def evaluate_at(p, rhs, t, y, out):
    """F(t, y); ``rhs``: the address of its kernel. A status."""
    return call_status(rhs, (reference(p), t, y, out))
