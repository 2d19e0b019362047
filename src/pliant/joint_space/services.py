"""Single evaluations of the recursion, from Python. Kernels take the problem by reference, as in a run: they are compiled once."""
from ..kernels.articulated import begin_inward, composite, follow, transmit
from ..kernels.by_reference import reference
from ..kernels.closed_loops import differentiate, sweep
from ..kernels.evaluation import run as evaluate
from ..kernels.jit import entry
from .recursion import jacobian, rhs, unfold


@entry
def rates_at(p, t, y, dy):
    """F(t, y); a status."""
    return rhs(reference(p), t, y, dy)


@entry
def place_at(p, t, y):
    """Positions and velocities of the bodies."""
    unfold(reference(p), t, y)


@entry
def efforts_at(problem, t, y, accelerations, effort):
    """Forces along the rates that these accelerations need."""
    p = reference(problem)
    unfold(p, t, y)
    p.x.a[:] = 0
    p.x.lam[:] = 0
    evaluate(p.joints.forces, p.d, p.x, t, 0.0, 0.0, 0.0)
    begin_inward(p.joints.tree, p.x.R)
    follow(p.joints.tree, accelerations)
    transmit(p.joints.tree, effort)
    for k in range(effort.size):
        effort[k] += p.joints.tree.rotors[k] * accelerations[k]


@entry
def masses_at(problem, t, y, M):
    """The mass matrix of the tree."""
    p = reference(problem)
    unfold(p, t, y)
    p.x.R[:] = 0
    begin_inward(p.joints.tree, p.x.R)
    composite(p.joints.tree, M)


@entry
def loop_jacobian_at(problem, t, y, swept, times, J):
    """J of the cut joints, six rows each: by sweeps along paths, or by direct differentiation; so many times, to be timed."""
    p = reference(problem)
    unfold(p, t, y)
    jacobian(p, t)
    tr, lp = p.joints.tree, p.joints.loops
    J[:] = 0
    for _ in range(times):
        if not swept:
            differentiate(tr, lp, p.x.D)
        for c in range(lp.tile.size if swept else 0):
            sweep(tr, lp, p.x.D, c, False)
    for e in range(lp.pair_tiles.shape[0]):
        c = lp.pair_tiles[e, 0]
        if lp.pair_tiles[e, 1] == c:
            for i in range(lp.pair_start[e], lp.pair_start[e + 1]):
                for r in range(6):
                    J[6 * c + r, lp.pairs[i, 2]] = lp.Z[lp.pairs[i, 0], r]
